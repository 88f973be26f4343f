//! Loops over rows of locked and of bucketed decisions.
//!
//! All are `inline(always)`: they take on the instruction set of the kernel they are used in.

/// Replaces frequencies by locked ones; NaN keeps them.
#[inline(always)]
pub(crate) fn overwrite(frequencies: &mut [f32], locked: &[f32]) {
    for (out, &locked) in frequencies.iter_mut().zip(locked) {
        *out = if locked.is_nan() { *out } else { locked };
    }
}

/// Frequencies of a bucketed decision for every hand: `out[a][i] = table[a][buckets[i]]`.
#[inline(always)]
pub(crate) fn expand(out: &mut [f32], table: &[f32], buckets: &[u32]) {
    let count = table.len() / (out.len() / buckets.len());
    for (out, table) in out.chunks_exact_mut(buckets.len()).zip(table.chunks_exact(count)) {
        for (out, &bucket) in out.iter_mut().zip(buckets) {
            *out = table[bucket as usize];
        }
    }
}

/// Adds each hand's weighted number to its bucket's sum.
#[inline(always)]
pub(crate) fn collect(
    sums: &mut [f32],
    buckets: &[u32],
    weight: impl Fn(usize) -> f32,
    hands: usize,
) {
    for (i, &bucket) in buckets[..hands].iter().enumerate() {
        sums[bucket as usize] += weight(i);
    }
}
