//! Accurate ECN, RFC 9768 section 3, rule by rule.

use super::script::config;
use crate::tcp::connection::{Action, Input, Receiver, Sender};
use crate::tcp::{EcnMode, Handshake, Loss, TcpConfig};
use crate::units::{FlowId, SimTime};
use crate::wire::{MarkedBytes, SackBlocks, Segment, Timestamps, flags};

const SMSS: u32 = 1000;

fn accurate() -> TcpConfig {
    TcpConfig { ecn: EcnMode::Accurate, loss: Loss::Sack, dsack: true, initial_window: 20, ..config() }
}

fn at(ms: u64) -> SimTime {
    SimTime::from_ms(ms)
}

fn sent(out: Vec<Action>) -> Vec<Segment> {
    out.into_iter()
        .filter_map(|action| if let Action::Send(segment) = action { Some(segment) } else { None })
        .collect()
}

/// A sender that has sent its first window, and what it was.
fn begun(config: &TcpConfig) -> (Sender, Vec<Segment>) {
    let (mut sender, mut out) = (Sender::new(config.clone(), FlowId(0)), Vec::new());
    sender.handle(at(0), Input::Open, &mut out);
    sender.handle(at(0), Input::Write(u64::MAX), &mut out);
    (sender, sent(out))
}

/// One that has sent its SYN.
fn opening(config: TcpConfig) -> (Sender, Segment) {
    let (sender, sent) = begun(&TcpConfig { handshake: Handshake::Syn, ..config });
    (sender, sent[0])
}

fn hears(sender: &mut Sender, now: SimTime, segment: Segment) -> Vec<Segment> {
    let mut out = Vec::new();
    sender.handle(now, Input::Segment(Segment { window: 64 * SMSS, ..segment }), &mut out);
    sent(out)
}

/// An ACK of so many segments, with this counter of marked packets.
fn ack(segments: u64, ace: u8) -> Segment {
    Segment { ack: segments * u64::from(SMSS), flags: flags::ACK, ..Segment::default() }.with_ace(ace)
}

/// The same with the option: bytes that came unmarked and marked.
fn told(segments: u64, ace: u8, ect0: u32, ce: u32) -> Segment {
    Segment { sack: SackBlocks::default().beside(MarkedBytes { ect0: ect0 + 1, ce }), ..ack(segments, ace) }
}

fn syn_ack(ace: u8) -> Segment {
    Segment { flags: flags::SYN | flags::ACK, ..Segment::default() }.with_ace(ace)
}

fn marks(sender: &Sender) -> (u64, u64) {
    (sender.counters().ecn_marks, sender.counters().ecn_reductions)
}

/// What a receiver answers to segments with these flags, which come one after the other; none if it waits.
fn answers(receiver: &mut Receiver, first: u64, all: &[u8]) -> Vec<Option<Segment>> {
    let mut number = first;
    let mut answer = |said: &u8| {
        let (flags, mut out) = (flags::ACK | said, Vec::new());
        let seq = number * u64::from(SMSS);
        number += 1;
        receiver.on_segment(at(number), &Segment { seq, len: SMSS, flags, ..Segment::default() }, &mut out);
        sent(out).pop()
    };
    all.iter().map(&mut answer).collect()
}

const PLAIN: u8 = flags::ECT;
const MARKED: u8 = flags::ECT | flags::CE;

// §3.1.1, table 2: which mode follows from the SYN, and from the answer.
#[test]
fn both_ends_agree_on_the_best_that_both_know() {
    let (_, syn) = opening(accurate());
    assert_eq!((syn.flags & flags::SYN, syn.ace()), (flags::SYN, 7));
    let (_, classic) = opening(TcpConfig { ecn: EcnMode::Classic, ..accurate() });
    assert_eq!(classic.ace(), 3);

    for (own, offer, answer) in [
        (EcnMode::Accurate, 7, 2),
        (EcnMode::Accurate, 3, 1),
        (EcnMode::Accurate, 0, 0),
        (EcnMode::Accurate, 4, 2), // §3.1.3: a later version
        (EcnMode::Classic, 7, 1),
        (EcnMode::Off, 7, 0),
    ] {
        let config = TcpConfig { ecn: own, handshake: Handshake::Syn, ..accurate() };
        let (mut receiver, mut out) = (Receiver::new(&config), Vec::new());
        let syn = Segment { flags: flags::SYN, ..Segment::default() }.with_ace(offer);
        receiver.on_segment(at(0), &syn, &mut out);
        let said = sent(out)[0];
        assert_eq!(said.ace(), answer, "{own} hears {offer}");
        let first = MarkedBytes { ect0: 1, ce: 0 };
        assert_eq!(said.sack.marked_bytes(), (answer == 2).then_some(first), "{own} hears {offer}");
    }

    // What the sender makes of the answer: whether data may be marked, and the counter that it sends.
    for (answer, ect, ace) in
        [(2, true, 5), (5, true, 5), (1, true, 0), (0, false, 0), (7, false, 0), (3, false, 5), (4, false, 5)]
    {
        let (mut sender, _) = opening(accurate());
        let data = hears(&mut sender, at(10), syn_ack(answer))[0];
        assert_eq!((data.flags & flags::ECT != 0, data.ace()), (ect, ace), "{answer}");
    }
}

