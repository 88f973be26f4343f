//! Sparse vectors that ranks send each other.

#![no_main]

use lethe_collective::{SparseWriter, read_sparse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut values = Vec::new();
    if read_sparse(bytes, |index, value| values.push((index, value))).is_err() {
        return;
    }
    assert!(values.windows(2).all(|pair| pair[0].0 < pair[1].0), "indices ascend");
    let mut writer = SparseWriter::default();
    values.iter().for_each(|&(index, value)| writer.push(index, value));
    let mut again = Vec::new();
    read_sparse(&writer.finish(), |index, value| again.push((index, value)))
        .expect("it was written");
    assert_eq!(again, values);
});
