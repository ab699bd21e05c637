//! Spellings: one form for names that differ in case and separators, and the nearest name to a misspelled one.

/// A name in lower case with underscores: `form-types`, `formTypes` and `form.types` are `form_types`.
pub fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut after_small = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            if after_small {
                snake.push('_');
            }
            snake.push(c.to_ascii_lowercase());
        } else if c.is_ascii_alphanumeric() {
            snake.push(c);
        } else {
            snake.push('_');
        }
        after_small = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    snake
}

/// The candidate that a misspelled word most resembles, if one is close: within a third of the word's length in edits
/// (insert, delete, replace, swap neighbours), or containing it or contained in it from four characters on.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = snake_case(word);
    // A word longer than any name resembles none; the distance table stays small.
    if word.len() > 100 {
        return None;
    }
    let reach = (word.len() / 3).max(1);
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let folded = snake_case(candidate);
            let edits = distance(&word, &folded);
            let short = word.len().min(folded.len());
            let nested = short >= 4 && (folded.contains(&word) || word.contains(&folded));
            (edits <= reach || nested).then_some((edits, candidate))
        })
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Edits between two words: insertions, deletions, replacements and swaps of neighbours count one each.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = last;
        last = row;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_near() {
        let names = ["lisp_read_file", "lisp_read_form", "repl_eval"];
        assert_eq!(nearest("lisp-read-fil", names), Some("lisp_read_file"));
        assert_eq!(nearest("eval", names), Some("repl_eval"));
        assert_eq!(nearest("lisp_raed_form", names), Some("lisp_read_form"));
        assert_eq!(nearest("fetch_url", names), None);
        assert_eq!(nearest(&"x".repeat(100_000), names), None);
    }

    #[test]
    fn spellings_fold_into_one() {
        for name in ["form_types", "form-types", "formTypes", "form.types", "FORM TYPES"] {
            assert_eq!(snake_case(name), "form_types");
        }
        assert_eq!(snake_case(""), "");
    }
}
