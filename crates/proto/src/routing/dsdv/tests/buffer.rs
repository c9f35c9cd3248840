//! Packets that wait for a route, and a node that stops.

use super::rig::*;
use crate::contract::Dropped;
use crate::routing::DsdvConfig;
use crate::routing::contract::{Action, Decision, Input, Provenance};
use crate::testing::{cx, routing_message, timeline, udp};
use crate::units::{Dur, FlowId, NodeId, SimTime};
use crate::wire::{DropReason, PacketId, PacketKind, Protocol};

fn packet(rig: &mut Rig, destination: u32, number: u64) -> PacketId {
    udp(&mut rig.packets, FlowId(0), NodeId(destination), number, 1000)
}

/// The first loss, of packet `uid`.
const fn dropped(uid: u64, number: u64, reason: DropReason) -> Action {
    lost(1, PacketId(uid as u32 - 1), uid, number, reason)
}

const fn lost(loss: u64, copy: PacketId, uid: u64, number: u64, reason: DropReason) -> Action {
    Action::Dropped(Dropped {
        loss,
        copy,
        uid,
        created: SimTime::ZERO,
        flow: FlowId(0),
        kind: PacketKind::Udp,
        position: Some(number),
        payload: 972,
        reason,
        spare: false,
    })
}

//  five wait; the sixth pushes the oldest out; all go when the route comes
#[test]
fn five_packets_wait_for_each_destination() {
    let mut rig = Rig::started();
    let ids: Vec<PacketId> = (0..6).map(|number| packet(&mut rig, 4, number)).collect();
    let other = packet(&mut rig, 5, 6);
    for &id in &ids[..5] {
        assert_eq!(rig.feed(SimTime::from_secs(1), Tell::Route(id)), []);
    }
    assert_eq!(rig.feed(SimTime::from_secs(1), Tell::Route(other)), []);
    assert_eq!(rig.waiting(), 6);
    let sixth = Tell::Route(ids[5]);
    let forward = |index: usize| Action::Forward { packet: ids[index], to: NodeId(2), delay: Dur::ZERO };
    timeline! { rig;
        at 2 s: sixth                  => [dropped(1, 0, DropReason::RouteBufferFull)];
        at 3 s: hear(2, &[(4, 1, 2)])  => [found(4, 2), forward(1), forward(2), forward(3), forward(4), forward(5), arm("15")];
    }
    assert_eq!(rig.waiting(), 1);
}

#[test]
fn a_packet_for_this_very_node_does_not_wait() {
    let mut rig = Rig::started();
    // The table knows this node, with itself as the next hop: the node delivers before it asks. After a hop limit of
    // wrong turns it does ask.
    let own = packet(&mut rig, 1, 0);
    let (now, mut out) = (SimTime::from_secs(1), Vec::new());
    let decision = rig.dsdv.without_route(&mut cx(now, &mut rig.packets), own, Provenance::Here, &mut out);
    assert_eq!((decision, rig.waiting()), (Decision::Refused(DropReason::Unclaimed), 0));
}

/// The persistent queue loses no packet on a link: what it has kept waits in its place.
#[test]
fn a_kept_packet_without_a_route_stays_where_it_is() {
    let mut rig = Rig::started();
    let kept = packet(&mut rig, 4, 0);
    let provenance = Provenance::Kept(NodeId(2));
    assert_eq!(rig.ask(SimTime::from_secs(1), kept, provenance, &mut Vec::new()), Decision::Stays);
    rig.feed(SimTime::from_secs(2), hear(3, &[(4, 1, 2)]));
    assert_eq!(rig.ask(SimTime::from_secs(2), kept, provenance, &mut Vec::new()), Decision::To(NodeId(3)));
    assert_eq!(rig.waiting(), 0);
}

#[test]
fn what_is_no_update_is_a_counted_drop() {
    let mut rig = Rig::started();
    let cases = [
        (Protocol::Dsdv, &[10, 0, 0, 3, 0, 0][..], DropReason::Malformed),
        (Protocol::Dsdv, &[9, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2], DropReason::Malformed),
        (Protocol::Dsdv, &[10, 255, 255, 255, 0, 0, 0, 1, 0, 0, 0, 2], DropReason::Malformed),
        (Protocol::Experimental, &[], DropReason::Unclaimed),
    ];
    for (protocol, bytes, reason) in cases {
        let packet = routing_message(&mut rig.packets, protocol, bytes);
        let answers =
            rig.feed(SimTime::from_secs(1), Tell::Plain(Input::Message { packet, from: NodeId(2) }));
        assert!(matches!(answers[0], Action::Dropped(dropped) if dropped.reason == reason), "{answers:?}");
    }
    assert_eq!((rig.packets.live(), rig.route(2)), (0, None));
}

