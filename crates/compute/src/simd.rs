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

/// The bytes that a processor loads at a time.
#[cfg(target_arch = "x86_64")]
const CACHE_LINE: usize = 64;

/// The vectors that a kernel is compiled for.
pub trait Level: Copy {
    /// A square of eight rows of eight floats, turned on its diagonal.
    fn transpose(self, rows: [[f32; LANES]; LANES]) -> [[f32; LANES]; LANES];

    /// Asks the processor to load `data` into its cache, as it will be needed soon.
    #[inline(always)]
    fn prefetch<T>(self, data: &[T]) {
        let _ = data;
    }
}

/// The build's own target.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Level for Plain {
    #[inline(always)]
    fn transpose(self, rows: [[f32; LANES]; LANES]) -> [[f32; LANES]; LANES] {
        let mut turned = [[0.0; LANES]; LANES];
        for (r, row) in rows.iter().enumerate() {
            for (c, &x) in row.iter().enumerate() {
                turned[c][r] = x;
            }
        }
        turned
    }
}

/// AVX2. A value of this type exists only where the processor has it.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Level for Avx2 {
    #[inline(always)]
    fn transpose(self, rows: [[f32; LANES]; LANES]) -> [[f32; LANES]; LANES] {
        // SAFETY: the processor has AVX2, or there would be no `self`.
        unsafe { transpose_avx2(rows) }
    }

    #[inline(always)]
    fn prefetch<T>(self, data: &[T]) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = data.as_ptr().cast::<i8>();
        for line in (0..size_of_val(data)).step_by(CACHE_LINE) {
            // SAFETY: a prefetch reads nothing, and the address is within `data`.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(line)) };
        }
    }
}

/// In shuffles, which the compiler does not find by itself.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn transpose_avx2(rows: [[f32; LANES]; LANES]) -> [[f32; LANES]; LANES] {
    use std::arch::x86_64::{
        __m256, _mm256_castpd_ps, _mm256_castps_pd, _mm256_permute2f128_ps, _mm256_unpackhi_pd,
        _mm256_unpackhi_ps, _mm256_unpacklo_pd, _mm256_unpacklo_ps,
    };
    // SAFETY: both types are 256 bytes of plain numbers.
    let rows = unsafe { std::mem::transmute::<[[f32; LANES]; LANES], [__m256; LANES]>(rows) };
    // Single floats of two rows side by side, then pairs, then halves.
    let mut pairs = rows;
    let mut quads = rows;
    let mut turned = rows;
    for i in 0..4 {
        pairs[2 * i] = _mm256_unpacklo_ps(rows[2 * i], rows[2 * i + 1]);
        pairs[2 * i + 1] = _mm256_unpackhi_ps(rows[2 * i], rows[2 * i + 1]);
    }
    for half in [0, 4] {
        for i in 0..2 {
            let a = _mm256_castps_pd(pairs[half + i]);
            let b = _mm256_castps_pd(pairs[half + i + 2]);
            quads[half + 2 * i] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
            quads[half + 2 * i + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
        }
    }
    for i in 0..4 {
        turned[i] = _mm256_permute2f128_ps::<0x20>(quads[i], quads[i + 4]);
        turned[i + 4] = _mm256_permute2f128_ps::<0x31>(quads[i], quads[i + 4]);
    }
    // SAFETY: both types are 256 bytes of plain numbers.
    unsafe { std::mem::transmute::<[__m256; LANES], [[f32; LANES]; LANES]>(turned) }
}

/// A kernel with its arguments.
///
/// `run` must be `#[inline(always)]`, so that its body is compiled into the function that enables
/// the wider instructions.
pub trait Kernel {
    /// What the kernel returns.
    type Output;

    /// Does the work.
    fn run<L: Level>(self, level: L) -> Self::Output;
}

/// Sets of instructions that every kernel is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// Those of the build's own target.
    Plain,
    /// AVX2 as well.
    Avx2,
}

impl Instructions {
    /// The sets that the processor has, the widest last.
    pub fn available() -> &'static [Instructions] {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return &[Instructions::Plain, Instructions::Avx2];
        }
        &[Instructions::Plain]
    }
}

/// Runs `kernel` with AVX2 if the processor has it, otherwise with the build's own target features.
#[inline]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: `run_avx2` needs only AVX2, which the line above has just detected.
        return unsafe { run_avx2(kernel) };
    }
    kernel.run(Plain)
}

/// Runs `kernel` with a given set of instructions: for tests that compare them.
///
/// # Panics
/// If the processor lacks them.
pub fn run_with<K: Kernel>(instructions: Instructions, kernel: K) -> K::Output {
    assert!(
        Instructions::available().contains(&instructions),
        "the processor has {instructions:?}"
    );
    match instructions {
        Instructions::Plain => kernel.run(Plain),
        Instructions::Avx2 => run(kernel),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx2(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Turn([[f32; LANES]; LANES]);

    impl Kernel for Turn {
        type Output = [[f32; LANES]; LANES];

        #[inline(always)]
        fn run<L: Level>(self, level: L) -> Self::Output {
            level.transpose(self.0)
        }
    }

    #[test]
    fn a_square_is_turned_on_its_diagonal() {
        let square = std::array::from_fn(|r| std::array::from_fn(|c| (10 * r + c) as f32));
        let turned = run(Turn(square));
        assert_eq!(turned, Plain.transpose(square));
        assert_eq!((turned[3][5], turned[7][0]), (53.0, 7.0));
    }
}
