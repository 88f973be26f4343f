//! The exploitability of an agent that searches: every subgame that it could face on whole flops is
//! solved, and its values take the place of the blueprint's.

use std::time::Instant;

use lethe_abstraction::bucket_equities::BucketEquities;
use lethe_blueprint::{
    Exact, Exploitability, FlopSample, FlopValues, HoleBuckets, HoleStrategy, Measured, Plan,
    Replaced, Root, Trunk, Weights,
};
use lethe_cards::{Board, CanonicalBoard, Deck, Hole, Street};
use lethe_compute::{Cancelled, Job};
use lethe_game::{NodeId, NodeKind, Player, Tree};
use lethe_solver::{Position, SolveError};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::finished::{Finished, FinishedError};
use crate::flop::{LeafKind, is_rake_free};
use crate::gadget::GadgetKind;
use crate::subgame::{Budget, Subgame, SubgameError};

/// How an agent searches: it plays the blueprint until a street begins, and from there on the solution
/// of the subgame that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// The street. From the flop on, that is solved to the end of its betting, and the turn to the end of
    /// the hand.
    #[serde(rename = "search", with = "street")]
    pub from: Street,
    /// The gadget in front of each subgame.
    pub gadget: GadgetKind,
    /// The most iterations of each solve.
    pub iterations: u32,
    /// The exploitability at which a solve ends before that, as a share of the pot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    /// What stands for the rest of the hand in a solve of the flop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaf: Option<LeafKind>,
    /// About how many rivers after each turn its values are a mean of, if not of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaf_rivers: Option<u32>,
}

impl Search {
    /// An agent that searches from the turn or river on, or from the flop on with the default leaf values.
    pub fn new(from: Street, gadget: GadgetKind, iterations: u32) -> Search {
        let leaf = (from == Street::Flop).then(LeafKind::default);
        Search { from, gadget, iterations, target: None, leaf, leaf_rivers: None }
    }

    /// The budget of a solve.
    pub(crate) fn budget(self) -> Budget {
        Budget { target: self.target, ..Budget::iterations(self.iterations) }
    }

    /// Where subgames begin that are solved to the end of the hand.
    pub(crate) fn subgame_street(self) -> Street {
        self.from.max(Street::Turn)
    }
}

mod street {
    use lethe_cards::Street;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(street: &Street, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(street.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Street, D::Error> {
        let name = String::deserialize(from)?;
        let found = Street::POSTFLOP.into_iter().find(|street| street.name() == name);
        found.ok_or_else(|| D::Error::custom(format_args!("unknown street {name}")))
    }
}

/// The measurement of an agent.
pub struct SearchMeasure<'a, W: ?Sized> {
    pub(crate) exact: Exact<'a, W>,
    adversary: Option<&'a dyn Weights>,
    pub(crate) search: Search,
    /// The plan in which every hole is a bucket.
    pub(crate) holes: Plan,
    /// Those of the flop's buckets over all flops, if they are known.
    pub(crate) equities: Option<BucketEquities>,
}

/// How far an agent that searches is from one that cannot be beaten, beside its blueprint on the same
/// flops.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentExploitability {
    /// The agent's figures.
    #[serde(flatten)]
    pub result: Exploitability,
    /// The blueprint's exploitability on the same flops.
    pub blueprint_mbb: f64,
    /// The agent's exploitability less the blueprint's: negative if searching helps.
    pub difference_mbb: f64,
    /// Half the width of the 95 % interval around it, from the differences on each flop; `None` if the
    /// flops are too few to tell.
    pub difference_interval_mbb: Option<f64>,
    /// The agent's exploitability as a share of the blueprint's.
    pub share: f64,
    /// Half the width of the 95 % interval around it.
    pub share_interval: Option<f64>,
    /// What the agent wins from its own blueprint, on average over both seats.
    pub versus_blueprint_mbb: f64,
    /// Half the width of the 95 % interval around it.
    pub versus_blueprint_interval_mbb: Option<f64>,
    /// How the agent searches.
    #[serde(flatten)]
    pub search: Search,
}

