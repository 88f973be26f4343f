//! Clusters of boards in words.

use lethe_cards::Rank;

use crate::boards::BoardSet;
use crate::report::BoardCluster;

use super::boards::BoardClusters;
use super::features::{Pairing, Texture};

/// How near a board is to straights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Connectivity {
    /// No two cards make a straight.
    Disconnected,
    /// Two cards make one straight only.
    Gapped,
    /// Two cards make two straights or more.
    Connected,
    /// One card makes a straight.
    FourToAStraight,
    /// It lies there.
    Straight,
}

impl Connectivity {
    fn of(texture: &Texture) -> Connectivity {
        let [_, _, _, with_two_cards, with_one_card, on_board] = texture.straights;
        match (with_two_cards, with_one_card, on_board) {
            (_, _, 1..) => Connectivity::Straight,
            (_, 1.., _) => Connectivity::FourToAStraight,
            (2.., _, _) => Connectivity::Connected,
            (1, _, _) => Connectivity::Gapped,
            _ => Connectivity::Disconnected,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Connectivity::Disconnected => "disconnected",
            Connectivity::Gapped => "gapped",
            Connectivity::Connected => "connected",
            Connectivity::FourToAStraight => "four to a straight",
            Connectivity::Straight => "straight on board",
        }
    }
}

impl Pairing {
    fn words(self) -> &'static str {
        match self {
            Pairing::Unpaired => "unpaired",
            Pairing::Paired => "paired",
            Pairing::TwoPair => "two pair",
            Pairing::Trips => "trips",
            Pairing::FullHouse => "full house",
            Pairing::Quads => "quads",
        }
    }
}

/// The suit pattern of boards in words.
fn suit_words(largest_suit: usize, cards: usize) -> &'static str {
    match largest_suit {
        1 => "rainbow",
        _ if largest_suit == cards => "monotone",
        2 if cards == 5 => "no flush",
        2 => "two-tone",
        3 => "three to a flush",
        _ => "four to a flush",
    }
}

/// The weight of the boards of each kind.
struct Census<T>(Vec<(T, u64)>);

impl<T: Copy + Ord> Census<T> {
    fn new(kinds: impl Iterator<Item = (T, u64)>) -> Census<T> {
        let mut kinds: Vec<(T, u64)> = kinds.collect();
        kinds.sort_unstable_by_key(|kind| kind.0);
        kinds.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        Census(kinds)
    }

    fn total(&self) -> u64 {
        self.0.iter().map(|kind| kind.1).sum()
    }

    /// The most frequent kind, the lowest of equally frequent ones, and its raw boards.
    fn most(&self) -> (T, u64) {
        let ahead = |best: (T, u64), kind: &(T, u64)| if kind.1 > best.1 { *kind } else { best };
        self.0[1..].iter().fold(self.0[0], ahead)
    }

    /// The kind below which `percent` of the raw boards lie.
    fn percentile(&self, percent: u64) -> T {
        let wanted = self.total() * percent;
        let mut below = 0;
        let reached = self.0.iter().find(|kind| {
            below += kind.1 * 100;
            below > wanted
        });
        reached.unwrap_or(&self.0[self.0.len() - 1]).0
    }

    /// The most frequent kind in words, with "mostly" if a tenth of the boards are of another.
    fn words(&self, words: impl Fn(T) -> &'static str) -> String {
        let (kind, weight) = self.most();
        let mostly = if weight * 10 < self.total() * 9 { "mostly " } else { "" };
        format!("{mostly}{}", words(kind))
    }
}

/// What the boards of a cluster look like together.
pub(super) struct Portrait {
    cards: usize,
    largest_suit: Census<usize>,
    pairing: Census<Pairing>,
    connectivity: Census<Connectivity>,
    top: Census<Rank>,
    /// The sum of all ranks over all raw boards.
    rank_sum: u64,
}

