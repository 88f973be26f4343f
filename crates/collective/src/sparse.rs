//! Sparse vectors of integers in few bytes: what a rank changed, by index.
//!
//! Indices come in runs. A run is the distance from the end of the one before, its length, and its
//! values; all numbers have seven bits in each byte, the lowest first, and values alternate between
//! signs: 0, -1, 1, -2, … A lone zero between two values is written, because that is shorter than two
//! runs.

/// Writes a sparse vector.
///
/// ```
/// use lethe_collective::{SparseWriter, read_sparse};
///
/// let mut writer = SparseWriter::default();
/// for (index, value) in [(3, -1), (4, 70), (900, 5)] {
///     writer.push(index, value);
/// }
/// let bytes = writer.finish();
/// let mut read = Vec::new();
/// read_sparse(&bytes, |index, value| read.push((index, value)))?;
/// assert_eq!((read, bytes.len()), (vec![(3, -1), (4, 70), (900, 5)], 9));
/// # Ok::<(), lethe_collective::Malformed>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SparseWriter {
    bytes: Vec<u8>,
    /// The end of the last run that was written.
    end: usize,
    /// The run that is open.
    first: usize,
    run: Vec<i64>,
    changed: u64,
}

impl SparseWriter {
    /// Adds a value; a zero is left out.
    ///
    /// # Panics
    /// If the index is not above those before.
    pub fn push(&mut self, index: usize, value: i64) {
        if value == 0 {
            return;
        }
        let next = self.first + self.run.len();
        if self.run.is_empty() {
            assert!(index >= self.end, "indices ascend");
            self.first = index;
        } else if index == next + 1 {
            self.run.push(0);
        } else if index != next {
            assert!(index > next, "indices ascend");
            self.close();
            self.first = index;
        }
        self.run.push(value);
        self.changed += 1;
    }

    fn close(&mut self) {
        write(&mut self.bytes, (self.first - self.end) as u64);
        write(&mut self.bytes, self.run.len() as u64);
        for &value in &self.run {
            write(&mut self.bytes, ((value << 1) ^ (value >> 63)) as u64);
        }
        self.end = self.first + self.run.len();
        self.run.clear();
    }

    /// How many values were added.
    pub fn changed(&self) -> u64 {
        self.changed
    }

    /// The bytes.
    pub fn finish(mut self) -> Vec<u8> {
        if !self.run.is_empty() {
            self.close();
        }
        self.bytes
    }
}

/// Bytes that no [`SparseWriter`] wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a rank sent something that is not a sparse vector")]
pub struct Malformed;

/// Calls `add` with every index and value of a sparse vector.
pub fn read_sparse(mut bytes: &[u8], mut add: impl FnMut(usize, i64)) -> Result<(), Malformed> {
    let mut index = 0_usize;
    while !bytes.is_empty() {
        let gap = usize::try_from(read(&mut bytes)?).map_err(|_| Malformed)?;
        index = index.checked_add(gap).ok_or(Malformed)?;
        let length = read(&mut bytes)?;
        // Each value takes a byte.
        if length == 0 || length > bytes.len() as u64 {
            return Err(Malformed);
        }
        for _ in 0..length {
            let word = read(&mut bytes)?;
            let value = (word >> 1) as i64 ^ -((word & 1) as i64);
            if value != 0 {
                add(index, value);
            }
            index = index.checked_add(1).ok_or(Malformed)?;
        }
    }
    Ok(())
}

fn write(bytes: &mut Vec<u8>, mut word: u64) {
    while word >= 0x80 {
        bytes.push(word as u8 | 0x80);
        word >>= 7;
    }
    bytes.push(word as u8);
}

#[inline]
fn read(bytes: &mut &[u8]) -> Result<u64, Malformed> {
    let mut word = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(Malformed)?;
        *bytes = rest;
        word |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(word);
        }
    }
    Err(Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..500 {
            let mut index = 0;
            let mut values = Vec::new();
            for _ in 0..random(40) {
                index += 1 + [0, 0, 1, 2, 300, 1 << 20][random(6) as usize];
                let bits = random(63);
                let value = (random(1 << 30) as i64) << bits >> random(20);
                values.push((index, if random(2) == 0 { value } else { -value }));
            }
            let mut writer = SparseWriter::default();
            values.iter().for_each(|&(index, value)| writer.push(index, value));
            values.retain(|&(_, value)| value != 0);
            assert_eq!(writer.changed(), values.len() as u64);
            let bytes = writer.finish();
            let mut read = Vec::new();
            read_sparse(&bytes, |index, value| read.push((index, value))).unwrap();
            assert_eq!(read, values);
        }
        for value in [i64::MIN, i64::MAX, -1, 1] {
            let mut writer = SparseWriter::default();
            writer.push(0, value);
            let mut read = None;
            read_sparse(&writer.finish(), |_, found| read = Some(found)).unwrap();
            assert_eq!(read, Some(value));
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        let cases: [&[u8]; 5] = [&[0], &[0x80], &[0, 0, 1], &[1, 3, 2, 2], &[0xff; 11]];
        for bytes in cases {
            assert_eq!(read_sparse(bytes, |_, _| ()), Err(Malformed), "{bytes:?}");
        }
    }
}
