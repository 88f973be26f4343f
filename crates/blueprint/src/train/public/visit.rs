//! What a walk through a bundle works on: its rows, what is kept of it, and what its ends pay.

use lethe_cards::Street;
use lethe_compute::Job;
use lethe_compute::simd::LANES;
use lethe_rows::{NONE, Payout, Summand};

use super::super::bundles::{Bundle, Bundles};
use crate::deal::{Deal, DenseBuckets, HOLES, TURN_HOLES};
use crate::lanes::{Lanes, Row};
use crate::plan::{Block, Plan};
use crate::rounded::Place;

/// The length of a street's rows: before the river all holes that the turn leaves have an entry.
pub(super) fn row_len(street: Street) -> usize {
    match street {
        Street::River => HOLES,
        _ => TURN_HOLES,
    }
}

/// What a player plays on a street of the board that was dealt, kept from one walk for the next.
#[derive(Default)]
pub(super) struct Kept {
    /// The shares of every action, a row for each edge of the street's bundles on each of its boards.
    pub(super) shares: Row,
    /// The length of a row.
    pub(super) len: usize,
    /// By first edge of a decision: the lanes whose shares are known, a bit each.
    pub(super) known: Vec<u8>,
}

impl Kept {
    pub(super) fn new(edges: usize, len: usize) -> Kept {
        Kept { shares: vec![Lanes::ZERO; edges * len], len, known: vec![0; edges] }
    }

    /// The shares of a decision's actions: tables or rows one after the other, from the first on.
    pub(super) fn at(&mut self, edge: usize) -> (&mut [Lanes], &mut u8) {
        (&mut self.shares[edge * self.len..], &mut self.known[edge])
    }
}

/// The bundle of a street that is being walked, and its rows.
#[derive(Default)]
pub(super) struct Frame {
    /// The opponent's reach.
    pub(super) reach: Row,
    /// The traverser's values, by node.
    pub(super) values: Row,
    /// By node: the lanes that the opponent reaches and the traverser does not skip, a bit each.
    pub(super) alive: Vec<u8>,
}

impl Frame {
    /// Makes room for this block's rows of a length.
    pub(super) fn begin(&mut self, block: &Block, p: usize, len: usize) {
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
pub(super) struct Visit<'v> {
    pub(super) bundles: &'v Bundles,
    pub(super) bundle: &'v Bundle,
    /// The block of the first lane, whose nodes and edges stand for those of all.
    pub(super) shape: &'v Block,
    pub(super) deal: &'v Deal,
    /// Which of the rivers; 0 before the river.
    pub(super) river: usize,
    pub(super) dense: &'v DenseBuckets,
    /// The traverser.
    pub(super) p: usize,
    pub(super) job: Job<'v>,
}

/// What a row of the opponent's reach is paid: nodes with what they pay in each lane.
pub(super) struct Paid {
    pub(super) row: u32,
    /// Half the stakes, and what a loss costs.
    pub(super) show: Option<(u32, [Lanes; 2])>,
    pub(super) fold: Option<(u32, Lanes)>,
}

impl<'v> Visit<'v> {
    /// The share of this board in the boards of its street that were dealt.
    pub(super) fn share(&self) -> f32 {
        match self.bundle.street {
            Street::River => 1.0 / self.deal.rivers.len() as f32,
            _ => 1.0,
        }
    }

    /// The first edge of a decision among those of all bundles and boards of the street.
    pub(super) fn edge(&self, place: usize) -> usize {
        let before = self.river * self.bundles.edges(self.bundle.street);
        before + self.bundle.first_edge + self.shape.first_edge(place)
    }

    /// What is paid at the nodes that are alive.
    pub(super) fn payouts(self, plan: &'v Plan, alive: &'v [u8]) -> impl Iterator<Item = Paid> {
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
    pub(super) fn place(&self, offset: usize) -> Place {
        Place { buckets: self.dense.distinct.len(), width: self.shape.width, offset }
    }
}

/// The numbers of the bits that are set.
pub(super) fn bits(mask: u8) -> impl Iterator<Item = usize> + Clone {
    (0..LANES).filter(move |lane| mask >> lane & 1 == 1)
}

/// A number in some lanes, and zero in the others.
pub(super) fn masked(lanes: u8, number: f32) -> Lanes {
    let mut out = Lanes::ZERO;
    bits(lanes).for_each(|lane| out.0[lane] = number);
    out
}

/// A vector of at least this length, as a slice of it.
pub(super) fn resized(row: &mut Row, len: usize) -> &mut [Lanes] {
    if row.len() < len {
        row.resize(len, Lanes::ZERO);
    }
    &mut row[..len]
}

/// Writes the weights of a decision's actions to a lane of its tables. `at` says where those of a
/// bucket are.
pub(super) fn weights<At: Copy>(
    dense: &DenseBuckets,
    actions: usize,
    lane: usize,
    tables: &mut [Lanes],
    at: impl Fn(u32) -> At,
    weight: impl Fn(At, usize) -> f32,
) {
    let count = dense.distinct.len();
    for (i, &bucket) in dense.distinct.iter().enumerate() {
        let at = at(bucket);
        for a in 0..actions {
            tables[a * count + i].0[lane] = weight(at, a);
        }
    }
}

/// Writes the frequencies of a decision's actions in some lanes by hole.
pub(super) fn spread(
    shares: &mut [Lanes],
    lanes: u8,
    tables: &[Lanes],
    count: usize,
    local: &[u16],
) {
    for (shares, table) in shares.chunks_exact_mut(HOLES).zip(tables.chunks_exact(count)) {
        for (share, &local) in shares.iter_mut().zip(local) {
            for lane in bits(lanes) {
                share.0[lane] = table[local as usize].0[lane];
            }
        }
    }
}
