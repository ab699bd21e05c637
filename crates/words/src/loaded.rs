//! Loads: their results, and the diagnostics of compilers and loaders.

use lispwright_runtime::{Ending, EvalReport, LispError};
use lispwright_tools::image_text::{each_once, ends_of, fence, one_line};
use lispwright_tools::load_system::{LoadAnswer, LoadStatus};
use lispwright_tools::repl_work::{DiagnosticFacts, WorkFailure};
use lispwright_tools::{Aside, NextCall};
use serde_json::{Map, Value};

use crate::Skin;
use crate::aside::notes;
use crate::call::spoken;
use crate::changes;
use crate::ending::code_line;
use crate::evaluated::{self, block};
use crate::stack::{error_text, frames_text};
use crate::terms::Terms;
use crate::unbound;

/// Characters of printed output in an answer that is about something else.
pub(crate) const OUTPUT: usize = 3_000;

/// Diagnostics shown.
const MOST_DIAGNOSTICS: usize = 50;

/// The result of a load.
pub(crate) fn text(answer: &LoadAnswer, skin: Skin) -> String {
    if let Some(otherwise) = &answer.otherwise {
        return evaluated::text(otherwise, skin) + &activity_text(&answer.failure);
    }
    let (code, diagnostics) = (code_line(answer.failure.code), &answer.diagnostics);
    let is_done = answer.status != LoadStatus::Failed;
    let how = if skin.is_client() { "; \"force\": true shows all" } else { "" };
    let said = format!("{code}{}\n{}", headline(answer), new_diagnostics_text(diagnostics, is_done, how, skin));
    said + &changes::text(&answer.changes)
        + &unbound::text(&answer.unbound, skin)
        + &end_text(&answer.report, diagnostics, skin, OUTPUT)
}

/// The result of a load that is a step of something else, which says where it happened.
pub(crate) fn step_text(answer: &LoadAnswer, skin: Skin) -> String {
    if answer.otherwise.is_some() || answer.status == LoadStatus::Failed {
        return text(answer, skin);
    }
    let (known, new) = known_and_new(&answer.diagnostics, true);
    let counts = [(count_text(&new), ""), (count_text(&known), " as before")];
    let counts = counts.into_iter().filter(|(counted, _)| !counted.is_empty());
    let counts: String = counts.map(|(counted, when)| format!(", {counted}{when}")).collect();
    let head = match answer.status {
        LoadStatus::Unchanged => format!("{} has not changed since it was loaded{counts}.\n", answer.system),
        _ => format!("Loaded {} in {:.0} ms{counts}{}.\n", answer.system, answer.duration_ms, exit_text(answer)),
    };
    head + &diagnostics_text(&new, skin)
        + &changes::text(&answer.changes)
        + &unbound::text(&answer.unbound, skin)
        + &end_text(&answer.report, &answer.diagnostics, skin, OUTPUT)
}

/// The last part of an answer about work in an image: the error that ended it, its output in about so many characters a
/// stream, and notes.
pub(crate) fn end_text(report: &EvalReport, diagnostics: &[DiagnosticFacts], skin: Skin, output: usize) -> String {
    let error = match &report.ending {
        Ending::Error { error, .. } if !error.frames.is_empty() => told_error_text(error, diagnostics),
        _ => String::new(),
    };
    error + &reset_text(report, skin) + &printed_text(report, output) + &notes(&Aside::from(report), skin)
}

/// Adds the headline as a field.
pub(crate) fn add_fields(answer: &LoadAnswer, skin: Skin, fields: &mut Map<String, Value>) {
    match &answer.otherwise {
        Some(otherwise) => evaluated::add_fields(otherwise, skin, fields),
        None => fields.extend([("message".to_owned(), headline(answer).into())]),
    }
}

