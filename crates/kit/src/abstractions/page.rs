//! The overview as a page.

use super::overview::{Overview, StreetView};
use crate::plot::{HOVER_SCRIPT, Plot, Ramp, cards, chart, document, escape, figure, push, table};
use crate::text::{percent, short, thousands};

/// Columns of a plot by bucket at most.
const COLUMNS: usize = 500;
/// Groups of buckets each way in an equity table at most.
const GROUPS: usize = 125;

/// The page of an overview: one HTML file with plots.
pub fn page(overview: &Overview<'_>) -> String {
    let name = escape(overview.name);
    let mut body = String::new();
    push(
        &mut body,
        format_args!("<header><h1>{name}</h1><p>{}</p></header>", escape(&overview.origin())),
    );
    body += &quality(overview);
    body += &configuration(overview);
    body += &flop_clusters(overview);
    body += &coverage(overview);
    for street in overview.streets.values() {
        body += &section(street);
    }
    document(&format!("{name}: a card abstraction"), &body, HOVER_SCRIPT)
}

/// The table of figures.
fn quality(overview: &Overview<'_>) -> String {
    let streets = overview.streets.iter().map(|(street, _)| street.name());
    let headings: Vec<&str> = [""].into_iter().chain(streets).collect();
    let rows = overview.table().into_iter();
    let rows = rows.map(|(name, cells)| [vec![name.to_owned()], cells].concat());
    format!(
        "<section><h2>Quality</h2>{}<p class=\"note\">Deals are raw: every board in every suiting. \
             The spread between buckets is the standard deviation of their mean equities, the spread \
             within the mean of their own standard deviations; the variance explained is the share \
             of the variance of equity that lies between buckets. Asymmetric slots are hands whose \
             bucket differs from that of the same hand with suits renamed: there should be none.</p>\
             </section>\n",
        table(&headings, rows)
    )
}

/// The plan as it was carried out.
fn configuration(overview: &Overview<'_>) -> String {
    let mut plan = serde_json::to_value(overview.plan).unwrap_or_default();
    // Clusters of flops have a table of their own.
    plan.as_object_mut().map(|fields| fields.remove("flop_clusters"));
    let plan = serde_json::to_string_pretty(&plan).unwrap_or_default();
    format!(
        "<section><details><summary>Configuration</summary><pre>{}</pre></details></section>\n",
        escape(&plan)
    )
}

/// The clusters of flops, if buckets are made of them.
fn flop_clusters(overview: &Overview<'_>) -> String {
    let Some(clusters) = &overview.flop_clusters else { return String::new() };
    let (headings, rows) = clusters.table();
    format!(
        "<section><details><summary>{} flop clusters</summary>{}<p class=\"note\">The figures of \
             streets are of the buckets within each cluster.</p></details></section>\n",
        clusters.count,
        table(&headings, rows.into_iter())
    )
}

/// How many deals have an entry of their own.
fn coverage(overview: &Overview<'_>) -> String {
    let mut text = String::from("<section><h2>Coverage</h2>");
    for (name, street) in overview.streets.iter() {
        let share = street.summary.coverage;
        push(
            &mut text,
            format_args!(
                "<div class=\"meter\"><span>{}</span><i><b style=\"width:{:.3}%\"></b></i>\
                 <span>{}</span></div>",
                name,
                100.0 * share.clamp(0.0, 1.0),
                percent(share, 2)
            ),
        );
    }
    text += "<p class=\"note\">The share of deals whose bucket was computed; any other falls back to \
             the median bucket of its board's cluster.</p></section>\n";
    text
}

