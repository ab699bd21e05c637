//! A method of a protocol that has none of that name.

use lispwright_index::{Owner, Referent, Use, UseKind};
use lispwright_syntax::{Dialect, Span};

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::identity::nearest_of;
use crate::rule::{About, Example, Rule};

/// A method of a protocol that has none of that name.
pub(crate) struct UnknownMethod;

static ABOUT: About = About {
    code: "unknown-method",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::Clojure],
    what: "A type, record or extension implements a method that its protocol does not have.",
    why: "The compiler refuses it in a type or record; in an extension, nothing ever calls it. Protocols of the project and \
          `Object` are known.",
    examples: &[
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(defprotocol Shape (area [shape]))\n(defrecord Square [a] Shape (aera [_] (* a a)))\n",
            right: "(ns shop.core)\n(defprotocol Shape (area [shape]))\n(defrecord Square [a] Shape (area [_] (* a a)) (toString [_] \"square\"))\n\
                    (extend-protocol Shape (Class/forName \"[B\") (area [all] (count all)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(deftype Item [label] Object (toSting [_] label))\n",
            right: "(ns shop.core)\n(deftype Item [label] Object (toString [_] label) Runnable (run [_] label))\n",
        },
    ],
};

/// The methods of a class that every type can have.
const OF_OBJECT: &[&str] = &["toString", "equals", "hashCode", "finalize", "clone"];

impl Rule for UnknownMethod {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn needs_project(&self) -> bool {
        true
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for used in file.uses().filter(|used| used.kind == UseKind::Method && !used.hidden) {
            let Some(Owner::Name(owner)) = file.facts.owner_of(*used) else { continue };
            let Some(known) = methods(file, *owner).filter(|_| is_judged(file, *used)) else { continue };
            let name = file.source(used.span());
            let name = name.rsplit('/').next().unwrap_or(name);
            // A type can have the methods of `Object` after any protocol.
            if known.iter().any(|one| one == name) || OF_OBJECT.contains(&name) {
                continue;
            }
            let near = nearest_of(name, known.iter().map(String::as_str));
            findings.add(used.span(), format!("`{}` has no method `{name}`{near}", file.source(*owner)));
        }
    }
}

/// The place names a method with its parameters, in code for the JVM that nothing conditions.
fn is_judged(file: &File<'_, '_>, used: Use) -> bool {
    let second = file.list_of(used.span()).and_then(|list| file.tree.data(list).nth(1));
    // `(Class/forName "[B")` is a type.
    let is_arity = |text: &str| text.starts_with('[') || text.starts_with("([");
    if !second.is_some_and(|second| second.list().is_some() && is_arity(file.core(second))) {
        return false;
    }
    file.is_of_platform(used.span()) && !file.is_in_branch(used.span()) && !file.is_broken(used.span())
}

/// The methods of what is named at a place; `None` if not all of them are known.
fn methods(file: &File<'_, '_>, owner: Span) -> Option<Vec<String>> {
    if file.source(owner) == "Object" {
        return Some(OF_OBJECT.iter().map(|name| (*name).to_owned()).collect());
    }
    let question = file.question;
    let Referent::Is(symbol) = question.meaning_at(file.document, owner) else { return None };
    let [(document, one)] = question.definitions(&symbol)[..] else { return None };
    let row = &document.facts.forms[one.form as usize];
    let text = &document.text[row.span.range()];
    if !text.starts_with("(defprotocol ") || text.contains("#?") {
        return None;
    }
    let own = document.facts.definitions.iter().filter(|other| other.form == one.form && other.name != one.name);
    Some(own.map(|other| other.name.clone()).collect())
}
