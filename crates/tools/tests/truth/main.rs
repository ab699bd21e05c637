//! What is said of the files is true of the files: an image that has been kept while files changed says what a fresh
//! process of the language says, of everything that can happen to a definition.
//!
//! `stories` has the kinds of change, in each language the files before and after, and the language's own way to run their
//! tests. A story is told up to three times: the change is in the file that the tests use, one file further away, and two.
#![allow(clippy::unwrap_used)]

mod house;
mod stories;

use stories::Language;

/// The tests of each language, by its module: one for each of its stories.
macro_rules! languages {
    ($($language:ident: $($story:ident)*;)*) => {
        $(mod $language {
            use crate::{house, stories};

            $(#[test]
            fn $story() {
                house::tell(&stories::$language::LANGUAGE, stringify!($story));
            })*

            #[test]
            fn every_story_is_told() {
                let told = [$(stringify!($story)),*];
                let known: Vec<&str> = stories::$language::LANGUAGE.stories.iter().map(|story| story.name).collect();
                assert_eq!(told.as_slice(), known.as_slice());
            }
        })*

        /// Every language.
        #[allow(dead_code, reason = "what tests of all languages use")]
        const LANGUAGES: &[&Language] = &[$(&stories::$language::LANGUAGE),*];
    };
}

languages! {
    clojure: changed_function changed_macro function_of_macro macro_becomes_function inline_function constant
        record_field removed_field removed_type protocol_of_records_elsewhere renamed_protocol_method
        extension_elsewhere removed_extension interface_elsewhere renamed_function removed_definition
        definition_after_its_use made_private removed_method method_elsewhere removed_method_of_a_library
        changed_dispatch changed_variable kept_variable computed_variable removed_variable dynamic_variable
        removed_registration removed_relation removed_spec removed_alias referred_function shadowed_function
        loaded_file required_while_it_runs loaded_by_itself moved_definition new_dependency removed_dependency
        broken_dependency failing_dependency missing_namespace circular_namespaces added_function removed_test;
    emacs: changed_function changed_macro function_of_macro inline_function structure_slot removed_slot
        constant renamed_function removed_definition removed_method method_elsewhere changed_variable
        kept_variable kept_option computed_variable removed_variable dynamic_variable changed_keymap
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
        missing_module circular_modules added_export half_loaded;
    racket: changed_function changed_macro helper_of_a_macro inline_function structure_field constant renamed_export
        removed_definition removed_method changed_variable kept_value changed_parent parent_in_another_file changed_class
        moved_definition missing_file new_dependency broken_dependency failing_dependency missing_module circular_modules
        added_export included_file changed_submodule removed_submodule required_while_it_runs loaded_by_itself half_loaded;
}
