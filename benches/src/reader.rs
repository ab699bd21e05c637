//! The speed and the memory of the reader, over every corpus and over its worst input.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use lispwright_syntax::{Dialect, read};

use crate::Setting;
use crate::table::{Row, milliseconds, times};

const RUNS: usize = 5;

const CORPORA: [(&str, Dialect, &str); 5] = [
    ("common-lisp", Dialect::CommonLisp, "tree-sitter 10 MB/s, 83 % of files"),
    ("sbcl", Dialect::CommonLisp, "tree-sitter 11 MB/s; SBCL 25-71 MB/s"),
    ("guile", Dialect::Scheme, "tree-sitter 18 MB/s, 82 % of files; Guile 5 MB/s"),
    ("clojure", Dialect::Clojure, "tree-sitter 13 MB/s"),
    ("emacs-lisp", Dialect::EmacsLisp, "tree-sitter 22 MB/s"),
];

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    let mut rows: Vec<Row> = CORPORA
        .iter()
        .map(|&(name, dialect, elsewhere)| corpus_row(&setting.corpus.join(name), name, dialect, elsewhere))
        .collect();
    rows.push(deep_row());
    rows
}

fn corpus_row(folder: &Path, name: &str, dialect: Dialect, elsewhere: &'static str) -> Row {
    let texts: Vec<Vec<u8>> = files(folder).iter().filter_map(|path| std::fs::read(path).ok()).collect();
    let bytes: usize = texts.iter().map(Vec::len).sum();
    let (mut best, mut heap, mut flagged) = (0.0, 0, 0);
    for text in &texts {
        let mut fastest = f64::MAX;
        for run in 0..RUNS {
            let begin = Instant::now();
            let tree = std::hint::black_box(read(text, dialect));
            fastest = fastest.min(begin.elapsed().as_secs_f64());
            if run == 0 {
                heap += tree.heap_size();
                flagged += usize::from(!tree.diagnostics().is_empty());
            }
        }
        best += fastest;
    }
    let rate = bytes as f64 / 1e6 / best;
    let memory = heap as f64 / bytes as f64;
    let own = own_reader(folder, dialect).map_or_else(
        || "-".to_owned(),
        |(who, seconds)| format!("{who} {:.0} MB/s, {}", bytes as f64 / 1e6 / seconds, times(seconds, best)),
    );
    Row {
        what: format!(
            "reader, full tree, {name}: {} files, {:.1} MB, {flagged} with a diagnostic",
            texts.len(),
            bytes as f64 / 1e6
        ),
        measured: format!("{rate:.0} MB/s, {memory:.2} x the text"),
        baseline: own,
        elsewhere,
        target: "300 MB/s, at most 3 x",
        met: rate >= 300.0 && memory <= 3.0,
    }
}

/// A million nested lists, closed again.
fn deep_row() -> Row {
    let text = "(".repeat(1_000_000) + &")".repeat(1_000_000);
    let best = (0..RUNS)
        .map(|_| {
            let begin = Instant::now();
            std::hint::black_box(read(&text, Dialect::CommonLisp));
            begin.elapsed().as_secs_f64()
        })
        .fold(f64::MAX, f64::min);
    let half = &text[500_000..1_500_000];
    let begin = Instant::now();
    std::hint::black_box(read(half, Dialect::CommonLisp));
    let half_seconds = begin.elapsed().as_secs_f64();
    Row {
        what: "1,000,000 nested lists".to_owned(),
        measured: milliseconds(best),
        baseline: format!("half of them {}", milliseconds(half_seconds)),
        elsewhere: "rowan, cstree, sexp, edn-rs abort; tree-sitter 1.5 s",
        target: "linear, under 100 ms, a diagnostic",
        met: best < 0.1,
    }
}

/// The seconds of the dialect's own reader for the same files, if it can be run here.
fn own_reader(folder: &Path, dialect: Dialect) -> Option<(&'static str, f64)> {
    let list = tempfile::NamedTempFile::new().ok()?;
    let paths: Vec<String> = files(folder).iter().map(|path| path.display().to_string()).collect();
    std::fs::write(list.path(), paths.join("\n")).ok()?;
    let (who, command) = match dialect {
        Dialect::CommonLisp => ("SBCL, *read-suppress*", sbcl(list.path())),
        Dialect::EmacsLisp => ("Emacs", emacs(list.path())),
        Dialect::Scheme => ("Guile", guile(list.path())),
        _ => return None,
    };
    let output = command?.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let seconds = text.lines().find_map(|line| line.strip_prefix("SECONDS ")?.trim().parse().ok())?;
    Some((who, seconds))
}

fn sbcl(list: &Path) -> Option<Command> {
    let program = format!(
        r#"(let ((start (get-internal-real-time)))
  (with-open-file (list {:?})
    (loop for path = (read-line list nil) while path
          do (ignore-errors
              (with-open-file (in (sb-ext:native-pathname path) :external-format :latin-1)
                (let ((*read-suppress* t)) (loop until (eq in (read in nil in))))))))
  (format t "SECONDS ~f~%" (/ (- (get-internal-real-time) start) (float internal-time-units-per-second 1d0))))"#,
        list.display().to_string()
    );
    let mut command = Command::new("sbcl");
    command
        .args(["--noinform", "--no-sysinit", "--no-userinit", "--disable-debugger", "--eval"])
        .arg(program)
        .arg("--quit");
    Some(command)
}

fn emacs(list: &Path) -> Option<Command> {
    let program = format!(
        r#"(let ((start (float-time)) (coding-system-for-read 'latin-1))
  (dolist (path (with-temp-buffer (insert-file-contents {:?}) (split-string (buffer-string) "\n" t)))
    (with-temp-buffer (insert-file-contents path)
      (condition-case nil (while t (read (current-buffer))) (error nil))))
  (message "SECONDS %f" (- (float-time) start)))"#,
        list.display().to_string()
    );
    let mut command = Command::new("emacs");
    command.args(["--batch", "-Q", "--eval"]).arg(program);
    Some(command)
}

fn guile(list: &Path) -> Option<Command> {
    let program = format!(
        r#"(use-modules (ice-9 rdelim))
(define start (get-internal-real-time))
(call-with-input-file {:?}
  (lambda (list)
    (let next ((path (read-line list)))
      (unless (eof-object? path)
        (false-if-exception
          (call-with-input-file path
            (lambda (port) (set-port-encoding! port "ISO-8859-1")
              (let loop () (unless (eof-object? (read port)) (loop))))))
        (next (read-line list))))))
(format #t "SECONDS ~a~%" (/ (- (get-internal-real-time) start) 1.0 internal-time-units-per-second))"#,
        list.display().to_string()
    );
    let mut command = Command::new("guile");
    command.args(["--no-auto-compile", "-c"]).arg(program);
    Some(command)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}
