//! Results of tests.

use lispwright_runtime::Tally;
use lispwright_tools::image_text::{fence, one_line};
use lispwright_tools::repl_work::DiagnosticFacts;
use lispwright_tools::run_tests::{Asked, FailedTestFacts, TestAnswer, TestFrame, TestSource, Verdict};
use lispwright_tools::test_script::SCRIPT;
use lispwright_tools::test_several::{NotRun, TestSelection};
use lispwright_tools::{Aside, NextCall};
use serde_json::{Map, Value};

use crate::Skin;
use crate::aside::notes;
use crate::call::spoken;
use crate::changes;
use crate::ending::code_line;
use crate::evaluated;
use crate::loaded::{ALIKE, OUTPUT, activity_text, end_text, new_diagnostics_text, place_text, printed_text, shown_by};
use crate::refusal;
use crate::terms::Terms;
use crate::unbound;

/// Failed tests, and names, that are shown.
const MOST_SHOWN: usize = 30;

/// Characters of a stream that are shown when all tests passed: what most frameworks print is a line a test.
const OUTPUT_OF_PASSED: usize = 600;

/// The counts, each failure, and notes.
pub(crate) fn text(answer: &TestAnswer, skin: Skin) -> String {
    text_of_some(answer, skin, &mut { Room::OF_ONE_RUN })
}

/// How many failures are shown.
pub(crate) struct Room<'r> {
    /// At most so many; those that are shown are taken from it.
    pub(crate) most: usize,
    /// Of several runs, which cannot be repeated: none of the tests with these names, which are told elsewhere.
    pub(crate) except: Option<&'r [String]>,
    /// Of several runs: a failure of each sort that has been shown.
    pub(crate) told: Vec<FailedTestFacts>,
}

impl Room<'_> {
    const OF_ONE_RUN: Self = Room { most: MOST_SHOWN, except: None, told: Vec::new() };
}

/// The same with as many failures as there is room for.
pub(crate) fn text_of_some(answer: &TestAnswer, skin: Skin, room: &mut Room<'_>) -> String {
    let Some(verdict) = answer.verdict else { return otherwise(answer, skin) };
    let (tally, code) = (&answer.tally, code_line(answer.failure.code));
    let mut text = format!("{code}{}\n", headline(answer, verdict, skin));
    text.push_str(&selection_notes(answer, skin));
    if tally.total() > 0 && !tally.unmatched.is_empty() {
        text.push_str(&format!("[note] {}\n", none_called(&tally.unmatched, tally)));
    }
    if tally.total() > 0 && answer.asked.framework.is_none() {
        for other in &tally.others {
            let call = spoken(&call_with(&answer.asked, other), skin);
            let call = call.map(|call| format!(": {call} does")).unwrap_or_default();
            text.push_str(&format!("[note] Its tests of {other} did not run{call}.\n"));
        }
    }
    text.push_str(&test_op_notes(tally, skin));
    for twins in &answer.twins {
        let places: Vec<String> = twins.places.iter().map(source_text).collect();
        let (name, places) = (name_text(&twins.name, 80), places.join(" and "));
        text.push_str(&format!("[note] {places} define {name}; only the last one ran. Rename the others.\n"));
    }
    for note in &tally.notes {
        text.push_str(&format!("[note] {}\n", one_line(note, 300)));
    }
    let (failures, shown) = failures_text(answer, room);
    text.push_str(&failures);
    if tally.failed as usize > shown && (room.except.is_none() || !failures.is_empty()) {
        let how = match skin {
            _ if room.except.is_some() => String::new(),
            Skin::Shell => "; --only NAME shows one".to_owned(),
            _ => format!("; {} with \"tests\": [NAME, ...] shows some", Terms::of(skin).tests),
        };
        text.push_str(&format!("[note] {} more failed{how}.\n", tally.failed as usize - shown));
    }
    if tally.failed > 0 && tally.muted > 0 {
        text.push_str(&format!("[note] The report of {} is left out ({} lines).\n", tally.framework, tally.muted));
    }
    let output = if all_passed(answer, verdict) { OUTPUT_OF_PASSED } else { OUTPUT };
    text + &changes::text(&answer.changes)
        + &unbound::text(&answer.unbound, skin)
        + &loading_text(answer, verdict, skin)
        + &end_text(&answer.report, &answer.diagnostics, skin, output)
}

