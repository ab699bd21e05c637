//! Lists of parameters, as definitions write them.

use lispwright_syntax::name::{canonical_head, parameter_word};
use lispwright_syntax::{Datum, Dialect, Form, FormKind, ListId, Span, TokenKind, Tree};

use crate::account::{is_name, symbol_name};
use crate::dialects::parameter_notation;

/// How a dialect writes parameters.
#[derive(Debug)]
pub struct ParameterNotation {
    /// Before optional parameters.
    pub(crate) optional: &'static [&'static str],
    /// Before the parameter that gets all further arguments.
    pub(crate) rest: &'static [&'static str],
    /// Before parameters that are passed by keyword.
    pub(crate) key: &'static [&'static str],
    /// Before variables that are no parameters.
    pub(crate) aux: &'static [&'static str],
    /// Before a parameter that no call passes.
    pub(crate) hidden: &'static [&'static str],
    /// Says that there are other keywords.
    pub(crate) open_keys: &'static [&'static str],
    /// What a keyword begins with.
    pub keyword: &'static str,
    /// A parameter is passed by keyword if one stands before it, and calls may write keywords before other arguments.
    pub keys_anywhere: bool,
    /// A list with a default value is an optional parameter, without a word before it.
    pub lists_are_optional: bool,
    /// Parameters are in a vector.
    pub in_vector: bool,
    /// The atom can be the name of a parameter.
    pub(crate) names: fn(&str) -> bool,
}

/// How calls pass a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterRole {
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

impl ParameterRole {
    /// Where parameters of the role are in a list; those that can be anywhere are the first.
    pub const fn rank(self) -> u8 {
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
pub struct Parameter {
    /// How calls pass it.
    pub role: ParameterRole,
    /// Its name as the reader interns it; `None` if it is taken apart.
    pub name: Option<String>,
    /// The place of its name.
    pub name_span: Option<Span>,
    /// With its default value, type and hints.
    pub span: Span,
    /// The keyword by which calls pass it, as it is written.
    pub keyword: Option<String>,
    /// It is its name alone.
    pub is_bare: bool,
}

/// A datum of a list of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterItem {
    /// A word before parameters of this role; `None` says that there are other keywords.
    Word(Option<ParameterRole>),
    /// The parameter of this number.
    Parameter(usize),
}

/// A list of parameters.
#[derive(Clone, Debug)]
pub struct ParameterList {
    /// The list with its brackets, which in Scheme also has the name of the function; or a symbol that gets all arguments.
    pub span: Span,
    /// The end of what is before the parameters: of the bracket, or of the name.
    pub begin: u32,
    /// The end of the last datum, or of what is before the parameters.
    pub end: u32,
    /// Its data in order.
    pub items: Vec<(Span, ParameterItem)>,
    /// The parameters in order.
    pub parameters: Vec<Parameter>,
}

impl ParameterList {
    /// The parameters as they are written, without the name of the function, on one line.
    pub fn shown(&self, text: &str) -> String {
        let source = &text[self.span.range()];
        let bracket = if self.begin > self.span.start { &source[..1] } else { "" };
        let rest = text[self.begin as usize..self.span.end as usize].split_whitespace();
        format!("{bracket}{}", rest.collect::<Vec<_>>().join(" "))
    }

    /// How many parameters have a role.
    pub fn count(&self, role: ParameterRole) -> usize {
        self.parameters.iter().filter(|one| one.role == role).count()
    }

    /// The number of the parameter that is the `at`th of its role.
    pub fn nth(&self, role: ParameterRole, at: usize) -> Option<usize> {
        let mut own = self.parameters.iter().enumerate().filter(|(_, one)| one.role == role);
        own.nth(at).map(|(number, _)| number)
    }

    /// What is before items of this role is a word.
    pub fn word(&self, role: Option<ParameterRole>) -> Option<Span> {
        self.items.iter().find(|(_, item)| *item == ParameterItem::Word(role)).map(|(span, _)| *span)
    }
}

/// A reader of lists of parameters.
#[derive(Clone, Copy, Debug)]
pub struct ParameterReader<'t> {
    /// The tree that they are in.
    pub tree: &'t Tree,
    /// The text that the tree was read from.
    pub text: &'t str,
    /// Its dialect.
    pub dialect: Dialect,
}

