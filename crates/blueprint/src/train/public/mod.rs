//! Public chance sampling: a turn and one or more rivers per iteration, and every hand of both players on
//! them. Betting lines of the same shape are walked side by side, in bundles.
//!
//! Against an adversary each player learns in a game of its own. First the adversary's values are
//! computed. Before the river it learns, seeing the same buckets and the texture of the board. On the
//! river it responds, seeing its cards and the player's strategy. Then the player is valued against
//! that response, and on flop and turn against what the adversary has just learned. The response is
//! not quite the best one: it mixes in actions that are nearly as good. Otherwise it would jump from
//! board to board, and the player, who sees only buckets, would follow. Nor is it one to what the
//! player does now, which is noisy, but to a mixture of that and the player's average strategy.

mod values;
mod visit;

use std::ops::Range;
use std::sync::Arc;

use lethe_cards::{Card, CardSet, Street};
use lethe_compute::Job;
use lethe_rows::{CardSums, Summand};

use self::visit::{Frame, Kept, Visit, bits, masked, resized, row_len, spread, weights};
use super::bundles::{Bundle, Bundles, Origin};
use super::{Opponent, REGRET_UNIT, Setup, adversary_shift};
use crate::changes::{Amounts, Changes, PoolCells, Pools, Target};
use crate::deal::{Deal, HOLES, TURN_HOLES};
use crate::lanes::{self, Lanes, Row};
use crate::plan::Kind;
use crate::random::{Domain, Random};
use crate::rounded::{self, Rounded};
use crate::sample::spread_flop;
use crate::store::{Averages, Regrets, Weights};

/// The state of one thread.
pub(super) struct Worker<'a> {
    setup: Setup<'a>,
    bundles: Arc<Bundles>,
    /// Nothing only while it is being played.
    deal: Option<Deal>,
    /// How amounts are rounded.
    rounding: Random,
    /// By the seed: where the sequence of flops begins.
    first_flop: u64,
    /// By street: the bundle that is being walked.
    frames: [Frame; 4],
    scratch: Scratch,
    /// Reach and values of a bundle of the river, by the holes of the turn.
    river_root: [Row; 2],
    prunes: bool,
    /// The player who learns against the adversary; `None` if the players learn from each other.
    learner: Option<usize>,
    /// What the learner plays on flop and turn, by bucket.
    learned: [Kept; 2],
    /// What the adversary plays from the flop on, after its own walk: before the river what its regrets
    /// recommend with the changes of that walk, by bucket; on the river its answers, by hole.
    answers: [Kept; 3],
    /// By street: the kind of the board's flop and turn, as the adversary distinguishes them.
    kinds: [usize; 4],
    slack: f32,
    /// By street and block: where its regrets are pooled. Empty where they are not.
    pools: [Vec<Pools>; 4],
    /// How much the mean regret of a pool counts.
    pool_weight: f32,
    /// What a chip adds to regrets.
    pub(super) regret_unit: f32,
    /// What a hand adds to averages, by street.
    pub(super) averages: [f32; 4],
    /// By traverser, and whether its opponent is the adversary.
    paid_preflop: [[PaidPreflop; 2]; 2],
    /// The first iteration of the batch: what is kept for it is computed again in the next.
    pub(super) batch: u64,
}

/// Rows and tables of the decision at hand.
#[derive(Default)]
struct Scratch {
    /// Frequencies by bucket, of the strategy and of what the adversary responds to.
    tables: Row,
    mixed: Row,
    /// Sums by bucket.
    sums: Row,
    card_sums: CardSums<Lanes>,
    /// Reach and values of an all-in on a river.
    all_in: [Row; 2],
}