/// The plots of a street.
fn section(street: &StreetView<'_>) -> String {
    let report = street.report;
    let buckets = report.buckets;
    let mut text = format!("<section class=\"street\"><h2>{}</h2>", title(report.street.name()));
    let span = [0.0, buckets as f64];
    let whole = |value: f64| thousands(value.round().max(0.0) as u64);
    let in_percent = |value: f64| percent(value, 0);
    let note = match buckets.div_ceil(COLUMNS) {
        1 => String::new(),
        _ => {
            format!(" Each column is about {:.0} buckets.", buckets as f64 / COLUMNS as f64)
        }
    };

    let equities = chart::columns(&report.equities, COLUMNS);
    let spreads = chart::columns(&report.spreads, COLUMNS);
    let mut plot = Plot::new(260.0, span, [0.0, 1.0]);
    plot.y_axis(in_percent);
    plot.line(&equities, &spreads);
    plot.x_axis("bucket", whole);
    let caption =
        format!("Mean equity by bucket; the band is one standard deviation to either side.{note}");
    text += &figure(&caption, &plot.finish("Mean equity by bucket", "hover"));

    let sizes: Vec<f64> = report.sizes.iter().map(|&size| size as f64).collect();
    let sizes = chart::columns(&sizes, COLUMNS);
    let most = sizes.iter().map(|column| column.mean).fold(0.0, f64::max);
    let mut plot = Plot::new(220.0, span, [0.0, most * 1.04]);
    plot.y_axis(short);
    plot.bars(&sizes);
    plot.x_axis("bucket", whole);
    text += &figure(&format!("Deals by bucket.{note}"), &plot.finish("Deals by bucket", "hover"));

    if !report.centroids.is_empty() {
        text += &centroids(street, whole);
    }
    if let Some(equities) = street.bucket_equities {
        let mut plot = Plot::new(640.0, span, span);
        plot.y_axis(whole);
        plot.cells(&chart::grouped(equities, GROUPS), &Ramp::EQUITY);
        plot.x_axis("against bucket", whole);
        let caption = format!(
            "Equity of the bucket at the left against the one below, all in, over all boards and \
             runouts: 0 {} 100 %. Blank where two never meet.",
            Ramp::EQUITY.strip()
        );
        text += &figure(&caption, &plot.finish("Equity of buckets against one another", ""));
    }
    if !report.clusters.is_empty() {
        text += &clusters(street);
    }
    text += &data(street);
    text += "</section>\n";
    text
}

/// The centroids as a map: a column for each bucket, a row for each bin.
fn centroids(street: &StreetView<'_>, whole: impl Fn(f64) -> String) -> String {
    let centroids: Vec<Vec<f64>> =
        street.report.centroids.iter().map(|sums| chart::shares(sums)).collect();
    let bins = centroids.iter().map(Vec::len).min().unwrap_or(0);
    let runs = chart::runs(centroids.len(), COLUMNS);
    let mean = |run: &std::ops::Range<usize>, bin: usize| {
        centroids[run.clone()].iter().map(|shares| shares[bin]).sum::<f64>() / run.len() as f64
    };
    // Square roots, or small shares would all look like none.
    let row = |bin: usize| runs.iter().map(|run| Some(mean(run, bin).sqrt())).collect();
    let rows: Vec<Vec<Option<f64>>> = (0..bins).map(row).collect();
    let mut plot = Plot::new(280.0, [0.0, street.report.buckets as f64], [0.0, 1.0]);
    plot.y_axis(|value| percent(value, 0));
    plot.cells(&rows, &Ramp::SHARE);
    plot.x_axis("bucket", whole);
    let caption = format!(
        "Centroids: for each bucket, how often which equity follows: 0 {} 100 % of the cards to \
         come, by square roots. Two bright ends are a draw, one bright place a made hand.",
        Ramp::SHARE.strip()
    );
    figure(&caption, &plot.finish("Centroids by bucket", "hover"))
}

/// The clusters of boards in words.
fn clusters(street: &StreetView<'_>) -> String {
    let mut text = format!(
        "<h3>Clusters of boards</h3><div class=\"wide tall\"><table class=\"clusters\"><thead><tr>\
         <th>cluster</th><th>boards</th><th>raw boards</th><th>{} buckets</th><th>typical</th>\
         <th>description</th></tr></thead><tbody>",
        street.report.street
    );
    let each = street.report.buckets / street.report.clusters.len().max(1);
    for (number, cluster) in street.report.clusters.iter().enumerate() {
        push(
            &mut text,
            format_args!(
                "<tr><td>{number}</td><td>{}</td><td>{}</td><td>{} to {}</td><td>{}</td><td>{}</td></tr>",
                thousands(cluster.boards),
                thousands(cluster.weight),
                number * each,
                (number + 1) * each - 1,
                cards(&cluster.typical),
                escape(&cluster.description)
            ),
        );
    }
    text + "</tbody></table></div>"
}

/// The figures of each bucket, for the script that shows those under the pointer.
fn data(street: &StreetView<'_>) -> String {
    let rounded = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|value| (value * 1e4).round() / 1e4).collect()
    };
    let report = street.report;
    let data = serde_json::json!({
        "sizes": report.sizes,
        "equities": rounded(&report.equities),
        "spreads": rounded(&report.spreads),
    });
    format!("<output></output><script type=\"application/json\">{data}</script>")
}

fn title(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}
