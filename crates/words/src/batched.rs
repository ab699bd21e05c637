//! Several edits in one call, and the verification of edits.

use std::sync::Arc;

use lispwright_syntax::in_a_line;
use lispwright_tools::lisp_edit_batch::BatchAnswer;
use lispwright_tools::load_system::{LoadAnswer, LoadStatus};
use lispwright_tools::run_tests::{TestAnswer, Verdict};
use lispwright_tools::verify::{Verification, Verify};

use crate::changed::{push_diffs, push_linked};
use crate::notice::notice_line;
use crate::rendering::{counted, first_names};
use crate::{Skin, edited, linted, loaded, tested};

/// Names that are listed.
const MOST_NAMED: usize = 12;

/// Failed tests of a verification that are shown, in all its runs.
const MOST_FAILURES: usize = 12;

/// The answer: what the edits did, the verification, the diffs.
pub(crate) fn text(done: &BatchAnswer, skin: Skin) -> String {
    let changed = done.edits.iter().filter(|edit| edit.would_change).count();
    let what = format!("{} in {}", counted(changed, "edit"), counted(done.files.len(), "file"));
    let mut text = match done.dry_run {
        true => format!("Dry run, nothing was written: {what}."),
        false => format!("Made {what}, together."),
    };
    for edit in &done.edits {
        let line = edited::line(edit, skin);
        text.push_str(&format!("\n{line}"));
    }
    linted::push_new(&mut text, &done.new_problems);
    push_verified(&mut text, done.verification.as_deref(), skin);
    if done.dry_run || done.shows_diff {
        push_diffs(&mut text, &done.files, done.dry_run);
    } else {
        let new: Vec<&str> = done.files.iter().filter(|file| file.created).map(|file| file.path.as_str()).collect();
        if !new.is_empty() {
            text.push_str(&format!("\nNew: {}.", first_names(&new, MOST_NAMED)));
        }
        push_linked(&mut text, &done.files);
    }
    text
}

/// Adds the verification, if there was one.
pub(crate) fn push_verified(text: &mut String, verification: Option<&Verification>, skin: Skin) {
    if let Some(verification) = verification {
        text.push_str(&format!("\n{}", verified(verification, skin)));
    }
}

/// The verification, in some lines.
fn verified(verification: &Verification, skin: Skin) -> String {
    let said = steps(verification, skin);
    let (verdict, place) = (verdict(verification), place(verification));
    // A load of which there is nothing to say is in the line of the verdict.
    if let ([only], true) = (said.as_slice(), verification.passed)
        && let Some(loaded) = only.trim_end().strip_prefix("Loaded ").filter(|loaded| !loaded.contains('\n'))
        && verification.failed_before.is_empty()
        && verification.notices.is_empty()
        && verification.tests_left_out == 0
    {
        return format!("{verdict} ({place}): {loaded}");
    }
    let mut text = format!("{verdict} ({place}).");
    let failed_before = match verification.failed_before.as_slice() {
        [] => String::new(),
        names => format!("Failed before, too: {}.", first_names(names, MOST_NAMED)),
    };
    if verification.passed && !failed_before.is_empty() {
        text.push_str(&format!(" {failed_before}"));
    }
    if verification.tests_left_out > 0 {
        let files = counted(verification.tests_left_out, "further file");
        text.push_str(&format!(" {files} with tests did not run: they use no changed file."));
    }
    for (session, notice) in &verification.notices {
        text.push_str(&format!("\n[note] {}", notice_line(notice, session)));
    }
    for said in said {
        text.push('\n');
        text.push_str(said.trim_end());
    }
    // What speaks against the change comes first.
    if !verification.passed && !failed_before.is_empty() {
        text.push_str(&format!("\n{failed_before}"));
    }
    text
}

