//! Tables of a run, column by column, ready for NumPy.

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

    /// The columns under their names, floats first.
    #[must_use]
    pub fn table(self, floats: [&'static str; F], ints: [&'static str; I]) -> Table {
        let floats = floats.into_iter().zip(self.floats.into_iter().map(Column::Float));
        let ints = ints.into_iter().zip(self.ints.into_iter().map(Column::Int));
        floats.chain(ints).collect()
    }
}
