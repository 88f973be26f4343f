//! Places in a file's text, and messages that point at them.

use serde_saphyr::Location;

/// A stretch of one line of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    line: usize,
    column: usize,
    width: usize,
}

impl Place {
    /// Where the YAML reader says; the file's beginning if it does not.
    pub(crate) fn of(location: Option<Location>) -> Place {
        let known = location.filter(|location| *location != Location::UNKNOWN);
        let whole = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).max(1);
        known.map_or(Place { line: 1, column: 1, width: 1 }, |location| Place {
            line: whole(location.line()),
            column: whole(location.column()),
            width: whole(location.span().len()),
        })
    }

    /// The place of one character of a value that begins here, if the value stands in the file as it
    /// is, on one line and perhaps in quotes; else the whole value.
    pub(crate) fn inside(self, text: &str, value: &str, at: usize) -> Place {
        let line = text.lines().nth(self.line - 1).unwrap_or_default();
        let rest: String = line.chars().skip(self.column - 1).collect();
        let quote = usize::from(rest.starts_with(['"', '\'']));
        match rest[quote..].starts_with(value) {
            true => Place { column: self.column + quote + at, width: 1, ..self },
            false => self,
        }
    }

    /// A message at its place, with the line it is about and carets below.
    ///
    /// ```text
    /// spot.yaml:4:7: stack is 0 chips; it must be from 1 to 1000000000
    ///   4 | stack: 0
    ///     |        ^
    /// ```
    pub(crate) fn render(self, file: &str, text: &str, message: &str) -> String {
        let Place { line, column, width } = self;
        let head = format!("{file}:{line}:{column}: {}", tame(message));
        let Some(shown) = text.lines().nth(line - 1) else { return head };
        let shown = tame(shown);
        let before = shown.chars().take(column - 1);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let rest = shown.chars().count().saturating_sub(column - 1);
        let carets = "^".repeat(width.min(rest).max(1));
        format!("{head}\n{line:>3} | {shown}\n{:>3} | {indent}{carets}", "")
    }
}

/// The text without characters that move a terminal's cursor, other than tabs.
fn tame(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}
