//! `Subgame`: the rest of a hand from a street on, solved for one player behind a gadget.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lethe_cards::{Board, Hole, Street, SuitMap};
use lethe_compute::{Cancelled, Job};
use lethe_game::{NodeId, Player, Tree};
use lethe_solver::{
    Lock, LockError, Options, Solution, SolveError, Solver, Spot, SpotError, StartingStrategy,
};
use serde::{Deserialize, Serialize};

use crate::gadget::{Gadget, GadgetKind, GadgetMeasure};

/// The rest of a hand from a decision on, to be solved for the player in one seat.
///
/// All vectors have an entry for each hole in the order of [`Hole::index`]; holes that the board
/// blocks are ignored. Every other hole of both players takes part, whatever its reach: a hole that
/// never comes here by the blueprint may be what an opponent deviates with.
///
/// # Units
/// Reaches may have any scale. `alternative` is in chips *per hand*: what a hole of the opponent is
/// expected to get out of the pot at `start` (all chips in it, an uncalled bet included), less what
/// it puts in from there on, given that it is held. This is the counterfactual value divided by
/// *w(h)*, the reach of our holes that share no card with *h*, and it does not depend on the scale
/// of the reach. Against a value *N(h)* that counts the whole hand, as net winnings times *w(h)*:
/// `T(h) = N(h) / w(h) + p`, where *p* is what the opponent had put into the pot before `start`,
/// its part of antes and dead money included.
#[derive(Clone, Debug)]
pub struct Subgame {
    /// The betting tree.
    pub tree: Arc<Tree>,
    /// The decision it begins with.
    pub start: NodeId,
    /// The board there.
    pub board: Board,
    /// Our seat.
    pub seat: Player,
    /// Our reach.
    pub own: Vec<f32>,
    /// The opponent's reach, which `unsafe` and `combined` use. Where it is zero everywhere, since
    /// the opponent deviated to come here, every hole counts the same.
    pub opponent: Vec<f32>,
    /// The opponent's alternative values.
    pub alternative: Vec<f32>,
    /// Decisions whose strategies are fixed.
    pub locks: Vec<Lock>,
}

/// How long a subgame is solved: until the iterations are done, the target is reached or the time is up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// The most iterations. At least one is done.
    pub iterations: u32,
    /// The exploitability to reach, as a share of the pot: half of [`GadgetMeasure::nash_conv`]. It is
    /// computed exactly every 100 iterations, so what is reached is a function of the subgame.
    pub target: Option<f64>,
    /// The most time. What is reached in a given time differs from run to run.
    pub time: Option<Duration>,
}

impl Budget {
    /// Iterations alone, which makes results reproducible.
    pub const fn iterations(iterations: u32) -> Budget {
        Budget { iterations, target: None, time: None }
    }

    /// The target, if what is reached after so many iterations is compared with it.
    pub(crate) fn target_after(&self, iterations: u32) -> Option<f64> {
        self.target.filter(|_| iterations.is_multiple_of(TARGET_INTERVAL))
    }
}

/// How many iterations are done between two comparisons with a target.
const TARGET_INTERVAL: u32 = 100;
/// How many iterations a strategy to start from counts for.
const WARM_ITERATIONS: u32 = 4;
/// The weight, relative to the largest, of holes whose reach is zero.
pub(crate) const UNREACHED: f32 = 1e-9;
/// The difference, relative to the pot, up to which alternative values count as equal when suits
/// are compared: they are sums in different orders.
const SAME_VALUE: f32 = 1e-5;

impl Subgame {
    /// The spot to solve behind a gadget, with a row for every hole that the board leaves, and the
    /// alternative values made equal where they differ by rounding alone.
    fn spot(&self, gadget: GadgetKind) -> Result<(Spot, Vec<f32>), SubgameError> {
        let blocked = self.board.set();
        let weights = |reach: &[f32], player: Player| -> Result<Vec<f32>, SubgameError> {
            if reach.len() != Hole::COUNT {
                return Err(SubgameError::Spot(SpotError::Weights(player)));
            }
            let live = Hole::all().filter(|hole| !blocked.intersects(hole.set()));
            let largest = live.map(|hole| reach[hole.index()]).fold(0.0, f32::max);
            if !(largest > 0.0 && largest.is_finite()) {
                return match player == self.seat {
                    true => Err(SubgameError::Spot(SpotError::EmptyRange(player))),
                    false => Ok(vec![1.0; Hole::COUNT]),
                };
            }
            Ok(reach.iter().map(|&reach| (reach / largest).max(UNREACHED)).collect())
        };
        let (own, opponent) =
            (weights(&self.own, self.seat)?, weights(&self.opponent, self.seat.opponent())?);
        if self.alternative.len() != Hole::COUNT
            || !self.alternative.iter().all(|value| value.is_finite())
        {
            return Err(SubgameError::Alternative);
        }
        let alternative = self.symmetric_values(&own, &opponent);
        let weights = match self.seat {
            Player::Oop => [own, opponent],
            Player::Ip => [opponent, own],
        };
        let mut spot = Spot::with_weights(self.board, weights, self.tree.clone(), self.start)?;
        // Suits are interchangeable if they are so in everything that the solve depends on.
        if gadget != GadgetKind::Unsafe {
            spot = spot.with_marks(alternative.clone());
        }
        for lock in &self.locks {
            spot = spot.with_lock(lock.clone())?;
        }
        Ok((spot, alternative))
    }

