//! Bytes to text and back without losing any.
//!
//! Source files are UTF-8, with or without a byte order mark, or in an old encoding. Bytes that are not UTF-8 are read as
//! the cookie in the first two lines says (`-*- coding: shift_jis -*-`), if they come back byte for byte, else as Latin-1 (ISO 8859-1), which maps each byte to the scalar value of the same number, so that every file
//! comes back byte for byte. Where carriage returns alone end the lines, the text has line feeds. A few zero bytes are allowed in UTF-8, as in the key tables of Emacs Lisp; many of them,
//! or one in bytes that are not UTF-8, mean that the file is not text. ISO-2022 is refused too: its characters look
//! like brackets and quotes. The text of a file that is packed by gzip can be read, not written.

use std::borrow::Cow;

use encoding_rs::Encoding as Charset;
use memchr::{memchr, memchr_iter, memmem};
use sha2::{Digest, Sha256};

use crate::MAX_FILE_BYTES;
use crate::error::{Error, NotTextWhy, ReadOnlyWhy};
use crate::packed::{gunzipped, is_packed};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The first bytes of what gzip has packed (RFC 1952 2.3.1).
const GZIP: &[u8] = b"\x1F\x8B";

/// A text has at most one zero byte in this many bytes; data and UTF-16 without its mark have more.
const TEXT_FOR_A_ZERO: usize = 256;

/// The encoding of the stored text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8; plain ASCII counts as this.
    Utf8,
    /// One byte for each of U+0000 to U+00FF.
    Latin1,
    /// The one that the text declares.
    Declared(&'static Charset),
    /// UTF-8 or Latin-1, packed by gzip.
    Packed,
}

impl Encoding {
    /// Its name for people. A file that is packed has none of its own.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Latin1 => "ISO 8859-1",
            Self::Declared(charset) => charset.name(),
            Self::Packed => "gzip",
        }
    }

    /// A program that reads the file as UTF-8 loses characters of it.
    pub fn is_other(self) -> bool {
        matches!(self, Self::Latin1 | Self::Declared(_))
    }
}

/// The line ends of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnding {
    /// There is no line end at all.
    None,
    /// Every line ends in a line feed.
    Lf,
    /// Every line ends in carriage return and line feed.
    CrLf,
    /// Every line ends in a carriage return alone. The text has line feeds in their place.
    Cr,
    /// Line feeds with and without carriage returns occur.
    Mixed,
}

/// A file as it was at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path for people: relative to the first root, absolute when the file is below another one.
    pub path: String,
    /// The text without the byte order mark; line ends as stored, unless they are carriage returns alone.
    pub text: String,
    /// The encoding of the bytes.
    pub encoding: Encoding,
    /// The file starts with a UTF-8 byte order mark.
    pub bom: bool,
    /// The line ends.
    pub line_ending: LineEnding,
    /// Length of the file in bytes.
    pub len: u64,
}

/// The first 16 hexadecimal digits of the SHA-256 (FIPS 180-4) of `bytes`.
#[must_use]
pub fn digest_of(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().take(8).fold(String::with_capacity(16), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("writing to a string cannot fail");
        hex
    })
}

/// The text of `bytes`, its encoding, and whether a byte order mark was left out.
pub(crate) fn decoded(path: &str, bytes: Vec<u8>) -> Result<(String, Encoding, bool), Error> {
    if !(is_packed(path) && bytes.starts_with(GZIP)) {
        return plain(path, bytes);
    }
    let unpacked = gunzipped(&bytes).map_err(|error| match error.kind() {
        std::io::ErrorKind::FileTooLarge => {
            Error::TooLarge { path: path.to_owned(), size: MAX_FILE_BYTES + 1, limit: MAX_FILE_BYTES }
        }
        _ => Error::NotText { path: path.to_owned(), why: NotTextWhy::BadGzip },
    })?;
    plain(path, unpacked).map(|(text, ..)| (text, Encoding::Packed, false))
}

