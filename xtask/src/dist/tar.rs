//! A writer of tar archives (POSIX ustar) that gives the same bytes for the same files on every system.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::payload::File;
use crate::step::Failure;

const BLOCK: usize = 512;

/// Some bytes, compressed by themselves.
pub(crate) fn gzipped(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut archive = GzEncoder::new(Vec::new(), Compression::best());
    let written = archive.write_all(bytes).and_then(|()| archive.finish());
    written.map_err(|error| Failure::new(format!("a file could not be packed: {error}")))
}

/// The files in a compressed archive, below `root` (empty for none); `time` in seconds since 1970 is that of each.
pub(crate) fn packed(files: &[File], root: &str, time: u64) -> Result<Vec<u8>, Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("an archive could not be packed: {error}"));
    let mut archive = GzEncoder::new(Vec::new(), Compression::best());
    let mut directories = std::collections::BTreeSet::new();
    for file in files {
        let path = format!("{root}{}", file.path);
        for (slash, _) in path.match_indices('/') {
            if directories.insert(path[..=slash].to_owned()) {
                archive.write_all(&header(&path[..=slash], 0o755, 0, time, b'5')?).map_err(failed)?;
            }
        }
        let mode = if file.is_program { 0o755 } else { 0o644 };
        archive.write_all(&header(&path, mode, file.bytes.len(), time, b'0')?).map_err(failed)?;
        archive.write_all(&file.bytes).map_err(failed)?;
        let padding = file.bytes.len().next_multiple_of(BLOCK) - file.bytes.len();
        archive.write_all(&[0; BLOCK][..padding]).map_err(failed)?;
    }
    archive.write_all(&[0; 2 * BLOCK]).map_err(failed)?;
    archive.finish().map_err(failed)
}

fn header(path: &str, mode: u32, size: usize, time: u64, kind: u8) -> Result<[u8; BLOCK], Failure> {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, value: &[u8]| block[at..at + value.len()].copy_from_slice(value);
    if path.len() > 100 {
        return Err(Failure::new(format!("{path} is too long a name for an archive")));
    }
    put(0, path.as_bytes());
    put(100, format!("{mode:07o}\0").as_bytes());
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{size:011o}\0").as_bytes());
    put(136, format!("{time:011o}\0").as_bytes());
    // The sum of the header is computed with spaces in its own place.
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    put(265, b"root");
    put(297, b"root");
    let sum: u32 = block.iter().copied().map(u32::from).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}
