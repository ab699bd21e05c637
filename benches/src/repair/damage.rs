//! What goes wrong with delimiters, by class, done to sound code.
//!
//! The classes and how often they occur are those that the histories of public Lisp projects show. Nothing here knows
//! how repair works.

use lispwright_syntax::TokenKind;

use super::random::Random;
use super::sample::{Piece, Sample, pieces};

/// A class of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
    I,
    J,
    K,
    L,
    M,
}

use Class::{A, B, C, D, E, F, G, H, I, J, K, L, M};

/// Every class, how many of a hundred faults are of it, and what it is.
pub(crate) const CLASSES: [(Class, f64, &str); 13] = [
    (A, 42.0, "closer lost at the end of a form"),
    (B, 7.0, "closer lost at the end of an inner line"),
    (C, 19.0, "extra closer at the end of a form"),
    (D, 26.0, "extra closer at the end of an inner line"),
    (E, 2.0, "closer in the wrong line"),
    (F, 2.0, "closer of the wrong kind"),
    (G, 7.0, "opener lost or extra"),
    (H, 4.0, "quote of a string lost or extra"),
    (I, 1.0, "delimiter of a character literal bared"),
    (J, 1.0, "end of a block comment lost or stray"),
    (K, 3.0, "text cut short"),
    (L, 1.0, "balanced but nested otherwise"),
    (M, 1.0, "form swallowed by the one before"),
];

/// A text with a fault.
#[derive(Clone, Debug)]
pub(crate) struct Damaged {
    pub(crate) text: String,
    /// Byte offset of the fault, in the damaged text.
    pub(crate) at: usize,
}

/// Damages the form of a sample; `None` when it holds nothing that this class could hit.
pub(crate) fn damage(sample: &Sample, class: Class, random: &mut Random) -> Option<Damaged> {
    let text = &*sample.text;
    let own = pieces(text, sample.form.clone(), sample.dialect);
    let closer = |piece: &&Piece| piece.kind.is_close();
    let last = own.last()?;
    let cut = |piece: &Piece| replaced(text, piece.start, piece.end, "");
    let inner = |piece: &&Piece| piece.end < sample.form.end;
    match class {
        A => {
            let run: Vec<&Piece> = own.iter().rev().take_while(|piece| piece.kind.is_close()).collect();
            let wanted = if random.percent(4) {
                3
            } else if random.percent(14) {
                2
            } else {
                1
            };
            let count = wanted.min(run.len());
            let first = run.get(count.checked_sub(1)?)?;
            let end = last.end;
            let kept: String = text[first.start..end].chars().filter(|c| c.is_whitespace()).collect();
            Some(replaced(text, first.start, end, kept.trim_end()))
        }
        B => {
            let ends: Vec<&Piece> = own.iter().filter(closer).filter(|p| p.ends_line).filter(inner).collect();
            Some(cut(random.pick(&ends)?))
        }
        C => Some(replaced(text, last.end, last.end, &text[last.start..last.end])),
        D => {
            let ends: Vec<&Piece> = own.iter().filter(|p| p.ends_line && p.around.is_some()).filter(inner).collect();
            let piece = random.pick(&ends)?;
            Some(replaced(text, piece.end, piece.end, &piece.around?.to_string()))
        }
        E | L => {
            let ends: Vec<&Piece> = own.iter().filter(closer).filter(|p| p.ends_line).collect();
            let from = *random.pick(&ends)?;
            let others: Vec<&Piece> =
                own.iter().filter(|p| p.ends_line && p.start != from.start).filter(inner).collect();
            let to = *random.pick(&others)?;
            let moved = text[from.start..from.end].to_owned();
            Some(if to.end <= from.start {
                replaced(&replaced(text, from.start, from.end, "").text, to.end, to.end, &moved)
            } else {
                let first = replaced(text, to.end, to.end, &moved).text;
                replaced(&first, from.start, from.end, "")
            })
        }
        F => {
            let (square, brace) = sample.dialect.has_brackets();
            let others: &[&str] = match (square, brace) {
                (true, true) => &[")", "]", "}"],
                (true, false) => &[")", "]"],
                _ => return None,
            };
            let all: Vec<&Piece> = own.iter().filter(closer).collect();
            let piece = random.pick(&all)?;
            let others: Vec<&&str> = others.iter().filter(|other| ***other != text[piece.start..piece.end]).collect();
            Some(replaced(text, piece.start, piece.end, random.pick(&others)?))
        }
        G => {
            let openers: Vec<&Piece> = own.iter().filter(|p| p.kind.is_open()).collect();
            let piece = random.pick(&openers)?;
            // The histories show extra openers only; lost ones are known from models.
            Some(if random.percent(30) {
                replaced(text, piece.end - 1, piece.end, "")
            } else {
                replaced(text, piece.start, piece.start, "(")
            })
        }
        H => {
            let strings: Vec<&Piece> = own.iter().filter(|p| p.kind == TokenKind::String).collect();
            let long: Vec<&Piece> = strings.iter().copied().filter(|p| text[p.start..p.end].contains('\n')).collect();
            let piece = if random.percent(50) {
                random.pick(&long).or(random.pick(&strings))?
            } else {
                random.pick(&strings)?
            };
            let body = piece.start + 1..piece.end - 1;
            Some(if random.percent(75) {
                replaced(text, piece.end - 1, piece.end, "")
            } else {
                let blanks: Vec<usize> = text[body.clone()].match_indices(' ').map(|(at, _)| body.start + at).collect();
                let &at = random.pick(&blanks)?;
                replaced(text, at, at, "\"")
            })
        }
        I => {
            let bare = |p: &&Piece| {
                let body = &text[p.start..p.end];
                p.kind == TokenKind::Character && body.ends_with(['(', ')', '[', ']', '{', '}', '"', ';'])
            };
            let found: Vec<&Piece> = own.iter().filter(bare).collect();
            let piece = random.pick(&found)?;
            Some(replaced(text, piece.end - 2, piece.end - 1, ""))
        }
        J => Some(if random.percent(50) {
            let line_ends: Vec<&Piece> = own.iter().filter(|p| p.ends_line).collect();
            let at = random.pick(&line_ends)?.end;
            replaced(text, at, at, " |#")
        } else {
            let begins: Vec<&Piece> = own.iter().filter(|p| p.begins_line).collect();
            let at = random.pick(&begins)?.start;
            replaced(text, at, at, "#| ")
        }),
        K => {
            let at = random.pick(&own[..own.len() - 1])?.end;
            Some(Damaged { text: text[..at].to_owned(), at })
        }
        M => {
            let before = text[..sample.form.start].trim_end();
            if !before.ends_with(')') {
                return None;
            }
            let with = replaced(text, last.end, last.end, ")").text;
            Some(replaced(&with, before.len() - 1, before.len(), ""))
        }
    }
}

fn replaced(text: &str, start: usize, end: usize, with: &str) -> Damaged {
    Damaged { text: format!("{}{with}{}", &text[..start], &text[end..]), at: start }
}
