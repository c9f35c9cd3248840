//! TCP-BuS's nodes on the path.

use super::rig::{AFTER, BEFORE, FLOW, RELAY, Rig, SINK, SOURCE, about, lost, s, says};
use crate::contract::{Cx, Notice};
use crate::signals::config::TcpBusRelayConfig;
use crate::signals::{Action, Input, Loss, SignalsConfig, Verdict};
use crate::testing::timeline;
use crate::units::SimTime;
use crate::wire::{DropReason, PacketId, PacketKind, Payload, Segment, SignalKind, Towards, flags};

const ERDN: SignalKind = SignalKind::Disconnected;
const ERSN: SignalKind = SignalKind::Reconnected { hops: 0 };
const FOUND: Input = Input::Notice(Notice::RouteFound { destination: SINK, hops: 3 });
const NONE: (Verdict, Vec<Action>) = (Verdict::Pass, Vec::new());
const KEPT: (Verdict, Vec<Action>) = (Verdict::Keep, Vec::new());

fn relay(buffer: u32) -> Rig {
    let pivot = TcpBusRelayConfig { buffer, ..TcpBusRelayConfig::default() };
    Rig::new(&SignalsConfig { erdn: true, pivot, ..SignalsConfig::default() })
}

fn broken(sequence: u64) -> Input {
    lost(DropReason::RetryLimitRts, sequence)
}

/// Asks the receiver what it expects, for want of this byte.
fn query(first: u64) -> Action {
    let segment = Segment { seq: first.wrapping_sub(1), flags: flags::ACK, ..Segment::default() };
    Action::Send { flow: FLOW, from: SOURCE, to: SINK, segment }
}

/// An ACK is about to be forwarded.
fn ack(rig: &mut Rig, now: SimTime, number: u64) -> (Verdict, Vec<Action>) {
    let segment = Segment { ack: number, flags: flags::ACK, ..Segment::default() };
    let id = rig.packet(FLOW, SOURCE, Towards::Source, Payload::Tcp(segment));
    pass(rig, now, id)
}

fn pass(rig: &mut Rig, now: SimTime, packet: PacketId) -> (Verdict, Vec<Action>) {
    let mut out = Vec::new();
    let input = Input::Passing { packet, from: AFTER, next: None };
    let verdict = rig.notifier.handle(&mut Cx { now, packets: &mut rig.packets }, input, &mut out);
    (verdict, out)
}

fn waiting(rig: &Rig) -> Vec<PacketId> {
    rig.notifier.packets().collect()
}

//  1 s: ERDN, query     3 s: query     4 s: a route, query     5 s: the answer: ERSN
#[test]
fn a_failure_makes_a_pivot_that_asks_until_the_receiver_answers() {
    let mut relay = relay(50);
    timeline! { relay;
        at 1 s: broken(1000) => [says(ERDN, 1000), query(1000), Action::Arm(s(3))];
        at 1 s: broken(2000) => [];
        at 2 s: Input::Timer => [];
        at 3 s: Input::Timer => [query(1000), Action::Arm(s(5))];
        at 4 s: FOUND => [query(1000), Action::Arm(s(6))];
        at 5 s: Input::Timer => []; // it has just asked
    }
    let hops = SignalKind::Reconnected { hops: 3 };
    assert_eq!(ack(&mut relay, s(5), 1000), (Verdict::Pass, vec![says(hops, 1000)]));
    assert_eq!(ack(&mut relay, s(5), 1000), NONE, "valid again");
    assert_eq!(relay.feed(s(6), Input::Timer), []);
    assert_eq!(relay.feed(s(7), FOUND), []);
}

/// That an ACK is lost says nothing of the way of the data.
#[test]
fn a_lost_ack_makes_no_pivot() {
    let mut relay = relay(50);
    let Input::Lost(loss) = broken(1000) else { unreachable!() };
    assert_eq!(relay.feed(s(1), Input::Lost(Loss { kind: PacketKind::TcpAck, ..loss })), []);
    assert_eq!(relay.segment(s(2), FLOW, 2000), NONE);
}

