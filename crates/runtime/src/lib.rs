//! Live Lisp images: sessions that evaluate code and cannot take the server down.
//!
//! Evaluated code may print anywhere, read standard input, break the reader, exhaust the heap, exit or crash. So every
//! session has a worker process of its own, the conversation with it uses descriptors that evaluated code does not
//! know, and the server keeps the clock.
//!
//! Read [`sessions`] first: it is the interface for callers. Then `session` (one session and its calls), `worker` (one
//! process and its conversation), `copies` (checkpoints and trials), `process` (starting and ending processes),
//! `keeper` (the process above each worker), `marks` and `guard` (finding and ending leftover processes), `watch`
//! (memory and process limits), `sandbox`, `place` and `confine` (confinement), `scratch` (temporary
//! directories), `capture` (printed output), `image`
//! (saved images), `agent` (the code that workers start with), [`wire`] (the protocol) and [`backends`] (the Lisps,
//! each in a file of its own). The Lisp side is in `images/`.
//!
//! **Invariant:** only this crate starts processes, and no process it starts outlives the server.

mod activity;
mod agent;
pub mod backends;
mod call;
mod capture;
mod children;
mod config;
mod confine;
mod copies;
mod definitions;
mod emacs_server;
mod environment;
pub mod eval;
mod exchange;
mod exports;
mod factory;
mod frames;
mod fresh;
mod guard;
mod hidden;
mod idle;
mod image;
mod keeper;
mod launcher;
mod managers;
mod marks;
mod name;
mod naming;
mod nearest;
pub mod node;
pub mod notice;
mod nrepl;
mod operation;
mod place;
mod probe;
mod process;
mod question;
mod queue;
pub mod refusal;
pub mod remote;
pub mod renewal;
pub mod request;
mod sandbox;
mod scratch;
mod session;
mod session_error;
pub mod sessions;
mod shield;
mod slot;
mod start;
mod starved;
pub mod status;
mod stop;
mod survey;
mod swank;
mod tally;
mod time_limit;
mod trial_ground;
mod watch;
pub mod wire;
mod work;
mod worker;

pub use backends::{Backend, Capability, Loading, Prompt, Runtime, Words};
pub use call::{Call, Given, Ticket, Visit};
pub use capture::Printed;
pub use config::Config;
pub use confine::{Confinement, become_confined, live_apart};
pub use copies::Return;
pub use definitions::definition_files;
pub use environment::find_program;
pub use eval::{
    CurrentForm, Ending, EvalReport, ExecutionStatus, Frame, LispError, Phase, Printout, Repetition, Warning,
};
pub use exports::library_exports;
pub use fresh::Fresh;
pub use hidden::Hiding;
pub use keeper::{Keeping, keep};
pub use lispwright_platform::{Lack, Surroundings};
pub use managers::install_call;
pub use naming::{Description, ImageExports, NameMeaning, Reference, References};
pub use node::{Label, Node, ObjectPart};
pub use notice::Notice;
pub use operation::ImageOperation;
pub use place::WritablePlace;
pub use probe::{Probe, ProbeCodes};
pub use question::{
    Describe, Expand, Expansion, ExpansionLevel, Frames, Inspect, ListExports, ListFrames, ListHeld, ListLoaded,
    ListLocals, ListReferences, Locals, Question,
};
pub use refusal::ImageRefusal;
pub use remote::Endpoint;
pub use remote::FoundServer;
pub use remote::address::{AddressError, SWANK_PORT, ServerAddress};
pub use renewal::{FileState, LoadedFile, Removed, Renewal, Renewed, StaleFile};
pub use request::{EvalRequest, Request, RestartName};
pub use sandbox::{SandboxChoice, SandboxConfig, refuse_nested};
pub use session_error::SessionError;
pub use sessions::{MAIN, Sessions};
pub use shield::shield;
pub use status::{CheckpointStatus, SandboxStatus, SessionStatus, State, Status, WorkerStatus};
pub use stop::{Death, StopReason};
pub use tally::{FailedTest, Tally};
pub use time_limit::TimeLimit;
pub use trial_ground::TrialGround;
pub use work::{CompilerDiagnostic, LoadTarget, Project};

/// The promises of the documentation about images that this system cannot keep.
pub const LACKS: &[Lack] = <lispwright_platform::Here as lispwright_platform::System>::LACKS;
