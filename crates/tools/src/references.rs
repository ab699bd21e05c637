//! What the files of the project say of the references to a name: uses, possible uses, mentions, tests, and whether it may
//! be deleted; who names a package, system, feature or file; what a definition uses.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use lispwright_index::{
    Document, Hit, Index, Ledger, MentionKind, PossibleReason, Symbol, Thing, Things, Use, UseEvidence, UseIndex,
    UseKind, is_lisp, is_thing, owner_and_slot, space_word, thing_name, words,
};
use lispwright_project::{read_anywhere, survey};
use lispwright_syntax::{Dialect, FormKind, Language, LineIndex, Span};

use crate::code_find_references::{CallSite, Direction, Mention, PlaceThere, TestThere, ThingThere};
use crate::code_live::Origin;
use crate::image_text::one_line;

/// Forms that are looked at from caller to caller.
const MOST_FORMS: usize = 2_000;

/// Tests that are named.
const MOST_TESTS: usize = 50;

/// Characters of a line that is shown.
const CONTEXT: usize = 160;

/// Uses that are few enough for guesses to count.
const FEW: usize = 5;

/// Places of a name that nothing defines.
const MOST_WRITTEN: usize = 5;

/// Names that are offered when nothing is called as asked.
const MOST_NEAREST: usize = 5;

/// What is asked, apart from the name.
#[derive(Clone)]
pub(crate) struct Filter {
    pub(crate) kinds: Vec<&'static str>,
    pub(crate) tests_only: bool,
}

impl Filter {
    pub(crate) fn takes(&self, kind: &str, is_test: bool) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&kind)) && (!self.tests_only || is_test)
    }
}

/// What the files of the project say.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) mentions: Vec<Mention>,
    pub(crate) possible: Vec<PlaceThere>,
    pub(crate) words: Vec<PlaceThere>,
    pub(crate) tests: Vec<TestThere>,
    pub(crate) test_count: usize,
    pub(crate) filtered: usize,
    pub(crate) others: usize,
    pub(crate) definitions: usize,
    /// The names that were looked for, to be looked for in other files.
    pub(crate) names: Vec<String>,
    pub(crate) evidence: Option<UseEvidence>,
    pub(crate) thing: Option<ThingThere>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) nearest: Vec<String>,
    /// Places of a name that nothing defines: of local names, data, and words in texts.
    pub(crate) written: Vec<String>,
    pub(crate) files: usize,
    pub(crate) no_package: Option<String>,
    pub(crate) left_out: Vec<String>,
    pub(crate) ignored: Vec<String>,
}

/// The file, and where the form around a use begins in it, in bytes; the use itself outside of forms.
fn place_of<'q>(hit: &Hit<'q>) -> (&'q Path, u32) {
    (&hit.document.path, hit.form().map_or(hit.used.start, |form| form.span.start))
}

/// A look at the files of the project.
pub(crate) struct Looking<'q> {
    pub(crate) index: &'q Index,
    pub(crate) filter: &'q Filter,
    pub(crate) is_wanted: &'q dyn Fn(&str) -> bool,
    pub(crate) shown: &'q dyn Fn(&str) -> String,
}

