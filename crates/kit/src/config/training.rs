//! Training configurations: presets, files and overrides.

use std::path::Path;
use std::sync::Arc;

use lethe_blueprint::TrainConfig;
use serde_json::{Map, Value};

use super::{ConfigError, Preset, Source, training_presets};

/// Reads a training configuration: a file, or else a preset; then overrides such as
/// `game.stack=1500`.
///
/// ```
/// use lethe_kit::config::training_config;
///
/// let config = training_config(Some("quick"), None, &["training.seed=7"])?;
/// assert_eq!(config.training.seed, 7);
/// assert!(training_config(Some("quik"), None, &[""; 0]).unwrap_err().to_string().contains("quick?"));
/// # Ok::<(), lethe_kit::config::ConfigError>(())
/// ```
pub fn training_config(
    preset: Option<&str>,
    file: Option<&Path>,
    overrides: &[impl AsRef<str>],
) -> Result<TrainConfig, ConfigError> {
    let source = match file {
        Some(path) => Source::read(path)?,
        None => Preset::find(training_presets(), preset.unwrap_or("default"))?,
    };
    training_source(&source, overrides)
}

/// A training configuration from the text of a source, with overrides such as `game.stack=1500`.
pub fn training_source(
    source: &Arc<Source>,
    overrides: &[impl AsRef<str>],
) -> Result<TrainConfig, ConfigError> {
    let mut config: TrainConfig = source.parse()?;
    let mut last = source.clone();
    if !overrides.is_empty() {
        let mut value: Value = source.parse()?;
        for assignment in overrides {
            last = Source::assignment(assignment.as_ref());
            set(&mut value, &last)?;
            config = serde_json::from_value(value.clone())
                .map_err(|error| ConfigError::at(last.whole(), error))?;
        }
    }
    config.check().map_err(|error| ConfigError::at(last.whole(), error))?;
    Ok(config)
}

/// Puts a value in the place that a path of keys names.
fn set(config: &mut Value, source: &Arc<Source>) -> Result<(), ConfigError> {
    let (path, place, value) = source.assigned()?;
    let value: Value = source.parse_text(&value)?;
    let mut at = config;
    for key in path.split('.') {
        if at.is_null() {
            *at = Value::Object(Map::new());
        }
        at = match at.as_object_mut() {
            Some(map) if !key.is_empty() => map.entry(key).or_insert(Value::Null),
            _ => return Err(ConfigError::at(place, format_args!("{path}: no such key"))),
        };
    }
    *at = value;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_game() {
        for preset in training_presets() {
            let config = training_config(Some(preset.name), None, &[] as &[&str]).unwrap();
            lethe_game::Game::hand(&config.game).unwrap();
        }
    }

    #[test]
    fn overrides_reach_every_key() {
        let sets = ["game.stack=1500", "training.discount.alpha=2", "abstraction=fine"];
        let config = training_config(Some("quick"), None, &sets).unwrap();
        assert_eq!(config.game.stack, 1500);
        assert_eq!(config.training.discount.alpha, 2.0);
        assert_eq!(config.abstraction.as_deref(), Some("fine"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message =
            |set: &str| training_config(Some("quick"), None, &[set]).unwrap_err().to_string();
        assert!(message("game.stak=3").contains("unknown field `stak`"));
        assert!(message("stack").contains("key=value"));
        assert!(message("game.stack.x=3").contains("no such key"));
        assert!(message("training.discount.interval=0").contains("at least 1"));
        assert!(message("training.adversary.average_share=2").contains("0 to 1"));
        assert!(message("training.rivers=0").contains("from 1 to 48"));
        assert!(message("training.rivers=49").contains("from 1 to 48"));
        assert!(message("training.pooling.weight=-1").contains("from 0 to 1,000,000"));
        assert!(message("training.pooling={weight: 1, iterations: 0}").contains("at least 1"));
        assert!(message("training.sampling=external").contains("opponent is adversary"));
        let external = ["opponent=same", "rivers=1", "sampling=external", "pooling={weight: 1}"];
        let sets = external.map(|set| format!("training.{set}"));
        let error = training_config(Some("quick"), None, &sets).unwrap_err().to_string();
        assert!(error.contains("training.pooling needs training.sampling: public"), "{error}");
        assert!(message("game.stack=[").ends_with("\n  game.stack=[\n             ^"));
    }

    #[test]
    fn an_infinite_threshold_that_no_checkpoint_could_keep_is_refused() {
        let mut config = training_config(Some("quick"), None, &[""; 0]).unwrap();
        assert_eq!(config.check(), Ok(()));
        config.training.prune.below = f64::NEG_INFINITY;
        assert!(config.check().unwrap_err().to_string().contains("a number, 0 or less"));
    }
}
