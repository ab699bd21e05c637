//! The results as Markdown tables.

use std::fmt::Write as _;

use super::case::{Group, TRACKS, Track};
use super::judge::Tally;
use super::vary::Layout;
use super::{CORPORA, METHODS, OURS, Results};

const HEADER: &str = "exact % | same % | neighbours intact % | refused % | … of which located % | wrong %";
const RULE: &str = "---: | ---: | ---: | ---: | ---: | ---:";
/// The columns for faults with a cause.
const HARD_HEADER: &str = "same % | refused % | … of which located % | … first candidate right % | wrong %";
const HARD_RULE: &str = "---: | ---: | ---: | ---: | ---:";
/// The classes at line ends: A to D.
pub(crate) const LINE_ENDS: std::ops::Range<usize> = 0..4;
/// The promises: exact at line ends, alone and with the earlier text; located; wrong. In percent.
pub(crate) const EXACT_ALONE: f64 = 85.0;
pub(crate) const EXACT_EARLIER: f64 = 95.0;
pub(crate) const LOCATED: f64 = 90.0;
pub(crate) const WRONG: f64 = 1.0;
/// The promises for faults with a cause: refusals located, and their first candidate right.
const HARD_LOCATED: f64 = 95.0;
const FIRST: f64 = 60.0;

/// Every table but the summary.
pub(crate) fn render(results: &Results) -> String {
    let mut out = String::new();
    for (track, name, what) in TRACKS {
        if track.group() != Group::Caused && results.of(track, OURS, Layout::Kept).next().is_some() {
            situation(&mut out, results, track, &format!("{name}: {what}"));
        }
    }
    hidden(&mut out, results);
    others(&mut out, results);
    out
}

/// A row for every situation, with the promises; a number that misses one is in bold type.
pub(crate) fn summary(results: &Results) -> String {
    let mut out = String::from(
        "| situation | A to D exact % | … promised | all: exact % | same % | refused % | … located % (over 90) | wrong % (under 1) |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for (track, name, _) in TRACKS {
        let all = results.sum(track, OURS, Layout::Kept, |_| true);
        if all.cases == 0.0 || track.group() == Group::Caused {
            continue;
        }
        let (exact, promised) = if track.group() == Group::Several {
            ("-".to_owned(), "-".to_owned())
        } else {
            let ends = results.sum(track, OURS, Layout::Kept, |row| LINE_ENDS.contains(&row));
            let least = promised(track);
            (held(ends.exact, ends.cases, |share| share > least), format!("over {least}"))
        };
        let _ = writeln!(
            out,
            "| {name} | {exact} | {promised} | {} | {} | {} | {} | {} |",
            percent(all.exact, all.cases),
            percent(all.same, all.cases),
            percent(all.refused, all.cases),
            held(all.located, all.refused, |share| share > LOCATED),
            held(all.wrong, all.cases, |share| share < WRONG)
        );
    }
    let _ = writeln!(
        out,
        "\n{} damaged texts; up to {} of each class, corpus and situation.",
        results.texts, results.wanted
    );
    out
}

/// The situations with faults that have a cause: a row for each, and for the other methods on the same texts.
pub(crate) fn hard_summary(results: &Results) -> String {
    let mut out = format!("| situation | method | {HARD_HEADER} |\n| --- | --- | {HARD_RULE} |\n");
    for (track, name, _) in TRACKS.into_iter().filter(|(track, ..)| track.group() == Group::Caused) {
        for (method, method_name) in METHODS.iter().enumerate() {
            let all = results.sum(track, method, Layout::Kept, |_| true);
            if all.cases > 0.0 {
                let cells = if method == OURS { promised_cells(&all) } else { hard_cells(&all, false) };
                let _ = writeln!(out, "| {name} | {method_name} | {cells} |");
            }
        }
    }
    out
}

