//! A rename of a name in all files of a project.
//!
//! 1. Find the symbol, and its definitions ([`crate::target`]).
//! 2. Find the names that its definitions derive from its own: they are renamed, too ([`crate::derived`]).
//! 3. Look at every place that holds one of these names, and decide for each: it changes, it is another name, it is a
//!    mention in a text or in data, or nobody can tell ([`crate::collect`]).
//! 4. Change the places, and read the new texts: all other tokens must be the old ones.
//! 5. Ask the project about all names in question, before and after: every place must mean what it meant
//!    ([`crate::proof`]).

use std::path::{Path, PathBuf};

use lispwright_edit::{Change, EditRefusal, change_all};
use lispwright_index::{Document, Index, LanguageOf, PossibleReason, Symbol, UseIndex, UseKind, spelled};
use lispwright_syntax::{Dialect, LineIndex};

use crate::collect::{Collected, Collector};
use crate::derived::{derived, may_be_derived};
use crate::interface;
use crate::mention::{MentionKind, NameMention};
use crate::new_name::NewName;
use crate::platform;
use crate::proof;
use crate::refusal::{Doubt, RenameRefusal, Spot, Untold};
use crate::target::{self, Target};

/// What to rename.
pub struct RenameRequest<'a> {
    /// The name, which can be qualified.
    pub symbol: &'a str,
    /// Its package, module or namespace.
    pub package: Option<&'a str>,
    /// The new name, without a qualifier.
    pub new_name: &'a str,
    /// A definition of the name is in a file that fits.
    pub is_here: &'a dyn Fn(&Path) -> bool,
    /// What somebody else knows of a name that is written in a package: that it is the symbol, or is not.
    pub told: &'a dyn Fn(&str, &str) -> Option<bool>,
    /// The mentions that are changed, too.
    pub also: &'a [MentionKind],
    /// Finds the language of a file.
    pub language_of: LanguageOf<'a>,
}

/// A planned rename.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// The dialect of the symbol.
    pub dialect: Dialect,
    /// The symbol.
    pub symbol: Symbol,
    /// Its label in messages.
    pub label: String,
    /// The names that change, each with the new one, as they are written in code; the first is that of the symbol, the
    /// others derive from it.
    pub names: Vec<(String, String)>,
    /// The files that change, in the order of their paths.
    pub files: Vec<RemadeFile>,
    /// Mentions of the name that stay.
    pub left: Vec<NameMention>,
    /// The number of definitions of the symbol.
    pub definitions: usize,
    /// Places where code makes names from parts, which may be one of these or are made from one.
    pub possible: Vec<Spot>,
    /// Names of functions that belong to a slot, are written out, and stay.
    pub kept: Vec<String>,
    /// Files that get another name, each with the new one.
    pub moves: Vec<(PathBuf, PathBuf)>,
    /// Spaces outside of the project from which files import that have the name; there the name is taken for theirs.
    pub strangers: Vec<String>,
}

/// A file with its new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemadeFile {
    /// The file, absolute.
    pub path: PathBuf,
    /// The text for which the new one was made.
    pub old_text: String,
    /// The new text.
    pub new_text: String,
    /// Unified diff, without file names.
    pub diff: String,
    /// The number of changed uses of each kind, and of other changed places.
    pub uses: Vec<(UseKind, usize)>,
    /// The number of changed mentions.
    pub mentions: usize,
    /// The changed places in the old text.
    pub places: Vec<ChangedPlace>,
}

/// A place that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedPlace {
    /// Its start in the old text, in bytes.
    pub offset: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in scalar values.
    pub column: u32,
}

impl RemadeFile {
    /// The number of changed places.
    pub fn count(&self) -> usize {
        self.places.len()
    }
}

/// A name that gets another.
pub(crate) struct Named {
    pub(crate) old: Symbol,
    pub(crate) new: NewName,
}

