//! A place, name or test without its value.

use lispwright_syntax::{Datum, Dialect, SpecialForm, TokenKind};

use crate::code::sets_field;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A place, name or test without its value.
pub(crate) struct OddPairs;

static ABOUT: About = About {
    code: "odd-pairs",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Clojure, Dialect::EmacsLisp],
    what: "The last place, name or test of a form in which they alternate with values has none.",
    why: "The compiler refuses the form.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun grow (a b)\n  (setf a (1+ a) b))\n",
            right: "(defun grow (a b)\n  (setf a (1+ a) b (1+ b)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn grow [a] (let [b (inc a) c] (* a b)))\n",
            right: "(ns example)\n(defn grow [a] (let [b (inc a) c 2] (* a b c)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(def sizes {:small 1 :large})\n",
            right: "(ns example)\n(def sizes {:small 1 :large [{:a 1}]})\n(defmacro m [& all] `{~@all})\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun grow (a b)\n  (setq a (1+ a) b)\n  (list a b))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun grow (a b)\n  (setq a (1+ a) b 2)\n  (list a b))\n",
        },
    ],
};

impl Rule for OddPairs {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        use SpecialForm as F;
        let is_bracket = |datum: Datum| file.tree.kind(datum.core) == TokenKind::OpenBracket && datum.list().is_some();
        for form in file.code().certain() {
            let vector = || {
                let list =
                    form.arguments.first().filter(|first| is_bracket(**first) && file.is_plain(**first))?.list()?;
                Some(file.data(list))
            };
            let whole = |from: usize| form.is_whole.then(|| form.arguments.get(from..).unwrap_or_default().to_vec());
            let (pairs, what) = match file.dialect().special_form(&form.name) {
                Some(F::Setq | F::Setf) if sets_field(file, form) => continue,
                Some(F::Setq | F::Setf) => (whole(0), "place"),
                Some(F::LetVector | F::Comprehension | F::Rebinding | F::LetThen) => (vector(), "name"),
                Some(F::ThreadingIf { .. }) => (whole(1), "test"),
                None if form.name == "cond" => (whole(0), "test"),
                _ => continue,
            };
            let Some(pairs) = pairs.filter(|pairs| pairs.len() % 2 == 1) else { continue };
            let Some(last) = pairs.last().filter(|_| pairs.iter().all(|one| file.is_plain(*one))) else { continue };
            if file.is_of_language(file.tree.core_span(form.head)) {
                findings.add(file.tree.datum_span(*last), format!("this {what} of `{}` has no value", form.name));
            }
        }
        maps(file, findings);
    }
}

/// The dialects whose reader refuses a literal map with an odd number of parts.
const WITH_MAPS: &[Dialect] = &[Dialect::Clojure];

/// Tells the keys of literal maps that have no values.
fn maps(file: &File<'_, '_>, findings: &mut Findings) {
    if !WITH_MAPS.contains(&file.dialect()) {
        return;
    }
    for list in file.judged_lists().filter(|list| file.core_opener(*list) == "{") {
        let data = file.data(list);
        let is_odd = data.len() % 2 == 1 && data.iter().all(|one| file.is_plain(*one));
        // `{{name}}` in a template of a file.
        let before = &file.text()[..file.tree.list_span(list).start as usize];
        let is_template = before.ends_with('{') || data.first().is_some_and(|first| file.core(*first).starts_with('{'));
        if let Some(last) = data.last().filter(|_| is_odd && !is_template) {
            findings.add(file.tree.datum_span(*last), "this key of a map has no value");
        }
    }
}
