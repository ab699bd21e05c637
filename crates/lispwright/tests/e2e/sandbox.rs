//! `--sandbox`: the abilities and limits of a confined image, under each mechanism of this machine. If a mechanism does
//! not work, the server must refuse to start an image with it; the test checks that instead, and prints which of the
//! two it checked.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Answer, Client, Session, server_command};
use crate::household::{Household, comes, tested};
use crate::project::Project;

/// Code that an image tries; `{}` is a path or a port.
struct Tries {
    runtime: &'static str,
    write: &'static str,
    read: &'static str,
    scratch: &'static str,
    connect: &'static str,
    bind: &'static str,
    shell: &'static str,
}

const COMMON_LISP: Tries = Tries {
    runtime: "sbcl",
    write: r#"(with-open-file (s "{}" :direction :output :if-exists :supersede) (write-line "written" s))"#,
    read: r#"(with-open-file (s "{}") (read-line s))"#,
    scratch: "(uiop:with-temporary-file (:stream s :pathname p) (print 1 s) (list (sb-posix:getenv \"TMPDIR\") p))",
    connect: "(progn (require :sb-bsd-sockets)
                (let ((s (make-instance (find-symbol \"INET-SOCKET\" :sb-bsd-sockets) :type :stream :protocol :tcp)))
                  (funcall (find-symbol \"SOCKET-CONNECT\" :sb-bsd-sockets) s #(127 0 0 1) {})))",
    bind: "(let ((s (make-instance (find-symbol \"INET-SOCKET\" :sb-bsd-sockets) :type :stream :protocol :tcp)))
             (funcall (find-symbol \"SOCKET-BIND\" :sb-bsd-sockets) s #(0 0 0 0) 0))",
    shell: r#"(uiop:run-program "echo by a child > {}")"#,
};

const ECL: Tries = Tries {
    runtime: "ecl",
    write: COMMON_LISP.write,
    read: COMMON_LISP.read,
    scratch: r#"(let ((p (ext:mkstemp (concatenate 'string (ext:getenv "TMPDIR") "/abc")))) (list (ext:getenv "TMPDIR") p))"#,
    connect: "(progn (require :sockets)
                (let ((s (make-instance (find-symbol \"INET-SOCKET\" :sb-bsd-sockets) :type :stream :protocol :tcp)))
                  (funcall (find-symbol \"SOCKET-CONNECT\" :sb-bsd-sockets) s #(127 0 0 1) {})))",
    bind: "(progn (require :sockets)
             (let ((s (make-instance (find-symbol \"INET-SOCKET\" :sb-bsd-sockets) :type :stream :protocol :tcp)))
               (funcall (find-symbol \"SOCKET-BIND\" :sb-bsd-sockets) s #(0 0 0 0) 0)))",
    shell: r#"(unless (eql 0 (ext:system "echo by a child > {}")) (error "no child"))"#,
};

const CLISP: Tries = Tries {
    runtime: "clisp",
    write: COMMON_LISP.write,
    read: COMMON_LISP.read,
    scratch: r#"(let ((p (concatenate 'string (ext:getenv "TMPDIR") "/abc"))) (with-open-file (s p :direction :output) (print 1 s)) (list (ext:getenv "TMPDIR") p))"#,
    connect: "(socket:socket-connect {} \"127.0.0.1\" :timeout 5)",
    bind: "(socket:socket-server 0 :interface \"0.0.0.0\")",
    shell: r#"(let ((status (ext:shell "echo by a child > {}"))) (unless (member status '(nil 0)) (error "no child: ~A" status)))"#,
};

const GUILE: Tries = Tries {
    runtime: "guile",
    write: r#"(call-with-output-file "{}" (lambda (port) (display "written" port)))"#,
    read: r#"(call-with-input-file "{}" read)"#,
    scratch: r#"(let ((port (mkstemp! (string-append (getenv "TMPDIR") "/XXXXXX")))) (list (getenv "TMPDIR") port))"#,
    connect: "(connect (socket PF_INET SOCK_STREAM 0) AF_INET INADDR_LOOPBACK {})",
    bind: "(bind (socket PF_INET SOCK_STREAM 0) AF_INET INADDR_ANY 0)",
    shell: r#"(unless (zero? (system "echo by a child > {}")) (error "no child"))"#,
};

const CLOJURE: Tries = Tries {
    runtime: "clojure",
    write: r#"(spit "{}" "written")"#,
    read: r#"(slurp "{}")"#,
    scratch: r#"(str (java.io.File/createTempFile "abc" "def"))"#,
    connect: r#"(java.net.Socket. "127.0.0.1" {})"#,
    bind: "(java.net.ServerSocket. 9123)",
    shell: r#"(when-not (zero? (.waitFor (.start (ProcessBuilder. ["sh" "-c" "echo by a child > {}"])))) (throw (Exception. "no child")))"#,
};

const EMACS: Tries = Tries {
    runtime: "emacs",
    write: r#"(write-region "written" nil "{}")"#,
    read: r#"(with-temp-buffer (insert-file-contents "{}") (buffer-string))"#,
    scratch: r#"(list (getenv "TMPDIR") (make-temp-file "abc"))"#,
    connect: r#"(make-network-process :name "c" :host "127.0.0.1" :service {})"#,
    bind: r#"(make-network-process :name "s" :server t :host "0.0.0.0" :service 9123)"#,
    shell: r#"(unless (eql 0 (call-process "sh" nil nil nil "-c" "echo by a child > {}")) (error "no child"))"#,
};

const RACKET: Tries = Tries {
    runtime: "racket",
    write: r#"(call-with-output-file "{}" #:exists 'truncate (lambda (port) (display "written" port)))"#,
    read: r#"(call-with-input-file "{}" read)"#,
    scratch: r#"(list (getenv "TMPDIR") (make-temporary-file))"#,
    connect: r#"(tcp-connect "127.0.0.1" {})"#,
    bind: r#"(tcp-listen 0 4 #t "0.0.0.0")"#,
    shell: r#"(unless (system "echo by a child > {}") (error "no child"))"#,
};

fn eval(household: &mut Household, tries: &Tries, code: &str, argument: &str) -> Answer {
    household.call(
        "repl_eval",
        json!({ "code": code.replace("{}", argument), "runtime": tries.runtime, "session": tries.runtime, "timeout_seconds": 200 }),
    )
}

#[track_caller]
fn assert_answers(answer: &Answer) {
    assert!(!answer.is_error, "{}", answer.text);
}

/// The code ran and failed with an error of the image.
#[track_caller]
fn assert_fails(answer: &Answer) {
    assert!(answer.is_error && answer.fields["code"] == "LISP_ERROR", "{} {}", answer.text, answer.fields);
}

/// The directory of the temporary directories of images, one of which is `scratch`.
fn scratch_of(scratch: &str) -> PathBuf {
    let path = Path::new(scratch);
    let own = path.ancestors().find(|directory| {
        directory
            .parent()
            .and_then(Path::file_name)
            .is_some_and(|name| name.to_string_lossy().starts_with("lispwright-"))
    });
    own.unwrap_or_else(|| panic!("{scratch} is in no temporary directory of a server")).to_owned()
}

/// A home directory for the server, beside the project, with a file to read, and some that hold secrets.
fn home(project: &Project) -> PathBuf {
    let home = project.beside("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join("notes"), "42\n").unwrap();
    for directory in [".ssh", ".aws", "keys"] {
        fs::create_dir(home.join(directory)).unwrap();
    }
    for secret in [".ssh/id", ".aws/credentials", ".netrc", "keys/main"] {
        fs::write(home.join(secret), "4711\n").unwrap();
    }
    home
}

/// Whether the server reports that the mechanism works here; otherwise it must refuse an image.
fn works(household: &mut Household, mechanism: &str) -> bool {
    let status = household.call("repl_control", json!({ "action": "status" }));
    if status.fields["isolation"] == mechanism {
        tested(mechanism);
        return true;
    }
    tested(&format!("that an image is refused, for {mechanism} does not work here"));
    assert_eq!(status.fields["isolation"], "none-works", "{}", status.text);
    let answer = household.eval("main", "1");
    assert!(answer.is_error && answer.text.contains("No worker is started without it"), "{}", answer.text);
    assert_eq!(household.processes().len(), 1, "only the server");
    false
}

/// Checks all promises for one runtime under one mechanism.
fn check(tries: &Tries, mechanism: &str) {
    let project = Project::new();
    let home = home(&project);
    let outside = home.join("out");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let path = |name: &str| home.join(name).display().to_string();
    let (keys, shown) = (path("keys"), path(".aws"));
    let mut command = server_command(&project.root());
    command.arg(format!("--sandbox={mechanism}")).args(["--hide", &keys, "--show", &shown]).env("HOME", &home);
    let mut household = Household::with(project, command);
    if !works(&mut household, mechanism) {
        return;
    }
    let inside = household.project.at("in").display().to_string();
    let outside = outside.display().to_string();
    let notes = home.join("notes").display().to_string();

    assert_answers(&eval(&mut household, tries, tries.write, &inside));
    assert!(household.project.text("in").starts_with("written"));
    assert_fails(&eval(&mut household, tries, tries.write, &outside));
    assert_fails(&eval(&mut household, tries, tries.write, &notes));
    assert_fails(&eval(&mut household, tries, tries.shell, &outside));
    assert_answers(&eval(&mut household, tries, tries.shell, &inside));
    assert_eq!(household.project.text("in"), "by a child\n");
    assert!(!Path::new(&outside).exists());
    assert_eq!(fs::read_to_string(&notes).unwrap(), "42\n");
    assert!(eval(&mut household, tries, tries.read, &notes).text.contains("42"));
    for secret in [".ssh/id", ".netrc", "keys/main"] {
        let answer = eval(&mut household, tries, tries.read, &path(secret));
        assert!(!answer.text.contains("4711"), "{secret}: {}", answer.text);
        assert_eq!(fs::read_to_string(home.join(secret)).unwrap(), "4711\n");
    }
    assert!(eval(&mut household, tries, tries.read, &path(".aws/credentials")).text.contains("4711"));

    assert_fails(&eval(&mut household, tries, tries.connect, &port));
    assert!(listener.set_nonblocking(true).is_ok() && listener.accept().is_err(), "nobody has come");
    if mechanism == "landlock" {
        // Without a network, an image under bubblewrap may bind a port, but nobody can connect.
        assert_fails(&eval(&mut household, tries, tries.bind, ""));
    }

    let answer = eval(&mut household, tries, tries.scratch, "");
    assert_answers(&answer);
    let said = answer.text.split('"').find(|part| part.contains("/lispwright-")).unwrap_or_default().to_owned();
    let scratch = scratch_of(&said);
    assert_eq!(fs::metadata(&scratch).unwrap().permissions().mode() & 0o777, 0o700);
    household.call("repl_control", json!({ "action": "kill", "session": tries.runtime }));
    assert!(!scratch.exists(), "it ends with its image");
    let all = scratch.parent().unwrap().to_owned();
    assert!(household.client.finish().success());
    // The guard removes it if the server does not.
    assert!(comes(|| !all.exists()), "they end with the server");
}

#[test]
fn sbcl_under_landlock() {
    check(&COMMON_LISP, "landlock");
}

#[test]
fn sbcl_in_namespaces() {
    check(&COMMON_LISP, "namespaces");
}

#[test]
fn sbcl_under_bubblewrap() {
    check(&COMMON_LISP, "bubblewrap");
}

#[test]
fn ecl_under_landlock() {
    check(&ECL, "landlock");
}

#[test]
fn ecl_in_namespaces() {
    check(&ECL, "namespaces");
}

#[test]
fn ecl_under_bubblewrap() {
    check(&ECL, "bubblewrap");
}

#[test]
fn clisp_under_landlock() {
    check(&CLISP, "landlock");
}

#[test]
fn clisp_in_namespaces() {
    check(&CLISP, "namespaces");
}

#[test]
fn clisp_under_bubblewrap() {
    check(&CLISP, "bubblewrap");
}

#[test]
fn guile_under_landlock() {
    check(&GUILE, "landlock");
}

#[test]
fn guile_in_namespaces() {
    check(&GUILE, "namespaces");
}

#[test]
fn guile_under_bubblewrap() {
    check(&GUILE, "bubblewrap");
}

#[test]
fn clojure_under_landlock() {
    check(&CLOJURE, "landlock");
}

#[test]
fn clojure_in_namespaces() {
    check(&CLOJURE, "namespaces");
}

#[test]
fn clojure_under_bubblewrap() {
    check(&CLOJURE, "bubblewrap");
}

#[test]
fn emacs_under_landlock() {
    check(&EMACS, "landlock");
}

#[test]
fn emacs_in_namespaces() {
    check(&EMACS, "namespaces");
}

#[test]
fn emacs_under_bubblewrap() {
    check(&EMACS, "bubblewrap");
}

#[test]
fn racket_under_landlock() {
    check(&RACKET, "landlock");
}

#[test]
fn racket_in_namespaces() {
    check(&RACKET, "namespaces");
}

#[test]
fn racket_under_bubblewrap() {
    check(&RACKET, "bubblewrap");
}

/// The signal that interrupts an Emacs must reach it instead of the program that confines it.
#[test]
fn a_confined_emacs_is_interrupted() {
    for mechanism in ["landlock", "namespaces", "bubblewrap"] {
        let mut household = Household::new(&[&format!("--sandbox={mechanism}")]);
        if !works(&mut household, mechanism) {
            continue;
        }
        assert_answers(&household.call("repl_eval", json!({ "code": "(setq kept 41)", "runtime": "emacs" })));
        let mut within = |seconds: u32, code: &str| {
            household.call("repl_eval", json!({ "code": code, "runtime": "emacs", "timeout_seconds": seconds }))
        };
        assert_eq!(within(1, "(while t)").fields["code"], "TIMEOUT", "{mechanism}");
        assert_eq!(within(200, "(1+ kept)").text, "=> 42", "{mechanism}");
    }
}

/// Racket itself frees memory that it never had when it gets no socket, and says so in other words or ends.
#[test]
fn a_confined_racket_is_told_why_it_cannot_connect() {
    let mut household = Household::new(&["--sandbox=landlock"]);
    if works(&mut household, "landlock") {
        let answer = eval(&mut household, &RACKET, RACKET.connect, "9");
        assert_fails(&answer);
        assert!(answer.text.contains("tcp-connect: ") && answer.text.contains("not permitted"), "{}", answer.text);
    }
}

/// A confined image works like others.
fn check_use(mechanism: &str) {
    let mut household = Household::new(&[&format!("--sandbox={mechanism}")]);
    if !works(&mut household, mechanism) {
        return;
    }
    let printed =
        household.eval("main", "(princ 1) (princ 2 *error-output*) (uiop:run-program \"echo 3\" :output :interactive)");
    assert_eq!(printed.fields["stdout"], "13\n", "{}", printed.text);
    assert_eq!(printed.fields["stderr"], "2", "{}", printed.text);
    let stopped = household.call("repl_eval", json!({ "code": "(loop)", "timeout_seconds": 0.3 }));
    assert_eq!(stopped.fields["execution_status"], "interrupted", "{}", stopped.text);
    household.eval("main", "(defvar *x* 1)");
    household.call("repl_control", json!({ "action": "checkpoint", "name": "c" }));
    household.eval("main", "(setf *x* 2)");
    // An image that ignores interrupts is killed, and the checkpoint goes on: it is reachable from outside the sandbox.
    let deaf = json!({ "code": "(sb-sys:without-interrupts (loop))", "timeout_seconds": 0.3 });
    let back = household.call("repl_eval", deaf.clone());
    assert!(back.text.contains("back at checkpoint \"c\""), "{}", back.text);
    assert_eq!(household.eval("main", "*x*").text, "=> 1");
    let trial = household.call("repl_eval", json!({ "code": "(setf *x* 3)", "trial": true }));
    assert_eq!(trial.text, "=> 3");
    household.call("repl_control", json!({ "action": "reset" }));
    let gone = household.call("repl_eval", deaf);
    assert_eq!(gone.fields["code"], "SESSION_LOST", "{}", gone.text);
    assert!(gone.text.contains("did not listen"), "{}", gone.text);
    // Compiled files go into the cache of confined images.
    let cached = household.eval("main", "(namestring (asdf:apply-output-translations \"/somewhere/a.fasl\"))");
    assert!(cached.text.contains("/lispwright/sandboxed/"), "{}", cached.text);
    let written = household.eval("main", "(ensure-directories-exist (asdf:apply-output-translations \"/somewhere/\"))");
    assert_answers(&written);
    household.client.kill();
    household.assert_gone(0, "a confined image ends with a killed server");
}

#[test]
fn an_image_under_landlock_works_like_others() {
    check_use("landlock");
}

#[test]
fn an_image_in_namespaces_works_like_others() {
    check_use("namespaces");
}

#[test]
fn an_image_under_bubblewrap_works_like_others() {
    check_use("bubblewrap");
}

#[test]
fn without_namespaces_landlock_is_used_and_its_gaps_are_named() {
    let project = Project::new();
    let server = server_command(&project.root());
    let mut command = std::process::Command::new("unshare");
    let without = "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\"";
    command.args(["--user", "--map-root-user", "sh", "-c", without, "sh"]);
    command.arg(server.get_program()).args(server.get_args()).arg("--sandbox");
    command.envs(server.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if !std::process::Command::new("unshare").args(["--user", "true"]).status().is_ok_and(|status| status.success()) {
        tested("nothing: there are no namespaces here anyway");
        return;
    }
    let mut session = Session { client: Client::connect(command), project };
    let status = session.ok("repl_control", json!({ "action": "status", "detail": true }));
    assert_eq!(status.fields["isolation"], Value::from("landlock"), "{}", status.text);
    assert!(status.text.contains("Not restricted: modes, owners"), "{}", status.text);
}

#[test]
fn a_server_that_only_told_of_its_sandbox_leaves_nothing() {
    let project = Project::new();
    let temporary = project.beside("temporary");
    fs::create_dir(&temporary).unwrap();
    let mut command = server_command(&project.root());
    command.arg("--sandbox").env("TMPDIR", &temporary);
    let mut household = Household::with(project, command);
    household.call("repl_control", json!({ "action": "status" }));
    let left = || fs::read_dir(&temporary).unwrap().count();
    tested(if left() == 0 { "nothing: no mechanism works here" } else { "a directory" });
    drop(household.client);
    assert!(comes(|| left() == 0), "{} directories are left", left());
}

#[test]
fn without_a_mechanism_no_image_starts() {
    let broken = "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n";
    for (script, says) in
        [(None, "not installed (apt-get install bubblewrap)"), (Some(broken), "does not work here (bwrap: No")]
    {
        let project = Project::new();
        let programs = project.beside("bin");
        fs::create_dir(&programs).unwrap();
        for program in ["sbcl", "guile", "sh", "grep", "rm"] {
            let found = lispwright_runtime::find_program(program).unwrap();
            std::os::unix::fs::symlink(found, programs.join(program)).unwrap();
        }
        if let Some(script) = script {
            fs::write(programs.join("bwrap"), script).unwrap();
            fs::set_permissions(programs.join("bwrap"), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut command = server_command(&project.root());
        command.arg("--sandbox=bubblewrap").env("PATH", &programs);
        let mut session = Session { client: Client::connect(command), project };
        for runtime in ["sbcl", "guile"] {
            let code = json!({ "code": "1", "runtime": runtime });
            session.refused("repl_eval", code, "RUNTIME_MISSING", &["--sandbox: ", says, "No worker is started"]);
        }
        let status = session.ok("repl_control", json!({ "action": "status" }));
        assert!(status.text.contains(says), "{}", status.text);
        assert_eq!(status.fields["isolation"], Value::from("none-works"));
    }
}