impl<'q> Looking<'q> {
    pub(crate) fn look(
        &self,
        symbol: &str,
        package: Option<&str>,
        direction: Direction,
        depth: u32,
        dialect: Option<Dialect>,
    ) -> Known {
        let wanted = self.index.documents().filter(|document| self.wants(document));
        let here: HashSet<Dialect> = wanted.map(|document| document.dialect).collect();
        let is_here = |of: Dialect| here.contains(&of) && dialect.is_none_or(|dialect| dialect == of);
        let is_meant = |of: Dialect| of.has_special_forms() && is_here(of);
        let mut found = self.index.definitions(symbol, package);
        found.retain(|(document, one)| {
            is_here(document.dialect) && !matches!(one.kind, FormKind::Package | FormKind::System)
        });
        let definitions = found.iter().filter(|(document, _)| is_meant(document.dialect)).count();
        let mut known = Known { definitions, files: self.index.documents().count(), ..Known::default() };
        let is_qualified = symbol.starts_with("::") || (symbol.starts_with(':') && symbol.contains('/'));
        if is_qualified && direction == Direction::Callers && self.keyword(&mut known, symbol, package) {
            return known;
        }
        let is_slot = found.is_empty() && owner_and_slot(symbol).is_some() && direction == Direction::Callers;
        if is_slot && self.slots(&mut known, symbol, package) {
            return known;
        }
        let is_asked = direction == Direction::Callers && package.is_none() && (found.is_empty() || is_thing(symbol));
        if is_asked && let Some(things) = self.index.things(symbol, |path| (self.is_wanted)(&path.to_string_lossy())) {
            known.names.push(thing_name(symbol).to_owned());
            self.things(&mut known, &things);
            return known;
        }
        if direction == Direction::Callers && found.is_empty() && self.keyword(&mut known, symbol, package) {
            return known;
        }
        let mut dialects: Vec<Dialect> = found.iter().map(|(document, _)| document.dialect).collect();
        dialects.sort_by_key(|dialect| dialect.name());
        dialects.dedup();
        dialects.retain(|dialect| is_meant(*dialect));
        known.dialect = dialects.first().copied().filter(|_| dialects.len() == 1);
        if found.is_empty() {
            known.nearest = self.index.nearest(symbol, MOST_NEAREST);
            for dialect in Dialect::ALL.into_iter().filter(|dialect| is_meant(*dialect)) {
                let hits = self.index.question(dialect).mentions(symbol);
                self.add(&mut known, hits, 1, None, |_| false);
            }
            if known.mentions.is_empty() && direction == Direction::Callers {
                known.written = self.written(symbol);
            }
            return known;
        }
        for dialect in dialects {
            let question = self.index.question(dialect);
            let here = found.iter().filter(|(document, _)| document.dialect == dialect);
            let is_macro = here.clone().any(|(_, one)| one.kind == FormKind::Macro);
            let mut symbols: Vec<Symbol> = here.clone().map(|(_, one)| question.proper(&one.symbol())).collect();
            symbols.sort();
            symbols.dedup();
            match direction {
                Direction::Callers => self.callers(&mut known, &question, symbols, depth, is_macro),
                Direction::Callees => self.callees(&mut known, &question, symbols, depth),
            }
        }
        known
    }

    /// The first places where the name stands as a word, whatever it is there.
    fn written(&self, name: &str) -> Vec<String> {
        let mut wanted: Vec<&Document> = self.index.documents().filter(|document| self.wants(document)).collect();
        wanted.sort_by_key(|document| &document.path);
        let places = wanted.into_iter().flat_map(|document| {
            let found = words(&document.text, name, document.dialect.folds_case());
            found.into_iter().map(move |word| {
                let line = document.lines().line_column(document.text.as_bytes(), word.start as u32).line;
                format!("{}:{line}", (self.shown)(&document.path.to_string_lossy()))
            })
        });
        let mut places: Vec<String> = places.take(MOST_WRITTEN).collect();
        places.dedup();
        places
    }

    fn wants(&self, document: &Document) -> bool {
        (self.is_wanted)(&document.path.to_string_lossy())
    }

