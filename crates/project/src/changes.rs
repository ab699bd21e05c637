//! What the last writes have changed, kept so that it can be undone (`undo.rs`).
//!
//! Each project has a directory with a file for each change: which files it wrote, with their old bytes and the digest of
//! the new ones. It lies outside of the project, in a directory that only its owner may read. A change is what one call or
//! one command writes, however many files that are.
//!
//! An entry is written before its file is replaced, and gets its last byte afterwards, which says whether that has
//! happened. An entry without this byte belongs to a process that was killed: the digest of the file decides. What
//! cannot be kept is no reason not to write.
//!
//! The number of changes and of their bytes is bounded; the oldest go first.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::regular::{Links, read_regular};
use crate::root::version_control_around;
use crate::text::digest_of;

const SUFFIX: &str = ".change";
const HEAD: &[u8] = b"lispwright-change 1";

/// The last byte of an entry whose file was written.
const DONE: u8 = b'k';
/// The last byte of an entry whose file was not written.
const NOT_DONE: u8 = b'd';
/// In the place of further entries: they would be too many bytes.
const CUT: u8 = b'x';

/// The most changes that are kept of a project.
const MOST_CHANGES: usize = 100;

/// The most bytes that are kept of a project, and of one change.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A project without a change for as long loses those that it has.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The directory where the changes of all projects are kept. Clones are the same directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptChanges {
    directory: Arc<Path>,
}

/// A change that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptChange {
    /// Its number in its project, from 1; later ones are larger.
    pub number: u64,
    /// The tool or command that made it.
    pub what: String,
    /// The time at which it began.
    pub at: SystemTime,
    /// The process that made it.
    pub process: u32,
    /// Its files; a file that was written twice is one of them.
    pub files: Vec<KeptFile>,
    /// It was too large to be kept: some of its files are missing.
    pub is_cut: bool,
}

/// A file of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// Absolute, without links.
    pub path: PathBuf,
    /// The file as it was; `None` if there was none.
    pub before: Option<KeptBytes>,
    /// The digest of the bytes that it got; `None` if it was removed.
    pub after: Option<String>,
}

/// A file as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptBytes {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its mode bits.
    pub mode: u32,
}

impl KeptChanges {
    /// KeptChanges that are kept in `directory`, which is made when the first one is.
    #[must_use]
    pub fn in_directory(directory: &Path) -> Self {
        Self { directory: directory.into() }
    }

    /// The changes of the project that `root` belongs to, the youngest first. Those that cannot be read are left out.
    #[must_use]
    pub fn of(&self, root: &Path) -> Vec<KeptChange> {
        let directory = self.place_of(root);
        let mut numbers = numbers_in(&directory);
        numbers.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
        numbers.into_iter().filter_map(|(number, _)| kept(&directory, number)).collect()
    }

    /// The directory for the project that `root` belongs to: all roots of one repository have the same one.
    fn place_of(&self, root: &Path) -> PathBuf {
        let project = version_control_around(root).unwrap_or(root);
        self.directory.join(digest_of(project.as_os_str().as_bytes()))
    }

    /// Removes what projects have kept that nobody has changed for long.
    fn forget_old(&self) {
        for place in self.directory.read_dir().into_iter().flatten().flatten() {
            let age = place.metadata().and_then(|metadata| metadata.modified()).ok().and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age > LONGEST) {
                let _ = std::fs::remove_dir_all(place.path());
            }
        }
    }
}

/// What writes the entries of one change. Clones write to the same change.
#[derive(Clone, Debug)]
pub(crate) struct Recorder(Arc<Mutex<Open>>);

/// The change that is written.
#[derive(Debug)]
struct Open {
    directory: PathBuf,
    changes: KeptChanges,
    what: String,
    /// Its file, which is made with the first entry.
    file: Option<File>,
    length: u64,
    /// Nothing more is written.
    is_over: bool,
}