/// The counts of one of several runs for a change of the `files`, the failures that are new to them, and what it says
/// of the files.
pub(crate) fn text_for_change(answer: &TestAnswer, files: &[String], skin: Skin, room: &mut Room<'_>) -> String {
    let Some(verdict) = answer.verdict else { return otherwise(answer, skin) };
    let is_told = |one: &&DiagnosticFacts| !one.is_known && one.path.as_ref().is_some_and(|path| files.contains(path));
    let told: Vec<DiagnosticFacts> = answer.diagnostics.iter().filter(is_told).cloned().collect();
    let failures = failures_text(answer, room).0;
    // Where only the reason of a failure is known, what was printed may say more.
    let is_new = |test: &&FailedTestFacts| room.except.is_none_or(|except| !except.contains(&test.test_name));
    let is_bare = |test: &FailedTestFacts| test.form.is_none() && test.values.is_empty() && test.frames.is_empty();
    let printed = match !failures.is_empty() && answer.failed_tests.iter().filter(is_new).any(is_bare) {
        true => printed_text(&answer.report, OUTPUT),
        false => String::new(),
    };
    let unbound = if failures.is_empty() { String::new() } else { unbound::text(&answer.unbound, skin) };
    let counts = headline(answer, verdict, skin) + "\n";
    counts
        + &failures
        + &changes::text(&answer.changes)
        + &unbound
        + &new_diagnostics_text(&told, true, "", skin)
        + &printed
        + &notes(&Aside::from(&answer.report), skin)
}

/// Adds the headline as a field.
pub(crate) fn add_fields(answer: &TestAnswer, skin: Skin, fields: &mut Map<String, Value>) {
    match (&answer.otherwise, answer.verdict) {
        (Some(otherwise), _) => evaluated::add_fields(otherwise, skin, fields),
        (None, Some(verdict)) => fields.extend([("message".to_owned(), headline(answer, verdict, skin).into())]),
        (None, None) => {}
    }
}

/// The answer for tests that were stopped or whose image died, with the results before that.
fn otherwise(answer: &TestAnswer, skin: Skin) -> String {
    let mut text = answer.otherwise.as_ref().map(|ended| evaluated::text(ended, skin)).unwrap_or_default();
    text.push_str(&activity_text(&answer.failure));
    if answer.total > 0 {
        let TestAnswer { passed, failed, pending, .. } = answer;
        text.push_str(&format!("[note] Before that {passed} passed, {failed} failed, {pending} pending.\n"));
        text.push_str(&failures_text(answer, &mut { Room::OF_ONE_RUN }).0);
    }
    text
}

fn headline(answer: &TestAnswer, verdict: Verdict, skin: Skin) -> String {
    let TestAnswer { passed, failed, pending, total, framework, duration_ms, asked, tally, .. } = answer;
    let name = &asked.name;
    let unknown = match answer.unknown {
        0 => String::new(),
        count => format!(", {count} unknown"),
    };
    // Where nothing loads, none is seen.
    let by = if matches!(framework.as_str(), "" | "none") { String::new() } else { format!("{framework}, ") };
    let counts = format!(
        "{passed} passed, {failed} failed, {pending} pending{unknown} of {total}{} ({by}{duration_ms:.0} ms)",
        selected(answer)
    );
    match verdict {
        Verdict::LeftEarly => left_early(tally, &counts),
        Verdict::NotLoaded => format!("The tests of {name} did not load."),
        Verdict::Broken => format!("The tests of {name} ended in an error after {counts}."),
        Verdict::Needless if answer.selection == Some(TestSelection::Failed) => {
            format!("No test of {name} failed in its last run, so none was run.")
        }
        Verdict::Needless => format!("No test of {name} reaches what has changed since all passed, so none was run."),
        Verdict::None if answer.selection.is_some() && answer.goals.is_empty() => {
            let kind = asked.framework.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
            let session = &answer.session;
            let whose = if session.is_empty() { String::new() } else { format!(" that session {session:?} can run") };
            format!(
                "No tests{kind}{whose} were found in {name}: no system with a test-op, no file that defines tests or is \
                 called a test."
            )
        }
        Verdict::None => no_tests(asked, tally, skin),
        Verdict::BadExit(status) => {
            format!("Though none of its tests failed, {name} ended with exit code {status}: {counts}.")
        }
        Verdict::Unknown => format!("It is unknown how tests went: {counts}."),
        Verdict::Counted => format!("{counts}."),
    }
}