#[test]
fn a_loss_does_not_release_what_waits() {
    let mut rig = Rig::started();
    let waiting = packet(&mut rig, 4, 0);
    rig.feed(SimTime::from_secs(1), Tell::Route(waiting));
    timeline! { rig;
        at 2 s: hear(2, &[(4, GONE, 3)]) => [arm("15")];
    }
    assert_eq!(rig.waiting(), 1);
}

/// A route that was lost with number 3 while packets wait for it, and one neighbour that has not heard of the loss.
fn with_a_loss(believe_outdated: bool) -> Rig {
    let mut rig = Rig::new(DsdvConfig { believe_outdated, ..config() });
    rig.feed(SimTime::ZERO, START);
    rig.feed(SimTime::ZERO, TIMER);
    rig.feed(SimTime::from_secs(1), hear(2, &[(2, 0, 2), (4, 1, 2)]));
    rig.feed(SimTime::from_secs(2), hear(2, &[(4, GONE, 3)]));
    rig
}

#[test]
fn a_line_older_than_the_loss_leaves_packets_waiting() {
    let mut rig = with_a_loss(false);
    let waiting = packet(&mut rig, 4, 0);
    timeline! { rig;
        at 3 s: Tell::Route(waiting)  => [];
        at 6 s: hear(3, &[(4, 2, 2)]) => [arm("13")];
    }
    assert_eq!((rig.route(4), rig.waiting()), (Some((2, GONE, 3)), 1));
}

#[test]
fn as_in_ns2_packets_that_wait_end_with_any_finite_line_and_it_is_believed() {
    let mut rig = with_a_loss(true);
    let ids = [packet(&mut rig, 4, 0), packet(&mut rig, 4, 1), packet(&mut rig, 5, 2)];
    timeline! { rig;
        at 3 s: hear(3, &[(4, 2, 2)])              => [arm("13")]; // nothing waits: too old
    }
    assert_eq!(rig.route(4), Some((2, GONE, 3)));
    for packet in ids {
        rig.feed(SimTime::from_secs(4), Tell::Route(packet));
    }
    // Two updates came before.
    let expired =
        |number: u64| lost(number + 1, ids[number as usize], number + 3, number, DropReason::Expired);
    timeline! { rig;
        at 5 s:  hear(3, &[(4, GONE, 1)])          => [arm("13")]; // not finite
        at 6 s:  hear(3, &[(4, 2, 2)])             => [expired(0), expired(1), found(4, 3), arm("13")];
        at 13 s: TIMER                      => [tell(&[(2, 1, 2), (4, 3, 2)]), arm("14")];
    }
    assert_eq!((rig.route(4), rig.waiting()), (Some((3, 3, 2)), 1), "the packet for 5 waits on");
}

#[test]
fn stopping_loses_the_table_and_what_waits_and_starting_begins_afresh() {
    let mut rig = Rig::started();
    let waiting = packet(&mut rig, 5, 0);
    rig.feed(SimTime::from_secs(1), hear(2, &[(2, 0, 2), (4, 1, 2)]));
    rig.feed(SimTime::from_secs(1), Tell::Route(waiting));
    timeline! { rig;
        at 2 s: STOP  => [dropped(1, 0, DropReason::NodeDown), Action::Arm(SimTime::MAX)];
        at 3 s: TIMER => [Action::Arm(SimTime::MAX)];
    }
    assert_eq!((rig.route(2), rig.waiting(), rig.packets.live()), (None, 0, 0));
    timeline! { rig;
        at 9 s:  START => [arm("9")];
        at 9 s:  TIMER => [tell(&[(1, 0, 2)]), arm("24")];
    }
}

/// Its neighbours remember a newer number than the one it starts again with; it takes over from there.
#[test]
fn a_node_that_has_started_again_overtakes_its_own_past() {
    let mut rig = Rig::started();
    timeline! { rig;
        at 1 s:  hear(2, &[(1, 1, 40)]) => [arm("15")];
        at 15 s: TIMER           => [tell(&[(1, 0, 42)]), arm("30")];
    }
}
