//! Duplicate ACKs: fast retransmit under Tahoe and Reno, limited transmit, the careful rule.

use super::script::{EIGHT_SENT, FIRST_LOST, after, config, run, sender};
use crate::tcp::{Handshake, LimitedTransmit, TcpConfig, Window};

fn eight(window: Window) -> TcpConfig {
    TcpConfig { window, initial_window: 8, ..config() }
}

#[test]
fn tahoe_starts_again_from_one_segment() {
    run(
        &mut sender(eight(Window::Tahoe)),
        &after(
            &[EIGHT_SENT, FIRST_LOST],
            "0.1  = cwnd 1 ssthresh 4
             0.1  < 0               // further duplicates change nothing
             0.1  < 0
             0.1  < 0
             0.1  < 0
             0.2  < 8
             0.2  > 8 9
             0.2  = cwnd 2
             0.3  < 9
             0.3  > 10 11
             0.3  < 10
             0.3  > 12 13
             0.3  = cwnd 4
             0.4  < 11
             0.4  > 14              // congestion avoidance from here
             0.4  = cwnd 4.25",
        ),
    );
}

#[test]
fn reno_sends_on_every_further_duplicate_and_leaves_with_the_first_new_ack() {
    run(
        &mut sender(eight(Window::Reno)),
        &after(
            &[EIGHT_SENT],
            "0.1  < 0
             0.1  < 0
             0.1  = cwnd 8 dupacks 2
             0.1  < 0
             0.1  ! fast 0
             0.1  > 0
             0.1  = cwnd 4 ssthresh 4 inflation 3
             0.1  < 0
             0.1  < 0
             0.1  > 8
             0.1  < 0
             0.1  > 9
             0.1  < 0
             0.1  > 10
             0.2  < 8
             0.2  > 11
             0.2  = cwnd 4.25 inflation 0 dupacks 0",
        ),
    );
}

#[test]
fn reno_leaves_on_a_partial_ack_and_needs_the_timer_for_a_second_loss() {
    run(
        &mut sender(eight(Window::Reno)),
        &after(
            &[EIGHT_SENT, FIRST_LOST],
            "0.1  < 0
             0.1  < 0
             0.1  > 8
             0.2  < 4               // segment 4 is lost too
             0.2  = cwnd 4.25 inflation 0
             0.25 < 4               // the careful rule: 4 was outstanding when recovery began
             0.25 < 4
             0.25 < 4
             0.25 < 4
             1.2  ! timeout 4
             1.2  > 4
             1.2  = cwnd 1 ssthresh 2.125",
        ),
    );
}

#[test]
fn without_the_careful_rule_a_second_fast_retransmit_follows() {
    run(
        &mut sender(TcpConfig { careful: false, ..eight(Window::Reno) }),
        &after(
            &[EIGHT_SENT, FIRST_LOST],
            "0.1  < 0
             0.1  < 0
             0.1  > 8
             0.2  < 4
             0.25 < 4
             0.25 < 4
             0.25 < 4
             0.25 ! fast 4
             0.25 > 4
             0.25 = cwnd 2.125 ssthresh 2.125",
        ),
    );
}

#[test]
fn limited_transmit_sends_a_new_segment_for_each_of_the_first_two_duplicates() {
    let limited = TcpConfig { initial_window: 4, limited_transmit: LimitedTransmit::Rfc3042, ..config() };
    run(
        &mut sender(limited.clone()),
        "0    open
         0    write endless
         0    > 0 1 2 3
         0.1  < 0
         0.1  > 4
         0.1  < 0
         0.1  > 5
         0.1  < 0
         0.1  ! fast 0
         0.1  > 0
         0.1  = cwnd 2 ssthresh 2 inflation 3
         0.1  < 0
         0.1  < 0
         0.1  > 6",
    );
    // Not beyond the receive window, nor beyond the data.
    run(
        &mut sender(TcpConfig { max_window: 4, ..limited.clone() }),
        "0    open
         0    write endless
         0    > 0 1 2 3
         0.1  < 0
         0.1  < 0",
    );
    run(
        &mut sender(limited),
        "0    open
         0    write 4
         0    > 0 1 2 3
         0.1  < 0
         0.1  < 0",
    );
}

