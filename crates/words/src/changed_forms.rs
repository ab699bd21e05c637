//! What has changed since a revision.

use lispwright_tools::NextCall;
use lispwright_tools::code_changed::{Changed, FileSince, FormChange, FormSince};
use lispwright_tools::code_map::MapPlace;
use lispwright_tools::image_text::{one_line, start_of_fenced};

use crate::Skin;
use crate::call::spoken;
use crate::rendering::counted;

/// Bytes of the text at most.
const MOST: usize = 4_000;

/// A line for each form, below its file.
pub(crate) fn text(changed: &Changed, skin: Skin) -> String {
    let is_first = changed.commit.is_empty();
    let since = format!("{} ({})", one_line(&changed.since, 80), changed.commit);
    if changed.files.is_empty() {
        return match is_first {
            true => "No forms, and nothing has been committed.\n".to_owned(),
            false => format!("No form differs from {since}.\n"),
        };
    }
    let differ = match is_first {
        true => "are new: nothing has been committed".to_owned(),
        false => format!("differ from {since}"),
    };
    let (files, forms) = (counted(changed.files.len(), "file"), counted(changed.form_count, "form"));
    let mut text = format!("{forms} in {files} {differ}.{}\n", tests(changed, skin));
    for file in &changed.files {
        text.push_str(&format!("{}{}\n", one_line(&file.path, 200), state(file)));
        file.forms.iter().for_each(|form| text.push_str(&format!("  {}\n", line(form, &file.path))));
    }
    if changed.document_count > 0 {
        text.push_str("Look also at:\n");
        for place in &changed.documents {
            let path = one_line(&place.path, 200);
            text.push_str(&format!("  {path}:{}: {}\n", place.line, one_line(&place.context, 120)));
        }
        let more = changed.document_count - changed.documents.len();
        if more > 0 {
            text.push_str(&format!("  and {more} more\n"));
        }
    }
    let (mut text, cut) = start_of_fenced(&text, MOST - 100);
    if cut > 0 {
        text.push_str("[note] The rest is left out; narrow it with path.\n");
    }
    text
}

/// How many tests reach it, and the call that runs them.
fn tests(changed: &Changed, skin: Skin) -> String {
    let call = NextCall::to("run_tests");
    let call = match changed.test_files.as_slice() {
        [] => return " No test reaches them.".to_owned(),
        [one] => call.with("path", one.as_str()),
        _ => call,
    };
    let run = spoken(&call, skin).map(|call| format!(": {call}")).unwrap_or_default();
    let tests = counted(changed.test_count, "test");
    let reach = if changed.test_count == 1 { "reaches" } else { "reach" };
    format!(" {tests} in {} {reach} them{run}", counted(changed.test_files.len(), "file"))
}

fn state(file: &FileSince) -> &'static str {
    match (file.is_new, file.is_gone, file.is_balanced) {
        (true, _, true) => "  new",
        (true, _, false) => "  new, unbalanced",
        (_, true, _) => "  gone",
        (_, _, false) => "  unbalanced",
        (_, _, true) if file.forms.is_empty() => "  only outside of named forms",
        _ => "",
    }
}

/// `~ defun area :12  (x y) was (x); exported; used by 4: f :20, g b.lisp:3, ...; 2 tests: ...`, of a form in the file `here`.
fn line(form: &FormSince, here: &str) -> String {
    let change = match form.change {
        FormChange::Added => "+",
        FormChange::Changed => "~",
        FormChange::Removed => "-",
        FormChange::Moved => ">",
    };
    let place = if form.change == FormChange::Removed { String::new() } else { format!(" :{}", form.line) };
    let mut facts = Vec::new();
    facts.extend(form.from.as_ref().map(|from| format!("from {}", one_line(from, 200))));
    let short = |lists: &str| one_line(lists, 120);
    facts.extend(form.parameters.as_ref().map(|(before, after)| format!("{} was {}", short(after), short(before))));
    facts.extend(form.is_exported.then(|| "exported".to_owned()));
    if form.use_count > 0 {
        let still = if form.change == FormChange::Removed { "still used" } else { "used" };
        facts.push(named(&format!("{still} by {}", form.use_count), &form.used_by, here));
    }
    if form.test_count > 0 {
        facts.push(named(&counted(form.test_count, "test"), &form.tests, here));
    }
    let facts = if facts.is_empty() { String::new() } else { format!("  {}", facts.join("; ")) };
    format!("{change} {}{place}{facts}", one_line(&form.name, 120))
}

/// A headline, and forms without their heads; those of the file `here` without its name.
fn named(headline: &str, places: &[MapPlace], here: &str) -> String {
    let place = |place: &MapPlace| {
        let name = place.name.split_once(' ').map_or(place.name.as_str(), |(_, name)| name);
        let path = if place.path == here { String::new() } else { one_line(&place.path, 200) };
        format!("{} {path}:{}", one_line(name, 60), place.line)
    };
    let names: Vec<String> = places.iter().map(|one| place(one).trim_start().to_owned()).collect();
    if names.is_empty() { headline.to_owned() } else { format!("{headline}: {}", names.join(", ")) }
}