    fn callers(&self, known: &mut Known, question: &UseIndex<'q>, symbols: Vec<Symbol>, depth: u32, is_macro: bool) {
        let tests = question.tests_reaching(&symbols);
        known.test_count += tests.len();
        known.tests.extend(tests.iter().filter_map(|hit| self.test(hit)).take(MOST_TESTS));
        let ledger = question.ledger(&symbols);
        known.names.extend(symbols.iter().flat_map(|symbol| question.names(symbol)));
        known.evidence = Some(question.evidence(&symbols, &ledger));
        known.others += ledger.tally.others;
        self.doubts(known, &ledger);
        let mut seen: HashSet<Symbol> = symbols.iter().cloned().collect();
        let derived = question.derived(&symbols);
        let mut layer = symbols.clone();
        // The forms of the steps before.
        let mut shown: HashSet<(&Path, u32)> = HashSet::new();
        for step in 1..=depth {
            let mut hits: Vec<Hit<'q>> = match step {
                1 => ledger.uses.clone(),
                _ => layer.iter().flat_map(|symbol| question.uses(symbol).hits).collect(),
            };
            hits.retain(Hit::is_reference);
            if step > 1 {
                // A method of a caller calls nothing by that, nor does its export.
                let calls = |hit: &Hit<'_>| !matches!(hit.used.kind, UseKind::Method | UseKind::Export);
                hits.retain(|hit| calls(hit) && !shown.contains(&place_of(hit)));
                hits.sort_by_key(|hit| (&*hit.document.path, hit.used.start));
                hits.dedup_by_key(|hit| (&*hit.document.path, hit.used.start));
            }
            let mut next = Vec::new();
            if step < depth && seen.len() < MOST_FORMS {
                let around = hits.iter().flat_map(|hit| question.defined_around(hit));
                next.extend(around.filter(|symbol| seen.insert(symbol.clone())));
            }
            shown.extend(hits.iter().map(place_of));
            self.add(known, hits, step, None, |kind| is_macro && step == 1 && kind == UseKind::Call);
            layer = next;
        }
        if self.filter.kinds.contains(&"assignment") {
            self.slot_writes(known, question, &symbols);
        }
        // An accessor of a structure uses the structure.
        for other in derived {
            let outside = |hit: &Hit<'q>| {
                let is_use = !matches!(hit.used.kind, UseKind::Definition | UseKind::Export);
                is_use && !question.is_in_own_definition(hit, &symbols)
            };
            let hits = question.uses(&other).hits.into_iter().filter(outside).collect();
            let name = question.spelled(&other.name);
            self.add(known, hits, 1, Some(&name), |_| false);
        }
    }

    /// Adds the places that may be uses, and the mentions.
    fn doubts(&self, known: &mut Known, ledger: &Ledger<'q>) {
        // A name that is used is rarely used as one that code makes, too.
        let is_used = ledger.uses.iter().filter(|hit| hit.is_reference()).count() > FEW;
        let possible = ledger.possible.iter().filter(|one| self.wants(one.document));
        let possible = possible.filter(|one| !is_used || one.reason != PossibleReason::Computed);
        known.possible.extend(possible.map(|one| self.place(one.document, one.span, one.reason.name())));
        if !self.filter.kinds.is_empty() || self.filter.tests_only {
            return;
        }
        // What may be code comes first.
        let order = |kind| match kind {
            MentionKind::String => 0,
            MentionKind::Keyword => 1,
            MentionKind::Quoted => 2,
            MentionKind::Disabled => 3,
            MentionKind::Docstring => 4,
            MentionKind::Comment => 5,
        };
        let mut mentions: Vec<_> = ledger.mentions.iter().filter(|one| self.wants(one.document)).collect();
        mentions.sort_by_key(|one| order(one.kind));
        known.words.extend(mentions.into_iter().map(|one| self.place(one.document, one.span, singular(one.kind))));
    }

    /// Adds the places that name a package, system, feature or file.
    fn things(&self, known: &mut Known, things: &Things<'q>) {
        let what = things.kinds.iter().map(|kind| match kind {
            Thing::Space => "package",
            Thing::System => "system",
            Thing::Feature => "feature",
            Thing::File => "file",
        });
        let dialect = things.declared.first().map(|(document, _)| document.dialect);
        let what = what.map(|what| match (what, dialect) {
            ("package", Some(dialect)) => space_word(dialect),
            (what, _) => what,
        });
        let declared = things.declared.iter().map(|(document, span)| self.place(document, *span, "declaration"));
        known.thing = Some(ThingThere { kinds: what.map(str::to_owned).collect(), declared: declared.collect() });
        let links = things.links.iter().map(|(document, link)| (*document, link.span, link.tie.name()));
        self.add_places(known, links, None);
        let qualified = things.qualified.iter().map(|(document, used)| (*document, used.span(), "qualified"));
        self.add_places(known, qualified, None);
        known.possible.extend(things.possible.iter().map(|(document, span)| self.place(document, *span, "symbol")));
        let words = things.mentions.iter().filter(|_| self.filter.kinds.is_empty());
        known.words.extend(words.map(|(document, span, kind)| self.place(document, *span, singular(*kind))));
    }

    /// What the definitions of the symbols use, and what the definitions of that use, in so many steps.
    fn callees(&self, known: &mut Known, question: &UseIndex<'q>, symbols: Vec<Symbol>, depth: u32) {
        let mut seen: HashSet<Symbol> = symbols.iter().cloned().collect();
        let mut layer = symbols;
        for step in 1..=depth {
            let mut next = Vec::new();
            for symbol in layer {
                let definitions = question.definitions(&symbol);
                for (document, one) in definitions {
                    let span = document.facts.forms[one.form as usize].span;
                    for (used, place) in question.used_in(document, span) {
                        if seen.len() < MOST_FORMS && seen.insert(used.clone()) {
                            self.callee(known, question, (document, place), &used, step);
                            next.push(used);
                        }
                    }
                }
            }
            layer = next;
        }
    }

    /// Adds a definition that is used at a place.
    fn callee(
        &self,
        known: &mut Known,
        question: &UseIndex<'q>,
        (document, used): (&'q Document, Use),
        symbol: &Symbol,
        depth: u32,
    ) {
        let definitions = question.definitions(symbol);
        let Some((there, one)) = definitions.first() else { return };
        let form = &there.facts.forms[one.form as usize];
        let line = there.line(form.span.start);
        if !self.wants(there) || !self.filter.takes(used.kind.name(), false) {
            known.filtered += 1;
            return;
        }
        let site = self.site(document, used.start, used.kind.name());
        // One of several names that a form makes is told with the form.
        let own = question.spelled(&one.name);
        let via = (one.made || !form.called().contains(own.as_str())).then_some(own);
        known.mentions.push(Mention {
            path: Some((self.shown)(&there.path.to_string_lossy())),
            line: Some(line),
            form_type: Some(form.head.clone()),
            form_name: form.called().to_owned(),
            kind: used.kind.name().to_owned(),
            call_sites: vec![site],
            depth,
            via,
            label: form.label.clone(),
            lines: (line, line),
            ..Mention::default()
        });
    }

    /// Adds the places to the forms around them; `via` is the derived name that they use.
    fn add(
        &self,
        known: &mut Known,
        hits: Vec<Hit<'q>>,
        depth: u32,
        via: Option<&str>,
        is_macro: impl Fn(UseKind) -> bool,
    ) {
        let places = hits.into_iter().map(|hit| {
            let kind = if is_macro(hit.used.kind) { "macro" } else { hit.used.kind.name() };
            (hit.document, hit.used.span(), kind)
        });
        let first = known.mentions.len();
        self.add_places(known, places, via);
        known.mentions[first..].iter_mut().for_each(|mention| mention.depth = depth);
    }

    pub(crate) fn add_places(
        &self,
        known: &mut Known,
        places: impl Iterator<Item = (&'q Document, Span, &'static str)>,
        via: Option<&str>,
    ) {
        let mut forms: HashMap<(String, u32), usize> = HashMap::new();
        for (document, at, kind) in places {
            let form = document.facts.form_at(at.start).map(|form| &document.facts.forms[form as usize]);
            let is_test = form.is_some_and(|form| form.kind == FormKind::Test);
            if !self.wants(document) || !self.filter.takes(kind, is_test) {
                known.filtered += 1;
                continue;
            }
            let kind = if kind == "export" && is_imported(&document.text, at.start) { "import" } else { kind };
            let site = self.site(document, at.start, kind);
            let span = form.map_or(at, |form| form.span);
            let path = (self.shown)(&document.path.to_string_lossy());
            let number = *forms.entry((path.clone(), span.start)).or_insert(known.mentions.len());
            if number == known.mentions.len() {
                let lines = (document.line(span.start), document.line(span.end.saturating_sub(1)));
                known.mentions.push(Mention {
                    path: Some(path),
                    line: site.line,
                    column: site.column,
                    form_type: form.map(|form| form.head.clone()).filter(|head| !head.is_empty()),
                    context: Some(site.context.clone()),
                    form_name: form.map(|form| form.called().to_owned()).unwrap_or_default(),
                    kind: kind.to_owned(),
                    source: Origin::Static,
                    call_sites: Vec::new(),
                    test: is_test,
                    depth: 1,
                    via: via.map(str::to_owned),
                    label: form.map(|form| form.label.clone()).unwrap_or_default(),
                    lines,
                });
            }
            known.mentions[number].call_sites.push(site);
        }
    }

    fn site(&self, document: &Document, offset: u32, kind: &str) -> CallSite {
        let PlaceThere { line, column, context, .. } = self.place(document, Span::new(offset, offset), kind);
        CallSite { line: Some(line), column: Some(column), kind: kind.to_owned(), context }
    }

    /// A place that is told by itself.
    pub(crate) fn place(&self, document: &Document, span: Span, kind: &str) -> PlaceThere {
        let at = document.lines().line_column(document.text.as_bytes(), span.start);
        let line = document.lines().line_span(at.line).map_or("", |span| &document.text[span.range()]);
        PlaceThere {
            path: (self.shown)(&document.path.to_string_lossy()),
            line: at.line,
            column: at.column,
            kind: kind.to_owned(),
            context: one_line(line.trim(), CONTEXT),
        }
    }

    fn test(&self, hit: &Hit<'_>) -> Option<TestThere> {
        let form = hit.form()?;
        Some(TestThere {
            path: (self.shown)(&hit.document.path.to_string_lossy()),
            line: hit.document.line(form.span.start),
            name: if form.has_name() { form.called().to_owned() } else { String::new() },
        })
    }
}

