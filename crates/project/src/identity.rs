//! What makes two paths the same directory or file.

use std::io;

use cap_std::fs::Dir;

/// Device and inode number: the same for every spelling of one directory.
pub(crate) type Identity = (u64, u64);

/// Of an open directory.
pub(crate) fn identity_of(dir: &Dir) -> io::Result<Identity> {
    let stat = rustix::fs::fstat(dir)?;
    Ok((stat.st_dev, stat.st_ino))
}

/// Of a file whose metadata have been asked for.
pub(crate) fn std_identity(metadata: &std::fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}
