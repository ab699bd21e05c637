//! Tests of a project: a warm run after an edit beside the project's own runner, questions while code runs, and what the
//! second run in a fresh image costs the calls that follow.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::Setting;
use crate::client::Client;
use crate::memory::descendants;
use crate::table::{Row, median, milliseconds, times};

/// The edits of a project, each followed by a run of its tests.
const EDITS: usize = 7;

/// The tests of a project, and its modules.
const TESTS: usize = 200;
const MODULES: usize = 12;

/// The calls that measure a delay.
const CALLS: usize = 300;

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    let mut rows: Vec<Row> = LANGUAGES.iter().map(|language| warm(setting, language)).collect();
    rows.push(questions(setting));
    rows.push(delays(setting));
    rows
}

/// A project of twelve files in a row, with tests of the last one.
struct Language {
    name: &'static str,
    runtime: &'static str,
    tests: &'static str,
    /// The file of a module and its text: its number, and its constant.
    module: fn(usize, usize) -> (String, String),
    /// The files around them.
    around: fn() -> Vec<(String, String)>,
    /// The project's own runner.
    runner: &'static [&'static str],
}

const LANGUAGES: [Language; 5] = [
    Language {
        name: "SBCL, RT",
        runtime: "sbcl",
        tests: "shop/tests",
        module: |number, constant| {
            let before = if number == 0 { "0".to_owned() } else { format!("(f{})", number - 1) };
            let text = format!("(in-package :shop)\n(defun f{number} () (+ {constant} {before}))\n");
            (format!("m{number}.lisp"), text)
        },
        around: || {
            let files: String = (0..MODULES).map(|number| format!(" (:file \"m{number}\")")).collect();
            let definition = format!(
                "(defsystem \"shop\" :serial t :components ((:file \"package\"){files}))\n\
                 (defsystem \"shop/tests\" :depends-on (\"shop\" \"rt\") :components ((:file \"tests\")))\n"
            );
            vec![
                ("shop.asd".to_owned(), definition),
                ("package.lisp".to_owned(), "(defpackage :shop (:use :cl))\n".to_owned()),
                (
                    "tests.lisp".to_owned(),
                    format!(
                        "(defpackage :shop.tests (:use :cl :rt))\n(in-package :shop.tests)\n{}",
                        tests(|number, last| format!("(deftest test-{number} (plusp (shop::f{last})) t)\n"))
                    ),
                ),
            ]
        },
        runner: &[
            "sbcl",
            "--non-interactive",
            "--eval",
            "(require :asdf)",
            "--eval",
            "(asdf:load-asd (truename \"shop.asd\"))",
            "--eval",
            "(asdf:load-system \"shop/tests\")",
            "--eval",
            "(rt:do-tests)",
        ],
    },
    Language {
        name: "Guile, SRFI 64",
        runtime: "guile",
        tests: "tests.scm",
        module: |number, constant| {
            let (import, before) = match number.checked_sub(1) {
                Some(before) => (format!(" #:use-module (p m{before})"), format!("(f{before})")),
                None => (String::new(), "0".to_owned()),
            };
            let text = format!(
                "(define-module (p m{number}){import} #:export (f{number}))\n(define (f{number}) (+ {constant} {before}))\n"
            );
            (format!("p/m{number}.scm"), text)
        },
        around: || {
            let text = format!(
                "(use-modules (srfi srfi-64) (p m{}))\n(test-begin \"shop\")\n{}(test-end \"shop\")\n",
                MODULES - 1,
                tests(|number, last| format!("(test-assert \"test-{number}\" (positive? (f{last})))\n"))
            );
            vec![("tests.scm".to_owned(), text)]
        },
        runner: &["guile", "-L", ".", "tests.scm"],
    },
    Language {
        name: "Clojure, clojure.test",
        runtime: "clojure",
        tests: "test/shop/core_test.clj",
        module: |number, constant| {
            let (import, before) = match number.checked_sub(1) {
                Some(before) => (format!("\n  (:require [shop.m{before} :as before])"), format!("(before/f{before})")),
                None => (String::new(), "0".to_owned()),
            };
            let text = format!("(ns shop.m{number}{import})\n(defn f{number} [] (+ {constant} {before}))\n");
            (format!("src/shop/m{number}.clj"), text)
        },
        around: || {
            let last = MODULES - 1;
            let text = format!(
                "(ns shop.core-test\n  (:require [clojure.test :refer [deftest is]] [shop.m{last} :as m]))\n{}",
                tests(|number, last| format!("(deftest test-{number} (is (pos? (m/f{last}))))\n"))
            );
            let deps = "{:paths [\"src\"] :aliases {:test {:extra-paths [\"test\"]}}}\n".to_owned();
            vec![("deps.edn".to_owned(), deps), ("test/shop/core_test.clj".to_owned(), text)]
        },
        runner: &[
            "java",
            "-cp",
            "/usr/share/java/clojure.jar:/usr/share/java/core.specs.alpha.jar:/usr/share/java/spec.alpha.jar:src:test",
            "clojure.main",
            "-e",
            "(require 'clojure.test 'shop.core-test) (clojure.test/run-tests 'shop.core-test) (shutdown-agents)",
        ],
    },
    Language {
        name: "Emacs, ERT",
        runtime: "emacs",
        tests: "shop-tests.el",
        module: |number, constant| {
            let (import, before) = match number.checked_sub(1) {
                Some(before) => (format!("(require 'shop-{before})\n"), format!("(shop-f{before})")),
                None => (String::new(), "0".to_owned()),
            };
            let text = format!(
                ";;; -*- lexical-binding: t; -*-\n{import}(defun shop-f{number} () (+ {constant} {before}))\n\
                 (provide 'shop-{number})\n"
            );
            (format!("shop-{number}.el"), text)
        },
        around: || {
            let text = format!(
                ";;; -*- lexical-binding: t; -*-\n(require 'ert)\n(require 'shop-{})\n{}",
                MODULES - 1,
                tests(|number, last| format!("(ert-deftest test-{number} () (should (> (shop-f{last}) 0)))\n"))
            );
            vec![("shop-tests.el".to_owned(), text)]
        },
        runner: &[
            "emacs",
            "-Q",
            "--batch",
            "-L",
            ".",
            "-l",
            "ert",
            "-l",
            "shop-tests.el",
            "-f",
            "ert-run-tests-batch-and-exit",
        ],
    },
    Language {
        name: "Racket, rackunit",
        runtime: "racket",
        tests: "tests.rkt",
        module: |number, constant| {
            let (import, before) = match number.checked_sub(1) {
                Some(before) => (format!("(require \"m{before}.rkt\")\n"), format!("(f{before})")),
                None => (String::new(), "0".to_owned()),
            };
            let text = format!(
                "#lang racket/base\n{import}(provide f{number})\n(define (f{number}) (+ {constant} {before}))\n"
            );
            (format!("m{number}.rkt"), text)
        },
        around: || {
            let text = format!(
                "#lang racket/base\n(module+ test\n  (require rackunit \"m{}.rkt\")\n{})\n",
                MODULES - 1,
                tests(|number, last| format!("  (test-case \"test-{number}\" (check-true (> (f{last}) 0)))\n"))
            );
            vec![("tests.rkt".to_owned(), text)]
        },
        runner: &["raco", "test", "tests.rkt"],
    },
];

