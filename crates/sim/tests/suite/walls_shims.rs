//! A wall of the architecture: shims stand at either end, see what goes out as well as what comes in, and may do as
//! they like. One at the receiver closes the window before an outage and opens it after; one edits; two give orders at
//! random.

use std::sync::{Arc, Mutex};

use multihop_proto::contract::{Control, Cx, End, NodeState};
use multihop_proto::proxy::{self, Agent};
use multihop_proto::shim::{Action, AnyShim, Input, Shim, Verdict};
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::{PacketKind, Payload, Towards, flags};
use multihop_sim::network::Network;
use proptest::prelude::*;

use crate::toy::net::{Watch, advance, bulk, power_on_and_off, scenario};
use crate::toy::steer::{Announcer, CHAIN, FLOW, counters, view};

/// Freeze-TCP in a nutshell: an outage is announced, so the receiver closes its window, and opens it in three ACKs.
#[derive(Debug)]
struct Closer {
    at: SimTime,
    length: Dur,
    said: Arc<Mutex<u32>>,
}

impl Shim for Closer {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let End::Receiver(receiver) = end else { return Verdict::Pass };
        match input {
            Input::Arriving { segment, .. } if segment.flags & flags::SYN != 0 => {
                out.push(Action::Arm(self.at))
            }
            Input::Timer if cx.now < self.at + self.length => {
                assert!(receiver.expected > 0);
                out.extend([
                    Action::Control(Control::SetWindow { bytes: Some(0) }),
                    Action::Control(Control::Acknowledge),
                    Action::Control(Control::Acknowledge),
                    Action::Arm(self.at + self.length),
                ]);
            }
            Input::Timer => {
                out.push(Action::Control(Control::SetWindow { bytes: None }));
                out.extend([Action::Control(Control::Acknowledge); 3]);
            }
            Input::Leaving(segment) => {
                *self.said.lock().expect("one thread") += u32::from(segment.window == 0);
            }
            _ => {}
        }
        Verdict::Pass
    }
}

#[test]
fn a_shim_at_the_receiver_closes_the_window_and_opens_it() {
    let said = Arc::default();
    let mut network = Network::new(&scenario(&CHAIN, &bulk(0, 4), &[]), 1);
    let shim = Closer { at: SimTime::from_secs(4), length: Dur::from_secs(6), said: Arc::clone(&said) };
    network.node_mut(NodeId(4)).hosts_mut().all_mut()[0].kind.set_shim(AnyShim::Custom(Box::new(shim)));
    advance(&mut network, SimTime::from_ms(3_900));
    let before = counters(&network).timeouts;
    advance(&mut network, SimTime::from_secs(5));
    network.power(NodeId(2), false);
    advance(&mut network, SimTime::from_secs(9));
    let (una, cwnd) = (view(&network).una, view(&network).cwnd);
    assert_eq!(view(&network).peer_window, 0);
    network.power(NodeId(2), true);
    advance(&mut network, SimTime::from_secs(20));
    assert!(*said.lock().expect("one thread") >= 2);
    assert_eq!(counters(&network).timeouts, before, "an outage that TCP took for no congestion");
    assert!(view(&network).una > una + 100_000 && view(&network).cwnd >= cwnd);
}

/// Does at random what a shim may do.
#[derive(Debug)]
struct Whim {
    acts: Vec<(u8, u64)>,
    next: usize,
}

impl Shim for Whim {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        self.next = (self.next + 1) % self.acts.len();
        let (act, number) = self.acts[self.next];
        let later = cx.now + Dur::from_ms(number % 700 + 1);
        if matches!(input, Input::Leaving(_)) {
            // An order that sends, given for each segment sent, would never end.
            let Input::Leaving(segment) = input else { return Verdict::Pass };
            return match act {
                0 => Verdict::Swallow,
                1 => Verdict::Replace(multihop_proto::wire::Segment { window: number as u32, ..*segment }),
                _ => Verdict::Pass,
            };
        }
        let seq = end.sender().map_or(0, |tcp| tcp.holes().next().map_or(tcp.una, |(start, _)| start));
        let control = match act {
            0 | 1 => Some(Control::Freeze),
            2..=5 => Some(Control::Thaw),
            6 => Some(Control::SetCwnd { segments: number as f64 / 10.0 }),
            7 => Some(Control::SetSsthresh { segments: number as f64 / 10.0 }),
            8 => Some(Control::SetRto { rto: Dur::from_ms(number) }),
            9 => Some(Control::Retransmit { seq }),
            10 => Some(Control::RetransmitAll),
            11 => Some(Control::Probe),
            12 => Some(Control::RestartTimer),
            13 => Some(Control::Acknowledge),
            14 => Some(Control::SetWindow { bytes: (number % 3 > 0).then_some(number as u32) }),
            _ => None,
        };
        out.extend(control.map(Action::Control));
        out.push(Action::Arm(later));
        match (input, act) {
            (Input::Arriving { segment, created }, 15) => {
                out.push(Action::Deliver { segment: *segment, created });
                Verdict::Swallow
            }
            (Input::Arriving { segment, .. }, 16) => {
                out.push(Action::Send(*segment));
                Verdict::Pass
            }
            (Input::Timeout | Input::Arriving { .. }, 17) => Verdict::Swallow,
            _ => Verdict::Pass,
        }
    }
}

