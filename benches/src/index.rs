//! How right and how fast the index is: its answers on whole corpora beside those of the languages themselves, and its
//! times beside those of reading and of ripgrep.
//!
//! The tests compare a small part of each section (`parts`).
//!
//! The tables go to `index-accuracy.md` in the scratch folder, every difference to `index-SECTION.txt`.

mod answers;
mod compare;
mod conditions;
#[cfg(test)]
mod parts;
mod timing;

use std::fmt::Write as _;
use std::path::Path;

use lispwright_syntax::Dialect;

use crate::Setting;
use crate::table::Row;
use compare::{Accuracy, Share};

/// The sections of the corpus with answers about names, and who answers.
const SECTIONS: [(&str, Dialect, &str); 5] = [
    ("common-lisp", Dialect::CommonLisp, "SBCL"),
    ("guile", Dialect::Scheme, "Guile"),
    ("clojure", Dialect::Clojure, "tools.analyzer.jvm"),
    ("emacs-lisp", Dialect::EmacsLisp, "Emacs"),
    ("racket", Dialect::Racket, "Racket"),
];

/// The shares of definitions and of uses that are promised: found, and right.
const DEFINITIONS: f64 = 0.995;
const RECALL: f64 = 0.95;
const PRECISION: f64 = 0.97;

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for (section, dialect, witness) in SECTIONS {
        match accuracy(&setting.corpus, section, dialect) {
            Ok(accuracy) => {
                let path = setting.scratch.join(format!("index-{section}.txt"));
                if let Err(error) = std::fs::write(&path, accuracy.differences.join("\n")) {
                    eprintln!("{}: {error}", path.display());
                }
                rows.push(row(section, witness, &accuracy));
                all.push((section, accuracy));
            }
            Err(error) => eprintln!("{section}: {error}"),
        }
    }
    let path = setting.scratch.join("index-accuracy.md");
    if let Err(error) = std::fs::write(&path, tables(&all)) {
        eprintln!("{}: {error}", path.display());
    }
    rows.extend(timing::rows(setting));
    rows
}

fn accuracy(corpus: &Path, section: &str, dialect: Dialect) -> std::io::Result<Accuracy> {
    let seen = answers::read(&corpus.join("oracle").join(format!("uses-{section}.txt")))?;
    Ok(compare::compare(corpus, &[corpus.join(section)], dialect, &seen))
}

fn row(section: &str, witness: &str, accuracy: &Accuracy) -> Row {
    let (recall, precision) = (accuracy.all_recall(), accuracy.all_precision());
    let rates = [accuracy.definitions.rate(), recall.rate(), precision.rate()];
    Row {
        what: format!("names in {section}, {} files: definitions found; callers found; callers right", accuracy.files),
        measured: rates.map(percent).join("; "),
        baseline: format!("{witness} sees {} definitions, {} uses", accuracy.definitions.all, recall.all),
        elsewhere: "50-69 % of definitions, 50-58 % of callers",
        target: "over 99.5 %; over 95 %; over 97 %",
        met: rates[0] > DEFINITIONS && rates[1] > RECALL && rates[2] > PRECISION,
    }
}

/// Rounded down, so that no number looks better than it is.
fn percent(rate: f64) -> String {
    format!("{:.1} %", (rate * 1000.0).floor() / 10.0)
}

/// A line of a table: its name, and its cell for a section, if there is one.
type Line<'c> = (&'c str, &'c dyn Fn(&Accuracy) -> Option<String>);

fn tables(all: &[(&str, Accuracy)]) -> String {
    let mut out = String::new();
    let mut table = |heads: &[&str], rows: &[Line]| {
        let _ = writeln!(out, "| {} |", heads.join(" | "));
        let _ = writeln!(out, "| --- |{}", " ---: |".repeat(heads.len() - 1));
        for (name, cell) in rows {
            let cells = all.iter().map(|(_, accuracy)| cell(accuracy).unwrap_or_else(|| "-".to_owned()));
            let _ = writeln!(out, "| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
        }
        out.push('\n');
    };
    let mut heads = vec![""];
    heads.extend(all.iter().map(|(section, _)| *section));
    let share = |share: Share| format!("{} of {}", percent(share.rate()), share.all);
    table(
        &heads,
        &[
            ("files", &|one| Some(one.files.to_string())),
            ("of them not seen to their end by the language", &|one| Some(one.partial.to_string())),
            ("definitions that the language has: found", &|one| Some(share(one.definitions))),
            ("definitions that the index tells: right", &|one| Some(share(one.told_definitions))),
            ("**uses that the language has: found**", &|one| Some(share(one.all_recall()))),
            ("calls", &|one| one.recall.get("call").copied().map(share)),
            ("uses of macros", &|one| one.recall.get("macro").copied().map(share)),
            ("values", &|one| one.recall.get("value").copied().map(share)),
            ("assignments", &|one| one.recall.get("assignment").copied().map(share)),
            ("bindings", &|one| one.recall.get("binding").copied().map(share)),
            ("**uses that the index tells: right**", &|one| Some(share(one.all_precision()))),
            ("calls and uses of macros", &|one| one.precision.get("call").copied().map(share)),
            ("values", &|one| one.precision.get("value").copied().map(share)),
            ("assignments", &|one| one.precision.get("assignment").copied().map(share)),
            ("bindings", &|one| one.precision.get("binding").copied().map(share)),
            ("methods", &|one| one.precision.get("method").copied().map(share)),
            ("names whose meaning is left open", &|one| Some(one.unresolved.to_string())),
            ("apart: in templates", &|one| one.apart.get("template").map(usize::to_string)),
            ("apart: in data", &|one| one.apart.get("quoted").map(usize::to_string)),
            ("apart: exports", &|one| one.apart.get("export").map(usize::to_string)),
            ("only in the image: uses that macros bring in", &|one| Some(one.expanded.all.to_string())),
            ("only in the image: definitions that macros name", &|one| Some(one.expanded_definitions.all.to_string())),
        ],
    );
    out
}
