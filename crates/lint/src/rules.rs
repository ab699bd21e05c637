//! The rules, a file each.

mod duplicate_definition;
mod format_directive;
mod format_too_few;
mod format_too_many;

use crate::rule::Rule;

/// All rules, in the order of their codes.
pub const ALL: &[&dyn Rule] = &[
    &duplicate_definition::DuplicateDefinition,
    &format_directive::FormatDirective,
    &format_too_few::FormatTooFew,
    &format_too_many::FormatTooMany,
];

/// The rule with this code.
pub fn with_code(code: &str) -> Option<&'static dyn Rule> {
    ALL.iter().copied().find(|rule| rule.about().code == code)
}

/// The rules that are on unless a project says otherwise.
pub fn defaults() -> Vec<&'static dyn Rule> {
    ALL.iter().copied().filter(|rule| rule.about().is_default).collect()
}
