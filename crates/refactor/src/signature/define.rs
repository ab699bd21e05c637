//! The definitions of a function: where their lists of parameters are, and what they become.

use lispwright_index::{
    Document, Facts, FormParameters, Parameter, ParameterItem as Item, ParameterList, ParameterReader as Lists,
    ParameterRole as Role, UseKind, is_name, symbol_name,
};
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Datum, Dialect, Form, FormKind, Forms, ListId, Span, TokenKind, Tree, read};

use super::edits::Edits;
use super::refusal::{OpenReason, SignatureRefusal};
use super::wanted::{New, NewItem, Plan};
use crate::dialects::notation;
use crate::refusal::Spot;

/// A file that is being changed.
pub(crate) struct File<'i> {
    pub(crate) document: &'i Document,
    pub(crate) tree: Tree,
    pub(crate) facts: Facts,
    pub(crate) forms: Forms,
}

/// A list of parameters of the function.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The number of its file.
    pub(crate) file: usize,
    pub(crate) list: ParameterList,
    pub(crate) is_method: bool,
    /// It says what the methods of others have to take, and has no body.
    pub(crate) is_generic: bool,
    /// Its body makes code, in which the parameters are no variables.
    pub(crate) is_macro: bool,
    /// The form around it.
    pub(crate) form: Span,
    pub(crate) docstring: Option<Span>,
}

impl<'i> File<'i> {
    pub(crate) fn dialect(&self) -> Dialect {
        self.tree.dialect()
    }

