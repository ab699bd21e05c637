//! A `recur` that is not in tail position, or that passes a wrong number of values.

use lispwright_syntax::{Datum, Dialect, ListId};

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A `recur` that is not in tail position, or that passes a wrong number of values.
pub(crate) struct MisplacedRecur;

static ABOUT: About = About {
    code: "misplaced-recur",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::Clojure],
    what: "`recur` stands where more is done after it, or passes fewer or more values than its `loop` or function has.",
    why: "The compiler refuses it: `Can only recur from tail position`, or a mismatched count of arguments.",
    examples: &[
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn sum [xs all]\n  (if (seq xs)\n    (+ 1 (recur (rest xs) all))\n    all))\n",
            right: "(ns example)\n(defn sum [xs all]\n  (if (seq xs)\n    (recur (rest xs) (+ 1 all))\n    all))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn sum [xs]\n  (loop [xs xs all 0]\n    (when-let [x (first xs)]\n      (recur (+ x all)))))\n",
            right: "(ns example)\n(defn sum [xs & more]\n  (when more (recur xs nil))\n  (loop [{:keys [a]} xs all 0]\n    \
                    (when-let [x (first a)]\n      (recur a (+ x all)))))\n",
        },
    ],
};

/// Forms whose last form is in tail position.
const BODIES: &[&str] =
    &["do", "let", "when", "when-not", "when-let", "when-some", "when-first", "binding", "letfn", "loop", "locking"];

/// Functions of the language that code calls around a `recur` by mistake.
const FUNCTIONS: &[&str] = &[
    "+", "-", "*", "/", "inc", "dec", "cons", "conj", "concat", "str", "list", "vector", "assoc", "merge", "not",
    "max", "min", "map", "filter", "reduce", "into", "first", "rest", "apply", "println", "prn", "count", "=", "<",
    ">", "vec",
];

impl Rule for MisplacedRecur {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for form in file.code().certain().filter(|form| file.core(form.head) == "recur") {
            let span = file.tree.core_span(form.head);
            match target(file, form.list) {
                Target::None => {}
                Target::NoTail(head) => {
                    findings
                        .add(span, format!("`recur` is not in tail position: its value is an argument of `{head}`"));
                }
                Target::Count(wanted, what) => {
                    let count = form.arguments.len();
                    if form.is_whole && count != wanted {
                        findings.add(
                            span,
                            format!("the {what} around it has {wanted} to bind, and `recur` passes {count}"),
                        );
                    }
                }
            }
        }
    }
}

/// Where a `recur` goes.
enum Target<'i> {
    /// It is not known.
    None,
    /// Nowhere: a function takes its value.
    NoTail(&'i str),
    /// To a form that binds so many names.
    Count(usize, &'static str),
}

/// The form to which a `recur` goes.
fn target<'i>(file: &File<'_, 'i>, list: ListId) -> Target<'i> {
    let mut inner = list;
    while let Some(around) = file.tree.list(inner).parent() {
        let data = file.data(around);
        let Some(at) = data.iter().position(|one| one.list() == Some(inner)) else { return Target::None };
        if !data.iter().all(|one| file.is_plain(*one)) || !data[at].is_bare() || file.core_opener(around) != "(" {
            return Target::None;
        }
        // The arity of a function with several.
        if data[0].list().is_some() && at > 0 {
            let is_last = at + 1 == data.len();
            let function = file.tree.list(around).parent().and_then(|outer| file.head_of(outer));
            let is_function = function.is_some_and(|head| matches!(head, "defn" | "defn-" | "fn"));
            let vector = data[0].list().filter(|list| file.core_opener(*list) == "[");
            return match vector.filter(|_| is_last && is_function) {
                Some(vector) => parameters(file, vector),
                None => Target::None,
            };
        }
        let Some(head) = file.head_of(around) else { return Target::None };
        if !file.is_of_language(file.tree.core_span(data[0])) {
            return Target::None;
        }
        let is_last = at + 1 == data.len();
        match head {
            "loop" if is_last && at > 1 => return bindings(file, data[1]),
            "fn" | "defn" | "defn-" if is_last => {
                let vector =
                    data[1..at].iter().filter_map(|one| one.list()).find(|list| file.core_opener(*list) == "[");
                return vector.map_or(Target::None, |vector| parameters(file, vector));
            }
            "if" | "if-not" | "if-let" | "if-some" if at > 1 => {}
            "cond" if at > 0 && at.is_multiple_of(2) => {}
            "case" if at > 1 && (is_last || !at.is_multiple_of(2)) => {}
            "condp" if at > 2 && (is_last || at.is_multiple_of(2)) => {}
            "and" | "or" if is_last => {}
            head if BODIES.contains(&head) && is_last => {}
            head if FUNCTIONS.contains(&head) => return Target::NoTail(head),
            _ => return Target::None,
        }
        inner = around;
    }
    Target::None
}

/// What a `loop` with these bindings takes.
fn bindings<'i>(file: &File<'_, 'i>, bindings: Datum) -> Target<'i> {
    let list = bindings.list().filter(|list| file.core_opener(*list) == "[");
    let Some(data) = list.map(|list| file.data(list)) else { return Target::None };
    let is_known = data.len().is_multiple_of(2) && data.iter().all(|one| file.is_plain(*one));
    if is_known { Target::Count(data.len() / 2, "loop") } else { Target::None }
}

/// What a function with these parameters takes.
fn parameters<'i>(file: &File<'_, 'i>, vector: ListId) -> Target<'i> {
    let data = file.data(vector);
    if !data.iter().all(|one| file.is_plain(*one)) {
        return Target::None;
    }
    let count = data.iter().filter(|one| file.core(**one) != "&").count();
    Target::Count(count, "function")
}
