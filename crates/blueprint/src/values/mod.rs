//! `Values`: what a strategy wins from itself, by starting hand before the flop and by bucket where a
//! street begins.
//!
//! Some flops are walked exactly, as for the exploitability, with every turn and river below them. That
//! gives the value of every starting hand on each line that reaches the flop; folds and all-ins before
//! the flop are known without any flop. From there the values of all actions before the flop follow up
//! the tree. A mean over flops from strata is unbiased, and its interval comes from the differences
//! within strata. Over all flops it is exact.

mod file;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use lethe_cards::{Deck, StartingHand, Street};
use lethe_compute::{Cancelled, Job};
use lethe_files::{Blocks, Damage};
use lethe_game::{NodeId, Player};
use rayon::prelude::*;

pub use self::file::{VALUES_MAGIC, ValuesError, ValuesFile, ValuesHeader};
use crate::exact::Exact;
use crate::exploitability::{FlopSample, Flops, Seats};
use crate::plan::{Kind, Plan};
use crate::preflop::{ByClass, Play, Preflop, mean, subtract_luck};
use crate::sample::FLOPS;
use crate::store::Weights;

const CLASSES: usize = StartingHand::COUNT;
/// The numbers of an entry: before the flop a value and its interval, afterwards a value and its weight.
const WIDTH: usize = 2;

/// What a strategy wins from itself in real cards.
///
/// Values are in chips, counted from the chips before ante and blinds: a small blind who folds at once
/// wins minus the small blind. A value is that of a hand *given* that the opponent's hand, which the own
/// cards make more or less likely, has come to the node; where the opponent never does there is none.
#[derive(Debug)]
pub struct Values {
    header: ValuesHeader,
    starts: Arc<Starts>,
    data: Data,
}

/// Two numbers for each entry: first the big blind's starting hands at every node before the flop, then
/// the small blind's, then the big blind's buckets at every start of a street, then the small blind's.
#[derive(Debug)]
enum Data {
    Memory(Vec<f32>),
    /// The file, for messages, and its data.
    File(PathBuf, Blocks),
}

/// What a starting hand wins from a node before the flop on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandValue {
    /// In chips.
    pub chips: f64,
    /// Half the width of the 95 % interval, in chips: 0 if the value is exact, `None` if the flops are
    /// too few to tell.
    pub interval: Option<f64>,
}

/// What a bucket wins on average from the start of a street on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartValue {
    /// In chips. The mean is over the deals of the flops that were walked, each weighted by how often
    /// the opponent comes to the line.
    pub chips: f64,
    /// That weight as a share of all deals: the weights of a street's buckets add up to how often the
    /// opponent comes to the line.
    pub weight: f64,
}

/// The lines at the start of each street after the preflop and their buckets, numbered one after the
/// other.
#[derive(Clone, Debug)]
pub(crate) struct Starts {
    /// By street: the number of the first bucket of each line.
    firsts: [Vec<usize>; 3],
    len: usize,
}

