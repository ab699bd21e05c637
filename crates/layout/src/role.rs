//! What a list is in the form around it: a call, bindings, a clause, a local function, data.
//!
//! The first datum of a call is its head, and the head decides how the lines of the call are indented. The first datum
//! of a clause or of a binding is no head, whatever it looks like.

use lispwright_syntax::SpecialForm as F;
use lispwright_syntax::language::{Count, PartMeaning, Row, RowPart, What};

/// The part that a list has in the form around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// A form that is evaluated.
    Call,
    /// The list of the bindings of a form.
    Bindings,
    /// One of them: `(name value)`.
    Binding,
    /// The list of the local functions of a form.
    Functions,
    /// A function without a definer: `(name parameters code…)`.
    Function,
    /// `(test code…)`
    Clause,
    /// Parameters of a function.
    Parameters,
    /// Neither code nor names.
    Data,
}

/// The parts of the arguments of a form whose row a project states; the last counts for all after it.
pub(crate) type Stated = [Role; 8];

/// The parts of the arguments of a form with this row.
pub(crate) fn stated(row: &Row) -> Stated {
    let parts = row.parts();
    let many = parts.iter().position(|part| part.count == Count::Many).unwrap_or(parts.len());
    std::array::from_fn(|at| parts.get(at.min(many)).map_or(Role::Call, |part| of_part(&part.what)))
}

fn of_part(what: &What) -> Role {
    let begins_with_list = |parts: &[RowPart]| matches!(parts, [RowPart { what: What::List(_), .. }, ..]);
    match what {
        What::Is(PartMeaning::Bindings) => Role::Bindings,
        What::Is(PartMeaning::Parameters | PartMeaning::Name) => Role::Parameters,
        What::Is(PartMeaning::Data) => Role::Data,
        What::List(parts) if begins_with_list(parts) => match parts.first().map(|part| of_part(&part.what)) {
            Some(Role::Function) => Role::Functions,
            _ => Role::Bindings,
        },
        What::List(parts) => match parts.first().map(|part| &part.what) {
            _ if parts.iter().any(|part| part.what == What::Is(PartMeaning::Parameters)) => Role::Function,
            Some(What::Is(PartMeaning::Value | PartMeaning::Body)) => Role::Clause,
            _ => Role::Parameters,
        },
        _ => Role::Call,
    }
}

impl Role {
    /// The part of a list that is a datum of a list with this part. `index` counts the data before it, so that it is 1
    /// for the first argument; `atom_first` says that the first argument is an atom.
    pub(crate) fn inside(self, special: Option<F>, stated: Option<Stated>, index: u32, atom_first: bool) -> Self {
        if let (Self::Call, Some(stated)) = (self, stated) {
            return stated[(index.max(1) as usize - 1).min(stated.len() - 1)];
        }
        match self {
            Self::Bindings => Self::Binding,
            Self::Functions => Self::Function,
            Self::Data => Self::Data,
            Self::Call => special.map_or(Self::Call, |form| Self::argument(form, index, atom_first)),
            Self::Parameters => Self::Data,
            Self::Binding | Self::Function | Self::Clause => Self::Call,
        }
    }

    /// The part of argument `index` of a form.
    fn argument(form: F, index: u32, atom_first: bool) -> Self {
        let at = |place: u32, role: Self| if index == place { role } else { Self::Call };
        let from = |place: u32, role: Self| if index >= place { role } else { Self::Call };
        match form {
            F::Data | F::Declare => Self::Data,
            F::Let | F::LetStar | F::LetRec | F::MatchLet if atom_first => at(2, Self::Bindings),
            F::NamedLet => at(2, Self::Bindings),
            F::Let
            | F::LetStar
            | F::LetRec
            | F::LetValues
            | F::LetValuesStar
            | F::LetRecValues
            | F::SymbolMacros
            | F::Slots
            | F::Accessors
            | F::HandlerBind
            | F::WithSyntax
            | F::Parameterize
            | F::MatchLet
            | F::MatchLetValues
            | F::Conditions
            | F::PatternLet
            | F::Places
            | F::ListsOfCode
            | F::Iteration { results: false, .. } => at(1, Self::Bindings),
            F::Iteration { results: true, .. } | F::LetSyntaxesValues => match index {
                1 | 2 => Self::Bindings,
                _ => Self::Call,
            },
            F::Do | F::DoStar => match index {
                1 => Self::Bindings,
                2 => Self::Clause,
                _ => Self::Call,
            },
            F::Functions | F::FunctionsRec | F::Macros | F::LocalFunctions => at(1, Self::Functions),
            F::Lambda | F::Procedure | F::Bind | F::Each | F::Iterator => at(1, Self::Parameters),
            F::Function | F::Macro => at(2, Self::Parameters),
            F::Cond | F::CondExpand | F::CaseLambda | F::CaseProcedure | F::MatchLambda | F::MatchManyLambda => {
                Self::Clause
            }
            F::SyntaxParser => Self::Clause,
            F::Case | F::Match | F::MatchMany | F::Patterns | F::SyntaxRules | F::SyntaxParse | F::PassCase => {
                from(2, Self::Clause)
            }
            F::SyntaxClass | F::MatchFunction => from(2, Self::Clause),
            F::SyntaxCase | F::ConditionCase => from(3, Self::Clause),
            F::Handlers => from(2, Self::Function),
            F::Guard => at(1, Self::Clause),
            F::Class => match index {
                2 => Self::Data,
                3 => Self::Bindings,
                _ => from(4, Self::Clause),
            },
            F::Structure | F::Record | F::Condition => from(2, Self::Binding),
            F::Fields => from(2, Self::Bindings),
            F::ClassOfSlots => from(3, Self::Binding),
            F::Methods => from(3, Self::Function),
            F::Protocol | F::Interface => from(2, Self::Function),
            F::Implementation(code) => from(u32::from(code) + 1, Self::Function),
            F::ExtendProtocol => from(2, Self::Function),
            F::Proxy => from(3, Self::Function),
            F::Fn if index == 1 => Self::Function,
            F::Generic | F::GenericBody => match index {
                2 => Self::Parameters,
                _ => from(3, Self::Clause),
            },
            _ => Self::Call,
        }
    }
}
