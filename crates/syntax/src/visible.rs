//! Escapes characters that are invisible or change the display of others: terminal controls, direction marks, invisible
//! separators. Printed as they are, they make a text look like another one, or act on the reader's terminal.

use std::borrow::Cow;

/// The escape for a character that must not be printed itself: `\r`, `\x1b`, `\u202e`, `\u{e0001}`. `None` for all
/// other characters, among them `\n` and tab.
pub fn escaped(character: char) -> Option<String> {
    let code = u32::from(character);
    match character {
        '\n' | '\t' => None,
        '\r' => Some("\\r".to_owned()),
        _ if character.is_control() => Some(format!("\\x{code:02x}")),
        '\u{ad}' => Some("\\xad".to_owned()),
        '\u{61c}'
        | '\u{200b}'
        | '\u{200e}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' => Some(format!("\\u{code:04x}")),
        '\u{e0000}'..='\u{e007f}' => Some(format!("\\u{{{code:x}}}")),
        _ => None,
    }
}

/// `text` with such characters escaped.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|character| escaped(character).is_none()) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|character| escaped(character).unwrap_or_else(|| character.into()));
    Cow::Owned(shown.collect())
}

/// `name` in one line: like [`visible`], but line ends and tabs are escaped, too. For names chosen by others that are
/// in a line of an answer.
pub fn in_a_line(name: &str) -> Cow<'_, str> {
    match visible(name) {
        name if name.contains(['\n', '\t']) => name.replace('\n', "\\n").replace('\t', "\\t").into(),
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_escaped() {
        assert_eq!(visible("a\u{1b}[31mb\u{7f}\u{85}\r\n\tc"), "a\\x1b[31mb\\x7f\\x85\\r\n\tc");
        assert_eq!(visible("a\u{202e}b\u{200b}\u{2028}\u{feff}\u{e0041}"), "a\\u202eb\\u200b\\u2028\\ufeff\\u{e0041}");
    }

    #[test]
    fn a_name_is_in_one_line() {
        assert_eq!(in_a_line("a\n[note] b\u{2028}c\td"), "a\\n[note] b\\u2028c\\td");
        assert!(matches!(in_a_line("a b"), Cow::Borrowed("a b")));
    }

    #[test]
    fn visible_characters_are_not_escaped() {
        for text in ["", "λx.é 漢字", "👩\u{200d}🔬", "\"\\x1b\""] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text), "{text:?}");
        }
    }
}
