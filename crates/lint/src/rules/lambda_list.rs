//! A parameter list whose markers are out of order, twice there, or without a parameter.

use lispwright_syntax::{Datum, Dialect, SpecialForm, edit_distance, nearest};

use crate::code::CodeForm;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

mod clojure;
mod racket;

pub(crate) use clojure::is_symbol;

/// A parameter list whose markers are out of order, twice there, or without a parameter.
pub(crate) struct LambdaList;

static ABOUT: About = About {
    code: "lambda-list",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp, Dialect::Racket],
    what: "A parameter list has its markers in the wrong order, one of them twice, misspelt, or without its parameter, it has \
           something in it that is no name, or it is missing; or two arities of a function clash.",
    why: "The compiler refuses the definition.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun area (r &key unit &optional depth)\n  (list r unit depth))\n",
            right: "(defun area (r &optional depth &key unit &allow-other-keys)\n  (list r unit depth))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun area (r &optoinal depth)\n  (list r depth))\n",
            right: "(defun area (r &optional depth)\n  (list r depth))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defgeneric area (shape depth))\n(defmethod area ((shape circle other) depth)\n  (list shape depth))\n",
            right: "(defgeneric area (shape depth))\n(defmethod area ((shape circle) depth)\n  (list shape depth))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define-module (shop))\n(define* (area r #:optoinal (depth 1))\n  (list r depth))\n",
            right: "(define-module (shop))\n(define* (area r #:optional (depth 1) #:key unit #:allow-other-keys #:rest all)\n\
                      (list r depth unit all))\n(define half (lambda* (x . more) (cons x more)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (area r #f)\n  (list r))\n",
            right: "(define (area r . more)\n  (define ((half x) y) (list x y))\n  (list (half r) more))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn area [r & more extra] (list r more extra))\n",
            right: "(ns example)\n(defn area [r & more] (list r more))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn area ([r] (* 3 r)) ([a] a))\n",
            right: "(ns example)\n(defn area \"Of a circle or more.\" {:private true} ([r] (* 3 r)) ([r & more] (list r more)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defprotocol Shape (area []))\n",
            right: "(ns example)\n(defprotocol Shape \"Has an area.\" :extend-via-metadata true (area [shape] [shape unit] \"Its size.\"))\n\
                    (defrecord Square [a] Shape (area [_] (* a a)))\n(def half (fn half [x] (/ x 2)))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun area (r &rest more &optional depth)\n  (list r more depth))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun area (r &optional depth &rest more)\n  (list r more depth))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define (area [r 1] depth)\n  (list r depth))\n",
            right: "#lang racket\n(define (area depth #:unit [unit 1] #:of of [r 1] . more)\n  (list r depth unit of more))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define area\n  (lambda (r #:unit) (list r)))\n",
            right: "#lang racket\n(define area\n  (lambda (r #:unit [unit 1]) (list r unit)))\n\
                    (define ((half x) y) (list x y))\n(define all (lambda more more))\n",
        },
    ],
};

/// The markers, by their order.
const MARKERS: &[&[&str]] = &[&["&optional"], &["&rest", "&body"], &["&key"], &["&allow-other-keys"], &["&aux"]];

/// Markers that stand anywhere.
const OTHER_MARKERS: &[&str] = &["&environment", "&whole", "&context", "&more"];

/// So many letters of a marker are misspelt at most.
const MOST_SLIPS: usize = 2;

/// The markers of Guile, in the lists of the forms whose names end with a star.
const SCHEME_MARKERS: &[&str] = &["#:optional", "#:key", "#:allow-other-keys", "#:rest"];

