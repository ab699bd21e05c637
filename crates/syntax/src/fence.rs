//! Source and other texts inside words of ours: marked so that one cannot pass for the other, and cut to size.

/// `source` between two lines of backquotes that are longer than any run of backquotes inside.
pub fn fenced(source: &str) -> String {
    let longest = source.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let newline = if source.ends_with('\n') { "" } else { "\n" };
    format!("{fence}\n{source}{newline}{fence}")
}

/// The first `limit` scalar values of `text`, and how many are left.
pub fn head(text: &str, limit: usize) -> (&str, usize) {
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
