//! A wall of the architecture: signals travel. An agent in the middle of a path tells both ends of a flow something, in
//! packets that are routed, lost and counted like others.

use multihop_proto::routing::AnyRouting;
use std::sync::{Arc, Mutex};

use multihop_proto::contract::{Control, Cx, End, NodeState};
use multihop_proto::proxy::{Action, Agent, Input, Verdict};

use multihop_proto::shim::{self, AnyShim, Shim};
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{PacketKind, Payload, Signal, SignalKind};
use multihop_sim::network::Network;
use proptest::prelude::*;

use crate::toy::net::{Watch, advance, bulk, scenario};
use crate::toy::{Shared, Toy, about};

const FLOW: FlowId = FlowId(0);
/// Five nodes in a row.
const CHAIN: [(u32, u32); 5] = [(0, 0), (200, 0), (400, 0), (600, 0), (800, 0)];

/// What shims and agents have heard: when, at which node, from which node, and what.
type Heard = Arc<Mutex<Vec<(SimTime, NodeId, NodeId, Signal)>>>;

fn heard(heard: &Heard, at: u32) -> Vec<(SimTime, Signal)> {
    let heard = heard.lock().expect("one thread");
    heard
        .iter()
        .filter(|(_, node, ..)| *node == NodeId(at))
        .map(|&(when, _, _, signal)| (when, signal))
        .collect()
}

/// At which ends: at the sender, or at the receiver when it waited for this byte.
type Ends = Arc<Mutex<Vec<Option<u64>>>>;

/// Notes signals, and takes a failed link for a reason to wait.
#[derive(Debug)]
struct Listener {
    me: NodeId,
    heard: Heard,
    ends: Ends,
}

impl Shim for Listener {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &NodeState,
        input: shim::Input<'_>,
        end: &End<'_>,
        out: &mut Vec<shim::Action>,
    ) -> shim::Verdict {
        if let shim::Input::Signal { signal, from } = input {
            self.heard.lock().expect("one thread").push((cx.now, self.me, from, *signal));
            let expected = match end {
                End::Sender(_) => None,
                End::Receiver(receiver) => Some(receiver.expected),
            };
            self.ends.lock().expect("one thread").push(expected);
            out.push(shim::Action::Control(Control::RestartTimer));
        }
        shim::Verdict::Pass
    }
}

/// From `at` on, until it has been said so often, an agent tells others of the last segment that it saw, again and
/// again.
#[derive(Debug)]
struct Teller {
    me: NodeId,
    at: SimTime,
    every: Dur,
    left: u32,
    to: Vec<NodeId>,
    kind: SignalKind,
    last: Option<Signal>,
    heard: Heard,
}

impl Agent for Teller {
    fn handle(&mut self, cx: &mut Cx<'_>, _: &NodeState, input: Input, out: &mut Vec<Action>) -> Verdict {
        match input {
            Input::Passing(id) | Input::Signal(id) => match cx.packets[id].payload {
                Payload::Signal(signal) => {
                    let from = cx.packets[id].source;
                    self.heard.lock().expect("one thread").push((cx.now, self.me, from, signal));
                }
                Payload::Tcp(segment) if segment.len > 0 => {
                    self.last = about(&cx.packets[id], self.kind);
                }
                _ => {}
            },
            Input::Timer | Input::Notice(_) => {}
        }
        if let Some(signal) = self.last
            && self.at <= cx.now
            && self.left > 0
        {
            self.left -= 1;
            self.at = cx.now + self.every;
            out.extend(self.to.iter().map(|&to| Action::Signal { to, signal }));
        }
        // If there was nothing to speak of yet, the next segment that passes is.
        let again = self.left > 0 && self.at > cx.now;
        out.push(Action::Arm(if again { self.at } else { SimTime::MAX }));
        Verdict::Pass
    }
}

/// A network with a listener at each end of its one flow, which runs from the first node to the last.
fn network(watch: &Watch, heard: &Heard, ends: &Ends, sets: &[&str]) -> Network {
    let last = CHAIN.len() as u32 - 1;
    let mut network = Network::new(&scenario(&CHAIN, &bulk(0, last), sets), 1);
    network.set_tap(Box::new(watch.clone()));
    for node in [0, last] {
        let me = NodeId(node);
        let shim = Listener { me, heard: Arc::clone(heard), ends: Arc::clone(ends) };
        network.node_mut(me).hosts_mut().all_mut()[0].kind.set_shim(AnyShim::Custom(Box::new(shim)));
    }
    network
}

fn teller(me: u32, at: SimTime, left: u32, to: &[u32], kind: SignalKind, heard: &Heard) -> Box<Teller> {
    Box::new(Teller {
        me: NodeId(me),
        at,
        every: Dur::from_secs(1),
        left,
        to: to.iter().map(|&node| NodeId(node)).collect(),
        kind,
        last: None,
        heard: Arc::clone(heard),
    })
}