    pub(crate) fn source(&self, datum: Datum) -> &'i str {
        &self.document.text[self.tree.core_span(datum).range()]
    }

    pub(crate) fn spot(&self, at: u32) -> Spot {
        Spot::of(self.document, at)
    }

    /// The data of a list.
    pub(crate) fn data(&self, list: ListId) -> Vec<Datum> {
        self.tree.data(list).collect()
    }

    /// What a span has is written with an `@`-form, whose arguments are not between the parentheses of a list.
    pub(crate) fn has_at_form(&self, span: Span) -> bool {
        self.document.has_at_forms() && self.document.text[span.range()].contains('@')
    }

    /// The list that has a token for one of its data.
    pub(crate) fn list_of(&self, at: u32) -> Option<ListId> {
        self.tree.token_at(at).and_then(|token| self.tree.list_around(token))
    }

    /// The head of a list in canonical spelling, if it is a symbol.
    pub(crate) fn head(&self, list: ListId) -> Option<String> {
        let head = self.tree.data(list).next().filter(|head| head.list().is_none())?;
        Some(canonical_head(self.dialect(), self.source(head)).into_owned())
    }

    /// The datum of a list that a span is, with its number.
    pub(crate) fn datum_at(&self, list: ListId, span: Span) -> Option<(usize, Datum)> {
        self.tree.data(list).enumerate().find(|(_, datum)| self.tree.core_span(*datum).encloses(span))
    }

    /// The lists of parameters of the definition whose name is at a place; empty if it has none or is not understood.
    pub(crate) fn places(&self, number: usize, name: Span) -> Vec<Place> {
        let forms = self.forms.iter().map(|(_, form)| form);
        let mut own = forms.filter(|form| form.name_span.is_some_and(|span| span.encloses(name)));
        match own.next() {
            Some(form) if form.name_span == Some(name) => self.places_of_form(number, form),
            Some(_) => Vec::new(),
            None => self.places_inside(number, name),
        }
    }

    fn reader(&self) -> Lists<'_> {
        Lists { tree: &self.tree, text: &self.document.text, dialect: self.dialect() }
    }

    fn places_of_form(&self, number: usize, form: &Form) -> Vec<Place> {
        // A macro that a function makes has no parameters of its own.
        let is_macro = form.kind == FormKind::Macro && !form.signature.is_empty();
        let place = |one: FormParameters| {
            let FormParameters { list, is_method, is_generic, form: span } = one;
            let is_own = span == form.span;
            let docstring = form.docstring.filter(|_| is_own);
            let is_generic = is_generic && is_own;
            Place { file: number, list, is_method, is_generic, is_macro, form: span, docstring }
        };
        self.reader().of_form(form).into_iter().map(place).collect()
    }

    /// `(name [parameters] …)` inside of a protocol or of what implements it.
    fn places_inside(&self, number: usize, name: Span) -> Vec<Place> {
        if !lispwright_index::parameter_notation(self.dialect()).in_vector {
            return Vec::new();
        }
        let Some(list) = self.list_of(name.start) else { return Vec::new() };
        let data = self.data(list);
        let is_first = data.first().is_some_and(|first| self.tree.core_span(*first) == name);
        let is_vector = |datum: &Datum| self.tree.kind(datum.core) == TokenKind::OpenBracket;
        if !is_first {
            return Vec::new();
        }
        let around = self.tree.list(list).parent().and_then(|around| self.head(around)).unwrap_or_default();
        let is_generic = around.ends_with("defprotocol") || around.ends_with("definterface");
        let vectors: Vec<Datum> = match is_generic {
            true => data.iter().skip(1).filter(|datum| is_vector(datum)).copied().collect(),
            false => data.get(1).filter(|datum| is_vector(datum)).copied().into_iter().collect(),
        };
        let clauses = || {
            let clauses = data.iter().skip(1).filter_map(|datum| datum.list());
            clauses.filter_map(|clause| self.tree.data(clause).next()).filter(|datum| is_vector(datum)).collect()
        };
        let vectors: Vec<Datum> = if vectors.is_empty() { clauses() } else { vectors };
        let span = self.tree.list_span(list);
        let lists = vectors.into_iter().filter_map(|datum| self.reader().read(datum, 0, true).ok());
        let place = |list| Place {
            file: number,
            list,
            is_method: true,
            is_generic,
            is_macro: false,
            form: span,
            docstring: None,
        };
        lists.map(place).collect()
    }

    /// The places that mean the parameter whose name is at `binder`, without that one.
    pub(crate) fn occurrences(&self, binder: Span) -> Vec<Span> {
        let of = self.facts.bound.iter().filter(|(start, by)| *by == binder.start && *start != *by);
        let mark = |start: u32| {
            let at = self.facts.marks.partition_point(|mark| mark.span.start < start);
            self.facts.marks.get(at).filter(|mark| mark.span.start == start).map(|mark| mark.span)
        };
        of.filter_map(|(start, _)| mark(*start)).collect()
    }

    /// The places of a definition that have the name of a parameter, and are known to be nothing.
    pub(crate) fn unknown(&self, form: Span, name: &str) -> Vec<Span> {
        let dialect = self.dialect();
        let tokens = self.tree.tokens_within(form).filter(|(kind, _)| *kind == TokenKind::Atom);
        let is_known = |span: &Span| {
            let at = self.facts.marks.partition_point(|mark| mark.span.start < span.start);
            let is_marked = self.facts.marks.get(at).is_some_and(|mark| span.encloses(mark.span));
            let at = self.facts.uses.partition_point(|used| used.start < span.start);
            is_marked || self.facts.uses.get(at).is_some_and(|used| span.encloses(used.span()))
        };
        let text = |span: &Span| &self.document.text[span.range()];
        let is_it = |span: &Span| is_name(dialect, text(span)) && symbol_name(dialect, text(span)) == name;
        tokens.map(|(_, span)| span).filter(|span| is_it(span) && !is_known(span)).collect()
    }

    /// The places in the templates of local macros that have a name.
    fn in_local_macros(&self, form: Span, name: &str) -> Vec<Span> {
        let from = self.facts.uses.partition_point(|used| used.start < form.start);
        let inside = self.facts.uses[from..].iter().take_while(|used| used.start < form.end);
        let templates = inside.filter(|used| used.kind == UseKind::Template).map(|used| used.span());
        let text = |span: &Span| &self.document.text[span.range()];
        let named = templates.filter(|span| symbol_name(self.dialect(), text(span)) == name);
        let is_variable = |span: &Span| {
            let before = &self.document.text[..span.start as usize];
            !before.ends_with('(') && !before.ends_with("#'")
        };
        named.filter(is_variable).filter(|span| self.is_in_local_macro(span.start)).collect()
    }

    fn is_in_local_macro(&self, at: u32) -> bool {
        let mut list = self.list_of(at);
        while let Some(around) = list {
            if self.head(around).is_some_and(|head| head.ends_with("macrolet")) {
                return true;
            }
            list = self.tree.list(around).parent();
        }
        false
    }

    /// The form `(declare …)` around a place.
    fn declaration(&self, at: u32) -> Option<ListId> {
        let specifier = self.list_of(at)?;
        let around = self.tree.list(specifier).parent()?;
        (self.head(around).as_deref() == Some("declare")).then_some(around)
    }
}

