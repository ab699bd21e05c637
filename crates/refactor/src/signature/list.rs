//! Lists of parameters, as definitions write them.

use lispwright_index::{is_name, symbol_name};
use lispwright_syntax::{Datum, Dialect, Span, TokenKind, Tree};

use crate::dialects::{Notation, notation};

/// How calls pass a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// By its place.
    Required,
    /// By its place, or not at all.
    Optional,
    /// With all further arguments.
    Rest,
    /// By keyword.
    Key,
    /// Not at all: it is a variable of the body.
    Aux,
    /// Not at all: it is the form of the call or the like.
    Hidden,
}

impl Role {
    /// Where parameters of the role are in a list; those that can be anywhere are the first.
    pub(crate) const fn rank(self) -> u8 {
        match self {
            Self::Hidden | Self::Required | Self::Optional => 0,
            Self::Rest => 1,
            Self::Key => 2,
            Self::Aux => 3,
        }
    }
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) role: Role,
    /// Its name as the reader interns it; `None` if it is taken apart.
    pub(crate) name: Option<String>,
    pub(crate) name_span: Option<Span>,
    /// With its default value, type and hints.
    pub(crate) span: Span,
    /// The keyword by which calls pass it, as it is written.
    pub(crate) keyword: Option<String>,
    /// It is its name alone.
    pub(crate) is_bare: bool,
}

/// A datum of a list of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A word before parameters of this role; `None` says that there are other keywords.
    Word(Option<Role>),
    /// The parameter of this number.
    Parameter(usize),
}

/// A list of parameters.
#[derive(Clone, Debug)]
pub(crate) struct ParameterList {
    /// The list with its brackets, which in Scheme also has the name of the function; or a symbol that gets all arguments.
    pub(crate) span: Span,
    /// The end of what is before the parameters: of the bracket, or of the name.
    pub(crate) begin: u32,
    /// The end of the last datum, or of what is before the parameters.
    pub(crate) end: u32,
    pub(crate) items: Vec<(Span, Item)>,
    pub(crate) parameters: Vec<Parameter>,
}

impl ParameterList {
    /// The parameters as they are written, without the name of the function, on one line.
    pub(crate) fn shown(&self, text: &str) -> String {
        let source = &text[self.span.range()];
        let bracket = if self.begin > self.span.start { &source[..1] } else { "" };
        let rest = text[self.begin as usize..self.span.end as usize].split_whitespace();
        format!("{bracket}{}", rest.collect::<Vec<_>>().join(" "))
    }

    /// How many parameters have a role.
    pub(crate) fn count(&self, role: Role) -> usize {
        self.parameters.iter().filter(|one| one.role == role).count()
    }

    /// The number of the parameter that is the `at`th of its role.
    pub(crate) fn nth(&self, role: Role, at: usize) -> Option<usize> {
        let mut own = self.parameters.iter().enumerate().filter(|(_, one)| one.role == role);
        own.nth(at).map(|(number, _)| number)
    }

    /// What is before items of this role is a word.
    pub(crate) fn word(&self, role: Option<Role>) -> Option<Span> {
        self.items.iter().find(|(_, item)| *item == Item::Word(role)).map(|(span, _)| *span)
    }
}

/// A reader of lists of parameters.
pub(crate) struct Lists<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) text: &'t str,
    pub(crate) dialect: Dialect,
}

