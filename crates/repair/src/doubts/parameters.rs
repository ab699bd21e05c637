//! Lists of parameters with what is no parameter: `((gate gate stream))`, `[_ nil]`.

use lispwright_syntax::dialects::Square;
use lispwright_syntax::{Language, TokenKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Mended;
use crate::text::code::{LITERAL, Token, name_of};

/// The heads of forms that hold methods, each a name and a vector of parameters.
const METHODS: [&str; 7] =
    ["defprotocol", "extend-protocol", "extend-type", "deftype", "defrecord", "reify", "definterface"];

/// What the parameters of a definition may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Notation {
    /// Names, and a default beside each after a mark.
    Names,
    /// A name may have a class beside it.
    Specialized,
    /// Any list may stand for a name.
    Destructured,
    /// Names, vectors and maps.
    Vector,
}

/// A list that is open.
struct Open {
    at: usize,
    /// The number of data in it.
    children: u32,
    /// The argument from which on a list is one of parameters, if one is to come.
    parameters: Option<(u32, Notation)>,
    /// The lists in it, after its name, are methods.
    has_methods: bool,
    /// It is a method of the list around it.
    is_method: bool,
}

impl Mended {
    /// A list of parameters that the answer changes has something else in it.
    pub(crate) fn has_odd_parameters(&self, language: &Language) -> bool {
        let table = language.dialect().table();
        let vectors = table.square == Square::Bindings;
        let shapes = table.shapes;
        let rows = if vectors { shapes.parameters } else { shapes.functions };
        let mut heads: FxHashMap<u64, (u32, Notation)> = FxHashMap::default();
        for (head, at) in rows.split_whitespace().filter_map(|row| row.split_once(':')) {
            let notation = match head {
                _ if vectors => Notation::Vector,
                head if head.ends_with("method") || head.ends_with("generic") => Notation::Specialized,
                head if head.contains("macro") => Notation::Destructured,
                _ => Notation::Names,
            };
            heads.insert(name_of(head.as_bytes()), (at.parse().unwrap_or(2), notation));
        }
        if !vectors {
            heads.insert(name_of(b"lambda"), (1, Notation::Names));
        }
        let lambda = name_of(b"lambda");
        let methods: FxHashSet<u64> = METHODS.iter().map(|head| name_of(head.as_bytes())).collect();
        let mut open: Vec<Open> = Vec::new();
        for (at, token) in self.tokens.iter().enumerate().filter(|(_, token)| !token.kind.is_prefix()) {
            if token.kind.is_close() {
                open.pop();
                continue;
            }
            let around = open.last_mut().filter(|_| !token.aside);
            let mut begins = None;
            let mut is_method = false;
            if let Some(around) = around {
                let first = self.tokens.get(around.at + 1);
                if around.children == 0 && token.kind == TokenKind::Atom {
                    let method = Some((1, Notation::Vector)).filter(|_| around.is_method);
                    around.parameters = method.or_else(|| heads.get(&token.head).copied());
                    around.has_methods = vectors && methods.contains(&token.head);
                }
                let takes = |place: u32, notation| match notation {
                    Notation::Vector => token.kind == TokenKind::OpenBracket,
                    Notation::Specialized => token.kind.is_open() && around.children >= place,
                    _ => token.kind.is_open() && around.children == place,
                };
                if let Some((place, notation)) = around.parameters.filter(|_| around.children > 0)
                    && takes(place, notation)
                {
                    let is_named = place == 1 && first.is_some_and(|head| head.head != lambda);
                    begins = Some((notation, is_named && !matches!(notation, Notation::Vector)));
                    around.parameters = None;
                }
                is_method = around.has_methods && around.children > 1 && token.kind == TokenKind::OpenParen;
                around.children += 1;
            }
            if !token.kind.is_open() {
                continue;
            }
            if let Some((notation, named)) = begins
                && self.holds_no_parameter(at, notation, named)
            {
                return true;
            }
            open.push(Open { at, children: 0, parameters: None, has_methods: false, is_method });
        }
        false
    }

    /// The list at `open`, which the answer changes, has a datum that is no parameter; its first is the name of what is
    /// defined if it is `named`.
    fn holds_no_parameter(&self, open: usize, notation: Notation, named: bool) -> bool {
        let Some(close) = self.closer(open) else { return false };
        let reach = self.tokens[open].start..=self.tokens[close].end;
        let inside = self.supplied.iter().any(|run| reach.contains(&run.start) && reach.contains(&run.end));
        if !inside && !self.is_changed_between(open, close) {
            return false;
        }
        let source = |token: &Token| &self.text[token.start as usize..token.end as usize];
        // `:as` is beside the vector of keys, not in it.
        let keys =
            |at: &usize| source(&self.tokens[*at]) == ":keys" && self.tokens[at + 1].kind == TokenKind::OpenBracket;
        let names = |at: usize| &self.tokens[at + 1..self.closer(at + 1).unwrap_or(at + 1)];
        let is_mark = |token: &Token| matches!(source(token), ":as" | ":or");
        if (open..close).filter(keys).any(|at| names(at).iter().any(is_mark)) {
            return true;
        }
        let mut optional = false;
        let mut at = open + 1;
        let mut first = named;
        while at < close {
            let token = &self.tokens[at];
            let end = if token.kind.is_open() { self.closer(at).unwrap_or(close) } else { at };
            match token.kind {
                _ if std::mem::take(&mut first) => {}
                kind if kind.is_prefix() || token.aside => {}
                TokenKind::Atom => match source(token) {
                    ":as" | ":or" | ":-" | "." | "&" => {}
                    mark if mark.starts_with('&') || mark.starts_with("#:") || mark.starts_with("#!") => {
                        optional = true
                    }
                    "nil" | "t" | "true" | "false" => return true,
                    _ if token.name == LITERAL => return true,
                    _ => {}
                },
                TokenKind::String | TokenKind::Character => return true,
                TokenKind::OpenParen => match notation {
                    Notation::Vector => return true,
                    _ if optional && self.count(at, end) <= 2 => {}
                    _ if optional => return true,
                    Notation::Names => return true,
                    Notation::Specialized if self.count(at, end) != 2 => return true,
                    _ => {}
                },
                _ => {}
            }
            at = end + 1;
        }
        false
    }

    /// The number of data between an opener and its closer.
    fn count(&self, open: usize, close: usize) -> u32 {
        let (mut depth, mut count) = (0i32, 0);
        for token in self.tokens[open + 1..close].iter().filter(|token| !token.kind.is_prefix()) {
            count += u32::from(depth == 0 && !token.kind.is_close());
            depth += i32::from(token.kind.is_open()) - i32::from(token.kind.is_close());
        }
        count
    }

    /// The index of the closer of the opener at `open`.
    fn closer(&self, open: usize) -> Option<usize> {
        let mut depth = 0i32;
        self.tokens[open..]
            .iter()
            .position(|token| {
                depth += i32::from(token.kind.is_open()) - i32::from(token.kind.is_close());
                depth == 0
            })
            .map(|length| open + length)
    }
}
