//! What may define a name that the index does not know: forms that are not understood, and code that makes names.

use std::cell::OnceCell;

use lispwright_index::{Definition, Document, Exports, FormRow, Hit, Referent, Space, Symbol, UseKind};
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{FormKind, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialects::{NameWords, call_words};
use crate::file::File;
use crate::macro_made::is_other_definer;
use crate::names::Sort;

/// So many characters of what is evaluated are searched for a definition.
const MOST_OF_CALL: usize = 200;

/// What may define names in the spaces of a project.
pub(crate) struct Makers<'f, 'q, 'i> {
    file: &'f File<'q, 'i>,
    words: &'static NameWords,
    /// What is known of spaces.
    spaces: FxHashMap<String, Known<'i>>,
    /// The macros of the project that export what they define, as heads of forms have them.
    exporting: OnceCell<FxHashSet<String>>,
}

/// What may define names in a space that the index does not know.
#[derive(Clone)]
enum Known<'i> {
    /// Anything.
    Nothing,
    /// The forms of which nothing is known, each with the text of its file.
    But(Vec<(&'i str, &'i FormRow)>),
}

impl<'f, 'q, 'i> Makers<'f, 'q, 'i> {
    /// Those for the names of a file.
    pub(crate) fn of(file: &'f File<'q, 'i>) -> Self {
        Self {
            file,
            words: &call_words(file.dialect()).names,
            spaces: FxHashMap::default(),
            exporting: OnceCell::new(),
        }
    }

    /// The name is like what a structure or class of the project makes: an accessor, constructor, predicate or copier.
    pub(crate) fn may_be_made(&self, name: &str) -> bool {
        let rest = ["make-", "copy-"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
        let folded = rest.to_ascii_lowercase();
        // `a-b-c` may be an accessor of `a` or `a-b`.
        let ends =
            folded.match_indices('-').map(|(at, _)| at).chain([folded.len(), folded.trim_end_matches('p').len()]);
        let stems: Vec<&str> = ends.map(|end| &folded[..end]).collect();
        let spelled = |stem: &&str| match self.file.dialect().folds_case() {
            true => stem.to_ascii_uppercase(),
            false => (*stem).to_owned(),
        };
        stems.iter().map(spelled).any(|stem| {
            self.file.question.named(&stem).any(|hit| {
                let makes_more = |row: &FormRow| {
                    let text = &hit.document.text[row.span.range()];
                    matches!(row.kind, FormKind::Structure | FormKind::Class | FormKind::Type)
                        && !(self.words.shown.contains(&row.head.as_str()) && shows_all(text))
                };
                hit.used.kind == UseKind::Definition && hit.form().is_some_and(makes_more)
            })
        })
    }

    /// Code of the project computes names that begin and end like this one, where any file can define any name.
    pub(crate) fn may_be_computed(&self, name: &str) -> bool {
        let folds = self.file.dialect().folds_case();
        let mut all = self.file.question.documents().iter().flat_map(|document| &document.facts.computed);
        self.words.by_prefix && all.any(|one| one.of_space.is_none() && one.may_be(name, "", folds))
    }

    /// Something may define the name in the space: a macro of which nothing is known, or code that makes names.
    pub(crate) fn may_define(&mut self, space: &str, name: &str) -> bool {
        self.has_definition(space, name, Sort::Function) || self.may_be_conjured(space, name)
    }

    /// A place that is not understood may define something of the name.
    pub(crate) fn has_definition(&self, space: &str, name: &str, sort: Sort) -> bool {
        let mut hits = self.file.question.named(name);
        // Foreign functions are defined by the text of their names: `(defcfun "end_of_line" …)`.
        let text = format!("\"{}\"", name.to_lowercase());
        let is_foreign = |name: String| {
            let symbol = Symbol { space: space.to_owned(), name };
            !self.file.question.definitions(&symbol).is_empty()
        };
        let is_text = is_foreign(text.replace('-', "_")) || is_foreign(text);
        is_text || hits.any(|hit| !self.is_mere_use(&hit) && !self.is_of_other_sort(&hit, name, sort))
    }

    /// A form of which nothing is known, or code that makes names, may define the name in the space.
    pub(crate) fn may_be_conjured(&mut self, space: &str, name: &str) -> bool {
        let known = match self.spaces.get(space) {
            Some(known) => known.clone(),
            None => {
                let known = self.known(space);
                self.spaces.insert(space.to_owned(), known.clone());
                known
            }
        };
        match known {
            Known::Nothing => true,
            Known::But(forms) => forms.iter().any(|(text, row)| may_make(&text[row.span.range()], name)),
        }
    }

    fn known(&self, space: &str) -> Known<'i> {
        let question = self.file.question;
        let documents = match self.words.by_prefix || space.is_empty() {
            true => vec![self.file.document],
            false => question.documents_in(space),
        };
        let mut forms = Vec::new();
        if documents.is_empty() {
            return Known::Nothing;
        }
        for document in documents {
            let text: &'i str = &document.text;
            if !document.is_balanced || self.words.conjures.iter().any(|word| conjures(text, word)) {
                return Known::Nothing;
            }
            let is_open = |row: &&'i FormRow| !self.is_clear(document, row);
            forms.extend(document.facts.forms.iter().filter(is_open).map(|row| (text, row)));
        }
        Known::But(forms)
    }