#[test]
fn a_duplicate_ack_with_nothing_outstanding_means_nothing() {
    let mut sender = sender(config());
    run(
        &mut sender,
        "0    open
         0    write 1
         0    > 0
         0.1  < 1
         0.1  ! completed
         0.2  < 1
         0.2  < 1
         0.2  < 1
         0.2  < 1
         0.2  = dupacks 0",
    );
    assert_eq!(sender.counters().fast_retransmits, 0);
}

#[test]
fn old_and_impossible_acks_are_ignored() {
    run(
        &mut sender(config()),
        "0    open
         0    write endless
         0    > 0 1
         0.1  < 2
         0.1  > 2 3 4
         0.2  < 1               // older than what is acknowledged
         0.2  < 1
         0.2  < 1
         0.2  < 9               // acknowledges what was never sent: answered, and dropped
         0.2  > ack
         0.2  = cwnd 3 dupacks 0 una 2",
    );
}

/// RFC 5681 §2: a segment with SYN is no duplicate ACK.
#[test]
fn a_repeated_syn_ack_is_no_duplicate_ack() {
    run(
        &mut sender(TcpConfig { handshake: Handshake::Syn, ..config() }),
        "0    open
         0    > syn
         0    write endless
         0.1  < syn-ack
         0.1  > 0 1
         0.1  < syn-ack
         0.1  < syn-ack
         0.1  < syn-ack
         0.1  = dupacks 0 cwnd 2",
    );
}

/// RFC 3042: what limited transmit sends must lie within the advertised window, to its last byte.
#[test]
fn limited_transmit_stays_within_the_advertised_window() {
    run(
        &mut sender(TcpConfig { initial_window: 3, limited_transmit: LimitedTransmit::Rfc3042, ..config() }),
        "0    open
         0    < 0 win 4+500     // room for a segment and a half more
         0    write endless
         0    > 0 1 2
         0.1  < 0
         0.1  > 3
         0.1  < 0",
    );
}

//  A window of four segments, 0 to 3; all are lost but 3, and the timer fires.
/// After a timeout the next segment in order is an old one: ns-2 sends it, RFC 3042 speaks of new data only.
#[test]
fn after_a_timeout_only_ns2_sends_old_data_on_duplicates() {
    for (limited_transmit, also) in
        [(LimitedTransmit::Off, ""), (LimitedTransmit::Rfc3042, ""), (LimitedTransmit::Ns2, "1.1 > 1")]
    {
        let mut sender = sender(TcpConfig { initial_window: 4, limited_transmit, ..config() });
        run(
            &mut sender,
            &format!(
                "0    open
                 0    write 4
                 0    > 0 1 2 3
                 1    ! timeout 0
                 1    > 0
                 1.1  < 0
                 {also}"
            ),
        );
        let limited = u64::from(limited_transmit == LimitedTransmit::Ns2);
        assert_eq!((sender.counters().limited, sender.counters().retransmissions), (limited, 1 + limited));
    }
}

/// RFC 5681 §2 (e): an ACK that changes the window is no duplicate.
#[test]
fn window_updates_are_no_duplicate_acks() {
    let mut sender = sender(eight(Window::Reno));
    run(
        &mut sender,
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 win 15
             0.1  < 0 win 16
             0.1  < 0 win 17
             0.1  < 0 win 18
             0.1  = dupacks 0",
        ),
    );
    assert_eq!(sender.counters().fast_retransmits, 0);
}

/// A repair goes no further than what was sent, though the application has written more since: its ACK would be one
/// for data that were never sent.
#[test]
fn a_short_segment_is_sent_again_as_it_was() {
    run(
        &mut sender(TcpConfig { window: Window::Reno, initial_window: 5, max_window: 5, ..config() }),
        "0    open
         0    write 4+300
         0    > 0 1 2 3 4(300)
         0.1  < 1
         0.1  < 2
         0.1  < 3
         0.1  < 4
         0.2  < 4 win 0+300     // room for nothing more
         0.2  write 1
         0.3  < 4
         0.3  < 4
         0.3  < 4
         0.3  ! fast 4
         0.3  > 4(300)
         0.4  < 4+300 win 5
         0.4  > 4+300",
    );
}
