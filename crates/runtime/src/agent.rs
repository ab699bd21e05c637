//! The Lisp that runs inside a worker, and the command lines around it: starting from a saved image, starting plain, and
//! saving the image.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::backend::Runtime;

/// How a worker is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// From a saved image.
    Saved(PathBuf),
    /// From the implementation's own image, the agent fed through standard input; with the reason for it.
    Plain(String),
}

/// The agent of a runtime.
pub(crate) struct Agent {
    /// Whose it is.
    pub(crate) runtime: Runtime,
    /// Its parts, in the order in which they are read.
    pub(crate) parts: &'static [&'static str],
    /// Parts that it reads by itself when they are needed.
    pub(crate) late_parts: &'static [&'static str],
    /// What names of saved images end in.
    pub(crate) extension: &'static str,
}

/// Every agent there is.
static AGENTS: [Agent; 4] = [
    Agent {
        runtime: Runtime::Sbcl,
        parts: &[
            include_str!("../../../images/common-lisp-descriptors.lisp"),
            include_str!("../../../images/common-lisp-sbcl.lisp"),
            include_str!("../../../images/common-lisp-bounded.lisp"),
            include_str!("../../../images/common-lisp-wire.lisp"),
            include_str!("../../../images/common-lisp.lisp"),
            include_str!("../../../images/common-lisp-objects.lisp"),
            include_str!("../../../images/common-lisp-expand.lisp"),
            include_str!("../../../images/common-lisp-held.lisp"),
            include_str!("../../../images/common-lisp-copies.lisp"),
            include_str!("../../../images/common-lisp-sbcl-compiler.lisp"),
            include_str!("../../../images/common-lisp-asdf.lisp"),
            include_str!("../../../images/common-lisp-systems.lisp"),
            include_str!("../../../images/common-lisp-plans.lisp"),
            include_str!("../../../images/common-lisp-explanations.lisp"),
            include_str!("../../../images/common-lisp-frameworks.lisp"),
            include_str!("../../../images/common-lisp-tally.lisp"),
            include_str!("../../../images/common-lisp-summaries.lisp"),
            include_str!("../../../images/common-lisp-observing.lisp"),
            include_str!("../../../images/common-lisp-results.lisp"),
            include_str!("../../../images/common-lisp-test-op.lisp"),
            include_str!("../../../images/common-lisp-tests.lisp"),
            include_str!("../../../images/common-lisp-describe.lisp"),
            include_str!("../../../images/common-lisp-sbcl-describe.lisp"),
        ],
        late_parts: &[],
        extension: "core",
    },
    Agent {
        runtime: Runtime::Guile,
        parts: &[
            include_str!("../../../images/guile-system.scm"),
            include_str!("../../../images/guile-roots.scm"),
            include_str!("../../../images/guile-print.scm"),
            include_str!("../../../images/guile-stack.scm"),
            include_str!("../../../images/guile.scm"),
            include_str!("../../../images/guile-warnings.scm"),
            include_str!("../../../images/guile-work.scm"),
            include_str!("../../../images/guile-look.scm"),
            include_str!("../../../images/guile-describe.scm"),
            include_str!("../../../images/guile-references.scm"),
            include_str!("../../../images/guile-held.scm"),
            include_str!("../../../images/guile-copies.scm"),
        ],
        late_parts: &[],
        extension: "go",
    },
    Agent {
        runtime: Runtime::Ecl,
        parts: &[
            include_str!("../../../images/common-lisp-descriptors.lisp"),
            include_str!("../../../images/common-lisp-ecl.lisp"),
            include_str!("../../../images/common-lisp-libc.lisp"),
            include_str!("../../../images/common-lisp-ecl-signals.lisp"),
            include_str!("../../../images/common-lisp-bounded.lisp"),
            include_str!("../../../images/common-lisp-wire.lisp"),
            include_str!("../../../images/common-lisp.lisp"),
            include_str!("../../../images/common-lisp-objects.lisp"),
            include_str!("../../../images/common-lisp-expand.lisp"),
            include_str!("../../../images/common-lisp-held.lisp"),
        ],
        late_parts: &[
            include_str!("../../../images/common-lisp-asdf.lisp"),
            include_str!("../../../images/common-lisp-performing.lisp"),
            include_str!("../../../images/common-lisp-ecl-compiler.lisp"),
            include_str!("../../../images/common-lisp-systems.lisp"),
            include_str!("../../../images/common-lisp-plans.lisp"),
            include_str!("../../../images/common-lisp-explanations.lisp"),
            include_str!("../../../images/common-lisp-frameworks.lisp"),
            include_str!("../../../images/common-lisp-tally.lisp"),
            include_str!("../../../images/common-lisp-summaries.lisp"),
            include_str!("../../../images/common-lisp-observing.lisp"),
            include_str!("../../../images/common-lisp-results.lisp"),
            include_str!("../../../images/common-lisp-test-op.lisp"),
            include_str!("../../../images/common-lisp-tests.lisp"),
        ],
        extension: "",
    },
    Agent {
        runtime: Runtime::Clisp,
        parts: &[
            include_str!("../../../images/common-lisp-descriptors.lisp"),
            include_str!("../../../images/common-lisp-clisp.lisp"),
            include_str!("../../../images/common-lisp-libc.lisp"),
            include_str!("../../../images/common-lisp-bounded.lisp"),
            include_str!("../../../images/common-lisp-wire.lisp"),
            include_str!("../../../images/common-lisp.lisp"),
            include_str!("../../../images/common-lisp-objects.lisp"),
            include_str!("../../../images/common-lisp-expand.lisp"),
            include_str!("../../../images/common-lisp-held.lisp"),
        ],
        late_parts: &[
            include_str!("../../../images/common-lisp-asdf.lisp"),
            include_str!("../../../images/common-lisp-performing.lisp"),
            include_str!("../../../images/common-lisp-clisp-compiler.lisp"),
            include_str!("../../../images/common-lisp-systems.lisp"),
            include_str!("../../../images/common-lisp-plans.lisp"),
            include_str!("../../../images/common-lisp-explanations.lisp"),
            include_str!("../../../images/common-lisp-frameworks.lisp"),
            include_str!("../../../images/common-lisp-tally.lisp"),
            include_str!("../../../images/common-lisp-summaries.lisp"),
            include_str!("../../../images/common-lisp-observing.lisp"),
            include_str!("../../../images/common-lisp-results.lisp"),
            include_str!("../../../images/common-lisp-test-op.lisp"),
            include_str!("../../../images/common-lisp-tests.lisp"),
        ],
        extension: "mem",
    },
];

