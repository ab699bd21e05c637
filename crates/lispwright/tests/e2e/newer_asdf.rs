//! A newer ASDF among the libraries, as distributions install it: it silently replaces the implementation's own before
//! any plan, and prevents no image from starting.

use serde_json::json;

use crate::client::{Client, Session, server_command};
use crate::project::Project;

/// A newer version: it prints when it is loaded, and fails if that happens during a plan of an older version.
const NEWER: &str = r#"
(eval-when (:compile-toplevel :load-toplevel :execute)
  (format t "words of the newer version~%")
  (format *error-output* "words of the newer version~%"))
(let ((operated (find-symbol "*SYSTEMS-BEING-OPERATED*" "ASDF/OPERATE")))
  (when (and operated (boundp operated) (symbol-value operated))
    (error "taken in the midst of a plan")))
(setf (symbol-value (find-symbol "*ASDF-VERSION*" "ASDF")) NEWEST)
(setf asdf:*user-cache* #p"/nowhere/")
"#;

/// A version that is newer than those of the implementations, and compatible with them.
const VERSION: &str = "#+ecl \"3.1.99\" #+clisp \"3.2.99\" #+sbcl \"3.3.99\"";

/// A session with a newer ASDF among the libraries and saved images in `cache`.
fn session(cache: impl FnOnce(&Project) -> std::path::PathBuf) -> Session {
    let project = Project::new();
    project.file("mill.asd", "(defsystem \"mill\" :components ((:file \"mill\")))\n");
    project.file("mill.lisp", "(defun mill () 1)\n");
    let libraries = project.beside("libraries");
    std::fs::create_dir(&libraries).unwrap();
    for (name, text) in [
        ("asdf.asd", "(defsystem \"asdf\" :version NEWEST :components ((:file \"asdf\")))\n"),
        ("version.lisp-expr", "NEWEST\n"),
        ("asdf.lisp", NEWER),
    ] {
        std::fs::write(libraries.join(name), text.replace("NEWEST", VERSION)).unwrap();
    }
    let mut command = server_command(&project.root());
    command.env("CL_SOURCE_REGISTRY", format!("{}//:", libraries.display())).env("XDG_CACHE_HOME", cache(&project));
    Session { client: Client::connect(command), project }
}

#[track_caller]
fn it_is_used(session: &mut Session, runtime: &str) {
    session.ok("repl_eval", json!({ "code": "(+ 1 2)", "runtime": runtime }));
    for force in [true, false] {
        let loaded = session.ok("load_system", json!({ "system": "mill", "runtime": runtime, "force": force }));
        assert!(!loaded.text.contains("words"), "{runtime}: {}", loaded.text);
    }
    // Frameworks find the source of a compiled file by this variable.
    let place = "(search (namestring asdf:*user-cache*) (namestring (asdf:apply-output-translations \"/x/y.fasl\")))";
    let place = session.ok("repl_eval", json!({ "code": place, "runtime": runtime }));
    assert_eq!(place.fields["values"], json!(["0"]), "{runtime}: {}", place.text);
    let version = session.ok("repl_eval", json!({ "code": "(asdf:asdf-version)", "runtime": runtime }));
    assert!(version.text.contains(".99\""), "{runtime}: {}", version.text);
}

#[test]
fn images_start_plain_beside_it() {
    // A file has the place of the directory.
    let mut session = session(|project| project.beside("secret.lisp").join("cache"));
    for runtime in ["sbcl", "ecl", "clisp"] {
        it_is_used(&mut session, runtime);
    }
}

#[test]
fn images_are_saved_with_it() {
    let mut session = session(|project| project.beside("cache"));
    for runtime in ["sbcl", "clisp"] {
        it_is_used(&mut session, runtime);
    }
}
