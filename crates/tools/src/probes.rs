//! `trace_calls`, `profile_code` and `disassemble_code`: looks at code while it runs, and at what a compiler has made of it.
//!
//! What a look shows is what the runtime's own tracer, profiler or disassembler prints, so the answer is that of an
//! evaluation: the printed text, and the values of the code. A runtime that lacks one says so, and who has it.

use lispwright_runtime::{EvalRequest, Probe, Request};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::eval_answer::{EvalAnswer, output_limit};
use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::repl_eval::{PRINTED, ask, time_limit};
use crate::repl_session::open;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Arguments of `trace_calls`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceCalls {
    /// Forms to run
    pub code: String,
    /// Names of the functions whose calls are shown
    pub functions: Vec<String>,
    /// Package
    #[serde(default)]
    pub package: Option<String>,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
    /// Default 30
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
    /// Characters, default 10000
    #[serde(default)]
    pub max_output_length: Option<u32>,
}

/// The way in which a profiler looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProfileMode {
    /// At the stack, many times a second.
    #[default]
    Statistical,
    /// At every call of some functions.
    Deterministic,
}

/// Arguments of `profile_code`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileCode {
    /// Forms to run
    pub code: String,
    /// statistical: samples of the stack; deterministic: every call of `functions`
    #[serde(default)]
    pub mode: ProfileMode,
    /// Names, for deterministic
    #[serde(default)]
    pub functions: Vec<String>,
    /// Package
    #[serde(default)]
    pub package: Option<String>,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
    /// Default 30
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
    /// Characters, default 10000
    #[serde(default)]
    pub max_output_length: Option<u32>,
}

/// Arguments of `disassemble_code`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DisassembleCode {
    /// Name of a function, or an expression whose value is one
    pub function: String,
    /// Package
    #[serde(default)]
    pub package: Option<String>,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
    /// Characters, default 10000
    #[serde(default)]
    pub max_output_length: Option<u32>,
}

/// Where and how a probe runs.
struct Setting {
    package: Option<String>,
    session: Option<String>,
    runtime: Option<String>,
    timeout_seconds: Option<f64>,
    max_output_length: Option<u32>,
}

/// Runs code and shows the calls of some functions.
pub async fn trace_calls(workshop: &Workshop, args: TraceCalls, context: &CallContext) -> Result<EvalAnswer, Refusal> {
    let TraceCalls { code, functions, package, session, runtime, timeout_seconds, max_output_length } = args;
    let setting = Setting { package, session, runtime, timeout_seconds, max_output_length };
    if functions.is_empty() {
        return Err(LiveFault::NoFunctions.into());
    }
    probe(workshop, Probe::Trace, &code, &functions, setting, context).await
}

/// Runs code and shows where the time goes.
pub async fn profile_code(
    workshop: &Workshop,
    args: ProfileCode,
    context: &CallContext,
) -> Result<EvalAnswer, Refusal> {
    let ProfileCode { code, mode, functions, package, session, runtime, timeout_seconds, max_output_length } = args;
    let setting = Setting { package, session, runtime, timeout_seconds, max_output_length };
    let kind = match mode {
        ProfileMode::Statistical => Probe::Sample,
        ProfileMode::Deterministic if functions.is_empty() => return Err(LiveFault::NoFunctions.into()),
        ProfileMode::Deterministic => Probe::Count,
    };
    probe(workshop, kind, &code, &functions, setting, context).await
}

/// Shows the instructions of a function.
pub async fn disassemble_code(
    workshop: &Workshop,
    args: DisassembleCode,
    context: &CallContext,
) -> Result<EvalAnswer, Refusal> {
    let DisassembleCode { function, package, session, runtime, max_output_length } = args;
    let setting = Setting { package, session, runtime, timeout_seconds: None, max_output_length };
    probe(workshop, Probe::Disassemble, &function, &[], setting, context).await
}

async fn probe(
    workshop: &Workshop,
    kind: Probe,
    code: &str,
    names: &[String],
    setting: Setting,
    context: &CallContext,
) -> Result<EvalAnswer, Refusal> {
    let limit = output_limit(setting.max_output_length);
    let timeout = time_limit(setting.timeout_seconds)?;
    let session = open(&workshop.sessions, setting.session.as_deref(), setting.runtime.as_deref())?;
    let runtime = workshop.sessions.runtime_of(&session);
    let code = runtime.probes.code(kind, code, names).ok_or(LiveFault::NoProbe { kind, runtime })?;
    let request = EvalRequest {
        package: setting.package,
        print_length: Some(PRINTED),
        value_limit: limit,
        timeout,
        ..EvalRequest::new(code)
    };
    EvalAnswer::of(ask(&workshop.sessions, &session, Request::Eval(request), context).await?, limit)
}
