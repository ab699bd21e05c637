//! Judges every place that holds one of the names.

use std::cmp::Reverse;

use lispwright_edit::{Change, Changes, Source};
use lispwright_index::{
    AskedSymbols, Document, Facts, Holds, LanguageOf, MarkRole, Meant, NamePlace, Namespace, Owner, PossibleReason,
    Referent, Symbol, UseIndex, UseKind, data_are_names, holds, spelled, symbol_name, variables_are_special,
};
use lispwright_syntax::{Dialect, FormKind, Span, TokenKind, read};
use rustc_hash::FxHashSet;

use crate::mention::{MentionKind, NameMention, words};
use crate::refusal::{Doubt, RenameRefusal, Spot, Untold};
use crate::rename::{Named, RenameRequest};
use crate::target::Target;

/// Functions that find a symbol by the names of its package and itself, which they take as strings or keywords.
const BY_NAME: &[&str] = &["symbol-call", "find-symbol", "find-symbol*", "intern", "intern*", "ensure-symbol"];

/// The beginning of a comment that is code for another file.
const COOKIE: &str = ";;;###autoload ";

/// What has to change, and what stays.
pub(crate) struct Collected<'i> {
    pub(crate) planned: Vec<Planned<'i>>,
    pub(crate) left: Vec<NameMention>,
    pub(crate) strangers: Vec<String>,
}

/// The changes of a file.
pub(crate) struct Planned<'i> {
    pub(crate) document: &'i Document,
    pub(crate) source: Source<'i>,
    pub(crate) changes: Vec<Change>,
    pub(crate) uses: Vec<(UseKind, usize)>,
    pub(crate) mentions: usize,
}

/// The search for places.
pub(crate) struct Collector<'c, 'i> {
    question: &'c UseIndex<'i>,
    named: &'c [Named],
    also: &'c [MentionKind],
    told: &'c dyn Fn(&str, &str) -> Option<bool>,
    language_of: LanguageOf<'c>,
    /// Local bindings of the name are dynamic, so they mean the same variable.
    is_special: bool,
    /// The prefixes that imports and exports give to names.
    prefixes: Vec<String>,
    /// The names that places are searched for.
    names: FxHashSet<String>,
    /// The symbols, with what their definitions say of other places.
    asked: AskedSymbols<'i>,
}

/// The decision about a place.
enum Verdict {
    Change(UseKind),
    Mention(MentionKind),
    Leave,
    Doubt(Doubt),
}

impl<'c, 'i> Collector<'c, 'i> {
    pub(crate) fn new(
        question: &'c UseIndex<'i>,
        target: &Target<'_>,
        named: &'c [Named],
        request: &RenameRequest<'c>,
    ) -> Self {
        let is_variable = |kind| kind == FormKind::Variable;
        let is_special =
            variables_are_special(target.dialect) && target.definitions.iter().any(|(_, one)| is_variable(one.kind));
        let prefixes = prefixes(question);
        let names = named.iter().flat_map(|one| prefixes.iter().map(move |prefix| format!("{prefix}{}", one.old.name)));
        let names = names.collect();
        Self {
            question,
            named,
            also: request.also,
            told: request.told,
            language_of: request.language_of,
            is_special,
            prefixes,
            names,
            asked: question.asked(named.iter().map(|one| one.old.clone()).collect()),
        }
    }

