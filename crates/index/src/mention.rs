//! Mentions of a name in text and in data, which no rule of the language ties to the name.

use std::ops::Range;

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

/// A character can be a part of a name, so a name that stands beside it is only a part of another.
pub(crate) fn is_constituent(character: char) -> bool {
    character.is_alphanumeric() || "-*+!?<>=%&$_~^@".contains(character)
}

/// The words of a text, in bytes.
pub(crate) fn each_word(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = None;
    let ends = text.char_indices().map(Some).chain([None]);
    ends.filter_map(move |next| match next {
        Some((at, character)) if is_constituent(character) => {
            start.get_or_insert(at);
            None
        }
        other => start.take().map(|from| from..other.map_or(text.len(), |(at, _)| at)),
    })
}

/// The places of `name` as a word in `text`, in bytes. With `folds_case`, upper and lower case are the same.
pub fn words(text: &str, name: &str, folds_case: bool) -> Vec<Range<usize>> {
    let Some(&first) = name.as_bytes().first() else { return Vec::new() };
    let mut found = Vec::new();
    let other = if folds_case { first.to_ascii_uppercase() } else { first };
    let first = if folds_case { first.to_ascii_lowercase() } else { first };
    for start in memchr::memchr2_iter(first, other, text.as_bytes()) {
        let Some(part) = text.get(start..start + name.len()) else { continue };
        let is_it = if folds_case { part.eq_ignore_ascii_case(name) } else { part == name };
        if !is_it {
            continue;
        }
        let before = text[..start].chars().next_back();
        let after = text[start + part.len()..].chars().next();
        if !before.is_some_and(is_constituent) && !after.is_some_and(is_constituent) {
            found.push(start..start + part.len());
        }
    }
    found
}

/// The text has the name, perhaps as a part of another.
pub fn holds(text: &str, name: &str, folds_case: bool) -> bool {
    let (text, name) = (text.as_bytes(), name.as_bytes());
    if !folds_case {
        return memchr::memmem::find(text, name).is_some();
    }
    // A name with escapes is spelled in many ways.
    let Some(&first) = name.first().filter(|_| name.is_ascii()) else { return true };
    memchr::memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), text)
        .any(|at| text.get(at..at + name.len()).is_some_and(|part| part.eq_ignore_ascii_case(name)))
        || memchr::memchr(b'\\', text).is_some()
}
