//! Rows, the walk through them, the maps between them, and sums over their holes.

use lethe_cards::{
    Board, CanonicalBoard, CardSums, Deck, DeckMap, Hole, River, Row, SuitMap, by_high_card,
    evaluate, pair_index,
};

const BOARDS: [&str; 5] = ["", "Th9h8c", "AsAhAd", "Td9d6sQh", "KsKhQdQc3c"];

fn boards() -> impl Iterator<Item = Board> {
    BOARDS
        .into_iter()
        .map(|text| if text.is_empty() { Board::EMPTY } else { text.parse().unwrap() })
}

#[test]
fn the_walk_by_high_card_meets_every_slot_once() {
    for cards in [0_usize, 1, 2, 47, 52] {
        let mut row = vec![usize::MAX; cards * cards.saturating_sub(1) / 2];
        for (high, entries) in by_high_card(&mut row, cards).enumerate() {
            for (low, entry) in entries.iter_mut().enumerate() {
                *entry = pair_index(low, high);
            }
        }
        assert!(row.iter().enumerate().all(|(slot, &entry)| slot == entry));
    }
}

#[test]
#[should_panic(expected = "an entry for each pair of cards")]
fn a_row_of_another_length_is_refused() {
    by_high_card(&mut [0; 1080], 47).for_each(drop);
}

#[test]
fn a_row_finds_the_entry_of_every_hole() {
    for board in boards() {
        let mut row = Row::from_fn(board.set(), |hole| hole);
        assert_eq!(row.len(), row.deck().holes_len());
        for hole in Hole::all() {
            let live = !hole.set().intersects(board.set());
            assert_eq!(row.get(hole).copied(), live.then_some(hole));
        }
        assert!(row.holes().all(|(hole, &entry)| hole == entry));
        let [first, other] = [0, 1].map(|slot| (*row)[slot]);
        row[first] = other;
        assert_eq!((*row)[0], other);
    }
}

#[test]
fn a_map_between_decks_finds_the_slot_of_every_hole() {
    for board in boards() {
        let (canonical, suits) = CanonicalBoard::of(&board);
        let from = Deck::without(board.set());
        let others = [
            (canonical.deck(), suits),
            (Deck::without(Board::EMPTY.set()), SuitMap::IDENTITY),
            (Deck::without("2c3c7d".parse::<Board>().unwrap().set()), SuitMap::IDENTITY),
        ];
        for (to, suits) in others {
            let map = DeckMap::new(&from, &to, suits);
            let mut found = vec![None; from.holes_len()];
            map.for_each_hole(&mut found, |entry, slot| *entry = Some(slot));
            for (hole, found) in from.holes().zip(&found) {
                assert_eq!(*found, to.slot(suits.hole(hole)));
                let [low, high] =
                    [hole.low(), hole.high()].map(|c| from.position(c).unwrap() as u8);
                assert_eq!(map.slot([low, high]), *found);
            }
            if found.iter().all(Option::is_some) {
                assert!(map.slots().iter().zip(&found).all(|(&a, b)| Some(a as usize) == *b));
            }
        }
    }
}

#[test]
fn a_sweep_sums_over_weaker_and_over_not_stronger_holes() {
    let board: Board = "KsKhQdQc3c".parse().unwrap();
    let deck = Deck::without(board.set());
    let holes: Vec<Hole> = deck.holes().collect();
    let strengths: Vec<_> = holes.iter().map(|hole| evaluate(hole.set() | board.set())).collect();
    let weight = |slot: usize| (slot * slot % 97) as u64;
    let (mut weaker, mut not_stronger) = (vec![0; holes.len()], vec![0; holes.len()]);
    let mut sums = CardSums::default();
    let showdown = River::new(board.set()).showdown();
    sums.sweep(showdown.groups().map(|group| [group, group]), weight, |slot, sum, has_ties| {
        if has_ties {
            not_stronger[slot] = sum.wrapping_add(weight(slot));
        } else {
            weaker[slot] = sum;
        }
    });
    for (slot, hole) in holes.iter().enumerate().step_by(11) {
        let sum = |meets: &dyn Fn(usize) -> bool| -> u64 {
            let others =
                (0..holes.len()).filter(|&other| !holes[other].set().intersects(hole.set()));
            others.filter(|&other| meets(other)).map(weight).sum()
        };
        assert_eq!(weaker[slot], sum(&|other| strengths[other] < strengths[slot]));
        assert_eq!(not_stronger[slot], sum(&|other| strengths[other] <= strengths[slot]));
        let cards = [hole.low(), hole.high()].map(|card| deck.position(card).unwrap() as u8);
        assert_eq!(sums.against(cards).wrapping_add(weight(slot)), sum(&|_| true));
    }
}