    pub(crate) fn collect(&self) -> Result<Collected<'i>, RenameRefusal> {
        if self.is_special {
            self.no_local_has_new_name()?;
        }
        let mut collected = Collected { planned: Vec::new(), left: Vec::new(), strangers: Vec::new() };
        let mut slots: Vec<Symbol> = Vec::new();
        let mut quoted: Vec<(Symbol, Spot)> = Vec::new();
        let mut free = Free::default();
        let mut doubts: Vec<(Spot, Doubt)> = Vec::new();
        let mut asks: Vec<(String, String)> = Vec::new();
        for &document in self.question.documents() {
            if !self.named.iter().any(|one| self.mentions(&document.text, &one.old.name)) {
                continue;
            }
            if !document.is_balanced {
                return Err(RenameRefusal::Unbalanced { path: document.path.clone() });
            }
            let Some(language) = (self.language_of)(&document.path, &document.text) else { continue };
            let source = Source::read(&document.text, language);
            let facts = self.question.facts_with_marks(document, &source.tree);
            let mut file = File { document, source, changes: Vec::new(), uses: Vec::new(), mentions: 0 };
            for place in self.question.places(document, &file.source.tree, &facts, &self.names) {
                let known = self.known(&place.meaning);
                if let (Holds::Role(MarkRole::Slot), Some(one)) = (place.holds, known) {
                    slots.push(one.old.clone());
                }
                if let (Some(namespace), Some(one)) = (place.namespace, known) {
                    free.note(document, &place, namespace, &one.old);
                }
                match self.judge(&file, &facts, &place) {
                    Verdict::Doubt(why) => {
                        let ask = self.written_in(document, &place);
                        if matches!(why, Doubt::Undeclared { .. }) && !asks.contains(&ask) {
                            asks.push(ask);
                        }
                        doubts.push((Spot::of(document, place.written.start), why));
                    }
                    Verdict::Change(kind) => {
                        let is_data = kind == UseKind::Quoted
                            || (kind == UseKind::Template && is_quoted(document, place.written.start));
                        if let (true, Some(one)) = (is_data, known) {
                            quoted.push((one.old.clone(), Spot::of(document, place.written.start)));
                        }
                        self.change(&mut file, &place, kind);
                    }
                    Verdict::Mention(kind) if self.also.contains(&kind) => self.change_mention(&mut file, &place),
                    Verdict::Mention(kind) => collected.left.push(mention(document, place.span.start, kind)),
                    Verdict::Leave => {}
                }
                self.note_strangers(document, &place, &mut collected.strangers);
            }
            self.prose(&mut file, &facts, &mut collected.left);
            if !file.changes.is_empty() {
                let File { document, source, mut changes, mut uses, mentions } = file;
                changes.sort_by_key(|change| change.span.start);
                changes.dedup_by_key(|change| change.span.start);
                uses.sort_unstable();
                collected.planned.push(Planned { document, source, changes, uses, mentions });
            }
        }
        // A symbol in data can be the name of the slot as well.
        let is_slot = |(symbol, _): &(Symbol, Spot)| slots.contains(symbol);
        doubts.extend(quoted.into_iter().find(is_slot).map(|(_, spot)| (spot, Doubt::SlotOrName)));
        let free = free.doubt(|symbol, namespace| self.has(symbol, namespace));
        doubts.extend(free.map(|(spot, local)| (spot, Doubt::Free { local: Box::new(local) })));
        let mut doubts = doubts.into_iter();
        if let Some((spot, why)) = doubts.next() {
            let symbol = self.named.first().map(|one| one.old.clone()).unwrap_or_default();
            let others = doubts.map(|(spot, _)| spot).collect();
            return Err(RenameRefusal::CannotTell { spot, why, more: Box::new(Untold { others, asks, symbol }) });
        }
        collected.strangers.sort_unstable();
        collected.strangers.dedup();
        collected.left.sort_by(|a, b| (a.kind, &a.path, a.line, a.column).cmp(&(b.kind, &b.path, b.line, b.column)));
        Ok(collected)
    }

    /// Refuses if a local variable has the new name of a special one: its binding would become dynamic.
    fn no_local_has_new_name(&self) -> Result<(), RenameRefusal> {
        for one in self.named {
            let new = one.new_symbol();
            let names = FxHashSet::from_iter([new.name.clone()]);
            for &document in
                self.question.documents().iter().filter(|document| self.mentions(&document.text, &new.name))
            {
                let Some(language) = (self.language_of)(&document.path, &document.text) else { continue };
                let tree = read(&document.text, language).learning(&document.text);
                let facts = self.question.facts_with_marks(document, &tree);
                let places = self.question.places(document, &tree, &facts, &names);
                let is_local = |place: &&NamePlace| place.holds == Holds::Role(MarkRole::Local);
                let same = places.iter().filter(is_local).find(|place| place.meaning == Referent::Is(new.clone()));
                if let Some(place) = same {
                    let spot = Box::new(Spot::of(document, place.written.start));
                    return Err(RenameRefusal::Collides { name: one.new.written.clone(), spot, symbol: new });
                }
            }
        }
        Ok(())
    }

    /// The project defines a function or a variable of that name.
    fn has(&self, symbol: &Symbol, namespace: Namespace) -> bool {
        let is_variable = |kind| kind == FormKind::Variable;
        let definitions = self.question.definitions(symbol);
        let mut kinds = definitions.iter().map(|(_, one)| is_variable(one.kind) == (namespace == Namespace::Variables));
        // A macro of the project may define anything.
        kinds.any(|is_it| is_it) || definitions.iter().any(|(_, one)| one.kind == FormKind::Definition)
    }

    /// The text has the name, perhaps as a part of another.
    fn mentions(&self, text: &str, name: &str) -> bool {
        holds(text, name, self.question.dialect().folds_case())
    }

    fn known(&self, meaning: &Referent) -> Option<&'c Named> {
        let Referent::Is(symbol) = meaning else { return None };
        self.named.iter().find(|one| one.old == *symbol)
    }

    fn judge(&self, file: &File<'i>, facts: &Facts, place: &NamePlace) -> Verdict {
        let document = file.document;
        let known = self.known(&place.meaning);
        if self.question.may_be_member(&self.asked, place) {
            return Verdict::Doubt(Doubt::MayMean { reason: PossibleReason::OfObject });
        }
        if let (Holds::Use(_), Some(one)) = (place.holds, known)
            && self.question.means_in_others(document, place.written).any(|meant| meant != one.old)
        {
            return Verdict::Doubt(Doubt::MayMean { reason: PossibleReason::InSeveral });
        }
        match (place.holds, known) {
            (Holds::Use(UseKind::Quoted), Some(_)) if !data_are_names(self.question.dialect()) => {
                Verdict::Mention(MentionKind::Quoted)
            }
            // The name of a group of options is no name of a function.
            (Holds::Use(UseKind::Quoted), Some(_)) if follows_keyword(file, place.written, &[":group"]) => {
                Verdict::Leave
            }
            (Holds::Use(kind), Some(one)) => match self.macro_around(document, facts, place) {
                Some(head) => Verdict::Doubt(Doubt::InMacro { head }),
                None if self.is_written(file, place, one) => Verdict::Change(kind),
                None => Verdict::Leave,
            },
            (Holds::Use(UseKind::Quoted), None) if self.question.is_bare_symbol(&self.asked, place) => {
                Verdict::Mention(MentionKind::Quoted)
            }
            (Holds::Use(kind), None) => self.doubtful(document, place, kind),
            (Holds::Role(MarkRole::Perhaps), Some(_)) => {
                Verdict::Doubt(Doubt::MayMean { reason: PossibleReason::MayBeLocal })
            }
            (Holds::Role(MarkRole::Local), Some(_)) if self.is_special => Verdict::Change(UseKind::Binding),
            (Holds::Role(MarkRole::Special), Some(_)) if self.is_special => Verdict::Change(UseKind::Quoted),
            (Holds::Role(MarkRole::Special), Some(_)) => Verdict::Doubt(Doubt::Dynamic),
            (Holds::Role(MarkRole::Label), Some(_)) => Verdict::Change(UseKind::Value),
            (Holds::Role(MarkRole::Data), _) => Verdict::Mention(MentionKind::Quoted),
            (Holds::Role(_), _) => Verdict::Leave,
            (Holds::Keyword, _) => {
                match self.by_name(file, place.written) || self.is_declared(facts, document, place) {
                    true => Verdict::Change(UseKind::Quoted),
                    false => Verdict::Mention(MentionKind::Keyword),
                }
            }
            // The class of a component, where it is not the name of the system itself.
            (Holds::Declaration, Some(_)) if is_of_system(facts, place) => Verdict::Change(UseKind::Value),
            (Holds::Declaration, _) => match self.is_excluded(facts, document, place) {
                true => Verdict::Change(UseKind::Export),
                false => Verdict::Leave,
            },
            (Holds::Discarded, _) => Verdict::Mention(MentionKind::Disabled),
            (Holds::Unknown, Some(_)) => Verdict::Doubt(Doubt::Unplaced),
            (Holds::Unknown, None) => self.doubtful(document, place, UseKind::Value),
        }
    }

    /// The space in which a name at a place is looked up, and the name as it is written there.
    fn written_in(&self, document: &Document, place: &NamePlace) -> (String, String) {
        match document.facts.owner_at(place.written.start) {
            // `(find-symbol "AREA" "SHAPES")`
            Some(Owner::Space { name, .. }) => {
                let dialect = self.question.dialect();
                (name.clone(), spelled(dialect, &symbol_name(dialect, &document.text[place.span.range()])))
            }
            _ => {
                let space = document.facts.space_at(place.written.start);
                (space.to_owned(), document.text[place.written.range()].to_owned())
            }
        }
    }

    /// A place that is not known to mean one of the names, and may.
    fn doubtful(&self, document: &Document, place: &NamePlace, kind: UseKind) -> Verdict {
        let Meant::May(reason) = self.question.may_mean(document, &self.asked, place) else { return Verdict::Leave };
        let space = document.facts.space_at(place.written.start);
        let (asked, written) = self.written_in(document, place);
        match (self.told)(&asked, &written) {
            Some(true) => return Verdict::Change(kind),
            Some(false) => return Verdict::Leave,
            None => {}
        }
        let (Referent::Is(meant) | Referent::Unknown(meant)) = &place.meaning;
        let others = self.question.outside(space).into_iter();
        let from = others.filter(|from| !self.question.is_of_library(from)).chain([meant.space.clone()]).next();
        Verdict::Doubt(match (reason, from) {
            (PossibleReason::Undeclared, Some(space)) => Doubt::Undeclared { space },
            (reason, _) => Doubt::MayMean { reason },
        })
    }

    /// The macro whose argument the place is in, if a local name is the same and the macro may bind it or take it as data.
    fn macro_around(&self, document: &Document, facts: &Facts, place: &NamePlace) -> Option<String> {
        let at = facts.doubtful.binary_search_by_key(&place.written.start, |one| one.start).ok()?;
        let around = &facts.doubtful[at].around;
        let (head, _) = around.iter().find(|(head, argument)| !self.takes_code(document, *head, *argument))?;
        Some(document.text[head.range()].to_owned())
    }

    /// The argument of a call is code: of a function, of a macro of the language, or in the body of a macro.
    fn takes_code(&self, document: &Document, head: Span, argument: usize) -> bool {
        let meaning = self.question.meaning_at(document, head);
        let (Referent::Is(symbol) | Referent::Unknown(symbol)) = meaning;
        let definitions = self.question.definitions(&symbol);
        if definitions.is_empty() {
            let dialect = self.question.dialect();
            let is_of_language = dialect.is_standard(&symbol.name) || dialect.standard_operator(&symbol.name).is_some();
            // A macro of a library usually takes what it binds as its first argument.
            return is_of_language || argument > 0 || !may_be_macro(dialect, &symbol.name);
        }
        let macros = definitions.iter().filter(|(_, one)| one.kind == FormKind::Macro);
        macros.into_iter().all(|(document, one)| {
            let form = &document.facts.forms[one.form as usize];
            let parameters = document.text.get(form.name.end as usize..form.span.end as usize).unwrap_or_default();
            body_parameter(parameters).is_some_and(|body| argument >= body)
        })
    }

    /// The place writes the name itself, perhaps after a prefix, and not another name that an import gives it.
    fn is_written(&self, file: &File<'_>, place: &NamePlace, one: &Named) -> bool {
        self.prefix(file, place, one).is_some()
    }

    fn prefix(&self, file: &File<'_>, place: &NamePlace, one: &Named) -> Option<&str> {
        let written = &file.document.text[place.span.range()];
        let is_string = file.document.text[place.written.start as usize..].starts_with('"');
        let name = if is_string { written.to_owned() } else { symbol_name(self.question.dialect(), written) };
        let prefix = name.strip_suffix(one.old.name.as_str())?;
        self.prefixes.iter().map(String::as_str).find(|known| *known == prefix)
    }

    fn change(&self, file: &mut File<'i>, place: &NamePlace, kind: UseKind) {
        let Some(one) = self.known(&place.meaning).or_else(|| self.of_name(file, place)) else { return };
        let prefix = self.prefix(file, place, one).unwrap_or_default().len() as u32;
        let span = Span::new(place.span.start + prefix, place.span.end);
        let old = &file.document.text[span.range()];
        let is_string = file.document.text[place.written.start as usize..].starts_with('"');
        let text = if is_string { one.new.canonical.clone() } else { one.new.instead_of(old) };
        file.changes.push(Change { span, text, changes: Changes::Name });
        match file.uses.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => file.uses.push((kind, 1)),
        }
    }

    fn change_mention(&self, file: &mut File<'i>, place: &NamePlace) {
        let Some(one) = self.of_name(file, place) else { return };
        let text = one.new.instead_of(&file.document.text[place.span.range()]);
        file.changes.push(Change { span: place.span, text, changes: Changes::Name });
        file.mentions += 1;
    }

    /// The name that a place holds, whatever it means there.
    fn of_name(&self, file: &File<'_>, place: &NamePlace) -> Option<&'c Named> {
        let name = symbol_name(self.question.dialect(), &file.document.text[place.span.range()]);
        self.named.iter().find(|one| one.old.name == name)
    }

    /// The symbol or string is the name that a function such as `symbol-call` gets, with the package of the target.
    fn by_name(&self, file: &File<'_>, written: Span) -> bool {
        let (tree, text) = (&file.source.tree, file.document.text.as_str());
        let Some(list) = tree.token_at(written.start).and_then(|token| tree.list_around(token)) else { return false };
        let data: Vec<Span> = tree.data(list).map(|datum| tree.core_span(datum)).collect();
        let Some((head, rest)) = data.split_first() else { return false };
        let head = lispwright_syntax::name::canonical_head(self.question.dialect(), &text[head.range()]);
        if !BY_NAME.contains(&&*head) {
            return false;
        }
        let own = |space: &str| self.named.iter().any(|one| self.question.is_space(space, &one.old.space));
        rest.iter().filter(|span| **span != written).any(|span| {
            let name = text[span.range()].trim_start_matches("#:").trim_start_matches([':', '\'']).trim_matches('"');
            own(name)
        })
    }

    /// The symbol stands in the form that makes the package of the target, in a way that only a macro knows:
    /// `(:export ,@'(#:name))`.
    fn is_declared(&self, facts: &Facts, document: &Document, place: &NamePlace) -> bool {
        let name = symbol_name(self.question.dialect(), &document.text[place.span.range()]);
        let top = |at: u32| facts.forms.iter().find(|form| form.span.contains(at)).map(|form| form.span);
        // A keyword can be a word of the declaration: `(:use …)`.
        let is_plain = document.text[place.written.start as usize..].starts_with("#:");
        let is_name = facts.forms.iter().any(|form| form.name.encloses(place.written));
        let form = top(place.written.start).filter(|_| is_plain && !is_name);
        facts.spaces.iter().filter(|space| form.is_some() && top(space.at) == form).any(|space| {
            self.named.iter().any(|one| one.old.name == name && self.question.is_space(&space.name, &one.old.space))
        })
    }

    /// The declaration says that the name is not imported.
    fn is_excluded(&self, facts: &Facts, document: &Document, place: &NamePlace) -> bool {
        let name = symbol_name(self.question.dialect(), &document.text[place.span.range()]);
        let imports = facts.spaces.iter().flat_map(|space| &space.imports);
        imports.filter(|import| import.except.contains(&name)).any(|import| {
            self.named.iter().any(|one| one.old.name == name && self.question.is_space(&import.from, &one.old.space))
        })
    }

    /// Notes the spaces outside of the project from which the name of a place can come.
    fn note_strangers(&self, document: &Document, place: &NamePlace, strangers: &mut Vec<String>) {
        if let (Referent::Unknown(_), Holds::Use(_) | Holds::Unknown) = (&place.meaning, place.holds) {
            let space = document.facts.space_at(place.written.start);
            strangers.extend(self.question.outside(space));
        }
    }

    /// Finds the names in comments and strings.
    fn prose(&self, file: &mut File<'i>, facts: &Facts, left: &mut Vec<NameMention>) {
        let document = file.document;
        let folds = self.question.dialect().folds_case();
        let docstrings: FxHashSet<u32> =
            facts.forms.iter().filter_map(|form| form.docstring).map(|span| span.start).collect();
        let changed: FxHashSet<u32> = file.changes.iter().map(|change| change.span.start).collect();
        let mut found: Vec<Change> = Vec::new();
        for (kind, token) in file.source.tree.tokens() {
            let text = &document.text[token.range()];
            let is_comment = kind.is_trivia() && kind != TokenKind::Blank;
            if !is_comment && kind != TokenKind::String {
                continue;
            }
            let is_code = text.starts_with(COOKIE) || (!is_comment && self.is_designator(file, token));
            let words_of = |one: &'c Named| {
                words(text, &one.old.name, folds, &one.new)
                    .into_iter()
                    .map(move |(start, end, new)| (start, end, new, one))
            };
            let mut inside: Vec<(usize, usize, String, &Named)> = self.named.iter().flat_map(words_of).collect();
            inside.sort_by_key(|(start, end, ..)| (*start, Reverse(*end)));
            let mut free_from = 0;
            for (start, end, new, one) in inside {
                let span = Span::new(token.start + start as u32, token.start + end as u32);
                // `foo` inside of `(setf foo)` is no place of its own.
                if start < free_from || changed.contains(&span.start) {
                    continue;
                }
                free_from = end;
                let is_code = is_code || (!is_comment && self.is_directive(text, start, end, one));
                let kind = match is_comment {
                    true => MentionKind::Comment,
                    false if docstrings.contains(&token.start) => MentionKind::Docstring,
                    false => MentionKind::String,
                };
                if is_code || self.also.contains(&kind) {
                    found.push(Change { span, text: new, changes: Changes::Name });
                } else {
                    left.push(mention(document, span.start, kind));
                }
            }
        }
        file.mentions += found.len();
        file.changes.extend(found);
    }

    /// The word is the function of a directive `~/package:name/` (CLHS 22.3.5.4).
    fn is_directive(&self, text: &str, start: usize, end: usize, one: &Named) -> bool {
        let Some(before) = text[..start].strip_suffix(':') else { return false };
        let before = before.strip_suffix(':').unwrap_or(before);
        let Some(slash) = before.rfind('/').filter(|_| text[end..].starts_with('/')) else { return false };
        let is_directive =
            before[..slash].trim_end_matches([':', '@']).ends_with(|c: char| c == '~' || c.is_ascii_digit());
        is_directive && self.question.is_space(&before[slash + 1..], &one.old.space)
    }

    /// The string is the name of a symbol with its package, or of a symbol whose package stands beside it.
    fn is_designator(&self, file: &File<'_>, token: Span) -> bool {
        let text = file.document.text[token.range()].trim_matches('"');
        if follows_keyword(file, token, &[":entry-point"]) {
            let name = symbol_name(self.question.dialect(), text);
            let space = text.split(':').next().unwrap_or_default();
            return self.named.iter().any(|one| one.old.name == name && self.question.is_space(space, &one.old.space));
        }
        self.named.iter().any(|one| one.old.name == text) && self.by_name(file, token)
    }
}

