//! Adding to the end of a file that a person has named, such as a transcript, while other programs may do the same.

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::regular::{Access, Links, open_regular};

/// The time that a writer waits for others before it adds its part without the lock.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// A file that is only added to. The parts of several writers, also in several processes, follow each other whole.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
}

impl AppendFile {
    /// Opens a regular file, or makes one that only its owner may read. Links are followed.
    ///
    /// Errors: those of the system; a file that is not regular, such as a pipe or a directory.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let shown = path.display().to_string();
        let opened = open_regular(path, Access::Append, Links::Followed);
        opened.map(|file| Self { file }).map_err(|error| Error::writing(&shown, "add to it", error))
    }

    /// Adds `text`, under a lock that other writers of this kind heed. Waits for them, but not for ever.
    pub fn append(&self, text: &str) -> std::io::Result<()> {
        let until = Instant::now() + LOCK_WAIT;
        let locked = loop {
            match self.file.try_lock() {
                Ok(()) => break true,
                Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
                // The file system has no locks, or another writer holds the lock for too long. Appending is still safe
                // enough.
                Err(_) => break false,
            }
        };
        let written = (&self.file).write_all(text.as_bytes());
        if locked {
            let _ = self.file.unlock();
        }
        written
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn parts_of_many_writers_follow_each_other_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("transcript");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    let file = AppendFile::open(path).unwrap();
                    for part in 0..20 {
                        file.append(&format!("{}\n", format!("{writer}.{part} ").repeat(3000))).unwrap();
                    }
                });
            }
        });
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 80);
        for line in text.lines() {
            let first = line.split(' ').next().unwrap();
            assert!(line.split_whitespace().all(|word| word == first), "{first} is mixed with another");
        }
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let refused = |path: &Path| AppendFile::open(path).unwrap_err().to_string();
        assert!(refused(directory.path()).contains("directory"), "{}", refused(directory.path()));
        assert!(!refused(&directory.path().join("no/such")).is_empty());
        let pipe = directory.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert!(!refused(&pipe).is_empty());
    }
}
