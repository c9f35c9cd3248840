//! ADTCP at both ends: what the receiver makes of how segments come, and the sender of a timeout.

use super::rig::{Answer, MSS, Rig, ack, s};
use crate::contract::Control::{Freeze, Probe, RestartTimer, Retransmit, SetCwnd, Thaw};
use crate::shim::{Input, ShimConfig, ShimKind};
use crate::testing::timeline;
use crate::units::{Dur, SimTime};
use crate::wire::{PathOption, PathState, Segment, flags};
use Answer::{Do, Replaced, Wake};
use PathState::{ChannelError, Congestion, Disconnected, Normal, RouteChange};

const NEVER: SimTime = SimTime::MAX;
const FIRST: Answer = Do(Retransmit { seq: 5 * MSS });

fn adtcp() -> ShimConfig {
    ShimConfig { kind: ShimKind::Adtcp, ..ShimConfig::default() }
}

fn says(segment: u64, state: PathState) -> Segment {
    Segment { path: PathOption::State(state), ..ack(segment) }
}

const fn arriving(segment: &Segment) -> Input<'_> {
    Input::Arriving { segment, created: SimTime::ZERO }
}

const fn cwnd(segments: f64) -> Answer {
    Do(SetCwnd { segments })
}

#[test]
fn what_leaves_the_sender_says_when_and_what_leaves_the_receiver_says_how() {
    let segment = ack(3);
    let mut sender = Rig::sender(&adtcp());
    let sent = Segment { path: PathOption::Sent, ..segment };
    assert_eq!(sender.feed(s(1), Input::Leaving(&segment)), [Replaced(sent)]);
    let mut receiver = Rig::receiver(&adtcp());
    assert_eq!(receiver.feed(s(1), Input::Leaving(&segment)), [Replaced(says(3, Normal))]);
}

//  1 s     2 s: RTO of 1 s       3.5 s             4 s, 5 s     5.5 s
//  | ACK   | as long as the RTO  | longer: freeze, | probes     | any ACK: the first
//  |       | a timeout as ever   | probe           |            | segment, thaw
#[test]
fn a_timeout_without_any_ack_for_longer_freezes_and_probes_until_one_comes() {
    let mut sender = Rig::sender(&adtcp());
    let (known, old) = (says(5 * MSS, ChannelError), ack(5 * MSS));
    let freeze = [Answer::Swallowed, Do(Freeze), Do(Probe), Wake(SimTime::from_ms(4500))];
    timeline! { sender;
        at 1 s:      arriving(&known) => [];
        at 2 s:      Input::Timeout => [Answer::Swallowed, FIRST, Do(RestartTimer)];
    }
    assert_eq!(sender.feed(SimTime::from_ms(3500), Input::Timeout), freeze);
    timeline! { sender;
        at 4 s:      Input::Timer => [Wake(SimTime::from_ms(4500))]; // early
        at 4500 ms:  Input::Timer => [Do(Probe), Wake(SimTime::from_ms(5500))];
        at 5 s:      arriving(&old) => [Wake(NEVER), FIRST, Do(Thaw)];
        at 5500 ms:  Input::Timer => [];
        at 5500 ms:  arriving(&old) => []; // thawed once
    }
    assert_eq!((sender.count("shim.freezes"), sender.count("shim.probes")), (1, 2));
    assert_eq!((sender.count("shim.frozen-ms"), sender.count("shim.timeouts-hidden")), (1500, 2));
    assert_eq!(sender.count("shim.retransmissions"), 2);
}

#[test]
fn an_ack_of_everything_thaws_without_a_retransmission() {
    let mut sender = Rig::sender(&adtcp());
    let all = ack(15 * MSS);
    timeline! { sender;
        at 9 s:  Input::Timeout => [Answer::Swallowed, Do(Freeze), Do(Probe), Wake(s(10))];
        at 10 s: arriving(&all) => [Wake(NEVER), Do(Thaw)];
    }
}

#[test]
fn other_states_are_a_timeout_as_ever() {
    for state in [Normal, Congestion, Disconnected] {
        let mut sender = Rig::sender(&adtcp());
        let known = says(5 * MSS, state);
        timeline! { sender;
            at 1 s: arriving(&known) => [];
            at 2 s: Input::Timeout => [];
        }
    }
    let mut opening = Rig::sender(&adtcp());
    opening.phase = crate::contract::Phase::Opening;
    assert_eq!(opening.feed(s(9), Input::Timeout), [], "there is no connection yet");
}

