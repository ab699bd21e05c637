//! The corpus: real Lisp of every dialect, taken out of distribution packages into `target/corpus`.
//!
//! The packages are downloaded and unpacked, not installed. Only Lisp sources are kept, each below its section and its
//! package, without the version numbers that the packages put into their paths, so that the exception list
//! (`corpus/exceptions.txt`) stays true across versions.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::apt::{self, Install};
use crate::files;
use crate::packages::{self, Section};
use crate::step::{About, Failure, Step, say};

/// Incremented when this module makes a different corpus from the same packages.
const LAYOUT: u32 = 2;

/// The places of sources inside the packages; `*` matches one component.
const PLACES: &[&str] = &[
    "usr/share/common-lisp/source",
    "usr/share/maxima/*/src",
    "usr/share/sbcl-source",
    "usr/share/guile/*",
    "usr/share/emacs/*/lisp",
    "usr/share/emacs/site-lisp/elpa-src/*",
    "usr/share/java",
    "usr/share/maven-repo",
    "usr/share/racket/collects",
];

/// `target/corpus`.
pub(crate) fn directory() -> PathBuf {
    crate::workspace().join("target/corpus")
}

/// A key of the packages and the layout: a corpus with another key is outdated.
pub(crate) fn key() -> Result<u64, Failure> {
    let path = crate::workspace().join("corpus/packages.txt");
    let mut hasher = DefaultHasher::new();
    LAYOUT.hash(&mut hasher);
    fs::read(&path).about(&path)?.hash(&mut hasher);
    Ok(hasher.finish())
}

/// Makes the corpus, if it is missing or outdated.
pub(crate) fn prepare(install: Install) -> Result<(), Failure> {
    let root = directory();
    let stamp = root.join("stamp");
    let key = key()?.to_string();
    if fs::read_to_string(&stamp).is_ok_and(|found| found == key) {
        say("corpus: ready");
        return Ok(());
    }
    say("corpus: fetching Lisp sources from distribution packages, some 50 MB; nothing of them is installed");
    apt::ensure(&[apt::UNZIP], install)?;
    if root.exists() {
        fs::remove_dir_all(&root).about(&root)?;
    }
    let archives = root.join("packages");
    fs::create_dir_all(&archives).about(&archives)?;
    let sections = packages::sections()?;
    let names: Vec<&str> = sections.iter().flat_map(|section| &section.packages).map(String::as_str).collect();
    let absent = apt::download(&names, &archives, install)?;
    if !absent.is_empty() {
        println!("not in this distribution: {}", absent.join(" "));
    }
    for section in &sections {
        unpack(section, &archives, &root)?;
        let files = sources(&section.name)?;
        let bytes: u64 =
            files.iter().filter_map(|file| fs::metadata(root.join(file)).ok()).map(|meta| meta.len()).sum();
        println!("  {:12} {:5} files {:6.1} MB", section.name, files.len(), bytes as f64 / 1e6);
    }
    fs::remove_dir_all(&archives).about(&archives)?;
    fs::write(&stamp, key).about(&stamp)
}

/// Moves the Lisp sources of a section's packages below `root`.
fn unpack(section: &Section, archives: &Path, root: &Path) -> Result<(), Failure> {
    let scratch = root.join("unpacked");
    for package in &section.packages {
        let prefix = format!("{package}_");
        let archive = files::below(archives)?
            .into_iter()
            .find(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix)));
        let Some(archive) = archive else { continue };
        Step::new("dpkg-deb").arg("-x").args([&archive, &scratch]).run_quietly(&[0])?;
        let home = root.join(&section.name).join(package);
        let mut compressed = Vec::new();
        for file in files::below(&scratch)? {
            let Some(inside) = file.strip_prefix(&scratch).ok().and_then(place) else { continue };
            if inside.extension().is_some_and(|extension| extension == "jar") {
                extract_jar(&file, &home)?;
                continue;
            }
            let plain = inside.to_string_lossy().trim_end_matches(".gz").to_owned();
            // A system of Common Lisp may read its version from a file of its own.
            if !is_source(&section.name, Path::new(&plain)) && !plain.ends_with("/version.sexp") {
                continue;
            }
            let kept = home.join(&inside);
            let parent = kept.parent().expect("a joined path has a parent");
            fs::create_dir_all(parent).about(parent)?;
            fs::rename(&file, &kept).about(&kept)?;
            if kept.extension().is_some_and(|extension| extension == "gz") {
                compressed.push(kept);
            }
        }
        for batch in compressed.chunks(500) {
            Step::new("gzip").args(["-d", "-f"]).args(batch).run_quietly(&[0])?;
        }
        fs::remove_dir_all(&scratch).about(&scratch)?;
    }
    Ok(())
}

/// The path below one of [`PLACES`]; `None` for a file outside all of them.
fn place(path: &Path) -> Option<PathBuf> {
    let components: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    PLACES.iter().find_map(|place| {
        let pattern: Vec<&str> = place.split('/').collect();
        let matches = components.len() > pattern.len()
            && pattern.iter().zip(&components).all(|(want, have)| *want == "*" || *want == have.as_ref());
        matches.then(|| components[pattern.len()..].iter().map(AsRef::as_ref).collect::<PathBuf>())
    })
}

/// Unpacks the Clojure inside a jar into a directory that has the jar's name without its version.
fn extract_jar(jar: &Path, home: &Path) -> Result<(), Failure> {
    let stem = jar.file_stem().unwrap_or_default().to_string_lossy();
    let version = stem.match_indices('-').find(|(at, _)| stem[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
    let name = version.map_or(&*stem, |(at, _)| &stem[..at]);
    let destination = home.join(name);
    fs::create_dir_all(&destination).about(&destination)?;
    // The exit code 11 of unzip means that nothing matches, as in a jar with only classes.
    Step::new("unzip")
        .args(["-q", "-o"])
        .arg(jar)
        .args(["*.clj", "*.cljs", "*.cljc", "*.edn", "-d"])
        .arg(&destination)
        .silent()
        .run_quietly(&[0, 11])
}

/// Whether the name is that of a source file in the section's language.
fn is_source(section: &str, path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
    let extensions: &[&str] = match section {
        "common-lisp" | "sbcl" => &["lisp", "lsp", "cl", "asd", "lisp-expr"],
        "guile" => &["scm", "sls", "sld"],
        "clojure" => &["clj", "cljs", "cljc", "edn"],
        "emacs-lisp" => &["el"],
        "racket" => &["rkt"],
        _ => &[],
    };
    extensions.contains(&extension.as_str())
}

/// The section's source files, relative to `target/corpus`, in order of name.
pub(crate) fn sources(section: &str) -> Result<Vec<PathBuf>, Failure> {
    let root = directory();
    let mut files: Vec<PathBuf> = files::below(&root.join(section))?
        .into_iter()
        .filter(|file| is_source(section, file))
        .filter_map(|file| file.strip_prefix(&root).ok().map(Path::to_path_buf))
        .collect();
    files.sort();
    Ok(files)
}
