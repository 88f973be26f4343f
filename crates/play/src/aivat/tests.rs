//! Corrections whose mean is zero, exactly and in matches.

use lethe_blueprint::{Buckets, Exact, Flops, Match, Plan, TablePolicy, Values, Weights};
use lethe_cards::{Deck, StartingHand};
use lethe_compute::{Job, Pool};
use lethe_game::{Game, HandConfig, NodeKind, Tree};

use super::*;
use crate::duel::{Contestant, Duel, DuelResult};

/// A strategy that looks random.
struct Scattered(u64);

impl Weights for Scattered {
    fn weight(&self, cell: usize) -> f32 {
        1.0 + (cell as u64 ^ self.0).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(20) as u8
            as f32
    }
}

/// Fold or all-in before the flop.
const PUSH: &str = r#"{"stack":1000,"small_blind":50,"big_blind":100,"ante":10,
    "bet_sizes":{"preflop":{"sb":{"raise":"a"},"limp":false}}}"#;

/// A limped pot, with a bet on each street.
const STREETS: &str = r#"{"stack":700,"small_blind":50,"big_blind":100,"bet_sizes":{
    "preflop":{"bb":{"raise":"a"}}, "flop":{"ip":{"bet":"100%"}}, "turn":{"oop":{"bet":"a"}},
    "river":{"oop":{"bet":"50%"},"ip":{"bet":"50%","raise":"a"}}}}"#;

/// Hands by what they make of the board: nothing, a pair or better, four of a suit.
struct Made;

impl Buckets for Made {
    fn count(&self, _: Street) -> usize {
        3
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        for (bucket, hole) in row.iter_mut().zip(Deck::without(board.set()).holes()) {
            *bucket = self.of(hole, board);
        }
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        let lanes = (board.set() | hole.set()).lanes();
        let ranks = lanes.iter().fold(0u16, |ranks, lane| ranks | lane).count_ones() as usize;
        let suited = lanes.iter().any(|lane| lane.count_ones() >= 4);
        if suited { 2 } else { u32::from(ranks < board.cards().len() + 2) }
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }
}

struct Setting {
    plan: Plan,
    values: Values,
    /// The strategies of the scored player, of the opponent and of the baseline.
    weights: [Scattered; 3],
}

impl Setting {
    fn new(game: &str, flops: Flops) -> Setting {
        let config: HandConfig = serde_json::from_str(game).unwrap();
        let tree = Tree::build(Game::hand(&config).unwrap(), Tree::NODE_LIMIT).unwrap();
        let plan = Plan::new(tree, [3; 3]);
        let weights = [1, 2, 3].map(Scattered);
        // Values of another strategy than the players': a bad baseline must not matter.
        let exact = Exact { plan: &plan, buckets: &Made, weights: &weights[2] };
        let values = exact.values(flops, Job::default()).unwrap();
        Setting { plan, values, weights }
    }

    fn policy(&self, who: usize) -> TablePolicy<'_, Scattered> {
        let weights = &self.weights[who];
        TablePolicy { plan: &self.plan, buckets: &Made, weights }
    }

    fn tree(&self) -> &Tree {
        self.plan.tree()
    }

    /// A step by a strategy on a board.
    fn step(&self, who: usize, node: NodeId, board: &Board, taken: usize) -> Step {
        let policy = self.policy(who);
        let rows = rows_of(&policy, self.tree(), node, board, &hands(&policy, board));
        Step::in_tree(self.tree(), node, Some(rows), taken)
    }
}

/// All ways in which the betting can go on from a node to the end of the hand or of the street: the places
/// of the actions, and the node they lead to.
fn lines(tree: &Tree, node: NodeId) -> Vec<(Vec<(NodeId, usize)>, NodeId)> {
    let NodeKind::Decision(_) = tree.node(node).kind() else { return vec![(Vec::new(), node)] };
    let mut found = Vec::new();
    for (place, &child) in tree.children(node).iter().enumerate() {
        for (mut line, end) in lines(tree, child) {
            line.insert(0, (node, place));
            found.push((line, end));
        }
    }
    found
}

fn ending(tree: &Tree, end: NodeId, own: Player, street: Street) -> Ending {
    let mut end = end;
    while tree.node(end).kind() == NodeKind::Chance {
        end = tree.children(end)[0];
    }
    let outcome = tree.outcome(end).expect("the hand is over");
    match tree.node(end).kind() {
        NodeKind::Fold(_) => {
            Ending::Fold(outcome.payoffs(outcome.winner)[own.index()] - outcome.ante())
        }
        _ => {
            let pays = [outcome.win(), outcome.tie(), outcome.lose()];
            Ending::Showdown { street, pays: pays.map(|pay| pay - outcome.ante()) }
        }
    }
}

