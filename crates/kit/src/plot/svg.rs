//! Plots as SVG.
//!
//! Written by hand rather than by a plotting crate: lines and letters take their colours from the
//! page's style sheet, so that a plot follows the reader's light or dark theme.

use std::fmt::Write;

use super::chart::Column;
use super::page::{PLOT_STYLE, escape};

/// The size of a plot, and of what lies around its area.
const WIDTH: f64 = 760.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 34.0;
/// Room for half a number at the right end of the axis, or for the names of lines.
const RIGHT: f64 = 24.0;
const NAMES: f64 = 190.0;
/// The least distance between two names.
const NAME_GAP: f64 = 15.0;

/// Colours that people with any kind of sight can tell apart on white and on black.
const COLOURS: [&str; 10] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#a6761d",
    "#7f7f7f", "#b03060",
];

/// A plot in the making.
#[derive(Clone, Debug)]
pub struct Plot {
    height: f64,
    right: f64,
    x: [f64; 2],
    y: [f64; 2],
    log: bool,
    body: String,
}

impl Plot {
    /// An empty plot of values from `x[0]` to `x[1]` across and `y[0]` to `y[1]` upwards.
    pub fn new(height: f64, x: [f64; 2], y: [f64; 2]) -> Plot {
        let y = if y[1] > y[0] { y } else { [y[0], y[0] + 1.0] };
        Plot { height, right: RIGHT, x, y, log: false, body: String::new() }
    }

    /// An empty plot with logarithmic axes that hold all `points`, and room for names of lines.
    pub fn log_log(height: f64, points: impl Iterator<Item = [f64; 2]> + Clone) -> Plot {
        let bounds = |values: &mut dyn Iterator<Item = f64>, room: f64| {
            let [low, high] =
                values.fold([f64::INFINITY, 0.0], |[low, high], v| [low.min(v), high.max(v)]);
            if low > high { [1.0, 10.0] } else { [low / room, high * room] }
        };
        let x = bounds(&mut points.clone().map(|point| point[0]), 1.25);
        let y = bounds(&mut points.map(|point| point[1]), 1.15);
        Plot { right: NAMES, log: true, ..Plot::new(height, x, y) }
    }

    fn share(&self, value: f64, [low, high]: [f64; 2]) -> f64 {
        match self.log {
            true => (value / low).ln() / (high / low).ln(),
            false => (value - low) / (high - low),
        }
    }

    fn across(&self, value: f64) -> f64 {
        LEFT + self.share(value, self.x) * (self.end() - LEFT)
    }

    fn up(&self, value: f64) -> f64 {
        self.height - BOTTOM - self.share(value, self.y) * (self.height - TOP - BOTTOM)
    }

    fn end(&self) -> f64 {
        WIDTH - self.right
    }

    /// Lines across at round values, with the text that `label` gives them.
    pub fn y_axis(&mut self, label: impl Fn(f64) -> String) {
        let ticks = if self.log { log_ticks(self.y) } else { ticks(self.y) };
        for value in ticks {
            let y = self.up(value);
            self.push(format_args!(
                r#"<path class="grid" d="M{LEFT} {y:.1}H{:.1}"/><text class="tick" x="{}" y="{:.1}" text-anchor="end">{}</text>"#,
                self.end(),
                LEFT - 6.0,
                y + 4.0,
                label(value)
            ));
        }
    }

    /// Round values below the plot, and what they are.
    pub fn x_axis(&mut self, name: &str, label: impl Fn(f64) -> String) {
        self.x_axis_at(&ticks(self.x), name, label);
    }

