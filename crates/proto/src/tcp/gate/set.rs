//! The set of send gates.

use super::contract::Gate;
use super::queue::QueueGate;
use crate::contract::{NodeState, TcpView};
use crate::tcp::config::GateKind;

/// Lets through everything that the window allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenGate;

impl Gate for OpenGate {
    #[inline]
    fn budget<'a>(&mut self, _node_state: &NodeState, _tcp: &dyn Fn() -> TcpView<'a>) -> u32 {
        u32::MAX
    }
}

dispatch! {
    /// One gate of the set.
    #[derive(Debug)]
    pub enum AnyGate: Gate {
        /// Everything that the window allows.
        Open(OpenGate),
        /// What the interface queue has room for.
        Queue(QueueGate),
        /// One from outside this crate: experiments and tests.
        Custom(Box<dyn Gate>),
    }

    fn budget<'a>(&mut self, node_state: &NodeState, tcp: &dyn Fn() -> TcpView<'a>) -> u32;
    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64));
}

impl AnyGate {
    /// No limit but the window.
    pub const OPEN: Self = Self::Open(OpenGate);

    /// Whether it looks at nothing, and lets everything through.
    #[inline]
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self, Self::Open(_))
    }

    /// The gate of a configuration.
    #[must_use]
    pub fn new(kind: GateKind) -> Self {
        match kind {
            GateKind::Open => Self::OPEN,
            GateKind::InterfaceQueue => Self::Queue(QueueGate::default()),
        }
    }
}