/// The text of `bytes` in the encoding that a cookie in their first two lines names, as Emacs, Python and Gauche read
/// them, if it gives the same bytes back. `None` for the encodings that are tried anyway.
fn declared(bytes: &[u8]) -> Option<(String, &'static Charset)> {
    let mut ends = bytes.iter().enumerate().filter(|(_, byte)| matches!(byte, b'\n' | b'\r')).map(|(at, _)| at);
    let head = &bytes[..ends.by_ref().nth(1).unwrap_or(bytes.len()).min(LONGEST_HEAD)];
    let after = &head[memmem::find(head, b"coding")? + "coding".len()..];
    let name = after.strip_prefix(b":").or_else(|| after.strip_prefix(b"="))?.trim_ascii_start();
    let end =
        name.iter().position(|byte| !byte.is_ascii_alphanumeric() && !b"-_.".contains(byte)).unwrap_or(name.len());
    let name = std::str::from_utf8(&name[..end]).ok()?.to_ascii_lowercase();
    let name = ["-unix", "-dos", "-mac"].iter().find_map(|line_end| name.strip_suffix(line_end)).unwrap_or(&name);
    let label = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, label)| label);
    let charset = Charset::for_label(label.as_bytes())?;
    let is_other = charset.is_ascii_compatible() && !["UTF-8", "windows-1252"].contains(&charset.name());
    let text = charset.decode_without_bom_handling_and_without_replacement(bytes).filter(|_| is_other)?;
    let (again, _, lost) = charset.encode(&text);
    (!lost && *again == *bytes).then(|| (text.into_owned(), charset))
}

/// The first lines of a file in which a cookie counts are not longer than this, in bytes.
const LONGEST_HEAD: usize = 1024;

/// Names of coding systems that are no labels of the WHATWG's Encoding Standard.
const ALIASES: [(&str, &str); 17] = [
    ("japanese-shift-jis", "shift_jis"),
    ("sjis", "shift_jis"),
    ("cp932", "shift_jis"),
    ("euc-japan", "euc-jp"),
    ("euc-jisx0213", "euc-jp"),
    ("japanese-iso-8bit", "euc-jp"),
    ("euc-korea", "euc-kr"),
    ("korean-iso-8bit", "euc-kr"),
    ("euc-cn", "gbk"),
    ("euc-china", "gbk"),
    ("cn-gb", "gbk"),
    ("cn-gb-2312", "gbk"),
    ("chinese-gbk", "gbk"),
    ("chinese-iso-8bit", "gbk"),
    ("cn-big5", "big5"),
    ("chinese-big5", "big5"),
    ("cyrillic-koi8", "koi8-r"),
];

/// [`decoded`], of bytes that are not packed.
fn plain(path: &str, bytes: Vec<u8>) -> Result<(String, Encoding, bool), Error> {
    let not_text = |why| Error::NotText { path: path.to_owned(), why };
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Err(not_text(NotTextWhy::Utf16));
    }
    if let Some(offset) = memchr(0, &bytes) {
        let zeros = memchr_iter(0, &bytes).count();
        if std::str::from_utf8(&bytes).is_err() || zeros > bytes.len() / TEXT_FOR_A_ZERO {
            return Err(not_text(NotTextWhy::Nul { offset }));
        }
    }
    if let Some(offset) = iso_2022(&bytes) {
        return Err(not_text(NotTextWhy::Iso2022 { offset }));
    }
    // A text without a mark keeps its place in memory.
    let (bom, body) = match bytes.strip_prefix(BOM) {
        Some(body) => (true, body.to_vec()),
        None => (false, bytes),
    };
    Ok(match String::from_utf8(body) {
        Ok(text) => (text, Encoding::Utf8, bom),
        Err(bad) => {
            if let Some((text, charset)) = declared(bad.as_bytes()) {
                return Ok((text, Encoding::Declared(charset), false));
            }
            let mark = if bom { BOM } else { &[] };
            (mark.iter().chain(bad.as_bytes()).map(|&byte| char::from(byte)).collect(), Encoding::Latin1, false)
        }
    })
}

/// The offset where a two-byte character set is chosen (ECMA-35 14.3.2), `ESC $ @`, `ESC $ A`, `ESC $ B`, `ESC $ (` and
/// the like, in a text of seven bits.
fn iso_2022(bytes: &[u8]) -> Option<usize> {
    let chooses = |three: &[u8]| matches!(three, [0x1B, b'$', b'@' | b'A' | b'B' | b'(' | b')' | b'*' | b'+']);
    let first = memchr(0x1B, bytes)?;
    let offset = first + bytes[first..].windows(3).position(chooses)?;
    bytes.is_ascii().then_some(offset)
}

impl SourceFile {
    /// Reads `bytes` as text: UTF-8 with or without a byte order mark, else Latin-1. `path` is for display and errors.
    pub fn decode(path: &str, bytes: impl Into<Vec<u8>>) -> Result<Self, Error> {
        let bytes = bytes.into();
        let len = bytes.len() as u64;
        let (text, encoding, bom) = decoded(path, bytes)?;
        let line_ending = LineEnding::of(&text);
        let text = if line_ending == LineEnding::Cr { text.replace('\r', "\n") } else { text };
        Ok(Self { path: path.to_owned(), line_ending, text, encoding, bom, len })
    }

