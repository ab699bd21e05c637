//! New source of several forms that does not balance, form by form.
//!
//! A delimiter that is lost in one of nine new functions says nothing about the other eight. Each form that begins a line
//! in the column of the first one is judged by itself: if every broken one has a certain repair, all are repaired; if
//! some have none, those are held, and the rest is a text that can be written without them.

use std::ops::Range;

use lispwright_repair::{TextEdit, apply};
use lispwright_syntax::{DiagnosticKind, Form, FormKind, Forms, Tree, read};

use crate::fix::Fix;
use crate::source::{line_at, whole_span};

/// More broken forms than this are not judged one by one.
const MOST_BROKEN: usize = 8;

/// The forms of a refused source that can be written without the doubtful ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rest {
    /// The source without the doubtful forms.
    pub content: String,
    /// The labels of its forms.
    pub written: Vec<String>,
    /// The labels of the doubtful forms, with their lines in the refused source.
    pub held: Vec<(u32, String)>,
    /// The name by which a caller can accept it, if it is kept for that.
    pub offer: Option<String>,
}

/// What the forms of a source are by themselves.
pub(crate) enum Apart {
    /// Each broken form has a certain repair: the fixes, in the order of the forms, in lines of the whole.
    Mended(Vec<Fix>),
    /// Some have none.
    Held(Rest),
}

/// A form with the comments before it, up to the next form.
struct Piece {
    bytes: Range<usize>,
    label: String,
    /// A definition that holds no others, so that the next definition in its column is not inside it.
    is_closed: bool,
    /// Its openers minus its closers; `None` if it balances.
    fault: Option<i64>,
}

/// Judges the forms of `content` one by one, if it has several; `repaired` gives the certain edits of a form that does
/// not balance, and why.
pub(crate) fn apart(
    content: &str,
    tree: &Tree,
    repaired: impl Fn(&str, &Tree) -> Option<(Vec<TextEdit>, String)>,
) -> Option<Apart> {
    let pieces = pieces(content, tree);
    let broken: Vec<usize> = (0..pieces.len()).filter(|&at| pieces[at].fault.is_some()).collect();
    let (&first, &last) = broken.first().zip(broken.last())?;
    // Lists that one form leaves open and another one closes may have been put around the forms between them.
    let nets = || broken.iter().filter_map(|&at| pieces[at].fault);
    let cancel = nets().any(|net| net > 0) && nets().any(|net| net < 0);
    let is_closed = broken.iter().all(|&at| pieces[at].is_closed);
    if pieces.len() < 2 || broken.len() > MOST_BROKEN {
        return None;
    }
    let mut fixes: Vec<Option<Fix>> = vec![None; pieces.len()];
    let mut held: Vec<usize> = Vec::new();
    for &at in &broken {
        let piece = &pieces[at];
        let text = &content[piece.bytes.clone()];
        let own = read(text, tree.language());
        match repaired(text, &own).filter(|_| is_closed && !cancel) {
            Some((edits, why)) => {
                let start = piece.bytes.start as u32;
                let moved = edits.into_iter().map(|edit| TextEdit { at: edit.at + start, ..edit }).collect();
                fixes[at] = Some(Fix::new(moved, why, content));
            }
            None => held.push(at),
        }
    }
    if held.is_empty() {
        return Some(Apart::Mended(fixes.into_iter().flatten().collect()));
    }
    // What stands between may belong to a doubtful form, and so may what follows a form that may hold others.
    let until = if is_closed { last } else { pieces.len() - 1 };
    let suspects = if cancel || !is_closed { first..until + 1 } else { 0..0 };
    let mut is_held = false;
    let mut rest = Rest { content: String::new(), written: Vec::new(), held: Vec::new(), offer: None };
    for (at, piece) in pieces.iter().enumerate() {
        // Only a definition surely begins a form of its own after a doubtful one.
        is_held = held.contains(&at) || suspects.contains(&at) || (is_held && !piece.is_closed);
        if is_held {
            rest.held.push((
                line_at(
                    content,
                    piece.bytes.start as u32 + blank(&content[piece.bytes.clone()], tree.dialect().comment()),
                ),
                piece.label.clone(),
            ));
        } else {
            rest.content.push_str(&content[piece.bytes.clone()]);
            rest.written.push(piece.label.clone());
        }
    }
    (!rest.written.is_empty()).then_some(Apart::Held(rest))
}

/// The bytes of white space and comment lines before the form of a piece.
fn blank(piece: &str, comment: char) -> u32 {
    let is_before = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with(comment);
    piece.split_inclusive('\n').take_while(is_before).map(str::len).sum::<usize>().min(piece.len()) as u32
}

