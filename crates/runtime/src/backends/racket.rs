//! Racket CS. Its workers load the agent as compiled modules.

use std::ffi::OsString;

use lispwright_syntax::Dialect;

use super::{Backend, Capability, Loading, PROTOCOL_APART, Words};
use crate::agent::{Agent, Saved, Start, quoted, quoted_path};

/// The modules of `images/racket`, each after those that it requires.
macro_rules! modules {
    ($($file:literal),* $(,)?) => {
        [$(($file, include_str!(concat!("../../../../images/racket/", $file)))),*]
    };
}

/// Declares the module called `name` from the `code` that `read` finds. The modules require each other by their names
/// in a directory that need not exist.
const DECLARE: &str = "(define (path name) (string->path (string-append \"/lispwright/\" name))) \
    (define (declare name use) \
      (parameterize ([current-module-declare-name (make-resolved-module-path (path name))] \
                     [current-load-relative-directory (path \"\")]) \
        (use))) \
    (define (compile-text name text) \
      (parameterize ([read-accept-reader #t] [read-accept-lang #t]) \
        (define port (open-input-string text)) \
        (port-count-lines! port) \
        (compile (namespace-syntax-introduce (read-syntax (path name) port)))))";

pub(super) static BACKEND: Backend = Backend {
    name: "racket",
    program: "racket",
    package: "racket",
    packages: &[
        ("dnf", "racket"),
        ("zypper", "racket"),
        ("pacman", "racket"),
        ("apk", "racket"),
        ("brew", "minimal-racket"),
        ("nix", "nixpkgs#racket"),
        ("guix", "racket"),
    ],
    tried: "8.7",
    has: &[Capability::Eval, Capability::Interrupt],
    dialect: Dialect::Racket,
    extensions: &["rkt"],
    frameworks: &["rackunit"],
    libraries: &["/usr/share/racket", "/usr/local/share/racket"],
    exports: Some(|of_user| {
        let words = evaluating(include_str!("../../../../images/racket/exports.rkt"));
        (!of_user).then(|| OsString::from("-U")).into_iter().chain(words).collect()
    }),
    words: Words {
        package: "module",
        input: "(parameterize ([current-input-port (open-input-string \"...\")]) ...)",
        not_looked_at: "files that this image has not compiled itself, and names in data",
        missing_package: "A module of the project is named by its file, such as \"main.rkt\", and a library as in require, such as \
                          \"racket/list\"; the prompt itself is \"top-level\".",
        loading: Some(Loading::ByFile("the file of a module")),
        ..Words::NOTHING
    },
    agent: Some(Agent {
        text,
        start: |start, heap, _| {
            let (load, port) = match start {
                Start::Saved(image) => (
                    format!(
                        "(call-with-input-file {} (lambda (in) (let loop () (define name (read in)) (unless (eof-object? name) \
                         (define code (parameterize ([read-accept-compiled #t]) (read in))) \
                         (declare name (lambda () (eval code))) (loop)))))",
                        quoted_path(image)
                    ),
                    "#f",
                ),
                // The parent sends nothing more before the greeting, so nothing else can be read with it.
                Start::Plain(_) => (
                    "(define requests ((dynamic-require ''#%unsafe 'unsafe-file-descriptor->port) 8 'requests '(read))) \
                     (for ([part (read requests)]) \
                       (declare (car part) (lambda () (eval (compile-text (car part) (cadr part))))))"
                        .to_owned(),
                    "requests",
                ),
            };
            evaluating(&format!("{DECLARE} {load} ((dynamic-require (path \"main.rkt\") 'main) {heap} {port})"))
        },
        saved: Saved::Image {
            extension: "zo",
            arguments: |path| {
                evaluating(&format!(
                    "{DECLARE} (call-with-output-file {} (lambda (out) (for ([part (read)]) (declare (car part) (lambda () \
                     (define code (compile-text (car part) (cadr part))) (eval code) (write (car part) out) (write code out))))))",
                    quoted_path(path)
                ))
            },
        },
    }),
    shell: Some(PROTOCOL_APART),
    // It reads requests to interrupt from the wire, also while code runs.
    signals: &[],
    ..Backend::NOTHING
};

/// A list of names and texts.
fn text() -> String {
    let modules = modules![
        "wire.rkt",
        "project.rkt",
        "print.rkt",
        "instrument.rkt",
        "stack.rkt",
        "objects.rkt",
        "collections.rkt",
        "code.rkt",
        "registry.rkt",
        "settings.rkt",
        "agent.rkt",
        "renewal.rkt",
        "look.rkt",
        "names.rkt",
        "work.rkt",
        "tests.rkt",
        "main.rkt",
    ];
    let parts = modules.map(|(name, text)| format!("({} {})", quoted(name), quoted(text)));
    format!("({})\n", parts.join("\n"))
}

fn evaluating(code: &str) -> Vec<OsString> {
    ["-l", "racket/base", "-e", code].map(OsString::from).into()
}
