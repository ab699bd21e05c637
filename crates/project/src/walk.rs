//! From a path as the caller wrote it to a directory handle and one name inside that directory.
//!
//! Checking a path and then opening it leaves a moment in which a link can be swapped in. Here the path is walked from the
//! handle of a root: each step opens one directory below the last handle without following links. A symbolic link is
//! read and its target walked by the same rules; `..` goes back to the previous handle. A walk that leaves the root
//! must lead into an allowed root or is refused, so a link can point anywhere inside and nowhere else. The file itself
//! is opened later, from the last handle, again without following links.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, FileTypeExt as _, Metadata};

use crate::error::{Error, NotRegular};
use crate::identity::std_identity;
use crate::nearest;
use crate::root::{Root, Roots};

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

/// Longest path, in bytes, that is walked.
const MAX_PATH_BYTES: usize = 4096;

/// The number of attempts at one step when a directory and a link change places meanwhile.
const MAX_RETRIES: usize = 8;

/// A name in an open directory below a root: a regular file, or nothing yet.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) root: Arc<Root>,
    /// The directory that holds the name, never reached through an unchecked link.
    pub(crate) dir: Dir,
    /// One component: not `.`, not `..`, no separator.
    pub(crate) name: OsString,
    /// The path for the caller: relative to the first root, absolute below others.
    pub(crate) path: String,
    /// The real path: absolute, without links.
    pub(crate) real: PathBuf,
    /// A regular file has the name.
    pub(crate) exists: bool,
    /// The names on the way, for the error that says so.
    missing: String,
}

impl Place {
    /// The error for a place where a file is needed and nothing is.
    pub(crate) fn not_found(&self) -> Error {
        not_found(&self.root, &self.path, self.missing.clone(), &self.dir, &self.name)
    }
}

/// An open directory below a root.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(crate) dir: Dir,
    /// The path for the caller, as in [`Place`]; empty for the first root.
    pub(crate) path: String,
    /// Absolute, without links.
    pub(crate) real: PathBuf,
}

/// The end of a walk.
enum Arrival {
    Place(Place),
    /// A directory.
    Directory {
        /// The directory.
        here: Directory,
        /// Its root.
        root: Arc<Root>,
        /// Its path from the root.
        below: PathBuf,
        /// The path as it was written.
        written: String,
    },
}

/// The position of a walk.
struct Walk<'r> {
    roots: &'r Roots,
    /// As written, for errors.
    written: String,
    root: Arc<Root>,
    /// Directories below the root, outermost first, each with its name.
    stack: Vec<(Dir, OsString)>,
    /// Components still to be walked.
    pending: VecDeque<OsString>,
    links: usize,
}

impl Roots {
    /// Walks to the directory that holds `path`.
    pub(crate) fn locate(&self, path: &Path) -> Result<Place, Error> {
        match self.walk(path)? {
            Arrival::Place(place) => Ok(place),
            Arrival::Directory { here, root, below, written } => {
                let names = nearest::some_names(&here.dir).into_iter();
                let holds = names.map(|name| self.display(&root, &below.join(name))).collect();
                Err(Error::IsDirectory { path: written, holds })
            }
        }
    }

    /// Walks to the directory at `path`.
    pub(crate) fn locate_directory(&self, path: &Path) -> Result<Directory, Error> {
        match self.walk(path)? {
            Arrival::Directory { here, .. } => Ok(here),
            Arrival::Place(place) if place.exists => {
                Err(Error::NotADirectory { at: place.path.clone(), path: place.path })
            }
            Arrival::Place(place) => Err(place.not_found()),
        }
    }

    /// The place at `path` if nothing is there; `None` for a directory. A file is an error, since a directory is needed.
    pub(crate) fn locate_for_directory(&self, path: &Path) -> Result<Option<Place>, Error> {
        match self.walk(path)? {
            Arrival::Directory { .. } => Ok(None),
            Arrival::Place(place) if place.exists => {
                Err(Error::NotADirectory { at: place.path.clone(), path: place.path })
            }
            Arrival::Place(place) => Ok(Some(place)),
        }
    }

