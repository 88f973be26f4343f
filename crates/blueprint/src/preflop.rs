//! The betting before the flop, by the 169 classes: reach, folds and all-ins without any sampling.

use std::sync::LazyLock;

use lethe_cards::{Matchups, StartingHand, Street};
use lethe_rows::Stakes;

use crate::kernel::{TABLE, Table};
use crate::plan::{Block, Kind, Plan};
use crate::store::{Weights, fill_tables};

/// One number for each class.
pub(crate) type ByClass = [f64; StartingHand::COUNT];

const HAND_CLASSES: usize = StartingHand::COUNT;
/// The holes that an opponent can have.
const OPPONENTS: f64 = 1225.0;
/// All boards of five cards that two holes leave.
const BOARDS: f64 = 1_712_304.0;

/// How often a hole of a class meets holes of each class, and beats them.
pub(crate) struct ClassMatchups {
    /// By opponent's class and class: the share of all opponents' holes, and that share times the
    /// equity against them. A tie pays the mean of a win and a loss, so no more is needed.
    meets: Vec<ByClass>,
    wins: Vec<ByClass>,
}

/// What the holes of each class meet of an opponent's reach.
#[derive(Clone, Debug)]
pub(crate) struct Exposure {
    all: ByClass,
    won: ByClass,
}

impl ClassMatchups {
    /// The table, computed at first use.
    pub(crate) fn get() -> &'static ClassMatchups {
        static TABLE: LazyLock<ClassMatchups> = LazyLock::new(|| {
            let matchups = Matchups::shipped();
            let mut table = ClassMatchups {
                meets: vec![[0.0; HAND_CLASSES]; HAND_CLASSES],
                wins: vec![[0.0; HAND_CLASSES]; HAND_CLASSES],
            };
            for other in StartingHand::all() {
                for class in StartingHand::all() {
                    let tally = matchups.classes(class, other);
                    let all = class.combos() as f64 * OPPONENTS * BOARDS;
                    let won = tally.wins as f64 + tally.ties as f64 / 2.0;
                    table.meets[other.index()][class.index()] = tally.total as f64 / all;
                    table.wins[other.index()][class.index()] = won / all;
                }
            }
            table
        });
        &TABLE
    }

    /// What each class meets of the opponent's reach.
    pub(crate) fn with(&self, reach: &ByClass) -> Exposure {
        let mut met = Exposure { all: [0.0; HAND_CLASSES], won: [0.0; HAND_CLASSES] };
        for ((&x, meets), wins) in reach.iter().zip(&self.meets).zip(&self.wins) {
            if x > 0.0 {
                for (sum, share) in met.all.iter_mut().zip(meets) {
                    *sum += x * share;
                }
                for (sum, share) in met.won.iter_mut().zip(wins) {
                    *sum += x * share;
                }
            }
        }
        met
    }
}

impl Exposure {
    /// What it pays to each class at an all-in.
    pub(crate) fn showdown(&self, stakes: Stakes) -> ByClass {
        let (more, lose) = (2.0 * f64::from(stakes.half), f64::from(stakes.lose));
        std::array::from_fn(|class| lose * self.all[class] + more * self.won[class])
    }

    /// What it pays to each class at a fold.
    pub(crate) fn fold(&self, pay: f32) -> ByClass {
        self.all.map(|share| f64::from(pay) * share)
    }
}

/// How a player who is valued plays before the flop.
#[derive(Clone, Copy)]
pub(crate) enum Play<'a> {
    /// The best action for each class.
    Best,
    /// These choices: an action for each class at each node of the block.
    Chosen(&'a [Vec<u8>]),
    /// The strategy's own frequencies.
    Strategy,
    /// The player's frequencies in another strategy.
    Like(&'a Preflop<'a>),
}

/// The betting before the flop against one strategy.
pub(crate) struct Preflop<'a> {
    plan: &'a Plan,
    /// The player who is valued; 0 the big blind, 1 the small blind.
    p: usize,
    /// The opponent's reach, by row of the block's view.
    reach: Vec<ByClass>,
    /// Both players' frequencies: by node, action and class.
    frequencies: Vec<Vec<Table>>,
}

impl<'a> Preflop<'a> {
    pub(crate) fn new<W: Weights + ?Sized>(plan: &'a Plan, weights: &W, p: usize) -> Preflop<'a> {
        Preflop::by(plan, p, |block, offset, classes, tables| {
            fill_tables(weights, block, offset, classes, tables);
        })
    }

    /// The same where `fill` writes the frequencies of a decision's actions, as [`fill_tables`] does.
    pub(crate) fn by(
        plan: &'a Plan,
        p: usize,
        mut fill: impl FnMut(&Block, usize, &[u32], &mut [Table]),
    ) -> Preflop<'a> {
        let block = &plan.blocks(Street::Preflop)[0];
        let view = &block.views[p];
        let classes: Vec<u32> = (0..HAND_CLASSES as u32).collect();
        let mut reach = vec![[0.0; HAND_CLASSES]; view.rows];
        reach[0] = [1.0; HAND_CLASSES];
        let mut frequencies = vec![Vec::new(); block.nodes.len()];
        for (place, node) in block.nodes.iter().enumerate() {
            let Kind::Decision(player, offset) = node.kind else { continue };
            let children = block.children(place);
            let mut tables = vec![[0.0; TABLE]; children.len()];
            fill(block, offset, &classes, &mut tables);
            if player != p {
                let before = reach[view.row[place] as usize];
                for (&child, table) in children.iter().zip(&tables) {
                    let after = &mut reach[view.row[child as usize] as usize];
                    for ((after, before), &share) in after.iter_mut().zip(before).zip(table) {
                        *after = before * f64::from(share);
                    }
                }
            }
            frequencies[place] = tables;
        }
        Preflop { plan, p, reach, frequencies }
    }