impl Lists<'_> {
    /// What a datum says of the parameters after it, if it is a word.
    #[expect(clippy::option_option, reason = "a word can say something else than a role")]
    pub(crate) fn word(&self, datum: Datum) -> Option<Option<Role>> {
        if datum.list().is_some() { None } else { word_of(notation(self.dialect), self.source(datum)) }
    }

    fn source(&self, datum: Datum) -> &str {
        &self.text[self.tree.core_span(datum).range()]
    }

    /// Reads the list of parameters that a datum is. `skipped` data are before the parameters; in a method, a parameter in
    /// a list is one with its class.
    ///
    /// Errors: what is not understood.
    pub(crate) fn read(&self, datum: Datum, skipped: usize, is_method: bool) -> Result<ParameterList, Span> {
        let span = self.tree.core_span(datum);
        let Some(list) = datum.list() else {
            // `()` as a symbol, or a symbol that gets all arguments.
            let text = self.source(datum);
            let mut found =
                ParameterList { span, begin: span.start, end: span.start, items: Vec::new(), parameters: Vec::new() };
            if !text.eq_ignore_ascii_case("nil") {
                if !is_name(self.dialect, text) {
                    return Err(span);
                }
                found.items.push((span, Item::Parameter(0)));
                found.parameters.push(self.bare(datum, Role::Rest, None, span));
            }
            return Ok(found);
        };
        let open = self.tree.token_span(self.tree.list(list).open());
        let data: Vec<Datum> = self.tree.data(list).collect();
        let begin = skipped.checked_sub(1).map_or(open.end, |last| self.tree.core_span(data[last]).end);
        let mut found = ParameterList { span, begin, end: begin, items: Vec::new(), parameters: Vec::new() };
        self.parameters(&mut found, &data[skipped.min(data.len())..], is_method)?;
        found.end = data.last().map_or(begin, |last| self.tree.core_span(*last).end);
        Ok(found)
    }

    /// Reads the parameters of a text that has nothing else: one list, or a symbol.
    pub(crate) fn read_all(&self, is_method: bool) -> Result<ParameterList, Span> {
        let mut data = self.tree.top_level();
        let whole = Span::new(0, self.tree.len());
        match (data.next(), data.next()) {
            (Some(datum), None) if self.tree.is_balanced() => self.read(datum, 0, is_method),
            _ => Err(whole),
        }
    }

    fn parameters(&self, found: &mut ParameterList, data: &[Datum], is_method: bool) -> Result<(), Span> {
        let notation = notation(self.dialect);
        let mut role = Role::Required;
        let mut hidden = false;
        let mut at = 0;
        while let Some(&datum) = data.get(at) {
            at += 1;
            let span = self.tree.datum_span(datum);
            // A condition of the reader decides whether the parameter is there.
            if ["#+", "#-", "#?"].iter().any(|begins| self.text[span.range()].starts_with(begins)) {
                return Err(span);
            }
            let word = if datum.list().is_none() { self.source(datum) } else { "" };
            if let Some(marked) = word_of(notation, word) {
                // One parameter follows that no call passes, and then what was before.
                hidden = marked == Some(Role::Hidden);
                role = marked.filter(|_| !hidden).unwrap_or(role);
                found.items.push((span, Item::Word(marked)));
                continue;
            }
            // `[name :- Type]`
            if word == ":-"
                && let (Some(last), Some(kind)) = (found.parameters.last_mut(), data.get(at))
            {
                at += 1;
                last.span.end = self.tree.core_span(*kind).end;
                last.is_bare = false;
                if let Some((whole, _)) = found.items.last_mut() {
                    whole.end = last.span.end;
                }
                continue;
            }
            let is_key = notation.keys_anywhere && word.starts_with(notation.keyword) && role != Role::Rest;
            let parameter = if is_key {
                let Some(&inner) = data.get(at) else { return Err(span) };
                at += 1;
                let whole = Span::new(span.start, self.tree.core_span(inner).end);
                let mut one = self.parameter(inner, Role::Key, is_method, Some(word.to_owned()))?;
                one.span = whole;
                one
            } else {
                let role = if std::mem::take(&mut hidden) { Role::Hidden } else { role };
                self.parameter(datum, role, is_method, None)?
            };
            found.items.push((parameter.span, Item::Parameter(found.parameters.len())));
            found.parameters.push(parameter);
        }
        Ok(())
    }

    fn bare(&self, datum: Datum, role: Role, keyword: Option<String>, span: Span) -> Parameter {
        let name_span = self.tree.core_span(datum);
        let name = symbol_name(self.dialect, self.source(datum));
        let is_bare = span == name_span;
        Parameter { role, name: Some(name), name_span: Some(name_span), span, keyword, is_bare }
    }

    fn parameter(&self, datum: Datum, role: Role, is_method: bool, keyword: Option<String>) -> Result<Parameter, Span> {
        let notation = notation(self.dialect);
        let span = self.tree.datum_span(datum);
        let own = |text: &str| (role == Role::Key).then(|| format!("{}{}", notation.keyword, text));
        let Some(list) = datum.list() else {
            let text = self.source(datum);
            if !is_name(self.dialect, text) || !(notation.names)(text) {
                return Err(span);
            }
            let keyword = keyword.or_else(|| own(text));
            return Ok(self.bare(datum, role, keyword, span));
        };
        let taken_apart =
            Parameter { role, name: None, name_span: None, span, keyword: keyword.clone(), is_bare: false };
        let is_named = match role {
            Role::Required => is_method || notation.lists_are_optional,
            Role::Rest | Role::Hidden => false,
            Role::Optional | Role::Key | Role::Aux => true,
        };
        if notation.in_vector || !is_named {
            return Ok(taken_apart);
        }
        let data: Vec<Datum> = self.tree.data(list).collect();
        let Some(&first) = data.first() else { return Err(span) };
        // `((:keyword name) default given)`
        let (keyword, name) = match first.list() {
            Some(inner) if role == Role::Key => {
                let inner: Vec<Datum> = self.tree.data(inner).collect();
                let [word, name] = inner.as_slice() else { return Err(span) };
                (Some(self.source(*word).to_owned()), *name)
            }
            Some(_) => return Ok(taken_apart),
            None => (keyword.or_else(|| own(self.source(first))), first),
        };
        if name.list().is_some() || self.tree.kind(name.core) != TokenKind::Atom {
            return Ok(Parameter { keyword, ..taken_apart });
        }
        // `[name : Type]` has no default value.
        let is_typed = data.len() == 3 && self.source(data[1]) == ":";
        let is_optional = notation.lists_are_optional && role == Role::Required && data.len() > 1 && !is_typed;
        let role = if is_optional { Role::Optional } else { role };
        let name_span = self.tree.core_span(name);
        let called = symbol_name(self.dialect, self.source(name));
        Ok(Parameter { role, name: Some(called), name_span: Some(name_span), span, keyword, is_bare: false })
    }
}

/// The role of the parameters after a word, if it is one of those that are no parameters.
#[expect(clippy::option_option, reason = "a word can say something else than a role")]
fn word_of(notation: &Notation, word: &str) -> Option<Option<Role>> {
    let is = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    let role = match () {
        () if word.is_empty() => return None,
        () if is(notation.optional) => Role::Optional,
        () if is(notation.rest) => Role::Rest,
        () if is(notation.key) => Role::Key,
        () if is(notation.aux) => Role::Aux,
        () if is(notation.hidden) => Role::Hidden,
        () if is(notation.open_keys) => return Some(None),
        () => return None,
    };
    Some(Some(role))
}
