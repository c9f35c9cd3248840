//! What shims and gates do to a sender.

use super::script::{config, run, sender};
use crate::tcp::TcpConfig;

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
         9    = cwnd 5 ssthresh 20 una 2
         9    thaw
         9    > 2 3 4 5 6
         9    = rto 9.3
         9.1  < 7               // segment 4 was sent twice: no sample of nine seconds
         9.1  > 7 8 9 10 11 12
         9.1  = srtt 0.1",
    );
}

#[test]
fn a_transfer_that_was_acknowledged_while_frozen_completes_with_the_thaw() {
    run(
        &mut sender(config()),
        "0    open
         0    write 2
         0    > 0 1
         0    freeze
         0.1  < 2
         1    thaw
         1    ! completed
         1    = rto off",
    );
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

/// Every segment passes the gate, retransmissions too, and none is forgotten behind it.
#[test]
fn a_fast_retransmit_waits_for_the_gate() {
    let mut sender = sender(TcpConfig { initial_window: 4, limited_transmit: true, ..config() });
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