/// The places where the namespaces of functions and variables matter.
#[derive(Default)]
struct Free {
    /// Uses that no local name hides.
    uses: Vec<(Symbol, Namespace, Spot)>,
    /// Local names.
    locals: Vec<(Symbol, Namespace, Spot)>,
}

impl Free {
    fn note(&mut self, document: &Document, place: &NamePlace, namespace: Namespace, symbol: &Symbol) {
        let list = match place.holds {
            Holds::Use(_) => &mut self.uses,
            _ => &mut self.locals,
        };
        if list.iter().all(|(known, other, _)| (known, *other) != (symbol, namespace)) {
            list.push((symbol.clone(), namespace, Spot::of(document, place.written.start)));
        }
    }

    /// A use in a namespace in which the project does not define the name, and a local name in it.
    fn doubt(self, has: impl Fn(&Symbol, Namespace) -> bool) -> Option<(Spot, Spot)> {
        let Self { uses, locals } = self;
        uses.into_iter().filter(|(symbol, namespace, _)| !has(symbol, *namespace)).find_map(
            |(symbol, namespace, spot)| {
                let same = locals.iter().find(|(known, other, _)| (known, *other) == (&symbol, namespace));
                same.map(|(_, _, local)| (spot, local.clone()))
            },
        )
    }
}

