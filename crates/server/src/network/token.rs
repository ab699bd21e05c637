//! The token that clients of a network transport present.

use std::fmt;
use std::sync::Arc;

/// A bearer token. It is not shown by `Debug`, and nothing else shows it.
#[derive(Clone)]
pub struct Token(Arc<str>);

impl Token {
    /// The shortest token that is accepted from a person, in characters.
    pub const SHORTEST: usize = 16;

    /// A token with this text.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// The token that a person keeps in a file: blanks around it do not count. An error says what is wrong with it,
    /// without its text.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.chars().count() < Self::SHORTEST {
            return Err(format!("it has less than {} characters", Self::SHORTEST));
        }
        // What RFC 6750 allows in a header.
        let is_fit = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
        if !text.chars().all(is_fit) {
            return Err("it has other characters than letters, digits and -._~+/=".to_owned());
        }
        Ok(Self::new(text))
    }

    /// Whether both are the same. The time depends on the lengths only.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), other.0.as_bytes());
        let differing = ours.iter().zip(theirs).fold(0, |differing, (a, b)| differing | (a ^ b));
        ours.len() == theirs.len() && std::hint::black_box(differing) == 0
    }

    /// The text, for the one place that presents or stores it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(not shown)")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn tokens_are_compared_as_a_whole() {
        let token = Token::read(" 0123456789abcdef\n").unwrap();
        assert!(token.is(&Token::new("0123456789abcdef")));
        for other in ["", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF"] {
            assert!(!token.is(&Token::new(other)), "{other}");
        }
    }

    #[test]
    fn a_token_that_no_header_carries_is_refused_without_its_text() {
        for text in ["short", "0123456789abcdef 0123456789abcdef", "0123456789abcde\u{e9}f"] {
            let why = Token::read(text).unwrap_err();
            assert!(!why.contains(text), "{why}");
        }
        assert_eq!(format!("{:?}", Token::new("hush")), "Token(not shown)");
    }
}