/// An entry of the new list of a definition.
struct Entry {
    role: Role,
    text: String,
    /// Its number in the present list of the definition.
    own: Option<usize>,
}

/// What changes in a definition, besides calls.
pub(crate) struct Definer<'a, 'i> {
    pub(crate) plan: &'a Plan,
    pub(crate) file: &'a File<'i>,
    pub(crate) place: &'a Place,
    /// It is the definition that the request describes.
    pub(crate) is_first: bool,
}

impl Definer<'_, '_> {
    /// The name of a present parameter in this definition changes: what it becomes.
    fn renamed(&self, old: usize) -> Option<(&New, Span)> {
        let new = self.plan.renamed(old)?;
        let own = self.plan.in_list(old, &self.place.list)?;
        let parameter = &self.place.list.parameters[own];
        (parameter.name == self.plan.old[old].name).then_some((new, parameter.name_span?))
    }

    /// Changes the names in the body, and takes declarations of dropped parameters away.
    ///
    /// Errors: a dropped parameter is used.
    pub(crate) fn body(&self, edits: &mut Edits<'_>) -> Result<(), SignatureRefusal> {
        let mut declared: Vec<Span> = Vec::new();
        for old in 0..self.plan.old.len() {
            if let Some((new, name)) = self.renamed(old) {
                for span in self.file.occurrences(name) {
                    edits.name(span, new.written.clone());
                }
                edits.name(name, new.written.clone());
                self.docstring(edits, &self.file.document.text[name.range()], &new.written);
            }
            if let Some(new) = self.plan.becomes(old) {
                self.still_used_inside(old, new)?;
                continue;
            }
            let Some(own) = self.plan.in_list(old, &self.place.list) else { continue };
            let Some(name) = self.place.list.parameters[own].name_span else { continue };
            let (gone, used): (Vec<Span>, Vec<Span>) =
                self.file.occurrences(name).into_iter().partition(|span| self.file.declaration(span.start).is_some());
            if let Some(first) = used.first() {
                let name = self.file.document.text[first.range()].to_owned();
                let mut spots: Vec<Spot> = used.iter().map(|span| self.file.spot(span.start)).collect();
                spots.dedup_by_key(|spot| spot.line);
                return Err(SignatureRefusal::StillUsed { name, spots });
            }
            declared.extend(gone);
        }
        self.declarations(edits, &declared);
        if self.place.is_generic {
            self.precedence(edits);
        }
        Ok(())
    }

    /// The required parameters in their order of precedence, each of which is named there (CLHS `defgeneric`).
    fn precedence(&self, edits: &mut Edits<'_>) {
        let (file, plan) = (self.file, self.plan);
        let dialect = file.dialect();
        let is_option = |list: &ListId| {
            let head = file.tree.data(*list).next();
            self.place.form.encloses(file.tree.list_span(*list))
                && head.is_some_and(|head| file.source(head).eq_ignore_ascii_case(":argument-precedence-order"))
        };
        let Some(option) = (0..file.tree.lists().len() as ListId).find(is_option) else { return };
        let data = file.data(option);
        let (Some(first), Some(last)) = (data.get(1), data.last()) else { return };
        let span = Span::new(file.tree.core_span(*first).start, file.tree.core_span(*last).end);
        let is_required = |new: &&New| new.role == Role::Required;
        let named = |datum: &Datum| {
            let name = symbol_name(dialect, file.source(*datum));
            let own = |old: &usize| plan.in_list(*old, &self.place.list).map(|own| &self.place.list.parameters[own]);
            let old = (0..plan.old.len()).find(|old| own(old).is_some_and(|own| own.name.as_ref() == Some(&name)))?;
            let new = plan.becomes(old).filter(is_required)?;
            let is_renamed = self.renamed(old).is_some();
            Some(if is_renamed { new.written.clone() } else { file.source(*datum).to_owned() })
        };
        let was_required = |new: &New| new.from.is_some_and(|old| plan.old[old].role == Role::Required);
        let kept = data[1..].iter().filter_map(named);
        let more = plan.new.iter().filter(is_required).filter(|new| !was_required(new)).map(|new| new.written.clone());
        let text = kept.chain(more).collect::<Vec<_>>().join(" ");
        if text != file.document.text[span.range()] {
            edits.part(file.tree.list_span(option), span, text);
        }
    }

