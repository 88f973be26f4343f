//! Random numbers whose every bit is fixed by a seed.

use lethe_cards::{Card, CardSet};
use lethe_cluster::hash;

/// SplitMix64: a stream for each seed and number, made in a few instructions.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

/// What [`hash`] adds to its argument first.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// Stream number `stream` of `seed`.
    pub(crate) fn new(seed: u64, stream: u64) -> Random {
        let start = hash(seed) ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03);
        Random(hash(start.wrapping_sub(STEP)))
    }

    /// 64 random bits.
    #[inline]
    pub(crate) fn bits(&mut self) -> u64 {
        let bits = hash(self.0);
        self.0 = self.0.wrapping_add(STEP);
        bits
    }

    /// A fraction in [0, 1), a multiple of 2^-24.
    #[inline]
    pub(crate) fn fraction(&mut self) -> f32 {
        (self.bits() >> 40) as f32 * (1.0 / (1u32 << 24) as f32)
    }

    /// A number below `bound`; its bias is below `bound` / 2^64.
    #[inline]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// The integer below or above a number, so that the mean is the number.
    #[inline]
    pub(crate) fn round(&mut self, x: f32) -> i32 {
        let x = x + self.fraction();
        let toward_zero = x as i32;
        toward_zero - i32::from(toward_zero as f32 > x)
    }

    /// Different cards that are not dead.
    pub(crate) fn cards<const N: usize>(&mut self, mut dead: CardSet) -> [Card; N] {
        [(); N].map(|()| {
            loop {
                let card = Card::from_index(self.below(52) as usize).expect("below 52");
                if !dead.contains(card) {
                    dead.insert(card);
                    return card;
                }
            }
        })
    }
}
