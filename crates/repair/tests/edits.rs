//! Edits as people and models make them: what stood there, what was written, and what becomes of it.
//!
//! Each case is a change with a reason (a branch added, a body wrapped, a function rewritten), and a closer or opener that was
//! forgotten or is one too many. `None` says that nothing may be changed: the change can be read in more than one way.

#![allow(clippy::unwrap_used)]

use lispwright_repair::{Earlier, Outcome, apply, repair};
use lispwright_syntax::Dialect;

/// A neighbour for every dialect, so that the file shows how it is laid out.
fn neighbours(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::CommonLisp => {
            "(defun neighbour (list)\n  (let ((sum 0)\n        (seen nil))\n    (dolist (item list)\n      (when (plusp item)\n        (incf sum item)))\n    (values sum seen)))\n\n"
        }
        Dialect::Scheme | Dialect::Racket => {
            "(define (neighbour lst)\n  (let ((first (car lst))\n        (rest (cdr lst)))\n    (if (null? rest)\n        first\n        (neighbour rest))))\n\n"
        }
        Dialect::Clojure | Dialect::Edn => {
            "(defn neighbour\n  [coll]\n  (let [a (first coll)\n        b (second coll)]\n    (when (pos? a)\n      (println a)\n      {:a a\n       :b b})))\n\n"
        }
        Dialect::EmacsLisp => {
            "(defun neighbour (list)\n  \"Return the sum of LIST.\"\n  (let ((sum 0)\n        (seen nil))\n    (dolist (item list)\n      (when (> item 0)\n        (setq sum (+ sum item))))\n    (cons sum seen)))\n\n"
        }
    }
}

/// The form `old` was replaced by `new` in its file, by an edit that says what it wrote.
#[track_caller]
fn edit(dialect: Dialect, old: &str, new: &str, expected: Option<&str>) {
    let around = neighbours(dialect);
    let file = |form: &str| format!("{around}{form}\n\n{around}");
    let (before, text) = (file(old), file(new));
    let edited = Some(around.len() as u32..(around.len() + new.len()) as u32);
    judge(repair(&text, dialect, &Earlier { text: Some(&before), edited }), expected.map(file));
    // An edit by form knows the form alone.
    let alone = repair(new, dialect, &Earlier { text: Some(old), edited: None });
    match (alone, expected) {
        (Outcome::Repaired(repair), Some(expected)) => assert_eq!(repair.text, expected, "the form alone"),
        (Outcome::Repaired(repair), None) => panic!("the form alone is changed: {:?}", repair.edits),
        (outcome, _) => assert_ne!(outcome, Outcome::Balanced),
    }
}

/// The form `new` stands in a file of which nothing else is known.
#[track_caller]
fn written(dialect: Dialect, new: &str, expected: Option<&str>) {
    let around = neighbours(dialect);
    let file = |form: &str| format!("{around}{form}\n\n{around}");
    judge(repair(&file(new), dialect, &Earlier::default()), expected.map(file));
}

/// The form `new` stands in a file of which nothing else is known: nothing is changed, and what is offered first is `first`.
#[track_caller]
fn asked(dialect: Dialect, new: &str, first: &str) {
    let around = neighbours(dialect);
    let file = |form: &str| format!("{around}{form}\n\n{around}");
    let text = file(new);
    match repair(&text, dialect, &Earlier::default()) {
        Outcome::Refused(refusal) => {
            let offered = refusal.candidates.first().map(|candidate| apply(&text, &candidate.edits));
            assert_eq!(offered, Some(file(first)), "{:?}", refusal.candidates);
        }
        outcome => panic!("{outcome:?}"),
    }
}

#[track_caller]
fn judge(outcome: Outcome, expected: Option<String>) {
    match (outcome, expected) {
        (Outcome::Repaired(repair), Some(expected)) => assert_eq!(repair.text, expected),
        (Outcome::Repaired(repair), None) => panic!("changed: {:?}", repair.edits),
        (Outcome::Refused(refusal), None) => assert!(refusal.diagnosis.line > 0),
        (outcome, _) => panic!("{outcome:?}"),
    }
}

