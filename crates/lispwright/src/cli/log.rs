//! Logs as JSON lines on standard error or in a file, so that standard output carries nothing but answers.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use lispwright_project::{Access, Links, open_regular};
use tracing_subscriber::filter::{EnvFilter, LevelFilter};

use super::text::shown;

/// Opens the file for logs, which must not be the standard output of answers.
fn log_file(path: &Path) -> io::Result<File> {
    let file = open_regular(path, Access::Append, Links::Followed)?;
    let identity = |stat: rustix::fs::Stat| (stat.st_dev, stat.st_ino);
    if rustix::fs::fstat(io::stdout()).map(identity) == rustix::fs::fstat(&file).map(identity) {
        return Err(io::Error::other("it is the standard output, which carries the answers"));
    }
    Ok(file)
}

/// Starts logging. `level` is a level name or a filter such as `info,lispwright_runtime=debug`.
pub(crate) fn start(level: &str, file: Option<&Path>) -> Result<(), String> {
    let filter = EnvFilter::builder()
        .with_default_directive(LevelFilter::WARN.into())
        .parse(level)
        .map_err(|error| format!("the log level `{level}` is not understood: {error}"))?;
    // The SDK warns of every error answer, but error answers are ordinary here.
    let quiet = "rmcp=error".parse().expect("a constant directive");
    let filter = if level.contains("rmcp") { filter } else { filter.add_directive(quiet) };
    // A closed standard error must not make each log line panic.
    let builder = tracing_subscriber::fmt().json().with_env_filter(filter).with_ansi(false).log_internal_errors(false);
    let started = match file {
        Some(path) => {
            let file =
                log_file(path).map_err(|error| format!("the log file {} cannot be opened: {error}", shown(path)))?;
            builder.with_writer(Mutex::new(file)).try_init()
        }
        None => builder.with_writer(io::stderr).try_init(),
    };
    started.map_err(|error| error.to_string())?;
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        tracing::error!(place, "panic: {text}");
    }));
    Ok(())
}
