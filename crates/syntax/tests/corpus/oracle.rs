//! The answers of a language's own reader, as the scripts in `corpus/oracles` print them.

use std::path::Path;

/// The answer of the language's own reader for one file.
pub(crate) struct Answer {
    /// The path of the file, relative to the corpus.
    pub(crate) file: String,
    /// Byte range of each top-level datum, up to the error if there is one.
    pub(crate) data: Vec<(u32, u32)>,
    /// The number of atoms in each datum, if the script counts them.
    pub(crate) leaves: Vec<Option<u32>>,
    /// The reader's error.
    pub(crate) error: Option<String>,
}

/// The answers for one section of the corpus.
pub(crate) struct Answers {
    pub(crate) files: Vec<Answer>,
}

impl Answers {
    pub(crate) fn load(path: &Path) -> Self {
        let text = std::fs::read_to_string(path)
            .unwrap_or_else(|error| panic!("no corpus: run `cargo xtask corpus` ({}: {error})", path.display()));
        let mut files: Vec<Answer> = Vec::new();
        for line in text.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            if word == "file" {
                files.push(Answer { file: rest.to_owned(), data: Vec::new(), leaves: Vec::new(), error: None });
                continue;
            }
            let current = files.last_mut().expect("a line about data follows the name of its file");
            match word {
                "datum" => {
                    let mut numbers = rest.split(' ').map(|number| number.parse().ok());
                    let mut bound = || numbers.next().flatten().expect("a datum has a start and an end");
                    current.data.push((bound(), bound()));
                    current.leaves.push(numbers.next().flatten());
                }
                "error" => current.error = Some(rest.to_owned()),
                other => panic!("{}: unknown line {other:?}", path.display()),
            }
        }
        Self { files }
    }
}
