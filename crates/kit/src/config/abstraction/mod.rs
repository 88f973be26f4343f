//! Abstraction configurations: YAML text, presets and `key=value` overrides, turned into a [`Plan`].

mod keys;
mod read;
mod resolve;
#[cfg(test)]
mod tests;

use std::path::Path;

use lethe_abstraction::{BuildError, Plan};
use lethe_cards::Street;

use super::{ConfigError, Place, Preset, Source, presets};
use keys::{Key, Value};

/// The configuration of an abstraction as it was written: any key may be absent, every value knows
/// its place. [`AbstractionConfig::resolve`] makes it a complete and checked [`Plan`].
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
/// | `flop_clusters` | `{table: NAME, count: N}`: a [table](super::flop_tables) or its file, and how many of its clusters | no clusters; all of the table's |
/// | `kmeans_max_iter`, `restarts`, `seed` | 1 to 10000; 1 to 100; any whole number | 100; 1; 0 |
///
/// `method`, `buckets`, `histogram_bins`, `distance`, `horizon`, `feature`, `split` and
/// `board_clusters` take one value, or one for each street: `{flop: 50, turn: 100, river: 200}`.
///
/// # Example
///
/// ```
/// use lethe_abstraction::Method;
/// use lethe_kit::config::AbstractionConfig;
///
/// let mut config = AbstractionConfig::from_yaml("num_river_buckets: 200\nhistogram_bins: 20\n", "my.yaml")?;
/// config.set("method.river=ochs")?;
/// let plan = config.resolve()?;
/// assert_eq!(plan.streets().flop.buckets(), 500);
/// assert_eq!(plan.streets().river.buckets(), 200);
/// assert_eq!(*plan.streets().river.method(), Method::Ochs { clusters: 8 });
///
/// let error = AbstractionConfig::from_yaml("num_rivr_buckets: 200\n", "my.yaml").unwrap_err();
/// assert!(error.to_string().starts_with("my.yaml:1:1: num_rivr_buckets: no such key"));
/// # Ok::<(), lethe_kit::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct AbstractionConfig {
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

impl AbstractionConfig {
    /// Reads YAML text; `file_name` is what errors call it.
    pub fn from_yaml(text: &str, file_name: &str) -> Result<AbstractionConfig, ConfigError> {
        AbstractionConfig::from_source(&Source::file(file_name, text))
    }

    fn from_source(source: &std::sync::Arc<Source>) -> Result<AbstractionConfig, ConfigError> {
        let entries = read::document(source)?;
        let mut config = AbstractionConfig::default();
        entries.into_iter().for_each(|entry| config.put(entry));
        Ok(config)
    }

    /// Reads a YAML file.
    pub fn load(path: impl AsRef<Path>) -> Result<AbstractionConfig, ConfigError> {
        AbstractionConfig::from_source(&Source::read(path.as_ref())?)
    }

    /// One of the [`presets`].
    pub fn preset(name: &str) -> Result<AbstractionConfig, ConfigError> {
        AbstractionConfig::from_source(&Preset::find(presets(), name)?)
    }

    /// Overrides one key: `num_flop_buckets=200`, `buckets.flop=50`, `method.river=ochs`.
    ///
    /// What follows the `=` is YAML, so `method={flop: ehs, river: ochs}` works too. A later
    /// override replaces an earlier one and what the file says, whichever of their two names the
    /// bucket counts have there. After an error the configuration is as it was.
    pub fn set(&mut self, assignment: &str) -> Result<(), ConfigError> {
        let entries = read::assignment(&Source::assignment(assignment))?;
        entries.into_iter().for_each(|entry| self.put(entry));
        Ok(())
    }

    /// The complete plan, with defaults for all that was not given.
    pub fn resolve(&self) -> Result<Plan, ConfigError> {
        resolve::plan(self)
    }

    /// An error at the line that gave a street's number of buckets; the error itself if no line did.
    pub fn at_buckets<E: ToString>(&self, street: Street, error: E) -> Result<ConfigError, E> {
        match self.get(Key::Buckets, street) {
            Some(entry) => Ok(ConfigError::at(entry.place.clone(), error)),
            None => Err(error),
        }
    }

    /// The same complaint as a build's, at the line that caused it.
    ///
    /// None if the error has no line here: only [`BuildError::TooManyBuckets`] has, and only if
    /// the number of buckets was given.
    pub fn blame(&self, error: &BuildError) -> Option<ConfigError> {
        let BuildError::TooManyBuckets { street, wanted, distinct } = *error else { return None };
        let entry = self.get(Key::Buckets, street)?;
        Some(entry.wrong(format!(
            "{wanted} is above {distinct}, the number of distinct features on the {street}; ask for \
             at most {distinct}, or for more histogram bins"
        )))
    }

    /// The given keys that make no difference to `plan`, each with its place, as
    /// `my.yaml:7:13 ochs_clusters`.
    ///
    /// They are no errors, so that an override may change the method of a preset.
    pub fn unused(&self, plan: &Plan) -> Vec<String> {
        let idle = |entry: &&Entry| !resolve::matters(entry.key, plan);
        self.entries.iter().filter(idle).map(Entry::located).collect()
    }

    /// What was given for a key on a street, the street's own value before the general one; without
    /// a street what was given for any.
    fn get(&self, key: Key, street: impl Into<Option<Street>>) -> Option<&Entry> {
        let mut given = self.entries.iter().filter(|entry| entry.key == key);
        let Some(street) = street.into() else { return given.next() };
        let own = given.clone().find(|entry| entry.street == Some(street));
        own.or_else(|| given.find(|entry| entry.street.is_none()))
    }

    /// The number given for a key.
    fn number(&self, key: Key, street: impl Into<Option<Street>>) -> Option<u64> {
        match self.get(key, street)?.value {
            Value::Whole(number) => Some(number),
            _ => None,
        }
    }

    /// The count given for a key, or the default.
    fn count(&self, key: Key, street: impl Into<Option<Street>>, default: usize) -> usize {
        let given = self.number(key, street);
        given.map_or(default, |n| n.try_into().expect("the bounds of every count fit 32 bits"))
    }

    /// The word given for a key, or the empty one.
    fn word(&self, key: Key, street: Street) -> &'static str {
        match self.get(key, street).map(|entry| &entry.value) {
            Some(Value::Word(word)) => word,
            _ => "",
        }
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
    fn wrong(&self, why: String) -> ConfigError {
        ConfigError::at(self.place.clone(), format_args!("{}: {why}", self.name))
    }
}
