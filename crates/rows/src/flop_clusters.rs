//! `FlopClusters`: flops put into clusters, nested so that one table gives every number of clusters.

use std::fmt;

use lethe_cards::{Board, CanonicalBoard, Hole, Street};
use serde::{Deserialize, Serialize};

use crate::Buckets;

/// How many flops differ up to the names of suits.
const FLOPS: usize = CanonicalBoard::count(Street::Flop);

/// A nested clustering of the 1,755 flops that differ up to suits.
///
/// It has a finest clustering, and merging its clusters one by one gives every smaller number of
/// them: going from `i + 1` clusters to `i` merges cluster `i` into its parent, whose number is lower.
/// So with `level` clusters the numbers are those below `level`, and a cluster that is split keeps
/// its number for one of its parts.
///
/// Each street may distinguish a number of clusters of its own: the last of them are then merged on
/// that street.
///
/// It is stored as `{"parents": [...], "of": [...]}`: the parent of every cluster (that of cluster 0 is
/// itself) and the finest cluster of every flop, in the order of
/// [`CanonicalBoard::all`]; and as `"streets": [16, 16, 1]` if flop, turn and river do not all
/// distinguish all of them. What is read is checked.
///
/// ```
/// use lethe_cards::{CanonicalBoard, Street};
/// use lethe_rows::FlopClusters;
///
/// // Flops without a pair, with one, and trips.
/// let ranks = |flop: CanonicalBoard| flop.set().lanes().into_iter().fold(0, |all, lane| all | lane);
/// let kind = |flop| 3 - ranks(flop).count_ones() as u8;
/// let of = CanonicalBoard::all(Street::Flop).map(kind).collect();
/// let clusters = FlopClusters::new(of, vec![0, 0, 1])?;
/// assert_eq!(clusters.of_board(&"7h7d7c2s".parse()?), Some(2));
/// assert_eq!(clusters.at_level(2, 2), 1, "with two clusters trips are among the pairs");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Fields")]
pub struct FlopClusters {
    parents: Vec<u8>,
    of: Vec<u8>,
    /// The clusters that flop, turn and river distinguish, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    streets: Option<[usize; 3]>,
}

/// Clusters as they are stored, before they are checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    parents: Vec<u8>,
    of: Vec<u8>,
    #[serde(default)]
    streets: Option<[usize; 3]>,
}

/// Why numbers are not clusters of flops.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlopClustersError {
    /// No cluster, or more than can be numbered.
    #[error("flops have from 1 to {most} clusters, found {0}", most = FlopClusters::MOST)]
    Count(usize),
    /// Not one cluster for each flop.
    #[error("expected the clusters of {FLOPS} flops, found {0}")]
    Flops(usize),
    /// A parent that is not below its cluster.
    #[error("the parent of flop cluster {cluster} is {parent}; it must be lower, and 0 for 0")]
    Parent {
        /// The cluster.
        cluster: usize,
        /// Its parent.
        parent: u8,
    },
    /// A flop in a cluster that does not exist.
    #[error("flop {flop} is in cluster {cluster}, and there are {count}")]
    Cluster {
        /// The flop.
        flop: CanonicalBoard,
        /// Its cluster.
        cluster: u8,
        /// The number of clusters.
        count: usize,
    },
    /// A cluster without flops.
    #[error("flop cluster {0} has no flop")]
    Empty(usize),
    /// More clusters than a table has.
    #[error("{wanted} flop clusters, but the table has {count}; ask for 1 to {count}")]
    Level {
        /// The clusters wanted.
        wanted: usize,
        /// The clusters of the table.
        count: usize,
    },
}

impl TryFrom<Fields> for FlopClusters {
    type Error = FlopClustersError;

    fn try_from(fields: Fields) -> Result<FlopClusters, FlopClustersError> {
        let clusters = FlopClusters::new(fields.of, fields.parents)?;
        match fields.streets {
            None => Ok(clusters),
            Some(streets) => {
                let count = clusters.count();
                let most = streets.into_iter().max().unwrap_or(0);
                if most != count {
                    return Err(FlopClustersError::Level { wanted: most, count });
                }
                clusters.with_streets(streets)
            }
        }
    }
}

impl FlopClusters {
    /// The most clusters there may be.
    pub const MOST: usize = 256;

    /// The clustering with these finest clusters of all flops, in the order of their index, and these
    /// parents of all clusters; that of cluster 0 is 0.
    pub fn new(of: Vec<u8>, parents: Vec<u8>) -> Result<FlopClusters, FlopClustersError> {
        let count = parents.len();
        if !(1..=FlopClusters::MOST).contains(&count) {
            return Err(FlopClustersError::Count(count));
        }
        if of.len() != FLOPS {
            return Err(FlopClustersError::Flops(of.len()));
        }
        let mut places = parents.iter().enumerate();
        if let Some((cluster, &parent)) =
            places.find(|&(cluster, &parent)| usize::from(parent) >= cluster.max(1))
        {
            return Err(FlopClustersError::Parent { cluster, parent });
        }
        let mut sizes = vec![0; count];
        for (flop, &cluster) in CanonicalBoard::all(Street::Flop).zip(&of) {
            let size = sizes.get_mut(usize::from(cluster));
            *size.ok_or(FlopClustersError::Cluster { flop, cluster, count })? += 1;
        }
        match sizes.iter().position(|&size| size == 0) {
            Some(empty) => Err(FlopClustersError::Empty(empty)),
            None => Ok(FlopClusters { parents, of, streets: None }),
        }
    }

    /// The number of clusters of the finest clustering.
    pub fn count(&self) -> usize {
        self.parents.len()
    }

