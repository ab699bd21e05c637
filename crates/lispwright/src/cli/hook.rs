//! `lispwright hook`: judges an edit that a coding agent is about to make, or has just made, with its own tools.
//!
//! A fault of the hook must not hinder the agent: it ends with empty output and exit code 0. Exit code 2 would refuse
//! the edit in every client.

use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::builder::PossibleValuesParser;
use lispwright_hook::stats::Record;
use lispwright_hook::{Committed, FileSource, Found, HookClient, Mistake, respond};
use lispwright_project::{
    Access, Below, Encoding, Error, Ignored, Links, MAX_FILE_BYTES, Revision, Seen, SourceFile, open_regular,
    read_encoded_anywhere,
};
use lispwright_syntax::{Dialect, Language};
use lispwright_tools::problems::Problem;
use lispwright_tools::workspace::is_lisp_name;
use lispwright_tools::{Workspace, problems_alone};
use lispwright_words::configuration;

/// Judge an edit of a coding agent's own tools: reads the client's hook input, prints its answer.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lispwright hook claude-code < hook-input.json\n\n\
    Clients run it; `lispwright setup CLIENT` tells them to. Nothing is printed for what balances, for what is not Lisp, \
    and when something goes wrong.\nExit code: 0, or 1 for a wrong command line, which clients ignore.")]
pub(crate) struct Args {
    /// The client whose hook this is
    #[arg(value_parser = PossibleValuesParser::new(HookClient::ALL.map(|client| client.name)))]
    client: String,

    /// Append a line about each edit that is judged to this file: no source text, no path
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,