/// A file whose places are being judged.
struct File<'i> {
    document: &'i Document,
    source: Source<'i>,
    changes: Vec<Change>,
    uses: Vec<(UseKind, usize)>,
    mentions: usize,
}

/// The datum stands after one of the keywords.
fn follows_keyword(file: &File<'_>, place: Span, keywords: &[&str]) -> bool {
    let tree = &file.source.tree;
    let Some(token) = tree.token_at(place.start) else { return false };
    let before = (0..token).rev().find(|token| !tree.kind(*token).is_trivia() && !tree.kind(*token).is_prefix());
    before.is_some_and(|before| {
        let text = &file.document.text[tree.token_span(before).range()];
        keywords.iter().any(|keyword| text.eq_ignore_ascii_case(keyword))
    })
}

/// The number of the parameter after `&body` or `&rest`, from 0, if no parameter before it is in a list of its own.
fn body_parameter(parameters: &str) -> Option<usize> {
    let inside = parameters.trim().strip_prefix('(')?;
    let mut depth = 0_usize;
    let mut count = 0;
    for word in inside.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
        match word {
            "(" => depth += 1,
            ")" => {
                depth = depth.checked_sub(1)?;
                count += usize::from(depth == 0);
            }
            _ if depth > 0 => {}
            _ if word.eq_ignore_ascii_case("&body") || word.eq_ignore_ascii_case("&rest") => return Some(count),
            _ => count += usize::from(!word.starts_with('&')),
        }
    }
    None
}

