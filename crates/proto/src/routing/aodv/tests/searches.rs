//! Searches: rings, waits, retries, the limit, and what becomes of packets that wait.

use super::rig::{
    ME, Rig, START, STOP, TIMER, Tell, config, found, lost_packets, own, relay, reply, request, send,
};
use crate::routing::Routing;
use crate::routing::aodv::{AodvConfig, LocalRepair, Message};
use crate::routing::contract::{Action, Decision, Input};
use crate::testing::{instant, timeline};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::DropReason;

/// RFC 3561 §6.4: rings of 1, 3, 5 and 7 hops, each for 80 ms a hop and two, then the network, doubling.
#[test]
fn an_expanding_ring_then_the_whole_network_with_doubling_waits() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    timeline! { rig;
        at 0 s:     Tell::Route(9) => [own(&c, 1, 1, 1, 9, None)];
        at 239 ms:  TIMER          => [];
        at 240 ms:  TIMER          => [own(&c, 3, 2, 2, 9, None)];
        at 640 ms:  TIMER          => [own(&c, 5, 3, 3, 9, None)];
        at 1200 ms: TIMER          => [own(&c, 7, 4, 4, 9, None)];
        at 1920 ms: TIMER          => [own(&c, 35, 5, 5, 9, None)];
        at 4719 ms: TIMER          => [];
        at 4720 ms: TIMER          => [own(&c, 35, 6, 6, 9, None)];
        at 10319 ms: TIMER         => [];
        at 10320 ms: TIMER         => [own(&c, 35, 7, 7, 9, None)];
    }
    assert_eq!((rig.decision, rig.waiting()), (Some(Decision::Waiting), 1));
    let end = rig.feed(instant("21520 ms"), TIMER);
    assert_eq!(lost_packets(&end), [DropReason::NoRoute]);
    assert_eq!(rig.wakes("21520 ms"), SimTime::MAX);
    assert_eq!(rig.aodv.counters().searches_failed, 1);
    // A new packet begins a new search.
    timeline! { rig; at 22 s: Tell::Route(9) => [own(&c, 1, 8, 8, 9, None)]; }
}

#[test]
fn a_packet_asks_while_no_request_is_out_and_only_then() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    timeline! { rig;
        at 0 s:    Tell::Route(9) => [own(&c, 1, 1, 1, 9, None)];
        at 10 ms:  Tell::Route(9) => [];
        at 20 ms:  Tell::Route(8) => [own(&c, 1, 2, 2, 8, None)];
    }
    assert_eq!(rig.waiting(), 3);
    assert_eq!(rig.wakes("20 ms"), instant("240 ms"));
}

#[test]
fn a_reply_ends_the_search_and_what_waits_goes() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    timeline! { rig; at 0 s: Tell::Route(9) => [own(&c, 1, 1, 1, 9, None)]; }
    let packet = rig.aodv.packets().into_iter().next().expect("it waits");
    timeline! { rig;
        at 1 ms: Tell::Hear(2, 35, reply(9, 3, 7, ME.0, 6_000)) =>
            [found(9, 4), Action::Forward { packet, to: NodeId(2), delay: Dur::ZERO }];
        at 2 ms: Tell::Route(9) => [];
    }
    assert_eq!(rig.decision, Some(Decision::To(NodeId(2))));
    assert_eq!(rig.route("2 ms", 9), Some((2, 4, Some(7))));
    assert_eq!(rig.wakes("2 ms"), SimTime::MAX, "no search, no wait");
}

/// RFC 3561 §6.4: a ring from the hops of the last route, and its number, as long as these are remembered.
#[test]
fn a_lost_route_is_looked_for_where_it_was() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    timeline! { rig;
        at 0 s: Tell::Hear(2, 35, reply(9, 3, 7, ME.0, 3_000)) => [found(9, 4)];
    }
    assert_eq!(rig.route("2999 ms", 9), Some((2, 4, Some(7))));
    assert_eq!(rig.route("3 s", 9), None, "it ends by itself");
    timeline! { rig; at 10 s: Tell::Route(9) => [own(&c, 6, 1, 1, 9, Some(8))]; }
    let mut late = Rig::new(c.clone());
    timeline! { late;
        at 0 s:  Tell::Hear(2, 35, reply(9, 3, 7, ME.0, 3_000)) => [found(9, 4)];
        at 18 s: Tell::Route(9) => [own(&c, 1, 1, 1, 9, None)]; // DELETE_PERIOD is over
    }
}