/// What was selected, after its number.
fn selected(answer: &TestAnswer) -> String {
    let Some(selection) = answer.selection else { return String::new() };
    let ran = answer.goals.iter().filter(|goal| goal.not_run.is_none());
    let (files, systems): (Vec<_>, Vec<_>) = ran.partition(|goal| goal.is_file);
    let of = |count: usize, kind: &str| match count {
        0 => None,
        1 => Some(format!("1 {kind}")),
        count => Some(format!("{count} {kind}s")),
    };
    let counts: Vec<String> = [of(systems.len(), "system"), of(files.len(), "file")].into_iter().flatten().collect();
    let which = match selection {
        TestSelection::Failed => " that had failed",
        TestSelection::Affected if !answer.is_first => " that reach what has changed",
        TestSelection::All | TestSelection::Affected => "",
    };
    if counts.is_empty() { which.to_owned() } else { format!("{which} in {}", counts.join(" and ")) }
}

/// Notes on the choice, and on what was chosen and did not run.
fn selection_notes(answer: &TestAnswer, skin: Skin) -> String {
    let mut text = String::new();
    if answer.is_first {
        text.push_str("[note] No green run of the whole project is known yet, so all were run.\n");
    }
    let all_ran = answer.asked.tests.is_empty();
    let of = |is_one: fn(&NotRun) -> bool| -> Vec<String> {
        let goals = answer.goals.iter().filter(|goal| goal.not_run.as_ref().is_some_and(is_one));
        goals.map(|goal| goal.name.clone()).collect()
    };
    let empty = of(|reason| matches!(reason, NotRun::NoTests));
    if answer.total > 0 && all_ran && !empty.is_empty() {
        text.push_str(&format!("[note] No test ran in {}.\n", some_names(&empty, empty.len() as u32)));
    }
    for (names, why) in [
        (of(|reason| matches!(reason, NotRun::TimeUp)), "the time was up"),
        (of(|reason| matches!(reason, NotRun::Withdrawn)), "the call was withdrawn"),
    ] {
        if !names.is_empty() {
            text.push_str(&format!("[note] {why} before {}.\n", some_names(&names, names.len() as u32)));
        }
    }
    for goal in &answer.goals {
        if let Some(NotRun::Refused(refusal)) = &goal.not_run {
            let why = one_line(&refusal::render(refusal, skin).text, 300);
            text.push_str(&format!("[note] {} was not run: {why}\n", name_text(&goal.name, 200)));
        }
    }
    text
}

/// The call that runs the tests of `framework`.
fn call_with(asked: &Asked, framework: &str) -> NextCall {
    let key = if asked.is_system { "system" } else { "path" };
    NextCall::to("run_tests").with(key, asked.name.as_str()).with("framework", framework)
}

/// Nothing failed, and something ran.
fn all_passed(answer: &TestAnswer, verdict: Verdict) -> bool {
    verdict == Verdict::Counted && answer.failed == 0 && answer.passed > 0
}

