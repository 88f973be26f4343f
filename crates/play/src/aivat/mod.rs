//! AIVAT: scores with luck removed.
//!
//! The score of a hand is what a player won. Most of its variance is luck: the cards of both players, the
//! board, and what mixed strategies happened to do. AIVAT (Burch, Schmid, Moravčík, Morrill and Bowling
//! 2018) takes out what can be computed, and changes no mean. For a player whose strategy is known:
//!
//! * The payoff is averaged over all holes that the player could have held, given the opponent's hole, the
//!   board and how often each of them would have acted as was acted.
//! * For each random event *e* of which the probabilities are known, the deal of the opponent's hole and of
//!   each street, the player's own actions and those of an opponent whose strategy is known too, a
//!   correction `E[v(e)] - v(e)` is added: what the event was worth before it happened, less what it is
//!   worth as it happened.
//!
//! Whatever *v* is, each correction has the mean 0, because both terms are computed from what was known
//! before the event. The better *v* predicts the payoff, the less variance remains. Here *v* is a
//! [`Baseline`]: the values of a blueprint.
//!
//! Where the opponent's hole is not known for every hand, neither the average over our holes nor the
//! corrections for the board can be computed, not even for the hands in which it was shown: these are no
//! random sample. [`View::Own`] then corrects for our own hole and actions.

mod baseline;
mod score;
mod street;
#[cfg(test)]
mod tests;
mod trace;

pub use baseline::Baseline;
pub(crate) use score::shrink;
pub use score::{Score, ScoreError, ScoreTally};
pub(crate) use street::{hands, results, rows_of};
pub use trace::{Ending, Step, Trace, TraceError, View};

use std::borrow::Cow;

use lethe_blueprint::ValuesError;
use lethe_cards::{Board, Card, CardSet, CardSums, Hole, Street};
use lethe_game::{NodeId, Player};

use self::street::Frame;

impl Baseline<'_> {
    /// What a player won in a hand, in chips, with luck removed.
    ///
    /// # Errors
    /// If the values of the blueprint are damaged.
    pub fn luck_removed(&self, trace: &Trace) -> Result<f64, ValuesError> {
        let mut hand = Hand::new(self, trace);
        hand.run()?;
        Ok(hand.payoff() + hand.correction)
    }
}

/// A hand on the way. One player's hole is known to the corrections, the other has a range.
struct Hand<'a> {
    baseline: &'a Baseline<'a>,
    trace: &'a Trace,
    known: Player,
    hole: Hole,
    /// What the known player's values count for the scored player.
    sign: f64,
    /// How often each hole of the player with the range acts as was acted; 0 for those that hole and
    /// board block.
    reach: Vec<f64>,
    frame: Frame,
    correction: f64,
}

