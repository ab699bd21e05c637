//! Searches one text for matches, and finds the forms around them.
//!
//! Most files of a project have no match, so the plain text is searched first. Only a text with a match is read.

use lispwright_syntax::{FormId, Forms, Language, LineColumn, LineIndex, Span, TokenKind, Tree, read};
use regex::{Regex, RegexBuilder};

use crate::account::name_in;
use crate::facts::Facts;
use crate::mention::is_constituent;
use crate::pattern::guard::{Guard, GuardSource};
use crate::pattern::names::{Known, Standing, Tells};
use crate::pattern::{BadPattern, Pattern};

/// The largest size of a compiled regular expression, in bytes.
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
    /// Tokens of this kind belong to the part.
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

/// A search request.
#[derive(Clone, Debug)]
pub struct Search {
    wanted: Wanted,
    /// The part of the text in which a regular expression has to match.
    pub within: Within,
    /// Only matches in forms with one of these heads, in canonical spelling, count; if empty, in all forms.
    pub form_types: Vec<String>,
    /// Conditions that all matches of a form pattern meet.
    pub guards: Vec<GuardSource>,
}

/// What is searched for.
#[derive(Clone, Debug)]
enum Wanted {
    /// A regular expression.
    Regex(Regex),
    /// A symbol, or a word of text: its source as a regular expression, whose matches have to be whole.
    Symbol(Regex),
    /// The source of a form pattern, which is read in the dialect of each text.
    Shape(String),
}

/// A match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Its bytes.
    pub span: Span,
    /// Its start.
    pub at: LineColumn,
    /// The form around it.
    pub form: Option<FormId>,
}

/// A text that was read because it has matches.
#[derive(Debug)]
pub struct Searched {
    /// The matches; those of a regular expression at most one on a line.
    pub matches: Vec<Match>,
    /// The forms, at least those around the matches.
    pub forms: Forms,
    /// The lines.
    pub lines: LineIndex,
    /// Steps of threading forms that look like the shape, and have one argument more: they are no matches.
    pub steps: usize,
    tree: Tree,
}

impl Search {
    /// A search for a regular expression, whose `^` and `$` are the ends of lines.
    ///
    /// Errors: the expression is invalid or too large.
    pub fn new(pattern: &str, ignores_case: bool) -> Result<Self, BadPattern> {
        let symbol = symbol_of(pattern);
        let escaped = symbol.map(regex::escape);
        let mut builder = RegexBuilder::new(escaped.as_deref().unwrap_or(pattern));
        builder.case_insensitive(ignores_case).multi_line(true).crlf(true).size_limit(LARGEST_REGEX);
        let regex = builder.build().map_err(|error| bad_regex(pattern, &error))?;
        let wanted = if symbol.is_some() { Wanted::Symbol(regex) } else { Wanted::Regex(regex) };
        Ok(Self { wanted, within: Within::All, form_types: Vec::new(), guards: Vec::new() })
    }

    /// A search for forms that fit a [`Pattern`].
    pub fn shape(pattern: &str) -> Self {
        Self {
            wanted: Wanted::Shape(pattern.to_owned()),
            within: Within::All,
            form_types: Vec::new(),
            guards: Vec::new(),
        }
    }

    /// It is for forms that fit a pattern.
    pub const fn is_shape(&self) -> bool {
        matches!(self.wanted, Wanted::Shape(_))
    }

    /// The number of matches that [`Self::run`] finds, and of steps that look like them.
    ///
    /// Errors: the form pattern is not valid in that language.
    pub fn count(
        &self,
        text: &str,
        language: impl FnOnce() -> Option<Language>,
        known: Option<Known<'_, '_>>,
    ) -> Result<(usize, usize), BadPattern> {
        let is_plain = self.within == Within::All && self.form_types.is_empty();
        match &self.wanted {
            Wanted::Regex(regex) if is_plain => return Ok((spans(regex, text, |_| true).len(), 0)),
            Wanted::Regex(regex) | Wanted::Symbol(regex) if !regex.is_match(text) => return Ok((0, 0)),
            _ => {}
        }
        let Some(language) = language() else { return Ok((0, 0)) };
        if let Wanted::Shape(source) = &self.wanted {
            let pattern = Pattern::new(source, language.clone())?;
            self.guards(&pattern, &language)?;
            if !pattern.may_fit(text, known) {
                return Ok((0, 0));
            }
        }
        let found = self.run(text, language, known)?;
        Ok((found.matches.len(), found.steps))
    }

    fn guards(&self, pattern: &Pattern, language: &Language) -> Result<Vec<Guard>, BadPattern> {
        let in_where = |bad: BadPattern| BadPattern { why: format!("in `where`, {}", bad.why), column: None };
        self.guards.iter().map(|source| Guard::new(source, pattern, language).map_err(in_where)).collect()
    }

    /// The matches in a text that is no Lisp; none for a form pattern.
    pub fn run_on_text(&self, text: &str) -> (Vec<Span>, LineIndex) {
        let found = match &self.wanted {
            Wanted::Regex(regex) => spans(regex, text, |_| true),
            Wanted::Symbol(regex) => spans(regex, text, |span| is_whole(text, span)),
            Wanted::Shape(_) => Vec::new(),
        };
        (found, LineIndex::new(text.as_bytes()))
    }

