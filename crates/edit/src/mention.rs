//! The present places of a definition, and of a mention of a name inside one.
//!
//! A live image knows files as they were when it loaded them: the line of a definition, and for a reference the number
//! of a list in the definition. The text may have changed since, so a line is only a hint, and the source decides.

use lispwright_syntax::name::canonical_symbol;
use lispwright_syntax::{Address, Data, Datum, FormId, ListId, Selection, TokenId, TokenKind};

use crate::source::Source;

/// The form that defines `name`, an address such as `foo` or `area :around (circle)`. Of several forms it is the one
/// whose first line is nearest to `line`.
///
/// Without a line there has to be exactly one such form, methods aside. If no form has that name, it is the form at top
/// level that begins exactly on `line`: a structure defines its accessors.
#[must_use]
pub fn definition_near(source: &Source<'_>, name: &str, line: Option<u32>) -> Option<FormId> {
    let named = named(source, name);
    let Some(line) = line else {
        let mut others = named.iter().filter(|id| named.len() == 1 || source.forms.get(**id).method.is_none());
        return others.next().filter(|_| others.next().is_none()).copied();
    };
    let first_line = |id: &FormId| source.lines.line(source.forms.get(*id).outer.start);
    let nearest = named.iter().copied().min_by_key(|id| first_line(id).abs_diff(line));
    nearest.or_else(|| source.forms.top_level().map(|(id, _)| id).find(|id| first_line(id) == line))
}

/// The definitions that fit an address, or its bare name when none fits its qualifiers and specializers.
fn named(source: &Source<'_>, name: &str) -> Vec<FormId> {
    let find = |name: &str| {
        let address = Address::parse(source.language_of_pieces(), name).in_any_package();
        let found = source.find(&address, Selection::default());
        found.into_iter().filter(|id| source.forms.get(*id).kind.is_definition()).collect::<Vec<_>>()
    };
    let whole = find(name);
    let bare = name.split_whitespace().next().unwrap_or(name);
    if whole.is_empty() && bare.len() < name.len() && !bare.starts_with('(') { find(bare) } else { whole }
}

/// The byte offset at which `form` mentions the symbol `name`: in its list number `list` if that is known and contains
/// it, else at its only mention. `None` when there are several, or none because a macro inserts the name.
///
/// Lists are counted as SBCL's compiler does: from 0 in the order in which they begin, as the reader makes them of the
/// top-level form around `form`. So a quoted datum counts as one list without inner ones, a backquoted datum adds a
/// list around its own, and an empty list or a vector does not count. Conditions (`#+x`) are assumed to hold.
#[must_use]
pub fn mention(source: &Source<'_>, form: FormId, name: &str, list: Option<u32>) -> Option<u32> {
    let top = top_of(source, form);
    let wanted = canonical_symbol(source.dialect(), name);
    let is_mention = |datum: Datum| {
        let span = source.tree.core_span(datum);
        datum.list().is_none()
            && source.tree.kind(datum.core) == TokenKind::Atom
            && canonical_symbol(source.dialect(), source.slice(span)) == wanted
    };
    let offset = |datum: Datum| source.tree.core_span(datum).start;
    if let Some(list) = list.and_then(|number| numbered(source, top, number)) {
        let direct = source.tree.data(list).find(|datum| is_mention(*datum));
        let inside = || walk(source, list, |_| true).find(|(datum, _)| is_mention(*datum)).map(|(datum, _)| datum);
        if let Some(found) = direct.or_else(inside) {
            return Some(offset(found));
        }
    }
    let inside = source.forms.get(form).datum.list()?;
    let mut all = walk(source, inside, |_| true).filter(|(datum, _)| is_mention(*datum));
    let (first, _) = all.next()?;
    all.next().is_none().then(|| offset(first))
}

/// The datum of the top-level form around a form.
fn top_of(source: &Source<'_>, form: FormId) -> Datum {
    let mut form = source.forms.get(form);
    while let Some(parent) = form.parent {
        form = source.forms.get(parent);
    }
    form.datum
}

/// The list with a number, counted as in [`mention`].
fn numbered(source: &Source<'_>, top: Datum, number: u32) -> Option<ListId> {
    let top_list = top.list()?;
    if number == 0 {
        return Some(top_list);
    }
    let mut count = 0;
    for (datum, around) in walk(source, top_list, |datum| is_cons(source, datum) && !is_quoted(source, datum)) {
        // A prefix counts as a list around its datum. A mention in that list is searched in the datum, or around an
        // atom.
        let prefixes = list_prefixes(source, datum);
        if (count + 1..=count + prefixes).contains(&number) {
            return datum.list().filter(|_| is_cons(source, datum)).or(Some(around));
        }
        count += prefixes;
        if is_cons(source, datum) && !is_quoted(source, datum) {
            count += 1;
            if count == number {
                return datum.list();
            }
        }
    }
    None
}

/// The number of prefixes of a datum that read as a list around it.
fn list_prefixes(source: &Source<'_>, datum: Datum) -> u32 {
    (datum.first..datum.core).filter(|token| matches!(prefix(source, *token), "'" | "`" | "#'")).count() as u32
}