#[test]
fn on_another_route_the_window_is_what_a_round_trip_got_through() {
    let mut sender = Rig::sender(&adtcp());
    let (first, second) = (says(5 * MSS, Normal), says(9 * MSS, RouteChange));
    timeline! { sender;
        at 1000 ms: arriving(&first) => [];
        at 1200 ms: arriving(&second) => []; // a round trip of 200 ms, four segments
        at 2200 ms: Input::Timeout => [Answer::Swallowed, cwnd(4.0), FIRST, Do(RestartTimer)];
    }
    sender.cwnd = 3.0;
    timeline! { sender;
        at 2200 ms: Input::Timeout => [Answer::Swallowed, cwnd(3.0), FIRST, Do(RestartTimer)]; // never more
    }
}

/// A receiver, and segments that come to it.
struct Listener {
    rig: Rig,
    /// Segments of 1000 bytes that have come in order.
    sent: SimTime,
}

impl Listener {
    fn new() -> Self {
        let mut rig = Rig::receiver(&adtcp());
        rig.una = 0;
        Self { rig, sent: SimTime::ZERO }
    }

    /// A segment sent and arriving then; what the next ACK says.
    fn hear(&mut self, sent: SimTime, at: SimTime, seq: u64) -> PathState {
        let segment =
            Segment { seq: seq * MSS, len: MSS as u32, path: PathOption::Sent, ..Segment::default() };
        let none = self.rig.feed(at, Input::Arriving { segment: &segment, created: sent });
        assert_eq!(none, []);
        self.rig.una = self.rig.una.max(if seq * MSS == self.rig.una { (seq + 1) * MSS } else { 0 });
        let leaving = Segment { flags: flags::ACK, ..Segment::default() };
        match self.rig.feed(at, Input::Leaving(&leaving))[..] {
            [Replaced(Segment { path: PathOption::State(state), .. })] => state,
            ref other => panic!("{other:?}"),
        }
    }

    /// So many segments in order, one in this time, each 20 ms on the way.
    fn steady(&mut self, count: u64, gap: Dur) -> Vec<PathState> {
        (0..count)
            .map(|_| {
                self.sent += gap;
                self.hear(self.sent, self.sent + Dur::from_ms(20), self.rig.una / MSS)
            })
            .collect()
    }
}

#[test]
fn a_steady_stream_is_normal() {
    assert_eq!(Listener::new().steady(60, Dur::from_ms(20)), [Normal; 60]);
}

#[test]
fn segments_that_come_late_and_seldom_are_congestion() {
    let mut listener = Listener::new();
    listener.steady(60, Dur::from_ms(20));
    // Sent as ever, the gaps grow by 60 ms; fewer and fewer come in half a second.
    let mut at = listener.sent + Dur::from_ms(20);
    let mut states = Vec::new();
    for step in 1..=10 {
        at += Dur::from_ms(20 + 60 * step);
        listener.sent += Dur::from_ms(20);
        states.push(listener.hear(listener.sent, at, listener.rig.una / MSS));
    }
    assert_eq!(states[..6], [Congestion; 6]);
    assert_eq!(
        listener.rig.count("adtcp.congestion"),
        states.iter().filter(|&&it| it == Congestion).count() as u64
    );
}

#[test]
fn late_but_as_many_as_ever_or_few_but_not_late_is_normal() {
    let mut listener = Listener::new();
    listener.steady(60, Dur::from_ms(20));
    let (sent, seq) = (listener.sent, listener.rig.una / MSS);
    listener.hear(sent + Dur::from_ms(10), sent + Dur::from_ms(30), seq);
    assert_eq!(listener.hear(sent + Dur::from_ms(20), sent + Dur::from_ms(45), seq + 1), Normal);
    let mut listener = Listener::new();
    listener.steady(60, Dur::from_ms(20));
    assert_eq!(listener.steady(9, Dur::from_ms(60)), [Normal; 9]);
}