/// The diagnostics of the compiler. If all tests passed, matters of style are only counted.
fn loading_text(answer: &TestAnswer, verdict: Verdict, skin: Skin) -> String {
    let passed = all_passed(answer, verdict);
    let is_style = |one: &DiagnosticFacts| passed && matches!(one.severity.as_str(), "style-warning" | "note");
    let is_new = |one: &&DiagnosticFacts| !is_in_a_failure(answer, one);
    let (style, told): (Vec<_>, Vec<_>) = answer.diagnostics.iter().filter(is_new).cloned().partition(is_style);
    let counted = match style.len() {
        0 => String::new(),
        1 => format!("[note] 1 style-warning{}.\n", shown_by(skin)),
        count => format!("[note] {count} style-warnings{}.\n", shown_by(skin)),
    };
    new_diagnostics_text(&told, verdict == Verdict::Counted, "", skin) + &counted
}

/// A failed test has been told with this error as its reason.
fn is_in_a_failure(answer: &TestAnswer, one: &DiagnosticFacts) -> bool {
    let is_there =
        |source: &TestSource| one.path.as_ref().is_none_or(|path| (&source.path, source.line) == (path, one.line));
    one.severity == "error"
        && !one.is_unbalanced
        && answer
            .failed_tests
            .iter()
            .any(|test| test.reason.ends_with(&one.message) && test.source.as_ref().is_some_and(is_there))
}

/// The headline of tests that an exit has ended, so that the rest did not run.
fn left_early(tally: &Tally, counts: &str) -> String {
    let status = tally.exit_status.map(|status| format!(" with code {status}")).unwrap_or_default();
    let running = tally.running.as_deref().unwrap_or_default();
    let what = if running.starts_with("test-op of ") { "The" } else { "The test" };
    format!("{what} {} called exit{status}; the rest did not run. So far: {counts}.", name_text(running, 200))
}

/// The reason why a run without failures is no success.
fn no_tests(asked: &Asked, tally: &Tally, skin: Skin) -> String {
    if !asked.tests.is_empty() && !tally.names.is_empty() {
        return none_called(&asked.tests, tally);
    }
    let kind = asked.framework.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    let exit = tally.exit_status.map(|status| format!(" It ended with exit code {status}.")).unwrap_or_default();
    let call = |framework: &str, does: &str| {
        spoken(&call_with(asked, framework), skin).map(|call| format!(": {call} {does}")).unwrap_or_default()
    };
    let instead = match (tally.others.as_slice(), skin) {
        ([], _) if !tally.only_observed.is_empty() => format!(
            "It has no test-op, and tests of {} count when a test-op runs them: give it one, as in :perform (test-op (o c) \
             (symbol-call :my-tests :run)).",
            tally.only_observed.join(", ")
        ),
        ([], Skin::Shell) => "Are the tests somewhere else?".to_owned(),
        ([], _) => "Are the tests somewhere else? Give their \"system\" or \"path\".".to_owned(),
        ([one], _) if one == "asdf" => format!("There is a test-op{}.", call(one, "performs it")),
        (others, _) => format!("There are tests of {}{}.", others.join(", "), call(&others[0], "runs them")),
    };
    format!("No test{kind} ran in {}, which is no success.{exit} {instead}", asked.name)
}

/// Notes on the tests that a test-op ran or did not run.
fn test_op_notes(tally: &Tally, skin: Skin) -> String {
    let mut text = String::new();
    for (system, what) in &tally.unknown {
        text.push_str(&format!(
            "[note] The test-op of {system} {what}. No test of a framework was seen to run in it, and no line that it printed \
             sums up tests, so this is no success. Its output may tell more. To make the result known, let it print such a \
             line (\"5 of 5 tests passed\") and signal an error when one failed; or give the system or file that has the \
             tests.\n"
        ));
    }
    for (system, line) in &tally.told {
        let what = if tally.framework == SCRIPT { "" } else { "The test-op of " };
        text.push_str(&format!(
            "[note] {what}{system} counts as one test, which passed by what it printed: {}\n",
            one_line(line, 200)
        ));
    }
    for (system, reason) in &tally.ended_early {
        text.push_str(&format!(
            "[note] The test-op of {system} then ended in an error, and nothing ran after it: {}\n",
            one_line(reason, 300)
        ));
    }
    for system in &tally.run_for {
        text.push_str(&format!(
            "[note] The test-op of {system} shows no results, so the tests of {system} were run one by one.\n"
        ));
    }
    if tally.left_out_count > 0 {
        let (count, verb) = (tally.left_out_count, if tally.left_out_count == 1 { "is" } else { "are" });
        let (system, framework) = &tally.left_out_of;
        let call = NextCall::to("run_tests").with("system", system.as_str()).with("framework", framework.as_str());
        let call = spoken(&call, skin).map(|call| format!(" To run all: {call}.")).unwrap_or_default();
        text.push_str(&format!(
            "[note] {count} of the tests {verb} not part of the test-op and did not run: {}.{call}\n",
            some_names(&tally.left_out, count)
        ));
    }
    text
}

