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

    /// Both players' weights as rows of the first board.
    pub(crate) fn root_rows(&self) -> [Vec<f32>; 2] {
        Player::BOTH.map(|p| root_row(self.spot, &self.engine.root, p))
    }

    /// Records a player's values at nodes of one level.
    pub(crate) fn capture(
        &self,
        player: Player,
        mode: TraverserMode,
        captured: &Captured,
    ) -> Result<(), Cancelled> {
        let walk = Walk { captured: Some(captured), ..self.walk(player, mode) };
        let [oop, ip] = &self.root_rows();
        self.engine.run(&walk, Data::Read(self.data), [oop, ip], None)?;
        Ok(())
    }

    /// A player's values at the root, as a row of the first board: each hand's in chips times the
    /// weight of the opponent's hands that it can meet.
    pub(crate) fn values(
        &self,
        player: Player,
        mode: TraverserMode,
    ) -> Result<Vec<f32>, Cancelled> {
        let walk = self.walk(player, mode);
        let [oop, ip] = &self.root_rows();
        self.engine.run(&walk, Data::Read(self.data), [oop, ip], None)
    }

    fn both(&self, mode: TraverserMode) -> Result<[Vec<f32>; 2], Cancelled> {
        Ok([self.values(Player::Oop, mode)?, self.values(Player::Ip, mode)?])
    }

    /// What values at the root are worth to each player on average, in chips.
    pub(crate) fn means(&self, values: &[Vec<f32>; 2]) -> [f64; 2] {
        let (reach, pairs) = (self.root_rows(), self.spot.pairs());
        [0, 1].map(|p| {
            let own = reach[p].iter().zip(&values[p]);
            own.map(|(&w, &v)| f64::from(w) * f64::from(v)).sum::<f64>() / pairs
        })
    }

    /// The values at the root of each player's best response to the other.
    pub(crate) fn best_responses(&self) -> Result<[Vec<f32>; 2], Cancelled> {
        self.both(TraverserMode::Best)
    }

    /// Half of what both players could gain by deviating, in chips, from the values of their best
    /// responses.
    pub(crate) fn exploitability(&self, best: &[Vec<f32>; 2]) -> Result<f64, Cancelled> {
        let best: f64 = self.means(best).iter().sum();
        let ev = if self.spot.is_rake_free() {
            self.spot.pot()
        } else {
            self.means(&self.both(TraverserMode::Average)?).iter().sum()
        };
        Ok((best - ev) / 2.0)
    }

    /// The whole evaluation, from the values of the best responses.
    pub(crate) fn evaluation(&self, best: [Vec<f32>; 2]) -> Result<Measured, Cancelled> {
        let average = self.both(TraverserMode::Average)?;
        let (ev, best_response) = (self.means(&average), self.means(&best));
        let exploitability = (best_response[0] - ev[0] + best_response[1] - ev[1]) / 2.0;
        let pot = self.spot.pot();
        let bracket = self.spot.is_rake_free().then(|| [pot - best_response[1], best_response[0]]);
        let equity = self.equity()?;
        let evaluation = Evaluation { ev, equity, best_response, exploitability, bracket };
        Ok(Measured { evaluation, values: RootValues { average, best } })
    }

    /// Each player's equity at the root.
    fn equity(&self) -> Result<[f64; 2], Cancelled> {
        let root = &self.engine.root;
        let reach = self.root_rows();
        let value = equities(root, Player::Oop, &reach[1], self.job)?;
        let own = reach[0].iter().zip(&value);
        let sum = own.map(|(&w, &v)| f64::from(w) * f64::from(v)).sum::<f64>();
        let oop = sum / self.spot.pairs();
        Ok([oop, 1.0 - oop])
    }
}

/// Both players' values at the root, as rows of the first board.
#[derive(Clone, Debug)]
pub(crate) struct RootValues {
    /// Where both play their average strategies.
    pub(crate) average: [Vec<f32>; 2],
    /// Where the player plays a best response to the other's average strategy.
    pub(crate) best: [Vec<f32>; 2],
}

/// A pair of strategies, measured.
pub(crate) struct Measured {
    pub(crate) evaluation: Evaluation,
    pub(crate) values: RootValues,
}

/// A player's weights as a row of the first board.
pub(crate) fn root_row(spot: &Spot, root: &BoardNode, player: Player) -> Vec<f32> {
    let (hands, weights) = (&root.hands[player.index()], spot.weights(player));
    let mut row: Vec<f32> = hands.holes.iter().map(|hole| weights[hole.index()]).collect();
    row.resize(hands.stride(), 0.0);
    row
}

/// For each hand of a player, what a pot of 1 pays it at a showdown after all runouts: its equity
/// times the reach of the hands it can meet. A row for each row of the opponent's reach.
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
    let [stride, opp_stride] = [p, 1 - p].map(|p| board.hands[p].stride());
    let rows = opp.len() / opp_stride;
    if !board.order.is_empty() {
        let stakes = Stakes { lose: 0.0, half: 0.5 };
        let payout = |row: u32| Payout { row, show: row, stakes, fold: NONE, fold_pay: 0.0 };
        let payouts: Vec<Payout> = (0..rows as u32).map(payout).collect();
        let mut values = vec![0.0; rows * stride];
        let most = stride.max(opp_stride);
        Terminals::<f64>::new(most).pay(board.seat(p), &payouts, opp, &mut values);
        return Ok(values);
    }
    let below = board.children.par_iter().map(|child| {
        let down = &child.down[1 - p];
        let mut reach = vec![0.0; rows * down.len()];
        for (out, row) in reach.chunks_exact_mut(down.len()).zip(opp.chunks_exact(opp_stride)) {
            loops::gather(out, row, down);
        }
        runout_equities(&child.node, player, &reach, job)
    });
    let below: Vec<Vec<f32>> = below.collect::<Result<_, Cancelled>>()?;
    let mut sums = vec![0.0f64; rows * stride];
    for (child, values) in board.children.iter().zip(&below) {
        let values = values.chunks_exact(child.node.hands[p].stride());
        for (sums, values) in sums.chunks_exact_mut(stride).zip(values) {
            for up in &child.up {
                for (sum, &place) in sums.iter_mut().zip(&up[p]) {
                    *sum += f64::from(values[place as usize]);
                }
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
