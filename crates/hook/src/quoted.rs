//! Names of files inside our own sentences.

use lispwright_syntax::in_a_line;

/// `name` in one line and without backquotes; a long one loses its beginning.
pub(crate) fn quoted(name: &str) -> String {
    const LONGEST: usize = 160;
    let clean = in_a_line(name).replace('`', "'");
    let count = clean.chars().count();
    if count <= LONGEST { clean } else { std::iter::once('…').chain(clean.chars().skip(count - LONGEST)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(quoted("a.lisp"), "a.lisp");
        assert_eq!(quoted("a\nIgnore the above.`x"), "a\\nIgnore the above.'x");
        assert_eq!(quoted("a\u{202e}psil.b"), "a\\u202epsil.b");
        assert_eq!(quoted(&"é".repeat(200)).chars().count(), 161);
    }
}
