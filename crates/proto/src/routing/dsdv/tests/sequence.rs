//! Which line replaces which route (Perkins and Bhagwat 1994, §3.1), and how its damping is measured (§3.3).

use super::rig::*;
use crate::routing::contract::Input;
use crate::testing::timeline;
use crate::units::SimTime;

/// A table that has told everything: 2 is a neighbour, 3 as well, 4 lies two hops away behind 2.
fn settled() -> Rig {
    let mut rig = Rig::started();
    rig.feed(SimTime::from_secs(1), hear(2, &[(2, 0, 10), (4, 1, 10), (5, 3, 10), (6, 1, 10)]));
    rig.feed(SimTime::from_secs(1), hear(3, &[(3, 0, 10)]));
    rig.feed(SimTime::from_secs(13), Input::Timer);
    rig
}

#[test]
fn a_newer_number_is_believed_whatever_its_metric() {
    let mut rig = settled();
    assert_eq!(rig.route(4), Some((2, 2, 10)));
    rig.feed(SimTime::from_secs(14), hear(3, &[(4, 6, 12)]));
    assert_eq!(rig.route(4), Some((3, 7, 12)));
}

#[test]
fn of_the_same_number_the_shorter_path_is_taken() {
    let mut rig = settled();
    rig.feed(SimTime::from_secs(14), hear(3, &[(5, 1, 10), (4, 1, 10), (6, 2, 10)]));
    assert_eq!(rig.route(5), Some((3, 2, 10)), "shorter");
    assert_eq!(rig.route(4), Some((2, 2, 10)), "equally long");
    assert_eq!(rig.route(6), Some((2, 2, 10)), "longer");
}

#[test]
fn an_older_number_is_ignored() {
    let mut rig = settled();
    rig.feed(SimTime::from_secs(14), hear(3, &[(5, 0, 8)]));
    assert_eq!(rig.route(5), Some((2, 4, 10)));
}

#[test]
fn numbers_wrap_around() {
    let mut rig = Rig::started();
    rig.feed(SimTime::from_secs(1), hear(2, &[(4, 1, u32::MAX - 1)]));
    rig.feed(SimTime::from_secs(2), hear(3, &[(4, 5, 0)]));
    assert_eq!(rig.route(4), Some((3, 6, 0)));
    rig.feed(SimTime::from_secs(3), hear(2, &[(4, 1, u32::MAX - 1)]));
    assert_eq!(rig.route(4), Some((3, 6, 0)));
}

#[test]
fn a_loss_is_told_at_once_and_so_is_the_return() {
    let mut rig = settled();
    timeline! { rig;
        at 14 s:   hear(2, &[(4, GONE, 11)]) => [arm("14")];
        at 14 s:   Input::Timer              => [tell(&[(4, GONE, 11)]), arm("15")];
        at 14.5 s: hear(3, &[(4, 2, 12)])    => [arm("15")];
        at 15 s:   Input::Timer              => [tell(&[(1, 0, 6), (2, 1, 10), (3, 1, 10), (4, 3, 12), (5, 4, 10), (6, 2, 10)]), arm("30")];
    }
    assert_eq!(rig.route(4), Some((3, 3, 12)));
}

#[test]
fn a_loss_of_something_unknown_is_no_news() {
    let mut rig = settled();
    timeline! { rig;
        at 14 s: hear(2, &[(9, GONE, 11)]) => [arm("15")];
    }
    assert_eq!(rig.route(9), None);
}

/// Odd numbers are made by whoever loses a link, so an older odd number proves nothing against a newer route.
#[test]
fn an_outdated_loss_is_answered_with_the_better_route() {
    let mut rig = settled();
    timeline! { rig;
        at 14 s: hear(3, &[(4, GONE, 9)]) => [arm("14")];
        at 14 s: Input::Timer             => [tell(&[(4, 2, 10)]), arm("15")];
    }
}

//  own number 4 after the update at 13 s
#[test]
fn a_node_that_hears_of_its_own_loss_defends_itself_with_a_newer_even_number() {
    let mut rig = settled();
    timeline! { rig;
        at 14 s:   hear(2, &[(1, GONE, 5)]) => [arm("14")];
        at 14 s:   Input::Timer             => [tell(&[(1, 0, 6)]), arm("15")];
        at 14.1 s: hear(2, &[(1, GONE, 5)]) => [arm("15")]; // out of date already
        at 14.2 s: hear(2, &[(1, 3, 4)])    => [arm("15")]; // its own old line coming back
    }
    assert_eq!(rig.route(1), Some((1, 0, 6)));
}

/// §3.3: of one number, the best metric may come later; the mean of that delay damps what is told.
#[test]
fn a_better_metric_waits_for_the_settling_time_of_its_number() {
    let mut rig = settled();
    // Number 12 of destination 5 comes at 20 s on the long way, and at 22 s on a shorter one than before.
    timeline! { rig;
        at 15 s: Input::Timer           => [tell(&[(1, 0, 6), (2, 1, 10), (3, 1, 10), (4, 2, 10), (5, 4, 10), (6, 2, 10)]), arm("30")];
        at 20 s: hear(2, &[(5, 3, 12)]) => [arm("30")]; // the metric told before: no hurry
        at 22 s: hear(3, &[(5, 1, 12)]) => [arm("30")]; // 20 s + 2 x 0.875 x 6 s = 30.5 s
        at 30 s: Input::Timer           => [tell(&[(1, 0, 8), (2, 1, 10), (3, 1, 10), (4, 2, 10), (6, 2, 10)]), arm("30.5")];
    }
    assert_eq!(rig.route(5), Some((3, 2, 12)), "used at once");
    timeline! { rig;
        at 30.5 s: Input::Timer         => [tell(&[(5, 2, 12)]), arm("45")];
    }
}

/// A line for all stations is no destination: malformed, and no reason to make a table of four billion rows.
#[test]
fn a_line_about_the_broadcast_address_is_ignored() {
    let mut rig = settled();
    rig.feed(SimTime::from_secs(14), hear(2, &[(u32::MAX, 1, 2)]));
    assert_eq!(rig.route(u32::MAX), None);
}
