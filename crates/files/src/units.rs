//! Work in units: one checksummed file for each that is finished.
//!
//! A directory of work has `work.json`, which says what is computed and in which units, and
//! `units/NAME.json` for each finished unit: what determines it, and its value. Each is one line with a
//! checksum, written beside and renamed, so that a killed process leaves no half of one. Several
//! processes may work in one directory, each on its part, or in directories of their own that are
//! read together later.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{FileError, Lines, remove_stale, write_line};

/// The directory of finished units.
const UNITS: &str = "units";
/// The version of the layout.
const FORMAT: u32 = 1;

/// What is computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    format: u32,
    /// The kind of work, such as `sweep`.
    pub kind: String,
    /// What determines it.
    pub what: Value,
    /// The names of its units.
    pub units: Vec<String>,
    /// Where its input is; may differ between parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl Work {
    /// The file that says what is computed.
    pub const FILE: &'static str = "work.json";

    /// Work of a kind.
    pub fn new(kind: &str, what: &impl Serialize, units: Vec<String>) -> Work {
        let what = serde_json::to_value(what).expect("work is plain data");
        Work { format: FORMAT, kind: kind.to_owned(), what, units, source: None }
    }

    /// The same from this input.
    pub fn with_source(self, source: String) -> Work {
        Work { source: Some(source), ..self }
    }

    /// The kind of work in a directory, if there is any.
    pub fn kind_of(dir: &Path) -> Option<String> {
        Work::read(dir).ok().map(|work| work.kind)
    }

    /// The work that was begun in a directory.
    pub fn read(dir: &Path) -> Result<Work, UnitsError> {
        let path = dir.join(Work::FILE);
        match line_of(&path)? {
            Line::Whole(work) => Ok(work),
            Line::Missing => Err(UnitsError::NoWork { dir: dir.to_owned() }),
            Line::Damaged => Err(UnitsError::Damaged { path }),
        }
    }

    /// What differs between this work and another that was found.
    fn difference(&self, found: &Work) -> Option<[String; 3]> {
        if self.kind != found.kind {
            return Some(["kind".to_owned(), self.kind.clone(), found.kind.clone()]);
        }
        differing(&self.what, &found.what).or_else(|| {
            let count = |work: &Work| format!("{} of them", work.units.len());
            (self.units != found.units).then(|| ["units".to_owned(), count(self), count(found)])
        })
    }
}

/// Finished units of some work, in one directory or several.
#[derive(Clone, Debug)]
pub struct Units {
    /// New ones are written to the first.
    dirs: Vec<PathBuf>,
    work: Work,
}

/// Whether the work of a directory may be replaced by other work of its kind, which finds finished
/// units by what determines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// It may.
    Allowed,
    /// Only the same work resumes.
    Refused,
}

/// The content of a unit's file.
#[derive(Serialize, Deserialize)]
struct UnitFile<K, V> {
    unit: String,
    key: K,
    value: V,
}

impl Units {
    /// Begins or resumes work in a directory, which is created if necessary.
    pub fn begin(dir: &Path, work: Work, replace: Replace) -> Result<Units, UnitsError> {
        let units = dir.join(UNITS);
        let begun = match Work::read(dir) {
            Ok(found) => match work.difference(&found) {
                Some(other) if replace == Replace::Refused || work.kind != found.kind => {
                    return Err(UnitsError::foreign(&dir.join(Work::FILE), other));
                }
                difference => difference.is_none(),
            },
            Err(UnitsError::NoWork { .. }) => false,
            Err(error) => return Err(error),
        };
        fs::create_dir_all(&units).map_err(|why| FileError::Write { path: dir.to_owned(), why })?;
        remove_stale(&units);
        if !begun {
            write_line(&dir.join(Work::FILE), &json(&work))?;
        }
        Ok(Units { dirs: vec![dir.to_owned()], work })
    }

    /// Opens work that was begun in several directories, the same in all of them.
    pub fn open(dirs: &[PathBuf]) -> Result<Units, UnitsError> {
        let mut all = dirs.iter();
        let first = all.next().ok_or(UnitsError::NoWork { dir: PathBuf::new() })?;
        let work = Work::read(first)?;
        for dir in all {
            if let Some(other) = work.difference(&Work::read(dir)?) {
                return Err(UnitsError::foreign(&dir.join(Work::FILE), other));
            }
        }
        Ok(Units { dirs: dirs.to_owned(), work })
    }

    /// What is computed.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// The directory that finished units are written to.
    pub fn dir(&self) -> &Path {
        &self.dirs[0]
    }

    fn paths(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        self.dirs.iter().map(move |dir| dir.join(UNITS).join(format!("{name}.json")))
    }

