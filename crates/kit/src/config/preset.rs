//! The configurations that come with Lethe.

use std::sync::Arc;

use super::error::unknown;
use super::{ConfigError, Source};

/// A configuration that comes with Lethe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// The YAML text, a manual of its keys.
    pub text: &'static str,
}

impl Preset {
    /// What it is for: the first line of its text.
    pub fn summary(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }

    /// The text of the one that has this name.
    pub(super) fn find(presets: &[Preset], name: &str) -> Result<Arc<Source>, ConfigError> {
        match presets.iter().find(|preset| preset.name == name) {
            Some(preset) => Ok(Source::file(&format!("preset {name}"), preset.text)),
            None => {
                let known: Vec<&str> = presets.iter().map(|preset| preset.name).collect();
                Err(ConfigError::nowhere(unknown("preset", name, &known)))
            }
        }
    }
}

pub(super) const fn preset(name: &'static str, text: &'static str) -> Preset {
    Preset { name, text }
}

/// The abstraction configurations that come with Lethe, the usual one first.
///
/// ```
/// use lethe_kit::config::{AbstractionConfig, presets};
///
/// for preset in presets() {
///     let plan = AbstractionConfig::preset(preset.name)?.resolve()?;
///     println!("{}: {} ({})", preset.name, preset.summary(), plan.name());
/// }
/// # Ok::<(), lethe_kit::config::ConfigError>(())
/// ```
pub fn presets() -> &'static [Preset] {
    const {
        &[
            preset("default", include_str!("../../configs/default.yaml")),
            preset("blueprint", include_str!("../../configs/blueprint.yaml")),
            preset("blueprint-clusters", include_str!("../../configs/blueprint-clusters.yaml")),
            preset("quick", include_str!("../../configs/quick.yaml")),
            preset("quick-clusters", include_str!("../../configs/quick-clusters.yaml")),
            preset("slumbot-mb1b1", include_str!("../../configs/slumbot-mb1b1.yaml")),
            preset("fine", include_str!("../../configs/fine.yaml")),
            preset("texture-fast-test", include_str!("../../configs/texture-fast-test.yaml")),
            preset("texture-default", include_str!("../../configs/texture-default.yaml")),
            preset("texture-production", include_str!("../../configs/texture-production.yaml")),
        ]
    }
}

/// The training configurations that come with Lethe.
pub fn training_presets() -> &'static [Preset] {
    const {
        &[
            preset("push-fold", include_str!("../../blueprints/push-fold.yaml")),
            preset("quick", include_str!("../../blueprints/quick.yaml")),
            preset("default", include_str!("../../blueprints/default.yaml")),
            preset("deep", include_str!("../../blueprints/deep.yaml")),
            preset("slumbot-mb1b1", include_str!("../../blueprints/slumbot-mb1b1.yaml")),
        ]
    }
}
