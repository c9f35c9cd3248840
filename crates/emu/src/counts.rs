//! What is counted between hosts and the network.

use serde_json::{Value, json};

use crate::device::Untaken;

/// Datagrams, or frames, that were read from hosts and written to them.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) read: u64,
    pub(crate) written: u64,
    /// Arrived, but the host did not take them.
    pub(crate) refused: u64,
    /// Read, but not for a node of the network, or of a kind that the device does not carry.
    foreign: u64,
    /// Read, but no whole frame, or not from the address of the device.
    malformed: u64,
    /// Frames that a host handed to the device of a node that was down.
    pub(crate) down: u64,
    /// Sources that were told that a host is unreachable.
    pub(crate) unreachable: u64,
}

impl Counts {
    /// The network does not take what was read.
    pub(crate) const fn leave(&mut self, why: Untaken) {
        match why {
            Untaken::Foreign => self.foreign += 1,
            Untaken::Malformed => self.malformed += 1,
        }
    }

    /// For the results.
    pub(crate) fn json(&self) -> Value {
        json!({
            "read": self.read,
            "written": self.written,
            "refused": self.refused,
            "foreign": self.foreign,
            "malformed": self.malformed,
            "down": self.down,
            "unreachable": self.unreachable,
        })
    }
}
