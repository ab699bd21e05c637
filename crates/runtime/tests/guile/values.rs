//! Values of forms, printed under settings that evaluated code cannot change.

use lispwright_runtime::*;

use crate::guile;
use crate::lab::{Lab, runtime};

#[tokio::test]
async fn a_module_for_one_call() {
    let lab = guile();
    lab.report("(define-module (my shop)) (define stock 7) (set-current-module (resolve-module '(guile-user)))").await;
    let within = |package: &str, code: &str| EvalRequest { package: Some(package.into()), ..EvalRequest::new(code) };
    let report = lab.request(within("(my shop)", "stock")).await;
    assert_eq!(report.ending, Ending::Values(vec![Printout { text: "7".into(), cut: false }]));
    assert_eq!(report.package.as_deref(), Some("(guile-user)"));
    let report = lab.request(within("guile-user", "(module-name (current-module))")).await;
    assert_eq!(report.ending, Ending::Values(vec![Printout { text: "(guile-user)".into(), cut: false }]));
    let report = lab.request(within("(my shp)", "(define lost 1)")).await;
    assert_eq!(report.ending, Ending::NoPackage { name: "(my shp)".into(), nearest: vec!["(my shop)".into()] });
    for odd in ["", "(", "\"string\"", "17", "(a . b)", "#.(exit)"] {
        let report = lab.request(within(odd, "1")).await;
        assert!(matches!(report.ending, Ending::NoPackage { .. }), "{odd}: {report:#?}");
    }
}