/// What both shims do, which nodes go down or come back after how long, and how noisy the air is.
type Tale = (Vec<(u8, u64)>, Vec<(u8, u64)>, Vec<(u64, u32)>, bool, bool);

fn tell((source, sink, power, noise, sack): &Tale) -> (u64, u64, usize) {
    let watch = Watch::default();
    let mut sets = vec![if *sack { "tcp.loss=sack" } else { "tcp.loss=dup-acks" }];
    sets.extend(noise.then_some("air.bit-error-rate=2e-5"));
    let mut network = Network::new(&scenario(&CHAIN, &bulk(0, 4), &sets), 1);
    network.set_tap(Box::new(watch.clone()));
    for (node, acts) in [(0, source), (4, sink)] {
        let whim = Whim { acts: acts.clone(), next: 0 };
        network.node_mut(NodeId(node)).hosts_mut().all_mut()[0]
            .kind
            .set_shim(AnyShim::Custom(Box::new(whim)));
    }
    for relay in 1..4 {
        network.node_mut(NodeId(relay)).relays_mut().add(FLOW, Box::<Announcer>::default());
    }
    power_on_and_off(&mut network, power, Dur::from_secs(4));
    (watch.fingerprint(), view(&network).una, watch.dropped(PacketKind::TcpData))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_orders_balance_and_repeat_themselves(
        source in prop::collection::vec((0u8..24, 0u64..40_000), 1..12),
        sink in prop::collection::vec((0u8..40, 0u64..40_000), 1..12),
        power in prop::collection::vec((1u64..600, 0u32..5), 0..8),
        noise in any::<bool>(),
        sack in any::<bool>(),
    ) {
        let tale = (source, sink, power, noise, sack);
        let once = tell(&tale);
        prop_assert_eq!(tell(&tale), once);
    }
}

/// A shim that edits marks what it lets through, and the relay sees the mark.
#[derive(Debug)]
struct Marking;

impl Shim for Marking {
    fn handle(
        &mut self,
        _: &mut Cx<'_>,
        _: &NodeState,
        input: Input<'_>,
        _: &End<'_>,
        _: &mut Vec<Action>,
    ) -> Verdict {
        match input {
            Input::Leaving(segment) => {
                Verdict::Replace(multihop_proto::wire::Segment { flags: segment.flags | 0x80, ..*segment })
            }
            _ => Verdict::Pass,
        }
    }
}

#[derive(Debug)]
struct Marked(Arc<Mutex<(u32, u32)>>);

impl Agent for Marked {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &NodeState,
        input: proxy::Input,
        _: &mut Vec<proxy::Action>,
    ) -> proxy::Verdict {
        if let proxy::Input::Passing(id) = input
            && let Payload::Tcp(segment) = cx.packets[id].payload
        {
            let mut seen = self.0.lock().expect("one thread");
            match cx.packets[id].towards {
                Towards::Destination => seen.0 += u32::from(segment.flags & 0x80 != 0),
                Towards::Source => seen.1 += u32::from(segment.flags & 0x80 != 0),
            }
        }
        proxy::Verdict::Pass
    }
}

#[test]
fn shims_edit_what_leaves_at_either_end() {
    let seen: Arc<Mutex<(u32, u32)>> = Arc::default();
    let mut network = Network::new(&scenario(&CHAIN, &bulk(0, 4), &[]), 1);
    network.node_mut(NodeId(2)).relays_mut().add(FLOW, Box::new(Marked(Arc::clone(&seen))));
    for node in [0, 4] {
        network.node_mut(NodeId(node)).hosts_mut().all_mut()[0]
            .kind
            .set_shim(AnyShim::Custom(Box::new(Marking)));
    }
    advance(&mut network, SimTime::from_secs(5));
    let (forth, back) = *seen.lock().expect("one thread");
    assert!(forth > 50 && back > 20, "{forth} {back}");
    assert!(view(&network).una > 50_000);
}

/// The same on every machine and in every build.
#[test]
fn a_tale_has_one_fingerprint() {
    let source = vec![(20, 30), (1, 300), (11, 90), (5, 400), (6, 80), (9, 7), (17, 20), (4, 900), (30, 200)];
    let sink = vec![(30, 40), (13, 500), (16, 30), (15, 80), (14, 3000), (14, 0), (3, 100)];
    let (fingerprint, una, dropped) =
        tell(&(source, sink, vec![(900, 2), (500, 2), (700, 1), (300, 1)], true, true));
    assert!(una > 0);
    insta::assert_snapshot!(
        "shims",
        format!("{fingerprint:016x} {una} bytes acknowledged, {dropped} segments dropped")
    );
}