/// What folds and all-ins before the flop pay in a batch, whose iterations all read the same regrets.
#[derive(Default)]
struct PaidPreflop {
    /// The first iteration of the batch.
    batch: Option<u64>,
    /// By node of the block: a value for each starting hand, or nothing where the hand goes on.
    values: Vec<Vec<f32>>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(setup: Setup<'a>, bundles: Arc<Bundles>) -> Worker<'a> {
        let boards = |street| if street == Street::River { setup.training.rivers } else { 1 };
        let kept = |street: Street| match setup.training.opponent {
            Opponent::Same => Kept::default(),
            Opponent::Adversary => {
                Kept::new(bundles.edges(street) * boards(street), row_len(street))
            }
        };
        Worker {
            setup,
            deal: Some(Deal::new(setup.buckets)),
            rounding: Random::new(Domain::Rounding, 0, 0),
            first_flop: Random::new(Domain::Training, setup.training.seed, u64::MAX).bits(),
            frames: Default::default(),
            scratch: Scratch {
                all_in: [(); 2].map(|()| vec![Lanes::ZERO; HOLES]),
                ..Scratch::default()
            },
            river_root: [(); 2].map(|()| vec![Lanes::ZERO; TURN_HOLES]),
            prunes: false,
            learner: None,
            learned: [Street::Flop, Street::Turn].map(kept),
            answers: Street::POSTFLOP.map(kept),
            bundles,
            kinds: [0; 4],
            slack: 0.0,
            pools: pools(setup),
            pool_weight: 0.0,
            regret_unit: REGRET_UNIT / setup.big_blind(),
            averages: [0.0; 4],
            paid_preflop: Default::default(),
            batch: 0,
        }
    }

    /// Plays all hands of a turn board and some rivers for player `p`.
    pub(super) fn play(
        &mut self,
        (turn, rivers): (&[Card; 4], &[Card]),
        iteration: u64,
        p: usize,
        job: Job<'_>,
        changes: &mut Changes,
    ) {
        let Setup { buckets, training, .. } = self.setup;
        self.rounding = Random::new(Domain::Rounding, training.seed, 2 * iteration + p as u64);
        let adversary = training.adversary;
        let age = 1.0 + iteration as f64 / adversary.slack_iterations;
        self.slack = (adversary.slack / age.sqrt()) as f32;
        self.pool_weight = training.pooling.weight_after(iteration) as f32;
        let mut deal = self.deal.take().expect("nothing else is being played");
        deal.set(turn, rivers, buckets);
        changes.begin(deal.dense.iter().chain(deal.rivers.iter().map(|river| &river.dense)));
        let kind = |cards: &[Card]| adversary.boards.kind(cards);
        self.kinds = [0, kind(&turn[..3]), kind(turn), 0];
        match training.opponent {
            Opponent::Same => self.walk(None, &deal, p, job, changes),
            Opponent::Adversary => {
                let kept = self.learned.iter_mut().chain(&mut self.answers);
                kept.for_each(|kept| kept.known.fill(0));
                self.walk(Some(p), &deal, 1 - p, job, changes);
                self.walk(Some(p), &deal, p, job, changes);
            }
        }
        self.deal = Some(deal);
    }

    /// Values all bundles for traverser `p`.
    fn walk(
        &mut self,
        learner: Option<usize>,
        deal: &Deal,
        p: usize,
        job: Job<'_>,
        changes: &mut Changes,
    ) {
        self.learner = learner;
        let bundles = Arc::clone(&self.bundles);
        let bundle = bundles.get(0);
        let shape = bundle.shape(self.setup.plan);
        let frame = &mut self.frames[0];
        frame.begin(shape, p, TURN_HOLES);
        frame.alive[0] = bundle.lanes();
        let reach = &mut frame.reach[..TURN_HOLES];
        reach.fill(Lanes::of(&[1.0 / deal.opponents()], |&reach| reach));
        deal.blocked.iter().for_each(|&slot| reach[slot as usize] = Lanes::ZERO);
        let dense = &deal.dense[0];
        let root = Visit { bundles: &bundles, bundle, shape, deal, river: 0, dense, p, job };
        self.visit(root, changes);
    }

    /// Whether a player is the adversary.
    fn is_adversary(&self, player: usize) -> bool {
        self.learner.is_some_and(|learner| learner != player)
    }

    /// The regrets by which a player plays in a block. On the river the adversary has none: where it
    /// has no answer it plays what the strategy plays.
    fn regrets(&self, street: Street, number: usize, player: usize) -> Regrets<'a> {
        let Setup { plan, store, training, .. } = self.setup;
        if !self.is_adversary(player) || street == Street::River {
            let regrets = Regrets::of(store);
            return match self.pools[street.index()].get(number) {
                None => regrets,
                Some(&pools) => {
                    let groups = plan.groups(street);
                    regrets.with_pools(pools, groups.map(|groups| self.pool_weight / groups as f32))
                }
            };
        }
        let (kinds, kind) = (training.adversary.boards.count(), self.kinds[street.index()]);
        Regrets::of_adversary(store, adversary_shift(plan, (street, number), kinds, kind))
    }

    /// The share of the average strategy in what the traverser's opponent plays: that of the learner in
    /// the eyes of the adversary.
    fn average_share(&self, p: usize) -> f32 {
        match self.is_adversary(p) {
            true => self.setup.training.adversary.average_share as f32,
            false => 0.0,
        }
    }

