//! The texture of a board: suits, pairing, connectivity and high cards, as facts and as numbers.

use lethe_cards::{CardSet, Rank};

/// How often the ranks of a board repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pairing {
    Unpaired,
    Paired,
    TwoPair,
    Trips,
    FullHouse,
    Quads,
}

/// What a board looks like, whatever its suits are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Texture {
    /// Cards on the board.
    pub(super) cards: usize,
    /// Cards of the most frequent suit.
    pub(super) largest_suit: usize,
    /// Different suits.
    pub(super) suits: usize,
    /// How often ranks repeat.
    pub(super) pairing: Pairing,
    /// Of the ten straights (five-high to ace-high), how many have at least `i` ranks on the board.
    pub(super) straights: [usize; 6],
    /// The longest run of adjacent ranks, an ace standing at either end.
    pub(super) longest_run: usize,
    /// The three highest cards' ranks, highest first, repeated ones as often as they lie there.
    pub(super) top: [Rank; 3],
    /// For each pair of neighbours among the different ranks from the highest down, the steps
    /// between them; 0 where there are no more ranks.
    pub(super) gaps: [usize; 4],
    /// The sum of all ranks, a deuce counting 0 and an ace 12.
    pub(super) rank_sum: usize,
}

/// How many numbers the texture of a board has.
pub(super) const FEATURES: usize = 19;

impl Texture {
    /// The texture of a board of three, four or five cards.
    ///
    /// # Panics
    /// If there are fewer than three cards.
    pub(super) fn of(board: CardSet) -> Texture {
        let lanes = board.lanes();
        let lengths = lanes.map(|lane| lane.count_ones() as usize);
        let mask = lanes.into_iter().fold(0, |mask, lane| mask | lane);
        let mut ranks: Vec<Rank> = board.iter().map(|card| card.rank()).collect();
        ranks.sort_unstable_by(|a, b| b.cmp(a));

        let mut repeats: Vec<usize> = ranks.chunk_by(|a, b| a == b).map(<[Rank]>::len).collect();
        repeats.sort_unstable_by(|a, b| b.cmp(a));
        let pairing = match repeats[..] {
            [4, ..] => Pairing::Quads,
            [3, 2, ..] => Pairing::FullHouse,
            [3, ..] => Pairing::Trips,
            [2, 2, ..] => Pairing::TwoPair,
            [2, ..] => Pairing::Paired,
            _ => Pairing::Unpaired,
        };

        // The ace below the deuce as well: the lowest straight is five-high.
        let wrapped = u32::from(mask) << 1 | u32::from(mask) >> 12;
        let mut straights = [0; 6];
        for low in 0..10 {
            let present = (wrapped >> low & 0b11111).count_ones() as usize;
            straights[..=present].iter_mut().for_each(|count| *count += 1);
        }
        let mut longest_run = 0;
        let mut run = wrapped;
        while run != 0 {
            run &= run >> 1;
            longest_run += 1;
        }

        let mut gaps = [0; 4];
        let mut distinct = ranks.clone();
        distinct.dedup();
        for (gap, pair) in gaps.iter_mut().zip(distinct.windows(2)) {
            *gap = pair[0].index() - pair[1].index();
        }
        Texture {
            cards: ranks.len(),
            largest_suit: lengths.into_iter().max().unwrap_or(0),
            suits: lengths.into_iter().filter(|&length| length > 0).count(),
            pairing,
            straights,
            longest_run,
            top: [ranks[0], ranks[1], ranks[2]],
            gaps,
            rank_sum: ranks.iter().map(|rank| rank.index()).sum(),
        }
    }

