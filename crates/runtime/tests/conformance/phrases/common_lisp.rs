//! Common Lisp, and where its implementations differ.

use super::{Failure, Mill, Package, Phrases, Tests};

const COMMON_LISP: Phrases = Phrases {
    values: ("1 (values 'a \"b\\\"\" #\\c)", &["A", "\"b\\\"\"", "#\\c"]),
    comments: "; nothing\n #| at all |#",
    printing: "(princ \"out\") (princ \"err\" *error-output*) (princ \"put\") nil",
    define_here: "(defparameter *here* 42) *here*",
    here: "*here*",
    change_here: "(setf *here* 43)",
    define_both: "(defun both (x) (list x x))",
    both_here: ("(both *here*)", "(42 42)"),
    package: Package {
        enter: "(defpackage :shop (:use :cl)) (in-package :shop) (defvar *stock* 7)",
        name: "SHOP",
        stock: "*stock*",
        misspelled: "SHPO",
        leave: "(in-package :cl-user)",
        usual: "COMMON-LISP-USER",
    },
    elements: ("(list 1 \"λ 𝄞\" :k)", "(1 \"λ 𝄞\" :K)"),
    long: "(make-list 10000)",
    read_time: "#.(+ 1 2)",
    input: ("(values (read-line nil nil :none))", ":NONE"),
    closing: &["(close *standard-input*)", "(close *standard-output*)"],
    warned: ("(warn \"careful ~a\" 1) 5", "careful 1"),
    failure: Failure {
        code: "(defun inner (x)\n  (list (identity x) (+ 1 (car x)) x))\n(defun outer (y) (list (inner y)))\n(outer 3)",
        type_name: "TYPE-ERROR",
        message: "3",
        frames: ["(INNER ", "(OUTER "],
        variable: "x",
    },
    endless: &["(loop)", "(sleep 1000)", "(handler-case (loop) (error () 1))"],
    chatter: "(loop (princ \"all work and no play \"))",
    deep: "(defun down (n) (list (down (list n)))) (down 1)",
    greedy: "(let ((all '())) (loop (push (make-array 1000000) all)))",
    exit: "(sb-ext:exit :code 3)",
    restart: ("(restart-case (error \"no\") (use-it (x) (list x)))", "USE-IT", "(5)"),
    mill: Mill {
        file: "mill.lisp",
        text: "(defpackage :mill (:use :cl) (:export #:grind))\n(in-package :mill)\n\n\n(defun grind (x)\n  (let ((z 1)) (list x unknown)))\n\n\
               (defun turn () (grind 1))\n",
        package: "MILL",
        grind: "mill:grind",
        broken: "(in-package :cl-user)\n\n(error \"sand\")\n",
    },
    tests: Tests {
        definition: Some(("mill.asd", "(defsystem \"mill\" :depends-on (\"rt\") :components ((:file \"tests\")))\n")),
        file: "tests.lisp",
        text: "(defpackage :mill/tests (:use :cl :rt))\n(in-package :mill/tests)\n(deftest fine (+ 1 2) 3)\n\
               (deftest off (+ 1 2) 4)\n",
        system: Some("mill"),
        line: 4,
        fine: "fine",
        hanging: "(deftest hangs (loop) 3)\n",
        none: "(defvar *nothing* 1)\n",
    },
    expansion: ("(when a b)", "(IF A"),
    object: ("(list 1 (vector 2 \"b\") 'c)", "#(2 \"b\")"),
    program: ("(nth-value 2 (uiop:run-program \"exit 3\" :ignore-error-status t))", "3"),
};

pub(crate) const SBCL: Phrases = Phrases {
    endless: &[
        "(loop)",
        "(loop (list 1 2))",
        "(sleep 1000)",
        "(handler-case (loop) (serious-condition () 1))",
        "(ignore-errors (loop (ignore-errors (error \"x\"))))",
        "(labels ((f () (f))) (f))",
        "(unwind-protect (loop) (loop))",
        "#.(loop)",
        "(uiop:run-program \"sleep 1000\")",
        "(sb-thread:join-thread (sb-thread:make-thread (lambda () (sleep 3))))",
    ],
    ..COMMON_LISP
};

/// Its programs start while signals come, which can lose a second value.
pub(crate) const ECL: Phrases = Phrases {
    exit: "(ext:quit 3)",
    program: (
        "(let* ((storm (format nil \"while kill -IO ~D; do sleep 0.004; done\" (si:getpid)))
                (process (nth-value 2 (ext:run-program \"sh\" (list \"-c\" storm) :wait nil :output nil :error nil)))
                (codes (unwind-protect
                            (loop repeat 500
                                  collect (nth-value 1 (ext:run-program \"sh\" '(\"-c\" \"exit 3\") :output nil)))
                         (ext:terminate-process process)
                         (ext:external-process-wait process t))))
           (if (< 490 (count 3 codes)) 3 codes))",
        "3",
    ),
    ..COMMON_LISP
};

pub(crate) const CLISP: Phrases = Phrases {
    exit: "(ext:exit 3)",
    program: ("(ext:run-program \"sh\" :arguments '(\"-c\" \"exit 3\"))", "3"),
    ..COMMON_LISP
};

pub(crate) const SWANK: Phrases = COMMON_LISP;
