//! RACK and the tail loss probe (RFC 8985) as a sender uses them.

use super::sack::sacking;
use super::script::{TEN_SENT, config, run, sender};
use crate::tcp::{
    LimitedTransmit, Loss, LossDetectorKind, RackConfig, RecoveryRule, RtoRestart, RtoSsthresh,
    TailProbeConfig, TcpConfig,
};
use crate::units::Dur;

/// A sender of ten segments at first that marks losses by time.
pub(super) fn racking() -> TcpConfig {
    TcpConfig { judge: LossDetectorKind::Rack, limited_transmit: LimitedTransmit::Rfc3042, ..sacking(10) }
}

/// And probes.
fn probing() -> TcpConfig {
    let tail_probe = TailProbeConfig { on: true, ..TailProbeConfig::default() };
    TcpConfig { tail_probe, initial_window: 4, ..racking() }
}

/// §6.2 step 4: with three segments held there is no window for reordering.
#[test]
fn three_segments_held_show_a_loss_at_once() {
    run(
        &mut sender(racking()),
        &[
            TEN_SENT,
            "0.1  < 0 sack 1-2
             0.1  > 10
             0.1  < 0 sack 1-3
             0.1  > 11
             0.1  < 0 sack 1-4
             0.1  ! fast 0
             0.1  > 0
             0.1  = cwnd 5 ssthresh 5",
        ]
        .concat(),
    );
}

/// The same if that ACK opens the receiver's window too: the sender judges losses before it sends. Else the repair
/// would leave outside of recovery, and more with it than half of what is delivered.
#[test]
fn a_loss_is_judged_before_a_larger_window_is_used() {
    run(
        &mut sender(TcpConfig { recovery: RecoveryRule::Prr, ..racking() }),
        &[
            TEN_SENT,
            "0.1  < 0 sack 1-2 win 21
             0.1  > 10
             0.1  < 0 sack 1-3 win 22
             0.1  > 11
             0.1  < 0 sack 1-4 win 23
             0.1  ! fast 0
             0.1  > 0",
        ]
        .concat(),
    );
}

/// With two held, a quarter of the least round trip after the round trip of the newest of them.
#[test]
fn two_segments_held_show_a_loss_a_quarter_of_a_round_trip_later() {
    run(
        &mut sender(TcpConfig { max_window: 10, ..racking() }),
        &[
            TEN_SENT,
            "0.1   < 0 sack 1-3
             0.125 ! fast 0
             0.125 > 0",
        ]
        .concat(),
    );
}

/// A segment that comes late, but within the window, is not sent again.
#[test]
fn a_late_segment_within_the_window_is_not_lost() {
    run(
        &mut sender(TcpConfig { max_window: 10, ..racking() }),
        &[
            TEN_SENT,
            "0.1  < 0 sack 1-3
             0.12 < 3
             0.12 > 10 11 12
             0.2  < 13
             0.2  > 13 14 15 16 17 18 19 20 21 22
             0.2  = cwnd 10.199 ssthresh 10",
        ]
        .concat(),
    );
}

/// §3.2: RFC 6675 finds a lost retransmission by the timer only. RACK finds it as soon as something sent after it
/// arrives.
#[test]
fn a_lost_retransmission_is_found_within_a_round_trip() {
    let script = |rest: &str| {
        [
            TEN_SENT,
            "0.1  < 0 sack 1-4
             0.1  ! fast 0
             0.1  > 0
             0.1  < 0 sack 1-5
             0.1  < 0 sack 1-6
             0.1  < 0 sack 1-7
             0.1  > 10
             0.1  < 0 sack 1-8
             0.1  > 11
             0.1  < 0 sack 1-9
             0.1  > 12
             0.1  < 0 sack 1-10
             0.1  > 13
            ",
            rest,
        ]
        .concat()
    };
    let mut by_time = sender(racking());
    run(
        &mut by_time,
        &script(
            "0.2  < 0 sack 1-11    // 10 was sent after 0 was sent again
             0.2  > 0 14
             0.2  = cwnd 5 ssthresh 5
             0.2  < 0 sack 1-14
             0.2  > 15 16 17
             0.3  < 15
             0.3  > 18 19
             0.3  = cwnd 5.2",
        ),
    );
    let mut counts = Vec::new();
    by_time.each_counter(&mut |name, count| counts.push((name, count)));
    assert!(counts.contains(&("rack.marked", 2)) && counts.contains(&("rack.marked-again", 1)), "{counts:?}");
    run(
        &mut sender(TcpConfig { judge: LossDetectorKind::Standard, ..racking() }),
        &script(
            "0.2  < 0 sack 1-11
             0.2  > 14
             0.2  < 0 sack 1-12
             0.2  > 15",
        ),
    );
}

