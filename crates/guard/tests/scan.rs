//! Scanning in pieces equals scanning whole, and both equal the reader's result for the whole text.

#![allow(clippy::unwrap_used)]

use lispwright_guard::scan::Scanner;
use lispwright_guard::{DelimiterType, Operation, answer};
use lispwright_syntax::{Delimiter, Dialect, read_plain};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else { panic!("not an object: {value}") };
    fields
}

fn scan(request: Value) -> Map<String, Value> {
    object(answer(Operation::Scan, &object(request)).document())
}

/// Scans pieces one after another and returns the last answer.
fn scan_pieces<'t>(pieces: impl IntoIterator<Item = &'t str>, dialect: Dialect) -> Map<String, Value> {
    let mut last = scan(json!({ "text": "", "dialect": dialect.name() }));
    for piece in pieces {
        last = scan(json!({ "text": piece, "state": last["state"] }));
    }
    last
}

fn scan_whole(text: &str, dialect: Dialect) -> Map<String, Value> {
    scan_pieces([text], dialect)
}

/// Cuts `text` at some characters: at the `n`-th with `cut(n)`.
fn pieces(text: &str, cut: impl Fn(usize) -> bool) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    for (index, (at, _)) in text.char_indices().enumerate() {
        if index > 0 && cut(index) {
            found.push(&text[from..at]);
            from = at;
        }
    }
    found.push(&text[from..]);
    found
}

/// A scan of pieces; `None` where a scan cannot be interrupted, which has a test of its own.
fn scanner<'t>(pieces: impl IntoIterator<Item = &'t str>, dialect: Dialect) -> Option<Scanner> {
    let mut scanner = Scanner::new(dialect, &[], 0);
    for piece in pieces {
        if let Err(refused) = scanner.feed(piece, &mut |_| {}) {
            assert!(refused.message.contains("terminator") || refused.message.contains("nested"), "{refused:?}");
            return None;
        }
    }
    Some(scanner)
}

fn check_pieces(text: &str, dialect: Dialect, cut: impl Fn(usize) -> bool) {
    let pieces = pieces(text, cut);
    let whole = scanner([text], dialect);
    let split = scanner(pieces.iter().copied(), dialect);
    if split.is_some() {
        assert_eq!(split, whole, "{} {text:?} as {pieces:?}", dialect.name());
    }
}

/// The same through requests: the state is carried as a string, and all of the answers agree.
fn check_requests(text: &str, dialect: Dialect, cut: impl Fn(usize) -> bool) {
    let pieces = pieces(text, cut);
    if scanner(pieces.iter().copied(), dialect).is_some() {
        let whole = scan_whole(text, dialect);
        let split = scan_pieces(pieces.iter().copied(), dialect);
        assert_eq!(Value::from(split), Value::from(whole), "{} {text:?} as {pieces:?}", dialect.name());
    }
}

/// The effect of the reader's tokens on a stack, depth by depth, where a wrong closer has no effect.
fn oracle(text: &str, dialect: Dialect) -> (Vec<&'static str>, usize, Option<usize>) {
    let tree = read_plain(text, dialect);
    let (mut stack, mut faults, mut first) = (Vec::new(), 0, None);
    for (kind, span) in tree.tokens() {
        let Some(delimiter) = Delimiter::of(kind).map(DelimiterType::from) else { continue };
        if kind.is_open() {
            stack.push(delimiter.name());
        } else if stack.last() == Some(&delimiter.name()) {
            stack.pop();
        } else {
            faults += 1;
            first.get_or_insert(text[..span.start as usize].chars().count());
        }
    }
    (stack, faults, first)
}