// §3.2.2.3: a SYN that left as not ECN-capable came marked. It is answered, and nothing may be marked from then on.
#[test]
fn a_mangled_handshake_is_seen() {
    let (mut sender, _) = opening(accurate());
    let data = hears(&mut sender, at(10), syn_ack(6));
    assert!(data.iter().all(|segment| segment.flags & flags::ECT == 0));
    assert_eq!((sender.view().cwnd, data.len()), (10.0, 10), "half of 20");
    hears(&mut sender, at(20), ack(2, 6));
    assert_eq!(marks(&sender), (1, 1), "marks still count");
}

// §3.1.5: the first SYN settles it; §3.2.3.2.2: the answer to the second one has no option, and tells how that came.
#[test]
fn a_second_syn_changes_nothing() {
    let config = TcpConfig { handshake: Handshake::Syn, ..accurate() };
    let mut receiver = Receiver::new(&config);
    let mut syn = |ace, ecn| {
        let mut out = Vec::new();
        let syn = Segment { flags: flags::SYN | ecn, ..Segment::default() }.with_ace(ace);
        receiver.on_segment(at(0), &syn, &mut out);
        let said = sent(out)[0];
        (said.ace(), said.sack.marked_bytes().is_some())
    };
    assert_eq!(syn(7, 0), (2, true));
    assert_eq!(syn(7, flags::ECT), (4, false));
    assert_eq!(syn(0, MARKED), (6, false));
}

// §3.2, §3.2.1: the counters begin at 5, 1 and 0; the one of packets goes round after eight.
#[test]
fn a_receiver_counts_packets_and_bytes() {
    let mut receiver = Receiver::new(&accurate());
    for (number, marked) in (0..20).map(|number| (number, number % 2 == 1)) {
        let answer = answers(&mut receiver, number, &[if marked { MARKED } else { PLAIN }])[0].unwrap();
        let (ces, others) = (number.div_ceil(2) as u32, number as u32 / 2 + 1);
        assert_eq!(u32::from(answer.ace()), (5 + ces) % 8);
        assert_eq!(answer.sack.marked_bytes(), Some(MarkedBytes { ect0: others * SMSS + 1, ce: ces * SMSS }));
        assert_eq!(answer.flags & flags::ECT, 0, "ACKs are not ECN-capable");
    }
    let again = answers(&mut receiver, 3, &[MARKED])[0].unwrap();
    assert_eq!(
        (again.ace(), again.sack.marked_bytes()),
        (7, None),
        "not acceptable: 15 modulo 8, nothing moved"
    );
}

// §3.2: a counter of bytes has 24 bits.
#[test]
fn the_counters_of_bytes_go_round() {
    let mut receiver = Receiver::new(&TcpConfig { max_window: 65_535, ..accurate() });
    let long = |seq| Segment { seq, len: 8_000_000, flags: flags::ACK | MARKED, ..Segment::default() };
    let mut bytes = 0;
    for step in 0..3 {
        let mut out = Vec::new();
        receiver.on_segment(at(step), &long(step * 8_000_000), &mut out);
        bytes = sent(out)[0].sack.marked_bytes().unwrap().ce;
    }
    assert_eq!(bytes, 24_000_000 - (1 << 24));
    let (mut sender, _) = begun(&TcpConfig { initial_window: 40_000, max_window: 40_000, ..accurate() });
    hears(&mut sender, at(10), told(16_000, 5, 1, 0));
    hears(&mut sender, at(20), told(32_000, 5, 1, 16_000_000));
    let before = sender.counters().ecn_marks;
    hears(&mut sender, at(30), told(33_000, 5, 1, (17_000_000 % (1 << 24)) as u32));
    assert_eq!((before, sender.counters().ecn_marks), (16_000, 17_000), "packets by their bytes");
}

