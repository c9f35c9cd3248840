//! Searches: rings, waits, retries, the limit, and what becomes of packets that wait.

use super::rig::{ME, Rig, START, STOP, TIMER, Tell, config, found, own, reply, request, send};
use crate::routing::aodv::{AodvConfig, FirstTtl, Message, RreqWait, Sequencing};
use crate::routing::contract::{Action, Decision, Input, Provenance};
use crate::testing::{instant, timeline};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::DropReason;

fn lost_packets(actions: &[Action]) -> Vec<DropReason> {
    let reason = |action: &Action| match action {
        Action::Dropped(dropped) => Some(dropped.reason),
        _ => None,
    };
    actions.iter().filter_map(reason).collect()
}

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
    let packet = rig.aodv.packets().next().expect("it waits");
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

/// What is heard while a search runs ends it too: somebody looked for this node.
#[test]
fn a_request_from_the_one_that_is_looked_for_ends_the_search() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Route(9));
    let packet = rig.aodv.packets().next().expect("it waits");
    timeline! { rig;
        at 1 ms: Tell::Hear(2, 5, Message::Request(request(4, 2, (9, 6), ME.0, None))) => [
            found(9, 3),
            Action::Forward { packet, to: NodeId(2), delay: Dur::ZERO },
            send(&c, 2, 35, &reply(ME.0, 0, 1, 9, 6_000)),
        ];
    }
    assert_eq!(rig.waiting(), 0);
}

/// ns-2.35: the whole network at first, from the hops of the last route later; waits by what a hop took, looked at every
/// half second; a pause of 10 s.
#[test]
fn as_in_ns2_a_search_begins_with_the_whole_network_and_is_looked_at_every_half_second() {
    let c = AodvConfig {
        first_ttl: FirstTtl::Diameter,
        rreq_wait: RreqWait::Measured,
        rreq_retries: 3,
        rreq_hold: Dur::from_secs(10),
        purge: Dur::from_ms(500),
        node_traversal: Dur::from_ms(30),
        diameter: 30,
        rreq_limit: 0,
        sequence: Sequencing::Even,
        delete_period: Dur::ZERO,
        ..config()
    };
    let mut rig = Rig::new(c.clone());
    // Never reachable: as traced.
    timeline! { rig;
        at 10 s:    Tell::Route(9) => [own(&c, 30, 1, 4, 9, None)];
        at 11500 ms: TIMER         => [];
        at 12 s:    TIMER          => [own(&c, 30, 2, 6, 9, None)];
        at 15500 ms: TIMER         => [];
        at 16 s:    TIMER          => [own(&c, 30, 3, 8, 9, None)];
        at 21500 ms: TIMER         => [own(&c, 30, 4, 10, 9, None)];
        at 28500 ms: TIMER         => [];
    }
    assert_eq!(rig.wakes("28600 ms"), instant("29 s"));
    assert_eq!(lost_packets(&rig.feed(instant("29 s"), TIMER)), [DropReason::NoRoute]);
    timeline! { rig;
        at 38 s: Tell::Route(9) => [];
        at 39 s: TIMER          => [own(&c, 30, 5, 12, 9, None)];
        at 41 s: TIMER          => [own(&c, 30, 6, 14, 9, None)];
    }
    // Found over four hops in 28 ms, lost, and looked for again: 6, 8, then the network.
    let mut rig = Rig::new(c.clone());
    rig.feed(instant("10 s"), Tell::Route(9));
    rig.feed(instant("10028 ms"), Tell::Hear(2, 30, reply(9, 3, 8, ME.0, 10_000)));
    timeline! { rig;
        at 30140 ms: Tell::Route(9) => [own(&c, 6, 2, 6, 9, Some(9))];
        at 30500 ms: TIMER => [own(&c, 8, 3, 8, 9, Some(9))];
        at 31 s:     TIMER => [own(&c, 30, 4, 10, 9, Some(9))];
        at 31500 ms: TIMER => [own(&c, 30, 5, 12, 9, Some(9))];
        at 32500 ms: TIMER => [own(&c, 30, 6, 14, 9, Some(9))];
        at 34 s:     TIMER => [own(&c, 30, 7, 16, 9, Some(9))];
    }
}

/// Events of one instant come in any order: one that comes before the tick of that instant does not put it off.
#[test]
fn a_packet_at_the_instant_of_a_tick_does_not_put_the_tick_off() {
    let mut rig = Rig::new(AodvConfig { purge: Dur::from_ms(500), ..config() });
    let armed_by = |rig: &mut Rig, at, destination| {
        let (packet, mut out) = (rig.packet(ME.0, destination), Vec::new());
        rig.ask(instant(at), packet, Provenance::Here, &mut out);
        out.pop()
    };
    let due = |at| Some(Action::Arm(instant(at)));
    assert_eq!(
        armed_by(&mut rig, "10 s", 9),
        due("10500 ms"),
        "the first that waits waits for the next tick"
    );
    assert_eq!(armed_by(&mut rig, "10200 ms", 8), due("10500 ms"));
    assert_eq!(armed_by(&mut rig, "10500 ms", 7), due("10500 ms"), "still due");
    rig.feed(instant("10500 ms"), TIMER);
    assert_eq!(armed_by(&mut rig, "10500 ms", 6), due("11 s"), "over");
}

/// Nor does a message at that instant, whether it brings news or is a copy: the table is looked at all the same.
#[test]
fn a_message_at_the_instant_of_a_tick_does_not_put_the_tick_off() {
    let mut rig = Rig::new(AodvConfig { purge: Dur::from_ms(500), ..config() });
    rig.feed(instant("10 s"), Tell::Route(9));
    let tick = instant("10500 ms");
    for _ in 0..2 {
        rig.feed(tick, Tell::Hear(2, 35, reply(8, 3, 7, ME.0, 6_000)));
    }
    let asked = |out: &[Action]| out.iter().any(|action| matches!(action, Action::Send(_)));
    assert!(asked(&rig.feed(tick, TIMER)), "9 is asked for again");
    assert!(!asked(&rig.feed(tick, TIMER)), "once");
}

#[test]
fn a_search_of_ns2_lets_packets_go_one_after_the_other() {
    let c = AodvConfig { buffer_spacing: Dur::from_ms(10), ..config() };
    let mut rig = Rig::new(c);
    for _ in 0..3 {
        rig.feed(SimTime::ZERO, Tell::Route(9));
    }
    let out = rig.feed(instant("1 ms"), Tell::Hear(2, 35, reply(9, 3, 7, ME.0, 6_000)));
    let delays: Vec<Dur> = out
        .iter()
        .filter_map(|action| match action {
            Action::Forward { delay, .. } => Some(*delay),
            _ => None,
        })
        .collect();
    assert_eq!(delays, [Dur::ZERO, Dur::from_ms(10), Dur::from_ms(20)]);
}

/// Who wants a route without a packet asks ring after ring, one each time; while a reply is waited for, and where there is a
/// route, not at all.
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
    assert_eq!(rig.feed(instant("3 s"), wanted()), []);
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