/// How often a hole of a player acts as a line does.
fn reach(steps: &[Step], player: Player, hole: Hole) -> f64 {
    let own = steps.iter().filter(|step| step.player == player);
    let share = |step: &Step| {
        f64::from(step.frequencies.as_ref().unwrap()[step.taken * Hole::COUNT + hole.index()])
    };
    own.map(share).product()
}

#[test]
fn the_mean_over_all_deals_and_lines_is_the_exact_value() {
    let setting = Setting::new(PUSH, Flops::All);
    let tree = setting.tree();
    let policies = [0, 1, 2].map(|who| setting.policy(who));
    let baseline = Baseline::new(&setting.plan, &policies[2], &setting.values);
    for own in Player::BOTH {
        // By the table of all matchups, without any trace.
        let (mut expected, mut found, mut corrected) = (0.0, 0.0, 0.0);
        for class in StartingHand::all() {
            let theirs = class.holes().next().unwrap();
            let chance = class.combos() as f64 / Hole::COUNT as f64;
            for (line, end) in lines(tree, tree.root()) {
                let steps: Vec<Step> = line
                    .iter()
                    .map(|&(node, place)| {
                        let who = usize::from(tree.node(node).player() != Some(own));
                        setting.step(who, node, &Board::EMPTY, place)
                    })
                    .collect();
                let opponent = reach(&steps, own.opponent(), theirs);
                let free = Hole::all().filter(|hole| !hole.set().intersects(theirs.set()));
                let ending = ending(tree, end, own, Street::Preflop);
                let mut mass = 0.0;
                for hole in free {
                    let reach = opponent * reach(&steps, own, hole) / 1225.0;
                    mass += reach;
                    expected += chance
                        * reach
                        * match ending {
                            Ending::Fold(chips) => chips,
                            Ending::Showdown { pays, .. } => {
                                let shares = results(hole, &Board::EMPTY, &[theirs], usize::MAX)[0];
                                shares.iter().zip(pays).map(|(share, pay)| share * pay).sum()
                            }
                        };
                }
                let mut holes = [None; 2];
                holes[own.opponent().index()] = Some(theirs);
                holes[own.index()] = Hole::all().find(|hole| !hole.set().intersects(theirs.set()));
                let (view, board) = (View::Both, Board::EMPTY);
                let trace = Trace { own, view, holes, board, steps, ending };
                let mut hand = Hand::new(&baseline, &trace);
                hand.run().unwrap();
                corrected += chance * mass * hand.correction.abs();
                found += chance * mass * baseline.luck_removed(&trace).unwrap();
            }
        }
        assert!((found - expected).abs() < 1e-4, "{own}: {found} {expected}");
        assert!(corrected > 50.0, "{own}: the corrections are as good as none, {corrected}");
    }
}

#[test]
fn corrections_for_our_own_hole_and_actions_have_the_mean_zero() {
    let setting = Setting::new(PUSH, Flops::All);
    let tree = setting.tree();
    let policy = setting.policy(2);
    let baseline = Baseline::new(&setting.plan, &policy, &setting.values);
    let root = tree.root();
    let (mut mean, mut size) = (0.0, 0.0);
    for class in StartingHand::all() {
        let hole = class.holes().next().unwrap();
        for taken in 0..tree.children(root).len() {
            let steps = vec![setting.step(0, root, &Board::EMPTY, taken)];
            let chance =
                class.combos() as f64 / Hole::COUNT as f64 * reach(&steps, Player::Ip, hole);
            let (holes, ending) = ([None, Some(hole)], Ending::Fold(0.0));
            let (own, view, board) = (Player::Ip, View::Own, Board::EMPTY);
            let correction =
                baseline.luck_removed(&Trace { own, view, holes, board, steps, ending }).unwrap();
            mean += chance * correction;
            size += chance * correction.abs();
        }
    }
    assert!(mean.abs() < 1e-4 && size > 50.0, "{mean} {size}");
}

/// The hand up to the flop, and on to the river's card without a bet.
fn checked_to(
    setting: &Setting,
    street: Street,
    board: &Board,
    own: Player,
) -> (Vec<Step>, NodeId) {
    let tree = setting.tree();
    let mut node = tree.root();
    let mut steps = Vec::new();
    while tree.node(node).street() < street || tree.node(node).kind() == NodeKind::Chance {
        if tree.node(node).kind() == NodeKind::Chance {
            node = tree.children(node)[0];
            continue;
        }
        let quiet = |action: &lethe_game::Action| {
            action.amount().is_none() && *action != lethe_game::Action::Fold
        };
        let place = tree.actions(node).iter().position(quiet).unwrap();
        let who = usize::from(tree.node(node).player() != Some(own));
        steps.push(setting.step(who, node, &board_on(board, tree.node(node).street()), place));
        node = tree.children(node)[place];
    }
    (steps, node)
}

