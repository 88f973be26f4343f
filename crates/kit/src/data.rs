//! The data directory: where abstractions, runs and solutions are kept and found by name.
//!
//! ```text
//! DATA/abstractions/F500T500R500-histogram10-1a2b3c4d
//! DATA/runs/quick
//! DATA/solutions/turn.lethe
//! ```
//!
//! DATA is the first of: a directory that the caller names; the environment variable `LETHE_DATA`;
//! `./data` if it holds `abstractions`; the user's data directory, such as `~/.local/share/lethe`.
//!
//! ```
//! use std::path::Path;
//!
//! use lethe_kit::data::DataDir;
//!
//! let data = DataDir::locate(Some(Path::new("/srv/lethe")));
//! assert_eq!(data.abstractions(), Path::new("/srv/lethe/abstractions"));
//! assert_eq!(data.run("quick".as_ref()), Path::new("/srv/lethe/runs/quick"));
//! assert_eq!(data.run("elsewhere/quick".as_ref()), Path::new("elsewhere/quick"));
//! assert!(data.find_abstraction("default".as_ref()).is_err());
//! ```

use std::env;
use std::path::{Path, PathBuf};

use lethe_abstraction::artifact::list;
use lethe_abstraction::{Abstraction, OpenError};

use crate::config::{AbstractionConfig, presets, tame};
use crate::error::Error;

/// The environment variable that names the data directory.
pub const VARIABLE: &str = "LETHE_DATA";

/// A data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDir {
    root: PathBuf,
}

/// A name that leads nowhere.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// A preset that has not been built.
    #[error("the preset {name} has not been built in {}", root.display())]
    NotBuilt {
        /// The preset.
        name: String,
        /// Where it would be.
        root: PathBuf,
    },
    /// Nothing has that name.
    #[error("{name}: no such {kind}, neither as a path nor in {}{}", root.display(), listed(known))]
    Unknown {
        /// What was looked for: `abstraction`, `run`.
        kind: &'static str,
        /// The name.
        name: String,
        /// Where it was looked for.
        root: PathBuf,
        /// What is there.
        known: Vec<String>,
    },
    /// No run was named, and there is none or more than one.
    #[error("{}{}", if known.is_empty() { "there is no run in " } else { "name a run of " },
            root.display().to_string() + &listed(known))]
    NoRun {
        /// Where it was looked for.
        root: PathBuf,
        /// What is there.
        known: Vec<String>,
    },
    /// Several have names that begin like that.
    #[error("{name} is the beginning of several names; write more of it{}", lines(known))]
    Ambiguous {
        /// The name.
        name: String,
        /// Those that begin so.
        known: Vec<String>,
    },
    /// It is not an abstraction, run or solution.
    #[error("{0}")]
    Not(OpenError),
}

fn listed(known: &[String]) -> String {
    match known {
        [] => String::new(),
        known => format!("; there are{}", lines(known)),
    }
}

fn lines(names: &[String]) -> String {
    names.iter().map(|name| format!("\n  {name}")).collect()
}

