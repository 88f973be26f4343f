//! Pruning, one iteration at a time: which actions are skipped, and that nothing else changes.
//!
//! The same iteration is played twice from the same regrets, with and without pruning. Actions that
//! are skipped are never played, so everything outside them must change by the same amounts, up to
//! rounding. What is skipped is decided here by the rule alone, from the regrets and the cards.

use std::sync::Mutex;

use lethe_blueprint::{Buckets, Plan, Prune, Reached, Sampling, Store, Trainer, Training};
use lethe_cards::{Board, Deck, Hole, Street};
use lethe_compute::{Job, Pool};
use lethe_game::{NodeId, NodeKind};

use crate::common::{Clustered, tree};

/// Folds, all-ins and bets that leave chips behind, on every street.
const GAME: &str = r#"{"stack":1000,"small_blind":50,"big_blind":100,"bet_sizes":{
    "preflop":{"sb":{"raise":"2.5x, a"},"bb":{"raise":"a"}},
    "flop":{"oop":{"bet":"50%"},"ip":{"bet":"50%","raise":"a"}},
    "turn":{"oop":{"bet":"50%, a"},"ip":{"bet":"75%"}},
    "river":{"oop":{"bet":"75%","raise":"a"},"ip":{"bet":"75%, a"}}}}"#;

/// The regret below which an action is prunable, as it is stored: in 4096ths of a big blind.
const BELOW: i32 = -2 * 4096;

/// Buckets of which every board has only some, and what training asked them for.
struct Recorded {
    cards: Clustered,
    asked: Mutex<Asked>,
}

/// The first board of every street, and the first two holes.
#[derive(Clone, Default)]
struct Asked {
    boards: Vec<Board>,
    holes: Vec<Hole>,
}

impl Recorded {
    fn new() -> Recorded {
        Recorded { cards: Clustered::new(5), asked: Mutex::default() }
    }

    fn note(&self, board: &Board, hole: Option<Hole>) {
        let mut asked = self.asked.lock().unwrap();
        if asked.boards.iter().all(|seen| seen.street() != board.street()) {
            asked.boards.push(*board);
        }
        if asked.holes.len() < 2 {
            asked.holes.extend(hole);
        }
    }
}

impl Buckets for Recorded {
    fn count(&self, street: Street) -> usize {
        self.cards.count(street)
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        self.note(board, None);
        self.cards.fill(board, row);
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        self.note(board, Some(hole));
        self.cards.of(hole, board)
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }
}

/// The buckets that a player may have on a street.
fn occurring(cards: &Clustered, asked: &Asked, player: usize, street: Street) -> Vec<u32> {
    let river = asked.boards.last().expect("a board was dealt");
    let holes: Vec<Hole> = match asked.holes.get(player) {
        Some(&hole) => vec![hole],
        None => Deck::without(river.set()).holes().collect(),
    };
    let bucket = |&hole: &Hole| match street {
        Street::Preflop => hole.class().index() as u32,
        _ => cards.of(hole, &asked.boards[street.index() - 1]),
    };
    let mut buckets: Vec<u32> = holes.iter().map(bucket).collect();
    buckets.sort_unstable();
    buckets.dedup();
    buckets
}

