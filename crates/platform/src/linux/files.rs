//! Files by their descriptors, through `/proc/self/fd`.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, linkat, open, openat, openat2};
use rustix::io::Errno;

pub(super) fn open_again(end: BorrowedFd<'_>, flags: OFlags) -> io::Result<OwnedFd> {
    Ok(open(name_of(end), flags, Mode::empty())?)
}

pub(super) fn open_without_links(path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW;
    match openat2(CWD, path, flags, mode, ResolveFlags::NO_SYMLINKS) {
        // An old kernel, or a system call filter that does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => Ok(open(path, flags, mode)?),
        opened => Ok(opened?),
    }
}

/// A file without a name, if the file system has such files and they can be named later.
pub(super) fn nameless(directory: BorrowedFd<'_>, mode: Mode) -> io::Result<Option<File>> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = match openat(directory, ".", flags, mode) {
        Ok(file) => File::from(file),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let metadata = file.metadata()?;
    let can_be_named = std::fs::metadata(name_of(&file))
        .is_ok_and(|seen| (seen.dev(), seen.ino()) == (metadata.dev(), metadata.ino()));
    Ok(can_be_named.then_some(file))
}

pub(super) fn give_name(file: &File, directory: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    Ok(linkat(CWD, name_of(file), directory, name, AtFlags::SYMLINK_FOLLOW)?)
}

fn name_of(file: impl AsFd) -> String {
    format!("/proc/self/fd/{}", file.as_fd().as_raw_fd())
}
