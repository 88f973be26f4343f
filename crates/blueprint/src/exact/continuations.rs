//! What pairs of holes win from the end of the flop's betting on, if the players continue by the strategy or
//! by one that leans to folding, calling or raising: the leaf values of a depth-limited solve.
//!
//! For a line that ends the flop, a matrix has the value of every hole of the big blind against every
//! hole of the small blind, the mean over turn and river. It is a sum over boards and over the lines
//! that follow; on one board the pairs are weighted by products of what each of the two holes does, so
//! only the sign of the showdown is a matter of both. One player at a time leans, so there are seven
//! matrices, computed side by side in the lanes of vectors.

use lethe_cards::{Board, Card, Deck, Hole, Street, SuitMap, Symmetry};
use lethe_compute::simd::{self, Kernel};
use lethe_compute::{Cancelled, Job};
use lethe_game::{Action, NodeId};
use lethe_rows::{DeckMap, Summand};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Exact;
use crate::deal::{HOLES, Ranked, fill};
use crate::plan::{Block, Kind};
use crate::store::Weights;

/// A number for each pair of continuations.
type Lanes = lethe_rows::Lanes<f32>;

/// A way to continue after the flop: the strategy, or one that does a kind of action more often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bias {
    /// The strategy itself.
    None,
    /// Leans to folding.
    Fold,
    /// Leans to checking and calling.
    Call,
    /// Leans to betting and raising.
    Raise,
}

/// How many times as often, before shares are made to add up again, a kind of action is taken.
const LEAN: f32 = 5.0;

impl Bias {
    /// All of them.
    pub const ALL: [Bias; 4] = [Bias::None, Bias::Fold, Bias::Call, Bias::Raise];

    fn favours(self, action: Action) -> bool {
        match action {
            Action::Fold => self == Bias::Fold,
            Action::Check | Action::Call => self == Bias::Call,
            Action::Bet(_) | Action::Raise(_) | Action::AllIn(_) => self == Bias::Raise,
        }
    }

    /// Leans the shares of a decision's actions, which then add up to one.
    pub fn apply(self, actions: &[Action], shares: &mut [f32]) {
        let total: f32 = shares.iter().sum();
        if total <= 0.0 {
            shares.fill(1.0);
        }
        for (share, &action) in shares.iter_mut().zip(actions) {
            *share *= if self.favours(action) { LEAN } else { 1.0 };
        }
        let total: f32 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total);
    }
}

/// The biases of big blind and small blind in each lane. The last lane repeats the first.
const LANE_BIASES: [[usize; 2]; 8] =
    [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [2, 0], [3, 0], [0, 0]];

/// What pairs of holes win, in chips counted from before the blinds, from the big blind's view: the
/// entry of the big blind's slot and the small blind's on the flop is at `slot * holes + slot`. 0 where
/// the holes share a card.
#[derive(Clone, Debug, PartialEq)]
pub struct PairValues {
    /// The holes that the flop leaves.
    pub holes: usize,
    /// By rows.
    pub values: Vec<f32>,
}

/// The values of a line that ends the flop, if one of the players leans.
#[derive(Clone, Debug)]
pub struct Continuations {
    by_lane: Vec<PairValues>,
}

impl Continuations {
    /// The values if a player, 0 for the big blind and 1 for the small blind, continues with this bias
    /// and the other one with none.
    pub fn of(&self, player: usize, bias: Bias) -> &PairValues {
        let mut biases = [0; 2];
        biases[player] = bias as usize;
        let lane = LANE_BIASES.iter().position(|&lane| lane == biases);
        &self.by_lane[lane.expect("one player leans at most")]
    }

    /// The same, one after the other, without a copy.
    pub fn into_player(self, player: usize) -> Vec<PairValues> {
        let wanted = Bias::ALL.map(|bias| {
            let mut biases = [0; 2];
            biases[player] = bias as usize;
            LANE_BIASES.iter().position(|&lane| lane == biases).expect("one player leans at most")
        });
        let mut all: Vec<Option<PairValues>> = self.by_lane.into_iter().map(Some).collect();
        wanted.iter().map(|&lane| all[lane].take().expect("each once")).collect()
    }
}

