//! Forms: the definitions of a text, their names, and the places of their parts.
//!
//! [`Forms::new`] lists everything at top level, and the definitions inside forms that only wrap others (`eval-when`,
//! `let`, `cond-expand`, reader conditionals), each with its parent and its conditions. [`Forms::find`] finds the forms
//! that match an address.

mod find;
mod made;
mod parts;
mod slots;

use crate::address::MethodKey;
use crate::datum::{Data, Datum};
pub use crate::definer::FormKind;
use crate::definer::Wrapper;
use crate::name::canonical_head;
use crate::span::Span;
use crate::token::{TokenId, TokenKind};
use crate::tree::{ListId, Tree};

pub(crate) use find::SETTERS;
pub use find::Selection;
pub(crate) use parts::LAMBDAS;
pub use slots::{Slot, SlotStyle, Slots};

/// Index of a form in its [`Forms`], in source order.
pub type FormId = u32;

/// One form: a definition, a directive, or any other datum at top level.
#[derive(Clone, Debug)]
pub struct Form {
    /// The datum in the tree.
    pub datum: Datum,
    /// The form itself, without prefixes and conditions.
    pub span: Span,
    /// The form with its prefixes: `#+sbcl (defun ...)`.
    pub outer: Span,
    /// Its own comment: the lines directly above with comments and with discarded hints about the form
    /// (`#_{:clj-kondo/ignore [...]}`), from the start of the first to the start of the form's first line.
    pub header: Option<Span>,
    /// The head symbol as written.
    pub head: Option<Span>,
    /// The head as the definer tables spell it: without package, in lower case if the dialect folds case.
    pub head_name: String,
    /// The kind of form.
    pub kind: FormKind,
    /// The defined name as written, with white space normalised: `foo`, `(setf foo)`, `"system"`.
    pub name: Option<String>,
    /// The place of the name.
    pub name_span: Option<Span>,
    /// Parameter lists; more than one for a Clojure function with several arities. In Scheme the list that also
    /// contains the name, for classes the superclasses.
    pub signature: Vec<Span>,
    /// The docstring, with its quotes.
    pub docstring: Option<Span>,
    /// The conditions under which it is read, outermost first: `#+sbcl`, `:clj`, the requirement of a `cond-expand`
    /// clause.
    pub conditions: Vec<Span>,
    /// The form around it, if it is not at top level.
    pub parent: Option<FormId>,
    /// How many forms are around it.
    pub depth: u32,
    /// Something inside does not balance.
    pub broken: bool,
    /// The qualifiers and specializers of a method.
    pub method: Option<MethodKey>,
    /// The name in canonical spelling.
    key: String,
    /// The first datum after the head of a form without a name, with its prefixes.
    argument: Option<Span>,
}

impl Form {
    /// The form's label in messages, which is also an address: head, name, and the key of a method: `defmethod area
    /// :around (circle)`. Without a name, head and first datum: `add-hook 'foo-hook`, or `(let ...)` if that datum is
    /// long. Empty for a long form without a head.
    pub fn label(&self, text: &str) -> String {
        let Some(head) = self.head.map(|head| &text[head.range()]) else {
            return on_one_line(&text[self.span.range()]).unwrap_or_default();
        };
        let called = self.called(text).or_else(|| self.argument.and_then(|span| on_one_line(&text[span.range()])));
        match (called, self.argument) {
            (Some(called), _) => format!("{head} {called}"),
            (None, Some(_)) => format!("({head} ...)"),
            (None, None) => format!("({head})"),
        }
    }

    /// The names it defines, as the dialect's reader interns them: its own first, then those of accessors, constructors
    /// and the like.
    pub fn defined_names(&self, tree: &Tree, text: &str) -> Vec<String> {
        let own = (!self.key.is_empty()).then(|| self.key.clone());
        own.into_iter().chain(made::made(self, tree, text)).collect()
    }

