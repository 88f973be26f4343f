//! Places in a configuration's text, and how they are shown.

use std::fmt::Write;
use std::sync::Arc;

use serde_saphyr::Location;

/// A text that was read: a file, or an override given on the command line.
#[derive(Debug)]
pub(super) struct Source {
    /// The file's name; none for an override.
    file: Option<String>,
    /// The text itself.
    pub(super) text: String,
}

/// A stretch of one line of a [`Source`].
#[derive(Clone, Debug)]
pub(super) struct Place {
    source: Arc<Source>,
    line: usize,
    column: usize,
    width: usize,
}

impl Source {
    /// The text of a file.
    pub(super) fn file(name: &str, text: &str) -> Arc<Source> {
        Arc::new(Source { file: Some(name.to_owned()), text: text.to_owned() })
    }

    /// An override.
    pub(super) fn set(text: &str) -> Arc<Source> {
        Arc::new(Source { file: None, text: text.to_owned() })
    }

    /// Where the parser says; the text's beginning if it does not say.
    pub(super) fn at(self: &Arc<Source>, location: Option<Location>) -> Place {
        let known = location.filter(|location| *location != Location::UNKNOWN);
        let (line, column, width) = known.map_or((1, 1, 1), |location| {
            (location.line(), location.column(), location.span().len())
        });
        let whole = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).max(1);
        self.place(whole(line), whole(column), whole(width))
    }

    /// A stretch of a line, counted from 1.
    pub(super) fn place(self: &Arc<Source>, line: usize, column: usize, width: usize) -> Place {
        Place { source: Arc::clone(self), line, column, width }
    }

    /// The place that follows `before`, the beginning of this text.
    pub(super) fn after(self: &Arc<Source>, before: &str) -> Place {
        let last = before.rsplit('\n').next().unwrap_or_default();
        self.place(before.matches('\n').count() + 1, last.chars().count() + 1, 1)
    }
}

impl Place {
    /// The line, from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// The column in characters, from 1.
    pub(super) fn column(&self) -> usize {
        self.column
    }

    /// The place before a key: `my.yaml:4:20 num_river_buckets`; an override stands for itself.
    pub(super) fn named(&self, key: &str) -> String {
        match &self.source.file {
            Some(file) => format!("{file}:{}:{} {key}", self.line, self.column),
            None => format!("--set {}", tame(&self.source.text)),
        }
    }

    /// A message at its place, with the line it is about and carets below.
    ///
    /// ```text
    /// my.yaml:4:20: num_river_buckets: 5000 is above 1950, ...
    ///   4 | num_river_buckets: 5000
    ///     |                    ^^^^
    /// ```
    pub(super) fn render(&self, message: &str) -> String {
        let (head, margin) = match &self.source.file {
            Some(file) => {
                (format!("{file}:{}:{}", self.line, self.column), format!("{:>3} | ", self.line))
            }
            None => ("--set".to_owned(), "  --set ".to_owned()),
        };
        let mut out = format!("{head}: {message}");
        let text = self.source.text.replace("\r\n", "\n").replace('\r', "\n");
        let Some(line) = text.split('\n').nth(self.line - 1) else { return out };
        let below = match self.source.file {
            Some(_) => format!("{:>1$} ", "|", margin.len() - 1),
            None => " ".repeat(margin.len()),
        };
        let line = tame(line);
        let before = line.chars().take(self.column - 1);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let rest = line.chars().count().saturating_sub(self.column - 1);
        let carets = "^".repeat(self.width.min(rest).max(1));
        let margin = if line.is_empty() { margin.trim_end() } else { &margin };
        write!(out, "\n{margin}{line}\n{below}{indent}{carets}").expect("a string takes any text");
        out
    }
}

/// The text without characters that move a terminal's cursor, other than tabs.
pub(super) fn tame(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}
