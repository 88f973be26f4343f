//! Public chance sampling: one board per iteration, and every hand of both players on it.
//!
//! Against an adversary each player learns in a game of its own. First the adversary's values are
//! computed. Before the river it learns, seeing the same buckets and the texture of the board. On the
//! river it responds, seeing its cards and the player's strategy. Then the player is valued against
//! that response, and on flop and turn against what the adversary has just learned. The response is
//! not quite the best one: it mixes in actions that are nearly as good. Otherwise it would jump from
//! board to board, and the player, who sees only buckets, would follow. Nor is it one to what the
//! player does now, which is noisy, but to a mixture of that and the player's average strategy.

use std::ops::Range;
use std::sync::Arc;

use lethe_cards::{Card, CardSet, Street};
use lethe_compute::Job;
use lethe_compute::simd::LANES;
use lethe_rows::{CardSums, NONE, Payout, Summand};

use super::bundles::{Bundle, Bundles, Origin};
use super::{Opponent, REGRET_UNIT, Setup, adversary_shift};
use crate::changes::{Amounts, Changes, Target};
use crate::deal::{Deal, DenseBuckets, HOLES, TURN_HOLES};
use crate::exact::sized;
use crate::kernel::{self, Table};
use crate::lanes::{self, Lanes, Place, Row};
use crate::plan::{Block, Kind, MAX_ACTIONS, Plan};
use crate::preflop::Preflop;
use crate::random::{Domain, Random};
use crate::sample::spread_flop;
use crate::store::{Averages, Regrets, Store, Weights, fill_tables};

/// A row of zeros.
static NOTHING: [Lanes; TURN_HOLES] = [Lanes::ZERO; TURN_HOLES];

/// The length of a street's rows: before the river all holes that the turn leaves have an entry.
fn row_len(street: Street) -> usize {
    match street {
        Street::River => HOLES,
        _ => TURN_HOLES,
    }
}

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

/// What a player plays on a street of the board that was dealt, kept from one walk for the next.
#[derive(Default)]
struct Kept {
    /// The shares of every action, a row for each edge of the street's bundles on each of its boards.
    shares: Row,
    /// The length of a row.
    len: usize,
    /// By first edge of a decision: the lanes whose shares are known, a bit each.
    known: Vec<u8>,
}

impl Kept {
    fn new(edges: usize, len: usize) -> Kept {
        Kept { shares: vec![Lanes::ZERO; edges * len], len, known: vec![0; edges] }
    }

    /// The shares of a decision's actions: tables or rows one after the other, from the first on.
    fn at(&mut self, edge: usize) -> (&mut [Lanes], &mut u8) {
        (&mut self.shares[edge * self.len..], &mut self.known[edge])
    }
}

/// The bundle of a street that is being walked, and its rows.
#[derive(Default)]
struct Frame {
    /// The opponent's reach.
    reach: Row,
    /// The traverser's values, by node.
    values: Row,
    /// By node: the lanes that the opponent reaches and the traverser does not skip, a bit each.
    alive: Vec<u8>,
}

impl Frame {
    /// Makes room for this block's rows of a length.
    fn begin(&mut self, block: &Block, p: usize, len: usize) {
        let (rows, nodes) = (block.views[p].rows, block.nodes.len());
        if self.reach.len() < rows * len {
            self.reach.resize(rows * len, Lanes::ZERO);
        }
        if self.values.len() < nodes * len {
            self.values.resize(nodes * len, Lanes::ZERO);
        }
        self.alive.clear();
        self.alive.resize(nodes, 0);
    }
}

