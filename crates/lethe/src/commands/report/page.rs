//! The course of a run as a page: one file that loads nothing.

use super::Course;
use super::curve::{Curve, large, time_unit};
use crate::commands::inspect::html::{document, escape, figure};
use crate::commands::inspect::svg::Plot;

/// The page.
pub(super) fn page(course: &Course) -> String {
    let name = escape(&course.run);
    let facts = course.facts().into_iter().map(|(name, value)| {
        format!("<tr><th>{}</th><td>{}</td></tr>", escape(name), escape(&value))
    });
    let plots: String = Curve::all(&course.points).iter().map(plot).collect();
    let (headings, rows) = course.table();
    let headings: String =
        headings.iter().map(|heading| format!("<th>{}</th>", escape(heading))).collect();
    let row = |row: &Vec<String>| {
        let cells: String = row.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
        format!("<tr>{cells}</tr>")
    };
    let rows: String = rows.iter().map(row).collect();
    let body = format!(
        "<header><h1>{name}</h1><p>The course of a training run</p></header>\n\
         <section><h2>Result</h2><table class=\"facts\"><tbody>{}</tbody></table>\
         <p class=\"note\">mbb/hand: thousandths of a big blind a hand. Intervals are 95 %.</p>\
         </section>\n<section><h2>Curves</h2>{plots}</section>\n\
         <section><h2>Points</h2><div class=\"wide\"><table><thead><tr>{headings}</tr></thead>\
         <tbody>{rows}</tbody></table></div></section>\n",
        facts.collect::<String>()
    );
    document(&format!("{name}: a training run"), &body, "")
}

fn plot(curve: &Curve) -> String {
    let (unit, size) = time_unit(curve.end);
    let points: Vec<[f64; 3]> =
        curve.points.iter().map(|[x, y, part]| [x / size, *y, *part]).collect();
    let end = if curve.end > 0.0 { curve.end / size } else { 1.0 };
    let [low, high] = curve.range();
    let mut plot = Plot::new(240.0, [0.0, end], [low, high + 0.04 * (high - low)]);
    plot.y_axis(large);
    plot.curve(&points);
    plot.x_axis(&format!("training, {unit}"), |value| format!("{}", (value * 1e6).round() / 1e6));
    let band = match points.iter().any(|[_, _, part]| *part > 0.0) {
        true => " The band is the 95 % interval.",
        false => "",
    };
    let title = format!("{}, {}", curve.name, curve.unit);
    figure(&format!("{title}.{band}"), &plot.finish(&title, ""))
}