    /// The form defines what its own definition shows, or nothing.
    pub(crate) fn is_clear(&self, document: &Document, row: &FormRow) -> bool {
        let dialect = self.file.dialect();
        if !document.text[row.span.range()].starts_with(['(', '[', '{']) {
            return true;
        }
        // One that includes another has accessors for its slots, too.
        if row.kind == FormKind::Structure {
            return !document.text[row.span.range()].to_ascii_lowercase().contains("include");
        }
        if matches!(row.kind, FormKind::Function | FormKind::Variable | FormKind::GenericFunction | FormKind::Method)
            && call_words(dialect).definers.contains(&row.head.as_str())
        {
            return true;
        }
        // Macros of the language, too, define names that they make of others: `(define-logger shop)`.
        if self.words.by_macros && is_other_definer(&row.head) {
            return false;
        }
        if dialect.special_form(&row.head).is_some()
            || dialect.standard_operator(&row.head).is_some()
            || self.words.clear.split_whitespace().any(|head| head == row.head)
            || call_words(dialect).asserts.contains(&row.head.as_str())
        {
            return true;
        }
        let start = row.span.start + 1;
        let begin = &document.text[start as usize..row.span.end as usize];
        let length = begin.find(|next: char| next.is_whitespace() || "()[]".contains(next)).unwrap_or(begin.len());
        let head = Span::new(start, start + length as u32);
        let (Referent::Is(symbol) | Referent::Unknown(symbol)) = self.file.question.meaning_at(document, head);
        let definitions = self.file.question.definitions(&symbol);
        // A call without arguments has no name to define, unless it is called like a definer or its macro makes the names.
        if begin[length..].trim_start().starts_with(')') && !row.head.contains("def") {
            let defines = |document: &Document, one: &Definition| {
                let macro_ = &document.facts.forms[one.form as usize];
                one.kind == FormKind::Macro
                    && document.text[macro_.name.end as usize..macro_.span.end as usize].contains("(def")
            };
            return !definitions.iter().any(|(document, one)| defines(document, one));
        }
        !definitions.is_empty() && definitions.iter().all(|(_, one)| one.kind == FormKind::Function)
    }

    /// The place defines something of another sort than the one that is asked for, or declares what is not bound.
    pub(crate) fn is_of_other_sort(&self, hit: &Hit<'_>, name: &str, sort: Sort) -> bool {
        let dialect = self.file.dialect();
        if !sort.is_apart(dialect) {
            return false;
        }
        match hit.used.kind {
            UseKind::Definition => hit.form().is_some_and(|form| {
                let made = hit.used.span() != form.name;
                !sort.may_be_defined(dialect, form, made)
            }),
            UseKind::Method => true,
            // A package exports what has the name.
            UseKind::Export => self.file.question.definitions_named(name).next().is_some(),
            UseKind::Quoted => std::ptr::eq(hit.document, self.file.document) && self.is_declared(hit.used.span()),
            _ => false,
        }
    }

    /// The place is in a declaration of the file.
    fn is_declared(&self, at: Span) -> bool {
        let file = self.file;
        let lists = file.lists_around(at);
        lists.take(3).any(|list| file.head_of(list).is_some_and(|head| head == "declare"))
    }

