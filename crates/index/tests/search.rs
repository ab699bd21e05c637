//! Searches of one text: `line:column text in form`, one line for each match.
#![allow(clippy::unwrap_used)]

use lispwright_index::search::{Search, Within};
use lispwright_syntax::Dialect;

fn search(pattern: &str, within: Within, form_types: &[&str]) -> Search {
    let mut search = Search::new(pattern, false).unwrap();
    search.within = within;
    search.form_types = form_types.iter().map(|&head| head.to_owned()).collect();
    search
}

fn shown(search: &Search, dialect: Dialect, text: &str) -> Vec<String> {
    let found = search.run(text, dialect.into(), None).unwrap();
    assert_eq!(search.count(text, || Some(dialect.into()), None), Ok((found.matches.len(), 0)), "{text}");
    let spaces = found.spaces(text);
    let each = found.matches.iter().zip(spaces).map(|(one, space)| {
        let form = one.form.map_or("none".to_owned(), |form| found.forms.get(form).label(text));
        format!("{}:{} {} in {form}{space}", one.at.line, one.at.column, &text[one.span.range()])
    });
    each.collect()
}

const TEXT: &str = "(in-package :a)\n; area of\n(defun area (x) \"the area\" ; an area\n  (area x) (area x))\n\n#| area |#\n\
    (defvar *area* 'area)\n";

#[test]
fn each_part_of_a_source_is_searched_separately() {
    let check = |within, types: &[&str], expected: &[&str]| {
        assert_eq!(shown(&search("area", within, types), Dialect::CommonLisp, TEXT), expected, "{within:?}");
    };
    let all = ["2:3", "3:8", "4:4", "6:4", "7:10"];
    let found = shown(&search("area", Within::All, &[]), Dialect::CommonLisp, TEXT);
    assert_eq!(found.iter().map(|line| line.split(' ').next().unwrap()).collect::<Vec<_>>(), all);
    let code = ["3:8 area in defun areaa", "4:4 area in defun areaa", "7:10 area in defvar *area*a"];
    check(Within::Code, &[], &code);
    check(Within::Code, &["defvar"], &code[2..]);
    check(Within::Strings, &[], &["3:22 area in defun areaa"]);
    let comments = ["2:3 area in defun areaa", "3:33 area in defun areaa", "6:4 area in defvar *area*a"];
    check(Within::Comments, &[], &comments);
    check(Within::Comments, &["defun"], &comments[..2]);
}

#[test]
fn a_regex_matches_line_by_line() {
    let check = |pattern: &str, text: &str, expected: &[&str]| {
        assert_eq!(shown(&search(pattern, Within::All, &[]), Dialect::Scheme, text), expected, "{pattern}");
    };
    check("^$", "(a)\r\n\r\n(b)\r\n", &["2:1  in none"]);
    check("x*", "a\nb\n", &["1:1  in a", "2:1  in b"]);
    check("", "", &[]);
    check("λ$", "(λ λ)\n; λ", &["2:3 λ in none"]);
    check(r"(?s)a.*c", "(a\n c)\n(c)\n", &["1:2 a\n c)\n(c in a c"]);
}

#[test]
fn an_invalid_regex_is_refused_with_the_place_of_the_mistake() {
    let check = |pattern: &str, why: &str, column| {
        let bad = Search::new(pattern, false).unwrap_err();
        assert!(bad.why.contains(why), "{bad:?}");
        assert_eq!(bad.column, column, "{bad:?}");
    };
    check("(defun", "unclosed group", Some(1));
    check("a[b", "unclosed character class", Some(2));
    check("λ**(", "unclosed group", Some(4));
    check("((a{100}){100}){1000}", "too large", None);
}