#[test]
fn a_body_wrapped_in_a_condition_gets_the_closer_of_the_wrapper() {
    edit(
        Dialect::CommonLisp,
        "(defun save (buffer)\n  (write-out buffer)\n  (setf (modified buffer) nil)\n  buffer)",
        "(defun save (buffer)\n  (when (modified buffer)\n    (write-out buffer)\n    (setf (modified buffer) nil)\n  buffer)",
        Some(
            "(defun save (buffer)\n  (when (modified buffer)\n    (write-out buffer)\n    (setf (modified buffer) nil))\n  buffer)",
        ),
    );
}

#[test]
fn a_binding_added_to_a_let_gets_its_closer() {
    edit(
        Dialect::CommonLisp,
        "(defun area (shape)\n  (let ((w (width shape)))\n    (* w w)))",
        "(defun area (shape)\n  (let ((w (width shape))\n        (h (height shape))\n    (* w h)))",
        Some("(defun area (shape)\n  (let ((w (width shape))\n        (h (height shape)))\n    (* w h)))"),
    );
}

#[test]
fn an_unwrapped_body_loses_the_closer_that_stayed() {
    edit(
        Dialect::CommonLisp,
        "(defun stop (server)\n  (when (running server)\n    (close-socket server)\n    (log-message \"stopped\"))\n  (setf (state server) :idle))",
        "(defun stop (server)\n  (close-socket server)\n  (log-message \"stopped\"))\n  (setf (state server) :idle))",
        Some(
            "(defun stop (server)\n  (close-socket server)\n  (log-message \"stopped\")\n  (setf (state server) :idle))",
        ),
    );
}

#[test]
fn a_rewritten_function_with_one_closer_too_few_or_too_many_at_its_end() {
    let old = "(defun lookup (key table)\n  (gethash key table))";
    let new = "(defun lookup (key table &optional default)\n  (multiple-value-bind (value found) (gethash key table)\n    (if found\n        value\n        default)))";
    edit(Dialect::CommonLisp, old, &new[..new.len() - 1], Some(new));
    edit(Dialect::CommonLisp, old, &format!("{new})"), Some(new));
}

#[test]
fn a_clause_added_to_a_cond_keeps_the_others_inside() {
    edit(
        Dialect::Scheme,
        "(define (sign n)\n  (cond ((< n 0) 'minus)\n        (else 'plus)))",
        "(define (sign n)\n  (cond ((< n 0) 'minus)\n        ((= n 0) 'zero))\n        (else 'plus)))",
        Some("(define (sign n)\n  (cond ((< n 0) 'minus)\n        ((= n 0) 'zero)\n        (else 'plus)))"),
    );
}

#[test]
fn the_bindings_of_a_named_let_are_closed_before_its_body() {
    written(
        Dialect::Scheme,
        "(define (total lst)\n  (let loop ((rest lst)\n             (sum 0)\n    (if (null? rest)\n        sum\n        (loop (cdr rest) (+ sum (car rest))))))",
        Some(
            "(define (total lst)\n  (let loop ((rest lst)\n             (sum 0))\n    (if (null? rest)\n        sum\n        (loop (cdr rest) (+ sum (car rest))))))",
        ),
    );
}

#[test]
fn a_lost_opener_of_named_let_bindings_is_not_taken_for_an_extra_closer() {
    written(
        Dialect::Scheme,
        "(define (drain q)\n  (let loop (head (car q)) (n 0))\n    (if (null? head)\n        n\n        (loop (cdr head) (+ n 1)))))",
        None,
    );
}

#[test]
fn a_lost_opener_of_a_call_is_not_taken_for_an_extra_closer() {
    written(Dialect::Scheme, "(define fill-line str . rest)\n  (apply string-append str rest))", None);
}

