//! The compilers of the languages, which judge many files in one process each.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lispwright_syntax::Dialect;

/// A text to be judged.
pub(crate) struct Case<'t> {
    pub(crate) name: String,
    /// What the case belongs to: the system that is loaded before, in Common Lisp, or the file that it is in Racket.
    pub(crate) context: String,
    pub(crate) text: &'t str,
}

/// Where the distribution keeps its jars.
const JARS: &str = "/usr/share/java";

/// What the compiler says of each case that it could judge.
pub(crate) type Told = HashMap<String, Vec<String>>;

/// Asks the compiler of a dialect. Its answers are kept in `scratch` as long as the texts and the script stay the same.
pub(crate) fn ask(dialect: Dialect, cases: &[Case<'_>], home: &Path, scratch: &Path) -> Told {
    let told = try_ask(dialect, cases, home, scratch).unwrap_or_else(|error| {
        eprintln!("the oracle of {}: {error}", dialect.name());
        String::new()
    });
    let mut all = Told::default();
    let mut current = String::new();
    for line in told.lines() {
        match line.split_once('\t').unwrap_or((line, "")) {
            ("case", name) => {
                name.clone_into(&mut current);
                all.insert(current.clone(), Vec::new());
            }
            ("told", text) => all.entry(current.clone()).or_default().push(plain(text)),
            ("failed", _) => drop(all.remove(&current)),
            _ => {}
        }
    }
    all
}

fn try_ask(dialect: Dialect, cases: &[Case<'_>], home: &Path, scratch: &Path) -> std::io::Result<String> {
    let ending = dialect.table().endings.first().copied().unwrap_or("lisp");
    let mut list = String::new();
    fs::create_dir_all(scratch)?;
    let mut asked = String::new();
    for case in cases {
        let path = scratch.join(format!("case-{}.{ending}", case.name));
        fs::write(&path, case.text)?;
        if !case.context.is_empty() {
            list.push_str(&format!("{}\t", case.context));
        }
        list.push_str(&format!("{}\t{}\n", case.name, path.display()));
        asked.push_str(case.text);
    }
    let script = script(dialect);
    asked.push_str(&list);
    asked.push_str(&fs::read_to_string(&script)?);
    let (question, answer, input) =
        (scratch.join("asked.txt"), scratch.join("answered.txt"), scratch.join("files.txt"));
    let is_known = fs::read_to_string(&question).is_ok_and(|known| known == asked);
    if !is_known || !answer.exists() {
        fs::write(&input, list)?;
        let words = match dialect {
            Dialect::CommonLisp => &["sbcl", "--noinform", "--no-userinit", "--non-interactive", "--load"][..],
            Dialect::Scheme => &["guile", "--no-auto-compile", "-s"],
            Dialect::Clojure => &["java", "clojure.main"],
            Dialect::Racket => &["racket"],
            _ => &["emacs", "--batch", "-Q", "-l"],
        };
        eprintln!("  {} judges {} files ...", words[0], cases.len());
        Command::new(words[0])
            .args(&words[1..])
            .arg(&script)
            .env("CLASSPATH", class_path(home))
            .current_dir(home)
            .env("XDG_CACHE_HOME", scratch.join("cache"))
            .stdin(File::open(&input)?)
            .stdout(File::create(&answer)?)
            .stderr(Stdio::null())
            .status()?;
        fs::write(&question, asked)?;
    }
    fs::read(&answer).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Where Clojure finds the libraries of its corpus, and the jars that these and the script need.
fn class_path(home: &Path) -> String {
    let below = |directory: &Path| -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> =
            fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        found.sort();
        found
    };
    let own = below(home).into_iter().flat_map(|package| below(&package));
    // The oracle's own libraries come from one place, before the corpus.
    let own: Vec<String> = own.map(|path| path.display().to_string()).collect();
    let first = ["clojure", "spec.alpha", "core.specs.alpha", "tools.analyzer", "tools.analyzer.jvm", "tools.reader"];
    let jars = first.iter().map(|name| format!("{JARS}/{name}.jar"));
    jars.chain(own).chain([format!("{JARS}/*")]).collect::<Vec<_>>().join(":")
}

/// The script that asks the compiler.
fn script(dialect: Dialect) -> PathBuf {
    let name = match dialect {
        Dialect::CommonLisp => "common-lisp.lisp",
        Dialect::Scheme => "guile.scm",
        Dialect::Clojure => "clojure.clj",
        Dialect::Racket => "racket.rkt",
        _ => "emacs-lisp.el",
    };
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/oracles/lint").join(name)
}

/// The text without places and numbers of lines.
fn plain(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| !word.contains("case-"));
    let without = |word: &str| word.chars().filter(|one| !one.is_ascii_digit()).collect::<String>();
    words.map(without).collect::<Vec<_>>().join(" ")
}

/// The first of what is said now that was not said before; `None` if there is nothing.
pub(crate) fn news(before: &[String], now: &[String]) -> Option<String> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for one in before {
        *left.entry(one).or_default() += 1;
    }
    now.iter()
        .find(|one| match left.get_mut(one.as_str()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        })
        .cloned()
}
