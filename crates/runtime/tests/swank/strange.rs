//! Servers that answer garbage, late, in pieces, without end, or not at all.

use lispwright_runtime::notice::Remaining;
use lispwright_runtime::*;

use crate::fake::{Say, done, frame, polite, returned, serve};
use crate::lab::{Lab, lab, lab_with, runtime};

const VALUES: &str = ":OUTCOME :COMPLETED :VALUES ((\"42\" NIL)) :PACKAGE \"HERE\"";

/// A session attached to a server that answers requests by `attend`.
async fn attached(attend: impl Fn(i64, &str) -> Say + Send + Sync + Clone + 'static) -> Lab {
    let address = serve(move |id, payload| polite("9.99", id, payload, attend.clone()));
    let lab = lab();
    let status = lab.attach(MAIN, FoundServer::known(address, runtime("swank"))).await.unwrap();
    assert_eq!(status.pid, None);
    assert_eq!(status.version.unwrap(), format!("FAKE 1, Swank 9.99 (process 7), attached to {address}"));
    lab
}

fn lost(report: &EvalReport) -> &str {
    let Ending::Died { death, .. } = &report.ending else { panic!("{report:#?}") };
    assert!(!death.killed && !death.exited && report.theirs && !report.stopped);
    &death.status
}

#[tokio::test]
async fn answers_in_pieces_and_unknown_messages_are_put_together() {
    let lab = attached(|id, _| {
        let said = [
            "(:indentation-update ((\"f\" 1 (\"P\")) (a . b) #<x>))".to_owned(),
            "(:something-new 1 2 3)".to_owned(),
            "not even a list".to_owned(),
            String::new(),
            "(:write-string \"pri\")".to_owned(),
            "(:write-string \"nted\")".to_owned(),
            returned(id + 1000, "\"not mine\""),
            done(id + 1000, VALUES),
            done(id, VALUES),
        ];
        Say::Slowly(said.iter().flat_map(|one| frame(one)).collect())
    })
    .await;
    let report = lab.report("(f)").await;
    let Ending::Values(values) = &report.ending else { panic!("{report:#?}") };
    assert_eq!(values[0].text, "42");
    assert_eq!((report.stdout.head.as_str(), report.package.as_deref()), ("printed", Some("HERE")));
}

#[tokio::test]
async fn questions_of_a_thread_are_answered() {
    let lab = attached(|id, payload| {
        // Each answer lets the server ask the next question; after the last it answers the call, which was the fourth.
        let call = 4;
        Say::Messages(vec![match payload.split(' ').next().unwrap() {
            "(:emacs-rex" => {
                assert_eq!(id, call);
                "(:ping 5 17)".to_owned()
            }
            "(:emacs-pong" => {
                assert_eq!(payload, "(:emacs-pong 5 17)");
                "(:read-string 5 18)".to_owned()
            }
            "(:emacs-return-string" => {
                assert_eq!(payload, "(:emacs-return-string 5 18 \"\")");
                "(:y-or-n-p 5 19 \"Sure?\")".to_owned()
            }
            "(:emacs-return" if payload.contains(" 19 ") => {
                assert_eq!(payload, "(:emacs-return 5 19 nil)");
                "(:eval 5 20 \"(delete-file)\")".to_owned()
            }
            _ => {
                assert_eq!(payload, "(:emacs-return 5 20 (:abort))");
                done(call, VALUES)
            }
        }])
    })
    .await;
    assert_eq!(lab.values("(f)").await, "42");
}