    /// Refuses if a parameter that takes its argument apart loses a name that code here uses.
    fn still_used_inside(&self, old: usize, new: &New) -> Result<(), SignatureRefusal> {
        let own = self.plan.in_list(old, &self.place.list).map(|own| &self.place.list.parameters[own]);
        let Some(own) = own.filter(|own| own.name.is_none() && new.is_given) else { return Ok(()) };
        let dialect = self.file.dialect();
        let source = |span: Span| &self.file.document.text[span.range()];
        let tree = read(&new.text, self.file.document.language.clone());
        let kept: Vec<String> = tree.tokens().map(|(_, span)| symbol_name(dialect, &new.text[span.range()])).collect();
        let names = self.file.tree.tokens_within(own.span).filter(|(kind, _)| *kind == TokenKind::Atom);
        for (_, name) in names.filter(|(_, span)| !kept.contains(&symbol_name(dialect, source(*span)))) {
            let used = self.file.occurrences(name).into_iter().filter(|span| !own.span.encloses(*span));
            let spots: Vec<Spot> = used.map(|span| self.file.spot(span.start)).collect();
            if !spots.is_empty() {
                return Err(SignatureRefusal::StillUsed { name: source(name).to_owned(), spots });
            }
        }
        Ok(())
    }

    /// The names of parameters here that change or go.
    pub(crate) fn changing(&self) -> Vec<String> {
        let old = 0..self.plan.old.len();
        let changing = old.filter(|old| self.plan.becomes(*old).is_none() || self.renamed(*old).is_some());
        let own = changing.filter_map(|old| self.plan.in_list(old, &self.place.list));
        own.filter_map(|own| self.place.list.parameters[own].name.clone()).collect()
    }

    /// Places in the body that have the name of a parameter that changes or goes, and are not understood.
    pub(crate) fn unknown(&self) -> Vec<(Span, OpenReason)> {
        let mut found = Vec::new();
        for name in self.changing().iter().filter(|_| !self.place.is_generic) {
            let mut unknown = self.file.unknown(self.place.form, name);
            if !self.place.is_macro {
                unknown.extend(self.file.in_local_macros(self.place.form, name));
            }
            let why = OpenReason::Parameter(self.spelled(Some(name)));
            found.extend(unknown.into_iter().map(|span| (span, why.clone())));
        }
        found
    }

    fn spelled(&self, name: Option<&str>) -> String {
        lispwright_index::spelled(self.file.dialect(), name.unwrap_or_default())
    }

    /// Capitals in the docstring.
    fn docstring(&self, edits: &mut Edits<'_>, from: &str, to: &str) {
        let is_meant = notation(self.file.dialect()).capitals;
        for span in self.mentions(from).into_iter().filter(|_| is_meant) {
            edits.name(span, to.to_uppercase());
        }
    }

    /// The places of the docstring that have a name in capitals.
    pub(crate) fn mentions(&self, name: &str) -> Vec<Span> {
        let Some(docstring) = self.place.docstring else { return Vec::new() };
        let text = &self.file.document.text[docstring.range()];
        let upper = name.to_uppercase();
        let words = lispwright_index::words(text, &upper, false).into_iter();
        words.map(|word| Span::new(docstring.start + word.start as u32, docstring.start + word.end as u32)).collect()
    }

    /// Takes names out of declarations, and specifiers and declarations that have no others.
    fn declarations(&self, edits: &mut Edits<'_>, gone: &[Span]) {
        let file = self.file;
        let mut lists: Vec<ListId> = gone.iter().filter_map(|span| file.declaration(span.start)).collect();
        lists.dedup();
        let is_gone = |datum: &Datum| gone.iter().any(|span| *span == file.tree.core_span(*datum));
        for list in lists {
            let specifiers: Vec<Datum> = file.tree.data(list).skip(1).collect();
            let empties = |datum: &Datum| {
                let Some(list) = datum.list() else { return false };
                let skipped = if matches!(file.head(list).as_deref(), Some("type")) { 2 } else { 1 };
                let mut names = file.tree.data(list).skip(skipped).peekable();
                names.peek().is_some() && names.all(|name| is_gone(&name))
            };
            let whole = file.tree.list_span(list);
            let owner = |span: Span| {
                let parent = file.tree.list(list).parent().map(|parent| file.tree.list_span(parent));
                parent.unwrap_or(span)
            };
            if specifiers.iter().all(empties) {
                edits.remove(owner(whole), whole);
                continue;
            }
            for specifier in specifiers {
                if empties(&specifier) {
                    edits.remove(whole, file.tree.datum_span(specifier));
                } else if let Some(inner) = specifier.list() {
                    for name in file.tree.data(inner).filter(is_gone) {
                        edits.remove(file.tree.list_span(inner), file.tree.core_span(name));
                    }
                }
            }
        }
    }

