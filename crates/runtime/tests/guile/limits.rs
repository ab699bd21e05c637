//! Time, output, stack and heap: every call ends in an answer, with the state kept where that is possible.

use lispwright_runtime::notice::EndedChildren;
use lispwright_runtime::*;

use crate::{guile, guile_with};

#[tokio::test]
async fn an_interrupt_says_where_it_was_and_what_was_printed() {
    let lab = guile();
    lab.values("(define (spin n) (display \"partial\") (let loop () (loop)))").await;
    let report = lab.within(0.3, "'first\n(spin 100)").await;
    let Ending::Stopped { frames, place, .. } = &report.ending else { panic!("{report:#?}") };
    assert!(frames.iter().any(|frame| frame.line == Some(1)), "{report:#?}");
    assert_eq!(place.index, 2);
    assert_eq!(report.stdout.head, "partial");
}

#[tokio::test]
async fn a_loop_that_cannot_be_interrupted_is_killed_with_its_output_saved() {
    let lab = guile();
    lab.define_here().await;
    let report =
        lab.within(0.2, "(display \"partial\") (call-with-blocked-asyncs (lambda () (let loop () (loop))))").await;
    let Ending::Died { death, reason } = &report.ending else { panic!("{report:#?}") };
    assert!(death.killed);
    assert_eq!(*reason, Some(StopReason::Timeout));
    assert_eq!(report.stdout.head, "partial");
    assert_eq!(lab.values("(defined? 'here)").await, "#f");
}

#[tokio::test]
async fn endless_output_is_interrupted_and_bounded() {
    let lab = guile();
    lab.define_here().await;
    for code in [
        "(let loop () (display 'again) (loop))",
        "(let loop () (display \"again\" (current-error-port)) (loop))",
        "(system \"yes\")",
    ] {
        let report = lab.report(code).await;
        let Ending::Stopped { reason: StopReason::Output, .. } = report.ending else { panic!("{code}: {report:#?}") };
        assert!(report.stdout.head.len() + report.stdout.tail.len() + report.stderr.head.len() < 1 << 20);
        // Otherwise it would continue to print during the next evaluation.
        let ended = matches!(report.notices[..], [Notice::EndedChildren(EndedChildren::Printing(_))]);
        assert_eq!(ended, code.contains("yes"), "{code}: {:?}", report.notices);
        lab.assert_here().await;
    }
}

#[tokio::test]
async fn stack_exhaustion_is_an_error() {
    let lab = guile();
    lab.define_here().await;
    for _ in 0..2 {
        let report = lab.within(600.0, "(define (down n) (+ 1 (down (+ n 1)))) (down 0)").await;
        let Ending::Error { error, .. } = &report.ending else { panic!("{report:#?}") };
        assert_eq!(error.type_name, "stack-overflow");
        assert!(!error.frames.is_empty() && error.frames.len() <= 20, "{error:#?}");
        lab.assert_here().await;
    }
    assert_eq!(lab.values("(define (sum n) (if (zero? n) 0 (+ n (sum (- n 1))))) (sum 500000)").await, "125000250000");
    assert_eq!(lab.values("(catch 'stack-overflow (lambda () (down 0)) (lambda args 'caught))").await, "caught");
}

#[tokio::test]
async fn heap_exhaustion_is_an_error_or_a_death_with_last_words() {
    let lab = guile_with(|config| config.heap_megabytes = 128);
    for code in [
        "(let loop ((x '())) (loop (cons (make-vector 100000) x)))",
        "(let loop ((x '())) (loop (cons 1 x)))",
        "(make-vector 1000000000)",
    ] {
        let report = lab.within(120.0, code).await;
        match &report.ending {
            Ending::Error { error, .. } => assert_eq!(error.type_name, "out-of-memory", "{code}"),
            Ending::Died { death, .. } => assert!(!death.killed, "{code}: {report:#?}"),
            other => panic!("{code}: {other:#?}"),
        }
        assert_eq!(lab.values("(+ 1 2)").await, "3");
    }
}

/// Guile's collector ends a process with some 2,000 pieces of compiled code.
#[tokio::test]
async fn thousands_of_definitions_do_not_end_the_image() {
    let lab = guile();
    lab.define_here().await;
    let defined: String = (0..2500).map(|index| format!("(define (f{index} x) (list x {index} 'a \"s\"))\n")).collect();
    lab.within(120.0, &defined).await;
    assert_eq!(
        lab.values("(gc) (list (f0 1) (f1234 2) (f2499 3))").await,
        r#"((1 0 a "s") (2 1234 a "s") (3 2499 a "s"))"#
    );
    let compiled = "(use-modules (system base compile))
        (let loop ((i 0) (last #f))
          (if (= i 2500) (last 1) (loop (1+ i) (compile `(lambda (x) (+ x ,i)) #:env (current-module)))))";
    let report = lab.within(120.0, compiled).await;
    assert!(matches!(&report.ending, Ending::Values(values) if values[0].text == "2500"), "{report:#?}");
    lab.assert_here().await;
}