fn check_against_reader(text: &str, dialect: Dialect) {
    let Some(scanner) = scanner([text], dialect) else { return };
    let (stack, faults, first) = oracle(text, dialect);
    let place = format!("{} {text:?} {scanner:?}", dialect.name());
    let found: Vec<&str> = scanner.stack().into_iter().map(DelimiterType::name).collect();
    assert_eq!(found, stack, "{place}");
    assert_eq!(scanner.fault_count(), faults as u64, "{place}");
    assert_eq!(scanner.first_fault().map(|fault| fault.at.offset), first.map(|at| at as u64), "{place}");
    let unclosed =
        read_plain(text, dialect).diagnostics().iter().any(|found| found.kind.code().starts_with("unclosed"));
    assert_eq!(scanner.is_balanced(), faults == 0 && stack.is_empty() && !unclosed, "{place}");
    if faults == 0
        && let Some(closers) = scanner.closers()
    {
        let closed = format!("{text}{closers}");
        let (left, faults, _) = oracle(&closed, dialect);
        assert!(left.is_empty() && faults == 0, "{place} closed as {closed:?}");
    }
}

/// The parts of generated texts: every token that a piece may end in the middle of.
const FRAGMENTS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "a",
    "foo-bar",
    "12",
    "\"",
    "\"s(tr\"",
    "\\",
    "\\(",
    "\"a\\\"(\"",
    "\"\\\\\"",
    "|",
    "|sy(m|",
    "|a\\|b|",
    ";",
    "; co(mment\n",
    ";c\r",
    "#",
    "##",
    "#|",
    "|#",
    "#||#",
    "#|a#|b|#c|#",
    "#\\",
    "#\\(",
    "#\\)",
    "#\\space",
    "#\\\\",
    "#\\|",
    "?",
    "?(",
    "?\\(",
    "?\\)",
    "?\\C-(",
    "?\\^(",
    "?\\x41",
    "?\\N{LEFT PARENTHESIS}",
    "?\\N{",
    "?\\C-\\M-[",
    "?\\^",
    "#'",
    "#(",
    "#[",
    "#{",
    "}#",
    "#{a(b}#",
    "#{a\\}",
    "#foo(",
    "#x",
    "#1=",
    "#1#",
    "#12(",
    "#1",
    "1",
    "#*101",
    "#:",
    "#:ns{",
    "#:ns {",
    "#::{",
    "#::a  {",
    "#?(",
    "#?@(",
    "#? (",
    "#?",
    "#?@",
    "@",
    "#_",
    "#;",
    "#^",
    "^",
    "~",
    "~@",
    ",",
    ",@",
    "'",
    "`",
    "#+",
    "#-",
    "#.",
    "`",
    "``",
    "`a(`",
    "``a`(``",
    "@(",
    "@\"(\"",
    "@``(``",
    "f\"",
    "rf\"",
    "f\"{(a \"}\")}\"",
    "f\"{{(}}{a !r :>{b}}\"",
    "f\"{a :",
    "}\"",
    "#[",
    "#[[",
    "#[[(]]",
    "#[f[",
    "#[f[{(a)}]f]",
    "]f]",
    "#[x[]x(]x]",
    "#!",
    "!#",
    "!",
    "#!+",
    "#!eof",
    "#!r7rs",
    "#!fold-case",
    "-case",
    "#!/bin/sh\n",
    "#<",
    "#<<",
    "#<<EOF\n",
    "EOF",
    "EOF\n",
    "#<<EOF\na(\nEOF\n",
    "EOF ",
    "#<<\n",
    "#lang ",
    "(define-library",
    "(define-",
    "library",
    "lang",
    "r7rs",
    "#vu8(",
    "#u8",
    "u8(",
    "#rx\"(\"",
    "#~",
    "#$",
    "#,",
    "#@",
    "#@3",
    "#@12 ",
    "#@00",
    "#@0",
    "0",
    "00",
    "#&",
    "#&12",
    "#s(",
    "#^[",
    "#^^[",
    "#^^",
    "#_foo",
    "#$",
    "#tag",
    "# tag",
    "#inst\"x(\"",
    "##Inf",
    "#\"re(\\\"\"",
    "#\"",
    "#<x",
    "#=",
    "\\newline",
    "\\a",
    "\\u0041",
    "\\,",
    "a#",
    "a'",
    "a\\",
    "a\\ b",
    "a|",
    "λ",
    "é(",
    "𝕏",
    "\u{feff}",
    "\u{a0}",
    "\u{3000}",
    "\u{2003}",
    "%",
    "&",
    "<",
    "C-",
    "x41",
    "u1234",
    "N{",
    "::",
    "#:",
    "  {",
    " (",
    "\x0c",
    "\\\"",
];