#[test]
fn a_vector_of_arguments_is_closed_on_its_line() {
    written(
        Dialect::Clojure,
        "(defrecord Task [name]\n  Runnable\n  (run [this\n    (println name)))",
        Some("(defrecord Task [name]\n  Runnable\n  (run [this]\n    (println name)))"),
    );
}

#[test]
fn a_map_gets_an_entry_and_keeps_its_brace() {
    edit(
        Dialect::Clojure,
        "(defn config\n  [env]\n  {:host (env :host)\n   :port 80})",
        "(defn config\n  [env]\n  {:host (env :host)\n   :port (parse-long (env :port)\n   :tls? true})",
        Some("(defn config\n  [env]\n  {:host (env :host)\n   :port (parse-long (env :port))\n   :tls? true})"),
    );
}

#[test]
fn a_require_that_was_closed_too_early_is_opened_again() {
    edit(
        Dialect::Clojure,
        "(ns app.core\n  (:require [clojure.string :as str]))",
        "(ns app.core\n  (:require [clojure.string :as str])\n            [clojure.set :as set]))",
        Some("(ns app.core\n  (:require [clojure.string :as str]\n            [clojure.set :as set]))"),
    );
}

#[test]
fn a_closer_of_the_wrong_kind_after_an_edit_is_exchanged() {
    edit(
        Dialect::Clojure,
        "(defn span\n  [a b]\n  (let [d (- b a)]\n    d))",
        "(defn span\n  [a b]\n  (let [d (- b a)\n        e (Math/abs d))\n    e))",
        Some("(defn span\n  [a b]\n  (let [d (- b a)\n        e (Math/abs d)]\n    e))"),
    );
}

#[test]
fn an_else_branch_added_in_emacs_lisp_stays_in_its_conditional() {
    let new = "(defun my-visit (name)\n  \"Visit NAME.\"\n  (if (file-exists-p name)\n      (find-file name)\n    (message \"No file %s\" name)\n    (ding)))";
    edit(
        Dialect::EmacsLisp,
        "(defun my-visit (name)\n  \"Visit NAME.\"\n  (find-file name))",
        &new[..new.len() - 1],
        Some(new),
    );
    edit(
        Dialect::EmacsLisp,
        "(defun my-visit (name)\n  \"Visit NAME.\"\n  (find-file name))",
        &new.replace("(find-file name)\n", "(find-file name))\n"),
        Some(new),
    );
}

#[test]
fn a_call_that_lost_its_opener_in_the_condition_of_a_loop_is_not_closed_elsewhere() {
    let form = |condition: &str| {
        format!(
            "(defun my-wait (delay)\n  \"Wait for DELAY.\"\n  (while {condition}\n    (my-poll)\n    (setq my-polls (1+ my-polls))))"
        )
    };
    let (sound, broken) = (form("(sit-for delay)"), form("sit-for delay)"));
    let file = |form: &str| format!("{}{form}\n", neighbours(Dialect::EmacsLisp));
    match repair(&file(&broken), Dialect::EmacsLisp, &Earlier::default()) {
        Outcome::Repaired(repair) => assert_eq!(repair.text, file(&sound)),
        Outcome::Refused(refusal) => {
            assert!(refusal.candidates.iter().any(|candidate| candidate.after.trim() == "(while (sit-for delay)"));
        }
        Outcome::Balanced => panic!("it does not balance"),
    }
}

#[test]
fn a_function_that_its_docstring_ends_takes_its_body_back() {
    let old = "(defun my-url (url)\n  \"Return URL.\")";
    let new = "(defun my-url (url)\n  \"Return URL.\")\n  (my-part 'url url))";
    edit(Dialect::EmacsLisp, old, new, Some(&new.replace("URL.\")", "URL.\"")));
    let new = "(defn url\n  \"The url.\")\n  [u]\n  (part :url u))";
    written(Dialect::Clojure, new, Some(&new.replace("url.\")", "url.\"")));
}

