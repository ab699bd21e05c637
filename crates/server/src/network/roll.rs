//! The file of the named tokens: a line for each client, with the digest of its token and not the token.
//!
//! A token is 256 random bits, so its SHA-256 (FIPS 180-4) needs no salt and no slow hash: nobody finds the token from it.
//! A line that cannot be read spoils the whole file, because a reader that passed over it could pass over the word that
//! bounds a client.

use std::fmt;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::token::Token;

/// What the file says of itself.
const HEAD: &str = "# The named tokens of the clients of a lispwright server: name, what it may, SHA-256 of the token, since \
                    when.\n# `lispwright token` writes this file.\n";

/// The word of a token that may use all tools of the server.
const ALL: &str = "all-tools";
/// The word of a token that may use those which write nothing and run no code.
const READ_ONLY: &str = "read-only";
/// The mark before a digest.
const KIND: &str = "sha256:";

/// A client's token, as its file keeps it.
#[derive(Clone, PartialEq, Eq)]
pub struct NamedToken {
    /// The name of the client.
    pub name: String,
    /// It may only use the tools that write nothing and run no code.
    pub read_only: bool,
    /// The time at which it was made, in UTC (RFC 3339).
    pub since: String,
    digest: [u8; 32],
}

impl fmt::Debug for NamedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedToken")
            .field("name", &self.name)
            .field("read_only", &self.read_only)
            .finish_non_exhaustive()
    }
}

/// What is wrong with a file of named tokens. No token in it counts until that is corrected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RollFault {
    /// A line of it cannot be read.
    #[error("{}:{line}: {why}; correct or remove the line: until then no named token counts", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong with the line.
        why: String,
    },
    /// It is not UTF-8.
    #[error("{}: it is not text; remove the file, and add the tokens again", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
}

impl NamedToken {
    /// The longest name, in characters.
    pub const LONGEST_NAME: usize = 64;
    /// The most tokens that a file gets; it stays below the size that is read.
    pub const MOST: usize = 1000;
    /// The name by which the token without a name goes.
    pub const OWNER: &str = "owner";

    /// The entry of `token`. An error says what is wrong with the name.
    pub fn new(name: &str, read_only: bool, since: String, token: &Token) -> Result<Self, String> {
        check_name(name)?;
        Ok(Self { name: name.to_owned(), read_only, since, digest: digest_of(token) })
    }

    /// Whether `digest` is that of this token. The time does not depend on either.
    pub(crate) fn has(&self, digest: &[u8; 32]) -> bool {
        let differing = self.digest.iter().zip(digest).fold(0, |differing, (a, b)| differing | (a ^ b));
        std::hint::black_box(differing) == 0
    }

    /// The line of the file, with its end.
    #[must_use]
    pub fn line(&self) -> String {
        let may = if self.read_only { READ_ONLY } else { ALL };
        let digest: String = self.digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{} {may} {KIND}{digest} {}\n", self.name, self.since)
    }

    fn read(line: &str) -> Result<Self, String> {
        let [name, may, digest, since] = line.split_ascii_whitespace().collect::<Vec<_>>()[..] else {
            return Err("it has not the four parts name, what it may, digest, since when".to_owned());
        };
        check_name(name)?;
        let read_only = match may {
            ALL => false,
            READ_ONLY => true,
            _ => return Err(format!("its second part is neither {ALL} nor {READ_ONLY}")),
        };
        let digest = digest.strip_prefix(KIND).and_then(bytes_of);
        let digest = digest.ok_or_else(|| format!("its third part is not {KIND} and 64 hexadecimal digits"))?;
        Ok(Self { name: name.to_owned(), read_only, since: since.to_owned(), digest })
    }
}

/// The named tokens in the text of the file at `path`.
pub fn read_roll(path: &Path, text: &[u8]) -> Result<Vec<NamedToken>, RollFault> {
    let text = std::str::from_utf8(text).map_err(|_| RollFault::NotText { path: path.to_owned() })?;
    let mut known: Vec<NamedToken> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let fault = |why| RollFault::Line { path: path.to_owned(), line: number + 1, why };
        let token = NamedToken::read(line).map_err(fault)?;
        if known.iter().any(|other| other.name.eq_ignore_ascii_case(&token.name)) {
            return Err(fault(format!("there is a second token with the name `{}`", token.name)));
        }
        if known.iter().any(|other| other.digest == token.digest) {
            return Err(fault(format!("`{}` has the token of another name", token.name)));
        }
        known.push(token);
    }
    Ok(known)
}

