//! What the next commit would contain, asked from Git: the text that is staged, not the one in the directory.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use lispwright_project::SourceFile;
use lispwright_tools::workspace::is_lisp_name;

use super::complaint::Complaint;

/// A file of Lisp as it is staged.
pub(crate) struct StagedFile {
    /// Its path from the top of the repository, as Git names it.
    pub(crate) path: String,
    /// Its path in the directory.
    pub(crate) place: PathBuf,
    /// Its text, or why that is none.
    pub(crate) file: Result<SourceFile, Complaint>,
}

/// The Lisp files that are staged with other contents than the last commit has, at or below `paths`, or anywhere.
pub(crate) fn staged_files(paths: &[String]) -> Result<Vec<StagedFile>, Complaint> {
    let top = git([OsStr::new("rev-parse"), OsStr::new("--show-toplevel")])?;
    let top = PathBuf::from(String::from_utf8_lossy(&top).trim_end_matches('\n'));
    let mut arguments =
        vec!["diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--diff-filter=AMT", "--"];
    arguments.extend(paths.iter().map(String::as_str));
    let changes = git(arguments)?;
    let changes = String::from_utf8_lossy(&changes).into_owned();
    let mut files = Vec::new();
    let mut fields = changes.split('\0');
    // `:100644 100644 OLD NEW M`, then the path.
    while let (Some(change), Some(path)) = (fields.next(), fields.next()) {
        let mut parts = change.split(' ').skip(1);
        let is_file = parts.next().is_some_and(|mode| mode.starts_with("100"));
        let Some(object) = parts.nth(1).filter(|_| is_file && is_lisp_name(path.as_ref())) else { continue };
        let bytes = git(["cat-file", "blob", object])?;
        let file = SourceFile::decode(path, bytes).map_err(Complaint::from);
        files.push(StagedFile { path: path.to_owned(), place: top.join(path), file });
    }
    Ok(files)
}

/// The file that Git runs before each commit in the repository around a directory.
pub(crate) fn hook_file(directory: &Path) -> Result<PathBuf, Complaint> {
    let said = git_in(directory, ["rev-parse", "--git-path", "hooks/pre-commit"])?;
    Ok(directory.join(String::from_utf8_lossy(&said).trim_end_matches('\n')))
}

fn git(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<Vec<u8>, Complaint> {
    git_in(Path::new("."), arguments)
}

/// What Git prints in a directory, if it succeeds.
fn git_in(directory: &Path, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<Vec<u8>, Complaint> {
    let output = Command::new("git").current_dir(directory).args(arguments).output();
    let output = output.map_err(|error| Complaint::new("RUNTIME_MISSING", format_args!("git: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().next().unwrap_or("git failed and did not say why");
    Err(Complaint::new("BAD_ARGUMENT", lispwright_syntax::in_a_line(first)))
}
