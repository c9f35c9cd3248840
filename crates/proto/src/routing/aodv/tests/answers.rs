//! Which node answers a request, which node passes it on, which replies are believed and where they go; hellos,
//! lifetimes.

use super::rig::{ME, Rig, TIMER, Tell, config, flood, found, gone, reply, request, send};
use crate::routing::Routing;
use crate::routing::aodv::{
    AodvConfig, DataHeader, LinkDetection, Message, Refresh, Reply, Request, Sequencing, emit,
};
use crate::routing::contract::{Action, Decision, GivenUp, Input, Provenance};
use crate::testing::{cx, instant, routing_message, timeline};
use crate::units::{Bytes, Dur, NodeId, SimTime};
use crate::wire::{DropReason, Payload, Protocol, Segment};

fn ask(from: u32, ttl: u8, request: Request) -> Tell {
    Tell::Hear(from, ttl, Message::Request(request))
}

/// RFC 3561 §6.1, §6.6.1: at least the number asked for; ns-2: the next even one.
#[test]
fn the_destination_answers_with_a_number_that_is_new_enough() {
    for (sequence, asked, told) in [
        (Sequencing::Rfc, None, 0),
        (Sequencing::Rfc, Some(7), 7),
        (Sequencing::Even, None, 4),
        (Sequencing::Even, Some(7), 8),
    ] {
        let c = AodvConfig { sequence, ..config() };
        let mut rig = Rig::new(c.clone());
        timeline! { rig;
            at 1 s: ask(0, 5, request(1, 2, (8, 4), ME.0, asked)) =>
                [found(8, 3), send(&c, 0, 35, &reply(ME.0, 0, told, 8, 6_000))];
        }
        assert_eq!(rig.route("1 s", 8), Some((0, 3, Some(4))), "the way back");
    }
}

/// Not even to be woken; but where hellos tell which node is there, it shows that its sender still is.
#[test]
fn a_copy_of_a_request_asks_for_nothing() {
    for (link_detection, asked) in [(LinkDetection::LinkLayer, 0), (LinkDetection::Hello, 1)] {
        let mut rig = Rig::new(AodvConfig { link_detection, ..config() });
        rig.feed(SimTime::ZERO, Tell::Hello(3, 1));
        let mut hear = |now| {
            let request = Message::Request(request(1, 0, (8, 4), 9, None));
            let packet = routing_message(&mut rig.packets, Protocol::Aodv, &emit(&request));
            let mut out = Vec::new();
            let input = Input::Message { packet, from: NodeId(3) };
            rig.aodv.handle(&mut cx(instant(now), &mut rig.packets), input, &mut out);
            out.len()
        };
        assert!(hear("1 s") > 1, "it is passed on");
        assert_eq!(hear("1.5 s"), asked, "{link_detection:?}");
        assert_eq!(rig.packets.live(), 0, "the copies have ended");
    }
}

#[test]
fn a_request_is_passed_on_once_with_the_newest_number_known() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 1)));
    timeline! { rig;
        at 1 s: ask(0, 5, request(1, 2, (8, 4), 9, Some(3))) =>
            [found(8, 3), flood(&c, 4, &Message::Request(request(1, 3, (8, 4), 9, Some(8))))];
        at 1 s: ask(3, 5, request(1, 0, (8, 4), 9, Some(3))) => []; // a copy
        at 1 s: ask(3, 1, request(2, 0, (8, 5), 9, Some(3))) => []; // its ring ends here
        at 1 s: ask(3, 5, request(3, 0, (ME.0, 5), 9, Some(3))) => []; // its own
    }
    assert_eq!(rig.route("6519 ms", 8), Some((3, 1, Some(5))), "newer than the last");
    // PATH_DISCOVERY_TIME is over: a number may come again.
    timeline! { rig;
        at 6600 ms: ask(0, 5, request(1, 2, (8, 4), 9, None)) =>
            [flood(&c, 4, &Message::Request(request(1, 3, (8, 4), 9, Some(8))))];
    }
}

