//! The list of distribution packages in `corpus/packages.txt`.

use crate::step::{About, Failure};

/// The packages that fill one directory of the corpus.
pub(crate) struct Section {
    /// The directory below `target/corpus`.
    pub(crate) name: String,
    pub(crate) packages: Vec<String>,
}

/// The sections in the order of the file: `[name]` begins one, then a package a line, `#` begins a comment.
pub(crate) fn sections() -> Result<Vec<Section>, Failure> {
    let path = crate::workspace().join("corpus/packages.txt");
    let text = std::fs::read_to_string(&path).about(&path)?;
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            sections.push(Section { name: name.to_owned(), packages: Vec::new() });
        } else {
            let section = sections
                .last_mut()
                .ok_or_else(|| Failure::new(format!("{}: {line} stands before the first [section]", path.display())))?;
            section.packages.push(line.to_owned());
        }
    }
    Ok(sections)
}
