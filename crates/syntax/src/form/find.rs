//! Finds the forms that match an address, and the nearest names to a wrong one.
//!
//! An address can match a form in several ways, and only the forms with the best of these matches are found: a
//! definition is better than a form that mentions its name, a name is better than a head.

use super::made::{implemented, made, makes_method};
use super::{Form, FormId, FormKind, Forms};
use crate::address::{Address, MethodKey, Reading, canonical_datum};
use crate::datum::Datum;
use crate::name::{canonical_designator, canonical_head, canonical_symbol, package_of};
use crate::near::edit_distance;
use crate::span::LineIndex;
use crate::token::TokenKind;
use crate::tree::Tree;

/// What a caller knows about a form besides its address.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection<'a> {
    /// The head symbol.
    pub form_type: Option<&'a str>,
    /// The number of the match that is meant, from 1, in source order. Overrides the index in the address.
    pub index: Option<u32>,
    /// A line of the form, from 1.
    pub line: Option<u32>,
}

/// The ways in which an address matches a form, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// The form defines the name.
    Definition,
    /// The form begins with the head and the data of the address.
    Opening,
    /// The form defines the name along with its own: the accessor of a slot.
    Made,
    /// The form begins with the head and the name of the address, but differs after that.
    HeadAndName,
    /// The form declares or sets the name, or has it as its title.
    Mention,
    /// The address is the form's head, or the whole of a form without a head.
    Head,
}

impl Fit {
    const ALL: [Self; 6] = [Self::Definition, Self::Opening, Self::Made, Self::HeadAndName, Self::Mention, Self::Head];
}

/// Heads of assignments: every second datum after the head, from the first on, is a name.
pub(crate) const SETTERS: &[&str] =
    &["setq", "setf", "psetq", "psetf", "setq-default", "setq-local", "setopt", "set", "set!", "alter-var-root"];

impl Forms {
    /// The forms of `text`, from which `tree` was read, that best match `address` and `selection`, in source order.
    pub fn find(
        &self,
        tree: &Tree,
        text: &str,
        address: &Address,
        selection: Selection<'_>,
        lines: &LineIndex,
    ) -> Vec<FormId> {
        let search = Search {
            forms: self,
            tree,
            text,
            address,
            form_type: selection.form_type.map(|head| canonical_head(tree.dialect(), head).into_owned()),
        };
        let on_line = |form: &Form| {
            let start = form.header.map_or(form.outer.start, |header| header.start);
            selection
                .line
                .is_none_or(|line| (lines.line(start)..=lines.line(form.span.end.saturating_sub(1))).contains(&line))
        };
        let of_type = |form: &Form| search.form_type.as_ref().is_none_or(|head| is_of_type(form, head));
        let candidates: Vec<FormId> =
            self.iter().filter(|(_, form)| of_type(form) && on_line(form)).map(|(id, _)| id).collect();
        let found = Fit::ALL
            .into_iter()
            .map(|fit| candidates.iter().copied().filter(|&id| search.fits(id, fit)).collect::<Vec<_>>())
            .find(|found| !found.is_empty())
            .unwrap_or_default();
        match selection.index.or(address.index) {
            None => found,
            Some(index) => found.get((index as usize).wrapping_sub(1)).copied().into_iter().collect(),
        }
    }

    /// `address` names the form itself, not a name that the form makes or mentions.
    pub fn is_named(&self, tree: &Tree, text: &str, address: &Address, id: FormId) -> bool {
        let search = Search { forms: self, tree, text, address, form_type: None };
        [Fit::Definition, Fit::Opening, Fit::HeadAndName, Fit::Head].into_iter().any(|fit| search.fits(id, fit))
    }

    /// The `in-package` form that gives the package of a form, if its file has one.
    fn package(&self, id: FormId) -> Option<&Form> {
        let before = self.forms[..id as usize].iter().rev();
        before.into_iter().find(|form| form.kind == FormKind::Directive && form.head_name == "in-package")
    }

