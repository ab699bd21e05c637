//! Walks a directory as the project's ignore files say. Every walk of the program goes through this one.
//!
//! Build output, dependencies and what version control hides are of no interest. The walk leaves out hidden names and
//! those that ignore files name (`ignores.rs`), inside a repository or not. A file that is named by the caller never comes
//! through here, so an ignored file can still be reached.
//!
//! A tree may be hostile. The walk opens directories without following any link, reports links and never follows them,
//! opens no pipe and no device, and bounds the depth and the number of names. The order is always the same: directories
//! near the top first, each in the order of its names.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lispwright_platform::{Here, System as _};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, statat};

use crate::census::Census;
use crate::ignores::{Ignores, REPOSITORY};
use crate::read::Version;
use crate::regular::AT_ONCE;
use crate::root::root_around;

/// The deepest directory that is entered.
const MOST_DEEP: usize = 128;

/// The most names below a directory in a survey.
const MOST_NAMES: usize = 1_000_000;

/// One step of a walk. Paths begin as the directory was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A regular file.
    File(PathBuf),
    /// A symbolic link, to anything.
    Link(PathBuf),
    /// A directory or regular file that an ignore file names.
    Ignored {
        /// Its path.
        path: PathBuf,
        /// It is a directory, which the walk does not enter.
        is_directory: bool,
    },
    /// An entry that could not be read, with the reason.
    Unreadable(String),
}

/// How a walk treats the names in ignore files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// The walk reports them and does not enter them.
    LeftOut,
    /// They come after everything else.
    Last,
    /// They are like any other: ignore files have no effect.
    Included,
}

/// A walk below a directory.
pub struct Below {
    /// The directory as it was named.
    named: PathBuf,
    /// The same, absolute and without links.
    real: PathBuf,
    ignored: Ignored,
    /// The number of names that the walk may still read.
    left: usize,
    /// Holds for directories that the walk does not enter.
    closed: fn(&Path) -> bool,
    directories: VecDeque<Directory>,
    /// Ignored directories and files, for the end of the walk.
    later: VecDeque<Directory>,
    later_files: VecDeque<Seen>,
    ready: VecDeque<Seen>,
    /// The directories that have been entered.
    census: Census,
}

/// A directory to be read.
struct Directory {
    /// Its path below the top.
    path: PathBuf,
    depth: usize,
    /// The patterns around it; `None` where ignore files have no effect.
    ignores: Option<Arc<Ignores>>,
}

impl Below {
    /// A walk below `directory` that reads at most `most` names.
    pub fn new(directory: &Path, ignored: Ignored, most: usize) -> Self {
        let mut walk = Self {
            named: directory.to_owned(),
            real: PathBuf::new(),
            ignored,
            left: most,
            closed: |_| false,
            directories: VecDeque::new(),
            later: VecDeque::new(),
            later_files: VecDeque::new(),
            ready: VecDeque::new(),
            census: Census::default(),
        };
        match directory.canonicalize() {
            Ok(real) => {
                let mut faults = Vec::new();
                let ignores = (ignored != Ignored::Included).then(|| Ignores::around(&real, &mut faults));
                walk.ready.extend(faults.into_iter().map(Seen::Unreadable));
                walk.real = real;
                walk.directories.push_back(Directory { path: PathBuf::new(), depth: 0, ignores });
            }
            Err(error) => walk.ready.push_back(Seen::Unreadable(format!("{}: {error}", directory.display()))),
        }
        walk
    }

    /// The same walk without the directories for which `closed` holds, given absolute paths.
    #[must_use]
    pub fn without(self, closed: fn(&Path) -> bool) -> Self {
        Self { closed, ..self }
    }

