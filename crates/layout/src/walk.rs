//! A walk over a text that stops where a line begins, and knows the lists around it.
//!
//! The walk goes from token to token and keeps the open lists on a stack of its own. Columns are those of the text as
//! it comes out: whoever is asked for the column of a line decides where everything on that line stands.

use std::hash::{Hash, Hasher};

use lispwright_syntax::{Indent, Span, SpecialForm, TokenKind, Tree};
use rustc_hash::FxHasher;

use crate::clauses::Clauses;
use crate::declared::Declared;
use crate::habits::{LEVELS, NOWHERE, PLACES, Place, Question};
use crate::role::Role;
use crate::rule::{Known, known};

/// Columns between the stops of tabs.
const TAB: u32 = 8;

/// What the rules say of lines that begin no clause of a `loop` is below this number.
const LAST_WHY: u32 = 10;

/// Where a line begins.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Its number, from 1.
    pub(crate) number: u32,
    /// The white space before its first token.
    pub(crate) blank: Span,
    /// The column where that token stands in the text.
    pub(crate) own: u32,
    /// What to ask the habits; `None` at top level.
    pub(crate) question: Option<Question>,
    /// It begins left of what the list around it has inside, as nobody means it: it shows nothing.
    pub(crate) strays: bool,
    /// The line stays where it is: a comment or what belongs to an annotation, at top level.
    pub(crate) stays: bool,
}

/// The kind of the first token of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum First {
    List,
    Vector,
    Word,
    Keyword,
    Literal,
    Quoted,
    Comment,
    LongComment,
    Close,
}

impl First {
    /// It is a symbol or a keyword.
    fn is_symbol(self) -> bool {
        matches!(self, Self::Word | Self::Keyword)
    }
}

/// A list that is open.
#[derive(Clone, Debug)]
struct Open {
    kind: TokenKind,
    role: Role,
    /// The column of the opener.
    column: u32,
    /// The column after the opener.
    inside: u32,
    /// The column where the line of the opener begins.
    line: u32,
    /// A number for the head, or for the part that the list has in the form around it.
    key: u64,
    head: Option<Known>,
    /// How Emacs indents forms with this first symbol.
    mode: Option<Indent>,
    /// The number of data so far, and of those on the line of the opener.
    data: u32,
    beside: u32,
    /// No line has begun in the list so far.
    on_first_line: bool,
    /// The first datum and the first argument are atoms.
    atom_first: bool,
    first: u32,
    first_kind: First,
    argument: u32,
    second: u32,
    last: u32,
    keyword: u32,
    /// The datum after the last keyword, on its line.
    after_keyword: u32,
    is_after_keyword: bool,
    /// Columns of data that begin lines.
    sibling: u32,
    sibling_index: u32,
    other: u32,
    eldest: u32,
    atom: u32,
    /// By kind of the first token.
    like: [u32; 9],
    /// The second datum on the line of the last datum that begins a line.
    after: u32,
    /// The data on that line so far.
    on_line: u32,
    sibling_kind: First,
    /// Data still to come that belong to an annotation or a discard, and do not count.
    aside: u32,
    /// It is inside of quoted data.
    quoted: bool,
    /// The first argument begins with a list, as bindings do.
    binds: bool,
    /// Its parameters have been met.
    has_parameters: bool,
    /// Where the clauses of a `loop` are.
    clauses: Option<Clauses>,
}

pub(crate) struct Walk<'t> {
    tree: &'t Tree,
    text: &'t str,
    /// The character that begins a comment.
    comment_mark: char,
    /// A list can be called: `((compose f g) x)`.
    calls_lists: bool,
    declared: &'t Declared,
    open: Vec<Open>,
    /// The number of the line, from 1, and the line ends in the last token.
    number: u32,
    line_ends: u32,
    column: u32,
    line_column: u32,
    /// The column of the prefixes before the next datum, and whether one of them quotes.
    prefix: Option<u32>,
    quotes: bool,
    unquotes: bool,
    /// Column of the last comment, if nothing but comments came since.
    comment: u32,
    /// What begins at top level belongs to an annotation or a prefix before it.
    annotated: bool,
}

