//! Simultaneous calls in one session: they run in the order in which they came, and no answer is lost.

use std::collections::HashMap;
use std::time::Instant;

use serde_json::{Value, json};

use crate::client::{Answer, Client, Session, server_command};
use crate::project::Project;
use crate::swank_server::Server;

impl Session {
    /// Sends calls in one write; returns their ids.
    fn burst(&mut self, calls: &[(&str, Value)]) -> Vec<i64> {
        let ids: Vec<i64> = calls.iter().map(|_| self.client.new_id()).collect();
        let line = |(id, (tool, arguments)): (&i64, &(&str, Value))| {
            let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": id}});
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
        };
        let lines: Vec<String> = ids.iter().zip(calls).map(line).collect();
        self.client.send_line(lines.join("\n").as_bytes());
        ids
    }

    /// Receives until all of `ids` are answered: the answers, and the ids in the order in which they came.
    fn answers(&mut self, ids: &[i64]) -> (HashMap<i64, Answer>, Vec<i64>) {
        let (mut answers, mut order) = (HashMap::new(), Vec::new());
        while answers.len() < ids.len() {
            let message = self.client.receive();
            if message.get("method").is_some() {
                continue;
            }
            let id = message["id"].as_i64().unwrap();
            assert!(ids.contains(&id), "not asked for: {message}");
            assert!(answers.insert(id, Answer::of(&message)).is_none(), "answered twice: {message}");
            order.push(id);
        }
        (answers, order)
    }

    /// Interrupts the running call, and receives until all of `ids` are answered.
    fn interrupted(&mut self, ids: &[i64]) -> (HashMap<i64, Answer>, Vec<i64>) {
        let interrupt = self.burst(&[("repl_control", json!({"action": "interrupt"}))]);
        self.answers(&[ids, &interrupt].concat())
    }

    fn cancel(&mut self, id: i64) {
        let params = json!({"requestId": id, "reason": "test"});
        self.client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    }

    /// Asks for the status until it says all of `words`.
    fn until_status(&mut self, words: &[&str]) -> String {
        loop {
            let text = self.ok("repl_control", json!({"action": "status"})).text;
            if words.iter().all(|word| text.contains(word)) {
                return text;
            }
        }
    }
}

fn eval(code: &str) -> (&'static str, Value) {
    ("repl_eval", json!({"code": code}))
}

#[test]
fn a_burst_is_answered_in_its_order() {
    let mut session = Session::new();
    let mut calls = vec![eval("(progn (defvar *said* nil) (sleep 0.3) (push 0 *said*) 0)")];
    calls.extend((1..40).map(|number| eval(&format!("(progn (push {number} *said*) {number})"))));
    let ids = session.burst(&calls);
    let (answers, order) = session.answers(&ids);
    for (number, id) in ids.iter().enumerate() {
        assert_eq!(answers[id].text, format!("=> {number}"));
    }
    assert_eq!(order, ids);
    let said = session.ok("repl_eval", json!({"code": "(equal (reverse *said*) (loop for i below 40 collect i))"}));
    assert_eq!(said.text, "=> T");
}

#[test]
fn the_first_calls_of_a_session_wait_for_its_image_and_for_the_files_before_them() {
    let mut session = Session::with_file("a.lisp", "(defun one () 1)\n");
    let edit = json!({"path": "a.lisp", "operation": "append", "content": "(defun two () (1+ (one)))"});
    let ids = session.burst(&[
        ("lisp_edit_form", edit),
        ("load_system", json!({"path": "a.lisp"})),
        eval("(two)"),
        ("code_describe", json!({"symbol": "two"})),
    ]);
    let (answers, _) = session.answers(&ids);
    assert_eq!(answers[&ids[2]].text, "=> 2");
    assert!(answers[&ids[3]].text.contains("[function] two ()"), "{}", answers[&ids[3]].text);
}

