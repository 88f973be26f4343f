//! Temporary files: their names, and the removal of those that killed processes left.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What every temporary name has before the number of its process.
const MARK: &str = ".tmp-";

/// The name of a temporary file or directory for `name`: `.NAME.tmp-PROCESS-N`, another N each time.
///
/// It is hidden, and [`remove_stale`] knows it.
pub fn temporary_name(name: &OsStr) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!(".{}{MARK}{}-{number}", name.to_string_lossy(), std::process::id())
}

/// Removes the temporary files and directories that processes which no longer run left in a
/// directory; returns those it removed. What cannot be removed stays.
///
/// Only names that [`temporary_name`] gives are touched. A file is locked while it is written, so
/// that one of a process with the same number on another machine stays too.
pub fn remove_stale(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let stale = entries.filter(|entry| process_of(&entry.file_name()).is_some_and(is_dead));
    stale
        .map(|entry| entry.path())
        .filter(|path| match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(path).is_ok(),
            Ok(found) if found.is_file() => !is_locked(path) && fs::remove_file(path).is_ok(),
            _ => false,
        })
        .collect()
}

/// The process that a temporary name names.
fn process_of(name: &OsStr) -> Option<u32> {
    let (front, back) = name.to_str()?.rsplit_once(MARK)?;
    let (process, number) = back.split_once('-')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let ours = front.starts_with('.') && digits(process) && digits(number);
    ours.then(|| process.parse().ok()).flatten()
}

fn is_locked(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_err())
}

#[cfg(unix)]
fn is_dead(process: u32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    process.is_some_and(|process| test_kill_process(process) == Err(Errno::SRCH))
}

#[cfg(not(unix))]
fn is_dead(_: u32) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of a process that has ended.
    #[cfg(unix)]
    fn ended() -> u32 {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        child.id()
    }

    #[test]
    #[cfg(unix)]
    fn only_temporary_files_of_dead_processes_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let (dead, living) = (ended(), std::process::id());
        let stale = format!(".a.yaml.tmp-{dead}-0");
        let kept = [
            format!(".a.yaml.tmp-{living}-7"),
            format!("a.yaml.tmp-{dead}-0"),
            format!(".a.yaml.tmp-{dead}"),
            format!(".a.yaml.tmp-{dead}-0.txt"),
            format!(".tmp-{dead}x-0"),
            ".a.yaml.tmp-4294967296-0".to_owned(),
            "latest.blueprint".to_owned(),
        ];
        for name in kept.iter().chain([&stale]) {
            fs::write(dir.path().join(name), "x").unwrap();
        }
        let folder = dir.path().join(format!(".artifact.tmp-{dead}-1"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("flop.buckets"), "x").unwrap();
        let locked = dir.path().join(format!(".locked.tmp-{dead}-2"));
        let held = File::create(&locked).unwrap();
        held.lock().unwrap();

        let mut removed = remove_stale(dir.path());
        removed.sort();
        assert_eq!(removed, [dir.path().join(&stale), folder]);
        assert!(kept.iter().all(|name| dir.path().join(name).exists()));
        assert!(locked.exists());
        assert!(remove_stale(&dir.path().join("nowhere")).is_empty());
    }

    #[test]
    fn temporary_names_are_recognized_and_differ() {
        let [a, b] = [(); 2].map(|()| temporary_name("x.blueprint".as_ref()));
        assert_ne!(a, b);
        assert_eq!(process_of(a.as_ref()), Some(std::process::id()));
    }
}
