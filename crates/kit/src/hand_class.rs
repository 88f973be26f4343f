//! What a hole is on a board, as players name it: made hands and draws.
//!
//! ```
//! use lethe_kit::hand_class::{Draw, Made};
//!
//! let (hole, board) = ("AhKh".parse()?, "QsJh2h".parse()?);
//! assert_eq!(Made::of(hole, &board), Made::AceHigh);
//! assert!(Draw::Flush.is_held(hole, &board) && Draw::Gutshot.is_held(hole, &board));
//! # Ok::<(), lethe_cards::ParseError>(())
//! ```

use lethe_cards::{Board, Category, Hole, Rank, Suit, evaluate};

/// An enumeration with the name of each variant.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($variant:ident $text:literal)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "their names say it")]
        pub enum $name { $($variant),* }

        impl $name {
            /// All of them with their names, in order.
            pub const ALL: &[($name, &'static str)] = &[$(($name::$variant, $text)),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text),*
                }
            }
        }
    };
}

named! {
    /// A made hand, best first. Every hole on every board is exactly one of them.
    Made {
        StraightFlush "straight flush"
        Quads "four of a kind"
        FullHouse "full house"
        Flush "flush"
        Straight "straight"
        Set "set"
        Trips "trips"
        TwoPair "two pair"
        Overpair "overpair"
        TopPair "top pair"
        PocketPair "pocket pair below top"
        SecondPair "second pair"
        LowPair "low pair"
        AceHigh "ace high"
        NoPair "no pair"
    }
}

named! {
    /// A draw. A hole may have several; on the river there are none.
    Draw {
        Flush "flush draw"
        OpenEnded "open-ended straight draw"
        Gutshot "gutshot"
        BackdoorFlush "backdoor flush draw"
    }
}

impl Made {
    /// What a hole has made on a flop, turn or river.
    ///
    /// Pairs on the board alone do not count: a hole is named by what it adds.
    pub fn of(hole: Hole, board: &Board) -> Made {
        let category = evaluate(hole.set() | board.set()).category();
        match category {
            Category::StraightFlush => return Made::StraightFlush,
            Category::Quads => return Made::Quads,
            Category::FullHouse => return Made::FullHouse,
            Category::Flush => return Made::Flush,
            Category::Straight => return Made::Straight,
            _ => {}
        }
        let [high, low] = [hole.high().rank(), hole.low().rank()];
        let mut ranks: Vec<_> = board.cards().iter().map(|card| card.rank()).collect();
        let on_board = |rank| board.cards().iter().filter(|card| card.rank() == rank).count();
        ranks.sort_unstable_by(|a, b| b.cmp(a));
        ranks.dedup();
        if high == low {
            return match on_board(high) {
                0 if ranks.first().is_none_or(|&top| high > top) => Made::Overpair,
                0 => Made::PocketPair,
                _ => Made::Set,
            };
        }
        let hits = [high, low].map(on_board);
        if hits.contains(&2) {
            return Made::Trips;
        }
        match hits {
            [a, b] if a > 0 && b > 0 => Made::TwoPair,
            [0, 0] if high == Rank::ACE => Made::AceHigh,
            [0, 0] => Made::NoPair,
            [first, _] => {
                let paired = if first > 0 { high } else { low };
                match ranks.iter().position(|&rank| rank == paired) {
                    Some(0) => Made::TopPair,
                    Some(1) => Made::SecondPair,
                    _ => Made::LowPair,
                }
            }
        }
    }
}

impl Draw {
    /// The names of all draws that a hole has.
    pub fn held(hole: Hole, board: &Board) -> Vec<&'static str> {
        let held = Draw::ALL.iter().filter(|(draw, _)| draw.is_held(hole, board));
        held.map(|&(_, name)| name).collect()
    }

    /// Whether a hole has this draw on a board: one of its own cards is part of it, and it has made
    /// no better hand of that kind.
    pub fn is_held(self, hole: Hole, board: &Board) -> bool {
        let missing = 5 - board.cards().len();
        if missing == 0 {
            return false;
        }
        let all = hole.set() | board.set();
        // The longest suit in which the hole has a card.
        let suited = Suit::all()
            .filter(|&suit| hole.set().lane(suit) != 0)
            .map(|suit| all.lane(suit).count_ones())
            .max()
            .unwrap_or(0);
        match self {
            Draw::Flush => suited == 4,
            Draw::BackdoorFlush => suited == 3 && missing == 2,
            Draw::OpenEnded => straight_outs(hole, board) >= 2,
            Draw::Gutshot => straight_outs(hole, board) == 1,
        }
    }
}