/// A bundle that is walked for a traverser.
#[derive(Clone, Copy)]
struct Visit<'v> {
    bundles: &'v Bundles,
    bundle: &'v Bundle,
    /// The block of the first lane, whose nodes and edges stand for those of all.
    shape: &'v Block,
    deal: &'v Deal,
    /// Which of the rivers; 0 before the river.
    river: usize,
    dense: &'v DenseBuckets,
    /// The traverser.
    p: usize,
    job: Job<'v>,
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
            return Regrets::of(store);
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
                        weights(&averages, block, cells, dense, lane, mixed);
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
                    lanes::weigh(amounts, visit.place(offset), sums, tables, scale, key);
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
            let first = match kind {
                Amounts::Regrets => self.regrets(bundle.street, number, player).index(block.base),
                Amounts::Averages => block.base,
            };
            Target { block: block.base, first, width: block.width }
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
        cells: (usize, usize),
        tables: &mut [Lanes],
    ) {
        for lane in bits(lanes) {
            let number = bundle.blocks[lane];
            let regrets = self.regrets(bundle.street, number, player);
            let block = bundle.block(self.setup.plan, lane);
            weights(&regrets, block, cells, dense, lane, tables);
        }
        lanes::normalize(tables, cells.1);
    }

    /// The lanes in which an action may be skipped: no bucket of the board has any use for it.
    fn prunable(
        &self,
        Visit { bundle, dense, p, .. }: Visit<'_>,
        lanes: u8,
        offset: usize,
        (action, actions): (usize, usize),
    ) -> u8 {
        let below = self.setup.prune_below();
        let is_prunable = |&lane: &usize| {
            let number = bundle.blocks[lane];
            let regrets = self.regrets(bundle.street, number, p);
            let block = bundle.block(self.setup.plan, lane);
            dense.distinct.iter().all(|&bucket| {
                let first = block.cell(offset, bucket);
                regrets.get(first + action) < below
                    && (first..first + actions).any(|cell| regrets.get(cell) > 0)
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

    /// The values at folds and all-ins before the flop: not on the board that was dealt, but their
    /// known means over all boards.
    fn pay_preflop(&mut self, Visit { dense, deal, p, .. }: Visit<'_>, frame: &mut Frame) {
        let regrets = self.regrets(Street::Preflop, 0, 1 - p);
        let (store, share) = (self.setup.store, self.average_share(p));
        let block = &self.setup.plan.blocks(Street::Preflop)[0];
        let paid = &mut self.paid_preflop[p][usize::from(self.learner == Some(p))];
        if paid.batch != Some(self.batch) {
            let mut now = Vec::new();
            let preflop =
                Preflop::by(self.setup.plan, p, |block, offset, classes, tables| match share {
                    0.0 => fill_tables(&regrets, block, offset, classes, tables),
                    _ => {
                        let now = sized(&mut now, tables.len());
                        fill_tables(&regrets, block, offset, classes, now);
                        mix_average(store, share, (block, offset, classes), now, tables);
                    }
                });
            paid.batch = Some(self.batch);
            paid.values.clear();
            paid.values.extend(block.nodes.iter().enumerate().map(|(place, node)| {
                let values = match node.kind {
                    Kind::Fold(pays) => preflop.met(place).fold(pays[p]),
                    Kind::Showdown(stakes) => preflop.met(place).showdown(stakes),
                    Kind::Decision(..) | Kind::Next(_) => return Vec::new(),
                };
                values.iter().map(|&value| value as f32).collect()
            }));
        }
        for (place, values) in paid.values.iter().enumerate() {
            if values.is_empty() || frame.alive[place] == 0 {
                continue;
            }
            let row = &mut frame.values[place * TURN_HOLES..][..TURN_HOLES];
            for (out, &local) in row.iter_mut().zip(&dense.local) {
                out.0[0] = values[dense.distinct[local as usize] as usize];
            }
            deal.blocked.iter().for_each(|&slot| row[slot as usize] = Lanes::ZERO);
        }
    }

    /// The values at folds and showdowns of the river.
    fn pay(&mut self, visit: Visit<'_>, frame: &mut Frame) {
        let seat = visit.deal.rivers[visit.river].ranked.seat();
        let (plan, sums) = (self.setup.plan, &mut self.scratch.card_sums);
        let Frame { reach, values, alive } = frame;
        for paid in visit.payouts(plan, alive) {
            let row = |node: u32| node as usize * HOLES..(node as usize + 1) * HOLES;
            let reach = &reach[row(paid.row)];
            if let Some((node, stakes)) = paid.show {
                lanes::show(seat, sums, reach, stakes, &mut values[row(node)]);
            }
            if let Some((node, pay)) = paid.fold {
                let is_summed = paid.show.is_some();
                lanes::fold(seat, sums, is_summed, reach, pay, &mut values[row(node)]);
            }
        }
    }

    /// The values at folds and all-ins of flop and turn: all-ins are the mean over the rivers that were
    /// dealt.
    fn pay_before_river(&mut self, visit: Visit<'_>, frame: &mut Frame) {
        let Visit { deal, .. } = visit;
        let Scratch { card_sums: sums, all_in: [river_reach, river_values], .. } =
            &mut self.scratch;
        let Frame { reach, values, alive } = frame;
        for paid in visit.payouts(self.setup.plan, alive) {
            let row = |node: u32| node as usize * TURN_HOLES..(node as usize + 1) * TURN_HOLES;
            let reach = &reach[row(paid.row)];
            if let Some((node, stakes)) = paid.show {
                let out = &mut values[row(node)];
                out.fill(Lanes::ZERO);
                for river in &deal.rivers {
                    lanes::gather(river_reach, reach, &river.slots);
                    lanes::show(river.ranked.seat(), sums, river_reach, stakes, river_values);
                    lanes::scatter_weighted(out, river_values, &river.slots, &river.weights);
                }
            }
            if let Some((node, pay)) = paid.fold {
                let out = &mut values[row(node)];
                lanes::fold(deal.seat(), sums, false, reach, pay, out);
                deal.blocked.iter().for_each(|&slot| out[slot as usize] = Lanes::ZERO);
            }
        }
    }

    /// Values up to the bundle's root, and the traverser's regrets.
    fn backward(&mut self, visit: Visit<'_>, frame: &mut Frame, changes: &mut Changes) {
        let Visit { bundle, shape, dense, p, .. } = visit;
        let len = row_len(bundle.street);
        let (street, plan) = (bundle.street, self.setup.plan);
        let (count, local) = (dense.distinct.len(), &dense.local[..]);
        let is_adversary = self.is_adversary(p);
        let answers_by_hole = street == Street::River && is_adversary;
        let amounts = match answers_by_hole {
            true => 0..0,
            false => self.begin_amounts(Amounts::Regrets, visit, p, changes),
        };
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut answers = match (street, is_adversary) {
            (Street::Preflop, _) | (_, false) => None,
            _ => Some(std::mem::take(&mut self.answers[street.index() - 1])),
        };
        let mut learned = self.keeps(street, p).then(|| self.take_learned(street));
        let Frame { reach, values, alive } = frame;
        for (place, node) in shape.nodes.iter().enumerate().rev() {
            let Kind::Decision(player, offset) = node.kind else { continue };
            let lanes = alive[place];
            if lanes == 0 {
                continue;
            }
            let children = shape.children(place);
            let (before, after) = values.split_at_mut((place + 1) * len);
            let out = &mut before[place * len..];
            let mut rows = [&[][..]; MAX_ACTIONS];
            let mut valued = 0;
            for &child in children {
                if player == p || alive[child as usize] != 0 {
                    // A pruned action is never played, so its value does not matter.
                    rows[valued] = match alive[child as usize] {
                        0 => &NOTHING[..len],
                        _ => &after[(child as usize - place - 1) * len..][..len],
                    };
                    valued += 1;
                }
            }
            let rows = &rows[..valued];
            if player != p {
                lanes::sum(out, rows);
                continue;
            }
            let edge = visit.edge(place);
            if answers_by_hole {
                let reach = &reach[shape.views[p].row[place] as usize * len..][..len];
                let reach = lanes::total(reach);
                let mut slack = Lanes::splat(f32::MIN_POSITIVE);
                for lane in bits(lanes) {
                    let node = bundle.block(plan, lane).nodes[place].id;
                    let pot = plan.tree().pot(node) as f32;
                    slack.0[lane] = (self.slack * pot * reach.0[lane]).max(f32::MIN_POSITIVE);
                }
                let (shares, known) = answers.as_mut().expect("an adversary").at(edge);
                *known = lanes;
                lanes::answer(out, rows, &mut shares[..children.len() * len], slack);
                continue;
            }
            let cells = (offset, children.len());
            let Scratch { tables, sums, .. } = &mut scratch;
            let (tables, missing) = match &mut learned {
                Some(learned) => {
                    let (tables, known) = learned.at(edge);
                    (&mut tables[..children.len() * count], lanes & !*known)
                }
                None => (resized(tables, children.len() * count), lanes),
            };
            if missing != 0 {
                self.fill(visit, missing, p, cells, tables);
            }
            lanes::mix(out, rows, tables, local);
            let sums = resized(sums, children.len() * count);
            sums.fill(Lanes::ZERO);
            for (sums, row) in sums.chunks_exact_mut(count).zip(rows) {
                lanes::add_by_bucket(sums, row, local);
            }
            let at = visit.place(offset);
            let scale = masked(lanes, self.regret_unit * visit.share());
            let key = self.rounding.bits() as u32;
            let amounts = changes.of_blocks(Amounts::Regrets, amounts.clone());
            lanes::regret(amounts, at, sums, tables, scale, key);
            // Nothing is learned of actions that were skipped.
            for (a, &child) in children.iter().enumerate() {
                for lane in bits(lanes & !alive[child as usize]) {
                    let block = &mut amounts[lane * count * at.width..][..count * at.width];
                    block.iter_mut().skip(offset + a).step_by(at.width).for_each(|x| *x = 0);
                }
            }
            if let Some(answers) = &mut answers {
                let (answer, known) = answers.at(edge);
                let answer = &mut answer[..children.len() * count];
                answer.fill(Lanes::ZERO);
                *known = lanes;
                for lane in bits(lanes) {
                    let block = bundle.block(plan, lane);
                    let regrets = self.regrets(street, bundle.blocks[lane], p);
                    let amounts = amounts[lane * count * at.width..].chunks_exact(at.width);
                    for (i, (&bucket, amounts)) in dense.distinct.iter().zip(amounts).enumerate() {
                        let first = block.cell(offset, bucket);
                        for (a, &amount) in amounts[offset..][..children.len()].iter().enumerate() {
                            let regret = regrets.get(first + a).saturating_add(amount);
                            answer[a * count + i].0[lane] = regret.max(0) as f32;
                        }
                    }
                }
                lanes::normalize(answer, children.len());
            }
        }
        self.scratch = scratch;
        if let Some(answers) = answers {
            self.answers[street.index() - 1] = answers;
        }
        if let Some(learned) = learned {
            self.learned[street.index() - 1] = learned;
        }
    }
}

/// What a row of the opponent's reach is paid: nodes with what they pay in each lane.
struct Paid {
    row: u32,
    /// Half the stakes, and what a loss costs.
    show: Option<(u32, [Lanes; 2])>,
    fold: Option<(u32, Lanes)>,
}

impl<'v> Visit<'v> {
    /// The share of this board in the boards of its street that were dealt.
    fn share(&self) -> f32 {
        match self.bundle.street {
            Street::River => 1.0 / self.deal.rivers.len() as f32,
            _ => 1.0,
        }
    }

    /// The first edge of a decision among those of all bundles and boards of the street.
    fn edge(&self, place: usize) -> usize {
        let before = self.river * self.bundles.edges(self.bundle.street);
        before + self.bundle.first_edge + self.shape.first_edge(place)
    }

    /// What is paid at the nodes that are alive.
    fn payouts(self, plan: &'v Plan, alive: &'v [u8]) -> impl Iterator<Item = Paid> {
        let is_alive = move |node: u32| node != NONE && alive[node as usize] != 0;
        let kinds = self.shape.views[self.p].payouts.kinds().into_iter().enumerate();
        let all = kinds.flat_map(|(kind, of_kind)| {
            of_kind.iter().enumerate().map(move |(number, payout)| (kind, number, payout))
        });
        all.filter(move |(_, _, payout)| is_alive(payout.show) || is_alive(payout.fold)).map(
            move |(kind, number, &Payout { row, show, fold, .. })| {
                let of = |pay: fn(&Payout) -> f32| {
                    Lanes::of(&self.bundle.blocks, |&block| {
                        let view = &plan.blocks(self.bundle.street)[block].views[self.p];
                        pay(&view.payouts.kinds()[kind][number])
                    })
                };
                let stakes = || [of(|payout| payout.stakes.half), of(|payout| payout.stakes.lose)];
                Paid {
                    row,
                    show: is_alive(show).then(|| (show, stakes())),
                    fold: is_alive(fold).then(|| (fold, of(|payout| payout.fold_pay))),
                }
            },
        )
    }

    /// Where a decision's amounts are in those of the bundle.
    fn place(&self, offset: usize) -> Place {
        Place { buckets: self.dense.distinct.len(), width: self.shape.width, offset }
    }
}

/// The numbers of the bits that are set.
fn bits(mask: u8) -> impl Iterator<Item = usize> + Clone {
    (0..LANES).filter(move |lane| mask >> lane & 1 == 1)
}

/// A number in some lanes, and zero in the others.
fn masked(lanes: u8, number: f32) -> Lanes {
    let mut out = Lanes::ZERO;
    bits(lanes).for_each(|lane| out.0[lane] = number);
    out
}

/// A vector of at least this length, as a slice of it.
fn resized(row: &mut Row, len: usize) -> &mut [Lanes] {
    if row.len() < len {
        row.resize(len, Lanes::ZERO);
    }
    &mut row[..len]
}

/// Writes the weights of a decision's actions, whose cells are `(first, count)` of a bucket's, to a
/// lane of its tables.
fn weights<W: Weights>(
    weights: &W,
    block: &Block,
    (offset, actions): (usize, usize),
    dense: &DenseBuckets,
    lane: usize,
    tables: &mut [Lanes],
) {
    let count = dense.distinct.len();
    for (i, &bucket) in dense.distinct.iter().enumerate() {
        let first = block.cell(offset, bucket);
        for a in 0..actions {
            tables[a * count + i].0[lane] = weights.weight(first + a);
        }
    }
}

/// Writes the frequencies of a decision's actions in some lanes by hole.
fn spread(shares: &mut [Lanes], lanes: u8, tables: &[Lanes], count: usize, local: &[u16]) {
    for (shares, table) in shares.chunks_exact_mut(HOLES).zip(tables.chunks_exact(count)) {
        for (share, &local) in shares.iter_mut().zip(local) {
            for lane in bits(lanes) {
                share.0[lane] = table[local as usize].0[lane];
            }
        }
    }
}

/// Writes the frequencies of a decision's actions in a mixture of the average strategy, which has this
/// share, and of what is played `now`.
fn mix_average(
    store: &Store,
    share: f32,
    (block, offset, buckets): (&Block, usize, &[u32]),
    now: &[Table],
    mixed: &mut [Table],
) {
    fill_tables(&Averages(store), block, offset, buckets, mixed);
    kernel::mix_into(mixed, now, share, buckets.len());
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
