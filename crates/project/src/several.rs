//! Replacing several files: all of them or none.
//!
//! 1. Lock the files, read them, and let the caller make the new texts, as for one file.
//! 2. Write each new version, without a name where the file system can do that, and then the record of the change
//!    (`journal.rs`).
//! 3. Give each new version a name beside its file, and each old version a second one. From here on no step needs space.
//! 4. Check whether all files still have the bytes that were read.
//! 5. Rename the new versions over the files, one after another. If a rename fails, the old versions get their names
//!    back.
//! 6. Note in the record that the new texts stay, and remove the second names and the record.
//!
//! The result is a [`Trial`]: the new texts are in place, other writers of this kind do not get at the files, and they
//! can still be put back, with their old inodes and times. A trial that is dropped is put back.
//!
//! **What is guaranteed.** Every file is whole at every moment, old or new. When a call ends, whatever its result, either all files
//! are new or all are old; the only exception is [`Error::InPart`], for a disk that fails twice. If the process is killed or the
//! machine stops before step 6, the next writer in that root, or [`Roots::settle`], takes the change back. Where the root's own
//! directory cannot be written to, there is no record, and some files may then be new and some old.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::changes::{Intent, KeptBytes, Recorder};
use crate::error::{EditError, Error, ReadOnlyWhy};
use crate::identity::{Identity, std_identity};
use crate::journal::{self, Entry, Journal};
use crate::lock::{FileKey, Turn};
use crate::read;
use crate::root::{Root, Roots};
use crate::stage::{self, SecondName, Staged, step};
use crate::text::SourceFile;
use crate::walk::Place;
use crate::write::{Held, NewText, Written, check_size, key_of, mode_of, sync, take_turn};

/// A file of a call that changes several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// Its path, as for [`Roots::edit`].
    pub path: PathBuf,
    /// It is created if nothing has the path yet.
    pub may_be_new: bool,
}

/// Files with new texts that can still be put back. Dropping it puts them back.
#[derive(Debug)]
#[must_use = "a trial that is dropped is put back"]
pub struct Trial {
    /// It goes when the files have been put back, or kept.
    journal: Option<Journal>,
    replaced: Vec<Replaced>,
    written: Vec<Written>,
    recorder: Option<Recorder>,
}

/// A file that was not put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotPutBack {
    /// The file, as the project calls it.
    pub path: String,
    /// Another program has changed it meanwhile; otherwise the disk failed.
    pub was_changed: bool,
}

impl Roots {
    /// Replaces the texts of several files by what `edit` makes of them, all of them or none.
    ///
    /// `edit` runs once, with all files locked against other writers, and returns as many texts as there are targets, in
    /// their order. The files are as [`Roots::edit`] leaves them, or created, or gone. Nothing is written if `edit` fails.
    ///
    /// Errors: those of [`Roots::edit`] for any of them, [`Error::SameFile`], [`Error::InPart`].
    pub fn edit_several<E>(
        &self,
        targets: &[Destination],
        edit: impl FnOnce(&[&SourceFile]) -> Result<Vec<NewText>, E>,
    ) -> Result<Trial, EditError<E>> {
        let locked = self.lock_all(targets)?;
        let sources: Vec<&SourceFile> = locked.iter().map(Locked::source).collect();
        let texts = edit(&sources).map_err(EditError::Refused)?;
        assert_eq!(texts.len(), targets.len(), "there is one new text for each file");
        let mut written = Vec::new();
        let mut changes = Vec::new();
        for (one, text) in locked.into_iter().zip(texts) {
            match one.new_bytes(text)? {
                Some(new) => {
                    written.push(one.written(new.bytes()));
                    changes.push((one, new));
                }
                None => written.push(one.unchanged()),
            }
        }
        let (journal, replaced) = replace_all(changes)?;
        Ok(Trial { journal, replaced, written, recorder: self.recorder.clone() })
    }