impl Starts {
    fn new(plan: &Plan) -> Starts {
        let mut len = 0;
        let firsts = Street::POSTFLOP.map(|street| {
            let first = |_| {
                len += plan.buckets(street);
                len - plan.buckets(street)
            };
            plan.blocks(street).iter().map(first).collect()
        });
        Starts { firsts, len }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The lines of a street.
    pub(crate) fn blocks(&self, street: Street) -> usize {
        self.firsts[street.index() - 1].len()
    }

    /// The number of the first bucket of a line.
    pub(crate) fn first(&self, street: Street, block: usize) -> usize {
        self.firsts[street.index() - 1][block]
    }
}

/// The pairs of hands on all boards that follow a flop, up to a street.
fn deals(street: Street) -> f64 {
    let holes = Deck::row_len(street) as f64;
    match street {
        Street::Preflop => 1326.0 * 1225.0,
        Street::Flop => holes * 1081.0,
        Street::Turn => 49.0 * holes * 1035.0,
        Street::River => 49.0 * 48.0 * holes * 990.0,
    }
}

impl<W: Weights + ?Sized> Exact<'_, W> {
    /// The values of the strategy, from all flops or a sample of them. Progress is in flops and players;
    /// cancelling takes effect within a flop.
    pub fn values(&self, flops: Flops, job: Job<'_>) -> Result<Values, Cancelled> {
        let starts = Arc::new(Starts::new(self.plan));
        let sample = FlopSample::new(if self.lines() > 0 { flops } else { Flops::All });
        let flops = if self.lines() > 0 { &sample.flops[..] } else { &[] };
        let players = [0, 1].map(|p| Preflop::new(self.plan, self.weights, p));
        let lines = players.each_ref().map(Preflop::lines);
        let parts: Vec<(usize, usize)> = (0..flops.len()).flat_map(|f| [(f, 0), (f, 1)]).collect();
        job.begin("values", parts.len() as u64);
        let mut own: [Vec<[Vec<f64>; 2]>; 2] = Default::default();
        let mut sums = [0, 1].map(|_| vec![[0.0; WIDTH]; starts.len()]);
        // Few at a time, because each has sums of all buckets, and always added in the same order.
        for parts in parts.chunks(job.threads().max(1)) {
            let walked = parts.par_iter().with_max_len(1).map(|&(flop, p)| {
                let walked = self.flop_starts(p, flops[flop], &lines[p], &starts, job)?;
                job.advance(1);
                Ok(walked)
            });
            let walked: Vec<_> = job.install(|| walked.collect::<Result<_, Cancelled>>())?;
            for (&(_, p), (by_class, found)) in parts.iter().zip(walked) {
                own[p].push(by_class);
                for (sum, more) in sums[p].iter_mut().flatten().zip(found.sums.iter().flatten()) {
                    *sum += more;
                }
            }
        }
        let mut data = Vec::new();
        for (preflop, own) in players.iter().zip(&own) {
            write_hands(&mut data, preflop, own, &sample);
        }
        let total: f64 = flops.iter().map(|flop| flop.1).sum();
        for sums in &sums {
            write_starts(&mut data, &starts, sums, total);
        }
        let header = ValuesHeader {
            flops: flops.len() as u64,
            exact: flops.is_empty() || sample.is_all(),
            nodes: self.plan.blocks(Street::Preflop)[0].nodes.len() as u64,
            starts: starts.len() as u64,
            ..ValuesHeader::default()
        };
        Ok(Values { header, starts, data: Data::Memory(data) })
    }
}

/// Writes the values of a player's starting hands at all nodes before the flop, from what they win on
/// each line of each flop.
fn write_hands(
    data: &mut Vec<f32>,
    preflop: &Preflop<'_>,
    own: &[[Vec<f64>; 2]],
    sample: &FlopSample,
) {
    // Two hands leave 17,296 flops, and an opponent has 1,225 hands.
    let unit = FLOPS as f64 / (17_296.0 * 1225.0);
    let lines = |sums: &[f64]| -> Vec<ByClass> {
        let line = |sums: &[f64]| -> ByClass {
            let combos = StartingHand::all().map(|class| class.combos() as f64);
            let values: Vec<f64> = sums.iter().zip(combos).map(|(x, n)| x * unit / n).collect();
            values.try_into().expect("a value for each class")
        };
        sums.chunks_exact(CLASSES).map(line).collect()
    };
    let nodes = |lines: &[ByClass]| preflop.node_values(|line| lines[line], Play::Strategy).0;
    let checked_down = preflop.checked_down();
    let on_flop = |[own, checked]: &[Vec<f64>; 2]| {
        let mut values = lines(own);
        if !sample.is_all() {
            subtract_luck(&mut values, &lines(checked), &checked_down);
        }
        nodes(&values)
    };
    let by_flop: Vec<Vec<ByClass>> = match own {
        // Nothing depends on a flop.
        [] => vec![nodes(&[])],
        own => own.iter().map(on_flop).collect(),
    };
    let mut row = vec![0.0; by_flop.len()];
    for (place, deals) in preflop.deals_flops().into_iter().enumerate() {
        let met = preflop.met(place).fold(1.0);
        for class in 0..CLASSES {
            let flops = row.iter_mut().zip(&by_flop);
            flops.for_each(|(value, nodes)| *value = nodes[place][class] / met[class]);
            let entry = match deals {
                _ if met[class] <= 0.0 => [f64::NAN; WIDTH],
                false => [row[0], 0.0],
                true => [sample.mean(&row), sample.interval(&row).unwrap_or(f64::NAN)],
            };
            data.extend(entry.map(|x| x as f32));
        }
    }
}

/// Writes the values of a player's buckets, from sums over flops that stand for `total` flops.
fn write_starts(data: &mut Vec<f32>, starts: &Starts, sums: &[[f64; WIDTH]], total: f64) {
    for (i, street) in Street::POSTFLOP.into_iter().enumerate() {
        let first = starts.firsts[i].first().copied().unwrap_or(starts.len());
        let end = starts.firsts[i + 1..].iter().flatten().next().copied().unwrap_or(starts.len());
        for &[value, mass] in &sums[first.min(end)..end] {
            let entry = match mass > 0.0 {
                true => [value / mass, mass / (total * deals(street))],
                false => [f64::NAN, 0.0],
            };
            data.extend(entry.map(|x| x as f32));
        }
    }
}