fn mix(numbers: [usize; 4]) -> usize {
    let mixed = numbers.iter().fold(7_u64, |hash, &x| {
        (hash ^ x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    });
    (mixed >> 20) as usize
}

/// Regrets on both sides of the threshold: some actions are prunable with every bucket, some with
/// all but one. Where `pure` is a player, that player takes one action with each bucket.
fn regrets(plan: &Plan, pure: Option<usize>, seed: usize) -> Vec<i32> {
    let mut regrets = vec![0; plan.cells()];
    let tree = plan.tree();
    for node in tree.ids() {
        let Some(player) = tree.node(node).player() else { continue };
        let count = plan.buckets(tree.node(node).street());
        for bucket in 0..count {
            let cells = plan.cells_of(node, bucket as u32).unwrap();
            let actions = cells.len();
            for (a, cell) in cells.enumerate() {
                let fate = mix([seed, node.index(), a, 0]);
                regrets[cell] = if pure == Some(player.index()) {
                    let chosen = mix([seed, node.index(), bucket, 1]) % actions;
                    if a == chosen { 1000 } else { -1 }
                } else {
                    match fate % 4 {
                        1 if fate / 4 % count == bucket => BELOW,
                        0 | 1 => BELOW - 1,
                        _ => 1 + (mix([seed, node.index(), a, bucket + 2]) % 10_000) as i32,
                    }
                };
            }
        }
    }
    regrets
}

/// What one iteration adds to regrets and averages.
struct Added {
    regrets: Vec<i32>,
    averages: Vec<i32>,
    visits: u64,
}

fn iterate(
    plan: &Plan,
    cards: &dyn Buckets,
    training: &Training,
    (iteration, regrets): (u64, &[i32]),
) -> Added {
    let store = Store::from_parts(regrets, &vec![0; plan.cells()]);
    let reached = Reached { iterations: iteration, ..Reached::default() };
    let mut trainer = Trainer::new(plan, cards, &store, training, reached);
    trainer.run(iteration + 1, Job::new(&Pool::new(1).unwrap()), &|| true);
    let bytes = store.to_bytes();
    let (words, []) = bytes.as_chunks() else { unreachable!("whole cells") };
    let mut after = words.iter().map(|word| i32::from_le_bytes(*word));
    let regrets = regrets.iter().map(|before| after.next().unwrap() - before).collect();
    Added { regrets, averages: after.collect(), visits: trainer.reached().visits }
}

/// How often each case of the rule was met where the iteration without pruning changed a cell.
#[derive(Debug, Default)]
struct Cases {
    skipped: usize,
    below_skipped: usize,
    averages_below_skipped: usize,
    kept_on_the_river: usize,
    kept_because_the_hand_ends: usize,
    kept_because_nothing_is_better: usize,
    kept_for_another_bucket: usize,
    kept_because_the_regret_is_not_so_low: usize,
    skipped_for_all_that_occur: usize,
}

/// One iteration with and without pruning.
struct Pair<'a> {
    plan: &'a Plan,
    /// By player and street: the buckets that occur.
    occurring: [[Vec<u32>; 4]; 2],
    regrets: &'a [i32],
    plain: Added,
    pruned: Added,
    /// The player whose walk is compared: the other one's may differ by what it samples.
    learners: &'a [usize],
}

impl Pair<'_> {
    /// Whether the hand ends after an action, once all cards are dealt.
    fn ends(&self, mut node: NodeId) -> bool {
        let tree = self.plan.tree();
        while tree.node(node).kind() == NodeKind::Chance {
            node = tree.children(node)[0];
        }
        tree.node(node).player().is_none()
    }

    /// Whether an action is prunable with a bucket: its regret is low, and another action is played.
    fn is_prunable(&self, node: NodeId, bucket: u32, action: usize) -> [bool; 2] {
        let cells = self.plan.cells_of(node, bucket).unwrap();
        [self.regrets[cells.start + action] < BELOW, self.regrets[cells].iter().any(|&r| r > 0)]
    }

    /// Checks a node and those below it; `skipped` says whose walk does not get there.
    fn check(&self, node: NodeId, skipped: [bool; 2], cases: &mut Cases) {
        let tree = self.plan.tree();
        let children = tree.children(node);
        let Some(player) = tree.node(node).player().map(|player| player.index()) else {
            children.iter().for_each(|&child| self.check(child, skipped, cases));
            return;
        };
        let street = tree.node(node).street();
        let occurring = &self.occurring[player][street.index()];
        for (a, &child) in children.iter().enumerate() {
            let prunable = |&bucket: &u32| self.is_prunable(node, bucket, a) == [true; 2];
            let no_use = occurring.iter().all(prunable);
            let all = 0..self.plan.buckets(street) as u32;
            let skips = no_use && street != Street::River && !self.ends(child);
            for bucket in all.clone() {
                let cell = self.plan.cells_of(node, bucket).unwrap().start + a;
                let place = || format!("{} action {a}, bucket {bucket}", tree.history(node));
                let [plain, pruned] =
                    [&self.plain, &self.pruned].map(|all| (all.regrets[cell], all.averages[cell]));
                if self.learners.contains(&player) {
                    let changed = usize::from(plain.0 != 0);
                    if skipped[player] || skips {
                        assert_eq!(pruned.0, 0, "a regret that was skipped: {}", place());
                    } else {
                        let error = (plain.0 - pruned.0).abs();
                        assert!(error <= 1, "{}: {} {}", place(), plain.0, pruned.0);
                    }
                    let [is_low, has_better] = self.is_prunable(node, bucket, a);
                    *match () {
                        () if skipped[player] => &mut cases.below_skipped,
                        () if skips && all.clone().all(|b| prunable(&b)) => &mut cases.skipped,
                        () if skips => &mut cases.skipped_for_all_that_occur,
                        () if !is_low => &mut cases.kept_because_the_regret_is_not_so_low,
                        () if street == Street::River => &mut cases.kept_on_the_river,
                        () if self.ends(child) => &mut cases.kept_because_the_hand_ends,
                        () if !has_better => &mut cases.kept_because_nothing_is_better,
                        () => &mut cases.kept_for_another_bucket,
                    } += changed;
                }
                if self.learners.contains(&(1 - player)) {
                    if skipped[1 - player] {
                        assert_eq!(pruned.1, 0, "an average that was skipped: {}", place());
                        cases.averages_below_skipped += usize::from(plain.1 != 0);
                    } else {
                        let error = (plain.1 - pruned.1).abs();
                        assert!(error <= 1, "{}: {} {}", place(), plain.1, pruned.1);
                    }
                }
            }
            let mut below = skipped;
            below[player] |= skips;
            self.check(child, below, cases);
        }
    }
}

