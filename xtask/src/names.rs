//! The answers of the languages about the names in their files, kept in `target/corpus/oracle` for the benchmark of
//! the index.
//!
//! A script in `corpus/oracles/uses` loads libraries of the corpus and prints which names each of their top-level forms
//! defines and uses, as the language itself knows it. The index is compared with these answers. Libraries are loaded in
//! batches, each in a process of its own with a time limit: some change the language for those that come after them, and
//! some do not load at all. An answer is kept as long as the corpus and the script stay the same.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::apt::{self, Install};
use crate::step::{About, Failure, Step, say};
use crate::{corpus, oracle, packages};

/// The seconds that a batch may take.
const LIMIT: &str = "900";

/// The way to ask a language about one section's files.
struct Oracle {
    section: &'static str,
    script: &'static str,
    needs: &'static [apt::Need],
    batches: fn(Vec<PathBuf>) -> Vec<Vec<PathBuf>>,
    /// The program and its arguments before the script.
    call: fn() -> Vec<OsString>,
}

const ORACLES: [Oracle; 4] = [
    Oracle {
        section: "guile",
        script: "guile.scm",
        needs: &[apt::GUILE],
        batches: |files| vec![files],
        call: || words(&["guile", "--no-auto-compile"]),
    },
    Oracle {
        section: "common-lisp",
        script: "common-lisp.lisp",
        needs: &[apt::SBCL],
        batches: systems,
        call: || words(&["sbcl", "--noinform", "--no-userinit", "--non-interactive", "--load"]),
    },
    Oracle {
        section: "clojure",
        script: "clojure.clj",
        needs: &[apt::CLOJURE],
        batches: |files| vec![own_libraries_last(files)],
        call: || {
            let mut words = words(&["java", "-Xss8m", "-cp"]);
            words.extend([jars(), "clojure.main".into()]);
            words
        },
    },
    Oracle {
        section: "emacs-lisp",
        script: "emacs-lisp.el",
        needs: &[apt::EMACS],
        batches: |files| files.chunks(25).map(<[PathBuf]>::to_vec).collect(),
        call: || words(&["emacs", "--batch", "-Q", "-l"]),
    },
];

/// Common Lisp that is not loaded: ASDF would replace the one that loads it, SBCL's CLX is a part of SBCL, and Maxima is
/// a program with a build of its own.
const UNLOADED: [&str; 3] = ["cl-asdf", "cl-clx-sbcl", "maxima-src"];

/// The libraries of Clojure with which the script works. They are loaded again as they are read, so they come last.
const OWN: [&str; 6] =
    ["core-cache", "core-memoize", "data-priority", "tools-reader", "tools-analyzer", "libclojure-java"];

/// Brings the answers of every section up to date. The corpus must exist.
pub(crate) fn consult(install: Install) -> Result<(), Failure> {
    for oracle in &ORACLES {
        let (script, name) = (format!("uses/{}", oracle.script), format!("uses-{}", oracle.section));
        oracle::keep(&script, &name, |script, answers| {
            apt::ensure(oracle.needs, install)?;
            if oracle.section == "clojure" {
                // Their classes are needed, and they need each other.
                apt::install_available(&libraries(oracle.section)?, install)?;
            }
            ask(oracle, script, answers)
        })?;
    }
    Ok(())
}

fn ask(oracle: &Oracle, script: &Path, answers: &Path) -> Result<(), Failure> {
    let batches = (oracle.batches)(corpus::sources(oracle.section)?);
    say(format_args!("names: {} is asked, batches: {}; this takes minutes", oracle.section, batches.len()));
    let list = answers.with_extension("files");
    let log = answers.with_extension("log");
    let log = File::create(&log).about(&log)?;
    let output = File::create(answers).about(answers)?;
    let call = (oracle.call)();
    for batch in batches {
        let names: String = batch.iter().map(|file| format!("{}\n", file.display())).collect();
        fs::write(&list, names).about(&list)?;
        let mut step = Step::new("timeout");
        step.args(["-s", "KILL", LIMIT])
            .args(&call)
            .arg(script)
            .inside(&corpus::directory())
            .input(File::open(&list).about(&list)?)
            .output(output.try_clone().about(answers)?)
            .errors(log.try_clone().about(answers)?);
        // What it said before its end counts.
        if step.run_quietly(&[0]).is_err() {
            let first = batch.first().map_or(String::new(), |file| file.display().to_string());
            println!("  the batch that begins with {first} did not end well");
        }
    }
    Ok(())
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

/// The files of each package.
fn systems(files: Vec<PathBuf>) -> Vec<Vec<PathBuf>> {
    let package = |file: &PathBuf| file.components().nth(1).map(|part| part.as_os_str().to_os_string());
    let is_loaded = |file: &&[PathBuf]| {
        let name = package(&file[0]).unwrap_or_default();
        !UNLOADED.iter().any(|one| *one == name)
    };
    files.chunk_by(|one, other| package(one) == package(other)).filter(is_loaded).map(<[PathBuf]>::to_vec).collect()
}

fn own_libraries_last(files: Vec<PathBuf>) -> Vec<PathBuf> {
    let is_own = |file: &PathBuf| OWN.iter().any(|name| file.to_string_lossy().contains(name));
    let (own, mut others): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(is_own);
    others.extend(own);
    others
}

fn libraries(section: &str) -> Result<Vec<String>, Failure> {
    Ok(packages::sections()?.into_iter().filter(|one| one.name == section).flat_map(|one| one.packages).collect())
}

/// The jars of the distribution, each once: those without a version in their names, and Clojure's own first.
fn jars() -> OsString {
    let directory = Path::new("/usr/share/java");
    let mut jars: Vec<String> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| name.ends_with(".jar") && !name.starts_with("clojure") && !has_version(name))
        .collect();
    jars.sort();
    let clojure = ["clojure-1.11.jar".to_owned(), "clojure.jar".to_owned()];
    let clojure = clojure.into_iter().find(|name| directory.join(name).exists());
    clojure
        .into_iter()
        .chain(jars)
        .map(|name| format!("{}/{name}", directory.display()))
        .collect::<Vec<_>>()
        .join(":")
        .into()
}

fn has_version(name: &str) -> bool {
    name.match_indices('-').any(|(at, _)| name[at + 1..].starts_with(|c: char| c.is_ascii_digit()))
}
