//! What a relay mends itself, RFC 3561 §6.12, and as in ns-2.35.

use super::rig::{ME, Rig, TIMER, Tell, config, error, flood, found, gone, own, relay, reply, request, send};
use crate::routing::aodv::{
    AodvConfig, LinkDetection, LocalRepair, Message, RerrRule, Sequencing, State, Unreachable,
};
use crate::routing::contract::{Action, Decision, Disposal};
use crate::testing::{instant, timeline};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::DropReason;

/// RFC 3561 §6.12: one request with a newer number, for as long as its ring takes.
#[test]
fn a_relay_near_the_destination_mends_the_route() {
    let c = config();
    let mut rig = relay(c.clone(), 4);
    timeline! { rig;
        at 1 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 } => [own(&c, 6, 1, 1, 9, Some(8))];
        at 1 s: Tell::Pass(0, 9) => [];
        at 1 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 } => [];
    }
    assert_eq!(
        (rig.disposal, rig.decision, rig.waiting()),
        (Some(Disposal::Taken), Some(Decision::Waiting), 3)
    );
    assert_eq!(rig.wakes("1 s"), instant("1640 ms"));
    // A route as long as the old one: no node need know.
    let out = rig.feed(instant("1100 ms"), Tell::Hear(3, 9, reply(9, 3, 8, ME.0, 6_000)));
    assert_eq!((out.len(), &out[0]), (4, &found(9, 4)));
    assert!(out[1..].iter().all(|action| matches!(action, Action::Forward { .. })));
    assert_eq!((rig.aodv.counters().repairs, rig.aodv.counters().repaired), (1, 1));
}

/// RFC 3561 §6.12: those upstream may keep a route that has become longer, and hear of it (N flag).
#[test]
fn a_longer_route_is_told_and_kept() {
    let c = config();
    let mut rig = relay(c.clone(), 4);
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    let out = rig.feed(instant("1100 ms"), Tell::Hear(3, 9, reply(9, 6, 8, ME.0, 6_000)));
    let unreachable = vec![Unreachable { destination: NodeId(9), sequence: 8 }];
    let told = Message::Error { keep: true, unreachable };
    assert!(out.contains(&send(&c, 0, 1, &told)), "{out:?}");
    // A node that hears it keeps the route, and tells its own users.
    let mut upstream = relay(c.clone(), 5);
    timeline! { upstream; at 1 s: Tell::Hear(2, 1, told.clone()) => [send(&c, 0, 1, &told)]; }
    assert!(upstream.route("1 s", 9).is_some());
}

#[test]
fn a_route_that_could_not_be_mended_is_lost_after_all() {
    let c = config();
    let mut rig = relay(c.clone(), 4);
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    rig.feed(instant("1639 ms"), TIMER);
    assert_eq!(rig.waiting(), 1);
    let out = rig.feed(instant("1640 ms"), TIMER);
    assert_eq!(out[..2], [gone(9), send(&c, 0, 1, &error(&[(9, 8)]))]);
    assert!(matches!(out[2..], [Action::Dropped(ref lost)] if lost.reason == DropReason::NoRoute), "{out:?}");
    timeline! { rig; at 2 s: Tell::Pass(0, 9) => [send(&c, 0, 1, &error(&[(9, 9)]))]; }
    let counters = rig.aodv.counters();
    assert_eq!((counters.routes_lost, counters.rerr_originated, counters.rreq_originated), (1, 2, 1));
}

#[test]
fn a_relay_far_from_the_destination_mends_nothing() {
    let c = AodvConfig { diameter: 10, ..config() }; // MAX_REPAIR_TTL is three hops
    let mut rig = relay(c, 4);
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    assert_eq!((rig.disposal, rig.aodv.counters().repairs), (Some(Disposal::Leave), 0));
}

