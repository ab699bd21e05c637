//! How the forms of a head are indented by the rules of the dialect.

use std::borrow::Cow;

use lispwright_syntax::language::Row;
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Head, Indent, Language, SpecialForm as F};

use crate::declared::Declared;
use crate::role::{Stated, stated as stated_roles};

/// A head, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) special: Option<F>,
    /// The parts of its arguments that the project states.
    pub(crate) stated: Option<Stated>,
    pub(crate) indent: Indent,
    /// How the mode of the dialect in Emacs indents its forms, which knows only what is in its table or declared.
    pub(crate) mode: Indent,
    /// The indentation comes from a table or a declaration, not from how the head is spelled.
    pub(crate) is_certain: bool,
}

impl Known {
    /// How its forms are indented if their first argument looks like bindings, which no function has.
    pub(crate) fn of_binder(&self) -> Indent {
        match self.indent {
            Indent::Align if !self.is_certain && self.special.is_none() => Indent::Body(1),
            indent => indent,
        }
    }
}

/// What is known of `head`, as it is written.
pub(crate) fn known<'h>(language: &Language, declared: &Declared, head: &'h str) -> (Cow<'h, str>, Known) {
    let dialect = language.dialect();
    let name = canonical_head(dialect, head);
    let row = match language.head(&name) {
        row @ Head { special: None, indent: None, .. } => {
            language.known_head(head).map_or(row, |like| dialect.head(like))
        }
        row => row,
    };
    let rows = language.rows(&name);
    let of_rows = || rows.and_then(|rows| rows.iter().find_map(Row::before_body)).map(Indent::Body);
    let by_mode = declared.get(&name).or(dialect.head(&name).indent);
    let is_definer = name.starts_with("def") && name.len() > 3;
    let of_definers = dialect.head("def*").indent.unwrap_or(Indent::Definition);
    let by_name = || if is_definer { of_definers } else { Indent::Align };
    let stated = declared.get(&name).or(row.indent).or_else(|| row.special.and_then(of_special));
    let indent = stated.or_else(|| language.is_definer(&name).then_some(Indent::Definition)).or_else(of_rows);
    let known = Known {
        special: row.special,
        stated: rows.and_then(|rows| rows.first()).map(stated_roles),
        mode: by_mode.unwrap_or_else(by_name),
        is_certain: indent.is_some(),
        indent: indent.unwrap_or_else(|| by_spelling(&name)),
    };
    (name, known)
}

/// The indentation of the forms of a kind.
fn of_special(form: F) -> Option<Indent> {
    Some(match form {
        F::Function | F::Macro | F::Method | F::Generic | F::GenericBody | F::Class | F::Structure => {
            Indent::Definition
        }
        F::Define | F::DefineMethod | F::DefineValues | F::Record | F::Condition | F::ClassOfSlots | F::Syntax => {
            Indent::Definition
        }
        F::SyntaxRule
        | F::Variable
        | F::Special
        | F::Test
        | F::Multimethod
        | F::Methods
        | F::Protocol
        | F::Interface => Indent::Definition,
        F::Language | F::Pass | F::Fields | F::Generics | F::SyntaxClass | F::Mode(_) | F::Advice => Indent::Definition,
        F::MatchFunction | F::MatchDefine | F::SyntaxParseRule | F::SyntaxDefine | F::Signature => Indent::Definition,
        F::Body(data) => Indent::Body(data),
        F::Let
        | F::LetStar
        | F::LetRec
        | F::LetVector
        | F::Comprehension
        | F::LetValues
        | F::LetValuesStar
        | F::LetRecValues
        | F::LetOptionals
        | F::LetThen
        | F::Rebinding
        | F::Lambda
        | F::Procedure
        | F::Fn
        | F::Functions
        | F::FunctionsRec
        | F::LocalFunctions
        | F::Macros
        | F::SymbolMacros
        | F::Each
        | F::Iterator
        | F::Listed
        | F::Block
        | F::Case
        | F::Match
        | F::MatchLet
        | F::Handlers
        | F::HandlerBind
        | F::Parameterize
        | F::WithSyntax
        | F::NameThen
        | F::Guard
        | F::Iteration { results: false, .. }
        | F::Conditional
        | F::ListsOfCode
        | F::LocalDefinitions
        | F::PlacedTemplate
        | F::SyntaxRules
        | F::SyntaxParse
        | F::Conditions
        | F::PatternLet
        | F::PatternBind
        | F::PatternLambda
        | F::Patterns
        | F::Places
        | F::InLanguage
        | F::Submodule(0) => Indent::Body(1),
        F::Bind | F::Do | F::DoStar | F::Slots | F::Accessors | F::SyntaxCase | F::ConditionCase | F::NamedLet => {
            Indent::Body(2)
        }
        F::Iteration { results: true, .. } | F::LetSyntaxesValues | F::Submodule(_) | F::Catch | F::PassCase => {
            Indent::Body(2)
        }
        F::MacroLet => Indent::Body(3),
        F::CaseLambda | F::CaseProcedure | F::MatchLambda | F::SyntaxParser | F::CondExpand => Indent::Body(0),
        F::Implementation(code) => Indent::Body(code),
        F::ExtendProtocol => Indent::Body(1),
        F::Proxy => Indent::Body(2),
        _ => return None,
    })
}

/// The indentation of the forms of a head of which nothing is known, from how such names are chosen.
fn by_spelling(name: &str) -> Indent {
    match name {
        _ if name.starts_with("def") && name != "default" => Indent::Definition,
        _ if name.starts_with("with-") || name.starts_with("do-") || name.starts_with("let") => Indent::Body(1),
        _ if name.starts_with("call-with-") || name.starts_with("without-") => Indent::Body(0),
        _ if name.starts_with("when-") || name.starts_with("if-let") => Indent::Body(1),
        _ => Indent::Align,
    }
}
