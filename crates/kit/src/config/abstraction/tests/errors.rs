use std::fs;

use lethe_abstraction::Plan;

use crate::config::{AbstractionConfig, ConfigError};

/// Configurations (`> ` before each line) and overrides (`$ `), each with its message.
const GOLDEN: &str = include_str!("errors.txt");

/// What becomes of the lines of a golden block that are marked.
fn judge(input: &[&str]) -> Result<Plan, ConfigError> {
    let mut config = AbstractionConfig::default();
    if let Some(assignment) = input[0].strip_prefix("$ ") {
        config.set(assignment)?;
    } else {
        let lines = input.iter().map(|line| line.get(2..).unwrap_or_default());
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        config = AbstractionConfig::from_yaml(&text, "my.yaml")?;
    }
    config.resolve()
}

#[test]
fn errors_name_the_place_and_the_remedy() {
    let mut blocks = 0;
    for block in GOLDEN.split("\n\n").filter(|block| !block.starts_with('#')) {
        let lines: Vec<&str> = block.trim_end().lines().collect();
        let inputs = lines.iter().take_while(|line| line.starts_with(['>', '$'])).count();
        let (input, expected) = lines.split_at(inputs);
        match judge(input) {
            Ok(plan) => panic!("{input:?} gives {plan:?}"),
            Err(error) => assert_eq!(error.to_string(), expected.join("\n"), "{input:?}"),
        }
        blocks += 1;
    }
    assert!(blocks >= 40, "{blocks} blocks");
}

#[test]
fn errors_do_not_repeat_themselves_in_a_chain() {
    let error = AbstractionConfig::from_yaml("seed: x", "my.yaml").unwrap_err();
    assert!(std::error::Error::source(&error).is_none());
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    for text in ["k\u{1b}[31mey: 1", "\"k\\e[31mey\": 1", "method: \"a\\e[31m\\nb\"\n"] {
        let message = AbstractionConfig::from_yaml(text, "my.yaml").unwrap_err().to_string();
        assert!(message.chars().all(|c| c == '\n' || !c.is_control()), "{message:?}");
        assert_eq!(message.lines().count(), 3, "{message}");
    }
}

#[test]
fn lines_are_counted_whatever_ends_them() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["seed: 1", "restarts: 2", "horizon: soon", ""].join(end);
        let error = AbstractionConfig::from_yaml(&text, "my.yaml").unwrap_err();
        assert_eq!(error.position(), Some((3, 10)), "{end:?}");
        assert!(error.to_string().contains("\n  3 | horizon: soon\n"), "{end:?}: {error}");
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.yaml");
    let name = path.display();
    let message = AbstractionConfig::load(&path).unwrap_err().to_string();
    assert!(message.starts_with(&format!("{name}: ")), "{message}");
    assert!(message.ends_with("; expected a YAML file or the name of a preset"));

    fs::write(&path, b"seed: 1\nab\xff: 2\n").unwrap();
    assert_eq!(
        AbstractionConfig::load(&path).unwrap_err().to_string(),
        format!(
            "{name}:2:3: this byte is not UTF-8; save the file as UTF-8 text\n\
             \x20 2 | ab\u{fffd}: 2\n\
             \x20   |   ^"
        )
    );
}

#[test]
fn unknown_presets_list_the_known_ones() {
    assert_eq!(
        AbstractionConfig::preset("texture-defalt").unwrap_err().to_string(),
        "texture-defalt: no such preset (did you mean texture-default?); the presets are default, \
         blueprint, blueprint-clusters, quick, quick-clusters, slumbot-mb1b1, fine, texture-fast-test, \
         texture-default, texture-production"
    );
}