    /// At most `most` addresses that are similar to `name`, best first.
    pub fn nearest_names(&self, text: &str, name: &str, most: usize) -> Vec<String> {
        let short = |name: &str| name.to_lowercase().chars().take(80).collect::<String>();
        let needle = short(name);
        let most_slips = (needle.chars().count() / 3).max(2);
        let rank = |candidate: &str| {
            let lower = candidate.to_lowercase();
            let distance = edit_distance(&needle, &short(candidate));
            let contains =
                needle.len() > 2 && (lower.contains(&needle) || (lower.len() > 2 && needle.contains(&lower)));
            let near = distance <= most_slips;
            (near || contains).then_some(if near { distance } else { distance + 100 })
        };
        let mut ranked: Vec<(usize, String)> = Vec::new();
        for form in &self.forms {
            let called = form.called(text).unwrap_or_else(|| form.label(text));
            let ranks = [rank(&called), form.name.as_deref().and_then(rank)];
            ranked.extend(ranks.into_iter().flatten().min().map(|rank| (rank, called)));
        }
        ranked.sort();
        ranked.dedup();
        ranked.into_iter().take(most).map(|(_, called)| called).collect()
    }
}

/// The search for the forms of one text that match an address.
struct Search<'s> {
    forms: &'s Forms,
    tree: &'s Tree,
    text: &'s str,
    address: &'s Address,
    /// The head that the form has to have, canonical.
    form_type: Option<String>,
}

