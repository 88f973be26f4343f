//! Configuration: YAML text, presets and `key=value` overrides, turned into a [`Plan`].
//!
//! A [`Config`] is what was *written*, every value with its place; a [`Plan`] is what was *meant*,
//! complete and checked. Between them stands [`Config::resolve`].

mod error;
mod keys;
mod place;
mod preset;
mod read;
mod resolve;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

use lethe_cards::Street;

pub use error::{ConfigError, ConfigProblem};
pub use preset::{Preset, presets};

use crate::{BuildError, Plan};
use keys::{Key, Value};
use place::{Place, Source};

/// A configuration as it was written: any key may be absent, every value knows its place.
///
/// # Keys
///
/// | key | value | if absent |
/// |---|---|---|
/// | `method` | `ehs`, `histogram`, `ochs` (river), `classes` or `texture` | `texture` if there are `board_clusters`, else `histogram` |
/// | `num_flop_buckets`, `num_turn_buckets`, `num_river_buckets` | 1 to 1048576 | 500; 169 for `classes`; 50, 100, 200 for `texture` |
/// | `buckets` | the same for all streets at once | |
/// | `histogram_bins` | 2 to 200 | 10 |
/// | `distance` | `cdf-l2` or `emd` | `cdf-l2` |
/// | `horizon` | `next` or `river` | `next` |
/// | `feature`, `split` (method `ehs`) | `ehs` or `ehs2`; `kmeans` or `percentile` | `ehs`; `kmeans` |
/// | `ochs_clusters` | 1 to 16 | 8 |
/// | `board_clusters` | 1 to the number of canonical boards | 50, 100, 200 |
/// | `equity_samples`, `representatives_per_cluster` | either one makes `texture` sampled | 1000; 1 |
/// | `kmeans_max_iter`, `restarts`, `seed` | 1 to 10000; 1 to 100; any whole number | 100; 1; 0 |
///
/// `method`, `buckets`, `histogram_bins`, `distance`, `horizon`, `feature`, `split` and
/// `board_clusters` take one value, or one for each street: `{flop: 50, turn: 100, river: 200}`.
///
/// # Example
///
/// ```
/// use lethe_abstraction::{Config, Method};
///
/// let mut config = Config::from_yaml("num_river_buckets: 200\nhistogram_bins: 20\n", "my.yaml")?;
/// config.set("method.river=ochs")?;
/// let plan = config.resolve()?;
/// assert_eq!(plan.streets().flop.buckets(), 500);
/// assert_eq!(plan.streets().river.buckets(), 200);
/// assert_eq!(*plan.streets().river.method(), Method::Ochs { clusters: 8 });
///
/// let error = Config::from_yaml("num_rivr_buckets: 200\n", "my.yaml").unwrap_err();
/// assert!(error.to_string().starts_with("my.yaml:1:1: num_rivr_buckets: no such key"));
/// # Ok::<(), lethe_abstraction::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Config {
    entries: Vec<Entry>,
}

/// One value that was given.
#[derive(Clone, Debug)]
struct Entry {
    key: Key,
    /// The street it is for; every street if absent.
    street: Option<Street>,
    value: Value,
    /// The key as it was spelled: `num_flop_buckets`, `buckets.flop`.
    name: String,
    place: Place,
}

impl Config {
    /// Reads YAML text; `file_name` is what errors call it.
    pub fn from_yaml(text: &str, file_name: &str) -> Result<Config, ConfigError> {
        let entries = read::document(&Source::file(file_name, text))?;
        let mut config = Config::default();
        entries.into_iter().for_each(|entry| config.put(entry));
        Ok(config)
    }

    /// Reads a YAML file.
    pub fn load(path: impl AsRef<Path>) -> Result<Config, ConfigError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let bytes = fs::read(path).map_err(|source| {
            ConfigError::nowhere(ConfigProblem::Unreadable { path: path.to_owned(), source })
        })?;
        match std::str::from_utf8(&bytes) {
            Ok(text) => Config::from_yaml(text, &name),
            Err(error) => {
                let source = Source::file(&name, &String::from_utf8_lossy(&bytes));
                let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                Err(ConfigError::at(source.after(&before), ConfigProblem::NotUtf8))
            }
        }
    }

    /// One of the [`presets`].
    pub fn preset(name: &str) -> Result<Config, ConfigError> {
        match presets().iter().find(|preset| preset.name == name) {
            Some(preset) => Config::from_yaml(preset.text, &format!("preset {name}")),
            None => Err(ConfigError::nowhere(ConfigProblem::UnknownPreset {
                name: name.to_owned(),
                suggestion: error::nearest(name, presets().iter().map(|preset| preset.name)),
            })),
        }
    }

    /// Overrides one key: `num_flop_buckets=200`, `buckets.flop=50`, `method.river=ochs`.
    ///
    /// What follows the `=` is YAML, so `method={flop: ehs, river: ochs}` works too. A later
    /// override replaces an earlier one and what the file says, whichever of their two names the
    /// bucket counts have there. After an error the configuration is as it was.
    pub fn set(&mut self, assignment: &str) -> Result<(), ConfigError> {
        let entries = read::assignment(&Source::set(assignment))?;
        entries.into_iter().for_each(|entry| self.put(entry));
        Ok(())
    }

    /// The complete plan, with defaults for all that was not given.
    pub fn resolve(&self) -> Result<Plan, ConfigError> {
        resolve::plan(self)
    }

    /// Where the number of buckets of a street was given: `my.yaml:4:20 num_river_buckets`, or
    /// `--set num_river_buckets=900`. None if it is the default.
    pub fn locate(&self, street: Street) -> Option<String> {
        self.get(Key::Buckets, street).map(Entry::located)
    }

    /// The same complaint as a build's, at the line that caused it.
    ///
    /// None if the error has no line here: only [`BuildError::TooManyBuckets`] has, and only if
    /// the number of buckets was given.
    pub fn blame(&self, error: &BuildError) -> Option<ConfigError> {
        let BuildError::TooManyBuckets { street, wanted, distinct } = *error else { return None };
        let entry = self.get(Key::Buckets, street)?;
        Some(entry.wrong(|key| ConfigProblem::TooManyBuckets { key, street, wanted, distinct }))
    }

    /// The given keys that make no difference to `plan`, each with its place, as
    /// `my.yaml:7:13 ochs_clusters`.
    ///
    /// They are no errors, so that an override may change the method of a preset.
    pub fn unused(&self, plan: &Plan) -> Vec<String> {
        let idle = |entry: &&Entry| !resolve::matters(entry.key, plan);
        self.entries.iter().filter(idle).map(Entry::located).collect()
    }

    /// What was given for a key on a street: the street's own value before the general one.
    fn get(&self, key: Key, street: Street) -> Option<&Entry> {
        let of = |wanted| self.entries.iter().find(|e| e.key == key && e.street == wanted);
        of(Some(street)).or_else(|| of(None))
    }

    /// What was given for a key that is the same on every street.
    fn general(&self, key: Key) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// Adds a value in place of those it replaces.
    fn put(&mut self, entry: Entry) {
        self.entries.retain(|old| {
            old.key != entry.key || (entry.street.is_some() && old.street != entry.street)
        });
        self.entries.push(entry);
    }
}

impl Entry {
    /// The place and the key.
    fn located(&self) -> String {
        self.place.named(&self.name)
    }

    /// An error at this value.
    fn wrong(&self, problem: impl FnOnce(String) -> ConfigProblem) -> ConfigError {
        ConfigError::at(self.place.clone(), problem(self.name.clone()))
    }
}
