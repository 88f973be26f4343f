//! Damage: every change of a byte is found, and none makes a lookup panic.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use lethe_abstraction::artifact::{BuildSummary, VerifyError, VerifyProblem, verify};
use lethe_abstraction::table::{Stored, Table};
use lethe_abstraction::{Abstraction, OpenError};
use lethe_cards::{Board, CanonicalBoard, Deck, Hole, Situation, Street};
use lethe_compute::Job;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

use crate::sample::{BUCKETS, MIXED, SMALL, Sample};

/// Changes one byte of a file for as long as this lives.
struct Flip {
    file: File,
    at: u64,
    byte: u8,
}

impl Flip {
    fn new(path: &Path, at: u64, by: u8) -> Flip {
        let mut file = File::options().read(true).write(true).open(path).unwrap();
        let mut byte = [0];
        file.seek(SeekFrom::Start(at)).unwrap();
        file.read_exact(&mut byte).unwrap();
        let mut flip = Flip { file, at, byte: byte[0] };
        flip.put(byte[0] ^ by);
        flip
    }

    fn put(&mut self, byte: u8) {
        self.file.seek(SeekFrom::Start(self.at)).unwrap();
        self.file.write_all(&[byte]).unwrap();
    }
}

impl Drop for Flip {
    fn drop(&mut self) {
        self.put(self.byte);
    }
}

fn files(dir: &Path) -> Vec<(PathBuf, u64)> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> =
        entries.map(|entry| (entry.path(), entry.metadata().unwrap().len())).collect();
    files.sort();
    files
}

fn open_error(dir: &Path) -> OpenError {
    Abstraction::open(dir).unwrap_err()
}

#[test]
fn every_flipped_byte_is_found() {
    let root = tempfile::tempdir().unwrap();
    let dir = SMALL.write(root.path(), false);
    verify(&dir, Job::default()).unwrap();
    let files = files(&dir);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..3_000 {
        let (path, len) = &files[random.random_range(0..files.len())];
        // Half of the flips hit the header, where most is to be gone wrong.
        let end = if random.random() { 128 } else { *len };
        let (at, bit) = (random.random_range(0..end), random.random_range(0..8));
        let _flip = Flip::new(path, at, 1 << bit);
        let found = verify(&dir, Job::default());
        assert!(found.is_err(), "bit {bit} of byte {at} of {}", path.display());
    }
    verify(&dir, Job::default()).unwrap();
}

#[test]
fn no_damage_makes_opening_or_looking_up_panic_or_lie() {
    let root = tempfile::tempdir().unwrap();
    let dir = MIXED.write(root.path(), false);
    let files = files(&dir);
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let boards: Vec<Board> = ["Th9h8c", "2c2d2h", "Th9h8c2d", "AsAhKsKh", "Th9h8c2d3s"]
        .map(|board| board.parse().unwrap())
        .into();
    let sound = Abstraction::open(&dir).unwrap();
    let rows: Vec<_> = boards.iter().map(|board| sound.row(board).unwrap()).collect();
    let mut opened = 0;
    for _ in 0..500 {
        let (path, len) = &files[random.random_range(0..files.len())];
        // The structure of a sparse table stands at its end.
        let from = if random.random() { len.saturating_sub(400) } else { 128 };
        let _flip = Flip::new(path, random.random_range(from..*len), random.random_range(1..=255));
        if let Ok(abstraction) = Abstraction::open(&dir) {
            opened += 1;
            for (board, row) in boards.iter().zip(&rows) {
                if let Ok(found) = abstraction.row(board) {
                    assert_eq!(*found, **row);
                }
                for hole in Deck::without(board.set()).holes().step_by(50) {
                    if let Ok(found) = abstraction.bucket(hole, board) {
                        assert_eq!(found, Some(row[hole]));
                    }
                }
            }
        }
    }
    assert!(opened > 100, "{opened} of 500 opened");
}

#[test]
fn damage_ends_many_look_ups_at_the_hand_that_meets_it() {
    let root = tempfile::tempdir().unwrap();
    let dir = MIXED.write(root.path(), false);
    let deals: Vec<(Hole, Board)> = ["Ts9s8s", "AsKsQs", "2s2h2d"]
        .iter()
        .map(|board| ("7c6d".parse().unwrap(), board.parse().unwrap()))
        .collect();
    let slot = Situation::slot_of(deals[1].0, &deals[1].1).unwrap();
    let _flip = Flip::new(&dir.join("flop.buckets"), 128 + 2 * slot as u64, 1);
    let mut abstraction = Abstraction::open(&dir).unwrap();
    let mut found = Vec::new();
    let error = abstraction.lookup_all(&deals, &mut found).unwrap_err();
    assert!(matches!(*error, OpenError::Damaged { .. }), "{error}");
    assert_eq!(found.len(), 1);
    let error = abstraction.make_resident(Job::default()).unwrap_err();
    assert!(error.to_string().contains("flop.buckets"), "{error}");
}

#[test]
fn truncated_and_extended_files_do_not_open() {
    let root = tempfile::tempdir().unwrap();
    let dir = SMALL.write(root.path(), false);
    for (path, len) in files(&dir) {
        let bytes = fs::read(&path).unwrap();
        for cut in [0, 1, 100, 127, 128, 129, len / 2, len - 1] {
            fs::write(&path, &bytes[..cut as usize]).unwrap();
            let error = open_error(&dir);
            assert!(error.to_string().contains("build the abstraction again"), "{error}");
        }
        fs::write(&path, [bytes.as_slice(), b"\n"].concat()).unwrap();
        open_error(&dir);
        fs::write(&path, bytes).unwrap();
        Abstraction::open(&dir).unwrap();
    }
}

