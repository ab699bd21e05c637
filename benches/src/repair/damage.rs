//! Faults of delimiters, by class, applied to sound code.
//!
//! The classes and their frequencies come from the histories of public Lisp projects: of 74 delimiters that commits
//! corrected, 42 in a hundred were missing at the end of a form, 26 too many inside one, 19 too many at its end, 7
//! missing inside it, and 7 were extra openers; of 69 forms left open, 59 lacked one closer, 9 two and 1 three. Commits
//! say nothing about the classes E, F and H to M: their shares are estimates. This code is independent of the repairer.

use std::ops::Range;

use lispwright_syntax::{Dialect, TokenKind, read_plain};

use super::random::Random;
use super::sample::{Piece, Sample, around, is_sound, pieces};

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

/// Every class, its share of a hundred faults, and its description.
pub(crate) const CLASSES: [(Class, f64, &str); 13] = [
    (A, 42.0, "closers lost at the end of a form"),
    (B, 7.0, "closers lost at the end of an inner line"),
    (C, 19.0, "extra closers at the end of a form"),
    (D, 26.0, "extra closers at the end of an inner line"),
    (E, 2.0, "closer in the wrong line"),
    (F, 2.0, "closer of the wrong kind"),
    (G, 7.0, "opener lost or extra"),
    (H, 4.0, "quote or escape of a string lost, or extra"),
    (I, 1.0, "delimiter of a character, string or comment taken for code"),
    (J, 1.0, "end of a block comment lost or stray, datum commented out"),
    (K, 3.0, "text cut short"),
    (L, 1.0, "nested differently, and it balances"),
    (M, 1.0, "form swallowed by the one before, and it balances"),
];

/// One change of a sound text, in its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) with: String,
}

/// A text with its faults.
#[derive(Clone, Debug)]
pub(crate) struct Damaged {
    pub(crate) text: String,
    /// Byte offsets of the faults, in the damaged text.
    pub(crate) at: Vec<usize>,
}

/// Makes changes that do not overlap.
pub(crate) fn apply(text: &str, mut splices: Vec<Splice>) -> Damaged {
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut damaged = Damaged { text: String::with_capacity(text.len() + 8), at: Vec::new() };
    let mut from = 0;
    for splice in splices {
        damaged.text.push_str(&text[from..splice.range.start]);
        damaged.at.push(damaged.text.len());
        damaged.text.push_str(&splice.with);
        from = splice.range.end;
    }
    damaged.text.push_str(&text[from..]);
    damaged
}

/// Whether two of the changes overlap or cannot be distinguished.
pub(crate) fn collide(splices: &[Splice]) -> bool {
    let touch = |a: &Range<usize>, b: &Range<usize>| a.start <= b.end && b.start <= a.end;
    splices.iter().enumerate().any(|(at, a)| splices[..at].iter().any(|b| touch(&a.range, &b.range)))
}

/// The number of delimiters at once: of 69, 59 times one, 9 times two, once three.
fn count(random: &mut Random) -> usize {
    match random.below(69) {
        0..59 => 1,
        59..68 => 2,
        _ => 3,
    }
}

/// One of the classes A to D, by its share.
pub(crate) fn any_line_end(random: &mut Random) -> Class {
    one_of(&CLASSES[..4], random)
}

/// One of some classes, by its share.
pub(crate) fn one_of(classes: &[(Class, f64, &str)], random: &mut Random) -> Class {
    let total: f64 = classes.iter().map(|(_, share, _)| share).sum();
    let mut left = random.below(total as usize) as f64;
    for (class, share, _) in classes {
        if left < *share {
            return *class;
        }
        left -= share;
    }
    A
}

