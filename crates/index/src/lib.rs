//! The definitions of a project and the uses of names in it, from its source alone: no image, no daemon, nothing
//! written.
//!
//! [`facts`] are the definitions and uses of names in one text; [`walk`] finds them. The package, module or namespace
//! of a name depends on other files, so it is found only when a question is asked ([`resolve`]). [`Index`] keeps the
//! facts of all files, reads changed files again, and answers questions.
//!
//! [`UseIndex::places`] accounts for every place that holds a name, also those that are no uses; [`UseIndex::ledger`]
//! enters each of them as a use, a possible use, a mention or something else. [`Index::things`] answers for what is no
//! symbol: packages, systems, features, files.
//!
//! [`search`] finds text, with the forms around it, and forms that match a [`pattern`].
//!
//! Uses whose meaning cannot be known from source are counted as unresolved, and never guessed.

mod account;
mod affixes;
mod bind;
mod computed;
mod data;
mod derived;
mod dialects;
mod each;
pub mod facts;
mod forms;
mod heads;
mod index;
mod keywords;
mod known;
mod learn;
mod ledger;
mod lessons;
mod libraries;
mod library_operators;
mod links;
mod locals;
mod loops;
mod macros;
mod members;
mod mention;
mod notes;
mod order;
mod origins;
mod owners;
mod page;
mod parameters;
pub mod pattern;
mod places;
mod question;
mod resolve;
mod revised;
pub mod search;
mod signatures;
mod space;
mod special;
mod stale;
mod tables;
mod things;
mod treatment;
mod verdict;
mod walk;

pub use account::{
    Holds, NamePlace, Namespace, data_are_names, has_function_namespace, is_name, name_in, plain_name, spelled,
    symbol_name, variables_are_special,
};
pub use computed::Computed;
pub use derived::Maker;
pub use dialects::{files_are_modules, files_name_others, let_takes_values, parameter_notation, spelling_is_all};
pub use each::each;
pub use facts::{Definition, Doubtful, Facts, FormRow, Mark, MarkRole, Owner, Use, UseKind};
pub use index::{Document, Index, LanguageOf, Reading, Refreshed, is_indexed, is_lisp};
pub use keywords::{Keyword, KeywordBinding, KeywordPlace, Keywords};
pub use ledger::{AskedSymbols, Ledger, Meant, Mentioned, Possible, PossibleReason, TokenTally};
pub use libraries::{Libraries, LibraryNames};
pub use library_operators::LibraryOperator;
pub use links::{Link, Thing, Tie};
pub use lispwright_syntax::SlotStyle;
pub use members::{Members, SlotPlace, SlotUse};
pub use mention::{MentionKind, holds, words};
pub use order::FileOrder;
pub use owners::owner_and_slot;
pub use parameters::{
    FormParameters, Parameter, ParameterItem, ParameterList, ParameterNotation, ParameterReader, ParameterRole,
};
pub use question::{Hit, Referent, Symbol, UseIndex, Uses};
pub use signatures::Signature;
pub use space::{Exports, Import, ImportKind, Provide, Provided, Space, file_of_space};
pub use stale::{Concern, RevisedFile};
pub use things::{Things, is_thing, keywords_are_qualified, space_file, space_word, thing_name};
pub use verdict::{EntryRole, Unused, UseEvidence, UseVerdict};
