//! `lispwright hook` on recorded inputs of its clients.
//!
//! A case is `tests/hook/VERDICT/NAME.json`: the client, the files that are there, and the input as the client sends it,
//! with `{DIR}` for the working directory. `NAME.out` beside it is the answer, each text of it indented below its place
//! in the JSON; `UPDATE=1 cargo test -p lispwright --test hook` writes it anew.
#![allow(clippy::unwrap_used, missing_docs)]

mod command;

use std::fs;
use std::path::{Path, PathBuf};

use command::lispwright;
use serde_json::Value;

/// A case, carried out.
struct Outcome {
    stdout: String,
    /// What it wrote into the statistics.
    records: Vec<Value>,
}

impl Outcome {
    fn answer(&self) -> Option<Value> {
        (!self.stdout.is_empty()).then(|| serde_json::from_str(&self.stdout).unwrap())
    }

    /// What the answer amounts to, by the clients' own keys.
    fn verdict(&self) -> &'static str {
        let Some(answer) = self.answer() else { return "silent" };
        let specific = &answer["hookSpecificOutput"];
        if specific["permissionDecision"] == "deny" || answer["decision"] == "deny" {
            "denied"
        } else if specific["updatedInput"].is_object() || specific["tool_input"].is_object() {
            "repaired"
        } else {
            "noted"
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

/// Every text of a document with its place, readable.
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
                out.push_str(&format!("    {}", line.replace('\r', "\\r").replace('\t', "\\t")).trim_end());
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

/// Runs all cases of a folder, whose answers have to be of this kind, and whose files were judged so.
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
            "ignored" => assert!(judged.is_empty(), "{}: {judged:?}", path.display()),
            "pass" => assert!(!judged.is_empty() && judged.iter().all(|&one| one == "pass"), "{}", path.display()),
            // What Gemini CLI is told late was judged before the call.
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
fn what_balances_is_answered_by_silence() {
    check("pass", "silent");
}

#[test]
fn what_is_none_of_our_business_is_answered_by_silence() {
    check("ignored", "silent");
}

#[test]
fn what_is_certain_is_repaired() {
    check("repaired", "repaired");
}

#[test]
fn what_is_uncertain_is_denied() {
    check("denied", "denied");
}

#[test]
fn what_was_broken_already_is_let_through_and_said() {
    check("noted", "noted");
}
