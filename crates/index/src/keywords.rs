//! Questions about keywords: who writes `:shop.core/id`, in whichever way.
//!
//! In Clojure a keyword has a namespace, which can be written out, through an alias (`::shop/id`), as the namespace of the
//! file (`::id`), before a map (`#:shop.core{:id 1}`) or before the names that a map is taken apart by
//! (`{:shop.core/keys [id]}`). A keyword without a namespace, in any dialect, may be a word of anything: all places that
//! write it are told.

use lispwright_syntax::{Datum, Dialect, ListId, Span, TokenId, TokenKind, Tree};
use rustc_hash::FxHashSet;

use crate::account::discarded;
use crate::dialects::rules;
use crate::facts::{Facts, MarkRole};
use crate::index::{Document, Index};
use crate::ledger::{Mentioned, Possible, PossibleReason};
use crate::mention::{MentionKind, holds, words};

/// A keyword: its namespace, and its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Keyword {
    /// Its namespace, written out.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

/// A place that takes a value out of a map and binds a variable of the keyword's name to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeywordBinding {
    /// The map.
    pub map: Span,
    /// The element of the vector after `:keys`.
    pub element: Span,
    /// The variable.
    pub variable: String,
    /// What the keyword begins with if it is written out there: `:`, `::shop/`.
    pub before: String,
}

/// A place of a keyword.
#[derive(Clone, Debug)]
pub struct KeywordPlace<'i> {
    /// The file.
    pub document: &'i Document,
    /// The name, without colon and namespace.
    pub span: Span,
    /// It takes a map apart.
    pub binds: Option<KeywordBinding>,
    /// It gives the keyword its meaning: `(s/def ::id …)`.
    pub declares: bool,
}

/// The places of a keyword.
#[derive(Clone, Debug)]
pub struct Keywords<'i> {
    /// The keyword.
    pub keyword: Keyword,
    /// The places, in the order of files.
    pub places: Vec<KeywordPlace<'i>>,
    /// Places that may be some.
    pub possible: Vec<Possible<'i>>,
    /// Words of texts, and code that is switched off.
    pub mentions: Vec<Mentioned<'i>>,
    /// How many files were looked into.
    pub files: usize,
}

/// Options whose keywords stand for others, which have no namespace.
const WITHOUT: &[&str] = &[":req-un", ":opt-un"];

impl Index {
    /// The keyword that is written so in a call: `:id`, `:shop.core/id`, `::id` with its namespace apart.
    pub fn keyword(&self, written: &str, namespace: Option<&str>) -> Option<Keyword> {
        let text = written.trim();
        let inner = text.strip_prefix("#:").or_else(|| text.strip_prefix("::")).or_else(|| text.strip_prefix(':'))?;
        let is_name = |name: &str| !name.is_empty() && !name.contains(['(', ' ', '"', ':']);
        let keyword = |namespace: Option<&str>, name: &str| Keyword {
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        };
        let found = match inner.split_once('/') {
            Some((namespace, name)) => keyword(Some(namespace), name),
            None => keyword(namespace, inner),
        };
        // `::id` is a keyword of a namespace, and only one can be meant.
        let is_open = text.starts_with("::") && found.namespace.is_none();
        if is_open {
            let mut spaces: Vec<String> = Vec::new();
            for document in self.documents().filter(|one| rules(one.dialect).keywords_are_qualified) {
                let tree = document.tree();
                let own = tree.tokens().filter(|(_, span)| &document.text[span.range()] == text);
                spaces.extend(own.map(|(_, span)| document.facts.space_at(span.start).to_owned()));
            }
            spaces.sort_unstable();
            spaces.dedup();
            return match &spaces[..] {
                [one] => Some(Keyword { namespace: Some(one.clone()), ..found }),
                _ => None,
            };
        }
        is_name(&found.name).then_some(found)
    }

    /// The places of a keyword; `None` if no file writes it. `everywhere`: also in dialects whose keywords have no namespaces.
    pub fn keywords(&self, keyword: &Keyword, everywhere: bool) -> Option<Keywords<'_>> {
        let mut documents: Vec<&Document> = self.documents().collect();
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        if keyword.namespace.is_some() || !everywhere {
            documents.retain(|document| rules(document.dialect).keywords_are_qualified);
        }
        let files = documents.len();
        let mut found = Keywords {
            keyword: keyword.clone(),
            places: Vec::new(),
            possible: Vec::new(),
            mentions: Vec::new(),
            files,
        };
        for document in documents {
            if holds(&document.text, &keyword.name, document.dialect.folds_case()) {
                let tree = document.tree();
                let facts = match rules(document.dialect).keywords_are_qualified {
                    true => Facts::with_marks(&tree, &document.text),
                    false => Facts::default(),
                };
                Reader { document, tree: &tree, facts: &facts, found: &mut found }.read();
            }
        }
        (!found.places.is_empty()).then_some(found)
    }
}

