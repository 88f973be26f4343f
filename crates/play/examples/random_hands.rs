//! Random hands as PHH: any stacks, antes and legal sizes, some of them not finished.
//!
//! ```console
//! cargo run --release -p lethe-play --example random_hands -- 2000 > random.phhs
//! ```

use std::error::Error;
use std::io::{self, Write};

use lethe_cards::{Board, Card, Hole};
use lethe_cluster::hash;
use lethe_game::Action;
use lethe_play::{End, PlayedHand, sized, write_hands};

/// A stream of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 += 1;
        hash(self.0) % bound
    }
}

fn hand(number: u64) -> Result<PlayedHand, Box<dyn Error>> {
    let mut random = Random(number << 32);
    let mut deck: Vec<Card> = (0..52).filter_map(Card::from_index).collect();
    let mut card = |random: &mut Random| deck.swap_remove(random.below(deck.len() as u64) as usize);
    let big = 2 + random.below(100) as u32;
    let small = 1 + random.below(u64::from(big) - 1) as u32;
    let ante = if random.below(3) == 0 { random.below(20) as u32 } else { 0 };
    let stacks = [(); 2].map(|()| ante + big + 1 + random.below(u64::from(big) * 40) as u32);
    let holes = [(); 2].map(|()| Hole::new(card(&mut random), card(&mut random)));
    let runout = [(); 5].map(|()| card(&mut random));
    let mut hand = PlayedHand { ante, holes, ..PlayedHand::new(number, stacks, small, big) };
    let ends_early = random.below(10) == 0;
    loop {
        let replay = hand.replay()?;
        let End::ToAct(state) = replay.end else { break };
        if ends_early && hand.actions.len() > 3 {
            break;
        }
        let owed = state.put[0].max(state.put[1]) > state.put[state.to_act.index()];
        let can_raise = state.put[0].max(state.put[1]) < state.stack;
        hand.actions.push(match random.below(6) {
            0 if owed => Action::Fold,
            1 | 2 if can_raise => {
                let least = replay.game.least_bet(&state);
                let more = random.below(u64::from(state.stack - least) + 1) as u32;
                sized(&state, least + if random.below(4) == 0 { more } else { more / 8 })
            }
            _ if owed => Action::Call,
            _ => Action::Check,
        });
        // The board follows the betting.
        for cards in [0, 3, 4, 5] {
            hand.board = Board::new(&runout[..cards]).ok_or("distinct cards")?;
            if hand.replay().is_ok() {
                break;
            }
        }
    }
    Ok(hand)
}

fn main() -> Result<(), Box<dyn Error>> {
    let count: u64 = std::env::args().nth(1).map_or(Ok(1000), |text| text.parse())?;
    let hands = (1..=count).map(hand).collect::<Result<Vec<_>, _>>()?;
    io::stdout().write_all(write_hands(&hands, 1)?.as_bytes())?;
    Ok(())
}