fn headline(answer: &LoadAnswer) -> String {
    let (name, session) = (&answer.system, &answer.session);
    let is_done = answer.status != LoadStatus::Failed;
    let (_, new) = known_and_new(&answer.diagnostics, is_done);
    let counted = count_text(&new);
    let with = if counted.is_empty() { String::new() } else { format!(", {counted}") };
    match answer.status {
        LoadStatus::Unchanged => format!("{name} has not changed since it was loaded; nothing was done."),
        LoadStatus::Loaded => {
            let (exit, duration) = (exit_text(answer), answer.duration_ms);
            format!("Loaded {name} into session {session:?} in {duration:.0} ms{with}{exit}.")
        }
        LoadStatus::Failed => format!("{name} did not load{with}{}.", exit_text(answer)),
    }
}

/// Where code has asked for the end of the process.
fn exit_text(answer: &LoadAnswer) -> String {
    let code =
        answer.exit_code.map(|code| format!("; it ended itself with exit code {code}, and the rest was not evaluated"));
    code.unwrap_or_default()
}

/// The activity of an image when it was stopped.
pub(crate) fn activity_text(failure: &WorkFailure) -> String {
    failure
        .activity
        .as_deref()
        .map(|activity| format!("[note] It was {}.\n", one_line(activity, 300)))
        .unwrap_or_default()
}

/// Diagnostics that say the same at so many places are told together, and tests that fail for the same reason.
pub(crate) const ALIKE: usize = 3;

/// What diagnostics say at their places.
struct Said {
    /// Each as it is shown, and how often.
    places: Vec<(String, usize)>,
    /// The calls in whose expansion it was said.
    expansions: Vec<String>,
    what: String,
}

/// The diagnostics, a line or more each.
pub(crate) fn diagnostics_text(diagnostics: &[DiagnosticFacts], skin: Skin) -> String {
    let (mut told, mut shown, mut left_out) = (Vec::<Said>::new(), 0, 0);
    for one in diagnostics {
        let place = one.path.as_deref().map(|path| place_text(path, [one.line, one.column])).unwrap_or_default();
        let (expansion, message) = expansion_and_message(one.message.trim_end());
        let what = diagnostic_text(one, message, skin);
        let at = told.iter().position(|said| said.what == what);
        if let (Some(at), Some(expansion)) = (at, expansion) {
            told[at].expansions.push(expansion.to_owned());
        }
        // Several files can fail at one place.
        if let Some((_, times)) = at.and_then(|at| told[at].places.iter_mut().find(|(other, _)| *other == place)) {
            *times += 1;
        } else if shown == MOST_DIAGNOSTICS {
            left_out += 1;
        } else {
            shown += 1;
            match at {
                Some(at) => told[at].places.push((place, 1)),
                None => told.push(Said {
                    places: vec![(place, 1)],
                    expansions: expansion.map(str::to_owned).into_iter().collect(),
                    what,
                }),
            }
        }
    }
    let mut text: String = told.iter().map(said_text).collect();
    if left_out > 0 {
        text.push_str(&format!("[note] {left_out} more are left out.\n"));
    }
    text
}