    /// The class by which the method is chosen, if the parameter that has it goes.
    pub(crate) fn dispatch(&self) -> Option<OpenReason> {
        let mut dropped = (0..self.plan.old.len()).filter(|old| self.plan.becomes(*old).is_none());
        dropped.find_map(|old| {
            let own = self.plan.in_list(old, &self.place.list)?;
            let parameter = &self.place.list.parameters[own];
            let has_class = self.place.is_method && parameter.role == Role::Required && !parameter.is_bare;
            let in_list = has_class && !lispwright_index::parameter_notation(self.file.dialect()).in_vector;
            in_list.then(|| OpenReason::Dispatch(self.spelled(parameter.name.as_deref())))
        })
    }

    /// Writes the list of parameters anew.
    ///
    /// Errors: a comment would be lost.
    pub(crate) fn list(&self, edits: &mut Edits<'_>) -> Result<(), SignatureRefusal> {
        let list = &self.place.list;
        let text = self.written(edits);
        let tokens = self.file.tree.tokens_within(list.span);
        let is_comment = |kind: TokenKind| (kind.is_trivia() && kind != TokenKind::Blank) || kind == TokenKind::Discard;
        let mut comments = tokens.filter(|(kind, _)| is_comment(*kind)).map(|(_, span)| span);
        if let Some(lost) = comments.find(|span| !text.contains(&self.file.document.text[span.range()])) {
            return Err(SignatureRefusal::Comment { spot: self.file.spot(lost.start) });
        }
        if text != self.file.document.text[list.span.range()] {
            edits.part(list.span, list.span, text);
        }
        Ok(())
    }

    fn entries(&self, edits: &Edits<'_>) -> Vec<Entry> {
        let (plan, list) = (self.plan, &self.place.list);
        let mut entries: Vec<Entry> = Vec::new();
        for item in &plan.items {
            let NewItem::Parameter(number) = item else { continue };
            let new = &plan.new[*number];
            let has_name = |one: &Parameter| one.name.is_some() && one.name == new.name;
            if new.from.is_none() && list.parameters.iter().any(has_name) {
                // Another variant of the definition can have it already.
                continue;
            }
            let Some(old) = new.from else {
                entries.push(Entry { role: new.role, text: new.text.clone(), own: None });
                continue;
            };
            let Some(own) = plan.in_list(old, list) else { continue };
            let parameter = &list.parameters[own];
            let present = &self.file.document.text[parameter.span.range()];
            let is_same = self.is_first || present == plan.old[old].text;
            let changes_role = new.role != plan.old[old].role;
            let anywhere = lispwright_index::parameter_notation(self.file.dialect()).keys_anywhere;
            let loses = changes_role && (anywhere || (new.role == Role::Required && !parameter.is_bare));
            let rendered = edits.rendered(parameter.span);
            let keyword = parameter.keyword.as_deref().filter(|_| anywhere && new.keyword != parameter.keyword);
            let without_keyword = keyword.and_then(|keyword| rendered.strip_prefix(keyword)).zip(new.keyword.as_ref());
            let text = match without_keyword {
                _ if (new.is_given && is_same) || loses => new.text.clone(),
                Some((rest, keyword)) => format!("{keyword}{rest}"),
                None => rendered,
            };
            entries.push(Entry { role: new.role, text, own: Some(own) });
        }
        // What this list has besides, as methods may have keywords of their own.
        for (own, parameter) in list.parameters.iter().enumerate() {
            let is_planned = (0..plan.old.len()).any(|old| plan.in_list(old, list) == Some(own));
            if is_planned {
                continue;
            }
            let before = own.checked_sub(1).and_then(|before| entries.iter().position(|one| one.own == Some(before)));
            let has_role = |entry: &Entry| entry.role == parameter.role;
            let at = match before {
                Some(before) if has_role(&entries[before]) || parameter.role.rank() == 0 => before + 1,
                None if parameter.role.rank() == 0 => 0,
                _ => {
                    let same = entries.iter().position(has_role);
                    same.unwrap_or_else(|| {
                        let lower = |entry: &Entry| entry.role.rank() < parameter.role.rank();
                        entries.iter().rposition(lower).map_or(0, |last| last + 1)
                    })
                }
            };
            let text = edits.rendered(parameter.span);
            entries.insert(at, Entry { role: parameter.role, text, own: Some(own) });
        }
        entries
    }

