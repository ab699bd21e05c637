//! Searches one text: which of its places fit, and in which forms they are.
//!
//! Most files of a project have no match, so the text alone is searched first. Only a text with a match is read.

use lispwright_syntax::{FormId, Forms, Language, LineColumn, LineIndex, Span, TokenKind, Tree, read};
use regex::{Regex, RegexBuilder};

use crate::facts::Facts;

/// The largest program that a regular expression may become, in bytes.
const LARGEST_REGEX: usize = 1 << 20;

/// The part of a text that is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Within {
    /// All of it.
    #[default]
    All,
    /// Neither comments nor strings.
    Code,
    /// Comments.
    Comments,
    /// Strings, docstrings among them.
    Strings,
}

impl Within {
    /// A token of that kind belongs to the part.
    fn has(self, kind: TokenKind) -> bool {
        let is_string = matches!(kind, TokenKind::String | TokenKind::UnterminatedString);
        match self {
            Self::All => true,
            Self::Code => !kind.is_trivia() && !is_string,
            Self::Comments => kind.is_trivia() && kind != TokenKind::Blank,
            Self::Strings => is_string,
        }
    }
}

/// Why a text is no regular expression that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRegex {
    /// What is wrong.
    pub why: String,
    /// The place of the mistake: its character, from 1. Unknown in a pattern of several lines.
    pub column: Option<usize>,
}

/// A request: what is searched for, and where.
#[derive(Clone, Debug)]
pub struct Search {
    regex: Regex,
    /// The part of the text.
    pub within: Within,
    /// Only in forms with one of these heads, in canonical spelling; in all of them when empty.
    pub form_types: Vec<String>,
}

/// A place that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// What fits, in bytes.
    pub span: Span,
    /// Where it begins.
    pub at: LineColumn,
    /// The form around it.
    pub form: Option<FormId>,
}

/// A text that was read because it has matches.
#[derive(Debug)]
pub struct Searched {
    /// The matches, at most one on a line.
    pub matches: Vec<Match>,
    /// The forms.
    pub forms: Forms,
    /// The lines.
    pub lines: LineIndex,
    tree: Tree,
}

impl Search {
    /// A search for a regular expression, whose `^` and `$` are the ends of lines.
    ///
    /// Errors: it is none, or too large.
    pub fn new(pattern: &str, ignores_case: bool) -> Result<Self, BadRegex> {
        let mut builder = RegexBuilder::new(pattern);
        builder.case_insensitive(ignores_case).multi_line(true).crlf(true).size_limit(LARGEST_REGEX);
        let regex = builder.build().map_err(|error| bad_regex(pattern, &error))?;
        Ok(Self { regex, within: Within::All, form_types: Vec::new() })
    }

    /// Whether a place fits can be said without reading the text as Lisp.
    fn is_plain(&self) -> bool {
        self.within == Within::All && self.form_types.is_empty()
    }

    /// How many lines have matches.
    pub fn count(&self, text: &str, language: impl FnOnce() -> Option<Language>) -> usize {
        if self.is_plain() {
            return self.spans(text, |_| true).len();
        }
        if !self.regex.is_match(text) {
            return 0;
        }
        language().map_or(0, |language| self.run(text, language).matches.len())
    }

    /// The matches in a text of that language, with the forms around them.
    pub fn run(&self, text: &str, language: Language) -> Searched {
        let tree = read(text, language).learning(text);
        let forms = Forms::new(&tree, text);
        let lines = LineIndex::new(text.as_bytes());
        let is_wanted = |span: Span| {
            let is_head = |form: FormId| self.form_types.contains(&forms.get(form).head_name);
            self.within.has(kind_of(&tree, span))
                && (self.form_types.is_empty() || forms.belonging(span.start).is_some_and(is_head))
        };
        let spans = self.spans(text, is_wanted);
        let found = |span: Span| Match {
            span,
            at: lines.line_column(text.as_bytes(), span.start),
            form: forms.belonging(span.start),
        };
        let matches = spans.into_iter().map(found).collect();
        Searched { matches, forms, lines, tree }
    }

    /// The first wanted place on each line.
    fn spans(&self, text: &str, is_wanted: impl Fn(Span) -> bool) -> Vec<Span> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(place) = self.regex.find_at(text, at) {
            // After the final newline there is no line.
            if place.start() == text.len() && (text.is_empty() || text.ends_with('\n')) {
                break;
            }
            let span = Span::new(place.start() as u32, place.end() as u32);
            let next = if is_wanted(span) {
                found.push(span);
                memchr::memchr(b'\n', &text.as_bytes()[place.end()..]).map(|end| place.end() + end + 1)
            } else if place.is_empty() {
                text[place.end()..].chars().next().map(|character| place.end() + character.len_utf8())
            } else {
                Some(place.end())
            };
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        found
    }
}

impl Searched {
    /// The package, module or namespace that is current at each match; empty where there is none.
    pub fn spaces(&self, text: &str) -> Vec<String> {
        let facts = Facts::declared(&self.tree, text);
        self.matches.iter().map(|found| facts.space_at(found.span.start).to_owned()).collect()
    }
}

/// What a place is made of: its first token that is not white space.
fn kind_of(tree: &Tree, span: Span) -> TokenKind {
    let mut tokens = tree.tokens_within(Span::new(span.start, span.end.max(span.start + 1)));
    tokens.find(|(kind, _)| *kind != TokenKind::Blank).map_or(TokenKind::Blank, |(kind, _)| kind)
}

fn bad_regex(pattern: &str, error: &regex::Error) -> BadRegex {
    if let regex::Error::CompiledTooBig(_) = error {
        return BadRegex { why: "it is too large once compiled".to_owned(), column: None };
    }
    // The message shows the pattern, indented by four, and marks the place below it.
    let message = error.to_string();
    let why = message.lines().last().unwrap_or("").trim_start_matches("error: ").to_owned();
    let marked = message.lines().skip_while(|line| line.strip_prefix("    ") != Some(pattern)).nth(1);
    let column = marked.and_then(|line| line.strip_prefix("    ")?.find('^')).map(|at| at + 1);
    BadRegex { why, column }
}
