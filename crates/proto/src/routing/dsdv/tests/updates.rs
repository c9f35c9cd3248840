//! When updates go out: the period, settling, the gap between triggered ones, silent neighbours.

use super::rig::*;
use crate::port::Notice;
use crate::routing::DsdvConfig;
use crate::routing::contract::{Action, Input};
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
        at 0 s:  Input::Start => [arm("0")];
        at 0 s:  Input::Timer => [tell(&[(1, 0, 2)]), arm("15")];
        at 7 s:  Input::Timer => [arm("15")]; // too early
        at 15 s: Input::Timer => [tell(&[(1, 0, 4)]), arm("30")];
        at 30 s: Input::Timer => [tell(&[(1, 0, 6)]), arm("45")];
    }
}

#[test]
fn jitter_shortens_the_period_and_spreads_the_start() {
    let mut rig = Rig::new(DsdvConfig::default());
    let Action::Arm(first) = rig.feed(SimTime::ZERO, Input::Start)[0] else { panic!("armed") };
    assert!(first > SimTime::ZERO && first <= SimTime::from_secs(2));
    let mut now = first;
    for _ in 0..20 {
        let answers = rig.feed(now, Input::Timer);
        let Some(&Action::Arm(next)) = answers.last() else { panic!("armed") };
        assert!((11.25..=15.0).contains(&(next - now).as_secs_f64()));
        now = next;
    }
}

//  0      1         13         15
//  | full | learn 2 | tell     | full
#[test]
fn a_new_destination_is_told_on_after_twice_the_settling_time() {
    let mut rig = Rig::started();
    timeline! { rig;
        at 1 s:  hear(2, &[(2, 0, 2)]) => [arm("13")];
        at 12 s: Input::Timer          => [arm("13")];
        at 13 s: Input::Timer          => [tell(&[(1, 0, 4), (2, 1, 2)]), arm("15")];
        at 15 s: Input::Timer          => [tell(&[(1, 0, 6), (2, 1, 2)]), arm("30")];
    }
    assert_eq!(rig.dsdv.next_hop(NodeId(2)), Some(NodeId(2)), "though used at once");
}

//  0      10        15       22
//  | full | learn 2 | full without it | tell
#[test]
fn a_full_update_leaves_out_what_has_not_settled_and_its_turn_still_comes() {
    let mut rig = Rig::started();
    timeline! { rig;
        at 10 s: hear(2, &[(2, 0, 2)]) => [arm("15")];
        at 15 s: Input::Timer          => [tell(&[(1, 0, 4)]), arm("22")];
        at 22 s: Input::Timer          => [tell(&[(1, 0, 6), (2, 1, 2)]), arm("30")];
    }
}

/// A triggered update holds what has changed; beyond a third of the table it becomes a full one.
#[test]
fn few_changes_make_a_small_update() {
    let mut rig = Rig::started();
    let known = [(2, 0, 2), (3, 1, 2), (4, 1, 2), (5, 1, 2), (6, 1, 2), (7, 1, 2)];
    timeline! { rig;
        at 1 s:  hear(2, &known)        => [arm("13")];
        at 13 s: Input::Timer           => [tell(&[(1, 0, 4), (2, 1, 2), (3, 2, 2), (4, 2, 2), (5, 2, 2), (6, 2, 2), (7, 2, 2)]), arm("15")];
        at 14 s: hear(2, &[(3, GONE, 3)]) => [arm("14")];
        at 14 s: Input::Timer           => [tell(&[(3, GONE, 3)]), arm("15")];
    }
}

