//! How fast the index is beside what it cannot do without: reading the files, and searching their text.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use lispwright_index::{Index, each};
use lispwright_syntax::{Dialect, read};
use serde_json::json;

use crate::Setting;
use crate::client::Client;
use crate::memory::pss;
use crate::table::{Row, median, milliseconds};

const RUNS: usize = 7;

/// What is searched for: a name that is frequent, and one that is rare.
const PATTERNS: [&str; 2] = [r"\bgethash\b", r"\bdefmethod\s+initialize-instance\b"];

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    let mut rows: Vec<Row> = PATTERNS.iter().filter_map(|pattern| search(setting, pattern)).collect();
    rows.push(first(&setting.corpus.join("sbcl")));
    rows.extend(again(setting));
    rows
}

/// The seconds of a program that prints to a pipe, and whether it ran.
fn seconds(command: &mut Command) -> Option<f64> {
    let begin = Instant::now();
    command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    Some(begin.elapsed().as_secs_f64())
}

fn search(setting: &Setting, pattern: &str) -> Option<Row> {
    let folder = setting.corpus.join("common-lisp");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        ours.push(seconds(Command::new(&setting.binary).args(["search", pattern]).current_dir(&folder))?);
        theirs.push(seconds(Command::new("rg").args(["--line-number", pattern]).current_dir(&folder))?);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    Some(Row {
        what: format!("`lispwright search '{pattern}'` in the libraries of Common Lisp, with the forms around"),
        measured: milliseconds(ours),
        baseline: format!("ripgrep, lines alone, {}: {:.2} x it", milliseconds(theirs), ours / theirs),
        elsewhere: "-",
        target: "at most 1.5 x ripgrep",
        met: ours <= 1.5 * theirs,
    })
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut open = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if Dialect::detect(&path.to_string_lossy(), b"").is_some() {
                found.push(path);
            }
        }
    }
    found
}

/// The index of all files below a folder.
fn indexed(folder: &Path) -> Index {
    let mut index = Index::default();
    let language = |path: &Path, text: &str| Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Into::into);
    index.refresh([folder], &language);
    index
}

/// The first index of SBCL's sources.
fn first(folder: &Path) -> Row {
    let files = sources(folder);
    let (mut ours, mut reader) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let begin = Instant::now();
        std::hint::black_box(each(&files, |path| {
            let text = fs::read(path).unwrap_or_default();
            read(&text, Dialect::CommonLisp).heap_size()
        }));
        reader.push(begin.elapsed().as_secs_f64());
        let begin = Instant::now();
        std::hint::black_box(indexed(folder));
        ours.push(begin.elapsed().as_secs_f64());
    }
    let (ours, reader) = (median(ours), median(reader));
    Row {
        what: format!("first index of SBCL's sources, {} files", files.len()),
        measured: milliseconds(ours),
        baseline: format!(
            "reading the files alone, on both cores, {}: {:.2} x it",
            milliseconds(reader),
            ours / reader
        ),
        elsewhere: "scheme-langserver 56 s for 128 files; clojure-lsp 90 s for a large repository",
        target: "under 1.5 x the reader",
        met: ours < 1.5 * reader,
    }
}

/// A question to the server, again and after a change, and the memory of the index.
fn again(setting: &Setting) -> Vec<Row> {
    let root = tempfile::tempdir().expect("a temporary folder");
    let mut bytes = 0;
    for (at, path) in sources(&setting.corpus.join("sbcl")).iter().enumerate() {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        bytes += fs::copy(path, root.path().join(format!("{at}-{name}"))).unwrap_or(0);
    }
    let changing = root.path().join("changing.lisp");
    fs::write(&changing, "(defun changing (x) x)\n").expect("a file");
    let (mut client, _) = Client::start(&setting.binary, root.path());
    let idle = pss(client.pid());
    let question = json!({"symbol": "changing"});
    client.call("code_find_references", &question);
    let memory = (pss(client.pid()) - idle) * 1e6 / bytes as f64;
    let (mut same, mut changed) = (Vec::new(), Vec::new());
    for run in 0..RUNS {
        same.extend(client.time_calls(1, "code_find_references", |_| question.clone()));
        fs::write(&changing, format!("(defun changing (x) (list x {run}))\n")).expect("a file");
        changed.extend(client.time_calls(1, "code_find_references", |_| question.clone()));
    }
    let (same, changed) = (median(same), median(changed));
    vec![
        Row {
            what: format!("callers of a name in {:.1} MB, after one file has changed", bytes as f64 / 1e6),
            measured: milliseconds(changed),
            baseline: format!("unchanged {}: {:.2} x it", milliseconds(same), changed / same),
            elsewhere: "-",
            target: "at most 3 x the unchanged one",
            met: changed <= 3.0 * same,
        },
        Row {
            what: "memory of the server with this index".into(),
            measured: format!("{memory:.1} x the text"),
            baseline: format!("idle {idle:.1} MB"),
            elsewhere: "clojure-lsp 1.4 GB for a large repository",
            target: "under 4 x the text",
            met: memory < 4.0,
        },
    ]
}