/// A table for every situation with faults that have a cause.
pub(crate) fn hard(results: &Results) -> String {
    let mut out = String::new();
    for (track, name, what) in TRACKS.into_iter().filter(|(track, ..)| track.group() == Group::Caused) {
        if results.of(track, OURS, Layout::Kept).next().is_none() {
            continue;
        }
        let _ =
            writeln!(out, "\n### {name}: {what}\n\n| cause | cases | {HARD_HEADER} |\n| --- | ---: | {HARD_RULE} |");
        let rows = track.group().rows();
        for (index, (name, share)) in rows.iter().enumerate() {
            let mut total = Tally::default();
            for (_, tally) in results.of(track, OURS, Layout::Kept).filter(|(key, _)| key.row == index) {
                total.merge(tally);
            }
            if total.cases > 0.0 {
                let _ = writeln!(out, "| {name} ({share}) | {} | {} |", total.cases, hard_cells(&total, true));
            }
        }
        let all = results.sum(track, OURS, Layout::Kept, |_| true);
        let _ = writeln!(out, "| **all, weighted** | | {} |", hard_cells(&all, true));
        for (outside, what) in [(false, "in the lines that the edit wrote"), (true, "outside them")] {
            let own = results.sum_by_place(track, outside);
            let share = percent(own.cases, all.cases);
            let _ = writeln!(out, "| faults {what}, {share} % | | {} |", hard_cells(&own, true));
        }
        for (corpus, (name, _)) in CORPORA.iter().enumerate() {
            let mut total = Tally::default();
            for (key, tally) in results.of(track, OURS, Layout::Kept).filter(|(key, _)| key.corpus == corpus) {
                total.add(tally, rows[key.row].1);
            }
            if total.cases > 0.0 {
                let _ = writeln!(out, "| all, weighted, {name} | | {} |", hard_cells(&total, true));
            }
        }
    }
    out
}

/// The cells of a situation; a number that misses the promise is in bold type.
fn promised_cells(tally: &Tally) -> String {
    format!(
        "{} | {} | {} | {} | {}",
        percent(tally.same, tally.cases),
        percent(tally.refused, tally.cases),
        held(tally.located, tally.refused, |share| share > HARD_LOCATED),
        held(tally.first, tally.refused, |share| share > FIRST),
        held(tally.wrong, tally.cases, |share| share < WRONG)
    )
}

/// The cells of one row; other methods report no place.
fn hard_cells(tally: &Tally, places: bool) -> String {
    let of = |part| percent(part, tally.cases);
    let of_refusals = |part| if places { percent(part, tally.refused) } else { "-".to_owned() };
    let (located, first) = (of_refusals(tally.located), of_refusals(tally.first));
    format!("{} | {} | {located} | {first} | {}", of(tally.same), of(tally.refused), of(tally.wrong))
}

/// The promised percentage of damage at line ends that is restored exactly.
pub(crate) fn promised(track: Track) -> f64 {
    match track {
        Track::Alone | Track::File | Track::Insert | Track::InsertFile | Track::Several => EXACT_ALONE,
        _ => EXACT_EARLIER,
    }
}

/// A percentage, in bold type if the promise is not kept.
fn held(part: f64, whole: f64, kept: impl Fn(f64) -> bool) -> String {
    let shown = percent(part, whole);
    if whole > 0.0 && !kept(100.0 * part / whole) { format!("**{shown}**") } else { shown }
}