/// RFC 3561 §6.2: newer, or as new and shorter.
#[test]
fn the_way_back_is_the_newest_and_then_the_shortest() {
    let mut rig = Rig::new(config());
    for (from, hops, own) in [(0, 4, 10), (2, 2, 10), (3, 3, 10), (3, 6, 9)] {
        rig.feed(instant("1 s"), ask(from, 1, request(u32::from(hops) + own, hops, (8, own), 9, None)));
    }
    assert_eq!(rig.route("1 s", 8), Some((2, 3, Some(10))));
    rig.feed(instant("1 s"), ask(3, 1, request(99, 6, (8, 11), 9, None)));
    assert_eq!(rig.route("1 s", 8), Some((3, 7, Some(11))));
    // §6.5: 2·NET_TRAVERSAL_TIME less twice the time that three hops take, the most of these.
    assert!(rig.route("6359 ms", 8).is_some());
    assert_eq!(rig.route("6360 ms", 8), None);
}

/// RFC 3561 §6.6.2.
#[test]
fn a_relay_with_a_route_new_enough_answers_and_notes_who_uses_it() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 6_000)));
    timeline! { rig;
        at 1 s: ask(0, 5, request(1, 2, (8, 4), 9, Some(7))) =>
            [found(8, 3), send(&c, 0, 35, &reply(9, 4, 7, 8, 5_000))];
        at 1 s: ask(0, 5, request(2, 2, (8, 5), 9, Some(8))) => // a newer one is asked for
            [flood(&c, 4, &Message::Request(request(2, 3, (8, 5), 9, Some(8))))];
        at 1 s: ask(2, 5, request(1, 2, (7, 4), 9, None)) => // its own route leads there
            [found(7, 3), flood(&c, 4, &Message::Request(request(1, 3, (7, 4), 9, Some(7))))];
    }
    let only = Request { destination_only: true, ..request(3, 2, (8, 6), 9, None) };
    let passed_on = Request { hops: 3, destination_sequence: Some(7), ..only };
    timeline! { rig; at 1 s: ask(0, 5, only) => [flood(&c, 4, &Message::Request(passed_on))]; }
    let table = rig.aodv.table_mut();
    assert_eq!(table.entry(instant("1 s"), NodeId(9)).precursors, [NodeId(0)]);
    assert_eq!(table.entry(instant("1 s"), NodeId(8)).precursors, [NodeId(2)]);
}

/// RFC 3561 §6.6.3: the destination learns of the node that asks, too.
#[test]
fn a_gratuitous_reply_tells_the_destination() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 6_000)));
    let asked = Request { gratuitous: true, ..request(1, 2, (8, 4), 9, None) };
    timeline! { rig;
        at 1 s: ask(0, 5, asked) => [
            found(8, 3),
            send(&c, 0, 35, &reply(9, 4, 7, 8, 5_000)),
            send(&c, 2, 35, &reply(8, 3, 4, 9, 5_360)),
        ];
    }
    assert_eq!(rig.aodv.counters().rrep_originated, 2);
}

/// ns-2.35 cuts lifetimes to seconds.
#[test]
fn lifetimes_in_replies_are_cut() {
    let c = AodvConfig { lifetime_unit: Dur::from_secs(1), ..config() };
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 6_000)));
    timeline! { rig;
        at 1500 ms: ask(0, 5, request(1, 2, (8, 4), 9, None)) =>
            [found(8, 3), send(&c, 0, 35, &reply(9, 4, 7, 8, 4_000))];
    }
}

/// RFC 3561 §6.7: news go on to the node that asked; what is no news does not.
#[test]
fn a_reply_goes_back_as_long_as_it_is_news() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, ask(0, 5, request(1, 2, (8, 4), 9, None)));
    timeline! { rig;
        at 1 s: Tell::Hear(2, 9, reply(9, 3, 7, 8, 6_000)) => [found(9, 4), send(&c, 0, 8, &reply(9, 4, 7, 8, 6_000))];
        at 1 s: Tell::Hear(3, 9, reply(9, 3, 7, 8, 6_000)) => []; // as long
        at 1 s: Tell::Hear(3, 9, reply(9, 1, 6, 8, 6_000)) => []; // older
        at 1 s: Tell::Hear(3, 9, reply(9, 2, 7, 8, 6_000)) => [send(&c, 0, 8, &reply(9, 3, 7, 8, 6_000))];
        at 1 s: Tell::Hear(2, 9, reply(9, 8, 9, 8, 6_000)) => [send(&c, 0, 8, &reply(9, 9, 9, 8, 6_000))];
        at 1 s: Tell::Hear(2, 9, reply(ME.0, 8, 9, 8, 6_000)) => []; // about itself
    }
    assert_eq!(rig.route("1 s", 9), Some((2, 9, Some(9))));
    let nobody = rig.feed(instant("1 s"), Tell::Hear(2, 9, reply(5, 1, 1, 77, 6_000)));
    assert!(
        matches!(nobody[..], [_, Action::Dropped(lost)] if lost.reason == DropReason::NoRoute),
        "{nobody:?}"
    );
}

