//! The image, its variables, its threads and its end stay the owner's.

use lispwright_runtime::*;

use crate::lab::{lab, runtime, until};
use crate::server::Server;
use crate::{attached, attached_after};

#[tokio::test]
async fn the_image_and_its_state_outlive_the_session() {
    let (mut server, lab) = attached().await;
    lab.mark_state().await;
    lab.detach(MAIN).await.unwrap();
    assert!(lab.status().sessions.is_empty());
    lab.attach("again", FoundServer::known(server.address, runtime("swank"))).await.unwrap();
    let report = lab.eval("again", EvalRequest::new("*here*"), &Default::default()).await.unwrap();
    assert!(matches!(&report.ending, Ending::Values(values) if values[0].text == "42"), "{report:#?}");
    lab.shutdown().await;
    assert!(server.is_alive());
}

#[tokio::test]
async fn the_owners_variables_stay_what_they_are() {
    let (_server, lab) = attached_after("(setf * :theirs) (defvar *said* *standard-output*)").await;
    lab.values("(list 1 2)").await;
    assert_eq!(lab.values("*").await, "(1 2)", "a session has its own");
    lab.values("(in-package :keyword)").await;
    let elsewhere = "(cl:list (sb-thread:join-thread (sb-thread:make-thread (cl:lambda () (cl:list cl:* \
                     (cl:package-name cl:*package*) (cl:eq cl:*standard-output* cl-user::*said*))))))";
    let report = lab.report(elsewhere).await;
    let Ending::Values(values) = &report.ending else { panic!("{report:#?}") };
    assert!(values[0].text.contains(":THEIRS \"COMMON-LISP-USER\" COMMON-LISP:T"), "{}", values[0].text);
}

#[tokio::test]
async fn two_sessions_on_one_image_do_not_disturb_each_other() {
    let (server, lab) = attached().await;
    lab.attach("other", FoundServer::known(server.address, runtime("swank"))).await.unwrap();
    let other = |code: &str| {
        let request = EvalRequest::new(code);
        let sessions = lab.sessions.clone();
        async move { sessions.eval("other", request, &Default::default()).await.unwrap() }
    };
    lab.values("(in-package :keyword)").await;
    let report = other("(print :there) (package-name *package*)").await;
    assert_eq!(report.stdout.head, "\n:THERE ");
    assert!(matches!(&report.ending, Ending::Values(values) if values[0].text == "\"COMMON-LISP-USER\""));
    let (one, two) = tokio::join!(lab.report("(cl:sleep 0.2) (cl:princ 1)"), other("(sleep 0.1) (princ 2)"));
    assert_eq!((one.stdout.head.as_str(), two.stdout.head.as_str()), ("1", "2"));
}

#[tokio::test]
async fn requests_that_somebody_elses_image_does_not_support_are_refused() {
    let (mut server, lab) = attached().await;
    let trial = EvalRequest { trial: true, ..EvalRequest::new("1") };
    let refused = lab.eval(MAIN, trial, &Default::default()).await;
    assert_eq!(refused.unwrap_err(), SessionError::Lacks(runtime("swank"), Capability::Checkpoint));
    let refused = lab.call(MAIN, Request::Checkpoint("x".into()), &Default::default()).await;
    assert_eq!(refused.unwrap_err(), SessionError::Lacks(runtime("swank"), Capability::Checkpoint));
    assert_eq!(lab.kill(MAIN).await.unwrap_err(), SessionError::Theirs(MAIN.into()));
    assert_eq!(lab.reset(MAIN, None).await.unwrap_err(), SessionError::Theirs(MAIN.into()));
    assert_eq!(lab.values("(+ 1 2)").await, "3");
    assert!(server.is_alive());
}