impl DataDir {
    /// The data directory: `given`, or else the one that the environment gives.
    pub fn locate(given: Option<&Path>) -> DataDir {
        let variable = || env::var_os(VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from);
        let here = || Some(PathBuf::from("data")).filter(|dir| dir.join("abstractions").is_dir());
        let root = given.map(Path::to_owned).or_else(variable).or_else(here);
        DataDir { root: root.unwrap_or_else(|| user_data().unwrap_or_else(|| "data".into())) }
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where abstractions are.
    pub fn abstractions(&self) -> PathBuf {
        self.root.join("abstractions")
    }

    /// Where runs are.
    pub fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// Where solutions are.
    pub fn solutions(&self) -> PathBuf {
        self.root.join("solutions")
    }

    /// Where spot files are.
    pub fn spots(&self) -> PathBuf {
        self.root.join("spots")
    }

    /// Where the hands of sessions are.
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// Where sweeps over flops are.
    pub fn sweeps(&self) -> PathBuf {
        self.root.join("sweeps")
    }

    /// Removes the temporary files that killed processes left anywhere in it.
    pub fn remove_stale(&self) {
        let [abstractions, runs, solutions] = [self.abstractions(), self.runs(), self.solutions()];
        let others = [self.spots(), self.sweeps(), self.sessions()];
        for dir in [abstractions, runs, solutions].into_iter().chain(others) {
            lethe_files::remove_stale(&dir);
            for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    lethe_files::remove_stale(&entry.path());
                }
            }
        }
    }

    /// Where a run is, or is to be: a bare name is in [`DataDir::runs`], anything else is a path.
    pub fn run(&self, name: &Path) -> PathBuf {
        if is_bare(name) { self.runs().join(name) } else { name.to_owned() }
    }

    /// The run that `name` means: a path, a name in [`DataDir::runs`], or `runs/NAME`.
    pub fn find_run(&self, name: &Path) -> Result<PathBuf, FindError> {
        let candidates = [name.to_owned(), self.runs().join(name), self.root.join(name)];
        // A bare name means the data directory before the working directory.
        let order = if is_bare(name) { [1, 0, 2] } else { [0, 1, 2] };
        let found = order.into_iter().map(|place| &candidates[place]).find(|path| path.exists());
        found.cloned().ok_or_else(|| FindError::Unknown {
            kind: "run",
            name: shown(name),
            root: self.runs(),
            known: names_in(&self.runs()),
        })
    }

    /// The run that is meant where none is named: `quickstart`, or the only one.
    pub fn default_run(&self) -> Result<PathBuf, FindError> {
        let mut known = names_in(&self.runs());
        known.retain(|name| crate::runs::is_blueprint(&self.runs().join(name)));
        match (&known[..], known.iter().find(|name| *name == "quickstart")) {
            (_, Some(name)) => Ok(self.runs().join(name)),
            ([only], _) => Ok(self.runs().join(only)),
            _ => Err(FindError::NoRun { root: self.runs(), known }),
        }
    }

    /// Where a solution is, or is to be saved: a bare name without an extension is in
    /// [`DataDir::solutions`], anything else is a path.
    pub fn solution(&self, name: &Path) -> PathBuf {
        match is_bare(name) && name.extension().is_none() && !name.exists() {
            true => self.solutions().join(name).with_extension("lethe"),
            false => name.to_owned(),
        }
    }

    /// Opens the abstraction that `name` means.
    pub fn open_abstraction(&self, name: &Path) -> Result<Abstraction, Error> {
        Ok(Abstraction::open(self.find_abstraction(name)?)?)
    }

    /// The directory of the abstraction that `name` means: a path; or among the abstractions a
    /// whole name, a preset, the beginning of exactly one name, or a hash.
    pub fn find_abstraction(&self, name: &Path) -> Result<PathBuf, FindError> {
        let root = self.abstractions();
        let text = name.to_string_lossy();
        let there = root.join(name).is_dir();
        if !is_bare(name) || text.starts_with('.') || (name.exists() && !there) {
            return match Abstraction::open(name) {
                Err(error @ OpenError::NotAnAbstraction { .. }) => Err(FindError::Not(error)),
                _ => Ok(name.to_owned()),
            };
        }
        let names: Vec<String> =
            list(&root).map_err(FindError::Not)?.into_iter().map(|entry| entry.name).collect();
        let preset = preset_name(&text);
        let exact = |wanted: &str| names.iter().find(|name| *name == wanted);
        if let Some(found) = exact(&text).or_else(|| exact(preset.as_deref()?)) {
            return Ok(root.join(found));
        }
        let begins = |name: &&String| {
            let hash = text.len() == 8 && name.rsplit('-').next() == Some(&text);
            !text.is_empty() && name.starts_with(&*text) || hash
        };
        let known: Vec<String> = names.iter().filter(begins).cloned().collect();
        match (&known[..], preset) {
            ([found], _) => Ok(root.join(found)),
            ([], Some(_)) => Err(FindError::NotBuilt { name: text.into_owned(), root }),
            ([], None) => Err(FindError::Unknown {
                kind: "abstraction",
                name: shown(name),
                root,
                known: names,
            }),
            _ => Err(FindError::Ambiguous { name: shown(name), known }),
        }
    }
}

/// Whether a text is one name rather than a path.
fn is_bare(name: &Path) -> bool {
    let text = name.as_os_str().as_encoded_bytes();
    !text.contains(&b'/') && !text.contains(&b'\\') && !text.starts_with(b".")
}

/// The name of the abstraction that a preset makes.
fn preset_name(name: &str) -> Option<String> {
    presets().iter().find(|preset| preset.name == name)?;
    Some(AbstractionConfig::preset(name).ok()?.resolve().ok()?.name())
}

fn names_in(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| shown(Path::new(&entry.file_name()))).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

fn shown(name: &Path) -> String {
    tame(&name.to_string_lossy()).into_owned()
}

/// The user's data directory on this platform.
fn user_data() -> Option<PathBuf> {
    let dir = |name| env::var_os(name).map(PathBuf::from).filter(|dir| dir.is_absolute());
    let base = if cfg!(windows) {
        dir("APPDATA")
    } else if cfg!(target_os = "macos") {
        dir("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        dir("XDG_DATA_HOME").or_else(|| dir("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("lethe"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_name_its_beginning_a_preset_or_a_hash_leads_to_the_abstraction() {
        let temporary = tempfile::tempdir().unwrap();
        let data = DataDir::locate(Some(temporary.path()));
        let root = data.abstractions();
        let find = |text: &str| data.find_abstraction(Path::new(text));
        let message = |text: &str| find(text).unwrap_err().to_string();
        assert!(message("F9").contains("no such abstraction"), "{}", message("F9"));
        let default = preset_name("default").unwrap();
        let hash = default.rsplit('-').next().unwrap().to_owned();
        for name in [default.as_str(), "F20T20R20-ehs-00000000", "F20T20R21-ehs-00000001"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for text in [default.as_str(), "default", "F500T500", &hash] {
            assert_eq!(find(text).unwrap(), root.join(&default), "{text}");
        }
        let several = message("F20T20");
        assert!(
            several.ends_with("\n  F20T20R20-ehs-00000000\n  F20T20R21-ehs-00000001"),
            "{several}"
        );
        assert!(message("F9").contains(&format!("\n  {default}")));
        assert!(matches!(find("fine"), Err(FindError::NotBuilt { .. })));
        assert!(matches!(find("no/such/place"), Err(FindError::Not(_))));
    }

    #[test]
    fn a_run_is_found_by_name_by_path_and_with_its_folder() {
        let temporary = tempfile::tempdir().unwrap();
        let data = DataDir::locate(Some(temporary.path()));
        let run = data.runs().join("quick");
        fs::create_dir_all(&run).unwrap();
        for name in [Path::new("quick"), Path::new("runs/quick"), &run] {
            assert_eq!(data.find_run(name).unwrap(), run, "{}", name.display());
        }
        let message = data.find_run(Path::new("slow")).unwrap_err().to_string();
        assert!(message.ends_with("there are\n  quick"), "{message}");
    }
}
