//! What a user waits for when no Lisp runs: the start, an edit, a check.

use std::fmt::Write as _;
use std::process::Command;
use std::time::Instant;

use serde_json::json;

use crate::Setting;
use crate::client::Client;
use crate::table::{Row, median, milliseconds, times};

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    vec![start(setting), edit(setting), list_size(setting)]
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
        target: "under 5 ms",
        met: ours < 0.005,
    }
}

/// A file of 10,000 lines, one definition in the middle of which is replaced again and again.
fn edit(setting: &Setting) -> Row {
    let root = tempfile::tempdir().expect("a temporary folder");
    let path = root.path().join("large.lisp");
    let mut text = String::new();
    for index in 0..1_250 {
        let _ = write!(
            text,
            ";; Computes value {index}.\n(defun value-{index} (x y)\n  \"Value {index} of X and Y.\"\n  (let ((sum (+ x y)))\n    (when (> sum {index})\n      (print sum))\n    (* sum {index})))\n\n"
        );
    }
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
        target: "under 12 kB",
        met: size < 12_000,
    }
}
