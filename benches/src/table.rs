//! One row per promise, and the table they make.

/// What was measured, beside what it is compared with.
pub(crate) struct Row {
    /// What is measured.
    pub(crate) what: String,
    /// The number, with its unit.
    pub(crate) measured: String,
    /// What the baseline is, its number, and how many times better or worse the measured one is.
    pub(crate) baseline: String,
    /// The best known elsewhere, measured on another day.
    pub(crate) elsewhere: &'static str,
    /// What was promised.
    pub(crate) target: &'static str,
    /// The promise holds in this run.
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

/// Milliseconds with as many digits as say something.
pub(crate) fn milliseconds(seconds: f64) -> String {
    let value = seconds * 1e3;
    match value {
        value if value < 1.0 => format!("{value:.3} ms"),
        value if value < 100.0 => format!("{value:.1} ms"),
        value => format!("{value:.0} ms"),
    }
}

/// How many times as much `baseline` is.
pub(crate) fn times(baseline: f64, measured: f64) -> String {
    format!("{:.1} x", baseline / measured)
}

/// The value in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