#[test]
fn no_more_requests_than_the_limit_in_a_second() {
    let c = AodvConfig { rreq_limit: 2, ..config() };
    let mut rig = Rig::new(c.clone());
    timeline! { rig;
        at 0 ms:   Tell::Route(7) => [own(&c, 1, 1, 1, 7, None)];
        at 10 ms:  Tell::Route(8) => [own(&c, 1, 2, 2, 8, None)];
        at 20 ms:  Tell::Route(9) => [];
        at 240 ms: TIMER => [];
        at 999 ms: TIMER => [];
    }
    let sent = rig.feed(instant("1 s"), TIMER);
    assert_eq!(sent.iter().filter(|action| matches!(action, Action::Send(_))).count(), 1, "{sent:?}");
    assert_eq!(rig.wakes("1 s"), instant("1010 ms"));
}

#[test]
fn a_packet_waits_no_longer_than_it_may() {
    let c = AodvConfig { buffer_age: Dur::from_secs(2), ..config() };
    let mut rig = Rig::new(c);
    rig.feed(SimTime::ZERO, Tell::Route(9));
    assert_eq!(lost_packets(&rig.feed(instant("2 s"), TIMER)), [DropReason::RouteTimeout]);
    rig.feed(instant("3 s"), TIMER);
    assert_eq!(rig.wakes("3 s"), SimTime::MAX, "nobody waits, nobody is asked");
}

/// RFC 3561 §6.13.
#[test]
fn a_node_that_comes_back_asks_for_nothing_until_it_is_forgotten() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    timeline! { rig;
        at 0 s:  Tell::Hear(2, 35, reply(9, 3, 7, ME.0, 6_000)) => [found(9, 4)];
        at 1 s:  STOP => [];
        at 2 s:  START => [];
        at 3 s:  Tell::Route(9) => [];
        at 4 s:  Tell::Hear(0, 9, Message::Request(request(1, 0, (0, 1), 8, None))) => [found(0, 1)];
        at 17 s: TIMER => [own(&c, 1, 1, 1, 9, None)];
    }
}

/// What is heard while a search runs ends it too: a node looked for this node.
#[test]
fn a_request_from_the_one_that_is_looked_for_ends_the_search() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Route(9));
    let packet = rig.aodv.packets().into_iter().next().expect("it waits");
    timeline! { rig;
        at 1 ms: Tell::Hear(2, 5, Message::Request(request(4, 2, (9, 6), ME.0, None))) => [
            found(9, 3),
            Action::Forward { packet, to: NodeId(2), delay: Dur::ZERO },
            send(&c, 2, 35, &reply(ME.0, 0, 1, 9, 6_000)),
        ];
    }
    assert_eq!(rig.waiting(), 0);
}

/// The node that wants a route without a packet asks ring after ring, one each time; while a reply is waited for, and
/// where there is a route, not at all.
#[test]
fn a_route_is_asked_for_without_a_packet() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    let wanted = || Tell::Plain(Input::Wanted(NodeId(9)));
    timeline! { rig;
        at 0 s:    wanted() => [own(&c, 1, 1, 1, 9, None)];
        at 1 ms:   wanted() => [];
        at 240 ms: TIMER    => [];
        at 2 s:    wanted() => [own(&c, 3, 2, 2, 9, None)];
    }
    assert!(
        rig.feed(instant("2100 ms"), Tell::Hear(4, 5, reply(9, 2, 4, ME.0, 5000))).contains(&found(9, 3))
    );
    assert_eq!(rig.feed(instant("3 s"), wanted()), [found(9, 3)], "there is one");
    assert_eq!(rig.feed(instant("3 s"), Tell::Plain(Input::Wanted(ME))), [], "itself");
}