#[tokio::test]
async fn the_end_of_an_image_is_reported_and_the_session_can_attach_to_another() {
    let (mut server, lab) = attached().await;
    server.end();
    let report = lab.report("(+ 1 2)").await;
    assert!(matches!(&report.ending, Ending::Died { death, .. } if death.status.contains("connection")), "{report:#?}");
    assert!(report.theirs && !report.stopped);
    let error = lab.eval(MAIN, EvalRequest::new("1"), &Default::default()).await.unwrap_err();
    assert!(matches!(&error, SessionError::Lost { runtime: lost, .. } if *lost == runtime("swank")), "{error}");
    let next = Server::start("");
    lab.attach(MAIN, FoundServer::known(next.address, runtime("swank"))).await.unwrap();
    assert_eq!(lab.values("(+ 1 2)").await, "3");
}

#[tokio::test]
async fn code_that_exits_ends_the_image_because_it_says_so() {
    let (_server, lab) = attached().await;
    let report = lab.report("(sb-ext:exit :abort t)").await;
    assert!(matches!(&report.ending, Ending::Died { .. }), "{report:#?}");
}

#[tokio::test]
async fn held_stacks_are_given_up_when_the_connection_ends() {
    let (server, lab) = attached().await;
    lab.request(EvalRequest {
        hold: true,
        ..EvalRequest::new("(defvar *left* nil) (unwind-protect (error \"x\") (setf *left* t))")
    })
    .await;
    lab.detach(MAIN).await.unwrap();
    let next = lab_on(&server).await;
    let code = "(loop repeat 100 until *left* do (sleep 0.05)) *left*";
    assert_eq!(next.values(code).await, "T");
}

#[tokio::test]
async fn running_code_is_stopped_when_the_session_is_detached() {
    let (server, lab) = attached().await;
    lab.values("(defvar *begun* nil) (defvar *left* nil)").await;
    let sessions = lab.sessions.clone();
    let code = "(unwind-protect (loop (setf *begun* t)) (setf *left* t))";
    let running =
        tokio::spawn(async move { sessions.eval(MAIN, EvalRequest::new(code), &Default::default()).await.unwrap() });
    let witness = lab_on(&server).await;
    until("the code runs", async || witness.values("*begun*").await == "T").await;
    lab.detach(MAIN).await.unwrap();
    let report = running.await.unwrap();
    assert!(matches!(report.ending, Ending::Stopped { reason: StopReason::Killed, .. }), "{report:#?}");
    until("it has left", async || witness.values("*left*").await == "T").await;
}

async fn lab_on(server: &Server) -> crate::Lab {
    let lab = lab();
    lab.attach(MAIN, FoundServer::known(server.address, runtime("swank"))).await.unwrap();
    lab
}

#[tokio::test]
async fn errors_of_other_threads_are_reported_with_their_thread() {
    let (_server, lab) = attached().await;
    let code = "(defvar *thread* (sb-thread:make-thread (lambda () (error \"elsewhere\")) :name \"bad\"))";
    let mut report = lab.report(code).await;
    // The next call after the error reports it.
    until("the error is reported", async || {
        if report.background.is_empty() {
            report = lab.report("nil").await;
        }
        !report.background.is_empty()
    })
    .await;
    let told = report.background.first().unwrap();
    assert_eq!(told.message, "elsewhere");
    assert_eq!(told.thread.as_deref(), Some("bad"), "{told:?}");
    assert_eq!(lab.values("(sb-thread:thread-alive-p *thread*)").await, "T");
}

#[tokio::test]
async fn the_protocol_of_a_server_is_found_out() {
    let server = Server::start("");
    let address = ServerAddress::read(&server.address.to_string()).unwrap();
    let lab = lab();
    let found = lab.find_server(address).await.unwrap();
    assert_eq!(found.runtime(), runtime("swank"));
    lab.attach(MAIN, found).await.unwrap();
    assert_eq!(lab.values("(+ 1 2)").await, "3");
}

#[tokio::test]
async fn a_server_that_requires_a_secret_gets_the_one_in_the_home_directory() {
    // The secret is read from the home of this process, which the tests do not change, so the server refuses, with a
    // reason.
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join(".slime-secret"), "open sesame\n").unwrap();
    let server = Server::start_at(home.path(), "");
    let error = lab().attach(MAIN, FoundServer::known(server.address, runtime("swank"))).await.unwrap_err();
    assert!(matches!(&error, SessionError::Unreachable(why) if why.contains("cannot be used")), "{error}");
}
