//! Artifacts with made-up contents, small enough to be written often.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use lethe_abstraction::artifact::{ArtifactWriter, BuildSummary, CreateOutcome};
use lethe_abstraction::method::Sampling;
use lethe_abstraction::report::Quality;
use lethe_abstraction::table::{SparseTable, Stored, Table};
use lethe_abstraction::{
    FlopClusters, KMeansSettings, Method, PerStreet, Plan, StreetPlan, StreetReport,
};
use lethe_cards::{CanonicalBoard, Deck, Hole, Situation, Street, vs_random};
use lethe_compute::Job;

/// What an artifact is made of.
pub(crate) struct Sample {
    pub(crate) plan: Plan,
    pub(crate) stored: PerStreet<Stored>,
    pub(crate) summary: BuildSummary,
    pub(crate) flop_equities: Option<Vec<u32>>,
}

/// Three sparse streets: 0.6 MB.
pub(crate) static SMALL: LazyLock<Sample> = LazyLock::new(|| {
    let stored = PerStreet { flop: (), turn: (), river: () }.map(|s, ()| sparse(s));
    Sample::new(7, stored, None)
});

/// A dense flop with equities, and the other streets sparse: 13 MB.
pub(crate) static MIXED: LazyLock<Sample> = LazyLock::new(|| {
    let river = sparse(Street::River);
    let stored = PerStreet { flop: dense_flop(), turn: sparse(Street::Turn), river };
    let scale = vs_random::equity_scale(Street::Flop);
    let equities = flop_slots(|index| mixed(index) % (scale + 1));
    Sample::new(8, stored, Some(equities))
});

/// Flop clusters on the streets of [`MIXED`]: flop `i` is in cluster `i % 5`.
pub(crate) static CLUSTERED: LazyLock<Sample> = LazyLock::new(|| {
    let of = (0..CanonicalBoard::count(Street::Flop)).map(|flop| (flop % 5) as u8).collect();
    let clusters = FlopClusters::new(of, vec![0, 0, 1, 2, 0]).unwrap();
    let plan = MIXED.plan.clone().with_flop_clusters(clusters).unwrap();
    let (stored, summary) = (MIXED.stored.clone(), MIXED.summary.clone());
    Sample { plan, stored, summary, flop_equities: None }
});

/// Clusters of boards on each street of a sparse table.
pub(crate) const CLUSTERS: usize = 3;
/// Buckets in each cluster.
pub(crate) const PER_CLUSTER: usize = 4;
/// Buckets of a street.
pub(crate) const BUCKETS: usize = CLUSTERS * PER_CLUSTER;

impl Sample {
    fn new(seed: u64, stored: PerStreet<Stored>, flop_equities: Option<Vec<u32>>) -> Sample {
        let sampled = Some(Sampling { representatives: 5, equity_samples: 100 });
        let method = Method::Texture { clusters: CLUSTERS, sampled };
        let streets = PerStreet { flop: (), turn: (), river: () }
            .map(|street, ()| StreetPlan::new(street, method.clone(), PER_CLUSTER).unwrap());
        let plan = Plan::new(streets, KMeansSettings { seed, ..KMeansSettings::default() });
        let plan = plan.unwrap();
        let reports = PerStreet {
            flop: report(Street::Flop, &stored.flop),
            turn: report(Street::Turn, &stored.turn),
            river: report(Street::River, &stored.river),
        };
        let summary = BuildSummary { reports, seconds: 1.5, threads: 2 };
        Sample { plan, stored, summary, flop_equities }
    }

    /// Begins to write the artifact.
    pub(crate) fn start(&self, root: &Path, force: bool) -> ArtifactWriter {
        match ArtifactWriter::create(root, &self.plan, force).unwrap() {
            CreateOutcome::Fresh(writer) => writer,
            CreateOutcome::AlreadyThere(path) => panic!("{} is there already", path.display()),
        }
    }

