//! Info manuals (Texinfo manual, "Info Format Specification"): names in the indices, and titles of nodes, to the text
//! that defines them.

use std::ops::Range;
use std::path::{Path, PathBuf};

use lispwright_project::Links;
use lispwright_syntax::nearest;

use crate::shelves::{Shelves, newest};
use crate::{Article, Look, MOST_ENTRIES, MOST_NEAREST, bare, packed};

/// Parts of a manual that are read for one query.
const MOST_PARTS: usize = 100;

/// The bytes by which the place of a node may differ from that in the table: tables count before conversions.
const SLACK: usize = 4_096;

/// The entries for a query in the manual whose file has one of `names`.
pub(crate) fn look(query: &str, names: &[&str], shelves: &Shelves) -> Look {
    let Some(mut manual) = shelves.info.iter().find_map(|place| Manual::open(place, names)) else {
        return Look::missing();
    };
    let name = bare(query);
    let index = manual.index();
    let mut found: Vec<&Row> = index.iter().filter(|row| row.term == name).collect();
    if found.is_empty() {
        found = index.iter().filter(|row| row.term.eq_ignore_ascii_case(name)).collect();
    }
    // An index may have a name several times in one node.
    let mut rows: Vec<&Row> = Vec::new();
    for row in found {
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let mut entries: Vec<Article> =
        rows.iter().take(MOST_ENTRIES).filter_map(|row| manual.defined(&row.term, &row.node)).flatten().collect();
    // Chapters that list names again refer to the first place.
    if entries.iter().any(|entry| !refers(entry)) {
        entries.retain(|entry| !refers(entry));
    }
    if entries.is_empty() {
        entries.extend(manual.titled(query).and_then(|node| manual.whole(query, &node)));
    }
    let nearest = match entries.is_empty() {
        true => nearest(name, index.iter().map(|row| &*row.term), MOST_NEAREST),
        false => Vec::new(),
    };
    Look { entries, nearest, is_missing: false }
}

/// The text below the heads is only a cross-reference.
fn refers(entry: &Article) -> bool {
    let last = entry.text.as_deref().and_then(|text| text.lines().next_back()).unwrap_or_default();
    last.starts_with("*Note ") && last.ends_with("for documentation.")
}

/// A manual whose table of nodes has been read.
struct Manual {
    directory: PathBuf,
    /// The files, each with the place in the whole where it begins.
    parts: Vec<(String, usize)>,
    /// The nodes with their places in the whole.
    nodes: Vec<(String, usize)>,
    /// Texts of files that have been read.
    read: Vec<(usize, String)>,
}

/// A row of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    term: String,
    node: String,
}

impl Manual {
    /// Opens the manual in a directory, or directly below.
    fn open(place: &Path, names: &[&str]) -> Option<Self> {
        let below = newest(place, |name| !name.contains('.') || name.starts_with("emacs") || name.starts_with("guile"));
        std::iter::once(place.to_owned()).chain(below).find_map(|directory| {
            names.iter().find_map(|name| {
                let file = format!("{name}.info");
                let (_, text) = text_in(&directory, &file)?;
                Self::of(directory.clone(), file, text)
            })
        })
    }

    fn of(directory: PathBuf, file: String, text: String) -> Option<Self> {
        let number = |line: &str| line.trim().parse::<usize>().ok();
        let rows = |start: &str| {
            let after = text.split_once(start).map_or("", |(_, after)| after);
            after.split('\x1f').next().unwrap_or_default().lines()
        };
        let parts: Vec<(String, usize)> = rows("\x1f\nIndirect:\n")
            .filter_map(|line| line.rsplit_once(": "))
            // The name of a part is that of a file in the same directory.
            .filter(|(name, _)| !name.contains('/'))
            .filter_map(|(name, start)| Some((name.to_owned(), number(start)?)))
            .take(MOST_PARTS)
            .collect();
        let nodes: Vec<(String, usize)> = rows("\x1f\nTag Table:\n")
            .filter_map(|line| line.strip_prefix("Node: ")?.split_once('\x7f'))
            .filter_map(|(name, start)| Some((name.to_owned(), number(start)?)))
            .collect();
        if nodes.is_empty() {
            return None;
        }
        let is_split = !parts.is_empty();
        let parts = if is_split { parts } else { vec![(file, 0)] };
        let read = if is_split { Vec::new() } else { vec![(0, text)] };
        Some(Self { directory, parts, nodes, read })
    }