/// The ranks that would make a straight with a card of the hole in it; 0 with a straight made.
fn straight_outs(hole: Hole, board: &Board) -> usize {
    // Bit 0 is the ace as a one, bit 13 the ace on top.
    let bits = |ranks: u32| ranks << 1 | ranks >> 12;
    let union = |lanes: [u16; 4]| lanes.into_iter().fold(0, |all, lane| all | u32::from(lane));
    let table = union(board.set().lanes());
    let all = table | union(hole.set().lanes());
    let straight = |held: u32| (0..10).any(|low| held >> low & 31 == 31);
    if straight(bits(all)) {
        return 0;
    }
    let out = |rank: u32| {
        let (with, without) = (bits(all | 1 << rank), bits(table | 1 << rank));
        // Some straight that the board and the card alone do not make.
        (0..10).any(|low| with >> low & 31 == 31 && without >> low & 31 != 31)
    };
    (0..13).filter(|&rank| all >> rank & 1 == 0 && out(rank)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(hole: &str, board: &str) -> Made {
        Made::of(hole.parse().unwrap(), &board.parse().unwrap())
    }

    fn draws(hole: &str, board: &str) -> Vec<Draw> {
        let (hole, board) = (hole.parse().unwrap(), board.parse().unwrap());
        Draw::ALL.iter().map(|&(draw, _)| draw).filter(|draw| draw.is_held(hole, &board)).collect()
    }

    #[test]
    fn holes_are_named_as_players_name_them() {
        let cases = [
            ("QdQc", Made::Set),
            ("QdJc", Made::TwoPair),
            ("KdKc", Made::Overpair),
            ("AdQc", Made::TopPair),
            ("AdJc", Made::SecondPair),
            ("Ad2c", Made::LowPair),
            ("TdTc", Made::PocketPair),
            ("AdKc", Made::AceHigh),
            ("KdTc", Made::NoPair),
        ];
        for (hole, class) in cases {
            assert_eq!(made(hole, "QsJh2h"), class, "{hole}");
        }
    }

    #[test]
    fn a_pair_on_the_board_is_nobodys() {
        assert_eq!(made("AdKc", "QsQh2h"), Made::AceHigh);
        assert_eq!(made("QdKc", "QsQh2h"), Made::Trips);
        assert_eq!(made("Ad2c", "QsQh2h"), Made::SecondPair);
        assert_eq!(made("KdKc", "QsQh2h"), Made::Overpair);
        assert_eq!(made("3d3c", "QsQh2h2s"), Made::PocketPair);
        assert_eq!(made("QdQc", "QsQh2h"), Made::Quads);
        assert_eq!(made("2d2c", "QsQh2h"), Made::FullHouse);
    }

    #[test]
    fn draws_need_a_card_of_the_hole() {
        assert_eq!(draws("AhKh", "QsJh2h"), [Draw::Flush, Draw::Gutshot]);
        assert_eq!(draws("KdTc", "QsJh2h"), [Draw::OpenEnded]);
        assert_eq!(draws("AhKc", "QsJh2h"), [Draw::Gutshot, Draw::BackdoorFlush]);
        assert_eq!(draws("9d3c", "QsJh2h"), []);
        assert_eq!(draws("5d3c", "Ac2h9h"), [Draw::Gutshot]);
        // Four to a straight on the board: only a hole that improves it draws by itself.
        assert_eq!(draws("2d2c", "9sTdJhQc"), []);
        assert_eq!(draws("Ad2c", "9sTdJhQc"), [Draw::Gutshot]);
        assert_eq!(draws("Kd2c", "9sTdJhQc"), []);
        assert_eq!(draws("AhKh", "QsJh2h3c4d"), []);
    }

    #[test]
    fn every_hole_of_every_kind_of_board_has_one_name() {
        for board in ["2s2h2d", "QsQh2h2s", "As2s3s4s5s", "KsKhKdKcAs", "Th9h8c"] {
            let board: Board = board.parse().unwrap();
            for hole in Hole::all().filter(|hole| !hole.set().intersects(board.set())) {
                let made = Made::of(hole, &board);
                assert_eq!(Made::ALL.iter().filter(|(class, _)| *class == made).count(), 1);
            }
        }
    }
}
