//! Every reason why a file cannot be opened, read or replaced: one variant each, with the wording only in `Display`.
//!
//! A text names the path as the caller wrote it, says why, and ends with what to do next. Every error that leaves
//! [`Roots::edit`](crate::Roots::edit) before the final rename means that the file is unchanged; the one exception is
//! [`Error::NotDurable`].

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The option that names directories of libraries.
pub(crate) const LIBRARY_OPTION: &str = "--library";

/// The reason why a directory cannot be a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootFault {
    /// A directory of the system or of all users, such as `/` or `/tmp`, or one the kernel makes up, such as `/proc/1`.
    System,
    /// Somebody's whole home directory.
    Home,
    /// The empty string.
    Unnamed,
    /// It does not exist.
    Missing,
    /// It exists but is not a directory.
    NotADirectory,
    /// It exists but this process may not read it.
    Denied,
}

/// The kind of a file that is not regular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRegular {
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// Another kind.
    Unknown,
}

/// The reason why bytes are not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTextWhy {
    /// A zero byte, at this offset from the start of the file.
    Nul {
        /// In bytes, from 0.
        offset: usize,
    },
    /// A UTF-16 byte order mark.
    Utf16,
    /// An escape sequence of ISO-2022 at this offset from the start of the file: it starts characters of two bytes that
    /// look like delimiters.
    Iso2022 {
        /// In bytes, from 0.
        offset: usize,
    },
    /// It begins as gzip does, and cannot be unpacked.
    BadGzip,
}

/// The reason why a readable file cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOnlyWhy {
    /// No write permission bit is set on the file.
    ModeBits,
    /// The permission bits or attributes do not let this user write the file.
    NotOurs,
    /// It belongs to another user, who would not own the new version.
    OtherOwner,
    /// New files cannot be made in its directory.
    Directory,
    /// The file system is mounted read-only.
    FileSystem,
    /// The directory was added for reading only: it belongs to a library.
    Library,
    /// It is packed by gzip.
    Packed,
}