/// The text as forms that begin a line in the column of the first one.
fn pieces(content: &str, tree: &Tree) -> Vec<Piece> {
    let column = |form: &Form| {
        let line = content[..form.outer.start as usize].rsplit('\n').next().unwrap_or_default();
        line.trim().is_empty().then(|| line.chars().count())
    };
    let forms = Forms::new(tree, content);
    let mut all = forms.top_level().map(|(_, form)| form).filter(|form| form.datum.list().is_some()).peekable();
    let Some(base) = all.peek().map(|form| column(form)) else { return Vec::new() };
    let all: Vec<&Form> = all.filter(|form| base.is_some() && column(form) == base).collect();
    let mut pieces: Vec<Piece> = Vec::new();
    for (at, form) in all.iter().enumerate() {
        let start = if at == 0 { 0 } else { whole_span(form).start as usize };
        let end = all.get(at + 1).map_or(content.len(), |next| whole_span(next).start as usize);
        let fault = |bytes: &Range<usize>| {
            let own = read(&content[bytes.clone()], tree.language());
            (!own.is_balanced()).then(|| net(&own))
        };
        let defines = form.kind.is_definition();
        // A line of a body in that column.
        if let Some(before) = pieces.last_mut()
            && !defines
            && before.fault.is_some_and(|net| net > 0)
            && !ends_in_a_blank_line(&content[before.bytes.clone()])
        {
            before.bytes.end = end;
            before.fault = fault(&before.bytes);
            continue;
        }
        let (bytes, label) = (start..end, form.label(content));
        let is_closed = defines && !matches!(form.kind, FormKind::Package | FormKind::Addition);
        pieces.push(Piece { fault: fault(&bytes), bytes, label, is_closed });
    }
    pieces
}

fn ends_in_a_blank_line(text: &str) -> bool {
    text[text.trim_end().len()..].matches('\n').count() > 1
}

/// The openers of a text minus its closers.
fn net(tree: &Tree) -> i64 {
    let one = |kind: DiagnosticKind| match kind {
        DiagnosticKind::Unclosed(_) => 1,
        DiagnosticKind::ExtraClose(_) => -1,
        _ => 0,
    };
    tree.diagnostics().iter().map(|fault| one(fault.kind)).sum()
}

/// The fixes of several forms as one.
pub(crate) fn joined(fixes: &[Fix], content: &str) -> (String, Fix) {
    let edits: Vec<TextEdit> = fixes.iter().flat_map(|fix| fix.edits.clone()).collect();
    let mut why: Vec<&str> = Vec::new();
    for fix in fixes {
        if !why.contains(&&*fix.why) {
            why.push(&fix.why);
        }
    }
    (apply(content, &edits), Fix::new(edits, why.join("; "), content))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use lispwright_syntax::Dialect;

    use super::*;

    /// The labels that are written and those that are held, where only the form `certain` has a certain repair.
    fn check(content: &str, certain: &str) -> Option<(Vec<String>, Vec<String>)> {
        let tree = read(content, Dialect::CommonLisp);
        let repaired = |form: &str, _: &Tree| {
            let at = form.trim_end().len() as u32;
            let edit = TextEdit { at, removed: String::new(), inserted: ")".to_owned() };
            form.contains(certain).then(|| (vec![edit], "so".to_owned()))
        };
        match apart(content, &tree, repaired)? {
            Apart::Mended(fixes) => Some((vec![joined(&fixes, content).0], Vec::new())),
            Apart::Held(rest) => Some((rest.written, rest.held.into_iter().map(|(_, label)| label).collect())),
        }
    }

    fn held(written: &[&str], held: &[&str]) -> Option<(Vec<String>, Vec<String>)> {
        let owned = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect();
        Some((owned(written), owned(held)))
    }

    #[test]
    fn only_the_doubtful_form_is_held() {
        let content =
            "(defun a ()\n  1)\n\n(defun b ()\n(list 1\n(list 2)\n\n(defun c ()\n  (list 3)\n\n(defun d () 4)\n";
        assert_eq!(check(content, "defun c"), held(&["defun a", "defun c", "defun d"], &["defun b"]));
        assert_eq!(check(content, "none"), held(&["defun a", "defun d"], &["defun b", "defun c"]));
    }

    #[test]
    fn separate_faults_are_repaired_one_by_one() {
        let all = check("(defun a ()\n  (list 1)\n\n(defun b ()\n  (list 2)\n", "defun").unwrap().0;
        assert_eq!(all, ["(defun a ()\n  (list 1))\n\n(defun b ()\n  (list 2))\n"]);
    }

    #[test]
    fn what_a_doubtful_form_may_hold_is_held_with_it() {
        let wrapped = "(defun z () 1)\n\n(let ((x 1))\n(defun a ()\n  x)\n\n(defun b () x)\n";
        assert_eq!(check(wrapped, "none"), held(&["defun z"], &["let ((x 1))", "defun a", "defun b"]));
        let cancelling =
            "(defun a ()\n  (list (list 1)\n\n(defun b () 1)\n\n(defun c ()\n  (list 2)))\n\n(defun d () 4)\n";
        assert_eq!(check(cancelling, "defun"), held(&["defun d"], &["defun a", "defun b", "defun c"]));
        let topmost = "(defun a ()\n  (list 1)\n\n(print 1)\n\n(defun d () 4)\n";
        assert_eq!(check(topmost, "none"), held(&["defun d"], &["defun a", "print 1"]));
        assert_eq!(check("(defun a ()\n  (list 1)\n", "none"), None);
    }
}
