//! From an address to the forms it fits, and from a wrong name to the nearest right ones.

use super::{Form, FormId, FormKind, Forms};
use crate::address::{Address, MethodKey};
use crate::dialect::Dialect;
use crate::name::{canonical_designator, canonical_head};
use crate::span::LineIndex;

/// What a caller knows about the form it means, besides the name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection<'a> {
    /// The head symbol.
    pub form_type: Option<&'a str>,
    /// Which of several, from 1, in source order. Overrides the index in the address.
    pub index: Option<u32>,
    /// A line of the form, from 1.
    pub line: Option<u32>,
}

impl Forms {
    /// The forms that `address` and `selection` fit, in source order.
    ///
    /// A form's own name counts before the further names it defines, such as the accessors of a record.
    pub fn find(
        &self,
        dialect: Dialect,
        address: &Address,
        selection: Selection<'_>,
        lines: &LineIndex,
    ) -> Vec<FormId> {
        let mut found = self.matching(dialect, selection, lines, |form| names(form, dialect, address));
        if found.is_empty() {
            found = self.matching(dialect, selection, lines, |form| {
                address.method.is_none() && form.other_keys.contains(&address.name)
            });
        }
        match selection.index.or(address.index) {
            None => found,
            Some(index) => found.get((index as usize).wrapping_sub(1)).copied().into_iter().collect(),
        }
    }

    fn matching(
        &self,
        dialect: Dialect,
        selection: Selection<'_>,
        lines: &LineIndex,
        fits: impl Fn(&Form) -> bool,
    ) -> Vec<FormId> {
        let head = selection.form_type.map(|head| canonical_head(dialect, head));
        let on_line = |form: &Form| {
            let start = form.header.map_or(form.outer.start, |header| header.start);
            selection
                .line
                .is_none_or(|line| (lines.line(start)..=lines.line(form.span.end.saturating_sub(1))).contains(&line))
        };
        let of_type = |form: &Form| head.as_ref().is_none_or(|head| is_of_type(form, head));
        self.iter().filter(|(_, form)| fits(form) && of_type(form) && on_line(form)).map(|(id, _)| id).collect()
    }

    /// Names near to `name`, best first, at most `most`.
    pub fn nearest_names(&self, name: &str, most: usize) -> Vec<String> {
        let wanted: Vec<char> = name.to_lowercase().chars().take(80).collect();
        let needle: String = wanted.iter().collect();
        let mut ranked: Vec<(usize, &str)> = Vec::new();
        for form in &self.forms {
            let Some(candidate) = form.name.as_deref() else { continue };
            let lower = candidate.to_lowercase();
            let distance = edit_distance(&wanted, &lower.chars().take(80).collect::<Vec<_>>());
            let contains =
                needle.len() > 2 && (lower.contains(&needle) || (lower.len() > 2 && needle.contains(&lower)));
            let near = distance <= (wanted.len() / 3).max(2);
            if near || contains {
                ranked.push((if near { distance } else { distance + 100 }, candidate));
            }
        }
        ranked.sort();
        ranked.dedup_by_key(|(_, name)| *name);
        ranked.into_iter().take(most).map(|(_, name)| name.to_owned()).collect()
    }
}

/// Clojure's private twins and Guile's public ones answer to the plain head too.
fn is_of_type(form: &Form, head: &str) -> bool {
    form.head_name == head
        || form.head_name.strip_suffix('-') == Some(head)
        || form.head_name.strip_suffix("-public") == Some(head)
}

fn names(form: &Form, dialect: Dialect, address: &Address) -> bool {
    let Some(name) = &form.name else { return false };
    let designates = matches!(form.kind, FormKind::Package | FormKind::System | FormKind::Directive | FormKind::Test);
    let same_name = form.key == address.name
        || form.key == address.whole
        || (designates && canonical_designator(dialect, name) == address.designator);
    match &address.method {
        None => same_name,
        Some((as_parameters, as_specializers)) => {
            form.key == address.whole
                || (same_name
                    && form.method.as_ref().is_some_and(|method| {
                        method_fits(method, as_parameters) || method_fits(method, as_specializers)
                    }))
        }
    }
}

/// Qualifiers must be the same; specializers only when the address gives some.
fn method_fits(method: &MethodKey, wanted: &MethodKey) -> bool {
    if method.dispatch.is_some() {
        return method.dispatch == wanted.dispatch;
    }
    method.qualifiers == wanted.qualifiers
        && (wanted.specializers.is_empty() || method.specializers == wanted.specializers)
}

/// Levenshtein's distance, in one row.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