fn hashed(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The column after `text`, which begins in `column`.
pub(crate) fn advanced(column: u32, text: &str) -> u32 {
    text.chars().fold(column, |column, character| match character {
        '\t' => (column / TAB + 1) * TAB,
        '\x0c' => 0,
        _ => column + 1,
    })
}

impl<'t> Walk<'t> {
    pub(crate) fn new(tree: &'t Tree, text: &'t str, declared: &'t Declared) -> Self {
        Self {
            tree,
            text,
            comment_mark: tree.dialect().comment(),
            calls_lists: tree.dialect().standard_operator("funcall").is_none(),
            declared,
            open: Vec::new(),
            number: 1,
            line_ends: 0,
            column: 0,
            line_column: 0,
            prefix: None,
            quotes: false,
            unquotes: false,
            comment: NOWHERE,
            annotated: false,
        }
    }

    /// Walks over the whole text. `place` says in which column a line begins.
    pub(crate) fn run(mut self, mut place: impl FnMut(&Line) -> u32) {
        let mut fresh = Some(0);
        for token in 0..self.tree.token_count() {
            let (kind, span) = (self.tree.kind(token), self.tree.token_span(token));
            let source = &self.text[span.range()];
            self.number += std::mem::take(&mut self.line_ends);
            self.line_ends = source.bytes().filter(|byte| *byte == b'\n').count() as u32;
            let newline = source.rfind('\n');
            if kind != TokenKind::Blank {
                let begins = fresh.take();
                if let Some(start) = begins {
                    let line = self.line(token, kind, source, Span::new(start, span.start));
                    self.column = place(&line);
                    self.line_column = self.column;
                }
                self.take(kind, source, begins.is_some());
                if newline.is_some() {
                    self.line_column = 0;
                }
            } else if let Some(newline) = newline {
                fresh = Some(span.start + newline as u32 + 1);
            }
            let (from, rest) = newline.map_or((self.column, source), |newline| (0, &source[newline + 1..]));
            self.column = advanced(from, rest);
        }
    }

    /// The kind of a datum that begins with `token`.
    fn first_of(&self, kind: TokenKind, source: &str) -> First {
        match kind {
            TokenKind::LineComment if source.chars().take(3).filter(|&c| c == self.comment_mark).count() == 3 => {
                First::LongComment
            }
            TokenKind::LineComment | TokenKind::BlockComment | TokenKind::UnterminatedComment => First::Comment,
            TokenKind::OpenParen => First::List,
            TokenKind::OpenBracket | TokenKind::OpenBrace => First::Vector,
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => First::Close,
            TokenKind::Prefix | TokenKind::Annotation | TokenKind::Discard => First::Quoted,
            TokenKind::Atom if source.starts_with([':', '&']) || source.starts_with("#:") => First::Keyword,
            TokenKind::Atom if !source.starts_with(|c: char| c.is_ascii_digit()) => First::Word,
            _ => First::Literal,
        }
    }

    fn line(&self, token: u32, kind: TokenKind, source: &str, blank: Span) -> Line {
        let first = self.first_of(kind, source);
        let is_comment = matches!(first, First::Comment | First::LongComment);
        let before = &self.text[blank.range()];
        let own = advanced(0, before);
        let around = self.open.last().map(|list| list.column);
        let is_odd = before.contains(|c: char| c != ' ' && c != '\t');
        Line {
            number: self.number,
            blank,
            own,
            strays: !is_comment && first != First::Close && around.is_some_and(|opener| own <= opener),
            question: self.open.last().filter(|_| !is_odd).map(|list| self.question(list, first, token)),
            stays: is_odd
                || (first == First::LongComment && own == 0)
                || (self.open.is_empty() && (is_comment || self.annotated)),
        }
    }

    /// The column that the rules of the dialect give to a line of `list`, and a number for what they say.
    fn rule(list: &Open, index: u32, word: Option<&str>) -> (u32, u32) {
        if let Some(found) = list.clauses.as_ref().and_then(|clauses| clauses.rule(word?)) {
            return found;
        }
        let sibling = (list.sibling != NOWHERE).then_some(list.sibling);
        let aligned = || {
            let argument = (list.argument != NOWHERE).then_some(list.argument);
            let first = if list.first == NOWHERE { list.inside } else { list.first };
            sibling.or(argument).unwrap_or(first)
        };
        let below = || {
            let first = if list.first == NOWHERE { list.inside } else { list.first };
            sibling.unwrap_or(first)
        };
        match (list.role, list.head) {
            _ if list.kind != TokenKind::OpenParen => (below(), 1),
            (Role::Call, Some(head)) => match if list.binds { head.of_binder() } else { head.indent } {
                Indent::Definition => (list.column + 2, 2),
                Indent::Align => (aligned(), 3),
                Indent::Body(before) => {
                    let before = u32::from(before);
                    if index <= before {
                        (sibling.unwrap_or(list.column + 4), 4)
                    } else if list.sibling == NOWHERE || list.sibling_index <= before {
                        (list.column + 2, 5)
                    } else {
                        (list.sibling, 6)
                    }
                }
            },
            (Role::Function, _) => (list.column + 2, 7),
            // `(name :initarg :name`, `(:default-initargs :name` are laid out as calls are.
            (Role::Binding, _) => (aligned(), 10),
            (Role::Clause, _) if list.first_kind == First::Keyword => (aligned(), 10),
            (Role::Call, None) => (below(), 8),
            _ => (below(), 9),
        }
    }

    /// The column that the mode of the dialect in Emacs gives to a line of `list`: every list that begins with a symbol
    /// is a call, whatever part it is of the form around it. A mode that knows the `parts` of forms has the `rule` for them.
    fn by_mode(list: &Open, parts: bool, index: u32, rule: u32) -> u32 {
        let below = || if list.first == NOWHERE { list.inside } else { list.first };
        let sibling = || (list.sibling != NOWHERE).then_some(list.sibling);
        if list.kind != TokenKind::OpenParen {
            return sibling().unwrap_or_else(below);
        }
        let aligned = || if list.argument == NOWHERE { below() } else { list.argument };
        if parts {
            return match (list.role, list.mode) {
                (Role::Call, Some(Indent::Body(before))) if index <= u32::from(before) => list.column + 4,
                (Role::Call, Some(Indent::Body(_))) => list.column + 2,
                _ => rule,
            };
        }
        match list.mode {
            None if list.first_kind == First::List => sibling().unwrap_or_else(below),
            None | Some(Indent::Align) => sibling().unwrap_or_else(aligned),
            Some(Indent::Definition) => list.column + 2,
            Some(Indent::Body(before)) => {
                let is_named = list.atom_first && list.head.is_some_and(|head| head.special == Some(SpecialForm::Let));
                let (before, index) = (u32::from(before) + u32::from(is_named), list.data.saturating_sub(1));
                match sibling() {
                    _ if index == before => list.column + 2,
                    None if index < before => list.column + 4,
                    None if before == 0 => list.column + 2,
                    None => aligned(),
                    Some(column) => column,
                }
            }
        }
    }

    fn question(&self, list: &Open, first: First, token: u32) -> Question {
        let index = list.data;
        let word = first.is_symbol().then(|| &self.text[self.tree.token_span(token).range()]);
        let (rule, why) = Self::rule(list, index, word);
        let mut columns = [NOWHERE; PLACES];
        let mut set = |place: Place, column: u32| columns[place as usize] = column;
        set(Place::Rule, rule);
        set(Place::Sibling, list.sibling);
        set(Place::OtherSibling, list.other);
        set(Place::FirstSibling, list.eldest);
        set(Place::LikeSibling, list.like[first as usize]);
        set(Place::AfterSibling, list.after);
        set(Place::AtomSibling, list.atom);
        set(Place::Argument, list.argument);
        set(Place::SecondArgument, list.second);
        set(Place::LastArgument, list.last);
        set(Place::Keyword, list.keyword);
        set(Place::AfterKeyword, list.after_keyword);
        set(Place::First, if list.first == NOWHERE { list.inside } else { list.first });
        for (at, place) in [Place::Zero, Place::One, Place::Two, Place::Three, Place::Four, Place::Five, Place::Six]
            .into_iter()
            .enumerate()
        {
            set(place, list.column + at as u32);
        }
        if list.argument != NOWHERE {
            set(Place::ArgumentOne, list.argument + 1);
            set(Place::ArgumentTwo, list.argument + 2);
        }
        if list.sibling != NOWHERE {
            set(Place::SiblingOne, list.sibling + 1);
            set(Place::SiblingTwo, list.sibling + 2);
            set(Place::SiblingFour, list.sibling + 4);
            if list.sibling >= 2 {
                set(Place::SiblingBack, list.sibling - 2);
            }
        }
        set(Place::LineTwo, list.line + 2);
        let is_comment = matches!(first, First::Comment | First::LongComment);
        if is_comment {
            set(Place::Comment, self.comment);
            set(Place::Margin, 0);
        }
        // `(a &key b`: what comes below is often below `b`.
        let has_key = list.role == Role::Parameters && list.after_keyword != NOWHERE;
        let class = (list.kind, list.role, why, list.head.is_some_and(|head| head.is_certain), list.quoted, has_key);
        let siblings = match list.sibling {
            NOWHERE => 0,
            column if column == rule => 1,
            _ => 2,
        };
        let after = if list.sibling == NOWHERE { First::Close } else { list.sibling_kind };
        let beside = list.beside.min(3);
        let next = if is_comment { self.after_comments(token) } else { first };
        let clause = if why > LAST_WHY { why } else { 0 };
        let state = (siblings, is_comment, first == First::Close, clause);
        let comment = is_comment && self.comment != NOWHERE;
        let head = (list.role, list.key, list.first_kind == First::List, has_key);
        let situations = [
            hashed((0, state, comment)),
            hashed((1, state, class, comment)),
            hashed((2, state, class, beside, list.first_kind, is_comment.then_some((first, next)), comment)),
            hashed((3, state, class, beside, list.first_kind, first, after, index.min(4))),
            hashed((4, state, head, beside.min(1), first == First::LongComment)),
            hashed((5, state, head, beside, first, index.min(3))),
            hashed((6, state, head, beside, first, after, index.min(5))),
        ];
        debug_assert_eq!(situations.len(), LEVELS);
        let parts = self.tree.dialect().table().shapes.indents_parts;
        Question {
            columns,
            situations,
            by_mode: Self::by_mode(list, parts, index, rule),
            prior: Self::prior(first, siblings, self.comment != NOWHERE),
        }
    }

    /// What comes after the comments that begin with `token`.
    fn after_comments(&self, token: u32) -> First {
        let solid = (token + 1..self.tree.token_count()).find(|token| !self.tree.kind(*token).is_trivia());
        solid.map_or(First::Close, |token| {
            let source = &self.text[self.tree.token_span(token).range()];
            self.first_of(self.tree.kind(token), source)
        })
    }

    fn prior(first: First, siblings: u8, comment: bool) -> [f32; PLACES] {
        let mut prior = [0.05; PLACES];
        let mut set = |place: Place, share: f32| prior[place as usize] = share;
        set(Place::Rule, 0.9);
        match siblings {
            0 => {
                set(Place::Argument, 0.5);
                set(Place::First, 0.4);
                set(Place::Two, 0.4);
            }
            1 => set(Place::Rule, 0.97),
            _ => {
                set(Place::Rule, 0.6);
                set(Place::Sibling, 0.9);
            }
        }
        match first {
            First::Comment if comment => set(Place::Comment, 0.5),
            First::LongComment => set(Place::Margin, 0.5),
            _ => {}
        }
        prior
    }

    /// Takes a token in that stands in the current column.
    fn take(&mut self, kind: TokenKind, source: &str, begins: bool) {
        let column = self.column;
        match kind {
            TokenKind::LineComment | TokenKind::BlockComment | TokenKind::UnterminatedComment => {
                self.comment = column;
                return;
            }
            _ => self.comment = NOWHERE,
        }
        if self.open.is_empty() {
            // The feature of `#+feature` is on the line of the annotation.
            self.annotated = kind.is_prefix() || (self.annotated && !begins && kind == TokenKind::Atom);
        }
        if kind.is_prefix() {
            let is_first = self.prefix.is_none();
            self.prefix.get_or_insert(column);
            if is_first {
                self.datum(First::Quoted, kind, source, column, begins);
            }
            if kind == TokenKind::Prefix {
                let unquotes = source.starts_with(',') || source.starts_with('~') || source.starts_with("#,");
                self.unquotes |= unquotes;
                self.quotes = !unquotes && (source == "'" || (self.quotes && source != "`"));
            }
            match kind {
                TokenKind::Annotation => self.aside(1),
                TokenKind::Discard => self.aside(1),
                _ => {}
            }
            return;
        }
        if kind.is_close() {
            self.open.pop();
            self.prefix = None;
            return;
        }
        let prefix = self.prefix.take();
        if prefix.is_none() {
            self.datum(self.first_of(kind, source), kind, source, column, begins);
        }
        let (quotes, unquotes) = (std::mem::take(&mut self.quotes), std::mem::take(&mut self.unquotes));
        if kind.is_open() {
            self.push(kind, source, quotes, unquotes);
        }
    }

    fn aside(&mut self, count: u32) {
        if let Some(list) = self.open.last_mut() {
            list.aside += count;
        }
        // The datum after the first one begins anew.
        self.prefix = None;
    }

    /// Notes that a datum begins in the innermost list.
    fn datum(&mut self, first: First, kind: TokenKind, source: &str, column: u32, begins: bool) {
        let (tree, declared) = (self.tree, self.declared);
        let around = self.open.len().checked_sub(2).map_or(0, |around| self.open[around].key);
        if let [.., around, list] = self.open.as_mut_slice()
            && !self.calls_lists
            && (list.data, first) == (0, First::List)
        {
            around.binds |= around.data == 2 && list.kind == TokenKind::OpenParen && !list.quoted;
        }
        let Some(list) = self.open.last_mut() else { return };
        if begins {
            list.on_first_line = false;
            if list.sibling != column && list.sibling != NOWHERE {
                list.other = list.sibling;
            }
            list.sibling = column;
            list.sibling_index = list.data;
            list.sibling_kind = first;
            if list.eldest == NOWHERE {
                list.eldest = column;
            }
            list.like[first as usize] = column;
            if first.is_symbol() {
                list.atom = column;
            }
            list.after = NOWHERE;
            list.on_line = 1;
        } else {
            list.on_line += 1;
            if list.on_line == 2 && !list.on_first_line {
                list.after = column;
            }
        }
        if list.is_after_keyword && !begins && first != First::Keyword {
            list.after_keyword = column;
        }
        list.is_after_keyword = first == First::Keyword;
        if list.is_after_keyword {
            list.keyword = column;
            list.after_keyword = NOWHERE;
        }
        match list.data {
            0 => {
                list.first = column;
                list.first_kind = first;
                if list.kind == TokenKind::OpenParen && kind == TokenKind::Atom {
                    let (name, known) = known(tree.language(), declared, source);
                    list.mode = (first == First::Word).then_some(known.mode);
                    if list.role == Role::Call || (list.quoted && known.is_certain) {
                        list.key = hashed((name.as_ref(), list.quoted));
                        list.role = Role::Call;
                        list.head = Some(known);
                        list.clauses = (known.special == Some(SpecialForm::Loop)).then(Clauses::default);
                    }
                } else if first == First::Vector && matches!(list.role, Role::Call | Role::Parameters) {
                    list.role = Role::Clause;
                    list.key = hashed((around, "arity"));
                }
            }
            1 => {
                list.atom_first = matches!(first, First::Word);
                // `(loop (forms…))` has no clauses.
                list.clauses = list.clauses.take().filter(|_| first.is_symbol());
                if list.on_first_line {
                    list.argument = column;
                }
            }
            2 if list.on_first_line => list.second = column,
            _ => {}
        }
        if let Some(clauses) = list.clauses.as_mut().filter(|_| list.data > 0 && first.is_symbol()) {
            clauses.take(source, column, begins || list.data == 1);
        }
        if list.on_first_line && list.data > 0 {
            list.last = column;
            list.beside += 1;
        }
        if list.aside > 0 {
            list.aside -= 1;
        } else {
            list.data += 1;
        }
    }

    fn push(&mut self, kind: TokenKind, source: &str, quotes: bool, unquotes: bool) {
        let (mut role, mut quoted, mut key) = (Role::Call, false, 0);
        if let Some(around) = self.open.last() {
            let index = around.data.saturating_sub(1);
            let special: Option<SpecialForm> = around.head.and_then(|head| head.special);
            let stated = around.head.and_then(|head| head.stated);
            role = around.role.inside(special, stated, index, around.atom_first);
            // The parameters of a method come after its qualifiers.
            if special == Some(SpecialForm::Method) && around.role == Role::Call && index > 1 && !around.has_parameters
            {
                role = Role::Parameters;
            }
            quoted = around.quoted;
            key = match role {
                Role::Call if around.role == Role::Call => hashed((around.kind, "in a call", 0u8)),
                Role::Clause | Role::Function | Role::Binding => hashed((around.key, role)),
                _ => hashed((around.key, role, index.min(4))),
            };
        }
        if quotes {
            (role, quoted) = (Role::Data, true);
        }
        if unquotes {
            (role, quoted) = (Role::Call, false);
        }
        if let Some(around) = self.open.last_mut().filter(|_| role == Role::Parameters) {
            around.has_parameters = true;
        }
        let width = source.chars().count() as u32;
        self.open.push(Open {
            kind,
            role,
            column: self.column,
            inside: self.column + width,
            line: self.line_column,
            key,
            head: None,
            mode: None,
            data: 0,
            beside: 0,
            on_first_line: true,
            atom_first: false,
            first: NOWHERE,
            first_kind: First::Close,
            argument: NOWHERE,
            second: NOWHERE,
            last: NOWHERE,
            keyword: NOWHERE,
            after_keyword: NOWHERE,
            is_after_keyword: false,
            sibling: NOWHERE,
            sibling_index: 0,
            other: NOWHERE,
            eldest: NOWHERE,
            atom: NOWHERE,
            like: [NOWHERE; 9],
            after: NOWHERE,
            on_line: 0,
            sibling_kind: First::Word,
            aside: 0,
            quoted,
            binds: false,
            has_parameters: false,
            clauses: None,
        });
    }
}
