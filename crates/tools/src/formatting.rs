//! Laying out files as their project does: what the project declares and shows is found around a file.

use std::path::{Path, PathBuf};

use lispwright_edit::{Edited, Source};
use lispwright_layout::{Layout, Lines, Style};
use lispwright_syntax::{Dialect, Language, read};

/// Bytes of the files beside a file that are read for what they declare and show.
const MOST_BYTES: usize = 512 * 1024;
/// Directories above a file in which settings are looked for.
const MOST_ABOVE: usize = 12;

/// Settings that say how forms are indented, with the dialect that they are written in.
const SETTINGS: [(&str, Dialect); 3] =
    [(".dir-locals.el", Dialect::EmacsLisp), (".cljfmt.edn", Dialect::Edn), ("cljfmt.edn", Dialect::Edn)];

/// What the project shows of the layout of the files of a directory in one language.
#[derive(Debug)]
pub struct Neighbourhood {
    layout: Layout,
    /// The files of the directory that it was learned from.
    shown: Vec<PathBuf>,
}

impl Neighbourhood {
    /// Looks at the settings in `directory`, which is absolute, and above it, at the macros of its files, and at where their
    /// lines begin. `text_of` gives the text of a file that may be read.
    pub fn of(directory: &Path, language: &Language, style: Style, text_of: impl Fn(&Path) -> Option<String>) -> Self {
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
        let mut shown = Vec::new();
        let mut texts = Vec::new();
        for path in beside(directory, language.dialect()) {
            let Some(text) = text_of(&path).filter(|text| text.len() <= left) else { continue };
            left -= text.len();
            let tree = read(&text, language);
            layout.declare(&tree, &text);
            texts.push((tree, text));
            shown.push(path);
        }
        for (tree, text) in &texts {
            layout.learn(tree, text, Layout::BESIDE, None);
        }
        Self { layout, shown }
    }

    /// The layout of the file `own`, which has this text now: what the other files show.
    pub fn layout_of(&self, own: &Path, text: &str, language: &Language) -> Layout {
        let mut layout = self.layout.clone();
        if self.shown.iter().any(|path| path == own) {
            layout.learn(&read(text, language), text, -Layout::BESIDE, None);
        }
        layout
    }
}

/// An edit with the lines that it wrote laid out as the file and its project do. Where that cannot be done, the edit as it is.
pub(crate) fn laid_out(edited: Edited, source: &Source<'_>, layout: &Layout) -> Edited {
    let Some(lines) = edited.lines.filter(|_| edited.changed) else { return edited };
    match layout.laid_out(&edited.text, source.tree.language(), &Lines::of(vec![lines])) {
        Ok(text) if text != edited.text => edited.laid_out(source, text),
        _ => edited,
    }
}

/// The files of a directory in a dialect, as their names say, in order.
fn beside(directory: &Path, dialect: Dialect) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let is_one = |path: &PathBuf| Dialect::detect(&path.to_string_lossy(), b"") == Some(dialect);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_one).collect();
    paths.sort();
    paths
}