/// Reads the agent's forms from standard input up to `:END`.
const LOAD: &str = "(with-compilation-unit () (loop for form = (read) until (eq form :end) do (eval form)))";

/// The same in CLISP, where evaluating a definition does not compile it. What it warns of would go to standard output.
const CLISP_LOAD: &str = "(let ((*error-output* (make-broadcast-stream))) \
    (loop with text = (ext:make-stream :input :external-format charset:utf-8) \
    for form = (read text) until (eq form :end) do (funcall (compile nil (list 'lambda nil form)))))";

/// Has a Common Lisp serve.
const MAIN: &str = "(funcall (intern \"MAIN\" \"LISPWRIGHT.AGENT\"))";

impl Agent {
    /// The agent of `runtime`, if it has one.
    pub(crate) fn of(runtime: Runtime) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.runtime == runtime)
    }

    /// What a plain start and a save are fed through standard input.
    pub(crate) fn text(&self) -> String {
        let mut text = self.parts.join("\n");
        if !self.late_parts.is_empty() {
            let late = self.late_parts.join("\n");
            text.push_str(&format!("\n(setf *late-parts* {})\n", quoted(&late)));
        }
        if self.runtime != Runtime::Guile {
            text.push_str("\n:end\n");
        }
        text
    }

    /// Why its workers start without a saved image, if they do.
    pub(crate) fn plain_reason(&self) -> Option<&'static str> {
        (self.runtime == Runtime::Ecl).then_some("ECL saves no images; the agent loads in a moment")
    }

    /// The arguments that run `start` with a heap of `heap` megabytes. What the worker compiles goes below `compiled`, else
    /// where the saved image is.
    pub(crate) fn start_arguments(&self, start: &Start, heap: u32, compiled: Option<&Path>) -> Vec<OsString> {
        match self.runtime {
            Runtime::Guile => self.guile_start(start, heap, compiled),
            Runtime::Ecl => ecl_start(heap),
            Runtime::Clisp => clisp_start(start, heap),
            _ => sbcl_start(start, heap),
        }
    }

    /// The arguments that write the image to `path`.
    pub(crate) fn save_arguments(&self, path: &Path) -> Vec<OsString> {
        let path = quoted_path(path);
        match self.runtime {
            Runtime::Guile => {
                // An image that is mapped from a file has to keep to page boundaries. The compiler's second level takes
                // eight times as long, for answers that are some milliseconds quicker when they are long.
                guile(&format!(
                    "(call-with-output-file {path} (lambda (port) ((@ (ice-9 binary-ports) put-bytevector) port {})) \
                     #:binary #t)",
                    self.guile_compiled(1, "'(#:to-file? #t)")
                ))
            }
            Runtime::Clisp => CLISP
                .into_iter()
                .chain(["-on-error", "exit", "-x", CLISP_LOAD, "-x"])
                .chain([&*format!("(funcall (intern \"SAVE\" \"LISPWRIGHT.AGENT\") {path})")])
                .map(OsString::from)
                .collect(),
            _ => ["--noinform", "--disable-ldb", "--no-sysinit", "--no-userinit", "--disable-debugger", "--eval"]
                .into_iter()
                .chain([LOAD, "--eval", &format!("(funcall (intern \"SAVE\" \"LISPWRIGHT.AGENT\") {path})")])
                .map(OsString::from)
                .collect(),
        }
    }

    fn guile_start(&self, start: &Start, heap: u32, compiled: Option<&Path>) -> Vec<OsString> {
        let (load, beside) = match start {
            Start::Saved(image) => (format!("(load-compiled {})", quoted_path(image)), image.parent()),
            Start::Plain(_) => {
                (format!("(((@ (system vm loader) load-thunk-from-memory) {}))", self.guile_compiled(1, "'()")), None)
            }
        };
        let cache = compiled.or(beside).map_or_else(|| "#f".into(), quoted_path);
        guile(&format!("{load} ((@ (lispwright agent) main) {cache} {heap})"))
    }

    /// The expression that reads the agent from standard input, and no byte more, and compiles it.
    fn guile_compiled(&self, level: u32, options: &str) -> String {
        format!(
            "(let ((input (current-input-port))) (setvbuf input 'none) ((@ (system base compile) read-and-compile) \
             (open-input-string ((@ (rnrs bytevectors) utf8->string) ((@ (ice-9 binary-ports) get-bytevector-n) input \
             {}))) #:from 'scheme #:to 'bytecode #:optimization-level {level} #:warning-level 0 #:opts {options}))",
            self.text().len()
        )
    }
}

