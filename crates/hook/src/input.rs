//! A hook's input as JSON.
//!
//! Clients are written in JavaScript, whose strings can contain half of a surrogate pair, for instance from a model's
//! output that was cut inside an emoji. In JSON such a half is an escape without a character (RFC 8259, section 8.2),
//! and in a file it becomes U+FFFD. So it is read as U+FFFD here: the judged text is the one that the file would have.

use serde_json::{Map, Value};

/// The JSON object of a hook's input; `None` for any other input.
pub(crate) fn parse(input: &str) -> Option<Map<String, Value>> {
    let parsed = serde_json::from_str(input).or_else(|error| match without_half_pairs(input) {
        Some(mended) => serde_json::from_str(&mended),
        None => Err(error),
    });
    match parsed {
        Ok(Value::Object(document)) => Some(document),
        _ => None,
    }
}

/// `input` with `\ufffd` for every escaped surrogate that has no partner; `None` when there is none.
fn without_half_pairs(input: &str) -> Option<String> {
    let mut mended = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = input[at..].find('\\') {
        at += found;
        match (surrogate(input, at), surrogate(input, at + 6)) {
            (Some(Half::High), Some(Half::Low)) => at += 12,
            (Some(_), _) => {
                mended.push_str(&input[copied..at]);
                mended.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            // The escaped character may be a backslash itself.
            (None, _) => at = (at + 2..input.len()).find(|&next| input.is_char_boundary(next)).unwrap_or(input.len()),
        }
    }
    (copied > 0).then(|| mended + &input[copied..])
}

/// A half of a surrogate pair.
enum Half {
    High,
    Low,
}

/// The surrogate whose escape begins at byte `at`.
fn surrogate(input: &str, at: usize) -> Option<Half> {
    let digits = input.get(at..at + 6)?.strip_prefix("\\u")?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: Option<&str>) {
        let found = parse(&format!("{{\"a\":\"{text}\"}}"));
        assert_eq!(found.as_ref().map(|document| document["a"].as_str().expect("a text")), wanted, "{text}");
    }

    #[test]
    fn half_a_pair_is_read_as_the_file_would_have_it() {
        check(r"(a \ud83d\ude00)", Some("(a \u{1f600})"));
        check(r"(a \ud83d", Some("(a \u{fffd}"));
        check(r"\ude00\ud83d)", Some("\u{fffd}\u{fffd})"));
        check(r"\uD83D\uD83D\uDE00\uDE00", Some("\u{fffd}\u{1f600}\u{fffd}"));
        check(r"é\\ud83d \ud83d \\\ud83d\\é", Some("é\\ud83d \u{fffd} \\\u{fffd}\\é"));
    }

    #[test]
    fn other_faults_stay_faults() {
        for text in [r"\ud83d \x", r"\u+83d", r"\ud83", r"\", r"\é\ud83d"] {
            check(text, None);
        }
        for input in ["", "[]", "\\", "\\é", "\\ud83d", "{\"a\":\"\\ud83d"] {
            assert_eq!(parse(input), None, "{input}");
        }
    }
}
