//! Servers that answer garbage, late, in pieces, or not at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lispwright_runtime::notice::Remaining;
use lispwright_runtime::{Ending, EvalReport, ExecutionStatus, FoundServer, MAIN, Notice, SessionError, StopReason};

use crate::fake::{Say, field, message, polite, serve};
use crate::lab::{Lab, runtime};
use crate::{clojure, clojure_with};

/// A session attached to a server that answers code by `eval`.
async fn attached(eval: impl Fn(&str, &str) -> Say + Send + Sync + Clone + 'static) -> Lab {
    let address = serve(move |id, request| polite(id, request, eval.clone()));
    let lab = clojure();
    let status = lab.attach(MAIN, FoundServer::known(address, runtime("clojure"))).await.unwrap();
    assert_eq!(status.pid, None);
    assert!(status.version.unwrap().contains(&format!("attached to {address}")));
    lab
}

fn lost(report: &EvalReport) -> &str {
    let Ending::Died { death, .. } = &report.ending else { panic!("{report:#?}") };
    assert!(!death.killed && !death.exited);
    &death.status
}

#[tokio::test]
async fn answers_in_pieces_and_unknown_statuses_are_put_together() {
    let lab = attached(|id, _| {
        let mut bytes = message(&[("id", "999"), ("value", "not mine")], &["done"]);
        bytes.extend(message(&[("id", id), ("out", "pri")], &[]));
        bytes.extend(message(&[("id", id), ("out", "nted")], &["half-way", "state"]));
        bytes.extend(message(&[("id", id), ("ns", "here"), ("value", "42")], &["something-new"]));
        bytes.extend(message(&[("id", id)], &["done", "and-more"]));
        Say::Slowly(bytes)
    })
    .await;
    let report = lab.report("(f)").await;
    let Ending::Values(values) = &report.ending else { panic!("{report:#?}") };
    assert_eq!(values[0].text, "42");
    assert_eq!((report.stdout.head.as_str(), report.package.as_deref()), ("printed", Some("here")));
}

#[tokio::test]
async fn a_server_that_vanishes_or_sends_garbage_is_reported_and_tried_again() {
    for (say, words) in [
        (b"" as &[u8], "closed the connection"),
        (b"d2:id1:", "closed the connection"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "does not speak nREPL"),
        (b"99999999999999:", "does not speak nREPL"),
    ] {
        let lab = attached(move |_, _| Say::Last(say.to_vec())).await;
        let report = lab.report("(f)").await;
        assert!(lost(&report).contains(words), "{report:#?}");
        assert_eq!(report.ending.status(), ExecutionStatus::Unknown);
        let again = lab.report("(f)").await;
        assert_eq!(again.notices[0], Notice::Reconnected(Remaining::Unknown), "{again:#?}");
    }
}

#[tokio::test]
async fn a_server_that_never_answers_is_left_alone_when_the_time_is_up() {
    let lab = attached(|_, _| Say::Nothing).await;
    let report = lab.within(0.2, "(f)").await;
    assert!(lost(&report).contains("was left alone"), "{report:#?}");
    let Ending::Died { reason, .. } = report.ending else { unreachable!() };
    assert_eq!(reason, Some(StopReason::Timeout));
}

#[tokio::test]
async fn endless_output_is_stopped() {
    let address = serve(|id, request| {
        polite(id, request, |id, _| Say::Bytes(message(&[("id", id), ("out", &"x".repeat(1 << 20))], &[]).repeat(3)))
    });
    let lab = clojure_with(|config| config.output_limit = 1 << 20);
    lab.attach(MAIN, FoundServer::known(address, runtime("clojure"))).await.unwrap();
    let report = lab.report("(f)").await;
    let Ending::Died { reason, .. } = &report.ending else { panic!("{:#?}", report.ending) };
    assert_eq!(*reason, Some(StopReason::Output));
    assert!(report.stdout.dropped > 0);
}

