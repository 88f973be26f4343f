//! Texts that are read, and the places in them that errors point at.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_saphyr::options::{NonFiniteFloatPolicy, Options};
use serde_saphyr::{Error, Location, UserMessageFormatter};

use super::ConfigError;
use super::error::unknown;
use crate::files::{self, FileError};

/// The largest configuration that is read; real ones have a few kilobytes.
const MAX_BYTES: u64 = 1 << 20;

/// How deeply values may nest: more than any key needs, less than fills a stack.
const MAX_DEPTH: usize = 8;

/// A text that was read: a file, a preset, or an override.
#[derive(Debug)]
pub struct Source {
    /// What errors call it; none for an override, which is shown as it is.
    name: Option<String>,
    /// The text itself.
    text: String,
}

/// Part of one line of a [`Source`].
#[derive(Clone, Debug)]
pub struct Place {
    source: Arc<Source>,
    line: usize,
    column: usize,
    width: usize,
}

/// Whether a file has nothing but comments.
fn is_empty(bytes: &[u8]) -> bool {
    let line = |line: &[u8]| line.is_empty() || line.starts_with(b"#") || line == b"---";
    bytes.split(|&byte| byte == b'\n').all(|text| line(text.trim_ascii()))
}

impl Source {
    /// Reads a file of at most a mebibyte of UTF-8 text.
    pub fn read(path: &Path) -> Result<Arc<Source>, ConfigError> {
        let bytes = files::read(path, MAX_BYTES).map_err(|error| match error {
            FileError::Read { path, why } => ConfigError::nowhere(format_args!(
                "{}: {why}; expected a YAML file or the name of a preset",
                path.display()
            )),
            error => ConfigError::nowhere(error),
        })?;
        if is_empty(&bytes) {
            return Err(ConfigError::nowhere(format_args!(
                "{}: empty; write `key: value`, one per line, or start from a copy of a preset",
                path.display()
            )));
        }
        let name = tame(&path.display().to_string()).into_owned();
        String::from_utf8(bytes).map(|text| Source::file(&name, &text)).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            let source = Source::file(&name, &String::from_utf8_lossy(error.as_bytes()));
            let message = "this byte is not UTF-8; save the file as UTF-8 text";
            ConfigError::at(source.after(&before), message)
        })
    }

    /// The text of a file or a preset that errors call `name`.
    pub fn file(name: &str, text: &str) -> Arc<Source> {
        Arc::new(Source { name: Some(name.to_owned()), text: text.to_owned() })
    }

    /// An override, `key=value`.
    pub fn assignment(text: &str) -> Arc<Source> {
        Arc::new(Source { name: None, text: text.to_owned() })
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What errors call it.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("override")
    }

    /// Reads the text as YAML.
    pub fn parse<T: DeserializeOwned>(self: &Arc<Source>) -> Result<T, ConfigError> {
        self.parse_text(&self.text)
    }

    /// Reads as YAML a text whose columns are those of this source.
    pub(super) fn parse_text<T: DeserializeOwned>(
        self: &Arc<Source>,
        text: &str,
    ) -> Result<T, ConfigError> {
        let options: Options = serde_saphyr::options! {
            with_snippet: false,
            budget: serde_saphyr::budget! { max_depth: MAX_DEPTH },
            non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        };
        serde_saphyr::from_str_with_options(text, options)
            .map_err(|error| ConfigError::at(self.at(error.location()), problem(&error)))
    }

    /// Where the YAML reader says; the beginning of the text if it does not say.
    pub fn at(self: &Arc<Source>, location: Option<Location>) -> Place {
        let known = location.filter(|location| *location != Location::UNKNOWN);
        let (line, column, width) = known.map_or((1, 1, 1), |location| {
            (location.line(), location.column(), location.span().len())
        });
        let whole = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).max(1);
        self.place(whole(line), whole(column), whole(width))
    }

    /// The key of an override, its place, and the value: YAML whose columns are the override's.
    pub(super) fn assigned(self: &Arc<Source>) -> Result<(&str, Place, String), ConfigError> {
        let text = self.text();
        let lead = text.chars().take_while(|c| c.is_whitespace()).count();
        let place = |part: &str| self.place(1, lead + 1, part.chars().count().max(1));
        match text.split_once('=').map(|(key, value)| (key.trim(), value)) {
            Some((key, value)) if !key.is_empty() => {
                let blanks = " ".repeat(text.chars().count() - value.chars().count());
                Ok((key, place(key), blanks + value))
            }
            _ => {
                let message = format!("{}: expected key=value, such as seed=7", clip(text));
                Err(ConfigError::at(place(text.trim()), message))
            }
        }
    }

    /// The first line of the text: that of an override.
    pub(super) fn whole(self: &Arc<Source>) -> Place {
        self.place(1, 1, self.text.lines().next().unwrap_or_default().chars().count().max(1))
    }

    /// `width` characters of a line; lines and columns count from 1.
    pub(super) fn place(self: &Arc<Source>, line: usize, column: usize, width: usize) -> Place {
        Place { source: Arc::clone(self), line, column, width }
    }

    /// The place that follows `before`, the beginning of this text.
    fn after(self: &Arc<Source>, before: &str) -> Place {
        let last = before.rsplit('\n').next().unwrap_or_default();
        self.place(before.matches('\n').count() + 1, last.chars().count() + 1, 1)
    }

    fn line(&self, line: usize) -> Option<String> {
        let text = self.text.replace("\r\n", "\n").replace('\r', "\n");
        text.split('\n').nth(line - 1).map(str::to_owned)
    }
}

