//! Reads a text that differs little from one that has been read before.
//!
//! The only state of the lexer is its position and the place of the first mark in the text. The builder has no state
//! between top-level forms. So the earlier tree provides the tokens and lists before the last form that begins before
//! the change. From there the text is read, up to a token after the change that begins where a token of the earlier
//! tree began: the tokens after that are known, and only their delimiters are matched. At the first place that is
//! between top-level forms in both texts, the rest of the tree is known, too. If the change leaves a list open,
//! delimiters are matched to the end of the text.
//!
//! The result equals the tree of the whole text, diagnostics included. If the earlier text did not balance, its tokens
//! are used, and its lists up to the first fault.

use crate::build::{Builder, Cuts, build};
use crate::datum::{Element, Position};
use crate::language::Language;
use crate::lexer::Lexer;
use crate::readtable::{Readtable, Readtables};
use crate::same::{same_back, same_front};
use crate::tree::Tree;

/// A text with more faults than this is read anew: only some of very many faults are reported, perhaps not the first.
const MOST_FAULTS: usize = 1_000;

/// The same tree as [`build`] of `text` without cuts; `before` is the tree of `old`.
pub(crate) fn build_again(before: &Tree, old: &[u8], text: &[u8], language: &Language) -> Tree {
    changed(before, old, text, language, Known::Copied)
}

/// [`build`] finds no fault in `text`; `before` is the tree of `old`.
pub(crate) fn is_sound_again(before: &Tree, old: &[u8], text: &[u8], language: &Language) -> bool {
    changed(before, old, text, language, Known::LeftOut).diagnostics.is_empty()
}

/// How the known tokens and lists are used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Copied,
    /// They have no faults, and only faults are asked for.
    LeftOut,
}

fn changed(before: &Tree, old: &[u8], text: &[u8], language: &Language, rest: Known) -> Tree {
    if !reads_alike(before, old, text, language) {
        return build(text, language, &Cuts::default());
    }
    let front = same_front(old, text);
    let back = same_back(&old[front..], &text[front..]);
    let shift = (text.len() as u32).wrapping_sub(old.len() as u32);
    let mut elements = before.top_elements();
    let (begin, place) = last_form_before(before, old, front.min(sound_front(before)));
    let language = language.of(text);
    let tables = language.own_readtables(text);
    let mut builder = Builder::new(text, language.clone(), tables);
    if rest == Known::Copied {
        builder.take_front(before, place);
    }
    let mut lexer = Lexer::from(text, tables, begin);
    // Once the lexer is after the change: the first token of `before` that begins at the position of the lexer or
    // later.
    let known = &before.starts[..before.kinds.len()];
    let mut next = known.partition_point(|&start| (start as usize) < old.len() - back);
    loop {
        let at = lexer.offset();
        if at + back >= text.len() {
            let was = (at as u32).wrapping_sub(shift);
            next += known[next..].iter().take_while(|&&start| start < was).count();
            // The same bytes may be another token at the start of a text.
            if known.get(next) == Some(&was) && at > 0 && was > 0 {
                break;
            }
        }
        let Some(kind) = lexer.next() else { return builder.finish(text.len() as u32) };
        builder.push(kind, at as u32, lexer.offset() as u32);
    }
    for token in next..known.len() {
        if before.diagnostics.is_empty() && builder.is_outside() {
            while (elements.position().token as usize) < token && elements.next().is_some() {}
            let place = elements.position();
            if place.token as usize == token {
                if rest == Known::Copied {
                    builder.take_back(before, place, shift);
                }
                break;
            }
        }
        let (start, end) = (before.starts[token], before.starts[token + 1]);
        builder.push(before.kinds[token], start.wrapping_add(shift), end.wrapping_add(shift));
    }
    builder.finish(text.len() as u32)
}

/// If the bytes around a place are the same in `old` and `text`, as far as the lexer looks, the token there is the
/// same.
fn reads_alike(before: &Tree, old: &[u8], text: &[u8], language: &Language) -> bool {
    // Whether the first line of a script is a comment may depend on the whole text.
    let is_script = |text: &[u8]| text.starts_with(b"#!");
    !before.recovered
        && before.diagnostics.len() < MOST_FAULTS
        && before.len() as usize == old.len()
        && !is_script(old)
        && !is_script(text)
        && same_tables(before.language.readtables(old), language.readtables(text), same_front(old, text))
}

