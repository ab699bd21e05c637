//! Quotes source and other foreign texts in our messages: fenced, so that they cannot be mistaken for our words, and
//! shortened.

/// `source` between two lines of backquotes that are longer than any run of backquotes inside.
pub fn fenced(source: &str) -> String {
    let longest = source.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let newline = if source.ends_with('\n') { "" } else { "\n" };
    format!("{fence}\n{source}{newline}{fence}")
}

/// The first `limit` scalar values of `text`, and the number of the others.
pub fn head(text: &str, limit: usize) -> (&str, usize) {
    match text.char_indices().nth(limit) {
        None => (text, 0),
        Some((at, _)) => (&text[..at], text[at..].chars().count()),
    }
}

/// `line`; if it is longer than `width` scalar values, that many of them around scalar value number `middle`, from 0.
pub fn around(line: &str, middle: usize, width: usize) -> String {
    let count = line.chars().count();
    if count <= width {
        return line.to_owned();
    }
    let start = middle.saturating_sub(width * 2 / 3).min(count - width);
    let part: String = line.chars().skip(start).take(width).collect();
    let (front, back) = (if start > 0 { "…" } else { "" }, if start + width < count { "…" } else { "" });
    format!("{front}{part}{back}")
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
    fn a_head_counts_the_rest() {
        assert_eq!(head("λλλ", 2), ("λλ", 1));
        assert_eq!(head("λλ", 2), ("λλ", 0));
    }

    #[test]
    fn a_long_line_is_cut_around_its_middle() {
        assert_eq!(around("λbcdef", 5, 6), "λbcdef");
        assert_eq!(around("λbcdef", 0, 3), "λbc…");
        assert_eq!(around("λbcdef", 3, 3), "…bcd…");
        assert_eq!(around("λbcdef", 9, 3), "…def");
    }
}
