//! A wall of the architecture: TCP can be steered. A toy shim at the source pauses its TCP whenever something happens
//! that it was told to wait for, probes by a timer of its own with headers alone, and restores what it had kept when
//! the receiver answers.

use std::sync::{Arc, Mutex};

use multihop_proto::contract::{Control, Cx, End, NodeState, Phase, TcpView};
use multihop_proto::shim::{Action, AnyShim, Input, Shim, Verdict};
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_sim::network::Network;

use crate::toy::net::{Watch, advance, bulk, scenario};
use crate::toy::steer::{Announcer, CHAIN, FLOW, counters, view};

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

impl Shim for Pauser {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &NodeState,
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
                story.broken += u32::from(segment.len > 0 && tcp.frozen);
                story.probes += u32::from(segment.len == 0);
            }
            _ => {}
        }
        Verdict::Pass
    }
}

/// A chain with a pauser at its source and announcers in its relays.
fn network(watch: &Watch, story: &Arc<Mutex<Story>>, cause: Cause, hold: Dur, sets: &[&str]) -> Network {
    let mut network = Network::new(&scenario(&CHAIN, &bulk(0, 4), sets), 1);
    network.set_tap(Box::new(watch.clone()));
    let every = Dur::from_ms(250);
    let shim = Pauser { cause, hold, every, most: 3, kept: None, story: Arc::clone(story) };
    network.node_mut(NodeId(0)).hosts_mut().all_mut()[0].kind.set_shim(AnyShim::Custom(Box::new(shim)));
    for relay in 1..4 {
        network.node_mut(NodeId(relay)).relays_mut().add(FLOW, Box::<Announcer>::default());
    }
    network
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
