//! Form patterns: `match name=value …` for each form that matches.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use lispwright_index::pattern::Pattern;
use lispwright_syntax::{Dialect, read};

fn shown(dialect: Dialect, pattern: &str, text: &str) -> Vec<String> {
    let pattern = Pattern::new(pattern, dialect.into()).unwrap();
    let fits = pattern.fits(&read(text, dialect), text, None).unwrap();
    assert!(fits.is_empty() || pattern.may_fit(text, None), "{text}");
    let each = fits.into_iter().map(|fit| {
        let values = pattern.variables().iter().zip(&fit.values);
        let values: String = values.map(|(name, span)| format!(" {name}={}", &text[span.range()])).collect();
        format!("{}{values}", &text[fit.span.range()])
    });
    each.collect()
}

#[track_caller]
fn check(dialect: Dialect, pattern: &str, text: &str, expected: &[&str]) {
    assert_eq!(shown(dialect, pattern, text), expected, "{pattern}");
}

use Dialect::{Clojure, CommonLisp as Cl, EmacsLisp, Scheme};

#[test]
fn variables_match_data() {
    check(Cl, "(if ?a ?b nil)", "(if x (f y) nil) (if x y z)", &["(if x (f y) nil) a=x b=(f y)"]);
    check(Cl, "(f ?*x)", "(f) (f a) (g (f 'a #'b))", &["(f) x=", "(f a) x=a", "(f 'a #'b) x='a #'b"]);
    check(Cl, "(f ?+x)", "(f) (f a)", &["(f a) x=a"]);
    check(Cl, "(f ?_ ?_)", "(f a b) (f a)", &["(f a b)"]);
    check(Cl, "(f ?*a x ?*b)", "(f 1 x 2 x)", &["(f 1 x 2 x) a=1 b=2 x"]);
    check(Cl, "(f ?*_ (g ?x))", "(f 1 (h 2) (g 3))", &["(f 1 (h 2) (g 3)) x=3"]);
    check(Cl, "(setq ?x (1+ ?x))", "(setq a (1+ a)) (setq a (1+ b))", &["(setq a (1+ a)) x=a"]);
    check(Cl, "(f (?*x) (?*x))", "(f (1 (2)) (1 ; one\n (2))) (f (1) (1 2))", &["(f (1 (2)) (1 ; one\n (2))) x=1 (2)"]);
    check(Cl, "?x", "a", &["a x=a"]);
}

#[test]
fn layout_and_comments_do_not_count_and_case_counts_as_in_the_dialect() {
    check(
        Cl,
        "(when ?c (progn ?*b))",
        "(WHEN c ; why\n  #| x |# (cl:progn\n a))",
        &["(WHEN c ; why\n  #| x |# (cl:progn\n a)) c=c b=a"],
    );
    check(Cl, "(f :a)", "(f :A) (f a) (f b:a)", &["(f :A)"]);
    check(Cl, "(f #\\a \"x\")", "(f #\\a \"x\") (f #\\A \"x\") (f #\\a \"X\")", &["(f #\\a \"x\")"]);
    check(Cl, "(a:f)", "(a:f) (b:f) (f)", &["(a:f)", "(f)"]);
    check(Scheme, "(f x)", "(f x) (F x) #;(f x) [f x]", &["(f x)", "[f x]"]);
    check(Clojure, "[?a ?b]", "[1 2] (1 2) [1 #_3 2]", &["[1 2] a=1 b=2", "[1 #_3 2] a=1 b=2"]);
    check(Clojure, "(str/join ?x)", "(str/join a) (join b) (s/join c)", &["(str/join a) x=a", "(join b) x=b"]);
}

#[test]
fn prefixes_are_part_of_the_datum_after_them() {
    check(Cl, "(mapcar #'?f ?l)", "(mapcar #'g x) (mapcar 'g x)", &["(mapcar #'g x) f=g l=x"]);
    check(Cl, "'?x", "'a `b (c '(d))", &["'a x=a", "'(d) x=(d)"]);
    check(Cl, "(f)", "#+sbcl (f) '(f)", &["(f)", "(f)"]);
    check(Cl, "#+sbcl ?x", "#+sbcl (f) #+ecl (f)", &["#+sbcl (f) x=(f)"]);
    check(Cl, "(f ,x ,@y)", "(f 1 2 3)", &["(f 1 2 3) x=1 y=2 3"]);
    check(Cl, "`(f ,x)", "`(f ,x) `(f ,y)", &["`(f ,x)"]);
    check(EmacsLisp, "(f ?x ,y)", "(f ?x 1) (f z 1)", &["(f ?x 1) y=1"]);
}

#[test]
fn invalid_patterns_are_refused_with_the_place_of_the_mistake() {
    let bad = |pattern: &str, why: &str, column| {
        let bad = Pattern::new(pattern, Cl.into()).unwrap_err();
        assert!(bad.why.contains(why), "{bad:?}");
        assert_eq!(bad.column, column, "{bad:?}");
    };
    bad("", "no form", Some(1));
    bad("(λ) (b)", "second form", Some(5));
    bad("?*x", "needs a list", Some(1));
    bad("(a))", ")", Some(4));
    bad("(a \"", "never closed", Some(1));
    bad(&"a".repeat(5_000), "longer", None);
}

/// Every text of a few pieces, searched by a pattern and, if it is a valid pattern, used as one that matches itself.
#[test]
fn any_text_can_be_searched_and_matches_itself() {
    const PIECES: [&str; 15] = ["(", ")", "[", "]", "'", "`", ",", ",@", "#+", "#_", "#;", "\"", "\\", "x ", "?*y "];
    for dialect in Dialect::ALL {
        let any = Pattern::new("(?*a ?b)", dialect.into()).ok();
        for number in 0..PIECES.len().pow(4) {
            let pieces = (0..4).map(|digit| PIECES[number / PIECES.len().pow(digit) % PIECES.len()]);
            let text: String = pieces.collect();
            let tree = read(&text, dialect);
            if let Some(any) = &any {
                any.fits(&tree, &text, None).unwrap();
            }
            if let Ok(pattern) = Pattern::new(&text, dialect.into()) {
                let fits = pattern.fits(&tree, &text, None).unwrap();
                assert!(!fits.is_empty() && pattern.may_fit(&text, None), "{dialect:?} {text:?}");
            }
        }
    }
}

#[test]
fn deep_and_wide_texts_are_searched_in_proportional_time() {
    let begin = Instant::now();
    let wide = format!("(f {})", "a ".repeat(20_000));
    check(Cl, "(f ?*a x ?*b x ?*c x ?*d)", &wide, &[]);
    check(Cl, &format!("(f {} z)", "?*_ a ".repeat(20)), &wide[..2_000], &[]);
    let deep = format!("{}x{}", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(shown(Cl, "((x))", &deep).len(), 1);
    let quotes = format!("{}x", "'".repeat(100_000));
    assert_eq!(shown(Cl, "'x", &quotes).len(), 1);
    let many = format!("(f {})", "a ".repeat(400));
    let pattern = Pattern::new("(f ?*a ?*b ?*c ?*a ?*b ?*c z)", Cl.into()).unwrap();
    assert!(pattern.fits(&read(&many, Cl), &many, None).unwrap_err().why.contains("too many ways"));
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}
