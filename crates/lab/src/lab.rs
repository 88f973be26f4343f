//! The lab: a grid of boards, methods, buckets and seeds, measured cell by cell.

use std::sync::Arc;
use std::time::Instant;

use lethe_abstraction::{Abstraction, BuildError, Builder};
use lethe_cards::Street;
use lethe_collective::{Share, ShareError};
use lethe_compute::{Cancelled, Job};
use lethe_solver::{SolveError, Spot};
use serde::{Deserialize, Serialize};

use crate::buckets::{BucketsError, GameBuckets};
use crate::game::{Betting, GameError};
use crate::measure::{self, Effort};
use crate::recipe::Recipe;
use crate::results::{Cell, Key, Outcome, Results, ResultsError, Subject, VERSION};
use crate::root::Root;

/// A grid of games and abstractions to measure.
#[derive(Debug)]
pub struct Lab {
    /// The boards that games start on.
    pub roots: Vec<Root>,
    /// The betting of all games.
    pub betting: Betting,
    /// How games are solved.
    pub effort: Effort,
    /// The recipes to build buckets by inside the games.
    pub recipes: Vec<Recipe>,
    /// The numbers of buckets per street.
    pub buckets: Vec<usize>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// Stored abstractions to restrict to the games.
    pub artifacts: Vec<Abstraction>,
    /// Whether games with both players bucketed are solved as well.
    pub symmetric: bool,
}

/// Why a grid could not be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// A game that cannot be played.
    #[error(transparent)]
    Game(#[from] GameError),
    /// Buckets that cannot be built.
    #[error("{name} on {board}: {source}")]
    Buckets {
        /// The recipe.
        name: String,
        /// The board.
        board: String,
        /// Why.
        source: BucketsError,
    },
    /// A solve that cannot be run.
    #[error("{board}: {source}")]
    Solve {
        /// The board.
        board: String,
        /// Why.
        source: SolveError,
    },
    /// Results that cannot be kept.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// Other ranks did not finish their cells.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// The job was cancelled; finished cells are kept.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// How much there is to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Cells of the grid, the lossless ones included.
    pub cells: usize,
    /// Those already finished.
    pub finished: usize,
    /// Seconds that the others will take, from measured iterations.
    pub seconds: f64,
}

/// What a bucketed player adds to the time of an iteration, as a share of the lossless one's: sums
/// over buckets instead of rows. Measured on turns and flops.
const BUCKETED: f64 = 0.4;

/// A cell to come: its root, what determines it, and where its buckets come from.
struct Planned<'a> {
    root: usize,
    key: Key,
    source: Source<'a>,
    symmetric: bool,
}

#[derive(Clone, Copy)]
enum Source<'a> {
    Lossless,
    Recipe(&'a Recipe, usize, u64),
    Artifact(&'a Abstraction),
}

impl Planned<'_> {
    /// How many solves it takes, and the time of an iteration beside that of a lossless one.
    fn solves(&self) -> (u32, f64) {
        match self.source {
            Source::Lossless => (1, 1.0),
            _ if self.symmetric => (1, 1.0 + 2.0 * BUCKETED),
            _ => (2, 1.0 + BUCKETED),
        }
    }
}

fn stored(artifact: &Abstraction, symmetric: bool) -> Subject {
    let metadata = artifact.metadata();
    let files = Street::POSTFLOP.map(|street| metadata.file(&format!("{street}.buckets")));
    let sums = files.into_iter().flatten().map(|file| file.checksum.get(..8).unwrap_or(""));
    Subject::Artifact {
        name: metadata.name.clone(),
        checksum: sums.collect::<Vec<_>>().join("-"),
        symmetric,
    }
}