fn is_quoted(source: &Source<'_>, datum: Datum) -> bool {
    (datum.first..datum.core).any(|token| prefix(source, token) == "'")
}

/// The text of a prefix; empty for another token.
fn prefix<'t>(source: &Source<'t>, token: TokenId) -> &'t str {
    match source.tree.kind(token) {
        TokenKind::Prefix => source.slice(source.tree.token_span(token)),
        _ => "",
    }
}

/// The datum reads as conses: it is a list in bare parentheses that is not empty.
fn is_cons(source: &Source<'_>, datum: Datum) -> bool {
    datum.list().is_some_and(|list| {
        source.slice(source.tree.token_span(datum.core)) == "(" && source.tree.data(list).next().is_some()
    })
}

/// Every datum inside a list with its own list, in preorder; only lists that `enter` accepts are entered.
fn walk<'s>(
    source: &'s Source<'_>,
    list: ListId,
    enter: impl Fn(Datum) -> bool + 's,
) -> impl Iterator<Item = (Datum, ListId)> + 's {
    let mut open: Vec<(Data<'s>, ListId)> = vec![(source.tree.data(list), list)];
    std::iter::from_fn(move || {
        loop {
            let (data, around) = open.last_mut()?;
            let around = *around;
            let Some(datum) = data.next() else {
                open.pop();
                continue;
            };
            if let Some(list) = datum.list().filter(|_| enter(datum)) {
                open.push((source.tree.data(list), list));
            }
            return Some((datum, around));
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use lispwright_syntax::Dialect;

    use super::*;

    /// The line and column of the mention of `name` in the definition of `form`.
    #[track_caller]
    fn check(text: &str, form: &str, name: &str, list: Option<u32>, expected: Option<(u32, u32)>) {
        let source = Source::read(text, Dialect::CommonLisp);
        let form = definition_near(&source, form, Some(1)).unwrap();
        let found = mention(&source, form, name, list).map(|offset| source.place(offset));
        assert_eq!(found.map(|place| (place.line, place.column)), expected);
    }

    // The numbers are the ones that SBCL 2.2.9 gives for these texts.
    const TEXT: &str =
        "(defun (setf total) (new shapes)\n  (list\n    new\n    (area shapes)\n    (area (first shapes))))";

    #[test]
    fn lists_are_counted_as_the_reader_makes_them() {
        check(TEXT, "(setf total)", "farm:area", Some(4), Some((4, 6)));
        check(TEXT, "(setf total)", "area", Some(5), Some((5, 6)));
        check(
            "(defun total (shapes)\n \"Doc.\"\n (reduce #'+ (mapcar #'area shapes)))",
            "total",
            "area",
            Some(4),
            Some((3, 24)),
        );
        let text = "(defun f () (list '(a b) #(1 (g)) `(x) (g 1) (g 2)))";
        check(text, "f", "g", Some(5), Some((1, 41)));
        check(text, "f", "g", Some(6), Some((1, 47)));
        let text = "(defun h (y) `(x ,(g y) ,@(list (g 2))) (g 7) (mapcar 'g (list (g 5))))";
        for (list, column) in [(4, 20), (6, 34), (7, 42), (8, 56), (11, 65)] {
            check(text, "h", "g", Some(list), Some((1, column)));
        }
    }

    #[test]
    fn without_the_list_only_a_single_mention_is_known() {
        check(TEXT, "(setf total)", "area", None, None);
        check(TEXT, "(setf total)", "area", Some(99), None);
        check(TEXT, "(setf total)", "first", Some(99), Some((5, 12)));
        check(TEXT, "(setf total)", "brought-by-a-macro", Some(4), None);
        // Neither a string nor a comment is a mention.
        check("(defun f ()\n \"g\" ; g\n  (g))", "f", "g", None, Some((3, 4)));
    }

    #[test]
    fn definitions_are_found_where_they_have_moved_to() {
        let text = "(defstruct cow name)\n\n(defmethod area ((s circle)) 1)\n(defmethod area :around ((s shape)) 2)\n(defgeneric area (s))";
        let source = Source::read(text, Dialect::CommonLisp);
        let line = |name: &str, line: Option<u32>| {
            let id = definition_near(&source, name, line)?;
            Some(source.lines.line(source.forms.get(id).outer.start))
        };
        assert_eq!(line("area :around (shape)", Some(30)), Some(4));
        assert_eq!(line("area (circle)", Some(1)), Some(3));
        assert_eq!(line("area", Some(7)), Some(5));
        assert_eq!(line("cow-name", Some(2)), Some(1), "the structure defines it");
        assert_eq!(line("cow-weight", Some(1)), Some(1), "the form that begins there may define it");
        assert_eq!(line("cow-weight", Some(2)), None);
        assert_eq!(line("area", None), Some(5), "the one that is not a method");
        assert_eq!(line("area (circle)", None), Some(3));
    }

    #[test]
    fn depth_does_not_matter() {
        let text = format!("(defun f () {}(g){})", "(".repeat(50_000), ")".repeat(50_000));
        check(&text, "f", "g", None, Some((1, 50_014)));
    }
}
