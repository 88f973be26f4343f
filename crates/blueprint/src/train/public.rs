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

use lethe_cards::{Card, CardSet, Street};
use lethe_compute::Job;
use lethe_rows::{NONE, Payout, Terminals};

use super::{Opponent, REGRET_UNIT, Setup, adversary_shift};
use crate::changes::{Changes, Target, padded};
use crate::deal::{Deal, DenseBuckets, HOLES, STRIDE};
use crate::exact::sized;
use crate::kernel::{self, TABLE, Table};
use crate::plan::{Block, Kind, MAX_ACTIONS};
use crate::preflop::Preflop;
use crate::random::{Domain, Random};
use crate::store::{Averages, Regrets, Store, fill_tables};

/// The holes that an opponent can have on a river board.
const OPPONENTS: f32 = (45 * 44 / 2) as f32;
/// Nodes that are processed together: enough lanes to fill vectors, few enough rows to stay in a
/// core's cache.
const GROUP_NODES: usize = 40;

/// A row of zeros.
static NOTHING: [f32; STRIDE] = [0.0; STRIDE];

/// The state of one thread.
pub(super) struct Worker<'a> {
    setup: Setup<'a>,
    deal: Deal,
    terminals: Terminals<f32>,
    /// How amounts are rounded.
    rounding: Random,
    groups: [Group; 4],
    tables: Vec<Table>,
    /// What the adversary responds to.
    mixed: Vec<Table>,
    sums: Vec<Table>,
    payouts: Vec<Payout>,
    prunes: bool,
    /// The player who learns against the adversary; `None` if the players learn from each other.
    learner: Option<usize>,
    /// From the flop on.
    answers: [Answers; 3],
    /// By street: the kind of the board's flop and turn, as the adversary distinguishes them.
    kinds: [usize; 4],
    slack: f32,
    regret_unit: f32,
    /// What a hand adds to averages, by street.
    pub(super) averages: [f32; 4],
    /// By traverser, and whether its opponent is the adversary.
    paid_preflop: [[PaidPreflop; 2]; 2],
    /// The first iteration of the batch: what is kept for it is computed again in the next.
    pub(super) batch: u64,
}

/// What folds and all-ins before the flop pay in a batch, whose iterations all read the same regrets.
#[derive(Default)]
struct PaidPreflop {
    /// The first iteration of the batch.
    batch: Option<u64>,
    /// By node of the block: a value for each starting hand, or nothing where the hand goes on.
    values: Vec<Vec<f32>>,
}

/// What the adversary plays on a street of the board that was dealt, after its own walk: on the river
/// its answers, before it what its regrets recommend with the changes of that walk.
struct Answers {
    /// By block, the first row of its children.
    rows: Vec<usize>,
    /// How far apart rows are.
    stride: usize,
    /// The share of every action, a row for each child: by hole on the river, by bucket before it.
    shares: Vec<f32>,
    /// By row of the first child: whether the decision has an answer on this board. It has none where
    /// the learner never arrives, nor below actions that the adversary skipped.
    answered: Vec<bool>,
}

/// The length of a row of the adversary's answers.
pub(super) fn answer_len(street: Street) -> usize {
    match street {
        Street::River => STRIDE,
        _ => TABLE,
    }
}

impl Answers {
    fn new(setup: &Setup<'_>, street: Street) -> Answers {
        let mut count = 0;
        let rows = setup.plan.blocks(street).iter().map(|block| {
            count += block.edges.len();
            count - block.edges.len()
        });
        let rows = rows.collect();
        let count = if setup.training.opponent == Opponent::Adversary { count } else { 0 };
        let stride = answer_len(street);
        Answers { rows, stride, shares: vec![0.0; count * stride], answered: vec![false; count] }
    }

    /// The shares of a decision's actions, one row after the other, if it has an answer.
    fn get(&self, number: usize, block: &Block, place: usize) -> Option<&[f32]> {
        let first = self.rows[number] + block.first_edge(place);
        self.answered[first].then(|| &self.shares[first * self.stride..])
    }

