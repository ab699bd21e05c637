//! A new version of a file, complete on disk before it gets the file's name.
//!
//! The bytes go into a file without a name (`O_TMPFILE`), so that a killed writer leaves nothing; it gets a name only
//! for the moment before the rename. File systems without nameless files get a name from the start. That name says
//! which file it is for, and only the holder of the file's lock makes one. So a writer removes the names that it finds
//! for its file: they are a dead writer's. It also removes those for other files in the directory when nobody locks
//! them: a writer locks what it writes for as long as it lives.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::Dir;
use lispwright_platform::{Here, System as _};
use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid, XattrFlags};

use crate::journal::is_journal_name;
use crate::regular::{AT_ONCE, only_regular};
use crate::text::digest_of;

const PREFIX: &str = ".lispwright-";
const SUFFIX: &str = ".tmp";

/// At most this many names in one directory are searched for dead writers' files.
const MAX_NAMES: usize = 100_000;

/// `name` has the form that this module gives to a version that is being written.
pub(crate) fn is_staging_name(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// A complete version that does not have its final name yet. It is removed on drop unless it got that name.
#[derive(Debug)]
pub(crate) struct Staged {
    dir: Dir,
    target: OsString,
    file: File,
    /// Its temporary name.
    name: Option<OsString>,
}

/// Writes `bytes` to a new file in `dir` and forces them to the disk. Owner, mode and extended attributes are those of
/// `like`, or what the system gives to new files.
pub(crate) fn stage(dir: &Dir, target: &OsStr, bytes: &[u8], like: Option<&File>) -> io::Result<Staged> {
    let (dir, target) = (dir.try_clone()?, target.to_owned());
    let mode = Mode::from_raw_mode(if like.is_some() { 0o600 } else { 0o666 });
    let mut staged = match Here::nameless_file(dir.as_fd(), mode)? {
        Some(file) => Staged { dir, target, file, name: None },
        None => {
            let (file, name) = open_named(&dir, &target, mode)?;
            Staged { dir, target, file, name: Some(name) }
        }
    };
    // Without locks on this file system, an abandoned version stays until the next writer of the same file comes.
    let _ = staged.file.try_lock();
    staged.file.write_all(bytes)?;
    if let Some(like) = like {
        copy_attributes(like, &staged.file)?;
    }
    staged.file.sync_all()?;
    Ok(staged)
}

impl Staged {
    /// Gives the version a name beside its target, if it has none yet.
    pub(crate) fn give_name(&mut self) -> io::Result<()> {
        if self.name.is_none() {
            self.name =
                Some(with_fresh_name(&self.target, |name| Here::give_name(&self.file, self.dir.as_fd(), name))?.1);
        }
        Ok(())
    }

    /// Gives the version other mode bits.
    pub(crate) fn set_mode(&self, mode: u32) -> io::Result<()> {
        self.file.set_permissions(Permissions::from_mode(mode))?;
        self.file.sync_all()
    }

    /// The version has the owner that `old` has.
    pub(crate) fn is_owned_like(&self, old: &File) -> io::Result<bool> {
        Ok(rustix::fs::fstat(&self.file)?.st_uid == rustix::fs::fstat(old)?.st_uid)
    }

    /// Puts the version in the place of its target, and returns its open file, which is locked. Afterwards the
    /// directory has to be synced.
    pub(crate) fn replace(mut self) -> io::Result<File> {
        self.give_name()?;
        let file = self.file.try_clone()?;
        let name = self.name.as_ref().expect("give_name leaves a name");
        rustix::fs::renameat(&self.dir, name, &self.dir, &self.target)?;
        self.name = None;
        Ok(file)
    }

    /// Gives the version its final name if nothing has that name, and returns its open file, which is locked. Afterwards
    /// the directory has to be synced.
    pub(crate) fn create(mut self) -> io::Result<File> {
        let file = self.file.try_clone()?;
        match &self.name {
            None => Here::give_name(&self.file, self.dir.as_fd(), &self.target)?,
            Some(name) => {
                self.dir.hard_link(name, &self.dir, &self.target)?;
                remove(&self.dir, name)?;
                self.name = None;
            }
        }
        Ok(file)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // A name that cannot be removed is found by the next writer.
            let _ = remove(&self.dir, name);
        }
    }
}