    /// These values below the plot, and what they are.
    pub fn x_axis_at(&mut self, ticks: &[f64], name: &str, label: impl Fn(f64) -> String) {
        let (base, end) = (self.height - BOTTOM, self.end());
        for &value in ticks {
            let x = self.across(value);
            self.push(format_args!(
                r#"<path class="axis" d="M{x:.1} {base}v4"/><text class="tick" x="{x:.1}" y="{}" text-anchor="middle">{}</text>"#,
                base + 16.0,
                label(value)
            ));
        }
        self.push(format_args!(
            r#"<path class="axis" d="M{LEFT} {base}H{end}"/><text class="name" x="{end}" y="{}" text-anchor="end">{name}</text>"#,
            self.height - 4.0
        ));
    }

    /// What the values upwards are.
    pub fn y_name(&mut self, name: &str) {
        self.push(format_args!(
            r#"<text class="name" transform="translate(13 {TOP}) rotate(-90)" text-anchor="end">{name}</text>"#
        ));
    }

    /// A dashed line across at a value, with a text on it.
    pub fn level(&mut self, value: f64, text: &str) {
        let (y, end) = (self.up(value), self.end());
        self.push(format_args!(
            r#"<path class="floor" d="M{LEFT} {y:.1}H{end}"/><text class="tick" x="{}" y="{:.1}">{text}</text>"#,
            LEFT + 6.0,
            y - 5.0
        ));
    }