impl Named {
    /// The symbol that it becomes.
    pub(crate) fn new_symbol(&self) -> Symbol {
        Symbol { space: self.old.space.clone(), name: self.new.canonical.clone() }
    }
}

/// Plans a rename. Nothing is written.
///
/// Errors: every [`RenameRefusal`]; the request can be carried out as a whole, or not at all.
pub fn rename(index: &Index, request: &RenameRequest<'_>) -> Result<Rename, RenameRefusal> {
    let target = target::find(index, request.symbol, request.package, request.is_here)?;
    let question = index.question(target.dialect);
    let home = target.definitions[0].0;
    let language = (request.language_of)(&home.path, &home.text).unwrap_or_else(|| target.dialect.into());
    let new = NewName::new(request.new_name, &language)?;
    if new.canonical == target.symbol.name {
        return Err(RenameRefusal::SameName);
    }
    target.check_syntax(&new)?;
    let mut named = vec![Named { old: target.symbol.clone(), new }];
    let more = derived(&target, &named[0].new, request.language_of)?;
    named.extend(more);
    for one in &named {
        is_free(&question, one)?;
    }
    may_be_derived(&question, &target, &named)?;
    nobody_reads(&question, &target)?;
    nobody_makes(&question, &named)?;
    let collector = Collector::new(&question, &target, &named, request);
    let Collected { planned, left, strangers } = collector.collect()?;
    let starts = |changes: &[Change]| changes.iter().map(|change| change.span.start).collect();
    let places = planned.iter().map(|one| platform::Places {
        document: one.document,
        tree: &one.source.tree,
        starts: starts(&one.changes),
    });
    platform::check(&target, &places.collect::<Vec<_>>())?;
    interface::check(&target, &named[0], &planned)?;
    let mut files = Vec::new();
    for one in &planned {
        files.push(remade(one.document, &one.source, &one.changes, &one.uses, one.mentions)?);
    }
    let maps: Vec<proof::Moved<'_>> =
        planned.iter().map(|one| proof::Moved::new(&question, one.document, &one.source.tree, &one.changes)).collect();
    proof::check(index, &question, &named, &maps, &files, request.language_of)?;
    Ok(Rename {
        dialect: target.dialect,
        label: label(&target),
        names: named.iter().map(|one| (spelled(target.dialect, &one.old.name), one.new.written.clone())).collect(),
        definitions: target.definitions.len(),
        possible: makers(&question, &target.symbol).chain(computed(&question, &named)).collect(),
        symbol: target.symbol,
        files,
        left,
        kept: Vec::new(),
        moves: Vec::new(),
        strangers,
    })
}

/// Refuses if code reads all public names of the namespace: what it does with them is not known.
fn nobody_reads(question: &UseIndex<'_>, target: &Target<'_>) -> Result<(), RenameRefusal> {
    let is_public = target
        .definitions
        .iter()
        .any(|(document, one)| document.facts.public_definitions(&document.text).any(|public| public == *one));
    let reads = |one: &&lispwright_index::Computed| one.of_space.as_deref() == Some(target.symbol.space.as_str());
    for document in question.documents().iter().filter(|_| is_public) {
        if let Some(one) = document.facts.computed.iter().find(reads) {
            let spot = Spot::of(document, one.span.start);
            let more = Box::new(Untold { symbol: target.symbol.clone(), ..Untold::default() });
            return Err(RenameRefusal::CannotTell { spot, why: Doubt::Read, more });
        }
    }
    Ok(())
}

/// Refuses if a macro makes one of the names of a symbol in its call, or if a file that was not read may use it.
fn nobody_makes(question: &UseIndex<'_>, named: &[Named]) -> Result<(), RenameRefusal> {
    let unread = |one: &Named| question.unread_parts(&one.old).into_iter().next();
    let found = |one: &Named| question.made_of(&one.old.name).or_else(|| unread(one));
    match named.iter().find_map(|one| Some((one, found(one)?))) {
        Some((one, made)) => Err(RenameRefusal::CannotTell {
            spot: Spot::of(made.document, made.span.start),
            why: Doubt::MayMean { reason: made.reason },
            more: Box::new(Untold { symbol: one.old.clone(), ..Untold::default() }),
        }),
        None => Ok(()),
    }
}