/// Iterations of the solves that a forecast is made from.
const FORECAST_ITERATIONS: u32 = 8;
/// Subgames solved for a forecast.
const FORECAST_SUBGAMES: usize = 4;

impl<'a, W: Weights + ?Sized> SearchMeasure<'a, W> {
    /// The measurement of an agent under a blueprint. Before the flop, responses on a sample of flops play
    /// like `adversary`, if there is one.
    ///
    /// # Errors
    /// If the agent searches before the flop, or from the flop on in a game with rake.
    pub fn new(
        exact: Exact<'a, W>,
        adversary: Option<&'a dyn Weights>,
        search: Search,
    ) -> Result<SearchMeasure<'a, W>, MeasureError> {
        if search.from < Street::Flop {
            return Err(MeasureError::From(search.from));
        }
        if search.from == Street::Flop && !is_rake_free(exact.plan.tree()) {
            return Err(MeasureError::Rake);
        }
        let holes = HoleBuckets::plan(exact.plan.tree());
        Ok(SearchMeasure { exact, adversary, search, holes, equities: None })
    }

    /// The same with the equities of the flop's buckets over all flops, for [`LeafKind::Equity`].
    #[must_use]
    pub fn with_equities(self, equities: Option<BucketEquities>) -> Self {
        SearchMeasure { equities, ..self }
    }

    /// About how many seconds a sample of flops takes on the job's threads, without those that are
    /// finished, by solving a few subgames, for a few iterations unless there is a target.
    pub fn forecast(
        &self,
        sample: &FlopSample,
        finished: Option<&Finished>,
        job: Job<'_>,
    ) -> Result<f64, MeasureError> {
        let exact = &self.exact;
        let mut trunks: Vec<Trunk<'_, _>> = Vec::new();
        for flop in sample.flops() {
            let known = finished.map_or(Ok(None), |finished| finished.get(flop, exact.lines()));
            if known?.is_none() {
                trunks.push(Trunk::new(exact, flop, self.search.subgame_street()));
            }
        }
        let subgames: usize = trunks.iter().map(Trunk::count).sum();
        let Some(first) = trunks.first() else { return Ok(0.0) };
        let roots = first.roots(first.turns().len() / 2, job)?.roots;
        let step = (roots.len() / FORECAST_SUBGAMES).max(1);
        let few = match self.search.target {
            None => Budget::iterations(self.search.iterations.min(FORECAST_ITERATIONS)),
            Some(_) => self.search.budget(),
        };
        let (begun, mut solved) = (Instant::now(), 0);
        for root in roots.iter().step_by(step).take(FORECAST_SUBGAMES) {
            let subgame = |seat| subgame_of(exact, root, seat);
            self.solve_both(root, &subgame, few, job.silent())?;
            solved += 1;
        }
        let subgame = begun.elapsed().as_secs_f64() / f64::from(solved.max(1));
        let longer = f64::from(self.search.iterations) / f64::from(few.iterations.max(1));
        Ok(subgame * longer * subgames as f64)
    }

    /// How many subgames a flop has.
    pub fn subgames(&self, flop: CanonicalBoard) -> usize {
        Trunk::new(&self.exact, flop, self.search.subgame_street()).count()
    }

    /// Measures the agent on a sample of flops. Finished flops are taken from files and written to
    /// them. Progress is in subgames.
    pub fn run(
        &self,
        sample: &FlopSample,
        finished: Option<&Finished>,
        job: Job<'_>,
    ) -> Result<AgentExploitability, MeasureError> {
        let exact = &self.exact;
        let from = self.search.subgame_street();
        // What cannot be used is said before anything is solved.
        let mut values: Vec<Option<[FlopValues; 2]>> = Vec::new();
        for flop in sample.flops() {
            let known = finished.map_or(Ok(None), |finished| finished.get(flop, exact.lines()));
            values.push(known?);
        }
        let blueprint_values = exact.sample_values(sample, job.silent())?;
        let left = sample.flops().zip(&values).filter(|(_, known)| known.is_none());
        let count = |flop: CanonicalBoard| Trunk::new(exact, flop, from).count() as u64;
        job.begin("subgames", left.map(|(flop, _)| count(flop)).sum());
        let flops: Vec<CanonicalBoard> = sample.flops().collect();
        for (i, &flop) in flops.iter().enumerate() {
            // A sample can have flops that are the same up to suits.
            if let Some(same) = flops[..i].iter().position(|&earlier| earlier == flop) {
                values[i] = values[same].clone();
            }
            if values[i].is_none() {
                let found = self.flop(flop, job)?;
                if let Some(finished) = finished {
                    finished.add(flop, &found)?;
                }
                values[i] = Some(found);
            }
        }
        let values: Vec<[FlopValues; 2]> = values.into_iter().flatten().collect();
        Ok(self.summary(sample, &blueprint_values, &values))
    }

    fn summary(
        &self,
        sample: &FlopSample,
        blueprint: &[[FlopValues; 2]],
        agent: &[[FlopValues; 2]],
    ) -> AgentExploitability {
        let measured = |values| self.exact.measured(sample, values, self.adversary);
        let [before, Measured { result, gains, versus }] = [measured(blueprint), measured(agent)];
        let (was, is) = (before.result.exploitability_mbb, result.exploitability_mbb);
        let share = is / was;
        let each = |of: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            gains.iter().zip(&before.gains).map(|(&is, &was)| of(is, was)).collect()
        };
        AgentExploitability {
            result,
            blueprint_mbb: was,
            difference_mbb: is - was,
            difference_interval_mbb: sample.interval(&each(&|is, was| is - was)),
            share,
            // The interval of a ratio, to first order.
            share_interval: sample
                .interval(&each(&|is, was| is - share * was))
                .map(|half| half / was),
            versus_blueprint_mbb: sample.mean(&versus),
            versus_blueprint_interval_mbb: sample.interval(&versus),
            search: self.search,
        }
    }

    /// The values of a flop for both players, the big blind's first, if the agent plays it.
    pub fn flop(
        &self,
        flop: CanonicalBoard,
        job: Job<'_>,
    ) -> Result<[FlopValues; 2], MeasureError> {
        if self.search.from == Street::Flop {
            return self.searched_flop(flop, job);
        }
        self.turns(flop, 1, &|root| self.subgame(root, job.silent()), job)
    }

    /// The values of a flop of which only every `step`-th turn up to suits is dealt, if the agent plays it
    /// and if the blueprint does: what a change of the agent is worth, in a fraction of the time. The
    /// figures are not those of the flop, since a response knows that no other turns come.
    ///
    /// # Panics
    /// If `step` is 0, or the agent solves flops.
    pub fn some_turns(
        &self,
        flop: CanonicalBoard,
        step: usize,
        job: Job<'_>,
    ) -> Result<[[FlopValues; 2]; 2], MeasureError> {
        assert!(
            self.search.from > Street::Flop,
            "the turns of a solved flop follow from all of them"
        );
        let agent = self.turns(flop, step, &|root| self.subgame(root, job.silent()), job)?;
        Ok([agent, self.turns(flop, step, &|root| Ok(Replaced::by_itself(root)), job)?])
    }

    /// The values of a flop whose subgames have these values. Each turn that is dealt counts `step` times.
    fn turns(
        &self,
        flop: CanonicalBoard,
        step: usize,
        subgame: &(dyn Fn(&Root) -> Result<Replaced, MeasureError> + Sync),
        job: Job<'_>,
    ) -> Result<[FlopValues; 2], MeasureError> {
        let mut trunk = Trunk::new(&self.exact, flop, self.search.from);
        let turns: Vec<usize> = (0..trunk.turns().len()).step_by(step).collect();
        let values = turns.par_iter().with_max_len(1).map(|&turn| {
            let roots = trunk.roots(turn, job)?;
            let solved = roots.roots.par_iter().with_max_len(1).map(|root| {
                let replaced = subgame(root);
                job.advance(1);
                replaced
            });
            let solved = solved.collect::<Result<Vec<Replaced>, MeasureError>>()?;
            Ok(roots.replace(&solved))
        });
        let values = job.install(|| values.collect::<Result<Vec<_>, MeasureError>>())?;
        for (&turn, values) in turns.iter().zip(&values) {
            (0..step).for_each(|_| trunk.add(turn, values));
        }
        Ok(trunk.finish())
    }

    /// The values of a subgame that the agent plays.
    fn subgame(&self, root: &Root, job: Job<'_>) -> Result<Replaced, MeasureError> {
        let subgame = |seat| subgame_of(&self.exact, root, seat);
        let strategy = self.strategy(root, &subgame, job)?;
        Ok(self.exact.replaced(root, &self.holes, &strategy, job)?)
    }

    /// What the agent does in a subgame hole by hole, in both seats.
    pub(crate) fn strategy(
        &self,
        root: &Root,
        subgame: &(dyn Fn(Player) -> Subgame + Sync),
        job: Job<'_>,
    ) -> Result<HoleStrategy, MeasureError> {
        let mut strategy = HoleStrategy::new(&self.holes, &root.board, root.start);
        let decided = self.solve_both(root, subgame, self.search.budget(), job)?;
        for Decided { node, board, rows } in decided {
            strategy.set(&self.holes, node, &board, &rows);
        }
        Ok(strategy)
    }

    /// What the agent does in a subgame, in both seats.
    fn solve_both(
        &self,
        root: &Root,
        subgame: &(dyn Fn(Player) -> Subgame + Sync),
        budget: Budget,
        job: Job<'_>,
    ) -> Result<Vec<Decided>, MeasureError> {
        let solve = |subgame: &Subgame| subgame.solve(self.search.gadget, budget, job);
        let mut decided = Vec::new();
        if self.search.gadget == GadgetKind::Unsafe
            && Player::BOTH.iter().all(|seat| root.is_reached_by(seat.index()))
        {
            let [first, second] = Player::BOTH.map(subgame);
            if first.is_mirrored_by(&second) {
                let solved = job.install(|| solve(&first))?;
                for seat in Player::BOTH {
                    walk(&solved.solver().root(), root, seat, &mut decided);
                }
                return Ok(decided);
            }
        }
        let of = |seat: Player| -> Result<Vec<Decided>, MeasureError> {
            let mut decided = Vec::new();
            // Where the agent never gets, it needs no strategy.
            if root.is_reached_by(seat.index()) {
                let solved = solve(&subgame(seat))?;
                walk(&solved.solver().root(), root, seat, &mut decided);
            }
            Ok(decided)
        };
        let (first, second) = job.install(|| rayon::join(|| of(Player::Oop), || of(Player::Ip)));
        decided.append(&mut first?);
        decided.append(&mut second?);
        Ok(decided)
    }
}

