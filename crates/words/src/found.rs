//! What a search has found: the counts, then the matches below their files and forms.

use lispwright_syntax::{fenced, in_a_line};
use lispwright_tools::lisp_search::{SearchAnswer, SearchMatch};

use crate::Skin;
use crate::call::spoken;
use crate::rendering::{counted, first_names};

/// Names of files that are told of.
const MOST_NAMED: usize = 5;

/// The counts, the matches by file and form, and the call that goes on.
pub(crate) fn text(found: &SearchAnswer, skin: Skin) -> String {
    let mut text = match found.count {
        0 => format!("No match in {}", counted(found.files, "file")),
        count => format!("{} in {} of {}", matches(count), found.files_with, counted(found.files, "file")),
    };
    let left_out: Vec<String> = found.left_out.iter().map(|(path, code)| format!("{path} ({code})")).collect();
    for (what, names) in [("not read", &left_out), ("ignored", &found.ignored)] {
        if !names.is_empty() {
            text.push_str(&format!("; {what}: {}", first_names(names, MOST_NAMED)));
        }
    }
    if found.other_texts > 0 {
        let texts = counted(found.other_texts, "file");
        let are = if found.other_texts == 1 { "is" } else { "are" };
        text.push_str(&format!("; {texts} that {are} no Lisp not searched (path: FILE searches one)"));
    }
    if found.are_texts && found.files > 0 {
        text.push_str("; there is no Lisp");
    }
    if let Some(advice) = &found.advice {
        text.push_str(&format!("\nIn the shape, {}", in_a_line(advice)));
    }
    if found.steps > 0 {
        text.push_str(&format!("; {} of threading forms have one argument more", counted(found.steps, "step")));
    }
    text.push('\n');
    let mut last: Option<&SearchMatch> = None;
    for one in &found.matches {
        if last.is_none_or(|last| (&last.path, &last.package) != (&one.path, &one.package)) {
            text.push_str(&in_a_line(&one.path));
            if !one.package.is_empty() {
                text.push_str(&format!(" ({})", in_a_line(&one.package)));
            }
            text.push('\n');
            last = None;
        }
        if !one.in_text && last.is_none_or(|last| (&last.label, last.start_line) != (&one.label, one.start_line)) {
            text.push_str(&format!("  {}\n", of_form(one)));
        }
        text.push_str(&format!("    {}:{}| {}\n", one.line, one.column, one.text));
        if let Some(form) = &one.form {
            text.push_str(&fenced(form));
            text.push('\n');
        }
        last = Some(one);
    }
    if let Some(next) = &found.next {
        let end = found.offset + found.matches.len();
        text.push_str(&format!("[{} of {} are left.", found.count - end, matches(found.count)));
        if let Some(call) = spoken(next, skin) {
            text.push_str(&format!(" {call} goes on; a path or a narrower pattern gives fewer."));
        }
        text.push_str("]\n");
    }
    text.truncate(text.trim_end().len());
    text
}

fn matches(count: usize) -> String {
    if count == 1 { "1 match".to_owned() } else { format!("{count} matches") }
}

/// The form around a match: its label and its lines.
fn of_form(one: &SearchMatch) -> String {
    match (one.start_line, one.end_line) {
        (Some(start), Some(end)) => {
            let label = if one.label.is_empty() { "(...)" } else { &one.label };
            let lines = if start == end { format!("line {start}") } else { format!("lines {start}-{end}") };
            format!("{}, {lines}", in_a_line(label))
        }
        _ => "between forms".to_owned(),
    }
}