    /// The finest cluster of a flop.
    ///
    /// # Panics
    /// If the board is no flop.
    #[inline]
    pub fn of(&self, flop: CanonicalBoard) -> usize {
        usize::from(self.of[flop.index()])
    }

    /// How many clusters a street distinguishes; 1 before the flop.
    #[inline]
    pub fn on(&self, street: Street) -> usize {
        match (street, self.streets) {
            (Street::Preflop, _) => 1,
            (_, None) => self.count(),
            (_, Some(streets)) => streets[street.index() - 1],
        }
    }

    /// The cluster of a board's flop, its first three cards, among those that the board's street
    /// distinguishes; none before the flop.
    #[inline]
    pub fn of_board(&self, board: &Board) -> Option<usize> {
        let flop = board.flop()?;
        Some(match self.on(board.street()) {
            1 => 0,
            level => self.at_level(self.of(CanonicalBoard::of(&flop).0), level),
        })
    }

    /// What a cluster is part of where there are only `level` clusters.
    ///
    /// # Panics
    /// If there is no such cluster, or the level is 0.
    pub fn at_level(&self, mut cluster: usize, level: usize) -> usize {
        assert!(level > 0, "there is at least one cluster");
        while cluster >= level {
            cluster = usize::from(self.parents[cluster]);
        }
        cluster
    }

    /// The cluster that a cluster is merged into, the first to go being the highest; none for 0.
    pub fn parent(&self, cluster: usize) -> Option<usize> {
        (cluster > 0).then(|| usize::from(self.parents[cluster]))
    }

    /// The same clustering with `level` clusters as its finest.
    pub fn cut(&self, level: usize) -> Result<FlopClusters, FlopClustersError> {
        if !(1..=self.count()).contains(&level) {
            return Err(FlopClustersError::Level { wanted: level, count: self.count() });
        }
        let coarse = |&cluster: &u8| self.at_level(cluster.into(), level) as u8;
        let of = self.of.iter().map(coarse).collect();
        Ok(FlopClusters { parents: self.parents[..level].to_vec(), of, streets: None })
    }

    /// The same clustering with these numbers of clusters on flop, turn and river, and the largest of
    /// them as its finest.
    pub fn with_streets(&self, streets: [usize; 3]) -> Result<FlopClusters, FlopClustersError> {
        let count = self.count();
        if let Some(&wanted) = streets.iter().find(|level| !(1..=count).contains(*level)) {
            return Err(FlopClustersError::Level { wanted, count });
        }
        let [flop, turn, river] = streets;
        let cut = self.cut(flop.max(turn).max(river))?;
        let streets = (streets != [cut.count(); 3]).then_some(streets);
        Ok(FlopClusters { streets, ..cut })
    }

    /// The flops of every cluster where there are `level` of them, in the order of their index.
    ///
    /// # Panics
    /// If the level is 0.
    pub fn flops(&self, level: usize) -> Vec<Vec<CanonicalBoard>> {
        let mut flops = vec![Vec::new(); level.min(self.count())];
        for (flop, &cluster) in CanonicalBoard::all(Street::Flop).zip(&self.of) {
            flops[self.at_level(cluster.into(), level)].push(flop);
        }
        flops
    }
}

impl fmt::Debug for FlopClusters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlopClusters").field("count", &self.count()).finish_non_exhaustive()
    }
}

/// Buckets that use only the first `level` of their [flop clusters](Buckets::flop_clusters).
///
/// A bucket of a cluster that is not split off yet is that of the cluster it is part of, so buckets
/// from `level * count / clusters` on do not occur, if the street distinguishes so many clusters.
/// [`count`](Buckets::count) stays, so that a strategy
/// trained on one level has the same cells on the next.
pub struct AtLevel<'a, B: ?Sized> {
    buckets: &'a B,
    clusters: &'a FlopClusters,
    level: usize,
    /// How far each finest cluster is above the one it is part of.
    down: Vec<u32>,
}

impl<'a, B: Buckets + ?Sized> AtLevel<'a, B> {
    /// Buckets of `level` clusters.
    ///
    /// # Errors
    /// If there are fewer clusters; buckets without flop clusters have one.
    pub fn new(buckets: &'a B, level: usize) -> Result<AtLevel<'a, B>, FlopClustersError> {
        let clusters = buckets.flop_clusters();
        let count = clusters.map_or(1, FlopClusters::count);
        match clusters {
            Some(clusters) if (1..=count).contains(&level) => {
                let down = |cluster| (cluster - clusters.at_level(cluster, level)) as u32;
                Ok(AtLevel { buckets, clusters, level, down: (0..count).map(down).collect() })
            }
            _ => Err(FlopClustersError::Level { wanted: level, count }),
        }
    }

    /// The number of clusters used.
    pub fn level(&self) -> usize {
        self.level
    }

    /// What to take off the buckets of a board.
    #[inline]
    fn shift(&self, board: &Board) -> u32 {
        let Some(cluster) = self.clusters.of_board(board) else { return 0 };
        let each = self.buckets.count(board.street()) / self.clusters.on(board.street());
        self.down[cluster] * each as u32
    }
}

impl<B: Buckets + ?Sized> Buckets for AtLevel<'_, B> {
    fn count(&self, street: Street) -> usize {
        self.buckets.count(street)
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        self.buckets.fill(board, row);
        let shift = self.shift(board);
        if shift > 0 {
            row.iter_mut().for_each(|bucket| *bucket -= shift);
        }
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        self.buckets.of(hole, board) - self.shift(board)
    }

    fn is_suit_invariant(&self) -> bool {
        self.buckets.is_suit_invariant()
    }

    fn group_sizes(&self, street: Street) -> [usize; 2] {
        self.buckets.group_sizes(street)
    }
}