#[test]
fn errors_name_the_file_and_the_remedy() {
    let root = tempfile::tempdir().unwrap();
    let dir = SMALL.write(root.path(), false);
    let flop = dir.join("flop.buckets");
    {
        let _magic = Flip::new(&flop, 0, 1);
        let text = open_error(&dir).to_string();
        assert!(text.contains("flop.buckets") && text.contains("LETHEABS"), "{text}");
    }
    {
        let _version = Flip::new(&flop, 8, 2 ^ 3);
        assert!(matches!(open_error(&dir), OpenError::Newer { found: 3, .. }));
    }
    {
        let _plan = Flip::new(&flop, 48, 1);
        assert!(matches!(open_error(&dir), OpenError::Mismatch { what: "plan", .. }));
    }
    {
        let _checksum = Flip::new(&flop, 127, 1);
        assert!(matches!(open_error(&dir), OpenError::Mismatch { what: "checksum", .. }));
    }
    {
        let text = fs::read_to_string(dir.join("metadata.json")).unwrap();
        let newer = text.replace("\"format\": 2", "\"format\": 3");
        fs::write(dir.join("metadata.json"), newer).unwrap();
        let error = open_error(&dir);
        assert!(matches!(error, OpenError::Newer { found: 3, .. }), "{error}");
        fs::write(dir.join("metadata.json"), text).unwrap();
    }
    fs::rename(&flop, dir.join("elsewhere")).unwrap();
    assert!(matches!(open_error(&dir), OpenError::Missing { .. }));
    fs::copy(dir.join("turn.buckets"), &flop).unwrap();
    open_error(&dir);
}

#[test]
fn directories_that_are_none_are_told_apart() {
    let root = tempfile::tempdir().unwrap();
    let text = |path: &Path| open_error(path).to_string();
    assert!(text(&root.path().join("nowhere")).contains("there is no such directory"));
    assert!(text(root.path()).contains("no metadata.json"));
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(text(&file).contains("it is a file"));
}

/// What is wrong with an artifact whose flop or reports differ from the sample's.
fn problems_of(sample: &Sample, flop: &Stored, summary: &BuildSummary) -> Vec<VerifyProblem> {
    let root = tempfile::tempdir().unwrap();
    let mut writer = sample.start(root.path(), false);
    writer.write_buckets(Street::Flop, flop, BUCKETS, Job::default()).unwrap();
    writer.write_buckets(Street::Turn, &sample.stored.turn, BUCKETS, Job::default()).unwrap();
    writer.write_buckets(Street::River, &sample.stored.river, BUCKETS, Job::default()).unwrap();
    match verify(&writer.finish(summary).unwrap(), Job::default()) {
        Err(VerifyError::Damaged { problems, .. }) => problems,
        other => panic!("{other:?} where problems should stand"),
    }
}

#[test]
fn asymmetric_slots_are_found() {
    let Stored::Dense(Table::U16(mut slots)) = MIXED.stored.flop.clone() else {
        panic!("the flop is dense")
    };
    // On 2s2h2d the hole 3c3d is the same as 3c3h and 3s3c.
    let board = CanonicalBoard::from_index(Street::Flop, 0).unwrap();
    assert_eq!(board.to_string(), "2s2h2d");
    let slot = board.deck().slot("3c3d".parse().unwrap()).unwrap();
    slots[slot] = (slots[slot] + 1) % BUCKETS as u16;
    let flop = Stored::Dense(Table::U16(slots));
    let problems = problems_of(&MIXED, &flop, &MIXED.summary);
    assert!(problems.iter().any(|p| matches!(p, VerifyProblem::Asymmetric { .. })), "{problems:?}");
    assert!(problems.iter().any(|p| matches!(p, VerifyProblem::Size { .. })), "{problems:?}");
}

#[test]
fn sizes_that_were_not_counted_are_found() {
    let mut summary = SMALL.summary.clone();
    summary.reports.flop.sizes[5] += 1;
    let problems = problems_of(&SMALL, &SMALL.stored.flop, &summary);
    assert!(matches!(problems[..], [VerifyProblem::Size { bucket: 5, .. }]), "{problems:?}");
}

#[test]
fn sparse_holes_out_of_order_are_not_written() {
    let Stored::Sparse(mut table) = SMALL.stored.flop.clone() else { panic!("the flop is sparse") };
    table.holes.swap(3, 4);
    let root = tempfile::tempdir().unwrap();
    let mut writer = SMALL.start(root.path(), false);
    let flop = Stored::Sparse(table);
    let error = writer.write_buckets(Street::Flop, &flop, BUCKETS, Job::default()).unwrap_err();
    assert!(error.to_string().contains("ascending order"), "{error}");
}

#[test]
fn reports_that_text_cannot_hold_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = SMALL.start(root.path(), false);
    for (street, stored) in SMALL.stored.iter() {
        writer.write_buckets(street, stored, BUCKETS, Job::default()).unwrap();
    }
    let mut summary = SMALL.summary.clone();
    summary.reports.turn.inertia = f64::NAN;
    assert!(writer.finish(&summary).unwrap_err().to_string().contains("report"));
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
}
