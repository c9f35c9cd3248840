//! Whose turn it is among classes: the contract of the disciplines that take turns.

use super::classes::ClassTable;
use crate::units::{Bytes, Dur, NodeId};

/// The order of service over classes with packets.
pub trait Turns: std::fmt::Debug + Send {
    /// A packet for this next hop waits in a class in which none did.
    fn activate(&mut self, class: usize, to: NodeId);

    /// The class whose head may be sent now.
    fn next(&mut self, classes: &ClassTable) -> Option<usize>;

    /// The next class of those that are not `taken`, before its turn: it borrows what it lacks.
    fn partner(&mut self, classes: &ClassTable, taken: &dyn Fn(usize) -> bool) -> Option<usize>;

    /// The head of a class has left it, which may have emptied the class.
    fn charge(&mut self, class: usize, size: Bytes, emptied: bool);

    /// The head of a class was charged for and has not gone: the class waits again, behind the others.
    fn refund(&mut self, class: usize, size: Bytes);

    /// Ends the turn of a class: it goes behind the others.
    fn rotate(&mut self, class: usize);

    /// A class has fallen empty without having been served.
    fn retire(&mut self, class: usize);

    /// Nothing waits any more.
    fn clear(&mut self);

    /// A frame to or from a next hop has taken so long; `own`: of an exchange that this station began.
    fn used(&mut self, _to: NodeId, _airtime: Dur, _own: bool) {}

    /// A packet of a class has arrived at its next hop.
    fn arrived(&mut self, _class: usize, _size: Bytes) {}

    /// Whether the MAC may have so many bytes for the next hop of a class at once.
    fn has_room(&self, _class: usize, _bytes: u64) -> bool {
        true
    }

    /// Turns so far that ended with another class waiting.
    fn turns(&self) -> u64;
}
