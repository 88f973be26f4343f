//! The flops of an exploitability as units of work: kept on disk, shared by processes, joined again.

use std::path::{Path, PathBuf};
use std::time::Instant;

use lethe_agent::{Finished, LeafKind, Search, SearchMeasure};
use lethe_blueprint::{Exact, FlopSample, FlopValues, Flops, Uniform, VerifiedBlueprint, Weights};
use lethe_cards::CanonicalBoard;
use lethe_collective::Share;
use lethe_compute::Job;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::files::{Replace, Units, UnitsError, Work};
use crate::measure::{ExploitabilityView, SearchView};
use crate::runs;

/// The kind of work that an exploitability is.
pub const KIND: &str = "exploitability";

/// What is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct What {
    /// The checksum of the blueprint.
    blueprint: String,
    /// Whether all actions are taken equally often instead.
    uniform: bool,
    /// The number of flops and the seed they are drawn with; `None` if they are all.
    flops: Option<(usize, u64)>,
    #[serde(flatten)]
    search: Option<Search>,
}

/// An exploitability, flop by flop.
pub struct FlopWork<'a> {
    blueprint: &'a VerifiedBlueprint<'a>,
    what: What,
    units: Units,
    finished: Finished,
    sample: FlopSample,
    /// Those of the sample that differ, in the order of the units.
    flops: Vec<CanonicalBoard>,
    begun: Instant,
}

/// What was measured.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum FlopsView {
    /// The exploitability of a strategy.
    Strategy(ExploitabilityView),
    /// That of an agent that searches.
    Agent(SearchView),
}

