//! A tap sees every frame and every lost packet, for traces.

use multihop_proto::port::Dropped;
use multihop_proto::units::{NodeId, SimTime};
use multihop_proto::wire::{Frame, PacketStore};

use super::losses::Why;

/// Watches the air.
pub trait Tap: Send {
    /// A transmission starts at its sender.
    fn sent(&mut self, now: SimTime, frame: &Frame, packets: &PacketStore);
    /// A frame was received whole at `node`, addressed to it or overheard, at `power` \[W\]; it ends now.
    fn received(&mut self, now: SimTime, node: NodeId, power: f64, frame: &Frame, packets: &PacketStore);
    /// A packet was lost at `node`, and why its last attempts had failed. The packet itself is in
    /// [`PacketStore::lost`] at the next call that shows the store.
    fn dropped(&mut self, now: SimTime, node: NodeId, dropped: &Dropped, why: Why);
    /// The run is over.
    ///
    /// # Errors
    /// What kept the trace from being written.
    fn finish(self: Box<Self>, packets: &PacketStore) -> Result<(), String>;
}
