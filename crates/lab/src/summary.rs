//! The results of a grid in figures: means over boards and seeds, and their spread.

use serde::Serialize;

use crate::lab::Outline;
use crate::measure::Profile;
use crate::results::{Results, Subject};

/// The figures of a grid. Losses are in thousandths of the pot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The lossless game of each board.
    pub boards: Vec<BoardFigures>,
    /// The weighted mean of the lossless floors; `None` before the first is finished.
    pub floor: Option<f64>,
    /// A row for each method and number of buckets, the least loss first within each number.
    pub rows: Vec<Row>,
}

/// The lossless game of a board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardFigures {
    /// The board.
    pub board: String,
    /// How much it counts.
    pub weight: f64,
    /// The epsilon of a solve that loses nothing: what the iterations leave.
    pub floor: f64,
    /// Where the value of the game to OOP lies, as a share of the pot.
    pub value: [f64; 2],
}

/// What one method with one number of buckets loses.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    /// The recipe, or the abstraction's name.
    pub method: String,
    /// Whether it is a stored abstraction.
    pub artifact: bool,
    /// The buckets per street asked for; `None` where the method has its own number.
    pub buckets: Option<usize>,
    /// The mean number of buckets that occur on flop, turn and river; 0 before the game starts.
    pub occurring: [f64; 3],
    /// The weighted mean over boards and seeds of what the best response gains over the value.
    pub epsilon: f64,
    /// Its standard deviation over boards and seeds.
    pub spread: f64,
    /// The least and the greatest.
    pub range: [f64; 2],
    /// The mean of the standard deviations over seeds on each board; `None` with one seed.
    pub seed_spread: Option<f64>,
    /// The part of each seat, OOP's first, by the middle of the value's bracket.
    pub seats: [f64; 2],
    /// The same where both players learned bucketed.
    pub symmetric: Option<f64>,
    /// How many cells are behind it.
    pub cells: usize,
    /// How many there will be.
    pub expected: usize,
    /// The seconds they took together.
    pub seconds: f64,
    /// The result on each board and seed.
    pub each: Vec<Each>,
}

/// The result on one board with one seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Each {
    /// The board.
    pub board: String,
    /// The seed; `None` where nothing is random.
    pub seed: Option<u64>,
    /// The loss.
    pub epsilon: f64,
    /// The loss where both players learned bucketed.
    pub symmetric: Option<f64>,
    /// The buckets that occur on flop, turn and river.
    pub occurring: [usize; 3],
    #[serde(skip)]
    weight: f64,
    #[serde(skip)]
    seats: [f64; 2],
}

impl Summary {
    /// The figures of the finished cells of a grid.
    pub fn of(outline: &Outline, results: &Results) -> Summary {
        let pot = f64::from(outline.betting.pot);
        let cells = outline.finished(results);
        let floor_of = |board: &str| -> Option<Profile> {
            let cell = cells.iter().find(|(_, key, outcome)| {
                key.board == board && key.subject == Subject::Lossless && outcome.floor.is_some()
            });
            cell.and_then(|(_, _, outcome)| outcome.floor)
        };
        let boards: Vec<BoardFigures> = outline
            .boards
            .iter()
            .filter_map(|(board, weight)| {
                let floor = floor_of(board)?;
                Some(BoardFigures {
                    board: board.clone(),
                    weight: *weight,
                    floor: floor.epsilon(pot),
                    value: floor.bracket(pot).map(|chips| chips / pot),
                })
            })
            .collect();
        let mut rows: Vec<Row> = Vec::new();
        for &(weight, key, outcome) in &cells {
            let (method, buckets, seed) = match &key.subject {
                Subject::Lossless => continue,
                Subject::Method { name, buckets, seed, .. } => (name, *buckets, *seed),
                Subject::Artifact { name, .. } => (name, None, None),
            };
            let artifact = matches!(key.subject, Subject::Artifact { .. });
            let same = |row: &&mut Row| {
                row.method == *method && row.buckets == buckets && row.artifact == artifact
            };
            let row = rows.iter_mut().find(same);
            if let Some(symmetric) = outcome.symmetric {
                let Some(row) = row else { continue };
                let same = |each: &&mut Each| each.board == key.board && each.seed == seed;
                if let Some(each) = row.each.iter_mut().find(same) {
                    each.symmetric = Some(symmetric.epsilon(pot));
                    row.seconds += outcome.seconds;
                }
                continue;
            }
            let Some((loss, floor)) = outcome.loss.zip(floor_of(&key.board)) else { continue };
            let each = Each {
                board: key.board.clone(),
                seed,
                epsilon: loss.epsilon(pot),
                symmetric: None,
                occurring: outcome.occurring.unwrap_or_default(),
                weight,
                seats: loss.by_seat(pot, floor.value(pot)),
            };
            match row {
                Some(row) => {
                    row.each.push(each);
                    row.seconds += outcome.seconds;
                }
                None => rows.push(Row {
                    method: method.clone(),
                    artifact,
                    buckets,
                    expected: outline.expected(&key.subject),
                    seconds: outcome.seconds,
                    each: vec![each],
                    ..Row::default()
                }),
            }
        }
        rows.iter_mut().for_each(Row::finish);
        rows.sort_by(|a, b| {
            let group = |row: &Row| (!row.artifact, row.buckets);
            group(a).cmp(&group(b)).then(a.epsilon.total_cmp(&b.epsilon))
        });
        let floors: Vec<(f64, f64)> = boards.iter().map(|b| (b.weight, b.floor)).collect();
        Summary { floor: (!boards.is_empty()).then(|| mean(&floors)), boards, rows }
    }
}

