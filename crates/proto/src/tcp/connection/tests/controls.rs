//! What shims and gates do to a sender.

use super::script::{EIGHT_SENT, FIRST_LOST, after, config, run, sender};
use crate::tcp::{Handshake, LimitedTransmit, Loss, TcpConfig};

#[test]
fn a_frozen_sender_keeps_its_state_and_goes_on_from_it() {
    run(
        &mut sender(TcpConfig { initial_window: 4, ..config() }),
        "0    open
         0    write endless
         0    > 0 1 2 3
         0.1  < 1
         0.1  > 4 5
         0.1  freeze
         0.1  = rto off
         0.2  < 2               // moves the window's edge, nothing else
         0.3  < 2
         0.3  < 2
         0.3  < 2
         0.3  restart-timer
         0.3  = rto off
         9    = cwnd 5 ssthresh 20 una 2 dupacks 0
         9    thaw
         9    > 6
         9    = rto 9.3
         9.1  < 7
         9.1  > 7 8 9 10 11 12
         9.1  = srtt 0.1        // of 6; what was under way during the pause gave none",
    );
}

/// The state and the timer, but not the segments: which of them a shim sends again is its own affair.
#[test]
fn a_thawed_sender_waits_for_acks_or_its_timer() {
    run(
        &mut sender(TcpConfig { initial_window: 4, ..config() }),
        "0    open
         0    write endless
         0    > 0 1 2 3
         0.1  freeze
         5    thaw
         5    = rto 6
         6    ! timeout 0
         6    > 0
         6    freeze            // with the timeout backed off to 2 s
         20   thaw
         20   = timeout 2 cwnd 1
         20   = rto 22
         22   ! timeout 0
         22   > 0
         22   = rto 26",
    );
}

//  SYN            frozen                thaw
#[test]
fn opening_outlasts_a_freeze() {
    let opening = TcpConfig { handshake: Handshake::Syn, ..config() };
    run(
        &mut sender(opening.clone()),
        "0    open
         0    > syn
         0    write endless
         1    > syn
         1.5  freeze
         1.5  = rto off
         9    thaw
         9    > syn             // no data without a handshake
         9    = rto 11
         9.1  < syn-ack
         9.1  > 0",
    );
    // The answer comes while it is frozen; so may the order to open.
    run(
        &mut sender(opening),
        "0    freeze
         0    open
         0    write endless
         0    = rto off
         1    thaw
         1    > syn
         1    freeze
         1.1  < syn-ack
         2    thaw
         2    > 0 1",
    );
}

//  Segment 0 is lost; duplicates inflate the window by three.
#[test]
fn recovery_outlasts_a_freeze_and_takes_its_inflation_back_when_it_ends() {
    let eight = TcpConfig { initial_window: 8, ..config() };
    let frozen = after(
        &[EIGHT_SENT, FIRST_LOST],
        "0.1  = cwnd 4 inflation 3
         0.1  freeze
         0.1  < 0
         ",
    );
    run(
        &mut sender(eight.clone()),
        &after(
            &[&frozen],
            "5    thaw
             5    = cwnd 4 ssthresh 4 inflation 3 dupacks 0
             5    = rto 6
             5.1  < 3               // partial: still in recovery
             5.1  > 3
             5.2  < 8
             5.2  > 8 9 10 11
             5.2  = cwnd 4.25 ssthresh 4 inflation 0",
        ),
    );
    run(
        &mut sender(eight),
        &after(
            &[&frozen],
            "0.2  < 8               // the end of recovery, while frozen
             5    thaw
             5    > 8 9 10 11
             5    = cwnd 4 ssthresh 4 inflation 0",
        ),
    );
}

#[test]
fn a_repair_that_is_owed_waits_for_the_thaw() {
    let mut sender = sender(TcpConfig { initial_window: 4, ..config() });
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0 1 2 3
         0    budget 0
         0.1  < 0
         0.1  < 0
         0.1  < 0
         0.1  ! fast 0
         0.1  freeze
         0.2  budget 9
         0.2  wake
         0.2  write 1
         0.2  = rto off",
    );
    assert!(!sender.is_stalled());
    run(
        &mut sender,
        "0.3  thaw
         0.3  > 0 4             // two segments and three of inflation
         0.3  = rto 1.3",
    );
}

#[test]
fn a_transfer_that_is_acknowledged_while_frozen_is_complete() {
    run(
        &mut sender(config()),
        "0    open
         0    write 2
         0    > 0 1
         0    freeze
         0.1  < 2
         0.1  ! completed
         1    thaw
         1    = rto off",
    );
}

