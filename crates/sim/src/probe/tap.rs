//! A tap sees every frame and every lost packet, for traces.

use multihop_proto::port::Dropped;
use multihop_proto::units::{NodeId, SimTime};
use multihop_proto::wire::{Frame, PacketStore};

/// Watches the air.
pub trait Tap: Send {
    /// A transmission starts at its sender.
    fn sent(&mut self, now: SimTime, frame: &Frame, packets: &PacketStore);
    /// A frame was received whole at `node`; it ends now.
    fn received(&mut self, now: SimTime, node: NodeId, frame: &Frame, packets: &PacketStore);
    /// A packet was lost at `node`.
    fn dropped(&mut self, now: SimTime, node: NodeId, dropped: &Dropped);
    /// The run is over.
    ///
    /// # Errors
    /// What kept the trace from being written.
    fn finish(self: Box<Self>) -> Result<(), String>;
}