    fn walk(&self, path: &Path) -> Result<Arrival, Error> {
        let written = path.to_string_lossy().into_owned();
        let bad = |why| Error::BadPath { path: written.clone(), why };
        if path.as_os_str().is_empty() {
            return Err(bad("it is empty"));
        }
        if path.as_os_str().len() > MAX_PATH_BYTES {
            return Err(Error::BadPath {
                path: format!("{}...", written.chars().take(80).collect::<String>()),
                why: "it is longer than 4096 bytes",
            });
        }
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(bad("it contains a zero character"));
        }
        let mut walk = Walk {
            roots: self,
            written,
            root: Arc::clone(self.first()),
            stack: Vec::new(),
            pending: VecDeque::new(),
            links: 0,
        };
        if path.is_absolute() {
            walk.enter(path)?;
        } else {
            walk.pending.extend(steps(path));
        }
        walk.run()
    }

    /// The absolute path, without links, of the file that `path` names: for a program that is to open it.
    ///
    /// Fails like [`Roots::read`] when the file does not exist or the path leaves the roots. The other program may find
    /// another file there: that is outside this crate's control.
    pub fn absolute(&self, path: &Path) -> Result<PathBuf, Error> {
        let place = self.locate(path)?;
        if place.exists { Ok(place.real) } else { Err(place.not_found()) }
    }

    /// The same for the file or the directory that `path` names.
    pub fn absolute_or_directory(&self, path: &Path) -> Result<PathBuf, Error> {
        match self.walk(path)? {
            Arrival::Place(place) if place.exists => Ok(place.real),
            Arrival::Place(place) => Err(place.not_found()),
            Arrival::Directory { here, .. } => Ok(here.real),
        }
    }
}

impl Walk<'_> {
    fn run(mut self) -> Result<Arrival, Error> {
        let mut retries = 0;
        while let Some(step) = self.pending.pop_front() {
            if step == ".." {
                if self.stack.pop().is_none() {
                    let mut above = self.root.real.parent().unwrap_or(Path::new("/")).to_owned();
                    above.extend(self.pending.drain(..));
                    self.enter(&above)?;
                }
                continue;
            }
            let is_last = self.pending.is_empty();
            let kind = match self.here().symlink_metadata(&step) {
                Ok(metadata) => Kind::of(&metadata),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    if is_last {
                        return self.arrive(step, false).map(Arrival::Place);
                    }
                    let missing = self.shown(&step);
                    return Err(not_found(&self.root, &self.written, missing, self.here(), &step));
                }
                Err(error) => return Err(Error::reading(&self.written, "look at a part of the path", error)),
            };
            let moved = match kind {
                Kind::Link => match self.here().read_link_contents(&step) {
                    Ok(target) => {
                        self.follow(&target)?;
                        None
                    }
                    Err(error) => Some(error),
                },
                Kind::Directory => match self.here().open_dir_nofollow(&step) {
                    Ok(dir) => {
                        self.stack.push((dir, step.clone()));
                        None
                    }
                    Err(error) => Some(error),
                },
                Kind::File if is_last => return self.arrive(step, true).map(Arrival::Place),
                Kind::Other(kind) if is_last => {
                    return Err(Error::NotRegular { path: self.written, kind });
                }
                Kind::File | Kind::Other(_) => {
                    let at = self.shown(&step);
                    return Err(Error::NotADirectory { path: self.written, at });
                }
            };
            if let Some(error) = moved {
                retries += 1;
                if error.kind() == io::ErrorKind::PermissionDenied || retries > MAX_RETRIES {
                    return Err(Error::reading(&self.written, "open a directory on the way", error));
                }
                self.pending.push_front(step);
            }
        }
        let below = self.below_root();
        let dir = self.here().try_clone().map_err(|error| Error::reading(&self.written, "open it", error))?;
        let path = if self.links == 0 { self.roots.display(&self.root, &below) } else { self.written.clone() };
        let here = Directory { dir, path, real: self.root.real.join(&below) };
        Ok(Arrival::Directory { here, root: self.root, below, written: self.written })
    }

    /// The directory reached so far.
    fn here(&self) -> &Dir {
        self.stack.last().map_or(&self.root.dir, |(dir, _)| dir)
    }

    /// Its path from the root.
    fn below_root(&self) -> PathBuf {
        self.stack.iter().map(|(_, name)| name).collect()
    }

    fn shown(&self, step: &OsStr) -> String {
        self.roots.display(&self.root, &self.below_root().join(step))
    }

    fn follow(&mut self, target: &Path) -> Result<(), Error> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(Error::TooManyLinks { path: self.written.clone() });
        }
        if target.is_absolute() {
            let mut whole = target.to_owned();
            whole.extend(self.pending.drain(..));
            return self.enter(&whole);
        }
        for step in steps(target).collect::<Vec<_>>().into_iter().rev() {
            self.pending.push_front(step);
        }
        Ok(())
    }

    /// Continues in the root that the absolute path `whole` leads into.
    fn enter(&mut self, whole: &Path) -> Result<(), Error> {
        let found = self.roots.root_of(whole);
        let found = found.or_else(|| if self.roots.open_libraries() { self.roots.root_of(whole) } else { None });
        let (root, rest) = found.ok_or_else(|| Error::OutsideRoot {
            path: self.written.clone(),
            by_link: self.links > 0,
            roots: self.roots.writable().map(|root| root.display().to_string()).collect(),
        })?;
        self.root = root;
        self.stack.clear();
        self.pending.clear();
        self.pending.extend(steps(&rest));
        Ok(())
    }

    fn arrive(mut self, name: OsString, exists: bool) -> Result<Place, Error> {
        let below = self.below_root().join(&name);
        let missing = self.shown(&name);
        let path = if self.links == 0 { missing.clone() } else { self.written };
        let dir = match self.stack.pop() {
            Some((dir, _)) => dir,
            None => self.root.dir.try_clone().map_err(|error| Error::reading(&path, "open the root", error))?,
        };
        Ok(Place { real: self.root.real.join(below), root: self.root, dir, name, path, exists, missing })
    }
}

