//! Answers of operations that ask live images or control them.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::answer::{Answer, fields};
use crate::code_describe::DescribeAnswer;
use crate::code_exports::ExportsAnswer;
use crate::code_find::FindAnswer;
use crate::code_find_references::ReferencesAnswer;
use crate::coverage_code::CoverageAnswer;
use crate::drift::DriftAnswer;
use crate::eval_answer::EvalAnswer;
use crate::inspect_object::InspectAnswer;
use crate::load_system::LoadAnswer;
use crate::macroexpand::ExpandAnswer;
use crate::repl_control::{ActAnswer, SessionAnswer};
use crate::repl_held::{FramesAnswer, LevelsAnswer, LocalsAnswer};
use crate::repl_status::StatusAnswer;
use crate::repl_wait::WaitAnswer;
use crate::run_tests::TestAnswer;

/// Defines the enum of answers with its document, and the conversions into [`Answer`].
macro_rules! live_answers {
    ($($(#[$about:meta])* $name:ident($answer:ty),)*) => {
        /// The answer of an operation on live images. Clones share it: a session keeps its last one.
        #[derive(Clone, Debug)]
        pub enum LiveAnswer {
            $($(#[$about])* $name(Arc<$answer>),)*
        }

        impl LiveAnswer {
            /// The fields that the contract names.
            pub(crate) fn document(&self) -> Map<String, Value> {
                match self {
                    $(Self::$name(answer) => fields(&**answer),)*
                }
            }
        }

        $(impl From<$answer> for Answer {
            fn from(answer: $answer) -> Self {
                Self::Live(LiveAnswer::$name(Arc::new(answer)))
            }
        })*
    };
}

live_answers! {
    /// An object was inspected.
    Inspected(InspectAnswer),
    /// Macros were expanded.
    Expanded(ExpandAnswer),
    /// A name was described.
    Described(DescribeAnswer),
    /// Definitions were searched.
    Found(FindAnswer),
    /// References were searched.
    Referred(ReferencesAnswer),
    /// The exports of a module were listed.
    Exported(ExportsAnswer),
    /// Code ran, or an image was changed.
    Evaluated(EvalAnswer),
    /// A system, module or file was loaded.
    Loaded(LoadAnswer),
    /// Tests were run.
    Tested(TestAnswer),
    /// It was measured what is executed.
    Covered(CoverageAnswer),
    /// Held errors were listed.
    Levels(LevelsAnswer),
    /// Frames were listed.
    Frames(FramesAnswer),
    /// Variables were listed.
    Locals(LocalsAnswer),
    /// Runtimes and sessions were listed.
    Status(StatusAnswer),
    /// A session was started, renewed or attached.
    Session(SessionAnswer),
    /// A session was interrupted, ended or detached.
    Acted(ActAnswer),
    /// An earlier answer was waited for.
    Waited(WaitAnswer),
    /// An image was compared with the files.
    Compared(DriftAnswer),
}

impl LiveAnswer {
    /// The requested thing did not happen.
    pub(crate) fn is_error(&self) -> bool {
        match self {
            Self::Evaluated(answer) => answer.is_error(),
            Self::Loaded(answer) => answer.is_error(),
            Self::Tested(answer) => answer.is_error(),
            Self::Covered(answer) => answer.is_error(),
            Self::Waited(answer) => answer.is_error(),
            _ => false,
        }
    }

    /// The session that was started, ended or changed.
    pub(crate) fn session(&self) -> Option<&str> {
        match self {
            Self::Session(answer) => Some(&answer.facts.session),
            Self::Acted(answer) => Some(&answer.session),
            _ => None,
        }
    }
}
