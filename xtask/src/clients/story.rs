//! What the scripted model does in each client, and what has to come of it.

use std::path::Path;

use serde_json::{Value, json};

use super::model::Call;

/// Lacks the parenthesis that ends its last line.
pub(super) const LOST: &str = "(defun area (r)\n  (let ((pi 3))\n    (* pi r r))\n\n(defun double (x)\n  (* 2 x))\n";
/// What was meant.
pub(super) const WHOLE: &str = "(defun area (r)\n  (let ((pi 3))\n    (* pi r r)))\n\n(defun double (x)\n  (* 2 x))\n";
/// A new line for the second function, with a parenthesis too few, and the file afterwards.
pub(super) const OLD_LINE: &str = "  (* 2 x))";
pub(super) const NEW_LINE: &str = "  (* 2 (+ x 0))";
pub(super) const EDITED: &str =
    "(defun area (r)\n  (let ((pi 3))\n    (* pi r r)))\n\n(defun double (x)\n  (* 2 (+ x 0)))\n";
/// Nobody can say what was meant.
pub(super) const HOPELESS: &str = "(a (b [c (d \"e\n";
/// Not Lisp, and not balanced.
pub(super) const NOTES: &str = "a) text (with :-( no end\n";

/// One thing that the model does.
pub(super) struct Scene {
    pub(super) call: Call,
    /// A file of the project and what it holds afterwards; nothing when it must not exist.
    pub(super) file: Option<(&'static str, Option<&'static str>)>,
    /// What the model reads afterwards and did not before.
    pub(super) told: &'static [&'static str],
    /// What it does not read.
    pub(super) untold: &'static [&'static str],
}

const CHANGED: &[&str] = &["lispwright changed this call", "added 1 `)`"];
const DENIED: &[&str] = &["lispwright: nothing was written", "hopeless.lisp"];
const SILENT: &[&str] = &["lispwright:", "lispwright changed"];

/// The clients' own edit tools differ; the story does not.
pub(super) fn scenes(client: &str, project: &Path) -> Vec<Scene> {
    let at = |name: &str| project.join(name).display().to_string();
    let (write, edit, outline): (&dyn Fn(&str, &str) -> Call, &dyn Fn(&str) -> Call, &str) = match client {
        "claude-code" => (
            &|name, text| call("Write", json!({"file_path": at(name), "content": text})),
            &|name| call("Edit", json!({"file_path": at(name), "old_string": OLD_LINE, "new_string": NEW_LINE})),
            "mcp__lispwright__lisp_read_file",
        ),
        "codex" => (
            &|name, text| patch(&format!("*** Add File: {name}\n{}", prefixed('+', text))),
            &|name| patch(&format!("*** Update File: {name}\n@@\n-{OLD_LINE}\n+{NEW_LINE}\n")),
            "mcp__lispwright__lisp_read_file",
        ),
        _ => (
            &|name, text| call("write_file", json!({"file_path": at(name), "content": text})),
            &|name| {
                let input = json!({"file_path": at(name), "instruction": "Add zero.", "old_string": OLD_LINE, "new_string": NEW_LINE});
                call("replace", input)
            },
            "mcp_lispwright_lisp_read_file",
        ),
    };
    let scene = |call, file, told, untold| Scene { call, file: Some(file), told, untold };
    let mut scenes = vec![
        scene(write("area.lisp", LOST), ("area.lisp", Some(WHOLE)), CHANGED, &[]),
        scene(edit("area.lisp"), ("area.lisp", Some(EDITED)), CHANGED, &[]),
        scene(write("hopeless.lisp", HOPELESS), ("hopeless.lisp", None), DENIED, &[]),
        scene(write("notes.txt", NOTES), ("notes.txt", Some(NOTES)), &[], SILENT),
        scene(write("whole.lisp", WHOLE), ("whole.lisp", Some(WHOLE)), &[], SILENT),
        Scene {
            call: call(outline, json!({"path": "area.lisp"})),
            file: None,
            told: &["area", "double"],
            untold: &["not found", "unknown"],
        },
    ];
    if client == "codex" {
        // Models without the tool apply patches through the shell.
        let added = wrapped(&format!("*** Add File: shell.lisp\n{}", prefixed('+', LOST)));
        let command = format!("apply_patch <<'EOF'\n{added}EOF\n");
        scenes.push(scene(call("exec_command", json!({"cmd": command})), ("shell.lisp", Some(WHOLE)), CHANGED, &[]));
    }
    scenes
}

fn call(tool: &str, input: Value) -> Call {
    Call { tool: tool.to_owned(), input }
}

/// Codex takes a patch as free text.
fn patch(body: &str) -> Call {
    call("apply_patch", json!({"input": wrapped(body)}))
}

fn wrapped(body: &str) -> String {
    format!("*** Begin Patch\n{body}*** End Patch\n")
}

fn prefixed(sign: char, text: &str) -> String {
    text.lines().map(|line| format!("{sign}{line}\n")).collect()
}
