//! Regret matching: actions are played in proportion to their positive regrets.
//!
//! A decision with *a* actions has *a* rows, one after the other. Strategy sums become the average
//! strategy by the same rule.

use lethe_compute::simd::LANES;

/// Totals below this have no finite inverse.
const MIN_TOTAL: f32 = 1e-37;

/// What a positive regret is multiplied by to become a frequency; 0 where nothing is positive.
#[inline(always)]
pub fn inverse(total: f32) -> f32 {
    // Divided before it is chosen, so that there is no branch.
    let inverse = 1.0 / total;
    if total > MIN_TOTAL { inverse } else { 0.0 }
}

/// The frequency of an action: its positive regret times the [`inverse`] of the total, or `even`
/// where nothing is positive.
#[inline(always)]
pub fn frequency(positive: f32, inverse: f32, even: f32) -> f32 {
    let share = positive * inverse;
    if inverse > 0.0 { share } else { even }
}

/// The positive part of a regret.
#[inline(always)]
pub fn positive(regret: f32) -> f32 {
    if regret > 0.0 { regret } else { 0.0 }
}

/// Turns rows of regrets, each of `len` numbers, into frequencies.
///
/// ```
/// let regrets = [3.0, -1.0, 1.0, -2.0];
/// let mut frequencies = [0.0; 4];
/// lethe_rows::matching::frequencies(&regrets, &mut frequencies, 2);
/// assert_eq!(frequencies, [0.75, 0.5, 0.25, 0.5]);
/// ```
///
/// # Panics
/// If the rows of `out` are not as long as those of `regrets`.
#[inline(always)]
pub fn frequencies(regrets: &[f32], out: &mut [f32], len: usize) {
    by_blocks(regrets, None, out, len);
}

/// The reach after each action: `reach` times the frequency.
///
/// # Panics
/// If the rows of `out` are not as long as those of `regrets`.
#[inline(always)]
pub fn reach_after(regrets: &[f32], reach: &[f32], out: &mut [f32]) {
    by_blocks(regrets, Some(reach), out, reach.len());
}

/// Regret matching, a block of entries at a time: totals stay in registers.
#[inline(always)]
fn by_blocks(regrets: &[f32], reach: Option<&[f32]>, out: &mut [f32], len: usize) {
    assert_eq!(regrets.len(), out.len(), "a frequency for each regret");
    let blocks = len / LANES;
    for block in 0..blocks {
        match_block::<LANES>(regrets, reach, out, len, block * LANES);
    }
    for entry in blocks * LANES..len {
        match_block::<1>(regrets, reach, out, len, entry);
    }
}

/// Regret matching of `N` entries from `at` on. Loops are by index and do one thing each: others
/// are compiled without the caller's vector instructions, or taken apart into single numbers.
#[inline(always)]
fn match_block<const N: usize>(
    regrets: &[f32],
    reach: Option<&[f32]>,
    out: &mut [f32],
    len: usize,
    at: usize,
) {
    let actions = regrets.len() / len;
    let mut totals = [0.0; N];
    for action in 0..actions {
        let row = block::<N>(regrets, action * len + at);
        for i in 0..N {
            totals[i] += positive(row[i]);
        }
    }
    let (mut inverses, mut evens) = ([0.0; N], [0.0; N]);
    for i in 0..N {
        inverses[i] = inverse(totals[i]);
    }
    for i in 0..N {
        evens[i] = if inverses[i] > 0.0 { 0.0 } else { 1.0 / actions as f32 };
    }
    let reach = reach.map_or([1.0; N], |reach| block::<N>(reach, at));
    for action in 0..actions {
        let mut row = block::<N>(regrets, action * len + at);
        for i in 0..N {
            row[i] = reach[i] * (positive(row[i]) * inverses[i] + evens[i]);
        }
        out[action * len + at..][..N].copy_from_slice(&row);
    }
}

/// `N` numbers from `at` on.
#[inline(always)]
fn block<const N: usize>(numbers: &[f32], at: usize) -> [f32; N] {
    let mut block = [0.0; N];
    block.copy_from_slice(&numbers[at..at + N]);
    block
}
