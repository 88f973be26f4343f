//! `Run`: the classes one entry of a range's text stands for, from `22` to `JTs-87s`.

use std::fmt;

use crate::card::Rank;
use crate::hole::StartingHand;

/// How the suits of an entry's two ranks relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Two cards of one rank.
    Pair,
    /// The suffix `s`.
    Suited,
    /// The suffix `o`.
    Offsuit,
    /// No suffix: suited and offsuit.
    Both,
}

impl Kind {
    fn suffix(self) -> &'static str {
        match self {
            Kind::Pair | Kind::Both => "",
            Kind::Suited => "s",
            Kind::Offsuit => "o",
        }
    }

    /// Whether the classes of this kind are suited; both answers for [`Kind::Both`].
    fn suited(self) -> &'static [bool] {
        match self {
            Kind::Pair | Kind::Offsuit => &[false],
            Kind::Suited => &[true],
            Kind::Both => &[true, false],
        }
    }
}

/// Two ranks, the higher one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ranks {
    pub(super) high: Rank,
    pub(super) low: Rank,
}

impl Ranks {
    pub(super) fn new(a: Rank, b: Rank) -> Ranks {
        Ranks { high: a.max(b), low: a.min(b) }
    }

    pub(super) fn gap(self) -> usize {
        self.high.index() - self.low.index()
    }

    /// The last ranks of the run that `+` begins here: both ranks climb up to the ace where they
    /// differ by at most one, else the kicker climbs up to the high card.
    fn plus(self) -> Ranks {
        let high = if self.gap() <= 1 { Rank::ACE } else { self.high };
        let low = raised(high, -i8::from(self.gap() > 0));
        Ranks::new(high, low.unwrap_or(high))
    }
}

impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.high, self.low)
    }
}

/// Classes of one kind from `bottom` to `top`, where either the low rank or both ranks climb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) kind: Kind,
    bottom: Ranks,
    top: Ranks,
}

impl Run {
    /// The run between two ends in either order, if they share the high card or the gap.
    pub(super) fn between(kind: Kind, a: Ranks, b: Ranks) -> Option<Run> {
        let (bottom, top) = if a.low <= b.low { (a, b) } else { (b, a) };
        let regular = a.high == b.high || a.gap() == b.gap();
        regular.then_some(Run { kind, bottom, top })
    }

    /// The run of one step.
    pub(super) fn single(kind: Kind, ranks: Ranks) -> Run {
        Run { kind, bottom: ranks, top: ranks }
    }

    /// The run that `+` begins.
    pub(super) fn up_from(kind: Kind, bottom: Ranks) -> Run {
        Run { kind, bottom, top: bottom.plus() }
    }

    pub(super) fn top(&self) -> Ranks {
        self.top
    }

    pub(super) fn with_kind(self, kind: Kind) -> Run {
        Run { kind, ..self }
    }

    /// Whether the run has one step.
    pub(super) fn is_single(&self) -> bool {
        self.bottom == self.top
    }

    /// The ranks of each step, lowest first.
    pub(super) fn steps(self) -> impl Iterator<Item = Ranks> {
        let climb = self.top.high != self.bottom.high;
        let last = self.top.low.index() - self.bottom.low.index();
        (0..=last as i8).filter_map(move |step| {
            let high = raised(self.bottom.high, if climb { step } else { 0 });
            Some(Ranks::new(high?, raised(self.bottom.low, step)?))
        })
    }

    /// Every class of the run.
    pub(super) fn classes(self) -> impl Iterator<Item = StartingHand> {
        self.steps().flat_map(move |Ranks { high, low }| {
            let class = move |&suited| StartingHand::new(high, low, suited);
            self.kind.suited().iter().filter_map(class)
        })
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (top, bottom, suffix) = (self.top, self.bottom, self.kind.suffix());
        if top == bottom {
            write!(f, "{bottom}{suffix}")
        } else if top == bottom.plus() {
            write!(f, "{bottom}{suffix}+")
        } else {
            write!(f, "{top}{suffix}-{bottom}{suffix}")
        }
    }
}

/// The rank `places` higher, if there is one.
fn raised(rank: Rank, places: i8) -> Option<Rank> {
    Rank::new((rank.index() as u8).checked_add_signed(places)?)
}
