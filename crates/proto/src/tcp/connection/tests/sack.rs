//! Recovery by selective acknowledgements (RFC 6675).

use super::script::{EIGHT_SENT, after, config, run, sender};
use crate::tcp::connection::{Action, Input};
use crate::tcp::{LimitedTransmit, Loss, TcpConfig, Window};
use crate::units::SimTime;
use crate::wire::{SackBlocks, Segment, flags};

pub(super) fn sacking(initial_window: u32) -> TcpConfig {
    TcpConfig { loss: Loss::Sack, initial_window, ..config() }
}

//  Of segments 0 to 9, 0, 1 and 5 are lost.
#[test]
fn the_pipe_decides_what_is_sent_holes_first() {
    let mut sender = sender(sacking(10));
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0 1 2 3 4 5 6 7 8 9
         0.1  < 0 sack 2-3
         0.1  < 0 sack 2-4
         0.1  < 0 sack 2-5
         0.1  ! fast 0
         0.1  > 0               // pipe 6 (0 5 6 7 8 9), window 5
         0.1  = cwnd 5 ssthresh 5 inflation 0
         0.1  < 0 sack 6-7 2-5  // pipe 5
         0.1  < 0 sack 6-8 2-5  // pipe 4: room for one
         0.1  > 1
         0.1  < 0 sack 6-9 2-5  // now 5 is lost as well: pipe 0 1 9
         0.1  > 5 10
         0.1  < 0 sack 6-10 2-5
         0.1  > 11
         0.2  < 5 sack 6-10     // partial: pipe 5 10 11
         0.2  > 12 13
         0.2  < 12
         0.2  > 14 15 16
         0.2  = cwnd 5.2",
    );
    assert_eq!((sender.counters().fast_retransmits, sender.counters().retransmissions), (1, 3));
}

/// RFC 6675 §4, IsLost: more than two segments' bytes above the hole are enough, before the third duplicate.
#[test]
fn one_ack_with_three_segments_above_the_hole_is_evidence_enough() {
    run(
        &mut sender(sacking(8)),
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-4
             0.1  ! fast 0
             0.1  > 0
             0.1  = dupacks 1",
        ),
    );
}

/// RFC 6675 §2: an ACK that another has overtaken is a duplicate ACK if its blocks are news.
#[test]
fn the_blocks_of_an_overtaken_ack_are_evidence() {
    run(
        &mut sender(sacking(8)),
        &after(
            &[EIGHT_SENT],
            "0.1  < 2
             0.1  > 8 9 10
             0.2  < 1 sack 3-5     // of the past, and below it a block that is news
             0.2  = dupacks 1 una 2
             0.2  < 1 sack 3-5     // no news
             0.2  < 1 sack 0-2
             0.2  < 0
             0.2  = dupacks 1 una 2
             0.2  < 1 sack 3-6
             0.2  ! fast 2
             0.2  > 2",
        ),
    );
    // Without SACK an old ACK says nothing.
    run(
        &mut sender(config()),
        "0 open\n0 write endless\n0 > 0 1\n0.1 < 2\n0.1 > 2 3 4\n0.2 < 1 sack 3-4\n0.2 = dupacks 0",
    );
}

/// RFC 6675 §2: a duplicate ACK is one that brings new blocks.
#[test]
fn an_ack_that_tells_nothing_new_is_no_duplicate() {
    let limited = TcpConfig { limited_transmit: LimitedTransmit::Rfc3042, ..sacking(4) };
    run(
        &mut sender(limited),
        "0    open
         0    write endless
         0    > 0 1 2 3
         0.1  < 0
         0.1  < 0
         0.1  < 0
         0.1  = dupacks 0
         0.1  < 0 sack 1-2
         0.1  > 4
         0.1  < 0 sack 1-2
         0.1  < 0 sack 1-2
         0.1  = dupacks 1
         0.1  < 0 sack 2-3 1-2
         0.1  > 5
         0.1  < 0 sack 1-4
         0.1  ! fast 0
         0.1  > 0
         0.1  = dupacks 3",
    );
}

/// RFC 6675 §2 asks for new blocks, not for an unchanged window.
#[test]
fn new_blocks_count_though_the_window_changes() {
    run(
        &mut sender(sacking(8)),
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-4 win 19
             0.1  ! fast 0
             0.1  > 0",
        ),
    );
}

