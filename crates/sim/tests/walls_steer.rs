//! A wall of the architecture: TCP can be steered. A toy shim at the source pauses its TCP whenever something happens
//! that it was told to wait for, probes by a timer of its own with headers alone, and restores what it had kept when the
//! receiver answers. Another at the receiver closes the window before an outage and opens it after.

mod toy;

use std::sync::{Arc, Mutex};

use multihop_proto::port::{Control, Cx, End, Facts, Notice, Phase, TcpView};
use multihop_proto::proxy::{self, CustomProxy};
use multihop_proto::shim::{Action, CustomShim, Input, Shim, Verdict};
use multihop_proto::tcp::Counters;
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{PacketKind, Payload, Signal, SignalKind, Towards, flags};
use multihop_sim::network::Network;
use proptest::prelude::*;

use toy::net::{Watch, advance, bulk, scenario};

const FLOW: FlowId = FlowId(0);
const CHAIN: [(u32, u32); 5] = [(0, 0), (200, 0), (400, 0), (600, 0), (800, 0)];

/// What makes the shim pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// A signal that a link on the way has failed.
    Signal,
    /// Fast recovery has begun.
    Recovery,
    /// The timeout has been doubled twice.
    BackOff,
}

/// What a sender had when it was paused, and again when it went on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    at: SimTime,
    phase: Phase,
    cwnd: f64,
    ssthresh: f64,
    rto: Dur,
    doublings: u32,
    una: u64,
}

impl State {
    fn of(now: SimTime, tcp: &TcpView<'_>) -> Self {
        let TcpView { phase, cwnd, ssthresh, rto, doublings, una, .. } = *tcp;
        Self { at: now, phase, cwnd, ssthresh, rto, doublings, una }
    }
}

/// What has happened at the shim.
#[derive(Clone, Debug, Default, PartialEq)]
struct Story {
    /// Before and after each pause.
    pauses: Vec<(State, State)>,
    /// Segments with payload that left while it was paused.
    broken: u32,
    probes: u32,
}

#[derive(Debug)]
struct Pauser {
    cause: Cause,
    /// No longer than this once it can go on; no sooner either.
    hold: Dur,
    every: Dur,
    most: usize,
    kept: Option<State>,
    story: Arc<Mutex<Story>>,
}

impl Pauser {
    fn pause(&mut self, now: SimTime, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        self.kept = Some(State::of(now, tcp));
        out.extend([
            Action::Control(Control::Freeze),
            Action::Control(Control::Probe),
            Action::Arm(now + self.every),
        ]);
    }

    fn go_on(&mut self, now: SimTime, kept: State, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        self.kept = None;
        self.story.lock().expect("one thread").pauses.push((kept, State::of(now, tcp)));
        out.extend([
            Action::Arm(SimTime::MAX),
            Action::Control(Control::SetCwnd { segments: kept.cwnd }),
            Action::Control(Control::SetSsthresh { segments: kept.ssthresh }),
            Action::Control(Control::SetRto { rto: kept.rto }),
            Action::Control(Control::Thaw),
        ]);
    }

    fn is_caused(&self, input: &Input<'_>, tcp: &TcpView<'_>) -> bool {
        match self.cause {
            Cause::Signal => matches!(input, Input::Signal { .. }),
            Cause::Recovery => tcp.phase == Phase::Recovery,
            Cause::BackOff => tcp.doublings >= 2,
        }
    }
}

impl CustomShim for Pauser {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &Facts,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let End::Sender(tcp) = end else { return Verdict::Pass };
        let Some(kept) = self.kept else {
            if self.story.lock().expect("one thread").pauses.len() < self.most && self.is_caused(&input, tcp)
            {
                self.pause(cx.now, tcp, out);
                // What TCP was about to send would be lost as well, and a timeout would be no news.
                let late = matches!(input, Input::Leaving(_) | Input::Timeout);
                return if late { Verdict::Swallow } else { Verdict::Pass };
            }
            return Verdict::Pass;
        };
        match input {
            Input::Timer => {
                out.extend([Action::Control(Control::Probe), Action::Arm(cx.now + self.every)]);
            }
            Input::Arriving { .. } if cx.now >= kept.at + self.hold => self.go_on(cx.now, kept, tcp, out),
            // What left in the same burst as the one that made it pause; nothing later.
            Input::Leaving(segment) if segment.len > 0 && cx.now == kept.at => return Verdict::Swallow,
            Input::Leaving(segment) => {
                let mut story = self.story.lock().expect("one thread");
                story.broken += u32::from(segment.len > 0 && tcp.halted());
                story.probes += u32::from(segment.len == 0);
            }
            _ => {}
        }
        Verdict::Pass
    }
}