/// RFC 3561 §6.8: the node that does not acknowledge does not hear this node.
#[test]
fn who_does_not_acknowledge_is_not_listened_to() {
    let c = AodvConfig { rrep_ack: true, ..config() };
    let told = |destination, hops, number, originator, lifetime_ms| {
        let Message::Reply(reply) = reply(destination, hops, number, originator, lifetime_ms) else {
            unreachable!()
        };
        Message::Reply(Reply { acknowledge: true, ..reply })
    };
    let mut rig = Rig::new(c.clone());
    timeline! { rig;
        at 0 ms:  ask(0, 5, request(1, 2, (8, 4), ME.0, None)) => [found(8, 3), send(&c, 0, 35, &told(ME.0, 0, 0, 8, 6_000))];
        at 10 ms: Tell::Hear(0, 1, Message::Acknowledgment) => [];
        at 60 ms: TIMER => [];
        at 1 s:   ask(0, 5, request(2, 2, (8, 5), ME.0, None)) => [send(&c, 0, 35, &told(ME.0, 0, 0, 8, 6_000))];
    }
    assert_eq!(rig.wakes("1 s"), instant("1050 ms"), "NEXT_HOP_WAIT");
    timeline! { rig;
        at 1050 ms: TIMER => [];
        at 1060 ms: ask(0, 5, request(3, 2, (8, 6), ME.0, None)) => [];
        at 6650 ms: ask(0, 5, request(4, 2, (8, 7), ME.0, None)) =>
            [found(8, 3), send(&c, 0, 35, &told(ME.0, 0, 0, 8, 6_000))];
    }
    assert_eq!(rig.aodv.counters().blacklisted, 1);
    // The node that is asked to acknowledge does.
    timeline! { rig;
        at 7 s: Tell::Hear(2, 9, told(9, 3, 7, ME.0, 6_000)) => [send(&c, 2, 1, &Message::Acknowledgment), found(9, 4)];
    }
}

/// A reply that the MAC gives up says the same, but not in ns-2.35.
#[test]
fn a_reply_that_is_given_up_puts_the_neighbour_on_the_blacklist() {
    for (rrep_feedback, listed) in [(true, 1), (false, 0)] {
        let mut rig = Rig::new(AodvConfig { rrep_feedback, ..config() });
        let packet = routing_message(&mut rig.packets, Protocol::Aodv, &emit(&reply(9, 0, 1, 8, 1)));
        let given_up = GivenUp { packet, to: NodeId(0), reason: DropReason::RetryLimitRts };
        let mut out = Vec::new();
        rig.aodv.given_up(&mut cx(instant("1 s"), &mut rig.packets), given_up, &mut out);
        assert_eq!(rig.aodv.counters().blacklisted, listed);
        let heard = rig.feed(instant("1 s"), ask(0, 5, request(1, 2, (8, 4), 9, None)));
        assert_eq!(heard.is_empty(), rrep_feedback);
    }
}

/// RFC 3561 §6.2: the ends and the hops before and behind live on; ns-2.35: the destination's entry alone.
#[test]
fn use_prolongs_the_routes_of_all_concerned() {
    for (refresh, alive) in [(Refresh::All, true), (Refresh::Dst, false)] {
        let c = AodvConfig { refresh, neighbour_routes: true, ..config() };
        let mut rig = Rig::new(c);
        rig.feed(SimTime::ZERO, ask(0, 5, request(1, 2, (8, 4), 9, None)));
        rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, 8, 3_000)));
        let packet = rig.packet(8, 9);
        for at in ["2 s", "4 s", "6 s"] {
            let way = rig.ask(instant(at), packet, Provenance::Neighbour(NodeId(0)), &mut Vec::new());
            assert_eq!(way, Decision::To(NodeId(2)));
        }
        assert!(rig.route("8999 ms", 9).is_some());
        assert_eq!([8, 0, 2].map(|node| rig.route("8 s", node).is_some()), [alive; 3], "{refresh:?}");
        assert!(rig.route("9 s", 9).is_none());
    }
}

