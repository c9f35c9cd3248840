//! Vertical flow control (Seok, Park & Choi §III-B).

use super::contract::Gate;
use crate::contract::{NodeState, TcpView};

/// Lets through what the interface queue has room for, retransmissions included. The rest waits for room, and the
/// retransmission timer runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueGate {
    /// Calls that found no room.
    closed: u64,
}

impl QueueGate {
    /// Name of its counter.
    pub const NAME: &'static str = "gate.closed";
}

impl Gate for QueueGate {
    #[inline]
    fn budget<'a>(&mut self, node_state: &NodeState, _tcp: &dyn Fn() -> TcpView<'a>) -> u32 {
        self.closed += u64::from(node_state.queue_free == 0);
        node_state.queue_free
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        tell(Self::NAME, self.closed);
    }
}