    /// Marks a decision as answered; the caller writes the shares of its actions here.
    fn begin(&mut self, number: usize, block: &Block, place: usize) -> &mut [f32] {
        let first = self.rows[number] + block.first_edge(place);
        self.answered[first] = true;
        &mut self.shares[first * self.stride..]
    }
}

/// Blocks of one street that are processed together, and their rows.
#[derive(Default)]
struct Group {
    members: Vec<Member>,
    rows: usize,
    nodes: usize,
    /// The opponent's reach.
    reach: Vec<f32>,
    /// The traverser's values, by node.
    values: Vec<f32>,
    /// Nodes that the opponent does not reach or the traverser skips.
    dead: Vec<bool>,
}

/// A block of a group: its number on the street, its first row and first node, and the node of the
/// street before that it follows.
#[derive(Clone, Copy)]
struct Member {
    block: usize,
    row: usize,
    node: usize,
    parent: usize,
}

impl Group {
    fn clear(&mut self) {
        self.members.clear();
        (self.rows, self.nodes) = (0, 0);
    }

    /// Adds a block with the opponent's reach at its root.
    fn push(&mut self, block: usize, parent: usize, sizes: [usize; 2], reach: &[f32]) {
        self.members.push(Member { block, row: self.rows, node: self.nodes, parent });
        let first = self.rows * STRIDE;
        (self.rows, self.nodes) = (self.rows + sizes[0], self.nodes + sizes[1]);
        if self.reach.len() < self.rows * STRIDE {
            self.reach.resize(self.rows * STRIDE, 0.0);
        }
        if self.values.len() < self.nodes * STRIDE {
            self.values.resize(self.nodes * STRIDE, 0.0);
            self.dead.resize(self.nodes, false);
        }
        self.reach[first..first + STRIDE].copy_from_slice(reach);
    }
}

