//! Run a numeric kernel with the widest vectors the machine has.
//!
//! A kernel is written once, as plain Rust over arrays of [`LANES`] floats, and compiled twice: for
//! the build's own target and for AVX2. Both do the same IEEE operations in the same order for each
//! lane (no fused multiply-add, no reassociation), so both give the same bits.
//!
//! This is the only file of the crate that may hold `unsafe` code.

#![allow(unsafe_code)]

/// Floats a kernel handles side by side: one AVX2 register, two SSE2 registers.
pub(crate) const LANES: usize = 8;

/// A kernel with its arguments.
///
/// `run` must be `#[inline(always)]`, so that its body is compiled into the function that enables
/// the wider instructions.
pub(crate) trait Kernel {
    /// What the kernel returns.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Runs `kernel` with AVX2 if the processor has it, otherwise with the build's own target features.
#[inline]
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
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
