//! Loops over rows, written so that a compiler turns them into vector instructions.
//!
//! All are `inline(always)`: they take on the instruction set of the function they are used in.

/// `out = a * b`.
#[inline(always)]
pub(crate) fn product(out: &mut [f32], a: &[f32], b: &[f32]) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = a * b;
    }
}

/// `out += a * b`.
#[inline(always)]
pub(crate) fn add_product(out: &mut [f32], a: &[f32], b: &[f32]) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out += a * b;
    }
}

/// `out = a * b + c * d`.
#[inline(always)]
pub(crate) fn two_products(out: &mut [f32], [a, b]: [&[f32]; 2], [c, d]: [&[f32]; 2]) {
    for ((((out, &a), &b), &c), &d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *out = a * b + c * d;
    }
}

/// `out += a`.
#[inline(always)]
pub(crate) fn add(out: &mut [f32], a: &[f32]) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out += a;
    }
}

/// `out = a + b`.
#[inline(always)]
pub(crate) fn sum(out: &mut [f32], a: &[f32], b: &[f32]) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = a + b;
    }
}

/// `out = max(out, a)`, or `out = a` at the first of several.
#[inline(always)]
pub(crate) fn max(out: &mut [f32], a: &[f32], first: bool) {
    if first {
        out.copy_from_slice(a);
        return;
    }
    for (out, &a) in out.iter_mut().zip(a) {
        *out = if a > *out { a } else { *out };
    }
}

/// The reach after each action: `fan = reach * strategy(rows)`; see [`crate::update::strategy`].
#[inline(always)]
pub(crate) fn spread(rows: &[f32], reach: &[f32], fan: &mut [f32], total: &mut [f32]) {
    let stride = reach.len();
    let even = stride as f32 / rows.len() as f32;
    let total = &mut total[..stride];
    total.fill(0.0);
    for row in rows.chunks_exact(stride) {
        for (total, &x) in total.iter_mut().zip(row) {
            *total += if x > 0.0 { x } else { 0.0 };
        }
    }
    for total in total.iter_mut() {
        let inverse = 1.0 / *total;
        *total = if *total > 1e-37 { inverse } else { 0.0 };
    }
    for (row, out) in rows.chunks_exact(stride).zip(fan.chunks_exact_mut(stride)) {
        for (((out, &x), &inverse), &reach) in out.iter_mut().zip(row).zip(total.iter()).zip(reach)
        {
            let share = if x > 0.0 { x } else { 0.0 } * inverse;
            let share = if inverse > 0.0 { share } else { even };
            *out = reach * share;
        }
    }
}

/// Puts locked frequencies in the place of others; NaN leaves them.
#[inline(always)]
pub(crate) fn overwrite(frequencies: &mut [f32], locked: &[f32]) {
    for (out, &locked) in frequencies.iter_mut().zip(locked) {
        *out = if locked.is_nan() { *out } else { locked };
    }
}

/// `out[i] = from[places[i]]`.
#[inline(always)]
pub(crate) fn gather(out: &mut [f32], from: &[f32], places: &[u16]) {
    for (out, &place) in out.iter_mut().zip(places) {
        *out = from[place as usize];
    }
}

/// `out[i] += from[places[i]]`.
#[inline(always)]
pub(crate) fn add_gathered(out: &mut [f32], from: &[f32], places: &[u16]) {
    for (out, &place) in out.iter_mut().zip(places) {
        *out += from[place as usize];
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
