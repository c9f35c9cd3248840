//! How long frames to and from each next hop take, where next hops take turns by that.

use crate::contract::Sink;
use crate::mac;
use crate::units::{Dur, NodeId};
use crate::wire::{Category, Frame, FrameKind};

/// What one frame has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) to: NodeId,
    pub(super) airtime: Dur,
    /// Whether the exchange is one that this station began.
    pub(super) own: bool,
    pub(super) category: Category,
}

/// Frames that a station has sent or received and that no queue has heard of yet.
#[derive(Clone, Debug)]
pub(super) struct AirMeter {
    /// The station.
    me: NodeId,
    /// Time between a frame and its answer.
    sifs: Dur,
    used: Vec<Used>,
    /// Category of the data that were sent or received last: that of the frames around them.
    category: Category,
}

impl AirMeter {
    /// One for a station that has sent and received nothing.
    pub(super) const fn new(me: NodeId, sifs: Dur) -> Self {
        Self { me, sifs, used: Vec::new(), category: Category::BestEffort }
    }

    /// The station sends a frame. One that asks begins an exchange of its own, or goes on with it.
    fn sent(&mut self, frame: &Frame) {
        self.add(frame, frame.to, frame.kind.asks());
    }

    /// The station has received a frame.
    pub(super) fn received(&mut self, frame: &Frame) {
        if frame.to == self.me {
            self.add(frame, frame.from, !frame.kind.asks());
        }
    }

    /// What the queues have not heard of yet.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Used> + '_ {
        self.used.drain(..)
    }

    fn add(&mut self, frame: &Frame, to: NodeId, own: bool) {
        if frame.kind == FrameKind::Data {
            self.category = frame.priority.category();
        }
        // A CTS has a pause on either side of it, other answers before them.
        let pauses = match frame.kind {
            FrameKind::Cts => self.sifs * 2,
            FrameKind::Ack | FrameKind::BlockAck | FrameKind::CfEnd => self.sifs,
            FrameKind::Rts | FrameKind::Data | FrameKind::BlockAckRequest => Dur::ZERO,
        };
        self.used.push(Used { to, airtime: frame.airtime + pauses, own, category: self.category });
    }
}

/// Notes what the MAC sends, on the way to what else takes its answers.
pub(super) struct Metered<'a, S> {
    pub(super) out: S,
    pub(super) air: Option<&'a mut AirMeter>,
}

impl<S: Sink<mac::Action>> Sink<mac::Action> for Metered<'_, S> {
    fn put(&mut self, action: mac::Action) {
        if let (mac::Action::Transmit(frame), Some(air)) = (&action, &mut self.air) {
            air.sent(frame);
        }
        self.out.put(action);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Preamble, TxVector};
    use crate::units::{Bitrate, Bytes};
    use crate::wire::{BatchId, PacketId, UserPriority};

    const ME: NodeId = NodeId(0);
    const OTHER: NodeId = NodeId(1);

    fn frame(kind: FrameKind, from: NodeId, to: NodeId, us: u64) -> Frame {
        Frame {
            kind,
            retry: false,
            more: false,
            priority: UserPriority::BEST_EFFORT,
            sequence: 0,
            from,
            to,
            packet: PacketId::NONE,
            second: None,
            batch: BatchId::NONE,
            size: Bytes(0),
            duration: Dur::ZERO,
            tx: TxVector::dsss(Bitrate::from_mbps(1), Preamble::Long),
            airtime: Dur::from_us(us),
        }
    }

    /// An exchange of this station, and one of the other: RTS, CTS, data, Ack, with three pauses of 10 us.
    #[test]
    fn all_frames_of_an_exchange_count_and_its_pauses() {
        let mut meter = AirMeter::new(ME, Dur::from_us(10));
        let lengths =
            [(FrameKind::Rts, 350), (FrameKind::Cts, 300), (FrameKind::Data, 6000), (FrameKind::Ack, 300)];
        for own in [true, false] {
            for (kind, us) in lengths {
                if kind.asks() == own {
                    meter.sent(&frame(kind, ME, OTHER, us));
                } else {
                    meter.received(&frame(kind, OTHER, ME, us));
                }
            }
            let used: Vec<Used> = meter.used.drain(..).collect();
            assert!(used.iter().all(|it| it.to == OTHER && it.own == own), "{used:?}");
            let sum = used.iter().fold(Dur::ZERO, |sum, it| sum + it.airtime);
            assert_eq!(sum, Dur::from_us(350 + 300 + 6000 + 300 + 3 * 10));
        }
    }
}
