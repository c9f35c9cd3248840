//! A node that has been down knows nothing of what it knew, and is quiet for a while (RFC 3561 §6.13).

use super::rig::{ME, Rig, START, STOP, TIMER, Tell, config, error, found, own, reply, request, send};
use crate::routing::aodv::{AodvConfig, LinkDetection, Message};
use crate::routing::contract::Action;
use crate::testing::{instant, timeline};
use crate::units::SimTime;

/// Node 1 that was down from 1 s to 2 s.
fn rebooted(config: AodvConfig) -> Rig {
    let mut rig = Rig::new(config);
    timeline! { rig; at 1 s: STOP => []; at 2 s: START => []; }
    rig
}

/// Each packet for which it has no route shows that a node still sends along the old ones: the wait begins anew.
#[test]
fn a_packet_that_comes_in_vain_prolongs_the_wait() {
    let c = config();
    let mut rig = rebooted(c.clone());
    timeline! { rig;
        at 10 s: Tell::Pass(0, 9)  => [send(&c, 0, 1, &error(&[(9, 0)]))];
        at 17 s: Tell::Route(8)    => [];
        at 24999 ms: TIMER         => [];
        at 25 s: TIMER             => [own(&c, 1, 1, 1, 8, None)];
    }
    // It is over when the time has come, and then such a packet is one like others.
    let mut rig = rebooted(c.clone());
    timeline! { rig;
        at 17 s: Tell::Pass(0, 9) => [send(&c, 0, 1, &error(&[(9, 0)]))];
        at 17 s: Tell::Route(8)   => [own(&c, 1, 1, 1, 8, None)];
    }
}

/// It learns the way from a reply, but passes none on.
#[test]
fn replies_are_not_passed_on_before_the_wait_is_over() {
    let c = config();
    for (at, passed_on) in [("16999 ms", false), ("17 s", true)] {
        let mut rig = rebooted(c.clone());
        rig.feed(instant("12 s"), Tell::Hear(0, 9, Message::Request(request(1, 0, (0, 1), 9, None))));
        let out = rig.feed(instant(at), Tell::Hear(2, 9, reply(9, 3, 7, 0, 6_000)));
        assert_eq!(out.contains(&send(&c, 0, 8, &reply(9, 4, 7, 0, 6_000))), passed_on, "{out:?}");
        assert_eq!(out[0], found(9, 4));
    }
}

#[test]
fn hellos_wait_as_well() {
    let c = AodvConfig { link_detection: LinkDetection::Both, ..config() };
    let mut rig = rebooted(c);
    rig.feed(instant("3 s"), Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 60_000)));
    let mut sent = |from: u64, to: u64| {
        let all = (from..to).flat_map(|second| rig.feed(SimTime::from_secs(second), TIMER));
        all.filter(|action| matches!(action, Action::Send(_))).count()
    };
    assert_eq!((sent(4, 17), sent(17, 20)), (0, 3));
}

/// Requests that it had seen are new, its own number goes on.
#[test]
fn without_the_wait_it_goes_on_at_once_as_if_it_had_seen_nothing() {
    let c = AodvConfig { reboot_wait: false, ..config() };
    let asked = || Tell::Hear(2, 9, Message::Request(request(1, 0, (5, 1), 1, None)));
    let mut rig = Rig::new(c.clone());
    timeline! { rig;
        at 0 s:   Tell::Route(8) => [own(&c, 1, 1, 1, 8, None)];
        at 10 ms: asked() => [found(5, 1), send(&c, 2, 35, &reply(ME.0, 0, 1, 5, 6_000))];
        at 20 ms: asked() => [];
    }
    assert!(matches!(rig.feed(instant("1 s"), STOP)[..], [Action::Dropped(_)]));
    timeline! { rig;
        at 2 s: START => [];
        at 3 s: asked() => [found(5, 1), send(&c, 2, 35, &reply(ME.0, 0, 1, 5, 6_000))];
        at 3 s: Tell::Route(8) => [own(&c, 1, 2, 2, 8, None)];
    }
}

/// The node that owed it an acknowledgment, and whose hellos it waited for.
#[test]
fn it_waits_for_nobody_any_more() {
    let c = AodvConfig { rrep_ack: true, ..config() };
    let mut rig = Rig::new(c);
    rig.feed(instant("990 ms"), Tell::Hear(0, 5, Message::Request(request(1, 2, (8, 4), ME.0, None))));
    assert_eq!(rig.wakes("990 ms"), instant("1040 ms"));
    timeline! { rig; at 1 s: STOP => []; at 2 s: START => []; }
    assert_eq!((rig.wakes("2 s"), rig.aodv.counters().blacklisted), (SimTime::MAX, 0));
    let mut rig = Rig::new(AodvConfig { link_detection: LinkDetection::Hello, ..config() });
    rig.feed(instant("990 ms"), Tell::Hello(2, 5));
    timeline! { rig; at 1 s: STOP => []; }
    assert_eq!(rig.wakes("1 s"), SimTime::MAX);
}