#[test]
fn the_mean_over_all_rivers_and_their_betting_is_the_exact_value() {
    let setting = Setting::new(STREETS, Flops::Sample(4, 0));
    let tree = setting.tree();
    let policy = setting.policy(2);
    let baseline = Baseline::new(&setting.plan, &policy, &setting.values);
    let turn: Board = "Qs9h5h2c".parse().unwrap();
    let theirs: Hole = "AhTd".parse().unwrap();
    for own in Player::BOTH {
        let any = board_with_river(&turn, theirs);
        let (prefix, river) = checked_to(&setting, Street::River, &any, own);
        let live = |hole: &Hole| !hole.set().intersects(turn.set() | theirs.set());
        let range: Vec<Hole> = Hole::all().filter(live).collect();
        let weights: Vec<f64> = range.iter().map(|&hole| reach(&prefix, own, hole)).collect();
        let total: f64 = weights.iter().sum();
        let mut holes = [None; 2];
        holes[own.opponent().index()] = Some(theirs);
        let trace =
            |steps, board, ending| Trace { own, view: View::Both, holes, board, steps, ending };
        let before = trace(prefix.clone(), turn, Ending::Fold(0.0));
        let mut hand = Hand::new(&baseline, &before);
        hand.run().unwrap();
        let before = hand.correction;
        let (mut found, mut expected, mut mass, mut size) = (0.0, 0.0, 0.0, 0.0);
        for &card in Deck::without(turn.set() | theirs.set()).cards() {
            let board = turn.with(card).unwrap();
            for (line, end) in lines(tree, river) {
                let mut steps = prefix.clone();
                steps.extend(line.iter().map(|&(node, place)| {
                    let who = usize::from(tree.node(node).player() != Some(own));
                    setting.step(who, node, &board, place)
                }));
                let after = &steps[prefix.len()..];
                let ending = ending(tree, end, own, Street::River);
                let opponent = reach(after, own.opponent(), theirs);
                let mut chance = 0.0;
                for (&hole, weight) in range.iter().zip(&weights) {
                    if !hole.set().contains(card) {
                        let reach = weight / total / 44.0 * opponent * reach(after, own, hole);
                        chance += reach;
                        expected += reach
                            * match ending {
                                Ending::Fold(chips) => chips,
                                Ending::Showdown { pays: [win, tie, lose], .. } => {
                                    let strength = |hole: Hole| {
                                        lethe_cards::evaluate(hole.set() | board.set())
                                    };
                                    match strength(hole).cmp(&strength(theirs)) {
                                        std::cmp::Ordering::Greater => win,
                                        std::cmp::Ordering::Equal => tie,
                                        std::cmp::Ordering::Less => lose,
                                    }
                                }
                            };
                    }
                }
                let corrected =
                    baseline.luck_removed(&trace(steps, board, ending)).unwrap() - before;
                mass += chance;
                found += chance * corrected;
                size += chance * (corrected - expected).abs();
            }
        }
        assert!((mass - 1.0).abs() < 1e-6, "{own}: {mass}");
        assert!((found - expected).abs() < 1e-4, "{own}: {found} {expected}");
        assert!(size > 1.0, "{own}: there was nothing to correct");
    }
}

fn board_with_river(turn: &Board, dead: Hole) -> Board {
    turn.with(Deck::without(turn.set() | dead.set()).cards()[0]).unwrap()
}

