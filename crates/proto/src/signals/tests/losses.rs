//! Signals about single packets.

use super::rig::{FLOW, RELAY, Rig, SINK, SOURCE, about, lost, s, says};
use crate::signals::{Action, Input, Loss, SignalsConfig, Unreachable};
use crate::wire::{DropReason, PacketKind, Signal, SignalKind};

const BROKEN: Loss =
    Loss { flow: FLOW, kind: PacketKind::TcpData, sequence: 1000, reason: DropReason::RetryLimitData };

fn only(set: impl Fn(&mut SignalsConfig)) -> Rig {
    let mut config = SignalsConfig::default();
    set(&mut config);
    Rig::new(&config)
}

#[test]
fn every_segment_lost_with_its_link_or_route_is_told_to_its_source() {
    use DropReason::{LinkBroken, NoRoute, RetryLimitData, RetryLimitRts, RouteBufferFull, RouteTimeout};
    let mut rig = only(|it| it.elfn = true);
    for reason in [RetryLimitRts, RetryLimitData, LinkBroken, NoRoute, RouteBufferFull, RouteTimeout] {
        assert_eq!(rig.feed(s(1), lost(reason, 3000)), [says(SignalKind::LinkFailure, 3000)], "{reason:?}");
    }
    use DropReason::{Expired, LifetimeOver, Malformed, NodeDown, QueueFull};
    for reason in [QueueFull, Expired, LifetimeOver, NodeDown, Malformed] {
        assert_eq!(rig.feed(s(1), lost(reason, 3000)), [], "{reason:?}");
    }
    let mut rig = only(|it| it.unreachable = true);
    assert_eq!(rig.feed(s(1), lost(NoRoute, 3000)), [says(SignalKind::Unreachable, 3000)]);
}

#[test]
fn an_acknowledgment_is_told_to_the_receiver_and_a_signal_to_nobody() {
    let mut rig = only(|it| it.elfn = true);
    let ack = Input::Lost(Loss { kind: PacketKind::TcpAck, sequence: 0, ..BROKEN });
    let signal = Signal { source: SINK, destination: SOURCE, ..about(SignalKind::LinkFailure, 0) };
    assert_eq!(rig.feed(s(1), ack), [Action::Signal { flow: FLOW, to: SINK, signal }]);
    for kind in [PacketKind::Signal, PacketKind::Routing, PacketKind::Udp] {
        assert_eq!(rig.feed(s(1), Input::Lost(Loss { kind, ..BROKEN })), []);
    }
}

#[test]
fn what_another_transport_loses_either_way_is_told_to_its_source() {
    let mut rig = only(|it| it.elfn = true);
    let lost = Loss { kind: PacketKind::Transport, ..BROKEN };
    assert_eq!(rig.feed(s(1), Input::Lost(lost)), [says(SignalKind::LinkFailure, 1000)]);
}

#[test]
fn give_ups_are_bad_states_whatever_becomes_of_the_packet() {
    let mut rig = only(|it| it.ebsn = true);
    assert_eq!(rig.feed(s(1), Input::GaveUp(BROKEN)), [says(SignalKind::BadState, 1000)]);
    assert_eq!(rig.feed(s(1), Input::Lost(BROKEN)), []);
    let mut rig = only(|it| it.elfn = true);
    assert_eq!(rig.feed(s(1), Input::GaveUp(BROKEN)), [], "it may be kept, or sent another way");
}

#[test]
fn signals_are_counted_by_their_kind() {
    let mut rig = only(|it| (it.elfn, it.unreachable, it.ebsn) = (true, true, true));
    rig.feed(s(1), Input::GaveUp(BROKEN));
    rig.feed(s(1), Input::Lost(BROKEN));
    rig.feed(s(2), Input::Lost(BROKEN));
    let mut counts = Vec::new();
    rig.notifier.counters().each(&mut |name, count| counts.push((name, count)));
    counts.retain(|&(_, count)| count > 0);
    assert_eq!(counts, [("signals.unreachable", 2), ("signals.elfn", 2), ("signals.ebsn", 1)]);
}

/// Where routing finds broken links by hellos, the route of a packet that the MAC gave up stands.
#[test]
fn a_give_up_is_no_broken_route_where_hellos_say_what_is() {
    use DropReason::{NoRoute, RetryLimitData, RetryLimitRts};
    for (unreachable, elfn, rfn) in [(true, false, false), (false, true, false), (false, false, true)] {
        let mut rig = only(|it| (it.unreachable, it.elfn, it.rfn) = (unreachable, elfn, rfn));
        rig.notifier = rig.notifier.without_feedback();
        for reason in [RetryLimitRts, RetryLimitData] {
            assert_eq!(rig.feed(s(1), lost(reason, 3000)), [], "{reason:?}");
        }
        assert!(!rig.feed(s(2), lost(NoRoute, 3000)).is_empty());
    }
    // That a segment was lost on the air is as true as ever.
    let mut rig = only(|it| it.loss = true);
    rig.notifier = rig.notifier.without_feedback();
    assert_eq!(rig.feed(s(1), Input::LostOnTheAir(BROKEN)), [says(SignalKind::SegmentLost, 1000)]);
    assert_eq!(rig.notifier.asks_for(Input::Lost(BROKEN)), Some(SINK));
}

/// RFC 3561 §6.3: a packet that the MAC gave up is no word of routing's, nor is a relay's of what its source will look
/// for.
#[test]
fn a_host_may_be_unreachable_only_when_routing_has_no_route() {
    use DropReason::{
        AddressUnresolved, LinkBroken, NoRoute, RetryLimitData, RetryLimitRts, RouteBufferFull, RouteTimeout,
    };
    let config = SignalsConfig {
        unreachable: true,
        unreachable_when: Unreachable::NoRoute,
        ..SignalsConfig::default()
    };
    let told = [says(SignalKind::Unreachable, 3000)];
    let (mut relay, mut source) = (Rig::at(&config, RELAY), Rig::at(&config, SOURCE));
    for reason in [RetryLimitRts, RetryLimitData, LinkBroken, RouteBufferFull, AddressUnresolved] {
        assert_eq!(relay.feed(s(1), lost(reason, 3000)), [], "{reason:?}");
        assert_eq!(source.feed(s(1), lost(reason, 3000)), [], "{reason:?}");
    }
    for reason in [NoRoute, RouteTimeout] {
        assert_eq!(relay.feed(s(2), lost(reason, 3000)), told, "{reason:?}");
    }
    relay.notifier = relay.notifier.on_demand();
    source.notifier = source.notifier.on_demand();
    for reason in [NoRoute, RouteTimeout] {
        assert_eq!(relay.feed(s(3), lost(reason, 3000)), [], "{reason:?}");
        assert_eq!(source.feed(s(3), lost(reason, 3000)), told, "{reason:?}");
    }
    // The source of an ACK is the receiver.
    let lost_ack = Input::Lost(Loss { kind: PacketKind::TcpAck, sequence: 0, reason: NoRoute, ..BROKEN });
    assert_eq!(source.feed(s(4), lost_ack), []);
}
