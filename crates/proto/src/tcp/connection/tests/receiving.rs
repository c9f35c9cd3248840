//! The receiver: which segments are acknowledged when (RFC 1122 §4.2.3.2, RFC 5681 §4.2), and SACK blocks
//! (RFC 2018 §4).

use super::script::{config, receiver, run, sender};
use crate::tcp::{Loss, ReceiveBuffer, TcpConfig};
use crate::units::Dur;

fn delaying() -> TcpConfig {
    TcpConfig { ack_every: 2, ack_delay: Dur::from_ms(200), ..config() }
}

#[test]
fn every_segment_is_acknowledged_at_once_with_ack_every_1() {
    run(
        &mut receiver(&config()),
        "0    < 0
         0    > 1
         0    = new 1000
         0.1  < 1
         0.1  > 2
         0.1  = rto off",
    );
}

#[test]
fn the_second_segment_or_the_timer_brings_the_delayed_ack() {
    run(
        &mut receiver(&delaying()),
        "0    < 0
         0    = rto 0.2
         0.1  < 1
         0.1  > 2
         0.1  = rto off
         1    < 2
         1.2  > 3
         1.2  = rto off
         2    < 3
         2    = rto 2.2",
    );
}

#[test]
fn more_than_two_segments_may_share_an_ack() {
    run(
        &mut receiver(&TcpConfig { ack_every: 4, ..delaying() }),
        "0    < 0
         0    < 1
         0.1  < 2
         0.1  < 3
         0.1  > 4",
    );
}

#[test]
fn out_of_order_duplicate_and_gap_filling_segments_are_acknowledged_at_once() {
    run(
        &mut receiver(&delaying()),
        "0    < 0
         0    < 2               // out of order: the pending ACK goes with it
         0    > 1
         0    = new 0
         0.1  < 4
         0.1  > 1
         0.2  < 1               // fills a gap, another stays
         0.2  > 3
         0.2  = new 2000
         0.3  < 2               // a duplicate
         0.3  > 3
         0.3  = duplicate
         0.4  < 3               // fills the last gap
         0.4  > 5
         0.4  = new 2000
         0.5  < 5               // in order again: delayed
         0.7  > 6",
    );
}

// A buffer of 20 segments whose free space is advertised: what waits beyond a gap is taken off until the gap is filled,
// and what the window had allowed before is taken nevertheless.
#[test]
fn a_window_of_free_space_shrinks_with_what_waits() {
    run(
        &mut receiver(&TcpConfig { receive_buffer: ReceiveBuffer::FreeSpace, ..config() }),
        "0    < 0
         0    > 1
         0.1  < 2
         0.1  > 1(19)
         0.1  < 3
         0.1  > 1(18)
         0.1  < 3               // a second arrival takes no more
         0.1  > 1(18)
         0.2  < 20
         0.2  > 1(17)
         0.2  = new 0           // beyond the edge of 18, within the buffer
         0.3  < 1
         0.3  > 4(19)
         0.4  < 21-22
         0.4  > 4(18)",
    );
    run(
        &mut receiver(&config()),
        "0    < 0
         0    > 1
         0.1  < 2
         0.1  > 1",
    );
}

// To the sender an ACK that changes the window is no duplicate (RFC 5681 §2): a gap behind which everything arrives is
// only found by the timer, but for SACK, whose blocks tell (RFC 6675 §2).
#[test]
fn shrinking_windows_hide_duplicate_acks() {
    let text = "0    open
         0    write endless
         0    > 0 1 2 3 4 5 6 7
         0.1  < 0 win 19
         0.1  < 0 win 18
         0.1  < 0 win 17
         0.1  = dupacks 0
         1    ! timeout 0
         1    > 0";
    run(&mut sender(TcpConfig { initial_window: 8, ..config() }), text);
}

#[test]
fn overlapping_segments_count_what_is_new() {
    run(
        &mut receiver(&config()),
        "0    < 0-2
         0    > 2
         0    = new 2000
         0    < 1-3
         0    > 3
         0    = new 1000
         0    < 5-7
         0    > 3
         0    < 6-8
         0    > 3
         0    = new 0
         0    < 3-9
         0    > 9
         0    = new 6000",
    );
}

/// RFC 2018 §4: the first block holds the segment that caused the ACK; at most three are sent.
#[test]
fn sack_blocks_come_most_recent_first() {
    run(
        &mut receiver(&TcpConfig { loss: Loss::Sack, ..config() }),
        "0    < 0
         0    > 1
         0    < 2
         0    > 1 sack 2-3
         0    < 4
         0    > 1 sack 4-5 2-3
         0    < 6
         0    > 1 sack 6-7 4-5 2-3
         0    < 8
         0    > 1 sack 8-9 6-7 4-5
         0    < 3               // joins two ranges
         0    > 1 sack 2-5 8-9 6-7
         0    < 1
         0    > 5 sack 8-9 6-7
         0    < 5
         0    > 7 sack 8-9
         0    < 7
         0    > 9",
    );
}

