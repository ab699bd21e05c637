//! The symbol that a request means, and its definitions.

use std::collections::BTreeMap;
use std::path::Path;

use lispwright_index::{
    Definition, Document, Import, Index, PossibleReason, Referent, Symbol, Thing, Tie, Use, UseIndex, UseKind,
    spelling_is_all, symbol_name,
};
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Dialect, FormKind, Language, Span};

use crate::new_name::NewName;
use crate::refusal::{Doubt, Namesake, RenameRefusal, Spot, Untold};

/// Names that are offered instead of one that is not defined.
const MOST_NEAREST: usize = 5;

/// Packages of the language, whose names are known not to be the project's.
const LANGUAGE_PACKAGES: &[&str] = &["cl", "common-lisp"];

/// Modules of object systems of the language that load what they export, so that it is not read.
const OBJECT_SYSTEMS: &[&str] = &["(oop goops)"];

/// The generic functions of those, which classes of a project add methods to.
const PROTOCOL: &[&str] = &[
    "allocate-instance",
    "apply-generic",
    "apply-method",
    "apply-methods",
    "change-class",
    "class-redefinition",
    "compute-applicable-methods",
    "compute-cpl",
    "compute-get-n-set",
    "compute-getter-method",
    "compute-setter-method",
    "compute-slots",
    "deep-clone",
    "describe",
    "initialize",
    "make",
    "make-instance",
    "method-more-specific?",
    "no-applicable-method",
    "no-method",
    "no-next-method",
    "shallow-clone",
    "slot-missing",
    "slot-unbound",
    "sort-applicable-methods",
    "update-instance-for-different-class",
];

/// The symbol to be renamed.
pub(crate) struct Target<'i> {
    pub(crate) dialect: Dialect,
    pub(crate) symbol: Symbol,
    pub(crate) definitions: Vec<(&'i Document, &'i Definition)>,
}

/// Finds the symbol called `name`, in `package` if it is given, with a definition in a file that `is_here`.
pub(crate) fn find<'i>(
    index: &'i Index,
    name: &str,
    package: Option<&str>,
    is_here: &dyn Fn(&Path) -> bool,
) -> Result<Target<'i>, RenameRefusal> {
    let found = index.definitions(name, package);
    let mut symbols: BTreeMap<(&str, Symbol), Vec<(&Document, &Definition)>> = BTreeMap::new();
    let mut spaces = Vec::new();
    for dialect in Dialect::ALL {
        let own: Vec<_> = found.iter().filter(|(document, _)| document.dialect == dialect).copied().collect();
        if own.is_empty() {
            continue;
        }
        let question = index.question(dialect);
        for (document, one) in own {
            // The name of a group of options or the like is no name of a function.
            let is_other = !one.made && written_in(document, one, &one.name).is_none();
            if is_other || matches!(one.kind, FormKind::Package | FormKind::System) {
                spaces.push(candidate(document, one, one.symbol()));
                continue;
            }
            let symbol = symbol_of(&question, document, one);
            symbols.entry((dialect.name(), symbol)).or_default().push((document, one));
        }
    }
    let first = |((_, symbol), definitions): (&(&str, Symbol), &Vec<(&Document, &Definition)>)| {
        let (document, one) = definitions[0];
        candidate(document, one, symbol.clone())
    };
    let is_wanted = |definitions: &Vec<(&Document, &Definition)>| definitions.iter().any(|(one, _)| is_here(&one.path));
    if !symbols.is_empty() && !symbols.values().any(is_wanted) {
        return Err(RenameRefusal::Elsewhere(symbols.iter().map(first).collect()));
    }
    symbols.retain(|_, definitions| is_wanted(definitions));
    if symbols.len() > 1 {
        return Err(RenameRefusal::Ambiguous(symbols.iter().map(first).collect()));
    }
    let Some(((_, symbol), definitions)) = symbols.into_iter().next() else {
        let declared = index.spaces(name).into_iter().next().map(|(document, space)| {
            let symbol = Symbol { space: space.name.clone(), name: String::new() };
            let form = document.facts.form_at(space.at).map(|form| &document.facts.forms[form as usize]);
            let label = form.map_or_else(String::new, |form| form.label.clone());
            Namesake { symbol, spot: Spot::of(document, space.at), label }
        });
        return Err(match spaces.into_iter().next().or(declared) {
            Some(space) => RenameRefusal::IsSpace(Box::new(space)),
            None => RenameRefusal::NotDefined { nearest: index.nearest(name, MOST_NEAREST) },
        });
    };
    let dialect = definitions[0].0.dialect;
    if !dialect.has_special_forms() || spelling_is_all(dialect) {
        return Err(RenameRefusal::Dialect(dialect.name()));
    }
    let target = Target { dialect, symbol, definitions };
    target.check(&index.question(dialect))?;
    Ok(target)
}