/// What is asked for is one destination, as long as a request for it is out.
#[test]
fn a_search_is_of_one_destination_until_it_ends() {
    let mut rig = Rig::new(config());
    rig.feed(SimTime::ZERO, Tell::Route(9));
    assert_eq!([9, 8].map(|node| rig.aodv.asks_for(NodeId(node))), [true, false]);
    rig.feed(instant("1 ms"), Tell::Hear(2, 35, reply(9, 3, 7, ME.0, 6_000)));
    assert!(!rig.aodv.asks_for(NodeId(9)));
}

/// The end of a packet's wait comes before that of the search.
#[test]
fn it_wakes_when_a_packet_has_waited_too_long() {
    let mut rig = Rig::new(AodvConfig { buffer_age: Dur::from_ms(100), ..config() });
    rig.feed(SimTime::ZERO, Tell::Route(9));
    assert_eq!(rig.wakes("0 s"), instant("100 ms"));
}

/// Each search is one of its own: that one has been answered says nothing of another.
#[test]
fn an_answer_ends_the_search_that_it_answers() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    timeline! { rig;
        at 0 s: Tell::Route(9) => [own(&c, 1, 1, 1, 9, None)];
        at 0 s: Tell::Route(8) => [own(&c, 1, 2, 2, 8, None)];
    }
    rig.feed(instant("1 ms"), Tell::Hear(2, 35, reply(8, 3, 7, ME.0, 6_000)));
    timeline! { rig; at 240 ms: TIMER => [own(&c, 3, 3, 3, 9, None)]; }
}

/// What waited uses the route, which lives on for ACTIVE_ROUTE_TIMEOUT; the next search begins at once, and as any
/// other.
#[test]
fn after_an_answer_the_next_search_is_a_new_one() {
    let c = AodvConfig { local_repair: LocalRepair::Off, ..config() };
    let mut rig = Rig::new(c.clone());
    timeline! { rig;
        at 0 s:    Tell::Route(9) => [own(&c, 1, 1, 1, 9, None)];
        at 240 ms: TIMER          => [own(&c, 3, 2, 2, 9, None)];
    }
    rig.feed(instant("300 ms"), Tell::Hear(2, 35, reply(9, 0, 7, ME.0, 1_000)));
    assert!(rig.route("3299 ms", 9).is_some());
    rig.feed(instant("310 ms"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    timeline! { rig;
        at 320 ms: Tell::Route(9) => [own(&c, 3, 3, 3, 9, Some(8))];
        at 720 ms: TIMER          => [own(&c, 5, 4, 4, 9, Some(8))];
    }
}

/// Only the search for which a packet waits goes on.
#[test]
fn a_search_for_which_nothing_waits_ends_with_its_ring() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    timeline! { rig;
        at 0 s:    Tell::Plain(Input::Wanted(NodeId(9))) => [own(&c, 1, 1, 1, 9, None)];
        at 0 s:    Tell::Route(8) => [own(&c, 1, 2, 2, 8, None)];
        at 240 ms: TIMER => [own(&c, 3, 3, 3, 8, None)];
    }
}

/// What waits for another destination waits on when one is given up.
#[test]
fn a_search_that_fails_is_of_one_destination() {
    let c = AodvConfig { rreq_retries: 0, ttl_threshold: 0, ..config() };
    let mut rig = Rig::new(c);
    rig.feed(SimTime::ZERO, Tell::Route(9));
    rig.feed(instant("1 s"), Tell::Route(8));
    assert_eq!(lost_packets(&rig.feed(instant("2800 ms"), TIMER)), [DropReason::NoRoute]);
    assert_eq!((rig.waiting(), rig.aodv.asks_for(NodeId(8))), (1, true));
}

/// One in a second is a limit as well.
#[test]
fn one_request_a_second() {
    let c = AodvConfig { rreq_limit: 1, ..config() };
    let mut rig = Rig::new(c.clone());
    timeline! { rig;
        at 0 ms:   Tell::Route(9) => [own(&c, 1, 1, 1, 9, None)];
        at 240 ms: TIMER => [];
        at 1 s:    TIMER => [own(&c, 3, 2, 2, 9, None)];
    }
}

/// A request of the one that is looked for ends the search whether a packet waits or not, if it is news; the way is
/// used, and lives as long as any route in use.
#[test]
fn a_request_ends_a_search_without_a_packet_if_it_is_news() {
    let c = AodvConfig { reverse_life: Dur::from_secs(1), rreq_limit: 0, ..config() };
    let asks = |id, own| Tell::Hear(2, 1, Message::Request(request(id, 2, (9, own), 5, None)));
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Plain(Input::Wanted(NodeId(9))));
    rig.feed(SimTime::ZERO, Tell::Plain(Input::Wanted(NodeId(8))));
    timeline! { rig; at 10 ms: asks(1, 6) => [found(9, 3)]; }
    assert_eq!([9, 8].map(|node| rig.aodv.asks_for(NodeId(node))), [false, true]);
    assert!(rig.route("3009 ms", 9).is_some());
    assert_eq!(rig.route("3010 ms", 9), None);
    // Older than what is known of the route that has expired: the search goes on.
    rig.feed(instant("4 s"), Tell::Plain(Input::Wanted(NodeId(9))));
    timeline! { rig; at 4010 ms: asks(2, 5) => []; }
    assert!(rig.aodv.asks_for(NodeId(9)));
    // A node that nothing here looks for, but another node does: the way back is not used, and ends when it ends.
    let mut rig = Rig::new(c);
    rig.feed(SimTime::ZERO, Tell::Plain(Input::Wanted(NodeId(8))));
    timeline! { rig; at 0 s: asks(1, 6) => [found(9, 3)]; }
    assert!(rig.route("999 ms", 9).is_some());
    assert_eq!(rig.route("1 s", 9), None);
}

