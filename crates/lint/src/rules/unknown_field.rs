//! A constructor of a record that takes a field which the record has not.

use lispwright_syntax::{Datum, Dialect};

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A constructor of a record that takes a field which the record has not.
pub(crate) struct UnknownField;

static ABOUT: About = About {
    code: "unknown-field",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::Scheme],
    what: "The constructor of a record takes a field that the record has not.",
    why: "The definition is refused when it is compiled.",
    examples: &[Example {
        dialect: Dialect::Scheme,
        wrong: "(define-record-type item\n  (make-item name cost)\n  item?\n  (name item-name)\n  (price item-price))\n",
        right: "(define-record-type item\n  (make-item name price)\n  item?\n  (name item-name)\n  (price item-price set-price!)\n  \
                (cost item-cost))\n(define-record-type (point make-point point?) (fields x y))\n",
    }],
};

impl Rule for UnknownField {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let is_definer = |name: &str| matches!(name, "define-record-type" | "define-immutable-record-type");
        for form in file.code().certain().filter(|form| form.is_whole && is_definer(&form.name)) {
            // `type (constructor field…) predicate (field accessor [modifier])…` (SRFI 9)
            let [name, constructor, predicate, fields @ ..] = form.arguments.as_slice() else { continue };
            let is_name = |one: &Datum| one.list().is_none() && one.is_bare();
            let first = |one: &Datum| file.tree.data(one.list()?).next().filter(is_name);
            let Some(parts) = constructor.list().map(|list| file.data(list)) else { continue };
            let names: Option<Vec<&str>> = fields.iter().map(|field| Some(file.core(first(field)?))).collect();
            let Some(names) = names.filter(|_| is_name(name) && is_name(predicate)) else { continue };
            if !parts.iter().all(|part| is_name(part) && file.is_plain(*part) && file.core(*part) != ".") {
                continue;
            }
            let is_unknown = |part: &&Datum| !names.contains(&file.core(**part)) && !file.core(**part).starts_with('#');
            let unknown = parts.iter().skip(1).find(is_unknown);
            if let Some(unknown) = unknown.filter(|_| file.is_of_language(file.tree.core_span(form.head))) {
                let message = format!("`{}` has no field `{}`", file.core(*name), file.core(*unknown));
                findings.add(file.tree.datum_span(*unknown), message);
            }
        }
    }
}
