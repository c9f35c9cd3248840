//! What says which frame tries a rate, and which rate.

use super::super::table::Table;
use crate::mac::rate::contract::Attempt;
use crate::units::{Rng, SimTime};

/// A rate that brings through more than this is not tried: nothing would be learnt.
pub(super) const GOOD: f64 = 0.95;

/// How rates of one neighbour are tried.
pub(in crate::mac::rate::minstrel_ht) trait Sampling {
    /// After an update: what the next interval tries.
    fn refill(&mut self, table: &Table, rng: &mut Rng);

    /// What the next frame tries, if one is due.
    fn next(&mut self, now: SimTime, table: &Table, rng: &mut Rng) -> Option<Attempt>;
}
