//! The source that comes instead of a match: the template with the values of the variables.
//!
//! A value keeps its bytes; if its first column changes, its other lines move with it. The template decides where lines
//! end. Only where it has spaces before a variable whose value began a line of its own does the value begin a line
//! again, in the column that its place in the new form has.

use lispwright_edit::{blank, column, moved_by};
use lispwright_index::pattern::{BadPattern, Hole, Pattern, holes};
use lispwright_syntax::{Language, TokenKind, Tree, read};

/// Heads, besides those that begin like a definition or a binding, whose arguments are indented as a body.
const BODIES: &[&str] = &[
    "when",
    "unless",
    "progn",
    "begin",
    "do",
    "lambda",
    "fn",
    "dolist",
    "dotimes",
    "doseq",
    "while",
    "until",
    "case",
    "ecase",
    "cond",
    "loop",
    "block",
    "prog1",
    "save-excursion",
    "save-restriction",
    "try",
    "catch",
    "handler-case",
    "handler-bind",
    "unwind-protect",
    "condition-case",
    "if-let",
    "when-let",
    "if-let*",
    "when-let*",
    "eval-when",
    "multiple-value-bind",
    "destructuring-bind",
    "parameterize",
    "call-with-values",
    "syntax-rules",
    "flet",
    "labels",
];

/// A template in one language.
pub(crate) struct Template<'r> {
    text: &'r str,
    tree: Tree,
    holes: Vec<Hole>,
    language: Language,
}

/// The value of a variable.
pub(crate) struct Value {
    pub(crate) text: String,
    /// Its first column in the file, from 0.
    pub(crate) column: usize,
    /// Only white space is before it on its line.
    pub(crate) begins_line: bool,
}

/// A list of the new source that is still open.
struct Open {
    column: usize,
    opener: usize,
    is_list: bool,
    head: Option<String>,
    first_argument: Option<usize>,
    items: usize,
}

impl<'r> Template<'r> {
    /// Reads a template for the matches of `pattern`.
    ///
    /// Errors: it does not balance, is not one form, or has a variable that the pattern has not.
    pub(crate) fn new(text: &'r str, pattern: &Pattern, language: Language) -> Result<Self, BadPattern> {
        let at = |offset: u32| Some(text[..offset as usize].chars().count() + 1);
        let tree = read(text, language.clone());
        if let Some(diagnostic) = tree.diagnostics().first() {
            return Err(BadPattern { why: diagnostic.kind.to_string(), column: at(diagnostic.span.start) });
        }
        let data = tree.top_level().count();
        if data != 1 {
            let why = if data == 0 { "it has no form" } else { "it has several forms; a template is one form" };
            return Err(BadPattern { why: why.to_owned(), column: None });
        }
        let holes = holes(&tree, text);
        let unknown = holes.iter().find(|hole| !pattern.variables().contains(&hole.name));
        if let Some(hole) = unknown {
            let known = pattern.variables().iter().map(|name| format!("?{name}")).collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "none with a name".to_owned() } else { known };
            let why = format!("the shape has no variable {}; it has {known}", &text[hole.span.range()]);
            return Err(BadPattern { why, column: at(hole.span.start) });
        }
        Ok(Self { text, tree, holes, language })
    }

    /// The variable has a place in the template.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.holes.iter().any(|hole| hole.name == name)
    }

    /// It is `(g ?*all)`, where `?*all` is the last variable of the shape: with one more argument before or after those, it
    /// is still what comes instead.
    pub(crate) fn is_call_with(&self, all: Option<&String>) -> bool {
        let Some(list) = self.tree.top_level().next().and_then(|form| form.list()) else { return false };
        let data: Vec<_> = self.tree.data(list).collect();
        let ([head, rest], [hole]) = (data.as_slice(), self.holes.as_slice()) else { return false };
        head.list().is_none() && Some(&hole.name) == all && hole.span.start == self.tree.datum_span(*rest).start
    }

    /// The template with the values of its variables, for a place in column `start` (from 0) of a file with this line
    /// ending. A function that is called or named in it is written as the match writes it: `head` has both names.
    pub(crate) fn filled(
        &self,
        value: impl Fn(&str) -> Value,
        head: Option<(&str, &str)>,
        start: usize,
        ending: &str,
    ) -> String {
        let mut filling = Filling {
            text: String::new(),
            start,
            ending,
            lists: Vec::new(),
            space: None,
            prefix: None,
            is_after_empty: false,
        };
        let mut holes = self.holes.iter().peekable();
        let mut inside = 0;
        for (kind, span) in self.tree.tokens() {
            let source = &self.text[span.range()];
            if span.start < inside {
                continue;
            }
            if let Some(hole) = holes.next_if(|hole| hole.span.start == span.start) {
                inside = hole.span.end;
                filling.value(&value(&hole.name), &self.language);
                continue;
            }
            match kind {
                TokenKind::Blank => filling.space = filling.space.take().or(Some(source.to_owned())),
                TokenKind::LineComment | TokenKind::BlockComment => filling.token(source),
                kind if kind.is_prefix() => {
                    filling.prefix = filling.prefix.or(Some(filling.token_column()));
                    filling.token(source);
                }
                kind if kind.is_close() => {
                    filling.space = filling.space.take().filter(|_| !filling.is_after_empty);
                    filling.token(source);
                    filling.lists.pop();
                }
                kind if kind.is_open() => {
                    filling.item(None);
                    let column = filling.token_column();
                    filling.token(source);
                    filling.lists.push(Open {
                        column,
                        opener: source.chars().count(),
                        is_list: source == "(",
                        head: None,
                        first_argument: None,
                        items: 0,
                    });
                }
                _ => {
                    let own = head.filter(|(name, _)| *name == source && filling.names_function());
                    let source = own.map_or(source, |(_, own)| own);
                    filling.item(Some(source));
                    filling.token(source);
                }
            }
        }
        filling.text.trim_end().to_owned()
    }
}