/// A look at one file.
struct Reader<'r, 'i> {
    document: &'i Document,
    tree: &'r Tree,
    facts: &'r Facts,
    found: &'r mut Keywords<'i>,
}

impl<'i> Reader<'_, 'i> {
    fn text(&self, span: Span) -> &'i str {
        &self.document.text[span.range()]
    }

    fn dialect(&self) -> Dialect {
        self.document.dialect
    }

    fn data(&self, list: ListId) -> Vec<Datum> {
        self.tree.data(list).collect()
    }

    fn is_name(&self, name: &str) -> bool {
        let wanted = self.found.keyword.name.as_str();
        if self.dialect().folds_case() { name.eq_ignore_ascii_case(wanted) } else { name == wanted }
    }

    fn read(&mut self) {
        let document = self.document;
        let discarded = discarded(self.tree);
        let docstrings: FxHashSet<u32> =
            document.facts.forms.iter().filter_map(|form| form.docstring).map(|span| span.start).collect();
        for (at, (kind, token)) in self.tree.tokens().enumerate() {
            let at = at as TokenId;
            let is_comment = kind.is_trivia() && kind != TokenKind::Blank;
            match kind {
                TokenKind::Atom => self.atom(at, token, &discarded),
                TokenKind::String if self.is_name(self.text(token).trim_matches('"')) => {
                    let span = Span::new(token.start + 1, token.end - 1);
                    match self.makes_keyword(at) {
                        true => self.found.possible.push(Possible { document, span, reason: PossibleReason::ByName }),
                        false => self.found.mentions.push(Mentioned { document, span, kind: MentionKind::String }),
                    }
                }
                _ if is_comment || kind == TokenKind::String => {
                    let kind = match is_comment {
                        true => MentionKind::Comment,
                        false if docstrings.contains(&token.start) => MentionKind::Docstring,
                        false => MentionKind::String,
                    };
                    self.words(token, kind);
                }
                _ => {}
            }
        }
    }

    /// Words of a text that are written as the keyword is.
    fn words(&mut self, token: Span, kind: MentionKind) {
        let text = self.text(token);
        let before = match &self.found.keyword.namespace {
            Some(namespace) => format!("{namespace}/"),
            None => ":".to_owned(),
        };
        for word in words(text, &self.found.keyword.name, self.dialect().folds_case()) {
            if text[..word.start].ends_with(&before) {
                let span = Span::new(token.start + word.start as u32, token.start + word.end as u32);
                self.found.mentions.push(Mentioned { document: self.document, span, kind });
            }
        }
    }

    /// The string is an argument of `keyword`.
    fn makes_keyword(&self, token: TokenId) -> bool {
        let head = self.tree.list_around(token).and_then(|list| self.tree.data(list).next());
        head.is_some_and(|head| {
            let head = self.text(self.tree.core_span(head));
            head.rsplit('/').next() == Some("keyword") || head.eq_ignore_ascii_case("intern")
        })
    }

    fn atom(&mut self, at: TokenId, token: Span, discarded: &[Span]) {
        let text = self.text(token);
        let name = text.rsplit(['/', ':']).next().unwrap_or(text);
        if !self.is_name(name) {
            return;
        }
        let span = Span::new(token.end - name.len() as u32, token.end);
        let list = self.tree.list_around(at);
        let keys = list.and_then(|list| self.keys(list));
        let is_local = || {
            self.facts
                .marks
                .iter()
                .any(|mark| token.encloses(mark.span) && matches!(mark.role, MarkRole::Local | MarkRole::Perhaps))
        };
        let is_binding = keys.is_some() && is_local();
        if !text.starts_with(':') && !text.starts_with("#:") && !is_binding {
            return;
        }
        let (namespace, before) = match keys.filter(|_| is_binding) {
            Some((_, keys)) => self.of_binding(text, token.start, keys),
            None => (self.namespace(text, token, list), String::new()),
        };
        if namespace != self.found.keyword.namespace {
            return;
        }
        let document = self.document;
        if discarded.iter().any(|part| part.encloses(token)) {
            return self.found.mentions.push(Mentioned { document, span, kind: MentionKind::Disabled });
        }
        if list.is_some_and(|list| self.is_without(list)) && namespace.is_some() {
            return self.found.possible.push(Possible { document, span, reason: PossibleReason::NotUnderstood });
        }
        let binds = keys.filter(|_| is_binding).map(|(map, _)| KeywordBinding {
            map: self.tree.list_span(map),
            element: token,
            variable: name.to_owned(),
            before,
        });
        let declares = list.is_some_and(|list| {
            let data = self.data(list);
            let is_definer = data.first().is_some_and(|head| self.text(self.tree.core_span(*head)).ends_with("/def"));
            is_definer && data.get(1).is_some_and(|one| self.tree.core_span(*one) == token)
        });
        self.found.places.push(KeywordPlace { document, span, binds, declares });
    }

    /// The datum before a list in the list around it, with that list.
    fn before(&self, list: ListId) -> Option<(ListId, Datum)> {
        let outer = self.tree.list(list).parent()?;
        let start = self.tree.list_span(list).start;
        let before = self.tree.data(outer).take_while(|datum| self.tree.core_span(*datum).start < start).last()?;
        Some((outer, before))
    }

    /// The map in which a vector stands after `:keys`, and that keyword.
    fn keys(&self, list: ListId) -> Option<(ListId, &'i str)> {
        let (map, keys) = self.before(list)?;
        let keys = self.text(self.tree.core_span(keys));
        let is_keys = keys.starts_with(':') && (keys.ends_with(":keys") || keys.ends_with("/keys"));
        is_keys.then_some((map, keys))
    }

    /// The vector stands after an option that drops namespaces.
    fn is_without(&self, list: ListId) -> bool {
        self.before(list).is_some_and(|(_, before)| WITHOUT.contains(&self.text(self.tree.core_span(before))))
    }

    /// The namespace of an element after `:keys`, and what its keyword begins with.
    fn of_binding(&self, text: &str, at: u32, keys: &str) -> (Option<String>, String) {
        let own = text.rsplit_once('/').map(|(own, _)| own.to_owned());
        if text.starts_with("::") {
            let before = own.as_ref().map_or_else(|| "::".to_owned(), |own| format!("{own}/"));
            return (self.written(text, at), before);
        }
        if let Some(own) = own {
            let own = own.trim_start_matches(':');
            return (Some(own.to_owned()), format!(":{own}/"));
        }
        let before = keys.strip_suffix("keys").unwrap_or(keys);
        (self.written(keys, at), before.to_owned())
    }

    /// The namespace of a keyword as it is written, in a place.
    fn namespace(&self, text: &str, token: Span, list: Option<ListId>) -> Option<String> {
        if !rules(self.dialect()).keywords_are_qualified {
            return None;
        }
        if text.starts_with("::") || text.contains('/') {
            return self.written(text, token.start).filter(|namespace| namespace != "_");
        }
        let list = list?;
        let opener = self.text(self.tree.token_span(self.tree.list(list).open()));
        let before =
            opener.strip_prefix('#').and_then(|rest| rest.strip_suffix('{')).filter(|rest| rest.starts_with(':'))?;
        let at = self.data(list).iter().position(|datum| self.tree.core_span(*datum) == token)?;
        let whole = if before == "::" { "::x".to_owned() } else { format!("{before}/x") };
        at.is_multiple_of(2).then(|| self.written(&whole, token.start)).flatten()
    }

    fn written(&self, text: &str, at: u32) -> Option<String> {
        let current = self.document.facts.space_at(at);
        match text.strip_prefix("::") {
            None => text.trim_start_matches(':').split_once('/').map(|(namespace, _)| namespace.to_owned()),
            Some(rest) => match rest.split_once('/') {
                None => Some(current.to_owned()),
                Some((alias, _)) => {
                    let own = self.document.facts.spaces.iter().filter(|space| space.name == current);
                    let mut imports = own.flat_map(|space| &space.imports);
                    let import = imports.find(|import| import.alias.as_deref() == Some(alias));
                    Some(import.map_or_else(|| alias.to_owned(), |import| import.from.clone()))
                }
            },
        }
    }
}
