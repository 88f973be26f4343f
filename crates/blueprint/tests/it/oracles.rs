//! Samplers against games that are solved exactly.
//!
//! Nothing is dealt here but what training deals, over the whole deck: the games are small because
//! players see little of their cards. Blinds are equal, so that nobody can fold before the flop.

use std::sync::LazyLock;

use lethe_blueprint::{
    Adversary, Averages, Boards, Buckets, Discount, Opponent, Plan, Pooling, Prune, Reached,
    Sampling, Store, Trainer, Training, Weights,
};
use lethe_cards::vs_random::{river_hole, river_row};
use lethe_cards::{Board, CanonicalBoard, Card, Deck, Hole, River, Street, Suit};
use lethe_compute::{Job, Pool};
use lethe_game::Tree;
use rayon::prelude::*;

use crate::common::{Hashed, tree};
use crate::signals::{SignalGame, Signals, Strategy, Types};

/// One bet on each street, and an all-in raise on turn and river.
const THREE_STREETS: &str = r#"{"stack":1000,"small_blind":100,"big_blind":100,"bet_sizes":{
    "flop":{"oop":{"bet":"50%"},"ip":{"bet":"50%"}},
    "turn":{"oop":{"bet":"100%","raise":"a"},"ip":{"bet":"75%"}},
    "river":{"oop":{"bet":"75%","raise":"a"},"ip":{"bet":"75%","raise":"a"}}}}"#;

/// No betting on the flop: an adversary who sees textures and forgets them forgets nothing here.
const TWO_STREETS: &str = r#"{"stack":1000,"small_blind":100,"big_blind":100,"bet_sizes":{
    "turn":{"oop":{"bet":"100%"},"ip":{"bet":"75%","raise":"a"}},
    "river":{"oop":{"bet":"75%","raise":"a"},"ip":{"bet":"75%"}}}}"#;

/// A bet of all chips on the flop, where that is 200 big blinds.
const DEEP: &str = r#"{"stack":20000,"small_blind":100,"big_blind":100,"bet_sizes":{
    "flop":{"oop":{"bet":"a"},"ip":{"bet":"a"}}, "river":{"oop":{"bet":"100%"}}}}"#;

/// One bet.
const ONE_BET: &str = r#"{"stack":1000,"small_blind":100,"big_blind":100,"bet_sizes":{
    "river":{"oop":{"bet":"100%"}}}}"#;

/// The groups of holes, and the bands of river equity in each.
const GROUPS: usize = 3;
const BANDS: usize = 3;

/// A player knows the group of its hole, and on the river also how strong it is.
struct Groups;

impl Groups {
    /// Pairs, hands with an ace or a king, others.
    fn group(hole: Hole) -> usize {
        match () {
            () if hole.class().is_pair() => 2,
            () if hole.high().rank().max(hole.low().rank()).index() >= 11 => 1,
            () => 0,
        }
    }

    /// The band of an equity in parts of 1,980.
    fn band(equity: u16) -> usize {
        [800, 1500].iter().filter(|&&least| equity >= least).count()
    }
}

impl Buckets for Groups {
    fn count(&self, street: Street) -> usize {
        if street == Street::River { GROUPS * BANDS } else { GROUPS }
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        let holes = Deck::without(board.set());
        let mut equities = vec![0; row.len()];
        if board.street() == Street::River {
            river_row(board.set(), &mut equities);
        }
        for ((bucket, hole), equity) in row.iter_mut().zip(holes.holes()).zip(equities) {
            *bucket = match board.street() {
                Street::River => Groups::group(hole) * BANDS + Groups::band(equity),
                _ => Groups::group(hole),
            } as u32;
        }
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        let group = Groups::group(hole);
        if board.street() != Street::River {
            return group as u32;
        }
        let tally = river_hole(board.set(), hole).expect("a hole beside the board");
        (group * BANDS + Groups::band((2 * tally.wins + tally.ties) as u16)) as u32
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }
}