impl Search<'_> {
    fn fits(&self, id: FormId, fit: Fit) -> bool {
        let form = self.forms.get(id);
        let plain = &self.address.plain;
        if matches!(fit, Fit::Definition | Fit::Made | Fit::Mention) && !self.in_package(id) {
            return false;
        }
        match fit {
            Fit::Definition => {
                let named = self.is_name(form, plain) && self.method_or_signature(form);
                form.kind.defines() && (named || self.is_target(form))
            }
            Fit::Opening => self.headed(form, |reading| {
                self.opens_with(form, reading) || (self.is_name(form, reading) && is_method(form, reading))
            }),
            Fit::Made => form.kind.defines() && self.makes(form),
            Fit::HeadAndName => self.headed(form, |reading| {
                form.method.is_none() && (self.is_name(form, reading) || self.names_argument(form, reading))
            }),
            Fit::Mention => {
                let about = matches!(form.kind, FormKind::Directive | FormKind::Addition);
                let is_titled = || self.arguments(form).next().is_some_and(|datum| self.is_title(datum));
                (about && self.is_name(form, plain))
                    || ((about || self.sets(form) || is_titled()) && self.names_argument(form, plain))
            }
            Fit::Head if form.head.is_none() => self.canonical(form.datum) == plain.whole,
            Fit::Head => self.is_head(form),
        }
    }

    /// The form makes the name along with its own, or contains the method.
    fn makes(&self, form: &Form) -> bool {
        let plain = &self.address.plain;
        let Some((as_parameters, as_specializers)) = &plain.method else {
            return made(form, self.tree, self.text).contains(&plain.name)
                || implemented(form, self.tree, self.text).contains(&plain.name);
        };
        let fits = |key: &MethodKey| method_fits(key, as_parameters) || method_fits(key, as_specializers);
        form.kind == FormKind::GenericFunction
            && form.key == plain.name
            && makes_method(form, self.tree, self.text, fits)
    }

    /// The address is only a head: `let`, `(let ...)`.
    fn is_head(&self, form: &Form) -> bool {
        let plain = &self.address.plain;
        let listed = self.address.headed.as_ref().filter(|(_, rest)| rest.data.is_empty());
        listed.is_some_and(|(head, _)| is_of_type(form, head))
            || (plain.data.len() == 1 && form.head_name == canonical_head(self.tree.dialect(), &plain.designator))
    }

    /// The address begins with the head of the form, or the head is given separately, and the rest of it `fits`.
    fn headed(&self, form: &Form, fits: impl Fn(&Reading) -> bool) -> bool {
        let headed = self.address.headed.as_ref().filter(|(head, _)| is_of_type(form, head));
        headed.is_some_and(|(_, reading)| fits(reading)) || (self.form_type.is_some() && fits(&self.address.plain))
    }

    /// The form's own name is the name of the reading, or the whole reading, also inside a string or a list.
    fn is_name(&self, form: &Form, reading: &Reading) -> bool {
        let Some(name) = &form.name else { return false };
        let is_text = matches!(form.kind, FormKind::Package | FormKind::System | FormKind::Directive | FormKind::Test)
            || name.starts_with('"');
        form.key == reading.name
            || form.key == reading.whole
            || form.key.strip_prefix('(').and_then(|key| key.strip_suffix(')')) == Some(&reading.whole)
            || (is_text && canonical_designator(self.tree.dialect(), name) == reading.designator)
    }

    /// The address is the defined name with the parameters: `(area r)` for `(define (area r) ...)`.
    fn is_target(&self, form: &Form) -> bool {
        let whole = &self.address.plain.whole;
        whole.starts_with('(') && self.arguments_of(form).next().is_some_and(|datum| self.canonical(datum) == *whole)
    }

    /// The data after the name in the address are the key of this method, or the form's parameters, or there are none.
    fn method_or_signature(&self, form: &Form) -> bool {
        let plain = &self.address.plain;
        plain.method.is_none() || form.key != plain.name || is_method(form, plain) || {
            let signature = form.signature.first().and_then(|_| self.arguments_of(form).nth(1));
            plain.data.len() == 2 && signature.is_some_and(|datum| plain.data[1].is(&self.canonical(datum)))
        }
    }

    /// The data after the form's head begin with those of the reading.
    fn opens_with(&self, form: &Form, reading: &Reading) -> bool {
        let mut data = self.arguments_of(form);
        !reading.data.is_empty()
            && reading.data.iter().all(|wanted| data.next().is_some_and(|datum| wanted.is(&self.canonical(datum))))
    }

    /// One of the names after the form's head is the name of the reading.
    fn names_argument(&self, form: &Form, reading: &Reading) -> bool {
        self.arguments(form).any(|datum| {
            let canonical = self.canonical(datum);
            canonical == reading.name && reading.data.len() == 1
                || canonical == reading.whole
                || (self.tree.kind(datum.core) == TokenKind::String
                    && canonical_designator(self.tree.dialect(), self.source(datum)) == reading.designator)
        })
    }

    /// The data that are names in a form that is not a definition.
    fn arguments(&self, form: &Form) -> impl Iterator<Item = Datum> {
        let (step, most) = if self.sets(form) { (2, usize::MAX) } else { (1, 1) };
        self.arguments_of(form).step_by(step).take(most)
    }

    fn sets(&self, form: &Form) -> bool {
        SETTERS.contains(&&*form.head_name)
    }

    /// The data after the form's head.
    fn arguments_of(&self, form: &Form) -> impl Iterator<Item = Datum> {
        form.datum.list().into_iter().flat_map(|list| self.tree.data(list).skip(1))
    }

    /// The datum is a title, by which people name a form that defines nothing: a string, or a keyword in some dialects.
    fn is_title(&self, datum: Datum) -> bool {
        self.source(datum).starts_with(self.tree.dialect().table().titles)
    }

    /// The address has no package prefix, or it can be the package of the form.
    fn in_package(&self, id: FormId) -> bool {
        let form = self.forms.get(id);
        // The generic function of a method is often in another package.
        let Some(wanted) = self.address.package.as_deref().filter(|_| form.method.is_none()) else { return true };
        let dialect = self.tree.dialect();
        let own = form.name.as_deref().and_then(|name| package_of(dialect, name));
        let known = own.as_deref().or_else(|| self.forms.package(id).map(|form| form.key.as_str()));
        let Some(known) = known else { return true };
        let packages = || self.forms.iter().filter(|(_, form)| form.kind == FormKind::Package && form.key == known);
        let nickname = canonical_symbol(dialect, wanted);
        full_package_name(known) == full_package_name(wanted)
            || packages().any(|(_, form)| made(form, self.tree, self.text).contains(&nickname))
    }

    fn canonical(&self, datum: Datum) -> String {
        canonical_datum(self.tree, self.text, datum)
    }

    fn source(&self, datum: Datum) -> &str {
        &self.text[self.tree.core_span(datum).range()]
    }
}

/// The full name of a standard package that is given by its nickname (CLHS 11.1.2).
fn full_package_name(name: &str) -> &str {
    match name {
        "cl" => "common-lisp",
        "cl-user" => "common-lisp-user",
        name => name,
    }
}

/// The form has this head, or Clojure's private (`defn-`) or Guile's public (`define-public`) variant of it.
fn is_of_type(form: &Form, head: &str) -> bool {
    form.head_name == head
        || form.head_name.strip_suffix('-') == Some(head)
        || form.head_name.strip_suffix("-public") == Some(head)
}

/// The reading has no method key, or that of this method.
fn is_method(form: &Form, reading: &Reading) -> bool {
    reading.method.as_ref().is_none_or(|(as_parameters, as_specializers)| {
        form.method
            .as_ref()
            .is_some_and(|method| method_fits(method, as_parameters) || method_fits(method, as_specializers))
    })
}

/// Qualifiers must be the same; specializers only when the address gives some.
fn method_fits(method: &MethodKey, wanted: &MethodKey) -> bool {
    if method.dispatch.is_some() {
        return method.dispatch == wanted.dispatch;
    }
    method.qualifiers == wanted.qualifiers
        && (wanted.specializers.is_empty() || method.specializers == wanted.specializers)
}
