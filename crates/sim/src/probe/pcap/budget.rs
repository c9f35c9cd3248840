//! How much all files of a capture may take.

use multihop_proto::units::SimTime;

/// What all files together have taken and may take \[bytes\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub(super) limit: u64,
    pub(super) used: u64,
    pub(super) spent: bool,
    /// Time of the earliest record that ends a file.
    pub(super) stopped: Option<SimTime>,
}

impl Budget {
    /// Whether a record of this size still fits; once one has not, none does.
    pub(super) fn takes(&mut self, bytes: usize) -> bool {
        self.spent |= self.used + bytes as u64 > self.limit;
        !self.spent
    }
}