/// What one mention is in.
pub(crate) const fn singular(kind: MentionKind) -> &'static str {
    match kind {
        MentionKind::Comment => "comment",
        MentionKind::Docstring => "docstring",
        MentionKind::String => "string",
        MentionKind::Quoted => "quoted",
        MentionKind::Disabled => "disabled",
        MentionKind::Keyword => "keyword",
    }
}

/// Files that are no Lisp and are searched at most, and the size of the largest, in bytes.
const MOST_TEXTS: usize = 5_000;
const LARGEST_TEXT: u64 = 1 << 20;

/// Adds the mentions in files that are no Lisp: documentation, configuration, scripts; and those with a package in code of
/// other dialects than the one that is asked about. The number of files that are no Lisp.
pub(crate) fn in_other_texts(
    index: &Index,
    roots: &[PathBuf],
    known: &mut Known,
    is_wanted: &dyn Fn(&str) -> bool,
    shown: &dyn Fn(&str) -> String,
) -> usize {
    if known.names.is_empty() {
        return 0;
    }
    let (mut count, mut found) = (0, Vec::new());
    each_other_text(roots, is_wanted, |path, text| {
        count += 1;
        let lines = LineIndex::new(text.as_bytes());
        let all = known.names.iter().flat_map(|name| words(text, name, true));
        found.extend(all.map(|word| in_text(path, text, &lines, word.start, shown)));
    });
    if let Some(dialect) = known.dialect {
        for name in &known.names {
            found.extend(in_other_dialects(index, dialect, name, is_wanted, shown));
        }
    }
    known.words.extend(found);
    count
}

