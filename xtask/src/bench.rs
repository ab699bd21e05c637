//! `cargo xtask bench`: the numbers that the project promises, measured on a release build.
//!
//! The `lispwright-bench` program in `benches/` measures; this command builds it and the server, runs it on the corpus,
//! and writes its tables to `docs/benchmarks.md`, `docs/knowing-code.md`, `docs/formatting.md`, `docs/linting.md`, `docs/refactoring.md` and,
//! with their picture, to `docs/repair.md` and `docs/repair-tables.md`. It is not part of the tests.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::apt::{self, Install};
use crate::step::{About, Failure, say};
use crate::{cargo, corpus, names, target, workspace};

/// The groups of rows.
const GROUPS: [&str; 13] = [
    "reader",
    "server",
    "network",
    "eval",
    "copies",
    "memory",
    "endurance",
    "tests",
    "index",
    "repair",
    "fmt",
    "lint",
    "refactor",
];
/// The groups with documents of their own.
const REPAIR: &str = "repair";
const INDEX: &str = "index";
const FMT: &str = "fmt";
const LINT: &str = "lint";
const REFACTOR: &str = "refactor";

/// Measures the rows of a group, or all of them, and prints a Markdown table; those of repair as if there was no doubt `without`.
pub(crate) fn run(install: Install, name: Option<&str>, write: bool, without: Option<&str>) -> Result<(), Failure> {
    if let Some(name) = name.filter(|name| !GROUPS.contains(name)) {
        return Err(Failure::new(format!("there is no group {name}; the groups are {}", GROUPS.join(", "))));
    }
    if without.is_some() && (write || name != Some(REPAIR)) {
        return Err(Failure::new("--without is for repair, and its numbers are not written"));
    }
    if write && name.is_some_and(|name| ![REPAIR, INDEX, FMT, LINT, REFACTOR].contains(&name)) {
        return Err(Failure::new(
            "--write writes all rows, or those of index, repair, fmt, lint or refactor: leave out the name",
        ));
    }
    let mut packages = vec!["lispwright-bench"];
    if !matches!(name, Some(REPAIR | FMT | LINT)) {
        packages.push("lispwright");
        apt::ensure(&[apt::SBCL, apt::GUILE], install)?;
    }
    corpus::prepare(install)?;
    if name.is_none_or(|name| name == LINT) {
        apt::ensure(&[apt::SBCL, apt::GUILE, apt::EMACS, apt::CLOJURE, apt::ANALYZER, apt::RACKET], install)?;
    }
    if name.is_none_or(|name| name == REFACTOR) {
        apt::ensure(&[apt::SBCL, apt::GUILE, apt::EMACS, apt::CLOJURE, apt::RACKET], install)?;
    }
    if name.is_none_or(|name| name == INDEX) {
        apt::ensure(&[apt::RIPGREP], install)?;
        names::consult(install)?;
    }
    say("building for release");
    cargo().args(["build", "--release"]).args(packages.iter().flat_map(|name| ["--package", name])).run()?;
    let rival = target().join("rmcp");
    if name.is_none_or(|name| name == "network") {
        say("building the SDK's own HTTP server, to compare with");
        let manifest = workspace().join("benches/rmcp/Cargo.toml");
        cargo().args(["build", "--release", "--manifest-path"]).arg(manifest).arg("--target-dir").arg(&rival).run()?;
    }
    let scratch = target().join("bench");
    say("measuring; some minutes of quiet on the machine make the numbers better");
    // The rows of the index have a table of their own.
    let others: Vec<&str> =
        GROUPS.into_iter().filter(|group| *group != INDEX && name.is_none_or(|name| name == *group)).collect();
    let measure = |groups: &[&str]| measure(groups, &scratch, &rival, without);
    let rows = (!others.is_empty()).then(|| measure(&others)).transpose()?;
    let index = name.is_none_or(|name| name == INDEX).then(|| measure(&[INDEX])).transpose()?;
    if !write {
        return Ok(());
    }
    let path = workspace().join("docs/benchmarks.md");
    if let Some(table) = rows {
        let is_wanted = |group: &str| name.is_none_or(|name| name == group);
        if is_wanted(REPAIR) {
            write_repair(&scratch)?;
        }
        let tables = [
            (FMT, "layout-lines.md", "docs/formatting.md", "lines"),
            (LINT, "lint-found.md", "docs/linting.md", "found"),
            (REFACTOR, "refactor.md", "docs/refactoring.md", "changed"),
        ];
        for (_, table, page, part) in tables.into_iter().filter(|(group, ..)| is_wanted(group)) {
            let table = scratch.join(table);
            let text = fs::read_to_string(&table).about(&table)?;
            put(&workspace().join(page), part, "bench", &text)?;
        }
        if name.is_none() {
            put(&path, "measurements", "bench", &format!("{}\n\n{table}", machine()))?;
        }
    }
    if let Some(table) = index {
        put(&path, "index", "bench", &format!("{}\n\n{table}", machine()))?;
        let tables = scratch.join("index-accuracy.md");
        let text = fs::read_to_string(&tables).about(&tables)?;
        put(&workspace().join("docs/knowing-code.md"), "accuracy", "bench", &text)?;
    }
    Ok(())
}

