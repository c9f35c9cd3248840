//! NewReno (RFC 6582): partial ACKs, with both rules for the timer and for the window.

use super::script::{EIGHT_SENT, FIRST_LOST, after, config, run, sender};
use crate::tcp::{PartialAckRestart, RttVoid, TcpConfig, Window};

fn eight() -> TcpConfig {
    TcpConfig { window: Window::Newreno, initial_window: 8, ..config() }
}

/// Segments 0 and 3 are lost: up to the partial ACK.
const TWO_LOSSES: &str = "
    0.1  < 0
    0.1  < 0
    0.1  > 8
    0.1  < 0
    0.1  > 9
    0.1  = cwnd 4 inflation 6
";

#[test]
fn a_partial_ack_shrinks_the_window_by_what_it_acknowledges_less_one() {
    let mut sender = sender(eight());
    run(
        &mut sender,
        &after(
            &[EIGHT_SENT, FIRST_LOST, TWO_LOSSES],
            "0.2  < 3
             0.2  > 3 10
             0.2  = cwnd 4 inflation 4
             0.21 < 3
             0.21 > 11
             0.21 < 3
             0.21 > 12
             0.3  < 10
             0.3  > 13
             0.3  = cwnd 4.25 inflation 0",
        ),
    );
    assert_eq!(sender.counters().fast_retransmits, 1);
}

#[test]
fn a_partial_ack_beyond_the_inflation_takes_from_the_window_itself() {
    // Segments 0 and 6 of eight are lost: five duplicates, then an ACK of six segments.
    run(
        &mut sender(eight()),
        &after(
            &[EIGHT_SENT, FIRST_LOST],
            "0.1  < 0
             0.1  < 0
             0.1  > 8
             0.1  = cwnd 4 inflation 5
             0.2  < 6
             0.2  > 6 9
             0.2  = cwnd 3 inflation 1
             0.21 < 6               // segment 8 has arrived
             0.21 > 10
             0.3  < 9
             0.3  > 11 12
             0.3  = cwnd 4          // below ssthresh: slow start up to it",
        ),
    );
}

#[test]
fn without_deflation_a_partial_ack_takes_all_inflation_back() {
    run(
        &mut sender(TcpConfig { partial_deflation: false, ..eight() }),
        &after(
            &[EIGHT_SENT, FIRST_LOST, TWO_LOSSES],
            "0.2  < 3
             0.2  > 3
             0.2  = cwnd 4 inflation 0
             0.21 < 3
             0.21 < 3
             0.3  < 10
             0.3  > 10 11 12 13",
        ),
    );
}

#[test]
fn what_a_partial_ack_has_sent_again_may_leave_new_data_timed() {
    // Segment 8 left at 0.1 s, in recovery; 3 is sent again at 0.2 s.
    for (rtt_void, srtt) in [(RttVoid::Retransmission, "0"), (RttVoid::Loss, "0.2")] {
        let after_both = format!(
            "0.2  < 3
             0.2  > 3 10
             0.2  = srtt 0
             0.3  < 10
             0.3  > 11 12 13
             0.3  = srtt {srtt}"
        );
        let parts = [EIGHT_SENT, FIRST_LOST, TWO_LOSSES];
        run(&mut sender(TcpConfig { rtt_void, ..eight() }), &after(&parts, &after_both));
    }
}

/// Segments 0, 2 and 4 are lost, so that two partial ACKs come; the timer runs with 1 s.
const THREE_LOSSES: &str = "
    0    open
    0    write 8
    0    > 0 1 2 3 4 5 6 7
    0.1  < 0
    0.1  < 0
    0.1  < 0
    0.1  ! fast 0
    0.1  > 0
    0.1  = rto 1.1
    0.1  < 0
    0.1  < 0
";

#[test]
fn only_the_first_partial_ack_restarts_the_timer() {
    run(
        &mut sender(eight()),
        &after(
            &[THREE_LOSSES],
            "0.6  < 2
             0.6  > 2
             0.6  = rto 1.6
             1.1  < 4
             1.1  > 4
             1.1  = rto 1.6
             1.6  ! timeout 4
             1.6  > 4
             1.7  < 8
             1.7  ! completed",
        ),
    );
}

#[test]
fn every_partial_ack_restarts_the_timer() {
    run(
        &mut sender(TcpConfig { partial_ack_restart: PartialAckRestart::Every, ..eight() }),
        &after(
            &[THREE_LOSSES],
            "0.6  < 2
             0.6  > 2
             0.6  = rto 1.6
             1.1  < 4
             1.1  > 4
             1.1  = rto 2.1
             1.7  < 8
             1.7  ! completed
             1.7  = rto off",
        ),
    );
}

/// RFC 6582 §3.2 step 1: the ACK must cover more than `recover`.
#[test]
fn the_careful_rule_asks_for_an_ack_beyond_the_last_recovery() {
    let script = after(
        &[EIGHT_SENT, FIRST_LOST],
        "0.2  < 8
         0.2  > 8 9 10 11
         0.3  < 8               // segment 8 is lost
         0.3  < 8
         0.3  < 8
         ",
    );
    run(&mut sender(eight()), &script);
    run(
        &mut sender(TcpConfig { careful: false, ..eight() }),
        &after(
            &[&script],
            "0.3  ! fast 8
             0.3  > 8 12",
        ),
    );
    run(
        &mut sender(eight()),
        &after(
            &[EIGHT_SENT, FIRST_LOST],
            "0.2  < 8
             0.2  > 8 9 10 11
             0.3  < 9               // 9 is lost
             0.3  > 12
             0.3  < 9
             0.3  < 9
             0.3  < 9
             0.3  ! fast 9
             0.3  > 9 13",
        ),
    );
}
