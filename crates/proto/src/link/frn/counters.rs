//! What a link has done.

/// Counters of one node; monotone, so that two readings give the figures of the time between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames with packets sent.
    pub frames: u64,
    /// Of these, frames with a packet to all.
    pub broadcasts: u64,
    /// Of these, frames with a data packet and a TCP ACK.
    pub combined: u64,
    /// FRN ACKs sent.
    pub acks: u64,
    /// Packets sent again, combined ones each.
    pub retransmissions: u64,
    /// Echoes and FRN ACKs that came in their slot, or later if that counts.
    pub echoes: u64,
    /// Echoes and FRN ACKs that did not come.
    pub missed: u64,
    /// Echoes and FRN ACKs no longer waited for: the packet's life ended first, it was received again, or the node went down.
    /// Without late echoes each packet of a frame to a neighbour is an echo, missed, one of these, or still under way.
    pub unawaited: u64,
    /// Slots let pass as somebody had begun to send before.
    pub deferrals: u64,
    /// Slots in which nothing was sent so as not to disturb the echo of the other part of a combined frame.
    pub silences: u64,
    /// Packets received again that were still here: they are sent on once more, but not twice.
    pub repeated: u64,
    /// Packets received again that had been passed on, or taken in, before: two copies are in the network.
    pub duplicates: u64,
    /// Packets whose lifetime ended.
    pub outlived: u64,
    /// Packets given up after the last retransmission.
    pub given_up: u64,
    /// Slots added to retransmission intervals by load or failures in a row.
    pub widened_slots: u64,
    /// Transmissions to another forward neighbour than the one whose turn it was, as fewer failed to it.
    pub spread: u64,
}

impl Counters {
    /// Tells every counter by its public name.
    pub fn each(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        tell("frn.frames", self.frames);
        tell("frn.broadcasts", self.broadcasts);
        tell("frn.combined", self.combined);
        tell("frn.acks", self.acks);
        tell("frn.retransmissions", self.retransmissions);
        tell("frn.echoes", self.echoes);
        tell("frn.missed", self.missed);
        tell("frn.unawaited", self.unawaited);
        tell("frn.deferrals", self.deferrals);
        tell("frn.silences", self.silences);
        tell("frn.repeated", self.repeated);
        tell("frn.duplicates", self.duplicates);
        tell("frn.outlived", self.outlived);
        tell("frn.given-up", self.given_up);
        tell("frn.widened-slots", self.widened_slots);
        tell("frn.spread", self.spread);
    }
}