/// ns-2.35: the node that is nearer to the destination than to the source; the number asked for is the one known; the
/// end comes after as long again as has passed, and no node is told.
#[test]
fn as_in_ns2_a_relay_past_the_middle_mends_and_is_late_to_give_up() {
    let c = AodvConfig {
        local_repair: LocalRepair::Ns2,
        accept_equal_if_broken: false,
        sequence: Sequencing::Even,
        delete_period: Dur::ZERO,
        ..config()
    };
    let mut rig = relay(c.clone(), 3);
    rig.feed(instant("20 s"), Tell::Hear(0, 9, Message::Request(request(2, 0, (0, 2), 5, None))));
    rig.feed(instant("20 s"), Tell::Hear(2, 9, reply(9, 2, 8, 0, 6_000)));
    // Three hops come, three to go: no repair. Four come: repair.
    let mut other = rig.aodv.clone();
    std::mem::swap(&mut rig.aodv, &mut other);
    rig.feed(instant("20 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 3 });
    assert_eq!(rig.disposal, Some(Disposal::Leave));
    rig.aodv = other;
    timeline! { rig;
        at 20 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 4 } => [own(&c, 5, 1, 4, 9, Some(8))];
        // A neighbour answers with the number known, and no fewer hops: refused.
        at 21 s: Tell::Hear(3, 9, reply(9, 2, 8, ME.0, 6_000)) => [];
        // And it answers requests itself.
        at 22 s: Tell::Hear(3, 9, Message::Request(request(1, 0, (3, 1), 9, Some(8)))) => [
            found(3, 1),
            send(&c, 3, 35, &reply(9, 3, 8, 3, 4_000)),
        ];
    }
    assert_eq!((rig.disposal, rig.waiting()), (Some(Disposal::Taken), 1));
    assert!(rig.aodv.table_mut().get(instant("40 s"), NodeId(9)).is_some_and(|route| route.hops == 3));
    // The search has been told to end at 20.4 s + its own instant; then the route is down, in silence.
    let out = rig.feed(instant("41 s"), TIMER);
    assert!(out.contains(&gone(9)), "{out:?}");
    assert!(!out.iter().any(|action| matches!(action, Action::Send(message) if message.ttl == 1)));
}

/// RFC 3561 §6.12: the hops of the old route or half of those that the packet has come, whichever are more, and two,
/// but no more than the network has; as near as MAX_REPAIR_TTL, and not farther.
#[test]
fn a_repair_looks_two_hops_beyond_the_old_route_or_the_middle() {
    for (diameter, hops, travelled, ttl) in [(35, 4, 8, 6), (35, 4, 13, 8), (10, 3, 20, 10)] {
        let c = AodvConfig { diameter, ..config() };
        let mut rig = relay(c.clone(), hops);
        timeline! { rig;
            at 1 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled } => [own(&c, ttl, 1, 1, 9, Some(8))];
        }
        assert_eq!((rig.disposal, rig.aodv.counters().repairs), (Some(Disposal::Taken), 1));
        assert_eq!(rig.wakes("1 s"), instant("1 s") + c.ring_traversal(ttl));
    }
}

/// §6.12 is of relays: a source looks for another route, and its packet waits (§6.13).
#[test]
fn a_source_mends_nothing_but_asks() {
    let c = config();
    let mut rig = relay(c.clone(), 4);
    timeline! { rig;
        at 1 s: Tell::Lost { to: 2, from: ME.0, destination: 9, travelled: 0 } =>
            [gone(9), send(&c, 0, 1, &error(&[(9, 8)])), own(&c, 6, 1, 1, 9, Some(8))];
    }
    assert_eq!((rig.disposal, rig.waiting()), (Some(Disposal::Taken), 1));
}

/// The route has been another one since the packet was sent: nothing is broken that leads there.
#[test]
fn a_route_that_leads_elsewhere_by_now_is_not_mended() {
    let mut rig = relay(config(), 4);
    timeline! { rig;
        at 1 s: Tell::Lost { to: 3, from: 0, destination: 9, travelled: 1 } => [];
        at 1 s: Tell::Lost { to: 3, from: 0, destination: 8, travelled: 1 } => []; // never known
    }
    assert_eq!((rig.disposal, rig.aodv.counters().repairs), (Some(Disposal::Leave), 0));
    assert_eq!(rig.route("1 s", 9), Some((2, 4, Some(7))));
}

