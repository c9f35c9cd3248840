//! Which frame tries a rate, and which one: all rates in turn, in the order of one random column after the other.

use super::table::Table;
use crate::units::Rng;

/// Random orders of the rates.
const COLUMNS: usize = 10;
/// After so many frames counting begins anew.
const COUNTED: u32 = 10_000;

/// A rate that a frame tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) rung: usize,
    /// At second, if the best rate fails.
    pub(super) deferred: bool,
}

/// What is tried of one neighbour's rates.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    look_around: f64,
    columns: Vec<Vec<usize>>,
    column: usize,
    row: usize,
    /// Frames, those that tried a rate, and those that would do so if their first rate failed.
    frames: u32,
    samples: u32,
    deferred: u32,
}

impl Sampler {
    /// Over so many rates; this share of the frames tries one.
    pub(super) fn new(rates: usize, look_around: f64, rng: &mut Rng) -> Self {
        let columns = (0..COLUMNS).map(|_| shuffled(rates, rng)).collect();
        Self { look_around, columns, column: 0, row: 0, frames: 0, samples: 0, deferred: 0 }
    }

    /// What the next frame tries.
    pub(super) fn next(&mut self, table: &mut Table) -> Option<Sample> {
        if self.frames == 0 {
            return None;
        }
        let wanted = (f64::from(self.frames) * self.look_around) as u32; // at most COUNTED
        let missing = wanted.checked_sub(self.samples + self.deferred / 2)?;
        if self.frames >= COUNTED {
            (self.frames, self.samples, self.deferred) = (0, 0, 0);
        }
        // What slow samples left undone is not made up for at once.
        self.samples += missing.saturating_sub(2 * table.len() as u32); // at most twelve rates
        let rung = self.draw();
        let deferred = table.defers(rung);
        if deferred {
            self.deferred += 1;
        } else if table.may_try(rung) {
            self.samples += 1;
        } else {
            return None;
        }
        Some(Sample { rung, deferred })
    }

    /// A frame is done with; it has come to a deferred sample, or not.
    pub(super) fn count(&mut self, deferred_used: bool) {
        self.frames += 1;
        self.samples += u32::from(deferred_used);
        self.deferred = self.deferred.saturating_sub(1);
    }

    fn draw(&mut self) -> usize {
        let column = &self.columns[self.column];
        let rung = column[self.row];
        self.row += 1;
        if self.row == column.len() {
            (self.row, self.column) = (0, (self.column + 1) % COLUMNS);
        }
        rung
    }
}

/// The first numbers in a random order (Fisher & Yates).
fn shuffled(count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, rng.below(last as u32 + 1) as usize);
    }
    order
}