    pub(crate) fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// The opponent's reach at a node, by class.
    pub(crate) fn reach(&self, place: usize) -> &ByClass {
        let block = &self.plan.blocks(Street::Preflop)[0];
        &self.reach[block.views[self.p].row[place] as usize]
    }

    /// What each class meets of the opponent at a node.
    pub(crate) fn met(&self, place: usize) -> Exposure {
        ClassMatchups::get().with(self.reach(place))
    }

    /// How often a class takes an action at a node.
    pub(crate) fn frequency(&self, place: usize, action: usize, class: usize) -> f32 {
        self.frequencies[place][action][class]
    }

    /// The opponent's reach of every line that reaches the flop, in the order of its blocks.
    pub(crate) fn lines(&self) -> Vec<ByClass> {
        let block = &self.plan.blocks(Street::Preflop)[0];
        let mut lines = vec![[0.0; HAND_CLASSES]; self.plan.blocks(Street::Flop).len()];
        for (place, node) in block.nodes.iter().enumerate() {
            if let Kind::Next(line) = node.kind {
                lines[line as usize] = *self.reach(place);
            }
        }
        lines
    }

    /// What every line that reaches the flop is worth if it is checked down, over all boards.
    pub(crate) fn checked_down(&self) -> Vec<ByClass> {
        let block = &self.plan.blocks(Street::Preflop)[0];
        let pots: Vec<Stakes> = self.plan.flop_pots().collect();
        let mut lines = vec![[0.0; HAND_CLASSES]; pots.len()];
        for (place, node) in block.nodes.iter().enumerate() {
            if let Kind::Next(line) = node.kind {
                lines[line as usize] = self.met(place).showdown(pots[line as usize]);
            }
        }
        lines
    }

    /// The player's value in chips at the root, by class, where `line` gives the values of the lines
    /// that reach the flop; and the best action of each class at the player's own nodes.
    pub(crate) fn values(
        &self,
        line: impl Fn(usize) -> ByClass,
        play: Play<'_>,
    ) -> (ByClass, Vec<Vec<u8>>) {
        let (values, choices) = self.node_values(line, play);
        (values[0], choices)
    }

    /// The same with the values at every node.
    pub(crate) fn node_values(
        &self,
        line: impl Fn(usize) -> ByClass,
        play: Play<'_>,
    ) -> (Vec<ByClass>, Vec<Vec<u8>>) {
        let block = &self.plan.blocks(Street::Preflop)[0];
        let mut values = vec![[0.0; HAND_CLASSES]; block.nodes.len()];
        let mut choices = vec![Vec::new(); block.nodes.len()];
        for (place, node) in block.nodes.iter().enumerate().rev() {
            let children = block.children(place);
            values[place] = match node.kind {
                Kind::Next(number) => line(number as usize),
                Kind::Fold(pays) => self.met(place).fold(pays[self.p]),
                Kind::Showdown(stakes) => self.met(place).showdown(stakes),
                Kind::Decision(player, _) if player == self.p => {
                    let best = |class: usize| {
                        let value = |&a: &usize| values[children[a] as usize][class];
                        let first =
                            (0..children.len()).rev().max_by(|a, b| value(a).total_cmp(&value(b)));
                        first.expect("a decision has actions") as u8
                    };
                    let chosen: Vec<u8> = match play {
                        Play::Chosen(choices) => choices[place].clone(),
                        _ => (0..HAND_CLASSES).map(best).collect(),
                    };
                    let mut sum = [0.0; HAND_CLASSES];
                    for (class, sum) in sum.iter_mut().enumerate() {
                        let value = |a: usize| values[children[a] as usize][class];
                        let mixed = |by: &Preflop<'_>| {
                            let share = |a: usize| f64::from(by.frequency(place, a, class));
                            (0..children.len()).map(|a| share(a) * value(a)).sum()
                        };
                        *sum = match play {
                            Play::Strategy => mixed(self),
                            Play::Like(other) => mixed(other),
                            Play::Best | Play::Chosen(_) => value(chosen[class] as usize),
                        };
                    }
                    choices[place] = chosen;
                    sum
                }
                Kind::Decision(..) => {
                    let mut sum = [0.0; HAND_CLASSES];
                    for &child in children {
                        for (sum, value) in sum.iter_mut().zip(&values[child as usize]) {
                            *sum += value;
                        }
                    }
                    sum
                }
            };
        }
        (values, choices)
    }
}

/// Subtracts the luck of some flops from the values of lines on them, as a control variate: what the lines
/// are worth there if they are checked down, less what they are worth so over all boards. The mean of this
/// over all flops is zero, so the values stay unbiased and vary less from flop to flop.
pub(crate) fn subtract_luck(values: &mut [ByClass], here: &[ByClass], everywhere: &[ByClass]) {
    let luck = here.iter().flatten().zip(everywhere.iter().flatten());
    for (value, (here, everywhere)) in values.iter_mut().flatten().zip(luck) {
        *value -= here - everywhere;
    }
}

/// The mean over all hands of a number for each class.
pub(crate) fn mean(values: &ByClass) -> f64 {
    let sum: f64 =
        StartingHand::all().zip(values).map(|(class, value)| class.combos() as f64 * value).sum();
    sum / 1326.0
}