/// After ACKs have shown reordering three held segments are not enough.
#[test]
fn reordering_that_was_seen_opens_the_window() {
    run(
        &mut sender(TcpConfig { max_window: 10, ..racking() }),
        &[
            TEN_SENT,
            "0.1   < 0 sack 1-2
             0.11  < 2             // 0 came after 1
             0.11  > 10 11
             0.12  < 2 sack 3-9    // 6 above 2, which is not lost
             0.145 ! fast 2        // sent at 0; round trip 120 ms, a quarter of the least 100 ms
             0.145 > 2",
        ]
        .concat(),
    );
}

/// §6.3: what a timeout has marked goes again as the window opens, and nothing that is held does.
#[test]
fn after_a_timeout_nothing_goes_again_that_is_held() {
    run(
        &mut sender(TcpConfig { max_window: 10, ..racking() }),
        &[
            TEN_SENT,
            "0.1  < 2
             0.1  > 10 11
             0.4  ! timeout 2
             0.4  > 2
             0.4  = cwnd 1
             0.5  < 3
             0.5  > 3 4
             0.6  < 4 sack 5-7
             0.6  > 7 8",
        ]
        .concat(),
    );
}

/// §6.3: what was sent a short time before the timeout may still arrive.
#[test]
fn a_timeout_does_not_mark_what_was_sent_lately() {
    let mut sender = sender(racking());
    run(
        &mut sender,
        "0    open
         0    write 1
         0    > 0
         0.1  < 1
         0.1  ! completed
         0.2  write 2
         0.2  > 1 2
         0.45 write 1
         0.45 > 3
         0.5  ! timeout 1
         0.5  > 1
         0.55 < 1 sack 3-4
         0.6  < 2 sack 3-4
         0.6  > 2
         0.7  < 4",
    );
    assert_eq!(sender.counters().retransmissions, 2);
}

/// Proportional rate reduction reads what is marked.
#[test]
fn prr_goes_by_the_marks() {
    run(
        &mut sender(TcpConfig { recovery: RecoveryRule::Prr, ..racking() }),
        &[
            TEN_SENT,
            "0.1  < 0 sack 1-4
             0.1  ! fast 0
             0.1  > 0
             0.1  > 10             // half of the three that the ACK brought, rounded up
             0.1  < 0 sack 1-5
             0.1  < 0 sack 1-6
             0.1  > 11
             0.1  < 0 sack 1-7
             0.1  < 0 sack 1-8     // as much is in the network as the threshold allows
             0.1  < 0 sack 1-9
             0.1  > 12
             0.1  < 0 sack 1-10
             0.1  > 13
             0.2  < 10
             0.2  > 14
             0.2  = cwnd 5.2 ssthresh 5",
        ]
        .concat(),
    );
}

/// §7.2, §7.3: the last segment of a transfer is lost. Two round trips later it goes again, and no timeout is counted.
#[test]
fn a_probe_repairs_the_loss_of_the_last_segment() {
    let mut sender = sender(TcpConfig { min_rto: Dur::from_secs(1), ..probing() });
    run(
        &mut sender,
        "0    open
         0    write 4
         0    > 0 1 2 3
         0.1  < 3
         0.5  ! probe 3        // two round trips, and 200 ms as one segment is out
         0.5  > 3
         0.6  < 4
         0.6  ! completed",
    );
    assert_eq!((sender.counters().timeouts, sender.counters().tail_probes), (0, 1));
}

/// The last two are lost: the SACK that answers the probe shows the other.
#[test]
fn the_answer_to_a_probe_shows_further_losses() {
    let mut sender = sender(TcpConfig { min_rto: Dur::from_secs(1), ..probing() });
    run(
        &mut sender,
        "0     open
         0     write 4
         0     > 0 1 2 3
         0.1   < 2
         0.3   ! probe 3
         0.3   > 3
         0.4   < 2 sack 3-4
         0.4   ! fast 2        // sent a round trip and more before the probe
         0.4   > 2
         0.5   < 4
         0.5   ! completed",
    );
    assert_eq!((sender.counters().timeouts, sender.counters().tail_repairs), (0, 0));
}

