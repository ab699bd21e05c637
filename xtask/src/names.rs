//! The answers of the languages about the names in their files, kept in `target/corpus/oracle` for the benchmark of
//! the index.
//!
//! A script in `corpus/oracles/uses` loads libraries of the corpus and prints which names each of their top-level forms
//! defines and uses, as the language itself knows it. The index is compared with these answers. Libraries are loaded in
//! batches, each in a process of its own with a time limit: some change the language for those that come after them, and
//! some do not load at all. An answer is kept as long as the corpus and the script stay the same.
//!
//! The tests ask about a small part of each section.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::apt::{self, Install};
use crate::step::{About, Failure, Step, say};
use crate::{corpus, oracle, packages};

/// The seconds that a batch may take, and those for each of its files: some batches are a whole section, others do not end.
const LIMIT: usize = 600;
const LIMIT_OF_FILE: usize = 10;

/// The way to ask a language about one section's files.
struct Oracle {
    section: &'static str,
    script: &'static str,
    needs: &'static [apt::Need],
    /// The directories of the section about which the tests ask.
    part: &'static [&'static str],
    /// The packages that the script itself, and the files of the part, load.
    packages: &'static [&'static str],
    batches: fn(Vec<PathBuf>) -> Vec<Vec<PathBuf>>,
    /// The program and its arguments before the script.
    call: fn() -> Vec<OsString>,
}

const ORACLES: [Oracle; 5] = [
    Oracle {
        section: "guile",
        script: "guile.scm",
        needs: &[apt::GUILE],
        part: &["guile-3.0-libs/sxml"],
        packages: &[],
        batches: |files| vec![files],
        call: || words(&["guile", "--no-auto-compile"]),
    },
    Oracle {
        section: "common-lisp",
        script: "common-lisp.lisp",
        needs: &[apt::SBCL],
        part: &["cl-anaphora", "cl-base64", "cl-lml", "cl-mustache", "cl-rfc2388", "cl-who"],
        packages: &[],
        batches: systems,
        call: || words(&["sbcl", "--noinform", "--no-userinit", "--non-interactive", "--load"]),
    },
    Oracle {
        section: "clojure",
        script: "clojure.clj",
        needs: &[apt::CLOJURE],
        part: &["libdata-json-clojure", "libhiccup-clojure"],
        packages: &["libtools-analyzer-jvm-clojure", "libdata-json-clojure", "libhiccup-clojure"],
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
        part: &["emacs-el/play"],
        packages: &[],
        batches: |files| files.chunks(25).map(<[PathBuf]>::to_vec).collect(),
        call: || words(&["emacs", "--batch", "-Q", "-l"]),
    },
    Oracle {
        section: "racket",
        script: "racket.rkt",
        needs: &[apt::RACKET],
        part: &["racket-common/file", "racket-common/json", "racket-common/net"],
        packages: &[],
        batches: |files| files.chunks(100).map(<[PathBuf]>::to_vec).collect(),
        call: || words(&["racket"]),
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
        oracle::keep(&script, &name, &[], |script, answers| {
            apt::ensure(oracle.needs, install)?;
            if oracle.section == "clojure" {
                // Their classes are needed, and they need each other.
                apt::install_available(&libraries(oracle.section)?, install)?;
            }
            let batches = (oracle.batches)(corpus::sources(oracle.section)?);
            say(format_args!("names: {} is asked, batches: {}; this takes minutes", oracle.section, batches.len()));
            ask(oracle, batches, script, answers)
        })?;
    }
    Ok(())
}

/// Brings the answers about the parts for the tests up to date. A language that is not installed is told, and gives none.
pub(crate) fn consult_parts(install: Install) -> Result<(), Failure> {
    for oracle in &ORACLES {
        if let Err(missing) = apt::ensure(oracle.needs, install) {
            say(format_args!("names: nobody is asked about {}: {missing}", oracle.section));
            continue;
        }
        let (script, name) = (format!("uses/{}", oracle.script), format!("part-{}", oracle.section));
        oracle::keep(&script, &name, oracle.part, |script, answers| {
            let packages: Vec<String> = oracle.packages.iter().map(|&package| package.to_owned()).collect();
            apt::install_available(&packages, install)?;
            let mut files = corpus::sources(oracle.section)?;
            files.retain(|file| oracle.part.iter().any(|part| file.starts_with(Path::new(oracle.section).join(part))));
            say(format_args!("names: {} is asked about {} files", oracle.section, files.len()));
            ask(oracle, (oracle.batches)(files), script, answers)
        })?;
    }
    Ok(())
}

fn ask(oracle: &Oracle, batches: Vec<Vec<PathBuf>>, script: &Path, answers: &Path) -> Result<(), Failure> {
    let list = answers.with_extension("files");
    let log = answers.with_extension("log");
    let log = File::create(&log).about(&log)?;
    let output = File::create(answers).about(answers)?;
    let call = (oracle.call)();
    for batch in batches {
        let names: String = batch.iter().map(|file| format!("{}\n", file.display())).collect();
        fs::write(&list, names).about(&list)?;
        let mut step = Step::new("timeout");
        let limit = LIMIT + LIMIT_OF_FILE * batch.len();
        step.args(["-s", "KILL", &limit.to_string()])
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
