//! Files as a revision of git has them.
//!
//! Code of the project may have written the repository's configuration, and that can name programs which git starts: filters, monitors,
//! transports. So git is asked about a bare repository that is made for the question: it has the objects and the references of the
//! project's own, and none of its configuration.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use tempfile::TempDir;

/// The time that one question to git may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Bytes of an answer of git at most.
const MOST_BYTES: u64 = 512 * 1024 * 1024;

/// Files that are asked for at once.
const AT_ONCE: usize = 500;

/// A revision, with the names of its files.
#[derive(Debug)]
pub struct Revision {
    /// The directory of the work tree.
    top: PathBuf,
    repository: TempDir,
    commit: String,
    /// The objects of the files, by their absolute paths.
    blobs: BTreeMap<PathBuf, String>,
}

/// The reason why a revision cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RevisionError {
    /// No directory above has a `.git`.
    #[error("{directory} is in no work tree of git")]
    NoRepository {
        /// The directory that was asked about.
        directory: String,
    },
    /// The repository has no such revision.
    #[error("the repository has no revision {name:?}")]
    Unknown {
        /// The name as it was given.
        name: String,
    },
    /// Git cannot be run, or did not answer.
    #[error("git did not answer: {why}")]
    NoAnswer {
        /// What was wrong.
        why: String,
    },
}

impl Revision {
    /// Finds a revision of the repository around an absolute `directory`: `HEAD`, `main~2`, `v1.0`, a hash.
    ///
    /// `HEAD` of a repository without commits has no files.
    ///
    /// Errors: there is no repository, it has no such revision, or git cannot be run.
    pub fn open(directory: &Path, name: &str) -> Result<Self, RevisionError> {
        let no_repository = || RevisionError::NoRepository { directory: directory.display().to_string() };
        let top = directory.ancestors().find(|above| above.join(".git").exists()).ok_or_else(no_repository)?;
        let own = own_directory(&top.join(".git")).ok_or_else(no_repository)?;
        let repository = stand_in(&own).map_err(no_answer)?;
        let unknown = || RevisionError::Unknown { name: name.to_owned() };
        let is_name = !name.is_empty() && !name.starts_with('-') && !name.contains(|c: char| c.is_control());
        if !is_name {
            return Err(unknown());
        }
        let wanted = format!("{name}^{{commit}}");
        let found = asked(repository.path(), &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted], &[])?;
        let Some(found) = found else {
            // Nothing has been committed yet if the branch is named and does not exist.
            let head = ["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD"];
            let is_unborn = name == "HEAD" && asked(repository.path(), &head, &[])?.is_none();
            let none = Self { top: top.to_owned(), repository, commit: String::new(), blobs: BTreeMap::new() };
            return if is_unborn { Ok(none) } else { Err(unknown()) };
        };
        let commit = String::from_utf8_lossy(&found).trim().to_owned();
        let listed = asked(repository.path(), &["ls-tree", "-r", "-z", "--full-tree", &commit], &[])?;
        let blobs = listed.unwrap_or_default().split(|byte| *byte == 0).filter_map(|row| entry(top, row)).collect();
        Ok(Self { top: top.to_owned(), repository, commit, blobs })
    }

    /// The directory of the work tree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The first characters of its hash; empty if nothing has been committed.
    pub fn short(&self) -> &str {
        self.commit.get(..9).unwrap_or(&self.commit)
    }

    /// The absolute paths of its files, in order; links and submodules are none.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.blobs.keys().map(PathBuf::as_path)
    }

    /// Gives the bytes of each of the files that the revision has to `see`, some at a time.
    ///
    /// Errors: git did not answer.
    pub fn each(&self, paths: &[&Path], mut see: impl FnMut(&Path, Vec<u8>)) -> Result<(), RevisionError> {
        let known: Vec<(&Path, &str)> =
            paths.iter().filter_map(|path| Some((*path, self.blobs.get(*path)?.as_str()))).collect();
        for some in known.chunks(AT_ONCE) {
            let names: String = some.iter().map(|(_, blob)| format!("{blob}\n")).collect();
            let answer = asked(self.repository.path(), &["cat-file", "--batch"], names.as_bytes())?.unwrap_or_default();
            let mut rest = answer.as_slice();
            for (path, blob) in some {
                let bytes = object(&mut rest).ok_or_else(|| no_answer(format!("object {blob} cannot be read")))?;
                see(path, bytes.to_vec());
            }
        }
        Ok(())
    }
}

fn no_answer(why: impl ToString) -> RevisionError {
    RevisionError::NoAnswer { why: why.to_string() }
}

