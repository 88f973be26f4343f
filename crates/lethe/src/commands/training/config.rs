//! Training configurations: presets, files and overrides.

use std::path::Path;

use lethe_blueprint::TrainConfig;
use lethe_kit::config::Source;
use serde_json::Value;

use crate::error::InputError;

/// The presets, each a commented file in `blueprints/`.
pub(crate) const PRESETS: [(&str, &str); 4] = [
    ("push-fold", include_str!("../../../../kit/blueprints/push-fold.yaml")),
    ("quick", include_str!("../../../../kit/blueprints/quick.yaml")),
    ("default", include_str!("../../../../kit/blueprints/default.yaml")),
    ("deep", include_str!("../../../../kit/blueprints/deep.yaml")),
];

/// The configuration of a preset or a file, with overrides.
pub(crate) fn read(
    preset: Option<&str>,
    file: Option<&Path>,
    overrides: &[String],
) -> Result<TrainConfig, InputError> {
    let source = match file {
        Some(path) => Source::read(path).map_err(InputError::new)?,
        None => {
            let name = preset.unwrap_or("default");
            let found = PRESETS.iter().find(|(preset, _)| *preset == name);
            let Some((_, text)) = found else {
                let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
                return Err(InputError::new(format_args!(
                    "{}: no such preset; there are {}",
                    name.escape_debug(),
                    names.join(", ")
                )));
            };
            Source::file(&format!("preset {name}"), text)
        }
    };
    let mut config: TrainConfig = source.parse().map_err(InputError::new)?;
    if !overrides.is_empty() {
        let mut value: Value = source.parse().map_err(InputError::new)?;
        for assignment in overrides {
            set(&mut value, assignment)?;
            config =
                serde_json::from_value(value.clone()).map_err(|error| wrong(assignment, &error))?;
        }
    }
    config
        .check()
        .map_err(|message| InputError::new(format_args!("{}: {message}", source.name())))?;
    Ok(config)
}

/// Puts a value in the place that a path of keys names.
fn set(config: &mut Value, assignment: &str) -> Result<(), InputError> {
    let Some((path, text)) = assignment.split_once('=') else {
        return Err(wrong(assignment, &"write it as key=value, such as game.stack=1500"));
    };
    let value: Value = serde_saphyr::from_str(text).map_err(|error| wrong(assignment, &error))?;
    let mut at = config;
    for key in path.trim().split('.') {
        if key.is_empty() || !(at.is_object() || at.is_null()) {
            return Err(wrong(assignment, &format_args!("no key is called {path}")));
        }
        if at.is_null() {
            *at = Value::Object(serde_json::Map::new());
        }
        at = at.as_object_mut().expect("made one above").entry(key).or_insert(Value::Null);
    }
    *at = value;
    Ok(())
}

fn wrong(assignment: &str, why: &dyn std::fmt::Display) -> InputError {
    InputError::new(format_args!("--set {}: {why}", assignment.escape_debug()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_game() {
        for (name, _) in PRESETS {
            let config = read(Some(name), None, &[]).unwrap();
            lethe_game::Game::hand(&config.game).unwrap();
        }
    }

    #[test]
    fn overrides_reach_every_key() {
        let sets = ["game.stack=1500", "training.discount.alpha=2", "abstraction=fine"];
        let config = read(Some("quick"), None, &sets.map(str::to_owned)).unwrap();
        assert_eq!(config.game.stack, 1500);
        assert_eq!(config.training.discount.alpha, 2.0);
        assert_eq!(config.abstraction.as_deref(), Some("fine"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
            read(Some("quick"), None, &sets).unwrap_err().to_string()
        };
        assert!(message(&["game.stak=3"]).contains("unknown field `stak`"));
        assert!(message(&["stack"]).contains("key=value"));
        assert!(message(&["game.stack.x=3"]).contains("no key"));
        assert!(message(&["training.discount.interval=0"]).contains("at least 1"));
        assert!(message(&["training.sampling=external"]).contains("opponent is adversary"));
        assert!(
            read(Some("slow"), None, &[]).unwrap_err().to_string().contains("push-fold, quick")
        );
    }
}
