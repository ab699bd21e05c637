//! An option of a slot that its class has not, or one without a value.

use lispwright_syntax::{Datum, Dialect, edit_distance};

use crate::code::CodeForm;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// An option of a slot that its class has not, or one without a value.
pub(crate) struct SlotOption;

static ABOUT: About = About {
    code: "slot-option",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp],
    what: "A slot of a class, condition or structure has an option that there is not, or one without a value.",
    why: "The compiler refuses the definition. Classes with a metaclass can have options of their own.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defclass item ()\n  ((name :initarg :name :reder item-name)))\n",
            right: "(defclass item ()\n  ((name :initarg :name :reader item-name :documentation \"Its name.\") price))\n\
                    (defclass row ()\n  ((id :column-type integer :reder id))\n  (:metaclass row-class))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defclass item ()\n  ((price :initarg :reader item-price)))\n",
            right: "(defclass item ()\n  ((price :initarg :price :reader item-price :reader price) #+sbcl (size :size) (name)))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defstruct item\n  (name nil :read-noly t))\n",
            right: "(defstruct (item (:conc-name i-))\n  \"A thing.\"\n  (name nil :read-only t :type string)\n  #+sbcl (price 0)\n  size)\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(define-condition broken (error)\n  ((part :initarg :part :reader)))\n",
            right: "(define-condition broken (error)\n  ((part :initarg :part :reader broken-part))\n  (:report \"broken\"))\n",
        },
    ],
};

const CLASS_OPTIONS: &[&str] =
    &[":initarg", ":initform", ":reader", ":writer", ":accessor", ":type", ":documentation", ":allocation"];

const STRUCTURE_OPTIONS: &[&str] = &[":type", ":read-only"];

/// An option that differs so little from a known one is that one, misspelt.
const MOST_SLIPS: usize = 2;

/// Bytes of what is named in a message at most.
const MOST_SHOWN: usize = 40;

impl Rule for SlotOption {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let is_definer = |name: &str| matches!(name, "defclass" | "define-condition" | "defstruct");
        let forms = file.code().certain().filter(|form| is_definer(&form.name));
        for form in forms.filter(|form| file.is_of_language(file.tree.core_span(form.head))) {
            let (slots, skipped, known) = match &*form.name {
                "defclass" | "define-condition" if !has_metaclass(file, form) => {
                    let slots = form.arguments.get(2).filter(|slots| slots.is_bare()).and_then(|slots| slots.list());
                    (slots.map_or_else(Vec::new, |list| file.data(list)), 1, CLASS_OPTIONS)
                }
                "defstruct" => (form.arguments.get(1..).unwrap_or_default().to_vec(), 2, STRUCTURE_OPTIONS),
                _ => continue,
            };
            for slot in slots.into_iter().filter(|slot| slot.is_bare() && file.is_plain(*slot)) {
                let Some(data) = slot.list().map(|list| file.data(list)) else { continue };
                if data.iter().all(|one| file.is_plain(*one) && !file.core(*one).starts_with('#')) {
                    options(file, data.get(skipped..).unwrap_or_default(), known, findings);
                }
            }
        }
    }
}

/// The class says by whom it is made, or computes what it consists of.
fn has_metaclass(file: &File<'_, '_>, form: &CodeForm<'_>) -> bool {
    form.arguments.iter().any(|one| {
        let head = one.list().and_then(|list| file.head_of(list)).unwrap_or_default();
        head.eq_ignore_ascii_case(":metaclass") || !file.is_plain(*one)
    })
}

/// Tells what is wrong with the options of a slot.
fn options(file: &File<'_, '_>, data: &[Datum], known: &[&str], findings: &mut Findings) {
    for pair in data.chunks(2) {
        let text = file.core(pair[0]).to_ascii_lowercase();
        let is_keyword = pair[0].list().is_none() && pair[0].is_bare() && text.starts_with(':');
        if !is_keyword {
            let shown = file.source(file.tree.datum_span(pair[0]));
            let shown = if shown.len() > MOST_SHOWN { "this" } else { &format!("`{shown}`") };
            findings.add(file.tree.datum_span(pair[0]), format!("{shown} stands where an option of the slot begins"));
            return;
        }
        let near = known.iter().find(|one| edit_distance(&text, one) <= MOST_SLIPS);
        match (known.contains(&text.as_str()), near) {
            (true, _) if pair.len() == 1 => {
                findings.add(file.tree.core_span(pair[0]), format!("the option `{text}` has no value"));
            }
            (false, Some(near)) => {
                let message = format!("a slot has no option `{text}`; near it: `{near}`");
                findings.add(file.tree.core_span(pair[0]), message);
            }
            _ => {}
        }
    }
}