impl<W: Weights + ?Sized> Exact<'_, W> {
    /// What pairs of holes win after a line that ends the flop's betting and is followed by `start`, the
    /// first decision of the turn. The mean is over all turns, and over all rivers or about
    /// `rivers` of them after each turn.
    ///
    /// # Panics
    /// If `start` is not the first decision of the turn or the board is not a flop.
    pub fn continuations(
        &self,
        flop: &Board,
        start: NodeId,
        rivers: Option<u32>,
        job: Job<'_>,
    ) -> Result<Continuations, Cancelled> {
        let (block, place) = self.plan.place(start);
        assert!(place == 0 && flop.street() == Street::Flop, "a line that ends the flop");
        let block = &self.plan.blocks(Street::Turn)[block];
        let mut sums = PairSums::<Lanes>::new(flop);
        let symmetry = Symmetry::of(flop.set());
        for (number, next) in symmetry.next_cards(flop.set()).enumerate() {
            let board = flop.with(next.card).expect("a new card");
            let after = symmetry.after(next.card);
            let rivers = sampled(&board, after, rivers, number);
            let turn = self.turn(&board, block, &rivers);
            for &(river, weight) in &rivers {
                sums.count([next.card, river], weight * f64::from(next.multiplicity));
            }
            sums.add(&board, job, |slot, row| turn.add(slot, next.multiplicity as f32, row))?;
        }
        let lanes = (0..LANE_BIASES.len() - 1).into_par_iter();
        let by_lane = lanes.map(|lane| sums.mean(symmetry, |x| x.0[lane]));
        Ok(Continuations { by_lane: job.install(|| by_lane.collect()) })
    }

    /// Prepares the boards of a turn.
    fn turn(&self, board: &Board, block: &Block, rivers: &[(Card, f64)]) -> TurnPairs {
        let deck = Deck::without(board.set());
        let mut buckets = vec![0; deck.holes_len()];
        fill(self.buckets, board, &mut buckets);
        let shares = self.reaches(block, &buckets);
        let mut turn = TurnPairs {
            folds: Vec::new(),
            all_ins: Vec::new(),
            lines: Vec::new(),
            rivers: Vec::new(),
        };
        let mut blocks = Vec::new();
        for (place, node) in block.nodes.iter().enumerate() {
            let pair = || shares[place].clone();
            match node.kind {
                Kind::Fold(pays) => turn.folds.push((pair(), pays[0])),
                Kind::Showdown(stakes) => turn.all_ins.push((pair(), stakes.half)),
                Kind::Next(next) => {
                    turn.lines.push(pair());
                    blocks.push(&self.plan.blocks(Street::River)[next as usize]);
                }
                Kind::Decision(..) => {}
            }
        }
        let prepared = rivers.par_iter().map(|&(card, weight)| {
            let dealt = board.with(card).expect("a new card");
            self.river(&dealt, &deck, weight as f32, &blocks)
        });
        turn.rivers = prepared.collect();
        turn
    }

    fn river(&self, board: &Board, turn: &Deck, weight: f32, blocks: &[&Block]) -> RiverPairs {
        let mut ranked = Ranked::new();
        ranked.set(board.set());
        let mut slots = vec![0; HOLES];
        ranked.slots_in(turn, &mut slots);
        let mut row = vec![0; HOLES];
        fill(self.buckets, board, &mut row);
        let by_entry: Vec<u32> = ranked.slots.iter().map(|&slot| row[slot as usize]).collect();
        let mut distinct = by_entry.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let place = |bucket: &u32| distinct.binary_search(bucket).expect("one of them") as u16;
        let buckets: Vec<u16> = by_entry.iter().map(place).collect();
        let mut entries = vec![u16::MAX; turn.holes_len()];
        for (entry, &slot) in slots.iter().enumerate() {
            entries[slot as usize] = entry as u16;
        }
        let mut ties = vec![[0, 0]; HOLES];
        let mut start = 0;
        for end in ranked.ends() {
            ties[start..end].fill([start as u16, end as u16]);
            start = end;
        }
        let lines = blocks.iter().map(|block| {
            let shares = self.reaches(block, &distinct);
            let terminals = block.nodes.iter().zip(shares).filter_map(|(node, shares)| match node
                .kind
            {
                Kind::Fold(pays) => Some(Terminal { shares, fold: pays[0], show: 0.0 }),
                Kind::Showdown(stakes) => Some(Terminal { shares, fold: 0.0, show: stakes.half }),
                _ => None,
            });
            terminals.collect()
        });
        RiverPairs {
            weight,
            slots,
            buckets,
            distinct: distinct.len(),
            entries,
            ties,
            lines: lines.collect(),
        }
    }

    /// At every node of a block, by player and bucket: how often it does what leads there, in each lane.
    fn reaches(&self, block: &Block, buckets: &[u32]) -> Vec<[Vec<Lanes>; 2]> {
        let tree = self.plan.tree();
        let one = vec![Lanes::splat(1.0); buckets.len()];
        let mut reach: Vec<[Vec<Lanes>; 2]> = vec![[Vec::new(), Vec::new()]; block.nodes.len()];
        reach[0] = [one.clone(), one];
        for (place, node) in block.nodes.iter().enumerate() {
            let Kind::Decision(player, offset) = node.kind else { continue };
            let (actions, children) = (tree.actions(node.id), block.children(place));
            for &child in children {
                reach[child as usize] = reach[place].clone();
            }
            for (at, &bucket) in buckets.iter().enumerate() {
                let first = block.cell(offset, bucket);
                for (number, bias) in Bias::ALL.into_iter().enumerate() {
                    let mut shares: Vec<f32> =
                        (0..children.len()).map(|a| self.weights.weight(first + a)).collect();
                    bias.apply(actions, &mut shares);
                    for (&child, share) in children.iter().zip(shares) {
                        let lanes = &mut reach[child as usize][player][at];
                        for (lane, biases) in lanes.0.iter_mut().zip(LANE_BIASES) {
                            if biases[player] == number {
                                *lane *= share;
                            }
                        }
                    }
                }
            }
        }
        reach
    }
}