/// An error. `path` is the path as the caller wrote it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A directory that cannot be a root.
    #[error("{}", root_text(path, *fault, source_name))]
    Root {
        /// As given.
        path: PathBuf,
        /// The reason.
        fault: RootFault,
        /// The source of the path: `--root`, `--library`, the name of a variable, or `the working directory`.
        source_name: &'static str,
    },

    /// The directory of a root was deleted or replaced after it was opened.
    #[error(
        "{path}: the project root {root} was deleted or replaced since it was opened, so nothing below it can be found; \
         restart the server (or set the root again)"
    )]
    RootGone {
        /// As written.
        path: String,
        /// Absolute.
        root: String,
    },

    /// An empty path, a zero character inside, or one that is too long for the system.
    #[error("{path:?} cannot be a path: {why}; pass a path relative to the project root, such as src/main.lisp")]
    BadPath {
        /// As written.
        path: String,
        /// A few words.
        why: &'static str,
    },

    /// The path leads out of every allowed root.
    #[error(
        "{path}: outside the project{}; allowed: {}. Pass a path below it; lispwright started with --root DIR allows another directory, with \
         --library DIR for reading",
        if *by_link { " (a symbolic link on the way leads out)" } else { "" },
        roots.join(", ")
    )]
    OutsideRoot {
        /// As written.
        path: String,
        /// A link inside the root led outside.
        by_link: bool,
        /// The allowed directories, absolute.
        roots: Vec<String>,
    },

    /// Nothing has that name.
    #[error("{path}: no such file{}{}", missing_text(path, missing), nearest_text(nearest, root))]
    NotFound {
        /// As written.
        path: String,
        /// The first component that does not exist, from the root on.
        missing: String,
        /// Similar names in the directory where the search stopped, best first.
        nearest: Vec<String>,
        /// The root that the path starts from, absolute.
        root: String,
    },

    /// Nothing has that name, outside any root.
    #[error("{path}: no such file; check the path, which is relative to the working directory")]
    Missing {
        /// As written.
        path: String,
    },

    /// A component in the middle of the path is a file.
    #[error("{path}: {at} is a file, not a directory; did you mean {at} itself?")]
    NotADirectory {
        /// As written.
        path: String,
        /// The component that is a file, from the root on.
        at: String,
    },

    /// A directory where a file is needed.
    #[error(
        "{path}: is a directory, not a file; pass a file{}",
        if holds.is_empty() { " (it is empty)".to_owned() } else { format!(" inside it, such as {}", holds.join(", ")) }
    )]
    IsDirectory {
        /// As written.
        path: String,
        /// Some of the files inside, from the root on.
        holds: Vec<String>,
    },

    /// A pipe, socket or device where a file is needed. It was not opened.
    #[error("{path}: is a {kind}, not a regular file; it was not opened. Pass the path of a source file")]
    NotRegular {
        /// As written.
        path: String,
        /// Its kind.
        kind: NotRegular,
    },

    /// Links that lead in a circle, or more than 40 of them.
    #[error(
        "{path}: symbolic links lead in a circle (or more than 40 follow each other); pass the path of the file itself"
    )]
    TooManyLinks {
        /// As written.
        path: String,
    },

    /// The system does not let this user read the file or a directory on the way.
    #[error(
        "{path}: permission denied; make it readable for the user that runs the server (chmod u+r), or pass another file"
    )]
    Denied {
        /// As written.
        path: String,
    },

    /// Longer than [`MAX_FILE_BYTES`](crate::MAX_FILE_BYTES). It was not read.
    #[error(
        "{path}: {size} bytes, the limit is {limit} ({} MiB); it was not read. Split the file, or look at parts of it with \
         other means (grep, sed -n)",
        limit / (1024 * 1024)
    )]
    TooLarge {
        /// As written.
        path: String,
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },

    /// Not text in any encoding that this program reads.
    #[error(
        "{path}: not text ({why}); only source files in UTF-8, in Latin-1 or in the encoding of their coding cookie can be read. Convert it first, or pass another file"
    )]
    NotText {
        /// As written.
        path: String,
        /// The evidence.
        why: NotTextWhy,
    },

    /// The file kept changing while it was being read.
    #[error("{path}: another program is writing this file at this moment; nothing was changed here. Try again")]
    Changing {
        /// As written.
        path: String,
    },

    /// May be read, not written.
    #[error("{path}: cannot be written: {why}; the file is unchanged")]
    ReadOnly {
        /// As written.
        path: String,
        /// The reason.
        why: ReadOnlyWhy,
    },

    /// Another writer held the file for the whole waiting time.
    #[error(
        "{path}: another writer holds this file; gave up after {:.1} s and changed nothing. Try again",
        waited.as_secs_f32()
    )]
    Locked {
        /// As written.
        path: String,
        /// The time that this call waited.
        waited: Duration,
    },

    /// Another call keeps the file until it is known whether its new text stays.
    #[error(
        "{path}: another call has just changed this file and is verifying the change; nothing was changed. Wait for the \
         answer to that call, then try again"
    )]
    InTrial {
        /// As written.
        path: String,
    },

    /// Two paths of one call lead to the same file.
    #[error("{path} and {other} are the same file; name it in one way")]
    SameFile {
        /// As written.
        path: String,
        /// The other path.
        other: String,
    },

    /// Some of several files have their new text, and could not be put back after another could not be written.
    #[error("{cause}. {}: the new text is in place and could not be put back; nothing else was written", written.join(", "))]
    InPart {
        /// The files with a new text.
        written: Vec<String>,
        /// The error of the file that could not be written.
        cause: Box<Error>,
    },

    /// A program that takes no lock changed the file between the read and the write.
    #[error(
        "{path}: another program changed this file while the edit was being made; its version was kept and this edit was \
         not written. Read the file again and repeat the edit"
    )]
    Overtaken {
        /// As written.
        path: String,
    },

    /// No room: disk full, quota used up, or a file size limit.
    #[error(
        "{path}: no space to write the new version ({source}); the file is unchanged. Free some space and try again"
    )]
    NoSpace {
        /// As written.
        path: String,
        /// The message of the system.
        source: io::Error,
    },

    /// The new text has a character that the encoding of the file lacks.
    #[error(
        "{path}:{line}:{column}: this file is encoded in {encoding}, which has no {character:?} (U+{:04X}); the file is unchanged. \
         Leave the character out, or convert the file to UTF-8 first",
        u32::from(*character)
    )]
    NotEncodable {
        /// As written.
        path: String,
        /// The name of the encoding.
        encoding: &'static str,
        /// The first such character.
        character: char,
        /// Its line in the new text, from 1.
        line: usize,
        /// Its column in the new text, in scalar values from 1.
        column: usize,
    },

    /// The new text would be read back as something else: it has a zero character, a second byte order mark, or Latin-1
    /// bytes that happen to be valid UTF-8.
    #[error(
        "{path}: the new text would not read back as it is ({why}); the file is unchanged. Change the content and try again"
    )]
    WouldMisread {
        /// As written.
        path: String,
        /// A few words.
        why: &'static str,
    },

    /// The path of a new file already exists.
    #[error("{path}: exists already; edit it instead of creating it")]
    AlreadyExists {
        /// As written.
        path: String,
    },

    /// The new text is in place, but the system could not confirm that it survives a power failure.
    #[error("{path}: the new text is in place, but the disk did not confirm it ({source}); check the disk")]
    NotDurable {
        /// As written.
        path: String,
        /// The message of the system.
        source: io::Error,
    },

    /// Any other error of the system.
    #[error("{path}: could not {action}: {source}")]
    Io {
        /// As written.
        path: String,
        /// The action that failed, as an infinitive.
        action: &'static str,
        /// The message of the system.
        source: io::Error,
    },
}

