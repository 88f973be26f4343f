//! Writes the evaluator's tables (see `src/eval.rs` for what they mean and how they are read).

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::path::Path;
use std::{env, fs};

/// Ranks by their index, deuce 0 to ace 12; how many of each a hand has.
type Counts = [u8; 13];

const HIGH_CARD: u32 = 0;
const PAIR: u32 = 1;
const TWO_PAIR: u32 = 2;
const TRIPS: u32 = 3;
const STRAIGHT: u32 = 4;
const FLUSH: u32 = 5;
const FULL_HOUSE: u32 = 6;
const QUADS: u32 = 7;
const STRAIGHT_FLUSH: u32 = 8;

/// A hand's class as a number that orders like the hand: the category, then five ranks of four
/// bits each, the most significant first, unused ones zero.
fn class(category: u32, ranks: &[usize]) -> u32 {
    let packed = (0..5).fold(0, |sum, i| sum << 4 | ranks.get(i).map_or(0, |&r| r as u32));
    category << 20 | packed
}

/// The top rank of the best straight in a mask of ranks.
fn straight(mask: u32) -> Option<usize> {
    const WHEEL: u32 = 0b1_0000_0000_1111;
    let top = (4..13).rev().find(|top| mask >> (top - 4) & 0b11111 == 0b11111);
    top.or_else(|| (mask & WHEEL == WHEEL).then_some(3))
}

/// The `n` highest ranks that `keep` allows.
fn highest(n: usize, keep: impl Fn(usize) -> bool) -> Vec<usize> {
    (0..13).rev().filter(|&r| keep(r)).take(n).collect()
}

/// The class of the best five cards of one suit.
fn flush_class(mask: u32) -> u32 {
    match straight(mask) {
        Some(top) => class(STRAIGHT_FLUSH, &[top]),
        None => class(FLUSH, &highest(5, |r| mask >> r & 1 == 1)),
    }
}

/// The class of the best five cards where no five are of one suit.
fn plain_class(counts: &Counts) -> u32 {
    let with = |n: u8| highest(13, |r| counts[r] == n);
    let kickers = |n: usize, used: &[usize]| highest(n, |r| counts[r] > 0 && !used.contains(&r));
    let classed =
        |category, made: &[usize], rest: Vec<usize>| class(category, &[made, &rest].concat());
    if let Some(&quad) = with(4).first() {
        return classed(QUADS, &[quad], kickers(1, &[quad]));
    }
    let trips = with(3);
    if let Some(&trip) = trips.first()
        && let [pair, ..] = highest(1, |r| counts[r] >= 2 && r != trip)[..]
    {
        return class(FULL_HOUSE, &[trip, pair]);
    }
    let mask = (0..13).filter(|&r| counts[r] > 0).fold(0, |mask, r| mask | 1 << r);
    if let Some(top) = straight(mask) {
        return class(STRAIGHT, &[top]);
    }
    match (&trips[..], &with(2)[..]) {
        ([trip, ..], _) => classed(TRIPS, &[*trip], kickers(2, &[*trip])),
        (_, [high, low, ..]) => classed(TWO_PAIR, &[*high, *low], kickers(1, &[*high, *low])),
        (_, [pair]) => classed(PAIR, &[*pair], kickers(3, &[*pair])),
        _ => classed(HIGH_CARD, &[], kickers(5, &[])),
    }
}

/// Calls `visit` with every way to hold `left` cards of the ranks from `rank` up.
fn multisets(counts: &mut Counts, rank: usize, left: u8, visit: &mut impl FnMut(&Counts)) {
    if left == 0 {
        return visit(counts);
    }
    if rank == 13 {
        return;
    }
    for n in 0..=left.min(4) {
        counts[rank] = n;
        multisets(counts, rank + 1, left - n, visit);
    }
    counts[rank] = 0;
}

/// The multiplier of the hash. Any odd number that tells all keys apart will do; the construction
/// below fails loudly if this one does not.
const MULTIPLIER: u32 = 0xdf1d_a143;
const BUCKET_BITS: u32 = 13;
const SLOT_BITS: u32 = 17;

fn bucket_and_base(key: u32) -> (usize, usize) {
    let hash = key.wrapping_mul(MULTIPLIER);
    let base = hash >> (32 - BUCKET_BITS - SLOT_BITS) & ((1 << SLOT_BITS) - 1);
    ((hash >> (32 - BUCKET_BITS)) as usize, base as usize)
}

