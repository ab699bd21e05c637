//! The calls of the scripted model in each client, and their expected results.

use std::path::Path;

use serde_json::{Value, json};

use super::speech::Call;

/// Lacks the parenthesis that ends its last line.
pub(super) const LOST: &str = "(defun area (r)\n  (let ((tau 3))\n    (* tau r r))\n\n(defun double (x)\n  (* 2 x))\n";
/// The intended text.
pub(super) const WHOLE: &str =
    "(defun area (r)\n  (let ((tau 3))\n    (* tau r r)))\n\n(defun double (x)\n  (* 2 x))\n";
/// A new line for the second function, with a parenthesis too few, and the file afterwards.
pub(super) const OLD_LINE: &str = "  (* 2 x))";
pub(super) const NEW_LINE: &str = "  (* 2 (+ x 0))";
pub(super) const EDITED: &str =
    "(defun area (r)\n  (let ((tau 3))\n    (* tau r r)))\n\n(defun double (x)\n  (* 2 (+ x 0)))\n";
/// A text whose intention cannot be known.
pub(super) const HOPELESS: &str = "(a (b [c (d \"e\n";
/// Not Lisp, and not balanced.
pub(super) const NOTES: &str = "a) text (with :-( no end\n";

/// The tools of a client: what the model calls in order to have something done.
#[derive(Clone, Copy)]
pub(super) struct Tools {
    /// What the client puts before the names of our server's tools.
    pub(super) prefix: &'static str,
    /// A hook can change its calls; otherwise it refuses those that it would have changed.
    pub(super) takes_changes: bool,
    /// A file gets a text.
    pub(super) write: fn(&Path, &str) -> Call,
    /// One line takes the place of another.
    pub(super) edit: fn(&Path, &str, &str) -> Call,
    /// A command is run.
    pub(super) shell: fn(&str) -> Call,
    /// What this client alone can do.
    pub(super) more: fn() -> Vec<Scene>,
}

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
const DOUBLED: &str = "(defun area (r)\n  (let ((tau 3))\n    (* tau r r)))\n\n(defun double (x) (+ x x))\n";
/// A command that writes a file in which a parenthesis is missing.
const LEAVES_BROKEN: &str = "printf '(car x\\n' > shell-broken.lisp";
const BROKEN: &[&str] = &["shell-broken.lisp does not balance now"];
pub(super) const CHANGED: &[&str] = &["lispwright changed this call", "added 1 `)`"];
const REFUSED: &[&str] = &["nothing was written", "One repair is certain: added 1 `)`"];
const DENIED: &[&str] = &["lispwright: nothing was written", "hopeless.lisp"];
const SILENT: &[&str] = &["lispwright:", "lispwright changed"];

/// The clients' own edit tools differ; the story does not.
pub(super) fn scenes(tools: &Tools, project: &Path) -> Vec<Scene> {
    let write = |name: &str, text: &str| (tools.write)(&project.join(name), text);
    let edit = |line: &str| (tools.edit)(&project.join("area.lisp"), OLD_LINE, line);
    let told = if tools.takes_changes { CHANGED } else { REFUSED };
    let mut scenes = vec![scene(write("area.lisp", LOST), ("area.lisp", Some(WHOLE)), told, &[])];
    if !tools.takes_changes {
        scenes.push(scene(write("area.lisp", WHOLE), ("area.lisp", Some(WHOLE)), &[], SILENT));
    }
    scenes.push(scene(edit(NEW_LINE), ("area.lisp", Some(EDITED)), told, &[]));
    if !tools.takes_changes {
        scenes.push(scene(edit(&format!("{NEW_LINE})")), ("area.lisp", Some(EDITED)), &[], SILENT));
    }
    scenes.extend([
        scene(write("hopeless.lisp", HOPELESS), ("hopeless.lisp", None), DENIED, &[]),
        scene(write("notes.txt", NOTES), ("notes.txt", Some(NOTES)), &[], SILENT),
        scene(write("whole.lisp", WHOLE), ("whole.lisp", Some(DOUBLED)), &[], SILENT),
        scene((tools.shell)(LEAVES_BROKEN), ("shell-broken.lisp", Some("(car x\n")), BROKEN, &[]),
    ]);
    scenes.extend(calls_of_the_server(tools));
    scenes.extend((tools.more)());
    scenes
}

/// What happens without our hooks: nothing but what the model asks for.
pub(super) fn without_us(tools: &Tools, project: &Path) -> Vec<Scene> {
    let write = (tools.write)(&project.join("area.lisp"), LOST);
    vec![
        scene(write, ("area.lisp", Some(LOST)), &[], SILENT),
        scene((tools.shell)(LEAVES_BROKEN), ("shell-broken.lisp", Some("(car x\n")), &[], SILENT),
    ]
}

/// A scene that is about a file.
pub(super) fn scene(
    call: Call,
    file: (&'static str, Option<&'static str>),
    told: &'static [&'static str],
    untold: &'static [&'static str],
) -> Scene {
    Scene { call, file: Some(file), told, untold }
}

/// Calls of our server's tools, by the names that the client gives them, with the permission that the setup wrote.
pub(super) fn calls_of_the_server(tools: &Tools) -> Vec<Scene> {
    let scene = |tool: &str, input: Value, told| Scene {
        call: call(&format!("{}{tool}", tools.prefix), input),
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

pub(super) fn call(tool: &str, input: Value) -> Call {
    Call { tool: tool.to_owned(), input }
}
