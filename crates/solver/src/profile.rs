//! A pair of strategies on a game: their values, their best responses and the hands' equity.

use lethe_game::Player;

use crate::boards::BoardNode;
use crate::cells::BoardData;
use crate::engine::{Captured, Data, Engine, Job, Own};
use crate::plan::{Lane, NONE};
use crate::solver::Evaluation;
use crate::spot::{Spot, compatible};
use crate::terminal::Terminals;

/// The tables of a bucketed player: for each level, rows of buckets.
pub(crate) type Averages = Option<Vec<Vec<f32>>>;

/// The average strategies of both players, or the uniform ones.
#[derive(Clone, Copy)]
pub(crate) struct Profile<'a> {
    pub(crate) spot: &'a Spot,
    pub(crate) engine: &'a Engine,
    pub(crate) data: &'a BoardData,
    pub(crate) tables: [Option<&'a [Vec<f32>]>; 2],
    pub(crate) uniform: bool,
}

impl<'a> Profile<'a> {
    pub(crate) fn job(&self, player: Player, own: Own) -> Job<'a> {
        let tables = if self.uniform { [None, None] } else { self.tables };
        Job { player, own, uniform: self.uniform, tables, captured: None }
    }

    /// Notes a player's values at the leaves of one level.
    pub(crate) fn capture(&self, player: Player, own: Own, captured: &Captured) {
        let reach = Player::BOTH.map(|p| root_row(self.spot, &self.engine.root, p));
        let job = Job { captured: Some(captured), ..self.job(player, own) };
        let rows = [reach[0].as_slice(), reach[1].as_slice()];
        self.engine.run(&job, Data::Read(self.data), rows, None);
    }

    /// A player's value at the root, in chips.
    pub(crate) fn value(&self, player: Player, own: Own) -> f64 {
        let reach = Player::BOTH.map(|p| root_row(self.spot, &self.engine.root, p));
        let job = self.job(player, own);
        let rows = [reach[0].as_slice(), reach[1].as_slice()];
        let values = self.engine.run(&job, Data::Read(self.data), rows, None);
        let own = reach[player.index()].iter().zip(&values);
        own.map(|(&w, &v)| f64::from(w) * f64::from(v)).sum::<f64>() / self.spot.pairs()
    }

    /// Half of what both players could gain by deviating, in chips.
    pub(crate) fn exploitability(&self) -> f64 {
        let best: f64 = Player::BOTH.map(|p| self.value(p, Own::Best)).iter().sum();
        let ev = if self.spot.is_rake_free() {
            self.spot.pot()
        } else {
            Player::BOTH.map(|p| self.value(p, Own::Average)).iter().sum()
        };
        (best - ev) / 2.0
    }

    pub(crate) fn evaluation(&self) -> Evaluation {
        let best_response = Player::BOTH.map(|p| self.value(p, Own::Best));
        let ev = Player::BOTH.map(|p| self.value(p, Own::Average));
        let exploitability = (best_response[0] - ev[0] + best_response[1] - ev[1]) / 2.0;
        let pot = self.spot.pot();
        let bracket = self.spot.is_rake_free().then(|| [pot - best_response[1], best_response[0]]);
        Evaluation { ev, equity: self.equity(), best_response, exploitability, bracket }
    }

    /// Each player's equity at the root.
    fn equity(&self) -> [f64; 2] {
        let root = &self.engine.root;
        let reach = Player::BOTH.map(|p| root_row(self.spot, root, p));
        let value = equities(root, Player::Oop, &reach[1]);
        let own = reach[0].iter().zip(&value);
        let sum = own.map(|(&w, &v)| f64::from(w) * f64::from(v)).sum::<f64>();
        let oop = sum / self.spot.pairs();
        [oop, 1.0 - oop]
    }
}

/// A player's weights as a row of the first board.
pub(crate) fn root_row(spot: &Spot, root: &BoardNode, player: Player) -> Vec<f32> {
    let (hands, weights) = (&root.hands[player.index()], spot.weights(player));
    let mut row: Vec<f32> = hands.holes.iter().map(|hole| weights[hole.index()]).collect();
    row.resize(hands.stride(), 0.0);
    row
}

/// For each hand of a player, what a pot of 1 pays it at a showdown after all runouts against the
/// opponent's reach: its equity times the reach of the hands it can meet.
pub(crate) fn equities(board: &BoardNode, player: Player, opp: &[f32]) -> Vec<f32> {
    use rayon::prelude::*;
    let p = player.index();
    let stride = board.hands[p].stride();
    if !board.order.ends.is_empty() {
        let most = stride.max(board.hands[1 - p].stride());
        let lane = Lane { row: 0, show: 0, pay: [0.5, 0.5, 0.0], fold: NONE, fold_pay: 0.0 };
        let mut values = vec![0.0; stride];
        Terminals::new(most).run::<false>(board, p, &[lane], opp, &mut values, true);
        return values;
    }
    let below = board.children.par_iter().map(|child| {
        let mut reach = vec![0.0; child.node.hands[1 - p].stride()];
        crate::kernel::gather(&mut reach, opp, &child.down[1 - p]);
        equities(&child.node, player, &reach)
    });
    let below: Vec<Vec<f32>> = below.collect();
    let mut sums = vec![0.0f64; stride];
    for (child, values) in board.children.iter().zip(&below) {
        for up in &child.up {
            for (sum, &place) in sums.iter_mut().zip(&up[p]) {
                *sum += f64::from(values[place as usize]);
            }
        }
    }
    let factor = 1.0 / (52 - board.board.cards().len() - 4) as f64;
    sums.into_iter().map(|sum| (sum * factor) as f32).collect()
}

/// For each hand of a player, the opponent's reach that shares no card with it.
pub(crate) fn against(board: &BoardNode, player: Player, opp: &[f32]) -> Vec<f64> {
    let p = player.index();
    let mut weights = vec![0.0; lethe_cards::Hole::COUNT];
    for (hole, &weight) in board.hands[1 - p].holes.iter().zip(opp) {
        weights[hole.index()] = weight;
    }
    let all = compatible(&weights, board.board.set());
    board.hands[p].holes.iter().map(|hole| all[hole.index()]).collect()
}