    /// The value of a unit that this key determines; `None` if it is not finished, or damaged.
    ///
    /// # Errors
    /// If its file belongs to something else.
    pub fn get<V: DeserializeOwned>(
        &self,
        name: &str,
        key: &impl Serialize,
    ) -> Result<Option<V>, UnitsError> {
        let key = serde_json::to_value(key).expect("a key is plain data");
        for path in self.paths(name) {
            match line_of::<UnitFile<Value, Value>>(&path)? {
                Line::Missing | Line::Damaged => {}
                Line::Whole(found) => {
                    if let Some(other) = differing(&key, &found.key) {
                        return Err(UnitsError::foreign(&path, other));
                    }
                    if found.unit != name {
                        let other = ["unit".to_owned(), name.to_owned(), found.unit];
                        return Err(UnitsError::foreign(&path, other));
                    }
                    if let Ok(value) = serde_json::from_value(found.value) {
                        return Ok(Some(value));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Keeps the value of a unit, on disk before this returns.
    pub fn put(
        &self,
        name: &str,
        key: &impl Serialize,
        value: &impl Serialize,
    ) -> Result<(), UnitsError> {
        let path = self.dirs[0].join(UNITS).join(format!("{name}.json"));
        Ok(write_line(&path, &json(&UnitFile { unit: name.to_owned(), key, value }))?)
    }

    /// An error if some of the units are not there: so many, the first of this name.
    pub fn check_complete(&self, missing: usize, first: Option<&str>) -> Result<(), UnitsError> {
        match first {
            None => Ok(()),
            Some(first) => Err(UnitsError::Missing {
                dir: self.dirs[0].clone(),
                missing,
                total: self.work.units.len(),
                first: first.to_owned(),
            }),
        }
    }

    /// What a directory of work has: the file that says what is computed, and the directory of units.
    pub fn paths_in(dir: &Path) -> [PathBuf; 2] {
        [dir.join(Work::FILE), dir.join(UNITS)]
    }

    /// The files of a directory of work, and whether each is whole.
    pub fn files(dir: &Path) -> Result<Vec<(PathBuf, bool)>, UnitsError> {
        let whole = |path: &Path| match line_of::<Value>(path) {
            Ok(Line::Whole(_)) => Ok(true),
            Ok(Line::Missing | Line::Damaged) => Ok(false),
            Err(error) => Err(error),
        };
        let units = dir.join(UNITS);
        let mut files = vec![dir.join(Work::FILE)];
        let entries = fs::read_dir(&units).into_iter().flatten().flatten();
        let json = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
        files.extend(entries.map(|entry| entry.path()).filter(json));
        files.sort();
        files.into_iter().map(|path| Ok((path.clone(), whole(&path)?))).collect()
    }
}

/// Units that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnitsError {
    /// A directory without work.
    #[error("{}: holds no work in units", dir.display())]
    NoWork {
        /// The directory.
        dir: PathBuf,
    },
    /// A file of something else.
    #[error(
        "{}: expected {what} {expected}, found {found}; use another directory",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: String,
        /// What it is here.
        expected: String,
        /// What it is in the file.
        found: String,
    },
    /// A file that is not what was written.
    #[error("{}: damaged; remove it, and it is written again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// Units that are not finished.
    #[error(
        "{}: {missing} of {total} units are missing or damaged, {first} among them; run the parts \
         that lack them again",
        dir.display()
    )]
    Missing {
        /// The directory.
        dir: PathBuf,
        /// How many.
        missing: usize,
        /// Of so many.
        total: usize,
        /// The first.
        first: String,
    },
    /// A file that cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl UnitsError {
    fn foreign(path: &Path, [what, expected, found]: [String; 3]) -> UnitsError {
        UnitsError::Foreign { path: path.to_owned(), what, expected, found }
    }

    /// Whether what was asked for is at fault, rather than the machine or a damaged file.
    pub fn is_input(&self) -> bool {
        match self {
            UnitsError::NoWork { .. } | UnitsError::Foreign { .. } | UnitsError::Missing { .. } => {
                true
            }
            UnitsError::Damaged { .. } => false,
            UnitsError::File(error) => error.is_input(),
        }
    }
}

/// The first key in which two values differ, with both values.
fn differing(expected: &Value, found: &Value) -> Option<[String; 3]> {
    let text = |value: &Value| {
        let text = match value {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        match text.char_indices().nth(40) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    };
    if expected == found {
        return None;
    }
    if let (Value::Object(ours), Value::Object(theirs)) = (expected, found) {
        let keys = ours.keys().chain(theirs.keys());
        let mut keys = keys.filter(|key| ours.get(*key) != theirs.get(*key));
        if let Some(key) = keys.next() {
            let [ours, theirs] = [ours, theirs].map(|of| of.get(key).unwrap_or(&Value::Null));
            let inside = match (ours, theirs) {
                (Value::Object(_), Value::Object(_)) => differing(ours, theirs),
                _ => None,
            };
            let shown = [key.clone(), text(ours), text(theirs)];
            return inside.or(Some(shown));
        }
    }
    Some(["key".to_owned(), text(expected), text(found)])
}

/// What a file of one line has.
enum Line<T> {
    Missing,
    Damaged,
    Whole(T),
}

fn line_of<T: DeserializeOwned>(path: &Path) -> Result<Line<T>, FileError> {
    let lines = match Lines::read(path, |_| false) {
        Err(error) if error.is_missing() => return Ok(Line::Missing),
        lines => lines?,
    };
    Ok(match (&lines.whole[..], &lines.damaged[..]) {
        ([(_, line)], []) => serde_json::from_slice(line).map_or(Line::Damaged, Line::Whole),
        _ => Line::Damaged,
    })
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data can be written")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn work(target: f64) -> Work {
        Work::new("sweep", &json!({"target": target}), vec!["a".into(), "b".into()])
    }

    #[test]
    fn finished_units_are_found_and_damaged_ones_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let units = Units::begin(dir.path(), work(0.5), Replace::Refused).unwrap();
        let key = json!({"target": 0.5});
        assert_eq!(units.get::<f64>("a", &key).unwrap(), None);
        units.put("a", &key, &(0.1 + 0.2)).unwrap();
        let again = Units::begin(dir.path(), work(0.5), Replace::Refused).unwrap();
        assert_eq!(again.get::<f64>("a", &key).unwrap(), Some(0.1 + 0.2));
        let path = dir.path().join("units/a.json");
        let bytes = fs::read(&path).unwrap();
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, flipped).unwrap();
            assert_eq!(again.get::<f64>("a", &key).unwrap(), None, "bit {bit}");
            assert_eq!(
                Units::files(dir.path()).unwrap(),
                [(path.clone(), false), (dir.path().join(Work::FILE), true)]
            );
        }
        for cut in 0..bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            assert_eq!(again.get::<f64>("a", &key).unwrap(), None, "cut at {cut}");
        }
        units.put("a", &key, &7.0).unwrap();
        assert_eq!(again.get::<f64>("a", &key).unwrap(), Some(7.0));
    }

    #[test]
    fn work_and_units_of_something_else_are_refused() {
        let [first, second] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let units = Units::begin(first.path(), work(0.5), Replace::Refused).unwrap();
        units.put("a", &json!({"target": 0.5}), &1).unwrap();
        let other = Units::begin(first.path(), work(0.6), Replace::Refused).unwrap_err();
        assert!(other.to_string().contains("expected target 0.6, found 0.5"), "{other}");
        let other = units.get::<u32>("a", &json!({"target": 0.6})).unwrap_err();
        assert!(other.to_string().contains("a.json: expected target 0.6, found 0.5"), "{other}");
        fs::rename(first.path().join("units/a.json"), first.path().join("units/b.json")).unwrap();
        let other = units.get::<u32>("b", &json!({"target": 0.5})).unwrap_err();
        assert!(other.to_string().contains("expected unit b, found a"), "{other}");
        // Other work of the kind may take its place, if that is asked for.
        assert!(Units::begin(first.path(), work(0.6), Replace::Allowed).is_ok());
        let kind = Work { kind: "lab".to_owned(), ..work(0.6) };
        assert!(Units::begin(first.path(), kind, Replace::Allowed).is_err());
        // Directories are read together only if their work is the same.
        Units::begin(second.path(), work(0.7), Replace::Refused).unwrap();
        let dirs = [first.path().to_owned(), second.path().to_owned()];
        assert!(Units::open(&dirs).unwrap_err().to_string().contains("expected target"));
        assert!(matches!(Work::read("nowhere".as_ref()), Err(UnitsError::NoWork { .. })));
    }

    #[test]
    fn units_of_several_directories_are_read_together() {
        let [first, second] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let key = json!({});
        for (dir, name, value) in [(&first, "a", 1), (&second, "b", 2)] {
            let source = work(1.0).with_source(name.to_owned());
            let units = Units::begin(dir.path(), source, Replace::Refused).unwrap();
            units.put(name, &key, &value).unwrap();
        }
        let dirs = [first.path().to_owned(), second.path().to_owned()];
        let units = Units::open(&dirs).unwrap();
        let found = ["a", "b"].map(|name| units.get::<u32>(name, &key).unwrap());
        assert_eq!(found, [Some(1), Some(2)]);
        let missing = units.check_complete(1, Some("c")).unwrap_err().to_string();
        assert!(missing.contains("1 of 2 units are missing or damaged, c among them"), "{missing}");
    }
}