    /// Reads a directory, and puts its files into `ready` and its directories into a queue.
    fn enter(&mut self, directory: Directory) {
        let Directory { path, depth, ignores } = directory;
        let real = self.real.join(&path);
        let version = Version::at(&real).ok();
        let names = match names_in(&real, self.left) {
            Ok(names) => names,
            Err(error) => return self.tell(&path, &error.to_string()),
        };
        self.census.add(&real, version, &names);
        let mut faults = Vec::new();
        let holds = |name: &str| names.binary_search_by(|(known, _)| known.as_os_str().cmp(name.as_ref())).is_ok();
        let ignores = ignores.map(|outer| outer.inside(&real, holds, &mut faults));
        self.ready.extend(faults.into_iter().map(Seen::Unreadable));
        for (name, kind) in names {
            if self.left == 0 {
                self.directories.clear();
                self.later.clear();
                return self.tell(Path::new(""), "it has too many names below it; the rest was not looked at");
            }
            self.left -= 1;
            let is_directory = kind == FileType::Directory;
            let said = ignores.as_ref().and_then(|ignores| ignores.of(&real.join(&name), is_directory));
            let is_hidden = name.as_encoded_bytes().starts_with(b".");
            if name == REPOSITORY || (is_hidden && said != Some(false)) {
                continue;
            }
            let below = path.join(&name);
            let is_ignored = said == Some(true);
            if is_ignored && self.ignored == Ignored::LeftOut {
                let is_told = is_directory || kind == FileType::RegularFile;
                self.ready.extend(is_told.then(|| Seen::Ignored { path: self.named.join(&below), is_directory }));
                continue;
            }
            let seen = match kind {
                FileType::Directory if depth == MOST_DEEP => {
                    self.tell(&below, "directories are nested too deep here to look into them");
                    continue;
                }
                FileType::Directory if (self.closed)(&real.join(&name)) => continue,
                FileType::Directory => {
                    let ignores = ignores.clone().filter(|_| !is_ignored);
                    let queue = if is_ignored { &mut self.later } else { &mut self.directories };
                    queue.push_back(Directory { path: below, depth: depth + 1, ignores });
                    continue;
                }
                FileType::RegularFile => Seen::File(self.named.join(below)),
                FileType::Symlink => Seen::Link(self.named.join(below)),
                _ => continue,
            };
            if is_ignored { &mut self.later_files } else { &mut self.ready }.push_back(seen);
        }
    }

    fn tell(&mut self, below: &Path, why: &str) {
        /// Characters of a path that are shown.
        const WIDTH: usize = 200;
        let path = self.named.join(below).display().to_string();
        let cut = path.char_indices().nth(WIDTH).map_or(path.clone(), |(at, _)| format!("{}…", &path[..at]));
        self.ready.push_back(Seen::Unreadable(format!("{cut}: {why}")));
    }
}

impl Iterator for Below {
    type Item = Seen;

    fn next(&mut self) -> Option<Seen> {
        loop {
            if let Some(seen) = self.ready.pop_front() {
                return Some(seen);
            }
            let Some(directory) = self.directories.pop_front() else {
                self.ready.append(&mut self.later_files);
                self.directories.append(&mut self.later);
                if self.ready.is_empty() && self.directories.is_empty() {
                    return None;
                }
                continue;
            };
            self.enter(directory);
        }
    }
}

/// The names in a directory in their order, at most one more than `most`. The path is absolute and without links.
pub(crate) fn names_in(directory: &Path, most: usize) -> io::Result<Vec<(OsString, FileType)>> {
    let opened = Here::open_without_links(directory, OFlags::RDONLY | OFlags::DIRECTORY | AT_ONCE, Mode::empty())?;
    let mut entries = Dir::read_from(&opened)?;
    let mut names = Vec::new();
    // One name more shows that there are too many.
    while let Some(entry) = entries.read().filter(|_| names.len() <= most) {
        let entry = entry?;
        let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
        if name == "." || name == ".." {
            continue;
        }
        let kind = match entry.file_type() {
            // Some file systems do not give the kind with the name.
            FileType::Unknown => statat(&opened, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)
                .map_or(FileType::Unknown, |found| FileType::from_raw_mode(found.st_mode)),
            kind => kind,
        };
        names.push((name, kind));
    }
    names.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    Ok(names)
}

/// The entries below a directory, each list in the order of names.
#[derive(Debug, Default)]
pub struct Survey {
    /// The wanted files.
    pub files: Vec<PathBuf>,
    /// Directories, and wanted files, that an ignore file names.
    pub ignored: Vec<PathBuf>,
    /// Links with the name of a wanted file that lead out of the root.
    pub outside: Vec<PathBuf>,
    /// Entries that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// The directories, as they were.
    pub census: Census,
}