impl Lab {
    /// All cells, board after board, the lossless one first; those with both players bucketed come
    /// last, since a run that is stopped can do without them.
    fn planned(&self) -> Vec<Planned<'_>> {
        let mut cells = Vec::new();
        for symmetric in [false, true] {
            if symmetric && !self.symmetric {
                continue;
            }
            for (at, root) in self.roots.iter().enumerate() {
                let mut add = |subject, source| {
                    let key = Key {
                        version: VERSION,
                        board: root.to_string(),
                        betting: self.betting.clone(),
                        iterations: self.effort.iterations,
                        subject,
                    };
                    if !cells.iter().any(|cell: &Planned<'_>| cell.key == key) {
                        cells.push(Planned { root: at, key, source, symmetric });
                    }
                };
                if !symmetric {
                    add(Subject::Lossless, Source::Lossless);
                }
                for artifact in &self.artifacts {
                    add(stored(artifact, symmetric), Source::Artifact(artifact));
                }
                for &buckets in &self.buckets {
                    for recipe in &self.recipes {
                        for &seed in &self.seeds {
                            let subject = Subject::Method {
                                name: recipe.to_string(),
                                buckets: (!recipe.is_fixed(root.streets())).then_some(buckets),
                                seed: recipe.is_seeded(root.streets()).then_some(seed),
                                symmetric,
                            };
                            add(subject, Source::Recipe(recipe, buckets, seed));
                        }
                    }
                }
            }
        }
        cells
    }

    fn spots(&self) -> Result<Vec<Spot>, LabError> {
        Ok(self.roots.iter().map(|root| self.betting.spot(root)).collect::<Result<_, _>>()?)
    }

    /// Measures how long an iteration takes on each board, and estimates the time of what is left.
    pub fn estimate(&self, results: &Results, job: Job<'_>) -> Result<Estimate, LabError> {
        let cells = self.planned();
        let left: Vec<&Planned<'_>> =
            cells.iter().filter(|cell| results.get(&cell.key).is_none()).collect();
        let mut iteration = vec![None; self.roots.len()];
        for (at, spot) in self.spots()?.iter().enumerate() {
            if left.iter().any(|cell| cell.root == at) {
                let measured = measure::seconds_per_iteration(spot, &self.effort, job);
                iteration[at] = Some(measured.map_err(|source| self.failed(at, source))?);
            }
        }
        let seconds = left.iter().map(|cell| {
            let (solves, factor) = cell.solves();
            let iterations = f64::from(solves * self.effort.iterations);
            iteration[cell.root].unwrap_or(0.0) * iterations * factor
        });
        Ok(Estimate {
            cells: cells.len(),
            finished: cells.len() - left.len(),
            seconds: seconds.sum(),
        })
    }

    fn failed(&self, root: usize, source: SolveError) -> LabError {
        match source {
            SolveError::Cancelled(cancelled) => cancelled.into(),
            source => LabError::Solve { board: self.roots[root].to_string(), source },
        }
    }

    /// Measures every cell of a share that is not finished yet, and adds each to the results at once.
    ///
    /// `on_cell` is called with the key of each cell before it is measured. Progress is one phase
    /// whose units are the iterations of all solves.
    pub fn run(
        &self,
        results: &mut Results,
        share: Share<'_>,
        job: Job<'_>,
        on_cell: &mut (dyn FnMut(&Key) + Send),
    ) -> Result<(), LabError> {
        let spots = self.spots()?;
        let builder = Builder::default();
        let cells = self.planned();
        let own = share.units(cells.len()).into_iter().map(|unit| &cells[unit]);
        let left = own.filter(|cell| results.get(&cell.key).is_none());
        let solves: u32 = left.map(|cell| cell.solves().0).sum();
        job.begin("solves", u64::from(solves) * u64::from(self.effort.iterations));
        share.each(cells.len(), &mut |unit| {
            let cell = &cells[unit];
            if results.get(&cell.key).is_some() {
                return Ok(());
            }
            job.check()?;
            on_cell(&cell.key);
            let begun = Instant::now();
            let mut outcome = self.measure(&spots[cell.root], cell, &builder, job)?;
            outcome.seconds = begun.elapsed().as_secs_f64();
            Ok(results.add(Cell { key: cell.key.clone(), outcome })?)
        })
    }

    /// The grid without what it is measured with.
    pub fn outline(&self) -> Outline {
        Outline {
            boards: self.roots.iter().map(|root| (root.to_string(), root.weight())).collect(),
            betting: self.betting.clone(),
            iterations: self.effort.iterations,
            seeds: self.seeds.len(),
            cells: self.planned().into_iter().map(|cell| (cell.root, cell.key)).collect(),
        }
    }

    fn measure(
        &self,
        spot: &Spot,
        cell: &Planned<'_>,
        builder: &Builder,
        job: Job<'_>,
    ) -> Result<Outcome, LabError> {
        let failed = |source| self.failed(cell.root, source);
        let (root, effort) = (&self.roots[cell.root], &self.effort);
        let (name, built) = match cell.source {
            Source::Lossless => {
                let floor = Some(measure::profile(spot, None, effort, job).map_err(failed)?);
                return Ok(Outcome { floor, ..Outcome::default() });
            }
            Source::Artifact(abstraction) => {
                let name = abstraction.metadata().name.clone();
                (name, GameBuckets::of_artifact(root, abstraction, job))
            }
            Source::Recipe(recipe, buckets, seed) => {
                let built = GameBuckets::build(builder, root, recipe, buckets, seed, job.silent());
                (recipe.to_string(), built)
            }
        };
        let buckets = built.map_err(|source| match source {
            BucketsError::Build(BuildError::Cancelled(cancelled)) => cancelled.into(),
            source => LabError::Buckets { name, board: root.to_string(), source },
        })?;
        let occurring = buckets.occurring();
        let occurring = Some([occurring.flop, occurring.turn, occurring.river]);
        let buckets = Arc::new(buckets);
        let mut outcome = Outcome { occurring, ..Outcome::default() };
        if cell.symmetric {
            let found = measure::profile(spot, Some(&buckets), effort, job);
            outcome.symmetric = Some(found.map_err(failed)?);
        } else {
            outcome.loss = Some(measure::loss(spot, &buckets, effort, job).map_err(failed)?);
        }
        Ok(outcome)
    }
}

/// A grid as its results are summarized: the boards, and the cells with the board of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// The boards and their weights.
    pub boards: Vec<(String, f64)>,
    /// The betting of all games.
    pub betting: Betting,
    /// Iterations of each solve.
    pub iterations: u32,
    /// How many seeds there are.
    pub seeds: usize,
    /// The board of each cell, by its place among the boards, and what determines it.
    pub cells: Vec<(usize, Key)>,
}

impl Outline {
    /// The finished cells of this grid with the weights of their boards, in order.
    pub(crate) fn finished<'a>(&'a self, results: &'a Results) -> Vec<(f64, &'a Key, &'a Outcome)> {
        let cells = self.cells.iter().filter_map(|(board, key)| {
            let (_, weight) = self.boards.get(*board)?;
            Some((*weight, key, results.get(key)?))
        });
        cells.collect()
    }

    /// How many cells each row of the summary should have: one for each board and seed.
    pub(crate) fn expected(&self, subject: &Subject) -> usize {
        let seeds = match subject {
            Subject::Method { seed: Some(_), .. } => self.seeds,
            _ => 1,
        };
        self.boards.len() * seeds
    }
}