impl<'a> Hand<'a> {
    fn new(baseline: &'a Baseline<'a>, trace: &'a Trace) -> Hand<'a> {
        let known = match trace.view {
            View::Both => trace.own.opponent(),
            View::Own => trace.own,
        };
        let hole = trace.holes[known.index()].expect("a trace has the holes of its view");
        Hand {
            baseline,
            trace,
            known,
            hole,
            sign: if known == trace.own { 1.0 } else { -1.0 },
            reach: Hole::all()
                .map(|h| f64::from(u8::from(!h.set().intersects(hole.set()))))
                .collect(),
            frame: Frame::new(baseline, Board::EMPTY, hole),
            correction: 0.0,
        }
    }

    fn run(&mut self) -> Result<(), ValuesError> {
        let root = self.baseline.tree().root();
        let dealt = self.baseline.hand(self.known, root, self.hole)?;
        self.correct(self.baseline.mean_hand(self.known)?, dealt);
        for step in &self.trace.steps {
            while self.frame.board.street() < step.street {
                self.deal(step)?;
            }
            // From where nothing of the tree stands for the hand, there are no values.
            let Some(node) = step.node else { continue };
            if let Some(shares) = self.shares(step) {
                let values = self.children(step, node)?;
                let expected = shares.iter().zip(&values).map(|(p, v)| p * v).sum();
                self.correct(expected, values[step.taken]);
            }
            self.reach = self.reach_after(step, node, step.taken).into_owned();
        }
        Ok(())
    }

    fn correct(&mut self, expected: f64, happened: f64) {
        self.correction += self.sign * (expected - happened);
    }

    /// Deals the next street, on which the step is the first.
    fn deal(&mut self, step: &Step) -> Result<(), ValuesError> {
        let street = self.frame.board.street().next().expect("a step is on the river at last");
        let board = board_on(&self.trace.board, street);
        if let (View::Both, Some(node), true) = (self.trace.view, step.node, street == step.street)
        {
            let line = self.baseline.line(self.known, node)?;
            let value = |bucket: u32| f64::from(line[bucket as usize]);
            let expected = match street {
                Street::Flop => self.expected_flop(line),
                _ => self.expected_card(line),
            };
            let happened = value(self.baseline.bucket(self.hole, &board));
            let chips = |value| self.baseline.in_hand(self.known, node, step.before, value);
            self.correct(chips(expected), chips(happened));
        }
        let new: CardSet = board.set() - self.frame.board.set();
        for (hole, reach) in Hole::all().zip(&mut self.reach) {
            if hole.set().intersects(new) {
                *reach = 0.0;
            }
        }
        self.frame = Frame::new(self.baseline, board, self.hole);
        Ok(())
    }

    /// The mean value of the known hole over all flops, each as likely as the range of the other player
    /// leaves it.
    fn expected_flop(&self, line: &[f32]) -> f64 {
        let sums = self.sums();
        let pair = |a: Card, b: Card| self.reach[Hole::new(a, b).expect("cards differ").index()];
        let flops = self.baseline.flops(self.hole);
        let (mut mass, mut sum) = (0.0, 0.0);
        let cards = &flops.cards;
        let mut buckets = flops.buckets.iter();
        for (k, &c) in cards.iter().enumerate() {
            for (j, &b) in cards[..k].iter().enumerate() {
                let outer = sums.all - sums.with[b.index()] - sums.with[c.index()] + pair(b, c);
                for &a in &cards[..j] {
                    let weight = outer - sums.with[a.index()] + pair(a, b) + pair(a, c);
                    let bucket = *buckets.next().expect("a bucket for each flop");
                    mass += weight;
                    sum += weight * f64::from(line[bucket as usize]);
                }
            }
        }
        sum / mass
    }

    /// The same over all next cards.
    fn expected_card(&self, line: &[f32]) -> f64 {
        let sums = self.sums();
        let (mut mass, mut sum) = (0.0, 0.0);
        for &(card, bucket) in self.frame.next(self.baseline) {
            let weight = sums.all - sums.with[card.index()];
            mass += weight;
            sum += weight * f64::from(line[bucket as usize]);
        }
        sum / mass
    }

    fn sums(&self) -> CardSums<f64> {
        let mut sums = CardSums::default();
        for (hole, &reach) in Hole::all().zip(&self.reach) {
            sums.add([hole.low(), hole.high()].map(|card| card.index() as u8), reach);
        }
        sums
    }

    /// What each action of a step is worth to the known player, in the hand's chips.
    fn children(&self, step: &Step, node: NodeId) -> Result<Vec<f64>, ValuesError> {
        let (baseline, known) = (self.baseline, self.known);
        let nodes = baseline.tree().children(node);
        let mut values = Vec::with_capacity(step.children.len());
        for (place, (&child, &put)) in step.children.iter().zip(&step.put).enumerate() {
            let value = match step.street {
                Street::Preflop => baseline.hand(known, nodes[child], self.hole)?,
                _ => {
                    let reach = self.reach_after(step, node, place);
                    self.frame.walk(baseline, known, &reach).value(nodes[child])?
                }
            };
            values.push(baseline.in_hand(known, nodes[child], put, value));
        }
        Ok(values)
    }

    /// How often each action was to be expected, where that is known.
    fn shares(&self, step: &Step) -> Option<Vec<f64>> {
        let rows = step.frequencies.as_deref()?;
        let rows = rows.chunks_exact(Hole::COUNT);
        if step.player == self.known {
            // An opponent's strategy is of no use where its hole is not known.
            return Some(rows.map(|row| f64::from(row[self.hole.index()])).collect());
        }
        if self.trace.view == View::Own {
            return None;
        }
        let masses =
            rows.map(|row| row.iter().zip(&self.reach).map(|(&p, r)| f64::from(p) * r).sum());
        let masses: Vec<f64> = masses.collect();
        let total: f64 = masses.iter().sum();
        Some(masses.iter().map(|mass| mass / total).collect())
    }

    /// The range after an action: as it is, where the known player acts or nothing of it would act so.
    fn reach_after(&self, step: &Step, node: NodeId, place: usize) -> Cow<'_, [f64]> {
        if step.player == self.known {
            return Cow::Borrowed(&self.reach);
        }
        let multiplied = |row: &[f32]| -> Vec<f64> {
            self.reach.iter().zip(row).map(|(reach, &p)| reach * f64::from(p)).collect()
        };
        let row =
            |rows: &[f32], place: usize| multiplied(&rows[place * Hole::COUNT..][..Hole::COUNT]);
        let next = match (self.trace.view, &step.frequencies) {
            (View::Both, Some(rows)) => row(rows, place),
            // What the blueprint would do stands for what the opponent does.
            _ => row(&self.frame.rows(self.baseline, node), step.children[place]),
        };
        match next.iter().any(|&reach| reach > 0.0) {
            true => Cow::Owned(next),
            false => Cow::Borrowed(&self.reach),
        }
    }

    /// What the scored player wins at the end: on average over its range, if that is its own.
    fn payoff(&self) -> f64 {
        match self.trace.ending {
            Ending::Fold(chips) => chips,
            Ending::Showdown { street, pays: [win, tie, lose] } => {
                let board = board_on(&self.trace.board, street);
                let (mut mass, mut sum) = (0.0, 0.0);
                let mut add = |weight: f64, [wins, ties, losses]: [f64; 3]| {
                    mass += weight;
                    sum += weight * (wins * win + ties * tie + losses * lose);
                };
                match self.trace.view {
                    View::Both => {
                        let holes = Hole::all().zip(&self.reach).filter(|(_, reach)| **reach > 0.0);
                        let (holes, reach): (Vec<Hole>, Vec<f64>) = holes.unzip();
                        // Wins of the known player are losses of the scored one.
                        let found = results(self.hole, &board, &holes, usize::MAX);
                        let pairs = reach.into_iter().zip(found);
                        pairs.for_each(|(reach, [w, t, l])| add(reach, [l, t, w]));
                    }
                    View::Own => {
                        let other = self.trace.holes[self.known.opponent().index()];
                        let other = [other.expect("shown at a showdown")];
                        add(1.0, results(self.hole, &board, &other, usize::MAX)[0]);
                    }
                }
                sum / mass
            }
        }
    }
}

/// The first cards of a board.
fn board_on(board: &Board, street: Street) -> Board {
    Board::new(&board.cards()[..street.board_len()]).expect("distinct cards")
}
