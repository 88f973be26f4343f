//! Random numbers whose every bit is fixed by a seed.

use lethe_cards::{Card, CardSet};
use lethe_cluster::hash;

/// SplitMix64: a stream for each purpose, seed and number, made in a few instructions.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

/// What random numbers are for. Streams of different domains have nothing in common, so that no
/// evaluation or match meets the cards that training dealt with the same seed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Domain {
    /// The boards and hands that training deals.
    Training = 1,
    /// How amounts are rounded to whole numbers in training.
    Rounding,
    /// How discounted numbers are rounded.
    Discount,
    /// How the numbers of clusters that are split are rounded.
    Split,
    /// The flops that an estimate of exploitability evaluates.
    Flops,
    /// The deals of matches.
    Match,
    /// The deals of local best response.
    LocalBestResponse,
    /// Tests.
    #[cfg(test)]
    Test,
}

/// What [`hash`] adds to its argument first.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// Stream number `stream` of `seed` for a purpose.
    pub(crate) fn new(domain: Domain, seed: u64, stream: u64) -> Random {
        let seed = hash(hash(domain as u64).wrapping_add(seed));
        Random(hash(seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_share_no_cards() {
        let domains = [Domain::Training, Domain::Flops, Domain::Match, Domain::LocalBestResponse];
        let mut seen = std::collections::HashSet::new();
        for domain in domains {
            for seed in 0..20 {
                for stream in 0..100 {
                    let mut random = Random::new(domain, seed, stream);
                    assert!(
                        seen.insert((random.bits(), random.bits())),
                        "{domain:?} {seed} {stream}"
                    );
                }
            }
        }
    }

    #[test]
    fn rounding_is_right_on_average() {
        let mut random = Random::new(Domain::Test, 3, 3);
        for x in [0.25_f32, -0.25, 1.75, -3.5, 0.01] {
            let sum: i64 = (0..100_000).map(|_| i64::from(random.round(x))).sum();
            let mean = sum as f64 / 1e5;
            assert!((mean - f64::from(x)).abs() < 0.01, "{x}: {mean}");
        }
    }
}
