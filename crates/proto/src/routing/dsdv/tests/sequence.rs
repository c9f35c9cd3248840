//! Which line replaces which route (Perkins and Bhagwat 1994, §3.1), and how its damping is measured (§3.3).

use super::rig::*;
use crate::routing::Routing;
use crate::testing::timeline;
use crate::units::{NodeId, SimTime};

/// A table that has told everything (at 13 s, in a full update): 2 is a neighbour, 3 as well, 4 lies two hops away
/// behind 2. Own number 4; the next full update is due at 28 s.
fn settled() -> Rig {
    let mut rig = Rig::started();
    rig.feed(SimTime::from_secs(1), hear(2, &[(2, 0, 10), (4, 1, 10), (5, 3, 10), (6, 1, 10)]));
    rig.feed(SimTime::from_secs(1), hear(3, &[(3, 0, 10)]));
    rig.feed(SimTime::from_secs(13), TIMER);
    rig.feed(SimTime::from_secs(14), TIMER);
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

/// Nor does it make an update of its own: it goes with the next one, and so does the return.
#[test]
fn a_loss_that_was_heard_goes_with_the_next_update() {
    let mut rig = settled();
    timeline! { rig;
        at 15 s: hear(2, &[(4, GONE, 11)]) => [gone(4), arm("28")];
        at 28 s: TIMER              => [tell(&[(1, 0, 6), (2, 1, 10), (4, GONE, 11), (5, 4, 10), (6, 2, 10), (3, 1, 10)]), arm("43")];
        at 30 s: hear(3, &[(4, 2, 12)])    => [found(4, 3), arm("43")];
        at 43 s: TIMER              => [tell(&[(1, 0, 8), (2, 1, 10), (4, 3, 12), (5, 4, 10), (6, 2, 10), (3, 1, 10)]), arm("58")];
    }
    assert_eq!((rig.route(4), rig.dsdv.routes_lost()), (Some((3, 3, 12)), 1));
}

#[test]
fn a_loss_of_something_unknown_is_remembered_but_is_no_news() {
    let mut rig = settled();
    timeline! { rig;
        at 15 s: hear(2, &[(9, GONE, 11)]) => [arm("28")];
    }
    assert_eq!(rig.route(9), Some((2, GONE, 11)));
    assert_eq!(rig.dsdv.table().next_hop(NodeId(9)), None);
    rig.feed(SimTime::from_secs(16), hear(3, &[(9, 1, 10)]));
    assert_eq!(rig.dsdv.table().next_hop(NodeId(9)), None, "older than the loss");
}

/// Odd numbers are made by the node that loses a link, so an older odd number proves nothing against a newer route.
#[test]
fn an_outdated_loss_is_answered_with_the_better_route() {
    let mut rig = settled();
    timeline! { rig;
        at 15 s: hear(3, &[(4, GONE, 9)]) => [arm("15")];
        at 15 s: TIMER             => [tell(&[(4, 2, 10)]), arm("28")];
    }
}

//  own number 4 after the update at 13 s
#[test]
fn a_node_that_hears_of_its_own_loss_says_at_once_and_in_full_that_it_is_here() {
    let mut rig = settled();
    let full = |own: u32| tell(&[(1, 0, own), (2, 1, 10), (4, 2, 10), (5, 4, 10), (6, 2, 10), (3, 1, 10)]);
    timeline! { rig;
        at 15 s:   hear(2, &[(1, GONE, 5)]) => [arm("15")];
        at 15 s:   TIMER             => [full(6), arm("30")];
        at 15.1 s: hear(2, &[(1, GONE, 5)]) => [arm("15.1")]; // it has not heard the answer
        at 15.1 s: TIMER             => [full(8), arm("30.1")];
        at 15.2 s: hear(2, &[(1, 3, 4)])    => [arm("30.1")]; // its own old line coming back
    }
    assert_eq!(rig.route(1), Some((1, 0, 8)));
}

/// §3.3: of one number, the best metric may come later; the mean of that delay damps what is told.
#[test]
fn a_better_metric_waits_for_twice_the_mean_settling_time() {
    let mut rig = settled();
    rig.feed(SimTime::from_secs(28), TIMER);
    // Number 12 of destination 5 comes at 30 s on the long way, and at 32 s on a shorter one than before.
    timeline! { rig;
        at 30 s: hear(2, &[(5, 3, 12)]) => [arm("43")]; // the metric told before: no hurry
        at 32 s: hear(3, &[(5, 1, 12)]) => [arm("42.5")]; // 32 s + 2 x 0.875 x 6 s
    }
    assert_eq!(rig.route(5), Some((3, 2, 12)), "used at once");
    timeline! { rig;
        at 42.5 s: TIMER         => [tell(&[(5, 2, 12)]), arm("43")];
        at 43 s:   TIMER         => [tell(&[(1, 0, 8), (2, 1, 10), (4, 2, 10), (5, 2, 12), (6, 2, 10), (3, 1, 10)]), arm("58")];
        at 50 s:   hear(2, &[(5, 3, 14)]) => [arm("58")]; // a newer number alone: no update of its own
        at 51 s:   hear(3, &[(5, 0, 14)]) => [arm("58")]; // 51 s + 2 x (0.875 x 5.25 s + 0.125 x 2 s)
        at 58 s:   TIMER         => [tell(&[(1, 0, 10), (2, 1, 10), (4, 2, 10), (6, 2, 10), (3, 1, 10)]), arm("60.6875")];
        at 60.6875 s: TIMER      => [tell(&[(5, 1, 14)]), arm("73")];
    }
}

#[test]
fn a_metric_that_returns_to_what_was_told_is_no_news() {
    let mut rig = settled();
    rig.feed(SimTime::from_secs(28), TIMER);
    timeline! { rig;
        at 30 s: hear(2, &[(5, 5, 12)]) => [arm("43")];
        at 31 s: hear(3, &[(5, 3, 12)]) => [arm("43")];
    }
    assert_eq!(rig.route(5), Some((3, 4, 12)));
}

/// A line for all stations is no destination: malformed, and no reason to make a table of four billion rows.
#[test]
fn a_line_about_the_broadcast_address_is_ignored() {
    let mut rig = settled();
    rig.feed(SimTime::from_secs(14), hear(2, &[(u32::MAX, 1, 2)]));
    assert_eq!(rig.route(u32::MAX), None);
}

/// What is counted of lines heard: the two that replace a route, and neither of those that must not.
#[test]
fn what_takes_the_place_of_a_route_is_counted_by_why() {
    let mut rig = settled();
    rig.feed(SimTime::from_secs(14), hear(3, &[(4, 6, 12), (5, 1, 10), (6, 2, 10), (2, 0, 8), (1, 5, 2)]));
    let taken = rig.counts();
    assert_eq!((taken.taken_newer, taken.taken_shorter, taken.taken_worse, taken.left_better), (1, 1, 0, 0));
}

/// Own lines are even, those of a loss odd and infinite.
#[test]
fn what_is_told_is_counted_by_its_number() {
    let mut rig = settled();
    let before = rig.counts();
    assert_eq!((before.lines > 0, before.lines_broken, before.lines_mismatched), (true, 0, 0));
    rig.feed(SimTime::from_secs(15), hear(2, &[(4, GONE, 11)]));
    rig.feed(SimTime::from_secs(28), TIMER);
    let after = rig.counts();
    assert_eq!((after.lines - before.lines, after.lines_broken, after.lines_mismatched), (6, 1, 0));
    // a neighbour that breaks the rule is passed on, and counted
    rig.feed(SimTime::from_secs(29), hear(2, &[(4, 1, 13)]));
    rig.feed(SimTime::from_secs(43), TIMER);
    assert_eq!(rig.counts().lines_mismatched, 1);
}

/// §3.1: a line of the same number that is no better, and an older one that is finite, are no news: nothing is
/// installed, and no update is planned. Only an outdated loss is answered.
#[test]
fn what_is_not_believed_plans_no_update() {
    let mut rig = settled();
    timeline! { rig;
        at 14 s: hear(3, &[(4, GONE, 10)]) => [arm("28")];
        at 14 s: hear(3, &[(4, 5, 8)])     => [arm("28")];
        at 15 s: hear(2, &[(4, GONE, 11)]) => [gone(4), arm("28")];
        at 16 s: hear(3, &[(4, GONE, 9)])  => [arm("28")]; // a loss cannot be put right by another
    }
    assert_eq!(rig.route(4), Some((2, GONE, 11)));
}

/// §3.3: a loss and the return from one are told at the first occasion, whatever had settled before; a newer number of
/// a route that lasts waits for its settling time, and is told once.
#[test]
fn only_a_route_that_lasts_settles() {
    let mut rig = settled();
    rig.feed(SimTime::from_secs(28), TIMER);
    timeline! { rig;
        at 40 s: hear(2, &[(5, 3, 12)])    => [arm("43")]; // settles until 50.5 s
        at 41 s: hear(2, &[(6, GONE, 11)]) => [gone(6), arm("43")];
        at 43 s: TIMER => [tell(&[(1, 0, 8), (2, 1, 10), (4, 2, 10), (6, GONE, 11), (3, 1, 10)]), arm("46")];
        at 45 s: hear(3, &[])              => [arm("58")]; // it has nothing to say, and is there
        at 57 s: hear(2, &[(6, 1, 12)])    => [found(6, 2), arm("58")];
        at 58 s: TIMER => [tell(&[(1, 0, 10), (2, 1, 10), (4, 2, 10), (5, 4, 12), (6, 2, 12), (3, 1, 10)]), arm("73")];
    }
}

/// A node's own line is not one of the routes that it counts, whatever others say of it.
#[test]
fn what_is_said_of_the_node_itself_is_not_counted() {
    let mut rig = settled();
    rig.feed(SimTime::from_secs(14), hear(3, &[(1, 5, 40)]));
    let counted = rig.counts();
    assert_eq!((counted.taken_newer, counted.left_better), (0, 0));
}