/// The sign of the showdown of each pair of holes, the big blind's first, as the mean over all boards
/// that follow a flop: 1 where it always wins, -1 where it always loses. Like [`PairValues`] of an
/// all-in for one chip.
pub fn all_in_pairs(flop: &Board, job: Job<'_>) -> Result<PairValues, Cancelled> {
    let mut sums = PairSums::<f32>::new(flop);
    let symmetry = Symmetry::of(flop.set());
    for (number, next) in symmetry.next_cards(flop.set()).enumerate() {
        let board = flop.with(next.card).expect("a new card");
        let after = symmetry.after(next.card);
        let turn = Deck::without(board.set());
        let rivers = sampled(&board, after, None, number);
        let mut prepared = Vec::new();
        for &(card, weight) in &rivers {
            let weight = weight * f64::from(next.multiplicity);
            sums.count([next.card, card], weight);
            let mut ranked = Ranked::new();
            ranked.set(board.set() | [card].into_iter().collect());
            let mut slots = vec![0; HOLES];
            ranked.slots_in(&turn, &mut slots);
            let mut entries = vec![[u16::MAX; 2]; turn.holes_len()];
            let mut start = 0;
            for end in ranked.ends() {
                for &slot in &slots[start..end] {
                    entries[slot as usize] = [start as u16, end as u16];
                }
                start = end;
            }
            prepared.push((slots, entries, weight as f32));
        }
        sums.add(&board, job, |slot, row| {
            for (slots, entries, weight) in &prepared {
                let [start, end] = entries[slot].map(usize::from);
                if start < end {
                    slots[..start].iter().for_each(|&slot| row[slot as usize] += weight);
                    slots[end..].iter().for_each(|&slot| row[slot as usize] -= weight);
                }
            }
        })?;
    }
    Ok(sums.mean(symmetry, |x| x))
}