/// What a player does at a decision on a board, by action and slot.
#[derive(Debug, PartialEq)]
struct Decided {
    node: NodeId,
    board: Board,
    rows: Vec<f32>,
}

/// The subgame that an agent in a seat solves at a root.
pub(crate) fn subgame_of<W: Weights + ?Sized>(
    exact: &Exact<'_, W>,
    root: &Root,
    seat: Player,
) -> Subgame {
    let (us, opponent) = (seat.index(), seat.opponent().index());
    let deck = Deck::without(root.board.set());
    let by_hole = |row: &[f32]| {
        let mut by_hole = vec![0.0; Hole::COUNT];
        deck.holes().zip(row).for_each(|(hole, &x)| by_hole[hole.index()] = x);
        by_hole
    };
    let put = exact.put_in(opponent, root.start);
    let values = root.best[opponent].iter().zip(root.against(opponent));
    let alternative = values.map(|(&value, met)| match met > 0.0 {
        true => (f64::from(value) / met + put) as f32,
        false => 0.0,
    });
    // An opponent who never gets here by the blueprint may have anything.
    let reached = root.is_reached_by(opponent);
    let range = if reached { by_hole(&root.reach[opponent]) } else { vec![1.0; Hole::COUNT] };
    Subgame {
        tree: exact.plan.tree().clone(),
        start: root.start,
        board: root.board,
        seat,
        own: by_hole(&root.reach[us]),
        opponent: range,
        alternative: by_hole(&alternative.collect::<Vec<f32>>()),
        locks: Vec::new(),
    }
}