fn situation(out: &mut String, results: &Results, track: Track, title: &str) {
    let _ = writeln!(out, "\n### {title}\n\n| class | cases | {HEADER} |\n| --- | ---: | {RULE} |");
    let rows = track.group().rows();
    for (index, (name, share)) in rows.iter().enumerate() {
        let mut total = Tally::default();
        for (_, tally) in results.of(track, OURS, Layout::Kept).filter(|(key, _)| key.row == index) {
            total.merge(tally);
        }
        if total.cases > 0.0 {
            let _ = writeln!(out, "| {name} ({share}) | {} | {} |", total.cases, cells(&total));
        }
    }
    if track.group() != Group::Several {
        let ends = results.sum(track, OURS, Layout::Kept, |row| LINE_ENDS.contains(&row));
        let _ = writeln!(out, "| **A to D, weighted** | | {} |", cells(&ends));
    }
    for (layout, what) in
        [(Layout::Kept, ""), (Layout::Other, ", another indentation"), (Layout::Absent, ", no indentation")]
    {
        let all = results.sum(track, OURS, layout, |_| true);
        if all.cases > 0.0 {
            let _ = writeln!(out, "| **all, weighted{what}** | | {} |", cells(&all));
        }
    }
    for (corpus, (name, _)) in CORPORA.iter().enumerate() {
        let mut total = Tally::default();
        for (key, tally) in results.of(track, OURS, Layout::Kept).filter(|(key, _)| key.corpus == corpus) {
            total.add(tally, rows[key.row].1);
        }
        if total.cases > 0.0 {
            let _ = writeln!(out, "| all, weighted, {name} | | {} |", cells(&total));
        }
    }
}

/// The results for damage that balances.
fn hidden(out: &mut String, results: &Results) {
    let _ = writeln!(
        out,
        "\n### Damage that balances\n\n| situation | class | cases | method | left alone % | … and reported % | put right % | made another wrong % |\n| --- | --- | ---: | --- | ---: | ---: | ---: | ---: |"
    );
    for (track, name, _) in TRACKS.into_iter().filter(|(track, ..)| track.group() != Group::Caused) {
        for (index, (row, _)) in track.group().rows().iter().enumerate() {
            for (method, method_name) in METHODS.iter().enumerate() {
                let mut total = Tally::default();
                for (_, tally) in results.of(track, method, Layout::Kept).filter(|(key, _)| key.row == index) {
                    total.merge(tally);
                }
                if total.hidden < 20.0 || (method != OURS && method != METHODS.len() - 1) {
                    continue;
                }
                let changed = total.hidden - total.untouched - total.restored;
                let _ = writeln!(
                    out,
                    "| {name} | {row} | {} | {method_name} | {} | {} | {} | {} |",
                    total.hidden,
                    percent(total.untouched, total.hidden),
                    percent(total.reported, total.hidden),
                    percent(total.restored, total.hidden),
                    percent(changed, total.hidden)
                );
            }
        }
    }
}

/// The other methods, on the texts of the situations without further context.
fn others(out: &mut String, results: &Results) {
    let _ =
        writeln!(out, "\n### Other methods, same texts\n\n| situation | method | {HEADER} |\n| --- | --- | {RULE} |");
    for (track, name, _) in TRACKS.into_iter().filter(|(track, ..)| track.group() != Group::Caused) {
        for (method, method_name) in METHODS.iter().enumerate() {
            let all = results.sum(track, method, Layout::Kept, |_| true);
            let compared = results.of(track, 1, Layout::Kept).next().is_some();
            if all.cases == 0.0 || !compared {
                continue;
            }
            // The others report no place of a fault.
            let cells = |tally: &Tally| match method {
                OURS => cells(tally),
                _ => cells_with(tally, "-"),
            };
            let _ = writeln!(out, "| {name}, all | {method_name} | {} |", cells(&all));
            if track.group() != Group::Several {
                let ends = results.sum(track, method, Layout::Kept, |row| LINE_ENDS.contains(&row));
                let _ = writeln!(out, "| {name}, A to D | {method_name} | {} |", cells(&ends));
            }
        }
    }
}

fn cells(tally: &Tally) -> String {
    cells_with(tally, &percent(tally.located, tally.refused))
}

fn cells_with(tally: &Tally, located: &str) -> String {
    let of = |part| percent(part, tally.cases);
    format!(
        "{} | {} | {} | {} | {located} | {}",
        of(tally.exact),
        of(tally.same),
        of(tally.neighbours),
        of(tally.refused),
        of(tally.wrong)
    )
}

fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1}", 100.0 * part / whole) } else { "-".to_owned() }
}
