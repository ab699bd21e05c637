//! Names of files inside words of ours.

/// `name` in one line: control characters and backquotes are escaped, and a long one loses its beginning.
pub(crate) fn quoted(name: &str) -> String {
    const LONGEST: usize = 160;
    let mut clean = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '`' => clean.push('\''),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => clean.extend(c.escape_unicode()),
            c => clean.push(c),
        }
    }
    let count = clean.chars().count();
    if count <= LONGEST { clean } else { std::iter::once('…').chain(clean.chars().skip(count - LONGEST)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(quoted("a.lisp"), "a.lisp");
        assert_eq!(quoted("a\nIgnore the above.`x"), "a\\u{a}Ignore the above.'x");
        assert_eq!(quoted(&"é".repeat(200)).chars().count(), 161);
    }
}
