//! Writing: all or nothing, one at a time, nothing lost.

use std::fs;
use std::path::Path;

use lethe_abstraction::Abstraction;
use lethe_abstraction::artifact::{ArtifactWriter, CreateOutcome, WriteError, verify};
use lethe_abstraction::table::{SparseTable, Stored, Table};
use lethe_cards::Street;
use lethe_compute::Job;

use crate::sample::{BUCKETS, SMALL};

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn error(result: Result<CreateOutcome, WriteError>) -> WriteError {
    match result {
        Err(error) => error,
        Ok(start) => panic!("{start:?} where an error should stand"),
    }
}

#[test]
fn a_finished_artifact_stands_alone() {
    let root = tempfile::tempdir().unwrap();
    SMALL.write(root.path(), false);
    assert_eq!(names(root.path()), [SMALL.plan.name()]);
}

#[test]
fn the_same_contents_give_the_same_bytes() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (a, b) = (SMALL.write(a.path(), false), SMALL.write(b.path(), false));
    for name in ["flop.buckets", "turn.buckets", "river.buckets"] {
        assert!(fs::read(a.join(name)).unwrap() == fs::read(b.join(name)).unwrap(), "{name}");
    }
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = SMALL.start(root.path(), false);
    writer.write_buckets(Street::Flop, &SMALL.stored.flop, BUCKETS, Job::default()).unwrap();
    assert_eq!(names(root.path()).len(), 2);
    drop(writer);
    assert_eq!(names(root.path()), [""; 0]);
}

#[test]
fn an_artifact_without_all_streets_is_not_finished() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = SMALL.start(root.path(), false);
    writer.write_buckets(Street::Flop, &SMALL.stored.flop, BUCKETS, Job::default()).unwrap();
    let error = writer.finish(&SMALL.summary).unwrap_err();
    assert!(matches!(error, WriteError::Incomplete { street: Street::Turn }));
    assert_eq!(names(root.path()), [""; 0]);
}

#[test]
fn an_artifact_that_exists_is_recognised() {
    let root = tempfile::tempdir().unwrap();
    let dir = SMALL.write(root.path(), false);
    match ArtifactWriter::create(root.path(), &SMALL.plan, false).unwrap() {
        CreateOutcome::AlreadyThere(found) => assert_eq!(found, dir),
        CreateOutcome::Fresh(_) => panic!("it was not recognised"),
    }
    assert_eq!(names(root.path()), [SMALL.plan.name()]);
}

#[test]
fn force_replaces_an_artifact_only_when_the_new_one_is_complete() {
    let root = tempfile::tempdir().unwrap();
    let dir = SMALL.write(root.path(), false);
    let old = Abstraction::open(&dir).unwrap();
    drop(SMALL.start(root.path(), true));
    assert!(Abstraction::open(&dir).is_ok());
    SMALL.write(root.path(), true);
    assert_eq!(names(root.path()), [SMALL.plan.name()]);
    let new = Abstraction::open(&dir).unwrap();
    let (hole, board) = ("AsKs".parse().unwrap(), "Th9h8c".parse().unwrap());
    assert_eq!(old.bucket(hole, &board).unwrap(), new.bucket(hole, &board).unwrap());
}

#[test]
fn a_damaged_artifact_is_replaced_by_force_only() {
    let root = tempfile::tempdir().unwrap();
    let dir = SMALL.write(root.path(), false);
    fs::remove_file(dir.join("turn.buckets")).unwrap();
    let error = error(ArtifactWriter::create(root.path(), &SMALL.plan, false));
    assert!(error.to_string().contains("does not open"), "{error}");
    SMALL.write(root.path(), true);
    verify(&dir, Job::default()).unwrap();
}

#[test]
fn what_is_no_abstraction_is_never_replaced() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join(SMALL.plan.name());
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("thesis.tex"), "years of work").unwrap();
    for force in [false, true] {
        let error = error(ArtifactWriter::create(root.path(), &SMALL.plan, force));
        assert!(matches!(error, WriteError::Occupied { .. }), "{error}");
    }
    assert_eq!(names(&dir), ["thesis.tex"]);
}