fn dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(Dialect::ALL.to_vec())
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(FRAGMENTS), 0..14).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_equal_the_whole(text in text(), dialect in dialect(), cuts in any::<u64>()) {
        check_requests(&text, dialect, |index| cuts >> (index % 64) & 1 == 1);
    }

    #[test]
    fn characters_equal_the_whole(text in text(), dialect in dialect()) {
        check_pieces(&text, dialect, |_| true);
    }

    #[test]
    fn the_whole_is_what_the_reader_says(text in text(), dialect in dialect()) {
        check_against_reader(&text, dialect);
    }

    #[test]
    fn long_tokens_are_resumed(
        start in text(), filler in prop::sample::select(vec!["a", "1", " ", "\\", "(", "#|", "|#", "x\\", "\n", "0", "λ"]),
        count in 60usize..400, end in text(), dialect in dialect(), cut in 1usize..40,
    ) {
        let text = format!("{start}{}{end}", filler.repeat(count));
        check_pieces(&text, dialect, |index| index % cut == 0);
        check_against_reader(&text, dialect);
    }
}

/// What has a meaning inside a string with fields.
const IN_FIELDS: &[&str] = &["{", "}", "\"", "(", ")", ":", "!", "f", "a", " ", "\\", "#[", "]", "=", "`", ";", "\n"];

#[test]
fn strings_with_fields_are_cut_anywhere() {
    const LENGTH: u32 = 4;
    let count = IN_FIELDS.len();
    for number in 0..count.pow(LENGTH) {
        let parts = (0..LENGTH).map(|place| IN_FIELDS[number / count.pow(place) % count]);
        let text = format!("f\"{}{{", parts.collect::<String>());
        check_pieces(&text, Dialect::Hy, |_| true);
    }
}

#[test]
fn two_fragments_cut_anywhere() {
    for dialect in Dialect::ALL {
        for first in FRAGMENTS {
            for second in FRAGMENTS {
                let text = format!("{first}{second}(x)]");
                check_pieces(&text, dialect, |_| true);
                check_against_reader(&text, dialect);
            }
        }
    }
}

#[test]
fn fragments_in_the_middle_of_a_text_cut_anywhere() {
    for dialect in Dialect::ALL {
        for first in FRAGMENTS {
            for second in FRAGMENTS {
                check_pieces(&format!("(y {first}{second} (x)\n{first}"), dialect, |_| true);
            }
        }
    }
}

#[test]
fn a_scan_says_what_is_open_and_since_where() {
    let found = scan(json!({ "text": "(defn f [x]\n  (let [y \"a(", "dialect": "clojure" }));
    assert_eq!(found["ok"], json!(true));
    assert_eq!(found["balanced"], json!(false));
    assert_eq!(found["depth"], json!(3));
    assert_eq!(found["stack"], json!(["paren", "paren", "bracket"]));
    assert_eq!(
        found["open"],
        json!([
            { "type": "paren", "offset": 0, "line": 1, "column": 1 },
            { "type": "paren", "offset": 14, "line": 2, "column": 3 },
            { "type": "bracket", "offset": 19, "line": 2, "column": 8 },
        ])
    );
    assert_eq!(found["inside"], json!({ "kind": "string", "since": { "offset": 22, "line": 2, "column": 11 } }));
    assert_eq!(found["closers"], json!("\"]))"));
    assert_eq!(found["end"], json!({ "offset": 25, "line": 2, "column": 14 }));
}