    /// The place uses the name and cannot define it.
    pub(crate) fn is_mere_use(&self, hit: &Hit<'_>) -> bool {
        // In a function, an assignment comes too late to define a variable for the compiler, and a declaration is none of one.
        let has_declarations = !self.words.no_variables.is_empty();
        let is_late = hit.used.kind == UseKind::Assignment || (hit.used.kind == UseKind::Export && has_declarations);
        if is_late && hit.document.facts.owner_of(hit.used).is_none() {
            return hit.form().is_some_and(|form| matches!(form.kind, FormKind::Function | FormKind::Method));
        }
        if !matches!(hit.used.kind, UseKind::Call | UseKind::Value | UseKind::Template) && !is_of_import(hit) {
            return false;
        }
        if hit.used.kind == UseKind::Call || is_of_import(hit) {
            return true;
        }
        // `(def-something name …)`
        let before = hit.document.text[..hit.used.start as usize].trim_end_matches([' ', '\t', '\n', '\'', '`', ',']);
        let head = before.rsplit(['(', '[', '{', ' ', '\n']).next().unwrap_or_default();
        let is_second = before.strip_suffix(head).is_some_and(|rest| rest.ends_with('('));
        !is_second || !head.to_ascii_lowercase().contains("def")
    }

    /// No code of the project changes what the space exports in a way that is not read.
    pub(crate) fn exports_are_written(&self, space: &str) -> bool {
        let documents = self.file.question.documents_in(space);
        let is_computed = |text: &str| {
            let is_library = text.contains("(library") || text.contains("(define-library");
            let nested = self.words.exporter.filter(|_| !is_library);
            self.computes_exports(text)
                || nested
                    .is_some_and(|word| text.match_indices(word).any(|(at, _)| at > 0 && !text[..at].ends_with('\n')))
        };
        let is_exporting = |row: &FormRow| self.exporting().contains(row.head.rsplit(':').next().unwrap_or(&row.head));
        let is_written = self.file.question.declarations(space).all(|one| !one.exports_more);
        if self.words.by_macros {
            return is_written && self.provides_itself(space, &documents);
        }
        // A call of `export` with what is computed.
        let computes = |hit: &Hit<'_>| {
            let after = hit.document.text[hit.used.span().end as usize..].trim_start();
            hit.used.kind == UseKind::Call && !after.starts_with(['\'', ':', '"'])
        };
        let mut exports = self.words.export_function.into_iter().flat_map(|name| self.file.question.named(name));
        is_written
            && !exports.any(|hit| computes(&hit))
            && !documents.is_empty()
            && documents.iter().all(|document| document.is_balanced && !is_computed(&document.text))
            && !documents.iter().any(|document| document.facts.forms.iter().any(is_exporting))
    }

    /// The module says itself what it provides, and no macro of it is called as if it did.
    fn provides_itself(&self, space: &str, documents: &[&Document]) -> bool {
        let says = |one: &Space| !one.provides.is_empty() || one.exports != Exports::Names(Vec::new());
        let provides = |row: &FormRow| {
            let is_other =
                row.head.contains("provide") && !["provide", "provide/contract"].contains(&row.head.as_str());
            is_other || self.exporting().contains(&row.head)
        };
        documents.iter().all(|document| document.is_balanced)
            && self.file.question.declarations(space).any(says)
            && !documents.iter().any(|document| document.facts.forms.iter().any(provides))
    }

    /// Code in the text exports what is not read.
    fn computes_exports(&self, text: &str) -> bool {
        self.words.computed_exports.iter().any(|word| text.contains(word))
    }

    fn exporting(&self) -> &FxHashSet<String> {
        self.exporting.get_or_init(|| {
            let exports = |text: &str| match self.words.exporter.filter(|_| self.words.by_macros) {
                Some(word) => text.contains(word),
                None => self.computes_exports(text),
            };
            let mut names = FxHashSet::default();
            for document in self.file.question.documents().iter().filter(|document| exports(&document.text)) {
                let macros = document.facts.forms.iter().filter(|row| row.kind == FormKind::Macro);
                let exporting = macros.filter(|row| exports(&document.text[row.span.range()]));
                names.extend(exporting.map(|row| {
                    let name = &document.text[row.name.range()];
                    canonical_head(self.file.dialect(), name).into_owned()
                }));
            }
            names
        })
    }
}

