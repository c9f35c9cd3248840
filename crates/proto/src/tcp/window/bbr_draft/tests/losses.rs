//! What losses, timeouts and marks leave, and what is taken back.

use super::*;
use crate::tcp::undo::Before;
use crate::tcp::window::bbr_draft::bounds::Bounds;
use crate::tcp::window::bbr_draft::losing::in_flight_at_loss;

const BEFORE: Before = Before { cwnd: 1.0, ssthresh: 2.0 };

/// A.2: a round of recovery with six gaps and more than 2 % of losses ends Startup, whatever the application has.
#[test]
fn losses_end_startup() {
    let limited = Ack { limited: true, rate: 400.0, sent_in_flight: 100, lost_since: 6, ..Ack::default() };
    for (gaps, lost_since, ends) in [(6, 6, true), (5, 6, false), (6, 2, false)] {
        let mut drive = Drive::new();
        drive.ack(Ack { rate: 400.0, ..Ack::default() });
        drive.lose(100, 1, true);
        drive.recover();
        drive.ack(Ack { lost_since, round: false, ..limited });
        (1..gaps).for_each(|lost| drive.lose(100, lost + 1, true));
        assert_eq!(drive.ack(Ack { lost_since, round: false, ..limited }), State::Startup);
        drive.ack(Ack { lost_since, ..limited });
        assert_eq!(drive.rule.full.ever, ends, "{gaps} gaps, {lost_since} lost");
        if ends {
            assert_eq!(drive.rule.state, State::Drain);
            assert!(drive.rule.bounds.limits.long >= 20.0 && drive.rule.bounds.limits.long < 200.0);
        }
    }
}

/// Without SACK one loss does.
#[test]
fn without_sack_a_loss_ends_startup() {
    let mut drive = Drive::new();
    drive.rule = BbrDraft::new(10, 1, false);
    drive.ack(Ack { rate: 400.0, ..Ack::default() });
    drive.recover();
    assert_eq!(drive.ack(Ack { rate: 800.0, ..Ack::default() }), State::Drain);
}

/// §5.5.10.2: 100 segments in flight before, none lost: two lost of 102 are just too many.
#[test]
fn the_prefix_at_which_losses_become_too_many() {
    let at = in_flight_at_loss(10.0, 110.0, 10.0);
    assert!((at - 100.0 / 0.98).abs() < 1e-9, "{at}");
}

/// A.6 and A.21: more than 2 % in a probe end it. The bound is what was in flight, and at least 0.7 of the target.
#[test]
fn losses_end_a_probe() {
    for (limited, long) in [(false, 70.0), (true, f64::INFINITY)] {
        let mut drive = Drive::new();
        drive.until_up();
        drive.lose(71, 1, limited);
        assert_eq!(drive.rule.state, State::Up, "one of 71 is less than 2 %");
        drive.lose(71, 2, limited);
        assert_eq!(drive.rule.state, State::Down);
        let bound = drive.rule.bounds.limits.long;
        assert!(bound == long || (bound - long).abs() < 1.0, "{bound}");
        drive.lose(20, 3, false);
        assert!(drive.rule.bounds.limits.long == bound, "once a probe");
    }
    let mut drive = Drive::new();
    drive.until_up();
    drive.lose(20, 2, false);
    assert!((drive.rule.bounds.limits.long - 0.7 * HOLDS).abs() < 1e-6);
}

/// §5.3.3.6: after a probe that was too high the next one ends where that did, and if nothing is lost another follows
/// at once.
#[test]
fn a_careful_probe_follows_one_that_was_too_high() {
    let mut drive = Drive::new();
    drive.until_up();
    drive.lose(71, 2, false);
    let calm = Ack { in_flight: 40, sent_in_flight: 40, rtt: 49, ..Ack::default() };
    while drive.ack(calm) != State::Up {}
    assert!(drive.rule.cycle.too_high);
    assert_eq!(drive.ack(Ack { newly: 1, in_flight: 69, ..Ack::default() }), State::Up);
    assert_eq!(drive.ack(Ack { newly: 1, in_flight: 72, ..Ack::default() }), State::Down);
    assert!(!drive.rule.cycle.too_high);
    assert_eq!(drive.ack(calm), State::Refill, "a round later, without a wait");
    assert_eq!(drive.ack(calm), State::Up);
}