#[test]
fn edits_and_reads_of_one_turn_see_the_edits_before_them() {
    let mut session = Session::with_file("a.lisp", "(defun one () 1)\n");
    let path = "a.lisp";
    let (mut calls, mut names) = (Vec::new(), Vec::new());
    for (before, name) in [("one", "two"), ("two", "three"), ("three", "four")] {
        names.extend([before, name, name]);
        let content = format!("(defun {name} () ({before}))");
        let insert = json!({"path": path, "operation": "insert_after", "name": before, "content": content});
        calls.push(("lisp_edit_form", insert));
        calls.push(("lisp_read_form", json!({"path": path, "name": name})));
        calls.push(("code_find_references", json!({"symbol": before})));
    }
    let ids = session.burst(&calls);
    let (answers, _) = session.answers(&ids);
    for (id, name) in ids.iter().zip(names) {
        let answer = &answers[id];
        assert!(!answer.is_error && answer.text.contains(&format!("defun {name}")), "{name}: {}", answer.text);
    }
}

#[test]
fn a_waiting_call_that_is_cancelled_never_runs() {
    let mut session = Session::new();
    session.ok("repl_eval", json!({"code": "(defvar *n* 0)"}));
    let ids = session.burst(&[
        eval("(loop until (probe-file \"go\") finally (return (incf *n*)))"),
        eval("(incf *n* 10)"),
        eval("(incf *n* 100)"),
    ]);
    let status = session.until_status(&["(incf *n* 100) waits"]);
    assert!(status.contains("busy, evaluating (loop until (probe-file"), "{status}");
    session.cancel(ids[1]);
    while session.ok("repl_control", json!({"action": "status"})).text.contains("(incf *n* 10) waits") {}
    session.project.file("go", "");
    let (answers, order) = session.answers(&[ids[0], ids[2]]);
    assert_eq!(order, [ids[0], ids[2]]);
    assert_eq!((answers[&ids[0]].text.as_str(), answers[&ids[2]].text.as_str()), ("=> 1", "=> 101"));
}

#[test]
fn an_image_is_built_to_its_end_when_the_call_for_it_is_cancelled() {
    let project = Project::new();
    let mut command = server_command(&project.root());
    command.env("XDG_CACHE_HOME", project.at("cache"));
    let mut session = Session { client: Client::connect(command), project };
    let ids = session.burst(&[eval("(defvar *ran* t)")]);
    session.until_status(&["main: busy, building the image"]);
    session.cancel(ids[0]);
    session.until_status(&["main: idle, SBCL"]);
    assert_eq!(session.ok("repl_eval", json!({"code": "(boundp '*ran*)"})).text, "=> NIL");
}

#[test]
fn waiting_calls_end_with_their_session() {
    for action in ["kill", "reset"] {
        let mut session = Session::new();
        session.ok("repl_eval", json!({"code": "(defvar *here* 1)"}));
        let ids = session.burst(&[
            eval("(loop)"),
            eval("1"),
            eval("2"),
            ("repl_control", json!({"action": action})),
            eval("(boundp '*here*)"),
        ]);
        let (answers, _) = session.answers(&ids);
        assert_eq!(answers[&ids[0]].fields["code"], "SESSION_LOST", "{}", answers[&ids[0]].text);
        for id in &ids[1..3] {
            assert_eq!(answers[id].fields["code"], "CANCELLED", "{}", answers[id].text);
            assert!(answers[id].text.contains("did not run"), "{}", answers[id].text);
        }
        assert!(!answers[&ids[3]].is_error, "{}", answers[&ids[3]].text);
        assert_eq!(answers[&ids[4]].text, "=> NIL");
    }
}

#[test]
fn an_interrupt_is_for_the_call_that_runs() {
    let mut session = Session::new();
    session.ok("repl_eval", json!({"code": "1"}));
    let ids = session.burst(&[eval("(loop)"), eval("(+ 1 1)")]);
    session.until_status(&["evaluating (loop)", "(+ 1 1) waits"]);
    let (answers, _) = session.interrupted(&ids);
    assert_eq!(answers[&ids[0]].fields["code"], "CANCELLED", "{}", answers[&ids[0]].text);
    assert_eq!(answers[&ids[1]].text, "=> 2");
}

