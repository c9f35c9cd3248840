//! Why frames and their packets were lost at those that could have decoded them.

use std::ops::Range;

use multihop_proto::units::NodeId;
use multihop_proto::wire::{Bitmap, Frame, FrameKind, FramePart, PacketId};

use super::Network;
use crate::air::{Harm, Struck};
use crate::probe::{Ended, Failure, Interferer};

impl Network {
    /// A unicast frame ends at its addressee, which could not receive it.
    #[cold]
    #[inline(never)]
    pub(super) fn spoilt(&mut self, frame: &Frame) {
        let now = self.world.now;
        if self.slept(frame) {
            return self.failed(frame, Failure::Dozing);
        }
        let by = match self.met(frame, frame.to) {
            Ok(by) => by,
            Err(harm) => return self.harmed(frame, harm),
        };
        self.failed(frame, Failure::Interference);
        if self.sampler.is_on() {
            if let Some(by) = by {
                self.world.recorder.attempts.met(frame.kind, frame.from, frame.to, by);
            }
            let ends = (self.nodes.node_of(frame.from), self.nodes.node_of(frame.to));
            self.world.recorder.spoilt(now, frame.kind, ends, by);
        }
    }

    /// A unicast frame was lost on its way to its addressee by what the channel did to it.
    pub(super) fn harmed(&mut self, frame: &Frame, harm: Harm) {
        self.failed(frame, Failure::Harm(harm));
    }

    /// Whether a frame that ends now met a dozing radio at its addressee.
    pub(super) fn slept(&self, frame: &Frame) -> bool {
        let now = self.world.now;
        self.dozes.meet(frame.to, now - frame.airtime, now)
    }

    fn failed(&mut self, frame: &Frame, failure: Failure) {
        self.world.recorder.attempts.failed(frame.kind, frame.from, frame.to, failure);
    }

    /// Which station a frame met that ends now at a node, if that is asked for; an error if that was nothing but noise,
    /// which alone can be too much for it where interference is summed.
    fn met(&mut self, frame: &Frame, at: NodeId) -> Result<Option<Interferer>, Harm> {
        let noise = self.radios.sums_interference();
        let by = (noise || self.sampler.is_on()).then(|| self.interference().strongest(frame, at)).flatten();
        let harm = if self.links.fades() { Harm::Fade } else { Harm::Bits };
        if noise && by.is_none() { Err(harm) } else { Ok(by) }
    }

    /// A transmission has ended in a channel that fades: which node could not decode it, and on average could, was
    /// meant by it or waits for it as an echo.
    #[inline(never)]
    pub(super) fn note_faded(&mut self, frame: &Frame, decodable: Range<usize>) {
        let now = self.world.now;
        let echoes = self.world.recorder.echoes.is_some();
        let near = if echoes { self.links.around(frame.from, now) } else { Some(vec![frame.to]) };
        let near = near.unwrap_or_else(|| self.nodes.all_stations().collect());
        for at in near {
            let heard = |place| self.links.at(place).to == at;
            if at.is_broadcast() || at == frame.from || decodable.clone().any(heard) {
                continue;
            }
            if !self.nodes.station(at).0.is_up() || !self.links.decodes_on_average(frame.from, at, now) {
                continue;
            }
            if echoes {
                self.judge(frame, at, false, Some(Harm::Fade));
                continue;
            }
            self.note_mpdus(frame, Bitmap::NONE, &Struck::all(Harm::Fade));
            if self.slept(frame) {
                self.failed(frame, Failure::Dozing);
            } else {
                self.harmed(frame, Harm::Fade);
            }
        }
    }

    /// The packets of a frame with their next hops; none of what is for all.
    fn parts(&self, frame: &Frame) -> impl Iterator<Item = (NodeId, u64)> + use<> {
        let part = |FramePart { to, packet }: FramePart| (to, self.packets[packet].uid);
        let first = FramePart { to: frame.to, packet: frame.packet };
        let first = (frame.packet != PacketId::NONE && !frame.to.is_broadcast()).then(|| part(first));
        first.into_iter().chain(frame.second.map(part))
    }

    /// A transmission has ended: what it carries over a slotted link has been sent once more.
    #[inline]
    pub(super) fn note_sent(&mut self, frame: &Frame) {
        if self.world.recorder.echoes.is_none() {
            return;
        }
        let parts = self.parts(frame);
        let Some(echoes) = &mut self.world.recorder.echoes else { return };
        for (to, uid) in parts {
            echoes.sent(frame.from, to, uid);
        }
    }

    /// A frame has ended at a node, which has acted on it if it came whole. Over a slotted link it is an attempt for
    /// the node that it is addressed to, and an echo for the one that had sent its packet before.
    #[inline]
    pub(super) fn note_ended(&mut self, frame: &Frame, at: NodeId, whole: bool, harm: Option<Harm>) {
        if self.world.recorder.mpdus.is_some() && frame.to == at {
            self.note_mpdu(frame, whole, harm);
        }
        if self.world.recorder.echoes.is_some() {
            self.judge(frame, at, whole, harm);
        }
    }

    #[inline(never)]
    fn judge(&mut self, frame: &Frame, at: NodeId, whole: bool, harm: Option<Harm>) {
        let ended = match harm {
            Some(harm) => Ended::Harm(harm),
            None if whole => Ended::Whole,
            None => self.met(frame, at).map_or_else(Ended::Harm, Ended::Interference),
        };
        let parts = self.parts(frame);
        let Some(echoes) = &mut self.world.recorder.echoes else { return };
        let mut through = [None; 2];
        for ((to, uid), through) in parts.zip(&mut through) {
            if to == at {
                echoes.arrived(frame.from, uid, ended);
            }
            *through = echoes.echoed(at, frame.from, |it| it == uid, ended);
        }
        // An FRN ACK names its packet by the last 12 bits.
        if frame.kind == FrameKind::Ack && frame.to == at {
            through[0] = echoes.echoed(at, frame.from, |it| it & 0xfff == u64::from(frame.sequence), ended);
        }
        for uid in through.into_iter().flatten() {
            let mut held = self.nodes.interface(at).link().packets();
            // One whose echo came too late is still here, and will be sent again.
            if !held.any(|packet| self.packets[packet].uid == uid) {
                echoes.forget(at, uid);
            }
        }
    }
}
