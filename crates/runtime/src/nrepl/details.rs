//! The questions to a server besides the caller's code, and the reading of its answers.
//!
//! Nothing is defined in the image: the questions are expressions whose value is a string in the notation of the wire, as
//! the agents of other runtimes send it.

use std::time::Duration;

use crate::question::ExpansionLevel;
use crate::wire::Value;

/// The kind of Clojure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// Clojure on the JVM and similar ones.
    Jvm,
    /// ClojureScript on Node.
    Node,
}

/// The function that describes a thrown object, on the JVM.
const ERROR: &str = include_str!("../../../../images/clojure/error.clj");

/// The function that describes the meanings of a name.
const DESCRIBE: &str = include_str!("../../../../images/clojure/describe.cljc");

/// The names under which these functions are kept in a server that was started here, so that they are compiled once.
const KEPT: &str = "lispwright.image/error";
const KEPT_DESCRIBE: &str = "lispwright.image/describe";
const KEPT_TESTS: &str = "lispwright.image/test-space";

/// Makes the standard input of a session one that code cannot close.
pub(crate) const INPUT: &str = include_str!("../../../../images/clojure/input.clj");

/// The value of `*e` of `session`, asked from another session; without `session`, of the session that is asked.
pub(crate) fn error_question(flavour: Flavour, session: Option<&str>, kept: bool) -> String {
    let describe = if kept { KEPT } else { ERROR };
    match (flavour, session) {
        (Flavour::Node, _) => format!("({} *e)", include_str!("../../../../images/clojure/error.cljs")),
        (Flavour::Jvm, None) => format!("({describe} *e)"),
        (Flavour::Jvm, Some(session)) => format!(
            "({describe} (get @(get @@(resolve 'nrepl.middleware.session/sessions) {}) #'*e))",
            literal(session)
        ),
    }
}

/// The number of the thread that evaluates for `session`, and its stack.
pub(crate) fn stack_question(session: &str, kept: bool) -> String {
    format!(
        "(let [thrown (Exception.)
               thread (some (fn [^Thread thread] (when (= (.getName thread) {}) thread)) (keys (Thread/getAllStackTraces)))]
           (.setStackTrace thrown (if thread (.getStackTrace ^Thread thread) (make-array StackTraceElement 0)))
           (str \"(:THREAD \" (if thread (.getId ^Thread thread) \"NIL\") \" :AT \" ({} thrown) \")\"))",
        literal(&thread_name(session)),
        if kept { KEPT } else { ERROR }
    )
}

/// Whether the thread with that number lives.
pub(crate) fn life_question(thread: i64) -> String {
    format!(
        "(str \"(:LIVES \" (if (some (fn [^Thread thread] (= (.getId thread) {thread})) \
         (keys (Thread/getAllStackTraces))) \"T\" \"NIL\") \")\")"
    )
}

/// Removes the class loaders that evaluations have left from the threads of `session` and of the session that is asked.
pub(crate) fn loaders_question(session: &str) -> String {
    format!("({} {})", include_str!("../../../../images/clojure/loaders.clj"), literal(&thread_name(session)))
}

/// The name that nREPL gives to the thread that evaluates for `session`.
fn thread_name(session: &str) -> String {
    format!("nREPL-session-{session}")
}

/// The expansion of `form`, and whether it differs from the form.
pub(crate) fn expansion_question(form: &str, level: ExpansionLevel) -> String {
    let level = match level {
        ExpansionLevel::Once => ":once",
        ExpansionLevel::Full => ":full",
        ExpansionLevel::All => ":all",
    };
    format!("({} '{form}\n {level})", include_str!("../../../../images/clojure/expand.cljc"))
}

/// The meanings of `name` in the namespace `space`; `limit` is the number of characters of a documentation string.
pub(crate) fn description_question(space: &str, name: &str, limit: usize, kept: bool) -> String {
    let describe = if kept { KEPT_DESCRIBE } else { DESCRIBE };
    format!("({describe} (symbol {}) {} {limit})", literal(space), literal(name.trim()))
}

/// The exports of the namespace `space`: `count` of its public vars from `offset` on, each as a description whose
/// documentation is at most a line.
pub(crate) fn exports_question(space: &str, offset: u32, count: u32, kept: bool) -> String {
    let describe = if kept { KEPT_DESCRIBE } else { DESCRIBE };
    format!(
        "({} {describe} (symbol {}) {offset} {count})",
        include_str!("../../../../images/clojure/exports.cljc"),
        literal(space.trim())
    )
}

/// Removes the tests and fixtures of a namespace before it is loaded again, because some may be gone from its files;
/// its name is the value of `space`.
pub(crate) fn forget_tests(space: &str) -> String {
    format!(
        "(when-let [space (find-ns {space})] \
         (alter-meta! space dissoc :clojure.test/each-fixtures :clojure.test/once-fixtures) \
         (doseq [test (vals (ns-interns space)) :when (:test (meta test))] (alter-meta! test dissoc :test)))"
    )
}

/// The results of the tests of a namespace, which may take so long; its name is the value of `space`. `kept` says that the
/// server has the function for it.
pub(crate) fn tests_question(space: &str, names: &[String], time: Duration, kept: bool) -> String {
    let names: Vec<String> = names.iter().map(|name| literal(name)).collect();
    let tests = if kept { KEPT_TESTS } else { include_str!("../../../../images/clojure/tests.clj") };
    format!("({tests} {space} [{}] {:.3})", names.join(" "), time.as_secs_f64())
}

/// The names of all namespaces, as a list on the wire.
pub(crate) const NAMESPACES: &str =
    r#"(str "(" (apply str (map (fn [space] (str "\"" (ns-name space) "\" ")) (all-ns))) ")")"#;

/// A string as Clojure reads it.
pub(crate) fn literal(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The datum in a printed string.
pub(crate) fn answer(printed: &str) -> Option<Value> {
    Value::decode(unprinted(printed)?.as_bytes()).ok()
}

/// The text of a string as Clojure prints it.
fn unprinted(printed: &str) -> Option<String> {
    let inside = printed.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        text.push(match characters.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\u{c}',
            'b' => '\u{8}',
            'u' => {
                let digits: String = characters.by_ref().take(4).collect();
                u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            other => other,
        });
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn printed_strings_are_read_back() {
        assert_eq!(unprinted(r#""a\n\"b\" \\ c\u00e9""#).unwrap(), "a\n\"b\" \\ c\u{e9}");
        assert_eq!(unprinted("nil"), None);
        assert_eq!(answer(r#""(:TYPE \"x\\\\y\")""#).unwrap().get_text("TYPE"), Some("x\\y"));
    }
}