#[test]
fn the_first_error_is_located_and_stays() {
    let first = scan(json!({ "text": "(λ [x)\n", "dialect": "clojure" }));
    let error = &first["error"];
    assert_eq!(first["ok"], json!(false));
    assert_eq!(error["code"], json!("MISMATCH"));
    assert_eq!((&error["expected"], &error["found"]), (&json!("bracket"), &json!("paren")));
    assert_eq!(error["position"], json!({ "offset": 5, "line": 1, "column": 6 }));
    assert_eq!(error["openedAt"], json!({ "offset": 3, "line": 1, "column": 4 }));
    assert_eq!(error["stack"], json!(["paren", "bracket"]));
    let later = scan(json!({ "text": "])) }", "state": first["state"] }));
    assert_eq!(later["error"]["position"], error["position"]);
    assert_eq!(later["errorCount"], json!(3));
    assert_eq!(later["balanced"], json!(false));
}

#[test]
fn positions_count_code_points_across_pieces() {
    let mut last = scan(json!({ "text": "λé\n", "start": 100, "stack": ["paren"] }));
    assert_eq!(last["end"], json!({ "offset": 103, "line": 2, "column": 1 }));
    last = scan(json!({ "text": "𝕏 [", "state": last["state"], "start": 103, "stack": ["paren"] }));
    assert_eq!(
        last["open"],
        json!([{ "type": "paren" }, { "type": "bracket", "offset": 105, "line": 2, "column": 3 }])
    );
}

#[test]
fn modes_refuse_or_fix_the_end() {
    let report = scan(json!({ "text": "(a #|b", "dialect": "cl" }));
    assert_eq!((&report["ok"], report.contains_key("fix")), (&json!(true), false));
    let refused = scan(json!({ "text": "(a #|b", "dialect": "cl", "mode": "assert-empty" }));
    assert_eq!(refused["ok"], json!(false));
    assert_eq!(refused["error"]["code"], json!("MISMATCH"));
    assert_eq!(refused["error"]["expected"], json!("paren"));
    let fixed = scan(json!({ "text": "(a #|b", "dialect": "cl", "mode": ":suggest-fix" }));
    assert_eq!(fixed["fix"], json!({ "edits": [{ "start": 6, "end": 6, "text": " |#)" }], "newStack": [] }));
    let empty = scan(json!({ "text": "(a)", "mode": "assert-empty" }));
    assert_eq!((&empty["ok"], &empty["balanced"]), (&json!(true), &json!(true)));
    let string = scan(json!({ "text": "\"a", "mode": "assert-empty" }));
    assert_eq!((&string["ok"], &string["error"]["code"]), (&json!(false), &json!("MISMATCH")));
}

#[test]
fn what_cannot_be_closed_stays_on_the_stack() {
    let found = scan(json!({ "text": "(a #@100 b", "dialect": "el", "mode": "suggest-fix" }));
    assert_eq!(found["inside"]["kind"], json!("skipped-bytes"));
    assert!(!found.contains_key("closers"), "{found:?}");
    assert_eq!(found["fix"], json!({ "edits": [], "newStack": ["paren"] }));
    let refused = scan(json!({ "text": "(a #@100 b", "dialect": "el", "mode": "assert-empty" }));
    assert!(!refused["error"]["message"].as_str().unwrap().contains("`closers`"), "{refused:?}");
}

#[test]
fn a_state_is_held_against_the_rest_of_the_request() {
    let state = scan(json!({ "text": "(a", "dialect": "scheme" }))["state"].clone();
    let code = |request: Value| scan(request)["error"]["code"].clone();
    assert_eq!(code(json!({ "text": "", "state": state, "dialect": "clojure" })), json!("BAD_INPUT"));
    assert_eq!(code(json!({ "text": "", "state": state, "stack": [] })), json!("BAD_INPUT"));
    assert_eq!(code(json!({ "text": "", "state": state, "start": 3 })), json!("BAD_CURSOR"));
    let fine = scan(json!({ "text": ")", "state": state, "dialect": "guile", "stack": ["paren"], "start": 2 }));
    assert_eq!(fine["balanced"], json!(true));
}