/// A file that is about to be written.
pub(crate) struct Intent<'b> {
    pub(crate) path: &'b Path,
    /// The old bytes and the mode.
    pub(crate) before: Option<(&'b [u8], u32)>,
    pub(crate) after: Option<&'b [u8]>,
}

/// An entry whose file is being written. Dropped, it says that the file was not written.
pub(crate) struct Pending<'r> {
    open: Option<MutexGuard<'r, Open>>,
}

impl Recorder {
    /// A recorder for a change that `what` makes in the project of `root`.
    pub(crate) fn new(changes: &KeptChanges, root: &Path, what: &str) -> Self {
        Self(Arc::new(Mutex::new(Open {
            directory: changes.place_of(root),
            changes: changes.clone(),
            what: what.to_owned(),
            file: None,
            length: 0,
            is_over: false,
        })))
    }

    /// Keeps what a file has. Other threads that write to the same change wait until its entry has ended.
    pub(crate) fn begin(&self, intent: &Intent<'_>) -> Pending<'_> {
        let mut open = self.open();
        if open.is_over {
            return Pending { open: None };
        }
        match open.add(intent) {
            Ok(true) => Pending { open: Some(open) },
            Ok(false) => Pending { open: None },
            Err(_) => {
                open.is_over = true;
                Pending { open: None }
            }
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // What a panic leaves half written has no valid digest.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending<'_> {
    /// The file was written.
    pub(crate) fn done(mut self) {
        if let Some(mut open) = self.open.take() {
            open.mark(DONE);
        }
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if let Some(mut open) = self.open.take() {
            open.mark(NOT_DONE);
        }
    }
}

impl Open {
    /// Writes an entry; `false` if it would be too much.
    fn add(&mut self, intent: &Intent<'_>) -> io::Result<bool> {
        if self.file.is_none() {
            self.file = Some(self.start()?);
        }
        let entry = written(intent);
        if self.length + entry.len() as u64 > MOST_BYTES {
            self.mark(CUT);
            self.is_over = true;
            return Ok(false);
        }
        self.write(&entry)?;
        Ok(true)
    }

    fn mark(&mut self, mark: u8) {
        if self.write(&[mark]).is_err() {
            self.is_over = true;
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(mut file) = self.file.as_ref() {
            file.write_all(bytes)?;
            self.length += bytes.len() as u64;
        }
        Ok(())
    }

    /// Makes the file of the change, under the next number.
    fn start(&mut self) -> io::Result<File> {
        if !self.directory.exists() {
            self.changes.forget_old();
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        let mut kept = numbers_in(&self.directory);
        kept.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
        let mut bytes = 0;
        for (at, (number, length)) in kept.iter().enumerate() {
            bytes += length;
            if at + 1 >= MOST_CHANGES || bytes > MOST_BYTES {
                let _ = std::fs::remove_file(self.directory.join(name_of(*number)));
            }
        }
        let mut number = kept.first().map_or(0, |(number, _)| *number);
        let mut file = loop {
            number += 1;
            let path = self.directory.join(name_of(number));
            match OpenOptions::new().append(true).create_new(true).mode(0o600).open(path) {
                Ok(file) => break file,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (seconds, process) = (now.as_secs().to_string(), std::process::id().to_string());
        let head = sealed(&[HEAD, self.what.as_bytes(), seconds.as_bytes(), process.as_bytes()], &[]);
        file.write_all(&head)?;
        self.length = head.len() as u64;
        Ok(file)
    }
}

fn name_of(number: u64) -> String {
    format!("{number:020}{SUFFIX}")
}

/// The numbers of the changes in a directory, and the sizes of their files in bytes.
fn numbers_in(directory: &Path) -> Vec<(u64, u64)> {
    let entries = directory.read_dir().into_iter().flatten().flatten();
    let number = |name: OsString| name.to_str()?.strip_suffix(SUFFIX)?.parse().ok();
    entries
        .filter_map(|entry| Some((number(entry.file_name())?, entry.metadata().map_or(0, |metadata| metadata.len()))))
        .collect()
}

/// The bytes of an entry.
fn written(intent: &Intent<'_>) -> Vec<u8> {
    let (before, mode) = intent.before.unwrap_or_default();
    let mode = intent.before.map(|_| format!("{mode:o}")).unwrap_or_default();
    let after = intent.after.map(digest_of).unwrap_or_default();
    sealed(&[intent.path.as_os_str().as_bytes(), mode.as_bytes(), after.as_bytes()], before)
}

/// Fields that end with a zero, the length of the bytes, the bytes, and the digest of all that.
fn sealed(fields: &[&[u8]], bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len().to_string();
    let mut all = Vec::new();
    for field in fields.iter().chain([&length.as_bytes()]) {
        all.extend_from_slice(field);
        all.push(0);
    }
    all.extend_from_slice(bytes);
    let digest = digest_of(&all);
    all.extend_from_slice(digest.as_bytes());
    all
}

/// The number of digits of a digest.
const DIGEST: usize = 16;

/// Takes the next part from the front of `rest`: its fields and its bytes. `None` if it was not written to its end.
fn unsealed<'b, const N: usize>(rest: &mut &'b [u8]) -> Option<([&'b [u8]; N], &'b [u8])> {
    let all = *rest;
    let mut field = || {
        let (field, after) = rest.split_at(rest.iter().position(|&byte| byte == 0)?);
        *rest = &after[1..];
        Some(field)
    };
    let mut fields = [&[][..]; N];
    for one in &mut fields {
        *one = field()?;
    }
    let length: usize = std::str::from_utf8(field()?).ok()?.parse().ok()?;
    let bytes = rest.get(..length)?;
    let digest = rest.get(length..length.checked_add(DIGEST)?)?;
    let own = all.len() - rest.len() + length;
    *rest = &rest[length + DIGEST..];
    (digest_of(&all[..own]).as_bytes() == digest).then_some((fields, bytes))
}

/// The change of that number; `None` if there is none, or nothing of it was written.
fn kept(directory: &Path, number: u64) -> Option<KeptChange> {
    let bytes = read_regular(&directory.join(name_of(number)), MOST_BYTES + 1, Links::Refused).ok()?;
    parsed(number, &bytes).filter(|change| !change.files.is_empty() || change.is_cut)
}

fn parsed(number: u64, mut rest: &[u8]) -> Option<KeptChange> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
    let ([head, what, seconds, process], _) = unsealed(&mut rest)?;
    if head != HEAD {
        return None;
    }
    let at = UNIX_EPOCH + Duration::from_secs(text(seconds)?.parse().ok()?);
    let mut change = KeptChange {
        number,
        what: text(what)?,
        at,
        process: text(process)?.parse().ok()?,
        files: Vec::new(),
        is_cut: false,
    };
    while !rest.is_empty() {
        if rest == [CUT] {
            change.is_cut = true;
            break;
        }
        let Some(([path, mode, after], before)) = unsealed(&mut rest) else { break };
        let before = match mode {
            [] => None,
            mode => Some(KeptBytes { bytes: before.to_vec(), mode: u32::from_str_radix(&text(mode)?, 8).ok()? }),
        };
        let path = PathBuf::from(OsString::from_vec(path.to_vec()));
        let file = KeptFile { path, before, after: Some(text(after)?).filter(|after| !after.is_empty()) };
        let mark = rest.split_off_first();
        let happened = match mark {
            Some(&DONE) => true,
            Some(_) => false,
            // Its process was killed.
            None => digest_at(&file.path).ok() == Some(file.after.clone()),
        };
        if happened {
            add(&mut change.files, file);
        }
    }
    Some(change)
}

/// Adds a file, or what has become of it since.
fn add(files: &mut Vec<KeptFile>, file: KeptFile) {
    match files.iter_mut().find(|earlier| earlier.path == file.path) {
        Some(earlier) if earlier.after == file.before.as_ref().map(|before| digest_of(&before.bytes)) => {
            earlier.after = file.after;
        }
        _ => files.push(file),
    }
}

/// The digest of the file at a path; `None` where nothing is.
pub(crate) fn digest_at(path: &Path) -> io::Result<Option<String>> {
    match read_regular(path, crate::MAX_FILE_BYTES, Links::Refused) {
        Ok(bytes) => Ok(Some(digest_of(&bytes))),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn entry(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Vec<u8> {
        written(&Intent { path: Path::new(path), before: before.map(|bytes| (bytes, 0o644)), after })
    }

    fn head() -> Vec<u8> {
        sealed(&[HEAD, b"lisp_rename", b"1000", b"77"], &[])
    }

    #[test]
    fn a_change_is_read_as_it_was_written_and_a_torn_one_up_to_where_it_ends() {
        let one = entry("/p/a\nb.lisp", Some(b"old \0 bytes\xff"), Some(b"new"));
        let two = entry("/p/new", None, Some(b"x"));
        let three = entry("/p/gone", Some(b""), None);
        let all = [&head()[..], &one, &[DONE], &two, &[DONE], &three, &[NOT_DONE], &three, &[DONE]].concat();
        let change = parsed(3, &all).unwrap();
        assert_eq!((change.number, &*change.what, change.process, change.is_cut), (3, "lisp_rename", 77, false));
        assert_eq!(change.files.len(), 3);
        assert_eq!(change.files[0].path, Path::new("/p/a\nb.lisp"));
        assert_eq!(change.files[0].before.as_ref().unwrap().bytes, b"old \0 bytes\xff");
        assert_eq!(change.files[0].after, Some(digest_of(b"new")));
        assert_eq!((&change.files[1].before, &change.files[2].after), (&None, &None));
        for end in 0..all.len() {
            let files = parsed(3, &all[..end]).map_or(0, |change| change.files.len());
            assert!(files <= change.files.len(), "{end}");
        }
        assert_eq!(parsed(3, &all[..head().len() + one.len() + 1]).unwrap().files, change.files[..1]);
    }

    #[test]
    fn a_file_that_is_written_twice_has_the_first_old_bytes_and_the_last_new_ones() {
        let all = [
            &head()[..],
            &entry("/p/a", Some(b"1"), Some(b"2")),
            &[DONE],
            &entry("/p/a", Some(b"2"), Some(b"3")),
            &[DONE],
        ]
        .concat();
        let files = parsed(1, &all).unwrap().files;
        assert_eq!(files.len(), 1);
        assert_eq!(files[0].before.as_ref().unwrap().bytes, b"1");
        assert_eq!(files[0].after, Some(digest_of(b"3")));
    }

    #[test]
    fn the_oldest_changes_go_first_and_only_the_owner_reads_them() {
        use std::os::unix::fs::PermissionsExt as _;
        let state = tempfile::tempdir().unwrap();
        let changes = KeptChanges::in_directory(&state.path().join("deep/undo"));
        let root = state.path();
        for number in 0..MOST_CHANGES + 20 {
            let recorder = Recorder::new(&changes, root, &format!("w{number}"));
            recorder.begin(&Intent { path: &root.join("f"), before: None, after: Some(b"x") }).done();
        }
        let kept = changes.of(root);
        assert_eq!(kept.len(), MOST_CHANGES);
        assert_eq!((kept[0].number, &*kept[0].what), (120, "w119"));
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let place = changes.place_of(root);
        assert_eq!((mode(&place), mode(&place.join(name_of(120)))), (0o700, 0o600));
    }

    #[test]
    fn a_change_that_is_too_large_says_so() {
        let state = tempfile::tempdir().unwrap();
        let changes = KeptChanges::in_directory(state.path());
        let recorder = Recorder::new(&changes, state.path(), "fmt");
        let bytes = vec![b'x'; MOST_BYTES as usize / 5];
        for number in 0..7 {
            let path = state.path().join(format!("f{number}"));
            recorder.begin(&Intent { path: &path, before: Some((&bytes, 0o644)), after: Some(b"y") }).done();
        }
        let kept = changes.of(state.path());
        assert_eq!((kept.len(), kept[0].is_cut, kept[0].files.len()), (1, true, 4));
    }
}