#[test]
fn a_pivot_keeps_what_passes_and_lets_it_go_but_for_what_the_receiver_has() {
    let mut relay = relay(50);
    assert_eq!(relay.segment(s(0), FLOW, 0), NONE);
    relay.feed(s(1), broken(3000));
    for seq in [5000, 3000, 4000] {
        assert_eq!(relay.segment(s(2), FLOW, seq), KEPT);
    }
    let kept = waiting(&relay);
    assert_eq!(kept.len(), 3);
    let (verdict, out) = ack(&mut relay, s(2), 4000);
    let order: Vec<Action> = kept[1..].iter().map(|&id| Action::Forward(id)).collect();
    assert_eq!((verdict, &out[..1], &out[1..]), (Verdict::Pass, &[says(ERSN, 4000)][..], &order[..]));
    assert_eq!(waiting(&relay), [], "the first was superfluous");
    assert!(!relay.packets.in_custody(kept[0]) && relay.packets.in_custody(kept[1]));
    assert_eq!(relay.segment(s(3), FLOW, 6000), NONE);
}

#[test]
fn a_source_that_goes_on_is_told_again() {
    let mut relay = relay(50);
    relay.feed(s(1), broken(1000));
    assert_eq!(relay.segment(s(2), FLOW, 2000), KEPT, "was on its way");
    assert_eq!(relay.segment(s(3), FLOW, 3000), (Verdict::Keep, vec![says(ERDN, 1000)]));
    assert_eq!(relay.segment(s(4), FLOW, 4000), KEPT);
}

/// A query of another node on the path is no sign that the source goes on.
#[test]
fn a_query_that_passes_does_not_make_it_tell_again() {
    let mut relay = relay(50);
    relay.feed(s(1), broken(1000));
    let header = Segment { seq: 1999, flags: flags::ACK, ..Segment::default() };
    let id = relay.packet(FLOW, SINK, Towards::Destination, Payload::Tcp(header));
    assert_eq!(pass(&mut relay, s(9), id), NONE);
}

//  1 s: broken     2 s: kept     4 s: a route     6 s: none     7 s: a route     17 s: nothing has passed: on
#[test]
fn a_route_over_which_no_answer_passes_leads_elsewhere() {
    let mut relay = relay(50);
    relay.feed(s(1), broken(1000));
    assert_eq!(relay.segment(s(2), FLOW, 2000), KEPT);
    let kept = waiting(&relay)[0];
    relay.feed(s(4), FOUND);
    relay.feed(s(6), Input::Notice(Notice::RouteLost { destination: SINK }));
    relay.feed(s(7), FOUND);
    relay.feed(s(9), FOUND); // the same one
    assert_eq!(relay.feed(s(14), Input::Timer), [query(1000), Action::Arm(s(16))], "lost in between");
    assert_eq!(relay.feed(s(17), Input::Timer), [Action::Forward(kept)]);
    assert_eq!(relay.feed(s(19), Input::Timer), [], "valid again");
    assert_eq!(relay.segment(s(20), FLOW, 3000), NONE);
}

#[test]
fn a_full_node_loses_and_probes_pass() {
    let mut relay = relay(1);
    relay.feed(s(1), broken(1000));
    assert_eq!(relay.segment(s(2), FLOW, 2000), KEPT);
    assert_eq!(relay.segment(s(2), FLOW, 3000), (Verdict::Block, vec![]));
    let header = Segment { seq: 999, flags: flags::ACK, ..Segment::default() };
    let id = relay.packet(FLOW, SINK, Towards::Destination, Payload::Tcp(header));
    assert_eq!(pass(&mut relay, s(2), id), NONE);
}

#[test]
fn nodes_before_the_break_keep_segments_too() {
    let mut relay = relay(50);
    assert_eq!(relay.signal(s(1), ERDN, BEFORE), (Verdict::Pass, vec![Action::Arm(s(11))]));
    assert_eq!(relay.segment(s(2), FLOW, 2000), KEPT);
    assert_eq!(ack(&mut relay, s(2), 2000), NONE, "the pivot says when");
    let kept = waiting(&relay)[0];
    assert_eq!(relay.signal(s(3), ERSN, BEFORE), (Verdict::Pass, vec![Action::Forward(kept)]));
    assert_eq!(relay.segment(s(4), FLOW, 3000), NONE);
    // Without word they try after the lifetime.
    relay.signal(s(5), ERDN, BEFORE);
    relay.segment(s(6), FLOW, 4000);
    assert_eq!(relay.feed(s(14), Input::Timer), []);
    assert!(matches!(relay.feed(s(15), Input::Timer)[..], [Action::Forward(_)]));
}

