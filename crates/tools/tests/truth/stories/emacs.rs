//! Stories in files of Emacs Lisp.

use std::path::Path;
use std::process::Command;

use super::{Language, Story, Verdict, Verifies};

pub(crate) const LANGUAGE: Language = Language {
    runtime: "emacs",
    tests: "shop-tests.el",
    single_files: &[],
    distances: 3,
    base: "shop-base.el",
    around,
    fresh,
    verifies: Verifies::InTurn,
    keeps_its_image: true,
    stories: STORIES,
};

/// The head of a user of the base.
const HEAD: &str = "(require 'shop-base)";

fn around(distance: usize, story: &Story) -> Vec<(String, String)> {
    let Story { uses, values: [old, new], .. } = story;
    // The file that the tests use, and the call in them.
    let (feature, code) = match distance {
        0 => ("shop-user", "(use-it)"),
        1 => ("shop-middle", "(middle)"),
        _ => ("shop-top", "(top)"),
    };
    let tests = format!(
        "(require 'ert)\n(require '{feature})\n(ert-deftest old () (should (equal {old} {code})))\n\
         (ert-deftest new () (should (equal {new} {code})))\n"
    );
    let file = |feature: &str, head: &str, body: &str| {
        let text = format!(";;; -*- lexical-binding: t; -*-\n{head}\n{body}\n(provide '{feature})\n");
        (format!("{feature}.el"), text)
    };
    let head = story.heads.map_or(HEAD, |_| "HEAD");
    vec![
        file("shop-user", head, &format!("(defun use-it () {uses})")),
        file("shop-middle", "(require 'shop-user)", "(defun middle () (use-it))"),
        file("shop-top", "(require 'shop-middle)", "(defun top () (middle))"),
        ("shop-tests.el".to_owned(), tests),
    ]
}

fn fresh(root: &Path) -> Verdict {
    let output = Command::new("emacs")
        .args(["-Q", "--batch", "-L", ".", "-l", "ert", "-l", "shop-tests.el", "-f", "ert-run-tests-batch-and-exit"])
        .current_dir(root)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    text.lines().find(|line| line.starts_with("Ran "))?;
    let of = |word: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim_start).filter(|line| line.starts_with(word) && line.contains('/'));
        lines.filter_map(|line| Some(line.split_whitespace().nth(2)?.to_owned())).collect()
    };
    Some((of("passed").len() as u32, of("FAILED")))
}

/// The feature `shop-base`.
macro_rules! base {
    ($body:literal) => {
        Some(concat!(";;; -*- lexical-binding: t; -*-\n", $body, "\n(provide 'shop-base)\n"))
    };
}

