//! Stories in Common Lisp, for each implementation in several layouts: a system whose files depend on all before them, one
//! whose files say less than they depend on, and files that are loaded by themselves.
//!
//! All three distances are in one project, since they are tests of their own: the user's function, and functions made by
//! macros that the files further away define with those of the files before them.

mod told;

use std::path::Path;
use std::process::{Command, Output};

use super::{Language, Story, Verdict, Verifies};
use crate::house::is_frail;
use told::{STORIES, WITHOUT_COMPILER_MACROS};

/// A module for each implementation and layout.
macro_rules! layouts {
    ($($name:ident: $runtime:literal, $tests:literal, $files:expr, $around:ident, $program:expr, $stories:expr, $verifies:ident;)*) => {
        $(pub(crate) mod $name {
            use super::*;

            pub(crate) const LANGUAGE: Language = Language {
                runtime: $runtime,
                tests: $tests,
                single_files: $files,
                distances: 1,
                base: "base.lisp",
                around: $around,
                fresh: |root| fresh(root, &$program),
                verifies: Verifies::$verifies,
                keeps_its_image: false,
                stories: $stories,
            };
        })*
    };
}

layouts! {
    sbcl_serial: "sbcl", "shop/tests", &[], serial, SBCL, STORIES, InTurn;
    sbcl_loose: "sbcl", "shop/tests", &[], loose, SBCL, STORIES, Nothing;
    sbcl_files: "sbcl", "tests.lisp", SINGLE_FILES, files, SBCL, STORIES, Nothing;
    ecl_loose: "ecl", "shop/tests", &[], loose, ECL, WITHOUT_COMPILER_MACROS, Nothing;
    ecl_files: "ecl", "tests.lisp", SINGLE_FILES, files, ECL, WITHOUT_COMPILER_MACROS, Nothing;
    clisp_serial: "clisp", "shop/tests", &[], serial, CLISP, STORIES, Nothing;
    clisp_files: "clisp", "tests.lisp", SINGLE_FILES, files, CLISP, STORIES, Nothing;
}

const SBCL: [&str; 2] = ["sbcl", "--script"];
const ECL: [&str; 3] = ["ecl", "--norc", "--shell"];
const CLISP: [&str; 4] = ["clisp", "-norc", "-q", "-ansi"];

/// Names that sort before the base are loaded before it, the others after it.
const SINGLE_FILES: &[&str] = &[
    "a-0-framework.lisp",
    "a-extra.lisp",
    "a-first.lisp",
    "base.lisp",
    "basement.lisp",
    "other.lisp",
    "user.lisp",
    "middle.lisp",
    "top.lisp",
];

/// The package that a user of the base uses.
const HEAD: &str = "(:use :shop.base)";

fn serial(_: usize, story: &Story) -> Vec<(String, String)> {
    system(story, "(:file \"user\") (:file \"middle\") (:file \"top\")", ":serial t")
}

fn loose(_: usize, story: &Story) -> Vec<(String, String)> {
    system(story, "(:file \"user\") (:file \"middle\") (:file \"top\" :depends-on (\"middle\"))", "")
}

fn system(story: &Story, users: &str, serial: &str) -> Vec<(String, String)> {
    let needs = if story.name == "missing_system" { "\"extra\"" } else { "" };
    let definition = format!(
        "(defsystem \"shop\" {serial} :depends-on ({needs})\n  \
         :components #.(append (loop for file in '(FILES) when (search \".lisp\" file) collect (list :file (pathname-name file)))\n                        \
         '({users})))\n\
         (defsystem \"shop/tests\" :depends-on (\"shop\" \"rt\") :components ((:file \"tests\")))\n"
    );
    let load = "(asdf:load-system \"shop/tests\")".to_owned();
    around(story, &load).into_iter().chain([("shop.asd".to_owned(), definition)]).collect()
}

fn files(_: usize, story: &Story) -> Vec<(String, String)> {
    let load = "(dolist (file (remove-if-not (lambda (file) (search \".lisp\" file)) '(FILES \"user.lisp\" \"middle.lisp\" \"top.lisp\" \"tests.lisp\")))\n  \
                (load (or (compile-file file :output-file (format nil \"~A/~A.~A\" (uiop:getenv \"FRESH\") (pathname-name file) (pathname-type (compile-file-pathname file))))\n            \
                (error \"~A does not compile.\" file))))";
    // What is compiled while a file is compiled is more than ECL's compiler can do.
    let framework = ("a-0-framework.lisp".to_owned(), "(asdf:load-system \"rt\")\n".to_owned());
    around(story, load).into_iter().chain([framework]).collect()
}