    /// The matches in a text of that language, with the forms around them. A form pattern compares heads by the symbols
    /// that they mean if these are `known`.
    ///
    /// Errors: the form pattern is not valid in that language.
    pub fn run(&self, text: &str, language: Language, known: Option<Known<'_, '_>>) -> Result<Searched, BadPattern> {
        let tree = read(text, language).learning(text);
        let lines = LineIndex::new(text.as_bytes());
        let all = (!self.form_types.is_empty()).then(|| Forms::new(&tree, text));
        let is_placed = |span: Span| {
            let Some(forms) = &all else { return true };
            let form = forms.belonging(span.start).map(|form| forms.get(form));
            form.is_some_and(|form| self.form_types.contains(&form.head_name))
        };
        let mut steps = 0;
        let spans = match &self.wanted {
            Wanted::Regex(regex) => spans(regex, text, |span| self.within.has(kind_of(&tree, span)) && is_placed(span)),
            Wanted::Symbol(regex) => spans(regex, text, |span| {
                self.within.has(kind_of(&tree, span))
                    && is_whole(text, span)
                    && is_symbol_of(&tree, text, span)
                    && is_placed(span)
            }),
            Wanted::Shape(source) => {
                let pattern = Pattern::new(source, tree.language().clone())?;
                let guards = self.guards(&pattern, tree.language())?;
                let here = known.map(|known| known.read_as(&tree));
                let here = here.as_ref().map(|here| here as &dyn Tells);
                let mut fits = pattern.fits(&tree, text, here)?;
                for guard in &guards {
                    guard.keep(&mut fits, &tree, text, here)?;
                }
                let before = fits.len();
                fits.retain(|fit| fit.standing != Standing::Step || pattern.takes_all());
                steps = before - fits.len();
                fits.into_iter().map(|fit| fit.span).filter(|&span| is_placed(span)).collect()
            }
        };
        let forms = all.unwrap_or_else(|| around(&spans, &tree, text));
        let found = |span: Span| Match {
            span,
            at: lines.line_column(text.as_bytes(), span.start),
            form: forms.belonging(span.start),
        };
        let matches = spans.into_iter().map(found).collect();
        Ok(Searched { matches, forms, lines, steps, tree })
    }
}

/// The forms around some places, in order, and the next one after them, whose header comment can have the last place.
fn around(places: &[Span], tree: &Tree, text: &str) -> Forms {
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return Forms::default() };
    let after = tree.top_level().map(|datum| tree.datum_span(datum).start).find(|start| *start > last.start);
    Forms::within(tree, text, Span::new(first.start, after.unwrap_or(tree.len())))
}

/// The symbol in `symbol: name` or `\bname\b`, which have to be whole symbols.
fn symbol_of(pattern: &str) -> Option<&str> {
    if let Some(name) = pattern.strip_prefix("symbol:") {
        return Some(name.trim()).filter(|name| !name.is_empty());
    }
    let name = pattern.strip_prefix("\\b")?.strip_suffix("\\b")?;
    let is_plain = |c: char| c.is_alphanumeric() || "-_!%&/:<>=@~".contains(c);
    (!name.is_empty() && name.chars().all(is_plain)).then_some(name)
}

/// Nothing beside the place belongs to the same symbol or word.
fn is_whole(text: &str, span: Span) -> bool {
    let before = text[..span.start as usize].chars().next_back();
    let after = text[span.end as usize..].chars().next();
    !before.is_some_and(is_constituent) && !after.is_some_and(is_constituent)
}

/// In code, the place is the name in a symbol, with or without its package.
fn is_symbol_of(tree: &Tree, text: &str, span: Span) -> bool {
    let Some(token) = tree.token_at(span.start).filter(|token| tree.kind(*token) == TokenKind::Atom) else {
        return true;
    };
    let token = tree.token_span(token);
    let name = name_in(tree.dialect(), &text[token.range()]);
    let plain = text[token.range()].trim_start_matches([':', '#', '\'']);
    let (found, whole) = (&text[span.range()], &text[token.range()]);
    whole[name].eq_ignore_ascii_case(found) || plain.eq_ignore_ascii_case(found)
}

/// The first wanted place on each line.
fn spans(regex: &Regex, text: &str, is_wanted: impl Fn(Span) -> bool) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(place) = regex.find_at(text, at) {
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

impl Searched {
    /// The package, module or namespace that is current at each match; empty if there is none.
    pub fn spaces(&self, text: &str) -> Vec<String> {
        let facts = Facts::declared(&self.tree, text);
        self.matches.iter().map(|found| facts.space_at(found.span.start).to_owned()).collect()
    }
}

/// The kind of the first token in a place that is not white space.
fn kind_of(tree: &Tree, span: Span) -> TokenKind {
    let mut tokens = tree.tokens_within(Span::new(span.start, span.end.max(span.start + 1)));
    tokens.find(|(kind, _)| *kind != TokenKind::Blank).map_or(TokenKind::Blank, |(kind, _)| kind)
}

fn bad_regex(pattern: &str, error: &regex::Error) -> BadPattern {
    if let regex::Error::CompiledTooBig(_) = error {
        return BadPattern { why: "it is too large once compiled".to_owned(), column: None };
    }
    // The message shows the pattern, indented by four, and marks the place below it.
    let message = error.to_string();
    let why = message.lines().last().unwrap_or("").trim_start_matches("error: ").to_owned();
    let marked = message.lines().skip_while(|line| line.strip_prefix("    ") != Some(pattern)).nth(1);
    let column = marked.and_then(|line| line.strip_prefix("    ")?.find('^')).map(|at| at + 1);
    BadPattern { why, column }
}
