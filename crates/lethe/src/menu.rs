//! The menu of `lethe` alone in a terminal: questions that end in a command line.
//!
//! The command is shown before it runs, so that the menu teaches how to do without it.

use std::fmt;
use std::io::Write;

use anyhow::Context;
use clap::Parser;
use inquire::{InquireError, Select, Text};
use lethe_abstraction::artifact::list;
use lethe_cards::{Board, Hole};
use lethe_kit::config::{Preset, presets};

use crate::cli::Cli;
use crate::commands::artifact::ROOT;
use crate::output::Output;

/// What the menu offers.
const CHOICES: [Choice; 5] = [
    Choice { what: "Equity of a hand", words: equity },
    Choice { what: "Build an abstraction from a preset", words: build },
    Choice { what: "Look up a hand's bucket", words: lookup },
    Choice { what: "Inspect an abstraction", words: inspect },
    Choice { what: "All commands", words: || Ok(vec!["--help".to_owned()]) },
];

/// An entry of the menu.
struct Choice {
    what: &'static str,
    /// Asks for what is missing and returns the words of a command.
    words: fn() -> Result<Vec<String>, InquireError>,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }
}

/// Asks what to do and does it. Escape and Ctrl-C end it.
pub(crate) fn run(out: &mut Output<'_>) -> anyhow::Result<()> {
    let choice = Select::new("What would you like to do?", CHOICES.into()).prompt();
    let words = match choice.and_then(|choice| (choice.words)()) {
        Ok(words) => words,
        Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => return Ok(()),
        Err(error) => return Err(error).context("the menu cannot be shown"),
    };
    let shown: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    writeln!(out, "{}\n", out.dim(format_args!("$ lethe {}", shown.join(" "))))?;
    match Cli::try_parse_from(std::iter::once("lethe".to_owned()).chain(words)) {
        Ok(Cli { command: Some(command), .. }) => {
            command.run(out)?;
            Ok(out.flush()?)
        }
        Ok(Cli { command: None, .. }) => Ok(()),
        Err(help) if !help.use_stderr() => {
            write!(out, "{}", help.render())?;
            Ok(out.flush()?)
        }
        Err(error) => Err(error.into()),
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=".contains(c);
    match word.chars().all(plain) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn equity() -> Result<Vec<String>, InquireError> {
    let mut words = vec!["equity".to_owned()];
    words.extend(ask_cards()?);
    Ok(words)
}

fn build() -> Result<Vec<String>, InquireError> {
    struct Shown(&'static Preset);
    impl fmt::Display for Shown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{:18} {}", self.0.name, self.0.summary)
        }
    }
    let choices = presets().iter().map(Shown).collect();
    let Shown(preset) = Select::new("Which preset?", choices).prompt()?;
    Ok(["build", "--preset", preset.name].map(str::to_owned).into())
}

fn lookup() -> Result<Vec<String>, InquireError> {
    let Some(name) = ask_abstraction()? else { return build() };
    let mut words = vec!["lookup".to_owned(), name];
    words.extend(ask_cards()?);
    Ok(words)
}

fn inspect() -> Result<Vec<String>, InquireError> {
    let Some(name) = ask_abstraction()? else { return build() };
    Ok(vec!["inspect".to_owned(), name])
}

/// Asks for one of the abstractions that are there; none if there are none.
fn ask_abstraction() -> Result<Option<String>, InquireError> {
    let entries = list(std::path::Path::new(ROOT)).unwrap_or_default();
    let names: Vec<String> = entries.into_iter().map(|entry| entry.name).collect();
    match &names[..] {
        [] => Ok(None),
        [only] => Ok(Some(only.clone())),
        _ => Select::new("Which abstraction?", names).prompt().map(Some),
    }
}

/// Asks for a hole and a board.
fn ask_cards() -> Result<Vec<String>, InquireError> {
    use inquire::validator::Validation;
    type Checked = Result<Validation, inquire::CustomUserError>;
    let verdict = |error: Option<String>| -> Checked {
        Ok(error.map_or(Validation::Valid, |error| Validation::Invalid(error.into())))
    };
    let hole = Text::new("Your two cards:")
        .with_placeholder("AsKs")
        .with_validator(move |text: &str| {
            verdict(text.parse::<Hole>().err().map(|error| error.pointing_at(text)))
        })
        .prompt()?;
    let board = Text::new("The board, if any:")
        .with_placeholder("Th9h8c")
        .with_validator(move |text: &str| {
            let empty = text.trim().is_empty();
            let error = text.parse::<Board>().err().filter(|_| !empty);
            verdict(error.map(|error| error.pointing_at(text)))
        })
        .prompt()?;
    let board = Some(board).filter(|board| !board.trim().is_empty());
    Ok(std::iter::once(hole).chain(board).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("AsKs"), "AsKs");
        assert_eq!(quoted("As Ks"), "'As Ks'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