/// Tells the source of a failed link, once for each time that its node hears of one.
#[derive(Debug, Default)]
struct Announcer {
    last: Option<Signal>,
}

impl CustomProxy for Announcer {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &Facts,
        input: proxy::Input,
        out: &mut Vec<proxy::Action>,
    ) -> proxy::Verdict {
        match input {
            proxy::Input::Passing(id) if cx.packets[id].towards == Towards::Destination => {
                self.last = Signal::about(&cx.packets[id], SignalKind::LinkFailure).or(self.last);
            }
            proxy::Input::Notice(Notice::LinkFailed { .. }) => {
                if let Some(signal) = self.last {
                    out.push(proxy::Action::Signal { to: signal.source, signal });
                }
            }
            _ => {}
        }
        proxy::Verdict::Pass
    }
}

/// A chain with a pauser at its source and announcers in its relays.
fn network(watch: &Watch, story: &Arc<Mutex<Story>>, cause: Cause, hold: Dur, sets: &[&str]) -> Network {
    let mut network = Network::new(&scenario(&CHAIN, &bulk(0, 4), sets), 1);
    network.set_tap(Box::new(watch.clone()));
    let every = Dur::from_ms(250);
    let shim = Pauser { cause, hold, every, most: 3, kept: None, story: Arc::clone(story) };
    network.node_mut(NodeId(0)).endpoints_mut()[0].kind.set_shim(Shim::Custom(Box::new(shim)));
    for relay in 1..4 {
        network.node_mut(NodeId(relay)).add_proxy(FLOW, Box::<Announcer>::default());
    }
    network
}

fn counters(network: &Network) -> Counters {
    let mut counters = Counters::default();
    network.nodes()[0].each_counter(SimTime::ZERO, &mut |name, count| match name {
        "tcp.timeouts" => counters.timeouts = count,
        "tcp.fast-retransmits" => counters.fast_retransmits = count,
        _ => {}
    });
    counters
}

fn view(network: &Network) -> TcpView<'_> {
    network.nodes()[0].endpoints()[0].kind.view().expect("a TCP sender")
}

fn told(story: &Arc<Mutex<Story>>) -> Story {
    story.lock().expect("one thread").clone()
}

/// What was kept is there again, but for what arrived meanwhile.
#[track_caller]
fn is_the_same(before: &State, after: &State) {
    assert_eq!((before.phase, before.cwnd, before.ssthresh), (after.phase, after.cwnd, after.ssthresh));
    assert!(after.at > before.at && after.una >= before.una);
}

//  0 s: a relay is down; the SYN is lost there     3 s: it is back; the next probe is a SYN again
#[test]
fn opening_is_paused_and_gone_on_with() {
    let (watch, story) = (Watch::default(), Arc::default());
    let mut network = network(&watch, &story, Cause::Signal, Dur::ZERO, &[]);
    network.power(NodeId(2), false);
    advance(&mut network, SimTime::from_secs(3));
    let tcp = view(&network);
    assert!(tcp.frozen && tcp.phase == Phase::Opening && tcp.timer == SimTime::MAX, "{tcp:?}");
    network.power(NodeId(2), true);
    advance(&mut network, SimTime::from_secs(20));
    let told = told(&story);
    let (before, after) = told.pauses[0];
    is_the_same(&before, &after);
    assert!(after.at < SimTime::from_ms(3_500), "by the first probe that comes through: {after:?}");
    assert!(told.broken == 0 && told.probes >= 9, "{told:?}");
    assert!(view(&network).una > 100_000, "{:?}", view(&network));
}

