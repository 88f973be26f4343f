//! The keys of a configuration: their names, and the values they take.

use lethe_abstraction::FlopClusters;
use lethe_abstraction::method::MAX_OPPONENT_CLUSTERS;
use lethe_cards::{CanonicalBoard, Street};

/// What a value is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Method,
    Buckets,
    HistogramBins,
    Distance,
    Horizon,
    Feature,
    Split,
    OchsClusters,
    BoardClusters,
    EquitySamples,
    Representatives,
    MaxIter,
    Restarts,
    Seed,
    FlopTable,
    FlopCount,
}

/// A value that fits its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A whole number.
    Whole(u64),
    /// One of the key's words.
    Word(&'static str),
    /// Any text.
    Text(String),
}

/// The values a key takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// Whole numbers from `low` to `high`; `limit` says why there is a highest.
    Whole { low: u64, high: u64, limit: &'static str },
    /// These words.
    Words(&'static [&'static str]),
    /// Text; `what` it is.
    Text { what: &'static str },
}

/// A key as files spell it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    /// The spelling.
    pub(super) text: &'static str,
    /// What it is about.
    pub(super) key: Key,
    /// The street it is bound to.
    pub(super) street: Option<Street>,
    /// Whether it takes a value for each street.
    pub(super) by_street: bool,
}

/// A key that takes one value, or one for each street.
const fn each(text: &'static str, key: Key) -> Name {
    Name { text, key, street: None, by_street: true }
}

/// A key of all streets together.
const fn all(text: &'static str, key: Key) -> Name {
    Name { text, key, street: None, by_street: false }
}

const fn bound(text: &'static str, key: Key, street: Street) -> Name {
    Name { text, key, street: Some(street), by_street: false }
}

/// All keys.
pub(super) const NAMES: [Name; 19] = [
    each("method", Key::Method),
    bound("num_flop_buckets", Key::Buckets, Street::Flop),
    bound("num_turn_buckets", Key::Buckets, Street::Turn),
    bound("num_river_buckets", Key::Buckets, Street::River),
    each("buckets", Key::Buckets),
    each("histogram_bins", Key::HistogramBins),
    each("distance", Key::Distance),
    each("horizon", Key::Horizon),
    each("feature", Key::Feature),
    each("split", Key::Split),
    all("ochs_clusters", Key::OchsClusters),
    each("board_clusters", Key::BoardClusters),
    all("equity_samples", Key::EquitySamples),
    all("representatives_per_cluster", Key::Representatives),
    all("kmeans_max_iter", Key::MaxIter),
    all("restarts", Key::Restarts),
    all("seed", Key::Seed),
    all("flop_clusters.table", Key::FlopTable),
    each("flop_clusters.count", Key::FlopCount),
];

/// The key whose value has parts of their own: `flop_clusters: {table: ..., count: ...}`.
pub(super) const PARTED: &str = "flop_clusters";

/// The methods that can be stored.
pub(super) const METHODS: &[&str] = &["ehs", "histogram", "ochs", "classes", "texture"];

/// The most buckets of a street: an information-set key has 20 bits for the bucket.
pub(super) const MOST_BUCKETS: usize = 1 << 20;

/// The values of `2 x wins + ties` that occur over all river boards and holes.
pub(super) const RIVER_EQUITIES: usize = 1_950;

/// The preflop classes of holes.
pub(super) const CLASSES: usize = 169;

impl Key {
    /// The values it takes on a street, or on all of them.
    pub(super) fn kind(self, street: Option<Street>) -> Kind {
        let whole = |low, high: usize, limit| Kind::Whole { low, high: high as u64, limit };
        match self {
            Key::Method => Kind::Words(METHODS),
            Key::Distance => Kind::Words(&["cdf-l2", "emd"]),
            Key::Horizon => Kind::Words(&["next", "river"]),
            Key::Feature => Kind::Words(&["ehs", "ehs2"]),
            Key::Split => Kind::Words(&["kmeans", "percentile"]),
            Key::Buckets => {
                whole(1, MOST_BUCKETS, "the most that fit the 20 bits of an information-set key")
            }
            Key::HistogramBins => whole(2, 200, "the most bins there may be"),
            Key::OchsClusters => whole(1, MAX_OPPONENT_CLUSTERS, "the most that a sweep carries"),
            Key::BoardClusters => {
                let street = street.unwrap_or(Street::Flop);
                let limit = match street {
                    Street::Preflop | Street::Flop => "the number of flops up to suits",
                    Street::Turn => "the number of turn boards up to suits",
                    Street::River => "the number of river boards up to suits",
                };
                whole(1, CanonicalBoard::count(street), limit)
            }
            Key::EquitySamples => whole(
                1,
                10_000_000,
                "the most samples there may be (without this key equities are exact)",
            ),
            Key::Representatives => {
                let boards = CanonicalBoard::count(Street::River);
                whole(1, boards, "the number of river boards up to suits")
            }
            Key::MaxIter => whole(1, 10_000, "the most rounds there may be"),
            Key::Restarts => whole(1, 100, "the most starts there may be"),
            Key::FlopTable => {
                Kind::Text { what: "the name of a table of flop clusters, or its file" }
            }
            Key::FlopCount => whole(1, FlopClusters::MOST, "the most clusters that a table has"),
            Key::Seed => {
                Kind::Whole { low: 0, high: u64::MAX, limit: "the largest number of 64 bits" }
            }
        }
    }
}

impl Kind {
    /// What the values are, in words.
    pub(super) fn expected(self) -> String {
        match self {
            Kind::Whole { low, high: u64::MAX, .. } => format!("a whole number from {low}"),
            Kind::Whole { low, high, .. } => format!("a whole number from {low} to {high}"),
            Kind::Words(words) => format!("one of {}", words.join(", ")),
            Kind::Text { what } => what.to_owned(),
        }
    }
}