#[test]
fn a_cancelled_call_is_reported_once() {
    let mut session = Session::new();
    session.ok("repl_eval", json!({"code": "(defvar *n* 0)"}));
    let ids = session.burst(&[eval("(incf *n*) (print :half-way) (finish-output) (loop)")]);
    session.until_status(&["printed last: :HALF-WAY"]);
    session.cancel(ids[0]);
    let next = session.ok("repl_eval", json!({"code": "*n*"})).text;
    assert!(next.starts_with("=> 1\n[note] The previous call (evaluating (incf *n*)"), "{next}");
    assert!(next.contains("was stopped by its client after") && next.contains("in form 4 of 4"), "{next}");
    assert!(next.ends_with("its effects remain. It printed last: :HALF-WAY"), "{next}");
    assert_eq!(session.ok("repl_eval", json!({"code": "*n*"})).text, "=> 1");
}

#[test]
fn an_unread_answer_is_repeated() {
    let mut session = Session::new();
    let nothing = session.ok("repl_control", json!({"action": "start"}));
    assert!(nothing.text.contains("is ready"), "{}", nothing.text);
    let ids = session.burst(&[eval("(progn (sleep 1) 42)"), ("repl_control", json!({"action": "wait"}))]);
    let (answers, order) = session.answers(&ids);
    assert_eq!(order, ids);
    let waited = &answers[&ids[1]].text;
    assert!(
        waited.starts_with("[again] The last answer in session \"main\"") && waited.ends_with("\n=> 42"),
        "{waited}"
    );
    // A caller can wait again for a longer call.
    let ids = session.burst(&[eval("(loop)")]);
    let early = session.ok("repl_control", json!({"action": "wait", "timeout_seconds": 0.2}));
    assert!(early.text.starts_with("Not finished yet: evaluating (loop) for"), "{}", early.text);
    session.interrupted(&ids);
    let late = session.client.call("repl_control", json!({"action": "wait"}));
    assert!(late.is_error && late.text.contains("[ERROR] CANCELLED"), "{}", late.text);
}

#[test]
fn calls_of_an_attached_session_are_queued() {
    let server = Server::start("(defvar *ran* nil)");
    let mut session = Session::new();
    session.ok("repl_control", json!({"action": "attach", "address": server.address.to_string()}));
    let call = |number: u32| {
        let code = format!("(progn (sleep 0.01) (push {number} *ran*) (length *ran*))");
        ("repl_eval", json!({"code": code, "session": "swank"}))
    };
    let calls: Vec<_> = (1..=10).map(call).collect();
    let ids = session.burst(&calls);
    let (answers, order) = session.answers(&ids);
    assert_eq!(order, ids);
    assert!((1..=10).zip(&ids).all(|(number, id)| answers[id].text == format!("=> {number}")), "{answers:?}");
}

#[test]
fn progress_describes_the_call_in_front() {
    let mut session = Session::new();
    session.ok("repl_eval", json!({"code": "1"}));
    let first = "(progn (print :begun) (finish-output) (loop until (probe-file \"go\") do (sleep 0.01)))";
    let ids = session.burst(&[eval(first), eval("2")]);
    let mut expected = HashMap::from([
        (ids[0], vec!["evaluating (progn (print :begun)", "printed last: :BEGUN"]),
        (ids[1], vec!["session main: waiting behind a call; now evaluating (progn (print :begun)"]),
    ]);
    while !expected.is_empty() {
        let message = session.client.receive();
        let token = message["params"]["progressToken"].as_i64().unwrap_or_else(|| panic!("{message}"));
        let text = message["params"]["message"].to_string();
        expected.retain(|id, words| *id != token || !words.iter().all(|word| text.contains(word)));
    }
    session.project.file("go", "");
    let (answers, order) = session.answers(&ids);
    assert_eq!((order, answers[&ids[1]].text.as_str()), (ids, "=> 2"));
}

