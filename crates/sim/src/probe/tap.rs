//! A tap sees every frame and every lost packet, for traces.

use multihop_proto::contract::Dropped;
use multihop_proto::units::{NodeId, SimTime};
use multihop_proto::wire::{Frame, GiveUp, PacketId, PacketStore};

/// What a trace has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traced {
    /// Bytes written.
    pub bytes: u64,
    /// Bytes that it might have.
    pub limit: u64,
    /// The instant up to which it is whole, if its limit ended it before the run was over.
    pub stopped: Option<SimTime>,
}

/// Watches the air.
pub trait Tap: Send {
    /// A transmission starts at its sender.
    fn sent(&mut self, now: SimTime, frame: &Frame, packets: &PacketStore);
    /// A frame was received whole at `node`, addressed to it or overheard, at `power` \[W\]; it ends now.
    fn received(&mut self, now: SimTime, node: NodeId, power: f64, frame: &Frame, packets: &PacketStore);
    /// The last bit of a packet leaves on the wire between two nodes (`sent`), or the packet has arrived there.
    fn over_wire(
        &mut self,
        _now: SimTime,
        _ends: (NodeId, NodeId),
        _sent: bool,
        _packet: PacketId,
        _packets: &PacketStore,
    ) {
    }
    /// A packet was lost at `node`, and why its last attempts had failed. The packet itself is in
    /// [`PacketStore::lost`] at the next call that shows the store, up to the next pause.
    fn dropped(&mut self, now: SimTime, node: NodeId, dropped: &Dropped, why: Option<GiveUp>);
    /// Comes at the latest after some number of events. What was lost until now is forgotten afterwards.
    fn pause(&mut self, now: SimTime, packets: &PacketStore);
    /// The run is over. What the trace has become, if it is one that is kept.
    ///
    /// # Errors
    /// What kept the trace from being written.
    fn finish(self: Box<Self>, packets: &PacketStore) -> Result<Option<Traced>, String>;
}