    /// The alternative values, equal to the bit for holes that interchangeable suits make equal.
    ///
    /// Suits are interchangeable where swapping them changes neither a range nor, but for rounding,
    /// an alternative value.
    fn symmetric_values(&self, own: &[f32], opponent: &[f32]) -> Vec<f32> {
        let mut values = self.alternative.clone();
        if self.board.street() == Street::River {
            return values;
        }
        let set = self.board.set();
        let live: Vec<Hole> = Hole::all().filter(|hole| !set.intersects(hole.set())).collect();
        let same = SAME_VALUE * self.tree.pot(self.start) as f32;
        let keeps = |map: &SuitMap| {
            map.set(set) == set
                && live.iter().all(|hole| {
                    let (a, b) = (hole.index(), map.hole(*hole).index());
                    own[a] == own[b]
                        && opponent[a] == opponent[b]
                        && (self.alternative[a] - self.alternative[b]).abs() <= same
                })
        };
        let maps: Vec<SuitMap> = SuitMap::all().filter(keeps).collect();
        for hole in live {
            let first = maps.iter().map(|map| map.hole(hole).index()).min();
            values[hole.index()] = self.alternative[first.unwrap_or(hole.index())];
        }
        values
    }

    /// Whether `other` is the same subgame for the other seat, but for the alternative values. Behind
    /// `unsafe`, which knows none, one solve is then that of both.
    pub(crate) fn is_mirrored_by(&self, other: &Subgame) -> bool {
        self.seat != other.seat
            && (self.start, self.board) == (other.start, other.board)
            && (&self.own, &self.opponent) == (&other.opponent, &other.own)
            && self.locks.is_empty()
            && other.locks.is_empty()
    }

    /// Solves the subgame.
    pub fn solve(
        &self,
        gadget: GadgetKind,
        budget: Budget,
        job: Job<'_>,
    ) -> Result<Solved, SubgameError> {
        self.solve_from(None, gadget, budget, job)
    }

    /// Solves the subgame, starting from a strategy if there is one, such as the blueprint's.
    pub fn solve_from(
        &self,
        start: Option<&dyn StartingStrategy>,
        gadget: GadgetKind,
        budget: Budget,
        job: Job<'_>,
    ) -> Result<Solved, SubgameError> {
        let began = Instant::now();
        let (spot, alternative) = self.spot(gadget)?;
        let opponent = self.seat.opponent();
        let met = spot.met(self.seat);
        let range: Vec<f32> = spot.weights(opponent).to_vec();
        let options = Options { keep_best: false, ..Options::default() };
        let mut solver = Solver::new(spot, options, job)?;
        if let Some(start) = start {
            solver.start_from(start, WARM_ITERATIONS, job)?;
        }
        let first = solver.iterations();
        let holes = solver.root_holes(opponent);
        let row = |of: &dyn Fn(usize) -> f32| -> Vec<f32> {
            holes.iter().map(|hole| of(hole.index())).collect()
        };
        let gadget = Gadget::new(
            gadget,
            &row(&|hole| met[hole] as f32),
            &row(&|hole| alternative[hole]),
            &row(&|hole| range[hole]),
        );
        let (seat, elapsed) = (self.seat, Duration::ZERO);
        let mut solved = Solved { seat, solver, gadget, iterations: 0, elapsed };
        loop {
            let before = began.elapsed();
            solved.solver.iterate_with(opponent, &mut solved.gadget, job)?;
            solved.iterations = solved.solver.iterations() - first;
            if solved.iterations >= budget.iterations {
                break;
            }
            if let Some(target) = budget.target_after(solved.iterations)
                && solved.measure(job)?.exploitability <= target
            {
                break;
            }
            let now = began.elapsed();
            // The next iteration takes about as long as the last.
            if budget.time.is_some_and(|time| now + (now - before) > time) {
                break;
            }
        }
        solved.elapsed = began.elapsed();
        Ok(solved)
    }
}

