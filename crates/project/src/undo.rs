//! Taking back a change that was kept (`changes.rs`): all of its files get their old bytes, or none.
//!
//! A change is taken back only while each of its files has what the change gave it; whatever moved on since belongs to
//! somebody else. Taking back is a change itself, which is kept: taken back, it is made again.

use std::path::Path;

use crate::changes::{KeptBytes, KeptChange, KeptChanges, KeptFile, digest_at};
use crate::error::{EditError, Error};
use crate::read::{self, read_stable};
use crate::root::Roots;
use crate::several::Destination;
use crate::text::{SourceFile, digest_of};
use crate::write::NewText;

/// What a change is called that takes one back, before its number.
const UNDO: &str = "undo of change ";

/// A change that was taken back, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    /// The change.
    pub change: KeptChange,
    /// Its files, with their bytes.
    pub files: Vec<UndoneFile>,
    /// The next change before it that can be taken back now; none in a dry run, and when an undo was taken back.
    pub earlier: Option<KeptChange>,
}

/// A file that gets its old bytes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoneFile {
    /// The path for people; as in [`SourceFile::path`].
    pub path: String,
    /// What the change gave it; `None` if the change had removed it.
    pub from: Option<Vec<u8>>,
    /// What it had before, and has again; `None` if there was no file.
    pub to: Option<Vec<u8>>,
}

/// A file that has not what a change gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedOn {
    /// The path for people.
    pub path: String,
    /// The digest that the change gave it; `None` if the change had removed it.
    pub expected: Option<String>,
    /// The digest that it has; `None` where nothing is.
    pub found: Option<String>,
    /// It has its old bytes already.
    pub is_old: bool,
}

/// Which change is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The last one.
    Last,
    /// The last one, if it was not made by another process that lives.
    LastOfUs,
    /// The one of this number.
    Number(u64),
}

/// The reason why a change is not taken back. Nothing was written.
#[derive(Debug)]
pub enum UndoRefusal {
    /// No change is kept.
    NothingKept,
    /// No change of that number is kept.
    NoChange {
        /// The number.
        number: u64,
        /// The changes that are kept, the youngest first.
        kept: Vec<KeptChange>,
    },
    /// The last change was made by another process, which lives.
    Others {
        /// The change.
        change: Box<KeptChange>,
        /// The last change of this process.
        own: Option<Box<KeptChange>>,
    },
    /// The change was too large to be kept.
    TooLarge(Box<KeptChange>),
    /// Files have moved on.
    MovedOn {
        /// The change.
        change: Box<KeptChange>,
        /// The files that have not what it gave them.
        files: Vec<MovedOn>,
    },
    /// A file could not be read or written.
    Project(Box<Error>),
}

impl From<Error> for UndoRefusal {
    fn from(error: Error) -> Self {
        Self::Project(Box::new(error))
    }
}

impl Roots {
    /// The changes of files below these roots that are kept, the youngest first.
    #[must_use]
    pub fn kept_changes(&self, changes: &KeptChanges) -> Vec<KeptChange> {
        let is_inside = |path: &Path| self.writable().any(|root| path.starts_with(root));
        let mut kept = changes.of(self.primary());
        kept.retain(|change| change.files.iter().all(|file| is_inside(&file.path)));
        kept
    }

    /// Takes back a change. With `is_dry` nothing is written.
    ///
    /// The files are as [`Roots::edit_several`] leaves them: all or none, in their encodings, with their mode bits. A file that
    /// the change created is removed, one that it removed comes back.
    ///
    /// Errors: there is no such change; one of its files has other bytes than the change gave it.
    pub fn undo(&self, changes: &KeptChanges, which: Which, is_dry: bool) -> Result<Undo, UndoRefusal> {
        let mut kept = self.kept_changes(changes);
        let at = match which {
            Which::Last | Which::LastOfUs => 0,
            Which::Number(number) => match kept.iter().position(|change| change.number == number) {
                Some(at) => at,
                None => return Err(UndoRefusal::NoChange { number, kept }),
            },
        };
        if kept.is_empty() {
            return Err(UndoRefusal::NothingKept);
        }
        if which == Which::LastOfUs && is_of_others(&kept[0]) {
            let own = kept.iter().find(|change| change.process == std::process::id()).cloned().map(Box::new);
            return Err(UndoRefusal::Others { change: Box::new(kept.swap_remove(0)), own });
        }
        let mut older = kept.split_off(at);
        let change = older.remove(0);
        if change.is_cut {
            return Err(UndoRefusal::TooLarge(Box::new(change)));
        }
        let moved_on = self.moved_on(&change)?;
        if !moved_on.is_empty() {
            return Err(UndoRefusal::MovedOn { change: Box::new(change), files: moved_on });
        }
        let mut files = Vec::new();
        for file in &change.files {
            let from = match &file.after {
                Some(_) => {
                    let place = self.locate(&file.path)?;
                    Some(read_stable(&place.path, &read::open(&place)?)?.0)
                }
                None => None,
            };
            let to = file.before.as_ref().map(|before| before.bytes.clone());
            files.push(UndoneFile { path: self.shown(&file.path), from, to });
        }
        if is_dry {
            return Ok(Undo { change, files, earlier: None });
        }
        self.recording(changes, &format!("{UNDO}{}", change.number)).take_back(&change)?;
        let can_be = |older: &KeptChange| !older.is_cut && self.moved_on(older).is_ok_and(|moved| moved.is_empty());
        let earlier = match change.what.starts_with(UNDO) {
            true => None,
            false => older.into_iter().find(can_be),
        };
        Ok(Undo { change, files, earlier })
    }