    /// Its name, with the qualifiers and specializers of a method: `area :around (circle)`.
    pub fn called(&self, text: &str) -> Option<String> {
        let mut called = self.name.clone()?;
        if let Some(method) = &self.method {
            called.extend(self.qualifiers(text).flat_map(|word| [" ", word]));
            if method.dispatch.is_none() && !method.specializers.is_empty() {
                called.push_str(&format!(" ({})", method.shown_specializers().join(" ")));
            }
        }
        Some(called)
    }

    /// The words between a method's name and its parameters, as written: `:around`, a dispatch value.
    pub fn qualifiers<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let place = self.method.as_ref().and(self.name_span).zip(self.signature.first());
        let between = place.and_then(|(name, parameters)| text.get(name.end as usize..parameters.start as usize));
        between.unwrap_or_default().split_whitespace()
    }
}

/// The longest source, in bytes, that is used in a label instead of a name.
const LONGEST_LABEL: usize = 60;

/// Short source on one line, with single blanks; `None` if it is long or has several lines.
fn on_one_line(source: &str) -> Option<String> {
    let fits = source.len() <= LONGEST_LABEL && !source.contains(['\n', '\r']);
    fits.then(|| source.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The forms of one text.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    forms: Vec<Form>,
}

impl Forms {
    /// Finds the forms of `text`, from which `tree` was read.
    pub fn new(tree: &Tree, text: &str) -> Self {
        Self::collected(tree, text, Span::new(0, tree.len()), tree.top_list_count())
    }

    /// The same, only for the top-level data that touch `region`.
    pub fn within(tree: &Tree, text: &str, region: Span) -> Self {
        Self::collected(tree, text, region, 0)
    }

    /// The forms in `region`; there are about `expected` of them.
    fn collected(tree: &Tree, text: &str, region: Span, expected: usize) -> Self {
        let mut collector = Collector { tree, text, region, forms: Vec::with_capacity(expected) };
        collector.run();
        let mut forms = collector.forms;
        for form in &mut forms {
            let first = tree.diagnostics().partition_point(|diagnostic| diagnostic.span.start < form.outer.start);
            form.broken =
                tree.diagnostics().get(first).is_some_and(|diagnostic| diagnostic.span.start < form.outer.end);
        }
        Self { forms }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.forms.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// One form.
    pub fn get(&self, id: FormId) -> &Form {
        &self.forms[id as usize]
    }

    /// All forms in source order, nested ones after the form around them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (FormId, &Form)> {
        self.forms.iter().enumerate().map(|(index, form)| (index as FormId, form))
    }

    /// The forms at top level.
    pub fn top_level(&self) -> impl DoubleEndedIterator<Item = (FormId, &Form)> {
        self.iter().filter(|(_, form)| form.parent.is_none())
    }

    /// The forms that define something.
    pub fn definitions(&self) -> impl DoubleEndedIterator<Item = (FormId, &Form)> {
        self.iter().filter(|(_, form)| form.kind.is_definition())
    }

    /// The innermost form around a byte offset.
    pub fn around(&self, offset: u32) -> Option<FormId> {
        let before = self.forms.partition_point(|form| form.outer.start <= offset);
        let mut id = Some(before.checked_sub(1)? as FormId);
        // The last form that begins before the byte contains it, or one of the forms around that does.
        while let Some(candidate) = id.filter(|&id| !self.get(id).outer.contains(offset)) {
            id = self.get(candidate).parent;
        }
        id
    }

    /// The form of a byte: the innermost one around it, or the one whose header comment contains it.
    pub fn belonging(&self, offset: u32) -> Option<FormId> {
        let headed = || {
            let next = self.forms.partition_point(|form| form.outer.start <= offset);
            let header = self.forms.get(next)?.header?;
            header.contains(offset).then_some(next as FormId)
        };
        headed().or_else(|| self.around(offset))
    }
}

/// The role of the data in a list that is being walked.
#[derive(Clone, Copy)]
enum Mode {
    /// Forms at top level: each one is listed.
    Top,
    /// Forms inside a wrapper: definitions are listed, wrappers are entered.
    Body,
    /// Clauses: each is a list that begins with a condition.
    Clauses,
    /// Conditions and forms in turn: Clojure's `#?(...)`.
    Alternating,
    /// The data of an unknown form: only definitions directly inside are listed.
    Unknown,
}

struct Frame<'t> {
    data: Data<'t>,
    mode: Mode,
    parent: Option<FormId>,
    conditions: Vec<Span>,
    /// In an alternating list: the last condition, whose form follows.
    pending: Option<Span>,
}

