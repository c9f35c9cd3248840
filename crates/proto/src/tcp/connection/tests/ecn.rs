//! Explicit congestion notification, RFC 3168 section 6.1, rule by rule.

use super::script::{EIGHT_SENT, after, config, receiver, run, sender};
use crate::tcp::{EcnMode, EcnRule, Handshake, Loss, TcpConfig, Window};
use crate::units::Dur;

/// No handshake: both ends have agreed from the start.
fn ecn() -> TcpConfig {
    TcpConfig { ecn: EcnMode::Classic, initial_window: 8, ..config() }
}

fn shaking() -> TcpConfig {
    TcpConfig { handshake: Handshake::Syn, initial_window: 2, ..ecn() }
}

/// [`EIGHT_SENT`] of a sender with ECN.
const EIGHT: &str = "
    0    open
    0    write endless
    0    > 0e 1e 2e 3e 4e 5e 6e 7e
";

// §6.1.1: SYN with ECE and CWR, answered with ECE alone.
#[test]
fn both_ends_agree_with_the_handshake() {
    run(
        &mut sender(shaking()),
        "0    open
         0    > syn-ecn
         0    write endless
         0.1  < syn-ack ece
         0.1  > 0e 1e",
    );
    run(
        &mut receiver(&shaking()),
        "0    < syn ecn
         0    > syn-0e
         0.1  < 0 ce
         0.1  > 1e",
    );
}

#[test]
fn without_agreement_there_is_none() {
    run(
        &mut sender(shaking()),
        "0    open
         0    > syn-ecn
         0    write endless
         0.1  < syn-ack
         0.1  > 0 1
         0.2  < 2 ece           // means nothing
         0.2  > 2 3 4
         0.2  = cwnd 3",
    );
    run(
        &mut sender(TcpConfig { ecn: EcnMode::Off, ..shaking() }),
        "0    open
         0    > syn
         0    write endless
         0.1  < syn-ack ece
         0.1  > 0 1",
    );
    for (config, offer) in [(shaking(), "syn"), (TcpConfig { ecn: EcnMode::Off, ..shaking() }, "syn ecn")] {
        let text = format!(
            "0    < {offer}
             0    > syn-0
             0.1  < 0 ce
             0.1  > 1"
        );
        run(&mut receiver(&config), &text);
    }
}

// A SYN that is lost is sent again as it was, also as a probe.
#[test]
fn every_syn_makes_the_offer() {
    run(
        &mut sender(shaking()),
        "0    open
         0    > syn-ecn
         1    > syn-ecn
         1.5  probe
         1.5  > syn-ecn
         3    > syn-ecn
         4    < syn-ack ece",
    );
}

// §6.1.3: the echo goes on until CWR comes; a segment with both begins another.
#[test]
fn a_receiver_echoes_until_it_is_answered() {
    run(
        &mut receiver(&ecn()),
        "0    < 0
         0    > 1
         0.1  < 1 ce
         0.1  > 2e
         0.2  < 2
         0.2  > 3e
         0.3  < 4               // out of order: duplicate ACKs echo too
         0.3  > 3e
         0.4  < 3 cwr
         0.4  > 5
         0.5  < 5 ce cwr
         0.5  > 6e
         0.6  < 6 cwr
         0.6  > 7",
    );
}

// The second segment is marked, the third brings the ACK of both.
#[test]
fn a_delayed_ack_echoes_what_any_of_its_segments_said() {
    run(
        &mut receiver(&TcpConfig { ack_every: 2, ack_delay: Dur::from_ms(200), ..ecn() }),
        "0    < 0 ce
         0.1  < 1
         0.1  > 2e
         0.2  < 2
         0.4  > 3e",
    );
}

// §6.1.5: what lies outside the window, or was here, may be anybody's.
#[test]
fn marks_outside_the_window_are_ignored() {
    run(
        &mut receiver(&ecn()),
        "0    < 0
         0    > 1
         0.1  < 0 ce            // a second arrival
         0.1  > 1
         0.2  < 30 ce           // beyond the window of 20
         0.2  > 1
         0.3  < 1 ce
         0.3  > 2e
         0.4  < 0 cwr
         0.4  > 2e",
    );
}

// §6.1.2: as a loss, but nothing is sent again; CWR on the first segment of new data, once; no growth by the echo.
#[test]
fn an_echo_halves_the_window_once_for_each_window_of_data() {
    let mut sender = sender(ecn());
    run(
        &mut sender,
        &after(
            &[EIGHT],
            "0.1  < 1
             0.1  > 8e 9e           // slow start: 9
             0.1  < 2 ece
             0.1  = cwnd 4.5 ssthresh 4.5
             0.1  < 3 ece           // of the same window
             0.1  < 4 ece
             0.1  = cwnd 4.5
             0.1  < 6 ece
             0.1  = cwnd 4.5        // four outstanding
             0.1  < 7 ece
             0.1  > 10ec            // says that it has reduced
             0.1  < 8
             0.1  > 11e
             0.1  = cwnd 4.7222
             0.1  < 10 ece          // all that was outstanding at the reduction is acknowledged by this
             0.1  > 12e 13e
             0.1  = cwnd 4.7222
             0.2  < 11 ece          // and this is new
             0.2  = cwnd 2.3611 ssthresh 2.3611",
        ),
    );
    assert_eq!((sender.counters().ecn_reductions, sender.counters().retransmissions), (2, 0));
}