fn guile(code: &str) -> Vec<OsString> {
    ["--no-auto-compile", "-q", "-c", code].map(OsString::from).into()
}

fn sbcl_start(start: &Start, heap: u32) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = Vec::new();
    if let Start::Saved(core) = start {
        arguments.extend(["--core".into(), core.into()]);
    }
    let heap = format!("{heap}MB");
    arguments.extend(
        ["--noinform", "--disable-ldb", "--no-merge-core-pages", "--dynamic-space-size", &heap].map(OsString::from),
    );
    if let Start::Plain(_) = start {
        arguments.extend(
            ["--no-sysinit", "--no-userinit", "--disable-debugger", "--eval", LOAD, "--eval"].map(OsString::from),
        );
        arguments.push(MAIN.into());
    }
    arguments
}

/// Places on ECL's stack of exits: so many that the C stack, whose exhaustion it survives, is exhausted first.
const FRAMES: &str = "131072";

fn ecl_start(heap: u32) -> Vec<OsString> {
    let heap = (u64::from(heap) << 20).to_string();
    ["--norc", "--heap-size", &heap, "--frame-stack", FRAMES, "--eval", LOAD, "--eval", MAIN].map(OsString::from).into()
}

const CLISP: [&str; 4] = ["-norc", "-q", "-q", "-ansi"];

fn clisp_start(start: &Start, heap: u32) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = CLISP.map(OsString::from).into();
    // The agent reads this option again and sets the limit: CLISP takes it for a beginning.
    arguments.extend(["-m".into(), format!("{heap}MB").into()]);
    match start {
        Start::Saved(image) => arguments.extend(["-M".into(), image.into()]),
        Start::Plain(_) => arguments.extend(
            ["-on-error", "debug", "-x"].map(OsString::from).into_iter().chain([format!(
                "(progn {CLISP_LOAD} (sys::driver (symbol-function (intern \"DRIVE\" \"LISPWRIGHT.AGENT\"))))"
            )
            .into()]),
        ),
    }
    arguments
}

/// A path as a string that every Lisp reads.
fn quoted_path(path: &Path) -> String {
    quoted(&path.display().to_string())
}

/// A text as a string that every Lisp reads.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
