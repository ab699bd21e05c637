//! The actions and arguments of `repl_control`.

use schemars::JsonSchema;
use serde::Deserialize;

/// The action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplAction {
    /// List runtimes and sessions.
    #[default]
    Status,
    /// Start a session's image ahead of its first call.
    Start,
    /// Wait for the running call of a session and repeat its last answer.
    Wait,
    /// Interrupt the running call of a session; its state is kept.
    Interrupt,
    /// Compare a session's image with the files.
    Drift,
    /// End a session and its image.
    Kill,
    /// Give a session a fresh image.
    Reset,
    /// Keep a copy of the image under a name.
    Checkpoint,
    /// Return to a checkpoint.
    Rollback,
    /// Join a running Swank, Slynk or nREPL server.
    Attach,
    /// Leave a server that was joined.
    Detach,
    /// List the held errors and their restarts.
    Restarts,
    /// Take a restart of a held error.
    Restart,
    /// Give a held error up.
    Abort,
    /// List the frames of a held error.
    Frames,
    /// Show the locals of a frame of a held error.
    Locals,
    /// Evaluate in a frame of a held error.
    EvalInFrame,
}

/// Arguments of `repl_control`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplControl {
    /// Action
    pub action: ReplAction,
    /// Default "main"
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
    /// Of a checkpoint
    #[serde(default)]
    pub name: Option<String>,
    /// Default 0
    #[serde(default)]
    pub frame: Option<u32>,
    /// Name or number
    #[serde(default)]
    pub restart: Option<String>,
    /// For eval_in_frame; values for restart
    #[serde(default)]
    pub code: Option<String>,
    /// For eval_in_frame (default: the frame's)
    #[serde(default)]
    pub package: Option<String>,
    /// Default 30; start, reset 100
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
    /// host:port for attach
    #[serde(default)]
    pub address: Option<String>,
}