impl<'a> Worker<'a> {
    pub(super) fn new(setup: Setup<'a>) -> Worker<'a> {
        Worker {
            setup,
            deal: Deal::new(setup.buckets),
            terminals: Terminals::new(STRIDE),
            rounding: Random::new(Domain::Rounding, 0, 0),
            groups: Default::default(),
            tables: Vec::new(),
            mixed: Vec::new(),
            sums: Vec::new(),
            payouts: Vec::new(),
            prunes: false,
            learner: None,
            answers: Street::POSTFLOP.map(|street| Answers::new(&setup, street)),
            kinds: [0; 4],
            slack: 0.0,
            regret_unit: REGRET_UNIT / setup.big_blind(),
            averages: [0.0; 4],
            paid_preflop: Default::default(),
            batch: 0,
        }
    }

    /// Plays all hands of a board for player `p`.
    pub(super) fn play(
        &mut self,
        cards: &[Card; 5],
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
        self.deal.set(cards, buckets);
        changes.begin(&self.deal.dense);
        let kind = |cards: &[Card]| adversary.boards.kind(cards);
        self.kinds = [0, kind(&cards[..3]), kind(&cards[..4]), 0];
        match training.opponent {
            Opponent::Same => self.walk(None, p, job, changes),
            Opponent::Adversary => {
                self.walk(Some(p), 1 - p, job, changes);
                self.walk(Some(p), p, job, changes);
            }
        }
    }

    /// Values all blocks for traverser `p`.
    fn walk(&mut self, learner: Option<usize>, p: usize, job: Job<'_>, changes: &mut Changes) {
        self.learner = learner;
        if self.is_adversary(p) {
            self.answers.iter_mut().for_each(|answers| answers.answered.fill(false));
        }
        let mut everything = [0.0; STRIDE];
        everything[..HOLES].fill(1.0 / OPPONENTS);
        let block = &self.setup.plan.blocks(Street::Preflop)[0];
        let group = &mut self.groups[0];
        group.clear();
        group.push(0, 0, [block.views[p].rows, block.nodes.len()], &everything);
        self.group(Street::Preflop, p, job, changes);
    }

    /// Whether a player is the adversary.
    fn is_adversary(&self, player: usize) -> bool {
        self.learner.is_some_and(|learner| learner != player)
    }

    /// The regrets by which a player plays on a street. On the river the adversary has none: where
    /// it has no answer it plays what the strategy plays.
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

    /// Values the blocks of a street's group for traverser `p` and updates regrets and averages; the
    /// values are left in the rows of the blocks' first nodes.
    fn group(&mut self, street: Street, p: usize, job: Job<'_>, changes: &mut Changes) {
        if job.cancelled() {
            return;
        }
        let mut group = std::mem::take(&mut self.groups[street.index()]);
        let dense = std::mem::take(&mut self.deal.dense[street.index()]);
        group.dead[..group.nodes].fill(false);
        for i in 0..group.members.len() {
            self.forward(street, &mut group, i, &dense, p, changes);
        }
        if let Some(next) = street.next() {
            self.below((street, next), &mut group, p, job, changes);
        }
        match street {
            Street::Preflop => self.pay_preflop(&mut group, &dense, p),
            _ => self.pay(street, &mut group, p),
        }
        for i in 0..group.members.len() {
            self.backward(street, &mut group, i, &dense, p, changes);
        }
        self.groups[street.index()] = group;
        self.deal.dense[street.index()] = dense;
    }

    /// The opponent's reach at every node, added to its average strategy unless it is the adversary.
    fn forward(
        &mut self,
        street: Street,
        group: &mut Group,
        i: usize,
        dense: &DenseBuckets,
        p: usize,
        changes: &mut Changes,
    ) {
        let member = group.members[i];
        let block = &self.setup.plan.blocks(street)[member.block];
        let view = &block.views[p];
        let is_adversary = self.is_adversary(1 - p);
        let share = self.average_share(p);
        let regrets = self.regrets(street, member.block, 1 - p);
        let dead = &mut group.dead[member.node..];
        let reach = &mut group.reach[member.row * STRIDE..];
        for (place, node) in block.nodes.iter().enumerate() {
            let Kind::Decision(player, offset) = node.kind else { continue };
            let children = block.children(place);
            if dead[place] {
                children.iter().for_each(|&child| dead[child as usize] = true);
                continue;
            }
            changes.visits += HOLES as u64;
            if player == p {
                if self.prunes && street != Street::River {
                    let own = self.regrets(street, member.block, p);
                    for (a, &child) in children.iter().enumerate() {
                        dead[child as usize] = !block.ends(child as usize)
                            && self.is_prunable(own, block, offset, a, children.len(), dense);
                    }
                }
                continue;
            }
            let first = view.row[children[0] as usize] as usize * STRIDE;
            let (before, after) = reach.split_at_mut(first);
            let before = &before[view.row[place] as usize * STRIDE..][..STRIDE];
            let after = &mut after[..children.len() * STRIDE];
            let answer = match street {
                Street::Preflop => None,
                _ if !is_adversary => None,
                _ => self.answers[street.index() - 1].get(member.block, block, place),
            };
            let tables = sized(&mut self.tables, children.len());
            let sums = &mut sized(&mut self.sums, 1)[0];
            match answer {
                Some(shares) if street == Street::River => kernel::times(after, before, shares),
                Some(shares) => {
                    let tables = &shares.as_chunks().0[..children.len()];
                    kernel::fan(after, STRIDE, before, tables, dense, None);
                }
                None => {
                    fill_tables(&regrets, block, offset, &dense.distinct, tables);
                    sums[..padded(dense.distinct.len())].fill(0.0);
                    let sums = (!is_adversary).then_some(&mut *sums);
                    let mut played = &*tables;
                    if share > 0.0 {
                        let mixed = sized(&mut self.mixed, children.len());
                        let at = (block, offset, &dense.distinct[..]);
                        mix_average(self.setup.store, share, at, tables, mixed);
                        played = mixed;
                    }
                    kernel::fan(after, STRIDE, before, played, dense, sums);
                }
            }
            for (&child, row) in children.iter().zip(after.chunks_exact_mut(STRIDE)) {
                row[HOLES..].fill(0.0);
                dead[child as usize] = kernel::total(row) == 0.0;
            }
            if is_adversary {
                continue;
            }
            let target = Target {
                block: block.base,
                first: block.cell(offset, 0),
                width: block.width,
                actions: children.len(),
            };
            let scale = OPPONENTS * self.averages[street.index()];
            let key = self.rounding.bits() as u32;
            kernel::weigh(changes.averages(target, street), sums, tables, scale, key);
        }
    }

    /// Whether an action may be skipped: no bucket of the board has any use for it.
    fn is_prunable(
        &self,
        regrets: Regrets<'_>,
        block: &Block,
        offset: usize,
        action: usize,
        actions: usize,
        dense: &DenseBuckets,
    ) -> bool {
        let below = self.setup.prune_below();
        dense.distinct.iter().all(|&bucket| {
            let first = block.cell(offset, bucket);
            regrets.get(first + action) < below
                && (first..first + actions).any(|cell| regrets.get(cell) > 0)
        })
    }

    /// Values the blocks of the next street that follow a group.
    fn below(
        &mut self,
        (street, next): (Street, Street),
        group: &mut Group,
        p: usize,
        job: Job<'_>,
        changes: &mut Changes,
    ) {
        let plan = self.setup.plan;
        self.groups[next.index()].clear();
        for i in 0..group.members.len() {
            let member = group.members[i];
            let block = &plan.blocks(street)[member.block];
            for (place, node) in block.nodes.iter().enumerate() {
                let Kind::Next(number) = node.kind else { continue };
                if group.dead[member.node + place] {
                    continue;
                }
                let below = &plan.blocks(next)[number as usize];
                let sizes = [below.views[p].rows, below.nodes.len()];
                let queued = self.groups[next.index()].nodes;
                if queued > 0 && queued + sizes[1] > GROUP_NODES {
                    self.flush(next, group, p, job, changes);
                }
                let row = (member.row + block.views[p].row[place] as usize) * STRIDE;
                let reach = &group.reach[row..row + STRIDE];
                let parent = member.node + place;
                self.groups[next.index()].push(number as usize, parent, sizes, reach);
            }
        }
        self.flush(next, group, p, job, changes);
    }

    /// Values the blocks that are queued and copies their values to the parents.
    fn flush(
        &mut self,
        next: Street,
        group: &mut Group,
        p: usize,
        job: Job<'_>,
        changes: &mut Changes,
    ) {
        if self.groups[next.index()].members.is_empty() {
            return;
        }
        self.group(next, p, job, changes);
        let below = &mut self.groups[next.index()];
        for member in &below.members {
            let from = &below.values[member.node * STRIDE..][..STRIDE];
            group.values[member.parent * STRIDE..][..STRIDE].copy_from_slice(from);
        }
        below.clear();
    }

    /// The values at folds and all-ins before the flop: not on the board that was dealt, but their
    /// known means over all boards.
    fn pay_preflop(&mut self, group: &mut Group, dense: &DenseBuckets, p: usize) {
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
            if values.is_empty() || group.dead[place] {
                continue;
            }
            let row = &mut group.values[place * STRIDE..][..STRIDE];
            for (out, &local) in row.iter_mut().zip(&dense.local) {
                *out = values[dense.distinct[local as usize] as usize];
            }
        }
    }