/// The symbol that a definition is about: of a method that of its generic function, of a name that is imported the
/// imported one.
fn symbol_of(question: &UseIndex<'_>, document: &Document, one: &Definition) -> Symbol {
    let used = use_in(document, one, &one.name).map(|used| question.meaning(document, used));
    match used {
        Some(Referent::Is(symbol) | Referent::Unknown(symbol)) => symbol,
        None => question.proper(&one.symbol()),
    }
}

fn candidate(document: &Document, one: &Definition, symbol: Symbol) -> Namesake {
    let form = &document.facts.forms[one.form as usize];
    Namesake { symbol, spot: Spot::of(document, form.span.start), label: form.label.clone() }
}

impl Target<'_> {
    /// The definitions are the project's own, and write the name.
    fn check(&self, question: &UseIndex<'_>) -> Result<(), RenameRefusal> {
        let spot = |document: &Document, one: &Definition| {
            Spot::of(document, document.facts.forms[one.form as usize].span.start)
        };
        let made = self.definitions.iter().find(|(document, one)| self.written_in(document, one).is_none());
        if let Some((document, one)) = made {
            let form = &document.facts.forms[one.form as usize];
            let from = form.called().to_owned();
            return Err(RenameRefusal::Derived {
                spot: Box::new(spot(document, one)),
                label: form.label.clone(),
                from,
            });
        }
        let (document, one) = self.definitions[0];
        // The space that has the symbol is not one of the project.
        let is_of_project = |space: &str| space.is_empty() || question.is_of_project(space);
        if !is_of_project(&self.symbol.space) {
            return Err(RenameRefusal::OfLibrary { spot: spot(document, one) });
        }
        // A package can shadow a name of the language.
        let is_shadowed = || {
            question
                .spaces()
                .filter(|space| space.name == self.symbol.space)
                .any(|space| space.shadows.contains(&self.symbol.name))
        };
        if self.dialect.is_standard(&self.symbol.name) && !is_shadowed() {
            return Err(RenameRefusal::OfLibrary { spot: spot(document, one) });
        }
        // A test can be called like the function that it tests, which its package may have from another.
        let is_test = self.definitions.iter().all(|(_, one)| one.kind == FormKind::Test);
        let is_elsewhere = |one: &Definition| {
            one.name == self.symbol.name && one.space != self.symbol.space && one.kind != FormKind::Test
        };
        let mut all = question.documents().iter().flat_map(|document| &document.facts.definitions);
        if is_test && question.is_opened(&self.symbol.space) && all.any(is_elsewhere) {
            let more = Box::new(Untold { symbol: self.symbol.clone(), ..Untold::default() });
            let why = Doubt::MayMean { reason: PossibleReason::Opened };
            return Err(RenameRefusal::CannotTell { spot: spot(document, one), why, more });
        }
        // A macro that nobody in the project defines may add to what a library defines.
        let is_known = |document: &Document, one: &Definition| {
            let is_known = |head: &str| {
                document.language.kind_of(head).is_some()
                    || self.dialect.knows_definer(head)
                    || is_defined(question, head)
            };
            is_known(&document.facts.forms[one.form as usize].head)
                || self.head_of(document, one).is_some_and(|head| is_known(&head))
        };
        let mut functions = self.definitions.iter().filter(|(_, one)| one.kind != FormKind::Method);
        if functions.clone().any(|(document, one)| is_known(document, one))
            || question.is_closed(&self.symbol.space, LANGUAGE_PACKAGES)
        {
            return Ok(());
        }
        Err(match functions.next() {
            Some((document, one)) => RenameRefusal::UnknownDefiner {
                spot: spot(document, one),
                head: document.facts.forms[one.form as usize].head.clone(),
                dialect: self.dialect.name(),
            },
            None if self.is_made_by_methods(question) => return Ok(()),
            None => RenameRefusal::OfLibrary { spot: spot(document, one) },
        })
    }

    /// No library has a generic function of the name, so its first method makes it: all that the space imports is known,
    /// or the name begins with that of a feature of the project, as all names of a package of Emacs do.
    fn is_made_by_methods(&self, question: &UseIndex<'_>) -> bool {
        let Symbol { space, name } = &self.symbol;
        if space.is_empty() {
            let links = question.documents().iter().flat_map(|document| &document.facts.links);
            let mut provided = links.filter(|link| link.thing == Thing::Feature && link.tie == Tie::Provides);
            return provided.any(|link| name.strip_prefix(&link.name).is_some_and(|rest| rest.starts_with('-')));
        }
        let is_of_language = self.dialect.standard_operator(name).is_some() || PROTOCOL.contains(&name.as_str());
        let lacks = |import: &Import| {
            question.is_of_project(&import.from)
                || import.theirs(name).is_none()
                || OBJECT_SYSTEMS.contains(&import.from.as_str())
                || question.library_exports(&import.from).is_some_and(|all| !all.contains(name))
        };
        let is_declared = question.spaces().any(|one| !one.adds && one.name == *space);
        is_declared && !is_of_language && question.imports_of(space).all(lacks)
    }

    /// The head of the list in which a definition writes its name, which another form can be around.
    fn head_of(&self, document: &Document, one: &Definition) -> Option<String> {
        let written = self.written_in(document, one)?;
        let tree = document.tree();
        let list = tree.list_around(tree.token_at(written.start)?)?;
        let head = tree.core_span(tree.data(list).next()?);
        Some(canonical_head(self.dialect, &document.text[head.range()]).into_owned())
    }

    /// Forms that begin with the name are read as calls, or will be read as before under the new name.
    pub(crate) fn check_syntax(&self, new: &NewName) -> Result<(), RenameRefusal> {
        let head = |name: &str| canonical_head(self.dialect, name).into_owned();
        let (old, new) = (head(&self.symbol.name), head(&new.canonical));
        let language = Language::from(self.dialect);
        let table = self.dialect.table();
        let is_special = self.dialect.special_form(&old).is_some() || self.dialect.knows_definer(&old);
        if table.takes_functions.contains(&&*old) {
            let (document, one) = self.definitions[0];
            let form = &document.facts.forms[one.form as usize];
            return Err(RenameRefusal::IsSyntax { spot: Box::new(Spot::of(document, form.span.start)) });
        }
        if is_special || language.is_definer(&old) != language.is_definer(&new) {
            let macros = self.definitions.iter().filter(|(_, one)| one.kind == FormKind::Macro);
            if let Some((document, one)) = macros.into_iter().next() {
                let form = &document.facts.forms[one.form as usize];
                return Err(RenameRefusal::IsSyntax { spot: Box::new(Spot::of(document, form.span.start)) });
            }
        }
        Ok(())
    }

    /// The place in the form of a definition where its name is written; `None` if it is derived from another.
    pub(crate) fn written_in(&self, document: &Document, one: &Definition) -> Option<Span> {
        written_in(document, one, &self.symbol.name)
    }
}

/// The project defines a macro or function of that name, canonical as a head.
fn is_defined(question: &UseIndex<'_>, head: &str) -> bool {
    let dialect = question.dialect();
    let mut definitions = question.documents().iter().flat_map(|document| &document.facts.definitions);
    definitions.any(|one| canonical_head(dialect, &one.name) == head)
}

/// The place in the form of a definition where `name` is written as what it defines.
fn written_in(document: &Document, one: &Definition, name: &str) -> Option<Span> {
    use_in(document, one, name).map(Use::span)
}

fn use_in(document: &Document, one: &Definition, name: &str) -> Option<Use> {
    let form = &document.facts.forms[one.form as usize];
    let defines = |kind| matches!(kind, UseKind::Definition | UseKind::Method);
    let first = document.facts.uses.partition_point(|used| used.start < form.span.start);
    let inside = document.facts.uses[first..].iter().take_while(|used| used.start < form.span.end);
    // A macro of the project may define it, which the walk takes for a call.
    let mut names = inside.filter(|used| defines(used.kind) || form.name == used.span());
    names.find(|used| symbol_name(document.dialect, &document.text[used.span().range()]) == name).copied()
}
