//! The history of a run as a page.

use super::{Curve, TrainingHistory};
use crate::plot::{Plot, document, escape, figure, table};
use crate::text::short;

pub(super) fn page(history: &TrainingHistory) -> String {
    let name = escape(&history.run);
    let facts = history.facts().into_iter().map(|(name, value)| vec![name.to_owned(), value]);
    let plots: String = history.curves().iter().map(plot).collect();
    let (headings, rows) = history.table();
    let body = format!(
        "<header><h1>{name}</h1><p>A training run</p></header>\n<section><h2>Result</h2>{}\
         <p class=\"note\">mbb/hand: thousandths of a big blind per hand. Intervals are 95 %.</p>\
         </section>\n<section><h2>Curves</h2>{plots}</section>\n<section><h2>Points</h2>{}\
         </section>\n",
        table(&[] as &[&str], facts),
        table(&headings, rows)
    );
    document(&format!("{name}: a training run"), &body, "")
}

/// A curve as a file of its own.
pub(super) fn svg(curve: &Curve) -> String {
    draw(curve).standalone(&title(curve))
}

fn title(curve: &Curve) -> String {
    format!("{}, {}", curve.name, curve.unit)
}

fn plot(curve: &Curve) -> String {
    let band = match curve.points.iter().any(|[_, _, part]| *part > 0.0) {
        true => " The band is the 95 % interval.",
        false => "",
    };
    let title = title(curve);
    figure(&format!("{title}.{band}"), &draw(curve).finish(&title, ""))
}

fn draw(curve: &Curve) -> Plot {
    let (unit, size) = curve.time_unit();
    let points: Vec<[f64; 3]> =
        curve.points.iter().map(|[x, y, part]| [x / size, *y, *part]).collect();
    let end = if curve.end > 0.0 { curve.end / size } else { 1.0 };
    let [low, high] = curve.range();
    let mut plot = Plot::new(240.0, [0.0, end], [low, high + 0.04 * (high - low)]);
    plot.y_axis(short);
    plot.curve(&points);
    plot.x_axis(&format!("training, {unit}"), |value| format!("{}", (value * 1e6).round() / 1e6));
    plot
}