/// §7.3: new data go first, if there are any and the receiver has room.
#[test]
fn a_probe_sends_new_data_if_there_are_any() {
    run(
        &mut sender(TcpConfig { min_rto: Dur::from_secs(1), ..probing() }),
        "0    open
         0    write endless
         0    > 0 1 2 3
         0.1  < 1
         0.1  > 4 5
         0.3  ! probe 6
         0.3  > 6
         0.3  = cwnd 5",
    );
}

/// §7.4: an ACK beyond a probe that repeated data, without a word that they came twice: the window shrinks once.
#[test]
fn a_loss_that_a_probe_repairs_shrinks_the_window() {
    let mut sender = sender(TcpConfig { min_rto: Dur::from_secs(1), ..probing() });
    run(
        &mut sender,
        "0    open
         0    write 4
         0    > 0 1 2 3
         0.1  < 3
         0.1  = cwnd 5
         0.5  ! probe 3
         0.5  > 3
         0.55 write 2
         0.55 > 4 5
         0.6  < 6
         0.6  ! completed
         0.6  = ssthresh 2.5",
    );
    assert_eq!(sender.counters().tail_repairs, 1);
}

/// The retransmission timer is never later for a probe, and starts afresh when it goes (§7.3).
#[test]
fn a_probe_is_never_later_than_the_timeout_and_starts_it_afresh() {
    run(
        &mut sender(probing()),
        "0    open
         0    write 4
         0    > 0 1 2 3
         0.1  < 3
         0.4  ! probe 3       // the timeout is 300 ms
         0.4  > 3
         0.4  = rto 0.7
         0.7  ! timeout 3
         0.7  > 3",
    );
}

/// Without SACK there is neither.
#[test]
fn without_sack_both_are_errors() {
    let plain = TcpConfig { loss: Loss::DupAcks, ..config() };
    for config in [
        TcpConfig { judge: LossDetectorKind::Rack, ..plain.clone() },
        TcpConfig { tail_probe: TailProbeConfig { on: true, ..TailProbeConfig::default() }, ..plain },
    ] {
        let error = format!("{:?}", config.check().unwrap_err());
        assert!(error.contains("rack-tlp") && error.contains("SACK"), "{error}");
    }
}

/// What the receiver held already opens no window: with byte counting the ACK that ends a recovery counts for the two
/// segments that it delivers.
#[test]
fn what_sack_has_told_of_does_not_open_the_window_again() {
    let counting = TcpConfig { byte_counting: 1000, ..racking() };
    run(
        &mut sender(counting),
        &[
            TEN_SENT,
            "0.1  < 0 sack 1-4
             0.1  ! fast 0
             0.1  > 0
             0.1  < 0 sack 1-9
             0.1  > 10 11 12
             0.2  < 10
             0.2  > 13 14
             0.2  = cwnd 5.4 ssthresh 5",
        ]
        .concat(),
    );
}

/// tcp_enter_loss: a timeout in fast recovery, which has set the threshold, leaves it.
#[test]
fn a_timeout_in_recovery_may_leave_the_threshold() {
    for (rto_ssthresh, after) in [(RtoSsthresh::First, 2.5), (RtoSsthresh::OutsideRecovery, 5.0)] {
        let config = TcpConfig { rto_ssthresh, max_window: 10, ..racking() };
        let mut sender = sender(config);
        run(
            &mut sender,
            &[
                TEN_SENT,
                "0.1  < 0 sack 1-4
                 0.1  ! fast 0
                 0.1  > 0
                 1.1  ! timeout 0
                 1.1  > 0",
            ]
            .concat(),
        );
        assert_eq!(sender.view().ssthresh, after, "{rto_ssthresh:?}");
    }
}

/// RFC 9937 §6.2: a timer that begins recovery brings nothing, so that of the three segments that arrive next,
/// and of ten in the network, half make two: the repair and one more.
#[test]
fn a_timer_that_begins_a_proportional_reduction_brings_nothing() {
    run(
        &mut sender(TcpConfig { recovery: RecoveryRule::Prr, ..racking() }),
        &[
            TEN_SENT,
            "0.1   < 0 sack 1-3
             0.1   > 10 11
             0.125 ! fast 0
             0.125 > 0
             0.125 < 0 sack 1-4
             0.125 < 0 sack 1-5
             0.125 < 0 sack 1-6
             0.125 > 12",
        ]
        .concat(),
    );
}