/// Damages the form of a sample; `None` when the class is not possible in it.
pub(crate) fn damage(sample: &Sample, class: Class, random: &mut Random) -> Option<Vec<Splice>> {
    let text = &*sample.text;
    let own = pieces(text, sample.form.clone(), sample.dialect);
    let last = *own.last()?;
    let inner = |piece: &&Piece| piece.end < sample.form.end;
    let one = |range: Range<usize>, with: &str| Some(vec![Splice { range, with: with.to_owned() }]);
    match class {
        A => {
            let run = own.iter().rev().take_while(|piece| piece.kind.is_close()).count();
            let lost = count(random).min(run);
            let start = own[own.len() - lost..].first()?.start;
            let kept: String = text[start..last.end].chars().filter(|c| c.is_whitespace()).collect();
            one(start..last.end, kept.trim_end())
        }
        B => {
            let ends = positions(&own, |piece| piece.kind.is_close() && piece.ends_line && inner(&piece));
            let at = *random.pick(&ends)?;
            let run = own[..=at].iter().rev().take_while(|piece| piece.kind.is_close() && !piece.begins_line).count();
            let lost = count(random).min(run.max(1));
            one(own[at + 1 - lost].start..own[at].end, "")
        }
        C => {
            let extra = text[last.start..last.end].repeat(count(random));
            if last.kind.is_close() { one(last.end..last.end, &extra) } else { None }
        }
        D => {
            let ends = positions(&own, |piece| piece.ends_line && piece.depth > 0 && inner(&piece));
            let at = *random.pick(&ends)?;
            let extra: String = around(&own, at).into_iter().take(count(random)).collect();
            one(own[at].end..own[at].end, &extra)
        }
        // With one kind of bracket a moved closer always balances.
        E if sample.dialect.has_brackets() == (false, false) => None,
        E | L => moved(sample, &own, class == L, random),
        F => {
            let others: &[&str] = match sample.dialect.has_brackets() {
                (true, true) => &[")", "]", "}"],
                (true, false) => &[")", "]"],
                _ => return None,
            };
            let closers: Vec<&Piece> = own.iter().filter(|piece| piece.kind.is_close()).collect();
            let piece = random.pick(&closers)?;
            let others: Vec<&&str> = others.iter().filter(|other| ***other != text[piece.start..piece.end]).collect();
            one(piece.start..piece.end, random.pick(&others)?)
        }
        G => {
            let openers: Vec<&Piece> = own.iter().filter(|piece| piece.kind.is_open()).collect();
            let piece = random.pick(&openers)?;
            // The histories show extra openers only; lost ones are known from models.
            if random.percent(30) {
                return one(piece.end - 1..piece.end, "");
            }
            let extra = if random.percent(50) { "(" } else { &text[piece.end - 1..piece.end] };
            one(piece.start..piece.start, extra)
        }
        H => string(text, &own, random),
        I if random.percent(50) => {
            let bare = |piece: &Piece| {
                let body = &text[piece.start..piece.end];
                piece.kind == TokenKind::Character && body.ends_with(['(', ')', '[', ']', '{', '}', '"', ';'])
            };
            let found: Vec<&Piece> = own.iter().filter(|piece| bare(piece)).collect();
            let piece = random.pick(&found)?;
            one(piece.end - 2..piece.end - 1, "")
        }
        I => counted(sample, &own, random),
        J => comment(sample, &own, random),
        K => {
            let at = random.pick(&own[..own.len() - 1])?.end;
            one(at..text.len(), "")
        }
        M => {
            let before = text[..sample.form.start].trim_end();
            if !before.ends_with(')') || !last.kind.is_close() {
                return None;
            }
            Some(vec![
                Splice { range: before.len() - 1..before.len(), with: String::new() },
                Splice { range: last.end..last.end, with: ")".to_owned() },
            ])
        }
    }
}

fn positions(own: &[Piece], fits: impl Fn(&Piece) -> bool) -> Vec<usize> {
    (0..own.len()).filter(|&at| fits(&own[at])).collect()
}

/// Moves a closer from the end of one line to the end of another; `balances` decides whether the form then balances.
fn moved(sample: &Sample, own: &[Piece], balances: bool, random: &mut Random) -> Option<Vec<Splice>> {
    let start = sample.form.start;
    let closers: Vec<&Piece> = own.iter().filter(|piece| piece.kind.is_close() && piece.ends_line).collect();
    let ends: Vec<&Piece> = own.iter().filter(|piece| piece.ends_line).collect();
    (0..24).find_map(|_| {
        let from = random.pick(&closers)?;
        let to = random.pick(&ends)?;
        if from.start == to.start {
            return None;
        }
        let closer = sample.text[from.start..from.end].to_owned();
        let splices = vec![
            Splice { range: from.start..from.end, with: String::new() },
            Splice { range: to.end..to.end, with: closer },
        ];
        let local = |splice: &Splice| {
            let range = splice.range.start - start..splice.range.end - start;
            Splice { range, with: splice.with.clone() }
        };
        let form = apply(sample.own(), splices.iter().map(local).collect()).text;
        (is_sound(&form, sample.dialect) == balances).then_some(splices)
    })
}

