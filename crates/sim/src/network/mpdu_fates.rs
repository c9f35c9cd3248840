//! What each MPDU of a data frame died of. Its own bytes decide: of the transmissions that overlapped the frame at its
//! addressee, the strongest that was on the air with them.

use multihop_proto::units::{NodeId, SimTime};
use multihop_proto::wire::{Bitmap, Frame, FrameKind, Mpdu};

use super::Network;
use super::interference::Overlap;
use crate::air::{Harm, Struck, mpdu_spans};
use crate::probe::{Death, EndedFrame, Failure, LostMpdu};

impl Network {
    /// A data frame with one addressee has ended there. Of its MPDUs `read` are those that neither overlap nor noise
    /// took.
    pub(super) fn note_mpdus(&mut self, frame: &Frame, read: Bitmap, struck: &Struck) {
        if self.world.recorder.mpdus.is_none() || frame.kind != FrameKind::Data || frame.to.is_broadcast() {
            return;
        }
        let several = self.packets.mpdus(frame.batch);
        let count = several.len().max(1) as u16; // at most 256
        let lost = if (0..count).all(|place| read.has(place) && struck.left.has(place)) {
            Vec::new()
        } else {
            let single = Mpdu {
                packet: frame.packet,
                number: frame.sequence,
                retry: frame.retry,
                size: frame.size,
                room: frame.size,
            };
            let mpdus = if several.is_empty() { vec![single] } else { several.to_vec() };
            self.lost_mpdus(frame, &mpdus, read, struck)
        };
        let category = frame.priority.category();
        let packets = self.packets.packets_in(frame) as u32; // a frame has at most 6.5 MB
        let (way, sent) = ((frame.from, frame.to), (frame.tx, frame.airtime));
        let ended = EndedFrame { way, category, sent, mpdus: count, packets, lost: &lost };
        self.world.recorder.mpdus_ended(self.world.now, &ended);
    }

    /// A frame of one MPDU has ended at its addressee: whether it came whole, and what the channel did to it.
    pub(super) fn note_mpdu(&mut self, frame: &Frame, whole: bool, harm: Option<Harm>) {
        let read = if whole { Bitmap::ALL } else { Bitmap::NONE };
        self.note_mpdus(frame, read, &harm.map_or_else(Struck::none, Struck::all));
    }

    fn lost_mpdus(&mut self, frame: &Frame, mpdus: &[Mpdu], read: Bitmap, struck: &Struck) -> Vec<LostMpdu> {
        let begin = self.world.now - frame.airtime;
        let slept = self.slept(frame);
        let overlaps = self.interference().overlaps(frame);
        let mut spans = mpdu_spans(frame.tx, frame.size, begin, mpdus);
        let preamble = (begin, spans.next().map_or(self.world.now, |(first, _)| first));
        let spans = mpdu_spans(frame.tx, frame.size, begin, mpdus);
        let mut lost = Vec::new();
        for ((place, mpdu), span) in (0..).zip(mpdus).zip(spans) {
            let death: Death = match struck.harm(place) {
                _ if slept => (Failure::Dozing, None),
                Some(harm) => (Failure::Harm(harm), None),
                None if read.has(place) => continue,
                None => self.overlap_death(frame.from, &overlaps, [span, preamble]),
            };
            let packet = &self.packets[mpdu.packet];
            let packets = 1 + self.packets.packed(frame.batch, place).count() as u16; // an MPDU has at most 11454 bytes
            let (packet, flow) = (packet.uid, packet.flow);
            lost.push(LostMpdu { place, number: mpdu.number, packet, flow, packets, death });
        }
        lost
    }

    /// What an MPDU met in the first of these times in which there was anything; noise if there was nothing.
    fn overlap_death(&mut self, from: NodeId, overlaps: &[Overlap], times: [(SimTime, SimTime); 2]) -> Death {
        let by = {
            let air = self.interference();
            times.into_iter().find_map(|time| air.met(from, overlaps, time))
        };
        match by {
            Some(by) => (Failure::Interference, Some(by)),
            None if self.radios.sums_interference() => {
                (Failure::Harm(if self.links.fades() { Harm::Fade } else { Harm::Bits }), None)
            }
            None => (Failure::Interference, None),
        }
    }
}