/// What the steps say. Runs of tests of which there is nothing but the counts are one line together, and so are those that
/// did not load for the same reason as one before them.
fn steps(verification: &Verification, skin: Skin) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    let mut counted_only: Vec<(&TestAnswer, String)> = Vec::new();
    let mut room = tested::Room { most: MOST_FAILURES, except: Some(&verification.failed_before), told: Vec::new() };
    let mut failed_only: Vec<String> = Vec::new();
    let mut not_loaded: Vec<(&TestAnswer, usize, Vec<String>)> = Vec::new();
    let mut unchanged = 0;
    for step in &verification.steps {
        let is_old = |load: &&Arc<LoadAnswer>| verification.passed && load.status == LoadStatus::Failed;
        said.extend(step.load.iter().map(|load| match Some(load).filter(is_old) {
            Some(load) => format!("{} does not load, as before.", in_a_line(&load.system)),
            None => loaded::step_text(load, skin),
        }));
        if let Some(tests) = &step.tests {
            if verification.passed && tests.verdict == Some(Verdict::NotLoaded) {
                unchanged += 1;
                continue;
            }
            if tests.verdict == Some(Verdict::NotLoaded) && !tests.diagnostics.is_empty() {
                let alike = not_loaded.iter_mut().find(|(first, ..)| first.diagnostics == tests.diagnostics);
                if let Some((_, _, names)) = alike {
                    names.push(tests.asked.name.clone());
                    continue;
                }
                not_loaded.push((tests, said.len(), Vec::new()));
            }
            let text = match tests.is_error() && !verification.passed {
                true => tested::text_of_some(tests, skin, &mut room),
                false => tested::text_for_change(tests, &verification.files, skin, &mut room),
            };
            if text.trim_end().contains('\n') {
                said.push(text);
            } else if tests.failed_tests.iter().any(|test| !verification.failed_before.contains(&test.test_name)) {
                failed_only.push(format!("{} ({} of {})", in_a_line(&tests.asked.name), tests.failed, tests.total));
            } else {
                counted_only.push((tests, text));
            }
        }
    }
    for (_, at, names) in not_loaded.iter().filter(|(.., names)| !names.is_empty()) {
        let names = first_names(names, MOST_NAMED);
        said[*at] =
            format!("{}\n[note] For the same reason, these did not load either: {names}.", said[*at].trim_end());
    }
    if !failed_only.is_empty() {
        said.push(format!("Failed, too: {}.", first_names(&failed_only, MOST_NAMED)));
    }
    if unchanged > 0 {
        let (files, verb) = (counted(unchanged, "file"), if unchanged == 1 { "does" } else { "do" });
        said.push(format!("{files} of tests {verb} not load, as before."));
    }
    match counted_only.as_slice() {
        [] => {}
        [(_, text)] => said.push(text.clone()),
        several => {
            let names: Vec<String> = several.iter().map(|(tests, _)| tests.asked.name.clone()).collect();
            let sum = |of: fn(&TestAnswer) -> u32| several.iter().map(|(tests, _)| of(tests)).sum::<u32>();
            let [passed, failed, pending] =
                [sum(|tests| tests.passed), sum(|tests| tests.failed), sum(|tests| tests.pending)];
            let names = first_names(&names, MOST_NAMED);
            let runs = several.len();
            said.push(format!("{passed} passed, {failed} failed, {pending} pending in {runs} runs: {names}."));
        }
    }
    said
}

fn verdict(verification: &Verification) -> String {
    let not_seen = first_names(&verification.not_seen, MOST_NAMED);
    match (verification.verify, verification.passed) {
        (Verify::None, true) => "Loaded".to_owned(),
        (Verify::None, false) => "Written, but it did not load".to_owned(),
        (Verify::Compile | Verify::Tests, true) if !verification.not_seen.is_empty() => {
            format!("Not verified: nothing that was loaded has {not_seen} in it")
        }
        (Verify::Compile, true) if verification.steps.is_empty() => {
            "Not verified: it has no code to compile".to_owned()
        }
        (Verify::Compile, true) if !verification.failed_before.is_empty() => {
            "Nothing fails that did not fail before".to_owned()
        }
        (Verify::Compile, true) => "Verified: it compiles".to_owned(),
        (Verify::Compile, false) => "It does not compile".to_owned(),
        (Verify::Tests, true) if !verification.failed_before.is_empty() => {
            "Verified: no test fails that did not fail before".to_owned()
        }
        (Verify::Tests, true) => "Verified: the tests pass".to_owned(),
        (Verify::Tests, false) => "It does not pass its tests".to_owned(),
    }
}

/// Where it happened, and what has become of the session.
fn place(verification: &Verification) -> &'static str {
    match (verification.in_fresh, verification.in_copy, verification.loaded) {
        (true, ..) => "in a fresh image, in which the session goes on",
        (false, _, true) => "the session has the new code",
        (false, true, false) => "in a copy of the session's image, which is as before",
        (false, false, false) => "in the session, which has the old code again",
    }
}

/// The refusal of a change that did not pass.
pub(crate) fn not_verified(verification: &Verification, left: &[String], skin: Skin) -> String {
    let files = match left {
        [] => "The files are as they were.".to_owned(),
        left => format!(
            "The files are as they were, except these, which somebody has changed meanwhile or which could not be written: {}.",
            left.iter().map(|path| in_a_line(path)).collect::<Vec<_>>().join(", ")
        ),
    };
    format!("{files} {}", verified(verification, skin))
}
