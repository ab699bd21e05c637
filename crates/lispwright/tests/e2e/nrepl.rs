//! Clojure over nREPL, through the binary: our own servers on the JVM and on Node, and those of other owners.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::client::{Answer, Session};
use crate::nbb_install::nbb;

const APP: &str = "(ns my.app \"The app.\")\n\n(defn twice\n  \"Two of it.\"\n  [x] [x x])\n\n(defmacro unless [c x] `(if ~c nil ~x))\n\
                   (defrecord Point [x y])\n";

const TESTS: &str = "(ns my.app-test (:require [clojure.test :refer [deftest is testing]]\n            [my.app :as app]))\n\
                     (deftest fine (is (= [1 1] (app/twice 1))))\n(deftest wrong (testing \"sums\" (is (= 5 (+ 2 2)))))\n";

pub(crate) fn project() -> Session {
    for needed in ["/usr/share/java/clojure.jar", "/usr/share/java/nrepl.jar"] {
        assert!(Path::new(needed).exists(), "these tests need Clojure: apt-get install clojure libnrepl-clojure");
    }
    let session = Session::with_sets("docs", "src/my/app.clj", APP);
    session.project.file("test/my/app_test.clj", TESTS);
    session.project.file("deps.edn", "{:paths [\"src\"]}");
    session
}

#[track_caller]
pub(crate) fn says(answer: &Answer, parts: &[&str]) {
    for part in parts {
        assert!(answer.text.contains(part), "{:?} does not say {part:?}", answer.text);
    }
}

