//! Random numbers whose every bit is fixed by a seed.

use rand::SeedableRng;
use rand::rand_core::Rng;
use rand::rngs::ChaCha8Rng;

/// A ChaCha8 stream, read only as whole 64-bit words.
///
/// The conversions to ranges and fractions are written here, so that a new version of the `rand`
/// crate cannot change them and with them every stored clustering.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    /// Stream number `stream` of `seed`.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Self(rng)
    }

    /// A number below `bound`, which is not zero; its bias is below `bound` / 2^64.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// A fraction in [0, 1), a multiple of 2^-53.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// Scatters the bits of a number: a bijection of the 64-bit integers whose outputs look random
/// (the finalizer of SplitMix64).
#[inline]
pub fn hash(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
