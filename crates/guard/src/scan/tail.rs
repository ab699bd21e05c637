//! The end of a piece that the next piece may still change, as the shortest equivalent text.
//!
//! A scan may stop anywhere: between `#` and `|`, after a backslash in a string, two megabytes into a comment. The
//! reader's state depends on little of that. An open string of any length continues like `"`, or like `"\` when its
//! last character is an escape; a symbol continues like `a`; a comment three levels deep like `#|#|#|`. [`hold`] finds
//! that text. It depends only on the token that it replaces, so a scan that stops twice within one token ends in the
//! same state as a scan that stops once.
//!
//! The parts that depend on the dispatch function of a dialect are in its file beside this one; the tests that cut
//! every corpus of tokens at every place find a missing shape.

use lispwright_syntax::dialects::{Bang, escape};
use lispwright_syntax::{Dialect, TokenKind};

use super::token::Token;
use crate::failure::Failure;
use crate::limits::{MAX_COMMENT_NESTING, MAX_HERE_MARK};

/// Text that replaces an unfinished token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// The number of `#|` at the beginning.
    pub(super) nesting: u32,
    /// The text after them.
    pub(super) text: String,
}

/// The beginning of a symbol or of a comment in Scheme and Racket: the next letter decides.
const BANG: &str = "#!";

impl Tail {
    /// Longest `text`, in bytes: a terminator twice, and what surrounds it.
    pub(super) const MAX_TEXT: usize = 2 * MAX_HERE_MARK + 16;

    fn of(text: impl Into<String>) -> Self {
        Self { nesting: 0, text: text.into() }
    }

    /// Nothing is held back.
    pub(super) fn is_empty(&self) -> bool {
        self.nesting == 0 && self.text.is_empty()
    }

    /// Length in bytes, written out.
    pub(super) fn len(&self) -> usize {
        2 * self.nesting as usize + self.text.len()
    }

    pub(super) fn write_to(&self, buffer: &mut String) {
        for _ in 0..self.nesting {
            buffer.push_str("#|");
        }
        buffer.push_str(&self.text);
    }

    /// It is `#!`, which may still become a symbol.
    pub(super) fn is_bang(&self) -> bool {
        self.nesting == 0 && self.text == BANG
    }

    /// The texts that may end this token, besides those that end tokens in general.
    pub(super) fn ends(&self) -> Vec<String> {
        if self.nesting > 0 {
            return vec![format!(" {}", "|#".repeat(self.nesting as usize))];
        }
        match self.text.strip_prefix("#<<").map(|rest| rest.lines().next().unwrap_or("").trim_ascii_end()) {
            Some(mark) => vec![format!("\n{mark}\n"), format!("\n\n{mark}\n")],
            None => Vec::new(),
        }
    }
}

/// The token from which a piece is held back, and its replacement.
pub(super) struct Hold {
    /// Index of the token.
    pub(super) token: usize,
    pub(super) tail: Tail,
}

/// Decides which part of a piece is not final.
pub(super) fn hold(tokens: &[Token], buffer: &str, dialect: Dialect) -> Result<Option<Hold>, Failure> {
    let Some(last) = tokens.last() else { return Ok(None) };
    let index = tokens.len() - 1;
    let text = &buffer[last.start..last.end];
    if last.kind == TokenKind::Blank {
        let Some(previous) = index.checked_sub(1).map(|at| tokens[at]) else { return Ok(None) };
        let tail = before_blank(previous.kind, &buffer[previous.start..previous.end], text, dialect)?;
        return Ok(tail.map(|tail| Hold { token: index - 1, tail }));
    }
    Ok(last_token(last.kind, text, dialect)?.map(|tail| Hold { token: index, tail }))
}

/// A token that is not yet ended by the white space at the end of a piece.
fn before_blank(kind: TokenKind, text: &str, blank: &str, dialect: Dialect) -> Result<Option<Tail>, Failure> {
    Ok(match kind {
        // A carriage return ends the comment only together with the newline after it.
        TokenKind::LineComment if blank == "\r" => Some(Tail::of(format!("{}\r", dialect.comment()))),
        // Only at the end of its line is a terminator known to be alone on it.
        TokenKind::String if text.starts_with("#<<") && !blank.contains('\n') => Some(here_string(text, blank)?),
        kind => (dialect.table().unsettled)(kind, text, blank).map(Tail::of),
    })
}

