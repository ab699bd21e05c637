//! Names that callers give to sessions and checkpoints. They appear in lines of answers and in suggested calls, so they
//! are short and contain nothing that would have to be quoted there.

use crate::session_error::SessionError;

/// The most characters of a name.
pub(crate) const LONGEST: usize = 100;

/// Fails for a `name` of `what` that is empty, longer than [`LONGEST`], or contains quotes, backslashes, control
/// characters or characters that change the direction of text.
pub(crate) fn check(what: &'static str, name: &str) -> Result<(), SessionError> {
    let length = name.chars().count();
    if name.trim().is_empty() {
        Err(SessionError::BadName { what, why: "this one is blank".to_owned() })
    } else if length > LONGEST {
        Err(SessionError::BadName { what, why: format!("this one has {length}") })
    } else if let Some(odd) = name.chars().find(|character| is_odd(*character)) {
        Err(SessionError::BadName { what, why: format!("this one has {odd:?} in it") })
    } else {
        Ok(())
    }
}

fn is_odd(character: char) -> bool {
    character.is_control()
        || matches!(character, '"' | '\\' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_fits_into_a_line() {
        for good in ["main", "before the change", "ü λ 日本", "../x", "[ERROR]", "it's", &"x".repeat(LONGEST)] {
            assert_eq!(check("session", good), Ok(()), "{good}");
        }
        for bad in ["", " ", "a\0b", "a\nb", "a\u{85}b", "\"q\"", "a\\b", "\u{202e}abc", &"x".repeat(LONGEST + 1)] {
            assert!(check("session", bad).is_err(), "{bad:?}");
        }
    }
}
