//! Inserts an item into a JSON text and removes it again, without a change to any other byte.
//!
//! Removal is the exact inverse of insertion, although nothing is remembered in between. This works because the white
//! space around an item shows how it was inserted:
//!
//! - In a container that has items, the new one is the last, laid out like the one before it.
//! - In an empty container, it is directly after the bracket, without space between them.
//! - A container that is created for an item has space between the bracket and the item.
//!
//! So if the last item of a container is removed and there is no space before it, the container was there before and
//! stays; otherwise it is removed, too. Only RFC 8259 is accepted, with comments for the clients that accept them.

use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use crate::fault::SetupFault;

/// A parsed text.
pub(crate) struct Json<'t> {
    text: &'t str,
    /// `None` if the text contains only white space and comments.
    pub(crate) root: Option<Value<'t>>,
    /// Comments included.
    tokens: Vec<TokenAndRange<'t>>,
}

/// One step into nested containers that have to be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonStep<'s> {
    Member(&'s str),
    Element,
}

/// The items of an object or array, each with its key if it has one.
struct Items {
    /// The whole container.
    range: Range<usize>,
    items: Vec<Range<usize>>,
}

impl<'t> Json<'t> {
    pub(crate) fn parse(text: &'t str, comments: bool) -> Result<Self, SetupFault> {
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: false,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(text, &collect, &options)
            .map_err(|error| SetupFault::syntax(text, error.range().start, error.kind().to_string()))?;
        let tokens = parsed.tokens.unwrap_or_default();
        // The parser's own option misses comments after the value.
        match tokens.iter().find(|token| is_comment(token)) {
            Some(comment) if !comments => {
                Err(SetupFault::syntax(text, comment.range.start, "Comments are not allowed".to_owned()))
            }
            _ => Ok(Self { text, root: parsed.value, tokens }),
        }
    }

    /// The container at `path`, in which each number is the index of an item; the empty path is the root.
    fn items(&self, path: &[usize]) -> Option<Items> {
        let mut value = self.root.as_ref()?;
        for &index in path {
            value = match value {
                Value::Object(object) => &object.properties.get(index)?.value,
                Value::Array(array) => array.elements.get(index)?,
                _ => return None,
            };
        }
        let range = |ranged: jsonc_parser::common::Range| ranged.start..ranged.end;
        let items = match value {
            Value::Object(object) => object.properties.iter().map(|item| range(item.range())).collect(),
            Value::Array(array) => array.elements.iter().map(|item| range(item.range())).collect(),
            _ => return None,
        };
        Some(Items { range: range(value.range()), items })
    }

    /// The end of the token before `offset`, or the start of the text.
    fn end_before(&self, offset: usize) -> usize {
        let next = self.tokens.partition_point(|token| token.range.start < offset);
        self.tokens[..next].last().map_or(0, |token| token.range.end)
    }

    /// The range of the comma between `from` and `to`, if there is one.
    fn comma(&self, from: usize, to: usize) -> Option<Range<usize>> {
        self.between(from, to)
            .iter()
            .find(|token| matches!(token.token, Token::Comma))
            .map(|token| token.range.start..token.range.end)
    }

    fn between(&self, from: usize, to: usize) -> &[TokenAndRange<'t>] {
        let first = self.tokens.partition_point(|token| token.range.start < from);
        let last = self.tokens.partition_point(|token| token.range.start < to);
        &self.tokens[first..last.max(first)]
    }

