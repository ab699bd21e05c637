//! The rules, a file each.

mod duplicate_definition;

use crate::rule::Rule;

/// All rules, in the order of their codes.
pub const ALL: &[&dyn Rule] = &[&duplicate_definition::DuplicateDefinition];

/// The rule with this code.
pub fn with_code(code: &str) -> Option<&'static dyn Rule> {
    ALL.iter().copied().find(|rule| rule.about().code == code)
}

/// The rules that are on unless a project says otherwise.
pub fn defaults() -> Vec<&'static dyn Rule> {
    ALL.iter().copied().filter(|rule| rule.about().is_default).collect()
}
