//! Suit isomorphism and its indices: invariance under all 24 permutations, and counts.

use lethe_cards::{Board, CanonicalBoard, Card, Deck, Hole, Situation, Street, SuitMap, Symmetry};
use rand::seq::index::sample;
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// A random board of a street and a hole beside it.
fn random_deal(rng: &mut ChaCha8Rng, street: Street) -> (Board, Hole) {
    let dealt: Vec<Card> = sample(rng, 52, street.board_len() + 2)
        .into_iter()
        .map(|i| Card::from_index(i).unwrap())
        .collect();
    (Board::new(&dealt[2..]).unwrap(), Hole::new(dealt[0], dealt[1]).unwrap())
}

#[test]
fn canonical_form_ignores_suit_names() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for street in Street::ALL {
        for _ in 0..20_000 {
            let (board, hole) = random_deal(&mut rng, street);
            let (situation, map) = Situation::of(hole, &board).unwrap();
            assert_eq!(map.set(board.set()), situation.board().set());
            assert_eq!(map.hole(hole), situation.hole());
            // The board is a prefix: it does not depend on the hole.
            assert_eq!(situation.board(), CanonicalBoard::of(&board).0);
            // A canonical form is its own canonical form.
            let again = Situation::of(situation.hole(), &situation.board().board()).unwrap();
            assert_eq!(again, (situation, SuitMap::IDENTITY));
            assert_eq!(Situation::from_index(street, situation.index()), Some(situation));
            assert_eq!(Situation::slot_of(hole, &board), Some(situation.index()));
            let mut images = std::collections::HashSet::new();
            for rename in SuitMap::all() {
                let image = (rename.board(&board), rename.hole(hole));
                assert_eq!(Situation::of(image.1, &image.0).unwrap().0, situation);
                images.insert((image.0.set(), image.1));
            }
            assert_eq!(images.len() as u32, situation.orbit());
        }
    }
}

#[test]
fn suit_maps_form_the_group_of_24() {
    let all: std::collections::HashSet<_> = SuitMap::all().collect();
    assert_eq!(all.len(), 24);
    for a in SuitMap::all() {
        assert_eq!(a.then(a.inverse()), SuitMap::IDENTITY);
        for b in SuitMap::all() {
            assert!(all.contains(&a.then(b)));
            let card = Card::from_index(17).unwrap();
            assert_eq!(a.then(b).card(card), b.card(a.card(card)));
        }
    }
}

#[test]
fn canonical_boards_are_dense_ordered_and_stand_for_every_raw_board() {
    // Burnside's lemma gives the counts; the weights sum to 52 choose 3, 4 and 5.
    for (street, raw) in [
        (Street::Preflop, 1),
        (Street::Flop, 22_100),
        (Street::Turn, 270_725),
        (Street::River, 2_598_960),
    ] {
        let mut weight = 0;
        let mut last = None;
        for (index, board) in CanonicalBoard::all(street).enumerate() {
            assert_eq!(board.index(), index);
            assert_eq!(CanonicalBoard::of(&board.board()).0, board);
            assert_eq!(board.street(), street);
            assert!(last < Some(board.set().bits()));
            last = Some(board.set().bits());
            weight += board.multiplicity();
        }
        assert_eq!(weight, raw);
        assert_eq!(CanonicalBoard::from_index(street, CanonicalBoard::count(street)), None);
    }
}

#[test]
fn every_raw_flop_and_turn_has_its_canonical_board() {
    fn visit(cards: &mut Vec<Card>, left: usize, counts: &mut [u32]) {
        if left == 0 {
            return counts[CanonicalBoard::of(&Board::new(cards).unwrap()).0.index()] += 1;
        }
        let from = cards.last().map_or(0, |card| card.index() + 1);
        for index in from..52 {
            cards.push(Card::from_index(index).unwrap());
            visit(cards, left - 1, counts);
            cards.pop();
        }
    }
    for street in Street::POSTFLOP {
        let mut counts = vec![0; CanonicalBoard::count(street)];
        visit(&mut Vec::new(), street.board_len(), &mut counts);
        for (board, count) in CanonicalBoard::all(street).zip(counts) {
            assert_eq!(board.multiplicity(), count, "{board}");
        }
    }
}

/// Counts canonical slots and sums their orbits over all situations of a street.
fn situations(street: Street) -> (usize, u64) {
    let mut found = (0, 0);
    for board in CanonicalBoard::all(street) {
        let (cards, row) = (board.board(), board.index() * Deck::row_len(street));
        for (slot, hole) in board.deck().holes().enumerate() {
            let (situation, _) = Situation::of(hole, &cards).unwrap();
            if situation.hole() == hole {
                assert_eq!(situation.index(), row + slot);
                found.0 += 1;
                found.1 += u64::from(situation.orbit());
            }
        }
    }
    found
}

#[test]
fn situations_count_as_burnside_says() {
    let raw = [1326, 22_100 * 1_176, 270_725 * 1_128, 2_598_960 * 1_081];
    for street in Street::ALL {
        let expected = (Situation::count(street), raw[street.index()]);
        assert_eq!(situations(street), expected, "{street}");
    }
    assert_eq!(Situation::slots(Street::Flop), 2_063_880);
}

#[test]
fn a_hand_keeps_its_relation_to_the_suits_of_the_board() {
    let of = |hole: &str, board: &str| {
        Situation::of(hole.parse().unwrap(), &board.parse().unwrap()).unwrap().0
    };
    assert_ne!(of("AsKs", "Ts9s8c"), of("AhKh", "Ts9s8c"));
    assert_eq!(of("AsKs", "Ts9s8c"), of("AhKh", "Th9h8c"));
    // Labels by first appearance tell these apart, though a swap of clubs and diamonds joins them.
    assert_eq!(of("AhKh", "2c2d7s"), of("AhKh", "2d2c7s"));
    assert_eq!(of("AcKc", "2c2d7s"), of("AdKd", "2c2d7s"));
    assert!(Situation::of("TsKs".parse().unwrap(), &"Ts9s8c".parse().unwrap()).is_none());
    assert!(Situation::slot_of("TsKs".parse().unwrap(), &"Ts9s8c".parse().unwrap()).is_none());
}

#[test]
fn next_cards_count_as_the_orbits_of_the_board_and_cover_the_deck() {
    let mut counts = [0, 0, 0];
    for flop in CanonicalBoard::all(Street::Flop) {
        for turn in flop.symmetry().next_cards(flop.set()) {
            counts[0] += 1;
            let dealt = flop.set() | turn.card.into();
            counts[2] += flop.symmetry().after(turn.card).next_cards(dealt).count();
        }
    }
    for turn in CanonicalBoard::all(Street::Turn) {
        counts[1] += turn.symmetry().next_cards(turn.set()).count();
    }
    assert_eq!(counts, [63_193, 652_353, 2_554_656]);

    for board in CanonicalBoard::all(Street::Turn).step_by(7) {
        let mut seen = board.set();
        for next in board.symmetry().next_cards(board.set()) {
            assert_eq!(next.images().count() as u32, next.multiplicity);
            for (card, map) in next.images() {
                assert!(!seen.contains(card));
                seen.insert(card);
                assert_eq!(map.card(next.card), card);
                assert_eq!(map.set(board.set()), board.set());
            }
        }
        assert_eq!(seen.len(), 52);
        assert_eq!(
            board.symmetry().maps().count() as u32 * board.multiplicity(),
            24,
            "orbit and stabiliser of {board}"
        );
    }
    assert_eq!(Symmetry::of(Board::EMPTY.set()).maps().count(), 24);
}