impl ParameterReader<'_> {
    /// What a datum says of the parameters after it, if it is a word.
    pub fn word(&self, datum: Datum) -> Option<Option<ParameterRole>> {
        if datum.list().is_some() { None } else { word_of(parameter_notation(self.dialect), self.source(datum)) }
    }

    fn source(&self, datum: Datum) -> &str {
        &self.text[self.tree.core_span(datum).range()]
    }

    /// Reads the list of parameters that a datum is. `skipped` data are before the parameters; in a method, a parameter in
    /// a list is one with its class.
    ///
    /// Errors: what is not understood.
    pub fn read(&self, datum: Datum, skipped: usize, is_method: bool) -> Result<ParameterList, Span> {
        let span = self.tree.core_span(datum);
        // What the reader evaluates has other parameters.
        let before = &self.text[self.tree.datum_span(datum).start as usize..span.start as usize];
        if before.ends_with("#.") {
            return Err(span);
        }
        let Some(list) = datum.list() else {
            // `()` as a symbol, or a symbol that gets all arguments.
            let text = self.source(datum);
            let mut found =
                ParameterList { span, begin: span.start, end: span.start, items: Vec::new(), parameters: Vec::new() };
            if !text.eq_ignore_ascii_case("nil") {
                if !is_name(self.dialect, text) {
                    return Err(span);
                }
                found.items.push((span, ParameterItem::Parameter(0)));
                found.parameters.push(self.bare(datum, ParameterRole::Rest, None, span));
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
    pub fn read_all(&self, is_method: bool) -> Result<ParameterList, Span> {
        let mut data = self.tree.top_level();
        let whole = Span::new(0, self.tree.len());
        match (data.next(), data.next()) {
            (Some(datum), None) if self.tree.is_balanced() => self.read(datum, 0, is_method),
            _ => Err(whole),
        }
    }

    fn parameters(&self, found: &mut ParameterList, data: &[Datum], is_method: bool) -> Result<(), Span> {
        let notation = parameter_notation(self.dialect);
        let mut role = ParameterRole::Required;
        let mut hidden = false;
        let mut at = 0;
        while let Some(&datum) = data.get(at) {
            at += 1;
            let span = self.tree.datum_span(datum);
            // A condition of the reader decides whether the parameter is there.
            if begins_with_condition(&self.text[span.range()]) {
                return Err(span);
            }
            let word = if datum.list().is_none() { self.source(datum) } else { "" };
            if let Some(marked) = word_of(notation, word) {
                // One parameter follows that no call passes, and then what was before.
                hidden = marked == Some(ParameterRole::Hidden);
                role = marked.filter(|_| !hidden).unwrap_or(role);
                found.items.push((span, ParameterItem::Word(marked)));
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
            let is_key = notation.keys_anywhere && word.starts_with(notation.keyword) && role != ParameterRole::Rest;
            let parameter = if is_key {
                let Some(&inner) = data.get(at) else { return Err(span) };
                at += 1;
                let whole = Span::new(span.start, self.tree.core_span(inner).end);
                let mut one = self.parameter(inner, ParameterRole::Key, is_method, Some(word.to_owned()))?;
                one.span = whole;
                one
            } else {
                let role = if std::mem::take(&mut hidden) { ParameterRole::Hidden } else { role };
                self.parameter(datum, role, is_method, None)?
            };
            found.items.push((parameter.span, ParameterItem::Parameter(found.parameters.len())));
            found.parameters.push(parameter);
        }
        Ok(())
    }

    fn bare(&self, datum: Datum, role: ParameterRole, keyword: Option<String>, span: Span) -> Parameter {
        let name_span = self.tree.core_span(datum);
        let name = symbol_name(self.dialect, self.source(datum));
        let is_bare = span == name_span;
        Parameter { role, name: Some(name), name_span: Some(name_span), span, keyword, is_bare }
    }

    fn parameter(
        &self,
        datum: Datum,
        role: ParameterRole,
        is_method: bool,
        keyword: Option<String>,
    ) -> Result<Parameter, Span> {
        let notation = parameter_notation(self.dialect);
        let span = self.tree.datum_span(datum);
        let own = |text: &str| (role == ParameterRole::Key).then(|| format!("{}{}", notation.keyword, text));
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
            ParameterRole::Required => is_method || notation.lists_are_optional,
            ParameterRole::Rest | ParameterRole::Hidden => false,
            ParameterRole::Optional | ParameterRole::Key | ParameterRole::Aux => true,
        };
        if notation.in_vector || !is_named {
            return Ok(taken_apart);
        }
        let data: Vec<Datum> = self.tree.data(list).collect();
        let Some(&first) = data.first() else { return Err(span) };
        // `((:keyword name) default given)`
        let (keyword, name) = match first.list() {
            Some(inner) if role == ParameterRole::Key => {
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
        let is_optional = notation.lists_are_optional && role == ParameterRole::Required && data.len() > 1 && !is_typed;
        let role = if is_optional { ParameterRole::Optional } else { role };
        let name_span = self.tree.core_span(name);
        let called = symbol_name(self.dialect, self.source(name));
        Ok(Parameter { role, name: Some(called), name_span: Some(name_span), span, keyword, is_bare: false })
    }
}

/// A list of parameters of a definition.
#[derive(Clone, Debug)]
pub struct FormParameters {
    /// The parameters.
    pub list: ParameterList,
    /// It is one of a method.
    pub is_method: bool,
    /// It says what the methods of others have to take, and has no body.
    pub is_generic: bool,
    /// The form around it: the definition, or the method inside of it.
    pub form: Span,
}

/// The text begins with a condition of the reader.
pub(crate) fn begins_with_condition(text: &str) -> bool {
    ["#+", "#-", "#?"].iter().any(|begins| text.starts_with(begins))
}

/// Heads of functions without a name, whose first argument is their list of parameters.
const LAMBDAS: &[&str] = &["lambda", "fn", "fn*", "λ", "lambda*", "bound-fn"];

impl ParameterReader<'_> {
    /// The lists of parameters of a definition; empty if it has none, or one of them is not understood.
    pub fn of_form(&self, form: &Form) -> Vec<FormParameters> {
        let is_function = matches!(
            form.kind,
            FormKind::Function | FormKind::Macro | FormKind::GenericFunction | FormKind::Method | FormKind::Variable
        );
        if !is_function && form.kind != FormKind::Definition {
            return Vec::new();
        }
        let Some(list) = form.datum.list() else { return Vec::new() };
        let is_method = form.kind == FormKind::Method;
        let is_generic = form.kind == FormKind::GenericFunction;
        let mut found = Vec::new();
        for span in &form.signature {
            let Some(datum) = self.datum_of_span(*span) else { return Vec::new() };
            // `(define (name . parameters) …)`, but not `(define ((name a) b) …)`.
            let holds_name = form.name_span.is_some_and(|name| span.encloses(name));
            let first = datum.list().and_then(|list| self.tree.data(list).next());
            if holds_name && first.is_none_or(|first| Some(self.tree.core_span(first)) != form.name_span) {
                return Vec::new();
            }
            let Ok(list) = self.read(datum, usize::from(holds_name), is_method) else { return Vec::new() };
            found.push(FormParameters { list, is_method, is_generic, form: form.span });
        }
        let data: Vec<Datum> = self.tree.data(list).collect();
        // `(defn name ([a] …) (#?(:clj [a b] :cljs [a]) …))`
        let is_single = data.iter().any(|datum| form.signature.contains(&self.tree.core_span(*datum)));
        if !is_single && data.iter().any(|datum| self.begins_conditionally(*datum)) {
            return Vec::new();
        }
        if found.is_empty() {
            // `(def name (fn [parameters] …))`, `(defmulti name (fn [parameters] …))`
            let lambda = data.last().and_then(|last| last.list());
            let lambda = lambda.filter(|list| data.len() > 2 && self.is_lambda(*list));
            let lists = lambda.map_or_else(Vec::new, |lambda| self.of_lambda(lambda));
            let found_there = |list| FormParameters { list, is_method: false, is_generic: false, form: form.span };
            found = lists.into_iter().map(found_there).collect();
        }
        // `(defgeneric name parameters (:method parameters …))`
        for option in data.iter().skip(3).filter_map(|datum| datum.list()).filter(|_| is_generic) {
            if self.head(option).as_deref() == Some("method") {
                let parameters = self.tree.data(option).find(|datum| datum.list().is_some());
                let Some(Ok(list)) = parameters.map(|datum| self.read(datum, 0, true)) else { return Vec::new() };
                let form = self.tree.list_span(option);
                found.push(FormParameters { list, is_method: true, is_generic, form });
            }
        }
        found
    }

    /// The list is a function without a name.
    pub fn is_lambda(&self, list: ListId) -> bool {
        self.head(list).is_some_and(|head| LAMBDAS.contains(&head.as_str()))
    }

    /// The lists of parameters of `(fn [parameters] …)`, `(fn name ([parameters] …) …)`, `(lambda parameters …)`.
    pub fn of_lambda(&self, lambda: ListId) -> Vec<ParameterList> {
        let in_vector = parameter_notation(self.dialect).in_vector;
        let is_parameters = |datum: &Datum| {
            datum.list().is_some() && (!in_vector || self.tree.kind(datum.core) == TokenKind::OpenBracket)
        };
        let data: Vec<Datum> = self.tree.data(lambda).collect();
        if let Some(datum) = data.iter().skip(1).take(2).find(|datum| is_parameters(datum)) {
            return self.read(*datum, 0, false).into_iter().collect();
        }
        if data.iter().any(|datum| self.begins_conditionally(*datum)) {
            return Vec::new();
        }
        let clauses = data.iter().skip(1).filter_map(|datum| datum.list());
        let first = |clause: ListId| self.tree.data(clause).next().filter(is_parameters);
        clauses.filter_map(first).filter_map(|datum| self.read(datum, 0, false).ok()).collect()
    }

    /// The datum is a list of which conditions of the reader decide how it begins.
    fn begins_conditionally(&self, datum: Datum) -> bool {
        let first = datum.list().and_then(|list| self.tree.data(list).next());
        first.is_some_and(|first| self.text[self.tree.datum_span(first).range()].starts_with("#?"))
    }

    /// The head of a list in canonical spelling, if it is a symbol.
    fn head(&self, list: ListId) -> Option<String> {
        let head = self.tree.data(list).next().filter(|head| head.list().is_none())?;
        Some(canonical_head(self.dialect, self.source(head)).into_owned())
    }

    fn datum_of_span(&self, span: Span) -> Option<Datum> {
        let token = self.tree.token_at(span.start)?;
        let around = self.tree.list_around(token)?;
        let around =
            if self.tree.list_span(around).start == span.start { self.tree.list(around).parent()? } else { around };
        self.tree.data(around).find(|datum| self.tree.core_span(*datum) == span)
    }
}

/// The role of the parameters after a word, if it is one of those that are no parameters.
#[expect(clippy::option_option, reason = "a word can say something else than a role")]
fn word_of(notation: &ParameterNotation, word: &str) -> Option<Option<ParameterRole>> {
    let word = parameter_word(word);
    let is = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    let role = match () {
        () if word.is_empty() => return None,
        () if is(notation.optional) => ParameterRole::Optional,
        () if is(notation.rest) => ParameterRole::Rest,
        () if is(notation.key) => ParameterRole::Key,
        () if is(notation.aux) => ParameterRole::Aux,
        () if is(notation.hidden) => ParameterRole::Hidden,
        () if is(notation.open_keys) => return Some(None),
        () => return None,
    };
    Some(Some(role))
}
