//! Small plots as SVG inside a page.
//!
//! Written by hand rather than by a plotting crate: lines and letters take their colours from the
//! page's style sheet, so that a plot follows the reader's light or dark theme.

use std::fmt::Write;

use super::chart::Column;

/// The size of a plot, and of what lies around its area.
const WIDTH: f64 = 760.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 34.0;

/// The area of a plot: what its borders stand for.
#[derive(Clone, Debug)]
pub(in crate::commands) struct Plot {
    height: f64,
    x: [f64; 2],
    y: [f64; 2],
    body: String,
}

impl Plot {
    /// An empty plot of values from `x[0]` to `x[1]` across and `y[0]` to `y[1]` upwards.
    pub(in crate::commands) fn new(height: f64, x: [f64; 2], y: [f64; 2]) -> Plot {
        let y = if y[1] > y[0] { y } else { [y[0], y[0] + 1.0] };
        Plot { height, x, y, body: String::new() }
    }

    fn across(&self, value: f64) -> f64 {
        LEFT + (value - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - LEFT - RIGHT)
    }

    fn up(&self, value: f64) -> f64 {
        let share = (value - self.y[0]) / (self.y[1] - self.y[0]);
        self.height - BOTTOM - share * (self.height - TOP - BOTTOM)
    }

    /// Lines across at round values, with the text that `label` gives them.
    pub(in crate::commands) fn y_axis(&mut self, label: impl Fn(f64) -> String) {
        for value in ticks(self.y) {
            let y = self.up(value);
            self.push(format_args!(
                r#"<path class="grid" d="M{LEFT} {y:.1}H{:.1}"/><text class="tick" x="{}" y="{:.1}" text-anchor="end">{}</text>"#,
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.0,
                label(value)
            ));
        }
    }

    /// Round values below the plot, and what they are.
    pub(in crate::commands) fn x_axis(&mut self, name: &str, label: impl Fn(f64) -> String) {
        let base = self.height - BOTTOM;
        for value in ticks(self.x) {
            let x = self.across(value);
            self.push(format_args!(
                r#"<path class="axis" d="M{x:.1} {base}v4"/><text class="tick" x="{x:.1}" y="{}" text-anchor="middle">{}</text>"#,
                base + 16.0,
                label(value)
            ));
        }
        self.push(format_args!(
            r#"<path class="axis" d="M{LEFT} {base}H{}"/><text class="name" x="{}" y="{}" text-anchor="end">{name}</text>"#,
            WIDTH - RIGHT,
            WIDTH - RIGHT,
            self.height - 4.0
        ));
    }