#[test]
fn an_opener_written_twice_is_not_hidden_by_a_closer_too_many() {
    written(
        Dialect::Scheme,
        "(define (place x)\n  (let (((loc (location x))))\n    (if loc\n        (set-source! x loc))\n    x)",
        None,
    );
    written(Dialect::Scheme, "(define ((get-item port))\n  (read-item port)", None);
}

#[test]
fn a_form_that_falls_out_of_another_is_no_form_of_its_own() {
    written(
        Dialect::CommonLisp,
        "(defun paths (list))\n  sort list #'(lambda (a b) (string< (namestring a) (namestring b)))))",
        None,
    );
}

#[test]
fn a_closer_alone_on_its_line_is_not_taken_away() {
    written(
        Dialect::CommonLisp,
        "(eval-when (:compile-toplevel :load-toplevel :execute))\n\n(defvar *a* 1)\n\n(defvar *b* 2)\n\n) ; eval-when",
        None,
    );
}

#[test]
fn a_docstring_rewritten_without_its_closing_quote_is_refused_or_restored() {
    let old = "(defun my-beep ()\n  \"Make a noise (a loud one).\"\n  (ding))";
    let new = "(defun my-beep ()\n  \"Make a noise.\nIt is (very) loud.\"\n  (ding))";
    let text = format!("{}{}\n", neighbours(Dialect::EmacsLisp), new.replace("loud.\"", "loud."));
    match repair(&text, Dialect::EmacsLisp, &Earlier { text: Some(old), edited: None }) {
        Outcome::Repaired(repair) => assert_eq!(repair.text, format!("{}{new}\n", neighbours(Dialect::EmacsLisp))),
        Outcome::Refused(refusal) => {
            let fault = text.lines().position(|line| line.ends_with("loud.")).unwrap() as u32 + 1;
            assert!(refusal.diagnosis.line.abs_diff(fault) <= 2, "{refusal:?}");
        }
        Outcome::Balanced => panic!("it does not balance"),
    }
}

#[test]
fn an_edit_that_stops_in_its_middle_is_refused() {
    edit(
        Dialect::CommonLisp,
        "(defun render (node stream)\n  (write-string (node-text node) stream))",
        "(defun render (node stream)\n  (dolist (child (node-children node))\n    (render child",
        None,
    );
    edit(
        Dialect::Clojure,
        "(defn render\n  [node]\n  (str (:text node)))",
        "(defn render\n  [node]\n  (let [children (:children node)\n        text (str/join",
        None,
    );
}

#[test]
fn a_second_form_added_behind_a_broken_one_is_not_drawn_into_it() {
    edit(
        Dialect::CommonLisp,
        "(defun a (x)\n  (list x))",
        "(defun a (x)\n  (when x\n    (list x))\n\n(defun b (y)\n  (a y))",
        Some("(defun a (x)\n  (when x\n    (list x)))\n\n(defun b (y)\n  (a y))"),
    );
}

#[test]
fn a_form_under_a_condition_is_repaired_like_any_other() {
    written(
        Dialect::CommonLisp,
        "#+(or sbcl ccl)\n(defun now ()\n  (let ((time (get-universal-time)))\n    (when time\n      (print time))\n    time)",
        Some(
            "#+(or sbcl ccl)\n(defun now ()\n  (let ((time (get-universal-time)))\n    (when time\n      (print time))\n    time))",
        ),
    );
}

#[test]
fn a_body_left_behind_by_an_extra_closer_is_pointed_at() {
    let text = "(defun my-count (list)\n  \"Count LIST.\"\n  (let ((n 0))\n    (dolist (item list))\n      (when item\n        (setq n (1+ n))))\n    n))\n";
    let whole = format!("{}{text}", neighbours(Dialect::EmacsLisp));
    let fault = whole.lines().position(|line| line == "    (dolist (item list))").unwrap() as u32 + 1;
    match repair(&whole, Dialect::EmacsLisp, &Earlier::default()) {
        Outcome::Repaired(repair) => {
            assert_eq!(repair.text, whole.replace("    (dolist (item list))", "    (dolist (item list)"));
        }
        Outcome::Refused(refusal) => {
            assert_eq!(refusal.diagnosis.line, fault);
            assert_eq!(refusal.candidates[0].after, "    (dolist (item list)");
        }
        Outcome::Balanced => panic!("it does not balance"),
    }
}