    /// Lines with their names at the right end; `describe` says what a point is.
    pub fn named_lines(&mut self, lines: &[Line<'_>], describe: impl Fn(f64, f64) -> String) {
        let end = self.end();
        let last = |line: &Line<'_>| line.points.last().copied().unwrap_or([1.0, 1.0]);
        let ends = lines.iter().map(|line| self.up(last(line)[1])).collect();
        let names = spread(ends, self.height - 12.0);
        for (place, (line, name_at)) in lines.iter().zip(names).enumerate() {
            let (colour, name) = (COLOURS[place % COLOURS.len()], escape(line.name));
            let points: Vec<[f64; 2]> =
                line.points.iter().map(|&[x, y]| [self.across(x), self.up(y)]).collect();
            let path: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
            self.push(format_args!(
                r#"<path class="line" style="stroke:{colour}" d="M{}"/>"#,
                path.join("L")
            ));
            for ([x, y], &[a, b]) in points.iter().zip(&line.points) {
                self.push(format_args!(
                    r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.2" fill="{colour}"><title>{name} {}</title></circle>"#,
                    describe(a, b)
                ));
            }
            let [x, y] = points.last().copied().unwrap_or_default();
            self.push(format_args!(
                r#"<path class="line" style="stroke:{colour}" stroke-opacity=".4" d="M{:.1} {y:.1}L{:.1} {name_at:.1}"/><text class="tick" x="{:.1}" y="{:.1}" style="fill:{colour}">{name}</text>"#,
                x + 4.0,
                end + 10.0,
                end + 14.0,
                name_at + 4.0
            ));
        }
    }

    /// A bar for each column.
    pub fn bars(&mut self, columns: &[Column]) {
        let mut path = String::new();
        for column in columns {
            let (x0, x1) =
                (self.across(column.first as f64), self.across(column.last as f64 + 1.0));
            let (y0, y1) = (self.up(self.y[0]), self.up(column.mean));
            let gap = ((x1 - x0) * 0.12).min(2.0);
            let _ = write!(path, "M{:.1} {y0:.1}V{y1:.1}H{:.1}V{y0:.1}z", x0 + gap, x1 - gap);
        }
        self.push(format_args!(r#"<path class="bar" d="{path}"/>"#));
    }

    /// A line through the columns, with a band that far above and below it.
    pub fn line(&mut self, means: &[Column], bands: &[Column]) {
        let points = means.iter().zip(bands).map(|(column, band)| {
            [(column.first + column.last + 1) as f64 / 2.0, column.mean, band.mean]
        });
        let (band, line) = self.band(&points.collect::<Vec<_>>());
        self.push(format_args!("{band}{line}"));
    }

    /// The band around points and the line through them, as paths.
    fn band(&self, points: &[[f64; 3]]) -> (String, String) {
        let above: String = points.iter().map(|[x, y, part]| self.point(*x, y + part)).collect();
        let below: String =
            points.iter().rev().map(|[x, y, part]| self.point(*x, y - part)).collect();
        let line: String = points.iter().map(|[x, y, _]| self.point(*x, *y)).collect();
        (
            format!(r#"<path class="band" d="M{above}L{below}z"/>"#),
            format!(r#"<path class="line" d="M{line}"/>"#),
        )
    }

    fn point(&self, x: f64, y: f64) -> String {
        format!("{:.1} {:.1} ", self.across(x), self.up(y.clamp(self.y[0], self.y[1])))
    }

    /// A line through points, each with that much above and below it.
    pub fn curve(&mut self, points: &[[f64; 3]]) {
        let (band, line) = self.band(points);
        // A dot is a line without length whose ends are round; many of them would hide the line.
        let few = if points.len() <= 60 { points } else { &[] };
        let dots: String =
            few.iter().map(|[x, y, _]| format!("M{}h0", self.point(*x, *y))).collect();
        let bars = few.iter().filter(|[_, _, part]| *part > 0.0);
        let bars: String = bars
            .map(|[x, y, part]| {
                format!("M{}L{}", self.point(*x, y - part), self.point(*x, y + part))
            })
            .collect();
        self.push(format_args!(
            r#"{band}{line}<path class="line" d="{bars}"/><path class="dots" d="{dots}"/>"#
        ));
    }

    /// Cells side by side, each row from the left and the first at the bottom, from 0 to 1 in the
    /// colours of a ramp; `None` stays blank.
    pub fn cells(&mut self, rows: &[Vec<Option<f64>>], ramp: &Ramp) {
        let columns = rows.first().map_or(0, Vec::len);
        if columns == 0 {
            return;
        }
        let mut paths = vec![String::new(); LEVELS];
        for (y, row) in rows.iter().rev().enumerate() {
            let mut x = 0;
            for run in row.chunk_by(|a, b| a.map(level) == b.map(level)) {
                if let Some(value) = run[0] {
                    let _ = write!(paths[level(value)], "M{x} {y}.5h{}", run.len());
                }
                x += run.len();
            }
        }
        let [left, right] = self.x.map(|x| self.across(x));
        let [bottom, top] = self.y.map(|y| self.up(y));
        let (width, height) = ((right - left) / columns as f64, (bottom - top) / rows.len() as f64);
        self.push(format_args!(
            r#"<g class="cells" transform="translate({left:.1} {top:.1}) scale({width:.5} {height:.5})">"#
        ));
        for (level, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            let colour = ramp.colour(level as f64 / (LEVELS - 1) as f64);
            self.push(format_args!(r#"<path stroke="{colour}" d="{path}"/>"#));
        }
        self.body.push_str("</g>");
    }

    /// The plot as part of a page; `title` describes it to those who do not see it.
    pub fn finish(self, title: &str, class: &str) -> String {
        format!(
            r#"<svg class="{class}" viewBox="0 0 {WIDTH} {}" role="img" aria-label="{title}" data-left="{}" data-right="{}" data-from="{}" data-to="{}">{}</svg>"#,
            self.height,
            LEFT / WIDTH,
            self.end() / WIDTH,
            self.x[0],
            self.x[1],
            self.body
        )
    }

    /// The plot as a file of its own.
    pub fn standalone(self, title: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" \
             aria-label=\"{title}\">\n<style>\ntext {{ font-family: system-ui, sans-serif; }}\n\
             {PLOT_STYLE}</style>\n{}</svg>\n",
            self.height, self.body
        )
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        self.body.write_fmt(text).expect("a string takes any text");
    }
}

/// The number of colours in a map of cells.
const LEVELS: usize = 48;

fn level(value: f64) -> usize {
    (value.clamp(0.0, 1.0) * (LEVELS - 1) as f64).round() as usize
}

/// Colours from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub struct Ramp(&'static [u32]);

impl Ramp {
    /// From dark to bright (viridis): shares.
    pub const SHARE: Ramp = Ramp(&[
        0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b,
        0xfde725,
    ]);
    /// From red through a pale middle to blue: equities, the middle being one half.
    pub const EQUITY: Ramp = Ramp(&[
        0xb2182b, 0xd6604d, 0xf4a582, 0xfddbc7, 0xf7f7f7, 0xd1e5f0, 0x92c5de, 0x4393c3, 0x2166ac,
    ]);

    pub(super) fn colour(&self, share: f64) -> String {
        let place = share.clamp(0.0, 1.0) * (self.0.len() - 1) as f64;
        let low = (place as usize).min(self.0.len() - 2);
        let part = place - low as f64;
        let [a, b] =
            [self.0[low], self.0[low + 1]].map(|colour| colour.to_be_bytes().map(f64::from));
        let mix = |i: usize| (a[i] + (b[i] - a[i]) * part).round() as u8;
        format!("#{:02x}{:02x}{:02x}", mix(1), mix(2), mix(3))
    }

    /// A strip of the ramp for a legend.
    pub fn strip(&self) -> String {
        let stops: Vec<String> = (0..=8).map(|i| self.colour(f64::from(i) / 8.0)).collect();
        format!(
            r#"<span class="strip" style="background:linear-gradient(90deg,{})"></span>"#,
            stops.join(",")
        )
    }
}

/// A line of a plot and its name.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// The name.
    pub name: &'a str,
    /// The points, from left to right.
    pub points: Vec<[f64; 2]>,
}

/// Heights from the top that are close to those given but never overlap, none below `lowest`.
fn spread(mut places: Vec<f64>, mut lowest: f64) -> Vec<f64> {
    for at in 1..places.len() {
        places[at] = places[at].max(places[at - 1] + NAME_GAP);
    }
    for place in places.iter_mut().rev() {
        *place = place.min(lowest);
        lowest = *place - NAME_GAP;
    }
    places
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

/// Some four to eight round values of a range.
fn ticks([low, high]: [f64; 2]) -> Vec<f64> {
    let raw = (high - low) / 5.0;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|&s| s >= raw * 0.999);
    let step = step.unwrap_or(10.0 * power);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks([0.0, 500.0]), [0.0, 100.0, 200.0, 300.0, 400.0, 500.0]);
        assert_eq!(ticks([0.0, 1.0]).len(), 6);
        for high in [0.013, 1.0, 7.0, 60.0, 499.0, 40_000.0, 2.8e9] {
            let ticks = ticks([0.0, high]);
            assert!((3..=8).contains(&ticks.len()), "{high}: {ticks:?}");
        }
    }

    #[test]
    fn ticks_of_a_logarithmic_axis_are_ones_twos_and_fives() {
        assert_eq!(log_ticks([0.15, 30.0]), [0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0]);
    }

    #[test]
    fn names_do_not_overlap() {
        let places = spread(vec![1.0, 2.0, 3.0, 900.0], 440.0);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= NAME_GAP), "{places:?}");
        assert!(places[3] <= 440.0);
    }

    #[test]
    fn nothing_to_show_is_an_empty_frame() {
        let mut plot = Plot::log_log(440.0, std::iter::empty());
        plot.y_axis(|value| value.to_string());
        plot.named_lines(&[], |_, _| String::new());
        let svg = plot.standalone("nothing");
        assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn cells_of_one_colour_are_one_stroke() {
        let mut plot = Plot::new(100.0, [0.0, 3.0], [0.0, 2.0]);
        plot.cells(&[vec![Some(0.0); 3], vec![Some(1.0), None, Some(1.0)]], &Ramp::SHARE);
        let svg = plot.finish("cells", "");
        assert!(svg.contains(r##"stroke="#440154" d="M0 1.5h3""##), "{svg}");
        assert!(svg.contains(r##"stroke="#fde725" d="M0 0.5h1M2 0.5h1""##), "{svg}");
    }
}
