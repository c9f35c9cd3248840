//! Searches as ns-2.35 makes them: by the hops of the last route and by what a hop took, looked at every half second.

use super::rig::{ME, Rig, TIMER, Tell, config, flood, lost_packets, own, reply, request};
use crate::routing::Routing;
use crate::routing::aodv::{AodvConfig, FirstTtl, Message, RreqWait, Sequencing};
use crate::routing::contract::{Action, Input, Provenance};
use crate::testing::{cx, instant, timeline};
use crate::units::{Dur, SimTime};
use crate::wire::DropReason;

fn as_in_ns2() -> AodvConfig {
    AodvConfig {
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
    }
}

/// ns-2.35: the whole network at first, from the hops of the last route later; waits by what a hop took, looked at
/// every half second; a pause of 10 s.
#[test]
fn as_in_ns2_a_search_begins_with_the_whole_network_and_is_looked_at_every_half_second() {
    let c = as_in_ns2();
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
        at 35500 ms: TIMER => [];
    }
    assert_eq!(lost_packets(&rig.feed(instant("36 s"), TIMER)), [DropReason::NoRoute]);
    // The hop limit is remembered.
    timeline! { rig; at 46 s: Tell::Route(9) => [own(&c, 30, 8, 18, 9, Some(9))]; }
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

/// Ticks matter while packets wait: the first that waits again waits for the tick after it, not for one long past.
#[test]
fn no_tick_is_left_over_when_nothing_waits() {
    let mut rig = Rig::new(AodvConfig { purge: Dur::from_ms(500), ..config() });
    rig.feed(instant("10 s"), Tell::Route(9));
    rig.feed(instant("10100 ms"), Tell::Hear(2, 35, reply(9, 3, 7, ME.0, 6_000)));
    assert_eq!(rig.wakes("10100 ms"), SimTime::MAX);
    rig.feed(instant("20200 ms"), Tell::Route(8));
    assert_eq!(rig.wakes("20200 ms"), instant("20500 ms"));
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

/// The ring two hops beyond the last route, up to seven hops; eight may go beyond that, and not beyond the network.
#[test]
fn as_in_ns2_one_ring_goes_beyond_the_threshold() {
    for (hops, diameter, ttl) in [(5, 30, 7), (6, 30, 8), (7, 30, 30), (6, 7, 7)] {
        let c = AodvConfig { diameter, ..as_in_ns2() };
        let mut rig = Rig::new(c.clone());
        rig.feed(instant("1 s"), Tell::Hear(2, 9, reply(9, hops - 1, 8, ME.0, 1_000)));
        timeline! { rig; at 10 s: Tell::Route(9) => [own(&c, ttl, 1, 4, 9, Some(9))]; }
    }
}

/// An answer sets the ring to its hops, though the route that is lost later had fewer.
#[test]
fn as_in_ns2_the_ring_begins_at_the_hops_of_the_last_answer() {
    let c = as_in_ns2();
    let mut rig = Rig::new(c.clone());
    rig.feed(instant("10 s"), Tell::Route(9));
    rig.feed(instant("10028 ms"), Tell::Hear(2, 30, reply(9, 4, 8, ME.0, 1_000)));
    rig.feed(instant("10100 ms"), Tell::Hear(3, 1, Message::Request(request(1, 1, (9, 10), 5, None))));
    assert_eq!(rig.route("11 s", 9), Some((3, 2, Some(10))));
    timeline! { rig; at 60 s: Tell::Route(9) => [own(&c, 7, 2, 6, 9, Some(11))]; }
}

/// Twice the hop limit times what a hop took in the last three searches of that destination, once for a ring; 10 s at
/// most.
#[test]
fn as_in_ns2_waits_are_measured() {
    let c = AodvConfig { purge: Dur::from_ms(10), ..as_in_ns2() };
    let mut rig = Rig::new(c.clone());
    let mut now = instant("10 s");
    // Asked for, and answered over `hops` after `ms`; then the route ends. Returns how long the first wait would have
    // been.
    let mut wait = |ms: u64, hops: u8, number: u32| {
        let asked = rig.feed(now, Tell::Route(9));
        assert!(matches!(asked[..], [Action::Send(_)]), "{asked:?} at {now}");
        let mut waits = rig.aodv.clone();
        let end = (1..2_000).map(|tick| now + Dur::from_ms(10 * tick)).find(|&at| {
            let mut out = Vec::new();
            waits.handle(&mut cx(at, &mut rig.packets), Input::Timer, &mut out);
            out.iter().any(|action| matches!(action, Action::Send(_)))
        });
        rig.feed(now + Dur::from_ms(ms), Tell::Hear(2, 30, reply(9, hops - 1, number, ME.0, 1)));
        let waited = end.map(|end| end.saturating_since(now));
        now += Dur::from_secs(60);
        waited
    };
    let seconds = |ms| Some(Dur::from_ms(ms));
    assert_eq!(wait(100, 1, 8), seconds(1_800), "30 hops of 30 ms");
    assert_eq!(wait(400, 2, 10), seconds(600), "3 hops of 100 ms");
    assert_eq!(wait(900, 3, 12), seconds(1_200), "4 hops, of 100 and 200 ms");
    assert_eq!(wait(1_600, 4, 14), seconds(2_000), "5 hops, of 100, 200 and 300 ms");
    assert_eq!(wait(10_000, 1, 16), seconds(3_600), "6 hops, of 200, 300 and 400 ms");
    assert_eq!(wait(10_000, 5, 18), seconds(10_000), "3 hops, of 300, 400 and 10 000 ms: 10 s at most");
}

/// Between two ticks nothing is asked for, though the time has come.
#[test]
fn as_in_ns2_the_end_of_a_wait_is_seen_at_the_next_tick() {
    let c = as_in_ns2();
    let mut rig = Rig::new(c.clone());
    timeline! { rig;
        at 10100 ms: Tell::Route(9) => [own(&c, 30, 1, 4, 9, None)];
        at 11600 ms: TIMER => [];
        at 11950 ms: TIMER => [];
        at 12 s: TIMER => [own(&c, 30, 2, 6, 9, None)];
    }
}

/// What the way back is worth: it lives for 6 s more with each request, also one that is no news.
#[test]
fn as_in_ns2_each_request_keeps_the_way_back() {
    let c = AodvConfig { reverse_life: Dur::from_secs(6), ..as_in_ns2() };
    let mut rig = Rig::new(c.clone());
    let asks = |id, hops, own| Tell::Hear(2, 2, Message::Request(request(id, hops, (8, own), 9, None)));
    rig.feed(SimTime::ZERO, asks(1, 2, 8));
    timeline! { rig;
        at 4 s: asks(2, 5, 6) => [flood(&c, 1, &Message::Request(request(2, 6, (8, 6), 9, None)))];
    }
    assert_eq!(rig.aodv.counters().rreq_forwarded, 2);
    assert_eq!(rig.route("10499 ms", 8), Some((2, 3, Some(8))), "until the tick after its end");
    assert_eq!(rig.route("10500 ms", 8), None);
}
