//! The rules, a file each.

mod constant_binding;
mod duplicate_binding;
mod duplicate_definition;
mod duplicate_key;
mod eval_when_situation;
mod format_directive;
mod format_too_few;
mod format_too_many;
mod lambda_list;
mod loop_clause;
mod malformed_binding;
mod malformed_clause;
mod malformed_form;
mod misplaced_declaration;
mod misplaced_docstring;
mod misplaced_recur;
mod odd_pairs;
mod slot_option;
mod undefined_export;
mod undefined_name;
mod unknown_alias;
mod unknown_block;
mod unknown_class;
mod unknown_field;
mod unknown_method;
mod unknown_module;
mod unknown_option;
mod unreachable_clause;
mod unused_binding;
mod unused_import;
mod unused_private;
pub(crate) mod unused_suppression;
mod wrong_argument_count;
mod wrong_keyword;

use crate::rule::Rule;

/// All rules, in the order of their codes.
pub const ALL: &[&dyn Rule] = &[
    &constant_binding::ConstantBinding,
    &duplicate_binding::DuplicateBinding,
    &duplicate_definition::DuplicateDefinition,
    &duplicate_key::DuplicateKey,
    &eval_when_situation::EvalWhenSituation,
    &format_directive::FormatDirective,
    &format_too_few::FormatTooFew,
    &format_too_many::FormatTooMany,
    &lambda_list::LambdaList,
    &loop_clause::LoopClause,
    &malformed_binding::MalformedBinding,
    &malformed_clause::MalformedClause,
    &malformed_form::MalformedForm,
    &misplaced_declaration::MisplacedDeclaration,
    &misplaced_docstring::MisplacedDocstring,
    &misplaced_recur::MisplacedRecur,
    &odd_pairs::OddPairs,
    &slot_option::SlotOption,
    &undefined_export::UndefinedExport,
    &undefined_name::UndefinedName,
    &unknown_alias::UnknownAlias,
    &unknown_block::UnknownBlock,
    &unknown_class::UnknownClass,
    &unknown_field::UnknownField,
    &unknown_method::UnknownMethod,
    &unknown_module::UnknownModule,
    &unknown_option::UnknownOption,
    &unreachable_clause::UnreachableClause,
    &unused_binding::UnusedBinding,
    &unused_import::UnusedImport,
    &unused_private::UnusedPrivate,
    &unused_suppression::UnusedSuppression,
    &wrong_argument_count::WrongArgumentCount,
    &wrong_keyword::WrongKeyword,
];

/// The rule with this code.
pub fn with_code(code: &str) -> Option<&'static dyn Rule> {
    ALL.iter().copied().find(|rule| rule.about().code == code)
}

/// The rules that are on unless a project says otherwise.
pub fn defaults() -> Vec<&'static dyn Rule> {
    ALL.iter().copied().filter(|rule| rule.about().is_default).collect()
}