#[test]
fn a_conversation_with_a_server_of_our_own() {
    let mut session = project();
    let first = session.ok("repl_eval", json!({ "code": "(println \"hi\") (def x 41) [(inc x) :b]" }));
    says(
        &first,
        &["[stdout]\nhi\n", "[form 2] => #'user/x\n", "=> [42 :b]\n", "[note] Started an nREPL server with java"],
    );
    assert_eq!(first.fields["values"], json!(["[42 :b]"]));

    let error = session.client.call("repl_eval", json!({ "code": "(defn f [n] (/ n 0))\n(f 1)" }));
    says(
        &error,
        &["[ERROR] java.lang.ArithmeticException\nDivide by zero\n[Backtrace]\n", "In form 2 of 2, line 2: (f 1)"],
    );
    let deep = "(defn down [n] (if (pos? n) (inc (down (dec n))) (/ 1 0))) (down 100)";
    let deep = session.client.call("repl_eval", json!({ "code": deep }));
    says(&deep, &["0: user/down  code:1\n   ... 99 more like it\n100: user/down  code:1\n101: user/eval  code:1\n"]);
    let typo = session.client.call("repl_eval", json!({ "code": "(defn g [] (nope))" }));
    says(&typo, &["Unable to resolve symbol: nope"]);
    let open = session.client.call("repl_eval", json!({ "code": "(+ 1" }));
    says(&open, &["a closing delimiter is missing", "Nothing was evaluated"]);

    // This loop notices the interrupt; the tests of the runtime crate have one that does not.
    let slow = "(while true (Thread/sleep 5))";
    let slow = session.client.call("repl_eval", json!({ "code": slow, "timeout_seconds": 0.5 }));
    assert_eq!((&slow.fields["code"], &slow.fields["execution_status"]), (&json!("TIMEOUT"), &json!("interrupted")));
    assert_eq!(session.ok("repl_eval", json!({ "code": "x" })).text, "=> 41", "the state is kept");
    let held = session.client.call("repl_eval", json!({ "code": "(/ 1 0)", "on_error": "hold" }));
    assert_eq!(held.fields["code"], "UNSUPPORTED", "{}", held.text);

    says(&session.ok("load_system", json!({ "path": "src/my/app.clj" })), &["Loaded src/my/app.clj"]);
    session.project.file("src/my/bad.clj", "(ns my.bad)\n\n(defn f []\n  (nope))\n");
    let bad = session.client.call("load_system", json!({ "system": "my.bad" }));
    says(&bad, &["did not load, 1 error", "src/my/bad.clj:4:3: error: Unable to resolve symbol: nope"]);
    let tests = session.ok("run_tests", json!({ "path": "test/my/app_test.clj", "framework": "clojure.test" }));
    assert_eq!((&tests.fields["passed"], &tests.fields["failed"]), (&json!(1), &json!(1)), "{}", tests.text);
    says(&tests, &["clojure.test", "wrong", "test/my/app_test.clj:4", "(not (= 5 4))"]);

    let expanded = session.ok("macroexpand", json!({ "code": "(unless a b)", "package": "my.app" }));
    assert_eq!(expanded.fields["expansion"], "(if a nil b)");
    let place = session.ok("macroexpand", json!({ "path": "src/my/app.clj", "name": "twice" }));
    says(&place, &["(def", "twice"]);

    for (symbol, expected) in [
        ("twice", "my.app/twice, exported from my.app\n[function] twice [x]  src/my/app.clj:3\nTwo of it."),
        ("my.app/unless", "[macro] unless [c x]  src/my/app.clj:7"),
        ("Point", "my.app.Point\n[record] Point  src/my/app.clj:8\nfields: [x y]"),
        ("my.app", "[namespace] my.app\npublic: ->Point map->Point twice unless\nThe app."),
        ("x", "[var] x\nvalue: 41"),
        ("if", "[special form] if"),
        ("map", "[function] map [f]\nor [f coll]"),
    ] {
        says(&session.ok("code_describe", json!({ "symbol": symbol })), &[expected]);
    }
    session.refused("code_describe", json!({ "symbol": "twcie" }), "BAD_ARGUMENT", &["Nearest: my.app/twice"]);
    says(&session.ok("code_find", json!({ "symbol": "Point" })), &["src/my/app.clj:8: defrecord Point"]);
    says(
        &session.ok("code_find_references", json!({ "symbol": "twice" })),
        &["test/my/app_test.clj:3:29: call in deftest fine"],
    );
    session.refused("code_find_references", json!({ "symbol": "x" }), "UNSUPPORTED", &["keeps no record"]);
    let exports = session.ok("code_exports", json!({ "path": "src/my/app.clj", "offset": 2 }));
    assert_eq!(
        exports.text,
        "my.app exports 4 names:\nfunction twice [x]  src/my/app.clj:3  Two of it.\nmacro unless [c x]  src/my/app.clj:7"
    );
    says(
        &session.ok("code_exports", json!({ "module": "clojure.string", "limit": 1 })),
        &["function blank? [s]", "\"offset\": 1}"],
    );
    says(&session.client.call("code_exports", json!({ "module": "my.ap" })), &["Nearest: my.app"]);

    // The macro is expanded in the namespace of the file, where its name is known.
    let record = session.ok("macroexpand", json!({ "path": "src/my/app.clj", "name": "Point" }));
    says(&record, &["my.app.Point"]);
    session.ok("repl_eval", json!({ "code": "(defmacro boom [] (/ 1 0))" }));
    let boom = session.client.call("macroexpand", json!({ "code": "(boom)" }));
    says(&boom, &["Divide by zero", "[Backtrace]\n0: user/boom  code:1"]);
    assert!(!boom.text.contains("user/eval"), "only frames of the user's own: {}", boom.text);
    let wrapped = "(throw (ex-info \"outer\" {:a 1} (RuntimeException. \"inner\")))";
    let wrapped = session.client.call("repl_eval", json!({ "code": wrapped }));
    says(&wrapped, &["inner\nwrapped in clojure.lang.ExceptionInfo: outer {:a 1}\n[Backtrace]\n0: user/eval  code:1"]);
    assert!(!wrapped.text.contains("\n1: "), "only frames of the user's own: {}", wrapped.text);
    let tag = session.client.call("repl_eval", json!({ "code": "#my/tag 1" }));
    says(&tag, &["No reader function for tag my/tag", "failed at line 1"]);

    let ended =
        session.client.call("repl_eval", json!({ "code": "(shutdown-agents) @(promise)", "timeout_seconds": 0.5 }));
    assert_eq!(ended.fields["execution_status"], "interrupted", "{}", ended.text);
    assert_eq!(session.ok("repl_eval", json!({ "code": "[x @(future (inc x))]" })).text, "=> [41 42]");
    let loaders = "(count (take-while some? (iterate #(.getParent ^ClassLoader %) (.getContextClassLoader (Thread/currentThread)))))";
    let before = session.ok("repl_eval", json!({ "code": loaders })).text;
    for _ in 0..20 {
        session.ok("repl_eval", json!({ "code": "(inc x)" }));
    }
    assert_eq!(session.ok("repl_eval", json!({ "code": loaders })).text, before, "evaluations leave no class loaders");

    let last = session.client.call("repl_eval", json!({ "code": "(System/exit 3)" }));
    assert_eq!(last.fields["code"], "SESSION_LOST", "{}", last.text);
}

/// A server that a user has started.
struct Other {
    process: Child,
    port: u16,
}

impl Other {
    fn start() -> Self {
        let program = "(require 'nrepl.server) (def theirs 7) \
                       (println \"port\" (:port (nrepl.server/start-server :bind \"127.0.0.1\"))) (flush) @(promise)";
        let jars = ["clojure", "spec.alpha", "core.specs.alpha", "nrepl", "bencode"];
        let path = jars.map(|jar| format!("/usr/share/java/{jar}.jar")).join(":");
        let mut java = Command::new("java");
        java.args(["-cp", &path, "clojure.main", "-e", program]).stdin(Stdio::null());
        let mut process = java.stdout(Stdio::piped()).spawn().expect("these tests need java");
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.map_while(Result::ok).find_map(|line| line.strip_prefix("port ")?.trim().parse().ok());
        Self { process, port: port.expect("the server says its port") }
    }