const STORIES: &[Story] = &[
    Story {
        name: "changed_function",
        base: [base!("(defun f () 1)"), base!("(defun f () 2)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "changed_macro",
        base: [base!("(defmacro twice (x) `(* 2 ,x))"), base!("(defmacro twice (x) `(* 5 ,x))")],
        uses: "(twice 3)",
        values: ["6", "15"],
        ..Story::NONE
    },
    Story {
        name: "function_of_macro",
        base: [
            base!("(defun factor () 2)\n(defmacro times (x) `(* ,(factor) ,x))"),
            base!("(defun factor () 5)\n(defmacro times (x) `(* ,(factor) ,x))"),
        ],
        uses: "(times 3)",
        values: ["6", "15"],
        ..Story::NONE
    },
    Story {
        name: "inline_function",
        base: [
            base!("(require 'cl-lib)\n(cl-defsubst f (x) (+ x 1))"),
            base!("(require 'cl-lib)\n(cl-defsubst f (x) (+ x 2))"),
        ],
        uses: "(f 0)",
        ..Story::NONE
    },
    Story {
        name: "structure_slot",
        base: [
            base!("(require 'cl-lib)\n(cl-defstruct grain weight kind)\n(defun rye () (make-grain :weight 5 :kind 1))"),
            base!(
                "(require 'cl-lib)\n(cl-defstruct grain colour weight kind)\n\
                 (defun rye () (make-grain :colour 7 :weight 5 :kind 2))"
            ),
        ],
        uses: "(grain-kind (rye))",
        ..Story::NONE
    },
    Story {
        name: "removed_slot",
        base: [
            base!("(require 'cl-lib)\n(cl-defstruct grain weight kind)"),
            base!("(require 'cl-lib)\n(cl-defstruct grain weight)"),
        ],
        uses: "(grain-kind (make-grain :weight 1 :kind 1))",
        ..Story::NONE
    },
    Story {
        name: "constant",
        base: [base!("(defconst k 1)"), base!("(defconst k 2)")],
        uses: "(eval-when-compile k)",
        ..Story::NONE
    },
    Story {
        name: "renamed_function",
        base: [base!("(defun f () 1)"), base!("(defun g () 1)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_definition",
        base: [base!("(defun helper () 1)\n(defun f () (helper))"), base!("(defun f () (helper))")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_method",
        base: [
            base!("(cl-defgeneric area (x))\n(cl-defmethod area ((x number)) 2)\n(cl-defmethod area ((x integer)) 1)"),
            base!("(cl-defgeneric area (x))\n(cl-defmethod area ((x number)) 2)"),
        ],
        uses: "(area 7)",
        ..Story::NONE
    },
    Story {
        name: "method_elsewhere",
        base: [
            base!("(cl-defgeneric area (x))\n(defun scale () 1)"),
            base!("(cl-defgeneric area (x))\n(defun scale () 2)"),
        ],
        others: &[(
            "shop-areas.el",
            [
                Some(
                    "(require 'shop-base)\n(cl-defmethod area ((x integer)) (* x (scale)))\n\
                     (cl-defmethod area ((x symbol)) (ignore x) 1)\n(provide 'shop-areas)\n",
                ),
                Some("(require 'shop-base)\n(cl-defmethod area ((x integer)) (* x (scale)))\n(provide 'shop-areas)\n"),
            ],
        )],
        heads: Some(["(require 'shop-areas)", "(require 'shop-areas)"]),
        uses: "(list (area 1) (condition-case nil (area 'x) (error 0)))",
        values: ["'(1 1)", "'(2 0)"],
        ..Story::NONE
    },
    Story {
        name: "changed_variable",
        base: [base!("(setq v (list 1))"), base!("(setq v (list 2))")],
        uses: "(car v)",
        ..Story::NONE
    },
    Story {
        name: "kept_variable",
        base: [base!("(defvar v (list 1))"), base!("(defvar v (list 2))")],
        uses: "(car v)",
        ..Story::NONE
    },
    Story {
        name: "kept_option",
        base: [
            base!("(defcustom v 1 \"V.\" :type 'integer :group 'emacs)"),
            base!("(defcustom v 2 \"V.\" :type 'integer :group 'emacs)"),
        ],
        uses: "v",
        ..Story::NONE
    },
    Story {
        name: "computed_variable",
        base: [base!("(defun f () 1)"), base!("(defun f () 2)")],
        heads: Some(["(require 'shop-base)\n(defvar shop-steps (list (f)))"; 2]),
        uses: "(car shop-steps)",
        ..Story::NONE
    },
    Story {
        name: "failing_variable",
        base: [base!("(defun f () 1)"), base!("")],
        heads: Some(["(require 'shop-base)\n(defvar shop-steps (list (f)))"; 2]),
        uses: "(car shop-steps)",
        ..Story::NONE
    },
    Story {
        name: "removed_variable",
        base: [base!("(defvar v 1)"), base!("")],
        uses: "(if (boundp 'v) 1 2)",
        ..Story::NONE
    },
    Story {
        name: "dynamic_variable",
        base: [base!("(defvar v 1)\n(defun f () v)"), base!("(defun f () (if (boundp 'v) 1 2))")],
        heads: Some(["(require 'shop-base)"; 2]),
        uses: "(let ((v 1)) (ignore v) (f))",
        ..Story::NONE
    },
    Story {
        name: "changed_keymap",
        base: [
            base!("(defvar m (make-sparse-keymap))\n(define-key m \"a\" 'one)"),
            base!("(defvar m (make-sparse-keymap))\n(define-key m \"b\" 'one)"),
        ],
        uses: "(if (lookup-key m \"a\") 1 2)",
        ..Story::NONE
    },
    Story {
        name: "changed_parent",
        base: [
            base!(
                "(require 'cl-lib)\n(cl-defstruct animal)\n(cl-defstruct plant)\n(cl-defstruct (oak (:include animal)))\n\
                 (cl-defgeneric kind (x))\n(cl-defmethod kind ((x animal)) (ignore x) 1)\n(cl-defmethod kind ((x plant)) (ignore x) 2)"
            ),
            base!(
                "(require 'cl-lib)\n(cl-defstruct animal)\n(cl-defstruct plant)\n(cl-defstruct (oak (:include plant)))\n\
                 (cl-defgeneric kind (x))\n(cl-defmethod kind ((x animal)) (ignore x) 1)\n(cl-defmethod kind ((x plant)) (ignore x) 2)"
            ),
        ],
        uses: "(kind (make-oak))",
        ..Story::NONE
    },
    Story {
        name: "parent_of_methods_elsewhere",
        base: [
            base!("(require 'cl-lib)\n(require 'shop-kinds)\n(cl-defstruct (oak (:include animal)))"),
            base!("(require 'cl-lib)\n(require 'shop-kinds)\n(cl-defstruct (oak (:include plant)))"),
        ],
        others: &[(
            "shop-kinds.el",
            [Some(
                "(require 'cl-lib)\n(cl-defstruct animal)\n(cl-defstruct plant)\n(cl-defgeneric kind (x))\n\
                 (cl-defmethod kind ((x animal)) (ignore x) 1)\n(cl-defmethod kind ((x plant)) (ignore x) 2)\n\
                 (provide 'shop-kinds)\n",
            ); 2],
        )],
        uses: "(list (kind (make-oak)) (animal-p (make-oak)))",
        values: ["'(1 t)", "'(2 nil)"],
        ..Story::NONE
    },
    Story {
        name: "changed_class",
        base: [
            base!(
                "(require 'eieio)\n(defclass animal () ((legs :initform 1)))\n(defclass dog (animal) ())\n\
                 (defun legs () (oref (dog) legs))"
            ),
            base!(
                "(require 'eieio)\n(defclass animal () ((legs :initform 2)))\n(defclass dog (animal) ())\n\
                 (defun legs () (oref (dog) legs))"
            ),
        ],
        uses: "(legs)",
        ..Story::NONE
    },
    Story {
        name: "class_elsewhere",
        base: [
            base!("(require 'eieio)\n(defclass animal () ((legs :initform 1)))"),
            base!("(require 'eieio)\n(defclass animal () ((legs :initform 2)))"),
        ],
        others: &[(
            "shop-dog.el",
            [Some(
                "(require 'shop-base)\n(defclass dog (animal) ())\n(cl-defmethod legs ((one animal)) (oref one legs))\n\
                 (provide 'shop-dog)\n",
            ); 2],
        )],
        heads: Some(["(require 'shop-dog)"; 2]),
        uses: "(list (legs (dog)) (object-of-class-p (dog) 'animal))",
        values: ["'(1 t)", "'(2 t)"],
        ..Story::NONE
    },
    Story {
        name: "removed_advice",
        base: [
            base!("(defun f () 1)\n(defun add (x) (1+ x))\n(advice-add 'f :filter-return #'add)"),
            base!("(defun f () 1)\n(defun add (x) (1+ x))"),
        ],
        uses: "(f)",
        values: ["2", "1"],
        ..Story::NONE
    },
    Story {
        name: "kept_advice",
        base: [base!("(defun f () 1)"), base!("(defun f () 2)")],
        others: &[(
            "shop-more.el",
            [Some("(require 'shop-base)\n(advice-add 'f :filter-return #'1+)\n(provide 'shop-more)\n"); 2],
        )],
        heads: Some(["(require 'shop-more)"; 2]),
        uses: "(f)",
        values: ["2", "3"],
        ..Story::NONE
    },
    Story {
        name: "removed_hook",
        base: [base!("(defvar shop-hook nil)\n(add-hook 'shop-hook #'ignore)"), base!("(defvar shop-hook nil)")],
        uses: "(length shop-hook)",
        values: ["1", "0"],
        ..Story::NONE
    },
    Story {
        name: "removed_addition",
        base: [base!("(defvar shop-list nil)"); 2],
        others: &[(
            "shop-more.el",
            [
                Some(
                    "(require 'shop-base)\n(add-to-list 'shop-list 'a)\n(add-to-list 'shop-list 'b)\n(provide 'shop-more)\n",
                ),
                Some("(require 'shop-base)\n(add-to-list 'shop-list 'b)\n(provide 'shop-more)\n"),
            ],
        )],
        heads: Some(["(require 'shop-more)"; 2]),
        uses: "(length shop-list)",
        values: ["2", "1"],
        ..Story::NONE
    },
    Story {
        name: "removed_registration",
        base: [base!("(defvar shop-table (make-hash-table))\n(defun register (key) (puthash key t shop-table))"); 2],
        others: &[
            (
                "shop-more.el",
                [
                    Some("(require 'shop-base)\n(register 'a)\n(register 'b)\n(provide 'shop-more)\n"),
                    Some("(require 'shop-base)\n(register 'b)\n(provide 'shop-more)\n"),
                ],
            ),
            ("shop-others.el", [Some("(require 'shop-base)\n(register 'c)\n(provide 'shop-others)\n"); 2]),
        ],
        heads: Some(["(require 'shop-more)\n(require 'shop-others)"; 2]),
        uses: "(list (gethash 'a shop-table) (gethash 'b shop-table) (gethash 'c shop-table))",
        values: ["'(t t t)", "'(nil t t)"],
        ..Story::NONE
    },
    Story {
        name: "others_registrations",
        base: [
            base!("(defconst shop-table (make-hash-table))\n(defun f () 1)"),
            base!("(defconst shop-table (make-hash-table))\n(defun f () 2)"),
        ],
        others: &[(
            "shop-more.el",
            [Some("(require 'shop-base)\n(puthash 'a t shop-table)\n(provide 'shop-more)\n"); 2],
        )],
        heads: Some(["(require 'shop-more)"; 2]),
        uses: "(if (gethash 'a shop-table) (f) 0)",
        ..Story::NONE
    },
    Story {
        name: "removed_property",
        base: [base!("(put 'shop-x 'price 1)"), base!("")],
        uses: "(or (get 'shop-x 'price) 2)",
        ..Story::NONE
    },
    Story {
        name: "removed_alias",
        base: [base!("(defun f () 1)\n(defalias 'g #'f)"), base!("(defun f () 1)")],
        uses: "(g)",
        ..Story::NONE
    },
    Story {
        name: "removed_mode",
        base: [base!("(define-minor-mode shop-mode \"Shop.\" :global t (ignore))"), base!("")],
        uses: "(if (or (fboundp 'shop-mode) (boundp 'shop-mode-hook)) 1 2)",
        ..Story::NONE
    },
    Story {
        name: "changed_face",
        base: [
            base!("(defface shop-face '((t :weight bold)) \"F.\")"),
            base!("(defface shop-face '((t :slant italic)) \"F.\")"),
        ],
        uses: "(if (equal (face-default-spec 'shop-face) '((t :weight bold))) 1 2)",
        ..Story::NONE
    },
    Story {
        name: "removed_face",
        base: [base!("(defface shop-face '((t :weight bold)) \"F.\")"), base!("")],
        uses: "(if (facep 'shop-face) 1 2)",
        ..Story::NONE
    },
    Story {
        name: "removed_setter",
        base: [
            base!(
                "(defvar place 1)\n(defun place () place)\n(gv-define-simple-setter place set-place)\n(defun set-place (x) (setq place x))"
            ),
            base!("(defvar place 1)\n(defun place () place)\n(defun set-place (x) (setq place x))"),
        ],
        uses: "(condition-case nil (setf (place) 1) (error 2))",
        ..Story::NONE
    },
    Story {
        name: "moved_definition",
        base: [base!("(defun f () 1)\n(defvar v 1)"), None],
        others: &[("shop-other.el", [None, Some("(defun f () 1)\n(defvar v 2)\n(provide 'shop-other)\n")])],
        heads: Some(["(require 'shop-base)", "(require 'shop-other)"]),
        uses: "(* (f) v)",
        ..Story::NONE
    },
    Story {
        name: "new_dependency",
        base: [base!("(defun f () 1)"), base!("(require 'shop-extra)\n(defun f () (extra))")],
        others: &[("shop-extra.el", [None, Some("(defun extra () 2)\n(provide 'shop-extra)\n")])],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_dependency",
        base: [base!("(require 'shop-extra)\n(defun f () (extra))"), base!("(defun f () (extra))")],
        others: &[("shop-extra.el", [Some("(defun extra () 1)\n(provide 'shop-extra)\n"); 2])],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "dependency_of_load",
        base: [base!("(require 'shop-extra)\n(defvar v (extra))"), base!("(defvar v (extra))")],
        others: &[("shop-extra.el", [Some("(defun extra () 1)\n(provide 'shop-extra)\n"); 2])],
        uses: "v",
        ..Story::NONE
    },
    Story {
        name: "loaded_file",
        base: [base!("(load \"shop-part\" nil t)"), base!("(load \"shop-part\" nil t)")],
        others: &[("shop-part.el", [Some("(defun f () 1)\n"), Some("(defun g () 1)\n")])],
        uses: "(if (fboundp 'f) (f) 2)",
        ..Story::NONE
    },
    Story {
        name: "autoloaded_file",
        base: [base!("(autoload 'part \"shop-part\")"); 2],
        others: &[("shop-part.el", [Some("(defun part () 1)\n"), Some("(defun part () 2)\n")])],
        uses: "(part)",
        ..Story::NONE
    },
    Story {
        name: "broken_dependency",
        base: [base!("(defun f () 1)"), base!("(defun f () (2)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "failing_dependency",
        base: [base!("(defun f () 1)"), base!("(defun f () 1)\n(car 1)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "missing_feature",
        base: [base!("(defun f () 1)"), base!("(require 'shop-gone)\n(defun f () 1)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "unprovided_feature",
        base: [base!("(defun f () 1)"), Some("(defun f () 1)\n")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "circular_features",
        base: [base!("(defun f () 1)"), base!("(require 'shop-user)\n(defun f () 1)\n(defvar v (use-it))")],
        uses: "(f)",
        ..Story::NONE
    },
    Story { name: "added_function", base: [base!(""), base!("(defun f () 1)")], uses: "(f)", ..Story::NONE },
    Story {
        name: "removed_test",
        base: [base!("(defun f () 1)"); 2],
        more_tests: ["(ert-deftest third () (should t))", "(ert-deftest fourth () (should nil))"],
        uses: "(f)",
        ..Story::NONE
    },
];
