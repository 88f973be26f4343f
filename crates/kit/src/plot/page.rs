//! Pages: one HTML file that loads nothing, light or dark as the reader likes.

use std::fmt::Write;

use lethe_cards::{Card, parse_cards};

const PAGE_STYLE: &str = include_str!("page.css");
pub(super) const PLOT_STYLE: &str = include_str!("plot.css");

/// Shows the figures of the bucket under the pointer.
pub const HOVER_SCRIPT: &str = include_str!("page.js");

/// A whole page; its title and body are HTML.
pub fn document(title: &str, body: &str, script: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{PLOT_STYLE}{PAGE_STYLE}</style>\n</head>\n<body>\n\
         {body}<script>\n{script}</script>\n</body>\n</html>\n"
    )
}

/// A plot and its caption.
pub fn figure(caption: &str, svg: &str) -> String {
    format!("<figure>{svg}<figcaption>{caption}</figcaption></figure>")
}

/// A table of texts, the first of each row its name.
pub fn table<H: AsRef<str>>(headings: &[H], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut text = String::from("<div class=\"wide\"><table><thead><tr>");
    for heading in headings {
        push(&mut text, format_args!("<th>{}</th>", escape(heading.as_ref())));
    }
    text += "</tr></thead><tbody>";
    for row in rows {
        text += "<tr>";
        for (place, cell) in row.iter().enumerate() {
            let tag = if place == 0 { "th" } else { "td" };
            push(&mut text, format_args!("<{tag}>{}</{tag}>", escape(cell)));
        }
        text += "</tr>";
    }
    text + "</tbody></table></div>"
}

/// Cards with suits as symbols, in the colours of a four-colour deck.
pub fn cards(text: &str) -> String {
    let Ok(cards) = parse_cards(text) else { return escape(text) };
    let card = |card: &Card| {
        let suit = card.suit();
        format!("<span class=\"{}\">{}{}</span>", suit.letter(), card.rank(), suit.symbol())
    };
    cards.iter().map(card).collect()
}

/// The text with the marks of HTML escaped.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Adds formatted text.
pub(crate) fn push(text: &mut String, part: std::fmt::Arguments<'_>) {
    text.write_fmt(part).expect("a string takes any text");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_a_mark() {
        assert_eq!(escape("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
        assert_eq!(cards("<b>"), "&lt;b&gt;");
        assert_eq!(cards("Th"), "<span class=\"h\">T♥</span>");
        assert!(table(&["<"], [vec!["&".to_owned()]]).contains("<th>&lt;</th>"));
    }
}