impl Error {
    /// The stable code that clients see.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Error::Root { .. }
            | Error::BadPath { .. }
            | Error::NotADirectory { .. }
            | Error::IsDirectory { .. }
            | Error::NotRegular { .. }
            | Error::TooManyLinks { .. }
            | Error::Denied { .. }
            | Error::NotEncodable { .. }
            | Error::WouldMisread { .. }
            | Error::SameFile { .. }
            | Error::AlreadyExists { .. } => "BAD_ARGUMENT",
            Error::NotFound { .. } | Error::Missing { .. } | Error::RootGone { .. } => "FILE_NOT_FOUND",
            Error::OutsideRoot { .. } => "OUTSIDE_ROOT",
            Error::TooLarge { .. } => "TOO_LARGE",
            Error::NotText { .. } => "NOT_TEXT",
            Error::ReadOnly { .. } => "READ_ONLY",
            Error::Changing { .. } | Error::Locked { .. } | Error::InTrial { .. } | Error::Overtaken { .. } => {
                "CONFLICT"
            }
            Error::InPart { cause, .. } => cause.code(),
            Error::NoSpace { .. } => "LIMIT",
            Error::NotDurable { .. } | Error::Io { .. } => "INTERNAL",
        }
    }

    /// The same call may succeed later, unchanged.
    #[must_use]
    pub fn retryable(&self) -> bool {
        matches!(
            self,
            Error::Changing { .. }
                | Error::Locked { .. }
                | Error::InTrial { .. }
                | Error::Overtaken { .. }
                | Error::NoSpace { .. }
        )
    }

    /// Names that may have been meant, best first; may be empty.
    #[must_use]
    pub fn candidates(&self) -> &[String] {
        match self {
            Error::NotFound { nearest, .. } => nearest,
            Error::IsDirectory { holds, .. } => holds,
            _ => &[],
        }
    }

    /// The error for an error of the system on the way to an existing file or in it.
    pub(crate) fn reading(path: &str, action: &'static str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::PermissionDenied => Error::Denied { path },
            io::ErrorKind::InvalidFilename => {
                Error::BadPath { path, why: "a part of it is longer than the system allows" }
            }
            _ => Error::Io { path, action, source },
        }
    }

    /// The error for an error of the system while a new version replaces the old one.
    pub(crate) fn writing(path: &str, action: &'static str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Error::NoSpace { path, source }
            }
            io::ErrorKind::PermissionDenied => Error::ReadOnly { path, why: ReadOnlyWhy::Directory },
            io::ErrorKind::ReadOnlyFilesystem => Error::ReadOnly { path, why: ReadOnlyWhy::FileSystem },
            _ => Error::Io { path, action, source },
        }
    }
}

/// The reason why an edit did not happen: the file, or the function that makes the new text.
#[derive(Debug, thiserror::Error)]
pub enum EditError<E> {
    /// The file could not be read or replaced.
    #[error(transparent)]
    Project(#[from] Error),
    /// The function refused.
    #[error("{0}")]
    Refused(E),
}

impl fmt::Display for NotRegular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotRegular::Fifo => "named pipe (FIFO)",
            NotRegular::Socket => "socket",
            NotRegular::Device => "device",
            NotRegular::Unknown => "special file",
        })
    }
}

