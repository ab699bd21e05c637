//! Names that a file defines twice.

use lispwright_syntax::{Dialect, Form, FormKind, Forms, Span, Tree};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{MOST_FOUND, Unexpected};
use crate::source::line_at;

/// Dialects whose code may use a definition before a later one replaces it.
const IN_TURN: &[Dialect] = &[Dialect::Scheme];

/// Dialects whose files are modules, in which a name is defined once.
const IN_MODULES: &[Dialect] = &[Dialect::Racket];

/// Which of two definitions of a name takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prevails {
    /// The later one.
    Later,
    /// The earlier one: the later is only for a name that has no value yet.
    Earlier,
    /// None: two are an error.
    Neither,
}

/// Heads of definitions that leave a name as it is if it has a value: CLHS `defvar`, SBCL `defglobal`, Emacs Lisp's
/// `defcustom` and `defface`, Clojure's `defonce` and `defmulti`.
const KEEP: &[&str] = &["defvar", "defvar-local", "defcustom", "defface", "defglobal", "defonce", "defmulti"];

/// Further heads whose second definition of a name is one too many.
const ONCE: &[&str] = &[
    "defface",
    "defmulti",
    "define-minor-mode",
    "define-globalized-minor-mode",
    "define-derived-mode",
    "defsetf",
    "define-setf-expander",
];

/// Heads of which a file may have several for one name.
const OFTEN: &[&str] = &["define-vop", "deftransform", "defoptimizer", "defknown", "use-package"];

impl Prevails {
    fn of(form: &Form, dialect: Dialect) -> Self {
        if IN_MODULES.contains(&dialect) {
            Self::Neither
        } else if KEEP.contains(&form.head_name.as_str()) {
            Self::Earlier
        } else {
            Self::Later
        }
    }
}

/// The head and the name of a definition, with the key of a method.
type Key<'f> = (&'f str, String);

/// Heads that only declare a name if no value is given.
const DECLARING: &[&str] = &["defvar", "def", "defglobal"];

/// What a form defines, if a second form like it in the same file is one too many.
fn defined_once<'f>(form: &'f Form, tree: &Tree, text: &str) -> Option<Key<'f>> {
    use FormKind::{Class, Condition, Function, Macro, Method, Structure, Test, Type, Variable};
    let kind = matches!(form.kind, Function | Macro | Variable | Class | Structure | Type | Condition | Test | Method)
        || ONCE.contains(&form.head_name.as_str());
    let once = kind && form.conditions.is_empty() && form.parent.is_none() && !form.broken;
    let is_name = |name: &str| match name.as_bytes() {
        [b'(', ..] => name.starts_with("(setf "),
        // Tests with titles all run.
        [b':' | b'"' | b'0'..=b'9', ..] | b"nil" => false,
        _ => true,
    };
    let is_named = form.name.as_deref().is_some_and(is_name) && !OFTEN.contains(&form.head_name.as_str());
    let declares = || DECLARING.contains(&form.head_name.as_str());
    let has_value = || form.datum.list().is_some_and(|list| tree.data(list).nth(2).is_some());
    if !once || !is_named || (declares() && !has_value()) {
        return None;
    }
    // Of a method, all that stands before its parameters.
    let place = form.method.as_ref().and(form.name_span).zip(form.signature.first());
    let between = place.and_then(|(name, parameters)| text.get(name.end as usize..parameters.start as usize));
    Some((form.head_name.as_str(), format!("{} {}", form.called(text)?, between.unwrap_or_default().trim())))
}

/// Heads after which names belong to another package, namespace or module.
const ENTERING: &[&str] = &["in-package", "in-ns", "ns", "define-module", "module"];

/// A text has several packages: in another one, the same name is another one.
fn has_packages(forms: &Forms, text: &str) -> bool {
    let entering = forms.top_level().map(|(_, form)| form).filter(|form| ENTERING.contains(&form.head_name.as_str()));
    let mut labels = entering.map(|form| form.label(text));
    let first = labels.next();
    labels.any(|label| Some(label) != first)
}

/// Every name that a text defines twice, once.
pub(super) fn all(tree: &Tree, text: &str) -> Vec<Unexpected> {
    let forms = Forms::new(tree, text);
    let mut first: FxHashMap<Key<'_>, Span> = FxHashMap::default();
    let mut told: FxHashSet<u32> = FxHashSet::default();
    let mut found = Vec::new();
    let in_turn = IN_TURN.contains(&tree.dialect());
    for (_, form) in forms.top_level() {
        if in_turn && !form.kind.defines() {
            first.clear();
        }
        let Some(key) = defined_once(form, tree, text) else { continue };
        let Some(other) = first.get(&key) else {
            first.insert(key, form.span);
            continue;
        };
        if found.len() < MOST_FOUND && told.insert(other.start) {
            found.push(found_at(form, *other, tree, text));
        }
    }
    if !found.is_empty() && has_packages(&forms, text) {
        found.clear();
    }
    found
}

fn found_at(form: &Form, other: Span, tree: &Tree, text: &str) -> Unexpected {
    let (line, other) = (line_at(text, form.span.start), line_at(text, other.start));
    Unexpected::DefinedTwice { label: form.label(text), line, other, prevails: Prevails::of(form, tree.dialect()) }
}

/// The first of the forms `own` that defines a name which another form of the same kind defines as well. The old text
/// had fewer forms like it.
pub(super) fn again<'f>(
    known: impl FnOnce() -> Forms,
    (old_tree, old): (&Tree, &str),
    (tree, text): (&Tree, &str),
    own: impl Iterator<Item = &'f Form>,
) -> Option<Unexpected> {
    let own: Vec<(&Form, Key<'_>)> = own.filter_map(|form| Some((form, defined_once(form, tree, text)?))).collect();
    if own.is_empty() {
        return None;
    }
    let all = Forms::new(tree, text);
    if has_packages(&all, text) {
        return None;
    }
    let wanted: FxHashSet<&Key<'_>> = own.iter().map(|(_, key)| key).collect();
    let mut places: FxHashMap<Key<'_>, Vec<Span>> = FxHashMap::default();
    for (_, form) in all.top_level() {
        if let Some(key) = defined_once(form, tree, text).filter(|key| wanted.contains(key)) {
            places.entry(key).or_default().push(form.outer);
        }
    }
    places.retain(|_, places| places.len() > 1);
    if places.is_empty() {
        return None;
    }
    let known = known();
    let mut before: FxHashMap<Key<'_>, usize> = FxHashMap::default();
    for key in known.top_level().filter_map(|(_, form)| defined_once(form, old_tree, old)) {
        *before.entry(key).or_default() += 1;
    }
    own.iter().find_map(|(form, key)| {
        let places = places.get(key)?;
        let other = places.iter().find(|place| place.start != form.outer.start)?;
        let is_new = places.len() > before.get(key).copied().unwrap_or_default();
        is_new.then(|| found_at(form, *other, tree, text))
    })
}
