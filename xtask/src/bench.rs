//! `cargo xtask bench`: the numbers that the project promises, measured on a release build.
//!
//! The measuring is done by the `lispwright-bench` program in `benches/`; this builds it and the server, runs it on the
//! corpus, and keeps its table in `docs/benchmarks.md`. Not part of the tests.

use std::fs;
use std::process::Command;

use crate::apt::{self, Install};
use crate::step::{About, Failure, say};
use crate::{cargo, corpus, target, workspace};

/// Between these two lines of the document stands the table.
const BEGIN: &str = "<!-- measured by cargo xtask bench --write -->";
const END: &str = "<!-- end of measurements -->";

/// Measures the rows of the group `name`, or all of them, and prints a Markdown table.
pub(crate) fn run(install: Install, name: Option<&str>, write: bool) -> Result<(), Failure> {
    if write && name.is_some() {
        return Err(Failure::new("--write writes the whole table: leave out the name"));
    }
    apt::ensure(&[apt::SBCL, apt::GUILE], install)?;
    corpus::prepare(install)?;
    say("building for release");
    cargo().args(["build", "--release", "--package", "lispwright", "--package", "lispwright-bench"]).run()?;
    let release = target().join("release");
    say("measuring; a few minutes of quiet on the machine make the numbers better");
    let output = Command::new(release.join("lispwright-bench"))
        .arg(release.join("lispwright"))
        .arg(corpus::directory())
        .arg(target().join("bench"))
        .args(name)
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| Failure::new(format!("lispwright-bench could not be started: {error}")))?;
    let table = String::from_utf8_lossy(&output.stdout);
    println!("\n{table}");
    if !output.status.success() {
        return Err(Failure::new(format!("lispwright-bench ended with {}", output.status)));
    }
    if write {
        let path = workspace().join("docs/benchmarks.md");
        let text = fs::read_to_string(&path).about(&path)?;
        fs::write(&path, with_table(&text, &format!("{}\n\n{table}", machine()))?).about(&path)?;
        say("docs/benchmarks.md is up to date");
    }
    Ok(())
}

/// The document with what stands between the two marks replaced.
fn with_table(document: &str, table: &str) -> Result<String, Failure> {
    let marked = document.find(BEGIN).zip(document.find(END)).filter(|(begin, end)| begin < end);
    let (begin, end) =
        marked.ok_or_else(|| Failure::new(format!("docs/benchmarks.md lacks the lines {BEGIN} and {END}")))?;
    Ok(format!("{}\n\n{}\n\n{}", &document[..begin + BEGIN.len()], table.trim(), &document[end..]))
}

/// The machine in a sentence.
fn machine() -> String {
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
    fn a_table_replaces_the_one_before() {
        let document = format!("# Numbers\n\n{BEGIN}\nold\n{END}\n\nHow.\n");
        let once = with_table(&document, "new\n").unwrap();
        assert_eq!(once, format!("# Numbers\n\n{BEGIN}\n\nnew\n\n{END}\n\nHow.\n"));
        assert_eq!(with_table(&once, "new\n").unwrap(), once);
        assert!(with_table("# Numbers\n", "new").is_err());
    }
}
