//! How long frames to and from each next hop take, where next hops take turns by that.

use super::machine::{Access, Link};
use crate::contract::{Cx, Sink};
use crate::mac::{self, AnyMac, Mac};
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
    const fn new(me: NodeId, sifs: Dur) -> Self {
        Self { me, sifs, used: Vec::new(), category: Category::BestEffort }
    }

    /// The station sends a frame. One that asks begins an exchange of its own, or goes on with it.
    fn sent(&mut self, frame: &Frame) {
        self.add(frame, frame.to, frame.kind.asks());
    }

    /// The station has received a frame.
    fn received(&mut self, frame: &Frame) {
        if frame.to == self.me {
            self.add(frame, frame.from, !frame.kind.asks());
        }
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
}

/// Notes what the MAC sends, on the way to what else takes its answers.
struct Metered<'a, S> {
    out: S,
    air: Option<&'a mut AirMeter>,
}

impl<S: Sink<mac::Action>> Sink<mac::Action> for Metered<'_, S> {
    fn put(&mut self, action: mac::Action) {
        if let (mac::Action::Transmit(frame), Some(air)) = (&action, &mut self.air) {
            air.sent(frame);
        }
        self.out.put(action);
    }
}

impl Link {
    /// From now on its queues hear what frames of the station `me` take of the air, if they mind it.
    pub(crate) fn mind_airtime(&mut self, me: NodeId) {
        let sifs = self.sifs().filter(|_| self.queue.minds_airtime());
        self.air = sifs.map(|sifs| Box::new(AirMeter::new(me, sifs)));
    }

    /// Lets a MAC that is not the plain DCF take one input. Its queues hear before what the frames so far have taken, as it
    /// may ask for more.
    #[inline(never)]
    pub(super) fn handle_other(
        &mut self,
        cx: &mut Cx<'_>,
        input: mac::Input<'_>,
        out: impl Sink<mac::Action>,
    ) {
        if let Some(mut air) = self.air.take() {
            if let mac::Input::Receive(frame) = input {
                air.received(frame);
            }
            for Used { to, airtime, own, category } in air.used.drain(..) {
                self.used(category, to, airtime, own);
            }
            self.air = Some(air);
        }
        if let Access::Mac(AnyMac::Other(mac)) = &mut self.access {
            mac.handle(cx, input, &self.queue, Metered { out, air: self.air.as_deref_mut() });
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
