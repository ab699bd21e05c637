//! Delimiter types as the protocol names them.

use lispwright_syntax::Delimiter;
use schemars::JsonSchema;
use serde::Serialize;

/// A type of delimiters, in requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(description = "")]
pub enum DelimiterType {
    /// `(` and `)`.
    Paren,
    /// `[` and `]`.
    Bracket,
    /// `{` and `}`.
    Brace,
}

impl DelimiterType {
    /// The three types.
    pub const ALL: [Self; 3] = [Self::Paren, Self::Bracket, Self::Brace];

    /// The name of the type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paren => "paren",
            Self::Bracket => "bracket",
            Self::Brace => "brace",
        }
    }

    /// The type of a name; EDN's `:paren` is the same as `paren`.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_prefix(':').unwrap_or(name);
        Self::ALL.into_iter().find(|known| known.name() == name)
    }

    /// The same for the reader.
    pub const fn delimiter(self) -> Delimiter {
        match self {
            Self::Paren => Delimiter::Paren,
            Self::Bracket => Delimiter::Bracket,
            Self::Brace => Delimiter::Brace,
        }
    }

    /// The character that opens.
    pub const fn open(self) -> char {
        self.delimiter().open()
    }

    /// The character that closes.
    pub const fn close(self) -> char {
        self.delimiter().close()
    }
}

impl From<Delimiter> for DelimiterType {
    fn from(delimiter: Delimiter) -> Self {
        match delimiter {
            Delimiter::Paren => Self::Paren,
            Delimiter::Bracket => Self::Bracket,
            Delimiter::Brace => Self::Brace,
        }
    }
}