/// A second name of a file, under which its version stays when its own name is given to another. It is removed on drop.
#[derive(Debug)]
pub(crate) struct SecondName {
    dir: Dir,
    target: OsString,
    name: Option<OsString>,
}

impl SecondName {
    /// Gives the file that is `target` in `dir` a second name.
    pub(crate) fn give(dir: &Dir, target: &OsStr) -> io::Result<Self> {
        // First the descriptor, then the name: what fails for want of one leaves nothing.
        let dir = dir.try_clone()?;
        let (_, name) = with_fresh_name(target, |name| dir.hard_link(target, &dir, name))?;
        Ok(Self { dir, target: target.to_owned(), name: Some(name) })
    }

    /// Writes the same version once more, for a file system whose files have one name.
    pub(crate) fn copy(dir: &Dir, target: &OsStr, bytes: &[u8], like: &File) -> io::Result<Self> {
        let mut staged = stage(dir, target, bytes, Some(like))?;
        staged.give_name()?;
        let (dir, name) = (staged.dir.try_clone()?, staged.name.take());
        Ok(Self { dir, target: target.to_owned(), name })
    }

    /// Gives the version its own name back.
    pub(crate) fn put_back(mut self) -> io::Result<()> {
        let name = self.name.as_ref().expect("it has a name until it is put back");
        rustix::fs::renameat(&self.dir, name, &self.dir, &self.target)?;
        self.name = None;
        Ok(())
    }
}

impl Drop for SecondName {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // A name that cannot be removed is found by the next writer.
            let _ = remove(&self.dir, name);
        }
    }
}

/// Removes the files of killed writers from `dir`. The caller holds the lock of `target`.
///
/// Files that cannot be listed or removed stay; they do no harm.
pub(crate) fn remove_abandoned(dir: &Dir, target: &OsStr) {
    let prefix = name_prefix(target);
    for entry in dir.entries().into_iter().flatten().take(MAX_NAMES).flatten() {
        let name = entry.file_name();
        let staged = name.to_str().filter(|name| is_staging_name(name));
        if staged
            .is_some_and(|staged| staged.starts_with(&prefix) || !is_journal_name(staged) && nobody_writes(dir, staged))
        {
            let _ = remove(dir, &name);
        }
    }
}

/// Removes the versions of `target` from `dir` that have names of their own and that nobody writes.
pub(crate) fn remove_versions(dir: &Dir, target: &OsStr) {
    for entry in dir.entries().into_iter().flatten().take(MAX_NAMES).flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| is_version_of(name, target) && nobody_writes(dir, name)) {
            let _ = remove(dir, &name);
        }
    }
}

/// `name` is that of a version of `target`.
pub(crate) fn is_version_of(name: &str, target: &OsStr) -> bool {
    is_staging_name(name) && name.starts_with(&name_prefix(target))
}

/// Removes a name. This takes no descriptor, which may be what is missing.
pub(crate) fn remove(dir: &Dir, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(dir, name, AtFlags::empty())?)
}

/// A moment at which a writer may be killed: tests have it killed there.
#[cfg(not(test))]
pub(crate) fn step() {}
#[cfg(test)]
pub(crate) use crate::killed::step;

/// No living process has the lock of this version.
fn nobody_writes(dir: &Dir, name: &str) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | AT_ONCE;
    let opened = rustix::fs::openat(dir, name, flags, Mode::empty());
    opened.map(File::from).is_ok_and(|file| only_regular(file).is_ok_and(|file| file.try_lock().is_ok()))
}

