//! Loss against buckets as SVG, both on logarithmic axes, one line a method.
//!
//! The plot carries its own style sheet, so that it looks the same in a page, alone and in a text
//! that shows it as an image; light or dark as the reader likes.

use std::fmt::Write;

use lethe_lab::{Row, Summary};

use super::report::loss;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 56.0;
/// Room for the names at the ends of the lines.
const RIGHT: f64 = 190.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;
/// The least distance of two names.
const NAME_GAP: f64 = 15.0;

/// Losses of so many times the middle one are left out: what is drawn by lot would press all else
/// together.
const OFF_SCALE: f64 = 10.0;

/// Colours that people with any kind of sight tell apart on white and on black.
const COLOURS: [&str; 10] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#a6761d",
    "#7f7f7f", "#b03060",
];

const STYLE: &str = "text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;\
fill:#5c6670}.g{stroke:#d8dde3}.a{stroke:#5c6670}.f{stroke:#5c6670;stroke-dasharray:5 4}\
.l{fill:none;stroke-width:1.8;stroke-linejoin:round}\
@media(prefers-color-scheme:dark){text{fill:#9aa5b0}.g{stroke:#333b44}.a,.f{stroke:#9aa5b0}}";

/// The points of one method, by buckets.
struct Line<'a> {
    name: &'a str,
    points: Vec<[f64; 2]>,
}

/// The plot as a file of its own.
pub(super) fn standalone(summary: &Summary) -> String {
    format!("{}\n", svg(summary))
}

/// The plot; nothing but a frame if there is nothing to show.
pub(super) fn svg(summary: &Summary) -> String {
    let lines = lines(summary);
    let points = || lines.iter().flat_map(|line| &line.points);
    let floor = summary.floor.filter(|&floor| floor > 0.0);
    let x = bounds(points().map(|point| point[0]), 1.25);
    let y = bounds(points().map(|point| point[1]).chain(floor), 1.15);
    let scale = |value: f64, [low, high]: [f64; 2]| (value / low).ln() / (high / low).ln();
    let across = |value: f64| LEFT + scale(value, x) * (WIDTH - LEFT - RIGHT);
    let up = |value: f64| HEIGHT - BOTTOM - scale(value, y) * (HEIGHT - TOP - BOTTOM);

    let mut text = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Loss against buckets, by method"><style>{STYLE}</style>"#
    );
    let mut push = |part: std::fmt::Arguments<'_>| {
        text.write_fmt(part).expect("a string takes any text");
    };
    let (base, end) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for value in log_ticks(y) {
        let at = up(value);
        push(format_args!(
            r#"<path class="g" d="M{LEFT} {at:.1}H{end:.1}"/><text x="{}" y="{:.1}" text-anchor="end">{value}</text>"#,
            LEFT - 7.0,
            at + 4.0
        ));
    }
    let mut columns: Vec<f64> = points().map(|point| point[0].round()).collect();
    columns.sort_by(f64::total_cmp);
    columns.dedup();
    for &value in &columns {
        let at = across(value);
        push(format_args!(
            r#"<path class="a" d="M{at:.1} {base}v5"/><text x="{at:.1}" y="{}" text-anchor="middle">{value}</text>"#,
            base + 18.0
        ));
    }
    push(format_args!(
        r#"<path class="a" d="M{LEFT} {base}H{end}"/><text x="{end}" y="{}" text-anchor="end">buckets a street</text><text transform="translate(13 {}) rotate(-90)" text-anchor="end">loss in thousandths of the pot</text>"#,
        HEIGHT - 8.0,
        TOP
    ));
    if let Some(floor) = floor {
        let at = up(floor);
        push(format_args!(
            r#"<path class="f" d="M{LEFT} {at:.1}H{end}"/><text x="{}" y="{:.1}">lossless floor {}</text>"#,
            LEFT + 6.0,
            at - 5.0,
            loss(floor)
        ));
    }
    let names = names(&lines, &up);
    for (place, (line, name_at)) in lines.iter().zip(names).enumerate() {
        let colour = COLOURS[place % COLOURS.len()];
        let path: Vec<String> =
            line.points.iter().map(|&[x, y]| format!("{:.1} {:.1}", across(x), up(y))).collect();
        push(format_args!(r#"<path class="l" stroke="{colour}" d="M{}"/>"#, path.join("L")));
        for &[x, y] in &line.points {
            push(format_args!(
                r#"<circle cx="{:.1}" cy="{:.1}" r="3.2" fill="{colour}"><title>{} with {x:.0}: {}</title></circle>"#,
                across(x),
                up(y),
                line.name,
                loss(y)
            ));
        }
        let last = line.points.last().map_or([0.0, 0.0], |&[x, y]| [across(x), up(y)]);
        push(format_args!(
            r#"<path class="l" stroke="{colour}" stroke-opacity=".4" d="M{:.1} {:.1}L{:.1} {:.1}"/><text x="{:.1}" y="{:.1}" style="fill:{colour}">{}</text>"#,
            last[0] + 4.0,
            last[1],
            end + 10.0,
            name_at,
            end + 14.0,
            name_at + 4.0,
            line.name
        ));
    }
    text += "</svg>";
    text
}

/// The lines in the order of their last loss, greatest first.
fn lines(summary: &Summary) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut sorted: Vec<f64> = summary.rows.iter().map(|row| row.epsilon).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    let shown = |row: &&Row| row.epsilon > 0.0 && row.epsilon < OFF_SCALE * middle;
    for row in summary.rows.iter().filter(shown) {
        // What has its own number of buckets stands at that which occurs most.
        let most = row.occurring.iter().copied().fold(1.0, f64::max);
        let point = [row.buckets.map_or(most, |buckets| buckets as f64), row.epsilon];
        match lines.iter_mut().find(|line| line.name == row.method) {
            Some(line) => line.points.push(point),
            None => lines.push(Line { name: &row.method, points: vec![point] }),
        }
    }
    for line in &mut lines {
        line.points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    }
    let last = |line: &Line<'_>| line.points.last().map_or(0.0, |point| point[1]);
    lines.sort_by(|a, b| last(b).total_cmp(&last(a)));
    lines
}