/// How often buckets of [`Groups`] meet on all river boards, and what they win.
static MEETINGS: LazyLock<Signals> = LazyLock::new(|| {
    const COUNT: usize = GROUPS * BANDS;
    type Counts = [[f64; COUNT]; COUNT];
    let sum = |mut all: [Counts; 2], more: [Counts; 2]| {
        all.as_flattened_mut()
            .as_flattened_mut()
            .iter_mut()
            .zip(more.as_flattened().as_flattened())
            .for_each(|(all, more)| *all += more);
        all
    };
    let boards: Vec<CanonicalBoard> = CanonicalBoard::all(Street::River).collect();
    let [meets, wins] = boards
        .par_iter()
        .fold(
            || [[[0.0; COUNT]; COUNT]; 2],
            |all, board| {
                let deals = f64::from(board.multiplicity());
                let [meets, wins] = meetings(board.board());
                sum(
                    all,
                    [meets, wins].map(|counts| counts.map(|row| row.map(|n| deals * f64::from(n)))),
                )
            },
        )
        .reduce(|| [[[0.0; COUNT]; COUNT]; 2], sum);
    let total: f64 = meets.as_flattened().iter().sum();
    let groups: Vec<usize> = (0..COUNT).map(|bucket| bucket / BANDS).collect();
    let types = Types { count: COUNT, signals: [groups.clone(), groups, (0..COUNT).collect()] };
    // What does not win or lose is a tie, which is half a win.
    let share = |a: usize, b: usize| (meets[a][b] + wins[a][b] - wins[b][a]) / 2.0 / total;
    Signals {
        players: [types.clone(), types],
        meets: meets.as_flattened().iter().map(|n| n / total).collect(),
        wins: (0..COUNT * COUNT).map(|cell| share(cell / COUNT, cell % COUNT)).collect(),
    }
});

/// How often holes of each bucket meet those of each other on a board, and beat them.
fn meetings(board: Board) -> [[[i32; GROUPS * BANDS]; GROUPS * BANDS]; 2] {
    const COUNT: usize = GROUPS * BANDS;
    let mut row = vec![0; Deck::row_len(Street::River)];
    Groups.fill(&board, &mut row);
    let showdown = River::new(board.set()).showdown();
    let mut counts = [[[0; COUNT]; COUNT]; 2];
    // By bucket, and by bucket and card, the holes that have been passed.
    let (mut all, mut by_card) = ([0; COUNT], [[0; COUNT]; 47]);
    let ranked: Vec<_> = showdown.groups().collect();
    for is_beaten in [true, false] {
        // All are passed when each hole asks whom it meets.
        for group in &ranked {
            let own = |slot: u16| row[slot as usize] as usize;
            for hole in *group {
                let [low, high] = hole.cards.map(|card| by_card[card as usize]);
                let sums = &mut counts[usize::from(is_beaten)][own(hole.slot)];
                for other in 0..COUNT {
                    sums[other] += all[other] - low[other] - high[other];
                }
                // A hole that has been passed itself was added once and taken away twice.
                sums[own(hole.slot)] += i32::from(!is_beaten);
            }
            for hole in group.iter().filter(|_| is_beaten) {
                all[own(hole.slot)] += 1;
                hole.cards.iter().for_each(|&card| by_card[card as usize][own(hole.slot)] += 1);
            }
        }
    }
    counts
}

/// What an adversary sees who plays against a blind player: the texture of the turn and then its river
/// equity. Its opponent's hands are all equally likely, so that nothing else matters.
static EQUITIES: LazyLock<(Types, Vec<f64>, Vec<f64>)> = LazyLock::new(|| {
    const SCALE: usize = 1980;
    let boards: Vec<CanonicalBoard> = CanonicalBoard::all(Street::River).collect();
    let none = || vec![0.0; 32 * (SCALE + 1)];
    let counts = boards
        .par_iter()
        .fold(none, |mut counts, board| {
            let cards = board.board();
            let cards = cards.cards();
            let turns =
                (0..5).map(|river| texture(&[&cards[..river], &cards[river + 1..]].concat()));
            let turns: Vec<usize> = turns.collect();
            // The turn is any four of the five cards.
            let deals = f64::from(board.multiplicity()) / 5.0;
            River::new(board.set()).count_equities(|equity, holes| {
                for turn in &turns {
                    counts[turn * (SCALE + 1) + equity as usize] += deals * f64::from(holes);
                }
            });
            counts
        })
        .reduce(none, |mut all, more| {
            all.iter_mut().zip(more).for_each(|(all, more)| *all += more);
            all
        });
    let total: f64 = counts.iter().sum();
    let kinds: Vec<usize> = (0..counts.len()).filter(|&kind| counts[kind] > 0.0).collect();
    let meets: Vec<f64> = kinds.iter().map(|&kind| counts[kind] / total).collect();
    let equity = |kind: usize| (kind % (SCALE + 1)) as f64 / SCALE as f64;
    let wins = kinds.iter().zip(&meets).map(|(&kind, meets)| meets * equity(kind)).collect();
    let textures = kinds.iter().map(|kind| kind / (SCALE + 1)).collect();
    let types = Types {
        count: kinds.len(),
        signals: [vec![0; kinds.len()], textures, (0..kinds.len()).collect()],
    };
    (types, meets, wins)
});

