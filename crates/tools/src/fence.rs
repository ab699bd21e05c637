//! Texts cut to size.

/// The first `limit` scalar values of `text`, and how many are left.
pub(crate) fn head(text: &str, limit: usize) -> (&str, usize) {
    match text.char_indices().nth(limit) {
        None => (text, 0),
        Some((at, _)) => (&text[..at], text[at..].chars().count()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_counts_what_is_left() {
        assert_eq!(head("λλλ", 2), ("λλ", 1));
        assert_eq!(head("λλ", 2), ("λλ", 0));
    }
}
