//! Declarations of the types of a function: `(ftype (function (type…) result) f)` (CLHS, type `function`).

use lispwright_syntax::{Datum, ListId, Span};

use super::define::File;
use super::edits::Edits;
use super::follow::Piece;
use super::wanted::Plan;
use lispwright_index::{
    Parameter, ParameterItem as Item, ParameterList, ParameterReader as Lists, ParameterRole as Role,
};

/// The type of a parameter of which nothing is known.
const ANY: &str = "t";

/// The types of the parameters of a function.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    /// The number of its file.
    pub(crate) file: usize,
    /// The types; those of keywords are lists with the keyword.
    pub(crate) list: ParameterList,
    /// The opening bracket.
    open: Span,
}

impl Types {
    /// The types in the declaration in which a name stands alone.
    pub(crate) fn of(file: &File<'_>, number: usize, name: Span) -> Option<Self> {
        let around = file.list_of(name.start)?;
        let data = file.data(around);
        let [head, kind, only] = data.as_slice() else { return None };
        let is_declaration = file.source(*head).eq_ignore_ascii_case("ftype") && file.tree.core_span(*only) == name;
        let kind = kind.list().filter(|_| is_declaration)?;
        let mut parts = file.tree.data(kind);
        parts.next().filter(|word| file.source(*word).eq_ignore_ascii_case("function"))?;
        let types: ListId = parts.next()?.list()?;
        let open = file.tree.token_span(file.tree.list(types).open());
        let mut list = ParameterList {
            span: file.tree.list_span(types),
            begin: open.end,
            end: open.end,
            items: Vec::new(),
            parameters: Vec::new(),
        };
        let mut role = Role::Required;
        let lists = Lists { tree: &file.tree, text: &file.document.text, dialect: file.dialect() };
        for datum in file.tree.data(types) {
            let span = file.tree.datum_span(datum);
            list.end = span.end;
            if let Some(word) = lists.word(datum) {
                role = word.unwrap_or(role);
                list.items.push((span, Item::Word(word)));
                continue;
            }
            let keyword = datum.list().filter(|_| role == Role::Key).and_then(|pair| file.tree.data(pair).next());
            let keyword = keyword.map(|word: Datum| file.source(word).to_owned());
            list.items.push((span, Item::Parameter(list.parameters.len())));
            list.parameters.push(Parameter { role, name: None, name_span: None, span, keyword, is_bare: false });
        }
        Some(Self { file: number, list, open })
    }

    /// Puts the types in the order of the new parameters.
    pub(crate) fn change(&self, plan: &Plan, edits: &mut Edits<'_>) {
        let old: Vec<Option<Span>> = self.list.items.iter().map(|(span, _)| Some(*span)).collect();
        let item = |item: Item| self.list.items.iter().position(|(_, known)| *known == item);
        let mut pieces: Vec<Piece> = Vec::new();
        let mut role = Role::Required;
        let is_passed = |role: Role| !matches!(role, Role::Aux | Role::Hidden);
        for new in plan.new.iter().filter(|new| is_passed(new.role)) {
            if new.role != role {
                role = new.role;
                let word = plan.word(role).unwrap_or_default();
                pieces.push(item(Item::Word(Some(role))).map_or(Piece::New(word), Piece::Old));
            }
            // A type of a keyword has the keyword, so it stays only if that does.
            let is_key = new.role == Role::Key || new.from.is_some_and(|old| plan.old[old].role == Role::Key);
            let is_same = |old: &usize| plan.old[*old].role == new.role && plan.old[*old].keyword == new.keyword;
            let own = new.from.filter(|old| !is_key || is_same(old)).and_then(|old| plan.in_list(old, &self.list));
            let any = match &new.keyword {
                Some(keyword) if new.role == Role::Key => format!("({keyword} {ANY})"),
                _ => ANY.to_owned(),
            };
            pieces.push(own.and_then(|own| item(Item::Parameter(own))).map_or(Piece::New(any), Piece::Old));
        }
        pieces.extend(item(Item::Word(None)).map(Piece::Old));
        edits.arguments(self.list.span, self.open, &old, &pieces);
    }
}
