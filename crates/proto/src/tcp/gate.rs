//! The send gate: how many segments one send attempt may put into the interface queue.

use super::config::GateKind;
use crate::contract::{NodeState, TcpView};

/// A gate from outside this crate: experiments and tests.
pub trait CustomGate: std::fmt::Debug + Send {
    /// Most segments that may be sent now.
    fn budget(&mut self, node_state: &NodeState, tcp: &TcpView<'_>) -> u32;
}

/// Vertical flow control (Seok, Park & Choi §III-B): no more than the interface queue has room for, retransmissions among
/// it. What finds no room waits until there is some; the retransmission timer runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueGate {
    /// Calls that found no room.
    closed: u64,
}

impl QueueGate {
    /// Name of its counter.
    pub const NAME: &'static str = "gate.closed";
}

/// The gates.
#[derive(Debug, Default)]
pub enum Gate {
    /// Everything that the window allows.
    #[default]
    Open,
    /// What the interface queue has room for.
    Queue(QueueGate),
    /// One from outside.
    Custom(Box<dyn CustomGate>),
}

impl Gate {
    /// The gate of a configuration.
    #[must_use]
    pub fn new(kind: GateKind) -> Self {
        match kind {
            GateKind::Open => Self::Open,
            GateKind::InterfaceQueue => Self::Queue(QueueGate::default()),
        }
    }

    /// Tells every counter by its public name.
    pub fn each_counter(&self, tell: &mut impl FnMut(&'static str, u64)) {
        if let Self::Queue(gate) = self {
            tell(QueueGate::NAME, gate.closed);
        }
    }

    /// Most segments that may be sent now.
    #[inline]
    pub fn budget<'a>(&mut self, node_state: &NodeState, tcp: impl FnOnce() -> TcpView<'a>) -> u32 {
        match self {
            Self::Open => u32::MAX,
            Self::Queue(gate) => {
                gate.closed += u64::from(node_state.queue_free == 0);
                node_state.queue_free
            }
            Self::Custom(custom) => custom.budget(node_state, &tcp()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_there_are_places_and_full_queues_are_counted() {
        let mut gate = Gate::new(GateKind::InterfaceQueue);
        let mut budget = |queue_free| {
            let node_state = NodeState { queue_length: 50 - queue_free, queue_free, ..NodeState::default() };
            gate.budget(&node_state, || unreachable!("the window is TCP's matter"))
        };
        assert_eq!([budget(7), budget(0), budget(1), budget(0)], [7, 0, 1, 0]);
        let mut closed = Vec::new();
        gate.each_counter(&mut |name, count| closed.push((name, count)));
        assert_eq!(closed, [("gate.closed", 2)]);
        let mut open = Gate::new(GateKind::Open);
        assert_eq!(open.budget(&NodeState::default(), || unreachable!("nobody asks")), u32::MAX);
    }
}
