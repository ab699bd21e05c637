//! Events of a session that its next answer reports: nobody asked for them, and the caller has to know.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

pub use crate::children::EndedChildren;

/// An event of a session that its next answer reports.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// The image died and its state is lost. The call that reports it ran in a fresh image.
    Died {
        /// The time of the death.
        during: During,
        /// The exit code, the signal, or the limit that was exceeded.
        status: String,
        /// The last lines that it printed; may be empty.
        last_words: String,
    },
    /// The image died while no call was running, and the session went back to a checkpoint.
    WentBack {
        /// The exit code, the signal, or the limit that was exceeded.
        status: String,
        /// The name of the checkpoint.
        checkpoint: String,
    },
    /// The image was ended because nobody used it for so long. The call that reports it ran in a fresh image.
    EndedIdle(Duration),
    /// A call ended after its client had given up waiting for the answer.
    Unheard {
        /// The call, in a few words.
        call: String,
        /// Its end.
        end: UnheardEnd,
        /// The time it took.
        took: Duration,
        /// Its effects remain: it ran in the image and not in a copy.
        stands: bool,
        /// The last lines that it printed; may be empty.
        last_words: String,
    },
    /// Processes that the code had started were ended so that the session could go on.
    EndedChildren(EndedChildren),
    /// The session has attached to an nREPL server that a file of the project names.
    Attached {
        /// The server's address.
        address: SocketAddr,
        /// The file.
        file: PathBuf,
    },
    /// An nREPL server was started for the session.
    Started {
        /// The tool that runs it, such as `lein`.
        with: &'static str,
        /// The time until it answered.
        took: Duration,
        /// A file that names a server which the session did not attach to.
        passed_over: Option<PassedOver>,
        /// Dependencies of the project that are not on this machine, if its tool is not installed.
        missing: Vec<String>,
        /// Those of which another version is: `group/artifact 2.4 for 2.5`.
        other_versions: Vec<String>,
    },
    /// The connection to a server that the session is attached to was lost and made again.
    Reconnected(Remaining),
    /// The server that the session is attached to is not confined by `--sandbox`.
    Unconfined,
    /// The code read standard input, which is empty in a session.
    NoInput,
    /// The image ran code, so it was not asked: the answer is that of the files.
    Busy {
        /// What it does, in words; may be empty.
        doing: String,
    },
    /// The session goes on in a fresh image: the earlier one did not load what a fresh one loads.
    Renewed {
        /// The reason why the earlier image did not load it.
        reason: String,
        /// The number of evaluations in the earlier image.
        evaluations: u64,
        /// The session that has the earlier image now; `None` if that was ended.
        earlier: Option<String>,
    },
    /// Tests are still being run in a fresh image, to be compared.
    Comparing,
    /// Tests that passed in an image that was kept also pass in a fresh one.
    AlsoGreen {
        /// Their names, in a few words.
        tests: String,
        /// The time that a fresh image took.
        took: Duration,
        /// What had to be loaded there before, in a few words; may be empty.
        after: String,
    },
    /// Tests have other results in a fresh image than in the one that was kept.
    Differs {
        /// Their names, in a few words.
        tests: String,
        /// The results in the image that was kept.
        kept: String,
        /// The results in a fresh image.
        fresh: String,
        /// What was loaded there before, in a few words; may be empty.
        after: String,
    },
}

impl Notice {
    /// Says no more than `earlier` has said: another server was started as that one was.
    pub fn repeats(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (
                Self::Started { with, took: _, passed_over, missing, other_versions },
                Self::Started {
                    with: as_with,
                    took: _,
                    passed_over: as_passed,
                    missing: as_missing,
                    other_versions: as_others,
                },
            ) => (with, passed_over, missing, other_versions) == (as_with, as_passed, as_missing, as_others),
            _ => false,
        }
    }
}

/// The time when an image died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum During {
    /// No call was running.
    Rest,
    /// A call was running whose client had given it up.
    UnheardCall,
}

/// The end of a call that nobody waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnheardEnd {
    /// It was stopped in this form of so many, both from 1.
    StoppedIn {
        /// The form.
        form: u32,
        /// The number of forms, if it is known.
        of: Option<u32>,
    },
    /// It was stopped.
    Stopped,
    /// It had an answer.
    Answered,
}

/// A file that names an nREPL server which a session did not attach to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PassedOver {
    /// The server is not confined, as `--sandbox` demands.
    Unconfined {
        /// The file.
        file: PathBuf,
        /// The port in it.
        port: u16,
    },
    /// No server answers there.
    OutOfDate {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: String,
    },
}

/// What a session still has after its connection was made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remaining {
    /// Perhaps nothing: another nREPL server may listen at the address now.
    Unknown,
    /// The definitions; the nREPL server had forgotten the conversation, with its `*1` and `*e`.
    WithoutHistory,
    /// The definitions; the session's package, objects and held errors in the Swank server are gone.
    WithoutObjects,
}