/// ns-2.35 looks every half second, and uses the route until then.
#[test]
fn an_expired_route_is_used_until_it_is_looked_at() {
    let mut rig = Rig::new(AodvConfig { purge: Dur::from_ms(500), ..config() });
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 3_200)));
    assert!(rig.route("3499 ms", 9).is_some());
    assert!(rig.route("3500 ms", 9).is_none());
}

/// ns-2.35's agent counts an IP header in packets that are not of TCP.
#[test]
fn a_datagram_is_longer_by_a_header_where_the_agent_adds_one() {
    for (header, size) in [(DataHeader::None, 100), (DataHeader::NotTcp, 120)] {
        let mut rig = Rig::new(AodvConfig { header, ..config() });
        rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 6_000)));
        let packet = rig.packet(ME.0, 9);
        let way = rig.ask(instant("1 s"), packet, Provenance::Here, &mut Vec::new());
        assert_eq!((way, rig.packets[packet].size), (Decision::To(NodeId(2)), Bytes(size)));
        let way = rig.ask(instant("1 s"), packet, Provenance::Neighbour(NodeId(0)), &mut Vec::new());
        assert_eq!(
            (way, rig.packets[packet].size),
            (Decision::To(NodeId(2)), Bytes(size)),
            "at its source only"
        );
    }
}

/// RFC 3561 §6.9: a node in use says that it is there; two intervals of silence are a broken link.
#[test]
fn hellos_find_neighbours_and_miss_them() {
    let c = AodvConfig { link_detection: LinkDetection::Hello, ..config() };
    let mut rig = Rig::new(c.clone());
    let first = rig.wakes("0 s");
    assert!(first <= instant("1 s"));
    assert!(rig.feed(first, TIMER).is_empty(), "no route, no hello");
    timeline! { rig;
        at 1 s: Tell::Hello(2, 4) => [found(2, 1)];
    }
    let second = rig.wakes("1 s");
    assert_eq!(second, first + Dur::from_secs(1));
    assert_eq!(rig.feed(second, TIMER), [flood(&c, 1, &reply(ME.0, 0, 0, ME.0, 2_000))]);
    // What the MAC gives up means nothing here.
    rig.feed(second, Tell::Lost { to: 2, from: 0, destination: 2, travelled: 1 });
    assert!(rig.route("2 s", 2).is_some());
    rig.feed(instant("2500 ms"), Tell::Hello(2, 4));
    assert!(!rig.feed(instant("4499 ms"), TIMER).contains(&gone(2)));
    assert!(rig.route("4499 ms", 2).is_some());
    rig.feed(instant("4500 ms"), TIMER);
    assert!(rig.route("4500 ms", 2).is_none());
}

#[test]
fn what_is_not_aodv_is_unclaimed_and_what_is_cut_malformed() {
    let mut rig = Rig::new(config());
    for (protocol, bytes, reason) in [
        (Protocol::Dsdv, &[1, 2, 3, 4][..], DropReason::Unclaimed),
        (Protocol::Aodv, &[1, 2, 3, 4], DropReason::Malformed),
    ] {
        let packet = routing_message(&mut rig.packets, protocol, bytes);
        let out = rig.feed(instant("1 s"), Tell::Plain(Input::Message { packet, from: NodeId(2) }));
        assert!(matches!(out[..], [Action::Dropped(lost)] if lost.reason == reason), "{out:?}");
    }
}

/// RFC 3561 §6.5, §6.7: each message makes a route to the neighbour that sent it.
#[test]
fn a_message_makes_a_route_to_its_sender() {
    let mut rig = Rig::new(AodvConfig { neighbour_routes: true, ..config() });
    rig.feed(SimTime::ZERO, ask(0, 5, request(1, 2, (8, 4), 9, None)));
    assert_eq!(rig.route("2999 ms", 0), Some((0, 1, None)));
    assert_eq!(rig.route("3 s", 0), None);
}