    /// The text with `leaf` below `steps` in the container at `path`. Missing containers are created.
    pub(crate) fn insert(&self, path: &[usize], steps: &[JsonStep<'_>], leaf: &str) -> String {
        let newline = newline_of(self.text);
        let Some(container) = self.items(path) else {
            let body = nest(steps, leaf, Layout::Lines { newline, indent: "  ", unit: "  " });
            return format!("{}{{{newline}  {body}{newline}}}", self.text);
        };
        let Some(last) = container.items.last() else {
            let item = nest(steps, leaf, Layout::Line);
            let at = container.range.start + 1;
            return format!("{}{item}{}", &self.text[..at], &self.text[at..]);
        };
        let at = self.end_of_line_comments(last.end, container.range.end);
        let indent = self.indent_of(last.start);
        let layout = match indent {
            Some(indent) => Layout::Lines { newline, indent, unit: self.unit() },
            None => Layout::Line,
        };
        let space = match (indent, self.ends_line(at)) {
            (Some(indent), _) => format!("{newline}{indent}"),
            (None, true) => newline.to_owned(),
            (None, false) => " ".to_owned(),
        };
        let item = nest(steps, leaf, layout);
        let (before, middle, after) = (&self.text[..last.end], &self.text[last.end..at], &self.text[at..]);
        format!("{before},{middle}{space}{item}{after}")
    }

    /// The text without the item at `path`, and without containers that were created for it. `None` if the whole file
    /// was created for it.
    pub(crate) fn remove(&self, path: &[usize]) -> Option<String> {
        let mut path = path;
        loop {
            let Some((&index, parents)) = path.split_last() else { return self.without_root() };
            let Some(container) = self.items(parents) else { return Some(self.text.to_owned()) };
            let made_for_it = container.items.len() == 1
                && container.items[0].start > container.range.start + 1
                && !self.has_comments(&container.range);
            if !made_for_it || (parents.is_empty() && !self.is_root_made(&container.range)) {
                return Some(self.without(&container, index));
            }
            path = parents;
        }
    }

    fn without(&self, container: &Items, index: usize) -> String {
        let item = &container.items[index];
        let start = self.end_before(item.start);
        let next = container.items.get(index + 1).map_or(container.range.end, |next| next.start);
        let (before, after) = match (self.comma(item.end, next), index.checked_sub(1)) {
            (Some(comma), _) => (self.text[..start].to_owned(), comma.end),
            (None, Some(previous)) => {
                let previous = container.items[previous].end;
                let comma = self.comma(previous, item.start).expect("a comma is between two items");
                (format!("{}{}", &self.text[..comma.start], &self.text[comma.end..start]), item.end)
            }
            (None, None) => (self.text[..start].to_owned(), item.end),
        };
        format!("{before}{}", &self.text[after..])
    }

    /// The root object has the place of one that [`Json::insert`] creates.
    fn is_root_made(&self, root: &Range<usize>) -> bool {
        let after = &self.text[root.end..];
        after.is_empty() || (root.start == 0 && is_newline(after))
    }

    fn without_root(&self) -> Option<String> {
        let root = self.items(&[]).map_or(0..0, |root| root.range);
        let whole = root.start == 0 && is_newline(&self.text[root.end..]);
        (!whole).then(|| format!("{}{}", &self.text[..root.start], &self.text[root.end..]))
    }

    fn has_comments(&self, range: &Range<usize>) -> bool {
        self.between(range.start, range.end).iter().any(is_comment)
    }

    /// The end of the comments that follow `at` on its line.
    fn end_of_line_comments(&self, at: usize, limit: usize) -> usize {
        let mut end = at;
        for comment in self.between(at, limit).iter().take_while(|token| is_comment(token)) {
            let (start, stop) = (comment.range.start, comment.range.end);
            if self.text[end..stop].contains(['\n', '\r']) {
                break;
            }
            debug_assert!(start >= end);
            end = stop;
        }
        end
    }

    /// A line comment ends at `at`, so an item after it needs a line of its own.
    fn ends_line(&self, at: usize) -> bool {
        self.tokens.iter().any(|token| token.range.end == at && matches!(token.token, Token::CommentLine(_)))
    }

    /// The white space before `offset` on its line, if there is nothing else.
    fn indent_of(&self, offset: usize) -> Option<&'t str> {
        let line = self.text[..offset].rfind(['\n', '\r'])? + 1;
        let indent = &self.text[line..offset];
        indent.chars().all(|c| c == ' ' || c == '\t').then_some(indent)
    }

    /// One level of indentation: that of the last item of the root.
    fn unit(&self) -> &'t str {
        let root = self.items(&[]);
        let indent = root.and_then(|root| root.items.last().and_then(|item| self.indent_of(item.start)));
        indent.filter(|indent| !indent.is_empty()).unwrap_or("  ")
    }
}

/// The line breaks of an inserted item.
#[derive(Clone, Copy)]
enum Layout<'l> {
    Line,
    Lines { newline: &'l str, indent: &'l str, unit: &'l str },
}

/// An item: the first step of `steps` with the containers that the others need, and `leaf` inside.
fn nest(steps: &[JsonStep<'_>], leaf: &str, layout: Layout<'_>) -> String {
    let mut opening = String::new();
    let mut closing = String::new();
    for (depth, step) in steps.iter().enumerate() {
        if depth > 0 {
            let (open, close) = if *step == JsonStep::Element { ('[', ']') } else { ('{', '}') };
            let (inner, outer) = match layout {
                Layout::Line => (" ".to_owned(), " ".to_owned()),
                Layout::Lines { newline, indent, unit } => (
                    format!("{newline}{indent}{}", unit.repeat(depth)),
                    format!("{newline}{indent}{}", unit.repeat(depth - 1)),
                ),
            };
            opening.push(open);
            opening.push_str(&inner);
            closing.insert(0, close);
            closing.insert_str(0, &outer);
        }
        if let JsonStep::Member(key) = step {
            opening.push_str(&string(key));
            opening.push_str(": ");
        }
    }
    format!("{opening}{leaf}{closing}")
}

/// A JSON string with that value.
pub(crate) fn string(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

fn is_newline(text: &str) -> bool {
    text == "\n" || text == "\r\n"
}

/// The first line end of the text.
pub(crate) fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