/// Removes a quote or an escape from a string, or adds a quote; strings of several lines are hit as often as the
/// others.
fn string(text: &str, own: &[Piece], random: &mut Random) -> Option<Vec<Splice>> {
    let strings: Vec<&Piece> = own.iter().filter(|piece| piece.kind == TokenKind::String).collect();
    let long: Vec<&Piece> = strings.iter().copied().filter(|p| text[p.start..p.end].contains('\n')).collect();
    let piece =
        if random.percent(50) { random.pick(&long).or(random.pick(&strings))? } else { random.pick(&strings)? };
    // A Clojure regex begins with `#`.
    let open = piece.start + text[piece.start..piece.end].find('"')?;
    let body = open + 1..piece.end - 1;
    let found =
        |what: &str| -> Vec<usize> { text[body.clone()].match_indices(what).map(|(at, _)| body.start + at).collect() };
    let escapes = found("\\\"");
    let (range, with) = match random.below(100) {
        0..20 if !escapes.is_empty() => {
            let &at = random.pick(&escapes)?;
            (at..at + 1, "")
        }
        0..65 => (piece.end - 1..piece.end, ""),
        65..80 => (open..open + 1, ""),
        _ => {
            let &at = random.pick(&found(" "))?;
            (at..at, "\"")
        }
    };
    Some(vec![Splice { range, with: with.to_owned() }])
}

/// Counts parentheses inside a string or comment of the form as code, and changes the end of the line or of the form to
/// match.
fn counted(sample: &Sample, own: &[Piece], random: &mut Random) -> Option<Vec<Splice>> {
    let text = &*sample.text;
    let surplus = |body: &str| body.matches('(').count() as i64 - body.matches(')').count() as i64;
    let tree = read_plain(text, sample.dialect);
    let found: Vec<(usize, i64)> = tree
        .tokens()
        .filter(|(kind, span)| {
            let literal = matches!(
                kind,
                TokenKind::String | TokenKind::Character | TokenKind::LineComment | TokenKind::BlockComment
            );
            literal && sample.form.start <= span.range().start && span.range().end <= sample.form.end
        })
        .map(|(_, span)| (span.range().end, surplus(&text[span.range()])))
        .filter(|(_, surplus)| (1..=3).contains(&surplus.abs()))
        .collect();
    let &(end, surplus) = random.pick(&found)?;
    let line = end + text[end..].find('\n').unwrap_or(text.len() - end);
    let line_end = own.iter().rposition(|piece| piece.end <= line)?;
    let at = if random.percent(50) { line_end } else { own.len() - 1 };
    if surplus > 0 {
        let due: String = if at == own.len() - 1 {
            ")".repeat(surplus as usize)
        } else {
            around(own, at).into_iter().take(surplus as usize).collect()
        };
        return Some(vec![Splice { range: own[at].end..own[at].end, with: due }]);
    }
    let run = own[..=at].iter().rev().take_while(|piece| piece.kind.is_close() && !piece.begins_line).count();
    let lost = (surplus.unsigned_abs() as usize).min(run);
    let first = if lost == 0 { return None } else { &own[at + 1 - lost] };
    Some(vec![Splice { range: first.start..own[at].end, with: String::new() }])
}

