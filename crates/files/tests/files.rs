//! Files: what is read back, what is refused, and what a failure leaves.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use lethe_compute::{Job, Progress};
use lethe_files::{
    BLOCK, BlockHasher, Blocks, Container, ContainerWriter, Fault, FileError, MappedFile,
    VerifyError, check_output, read, write,
};

const MAGIC: &[u8; 8] = b"LETHETST";

/// Bytes without a pattern.
fn noise(count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    blake3::Hasher::new().update(b"noise").finalize_xof().fill(&mut bytes);
    bytes
}

fn store(path: &Path, header: &str, data: &[u8]) {
    let mut out = ContainerWriter::create(path, MAGIC, 2, header.into()).unwrap();
    for part in data.chunks(7_001) {
        out.write_all(part).unwrap();
    }
    out.finish().unwrap();
}

fn open(path: &Path) -> Result<Container, Fault> {
    Container::open(MappedFile::open(path).unwrap(), MAGIC, 2)
}

#[test]
fn containers_of_any_length_come_back_as_they_were_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("c");
    for length in [0, 4, BLOCK - 4, BLOCK, BLOCK + 4, 40 * BLOCK + 12] {
        let data = noise(length);
        store(&path, "{\"a\":1}", &data);
        let found = open(&path).unwrap();
        assert_eq!(std::str::from_utf8(found.header()).unwrap().trim_end(), "{\"a\":1}");
        assert_eq!(found.data().verify::<u8>(Job::default()).unwrap(), data);
        let lazy = open(&path).unwrap();
        assert_eq!(lazy.data().all::<u8>().unwrap(), data);
        if length > 8 {
            let last = length / 4 - 1;
            let lazy = open(&path).unwrap();
            let expected = u32::from_le_bytes(data[4 * last..].try_into().unwrap());
            assert_eq!(lazy.data().number::<u32>(last), Ok(expected));
            assert_eq!(lazy.data().slice::<u8>(1..length).unwrap(), &data[1..]);
        }
    }
}

#[test]
fn every_flipped_bit_of_a_container_is_found_before_its_data_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("c");
    let data = noise(2 * BLOCK + 100);
    store(&path, "{\"street\":\"flop\"}", &data);
    let whole = fs::read(&path).unwrap();
    let start = whole.len() - data.len() - 3 * 16;
    // All of the header and of the table of checksums, and a part of the data.
    let ends = (0..start).chain(start + data.len()..whole.len());
    for at in ends.chain((start..start + data.len()).step_by(997)) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        fs::write(&path, &damaged).unwrap();
        match open(&path) {
            Err(_) => assert!(!(start..start + data.len()).contains(&at)),
            Ok(found) => {
                let at = at - start;
                assert!(at < data.len(), "damage at {at} passed");
                assert!(found.data().number::<u8>(at).is_err());
                assert!(found.data().all::<u8>().is_err());
                let verified = found.data().verify::<u8>(Job::default());
                let Err(VerifyError::Damaged(damage)) = verified else { panic!("it passed") };
                assert!(damage.bytes.contains(&((start + at) as u64)));
                // Other blocks can still be read.
                let other = (at / BLOCK + 1) % 3 * BLOCK;
                assert_eq!(found.data().number::<u8>(other), Ok(data[other]));
            }
        }
    }
    for length in (0..whole.len()).step_by(1_009) {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(open(&path).is_err());
    }
    fs::write(&path, [&whole[..], b"x"].concat()).unwrap();
    assert_eq!(open(&path).unwrap_err(), Fault::Length);
}

#[test]
fn impossible_lengths_are_refused_whatever_their_checksum() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("c");
    let put = |header: u32, data: u64| {
        let mut bytes = [0; 128];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8] = 2;
        bytes[12..16].copy_from_slice(&header.to_le_bytes());
        bytes[16..24].copy_from_slice(&data.to_le_bytes());
        bytes[26] = 1;
        let text = &bytes[64..64 + (header as usize).min(64)];
        let sum = blake3::Hasher::new().update(&bytes[..32]).update(text).finalize();
        bytes[32..64].copy_from_slice(sum.as_bytes());
        fs::write(&path, bytes).unwrap();
        open(&path).map(|found| found.data().len())
    };
    assert_eq!(put(64, 0), Ok(0));
    for (header, data) in [(63, 0), (64, 1), (128, 0), (u32::MAX, 0), (0, 1 << 40)] {
        assert!(put(header, data).is_err(), "{header} {data}");
    }
    for data in [u64::MAX, u64::MAX - 127, 1 << 63, u64::MAX / 16] {
        assert!(put(64, data).is_err(), "{data}");
    }
}

#[test]
fn other_versions_and_kinds_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("c");
    store(&path, "{}", b"data");
    let file = || MappedFile::open(&path).unwrap();
    let version = Container::open(file(), MAGIC, 3).unwrap_err();
    assert_eq!(version, Fault::Version { found: 2, expected: 3 });
    assert_eq!(Container::open(file(), b"LETHEABS", 2).unwrap_err(), Fault::Magic);
    assert_eq!(Container::version(&file(), MAGIC), Ok(2));
    fs::write(&path, "").unwrap();
    assert_eq!(open(&path).unwrap_err(), Fault::Magic);
}

