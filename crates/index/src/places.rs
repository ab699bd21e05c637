//! Writes: places that are assigned, and calls that change what one of their arguments holds.
//!
//! `(setf (price x) 2)` assigns `price`, `(setf (gethash k *till*) v)` and `(swap! till assoc k v)` assign what they
//! change. The walk over them is that over code; the names in question are noted as assigned when it comes to them.

use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Data, Datum, SpecialForm};

use crate::walk::{Task, Walk};

/// Accessors of the language, each with the number of the argument of which they are a part, from 0.
const CONTAINERS: &[(&str, usize)] = &[
    ("gethash", 1),
    ("nth", 1),
    ("nthcdr", 1),
    ("ldb", 1),
    ("mask-field", 1),
    ("alist-get", 1),
    ("assoc-default", 1),
    ("aref", 0),
    ("svref", 0),
    ("elt", 0),
    ("char", 0),
    ("schar", 0),
    ("bit", 0),
    ("sbit", 0),
    ("subseq", 0),
    ("row-major-aref", 0),
    ("fill-pointer", 0),
    ("getf", 0),
    ("plist-get", 0),
    ("cl-getf", 0),
    ("get", 0),
    ("symbol-value", 0),
    ("symbol-function", 0),
    ("fdefinition", 0),
    ("default-value", 0),
    ("buffer-local-value", 0),
    ("car", 0),
    ("cdr", 0),
    ("caar", 0),
    ("cadr", 0),
    ("cdar", 0),
    ("cddr", 0),
    ("first", 0),
    ("second", 0),
    ("third", 0),
    ("fourth", 0),
    ("rest", 0),
    ("last", 0),
];

/// Functions that change what an argument holds, each with the number of the argument.
const MUTATORS: &[(&str, usize)] = &[
    // Common Lisp and Emacs Lisp.
    ("remhash", 1),
    ("clrhash", 0),
    ("vector-push", 1),
    ("vector-push-extend", 1),
    ("vector-pop", 0),
    ("rplaca", 0),
    ("rplacd", 0),
    ("remf", 0),
    ("fill", 0),
    ("puthash", 2),
    ("aset", 0),
    ("setcar", 0),
    ("setcdr", 0),
    ("cl-remf", 0),
    // Clojure.
    ("swap!", 0),
    ("reset!", 0),
    ("vswap!", 0),
    ("vreset!", 0),
    ("swap-vals!", 0),
    ("reset-vals!", 0),
    ("compare-and-set!", 0),
    ("alter", 0),
    ("commute", 0),
    ("ref-set", 0),
    ("alter-var-root", 0),
    ("alter-meta!", 0),
    ("reset-meta!", 0),
    ("send", 0),
    ("send-off", 0),
    ("var-set", 0),
    ("assoc!", 0),
    ("dissoc!", 0),
    ("conj!", 0),
    ("disj!", 0),
    ("pop!", 0),
    // Scheme.
    ("set-car!", 0),
    ("set-cdr!", 0),
    ("set-box!", 0),
    ("set-box*!", 0),
    ("box-cas!", 0),
    ("hash-ref!", 0),
    ("hash-set*!", 0),
    ("vector-copy!", 0),
];

/// Endings of names of functions that change what their first argument holds.
const ENDINGS: &[&str] = &["-set!", "-ref-set!", "-remove!", "-delete!", "-update!", "-fill!", "-clear!", "-push!"];

/// The argument that a function with this name changes.
pub(crate) fn mutated(head: &str) -> Option<usize> {
    let known = MUTATORS.iter().find(|(name, _)| *name == head).map(|(_, argument)| *argument);
    known.or_else(|| ENDINGS.iter().any(|ending| head.ends_with(ending)).then_some(0))
}

/// Data in a body in which assignments of a name are looked for.
const MOST_DATA: usize = 10_000;

/// A form assigns its datum of this number, from 0 for its head.
pub(crate) fn writes(form: Option<SpecialForm>, head: &str, at: usize) -> bool {
    use SpecialForm as F;
    match form {
        Some(F::Setf | F::Setq) => at % 2 == 1,
        Some(F::Update) => at == 1,
        Some(F::CallUpdate | F::Push) => at == 2,
        Some(F::Rotate) => at > 0,
        _ => head == "set!" && at == 1,
    }
}

impl<'t> Walk<'t> {
    /// Notes that the argument with this number is assigned.
    pub(crate) fn mutates(&mut self, argument: usize, mut data: Data<'t>) {
        if let Some(datum) = data.nth(argument).filter(|datum| datum.list().is_none()) {
            self.assigned.push(self.tree.core_span(datum).start);
        }
    }

    /// Notes that the accessor is assigned for which a name stands, if the code assigns the name.
    pub(crate) fn assigns_through(&mut self, name: Datum, accessor: Datum, code: &Data<'t>) {
        let written = self.source(name);
        let folds = self.dialect.folds_case();
        let is_it = |datum: Datum| {
            let text = self.source(datum);
            datum.list().is_none() && if folds { text.eq_ignore_ascii_case(written) } else { text == written }
        };
        let mut waiting: Vec<Datum> = code.clone().collect();
        let mut is_assigned = false;
        for _ in 0..MOST_DATA {
            let Some(datum) = waiting.pop().filter(|_| !is_assigned) else { break };
            let Some(list) = datum.list() else { continue };
            let data: Vec<Datum> = self.data(list).collect();
            let head = data.first().filter(|head| head.list().is_none());
            let head = head.map(|head| canonical_head(self.dialect, self.source(*head))).unwrap_or_default();
            let form = self.dialect.special_form(&head);
            is_assigned = data.iter().enumerate().any(|(at, datum)| writes(form, &head, at) && is_it(*datum));
            waiting.extend(data);
        }
        if is_assigned {
            self.assigned.push(self.tree.core_span(accessor).start);
        }
    }

    /// Notes that the value that is threaded through steps is assigned, if one of them changes its first argument.
    pub(crate) fn mutates_threaded(&mut self, value: Datum, steps: impl Iterator<Item = Datum>) {
        let changes = |step: Datum| {
            let head = step.list().and_then(|list| self.data(list).next()).filter(|head| head.list().is_none());
            head.is_some_and(|head| mutated(&canonical_head(self.dialect, self.source(head))) == Some(0))
        };
        if value.list().is_none() && steps.into_iter().any(changes) {
            self.assigned.push(self.tree.core_span(value).start);
        }
    }

    /// The name at a byte is assigned.
    pub(crate) fn is_assigned(&mut self, start: u32) -> bool {
        let at = self.assigned.iter().position(|assigned| *assigned == start);
        at.map(|at| self.assigned.swap_remove(at)).is_some()
    }

    /// Walks over a place that is assigned.
    pub(crate) fn place_of(&mut self, datum: Datum) {
        let Some(list) = datum.list().filter(|_| datum.is_bare()) else { return self.tasks.push(Task::Code(datum)) };
        let mut data = self.data(list);
        let Some(head) = data.next() else { return };
        let name = canonical_head(self.dialect, self.source(head));
        match &*name {
            "values" => return self.next(data.map(Task::Place).collect::<Vec<_>>()),
            "the" => {
                let kind = data.next().map(Task::Type);
                return self.next(kind.into_iter().chain(data.map(Task::Place)).collect::<Vec<_>>());
            }
            _ => {}
        }
        match CONTAINERS.iter().find(|(known, _)| *known == name) {
            Some((_, argument)) => self.mutates(*argument, data),
            None => self.assigned.push(self.tree.core_span(head).start),
        }
        self.tasks.push(Task::Code(datum));
    }
}
