//! Where results go: JSON for machines, text for people, colour only on a terminal.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use clap::ColorChoice;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use lethe_cards::{Card, CardSet, Suit};
use serde::Serialize;

use lethe_collective::Collective;
use lethe_compute::Pool;
use lethe_kit::data::DataDir;
pub(crate) use lethe_kit::text::{bytes, seconds, thousands};

use crate::cli::Globals;
use crate::error::visible;

/// What the standard output is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terminal {
    /// It is a terminal, where bars may be drawn with block characters.
    pub(crate) interactive: bool,
    /// Colour is welcome there.
    pub(crate) colour: bool,
    /// Someone sits before it: the standard input is a terminal as well.
    pub(crate) keyboard: bool,
}

impl Terminal {
    /// What the process's standard output is, and whether `NO_COLOR` or a dumb terminal forbids
    /// colour.
    pub(crate) fn of_stdout() -> Terminal {
        let interactive = io::stdout().is_terminal();
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let keyboard = interactive && io::stdin().is_terminal();
        Terminal { interactive, colour: interactive && !no_color && !dumb, keyboard }
    }
}

/// A result that is written either way: its fields are the JSON.
pub(crate) trait Report: Serialize {
    /// Writes it for people.
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()>;
}

/// The standard output, and what else the options of every command say.
pub(crate) struct Output<'a> {
    writer: &'a mut dyn Write,
    notes: &'a mut dyn Write,
    json: bool,
    colour: bool,
    blocks: bool,
    data: DataDir,
    threads: Option<usize>,
    ranks: &'a dyn Collective,
}