#[tokio::test]
async fn a_module_of_the_project_is_found_and_one_that_fails_is_an_error() {
    let lab = guile();
    let write = |name: &str, text: &str| {
        let path = lab.directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("farm/field.scm", "(define-module (farm field) #:export (crop))\n(define (crop x)\n  (+ 1 (car x)))\n");
    write("farm/bad.scm", "(define-module (farm bad))\n(car 1)\n");
    assert_eq!(lab.values("(use-modules (farm field)) (crop '(2))").await, "3");
    let (error, _) = lab.error("(list (crop 7))").await;
    let frame = &error.frames[0];
    assert_eq!((frame.call.as_str(), frame.line), ("(crop 7)", Some(3)));
    assert!(frame.file.as_deref().is_some_and(|file| file.ends_with("/farm/field.scm")), "{error:#?}");
    let report = lab.request(EvalRequest { package: Some("(farm bad)".into()), ..EvalRequest::new("1") }).await;
    assert!(matches!(&report.ending, Ending::Error { error, .. } if error.message.contains("car")), "{report:#?}");
}

#[tokio::test]
async fn odd_reader_and_port_settings_are_harmless() {
    let lab = guile();
    lab.report("(read-enable 'case-insensitive) (print-set! quote-keywordish-symbols #t)").await;
    lab.report("(read-hash-extend #\\! (lambda (c p) (exit 9)))").await;
    lab.report("(set-current-output-port (open-output-string)) (set-current-error-port (current-output-port))").await;
    assert_eq!(lab.report("(display \"seen\")").await.stdout.head, "seen");
    lab.report(
        "(close-port (current-output-port)) (close-port (current-error-port)) (close-port (current-input-port))",
    )
    .await;
    let report = lab.report("(display \"seen\") (display \"too\" (current-error-port)) (read)").await;
    assert_eq!((report.stdout.head.as_str(), report.stderr.head.as_str()), ("seen", "too"), "{report:#?}");
    lab.report("(port-for-each close-port)").await;
    assert_eq!(lab.report("(display \"still\")").await.stdout.head, "still");
    assert_eq!(
        lab.values("(begin (dup2 0 1) 'done)").await.as_str(),
        "done",
        "Guile calls the C function, and the port keeps its number"
    );
    assert_eq!(lab.report("(display \"again\")").await.stdout.head, "again");
    lab.report("(fluid-set! %default-port-encoding \"ISO-8859-1\") (set-current-module #f)").await;
    assert_eq!(lab.values("(+ 1 2)").await, "3");
}

#[tokio::test]
async fn all_of_unicode_crosses_the_wire() {
    let lab = guile();
    assert_eq!(lab.values("\"λ 𝄞 \\\\ \\\" é\"").await, "\"λ 𝄞 \\\\ \\\" é\"");
    assert_eq!(lab.values("(string-length \"𝄞\")").await, "1");
    assert_eq!(lab.report("(display \"λ𝄞\")").await.stdout.head, "λ𝄞");
    assert_eq!(
        lab.report("(put-bytevector (current-output-port) #vu8(255 65))").await.ending.status().as_str(),
        "completed"
    );
}

#[tokio::test]
async fn circular_and_deep_structure() {
    let lab = guile();
    assert_eq!(lab.values("(let ((x (list 1))) (set-cdr! x x) x)").await, "#0=(1 . #0#)");
    assert_eq!(lab.values("(let ((x (vector 1))) (vector-set! x 0 x) (list x))").await, "(#0=#(#0#))");
    assert_eq!(
        lab.values("(let ((x (list 1))) (list x x 'a \"b\" (cons 1 2) #()))").await,
        "((1) (1) a \"b\" (1 . 2) #())"
    );
    let deep = lab.report("(let loop ((i 0) (x '())) (if (= i 1000000) x (loop (1+ i) (list x))))").await;
    assert!(
        matches!(&deep.ending, Ending::Values(values) if values[0].text.starts_with("((((")),
        "{:?}",
        deep.ending.status()
    );
    let long = lab.report("(iota 1000000)").await;
    assert!(matches!(&long.ending, Ending::Values(values) if values[0].cut && values[0].text.len() == 10_000));
}

#[tokio::test]
async fn level_and_length() {
    let lab = guile();
    let request = EvalRequest { print_level: Some(1), print_length: Some(2), ..EvalRequest::new("'(1 (2) 3)") };
    let Ending::Values(values) = lab.request(request).await.ending else { panic!() };
    assert_eq!(values[0].text, "(1 # ...)");
}

async fn define_printers(lab: &Lab) {
    lab.report(
        "(use-modules (srfi srfi-9) (srfi srfi-9 gnu))
         (define-record-type fountain (make-fountain) fountain?)
         (set-record-type-printer! fountain (lambda (x port) (let loop () (display \"water \" port) (loop))))
         (define-record-type mute (make-mute) mute?)
         (set-record-type-printer! mute (lambda (x port) (let loop () (loop))))
         (define-record-type thorn (make-thorn) thorn?)
         (set-record-type-printer! thorn (lambda (x port) (error \"ouch\")))
         (define-record-type ring (make-ring next) ring? (next next set-next!))",
    )
    .await;
}

#[tokio::test]
async fn values_whose_printing_fails() {
    let lab = guile();
    lab.define_here().await;
    define_printers(&lab).await;
    let Ending::Values(values) = lab.report("(list (make-fountain))").await.ending else { panic!() };
    assert!(values[0].cut);
    assert_eq!(values[0].text.len(), 10_000);
    let text = lab.values("(make-thorn)").await;
    assert!(text.contains("thorn") && text.contains("ouch"), "{text}");
    let report = lab.within(0.3, "(make-mute)").await;
    let Ending::Stopped { reason: StopReason::Timeout, place, .. } = report.ending else { panic!("{report:#?}") };
    assert_eq!(place.phase, Phase::Print);
    let report = lab.report("(let ((x (make-ring 1))) (set-next! x x) x)").await;
    assert!(matches!(&report.ending, Ending::Values(values) if values[0].text.contains("ring")), "{report:#?}");
    let (error, _) = lab.error("(error \"with\" (make-thorn))").await;
    assert_eq!(error.type_name, "misc-error");
    lab.assert_here().await;
}

#[tokio::test]
async fn warnings_are_collected_and_later_definitions_are_known() {
    let lab = guile();
    let report = lab.report("(define (g) (h)) (define (h) 1) (warn \"careful\" 1) (g)").await;
    assert_eq!(report.warnings.len(), 1, "{report:#?}");
    assert!(report.warnings[0].message.contains("careful"), "{report:#?}");
    assert!(report.stderr.is_empty(), "{report:#?}");
    let report = lab.report("(define (k)\n  (nowhere 1))").await;
    let [Warning { type_name, message }] = &report.warnings[..] else { panic!("{report:#?}") };
    assert_eq!(type_name, "unbound-variable");
    assert!(message.contains("nowhere"), "{message}");
    let report = lab.report("(define (one x) x) (define (two) (one 1 2))").await;
    assert!(report.warnings.iter().any(|warning| warning.type_name == "arity-mismatch"), "{report:#?}");
    let report = lab.report("(define (h) 2) (h)").await;
    assert!(report.warnings.is_empty() && report.stderr.is_empty(), "redefinition is no news: {report:#?}");
    let report = lab.report("(let loop ((i 0)) (when (< i 100000) (warn \"again\") (loop (1+ i))))").await;
    assert!(report.warnings.len() <= 50, "{}", report.warnings.len());
}

#[tokio::test]
async fn read_time_evaluation_can_be_forbidden() {
    let lab = guile();
    lab.report("(read-hash-extend #\\~ (lambda (c p) (list 'quote (eval (read p) (current-module)))))").await;
    assert_eq!(lab.values("#~(+ 1 2)").await, "3");
    let report = lab.request(EvalRequest { safe_read: true, ..EvalRequest::new("#~(+ 1 2)") }).await;
    let reads =
        |report: &EvalReport| matches!(&report.ending, Ending::Error { place, .. } if place.phase == Phase::Read);
    assert!(reads(&report), "{report:#?}");
    lab.report("(fluid-set! read-eval? #t)").await;
    assert_eq!(lab.values("#.(+ 1 2)").await, "3");
    let report = lab.request(EvalRequest { safe_read: true, ..EvalRequest::new("#.(+ 1 2)") }).await;
    assert!(reads(&report), "{report:#?}");
}

#[tokio::test]
async fn sessions_of_both_runtimes_run_at_once() {
    let lab = guile();
    assert_eq!(lab.open("lisp", Runtime::named("sbcl")), Ok(runtime("sbcl")));
    assert_eq!(lab.open("sbcl", None), Ok(runtime("sbcl")), "a session with a runtime's name runs that");
    let clash = SessionError::OtherRuntime { session: "lisp".into(), runs: runtime("sbcl"), asked: runtime("guile") };
    assert_eq!(lab.open("lisp", Runtime::named("guile")), Err(clash));
    let eval =
        async |session: &str, code: &str| lab.eval(session, EvalRequest::new(code), &Default::default()).await.unwrap();
    let (scheme, lisp) = tokio::join!(eval(MAIN, "(display 'here)"), eval("lisp", "(princ :here)"));
    assert_eq!((scheme.stdout.head.as_str(), lisp.stdout.head.as_str()), ("here", "HERE"));
    assert_eq!((scheme.runtime, lisp.runtime), (runtime("guile"), runtime("sbcl")));
}