/// RFC 9937: in recovery the window is what is in the network, with what may be sent; afterwards it is the threshold.
#[test]
fn proportional_reduction_has_a_window_of_its_own() {
    let prr = TcpConfig { recovery: RecoveryRule::Prr, ..racking() };
    run(
        &mut sender(prr),
        &[
            TEN_SENT,
            "0.1  < 0 sack 1-4
             0.1  ! fast 0
             0.1  > 0
             0.1  > 10
             0.1  = cwnd 8 ssthresh 5
             0.1  < 0 sack 1-5
             0.1  = cwnd 7",
        ]
        .concat(),
    );
}

/// tcp_clean_rtx_queue: a repair waits behind what was sent before it, and its timer starts afresh with each of these.
#[test]
fn the_timer_of_a_repair_may_wait_for_what_is_ahead_of_it() {
    for (rto_restart, due) in [(RtoRestart::NewAck, "1.1"), (RtoRestart::Sack, "1.3")] {
        let config = TcpConfig { rto_restart, max_window: 10, ..racking() };
        let late = format!("{due}  ! timeout 0\n{due}  > 0");
        run(
            &mut sender(config),
            &[
                TEN_SENT,
                "0.1  < 0 sack 1-4
                 0.1  ! fast 0
                 0.1  > 0
                 0.3  < 0 sack 1-5
                ",
                &late,
            ]
            .concat(),
        );
    }
}

/// Linux's timer of reordering is two ticks late, so that an ACK may come first.
#[test]
fn the_timer_of_reordering_may_be_late() {
    let rack = RackConfig { slack: Dur::from_ms(8), ..RackConfig::default() };
    run(
        &mut sender(TcpConfig { rack, max_window: 10, ..racking() }),
        &[
            TEN_SENT,
            "0.1   < 0 sack 1-3
             0.133 ! fast 0
             0.133 > 0",
        ]
        .concat(),
    );
}

/// tcp_time_to_recover: a segment that was lost in a recovery, and is on its way again as that ends, begins another
/// one.
#[test]
fn a_loss_in_recovery_counts_when_that_ends() {
    run(
        &mut sender(racking()),
        &[
            TEN_SENT,
            "0.1  < 0 sack 1-4
             0.1  ! fast 0
             0.1  > 0
             0.1  < 0 sack 1-9
             0.1  > 10 11 12
             0.2  < 10 sack 11-13    // 10 was sent before 11 and 12
             0.2  ! fast 10
             0.2  > 10 13
             0.2  = cwnd 2.5 ssthresh 2.5",
        ]
        .concat(),
    );
    run(
        &mut sender(racking()),
        &[
            TEN_SENT,
            "0.1   < 0 sack 1-4
             0.1   ! fast 0
             0.1   > 0
             0.1   < 0 sack 1-9
             0.1   > 10 11 12
             0.2   < 9 sack 11-13    // 9 is lost too
             0.2   > 9 10 13 14 15
             0.3   < 10 sack 11-13
             0.3   ! fast 10
             0.3   = cwnd 2.5 ssthresh 2.5",
        ]
        .concat(),
    );
}

/// Linux, `tcp_may_raise_cwnd`: once segments have arrived more than three places out of order, an ACK that only brings
/// SACK opens the window too.
#[test]
fn sack_alone_opens_the_window_where_segments_arrive_far_out_of_order() {
    let grows = |count_sacked, openings: &str, sack: &str| {
        let mut sender = sender(TcpConfig { count_sacked, max_window: 10, ..racking() });
        run(&mut sender, &[TEN_SENT, openings].concat());
        let before = sender.view().cwnd;
        run(&mut sender, sack);
        sender.view().cwnd > before
    };
    let in_order = "0.1 < 4\n0.1 > 10 11 12 13";
    let late_by_three = "0.1 < 0 sack 2-3\n0.11 < 3\n0.11 > 10 11 12";
    let late_by_four = "0.1 < 0 sack 3-4\n0.11 < 4\n0.11 > 10 11 12 13";
    assert!(!grows(true, in_order, "0.2 < 4 sack 5-6"));
    assert!(!grows(true, late_by_three, "0.2 < 3 sack 4-5"));
    assert!(grows(true, late_by_four, "0.2 < 4 sack 5-6"));
    assert!(!grows(true, late_by_four, "0.2 < 4"), "without a block there is nothing new");
    assert!(!grows(false, late_by_four, "0.2 < 4 sack 5-6"));
}