/// Plays iterations in pairs and checks them, with what the player who does not learn plays.
fn compare(sampling: Sampling, learner: Option<usize>, iterations: u64) -> Cases {
    let mut cases = Cases::default();
    let plan = Plan::new(tree(GAME), [20; 3]);
    let both = [0, 1];
    let learners = learner.as_ref().map_or(&both[..], std::slice::from_ref);
    for iteration in 0..iterations {
        let cards = Recorded::new();
        let regrets = regrets(&plan, learner.map(|p| 1 - p), iteration as usize);
        let [plain, pruned] = [0.0, 1.0].map(|share| {
            let prune = Prune { share, below: f64::from(BELOW) / 4096.0, after: 0 };
            let training = Training { sampling, prune, batch: Some(1), ..Training::default() };
            iterate(&plan, &cards, &training, (iteration, &regrets))
        });
        assert!(learner.is_some() || pruned.visits < plain.visits);
        let asked = cards.asked.into_inner().unwrap();
        let occurring =
            [0, 1].map(|p| Street::ALL.map(|street| occurring(&cards.cards, &asked, p, street)));
        let regrets = &regrets;
        let pair = Pair { plan: &plan, occurring, regrets, plain, pruned, learners };
        pair.check(plan.tree().root(), [false; 2], &mut cases);
    }
    cases
}

/// An action is skipped if its regret is low and another action is played, with every bucket that
/// occurs on the board; never on the river, and never if it ends the hand.
#[test]
fn an_iteration_with_pruning_changes_what_it_does_not_skip_as_one_without() {
    let cases = compare(Sampling::Public, None, 30);
    let Cases { skipped, below_skipped, averages_below_skipped, .. } = cases;
    assert!(skipped.min(below_skipped).min(averages_below_skipped) > 100, "{cases:?}");
    assert!(cases.skipped_for_all_that_occur > 100, "{cases:?}");
    assert!(cases.kept_for_another_bucket > 100, "{cases:?}");
    assert!(cases.kept_because_nothing_is_better > 100, "{cases:?}");
    assert!(cases.kept_on_the_river.min(cases.kept_because_the_hand_ends) > 100, "{cases:?}");
    assert!(cases.kept_because_the_regret_is_not_so_low > 100, "{cases:?}");
}

/// Here every hand has one bucket, and the opponent takes the same actions whatever was drawn before:
/// it has only one with each bucket.
#[test]
fn a_hand_with_pruning_changes_what_it_does_not_skip_as_one_without() {
    for learner in [0, 1] {
        let cases = compare(Sampling::External, Some(learner), 400);
        let Cases { skipped, skipped_for_all_that_occur, .. } = cases;
        assert!(skipped.min(skipped_for_all_that_occur) > 100, "{learner}: {cases:?}");
        let below = cases.below_skipped.min(cases.averages_below_skipped);
        assert!(below > 100, "{learner}: {cases:?}");
        let kept = [
            cases.kept_on_the_river,
            cases.kept_because_the_hand_ends,
            cases.kept_because_nothing_is_better,
            cases.kept_because_the_regret_is_not_so_low,
        ];
        assert!(kept.iter().all(|&count| count > 20), "{learner}: {cases:?}");
        assert_eq!(cases.kept_for_another_bucket, 0, "a hand has one bucket");
    }
}
