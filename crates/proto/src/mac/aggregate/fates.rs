//! What a frame carries, and what becomes of it.

use super::originator::Pending;
use crate::wire::{Mpdu, Packed};

/// What a frame carries that is sent now.
#[derive(Debug, Default)]
pub struct Departing {
    /// Its MPDUs.
    pub mpdus: Vec<Mpdu>,
    /// The packets that some of them have beside their first.
    pub packed: Vec<Packed>,
}

/// What has become of MPDUs.
#[derive(Debug, Default)]
pub struct Fates {
    /// The neighbour has them.
    pub done: Vec<Pending>,
    /// They are given up.
    pub lost: Vec<Pending>,
}

impl Fates {
    /// How many packets some of them carry.
    #[must_use]
    pub fn packets(of: &[Pending]) -> usize {
        of.iter().map(|it| 1 + it.more.len()).sum()
    }
}