#[test]
fn the_end_of_the_input_ends_waiting_calls() {
    let mut session = Session::new();
    session.ok("repl_eval", json!({"code": "1"}));
    let calls: Vec<_> = (0..20).map(|_| eval("(loop)")).collect();
    let ids = session.burst(&calls);
    session.until_status(&["14 more wait"]);
    let began = Instant::now();
    session.client.close_input();
    let (answers, _) = session.answers(&ids);
    assert!(answers.values().all(|answer| answer.is_error));
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    assert!(session.client.finish().success());
}

#[test]
fn sessions_do_not_wait_for_each_other() {
    let mut session = Session::new();
    // Each waits for the next one, so that they end only if all run at once.
    let root = session.project.root();
    let file = |number: u32| root.join(format!("here-{number}")).display().to_string();
    let call = |number: u32| {
        let code = format!(
            "(progn (open {:?} :direction :probe :if-does-not-exist :create) \
             (loop until (probe-file {:?}) do (sleep 0.02)) {number})",
            file(number),
            file((number + 1) % 8)
        );
        ("repl_eval", json!({"session": format!("s{number}"), "code": code, "timeout_seconds": 120}))
    };
    let calls: Vec<_> = (0..8).map(call).collect();
    let ids = session.burst(&calls);
    let (answers, _) = session.answers(&ids);
    for (number, id) in ids.iter().enumerate() {
        assert_eq!(answers[id].text, format!("=> {number}"));
    }
}

#[test]
fn calls_beyond_the_longest_queue_are_refused() {
    let mut session = Session::new();
    session.ok("repl_eval", json!({"code": "1"}));
    let calls: Vec<_> = std::iter::once(eval("(loop)")).chain((0..65).map(|_| eval("1"))).collect();
    let ids = session.burst(&calls);
    let refused = session.client.answer_to(ids[65]);
    let refused = Answer::of(&refused);
    assert_eq!(refused.fields["code"], "SESSION_BUSY", "{}", refused.text);
    assert!(refused.text.contains("evaluating (loop)") && refused.text.contains("64 calls wait"), "{}", refused.text);
    let (answers, _) = session.interrupted(&ids[..65]);
    assert!(ids[1..65].iter().all(|id| answers[id].text == "=> 1"));
}

#[test]
fn calls_beside_cancelled_ones_are_answered_once_and_in_order() {
    let mut session = Session::new();
    session.ok("repl_eval", json!({"code": "(defvar *ran* nil)"}));
    let calls: Vec<_> = (0..60).map(|n| eval(&format!("(progn (push {n} *ran*) (sleep 0.01) {n})"))).collect();
    let ids = session.burst(&calls);
    let (cancelled, kept): (Vec<i64>, Vec<i64>) = ids.iter().partition(|id| *id % 3 == 0);
    for id in &cancelled {
        session.cancel(*id);
    }
    let last = session.burst(&[eval("(apply #'< (reverse *ran*))")]);
    let mut order = Vec::new();
    while order.last() != Some(&last[0]) {
        let message = session.client.receive();
        if let Some(id) = message["id"].as_i64() {
            let text = Answer::of(&message).text;
            let number = ids.iter().position(|asked| *asked == id);
            let expected = number.map_or("=> T".to_owned(), |number| format!("=> {number}"));
            assert!(text == expected || text.starts_with(&format!("{expected}\n[note] The previous call")), "{text}");
            order.push(id);
        }
    }
    // One may have been answered before its cancellation came.
    assert!(order.is_sorted() && order.windows(2).all(|two| two[0] != two[1]), "{order:?}");
    assert!(kept.iter().all(|id| order.contains(id)), "{order:?}");
    let status = session.ok("repl_control", json!({"action": "status"})).text;
    assert!(status.contains("main: idle"), "{status}");
}
