//! Properties of any text: silence if it balances and is indented accordingly, and balance after every change.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use lispwright_edit::unexpected_since;
use lispwright_hook::{Committed, FileSource, Found, HookClient, Mistake, respond};
use lispwright_repair::renested_since;
use lispwright_syntax::{Dialect, Language, read_plain};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The content of every path.
struct Only(Option<String>);

impl FileSource for Only {
    fn read(&self, _: &Path) -> Found {
        self.0.clone().map_or(Found::Missing, Found::Text)
    }

    fn committed(&self, _: &Path) -> Option<Committed> {
        None
    }

    fn changed(&self, _: &Path, _: Duration) -> Vec<PathBuf> {
        Vec::new()
    }

    fn language(&self, _: &Path, dialect: Dialect) -> Result<Language, String> {
        Ok(dialect.into())
    }

    fn problems(&self, _: &Path, _: &str, _: &str, _: &Language) -> Vec<Mistake> {
        Vec::new()
    }
}

fn balances(text: &str) -> bool {
    read_plain(text, Dialect::CommonLisp).diagnostics().is_empty()
}

/// A text that balances, of few words and many lists.
fn code() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just("("),
        3 => Just(")"),
        3 => prop_oneof![Just("a"), Just("define"), Just("λ"), Just("42")],
        1 => prop_oneof![Just("\"s (\""), Just("#\\("), Just("|b)|"), Just("#|(|#"), Just("\"\\\" )\"")],
        1 => Just("; (\n"),
        2 => prop_oneof![Just("\n  "), Just("\n\n"), Just("\n")],
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| {
        let (mut text, mut depth) = (String::new(), 0);
        for piece in pieces {
            match piece {
                "(" => depth += 1,
                ")" if depth == 0 => continue,
                ")" => depth -= 1,
                _ => {}
            }
            text.push_str(piece);
            if !piece.ends_with('\n') && piece != "(" {
                text.push(' ');
            }
        }
        text.push_str(&")".repeat(depth));
        text.push('\n');
        text
    })
}

fn event(client: &HookClient, moment: &str, whole: bool, fields: &[(&str, &str)]) -> String {
    let (event, tool) = match (client.name, moment, whole) {
        ("gemini", "before", true) => ("BeforeTool", "write_file"),
        ("gemini", "before", false) => ("BeforeTool", "replace"),
        ("gemini", _, true) => ("AfterTool", "write_file"),
        ("gemini", ..) => ("AfterTool", "replace"),
        (_, "before", true) => ("PreToolUse", "Write"),
        (_, "before", false) => ("PreToolUse", "Edit"),
        (_, _, true) => ("PostToolUse", "Write"),
        (_, _, false) => ("PostToolUse", "Edit"),
    };
    let mut input = json!({"file_path": "/p/a.lisp"});
    for (key, value) in fields {
        input[*key] = Value::from(*value);
    }
    json!({"cwd": "/p", "hook_event_name": event, "tool_name": tool, "tool_input": input}).to_string()
}

/// A patch that replaces all lines of a file.
fn patch(before: &str, after: &str) -> String {
    let signed = |sign: &str, text: &str| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
    let body = format!("{}{}", signed("-", before), signed("+", after));
    let patch = format!("*** Begin Patch\n*** Update File: a.lisp\n@@\n{body}*** End Patch");
    json!({"cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": {"command": patch}})
        .to_string()
}

/// `text` without its delimiter number `which`, or with it twice.
fn damaged(text: &str, which: usize, twice: bool) -> String {
    let places: Vec<usize> = text.match_indices(['(', ')', '"']).map(|(at, _)| at).collect();
    let Some(&at) = places.get(which % places.len().max(1)) else { return text.to_owned() };
    let (left, right) = (&text[..at], &text[at + 1..]);
    if twice { format!("{}{}", &text[..at + 1], &text[at..]) } else { format!("{left}{right}") }
}

