//! `docs_lookup`: what the manuals of the languages say of a name, and the docstrings of the project.

use std::path::PathBuf;

use lispwright_manuals::{Article, Copy, Look, Manual, Shelves, look_up};
use lispwright_project::Links;
use lispwright_syntax::{Dialect, nearest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code_describe::{Known, Meaning, from_files};
use crate::code_live::named;
use crate::eval_answer::output_limit;
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::workshop::{Workshop, named_dialect};

/// Names that are offered when nothing is called as asked.
const MOST_NEAREST: usize = 5;

/// Docstrings of the project at most.
const MOST_OF_PROJECT: usize = 5;

/// Arguments of `docs_lookup`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocsLookup {
    /// car, str/join, section 22.3, ~A, #', loop for, glossary fresh
    pub query: String,
    /// Default: the project's
    #[serde(default)]
    pub dialect: Option<String>,
    /// false: only where it stands
    #[serde(default)]
    pub include_content: Option<bool>,
    /// Only syntax and arguments, or the first paragraph
    #[serde(default)]
    pub brief: bool,
    /// Characters to skip
    #[serde(default)]
    pub offset: u32,
    /// Characters, default 10000
    #[serde(default)]
    pub limit: Option<u32>,
}

/// What manuals and the project say of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocsAnswer {
    /// The query.
    pub query: String,
    /// What was found, those of one dialect together. Of texts only the requested range is here.
    pub entries: Vec<DocsEntry>,
    /// Characters of all texts together.
    pub total: usize,
    /// More text comes after the range.
    pub truncated: bool,
    /// Manuals of these dialects that are not installed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingManual>,
    /// The number of characters up to the end of the range.
    #[serde(skip)]
    pub end: usize,
    /// The dialect of the call.
    #[serde(skip)]
    pub dialect: Option<String>,
    /// Texts were asked for.
    #[serde(skip)]
    pub with_content: bool,
}

/// What one manual says, or a docstring.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocsEntry {
    /// The dialect.
    pub dialect: String,
    /// The manual; absent for a docstring of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manual: Option<String>,
    /// What it is about, as it is spelled there.
    pub name: String,
    /// What that is, or the heading under which it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The query is the number of a section.
    pub is_section: bool,
    /// Its public address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The file that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line there, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// A manual that is not installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MissingManual {
    /// Its name.
    pub name: String,
    /// The package of Debian that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
}

/// A query that nothing answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undocumented {
    /// The query.
    pub query: String,
    /// The manuals that were looked into.
    pub looked: Vec<String>,
    /// The manuals that are not installed.
    pub missing: Vec<MissingManual>,
    /// The files of the project whose docstrings were looked through.
    pub files: usize,
    /// Names in any of these that are spelled much like it.
    pub nearest: Vec<String>,
    /// An image runs, which may know more.
    pub has_image: bool,
}

/// Looks the query up in the manuals of its dialect, else in those of the project's dialects, else in all, and in the
/// docstrings of the project. No image is asked: printing what it knows could run code.
pub async fn docs_lookup(workshop: &Workshop, args: DocsLookup, context: &CallContext) -> Result<DocsAnswer, Refusal> {
    let query = named_query(&args)?;
    let dialect = args.dialect.as_deref().map(named_dialect).transpose()?;
    let known = from_files(workshop, context, query, None, dialect).await?;
    let has_image = !workshop.sessions.living().is_empty();
    answer(args, known, shelves(workshop)?, has_image, context).await
}

/// The same where no project is: manuals are everywhere.
pub async fn docs_without_project(args: DocsLookup, context: &CallContext) -> Result<DocsAnswer, Refusal> {
    answer(args, Known::default(), Shelves::of_system(|name| std::env::var_os(name)), false, context).await
}

async fn answer(
    args: DocsLookup,
    known: Known,
    shelves: Shelves,
    has_image: bool,
    context: &CallContext,
) -> Result<DocsAnswer, Refusal> {
    let query = named_query(&args)?;
    let dialect = args.dialect.as_deref().map(named_dialect).transpose()?;
    let asked = (query.clone(), known.dialects.clone());
    let looks = context.on_files(move || Ok(in_manuals(&asked.0, &shelves, dialect, &asked.1))).await?;

    let (mut entries, mut looked, mut missing, mut near) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (manual, look) in looks {
        if look.is_missing && !(manual.is_listed() && look.entries.is_empty()) {
            let package = manual.package.map(str::to_owned);
            missing.push(MissingManual { name: manual.name.to_owned(), package });
        } else {
            looked.push(manual.name.to_owned());
        }
        near.extend(look.nearest);
        entries.extend(look.entries.into_iter().map(|entry| of_manual(manual, entry, args.brief)));
    }
    entries.extend(of_project(&known, args.brief));
    if entries.is_empty() {
        near.extend(known.nearest);
        let nearest = nearest(&query, near.iter().map(String::as_str), MOST_NEAREST);
        let unknown = Undocumented { query, looked, missing, files: known.files, nearest, has_image };
        return Err(Refusal::Undocumented(Box::new(unknown)));
    }
    // Together with the others of its dialect; the sort keeps the order of manuals.
    entries.sort_by_key(|entry| Dialect::ALL.iter().position(|dialect| dialect.name() == entry.dialect));
    let with_content = args.include_content.unwrap_or(true);
    let answer = DocsAnswer { query, missing, dialect: args.dialect, with_content, ..DocsAnswer::default() };
    Ok(in_range(answer, entries, args.offset as usize, output_limit(args.limit)))
}

