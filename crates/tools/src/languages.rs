//! `lispwright.toml`: the additions of a project to its dialects. [`crate::workspace`] finds the one that applies to a
//! file.
//!
//! ```toml
//! [common-lisp]
//! brackets = ["[]"]
//!
//! [common-lisp.dispatch]
//! "/" = "delimited"
//!
//! [common-lisp.forms]
//! defroute = "defun"
//! my-let = "((name value?)*) body+"
//! ```
//!
//! `definers` is the same for heads of definitions that are like known ones.
//!
//! `style` and `edits` in `[fmt]` say how files are laid out, and whether edits are; `[lint]` says which rules are asked
//! ([`crate::lint_table`]). `hyperspec = "DIR"` in `[common-lisp]` names a copy of the HyperSpec.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use lispwright_layout::Style;
use lispwright_project::Error;
use lispwright_syntax::language::{DispatchShape, Extension, ExtensionError};
use lispwright_syntax::{Dialect, Language};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::lint_table::{LintTable, Linting};

/// The name of the file.
pub const FILE_NAME: &str = "lispwright.toml";

/// The dialects with the additions of a project.
#[derive(Clone, Debug, Default)]
pub struct Languages {
    extended: Vec<Language>,
    hyperspec: Option<String>,
    fmt: Formatting,
    linting: Linting,
}

/// How a project wants its files laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Formatting {
    /// The authority on where lines begin.
    pub style: Style,
    /// Edits lay out the forms that they write, unless a call says otherwise.
    pub edits: bool,
}

/// A configuration that is wrong.
#[derive(Clone, Debug)]
pub struct BadConfiguration {
    /// The directory it is in.
    pub directory: PathBuf,
    /// The fault.
    pub fault: ConfigFault,
}

/// A fault of a configuration.
#[derive(Clone, Debug)]
pub enum ConfigFault {
    /// It cannot be read.
    Unreadable(Arc<Error>),
    /// It is not TOML, or has an unknown key.
    Toml {
        /// The line, from 1.
        line: usize,
        /// The fault.
        why: String,
    },
    /// A table that is not named after a dialect.
    Dialect(String),
    /// The key of a dispatch character is not one character.
    Character {
        /// The table.
        dialect: String,
        /// The key.
        key: String,
    },
    /// A rule that there is not.
    Rule(String),
    /// A level that there is not.
    Level {
        /// The rule.
        rule: String,
        /// The value.
        level: String,
    },
    /// An unknown style of layout.
    Style(String),
    /// A key that its table cannot have.
    Misplaced {
        /// The table.
        table: String,
        /// The key.
        key: &'static str,
    },
    /// An unknown shape.
    Shape {
        /// The table.
        dialect: String,
        /// The key.
        key: String,
        /// The value.
        shape: String,
    },
    /// An addition that the reader refuses.
    Extension {
        /// The table.
        dialect: String,
        /// The reason.
        error: ExtensionError,
    },
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Additions {
    #[serde(default)]
    brackets: Vec<String>,
    #[serde(default)]
    dispatch: BTreeMap<String, String>,
    #[serde(default)]
    definers: BTreeMap<String, String>,
    #[serde(default)]
    forms: Rows,
    #[serde(default)]
    hyperspec: Option<String>,
    #[serde(default)]
    style: Option<String>,
    #[serde(default)]
    edits: Option<bool>,
}

/// A text, or several.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn all(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::More(more) => more,
        }
    }
}

/// The table of layout.
const FMT: &str = "fmt";

/// What is stated of heads.
type Rows = BTreeMap<String, OneOrMore>;

/// The tables of a configuration: `[lint]`, `[forms]`, and those of dialects and layout.
#[derive(Default)]
struct Tables {
    lint: LintTable,
    /// What is stated of heads in every dialect.
    forms: Rows,
    dialects: BTreeMap<String, Additions>,
}

impl<'de> Deserialize<'de> for Tables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Seen;
        impl<'de> Visitor<'de> for Seen {
            type Value = Tables;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("tables")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tables, A::Error> {
                let mut tables = Tables::default();
                while let Some(name) = entries.next_key::<String>()? {
                    if name == LINT {
                        tables.lint = entries.next_value()?;
                    } else if name == FORMS {
                        tables.forms = entries.next_value()?;
                    } else {
                        tables.dialects.insert(name, entries.next_value()?);
                    }
                }
                Ok(tables)
            }
        }
        deserializer.deserialize_map(Seen)
    }
}

/// The table of rules.
const LINT: &str = "lint";

/// The table of forms in every dialect.
const FORMS: &str = "forms";