#[test]
fn the_correction_for_a_flop_has_the_mean_zero_over_all_flops() {
    let setting = Setting::new(STREETS, Flops::Sample(4, 0));
    let policy = setting.policy(2);
    let baseline = Baseline::new(&setting.plan, &policy, &setting.values);
    let theirs: Hole = "8c8d".parse().unwrap();
    let own = Player::Ip;
    let flop: Board = "Qs9h5h".parse().unwrap();
    let (prefix, node) = checked_to(&setting, Street::Flop, &flop, own);
    let holes = [Some(theirs), None];
    let correction = |flop: Board, steps: Vec<Step>| {
        let ending = Ending::Fold(0.0);
        baseline
            .luck_removed(&Trace { own, view: View::Both, holes, board: flop, steps, ending })
            .unwrap()
    };
    let before = correction(flop, prefix.clone());
    // A step of a player about whom nothing is known, so that the flop alone is corrected for.
    let mut steps = prefix.clone();
    steps.push(Step::in_tree(setting.tree(), node, None, 0));
    let reach: Vec<f64> = Hole::all().map(|hole| reach(&prefix, own, hole)).collect();
    let deck = Deck::without(theirs.set());
    let cards = deck.cards();
    let range: Vec<(CardSet, f64)> =
        deck.holes().map(|hole| (hole.set(), reach[hole.index()])).collect();
    let (mut mass, mut mean, mut size) = (0.0, 0.0, 0.0);
    for (k, &c) in cards.iter().enumerate() {
        for (j, &b) in cards[..k].iter().enumerate() {
            for &a in &cards[..j] {
                let flop = Board::new(&[a, b, c]).unwrap();
                let set = flop.set();
                let weight: f64 =
                    range.iter().filter(|(hole, _)| !hole.intersects(set)).map(|(_, r)| r).sum();
                let corrected = correction(flop, steps.clone()) - before;
                mass += weight;
                mean += weight * corrected;
                size += weight * corrected.abs();
            }
        }
    }
    assert!((mean / mass).abs() < 1e-6 * (size / mass), "{} {}", mean / mass, size / mass);
    assert!(size / mass > 0.1, "the flop was worth nothing: {}", size / mass);
}

fn duel(setting: &Setting, who: [usize; 2], deals: u64, seed: u64, threads: usize) -> DuelResult {
    let policies = [who[0], who[1], 2].map(|who| setting.policy(who));
    let baseline = Baseline::new(&setting.plan, &policies[2], &setting.values);
    let players = [Contestant::Policy(&policies[0]), Contestant::Policy(&policies[1])];
    let names = ["a", "b"];
    let duel = Duel { tree: setting.tree(), players, names, baseline: Some(&baseline) };
    let pool = Pool::new(threads).unwrap();
    duel.play(deals, seed, Job::new(&pool), None::<&mut dyn FnMut(_) -> Result<(), ()>>).unwrap()
}

#[test]
fn raw_scores_are_those_of_a_match_and_threads_change_nothing() {
    let setting = Setting::new(STREETS, Flops::Sample(4, 0));
    let players = [setting.policy(0), setting.policy(1)];
    let game = Match { tree: setting.tree(), players: [&players[0], &players[1]] };
    let expected = game.play(300, 5, Job::default()).unwrap();
    let [found, again] = [1, 3].map(|threads| duel(&setting, [0, 1], 300, 5, threads));
    assert_eq!(found, again);
    assert!((found.raw.overall.mbb - expected.overall.mbb).abs() < 1e-6);
    assert!((found.raw.seats[1].mbb - expected.seats[1].mbb).abs() < 1e-6);
}

#[test]
fn the_mean_of_a_match_is_the_exact_value_within_its_interval() {
    let setting = Setting::new(PUSH, Flops::All);
    let exact = Exact { plan: &setting.plan, buckets: &Made, weights: &setting.weights[0] };
    let values = exact.values(Flops::All, Job::default()).unwrap();
    assert!(values.header().exact);
    let exact = values.value_mbb(&setting.plan).unwrap();
    let found = duel(&setting, [0, 0], 6000, 1, 2);
    let raw = found.raw.seats;
    for (place, (found, exact)) in
        found.luck_removed.unwrap().seats.into_iter().zip([exact.bb, exact.sb]).enumerate()
    {
        let (interval, wider) = (found.interval_mbb.unwrap(), raw[place].interval_mbb.unwrap());
        // Three and a half standard errors, of a fixed seed.
        assert!((found.mbb - exact).abs() < 1.8 * interval, "{found:?} {exact}");
        assert!(interval < wider / 1.5, "{found:?} {raw:?}");
    }
}

#[test]
fn luck_is_removed_on_all_streets_and_the_mean_is_that_of_the_raw_scores() {
    let setting = Setting::new(STREETS, Flops::Sample(8, 0));
    let found = duel(&setting, [0, 1], 2000, 1, 2);
    let less = found.luck_removed.unwrap();
    let pairs = [(less.overall, found.raw.overall), (less.seats[0], found.raw.seats[0])];
    for (less, raw) in pairs {
        let (interval, wider) = (less.interval_mbb.unwrap(), raw.interval_mbb.unwrap());
        assert!((less.mbb - raw.mbb).abs() < 1.8 * wider, "{less:?} {raw:?}");
        assert!(interval < wider / 1.3, "{less:?} {raw:?}");
    }
}