    /// Values a bundle and collects changes of regrets and averages. The opponent's reach at its root is
    /// in the first row of the street's frame; the values are left in the row of the first node.
    fn visit(&mut self, visit: Visit<'_>, changes: &mut Changes) {
        if visit.job.cancelled() {
            return;
        }
        let Visit { bundle, .. } = visit;
        let mut frame = std::mem::take(&mut self.frames[bundle.street.index()]);
        self.forward(visit, &mut frame, changes);
        for below in bundle.below.clone() {
            self.below(visit.bundles.get(below), visit, &mut frame, changes);
        }
        match bundle.street {
            Street::Preflop => self.pay_preflop(visit, &mut frame),
            Street::River => self.pay(visit, &mut frame),
            _ => self.pay_before_river(visit, &mut frame),
        }
        self.backward(visit, &mut frame, changes);
        self.frames[bundle.street.index()] = frame;
    }

    /// The opponent's reach at every node, added to its average strategy unless it is the adversary.
    fn forward(&mut self, visit: Visit<'_>, frame: &mut Frame, changes: &mut Changes) {
        let Visit { bundle, shape, dense, p, .. } = visit;
        let len = row_len(bundle.street);
        let (street, view, local) = (bundle.street, &shape.views[p], &dense.local[..]);
        let is_adversary = self.is_adversary(1 - p);
        let share = self.average_share(p);
        let count = dense.distinct.len();
        let amounts = match is_adversary {
            true => 0..0,
            false => self.begin_amounts(Amounts::Averages, visit, 1 - p, changes),
        };
        let mut scratch = std::mem::take(&mut self.scratch);
        for (place, node) in shape.nodes.iter().enumerate() {
            let Kind::Decision(player, offset) = node.kind else { continue };
            let children = shape.children(place);
            let alive = frame.alive[place];
            if alive == 0 {
                continue;
            }
            changes.visits += u64::from(alive.count_ones()) * len as u64;
            if player == p {
                let prunes = self.prunes && street != Street::River;
                for (a, &child) in children.iter().enumerate() {
                    let skipped = match prunes && !shape.ends(child as usize) {
                        true => self.prunable(visit, alive, offset, (a, children.len())),
                        false => 0,
                    };
                    frame.alive[child as usize] = alive & !skipped;
                }
                continue;
            }
            let first = view.row[children[0] as usize] as usize * len;
            let (before, after) = frame.reach.split_at_mut(first);
            let before = &before[view.row[place] as usize * len..][..len];
            let after = &mut after[..children.len() * len];
            let cells = (offset, children.len());
            let edge = visit.edge(place);
            let reached = if is_adversary && street != Street::Preflop {
                let mut kept = std::mem::take(&mut self.answers[street.index() - 1]);
                let (shares, known) = kept.at(edge);
                let missing = alive & !*known;
                let reached = if street == Street::River {
                    if missing != 0 {
                        let tables = resized(&mut scratch.tables, children.len() * count);
                        self.fill(visit, missing, 1 - p, cells, tables);
                        spread(shares, missing, tables, count, local);
                    }
                    lanes::fan_by_hole(after, before, &shares[..children.len() * len])
                } else {
                    let tables = &mut shares[..children.len() * count];
                    if missing != 0 {
                        self.fill(visit, missing, 1 - p, cells, tables);
                    }
                    lanes::fan(after, before, tables, local)
                };
                self.answers[street.index() - 1] = kept;
                reached
            } else {
                let Scratch { tables, mixed, sums, .. } = &mut scratch;
                let mut kept = self.keeps(street, 1 - p).then(|| self.take_learned(street));
                let tables = match &mut kept {
                    Some(kept) => {
                        let (tables, known) = kept.at(edge);
                        *known = alive;
                        &mut tables[..children.len() * count]
                    }
                    None => resized(tables, children.len() * count),
                };
                self.fill(visit, alive, 1 - p, cells, tables);
                let reached = if share > 0.0 {
                    let mixed = resized(mixed, tables.len());
                    let averages = Averages(self.setup.store);
                    for lane in bits(alive) {
                        let block = bundle.block(self.setup.plan, lane);
                        let (first, actions) = cells;
                        let at = |bucket| block.cell(first, bucket);
                        let weight = |cell, a| averages.weight(cell + a);
                        weights(dense, actions, lane, mixed, at, weight);
                    }
                    lanes::normalize(mixed, children.len());
                    let share = Lanes::splat(share);
                    lanes::update(mixed, tables, |average, now| {
                        now.plus(share.times(average.minus(now)))
                    });
                    lanes::fan(after, before, mixed, local)
                } else {
                    lanes::fan(after, before, tables, local)
                };
                if !is_adversary {
                    let sums = resized(sums, count);
                    sums.fill(Lanes::ZERO);
                    lanes::add_by_bucket(sums, before, local);
                    let scale =
                        visit.deal.opponents() * self.averages[street.index()] * visit.share();
                    let scale = masked(alive, scale);
                    let key = self.rounding.bits() as u32;
                    let amounts = changes.of_blocks(Amounts::Averages, amounts.clone());
                    let out = Rounded { amounts, place: visit.place(offset), key, written: 0 };
                    rounded::weigh(out, sums, tables, scale);
                }
                if let Some(kept) = kept {
                    self.learned[street.index() - 1] = kept;
                }
                reached
            };
            for (&child, reached) in children.iter().zip(reached) {
                frame.alive[child as usize] = alive & reached;
            }
        }
        self.scratch = scratch;
    }