/// The rivers of a turn that are looked at, up to suits, and how many each stands for.
fn sampled(
    board: &Board,
    symmetry: Symmetry,
    rivers: Option<u32>,
    turn: usize,
) -> Vec<(Card, f64)> {
    let all: Vec<(Card, f64)> = symmetry
        .next_cards(board.set())
        .map(|next| (next.card, f64::from(next.multiplicity)))
        .collect();
    let Some(wanted) = rivers.map(|wanted| wanted.max(1) as usize) else { return all };
    if wanted >= all.len() {
        return all;
    }
    // Evenly spread over the deck, and other cards after each turn.
    let first = (turn * 7) % all.len();
    (0..wanted).map(|i| all[(first + i * all.len() / wanted) % all.len()]).collect()
}

/// Sums of values of pairs over boards, and how many boards each pair saw.
struct PairSums<T> {
    deck: Deck,
    /// By slot of the big blind's hole and of the small blind's.
    values: Vec<T>,
    total: f64,
    /// The weight of boards with a card or with two.
    with_cards: Vec<f64>,
}

impl<T: Summand + Send + Sync> PairSums<T> {
    fn new(flop: &Board) -> PairSums<T> {
        let deck = Deck::without(flop.set());
        let values = vec![T::ZERO; deck.holes_len() * deck.holes_len()];
        PairSums { deck, values, total: 0.0, with_cards: vec![0.0; 52 * 52] }
    }

    /// Counts a board.
    fn count(&mut self, cards: [Card; 2], weight: f64) {
        let [a, b] = cards.map(|card| card.index());
        self.total += weight;
        for place in [a * 52 + a, b * 52 + b, a * 52 + b, b * 52 + a] {
            self.with_cards[place] += weight;
        }
    }

    /// Adds a turn: `add` adds the values of a hole, by its slot there, to a row of the turn's holes.
    fn add(
        &mut self,
        board: &Board,
        job: Job<'_>,
        add: impl Fn(usize, &mut [T]) + Sync,
    ) -> Result<(), Cancelled> {
        let turn = Deck::without(board.set());
        let up = DeckMap::new(&turn, &self.deck, SuitMap::IDENTITY).slots();
        let mut slots = vec![None; self.deck.holes_len()];
        up.iter().enumerate().for_each(|(slot, &above)| slots[above as usize] = Some(slot));
        let rows = self.values.par_chunks_mut(slots.len()).zip(&slots);
        let each = rows.filter_map(|(row, &slot)| Some((row, slot?)));
        let one = |scratch: &mut Vec<T>, (row, slot): (&mut [T], usize)| {
            job.check()?;
            scratch.clear();
            scratch.resize(up.len(), T::ZERO);
            add(slot, scratch);
            for (&value, &above) in scratch.iter().zip(&up) {
                row[above as usize] = row[above as usize].plus(value);
            }
            Ok(())
        };
        job.install(|| each.try_for_each_init(Vec::new, one))
    }

    /// The weight of the boards that two holes leave.
    fn seen(&self, holes: [Hole; 2]) -> f64 {
        let cards = holes.map(|hole| [hole.low().index(), hole.high().index()]);
        let cards = [cards[0][0], cards[0][1], cards[1][0], cards[1][1]];
        let mut seen = self.total;
        for (i, a) in cards.into_iter().enumerate() {
            seen -= self.with_cards[a * 52 + a];
            seen += cards[..i].iter().map(|b| self.with_cards[a * 52 + b]).sum::<f64>();
        }
        seen
    }

    /// The mean of each pair, the same for pairs that suits make alike.
    fn mean(&self, symmetry: Symmetry, number: impl Fn(T) -> f32) -> PairValues {
        let holes: Vec<Hole> = self.deck.holes().collect();
        let count = holes.len();
        let images: Vec<Vec<u16>> =
            symmetry.maps().map(|map| DeckMap::new(&self.deck, &self.deck, map).slots()).collect();
        let mut values = vec![0.0; count * count];
        for (a, row) in values.chunks_exact_mut(count).enumerate() {
            for (b, value) in row.iter_mut().enumerate() {
                if holes[a].set().intersects(holes[b].set()) {
                    continue;
                }
                let [mut sum, mut seen] = [0.0; 2];
                for image in &images {
                    let [a, b] = [a, b].map(|slot| image[slot] as usize);
                    sum += f64::from(number(self.values[a * count + b]));
                    seen += self.seen([holes[a], holes[b]]);
                }
                *value = if seen > 0.5 { (sum / seen) as f32 } else { 0.0 };
            }
        }
        PairValues { holes: count, values }
    }
}