#[tokio::test]
async fn a_server_that_vanishes_or_sends_garbage_is_reported_and_tried_again() {
    for (say, words) in [
        (b"" as &[u8], "closed the connection"),
        (b"0000ff(:return", "closed the connection"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "does not speak Swank"),
        (b"00zz00", "does not speak Swank"),
        (b"d2:id1:1e", "does not speak Swank"),
    ] {
        let lab = attached(move |_, _| Say::Last(say.to_vec())).await;
        let report = lab.report("(f)").await;
        assert!(lost(&report).contains(words), "{report:#?}");
        assert_eq!(report.ending.status(), ExecutionStatus::Unknown);
        let again = lab.report("(f)").await;
        assert_eq!(again.notices[0], Notice::Reconnected(Remaining::WithoutObjects), "{again:#?}");
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
    let address = serve(|id, payload| {
        polite("2", id, payload, |_, _| {
            Say::Bytes(frame(&format!("(:write-string \"{}\")", "x".repeat(1 << 20))).repeat(3))
        })
    });
    let lab = lab_with(|config| config.output_limit = 1 << 20);
    lab.attach(MAIN, FoundServer::known(address, runtime("swank"))).await.unwrap();
    let report = lab.report("(f)").await;
    let Ending::Died { reason, .. } = &report.ending else { panic!("{:#?}", report.ending) };
    assert_eq!(*reason, Some(StopReason::Output));
    assert!(report.stdout.dropped > 0);
}

#[tokio::test]
async fn a_call_without_a_valid_answer_is_reported() {
    // The call ends without an answer of the agent.
    let lab = attached(|id, _| Say::Messages(vec![format!("(:return (:abort \"NIL\") {id})")])).await;
    let (error, _) = lab.error("(f)").await;
    assert_eq!(error.type_name, "ABORT");
    let lab = attached(|id, _| Say::Messages(vec![returned(id, "(:DONE 1 2)")])).await;
    let (error, _) = lab.error("(f)").await;
    assert_eq!(error.type_name, "ABORT");
    // The server no longer knows the agent.
    let lab = attached(|_, _| Say::Messages(vec!["(:reader-error \"x\" \"Package gone.\")".to_owned()])).await;
    let report = lab.report("(f)").await;
    assert!(matches!(&report.ending, Ending::AgentFault(why) if why == "Package gone."), "{report:#?}");
}

#[tokio::test]
async fn an_image_that_lacks_something_is_refused_with_the_reason() {
    let refused = |say: fn(i64, &str) -> Option<Say>| async move {
        let address = serve(move |id, payload| {
            say(id, payload).unwrap_or_else(|| polite("1.0-ancient", id, payload, |_, _| Say::Nothing))
        });
        match lab().attach(MAIN, FoundServer::known(address, runtime("swank"))).await {
            Err(SessionError::Unreachable(why)) => why,
            other => panic!("{other:?}"),
        }
    };
    let why = refused(|id, payload| {
        payload.contains(":greet)").then(|| Say::Messages(vec![returned(id, "(\"PRINT-FRAME\" \"ARGLIST\")")]))
    });
    assert!(why.await.ends_with("FAKE 1, Swank 1.0-ancient (process 7) lacks what is needed: PRINT-FRAME, ARGLIST"));
    let why = refused(|id, payload| {
        if payload.contains("cl:handler-case") {
            return Some(Say::Messages(vec![returned(id, "\"no package SB-GRAY\"")]));
        }
        payload.contains("cl:find-package").then(|| Say::Messages(vec![returned(id, "nil")]))
    });
    assert!(why.await.contains("does not take the Lisp that answers for it: no package SB-GRAY"));
    let why = refused(|id, payload| {
        let debug =
            format!("(:debug 3 1 (\"broken\" \"   [Condition of type ODD]\" nil) ((\"ABORT\" \"\")) () ({id}))");
        (payload.contains(":greet)") && id > 0).then(|| Say::Messages(vec![debug]))
    });
    assert!(why.await.contains("ODD: broken"));
}

#[tokio::test]
async fn a_thread_that_enters_the_debugger_while_attaching_is_made_to_leave_it() {
    let (tell, told) = std::sync::mpsc::channel();
    let tell = std::sync::Arc::new(std::sync::Mutex::new(tell));
    let address = serve(move |id, payload| {
        if payload.contains("throw-to-toplevel") {
            tell.lock().unwrap().send(payload.to_owned()).unwrap();
        }
        let debug =
            format!("(:debug 3 1 (\"broken\" \"   [Condition of type ODD]\" nil) ((\"ABORT\" \"\")) () ({id}))");
        let entered = payload.contains(":greet)").then(|| Say::Messages(vec![debug]));
        entered.unwrap_or_else(|| polite("2", id, payload, |_, _| Say::Nothing))
    });
    let error = lab().attach(MAIN, FoundServer::known(address, runtime("swank"))).await.unwrap_err();
    assert!(error.to_string().contains("ODD: broken"), "{error}");
    let sent = told.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
    assert!(sent.starts_with("(:emacs-rex (swank:throw-to-toplevel) \"COMMON-LISP-USER\" 3 "), "{sent}");
}

#[tokio::test]
async fn a_thread_of_the_owner_in_the_debugger_is_left_there_and_reported() {
    let address = serve(move |id, payload| {
        assert!(!payload.contains("throw-to-toplevel"), "{payload}");
        let theirs = "(:debug 99 1 (\"flat\" \"   [Condition of type TYRE]\" nil) ((\"ABORT\" \"\")) () ())";
        match polite("2", id, payload, |id, _| Say::Messages(vec![done(id, VALUES)])) {
            Say::Messages(mut messages) if payload.contains(":greet)") => {
                messages.insert(0, theirs.to_owned());
                Say::Messages(messages)
            }
            say => say,
        }
    });
    let lab = lab();
    lab.attach(MAIN, FoundServer::known(address, runtime("swank"))).await.unwrap();
    let report = lab.within(20.0, "1").await;
    assert_eq!(report.background.len(), 1, "{report:#?}");
    assert_eq!((report.background[0].type_name.as_str(), report.background[0].message.as_str()), ("TYRE", "flat"));
}

#[tokio::test]
async fn a_listener_that_is_no_swank_server_is_refused() {
    for say in [b"SSH-2.0-OpenSSH_9.2\r\n" as &[u8], b"000005(:ok)", b"d6:statusl4:doneee"] {
        let address = serve(move |_, _| Say::Last(say.to_vec()));
        let lab = lab();
        let error = lab.attach(MAIN, FoundServer::known(address, runtime("swank"))).await.unwrap_err();
        assert!(matches!(&error, SessionError::Unreachable(why) if why.contains("cannot be used")), "{error}");
        assert!(lab.status().sessions.is_empty(), "nothing is left of it");
    }
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert!(matches!(
        lab().attach(MAIN, FoundServer::known(closed, runtime("swank"))).await,
        Err(SessionError::Unreachable(_))
    ));
}

#[tokio::test]
async fn slynk_is_called_by_its_own_package_name() {
    let address = serve(|id, payload| {
        if payload.contains("swank:connection-info") {
            return Say::Messages(vec!["(:reader-error \"...\" \"Package SWANK does not exist.\")".to_owned()]);
        }
        assert!(!payload.contains("AGENT.SWANK"), "{payload}");
        polite("1.0.43", id, payload, |id, _| Say::Messages(vec![done(id, VALUES)]))
    });
    let lab = lab();
    let found = lab.find_server(ServerAddress::read(&address.to_string()).unwrap()).await.unwrap();
    assert_eq!(found.runtime(), runtime("swank"));
    let status = lab.attach(MAIN, found).await.unwrap();
    assert!(status.version.unwrap().contains("Slynk 1.0.43"));
    assert_eq!(lab.values("(f)").await, "42");
}

#[tokio::test]
async fn a_session_that_is_attached_to_nothing_says_so() {
    let lab = lab();
    lab.open("swank", None).unwrap();
    let error = lab.eval("swank", EvalRequest::new("1"), &Default::default()).await.unwrap_err();
    assert!(matches!(&error, SessionError::Unattached(_)), "{error}");
}
