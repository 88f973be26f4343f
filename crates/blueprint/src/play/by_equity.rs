//! A player who goes by the equity of its hand alone.

use lethe_abstraction::artifact::VerifyError;
use lethe_abstraction::{Abstraction, BuildError, Equities};
use lethe_cards::{Board, Hole, Matchups, Situation, StartingHand, Street, vs_random};
use lethe_compute::Job;
use lethe_game::{Action, NodeId, Tree};

use super::Policy;
use super::baseline::always;

/// A player who goes by its exact equity against a uniform opponent, whatever was done before.
///
/// From an equity of [`ByEquity::RAISES_FROM`] on it bets or raises, by the smallest size there is.
/// Otherwise it calls where the equity is above the pot odds, folds where it is not, and checks where
/// there is nothing to call.
pub struct ByEquity<'a> {
    preflop: Vec<u32>,
    postflop: Source<'a>,
}

/// Where equities of flop and turn come from.
enum Source<'a> {
    Stored([&'a [u32]; 2]),
    Computed(Equities),
}

/// The hand that means an equity of one.
const ONE: u32 = 1 << 31;

impl<'a> ByEquity<'a> {
    /// The equity from which it bets and raises.
    pub const RAISES_FROM: f64 = 0.7;

    /// A player who reads the equities of flop and turn from an abstraction, after checking them;
    /// `None` if it does not have them.
    pub fn stored(
        abstraction: &'a Abstraction,
        job: Job<'_>,
    ) -> Result<Option<ByEquity<'a>>, VerifyError> {
        let [flop, turn] =
            [Street::Flop, Street::Turn].map(|street| abstraction.equity_table(street, job));
        let tables = flop?.zip(turn?).map(|(flop, turn)| Source::Stored([flop, turn]));
        Ok(tables.map(|postflop| ByEquity { preflop: preflop(), postflop }))
    }

    /// A player who computes the equities of every flop and turn first, which takes some seconds.
    pub fn computed(job: Job<'_>) -> Result<ByEquity<'static>, BuildError> {
        let equities = Equities::compute(job)?;
        Ok(ByEquity { preflop: preflop(), postflop: Source::Computed(equities) })
    }

    fn equity(&self, hole: Hole, board: &Board) -> Option<f64> {
        let (situation, _) = Situation::of(hole, board)?;
        let street = board.street();
        let known = match (&self.postflop, street) {
            (Source::Computed(equities), _) => equities.of(street),
            (Source::Stored([flop, _]), Street::Flop) => Some(*flop),
            (Source::Stored([_, turn]), Street::Turn) => Some(*turn),
            _ => None,
        };
        let sum = match known {
            Some(known) => known[situation.index()],
            None => return vs_random::river_hole(board.set(), hole)?.equity(),
        };
        Some(f64::from(sum) / f64::from(vs_random::equity_scale(street)))
    }
}

/// The hands of all classes.
fn preflop() -> Vec<u32> {
    let matchups = Matchups::shipped();
    let equity = |class: StartingHand| {
        let hole = class.holes().next().expect("a class has holes");
        matchups.against(hole, &[1; Hole::COUNT]).equity().expect("there are opponents")
    };
    StartingHand::all().map(|class| to_hand(equity(class))).collect()
}

fn to_hand(equity: f64) -> u32 {
    (equity * f64::from(ONE)).round() as u32
}

impl Policy for ByEquity<'_> {
    fn hand(&self, hole: Hole, board: &Board) -> u32 {
        match board.street() {
            Street::Preflop => self.preflop[hole.class().index()],
            _ => to_hand(self.equity(hole, board).unwrap_or(0.0)),
        }
    }

    fn frequencies(&self, tree: &Tree, node: NodeId, hand: u32, shares: &mut [f32]) {
        let equity = f64::from(hand) / f64::from(ONE);
        let actions = tree.actions(node);
        let find = |wanted: fn(&Action) -> bool| actions.iter().position(wanted);
        let raise = find(|action| action.amount().is_some());
        let call = find(|action| *action == Action::Call);
        let [oop, ip] = tree.node(node).contributed();
        let owed = f64::from(oop.abs_diff(ip));
        let odds = owed / (f64::from(tree.pot(node)) + owed);
        let place = match (raise, call) {
            (Some(raise), _) if equity >= ByEquity::RAISES_FROM => raise,
            (_, Some(call)) if equity > odds => call,
            // The first action is the fold, or the check where there is nothing to call.
            _ => 0,
        };
        always(place, shares);
    }
}
