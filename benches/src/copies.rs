//! Checkpoints, rollbacks and trials of an image with 100 MB in it, and the interrupt of an endless loop.

use std::time::Instant;

use serde_json::{Value, json};

use crate::Setting;
use crate::client::Client;
use crate::table::{Row, median, milliseconds};

/// The number of repetitions of each.
const TIMES: usize = 20;

/// The content of the image: 104 MB in a hundred arrays.
const FILL: &str = "(defvar *held* (loop repeat 100 collect (make-array 130000 :initial-element 7)))";

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    let root = tempfile::tempdir().expect("a temporary folder");
    let (mut client, _) = Client::start(&setting.binary, root.path());
    client.call("repl_eval", &json!({"code": format!("{FILL} (sb-ext:gc :full t) nil")}));
    let mut checkpoints = Vec::new();
    let mut rollbacks = Vec::new();
    for _ in 0..TIMES {
        checkpoints.push(timed(&mut client, "repl_control", &json!({"action": "checkpoint", "name": "bench"})));
        client.call("repl_eval", &json!({"code": "(setf (aref (first *held*) 0) 8)"}));
        rollbacks.push(timed(&mut client, "repl_control", &json!({"action": "rollback", "name": "bench"})));
    }
    let trials =
        (0..TIMES).map(|_| timed(&mut client, "repl_eval", &json!({"code": "(length *held*)", "trial": true})));
    let trials = trials.collect();
    vec![
        row("checkpoint of an SBCL image of 100 MB", checkpoints, 0.02, "under 20 ms"),
        row("rollback to it", rollbacks, 0.02, "under 20 ms"),
        row("trial in a copy of it", trials, 0.02, "under 20 ms"),
        row("interrupt of an endless loop, up to its answer", interrupts(setting), 0.1, "under 100 ms"),
    ]
}

fn row(what: &str, seconds: Vec<f64>, most: f64, target: &'static str) -> Row {
    let measured = median(seconds);
    Row {
        what: what.into(),
        measured: milliseconds(measured),
        baseline: "-".into(),
        elsewhere: "nobody",
        target,
        met: measured < most,
    }
}

fn timed(client: &mut Client, tool: &str, arguments: &Value) -> f64 {
    let begin = Instant::now();
    client.call(tool, arguments);
    begin.elapsed().as_secs_f64()
}

/// Seconds from the request to interrupt `(loop)` to the answer of the evaluation, whose state is kept.
fn interrupts(setting: &Setting) -> Vec<f64> {
    let root = tempfile::tempdir().expect("a temporary folder");
    let (mut client, _) = Client::start(&setting.binary, root.path());
    client.call("repl_eval", &json!({"code": "(defvar *kept* 42)"}));
    let answers = client.listen();
    let call = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments});
    let mut seconds = Vec::new();
    for _ in 0..TIMES {
        let loops = client.ask("tools/call", &call("repl_eval", json!({"code": "(loop)"})));
        // Until the loop runs there is nothing to interrupt.
        let (began, stopped) = loop {
            let began = Instant::now();
            let id = client.ask("tools/call", &call("repl_control", json!({"action": "interrupt"})));
            let mut ended = None;
            let reply = loop {
                let (came, message) = answers.recv().expect("the server answers");
                if message["id"] == loops {
                    ended = Some(came);
                } else if message["id"] == id {
                    break message;
                }
            };
            if ended.is_some() || !reply.to_string().contains("not running anything") {
                break (began, ended);
            }
        };
        let stopped = stopped.unwrap_or_else(|| {
            loop {
                let (came, message) = answers.recv().expect("the server answers");
                if message["id"] == loops {
                    break came;
                }
            }
        });
        seconds.push((stopped - began).as_secs_f64());
    }
    let id = client.ask("tools/call", &call("repl_eval", json!({"code": "*kept*"})));
    let kept = answers.iter().find(|(_, message)| message["id"] == id).expect("the server answers").1;
    assert!(kept.to_string().contains("42"), "the state is kept: {kept}");
    seconds
}
