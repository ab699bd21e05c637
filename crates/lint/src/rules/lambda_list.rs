//! A parameter list whose markers are out of order, twice there, or without a parameter.

use lispwright_syntax::{Datum, Dialect, SpecialForm};

use crate::code::CodeForm;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A parameter list whose markers are out of order, twice there, or without a parameter.
pub(crate) struct LambdaList;

static ABOUT: About = About {
    code: "lambda-list",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Clojure, Dialect::EmacsLisp],
    what: "A parameter list has its markers in the wrong order, one of them twice, or one without its parameter.",
    why: "The compiler refuses the definition.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun area (r &key unit &optional depth)\n  (list r unit depth))\n",
            right: "(defun area (r &optional depth &key unit &allow-other-keys)\n  (list r unit depth))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn area [r & more extra] (list r more extra))\n",
            right: "(ns example)\n(defn area [r & more] (list r more))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun area (r &rest more &optional depth)\n  (list r more depth))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun area (r &optional depth &rest more)\n  (list r more depth))\n",
        },
    ],
};

/// The markers, by their order.
const MARKERS: &[&[&str]] = &[&["&optional"], &["&rest", "&body"], &["&key"], &["&allow-other-keys"], &["&aux"]];

/// The parameter lists of a form.
fn parameter_lists(file: &File<'_, '_>, form: &CodeForm<'_>) -> Vec<Datum> {
    use SpecialForm as F;
    let at = |at: usize| form.arguments.get(at).copied();
    let is_parameters = |datum: &Datum| datum.list().is_some() && datum.is_bare();
    match file.dialect().special_form(&form.name) {
        Some(F::Function | F::Macro) => at(1).filter(is_parameters).into_iter().collect(),
        Some(F::Lambda) if form.name == "lambda" => at(0).filter(is_parameters).into_iter().collect(),
        Some(F::Method) => form.arguments.iter().skip(1).copied().find(is_parameters).into_iter().collect(),
        Some(F::Generic | F::GenericBody) => at(1).filter(is_parameters).into_iter().collect(),
        Some(F::Functions | F::FunctionsRec | F::Macros) => {
            let functions = at(0).and_then(Datum::list).into_iter().flat_map(|list| file.tree.data(list));
            functions.filter_map(|one| file.tree.data(one.list()?).nth(1)).filter(is_parameters).collect()
        }
        _ => Vec::new(),
    }
}

/// What is wrong with the markers of a parameter list of Common Lisp or Emacs Lisp, and where.
fn misplaced(file: &File<'_, '_>, parameters: &[Datum]) -> Option<(Datum, String)> {
    let mut seen: Vec<usize> = Vec::new();
    let order = |datum: &Datum| {
        let text = file.core(*datum).rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
        let is_marker = datum.list().is_none() && text.starts_with('&');
        MARKERS.iter().position(|all| is_marker && all.contains(&&*text))
    };
    for (at, datum) in parameters.iter().enumerate() {
        let Some(this) = order(datum) else { continue };
        let text = file.core(*datum);
        if seen.contains(&this) {
            return Some((*datum, format!("`{text}` is here already")));
        }
        if let Some(later) = seen.iter().find(|one| **one > this) {
            let later = MARKERS[*later].first().unwrap_or(&"");
            return Some((*datum, format!("`{text}` comes before `{later}`")));
        }
        seen.push(this);
        let after = parameters.get(at + 1);
        if this == 1 && after.is_none_or(|after| order(after).is_some()) {
            return Some((*datum, format!("`{text}` has no parameter after it")));
        }
        let is_alone =
            |two: &Datum| order(two).is_none() && !file.core(*two).starts_with('&') && file.core(*two) != ".";
        if this == 1
            && let Some(extra) = parameters.get(at + 2).filter(|two| is_alone(two))
        {
            return Some((*extra, format!("`{text}` takes one parameter")));
        }
    }
    None
}

impl Rule for LambdaList {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for form in file.code().certain().filter(|form| file.is_of_language(file.tree.core_span(form.head))) {
            if is_clojure_function(file, form) {
                for vector in vectors(file, form) {
                    let Some(list) = vector.list() else { continue };
                    let parameters = file.data(list);
                    let Some(at) = parameters.iter().position(|one| file.core(*one) == "&") else { continue };
                    match (parameters.get(at + 1), parameters.get(at + 2)) {
                        (None, _) => {
                            findings.add(file.tree.datum_span(parameters[at]), "`&` has no parameter after it")
                        }
                        (_, Some(extra)) => {
                            findings.add(file.tree.datum_span(*extra), "`&` takes one parameter, the last one");
                        }
                        _ => {}
                    }
                }
                continue;
            }
            for parameters in parameter_lists(file, form).into_iter().filter_map(Datum::list) {
                let parameters = file.data(parameters);
                if !parameters.iter().all(|one| file.is_plain(*one)) {
                    continue;
                }
                if let Some((datum, message)) = misplaced(file, &parameters) {
                    findings.add(file.tree.datum_span(datum), message);
                }
            }
        }
    }
}

/// The form defines or is a function whose parameters are in vectors.
fn is_clojure_function(file: &File<'_, '_>, form: &CodeForm<'_>) -> bool {
    let has_vectors = file.dialect().special_form("fn") == Some(SpecialForm::Fn);
    has_vectors && matches!(&*form.name, "fn" | "defn" | "defn-" | "defmacro")
}

/// The parameter vectors of such a form.
pub(crate) fn vectors(file: &File<'_, '_>, form: &CodeForm<'_>) -> Vec<Datum> {
    let is_vector = |datum: &Datum| file.core(*datum).starts_with('[');
    match form
        .arguments
        .iter()
        .copied()
        .find(|one| is_vector(one) || one.list().is_some() && file.core(*one).starts_with('('))
    {
        Some(first) if is_vector(&first) => vec![first],
        Some(_) => {
            let clauses = form.arguments.iter().filter_map(|one| one.list());
            clauses.filter_map(|list| file.tree.data(list).next()).filter(is_vector).collect()
        }
        None => Vec::new(),
    }
}
