//! Loops over rows, written so that a compiler turns them into vector instructions.
//!
//! All are `inline(always)`: they take on the instruction set of the [kernel] they are used in.
//!
//! [kernel]: lethe_compute::simd::Kernel

/// Combines rows entry by entry: `out[i] = f(f(rows[0][i], rows[1][i]), …)`.
///
/// # Panics
/// If a row is shorter than `out`, or if there are no rows.
#[inline(always)]
pub fn combine<const A: usize>(out: &mut [f32], rows: [&[f32]; A], f: impl Fn(f32, f32) -> f32) {
    let rows = rows.map(|row| &row[..out.len()]);
    for (i, out) in out.iter_mut().enumerate() {
        let mut x = rows[0][i];
        for row in &rows[1..] {
            x = f(x, row[i]);
        }
        *out = x;
    }
}

/// Combines any number of rows entry by entry; no rows make zeros.
#[inline(always)]
pub fn combine_all(out: &mut [f32], rows: &[&[f32]], f: impl Fn(f32, f32) -> f32 + Copy) {
    match *rows {
        [] => out.fill(0.0),
        [a] => out.copy_from_slice(a),
        [a, b] => combine(out, [a, b], f),
        [a, b, c, ref rest @ ..] => {
            combine(out, [a, b, c], f);
            for row in rest {
                update(out, row, f);
            }
        }
    }
}

/// `out[i] = f(out[i], row[i])`.
#[inline(always)]
pub fn update<T: Copy>(out: &mut [T], row: &[T], f: impl Fn(T, T) -> T) {
    for (out, &x) in out.iter_mut().zip(row) {
        *out = f(*out, x);
    }
}

/// The larger of two numbers, the first if they are equal.
#[inline(always)]
pub fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// `out += a * b`.
#[inline(always)]
pub fn add_product(out: &mut [f32], a: &[f32], b: &[f32]) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out += a * b;
    }
}

/// `out = a * b + c * d`.
#[inline(always)]
pub fn two_products(out: &mut [f32], [a, b]: [&[f32]; 2], [c, d]: [&[f32]; 2]) {
    for ((((out, &a), &b), &c), &d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *out = a * b + c * d;
    }
}

/// `out[i] = from[slots[i]]`.
#[inline(always)]
pub fn gather<T: Copy>(out: &mut [T], from: &[T], slots: &[u16]) {
    for (out, &slot) in out.iter_mut().zip(slots) {
        *out = from[slot as usize];
    }
}

/// `out[i] += from[slots[i]]`.
#[inline(always)]
pub fn add_gathered(out: &mut [f32], from: &[f32], slots: &[u16]) {
    for (out, &slot) in out.iter_mut().zip(slots) {
        *out += from[slot as usize];
    }
}

/// `out[slots[i]] = f(out[slots[i]], from[i])`.
#[inline(always)]
pub fn scatter<T: Copy>(out: &mut [T], from: &[T], slots: &[u16], f: impl Fn(T, T) -> T) {
    for (&x, &slot) in from.iter().zip(slots) {
        let out = &mut out[slot as usize];
        *out = f(*out, x);
    }
}
