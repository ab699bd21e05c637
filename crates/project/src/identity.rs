//! The identity of a directory or file, by which two paths are compared.

use std::io;

use cap_std::fs::Dir;

/// Device and inode number: the same for every spelling of one directory.
pub(crate) type Identity = (u64, u64);

/// The identity of an open directory.
pub(crate) fn identity_of(dir: &Dir) -> io::Result<Identity> {
    use cap_std::fs::MetadataExt as _;
    let metadata = dir.dir_metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

/// The identity of the file that has these metadata.
pub(crate) fn std_identity(metadata: &std::fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}
