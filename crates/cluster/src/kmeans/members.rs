//! Which points belong to which cluster.

/// Largest number of members handled as one unit of parallel work. Fixed, so that the order of
/// additions does not depend on the number of threads.
const RUN: usize = 4096;

/// The points sorted by cluster and, within a cluster, by index.
#[derive(Debug, Default)]
pub(crate) struct Members {
    order: Vec<u32>,
    starts: Vec<usize>,
}

/// Some of the members of one cluster.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) cluster: usize,
    pub(crate) members: &'a [u32],
}

impl Members {
    /// Sorts the points by their labels, all below `k`.
    pub(crate) fn regroup(&mut self, labels: &[u32], k: usize) {
        self.starts.clear();
        self.starts.resize(k + 1, 0);
        for &label in labels {
            self.starts[label as usize + 1] += 1;
        }
        for c in 0..k {
            self.starts[c + 1] += self.starts[c];
        }
        self.order.resize(labels.len(), 0);
        let mut next = self.starts.clone();
        for (point, &label) in labels.iter().enumerate() {
            let place = &mut next[label as usize];
            self.order[*place] = point as u32;
            *place += 1;
        }
    }

    /// The members of a cluster, ascending.
    pub(crate) fn of(&self, cluster: usize) -> &[u32] {
        &self.order[self.starts[cluster]..self.starts[cluster + 1]]
    }

    /// All members in runs of at most a fixed length, cluster after cluster.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        (0..self.starts.len() - 1).flat_map(move |cluster| {
            self.of(cluster).chunks(RUN).map(move |members| Run { cluster, members })
        })
    }
}