/// The answer about a change from one balanced text to another: at most that its indentation contradicts it now, or that
/// its effect is seldom meant.
fn said_of_sound(output: Option<&Value>, before: Option<&str>, after: &str) -> Result<(), TestCaseError> {
    let before = before.filter(|before| !before.trim().is_empty());
    let doubtful = before.is_some_and(|before| !renested_since(before, after, Dialect::CommonLisp).is_empty());
    let [old, new] = [before.unwrap_or_default(), after].map(|text| (read_plain(text, Dialect::CommonLisp), text));
    let doubtful = doubtful || !unexpected_since((&old.0, old.1), (&new.0, new.1)).is_empty();
    prop_assert!(doubtful || output.is_none(), "{:?}", output);
    if let Some(output) = output {
        let specific = output["hookSpecificOutput"].as_object().unwrap();
        let told = specific["additionalContext"].as_str().unwrap();
        prop_assert!(told.contains("balances") && specific.len() == 2, "{:?}", output);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn balanced_text_passes_in_silence_unless_its_lines_contradict_it(before in code(), after in code()) {
        prop_assume!(balances(&before) && balances(&after));
        for client in [HookClient::CLAUDE_CODE, HookClient::GEMINI] {
            for there in [Some(before.clone()), None] {
                let input = event(client, "before", true, &[("content", &after)]);
                said_of_sound(respond(client, &input, &Only(there.clone())).output.as_ref(), there.as_deref(), &after)?;
            }
            let input = event(client, "after", true, &[("content", &after)]);
            said_of_sound(respond(client, &input, &Only(Some(after.clone()))).output.as_ref(), None, &after)?;
        }
        let response = respond(HookClient::CODEX, &patch(&before, &after), &Only(Some(before.clone())));
        said_of_sound(response.output.as_ref(), Some(&before), &after)?;
    }

    #[test]
    fn a_piece_may_be_unbalanced(front in code(), old in code(), new in code(), back in code(), cuts in any::<(usize, usize)>()) {
        // The text to replace extends into the text around it.
        let left = (0..=front.len()).filter(|&at| front.is_char_boundary(at)).nth(cuts.0 % (front.len() + 1)).unwrap_or(0);
        let right = (0..=back.len()).filter(|&at| back.is_char_boundary(at)).nth(cuts.1 % (back.len() + 1)).unwrap_or(0);
        let whole = |middle: &str| format!("{front}{middle}{back}");
        prop_assume!(balances(&whole(&old)) && balances(&whole(&new)));
        let piece = |middle: &str| format!("{}{middle}{}", &front[left..], &back[..right]);
        for client in [HookClient::CLAUDE_CODE, HookClient::GEMINI] {
            let input = event(client, "before", false, &[("old_string", &piece(&old)), ("new_string", &piece(&new))]);
            let output = respond(client, &input, &Only(Some(whole(&old)))).output;
            said_of_sound(output.as_ref(), Some(&whole(&old)), &whole(&new))?;
        }
    }

    #[test]
    fn a_changed_call_balances_and_is_reported(before in code(), after in code(), which in any::<usize>(), twice in any::<bool>()) {
        let broken = damaged(&after, which, twice);
        prop_assume!(balances(&before) && !balances(&broken));
        let input = event(HookClient::CLAUDE_CODE, "before", true, &[("content", &broken)]);
        let response = respond(HookClient::CLAUDE_CODE, &input, &Only(Some(before.clone())));
        let output = response.output.expect("a broken file is never passed over");
        let specific = &output["hookSpecificOutput"];
        match specific["updatedInput"]["content"].as_str() {
            Some(content) => {
                prop_assert!(balances(content));
                prop_assert!(specific["additionalContext"].as_str().unwrap().contains("changed this call"));
                prop_assert!(specific["permissionDecision"].is_null());
            }
            None => prop_assert_eq!(&specific["permissionDecision"], "deny"),
        }
        prop_assert_eq!(&response.judged[0].verdict.diagnosis().is_some(), &true);

        let response = respond(HookClient::CODEX, &patch(&before, &broken), &Only(Some(before.clone())));
        let output = response.output.expect("a broken file is never passed over");
        if let Some(command) = output["hookSpecificOutput"]["updatedInput"]["command"].as_str() {
            let added = command.lines().filter_map(|line| line.strip_prefix('+'));
            let content: String = added.map(|line| format!("{line}\n")).collect();
            prop_assert!(balances(&content), "{}", command);
            prop_assert_eq!(&output["hookSpecificOutput"]["permissionDecision"], "allow");
        }
    }

    #[test]
    fn an_edit_that_is_changed_leaves_the_rest_alone(
        front in code(), old in code(), new in code(), back in code(), which in any::<usize>(), twice in any::<bool>()
    ) {
        let broken = damaged(&new, which, twice);
        let whole = |middle: &str| format!("{front}{middle}{back}");
        let before = whole(&old);
        prop_assume!(balances(&before) && !balances(&whole(&broken)) && before.matches(&old).count() == 1);
        let input = event(HookClient::CLAUDE_CODE, "before", false, &[("old_string", &old), ("new_string", &broken)]);
        let output = respond(HookClient::CLAUDE_CODE, &input, &Only(Some(before.clone()))).output;
        let output = output.expect("a broken file is never passed over");
        if let Some(new) = output["hookSpecificOutput"]["updatedInput"]["new_string"].as_str() {
            prop_assert!(balances(&whole(new)));
            prop_assert_eq!(&output["hookSpecificOutput"]["updatedInput"]["old_string"], &Value::from(old));
        }
    }

    #[test]
    fn any_input_is_survived(input in ".{0,200}", text in "[()\\[\\]{}\"|#;\\\\a \n]{0,80}", old in "[()\"a ]{0,4}") {
        for client in HookClient::ALL {
            prop_assert_eq!(respond(client, &input, &Only(Some(text.clone()))).output, None);
            for moment in ["before", "after"] {
                let write = event(client, moment, true, &[("content", &text)]);
                let edit = event(client, moment, false, &[("old_string", &old), ("new_string", &text)]);
                for there in [Some(text.clone()), Some(input.clone()), None] {
                    respond(client, &write, &Only(there.clone()));
                    respond(client, &edit, &Only(there.clone()));
                    respond(client, &patch(&old, &text), &Only(there));
                }
            }
        }
    }
}
