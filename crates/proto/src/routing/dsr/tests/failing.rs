//! Time lines of links that break.

use super::rig::{Done, Rig, config, error, ms, reply};
use crate::routing::Routing;
use crate::routing::contract::{Action, Decision, Disposal, GivenUp, Provenance};
use crate::routing::dsr::source_route::PacketPath;
use crate::routing::dsr::wire::Header;
use crate::routing::dsr::{DsrConfig, Learn, RerrPer};
use crate::testing::cx;
use crate::units::{Bytes, Dur, NodeId};
use crate::wire::{DropReason, PacketId, Protocol};
use Done::{Dropped, Errors, Forward, Lost, Request, Timer, Withdraw};

fn plain() -> DsrConfig {
    DsrConfig { learn: Learn::Onward, promiscuous: false, ..config() }
}

/// A packet of this node that has gone to the queue.
fn sent(rig: &mut Rig, to: u32) -> PacketId {
    let packet = rig.packet(1, to);
    assert!(matches!(rig.send(ms(0), packet).0, Decision::To(_)));
    packet
}

/// A packet of node 0 that this node has sent on, salvaged so often.
fn passed(rig: &mut Rig, salvage: u8) -> PacketId {
    let packet = rig.routed(&[0, 1, 2, 9], 1);
    assert_eq!(rig.route(ms(0), packet, Provenance::Neighbour(NodeId(0))).0, Decision::To(NodeId(2)));
    if salvage > 0 {
        let way = PacketPath { nodes: super::rig::nodes(&[0, 1, 2, 9]), here: 2, salvage };
        let header = Header { next: 17, route: Some(way.route()), ..Header::default() };
        rig.packets.set_header(packet, Some((Protocol::Dsr, header.emit())));
    }
    packet
}

#[test]
fn a_packet_of_this_node_goes_another_way_or_waits() {
    let mut rig = Rig::knowing(plain(), &[&[1, 2, 9], &[1, 3, 4, 9]]);
    let (first, second) = (sent(&mut rig, 9), sent(&mut rig, 9));
    assert_eq!(rig.give_up(ms(9), first, 2), (Disposal::Taken, vec![Forward(3, 0), Withdraw(2)]));
    assert_eq!(rig.way(first), (vec![1, 3, 4, 9], 1));
    let (decision, _) = rig.route(ms(9), second, Provenance::Withdrawn(NodeId(2)));
    assert_eq!(decision, Decision::To(NodeId(3)));
    let (disposal, done) = rig.give_up(ms(20), first, 3);
    assert_eq!((disposal, &done[..2]), (Disposal::Taken, &[Lost(9), Request(9, 1)][..]));
    assert_eq!(rig.knows(ms(20), 9), None);
    assert_eq!(rig.dsr.routes_lost(), 1);
}

#[test]
fn the_source_is_told_and_the_packet_salvaged_up_to_fifteen_times() {
    for (salvage, disposal) in [(0, Disposal::Taken), (14, Disposal::Taken), (15, Disposal::Leave)] {
        let mut rig = Rig::new(plain());
        let packet = passed(&mut rig, salvage);
        rig.dsr.known.cache().learn(ms(0), &super::rig::nodes(&[1, 3, 9]), false);
        let (what, done) = rig.give_up(ms(5), packet, 2);
        assert_eq!(what, disposal, "{salvage}");
        if salvage == 0 {
            assert!(done.contains(&Errors(vec![(1, 2)], 0, 0)), "{done:?}");
        }
        if disposal == Disposal::Taken {
            assert_eq!(done[done.len() - 2..], [Forward(3, 0), Withdraw(2)]);
            let route = rig.header(packet).and_then(|header| header.route).expect("a route");
            assert_eq!((route.salvage, route.addresses), (salvage + 1, super::rig::nodes(&[1, 3])));
        }
    }
}

