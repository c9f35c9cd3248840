//! The context of a call and the sink of its answers.

use crate::units::SimTime;
use crate::wire::PacketStore;

/// Where a machine puts its answers. The driver's sink is monomorphised into the event queue and the air;
/// tests collect into a `Vec`. Results are the same bits.
pub trait Sink<A> {
    /// Takes one action. Actions take effect in the order in which they are put.
    fn put(&mut self, action: A);
}

impl<A> Sink<A> for Vec<A> {
    #[inline]
    fn put(&mut self, action: A) {
        self.push(action);
    }
}

impl<A, S: Sink<A> + ?Sized> Sink<A> for &mut S {
    #[inline(always)]
    fn put(&mut self, action: A) {
        (**self).put(action);
    }
}

/// What the node knows and other layers may read. Filled by the node before a call.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeState {
    /// Packets that wait in the interface queue, the one in service not counted.
    pub queue_length: u32,
    /// Packets that the interface queue could still take; for an end of a flow whose rate the node controls, no more
    /// than its token bucket.
    pub queue_free: u32,
    /// Moving average (weight 1/8) of MAC attempts per frame served.
    pub attempts_average: f64,
    /// Power of the frame being delivered \[W\]; 0 when there is none.
    pub received_power: f64,
}

/// All that a machine sees beside itself.
pub struct Cx<'a> {
    /// The instant of the call.
    pub now: SimTime,
    /// The packets, by id.
    pub packets: &'a mut PacketStore,
}