#[test]
fn the_clauses_of_a_handler_stay_outside_the_form_that_it_watches() {
    let whole = "(defun load-config (path)\n  (handler-case (progn (check-file path)\n                       (read-config path))\n    (file-error (e)\n      (log-error e)\n      nil)\n    (parse-error (e)\n      (warn \"bad ~a\" e))))";
    written(Dialect::CommonLisp, &whole.replace("(read-config path))", "(read-config path)"), Some(whole));
}

#[test]
fn a_word_that_nobody_calls_is_no_reason_to_keep_a_closer() {
    let whole = "(defun process (order)\n  (validate order)\n  (ship-order order)\n  (notify order))";
    written(Dialect::CommonLisp, &whole.replace("(ship-order order)", "(ship-order order))"), Some(whole));
}

#[test]
fn parameters_that_begin_with_a_map_are_closed_on_their_line() {
    let whole = "(defn area [{:keys [w h]} x]\n  (* w h x))";
    let broken = whole.replace("} x]", "} x");
    written(Dialect::Clojure, &broken, Some(whole));
    judge(repair(&broken, Dialect::Clojure, &Earlier::default()), Some(whole.to_owned()));
}

#[test]
fn a_threaded_call_has_an_argument_more_than_it_shows() {
    let whole = "(defn add-item [order item]\n  (-> order\n      (update :items (fn [xs] (conj (or xs []) item)))\n      (update :total + (:price item))))";
    let broken = whole.replace("item)))\n", "item))\n");
    written(Dialect::Clojure, &broken, Some(whole));
    judge(repair(&broken, Dialect::Clojure, &Earlier::default()), Some(whole.to_owned()));
}

#[test]
fn a_call_is_not_closed_without_what_its_operator_takes() {
    edit(Dialect::CommonLisp, "(defun f (x)\n  (print x))", "(defun f (x)\n  (when x\n  (print x))", None);
    written(
        Dialect::CommonLisp,
        "(defmacro define-thing (name &body body)\n  (with-names (phase result\n  `(progn\n     (push ',name *things*)\n     (defun ,name (,phase ,result)\n       ,@body))))",
        None,
    );
    written(
        Dialect::EmacsLisp,
        "(defun my-join (list)\n  (insert (mapconcat 'identity\n  (reverse list) \", \"))",
        None,
    );
}

#[test]
fn a_datum_that_is_newly_commented_out_is_asked_about() {
    let old = "(defn span\n  [a b]\n  (let [d (- b a)]\n    (max d 0)))";
    let new = "(defn span\n  [a b]\n  (let [d (- #_b a)]\n    (max d 0))";
    edit(Dialect::Clojure, old, new, None);
}

#[test]
fn a_typographic_quote_is_exchanged() {
    let old = "(defun f (x)\n  \"Doc.\"\n  (format t \"~a\" x))";
    for (slip, meant) in [("“Doc.\"", "\"Doc.\""), ("\"Doc.”", "\"Doc.\""), ("“~a\"", "\"~a\"")] {
        let new = old.replacen(meant, slip, 1);
        edit(Dialect::CommonLisp, old, &new, Some(old));
    }
}

