//! The output of code: captured from every source, in order, and within bounds.

use crate::lab::*;

#[tokio::test]
async fn standard_and_error_output_are_separate() {
    let lab = lab();
    let report = lab
        .report("(format t \"out~%\") (format *error-output* \"err~%\") (format *trace-output* \"trace~%\") nil")
        .await;
    assert_eq!(report.stdout.head, "out\ntrace\n");
    assert_eq!(report.stderr.head, "err\n");
}

#[tokio::test]
async fn output_of_child_processes_keeps_its_place() {
    let lab = lab();
    let code = "(princ \"one \") (sb-ext:run-program \"/bin/echo\" '(\"two\") :output t) (princ \"three \")
                (uiop:run-program \"echo four\" :output :interactive) (princ \"five \")
                (uiop:run-program \"echo six\" :output *standard-output*) (princ \"seven\") nil";
    let report = lab.report(code).await;
    assert_eq!(report.stdout.head, "one two\nthree four\nfive six\nseven", "{report:#?}");
}

#[tokio::test]
async fn foreign_code_and_descriptors() {
    let lab = lab();
    let report = lab
        .report("(sb-unix:unix-write 1 (sb-ext:string-to-octets \"raw\") 0 3) (sb-unix:unix-write 2 (sb-ext:string-to-octets \"bad\") 0 3) (sb-alien:alien-funcall (sb-alien:extern-alien \"puts\" (function sb-alien:int sb-alien:c-string)) \"puts\") (sb-alien:alien-funcall (sb-alien:extern-alien \"fflush\" (function sb-alien:int sb-alien:long)) 0) nil")
        .await;
    assert_eq!(report.stdout.head, "rawputs\n", "{report:#?}");
    assert_eq!(report.stderr.head, "bad");
}

#[tokio::test]
async fn output_of_other_threads() {
    let lab = lab();
    let report =
        lab.report("(sb-thread:join-thread (sb-thread:make-thread (lambda () (format t \"thread~%\") 1)))").await;
    assert_eq!(report.stdout.head, "thread\n");
}

#[tokio::test]
async fn rebound_streams_do_not_last() {
    let lab = lab();
    let report = lab.report("(let ((*standard-output* (make-string-output-stream))) (princ \"hidden\") 1)").await;
    assert!(report.stdout.is_empty());
    lab.report("(setf *standard-output* (make-broadcast-stream) *error-output* *standard-output*)").await;
    assert_eq!(lab.report("(princ \"seen\")").await.stdout.head, "seen");
}

#[tokio::test]
async fn redirected_descriptors_are_restored() {
    let lab = lab();
    lab.mark_state().await;
    for descriptor in [1, 2] {
        let code = format!(
            "(sb-alien:alien-funcall (sb-alien:extern-alien \"dup2\" (function sb-alien:int sb-alien:int \
             sb-alien:int)) 0 {descriptor})"
        );
        assert_eq!(lab.values(&code).await, descriptor.to_string());
        let report = lab.report("(princ \"still\") (princ \"here\" *error-output*) nil").await;
        assert_eq!((report.stdout.head.as_str(), report.stderr.head.as_str()), ("still", "here"), "{report:#?}");
    }
    lab.assert_state_kept().await;
}

#[tokio::test]
async fn closed_streams_are_restored() {
    let lab = lab();
    lab.mark_state().await;
    for stream in [
        "*standard-output*",
        "*error-output*",
        "*terminal-io*",
        "*standard-input*",
        "sb-sys:*stdout*",
        "sb-sys:*stdin*",
    ] {
        lab.report(&format!("(close {stream})")).await;
        let report =
            lab.report("(princ \"still\") (princ \"here\" *error-output*) (princ \"too\" *terminal-io*) nil").await;
        assert_eq!(
            (report.stdout.head.as_str(), report.stderr.head.as_str()),
            ("stilltoo", "here"),
            "{stream}: {report:#?}"
        );
    }
    lab.assert_state_kept().await;
}

#[tokio::test]
async fn long_output_keeps_its_start_and_end() {
    let lab = lab();
    let report = lab
        .report("(progn (princ \"start\") (princ (make-string 1000000 :initial-element #\\x)) (princ \"end\") nil)")
        .await;
    assert!(report.stdout.dropped > 0);
    assert!(report.stdout.head.starts_with("start") && report.stdout.tail.ends_with("end"));
    assert!(report.stdout.head.len() + report.stdout.tail.len() < 500_000);
}

#[tokio::test]
async fn a_child_process_that_outlives_the_call_does_not_delay_the_answer() {
    let lab = lab();
    let report = lab
        .report("(sb-ext:run-program \"/bin/sh\" '(\"-c\" \"echo begun; sleep 100\") :output t :wait nil) (sleep 0.2)")
        .await;
    assert_eq!(report.stdout.head, "begun\n");
    assert!(report.duration.as_secs() < 5);
    lab.shutdown().await;
}
