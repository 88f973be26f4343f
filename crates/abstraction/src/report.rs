//! What a build says of its result: sizes, equities and quality, street by street.

use lethe_cards::Street;
use serde::{Deserialize, Serialize};

use crate::boards::BoardSet;
use crate::table::{Stored, StoredRef};

/// The result of building one street.
#[derive(Clone, Debug)]
pub struct BuiltStreet {
    /// The buckets.
    pub stored: Stored,
    /// The report on them.
    pub report: StreetReport,
}

impl BuiltStreet {
    /// The buckets of the holes of a board of the set that was built.
    ///
    /// # Panics
    /// If the set has no such position.
    pub fn row(&self, boards: &BoardSet, position: usize) -> Vec<u32> {
        match self.stored.view() {
            StoredRef::Dense(table) => {
                let row = table.row(boards.street(), position);
                (0..row.len()).map(|slot| row.get(slot)).collect()
            }
            StoredRef::Sparse(table) => table.row(position, boards.board(position)),
        }
    }
}

/// What a build says of one street.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreetReport {
    /// The street's name.
    #[serde(with = "street_name")]
    pub street: Street,
    /// Slots: every hole on every canonical board.
    pub slots: u64,
    /// Distinct features among them.
    pub distinct: u64,
    /// Buckets.
    pub buckets: usize,
    /// Iterations of the clustering that was kept (0 where an optimum was computed directly).
    pub iterations: usize,
    /// Whether the clustering came to rest by itself.
    pub converged: bool,
    /// The weighted sum of squared (or, with EMD, plain) distances to the centroids, over all rows.
    pub inertia: f64,
    /// How many distinct features the centroids were fitted on, if not on all.
    pub fitted_on: Option<u64>,
    /// Seconds it took.
    pub seconds: f64,
    /// The raw deals in each bucket.
    pub sizes: Vec<u64>,
    /// The mean equity of each bucket.
    pub equities: Vec<f64>,
    /// The standard deviation of equity within each bucket.
    pub spreads: Vec<f64>,
    /// The centroid of each bucket where the method has one: cumulative shares, one per bin.
    pub centroids: Vec<Vec<f32>>,
    /// The clusters of boards, with the texture method.
    pub clusters: Vec<BoardCluster>,
    /// How good the buckets are.
    pub quality: Quality,
}

impl StreetReport {
    /// Whether it has one entry for each of so many buckets.
    pub(crate) fn fits(&self, buckets: usize) -> bool {
        let lengths = [self.sizes.len(), self.equities.len(), self.spreads.len()];
        let centroids = self.centroids.is_empty() || self.centroids.len() == buckets;
        self.buckets == buckets && lengths == [buckets; 3] && centroids
    }
}

/// How good the buckets of a street are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// The share of the variance of equity that lies between buckets.
    pub variance_explained: f64,
    /// The mean over all deals of the standard deviation of equity in their bucket.
    pub mean_spread: f64,
    /// Buckets without any deal.
    pub empty_buckets: u64,
    /// Slots whose bucket differs from that of the same situation elsewhere in its row.
    pub asymmetric_slots: u64,
    /// The least and the greatest number of cards in any row's histogram, where there is one.
    pub histogram_mass: Option<[u64; 2]>,
    /// Deals that fall back for want of an entry, as a share of all.
    pub fallback: f64,
}

/// A cluster of boards of the texture method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoardCluster {
    /// Canonical boards in it.
    pub boards: u64,
    /// Raw boards in it.
    pub weight: u64,
    /// The board nearest its centroid.
    pub typical: String,
    /// The cluster in words, such as "monotone, unpaired, connected, ace high".
    pub description: String,
}

/// A street as its name.
mod street_name {
    use lethe_cards::Street;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(street: &Street, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(street.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Street, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}