    /// Locks the files in an order of its own, so that two calls cannot wait for each other. The result is in the order of
    /// `targets`.
    fn lock_all(&self, targets: &[Destination]) -> Result<Vec<Locked>, Error> {
        let mut places: Vec<(usize, FileKey, Place)> = Vec::new();
        for (at, target) in targets.iter().enumerate() {
            let place = self.locate(&target.path)?;
            if !place.exists && !target.may_be_new {
                return Err(place.not_found());
            }
            places.push((at, key_of(&place)?, place));
        }
        places.sort_by(|(_, a, _), (_, b, _)| a.cmp(b));
        if let Some([(one, ..), (other, ..)]) = places.windows(2).find(|pair| pair[0].1 == pair[1].1) {
            let shown = |at: usize| targets[at].path.display().to_string();
            return Err(Error::SameFile { path: shown(*one), other: shown(*other) });
        }
        let mut settled: Vec<Identity> = Vec::new();
        for (_, _, place) in &places {
            if place.root.writable && !settled.contains(&place.root.identity) {
                settled.push(place.root.identity);
                journal::settle(self, &place.root);
            }
        }
        let mut locked: Vec<(usize, Locked)> = Vec::new();
        for (at, _, place) in places {
            locked.push((at, Locked::new(self, place)?));
        }
        locked.sort_by_key(|(at, _)| *at);
        Ok(locked.into_iter().map(|(_, one)| one).collect())
    }
}

impl Trial {
    /// The states of the files, in the order of the targets.
    pub fn written(&self) -> &[Written] {
        &self.written
    }

    /// States that it is not known soon whether the texts stay: other calls that would write the files are refused
    /// meanwhile and do not wait.
    pub fn takes_long(&self) {
        self.replaced.iter().for_each(|one| one.turn.keep_for_long());
    }

    /// The bytes that a file had before, by its path as the project calls it; empty for one that was created. `None` for a
    /// file that does not change.
    pub fn old_bytes(&self, path: &str) -> Option<&[u8]> {
        let one = self.replaced.iter().find(|one| one.place.path == path)?;
        Some(one.old.as_ref().map_or(&[][..], |old| &old.bytes))
    }

    /// Gives the files their old texts for a while; [`Trial::show_new`] gives them the new ones again.
    ///
    /// Errors: the first file that another program has changed, or for which the disk failed; then all have their new texts
    /// again, as far as possible.
    pub fn show_old(&mut self) -> Result<(), NotPutBack> {
        for at in 0..self.replaced.len() {
            if let Err(failed) = self.replaced[at].show_old() {
                self.replaced[..at].iter_mut().for_each(|one| drop(one.show_new()));
                return Err(failed);
            }
        }
        Ok(())
    }

    /// Gives the files their new texts again.
    ///
    /// Errors: the first file that another program has changed meanwhile, or for which the disk failed.
    pub fn show_new(&mut self) -> Result<(), NotPutBack> {
        self.replaced.iter_mut().try_for_each(Replaced::show_new)
    }

    /// Lets the new texts stay.
    pub fn keep(mut self) -> Vec<Written> {
        for one in &self.replaced {
            if let Some(recorder) = &self.recorder {
                recorder.begin(&one.intent()).done();
            }
        }
        if let Some(journal) = &self.journal {
            journal.keep();
        }
        self.replaced.clear();
        step();
        std::mem::take(&mut self.written)
    }

    /// Puts the old texts back, and removes files that were created. A file that another program has changed meanwhile
    /// is left.
    pub fn put_back(mut self) -> Vec<NotPutBack> {
        // The record goes with `self`, after the files have their old texts.
        put_back(std::mem::take(&mut self.replaced))
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        put_back(std::mem::take(&mut self.replaced));
    }
}

/// A file that is locked, or a name that no file has, which this process gives to no other call.
enum Locked {
    File(Held),
    Vacant { place: Place, turn: Turn, source: SourceFile },
}

