//! A file at a glance, or its lines.

use lispwright_syntax::in_a_line;
use lispwright_tools::NextCall;
use lispwright_tools::facts::DiagnosisFacts;
use lispwright_tools::lisp_read_file::FileAnswer;

use crate::Skin;
use crate::call::spoken;
use crate::diagnosis::{MOST_SHOWN, head, next_form, sentence};
use crate::fix;
use crate::rendering::counted;

/// The size of the file (for a client only), its mistakes, and the part that is shown.
pub(crate) fn text(file: &FileAnswer, skin: Skin) -> String {
    let mut text = match skin {
        Skin::Client | Skin::Surface(_) => summary(file),
        Skin::Shell => String::new(),
    };
    for found in &file.diagnostics {
        text.push_str(&diagnosed(&file.path, found));
    }
    text.push_str(&file.content);
    if file.content.is_empty() && file.total_lines > 0 {
        text.push_str("[nothing to show: no line or form fits the pattern, offset and limit]\n");
    }
    if file.is_of_heads {
        text.push_str("[heads only, so that the file is one page; a form is read by its name or line]\n");
    }
    text.push_str(&left_out(file, skin));
    if let (Some(offset), Some(next)) = (file.next_offset, &file.next) {
        let FileAnswer { total_lines: all, .. } = file;
        text.push_str(&format!("[{} of {all} lines are left, from line {} on.", all - offset, offset + 1));
        if let Some(call) = spoken(next, skin) {
            text.push_str(&format!(" Call {call} to go on."));
        }
        text.push(']');
    }
    text.truncate(text.trim_end().len());
    text
}

/// The calls that show the lines and forms that are too long for a view.
fn left_out(file: &FileAnswer, skin: Skin) -> String {
    let mut text = String::new();
    let said = |calls: &[NextCall]| calls.iter().filter_map(|call| spoken(call, skin)).collect::<Vec<_>>();
    let lines: Vec<String> = file.cut_lines.iter().map(u32::to_string).collect();
    if let calls @ [_, ..] = said(&file.beyond_the_cut).as_slice() {
        let noun = if lines.len() == 1 { "Line" } else { "Lines" };
        let verb = if lines.len() == 1 { "is" } else { "are" };
        text.push_str(&format!("[{noun} {} {verb} cut. To see more: {}.]\n", lines.join(", "), calls.join(", or ")));
    }
    if let calls @ [_, ..] = said(&file.long_forms).as_slice() {
        text.push_str(&format!("[To see the form that is too long: {}.]\n", calls.join(", or ")));
    }
    text
}

fn summary(file: &FileAnswer) -> String {
    let mut text = format!("{}: {}", in_a_line(&file.path), counted(file.total_lines as usize, "line"));
    if let Some(dialect) = file.dialect {
        text.push_str(&format!(", {}, {dialect}", counted(file.total_forms, "form")));
    }
    if let Some(fitting) = file.matching_forms {
        text.push_str(&match (fitting, file.expanded_forms) {
            (0, _) => "; no form fits the pattern".to_owned(),
            (1, 1) => "; 1 fits the pattern and is shown whole".to_owned(),
            (1, whole) => format!("; 1 fits the pattern, {whole} of them shown whole"),
            (fit, whole) if fit == whole => format!("; {fit} fit the pattern and are shown whole"),
            (fit, whole) => format!("; {fit} fit the pattern, {whole} of them shown whole"),
        });
    }
    text.push('\n');
    text
}

/// A mistake of the file, in a few lines.
fn diagnosed(path: &str, found: &DiagnosisFacts) -> String {
    let found = &found.whole;
    let mut text = format!("{}: {}{}\n", head(path, found), sentence(found), next_form(found));
    let sure = if found.is_certain() { "Certain" } else { "Candidate" };
    for likely in found.fixes.iter().take(MOST_SHOWN) {
        text.push_str(&format!("{sure} fix: {}\n", fix::sentence(likely)));
    }
    text
}