    /// Append failures of the hook itself to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// The time after which the call goes on without a judgement.
const DEADLINE: Duration = Duration::from_secs(2);

pub(crate) fn run(args: Args) -> ExitCode {
    let Some(client) = HookClient::from_name(&args.client) else { return ExitCode::SUCCESS };
    // A panic is reported in the log only.
    panic::set_hook(Box::new(|_| {}));
    // The thread that sets it first ends the call.
    let ended = Arc::new(AtomicBool::new(false));
    let (done, answered) = mpsc::channel::<()>();
    let (stats, log_file, overdue) = (args.stats.clone(), args.log.clone(), Arc::clone(&ended));
    // The main thread judges, because its memory needs no arena of its own.
    let watch = move || {
        if answered.recv_timeout(DEADLINE) == Err(RecvTimeoutError::Timeout) && !overdue.swap(true, Ordering::SeqCst) {
            if let Some(path) = &stats {
                append(path, &Record::overdue(client, now(), micros(DEADLINE)).line());
            }
            log(log_file.as_deref(), "no answer in time");
            process::exit(0);
        }
    };
    let outcome = match thread::Builder::new().spawn(watch) {
        Ok(_) => {
            let attempt = panic::catch_unwind(AssertUnwindSafe(|| answer_to(client, args.stats.as_deref())));
            attempt.unwrap_or_else(|cause| Err(format!("panic: {}", message(&*cause))))
        }
        Err(error) => Err(format!("no thread: {error}")),
    };
    while ended.swap(true, Ordering::SeqCst) {
        // It is too late: the process may end at any moment.
        thread::park();
    }
    drop(done);
    match outcome {
        Ok(Some(output)) => {
            let mut out = io::stdout().lock();
            if let Err(error) = writeln!(out, "{output}").and_then(|()| out.flush()) {
                log(args.log.as_deref(), &format!("standard output: {error}"));
                // Clients take exit code 1 for a failed hook; 2 would refuse the edit.
                return ExitCode::FAILURE;
            }
        }
        Ok(None) => {}
        Err(why) => log(args.log.as_deref(), &why),
    }
    ExitCode::SUCCESS
}

fn answer_to(client: &HookClient, stats: Option<&Path>) -> Result<Option<String>, String> {
    let mut input = Vec::new();
    let failed = |error: io::Error| format!("standard input: {error}");
    io::stdin().lock().take(MAX_FILE_BYTES + 1).read_to_end(&mut input).map_err(failed)?;
    if input.len() as u64 > MAX_FILE_BYTES {
        // Reads to the end, because a client may not expect that its pipe breaks.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        return Err(format!("standard input: larger than {MAX_FILE_BYTES} bytes"));
    }
    let started = Instant::now();
    let input = String::from_utf8(input).map_err(|error| format!("standard input: {error}"))?;
    let response = respond(client, &input, &Disk);
    if let Some(path) = stats {
        let (time, micros) = (now(), micros(started.elapsed()));
        let lines: Vec<String> =
            response.judged.iter().map(|judged| Record::of(client, judged, time, micros).line()).collect();
        append(path, &lines.concat());
    }
    Ok(response.output.map(|output| output.to_string()))
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// The files of the machine. The client names them and is about to change them, so no roots apply.
struct Disk;

impl FileSource for Disk {
    fn read(&self, path: &Path) -> Found {
        match read_encoded_anywhere(path) {
            Ok((text, encoding)) => found(text, encoding),
            Err(Error::Missing { .. }) => Found::Missing,
            Err(_) => Found::Unreadable,
        }
    }

    fn committed(&self, path: &Path) -> Option<Committed> {
        let path = path.canonicalize().ok()?;
        let revision = Revision::open(path.parent()?, "HEAD").ok()?;
        let mut bytes = Vec::new();
        revision.each(&[&path], |_, found| bytes = found).ok()?;
        let file = SourceFile::decode("", bytes.as_slice()).ok()?;
        Some(Committed { bytes, found: found(file.text, file.encoding) })
    }

    fn changed(&self, directory: &Path, within: Duration) -> Vec<PathBuf> {
        /// The limits of names and time for looking at a large tree.
        const MOST_NAMES: usize = 100_000;
        const LOOK: Duration = Duration::from_millis(150);
        let Some(since) = SystemTime::now().duration_since(UNIX_EPOCH).ok().and_then(|now| now.checked_sub(within))
        else {
            return Vec::new();
        };
        let since = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        let begun = Instant::now();
        // A move changes the ctime of a file but not its mtime.
        let is_new = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.ctime() >= since);
        Below::new(directory, Ignored::LeftOut, MOST_NAMES)
            .take_while(|_| begun.elapsed() < LOOK)
            .filter_map(|seen| if let Seen::File(path) = seen { Some(path) } else { None })
            .filter(|path| is_lisp_name(path) && is_new(path))
            .collect()
    }

    fn language(&self, path: &Path, dialect: Dialect) -> Result<Language, String> {
        let directory = path.parent().unwrap_or(path);
        let languages = Workspace::anywhere().languages_in(directory).map_err(|bad| configuration(&bad))?;
        Ok(languages.of(dialect))
    }

    fn problems(&self, path: &Path, before: &str, now: &str, language: &Language) -> Vec<Mistake> {
        let mut found = problems_alone(path, before, now, language);
        found.retain(Problem::is_grave);
        found.sort_by_key(|one| (one.level != "error", one.line));
        let told = |one: Problem| {
            let message = format!("{}: {} [{}]", one.level, one.message, one.code);
            Mistake { line: one.line, message }
        };
        found.into_iter().map(told).collect()
    }
}

fn found(text: String, encoding: Encoding) -> Found {
    if encoding.is_other() { Found::Encoded(text, encoding.name()) } else { Found::Text(text) }
}

fn message(cause: &(dyn std::any::Any + Send)) -> &str {
    let text = cause.downcast_ref::<&str>().copied();
    text.or_else(|| cause.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

fn log(file: Option<&Path>, why: &str) {
    if let Some(path) = file {
        append(path, &format!("lispwright hook: {why}\n"));
    }
}

/// Appends in one write, so that hooks that run at once do not cut each other's lines. Failures are ignored.
fn append(path: &Path, text: &str) {
    if text.is_empty() {
        return;
    }
    let file = open_regular(path, Access::Append, Links::Followed);
    let _ = file.and_then(|mut file| file.write_all(text.as_bytes()));
}