    /// [`digest_of`] the bytes of the file, byte order mark included; of one that is packed, those of its text. The time
    /// grows with their number.
    #[must_use]
    pub fn digest(&self) -> String {
        let text = self.stored(&self.text);
        let bytes: Vec<u8> = match self.encoding {
            Encoding::Utf8 if self.bom => [BOM, text.as_bytes()].concat(),
            Encoding::Utf8 | Encoding::Packed => return digest_of(text.as_bytes()),
            // Every character is the byte of its number.
            Encoding::Latin1 => text.chars().map(|character| character as u8).collect(),
            Encoding::Declared(charset) => charset.encode(&text).0.into_owned(),
        };
        digest_of(&bytes)
    }

    /// The bytes that store `text` in the encoding of this file, so that reading them gives `text` again.
    ///
    /// Errors: [`Error::NotEncodable`], [`Error::WouldMisread`], [`Error::ReadOnly`].
    pub fn encode(&self, text: &str) -> Result<Vec<u8>, Error> {
        let misread = |why| Error::WouldMisread { path: self.path.clone(), why };
        if self.line_ending == LineEnding::Cr && text.contains('\r') {
            return Err(misread("its lines end in carriage returns, and it has further ones"));
        }
        let text = &*self.stored(text);
        if text.contains('\0') && !self.text.contains('\0') {
            return Err(misread("it contains a zero character"));
        }
        match self.encoding {
            Encoding::Packed => Err(Error::ReadOnly { path: self.path.clone(), why: ReadOnlyWhy::Packed }),
            Encoding::Utf8 => {
                if !self.bom && text.starts_with('\u{FEFF}') {
                    return Err(misread("it starts with U+FEFF, which would be taken for a byte order mark"));
                }
                let mut bytes = Vec::with_capacity(text.len() + BOM.len());
                if self.bom {
                    bytes.extend_from_slice(BOM);
                }
                bytes.extend_from_slice(text.as_bytes());
                if text.contains(['\0', '\x1b']) && decoded(&self.path, bytes.clone()).is_err() {
                    return Err(misread("its control characters would make it no text"));
                }
                Ok(bytes)
            }
            Encoding::Latin1 => {
                let mut bytes = Vec::with_capacity(text.len());
                for (at, character) in text.char_indices() {
                    match u8::try_from(u32::from(character)) {
                        Ok(byte) => bytes.push(byte),
                        Err(_) => return Err(self.not_encodable("Latin-1", text, at, character)),
                    }
                }
                if !bytes.is_ascii() && std::str::from_utf8(&bytes).is_ok() {
                    return Err(misread("the file is Latin-1 and these bytes would be taken for UTF-8"));
                }
                if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
                    return Err(misread("the file is Latin-1 and its first two bytes would be taken for UTF-16"));
                }
                Ok(bytes)
            }
            Encoding::Declared(charset) => {
                let mut buffer = [0; 4];
                let lacks = |c: &(usize, char)| !c.1.is_ascii() && charset.encode(c.1.encode_utf8(&mut buffer)).2;
                if let Some((at, character)) = text.char_indices().find(lacks) {
                    return Err(self.not_encodable(charset.name(), text, at, character));
                }
                let bytes = charset.encode(text).0.into_owned();
                match decoded(&self.path, bytes.clone()) {
                    Ok((again, ..)) if again == text => Ok(bytes),
                    _ => Err(misread("the encoding that it declares is not the one of the file")),
                }
            }
        }
    }

    /// `text` with the line ends of the file.
    fn stored<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.line_ending == LineEnding::Cr { text.replace('\n', "\r").into() } else { text.into() }
    }

    fn not_encodable(&self, encoding: &'static str, text: &str, at: usize, character: char) -> Error {
        let before = &text[..at];
        let line_start = before.rfind(['\n', '\r']).map_or(0, |newline| newline + 1);
        let lines = if self.line_ending == LineEnding::Cr { '\r' } else { '\n' };
        Error::NotEncodable {
            path: self.path.clone(),
            encoding,
            character,
            line: before.matches(lines).count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl LineEnding {
    fn of(text: &str) -> Self {
        if memchr(b'\r', text.as_bytes()).is_none() {
            return if memchr(b'\n', text.as_bytes()).is_some() { Self::Lf } else { Self::None };
        }
        let feeds = memchr_iter(b'\n', text.as_bytes()).count();
        // A single one may as well stand in a string.
        if feeds == 0 && memchr_iter(b'\r', text.as_bytes()).nth(1).is_some() {
            return Self::Cr;
        }
        let pairs = text.matches("\r\n").count();
        match (feeds, pairs) {
            (0, _) => Self::None,
            (_, 0) => Self::Lf,
            (feeds, pairs) if feeds == pairs => Self::CrLf,
            _ => Self::Mixed,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], text: &str, encoding: Encoding, bom: bool, line_ending: LineEnding) {
        let file = SourceFile::decode("f", bytes).unwrap();
        assert_eq!((file.text.as_str(), file.encoding, file.bom, file.line_ending), (text, encoding, bom, line_ending));
        assert_eq!(file.encode(text).unwrap(), bytes);
    }

    #[test]
    fn encodings_and_marks() {
        check(b"", "", Encoding::Utf8, false, LineEnding::None);
        check(b"\xEF\xBB\xBF", "", Encoding::Utf8, true, LineEnding::None);
        check(b"\xEF\xBB\xBF(a)\r\n", "(a)\r\n", Encoding::Utf8, true, LineEnding::CrLf);
        check("(é λ)\n\r\n".as_bytes(), "(é λ)\n\r\n", Encoding::Utf8, false, LineEnding::Mixed);
        check(b"caf\xE9\n", "café\n", Encoding::Latin1, false, LineEnding::Lf);
        check(b"\xEF\xBB\xBF\xE9\n", "ï»¿é\n", Encoding::Latin1, false, LineEnding::Lf);
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        use std::io::Write as _;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn packed_text_is_read_and_not_written() {
        for (bytes, text) in [("(car λ)\r\n".as_bytes(), "(car λ)\r\n"), (b"caf\xE9", "café"), (b"", "")] {
            let file = SourceFile::decode("simple.el.gz", gzip(bytes)).unwrap();
            assert_eq!((file.text.as_str(), file.encoding), (text, Encoding::Packed));
            assert!(matches!(file.encode(text), Err(Error::ReadOnly { why: ReadOnlyWhy::Packed, .. })));
        }
        // The name decides together with the bytes.
        check(b"(plain)", "(plain)", Encoding::Utf8, false, LineEnding::None);
        assert_eq!(SourceFile::decode("new.el.gz", *b"(plain)").unwrap().encoding, Encoding::Utf8);
        assert!(SourceFile::decode("simple.el", gzip(b"(car x)")).is_err());
        // Data that is cut off, and data that grows without end.
        let whole = gzip(&b"(car x)\n".repeat(100));
        let cut = SourceFile::decode("f.gz", &whole[..whole.len() / 2]);
        assert!(matches!(cut, Err(Error::NotText { why: NotTextWhy::BadGzip, .. })), "{cut:?}");
        let bomb = gzip(&vec![b' '; usize::try_from(MAX_FILE_BYTES).unwrap() + 1]);
        assert!(matches!(SourceFile::decode("f.gz", bomb), Err(Error::TooLarge { .. })));
    }

    #[test]
    fn what_is_not_text() {
        let why = |bytes: &[u8]| match SourceFile::decode("f", bytes) {
            Err(Error::NotText { why, .. }) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(why(b"ab\0c"), NotTextWhy::Nul { offset: 2 });
        assert_eq!(why(b"\xFF\xFE(\0"), NotTextWhy::Utf16);
        assert_eq!(why(b"\xFE\xFF\0("), NotTextWhy::Utf16);
        assert_eq!(why(&b"(\0d\0e\0f\0".repeat(100)), NotTextWhy::Nul { offset: 1 });
        assert_eq!(why(b"(a \"\x1b$B$\"\x1b(B\")"), NotTextWhy::Iso2022 { offset: 4 });
    }

    #[test]
    fn a_zero_byte_in_a_long_text_is_text() {
        let mut bytes = b"(define-key map \"\0\" 'mark)\n".to_vec();
        bytes.extend_from_slice(b";; text\n".repeat(40).as_slice());
        let file = SourceFile::decode("f", &bytes[..]).unwrap();
        assert_eq!(file.encode(&file.text).unwrap(), bytes);
        assert!(matches!(file.encode(&"\0".repeat(9)), Err(Error::WouldMisread { .. })));
        bytes.push(0xE9);
        assert!(SourceFile::decode("f", &bytes[..]).is_err());
    }

    #[test]
    fn latin1_names_the_first_character_it_lacks() {
        let file = SourceFile::decode("f", b"\xE9\n").unwrap();
        match file.encode("é\n;; é λ→") {
            Err(Error::NotEncodable { encoding: "Latin-1", character: 'λ', line: 2, column: 6, .. }) => {}
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_declared_encoding_is_read_and_written_back() {
        let cookie = b";;; -*- coding: NAME -*-\n(f \"".to_vec();
        for (name, bytes, text) in [
            ("sjis", &b"\x95\x5c"[..], "表"),
            ("shift_jis-unix", b"\x83\x5c", "ソ"),
            ("gbk", b"\x95\x5c", "昞"),
            ("big5", b"\xa5\x5c", "功"),
            ("euc-jp", b"\xc9\xbd\xbc\xa8", "表示"),
            ("euc-kr", b"\xb0\xa1", "가"),
            ("koi8-r", b"\xcd\xc9\xd2", "мир"),
            ("windows-1251", b"\xec\xe8\xf0", "мир"),
            ("iso-8859-2", b"\xb1", "ą"),
        ] {
            let head = String::from_utf8(cookie.clone()).unwrap().replace("NAME", name);
            let whole = [head.as_bytes(), bytes, b"\")\n"].concat();
            let file = SourceFile::decode("f", &whole[..]).unwrap();
            assert_eq!(file.text, format!("{head}{text}\")\n"), "{name}");
            assert!(matches!(file.encoding, Encoding::Declared(_)), "{name}");
            assert_eq!(file.encode(&file.text).unwrap(), whole, "{name}");
            assert_eq!(file.digest(), digest_of(&whole), "{name}");
            let lacks = file.encode(&format!("{}\n (🙂)", file.text));
            assert!(matches!(lacks, Err(Error::NotEncodable { character: '🙂', line: 4, .. })), "{name}: {lacks:?}");
            // Without the cookie it would be read as something else.
            assert!(matches!(file.encode(text), Err(Error::WouldMisread { .. })), "{name}");
        }
        // What the cookie names does not fit: Latin-1 keeps every byte.
        let file = SourceFile::decode("f", *b"; -*- coding: sjis -*-\n\x85\xff").unwrap();
        assert_eq!(file.encoding, Encoding::Latin1);
        check(b"; coding: latin-1\n\xe9", "; coding: latin-1\né", Encoding::Latin1, false, LineEnding::Lf);
    }

    #[test]
    fn carriage_returns_alone_end_lines() {
        check(b"; a (\r(b)\r", "; a (\n(b)\n", Encoding::Utf8, false, LineEnding::Cr);
        check(b"; \xe9\r(b)\r", "; é\n(b)\n", Encoding::Latin1, false, LineEnding::Cr);
        check(b"(f \"\r\")", "(f \"\r\")", Encoding::Utf8, false, LineEnding::None);
        let file = SourceFile::decode("f", *b"(a)\r(b)\r").unwrap();
        assert_eq!(file.digest(), digest_of(b"(a)\r(b)\r"));
        assert!(matches!(file.encode("(a)\n\"\r\""), Err(Error::WouldMisread { .. })));
    }

    #[test]
    fn text_that_would_read_back_differently_is_refused() {
        let latin1 = SourceFile::decode("f", b"\xE9\n").unwrap();
        assert!(matches!(latin1.encode("Ã©"), Err(Error::WouldMisread { .. })));
        assert!(matches!(latin1.encode("ÿþ é"), Err(Error::WouldMisread { .. })));
        let utf8 = SourceFile::decode("f", b"").unwrap();
        assert!(matches!(utf8.encode("a\0"), Err(Error::WouldMisread { .. })));
        assert!(matches!(utf8.encode("\u{FEFF}a"), Err(Error::WouldMisread { .. })));
    }

    #[test]
    fn digest_is_the_start_of_sha256() {
        // The SHA-256 of the empty string starts e3b0c44298fc1c14.
        assert_eq!(digest_of(b""), "e3b0c44298fc1c14");
    }

    proptest! {
        #[test]
        fn bytes_survive(bytes in proptest::collection::vec(1_u8.., 0..200)) {
            match SourceFile::decode("f", &bytes[..]) {
                Ok(file) => {
                    prop_assert_eq!(file.digest(), digest_of(&bytes));
                    prop_assert_eq!(file.encode(&file.text).unwrap(), bytes);
                }
                Err(error) => prop_assert_eq!(error.code(), "NOT_TEXT"),
            }
        }

        #[test]
        fn texts_survive_or_are_refused(text in any::<String>(), latin1 in any::<bool>()) {
            let file = SourceFile::decode("f", if latin1 { b"\xE9" } else { b"e" }).unwrap();
            if let Ok(bytes) = file.encode(&text) {
                prop_assert_eq!(SourceFile::decode("f", &bytes[..]).unwrap().text, text);
            }
        }
    }
}