fn around(story: &Story, load: &str) -> Vec<(String, String)> {
    let Story { uses, values: [old, new], .. } = story;
    let user = format!(
        "(defpackage :shop.user (:use :cl) HEAD (:export #:use-it #:use-it-there))\n(in-package :shop.user)\n\
         (defun use-it () {uses})\n(defmacro use-it-there () '{uses})\n"
    );
    let middle = "(defpackage :shop.middle (:use :cl :shop.user) (:export #:middle #:use-it-here))\n\
                  (in-package :shop.middle)\n(defun middle () (use-it-there))\n(defmacro use-it-here () '(use-it-there))\n";
    let top = "(defpackage :shop.top (:use :cl :shop.middle) (:export #:top))\n(in-package :shop.top)\n\
               (defun top () (use-it-here))\n";
    let calls = ["(shop.user:use-it)", "(shop.middle:middle)", "(shop.top:top)"];
    let tests: String = calls
        .iter()
        .enumerate()
        .map(|(distance, call)| {
            format!("(deftest old-{distance} {call} {old})\n(deftest new-{distance} {call} {new})\n")
        })
        .collect();
    let tests = format!("(defpackage :shop.tests (:use :cl :rt))\n(in-package :shop.tests)\n{tests}");
    vec![
        ("user.lisp".to_owned(), user.replace("HEAD", story.heads.map_or(HEAD, |_| "HEAD"))),
        ("middle.lisp".to_owned(), middle.to_owned()),
        ("top.lisp".to_owned(), top.to_owned()),
        ("tests.lisp".to_owned(), tests),
        ("fresh.txt".to_owned(), FRESH.replace("{{LOAD}}", load)),
    ]
}

/// What the fresh process does, by the languages's own means.
pub(crate) const FRESH: &str = r#"(require "asdf")
#+ecl (ext:install-bytecodes-compiler)
;; POSIX:FILE-STAT, which this calls, kills CLISP when a garbage collection comes meanwhile.
#+clisp
(let ((original #'uiop:probe-file*))
  (setf (fdefinition 'uiop:probe-file*)
        (lambda (path &key truename)
          (let ((found (funcall original path :truename t)))
            (if (and found (not truename))
                (uiop:ensure-pathname path :namestring :lisp :ensure-absolute t
                                           :defaults 'uiop:get-pathname-defaults)
                found)))))
(setf *default-pathname-defaults* (uiop:ensure-directory-pathname (uiop:getenv "HOUSE")))
(asdf:initialize-output-translations
 `(:output-translations ("/usr/share/" (,(uiop:ensure-directory-pathname (uiop:getenv "LIBRARIES")) :implementation))
   (t (,(uiop:ensure-directory-pathname (uiop:getenv "FRESH")) :implementation)) :ignore-inherited-configuration))
(push *default-pathname-defaults* asdf:*central-registry*)
(handler-case (let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
                (asdf:load-system "rt")
                {{LOAD}})
  (error (error)
    (format t "~&NOT LOADED ~A~%" error)
    (uiop:quit 0)))
(dolist (entry (rest rt::*entries*))
  (let ((name (rt::name entry)))
    (format t "~&~:[FAILED~;PASSED~] ~(~A~)~%"
            (let ((*standard-output* (make-broadcast-stream)))
              (handler-case (rt:do-test name)
                (error () nil)))
            name)))
(format t "~&END~%")
(uiop:quit 0)
"#;

/// Heaps of other sizes, in which CLISP's collector does not come at the same places: at rare ones it kills the process.
const OTHER_HEAPS: [&str; 2] = ["96MB", "160MB"];

/// What a process takes that has not stopped by itself: seconds.
const LIMIT: &str = "60";

fn fresh(root: &Path, program: &[&str]) -> Verdict {
    let mut output = run(root, program, &[]);
    for heap in OTHER_HEAPS.iter().filter(|_| is_frail(program[0])) {
        if !output.status.success() {
            let further = ["-m", heap];
            output = run(root, program, if program[0] == "clisp" { &further } else { &[] });
        }
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let of = |word: &str| -> Vec<String> {
        text.lines()
            .filter_map(|line| line.strip_prefix(word))
            .map(|name| format!("shop.tests::{}", name.trim()))
            .collect()
    };
    let is_verdict = text.contains("END") || text.contains("NOT LOADED");
    assert!(is_verdict, "{}: {text}{}", output.status, String::from_utf8_lossy(&output.stderr));
    if text.contains("NOT LOADED") {
        return None;
    }
    Some((of("PASSED").len() as u32, of("FAILED")))
}

/// Runs the program on the files below `root`, with further arguments.
fn run(root: &Path, program: &[&str], further: &[&str]) -> Output {
    let compiled = tempfile::tempdir().unwrap();
    let libraries = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libraries");
    let mut command = Command::new(if is_frail(program[0]) { "timeout" } else { program[0] });
    if is_frail(program[0]) {
        command.args(["--signal=KILL", LIMIT, program[0]]);
    }
    command.args(further).args(&program[1..]).arg(root.join("fresh.txt")).current_dir(root);
    command.env("HOUSE", root).env("FRESH", compiled.path()).env("LIBRARIES", &libraries);
    command.output().unwrap()
}