/// The note that there are no tests of the names `wanted`, with the names that there are.
fn none_called(wanted: &[String], tally: &Tally) -> String {
    let names = some_names(&tally.names, tally.name_count);
    let groups = match tally.groups.len() {
        0 => String::new(),
        count => format!(" Groups: {}.", some_names(&tally.groups, count as u32)),
    };
    format!("No test or group is called {}. There are: {names}.{groups}", some_names(wanted, wanted.len() as u32))
}

/// The first of `names`, of which there are `count`, and the number of the others.
fn some_names(names: &[String], count: u32) -> String {
    let mut shown: Vec<String> = names.iter().take(MOST_SHOWN).map(|name| name_text(name, 80)).collect();
    let more = (count as usize).saturating_sub(shown.len());
    // Tests may share a name, or have none.
    shown.dedup();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The name of a test, in quotes if it is blank.
fn name_text(name: &str, limit: usize) -> String {
    if name.trim().is_empty() { format!("{name:?}") } else { one_line(name, limit) }
}

fn source_text(source: &TestSource) -> String {
    let line = source.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}", source.path)
}

/// The failures that are shown, and their number; those that say the same are told once.
fn failures_text(answer: &TestAnswer, room: &mut Room<'_>) -> (String, usize) {
    let mut grouped: Vec<&FailedTestFacts> = Vec::new();
    let told = room.told.len();
    let (mut text, mut shown) = (String::new(), 0);
    for test in &answer.failed_tests {
        if grouped.iter().any(|one| is_alike(one, test)) {
            continue;
        }
        let is_told = || room.told[..told].iter().any(|one| is_alike(one, test));
        if room.except.is_some_and(|except| except.contains(&test.test_name) || is_told()) {
            shown += 1;
            continue;
        }
        if room.most == 0 {
            break;
        }
        room.most -= 1;
        room.told.extend(room.except.map(|_| test.clone()));
        let alike: Vec<&FailedTestFacts> = answer.failed_tests.iter().filter(|other| is_alike(other, test)).collect();
        if alike.len() >= ALIKE {
            grouped.push(test);
            shown += alike.len();
            text.push_str(&alike_text(&alike));
        } else {
            shown += 1;
            text.push_str(&failed_text(test));
        }
    }
    (text, shown)
}

/// The tests failed for the same reason.
fn is_alike(one: &FailedTestFacts, other: &FailedTestFacts) -> bool {
    (&one.reason, &one.form, &one.values) == (&other.reason, &other.form, &other.values)
}