impl<'a> FlopWork<'a> {
    /// Begins or resumes in a directory to measure a blueprint that is found at `source`, or what takes
    /// all its actions equally often, or the agent that searches under it.
    ///
    /// A process that computes everything may also take up finished flops of another sample.
    pub fn begin(
        dir: &Path,
        (blueprint, source): (&'a VerifiedBlueprint<'a>, &Path),
        uniform: bool,
        search: Option<Search>,
        flops: Flops,
        share: Share<'_>,
    ) -> Result<FlopWork<'a>, Error> {
        let what = What {
            blueprint: blueprint.checksum(),
            uniform,
            flops: match flops {
                Flops::All => None,
                Flops::Sample(count, seed) => Some((count, seed)),
            },
            search,
        };
        let replace = if share.is_alone() { Replace::Allowed } else { Replace::Refused };
        let work = Work::new(KIND, &what, names(&what.sample(blueprint)));
        let source = std::path::absolute(source).unwrap_or_else(|_| source.to_owned());
        let work = work.with_source(source.to_string_lossy().into_owned());
        let units = Units::begin(dir, work, replace)?;
        Ok(FlopWork::new(blueprint, what, units))
    }

    /// Opens what was begun in one directory or several, of this blueprint.
    pub fn merge(
        dirs: &[PathBuf],
        blueprint: &'a VerifiedBlueprint<'a>,
    ) -> Result<FlopWork<'a>, Error> {
        let units = Units::open(dirs)?;
        let other = |what: &str, expected: String, found: String| UnitsError::Foreign {
            path: units.dir().to_owned(),
            what: what.to_owned(),
            expected,
            found,
        };
        let work = units.work();
        let what: Option<What> = Some(work)
            .filter(|work| work.kind == KIND)
            .and_then(|work| serde_json::from_value(work.what.clone()).ok());
        let what = what.ok_or_else(|| other("kind", KIND.to_owned(), work.kind.clone()))?;
        if what.blueprint != blueprint.checksum() {
            return Err(other("blueprint", what.blueprint, blueprint.checksum()).into());
        }
        if work.units != names(&what.sample(blueprint)) {
            return Err(other("units", "the flops of its sample".into(), "others".into()).into());
        }
        Ok(FlopWork::new(blueprint, what, units))
    }

    fn new(blueprint: &'a VerifiedBlueprint<'a>, what: What, units: Units) -> FlopWork<'a> {
        let strategy = match what.uniform {
            true => format!("uniform in the game of {}", what.blueprint),
            false => what.blueprint.clone(),
        };
        let finished = Finished::new(units.clone(), &strategy, what.search);
        let sample = what.sample(blueprint);
        let flops = distinct(&sample);
        FlopWork { blueprint, what, units, finished, sample, flops, begun: Instant::now() }
    }

    fn exact(&self) -> Exact<'_, VerifiedBlueprint<'a>> {
        let blueprint = self.blueprint;
        Exact { plan: blueprint.plan(), buckets: blueprint.buckets(), weights: blueprint }
    }

    fn uniform(&self) -> Exact<'_, Uniform> {
        let blueprint = self.blueprint;
        Exact { plan: blueprint.plan(), buckets: blueprint.buckets(), weights: &Uniform }
    }

    fn get(&self, flop: CanonicalBoard) -> Result<Option<[FlopValues; 2]>, Error> {
        Ok(self.finished.get(flop, self.uniform().lines())?)
    }

    /// Calls `then` with how an agent is measured.
    fn with_search<T>(
        &self,
        search: Search,
        then: impl FnOnce(&SearchMeasure<'_, VerifiedBlueprint<'a>>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let adversary = self.blueprint.adversary();
        let adversary = adversary.as_ref().map(|adversary| adversary as &dyn Weights);
        let equities = match search.leaf {
            Some(LeafKind::Equity) => runs::flop_equities(self.blueprint)?,
            _ => None,
        };
        then(&SearchMeasure::new(self.exact(), adversary, search)?.with_equities(equities))
    }

    /// How many flops a share has, and how many of them are finished.
    pub fn progress(&self, share: Share<'_>) -> Result<(usize, usize), Error> {
        let units = share.units(self.flops.len());
        let finished = units.iter().map(|&unit| Ok(self.get(self.flops[unit])?.is_some()));
        let finished: Vec<bool> = finished.collect::<Result<_, Error>>()?;
        Ok((finished.len(), finished.into_iter().filter(|&is| is).count()))
    }

    /// How many flops there are.
    pub fn total(&self) -> usize {
        self.flops.len()
    }

    /// Computes the flops of a share that are not finished. An agent's take so long that about how many
    /// seconds is reported first.
    pub fn run(
        &self,
        share: Share<'_>,
        job: Job<'_>,
        on_forecast: &mut dyn FnMut(f64),
    ) -> Result<(), Error> {
        let own: Vec<CanonicalBoard> =
            share.units(self.flops.len()).into_iter().map(|unit| self.flops[unit]).collect();
        // What cannot be used is said before anything is computed.
        let mut left = Vec::new();
        for flop in own {
            if self.get(flop)?.is_none() {
                left.push(flop);
            }
        }
        let Some(search) = self.what.search else {
            job.begin("best responses", 2 * left.len() as u64);
            return match self.what.uniform {
                true => self.run_exact(&self.uniform(), share, job),
                false => self.run_exact(&self.exact(), share, job),
            };
        };
        self.with_search(search, |measure| {
            let all = measure.forecast(&self.sample, Some(&self.finished), job)?;
            let missing = self.flops.iter().filter(|flop| !matches!(self.get(**flop), Ok(Some(_))));
            let part = left.len() as f64 / missing.count().max(1) as f64;
            on_forecast(all * part / share.ranks.size() as f64);
            job.begin("subgames", left.iter().map(|&flop| measure.subgames(flop) as u64).sum());
            share.each(self.flops.len(), &mut |unit| {
                let flop = self.flops[unit];
                if self.get(flop)?.is_none() {
                    self.finished.add(flop, &measure.flop(flop, job)?)?;
                }
                Ok(())
            })
        })
    }

    /// Computes flops side by side, several at a time on each rank.
    fn run_exact<W: Weights + ?Sized>(
        &self,
        exact: &Exact<'_, W>,
        share: Share<'_>,
        job: Job<'_>,
    ) -> Result<(), Error> {
        share.groups(self.flops.len(), job.threads(), &mut |units: &[usize]| {
            let mut left = Vec::new();
            for &unit in units {
                if self.get(self.flops[unit])?.is_none() {
                    left.push(self.flops[unit]);
                }
            }
            exact.each_flop(&left, job, |flop, values| -> Result<(), Error> {
                Ok(self.finished.add(flop, &values)?)
            })?;
            Ok(())
        })
    }

    /// An error if flops are not finished.
    pub fn check_complete(&self) -> Result<(), Error> {
        let mut missing = Vec::new();
        for &flop in &self.flops {
            if self.get(flop)?.is_none() {
                missing.push(Finished::name(flop));
            }
        }
        let first = missing.first().map(String::as_str);
        Ok(self.units.check_complete(missing.len(), first)?)
    }

    /// What the finished flops, which must be all of them, say together.
    pub fn view(&self, job: Job<'_>) -> Result<FlopsView, Error> {
        self.check_complete()?;
        let seconds = || self.begun.elapsed().as_secs_f64();
        if let Some(search) = self.what.search {
            let run = |measure: &SearchMeasure<'_, _>| {
                Ok(measure.run(&self.sample, Some(&self.finished), job)?)
            };
            let result = self.with_search(search, run)?;
            return Ok(FlopsView::Agent(SearchView { result, seconds: seconds() }));
        }
        let mut values = Vec::new();
        for flop in self.sample.flops() {
            values.extend(self.get(flop)?);
        }
        let adversary = self.blueprint.adversary();
        let adversary = adversary.as_ref().map(|adversary| adversary as &dyn Weights);
        let measured = match self.what.uniform {
            true => self.uniform().measured(&self.sample, &values, None),
            false => self.exact().measured(&self.sample, &values, adversary),
        };
        let result = measured.result;
        Ok(FlopsView::Strategy(ExploitabilityView { result, seconds: seconds() }))
    }
}

impl What {
    fn sample(&self, blueprint: &VerifiedBlueprint<'_>) -> FlopSample {
        let flops = self.flops.map_or(Flops::All, |(count, seed)| Flops::Sample(count, seed));
        FlopSample::of(blueprint.plan(), flops)
    }
}

/// The flops of a sample that differ. A sample can have some that are the same up to suits.
fn distinct(sample: &FlopSample) -> Vec<CanonicalBoard> {
    let mut flops: Vec<CanonicalBoard> = Vec::new();
    for flop in sample.flops() {
        if !flops.contains(&flop) {
            flops.push(flop);
        }
    }
    flops
}

fn names(sample: &FlopSample) -> Vec<String> {
    distinct(sample).into_iter().map(Finished::name).collect()
}