    /// A bar for each column.
    pub(super) fn bars(&mut self, columns: &[Column]) {
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

    /// A line through the columns, and a band of so much above and below it.
    pub(super) fn line(&mut self, means: &[Column], bands: &[Column]) {
        let x = |plot: &Plot, column: &Column| {
            plot.across((column.first + column.last + 1) as f64 / 2.0)
        };
        let point = |mean: f64, column: &Column| {
            format!("{:.1} {:.1} ", x(self, column), self.up(mean.clamp(self.y[0], self.y[1])))
        };
        let pairs = || means.iter().zip(bands);
        let above: String = pairs().map(|(m, b)| point(m.mean + b.mean, m)).collect();
        let below: String = pairs().rev().map(|(m, b)| point(m.mean - b.mean, m)).collect();
        let line: String = means.iter().map(|m| point(m.mean, m)).collect();
        self.push(format_args!(
            r#"<path class="band" d="M{above}L{below}z"/><path class="line" d="M{line}"/>"#
        ));
    }

    /// A line through points, each with so much above and below it.
    pub(in crate::commands) fn curve(&mut self, points: &[[f64; 3]]) {
        let point = |x: f64, y: f64| {
            format!("{:.1} {:.1} ", self.across(x), self.up(y.clamp(self.y[0], self.y[1])))
        };
        let above: String = points.iter().map(|[x, y, part]| point(*x, y + part)).collect();
        let below: String = points.iter().rev().map(|[x, y, part]| point(*x, y - part)).collect();
        let line: String = points.iter().map(|[x, y, _]| point(*x, *y)).collect();
        // A dot is a line without length whose ends are round; many of them would hide the line.
        let few = points.len() <= 60;
        let dots = points.iter().filter(|_| few).map(|[x, y, _]| format!("M{}h0", point(*x, *y)));
        let dots: String = dots.collect();
        let part = points.iter().filter(|[_, _, part]| few && *part > 0.0);
        let bars =
            part.map(|[x, y, part]| format!("M{}L{}", point(*x, y - part), point(*x, y + part)));
        let bars: String = bars.collect();
        self.push(format_args!(
            r#"<path class="band" d="M{above}L{below}z"/><path class="line" d="M{line}{bars}"/><path class="dots" d="{dots}"/>"#
        ));
    }

    /// Cells side by side, each row from the left and the first at the bottom, from 0 to 1 in the
    /// colours of a ramp; none is left blank.
    pub(super) fn cells(&mut self, rows: &[Vec<Option<f64>>], ramp: &Ramp) {
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

    /// The plot, which `title` tells those who do not see it.
    pub(in crate::commands) fn finish(self, title: &str, class: &str) -> String {
        format!(
            r#"<svg class="{class}" viewBox="0 0 {WIDTH} {}" role="img" aria-label="{title}" data-left="{}" data-right="{}" data-from="{}" data-to="{}">{}</svg>"#,
            self.height,
            LEFT / WIDTH,
            1.0 - RIGHT / WIDTH,
            self.x[0],
            self.x[1],
            self.body
        )
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        self.body.write_fmt(text).expect("a string takes any text");
    }
}

/// Colours of a map of cells are told apart in so many steps.
const LEVELS: usize = 48;

fn level(value: f64) -> usize {
    (value.clamp(0.0, 1.0) * (LEVELS - 1) as f64).round() as usize
}

/// Colours from 0 to 1.
pub(super) struct Ramp(&'static [[u8; 3]]);

impl Ramp {
    /// From dark to bright (viridis): shares.
    pub(super) const SHARE: Ramp = Ramp(&[
        [68, 1, 84],
        [72, 40, 120],
        [62, 74, 137],
        [49, 104, 142],
        [38, 130, 142],
        [31, 158, 137],
        [53, 183, 121],
        [110, 206, 88],
        [181, 222, 43],
        [253, 231, 37],
    ]);
    /// From red through a pale middle to blue: equities, the middle being one half.
    pub(super) const EQUITY: Ramp = Ramp(&[
        [178, 24, 43],
        [214, 96, 77],
        [244, 165, 130],
        [253, 219, 199],
        [247, 247, 247],
        [209, 229, 240],
        [146, 197, 222],
        [67, 147, 195],
        [33, 102, 172],
    ]);

    fn colour(&self, share: f64) -> String {
        let place = share.clamp(0.0, 1.0) * (self.0.len() - 1) as f64;
        let low = (place as usize).min(self.0.len() - 2);
        let part = place - low as f64;
        let mix = |i: usize| {
            let (a, b) = (f64::from(self.0[low][i]), f64::from(self.0[low + 1][i]));
            (a + (b - a) * part).round() as u8
        };
        format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
    }

    /// A strip of the ramp for a legend.
    pub(super) fn strip(&self) -> String {
        let stops: Vec<String> = (0..=8).map(|i| self.colour(f64::from(i) / 8.0)).collect();
        format!(
            r#"<span class="strip" style="background:linear-gradient(90deg,{})"></span>"#,
            stops.join(",")
        )
    }
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
    fn cells_of_one_colour_are_one_stroke() {
        let mut plot = Plot::new(100.0, [0.0, 3.0], [0.0, 2.0]);
        plot.cells(&[vec![Some(0.0); 3], vec![Some(1.0), None, Some(1.0)]], &Ramp::SHARE);
        let svg = plot.finish("cells", "");
        assert!(svg.contains(r##"stroke="#440154" d="M0 1.5h3""##), "{svg}");
        assert!(svg.contains(r##"stroke="#fde725" d="M0 0.5h1M2 0.5h1""##), "{svg}");
    }
}