#[test]
fn what_nobody_writes_is_asked_about() {
    use Dialect::{Clojure, CommonLisp, EmacsLisp, Scheme};
    let forms = [
        // A definition that is closed before its body.
        (CommonLisp, "(eval-when (:compile-toplevel))\n\n(defun a (x)\n  (list x))\n\n(defun b (x)\n  (list x)))"),
        // A list that holds nothing but a call.
        (Scheme, "(define (tail x)\n  (begin\n    (head x)\n    ((load-it \"footer\")))"),
        (Clojure, "(ns app\n  (:require [a :as a]\n            ([b :as b])\n  (:import (c D)))"),
        // Two data behind a dot.
        (CommonLisp, "(defun f ()\n  (graph '((:a :b) . 1)\n           ((:c :d) . 2)))\n  (draw))"),
        // A string whose last quote is escaped.
        (EmacsLisp, "(defun my-f (x)\n  \"Do it.\\\"\n  (when x\n    (setq y x)))"),
        // Bindings in brackets of another kind.
        (Clojure, "(defn f [x]\n  (let (a 1]\n    (+ a x)))"),
    ];
    for (dialect, form) in forms {
        written(dialect, form, None);
    }
}

#[test]
fn two_definitions_on_one_line_are_told_apart() {
    written(
        Dialect::EmacsLisp,
        "(defun first-one (x)\n  (list x)(defun second-one (x)\n  (list x))",
        Some("(defun first-one (x)\n  (list x))(defun second-one (x)\n  (list x))"),
    );
    asked(
        Dialect::EmacsLisp,
        "(my-derive \"a\" \"b\"\n           :footer 'footer(my-derive \"c\" \"d\"\n           :footer 'footer)",
        "(my-derive \"a\" \"b\"\n           :footer 'footer)(my-derive \"c\" \"d\"\n           :footer 'footer)",
    );
}

#[test]
fn the_bracket_that_begins_the_bindings_is_changed() {
    use Dialect::{Clojure, EmacsLisp, Scheme};
    let forms = [
        (EmacsLisp, "(defun f (x)\n  (when-let [msg (g x))\n    (message msg)))", "[msg", "(msg"),
        (EmacsLisp, "(defun f (x)\n  (let* [(a (g x))\n         (b a))\n    (+ a b)))", "[(a", "((a"),
        (Scheme, "(define (f x)\n  (let [(a (g x)))\n    (+ a x)))", "[(a", "((a"),
        (Clojure, "(defn f [x]\n  (let (a 1]\n    (+ a x)))", "(a 1]", "[a 1]"),
        (Clojure, "(defn f [xs]\n  (map (fn (x]\n         (inc x))\n       xs))", "(x]", "[x]"),
    ];
    for (dialect, form, slip, meant) in forms {
        asked(dialect, form, &form.replacen(slip, meant, 1));
    }
}

#[test]
fn a_conditional_without_a_body_is_opened_first() {
    asked(Dialect::CommonLisp, "(defun f (x)\n  (when x)\n  (print x)))", "(defun f (x)\n  (when x\n  (print x)))");
}

#[test]
fn signs_for_quotes_are_exchanged() {
    let clojure = "(defn f [x]\n  (log/info (trs “off; ignoring it\"))\n  (inc x))";
    asked(Dialect::Clojure, clojure, &clojure.replacen('“', "\"", 1));
    edit(Dialect::Clojure, &clojure.replacen('“', "\"", 1), clojure, Some(&clojure.replacen('“', "\"", 1)));
    let lisp = "(defun f (x)\n  (format t \\\"~a (~a\\\" x x)\n  (list x))";
    asked(Dialect::CommonLisp, lisp, &lisp.replace("\\\"", "\""));
}

#[test]
fn an_opener_that_is_lost_is_not_made_up_for_by_its_closer() {
    use Dialect::{CommonLisp, Scheme};
    let forms = [
        // The first word of a line was called.
        (Scheme, "(define (use-port port)\n  \"Use PORT.\"\n  current-input-port port))"),
        (CommonLisp, "(define-vop (fast-char= compare)\n  (:translate char=)\n  :variant :eq :ne))"),
        // Two forms of a body on one line.
        (CommonLisp, "(defun memoize (name)\n  (setf fdefinition name) (proc (fdefinition name))))"),
        // The other keywords have lists for values, or this one has one elsewhere.
        (Scheme, "(define-module (app indexing)\n  #:use-module (sxml simple)\n  #:export extract-index))"),
        (
            Scheme,
            "(define-module (app peg)\n  #:export (peg)\n  #:use-module ice-9 peg)\n  #:use-module (ice-9 regex)\n  \
             #:use-module (ice-9 rdelim))",
        ),
    ];
    for (dialect, form) in forms {
        written(dialect, form, None);
    }
}

