//! Images and servers that die: reported once, with no process left.

use std::process::Command;

use lispwright_runtime::notice::During;
use lispwright_runtime::*;

use crate::lab::*;

fn kill_9(pid: i32) {
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
}

#[tokio::test]
async fn an_exit_is_an_answer_and_the_next_call_has_a_fresh_image() {
    let lab = lab();
    for (code, status) in [
        ("(princ \"bye\") (sb-ext:exit :code 3)", "exit code 3"),
        ("(princ \"bye\") (uiop:quit 4)", "exit code 4"),
        ("(princ \"bye\") (sb-ext:exit :code 5 :abort t)", "exit code 5"),
    ] {
        lab.mark_state().await;
        let report = lab.report(code).await;
        let Ending::Died { death, reason: None } = &report.ending else { panic!("{code}: {report:#?}") };
        assert_eq!((death.status.as_str(), death.exited), (status, !code.contains("abort")));
        assert_eq!(report.stdout.head, "bye", "{code}");
        let next = lab.report("(boundp '*here*)").await;
        assert!(next.notices.is_empty(), "the caller knows already: {next:#?}");
        assert_eq!(next.ending, Ending::Values(vec![Printout { text: "NIL".into(), cut: false }]));
    }
}

#[tokio::test]
async fn an_exit_from_another_thread_ends_the_image() {
    let lab = lab();
    let report = lab.within(20.0, "(sb-thread:make-thread (lambda () (sb-ext:exit :code 7))) (sleep 100)").await;
    let Ending::Died { death, .. } = &report.ending else { panic!("{report:#?}") };
    assert_eq!(death.status, "exit code 7");
}

#[tokio::test]
async fn an_image_killed_while_idle_is_reported_once_with_the_next_call() {
    let lab = lab();
    lab.mark_state().await;
    let pid = lab.pid().await;
    kill_9(pid);
    until("it is dead", async || !alive(pid)).await;
    let report = lab.report("(+ 1 2)").await;
    assert_eq!(report.notices.len(), 1, "{report:#?}");
    assert!(
        matches!(&report.notices[0], Notice::Died { during: During::Rest, status, .. } if status.contains("SIGKILL"))
    );
    assert!(matches!(report.ending, Ending::Values(_)));
    assert!(lab.report("(+ 1 2)").await.notices.is_empty());
}

#[tokio::test]
async fn an_image_killed_just_before_a_call_is_reported_with_that_call() {
    let lab = lab();
    for _ in 0..2 {
        lab.mark_state().await;
        kill_9(lab.pid().await);
        let report = lab.report("(+ 1 2)").await;
        assert_eq!(report.ending, Ending::Values(vec![Printout { text: "3".into(), cut: false }]));
        assert_eq!(report.notices.len(), 1, "{report:#?}");
    }
}

#[tokio::test]
async fn an_image_killed_during_a_call_is_reported_as_its_answer() {
    let lab = lab();
    lab.mark_state().await;
    let report = lab.report("(princ \"before\") (sb-posix:kill (sb-posix:getpid) 9) (loop)").await;
    let Ending::Died { death, reason: None } = &report.ending else { panic!("{report:#?}") };
    assert!(death.status.contains("SIGKILL") && !death.killed, "{death:#?}");
    assert_eq!(report.stdout.head, "before");
    assert!(lab.report("1").await.notices.is_empty());
}

#[tokio::test]
async fn three_lost_images_stop_a_session_until_a_reset() {
    let lab = lab();
    for round in 1..=3 {
        let report = lab.report("(sb-posix:kill (sb-posix:getpid) 9) (loop)").await;
        assert!(matches!(report.ending, Ending::Died { .. }), "{report:#?}");
        assert_eq!(report.stopped, round == 3);
    }
    let refused = lab.eval(MAIN, EvalRequest::new("1"), &Default::default()).await;
    let Err(SessionError::Stopped { crashes: 3, last, .. }) = refused else { panic!("{refused:?}") };
    assert!(last.contains("SIGKILL"));
    assert_eq!(lab.status().sessions[0].state, State::Stopped);
    lab.reset(MAIN, None).await.unwrap();
    assert_eq!(lab.values("1").await, "1");
}

