//! `Stages`: training that shares cells between flops first and splits them later.

use lethe_cards::Street;
use lethe_rows::FlopClusters;
use serde::{Deserialize, Serialize};

use crate::config::Training;
use crate::plan::{Block, Plan};
use crate::store::Store;
use crate::train::adversary_shift;

/// From an iteration on, training uses so many flop clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The first iteration.
    pub from: u64,
    /// The clusters: the coarser levels of the abstraction's nested ones.
    pub clusters: usize,
}

/// The stages of training in their order; none where all flop clusters are used from the start.
///
/// The first stage begins at iteration 0. Every later one begins later and has more clusters; a
/// cluster that it splits off starts with its share of what the cluster it was part of has learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Stage>", into = "Vec<Stage>")]
pub struct Stages {
    stages: [Stage; Stages::MOST],
    len: usize,
}

/// Why stages cannot be trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StagesError {
    /// Too many.
    #[error("training.stages has {0} stages; at most {most} are possible", most = Stages::MOST)]
    TooMany(usize),
    /// The first one begins late.
    #[error("training.stages begins at iteration {0}; the first stage must begin at 0")]
    Start(u64),
    /// A stage that does not follow the one before.
    #[error(
        "training.stages: the stage from iteration {} with {} clusters does not follow the one from \
         {} with {}; each stage must begin later than the one before and have more clusters",
        .next.from, .next.clusters, .before.from, .before.clusters
    )]
    Order {
        /// A stage.
        before: Stage,
        /// The stage after it.
        next: Stage,
    },
    /// No cluster at all.
    #[error("training.stages: a stage has at least 1 cluster")]
    NoCluster,
    /// They do not end with the clusters of the abstraction.
    #[error(
        "training.stages ends with {wanted} flop clusters, and the abstraction has {count}; end with \
         {count}, or build the abstraction with flop_clusters: {{count: {wanted}}}"
    )]
    Abstraction {
        /// The clusters of the last stage.
        wanted: usize,
        /// Those of the abstraction.
        count: usize,
    },
}

impl TryFrom<Vec<Stage>> for Stages {
    type Error = StagesError;

    fn try_from(list: Vec<Stage>) -> Result<Stages, StagesError> {
        if list.len() > Stages::MOST {
            return Err(StagesError::TooMany(list.len()));
        }
        if let Some(first) = list.first().filter(|first| first.from > 0) {
            return Err(StagesError::Start(first.from));
        }
        if list.iter().any(|stage| stage.clusters == 0) {
            return Err(StagesError::NoCluster);
        }
        for pair in list.windows(2) {
            let (before, next) = (pair[0], pair[1]);
            if next.from <= before.from || next.clusters <= before.clusters {
                return Err(StagesError::Order { before, next });
            }
        }
        let mut stages = Stages { len: list.len(), ..Stages::default() };
        stages.stages[..list.len()].copy_from_slice(&list);
        Ok(stages)
    }
}

impl From<Stages> for Vec<Stage> {
    fn from(stages: Stages) -> Vec<Stage> {
        stages.list().to_vec()
    }
}

impl Stages {
    /// The most stages there may be.
    pub const MOST: usize = 8;

    /// The stages.
    pub fn list(&self) -> &[Stage] {
        &self.stages[..self.len]
    }

    /// Whether all clusters are used from the start.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Checks that they end with the clusters of an abstraction.
    pub fn check(&self, clusters: Option<&FlopClusters>) -> Result<(), StagesError> {
        let count = clusters.map_or(1, FlopClusters::count);
        match self.list().last() {
            Some(&Stage { clusters: wanted, .. }) if wanted != count => {
                Err(StagesError::Abstraction { wanted, count })
            }
            _ => Ok(()),
        }
    }

    /// The clusters in use after so many iterations; `None` for all of them.
    pub(crate) fn level(&self, iterations: u64) -> Option<usize> {
        let begun = self.list().iter().rposition(|stage| stage.from <= iterations)?;
        (begun + 1 < self.len).then(|| self.stages[begun].clusters)
    }

    /// The stage that begins next.
    pub(crate) fn next(&self, iterations: u64) -> Option<Stage> {
        self.list().iter().copied().find(|stage| stage.from > iterations)
    }
}

