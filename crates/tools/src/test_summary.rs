//! The lines in which a test program sums up its tests, for programs that no framework counts.
//!
//! "3 of 5 tests failed", "Fail: 2 (66%)", "Errors detected in this test: 3", "Some tests failed." mean that a test failed;
//! "6 of 6 tests passed", "Pass: 3", "All tests passed" mean that tests ran and passed. Any other line is ignored. The agent for
//! Common Lisp reads such lines in the same way (`images/common-lisp/summaries.lisp`), since it has to know what prints them.

/// What a line sums up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Summary {
    /// Tests failed.
    Failed,
    /// Tests passed, and none failed.
    Passed,
    /// There were none.
    None,
}

/// A word in lower case, the integral part of a number, or one of `:,;/%`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Number(u64),
    Mark(char),
}

/// A count, and the number of all when the line has it.
type Count = (u64, Option<u64>);

const COUNTED: [&str; 12] = [
    "test",
    "tests",
    "check",
    "checks",
    "assertion",
    "assertions",
    "suite",
    "suites",
    "case",
    "cases",
    "file",
    "files",
];

const BAD: [&str; 5] = ["failed", "fail", "fails", "failure", "failures"];

impl Summary {
    /// What `line` sums up, if it sums up tests.
    pub(crate) fn of(line: &str) -> Option<Self> {
        let line = without_colours(line);
        let tokens = tokens(&line);
        let has = |words: &[&str]| tokens.iter().any(|token| token.is_one_of(words));
        let about_tests = has(&COUNTED);
        // "200 OK" and "2 errors" are also printed about other things.
        let bad: Vec<&str> = BAD.into_iter().chain(["error", "errors"].into_iter().filter(|_| about_tests)).collect();
        let of_tests = ["succeeded", "success", "successes", "ok"].into_iter().filter(|_| about_tests);
        let good: Vec<&str> = ["passed", "pass"].into_iter().chain(of_tests).collect();
        let (failed, passed) = (counts(&tokens, &bad), counts(&tokens, &good));
        let negated =
            matches!(tokens.first(), Some(Token::Number(0))) || tokens.first().is_some_and(|first| first.is("no"));
        let all_bad = |count: &Count| count.1.is_some_and(|total| count.0 < total);
        let any = |counts: &[Count]| counts.iter().any(|count| count.0 > 0);
        let some_plus = tokens.iter().any(|token| matches!(token, Token::Number(1..)));
        let says_bad =
            || failed.is_empty() && !negated && !is_marked_as_passed(&line) && is_bad(&line, &tokens, about_tests);
        let says_all_good = || about_tests && has(&good) && passed.is_empty() && has(&["all"]);
        let says_none_bad = || about_tests && has(&bad) && (negated || (!failed.is_empty() && some_plus));
        if any(&failed) || passed.iter().any(all_bad) || says_bad() {
            Some(Self::Failed)
        } else if has(&["not", "but", "except", "only"]) {
            // "3 tests succeeded, but 2 did not"
            None
        } else if any(&passed) || matches!(&tokens[..], [first, Token::Number(_), ..] if first.is("ok")) {
            Some(Self::Passed)
        } else if !some_plus && counts_none(&tokens, &bad) {
            Some(Self::None)
        } else {
            (says_all_good() || says_none_bad()).then_some(Self::Passed)
        }
    }
}

impl Token {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(text) if text == word)
    }

    fn is_one_of(&self, words: &[&str]) -> bool {
        matches!(self, Self::Word(text) if words.contains(&text.as_str()))
    }

    fn is_mark(&self, mark: char) -> bool {
        *self == Self::Mark(mark)
    }

    fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }
}

/// Whether the line begins with the mark of a check that has passed: the description of the check follows.
fn is_marked_as_passed(line: &str) -> bool {
    line.trim_start_matches([' ', '-', '*', '[', '(']).starts_with(['✓', '✔', '√'])
}

