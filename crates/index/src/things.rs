//! Questions about what has a name and is no symbol: packages, modules, namespaces, systems, features and files. Who
//! imports, enters, requires, loads them or depends on them.

use std::path::Path;

use lispwright_syntax::name::canonical_designator;
use lispwright_syntax::{Dialect, FormKind, Span, TokenKind};
use rustc_hash::FxHashSet;

use crate::dialects::rules;
use crate::facts::{FormRow, Use};
use crate::index::{Document, Index};
use crate::links::{Link, Thing, Tie};
use crate::mention::{MentionKind, holds, words};
use crate::resolve::Written;

/// What a name is that is no symbol, and the places that name it.
#[derive(Clone, Debug, Default)]
pub struct Things<'i> {
    /// What it is: several, as when a system and a package have one name.
    pub kinds: Vec<Thing>,
    /// The places that declare or provide it, and files themselves.
    pub declared: Vec<(&'i Document, Span)>,
    /// The places that name it otherwise, in the order of files and places.
    pub links: Vec<(&'i Document, &'i Link)>,
    /// The uses of its symbols that write its name before them.
    pub qualified: Vec<(&'i Document, Use)>,
    /// Other symbols of that name: nobody knows what they are.
    pub possible: Vec<(&'i Document, Span)>,
    /// Words in comments and strings that are its name.
    pub mentions: Vec<(&'i Document, Span, MentionKind)>,
}

/// The name of a thing as it is written in a call: `shop.core`, `:shop`, `"shop/tests"`, `(shop core)`.
pub fn thing_name(written: &str) -> &str {
    written.trim().trim_start_matches("#:").trim_start_matches([':', '\'']).trim_matches('"')
}

/// The text says that it is the name of a thing: a string, a keyword, a list, or a path.
pub fn is_thing(written: &str) -> bool {
    let written = written.trim();
    written.starts_with(['"', ':', '(', '#']) || (written.contains('/') && Dialect::detect(written, b"").is_some())
}

/// What a package, module or namespace is called in a dialect.
pub fn space_word(dialect: Dialect) -> &'static str {
    rules(dialect).space_word
}

/// The file that is named after a package, module or namespace, below a directory of sources, without its extension.
pub fn space_file(dialect: Dialect, name: &str) -> String {
    (rules(dialect).space_file)(name)
}

/// A keyword of the dialect can have a namespace.
pub fn keywords_are_qualified(dialect: Dialect) -> bool {
    rules(dialect).keywords_are_qualified
}

impl Index {
    /// What is called `name` and is no symbol; `None` if no file names such a thing.
    pub fn things(&self, name: &str, is_wanted: impl Fn(&Path) -> bool) -> Option<Things<'_>> {
        let name = thing_name(name);
        let spaces: FxHashSet<String> = self.space_names(name).into_iter().collect();
        let files: Vec<&Document> = self.documents().filter(|one| is_file(&one.path, name)).collect();
        let mut found = Things::default();
        let mut documents: Vec<&Document> = self.documents().filter(|one| is_wanted(&one.path)).collect();
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        // Whoever imports what a file declares needs the file.
        let given: FxHashSet<(Thing, &str)> = files
            .iter()
            .flat_map(|file| &file.facts.links)
            .filter(|link| matches!(link.tie, Tie::Declares | Tie::Provides))
            .map(|link| (link.thing, link.name.as_str()))
            .collect();
        for &document in &documents {
            let is_same = |link: &&Link| match link.thing {
                Thing::Space => {
                    let folded = |one: &String| document.dialect.folds_case() && one.eq_ignore_ascii_case(&link.name);
                    spaces.contains(&link.name)
                        || spaces.iter().any(folded)
                        || given.contains(&(link.thing, &link.name))
                }
                Thing::System | Thing::Feature => {
                    let is_it =
                        link.name == name || (document.dialect.folds_case() && link.name.eq_ignore_ascii_case(name));
                    is_it || given.contains(&(link.thing, &link.name))
                }
                Thing::File => files.iter().any(|file| means_file(document, &link.name, &file.path)),
            };
            for link in document.facts.links.iter().filter(is_same) {
                if !found.kinds.contains(&link.thing) {
                    found.kinds.push(link.thing);
                }
                match link.tie {
                    Tie::Declares | Tie::Provides | Tie::Names => found.declared.push((document, link.span)),
                    _ => found.links.push((document, link)),
                }
            }
        }
        for file in files.into_iter().filter(|_| name.contains(['/', '.'])) {
            if found.declared.iter().all(|(document, _)| document.path != file.path) {
                found.declared.push((file, Span::new(0, 0)));
            }
            if !found.kinds.contains(&Thing::File) {
                found.kinds.push(Thing::File);
            }
        }
        if found.kinds.is_empty() {
            return None;
        }
        found.kinds.sort_unstable();
        // A file that declares its package has the words of the package's name all over.
        if found.kinds != [Thing::File] {
            for document in documents {
                found.enter(document, name, &spaces);
            }
        }
        Some(found)
    }
}

impl Index {
    /// The system that has the file at `path` as a component: that of the nearest definition.
    pub fn system_of(&self, path: &Path) -> Option<&str> {
        let links = self.file_links(path).into_iter().filter(|(_, link)| link.tie == Tie::Includes);
        let systems = links.filter_map(|(document, link)| {
            let mut forms = document.facts.forms.iter().filter(|form: &&FormRow| form.kind == FormKind::System);
            forms.find(|form| form.span.contains(link.span.start)).map(|form| (document, form.designated()))
        });
        let depth = |document: &Document| {
            let around = document.path.parent().filter(|directory| path.starts_with(directory));
            around.map_or(0, |directory| directory.components().count())
        };
        // Of several that are as near, the first.
        systems.rev().max_by_key(|(document, _)| depth(document)).map(|(_, name)| name)
    }

    /// The places that name the file at `path` by its path.
    pub fn file_links(&self, path: &Path) -> Vec<(&Document, &Link)> {
        let mut documents: Vec<&Document> = self.documents().collect();
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        // The file that declares a system is no component of one.
        let declares = |link: &Link| link.thing == Thing::System && link.tie == Tie::Declares;
        let is_system = self.document(path).is_some_and(|document| document.facts.links.iter().any(declares));
        let links =
            documents.into_iter().flat_map(|document| document.facts.links.iter().map(move |link| (document, link)));
        links
            .filter(|(document, link)| {
                let may_be = link.thing == Thing::File && !(is_system && link.tie == Tie::Includes);
                may_be && means_file(document, &link.name, path)
            })
            .collect()
    }

    /// A file names a package, system or feature so, besides what else the name is.
    pub fn names_thing(&self, name: &str) -> bool {
        let links = self.documents().flat_map(|document| &document.facts.links);
        let mut others = links.filter(|link| link.thing != Thing::File && link.tie != Tie::Declares);
        others.any(|link| link.name == name || (name.is_ascii() && link.name.eq_ignore_ascii_case(name)))
    }
}

impl<'i> Things<'i> {
    /// Enters the other places of a file that have the name.
    fn enter(&mut self, document: &'i Document, name: &str, spaces: &FxHashSet<String>) {
        let folds = document.dialect.folds_case();
        let short =
            |space: &String| {
                space.as_str() == name
                    || document.facts.spaces.iter().any(|one| {
                        one.imports.iter().any(|import| spaces.contains(&import.from) && import.alias.is_some())
                    })
            };
        if !spaces.iter().any(|space| holds(&document.text, space, folds) || short(space)) {
            return;
        }
        for used in &document.facts.uses {
            let written = Written::of(document.dialect, &document.text[used.span().range()]);
            let Some(qualifier) = written.qualifier else { continue };
            let declared =
                document.facts.spaces.iter().filter(|space| space.name == document.facts.space_at(used.start));
            let mut imports = declared.flat_map(|space| &space.imports);
            let alias = imports.find(|import| import.alias.as_deref() == Some(&*qualifier));
            if spaces.contains(alias.map_or(&*qualifier, |import| &import.from)) {
                self.qualified.push((document, *used));
            }
        }
        let links: FxHashSet<u32> = document.facts.links.iter().map(|link| link.span.start).collect();
        let docstrings: FxHashSet<u32> =
            document.facts.forms.iter().filter_map(|form| form.docstring).map(|span| span.start).collect();
        for (kind, token) in document.tree().tokens() {
            let text = &document.text[token.range()];
            let is_comment = kind.is_trivia() && kind != TokenKind::Blank;
            if kind == TokenKind::Atom && !links.contains(&token.start) {
                let plain = text.trim_start_matches("#:").trim_start_matches([':', '\'']);
                let is_it = if folds { canonical_designator(document.dialect, plain) == name } else { plain == name };
                // A variable or function of that name is none.
                let at = document.facts.uses.binary_search_by_key(&token.start, |used| used.start);
                if is_it && at.is_err() {
                    self.possible.push((document, token));
                }
            } else if is_comment || (kind == TokenKind::String && !links.contains(&token.start)) {
                let kind = match is_comment {
                    true => MentionKind::Comment,
                    false if docstrings.contains(&token.start) => MentionKind::Docstring,
                    false => MentionKind::String,
                };
                let spans = words(text, name, folds).into_iter();
                let spans = spans.map(|word| Span::new(token.start + word.start as u32, token.start + word.end as u32));
                self.mentions.extend(spans.map(|span| (document, span, kind)));
            }
        }
    }
}

/// The path is that of a file that is called `name`, with or without directories before it and its extension.
fn is_file(path: &Path, name: &str) -> bool {
    path.ends_with(name) || (name.contains('/') && path.with_extension("").ends_with(name))
}

/// What a file calls `name` is the file at `path`.
fn means_file(document: &Document, name: &str, path: &Path) -> bool {
    let name = name.trim_start_matches("./");
    let beside = document.path.parent().map(|directory| directory.join(name));
    let is_it = |other: &Path| beside.as_deref() == Some(other) || other.ends_with(name);
    is_it(path) || is_it(&path.with_extension(""))
}