// RFC 8511 §4.1: a mark leaves 80 % of the window, with CUBIC 85 %; a loss leaves what it always does.
#[test]
fn marks_may_count_less_than_losses() {
    for (window, marked, lost) in [
        (Window::Newreno, "6.4 ssthresh 6.4", "4 ssthresh 4"),
        (Window::Reno, "6.4 ssthresh 6.4", "4 ssthresh 4"),
        (Window::Cubic, "6.8 ssthresh 6.8", "5.6 ssthresh 5.6"),
    ] {
        let config = || TcpConfig { abe: true, window, ..ecn() };
        let echo = format!("0.1  < 0 ece\n0.1  = cwnd {marked}");
        run(&mut sender(config()), &after(&[EIGHT], &echo));
        let loss = format!(
            "0.1  < 0
             0.1  < 0
             0.1  < 0
             0.1  ! fast 0
             0.1  > 0
             0.1  = cwnd {lost}"
        );
        run(&mut sender(config()), &after(&[EIGHT], &loss));
    }
}

// A small window: the threshold stays at two segments, and the window at one.
#[test]
fn gentle_reductions_keep_the_least_window() {
    let config = TcpConfig { abe: true, initial_window: 2, ..ecn() };
    run(
        &mut sender(config),
        "0    open
         0    write endless
         0    > 0e 1e
         0.1  < 0 ece
         0.1  = cwnd 1.6 ssthresh 2",
    );
}

// Data of the first window are lost and marked: the echo comes with duplicate ACKs of byte 0, and the loss of the same
// window is no second sign (§6.1.2). The retransmission is not ECN-capable (§6.1.5).
#[test]
fn a_loss_among_the_same_window_reduces_no_further() {
    for loss in [Loss::DupAcks, Loss::Sack] {
        let script = match loss {
            Loss::DupAcks => {
                "0.1  < 0 ece
             0.1  = cwnd 4 ssthresh 4
             0.1  < 0 ece
             0.1  < 0 ece
             0.1  ! fast 0
             0.1  > 0
             0.1  = cwnd 4 ssthresh 4"
            }
            Loss::Sack => {
                "0.1  < 0 sack 1-2 ece
             0.1  = cwnd 4 ssthresh 4
             0.1  < 0 sack 1-3 ece
             0.1  < 0 sack 1-4 ece
             0.1  ! fast 0
             0.1  > 0
             0.1  = cwnd 4 ssthresh 4"
            }
        };
        run(&mut sender(TcpConfig { loss, ..ecn() }), &after(&[EIGHT], script));
    }
}

// A window is reduced by a fast retransmit, and an echo of data sent before says the same again; what new data are sent
// after it have CWR (§6.1.2: reduced for any reason).
#[test]
fn after_a_loss_an_echo_of_the_same_window_is_no_news() {
    run(
        &mut sender(ecn()),
        &after(
            &[EIGHT],
            "0.1  < 0
             0.1  < 0
             0.1  < 0
             0.1  ! fast 0
             0.1  > 0
             0.1  < 0 ece
             0.1  < 0
             0.1  > 8ec              // inflated by five
             0.1  = cwnd 4
             0.2  < 8 ece
             0.2  > 9e 10e 11e
             0.2  = cwnd 4",
        ),
    );
}

#[test]
fn after_a_timeout_new_data_say_so_and_old_do_not() {
    run(
        &mut sender(TcpConfig { initial_window: 2, ..ecn() }),
        "0    open
         0    write endless
         0    > 0e 1e
         1    ! timeout 0
         1    > 0
         1.1  < 2 ece                // of what was sent before
         1.1  > 2ec
         1.1  = cwnd 1
         1.2  < 3
         1.2  > 3e 4e",
    );
}

/// An echo at a window of one segment.
const PAUSED: &str = "
    0    open
    0    write endless
    0    > 0e
    0.1  < 1 ece
";

// §6.1.2: a window of one segment cannot be halved: the retransmission timer says when the next one goes.
#[test]
fn with_a_window_of_one_segment_the_timer_paces() {
    let mut sender = sender(TcpConfig { initial_window: 1, ..ecn() });
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0e
         0.1  < 1 ece
         0.1  = cwnd 1 ssthresh 2
         0.1  = rto 0.4
         0.4  > 1ec
         0.4  = timeout 0.3          // no timeout has happened
         0.5  < 2
         0.5  > 2e 3e
         0.5  = cwnd 2",
    );
    assert_eq!(sender.counters().timeouts, 0);
}