/// Collects what a player does from a position on, on boards that differ.
fn walk(at: &Position<'_>, root: &Root, seat: Player, decided: &mut Vec<Decided>) {
    let board = at.board();
    match at.kind() {
        NodeKind::Decision(player) => {
            if player == seat {
                let deck = Deck::without(board.set());
                let rows = at.strategy_by_hole();
                let rows = rows
                    .chunks_exact(Hole::COUNT)
                    .flat_map(|row| deck.holes().map(|hole| row[hole.index()]));
                decided.push(Decided { node: at.node(), board, rows: rows.collect() });
            }
            for action in 0..at.actions().len() {
                let next = at.act(action).expect("one of the actions");
                walk(&next, root, seat, decided);
            }
        }
        NodeKind::Chance if has_decisions(at.tree(), at.node()) => {
            for next in root.symmetry.next_cards(board.set()) {
                walk(&at.deal(next.card).expect("a new card"), root, seat, decided);
            }
        }
        NodeKind::Chance | NodeKind::Fold(_) | NodeKind::Showdown => {}
    }
}

fn has_decisions(tree: &Tree, node: NodeId) -> bool {
    tree.subtree(node).any(|index| tree.node(NodeId::new(index as u32)).player().is_some())
}

/// An agent that cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// A street on which no subgame can begin.
    #[error("an agent that searches from the {0} cannot be measured; expected flop, turn or river")]
    From(Street),
    /// A flop of a game with rake.
    #[error(
        "an agent that solves flops of a game with rake cannot be measured; search from the turn"
    )]
    Rake,
    /// A subgame that cannot be solved.
    #[error(transparent)]
    Subgame(SubgameError),
    /// Finished flops that cannot be used.
    #[error(transparent)]
    Finished(#[from] FinishedError),
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<SubgameError> for MeasureError {
    fn from(error: SubgameError) -> MeasureError {
        match error {
            SubgameError::Solve(SolveError::Cancelled(cancelled)) => cancelled.into(),
            error => MeasureError::Subgame(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use lethe_blueprint::{Averages, Buckets, Flops, Reached, Store, Trainer, Training};
    use lethe_cards::evaluate;
    use lethe_compute::Pool;
    use lethe_files::{Replace, Units, Work};
    use lethe_game::{Game, HandConfig};

    /// Limped pots only, and few bets.
    const GAME: &str = r#"{"stack":900,"small_blind":50,"big_blind":100,"bet_sizes":{
        "flop":{"ip":{"bet":"a"}}, "turn":{"oop":{"bet":"a"}}, "river":{"oop":{"bet":"100%"}}}}"#;

    /// Five buckets by the strength of the hand as it lies.
    struct Strength;

    impl Buckets for Strength {
        fn count(&self, _: Street) -> usize {
            5
        }

        fn fill(&self, board: &Board, row: &mut [u32]) {
            for (bucket, hole) in row.iter_mut().zip(Deck::without(board.set()).holes()) {
                *bucket = u32::from(evaluate(board.set() | hole.set()).get()) / 1600;
            }
        }

        fn is_suit_invariant(&self) -> bool {
            true
        }
    }

    fn with_measure<T>(
        search: Search,
        then: impl FnOnce(&SearchMeasure<'_, Averages<'_>>) -> T,
    ) -> T {
        let config: HandConfig = serde_json::from_str(GAME).unwrap();
        let tree = Tree::build(Game::hand(&config).unwrap(), Tree::NODE_LIMIT).unwrap();
        let plan = Plan::new(tree, [5; 3]);
        let (store, training) = (Store::new(&plan, &Training::default()), Training::default());
        let pool = Pool::new(1).unwrap();
        let mut trainer = Trainer::new(&plan, &Strength, &store, &training, Reached::default());
        trainer.run(60, Job::new(&pool), &|| true);
        let averages = Averages(&store);
        let exact = Exact { plan: &plan, buckets: &Strength, weights: &averages };
        then(&SearchMeasure::new(exact, None, search).unwrap())
    }

    /// Two walks of different code find the same best response to the same solution.
    #[test]
    fn responses_to_a_solution_are_those_of_the_solver() {
        for (from, turn) in [(Street::Turn, 3), (Street::River, 20)] {
            let search = Search::new(from, GadgetKind::Resolve, 20);
            with_measure(search, |measure| {
                let (flop, _) = CanonicalBoard::of(&"Ts8s4h".parse().unwrap());
                let trunk = Trunk::new(&measure.exact, flop, from);
                let roots = trunk.roots(turn, Job::default()).unwrap().roots;
                let root = &roots[roots.len() / 2];
                let replaced = measure.subgame(root, Job::default()).unwrap();
                let deck = Deck::without(root.board.set());
                for seat in Player::BOTH {
                    let (subgame, opponent) =
                        (subgame_of(&measure.exact, root, seat), seat.opponent().index());
                    let budget = Budget::iterations(search.iterations);
                    let solved = subgame.solve(search.gadget, budget, Job::default()).unwrap();
                    let expected = solved.best_response(Job::default()).unwrap();
                    let put = measure.exact.put_in(opponent, root.start);
                    let rows = replaced.best[opponent].iter().zip(root.against(opponent));
                    for (hole, (&value, met)) in deck.holes().zip(rows) {
                        if met > 1.0 {
                            let found = f64::from(value) / met + put;
                            let expected = f64::from(expected[hole.index()]);
                            assert!((found - expected).abs() < 0.05, "{hole}: {found} {expected}");
                        }
                    }
                    let (old, new) = (&root.best[opponent], &replaced.best[opponent]);
                    assert!(old.iter().zip(new).any(|(a, b)| a != b), "the solution differs");
                }
            });
        }
    }

    /// Behind `unsafe` both seats have the same game, so it is solved once.
    #[test]
    fn one_unsafe_solve_serves_both_seats() {
        let search = Search::new(Street::Turn, GadgetKind::Unsafe, 20);
        with_measure(search, |measure| {
            let (flop, _) = CanonicalBoard::of(&"Ts8s4h".parse().unwrap());
            let trunk = Trunk::new(&measure.exact, flop, Street::Turn);
            let roots = trunk.roots(3, Job::default()).unwrap().roots;
            let root = &roots[roots.len() / 2];
            let subgame = |seat| subgame_of(&measure.exact, root, seat);
            assert!(subgame(Player::Oop).is_mirrored_by(&subgame(Player::Ip)));
            let found =
                measure.solve_both(root, &subgame, search.budget(), Job::default()).unwrap();
            let mut expected = Vec::new();
            for seat in Player::BOTH {
                let budget = Budget::iterations(20);
                let solved = subgame(seat).solve(search.gadget, budget, Job::default()).unwrap();
                walk(&solved.solver().root(), root, seat, &mut expected);
            }
            assert_eq!(found, expected);
        });
    }

    /// What is finished of a sample's flops in a directory.
    fn finished(dir: &Path, sample: &FlopSample, strategy: &str, search: Search) -> Finished {
        let names = sample.flops().map(Finished::name).collect();
        let work = Work::new("exploitability", &(strategy, search), names);
        let units = Units::begin(dir, work, Replace::Allowed).unwrap();
        Finished::new(units, strategy, Some(search))
    }

    #[test]
    fn an_agent_that_searches_is_less_exploitable_and_beats_its_blueprint() {
        let search = Search::new(Street::River, GadgetKind::Resolve, 60);
        with_measure(search, |measure| {
            let sample = FlopSample::new(Flops::Sample(2, 1));
            let dir = tempfile::tempdir().unwrap();
            let open = |strategy: &str, search| finished(dir.path(), &sample, strategy, search);
            let finished = open("test", search);
            assert!(measure.forecast(&sample, Some(&finished), Job::default()).unwrap() > 0.0);
            let found = measure.run(&sample, Some(&finished), Job::default()).unwrap();
            assert!(found.difference_mbb < 0.0 && found.share < 1.0, "{found:?}");
            assert!(found.versus_blueprint_mbb > 0.0, "{found:?}");
            assert_eq!(found.difference_interval_mbb, None, "two flops have no interval");
            // Finished flops are read, not solved, and the result is the same on one thread.
            assert_eq!(measure.forecast(&sample, Some(&finished), Job::default()).unwrap(), 0.0);
            let again = measure.run(&sample, Some(&finished), Job::default()).unwrap();
            assert_eq!(again, found);
            let pool = Pool::new(1).unwrap();
            let flop = sample.flops().next().unwrap();
            let alone = measure.flop(flop, Job::new(&pool)).unwrap();
            assert_eq!(Some(alone), finished.get(flop, measure.exact.lines()).unwrap());
            // Those of another agent are refused, and a damaged file is not there.
            for (other, what) in [
                (Search { iterations: 61, ..search }, "iterations"),
                (Search { gadget: GadgetKind::Unsafe, ..search }, "gadget"),
                (Search { from: Street::Turn, ..search }, "search"),
            ] {
                let other = open("test", other);
                let error = other.get(flop, measure.exact.lines()).unwrap_err().to_string();
                assert!(error.contains(&format!("expected {what}")), "{error}");
            }
            let other = open("other", search);
            assert!(other.get(flop, measure.exact.lines()).is_err());
            let file = dir.path().join(format!("units/{}.json", flop.board()));
            let text =
                std::fs::read_to_string(&file).unwrap().replacen("\"best\":[", "\"best\":[1", 1);
            std::fs::write(&file, text).unwrap();
            assert_eq!(finished.get(flop, measure.exact.lines()).unwrap(), None);
        });
    }

    /// The flop's solution is one strategy: what one seat wins with it, the other loses.
    #[test]
    fn an_agent_that_solves_flops_is_measured_in_both_seats() {
        let search =
            Search { leaf_rivers: Some(1), ..Search::new(Street::Flop, GadgetKind::Combined, 12) };
        with_measure(search, |measure| {
            // Seed 21679110 draws one flop twice, of one suit.
            let sample = FlopSample::new(Flops::Sample(2, 21_679_110));
            let dir = tempfile::tempdir().unwrap();
            let open = |search| finished(dir.path(), &sample, "test", search);
            let finished = open(search);
            assert!(measure.forecast(&sample, Some(&finished), Job::default()).unwrap() > 0.0);
            let found = measure.run(&sample, Some(&finished), Job::default()).unwrap();
            let value = found.result.value_mbb;
            assert!((value.sb + value.bb).abs() < 0.05, "{found:?}");
            let best = found.result.best_response_mbb;
            assert!(best.sb >= value.sb - 0.05 && best.bb >= value.bb - 0.05, "{found:?}");
            assert!(found.versus_blueprint_mbb > 0.0, "{found:?}");
            let again = measure.run(&sample, Some(&finished), Job::default()).unwrap();
            assert_eq!(again, found);
            for (other, what) in [
                (Search { leaf: Some(LeafKind::Equity), ..search }, "leaf equity"),
                (Search { leaf_rivers: None, ..search }, "leaf_rivers null"),
            ] {
                let flop = sample.flops().next().unwrap();
                let error = open(other).get(flop, measure.exact.lines()).unwrap_err().to_string();
                assert!(error.contains(&format!("expected {what}")), "{error}");
            }
        });
    }
}
