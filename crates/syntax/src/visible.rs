//! Characters that nobody sees, or that change how others are seen: terminal controls, marks of direction, separators that
//! look like nothing. Shown as they are, they make a text look like another one, or act on the terminal of its reader.

use std::borrow::Cow;

/// How `character` is written where it must not stand itself: `\r`, `\x1b`, `\u202e`, `\u{e0001}`. Nothing for one that is
/// what it looks like, as line ends and tabs are.
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

/// `text` with such characters written so.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|character| escaped(character).is_none()) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|character| escaped(character).unwrap_or_else(|| character.into()));
    Cow::Owned(shown.collect())
}

/// `name` in one line: as [`visible`], and line ends and tabs are written out, too. For what others have named and a line of
/// an answer speaks of.
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
    fn what_nobody_sees_is_written_out() {
        assert_eq!(visible("a\u{1b}[31mb\u{7f}\u{85}\r\n\tc"), "a\\x1b[31mb\\x7f\\x85\\r\n\tc");
        assert_eq!(visible("a\u{202e}b\u{200b}\u{2028}\u{feff}\u{e0041}"), "a\\u202eb\\u200b\\u2028\\ufeff\\u{e0041}");
    }

    #[test]
    fn a_name_stays_in_its_line() {
        assert_eq!(in_a_line("a\n[note] b\u{2028}c\td"), "a\\n[note] b\\u2028c\\td");
        assert!(matches!(in_a_line("a b"), Cow::Borrowed("a b")));
    }

    #[test]
    fn what_is_seen_stays() {
        for text in ["", "λx.é 漢字", "👩\u{200d}🔬", "\"\\x1b\""] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text), "{text:?}");
        }
    }
}
