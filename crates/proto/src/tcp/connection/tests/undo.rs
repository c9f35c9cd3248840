//! Reductions that are taken back: DSACK (RFC 2883, 3708), F-RTO (RFC 5682), and what follows from them for RACK's
//! window (RFC 8985 §6.2 step 4).

use super::rack::racking;
use super::script::{TEN_SENT, run, sender};
use crate::tcp::{RttSamples, TcpConfig};
use crate::units::Dur;

/// A sender of ten segments at first that takes back what was needless.
fn undoing() -> TcpConfig {
    TcpConfig { dsack: true, undo: true, frto: true, ..racking() }
}

const LATE_FIRST: &str = "
    0.1  < 0 sack 1-2
    0.1  > 10
    0.1  < 0 sack 1-3
    0.1  > 11
    0.1  < 0 sack 1-4
    0.1  ! fast 0
    0.1  > 0
    0.1  = cwnd 5 ssthresh 5
    0.11 < 4
";

/// The repair came twice: window and threshold are as before, and recovery is over.
#[test]
fn a_repair_that_came_twice_gives_the_window_back() {
    let script = "
        0.2 < 4 sack 0-1
        0.2 ! undone 4
        0.2 > 12 13
        0.2 = cwnd 10 ssthresh 20";
    run(&mut sender(undoing()), &[TEN_SENT, LATE_FIRST, script].concat());
}

/// Without the key the window stays halved.
#[test]
fn without_the_key_nothing_is_taken_back() {
    let script = "
        0.2 < 4 sack 0-1
        0.2 = cwnd 5 ssthresh 5";
    run(
        &mut sender(TcpConfig { undo: false, frto: false, ..undoing() }),
        &[TEN_SENT, LATE_FIRST, script].concat(),
    );
}

/// A block below the ACK is no news of a loss: it is no duplicate ACK.
#[test]
fn what_came_twice_is_no_duplicate_ack() {
    let script = "
        0.2 < 4 sack 0-1
        0.2 ! undone 4
        0.2 > 12 13
        0.2 < 4 sack 0-1
        0.2 < 4 sack 0-1
        0.2 < 4 sack 0-1
        0.2 = dupacks 0 cwnd 10";
    run(&mut sender(undoing()), &[TEN_SENT, LATE_FIRST, script].concat());
}

/// Once segments came late, a needless repair makes RACK wait for half of the least round trip in place of a quarter.
#[test]
fn a_needless_repair_makes_the_window_for_reordering_wider() {
    let script = "
        0.1   < 0 sack 1-2
        0.1   > 10
        0.11  < 2
        0.11  > 11 12
        0.12  < 2 sack 3-4
        0.12  > 13
        0.145 ! fast 2
        0.145 > 2
        0.16  < 4
        0.25  < 4 sack 2-3
        0.25  ! undone 4
        0.25  > 14
        0.26  < 4 sack 5-6
        0.26  > 15
        0.31  ! fast 4
        0.31  > 4";
    run(&mut sender(undoing()), &[TEN_SENT, script].concat());
}

const TIMED_OUT: &str = "
    1    ! timeout 0
    1    > 0
    1    = cwnd 1 ssthresh 5
    1.1  < 1
    1.1  > 10 11
";

/// RFC 5682 §3.1: the first ACK brings new data out; the second is for segments that were sent once.
#[test]
fn data_that_were_late_give_the_window_back_after_a_timeout() {
    let script = "
        1.15 < 3
        1.15 ! undone 1
        1.15 > 12 13
        1.15 = cwnd 11 ssthresh 20";
    run(&mut sender(undoing()), &[TEN_SENT, TIMED_OUT, script].concat());
}

/// The second ACK is a duplicate: the data were lost, and are sent again.
#[test]
fn a_duplicate_after_new_data_shows_a_loss() {
    let script = "
        1.15 < 1 sack 10-11
        1.15 > 1
        1.15 = ssthresh 5";
    run(&mut sender(undoing()), &[TEN_SENT, TIMED_OUT, script].concat());
}

/// SACK tells of a segment that was sent once before the repair arrives: the timeout was needless at once.
#[test]
fn a_block_for_data_sent_once_shows_it_too() {
    let script = "
        1    ! timeout 0
        1    > 0
        1.01 < 0 sack 1-2
        1.01 ! undone 0
        1.01 > 10
        1.01 = cwnd 10";
    run(&mut sender(undoing()), &[TEN_SENT, script].concat());
}

/// A round trip is that of the first segment that an ACK is for, also by SACK, and of none that was sent twice.
#[test]
fn round_trips_come_from_sack_too() {
    let config = TcpConfig { rtt_samples: RttSamples::Sacked, ..undoing() };
    let script = "
        0.1  < 0 sack 1-2
        0.1  > 10
        0.1  = srtt 0.1
        0.1  < 0 sack 1-3
        0.1  > 11
        0.1  < 0 sack 1-4
        0.1  ! fast 0
        0.1  > 0
        0.12 < 4
        0.12 = srtt 0.1";
    run(&mut sender(config), &[TEN_SENT, script].concat());
}

/// `kernel/time/timer.c`: the timeout of 1 s fires at the next multiple of 32 ms.
#[test]
fn a_coarse_clock_fires_late() {
    let config = TcpConfig { timer_tick: Dur::from_ms(4), ..undoing() };
    let script = "
        1.024 ! timeout 0
        1.024 > 0";
    run(&mut sender(config), &[TEN_SENT, script].concat());
}