#[test]
fn a_node_before_the_break_may_become_a_pivot_and_one_further_on_may_end_it() {
    let mut relay = relay(50);
    relay.signal(s(1), ERDN, BEFORE);
    relay.segment(s(2), FLOW, 2000);
    assert_eq!(relay.feed(s(3), broken(1000))[..2], [says(ERDN, 1000), query(1000)]);
    let kept = waiting(&relay)[0];
    assert_eq!(relay.signal(s(4), ERDN, BEFORE), NONE, "it looks for a way itself");
    assert_eq!(relay.signal(s(5), ERSN, BEFORE), (Verdict::Pass, vec![Action::Forward(kept)]));
}

#[test]
fn it_takes_what_would_be_lost_with_its_link_or_route_and_nothing_else() {
    let mut relay = relay(2);
    let data = Segment { seq: 1000, len: 1000, ..Segment::default() };
    let mut takes = |segment, towards, reason| {
        let id = relay.packet(FLOW, SINK, towards, Payload::Tcp(segment));
        relay.notifier.takes(&Cx { now: s(1), packets: &mut relay.packets }, id, reason)
    };
    let ahead = Towards::Destination;
    assert!(!takes(data, ahead, DropReason::QueueFull));
    assert!(!takes(Segment { len: 0, ..data }, ahead, DropReason::RetryLimitRts));
    assert!(!takes(Segment { len: 0, ..data }, Towards::Source, DropReason::RetryLimitRts));
    assert!(takes(data, ahead, DropReason::RetryLimitData));
    assert!(takes(data, ahead, DropReason::LinkBroken));
    assert!(!takes(data, ahead, DropReason::NoRoute), "there is no room");
    let taken = Loss { flow: FLOW, kind: PacketKind::TcpData, sequence: 1000, reason: DropReason::NoRoute };
    assert_eq!(relay.feed(s(1), Input::Taken(taken))[..1], [says(ERDN, 1000)]);
    assert_eq!(waiting(&relay).len(), 2);
    assert_eq!(relay.notifier.flush().len(), 2, "the node goes down");
    assert_eq!(relay.segment(s(2), FLOW, 5000), NONE);
}

/// Its segments wait in its TCP.
#[test]
fn a_source_tells_itself_and_keeps_nothing() {
    let mut source = Rig::at(&SignalsConfig { erdn: true, ..SignalsConfig::default() }, SOURCE);
    assert_ne!(SOURCE, RELAY);
    assert_eq!(source.feed(s(1), broken(1000)), [says(ERDN, 1000)]);
    assert_eq!(source.feed(s(2), broken(1000)), [says(ERDN, 1000)]);
    let data = Segment { seq: 1000, len: 1000, ..Segment::default() };
    let id = source.packet(FLOW, SINK, Towards::Destination, Payload::Tcp(data));
    let cx = Cx { now: s(1), packets: &mut source.packets };
    assert!(!source.notifier.takes(&cx, id, DropReason::RetryLimitData));
    assert_eq!(about(ERDN, 1000).source, SOURCE);
}

#[test]
fn a_random_loss_is_told_where_a_route_is_alive() {
    let mut rig = Rig::new(&SignalsConfig { loss: true, ..SignalsConfig::default() });
    let air = broken(3000);
    assert_eq!(rig.notifier.asks_for(air), Some(SINK));
    assert_eq!(rig.notifier.asks_for(lost(DropReason::NoRoute, 3000)), None);
    assert_eq!(rig.feed(s(1), air), [], "there may be no route");
    let Input::Lost(loss) = air else { unreachable!() };
    assert_eq!(rig.feed(s(1), Input::LostOnTheAir(loss)), [says(SignalKind::SegmentLost, 3000)]);
    let ack = Loss { kind: PacketKind::TcpAck, ..loss };
    assert_eq!(rig.feed(s(1), Input::LostOnTheAir(ack)), []);
    let silent = Rig::new(&SignalsConfig { elfn: true, ..SignalsConfig::default() });
    assert_eq!(silent.notifier.asks_for(air), None);
}
