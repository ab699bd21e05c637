//! Restores invisible characters. They are shown as escapes (`\x1b`), and source that is copied from a view has the
//! escapes. They become the characters of the form again, so that the text of a view can be sent back.

use std::borrow::Cow;

use lispwright_syntax::escaped;

/// `text` with the invisible characters of `form` in place of their escapes, unless the form itself has such an escape.
pub(crate) fn unescape<'a>(text: &'a str, form: &str) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(text);
    if !text.contains('\\') {
        return text;
    }
    let mut known = Vec::new();
    for (at, character) in form.char_indices() {
        let ends_line = character == '\r' && form[at + 1..].starts_with('\n');
        let Some(escape) = escaped(character).filter(|_| !ends_line && !known.contains(&character)) else { continue };
        known.push(character);
        if text.contains(&escape) && !form.contains(&escape) {
            text = Cow::Owned(text.replace(&escape, character.encode_utf8(&mut [0; 4])));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_is_the_character_that_the_form_has() {
        assert_eq!(unescape("(f \"\\x1b[0m\" \\r)", "(f \"\u{1b}[1m\")\r\n"), "(f \"\u{1b}[0m\" \\r)");
        assert_eq!(unescape("a\\u202eb", "x\u{202e}y"), "a\u{202e}b");
        for form in ["(f \"\u{1b}\" \"\\x1b\")", "(f)"] {
            assert!(matches!(unescape("\"\\x1b\"", form), Cow::Borrowed(_)), "{form:?}");
        }
    }
}