    /// The text of a part.
    fn part(&mut self, number: usize) -> Option<&str> {
        if !self.read.iter().any(|(known, _)| *known == number) {
            let (_, text) = text_in(&self.directory, &self.parts.get(number)?.0)?;
            self.read.push((number, text));
        }
        self.read.iter().find(|(known, _)| *known == number).map(|(_, text)| &**text)
    }

    /// The text of a node, and the file that has it.
    fn node(&mut self, name: &str) -> Option<(String, PathBuf)> {
        let at = self.nodes.iter().find(|(known, _)| known == name)?.1;
        let likely = self.parts.iter().rposition(|(_, start)| *start <= at + SLACK).unwrap_or(0);
        for number in [Some(likely), likely.checked_sub(1)].into_iter().flatten() {
            let named = format!("Node: {name}");
            let is_meant = |header: &str| {
                header.split_once(&*named).is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with([',', '\t']))
            };
            let Some(text) = self.part(number) else { continue };
            let found =
                text.split("\n\x1f").map(|node| node.trim_start_matches('\x1f').trim_start_matches(['\n', '\x0c']));
            let found = found.filter_map(|node| node.split_once('\n')).find(|(first, _)| is_meant(first));
            if let Some((_, text)) = found {
                let text = text.trim_matches('\n').to_owned();
                let file = &self.parts.get(number)?.0;
                let path = text_path(&self.directory, file)?;
                return Some((text, path));
            }
        }
        None
    }

    /// The rows of all indices; those of procedures, functions and variables first.
    fn index(&mut self) -> Vec<Row> {
        let mut names: Vec<String> = self.nodes.iter().map(|(name, _)| name.clone()).collect();
        names.retain(|name| name == "Index" || name.ends_with(" Index"));
        names.sort_by_key(|name| name.contains("Concept"));
        let texts: Vec<String> = names.iter().filter_map(|name| Some(self.node(name)?.0)).collect();
        texts.iter().flat_map(|text| rows(text)).collect()
    }

    /// The node that has this title.
    fn titled(&self, query: &str) -> Option<String> {
        self.nodes.iter().map(|(name, _)| name).find(|name| name.eq_ignore_ascii_case(query.trim())).cloned()
    }

    /// What a node says of a name: its definitions there, else all of the node.
    fn defined(&mut self, name: &str, node: &str) -> Option<Vec<Article>> {
        let (text, path) = self.node(node)?;
        let lines: Vec<&str> = text.lines().collect();
        let entries: Vec<Article> = definitions(&lines, name)
            .into_iter()
            .map(|(kind, range)| {
                let brief = paragraph(&lines[range.clone()]);
                Article {
                    name: name.to_owned(),
                    title: Some(format!("{kind}, in {node}")),
                    path: Some(path.clone()),
                    text: Some(undented(&lines[range])),
                    ..Article::default()
                }
                .with_brief(brief)
            })
            .collect();
        if entries.is_empty() { self.whole(name, node).map(|entry| vec![entry]) } else { Some(entries) }
    }

    /// All of a node.
    fn whole(&mut self, name: &str, node: &str) -> Option<Article> {
        let (text, path) = self.node(node)?;
        let entry =
            Article { name: name.to_owned(), title: Some(node.to_owned()), path: Some(path), ..Article::default() };
        Some(entry.saying("", &text))
    }
}

impl Article {
    /// With a brief of so many lines.
    fn with_brief(self, lines: usize) -> Self {
        let text = self.text.as_deref().unwrap_or_default();
        let brief = text.split_inclusive('\n').take(lines).map(str::len).sum::<usize>();
        let brief = text[..brief].trim_end().len();
        Self { brief, ..self }
    }
}

/// The path of a file that is there plain or packed.
fn text_path(directory: &Path, file: &str) -> Option<PathBuf> {
    let paths = [directory.join(file), directory.join(format!("{file}.gz"))];
    paths.into_iter().find(|path| path.is_file())
}

fn text_in(directory: &Path, file: &str) -> Option<(PathBuf, String)> {
    let path = text_path(directory, file)?;
    let text = packed::text(&path, Links::Followed).ok()?;
    Some((path, text))
}