/// RFC 6675 §5: when recovery is over its recovery point is too. Segment 0 of the first window is lost, then segment 8,
/// the first one after it.
#[test]
fn a_loss_just_beyond_the_last_recovery_is_repaired_without_a_timeout() {
    run(
        &mut sender(sacking(8)),
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-4
             0.1  ! fast 0
             0.1  > 0
             0.2  < 8
             0.2  > 8 9 10 11
             0.3  < 8 sack 9-10
             0.3  < 8 sack 9-11
             0.3  < 8 sack 9-12
             0.3  ! fast 8
             0.3  > 8 12",
        ),
    );
}

/// RFC 6675 §5.1: after a timeout no recovery until all that was outstanding then is acknowledged.
#[test]
fn after_a_timeout_recovery_waits_for_the_recovery_point() {
    run(
        &mut sender(sacking(8)),
        &after(
            &[EIGHT_SENT],
            "1    ! timeout 0
             1    > 0
             1.1  < 0 sack 1-5      // evidence, but of the time before
             1.2  < 8
             1.2  > 8 9
             1.3  < 10
             1.3  > 10 11 12
             1.4  < 10 sack 11-12
             1.4  < 10 sack 11-13",
        ),
    );
}

/// RFC 6675 §5: IsLost is asked of an ACK that advances, too.
#[test]
fn an_ack_that_advances_may_show_a_loss() {
    run(
        &mut sender(sacking(8)),
        &after(
            &[EIGHT_SENT],
            "0.1  < 1
             0.1  > 8 9
             0.2  < 2 sack 3-6
             0.2  ! fast 2
             0.2  > 2
             0.2  = cwnd 4.5 ssthresh 4.5 dupacks 1",
        ),
    );
}

/// RFC 6675 §4 counts octets: the application wrote in pieces, and holes begin anywhere.
#[test]
fn holes_of_short_segments_are_repaired() {
    let mut sender = sender(sacking(8));
    run(
        &mut sender,
        "0    open
         0    write 0+300
         0    > 0(300)
         0    write 0+300
         0    > 0+300(300)
         0    write 0+300
         0    > 0+600(300)
         0    write 4
         0    > 0+900 1+900 2+900 3+900
         0.1  < 0 sack 0+300-0+600
         0.1  < 0 sack 0+900-1+900 0+300-0+600
         0.1  < 0 sack 0+900-2+900 0+300-0+600
         0.1  ! fast 0
         0.1  > 0(300) 0+600(300)   // the second by rule 3: nothing new is left
         0.1  < 0 sack 0+900-3+900 0+300-0+600
         0.2  < 3+900
         0.3  < 4+900
         0.3  ! completed",
    );
    assert_eq!((sender.counters().retransmissions, sender.counters().timeouts), (2, 0));
}

/// Nothing lies beyond the advertised window, in recovery either.
#[test]
fn recovery_stays_within_the_advertised_window() {
    run(
        &mut sender(sacking(4)),
        "0    open
         0    < 0 win 4+500
         0    write endless
         0    > 0 1 2 3
         0.1  < 0 sack 1-2
         0.1  < 0 sack 1-3
         0.1  < 0 sack 1-4
         0.1  ! fast 0
         0.1  > 0
         0.2  < 1 sack 2-4
         0.2  > 4
         0.2  = una 1",
    );
}

/// Karn: a segment that was first sent in recovery and lost gives no sample when its repair is acknowledged.
#[test]
fn a_segment_that_recovery_sent_twice_is_not_timed() {
    run(
        &mut sender(sacking(8)),
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-4
             0.1  ! fast 0
             0.1  > 0
             0.1  < 0 sack 1-6      // pipe 0 6 7: room for one
             0.1  > 8
             0.2  < 0 sack 1-8      // pipe 0 8
             0.2  > 9 10
             0.3  < 8 sack 9-11
             0.3  > 11
             0.4  < 8 sack 9-12
             0.4  ! fast 8
             0.4  > 8 12
             0.5  < 12
             0.5  > 13
             0.5  = srtt 0",
        ),
    );
}