/// What the players do on one turn: by player, the share of each slot.
struct TurnPairs {
    folds: Vec<([Vec<Lanes>; 2], f32)>,
    all_ins: Vec<([Vec<Lanes>; 2], f32)>,
    /// Those that go on to the river.
    lines: Vec<[Vec<Lanes>; 2]>,
    rivers: Vec<RiverPairs>,
}

/// A river below a turn. Holes are entries by strength.
struct RiverPairs {
    weight: f32,
    /// The slot on the turn of every entry, and its bucket.
    slots: Vec<u16>,
    buckets: Vec<u16>,
    distinct: usize,
    /// By slot on the turn: the entry.
    entries: Vec<u16>,
    /// By entry: those that tie.
    ties: Vec<[u16; 2]>,
    /// By line of the turn: the ends of its betting.
    lines: Vec<Vec<Terminal>>,
}

/// An end of the betting on the river.
struct Terminal {
    /// By player and bucket.
    shares: [Vec<Lanes>; 2],
    /// What the big blind gets, and what it gets or pays at a showdown.
    fold: f32,
    show: f32,
}

impl TurnPairs {
    /// Adds the values of a hole of the big blind to a row of the turn.
    fn add(&self, slot: usize, weight: f32, row: &mut [Lanes]) {
        simd::run(AddHole { turn: self, slot, weight, row });
    }
}

struct AddHole<'a> {
    turn: &'a TurnPairs,
    slot: usize,
    weight: f32,
    row: &'a mut [Lanes],
}

impl Kernel for AddHole<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: simd::Level>(self, _: L) {
        let AddHole { turn, slot, weight, row } = self;
        let mut fixed = [vec![Lanes::ZERO; row.len()], vec![Lanes::ZERO; row.len()]];
        for (fixed, ends) in fixed.iter_mut().zip([&turn.folds, &turn.all_ins]) {
            for (shares, pay) in ends {
                let own = shares[0][slot].times(Lanes::splat(*pay));
                for (sum, &other) in fixed.iter_mut().zip(&shares[1]) {
                    *sum = sum.plus(own.times(other));
                }
            }
        }
        let [folds, all_ins] = fixed;
        let mut tables: [Vec<Lanes>; 2] = Default::default();
        for river in &turn.rivers {
            let entry = river.entries[slot];
            if entry == u16::MAX {
                continue;
            }
            let own = river.buckets[entry as usize] as usize;
            // By line and bucket of the opponent: what folds and what showdowns are worth.
            for table in &mut tables {
                table.clear();
                table.resize(turn.lines.len() * river.distinct, Lanes::ZERO);
            }
            for (line, ends) in river.lines.iter().enumerate() {
                let come = turn.lines[line][0][slot];
                for end in ends {
                    let (which, pay) = if end.show == 0.0 { (0, end.fold) } else { (1, end.show) };
                    let own = come.times(end.shares[0][own]).times(Lanes::splat(pay));
                    let table = &mut tables[which][line * river.distinct..];
                    for (sum, &other) in table.iter_mut().zip(&end.shares[1]) {
                        *sum = sum.plus(own.times(other));
                    }
                }
            }
            let [start, end] = river.ties[entry as usize].map(usize::from);
            let weight = Lanes::splat(weight * river.weight);
            let parts = [(0..start, 1.0), (start..end, 0.0), (end..river.slots.len(), -1.0)];
            for (part, sign) in parts {
                let sign = Lanes::splat(sign);
                for other in part {
                    let at = river.slots[other] as usize;
                    let bucket = river.buckets[other] as usize;
                    let mut value = folds[at].plus(all_ins[at].times(sign));
                    for (line, shares) in turn.lines.iter().enumerate() {
                        let at_bucket = line * river.distinct + bucket;
                        let below = tables[0][at_bucket].plus(tables[1][at_bucket].times(sign));
                        value = value.plus(shares[1][at].times(below));
                    }
                    row[at] = row[at].plus(value.times(weight));
                }
            }
        }
    }
}
