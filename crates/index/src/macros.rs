//! The macros of a project: where a form uses one, how the macro treats its arguments.

use lispwright_syntax::Dialect;
use lispwright_syntax::name::canonical_symbol;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::resolve::{Referent, Spaces, Symbol, Written};
use crate::treatment::Treatment;

/// The macros of the files in one dialect.
#[derive(Debug, Default)]
pub(crate) struct Macros<'i> {
    dialect: Option<Dialect>,
    treatments: FxHashMap<Symbol, &'i Treatment>,
    names: FxHashSet<&'i str>,
    /// Functions whose names begin as those of definers do.
    functions: FxHashSet<Symbol>,
    spaces: Spaces<'i>,
}

impl<'i> Macros<'i> {
    /// The macros, each with its name and treatment, and the spaces in which they are.
    pub(crate) fn new(
        dialect: Dialect,
        spaces: Spaces<'i>,
        all: impl Iterator<Item = (&'i str, &'i str, &'i Treatment)>,
        functions: impl Iterator<Item = (&'i str, &'i str)>,
    ) -> Self {
        let mut macros = Self { dialect: Some(dialect), spaces, ..Self::default() };
        for (space, name) in functions {
            let symbol = macros.symbol(space, name);
            macros.functions.insert(symbol);
            macros.names.insert(name);
        }
        for (space, name, treatment) in all {
            let symbol = macros.symbol(space, name);
            macros.treatments.insert(symbol, treatment);
            macros.names.insert(name);
        }
        macros
    }

    fn symbol(&self, space: &str, name: &str) -> Symbol {
        match self.spaces.meaning(space, &Written::plain(name.to_owned())) {
            Referent::Is(symbol) | Referent::Unknown(symbol) => symbol,
        }
    }

    /// Some macro has the name that is written so.
    pub(crate) fn is_called(&self, dialect: Dialect, written: &str) -> bool {
        if dialect.folds_case() {
            return self.names.contains(canonical_symbol(dialect, written).as_str());
        }
        let plain = written.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(written);
        self.names.contains(plain) || self.names.contains(written)
    }

    /// The name means a function in a space: its arguments are evaluated.
    pub(crate) fn is_function(&self, space: &str, written: &str) -> bool {
        let Some(dialect) = self.dialect else { return false };
        match self.spaces.meaning(space, &Written::of(dialect, written)) {
            Referent::Is(symbol) => self.functions.contains(&symbol),
            Referent::Unknown(_) => false,
        }
    }

    /// The treatment of the macro that a name means in a space.
    pub(crate) fn treatment(&self, space: &str, written: &str) -> Option<&'i Treatment> {
        let written = Written::of(self.dialect?, written);
        match self.spaces.meaning(space, &written) {
            Referent::Is(symbol) => self.treatments.get(&symbol).copied(),
            Referent::Unknown(_) => None,
        }
    }
}
