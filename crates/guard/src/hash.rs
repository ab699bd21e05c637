//! `docHash`: a rolling hash by which two sides notice that their documents differ.
//!
//! A hash of the whole text would need the whole text. This one takes in every slice as it is sent, so both sides can
//! keep it at the cost of the slices.
//!
//! `advance(previous, slice) = "sha256:" + hex(SHA-256(previous + "\n" + start + "\n" + end + "\n" + text))`,
//! everything in UTF-8, `previous` in full (`sha256:` and 64 lower-case digits), `start` and `end` in decimal: the span
//! of the text after it is written, so that a slice and the edit that inserts it give the same hash. An empty text
//! leaves the hash unchanged. An empty document has [`EMPTY`], which is the SHA-256 of no bytes.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::failure::Failure;

/// The hash of a document to which nothing has been written.
pub const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The hash after `text` was written to the code points from `start` up to `end`.
pub fn advance(previous: &str, start: u64, end: u64, text: &str) -> String {
    if text.is_empty() {
        return previous.to_owned();
    }
    spell(&digest(&[previous.as_bytes(), format!("\n{start}\n{end}\n").as_bytes(), text.as_bytes()]))
}

/// SHA-256 of some parts, one after another.
pub(crate) fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// A digest as `sha256:` and 64 digits.
pub(crate) fn spell(digest: &[u8; 32]) -> String {
    let mut text = String::from("sha256:");
    for byte in digest {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A hash as a client sent it, in lower case.
pub(crate) fn parse(field: &str, sent: &str) -> Result<String, Failure> {
    let sent = sent.trim();
    let digits = sent.strip_prefix("sha256:").filter(|digits| digits.len() == 64);
    let Some(digits) = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit())) else {
        return Err(Failure::input(format!(
            "`{field}` must be `sha256:` and 64 hexadecimal digits. Send back the last answer's docHash, or {EMPTY} \
             for a document to which nothing has been written."
        )));
    };
    Ok(format!("sha256:{}", digits.to_ascii_lowercase()))
}

/// The digest of a hash that [`parse`] has accepted.
pub(crate) fn unspell(hash: &str) -> [u8; 32] {
    let mut digest = [0; 32];
    let digits = hash.strip_prefix("sha256:").unwrap_or(hash).as_bytes();
    for (byte, pair) in digest.iter_mut().zip(digits.chunks_exact(2)) {
        let nibble = |digit: u8| (digit as char).to_digit(16).unwrap_or(0) as u8;
        *byte = nibble(pair[0]) << 4 | nibble(pair[1]);
    }
    digest
}

/// The failure when the two sides write different documents.
pub(crate) fn drift(what: &str, expected: &str, found: &str) -> Failure {
    Failure::input(format!(
        "The document has drifted: {what} is {found}, but what was sent so far gives {expected}. Compare the text with \
         what was sent, and start again from the last docHash that both sides have."
    ))
}
