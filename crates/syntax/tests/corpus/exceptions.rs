//! The list of known differences, `corpus/exceptions.txt`: `KIND FILE REASON...`, one a line.

use std::collections::HashSet;
use std::path::Path;

use crate::Kind;

pub(crate) struct Exceptions {
    listed: Vec<(String, Kind)>,
    index: HashSet<(String, Kind)>,
}

impl Exceptions {
    pub(crate) fn load() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/exceptions.txt");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut listed = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let mut words = line.splitn(3, ' ');
            let (kind, file, reason) = (words.next(), words.next(), words.next());
            let kind = match kind {
                Some("diagnostic") => Kind::Diagnostic,
                Some("data") => Kind::Data,
                Some("atoms") => Kind::Atoms,
                _ => panic!("{}: {line:?} begins with none of diagnostic, data, atoms", path.display()),
            };
            assert!(reason.is_some_and(|reason| reason.len() > 10), "{}: no reason in {line:?}", path.display());
            listed.push((file.expect("a reason follows the file").to_owned(), kind));
        }
        let index = listed.iter().cloned().collect();
        Self { listed, index }
    }

    pub(crate) fn cover(&self, file: &str, kind: Kind) -> bool {
        self.index.contains(&(file.to_owned(), kind))
    }

    /// The exceptions for files of a section that are present and read without that difference. Files that this
    /// distribution does not have are ignored.
    pub(crate) fn unneeded(
        &self,
        section: &str,
        present: &[&str],
        differs: impl Fn(&str, Kind) -> bool,
    ) -> Vec<String> {
        self.listed
            .iter()
            .filter(|(file, kind)| {
                file.split('/').next() == Some(section) && present.contains(&file.as_str()) && !differs(file, *kind)
            })
            .map(|(file, kind)| format!("{file} ({kind:?})"))
            .collect()
    }
}