impl<'a> Output<'a> {
    /// An output to `writer`, which is such a terminal; what is said beside the result goes to
    /// `notes`.
    pub(crate) fn new(
        writer: &'a mut dyn Write,
        notes: &'a mut dyn Write,
        terminal: Terminal,
        globals: &Globals,
        ranks: &'a dyn Collective,
    ) -> Output<'a> {
        let colour = match globals.color {
            ColorChoice::Auto => terminal.colour,
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        };
        Output {
            writer,
            notes,
            json: globals.json,
            colour,
            blocks: terminal.interactive,
            data: DataDir::locate(globals.data.as_deref()),
            threads: globals.threads.map(usize::from),
            ranks,
        }
    }

    /// The ranks that compute.
    pub(crate) fn ranks(&self) -> &'a dyn Collective {
        self.ranks
    }

    /// Whether the result is to be JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// The data directory.
    pub(crate) fn data(&self) -> &DataDir {
        &self.data
    }

    /// How many threads to use.
    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| Pool::global().threads())
    }

    /// The threads to use.
    pub(crate) fn pool(&self) -> anyhow::Result<Pool> {
        Ok(Pool::new(self.threads())?)
    }

    /// Says something beside the result, at once.
    pub(crate) fn note(&mut self, text: impl Display) -> io::Result<()> {
        self.writer.flush()?;
        writeln!(self.notes, "{}", visible(&text.to_string(), |c| c == '\n'))?;
        self.notes.flush()
    }

    /// Writes a result as text, or as one line of JSON.
    pub(crate) fn show<R: Report>(&mut self, report: &R) -> anyhow::Result<()> {
        if self.json { self.show_json(report) } else { Ok(report.write_text(self)?) }
    }

    /// Writes something as one line of JSON.
    pub(crate) fn show_json(&mut self, what: &impl Serialize) -> anyhow::Result<()> {
        serde_json::to_writer(&mut *self.writer, what)?;
        Ok(writeln!(self.writer)?)
    }

    /// Bold text.
    pub(crate) fn bold(&self, text: impl Display) -> String {
        self.painted("1", text)
    }

    /// Dim text.
    pub(crate) fn dim(&self, text: impl Display) -> String {
        self.painted("2", text)
    }

    /// Cards in the order given, each in the colour of its suit.
    pub(crate) fn cards(&self, cards: &[Card]) -> String {
        cards.iter().map(|card| self.painted(suit_colour(card.suit()), card)).collect()
    }

    /// The cards of a set, highest first, each in the colour of its suit.
    pub(crate) fn card_set(&self, set: CardSet) -> String {
        self.cards(&set.iter().rev().collect::<Vec<_>>())
    }

    /// Text on a ground from red (0) through yellow to green (1), if colour is welcome.
    pub(crate) fn shaded(&self, share: f64, text: impl Display) -> String {
        const GROUNDS: [u8; 11] = [124, 160, 166, 172, 178, 184, 148, 112, 76, 70, 34];
        let place = (share.clamp(0.0, 1.0) * (GROUNDS.len() - 1) as f64).round() as usize;
        let ink = if place < 2 { 231 } else { 16 };
        self.painted(&format!("38;5;{ink};48;5;{}", GROUNDS[place]), text)
    }

    /// Whether the output can show block characters.
    pub(crate) fn has_blocks(&self) -> bool {
        self.blocks
    }

    fn painted(&self, code: &str, text: impl Display) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// Whether colours may be written.
    pub(crate) fn is_coloured(&self) -> bool {
        self.colour
    }

    /// Writes lines of a name and a value, the values below one another.
    pub(crate) fn pairs(&mut self, pairs: &[(&str, String)]) -> io::Result<()> {
        let width = pairs.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, value) in pairs {
            let name = self.dim(format_args!("{name:width$}"));
            writeln!(self, "{name}  {value}")?;
        }
        Ok(())
    }

    /// Writes a table: a heading for each column, the first column to the left, the others to the
    /// right.
    pub(crate) fn table(
        &mut self,
        headings: &[&str],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> io::Result<()> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(headings.iter().copied());
        table.add_rows(rows);
        for (place, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            if place > 0 {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for (place, line) in table.lines().enumerate() {
            let line = line.trim_end();
            let line = if place == 0 { self.dim(line) } else { line.to_owned() };
            writeln!(self, "{line}")?;
        }
        Ok(())
    }

    /// Writes a bar for each count, the longest [`BAR_WIDTH`] wide.
    pub(crate) fn bars(&mut self, rows: &[(String, u64)]) -> io::Result<()> {
        let label_width = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        let most = rows.iter().map(|&(_, count)| count).max().unwrap_or(0);
        let digits = thousands(most).len();
        for (label, count) in rows {
            let bar = if self.blocks { block_bar(*count, most) } else { plain_bar(*count, most) };
            let gap = " ".repeat(BAR_WIDTH - bar.chars().count());
            let bar = self.painted("36", bar);
            let count = thousands(*count);
            writeln!(self, "{label:>label_width$}  {bar}{gap}  {count:>digits$}")?;
        }
        Ok(())
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !bytes.iter().any(|&byte| is_suspect(byte)) {
            return self.writer.write(bytes);
        }
        self.writer.write_all(&without_controls(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Whether a byte may be part of a control character: one of the first 32 other than tab and line
/// feed, delete, or the beginning of a second set of them in UTF-8.
fn is_suspect(byte: u8) -> bool {
    matches!(byte, 0..=8 | 11..=31 | 127 | 0xc2)
}

/// Bytes of text without control characters other than those that colour it.
///
/// Names of files and what is in them end up in the output; they must not command the terminal.
fn without_controls(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        let colour = rest.strip_prefix(b"\x1b[").and_then(|codes| {
            let length = codes.iter().take_while(|b| b.is_ascii_digit() || **b == b';').count();
            (codes.get(length) == Some(&b'm')).then_some(length + 3)
        });
        let (mark, length): (&[u8], usize) = match (colour, *first, tail.first()) {
            (Some(length), ..) => (&rest[..length], length),
            (None, 0xc2, Some(0x80..=0x9f)) => ("\u{fffd}".as_bytes(), 2),
            (None, 0xc2, _) => (&rest[..1], 1),
            (None, byte, _) if is_suspect(byte) => ("\u{fffd}".as_bytes(), 1),
            (None, ..) => (&rest[..1], 1),
        };
        kept.extend_from_slice(mark);
        rest = &rest[length..];
    }
    kept
}

/// The colours of a four-colour deck: green clubs, blue diamonds, red hearts, plain spades.
fn suit_colour(suit: Suit) -> &'static str {
    ["32", "34", "31", "1"][suit.index()]
}

/// The width of the longest bar.
const BAR_WIDTH: usize = 40;

/// A bar of `#`; a count above zero has at least one.
fn plain_bar(count: u64, most: u64) -> String {
    let length = (u128::from(count) * BAR_WIDTH as u128).div_ceil(u128::from(most.max(1)));
    "#".repeat(length as usize)
}

/// A bar of blocks, to an eighth of a character; a count above zero has at least one eighth.
fn block_bar(count: u64, most: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (u128::from(count) * 8 * BAR_WIDTH as u128).div_ceil(u128::from(most.max(1)));
    let eighths = eighths as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use lethe_collective::Solo;

    use super::*;

    fn written(terminal: Terminal, act: impl FnOnce(&mut Output<'_>)) -> String {
        let mut bytes = Vec::new();
        let color = ColorChoice::Auto;
        let globals = Globals { json: false, color, data: None, threads: None };
        act(&mut Output::new(&mut bytes, &mut io::sink(), terminal, &globals, &Solo));
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn the_columns_of_a_table_are_as_wide_as_their_text() {
        let rows =
            [vec!["flop".to_owned(), "1".to_owned()], vec!["turn".to_owned(), "10".to_owned()]];
        let text = written(Terminal::default(), |out| out.table(&["street", "n"], rows).unwrap());
        assert_eq!(text, "street   n\nflop     1\nturn    10\n");
    }

    #[test]
    fn bars_are_as_long_as_their_counts() {
        assert_eq!(plain_bar(0, 7), "");
        assert_eq!(plain_bar(7, 7).len(), BAR_WIDTH);
        assert_eq!(plain_bar(1, 1_000_000), "#");
        assert_eq!(block_bar(1, 1_000_000), "▏");
        assert_eq!(block_bar(1, 2).chars().count(), BAR_WIDTH / 2);
        assert_eq!(block_bar(0, 0), "");
        assert_eq!(block_bar(u64::MAX, u64::MAX).chars().count(), BAR_WIDTH);
    }

    #[test]
    fn only_colours_reach_the_terminal() {
        let text = written(Terminal::default(), |out| {
            write!(out, "a\u{1b}[31mb\u{1b}[0m\u{1b}]0;x\u{7}\u{1b}[2Jc\r\u{9b}d\te\u{7f}é\n")
                .unwrap();
            write!(out, "\u{1b}[31").unwrap();
        });
        let mark = '\u{fffd}';
        let expected = format!(
            "a\u{1b}[31mb\u{1b}[0m{mark}]0;x{mark}{mark}[2Jc{mark}{mark}d\te{mark}é\n{mark}[31"
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn only_a_terminal_gets_colours_and_blocks() {
        let cards = lethe_cards::parse_cards("AhTc").unwrap();
        let act = |out: &mut Output<'_>| {
            let text = out.cards(&cards);
            writeln!(out, "{text}").unwrap();
            out.bars(&[("a".to_owned(), 1)]).unwrap();
        };
        let plain = written(Terminal::default(), act);
        assert_eq!(plain, format!("AhTc\na  {}  1\n", "#".repeat(40)));
        let pretty = written(Terminal { interactive: true, colour: true, keyboard: false }, act);
        assert!(pretty.starts_with("\x1b[31mAh\x1b[0m\x1b[32mTc\x1b[0m\n"), "{pretty:?}");
        let colourless =
            written(Terminal { interactive: true, colour: false, keyboard: false }, act);
        assert_eq!(colourless, format!("AhTc\na  {}  1\n", "█".repeat(40)));
    }
}