/// The files below `directory` that are `wanted`, and the entries that were left out. A link to a file counts when the
/// file is in the root around the directory. Without `ignoring`, ignore files have no effect.
pub fn survey(directory: &Path, ignoring: bool, wanted: impl Fn(&Path) -> bool) -> Survey {
    let mut found = Survey::default();
    let real = directory.canonicalize().unwrap_or_default();
    let root = root_around(&real).unwrap_or(real);
    let ignored = if ignoring { Ignored::LeftOut } else { Ignored::Included };
    let mut walk = Below::new(directory, ignored, MOST_NAMES);
    for seen in &mut walk {
        match seen {
            Seen::File(path) if wanted(&path) => found.files.push(path),
            Seen::Link(path) if wanted(&path) && path.is_file() => {
                let is_inside = path.canonicalize().is_ok_and(|file| file.starts_with(&root));
                if is_inside { &mut found.files } else { &mut found.outside }.push(path);
            }
            Seen::Ignored { path, is_directory } if is_directory || wanted(&path) => found.ignored.push(path),
            Seen::Unreadable(why) => found.unreadable.push(why),
            Seen::File(_) | Seen::Link(_) | Seen::Ignored { .. } => {}
        }
    }
    for list in [&mut found.files, &mut found.ignored, &mut found.outside] {
        list.sort_unstable();
    }
    found.census = walk.census;
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;

    /// A new directory with a file for each path and text.
    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let top = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = top.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        top
    }

    /// Surveys `below` and compares the Lisp files and the ignored entries.
    #[track_caller]
    fn check(top: &Path, below: &str, files: &[&str], ignored: &[&str]) {
        let found = survey_of(&top.join(below), true);
        let named = |names: &[&str]| -> Vec<PathBuf> { names.iter().map(|name| top.join(below).join(name)).collect() };
        assert_eq!((found.files, found.ignored, found.unreadable), (named(files), named(ignored), Vec::new()));
    }

    fn survey_of(directory: &Path, ignoring: bool) -> Survey {
        survey(directory, ignoring, |path| path.extension().is_some_and(|extension| extension == "lisp"))
    }

    #[test]
    fn what_is_ignored_hidden_or_linked_is_left_out() {
        let top = tree(&[
            (".gitignore", "/target/\n*.fasl.lisp\n!kept.fasl.lisp\n"),
            ("b.lisp", ""),
            ("kept.fasl.lisp", ""),
            ("a/x.lisp", ""),
            ("a/.ignore", "skipped\n"),
            ("a/skipped/y.lisp", ""),
            ("a/target/w.lisp", ""),
            ("target/z.lisp", ""),
            ("c.fasl.lisp", ""),
            (".hidden/x.lisp", ""),
            (".git/config.lisp", ""),
            (".git/info/exclude", "own.lisp\n"),
            ("a/own.lisp", ""),
        ]);
        std::os::unix::fs::symlink(top.path(), top.path().join("a/loop")).unwrap();
        let files = ["a/target/w.lisp", "a/x.lisp", "b.lisp", "kept.fasl.lisp"];
        check(top.path(), "", &files, &["a/own.lisp", "a/skipped", "c.fasl.lisp", "target"]);
        check(top.path(), "a", &["target/w.lisp", "x.lisp"], &["own.lisp", "skipped"]);
        check(top.path(), "target", &["z.lisp"], &[]);
        assert_eq!(survey_of(top.path(), false).files.len(), 8);
        let all: Vec<Seen> = Below::new(top.path(), Ignored::LeftOut, 100).collect();
        let (first, second) = (Seen::File(top.path().join("b.lisp")), Seen::Link(top.path().join("a/loop")));
        let at = |seen| all.iter().position(|found| *found == seen);
        assert!(at(first) < at(second), "{all:?}");
        assert_eq!(survey_of(&top.path().join("nothing"), true).unreadable.len(), 1);
    }

    #[test]
    fn a_census_holds_until_the_files_are_others() {
        let top = tree(&[(".gitignore", "*.fasl\n"), ("a.lisp", ""), ("in/b.lisp", ""), (".git/HEAD", "")]);
        let at = |path: &str| top.path().join(path);
        let census = || survey_of(top.path(), true).census;
        let changes: [(&str, &dyn Fn()); 7] = [
            ("a new file", &|| fs::write(at("in/c.lisp"), "").unwrap()),
            ("another name", &|| fs::rename(at("in/c.lisp"), at("in/d.lisp")).unwrap()),
            ("no file", &|| fs::remove_file(at("in/d.lisp")).unwrap()),
            ("a new directory", &|| fs::create_dir(at("in/more")).unwrap()),
            ("a link instead of a directory", &|| {
                fs::remove_dir(at("in/more")).unwrap();
                std::os::unix::fs::symlink("b.lisp", at("in/more")).unwrap();
            }),
            ("other patterns", &|| fs::write(at(".gitignore"), "*.fasl\n/in\n").unwrap()),
            ("the directory is gone", &|| fs::remove_dir_all(at("in")).unwrap()),
        ];
        for (name, change) in changes {
            let before = census();
            assert!(before.holds(), "{name}");
            change();
            assert!(!before.holds(), "{name}");
            assert!(census().holds(), "{name}");
        }
        let before = census();
        fs::write(at("a.lisp"), "(a)").unwrap();
        fs::write(at(".new"), "").unwrap();
        fs::rename(at(".new"), at("a.lisp")).unwrap();
        fs::write(at(".git/HEAD"), "ref").unwrap();
        assert!(before.holds(), "the names are the same");
    }

    #[test]
    fn a_repository_is_not_asked_what_is_around_it() {
        let top = tree(&[
            (".gitignore", "*\n"),
            ("x.lisp", ""),
            ("a/.git/HEAD", ""),
            ("a/src/y.lisp", ""),
            ("a/.gitignore", "z.lisp"),
            ("a/src/z.lisp", ""),
            ("b/.gitignore", "!*\n"),
            ("b/y.lisp", ""),
            ("w/.git", "gitdir: ../a/.git/worktrees/w\n"),
            ("a/.git/worktrees/w/commondir", "../..\n"),
            ("a/.git/info/exclude", "v.lisp\n"),
            ("w/u.lisp", ""),
            ("w/v.lisp", ""),
        ]);
        check(top.path(), "", &[], &["a", "b", "w", "x.lisp"]);
        check(top.path(), "a", &["src/y.lisp"], &["src/z.lisp"]);
        check(top.path(), "a/src", &["y.lisp"], &["z.lisp"]);
        check(top.path(), "b", &["y.lisp"], &[]);
        check(top.path(), "w", &["u.lisp"], &["v.lisp"]);
        fs::write(top.path().join(".gitignore"), "y.lisp").unwrap();
        check(top.path(), "", &["a/src/y.lisp", "b/y.lisp", "w/u.lisp", "x.lisp"], &["a/src/z.lisp", "w/v.lisp"]);
    }

    #[test]
    fn nothing_leads_out_and_nothing_is_waited_for() {
        let top = tree(&[("project/a.lisp", ""), ("project/in/b.lisp", ""), ("secret.lisp", "")]);
        let project = top.path().join("project");
        let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, project.join(name)).unwrap();
        link("../secret.lisp", "out.lisp");
        link("..", "up");
        link("in/b.lisp", "c.lisp");
        link("/dev/zero", "zero.lisp");
        link("gone", "gone.lisp");
        for pipe in ["pipe.lisp", ".gitignore", "in/.ignore"] {
            rustix::fs::mknodat(rustix::fs::CWD, project.join(pipe), FileType::Fifo, Mode::RWXU, 0).unwrap();
        }
        let found = survey_of(&project, true);
        assert_eq!(found.files, ["a.lisp", "c.lisp", "in/b.lisp"].map(|name| project.join(name)));
        assert_eq!(found.outside, [project.join("out.lisp")]);
        assert_eq!(found.unreadable.len(), 2, "{:?}", found.unreadable);
    }

    #[test]
    fn depth_and_number_are_bounded_and_said() {
        let top = tree(&[("a.lisp", ""), ("b.lisp", ""), ("c/d.lisp", "")]);
        let said = |most| -> Vec<Seen> { Below::new(top.path(), Ignored::LeftOut, most).collect() };
        let is_said = |seen: &Seen| matches!(seen, Seen::Unreadable(why) if why.ends_with("was not looked at"));
        assert!(!said(4).iter().any(is_said));
        for most in 0..4 {
            assert_eq!(said(most).iter().filter(|seen| is_said(seen)).count(), 1, "{most}");
            assert_eq!(said(most).len(), most.min(2) + 1, "{most}");
        }
        let mut deep = top.path().to_owned();
        for _ in 0..=MOST_DEEP {
            deep.push("d");
            fs::create_dir(&deep).unwrap();
        }
        let found = survey_of(top.path(), true);
        assert_eq!((found.files.len(), found.unreadable.len()), (3, 1));
        assert!(found.unreadable[0].len() < 400);
    }

    #[test]
    fn what_is_ignored_comes_last_where_it_is_wanted() {
        let top = tree(&[("a/x.lisp", ""), ("b/y.lisp", ""), ("c.lisp", ""), (".gitignore", "a\nc.lisp\n")]);
        let found: Vec<Seen> = Below::new(top.path(), Ignored::Last, 100).collect();
        assert_eq!(found, ["b/y.lisp", "c.lisp", "a/x.lisp"].map(|name| Seen::File(top.path().join(name))));
        let found: Vec<Seen> =
            Below::new(top.path(), Ignored::Included, 100).without(|path| path.ends_with("a")).collect();
        assert_eq!(found, ["c.lisp", "b/y.lisp"].map(|name| Seen::File(top.path().join(name))));
    }
}
