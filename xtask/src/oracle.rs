//! The oracles: the results of each language's own reader on the corpus, kept in `target/corpus/oracle`.
//!
//! A script in `corpus/oracles` reads file names and prints, for each file, the byte range of every top-level datum or
//! the error that the reader raised. The corpus test of the reader crate compares our tree with these answers. One
//! process reads all files of a section; an answer is kept as long as the corpus and the script stay the same.

use std::fs;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::apt::{self, Install};
use crate::corpus;
use crate::step::{About, Failure, Step, say};

/// The way to run a language's own reader on one section's files.
struct Oracle {
    section: &'static str,
    script: &'static str,
    /// The program and its arguments before the script.
    call: &'static [&'static str],
}

const ORACLES: &[Oracle] = &[
    Oracle { section: "common-lisp", script: "common-lisp.lisp", call: &["sbcl", "--script"] },
    Oracle { section: "sbcl", script: "common-lisp.lisp", call: &["sbcl", "--script"] },
    Oracle { section: "guile", script: "guile.scm", call: &["guile", "--no-auto-compile"] },
    Oracle { section: "clojure", script: "clojure.clj", call: &["clojure"] },
    Oracle { section: "emacs-lisp", script: "emacs-lisp.el", call: &["emacs", "--batch", "-Q", "-l"] },
];

/// The directory of the answers.
fn directory() -> PathBuf {
    corpus::directory().join("oracle")
}

/// Brings every section's answers up to date. The corpus must exist.
pub(crate) fn consult(install: Install) -> Result<(), Failure> {
    for oracle in ORACLES {
        keep(oracle.script, oracle.section, &[], |script, answers| {
            apt::ensure(&[apt::SBCL, apt::GUILE, apt::CLOJURE, apt::EMACS], install)?;
            say(format_args!("oracle: {} reads the {} files", oracle.call[0], oracle.section));
            ask(oracle, script, answers)
        })?;
    }
    report(&directory())
}

/// Keeps the file with the answers called `name` up to date: `ask` makes it with a script of `corpus/oracles`, unless
/// the corpus, the script and `also` are what they were when it was made.
pub(crate) fn keep(
    script: &str,
    name: &str,
    also: &[&str],
    ask: impl FnOnce(&Path, &Path) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let directory = directory();
    fs::create_dir_all(&directory).about(&directory)?;
    let script = crate::workspace().join("corpus/oracles").join(script);
    let answers = directory.join(format!("{name}.txt"));
    let stamp = answers.with_extension("stamp");
    let mut hasher = DefaultHasher::new();
    corpus::key()?.hash(&mut hasher);
    also.iter().for_each(|part| part.hash(&mut hasher));
    fs::read(&script).about(&script)?.hash(&mut hasher);
    let key = hasher.finish().to_string();
    if answers.exists() && fs::read_to_string(&stamp).is_ok_and(|found| found == key) {
        return Ok(());
    }
    ask(&script, &answers)?;
    fs::write(&stamp, key).about(&stamp)
}

fn ask(oracle: &Oracle, script: &Path, answers: &Path) -> Result<(), Failure> {
    let list = answers.with_extension("files");
    let names: String = corpus::sources(oracle.section)?.iter().map(|file| format!("{}\n", file.display())).collect();
    fs::write(&list, names).about(&list)?;
    Step::new(oracle.call[0])
        .args(&oracle.call[1..])
        .arg(script)
        .inside(&corpus::directory())
        .input(File::open(&list).about(&list)?)
        .output(File::create(answers).about(answers)?)
        .run()
}

/// Prints the part of each section that its own reader accepts.
fn report(directory: &Path) -> Result<(), Failure> {
    for oracle in ORACLES {
        let answers = directory.join(format!("{}.txt", oracle.section));
        let text = fs::read_to_string(&answers).about(&answers)?;
        let count = |kind: &str| text.lines().filter(|line| line.starts_with(kind)).count();
        let files = count("file ");
        println!(
            "  {:12} {:5} files, {:6} top-level data, {:3} files refused by {}",
            oracle.section,
            files,
            count("datum "),
            count("error "),
            oracle.call[0]
        );
        let expected = corpus::sources(oracle.section)?.len();
        if files != expected {
            return Err(Failure::new(format!("{} answers for {files} of {expected} files", answers.display())));
        }
    }
    Ok(())
}