impl Locked {
    fn new(roots: &Roots, place: Place) -> Result<Self, Error> {
        if place.exists {
            return Ok(Self::File(Held::new(roots, place)?));
        }
        if !place.root.writable {
            return Err(Error::ReadOnly { path: place.path, why: ReadOnlyWhy::Library });
        }
        let (turn, _) = take_turn(roots, &place)?;
        let source = SourceFile::decode(&place.path, b"")?;
        Ok(Self::Vacant { place, turn, source })
    }

    fn source(&self) -> &SourceFile {
        match self {
            Self::File(held) => &held.source,
            Self::Vacant { source, .. } => source,
        }
    }

    fn new_bytes(&self, text: NewText) -> Result<Option<New>, Error> {
        match (self, text) {
            (Self::File(_), NewText::Removed) => Ok(Some(New::Nothing)),
            (Self::File(held), text) => Ok(held.new_bytes(text)?.map(|bytes| New::Bytes { bytes, mode: None })),
            (Self::Vacant { .. }, NewText::Unchanged | NewText::Removed) => Ok(None),
            (Self::Vacant { source, .. }, NewText::Text(text)) => {
                let bytes = source.encode(&text)?;
                check_size(&source.path, &bytes)?;
                Ok(Some(New::Bytes { bytes, mode: None }))
            }
            (Self::Vacant { source, .. }, NewText::Bytes(KeptBytes { bytes, mode })) => {
                check_size(&source.path, &bytes)?;
                Ok(Some(New::Bytes { bytes, mode: Some(mode) }))
            }
        }
    }

    fn written(&self, bytes: &[u8]) -> Written {
        match self {
            Self::File(held) => held.written(bytes),
            Self::Vacant { .. } => Written { changed: true, len: bytes.len() as u64, ..self.unchanged() },
        }
    }

    fn unchanged(&self) -> Written {
        match self {
            Self::File(held) => held.unchanged(),
            Self::Vacant { source, .. } => {
                Written { path: source.path.clone(), changed: false, len: 0, other_names: 0 }
            }
        }
    }
}

/// What a file is to have.
#[derive(Debug)]
enum New {
    /// These bytes. A file that is created has the mode bits, if they are given.
    Bytes { bytes: Vec<u8>, mode: Option<u32> },
    /// It is to be gone.
    Nothing,
}

impl New {
    /// The bytes; none for a file that is to be gone.
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes { bytes, .. } => bytes,
            Self::Nothing => &[],
        }
    }

    /// The bytes, if there are to be some.
    fn some_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes { bytes, .. } => Some(bytes),
            Self::Nothing => None,
        }
    }
}

/// A file whose new version is complete on the disk.
struct Ready {
    locked: Locked,
    new: New,
    /// `None` for a file that is to be gone.
    staged: Option<Staged>,
    /// The second name of the old version, if the file system has such names.
    second: Option<SecondName>,
}

impl Ready {
    fn new(locked: Locked, new: New) -> Result<Self, Error> {
        let staged = match (&locked, &new) {
            (_, New::Nothing) => None,
            (Locked::File(held), New::Bytes { bytes, .. }) => Some(held.stage(bytes)?),
            (Locked::Vacant { place, .. }, New::Bytes { bytes, mode }) => {
                let staged = stage::stage(&place.dir, &place.name, bytes, None)
                    .and_then(|staged| mode.map_or(Ok(()), |mode| staged.set_mode(mode)).map(|()| staged));
                Some(staged.map_err(|error| not_created(place, error))?)
            }
        };
        Ok(Self { locked, new, staged, second: None })
    }

    /// Its line of the record that lies in `home`.
    fn entry(&self, home: &Root) -> Entry {
        match &self.locked {
            Locked::File(held) => Entry::new(home, &held.place, Some(&held.old), self.new.some_bytes()),
            Locked::Vacant { place, .. } => Entry::new(home, place, None, self.new.some_bytes()),
        }
    }

