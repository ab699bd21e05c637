//! What was executed of a project.

use lispwright_tools::coverage_code::{CoverageAnswer, CoveredTests, FileCoverage, FormCoverage};
use lispwright_tools::image_text::{ends_of, one_line};
use serde_json::{Map, Value};

use crate::Skin;
use crate::evaluated;
use crate::terms::Terms;

/// Failed tests that are named.
const MOST_FAILED: usize = 10;

/// Characters of printed text that are shown.
const OUTPUT: usize = 600;

/// Characters of the notes below the forms.
const NOTES: usize = 400;

/// The totals, the results of the run, and each form that was not wholly executed.
pub(crate) fn text(answer: &CoverageAnswer, skin: Skin) -> String {
    if let Some(otherwise) = &answer.otherwise {
        return format!(
            "{}[note] Nothing was measured; if a file does not load, {} says why. The copy of the image in which it ran is gone; the \
             session is as it was.\n",
            evaluated::text(otherwise, skin),
            Terms::of(skin).load
        );
    }
    let mut text = headline(answer) + "\n";
    if let Some(tests) = &answer.tests {
        text.push_str(&tests_text(tests));
    }
    if !answer.values.is_empty() {
        text.push_str(&format!("=> {}\n", one_line(&answer.values.join(", "), 200)));
    }
    let room = answer.limit.saturating_sub(NOTES + 2 * OUTPUT);
    let mut left_out = 0;
    for line in answer.files.iter().flat_map(file_lines) {
        if text.len() + line.len() > room {
            left_out += 1;
        } else {
            text.push_str(&line);
        }
    }
    if left_out > 0 {
        text.push_str(&format!(
            "[note] {left_out} more lines do not fit; \"max_output_length\": {} shows more, \"path\" one file.\n",
            lispwright_tools::eval_answer::MOST_OUTPUT
        ));
    }
    for (label, printed) in [("[stdout]", &answer.run.report.stdout), ("[stderr]", &answer.run.report.stderr)] {
        let shown = ends_of(printed, OUTPUT).text;
        if !shown.trim().is_empty() {
            text.push_str(&format!("{label}\n{}\n", shown.trim_end()));
        }
    }
    text + "[note] Measured in a copy of the image, which is gone; the session is as it was.\n"
}

/// Adds the headline as a field.
pub(crate) fn add_fields(answer: &CoverageAnswer, skin: Skin, fields: &mut Map<String, Value>) {
    match &answer.otherwise {
        Some(otherwise) => evaluated::add_fields(otherwise, skin, fields),
        None => fields.extend([("message".to_owned(), headline(answer).into())]),
    }
}

fn headline(answer: &CoverageAnswer) -> String {
    let CoverageAnswer { lines, lines_covered, expressions, expressions_covered, files, .. } = answer;
    let of = match files.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    if *lines == 0 {
        return format!("No code was measured in {of}.");
    }
    format!(
        "{lines_covered} of {lines} lines executed ({} %), {expressions_covered} of {expressions} expressions, in {of}.",
        percent(*lines_covered, *lines)
    )
}

fn percent(part: u64, whole: u64) -> u64 {
    (part * 100).checked_div(whole).unwrap_or(100)
}

fn tests_text(tests: &CoveredTests) -> String {
    if tests.total() == 0 {
        return "No test ran.\n".to_owned();
    }
    let unknown = match tests.unknown {
        0 => String::new(),
        count => format!(", {count} unknown"),
    };
    let mut text = format!(
        "Tests: {} passed, {} failed, {} pending{unknown} ({})",
        tests.passed,
        tests.failed,
        tests.pending,
        one_line(&tests.framework, 60)
    );
    let failed: Vec<String> = tests.failed_tests.iter().take(MOST_FAILED).map(|name| one_line(name, 80)).collect();
    if !failed.is_empty() {
        text.push_str(&format!("; failed: {}", failed.join(", ")));
    }
    text + ".\n"
}

fn file_lines(file: &FileCoverage) -> Vec<String> {
    let mut lines = vec![if file.lines == 0 {
        format!("{}: no code\n", file.path)
    } else {
        format!(
            "{}: {} of {} lines ({} %)\n",
            file.path,
            file.lines_covered,
            file.lines,
            percent(file.lines_covered, file.lines)
        )
    }];
    lines.extend(file.forms.iter().map(form_line));
    lines
}

fn form_line(form: &FormCoverage) -> String {
    let FormCoverage { form: label, line, end_line, is_unused, not_covered, partly } = form;
    let label = one_line(label, 120);
    let at = range(&(*line, *end_line));
    if *is_unused {
        return format!("  not executed: {label} ({at})\n");
    }
    let ranges = |ranges: &[(u32, u32)]| ranges.iter().map(range).collect::<Vec<_>>().join(", ");
    let mut parts = Vec::new();
    if !not_covered.is_empty() {
        parts.push(format!("not {}", ranges(not_covered)));
    }
    if !partly.is_empty() {
        parts.push(format!("in part {}", ranges(partly)));
    }
    format!("  {label} ({at}): {}\n", parts.join("; "))
}

/// `7` or `7-9`.
fn range((start, end): &(u32, u32)) -> String {
    if start == end { start.to_string() } else { format!("{start}-{end}") }
}
