//! Effects that balance and are seldom meant: a name defined twice, a body in the place of its definition, quotes inside
//! a string.

use lispwright_syntax::{Form, FormKind, Forms, LineIndex, Span, TokenKind, Tree};

use crate::note::Note;

/// The notes on the new part of a text. `before` are the forms of the old text.
pub(crate) fn notes(before: &Forms, (tree, text): (&Tree, &str), new_part: Span) -> Vec<Note> {
    let lines = LineIndex::new(text.as_bytes());
    let glued = glued_quotes(tree, new_part).map(|at| Note::GluedQuotes { line: lines.line(at) });
    defined_again(before, (tree, text), new_part, &lines).into_iter().chain(glued).collect()
}

/// A definition in the new part whose name another form of the same kind defines as well, and did not before.
fn defined_again(before: &Forms, (tree, text): (&Tree, &str), new_part: Span, lines: &LineIndex) -> Option<Note> {
    let inside = |form: &Form| new_part.start <= form.outer.start && form.outer.end <= new_part.end;
    let own = Forms::within(tree, text, new_part);
    let mut own = own.iter().map(|(_, form)| form).filter(|form| inside(form) && defines_once(form)).peekable();
    own.peek()?;
    let all = Forms::new(tree, text);
    // In another package, the same name is another one.
    if all.iter().filter(|(_, form)| form.kind == FormKind::Package || form.head_name.starts_with("in-")).count() > 1 {
        return None;
    }
    let same = |form: &Form, other: &Form| {
        defines_once(other) && (&form.head_name, &form.name) == (&other.head_name, &other.name)
    };
    own.find_map(|form| {
        let others: Vec<&Form> = all.iter().map(|(_, other)| other).filter(|other| same(form, other)).collect();
        let other = others.iter().find(|other| other.outer.start != form.outer.start)?;
        let known = before.iter().filter(|(_, old)| same(form, old)).count();
        let label = form.label(text);
        (others.len() > known).then(|| Note::DefinedTwice { label, line: lines.line(other.span.start) })
    })
}

/// A second form like it in the same file would take its place.
fn defines_once(form: &Form) -> bool {
    use FormKind::{Class, Condition, Function, Macro, Structure, Test, Type, Variable};
    let kind = matches!(form.kind, Function | Macro | Variable | Class | Structure | Type | Condition | Test);
    kind && form.name.is_some() && form.conditions.is_empty() && form.parent.is_none() && !form.broken
}

/// The place at which a string touches a word that touches another string: `"Sum the "prices" of X."`.
fn glued_quotes(tree: &Tree, new_part: Span) -> Option<u32> {
    let tokens: Vec<(TokenKind, Span)> = tree.tokens_within(new_part).collect();
    let glued = |three: &&[(TokenKind, Span)]| {
        let kinds = [three[0].0, three[1].0, three[2].0];
        kinds == [TokenKind::String, TokenKind::Atom, TokenKind::String]
    };
    tokens.windows(3).find(glued).map(|three| three[1].1.start)
}
