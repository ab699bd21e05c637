//! Mentions of a name in text and in data, which no rule of the language ties to the name.

use std::path::PathBuf;

use crate::new_name::NewName;

/// The kind of a mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MentionKind {
    /// A word in a comment.
    Comment,
    /// A word in the docstring of a definition.
    Docstring,
    /// A word in another string.
    String,
    /// A symbol in data, in a dialect whose data are no names of functions and variables.
    Quoted,
    /// A symbol in code that the reader drops.
    Disabled,
    /// A keyword, or a symbol without a package, of the same name.
    Keyword,
}

impl MentionKind {
    /// All kinds, in the order of answers.
    pub const ALL: [Self; 6] =
        [Self::Docstring, Self::Comment, Self::String, Self::Quoted, Self::Disabled, Self::Keyword];

    /// The name in arguments and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Comment => "comments",
            Self::Docstring => "docstrings",
            Self::String => "strings",
            Self::Quoted => "quoted",
            Self::Disabled => "disabled",
            Self::Keyword => "keywords",
        }
    }
}

/// A mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMention {
    /// The file, absolute.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Its kind.
    pub kind: MentionKind,
    /// The line itself, without white space around it.
    pub text: String,
}

/// A character can be a part of a name, so a name that stands beside it is only a part of another.
fn is_constituent(character: char) -> bool {
    character.is_alphanumeric() || "-*+!?<>=%&$_~^@".contains(character)
}

/// The places of `name` as a word in `text`, with the name that comes instead of each.
pub(crate) fn words(text: &str, name: &str, folds_case: bool, new: &NewName) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    // Names are compared without regard to case where the reader does so; the lengths of both cases can differ.
    let starts = text.char_indices().map(|(at, _)| at);
    for start in starts {
        let Some(part) = text.get(start..start + name.len()) else { continue };
        let is_it = if folds_case { part.eq_ignore_ascii_case(name) } else { part == name };
        if !is_it {
            continue;
        }
        let before = text[..start].chars().next_back();
        let after = text[start + part.len()..].chars().next();
        if before.is_some_and(is_constituent) || after.is_some_and(is_constituent) {
            continue;
        }
        found.push((start, start + part.len(), new.in_prose(part)));
    }
    found
}
