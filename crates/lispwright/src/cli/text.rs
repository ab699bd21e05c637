//! The texts that commands read and print.
//!
//! A person may name any file; the roots that bound a server's clients do not apply here. Nothing is written.

use std::io::{self, Read, Write};
use std::path::Path;

use lispwright_project::{SourceFile, read_text_anywhere};
use lispwright_syntax::{Dialect, Language};
use lispwright_tools::languages::{FILE_NAME, Languages};

/// A text and what it is written in.
pub(crate) struct Text {
    /// As named on the command line.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) language: Language,
}

impl Text {
    /// Reads a file, or standard input for `-`. Without `dialect`, the file's name and first lines decide; a text that
    /// neither of them shows to be Lisp is refused, except on standard input, which is taken for Common Lisp.
    pub(crate) fn read(path: &str, dialect: Option<&str>) -> Result<Self, String> {
        let text = source(path)?;
        let dialect = match dialect {
            Some(name) => named(name)?,
            None => match Dialect::detect(path, text.as_bytes()) {
                Some(dialect) => dialect,
                None if path == "-" => Dialect::CommonLisp,
                None => return Err(format!("{path}: not known to be Lisp; say which with --dialect")),
            },
        };
        let path = if path == "-" { "<stdin>".to_owned() } else { path.to_owned() };
        Ok(Self { path, text, language: languages()?.of(dialect) })
    }
}

fn source(path: &str) -> Result<String, String> {
    if path != "-" {
        return read_text_anywhere(Path::new(path)).map_err(|error| error.to_string());
    }
    let mut bytes = Vec::new();
    let limit = lispwright_project::MAX_FILE_BYTES;
    io::stdin().lock().take(limit + 1).read_to_end(&mut bytes).map_err(|error| format!("standard input: {error}"))?;
    if bytes.len() as u64 > limit {
        return Err(format!("standard input: larger than the limit of {limit} bytes"));
    }
    SourceFile::decode("standard input", &bytes).map(|file| file.text).map_err(|error| error.to_string())
}

/// The dialect of a name, or which there are.
pub(crate) fn named(name: &str) -> Result<Dialect, String> {
    Dialect::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        format!("`{name}` is not a dialect: use one of {}", names.join(", "))
    })
}

/// What the project in the working directory adds to its dialects.
fn languages() -> Result<Languages, String> {
    match read_text_anywhere(Path::new(FILE_NAME)) {
        Ok(config) => Languages::parse(&config).map_err(|error| error.to_string()),
        Err(lispwright_project::Error::Missing { .. }) => Ok(Languages::default()),
        Err(error) => Err(error.to_string()),
    }
}

/// Prints a text and a final newline. A reader that has gone away is not an error.
pub(crate) fn print(text: &str) {
    let mut out = io::stdout().lock();
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(out, "{text}{newline}").and_then(|()| out.flush());
}

/// Prints one JSON document, as it is written. A reader that has gone away is not an error.
pub(crate) fn print_json(value: &serde_json::Value) {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from);
    let _ = written.and_then(|()| writeln!(out)).and_then(|()| out.flush());
}
