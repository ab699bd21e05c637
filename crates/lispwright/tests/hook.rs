//! `lispwright hook` on recorded inputs of its clients.
//!
//! A case is `tests/hook/VERDICT/NAME.json`: the client, the files that are there, and the input as the client sends
//! it, with `{DIR}` for the working directory. `NAME.out` beside it is the answer, each text of it indented below its
//! place in the JSON; `UPDATE=1 cargo test -p lispwright --test hook` rewrites it.
#![allow(clippy::unwrap_used, missing_docs)]

mod command;

use std::fs;
use std::path::{Path, PathBuf};

use command::lispwright;
use serde_json::Value;

/// The result of a case.
struct Outcome {
    stdout: String,
    /// Its lines in the statistics.
    records: Vec<Value>,
}

impl Outcome {
    fn answer(&self) -> Option<Value> {
        (!self.stdout.is_empty()).then(|| serde_json::from_str(&self.stdout).unwrap())
    }

    /// The verdict of the answer, by the clients' own keys.
    fn verdict(&self) -> &'static str {
        let Some(answer) = self.answer() else { return "silent" };
        let specific = &answer["hookSpecificOutput"];
        if specific["permissionDecision"] == "deny" || answer["decision"] == "deny" {
            "denied"
        } else if specific["updatedInput"].is_object() || specific["tool_input"].is_object() {
            "repaired"
        } else if specific["additionalContext"].is_string() || answer["additionalContext"].is_string() {
            "noted"
        } else {
            assert!(answer["systemMessage"].is_string(), "{answer}");
            "warned"
        }
    }
}

fn run(case: &Value) -> Outcome {
    let directory = tempfile::tempdir().unwrap();
    for (path, content) in case["files"].as_object().into_iter().flatten() {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes(content)).unwrap();
    }
    let here = directory.path().to_str().unwrap();
    let input = case["input"].to_string().replace("{DIR}", here);
    let arguments = ["hook", case["client"].as_str().unwrap(), "--stats", "hooks.jsonl", "--log", "hooks.log"];
    let output = lispwright(directory.path(), &arguments, &input);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    let stdout = String::from_utf8(output.stdout).unwrap().replace(here, "{DIR}");
    for (path, content) in case["files"].as_object().into_iter().flatten() {
        assert_eq!(fs::read(directory.path().join(path)).unwrap(), bytes(content), "{path} was written");
    }
    let records = fs::read_to_string(directory.path().join("hooks.jsonl")).unwrap_or_default();
    let records = records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!directory.path().join("hooks.log").exists(), "something went wrong in the hook");
    Outcome { stdout, records }
}

/// A file: a text, its lines, or its bytes.
fn bytes(content: &Value) -> Vec<u8> {
    match content {
        Value::String(text) => text.clone().into_bytes(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().map(|line| format!("{}\n", line.as_str().unwrap())).collect::<String>().into_bytes()
        }
        Value::Array(items) => items.iter().map(|byte| u8::try_from(byte.as_u64().unwrap()).unwrap()).collect(),
        _ => panic!("not a file: {content}"),
    }
}

/// Every text of a document with its place.
fn flat(value: &Value, place: &str, out: &mut String) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let dot = if place.is_empty() { "" } else { "." };
                flat(value, &format!("{place}{dot}{key}"), out);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                flat(value, &format!("{place}[{index}]"), out);
            }
        }
        Value::String(text) => {
            out.push_str(&format!("{place}:\n"));
            for line in text.split('\n') {
                out.push_str(format!("    {}", line.replace('\r', "\\r").replace('\t', "\\t")).trim_end());
                out.push('\n');
            }
        }
        other => out.push_str(&format!("{place}: {other}\n")),
    }
}

fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hook").join(folder);
    let mut found: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{} is empty", folder.display());
    found
}