/// Tahoe goes back once for a hole, however many duplicates follow.
#[test]
fn tahoe_with_sack_reacts_once() {
    for careful in [true, false] {
        let mut sender = sender(TcpConfig { window: Window::Tahoe, careful, ..sacking(8) });
        run(
            &mut sender,
            &after(
                &[EIGHT_SENT],
                "0.1  < 0 sack 1-4
                 0.1  ! fast 0
                 0.1  > 0
                 0.1  < 0 sack 1-5
                 0.1  < 0 sack 1-6
                 0.1  < 0 sack 1-7
                 0.1  < 0 sack 1-8
                 0.1  = cwnd 1 ssthresh 4
                 0.2  < 8
                 0.2  > 8 9",
            ),
        );
        assert_eq!(sender.counters().fast_retransmits, 1);
    }
}

/// NextSeg rule 3: holes not judged lost are sent when there is nothing new.
#[test]
fn at_the_end_of_the_data_remaining_holes_are_rescued() {
    run(
        &mut sender(sacking(8)),
        "0    open
         0    write 8
         0    > 0 1 2 3 4 5 6 7
         0.1  < 0 sack 1-4      // 0 and 6 are lost; one segment above 6 is no evidence
         0.1  ! fast 0
         0.1  > 0               // pipe 5, window 4
         0.1  < 0 sack 1-5
         0.1  < 0 sack 1-6      // pipe 0 6 7: room, but nothing new, and no hole below a block
         0.1  < 0 sack 7-8 1-6
         0.1  > 6
         0.2  < 6 sack 7-8
         0.3  < 8
         0.3  ! completed",
    );
}

/// RFC 6675 §5.1: after a timeout the scoreboard is forgotten, as the receiver may have reneged.
#[test]
fn a_timeout_clears_the_scoreboard() {
    run(
        &mut sender(sacking(4)),
        "0    open
         0    write 4
         0    > 0 1 2 3
         0.1  < 0 sack 2-3
         1    ! timeout 0
         1    > 0
         1.1  < 1
         1.1  > 1 2
         1.2  < 2
         1.2  > 3
         1.2  < 4
         1.2  ! completed",
    );
}

/// RFC 6675 §5: until `RecoveryPoint` is passed no second reduction.
#[test]
fn one_reduction_a_window_of_data() {
    let mut sender = sender(sacking(8));
    run(
        &mut sender,
        "0    open
         0    write 8
         0    > 0 1 2 3 4 5 6 7
         0.1  < 0 sack 1-4
         0.1  ! fast 0
         0.1  > 0
         0.2  < 4
         0.2  < 4 sack 5-6
         0.2  > 4               // rescued: pipe 4 6 7, nothing new
         0.2  < 4 sack 5-7
         0.2  < 4 sack 5-8
         0.3  < 8
         0.3  ! completed
         0.3  = ssthresh 4",
    );
    assert_eq!(sender.counters().fast_retransmits, 1);
}

#[test]
fn malformed_blocks_are_ignored() {
    let mut sender = sender(sacking(4));
    let mut out = Vec::new();
    sender.handle(SimTime::ZERO, Input::Open, &mut out);
    sender.handle(SimTime::ZERO, Input::Write(10_000), &mut out);
    out.clear();
    let mut sack = SackBlocks::default();
    sack.push(u64::MAX - 1, 1000); // before the start of the stream
    sack.push(3000, 0); // empty
    sack.push(3000, 2000); // beyond what was sent
    let ack = Segment { ack: 0, flags: flags::ACK, window: 20_000, sack, ..Segment::default() };
    for _ in 0..2 {
        sender.handle(SimTime::from_ms(100), Input::Segment(ack), &mut out);
    }
    assert!(
        sender.sending.flight().losses().board().pipe(0, 4000, 1000) == 4000 && out.is_empty(),
        "{out:?}"
    );
    // Blocks at or below the cumulative ACK are no evidence either.
    let mut sack = SackBlocks::default();
    sack.push(0, 2000);
    let ack = Segment { ack: 2000, sack, ..ack };
    sender.handle(SimTime::from_ms(200), Input::Segment(ack), &mut out);
    assert!(!out.iter().any(|action| matches!(action, Action::Event(_))), "{out:?}");
}
