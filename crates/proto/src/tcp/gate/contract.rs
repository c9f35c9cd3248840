//! The contract of send gates.

use crate::contract::{NodeState, TcpView};

/// Limits what a TCP sender may send at once.
///
/// Contract: before an empty queue it lets at least one segment through, or the sender would stand still for ever.
pub trait Gate: std::fmt::Debug + Send {
    /// Most segments that may be sent now. `tcp` reads the state of the sender, if it is needed.
    fn budget<'a>(&mut self, node_state: &NodeState, tcp: &dyn Fn() -> TcpView<'a>) -> u32;

    /// Tells every counter by its public name.
    fn each_counter(&self, _tell: &mut dyn FnMut(&'static str, u64)) {}
}