#[test]
fn files_with_one_checksum_are_checked_on_first_touch() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("c");
    let data = noise(3 * BLOCK);
    let hash = blake3::Hasher::new().update(b"before").update(&data).finalize();
    let open = || {
        let file = MappedFile::open(&path).unwrap();
        Blocks::whole(file, 0..data.len(), b"before".to_vec(), *hash.as_bytes())
    };
    fs::write(&path, &data).unwrap();
    assert_eq!(open().number::<u8>(2 * BLOCK), Ok(data[2 * BLOCK]));
    assert_eq!(open().verify::<u8>(Job::default()).unwrap(), data);
    let mut damaged = data.clone();
    damaged[5] ^= 1;
    fs::write(&path, damaged).unwrap();
    assert!(open().number::<u8>(2 * BLOCK).is_err());
    assert!(open().verify::<u8>(Job::default()).is_err());
}

#[test]
fn checksums_of_blocks_do_not_depend_on_how_data_is_cut() {
    let data = noise(5 * BLOCK + 17);
    let hashes = |step: usize| {
        let mut hasher = BlockHasher::new();
        data.chunks(step).for_each(|part| hasher.update(part));
        hasher.finish()
    };
    let expected: Vec<u8> = data
        .chunks(BLOCK)
        .flat_map(|block| blake3::hash(block).as_bytes()[..16].to_vec())
        .collect();
    for step in [1, 1_000, BLOCK, BLOCK + 1, 2 * BLOCK, data.len()] {
        assert_eq!(hashes(step), expected, "{step}");
    }
}

#[test]
fn a_cancelled_verification_stops() {
    struct Stop(AtomicBool);
    impl Progress for Stop {
        fn begin(&self, _: &str, _: u64) {}
        fn advance(&self, _: u64) {}
        fn cancelled(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("c");
    store(&path, "{}", &noise(3 * BLOCK));
    let stop = Stop(AtomicBool::new(true));
    let found = open(&path).unwrap();
    let verified = found.data().verify::<u8>(Job::default().watched_by(&stop));
    assert!(matches!(verified, Err(VerifyError::Cancelled(_))));
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_beside() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, "old").unwrap();
    let failed = write(&path, |out| {
        out.write_all(b"new")?;
        Err(io::Error::other("no"))
    });
    assert!(matches!(failed, Err(FileError::Write { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    drop(ContainerWriter::create(&path, MAGIC, 2, Vec::new()).unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    write(&path, |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    assert!(write(&dir.path().join("none/f"), |_| Ok(())).unwrap_err().is_input());
}

#[test]
fn reading_is_bounded_and_directories_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, "12345").unwrap();
    assert_eq!(read(&path, 5).unwrap(), b"12345");
    assert!(matches!(read(&path, 4), Err(FileError::TooLarge { limit: 4, .. })));
    assert!(matches!(read(dir.path(), 4), Err(FileError::NotAFile { .. })));
    assert!(read(&dir.path().join("g"), 4).unwrap_err().is_missing());
    assert!(MappedFile::open(dir.path()).is_err());
}

#[cfg(unix)]
mod special_files {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn devices_and_pipes_are_refused_without_waiting() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [Path::new("/dev/zero"), Path::new("/dev/null"), &pipe] {
            assert!(matches!(read(path, 1 << 20), Err(FileError::NotAFile { .. })));
            assert!(matches!(MappedFile::open(path), Err(FileError::NotAFile { .. })));
            assert!(!lethe_files::begins_with(path, b""));
            assert!(matches!(write(path, |_| Ok(())), Err(FileError::NotAFile { .. })));
        }
    }

    #[test]
    fn links_stay_links_and_files_keep_their_permissions() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("f"), dir.path().join("l"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        symlink("f", &link).unwrap();
        write(&link, |out| out.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(check_output(&link, &[&file]).is_err());
        assert!(check_output(&dir.path().join("other"), &[&file]).is_ok());
    }

    #[test]
    fn no_way_leads_from_an_output_to_its_input() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = temporary.path();
        let at = |name: &str| dir.join(name);
        fs::create_dir_all(at("in/deep")).unwrap();
        fs::write(at("in/file"), "x").unwrap();
        fs::hard_link(at("in/file"), at("hard")).unwrap();
        std::os::unix::fs::symlink(at("in/file"), at("soft")).unwrap();
        std::os::unix::fs::symlink(at("in"), at("folder")).unwrap();
        let refused = |output: &str, input: &str| check_output(&at(output), &[&at(input)]).is_err();
        for output in ["in/file", "hard", "soft", "folder/file", "in/deep/../file"] {
            assert!(refused(output, "in/file"), "{output}");
        }
        for output in ["in/file", "in/new", "in/deep/new", "folder/new", "in", "folder"] {
            assert!(refused(output, "in") && refused(output, "folder"), "{output}");
        }
        for output in ["new", "hard", "inner", "missing/new"] {
            assert!(!refused(output, "in"), "{output}");
        }
        assert!(!refused("new", "hard") && !refused("in/new", "in/file"));
    }

    #[test]
    fn a_new_file_is_as_readable_as_any_other() {
        let dir = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        let (plain, ours) = (dir.path().join("plain"), dir.path().join("ours"));
        File::create(&plain).unwrap();
        write(&ours, |_| Ok(())).unwrap();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
