//! Any Common Lisp with a Swank or Slynk server that somebody else has started (`swank`).

use super::common_lisp::{FRAMEWORKS, LIBRARIES, WORDS};
use super::{Backend, Capability, Words};
use crate::probe::{Probe, ProbeCodes};
use crate::remote::Protocol;

pub(super) static BACKEND: Backend = Backend {
    name: "swank",
    package: "cl-swank",
    has: &[Capability::Eval, Capability::Interrupt, Capability::Hold, Capability::Attach],
    warnings_fail: true,
    frameworks: FRAMEWORKS,
    libraries: LIBRARIES,
    probes: ProbeCodes {
        codes: &[
            (Probe::Trace, include_str!("../../../../images/common-lisp/probes/trace.lisp")),
            (Probe::Disassemble, include_str!("../../../../images/common-lisp/probes/disassemble.lisp")),
        ],
    },
    words: Words {
        last_value: None,
        no_copies: "The image of a swank session belongs to somebody else and has threads, so it is not copied",
        server: (
            "127.0.0.1:4005",
            "In the image, (swank:create-server :dont-close t) starts a server on port 4005; one that an editor started \
             says its port there.",
        ),
        attached: |version| {
            if version.starts_with("CLISP") {
                "It cannot be reset, killed, checkpointed or tried in. In CLISP errors come without frames, an evaluation \
                 cannot be interrupted, and an endless recursion ends the connection."
            } else {
                "It cannot be reset, killed, checkpointed or tried in; everything else works as in a session of its own."
            }
        },
        ..WORDS
    },
    protocol: Some(Protocol::Swank),
    ..Backend::NOTHING
};
