//! TCP-F's nodes on the path.

use super::rig::{AFTER, ASIDE, FLOW, OTHER, Rig, SINK, SOURCE, lost, s, says};
use crate::contract::{Cx, Notice};
use crate::signals::config::TcpFRelayConfig;
use crate::signals::{Action, Input, SignalsConfig, Verdict};
use crate::testing::timeline;
use crate::units::{Dur, NodeId};
use crate::wire::{DropReason, PacketId, Payload, Segment, SignalKind, Towards, flags};

const RFN: SignalKind = SignalKind::RouteFailure { failed: SINK };
const RRN: SignalKind = SignalKind::RouteRestored;
const FOUND: Input = Input::Notice(Notice::RouteFound { destination: SINK, hops: 2 });
const LOST: Input = Input::Notice(Notice::RouteLost { destination: SINK });
const NONE: (Verdict, Vec<Action>) = (Verdict::Pass, Vec::new());

fn broken(sequence: u64) -> Input {
    lost(DropReason::RetryLimitRts, sequence)
}

fn relay(route_failure: TcpFRelayConfig) -> Rig {
    Rig::new(&SignalsConfig { rfn: true, route_failure, ..SignalsConfig::default() })
}

/// A failure at this second, about this segment: what is done at once, and when routing is asked again.
fn fails(at: u64, sequence: u64) -> [Action; 3] {
    [Action::Seek(SINK), says(RFN, sequence), Action::Arm(s(at + 2))]
}

/// A node at a break that does not ask again.
fn patient(route_failure: TcpFRelayConfig) -> Rig {
    relay(TcpFRelayConfig { query: Dur::from_secs(60), ..route_failure })
}

//  1 s         2 s        3 s: a route    4 s
//  | RFN       | silent   | RRN           | RFN again
#[test]
fn the_first_loss_is_a_failure_and_a_new_route_its_end() {
    let mut relay = relay(TcpFRelayConfig::default());
    assert_eq!(relay.feed(s(0), FOUND), []);
    assert_eq!(relay.feed(s(1), broken(1000)), fails(1, 1000));
    timeline! { relay;
        at 2 s: broken(2000) => [];
        at 3 s: FOUND => [says(RRN, 2000)];
        at 3 s: FOUND => [];
    }
    assert_eq!(relay.feed(s(4), broken(3000)), fails(4, 3000));
}

#[test]
fn routing_that_loses_the_route_fails_it_for_every_flow_that_was_seen() {
    let mut relay = relay(TcpFRelayConfig::default());
    assert_eq!(relay.feed(s(1), LOST), [], "nobody sends there");
    assert_eq!(relay.segment(s(2), FLOW, 1000), NONE);
    assert_eq!(relay.segment(s(2), OTHER, 7000), NONE);
    let elsewhere = Input::Notice(Notice::RouteLost { destination: NodeId(77) });
    assert_eq!(relay.feed(s(3), elsewhere), [], "nobody sends there");
    let told = relay.feed(s(3), LOST);
    let to: Vec<NodeId> = told
        .iter()
        .filter_map(|action| match action {
            Action::Signal { to, signal, .. } if signal.kind == RFN => Some(*to),
            _ => None,
        })
        .collect();
    assert_eq!(to, [SOURCE, NodeId(5)]);
    assert_eq!(relay.feed(s(4), LOST), [], "they know");
}

#[test]
fn a_failed_route_is_blocked_until_there_is_one_again() {
    let mut relay = relay(TcpFRelayConfig::default());
    relay.feed(s(1), broken(1000));
    assert_eq!(relay.segment(s(2), FLOW, 2000), (Verdict::Block, vec![]));
    assert_eq!(relay.segment(s(2), OTHER, 2000), NONE, "another flow's is not known to have failed");
    relay.feed(s(3), FOUND);
    assert_eq!(relay.segment(s(4), FLOW, 3000), NONE);
}

#[test]
fn a_failure_passes_on_and_is_recorded() {
    let mut relay = relay(TcpFRelayConfig::default());
    assert_eq!(relay.signal(s(1), RFN, AFTER), (Verdict::Pass, vec![Action::Arm(s(11))]));
    assert_eq!(relay.segment(s(2), FLOW, 2000), (Verdict::Block, vec![]));
    assert_eq!(relay.feed(s(2), broken(2000)), [], "the source knows");
    assert_eq!(relay.feed(s(3), FOUND), [says(RRN, 2000)], "it has learnt a route before the others");
}