#[test]
fn without_another_way_the_packet_of_another_node_is_lost_or_waits_for_one_request() {
    let mut rig = Rig::new(plain());
    let packet = passed(&mut rig, 0);
    let (disposal, done) = rig.give_up(ms(5), packet, 2);
    assert_eq!((disposal, done), (Disposal::Leave, vec![Lost(9), Errors(vec![(1, 2)], 0, 0), Withdraw(2)]));
    let mut ns2 = Rig::new(DsrConfig { salvage_buffer: true, ..plain() });
    let packet = passed(&mut ns2, 0);
    let (disposal, done) = ns2.give_up(ms(5), packet, 2);
    let expected = vec![Lost(9), Errors(vec![(1, 2)], 0, 0), Withdraw(2), Timer(5)];
    assert_eq!((disposal, done), (Disposal::Taken, expected));
    let another = passed(&mut ns2, 0);
    ns2.give_up(ms(5), another, 2);
    assert_eq!(ns2.timer(ms(5)), [Request(9, 1), Timer(505)]);
    assert_eq!(ns2.timer(ms(40)), [Timer(505)], "no flood for others");
    assert_eq!(ns2.timer(ms(505)), [Dropped("no-route"), Timer(1505)], "one");
    assert_eq!(ns2.timer(ms(1505)), [Dropped("no-route")], "and the other");
}

#[test]
fn what_a_failure_makes_the_node_send_may_come_after_the_next_frame() {
    let mut rig = Rig::new(DsrConfig { failure_delay: Dur::from_ms(3), ..plain() });
    let (first, second) = (passed(&mut rig, 0), passed(&mut rig, 0));
    rig.dsr.known.cache().learn(ms(0), &super::rig::nodes(&[1, 3, 9]), false);
    let done = rig.give_up(ms(5), first, 2).1;
    assert_eq!(done[done.len() - 2..], [Forward(3, 3), Withdraw(2)]);
    let (decision, done) = rig.route(ms(5), second, Provenance::Withdrawn(NodeId(2)));
    assert_eq!((decision, done.last()), (Decision::Waiting, Some(&Forward(3, 3))));
}

#[test]
fn a_reply_in_time_salvages_what_waits() {
    let mut rig = Rig::new(DsrConfig { salvage_buffer: true, ..plain() });
    let packet = passed(&mut rig, 0);
    rig.give_up(ms(5), packet, 2);
    let message = rig.message(reply(&[1, 3, 9]), &[3, 1], 1);
    assert!(rig.hear(ms(20), message, 3).contains(&Forward(3, 0)));
    assert_eq!(rig.header(packet).and_then(|header| header.route).map(|route| route.salvage), Some(1));
}

#[test]
fn those_that_wait_behind_it_are_reported_too_or_not() {
    for (per, told) in [(RerrPer::Packet, true), (RerrPer::Break, false)] {
        let mut rig = Rig::new(DsrConfig { rerr_per: per, ..plain() });
        let (first, second) = (passed(&mut rig, 0), passed(&mut rig, 0));
        rig.give_up(ms(5), first, 2);
        let (decision, done) = rig.route(ms(5), second, Provenance::Withdrawn(NodeId(2)));
        assert_eq!(decision, Decision::Refused(DropReason::NoRoute));
        assert_eq!(done.contains(&Errors(vec![(1, 2)], 0, 0)), told);
    }
}

#[test]
fn replies_and_errors_that_fail() {
    // A reply that tells of the very link is lost, another is salvaged.
    let mut rig = Rig::knowing(plain(), &[&[1, 3, 0]]);
    let over = rig.message(reply(&[0, 5, 1, 9]), &[9, 1, 5, 0], 1);
    rig.hear(ms(0), over, 9);
    let (disposal, done) = rig.give_up(ms(5), over, 5);
    assert_eq!(disposal, Disposal::Taken);
    assert!(done.contains(&Errors(vec![(1, 5)], 9, 9)) && done.contains(&Forward(3, 0)), "{done:?}");
    let dead = rig.message(reply(&[0, 8, 1, 6, 9]), &[9, 1, 6, 0], 1);
    rig.hear(ms(6), dead, 9);
    assert_eq!(rig.give_up(ms(7), dead, 6).0, Disposal::Leave);
    // An error that fails goes on board of the error about it; of one that is full nothing is told.
    for (others, told) in [(&[7][..], Some(vec![(1, 5), (9, 8), (9, 7)])), (&[7, 6], None)] {
        let mut rig = Rig::new(plain());
        let mut header = error(9, 8, 0);
        for &other in others {
            header.errors.extend(error(9, other, 0).errors);
        }
        let message = rig.message(header, &[9, 1, 5, 0], 1);
        rig.hear(ms(0), message, 9);
        let (disposal, done) = rig.give_up(ms(5), message, 5);
        assert_eq!(disposal, Disposal::Leave);
        let errors = done.into_iter().find(|done| matches!(done, Errors(..)));
        assert_eq!(errors, told.map(|told| Errors(told, 9, 9)), "{others:?}");
    }
}

