//! Libraries of the distribution, renamed and rewritten: they load, and give the answers that they gave before.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::client::Session;
use crate::project::Project;

/// A session with the tools for changes across files, on a copy of files of the distribution.
fn session(files: &[(PathBuf, &str)]) -> Session {
    let project = Project::new();
    for (from, to) in files {
        let mut left = vec![from.clone()];
        while let Some(path) = left.pop() {
            if path.is_dir() {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            let inside = path.strip_prefix(from).unwrap().to_string_lossy().into_owned();
            let name = if inside.is_empty() { (*to).to_owned() } else { format!("{to}/{inside}") };
            project.file(name.trim_start_matches('/'), fs::read(&path).unwrap());
        }
    }
    Session::on_with_sets(project, "default,refactor")
}

impl Session {
    /// Renames names; the result is the number of changed places.
    fn renamed(&mut self, names: &[(&str, &str)]) -> u64 {
        let mut places = 0;
        for (symbol, new_name) in names {
            let call = json!({ "symbol": symbol, "new_name": new_name, "dry_run": false });
            places += self.ok("lisp_rename", call).fields["changes"].as_u64().unwrap();
        }
        places
    }

    /// Rewrites forms; the result is the number of changed forms.
    fn rewritten(&mut self, shape: &str, template: &str) -> u64 {
        let mut call = json!({ "shape": shape, "template": template });
        let count = self.ok("lisp_rewrite", call.clone()).fields["count"].as_u64().unwrap();
        call["dry_run"] = json!(false);
        call["expect_count"] = json!(count);
        self.ok("lisp_rewrite", call);
        count
    }
}

/// What a command prints.
#[track_caller]
fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{out}\n{err}");
    out.into_owned()
}

/// `code` with new names.
fn with_names(code: &str, names: &[(&str, &str)]) -> String {
    names.iter().fold(code.to_owned(), |code, (old, new)| {
        let plain = old.rsplit(['/', ':']).next().unwrap();
        code.replace(&format!("({plain} "), &format!("({new} ")).replace(&format!("/{plain} "), &format!("/{new} "))
    })
}

