//! The 13 by 13 grid of starting hands as a picture of its own, in the colours that players know: fold blue,
//! check and call green, bets from amber over red to violet.

use std::fmt::Write;

use lethe_cards::{Board, Range};

use super::page::escape;
use super::svg::Ramp;
use crate::action::ActionView;
use crate::grid::{CellView, Combo, GridView};
use crate::text::percent;

/// The size of a cell, and of the legend's lines.
const CELL: f64 = 34.0;
const LINE: f64 = 20.0;

/// The colours of bets, from small to large.
const BETS: [&str; 7] =
    ["#f59e0b", "#f97316", "#ef4444", "#ec4899", "#d946ef", "#a855f7", "#8b5cf6"];
const FOLD: &str = "#3b82f6";
const CALL: &str = "#22c55e";
/// Hands of a range where nobody acts.
const RANGE: &str = "#eab308";

const STYLE: &str = ".lethe-grid text{font:600 10px system-ui,sans-serif;fill:#0b0e12}\
    .lethe-grid .none{fill:#7c8795;font-weight:500}.lethe-grid .note{font-size:8px;font-weight:500}\
    .lethe-grid .key{font-size:12px;font-weight:500;fill:currentColor}\
    .lethe-grid .cell{fill:#e3e7ec}";

/// One cell: its label, what stands below it, what the pointer shows, and bars from left to right.
struct Picture {
    class: String,
    note: String,
    title: String,
    /// From 0 to 1, upwards.
    height: f64,
    bars: Vec<(String, f64)>,
}

/// The colour of each action.
pub fn action_colours(actions: &[ActionView]) -> Vec<&'static str> {
    let is_bet = |action: &&ActionView| !matches!(action.action, "fold" | "check" | "call");
    let bets = actions.iter().filter(is_bet).count();
    let mut bet = 0;
    let colour = |action: &ActionView| match action.action {
        "fold" => FOLD,
        "check" | "call" => CALL,
        _ => {
            let place = match bets {
                0 | 1 => 2,
                _ => (bet * (BETS.len() - 1) + (bets - 1).max(4) / 2) / (bets - 1).max(4),
            };
            bet += 1;
            BETS[place.min(BETS.len() - 1)]
        }
    };
    actions.iter().map(colour).collect()
}

/// The grid of a player's range at a node: what each starting hand does, as high as it is there.
pub fn strategy_grid(view: &GridView, title: &str) -> String {
    let colours = action_colours(&view.actions);
    let most = view.cells.iter().map(CellView::arrived).fold(0.0, f64::max).max(1e-9);
    let cells = view.cells.iter().map(|cell| {
        let combos = format!("{}: {:.2} of {} combos", cell.class, cell.combos, cell.possible);
        let shares = || cell.actions.iter().filter_map(|share| Some((share, share.frequency?)));
        let texts: Vec<String> = shares()
            .map(|(share, part)| format!("{} {}", share.action.text, percent(part, 1)))
            .collect();
        let bars = match view.actions.is_empty() {
            true => vec![(RANGE.to_owned(), 1.0)],
            false => shares()
                .zip(&colours)
                .map(|((_, part), colour)| ((*colour).to_owned(), part))
                .collect(),
        };
        Picture {
            class: cell.class.clone(),
            note: String::new(),
            title: [vec![combos], texts].concat().join("\n"),
            height: if cell.combos > 0.0 { cell.arrived() / most } else { 0.0 },
            bars,
        }
    });
    let keys = view.actions.iter().zip(&colours);
    let keys = keys.map(|(action, colour)| ((*colour).to_owned(), action.text.clone())).collect();
    draw(cells.collect(), keys, title)
}

/// The grid of a range: each starting hand as high as its weight.
pub fn range_grid(range: &Range) -> String {
    let combos: Vec<Combo<'_>> = range
        .iter()
        .map(|(hole, ppm)| Combo {
            hole,
            reach: f64::from(ppm) / f64::from(Range::ONE),
            frequencies: None,
        })
        .collect();
    let view = GridView::of("", &combos, &[], &Board::EMPTY);
    let cells = view.cells.iter().map(|cell| Picture {
        class: cell.class.clone(),
        note: String::new(),
        title: format!("{}: {:.2} of {} combos", cell.class, cell.combos, cell.possible),
        height: cell.arrived(),
        bars: vec![(RANGE.to_owned(), 1.0)],
    });
    let key = format!("{:.2} combos, {}", range.combos(), percent(range.combos() / 1326.0, 2));
    draw(cells.collect(), vec![(RANGE.to_owned(), key)], "A range")
}