impl Row {
    fn finish(&mut self) {
        let figures = |figure: &dyn Fn(&Each) -> f64| -> Vec<(f64, f64)> {
            self.each.iter().map(|each| (each.weight, figure(each))).collect()
        };
        let epsilons = figures(&|each| each.epsilon);
        let seats = [0, 1].map(|seat| mean(&figures(&|each| each.seats[seat])));
        let occurring =
            [0, 1, 2].map(|street| mean(&figures(&|each| each.occurring[street] as f64)));
        let symmetric = self.each.iter().all(|each| each.symmetric.is_some());
        self.symmetric =
            symmetric.then(|| mean(&figures(&|each| each.symmetric.unwrap_or_default())));
        self.epsilon = mean(&epsilons);
        self.spread = deviation(&epsilons);
        let least = epsilons.iter().map(|e| e.1).fold(f64::INFINITY, f64::min);
        let most = epsilons.iter().map(|e| e.1).fold(f64::NEG_INFINITY, f64::max);
        self.range = [least, most];
        self.seats = seats;
        self.occurring = occurring;
        self.cells = self.each.len();
        self.seed_spread = self.over_seeds();
    }

    /// The mean over boards of the standard deviation over seeds.
    fn over_seeds(&self) -> Option<f64> {
        let mut boards: Vec<&str> = self.each.iter().map(|each| each.board.as_str()).collect();
        boards.dedup();
        let spreads: Vec<(f64, f64)> = boards
            .iter()
            .filter_map(|board| {
                let of: Vec<&Each> = self.each.iter().filter(|e| e.board == *board).collect();
                let values: Vec<(f64, f64)> = of.iter().map(|e| (1.0, e.epsilon)).collect();
                (of.len() > 1).then(|| (of[0].weight, deviation(&values)))
            })
            .collect();
        (!spreads.is_empty()).then(|| mean(&spreads))
    }
}

/// The mean of weighted values; 0 if there are none.
fn mean(values: &[(f64, f64)]) -> f64 {
    let total: f64 = values.iter().map(|v| v.0).sum();
    let sum: f64 = values.iter().map(|v| v.0 * v.1).sum();
    if total > 0.0 { sum / total } else { 0.0 }
}

/// The standard deviation of weighted values.
fn deviation(values: &[(f64, f64)]) -> f64 {
    let middle = mean(values);
    let squares: Vec<(f64, f64)> =
        values.iter().map(|&(weight, value)| (weight, (value - middle).powi(2))).collect();
    mean(&squares).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_deviations_are_weighted() {
        let values = [(3.0, 1.0), (1.0, 5.0)];
        assert_eq!(mean(&values), 2.0);
        assert_eq!(deviation(&values), 3f64.sqrt());
        assert_eq!(deviation(&[(2.0, 7.0)]), 0.0);
    }
}
