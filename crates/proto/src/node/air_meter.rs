//! How long frames to and from each next hop take, where next hops take turns by that.

use crate::link::Link;
use crate::units::{Dur, NodeId};
use crate::wire::{Category, Frame, FrameKind};

/// What one frame has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Used {
    to: NodeId,
    airtime: Dur,
    own: bool,
    category: Category,
}

/// Frames that a station has sent or received and that no queue has heard of yet.
#[derive(Clone, Debug)]
pub(super) struct AirMeter {
    /// Time between a frame and its answer.
    sifs: Dur,
    used: Vec<Used>,
    /// Category of the data that were sent or received last: that of the frames around them.
    category: Category,
}

impl AirMeter {
    /// One for a station whose queue minds it.
    pub(super) fn of(link: &Link) -> Option<Box<Self>> {
        let sifs = link.sifs().filter(|_| link.queue().minds_airtime())?;
        Some(Box::new(Self { sifs, used: Vec::new(), category: Category::BestEffort }))
    }

    /// The station sends a frame. One that asks begins an exchange of its own, or goes on with it.
    pub(super) fn sent(&mut self, frame: &Frame) {
        self.add(frame, frame.to, frame.kind.asks());
    }

    /// The station has received a frame for it.
    pub(super) fn received(&mut self, frame: &Frame) {
        self.add(frame, frame.from, !frame.kind.asks());
    }

    fn add(&mut self, frame: &Frame, to: NodeId, own: bool) {
        if frame.kind == FrameKind::Data {
            self.category = frame.priority.category();
        }
        // A CTS has a pause on either side of it, other answers before them.
        let pauses = match frame.kind {
            FrameKind::Cts => self.sifs * 2,
            FrameKind::Ack | FrameKind::BlockAck => self.sifs,
            FrameKind::Rts | FrameKind::Data | FrameKind::BlockAckRequest => Dur::ZERO,
        };
        self.used.push(Used { to, airtime: frame.airtime + pauses, own, category: self.category });
    }

    /// The queues hear of it.
    pub(super) fn tell(&mut self, link: &mut Link) {
        for Used { to, airtime, own, category } in self.used.drain(..) {
            link.used(category, to, airtime, own);
        }
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
        let mut meter = AirMeter { sifs: Dur::from_us(10), used: Vec::new(), category: Category::default() };
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