/// Whether the tokens count no tests at all, as in "0 tests, 0 failures", and not only no bad ones, as in "0 tests failed".
fn counts_none(tokens: &[Token], bad: &[&str]) -> bool {
    let tokens: Vec<&Token> = tokens.iter().filter(|token| !token.is("pending")).collect();
    tokens.windows(2).enumerate().any(|(index, pair)| {
        pair[0].number() == Some(0)
            && pair[1].is_one_of(&COUNTED)
            && !tokens.get(index + 2).is_some_and(|next| next.is_one_of(bad))
    })
}

/// Whether the line says that tests failed without a count, or begins with the word for that.
fn is_bad(line: &str, tokens: &[Token], about_tests: bool) -> bool {
    if matches!(tokens, [first, second, ..] if first.is("not") && second.is("ok")) {
        return true;
    }
    let Some(Token::Word(bad)) =
        tokens.iter().find(|token| token.is_one_of(&["failed", "fail", "failure", "failures"]))
    else {
        return false;
    };
    let is_conditional = tokens.iter().any(|token| token.is_one_of(&["if", "when", "should", "expected", "would"]));
    let first = line.trim_start_matches(|character: char| !character.is_alphabetic());
    let begins = first.get(..bad.len()).is_some_and(|word| word == bad.to_uppercase());
    about_tests && !is_conditional || begins
}

/// What the tokens have for any of the words: "3 failed", "2 of 5 tests failed", "failed: 3".
fn counts(tokens: &[Token], words: &[&str]) -> Vec<Count> {
    let begins_with_number = tokens.first().and_then(Token::number).is_some();
    let places = tokens.iter().enumerate().filter(|(_, token)| token.is_one_of(words));
    let counted = places.filter_map(|(index, _)| {
        let (before, after) = (&tokens[..index], &tokens[index + 1..]);
        if before.last().is_some_and(|token| token.is("expected")) {
            return None;
        }
        let has_colon = after.first().is_some_and(|token| token.is_mark(':'));
        let counted = if has_colon || !begins_with_number {
            count_after(after).or_else(|| if has_colon { None } else { count_before(before) })
        } else {
            count_before(before).or_else(|| count_after(after))
        };
        counted.or_else(|| count_after_label(after))
    });
    counted.collect()
}

fn count_after(tokens: &[Token]) -> Option<Count> {
    let tokens = match tokens {
        [first, rest @ ..] if first.is_mark(':') => rest,
        all => all,
    };
    match tokens {
        [Token::Number(count), of, Token::Number(total), ..] if of.is("of") || of.is_mark('/') => {
            Some((*count, Some(*total)))
        }
        [Token::Number(count), ..] => Some((*count, None)),
        _ => None,
    }
}

/// The count after the colon of a label about tests, such as "errors detected in this test: 3".
fn count_after_label(tokens: &[Token]) -> Option<Count> {
    let colon = tokens.iter().position(|token| token.is_mark(':')).unwrap_or(tokens.len());
    let is_of_label =
        |token: &Token| token.is_one_of(&["detected", "in", "this", "the", "all"]) || token.is_one_of(&COUNTED);
    (colon > 0 && tokens[..colon].iter().all(is_of_label)).then(|| count_after(&tokens[colon..])).flatten()
}

/// The count at the end of the tokens, before the counted things.
fn count_before(tokens: &[Token]) -> Option<Count> {
    let is_counted =
        |token: &Token| token.is_one_of(&COUNTED) || token.is_one_of(&["total", "unexpected", "were", "have"]);
    let end = tokens.iter().rposition(|token| !is_counted(token)).map_or(0, |last| last + 1);
    let mut tokens = &tokens[..end];
    // "80% of tests passed"
    if let [rest @ .., percent, of] = tokens
        && of.is("of")
        && percent.is_mark('%')
    {
        tokens = &tokens[..rest.len() + 1];
    }
    match tokens {
        [.., Token::Number(count), percent] if percent.is_mark('%') => Some((*count, Some(100))),
        [.., Token::Number(count), of, Token::Number(total)] if of.is("of") || of.is_mark('/') => {
            Some((*count, Some(*total)))
        }
        [.., Token::Number(count), out, of, Token::Number(total)] if out.is("out") && of.is("of") => {
            Some((*count, Some(*total)))
        }
        [.., Token::Number(count)] => Some((*count, None)),
        _ => None,
    }
}