/// Runs the benchmarks of the groups, and returns and prints the table of their rows.
fn measure(groups: &[&str], scratch: &Path, rival: &Path, without: Option<&str>) -> Result<String, Failure> {
    let release = target().join("release");
    let output = Command::new(release.join("lispwright-bench"))
        .arg(release.join("lispwright"))
        .arg(corpus::directory())
        .arg(scratch)
        .args(groups)
        .env("LISPWRIGHT_BENCH_RMCP", rival.join("release/lispwright-bench-rmcp"))
        .envs(without.map(|doubt| ("LISPWRIGHT_REPAIR_WITHOUT", doubt)))
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| Failure::new(format!("lispwright-bench could not be started: {error}")))?;
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("\n{table}");
    if !output.status.success() {
        return Err(Failure::new(format!("lispwright-bench ended with {}", output.status)));
    }
    Ok(table)
}

/// Copies the tables and the picture from `scratch` into the documents.
fn write_repair(scratch: &Path) -> Result<(), Failure> {
    let parts: [(&str, &[&str]); 2] = [
        ("docs/repair.md", &["hard-summary", "reliability", "summary"]),
        ("docs/repair-tables.md", &["doubts", "hard", "tables"]),
    ];
    for (page, part) in parts.iter().flat_map(|(page, parts)| parts.iter().map(move |part| (page, part))) {
        let source = scratch.join(format!("repair-{part}.md"));
        put(&workspace().join(page), part, "bench", &fs::read_to_string(&source).about(&source)?)?;
    }
    let (picture, to) = (scratch.join("repair.svg"), workspace().join("docs/repair.svg"));
    fs::copy(&picture, &to).about(&picture)?;
    Ok(())
}

/// Replaces a part of a document, and says so.
pub(crate) fn put(path: &Path, part: &str, command: &str, text: &str) -> Result<(), Failure> {
    let document = fs::read_to_string(path).about(path)?;
    let changed = with_part(&document, part, command, text)
        .ok_or_else(|| Failure::new(format!("{} lacks the lines that begin and end its {part}", path.display())))?;
    fs::write(path, changed).about(path)?;
    say(format_args!("{}: {part} up to date", path.display()));
    Ok(())
}

/// The document with `text` between the two marks of a part, of which the first names the command.
fn with_part(document: &str, part: &str, command: &str, text: &str) -> Option<String> {
    let begin = format!("<!-- {part}: cargo xtask {command} --write -->");
    let end = format!("<!-- end of {part} -->");
    let from = document.find(&begin)? + begin.len();
    let to = from + document[from..].find(&end)?;
    Some(format!("{}\n\n{}\n\n{}", &document[..from], text.trim(), &document[to..]))
}

/// The machine in a sentence.
pub(crate) fn machine() -> String {
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("Measured on {cores} cores of {}.", model.map_or("an unnamed processor", |(_, name)| name))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_part_replaces_the_one_before() {
        let (begin, end) = ("<!-- rows: cargo xtask bench --write -->", "<!-- end of rows -->");
        let document = format!("# Numbers\n\n{begin}\nold\n{end}\n\nHow.\n");
        let once = with_part(&document, "rows", "bench", "new\n").unwrap();
        assert_eq!(once, format!("# Numbers\n\n{begin}\n\nnew\n\n{end}\n\nHow.\n"));
        assert_eq!(with_part(&once, "rows", "bench", "new\n").unwrap(), once);
        assert_eq!(with_part(&once, "other", "bench", "new"), None);
        assert_eq!(with_part("# Numbers\n", "rows", "bench", "new"), None);
    }
}