/// ACKs run the other way.
#[test]
fn acks_pass_a_route_that_has_failed() {
    let mut relay = relay(TcpFRelayConfig::default());
    relay.feed(s(1), broken(1000));
    let ack = Segment { ack: 1000, flags: flags::ACK, ..Segment::default() };
    let packet = relay.packet(FLOW, SOURCE, Towards::Source, Payload::Tcp(ack));
    let (mut out, input) = (Vec::new(), Input::Passing { packet, from: AFTER, next: None });
    let verdict = relay.notifier.handle(&mut Cx { now: s(2), packets: &mut relay.packets }, input, &mut out);
    assert_eq!((verdict, out), NONE);
}

/// A source that has sent nothing for two minutes gets no notice of a lost route. It gets one when a packet is lost
/// that it sends then. A source that got a notice of a failure gets one of its end, however late.
#[test]
fn flows_that_are_long_silent_are_forgotten() {
    let mut relay = patient(TcpFRelayConfig { lifetime: Dur::from_secs(900), ..TcpFRelayConfig::default() });
    assert_eq!(relay.segment(s(1), FLOW, 1000), NONE);
    assert_eq!(relay.segment(s(60), OTHER, 7000), NONE);
    let told = relay.feed(s(121), LOST);
    let of = |told: &[Action]| told.iter().filter(|it| matches!(it, Action::Signal { .. })).count();
    assert_eq!(of(&told), 1, "the other was heard a minute ago: {told:?}");
    assert_eq!(of(&relay.feed(s(122), broken(2000))), 1, "it sends again");
    assert_eq!(of(&relay.feed(s(800), FOUND)), 2, "both failures were told");
}

/// What is too old counts no more, also if the timer has not come yet.
#[test]
fn a_notification_after_the_lifetime_is_a_new_failure() {
    let mut relay = relay(TcpFRelayConfig::default());
    relay.signal(s(1), RFN, AFTER);
    assert_eq!(relay.signal(s(12), RFN, AFTER), (Verdict::Pass, vec![Action::Arm(s(22))]));
    assert_eq!(relay.segment(s(13), FLOW, 2000), (Verdict::Block, vec![]));
}

#[test]
fn a_failure_ends_where_there_is_another_way() {
    let mut relay = relay(TcpFRelayConfig::default());
    assert_eq!(relay.signal(s(1), RFN, ASIDE), (Verdict::Absorb, vec![]));
    assert_eq!(relay.segment(s(2), FLOW, 2000), NONE);
}

#[test]
fn one_notification_that_there_is_a_route_is_enough() {
    let mut relay = relay(TcpFRelayConfig::default());
    relay.signal(s(1), RFN, AFTER);
    assert_eq!(relay.signal(s(2), RRN, AFTER), NONE, "passes on");
    assert_eq!(relay.segment(s(3), FLOW, 2000), NONE, "and the route is open");
    relay.signal(s(4), RFN, AFTER);
    relay.feed(s(5), FOUND);
    assert_eq!(relay.signal(s(6), RRN, AFTER), (Verdict::Absorb, vec![]), "this node has told it already");
    relay.signal(s(7), RFN, AFTER);
    assert_eq!(relay.signal(s(8), RRN, AFTER), NONE, "of a new failure it has not");
}

#[test]
fn a_failure_of_which_nothing_is_heard_is_forgotten() {
    let mut relay = relay(TcpFRelayConfig::default());
    relay.feed(s(1), broken(1000));
    relay.feed(s(9), Input::Timer);
    assert_eq!(relay.segment(s(10), FLOW, 2000), (Verdict::Block, vec![]));
    assert_eq!(relay.segment(s(11), FLOW, 3000), NONE);
    assert_eq!(relay.feed(s(12), broken(3000)), fails(12, 3000));
}

//  1 s     3 s    5 s    6 s: a route   7 s
//  | ask   | ask  | ask  | RRN          | nothing
#[test]
fn the_node_at_the_break_asks_for_a_route_until_there_is_one() {
    let ask = |at: u64| [Action::Seek(SINK), Action::Arm(s(at + 2))];
    let mut here = relay(TcpFRelayConfig::default());
    assert_eq!(here.feed(s(1), broken(1000)), fails(1, 1000));
    assert_eq!(here.feed(s(2), Input::Timer), []);
    assert_eq!(here.feed(s(3), Input::Timer), ask(3));
    assert_eq!(here.feed(s(5), Input::Timer), ask(5));
    assert_eq!(here.feed(s(6), FOUND), [says(RRN, 1000)]);
    assert_eq!(here.feed(s(7), Input::Timer), []);
    // A notice about a failure further on is not its affair, nor is any where the source probes.
    let mut upstream = relay(TcpFRelayConfig::default());
    upstream.signal(s(1), RFN, AFTER);
    assert_eq!(upstream.feed(s(5), Input::Timer), []);
    let mut silent = relay(TcpFRelayConfig { source_probes: true, ..TcpFRelayConfig::default() });
    assert_eq!(silent.feed(s(1), broken(1000)), [says(RFN, 1000)]);
    assert_eq!(silent.feed(s(5), Input::Timer), []);
}

