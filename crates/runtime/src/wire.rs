//! The protocol on the pipe to a worker: length-framed lists of keywords, integers, strings and lists.
//!
//! A frame is six lower-case hexadecimal digits, the number of bytes that follow, and that many bytes of UTF-8, as in
//! Swank. The payload is the small part of Lisp's syntax that every Lisp can read and print alike. Bytes that are not
//! UTF-8 are read as U+FFFD, so that a strange string in an image cannot end the conversation.

use std::fmt::Write as _;

use lispwright_syntax::MAX_DEPTH;
use memchr::memchr2;

/// The longest payload that a frame can announce, in bytes.
pub const MAX_PAYLOAD: usize = 0xff_ffff;

/// The number of bytes before the payload.
pub const HEADER: usize = 6;

/// A byte that occurs in no frame: an incomplete frame before it is discarded.
pub const VOID: u8 = 0xff;

/// One datum on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A list; the empty one also stands for `NIL`, false and "not there".
    List(Vec<Value>),
    /// A string of Unicode scalar values.
    Text(String),
    /// An integer.
    Integer(i64),
    /// A keyword, without its colon, as the image spells it (upper case in Common Lisp).
    Keyword(String),
    /// Any other symbol; `T` is the only one that an agent sends.
    Symbol(String),
}

/// The reason why a payload is not a datum of the wire.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The text ends inside a list or a string.
    #[error("the message ends in the middle of a value")]
    Truncated,
    /// A closing parenthesis, a second datum, or syntax that the wire does not have.
    #[error("unexpected text at byte {0}")]
    Unexpected(u32),
    /// Lists nested more deeply than the reader follows.
    #[error("the message is nested too deeply")]
    TooDeep,
    /// A frame header that is not six hexadecimal digits.
    #[error("a frame does not start with its length")]
    Header,
}

impl Value {
    /// A keyword.
    pub fn keyword(name: &str) -> Self {
        Self::Keyword(name.to_owned())
    }

    /// A string.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// `T` or `NIL`.
    pub fn truth(truth: bool) -> Self {
        if truth { Self::Symbol("T".to_owned()) } else { Self::List(Vec::new()) }
    }

    /// The integer, or `NIL`.
    pub fn optional(number: Option<i64>) -> Self {
        number.map_or(Self::List(Vec::new()), Self::Integer)
    }

    /// The text, or `NIL`.
    pub(crate) fn optional_text(text: Option<&str>) -> Self {
        text.map_or(Self::List(Vec::new()), Self::text)
    }

    /// A count; one beyond what the wire carries is its largest number.
    pub(crate) fn count(number: impl Into<u64>) -> Self {
        Self::Integer(i64::try_from(number.into()).unwrap_or(i64::MAX))
    }

    /// The elements, when this is a list.
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    /// The string, when this is one.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The integer, when this is one.
    pub fn as_integer(&self) -> Option<i64> {
        if let Self::Integer(number) = self { Some(*number) } else { None }
    }

    /// The keyword's name, when this is one.
    pub fn as_keyword(&self) -> Option<&str> {
        if let Self::Keyword(name) = self { Some(name) } else { None }
    }

    /// Neither `NIL` nor the empty list.
    pub fn is_true(&self) -> bool {
        !matches!(self, Self::List(items) if items.is_empty())
    }

