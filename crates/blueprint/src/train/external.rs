//! External sampling: a board, two hands, and one action of the opponent at each decision.

use lethe_cards::{Board, Card, CardSet, Hole, Street, evaluate};

use super::{AVERAGE_UNIT, REGRET_UNIT, Trainer};
use crate::plan::{Kind, MAX_ACTIONS};
use crate::random::Random;

/// The state of one thread.
pub(super) struct Worker<'a> {
    trainer: &'a Trainer<'a>,
    random: Random,
    /// The bucket of each player's hole on each street.
    buckets: [[u32; 2]; 4],
    /// For each player, how many halves of the stakes a showdown pays: 2 for a win, 1 for a tie.
    halves: [f32; 2],
    prunes: bool,
    regret_unit: f32,
    pub(super) visits: u64,
}

impl<'a> Worker<'a> {
    pub(super) fn new(trainer: &'a Trainer<'a>) -> Worker<'a> {
        Worker {
            trainer,
            random: Random::new(0, 0),
            buckets: [[0; 2]; 4],
            halves: [1.0; 2],
            prunes: false,
            regret_unit: REGRET_UNIT / trainer.big_blind(),
            visits: 0,
        }
    }

    /// Plays one deal for both players.
    pub(super) fn iterate(&mut self, iteration: u64) {
        self.random = Random::new(self.trainer.training.seed, iteration);
        self.prunes = self.trainer.prunes(iteration, &mut self.random);
        let cards: [Card; 9] = self.random.cards(CardSet::EMPTY);
        let holes = [0, 2].map(|i| Hole::new(cards[i], cards[i + 1]).expect("two cards"));
        let dealt = &cards[4..];
        for street in Street::ALL {
            let board = Board::new(&dealt[..street.board_len()]).expect("cards differ");
            self.buckets[street.index()] = match street {
                Street::Preflop => holes.map(|hole| hole.class().index() as u32),
                _ => holes.map(|hole| self.trainer.buckets.of(hole, &board)),
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
            self.visit(Street::Preflop, 0, 0, p);
        }
    }

    /// The value of a node for traverser `p`, in chips.
    fn visit(&mut self, street: Street, number: usize, place: usize, p: usize) -> f32 {
        let block = &self.trainer.plan.blocks(street)[number];
        let (player, offset) = match block.nodes[place].kind {
            Kind::Fold(pays) => return pays[p],
            Kind::Showdown(stakes) => return stakes.lose + self.halves[p] * stakes.half,
            Kind::Next(below) => {
                let next = street.next().expect("the river is last");
                return self.visit(next, below as usize, 0, p);
            }
            Kind::Decision(player, offset) => (player, offset),
        };
        self.visits += 1;
        let store = self.trainer.store;
        let children = block.children(place);
        let first = block.cell(offset, self.buckets[street.index()][player]);
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
            let mut rest = self.random.fraction();
            let mut chosen = children.len() - 1;
            for (a, &share) in shares[..children.len()].iter().enumerate() {
                let amount = self.random.round(share * AVERAGE_UNIT);
                store.add_average(first + a, amount as u32);
                if rest >= 0.0 && rest < share {
                    chosen = a;
                }
                rest -= share;
            }
            return self.visit(street, number, children[chosen] as usize, p);
        }
        let mut values = [0.0; MAX_ACTIONS];
        let mut pruned = [false; MAX_ACTIONS];
        let mut mean = 0.0;
        let prunes = self.prunes && street != Street::River && total > 0.0;
        for (a, &child) in children.iter().enumerate() {
            if prunes
                && store.regret(first + a) < self.trainer.prune_below()
                && !block.ends(child as usize)
            {
                pruned[a] = true;
                continue;
            }
            values[a] = self.visit(street, number, child as usize, p);
            mean += shares[a] * values[a];
        }
        for a in (0..children.len()).filter(|&a| !pruned[a]) {
            let regret = (values[a] - mean) * self.regret_unit;
            store.add_regret(first + a, self.random.round(regret));
        }
        mean
    }
}