/// The tests, each made from its number and that of the last module.
fn tests(test: impl Fn(usize, usize) -> String) -> String {
    (0..TESTS).map(|number| test(number, MODULES - 1)).collect()
}

fn write(root: &Path, (path, text): (String, String)) {
    let path = root.join(path);
    let directory = path.parent().expect("it is below the root");
    fs::create_dir_all(directory).and_then(|()| fs::write(&path, text)).expect("a temporary folder takes files");
}

/// A server whose answers have fields.
fn start(setting: &Setting, root: &Path) -> Client {
    Client::start_in(&setting.binary, root, &std::env::temp_dir(), &["--results", "structured"]).0
}

/// Seconds of processor time of a process and its children that have ended, in hundredths.
fn processor(pid: u32) -> (f64, f64) {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks: Vec<f64> = after.split_whitespace().skip(11).take(4).filter_map(|ticks| ticks.parse().ok()).collect();
    match ticks[..] {
        [user, system, child_user, child_system] => ((user + system) / 100.0, (child_user + child_system) / 100.0),
        _ => (0.0, 0.0),
    }
}

/// Runs of the tests after edits of the file that nothing imports, in a kept image and by the project's own runner in turns.
fn warm(setting: &Setting, language: &Language) -> Row {
    let root = tempfile::tempdir().expect("a temporary folder");
    for number in 0..MODULES {
        write(root.path(), (language.module)(number, 1));
    }
    (language.around)().into_iter().for_each(|file| write(root.path(), file));
    let mut client = start(setting, root.path());
    let mut target = json!({"runtime": language.runtime, "timeout_seconds": 300});
    let key = if language.tests.contains('.') { "path" } else { "system" };
    target[key] = language.tests.into();
    let run = |client: &mut Client| {
        let result = client.call("run_tests", &target);
        let passed = result["structuredContent"]["passed"].clone();
        assert_eq!(passed, json!(TESTS), "{}: {result}", language.name);
        result["structuredContent"]["session"].clone()
    };
    let own = || {
        let mut command = Command::new(language.runner[0]);
        command.args(&language.runner[1..]).current_dir(root.path()).env("XDG_CACHE_HOME", root.path().join("cache"));
        command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
        let (begin, before) = (Instant::now(), processor(std::process::id()).1);
        let ended = command.status().expect("the runner starts");
        assert!(ended.success(), "{}: its own runner ends with {ended}", language.name);
        (begin.elapsed().as_secs_f64(), processor(std::process::id()).1 - before)
    };
    let session = run(&mut client);
    own();
    let status = client.call("repl_control", &json!({"action": "status"}));
    let sessions = status["structuredContent"]["sessions"].as_array().cloned().unwrap_or_default();
    let kept = sessions.iter().find(|one| one["session"] == session);
    let pid = kept.and_then(|one| one["pid"].as_u64()).and_then(|pid| u32::try_from(pid).ok());
    let wait = json!({"action": "wait", "session": session});
    let all = |pid: u32| -> f64 {
        std::iter::once(pid)
            .chain(descendants(pid))
            .map(|pid| {
                let (own, ended) = processor(pid);
                own + ended
            })
            .sum()
    };
    let used = || pid.map_or(f64::NAN, all);
    let (mut ours, mut theirs) = ((Vec::new(), 0.0), (Vec::new(), 0.0));
    for edit in 0..EDITS {
        // The second run in a fresh image is over, so that the two do not share the processor.
        client.call("repl_control", &wait);
        write(root.path(), (language.module)(MODULES - 1, edit + 2));
        let (begin, before) = (Instant::now(), used());
        run(&mut client);
        ours.0.push(begin.elapsed().as_secs_f64());
        ours.1 += used() - before;
        client.call("repl_control", &wait);
        let (elapsed, processor) = own();
        theirs.0.push(elapsed);
        theirs.1 += processor;
    }
    let (elapsed, runner) = (median(ours.0), median(theirs.0));
    let ratio = ours.1 / theirs.1;
    Row {
        what: format!("{TESTS} tests after an edit of one file of {MODULES}, warm: {}", language.name),
        measured: format!("{}, processor time {:.2} s a run", milliseconds(elapsed), ours.1 / EDITS as f64),
        baseline: format!(
            "its own runner {}, {}; processor time {:.2} s, {ratio:.2} of it here",
            milliseconds(runner),
            times(runner, elapsed),
            theirs.1 / EDITS as f64
        ),
        elsewhere: "-",
        target: "processor time at most 2 x the runner's",
        met: ratio <= 2.0,
    }
}