#[test]
fn a_shim_sends_everything_again_but_what_was_sacked() {
    let mut sender = sender(TcpConfig { initial_window: 6, loss: Loss::Sack, ..config() });
    run(
        &mut sender,
        "0    open
         0    write 5+500
         0    > 0 1 2 3 4 5(500)
         0.1  < 1 sack 2-3
         0.1  freeze
         0.2  retransmit all
         0.2  > 1 3 4 5(500)
         0.2  = rto off
         0.3  probe
         0.3  > probe
         0.4  retransmit 1
         0.4  > 1
         0.5  thaw
         0.5  = rto 0.8",
    );
    assert_eq!(sender.counters().retransmissions, 5);
}

#[test]
fn thaw_without_freeze_changes_nothing() {
    run(
        &mut sender(config()),
        "0    open
         0    write endless
         0    > 0 1
         0    thaw
         0    = rto 1
         0    = nxt 2",
    );
}

#[test]
fn a_shim_can_set_the_window_retransmit_and_restart_the_timer() {
    let mut sender = sender(TcpConfig { initial_window: 4, ..config() });
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0 1 2 3
         0.5  retransmit 1
         0.5  > 1
         0.5  retransmit 9      // never sent: nothing to repeat
         0.5  = cwnd 4
         0.5  = rto 1
         0.5  restart-timer
         0.5  = rto 1.5
         0.6  set-cwnd 1
         0.6  = cwnd 1 ssthresh 20
         0.6  set-cwnd 0
         0.6  = cwnd 1
         0.6  set-ssthresh 7
         0.6  = ssthresh 7
         0.6  set-ssthresh 0
         0.6  = ssthresh 2
         0.6  set-rto 2500
         0.6  = timeout 2.5
         0.6  = rto 1.5         // when it is started next
         0.7  < 4
         0.7  > 4 5
         0.7  = srtt 0          // Karn: segment 1 may have been sent twice",
    );
    assert_eq!(sender.counters().retransmissions, 1);
}

#[test]
fn the_gate_limits_a_burst_and_waking_goes_on() {
    let mut sender = sender(TcpConfig { initial_window: 4, ..config() });
    run(
        &mut sender,
        "0    open
         0    budget 2
         0    write endless
         0    > 0 1
         0    = nxt 2",
    );
    assert!(sender.is_stalled());
    run(
        &mut sender,
        "0.1  budget 1
         0.1  wake
         0.1  > 2
         0.2  budget 9
         0.2  wake
         0.2  > 3
         0.3  wake",
    );
    assert!(!sender.is_stalled());
}

/// An ACK that lets nothing out comes while there is room for a moment: the sender waits for the next room as before.
#[test]
fn a_sender_behind_the_gate_is_not_forgotten_for_an_ack_that_says_nothing() {
    let mut sender = sender(TcpConfig { initial_window: 4, ..config() });
    run(
        &mut sender,
        "0    open
         0    budget 1
         0    write endless
         0    > 0
         0    budget 0
         0.1  < 1
         0.1  budget 9
         0.1  < 1",
    );
    assert!(sender.is_stalled());
    run(
        &mut sender,
        "0.2  budget 9
         0.2  wake
         0.2  > 1 2 3 4 5",
    );
}

/// Every segment passes the gate, retransmissions too, and none is forgotten behind it.
#[test]
fn a_fast_retransmit_waits_for_the_gate() {
    let mut sender =
        sender(TcpConfig { initial_window: 4, limited_transmit: LimitedTransmit::Rfc3042, ..config() });
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0 1 2 3
         0    budget 0
         0.1  < 0
         0.1  < 0
         0.1  < 0
         0.1  ! fast 0",
    );
    assert!(sender.is_stalled());
    run(
        &mut sender,
        "0.2  budget 1
         0.2  wake
         0.2  > 0
         0.3  budget 9
         0.3  wake
         0.3  > 4",
    );
    assert_eq!(sender.counters().retransmissions, 1);
}

/// A timeout must never be lost: with the gate shut the timer runs on.
#[test]
fn a_timeout_behind_a_shut_gate_is_tried_again() {
    let mut sender = sender(config());
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0 1
         0    budget 0
         1    ! timeout 0
         1    = rto 3
         2    budget 5
         2    wake
         2    > 0
         2    = rto 3",
    );
}