    /// The value after the keyword `name` in a list of keywords and values, which may begin with one keyword of its
    /// own.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let items = self.as_list()?;
        let items = if items.len() % 2 == 1 { &items[1..] } else { items };
        items.chunks_exact(2).find(|pair| pair[0].as_keyword() == Some(name)).map(|pair| &pair[1])
    }

    /// The string after the keyword `name`.
    pub fn get_text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()
    }

    /// Puts `text` after the keyword `name`, at the front of the list.
    pub(crate) fn set_text(&mut self, name: &str, text: String) {
        if let Self::List(items) = self {
            let start = items.len() % 2;
            items.splice(start..start, [Self::keyword(name), Self::text(text)]);
        }
    }

    /// The elements of the list after the keyword `name`; empty when it is missing.
    pub fn get_list(&self, name: &str) -> &[Self] {
        self.get(name).and_then(Self::as_list).unwrap_or_default()
    }

    /// The integer after the keyword `name`.
    pub fn get_integer(&self, name: &str) -> Option<i64> {
        self.get(name)?.as_integer()
    }

    /// Whether something other than `NIL` follows the keyword `name`.
    pub fn get_truth(&self, name: &str) -> bool {
        self.get(name).is_some_and(Self::is_true)
    }

    /// The first two elements as strings; other elements become empty strings.
    pub(crate) fn text_pair(&self) -> (String, String) {
        let text = |index: usize| {
            self.as_list().and_then(|items| items.get(index)).and_then(Self::as_text).unwrap_or_default().to_owned()
        };
        (text(0), text(1))
    }

    /// The payload as text.
    pub fn encode(&self) -> String {
        let mut out = String::new();
        let mut open: Vec<std::slice::Iter<'_, Self>> = Vec::new();
        let mut next = Some(self);
        loop {
            match next {
                Some(Self::List(items)) if items.is_empty() => out.push_str("NIL"),
                Some(Self::List(items)) => {
                    out.push('(');
                    let mut rest = items.iter();
                    next = rest.next();
                    open.push(rest);
                    continue;
                }
                Some(Self::Text(text)) => {
                    out.push('"');
                    for character in text.chars() {
                        if matches!(character, '"' | '\\') {
                            out.push('\\');
                        }
                        out.push(character);
                    }
                    out.push('"');
                }
                Some(Self::Integer(number)) => write!(out, "{number}").expect("writing to a string cannot fail"),
                Some(Self::Keyword(name)) => write!(out, ":{name}").expect("writing to a string cannot fail"),
                Some(Self::Symbol(name)) => out.push_str(name),
                None => out.push(')'),
            }
            if next.is_none() {
                open.pop();
            }
            let Some(rest) = open.last_mut() else { return out };
            next = rest.next();
            if next.is_some() {
                out.push(' ');
            }
        }
    }

    /// Reads one datum; blanks may surround it.
    pub fn decode(payload: &[u8]) -> Result<Self, WireError> {
        let text = String::from_utf8_lossy(payload);
        let mut open: Vec<Vec<Self>> = Vec::new();
        let mut at = 0;
        while let Some(byte) = text.as_bytes().get(at) {
            let start = at;
            at += 1;
            let value = match byte {
                b' ' | b'\t' | b'\n' | b'\r' => continue,
                b'(' if open.len() == MAX_DEPTH as usize => return Err(WireError::TooDeep),
                b'(' => {
                    open.push(Vec::new());
                    continue;
                }
                b')' => Self::List(open.pop().ok_or_else(|| unexpected(start))?),
                b'"' => {
                    let (string, length) = string(&text[at..])?;
                    at += length;
                    Self::Text(string)
                }
                _ => {
                    let word = &text[start..];
                    let word = &word[..word.find([' ', '\t', '\n', '\r', '(', ')', '"']).unwrap_or(word.len())];
                    if word.contains(['#', '\'', '`', ',', ';', '|', '\\']) {
                        return Err(unexpected(start));
                    }
                    at = start + word.len();
                    atom(word)
                }
            };
            match open.last_mut() {
                Some(list) => list.push(value),
                None if text[at..].trim().is_empty() => return Ok(value),
                None => return Err(unexpected(text.len() - text[at..].trim_start().len())),
            }
        }
        Err(WireError::Truncated)
    }

    /// The frame that carries this value.
    pub fn frame(&self) -> Vec<u8> {
        let payload = self.encode();
        let mut frame = format!("{:06x}", payload.len()).into_bytes();
        frame.extend_from_slice(payload.as_bytes());
        frame
    }
}

fn unexpected(at: usize) -> WireError {
    WireError::Unexpected(u32::try_from(at).unwrap_or(u32::MAX))
}