/// RFC 3561 §6.7: a hop limit as of any packet; the way on which it goes back lives for ACTIVE_ROUTE_TIMEOUT from then
/// on.
#[test]
fn a_reply_goes_as_far_as_its_hop_limit_and_keeps_the_way_back() {
    let c = AodvConfig { reverse_life: Dur::from_secs(1), ..config() };
    for (ttl, passed_on, last) in [(1, None, "999 ms"), (2, Some(1), "3899 ms")] {
        let mut rig = Rig::new(c.clone());
        rig.feed(SimTime::ZERO, ask(0, 5, request(1, 2, (8, 4), 9, None)));
        let out = rig.feed(instant("900 ms"), Tell::Hear(2, ttl, reply(9, 3, 7, 8, 6_000)));
        let sent = passed_on.map(|ttl| send(&c, 0, ttl, &reply(9, 4, 7, 8, 6_000)));
        assert_eq!(out, [found(9, 4)].into_iter().chain(sent).collect::<Vec<_>>());
        assert!(rig.route(last, 8).is_some());
        let ended = instant(last) + Dur::from_ms(1);
        assert!(rig.aodv.table_mut().valid(ended, NodeId(8)).is_none());
        assert_eq!(rig.aodv.counters().rrep_forwarded, u64::from(passed_on.is_some()));
    }
}

/// Nothing in this node wanted a packet for it: the node that asks for a way to itself has found none to give it to.
#[test]
fn a_packet_for_this_node_has_no_way() {
    let mut rig = Rig::new(config());
    timeline! { rig; at 1 s: Tell::Route(ME.0) => []; at 1 s: Tell::Pass(0, ME.0) => []; }
    assert_eq!((rig.decision, rig.waiting()), (Some(Decision::Refused(DropReason::Unclaimed)), 0));
}

/// ns-2.35 adds no header to segments; nor does anybody else to what has to wait.
#[test]
fn a_packet_that_waits_is_as_long_as_one_that_goes() {
    for (header, kind, size) in [
        (DataHeader::None, "datagram", 100),
        (DataHeader::NotTcp, "datagram", 120),
        (DataHeader::NotTcp, "segment", 100),
    ] {
        let mut rig = Rig::new(AodvConfig { header, ..config() });
        let packet = rig.packet(ME.0, 9);
        if kind == "segment" {
            rig.packets[packet].payload = Payload::Tcp(Segment::default());
        }
        let way = rig.ask(instant("1 s"), packet, Provenance::Here, &mut Vec::new());
        assert_eq!((way, rig.packets[packet].size), (Decision::Waiting, Bytes(size)), "{kind}, {header:?}");
    }
}

/// RFC 3561 §6.1: a number that is older than its own does not set it back.
#[test]
fn a_destination_keeps_a_number_that_is_newer_than_what_is_asked_for() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    for (asked, told) in [(Some(7), 7), (Some(3), 7), (None, 7), (Some(9), 9)] {
        let Action::Send(sent) = send(&c, 0, 35, &reply(ME.0, 0, told, 8, 6_000)) else { unreachable!() };
        let out =
            rig.feed(instant("1 s"), ask(0, 5, request(told + asked.unwrap_or(0), 2, (8, 4), ME.0, asked)));
        assert_eq!(out.last(), Some(&Action::Send(sent)), "{asked:?}");
    }
}

/// A route without a number, one that never told it, answers nothing; with the key one that leads through the asker
/// does.
#[test]
fn which_routes_answer() {
    let c = AodvConfig { neighbour_routes: true, ..config() };
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Hear(2, 1, Message::Acknowledgment));
    let passed_on = flood(&c, 4, &Message::Request(request(1, 3, (8, 4), 2, None)));
    assert!(rig.feed(SimTime::ZERO, ask(0, 5, request(1, 2, (8, 4), 2, None))).contains(&passed_on));
    for reply_through_asker in [false, true] {
        let c = AodvConfig { reply_through_asker, ..config() };
        let mut rig = Rig::new(c.clone());
        rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 6_000)));
        let out = rig.feed(instant("1 s"), ask(2, 5, request(1, 2, (8, 4), 9, None)));
        assert_eq!(out.contains(&send(&c, 2, 35, &reply(9, 4, 7, 8, 5_000))), reply_through_asker, "{out:?}");
    }
}