/// The 32 textures by their definition: the most cards of one suit, whether ranks repeat, whether three
/// of them fit into a straight, whether one is a queen or better.
fn texture(cards: &[Card]) -> usize {
    let suited = Suit::all().map(|suit| cards.iter().filter(|card| card.suit() == suit).count());
    let ranks: Vec<usize> = cards.iter().map(|card| card.rank().index()).collect();
    let has = |rank: usize| ranks.contains(&rank);
    let paired = (0..ranks.len()).any(|i| ranks[..i].contains(&ranks[i]));
    let straights = (0..10).map(|low| (low..low + 5).map(|rank| (rank + 12) % 13));
    let straight = { straights }.any(|ranks| ranks.filter(|&rank| has(rank)).count() >= 3);
    let high = ranks.iter().any(|&rank| rank >= 10);
    let flags = [paired, straight, high].map(usize::from);
    (suited.max().expect("four suits") - 1) * 8 + flags[0] * 4 + flags[1] * 2 + flags[2]
}

/// The game of a blind player `p` against an adversary.
fn against_adversary(p: usize) -> Signals {
    let (types, meets, wins) = &*EQUITIES;
    let blind = Types { count: 1, signals: [vec![0], vec![0], vec![0]] };
    match p {
        // The big blind's share is what the adversary's equity leaves.
        0 => Signals {
            players: [blind, types.clone()],
            meets: meets.clone(),
            wins: meets.iter().zip(wins).map(|(meets, wins)| meets - wins).collect(),
        },
        _ => Signals { players: [types.clone(), blind], meets: meets.clone(), wins: wins.clone() },
    }
}

/// What training has learned.
struct Learned {
    store: Store,
    reached: Reached,
}

fn learn(plan: &Plan, cards: &dyn Buckets, training: &Training, iterations: u64) -> Learned {
    let store = Store::new(plan, training);
    let mut trainer = Trainer::new(plan, cards, &store, training, Reached::default());
    trainer.run(iterations, Job::new(&Pool::new(1).unwrap()), &|| true);
    Learned { reached: trainer.reached(), store }
}

impl Learned {
    /// The average strategy of both players.
    fn strategy(
        &self,
        plan: &Plan,
        game: &SignalGame<'_>,
        signals: impl Fn(usize) -> u32,
    ) -> Strategy {
        game.strategy(|node, signal, actions| {
            let Some(cells) = plan.cells_of(node, signals(signal)) else {
                return vec![0.0; actions];
            };
            cells.map(|cell| f64::from(Averages(&self.store).weight(cell))).collect()
        })
    }

    /// The exact value of the big blind and the exploitability, in the game of groups.
    fn in_groups(&self, plan: &Plan) -> [f64; 2] {
        let game = SignalGame { tree: plan.tree(), signals: &MEETINGS };
        let strategy = self.strategy(plan, &game, |signal| signal as u32);
        let gain = game.best(0, &strategy) + game.best(1, &strategy);
        [game.value(0, &strategy, &strategy), gain / 2.0]
    }
}

fn training(sampling: Sampling) -> Training {
    let (batch, interval) = match sampling {
        Sampling::Public => (4, 100),
        Sampling::External => (256, 20_000),
    };
    let discount = Discount { interval, ..Discount::default() };
    Training { sampling, discount, batch: Some(batch), ..Training::default() }
}

fn groups_plan(game: &str) -> Plan {
    Plan::new(tree(game), Street::POSTFLOP.map(|street| Groups.count(street)))
}