#[test]
fn what_is_on_board_of_an_error_goes_on_from_where_the_error_goes() {
    // Node 9 told 8, and 5 tells this node that what it passed on to 8 did not reach it.
    let aboard = |rig: &mut Rig, others: &[(u32, u32, u32)]| {
        let mut header = error(5, 8, 1);
        for &(from, to, for_node) in others {
            header.errors.extend(error(from, to, for_node).errors);
        }
        rig.message(header, &[5, 1], 1)
    };
    let mut rig = Rig::knowing(plain(), &[&[1, 3, 8]]);
    let message = aboard(&mut rig, &[(9, 7, 8)]);
    assert_eq!(rig.hear(ms(5), message, 5), [Forward(3, 0)]);
    assert_eq!(rig.way(message), (vec![1, 3, 8], 1));
    assert_eq!(rig.header(message).expect("a header").errors, error(9, 7, 8).errors);
    assert_eq!((rig.packets[message].source, rig.dsr.counters().rerr_originated), (NodeId(1), 1));
    // Without a way it waits, and a search begins.
    let mut rig = Rig::new(plain());
    let message = aboard(&mut rig, &[(9, 7, 8), (6, 4, 2)]);
    assert_eq!(rig.hear(ms(5), message, 5)[..1], [Request(8, 1)]);
    assert_eq!(rig.dsr.packets(), [message]);
    assert_eq!(rig.header(message).expect("a header").errors.len(), 2);
    // What is for this node too has come.
    let message = aboard(&mut rig, &[(9, 7, 1)]);
    rig.hear(ms(6), message, 5);
    assert!(!rig.packets.in_custody(message));
}

/// As in ns-2: errors about errors come to an end, for each counts as salvaged as often as what it is about.
#[test]
fn an_error_inherits_how_often_its_packet_was_salvaged_where_that_is_the_rule() {
    let salvage_of =
        |rig: &Rig, packet| rig.header(packet).and_then(|header| header.route).expect("a way").salvage;
    for (inherits, counts) in [(false, [0, 0, 0, 1]), (true, [7, 7, 7, 8])] {
        let config = DsrConfig { rerr_inherits_salvage: inherits, ..plain() };
        // It is born with the count of its packet.
        let mut rig = Rig::new(config.clone());
        let packet = passed(&mut rig, 7);
        let mut out = Vec::new();
        let given_up = GivenUp { packet, to: NodeId(2), reason: DropReason::RetryLimitRts };
        rig.dsr.given_up(&mut cx(ms(5), &mut rig.packets), given_up, &mut out);
        let bodies = out.iter().filter_map(|action| match action {
            Action::Send(message) => Header::parse(&message.body).ok(),
            _ => None,
        });
        let born = bodies.filter_map(|header| header.route).map(|route| route.salvage).next();
        // The node that has sent it keeps the count when it goes another way; what was on board goes on with it.
        let mut rig = Rig::knowing(config.clone(), &[&[1, 3, 8]]);
        let mut header = error(5, 8, 1);
        header.errors.extend(error(9, 7, 8).errors);
        let message = rig.message(header, &[5, 1], 1);
        salvaged(&mut rig, message, &[5, 1], 1, 7);
        assert_eq!(rig.hear(ms(5), message, 5), [Forward(3, 0)]);
        let unwrapped = salvage_of(&rig, message);
        rig.dsr.known.cache().learn(ms(6), &super::rig::nodes(&[1, 4, 8]), false);
        assert!(rig.give_up(ms(7), message, 3).1.contains(&Forward(4, 0)));
        let again = salvage_of(&rig, message);
        // A relay salvages it once more.
        let mut rig = Rig::knowing(config, &[&[1, 3, 0]]);
        let message = rig.message(error(9, 8, 0), &[9, 1, 5, 0], 1);
        rig.hear(ms(0), message, 9);
        if inherits {
            salvaged(&mut rig, message, &[9, 1, 5, 0], 2, 7);
        }
        assert!(rig.give_up(ms(5), message, 5).1.contains(&Forward(3, 0)));
        assert_eq!([born.expect("an error"), unwrapped, again, salvage_of(&rig, message)], counts);
    }
}