/// The text of the file with one more token, which has to have a new name.
#[must_use]
pub fn roll_with(text: &str, token: &NamedToken) -> String {
    let head = if text.is_empty() { HEAD } else { text };
    let end = if head.ends_with('\n') { "" } else { "\n" };
    format!("{head}{end}{}", token.line())
}

/// The text of the file without the token of this name.
#[must_use]
pub fn roll_without(text: &str, name: &str) -> String {
    let is_its = |line: &&str| !line.starts_with('#') && line.split_ascii_whitespace().next() == Some(name);
    text.split_inclusive('\n').filter(|line| !is_its(line)).collect()
}

/// The SHA-256 of a token.
pub(crate) fn digest_of(token: &Token) -> [u8; 32] {
    Sha256::digest(token.expose().as_bytes()).into()
}

/// A name can stand in a line of a transcript, in a header of this file and in a shell.
fn check_name(name: &str) -> Result<(), String> {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.len() > NamedToken::LONGEST_NAME || !name.chars().all(is_fit) {
        return Err(format!("a name has 1 to {} letters, digits, or -_. between them", NamedToken::LONGEST_NAME));
    }
    if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return Err("a name begins with a letter or a digit".to_owned());
    }
    if name.eq_ignore_ascii_case(NamedToken::OWNER) {
        return Err(format!("`{}` is the token without a name", NamedToken::OWNER));
    }
    Ok(())
}

fn bytes_of(digits: &str) -> Option<[u8; 32]> {
    let is_fit = digits.len() == 64 && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate().filter(|_| is_fit) {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
    }
    is_fit.then_some(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read(text: &str) -> Result<Vec<NamedToken>, RollFault> {
        read_roll(Path::new("clients"), text.as_bytes())
    }

    fn token(name: &str, read_only: bool) -> NamedToken {
        let secret = Token::new(format!("the secret of {name}"));
        NamedToken::new(name, read_only, "2026-11-28T00:00:00.000Z".to_owned(), &secret).unwrap()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let both = [token("ci", true), token("dev-2.a_b", false)];
        let text = both.iter().fold(String::new(), |text, token| roll_with(&text, token));
        assert_eq!(read(&text).unwrap(), both);
        assert!(!text.contains("the secret of"), "{text}");
        let commented = text.replace("ci ", "\n  # not at the start\nci ").replace("  # not", "# a note: not");
        assert_eq!(read(&commented).unwrap(), both);
        assert_eq!(read(&roll_without(&commented, "ci")).unwrap(), [token("dev-2.a_b", false)]);
        assert!(roll_without(&commented, "ci").contains("# a note"));
        assert_eq!(read("").unwrap(), []);
        // A last line that a person has written without its end is not joined with the next.
        assert_eq!(read(&roll_with(text.trim_end(), &token("c", false))).unwrap().len(), 3);
    }

    #[test]
    fn a_digest_is_compared_as_a_whole() {
        let ci = token("ci", true);
        let right = digest_of(&Token::new("the secret of ci"));
        assert!(ci.has(&right));
        for at in 0..32 {
            let mut wrong = right;
            wrong[at] ^= 1;
            assert!(!ci.has(&wrong), "{at}");
        }
        assert_eq!(format!("{ci:?}"), "NamedToken { name: \"ci\", read_only: true, .. }");
    }

    #[test]
    fn a_line_that_cannot_be_read_is_told_by_its_number() {
        let good = roll_with("", &token("ci", true));
        let line = token("dev", false).line();
        for (line, why) in [
            (line.replace("all-tools ", ""), "four parts"),
            (line.replace("all-tools", "everything"), "second part"),
            (line.replace("sha256:", "sha1:"), "third part"),
            (line.replace("sha256:", "sha256:0"), "third part"),
            (line[..40].to_owned(), "four parts"),
            (line.replace("dev", "d/v"), "letters"),
            (line.replace("dev", "CI"), "second token with the name `CI`"),
            (token("ci", false).line().replace("ci", "co"), "the token of another name"),
            ("\u{0}\u{1}".to_owned(), "four parts"),
        ] {
            let fault = read(&format!("{good}{line}")).unwrap_err().to_string();
            assert!(fault.starts_with("clients:4: ") && fault.contains(why), "{line}: {fault}");
        }
    }

    #[test]
    fn names_are_short_and_plain() {
        for name in ["a", "0", "claude-code", "a.b_c", &"x".repeat(64)] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "-a", ".a", "a b", "a/b", "é", "a\n", "a]", "owner", "Owner", &"x".repeat(65)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