struct Collector<'t> {
    tree: &'t Tree,
    text: &'t str,
    /// Top-level data that do not touch it are skipped.
    region: Span,
    forms: Vec<Form>,
}

impl<'t> Collector<'t> {
    fn run(&mut self) {
        let top =
            Frame { data: self.tree.top_level(), mode: Mode::Top, parent: None, conditions: Vec::new(), pending: None };
        let mut frames = vec![top];
        while let Some(frame) = frames.last_mut() {
            let Some(datum) = frame.data.next() else {
                frames.pop();
                continue;
            };
            if matches!(frame.mode, Mode::Top) {
                let span = self.tree.datum_span(datum);
                if span.start > self.region.end {
                    break;
                }
                if span.end < self.region.start {
                    continue;
                }
            }
            if let Some(inner) = self.visit(frame, datum) {
                frames.push(inner);
            }
        }
    }

    /// Lists a datum if it is a form to list, and returns the frame for the walk inside it.
    fn visit(&mut self, frame: &mut Frame<'t>, datum: Datum) -> Option<Frame<'t>> {
        let mut conditions = frame.conditions.clone();
        match frame.mode {
            Mode::Alternating => match frame.pending.take() {
                None => {
                    frame.pending = Some(self.tree.datum_span(datum));
                    return None;
                }
                Some(condition) => conditions.push(condition),
            },
            Mode::Clauses => {
                let mut data = self.tree.data(datum.list()?);
                conditions.push(self.tree.datum_span(data.next()?));
                return Some(Frame { data, mode: Mode::Body, parent: frame.parent, conditions, pending: None });
            }
            Mode::Top | Mode::Body | Mode::Unknown => {}
        }
        let plain = self.conditions_of(datum, &mut conditions);
        let head = datum.list().filter(|_| plain).and_then(|list| self.head_of(list));
        let head_name =
            head.map(|span| canonical_head(self.tree.dialect(), &self.text[span.range()])).unwrap_or_default();
        let defined = head.and_then(|_| self.tree.language().definer(&head_name));
        let defined = defined.filter(|_| !self.wraps_definitions(datum, &head_name));
        let wrapped = head.and_then(|_| self.tree.language().head(&head_name).wrapper);
        let opener = &self.text[self.tree.token_span(datum.core).range()];
        let conditional = plain && datum.list().is_some() && opener.starts_with("#?");

        let at_top = matches!(frame.mode, Mode::Top);
        let is_definition = defined.is_some_and(|(kind, _)| kind.is_definition());
        let mut parent = frame.parent;
        if at_top || is_definition {
            parent = Some(self.forms.len() as FormId);
            let form = self.form(datum, frame.parent, head, head_name.into_owned(), defined, conditions.clone());
            self.forms.push(form);
        }
        let list = datum.list()?;
        let inner = |data, mode| Some(Frame { data, mode, parent, conditions, pending: None });
        if conditional {
            return inner(self.tree.data(list), Mode::Alternating);
        }
        if is_vector(opener) && matches!(frame.mode, Mode::Alternating) {
            return inner(self.tree.data(list), Mode::Body);
        }
        match wrapped {
            Some(Wrapper::Body(skip)) => inner(self.tree.data(list).skipping(skip + 1), Mode::Body),
            Some(Wrapper::Clauses) => inner(self.tree.data(list).skipping(1), Mode::Clauses),
            None if plain && at_top && head.is_some() && !is_definition => {
                inner(self.tree.data(list).skipping(1), Mode::Unknown)
            }
            None => None,
        }
    }

    /// Adds the reader conditionals among a datum's prefixes. False if there is another prefix, such as a quote.
    fn conditions_of(&self, datum: Datum, conditions: &mut Vec<Span>) -> bool {
        if datum.is_bare() {
            return true;
        }
        let mut plain = true;
        for prefix in self.tree.prefixes(datum) {
            let token = self.tree.token_span(prefix.token);
            match prefix.kind {
                TokenKind::Annotation
                    if self.text[token.range()].starts_with('#') && !self.text[token.range()].ends_with('^') =>
                {
                    let end = prefix.operand.map_or(token.end, |operand| self.tree.datum_span(operand).end);
                    conditions.push(Span::new(token.start, end));
                }
                TokenKind::Annotation | TokenKind::Discard => {}
                // `package::(form)` is the form, read in another package.
                TokenKind::Prefix if self.text[token.range()].ends_with("::") => {}
                _ => plain = false,
            }
        }
        plain
    }

    /// Whether a form that is only called like a definer has a definition in the place of the name:
    /// `(deftime (defn area [x] ...))`.
    fn wraps_definitions(&self, datum: Datum, head_name: &str) -> bool {
        let language = self.tree.language();
        let first = || self.tree.data(datum.list()?).nth(1)?.list();
        let is_definition = |list| {
            let head = self.head_of(list)?;
            language.kind_of(&canonical_head(self.tree.dialect(), &self.text[head.range()]))
        };
        !language.is_known(head_name) && first().and_then(is_definition).is_some()
    }

    fn head_of(&self, list: ListId) -> Option<Span> {
        let head = self.tree.data(list).next()?;
        (head.is_bare() && self.tree.kind(head.core) == TokenKind::Atom).then(|| self.tree.core_span(head))
    }

    fn form(
        &self,
        datum: Datum,
        parent: Option<FormId>,
        head: Option<Span>,
        head_name: String,
        defined: Option<(FormKind, crate::definer::Shape)>,
        conditions: Vec<Span>,
    ) -> Form {
        let mut form = Form {
            datum,
            span: self.tree.core_span(datum),
            outer: self.tree.datum_span(datum),
            header: self.header(datum.first),
            head,
            head_name,
            kind: defined.map_or(FormKind::Expression, |(kind, _)| kind),
            name: None,
            name_span: None,
            signature: Vec::new(),
            docstring: None,
            conditions,
            parent,
            depth: parent.map_or(0, |parent| self.forms[parent as usize].depth + 1),
            broken: false,
            method: None,
            key: String::new(),
            argument: None,
        };
        if let (Some(list), Some((_, shape))) = (datum.list(), defined) {
            parts::fill(&mut form, self.tree, self.text, list, shape);
        }
        if let Some(list) = datum.list().filter(|_| form.name.is_none()) {
            form.argument = self.tree.data(list).nth(1).map(|datum| self.tree.datum_span(datum));
        }
        form
    }

    /// The lines with comments and hints directly above a token: no blank line between, nothing but these on each line,
    /// and not a heading of the file or of a section.
    fn header(&self, first: TokenId) -> Option<Span> {
        let mut top = None;
        let mut token = first;
        while token >= 2 {
            let (blank, comment) = (token - 1, token - 2);
            let gap = self.token_text(blank);
            let one_line_down =
                self.tree.kind(blank) == TokenKind::Blank && gap.matches('\n').count() == 1 && !gap.contains('\x0c');
            let is_comment = matches!(self.tree.kind(comment), TokenKind::LineComment | TokenKind::BlockComment);
            let is_own = |comment| self.begins_line(comment) && !self.is_heading(comment) && !self.heads_file(comment);
            let start = match (one_line_down, is_comment) {
                (true, true) => Some(comment).filter(|&comment| is_own(comment)),
                (true, false) => self.hint(comment),
                (false, _) => None,
            };
            let Some(start) = start else { break };
            top = Some(start);
            token = start;
        }
        let top = top?;
        let start = self.line_start(self.tree.token_span(top).start);
        let end = self.line_start(self.tree.token_span(first).start);
        if start == 0 && self.is_file_header(&self.text[..end as usize]) {
            return None;
        }
        Some(Span::new(start, end))
    }

    /// The first token of the hint that ends with the token `end`: a discarded map or atom that begins its line. A
    /// discarded list is code that was taken out.
    fn hint(&self, end: TokenId) -> Option<TokenId> {
        /// The most tokens of a hint.
        const LONGEST: TokenId = 200;
        if !matches!(self.tree.kind(end), TokenKind::CloseBrace | TokenKind::Atom) {
            return None;
        }
        let mut at = end;
        let mut depth = 0_u32;
        loop {
            let kind = self.tree.kind(at);
            depth += u32::from(kind.is_close());
            depth = depth.checked_sub(u32::from(kind.is_open()))?;
            if depth == 0 {
                break;
            }
            at = at.checked_sub(1).filter(|at| end - at < LONGEST)?;
        }
        let is_hint = matches!(self.tree.kind(at), TokenKind::OpenBrace | TokenKind::Atom);
        let gap = at.checked_sub(1).filter(|&before| self.tree.kind(before) == TokenKind::Blank);
        let discard = gap.unwrap_or(at).checked_sub(1).filter(|_| is_hint)?;
        (self.tree.kind(discard) == TokenKind::Discard && self.begins_line(discard)).then_some(discard)
    }

    fn token_text(&self, token: TokenId) -> &'t str {
        &self.text[self.tree.token_span(token).range()]
    }

