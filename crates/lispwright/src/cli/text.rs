//! The texts that commands read and print.
//!
//! A user may name any file; the roots that bound a server's clients do not apply here. Commands write only to standard
//! output, and a failure of that is an error of the command.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lispwright_project::{SourceFile, read_anywhere};
use lispwright_syntax::{Dialect, Language, LispBlock, in_a_line, lisp_blocks, without_prose};
use lispwright_tools::languages::{Formatting, Languages};
use lispwright_tools::workshop::named_dialect;
use lispwright_tools::{Refusal, Workspace};

use super::complaint::Complaint;
use super::outcome::OUTPUT_FAILED;

/// A text and its language.
pub(crate) struct Text {
    /// As named on the command line.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) language: Language,
    /// Its encoding.
    file: SourceFile,
}

impl Text {
    /// Reads one file, or standard input for `-`, like [`Texts::read`].
    pub(crate) fn read(path: &str, dialect: Option<&str>) -> Result<Self, Complaint> {
        Texts::new(dialect)?.read(path)
    }

    /// Its path in a line of a message: characters that a terminal acts on are escaped.
    pub(crate) fn shown(&self) -> Cow<'_, str> {
        in_a_line(&self.path)
    }

    /// Prints `text`, a changed version of this one, in the same encoding and with the same byte order mark.
    pub(crate) fn print_changed(&self, text: &str) -> Result<(), Complaint> {
        let bytes = self.file.encode(text)?;
        written(io::stdout().lock().write_all(&bytes).and_then(|()| io::stdout().flush()));
        Ok(())
    }
}

/// A text with blocks of Lisp in it.
pub(crate) struct Page {
    /// The whole; its language is that of no block in particular.
    pub(crate) text: Text,
    pub(crate) blocks: Vec<LispBlock>,
    /// The dialects of its project.
    pub(crate) languages: Arc<Languages>,
}

/// Reads texts, and the languages of each directory once.
pub(crate) struct Texts {
    dialect: Option<Dialect>,
    workspace: Workspace,
    /// The directory of the last text, and its languages.
    last: Option<(PathBuf, Arc<Languages>)>,
}

impl Texts {
    /// Reads every text in `dialect`, if one is named.
    pub(crate) fn new(dialect: Option<&str>) -> Result<Self, Complaint> {
        let dialect = dialect.map(named_dialect).transpose()?;
        Ok(Self { dialect, workspace: Workspace::anywhere(), last: None })
    }

    /// Reads a file, or standard input for `-`. Unless a dialect was named, the file's name and first lines decide; a
    /// text that they do not show to be Lisp is refused, except on standard input, which is Common Lisp by default.
    pub(crate) fn read(&mut self, path: &str) -> Result<Text, Complaint> {
        let file = source(path)?;
        self.text(path, path, file)
    }

    /// Reads a page of Markdown or Org; `None` for a file of another name, and if a dialect was named.
    pub(crate) fn page(&mut self, path: &str) -> Result<Option<Page>, Complaint> {
        if self.dialect.is_some() || lisp_blocks(path, "").is_none() {
            return Ok(None);
        }
        let mut file = source(path)?;
        let languages = self.languages(path)?.clone();
        let text = std::mem::take(&mut file.text);
        let blocks = lisp_blocks(path, &text).unwrap_or_default();
        let language = languages.of(Dialect::CommonLisp);
        Ok(Some(Page { text: Text { path: path.to_owned(), text, language, file }, blocks, languages }))
    }

    /// The text of a file of `@`-forms; `None` for any other file, for one that cannot be read, and if a dialect was named.
    pub(crate) fn at_forms(&mut self, path: &str) -> Option<String> {
        if self.dialect.is_some() || path == "-" || !path.ends_with(".scrbl") && !path.ends_with(".rkt") {
            return None;
        }
        let file = source(path).ok()?;
        without_prose(&file.text).map(|_| file.text.clone())
    }

    /// A text that is not in the file `place`, or another one than is in it.
    pub(crate) fn text(&mut self, path: &str, place: &str, mut file: SourceFile) -> Result<Text, Complaint> {
        let dialect = match self.dialect.or_else(|| Dialect::detect(path, file.text.as_bytes())) {
            Some(dialect) => dialect,
            None if path == "-" => Dialect::CommonLisp,
            None => return Err(Refusal::NotLisp { path: path.to_owned(), may_be_said: true }.into()),
        };
        let language = self.languages(place)?.of(dialect);
        let path = if path == "-" { "<stdin>".to_owned() } else { path.to_owned() };
        Ok(Text { path, text: std::mem::take(&mut file.text), language, file })
    }

    /// How the project of a file wants it laid out.
    pub(crate) fn formatting(&mut self, path: &str) -> Result<Formatting, Complaint> {
        Ok(self.languages(path)?.formatting())
    }

    /// The dialects with the additions of a file's project.
    fn languages(&mut self, path: &str) -> Result<&Arc<Languages>, Complaint> {
        let absolute = absolute(path)?;
        let directory = absolute.parent().unwrap_or(&absolute);
        if self.last.as_ref().is_none_or(|(known, _)| known != directory) {
            self.last = Some((directory.to_owned(), self.workspace.languages_in(directory).map_err(Refusal::from)?));
        }
        Ok(&self.last.as_ref().expect("it has just been put there").1)
    }
}

fn source(path: &str) -> Result<SourceFile, Complaint> {
    if path != "-" {
        return Ok(read_anywhere(Path::new(path))?);
    }
    let refused = |code, why: String| Complaint::new(code, format_args!("standard input: {why}"));
    let mut bytes = Vec::new();
    let limit = lispwright_project::MAX_FILE_BYTES;
    let read = io::stdin().lock().take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| refused("BAD_ARGUMENT", error.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(refused("TOO_LARGE", format!("larger than the limit of {limit} bytes")));
    }
    Ok(SourceFile::decode("standard input", bytes)?)
}

/// A path relative to the shell's directory, for an operation that takes paths relative to a root.
pub(crate) fn from_here(path: &str) -> Result<String, Complaint> {
    let not_unicode = |path: OsString| format!("{}: the path is not Unicode", in_a_line(&path.to_string_lossy()));
    let path = absolute(path)?.into_os_string().into_string();
    path.map_err(|path| Complaint::new("BAD_ARGUMENT", not_unicode(path)))
}

pub(crate) fn absolute(path: &str) -> Result<PathBuf, Complaint> {
    std::path::absolute(path).map_err(|error| Complaint::at(path, error))
}

/// A path in a line of a message: characters that a terminal acts on are escaped.
pub(crate) fn shown(path: &Path) -> String {
    in_a_line(&path.to_string_lossy()).into_owned()
}

/// Prints a text and a final newline.
pub(crate) fn print(text: &str) {
    let mut out = io::stdout().lock();
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    written(write!(out, "{text}{newline}").and_then(|()| out.flush()));
}

/// Prints one JSON document.
pub(crate) fn print_json(value: &serde_json::Value) {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let printed = serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from);
    written(printed.and_then(|()| writeln!(out)).and_then(|()| out.flush()));
}

/// Checks a write to standard output. A reader that has gone away is no error; any other failure ends the command,
/// whose output would be cut.
pub(crate) fn written(result: io::Result<()>) {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "lispwright: standard output: {error}");
            std::process::exit(OUTPUT_FAILED)
        }
        _ => {}
    }
}
