//! A writer of zip archives that gives the same bytes for the same files, for wheels and bundles.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::payload::File;
use crate::step::Failure;

/// 1 January 1980, the earliest date that the format knows.
const DATE: u16 = 0x21;

/// The files in an archive, in their order.
pub(crate) fn packed(files: &[File]) -> Result<Vec<u8>, Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("an archive could not be packed: {error}"));
    let number = |size: usize| u32::try_from(size).map_err(|_| Failure::new("an archive has more than 4 GB"));
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for file in files {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&file.bytes).map_err(failed)?;
        let data = encoder.finish().map_err(failed)?;
        let mut crc = Crc::new();
        crc.update(&file.bytes);

        // From "version needed" to the length of the extra field, alike in both headers.
        let mut common = Vec::new();
        for value in [20, 0, 8, 0, DATE] {
            common.extend(u16::to_le_bytes(value));
        }
        for value in [crc.sum(), number(data.len())?, number(file.bytes.len())?] {
            common.extend(value.to_le_bytes());
        }
        let name = u16::try_from(file.path.len()).map_err(|_| Failure::new("a name is too long"))?;
        common.extend(name.to_le_bytes());
        common.extend(0u16.to_le_bytes());

        let offset = number(archive.len())?;
        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(file.path.as_bytes());
        archive.extend(&data);

        directory.extend(b"PK\x01\x02");
        // Made on Unix, so that the mode counts.
        directory.extend([20, 3]);
        directory.extend(&common);
        // No comment, the first disk, no internal attributes.
        directory.extend([0; 6]);
        let mode: u32 = if file.is_program { 0o100_755 } else { 0o100_644 };
        directory.extend((mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(file.path.as_bytes());
    }
    let start = number(archive.len())?;
    let count = u16::try_from(files.len()).map_err(|_| Failure::new("an archive has too many files"))?;
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend(count.to_le_bytes());
    archive.extend(count.to_le_bytes());
    archive.extend(number(directory.len())?.to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0; 2]);
    Ok(archive)
}