/// The first place in files that are no Lisp, or qualified in files of other dialects, for each of the names that has one.
pub(crate) fn first_in_other_texts(
    index: &Index,
    roots: &[PathBuf],
    names: &[(String, Dialect)],
    shown: &dyn Fn(&str) -> String,
) -> Vec<Option<PlaceThere>> {
    let mut found: Vec<Option<PlaceThere>> = vec![None; names.len()];
    each_other_text(roots, &|_| true, |path, text| {
        let lines = LineIndex::new(text.as_bytes());
        for ((name, _), place) in names.iter().zip(&mut found).filter(|(_, place)| place.is_none()) {
            let word = words(text, name, true).into_iter().next();
            *place = word.map(|word| in_text(path, text, &lines, word.start, shown));
        }
    });
    for ((name, dialect), place) in names.iter().zip(&mut found).filter(|(_, place)| place.is_none()) {
        *place = in_other_dialects(index, *dialect, name, &|_| true, shown).next();
    }
    found
}

/// The places in code of other dialects that name something with its package, as Emacs Lisp does with what it calls in
/// Common Lisp: `(slynk:sly-db-next 1)`.
fn in_other_dialects<'a>(
    index: &'a Index,
    dialect: Dialect,
    name: &'a str,
    is_wanted: &'a dyn Fn(&str) -> bool,
    shown: &'a dyn Fn(&str) -> String,
) -> impl Iterator<Item = PlaceThere> + 'a {
    let is_other = move |one: &&Document| one.dialect != dialect && is_wanted(&one.path.to_string_lossy());
    index.documents().filter(is_other).flat_map(move |document| {
        let is_qualified = |word: &Range<usize>| document.text[..word.start].ends_with(':');
        let found = words(&document.text, name, true).into_iter().filter(is_qualified);
        found
            .map(|word| in_text(&document.path, &document.text, document.lines(), word.start, shown))
            .collect::<Vec<_>>()
    })
}

