//! Run a numeric kernel with the widest vectors the machine has.
//!
//! A kernel is written once, as plain Rust over arrays of [`LANES`] floats, and compiled twice: for
//! the build's own target and for AVX2. Both do the same IEEE operations in the same order for each
//! lane (no fused multiply-add, no reassociation), so both give the same bits.
//!
//! This is the only file of the crate that may hold `unsafe` code.

#![allow(unsafe_code)]

/// Floats a kernel handles side by side: one AVX2 register, two SSE2 registers.
pub const LANES: usize = 8;

/// A kernel with its arguments.
///
/// `run` must be `#[inline(always)]`, so that its body is compiled into the function that enables
/// the wider instructions.
pub trait Kernel {
    /// What the kernel returns.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Runs `kernel` with AVX2 if the processor has it, otherwise with the build's own target features.
#[inline]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: `run_avx2` needs only AVX2, which the line above has just detected.
        return unsafe { run_avx2(kernel) };
    }
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

/// A square of eight rows of eight floats, turned on its diagonal.
///
/// `inline(always)`, so that inside a [`Kernel`] it is done in shuffles of wide vectors, which the
/// compiler does not find by itself in a loop.
#[inline(always)]
pub fn transpose(rows: [[f32; LANES]; LANES]) -> [[f32; LANES]; LANES] {
    // Pairs, then pairs of pairs, then halves: each step moves whole blocks of the square.
    let mut pairs = [[0.0; LANES]; LANES];
    for r in 0..LANES / 2 {
        for c in 0..LANES / 2 {
            let (a, b) = (2 * r, 2 * r + 1);
            let at = 2 * c;
            (pairs[a][at], pairs[a][at + 1]) = (rows[a][at], rows[b][at]);
            (pairs[b][at], pairs[b][at + 1]) = (rows[a][at + 1], rows[b][at + 1]);
        }
    }
    let mut quads = [[0.0; LANES]; LANES];
    for r in [0, 1, 4, 5] {
        for c in [0, 4] {
            let (a, b) = (r, r + 2);
            quads[a][c..c + 2].copy_from_slice(&pairs[a][c..c + 2]);
            quads[a][c + 2..c + 4].copy_from_slice(&pairs[b][c..c + 2]);
            quads[b][c..c + 2].copy_from_slice(&pairs[a][c + 2..c + 4]);
            quads[b][c + 2..c + 4].copy_from_slice(&pairs[b][c + 2..c + 4]);
        }
    }
    let mut turned = [[0.0; LANES]; LANES];
    for r in 0..4 {
        turned[r][..4].copy_from_slice(&quads[r][..4]);
        turned[r][4..].copy_from_slice(&quads[r + 4][..4]);
        turned[r + 4][..4].copy_from_slice(&quads[r][4..]);
        turned[r + 4][4..].copy_from_slice(&quads[r + 4][4..]);
    }
    turned
}