#[test]
fn segments_may_wait_and_go_when_there_is_a_route() {
    let mut relay = patient(TcpFRelayConfig { buffering: true, buffer: 2, ..TcpFRelayConfig::default() });
    relay.feed(s(1), broken(1000));
    for (seq, verdict) in [(2000, Verdict::Keep), (3000, Verdict::Keep), (4000, Verdict::Block)] {
        assert_eq!(relay.segment(s(2), FLOW, seq), (verdict, vec![]));
    }
    let waiting: Vec<PacketId> = relay.notifier.packets().collect();
    assert_eq!(waiting.len(), 2);
    let forward = |id: &PacketId| Action::Forward(*id);
    let expected: Vec<Action> = std::iter::once(says(RRN, 4000)).chain(waiting.iter().map(forward)).collect();
    assert_eq!(relay.feed(s(3), FOUND), expected);
    assert_eq!(relay.notifier.packets().count(), 0);
    // A notification from further on opens the route as well, and so does time.
    relay.feed(s(4), broken(5000));
    relay.segment(s(5), FLOW, 6000);
    assert!(
        matches!(&relay.signal(s(6), RRN, AFTER), (Verdict::Pass, out) if matches!(out[..], [Action::Forward(_)]))
    );
    relay.feed(s(7), broken(7000));
    relay.segment(s(8), FLOW, 8000);
    assert_eq!(relay.feed(s(16), Input::Timer), []);
    assert!(matches!(relay.feed(s(17), Input::Timer)[..], [Action::Forward(_)]));
}

#[test]
fn the_node_at_the_break_may_answer_every_segment() {
    let per_packet = TcpFRelayConfig { per_packet: true, ..TcpFRelayConfig::default() };
    let mut here = relay(per_packet.clone());
    here.feed(s(1), broken(1000));
    assert_eq!(here.segment(s(2), FLOW, 2000).0, Verdict::Block);
    assert_eq!(here.feed(s(2), lost(DropReason::NoRoute, 2000)), [says(RFN, 2000)], "the loss that follows");
    assert_eq!(here.feed(s(3), LOST), [], "no segment, no answer");
    let mut waits = relay(TcpFRelayConfig { buffering: true, ..per_packet.clone() });
    waits.feed(s(1), broken(1000));
    assert_eq!(waits.segment(s(2), FLOW, 2000), (Verdict::Keep, vec![says(RFN, 2000)]));
    let mut behind = relay(TcpFRelayConfig { buffering: true, ..per_packet.clone() });
    behind.signal(s(1), RFN, AFTER);
    assert_eq!(behind.segment(s(2), FLOW, 2000), (Verdict::Keep, vec![]), "nor is one that keeps what comes");
    let mut upstream = relay(per_packet);
    upstream.signal(s(1), RFN, AFTER);
    assert_eq!(upstream.feed(s(2), lost(DropReason::NoRoute, 2000)), [], "it is not at the break");
}

#[test]
fn nodes_that_do_not_say_when_it_is_back_remember_nothing() {
    let mut relay = relay(TcpFRelayConfig { source_probes: true, ..TcpFRelayConfig::default() });
    assert_eq!(relay.feed(s(1), broken(1000)), [says(RFN, 1000)]);
    assert_eq!(relay.feed(s(2), broken(2000)), [says(RFN, 2000)]);
    assert_eq!(relay.segment(s(3), FLOW, 3000), NONE);
    assert_eq!(relay.feed(s(4), FOUND), []);
    assert_eq!(relay.signal(s(5), RFN, AFTER), NONE);
    assert_eq!(relay.segment(s(6), FLOW, 3000), NONE);
}

#[test]
fn a_node_that_goes_down_forgets_all_and_hands_over_what_waits() {
    let mut relay = relay(TcpFRelayConfig { buffering: true, ..TcpFRelayConfig::default() });
    relay.feed(s(1), broken(1000));
    relay.segment(s(2), FLOW, 2000);
    assert_eq!(relay.notifier.flush().len(), 1);
    assert_eq!(relay.segment(s(3), FLOW, 3000), NONE);
}