#[test]
fn force_spares_what_lies_beside_the_files_of_an_artifact() {
    let root = tempfile::tempdir().unwrap();
    let dir = SMALL.write(root.path(), false);
    fs::write(dir.join("thesis.tex"), "years of work").unwrap();
    let error = error(ArtifactWriter::create(root.path(), &SMALL.plan, true));
    assert!(matches!(error, WriteError::Occupied { .. }), "{error}");
    assert!(dir.join("thesis.tex").exists() && Abstraction::open(&dir).is_ok());
}

#[test]
fn two_builds_into_one_place_exclude_one_another() {
    let root = tempfile::tempdir().unwrap();
    let first = SMALL.start(root.path(), false);
    let error = error(ArtifactWriter::create(root.path(), &SMALL.plan, false));
    assert!(error.to_string().starts_with("another build is writing"), "{error}");
    drop(first);
    SMALL.write(root.path(), false);
}

#[test]
fn leftovers_of_killed_builds_are_removed() {
    let root = tempfile::tempdir().unwrap();
    let name = SMALL.plan.name();
    let left = root.path().join(format!(".{name}.tmp-4711"));
    fs::create_dir(&left).unwrap();
    fs::write(left.join("flop.buckets"), "half").unwrap();
    fs::write(root.path().join(format!(".{name}.lock")), "").unwrap();
    fs::create_dir(root.path().join(".other.tmp-4711")).unwrap();
    SMALL.write(root.path(), false);
    assert_eq!(names(root.path()), [".other.tmp-4711".to_owned(), name]);
}

#[test]
fn a_replacement_stopped_half_way_is_taken_back() {
    let root = tempfile::tempdir().unwrap();
    let dir = SMALL.write(root.path(), false);
    fs::rename(&dir, root.path().join(format!(".{}.old", SMALL.plan.name()))).unwrap();
    let start = ArtifactWriter::create(root.path(), &SMALL.plan, false).unwrap();
    assert!(matches!(start, CreateOutcome::AlreadyThere(_)));
    assert!(Abstraction::open(&dir).is_ok());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_nothing_is_left() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = SMALL.start(root.path(), false);
    let beside = names(root.path()).into_iter().find(|name| name.contains(".tmp-")).unwrap();
    let file = root.path().join(beside).join("flop.buckets");
    std::os::unix::fs::symlink("/dev/full", &file).unwrap();
    let error = writer
        .write_buckets(Street::Flop, &SMALL.stored.flop, BUCKETS, Job::default())
        .unwrap_err();
    let text = error.to_string();
    assert!(text.contains("flop.buckets") && text.contains("free some space"), "{text}");
    drop(writer);
    assert_eq!(names(root.path()), [""; 0]);
}

#[test]
fn a_target_inside_a_file_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    let text = error(ArtifactWriter::create(&file.join("below"), &SMALL.plan, false)).to_string();
    assert!(text.contains("below") && text.contains("choose another directory"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_read_only_target_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(root.path().join("probe"), "").is_ok() {
        eprintln!("skipped: this user may write to read-only directories");
        return;
    }
    let text = error(ArtifactWriter::create(root.path(), &SMALL.plan, false)).to_string();
    assert!(text.contains("choose a directory that you may write to"), "{text}");
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = SMALL.start(root.path(), false);
    let Stored::Sparse(sparse) = SMALL.stored.flop.clone() else { panic!("the flop is sparse") };
    let bad = [
        Stored::Dense(Table::U16(vec![0; 5])),
        Stored::Dense(Table::U16(vec![BUCKETS as u16; 2_063_880])),
        Stored::Sparse(SparseTable { clusters: vec![0; 7], ..sparse.clone() }),
        Stored::Sparse(SparseTable { clusters: vec![3; 1_755], ..sparse.clone() }),
        Stored::Sparse(SparseTable { starts: vec![0, 9, 8, 36], ..sparse.clone() }),
        Stored::Sparse(SparseTable { starts: vec![0, 36], ..sparse.clone() }),
        Stored::Sparse(SparseTable { medians: vec![0, 0, 99], ..sparse }),
    ];
    for (place, stored) in bad.iter().enumerate() {
        let written = writer.write_buckets(Street::Flop, stored, BUCKETS, Job::default());
        assert!(matches!(written, Err(WriteError::Shape { .. })), "table {place}: {written:?}");
    }
    assert!(writer.write_equity(Street::Flop, &[1, 2, 3], Job::default()).is_err());
    assert!(writer.write_equity(Street::River, &[], Job::default()).is_err());
}
