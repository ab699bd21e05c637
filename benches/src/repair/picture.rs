//! The results as a picture: the rates at which each method is right, refuses, and is wrong.
//!
//! Plain SVG without scripts. Its style sheet has the colours of both modes and a background, so that it is readable
//! everywhere. The three parts of a bar differ in brightness as well as in hue, and every bar contains its numbers.

use std::fmt::Write as _;

use super::case::Track;
use super::judge::Tally;
use super::tables::LINE_ENDS;
use super::vary::Layout;
use super::{METHODS, Results};

const PANELS: [(Track, &str); 2] = [
    (Track::File, "a whole file, nothing else known"),
    (Track::Rewritten, "a form rewritten in its file, the file before known"),
];

/// The label column, a bar at a hundred percent, and the column of numbers after it, in pixels.
const LABEL: f64 = 132.0;
const BAR: f64 = 236.0;
const NUMBER: f64 = 92.0;
const MARGIN: f64 = 20.0;
const PANEL: f64 = LABEL + BAR + NUMBER;
const WIDTH: f64 = 2.0 * PANEL + 3.0 * MARGIN;
/// The distance between bars, and the height of one.
const STEP: f64 = 27.0;
const THICKNESS: f64 = 19.0;
/// The space above the first panel, and above the bars of a panel.
const HEAD: f64 = 78.0;
const TITLE: f64 = 34.0;
/// The least percentage whose number fits into its part of a bar.
const LEGIBLE: f64 = 15.0;

const STYLE: &str = "\
text{font:13px system-ui,'Segoe UI',Helvetica,Arial,sans-serif;fill:#1f2328}\
.page{fill:#fff}.head{font-size:17px;font-weight:600}.title{font-weight:600}.small{font-size:12px;fill:#59636e}\
.ours{font-weight:600}.right{fill:#1f6feb}.refused{fill:#c4cbd3}.wrong{fill:#d9480f}\
.on-right,.on-wrong{fill:#fff;font-size:12px}.on-refused{fill:#1f2328;font-size:12px}\
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.small{fill:#9198a1}\
.right{fill:#388bfd}.refused{fill:#4d5663}.wrong{fill:#f0703a}\
.on-right,.on-wrong{fill:#0d1117}.on-refused{fill:#e6edf3}}";

/// The picture; `None` when the situations that it shows were not measured.
pub(crate) fn render(results: &Results) -> Option<String> {
    let measured = |track| results.sum(track, 0, Layout::Kept, |_| true).cases > 0.0;
    if !PANELS.iter().all(|(track, _)| measured(*track)) {
        return None;
    }
    // The repairer first, then the others from the best known on.
    let order: Vec<usize> = [0].into_iter().chain((1..METHODS.len()).rev()).collect();
    let panel_height = TITLE + order.len() as f64 * STEP + 14.0;
    let height = HEAD + PANELS.len() as f64 * panel_height + 8.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"How often each method repairs, refuses, and is wrong\">\n<style>{STYLE}</style>\n\
         <rect class=\"page\" width=\"{WIDTH}\" height=\"{height}\" rx=\"6\"/>\n"
    );
    text(&mut out, MARGIN, 32.0, "head", "What becomes of damaged Lisp");
    let mut at = MARGIN;
    for (class, what, width) in [
        ("right", "repaired: the code is what it was", 232.0),
        ("refused", "refused: nothing changed", 178.0),
        ("wrong", "wrong: balances, means something else", 0.0),
    ] {
        let _ = writeln!(out, "<rect class=\"{class}\" x=\"{at}\" y=\"46\" width=\"13\" height=\"13\" rx=\"2\"/>");
        text(&mut out, at + 19.0, 57.0, "", what);
        at += 28.0 + width;
    }
    for (row, (track, what)) in PANELS.iter().enumerate() {
        for (column, ends) in [true, false].into_iter().enumerate() {
            let x = MARGIN + column as f64 * (PANEL + MARGIN);
            let y = HEAD + row as f64 * panel_height;
            let classes = if ends { "Faults at line ends (A to D)" } else { "All classes (A to K)" };
            text(&mut out, x, y + 13.0, "title", classes);
            text(&mut out, x, y + 28.0, "small", what);
            for (place, &method) in order.iter().enumerate() {
                let tally = results.sum(*track, method, Layout::Kept, |row| !ends || LINE_ENDS.contains(&row));
                bar(&mut out, x, y + TITLE + place as f64 * STEP, method, &tally);
            }
        }
    }
    out.push_str("</svg>\n");
    Some(out)
}

fn bar(out: &mut String, x: f64, y: f64, method: usize, tally: &Tally) {
    let base = y + THICKNESS - 5.0;
    let name = METHODS[method].split(',').next().unwrap_or_default();
    text(out, x, base, if method == 0 { "ours" } else { "" }, name);
    if tally.cases == 0.0 {
        text(out, x + LABEL, base, "small", "not measured");
        return;
    }
    let percent = |part: f64| 100.0 * part / tally.cases;
    let mut at = x + LABEL;
    for (class, share) in
        [("right", percent(tally.same)), ("refused", percent(tally.refused)), ("wrong", percent(tally.wrong))]
    {
        let width = BAR * share / 100.0;
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{at:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{THICKNESS}\"/>"
        );
        if share >= LEGIBLE {
            text(out, at + 5.0, base, &format!("on-{class}"), &format!("{share:.0} %"));
        }
        at += width;
    }
    text(out, at + 7.0, base, "", &format!("{:.1} % wrong", percent(tally.wrong)));
}

fn text(out: &mut String, x: f64, y: f64, class: &str, what: &str) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let what = what.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(out, "<text{class} x=\"{x:.1}\" y=\"{y:.1}\">{what}</text>");
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::judge::Verdict;
    use super::super::{Key, OURS};
    use super::*;

    #[test]
    fn every_bar_says_how_much_is_wrong() {
        let mut results = Results::default();
        assert_eq!(render(&results), None);
        for (track, _) in PANELS {
            for method in [OURS, 1, 4] {
                let key = Key { track, method, layout: Layout::Kept as u8, row: 0, corpus: 0 };
                let tally = results.tallies.entry(key).or_default();
                for verdict in [Verdict::Exact, Verdict::Same, Verdict::Wrong { neighbours: true }] {
                    tally.count(verdict);
                }
            }
        }
        let picture = render(&results).unwrap();
        assert_eq!(picture.matches("33.3 % wrong").count(), 12);
        assert_eq!(picture.matches("not measured").count(), 8);
        assert_eq!(picture.matches("<text").count(), picture.matches("</text>").count());
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    }
}
