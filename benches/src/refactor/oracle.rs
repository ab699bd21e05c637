//! Copies of libraries, and what the compilers of their languages say of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lispwright_syntax::{Dialect, Span};

use crate::repair::sample;

/// Where the distribution keeps its jars.
const JARS: &str = "/usr/share/java";

/// A copy of a library.
pub(crate) struct Library {
    dialect: Dialect,
    /// The directory of the copy.
    pub(crate) root: PathBuf,
    /// The directory from which its files are found by their names.
    home: PathBuf,
    /// The libraries that it may need.
    others: PathBuf,
    system: String,
    scratch: PathBuf,
    /// Its texts.
    files: BTreeMap<PathBuf, String>,
}

impl Library {
    /// Copies the library in `directory` below a folder of the corpus.
    pub(crate) fn copied(
        dialect: Dialect,
        corpus: &Path,
        folder: &str,
        directory: &str,
        system: &str,
        scratch: &Path,
    ) -> io::Result<Self> {
        let scratch = scratch.join("refactor").join(folder);
        let home = scratch.join(directory.replace('/', "-"));
        let others = corpus.join(folder);
        let source = others.join(directory);
        // Modules of Scheme and Racket are named by their directory.
        let root = match dialect {
            Dialect::Scheme | Dialect::Racket => home.join(source.file_name().unwrap_or_default()),
            _ => home.clone(),
        };
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        let mut files = BTreeMap::new();
        for path in sample::files(&source) {
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let copy = root.join(path.strip_prefix(&source).unwrap_or(&path));
            fs::create_dir_all(copy.parent().unwrap_or(&root))?;
            fs::write(&copy, &text)?;
            files.insert(copy, text);
        }
        // The copy is a project of its own.
        fs::create_dir_all(root.join(".git"))?;
        Ok(Self { dialect, root, home, others, system: system.to_owned(), scratch, files })
    }

    /// The file is one of the library, and no test.
    pub(crate) fn has(&self, path: &Path) -> bool {
        let below = path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned();
        self.files.contains_key(path) && !below.contains("test") && !below.ends_with(".asd")
    }

    /// Runs a command of lispwright on a definition in the file at `path`. Returns what it says first if it refuses.
    pub(crate) fn changed(&self, binary: &Path, words: &[String], path: &Path) -> Result<(), String> {
        let mut command = Command::new(binary);
        command.args(words).arg("--path").arg(path).arg("--root").arg(&self.root).arg("--write");
        let done = command.current_dir(&self.root).output().map_err(|error| error.to_string())?;
        if done.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
        Err(said.lines().next().unwrap_or_default().to_owned())
    }

    /// The compiler says something else where the name of a definition is changed and nothing else.
    pub(crate) fn notices(&self, before: &BTreeSet<String>, path: &Path, name: Span) -> bool {
        let Some(text) = self.files.get(path) else { return false };
        let (start, end) = (name.start as usize, name.end as usize);
        let is_written =
            fs::write(path, format!("{}{}-alone{}", &text[..start], &text[start..end], &text[end..])).is_ok();
        let is_noticed = is_written && self.told() != *before;
        self.restore();
        is_noticed
    }

    /// Writes the texts again that differ from what was copied.
    pub(crate) fn restore(&self) {
        for (path, text) in &self.files {
            if fs::read_to_string(path).is_ok_and(|now| now != *text) && fs::write(path, text).is_err() {
                eprintln!("{} could not be written again", path.display());
            }
        }
    }

    /// What the compiler says of the library, without places and numbers.
    pub(crate) fn told(&self) -> BTreeSet<String> {
        let told = self.ask().unwrap_or_else(|error| format!("the oracle: {error}"));
        told.lines().map(plain).filter(|line| !line.is_empty()).collect()
    }

    /// What the compiler says now and did not say `before`, where the new name was the old one.
    pub(crate) fn news(&self, before: &BTreeSet<String>, old: &str, new: &str) -> Option<String> {
        let (old, new) = (plain(old), plain(new));
        let is_known = |line: &String| {
            let lower = line.to_lowercase().replace(&new, &old);
            before.contains(line) || before.iter().any(|known| known.to_lowercase() == lower)
        };
        // The parameter that was added is not used.
        self.told().into_iter().find(|line| !is_known(line) && !line.to_lowercase().contains("new-one"))
    }