/// A [`Subgame`], solved.
#[derive(Debug)]
pub struct Solved {
    seat: Player,
    solver: Solver,
    gadget: Gadget,
    iterations: u32,
    elapsed: Duration,
}

impl Solved {
    /// The iterations done.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// The time it took.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The gadget, as it is after the last iteration.
    pub fn gadget(&self) -> &Gadget {
        &self.gadget
    }

    /// The solver, whose strategies can be walked.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// About how many bytes [`Solved::into_solution`] keeps.
    pub fn solution_bytes(&self) -> u64 {
        let options = Options { keep_best: false, ..Options::default() };
        let memory = Solver::memory(self.solver.spot(), &options);
        memory.cells / 2 + memory.boards
    }

    /// The strategies of both players. At its root the opponent has the range that the subgame was
    /// given, not the gadget's.
    pub fn into_solution(self) -> Solution {
        self.solver.into_solution()
    }

    /// What each hole of the opponent gets by its best response to our strategy, exactly, in the unit
    /// of [`Subgame::alternative`] and the order of [`Hole::index`]: `CBV_new`. 0 for holes that the
    /// board blocks or that meet none of ours.
    pub fn best_response(&self, job: Job<'_>) -> Result<Vec<f32>, Cancelled> {
        Ok(self.per_hand(&self.best_response_row(job)?))
    }

    fn best_response_row(&self, job: Job<'_>) -> Result<Vec<f32>, Cancelled> {
        let own = self.row(self.seat);
        self.solver.root_values(self.seat.opponent(), true, &own, job)
    }

    /// A player's weights as a row of its holes.
    fn row(&self, player: Player) -> Vec<f32> {
        let weights = self.solver.spot().weights(player);
        self.solver.root_holes(player).iter().map(|hole| weights[hole.index()]).collect()
    }

    fn per_hand(&self, row: &[f32]) -> Vec<f32> {
        let met = self.solver.spot().met(self.seat);
        let mut values = vec![0.0; Hole::COUNT];
        for (hole, &value) in self.solver.root_holes(self.seat.opponent()).iter().zip(row) {
            let met = met[hole.index()];
            if met > 0.0 {
                values[hole.index()] = (f64::from(value) / met) as f32;
            }
        }
        values
    }

    /// The best responses of both players in the game with the gadget in front, and what they say
    /// about our strategy.
    pub fn measure(&self, job: Job<'_>) -> Result<Measured, Cancelled> {
        let (seat, opponent) = (self.seat, self.seat.opponent());
        let best = self.best_response_row(job)?;
        let reach = self.gadget.average_reach();
        let ours = self.row(seat);
        let sum = |weights: &[f32], values: &[f32]| -> f64 {
            let pairs = weights.iter().zip(values);
            pairs.map(|(&weight, &value)| f64::from(weight) * f64::from(value)).sum()
        };
        let spot = self.solver.spot();
        let our_best = sum(&ours, &self.solver.root_values(seat, true, &reach, job)?);
        let both = if spot.is_rake_free() {
            let met = spot.met(seat);
            let holes = self.solver.root_holes(opponent).iter();
            let pairs = holes.zip(&reach).map(|(hole, &r)| f64::from(r) * met[hole.index()]);
            pairs.sum::<f64>() * spot.pot()
        } else {
            sum(&ours, &self.solver.root_values(seat, false, &reach, job)?)
                + sum(&reach, &self.solver.root_values(opponent, false, &ours, job)?)
        };
        let measure = self.gadget.measure(&best, both - our_best);
        let exploitability = measure.nash_conv / 2.0 / spot.pot();
        Ok(Measured { best_response: self.per_hand(&best), measure, exploitability })
    }
}

/// What the best responses to a [`Solved`] subgame's strategies get.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// As [`Solved::best_response`].
    pub best_response: Vec<f32>,
    /// How far the game with the gadget is from solved, and what the opponent's holes gained.
    pub measure: GadgetMeasure,
    /// Half of its NashConv, as a share of the pot.
    pub exploitability: f64,
}

/// A subgame that cannot be solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SubgameError {
    /// Ranges, board and start do not fit together.
    #[error(transparent)]
    Spot(#[from] SpotError),
    /// Alternative values that are not one finite number per hole.
    #[error("the alternative values must be {} finite numbers", Hole::COUNT)]
    Alternative,
    /// A lock that does not fit.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The solver refused, or the job was cancelled.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

impl From<Cancelled> for SubgameError {
    fn from(cancelled: Cancelled) -> SubgameError {
        SubgameError::Solve(SolveError::Cancelled(cancelled))
    }
}
