//! The functions that a server keeps which was started here, so that they are compiled once.
//!
//! They are in the namespace `lispwright.image`, so that their frames differ from the user's code on a stack. With an archive
//! of compiled classes on its class path ([`archive`]) a server has them at once; without one it compiles them beside the
//! first calls.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::details::literal;
use super::server::{class_path, jars};
use crate::agent::Start;
use crate::backends::Runtime;
use crate::image::{self, LOCK_LIMIT, Recipe};
use crate::remote::Protocol;

/// A function of `images/clojure`, under its name in the server.
macro_rules! function {
    ($name:literal, $file:literal) => {
        concat!("(def ", $name, "\n", include_str!(concat!("../../../../images/clojure/", $file)), ")\n")
    };
}

/// What the first calls need.
const FIRST: &str = concat!(
    include_str!("../../../../images/clojure/restore.clj"),
    function!("error", "error.clj"),
    function!("describe", "describe.cljc"),
);

/// What brings the image to the state of the files and runs tests.
const FURTHER: &str = concat!(
    function!("test-space", "tests.clj"),
    include_str!("../../../../images/clojure/journal.clj"),
    include_str!("../../../../images/clojure/renewal.clj"),
);

/// The head of a file in which they can be compiled.
const HEAD: &str = "(in-ns 'lispwright.image)\n(clojure.core/refer 'clojure.core)\n";

/// The program that compiles them.
const COMPILER: &str = include_str!("../../../../images/clojure/compile.clj");

/// Defines them: from the archive, or from their text. The further ones are then compiled in a thread of their own, because
/// the session that is asked for details of errors goes on.
pub(super) fn preparation() -> String {
    format!(
        "(let [space (create-ns 'lispwright.image)
               ready (promise)]
           (intern space 'ready ready)
           (if (try (load \"/lispwright/functions\") true (catch Throwable _ false))
             (deliver ready true)
             (binding [*ns* space]
               (refer 'clojure.core)
               (eval '(do {FIRST}))
               (doto (Thread. (bound-fn [] (try (load-string {}) (finally (deliver ready true)))))
                 (.setDaemon true)
                 (.start))))
           nil)",
        literal(FURTHER)
    )
}

/// Finds or makes the archive of classes below `cache`, for a server with the jars of the distribution. Blocks. `mark` is that
/// of the process that compiles them.
pub(super) fn archive(java: &Path, cache: Option<&Path>, mark: &str) -> Option<PathBuf> {
    let mut text = [COMPILER, HEAD, FIRST, FURTHER].concat();
    // What the classes were compiled from is a part of their name.
    for jar in jars() {
        let data = jar.metadata().ok()?;
        let jar = jar.canonicalize().ok()?;
        let _ = writeln!(text, ";; {} {} {:?}", jar.display(), data.len(), data.modified().ok());
    }
    let arguments = |path: &Path| -> Vec<OsString> {
        let words = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"].map(OsString::from);
        words.into_iter().chain([class_path(jars()), "clojure.main".into(), "-".into(), path.into()]).collect()
    };
    let recipe = Recipe { runtime: Runtime::speaking(Protocol::Nrepl), text, extension: "jar", arguments };
    match image::saved(&recipe, java, cache, mark, None, Instant::now() + LOCK_LIMIT) {
        Start::Saved(path) => Some(path),
        Start::Plain(why) => {
            tracing::warn!(why, "the server compiles its functions itself");
            None
        }
    }
}