/// A question about the files while the image sleeps.
fn questions(setting: &Setting) -> Row {
    let root = tempfile::tempdir().expect("a temporary folder");
    for number in 0..MODULES {
        write(root.path(), (LANGUAGES[0].module)(number, 1));
    }
    (LANGUAGES[0].around)().into_iter().for_each(|file| write(root.path(), file));
    let mut client = start(setting, root.path());
    client.call("repl_eval", &json!({"code": "(+ 1 2)"}));
    let ask = |_: usize| json!({"symbol": "f7"});
    let idle = median(client.time_calls(20, "code_find", ask));
    let sleeps = client
        .ask("tools/call", &json!({"name": "repl_eval", "arguments": {"code": "(sleep 25)", "timeout_seconds": 60}}));
    let busy = client.time_calls(20, "code_find", ask);
    let slowest = busy.iter().copied().fold(0.0, f64::max);
    client.call("repl_control", &json!({"action": "interrupt"}));
    let _ = sleeps;
    Row {
        what: "`code_find` while `(sleep 25)` runs in the image".into(),
        measured: format!("{}, slowest {}", milliseconds(median(busy)), milliseconds(slowest)),
        baseline: format!("idle image {}", milliseconds(idle)),
        elsewhere: "-",
        target: "under 50 ms",
        met: slowest < 0.05,
    }
}

/// Calls that follow a run of tests, while they run again in a fresh image, beside calls when nothing else happens.
fn delays(setting: &Setting) -> Row {
    let root = tempfile::tempdir().expect("a temporary folder");
    let language = &LANGUAGES[1];
    for number in 0..MODULES {
        write(root.path(), (language.module)(number, 1));
    }
    (language.around)().into_iter().for_each(|file| write(root.path(), file));
    let mut client = start(setting, root.path());
    let tests = json!({"path": language.tests, "runtime": language.runtime});
    let session = client.call("run_tests", &tests)["structuredContent"]["session"].clone();
    let question = |_: usize| -> Value { json!({"code": "(+ 1 2)", "session": session, "timeout_seconds": 10}) };
    let high = |mut seconds: Vec<f64>| {
        seconds.sort_by(f64::total_cmp);
        seconds[seconds.len() * 99 / 100]
    };
    let (mut idle, mut busy) = (Vec::new(), Vec::new());
    for edit in 0..EDITS {
        write(root.path(), (language.module)(MODULES - 1, edit + 2));
        client.call("run_tests", &tests);
        busy.extend(client.time_calls(CALLS / EDITS, "repl_eval", question));
        client.call("repl_control", &json!({"action": "wait", "session": session}));
        idle.extend(client.time_calls(CALLS / EDITS, "repl_eval", question));
    }
    let (idle, busy) = (high(idle), high(busy));
    Row {
        what: "p99 of calls right after a run of tests, which runs again in a fresh image meanwhile".into(),
        measured: milliseconds(busy),
        baseline: format!("idle server {}, {:.2} x", milliseconds(idle), busy / idle),
        elsewhere: "-",
        target: "1.1 x",
        met: busy <= 1.1 * idle,
    }
}