#[test]
fn the_last_clause_of_a_conditional_is_not_called() {
    let meant = "(defun f (x)\n  (cond ((null x)\n         (list 1))\n        (t \"wrong ~a\" (second x))))";
    let slip = meant.replacen("(t", "((t", 1);
    for earlier in [None, Some(meant.replacen("(list 1)", "1", 1))] {
        match repair(&slip, Dialect::CommonLisp, &Earlier { text: earlier.as_deref(), edited: None }) {
            Outcome::Repaired(repair) => assert_eq!(repair.text, meant),
            Outcome::Refused(refusal) => assert_eq!(apply(&slip, &refusal.candidates[0].edits), meant),
            Outcome::Balanced => panic!("it does not balance"),
        }
    }
}

#[test]
fn a_closer_in_a_comment_is_not_supplied_elsewhere() {
    written(
        Dialect::CommonLisp,
        "(defparameter *table*\n  (make-array 3 :element-type '(unsigned-byte 16 ; see above)\n     :initial-contents #(160 \
         65534 1548)))",
        None,
    );
    written(Dialect::Scheme, "(define (f port val)\n  \"Doc.\"\n  (set! (continuation port) val#;))", None);
}

#[test]
fn brackets_and_quotes_that_were_exchanged_are_meant() {
    let old = "(ns app.core\n  (:require [a.b :as b]\n            {c.d {:as \"d\"}}\n            [e.f :as f]))";
    let new = "(ns app.core\n  (:require [a.b :as b]\n            [c.d :as d\n            [e.f :as f]))";
    let meant = "(ns app.core\n  (:require [a.b :as b]\n            [c.d :as d]\n            [e.f :as f]))";
    for edited in [None, Some(0..new.len() as u32)] {
        match repair(new, Dialect::Clojure, &Earlier { text: Some(old), edited }) {
            Outcome::Repaired(repair) => assert_eq!(repair.text, meant),
            Outcome::Refused(refusal) => assert!(refusal.diagnosis.line.abs_diff(3) < 2, "{refusal:?}"),
            Outcome::Balanced => panic!("it does not balance"),
        }
    }
}

#[test]
fn metadata_is_no_argument() {
    let form = "(ns ^{:doc \"Things.\"\n      :author \"Someone\"}\n  app.things\n  (:require [a.b :as b]\n            [c.d :as d]))";
    written(Dialect::Clojure, &form[..form.len() - 1], Some(form));
    let typed = "(defn ^:private area\n  \"Doc.\"\n  [^Shape shape ^long unit]\n  (let [^Size size (.size shape)\n        n 2]\n    (* n unit (.width size))))";
    written(Dialect::Clojure, &typed.replacen("(.size shape)", "(.size shape", 1), Some(typed));
}

#[test]
fn a_candidate_shows_the_line_that_changes() {
    let old = "(defun f (x)\n\n  (print x))\n\n(defun g (x)\n  (list x))";
    let new = "(defun f (x)\n\n  (when x\n\n  (print x))\n\n(defun g (x)\n  (list x))";
    let outcome = repair(new, Dialect::CommonLisp, &Earlier { text: Some(old), edited: None });
    let Outcome::Refused(refusal) = outcome else { panic!("{outcome:?}") };
    assert!(!refusal.candidates.is_empty());
    for candidate in refusal.candidates {
        assert_ne!(candidate.before.trim(), candidate.after.trim(), "{candidate:?}");
    }
}
