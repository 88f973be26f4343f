//! Finding an abstraction by what the user calls it.

use std::path::{Path, PathBuf};

use lethe_abstraction::artifact::list;
use lethe_abstraction::{Abstraction, OpenError};
use lethe_kit::config::{AbstractionConfig, presets};

use crate::error::InputError;

/// Where abstractions are kept unless the user says otherwise.
pub(crate) const ROOT: &str = "data/abstractions";

/// What is accepted wherever an abstraction is asked for.
pub(crate) const DIR_HELP: &str = "The abstraction: its directory, or a name, the beginning of one or a preset in data/abstractions";

/// Opens the abstraction that `text` names.
pub(crate) fn open(text: &Path) -> anyhow::Result<Abstraction> {
    let path = find(text, Path::new(ROOT))?;
    match Abstraction::open(&path) {
        Err(error @ OpenError::NotAnAbstraction { .. }) => Err(InputError::new(error).into()),
        opened => Ok(opened?),
    }
}

/// The directory of the abstraction that `text` names: a path; or in `root` a whole name, a preset,
/// the beginning of one name only, or a hash.
pub(crate) fn find(text: &Path, root: &Path) -> anyhow::Result<PathBuf> {
    let named = text.components().count() == 1 && !text.is_absolute();
    if text.is_dir() && (!named || !root.join(text).is_dir()) {
        return Ok(text.to_owned());
    }
    let name = text.to_string_lossy();
    if !named || name.starts_with('.') || text.exists() && !root.join(text).exists() {
        let error = Abstraction::open(text).err();
        let error = error.map_or_else(|| format!("{name} is not there"), |error| error.to_string());
        return Err(InputError::new(shown(&error)).into());
    }
    let entries = list(root)?;
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let preset = preset_name(&name);
    let exact = |wanted: &str| names.iter().find(|&&entry| entry == wanted);
    if let Some(found) = exact(&name).or_else(|| exact(preset.as_deref()?)) {
        return Ok(root.join(found));
    }
    let matches: Vec<&str> = names
        .iter()
        .copied()
        .filter(|entry| !name.is_empty() && entry.starts_with(&*name) || is_hash(entry, &name))
        .collect();
    if let [found] = matches[..] {
        return Ok(root.join(found));
    }
    let (name, shown_root) = (shown(&name), root.display());
    let message = match (&matches[..], &names[..], preset) {
        ([], _, Some(_)) => {
            format!("the preset {name} has not been built; `lethe build --preset {name}` does it")
        }
        ([], [], _) => {
            format!(
                "{name}: no such directory, and no abstraction in {shown_root}; `lethe build` makes one"
            )
        }
        ([], names, _) => {
            format!(
                "{name}: no such directory, and no abstraction of that name in {shown_root}; there are{}",
                lines(names)
            )
        }
        (several, ..) => {
            format!("{name} may be any of these; write more of the name{}", lines(several))
        }
    };
    Err(InputError::new(message).into())
}

/// The directory's name of the abstraction that a preset makes.
fn preset_name(name: &str) -> Option<String> {
    presets().iter().find(|preset| preset.name == name)?;
    Some(AbstractionConfig::preset(name).ok()?.resolve().ok()?.name())
}

/// Whether `text` is the hash that ends a name.
fn is_hash(name: &str, text: &str) -> bool {
    text.len() == 8 && name.rsplit('-').next() == Some(text)
}

fn lines(names: &[&str]) -> String {
    names.iter().map(|name| format!("\n  {name}")).collect()
}

/// The text without characters that a terminal obeys.
fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str, root: &Path) -> String {
        find(Path::new(text), root).unwrap_err().to_string()
    }

    #[test]
    fn a_name_its_beginning_a_preset_or_a_hash_leads_to_the_directory() {
        let root = std::env::temp_dir().join(format!("lethe-find-{}", std::process::id()));
        let default = preset_name("default").unwrap();
        let hash = default.rsplit('-').next().unwrap().to_owned();
        for name in [default.as_str(), "F20T20R20-ehs-00000000", "F20T20R21-ehs-00000001"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        for text in [default.as_str(), "default", "F500T500", &hash] {
            assert_eq!(find(Path::new(text), &root).unwrap(), root.join(&default), "{text}");
        }
        assert_eq!(find(&root.join(&default), &root).unwrap(), root.join(&default));
        let several = message("F20T20", &root);
        assert!(
            several.ends_with("\n  F20T20R20-ehs-00000000\n  F20T20R21-ehs-00000001"),
            "{several}"
        );
        assert!(message("F9", &root).contains(&format!("\n  {default}")));
        assert!(message("fine", &root).contains("lethe build --preset fine"));
        std::fs::remove_dir_all(&root).unwrap();
        assert!(message("F9", &root).contains("`lethe build` makes one"));
        assert!(message("no/such/place", &root).contains("there is no such directory"));
    }
}