/// Lets a message be one that was salvaged so often, on its way to the node at place `here` of a path.
fn salvaged(rig: &mut Rig, message: PacketId, path: &[u32], here: usize, salvage: u8) {
    let mut header = rig.header(message).expect("a header");
    header.route = Some(PacketPath { nodes: super::rig::nodes(path), here, salvage }.route());
    let bytes = header.emit();
    let size = Bytes(20 + bytes.len() as u32); // far below 2^32
    rig.packets.set_message(message, bytes, size);
}

#[test]
fn an_answer_that_is_held_off_does_not_go_over_a_link_that_breaks_meanwhile() {
    for broken in [false, true] {
        let mut rig = Rig::knowing(DsrConfig { reply_hold_off: Dur::from_ms(4), ..plain() }, &[&[1, 0, 7]]);
        let request = rig.request(3, 0, 7, &[2], 9);
        rig.hear(ms(0), request, 2);
        if broken {
            let packet = rig.routed(&[1, 2], 1);
            rig.give_up(ms(1), packet, 2);
        }
        let replies = rig.timer(ms(20)).into_iter().filter(|done| matches!(done, Done::Reply(..))).count();
        assert_eq!(replies, usize::from(!broken));
    }
}

#[test]
fn an_error_cuts_what_leads_over_its_link_in_this_direction() {
    let mut rig = Rig::knowing(plain(), &[&[1, 2, 3, 9], &[1, 4, 3, 2]]);
    sent(&mut rig, 9);
    let message = rig.message(error(2, 3, 1), &[2, 1], 1);
    assert_eq!(rig.hear(ms(5), message, 2), [Lost(9)]);
    assert_eq!(rig.knows(ms(5), 2), Some(vec![1, 2]), "up to the link");
    assert_eq!(rig.knows(ms(5), 3), Some(vec![1, 4, 3]));
}

#[test]
fn an_error_on_its_way_goes_on() {
    let mut rig = Rig::knowing(plain(), &[&[1, 2, 3]]);
    let message = rig.message(error(2, 3, 0), &[2, 1, 0], 1);
    assert_eq!(rig.hear(ms(5), message, 2), [Forward(0, 0)]);
    assert_eq!(rig.knows(ms(5), 3), None);
    assert_eq!(rig.dsr.counters().rerr_forwarded, 1);
}

#[test]
fn a_node_that_goes_down_forgets_everything() {
    let mut rig = Rig::knowing(plain(), &[&[1, 2, 3]]);
    let packet = rig.packet(1, 9);
    rig.send(ms(0), packet);
    let done = rig.handle(ms(5), crate::routing::contract::Input::Stop);
    assert_eq!(done, [Dropped("node-down")]);
    assert_eq!((rig.knows(ms(5), 3), rig.packets.live()), (None, 0));
}

#[test]
fn packets_with_a_route_that_is_none_of_this_node_are_lost() {
    let mut rig = Rig::new(plain());
    let from = Provenance::Neighbour(NodeId(0));
    let stray = rig.routed(&[0, 5, 2, 9], 1);
    assert_eq!(rig.route(ms(0), stray, from).0, Decision::Refused(DropReason::Malformed));
    let bare = rig.packet(0, 9);
    assert_eq!(rig.route(ms(0), bare, from).0, Decision::Refused(DropReason::NoRoute));
    let here = rig.packet(1, 1);
    assert_eq!(rig.send(ms(0), here).0, Decision::Refused(DropReason::Unclaimed));
}

#[test]
fn a_packet_in_anothers_name_carries_a_route_that_begins_here() {
    let mut rig = Rig::knowing(plain(), &[&[1, 2, 9]]);
    let packet = rig.packet(0, 9);
    assert_eq!(rig.send(ms(0), packet).0, Decision::To(NodeId(2)));
    let route = rig.header(packet).and_then(|header| header.route).expect("a route");
    assert_eq!((route.salvage, route.addresses), (1, super::rig::nodes(&[1, 2])));
}

#[test]
fn kept_packets_ask_anew() {
    let mut rig = Rig::knowing(plain(), &[&[1, 3, 9]]);
    let kept = Provenance::Kept(NodeId(2));
    let packet = rig.packet(1, 9);
    assert_eq!(rig.route(ms(0), packet, kept).0, Decision::To(NodeId(3)));
    let lost = rig.packet(1, 8);
    assert_eq!(rig.route(ms(0), lost, kept).0, Decision::Waiting);
    let other = rig.routed(&[0, 1, 2, 8], 2);
    assert_eq!(rig.route(ms(0), other, kept).0, Decision::Refused(DropReason::NoRoute));
}
