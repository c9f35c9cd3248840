//! Loss detectors that wait (TCP-DCR) or forgive a loss (k-SACK).

use super::script::{EIGHT_SENT, after, config, run, sender};
use crate::tcp::loss::{DcrConfig, KSackConfig, LossDetectorKind};
use crate::tcp::{Loss, Sender, TcpConfig};

fn dcr(send_new: bool) -> Sender {
    let dcr = DcrConfig { round_trips: 1.0, send_new };
    sender(TcpConfig { judge: LossDetectorKind::Dcr, dcr, initial_window: 4, ..config() })
}

pub(super) fn counters(sender: &Sender) -> [u64; 4] {
    let mut values = Vec::new();
    sender.each_counter(&mut |name, value| {
        if name.starts_with("judge.") {
            values.push(value);
        }
    });
    values.try_into().expect("four of them")
}

//  A round trip is 100 ms; segment 1 is missed at 150 ms, and again and again.
const MISSED: &str = "
    0    open
    0    write endless
    0    > 0 1 2 3
    0.1  < 1
    0.1  > 4 5
    0.15 < 1
    0.15 > 6
    0.16 < 1
    0.16 > 7
    0.17 < 1
    0.17 > 8
";

#[test]
fn a_segment_that_comes_within_a_round_trip_was_not_lost() {
    let mut sender = dcr(true);
    run(
        &mut sender,
        &after(
            &[MISSED],
            "0.2  < 9
             0.2  > 9 10 11 12 13 14
             0.2  = cwnd 6 ssthresh 20
             0.26 < 9               // the first timer is gone
             0.26 > 15",
        ),
    );
    assert_eq!(counters(&sender), [2, 1, 0, 0]);
}

#[test]
fn a_round_trip_later_three_duplicates_are_a_loss() {
    let mut sender = dcr(true);
    run(
        &mut sender,
        &after(
            &[MISSED],
            "0.25 ! fast 1
             0.25 > 1
             0.25 = cwnd 2.5 ssthresh 2.5 inflation 3
             0.3  < 1               // in recovery as ever
             0.3  = inflation 4
             0.35 < 9
             0.35 > 9 10
             0.35 = cwnd 2.9 inflation 0",
        ),
    );
    assert_eq!(counters(&sender), [1, 0, 0, 0], "delays, averted, repairs, slowed");
}

#[test]
fn after_the_delay_the_third_duplicate_says_it_at_once() {
    run(
        &mut dcr(true),
        "0    open
         0    write endless
         0    > 0 1 2 3
         0.1  < 1
         0.1  > 4 5
         0.15 < 1
         0.15 > 6
         0.3  < 1               // 50 ms after the timer, the second
         0.3  > 7
         0.31 < 1
         0.31 ! fast 1
         0.31 > 1",
    );
}

#[test]
fn a_timeout_ends_the_delay() {
    let mut sender = dcr(true);
    run(
        &mut sender,
        &after(
            &["0    open
               0    write endless
               0    > 0 1 2 3
               0.1  < 1
               0.1  > 4 5
               0.25 < 1
               0.25 > 6
               0.26 < 1
               0.26 > 7
               "],
            "0.4  ! timeout 1        // as it would without
             0.4  > 1
             0.41 < 1
             0.42 < 1
             0.43 < 8
             0.43 > 8 9",
        ),
    );
    // At 0.35 s the timer had fired for nothing; what comes after the timeout is old, and averts nothing.
    assert_eq!(counters(&sender), [1, 0, 0, 0]);
}

#[test]
fn a_delay_may_be_kept_silent() {
    run(
        &mut dcr(false),
        "0    open
         0    write endless
         0    > 0 1 2 3
         0.1  < 1
         0.1  > 4 5
         0.15 < 1
         0.16 < 1
         0.17 < 1
         0.18 < 1
         0.25 ! fast 1
         0.25 > 1 6",
    );
}

#[test]
fn with_sack_the_scoreboard_is_what_is_waited_for() {
    let mut sender =
        sender(TcpConfig { judge: LossDetectorKind::Dcr, loss: Loss::Sack, initial_window: 8, ..config() });
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0 1 2 3 4 5 6 7
         0.1  < 1
         0.1  > 8 9
         0.1  < 1 sack 2-3
         0.1  > 10
         0.1  < 1 sack 2-4
         0.1  > 11
         0.1  < 1 sack 2-5
         0.1  > 12
         0.15 < 5 sack 6-7       // one hole is filled, another one known: the delay begins anew
         0.15 > 13 14
         0.2  < 5 sack 6-8
         0.2  > 15
         0.21 < 5 sack 6-9
         0.21 > 16
         0.25 ! fast 5
         0.25 > 5",
    );
    assert_eq!(counters(&sender), [2, 1, 0, 0]);
}

fn k_sack(losses: u32) -> Sender {
    let judge = (LossDetectorKind::KSack, KSackConfig { losses });
    sender(TcpConfig { judge: judge.0, k_sack: judge.1, initial_window: 8, loss: Loss::Sack, ..config() })
}

