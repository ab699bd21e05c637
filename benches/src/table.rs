//! One row per promise, and the table of rows.

/// A measurement, and its comparison.
pub(crate) struct Row {
    /// The thing that is measured.
    pub(crate) what: String,
    /// The number, with its unit.
    pub(crate) measured: String,
    /// The baseline, its number, and how many times better or worse the measurement is.
    pub(crate) baseline: String,
    /// The best known result elsewhere, measured on another day.
    pub(crate) elsewhere: &'static str,
    /// The promise.
    pub(crate) target: &'static str,
    /// The measurement keeps the promise.
    pub(crate) met: bool,
}

/// A Markdown table.
pub(crate) fn render(rows: &[Row]) -> String {
    let mut out = String::from(
        "| what | here | baseline in the same run | best elsewhere | target | met |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for row in rows {
        let met = if row.met { "yes" } else { "**no**" };
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} | {met} |\n",
            row.what, row.measured, row.baseline, row.elsewhere, row.target
        ));
    }
    out
}

/// Milliseconds with the significant digits.
pub(crate) fn milliseconds(seconds: f64) -> String {
    let value = seconds * 1e3;
    match value {
        value if value < 1.0 => format!("{value:.3} ms"),
        value if value < 100.0 => format!("{value:.1} ms"),
        value => format!("{value:.0} ms"),
    }
}

/// The ratio of `baseline` to `measured`, as text.
pub(crate) fn times(baseline: f64, measured: f64) -> String {
    format!("{:.1} x", baseline / measured)
}

/// The median.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