impl Place {
    /// The line and the column in characters, both from 1.
    pub fn position(&self) -> (usize, usize) {
        (self.line, self.column)
    }

    /// The place of character `at` of a value that begins here. The whole value unless it is
    /// written literally on one line, perhaps in quotes.
    #[must_use]
    pub fn inside(self, value: &str, at: usize) -> Place {
        let line = self.source.line(self.line).unwrap_or_default();
        let rest: String = line.chars().skip(self.column - 1).collect();
        let quote = usize::from(rest.starts_with(['"', '\'']));
        match rest[quote..].starts_with(value) {
            true => Place { column: self.column + quote + at, width: 1, ..self },
            false => self,
        }
    }

    /// The place before a key: `my.yaml:4:20 num_river_buckets`; an override is shown as it is.
    pub(super) fn named(&self, key: &str) -> String {
        match &self.source.name {
            Some(file) => format!("{file}:{}:{} {key}", self.line, self.column),
            None => tame(&self.source.text).into_owned(),
        }
    }

    /// A message at its place, above the line in question with carets under it.
    ///
    /// ```text
    /// my.yaml:4:20: num_river_buckets: 5000 is above 1950, ...
    ///   4 | num_river_buckets: 5000
    ///     |                    ^^^^
    /// ```
    pub(super) fn render(&self, message: &str) -> String {
        let (head, margin, below) = match &self.source.name {
            Some(file) => (
                format!("{file}:{}:{}", self.line, self.column),
                format!("{:>3} | ", self.line),
                format!("{:>1$} | ", "", 3.max(self.line.to_string().len())),
            ),
            None => ("override".to_owned(), "  ".to_owned(), "  ".to_owned()),
        };
        let head = format!("{head}: {message}");
        let Some(line) = self.source.line(self.line) else { return head };
        let line = tame(&line);
        let before = line.chars().take(self.column - 1);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let rest = line.chars().count().saturating_sub(self.column - 1);
        let carets = "^".repeat(self.width.min(rest).max(1));
        let margin = if line.is_empty() { margin.trim_end() } else { &margin };
        format!("{head}\n{margin}{line}\n{below}{indent}{carets}")
    }
}

/// What the YAML reader complains about, without the place, which is shown before it.
fn problem(error: &Error) -> String {
    match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("{}: given twice; keep one of the two", clip(key))
        }
        Error::SerdeUnknownField { field, expected, .. } => unknown("key", field, expected),
        Error::SerdeMissingField { field, .. } => format!("the key {field} is missing"),
        Error::Budget { .. } => "too deep or too large for a configuration; give each key one \
                                 value, or one for each street"
            .to_owned(),
        Error::MultipleDocuments { .. } => {
            "a second document begins here; keep one, without lines of `---`".to_owned()
        }
        Error::InvalidScalar { ty, .. } => match ty.as_bytes() {
            [b'u' | b'i', ..] => "expected a whole number".to_owned(),
            [b'f', ..] => "expected a number".to_owned(),
            _ => format!("expected a {ty}"),
        },
        _ => {
            let mut message = error.render_with_formatter(&UserMessageFormatter);
            if let Some(at) = error.location() {
                let suffix = format!(" at line {}, column {}", at.line(), at.column());
                message.truncate(message.trim_end_matches(&suffix).len());
            }
            let message = clip(&message);
            let remedy = match error {
                Error::ExternalMessage { .. } | Error::Eof { .. } | Error::UnknownAnchor { .. } => {
                    match message.starts_with("unclosed") {
                        true => "close what is opened here",
                        false => "write `key: value`, one per line, and indent nested keys",
                    }
                }
                _ => return message,
            };
            format!("not YAML: {message}; {remedy}")
        }
    }
}

/// The text without characters that move a terminal's cursor, other than tabs.
pub fn tame(text: &str) -> Cow<'_, str> {
    let wild = |c: char| c.is_control() && c != '\t';
    match text.contains(wild) {
        true => text.chars().map(|c| if wild(c) { '\u{fffd}' } else { c }).collect(),
        false => text.into(),
    }
}

/// A text fit to be part of a message.
pub(super) fn clip(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    tame(&short).into_owned() + dots
}