impl Roots {
    /// The root that an absolute path leads into, and the rest of the path below it.
    ///
    /// Decides by spelling first, then by identity: a prefix of the path that is the same directory as a root counts,
    /// however it is spelled. Nothing is opened by the path; the rest is walked from the root's own handle.
    fn root_of(&self, whole: &Path) -> Option<(Arc<Root>, PathBuf)> {
        let roots = self.all();
        for root in &roots {
            if let Ok(rest) = whole.strip_prefix(&root.real).or_else(|_| whole.strip_prefix(&root.spelled)) {
                return Some((Arc::clone(root), rest.to_owned()));
            }
        }
        let mut prefixes: Vec<&Path> = whole.ancestors().collect();
        prefixes.reverse();
        for prefix in prefixes {
            let identity = std_identity(&std::fs::metadata(prefix).ok()?);
            if let Some(root) = roots.iter().find(|root| root.identity == identity) {
                let rest = whole.strip_prefix(prefix).expect("an ancestor is a prefix");
                return Some((Arc::clone(root), rest.to_owned()));
            }
        }
        None
    }

    fn display(&self, root: &Arc<Root>, below: &Path) -> String {
        if Arc::ptr_eq(root, self.first()) && !self.shared.show_absolute {
            below.display().to_string()
        } else {
            root.real.join(below).display().to_string()
        }
    }
}

fn not_found(root: &Arc<Root>, written: &str, missing: String, dir: &Dir, name: &OsStr) -> Error {
    if !root.is_present() {
        return Error::RootGone { path: written.to_owned(), root: root.real.display().to_string() };
    }
    let parent = Path::new(&missing).parent().map(Path::to_owned).unwrap_or_default();
    let nearest = nearest::nearest_names(dir, &name.to_string_lossy())
        .into_iter()
        .map(|near| parent.join(near).display().to_string())
        .collect();
    Error::NotFound { path: written.to_owned(), missing, nearest, root: root.real.display().to_string() }
}

enum Kind {
    Link,
    Directory,
    File,
    Other(NotRegular),
}

impl Kind {
    fn of(metadata: &Metadata) -> Self {
        let file_type = metadata.file_type();
        if file_type.is_symlink() {
            Kind::Link
        } else if file_type.is_dir() {
            Kind::Directory
        } else if file_type.is_file() {
            Kind::File
        } else if file_type.is_fifo() {
            Kind::Other(NotRegular::Fifo)
        } else if file_type.is_socket() {
            Kind::Other(NotRegular::Socket)
        } else if file_type.is_block_device() || file_type.is_char_device() {
            Kind::Other(NotRegular::Device)
        } else {
            Kind::Other(NotRegular::Unknown)
        }
    }
}

/// The components of a path that have to be walked.
fn steps(path: &Path) -> impl Iterator<Item = OsString> + '_ {
    path.components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| part.as_os_str().to_owned())
}
