//! Tables of words: a line each, which begins with the word, in the order of their bytes.

use std::cmp::Ordering;

/// A table of words, whose lines are sorted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordTable(pub(crate) &'static str);

impl WordTable {
    /// The words, in their order.
    pub(crate) fn words(self) -> impl Iterator<Item = &'static str> {
        self.0.lines().map(word)
    }

    /// The table has the word.
    pub(crate) fn contains(self, wanted: &str) -> bool {
        self.line(wanted).is_some()
    }

    /// The line that begins with the word.
    pub(crate) fn line(self, wanted: &str) -> Option<&'static str> {
        let mut rest = self.0;
        while !rest.is_empty() {
            let half = rest.as_bytes()[..rest.len() / 2].iter().rposition(|byte| *byte == b'\n');
            let middle = half.map_or(0, |end| end + 1);
            let line = rest[middle..].lines().next().unwrap_or_default();
            match word(line).cmp(wanted) {
                Ordering::Equal => return Some(line),
                Ordering::Less => rest = rest.get(middle + line.len() + 1..).unwrap_or_default(),
                Ordering::Greater => rest = &rest[..middle],
            }
        }
        None
    }
}

fn word(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::Dialect;

    use super::*;
    use crate::dialects::call_words;

    #[test]
    fn each_word_is_found() {
        let mut count = 0;
        for dialect in Dialect::ALL {
            let words = call_words(dialect);
            for table in
                [words.keywords, words.names.others, words.names.words, words.names.autoloads, words.names.features]
            {
                for known in table.words() {
                    count += 1;
                    assert_eq!(table.line(known).map(word), Some(known), "{}", dialect.name());
                }
                assert!(["", " ", "no-such-word", "~~~~"].iter().all(|absent| !table.contains(absent)));
            }
        }
        assert!(count > 4_000);
    }
}
