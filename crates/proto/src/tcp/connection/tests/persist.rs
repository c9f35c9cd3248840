//! A window that closes (RFC 9293 §3.8.6.1), and one too small for a segment.

use super::script::{config, run, sender};
use crate::tcp::TcpConfig;
use crate::units::Dur;

//  The window closes with an ACK of everything: no timer but the persist timer could ever wake this sender.
#[test]
fn a_closed_window_is_probed_until_it_opens() {
    let mut sender = sender(TcpConfig { max_rto: Dur::from_secs(1), ..config() });
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0 1
         0.1  < 2 win 0
         0.1  = rto 0.4         // one RTO later
         0.4  > 2(1)
         1    > 2(1)            // 0.6 s
         1.1  < 2               // answered: still closed, and no duplicate ACK
         1.1  < 2
         1.1  < 2
         1.1  = dupacks 0 cwnd 3
         2    > 2(1)            // 1 s, the ceiling
         3    > 2(1)
         3.5  < 2 win 3         // open: the byte of the probe goes along with the rest
         3.5  > 2 3 4
         3.5  = cwnd 3 ssthresh 20
         3.5  = rto 3.8
         3.6  < 5
         3.6  > 5 6 7
         3.6  = srtt 0.1",
    );
    assert_eq!((sender.counters().timeouts, sender.counters().fast_retransmits), (0, 0));
}

#[test]
fn a_probe_that_is_taken_counts_as_data() {
    run(
        &mut sender(config()),
        "0    open
         0    write 2+1
         0    > 0 1
         0.1  < 2 win 0
         0.4  > 2(1)
         0.5  < 2+1
         0.5  ! completed
         0.5  = rto off",
    );
}

//  Data are under way when the window closes: the retransmission timer becomes the persist timer.
#[test]
fn a_timeout_behind_a_closed_window_is_no_congestion() {
    let mut sender = sender(TcpConfig { initial_window: 4, ..config() });
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0 1 2 3
         0.1  < 1 win 0
         0.1  = rto 0.4
         0.4  > 1(1)
         1    > 1(1)
         1    = cwnd 5 ssthresh 20 timeout 0.3
         1.5  < 1 win 20
         1.5  > 4 5
         1.5  = rto 1.8
         1.8  ! timeout 1       // what was lost meanwhile
         1.8  > 1",
    );
    assert_eq!(sender.counters().timeouts, 1);
}

/// RFC 9293 §3.8.6.2.1: neither silly segments at once, nor waiting for ever.
#[test]
fn a_window_below_a_segment_is_used_after_a_while() {
    run(
        &mut sender(config()),
        "0    open
         0    write endless
         0    > 0 1
         0.1  < 2 win 0+400
         0.4  > 2(400)
         0.4  = rto 0.7
         0.5  < 2+400
         0.75 > 2+400(400)      // the timeout is 0.25 s now
         0.8  < 2+800 win 3
         0.8  > 2+800 3+800 4+800",
    );
}

#[test]
fn a_window_update_lets_waiting_data_go() {
    run(
        &mut sender(TcpConfig { initial_window: 8, ..config() }),
        "0    open
         0    < 0 win 2
         0    write endless
         0    > 0 1
         0.1  < 0 win 5
         0.1  > 2 3 4
         0.2  < 0 win 5",
    );
}

#[test]
fn an_old_ack_does_not_move_the_window() {
    run(
        &mut sender(TcpConfig { initial_window: 4, ..config() }),
        "0    open
         0    write 4
         0    > 0 1 2 3
         0.1  < 2 win 2
         0.1  < 1 win 20
         0.1  write 9
         0.2  < 4
         0.2  > 4 5",
    );
}
