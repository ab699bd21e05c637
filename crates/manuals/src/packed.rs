//! Reading plain and packed files: regular ones only, and no more of them than fits.

use std::io;
use std::path::Path;

use flate2::read::DeflateDecoder;
use lispwright_project::{Links, MAX_FILE_BYTES, gunzipped, is_packed, read_regular, unpacked};

/// The largest jar that is read, in bytes.
const LARGEST_JAR: u64 = 64 << 20;

/// The text of a file, unpacked if its name ends in `.gz`. Bytes that are not UTF-8 are taken for Latin-1.
///
/// Errors: those of [`read_regular`]; more than [`MAX_FILE_BYTES`], packed or unpacked; data that cannot be unpacked.
pub(crate) fn text(path: &Path, links: Links) -> io::Result<String> {
    let bytes = read_regular(path, MAX_FILE_BYTES, links)?;
    Ok(decoded(if is_packed(&path.to_string_lossy()) { gunzipped(&bytes)? } else { bytes }))
}

fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().iter().map(|byte| char::from(*byte)).collect())
}

/// A jar, which is a ZIP archive (APPNOTE.TXT 6.3): of its records only those without ZIP64 are read.
pub(crate) struct Jar {
    bytes: Vec<u8>,
}

/// A file in a jar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its name.
    pub(crate) name: String,
    method: u16,
    size: usize,
    header: usize,
}

impl Jar {
    /// Errors: those of [`read_regular`]; more than 64 MiB.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { bytes: read_regular(path, LARGEST_JAR, Links::Followed)? })
    }

    fn number(&self, at: usize, length: usize) -> Option<usize> {
        let bytes = self.bytes.get(at..at.checked_add(length)?)?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }

    /// The files in it; none if it is no archive.
    pub(crate) fn members(&self) -> Vec<Member> {
        let mut members = Vec::new();
        let Some(end) = memchr::memmem::rfind(&self.bytes, b"PK\x05\x06") else { return members };
        let Some(mut at) = self.number(end + 16, 4) else { return members };
        while self.bytes.get(at..).is_some_and(|rest| rest.starts_with(b"PK\x01\x02")) {
            let Some((member, next)) = self.member(at) else { break };
            members.push(member);
            at = next;
        }
        members
    }

    /// The record of the central directory at an offset, and the offset of the next.
    fn member(&self, at: usize) -> Option<(Member, usize)> {
        let lengths = [28, 30, 32].map(|field| self.number(at + field, 2));
        let [Some(name), Some(extra), Some(comment)] = lengths else { return None };
        let text = self.bytes.get(at + 46..at + 46 + name)?;
        let member = Member {
            name: String::from_utf8_lossy(text).into_owned(),
            method: u16::try_from(self.number(at + 10, 2)?).ok()?,
            size: self.number(at + 20, 4)?,
            header: self.number(at + 42, 4)?,
        };
        Some((member, at + 46 + name + extra + comment))
    }

    /// The text of a member; `None` if the archive is damaged, or packs it in a way that jars do not have.
    pub(crate) fn text(&self, member: &Member) -> Option<String> {
        let start = member.header + 30 + self.number(member.header + 26, 2)? + self.number(member.header + 28, 2)?;
        let packed = self.bytes.get(start..start.checked_add(member.size)?)?;
        match member.method {
            0 => Some(decoded(packed.to_vec())),
            8 => unpacked(DeflateDecoder::new(packed)).ok().map(decoded),
            _ => None,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use super::*;

    /// `text` as gzip packs it.
    pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
        let mut gzip = Command::new("gzip");
        let mut child = gzip.args(["-c", "-n"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut input, text) = (child.stdin.take().unwrap(), text.to_owned());
        let writer = std::thread::spawn(move || input.write_all(&text).unwrap());
        let packed = child.wait_with_output().unwrap().stdout;
        writer.join().unwrap();
        packed
    }

    /// A ZIP archive of some texts.
    pub(crate) fn zip(members: &[(&str, &str)]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, text) in members {
            // Without the header and the trailer of gzip.
            let packed = gzip(text.as_bytes());
            let packed = packed[10..packed.len() - 8].to_vec();
            let offset = u32::try_from(bytes.len()).unwrap().to_le_bytes();
            let sizes = [packed.len(), text.len()].map(|size| u32::try_from(size).unwrap().to_le_bytes()).concat();
            let length = u16::try_from(name.len()).unwrap().to_le_bytes();
            let common = [&[20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &sizes, &length, &[0, 0]].concat();
            bytes.extend([b"PK\x03\x04", &common[..], name.as_bytes(), &packed].concat());
            directory.extend([b"PK\x01\x02\x14\0", &common[..], &[0; 10], &offset, name.as_bytes()].concat());
        }
        let start = u32::try_from(bytes.len()).unwrap().to_le_bytes();
        let length = u32::try_from(directory.len()).unwrap().to_le_bytes();
        let count = u16::try_from(members.len()).unwrap().to_le_bytes();
        bytes.extend([&directory[..], b"PK\x05\x06\0\0\0\0", &count, &count, &length, &start, &[0, 0]].concat());
        bytes
    }

    #[test]
    fn packed_and_plain_files_have_the_same_text() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        std::fs::write(at("a.info"), "caf\u{e9}").unwrap();
        std::fs::write(at("a.info.gz"), gzip("caf\u{e9}".as_bytes())).unwrap();
        std::fs::write(at("old.info"), b"caf\xe9").unwrap();
        for name in ["a.info", "a.info.gz", "old.info"] {
            assert_eq!(text(&at(name), Links::Followed).unwrap(), "caf\u{e9}", "{name}");
        }
    }

    #[test]
    fn what_is_damaged_or_unpacks_to_too_much_or_is_no_file_is_an_error() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        std::fs::write(at("bomb.gz"), gzip(&vec![0; usize::try_from(MAX_FILE_BYTES).unwrap() + 1])).unwrap();
        std::fs::write(at("bad.gz"), "no gzip").unwrap();
        std::fs::write(at("cut.gz"), &gzip(&[1; 5000])[..20]).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        for name in ["bomb.gz", "bad.gz", "cut.gz", "pipe", "none", "."] {
            assert!(text(&at(name), Links::Followed).is_err(), "{name}");
        }
    }

    #[test]
    fn a_jar_gives_its_texts_and_a_damaged_one_fewer() {
        let whole = zip(&[("a/b.clj", "(ns a.b)"), ("empty", "")]);
        let jar = Jar { bytes: whole.clone() };
        let texts: Vec<_> = jar.members().iter().map(|one| (one.name.clone(), jar.text(one).unwrap())).collect();
        assert_eq!(texts, [("a/b.clj".to_owned(), "(ns a.b)".to_owned()), ("empty".to_owned(), String::new())]);
        for length in 0..whole.len() {
            for first in [0, length] {
                let jar = Jar { bytes: whole[first.min(length)..].iter().take(length).copied().collect() };
                assert!(jar.members().iter().filter_map(|one| jar.text(one)).count() <= 2);
            }
        }
    }
}
