//! The answers of a language about the names in its files (`corpus/oracles/uses`).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

/// The kind of names in data, which are uses for some functions.
const MAYBE: &str = "maybe";

/// The kind of uses that macros make.
const MADE: &str = "made";

/// A name and its package, module or namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name {
    pub(crate) space: String,
    pub(crate) name: String,
}

/// A top-level form, as the language sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// Its first line, from 1.
    pub(crate) line: u32,
    pub(crate) definitions: BTreeSet<Name>,
    /// The names that it uses, with the kinds of use.
    pub(crate) uses: BTreeMap<Name, BTreeSet<String>>,
    /// Names in data, which may be uses.
    pub(crate) mentions: BTreeSet<Name>,
    /// Names that only the macros bring in that it uses.
    pub(crate) made: BTreeSet<Name>,
    /// The language says nothing of its uses.
    pub(crate) is_unseen: bool,
}

/// A file, as the language sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenFile {
    /// Relative to the corpus.
    pub(crate) path: String,
    pub(crate) forms: Vec<Seen>,
    /// The language saw all of it.
    pub(crate) is_whole: bool,
}

/// What a language says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    pub(crate) files: Vec<SeenFile>,
    /// The names of the language itself, which nobody asks about and which the language does not report.
    pub(crate) language: HashSet<Name>,
    /// The features that conditionals of its reader ask for, in upper case.
    pub(crate) features: HashSet<String>,
}

/// Reads the answers for one section.
pub(crate) fn read(path: &Path) -> std::io::Result<Answers> {
    Ok(parse(&std::fs::read_to_string(path)?))
}

fn parse(text: &str) -> Answers {
    let Answers { mut files, mut features, mut language } = Answers::default();
    for line in text.lines() {
        let mut words = line.split('\t');
        let first = words.next().unwrap_or_default();
        if first == "file" {
            let path = words.next().unwrap_or_default().to_owned();
            files.push(SeenFile { path, forms: Vec::new(), is_whole: true });
            continue;
        }
        if first == "language" {
            language.extend(name(&mut words));
            continue;
        }
        if first == "features" {
            features.extend(words.map(str::to_owned));
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        match (first, file.forms.last_mut()) {
            ("failed", _) => file.is_whole = false,
            ("form", _) => {
                let line = words.next().and_then(|line| line.parse().ok()).unwrap_or_default();
                file.forms.push(Seen { line, ..Seen::default() });
            }
            ("definition", Some(form)) => form.definitions.extend(name(&mut words)),
            ("use", Some(form)) => {
                let kind = words.next().unwrap_or_default().to_owned();
                let name = name(&mut words);
                if kind == MAYBE {
                    form.mentions.extend(name);
                } else if kind == MADE {
                    form.made.extend(name);
                } else if let Some(name) = name.filter(|name| !language.contains(name)) {
                    form.uses.entry(name).or_default().insert(kind);
                }
            }
            ("unseen", Some(form)) => form.is_unseen = true,
            _ => {}
        }
    }
    Answers { files, features, language }
}

fn name<'t>(words: &mut impl Iterator<Item = &'t str>) -> Option<Name> {
    let space = words.next()?.to_owned();
    Some(Name { space, name: words.next()?.to_owned() })
}
