//! How far two labelings of the same things agree.

use std::collections::HashMap;

/// A table of how much weight each pair of labels shares.
///
/// Two labelings of the same things are compared by adding every thing's two labels and its weight;
/// tables made by several threads are [merged](Self::merge). All sums are integers, so the order of
/// additions does not matter.
///
/// ```
/// use lethe_cluster::Contingency;
/// let mut table = Contingency::new(2, 3);
/// for (left, right) in [(0, 0), (0, 0), (1, 1), (1, 2)] {
///     table.add(left, right, 1);
/// }
/// assert!((table.adjusted_rand_index() - 4.0 / 7.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct Contingency {
    rows: usize,
    columns: usize,
    cells: Cells,
}

#[derive(Debug, Clone)]
enum Cells {
    Dense(Vec<u64>),
    Sparse(HashMap<(u32, u32), u64>),
}

/// Largest number of cells kept as a plain table (128 MiB).
const DENSE: usize = 1 << 24;

impl Contingency {
    /// An empty table for labels below `rows` on one side and below `columns` on the other.
    ///
    /// Up to 2^24 cells are kept as a plain table, more as a map of those that occur.
    pub fn new(rows: usize, columns: usize) -> Self {
        let cells = match rows.checked_mul(columns) {
            Some(size) if size <= DENSE => Cells::Dense(vec![0; size]),
            _ => Cells::Sparse(HashMap::new()),
        };
        Self { rows, columns, cells }
    }

    /// Counts a thing of some weight under its two labels.
    ///
    /// # Panics
    /// If a label is out of range.
    #[inline]
    pub fn add(&mut self, left: u32, right: u32, weight: u64) {
        let (row, column) = (left as usize, right as usize);
        assert!(row < self.rows && column < self.columns, "label out of range");
        match &mut self.cells {
            Cells::Dense(cells) => cells[row * self.columns + column] += weight,
            Cells::Sparse(cells) => *cells.entry((left, right)).or_default() += weight,
        }
    }

    /// Adds all that another table of the same shape has counted.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns), "tables of two shapes");
        other.for_each(|left, right, weight| self.add(left, right, weight));
    }

    /// Calls `visit` with each pair of labels and the weight it shares, in no order.
    ///
    /// Pairs that share nothing may be left out.
    pub fn for_each(&self, mut visit: impl FnMut(u32, u32, u64)) {
        match &self.cells {
            Cells::Dense(cells) => {
                for (row, cells) in (0u32..).zip(cells.chunks(self.columns.max(1))) {
                    for (column, &weight) in (0u32..).zip(cells) {
                        visit(row, column, weight);
                    }
                }
            }
            Cells::Sparse(cells) => {
                for (&(row, column), &weight) in cells {
                    visit(row, column, weight);
                }
            }
        }
    }

    /// The adjusted Rand index of the two labelings (Hubert and Arabie 1985).
    ///
    /// Of all pairs of things (a thing of weight `w` counting as `w` things), it compares how many
    /// both labelings put together with how many they would by chance: 1 if they are the same but
    /// for names, about 0 if they are unrelated, below 0 if they agree less than by chance. Two
    /// labelings that both put everything together, or both nothing, agree: 1.
    pub fn adjusted_rand_index(&self) -> f64 {
        let mut rows = vec![0u64; self.rows];
        let mut columns = vec![0u64; self.columns];
        let mut both = 0u128;
        self.for_each(|row, column, weight| {
            rows[row as usize] += weight;
            columns[column as usize] += weight;
            both += pairs(weight);
        });
        let left: u128 = rows.iter().map(|&weight| pairs(weight)).sum();
        let right: u128 = columns.iter().map(|&weight| pairs(weight)).sum();
        let all = pairs(rows.iter().sum());
        if left == both && right == both {
            return 1.0;
        }
        let expected = left as f64 / all as f64 * right as f64;
        let most = (left as f64 + right as f64) / 2.0;
        (both as f64 - expected) / (most - expected)
    }
}

/// The number of pairs among `weight` things.
fn pairs(weight: u64) -> u128 {
    u128::from(weight) * u128::from(weight.saturating_sub(1)) / 2
}