/// What stands in the parameter list of a form of Scheme and is neither a name nor a marker.
fn no_parameter(file: &File<'_, '_>, form: &CodeForm<'_>) -> Option<(Datum, String)> {
    let first = form.arguments.first().filter(|first| first.is_bare())?;
    let data = file.data(first.list()?);
    let parameters = match (file.dialect().special_form(&form.name), &*form.name) {
        (Some(SpecialForm::Define), "define" | "define-public" | "define*" | "define*-public") => data.get(1..)?,
        (Some(SpecialForm::Lambda), "lambda" | "lambda*") => data.as_slice(),
        _ => return None,
    };
    let has_markers = form.name.contains('*');
    parameters.iter().filter(|one| one.list().is_none() && one.is_bare()).find_map(|one| {
        let text = file.core(*one);
        let is_value = matches!(text, "#f" | "#t") || text.starts_with('"') || text.parse::<u64>().is_ok();
        let is_wrong_marker = has_markers && text.starts_with("#:") && !SCHEME_MARKERS.contains(&text);
        match nearest(text, SCHEME_MARKERS.iter().copied(), 1).first() {
            Some(near) if is_wrong_marker => Some((*one, format!("`{text}` is no marker; near it: `{near}`"))),
            None if is_wrong_marker => Some((*one, format!("`{text}` is no marker of parameters"))),
            _ => is_value.then(|| (*one, format!("`{text}` is no name for a parameter"))),
        }
    })
}

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
        let text = file.core(*datum);
        let Some(this) = order(datum) else {
            let folded = text.to_ascii_lowercase();
            let near = MARKERS.iter().copied().flatten().find(|marker| edit_distance(&folded, marker) <= MOST_SLIPS);
            let is_slip = datum.list().is_none() && text.starts_with('&') && !OTHER_MARKERS.contains(&&*folded);
            match near.filter(|_| is_slip) {
                Some(near) => return Some((*datum, format!("`{text}` is no marker; near it: `{near}`"))),
                None => continue,
            }
        };
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

/// A parameter of a method that is a list and not a name with its class.
fn unspecialized(file: &File<'_, '_>, parameters: &[Datum]) -> Option<(Datum, String)> {
    let required = parameters.iter().take_while(|one| !file.core(**one).starts_with('&'));
    let mut lists = required.filter_map(|one| Some((one, one.list().filter(|_| one.is_bare())?)));
    let (datum, _) = lists.find(|(_, list)| {
        let data = file.data(*list);
        data.len() != 2 && data.iter().all(|one| file.is_plain(*one))
    })?;
    Some((*datum, format!("`{}` is no name with its class", file.core(*datum))))
}

/// Dialects whose parameters have their keywords before them: `(define (f #:key [key 1]) …)`.
const KEYWORDS_STAND_BEFORE: &[Dialect] = &[Dialect::Racket];

impl Rule for LambdaList {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        use SpecialForm as F;
        let is_binder = |form: &&CodeForm<'_>| match file.dialect().special_form(&form.name) {
            Some(F::Function | F::Macro | F::Lambda | F::Method | F::Generic | F::GenericBody | F::Define) => true,
            Some(F::Functions | F::FunctionsRec | F::Macros | F::Procedure) => true,
            _ => has_vectors(file),
        };
        let forms = file.code().certain().filter(is_binder);
        for form in forms.filter(|form| file.is_of_language(file.tree.core_span(form.head))) {
            if has_vectors(file) {
                clojure::check(file, form, findings);
                continue;
            }
            if KEYWORDS_STAND_BEFORE.contains(&file.dialect()) {
                racket::check(file, form, findings);
                continue;
            }
            if file.dialect().special_form("define") == Some(SpecialForm::Define) {
                if let Some((datum, message)) = no_parameter(file, form) {
                    findings.add(file.tree.datum_span(datum), message);
                }
                continue;
            }
            for parameters in parameter_lists(file, form).into_iter().filter_map(Datum::list) {
                let parameters = file.data(parameters);
                if !parameters.iter().all(|one| file.is_plain(*one)) {
                    continue;
                }
                let found = misplaced(file, &parameters);
                let found =
                    found.or_else(|| (form.name == "defmethod").then(|| unspecialized(file, &parameters)).flatten());
                if let Some((datum, message)) = found {
                    findings.add(file.tree.datum_span(datum), message);
                }
            }
        }
    }
}

/// The parameters of functions are in vectors.
fn has_vectors(file: &File<'_, '_>) -> bool {
    file.dialect().special_form("fn") == Some(SpecialForm::Fn)
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
