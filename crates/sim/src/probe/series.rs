//! Tables of a run, column by column, ready for NumPy.

use multihop_proto::endpoint::TraceKind;

/// Kinds of the events of TCP senders, by their number in the series.
pub const EVENT_KINDS: [&str; 6] = TraceKind::NAMES;

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Times, rates, windows.
    Float(Vec<f64>),
    /// Indices and counts; -1 for none.
    Int(Vec<i64>),
}

/// A named table: columns of equal length.
pub type Table = Vec<(&'static str, Column)>;

/// All tables of a run.
pub type Series = Vec<(&'static str, Table)>;

/// Rows gathered as they come; `F` floats and `I` integers each.
#[derive(Clone, Debug)]
pub struct Rows<const F: usize, const I: usize> {
    floats: [Vec<f64>; F],
    ints: [Vec<i64>; I],
}

impl<const F: usize, const I: usize> Default for Rows<F, I> {
    fn default() -> Self {
        Self { floats: [const { Vec::new() }; F], ints: [const { Vec::new() }; I] }
    }
}

impl<const F: usize, const I: usize> Rows<F, I> {
    /// Adds a row.
    pub fn push(&mut self, floats: [f64; F], ints: [i64; I]) {
        for (column, value) in self.floats.iter_mut().zip(floats) {
            column.push(value);
        }
        for (column, value) in self.ints.iter_mut().zip(ints) {
            column.push(value);
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.floats.first().is_none_or(Vec::is_empty)
    }

    /// The columns under their names, floats first.
    #[must_use]
    pub fn table(self, floats: [&'static str; F], ints: [&'static str; I]) -> Table {
        let floats = floats.into_iter().zip(self.floats.into_iter().map(Column::Float));
        let ints = ints.into_iter().zip(self.ints.into_iter().map(Column::Int));
        floats.chain(ints).collect()
    }
}

/// Rows, and no more than a number of them: every one, later every second, every fourth.
#[derive(Clone, Debug)]
pub struct Thinned<T> {
    rows: Vec<T>,
    most: usize,
    every: u64,
    seen: u64,
}

impl<T> Thinned<T> {
    /// No rows, and never more than `most`.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self { rows: Vec::new(), most, every: 1, seen: 0 }
    }

    /// Adds a row, or only counts it.
    pub fn push(&mut self, row: T) {
        let place = self.seen;
        self.seen += 1;
        if !place.is_multiple_of(self.every) || self.most == 0 {
            return;
        }
        if self.rows.len() >= self.most {
            let mut odd = true;
            self.rows.retain(|_| {
                odd = !odd;
                !odd
            });
            self.every *= 2;
            if !place.is_multiple_of(self.every) {
                return;
            }
        }
        self.rows.push(row);
    }

    /// The rows kept.
    #[must_use]
    pub fn rows(&self) -> &[T] {
        &self.rows
    }

    /// One row in so many was kept.
    #[must_use]
    pub const fn every(&self) -> u64 {
        self.every
    }

    /// All rows, kept or not.
    #[must_use]
    pub const fn seen(&self) -> u64 {
        self.seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_thinned_evenly_and_never_more_than_the_limit() {
        for most in [1, 2, 3, 10, 16] {
            for count in [0_u64, 1, 2, 3, 9, 10, 11, 33, 160, 1000] {
                let mut thinned = Thinned::new(most);
                (0..count).for_each(|row| thinned.push(row));
                let every = thinned.every();
                let expected: Vec<u64> = (0..count).filter(|row| row.is_multiple_of(every)).collect();
                assert_eq!(thinned.rows(), expected, "{most} of {count}");
                assert!(expected.len() <= most && thinned.seen() == count);
                assert!(
                    every == 1 || expected.len() * 2 + 1 >= most,
                    "{most} of {count}: {}",
                    expected.len()
                );
            }
        }
    }
}