    fn take_back(&self, change: &KeptChange) -> Result<(), UndoRefusal> {
        let mut targets = Vec::new();
        for file in &change.files {
            if file.after.is_none() {
                self.make_directories(&file.path)?;
            }
            targets.push(Destination { path: file.path.clone(), may_be_new: file.after.is_none() });
        }
        let old = |sources: &[&SourceFile]| {
            let is_ours = |(file, source): (&KeptFile, &&SourceFile)| match &file.after {
                Some(after) => source.digest() == *after,
                None => source.text.is_empty(),
            };
            if !change.files.iter().zip(sources).all(is_ours) {
                return Err(());
            }
            let text = |file: &KeptFile| file.before.clone().map_or(NewText::Removed, NewText::Bytes);
            Ok(change.files.iter().map(text).collect())
        };
        match self.edit_several(&targets, old) {
            Ok(trial) => {
                trial.keep();
                Ok(())
            }
            Err(EditError::Project(error)) => Err(error.into()),
            Err(EditError::Refused(())) => {
                let files = self.moved_on(change)?;
                Err(UndoRefusal::MovedOn { change: Box::new(change.clone()), files })
            }
        }
    }

    /// The files that have not what the change gave them.
    fn moved_on(&self, change: &KeptChange) -> Result<Vec<MovedOn>, Error> {
        let mut moved = Vec::new();
        for file in &change.files {
            let path = self.shown(&file.path);
            let found = digest_at(&file.path).map_err(|error| Error::reading(&path, "read it", error))?;
            if found != file.after {
                let old = file.before.as_ref().map(|KeptBytes { bytes, .. }| digest_of(bytes));
                let is_old = found == old;
                moved.push(MovedOn { path, expected: file.after.clone(), found, is_old });
            }
        }
        Ok(moved)
    }

    /// A path as calls name it: relative below the first root.
    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(self.primary()).unwrap_or(path).display().to_string()
    }
}