/// The directory of a repository: `.git` itself, or what a file of that name says.
fn own_directory(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let text = fs::read_to_string(git).ok()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    let directory = git.parent()?.join(named);
    directory.is_dir().then_some(directory)
}

/// A bare repository with the objects and the references of the one in the directory `own`.
fn stand_in(own: &Path) -> std::io::Result<TempDir> {
    // The directory of a further work tree has a head, and names where the rest is.
    let common = match fs::read_to_string(own.join("commondir")) {
        Ok(text) => own.join(text.trim()),
        Err(_) => own.to_owned(),
    };
    let objects = common.join("objects").canonicalize()?;
    let name = objects.to_str().filter(|name| !name.contains('\n'));
    let name = name.ok_or_else(|| std::io::Error::other("the name of its directory cannot be written down"))?;
    let made = tempfile::Builder::new().prefix("lispwright-git-").tempdir()?;
    let at = |name: &str| made.path().join(name);
    fs::create_dir_all(at("objects/info"))?;
    fs::write(at("objects/info/alternates"), format!("{name}\n"))?;
    fs::write(at("config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")?;
    let mut head = String::new();
    File::open(own.join("HEAD"))?.take(4096).read_to_string(&mut head)?;
    fs::write(at("HEAD"), head)?;
    linked(&common.join("refs"), &at("refs"))?;
    linked(&common.join("packed-refs"), &at("packed-refs"))?;
    linked(&own.join("logs"), &at("logs"))?;
    Ok(made)
}

/// Makes `name` stand for what is at `there`, if it exists.
#[cfg(unix)]
fn linked(there: &Path, name: &Path) -> std::io::Result<()> {
    match there.canonicalize() {
        Ok(there) => std::os::unix::fs::symlink(there, name),
        Err(_) => Ok(()),
    }
}

/// Copies what is at `there` to `name`, if it exists.
#[cfg(not(unix))]
fn linked(there: &Path, name: &Path) -> std::io::Result<()> {
    let mut waiting = vec![(there.to_owned(), name.to_owned())];
    while let Some((from, to)) = waiting.pop() {
        if from.is_file() {
            fs::copy(&from, &to)?;
        } else if from.is_dir() {
            fs::create_dir_all(&to)?;
            for entry in fs::read_dir(&from)?.flatten() {
                waiting.push((entry.path(), to.join(entry.file_name())));
            }
        }
    }
    Ok(())
}

/// A row of `ls-tree`: the absolute path of a plain file below `top`, and its object.
fn entry(top: &Path, row: &[u8]) -> Option<(PathBuf, String)> {
    let row = std::str::from_utf8(row).ok()?;
    let (facts, path) = row.split_once('\t')?;
    let mut facts = facts.split(' ');
    let (mode, _, blob) = (facts.next()?, facts.next()?, facts.next()?);
    let is_below = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    (mode.starts_with("100") && is_below).then(|| (top.join(path), blob.to_owned()))
}

/// The next object in an answer of `cat-file --batch`: a line `hash type size`, the bytes, a newline.
fn object<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = memchr::memchr(b'\n', rest)?;
    let size: usize = std::str::from_utf8(&rest[..end]).ok()?.rsplit(' ').next()?.parse().ok()?;
    let bytes = rest.get(end + 1..end + 1 + size)?;
    *rest = rest.get(end + 2 + size..)?;
    Some(bytes)
}

