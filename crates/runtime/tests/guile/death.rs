//! Images that die: reported once, with no process left.

use lispwright_runtime::*;

use crate::lab::{alive, runtime, until};
use crate::{guile, guile_with};

#[tokio::test]
async fn an_exit_is_an_answer_and_the_next_call_has_a_fresh_image() {
    let lab = guile();
    for (code, status, orderly) in [
        ("(display \"bye\") (exit 3)", "exit code 3", true),
        ("(display \"bye\") (quit)", "exit code 0", true),
        ("(display \"bye\") (exit #f)", "exit code 1", true),
        ("(display \"bye\") (primitive-exit 5)", "exit code 5", false),
        ("(display \"bye\") (primitive-_exit 6)", "exit code 6", false),
    ] {
        lab.define_here().await;
        let report = lab.report(code).await;
        let Ending::Died { death, reason: None } = &report.ending else { panic!("{code}: {report:#?}") };
        assert_eq!((death.status.as_str(), death.exited), (status, orderly), "{code}");
        assert_eq!(report.stdout.head, "bye", "{code}");
        if !orderly {
            lab.reset(MAIN, None).await.unwrap();
        }
        let next = lab.report("(defined? 'here)").await;
        assert!(next.notices.is_empty(), "the caller knows already: {next:#?}");
        assert_eq!(next.ending, Ending::Values(vec![Printout { text: "#f".into(), cut: false }]));
    }
}

#[tokio::test]
async fn a_crash_is_that_calls_answer() {
    let lab = guile();
    lab.define_here().await;
    let code = "(display \"before\")
                (use-modules (system foreign))
                ((pointer->procedure int (dynamic-func \"raise\" (dynamic-link)) (list int)) 11)";
    let report = lab.report(code).await;
    let Ending::Died { death, reason: None } = &report.ending else { panic!("{report:#?}") };
    assert!(death.status.contains("SIGSEGV") && !death.killed, "{death:#?}");
    assert_eq!(report.stdout.head, "before");
    assert!(lab.report("1").await.notices.is_empty());
}

#[tokio::test]
async fn a_forked_child_does_not_speak_to_the_server() {
    let lab = guile();
    lab.define_here().await;
    let report =
        lab.report("(let ((pid (primitive-fork))) (when (zero? pid) (display \"child\")) (waitpid pid) pid)").await;
    assert!(matches!(&report.ending, Ending::Values(_)), "{report:#?}");
    lab.assert_here().await;
}

#[tokio::test]
async fn kills_in_a_row_leave_no_process_behind() {
    let lab = guile();
    lab.report("1").await;
    let mut pids = Vec::new();
    for _ in 0..10 {
        let code = "(use-modules (ice-9 popen) (ice-9 rdelim))
                    (system \"(setsid sleep 1000 >/dev/null 2>&1 & echo $!)\")
                    (read-line (open-input-pipe \"echo $$; exec sleep 1000\"))";
        let report = lab.report(code).await;
        let Ending::Values(values) = &report.ending else { panic!("{report:#?}") };
        pids.extend(
            [&report.stdout.head, &values[0].text].map(|text| text.trim().trim_matches('"').parse::<i32>().unwrap()),
        );
        pids.push(lab.pid().await);
        assert_eq!(lab.kill(MAIN).await, Ok(true));
    }
    assert_eq!(pids.len(), 30);
    for pid in pids {
        until("every process is gone", async || !alive(pid)).await;
    }
}

#[tokio::test]
async fn a_spare_is_ready_for_the_next_session() {
    let lab = guile_with(|config| config.spare = true);
    lab.report("1").await;
    let spare = || lab.status().workers_of(runtime("guile")).and_then(|workers| workers.spare_pid);
    until("there is a spare", async || spare().is_some()).await;
    let pid = spare();
    lab.reset(MAIN, None).await.unwrap();
    assert_eq!(lab.status().sessions[0].pid, pid);
    assert_eq!(lab.values("(+ 1 2)").await, "3");
}
