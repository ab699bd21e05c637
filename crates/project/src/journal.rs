//! The record of a change of several files, on disk before its first step.
//!
//! A change of several files is many renames, and the process can end between any two of them. So the change first writes
//! which files it is about, with the digests of their old and new bytes, into a file of the root, and forces it to the disk.
//! Only then do versions get names. When the new texts are to stay, one byte more in the record says so: that is the moment at
//! which the change has happened. Then the old versions go, and at last the record. A record that nobody holds any more
//! belongs to a process that has ended; without that byte, the next
//! writer in that root, or [`Roots::settle`], takes the change back: each file that has its new bytes gets the old version,
//! which lies beside it under a name of `stage.rs`. A file that has neither moved on with somebody else and is left.
//!
//! The writer keeps its record locked, so nobody takes back a change that runs; it locks the files, too, so a record is
//! settled only when all of its files are free.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Mode, OFlags};

use crate::read;
use crate::regular::{AT_ONCE, only_regular};
use crate::root::{Root, Roots};
use crate::stage::{self, step};
use crate::text::digest_of;
use crate::walk::Place;

const PREFIX: &str = ".lispwright-journal-";
const SUFFIX: &str = ".tmp";
const HEAD: &[u8] = b"lispwright-journal 1";

/// The end of the record of a change that has happened.
const KEPT: &[u8] = b"k";

/// Longest record that is read, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// At most this many names of a root are searched for records.
const MAX_NAMES: usize = 100_000;

/// `name` is that of a record.
pub(crate) fn is_journal_name(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// A change of several files that ended with its process and was taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenBack {
    /// The files that have their old bytes again, or are gone because the change had created them.
    pub files: Vec<String>,
    /// The files that somebody else has changed since, or whose old version is gone. They were left as they are.
    pub left: Vec<String>,
}

/// What was taken back and has not been told yet.
#[derive(Debug, Default)]
pub(crate) struct News(Mutex<Vec<TakenBack>>);

impl News {
    fn add(&self, news: TakenBack) {
        // Each change is one call, so a panic elsewhere leaves the list whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(news);
    }

    fn take(&self) -> Vec<TakenBack> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Roots {
    /// Takes back what processes that have ended left half done in these roots. A writer does so by itself, for the root
    /// that it writes in.
    pub fn settle(&self) {
        for root in self.shared.writable.clone() {
            settle(self, &root);
        }
    }

    /// The changes that were taken back since this was asked last.
    #[must_use]
    pub fn taken_back(&self) -> Vec<TakenBack> {
        self.shared.news.take()
    }
}

/// One file of a change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Below the root of the record, or absolute.
    path: PathBuf,
    /// The digest of the old bytes; empty for a file that is created.
    old: String,
    /// Empty for a file that is removed.
    new: String,
}

impl Entry {
    /// A file at `place` that gets `new` for `old`; without `old` it is created, without `new` it is removed.
    pub(crate) fn new(home: &Root, place: &Place, old: Option<&[u8]>, new: Option<&[u8]>) -> Self {
        let path = place.real.strip_prefix(&home.real).unwrap_or(&place.real).to_owned();
        Self { path, old: old.map(digest_of).unwrap_or_default(), new: new.map(digest_of).unwrap_or_default() }
    }
}

/// The record of a change that runs. When it is dropped, the change has happened or was taken back.
#[derive(Debug)]
pub(crate) struct Journal {
    root: Arc<Root>,
    name: OsString,
    /// Locked for as long as this is open.
    file: File,
}