/// §5.5.10.3: once a round, 0.7 or what was delivered, whichever is more; Refill forgets it.
#[test]
fn losses_while_it_does_not_probe_leave_what_arrives() {
    let mut drive = Drive::new();
    drive.until_cruise();
    let window = drive.congestion.cwnd;
    let slow = Ack { rate: 500.0, newly: 10, in_flight: 40, sent_in_flight: 40, ..Ack::default() };
    drive.ack(slow);
    drive.lose(40, 1, false);
    drive.ack(slow);
    let Bounds { limits, .. } = drive.rule.bounds;
    assert!((limits.rate - 700.0).abs() < 1.0 && (limits.short - 0.7 * window).abs() < 20.0, "{limits:?}");
    assert!((drive.rule.path.rate - 700.0).abs() < 1.0);
    drive.ack(slow);
    assert!((drive.rule.bounds.limits.rate - 700.0).abs() < 1.0, "no loss in this round");
    drive.lose(40, 1, false);
    drive.ack(slow);
    assert!((drive.rule.bounds.limits.rate - 500.0).abs() < 1.0, "what is delivered");
    while drive.ack(slow) != State::Refill {}
    assert!(drive.rule.bounds.limits.rate.is_infinite() && drive.rule.bounds.limits.short.is_infinite());
}

/// A.18: the loss was none. Bounds and window are as before, and a probe that it ended begins again.
#[test]
fn a_needless_recovery_is_taken_back() {
    let mut drive = Drive::new();
    drive.until_up();
    drive.round();
    let window = drive.congestion.cwnd;
    drive.lose(71, 1, false);
    drive.lose(71, 2, false);
    drive.recover();
    drive.round();
    assert!(drive.rule.bounds.limits.long < 80.0 && drive.rule.state == State::Down);
    drive.rule.on_undo(&mut drive.congestion, BEFORE);
    assert!(drive.rule.bounds.limits.long.is_infinite() && drive.rule.state == State::Refill);
    assert!(drive.congestion.cwnd >= window);
}

/// A.19, and Startup that losses had ended.
#[test]
fn a_needless_timeout_is_taken_back() {
    let mut drive = Drive::new();
    drive.until_cruise();
    let (window, limits) = (drive.congestion.cwnd, drive.rule.bounds.limits);
    drive.rule.on_timeout(&mut drive.congestion, false);
    assert_eq!(drive.congestion.cwnd, 1.0);
    drive.lose(50, 1, false);
    drive.ack(Ack { newly: 1, ..Ack::default() });
    drive.rule.on_undo(&mut drive.congestion, BEFORE);
    assert_eq!((drive.congestion.cwnd, drive.rule.bounds.limits), (window, limits));
    let mut drive = Drive::new();
    drive.rule = BbrDraft::new(10, 1, false);
    drive.ack(Ack { rate: 400.0, ..Ack::default() });
    drive.recover();
    assert_eq!(drive.round(), State::Drain);
    drive.rule.on_undo(&mut drive.congestion, BEFORE);
    assert_eq!(drive.rule.state, State::Startup);
    assert!(!drive.rule.full.ever);
}

/// The window of before comes back as all is repaired that was outstanding at a timeout.
#[test]
fn the_end_of_a_recovery_brings_the_window_back() {
    let mut drive = Drive::new();
    drive.until_cruise();
    let window = drive.congestion.cwnd;
    drive.rule.on_timeout(&mut drive.congestion, false);
    drive.ack(Ack { newly: 1, in_flight: 20, ..Ack::default() });
    assert!(drive.congestion.cwnd < 10.0);
    drive.ack(Ack { newly: 21, in_flight: 20, ..Ack::default() });
    assert!(drive.congestion.cwnd >= window - 1.0, "{} of {window}", drive.congestion.cwnd);
}

/// §3.7: a mark is congestion.
#[test]
fn a_mark_counts_as_a_loss() {
    let mut drive = Drive::new();
    drive.until_cruise();
    let slow = Ack { rate: 600.0, newly: 10, in_flight: 40, sent_in_flight: 40, ..Ack::default() };
    drive.ack(slow);
    drive.rule.on_echo(&mut drive.congestion);
    drive.ack(slow);
    assert!((drive.rule.path.rate - 0.7 * RATE).abs() < 1.0, "{}", drive.rule.path.rate);
    let mut drive = Drive::new();
    drive.until_up();
    drive.rule.on_echo(&mut drive.congestion);
    assert_eq!(drive.round(), State::Down);
}