/// Failures for the same reason.
fn alike_text(tests: &[&FailedTestFacts]) -> String {
    let place_of = |test: &FailedTestFacts| test.source.as_ref().map(source_text);
    // A helper that all of them load can fail.
    let at = place_of(tests[0]).filter(|at| tests.iter().all(|test| place_of(test).as_ref() == Some(at)));
    let names = tests.iter().take(MOST_SHOWN).map(|test| match place_of(test).filter(|_| at.is_none()) {
        Some(place) if is_file(test) => place,
        place => place.map(|place| place + " ").unwrap_or_default() + &name_text(&test.test_name, 80),
    });
    let more = match tests.len().saturating_sub(MOST_SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names = names.collect::<Vec<_>>().join(", ");
    let one =
        FailedTestFacts { test_name: String::new(), description: String::new(), source: None, ..tests[0].clone() };
    let body = failed_text(&one);
    let body = body.split_once('\n').map_or("", |(_, body)| body);
    let at = at.map(|at| format!(", at {at}")).unwrap_or_default();
    format!("FAILED alike, {}{at}: {names}{more}\n{body}", tests.len())
}

/// Whether a file failed and not one of its tests: it is called as its file is.
fn is_file(test: &FailedTestFacts) -> bool {
    test.source.as_ref().is_some_and(|source| source.path == test.test_name)
}

fn failed_text(test: &FailedTestFacts) -> String {
    let name = match test.test_name.as_str() {
        "" => "a test without a name".to_owned(),
        name => one_line(name, 200),
    };
    let group =
        if test.description.is_empty() { String::new() } else { format!(" ({})", one_line(&test.description, 200)) };
    let place = test.source.as_ref().map(|source| place_text(&source.path, [source.line, None])).unwrap_or_default();
    let reason = fence(&test.reason);
    let reason: Vec<&str> = reason.lines().filter(|line| !line.trim().is_empty()).collect();
    // The path stands in the place already.
    let head = if is_file(test) { place } else { format!("{place}{name}{group}\n  ") };
    let mut text = format!("FAILED {head}{}\n", reason.join("\n  "));
    if let Some(form) = &test.form {
        text.push_str(&format!("  {}\n", one_line(form, 200)));
    }
    for value in &test.values {
        text.push_str(&format!("  {}: {}\n", one_line(&value.name, 40).replace('-', " "), one_line(&value.value, 200)));
    }
    let is_of_test = |frame: &&TestFrame| {
        test.source.as_ref().is_some_and(|source| source.path == frame.path && source.line == frame.line)
    };
    for frame in test.frames.iter().filter(|frame| !is_of_test(frame)) {
        let line = frame.line.map(|line| format!(":{line}")).unwrap_or_default();
        text.push_str(&format!("  in {}  {}{line}\n", one_line(&frame.call, 160), one_line(&frame.path, 200)));
    }
    text
}

#[cfg(test)]
mod tests {
    use lispwright_tools::run_tests::TestValue;

    use super::*;

    #[test]
    fn a_failure_shows_its_place_its_reason_and_its_values() {
        let test = FailedTestFacts {
            test_name: "adds".into(),
            description: "suite / inner".into(),
            reason: "The actual value is not the expected one.".into(),
            form: Some("(test-equal 1 2)".into()),
            values: vec![TestValue { name: "expected-value".into(), value: "1".into() }],
            source: Some(TestSource { path: "t.scm".into(), line: Some(4) }),
            frames: [("(total 1)", 9), ("(test)", 4)]
                .map(|(call, line)| TestFrame { call: call.into(), path: "t.scm".into(), line: Some(line) })
                .into(),
        };
        assert_eq!(
            failed_text(&test),
            "FAILED t.scm:4: adds (suite / inner)\n  The actual value is not the expected one.\n  (test-equal 1 2)\n  \
             expected value: 1\n  in (total 1)  t.scm:9\n"
        );
    }

    #[test]
    fn failures_at_one_place_have_it_once() {
        let test = |name: &str, path: &str| FailedTestFacts {
            test_name: name.into(),
            description: String::new(),
            reason: "It did not load.".into(),
            form: None,
            values: Vec::new(),
            source: Some(TestSource { path: path.into(), line: Some(4) }),
            frames: Vec::new(),
        };
        let said = |tests: [&FailedTestFacts; 2]| alike_text(&tests);
        let (one, two, far) = (test("a.scm", "common.scm"), test("b.scm", "common.scm"), test("c.scm", "c.scm"));
        assert_eq!(said([&one, &two]), "FAILED alike, 2, at common.scm:4: a.scm, b.scm\n  It did not load.\n");
        assert_eq!(said([&one, &far]), "FAILED alike, 2: common.scm:4 a.scm, c.scm:4\n  It did not load.\n");
    }
}