/// The string whose content `text` begins with, and its length in bytes with the final quotation mark.
fn string(text: &str) -> Result<(String, usize), WireError> {
    let mut string = String::new();
    let mut from = 0;
    loop {
        let mark = from + memchr2(b'"', b'\\', &text.as_bytes()[from..]).ok_or(WireError::Truncated)?;
        string.push_str(&text[from..mark]);
        if text.as_bytes()[mark] == b'"' {
            return Ok((string, mark + 1));
        }
        let escaped = text[mark + 1..].chars().next().ok_or(WireError::Truncated)?;
        string.push(escaped);
        from = mark + 1 + escaped.len_utf8();
    }
}

fn atom(text: &str) -> Value {
    if let Some(name) = text.strip_prefix(':') {
        Value::Keyword(name.to_owned())
    } else if text.eq_ignore_ascii_case("nil") {
        Value::List(Vec::new())
    } else {
        text.parse().map_or_else(|_| Value::Symbol(text.to_owned()), Value::Integer)
    }
}

/// The length that a frame header announces, in bytes.
pub fn payload_length(header: &[u8; HEADER]) -> Result<usize, WireError> {
    std::str::from_utf8(header).ok().and_then(|digits| usize::from_str_radix(digits, 16).ok()).ok_or(WireError::Header)
}

/// The length of a header, if `bytes`, fewer than that, can be the beginning of one, or some of them are void.
pub(crate) fn header_start(bytes: &[u8]) -> Result<usize, WireError> {
    if bytes.contains(&VOID) || bytes.iter().all(u8::is_ascii_hexdigit) { Ok(HEADER) } else { Err(WireError::Header) }
}

/// Keywords and values, one after the other.
pub(crate) fn keyed<const N: usize>(pairs: [(&str, Value); N]) -> Vec<Value> {
    pairs.into_iter().flat_map(|(key, value)| [Value::keyword(key), value]).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn check(text: &str) {
        assert_eq!(Value::decode(text.as_bytes()).unwrap().encode(), text);
    }

    #[test]
    fn encoding_is_the_inverse_of_decoding() {
        check("NIL");
        check("T");
        check("-12");
        check(r#"(:DONE :ID 7 :VALUES (("a \"b\" \\ λ 𝄞" NIL) NIL T))"#);
        check("(((:A)))");
    }

    #[test]
    fn keywords_find_their_values_with_and_without_a_head() {
        let with = Value::decode(b"(:DONE :ID 7 :PACKAGE \"P\")").unwrap();
        assert_eq!(with.get_integer("ID"), Some(7));
        assert_eq!(with.get_text("PACKAGE"), Some("P"));
        let without = Value::decode(b"(:ID 7 :FLAG T)").unwrap();
        assert!(without.get_truth("FLAG") && !without.get_truth("OTHER"));
    }

    #[test]
    fn broken_payloads_are_errors() {
        assert_eq!(Value::decode(b"(1 2"), Err(WireError::Truncated));
        assert_eq!(Value::decode(b"\"a"), Err(WireError::Truncated));
        assert_eq!(Value::decode(b""), Err(WireError::Truncated));
        assert_eq!(Value::decode(b"\"a\\\""), Err(WireError::Truncated));
        assert_eq!(Value::decode(b"\"a\\"), Err(WireError::Truncated));
        assert_eq!(Value::decode(b"1)"), Err(WireError::Unexpected(1)));
        assert_eq!(Value::decode(b"("), Err(WireError::Truncated));
        assert_eq!(Value::decode(b"(a #.b)"), Err(WireError::Unexpected(3)));
        assert_eq!(Value::decode(b" ) "), Err(WireError::Unexpected(1)));
        assert_eq!(Value::decode(b"1 2"), Err(WireError::Unexpected(2)));
        assert_eq!(payload_length(b"00zz00"), Err(WireError::Header));
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(Value::decode(nested(1_000).as_bytes()).unwrap().encode(), nested(1_000));
        assert_eq!(Value::decode(nested(100_000).as_bytes()), Err(WireError::TooDeep));
        assert_eq!(Value::decode("(".repeat(100_000).as_bytes()), Err(WireError::TooDeep));
    }

    #[test]
    fn bytes_that_are_not_utf8_become_replacement_characters() {
        assert_eq!(Value::decode(b"\"a\xED\xA0\x80b\"").unwrap().as_text().unwrap().replace('\u{FFFD}', ""), "ab");
    }
}