/// What a best response gains against players who take all actions equally often, in chips.
fn even_gain(plan: &Plan) -> f64 {
    let game = SignalGame { tree: plan.tree(), signals: &MEETINGS };
    let even = game.strategy(|_, _, actions| vec![1.0; actions]);
    (game.best(0, &even) + game.best(1, &even)) / 2.0
}

fn equilibrium(tree: &Tree) -> f64 {
    let (value, gap) = SignalGame { tree, signals: &MEETINGS }.solve(0.02);
    assert!(gap < 0.02);
    value
}

#[test]
fn meetings_are_those_of_a_deck() {
    let total: f64 = MEETINGS.meets.iter().sum();
    assert!((total - 1.0).abs() < 1e-12);
    // Pairs are 78 of 1,326 hands, and two of them meet this often.
    let of = |a: usize, b: usize| -> f64 {
        let cells = (0..9).flat_map(|i| (0..9).map(move |j| (i, j)));
        let cells = cells.filter(|&(i, j)| i / BANDS == a && j / BANDS == b);
        cells.map(|(i, j)| MEETINGS.meets[i * 9 + j]).sum()
    };
    assert!((of(2, 2) - 78.0 / 1326.0 * (72.0 + 1.0) / 1225.0).abs() < 1e-12, "{}", of(2, 2));
    let wins: f64 = MEETINGS.wins.iter().sum();
    assert!((wins - 0.5).abs() < 1e-12, "both players win equally often: {wins}");
    let (_, meets, wins) = &*EQUITIES;
    let sums = [meets, wins].map(|all| all.iter().sum::<f64>());
    assert!((sums[0] - 1.0).abs() < 1e-12 && (sums[1] - 0.5).abs() < 1e-12, "{sums:?}");
}

#[test]
fn both_samplers_reach_the_equilibrium_of_a_game_with_betting_on_three_streets() {
    let plan = groups_plan(THREE_STREETS);
    let (expected, even) = (equilibrium(plan.tree()), even_gain(&plan));
    for (sampling, iterations) in [(Sampling::Public, 4000), (Sampling::External, 600_000)] {
        let [value, gain] = learn(&plan, &Groups, &training(sampling), iterations).in_groups(&plan);
        assert!(gain < 2.5, "{sampling:?}: {gain} and at first {even}");
        assert!((value - expected).abs() < 1.5, "{sampling:?}: {value} {expected}");
    }
}

/// Pools of hands that should be played in different ways slow training down at first, but not for ever.
#[test]
fn pooled_training_reaches_the_same_equilibrium() {
    let plan = groups_plan(THREE_STREETS).with_group_sizes([[1; 2], [BANDS; 2], [BANDS, 1]]);
    let expected = equilibrium(plan.tree());
    let pooling = Pooling { weight: 5.0, iterations: 150.0 };
    let training = Training { pooling, ..training(Sampling::Public) };
    let [early, late] = [100, 4000].map(|iterations| {
        let learned = learn(&plan, &Groups, &training, iterations);
        assert_eq!(learned.reached.saturated, 0);
        learned.in_groups(&plan)
    });
    assert!(early[1] > 2.0 * late[1], "{early:?} {late:?}");
    assert!(late[1] < 2.5 && (late[0] - expected).abs() < 1.5, "{late:?} {expected}");
}

/// Skipping actions saves visits and leads to the same equilibrium; that nothing but the skipped
/// actions changes is shown elsewhere, iteration by iteration.
#[test]
fn pruned_training_still_comes_near_the_equilibrium() {
    let plan = groups_plan(THREE_STREETS);
    // The thresholds are a twentieth of the presets' or less, so that pruning is frequent; the nearer to
    // zero, the more actions are skipped that are good after all. Boards of five seeds end at 1.2 to 1.7
    // chips without pruning, and with thresholds of -1,000, -500 and -200 at 1.7 to 2.8, 2.4 to 4.0 and
    // 2.4 to 6.3; hands at 1.4 and 1.5.
    for (sampling, iterations, after, below, most) in [
        (Sampling::Public, 4000, 100, -500.0, 4.5),
        (Sampling::External, 600_000, 20_000, -1000.0, 2.5),
    ] {
        let prune = Prune { after, below, share: 0.95 };
        let [plain, pruned] = [Prune { share: 0.0, ..prune }, prune].map(|prune| {
            let training = Training { prune, ..training(sampling) };
            // The other test has the equilibrium without pruning; here its visits are enough.
            let iterations = if prune.share == 0.0 { iterations / 10 } else { iterations };
            let learned = learn(&plan, &Groups, &training, iterations);
            (learned.reached.visits as f64 / iterations as f64, learned.in_groups(&plan)[1])
        });
        assert!(pruned.0 < 0.95 * plain.0, "{sampling:?}: {plain:?} {pruned:?}");
        assert!(pruned.1 < most, "{sampling:?}: {pruned:?}");
    }
}