#[test]
fn forged_states_are_bad_input() {
    let state = scan(json!({ "text": "(a \"b", "dialect": "cl" }))["state"].as_str().unwrap().to_owned();
    for index in 0..state.len() {
        for other in ["A", "_", "*", "", "é"] {
            let mut forged = state.clone();
            forged.replace_range(index..=index, other);
            if forged != state {
                let found = scan(json!({ "text": "x", "state": forged }));
                assert_eq!(found["error"]["code"], json!("BAD_INPUT"), "{forged}");
            }
        }
    }
    for forged in ["g1.", "g2.AAAA", "\u{0}", "g1.AAAAAAAAAAAAAAAA"].map(str::to_owned).into_iter().chain([
        "g1.".to_owned() + &"A".repeat(300_000),
        state.clone() + "A",
        state[..state.len() - 1].to_owned(),
    ]) {
        assert_eq!(scan(json!({ "text": "x", "state": forged }))["error"]["code"], json!("BAD_INPUT"));
    }
    assert_eq!(scan(json!({ "text": "x", "state": 3 }))["error"]["code"], json!("BAD_INPUT"));
}

#[test]
fn a_state_stays_small() {
    let long = "x".repeat(500_000);
    for (dialect, start) in
        [("cl", "\""), ("cl", "#|"), ("clojure", ";"), ("scheme", "#!/x\n"), ("cl", "|"), ("el", "a")]
    {
        let state = scan(json!({ "text": format!("{start}{long}"), "dialect": dialect }))["state"].clone();
        assert!(state.as_str().unwrap().len() < 80, "{dialect} {start} {state}");
    }
    let deep = scan(json!({ "text": "(f [a {".repeat(1_000) }));
    assert_eq!(deep["depth"], json!(3_000));
    assert!(deep["state"].as_str().unwrap().len() < 3_000 * 8, "{}", deep["state"].as_str().unwrap().len());
    assert_eq!(deep["open"].as_array().unwrap().len() + deep["openOmitted"].as_u64().unwrap() as usize, 3_000);
    // The longest state: maximal depth, every line long.
    let widest = format!("{}\n(", " ".repeat(200)).repeat(4_096);
    let found = scan(json!({ "text": widest, "dialect": "cl" }));
    let again = scan(json!({ "text": ")", "state": found["state"] }));
    assert_eq!(again["depth"], json!(4_095));
}

#[test]
fn limits_are_answers() {
    let error = |request: Value| scan(request)["error"].clone();
    assert_eq!(error(json!({ "text": "(".repeat(4_097) }))["code"], json!("BAD_INPUT"));
    assert_eq!(error(json!({ "text": " ".repeat(1024 * 1024 + 1) }))["code"], json!("BAD_INPUT"));
    assert_eq!(error(json!({ "text": "#|".repeat(4_097), "dialect": "cl" }))["code"], json!("BAD_INPUT"));
    assert_eq!(error(json!({ "text": "a", "start": (1u64 << 53) - 1 }))["code"], json!("BAD_CURSOR"));
    assert_eq!(
        error(json!({ "text": format!("#<<{}\n", "m".repeat(300)), "dialect": "scheme" }))["code"],
        json!("BAD_INPUT")
    );
    assert_eq!(error(json!({}))["code"], json!("BAD_INPUT"));
    assert_eq!(error(json!({ "text": 1 }))["code"], json!("BAD_INPUT"));
    assert_eq!(error(json!({ "text": "", "dialect": "cobol" }))["code"], json!("BAD_INPUT"));
    assert_eq!(error(json!({ "text": "", "mode": "guess" }))["code"], json!("BAD_INPUT"));
    assert_eq!(error(json!({ "text": "", "start": -1 }))["code"], json!("BAD_CURSOR"));
    assert_eq!(error(json!({ "text": "", "stack": ["angle"] }))["code"], json!("INVALID_TYPE"));
}

