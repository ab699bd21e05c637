//! Symbols that nearly always stand first in a list: the operators everyone uses.
//!
//! A lost or extra opener moves a symbol out of or into first place. Where a file is too short to show which of its
//! symbols are operators, these are known all the same. They are the standard ones of each language that public code uses
//! most and, nine times in ten, calls.

use std::sync::OnceLock;

use lispwright_syntax::Dialect;
use rustc_hash::FxHashSet;

use crate::code::name_of;

const COMMON_LISP: &str = "defun in-package defpackage let if when declare setf or and unless not format error lambda \
progn cond let* defmacro loop values defvar funcall ignore defmethod eql eq push return cons cdr + multiple-value-bind < \
car 1+ incf case mapcar defclass dolist flet - zerop > make-array eval-when defparameter return-from member apply subseq \
make-instance setq aref 1- nreverse define-condition concatenate intern gethash ecase labels make-hash-table pushnew \
second >= stringp dotimes coerce prog1 unwind-protect defgeneric declaim handler-case with-open-file defconstant typep <= \
etypecase assert assoc consp find warn destructuring-bind with-output-to-string listp symbolp plusp ignore-errors cadr \
macrolet defstruct every print-unreadable-object slot-value check-type with-slots handler-bind the typecase decf third \
getf reverse cddr call-next-method nth list* sort some reduce logior logand go mapc tagbody throw do do* catch psetq \
multiple-value-prog1 restart-case symbol-macrolet locally deftype remove-if-not remove-if = /= * /";

const SCHEME: &str = "define-module define define* lambda lambda* let if and not cond or cons let* letrec letrec* car cdr \
eq? null? begin error list + map apply match define-values < set! pair? values define-syntax 1+ call-with-values \
string-append <= case length reverse zero? unless define-syntax-rule when for-each memq eqv? 1- syntax-rules append \
string-length vector-ref syntax-case >= format make-hash-table define-record-type display cadr hashq-set! vector-set! fold \
and=> assq-ref hashq-ref acons string->symbol equal? use-modules export logior ash substring make-vector case-lambda \
string-ref assq newline library with-syntax catch let*-values let-values member define-macro do delay parameterize guard \
dynamic-wind call/cc eval-when cond-expand define-public define-method define-class define-inlinable";

const CLOJURE: &str = "ns let defn if fn def str or -> defn- when and assoc map first count apply if-let throw not cond try \
do instance? nil? defmacro catch seq recur into loop when-let get ->> reduce when-not defprotocol doseq contains? filter \
empty? for case partial if-not cons swap! mapcat set! defmethod vector? ex-info remove declare not= update update-in some \
get-in comp doto every? reify defrecord extend-protocol identical? println pr-str assoc-in mapv deftest is are testing \
deftype defmulti range repeat comment cond-> cond->> some-> some->> condp future binding with-open dotimes reset! atom \
finally conj rest next dissoc merge keys vals concat = < > <= >= + - * / inc dec";

const EMACS_LISP: &str = "provide require defun let if setq and or not defvar when car let* cdr eq while cond list concat \
lambda progn cons goto-char unless error interactive format length point-min defcustom save-excursion insert message null \
funcall point-max string-match mapcar with-current-buffer stringp memq nth current-buffer dolist 1- 1+ equal append \
defgroup apply push substring re-search-forward defconst match-end assoc condition-case match-beginning match-string \
string= nreverse declare-function add-hook forward-line cadr aref looking-at assq consp define-key listp member \
eval-when-compile mapconcat delete-region buffer-substring intern expand-file-name put zerop boundp set-buffer \
make-sparse-keymap fboundp with-temp-buffer beginning-of-line eobp delq throw setcdr prog1 save-restriction symbolp \
kill-buffer defmacro catch pop mapc get-buffer-create unwind-protect setq-local numberp declare replace-match \
search-forward nconc defsubst end-of-line ignore-errors symbol-value setcar split-string run-hooks defalias pcase \
cl-defun cl-loop cl-case cl-flet cl-labels cl-defmethod cl-defstruct cl-incf defvar-local define-derived-mode \
define-minor-mode if-let when-let save-match-data < > <= >= = /= + - *";

/// What marks the last clause of a conditional, or is a truth value: nobody calls it.
const CONSTANTS: [&str; 4] = ["t otherwise", "else", "true false", "t otherwise"];

/// Heads that hand the value of one argument to the calls that are the arguments after it.
const THREADING: &str = "-> ->> some-> some->> doto cond-> cond->> -<> ~> ~>> thread-first thread-last";

/// The calls in a list with this head have an argument more than they show.
pub(crate) fn is_threading(head: u64) -> bool {
    static SET: OnceLock<FxHashSet<u64>> = OnceLock::new();
    SET.get_or_init(|| names(THREADING)).contains(&head)
}

/// The operators of a dialect, as hashes of their names.
pub(crate) fn operators(dialect: Dialect) -> &'static FxHashSet<u64> {
    // Each is made when it is asked for: a hook looks at one file.
    static SETS: [OnceLock<FxHashSet<u64>>; 4] = [const { OnceLock::new() }; 4];
    let at = row(dialect);
    SETS[at].get_or_init(|| names([COMMON_LISP, SCHEME, CLOJURE, EMACS_LISP][at]))
}

/// The symbols of a dialect that are never called, as hashes of their names.
pub(crate) fn constants(dialect: Dialect) -> &'static FxHashSet<u64> {
    static SETS: [OnceLock<FxHashSet<u64>>; 4] = [const { OnceLock::new() }; 4];
    let at = row(dialect);
    SETS[at].get_or_init(|| names(CONSTANTS[at]))
}

fn names(text: &str) -> FxHashSet<u64> {
    text.split_whitespace().map(|name| name_of(name.as_bytes())).collect()
}

/// The place of a dialect in tables of what is known of each.
pub(crate) fn row(dialect: Dialect) -> usize {
    match dialect {
        Dialect::CommonLisp => 0,
        Dialect::Scheme => 1,
        Dialect::Clojure | Dialect::Edn => 2,
        Dialect::EmacsLisp => 3,
    }
}