/// The form of a structure or class has no part that is not read.
fn shows_all(form: &str) -> bool {
    let form = form.to_ascii_lowercase();
    ["include", "#+", "#-", "#.", "#?", ":type"].iter().all(|word| !form.contains(word))
}

/// The name is written in an import.
fn is_of_import(hit: &Hit<'_>) -> bool {
    hit.used.kind == UseKind::Export && hit.document.facts.owner_of(hit.used).is_some()
}

/// The text of a file has this beginning of a form that makes names, and does not write the name after it. What is
/// evaluated makes a name if it is a definition.
fn conjures(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let rest = &text[at + word.len()..];
        // `cond-expand-provide` is another word.
        if word.ends_with("cond-expand") && rest.starts_with('-') {
            return false;
        }
        let rest = rest.trim_start_matches(' ');
        match word {
            _ if word.contains("eval") => rest.starts_with('`') || rest[..end_of_call(rest)].contains("def"),
            // What a function loads is there when it has run, not when its file is compiled.
            "(load " => text[..at].is_empty() || text[..at].ends_with('\n'),
            _ => !rest.starts_with('\''),
        }
    })
}

/// Where the call ends in whose arguments the text begins, as far as brackets alone say.
fn end_of_call(text: &str) -> usize {
    let mut depth = 0;
    let mut ends = text.char_indices().take(MOST_OF_CALL).filter(|(_, one)| match one {
        '(' => {
            depth += 1;
            false
        }
        ')' => {
            depth -= 1;
            depth < 0
        }
        _ => false,
    });
    ends.next().map_or_else(|| text.char_indices().nth(MOST_OF_CALL).map_or(text.len(), |(end, _)| end), |(end, _)| end)
}

/// What a form of which nothing is known may define: names that have a symbol of the form in them, or anything if it has no
/// symbols, or if it is called like a definer and begins with a string: `(def-db-fns "names.sql")`.
fn may_make(source: &str, name: &str) -> bool {
    let is_end = |next: char| next.is_whitespace() || "()[]{}\"'`,;#@^:/".contains(next);
    let head = source.trim_start_matches(['(', '[', '{']);
    let head = &head[..head.find(|next: char| next.is_whitespace() || "()[]{}\"".contains(next)).unwrap_or(head.len())];
    let after = source.split_once(head).map_or("", |(_, after)| after.trim_start());
    if head.contains("def") && after.starts_with('"') {
        return true;
    }
    let source = &without_texts(source);
    let name = name.to_ascii_lowercase();
    // `(define-tokens values (ID))` makes `token-ID`.
    let is_part = |symbol: &str| name.split(['-', '/', ':', '?', '!']).any(|part| part.eq_ignore_ascii_case(symbol));
    if source.split(is_end).skip(2).any(|symbol| !symbol.is_empty() && symbol.len() <= 2 && is_part(symbol)) {
        return true;
    }
    let mut symbols = source.split(is_end).filter(|symbol| symbol.len() > 2).skip(1).peekable();
    let is_in_name = |symbol: &str| name.contains(&symbol.to_ascii_lowercase());
    // `(define-cpointer-type _handle)` makes `handle?`.
    if symbols.peek().is_none()
        || symbols.any(|symbol| is_in_name(symbol) || is_in_name(symbol.trim_start_matches('_')))
    {
        return true;
    }
    // A short name is one that what it makes begins with: `(def-type F [name])` makes `F?` and `F-maker`.
    let first = after.split(is_end).next().unwrap_or_default().to_ascii_lowercase();
    let stem = ["map->", "->", "make-"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(&name);
    let rest = stem.strip_prefix(&first).filter(|_| !first.is_empty());
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// The source without what is in strings and comments of lines.
fn without_texts(source: &str) -> String {
    let mut kept = String::with_capacity(source.len());
    let mut rest = source.chars();
    while let Some(next) = rest.next() {
        match next {
            '\\' => drop(rest.next()),
            ';' => drop(rest.by_ref().find(|one| *one == '\n')),
            '"' => {
                while let Some(one) = rest.next() {
                    match one {
                        '\\' => drop(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            next => kept.push(next),
        }
    }
    kept
}