/// Removes an end of a block comment, or adds only one; or comments out a datum by mistake.
fn comment(sample: &Sample, own: &[Piece], random: &mut Random) -> Option<Vec<Splice>> {
    let text = &*sample.text;
    let put = |at: usize, with: &str| Some(vec![Splice { range: at..at, with: with.to_owned() }]);
    let discard = match sample.dialect {
        Dialect::EmacsLisp => return None,
        Dialect::Clojure | Dialect::Edn | Dialect::Hy => "#_",
        Dialect::Scheme | Dialect::Racket => "#;",
        Dialect::CommonLisp | Dialect::Fennel | Dialect::Janet => "",
    };
    if discard == "#_" || (!discard.is_empty() && random.percent(30)) {
        let before: Vec<&Piece> = own.iter().filter(|piece| piece.depth > 0).collect();
        return put(random.pick(&before)?.start, discard);
    }
    let tree = read_plain(text, sample.dialect);
    let comments: Vec<Range<usize>> = tree
        .tokens()
        .filter(|(kind, span)| *kind == TokenKind::BlockComment && text[span.range()].ends_with("|#"))
        .map(|(_, span)| span.range())
        .collect();
    if let Some(comment) = random.pick(&comments)
        && random.percent(60)
    {
        let range = if random.percent(50) { comment.end - 2..comment.end } else { comment.start..comment.start + 2 };
        return Some(vec![Splice { range, with: String::new() }]);
    }
    if random.percent(50) {
        let ends: Vec<&Piece> = own.iter().filter(|piece| piece.ends_line).collect();
        put(random.pick(&ends)?.end, " |#")
    } else {
        let begins: Vec<&Piece> = own.iter().filter(|piece| piece.begins_line).collect();
        put(random.pick(&begins)?.start, "#| ")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use super::super::sample::{same_meaning, top_level};
    use super::*;

    const LISP: &str = "(defvar *a* '(1))\n\n(defun f (x)\n  \"A \\\"doc\\\" of\n(two lines.\"\n  (let ((a (car x))\n        (b #\\())\n    (list a b)))\n\n(defun g ()\n  #| two |#\n  (f\n   (f 1)))\n";
    const CLOJURE: &str = "(def a [1])\n\n(defn f [{:keys [x]}]\n  (let [y (g \"a (b\" x)\n        z {:y y\n           :c \\(}]\n    (h y z)))\n\n(f\n {:x 1})\n";

    /// A text whose second form is the sample.
    pub(crate) fn sample(dialect: Dialect) -> Sample {
        let text = if dialect == Dialect::Clojure { CLOJURE } else { LISP };
        let forms = top_level(text, dialect).unwrap();
        Sample { dialect, file: PathBuf::new(), text: text.to_owned(), form: forms[1].clone(), forms }
    }

    #[test]
    fn every_class_damages_the_form() {
        for dialect in [Dialect::CommonLisp, Dialect::Clojure] {
            let sample = sample(dialect);
            let mut random = Random::new(1);
            let mut hit = BTreeMap::<Class, usize>::new();
            for (class, ..) in CLASSES.repeat(60) {
                let Some(splices) = damage(&sample, class, &mut random) else { continue };
                assert!(!collide(&splices), "{class:?} {splices:?}");
                let damaged = apply(&sample.text, splices.clone());
                if same_meaning(&damaged.text, &sample.text, dialect) {
                    continue;
                }
                *hit.entry(class).or_default() += 1;
                let sound = is_sound(&damaged.text, dialect);
                match class {
                    A | B | C | D | E | F | K => assert!(!sound, "{class:?} {}", damaged.text),
                    L | M => assert!(sound, "{class:?} {}", damaged.text),
                    G | H | I | J => {}
                }
                let before = splices.iter().map(|splice| splice.range.start).min().unwrap();
                assert!(class == M || class == J || before >= sample.form.start, "{class:?} {splices:?}");
            }
            // The wrong kind of bracket is not possible where there is one kind.
            let round_only = if dialect == Dialect::CommonLisp { 2 } else { 0 };
            assert_eq!(hit.len() + round_only, CLASSES.len(), "{hit:?}");
            assert!(hit.values().all(|&count| count > 5), "{hit:?}");
        }
    }

    #[test]
    fn one_closer_is_lost_much_more_often_than_three() {
        let mut random = Random::new(3);
        let mut seen = [0; 4];
        for _ in 0..6900 {
            seen[count(&mut random)] += 1;
        }
        assert!(seen[0] == 0 && (5700..6100).contains(&seen[1]), "{seen:?}");
        assert!((750..1050).contains(&seen[2]) && (60..150).contains(&seen[3]), "{seen:?}");
    }
}