    /// The values at folds and showdowns.
    fn pay(&mut self, street: Street, group: &mut Group, p: usize) {
        for kind in [0, 1] {
            self.payouts.clear();
            for member in &group.members {
                let view = &self.setup.plan.blocks(street)[member.block].views[p];
                let alive = |to: u32| to == NONE || !group.dead[member.node + to as usize];
                let moved = |to: u32| if to == NONE { NONE } else { to + member.node as u32 };
                let payouts = view.payouts.kinds()[kind].iter();
                let payouts = payouts.filter(|payout| alive(payout.show) && alive(payout.fold));
                self.payouts.extend(payouts.map(|payout| Payout {
                    row: payout.row + member.row as u32,
                    show: moved(payout.show),
                    fold: moved(payout.fold),
                    ..*payout
                }));
            }
            let seat = self.deal.ranked.seat();
            self.terminals.pay(seat, &self.payouts, &group.reach, &mut group.values);
        }
    }

    /// Values up to the block's root, and the traverser's regrets.
    fn backward(
        &mut self,
        street: Street,
        group: &mut Group,
        i: usize,
        dense: &DenseBuckets,
        p: usize,
        changes: &mut Changes,
    ) {
        let member = group.members[i];
        let block = &self.setup.plan.blocks(street)[member.block];
        let regrets = self.regrets(street, member.block, p);
        let dead = &group.dead[member.node..];
        let values = &mut group.values[member.node * STRIDE..];
        let tree = self.setup.plan.tree();
        for (place, node) in block.nodes.iter().enumerate().rev() {
            let Kind::Decision(player, offset) = node.kind else { continue };
            if dead[place] {
                continue;
            }
            let children = block.children(place);
            let (before, after) = values.split_at_mut((place + 1) * STRIDE);
            let out = &mut before[place * STRIDE..];
            let row = |child: u32| &after[(child as usize - place - 1) * STRIDE..][..STRIDE];
            if player != p {
                let mut rows = [&[][..]; MAX_ACTIONS];
                let alive = children.iter().filter(|&&child| !dead[child as usize]);
                let count =
                    rows.iter_mut().zip(alive).map(|(out, &child)| *out = row(child)).count();
                kernel::sum(out, &rows[..count]);
                continue;
            }
            if street == Street::River && self.is_adversary(p) {
                let mut rows = [&[][..]; MAX_ACTIONS];
                rows.iter_mut().zip(children).for_each(|(out, &child)| *out = row(child));
                let reach = (member.row + block.views[p].row[place] as usize) * STRIDE;
                let reach = kernel::total(&group.reach[reach..reach + STRIDE]);
                let slack = (self.slack * tree.pot(node.id) as f32 * reach).max(f32::MIN_POSITIVE);
                let shares = self.answers[2].begin(member.block, block, place);
                kernel::answer(&mut out[..STRIDE], &rows[..children.len()], shares, slack);
                continue;
            }
            let count = padded(dense.distinct.len());
            let tables = sized(&mut self.tables, children.len());
            fill_tables(&regrets, block, offset, &dense.distinct, tables);
            let sums = sized(&mut self.sums, children.len());
            sums.iter_mut().for_each(|sums| sums[..count].fill(0.0));
            let mut rows = [&[][..]; MAX_ACTIONS];
            for (out, &child) in rows.iter_mut().zip(children) {
                // A pruned action is never played, so its value does not matter.
                *out = if dead[child as usize] { &NOTHING } else { row(child) };
            }
            let rows = &rows[..children.len()];
            kernel::mix(out, rows, tables, dense, sums);
            let target = Target {
                block: block.base,
                first: regrets.index(block.cell(offset, 0)),
                width: block.width,
                actions: children.len(),
            };
            let key = self.rounding.bits() as u32;
            let amounts = changes.regrets(target, street);
            kernel::regret(amounts, sums, tables, self.regret_unit, key);
            let row = amounts.len() / children.len();
            for (amounts, &child) in amounts.chunks_exact_mut(row).zip(children) {
                if dead[child as usize] {
                    amounts.fill(0);
                }
            }
            if street != Street::Preflop && self.is_adversary(p) {
                let amounts = amounts.chunks_exact(row);
                let answers = &mut self.answers[street.index() - 1];
                let answer = answers.begin(member.block, block, place).as_chunks_mut().0;
                let answer = &mut answer[..children.len()];
                for ((a, amounts), table) in amounts.enumerate().zip(&mut *answer) {
                    let buckets = dense.distinct.iter().zip(amounts);
                    for ((&bucket, &amount), out) in buckets.zip(table) {
                        let regret = regrets.get(block.cell(offset, bucket) + a);
                        *out = regret.saturating_add(amount).max(0) as f32;
                    }
                }
                kernel::normalize(answer, dense.distinct.len());
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
        let cards = random.cards(CardSet::EMPTY);
        self.play(&cards, iteration, p, job, changes);
    }
}
