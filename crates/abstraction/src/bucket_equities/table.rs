//! Equities of buckets against buckets.

/// How every bucket of a street fares against every other, over all deals and runouts.
///
/// Both vectors are matrices by rows, `buckets` times `buckets`: entry `a * buckets + b` is of
/// bucket `a` against bucket `b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketEquities {
    /// How many buckets there are.
    pub buckets: usize,
    /// `2 * wins + ties` of the row's bucket, summed over the showdowns counted in `counts`.
    pub sums: Vec<u64>,
    /// In how many showdowns the two meet.
    pub counts: Vec<u64>,
}

/// A view of [`BucketEquities`], or of those in a file.
#[derive(Clone, Copy, Debug)]
pub struct BucketEquitiesRef<'a> {
    /// See [`BucketEquities::buckets`].
    pub buckets: usize,
    /// See [`BucketEquities::sums`].
    pub sums: &'a [u64],
    /// See [`BucketEquities::counts`].
    pub counts: &'a [u64],
}

impl BucketEquities {
    /// The pairs as a view.
    pub fn view(&self) -> BucketEquitiesRef<'_> {
        BucketEquitiesRef { buckets: self.buckets, sums: &self.sums, counts: &self.counts }
    }
}

impl BucketEquitiesRef<'_> {
    /// The equity of bucket `a` against bucket `b`: one half if they never meet, none if there is
    /// no such bucket.
    pub fn equity(self, a: u32, b: u32) -> Option<f64> {
        let place = self.place(a, b)?;
        Some(match self.counts[place] {
            0 => 0.5,
            count => self.sums[place] as f64 / (2.0 * count as f64),
        })
    }

    /// In how many showdowns two buckets meet; none if there is no such bucket.
    pub fn count(self, a: u32, b: u32) -> Option<u64> {
        self.place(a, b).map(|place| self.counts[place])
    }

    fn place(self, a: u32, b: u32) -> Option<usize> {
        let (a, b) = (a as usize, b as usize);
        (a < self.buckets && b < self.buckets).then_some(a * self.buckets + b)
    }

    /// The first pair of buckets whose two entries contradict one another, if any do.
    pub(crate) fn contradiction(self) -> Option<(usize, usize)> {
        let n = self.buckets;
        let pairs = (0..n).flat_map(|a| (0..=a).map(move |b| (a, b)));
        pairs.into_iter().find(|&(a, b)| {
            let (ab, ba) = (a * n + b, b * n + a);
            let sum = u128::from(self.sums[ab]) + u128::from(self.sums[ba]);
            self.counts[ab] != self.counts[ba] || sum != 2 * u128::from(self.counts[ab])
        })
    }

    /// Whether the vectors have an entry for every pair.
    pub(crate) fn is_square(self) -> bool {
        let entries = self.buckets.checked_mul(self.buckets);
        entries == Some(self.sums.len()) && entries == Some(self.counts.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_that_never_meet_are_even() {
        let pairs = BucketEquities { buckets: 2, sums: vec![4, 1, 7, 0], counts: vec![4, 4, 4, 0] };
        assert!(pairs.view().is_square());
        assert_eq!(pairs.view().contradiction(), None);
        assert_eq!(pairs.view().equity(0, 1), Some(0.125));
        assert_eq!(pairs.view().equity(1, 0), Some(0.875));
        assert_eq!(pairs.view().equity(1, 1), Some(0.5));
        assert_eq!(pairs.view().equity(2, 0), None);
        assert_eq!(pairs.view().count(1, 0), Some(4));
    }

    #[test]
    fn equities_that_do_not_add_up_to_one_contradict() {
        let pairs = BucketEquities { buckets: 2, sums: vec![4, 2, 7, 0], counts: vec![4, 4, 4, 0] };
        assert_eq!(pairs.view().contradiction(), Some((1, 0)));
    }
}
