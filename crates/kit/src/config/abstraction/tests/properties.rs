use proptest::prelude::*;

use super::super::keys::{Kind, NAMES};
use super::config;
use crate::config::{AbstractionConfig, ConfigError};

/// A key with a value it takes.
fn assignment() -> impl Strategy<Value = (&'static str, String)> {
    (0..NAMES.len(), any::<u64>()).prop_map(|(index, random)| {
        let name = &NAMES[index];
        let value = match name.key.kind(name.street) {
            Kind::Whole { low, high: u64::MAX, .. } => random.max(low).to_string(),
            Kind::Whole { low, high, .. } => (low + random % (high - low + 1)).to_string(),
            Kind::Words(words) => words[random as usize % words.len()].to_owned(),
            Kind::Text { .. } => format!("missing-{}.json", random % 4),
        };
        (name.text, value)
    })
}

/// Text made of pieces that configurations are made of, and of some that they are not.
fn yamlish() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => (0..NAMES.len()).prop_map(|index| NAMES[index].text.to_owned()),
        4 => prop::sample::select(vec![
            ": ", ":", "\n", "\n  ", "\n\t", "{", "}", "[", "]", ", ", "- ", "# ", "\"", "'", "&a ",
            "*a", "<<: ", "!!int ", "!x ", "|\n", ">\n", "---\n", "...\n", "? ", "%", "@", "~",
            "\r\n", "\r", "\u{feff}", "\u{85}", "\u{0}", "é", "=",
        ]).prop_map(str::to_owned),
        2 => prop::sample::select(vec![
            "flop", "turn", "river", "preflop", "ochs", "histogram", "lossless", "texture", "0",
            "-1", "500", "1e400", ".nan", "99999999999999999999", "0x", "1_000", "yes", "null",
        ]).prop_map(str::to_owned),
        1 => ".{0,4}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Every error prints with its place, which is within the text.
fn well_placed(text: &str, result: Result<(), ConfigError>) {
    if let Err(error) = result {
        let (line, column) = error.position().expect("errors of a text have a place");
        let breaks = |c| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
        assert!(line >= 1 && line <= text.matches(breaks).count() + 2, "{text:?}: {error}");
        assert!(column >= 1 && column <= text.chars().count() + 2, "{text:?}: {error}");
        assert!(!error.to_string().is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_is_read_or_refused(text in yamlish()) {
        let read = AbstractionConfig::from_yaml(&text, "x.yaml").and_then(|config| config.resolve());
        well_placed(&text, read.map(|_| ()));
    }

    #[test]
    fn any_override_is_taken_or_refused(text in yamlish(), key in 0..NAMES.len()) {
        for text in [text.clone(), format!("{}={text}", NAMES[key].text)] {
            let mut config = AbstractionConfig::default();
            well_placed(&text, config.set(&text));
        }
    }

    #[test]
    fn an_override_means_what_the_line_of_a_file_means((key, value) in assignment()) {
        let written = config(&format!("{key}: {value}\n"));
        let mut set = AbstractionConfig::default();
        set.set(&format!("{key}={value}")).unwrap();
        prop_assert_eq!(
            written.resolve().map_err(|error| error.message().to_owned()),
            set.resolve().map_err(|error| error.message().to_owned())
        );
    }

    #[test]
    fn the_last_override_of_a_key_wins(
        (key, first) in assignment(),
        drawn in prop::collection::vec(assignment(), 100),
    ) {
        let last = drawn.iter().find(|(other, value)| *other == key && *value != first);
        prop_assume!(last.is_some());
        let (_, last) = last.expect("just assumed");
        let others: Vec<_> = drawn.iter().filter(|(other, _)| *other != key).take(2).collect();
        let mut twice = AbstractionConfig::default();
        let mut once = AbstractionConfig::default();
        twice.set(&format!("{key}={first}")).unwrap();
        for config in [&mut twice, &mut once] {
            for (other, value) in &others {
                config.set(&format!("{other}={value}")).unwrap();
            }
            config.set(&format!("{key}={last}")).unwrap();
        }
        prop_assert_eq!(
            twice.resolve().map_err(|error| error.message().to_owned()),
            once.resolve().map_err(|error| error.message().to_owned())
        );
    }
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{a: ", "}")] {
        let text = format!("method: {}{}", open.repeat(5_000), close.repeat(5_000));
        let error = AbstractionConfig::from_yaml(&text, "x.yaml").unwrap_err();
        assert_eq!(error.position().unwrap().0, 1);
    }
}