/// Shows the files that are no Lisp, and their texts.
fn each_other_text(roots: &[PathBuf], is_wanted: &dyn Fn(&str) -> bool, mut see: impl FnMut(&Path, &str)) {
    let is_text = |path: &Path| !is_lisp(path) && path.metadata().is_ok_and(|at| at.len() <= LARGEST_TEXT);
    let files = roots.iter().flat_map(|root| survey(root, true, is_text).files);
    for path in files.filter(|path| is_wanted(&path.to_string_lossy())).take(MOST_TEXTS) {
        if let Ok(file) = read_anywhere(&path)
            // The index knows the words of its prose.
            && Language::of_at_forms(&path.to_string_lossy(), &file.text).is_none()
        {
            see(&path, &file.text);
        }
    }
}

/// The place of a byte in the text of a file that is no Lisp.
fn in_text(path: &Path, text: &str, lines: &LineIndex, start: usize, shown: &dyn Fn(&str) -> String) -> PlaceThere {
    let at = lines.line_column(text.as_bytes(), start as u32);
    let line = lines.line_span(at.line).map_or("", |span| &text[span.range()]);
    PlaceThere {
        path: shown(&path.to_string_lossy()),
        line: at.line,
        column: at.column,
        kind: "text".to_owned(),
        context: one_line(line.trim(), CONTEXT),
    }
}

/// Whether a list around byte `at` begins with a word about imports, as `(:import-from ...)` and `(:import ...)` do.
fn is_imported(text: &str, at: u32) -> bool {
    let before = text.get(..at as usize).unwrap_or_default();
    let mut closed = 0_usize;
    for (open, character) in before.char_indices().rev() {
        match character {
            ')' | ']' => closed += 1,
            '(' | '[' if closed > 0 => closed -= 1,
            '(' | '[' => {
                let head = before[open + 1..].split(|c: char| c.is_whitespace() || "()[]".contains(c)).next();
                if head.is_some_and(|head| head.to_ascii_lowercase().contains("import")) {
                    return true;
                }
                // A list in the first column is the form itself.
                if open == 0 || before.as_bytes()[open - 1] == b'\n' {
                    return false;
                }
            }
            _ => {}
        }
    }
    false
}