/// What git answers; `None` if it says no.
fn asked(repository: &Path, arguments: &[&str], input: &[u8]) -> Result<Option<Vec<u8>>, RevisionError> {
    let mut git = Command::new("git");
    let inherited: Vec<_> =
        std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")).collect();
    for (name, _) in inherited {
        git.env_remove(name);
    }
    git.arg("--no-pager").arg("--git-dir").arg(repository).args(arguments).current_dir(repository);
    git.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_NO_LAZY_FETCH", "1")]);
    git.envs([("GIT_OPTIONAL_LOCKS", "0"), ("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")]);
    git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = git.spawn().map_err(|error| no_answer(format!("it does not start: {error}")))?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (done, answer) = mpsc::channel();
    let read = std::thread::scope(|scope| {
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        scope.spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.map(|stdout| stdout.take(MOST_BYTES).read_to_end(&mut bytes));
            drop(done.send(read.transpose().map(|_| bytes)));
        });
        let read = answer.recv_timeout(PATIENCE);
        if read.is_err() {
            drop(child.kill());
        }
        read
    });
    let status = child.wait().map_err(no_answer)?;
    let bytes =
        read.map_err(|_| no_answer(format!("it took more than {} s", PATIENCE.as_secs())))?.map_err(no_answer)?;
    Ok(status.success().then_some(bytes))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn git(directory: &Path, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]).args(arguments);
        let done = git.current_dir(directory).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn texts(revision: &Revision) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        let paths: Vec<&Path> = revision.paths().collect();
        let see = |path: &Path, bytes| found.push((path.to_owned(), String::from_utf8(bytes).unwrap()));
        revision.each(&paths, see).unwrap();
        found
    }

    #[test]
    fn a_revision_has_its_files() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path();
        assert!(matches!(Revision::open(top, "HEAD"), Err(RevisionError::NoRepository { .. })));
        git(top, &["init", "-q"]);
        let none = Revision::open(top, "HEAD").unwrap();
        assert_eq!((none.short(), none.paths().count()), ("", 0));
        assert!(matches!(Revision::open(top, "HEAD~1"), Err(RevisionError::Unknown { .. })));
        fs::create_dir(top.join("src")).unwrap();
        fs::write(top.join("src/ä b.lisp"), "(old)").unwrap();
        std::os::unix::fs::symlink("src", top.join("link")).unwrap();
        git(top, &["add", "."]);
        git(top, &["commit", "-qm", "one"]);
        fs::write(top.join("src/ä b.lisp"), "(new)").unwrap();
        fs::write(top.join("two.lisp"), "").unwrap();
        git(top, &["add", "."]);
        git(top, &["commit", "-qm", "two"]);
        let at = |name: &str| Revision::open(&top.join("src"), name);
        assert_eq!(texts(&at("HEAD~1").unwrap()), [(top.join("src/ä b.lisp"), "(old)".to_owned())]);
        let now = [(top.join("src/ä b.lisp"), "(new)".to_owned()), (top.join("two.lisp"), String::new())];
        assert_eq!(texts(&at("main").unwrap()), now);
        git(top, &["pack-refs", "--all"]);
        git(top, &["gc", "-q"]);
        assert_eq!(texts(&at("main").unwrap()), now);
        for unknown in ["nothing", "--all", "", "HEAD\nmain"] {
            assert_eq!(at(unknown).unwrap_err(), RevisionError::Unknown { name: unknown.to_owned() });
        }
    }

    #[test]
    fn a_further_work_tree_has_its_own_head() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path().join("one");
        fs::create_dir(&top).unwrap();
        git(&top, &["init", "-q"]);
        fs::write(top.join("a.lisp"), "1").unwrap();
        git(&top, &["add", "."]);
        git(&top, &["commit", "-qm", "one"]);
        git(&top, &["worktree", "add", "-q", "-b", "side", "../two"]);
        let other = directory.path().join("two");
        fs::write(other.join("a.lisp"), "2").unwrap();
        git(&other, &["commit", "-qam", "two"]);
        let other = other.canonicalize().unwrap();
        assert_eq!(texts(&Revision::open(&other, "HEAD").unwrap()), [(other.join("a.lisp"), "2".to_owned())]);
    }

    #[test]
    fn what_the_repository_says_is_run_by_nobody() {
        let directory = tempfile::tempdir().unwrap();
        let (top, mark) = (directory.path(), directory.path().join("ran"));
        git(top, &["init", "-q"]);
        fs::write(top.join("a.lisp"), "1").unwrap();
        git(top, &["add", "."]);
        git(top, &["commit", "-qm", "one"]);
        let touch = format!("touch {}", mark.display());
        for (name, value) in [
            ("core.fsmonitor", touch.as_str()),
            ("core.sshCommand", &touch),
            ("core.pager", &touch),
            ("filter.f.smudge", &touch),
            ("filter.f.clean", &touch),
            ("diff.external", &touch),
            ("extensions.partialClone", "origin"),
            ("remote.origin.url", "/nowhere"),
            ("remote.origin.uploadpack", &touch),
            ("remote.origin.promisor", "true"),
            ("alias.ls-tree", &format!("!{touch}")),
        ] {
            git(top, &["config", name, value]);
        }
        fs::write(top.join(".gitattributes"), "* filter=f diff=f\n").unwrap();
        assert_eq!(texts(&Revision::open(top, "HEAD").unwrap()), [(top.join("a.lisp"), "1".to_owned())]);
        // An object that is missing would be fetched.
        for entry in fs::read_dir(top.join(".git/objects")).unwrap().flatten() {
            if entry.file_name().len() == 2 {
                fs::remove_dir_all(entry.path()).unwrap();
            }
        }
        assert!(Revision::open(top, "HEAD").is_err());
        assert!(!mark.exists());
    }
}