/// Two texts whose first `front` bytes are equal are read by the same tables, before and after the mark.
fn same_tables(old: Readtables<'_>, new: Readtables<'_>, front: usize) -> bool {
    let same = |old, new| std::ptr::eq::<Readtable>(old, new);
    let has_no_mark = new.from == usize::MAX;
    same(old.first, new.first) && same(old.then, new.then) && old.from == new.from && (has_no_mark || new.from <= front)
}

/// The top-level data that begin before this byte have no fault, except perhaps the last of them.
fn sound_front(before: &Tree) -> usize {
    before.diagnostics.first().map_or(usize::MAX, |first| first.span.start as usize + 1)
}

/// The start of the last top-level datum that begins before byte `front`, or of the text. The datum begins with an
/// ASCII character, so the token before it cannot depend on its further bytes.
fn last_form_before(before: &Tree, old: &[u8], front: usize) -> (usize, Position) {
    let mut elements = before.top_elements();
    let mut last = (0, elements.position());
    loop {
        let place = elements.position();
        let Some(element) = elements.next() else { return last };
        let begin = before.starts[place.token as usize] as usize;
        if begin >= front {
            return last;
        }
        if matches!(element, Element::Datum(_) | Element::Discarded(_)) && old[begin].is_ascii() {
            last = (begin, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, Tree, read, read_again, read_plain, read_plain_again};

    fn shape(tree: &Tree) -> (Vec<crate::TokenKind>, &[u32], &[crate::tree::List], &[crate::Diagnostic], bool) {
        (tree.tokens().map(|(kind, _)| kind).collect(), &tree.starts, tree.lists(), tree.diagnostics(), tree.recovered)
    }

    /// Replaces the part between `«` and `»` by `content`, and back.
    #[track_caller]
    fn check(dialect: Dialect, marked: &str, content: &str) {
        let (front, rest) = marked.split_once('«').expect("a start mark");
        let (part, back) = rest.split_once('»').expect("an end mark");
        let (one, other) = (format!("{front}{part}{back}"), format!("{front}{content}{back}"));
        for (old, new) in [(&one, &other), (&other, &one), (&one, &one)] {
            let again = read_again(&read(old, dialect), old, new, dialect);
            assert_eq!(shape(&again), shape(&read(new, dialect)), "{old} -> {new}");
            let again = read_plain_again(&read_plain(old, dialect), old, new, dialect);
            assert_eq!(shape(&again), shape(&read_plain(new, dialect)), "{old} -> {new}");
        }
    }

    #[test]
    fn a_changed_form_is_read_again() {
        let cl = Dialect::CommonLisp;
        check(cl, "(a)\n\n(b «c» d)\n\n(e (f))\n", "(x y) z");
        check(cl, "(a)\n\n«(b c)\n\n»(e (f))\n", "");
        check(cl, "«(a)\n\n»(b c)\n", "(x)\n");
        check(cl, "(a)\n«»", "(b)\n");
        check(cl, "«»(a)\n", "; b\n");
        check(cl, "(a) (b «c) (d» e) (f)", "");
    }

    #[test]
    fn what_the_change_leaves_open_is_read_to_its_end() {
        let cl = Dialect::CommonLisp;
        for opened in ["(", ")", "\"", "#|", "|", "'", "#+x", "#;", "; ", "]", "\\"] {
            check(cl, "(a)\n\n(b «»d)\n\n(e \"f\" (g))\n", opened);
            check(cl, "(a)\n\n(b d)\n«»\n(e \"f\" (g)) h\n", opened);
        }
        check(Dialect::Clojure, "(a)\n#_«»\n(b) (c) (d)", "#_");
        check(Dialect::Clojure, "#:a\n\n«(b)» {c d}", "");
        check(Dialect::EmacsLisp, "(a) «»(b) (c) (d)", "#@7 ");
    }

    #[test]
    fn tokens_can_differ_at_the_start_of_a_text() {
        check(Dialect::Scheme, "«#!r7rs »(a |b c| d)", "");
        check(Dialect::Scheme, "(a |b) «x» (c) #!r7rs (a |b) c| d) (e)", "(y) #!r7rs ");
        check(Dialect::Scheme, "(a |b) #!r7rs (a |b) c| d) «(x)» (e |f (|)", "#lang ");
        check(Dialect::Scheme, "(a |b) (c |d) (e)«»", " #!r7rs (|x (|)");
        check(Dialect::Scheme, "#!/usr/bin/guile\n(a)\n«»(b)", "!#");
        check(Dialect::CommonLisp, "«(x)\n»#!a\n(b)", "");
        check(Dialect::CommonLisp, "«»\u{feff}(b)", "(x)");
        check(Dialect::EmacsLisp, "(a)«\u{a1}»\u{a0}(b)", "");
    }
}