/// The call whose expansion failed, with which some messages begin, and what the message says of it.
fn expansion_and_message(message: &str) -> (Option<&str>, &str) {
    const BEGIN: &str = "(during macroexpansion of ";
    let Some(rest) = message.strip_prefix(BEGIN) else { return (None, message) };
    let mut depth = 1;
    let end = rest.char_indices().find(|(_, one)| {
        depth += match one {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    });
    match end.map(|(at, _)| (&rest[..at], rest[at + 1..].trim_start())) {
        Some((call, said)) if !said.is_empty() => (Some(call), said),
        _ => (None, message),
    }
}

/// What a diagnostic with this message says, without its place.
fn diagnostic_text(one: &DiagnosticFacts, message: &str, skin: Skin) -> String {
    let message = fence(message);
    let next = NextCall::to("lisp_check_parens").with("path", one.path.as_deref().unwrap_or_default());
    let next = spoken(&next, skin).filter(|_| one.is_unbalanced);
    let next = next.map(|call| format!("\n{call} shows likely fixes.")).unwrap_or_default();
    let kind = match plain_kind(one) {
        true => String::new(),
        false => format!(" [{}]", one_line(&one.type_name, 60)),
    };
    format!("{}: {message}{next}{kind}", one.severity)
}

fn said_text(said: &Said) -> String {
    let Said { places, expansions, what } = said;
    let what = match expansions.as_slice() {
        [] => what.clone(),
        [call] => format!("{what} (in the expansion of {})", one_line(call, 120)),
        [call, more @ ..] => format!("{what} (in the expansion of {} and {} more)", one_line(call, 120), more.len()),
    };
    let times = |times: &usize| if *times > 1 { format!(" ({times} times)") } else { String::new() };
    if places.len() < ALIKE {
        return places.iter().map(|(place, count)| format!("{place}{what}{}\n", times(count))).collect();
    }
    let at = places.iter().map(|(place, count)| format!("{}{}", place.trim_end_matches(": "), times(count)));
    format!("{what}\n  at {}\n", at.collect::<Vec<_>>().join(", "))
}

/// The type of the condition says no more than its severity.
fn plain_kind(one: &DiagnosticFacts) -> bool {
    let name = one.type_name.rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
    name.strip_prefix("simple-").unwrap_or(&name) == one.severity
}

/// The diagnostics that the session was told before, and the others. If the work is not done, warnings may be why: then they
/// are told again.
fn known_and_new(diagnostics: &[DiagnosticFacts], is_done: bool) -> (Vec<DiagnosticFacts>, Vec<DiagnosticFacts>) {
    diagnostics.iter().cloned().partition(|one| one.is_known && (is_done || one.severity != "warning"))
}

/// The diagnostics that are new to the session, and how many it was told before; `how` says how these are shown.
pub(crate) fn new_diagnostics_text(diagnostics: &[DiagnosticFacts], is_done: bool, how: &str, skin: Skin) -> String {
    let (known, new) = known_and_new(diagnostics, is_done);
    let counted = match &count_text(&known)[..] {
        "" => String::new(),
        counted => format!("[note] {counted} as before{how}.\n"),
    };
    diagnostics_text(&new, skin) + &counted
}

/// The call that shows what was told before.
pub(crate) fn shown_by(skin: Skin) -> String {
    match skin {
        Skin::Shell => String::new(),
        _ => format!("; {} with \"force\": true shows all", Terms::of(skin).load),
    }
}

/// `path:line:column: ` as far as it is known.
pub(crate) fn place_text(path: &str, numbers: [Option<u32>; 2]) -> String {
    let numbers: String = numbers.into_iter().flatten().map(|number| format!(":{number}")).collect();
    format!("{}{numbers}: ", one_line(path, 300))
}

/// The error that ended a call; its frames alone if the diagnostics have its message.
fn told_error_text(error: &LispError, diagnostics: &[DiagnosticFacts]) -> String {
    let is_told = |one: &DiagnosticFacts| one.message == error.message && one.type_name == error.type_name;
    // A loader says of a compiler only that it has found a mistake.
    let is_echo = error.type_name.contains("COMPILE-FILE-ERROR") || error.type_name.contains("COMPILE-FAILED");
    if diagnostics.iter().any(|one| is_told(one) || is_echo && one.severity == "error") {
        frames_text(&error.frames)
    } else {
        error_text("[ERROR]", error)
    }
}

/// The call that helps if earlier definitions of the image made the load fail.
fn reset_text(report: &EvalReport, skin: Skin) -> String {
    let is_why = matches!(report.ending, Ending::Error { .. })
        && report.diagnostics.iter().any(|one| one.type_name == "earlier-definition");
    let call = NextCall::to("repl_control").with("action", "reset").with("session", report.session.as_str());
    let Some(call) = spoken(&call, skin).filter(|_| is_why) else { return String::new() };
    format!("[note] {call} gives a fresh image, which has no earlier definitions: load it there.\n")
}

/// The output, as blocks.
pub(crate) fn printed_text(report: &EvalReport, output: usize) -> String {
    let mut text = String::new();
    block(&mut text, "[stdout]", &ends_of(&report.stdout, output).text);
    block(&mut text, "[stderr]", &ends_of(&report.stderr, output).text);
    let warnings = report.warnings.iter().map(|warning| format!("[warning] {}", one_line(&warning.message, 300)));
    text + &each_once(warnings)
}

/// `1 error and 2 warnings`, or nothing.
fn count_text(diagnostics: &[DiagnosticFacts]) -> String {
    let count = |severity: &str| match diagnostics.iter().filter(|one| one.severity == severity).count() {
        0 => None,
        1 => Some(format!("1 {severity}")),
        more => Some(format!("{more} {severity}s")),
    };
    ["error", "warning", "style-warning"].into_iter().filter_map(count).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(severity: &str, line: Option<u32>) -> DiagnosticFacts {
        DiagnosticFacts {
            path: Some("src/a.scm".into()),
            line,
            column: line,
            severity: severity.into(),
            form: None,
            type_name: "t".into(),
            message: "m\nn".into(),
            is_unbalanced: false,
            is_known: false,
        }
    }

    #[test]
    fn diagnostics_have_places_and_are_counted() {
        let some = [diagnostic("warning", Some(3)), diagnostic("error", None)];
        let text = |some: &[DiagnosticFacts]| diagnostics_text(some, Skin::Client);
        assert_eq!(text(&some), "src/a.scm:3:3: warning: m\nn [t]\nsrc/a.scm: error: m\nn [t]\n");
        let plain = |type_name: &str| text(&[DiagnosticFacts { type_name: type_name.into(), ..some[0].clone() }]);
        assert_eq!(plain("SIMPLE-WARNING"), "src/a.scm:3:3: warning: m\nn\n");
        assert_eq!(
            plain("SB-INT:SIMPLE-STYLE-WARNING"),
            "src/a.scm:3:3: warning: m\nn [SB-INT:SIMPLE-STYLE-WARNING]\n"
        );
        assert_eq!(count_text(&some), "1 error and 1 warning");
        assert_eq!(count_text(&[]), "");
        let many: Vec<DiagnosticFacts> = (1..=60).map(|line| diagnostic("warning", Some(line))).collect();
        assert!(text(&many).ends_with("[note] 10 more are left out.\n"));
        let alike = text(&vec![diagnostic("warning", Some(1)); 60]);
        assert!(alike.ends_with(" (60 times)\n") && alike.matches("a.scm").count() == 1, "{alike}");
    }

    #[test]
    fn what_is_said_at_many_places_is_told_once() {
        let text = |lines: &[u32]| {
            let some: Vec<DiagnosticFacts> = lines.iter().map(|line| diagnostic("warning", Some(*line))).collect();
            diagnostics_text(&some, Skin::Client)
        };
        assert_eq!(text(&[1, 2]), "src/a.scm:1:1: warning: m\nn [t]\nsrc/a.scm:2:2: warning: m\nn [t]\n");
        let together = "warning: m\nn [t]\n  at src/a.scm:1:1, src/a.scm:2:2 (2 times), src/a.scm:3:3\n";
        assert_eq!(text(&[1, 2, 3, 2]), together);
    }

    #[test]
    fn text_that_does_not_balance_is_followed_by_the_call_that_mends_it() {
        let one = [DiagnosticFacts { is_unbalanced: true, ..diagnostic("error", Some(3)) }];
        let client = r#"lisp_check_parens {"path": "src/a.scm"} shows likely fixes. [t]"#;
        assert!(diagnostics_text(&one, Skin::Client).contains(client));
        assert!(diagnostics_text(&one, Skin::Shell).contains("lispwright check src/a.scm shows likely fixes. [t]"));
    }
}