    /// Whether what a player plays on a street is kept for the next walk.
    fn keeps(&self, street: Street, player: usize) -> bool {
        self.learner == Some(player) && matches!(street, Street::Flop | Street::Turn)
    }

    fn take_learned(&mut self, street: Street) -> Kept {
        std::mem::take(&mut self.learned[street.index() - 1])
    }

    /// Room for what a player's decisions in a bundle add.
    fn begin_amounts(
        &self,
        kind: Amounts,
        visit: Visit<'_>,
        player: usize,
        changes: &mut Changes,
    ) -> Range<usize> {
        let bundle = visit.bundle;
        let target = |&number: &usize| {
            let block = &self.setup.plan.blocks(bundle.street)[number];
            let (first, pools) = match kind {
                Amounts::Regrets => {
                    let regrets = self.regrets(bundle.street, number, player);
                    (regrets.index(block.base), regrets.pools())
                }
                Amounts::Averages => (block.base, Pools::default()),
            };
            Target { block: block.base, first, width: block.width, pools }
        };
        let board = bundle.street.index() + visit.river;
        changes.add_blocks(kind, bundle.blocks.iter().map(target), board)
    }

    /// Writes the frequencies of a player's actions in some lanes, by its regrets.
    fn fill(
        &self,
        Visit { bundle, dense, .. }: Visit<'_>,
        lanes: u8,
        player: usize,
        (first, actions): (usize, usize),
        tables: &mut [Lanes],
    ) {
        for lane in bits(lanes) {
            let number = bundle.blocks[lane];
            let regrets = self.regrets(bundle.street, number, player);
            let block = bundle.block(self.setup.plan, lane);
            let at = |bucket| regrets.at(block, first, bucket);
            let weight = |at, a| regrets.played(at, a, 0).max(0.0);
            weights(dense, actions, lane, tables, at, weight);
        }
        lanes::normalize(tables, actions);
    }

    /// The lanes in which an action may be skipped: no bucket of the board has any use for it.
    fn prunable(
        &self,
        Visit { bundle, dense, p, .. }: Visit<'_>,
        lanes: u8,
        offset: usize,
        (action, actions): (usize, usize),
    ) -> u8 {
        let below = self.setup.prune_below() as f32;
        let is_prunable = |&lane: &usize| {
            let number = bundle.blocks[lane];
            let regrets = self.regrets(bundle.street, number, p);
            let block = bundle.block(self.setup.plan, lane);
            dense.distinct.iter().all(|&bucket| {
                let at = regrets.at(block, offset, bucket);
                regrets.played(at, action, 0) < below
                    && (0..actions).any(|action| regrets.played(at, action, 0) > 0.0)
            })
        };
        bits(lanes).filter(is_prunable).fold(0, |bits, lane| bits | 1 << lane)
    }

