//! Clojure on the JVM. A start takes seconds, so each test is a whole conversation.

use std::path::Path;
use std::time::Duration;

use lispwright_runtime::*;
use tokio_util::sync::CancellationToken;

use crate::clojure;
use crate::lab::{Lab, alive, until};

fn started() -> Lab {
    for needed in ["/usr/share/java/clojure.jar", "/usr/share/java/nrepl.jar"] {
        assert!(Path::new(needed).exists(), "these tests need Clojure: apt-get install clojure libnrepl-clojure");
    }
    clojure()
}

fn values(report: &EvalReport) -> Vec<&str> {
    let Ending::Values(values) = &report.ending else { panic!("{report:#?}") };
    values.iter().map(|value| value.text.as_str()).collect()
}

#[tokio::test]
async fn code_is_evaluated_form_by_form() {
    let lab = started();
    let report = lab.report("(ns my.app) (def y 2) ; two\n(println \"hi\") [y ::k]").await;
    assert_eq!(values(&report), ["[2 :my.app/k]"]);
    assert!(
        matches!(report.notices[0], Notice::Started { with, .. } if with.starts_with("java")),
        "{:?}",
        report.notices
    );
    let earlier: Vec<(u32, &str)> = report.earlier.iter().map(|(index, value)| (*index, value.text.as_str())).collect();
    assert_eq!(earlier, [(1, "nil"), (2, "#'my.app/y"), (3, "nil")]);
    assert_eq!(report.stdout.head, "hi\n");
    assert_eq!(report.package.as_deref(), Some("my.app"), "the namespace lasts");
    assert_eq!(lab.values("y").await, "2");
    assert_eq!(lab.values("").await, "");

    let elsewhere = EvalRequest { package: Some("clojure.set".into()), ..EvalRequest::new("(str *ns*)") };
    assert_eq!(values(&lab.request(elsewhere).await), ["\"clojure.set\""]);
    assert_eq!(lab.values("(str *ns*)").await, "\"my.app\"", "it was for that call only");
    let nowhere = EvalRequest { package: Some("clojure.sett".into()), ..EvalRequest::new("(launch)") };
    let report = lab.request(nowhere).await;
    assert!(matches!(&report.ending, Ending::NoPackage { nearest, .. } if nearest[0] == "clojure.set"), "{report:#?}");

    let report = lab.request(EvalRequest { value_limit: 100, ..EvalRequest::new("(range)") }).await;
    let Ending::Values(endless) = &report.ending else { panic!("{report:#?}") };
    assert!(endless[0].cut && endless[0].text.starts_with("(0 1 2"), "{endless:?}");
    let short = EvalRequest { print_length: Some(3), print_level: Some(1), ..EvalRequest::new("[[1] 2 3 4]") };
    assert_eq!(values(&lab.request(short).await), ["[# 2 3 ...]"]);

    let report =
        lab.report("(binding [*out* *err*] (print \"e\") (flush)) (.print System/out \"raw\") (read-line)").await;
    assert_eq!((values(&report), report.stderr.head.as_str()), (vec!["nil"], "e"));
    assert_eq!(report.stdout.head, "raw");
    assert_eq!(report.notices[0], Notice::NoInput);
    assert_eq!(lab.values("\"λ ∀ 😀\"").await, "\"λ ∀ 😀\"");

    let safe = EvalRequest { safe_read: true, ..EvalRequest::new("1 #=(System/exit 3)") };
    let report = lab.request(safe).await;
    let Ending::Error { error, place } = &report.ending else { panic!("{report:#?}") };
    assert!(error.message.contains("safe_read") && place.index == 2 && place.phase == Phase::Read);

    let expand = |code: &str, level| {
        Request::Macroexpand(Expand {
            code: code.to_owned(),
            package: None,
            level,
            limit: 1000,
            timeout: Duration::from_secs(20).into(),
        })
    };
    for (code, level, expected, differs) in [
        ("(when a b)", ExpansionLevel::Once, "(if a (do b))", true),
        ("(-> a (when b))", ExpansionLevel::Full, "(if a (do b))", true),
        ("(f (when a b))", ExpansionLevel::All, "(f (if a (do b)))", true),
        ("(f 1)", ExpansionLevel::Full, "(f 1)", false),
    ] {
        let report = lab.call(MAIN, expand(code, level), &CancellationToken::new()).await.unwrap();
        let Ending::Expanded { expansion, changed } = &report.ending else { panic!("{report:#?}") };
        assert_eq!((expansion.text.as_str(), *changed), (expected, differs));
    }
    let pid = lab.pid().await;
    lab.shutdown().await;
    assert!(!alive(pid));
}

