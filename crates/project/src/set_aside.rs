//! A file that is taken away, and can be put back with its inode, mode and times: the old place of a file that moves.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use crate::changes::{Intent, Recorder};
use crate::error::Error;
use crate::root::Roots;
use crate::stage::{sync_directory, with_fresh_name};
use crate::write::{Held, mode_of};

/// A file that is not at its place for now. Dropping it puts it back.
#[derive(Debug)]
#[must_use = "a file that is set aside is put back when this is dropped"]
pub struct SetAside {
    dir: Dir,
    name: OsString,
    hidden: Option<OsString>,
    recorder: Option<Recorder>,
    /// Absolute, without links.
    real: PathBuf,
    old: Vec<u8>,
    mode: u32,
}

impl Roots {
    /// Takes a file away that has this text. `None` if it has another one by now, and stays.
    ///
    /// Errors: those of [`Roots::edit`].
    pub fn set_aside(&self, path: &Path, text: &str) -> Result<Option<SetAside>, Error> {
        let held = Held::new(self, self.locate(path)?)?;
        if held.source.text != text {
            return Ok(None);
        }
        let place = &held.place;
        let failed = |error: io::Error| Error::writing(&place.path, "move it", error);
        let dir = place.dir.try_clone().map_err(failed)?;
        let (_, hidden) = with_fresh_name(&place.name, |name| dir.rename(&place.name, &dir, name)).map_err(failed)?;
        sync_directory(&dir).map_err(failed)?;
        let mode = mode_of(&held.file);
        let Held { place, old, .. } = held;
        let (name, recorder) = (place.name, self.recorder.clone());
        Ok(Some(SetAside { dir, name, hidden: Some(hidden), recorder, real: place.real, old, mode }))
    }
}

impl SetAside {
    /// Removes the file for good.
    pub fn remove(mut self) {
        if let Some(hidden) = self.hidden.take() {
            let intent = Intent { path: &self.real, before: Some((&self.old, self.mode)), after: None };
            let entry = self.recorder.as_ref().map(|recorder| recorder.begin(&intent));
            // A name that cannot be removed is found by the next writer.
            let _ = self.dir.remove_file(hidden);
            let _ = sync_directory(&self.dir);
            if let Some(entry) = entry {
                entry.done();
            }
        }
    }
}

impl Drop for SetAside {
    fn drop(&mut self) {
        if let Some(hidden) = self.hidden.take() {
            let _ = self.dir.rename(hidden, &self.dir, &self.name);
            let _ = sync_directory(&self.dir);
        }
    }
}
