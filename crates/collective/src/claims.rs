//! What is true of every [`Collective`], whatever the number of its ranks: the table of tests that
//! [`Solo`](crate::Solo), [`Threads`](crate::Threads) and MPI share.
//!
//! Every rank calls each claim; one that does not hold panics.

use std::time::Duration;

use crate::{Collective, Lost, Mismatch, SparseWriter, check_same, read_sparse};

/// A claim about a collective.
pub type Claim = fn(&dyn Collective) -> Result<(), Lost>;

/// All claims, with their names.
pub const ALL: &[(&str, Claim)] = &[
    ("ranks_are_numbered_from_0", ranks_are_numbered_from_0),
    ("sums_are_over_all_ranks", sums_are_over_all_ranks),
    ("long_sums_are_over_all_ranks", long_sums_are_over_all_ranks),
    ("sparse_sums_equal_dense_ones", sparse_sums_equal_dense_ones),
    ("parts_of_any_length_are_gathered_by_rank", parts_of_any_length_are_gathered_by_rank),
    ("a_broadcast_brings_what_rank_0_has", a_broadcast_brings_what_rank_0_has),
    ("one_that_says_so_is_enough", one_that_says_so_is_enough),
    ("each_unit_is_handed_out_once", each_unit_is_handed_out_once),
    ("a_slow_rank_gets_fewer_units", a_slow_rank_gets_fewer_units),
    ("a_failure_ends_the_handing_out_everywhere", a_failure_ends_the_handing_out_everywhere),
    ("ranks_that_differ_are_refused", ranks_that_differ_are_refused),
];

fn ranks_are_numbered_from_0(ranks: &dyn Collective) -> Result<(), Lost> {
    let parts = ranks.gather(&[ranks.rank() as u8])?;
    let expected: Vec<Vec<u8>> = (0..ranks.size()).map(|rank| vec![rank as u8]).collect();
    assert_eq!(parts, expected);
    Ok(())
}

fn sums_are_over_all_ranks(ranks: &dyn Collective) -> Result<(), Lost> {
    let (rank, size) = (ranks.rank() as u64, ranks.size() as u64);
    let mut values = [1, rank, u64::MAX];
    ranks.sum(&mut values)?;
    assert_eq!(values, [size, size * (size - 1) / 2, u64::MAX.wrapping_mul(size)]);
    let mut none = [];
    ranks.sum(&mut none)
}

fn long_sums_are_over_all_ranks(ranks: &dyn Collective) -> Result<(), Lost> {
    let length = 3_000_000;
    let mut values: Vec<u32> = (0..length).map(|i| i * (1 + ranks.rank() as u32)).collect();
    ranks.sum_u32(&mut values)?;
    let times = (1..=ranks.size() as u32).sum::<u32>();
    assert!((0..length).zip(values).all(|(i, sum)| sum == i.wrapping_mul(times)));
    Ok(())
}

fn sparse_sums_equal_dense_ones(ranks: &dyn Collective) -> Result<(), Lost> {
    let value = |rank: usize, i: usize| match i.is_multiple_of(rank + 2) {
        true => (i as i64 - 500) * 1000,
        false => 0,
    };
    let mut writer = SparseWriter::default();
    (0..1000).for_each(|i| writer.push(i, value(ranks.rank(), i)));
    let mut sums = vec![0; 1000];
    for part in ranks.gather(&writer.finish())? {
        read_sparse(&part, |i, value| sums[i] += value).expect("a rank wrote it");
    }
    let dense = |i: usize| (0..ranks.size()).map(|rank| value(rank, i)).sum::<i64>();
    assert!(sums.iter().enumerate().all(|(i, &sum)| sum == dense(i)));
    Ok(())
}

fn parts_of_any_length_are_gathered_by_rank(ranks: &dyn Collective) -> Result<(), Lost> {
    let part = |rank: usize| vec![rank as u8; if rank % 3 == 1 { 0 } else { 300_000 * rank + 5 }];
    let found = ranks.gather(&part(ranks.rank()))?;
    assert!(found.len() == ranks.size() && (0..).zip(&found).all(|(rank, has)| *has == part(rank)));
    Ok(())
}

fn a_broadcast_brings_what_rank_0_has(ranks: &dyn Collective) -> Result<(), Lost> {
    for length in [0, 1, 5_000_000] {
        let mut bytes = match ranks.rank() {
            0 => vec![7; length],
            rank => vec![1; rank],
        };
        ranks.broadcast(&mut bytes)?;
        assert!(bytes == vec![7; length]);
    }
    Ok(())
}

fn one_that_says_so_is_enough(ranks: &dyn Collective) -> Result<(), Lost> {
    assert!(ranks.any(ranks.rank() + 1 == ranks.size())?);
    assert!(!ranks.any(false)?);
    ranks.barrier()
}

fn each_unit_is_handed_out_once(ranks: &dyn Collective) -> Result<(), Lost> {
    for units in [0, 1, 50] {
        let mut done = vec![0; units];
        assert!(ranks.hand_out(units, &mut |unit| {
            done[unit] += 1;
            true
        })?);
        ranks.sum(&mut done)?;
        assert_eq!(done, vec![1; units]);
    }
    Ok(())
}

fn a_slow_rank_gets_fewer_units(ranks: &dyn Collective) -> Result<(), Lost> {
    let (mut own, slow) = (0_u64, ranks.size() - 1);
    let pause = Duration::from_millis(if ranks.rank() == slow { 20 } else { 1 });
    assert!(ranks.hand_out(40, &mut |_| {
        own += 1;
        std::thread::sleep(pause);
        true
    })?);
    let mut counts = vec![0; ranks.size()];
    counts[ranks.rank()] = own;
    ranks.sum(&mut counts)?;
    assert_eq!(counts.iter().sum::<u64>(), 40);
    assert!(
        ranks.size() == 1 || counts[slow] * 2 < *counts.iter().max().unwrap_or(&0),
        "{counts:?}"
    );
    Ok(())
}

fn a_failure_ends_the_handing_out_everywhere(ranks: &dyn Collective) -> Result<(), Lost> {
    let mut after = 0_u64;
    let all = ranks.hand_out(100_000, &mut |unit| {
        after += u64::from(unit > 5);
        unit != 5
    })?;
    assert!(!all, "every rank is told");
    let mut counts = [after];
    ranks.sum(&mut counts)?;
    assert!(counts[0] < 50_000, "{} units after the one that failed", counts[0]);
    Ok(())
}

fn ranks_that_differ_are_refused(ranks: &dyn Collective) -> Result<(), Lost> {
    let found = check_same(ranks, &[("seed", "1".into()), ("rank", ranks.rank().to_string())]);
    match found {
        Ok(()) => assert_eq!(ranks.size(), 1),
        Err(Mismatch::Lost(lost)) => return Err(lost),
        Err(Mismatch::Differs { rank, what, .. }) => assert_eq!((rank, &what[..]), (1, "rank")),
    }
    Ok(())
}