//  2 s               3 s                4 s
//  | said at 2,      | said again:      | and again
//  | lost before 1,  | passes 1 and 3,  |
//  | which is down   | heard at 0 and 4 |
#[test]
fn a_signal_is_lost_on_its_way_and_arrives_when_it_is_repeated() {
    let (watch, told, ends) = (Watch::default(), Heard::default(), Arc::default());
    let mut network = network(&watch, &told, &ends, &[]);
    let kind = SignalKind::RouteFailure { failed: NodeId(4) };
    let said = teller(2, SimTime::from_secs(2), 3, &[0, 4], kind, &told);
    network.node_mut(NodeId(2)).relays_mut().add(FLOW, said);
    for relay in [1, 3] {
        let silent = teller(relay, SimTime::MAX, 0, &[], kind, &told);
        network.node_mut(NodeId(relay)).relays_mut().add(FLOW, silent);
    }
    advance(&mut network, SimTime::from_ms(1990));
    network.power(NodeId(1), false);
    advance(&mut network, SimTime::from_ms(2900));
    assert_eq!(heard(&told, 0).len(), 0, "nothing came through");
    assert_eq!(watch.dropped(PacketKind::Signal), 1, "lost, and counted as what it is");
    assert_eq!(heard(&told, 4).len(), 1, "the other end has heard");
    network.power(NodeId(1), true);
    advance(&mut network, SimTime::from_secs(10));
    let source = heard(&told, 0);
    assert_eq!(source.len(), 2, "{source:?}");
    assert!(source[0].0 > SimTime::from_secs(3), "after two hops");
    assert_eq!(source[0].1.kind, kind);
    assert_eq!((source[0].1.source, source[0].1.destination), (NodeId(0), NodeId(4)));
    assert_eq!(source[0].1.sequence % 1460, 0, "a segment's first byte");
    assert_eq!((heard(&told, 1).len(), heard(&told, 3).len()), (2, 3), "agents on the way see it pass");
    let ends = ends.lock().expect("one thread");
    assert_eq!(ends.iter().filter(|end| end.is_none()).count(), 2);
    assert_eq!(ends.iter().flatten().filter(|&&expected| expected > 0).count(), 3);
}

#[test]
fn a_signal_reaches_an_agent_that_it_is_meant_for_and_nobody_else() {
    let (watch, told, ends) = (Watch::default(), Heard::default(), Arc::default());
    let mut network = network(&watch, &told, &ends, &[]);
    // Static routes lead to the ends of flows only; the toys find a way to any node.
    for index in 0..CHAIN.len() as u32 {
        let toy = Toy::new(NodeId(index), Shared::default());
        network.set_routing(NodeId(index), AnyRouting::Custom(Box::new(toy)));
    }
    let kind = SignalKind::BadState;
    let said = teller(3, SimTime::from_secs(2), 1, &[1, 2], kind, &told);
    network.node_mut(NodeId(3)).relays_mut().add(FLOW, said);
    network.node_mut(NodeId(1)).relays_mut().add(FLOW, teller(1, SimTime::MAX, 0, &[], kind, &told));
    advance(&mut network, SimTime::from_secs(5));
    assert_eq!((heard(&told, 1).len(), heard(&told, 0).len(), heard(&told, 4).len()), (1, 0, 0));
    assert_eq!(watch.dropped(PacketKind::Signal), 1, "at node 2 nobody waits for it");
}

/// What happens in a chain: which node says what to which and when, and which nodes go down or come back.
type Story = (Vec<(u32, u64, u32, u32, usize)>, Vec<(u64, u32)>, bool);

fn story() -> impl Strategy<Value = Story> {
    let said = prop::collection::vec((0u32..5, 0u64..3000, 1u32..6, 0u32..6, 0usize..7), 1..4);
    (said, prop::collection::vec((1u64..500, 0u32..5), 0..10), any::<bool>())
}

fn tell((said, power, dsdv): &Story) -> (u64, usize) {
    let (watch, told, ends) = (Watch::default(), Heard::default(), Arc::default());
    let sets: &[&str] = if *dsdv { &["routing.kind=dsdv", "routing.dsdv.settling=0 s"] } else { &[] };
    let mut network = network(&watch, &told, &ends, sets);
    for &(me, at, times, to, kind) in said {
        // Node 5 does not exist: there is no way to it.
        let said = teller(me, SimTime::from_ms(at), times, &[to, 0], SignalKind::ALL[kind], &told);
        network.node_mut(NodeId(me)).relays_mut().add(FLOW, said);
    }
    let mut up = [true; 5];
    let mut now = SimTime::ZERO;
    for &(gap, node) in power {
        now += Dur::from_ms(gap);
        advance(&mut network, now);
        up[node as usize] = !up[node as usize];
        network.power(NodeId(node), up[node as usize]);
        network.check_ledger().unwrap_or_else(|unbalanced| panic!("{unbalanced}"));
    }
    advance(&mut network, now + Dur::from_secs(4));
    let count = told.lock().expect("one thread").len();
    (watch.fingerprint(), count)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_signals_balance_and_repeat_themselves(story in story()) {
        let once = tell(&story);
        prop_assert_eq!(tell(&story), once);
    }
}

/// The same on every machine and in every build.
#[test]
fn a_story_has_one_fingerprint() {
    let said = vec![(2, 200, 3, 0, 1), (1, 900, 5, 4, 3), (3, 1500, 2, 5, 0)];
    let (fingerprint, heard) = tell(&(said, vec![(600, 1), (300, 1), (700, 2), (400, 2)], false));
    assert!(heard > 0);
    insta::assert_snapshot!("signals", format!("{fingerprint:016x} {heard} heard"));
}
