//! What operations answer that ask live images, or control them.

use serde_json::{Map, Value};

use crate::answer::{Answer, fields};
use crate::code_describe::DescribeAnswer;
use crate::code_exports::ExportsAnswer;
use crate::code_find::FindAnswer;
use crate::code_find_references::ReferencesAnswer;
use crate::inspect_object::InspectAnswer;
use crate::macroexpand::ExpandAnswer;
use crate::repl_wait::WaitAnswer;

/// A choice of answers, each with its fields as a document, and with a way into [`Answer`].
macro_rules! live_answers {
    ($($(#[$about:meta])* $name:ident($answer:ty),)*) => {
        /// The answer of an operation that is about live images.
        #[derive(Clone, Debug)]
        pub enum LiveAnswer {
            $($(#[$about])* $name(Box<$answer>),)*
        }

        impl LiveAnswer {
            /// The fields that the contract names.
            pub(crate) fn document(&self) -> Map<String, Value> {
                match self {
                    $(Self::$name(answer) => fields(answer),)*
                }
            }
        }

        $(impl From<$answer> for Answer {
            fn from(answer: $answer) -> Self {
                Self::Live(LiveAnswer::$name(Box::new(answer)))
            }
        })*
    };
}

live_answers! {
    /// An object was looked into.
    Inspected(InspectAnswer),
    /// Macros were expanded.
    Expanded(ExpandAnswer),
    /// A name was described.
    Described(DescribeAnswer),
    /// Definitions were looked for.
    Found(FindAnswer),
    /// References were looked for.
    Referred(ReferencesAnswer),
    /// What a module offers was listed.
    Exported(ExportsAnswer),
    /// An earlier answer was waited for.
    Waited(WaitAnswer),
}

impl LiveAnswer {
    /// The requested thing did not happen.
    pub(crate) fn is_error(&self) -> bool {
        match self {
            Self::Waited(answer) => answer.is_error(),
            _ => false,
        }
    }
}