#[tokio::test]
async fn the_leftovers_of_evaluations_do_not_grow() {
    let lab = started();
    lab.report("(deftype Point [x]) (def made (->Point 1))").await;
    lab.report(&"(+ 1 2)\n".repeat(250)).await;
    let loaders = "(count (take-while some? (iterate (fn [^ClassLoader loader] (when loader (.getParent loader)))
                                                     (.getContextClassLoader (Thread/currentThread)))))";
    let count: u32 = lab.values(loaders).await.parse().unwrap();
    assert!(count < 60, "{count} class loaders after 250 evaluations");
    assert_eq!(lab.values("[(.x (Point. 2)) (instance? Point made) *1]").await, format!("[2 true {count}]"));
    // Classes that code has redefined are removed within a minute, not only when the heap is full.
    let kept = "(let [bean (java.lang.management.ManagementFactory/getPlatformMXBean com.sun.management.HotSpotDiagnosticMXBean)
                      milliseconds (parse-long (.getValue (.getVMOption bean \"SoftRefLRUPolicyMSPerMB\")))]
                  (<= (* milliseconds (quot (.maxMemory (Runtime/getRuntime)) 1048576)) 60000))";
    assert_eq!(lab.values(kept).await, "true");
    lab.shutdown().await;
}

#[tokio::test]
async fn errors_have_a_message_and_a_place() {
    let lab = started();
    let (error, place) = lab.error("(defn f [n]\n  (/ n 0))\n(+ 1 2)\n(f 1)\n(launch)").await;
    assert_eq!((error.type_name.as_str(), error.message.as_str()), ("java.lang.ArithmeticException", "Divide by zero"));
    assert_eq!((place.index, place.total, place.start), (3, Some(4), (4, 1)));
    let at: Vec<(&str, Option<u32>)> = error.frames.iter().map(|frame| (frame.call.as_str(), frame.line)).collect();
    assert_eq!(at, [("user/f", Some(2)), ("user/eval", Some(4))]);
    assert_eq!(lab.values("(ex-message *e)").await, "\"Divide by zero\"", "*e is kept");
    assert_eq!(lab.values("*2").await, "3", "and so are *1, *2 and *3");

    let (error, _) = lab.error("(throw (ex-info \"outer\" {:a 1} (ex-info \"inner\" {:b [1 2]})))").await;
    assert_eq!(error.type_name, "clojure.lang.ExceptionInfo");
    assert!(error.message.starts_with("inner\nex-data: {:b [1 2]}\nwrapped in"), "{}", error.message);
    let (error, place) = lab.error("1\n(nope)").await;
    assert!(error.message.contains("Unable to resolve symbol: nope") && error.message.contains("line 2"), "{error:?}");
    assert_eq!(place.index, 2);
    let (error, _) = lab.error("(let [x] x)").await;
    assert!(error.message.contains("even-number-of-forms"), "{error:?}");
    let (error, place) = lab.error("1 (+ 1").await;
    assert!(error.unclosed && place.phase == Phase::Read && place.index == 2, "{place:?}");
    let (_, place) = lab.error("1a").await;
    assert_eq!(place.phase, Phase::Read);
    let (_, place) = lab.error("(map inc [:a])").await;
    assert_eq!(place.phase, Phase::Print);
}

#[tokio::test]
async fn code_that_runs_too_long_is_interrupted_and_the_state_is_kept() {
    let lab = started();
    lab.report("(def here 42) (defn spin [] (while true))").await;
    let report = lab.within(1.0, "(spin)").await;
    let Ending::Stopped { reason, .. } = &report.ending else { panic!("{report:#?}") };
    assert_eq!(*reason, StopReason::Timeout);
    assert_eq!(lab.values("here").await, "42");
    let report = lab.within(1.0, "(println 1) (Thread/sleep 100000)").await;
    assert!(matches!(&report.ending, Ending::Stopped { place, .. } if place.index == 2), "{report:#?}");
    assert_eq!(report.stdout.head, "1\n");

    let deaf = "(def go (atom true)) (while @go (try (while @go) (catch Throwable _)))";
    let report = lab.within(0.5, deaf).await;
    assert!(matches!(&report.ending, Ending::Stopped { .. }) && report.runs_on, "{report:#?}");
    assert!(lab.status().sessions[0].runs_on);
    assert!(lab.report("1").await.runs_on, "it is told with each answer");
    assert_eq!(lab.values("(reset! go false)").await, "false");
    until("the code has ended", async || !lab.report("1").await.runs_on).await;

    let busy = async { lab.within(60.0, "(Thread/sleep 60000)").await };
    let other = async {
        until("the first call runs", async || lab.status().sessions[0].running_for.is_some()).await;
        let interrupt = async {
            until("the second call waits", async || lab.status().sessions[0].waiting.len() == 1).await;
            assert!(lab.interrupt(MAIN).unwrap());
        };
        let (second, ()) = tokio::join!(lab.values("here"), interrupt);
        assert_eq!(second, "42");
    };
    let (report, ()) = tokio::join!(busy, other);
    assert!(matches!(report.ending, Ending::Stopped { reason: StopReason::Interrupted, .. }), "{report:#?}");
    assert_eq!(lab.values("here").await, "42");

    let report = lab.report("(System/exit 3)").await;
    let Ending::Died { death, .. } = &report.ending else { panic!("{report:#?}") };
    assert!(death.exited && death.status.contains('3'), "{death:?}");
}

#[tokio::test]
async fn files_and_namespaces_are_loaded_and_tested() {
    let lab = started();
    let root = lab.directory.path();
    std::fs::create_dir_all(root.join("test/my")).unwrap();
    let write = |name: &str, text: &str| {
        std::fs::write(root.join(name), text).unwrap();
        LoadTarget::Path(root.join(name).display().to_string())
    };
    let good = write("good.clj", "(ns good)\n(set! *warn-on-reflection* true)\n(defn size [x]\n  (.length x))\n");
    let bad = write("bad.clj", "(ns bad)\n\n(defn f []\n  (nope))\n");
    write(
        "test/my/app_test.clj",
        "(ns my.app-test (:require [clojure.test :refer [deftest is testing]]))\n(deftest fine (is (= 1 1)) (is true))\n\
         (deftest wrong\n  (testing \"sums\"\n    (is (= 5 (+ 2 2)))))\n(deftest broken (throw (ex-info \"boom\" {})))\n",
    );
    let call = async |request| lab.call(MAIN, request, &CancellationToken::new()).await.unwrap();
    let timeout = Duration::from_secs(60).into();

    let report = call(Request::Load {
        target: good,
        project: Project::default(),
        force: true,
        clear: false,
        in_system: false,
        timeout,
    })
    .await;
    assert!(matches!(report.ending, Ending::Loaded { .. }), "{report:#?}");
    let warning = &report.diagnostics[0];
    assert_eq!((warning.severity.as_str(), warning.line), ("warning", Some(4)), "{report:#?}");
    assert!(report.stderr.is_empty(), "it is told once: {report:#?}");
    let report = call(Request::Load {
        target: bad,
        project: Project::default(),
        force: true,
        clear: false,
        in_system: false,
        timeout,
    })
    .await;
    assert!(matches!(report.ending, Ending::Error { .. }), "{report:#?}");
    let error = &report.diagnostics[0];
    assert_eq!((error.severity.as_str(), error.line), ("error", Some(4)), "{report:#?}");
    assert!(error.message.contains("nope") && error.file.as_deref().unwrap().ends_with("/bad.clj"), "{error:?}");

    let tests = |names: &[&str]| Request::RunTests {
        target: LoadTarget::System("my.app-test".into()),
        project: Project::default(),
        framework: None,
        tests: names.iter().map(|name| (*name).to_owned()).collect(),
        timeout,
    };
    let tally = call(tests(&[])).await.tests.unwrap();
    assert_eq!((tally.framework.as_str(), tally.passed, tally.failed), ("clojure.test", 2, 2));
    assert_eq!(tally.names, ["fine", "wrong", "broken"]);
    let wrong = tally.failed_tests.iter().find(|test| test.name == "wrong").unwrap();
    assert_eq!((wrong.description.as_str(), wrong.line), ("sums", Some(5)));
    assert!(wrong.file.as_deref().unwrap().ends_with("my/app_test.clj"), "{wrong:?}");
    assert!(wrong.values.contains(&("actual".into(), "(not (= 5 4))".into())), "{wrong:?}");
    assert!(tally.failed_tests.iter().any(|test| test.name == "broken" && test.reason.contains("error")), "{tally:#?}");
    assert_eq!(call(tests(&["fine"])).await.tests.unwrap().total(), 2);
    assert_eq!(call(tests(&["absent"])).await.tests.unwrap().total(), 0);

    std::fs::write(root.join("latin.clj"), b"(def name \"caf\xe9\")\n").unwrap();
    let target = LoadTarget::Path(root.join("latin.clj").display().to_string());
    let report = call(Request::Load {
        target,
        project: Project::default(),
        force: true,
        clear: false,
        in_system: false,
        timeout,
    })
    .await;
    assert!(
        matches!(&report.ending, Ending::Error { error, .. } if error.message.contains("utf-8")),
        "a file that cannot be read is no fault of the image: {report:#?}"
    );
}
