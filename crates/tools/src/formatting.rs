//! Laying out files as their project does: what the project declares is found around a file, its habits in the file.

use std::path::{Path, PathBuf};

use lispwright_layout::{Layout, Style};
use lispwright_syntax::{Dialect, Language, read};

/// Bytes of other files that are read for what they declare.
const MOST_BYTES: usize = 2 * 1024 * 1024;
/// Directories above a file in which settings are looked for.
const MOST_ABOVE: usize = 12;

/// Settings that say how forms are indented, with the dialect that they are written in.
const SETTINGS: [(&str, Dialect); 3] =
    [(".dir-locals.el", Dialect::EmacsLisp), (".cljfmt.edn", Dialect::Edn), ("cljfmt.edn", Dialect::Edn)];

/// What the project of the files in `directory`, which is absolute, declares about the layout of files in `language`:
/// its settings above the directory, and the macros of the files beside. `text_of` gives the text of a file that may be
/// read.
pub fn layout_in(
    directory: &Path,
    language: &Language,
    style: Style,
    text_of: impl Fn(&Path) -> Option<String>,
) -> Layout {
    let mut layout = Layout::new(style);
    for above in directory.ancestors().take(MOST_ABOVE) {
        for (name, dialect) in SETTINGS {
            let path = above.join(name);
            if let Some(text) = path.is_file().then(|| text_of(&path)).flatten() {
                layout.set(&read(&text, dialect), &text);
            }
        }
        if above.join(".git").exists() {
            break;
        }
    }
    let mut left = MOST_BYTES;
    for path in beside(directory, language.dialect()) {
        let Some(text) = text_of(&path).filter(|text| text.len() <= left) else { continue };
        left -= text.len();
        layout.declare(&read(&text, language), &text);
    }
    layout
}

/// The files of a directory in a dialect, as their names say, in order.
fn beside(directory: &Path, dialect: Dialect) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let is_one = |path: &PathBuf| Dialect::detect(&path.to_string_lossy(), b"") == Some(dialect);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_one).collect();
    paths.sort();
    paths
}
