//! What a TCP sender heard and did, event by event: kept only where it is asked for, and never more than so many.

use crate::contract::{TcpView, is_duplicate_ack};
use crate::tcp::{self, Action, Input};
use crate::units::SimTime;
use crate::wire::{Segment, flags};

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// A segment left for the first time: `[seq, end)`.
    Sent,
    /// A segment left once more: `[seq, end)`.
    Retransmitted,
    /// An ACK moved the window from `seq` to `end`.
    Acked,
    /// An ACK said `seq` once more while data were under way: a duplicate by RFC 5681 §2, or with blocks by RFC 6675
    /// §2.
    DupAck,
    /// A block of a selective acknowledgment: `[seq, end)` (RFC 2018).
    Sacked,
    /// The retransmission timer fired; `seq` is the first byte that is not acknowledged.
    Timeout,
}

impl TraceKind {
    /// Public names, in the order of the variants.
    pub const NAMES: [&str; 6] = ["sent", "retransmitted", "ack", "dup-ack", "sack", "timeout"];
}

/// One event, and where the sender stood after the call in which it happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceEvent {
    /// When.
    pub at: SimTime,
    /// What.
    pub kind: TraceKind,
    /// First byte.
    pub seq: u64,
    /// The byte after the last.
    pub end: u64,
    /// Congestion window in segments.
    pub cwnd: f64,
    /// Slow-start threshold in segments.
    pub ssthresh: f64,
    /// The window that the receiver advertised last, in bytes.
    pub peer_window: u64,
}

/// The events of a sender, up to the first that there is no room for.
#[derive(Clone, Debug)]
pub struct Trace {
    events: Vec<TraceEvent>,
    most: usize,
}

/// Where a sender stood before a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    una: u64,
    max_sent: u64,
    peer_window: u64,
}

impl Before {
    pub(super) const fn of(view: &TcpView<'_>) -> Self {
        Self { una: view.una, max_sent: view.max_sent, peer_window: view.peer_window }
    }

    /// Whether an ACK says nothing new but that something has arrived.
    fn repeated(&self, ack: &Segment) -> bool {
        is_duplicate_ack(ack, (self.una, self.max_sent), self.peer_window, true)
    }
}

