//! The results as a page: one file that loads nothing, light or dark as the reader likes.

use std::fmt::Write;

use super::plot;
use super::report::{Answer, loss};
use crate::output::seconds;

const STYLE: &str = include_str!("../inspect/page.css");

/// The page.
pub(super) fn page(answer: &Answer) -> String {
    let summary = &answer.summary;
    let mut body = format!(
        "<header><h1>What card abstractions lose</h1><p>{}; {} iterations a solve; {}</p></header>\n",
        escape(&answer.game()),
        answer.iterations,
        seconds(answer.seconds)
    );
    body += &format!(
        "<section><h2>Loss by buckets</h2><figure>{}<figcaption>The mean over boards of what an \
         exact best response gains over the value of the game against a player who sees only \
         buckets, in thousandths of the pot.</figcaption></figure></section>\n",
        plot::svg(summary)
    );
    let rows = summary.rows.iter().map(|row| answer.cells(row));
    body += &format!(
        "<section><h2>Table</h2>{}<p class=\"note\">Spread: the standard deviation over boards and \
         seeds. OOP, IP: the loss of each seat. Both: where both players learnt bucketed. The last \
         columns: the buckets that occur.</p></section>\n",
        table(&answer.headings(), rows)
    );
    let boards = summary.boards.iter().map(|board| {
        let value = board.value.map(|value| format!("{:.3}", 100.0 * value));
        vec![
            board.board.clone(),
            board.weight.to_string(),
            loss(board.floor),
            format!("{} to {} %", value[0], value[1]),
        ]
    });
    body += &format!(
        "<section><h2>Boards</h2>{}</section>\n",
        table(&["board", "weight", "floor", "value to oop"], boards)
    );
    body += &by_board(answer);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>What card abstractions lose</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         {body}</body>\n</html>\n"
    )
}

/// The loss of every row on every board.
fn by_board(answer: &Answer) -> String {
    let summary = &answer.summary;
    let mut headings = vec!["method", "buckets"];
    headings.extend(summary.boards.iter().map(|board| board.board.as_str()));
    let rows = summary.rows.iter().map(|row| {
        let mut cells = vec![
            row.method.clone(),
            row.buckets.map_or_else(|| "-".to_owned(), |buckets| buckets.to_string()),
        ];
        cells.extend(summary.boards.iter().map(|board| {
            let of = row.each.iter().filter(|each| each.board == board.board);
            let values: Vec<f64> = of.map(|each| each.epsilon).collect();
            match values.len() {
                0 => "-".to_owned(),
                count => loss(values.iter().sum::<f64>() / count as f64),
            }
        }));
        cells
    });
    format!("<section><h2>By board</h2>{}</section>\n", table(&headings, rows))
}

fn table(headings: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = String::from("<div class=\"wide\"><table><thead><tr>");
    for heading in headings {
        let _ = write!(text, "<th>{}</th>", escape(heading));
    }
    text += "</tr></thead><tbody>";
    for row in rows {
        text += "<tr>";
        for (place, cell) in row.iter().enumerate() {
            let tag = if place == 0 { "th" } else { "td" };
            let _ = write!(text, "<{tag}>{}</{tag}>", escape(cell));
        }
        text += "</tr>";
    }
    text + "</tbody></table></div>"
}

/// The text with what HTML reads as marks made harmless.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