/// What is found besides is no repair, whether this node looked for it or not.
#[test]
fn the_end_of_another_search_is_no_repair() {
    let c = config();
    let mut rig = relay(c.clone(), 4);
    timeline! { rig;
        at 1 s: Tell::Route(8) => [own(&c, 1, 1, 1, 8, None)];
        at 1 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 } => [own(&c, 6, 2, 2, 9, Some(8))];
    }
    let out = rig.feed(instant("1100 ms"), Tell::Hear(3, 9, reply(8, 6, 1, ME.0, 6_000)));
    assert!(matches!(out[..], [_, Action::Forward { .. }]), "{out:?}");
    assert_eq!(rig.feed(instant("1100 ms"), Tell::Hear(3, 9, reply(7, 6, 1, ME.0, 6_000))), [found(7, 7)]);
    assert_eq!((rig.aodv.counters().repaired, rig.waiting()), (0, 1));
    rig.feed(instant("1200 ms"), Tell::Hear(3, 9, reply(9, 6, 8, ME.0, 6_000)));
    let counters = rig.aodv.counters();
    assert_eq!((counters.repaired, counters.rerr_originated), (1, 1), "a longer one: told");
}

/// What the next hop told of in the meantime is not told again when the repair ends.
#[test]
fn a_route_that_is_lost_while_it_is_mended_is_lost_once() {
    let c = config();
    let mut rig = relay(c.clone(), 4);
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    timeline! { rig;
        at 1100 ms: Tell::Hear(2, 1, error(&[(9, 12)])) => [gone(9), send(&c, 0, 1, &error(&[(9, 12)]))];
    }
    let out = rig.feed(instant("1640 ms"), TIMER);
    assert!(matches!(out[..], [Action::Dropped(_)]), "{out:?}");
    let counters = rig.aodv.counters();
    assert_eq!((counters.routes_lost, counters.rerr_originated, counters.rerr_forwarded), (1, 0, 1));
}

/// It goes out at once, and counts: the next search waits for its turn.
#[test]
fn a_repair_does_not_wait_for_the_limit_of_requests() {
    let c = AodvConfig { rreq_limit: 1, ..config() };
    let mut rig = relay(c.clone(), 4);
    timeline! { rig;
        at 1 s:      Tell::Route(8) => [own(&c, 1, 1, 1, 8, None)];
        at 1010 ms:  Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 } => [own(&c, 6, 2, 2, 9, Some(8))];
        at 1020 ms:  Tell::Route(7) => [];
    }
    assert_eq!(rig.aodv.counters().rreq_originated, 2);
}

/// One request and no other, also for what comes at the very instant of its end.
#[test]
fn a_repair_asks_once() {
    let c = config();
    let mut rig = relay(c, 4);
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    timeline! { rig; at 1640 ms: Tell::Route(9) => []; }
    let out = rig.feed(instant("1640 ms"), TIMER);
    assert!(matches!(out[2..], [Action::Dropped(_), Action::Dropped(_)]), "{out:?}");
    assert_eq!(rig.aodv.counters().rreq_originated, 1);
}

/// Of a route without a number, one to a neighbour that never told it, 0 is told.
#[test]
fn a_route_without_a_number_is_mended_and_lost_like_others() {
    let c = AodvConfig { neighbour_routes: true, ..config() };
    let mut rig = relay(c.clone(), 4);
    timeline! { rig;
        at 1 s: Tell::Lost { to: 2, from: 0, destination: 2, travelled: 1 } =>
            [own(&c, 3, 1, 1, 2, None), gone(9), send(&c, 0, 1, &error(&[(9, 8)]))];
    }
    let out = rig.feed(instant("1400 ms"), TIMER);
    assert_eq!(out[..2], [gone(2), send(&c, 0, 1, &error(&[(2, 0)]))]);
}