/// The grid of a number from 0 to 1 for each starting hand, `None` where there is none, with a note below its
/// name: pairs on the diagonal, suited hands above it, aces first.
pub fn value_grid(values: &[(String, Option<f64>, String)], key: &str) -> String {
    let cells = values.iter().map(|(class, value, note)| Picture {
        class: class.clone(),
        note: note.clone(),
        title: value.map_or_else(|| class.clone(), |v| format!("{class}: {}", percent(v, 2))),
        height: if value.is_some() { 1.0 } else { 0.0 },
        bars: value.map(|value| (Ramp::EQUITY.colour(value), 1.0)).into_iter().collect(),
    });
    draw(cells.collect(), vec![(Ramp::EQUITY.colour(0.75), key.to_owned())], key)
}

fn draw(cells: Vec<Picture>, keys: Vec<(String, String)>, title: &str) -> String {
    let side = 13.0 * CELL;
    let height = side + LINE * keys.len() as f64 + 4.0;
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="lethe-grid" viewBox="0 0 {side} {height}" width="{side}" height="{height}" role="img" aria-label="{}"><style>{STYLE}</style>"#,
        escape(title)
    );
    for (place, cell) in cells.iter().enumerate() {
        let (x, y) = ((place % 13) as f64 * CELL, (place / 13) as f64 * CELL);
        let inner = CELL - 1.0;
        let _ = write!(
            svg,
            r#"<g transform="translate({x} {y})"><title>{}</title><rect class="cell" width="{inner}" height="{inner}"/>"#,
            escape(&cell.title)
        );
        let tall = inner * cell.height.clamp(0.0, 1.0);
        let total: f64 = cell.bars.iter().map(|bar| bar.1).sum();
        let mut left = 0.0;
        for (colour, share) in cell.bars.iter().filter(|bar| bar.1 > 0.0 && tall > 0.0) {
            let width = inner * share / total;
            let _ = write!(
                svg,
                r#"<rect x="{left:.2}" y="{:.2}" width="{width:.2}" height="{tall:.2}" fill="{colour}"/>"#,
                inner - tall
            );
            left += width;
        }
        let class = if tall > 0.0 { "" } else { r#" class="none""# };
        let _ = write!(svg, r#"<text x="3" y="12"{class}>{}</text>"#, escape(&cell.class));
        if !cell.note.is_empty() {
            let _ = write!(svg, r#"<text class="note" x="3" y="28">{}</text>"#, escape(&cell.note));
        }
        svg.push_str("</g>");
    }
    for (place, (colour, text)) in keys.iter().enumerate() {
        let y = side + 4.0 + LINE * place as f64;
        let _ = write!(
            svg,
            r#"<rect x="0" y="{:.1}" width="12" height="12" fill="{colour}"/><text class="key" x="18" y="{:.1}">{}</text>"#,
            y + 3.0,
            y + 13.0,
            escape(text)
        );
    }
    svg.push_str("</svg>");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::shares;

    fn action(name: &'static str) -> ActionView {
        ActionView { action: name, chips: None, pot_fraction: None, text: name.to_owned() }
    }

    #[test]
    fn bets_go_from_amber_to_violet_and_one_bet_is_red() {
        let one = [action("fold"), action("call"), action("raise")];
        assert_eq!(action_colours(&one), [FOLD, CALL, "#ef4444"]);
        let many: Vec<ActionView> =
            [action("check")].into_iter().chain((0..7).map(|_| action("bet"))).collect();
        assert_eq!(action_colours(&many)[1..], BETS);
    }

    #[test]
    fn a_range_has_a_cell_for_every_starting_hand() {
        let svg = range_grid(&"AA,AKs:0.5".parse().unwrap());
        assert_eq!(svg.matches("<title>").count(), 169);
        assert_eq!(svg.matches(RANGE).count(), 3, "two hands and the key");
        assert!(svg.contains("AKs: 2.00 of 4 combos"));
    }

    #[test]
    fn text_in_a_grid_is_escaped() {
        let actions = vec![ActionView { text: "<b>".to_owned(), ..action("bet") }];
        let mut grid = GridView::of("oop", &[], &actions, &Board::EMPTY);
        grid.cells[0].combos = 1.0;
        grid.cells[0].actions = shares(&actions, Some(&[1.0]));
        let svg = strategy_grid(&grid, "x & y");
        assert!(!svg.contains("<b>") && svg.contains("&lt;b&gt;") && svg.contains("x &amp; y"));
    }
}