impl Values {
    /// What they were computed from.
    pub fn header(&self) -> &ValuesHeader {
        &self.header
    }

    /// What a starting hand of a player wins from a node before the flop on. At the player's own decision
    /// the value of an action is that of the node it leads to. `None` where the opponent never comes, or
    /// if the node is not one before the flop.
    ///
    /// # Errors
    /// If the part of the file that holds it is damaged.
    pub fn hand(
        &self,
        plan: &Plan,
        player: Player,
        node: NodeId,
        hand: StartingHand,
    ) -> Result<Option<HandValue>, ValuesError> {
        let block = &plan.blocks(Street::Preflop)[0].nodes;
        let Some(place) = block.iter().position(|found| found.id == node) else { return Ok(None) };
        let nodes = self.header.nodes as usize;
        let entry = ((player.index() * nodes) + place) * CLASSES + hand.index();
        let [chips, interval] = self.entry(entry)?;
        Ok(chips.map(|chips| HandValue { chips, interval }))
    }

    /// What a bucket of a player wins from the first decision of a street on. `None` if `node` is no such
    /// decision, the street has no such bucket, or the flops that were walked never showed it.
    ///
    /// # Errors
    /// If the part of the file that holds it is damaged.
    pub fn start(
        &self,
        plan: &Plan,
        player: Player,
        node: NodeId,
        bucket: u32,
    ) -> Result<Option<StartValue>, ValuesError> {
        let street = plan.tree().node(node).street();
        let Some(block) = plan.start_of(node) else { return Ok(None) };
        if bucket as usize >= plan.buckets(street) {
            return Ok(None);
        }
        let hands = 2 * self.header.nodes as usize * CLASSES;
        let place = self.starts.first(street, block) + bucket as usize;
        let [chips, weight] = self.entry(hands + player.index() * self.starts.len() + place)?;
        Ok(chips.zip(weight).map(|(chips, weight)| StartValue { chips, weight }))
    }

    /// What each seat wins before a card is dealt, in mbb/hand.
    ///
    /// # Errors
    /// If the part of the file that holds it is damaged.
    pub fn value_mbb(&self, plan: &Plan) -> Result<Seats, ValuesError> {
        let tree = plan.tree();
        let unit = 1000.0 / f64::from(tree.node(tree.root()).contributed()[0]);
        let mut seats = [0.0; 2];
        for (seat, player) in seats.iter_mut().zip([Player::Oop, Player::Ip]) {
            let mut values = [0.0; CLASSES];
            for hand in StartingHand::all() {
                let value = self.hand(plan, player, tree.root(), hand)?;
                values[hand.index()] = value.map_or(f64::NAN, |value| value.chips);
            }
            *seat = mean(&values) * unit;
        }
        Ok(Seats { sb: seats[1], bb: seats[0] })
    }

    /// The numbers of an entry; none for those that are not known.
    fn entry(&self, entry: usize) -> Result<[Option<f64>; WIDTH], ValuesError> {
        let range = entry * WIDTH..(entry + 1) * WIDTH;
        let numbers: &[f32] = match &self.data {
            Data::Memory(data) => &data[range],
            Data::File(path, blocks) => {
                let damaged = |damage: Damage| ValuesError::damaged(path, damage);
                let numbers: &[f32] = blocks.slice(range).map_err(damaged)?;
                if numbers.iter().any(|x| x.is_infinite()) {
                    return Err(ValuesError::damaged(path, file::INFINITE));
                }
                numbers
            }
        };
        let known = |x: f32| (!x.is_nan()).then(|| f64::from(x));
        Ok([known(numbers[0]), known(numbers[1])])
    }
}

impl Plan {
    /// The line that begins a street with this node; `None` if none does, or before the flop.
    pub(crate) fn start_of(&self, node: NodeId) -> Option<usize> {
        let street = self.tree().node(node).street();
        let blocks = self.blocks(street);
        if street == Street::Preflop || self.tree().node(node).player().is_none() {
            return None;
        }
        let (block, place) = self.place(node);
        (place == 0 && block < blocks.len()).then_some(block)
    }
}

impl Preflop<'_> {
    /// By node: whether a flop may be dealt at it or below.
    fn deals_flops(&self) -> Vec<bool> {
        let block = &self.plan().blocks(Street::Preflop)[0];
        let mut deals = vec![false; block.nodes.len()];
        for (place, node) in block.nodes.iter().enumerate().rev() {
            let below = block.children(place).iter().any(|&child| deals[child as usize]);
            deals[place] = below || matches!(node.kind, Kind::Next(_));
        }
        deals
    }
}