/// The rows of an index: `* TERM: NODE. (line N)`, the end perhaps on a line of its own. A number in angle brackets tells
/// equal terms apart.
fn rows(text: &str) -> Vec<Row> {
    let menu = text.split_once("* Menu:").map_or("", |(_, menu)| menu);
    let entries = menu.split("\n* ").skip(1).filter_map(|entry| {
        let entry = entry.split("\n\n").next()?.split_whitespace().collect::<Vec<_>>().join(" ");
        let entry = entry.rsplit_once(" (line").map_or(&*entry, |(entry, _)| entry);
        let (term, node) = entry.trim_end_matches('.').rsplit_once(": ")?;
        let term = term.rsplit_once(" <").filter(|(_, number)| is_number(number)).map_or(term, |(term, _)| term);
        Some(Row { term: term.to_owned(), node: node.to_owned() })
    });
    entries.collect()
}

/// `2>`.
fn is_number(text: &str) -> bool {
    text.strip_suffix('>').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The definitions of `name` in a node, each with its kind and its lines: ` -- Scheme Procedure: car pair`, further heads,
/// and the indented text below.
fn definitions(lines: &[&str], name: &str) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let start = at;
        let mut kind = None;
        while let Some((first, last)) = head(lines, at) {
            let line = lines[first..last].join(" ");
            if let Some((what, defined)) = definition(&line)
                && defined == name
            {
                kind.get_or_insert(what);
            }
            at = last;
        }
        if at == start {
            at += 1;
            continue;
        }
        while at < lines.len() && head(lines, at).is_none() && (lines[at].is_empty() || lines[at].starts_with("     "))
        {
            at += 1;
        }
        if let Some(kind) = kind {
            let end = (start..at).rev().find(|line| !lines[*line].is_empty()).map_or(start, |line| line + 1);
            found.push((kind, start..end));
        }
    }
    found
}

/// The lines of the head of a definition that begins at a line; what does not fit on the first is indented deeper than
/// the text below.
fn head(lines: &[&str], at: usize) -> Option<(usize, usize)> {
    lines.get(at).filter(|line| line.starts_with(" -- "))?;
    let more = lines[at + 1..].iter().take_while(|line| line.starts_with("          ")).count();
    Some((at, at + 1 + more))
}

/// The kind and the name in ` -- KIND: NAME ARGUMENT ...`.
fn definition(head: &str) -> Option<(String, &str)> {
    let (kind, rest) = head.trim_start_matches(" -- ").split_once(": ")?;
    // `C Function: scm_car (pair)`, `Variable: SCM_BOOL`, `syntax: {let} ...`.
    let name = rest.split_whitespace().next()?.trim_matches(['{', '}']);
    Some((kind.trim().to_owned(), name))
}

/// The number of lines up to the end of the first paragraph below the heads.
fn paragraph(lines: &[&str]) -> usize {
    let mut at = 0;
    while let Some((_, end)) = head(lines, at) {
        at = end;
    }
    at + lines[at..].iter().take_while(|line| !line.is_empty()).count()
}