// What is outstanding when the pause ends is lost; and a shim that freezes meanwhile does not end it.
#[test]
fn a_pause_outlasts_freezing_and_ends_with_a_timeout_if_something_is_missing() {
    run(
        &mut sender(TcpConfig { initial_window: 1, ..ecn() }),
        &after(
            &[PAUSED],
            "0.2  freeze
             1    thaw
             1    = rto 1.3
             1.3  > 1ec
             1.4  < 1 ece                // a duplicate of before: no news
             1.6  ! timeout 1
             1.6  > 1",
        ),
    );
}

// Going back to the first byte on a new path begins at once: the pause was for the old one.
#[test]
fn going_back_ends_the_pause() {
    run(
        &mut sender(TcpConfig { initial_window: 1, ..ecn() }),
        &after(
            &[PAUSED],
            "0.2  freeze
             9    set-cwnd 1
             9    go-back
             9    thaw
             9    > 1ec",
        ),
    );
}

// What a shim holds back is sending, not the reaction: what goes out first is of the smaller window, with CWR.
#[test]
fn a_frozen_sender_reacts_and_sends_when_it_goes_on() {
    run(
        &mut sender(ecn()),
        &after(
            &[EIGHT],
            "0.1  freeze
             0.2  < 2 ece
             0.2  = cwnd 4
             0.3  thaw
             0.3  < 6
             0.3  > 8ec 9e",
        ),
    );
}

// §6.1.6: the byte of a window probe is not ECN-capable, and CWR waits for real data.
#[test]
fn window_probes_are_not_ecn_capable() {
    run(
        &mut sender(TcpConfig { initial_window: 2, ..ecn() }),
        "0    open
         0    write endless
         0    > 0e 1e
         0.1  < 2 ece win 0
         0.4  > 2(1)
         0.5  < 2 win 5
         0.5  > 2                    // the byte of the probe has been sent before
         0.6  < 3
         0.6  > 3ec 4e",
    );
}

// ns-2: what is sent again may be marked and carries CWR; the second echo in a row at a window of one segment doubles
// the timeout.
#[test]
fn ns2_marks_what_is_sent_again() {
    let config = TcpConfig { ecn_rule: EcnRule::Ns2, ..ecn() };
    run(
        &mut sender(config.clone()),
        &after(
            &[EIGHT],
            "0.1  < 0
             0.1  < 0
             0.1  < 0
             0.1  ! fast 0
             0.1  > 0e
             0.1  < 0
             0.1  < 0
             0.1  > 8ec",
        ),
    );
    run(
        &mut sender(TcpConfig { initial_window: 1, ..config }),
        "0    open
         0    write endless
         0    > 0e
         0.1  < 1 ece
         0.1  > 1ec
         0.1  = cwnd 1 timeout 0.3
         0.2  < 2 ece
         0.2  > 2ec
         0.2  = cwnd 1
         0.2  = timeout 0.5
         0.3  < 3
         0.3  > 3e 4e
         0.4  < 5 ece                // two segments: the row is at its end
         0.4  > 5ec
         0.5  < 6 ece
         0.5  > 6ec
         0.5  = timeout 0.2",
    );
}

// ns-2: a timeout after an echo belongs to what that has told of. One after another loss is one.
#[test]
fn in_ns2_a_timeout_after_an_echo_is_of_the_same_congestion() {
    let config = TcpConfig { ecn_rule: EcnRule::Ns2, ..ecn() };
    let mut after_echo = sender(config.clone());
    run(
        &mut after_echo,
        &after(
            &[EIGHT],
            "0.1  < 4 ece
             0.1  = cwnd 4 ssthresh 4
             0.4  > 4ec
             0.4  = cwnd 1 ssthresh 4",
        ),
    );
    assert_eq!(after_echo.counters().timeouts, 0);
    let mut after_loss = sender(config);
    run(
        &mut after_loss,
        &after(
            &[EIGHT],
            "0.1  < 4 ece
             0.1  < 4
             0.1  < 4
             0.1  < 4
             0.1  ! fast 4
             0.1  > 4ec 8ec 9e 10e
             0.4  ! timeout 4
             0.4  > 4ec
             0.4  = cwnd 1 ssthresh 2",
        ),
    );
    assert_eq!(after_loss.counters().timeouts, 1);
}

// Tahoe starts again at every loss, and halves for an echo as the others do.
#[test]
fn every_window_rule_takes_an_echo_alike() {
    for window in [Window::Tahoe, Window::Reno, Window::Newreno] {
        run(
            &mut sender(TcpConfig { window, ..ecn() }),
            &after(&[EIGHT], "0.1  < 1 ece\n 0.1  = cwnd 4 ssthresh 4"),
        );
    }
}

#[test]
fn without_the_key_nothing_is_marked() {
    run(&mut sender(TcpConfig { ecn: EcnMode::Off, ..ecn() }), EIGHT_SENT);
}
