//! `Solo`: one rank alone.

use crate::{Collective, Lost};

/// One rank alone: it never waits, and every sum is its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Solo;

impl Collective for Solo {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Lost> {
        Ok(vec![bytes.to_vec()])
    }

    fn hand_out(
        &self,
        units: usize,
        work: &mut (dyn FnMut(usize) -> bool + Send),
    ) -> Result<bool, Lost> {
        Ok((0..units).all(work))
    }

    fn sum(&self, _: &mut [u64]) -> Result<(), Lost> {
        Ok(())
    }

    fn sum_u32(&self, _: &mut [u32]) -> Result<(), Lost> {
        Ok(())
    }

    fn broadcast(&self, _: &mut Vec<u8>) -> Result<(), Lost> {
        Ok(())
    }

    fn barrier(&self) -> Result<(), Lost> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_rank_passes_the_table() {
        for (name, claim) in crate::claims::ALL {
            claim(&super::Solo).unwrap_or_else(|lost| panic!("{name}: {lost}"));
        }
    }
}