    /// The texture as a point for clustering.
    ///
    /// Four groups of coordinates, scaled so that a difference that changes how a board is played
    /// (one more card of a suit, a pair, a straight come possible, a high card) weighs about one:
    ///
    /// | coordinates | value |
    /// |---|---|
    /// | largest suit | its share of the way from all suits different (0) to one suit only (1) |
    /// | suits | 0 for one, 1 for four |
    /// | two-tone | 1 if two cards and no more share a suit: a flush needs another card |
    /// | flush possible | 1 if three cards or more share a suit |
    /// | one-card flush | 1 if four do |
    /// | pair, two pair, trips, full house or quads | 1 for the one that lies there |
    /// | straights possible | straights with three ranks or more on the board: a quarter each |
    /// | one-card straights | those with four or more: a half each |
    /// | longest run | its share of the way from a single rank (0) to every card in it (1) |
    /// | nearness | for each pair of neighbouring ranks 1 if adjacent, a quarter less for each rank between; the mean |
    /// | widest gap | in steps out of twelve |
    /// | top, second, third card | from 0 (deuce) to 1, 3/4 and 1/2 (ace) |
    /// | mean rank | from 0 (deuce) to 1 (ace) |
    /// | broadway | how many of the three highest cards are a ten or more: a sixth each |
    pub(super) fn features(&self) -> [f32; FEATURES] {
        let is = |truth: bool| if truth { 1.0 } else { 0.0 };
        let share = |part: usize, whole: usize| part as f32 / whole as f32;
        let neighbours = self.gaps.iter().filter(|&&gap| gap > 0).count();
        let near = self.gaps.iter().filter(|&&gap| gap > 0).map(|gap| 5usize.saturating_sub(*gap));
        let broadway = self.top.iter().filter(|rank| rank.index() >= 8).count();
        [
            share(self.largest_suit - 1, self.cards - 1),
            share(self.suits - 1, 3),
            is(self.largest_suit == 2),
            is(self.largest_suit >= 3),
            is(self.largest_suit >= 4),
            is(self.pairing == Pairing::Paired),
            is(self.pairing == Pairing::TwoPair),
            is(self.pairing == Pairing::Trips),
            is(self.pairing >= Pairing::FullHouse),
            share(self.straights[3], 4),
            share(self.straights[4], 2),
            share(self.longest_run - 1, self.cards - 1),
            share(near.sum(), 4 * neighbours.max(1)),
            share(self.gaps.into_iter().max().unwrap_or(0), 12),
            share(self.top[0].index(), 12),
            0.75 * share(self.top[1].index(), 12),
            0.5 * share(self.top[2].index(), 12),
            share(self.rank_sum, 12 * self.cards),
            0.5 * share(broadway, 3),
        ]
    }
}

#[cfg(test)]
mod tests {
    use lethe_cards::{Board, CanonicalBoard, Street, SuitMap};

    use super::*;

    fn texture(board: &str) -> Texture {
        Texture::of(board.parse::<Board>().unwrap().set())
    }

    #[test]
    fn texture_ignores_suit_names() {
        for street in Street::POSTFLOP {
            let step = CanonicalBoard::count(street) / 500 + 1;
            for board in CanonicalBoard::all(street).step_by(step) {
                let expected = Texture::of(board.set());
                for map in SuitMap::all() {
                    assert_eq!(Texture::of(map.set(board.set())), expected, "{board} by {map}");
                }
            }
        }
    }

    #[test]
    fn known_boards_have_known_textures() {
        let wet = texture("Th9h8c");
        assert_eq!((wet.largest_suit, wet.suits, wet.pairing), (2, 2, Pairing::Unpaired));
        // Q-J, J-7 and 7-6 make straights: queen-, jack- and ten-high.
        assert_eq!(wet.straights[3], 3);
        assert_eq!((wet.longest_run, wet.gaps), (3, [1, 1, 0, 0]));

        let dry = texture("Ks7d2c");
        assert_eq!((dry.largest_suit, dry.suits, dry.straights[3]), (1, 3, 0));
        assert_eq!(dry.gaps, [6, 5, 0, 0]);
        assert_eq!(dry.top.map(|rank| rank.letter()), ['K', '7', '2']);

        // The ace is low as well: five-high needs 4-5.
        let wheel = texture("As3s2s");
        assert_eq!((wheel.largest_suit, wheel.longest_run, wheel.straights[3]), (3, 3, 1));
        // And high: only ace-high.
        assert_eq!(texture("AsKsQs").straights[3], 1);

        assert_eq!(texture("9s9h5d").pairing, Pairing::Paired);
        assert_eq!(texture("9s9h9d").pairing, Pairing::Trips);
        assert_eq!(texture("9s9h5d5c").pairing, Pairing::TwoPair);
        assert_eq!(texture("9s9h5d5c9c").pairing, Pairing::FullHouse);
        assert_eq!(texture("9s9h9d5c9c").pairing, Pairing::Quads);
        let river = texture("9s8s7s6s2h");
        assert_eq!((river.largest_suit, river.straights[4], river.longest_run), (4, 2, 4));
        assert_eq!(texture("9s8s7s6s5h").straights[5], 1);
    }

    #[test]
    fn features_are_small_finite_numbers() {
        for street in Street::POSTFLOP {
            for board in CanonicalBoard::all(street) {
                for value in Texture::of(board.set()).features() {
                    assert!((0.0..=2.0).contains(&value), "{board}: {value}");
                }
            }
        }
    }
}