/// Regrets of all-ins with 200 big blinds, added up over a long first batch, are too large to be
/// stored. They are cut off, and training gets over it.
#[test]
fn training_recovers_from_regrets_that_are_too_large() {
    let plan = groups_plan(DEEP);
    let training = Training { batch: Some(200), ..training(Sampling::Public) };
    let training =
        Training { discount: Discount { interval: 200, ..training.discount }, ..training };
    let [first, all] = [200, 8000].map(|iterations| {
        let learned = learn(&plan, &Groups, &training, iterations);
        (learned.reached.saturated, learned.in_groups(&plan)[1])
    });
    let even = even_gain(&plan);
    assert!(first.0 > 0, "nothing was too large: {first:?}");
    assert!(all.1 < 0.02 * even, "{all:?} and at first {even}");
}

/// Averages that are halved because they are full weigh half as much, and so does what is added
/// afterwards.
#[test]
fn a_long_run_halves_its_averages() {
    let plan = Plan::new(tree(ONE_BET), [1; 3]);
    let discount = Discount { gamma: 0.0, interval: 1000, ..Discount::default() };
    let training = Training { discount, ..training(Sampling::Public) };
    let river = plan.tree().find("x x / x x / x x /").unwrap();
    let weight = |iterations: u64| {
        let learned = learn(&plan, &Hashed(1), &training, iterations);
        let cells = plan.cells_of(river, 0).unwrap();
        let sum: f64 = cells.map(|cell| f64::from(Averages(&learned.store).weight(cell))).sum();
        (learned.reached.halvings[Street::River.index()], sum / iterations as f64)
    };
    let [(none, whole), (halvings, halved)] = [500, 5000].map(weight);
    assert!(none == 0 && halvings > 0, "{none} {halvings}");
    let expected = whole * 0.5_f64.powi(halvings as i32);
    assert!((halved / expected - 1.0).abs() < 1e-4, "{whole} {halved} {halvings}");
}

#[test]
fn a_player_trained_against_an_adversary_is_as_safe_as_it_can_be() {
    let plan = Plan::new(tree(TWO_STREETS), [1; 3]);
    for average_share in [0.0, 0.5] {
        assert_safe(&plan, average_share);
    }
}

/// Trains against an adversary that responds to a mixture with this share of the average strategy.
fn assert_safe(plan: &Plan, average_share: f64) {
    let adversary =
        Adversary { slack: 0.1, slack_iterations: 50.0, boards: Boards::Textures, average_share };
    let opponent = Opponent::Adversary;
    let discount = Discount { interval: 500, ..Discount::default() };
    let training = Training { opponent, adversary, discount, ..training(Sampling::Public) };
    let learned = learn(plan, &Hashed(1), &training, 4000);
    for p in [0, 1] {
        let signals = against_adversary(p);
        let game = SignalGame { tree: plan.tree(), signals: &signals };
        let (value, gap) = game.solve(0.8);
        let most = if p == 0 { value } else { -value } + gap / 2.0;
        // What is left where the adversary answers as well as it can.
        let [even, found] = [true, false].map(|even| {
            let strategy = game.strategy(|_, _, actions| vec![1.0; actions]);
            let learned = learned.strategy(plan, &game, |_| 0);
            -game.best(1 - p, if even { &strategy } else { &learned })
        });
        assert!(found <= most, "{average_share} {p}: {found} {most}");
        assert!(found > most - 3.0, "{average_share} {p}: {found} of {most}, and at first {even}");
    }
}
