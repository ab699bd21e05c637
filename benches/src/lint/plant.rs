//! One fault in a text.

use std::ops::RangeInclusive;

use lispwright_syntax::{Datum, Dialect, ListId, Span, TokenKind, Tree, read};

use crate::repair::random::Random;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    Dropped,
    Added,
    Operator,
    Variable,
    Keyword,
    Format,
    Import,
}

impl Fault {
    pub(crate) const ALL: [Self; 7] =
        [Self::Dropped, Self::Added, Self::Operator, Self::Variable, Self::Keyword, Self::Format, Self::Import];

    /// The words for it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Dropped => "argument dropped",
            Self::Added => "argument added",
            Self::Operator => "operator misspelt",
            Self::Variable => "variable misspelt",
            Self::Keyword => "keyword misspelt",
            Self::Format => "format directive",
            Self::Import => "import removed",
        }
    }
}

/// A text with a fault.
pub(crate) struct Planted {
    pub(crate) fault: Fault,
    pub(crate) text: String,
    /// The lines at which it can be told.
    pub(crate) lines: RangeInclusive<u32>,
    /// What was done, in a few words.
    pub(crate) shown: String,
    /// The name that is misspelt, as it was and as it is: what binds it and what uses it are told in different places.
    pub(crate) names: Option<[String; 2]>,
}

/// What begins a keyword, the nothing that is added to a call, and a directive of format, as a language writes them.
struct Signs {
    keyword: &'static str,
    nothing: &'static str,
    directive: &'static str,
}

/// The signs of a language.
const fn signs(dialect: Dialect) -> Signs {
    match dialect {
        Dialect::Scheme | Dialect::Racket => Signs { keyword: "#:", nothing: "#f", directive: "~a" },
        Dialect::EmacsLisp | Dialect::Clojure => Signs { keyword: ":", nothing: "nil", directive: "%s" },
        _ => Signs { keyword: ":", nothing: "nil", directive: "~a" },
    }
}

/// The code of a text: lists that look like calls and what else stands in them.
struct Code<'t> {
    text: &'t str,
    tree: Tree,
    /// Lists with a name at their head, none of them quoted.
    calls: Vec<ListId>,
    /// Atoms in them behind the head, each with the list.
    atoms: Vec<(ListId, Datum)>,
}

impl<'t> Code<'t> {
    fn of(text: &'t str, dialect: Dialect) -> Self {
        let mut code = Self { text, tree: read(text, dialect), calls: Vec::new(), atoms: Vec::new() };
        let mut waiting: Vec<ListId> = code.tree.top_level().filter_map(Datum::list).collect();
        while let Some(list) = waiting.pop() {
            let data: Vec<Datum> = code.tree.data(list).collect();
            let head = data.first().filter(|head| head.list().is_none()).map_or("", |head| code.source(*head));
            let is_declaration = [
                "defpackage",
                "in-package",
                "define-module",
                "use-modules",
                "ns",
                "require",
                "provide",
                "declare",
                "declaim",
                "quote",
            ]
            .iter()
            .any(|word| head.eq_ignore_ascii_case(word));
            if is_declaration {
                continue;
            }
            let is_round = code.tree.kind(code.tree.list(list).open()) == TokenKind::OpenParen;
            let is_call = is_round && head.starts_with(|first: char| first.is_alphabetic());
            let is_top = code.tree.list(list).parent().is_none();
            if is_call && !is_top {
                code.calls.push(list);
            }
            for datum in data.into_iter().skip(usize::from(is_call)).filter(|datum| datum.is_bare()) {
                match datum.list() {
                    Some(inner) => waiting.push(inner),
                    None if is_call && !is_top => code.atoms.push((list, datum)),
                    None => {}
                }
            }
        }
        code
    }

    fn source(&self, datum: Datum) -> &'t str {
        &self.text[self.tree.core_span(datum).range()]
    }

    fn line(&self, offset: u32) -> u32 {
        self.text[..offset as usize].matches('\n').count() as u32 + 1
    }

    /// The text with other bytes in a place, at the lines of `list` or of the place.
    fn with(&self, fault: Fault, list: Option<ListId>, place: Span, new: &str) -> Planted {
        let text = format!("{}{new}{}", &self.text[..place.start as usize], &self.text[place.end as usize..]);
        let span = list.map_or(place, |list| self.tree.list_span(list));
        let (start, end) = (self.line(span.start), self.line(span.end));
        let shown = format!("`{}` is `{new}`", &self.text[place.range()]).replace('\n', " ");
        let is_name = matches!(fault, Fault::Operator | Fault::Variable);
        let names = is_name.then(|| [&self.text[place.range()], new].map(|name| format!("`{}`", name.to_lowercase())));
        Planted { fault, text, lines: start..=end, shown, names }
    }
}