impl Languages {
    /// Parses the text of a configuration.
    pub fn parse(text: &str) -> Result<Self, ConfigFault> {
        let Tables { lint, forms, dialects: mut tables } = toml::from_str(text).map_err(|error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
            ConfigFault::Toml { line, why: error.message().to_owned() }
        })?;
        let fmt = tables.remove(FMT).map(|table| formatting(&table)).transpose()?.unwrap_or_default();
        let hyperspec = tables.get(Dialect::CommonLisp.name()).and_then(|table| table.hyperspec.clone());
        if !forms.is_empty() {
            for dialect in Dialect::ALL {
                tables.entry(dialect.name().to_owned()).or_default();
            }
        }
        let mut extended = Vec::new();
        for (name, additions) in tables {
            extended.push(extend(&name, additions, &forms)?);
        }
        Ok(Self { extended, hyperspec, fmt, linting: Linting::of(lint)? })
    }

    /// The directory of a copy of the HyperSpec, relative to the project's root or absolute.
    pub fn hyperspec(&self) -> Option<&str> {
        self.hyperspec.as_deref()
    }

    /// How the files of the project are laid out.
    pub fn formatting(&self) -> Formatting {
        self.fmt
    }

    /// How the files of the project are judged.
    pub fn linting(&self) -> &Linting {
        &self.linting
    }

    /// The same, where forms with the first head of a pair are like those with the second in these dialects.
    #[must_use]
    pub fn with_alike(&self, dialects: impl Iterator<Item = Dialect>, pairs: &[(&str, &str)]) -> Self {
        let mut languages = self.clone();
        for dialect in dialects {
            let alike = self.of(dialect).with_alike(pairs.iter().copied());
            languages.extended.retain(|language| language.dialect() != dialect);
            languages.extended.push(alike);
        }
        languages
    }

    /// The dialect with the additions of the project.
    pub fn of(&self, dialect: Dialect) -> Language {
        self.extended.iter().find(|language| language.dialect() == dialect).cloned().unwrap_or(dialect.into())
    }
}

fn formatting(table: &Additions) -> Result<Formatting, ConfigFault> {
    let misplaced = |key| Err(ConfigFault::Misplaced { table: FMT.to_owned(), key });
    match table {
        Additions { brackets, .. } if !brackets.is_empty() => return misplaced("brackets"),
        Additions { dispatch, .. } if !dispatch.is_empty() => return misplaced("dispatch"),
        Additions { definers, .. } if !definers.is_empty() => return misplaced("definers"),
        Additions { forms, .. } if !forms.is_empty() => return misplaced("forms"),
        Additions { hyperspec: Some(_), .. } => return misplaced("hyperspec"),
        _ => {}
    }
    let named = |name: &String| Style::from_name(name).ok_or_else(|| ConfigFault::Style(name.clone()));
    let style = table.style.as_ref().map(named).transpose()?.unwrap_or_default();
    Ok(Formatting { style, edits: table.edits.unwrap_or(false) })
}

/// The dialect called `name` with its additions; a row of `forms` that is no row in it has to be one in some dialect.
fn extend(name: &str, additions: Additions, forms: &Rows) -> Result<Language, ConfigFault> {
    let dialect = Dialect::ALL.into_iter().find(|dialect| dialect.name() == name);
    let dialect = dialect.ok_or_else(|| ConfigFault::Dialect(name.to_owned()))?;
    let misplaced = |key| Err(ConfigFault::Misplaced { table: name.to_owned(), key });
    match additions {
        Additions { style: Some(_), .. } => return misplaced("style"),
        Additions { edits: Some(_), .. } => return misplaced("edits"),
        _ => {}
    }
    let refused = |error| ConfigFault::Extension { dialect: name.to_owned(), error };
    let mut extension = Extension::new(dialect);
    for pair in &additions.brackets {
        extension.add_brackets(pair).map_err(refused)?;
    }
    for (key, shape) in &additions.dispatch {
        let mut characters = key.chars();
        let (Some(character), None) = (characters.next(), characters.next()) else {
            return Err(ConfigFault::Character { dialect: name.to_owned(), key: key.clone() });
        };
        let shape = DispatchShape::from_name(shape).ok_or_else(|| ConfigFault::Shape {
            dialect: name.to_owned(),
            key: key.clone(),
            shape: shape.clone(),
        })?;
        extension.add_dispatch(character, shape).map_err(refused)?;
    }
    for (head, like) in &additions.definers {
        extension.add_definer(head, like).map_err(refused)?;
    }
    for (head, rows) in forms {
        let added = extension.add_form(head, rows.all());
        let is_of_other = || Dialect::ALL.into_iter().any(|one| Extension::new(one).add_form(head, rows.all()).is_ok());
        if let Err(error) = added
            && !is_of_other()
        {
            return Err(ConfigFault::Extension { dialect: FORMS.to_owned(), error });
        }
    }
    for (head, rows) in &additions.forms {
        extension.add_form(head, rows.all()).map_err(refused)?;
    }
    Ok(extension.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use lispwright_syntax::read;

    use super::*;

    #[test]
    fn additions_reach_the_reader() {
        let text = "[common-lisp]\nbrackets = [\"[]\"]\n[common-lisp.dispatch]\n\"/\" = \"delimited\"\n";
        let languages = Languages::parse(text).unwrap();
        assert!(read("(f #/(/ [a])", languages.of(Dialect::CommonLisp)).is_balanced());
        assert!(!read("(f #/(/ [a])", languages.of(Dialect::Scheme)).is_balanced());
    }
}