/// Where the names stand: beside the ends of their lines, but never on one another.
fn names(lines: &[Line<'_>], up: &impl Fn(f64) -> f64) -> Vec<f64> {
    let mut places: Vec<f64> =
        lines.iter().map(|line| line.points.last().map_or(0.0, |point| up(point[1]))).collect();
    for at in 1..places.len() {
        places[at] = places[at].max(places[at - 1] + NAME_GAP);
    }
    let mut lowest = HEIGHT - 12.0;
    for place in places.iter_mut().rev() {
        *place = place.min(lowest);
        lowest = *place - NAME_GAP;
    }
    places
}

/// The bounds of values with some room around them.
fn bounds(values: impl Iterator<Item = f64>, room: f64) -> [f64; 2] {
    let [low, high] = values.fold([f64::INFINITY, 0.0], |[low, high], v| [low.min(v), high.max(v)]);
    if low > high { [1.0, 10.0] } else { [low / room, high * room] }
}

/// The 1, 2 and 5 of every power of ten in a range.
fn log_ticks([low, high]: [f64; 2]) -> Vec<f64> {
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let steps = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|s| (s, power)));
    let value = |(s, power): (f64, i32)| {
        if power < 0 { s / 10f64.powi(-power) } else { s * 10f64.powi(power) }
    };
    steps.map(value).filter(|&v| v >= low && v <= high).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_ones_twos_and_fives() {
        assert_eq!(log_ticks([0.15, 30.0]), [0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0]);
    }

    #[test]
    fn names_do_not_lie_on_one_another() {
        let line = |y: f64| Line { name: "x", points: vec![[1.0, y]] };
        let lines = [line(1.0), line(2.0), line(3.0), line(900.0)];
        let places = names(&lines, &|y| y);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= NAME_GAP), "{places:?}");
        assert!(places[3] <= HEIGHT);
    }

    #[test]
    fn nothing_to_show_is_an_empty_frame() {
        let empty = Summary { boards: Vec::new(), floor: None, rows: Vec::new() };
        let svg = svg(&empty);
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