impl Portrait {
    /// The portrait of the boards at some positions of a set, at least one.
    pub(super) fn of(boards: &BoardSet, positions: &[usize]) -> Portrait {
        let textures: Vec<(Texture, u64)> = positions
            .iter()
            .map(|&position| (Texture::of(boards.board(position).set()), boards.weight(position)))
            .collect();
        let each = || textures.iter();
        Portrait {
            cards: textures[0].0.cards,
            largest_suit: Census::new(each().map(|(t, weight)| (t.largest_suit, *weight))),
            pairing: Census::new(each().map(|(t, weight)| (t.pairing, *weight))),
            connectivity: Census::new(each().map(|(t, weight)| (Connectivity::of(t), *weight))),
            top: Census::new(each().map(|(t, weight)| (t.top[0], *weight))),
            rank_sum: each().map(|(t, weight)| t.rank_sum as u64 * weight).sum(),
        }
    }

    /// Cards of the largest suit on most boards.
    pub(super) fn suits(&self) -> usize {
        self.largest_suit.most().0
    }

    /// The pairing of most boards.
    pub(super) fn pairing(&self) -> Pairing {
        self.pairing.most().0
    }

    /// The mean rank in millionths of a rank.
    pub(super) fn mean_rank(&self) -> u64 {
        self.rank_sum * 1_000_000 / (self.largest_suit.total() * self.cards as u64)
    }

    /// The boards in words, such as "two-tone, unpaired, connected, nine to jack high".
    fn words(&self) -> String {
        let suits = self.largest_suit.words(|largest| suit_words(largest, self.cards));
        let pairing = self.pairing.words(Pairing::words);
        let connectivity = self.connectivity.words(Connectivity::words);
        // What a tenth of the boards at either end have does not count.
        let (low, high) = (self.top.percentile(10), self.top.percentile(89));
        let top = match low == high {
            true => high.name().to_owned(),
            false => format!("{} to {}", low.name(), high.name()),
        };
        format!("{suits}, {pairing}, {connectivity}, {top} high")
    }
}

/// The clusters as a report describes them, in order.
pub(super) fn describe(boards: &BoardSet, clusters: &BoardClusters) -> Vec<BoardCluster> {
    let one = |members: &Vec<usize>| BoardCluster {
        boards: members.len() as u64,
        weight: members.iter().map(|&position| boards.weight(position)).sum(),
        typical: boards.board(members[0]).board().to_string(),
        description: Portrait::of(boards, members).words(),
    };
    clusters.members.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use lethe_cards::{Board, CanonicalBoard};

    use super::*;

    fn words(boards: &[&str]) -> String {
        let board = boards[0].parse::<Board>().unwrap();
        let all = BoardSet::all(board.street());
        let canonical = |text: &&str| CanonicalBoard::of(&text.parse::<Board>().unwrap()).0;
        let positions = boards.iter().map(|text| all.position(canonical(text)).unwrap());
        Portrait::of(&all, &positions.collect::<Vec<_>>()).words()
    }

    #[test]
    fn boards_are_described_as_players_do() {
        assert_eq!(words(&["Th9h8c"]), "two-tone, unpaired, connected, ten high");
        assert_eq!(words(&["AsKsQs"]), "monotone, unpaired, gapped, ace high");
        assert_eq!(words(&["9s9h2d"]), "rainbow, paired, disconnected, nine high");
        assert_eq!(words(&["9s9h2d2c"]), "rainbow, two pair, disconnected, nine high");
        assert_eq!(
            words(&["9s8s7s6h2s"]),
            "four to a flush, unpaired, four to a straight, nine high"
        );
        assert_eq!(words(&["9s9h9d2c2s"]), "no flush, full house, disconnected, nine high");
        assert_eq!(
            words(&["Ts9h8c", "9s8h7c", "8s7h6c", "7s7h6c"]),
            "rainbow, mostly unpaired, mostly connected, seven to ten high"
        );
    }
}
