//! A pair of strategies on a game: their values, their best responses and the hands' equity.

use lethe_compute::{Cancelled, Job};
use lethe_game::Player;
use lethe_rows::{NONE, Payout, Stakes, Terminals, loops};
use rayon::prelude::*;

use crate::boards::BoardNode;
use crate::cells::BoardData;
use crate::engine::{Captured, Data, Engine, TraverserMode, Walk};
use crate::solver::Evaluation;
use crate::spot::{Spot, compatible};

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
    pub(crate) job: Job<'a>,
}

impl<'a> Profile<'a> {
    pub(crate) fn walk(&self, player: Player, mode: TraverserMode) -> Walk<'a> {
        let tables = if self.uniform { [None, None] } else { self.tables };
        Walk { player, mode, uniform: self.uniform, tables, captured: None, job: self.job }
    }

    /// Records a player's values at the leaves of one level.
    pub(crate) fn capture(
        &self,
        player: Player,
        mode: TraverserMode,
        captured: &Captured,
    ) -> Result<(), Cancelled> {
        let reach = Player::BOTH.map(|p| root_row(self.spot, &self.engine.root, p));
        let walk = Walk { captured: Some(captured), ..self.walk(player, mode) };
        let rows = [reach[0].as_slice(), reach[1].as_slice()];
        self.engine.run(&walk, Data::Read(self.data), rows, None)?;
        Ok(())
    }

    /// A player's value at the root, in chips.
    fn value(&self, player: Player, mode: TraverserMode) -> Result<f64, Cancelled> {
        let reach = Player::BOTH.map(|p| root_row(self.spot, &self.engine.root, p));
        let rows = [reach[0].as_slice(), reach[1].as_slice()];
        let walk = self.walk(player, mode);
        let values = self.engine.run(&walk, Data::Read(self.data), rows, None)?;
        let own = reach[player.index()].iter().zip(&values);
        Ok(own.map(|(&w, &v)| f64::from(w) * f64::from(v)).sum::<f64>() / self.spot.pairs())
    }

    fn values(&self, mode: TraverserMode) -> Result<[f64; 2], Cancelled> {
        Ok([self.value(Player::Oop, mode)?, self.value(Player::Ip, mode)?])
    }

    /// What each player's best response to the other wins, in chips.
    pub(crate) fn best_responses(&self) -> Result<[f64; 2], Cancelled> {
        self.values(TraverserMode::Best)
    }

    /// Half of what both players could gain by deviating, in chips, from what their best responses
    /// win.
    pub(crate) fn exploitability(&self, best_responses: [f64; 2]) -> Result<f64, Cancelled> {
        let best: f64 = best_responses.iter().sum();
        let ev = if self.spot.is_rake_free() {
            self.spot.pot()
        } else {
            self.values(TraverserMode::Average)?.iter().sum()
        };
        Ok((best - ev) / 2.0)
    }

    /// The whole evaluation, from what the best responses win.
    pub(crate) fn evaluation(&self, best_response: [f64; 2]) -> Result<Evaluation, Cancelled> {
        let ev = self.values(TraverserMode::Average)?;
        let exploitability = (best_response[0] - ev[0] + best_response[1] - ev[1]) / 2.0;
        let pot = self.spot.pot();
        let bracket = self.spot.is_rake_free().then(|| [pot - best_response[1], best_response[0]]);
        Ok(Evaluation { ev, equity: self.equity()?, best_response, exploitability, bracket })
    }

    /// Each player's equity at the root.
    fn equity(&self) -> Result<[f64; 2], Cancelled> {
        let root = &self.engine.root;
        let reach = Player::BOTH.map(|p| root_row(self.spot, root, p));
        let value = equities(root, Player::Oop, &reach[1], self.job)?;
        let own = reach[0].iter().zip(&value);
        let sum = own.map(|(&w, &v)| f64::from(w) * f64::from(v)).sum::<f64>();
        let oop = sum / self.spot.pairs();
        Ok([oop, 1.0 - oop])
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
pub(crate) fn equities(
    board: &BoardNode,
    player: Player,
    opp: &[f32],
    job: Job<'_>,
) -> Result<Vec<f32>, Cancelled> {
    job.install(|| runout_equities(board, player, opp, job))
}

fn runout_equities(
    board: &BoardNode,
    player: Player,
    opp: &[f32],
    job: Job<'_>,
) -> Result<Vec<f32>, Cancelled> {
    job.check()?;
    let p = player.index();
    let stride = board.hands[p].stride();
    if !board.order.is_empty() {
        let most = stride.max(board.hands[1 - p].stride());
        let stakes = Stakes { lose: 0.0, half: 0.5 };
        let payout = Payout { row: 0, show: 0, stakes, fold: NONE, fold_pay: 0.0 };
        let mut values = vec![0.0; stride];
        Terminals::<f64>::new(most).pay(board.seat(p), &[payout], opp, &mut values);
        return Ok(values);
    }
    let below = board.children.par_iter().map(|child| {
        let mut reach = vec![0.0; child.node.hands[1 - p].stride()];
        loops::gather(&mut reach, opp, &child.down[1 - p]);
        runout_equities(&child.node, player, &reach, job)
    });
    let below: Vec<Vec<f32>> = below.collect::<Result<_, Cancelled>>()?;
    let mut sums = vec![0.0f64; stride];
    for (child, values) in board.children.iter().zip(&below) {
        for up in &child.up {
            for (sum, &place) in sums.iter_mut().zip(&up[p]) {
                *sum += f64::from(values[place as usize]);
            }
        }
    }
    let factor = 1.0 / (52 - board.board.cards().len() - 4) as f64;
    Ok(sums.into_iter().map(|sum| (sum * factor) as f32).collect())
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