#[test]
fn a_library_of_common_lisp() {
    let source = PathBuf::from("/usr/share/common-lisp/source/alexandria");
    let mut session = session(&[(source.clone(), "")]);
    let names = [
        ("alexandria:flatten", "leaves"),
        ("alexandria:with-gensyms", "with-fresh-symbols"),
        ("alexandria:once-only", "evaluate-once"),
        ("alexandria:curry", "partial"),
        ("alexandria:ensure-list", "as-list"),
        ("alexandria:parse-body", "split-body"),
    ];
    let places = session.renamed(&names);
    let forms = session.rewritten("(let ((?x ?v)) ?*body)", "(let* ((?x ?v)) ?*body)")
        + session.rewritten("(if ?c ?a ?b)", "(cond (?c ?a) (t ?b))")
        + session.rewritten("(1+ ?x)", "(+ ?x 1)");
    assert!(places >= 40 && forms >= 200, "{places} places, {forms} forms");
    let results = |directory: &Path| {
        let compiled = tempfile::tempdir().unwrap();
        let code = format!(
            "(require :asdf)
(asdf:initialize-output-translations
 '(:output-translations (t (\"{}/\" :**/ :*.*.*)) :ignore-inherited-configuration))
(asdf:load-asd \"{directory}/alexandria.asd\")
(asdf:load-asd \"{directory}/alexandria-tests.asd\")
(handler-bind ((warning #'muffle-warning))
  (let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
    (asdf:load-system :alexandria-tests)
    (uiop:symbol-call :sb-rt :do-tests)))
(format t \"~a run, ~a pending~%\" (length (cdr (symbol-value (uiop:find-symbol* :*entries* :sb-rt))))
        (length (uiop:symbol-call :sb-rt :pending-tests)))
",
            compiled.path().display(),
            directory = directory.display()
        );
        let script = compiled.path().join("run.lisp");
        fs::write(&script, code).unwrap();
        printed(Command::new("sbcl").arg("--script").arg(&script))
    };
    let before = results(&source);
    assert!(before.contains(" 0 pending"), "{before}");
    assert_eq!(results(&session.project.root()), before);
}

#[test]
fn modules_of_guile() {
    let root = ["/usr/share/guile/3.0"].into_iter().map(PathBuf::from).find(|path| path.is_dir()).unwrap();
    let files =
        [(root.join("sxml"), "sxml"), (root.join("texinfo"), "texinfo"), (root.join("texinfo.scm"), "texinfo.scm")];
    let mut session = session(&files);
    let names = [("sxml->xml", "write-sxml"), ("xml->sxml", "read-xml"), ("stexi->shtml", "stexi->html")];
    let places = session.renamed(&names);
    let forms = session.rewritten("(cadr ?x)", "(car (cdr ?x))");
    assert!(places >= 10 && forms >= 40, "{places} places, {forms} forms");
    let code = r#"(use-modules (sxml simple) (texinfo) (texinfo html))
(define s (call-with-output-string (lambda (p) (sxml->xml '(a (@ (b "1<2")) "x & y" (c)) p))))
(write (list s (xml->sxml s) (sxml->string '(a "x" (b "y")))
  (stexi->shtml (texi-fragment->stexi "@emph{hi} @code{there}\n\n@itemize\n@item a\n@item b\n@end itemize\n"))))"#;
    let run = |code: &str, path: Option<&Path>| {
        let mut command = Command::new("guile");
        command.arg("--no-auto-compile").args(path.into_iter().flat_map(|path| [Path::new("-L"), path]));
        printed(command.args(["-c", code]))
    };
    let before = run(code, None);
    assert!(before.contains("(em \"hi\")"), "{before}");
    assert_eq!(run(&with_names(code, &names), Some(&session.project.root())), before);
}

#[test]
fn namespaces_of_clojure() {
    let sources = tempfile::tempdir().unwrap();
    let jars = ["clojure", "spec.alpha", "core.specs.alpha"].map(|jar| format!("/usr/share/java/{jar}.jar")).join(":");
    let clojure = |code: &str| printed(Command::new("java").args(["-cp", &jars, "clojure.main", "-e", code]));
    clojure(&format!(
        "(doseq [n [\"zip\" \"walk\"]]
  (spit (str \"{}/\" n \".clj\") (slurp (clojure.java.io/resource (str \"clojure/\" n \".clj\")))))",
        sources.path().display()
    ));
    let mut session = session(&[(sources.path().to_owned(), "clojure")]);
    let names = [
        ("clojure.zip/branch?", "twig?"),
        ("clojure.zip/node", "datum"),
        ("clojure.zip/make-node", "make-datum"),
        ("clojure.walk/walk", "stride"),
    ];
    let places = session.renamed(&names);
    let forms = session.rewritten("(if ?c ?a ?b)", "(cond ?c ?a :else ?b)");
    assert!(places >= 15 && forms >= 5, "{places} places, {forms} forms");
    let code = "(alias 'z 'clojure.zip) (alias 'w 'clojure.walk)
(let [top (z/vector-zip [1 [2 3] [4 [5]]])]
  (prn (z/node (z/next (z/next top))) (z/branch? top) (z/root (z/edit (z/next top) inc)) (z/make-node top nil [1])
       (loop [at top seen []] (if (z/end? at) seen (recur (z/next at) (conj seen (z/node at)))))
       (w/postwalk #(if (number? %) (inc %) %) {:a [1 {:b 2}]}) (w/walk inc vec [1 2])))";
    // The program itself has loaded one of them.
    let run = |code: &str, directory: &Path| {
        let load =
            "(doseq [n '[zip walk]] (remove-ns (symbol (str \"clojure.\" n))) (load-file (str \"AT/\" n \".clj\")))";
        clojure(&format!("{} {code}", load.replace("AT", &directory.display().to_string())))
    };
    let before = run(code, sources.path());
    assert!(before.contains("[4 [5]]"), "{before}");
    assert_eq!(run(&with_names(code, &names), &session.project.at("clojure")), before);
}

#[test]
fn a_library_of_emacs_lisp() {
    let packages = fs::read_dir("/usr/share/emacs/site-lisp/elpa-src").unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("buttercup-");
    let source = packages.into_iter().find(name).unwrap();
    let mut session = session(&[(source.clone(), "")]);
    let names = [
        ("buttercup-fail", "buttercup-give-up"),
        ("buttercup-define-matcher", "buttercup-defmatcher"),
        ("buttercup--run-spec", "buttercup--perform-spec"),
        ("spy-on", "watch-on"),
        ("buttercup-reporter-batch", "buttercup-reporter-plain"),
    ];
    let places = session.renamed(&names);
    let forms =
        session.rewritten("(if ,c ,a ,b)", "(cond (,c ,a) (t ,b))") + session.rewritten("(car ,x)", "(nth 0 ,x)");
    assert!(places >= 20 && forms >= 50, "{places} places, {forms} forms");
    let suite = ";; -*- lexical-binding: t -*-
(require 'buttercup)
(buttercup-define-matcher :to-be-even (a)
  (if (zerop (% (funcall a) 2)) '(t . \"even\") '(nil . \"odd\")))
(describe \"a\"
  (it \"adds\" (expect (+ 1 1) :to-be 2) (expect 4 :to-be-even) (expect \"abc\" :to-match \"b\"))
  (it \"fails\" (expect 3 :to-be-even))
  (it \"gives up\" (buttercup-fail \"no %s\" 1))
  (xit \"waits\" (expect 1 :to-be 2))
  (it \"spies\" (spy-on 'message :and-return-value 3) (expect (message \"y\") :to-equal 3)
      (expect 'message :to-have-been-called-with \"y\")))
(buttercup-run t)
(dolist (spec (buttercup-suite-children (car buttercup-suites)))
  (princ (format \"%s %s\\n\" (buttercup-spec-description spec) (buttercup-spec-status spec))))
";
    let run = |suite: &str, directory: &Path| {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("suite.el");
        fs::write(&file, suite).unwrap();
        let mut command = Command::new("emacs");
        let text = printed(command.args(["-Q", "--batch", "-L"]).arg(directory).arg("-l").arg(&file));
        let specs = ["adds", "fails", "gives up", "waits", "spies"];
        let told = text.lines().filter(|line| specs.iter().any(|spec| line.starts_with(spec)));
        told.map(|line| format!("{line}\n")).collect::<String>()
    };
    let before = run(suite, &source);
    assert_eq!(before, "adds passed\nfails failed\ngives up failed\nwaits pending\nspies passed\n");
    assert_eq!(run(&with_names(suite, &names), &session.project.root()), before);
}