/// A malformed packet is a drop, never a panic.
#[test]
fn a_segment_beyond_the_sequence_space_is_not_taken() {
    use crate::tcp::connection::Arrival;
    use crate::units::SimTime;
    use crate::wire::{Segment, flags};
    let mut end = receiver(&config());
    let mut out = Vec::new();
    let wild = Segment { seq: u64::MAX - 10, len: 1000, flags: flags::ACK, ..Segment::default() };
    assert_eq!(end.receiver.on_segment(SimTime::ZERO, &wild, &mut out), Arrival::Unacceptable);
    let beyond = Segment { seq: 20_000, len: 1000, flags: flags::ACK, ..Segment::default() };
    assert_eq!(end.receiver.on_segment(SimTime::ZERO, &beyond, &mut out), Arrival::Unacceptable);
    assert_eq!(out.len(), 2, "each is answered with an ACK (RFC 9293 section 3.10.7.4)");
    let last = Segment { seq: 19_000, ..beyond };
    assert_eq!(end.receiver.on_segment(SimTime::ZERO, &last, &mut out), Arrival::New { readable: 0 });
}

/// RFC 2018 §4: after the newest block those that were reported most recently.
#[test]
fn blocks_are_repeated_by_recency() {
    let config = TcpConfig { loss: Loss::Sack, max_window: 20, ..config() };
    run(
        &mut receiver(&config),
        "0    < 8
         0    > 0 sack 8-9
         0    < 2
         0    > 0 sack 2-3 8-9
         0    < 4
         0    > 0 sack 4-5 2-3 8-9
         0    < 6
         0    > 0 sack 6-7 4-5 2-3
         0    < 8
         0    > 0 sack 8-9 6-7 4-5
         0    < 3
         0    > 0 sack 2-5 8-9 6-7
         0    < 0
         0    > 1 sack 2-5 8-9 6-7
         0    < 1
         0    > 5 sack 8-9 6-7",
    );
}

/// RFC 9293 §3.10.7.4: what is not acceptable is answered, so that a header below the window serves as a probe.
#[test]
fn a_header_below_the_window_is_answered() {
    run(
        &mut receiver(&config()),
        "0    < 0
         0    > 1
         1    < probe 0
         1    > 1
         1    = control
         2    < probe 1         // in place: an ACK, and no ACK is answered",
    );
}

/// RFC 9293 §3.10.7.4: an empty segment is acceptable anywhere in the window.
#[test]
fn an_empty_segment_in_the_window_is_not_answered() {
    run(
        &mut receiver(&config()),
        "0    < 0
         0    > 1
         1    < probe 1+500
         1    < probe 20+999    // the last byte of the window of 20
         2    < probe 21        // the first beyond it
         2    > 1
         3    < probe 0+999
         3    > 1",
    );
}

/// RFC 9293 §3.10.7.4: of a segment that reaches beyond the window, what lies within is taken.
#[test]
fn a_segment_is_trimmed_to_the_window() {
    run(
        &mut receiver(&TcpConfig { max_window: 2, ..config() }),
        "0    < 0-2+500
         0    > 2
         0    = new 2000
         0.1  < 3+500-5         // out of order
         0.1  > 2
         0.1  = new 0
         0.2  < 2-3+500
         0.2  > 4               // the rest of the window was there
         0.2  = new 2000
         0.3  < 6-7             // nothing of it lies within
         0.3  > 4
         0.3  = unacceptable
         0.4  < 3-7             // covers the window: neither end lies within
         0.4  > 4
         0.4  = unacceptable",
    );
}

/// RFC 9293 §3.10.7.4, fifth: without the ACK bit a segment is dropped; one that is not acceptable has been answered by
/// then.
#[test]
fn data_without_the_ack_bit_are_dropped() {
    run(
        &mut receiver(&config()),
        "0    < 0 bare
         0    = unacceptable
         0.1  < 30 bare
         0.1  > 0
         0.1  = unacceptable
         0.2  < 0
         0.2  > 1
         0.2  = new 1000",
    );
}

/// Altman & Jiménez' rule: one, two, three, four segments an ACK.
#[test]
fn the_further_it_has_come_the_more_segments_an_ack_is_for() {
    let config = TcpConfig { ack_steps: vec![2, 5, 9], ack_delay: Dur::from_ms(100), ..config() };
    let mut receiver = receiver(&config);
    run(
        &mut receiver,
        "0    < 0
         0    > 1
         0    < 1
         0    < 2
         0    > 3
         0.01 < 3
         0.02 < 4                // the fifth: for three
         0.03 < 5
         0.03 > 6
         0.04 < 6
         0.05 < 7
         0.14 > 8                // the delay of the first
         0.2  < 8
         0.21 < 9
         0.22 < 10
         0.23 < 11
         0.23 > 12
         0.24 < 13               // out of order: at once
         0.24 > 12
         0.25 < 12
         0.25 > 14",
    );
    let mut merged = 0;
    receiver.receiver.each_counter(&mut |_, value| merged = value);
    assert_eq!(merged, 1 + 2 + 2 + 3);
}

/// Quick ACKs: the first segments are acknowledged one by one.
#[test]
fn the_first_segments_may_be_acknowledged_one_by_one() {
    run(
        &mut receiver(&TcpConfig { quick_acks: 2, ack_every: 2, ack_delay: Dur::from_ms(40), ..config() }),
        "0 < 0
         0 > 1
         0 < 1
         0 > 2
         0 < 2
         0.01 < 3
         0.01 > 4
         0.02 < 4
         0.06 > 5",
    );
}