/// The query, which says something.
fn named_query(args: &DocsLookup) -> Result<String, Refusal> {
    match args.query.trim() {
        "" => Err(Refusal::Misfit { why: "`query` is empty".to_owned() }),
        query => named(query.to_owned()),
    }
}

/// The shelves of the system, and of the project the copy of the HyperSpec that its configuration names. Whoever wrote
/// that may be anybody, so no link is followed to its files.
fn shelves(workshop: &Workshop) -> Result<Shelves, Refusal> {
    let mut shelves = Shelves::of_system(|name| std::env::var_os(name));
    let root = workshop.roots.primary();
    if let Some(named) = workshop.workspace.languages_in(root)?.hyperspec() {
        shelves.hyperspec.insert(0, Copy { directory: root.join(named), links: Links::Refused });
    }
    Ok(shelves)
}

/// What the manuals of one dialect say; without one, those of the project's, or if they say nothing, all.
fn in_manuals(
    query: &str,
    shelves: &Shelves,
    dialect: Option<Dialect>,
    of_project: &[Dialect],
) -> Vec<(&'static Manual, Look)> {
    if let Some(dialect) = dialect {
        return look_up(query, shelves, |one| one == dialect);
    }
    let mut looks = look_up(query, shelves, |one| of_project.contains(&one));
    if looks.iter().all(|(_, look)| look.entries.is_empty()) {
        looks.extend(look_up(query, shelves, |one| !of_project.contains(&one)));
    }
    looks
}

fn of_manual(manual: &Manual, entry: Article, brief: bool) -> DocsEntry {
    let shown = |path: PathBuf| path.to_string_lossy().into_owned();
    let content = entry.text.map(|mut text| {
        if brief {
            text.truncate(entry.brief);
        }
        text
    });
    DocsEntry {
        dialect: manual.dialect.name().to_owned(),
        manual: Some(manual.name.to_owned()),
        name: entry.name,
        title: entry.title,
        is_section: entry.is_section,
        url: entry.url,
        path: entry.path.map(shown),
        line: entry.line,
        content,
    }
}

/// The docstrings of the project.
fn of_project(known: &Known, brief: bool) -> Vec<DocsEntry> {
    let meanings = known.answer.iter().flat_map(|answer| &answer.meanings);
    let entry = |Meaning { name, sense }: &Meaning| {
        let documentation = sense.documentation.as_deref()?;
        let said = if brief { documentation.split("\n\n").next().unwrap_or_default() } else { documentation };
        let usage = sense.arglist.as_ref().map(|lists| format!("{name} {}\n\n", lists.replace('\n', " | ")));
        let dialect = sense.path.as_deref().and_then(|path| Dialect::detect(path, b"")).or(known.dialect)?;
        Some(DocsEntry {
            dialect: dialect.name().to_owned(),
            name: name.clone(),
            title: sense.kind.clone(),
            path: sense.path.clone(),
            line: sense.line,
            content: Some(usage.unwrap_or_default() + said.trim_end()),
            ..DocsEntry::default()
        })
    };
    meanings.filter_map(entry).take(MOST_OF_PROJECT).collect()
}

/// The answer with the entries that are in a range of all their texts, taken together.
fn in_range(answer: DocsAnswer, entries: Vec<DocsEntry>, offset: usize, limit: usize) -> DocsAnswer {
    let end = offset.saturating_add(limit);
    let mut total = 0;
    let mut shown = Vec::new();
    for mut entry in entries {
        let (start, length) = (total, entry.content.as_ref().map_or(0, |text| text.chars().count()));
        if !answer.with_content {
            entry.content = None;
            shown.push(entry);
            continue;
        }
        total += length;
        // What has no text belongs to the beginning.
        let is_within = if length == 0 { offset == 0 } else { total > offset && start < end };
        if !is_within {
            continue;
        }
        let (skipped, kept) = (offset.saturating_sub(start), end.saturating_sub(start.max(offset)));
        entry.content = entry.content.map(|text| text.chars().skip(skipped).take(kept).collect());
        shown.push(entry);
    }
    DocsAnswer { entries: shown, total, truncated: total > end, end: end.min(total), ..answer }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(offset: usize, limit: usize) -> (Vec<String>, bool) {
        let entry = |text: Option<&str>| DocsEntry { content: text.map(str::to_owned), ..DocsEntry::default() };
        let entries = vec![entry(Some("αβγ")), entry(None), entry(Some("defg"))];
        let answer = in_range(DocsAnswer { with_content: true, ..DocsAnswer::default() }, entries, offset, limit);
        assert_eq!(answer.total, 7);
        let texts = answer.entries.into_iter().map(|entry| entry.content.unwrap_or("-".to_owned()));
        (texts.collect(), answer.truncated)
    }

    #[test]
    fn a_range_goes_over_all_texts_in_their_order() {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        for (offset, limit, shown, truncated) in [
            (0, 9, &["αβγ", "-", "defg"][..], false),
            (0, 7, &["αβγ", "-", "defg"], false),
            (0, 5, &["αβγ", "-", "de"], true),
            (0, 2, &["αβ", "-"], true),
            (2, 2, &["γ", "d"], true),
            (5, 9, &["fg"], false),
            (9, 9, &[], false),
        ] {
            assert_eq!(texts(offset, limit), (owned(shown), truncated), "{offset} {limit}");
        }
    }
}