impl fmt::Display for NotTextWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotTextWhy::Nul { offset } => write!(f, "it has a zero byte at offset {offset}"),
            NotTextWhy::BadGzip => f.write_str("its name and first bytes are those of gzip, which cannot unpack it"),
            NotTextWhy::Utf16 => f.write_str("it is UTF-16: iconv -f UTF-16 -t UTF-8 converts it"),
            NotTextWhy::Iso2022 { offset } => write!(
                f,
                "it is ISO-2022, see the escape sequence at offset {offset}: iconv -f ISO-2022-JP -t UTF-8 converts it"
            ),
        }
    }
}

impl fmt::Display for ReadOnlyWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReadOnlyWhy::ModeBits => {
                "its mode has no write permission (chmod u+w makes it writable, if it is meant to be)"
            }
            ReadOnlyWhy::NotOurs => "its permissions do not let this user write it (ask its owner)",
            ReadOnlyWhy::OtherOwner => {
                "it belongs to another user, and a new version would belong to this one (ask its owner, or have it given to \
                 this user)"
            }
            ReadOnlyWhy::Directory => {
                "its directory does not let this user replace files (chmod u+w on the directory, or ask its owner)"
            }
            ReadOnlyWhy::FileSystem => "its file system is mounted read-only (write to a copy elsewhere)",
            ReadOnlyWhy::Packed => "it is packed by gzip (unpack it to a file of its own, and edit that)",
            ReadOnlyWhy::Library => {
                "it belongs to a library that may be read, not changed (override the definition in the project instead)"
            }
        })
    }
}

fn root_text(path: &std::path::Path, fault: RootFault, source_name: &str) -> String {
    let path = path.display();
    let (what, option) = match source_name {
        LIBRARY_OPTION => ("a directory of libraries", LIBRARY_OPTION),
        _ => ("a project root", "--root"),
    };
    match fault {
        RootFault::System => format!(
            "{path} (from {source_name}) cannot be {what}: it is shared by the whole system; pass the directory of one \
             project with {option} DIR, such as a subdirectory of it"
        ),
        RootFault::Home => format!(
            "{path} (from {source_name}) cannot be {what}: it is a whole home directory; pass the directory of one \
             project inside it with {option} DIR"
        ),
        RootFault::Unnamed => format!(
            "{path:?} (from {source_name}) cannot be {what}: it does not name a directory; pass its name with {option} DIR",
            path = path.to_string()
        ),
        RootFault::Missing => {
            format!("{path} (from {source_name}) does not exist; pass an existing directory with {option} DIR")
        }
        RootFault::NotADirectory => {
            format!(
                "{path} (from {source_name}) is not a directory; pass the directory of the project with {option} DIR"
            )
        }
        RootFault::Denied => format!(
            "{path} (from {source_name}) may not be read by this user; make it readable, or pass another with {option} DIR"
        ),
    }
}

fn missing_text(path: &str, missing: &str) -> String {
    if missing == path { String::new() } else { format!(" ({missing} does not exist)") }
}

fn nearest_text(nearest: &[String], root: &str) -> String {
    if nearest.is_empty() {
        format!("; check the path, which is relative to the project root {root}")
    } else {
        format!("; did you mean {}?", nearest.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[track_caller]
    fn check(errno: Errno, code: &str, says: &str) {
        let error = Error::writing("a.lisp", "write it", errno.into());
        assert_eq!(error.code(), code);
        let text = error.to_string();
        assert!(text.starts_with("a.lisp: ") && text.contains(says), "{text}");
    }

    #[test]
    fn what_the_system_says_while_writing() {
        for errno in [Errno::NOSPC, Errno::DQUOT, Errno::FBIG] {
            check(errno, "LIMIT", "the file is unchanged");
        }
        check(Errno::ACCESS, "READ_ONLY", "directory");
        check(Errno::PERM, "READ_ONLY", "directory");
        check(Errno::ROFS, "READ_ONLY", "mounted read-only");
        check(Errno::IO, "INTERNAL", "could not write it");
    }
}
