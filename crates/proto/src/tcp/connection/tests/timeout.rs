//! The retransmission timer: back-off, Karn's rule, go-back-N (RFC 6298 §5, RFC 5681 §3.1).

use super::sack::sacking;
use super::script::{EIGHT_SENT, FIRST_LOST, after, config, run, sender};
use crate::tcp::config::RtoRestart;
use crate::tcp::{RtoSsthresh, TcpConfig, Window};
use crate::units::Dur;

//  0     1       3                7 -> the ACK at 3.1 keeps the doubled value until a fresh sample
#[test]
fn the_timeout_doubles_and_an_ack_of_a_retransmission_does_not_time() {
    let mut sender = sender(config());
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0 1
         0    = rto 1
         1    ! timeout 0
         1    > 0
         1    = rto 3
         3    ! timeout 0
         3    > 0
         3    = rto 7
         3.1  < 1
         3.1  > 1 2
         3.1  = rto 7.1
         3.1  = srtt 0
         3.2  < 3
         3.2  > 3 4             // ssthresh is 2
         3.2  = srtt 0.1 timeout 0.3
         3.2  = rto 3.5",
    );
    assert_eq!((sender.counters().timeouts, sender.counters().retransmissions), (2, 3));
}

#[test]
fn the_timeout_is_bounded_from_above() {
    run(
        &mut sender(TcpConfig { max_rto: Dur::from_secs(3), ..config() }),
        "0    open
         0    write 1
         0    > 0
         1    ! timeout 0
         1    > 0
         3    ! timeout 0
         3    > 0
         6    ! timeout 0
         6    > 0
         9    ! timeout 0
         9    > 0",
    );
}

#[test]
fn after_a_timeout_everything_outstanding_is_sent_again_in_slow_start() {
    for window in [Window::Tahoe, Window::Reno, Window::Newreno] {
        let mut sender = sender(TcpConfig { window, initial_window: 8, ..config() });
        run(
            &mut sender,
            &after(
                &[EIGHT_SENT],
                "1    ! timeout 0
                 1    > 0
                 1    = cwnd 1 ssthresh 4 nxt 1
                 1.1  < 1
                 1.1  > 1 2
                 1.2  < 2
                 1.2  > 3 4
                 1.2  < 3
                 1.2  > 5 6
                 1.2  = cwnd 4
                 1.3  < 8               // 4 to 7 had arrived the first time
                 1.3  > 8 9 10 11
                 1.3  = cwnd 4.25",
            ),
        );
        assert_eq!(sender.counters().retransmissions, 7, "{window:?}");
    }
}

//  1                3                     | RFC 5681 §3.1: the threshold is held while one segment
//  | 8 halved: 4    | the same segment    | times out again; ns-2 halves the window of one segment
#[test]
fn a_second_timeout_of_one_segment_moves_the_threshold_only_where_every_one_counts() {
    for (rto_ssthresh, second) in [(RtoSsthresh::First, 4), (RtoSsthresh::Every, 2)] {
        run(
            &mut sender(TcpConfig { rto_ssthresh, initial_window: 8, ..config() }),
            &after(
                &[EIGHT_SENT],
                &format!(
                    "1    ! timeout 0
                     1    > 0
                     1    = cwnd 1 ssthresh 4
                     3    ! timeout 0
                     3    > 0
                     3    = cwnd 1 ssthresh {second}
                     3.1  < 1
                     3.1  > 1 2
                     7.1  ! timeout 1        // another segment: half of two segments, at least two
                     7.1  > 1
                     7.1  = cwnd 1 ssthresh 2"
                ),
            ),
        );
    }
}

#[test]
fn a_timeout_ends_fast_recovery() {
    run(
        &mut sender(TcpConfig { initial_window: 8, ..config() }),
        &after(
            &[EIGHT_SENT, FIRST_LOST],
            "1.1  ! timeout 0
             1.1  > 0
             1.1  = cwnd 1 ssthresh 2 inflation 0 dupacks 0
             1.2  < 0               // duplicates from before the timeout
             1.2  < 0
             1.2  < 0
             1.2  = dupacks 3 cwnd 1",
        ),
    );
}

#[test]
fn fast_retransmit_voids_the_measurement() {
    run(
        &mut sender(TcpConfig { initial_window: 4, ..config() }),
        "0    open
         0    write 4
         0    > 0 1 2 3
         0.1  < 0
         0.1  < 0
         0.1  < 0
         0.1  ! fast 0
         0.1  > 0
         0.2  < 4
         0.2  ! completed
         0.2  = srtt 0 timeout 1",
    );
}

#[test]
fn the_timer_starts_with_the_first_segment_and_stops_with_the_last_ack() {
    run(
        &mut sender(config()),
        "0    open
         0    = rto off
         2    write 1
         2    > 0
         2    = rto 3
         2.1  < 1
         2.1  ! completed
         2.1  = rto off
         5    write 1
         5    > 1
         5    = rto 5.3",
    );
}

/// RFC 6298 §5.3: each new ACK starts the timer afresh; so does the repair with which a recovery begins. ns-3.44: that
/// repair does not, and of the new ACKs only the first.
#[test]
fn the_timer_may_run_on_through_a_recovery() {
    for (rto_restart, [repaired, first, second]) in
        [(RtoRestart::NewAck, ["1.1", "1.2", "1.3"]), (RtoRestart::Ns3, ["1", "1.2", "1.2"])]
    {
        let script = format!(
            "0    open
             0    write endless
             0    > 0 1 2 3 4 5 6 7 8 9
             0.1  < 0 sack 3-4
             0.1  < 0 sack 3-5
             0.1  < 0 sack 3-6
             0.1  ! fast 0
             0.1  > 0
             0.1  = rto {repaired}
             0.2  < 1 sack 3-6
             0.2  > 1
             0.2  = rto {first}
             0.3  < 2 sack 3-6
             0.3  > 2
             0.3  = rto {second}"
        );
        run(&mut sender(TcpConfig { rto_restart, ..sacking(10) }), &script);
    }
}
