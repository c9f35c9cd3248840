//! When updates go out: the period, settling, the gap between triggered ones, silent neighbours.

use super::rig::*;
use crate::contract::Notice;
use crate::routing::contract::Action;
use crate::routing::{DsdvConfig, Routing};
use crate::testing::timeline;
use crate::units::{Dur, NodeId, SimTime};

const fn lost(destination: u32) -> Action {
    Action::Notice(Notice::RouteLost { destination: NodeId(destination) })
}

//  0      15     30
//  | 1:2  | 1:4  | 1:6     own number, always even
#[test]
fn a_full_update_each_period_raises_the_own_number_by_two() {
    let mut rig = Rig::new(config());
    timeline! { rig;
        at 0 s:  START => [arm("0")];
        at 0 s:  TIMER => [tell(&[(1, 0, 2)]), arm("15")];
        at 7 s:  TIMER => [arm("15")]; // too early
        at 15 s: TIMER => [tell(&[(1, 0, 4)]), arm("30")];
        at 30 s: TIMER => [tell(&[(1, 0, 6)]), arm("45")];
    }
}

#[test]
fn jitter_shortens_the_period_and_spreads_the_start() {
    let mut rig = Rig::new(DsdvConfig { broadcast_jitter: Dur::ZERO, ..DsdvConfig::default() });
    let Action::Arm(first) = rig.feed(SimTime::ZERO, START)[0] else { panic!("armed") };
    assert!(first > SimTime::ZERO && first <= SimTime::from_secs(2));
    let mut now = first;
    for _ in 0..20 {
        let answers = rig.feed(now, TIMER);
        let Some(&Action::Arm(next)) = answers.last() else { panic!("armed") };
        assert!((11.25..=15.0).contains(&(next - now).as_secs_f64()));
        now = next;
    }
}

#[test]
fn an_update_leaves_within_the_jitter() {
    let mut rig = Rig::new(DsdvConfig { broadcast_jitter: Dur::from_ms(10), ..config() });
    rig.feed(SimTime::ZERO, START);
    let answers = rig.feed(SimTime::ZERO, TIMER);
    let [Action::Send(message), Action::Arm(_)] = &answers[..] else { panic!("{answers:?}") };
    assert!(message.delay <= Dur::from_ms(10), "{message:?}");
    assert_eq!(answers, [tell_after(message.delay, &[(1, 0, 2)]), arm("15")]);
}

//  0      1         13         15
//  | full | learn 2 | tell     | full
#[test]
fn a_new_destination_is_told_on_after_twice_the_settling_time() {
    let mut rig = Rig::started();
    timeline! { rig;
        at 1 s:  hear(2, &[(2, 0, 2)]) => [found(2, 1), arm("13")];
        at 12 s: TIMER          => [arm("13")];
        at 13 s: TIMER          => [tell(&[(2, 1, 2)]), arm("15")];
        at 15 s: TIMER          => [tell(&[(1, 0, 4), (2, 1, 2)]), arm("30")];
    }
    assert_eq!(rig.dsdv.table().next_hop(NodeId(2)), Some(NodeId(2)), "though used at once");
}

//  0      10        15                22
//  | full | learn 2 | full without it | tell
#[test]
fn a_full_update_leaves_out_what_has_not_settled_and_its_turn_still_comes() {
    let mut rig = Rig::started();
    timeline! { rig;
        at 10 s: hear(2, &[(2, 0, 2)]) => [found(2, 1), arm("15")];
        at 15 s: TIMER          => [tell(&[(1, 0, 4)]), arm("22")];
        at 22 s: TIMER          => [tell(&[(2, 1, 2)]), arm("30")];
    }
}