/// Another process that lives has made the change.
fn is_of_others(change: &KeptChange) -> bool {
    let process = i32::try_from(change.process).ok().and_then(rustix::process::Pid::from_raw);
    change.process != std::process::id()
        && process.is_some_and(|process| match rustix::process::test_kill_process(process) {
            Ok(()) | Err(rustix::io::Errno::PERM) => true,
            Err(_) => false,
        })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    use super::*;

    /// A project and the place where its changes are kept.
    struct Case {
        project: tempfile::TempDir,
        changes: KeptChanges,
        roots: Roots,
        _state: tempfile::TempDir,
    }

    impl Case {
        fn new(files: &[(&str, &[u8])]) -> Self {
            let (project, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            for (name, bytes) in files {
                fs::write(project.path().join(name), bytes).unwrap();
            }
            let roots = Roots::of_client(&[project.path().to_owned()]).unwrap();
            Self { project, changes: KeptChanges::in_directory(state.path()), roots, _state: state }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.project.path().join(name)
        }

        fn read(&self, name: &str) -> Option<Vec<u8>> {
            fs::read(self.path(name)).ok()
        }

        /// Other names beside the files mean that something was left.
        fn names(&self) -> Vec<String> {
            let entries = self.project.path().read_dir().unwrap();
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }

        fn edit(&self, name: &str, text: &str) {
            let roots = self.roots.recording(&self.changes, "edit");
            let new = |_: &SourceFile| Ok::<_, ()>(NewText::Text(text.to_owned()));
            assert!(roots.edit(Path::new(name), new).unwrap().changed);
        }

        fn undo(&self, number: Option<u64>) -> Result<Undo, UndoRefusal> {
            self.roots.undo(&self.changes, number.map_or(Which::LastOfUs, Which::Number), false)
        }
    }

    #[test]
    fn an_edit_is_taken_back_and_made_again_byte_for_byte() {
        let latin = b"; caf\xe9\r\n(a)\r\n";
        let case = Case::new(&[("a.lisp", latin)]);
        fs::set_permissions(case.path("a.lisp"), fs::Permissions::from_mode(0o755)).unwrap();
        case.edit("a.lisp", "(b)\n");
        let after = case.read("a.lisp").unwrap();
        assert_ne!(after, latin);
        let dry = case.roots.undo(&case.changes, Which::Last, true).unwrap();
        assert_eq!((dry.change.number, &*dry.change.what, case.read("a.lisp")), (1, "edit", Some(after.clone())));
        assert_eq!((dry.files[0].from.as_deref(), dry.files[0].to.as_deref()), (Some(&after[..]), Some(&latin[..])));
        assert_eq!(case.undo(None).unwrap(), dry);
        assert_eq!(case.read("a.lisp").unwrap(), latin);
        let redone = case.undo(None).unwrap();
        assert_eq!((redone.change.number, &*redone.change.what), (2, "undo of change 1"));
        assert_eq!(case.read("a.lisp").unwrap(), after);
        assert_eq!(fs::metadata(case.path("a.lisp")).unwrap().permissions().mode() & 0o7777, 0o755);
        assert_eq!(case.names(), ["a.lisp"]);
    }

    #[test]
    fn a_change_of_several_files_is_one_and_its_files_come_and_go() {
        let case = Case::new(&[("a.lisp", b"(a)\n"), ("gone.lisp", b"(old)\n")]);
        fs::set_permissions(case.path("gone.lisp"), fs::Permissions::from_mode(0o640)).unwrap();
        let target = |name: &str, may_be_new| Destination { path: name.into(), may_be_new };
        let targets = [target("a.lisp", false), target("new.lisp", true), target("gone.lisp", false)];
        let texts = |_: &[&SourceFile]| {
            let text = |text: &str| NewText::Text(text.to_owned());
            Ok::<_, ()>(vec![text("(b)\n"), text("(new)\n"), NewText::Removed])
        };
        case.roots.recording(&case.changes, "batch").edit_several(&targets, texts).unwrap().keep();
        let after = |case: &Case| {
            let read = ["a.lisp", "new.lisp", "gone.lisp"].map(|name| case.read(name));
            assert_eq!(read, [Some(b"(b)\n".to_vec()), Some(b"(new)\n".to_vec()), None]);
            assert_eq!(case.names(), ["a.lisp", "new.lisp"]);
        };
        after(&case);
        assert_eq!(case.undo(None).unwrap().files.len(), 3);
        assert_eq!(case.names(), ["a.lisp", "gone.lisp"]);
        assert_eq!(
            (case.read("a.lisp").unwrap(), case.read("gone.lisp").unwrap()),
            (b"(a)\n".into(), b"(old)\n".into())
        );
        assert_eq!(fs::metadata(case.path("gone.lisp")).unwrap().permissions().mode() & 0o7777, 0o640);
        case.undo(None).unwrap();
        after(&case);
        assert_eq!(case.roots.kept_changes(&case.changes).len(), 3);
    }

    #[test]
    fn a_trial_that_was_put_back_is_no_change() {
        let case = Case::new(&[("a.lisp", b"(a)\n")]);
        let targets = [Destination { path: "a.lisp".into(), may_be_new: false }];
        for removes in [false, true] {
            let new = |_: &[&SourceFile]| {
                Ok::<_, ()>(vec![if removes { NewText::Removed } else { NewText::Text("(b)\n".to_owned()) }])
            };
            let mut trial = case.roots.recording(&case.changes, "batch").edit_several(&targets, new).unwrap();
            let during = case.read("a.lisp");
            trial.show_old().unwrap();
            assert_eq!(case.read("a.lisp").as_deref(), Some(&b"(a)\n"[..]));
            trial.show_new().unwrap();
            assert_eq!(case.read("a.lisp"), during);
            assert_eq!(trial.put_back(), []);
            assert_eq!(
                (case.read("a.lisp").as_deref(), case.names()),
                (Some(&b"(a)\n"[..]), vec!["a.lisp".to_owned()])
            );
        }
        assert!(matches!(case.undo(None), Err(UndoRefusal::NothingKept)));
    }

    #[test]
    fn what_has_moved_on_is_told_and_nothing_is_written() {
        let case = Case::new(&[("a.lisp", b"(a)\n"), ("b.lisp", b"(b)\n")]);
        let recording = case.roots.recording(&case.changes, "fmt");
        for name in ["a.lisp", "b.lisp"] {
            recording.edit(Path::new(name), |_| Ok::<_, ()>(NewText::Text("(c)\n".to_owned()))).unwrap();
        }
        fs::write(case.path("b.lisp"), "(mine)\n").unwrap();
        let Err(UndoRefusal::MovedOn { change, files }) = case.undo(None) else { panic!("it has moved on") };
        assert_eq!((change.number, files.len()), (1, 1));
        let expected = MovedOn {
            path: "b.lisp".into(),
            expected: Some(digest_of(b"(c)\n")),
            found: Some(digest_of(b"(mine)\n")),
            is_old: false,
        };
        assert_eq!(files[0], expected);
        assert_eq!((case.read("a.lisp").unwrap(), case.read("b.lisp").unwrap()), (b"(c)\n".into(), b"(mine)\n".into()));
        fs::remove_file(case.path("b.lisp")).unwrap();
        assert!(matches!(case.undo(None), Err(UndoRefusal::MovedOn { files, .. }) if files[0].found.is_none()));
        fs::write(case.path("b.lisp"), "(c)\n").unwrap();
        fs::write(case.path("a.lisp"), "(a)\n").unwrap();
        assert!(matches!(case.undo(None), Err(UndoRefusal::MovedOn { files, .. }) if files[0].is_old));
    }

    #[test]
    fn an_older_change_is_taken_back_by_its_number_when_the_files_are_there_again() {
        let case = Case::new(&[("a.lisp", b"(a)\n")]);
        case.edit("a.lisp", "(b)\n");
        case.edit("a.lisp", "(c)\n");
        assert!(matches!(case.undo(Some(1)), Err(UndoRefusal::MovedOn { .. })));
        let undone = case.undo(None).unwrap();
        assert_eq!(undone.earlier.map(|earlier| earlier.number), Some(1));
        case.undo(Some(1)).unwrap();
        assert_eq!(case.read("a.lisp").unwrap(), b"(a)\n");
        assert!(matches!(case.undo(Some(9)), Err(UndoRefusal::NoChange { number: 9, kept }) if kept.len() == 4));
    }

    #[test]
    fn roots_of_one_repository_share_their_changes_and_see_those_of_their_own_files() {
        let case = Case::new(&[]);
        for name in [".git", "sub", "other"] {
            fs::create_dir(case.path(name)).unwrap();
        }
        fs::write(case.path("sub/a.lisp"), "(a)\n").unwrap();
        case.edit("sub/a.lisp", "(b)\n");
        let below = |name: &str| Roots::of_client(&[case.path(name)]).unwrap();
        assert_eq!(below("other").kept_changes(&case.changes).len(), 0);
        assert_eq!(below("sub").undo(&case.changes, Which::Last, false).unwrap().files[0].path, "a.lisp");
        assert_eq!(case.read("sub/a.lisp").unwrap(), b"(a)\n");
    }

    #[test]
    fn the_change_of_another_process_that_lives_is_not_the_last_of_ours() {
        use std::os::unix::process::parent_id;
        let case = Case::new(&[("a.lisp", b"(a)\n")]);
        case.edit("a.lisp", "(b)\n");
        let change = case.roots.kept_changes(&case.changes).swap_remove(0);
        assert!(!is_of_others(&change));
        assert!(is_of_others(&KeptChange { process: parent_id(), ..change.clone() }));
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        assert!(!is_of_others(&KeptChange { process: ended.id(), ..change }));
    }

    #[test]
    fn a_file_comes_back_into_a_directory_that_has_gone() {
        let case = Case::new(&[]);
        let roots = case.roots.recording(&case.changes, "fs_write_file");
        roots.make_directories(Path::new("deep/er/a.lisp")).unwrap();
        roots.create_new(Path::new("deep/er/a.lisp"), "(a)\n").unwrap();
        case.undo(None).unwrap();
        fs::remove_dir_all(case.path("deep")).unwrap();
        case.undo(None).unwrap();
        assert_eq!(case.read("deep/er/a.lisp").unwrap(), b"(a)\n");
    }
}