/// A hello of a node that a route leads to ends its repair, whatever its number.
#[test]
fn a_hello_mends_a_route_to_its_sender() {
    let c = AodvConfig { link_detection: LinkDetection::Both, ..config() };
    let mut rig = Rig::new(c);
    rig.feed(instant("500 ms"), Tell::Hello(2, 5));
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 2, travelled: 1 });
    assert_eq!((rig.route("1 s", 2), rig.waiting()), (None, 1));
    let out = rig.feed(instant("1100 ms"), Tell::Hello(2, 6));
    assert!(matches!(out[..], [_, Action::Forward { to: NodeId(2), .. }]), "{out:?}");
    assert_eq!(rig.route("1100 ms", 2), Some((2, 1, Some(6))));
    assert_eq!(rig.aodv.counters().repaired, 1);
}

fn as_in_ns2() -> AodvConfig {
    AodvConfig {
        local_repair: LocalRepair::Ns2,
        accept_equal_if_broken: false,
        sequence: Sequencing::Even,
        rerr: RerrRule::Always,
        rerr_limit: 0,
        delete_period: Dur::ZERO,
        ..config()
    }
}

/// ns-2.35 sets the timer of a repair to the instant at which the search shall end, taken for a delay: it looks at 20 s
/// + 20.24 s; the number stays.
#[test]
fn as_in_ns2_the_end_of_a_repair_comes_at_twice_its_time() {
    let mut rig = relay(as_in_ns2(), 3);
    rig.feed(instant("5 s"), Tell::Hear(2, 9, reply(9, 2, 8, 0, 60_000)));
    rig.feed(instant("20 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 4 });
    let looks =
        instant("20 s") + (instant("20 s") + as_in_ns2().ring_traversal(1)).saturating_since(SimTime::ZERO);
    let before = rig.feed(SimTime::from_ns(looks.as_ns() - 1), TIMER);
    assert!(!before.contains(&gone(9)), "{before:?}");
    assert!(rig.feed(looks, TIMER).contains(&gone(9)));
    let route = rig.aodv.table_mut().entry(looks, NodeId(9));
    assert_eq!((route.state, route.last_hops, route.sequence), (State::Invalid, 3, Some(8)));
    assert_eq!(rig.aodv.counters().routes_lost, 1);
}

/// In ns-2.35 a source keeps nothing (§1.6 of its rules: what is not past the middle is dropped, its own too).
#[test]
fn as_in_ns2_a_packet_of_the_node_itself_is_lost() {
    let c = as_in_ns2();
    let mut rig = relay(c.clone(), 3);
    timeline! { rig;
        at 1 s: Tell::Lost { to: 2, from: ME.0, destination: 9, travelled: 0 } => [gone(9), flood(&c, 1, &error(&[(9, 8)]))];
    }
    assert_eq!((rig.disposal, rig.waiting()), (Some(Disposal::Leave), 0));
}

/// ns-2.35 counts a route in repair as one that can be lost: when a packet that is not past the middle fails, all
/// routes of finite hops through that neighbour go, each once. By the RFC the repair goes on.
#[test]
fn a_route_in_repair_goes_with_the_next_break_in_ns2_alone() {
    let broken = |c: &AodvConfig| -> (Vec<Action>, usize) {
        let mut rig = relay(c.clone(), 3);
        for (destination, sequence) in [(5, 4), (8, 6)] {
            rig.feed(instant("1 s"), Tell::Hear(2, 9, reply(destination, 20, sequence, 0, 6_000)));
        }
        rig.feed(instant("1 s"), Tell::Hear(2, 1, error(&[(8, 7)])));
        rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 4 });
        let out = rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 5, travelled: 4 });
        (out, rig.waiting())
    };
    let c = as_in_ns2();
    assert_eq!(broken(&c), (vec![gone(9), gone(5), flood(&c, 1, &error(&[(9, 8), (5, 5)]))], 1));
    // The other route is too long to be mended, and was lost when the first packet failed.
    assert_eq!(broken(&config()), (vec![], 1));
}
