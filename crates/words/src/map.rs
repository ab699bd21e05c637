//! A project in its main parts.

use lispwright_tools::NextCall;
use lispwright_tools::code_map::{DialectShare, MapAnswer, MapPart, MapPlace};
use lispwright_tools::image_text::{one_line, start_of_fenced};

use crate::call::spoken;
use crate::names::not_looked_into;
use crate::rendering::counted;
use crate::{Skin, changed_forms};

/// Bytes of the text at most.
const MOST: usize = 4_000;

/// Systems named that a system depends on.
const MOST_NAMED: usize = 6;

/// The parts, each below its headline.
pub(crate) fn text(map: &MapAnswer, skin: Skin) -> String {
    if let Some(changed) = &map.changed {
        return changed_forms::text(changed, skin);
    }
    if map.dialects.is_empty() {
        return format!("There is no Lisp file.\n{}", not_looked_into(&map.left_out, &map.ignored));
    }
    let shares: Vec<String> = map.dialects.iter().map(share).collect();
    let mut text = format!("{}\n", shares.join("; "));
    part(&mut text, "Systems", &map.systems, |place| {
        let rest = place.depends_on.len().saturating_sub(MOST_NAMED);
        let named = place.depends_on.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        if named.is_empty() { String::new() } else { format!("  needs {named}{more}") }
    });
    part(&mut text, "Packages", &map.packages, |place| number(place, "export"));
    part(&mut text, "Entry points", &map.entry_points, |_| String::new());
    let run = tests_of(map).and_then(|call| spoken(&call, skin)).map(|call| format!("; run them: {call}"));
    let tests = format!("Tests ({}){}", map.test_count, run.unwrap_or_default());
    part(&mut text, &tests, &map.tests, |place| number(place, "test"));
    problems(&mut text, map, skin);
    part(&mut text, "Most used", &map.most_used, |place| number(place, "use"));
    part(&mut text, "Largest", &map.largest, |place| number(place, "line"));
    let check =
        map.unbalanced.first.first().map(|file| NextCall::to("lisp_check_parens").with("path", file.path.as_str()));
    let check = check.and_then(|call| spoken(&call, skin)).map(|call| format!("; see {call}")).unwrap_or_default();
    part(&mut text, &format!("Unbalanced{check}"), &map.unbalanced, |_| String::new());
    if let [first, rest @ ..] = map.left_out.as_slice() {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        text.push_str(&format!(
            "[note] Left out as too large, no text, or in a notation that is not read by form: {}{more}\n",
            one_line(first, 200)
        ));
    }
    let (mut text, cut) = start_of_fenced(&text, MOST - 100);
    if cut > 0 {
        text.push_str("[note] The rest is left out; narrow it with path or limit.\n");
    }
    text
}

/// `common-lisp: 3 files, 120 lines, 14 definitions`.
fn share(share: &DialectShare) -> String {
    let name = &share.name;
    let files = counted(share.files, "file");
    format!("{name}: {files}, {}, {}", counted(share.lines, "line"), counted(share.definitions, "definition"))
}

fn number(place: &MapPlace, noun: &str) -> String {
    place.count.map(|count| format!("  {}", counted(count, noun))).unwrap_or_default()
}

/// The files with problems, or that nobody has looked for any.
fn problems(text: &mut String, map: &MapAnswer, skin: Skin) {
    let Some(found) = &map.problems else {
        text.push_str("Problems: not counted in so much source; narrow it with path.\n");
        return;
    };
    let see = found.files.first.first().map(|file| NextCall::to("lisp_check_parens").with("path", file.path.as_str()));
    // A shell has a command for them, the clients' call tells those of a file.
    let see =
        if skin == Skin::Shell { Some("lispwright lint".to_owned()) } else { see.and_then(|call| spoken(&call, skin)) };
    let see = see.map(|call| format!("; see {call}")).unwrap_or_default();
    let headline =
        format!("Problems ({}, {}){see}", counted(found.errors, "error"), counted(found.warnings, "warning"));
    part(text, &headline, &found.files, |place| number(place, "problem"));
}

/// A headline, and a line for each entry; nothing without entries.
fn part(text: &mut String, headline: &str, part: &MapPart<MapPlace>, facts: impl Fn(&MapPlace) -> String) {
    if part.count == 0 {
        return;
    }
    text.push_str(&format!("{headline}:\n"));
    for place in &part.first {
        let name = if place.name.is_empty() { String::new() } else { format!("{}  ", one_line(&place.name, 120)) };
        let purpose =
            place.purpose.as_deref().map(|purpose| format!("  {}", one_line(purpose, 160))).unwrap_or_default();
        let path = one_line(&place.path, 200);
        text.push_str(&format!("  {name}{path}:{}{}{purpose}\n", place.line, facts(place)));
    }
    let more = part.count - part.first.len();
    if more > 0 {
        text.push_str(&format!("  and {more} more\n"));
    }
}

/// The call that runs the tests: those of a system for them, else of the only file that has any, else all.
fn tests_of(map: &MapAnswer) -> Option<NextCall> {
    let system = map.systems.first.iter().find(|system| system.name.contains("test"));
    let call = NextCall::to("run_tests");
    match (system, map.tests.first.first()) {
        (Some(system), _) => Some(call.with("system", system.name.as_str())),
        (None, Some(file)) if map.tests.count == 1 => Some(call.with("path", file.path.as_str())),
        (None, Some(_)) => Some(call),
        (None, None) => None,
    }
}