#[tokio::test]
async fn kill_works_in_the_middle_of_a_call() {
    let lab = lab();
    lab.mark_state().await;
    let pid = lab.pid().await;
    let (report, killed) = tokio::join!(lab.report("(sb-sys:without-interrupts (loop))"), async {
        until("the session is busy", async || lab.status().sessions[0].state == State::Busy).await;
        lab.kill(MAIN).await
    });
    assert_eq!(killed, Ok(true));
    assert!(matches!(report.ending, Ending::Died { reason: Some(StopReason::Killed), .. }), "{report:#?}");
    assert!(!alive(pid));
    assert_eq!(lab.kill(MAIN).await, Err(SessionError::Unknown(MAIN.into())));
}

#[tokio::test]
async fn reset_gives_a_fresh_image() {
    let lab = lab();
    lab.mark_state().await;
    let before = lab.pid().await;
    let status = lab.reset(MAIN, None).await.unwrap();
    assert_ne!(status.pid, Some(before));
    assert!(!alive(before));
    let report = lab.report("(boundp '*here*)").await;
    assert!(report.notices.is_empty());
    assert_eq!(report.ending, Ending::Values(vec![Printout { text: "NIL".into(), cut: false }]));
}

#[tokio::test]
async fn a_spare_is_ready_for_the_next_session() {
    let lab = lab_with(|config| config.spare = true);
    assert_eq!(lab.status().workers[0].spare_pid, None, "nothing starts before the first call");
    lab.report("1").await;
    until("there is a spare", async || lab.status().workers[0].spare_pid.is_some()).await;
    let spare = lab.status().workers[0].spare_pid;
    lab.reset(MAIN, None).await.unwrap();
    assert_eq!(lab.status().sessions[0].pid, spare);
    kill_9(lab.pid().await);
    lab.shutdown().await;
}

#[tokio::test]
async fn kills_in_a_row_leave_no_process_behind() {
    let lab = lab();
    lab.report("1").await;
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let before = descriptors();
    let mut pids = Vec::new();
    for round in 0..30 {
        // SBCL puts each child into a session of its own, so none of them is in the worker's group. One has no mark
        // either.
        let child =
            |more| format!("(sb-ext:process-pid (sb-ext:run-program \"/bin/sleep\" '(\"1000\") :wait nil {more}))");
        let code = format!("(list {} {})", child(""), child(if round % 2 == 0 { ":environment '()" } else { "" }));
        pids.extend(lab.values(&code).await.trim_matches(['(', ')']).split(' ').map(|pid| pid.parse::<i32>().unwrap()));
        let pid = lab.pid().await;
        pids.push(pid);
        if round % 2 == 0 {
            assert_eq!(lab.kill(MAIN).await, Ok(true));
        } else {
            kill_9(pid);
            until("it is dead", async || !alive(pid)).await;
            lab.reset(MAIN, None).await.unwrap();
            pids.push(lab.pid().await);
            lab.kill(MAIN).await.unwrap();
        }
    }
    assert!(pids.len() > 90);
    for pid in pids {
        until("every process is gone", async || !alive(pid)).await;
    }
    until("every descriptor is closed", async || descriptors() <= before).await;
}

#[tokio::test]
async fn workers_end_with_the_server() {
    for code in ["1", "(loop)", "(sb-sys:without-interrupts (loop))"] {
        let directory = tempfile::tempdir().unwrap();
        let pids = directory.path().join("pids");
        let code = format!(
            "(with-open-file (s {pids:?} :direction :output)
               (print (sb-posix:getpid) s)
               (print (sb-ext:process-pid (sb-ext:run-program \"/bin/sleep\" '(\"1000\") :wait nil)) s)
               (print (sb-ext:process-pid (sb-ext:run-program \"/bin/sleep\" '(\"1000\") :wait nil)) s))
             {code}"
        );
        let server = Server::start(directory.path(), &code, &[]);
        let mut found = Vec::new();
        until("the worker has started", async || {
            let text = std::fs::read_to_string(&pids).unwrap_or_default();
            found = text.split_whitespace().map(|pid| pid.parse::<i32>().unwrap()).collect();
            found.len() == 3
        })
        .await;
        assert!(found.iter().all(|pid| alive(*pid)));
        drop(server);
        for pid in found {
            until("the server's processes are gone", async || !alive(pid)).await;
        }
    }
}

#[tokio::test]
async fn dropping_the_sessions_ends_the_images() {
    let lab = lab();
    lab.report("1").await;
    let pid = lab.pid().await;
    drop(lab);
    until("it is gone", async || !alive(pid)).await;
}
