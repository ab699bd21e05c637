//! Finds the one form that an address means.

use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Address, Form, FormId, Selection, Span};

use crate::form_line::{FormLine, shortened};
use crate::refusal::EditRefusal;
use crate::source::{Source, whole_span};

/// The address of a form. At least a name, a type or a line has to be given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Target<'a> {
    /// The name that the form defines: `foo`, `(setf foo)`, `area :around (circle)`, `foo[2]`.
    pub name: Option<&'a str>,
    /// The head symbol: `defun`.
    pub form_type: Option<&'a str>,
    /// The number of the match among several, from 1, in source order.
    pub index: Option<u32>,
    /// A line of the form, from 1.
    pub line: Option<u32>,
}

/// The longest first line of a candidate that is shown whole, in scalar values.
const WIDTH: usize = 120;

/// The one form that `target` means.
///
/// Errors: [`EditRefusal::FormNotFound`], [`EditRefusal::FormAmbiguous`], [`EditRefusal::NoAddress`].
pub fn locate(source: &Source<'_>, target: &Target<'_>) -> Result<FormId, EditRefusal> {
    if target.name.is_none_or(|name| name.trim().is_empty()) && target.form_type.is_none() && target.line.is_none() {
        return Err(EditRefusal::NoAddress);
    }
    if target.line == Some(0) || target.index == Some(0) {
        return Err(EditRefusal::CountsFromOne);
    }
    let found = find(source, target);
    match found.as_slice() {
        [only] => Ok(*only),
        [] => Err(not_found(source, target)),
        several => Err(EditRefusal::FormAmbiguous { asked: asked(target), candidates: lines_of(source, several) }),
    }
}

fn find(source: &Source<'_>, target: &Target<'_>) -> Vec<FormId> {
    match target.name.map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => {
            let selection = Selection { form_type: target.form_type, index: target.index, line: target.line };
            source.find(&Address::parse(source.language_of_pieces(), name), selection)
        }
        None => find_without_name(source, target),
    }
}

/// Forms that have no name are addressed by a line, or by their head.
fn find_without_name(source: &Source<'_>, target: &Target<'_>) -> Vec<FormId> {
    let head = target.form_type.map(|head| canonical_head(source.dialect(), head));
    let mut found: Vec<FormId> = Vec::new();
    for (id, form) in source.forms.iter() {
        let span = whole_span(form);
        let lines = source.lines.line(span.start)..=source.lines.line(span.end.saturating_sub(1));
        let fits = target.line.is_none_or(|line| lines.contains(&line))
            && head.as_ref().is_none_or(|head| form.head_name == *head);
        if !fits {
            continue;
        }
        // A line means the innermost form around it.
        if target.line.is_some() {
            found.retain(|&outer| !source.forms.get(outer).span.encloses(form.outer));
        }
        found.push(id);
    }
    match target.index {
        None => found,
        Some(index) => found.get(index as usize - 1).copied().into_iter().collect(),
    }
}

fn not_found(source: &Source<'_>, target: &Target<'_>) -> EditRefusal {
    let name = target.name.unwrap_or("").trim();
    let address = Address::parse(source.language_of_pieces(), name);
    let any = Selection::default();
    // The name may fit although type, index, line, qualifiers or specializers do not.
    let found = [source.find(&address.clone().without_index(), any), source.find(&address.of_any_method(), any)];
    let others = found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
    EditRefusal::FormNotFound {
        asked: asked(target),
        others: lines_of(source, &others),
        nearest: if others.is_empty() { source.forms.nearest_names(source.text, name, 5) } else { Vec::new() },
        definitions: source.forms.definitions().count(),
    }
}

/// Refuses to replace a form whose own name is not that of the target, which is only defined or mentioned inside it. A
/// new form with the same head is allowed.
pub(crate) fn check_named(
    source: &Source<'_>,
    id: FormId,
    target: &Target<'_>,
    new: Option<&Form>,
) -> Result<(), EditRefusal> {
    let Some(name) = target.name.map(str::trim).filter(|name| !name.is_empty() && target.line.is_none()) else {
        return Ok(());
    };
    let form = source.forms.get(id);
    let address = Address::parse(source.language_of_pieces(), name);
    let has_head = new.is_some_and(|new| new.head_name == form.head_name);
    if has_head || source.forms.is_named(&source.tree, source.text, &address, id) {
        return Ok(());
    }
    Err(EditRefusal::OnlyMentioned { asked: asked(target), form: line_of(source, id) })
}

/// A target in words.
fn asked(target: &Target<'_>) -> String {
    let mut words: Vec<String> = Vec::new();
    words.extend(target.form_type.map(str::to_owned));
    words.extend(target.name.map(|name| format!("`{}`", name.trim())));
    words.extend(target.index.map(|index| format!("number {index}")));
    words.extend(target.line.map(|line| format!("on line {line}")));
    words.join(" ")
}

pub(crate) fn lines_of(source: &Source<'_>, forms: &[FormId]) -> Vec<FormLine> {
    forms.iter().map(|&id| line_of(source, id)).collect()
}

pub(crate) fn line_of(source: &Source<'_>, id: FormId) -> FormLine {
    let form = source.forms.get(id);
    let line = source.lines.line(form.outer.start);
    let own_line = source.lines.line(form.span.start);
    let text = source.line_text(own_line).trim();
    let text = if own_line == line {
        text.to_owned()
    } else {
        // The condition is on a line of its own.
        let prefix = source.slice(Span::new(form.outer.start, form.span.start));
        format!("{} {text}", prefix.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    FormLine { line, label: form.label(source.text), text: shortened(&text, WIDTH) }
}
