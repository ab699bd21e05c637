//! Logs as JSON lines on standard error or in a file, so that standard output carries nothing but answers.
//!
//! `--log-file` names a file to which several servers may append, in place of standard error. `MCP_LOG_FILE` is the
//! pattern of a name that each process completes with its time and number, beside standard error.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use lispwright_project::{Access, Links, open_regular};
use lispwright_words::timestamp;
use tracing_subscriber::filter::{EnvFilter, LevelFilter};
use tracing_subscriber::fmt::writer::MakeWriterExt;

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

/// The name of the log file of one process: `/tmp/a.log` becomes `/tmp/a-2026-03-01T09-15-30-12345.log`, in UTC.
fn completed(pattern: &Path, moment: SystemTime, pid: u32) -> PathBuf {
    let moment: String = timestamp(moment).chars().take(19).map(|c| if c == ':' { '-' } else { c }).collect();
    let text = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
    let stem = text(pattern.file_stem()).unwrap_or_else(|| "lispwright".to_owned());
    let extension = text(pattern.extension()).map(|extension| format!(".{extension}")).unwrap_or_default();
    pattern.with_file_name(format!("{stem}-{moment}-{pid}{extension}"))
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
    let open = |path: &Path| {
        let file = log_file(path).map_err(|error| format!("the log file {} cannot be opened: {error}", shown(path)));
        file.map(Mutex::new)
    };
    let pattern = std::env::var_os("MCP_LOG_FILE").filter(|pattern| !pattern.is_empty());
    let started = match (file, pattern) {
        (Some(path), _) => builder.with_writer(open(path)?).try_init(),
        (None, Some(pattern)) => {
            let path = completed(Path::new(&pattern), SystemTime::now(), std::process::id());
            builder.with_writer(io::stderr.and(open(&path)?)).try_init()
        }
        (None, None) => builder.with_writer(io::stderr).try_init(),
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn each_process_has_a_log_of_its_own() {
        let moment = UNIX_EPOCH + Duration::from_secs(1_772_356_530);
        let name = |pattern: &str| completed(Path::new(pattern), moment, 12345).display().to_string();
        assert_eq!(name("/tmp/cl-mcp.log"), "/tmp/cl-mcp-2026-03-01T09-15-30-12345.log");
        assert_eq!(name("server"), "server-2026-03-01T09-15-30-12345");
    }
}