/// A perfect hash by displacement: every bucket of keys is shifted as a whole to the first place
/// where all of its slots are free, the largest buckets first.
fn displace(values: &BTreeMap<u32, u16>) -> (Vec<u16>, Vec<u16>) {
    let mut buckets = vec![Vec::new(); 1 << BUCKET_BITS];
    for (&key, &value) in values {
        let (bucket, base) = bucket_and_base(key);
        buckets[bucket].push((base, value));
    }
    let mut order: Vec<usize> = (0..buckets.len()).collect();
    order.sort_by_key(|&b| (std::cmp::Reverse(buckets[b].len()), b));
    let mask = (1 << SLOT_BITS) - 1;
    let (mut shifts, mut slots) = (vec![0u16; buckets.len()], vec![None; mask + 1]);
    for b in order {
        let keys = &buckets[b];
        assert!(
            keys.iter().enumerate().all(|(i, k)| keys[..i].iter().all(|l| l.0 != k.0)),
            "two keys share a bucket and a base: choose another multiplier"
        );
        let fits =
            |&shift: &u16| keys.iter().all(|k| slots[(k.0 + shift as usize) & mask].is_none());
        let shift = (0..=u16::MAX).find(fits).expect("a shift that fits every key of the bucket");
        shifts[b] = shift;
        for &(base, value) in keys {
            slots[(base + shift as usize) & mask] = Some(value);
        }
    }
    (shifts, slots.into_iter().map(|slot| slot.unwrap_or(0)).collect())
}

fn write_table<T: Display>(out: &mut String, name: &str, kind: &str, items: &[T]) {
    write!(out, "static {name}: [{kind}; {}] = [", items.len()).expect("writing to a string");
    for (i, item) in items.iter().enumerate() {
        let end = if i % 16 == 15 { '\n' } else { ' ' };
        write!(out, "{item},{end}").expect("writing to a string");
    }
    out.push_str("];\n");
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let five_or_more = |mask: u32| mask.count_ones() >= 5;

    let mut classes: Vec<u32> =
        (0..1u32 << 13).filter(|m| m.count_ones() == 5).map(flush_class).collect();
    multisets(&mut [0; 13], 0, 5, &mut |counts| classes.push(plain_class(counts)));
    classes.sort_unstable();
    classes.dedup();
    assert_eq!(classes.len(), 7462);
    let strength = |class| classes.binary_search(&class).expect("a class of five cards") as u16;

    let mut plain = BTreeMap::new();
    for cards in 5..=7 {
        multisets(&mut [0; 13], 0, cards, &mut |counts| {
            let key = counts.iter().rev().fold(0, |key, &n| key * 5 + u32::from(n));
            plain.insert(key, strength(plain_class(counts)));
        });
    }
    let (shifts, slots) = displace(&plain);

    let lane_key = |mask: u32| {
        let ranks = (0..13).filter(|&r| mask >> r & 1 == 1);
        ranks.map(|r| 5u32.pow(r)).sum::<u32>() | if five_or_more(mask) { 1 << 31 } else { 0 }
    };
    let lanes: Vec<u32> = (0..1 << 13).map(lane_key).collect();
    let flush = |mask| {
        if five_or_more(mask) { strength(flush_class(mask)) } else { 0 }
    };
    let flushes: Vec<u16> = (0..1 << 13).map(flush).collect();

    let mut out = String::new();
    write_table(&mut out, "CLASSES", "u32", &classes);
    write_table(&mut out, "LANE_KEYS", "u32", &lanes);
    write_table(&mut out, "FLUSHES", "u16", &flushes);
    write_table(&mut out, "SHIFTS", "u16", &shifts);
    write_table(&mut out, "SLOTS", "u16", &slots);
    for (name, value) in
        [("MULTIPLIER", MULTIPLIER), ("BUCKET_BITS", BUCKET_BITS), ("SLOT_BITS", SLOT_BITS)]
    {
        writeln!(out, "const {name}: u32 = {value};").expect("writing to a string");
    }
    let folder = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    fs::write(Path::new(&folder).join("eval_tables.rs"), out).expect("OUT_DIR is writable");
}
