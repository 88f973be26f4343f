//! Regret matching: actions are played in proportion to their positive regrets.
//!
//! A decision with *a* actions has *a* rows, one after the other. Strategy sums become the average
//! strategy by the same rule.

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

/// Turns rows of regrets into frequencies. `total` is room for one row.
///
/// ```
/// let regrets = [3.0, -1.0, 1.0, -2.0];
/// let mut frequencies = [0.0; 4];
/// lethe_rows::matching::frequencies(&regrets, &mut frequencies, &mut [0.0; 2]);
/// assert_eq!(frequencies, [0.75, 0.5, 0.25, 0.5]);
/// ```
#[inline(always)]
pub fn frequencies(regrets: &[f32], out: &mut [f32], total: &mut [f32]) {
    let even = invert_totals(regrets, total);
    let len = total.len();
    for (row, out) in regrets.chunks_exact(len).zip(out.chunks_exact_mut(len)) {
        for ((out, &x), &inverse) in out.iter_mut().zip(row).zip(total.iter()) {
            *out = frequency(positive(x), inverse, even);
        }
    }
}

/// The reach after each action: `reach` times the frequency. `total` is room for one row.
#[inline(always)]
pub fn reach_after(regrets: &[f32], reach: &[f32], out: &mut [f32], total: &mut [f32]) {
    let len = reach.len();
    let total = &mut total[..len];
    let even = invert_totals(regrets, total);
    for (row, out) in regrets.chunks_exact(len).zip(out.chunks_exact_mut(len)) {
        let entries = out.iter_mut().zip(row).zip(total.iter()).zip(reach);
        for (((out, &x), &inverse), &reach) in entries {
            *out = reach * frequency(positive(x), inverse, even);
        }
    }
}

/// Writes the inverse totals of the positive regrets; returns the even frequency.
#[inline(always)]
fn invert_totals(regrets: &[f32], total: &mut [f32]) -> f32 {
    total.fill(0.0);
    for row in regrets.chunks_exact(total.len()) {
        for (total, &x) in total.iter_mut().zip(row) {
            *total += positive(x);
        }
    }
    for total in total.iter_mut() {
        *total = inverse(*total);
    }
    total.len() as f32 / regrets.len() as f32
}