//  10         15              22                100
//  | number 2 | number 4      | nothing is ripe | full
#[test]
fn a_newer_number_keeps_the_planned_update_but_may_not_be_ripe_for_it() {
    let mut rig = Rig::new(DsdvConfig { period: Dur::from_secs(100), ..config() });
    rig.feed(SimTime::ZERO, START);
    rig.feed(SimTime::ZERO, TIMER);
    timeline! { rig;
        at 10 s:   hear(2, &[(2, 0, 2)]) => [found(2, 1), arm("22")];
        at 15 s:   hear(2, &[(2, 0, 4)]) => [arm("22")]; // ripe at 15 s + 2 x 0.875 x 6 s
        at 22 s:   TIMER          => [arm("100")];
        at 100 s:  TIMER          => [tell(&[(1, 0, 4), (2, 1, 4)]), arm("200")];
    }
}

/// A triggered update holds what has changed, and what earlier ones held: a broadcast may have been lost. Of several
/// that are due together the first goes out, and one more a second later.
#[test]
fn few_changes_make_a_small_update_that_repeats_until_a_full_one() {
    let mut rig = Rig::started();
    let changes = [(2, 1, 2), (3, 2, 2), (4, 2, 2)];
    timeline! { rig;
        at 1 s:  hear(2, &[(2, 0, 2), (3, 1, 2), (4, 1, 2)]) => [found(2, 1), found(3, 2), found(4, 2), arm("13")];
        at 13 s: TIMER             => [tell(&changes), arm("14")];
        at 14 s: TIMER             => [tell(&changes), arm("15")];
        at 15 s: TIMER             => [tell(&[(1, 0, 4), (2, 1, 2), (3, 2, 2), (4, 2, 2)]), arm("30")];
        at 20 s: hear(3, &[(4, GONE, 1)]) => [arm("20")];
        at 20 s: TIMER             => [tell(&[(4, 2, 2)]), arm("30")];
    }
}

/// More than three changes and more than a third of the table make a triggered update a full one, and the period
/// starts anew.
#[test]
fn many_changes_make_a_full_update_in_place_of_the_next() {
    let mut rig = Rig::started();
    let known = [(2, 0, 2), (3, 1, 2), (4, 1, 2), (5, 1, 2)];
    timeline! { rig;
        at 1 s:  hear(2, &known) => [found(2, 1), found(3, 2), found(4, 2), found(5, 2), arm("13")];
        at 13 s: TIMER    => [tell(&[(1, 0, 4), (2, 1, 2), (3, 2, 2), (4, 2, 2), (5, 2, 2)]), arm("14")];
        at 14 s: TIMER    => [arm("28")]; // nothing is left to tell
        at 28 s: TIMER    => [tell(&[(1, 0, 6), (2, 1, 2), (3, 2, 2), (4, 2, 2), (5, 2, 2)]), arm("43")];
    }
}

//  28     28.5                29             29.2      29.4      30            31
//  | full | 4 to be told: not | tell 4       | 5       | 6       | tell 4 5 6  | and again, as 5 and 6 had asked
//  |      | before one second |              |         |         |             | for one each
#[test]
fn triggered_updates_keep_their_distance_from_all_others() {
    let mut rig = Rig::started();
    let known = [(2, 0, 2), (4, 1, 2), (5, 1, 2), (6, 1, 2), (7, 1, 2), (8, 1, 2)];
    let told = [(4, 2, 2), (5, 2, 2), (6, 2, 2)];
    rig.feed(SimTime::from_secs(1), hear(2, &known));
    for second in [13, 14, 28] {
        rig.feed(SimTime::from_secs(second), TIMER);
    }
    timeline! { rig;
        at 28.5 s: hear(2, &[(4, GONE, 1)]) => [arm("28.5")];
        at 28.5 s: TIMER             => [arm("29")];
        at 29 s:   TIMER             => [tell(&told[..1]), arm("43")];
        at 29.2 s: hear(2, &[(5, GONE, 1)]) => [arm("29.2")];
        at 29.2 s: TIMER             => [arm("30")];
        at 29.4 s: hear(2, &[(6, GONE, 1)]) => [arm("29.4")];
        at 29.4 s: TIMER             => [arm("30")];
        at 30 s:   TIMER             => [tell(&told), arm("31")];
        at 31 s:   TIMER             => [tell(&told), arm("43")];
    }
}

