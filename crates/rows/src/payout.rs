//! What rows of the opponent's reach are paid at the terminal nodes of a betting tree.

/// No node.
pub const NONE: u32 = u32::MAX;

/// What a showdown pays a player. A tie is halfway between a loss and a win, with or without rake.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stakes {
    /// For a loss.
    pub lose: f32,
    /// How much more for a tie, and as much again for a win.
    pub half: f32,
}

/// What a terminal node pays one player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Terminal {
    /// A fold pays the same against every hand.
    Fold(f32),
    /// A showdown.
    Showdown(Stakes),
}

/// One row of the opponent's reach, and the terminal nodes it is paid at: a showdown, a fold of the
/// traverser's, or both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Payout {
    /// The row of the opponent's reach.
    pub row: u32,
    /// The node of the showdown, or [`NONE`].
    pub show: u32,
    /// What the showdown pays.
    pub stakes: Stakes,
    /// The node of the fold, or [`NONE`].
    pub fold: u32,
    /// What the fold pays.
    pub fold_pay: f32,
}

impl Payout {
    /// A row that is paid nowhere.
    pub(crate) const NOTHING: Payout = Payout {
        row: 0,
        show: NONE,
        stakes: Stakes { lose: 0.0, half: 0.0 },
        fold: NONE,
        fold_pay: 0.0,
    };
}

/// The payouts of a piece of betting for one traverser.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Payouts {
    /// Those with a showdown.
    pub shows: Vec<Payout>,
    /// Those with a fold only.
    pub folds: Vec<Payout>,
}

impl Payouts {
    /// The payouts of terminal nodes, each given with the row of the opponent's reach there.
    ///
    /// A fold joins a showdown of the same row: both are paid by one walk through the holes.
    pub fn new(terminals: impl Iterator<Item = (u32, u32, Terminal)> + Clone) -> Payouts {
        let mut payouts = Payouts::default();
        for (node, row, terminal) in terminals.clone() {
            if let Terminal::Showdown(stakes) = terminal {
                let payout = Payout { row, show: node, stakes, fold: NONE, fold_pay: 0.0 };
                payouts.shows.push(payout);
            }
        }
        for (node, row, terminal) in terminals {
            let Terminal::Fold(pay) = terminal else { continue };
            let free = |payout: &&mut Payout| payout.row == row && payout.fold == NONE;
            match payouts.shows.iter_mut().find(free) {
                Some(payout) => (payout.fold, payout.fold_pay) = (node, pay),
                None => payouts.folds.push(Payout {
                    row,
                    show: NONE,
                    stakes: Stakes::default(),
                    fold: node,
                    fold_pay: pay,
                }),
            }
        }
        payouts
    }

    /// The payouts with a showdown, then those without: a walk takes only one of the two kinds.
    pub fn kinds(&self) -> [&[Payout]; 2] {
        [&self.shows, &self.folds]
    }
}
