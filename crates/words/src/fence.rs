//! Source inside words of ours, marked so that one cannot pass for the other.

/// `source` between two lines of backquotes that are longer than any run of backquotes inside.
pub(crate) fn fenced(source: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for character in source.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    let newline = if source.ends_with('\n') { "" } else { "\n" };
    format!("{fence}\n{source}{newline}{fence}")
}

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
    fn a_fence_is_longer_than_what_is_inside() {
        assert_eq!(fenced("(a)"), "```\n(a)\n```");
        assert_eq!(fenced("x\n````\ny\n"), "`````\nx\n````\ny\n`````");
    }

    #[test]
    fn a_head_counts_what_is_left() {
        assert_eq!(head("λλλ", 2), ("λλ", 1));
        assert_eq!(head("λλ", 2), ("λλ", 0));
    }
}