/// The line without the escape sequences of colours.
fn without_colours(line: &str) -> String {
    let mut pieces = line.split('\u{1b}');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| text + piece.split_once('m').map_or("", |(_, rest)| rest))
}

/// The tokens of a line. Words that hyphens join are one.
fn tokens(line: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = line;
    let run = |text: &str, of: fn(char) -> bool| text.find(|character| !of(character)).unwrap_or(text.len());
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() {
            let mut end = run(rest, |character| character.is_ascii_digit());
            tokens.push(Token::Number(rest[..end].parse().unwrap_or(u64::MAX)));
            if rest[end..].starts_with('.') && rest[end + 1..].starts_with(|next: char| next.is_ascii_digit()) {
                end += 1 + run(&rest[end + 1..], |character| character.is_ascii_digit());
            }
            end
        } else if first.is_alphabetic() {
            let mut end = run(rest, char::is_alphabetic);
            while rest[end..].starts_with('-') && rest[end + 1..].starts_with(char::is_alphabetic) {
                end += 1 + run(&rest[end + 1..], char::is_alphabetic);
            }
            tokens.push(Token::Word(rest[..end].to_lowercase()));
            end
        } else {
            if ":,;/%".contains(first) {
                tokens.push(Token::Mark(first));
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: Option<Summary>, lines: &[&str]) {
        for line in lines {
            assert_eq!(Summary::of(line), expected, "{line}");
        }
    }

    #[test]
    fn lines_that_sum_up_tests_are_known() {
        check(
            Some(Summary::Failed),
            &[
                "FAIL: 3 of 5",
                " 4 out of 332 total tests failed: A.B.",
                "Some tests failed.",
                "5 of 6 tests passed",
                "   Fail: 2 (66%)",
                "12 passed, 1 failed",
                "Tests run: 5, Failures: 0, Errors: 1",
                "not ok 2 - b",
                "FAILED: foo",
                "FAIL a: 6 9",
                "Test FOO failed",
                "3/5 passed",
                "80% passed (4/5)",
                "99.5% of tests passed",
                "  Passed: 3/4 ( 75.0%)",
                "TOTAL: 4 of 5 passed (1 failed, 0 errors)",
                "Unexpected test failure",
                "× 1 of 3 tests failed",
                "20% of tests failed",
                "Errors detected in this test: 3 UNEXPECTED: 1",
                "Number of failed checks: 2",
            ],
        );
        check(
            Some(Summary::Passed),
            &[
                "6 of 6 tests passed",
                "All tests passed.",
                "No tests failed.",
                "   Pass: 3 (100%)",
                "Passed: 3 Failed: 0",
                "3 tests, 0 failures",
                "Ran 3 tests with 3 successes, 0 failures",
                "ok 1 - a",
                "Success: 3 tests, 5 checks.",
                "100% passed (5/5)",
                "100.0% passed",
                "   Pass: 4 (80%)",
                "OK (2 tests)",
                "✓ 17 tests passed",
                "\u{1b}[32m3 tests passed\u{1b}[0m",
                "Successes this test:128",
            ],
        );
        let none =
            ["Did 0 checks.", "Doing 0 pending tests of 0 tests total.", "0 tests, 0 failures", "All 0 tests passed"];
        check(Some(Summary::None), &none);
        check(
            None,
            &[
                "   Fail: 0 ( 0%)",
                "Did 3 checks.",
                "200 OK",
                "connection failed, retrying",
                "2 expected failures",
                "if a test fails",
                "error: 404",
                "",
                "failed",
                "✓ raises match-failed in both cases",
                "3 tests succeeded, but 2 did not",
                "√ a test of failures",
                "Errors detected in this test: 0 ",
                "connections passed to this test server: 3",
            ],
        );
    }
}