fn last_token(kind: TokenKind, text: &str, dialect: Dialect) -> Result<Option<Tail>, Failure> {
    let is_open = matches!(dialect.table().bang, Bang::Block | Bang::Name) && text == BANG;
    Ok(match kind {
        TokenKind::LineComment | TokenKind::UnterminatedComment if is_open => Some(Tail::of(BANG)),
        TokenKind::LineComment => Some(Tail::of(dialect.comment())),
        TokenKind::BlockComment if text.starts_with("#@") => skipped_bytes(text),
        TokenKind::String | TokenKind::UnterminatedString if text.starts_with("#<<") => Some(here_string(text, "")?),
        TokenKind::UnterminatedString => match (dialect.table().unsettled)(kind, text, "") {
            Some(open) if open.len() > Tail::MAX_TEXT => return Err(too_long()),
            Some(open) => Some(Tail::of(open)),
            None => Some(Tail::of(format!("\"{}", escape(text)))),
        },
        TokenKind::UnterminatedComment if text.starts_with("#!") => Some(flat_comment(text)),
        TokenKind::UnterminatedComment => Some(nested_comment(text)?),
        kind => (dialect.table().unsettled)(kind, text, "").map(Tail::of),
    })
}

/// `#!` up to `!#`, in the middle of a text.
fn flat_comment(text: &str) -> Tail {
    Tail::of(if text.ends_with('!') { "#! !" } else { "#! " })
}

/// `#|` comments, as many as are open.
fn nested_comment(text: &str) -> Result<Tail, Failure> {
    let bytes = text.as_bytes();
    // Digits may come between the two characters of the first opener.
    let mut at = memchr::memchr(b'|', bytes).map_or(bytes.len(), |bar| bar + 1);
    let mut nesting = 1u32;
    let mut half = "";
    while let Some(found) = memchr::memchr2(b'#', b'|', &bytes[at..]) {
        at += found;
        match bytes.get(at..at + 2) {
            Some(b"#|") => {
                nesting += 1;
                at += 2;
            }
            // The comment is open at its end, so this is the end of an inner one.
            Some(b"|#") => {
                nesting = nesting.saturating_sub(1).max(1);
                at += 2;
            }
            Some(_) => at += 1,
            None => {
                half = &text[at..];
                break;
            }
        }
    }
    if nesting > MAX_COMMENT_NESTING {
        return Err(Failure::input(format!(
            "The text ends in block comments nested {nesting} deep; a scan can stop in at most {MAX_COMMENT_NESTING}. \
             Send the comment in one piece with its end."
        )));
    }
    Ok(Tail { nesting, text: half.to_owned() })
}

/// A string of which more has to be known than a scan keeps.
fn too_long() -> Failure {
    Failure::input(
        "The text ends in a string whose terminator is too long, or whose fields are nested too deep. Send the string in \
         one piece with its end.",
    )
}

/// `#<<MARK` and its lines; `blank` follows the mark on a line that may be the last one.
fn here_string(text: &str, blank: &str) -> Result<Tail, Failure> {
    let refuse = |why: &str| {
        Failure::input(format!(
            "The text ends in a `#<<` string whose terminator {why}. Send the string in one piece with its end."
        ))
    };
    let Some((opening, lines)) = text.split_once('\n') else {
        if text.len() > MAX_HERE_MARK {
            return Err(refuse(&format!("is longer than {MAX_HERE_MARK} bytes")));
        }
        return Ok(Tail::of(text));
    };
    let mark = opening["#<<".len()..].trim_ascii_end();
    if mark.len() > MAX_HERE_MARK {
        return Err(refuse(&format!("is longer than {MAX_HERE_MARK} bytes")));
    }
    let line = lines.rsplit('\n').next().unwrap_or(lines);
    let line = format!("{line}{blank}");
    let so_far = if mark.starts_with(&line) {
        line
    } else if line.trim_ascii_end() == mark {
        format!("{mark} ")
    } else if mark.starts_with('(') {
        ")".to_owned()
    } else {
        "(".to_owned()
    };
    Ok(Tail::of(format!("#<<{mark}\n{so_far}")))
}

/// `#@N` of byte-compiled Emacs Lisp, which skips N bytes after its last digit; `#@00` skips everything.
fn skipped_bytes(text: &str) -> Option<Tail> {
    let rest = &text["#@".len()..];
    let digits = &rest[..rest.bytes().take_while(u8::is_ascii_digit).count()];
    let skipped = rest.len() - digits.len();
    let count =
        digits.bytes().fold(0usize, |count, digit| count.saturating_mul(10).saturating_add(usize::from(digit - b'0')));
    if digits == "00" {
        return Some(Tail::of(if skipped == 0 { "#@00" } else { "#@00 " }));
    }
    if skipped == 0 {
        // One zero may become the two that skip everything; three zeros cannot.
        let zeros = digits.bytes().all(|digit| digit == b'0') && !digits.is_empty();
        let shown = if zeros { digits[..digits.len().min(3)].to_owned() } else { count.to_string() };
        return Some(Tail::of(format!("#@{}", if digits.is_empty() { "" } else { &shown })));
    }
    let left = count.saturating_sub(skipped);
    // The space replaces a skipped byte, so that digits to come do not continue the count.
    (left > 0).then(|| Tail::of(format!("#@{} ", if count == usize::MAX { count } else { left + 1 })))
}
