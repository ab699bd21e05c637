//! Text packed by gzip (RFC 1952), as distributions install the sources of Emacs and the manuals of Info.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

use crate::MAX_FILE_BYTES;

/// The ending of the name of a packed file.
const ENDING: &str = ".gz";

/// A file of this name is packed.
#[must_use]
pub fn is_packed(path: &str) -> bool {
    path.ends_with(ENDING)
}

/// What is packed in `bytes`.
///
/// Errors: those of [`unpacked`].
pub fn gunzipped(bytes: &[u8]) -> io::Result<Vec<u8>> {
    unpacked(MultiGzDecoder::new(bytes))
}

/// What a decoder gives.
///
/// Errors: those of the decoder; more than [`MAX_FILE_BYTES`] ([`io::ErrorKind::FileTooLarge`]).
pub fn unpacked(decoder: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    decoder.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large unpacked"));
    }
    Ok(bytes)
}