    /// Values a bundle of the next street and copies its values to the nodes that it follows.
    fn below(
        &mut self,
        bundle: &Bundle,
        above: Visit<'_>,
        frame: &mut Frame,
        changes: &mut Changes,
    ) {
        const LEN: usize = TURN_HOLES;
        let Visit { deal, p, .. } = above;
        let from = || bundle.from.iter().enumerate();
        let is_alive = |place: usize, lane: usize| frame.alive[place] >> lane & 1;
        let alive = from().fold(0, |bits, (l, from)| bits | is_alive(from.place, from.lane) << l);
        // Lanes that are not valued are worth nothing.
        for &Origin { place, lane } in &bundle.from {
            if is_alive(place, lane) == 0 && frame.alive[place] != 0 {
                let row = &mut frame.values[place * LEN..][..LEN];
                row.iter_mut().for_each(|value| value.0[lane] = 0.0);
            }
        }
        if alive == 0 {
            return;
        }
        let shape = bundle.shape(self.setup.plan);
        let straight = bundle.straight_from();
        let rows = |place: usize| &frame.reach[above.shape.views[p].row[place] as usize * LEN..];
        let load = |reach: &mut [Lanes]| match straight {
            Some(place) => reach.copy_from_slice(&rows(place)[..LEN]),
            None => {
                reach.fill(Lanes::ZERO);
                for (lane, from) in from().filter(|(lane, _)| alive >> lane & 1 == 1) {
                    lanes::copy_lane(reach, lane, &rows(from.place)[..LEN], from.lane);
                }
            }
        };
        let next = bundle.street.index();
        let visit = Visit { bundle, shape, ..above };
        let mut root = Default::default();
        if bundle.street == Street::River {
            root = std::mem::take(&mut self.river_root);
            let [reach, values] = &mut root;
            load(reach);
            values.fill(Lanes::ZERO);
            for (number, river) in deal.rivers.iter().enumerate() {
                let frame = &mut self.frames[next];
                frame.begin(shape, p, HOLES);
                frame.alive[0] = alive;
                lanes::gather(&mut frame.reach[..HOLES], reach, &river.slots);
                self.visit(Visit { river: number, dense: &river.dense, ..visit }, changes);
                let from = &self.frames[next].values[..HOLES];
                lanes::scatter_weighted(values, from, &river.slots, &river.weights);
            }
        } else {
            let frame = &mut self.frames[next];
            frame.begin(shape, p, LEN);
            frame.alive[0] = alive;
            load(&mut frame.reach[..LEN]);
            self.visit(Visit { dense: &deal.dense[next], ..visit }, changes);
        }
        let values = match bundle.street {
            Street::River => &root[1],
            _ => &self.frames[next].values[..LEN],
        };
        match straight {
            Some(place) if alive == u8::MAX => {
                frame.values[place * LEN..][..LEN].copy_from_slice(values);
            }
            _ => {
                for (lane, from) in from().filter(|(lane, _)| alive >> lane & 1 == 1) {
                    let out = &mut frame.values[from.place * LEN..][..LEN];
                    lanes::copy_lane(out, from.lane, values, lane);
                }
            }
        }
        if bundle.street == Street::River {
            self.river_root = root;
        }
    }
}

/// Where the regrets of every block are pooled, by street.
fn pools(Setup { plan, store, training, .. }: Setup<'_>) -> [Vec<Pools>; 4] {
    let start = store.len() + training.adversary_cells(plan);
    Street::ALL.map(|street| match training.pooling.is_off() {
        true => Vec::new(),
        false => {
            let cells = |(first, size)| PoolCells { first: start + first, size };
            let pools = |number| plan.block_pools(street, number).map(|pools| pools.map(cells));
            (0..plan.blocks(street).len()).map(pools).collect()
        }
    })
}

/// A unit is one board for one of the two players: the walks of the player and, before it, of its
/// adversary.
impl super::Worker for Worker<'_> {
    fn units(batch: &Range<u64>) -> u64 {
        2 * (batch.end - batch.start)
    }

    fn unit(
        &mut self,
        batch: &Range<u64>,
        unit: u64,
        averages: [f32; 4],
        job: Job<'_>,
        changes: &mut Changes,
    ) {
        let (iteration, p) = (batch.start + unit / 2, (unit % 2) as usize);
        let mut random = Random::new(Domain::Training, self.setup.training.seed, iteration);
        self.prunes = self.setup.prunes(iteration, &mut random);
        self.averages = averages;
        self.batch = batch.start;
        let [a, b, c] = spread_flop(self.first_flop, iteration);
        let [d] = random.cards([a, b, c].into_iter().collect());
        let turn = [a, b, c, d];
        let mut dead: CardSet = turn.into_iter().collect();
        let rivers = (0..self.setup.training.rivers).map(|_| {
            let [river] = random.cards(dead);
            dead.insert(river);
            river
        });
        let rivers: Vec<Card> = rivers.collect();
        self.play((&turn, &rivers), iteration, p, job, changes);
    }
}