//  1         31       46
//  | heard   | heard  |
//  | 2       | 3      | 2 has been silent for three periods
#[test]
fn a_neighbour_that_is_silent_for_three_periods_is_lost_with_all_behind_it() {
    let mut rig = Rig::started();
    rig.feed(SimTime::from_secs(1), hear(2, &[(2, 0, 2), (4, 1, 8)]));
    for second in [13, 14, 15, 30] {
        rig.feed(SimTime::from_secs(second), TIMER);
    }
    timeline! { rig;
        at 31 s: hear(3, &[(3, 0, 2)]) => [found(3, 1), arm("43")];
        at 43 s: TIMER          => [tell(&[(3, 1, 2)]), arm("45")];
        at 45 s: TIMER          => [tell(&[(1, 0, 8), (2, 1, 2), (4, 2, 8), (3, 1, 2)]), arm("46")];
        at 46 s: TIMER          => [lost(2), lost(4), tell(&[(2, GONE, 3), (4, GONE, 9)]), arm("47")];
        at 47 s: TIMER          => [tell(&[(2, GONE, 3), (4, GONE, 9)]), arm("60")];
    }
    assert_eq!(rig.dsdv.table().next_hop(NodeId(4)), None);
    assert_eq!(rig.dsdv.table().next_hop(NodeId(3)), Some(NodeId(3)));
    assert_eq!(rig.dsdv.routes_lost(), 2);
}

#[test]
fn a_neighbour_that_is_heard_again_in_time_stays() {
    let mut rig = Rig::started();
    rig.feed(SimTime::from_secs(1), hear(2, &[(2, 0, 2)]));
    for period in 1..10 {
        let now = SimTime::from_secs(15 * period);
        rig.feed(now, TIMER);
        rig.feed(now, hear(2, &[(2, 0, 2 + 2 * period as u32)]));
    }
    assert_eq!(rig.route(2), Some((2, 1, 20)));
}

#[test]
fn the_mac_breaks_routes_only_where_it_is_asked_to() {
    let mut deaf = Rig::started();
    deaf.feed(SimTime::from_secs(1), hear(2, &[(2, 0, 2), (4, 1, 8)]));
    timeline! { deaf;
        at 2 s: Tell::LinkFailed(2) => [];
    }
    assert_eq!(deaf.dsdv.table().next_hop(NodeId(4)), Some(NodeId(2)));
    let mut rig = Rig::new(DsdvConfig { link_feedback: true, ..config() });
    rig.feed(SimTime::ZERO, START);
    rig.feed(SimTime::ZERO, TIMER);
    rig.feed(SimTime::from_secs(1), hear(2, &[(2, 0, 2), (4, 1, 8)]));
    timeline! { rig;
        at 2 s:   Tell::LinkFailed(2) => [lost(2), lost(4), arm("2")];
        at 2 s:   TIMER                               => [tell(&[(2, GONE, 3), (4, GONE, 9)]), arm("3")];
        at 2.5 s: Tell::LinkFailed(2) => [arm("3")]; // lost once is enough
    }
}

/// Random parts of the period and of each update's delay: neighbours with one timer must not meet again and again.
#[test]
fn periods_and_delays_differ_from_each_other() {
    let mut rig = Rig::new(DsdvConfig { jitter_low: 0.75, broadcast_jitter: Dur::from_ms(10), ..config() });
    rig.feed(SimTime::ZERO, START);
    let (mut now, mut periods, mut delays) = (SimTime::ZERO, Vec::new(), Vec::new());
    for _ in 0..20 {
        let answers = rig.feed(now, TIMER);
        let [Action::Send(message), Action::Arm(next)] = &answers[..] else { panic!("{answers:?}") };
        delays.push(message.delay);
        periods.push(*next - now);
        now = *next;
    }
    assert!(periods.iter().min() < periods.iter().max(), "{periods:?}");
    assert!(delays.iter().min() < delays.iter().max(), "{delays:?}");
    assert!(delays.iter().all(|&delay| delay <= Dur::from_ms(10)), "{delays:?}");
}