    fn ask(&self) -> io::Result<String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/oracles/refactor");
        let mut command;
        match self.dialect {
            Dialect::CommonLisp => {
                command = Command::new("sbcl");
                command.args(["--noinform", "--no-userinit", "--non-interactive", "--load"]);
                command.arg(script.join("common-lisp.lisp")).args(["--end-toplevel-options", "--", &self.system]);
                command.arg(self.home.join("")).arg(self.others.join(""));
            }
            Dialect::Scheme => {
                command = Command::new("guile");
                command.args(["--no-auto-compile", "-s"]).arg(script.join("guile.scm"));
            }
            Dialect::Clojure => {
                command = Command::new("java");
                command.args(["clojure.main"]).arg(script.join("clojure.clj")).env("CLASSPATH", self.class_path());
            }
            Dialect::Racket => {
                command = Command::new("racket");
                let mut places = OsString::from(&self.home);
                places.push(":");
                command.arg(script.join("racket.rkt")).env("PLTCOLLECTS", places);
            }
            _ => {
                command = Command::new("emacs");
                command.args(["--batch", "-Q", "-l"]).arg(script.join("emacs-lisp.el"));
            }
        }
        let mut child = command
            .current_dir(&self.home)
            .env("XDG_CACHE_HOME", self.scratch.join("cache"))
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let asked = self.asked();
        let writing = std::thread::spawn(move || input.write_all(asked.as_bytes()));
        let output = child.wait_with_output()?;
        // A compiler that reads nothing closes the pipe.
        let _ = writing.join();
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The input of the script.
    fn asked(&self) -> String {
        let own = self.files.keys().filter(|path| Dialect::detect(&path.to_string_lossy(), b"") == Some(self.dialect));
        let mut lines: Vec<String> = match self.dialect {
            Dialect::CommonLisp => Vec::new(),
            Dialect::Clojure => own.filter_map(|path| self.namespace(path)).collect(),
            _ => own.map(|path| path.display().to_string()).collect(),
        };
        if self.dialect == Dialect::EmacsLisp {
            lines.insert(0, self.root.display().to_string());
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// The namespace that a file of Clojure declares by its path below the directory of its sources.
    fn namespace(&self, path: &Path) -> Option<String> {
        let text = self.files.get(path)?;
        let is_code = path.extension().is_some_and(|ending| ending == "clj" || ending == "cljc");
        let after = text.split_once("(ns ").filter(|_| is_code)?.1.trim_start();
        let after = if after.starts_with('^') { after.split_once(char::is_whitespace)?.1 } else { after };
        let name: String = after.trim_start().chars().take_while(|c| !c.is_whitespace() && *c != ')').collect();
        let place = name.replace('-', "_").replace('.', "/");
        path.with_extension("").to_string_lossy().ends_with(&place).then_some(name)
    }

    /// The copy, before the other libraries of the corpus and the jars.
    fn class_path(&self) -> String {
        let below = |directory: &Path| -> Vec<PathBuf> {
            let mut found: Vec<PathBuf> =
                fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
            found.sort();
            found
        };
        let first = ["clojure", "spec.alpha", "core.specs.alpha"].map(|name| format!("{JARS}/{name}.jar"));
        let own = below(&self.root).into_iter().filter(|path| path.is_dir());
        let others = below(&self.others).into_iter().flat_map(|package| below(&package));
        let all = own.chain(others).map(|path| path.display().to_string());
        first.into_iter().chain(all).chain([format!("{JARS}/*")]).collect::<Vec<_>>().join(":")
    }
}

/// The text without digits and places.
fn plain(line: &str) -> String {
    let without: String = line.chars().filter(|one| !one.is_ascii_digit()).collect();
    without.split_whitespace().collect::<Vec<_>>().join(" ")
}