impl Trace {
    /// Nothing yet, and never more than `most`.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self { events: Vec::new(), most }
    }

    /// The events, as they happened.
    #[must_use]
    pub fn events(&self) -> &[TraceEvent] {
        &self.events
    }

    /// TCP was given this and asked for that.
    pub(super) fn add(
        &mut self,
        now: SimTime,
        before: Before,
        input: &Input,
        told: &[Action],
        after: &TcpView<'_>,
    ) {
        let mut put = |kind, seq, end| {
            if self.events.len() < self.most {
                let (cwnd, ssthresh, peer_window) = (after.cwnd, after.ssthresh, after.peer_window);
                self.events.push(TraceEvent { at: now, kind, seq, end, cwnd, ssthresh, peer_window });
            }
        };
        if let Input::Segment(segment) = input
            && segment.flags & flags::ACK != 0
        {
            if after.una > before.una {
                put(TraceKind::Acked, before.una, after.una);
            } else if before.repeated(segment) {
                put(TraceKind::DupAck, after.una, after.una);
            }
            for (start, end) in segment.sack.around(segment.ack) {
                put(TraceKind::Sacked, start, end);
            }
        }
        let mut sent = before.max_sent;
        for action in told {
            match *action {
                Action::Event(tcp::Event::Timeout { seq }) => put(TraceKind::Timeout, seq, seq),
                Action::Send(segment) if segment.len > 0 => {
                    let end = segment.seq + u64::from(segment.len);
                    let again = segment.seq < sent;
                    put(if again { TraceKind::Retransmitted } else { TraceKind::Sent }, segment.seq, end);
                    sent = sent.max(end);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::{Handshake, Sender, TcpConfig, Timer};
    use crate::units::{Bytes, Dur, FlowId};
    use crate::wire::SackBlocks;
    use TraceKind::{Acked, DupAck, Retransmitted, Sacked, Sent, Timeout};

    /// A sender of segments of 1000 bytes whose events are kept.
    struct Rig {
        sender: Sender,
        trace: Trace,
    }

    impl Rig {
        fn new(most: usize) -> Self {
            let config = TcpConfig {
                segment: Bytes(1000),
                initial_window: 4,
                max_window: 20,
                handshake: Handshake::None,
                ..TcpConfig::default()
            };
            let mut rig = Self { sender: Sender::new(config, FlowId(0)), trace: Trace::new(most) };
            rig.give(0, &Input::Open);
            rig.give(0, &Input::Write(u64::MAX));
            rig
        }

        fn give(&mut self, at_ms: u64, input: &Input) {
            let now = SimTime::ZERO + Dur::from_ms(at_ms);
            let before = Before::of(&self.sender.view());
            let mut told = Vec::new();
            self.sender.handle(now, *input, &mut told);
            self.trace.add(now, before, input, &told, &self.sender.view());
        }

        fn ack(&mut self, at_ms: u64, ack: u64, blocks: &[(u64, u32)]) {
            let mut sack = SackBlocks::default();
            blocks.iter().for_each(|&(start, len)| sack.push(start, len));
            let segment = Segment {
                seq: 0,
                ack,
                len: 0,
                flags: flags::ACK,
                window: 20_000,
                sack,
                ..Segment::default()
            };
            self.give(at_ms, &Input::Segment(segment));
        }

        fn since(&self, first: usize) -> Vec<(TraceKind, u64, u64)> {
            self.trace.events()[first..].iter().map(|event| (event.kind, event.seq, event.end)).collect()
        }
    }

    #[test]
    fn segments_acks_and_the_window_after_them_are_kept_in_their_order() {
        let mut rig = Rig::new(100);
        assert_eq!(
            rig.since(0),
            [(Sent, 0, 1000), (Sent, 1000, 2000), (Sent, 2000, 3000), (Sent, 3000, 4000)]
        );
        rig.ack(50, 1000, &[]);
        assert_eq!(rig.since(4), [(Acked, 0, 1000), (Sent, 4000, 5000), (Sent, 5000, 6000)]);
        let event = rig.trace.events()[4];
        assert_eq!((event.at, event.cwnd), (SimTime::ZERO + Dur::from_ms(50), 5.0));
        assert_eq!(event.peer_window, 20_000);
    }

    #[test]
    fn duplicate_acks_blocks_and_the_segment_sent_again_are_told_apart() {
        let mut rig = Rig::new(100);
        for (at, end) in [(50, 2000), (51, 3000), (52, 4000)] {
            rig.ack(at, 0, &[(1000, end - 1000)]);
        }
        let told = rig.since(4);
        let count = |kind| told.iter().filter(|event| event.0 == kind).count();
        assert_eq!((count(DupAck), count(Sacked), count(Acked)), (3, 3, 0));
        assert_eq!(told[..2], [(DupAck, 0, 0), (Sacked, 1000, 2000)]);
        assert!(told.contains(&(Retransmitted, 0, 1000)), "{told:?}");
        assert!(rig.trace.events().last().is_some_and(|event| event.ssthresh < 10.0));
    }

    #[test]
    fn a_syn_ack_that_comes_again_is_no_duplicate() {
        let mut rig = Rig::new(100);
        let flags = flags::ACK | flags::SYN;
        let segment = Segment { flags, window: rig.sender.view().peer_window as u32, ..Segment::default() };
        rig.give(50, &Input::Segment(segment));
        assert_eq!(rig.since(4), []);
    }

    #[test]
    fn a_timeout_comes_before_what_it_sends_again() {
        let mut rig = Rig::new(100);
        rig.give(10_000, &Input::Timer(Timer::Retransmit));
        assert_eq!(rig.since(4), [(Timeout, 0, 0), (Retransmitted, 0, 1000)]);
        assert_eq!(rig.trace.events()[4].cwnd, 1.0);
    }

    #[test]
    fn no_more_are_kept_than_there_is_room_for() {
        let rig = Rig::new(3);
        assert_eq!(rig.since(0), [(Sent, 0, 1000), (Sent, 1000, 2000), (Sent, 2000, 3000)]);
    }
}
