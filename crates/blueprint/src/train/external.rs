//! External sampling: a board, two hands, and one action of the opponent at each decision.

use std::ops::Range;

use lethe_cards::{Board, Card, CardSet, Hole, Street, evaluate};
use lethe_compute::Job;

use super::{REGRET_UNIT, Setup};
use crate::changes::{Amounts, Changes, Target};
use crate::plan::{Kind, MAX_ACTIONS};
use crate::random::{Domain, Random};

/// Deals of a unit.
const UNIT: u64 = 64;

/// The state of one thread.
pub(super) struct Worker<'a> {
    setup: Setup<'a>,
    random: Random,
    /// The bucket of each player's hole on each street.
    buckets: [[u32; 2]; 4],
    /// For each player, how many halves of the stakes a showdown pays: 2 for a win, 1 for a tie.
    halves: [f32; 2],
    prunes: bool,
    regret_unit: f32,
    /// What a hand adds to averages, by street.
    pub(super) averages: [f32; 4],
}

impl<'a> Worker<'a> {
    pub(super) fn new(setup: Setup<'a>) -> Worker<'a> {
        Worker {
            setup,
            random: Random::new(Domain::Training, 0, 0),
            buckets: [[0; 2]; 4],
            halves: [1.0; 2],
            prunes: false,
            regret_unit: REGRET_UNIT / setup.big_blind(),
            averages: [0.0; 4],
        }
    }

    /// Deals and plays for both players.
    fn iterate(&mut self, iteration: u64, changes: &mut Changes) {
        self.random = Random::new(Domain::Training, self.setup.training.seed, iteration);
        self.prunes = self.setup.prunes(iteration, &mut self.random);
        let cards: [Card; 9] = self.random.cards(CardSet::EMPTY);
        let holes = [0, 2].map(|i| Hole::new(cards[i], cards[i + 1]).expect("two cards"));
        self.play(holes, cards.last_chunk().expect("nine cards"), changes);
    }

    /// Plays two holes on a board for both players.
    pub(super) fn play(&mut self, holes: [Hole; 2], dealt: &[Card; 5], changes: &mut Changes) {
        for street in Street::ALL {
            let board = Board::new(&dealt[..street.board_len()]).expect("cards differ");
            self.buckets[street.index()] = match street {
                Street::Preflop => holes.map(|hole| hole.class().index() as u32),
                _ => holes.map(|hole| self.setup.buckets.of(hole, &board)),
            };
        }
        let board: CardSet = dealt.iter().copied().collect();
        let [oop, ip] = holes.map(|hole| evaluate(hole.set() | board));
        self.halves = match oop.cmp(&ip) {
            std::cmp::Ordering::Greater => [2.0, 0.0],
            std::cmp::Ordering::Equal => [1.0, 1.0],
            std::cmp::Ordering::Less => [0.0, 2.0],
        };
        for p in [0, 1] {
            self.visit((Street::Preflop, 0), 0, p, changes);
        }
    }

    /// The value of a node for traverser `p`, in chips.
    fn visit(
        &mut self,
        (street, number): (Street, usize),
        place: usize,
        p: usize,
        changes: &mut Changes,
    ) -> f32 {
        let block = &self.setup.plan.blocks(street)[number];
        let (player, offset) = match block.nodes[place].kind {
            Kind::Fold(pays) => return pays[p],
            Kind::Showdown(stakes) => return stakes.lose + self.halves[p] * stakes.half,
            Kind::Next(below) => {
                let next = street.next().expect("the river is last");
                return self.visit((next, below as usize), 0, p, changes);
            }
            Kind::Decision(player, offset) => (player, offset),
        };
        changes.visits += 1;
        let store = self.setup.store;
        let children = block.children(place);
        let first = block.cell(offset, self.buckets[street.index()][player]);
        let target =
            Target { block: block.base, first, width: children.len(), pools: Default::default() };
        let mut shares = [0.0; MAX_ACTIONS];
        let mut total = 0.0;
        for (a, share) in shares[..children.len()].iter_mut().enumerate() {
            *share = store.regret(first + a).max(0) as f32;
            total += *share;
        }
        let even = 1.0 / children.len() as f32;
        for share in &mut shares[..children.len()] {
            *share = if total > 0.0 { *share / total } else { even };
        }
        if player != p {
            let amounts = changes.of_one(Amounts::Averages, target);
            let mut rest = self.random.fraction();
            let mut chosen = children.len() - 1;
            for (a, &share) in shares[..children.len()].iter().enumerate() {
                amounts[a] = self.random.round(share * self.averages[street.index()]);
                if rest >= 0.0 && rest < share {
                    chosen = a;
                }
                rest -= share;
            }
            return self.visit((street, number), children[chosen] as usize, p, changes);
        }
        let mut values = [0.0; MAX_ACTIONS];
        let mut pruned = [false; MAX_ACTIONS];
        let mut mean = 0.0;
        let prunes = self.prunes && street != Street::River && total > 0.0;
        for (a, &child) in children.iter().enumerate() {
            if prunes
                && store.regret(first + a) < self.setup.prune_below()
                && !block.ends(child as usize)
            {
                pruned[a] = true;
                continue;
            }
            values[a] = self.visit((street, number), child as usize, p, changes);
            mean += shares[a] * values[a];
        }
        let amounts = changes.of_one(Amounts::Regrets, target);
        for a in 0..children.len() {
            amounts[a] = match pruned[a] {
                true => 0,
                false => self.random.round((values[a] - mean) * self.regret_unit),
            };
        }
        mean
    }
}

/// A unit is a number of deals.
impl super::Worker for Worker<'_> {
    fn units(batch: &Range<u64>) -> u64 {
        (batch.end - batch.start).div_ceil(UNIT)
    }

    fn unit(
        &mut self,
        batch: &Range<u64>,
        unit: u64,
        averages: [f32; 4],
        _: Job<'_>,
        changes: &mut Changes,
    ) {
        self.averages = averages;
        let first = batch.start + unit * UNIT;
        for iteration in first..batch.end.min(first + UNIT) {
            self.iterate(iteration, changes);
        }
    }
}
