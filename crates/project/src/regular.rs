//! Opening regular files, and only those, without waiting, although others may swap them for something else at any
//! moment.
//!
//! Opening a pipe waits for its other end, and opening a device may do anything. A check by name before the opening
//! would come too early. So a file is opened without waiting and then checked by its descriptor.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use lispwright_platform::{Here, System as _};
use rustix::fs::{Mode, OFlags, open};

/// The flags that keep an opening from waiting, and from taking a terminal.
pub(crate) const AT_ONCE: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// The links that are followed on the way to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// All.
    Followed,
    /// Links to directories on the way; the last name itself must be no link.
    OnTheWay,
    /// No links, where the system can tell.
    Refused,
}

/// The use that is made of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading.
    Read,
    /// Adding to its end. A missing file is created, readable by its owner only.
    Append,
}

/// Opens the regular file that `path` names.
///
/// Errors: those of the system; a file that is not regular, such as a pipe, a device or a directory.
pub fn open_regular(path: &Path, access: Access, links: Links) -> io::Result<File> {
    let (flags, mode) = match access {
        Access::Read => (OFlags::RDONLY, Mode::empty()),
        Access::Append => (OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE, Mode::RUSR | Mode::WUSR),
    };
    let flags = flags | AT_ONCE | if links == Links::Followed { OFlags::empty() } else { OFlags::NOFOLLOW };
    let opened = match links {
        Links::Refused => Here::open_without_links(path, flags, mode)?,
        _ => open(path, flags, mode)?,
    };
    only_regular(opened.into())
}

/// Reads the regular file that `path` names, of at most `most` bytes.
///
/// Errors: those of [`open_regular`]; [`io::ErrorKind::FileTooLarge`].
pub fn read_regular(path: &Path, most: u64, links: Links) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path, Access::Read, links)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

/// `file`, if it is a regular one.
pub(crate) fn only_regular(file: File) -> io::Result<File> {
    let is_regular = file.metadata()?.is_file();
    is_regular.then_some(file).ok_or_else(|| io::Error::other("it is not a regular file"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::symlink;

    use rustix::fs::CWD;

    use super::*;

    #[test]
    fn nothing_but_a_regular_file_is_opened_and_nothing_is_waited_for() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().canonicalize().unwrap().join(name);
        std::fs::write(at("file"), "12345").unwrap();
        rustix::fs::mknodat(CWD, at("pipe"), rustix::fs::FileType::Fifo, Mode::RWXU, 0).unwrap();
        symlink("file", at("link")).unwrap();
        symlink("pipe", at("link-to-pipe")).unwrap();
        symlink(".", at("way")).unwrap();
        let said = |name: &str, links| read_regular(&at(name), 5, links);
        for (name, refused) in
            [("file", &[] as &[Links]), ("link", &[Links::OnTheWay, Links::Refused]), ("way/file", &[Links::Refused])]
        {
            for links in [Links::Followed, Links::OnTheWay, Links::Refused] {
                assert_eq!(said(name, links).is_err(), refused.contains(&links), "{name} {links:?}");
            }
        }
        assert_eq!(said("file", Links::Refused).unwrap(), b"12345");
        let too_long = read_regular(&at("file"), 4, Links::Followed).unwrap_err();
        assert_eq!(too_long.kind(), io::ErrorKind::FileTooLarge);
        for place in [at("pipe"), at("link-to-pipe"), "/dev/null".into(), "/dev/tty".into(), at("."), at("none")] {
            for access in [Access::Read, Access::Append] {
                assert!(place == at("none") || open_regular(&place, access, Links::Followed).is_err(), "{place:?}");
            }
        }
        let mut made = open_regular(&at("made"), Access::Append, Links::Refused).unwrap();
        io::Write::write_all(&mut made, b"x").unwrap();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&made.metadata().unwrap().permissions()) & 0o777, 0o600);
    }
}
