//! The problems of files.

mod github;
mod sarif;

use lispwright_syntax::in_a_line;
use lispwright_tools::lint::{LintAnswer, NotExamined, NotExaminedWhy};
use lispwright_tools::problems::Problem;

use crate::rendering::{counted, first_names};

pub use github::github;
pub use sarif::sarif;

/// Names of files in a note.
const NAMED: usize = 5;

/// The longest line of source that is shown, in characters.
const LONGEST: usize = 200;

/// The problems, each with its line of source, then their numbers and what was not examined.
pub(crate) fn text(answer: &LintAnswer) -> String {
    let mut text = String::new();
    if let Some(baseline) = &answer.baseline {
        return format!(
            "Wrote {} into {}, which are not told from now on.\n{}",
            counted(answer.known, "problem"),
            in_a_line(baseline),
            not_examined(&answer.not_examined)
        );
    }
    if !answer.fixed.is_empty() {
        let problems = answer.fixed.iter().map(|file| file.problems).sum();
        let names: Vec<&str> = answer.fixed.iter().map(|file| file.path.as_str()).collect();
        text.push_str(&format!("Fixed {} in {}.\n", counted(problems, "problem"), first_names(&names, NAMED)));
    }
    for problem in &answer.problems {
        text.push_str(&format!("{}\n{}", line(problem), source(problem)));
    }
    text.push_str(&summary(answer));
    text.push('\n');
    if answer.known > 0 {
        text.push_str(&format!("[note] Not told: {} of the baseline.\n", counted(answer.known, "problem")));
    }
    let fixes = answer.problems.iter().filter(|problem| problem.fix.is_some()).count();
    if fixes > 0 {
        text.push_str(&format!("[note] `--fix` mends {fixes} of them.\n"));
    }
    text.push_str(&not_examined(&answer.not_examined));
    text
}

/// A problem in a line: its place, level, message and rule.
pub(crate) fn line(problem: &Problem) -> String {
    let Problem { line, column, level, message, code, .. } = problem;
    format!("{}:{line}:{column}: {level}: {} [{code}]", in_a_line(&problem.path), in_a_line(message))
}

/// The line of source with carets below the place.
fn source(problem: &Problem) -> String {
    let shown: String = problem.source.chars().take(LONGEST).collect();
    let before = problem.column.saturating_sub(1) as usize;
    let width = shown.chars().count();
    if shown.trim().is_empty() || before >= width {
        return String::new();
    }
    let end = if problem.end_line == problem.line { problem.end_column as usize - 1 } else { width };
    let carets = "^".repeat(end.min(width).saturating_sub(before).max(1));
    // A tab is as wide below as above.
    let blank: String = shown.chars().take(before).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    format!("    {shown}\n    {blank}{carets}\n")
}

/// Problems that are new by an edit which are told.
const MOST_NEW: usize = 3;

/// Adds the problems that are new by a change: the worst of them, then how many more there are.
pub(crate) fn push_new(text: &mut String, problems: &[Problem]) {
    let mut sorted: Vec<&Problem> = problems.iter().collect();
    sorted.sort_by_key(|one| match one.level {
        "error" => 0,
        "warning" => 1,
        _ => 2,
    });
    for problem in sorted.iter().take(MOST_NEW) {
        text.push_str(&format!("\n[new] {}", line(problem)));
    }
    if sorted.len() > MOST_NEW {
        text.push_str(&format!("\n[new] {} more.", sorted.len() - MOST_NEW));
    }
}

fn summary(answer: &LintAnswer) -> String {
    let (problems, files) = (&answer.problems, counted(answer.files, "file"));
    let since = answer.since.as_ref().map_or(String::new(), |since| format!(" since {}", in_a_line(since)));
    if problems.is_empty() {
        let none = if since.is_empty() { "No problems" } else { "No new problems" };
        return format!("{none}{since} ({files}).");
    }
    let of = |level: &str| problems.iter().filter(|one| one.level == level).count();
    let counts = [("error", of("error")), ("warning", of("warning")), ("hint", of("hint"))];
    let counts = counts.iter().filter(|(_, count)| *count > 0).map(|(noun, count)| counted(*count, noun));
    format!("{}{since} ({files}).", counts.collect::<Vec<_>>().join(", "))
}

/// What was not examined, a note for each reason.
pub(crate) fn not_examined(left: &[NotExamined]) -> String {
    let mut text = String::new();
    for (why, reason) in [
        (NotExaminedWhy::Broken, "forms that do not balance; the others were examined"),
        (NotExaminedWhy::NotRead, "too large, no text, or in a notation that is not read by form"),
        (NotExaminedWhy::Data, "data alone"),
        (NotExaminedWhy::NoLisp, "no Lisp, or named by an ignore file"),
        (NotExaminedWhy::Ignored, "left out by an ignore file; --root takes such a directory for a project"),
    ] {
        let names: Vec<&str> = left.iter().filter(|one| one.why == why).map(|one| one.path.as_str()).collect();
        if !names.is_empty() {
            text.push_str(&format!("[note] Not examined: {}: {reason}.\n", first_names(&names, NAMED)));
        }
    }
    text
}