// §3.2.2.5.1: the first mark after none, and each second one, is told at once though every tenth segment is
// acknowledged.
#[test]
fn marks_bring_acks() {
    let mut receiver = Receiver::new(&TcpConfig { ack_every: 10, ..accurate() });
    let all = [PLAIN, MARKED, MARKED, MARKED, PLAIN, PLAIN, MARKED, PLAIN];
    let told: Vec<_> =
        answers(&mut receiver, 0, &all).iter().map(|answer| answer.map(|it| it.ace())).collect();
    assert_eq!(told, [None, Some(6), None, Some(0), None, None, Some(1), None]);
}

// RFC 3168 §6.1.2 and RFC 9768 §3.1.5: one reduction for each window of data, no CWR; all marks are counted.
#[test]
fn a_sender_reduces_once_a_window_and_counts_all() {
    let (mut sender, first) = begun(&accurate());
    assert!(first.iter().all(|segment| segment.flags & MARKED == PLAIN && segment.ace() == 5));
    hears(&mut sender, at(10), told(2, 6, 1000, 1000));
    assert_eq!((sender.view().cwnd, marks(&sender)), (10.0, (1, 1)));
    hears(&mut sender, at(11), told(8, 2, 3000, 5000));
    assert_eq!((sender.view().cwnd, marks(&sender)), (10.0, (5, 1)), "6 to 10, modulo 8");
    let data = hears(&mut sender, at(12), told(14, 2, 9000, 5000));
    assert!(data.iter().all(|segment| segment.ace() == 5 && segment.flags & flags::ECT != 0), "no CWR");
    assert_eq!(data.len(), 4);
    hears(&mut sender, at(20), told(20, 3, 14_000, 6000));
    assert_eq!(marks(&sender), (6, 1), "what was out at the reduction");
    hears(&mut sender, at(30), told(22, 4, 15_000, 7000));
    assert_eq!(marks(&sender), (7, 2));
}

// §3.2.2.5.2, appendix A.2: ACKs are lost, and the next one covers 18 segments.
#[test]
fn a_counter_that_may_have_gone_round_is_taken_for_the_safest_value() {
    let (mut sender, _) = begun(&accurate());
    hears(&mut sender, at(10), ack(1, 5));
    hears(&mut sender, at(11), ack(19, 7));
    assert_eq!(marks(&sender), (18, 1), "2, 10 or 18");
    // The bytes say that it was two.
    let (mut sender, _) = begun(&accurate());
    hears(&mut sender, at(10), told(1, 5, 1000, 0));
    hears(&mut sender, at(11), told(19, 7, 17_000, 2000));
    assert_eq!(marks(&sender), (2, 1));
}

// Appendix A.1: an ACK that later ones have overtaken says nothing, nor does one that brings nothing.
#[test]
fn superseded_acks_say_nothing() {
    let (mut sender, _) = begun(&accurate());
    hears(&mut sender, at(10), ack(4, 6));
    hears(&mut sender, at(11), ack(2, 5));
    hears(&mut sender, at(12), ack(4, 5));
    assert_eq!(marks(&sender), (1, 1), "5 after 6 would be seven more");
    let mut sack = SackBlocks::default();
    sack.push(6 * u64::from(SMSS), SMSS);
    hears(&mut sender, at(13), Segment { sack, ..ack(4, 7) });
    assert_eq!(marks(&sender), (2, 1), "blocks are news");
}

// A duplicate of a later time says what it says.
#[test]
fn time_tells_which_ack_is_the_later_one() {
    let (mut sender, _) = begun(&TcpConfig { timestamps: true, ..accurate() });
    let stamped = |segments, ace, ms| Segment { times: Timestamps::new(at(ms), 1), ..ack(segments, ace) };
    hears(&mut sender, at(20), stamped(4, 6, 10));
    hears(&mut sender, at(21), stamped(4, 5, 9));
    hears(&mut sender, at(22), stamped(4, 7, 11));
    assert_eq!(marks(&sender), (2, 1));
}