#[test]
fn one_loss_is_repaired_and_the_window_stands_still_until_the_loss_window_is_acknowledged() {
    let mut sender = k_sack(2);
    run(
        &mut sender,
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-2
             0.1  < 0 sack 1-3
             0.1  < 0 sack 1-4
             0.1  > 0
             0.1  < 0 sack 1-5
             0.1  > 8               // the clock goes on
             0.1  = cwnd 8 ssthresh 20
             0.2  < 5
             0.2  > 9 10 11 12
             0.2  = cwnd 8          // within the loss window, 0 to 8
             0.3  < 8
             0.3  > 13 14 15 16
             0.3  = cwnd 9",
        ),
    );
    assert_eq!(counters(&sender), [0, 0, 1, 0]);
}

#[test]
fn the_second_loss_within_the_window_is_congestion() {
    let mut sender = k_sack(2);
    run(
        &mut sender,
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-2
             0.1  < 0 sack 1-2 3-4
             0.1  < 0 sack 1-2 3-5
             0.1  > 0
             0.1  < 0 sack 1-2 3-7
             0.1  ! fast 2          // the second one
             0.1  > 2 8             // 0 is under way already
             0.1  = cwnd 4 ssthresh 4
             0.2  < 8
             0.2  > 9 10 11
             0.2  = cwnd 4.25",
        ),
    );
    assert_eq!(counters(&sender), [0, 0, 1, 0]);
}

#[test]
fn three_may_be_asked_for_and_two_lost_together_are_two() {
    let two_together = "
        0.1  < 0 sack 2-3
        0.1  < 0 sack 2-4
        0.1  < 0 sack 2-5
    ";
    let mut three = k_sack(3);
    run(
        &mut three,
        &after(
            &[EIGHT_SENT, two_together],
            "0.1  > 0
             0.1  < 0 sack 2-6
             0.1  > 1               // one an ACK
             0.1  < 0 sack 2-7
             0.1  > 8
             0.1  = cwnd 8",
        ),
    );
    assert_eq!(counters(&three), [0, 0, 2, 0]);
    run(&mut k_sack(2), &after(&[EIGHT_SENT, two_together], "0.1  ! fast 0\n0.1  > 0\n0.1  = cwnd 4"));
}

#[test]
fn a_loss_beyond_the_loss_window_is_a_first_one_again() {
    let mut sender = k_sack(2);
    run(
        &mut sender,
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-2
             0.1  < 0 sack 1-3
             0.1  < 0 sack 1-4
             0.1  > 0
             0.2  < 8
             0.2  > 8 9 10 11 12 13 14 15 16
             0.2  = cwnd 9
             0.3  < 8 sack 9-10
             0.3  < 8 sack 9-11
             0.3  < 8 sack 9-12
             0.3  > 8
             0.3  = cwnd 9",
        ),
    );
    assert_eq!(counters(&sender), [0, 0, 2, 0]);
}

/// What recovery has begun it ends by itself, also where losses are not looked at carefully.
#[test]
fn in_recovery_nothing_is_counted_or_repaired() {
    let mut sender = sender(TcpConfig {
        judge: LossDetectorKind::KSack,
        initial_window: 8,
        loss: Loss::Sack,
        careful: false,
        ..config()
    });
    run(
        &mut sender,
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-2
             0.1  < 0 sack 1-2 3-4
             0.1  < 0 sack 1-2 3-5
             0.1  > 0
             0.1  < 0 sack 1-2 3-7
             0.1  ! fast 2
             0.1  > 2 8
             0.2  < 2 sack 3-7 8-9  // 2 is on its way
             0.2  > 9 10",
        ),
    );
    assert_eq!(counters(&sender), [0, 0, 1, 0]);
}

#[test]
fn a_timeout_forgets_the_losses() {
    run(
        &mut k_sack(2),
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-2
             0.1  < 0 sack 1-3
             0.1  < 0 sack 1-4
             0.1  > 0
             1    ! timeout 0
             1    > 0
             1.1  < 1
             1.1  > 1 2
             1.1  = cwnd 2          // it grows",
        ),
    );
}

#[test]
fn what_is_lost_beyond_the_loss_window_does_not_count_for_it() {
    run(
        &mut k_sack(2),
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-2
             0.1  < 0 sack 1-3
             0.1  < 0 sack 1-4
             0.1  > 0
             0.1  < 0 sack 1-5
             0.1  > 8
             0.1  < 0 sack 1-6
             0.1  > 9
             0.1  < 0 sack 1-7
             0.1  > 10
             0.1  < 0 sack 1-8
             0.1  > 11
             0.11 < 0 sack 9-10     // 8 is beyond 0 to 8
             0.11 > 12
             0.11 < 0 sack 9-11
             0.11 > 13
             0.11 < 0 sack 9-12
             0.11 > 8               // repaired, and no congestion
             0.11 = cwnd 8",
        ),
    );
}

#[test]
fn after_recovery_the_count_begins_anew() {
    run(
        &mut k_sack(2),
        "0    open
         0    write 6
         0    > 0 1 2 3 4 5
         0.1  < 0 sack 1-2
         0.1  < 0 sack 1-2 3-4
         0.1  < 0 sack 1-2 3-6
         0.1  ! fast 0
         0.1  > 0 2
         0.2  < 6
         0.2  ! completed
         0.3  write 2
         0.3  > 6 7
         0.4  < 7                   // within what was the loss window
         0.4  = dupacks 0",
    );
}