    fn begins_line(&self, token: TokenId) -> bool {
        token == 0
            || (self.tree.kind(token - 1) == TokenKind::Blank
                && (token == 1 || self.token_text(token - 1).contains('\n')))
    }

    /// The start of the line of a comment or form, after a page break if the line begins with one.
    fn line_start(&self, offset: u32) -> u32 {
        let before = &self.text.as_bytes()[..offset as usize];
        before.iter().rposition(|byte| b"\n\x0c".contains(byte)).map_or(0, |at| at as u32 + 1)
    }

    /// A block comment with only such comments and a script's first line before it: it is for a launcher, or about the
    /// file.
    fn heads_file(&self, comment: TokenId) -> bool {
        (0..=comment).all(|token| match self.tree.kind(token) {
            TokenKind::Blank | TokenKind::BlockComment => true,
            TokenKind::LineComment => self.token_text(token).starts_with("#!") && token < comment,
            _ => false,
        })
    }

    /// A heading by the conventions of the dialect, a script header, or a mode line.
    fn is_heading(&self, comment: TokenId) -> bool {
        let text = self.token_text(comment);
        let headings = self.tree.dialect().table().headings;
        text.starts_with("#!") || text.contains("-*-") || headings.iter().any(|begins| text.starts_with(begins))
    }

    /// The comment at the start of a file is about the file, not about its first form.
    fn is_file_header(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let names_file = |ending: &&str| {
            text.match_indices(ending).any(|(at, ending)| {
                text[..at].ends_with('.') && !text[at + ending.len()..].starts_with(char::is_alphanumeric)
            })
        };
        ["copyright", "license", "licence", "spdx", "-*-"].iter().any(|mark| text.contains(mark))
            || self.tree.dialect().table().endings.iter().any(names_file)
    }
}

fn is_vector(opener: &str) -> bool {
    opener == "["
}