/// RFC 3561 §6.12: also a request of the destination mends the route.
#[test]
fn a_request_of_the_destination_mends_the_route() {
    let mut rig = relay(config(), 4);
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    let out =
        rig.feed(instant("1100 ms"), Tell::Hear(3, 1, Message::Request(request(1, 2, (9, 20), 5, None))));
    assert!(matches!(out[..], [_, Action::Forward { to: NodeId(3), .. }]), "{out:?}");
    assert_eq!((&out[0], rig.aodv.counters().repaired), (&found(9, 3), 1));
}

/// A destination that was not found is asked for again when the pause is over, by what waits for it.
#[test]
fn what_waits_through_a_pause_is_asked_for_at_its_end() {
    let c = AodvConfig { rreq_hold: Dur::from_secs(10), rreq_retries: 0, ttl_threshold: 0, ..config() };
    let mut rig = Rig::new(c.clone());
    timeline! { rig; at 0 s: Tell::Route(9) => [own(&c, 35, 1, 1, 9, None)]; }
    assert_eq!(lost_packets(&rig.feed(instant("2800 ms"), TIMER)), [DropReason::NoRoute]);
    timeline! { rig; at 5 s: Tell::Route(9) => []; }
    assert_eq!(rig.wakes("5 s"), instant("12800 ms"));
    timeline! { rig; at 12800 ms: TIMER => [own(&c, 35, 2, 2, 9, None)]; }
}

/// What the other layers read: they change nothing by asking.
#[test]
fn what_waits_and_where_it_would_go_can_be_read() {
    let mut rig = relay(config(), 2);
    let at = instant("10 ms");
    assert_eq!(rig.aodv.next_hop(at, NodeId(9)), Some(NodeId(2)));
    assert_eq!(rig.aodv.next_hop(at, NodeId(8)), None);
    rig.feed(at, Tell::Route(8));
    let waits = rig.aodv.awaited();
    let read: Vec<_> = waits.iter().map(|it| (it.packet, it.destination, it.since, it.asked)).collect();
    assert_eq!(read, [(rig.aodv.packets()[0], NodeId(8), at, true)]);
    assert!(rig.aodv.asks_for(NodeId(8)) && !rig.aodv.asks_for(NodeId(9)));
}
