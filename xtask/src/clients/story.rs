//! The calls of the scripted model in each client, and their expected results.

use std::path::Path;

use serde_json::{Value, json};

use super::speech::{Call, Speech};

/// Lacks the parenthesis that ends its last line.
pub(super) const LOST: &str = "(defun area (r)\n  (let ((pi 3))\n    (* pi r r))\n\n(defun double (x)\n  (* 2 x))\n";
/// The intended text.
pub(super) const WHOLE: &str = "(defun area (r)\n  (let ((pi 3))\n    (* pi r r)))\n\n(defun double (x)\n  (* 2 x))\n";
/// A new line for the second function, with a parenthesis too few, and the file afterwards.
pub(super) const OLD_LINE: &str = "  (* 2 x))";
pub(super) const NEW_LINE: &str = "  (* 2 (+ x 0))";
pub(super) const EDITED: &str =
    "(defun area (r)\n  (let ((pi 3))\n    (* pi r r)))\n\n(defun double (x)\n  (* 2 (+ x 0)))\n";
/// A text whose intention cannot be known.
pub(super) const HOPELESS: &str = "(a (b [c (d \"e\n";
/// Not Lisp, and not balanced.
pub(super) const NOTES: &str = "a) text (with :-( no end\n";

/// One call of the model.
pub(super) struct Scene {
    pub(super) call: Call,
    /// A file of the project and its final content; `None` when it must not exist.
    pub(super) file: Option<(&'static str, Option<&'static str>)>,
    /// The new texts in the model's input afterwards.
    pub(super) told: &'static [&'static str],
    /// The texts that must not be there.
    pub(super) untold: &'static [&'static str],
}

/// `whole.lisp` after a form of it was replaced through the server.
const DOUBLED: &str = "(defun area (r)\n  (let ((pi 3))\n    (* pi r r)))\n\n(defun double (x) (+ x x))\n";
/// A command that writes a file in which a parenthesis is missing.
const LEAVES_BROKEN: &str = "printf '(car x\\n' > shell-broken.lisp";
const BROKEN: &[&str] = &["shell-broken.lisp does not balance now"];
const CHANGED: &[&str] = &["lispwright changed this call", "added 1 `)`"];
const DENIED: &[&str] = &["lispwright: nothing was written", "hopeless.lisp"];
const SILENT: &[&str] = &["lispwright:", "lispwright changed"];

/// The clients' own edit tools differ; the story does not.
pub(super) fn scenes(speech: Speech, project: &Path) -> Vec<Scene> {
    let write = |name: &str, text: &str| write(speech, project, name, text);
    let scene = |call, file, told, untold| Scene { call, file: Some(file), told, untold };
    let mut scenes = vec![
        scene(write("area.lisp", LOST), ("area.lisp", Some(WHOLE)), CHANGED, &[]),
        scene(edit(speech, project, "area.lisp"), ("area.lisp", Some(EDITED)), CHANGED, &[]),
        scene(write("hopeless.lisp", HOPELESS), ("hopeless.lisp", None), DENIED, &[]),
        scene(write("notes.txt", NOTES), ("notes.txt", Some(NOTES)), &[], SILENT),
        scene(write("whole.lisp", WHOLE), ("whole.lisp", Some(DOUBLED)), &[], SILENT),
        scene(shell(speech, LEAVES_BROKEN), ("shell-broken.lisp", Some("(car x\n")), BROKEN, &[]),
    ];
    scenes.extend(calls_of_the_server(speech));
    if speech == Speech::OpenAi {
        // Models without the tool apply patches through the shell.
        let added = wrapped(&format!("*** Add File: shell.lisp\n{}", prefixed('+', LOST)));
        let command = format!("apply_patch <<'EOF'\n{added}EOF\n");
        scenes.push(scene(call("exec_command", json!({"cmd": command})), ("shell.lisp", Some(WHOLE)), CHANGED, &[]));
    }
    scenes
}

/// Calls of our server's tools, by the names that the client gives them, with the permission that the setup wrote.
pub(super) fn calls_of_the_server(speech: Speech) -> Vec<Scene> {
    let prefix = match speech {
        Speech::Anthropic | Speech::OpenAi => "mcp__lispwright__",
        Speech::Google => "mcp_lispwright_",
    };
    let scene = |tool: &str, input: Value, told| Scene {
        call: call(&format!("{prefix}{tool}"), input),
        file: None,
        told,
        untold: &["not found", "unknown", "requires approval"],
    };
    let double = json!({
        "path": "whole.lisp", "operation": "replace", "name": "double", "content": "(defun double (x) (+ x x))",
    });
    vec![
        scene("lisp_read_file", json!({"path": "area.lisp"}), &["area", "double"]),
        scene("lisp_edit_form", double, &["Replaced defun double"]),
        scene("repl_eval", json!({"code": "(list 3 (+ 1 2))"}), &["=> (3 3)"]),
    ]
}

/// A new file.
fn write(speech: Speech, project: &Path, name: &str, text: &str) -> Call {
    let path = project.join(name).display().to_string();
    match speech {
        Speech::Anthropic => call("Write", json!({"file_path": path, "content": text})),
        Speech::OpenAi => patch(&format!("*** Add File: {name}\n{}", prefixed('+', text))),
        Speech::Google => call("write_file", json!({"file_path": path, "content": text})),
    }
}

/// The new line instead of the old one.
fn edit(speech: Speech, project: &Path, name: &str) -> Call {
    let path = project.join(name).display().to_string();
    let mut input = json!({"file_path": path, "old_string": OLD_LINE, "new_string": NEW_LINE});
    match speech {
        Speech::Anthropic => call("Edit", input),
        Speech::OpenAi => patch(&format!("*** Update File: {name}\n@@\n-{OLD_LINE}\n+{NEW_LINE}\n")),
        Speech::Google => {
            input["instruction"] = json!("Add zero.");
            call("replace", input)
        }
    }
}

/// A command of the client's shell.
fn shell(speech: Speech, command: &str) -> Call {
    match speech {
        Speech::Anthropic => call("Bash", json!({"command": command, "description": "Write a file"})),
        Speech::OpenAi => call("exec_command", json!({"cmd": command})),
        Speech::Google => call("run_shell_command", json!({"command": command, "description": "Write a file"})),
    }
}

fn call(tool: &str, input: Value) -> Call {
    Call { tool: tool.to_owned(), input }
}

/// Codex accepts a patch as free text.
fn patch(body: &str) -> Call {
    call("apply_patch", json!({"input": wrapped(body)}))
}

fn wrapped(body: &str) -> String {
    format!("*** Begin Patch\n{body}*** End Patch\n")
}

fn prefixed(sign: char, text: &str) -> String {
    text.lines().map(|line| format!("{sign}{line}\n")).collect()
}
