//! What shims have a sender do after a pause: begin again with the first unacknowledged byte, or take a timeout as
//! come.

use super::script::{EIGHT_SENT, FIRST_LOST, after, config, run, sender};
use crate::tcp::{CubicConfig, CubicRules, TcpConfig, Window};

fn eight() -> TcpConfig {
    TcpConfig { initial_window: 8, ..config() }
}

//  freeze          window one, from the first byte on    slow start over what was outstanding
#[test]
fn going_back_sends_everything_again_as_the_window_opens() {
    run(
        &mut sender(eight()),
        &after(
            &[EIGHT_SENT],
            "0.1  freeze
             60   set-cwnd 1
             60   go-back
             60   thaw
             60   > 0
             60   = cwnd 1 ssthresh 20
             60   = rto 61
             60.1 < 1
             60.1 > 1 2
             60.2 < 3
             60.2 > 3 4 5
             60.3 < 8                // the rest had arrived in the first place
             60.3 > 8 9 10 11",
        ),
    );
}

// RFC 6582 §3.2: duplicates of what had been sent before the pause are no loss, though there was none before.
#[test]
fn after_going_back_old_duplicates_are_no_loss() {
    run(
        &mut sender(eight()),
        &after(
            &[EIGHT_SENT],
            "0.1  freeze
             9    set-cwnd 2
             9    go-back
             9    thaw
             9    > 0 1
             9.1  < 0
             9.1  < 0
             9.1  < 0
             9.2  < 8
             9.2  > 8 9 10",
        ),
    );
}

#[test]
fn going_back_ends_recovery_and_the_gate_owes_nothing() {
    run(
        &mut sender(eight()),
        &after(
            &[EIGHT_SENT, FIRST_LOST],
            "0.2  freeze
             9    set-cwnd 2
             9    go-back
             9    thaw
             9    > 0 1
             9.1  < 0
             9.1  < 0
             9.1  < 0               // of what had been sent before: no second loss (careful)
             9.2  < 8
             9.2  > 8 9 10",
        ),
    );
}

#[test]
fn a_timeout_taken_as_come_cuts_the_window_and_waits_for_the_thaw() {
    run(
        &mut sender(eight()),
        &after(
            &[EIGHT_SENT],
            "0.1  freeze
             5    time-out
             5    ! timeout 0
             5    = cwnd 1 ssthresh 4
             5    = rto off
             6    thaw
             6    > 0
             6    = rto 8            // backed off",
        ),
    );
    run(
        &mut sender(eight()),
        &after(
            &[EIGHT_SENT],
            "0.1  time-out
             0.1  ! timeout 0
             0.1  > 0
             0.1  = cwnd 1",
        ),
    );
}

/// After a timeout an ACK counts for one segment, whatever it acknowledges; what was outstanding tells whether the
/// window was used. CUBIC in whole segments stayed at two for good.
#[test]
fn cubic_leaves_a_window_of_two_behind() {
    for whole_window in [false, true] {
        let cubic = CubicConfig { rules: CubicRules::Linux, ..CubicConfig::default() };
        let config = TcpConfig { window: Window::Cubic, cubic, whole_window, byte_counting: 1000, ..eight() };
        run(
            &mut sender(config),
            &after(
                &[EIGHT_SENT],
                "0.1  time-out
                 0.1  ! timeout 0
                 0.1  > 0
                 0.2  < 1
                 0.2  > 1 2
                 0.3  < 3
                 0.3  > 3 4 5
                 0.4  < 6
                 0.4  > 6 7 8 9",
            ),
        );
    }
}