#[test]
fn segments_that_are_overtaken_are_a_route_change() {
    let mut listener = Listener::new();
    listener.steady(60, Dur::from_ms(20));
    let (sent, seq) = (listener.sent, listener.rig.una / MSS);
    // The second of two comes first: the first is overtaken.
    listener.hear(sent + Dur::from_ms(40), sent + Dur::from_ms(45), seq + 1);
    assert_eq!(listener.hear(sent + Dur::from_ms(20), sent + Dur::from_ms(50), seq), RouteChange);
    assert_eq!(listener.rig.count("adtcp.route-change"), 1);
}

/// The gaps between those that are overtaken say nothing of delay, however late and few they come.
#[test]
fn all_that_were_sent_before_the_latest_are_overtaken() {
    let mut listener = Listener::new();
    listener.steady(60, Dur::from_ms(20));
    let (sent, seq) = (listener.sent, listener.rig.una / MSS);
    listener.hear(sent + Dur::from_ms(60), sent + Dur::from_ms(80), seq + 2);
    assert_eq!(listener.hear(sent + Dur::from_ms(20), sent + Dur::from_ms(180), seq), RouteChange);
    assert_eq!(listener.hear(sent + Dur::from_ms(40), sent + Dur::from_ms(280), seq + 1), RouteChange);
}

#[test]
fn missing_segments_are_channel_errors() {
    let mut listener = Listener::new();
    listener.steady(60, Dur::from_ms(20));
    let (sent, seq) = (listener.sent + Dur::from_ms(40), listener.rig.una / MSS + 1);
    assert_eq!(listener.hear(sent, sent + Dur::from_ms(20), seq), ChannelError);
    assert_eq!(listener.rig.count("adtcp.channel-error"), 1);
}

#[test]
fn the_first_segment_after_half_a_second_of_silence_says_that_the_path_was_cut() {
    let mut listener = Listener::new();
    assert_eq!(listener.steady(5, Dur::from_ms(400)), [Normal; 5]);
    assert_eq!(listener.steady(2, Dur::from_ms(501)), [Disconnected; 2]);
    assert_eq!(listener.steady(1, Dur::from_ms(20)), [Normal]);
    assert_eq!(listener.rig.count("adtcp.disconnected"), 2);
}

/// Congestion is looked for before a route change, a route change before channel errors.
#[test]
fn one_that_is_overtaken_while_others_are_missing_is_a_route_change() {
    let mut listener = Listener::new();
    listener.steady(60, Dur::from_ms(20));
    let (sent, seq) = (listener.sent, listener.rig.una / MSS);
    let ahead = listener.hear(sent + Dur::from_ms(80), sent + Dur::from_ms(85), seq + 3);
    assert_eq!(ahead, ChannelError, "three are missing");
    assert_eq!(listener.hear(sent + Dur::from_ms(40), sent + Dur::from_ms(90), seq + 1), RouteChange);
}

#[test]
fn what_carries_no_time_is_not_measured() {
    let mut rig = Rig::receiver(&adtcp());
    for second in 0..5 {
        let plain = Segment { seq: 5 * MSS, len: MSS as u32, ..Segment::default() };
        assert_eq!(rig.feed(s(second), arriving(&plain)), []);
    }
    assert_eq!(rig.count("adtcp.disconnected"), 0);
}

/// An ACK has no place among the segments of the flow: it neither comes late nor leaves one missing.
#[test]
fn what_carries_no_data_is_not_measured() {
    let mut rig = Rig::receiver(&adtcp());
    for second in 0..5 {
        let empty = Segment { path: PathOption::Sent, ..ack(0) };
        assert_eq!(rig.feed(s(second), Input::Arriving { segment: &empty, created: s(second) }), []);
    }
    assert_eq!(rig.count("adtcp.disconnected"), 0);
}

/// Two that were sent in the same microsecond are in order.
#[test]
fn only_one_sent_earlier_is_overtaken() {
    let mut listener = Listener::new();
    listener.steady(60, Dur::from_ms(20));
    let (sent, seq) = (listener.sent + Dur::from_ms(20), listener.rig.una / MSS);
    assert_eq!(listener.hear(sent, sent + Dur::from_ms(20), seq), Normal);
    assert_eq!(listener.hear(sent, sent + Dur::from_ms(20), seq + 1), Normal);
    assert_eq!(listener.rig.count("adtcp.route-change"), 0);
}
