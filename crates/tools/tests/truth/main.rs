//! What is said of the files is true of the files: an image that has been kept while files changed says what a fresh
//! process of the language says, of everything that can happen to a definition.
//!
//! `stories` has the kinds of change, in each language the files before and after, and the language's own way to run their
//! tests. A story is told up to three times: the change is in the file that the tests use, one file further away, and two.
#![allow(clippy::unwrap_used)]

mod house;
mod stories;
mod walk;

use stories::Language;

/// The tests of a language, in a module of its name: one for each of its stories.
macro_rules! language {
    ($language:ident [$($story:ident)*] [$($more:ident)*]) => {
        mod $language {
            use crate::{house, stories};

            $(#[test]
            fn $story() {
                house::tell(&stories::$language::LANGUAGE, stringify!($story));
            })*

            $(#[test]
            fn $more() {
                house::tell(&stories::$language::LANGUAGE, stringify!($more));
            })*

            #[test]
            fn every_story_is_told() {
                let told: &[&str] = &[$(stringify!($story),)* $(stringify!($more),)*];
                let known: Vec<&str> = stories::$language::LANGUAGE.stories.iter().map(|story| story.name).collect();
                assert_eq!(told, known.as_slice());
            }
        }
    };
}

/// The tests of each language.
macro_rules! languages {
    ($($language:ident: $($story:ident)*;)*) => {
        $(language! { $language [$($story)*] [] })*

        /// Every language.
        #[allow(dead_code, reason = "what tests of all languages use")]
        const LANGUAGES: &[&Language] = &[$(&stories::$language::LANGUAGE),*];
    };
}

/// The tests of languages with the same stories, the last ones of which are not told in some.
macro_rules! alike {
    ($($language:ident)*, without the last: $($other:ident)*; $stories:tt $more:tt) => {
        $(language! { $language $stories $more })*
        $(language! { $other $stories [] })*
    };
}

languages! {
    clojure: changed_function changed_macro function_of_macro macro_becomes_function inline_function constant
        record_field removed_field removed_type protocol_of_records_elsewhere renamed_protocol_method
        extension_elsewhere removed_extension interface_elsewhere renamed_function removed_definition
        definition_after_its_use made_private removed_method method_elsewhere removed_method_of_a_library
        changed_dispatch changed_variable kept_variable computed_variable failing_variable removed_variable dynamic_variable
        removed_registration removed_relation removed_spec removed_alias referred_function shadowed_function
        loaded_file required_while_it_runs loaded_by_itself moved_definition new_dependency removed_dependency
        broken_dependency failing_dependency missing_namespace circular_namespaces added_function removed_test;
    emacs: changed_function changed_macro function_of_macro inline_function structure_slot removed_slot
        constant renamed_function removed_definition removed_method method_elsewhere changed_variable
        kept_variable kept_option computed_variable failing_variable removed_variable dynamic_variable changed_keymap
        changed_parent parent_of_methods_elsewhere changed_class class_elsewhere removed_advice kept_advice
        removed_hook removed_addition removed_registration others_registrations removed_property removed_alias
        removed_mode changed_face removed_face removed_setter moved_definition new_dependency
        removed_dependency dependency_of_load loaded_file autoloaded_file broken_dependency failing_dependency
        missing_feature unprovided_feature circular_features added_function removed_test;
    chez: changed_function changed_macro helper_of_a_macro inline_constant record_field constant renamed_export
        removed_definition changed_variable kept_value changed_parent moved_definition missing_file new_dependency
        broken_dependency failing_dependency missing_library circular_libraries added_export included_file loaded_by_itself
        half_loaded;
    guile: changed_function changed_macro inline_procedure record_field constant renamed_export removed_definition
        removed_method changed_variable kept_variable changed_class moved_definition new_dependency broken_dependency
        missing_module circular_modules added_export half_loaded included_part;
    racket: changed_function changed_macro helper_of_a_macro inline_function structure_field constant renamed_export
        removed_definition removed_method changed_variable kept_value changed_parent parent_in_another_file changed_class
        moved_definition missing_file new_dependency broken_dependency failing_dependency missing_module circular_modules
        added_export included_file changed_submodule removed_submodule required_while_it_runs loaded_by_itself half_loaded;
}

alike! {
    sbcl_serial sbcl_loose sbcl_files clisp_serial clisp_files, without the last: ecl_loose ecl_files; [
        changed_function changed_macro function_of_macro inline_function structure_slot structure_default
        included_structure constant symbol_macro changed_type changed_place read_time_value
        load_time_value renamed_export renamed_export_of_qualified_name lost_export added_export
        removed_definition removed_macro removed_method removed_method_of_generic_definition
        removed_method_of_foreign_function removed_method_without_generic_definition removed_reader
        removed_place removed_class removed_structure removed_slot removed_condition removed_type
        removed_variable removed_special removed_constant removed_symbol_macro
        removed_package changed_parameter kept_variable computed_variable computed_variable_elsewhere
        failing_variable changed_class changed_parent class_of_other_kind function_for_macro macro_for_function
        generic_for_function constant_for_variable changed_parameters_of_generic_function
        changed_parameters_of_methods_elsewhere moved_file moved_definition_down moved_definition_up
        moved_macro_down new_dependency broken_dependency failing_dependency missing_package missing_system
        circular_files circular_names circular_functions removed_import removed_use removed_nickname
        removed_shadow import_of_own_name
    ] [compiler_macro removed_compiler_macro]
}

/// A walk for each language.
macro_rules! walks {
    ($($name:ident: $writing:path;)*) => {
        mod walks {
            use crate::walk;
            use crate::walk::languages::*;

            $(#[test]
            fn $name() {
                walk::walk(&$writing);
            })*
        }
    };
}

walks! {
    chez: chez::WRITING;
    clojure: clojure::WRITING;
    emacs: emacs::WRITING;
    guile: guile::WRITING;
    racket: racket::WRITING;
    sbcl: common_lisp::SBCL;
    clisp: common_lisp::CLISP;
    ecl: common_lisp::ECL;
}