//  13     14        14.2      15 (full)   15.2
//  | tell | 3 gone  | 4 gone: not before one second has passed
#[test]
fn triggered_updates_keep_their_distance() {
    let mut rig = Rig::new(DsdvConfig { period: Dur::from_secs(100), ..config() });
    rig.feed(SimTime::ZERO, Input::Start);
    rig.feed(SimTime::ZERO, Input::Timer);
    let known = [(2, 0, 2), (3, 1, 2), (4, 1, 2), (5, 1, 2), (6, 1, 2), (7, 1, 2)];
    rig.feed(SimTime::from_secs(1), hear(2, &known));
    rig.feed(SimTime::from_secs(13), Input::Timer);
    timeline! { rig;
        at 20 s:   hear(2, &[(3, GONE, 3)]) => [arm("20")];
        at 20 s:   Input::Timer             => [tell(&[(3, GONE, 3)]), arm("100")];
        at 20.2 s: hear(2, &[(4, GONE, 3)]) => [arm("21")];
        at 20.4 s: hear(2, &[(5, GONE, 3)]) => [arm("21")];
        at 21 s:   Input::Timer             => [tell(&[(4, GONE, 3), (5, GONE, 3)]), arm("100")];
    }
}

//  1         31       46
//  | heard   | heard  |
//  | 2       | 3      | 2 has been silent for three periods
#[test]
fn a_neighbour_that_is_silent_for_three_periods_is_lost_with_all_behind_it() {
    let mut rig = Rig::started();
    rig.feed(SimTime::from_secs(1), hear(2, &[(2, 0, 2), (4, 1, 8)]));
    rig.feed(SimTime::from_secs(13), Input::Timer);
    rig.feed(SimTime::from_secs(15), Input::Timer);
    rig.feed(SimTime::from_secs(30), Input::Timer);
    timeline! { rig;
        at 31 s: hear(3, &[(3, 0, 2)]) => [arm("43")];
        at 43 s: Input::Timer          => [tell(&[(3, 1, 2)]), arm("45")];
        at 45 s: Input::Timer          => [tell(&[(1, 0, 10), (2, 1, 2), (3, 1, 2), (4, 2, 8)]), arm("46")];
        at 46 s: Input::Timer          => [lost(2), lost(4), tell(&[(1, 0, 12), (2, GONE, 3), (3, 1, 2), (4, GONE, 9)]), arm("60")];
    }
    assert_eq!(rig.dsdv.next_hop(NodeId(4)), None);
    assert_eq!(rig.dsdv.next_hop(NodeId(3)), Some(NodeId(3)));
}

#[test]
fn a_neighbour_that_is_heard_again_in_time_stays() {
    let mut rig = Rig::started();
    rig.feed(SimTime::from_secs(1), hear(2, &[(2, 0, 2)]));
    for period in 1..10 {
        let now = SimTime::from_secs(15 * period);
        rig.feed(now, Input::Timer);
        rig.feed(now, hear(2, &[(2, 0, 2 + 2 * period as u32)]));
    }
    assert_eq!(rig.route(2), Some((2, 1, 20)));
}

#[test]
fn the_mac_breaks_routes_only_where_it_is_asked_to() {
    let mut deaf = Rig::started();
    deaf.feed(SimTime::from_secs(1), hear(2, &[(2, 0, 2), (4, 1, 8)]));
    timeline! { deaf;
        at 2 s: Input::LinkFailed { neighbour: NodeId(2) } => [arm("13")];
    }
    let mut rig = Rig::new(DsdvConfig { link_feedback: true, ..config() });
    rig.feed(SimTime::ZERO, Input::Start);
    rig.feed(SimTime::ZERO, Input::Timer);
    rig.feed(SimTime::from_secs(1), hear(2, &[(2, 0, 2), (4, 1, 8)]));
    timeline! { rig;
        at 2 s: Input::LinkFailed { neighbour: NodeId(2) } => [lost(2), lost(4), arm("2")];
        at 2 s: Input::Timer                               => [tell(&[(1, 0, 4), (2, GONE, 3), (4, GONE, 9)]), arm("15")];
        at 3 s: Input::LinkFailed { neighbour: NodeId(2) } => [arm("15")]; // lost once is enough
    }
}
