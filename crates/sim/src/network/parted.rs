//! The end of an A-MPDU at those that can decode it: each MPDU has a fate of its own.

use multihop_proto::contract::Cx;
use multihop_proto::node::Input;
use multihop_proto::units::NodeId;
use multihop_proto::wire::{Bitmap, Frame};

use super::Network;
use super::world::World;
use crate::air::{Ending, Harm, Link, Struck};

impl Network {
    /// An A-MPDU ends at a node that can decode it. Its addressee, and nodes that overhear packets, hear which MPDUs
    /// came through; for others it matters only whether any did, since each says for how long the medium is reserved.
    #[inline(never)]
    pub(super) fn end_parted(&mut self, frame: &Frame, link: Link) {
        let (now, to) = (self.world.now, link.to);
        let each = frame.to == to || self.nodes.station(to).0.overhears();
        let mpdus = self.packets.mpdus(frame.batch);
        let count = mpdus.len() as u16; // at most 256
        let signal = (frame.from, link.power);
        let (ending, mut map) = self.radios.end_parted(to, now, signal, mpdus, each);
        if !self.nodes.station(to).0.is_up() {
            return;
        }
        let (read, mut struck) = (map, Struck::none());
        if !map.is_empty() && self.errors.strike_any() {
            let place = self.links.place(to, now);
            struck = self.errors.strike_each((frame, mpdus), link, now, place, (map, !each));
            map = struck.left;
        }
        let harm = struck.last;
        if frame.to == to {
            self.note_mpdus(frame, read, &struck);
        }
        if map.is_empty() {
            return self.end_in_vain(frame, to, harm, ending == Ending::Garbled);
        }
        if frame.to == to {
            let overlapped = (0..count).any(|place| !read.has(place));
            self.note_fates(frame, overlapped, harm);
        }
        self.packets.set_map(frame.batch, map);
        self.receive_parted(frame, link, to);
        self.packets.set_map(frame.batch, Bitmap::ALL);
    }

    /// Notes an A-MPDU that has come through in part: it counts as one attempt.
    fn note_fates(&mut self, frame: &Frame, overlapped: bool, harm: Option<Harm>) {
        match harm {
            Some(harm) => self.harmed(frame, harm),
            None if overlapped => self.spoilt(frame),
            None => self.world.recorder.attempts.arrived(frame.kind, frame.from, frame.to),
        }
    }

    fn receive_parted(&mut self, frame: &Frame, link: Link, to: NodeId) {
        let World { now, tap, .. } = &mut self.world;
        if let Some(tap) = tap {
            tap.received(*now, to, link.power, frame, &self.packets);
        }
        let (node, which) = self.nodes.station(to);
        self.world.node = node.id();
        let mut cx = Cx { now: self.world.now, packets: &mut self.packets };
        if frame.to != to && node.try_receive_fast(&mut cx, which, frame) {
            return;
        }
        node.handle(&mut cx, Input::Receive(which, frame, link.power), &mut self.world);
    }
}