/// The prefixes with which names of the project can be written: one that an export gives them, one that an import gives
/// them, that before this, or none.
fn prefixes(question: &UseIndex<'_>) -> Vec<String> {
    let distinct = |mut prefixes: Vec<String>| {
        prefixes.push(String::new());
        prefixes.sort_unstable();
        prefixes.dedup();
        prefixes
    };
    let imports = question.spaces().flat_map(|space| &space.imports).map(|import| import.prefix.clone());
    let exports = distinct(question.spaces().flat_map(|space| space.prefixes.iter().cloned()).collect());
    let both = |import: String| exports.iter().map(move |export| format!("{import}{export}"));
    distinct(distinct(imports.collect()).into_iter().flat_map(both).collect())
}

/// A name that nobody in the project defines may be that of a macro.
fn may_be_macro(dialect: Dialect, name: &str) -> bool {
    // In Emacs Lisp names tell; a library of Common Lisp may call its macros as it likes.
    let parts =
        ["with", "let", "let*", "bind", "do", "each", "once-only", "loop", "iter", "case", "when", "if", "while"];
    dialect.folds_case() || name.split('-').any(|part| parts.contains(&part) || part.starts_with("do"))
}

/// The place is in the definition of a system and is not its name.
fn is_of_system(facts: &Facts, place: &NamePlace) -> bool {
    let form = facts.form_at(place.written.start).map(|form| &facts.forms[form as usize]);
    form.is_some_and(|form| form.kind == FormKind::System && !form.name.encloses(place.written))
}

/// The symbol stands after a quote.
fn is_quoted(document: &Document, start: u32) -> bool {
    document.text[..start as usize].ends_with('\'') && !document.text[..start as usize].ends_with("#'")
}

fn mention(document: &Document, offset: u32, kind: MentionKind) -> NameMention {
    let Spot { path, line, column, text } = Spot::of(document, offset);
    NameMention { path, line, column, kind, text }
}