impl Journal {
    /// Writes the record and forces it to the disk.
    pub(crate) fn open(root: &Arc<Root>, entries: &[Entry]) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::WRONLY | OFlags::CLOEXEC;
        let (file, name) = loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!("{PREFIX}{}-{number}{SUFFIX}", std::process::id()));
            match rustix::fs::openat(&root.dir, &name, flags, Mode::from_raw_mode(0o600)) {
                Ok(file) => break (File::from(file), name),
                Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        };
        let mut journal = Self { root: root.clone(), name, file };
        step();
        // Without locks on this file system a record cannot be told from one whose writer has ended, and is left.
        let _ = journal.file.try_lock();
        journal.file.write_all(&written(entries))?;
        step();
        journal.file.sync_all()?;
        stage::sync_directory(&root.dir)?;
        step();
        Ok(journal)
    }

    /// Makes the change one that has happened: what is left to do is to remove the old versions, and then the record.
    pub(crate) fn keep(&self) {
        step();
        let kept = (&self.file).write_all(KEPT).and_then(|()| self.file.sync_all());
        if kept.is_err() {
            let _ = self.remove();
        }
        step();
    }

    /// Removes the record, or at least what it says.
    fn remove(&self) -> io::Result<()> {
        step();
        rustix::fs::unlinkat(&self.root.dir, &self.name, AtFlags::empty())
            .map_err(io::Error::from)
            .or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { self.file.set_len(0) })?;
        step();
        stage::sync_directory(&self.root.dir)
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let _ = self.remove();
    }
}

/// The bytes of a record: fields that end with a zero, and the digest of all of them at the end.
fn written(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = [HEAD, b"\0"].concat();
    for Entry { path, old, new } in entries {
        for field in [path.as_os_str().as_bytes(), old.as_bytes(), new.as_bytes()] {
            bytes.extend_from_slice(field);
            bytes.push(0);
        }
    }
    let digest = digest_of(&bytes);
    bytes.extend_from_slice(digest.as_bytes());
    bytes
}

/// The files of a record; `None` for one that was not written to its end, whose change has not begun.
fn entries(bytes: &[u8]) -> Option<Vec<Entry>> {
    let (fields, digest) = bytes.split_at(bytes.iter().rposition(|&byte| byte == 0)? + 1);
    if digest_of(fields).as_bytes() != digest {
        return None;
    }
    let fields: Vec<&[u8]> = fields[..fields.len() - 1].split(|&byte| byte == 0).collect();
    let (head, fields) = fields.split_first()?;
    if *head != HEAD || fields.len() % 3 != 0 {
        return None;
    }
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
    fields
        .chunks(3)
        .map(|entry| {
            let path = PathBuf::from(OsString::from_vec(entry[0].to_vec()));
            Some(Entry { path, old: text(entry[1])?, new: text(entry[2])? })
        })
        .collect()
}

/// Takes back what processes that have ended left half done in `root`, and notes in the root whether anything of that
/// kind remains.
pub(crate) fn settle(roots: &Roots, root: &Arc<Root>) {
    let mut is_settled = true;
    for name in names_in(&root.dir, is_journal_name) {
        match settle_one(roots, root, &name) {
            Ok(Some(news)) => roots.shared.news.add(news),
            Ok(None) => {}
            Err(_) => is_settled = false,
        }
    }
    root.is_settled.store(is_settled, Ordering::Relaxed);
}

fn names_in(dir: &Dir, is_wanted: impl Fn(&str) -> bool) -> Vec<OsString> {
    let entries = dir.entries().into_iter().flatten().take(MAX_NAMES).flatten();
    entries.map(|entry| entry.file_name()).filter(|name| name.to_str().is_some_and(&is_wanted)).collect()
}

/// The state of a file of a change.
#[derive(Clone, Copy)]
enum State {
    Old,
    New,
    MovedOn,
}