    fn root(&self) -> &Arc<Root> {
        match &self.locked {
            Locked::File(held) => &held.place.root,
            Locked::Vacant { place, .. } => &place.root,
        }
    }

    /// Gives the new version and the old one names beside the file.
    fn give_names(&mut self) -> Result<(), Error> {
        if let Locked::File(held) = &self.locked {
            let failed = |error| Error::writing(&held.place.path, "write the new version", error);
            if let Some(staged) = &mut self.staged {
                staged.give_name().map_err(failed)?;
            }
            step();
            let (dir, name) = (&held.place.dir, &held.place.name);
            let second = SecondName::give(dir, name).or_else(|_| SecondName::copy(dir, name, &held.old, &held.file));
            self.second = Some(second.map_err(failed)?);
            stage::sync_directory(dir).map_err(failed)?;
            step();
        }
        Ok(())
    }

    fn check_same(&self) -> Result<(), Error> {
        match &self.locked {
            Locked::File(held) => held.check_same(),
            Locked::Vacant { .. } => Ok(()),
        }
    }

    /// Gives the new version its name.
    fn rename(self) -> Result<Replaced, Error> {
        let Self { locked, new, staged, second } = self;
        match locked {
            Locked::File(held) => {
                let file = match staged {
                    Some(staged) => staged.replace().map(Some),
                    None => stage::remove(&held.place.dir, &held.place.name).map(|()| None),
                };
                let file = file.map_err(|error| held.not_renamed(error))?;
                let Held { place, file: old_file, turn, old, .. } = held;
                let old = Old { file: old_file, bytes: old, second };
                Ok(Replaced { place, old: Some(old), file, new, turn, shows_old: false })
            }
            Locked::Vacant { mut place, turn, .. } => {
                let file = staged.map(Staged::create).transpose().map_err(|error| not_created(&place, error))?;
                place.exists = file.is_some();
                Ok(Replaced { place, old: None, file, new, turn, shows_old: false })
            }
        }
    }
}

fn not_created(place: &Place, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::AlreadyExists => Error::AlreadyExists { path: place.path.clone() },
        _ => Error::writing(&place.path, "create it", error),
    }
}

/// A file with its new text.
#[derive(Debug)]
struct Replaced {
    place: Place,
    /// The old version; `None` for a file that was created.
    old: Option<Old>,
    /// The new version, locked; `None` if the file is gone.
    file: Option<File>,
    new: New,
    turn: Turn,
    /// It has its old text for a while.
    shows_old: bool,
}

/// An old version, locked.
#[derive(Debug)]
struct Old {
    file: File,
    bytes: Vec<u8>,
    second: Option<SecondName>,
}