#[test]
fn the_header_of_a_script_may_be_a_comment_after_all() {
    let first = scan(json!({ "text": "#!/usr/bin/guile -s\n(exec ]", "dialect": "scheme" }));
    assert_eq!((&first["depth"], &first["ok"]), (&json!(1), &json!(false)));
    let second = scan(json!({ "text": " \"!", "state": first["state"] }));
    let third = scan(json!({ "text": "#\n(display 1)", "state": second["state"] }));
    assert_eq!((&third["depth"], &third["ok"], &third["balanced"]), (&json!(0), &json!(true), &json!(true)));
}

#[test]
fn bars_quote_in_scheme_from_the_mark_on() {
    let library = "(define-library (foo) (export |a(b|))";
    for text in [library, "#!r7rs\n(f |a(b|)", "#lang racket\n(f |a(b|)"] {
        check_pieces(text, Dialect::Scheme, |_| true);
        assert_eq!(scan_whole(text, Dialect::Scheme)["balanced"], json!(true), "{text}");
    }
    assert_eq!(scan_whole("(f |a(b|)", Dialect::Scheme)["depth"], json!(1));
    // Text before the mark was read without it, including the token that the mark ends in.
    for text in ["(a b-#\\) (c) #!r7rs", "(f |a(b|)) #!r7rs |x (|", "(define-library|a |) |b (|", "#!r7rs|a\n(b |c (|)"]
    {
        check_against_reader(text, Dialect::Scheme);
        check_pieces(text, Dialect::Scheme, |_| true);
    }
    // A mark far from the start has no effect, as in the reader.
    let far = format!("{}(f |a(b|)", " ".repeat(17_000) + "#lang x\n");
    assert_eq!(scan_whole(&far, Dialect::Scheme)["depth"], json!(1));
    check_pieces(&far, Dialect::Scheme, |index| index % 1_000 == 7);
    check_pieces(&far, Dialect::Scheme, |index| index > 16_990);
}

#[test]
fn marks_around_the_reach_are_read_as_the_reader_does() {
    for mark in ["#lang ", "#!r7rs ", "(define-library) ", "(import (chezscheme)) "] {
        for before in 16_366..16_386 {
            let text = format!("{}{mark} (f |a(b|) λ{}", " ".repeat(before), mark.repeat(3));
            check_against_reader(&text, Dialect::Scheme);
            check_pieces(&text, Dialect::Scheme, |index| index > before - 2);
        }
        let wide = format!("{} {mark} (f |a(b|)", "λ".repeat(8_190));
        check_against_reader(&wide, Dialect::Scheme);
        check_pieces(&wide, Dialect::Scheme, |index| index > 8_180);
    }
    // None of this takes long: many marks, many pieces, far from the start.
    let many = " ".repeat(17_000) + &"#!r7rs (a) ".repeat(20_000);
    assert!(scanner([many.as_str()], Dialect::Scheme).unwrap().is_balanced());
}

#[test]
fn doc_hashes_follow_the_pieces() {
    let empty = lispwright_guard::hash::EMPTY;
    let first = scan(json!({ "text": "(λ", "docHash": empty }));
    let after_first = lispwright_guard::hash::advance(empty, 0, 2, "(λ");
    assert_eq!(first["docHash"], json!(after_first));
    let second = scan(json!({ "text": ")", "state": first["state"], "docHash": after_first }));
    assert_eq!(second["docHash"], json!(lispwright_guard::hash::advance(&after_first, 2, 3, ")")));
    let drifted = scan(json!({ "text": ")", "state": first["state"], "docHash": empty }));
    assert_eq!(drifted["error"]["code"], json!("BAD_INPUT"));
    assert!(drifted["error"]["message"].as_str().unwrap().contains("drifted"), "{drifted:?}");
}

#[test]
fn a_scanner_gives_the_steps_it_saw() {
    let mut scanner = Scanner::new(Dialect::CommonLisp, &[], 0);
    let mut steps = String::new();
    scanner.feed("(a #\\( \")\" ; ]\n", &mut |step| steps.push(step.character())).unwrap();
    scanner.feed("#(b))", &mut |step| steps.push(step.character())).unwrap();
    assert_eq!(steps, "(())");
    assert!(scanner.is_balanced());
}