/// Begins a stage: every one of its clusters gets its share of the regrets and averages of the cluster
/// that it was part of while there were `level` of them, as if it alone had been dealt that share of
/// the flops.
pub(crate) fn split(
    store: &Store,
    plan: &Plan,
    training: &Training,
    clusters: &FlopClusters,
    (level, stage): (usize, Stage),
    key: u64,
) {
    let dealt = |level: usize| -> Vec<f64> {
        let deals = |flops: Vec<lethe_cards::CanonicalBoard>| {
            flops.iter().map(|flop| f64::from(flop.multiplicity())).sum()
        };
        clusters.flops(level).into_iter().map(deals).collect()
    };
    let kinds = training.adversary_kinds();
    for street in Street::POSTFLOP {
        let count = clusters.on(street);
        let [level, wanted] = [level, stage.clusters].map(|level| level.min(count));
        if level == wanted {
            continue;
        }
        let [before, after] = [level, wanted].map(dealt);
        for (number, block) in plan.blocks(street).iter().enumerate() {
            // From the last to the first, so that a cluster is scaled after it has been copied.
            for cluster in (0..wanted).rev() {
                let source = clusters.at_level(cluster, level);
                let share = after[cluster] / before[source];
                let [from, to] = [source, cluster].map(|c| cells(plan, street, block, count, c));
                store.copy_averages(from.clone(), to.start, share, key);
                store.copy_regrets(from.clone(), to.start, share, key);
                if street == Street::River {
                    continue;
                }
                for kind in 0..kinds {
                    let shift = store.len() + adversary_shift(plan, (street, number), kinds, kind);
                    let from = from.start + shift..from.end + shift;
                    store.copy_regrets(from, to.start + shift, share, key);
                }
            }
        }
    }
}

/// Gives clusters that training does not use yet the averages of those that they are part of, so that
/// the strategy can be read without knowing about stages.
pub(crate) fn fill_unused(store: &Store, plan: &Plan, clusters: &FlopClusters, level: usize) {
    for street in Street::POSTFLOP {
        let count = clusters.on(street);
        for block in plan.blocks(street) {
            for cluster in level.min(count)..count {
                let [from, to] = [clusters.at_level(cluster, level), cluster]
                    .map(|c| cells(plan, street, block, count, c));
                store.copy_averages(from, to.start, 1.0, 0);
            }
        }
    }
}

/// The cells of a cluster in a block.
fn cells(
    plan: &Plan,
    street: Street,
    block: &Block,
    count: usize,
    cluster: usize,
) -> std::ops::Range<usize> {
    let each = plan.buckets(street) / count * block.width;
    block.base + cluster * each..block.base + (cluster + 1) * each
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stages(text: &str) -> Result<Stages, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn stages_follow_each_other() {
        let some = r#"[{"from":0,"clusters":1},{"from":50,"clusters":4},{"from":70,"clusters":9}]"#;
        let some = stages(some).unwrap();
        let levels = [0, 49, 50, 69, 70, 1000].map(|iterations| some.level(iterations));
        assert_eq!(levels, [Some(1), Some(1), Some(4), Some(4), None, None]);
        let next = [0, 49, 50, 70].map(|iterations| some.next(iterations).map(|stage| stage.from));
        assert_eq!(next, [Some(50), Some(50), Some(70), None]);
        assert_eq!(stages("[]").unwrap().level(3), None);
        assert_eq!(stages(&serde_json::to_string(&some).unwrap()).unwrap(), some);
    }

    #[test]
    fn stages_that_do_not_follow_are_refused() {
        for (text, part) in [
            (r#"[{"from":5,"clusters":1}]"#, "the first stage must begin at 0"),
            (r#"[{"from":0,"clusters":0}]"#, "at least 1 cluster"),
            (r#"[{"from":0,"clusters":2},{"from":9,"clusters":2}]"#, "have more clusters"),
            (r#"[{"from":0,"clusters":2},{"from":0,"clusters":3}]"#, "must begin later"),
            (r#"[{"from":0,"clusters":2,"x":1}]"#, "unknown field"),
        ] {
            let error = stages(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let many = vec![Stage { from: 0, clusters: 1 }; 9];
        assert_eq!(Stages::try_from(many), Err(StagesError::TooMany(9)));
        let two = stages(r#"[{"from":0,"clusters":1},{"from":9,"clusters":2}]"#).unwrap();
        assert_eq!(two.check(None), Err(StagesError::Abstraction { wanted: 2, count: 1 }));
    }
}