impl Replaced {
    /// What has happened to the file.
    fn intent(&self) -> Intent<'_> {
        let before = self.old.as_ref().map(|old| (&old.bytes[..], mode_of(&old.file)));
        Intent { path: &self.place.real, before, after: self.new.some_bytes() }
    }

    fn failed(&self, was_changed: bool) -> NotPutBack {
        NotPutBack { path: self.place.path.clone(), was_changed }
    }

    fn show_old(&mut self) -> Result<(), NotPutBack> {
        if self.shows_old {
            return Ok(());
        }
        if !self.is_ours() {
            return Err(self.failed(true));
        }
        let (dir, name) = (&self.place.dir, &self.place.name);
        let done = match &self.old {
            None => dir.remove_file(name),
            Some(old) => stage::stage(dir, name, &old.bytes, Some(&old.file)).and_then(Staged::replace).map(drop),
        };
        done.and_then(|()| stage::sync_directory(dir)).map_err(|_| self.failed(false))?;
        self.shows_old = true;
        Ok(())
    }

    fn show_new(&mut self) -> Result<(), NotPutBack> {
        if !self.shows_old {
            return Ok(());
        }
        if !self.is_as_before() {
            return Err(self.failed(true));
        }
        let (dir, name) = (&self.place.dir, &self.place.name);
        let new = match &self.new {
            New::Nothing => stage::remove(dir, name).map(|()| None),
            New::Bytes { bytes, .. } => stage::stage(dir, name, bytes, self.old.as_ref().map(|old| &old.file))
                .and_then(|staged| if self.old.is_some() { staged.replace() } else { staged.create() })
                .map(Some),
        };
        self.file = new.and_then(|new| stage::sync_directory(dir).map(|()| new)).map_err(|_| self.failed(false))?;
        self.shows_old = false;
        Ok(())
    }

    /// The name leads to the old bytes, or to nothing if there was nothing.
    fn is_as_before(&self) -> bool {
        let present = read::open(&self.place).ok().and_then(|file| read::read_stable("", &file).ok());
        match (&self.old, present) {
            (None, present) => present.is_none(),
            (Some(old), present) => present.is_some_and(|(bytes, _)| bytes == old.bytes),
        }
    }

    fn put_back(self) -> Result<(), NotPutBack> {
        let path = self.place.path.clone();
        let not_put_back = |was_changed| NotPutBack { path: path.clone(), was_changed };
        let is_free = if self.shows_old { self.is_as_before() } else { self.is_ours() };
        if !is_free {
            return Err(not_put_back(true));
        }
        if self.shows_old && self.old.is_none() {
            return Ok(());
        }
        let (dir, name) = (&self.place.dir, &self.place.name);
        let done = match self.old {
            None => dir.remove_file(name),
            Some(Old { second: Some(second), .. }) => second.put_back(),
            Some(Old { file, bytes, second: None }) => {
                stage::stage(dir, name, &bytes, Some(&file)).and_then(Staged::replace).map(drop)
            }
        };
        done.and_then(|()| stage::sync_directory(dir)).map_err(|_| not_put_back(false))
    }

    /// The name leads to the new version, and it has its bytes.
    fn is_ours(&self) -> bool {
        let identity = |file: &File| file.metadata().map(|metadata| std_identity(&metadata)).ok();
        let bytes = |file: &File| read::read_stable("", file).map(|(bytes, _)| bytes).ok();
        let Some(file) = &self.file else {
            return self.place.dir.symlink_metadata(&self.place.name).is_err();
        };
        read::open(&self.place).is_ok_and(|now| {
            let own = identity(file);
            own.is_some() && identity(&now) == own && bytes(&now).as_deref() == self.new.some_bytes()
        })
    }
}

/// Replaces the files by their new bytes, all or none.
fn replace_all(changes: Vec<(Locked, New)>) -> Result<(Option<Journal>, Vec<Replaced>), Error> {
    let mut ready = Vec::new();
    for (locked, new) in changes {
        ready.push(Ready::new(locked, new)?);
    }
    let home = ready.first().map(|one| one.root().clone());
    let journal = home.and_then(|home| {
        let entries: Vec<Entry> = ready.iter().map(|one| one.entry(&home)).collect();
        Journal::open(&home, &entries).ok()
    });
    // Declared after the record, so that the names are removed before it when a later step fails.
    let mut ready = ready;
    ready.iter_mut().try_for_each(Ready::give_names)?;
    ready.iter().try_for_each(Ready::check_same)?;
    let mut replaced: Vec<Replaced> = Vec::new();
    for one in ready {
        match one.rename() {
            Ok(one) => {
                replaced.push(one);
                step();
            }
            Err(cause) => {
                let written: Vec<String> = put_back(replaced).into_iter().map(|one| one.path).collect();
                let cause = Box::new(cause);
                return Err(if written.is_empty() { *cause } else { Error::InPart { written, cause } });
            }
        }
    }
    replaced.iter().try_for_each(|one| sync(&one.place))?;
    Ok((journal, replaced))
}

/// Puts the files back in the reverse order; the result are those that were not put back.
fn put_back(replaced: Vec<Replaced>) -> Vec<NotPutBack> {
    replaced.into_iter().rev().filter_map(|one| one.put_back().err()).collect()
}
