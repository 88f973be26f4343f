//! Blocks that are walked side by side.
//!
//! Lines whose betting on a street has the same shape are walked together, one in each lane of a
//! vector. Which blocks go together is decided once, from the plan alone: a bundle holds up to eight
//! blocks that follow the lines of one bundle of the street before.

use std::ops::Range;

use lethe_cards::Street;
use lethe_compute::simd::LANES;

use crate::plan::{Block, Kind, Plan};

/// Up to eight blocks of one street and one shape, one per lane.
#[derive(Debug)]
pub(super) struct Bundle {
    pub(super) street: Street,
    /// The numbers of the blocks on the street.
    pub(super) blocks: Vec<usize>,
    /// By lane: where it comes from in the bundle above.
    pub(super) from: Vec<Origin>,
    /// The bundles of the next street that follow.
    pub(super) below: Range<usize>,
    /// The place of its first edge among those of all bundles of the street.
    pub(super) first_edge: usize,
}

/// A node of the bundle above, and a lane of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) place: usize,
    pub(super) lane: usize,
}

impl Bundle {
    /// The block of the first lane, whose nodes and edges stand for those of all.
    pub(super) fn shape<'a>(&self, plan: &'a Plan) -> &'a Block {
        &plan.blocks(self.street)[self.blocks[0]]
    }

    /// The block of a lane.
    pub(super) fn block<'a>(&self, plan: &'a Plan, lane: usize) -> &'a Block {
        &plan.blocks(self.street)[self.blocks[lane]]
    }

    /// A bit for each lane in use.
    pub(super) fn lanes(&self) -> u8 {
        u8::MAX >> (LANES - self.blocks.len())
    }

    /// The node above, if all eight lanes come from one node and keep their numbers.
    pub(super) fn straight_from(&self) -> Option<usize> {
        let place = self.from.first()?.place;
        let straight = |(lane, &from): (usize, &Origin)| from == Origin { place, lane };
        let is_straight = self.from.len() == LANES && self.from.iter().enumerate().all(straight);
        is_straight.then_some(place)
    }
}

/// The bundles of a plan: the first is the betting before the flop, and each comes before those that
/// follow it.
#[derive(Debug)]
pub(super) struct Bundles {
    all: Vec<Bundle>,
    /// By street: the edges of all its bundles, each counted once for all lanes.
    edges: [usize; 4],
}

impl Bundles {
    pub(super) fn new(plan: &Plan) -> Bundles {
        let root = Bundle {
            street: Street::Preflop,
            blocks: vec![0],
            from: vec![Origin { place: 0, lane: 0 }],
            below: 0..0,
            first_edge: 0,
        };
        let (mut all, mut edges) = (vec![root], [0; 4]);
        let mut next = 0;
        while next < all.len() {
            let first = all.len();
            let bundle: &mut Bundle = &mut all[next];
            let count = &mut edges[bundle.street.index()];
            bundle.first_edge = *count;
            *count += bundle.shape(plan).edges.len();
            let below = followers(plan, bundle);
            bundle.below = first..first + below.len();
            all.extend(below);
            next += 1;
        }
        Bundles { all, edges }
    }

    pub(super) fn get(&self, number: usize) -> &Bundle {
        &self.all[number]
    }

    /// The edges of a street's bundles.
    pub(super) fn edges(&self, street: Street) -> usize {
        self.edges[street.index()]
    }
}

/// The bundles that follow one.
fn followers(plan: &Plan, bundle: &Bundle) -> Vec<Bundle> {
    let Some(street) = bundle.street.next() else { return Vec::new() };
    let mut lines = Vec::new();
    for lane in 0..bundle.blocks.len() {
        for (place, node) in bundle.block(plan, lane).nodes.iter().enumerate() {
            if let Kind::Next(number) = node.kind {
                let number = number as usize;
                lines.push((plan.shapes(street)[number], Origin { place, lane }, number));
            }
        }
    }
    // Lanes of one node stay in order, so that whole rows can be copied.
    lines.sort_by_key(|&(shape, from, _)| (shape, from.place, from.lane));
    let same_shape = lines.chunk_by(|a, b| a.0 == b.0);
    let bundle = |lines: &[(usize, Origin, usize)]| Bundle {
        street,
        blocks: lines.iter().map(|line| line.2).collect(),
        from: lines.iter().map(|line| line.1).collect(),
        below: 0..0,
        first_edge: 0,
    };
    same_shape.flat_map(|lines| lines.chunks(LANES)).map(bundle).collect()
}

#[cfg(test)]
mod tests {
    use lethe_game::{Game, Tree};

    use super::*;

    #[test]
    fn every_block_is_in_one_lane_and_follows_its_line() {
        let config = r#"{"stack":3000,"small_blind":50,"big_blind":100,"bet_sizes":{
            "preflop":{"sb":{"raise":"2x, 3x, 5x"},"bb":{"raise":"2x"}},
            "flop":{"oop":{"bet":"50%, 100%","raise":"a"},"ip":{"bet":"33%"}},
            "turn":{"oop":{"bet":"75%"},"ip":{"bet":"50%, a"}}, "river":{"oop":{"bet":"a"}}}}"#;
        let game = Game::hand(&serde_json::from_str(config).unwrap()).unwrap();
        let plan = Plan::new(Tree::build(game, Tree::NODE_LIMIT).unwrap(), [1, 1, 1]);
        let bundles = Bundles::new(&plan);
        let mut seen = Street::ALL.map(|street| vec![0; plan.blocks(street).len()]);
        let mut full = 0;
        for bundle in &bundles.all {
            full += usize::from(bundle.straight_from().is_some());
            for (lane, &block) in bundle.blocks.iter().enumerate() {
                seen[bundle.street.index()][block] += 1;
                let shapes = plan.shapes(bundle.street);
                assert_eq!(shapes[block], shapes[bundle.blocks[0]]);
                assert!(bundle.lanes() >> lane & 1 == 1);
            }
            for below in bundle.below.clone().map(|number| bundles.get(number)) {
                for (&block, from) in below.blocks.iter().zip(&below.from) {
                    let above = &bundle.block(&plan, from.lane).nodes[from.place];
                    assert_eq!(above.kind, Kind::Next(block as u32));
                }
            }
        }
        assert!(seen.iter().flatten().all(|&times| times == 1), "{seen:?}");
        assert!(full > 0, "some bundles are full");
        for street in Street::ALL {
            let of_street = bundles.all.iter().filter(|bundle| bundle.street == street);
            let edges: usize = of_street.map(|bundle| bundle.shape(&plan).edges.len()).sum();
            assert_eq!(bundles.edges(street), edges);
        }
    }
}
