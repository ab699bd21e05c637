//! The stable codes of failures of sessions and their images, and of refused changes.

use lispwright_project::UndoRefusal;
use lispwright_refactor::{RenameRefusal, RewriteRefusal, SignatureRefusal};
use lispwright_runtime::{Ending, ImageRefusal, SessionError, StopReason};

/// The stable code of an unsuccessful ending.
pub(crate) fn of_ending(ending: &Ending) -> Option<&'static str> {
    match ending {
        Ending::Error { .. } => Some("LISP_ERROR"),
        Ending::Stopped { reason, .. } => Some(match reason {
            StopReason::Timeout => "TIMEOUT",
            StopReason::Output | StopReason::Memory | StopReason::Processes => "LIMIT",
            StopReason::Cancelled | StopReason::Interrupted | StopReason::Signal | StopReason::Killed => "CANCELLED",
        }),
        Ending::Checkpointed(_) | Ending::Returned { asked: true, .. } => None,
        Ending::Died { .. } | Ending::Returned { .. } | Ending::TrialDied { .. } => Some("SESSION_LOST"),
        Ending::Refused(refusal) => Some(of_image(refusal)),
        Ending::NotOffered { .. } => Some("UNSUPPORTED"),
        Ending::NoPackage { .. } => Some("BAD_ARGUMENT"),
        Ending::AgentFault(_) => Some("INTERNAL"),
        _ => None,
    }
}

/// The stable code of something that an image does not have.
pub(crate) fn of_image(refusal: &ImageRefusal) -> &'static str {
    match refusal {
        ImageRefusal::Threads(_) => "UNSUPPORTED",
        ImageRefusal::Full(_) => "LIMIT",
        _ => "BAD_ARGUMENT",
    }
}

/// The stable code of a failure of a session.
pub(crate) fn of_session(error: &SessionError) -> &'static str {
    match error {
        SessionError::Busy { .. } => "SESSION_BUSY",
        SessionError::Withdrawn(_) | SessionError::Ended(_) => "CANCELLED",
        SessionError::Stopped { .. } | SessionError::NoImage(_) => "SESSION_LOST",
        SessionError::TooMany(_) => "LIMIT",
        SessionError::Missing(_)
        | SessionError::Start(_)
        | SessionError::Unreachable(_)
        | SessionError::Lost { .. }
        | SessionError::Unattached(_) => "RUNTIME_MISSING",
        SessionError::Unsupported(_) | SessionError::Lacks(..) | SessionError::Theirs(_) => "UNSUPPORTED",
        SessionError::OtherRuntime { .. }
        | SessionError::NotAttached(_)
        | SessionError::BadName { .. }
        | SessionError::Unknown(_) => "BAD_ARGUMENT",
        SessionError::Starting(_) => "TIMEOUT",
    }
}

/// The code of a rename that was refused.
pub(crate) fn of_rename(refusal: &RenameRefusal) -> &'static str {
    use RenameRefusal as R;
    match refusal {
        R::NotDefined { .. } | R::Elsewhere(_) => "FORM_NOT_FOUND",
        R::Ambiguous(_) => "FORM_AMBIGUOUS",
        R::OfLibrary { .. } | R::UnknownDefiner { .. } => "READ_ONLY",
        R::Unbalanced { .. } => "UNBALANCED",
        R::Dialect(_) => "UNSUPPORTED",
        R::IsSpace(_)
        | R::BadName { .. }
        | R::SameName
        | R::NoClass { .. }
        | R::Derived { .. }
        | R::IsSyntax { .. } => "BAD_ARGUMENT",
        R::Collides { .. } | R::Inherited { .. } | R::Captured { .. } | R::CannotTell { .. } | R::WouldBreak { .. } => {
            "WOULD_BREAK"
        }
    }
}

/// The code of a rewrite that was refused.
pub(crate) fn of_rewrite(refusal: &RewriteRefusal) -> &'static str {
    use RewriteRefusal as R;
    match refusal {
        R::Shape(_) | R::Template(_) | R::Guard(_) => "BAD_ARGUMENT",
        R::Unbalanced { .. } => "UNBALANCED",
        R::Loss { .. } | R::WouldBreak { .. } => "WOULD_BREAK",
    }
}

/// The code of a change that was not taken back.
pub(crate) fn of_undo(refusal: &UndoRefusal) -> &'static str {
    use UndoRefusal as R;
    match refusal {
        R::NothingKept | R::NoChange { .. } => "BAD_ARGUMENT",
        R::Others { .. } => "CONFLICT",
        R::TooLarge(_) => "LIMIT",
        R::MovedOn { .. } => "STALE",
        R::Project(error) => error.code(),
    }
}

/// The code of a change of parameters that was refused.
pub(crate) fn of_signature(refusal: &SignatureRefusal) -> &'static str {
    use SignatureRefusal as R;
    match refusal {
        R::Target(refusal) => of_rename(refusal),
        R::NoParameters { .. }
        | R::Several { .. }
        | R::BadParameters { .. }
        | R::NoParameter { .. }
        | R::NeedsValue { .. }
        | R::Same { .. } => "BAD_ARGUMENT",
        R::Unbalanced { .. } => "UNBALANCED",
        R::StillUsed { .. }
        | R::Comment { .. }
        | R::Taken { .. }
        | R::TooLate { .. }
        | R::Open(_)
        | R::WouldBreak { .. } => "WOULD_BREAK",
    }
}
