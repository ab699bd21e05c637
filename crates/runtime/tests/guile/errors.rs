//! Errors: condition, place, and remedies.

use lispwright_runtime::*;

use crate::guile;

#[tokio::test]
async fn an_error_names_its_key_frames_and_locals() {
    let lab = guile();
    let (error, place) = lab.error("(define (f x)\n  (+ 1 (/ x 0)))\n(define (g y) (+ 1 (f y)))\n(g 3) 'never").await;
    assert_eq!(error.type_name, "numerical-overflow");
    assert!(error.message.contains("divide"), "{error:#?}");
    let calls: Vec<&str> = error.frames.iter().map(|frame| frame.call.as_str()).collect();
    assert_eq!(calls, ["(f 3)", "(g 3)"], "{error:#?}");
    assert_eq!(error.frames[0].locals, [("x".to_owned(), "3".to_owned())]);
    assert_eq!((error.frames[0].line, error.frames[0].column), (Some(2), Some(8)), "{error:#?}");
    assert_eq!((place.index, place.total, place.start), (3, Some(4), (4, 1)));
    assert_eq!(place.text, "(g 3)");
}

#[tokio::test]
async fn a_direct_call_shows_itself() {
    let lab = guile();
    let (error, _) = lab.error("(car 1)").await;
    assert_eq!(error.type_name, "wrong-type-arg");
    assert!(error.message.contains("car") && error.message.contains("pair"), "{error:#?}");
    assert_eq!(error.frames[0].call, "(car 1)");
    let (error, _) = lab.error("(map (lambda (x) (string-append x \"b\")) '(1 2))").await;
    assert_eq!(error.frames[0].call, "(string-append 1 \"b\")", "{error:#?}");
}

#[tokio::test]
async fn exceptions_of_every_kind() {
    let lab = guile();
    for (code, kind, says) in [
        ("(error \"boom\" 1 \"a\" '(b))", "misc-error", "boom 1 \"a\" (b)"),
        ("(throw 'my-key 1 \"two\")", "my-key", "my-key"),
        ("(throw 'my-key 'proc \"all of ~a\" '(us) #f)", "my-key", "all of us"),
        ("(scm-error 'odd \"f\" \"not ~s\" '(\"x\") #f)", "odd", "In procedure f: not \"x\""),
        ("(raise-exception 17)", "object that is no exception", "17"),
        ("(raise-exception 'x #:continuable? #t)", "object that is no exception", "x"),
        ("nowhere", "unbound-variable", "Unbound variable: nowhere"),
        ("(if)", "syntax-error", "(if)"),
        ("(let ((x 1 2)) x)", "syntax-error", "bad let"),
        ("((lambda (x) x))", "wrong-number-of-args", "Wrong number of arguments"),
        ("(abort-to-prompt 'nowhere)", "misc-error", "unknown prompt"),
        ("(vector-ref (vector 1) 5)", "out-of-range", "5"),
        ("(use-modules (no such module))", "misc-error", "no code for module (no such module)"),
        ("(open-input-file \"/nonexistent/none\")", "system-error", "No such file"),
        (
            "(use-modules (rnrs base) (rnrs conditions) (rnrs exceptions))
             (raise (condition (make-assertion-violation) (make-message-condition \"bad\") (make-irritants-condition '(1))))",
            "assertion",
            "bad 1",
        ),
        ("(with-exception-handler (lambda (e) 1) (lambda () (error \"x\")))", "non-continuable", "has returned"),
    ] {
        let (error, _) = lab.error(code).await;
        assert!(error.type_name.contains(kind), "{code}: {error:#?}");
        assert!(error.message.contains(says), "{code}: {error:#?}");
    }
}

#[tokio::test]
async fn handlers_of_the_code_work() {
    let lab = guile();
    assert_eq!(lab.values("(catch #t (lambda () (error \"x\")) (lambda (key . rest) key))").await, "misc-error");
    assert_eq!(
        lab.values("(with-exception-handler (lambda (e) 5) (lambda () (+ 1 (raise-exception 'x #:continuable? #t))))")
            .await,
        "6"
    );
    assert_eq!(lab.values("(false-if-exception (car 1))").await, "#f");
    assert_eq!(
        lab.values("(call/cc (lambda (k) (dynamic-wind (lambda () 1) (lambda () (k 'out)) (lambda () 2))))").await,
        "out"
    );
}

#[tokio::test]
async fn a_continuation_of_an_earlier_call_does_no_harm() {
    let lab = guile();
    lab.define_here().await;
    lab.report("(define k #f) (define n 0) (list (call/cc (lambda (c) (set! k c) 1)))").await;
    for _ in 0..3 {
        let report = lab.within(2.0, "(set! n (1+ n)) (if (< n 3) (k 2) 'done)").await;
        assert_ne!(report.ending.status(), ExecutionStatus::Unknown, "{report:#?}");
    }
    lab.assert_here().await;
}

#[tokio::test]
async fn an_error_in_another_thread_is_reported_and_ends_only_that_thread() {
    let lab = guile();
    lab.define_here().await;
    let code = "(use-modules (ice-9 threads))
                (join-thread (call-with-new-thread (lambda () (display \"from afar\") (error \"astray\"))))";
    let report = lab.report(code).await;
    assert_eq!(report.stdout.head, "from afar", "{report:#?}");
    assert!(report.stderr.head.contains("astray"), "{report:#?}");
    lab.assert_here().await;
}

#[tokio::test]
async fn code_that_ends_in_the_middle_of_a_form() {
    let lab = guile();
    let (error, place) = lab.error("(define done 1)\n\n  (list 1\n   (+ 2").await;
    assert!(error.unclosed);
    assert_eq!((place.phase, place.start), (Phase::Read, (3, 3)));
    assert!(error.frames.is_empty(), "reading is the server's affair: {error:#?}");
    assert_eq!(lab.values("done").await, "1", "the forms before it have run");
    for open in ["\"abc", "#|", "'", "#("] {
        let (error, _) = lab.error(open).await;
        assert!(error.unclosed, "{open}: {error:#?}");
    }
    let (error, place) = lab.error("(+ 1 2))").await;
    assert!(!error.unclosed);
    assert_eq!((place.phase, place.index, place.at), (Phase::Read, 2, Some((1, 8))));
    assert!(error.message.contains("unexpected \")\"") && !error.message.contains("call-"), "{error:#?}");
    let (_, place) = lab.error("'(λ\t𝄞) (car\n 'a)").await;
    assert_eq!(place.start, (1, 8), "columns are characters");
}

#[tokio::test]
async fn standard_input_is_empty() {
    let lab = guile();
    assert_eq!(lab.values("(eof-object? (read))").await, "#t");
    assert_eq!(lab.values("(use-modules (ice-9 rdelim)) (eof-object? (read-line))").await, "#t");
    assert_eq!(lab.values("(system* \"cat\")").await, "0");
}