fn label(target: &Target<'_>) -> String {
    let (document, one) = target.definitions[0];
    document.facts.forms[one.form as usize].label.clone()
}

/// The macros that define the symbol and make other names from its own, which may be anybody's:
/// `(symbol "Math" (str name))`.
fn makers(question: &UseIndex<'_>, symbol: &Symbol) -> impl Iterator<Item = Spot> {
    let found = question.doubts_of_definers(symbol).into_iter();
    let makes = found.filter(|one| matches!(one.reason, PossibleReason::MakesNames));
    makes.map(|one| Spot::of(one.document, one.span.start))
}

/// The places where code makes names from parts that may be one of the old ones.
pub(crate) fn computed(question: &UseIndex<'_>, named: &[Named]) -> Vec<Spot> {
    let folds = question.dialect().folds_case();
    let may_be = |one: &&lispwright_index::Computed| {
        named.iter().any(|named| one.may_be(&named.old.name, &named.old.space, folds))
    };
    let of = |document: &&Document| {
        let found = document.facts.computed.iter().filter(may_be);
        found.map(|one| Spot::of(document, one.span.start)).collect::<Vec<_>>()
    };
    question.documents().iter().flat_map(of).collect()
}

fn place(document: &Document, offset: u32) -> ChangedPlace {
    let at = document.lines().line_column(document.text.as_bytes(), offset);
    ChangedPlace { offset, line: at.line, column: at.column }
}

/// The new text of a file.
pub(crate) fn remade(
    document: &Document,
    source: &lispwright_edit::Source<'_>,
    changes: &[Change],
    uses: &[(UseKind, usize)],
    mentions: usize,
) -> Result<RemadeFile, RenameRefusal> {
    let remade = change_all(source, changes).map_err(|refusal| {
        let line = match refusal {
            EditRefusal::WouldBreak { line, .. } => line,
            _ => 1,
        };
        let lines = LineIndex::new(document.text.as_bytes());
        let at = lines.line_span(line).map_or(0, |span| span.start);
        RenameRefusal::WouldBreak { spot: Spot::within(&document.path, &document.text, &lines, at) }
    })?;
    Ok(RemadeFile {
        path: document.path.clone(),
        old_text: document.text.clone(),
        new_text: remade.text,
        diff: remade.diff,
        uses: uses.to_vec(),
        mentions,
        places: changes.iter().map(|change| place(document, change.span.start)).collect(),
    })
}

/// No space that sees the symbol has the new name for something else, and the language does not have it.
pub(crate) fn is_free(question: &UseIndex<'_>, named: &Named) -> Result<(), RenameRefusal> {
    let new = named.new_symbol();
    let name = || named.new.written.clone();
    if let Some((document, one)) = question.definitions(&new).first() {
        let form = &document.facts.forms[one.form as usize];
        return Err(RenameRefusal::Collides {
            name: name(),
            spot: Box::new(Spot::of(document, form.span.start)),
            symbol: new,
        });
    }
    if question.dialect().is_standard(&new.name) {
        return Err(RenameRefusal::Inherited {
            name: name(),
            space: named.old.space.clone(),
            symbol: language_symbol(&new),
        });
    }
    for space in question.spaces_that_see(&named.old) {
        if let Some(symbol) = question.defined_in(&space, &new.name).filter(|symbol| *symbol != named.old) {
            return Err(RenameRefusal::Inherited { name: name(), space, symbol });
        }
    }
    Ok(())
}

/// A name of the language.
fn language_symbol(symbol: &Symbol) -> Symbol {
    Symbol { space: "common-lisp".to_owned(), name: symbol.name.clone() }
}