/// Plants a fault at a random place; `None` if there is none for it.
pub(crate) fn plant(text: &str, dialect: Dialect, fault: Fault, random: &mut Random) -> Option<Planted> {
    let code = Code::of(text, dialect);
    let signs = signs(dialect);
    match fault {
        Fault::Dropped => {
            let list = *random.pick(&code.calls)?;
            let data: Vec<Datum> = code.tree.data(list).collect();
            let at = 1 + random.below(data.len().checked_sub(1).filter(|count| *count > 0)?);
            let before = code.tree.datum_span(data[at - 1]).end;
            let place = Span::new(before, code.tree.datum_span(data[at]).end);
            Some(code.with(fault, Some(list), place, ""))
        }
        Fault::Added => {
            let list = *random.pick(&code.calls)?;
            let end = code.tree.datum_span(code.tree.data(list).last()?).end;
            Some(code.with(fault, Some(list), Span::new(end, end), &format!(" {}", signs.nothing)))
        }
        Fault::Operator => {
            let list = *random.pick(&code.calls)?;
            let head = code.tree.data(list).next()?;
            Some(code.with(fault, None, code.tree.core_span(head), &misspelt(code.source(head), random)?))
        }
        Fault::Variable => {
            let is_name = |datum: Datum| code.source(datum).starts_with(|first: char| first.is_alphabetic());
            let atoms: Vec<_> = code.atoms.iter().filter(|(_, datum)| is_name(*datum)).collect();
            let (_, datum) = **random.pick(&atoms)?;
            Some(code.with(fault, None, code.tree.core_span(datum), &misspelt(code.source(datum), random)?))
        }
        Fault::Keyword => {
            let begin = signs.keyword;
            let atoms: Vec<_> = code.atoms.iter().filter(|(_, datum)| code.source(*datum).starts_with(begin)).collect();
            let (list, datum) = **random.pick(&atoms)?;
            let word = misspelt(code.source(datum).strip_prefix(begin)?, random)?;
            Some(code.with(fault, Some(list), code.tree.core_span(datum), &format!("{begin}{word}")))
        }
        Fault::Format => {
            let mark = signs.directive;
            let directive = |datum: Datum| code.source(datum).to_ascii_lowercase().find(mark);
            let is_text = |datum: Datum| code.tree.kind(datum.core) == TokenKind::String && directive(datum).is_some();
            let texts: Vec<_> = code.atoms.iter().filter(|(_, datum)| is_text(*datum)).collect();
            let (list, datum) = **random.pick(&texts)?;
            let at = code.tree.core_span(datum).start + directive(datum)? as u32;
            let (place, new) = match random.percent(50) {
                true => (Span::new(at, at + mark.len() as u32), ""),
                false => (Span::new(at, at), mark),
            };
            Some(code.with(fault, Some(list), place, new))
        }
        Fault::Import => {
            let imports = imports(&code, dialect);
            let place = *random.pick(&imports)?;
            let planted = code.with(fault, None, place, "");
            Some(Planted { lines: 1..=u32::MAX, ..planted })
        }
    }
}

/// What a file asks for from elsewhere, where a compiler could miss it in the same file.
fn imports(code: &Code<'_>, dialect: Dialect) -> Vec<Span> {
    let mut found = Vec::new();
    for top in code.tree.top_level() {
        let Some(list) = top.list() else { continue };
        let data: Vec<Datum> = code.tree.data(list).collect();
        let head = data.first().map_or("", |head| code.source(*head));
        match (dialect, head) {
            (Dialect::EmacsLisp, "require") => found.push(code.tree.datum_span(top)),
            (Dialect::Scheme, "define-module") => found.extend(data.windows(2).filter_map(|pair| {
                let is_import = matches!(code.source(pair[0]), "#:use-module" | ":use-module");
                is_import.then(|| Span::new(code.tree.datum_span(pair[0]).start, code.tree.datum_span(pair[1]).end))
            })),
            (Dialect::Racket, "require") => found.extend(data[1..].iter().map(|one| code.tree.datum_span(*one))),
            (Dialect::Clojure, "ns") => {
                found.extend(data[1..].iter().filter_map(|clause| clause.list()).flat_map(|list| {
                    let wants: Vec<Datum> = code.tree.data(list).collect();
                    let is_import =
                        wants.first().is_some_and(|head| matches!(code.source(*head), ":require" | ":import"));
                    let count = if is_import { wants.len() } else { 0 };
                    (1..count).map(move |at| code.tree.datum_span(wants[at])).collect::<Vec<_>>()
                }))
            }
            (Dialect::Scheme, "use-modules") if data.len() > 2 => {
                found.extend(data[1..].iter().map(|one| code.tree.datum_span(*one)));
            }
            _ => {}
        }
    }
    found
}

/// The name with two letters in each other's place, or without one.
fn misspelt(name: &str, random: &mut Random) -> Option<String> {
    let mut letters: Vec<char> = name.chars().collect();
    if letters.len() < 4 || !name.is_ascii() || name.contains(['|', '\\']) {
        return None;
    }
    let at = 1 + random.below(letters.len() - 2);
    if random.percent(50)
        || letters[at] == letters[at + 1]
        || !letters[at].is_alphabetic()
        || !letters[at + 1].is_alphabetic()
    {
        letters.remove(at);
    } else {
        letters.swap(at, at + 1);
    }
    let new: String = letters.into_iter().collect();
    (new != name && !new.ends_with(['-', ':']) && !new.contains("::")).then_some(new)
}