fn settle_one(roots: &Roots, root: &Arc<Root>, name: &OsStr) -> io::Result<Option<TakenBack>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | AT_ONCE;
    let record = match rustix::fs::openat(&root.dir, name, flags, Mode::empty()) {
        Ok(file) => only_regular(File::from(file))?,
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if record.try_lock().is_err() || record.metadata()?.nlink() == 0 {
        // Its writer lives, or another process has just settled it.
        return Ok(None);
    }
    let mut bytes = Vec::new();
    (&record).take(MOST_BYTES).read_to_end(&mut bytes)?;
    let (record_bytes, is_kept) = bytes.strip_suffix(KEPT).map_or((&bytes[..], false), |bytes| (bytes, true));
    let mut news = TakenBack::default();
    let (mut files, mut locks) = (Vec::new(), Vec::new());
    for entry in entries(record_bytes).unwrap_or_default() {
        let Ok(place) = roots.locate(&root.real.join(&entry.path)) else {
            if entry.path.is_absolute() {
                // It is below a root that this process does not have.
                return Err(io::ErrorKind::NotFound.into());
            }
            if !is_kept {
                news.left.push(entry.path.display().to_string());
            }
            continue;
        };
        if !place.root.writable {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let (state, lock) = state_of(&place, &entry)?;
        locks.push(lock);
        files.push((place, entry, state));
    }
    // From here on all files are locked.
    for (place, entry, state) in &files {
        match state {
            _ if is_kept => {}
            State::Old => {}
            State::New if take_back(place, entry)? => news.files.push(place.path.clone()),
            State::New | State::MovedOn => news.left.push(place.path.clone()),
        }
    }
    // A version that is locked counts as being written.
    drop(locks);
    for (place, entry, _) in &files {
        stage::sync_directory(&place.dir)?;
        if place.exists || entry.new.is_empty() {
            stage::remove_versions(&place.dir, &place.name);
        }
        step();
    }
    rustix::fs::unlinkat(&root.dir, name, AtFlags::empty())?;
    stage::sync_directory(&root.dir)?;
    Ok((news != TakenBack::default()).then_some(news))
}

/// The state of a file, and its lock.
fn state_of(place: &Place, entry: &Entry) -> io::Result<(State, Option<File>)> {
    if !place.exists {
        let state = match entry {
            Entry { old, .. } if old.is_empty() => State::Old,
            Entry { new, .. } if new.is_empty() => State::New,
            _ => State::MovedOn,
        };
        return Ok((state, None));
    }
    let Ok(file) = read::open(place) else { return Ok((State::MovedOn, None)) };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
        // Where nothing can be locked, the bytes decide.
        Ok(()) | Err(TryLockError::Error(_)) => {}
    }
    let Ok((bytes, _)) = read::read_stable("", &file) else { return Ok((State::MovedOn, Some(file))) };
    let digest = digest_of(&bytes);
    let state = match digest {
        digest if digest == entry.old => State::Old,
        digest if digest == entry.new => State::New,
        _ => State::MovedOn,
    };
    Ok((state, Some(file)))
}

/// Gives a file its old version back; `false` when that is not there.
fn take_back(place: &Place, entry: &Entry) -> io::Result<bool> {
    step();
    let (dir, target) = (place.dir.as_fd(), &place.name);
    if entry.old.is_empty() {
        rustix::fs::unlinkat(dir, target, AtFlags::empty())?;
        return Ok(true);
    }
    for name in names_in(&place.dir, |name| stage::is_version_of(name, target)) {
        if holds(&place.dir, &name, &entry.old) {
            rustix::fs::renameat(dir, &name, dir, target)?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// The file `name` has bytes with this digest.
fn holds(dir: &Dir, name: &OsStr, digest: &str) -> bool {
    let opened = rustix::fs::openat(dir, name, OFlags::RDONLY | OFlags::NOFOLLOW | AT_ONCE, Mode::empty());
    let file = opened.map_err(io::Error::from).and_then(|file| only_regular(File::from(file)));
    file.ok().and_then(|file| read::read_stable("", &file).ok()).is_some_and(|(bytes, _)| digest_of(&bytes) == digest)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_and_a_torn_one_is_none() {
        let entry = |path: &str, old: &str| Entry { path: path.into(), old: old.into(), new: "0123".into() };
        let all = || vec![entry("a\nb.lisp", "4567"), entry("/new file", "")];
        let bytes = written(&all());
        assert_eq!(entries(&bytes), Some(all()));
        for end in 0..bytes.len() {
            assert_eq!(entries(&bytes[..end]), None, "{end}");
        }
    }
}