/// Runs all cases of a folder; their answers and judgements must be of this kind.
fn check(folder: &str, verdict: &str) {
    let mut wrong = Vec::new();
    for path in cases(folder) {
        let case: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let outcome = run(&case);
        let mut shown = String::new();
        flat(&outcome.answer().unwrap_or(Value::Null), "", &mut shown);
        if outcome.verdict() != verdict {
            wrong.push(format!("{}: {}\n{shown}", path.display(), outcome.verdict()));
            continue;
        }
        let judged: Vec<&str> = outcome.records.iter().map(|record| record["verdict"].as_str().unwrap()).collect();
        match folder {
            // The call never reaches the judge.
            "ignored" | "warned" | "encoded" => assert!(judged.is_empty(), "{}: {judged:?}", path.display()),
            // Its delimiters are right.
            "pass" | "told" => {
                assert!(!judged.is_empty() && judged.iter().all(|&one| one == "pass"), "{}", path.display())
            }
            // The late answer to Gemini CLI was judged before the call.
            "noted" => assert!(judged.is_empty() || judged.contains(&"noted"), "{}", path.display()),
            _ => assert!(judged.contains(&folder), "{}: {judged:?}", path.display()),
        }
        if verdict == "silent" {
            continue;
        }
        let beside = path.with_extension("out");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&beside, &shown).unwrap();
        }
        if shown != fs::read_to_string(&beside).unwrap_or_default() {
            wrong.push(format!("{}: now\n{shown}", beside.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn calls_that_a_compiler_would_refuse_are_told() {
    check("told", "noted");
}

#[test]
fn balanced_edits_get_no_answer() {
    check("pass", "silent");
}

#[test]
fn calls_that_are_not_judged_get_no_answer() {
    check("ignored", "silent");
}

#[test]
fn faults_of_the_users_configuration_pass_with_a_message_to_the_user() {
    check("warned", "warned");
}

#[test]
fn certain_faults_are_repaired() {
    check("repaired", "repaired");
}

#[test]
fn unknown_notation_is_let_through() {
    check("unknown", "noted");
}

#[test]
fn uncertain_faults_are_denied() {
    check("denied", "denied");
}

#[test]
fn calls_that_would_lose_characters_are_denied() {
    check("encoded", "denied");
}

#[test]
fn characters_that_a_call_has_lost_are_told_with_their_lines() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(here);
        assert!(git.output().unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    fs::write(here.join("a.lisp"), b"(defun f (x)\n  x)\n;; caf\xE9 \xC3\xA9\n(defvar *a* \"na\xEFf\")\n").unwrap();
    fs::write(here.join("b.lisp"), ";; \u{fffd}\n").unwrap();
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    let lost = "(defun f (x)\n  (list\n   x))\n;; caf\u{fffd} \u{e9}\n(defvar *a* \"na\u{fffd}f\")\n";
    fs::write(here.join("a.lisp"), lost).unwrap();
    let input = |tool: &str, input: Value| {
        let event =
            serde_json::json!({"hook_event_name": "PostToolUse", "cwd": here, "tool_name": tool, "tool_input": input});
        event.to_string()
    };
    let edit =
        serde_json::json!({"file_path": here.join("a.lisp"), "old_string": "  x)", "new_string": "  (list\n   x))"});
    for input in [input("Edit", edit), input("Bash", serde_json::json!({"command": "./convert"}))] {
        let (answer, _) = hook(here, &["claude-code"], &input);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let told = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(told.contains("a.lisp was in ISO 8859-1"), "{told}");
        assert!(told.contains("\n4 ;; caf\u{e9} \u{c3}\u{a9}\n5 (defvar *a* \"na\u{ef}f\")\n"), "{told}");
        assert!(told.contains("git checkout -- a.lisp"), "{told}");
    }
    // This one had them before.
    let edit = serde_json::json!({"file_path": here.join("b.lisp"), "old_string": "x", "new_string": "y"});
    assert_eq!(hook(here, &["claude-code"], &input("Edit", edit)).0, "");
}

#[test]
fn earlier_faults_pass_with_a_note() {
    check("noted", "noted");
}

#[test]
fn balanced_text_that_contradicts_its_indentation_passes_with_a_note() {
    check("renested", "noted");
}

#[test]
fn effects_that_are_seldom_meant_pass_with_a_note() {
    check("unexpected", "noted");
}

/// Runs the hook with this standard input; returns standard output and the exit code.
fn hook(directory: &Path, arguments: &[&str], input: &str) -> (String, Option<i32>) {
    let output = lispwright(directory, &[&["hook"], arguments].concat(), input);
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

fn write(path: &str, content: &str) -> String {
    let input = serde_json::json!({"file_path": path, "content": content});
    serde_json::json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": input}).to_string()
}

#[test]
fn a_call_that_is_not_judged_in_time_goes_on_and_is_counted() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_lispwright"))
        .args(["hook", "claude-code", "--stats", "stats", "--log", "log"])
        .current_dir(directory.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The input never ends.
    let input = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(input);
    assert_eq!((output.stdout, output.status.code()), (Vec::new(), Some(0)));
    let line = fs::read_to_string(directory.path().join("stats")).unwrap();
    assert!(line.contains(r#""verdict":"overdue""#) && line.ends_with("}\n"), "{line}");
    let report = lispwright(directory.path(), &["stats", "stats"], "");
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains("Not judged in time: 1 call, which went on unchanged"), "{report}");
}

#[test]
fn faults_of_our_own_are_silent() {
    let directory = tempfile::tempdir().unwrap();
    let deep = format!("{{\"tool_input\":{}", "[".repeat(100_000));
    for client in lispwright_hook::HookClient::ALL.map(|client| client.name) {
        for input in ["", "\n", "null", "[]", "{}", "{\"hook_event_name\":7}", "(", "{\"a\":", deep.as_str()] {
            assert_eq!(hook(directory.path(), &[client], input), (String::new(), Some(0)), "{client}");
        }
    }
    let huge = write("/x/a.lisp", &"(a ".repeat(6 << 20));
    assert_eq!(hook(directory.path(), &["claude-code", "--log", "log"], &huge), (String::new(), Some(0)));
    let log = fs::read_to_string(directory.path().join("log")).unwrap();
    assert_eq!(log, "lispwright hook: standard input: larger than 16777216 bytes\n");
}

#[test]
fn half_a_surrogate_pair_is_judged_as_the_text_that_the_client_writes() {
    let directory = tempfile::tempdir().unwrap();
    let content = "(defun f (x)\n  (when x\n    (print \"a HALF\"))\n\n(defun g () 1)\n";
    let input = write("/nowhere/a.lisp", content).replace("HALF", r"\ud83d");
    let (answer, _) = hook(directory.path(), &["claude-code"], &input);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let wanted = content.replace("HALF", "\u{fffd}").replace("\"))\n", "\")))\n");
    assert_eq!(answer["hookSpecificOutput"]["updatedInput"]["content"], wanted.as_str());
}

#[test]
fn bytes_that_are_no_text_are_silent() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_lispwright"))
        .args(["hook", "codex"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&[b'{', 0xFF, 0xFE, 0]).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.stdout.len(), output.status.code()), (0, Some(0)));
}

#[test]
fn a_call_that_cannot_be_understood_does_not_refuse_the_edit() {
    let directory = tempfile::tempdir().unwrap();
    for arguments in [&["emacs"][..], &[], &["codex", "--colour"], &["codex", "gemini"]] {
        assert_eq!(hook(directory.path(), arguments, "").1, Some(1), "{arguments:?}");
    }
    assert_eq!(hook(directory.path(), &["--help"], "").1, Some(0));
}

#[test]
fn an_unreadable_file_gets_no_answer() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.lisp");
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
    let input = write(path.to_str().unwrap(), "(a");
    assert_eq!(hook(directory.path(), &["claude-code"], &input), (String::new(), Some(0)));
}

#[test]
fn statistics_that_cannot_be_written_are_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let input = write("/nowhere/a.lisp", "(a)");
    for file in [".", "/nowhere/hooks.jsonl", "/dev/full"] {
        assert_eq!(
            hook(directory.path(), &["claude-code", "--stats", file], &input),
            (String::new(), Some(0)),
            "{file}"
        );
    }
}

#[test]
fn statistics_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    for content in ["(a)\n", "(b)\n", "(a (b c (d\n"] {
        hook(here, &["claude-code", "--stats", "hooks.jsonl"], &write("/nowhere/a.lisp", content));
    }
    hook(here, &["claude-code", "--stats", "hooks.jsonl"], &write("/nowhere/notes.txt", "(a"));
    let lines = fs::read_to_string(here.join("hooks.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 3);
    assert!(!lines.contains("nowhere") && !lines.contains("(a"), "{lines}");
    let report = lispwright(here, &["stats", "hooks.jsonl"], "");
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(
        report.contains("all                    3       1  33.3 %         0       1       0         0\n"),
        "{report}"
    );
    assert!(report.contains("Faults: unclosed 1\n"), "{report}");
    let document = lispwright(here, &["stats", "hooks.jsonl", "--json"], "");
    let document: Value = serde_json::from_slice(&document.stdout).unwrap();
    assert_eq!(document["clients"]["claude-code"]["denied"], 1);
    assert_eq!(lispwright(here, &["stats", "none.jsonl"], "").status.code(), Some(2));
}