/// A triggered update becomes a full one only where more than a third of all that is known has changed.
#[test]
fn four_changes_among_many_routes_stay_a_small_update() {
    // 2 to 12 and the node itself are twelve: four are just a third.
    for (routes, full) in [(11, false), (10, true)] {
        let mut rig = Rig::started();
        let known: Vec<_> = (2..2 + routes).map(|to| (to, u32::from(to > 2), 2)).collect();
        rig.feed(SimTime::from_secs(1), hear(2, &known));
        for second in [13, 14, 28] {
            rig.feed(SimTime::from_secs(second), TIMER);
        }
        // Outdated losses are changes that go out at once.
        rig.feed(SimTime::from_secs(30), hear(2, &[(4, GONE, 1), (5, GONE, 1), (6, GONE, 1), (7, GONE, 1)]));
        let answers = rig.feed(SimTime::from_secs(30), TIMER);
        let Action::Send(message) = &answers[0] else { panic!("{answers:?}") };
        let lines = told(message);
        assert_eq!(lines.len(), if full { 11 } else { 4 }, "{lines:?}");
        assert_eq!(lines[0].destination == NodeId(1), full, "the own number goes with a full one only");
        // What a small one has not told stays with the next full one: nothing is changed by it.
        assert_eq!(rig.route(1), Some((1, 0, if full { 8 } else { 6 })));
    }
}

/// A new number that has been told is not told again by triggered updates.
#[test]
fn a_number_is_told_once_by_triggered_updates() {
    let mut rig = Rig::started();
    rig.feed(SimTime::from_secs(1), hear(2, &[(2, 0, 2), (4, 1, 2), (5, 1, 2)]));
    for second in [13, 14, 15, 16, 28, 30] {
        rig.feed(SimTime::from_secs(second), TIMER);
    }
    timeline! { rig;
        at 31 s: hear(2, &[(2, 0, 4)])    => [arm("45")]; // ripe at 41.5 s, and tells with the next update
        at 42 s: hear(2, &[(4, GONE, 1)]) => [arm("42")];
        at 42 s: TIMER                    => [tell(&[(2, 1, 4), (4, 2, 2)]), arm("45")];
        at 43.5 s: hear(2, &[(5, GONE, 1)]) => [arm("43.5")];
        at 43.5 s: TIMER                  => [tell(&[(4, 2, 2), (5, 2, 2)]), arm("45")];
    }
}

/// A link that the MAC gives up is told at the first occasion, with a number that counts as new.
#[test]
fn a_broken_link_takes_nothing_of_the_node_itself() {
    let mut rig = Rig::new(DsdvConfig { link_feedback: true, ..config() });
    rig.feed(SimTime::ZERO, START);
    rig.feed(SimTime::ZERO, TIMER);
    timeline! { rig;
        at 1 s: Tell::LinkFailed(1) => [arm("15")];
    }
    assert_eq!(rig.route(1), Some((1, 0, 2)));
}

/// What the other layers read, and what a packet is answered, is the same way: none while the route is lost.
#[test]
fn a_packet_goes_where_the_table_says_as_long_as_the_route_stands() {
    use crate::routing::dsdv::Line;
    let mut rig = Rig::started();
    let line = |metric, sequence| vec![Line { destination: NodeId(9), metric, sequence }];
    let next = |rig: &Rig| rig.dsdv.next_hop(SimTime::ZERO, NodeId(9));
    assert_eq!(next(&rig), None);
    rig.feed(SimTime::from_secs(1), Tell::Hear(2, line(1, 4)));
    assert_eq!(next(&rig), Some(NodeId(2)));
    rig.feed(SimTime::from_secs(2), Tell::Hear(2, line(GONE, 5)));
    assert_eq!((next(&rig), rig.dsdv.routes_lost()), (None, 1));
}