/// Forces the names in `dir` to the disk. A file system that cannot do that for directories counts as having done it.
pub(crate) fn sync_directory(dir: &Dir) -> io::Result<()> {
    let sync = || -> io::Result<()> {
        let handle = rustix::fs::openat(dir, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        rustix::fs::fsync(&handle)?;
        Ok(())
    };
    match sync() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        // A directory may be writable without being readable; then it cannot be opened to be synced.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}

fn open_named(dir: &Dir, target: &OsStr, mode: Mode) -> io::Result<(File, OsString)> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::WRONLY | OFlags::CLOEXEC;
    with_fresh_name(target, |name| Ok(File::from(rustix::fs::openat(dir, name, flags, mode)?)))
}

/// The beginning of the names of all versions of `target`. Its length is fixed, whatever the length of the target's
/// name.
fn name_prefix(target: &OsStr) -> String {
    format!("{PREFIX}{}-", digest_of(target.as_encoded_bytes()))
}

/// Calls `make` with names for a version of `target` until one is free.
pub(crate) fn with_fresh_name<T>(target: &OsStr, make: impl Fn(&OsStr) -> io::Result<T>) -> io::Result<(T, OsString)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let prefix = name_prefix(target);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = OsString::from(format!("{prefix}{}-{number}{SUFFIX}", std::process::id()));
        match make(&name) {
            Ok(made) => return Ok((made, name)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Gives `new` the owner, group, mode and extended attributes (access control lists are such) of `old`.
///
/// Attributes that the system does not permit are left out; a file that changes hands loses its set-user-ID and
/// set-group-ID bits.
fn copy_attributes(old: &File, new: &File) -> io::Result<()> {
    let (from, to) = (rustix::fs::fstat(old)?, rustix::fs::fstat(new)?);
    let mut same_owner = true;
    if (from.st_uid, from.st_gid) != (to.st_uid, to.st_gid) {
        let (uid, gid) = (Uid::from_raw(from.st_uid), Gid::from_raw(from.st_gid));
        same_owner = rustix::fs::fchown(new, Some(uid), Some(gid)).is_ok();
        if !same_owner {
            // The owner can be given away only by the superuser, the group by any member.
            let _ = rustix::fs::fchown(new, None, Some(gid));
        }
    }
    copy_extended_attributes(old, new);
    let kept = if same_owner { 0o7777 } else { 0o777 };
    rustix::fs::fchmod(new, Mode::from_raw_mode(from.st_mode & kept))?;
    Ok(())
}

/// Copies the extended attributes that can be copied; many file systems have none, and some names are the system's own.
fn copy_extended_attributes(old: &File, new: &File) {
    let mut names = vec![0; 4096];
    let Ok(length) = rustix::fs::flistxattr(old, &mut names[..]) else { return };
    for name in names[..length].split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let Ok(length) = rustix::fs::fgetxattr_query(old, name) else { continue };
        let mut value = vec![0; length];
        if let Ok(length) = rustix::fs::fgetxattr(old, name, &mut value[..]) {
            let _ = rustix::fs::fsetxattr(new, name, &value[..length], XattrFlags::empty());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;

    use cap_std::ambient_authority;

    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            dir.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_writer_leaves_is_removed_and_what_a_living_one_writes_is_not() {
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        let (long, other, dead) = (OsString::from("x".repeat(255)), OsString::from("other"), OsString::from("dead"));
        for target in [&long, &other] {
            let mut staged = stage(&dir, target, b"half", None).unwrap();
            staged.give_name().unwrap();
            // Its file stays open and locked.
            std::mem::forget(staged);
        }
        drop(open_named(&dir, &dead, Mode::from_raw_mode(0o600)).unwrap());
        let left = names(temp.path());
        assert_eq!(left.iter().filter(|name| is_staging_name(name)).count(), 3, "{left:?}");
        remove_abandoned(&dir, &long);
        let left = names(temp.path());
        assert!(left.len() == 1 && left[0].starts_with(&name_prefix(&other)), "{left:?}");
    }

    #[test]
    fn a_named_version_behaves_like_a_nameless_one() {
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        let target = OsString::from("a.lisp");
        let named = |bytes: &[u8]| {
            let (mut file, name) = open_named(&dir, &target, Mode::from_raw_mode(0o600)).unwrap();
            file.write_all(bytes).unwrap();
            Staged { dir: dir.try_clone().unwrap(), target: target.clone(), file, name: Some(name) }
        };
        named(b"one").create().unwrap();
        assert_eq!(named(b"two").create().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((names(temp.path()), dir.read("a.lisp").unwrap()), (vec!["a.lisp".to_owned()], b"one".to_vec()));
        named(b"three").replace().unwrap();
        assert_eq!((names(temp.path()), dir.read("a.lisp").unwrap()), (vec!["a.lisp".to_owned()], b"three".to_vec()));
        drop(named(b"four"));
        assert_eq!((names(temp.path()), dir.read("a.lisp").unwrap()), (vec!["a.lisp".to_owned()], b"three".to_vec()));
    }
}