    /// The word before parameters of a role in this list, or the one of the request.
    fn word(&self, role: Option<Role>) -> Option<(String, Option<Span>)> {
        let own = self.place.list.word(role);
        let text = own.map(|span| self.file.document.text[span.range()].to_owned());
        let asked = self.plan.items.iter().find_map(|item| match item {
            NewItem::Word(of, text) if *of == role => Some(text.clone()),
            _ => None,
        });
        text.or(asked).map(|text| (text, own))
    }

    fn written(&self, edits: &Edits<'_>) -> String {
        let list = &self.place.list;
        let source = &self.file.document.text;
        let entries = self.entries(edits);
        let is_symbol = !source[list.span.range()].starts_with(['(', '[', '{']);
        if let ([only], true) = (entries.as_slice(), is_symbol)
            && only.role == Role::Rest
        {
            return only.text.clone();
        }
        let items = self.items(entries);
        let mut text = match is_symbol {
            true => "(".to_owned(),
            false => source[list.span.start as usize..list.begin as usize].to_owned(),
        };
        let is_header = !is_symbol && !text.ends_with(['(', '[', '{']);
        // Lines end where they ended, as far as there are as many items.
        let are_as_many = items.len() == list.items.len();
        for (at, (item, own)) in items.iter().enumerate() {
            let place = if are_as_many { Some(list.items[at].0) } else { own.filter(|_| at > 0) };
            let lead = place.map_or("", |span| lead(list, source, span));
            match lead {
                "" if at > 0 || is_header => text.push(' '),
                lead => text.push_str(lead),
            }
            text.push_str(item);
        }
        match is_symbol {
            true => text.push(')'),
            false => text.push_str(&source[list.end as usize..list.span.end as usize]),
        }
        text
    }

    /// The items of the new list, with the places that they have in the present one.
    fn items(&self, entries: Vec<Entry>) -> Vec<(String, Option<Span>)> {
        let list = &self.place.list;
        let source = &self.file.document.text;
        let written = |span: Span| (source[span.range()].to_owned(), Some(span));
        let mut items: Vec<(String, Option<Span>)> = Vec::new();
        let mut role = Role::Required;
        let mut has_keys = false;
        let before_aux = entries.iter().filter(|entry| entry.role != Role::Aux).count();
        let close_keys = |items: &mut Vec<(String, Option<Span>)>, has_keys: bool| {
            items.extend(list.word(Some(Role::Key)).filter(|_| !has_keys).map(written));
            items.extend(list.word(None).map(written));
        };
        let count = entries.len();
        for (at, entry) in entries.into_iter().enumerate() {
            if at == before_aux {
                close_keys(&mut items, has_keys);
            }
            if entry.role != role || entry.role == Role::Hidden {
                role = entry.role;
                has_keys |= role == Role::Key;
                items.extend(match (role, entry.own) {
                    (Role::Hidden, Some(own)) => word_before(list, own).map(written),
                    _ => self.word(Some(role)),
                });
            }
            items.push((entry.text, entry.own.map(|own| list.parameters[own].span)));
        }
        if before_aux == count {
            close_keys(&mut items, has_keys);
        }
        items
    }
}

/// The word right before a parameter.
fn word_before(list: &ParameterList, own: usize) -> Option<Span> {
    let at = list.items.iter().position(|(_, item)| *item == Item::Parameter(own))?;
    list.items[..at].last().filter(|(_, item)| matches!(item, Item::Word(_))).map(|(span, _)| *span)
}

/// What is before an item of the present list, if it is more than blanks on the line.
fn lead<'t>(list: &ParameterList, source: &'t str, span: Span) -> &'t str {
    let at = list.items.iter().position(|(other, _)| *other == span);
    let before = match at {
        Some(0) | None => list.begin,
        Some(at) => list.items[at - 1].0.end,
    };
    let lead = &source[before as usize..span.start as usize];
    if lead.contains('\n') { lead } else { "" }
}