#[tokio::test]
async fn an_operation_that_the_server_lacks_is_an_answer() {
    let lab = attached(|id, request| {
        assert_eq!(field(request, "op"), "eval");
        Say::Bytes(message(&[("id", id)], &["error", "unknown-op", "done"]))
    })
    .await;
    let report = lab.report("(f)").await;
    assert!(matches!(&report.ending, Ending::AgentFault(why) if why.contains("unknown-op")), "{report:#?}");
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_replaced() {
    let clones = Arc::new(AtomicUsize::new(0));
    let address = serve(move |id, request| match (field(request, "op").as_str(), field(request, "session").as_str()) {
        ("clone", _) => {
            let name = format!("s{}", clones.fetch_add(1, Ordering::Relaxed));
            Say::Bytes(message(&[("id", id), ("new-session", &name)], &["done"]))
        }
        ("eval", "s0") => Say::Bytes(message(&[("id", id)], &["error", "unknown-session", "done"])),
        _ => polite(id, request, |id, _| Say::Bytes(message(&[("id", id), ("value", "42")], &["done"]))),
    });
    let lab = clojure();
    lab.attach(MAIN, FoundServer::known(address, runtime("clojure"))).await.unwrap();
    let report = lab.report("(f)").await;
    assert!(matches!(&report.ending, Ending::Values(values) if values[0].text == "42"), "{report:#?}");
    assert!(report.notices.contains(&Notice::Reconnected(Remaining::WithoutHistory)), "{report:#?}");
    assert!(lab.report("(f)").await.notices.is_empty());
}

#[tokio::test]
async fn an_old_server_gets_no_options_that_it_does_not_know() {
    let address = serve(|id, request| match field(request, "op").as_str() {
        "describe" => {
            let versions = "d7:clojured14:version-string6:1.10.0e5:nrepld14:version-string5:0.5.3ee";
            let ops = "d5:clonede4:evaldee";
            Say::Bytes(format!("d2:id{}:{id}3:ops{ops}6:statusl4:donee8:versions{versions}e", id.len()).into_bytes())
        }
        "clone" => Say::Bytes(message(&[("id", id), ("new-session", "s")], &["done"])),
        _ if request.contains("nrepl.middleware.print") || request.contains("caught") => Say::Nothing,
        // Such a server prints the error, and was not asked to suppress it.
        _ if request.contains("(f)") => {
            let mut bytes = message(&[("err", "Execution error at f.\n"), ("id", id)], &[]);
            bytes.extend(message(&[("ex", "class java.lang.ArithmeticException"), ("id", id)], &["eval-error"]));
            bytes.extend(message(&[("id", id)], &["done"]));
            Say::Bytes(bytes)
        }
        _ => Say::Bytes(message(&[("id", id), ("value", "\"(:TYPE \\\"T\\\" :MESSAGE \\\"M\\\")\"")], &["done"])),
    });
    let lab = clojure();
    lab.attach(MAIN, FoundServer::known(address, runtime("clojure"))).await.unwrap();
    let report = lab.report("(f)").await;
    let Ending::Error { error, .. } = &report.ending else { panic!("{report:#?}") };
    assert_eq!((error.type_name.as_str(), error.message.as_str()), ("T", "M"));
    assert_eq!(report.stderr.head, "", "it is told once");
}

#[tokio::test]
async fn a_listener_that_is_no_nrepl_server_is_refused() {
    for say in [b"SSH-2.0-OpenSSH_9.2\r\n" as &[u8], b"d6:statusl4:doneee"] {
        let address = serve(move |_, _| Say::Last(say.to_vec()));
        let error = clojure().attach(MAIN, FoundServer::known(address, runtime("clojure"))).await.unwrap_err();
        assert!(matches!(&error, SessionError::Unreachable(why) if why.contains("cannot be used")), "{error}");
    }
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert!(matches!(
        clojure().attach(MAIN, FoundServer::known(closed, runtime("clojure"))).await,
        Err(SessionError::Unreachable(_))
    ));
}

#[tokio::test]
async fn detaching_leaves_the_server_and_forgets_the_session() {
    let lab = attached(|id, _| Say::Bytes(message(&[("id", id), ("value", "1")], &["done"]))).await;
    lab.detach(MAIN).await.unwrap();
    assert!(lab.status().sessions.is_empty());
    assert_eq!(lab.detach(MAIN).await, Err(SessionError::Unknown(MAIN.to_owned())));
}

#[tokio::test]
async fn a_session_attaches_to_the_server_in_the_port_file_of_the_project() {
    let address =
        serve(|id, request| polite(id, request, |id, _| Say::Bytes(message(&[("id", id), ("value", "1")], &["done"]))));
    let lab = clojure();
    std::fs::write(lab.directory.path().join(".nrepl-port"), address.port().to_string()).unwrap();
    let report = lab.report("(f)").await;
    let Notice::Attached { file, .. } = &report.notices[0] else { panic!("{report:#?}") };
    assert!(file.ends_with(".nrepl-port"), "{report:#?}");
    lab.shutdown().await;
    assert!(lab.directory.path().join(".nrepl-port").exists(), "it is the owner's");
}
