//! The abstraction configurations that come with Lethe.

use super::super::Preset;

/// The presets, the usual one first.
///
/// ```
/// use lethe_kit::config::{AbstractionConfig, presets};
///
/// for preset in presets() {
///     let plan = AbstractionConfig::preset(preset.name)?.resolve()?;
///     println!("{}: {} ({})", preset.name, preset.summary, plan.name());
/// }
/// # Ok::<(), lethe_kit::config::ConfigError>(())
/// ```
pub fn presets() -> &'static [Preset] {
    &PRESETS
}

static PRESETS: [Preset; 7] = [
    Preset {
        name: "default",
        summary: "500 buckets per street by histograms of equity: the one to start with",
        text: include_str!("../../../configs/default.yaml"),
    },
    Preset {
        name: "blueprint",
        summary: "200 buckets per street by histograms of equity: a smaller game to train on",
        text: include_str!("../../../configs/blueprint.yaml"),
    },
    Preset {
        name: "quick",
        summary: "thousands of buckets per street, built in seconds: for a small betting tree",
        text: include_str!("../../../configs/quick.yaml"),
    },
    Preset {
        name: "fine",
        summary: "500 buckets per street by 50-bin histograms of river equity, and OCHS on the river",
        text: include_str!("../../../configs/fine.yaml"),
    },
    Preset {
        name: "texture-fast-test",
        summary: "a few board textures and a few buckets in each: for trying things out",
        text: include_str!("../../../configs/texture-fast-test.yaml"),
    },
    Preset {
        name: "texture-default",
        summary: "50, 100, 200 board textures with as many buckets in each: the older design",
        text: include_str!("../../../configs/texture-default.yaml"),
    },
    Preset {
        name: "texture-production",
        summary: "100, 200, 400 board textures with 100, 300, 600 buckets in each: the largest",
        text: include_str!("../../../configs/texture-production.yaml"),
    },
];