/// New source that is being written.
struct Filling<'f> {
    text: String,
    /// The column of its first character in the file.
    start: usize,
    ending: &'f str,
    lists: Vec<Open>,
    /// White space that comes before the next token.
    space: Option<String>,
    /// The column of the prefixes before the next datum.
    prefix: Option<usize>,
    /// Nothing was written since a variable without a value.
    is_after_empty: bool,
}

impl Filling<'_> {
    /// The column of the next character.
    fn column(&self) -> usize {
        match self.text.rfind('\n') {
            Some(newline) => column(&self.text[newline + 1..]),
            None => self.start + self.text.chars().count(),
        }
    }

    /// The column of the next token, after the white space before it.
    fn token_column(&mut self) -> usize {
        self.spaced();
        self.column()
    }

    /// Writes the white space before the next token.
    fn spaced(&mut self) {
        let Some(space) = self.space.take() else { return };
        match space.rfind('\n') {
            Some(newline) => {
                let lines = space.matches('\n').count();
                self.text.push_str(&self.ending.repeat(lines));
                self.text.push_str(&blank(self.start + column(&space[newline + 1..]), false));
            }
            None => self.text.push_str(&space),
        }
    }

    fn token(&mut self, source: &str) {
        self.spaced();
        self.is_after_empty = false;
        self.text.push_str(source);
    }

    /// The next datum is the head of a list, or is named by a prefix.
    fn names_function(&self) -> bool {
        self.prefix.is_some() || self.lists.last().is_some_and(|list| list.is_list && list.items == 0)
    }

    /// Notes that a datum begins; `head` is its text if it can be the head of a list.
    fn item(&mut self, head: Option<&str>) {
        let column = self.token_column();
        let column = self.prefix.take().unwrap_or(column);
        let Some(list) = self.lists.last_mut() else { return };
        match list.items {
            0 => list.head = head.map(str::to_owned),
            1 => list.first_argument = Some(column),
            _ => {}
        }
        list.items += 1;
    }

    /// Writes the value of a variable.
    fn value(&mut self, value: &Value, language: &Language) {
        if value.text.is_empty() {
            // What follows has the white space that was before the variable; a closer has none.
            self.is_after_empty = true;
            if self.lists.last().is_some_and(|list| list.items == 0) {
                self.space = Some(String::new());
            }
            return;
        }
        let is_first = self.lists.last().is_none_or(|list| list.items == 0);
        let is_spaced = self.space.as_ref().is_some_and(|space| !space.contains('\n') && !space.is_empty());
        if value.begins_line && is_spaced && !is_first && self.prefix.is_none() {
            let column = self.lists.last().map_or(self.start, Open::body_column);
            self.space = None;
            self.text.push_str(self.ending);
            self.text.push_str(&blank(column, false));
        }
        self.item(Some(&value.text));
        let columns = self.column() as isize - value.column as isize;
        self.is_after_empty = false;
        let moved = moved_by(&value.text, language.clone(), columns);
        self.text.push_str(&moved);
    }
}

impl Open {
    /// The column of an argument that begins a line.
    fn body_column(&self) -> usize {
        let head = self.head.as_deref().unwrap_or_default().to_lowercase();
        let head = head.rsplit([':', '/']).next().unwrap_or_default();
        let begins = ["def", "let", "with-", "do-", "when-", "if-let", "cl-def", "cl-let"];
        let is_body = BODIES.contains(&head) || begins.iter().any(|begin| head.starts_with(begin));
        match (self.is_list, is_body, self.first_argument) {
            (false, ..) => self.column + self.opener,
            (true, true, _) => self.column + 2,
            (true, false, Some(column)) => column,
            (true, false, None) => self.column + 1,
        }
    }
}