    fn is_alive(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_foreign_server_is_joined_and_left_but_never_ended() {
    let mut other = Other::start();
    let address = format!("127.0.0.1:{}", other.port);
    let mut session = project();
    let attached = session.ok("repl_control", json!({ "action": "attach", "address": address }));
    says(&attached, &["is attached", "its owner's", "detach"]);
    assert_eq!(session.ok("repl_eval", json!({ "code": "theirs" })).text, "=> 7");
    says(&session.ok("repl_control", json!({ "action": "status" })), &[&format!("attached to {address}")]);
    let stopped = session.client.call("repl_eval", json!({ "code": "(while true)", "timeout_seconds": 0.5 }));
    assert_eq!(stopped.fields["code"], "TIMEOUT", "{}", stopped.text);
    // Output of their code between calls comes with the next answer, in one piece.
    session.ok(
        "repl_eval",
        json!({ "code": "(def told (promise)) (future (dotimes [n 500] (println \"tick\" n)) (deliver told 1)) nil" }),
    );
    let chatty = session.ok("repl_eval", json!({ "code": "@told" }));
    assert!(chatty.text.contains("\n=> 1"), "{}", chatty.text);
    says(&session.ok("repl_control", json!({ "action": "detach" })), &["goes on"]);
    assert!(other.is_alive());

    session.project.file(".nrepl-port", other.port.to_string());
    let found = session.ok("repl_eval", json!({ "code": "(def mine theirs) mine" }));
    says(&found, &["=> 7", "that .nrepl-port names; it belongs to somebody else"]);
    let kept = session.client.call("repl_control", json!({ "action": "kill" }));
    assert!(kept.is_error && kept.text.contains("cannot be ended"), "{}", kept.text);
    assert!(other.is_alive());
    says(&session.ok("repl_eval", json!({ "code": "mine" })), &["=> 7"]);

    other.process.kill().unwrap();
    other.process.wait().unwrap();
    let gone = session.client.call("repl_eval", json!({ "code": "mine" }));
    assert!(gone.is_error && gone.fields["code"] == "SESSION_LOST", "{}", gone.text);
    says(&gone, &["closed the connection"]);
}

#[test]
fn a_server_that_does_not_speak_nrepl_is_reported() {
    let mut session = project();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let mut request = [0; 1000];
            let _ = connection.read(&mut request);
            let _ = connection.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let garbage = session.client.call("repl_control", json!({ "action": "attach", "address": address }));
    assert!(garbage.is_error, "{}", garbage.text);
    says(&garbage, &["does not speak nREPL"]);
    let nobody = session.client.call("repl_control", json!({ "action": "attach", "address": "127.0.0.1:1" }));
    says(&nobody, &["127.0.0.1:1", "refused"]);
    let far = session.client.call("repl_control", json!({ "action": "attach", "address": "192.0.2.1:7888" }));
    assert_eq!(far.fields["code"], "BAD_ARGUMENT", "{}", far.text);
    let none = session.client.call("repl_control", json!({ "action": "detach" }));
    assert!(none.is_error, "{}", none.text);
}

#[test]
fn nbb_runs_its_projects() {
    let mut session = Session::with_file("nbb.edn", "{}");
    session.project.link("node_modules", nbb().join("node_modules"));
    session.project.file("src/my/app.cljs", APP.replace("(defmacro unless [c x] `(if ~c nil ~x))\n", ""));
    let first = session.ok("repl_eval", json!({ "code": "(println \"hi\") (inc 41)", "runtime": "clojure" }));
    says(&first, &["[stdout]\nhi\n", "=> 42\n", "with nbb"]);
    let error =
        session.client.call("repl_eval", json!({ "code": "(throw (ex-info \"boom\" {:a 1}))", "runtime": "clojure" }));
    says(&error, &["[ERROR] ExceptionInfo\nboom\nex-data: {:a 1}"]);
    session.ok("repl_eval", json!({ "code": "(ns my.app) (defn twice \"Two.\" [x] [x x])", "runtime": "clojure" }));
    let described = session.ok("code_describe", json!({ "symbol": "twice" }));
    says(&described, &["my.app/twice, exported from my.app\n[function] twice [x]\nTwo."]);
    session.refused("code_describe", json!({ "symbol": "twcie" }), "BAD_ARGUMENT", &["Nearest: twice"]);
    let expanded = session.ok("macroexpand", json!({ "code": "(when a b)", "runtime": "clojure" }));
    says(&expanded, &["(if a (do b))"]);
    let status = session.ok("repl_control", json!({ "action": "status", "detail": true }));
    says(&status, &["nbb"]);
}

#[test]
fn directories_that_the_project_lists_are_on_the_class_path() {
    let mut session =
        Session::with_file("deps.edn", "{:paths [\"src/main/clojure\"] :deps {x/y {:mvn/version \"1\"}}}\n");
    session.project.file("src/main/clojure/my/mill.clj", "(ns my.mill)\n(defn grind [x] (.length x))\n");
    let arguments = json!({ "system": "my.mill", "runtime": "clojure" });
    says(
        &session.ok("load_system", arguments),
        &["Loaded my.mill", "Neither ~/.m2, ~/.gitlibs nor /usr/share/maven-repo has x/y 1."],
    );
    says(&session.ok("repl_eval", json!({ "code": "(my.mill/grind \"abc\")" })), &["=> 3"]);
}
