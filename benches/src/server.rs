//! The times that a user waits when no Lisp runs: the start, an edit, a check.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;

use crate::Setting;
use crate::client::Client;
use crate::table::{Row, median, milliseconds, times};

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    vec![start(setting), edit(setting), hook(setting), list_size(setting)]
}

fn start(setting: &Setting) -> Row {
    let root = tempfile::tempdir().expect("a temporary folder");
    let ours = median((0..30).map(|_| Client::start(&setting.binary, root.path()).1.as_secs_f64()).collect());
    let shell = median(
        (0..30)
            .map(|_| {
                let begin = Instant::now();
                let _ = Command::new("sh").args(["-c", "exit"]).status();
                begin.elapsed().as_secs_f64()
            })
            .collect(),
    );
    Row {
        what: "server start to first answer".into(),
        measured: milliseconds(ours),
        baseline: format!("`sh -c exit` {}, {}", milliseconds(shell), times(shell, ours)),
        elsewhere: "cl-mcp 900 ms, paredit-cli 13 ms",
        target: "under 3 x `sh -c exit`",
        met: ours < 3.0 * shell,
    }
}

/// A file of 10,000 lines, in the middle of which one definition is replaced again and again.
fn edit(setting: &Setting) -> Row {
    let root = tempfile::tempdir().expect("a temporary folder");
    let path = root.path().join("large.lisp");
    let text: String = (0..1_250).map(definition).collect();
    std::fs::write(&path, &text).expect("a temporary file");
    let (mut client, _) = Client::start(&setting.binary, root.path());
    let seconds = client.time_calls(60, "lisp_edit_form", |index| {
        json!({"path": "large.lisp", "operation": "replace", "name": "value-600",
               "content": format!("(defun value-600 (x y)\n  \"Value, edit {index}.\"\n  (+ x y {index}))")})
    });
    let dry = client.time_calls(60, "lisp_edit_form", |index| {
        json!({"path": "large.lisp", "operation": "replace", "name": "value-600", "dry_run": true,
               "content": format!("(defun value-600 (x y)\n  \"Value, trial {index}.\"\n  (+ x y {index}))")})
    });
    let (with_sync, without) = (median(seconds), median(dry));
    let copy = median(
        (0..30)
            .map(|index| {
                let target = root.path().join("copy");
                let begin = Instant::now();
                std::fs::write(&target, text.replace("value-600", &format!("value-{index}")))
                    .expect("a temporary file");
                std::fs::File::open(&target).and_then(|file| file.sync_all()).expect("it can be synced");
                begin.elapsed().as_secs_f64()
            })
            .collect(),
    );
    Row {
        what: format!(
            "edit one form of a {}-line file ({} kB), everything but the durable write",
            text.lines().count(),
            text.len() / 1000
        ),
        measured: format!("{} ({} with it)", milliseconds(without), milliseconds(with_sync)),
        baseline: format!("replace a word, write, fsync {}", milliseconds(copy)),
        elsewhere: "cl-mcp 87 ms, paredit-cli 18-28 ms",
        target: "under 5 ms, fsync apart",
        met: without < 0.005,
    }
}

/// A definition of eight lines, with its comment and the line after it.
fn definition(index: usize) -> String {
    format!(
        ";; Computes value {index}.\n(defun value-{index} (x y)\n  \"Value {index} of X and Y.\"\n  (let ((sum (+ x y)))\n    (when (> sum {index})\n      (print sum))\n    (* sum {index})))\n\n"
    )
}

/// The time from the start of the hook to its end, for an edit of one definition in a file of 9,000 lines.
fn hook(setting: &Setting) -> Row {
    let root = tempfile::tempdir().expect("a temporary folder");
    let path = root.path().join("large.lisp");
    let text: String = (0..1_125).map(definition).collect();
    std::fs::write(&path, &text).expect("a temporary file");
    let old = definition(600);
    let edit = |new: &str| {
        let arguments = json!({"file_path": path, "old_string": old, "new_string": new});
        json!({"hook_event_name": "PreToolUse", "tool_name": "Edit", "cwd": root.path(), "tool_input": arguments})
            .to_string()
    };
    let sound = old.replace("(print sum)", "(print (list x sum))");
    let repaired = sound.replace("(let ((sum (+ x y)))", "(let ((sum (+ x y))");
    let refused = old.replace("(* sum 600)))", "(* sum (if (oddp x) x y)");
    let time = |input: &str| median((0..60).map(|_| run(&setting.binary, &["hook", "claude-code"], input)).collect());
    let (passed, repaired, refused) = (time(&edit(&sound)), time(&edit(&repaired)), time(&edit(&refused)));
    let bare = median((0..60).map(|_| run(&setting.binary, &["--version"], "")).collect());
    let slowest = passed.max(repaired).max(refused);
    Row {
        what: format!(
            "hook on an edit in a {}-line file ({} kB), start to end: nothing to say, repaired, refused",
            text.lines().count(),
            text.len() / 1000
        ),
        measured: [passed, repaired, refused].map(milliseconds).join(", "),
        baseline: format!("`lispwright --version` {}, {}", milliseconds(bare), times(bare, slowest)),
        elsewhere: "-",
        target: "under 10 ms",
        met: slowest < 0.01,
    }
}

/// Seconds from the start of a process to its end, with `input` on its standard input.
fn run(binary: &Path, arguments: &[&str], input: &str) -> f64 {
    let begin = Instant::now();
    let mut child = Command::new(binary)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the release binary starts");
    let mut to = child.stdin.take().expect("it is piped");
    // A process that reads no input may have ended already.
    let _ = to.write_all(input.as_bytes());
    drop(to);
    let _ = child.wait();
    begin.elapsed().as_secs_f64()
}

fn list_size(setting: &Setting) -> Row {
    let root = tempfile::tempdir().expect("a temporary folder");
    let (mut client, _) = Client::start(&setting.binary, root.path());
    let list = client.request("tools/list", &json!({}));
    let size = list.to_string().len();
    let tools = list["tools"].as_array().map_or(0, Vec::len);
    Row {
        what: "`tools/list`, default set".into(),
        measured: format!("{:.1} kB, {tools} tools", size as f64 / 1e3),
        baseline: "-".into(),
        elsewhere: "cl-mcp 26.5 kB, 21 tools",
        target: "under 14 kB",
        met: size < 14_000,
    }
}