// §3.2.2.4: the first counter is zero, so something clears the flags. Nothing may be marked, and marks mean nothing.
#[test]
fn cleared_flags_end_it() {
    let (mut sender, _) = begun(&accurate());
    let data = hears(&mut sender, at(10), ack(2, 0));
    assert!(data.iter().all(|segment| segment.flags & flags::ECT == 0 && segment.ace() == 5));
    hears(&mut sender, at(11), ack(4, 7));
    assert_eq!(marks(&sender), (0, 0));
}

// §3.2.3.2.4: an option that begins with zero is not read; the flags still are, carefully.
#[test]
fn a_cleared_option_is_not_read() {
    let zeroed = |segments, ace| Segment {
        sack: SackBlocks::default().beside(MarkedBytes::default()),
        ..ack(segments, ace)
    };
    let (mut sender, _) = begun(&accurate());
    hears(&mut sender, at(10), zeroed(1, 5));
    hears(&mut sender, at(11), zeroed(19, 7));
    assert_eq!(marks(&sender), (18, 1), "the safest value");
}

// §3.2.3.2.5: marked bytes without a marked packet are a fault of the path.
#[test]
fn options_that_contradict_the_flags_end_the_marking() {
    let (mut sender, _) = begun(&accurate());
    hears(&mut sender, at(10), told(2, 5, 2000, 0));
    let data = hears(&mut sender, at(11), told(4, 5, 3000, 1000));
    assert!(!data.is_empty() && data.iter().all(|segment| segment.flags & flags::ECT == 0));
}

// §3.2.3.3: two blocks of SACK come first; with timestamps all fits into 40 bytes.
#[test]
fn the_option_stands_beside_two_blocks() {
    let mut receiver = Receiver::new(&TcpConfig { timestamps: true, ..accurate() });
    let mut last = None;
    for (seq, ms) in [(0, 1), (2, 2), (4, 3), (6, 4), (8, 5)] {
        let (mut out, times) = (Vec::new(), Timestamps::new(at(ms), 0));
        let (seq, flags) = (seq * u64::from(SMSS), flags::ACK | PLAIN);
        receiver.on_segment(
            at(ms),
            &Segment { seq, len: SMSS, flags, times, ..Segment::default() },
            &mut out,
        );
        last = sent(out).pop();
    }
    let last = last.unwrap();
    assert_eq!((last.sack.len(), last.options()), (2, 40));
    assert_eq!(last.sack.marked_bytes(), Some(MarkedBytes { ect0: 5 * SMSS + 1, ce: 0 }));
}

// A window probe and a header carry the counter, and are not ECN-capable.
#[test]
fn probes_carry_the_counter() {
    let (mut sender, _) = begun(&TcpConfig { initial_window: 2, ..accurate() });
    let mut out = Vec::new();
    sender.handle(at(1), Input::Control(crate::contract::Control::Probe), &mut out);
    let probe = sent(out)[0];
    assert_eq!((probe.len, probe.flags & flags::ECT, probe.ace()), (0, 0, 5));
}

/// Both ends over a path that marks at random and loses ACKs, but for the last one of a round: the sender's counts are
/// those of the receiver's.
#[test]
fn what_is_counted_is_told() {
    for (every, timestamps) in [(1, false), (2, true), (7, false)] {
        let config = TcpConfig { ack_every: every, timestamps, max_window: 200, ..accurate() };
        let (mut sender, mut air) = begun(&config);
        let mut receiver = Receiver::new(&config);
        let (mut state, mut marked) = (1u64, 0);
        let mut one_in = |count: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % count == 0
        };
        for round in 1..300 {
            let mut out = Vec::new();
            for data in air.drain(..) {
                let mark = data.flags & flags::ECT != 0 && one_in(16);
                marked += u64::from(mark);
                let said = data.flags | if mark { flags::CE } else { 0 };
                receiver.on_segment(at(10 * round), &Segment { flags: said, ..data }, &mut out);
            }
            receiver.on_timer(at(10 * round + 5), &mut out);
            let acks = sent(out);
            for (place, ack) in acks.iter().enumerate() {
                if place + 1 == acks.len() || !one_in(2) {
                    air.extend(hears(&mut sender, at(10 * round + 6), *ack));
                }
            }
        }
        let counted = sender.counters().ecn_marks;
        assert!(marked > 50 && counted == marked, "{every}: {counted} of {marked}");
    }
}
