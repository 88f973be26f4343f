//! The river boards that a board may become.

use lethe_cards::{CanonicalBoard, CardSet, Situation, Street};

/// The river boards that a board may become, up to its own suit symmetry, and how many each stands
/// for.
///
/// A symmetry of the board turns one runout into another and leaves the board as it is; holes that
/// it turns into one another share a bucket, so both runouts have the same showdowns between
/// buckets. That leaves 134,459 river boards of all rivers, 652,353 of all turns and 1,286,792 of
/// all flops: a turn and a river card, in no order, are to a flop what a hole is.
pub(super) fn runouts(board: CanonicalBoard) -> Vec<(CardSet, u16)> {
    let set = board.set();
    match board.street() {
        Street::River => vec![(set, 1)],
        Street::Turn => board
            .symmetry()
            .next_cards(set)
            .map(|next| (set | next.card.into(), next.multiplicity as u16))
            .collect(),
        Street::Flop => {
            let cards = board.board();
            let canonical = |cards_dealt| {
                let (runout, _) = Situation::of(cards_dealt, &cards)?;
                let images = runout.orbit() / board.multiplicity();
                (runout.hole() == cards_dealt).then_some((set | cards_dealt.set(), images as u16))
            };
            board.deck().holes().filter_map(canonical).collect()
        }
        Street::Preflop => Vec::new(),
    }
}

/// How many runouts a pair of disjoint holes has on a street, and how many runouts there are up to
/// the symmetry of their boards.
pub(super) const fn counts(street: Street) -> (u64, u64) {
    match street {
        Street::Preflop => (48 * 47 * 46 * 45 * 44 / 120, 0),
        Street::Flop => (45 * 44 / 2, 1_286_792),
        Street::Turn => (44, 652_353),
        Street::River => (1, 134_459),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runouts_up_to_symmetry_stand_for_all() {
        for (street, each) in [(Street::Flop, 1_176), (Street::Turn, 48), (Street::River, 1)] {
            let mut different = 0;
            for board in CanonicalBoard::all(street) {
                let runouts = runouts(board);
                different += runouts.len() as u64;
                assert_eq!(runouts.iter().map(|&(_, images)| u32::from(images)).sum::<u32>(), each);
            }
            assert_eq!(different, counts(street).1, "{street}");
        }
    }
}