/// The lines of a definition: heads without their mark, the text below without the indentation that all of it has.
fn undented(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        let line = line.strip_prefix(" -- ").or(line.strip_prefix("     ")).unwrap_or(line);
        text.push_str(line);
        text.push('\n');
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;
    use crate::packed::tests::gzip;

    /// A manual of three nodes: with `split`, in two packed parts.
    pub(super) fn written(directory: &Path, split: bool) {
        let nodes = [
            "\x1f\nFile: toy.info,  Node: Top,  Next: Pairs\n\nToy\n***\n\n",
            "\x1f\nFile: toy.info,  Node: Pairs,  Next: Procedure Index,  Up: Top\n\n1 Pairs\n*******\n\nA pair has two halves.\n\n \
             -- Scheme Procedure: first pair\n -- Scheme Procedure: rest pair\n          [more]\n     Gives a half.\n\n     At length.\n\n \
             -- Scheme Procedure: join one other\n     Makes a pair.\n\nNo definition any more.\n\n",
            "\x1f\nFile: toy.info,  Node: Procedure Index,  Prev: Pairs,  Up: Top\n\nProcedure Index\n***************\n\n\0\x08[index\0\x08]\n\
             * Menu:\n\n* first:                                 Pairs.               (line   6)\n\
             * a-name-that-is-too-long-for-one-line:\n                                          Pairs.               (line  12)\n\
             * join:                                  Pairs.               (line  13)\n\
             * join <1>:                              Pairs.               (line  14)\n\
             * sides: in pairs:                       Pairs.               (line  14)\n\n",
        ];
        let at = |number: usize| nodes[..number].iter().map(|node| node.len()).sum::<usize>();
        let names = ["Top", "Pairs", "Procedure Index"];
        let tags: String =
            names.iter().enumerate().map(|(at_node, name)| format!("Node: {name}\x7f{}\n", at(at_node))).collect();
        if split {
            let head = format!(
                "Toy.\n\x1f\nIndirect:\ntoy.info-1: 0\ntoy.info-2: {}\n\x1f\nTag Table:\n(Indirect)\n{tags}\x1f\nEnd Tag Table\n",
                at(2)
            );
            fs::write(directory.join("toy.info.gz"), gzip(head.as_bytes())).unwrap();
            fs::write(directory.join("toy.info-1.gz"), gzip(format!("Toy.\n\n{}", nodes[..2].concat()).as_bytes()))
                .unwrap();
            fs::write(directory.join("toy.info-2.gz"), gzip(nodes[2].as_bytes())).unwrap();
        } else {
            let text = format!("Toy.\n\n{}\x1f\nTag Table:\n{tags}\x1f\nEnd Tag Table\n", nodes.concat());
            fs::write(directory.join("toy.info"), text).unwrap();
        }
    }

    fn asked(query: &str, directory: &Path) -> Look {
        look(query, &["toy"], &Shelves { info: vec![directory.to_owned()], ..Shelves::default() })
    }

    #[test]
    fn a_name_leads_to_its_definition_in_whole_and_in_split_manuals() {
        for split in [false, true] {
            let temp = tempfile::tempdir().unwrap();
            let below = temp.path().join("toys-1.2");
            fs::create_dir(&below).unwrap();
            let directory = if split { temp.path() } else { &below };
            written(directory, split);
            let directory = if split { directory } else { temp.path() };
            if !split {
                fs::rename(&below, temp.path().join("toys")).unwrap();
            }
            let found = asked("'first", directory);
            let [entry] = &found.entries[..] else { panic!("{split}: {found:?}") };
            let text = entry.text.as_deref().unwrap();
            let whole =
                "Scheme Procedure: first pair\nScheme Procedure: rest pair\n     [more]\nGives a half.\n\nAt length.";
            assert_eq!((text, entry.title.as_deref()), (whole, Some("Scheme Procedure, in Pairs")));
            assert!(text[..entry.brief].ends_with("Gives a half."), "{}", &text[..entry.brief]);
            let join = asked("JOIN", directory).entries;
            assert_eq!(
                join[0].text.as_deref(),
                Some("Scheme Procedure: join one other\nMakes a pair."),
                "once, although it has two rows"
            );
            assert_eq!(join.len(), 1);
            // A term that is not defined has its node, and so has the title of a node.
            for query in ["a-name-that-is-too-long-for-one-line", "sides: in pairs", "pairs"] {
                let found = asked(query, directory).entries;
                assert!(
                    found[0].text.as_deref().unwrap().starts_with("1 Pairs\n*******\n\nA pair"),
                    "{query}: {found:?}"
                );
            }
            let none = asked("frist", directory);
            assert_eq!((none.entries.len(), none.nearest, none.is_missing), (0, vec!["first".to_owned()], false));
        }
    }

    #[test]
    fn what_is_no_manual_is_missing() {
        let temp = tempfile::tempdir().unwrap();
        assert!(asked("first", temp.path()).is_missing);
        for text in
            ["", "Toy.\n\x1f\nTag Table:\n", "\x1f\nIndirect:\n../x: 0\n\x1f\nTag Table:\nNode: \x7f\n", "\x1f\x1f\n"]
        {
            fs::write(temp.path().join("toy.info"), text).unwrap();
            assert!(asked("first", temp.path()).is_missing, "{text:?}");
        }
        // A table that lies.
        fs::write(temp.path().join("toy.info"), "\x1f\nTag Table:\nNode: Index\x7f99999\nNode: A\x7f0\n\x1f\n")
            .unwrap();
        assert!(asked("a", temp.path()).entries.is_empty());
    }
}
