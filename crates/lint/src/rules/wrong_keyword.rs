//! A call that passes an argument by a keyword that its function does not take.

use std::borrow::Cow;

use lispwright_index::{Signature, parameter_notation};
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Datum, Dialect, OperatorKind, Span, nearest};

use crate::calls::{Call, is_rebound, may_be_slot};
use crate::dialects::call_words;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::operators::Operator;
use crate::rule::{About, Example, Rule};

/// A call that passes an argument by a keyword that its function does not take.
pub(crate) struct WrongKeyword;

static ABOUT: About = About {
    code: "wrong-keyword",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::EmacsLisp, Dialect::Racket],
    what: "A call passes an argument by a keyword that the function does not take, by the same one twice, or by one without a \
           value; or it lacks one that is needed.",
    why: "It fails when it runs, or the second value is ignored. Functions of the project and of the language are judged, \
          where all keywords of the call are written.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defstruct item name (price 0))\n(make-item :nam 1)\n",
            right: "(defstruct item \"A thing.\" name (price 0 :type integer))\n(item-price (make-item :name 1 :price 2))\n\
                    (defstruct (other (:constructor make-other (x))) x)\n(make-other 1)\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun price (item &key year (rate 1)) (list item year rate))\n(price 1 :yaer 2)\n",
            right: "(defun price (item &key year (rate 1)) (list item year rate))\n(price 1 :year 2)\n\
                    (price 1 :yaer 2 :allow-other-keys t)\n(defun tax (&rest all &key year &allow-other-keys) (list all year))\n\
                    (tax :rate 2)\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun total (items) (reduce #'+ items :inital-value 0))\n",
            right: "(defun total (items) (reduce #'+ items :initial-value 0 :key (lambda (item) (parse-integer item))))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: "(cl-defun shop-price (item &key year) (list item year))\n(shop-price 1 :year 2 :year 3)\n",
            right: "(cl-defun shop-price (item &key year) (list item year))\n(shop-price 1 :year 2)\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define* (price item #:key year) (list item year))\n(price 1 #:yaer 2)\n",
            right: "(define* (price item #:key year) (list item year))\n(price 1 #:year 2)\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define (price item #:year year) (list item year))\n(price 1)\n",
            right: "#lang racket\n(define (price item #:year year) (list item year))\n(price 1 #:year 2)\n(price #:year 2 1)\n",
        },
    ],
};

impl Rule for WrongKeyword {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for call in file.calls() {
            let known = match &call.operator {
                Operator::Own(own) if own.kind == OperatorKind::Function => match own.signatures.as_slice() {
                    [signature] => Cow::Borrowed(signature),
                    _ => continue,
                },
                Operator::Standard(_) => match of_language(file, file.source(call.name)) {
                    Some(signature) if !file.is_in_branch(call.name) && !is_specification(file, call) => {
                        Cow::Owned(signature)
                    }
                    _ => continue,
                },
                _ => continue,
            };
            let signature = known.as_ref();
            if call.count().is_some()
                && !signature.takes_other_keys
                && let Some((at, message)) = complaint(file, call, signature)
                && !is_rebound(file, call.name)
            {
                findings.add(at, message);
            }
        }
    }
}

/// The list may be no call but a type, `(member :a :b)`, or a slot that is called like a function.
fn is_specification(file: &File<'_, '_>, call: &Call) -> bool {
    let second = call.arguments.get(1).map(|one| file.core(*one));
    let is_type = file.source(call.name).eq_ignore_ascii_case("member") && second.is_some_and(is_keyword);
    is_type || may_be_slot(file, call)
}

fn is_keyword(word: &str) -> bool {
    word.starts_with(':')
}

/// What a function of the language takes, if it takes arguments by keyword and all of them are known.
fn of_language(file: &File<'_, '_>, written: &str) -> Option<Signature> {
    let name = canonical_head(file.dialect(), written);
    let mut words = call_words(file.dialect()).keywords.line(&name)?.split(' ').skip(1);
    let required = words.next()?.parse().ok()?;
    let keys = words.map(|word| (word.to_owned(), false)).collect();
    Some(Signature { has_keys: true, keys, ..Signature::fixed(required, String::new()) })
}

/// What is wrong with the keywords of a call, and where.
fn complaint(file: &File<'_, '_>, call: &Call, signature: &Signature) -> Option<(Span, String)> {
    let notation = parameter_notation(file.dialect());
    let name = file.source(call.name);
    let keyword = |datum: &Datum| {
        let is_written = datum.list().is_none() && datum.is_bare() && file.core(*datum).starts_with(notation.keyword);
        is_written.then(|| file.core(*datum))
    };
    let is_same = |one: &str, other: &str| {
        if file.dialect().folds_case() { one.eq_ignore_ascii_case(other) } else { one == other }
    };
    let mut arguments = match notation.keys_anywhere {
        true => call.arguments.as_slice(),
        // A keyword would be taken for an argument by place.
        false if signature.optional > 0 || !signature.has_keys => return None,
        false => call.arguments.get(signature.required.saturating_sub(usize::from(call.is_threaded))..)?,
    };
    if call.arguments.iter().filter_map(keyword).any(|word| is_same(word, ":allow-other-keys")) {
        return None;
    }
    // Whatever the keywords are, each has a value.
    if !notation.keys_anywhere && arguments.len() % 2 == 1 && arguments.first().is_none_or(|one| keyword(one).is_none())
    {
        return Some((call.name, format!("`{name}` gets a value without its keyword")));
    }
    let mut given: Vec<&str> = Vec::new();
    while let Some((first, rest)) = arguments.split_first() {
        arguments = rest;
        let Some(word) = keyword(first) else {
            if notation.keys_anywhere {
                continue;
            }
            // The keyword is computed, or further arguments are passed by place.
            return None;
        };
        let at = file.tree.core_span(*first);
        let is_known = signature.keys.iter().any(|(known, _)| is_same(known, word));
        if !is_known {
            let keys: Vec<&str> = signature.keys.iter().map(|(known, _)| known.as_str()).collect();
            let near = nearest(word, keys.iter().copied(), 1);
            let hint = match near.first() {
                Some(near) => format!("; near it: `{near}`"),
                None if keys.is_empty() => String::new(),
                None => format!("; it takes {}", keys.join(" ")),
            };
            return Some((at, format!("`{name}` takes no keyword `{word}`{hint}")));
        }
        if given.iter().any(|one| is_same(one, word)) {
            return Some((at, format!("`{name}` gets `{word}` twice")));
        }
        given.push(word);
        let Some((_, rest)) = arguments.split_first() else {
            return Some((at, format!("`{name}` gets `{word}` without a value")));
        };
        arguments = rest;
    }
    let missing =
        signature.keys.iter().find(|(key, is_needed)| *is_needed && !given.iter().any(|one| is_same(one, key)));
    missing.map(|(key, _)| (call.name, format!("`{name}` needs the keyword `{key}`")))
}