    /// Writes the artifact and returns its directory.
    pub(crate) fn write(&self, root: &Path, force: bool) -> PathBuf {
        let mut writer = self.start(root, force);
        for (street, stored) in self.stored.iter() {
            writer.write_buckets(street, stored, BUCKETS, Job::default()).unwrap();
        }
        if let Some(equities) = &self.flop_equities {
            writer.write_equity(Street::Flop, equities, Job::default()).unwrap();
        }
        writer.finish(&self.summary).unwrap()
    }
}

/// A number that looks drawn at random.
fn mixed(number: usize) -> u32 {
    ((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u32
}

/// A value for every slot of the flop, the same for those that are one situation.
fn flop_slots(value: impl Fn(usize) -> u32) -> Vec<u32> {
    let mut slots = Vec::new();
    for board in CanonicalBoard::all(Street::Flop) {
        for hole in board.deck().holes() {
            let (situation, _) = Situation::of(hole, &board.board()).unwrap();
            slots.push(value(situation.index()));
        }
    }
    slots
}

fn dense_flop() -> Stored {
    let slots = flop_slots(|index| mixed(index) % BUCKETS as u32);
    Stored::Dense(Table::U16(slots.into_iter().map(|bucket| bucket as u16).collect()))
}

fn sparse(street: Street) -> Stored {
    let boards = CanonicalBoard::count(street);
    let entries = 12;
    let mut table = SparseTable {
        clusters: (0..boards).map(|board| (board * CLUSTERS / boards) as u32).collect(),
        medians: (0..CLUSTERS).map(|cluster| (cluster * PER_CLUSTER + 1) as u32).collect(),
        starts: (0..=CLUSTERS).map(|cluster| (cluster * entries) as u32).collect(),
        holes: Vec::new(),
        buckets: Vec::new(),
    };
    for cluster in 0..CLUSTERS {
        for entry in 0..entries {
            table.holes.push((Hole::COUNT * (entry + 1) / (entries + 1) + cluster) as u32);
            table.buckets.push((cluster * PER_CLUSTER + entry % PER_CLUSTER) as u32);
        }
    }
    Stored::Sparse(table)
}

fn report(street: Street, stored: &Stored) -> StreetReport {
    let sizes = sizes(street, stored);
    StreetReport {
        street,
        slots: Situation::slots(street) as u64,
        distinct: 1_000,
        buckets: BUCKETS,
        iterations: 3,
        converged: true,
        inertia: 0.1,
        fitted_on: None,
        seconds: 0.5,
        equities: (0..BUCKETS).map(|bucket| bucket as f64 / 30.0).collect(),
        spreads: vec![0.01; BUCKETS],
        centroids: vec![vec![0.1, 1.0]; BUCKETS],
        clusters: Vec::new(),
        quality: Quality { variance_explained: 0.9, ..Quality::default() },
        sizes,
    }
}

/// The raw deals in each bucket, board by board.
fn sizes(street: Street, stored: &Stored) -> Vec<u64> {
    let mut sizes = vec![0; BUCKETS];
    for (index, board) in CanonicalBoard::all(street).enumerate() {
        let weight = u64::from(board.multiplicity());
        let row_len = Deck::row_len(street);
        match stored {
            Stored::Dense(table) => {
                let row = table.view().row(street, index);
                (0..row_len).for_each(|slot| sizes[row.get(slot) as usize] += weight);
            }
            Stored::Sparse(table) => {
                // Only canonical holes are looked up: each for all of its images.
                let cluster = table.clusters[index] as usize;
                let mut left = weight * row_len as u64;
                let entries = table.starts[cluster] as usize..table.starts[cluster + 1] as usize;
                for entry in entries {
                    let hole = Hole::from_index(table.holes[entry] as usize).unwrap();
                    if let Some((situation, _)) = Situation::of(hole, &board.board())
                        && situation.hole() == hole
                    {
                        sizes[table.buckets[entry] as usize] += u64::from(situation.orbit());
                        left -= u64::from(situation.orbit());
                    }
                }
                sizes[table.medians[cluster] as usize] += left;
            }
        }
    }
    sizes
}