//  Bit errors bring it into fast recovery: it pauses there for two seconds, and is in recovery still.
#[test]
fn recovery_is_paused_and_gone_on_with() {
    let (watch, story) = (Watch::default(), Arc::default());
    let lossy = ["queue.limit=5", "tcp.max-window=20"];
    let mut network = network(&watch, &story, Cause::Recovery, Dur::from_secs(2), &lossy);
    advance(&mut network, SimTime::from_secs(60));
    let told = told(&story);
    assert!(!told.pauses.is_empty() && told.broken == 0, "{told:?}");
    for (before, after) in &told.pauses {
        is_the_same(before, after);
        assert_eq!(after.phase, Phase::Recovery);
        assert!(after.at >= before.at + Dur::from_secs(2));
    }
    assert!(counters(&network).fast_retransmits as usize >= told.pauses.len());
    assert!(view(&network).una > 500_000, "{:?}", view(&network));
}

//  A relay is down for 12 s: two timeouts, then the shim pauses; what it restores is the timeout backed off.
#[test]
fn back_off_is_paused_and_gone_on_with() {
    let (watch, story) = (Watch::default(), Arc::default());
    let mut network = network(&watch, &story, Cause::BackOff, Dur::ZERO, &[]);
    advance(&mut network, SimTime::from_secs(2));
    network.power(NodeId(2), false);
    advance(&mut network, SimTime::from_secs(14));
    let timeouts = counters(&network).timeouts;
    assert!(view(&network).frozen && timeouts == 2, "{timeouts}");
    network.power(NodeId(2), true);
    advance(&mut network, SimTime::from_secs(40));
    let told = told(&story);
    let (before, after) = told.pauses[0];
    is_the_same(&before, &after);
    assert_eq!((before.doublings, after.doublings, before.rto), (2, 2, after.rto));
    assert!(after.at < SimTime::from_secs(15) && told.broken == 0, "{told:?}");
    assert!(view(&network).una > after.una + 100_000);
}

/// Freeze-TCP in a nutshell: an outage is announced, so the receiver closes its window, and opens it in three ACKs.
#[derive(Debug)]
struct Closer {
    at: SimTime,
    length: Dur,
    said: Arc<Mutex<u32>>,
}

impl CustomShim for Closer {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &Facts,
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
    network.node_mut(NodeId(4)).endpoints_mut()[0].kind.set_shim(Shim::Custom(Box::new(shim)));
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

impl CustomShim for Whim {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &Facts,
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
            0 => Some(Control::Freeze),
            1 => Some(Control::Persist),
            2 | 3 => Some(Control::Thaw),
            4 | 5 => Some(Control::Resume),
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
        network.node_mut(NodeId(node)).endpoints_mut()[0].kind.set_shim(Shim::Custom(Box::new(whim)));
    }
    for relay in 1..4 {
        network.node_mut(NodeId(relay)).add_proxy(FLOW, Box::<Announcer>::default());
    }
    let (mut up, mut now) = ([true; 5], SimTime::ZERO);
    for &(gap, node) in power {
        now += Dur::from_ms(gap);
        advance(&mut network, now);
        up[node as usize] = !up[node as usize];
        network.power(NodeId(node), up[node as usize]);
        network.check_ledger().unwrap_or_else(|unbalanced| panic!("{unbalanced}"));
    }
    advance(&mut network, now + Dur::from_secs(4));
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

impl CustomShim for Marking {
    fn handle(
        &mut self,
        _: &mut Cx<'_>,
        _: &Facts,
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

impl CustomProxy for Marked {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &Facts,
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
    network.node_mut(NodeId(2)).add_proxy(FLOW, Box::new(Marked(Arc::clone(&seen))));
    for node in [0, 4] {
        network.node_mut(NodeId(node)).endpoints_mut()[0].kind.set_shim(Shim::Custom(Box::new(Marking)));
    }
    advance(&mut network, SimTime::from_secs(5));
    let (forth, back) = *seen.lock().expect("one thread");
    assert!(forth > 50 && back > 20, "{forth} {back}");
    assert!(view(&network).una > 50_000);
}
