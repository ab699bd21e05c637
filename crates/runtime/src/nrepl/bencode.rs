//! Bencode, the notation of nREPL: integers, byte strings, lists and dictionaries, each with its own end.
//!
//! [`Decoder`] takes bytes as they arrive and returns values as they become complete; no byte is read twice. Depth,
//! number and length of the values that a server can send are limited.

use crate::remote::connection::Decode;

/// The deepest nesting of lists and dictionaries.
const DEEPEST: usize = 64;

/// The most bytes of one value.
const LONGEST: usize = 32 << 20;

/// The most values inside one value.
const MOST: usize = 1 << 20;

/// The most digits of an integer or a length, with the sign.
const DIGITS: usize = 20;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bencode {
    /// A number.
    Integer(i64),
    /// A string; nREPL's are UTF-8.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Self>),
    /// Keys and values, in the order in which they came.
    Dictionary(Vec<(Vec<u8>, Self)>),
}

/// The reason why bytes are not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BencodeError {
    /// A byte that cannot occur here.
    #[error("byte {0:#04x} where a value should be")]
    Unexpected(u8),
    /// A number with too many digits, or none.
    #[error("a number that is none")]
    Number,
    /// A dictionary's key is not a string, or has no value.
    #[error("a dictionary without proper keys")]
    Key,
    /// Too deep, too many or too long.
    #[error("a message beyond all limits")]
    Limit,
}

impl Bencode {
    /// A string.
    pub(crate) fn text(text: impl AsRef<str>) -> Self {
        Self::Bytes(text.as_ref().as_bytes().to_vec())
    }

    /// A dictionary of these entries.
    pub(crate) fn dictionary<'a>(entries: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        Self::Dictionary(entries.into_iter().map(|(key, value)| (key.as_bytes().to_vec(), value)).collect())
    }

    /// The value of `key` in a dictionary.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Dictionary(entries) = self else { return None };
        entries.iter().find(|(name, _)| name == key.as_bytes()).map(|(_, value)| value)
    }

    /// The string, with U+FFFD for bytes that are not UTF-8.
    pub(crate) fn as_text(&self) -> Option<String> {
        if let Self::Bytes(bytes) = self { Some(String::from_utf8_lossy(bytes).into_owned()) } else { None }
    }

    /// The string at `key`.
    pub(crate) fn get_text(&self, key: &str) -> Option<String> {
        self.get(key)?.as_text()
    }

    /// The strings of the list at `key`; empty when there is no list.
    pub(crate) fn get_texts(&self, key: &str) -> Vec<String> {
        match self.get(key) {
            Some(Self::List(items)) => items.iter().filter_map(Self::as_text).collect(),
            _ => Vec::new(),
        }
    }

    /// The encoding of this value. Dictionaries are sorted by key, as Bencode requires.
    pub(crate) fn encode(&self) -> Vec<u8> {
        enum Step<'a> {
            Value(&'a Bencode),
            Key(&'a [u8]),
            End,
        }
        let mut out = Vec::new();
        let mut steps = vec![Step::Value(self)];
        let string = |out: &mut Vec<u8>, bytes: &[u8]| {
            out.extend_from_slice(format!("{}:", bytes.len()).as_bytes());
            out.extend_from_slice(bytes);
        };
        while let Some(step) = steps.pop() {
            match step {
                Step::Value(Self::Integer(number)) => out.extend_from_slice(format!("i{number}e").as_bytes()),
                Step::Value(Self::Bytes(bytes)) => string(&mut out, bytes),
                Step::Value(Self::List(items)) => {
                    out.push(b'l');
                    steps.push(Step::End);
                    steps.extend(items.iter().rev().map(Step::Value));
                }
                Step::Value(Self::Dictionary(entries)) => {
                    out.push(b'd');
                    steps.push(Step::End);
                    let mut sorted: Vec<&(Vec<u8>, Self)> = entries.iter().collect();
                    sorted.sort_by(|left, right| left.0.cmp(&right.0));
                    for (key, value) in sorted.into_iter().rev() {
                        steps.push(Step::Value(value));
                        steps.push(Step::Key(key));
                    }
                }
                Step::Key(key) => string(&mut out, key),
                Step::End => out.push(b'e'),
            }
        }
        out
    }
}

/// A list or dictionary that has begun.
enum Container {
    List(Vec<Bencode>),
    Dictionary(Vec<(Vec<u8>, Bencode)>, Option<Vec<u8>>),
}

/// Decodes bytes into values.
#[derive(Default)]
pub(crate) struct Decoder {
    /// Bytes that are not part of a value yet; those from `at` are unread.
    pub(crate) buffer: Vec<u8>,
    at: usize,
    /// The number of bytes of the current value that have left the buffer.
    taken: usize,
    open: Vec<Container>,
    count: usize,
}

impl Decode for Decoder {
    type Message = Bencode;

    const PROTOCOL: &'static str = "nREPL";

    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    fn next(&mut self) -> Result<Option<Bencode>, String> {
        Decoder::next(self).map_err(|error| error.to_string())
    }
}

impl Decoder {
    /// The next value, or `None` when more bytes are needed. After an error there are no more values.
    pub(crate) fn next(&mut self) -> Result<Option<Bencode>, BencodeError> {
        loop {
            if self.taken + self.at > LONGEST || self.count > MOST {
                return Err(BencodeError::Limit);
            }
            let Some(&first) = self.buffer.get(self.at) else { return Ok(self.wait()) };
            let value = match first {
                b'i' => match self.number(self.at + 1, b'e')? {
                    None => return Ok(self.wait()),
                    Some((number, end)) => {
                        self.at = end;
                        Bencode::Integer(number)
                    }
                },
                b'0'..=b'9' => match self.number(self.at, b':')? {
                    None => return Ok(self.wait()),
                    Some((length, start)) => {
                        let length = usize::try_from(length).map_err(|_| BencodeError::Number)?;
                        if length > LONGEST {
                            return Err(BencodeError::Limit);
                        }
                        let Some(bytes) = self.buffer.get(start..start + length) else { return Ok(self.wait()) };
                        let bytes = bytes.to_vec();
                        self.at = start + length;
                        Bencode::Bytes(bytes)
                    }
                },
                b'l' | b'd' => {
                    if self.open.len() == DEEPEST {
                        return Err(BencodeError::Limit);
                    }
                    self.open.push(if first == b'l' {
                        Container::List(Vec::new())
                    } else {
                        Container::Dictionary(Vec::new(), None)
                    });
                    self.at += 1;
                    continue;
                }
                b'e' => {
                    let value = match self.open.pop() {
                        None => return Err(BencodeError::Unexpected(b'e')),
                        Some(Container::Dictionary(_, Some(_))) => return Err(BencodeError::Key),
                        Some(Container::List(items)) => Bencode::List(items),
                        Some(Container::Dictionary(entries, None)) => Bencode::Dictionary(entries),
                    };
                    self.at += 1;
                    value
                }
                other => return Err(BencodeError::Unexpected(other)),
            };
            self.count += 1;
            match self.open.last_mut() {
                Some(Container::List(items)) => items.push(value),
                Some(Container::Dictionary(entries, key)) => match (key.take(), value) {
                    (Some(key), value) => entries.push((key, value)),
                    (None, Bencode::Bytes(name)) => *key = Some(name),
                    (None, _) => return Err(BencodeError::Key),
                },
                None => {
                    self.buffer.drain(..self.at);
                    (self.at, self.taken, self.count) = (0, 0, 0);
                    return Ok(Some(value));
                }
            }
        }
    }

    /// Removes the bytes that were read.
    fn wait(&mut self) -> Option<Bencode> {
        self.buffer.drain(..self.at);
        self.taken += self.at;
        self.at = 0;
        None
    }

    /// The number from `start` to `end`, and the position after it.
    fn number(&self, start: usize, end: u8) -> Result<Option<(i64, usize)>, BencodeError> {
        let rest = &self.buffer[start..];
        let window = &rest[..rest.len().min(DIGITS + 1)];
        let Some(length) = window.iter().position(|byte| *byte == end) else {
            let plausible =
                window.iter().enumerate().all(|(at, byte)| byte.is_ascii_digit() || at == 0 && *byte == b'-');
            return if plausible && window.len() <= DIGITS { Ok(None) } else { Err(BencodeError::Number) };
        };
        let digits = std::str::from_utf8(&rest[..length]).map_err(|_| BencodeError::Number)?;
        if digits.starts_with('+') {
            return Err(BencodeError::Number);
        }
        let number = digits.parse().map_err(|_| BencodeError::Number)?;
        Ok(Some((number, start + length + 1)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn decode(bytes: &[u8]) -> Result<Option<Bencode>, BencodeError> {
        Decoder { buffer: bytes.to_vec(), ..Decoder::default() }.next()
    }

    fn values() -> impl Strategy<Value = Bencode> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(Bencode::Integer),
            prop::collection::vec(any::<u8>(), 0..30).prop_map(Bencode::Bytes),
        ];
        leaf.prop_recursive(5, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Bencode::List),
                prop::collection::btree_map(prop::collection::vec(any::<u8>(), 0..8), inner, 0..6)
                    .prop_map(|entries| Bencode::Dictionary(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn decoding_is_the_inverse_of_encoding_wherever_the_bytes_are_split(
            sent in prop::collection::vec(values(), 1..4), sizes in prop::collection::vec(1_usize..9, 1..20),
        ) {
            let bytes: Vec<u8> = sent.iter().flat_map(Bencode::encode).collect();
            let mut decoder = Decoder::default();
            let mut came = Vec::new();
            let mut rest = bytes.as_slice();
            let mut sizes = sizes.iter().cycle();
            while !rest.is_empty() {
                let (now, later) = rest.split_at((*sizes.next().unwrap()).min(rest.len()));
                decoder.buffer.extend_from_slice(now);
                rest = later;
                while let Some(value) = decoder.next().unwrap() {
                    came.push(value);
                }
            }
            prop_assert_eq!(came, sent);
            prop_assert!(decoder.buffer.is_empty());
        }

        #[test]
        fn decoding_ends_for_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut decoder = Decoder { buffer: bytes, ..Decoder::default() };
            while let Ok(Some(_)) = decoder.next() {}
        }

        #[test]
        fn damage_is_an_error_or_another_value(value in values(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = value.encode();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let mut decoder = Decoder { buffer: bytes, ..Decoder::default() };
            while let Ok(Some(_)) = decoder.next() {}
        }
    }

    #[test]
    fn bytes_that_are_not_bencode_are_refused_at_once() {
        assert_eq!(decode(b"HTTP/1.1 400 Bad Request"), Err(BencodeError::Unexpected(b'H')));
        assert_eq!(decode(b"ie"), Err(BencodeError::Number));
        assert_eq!(decode(b"i1x"), Err(BencodeError::Number));
        assert_eq!(decode(b"di1ei2ee"), Err(BencodeError::Key));
        assert_eq!(decode(b"d1:ae"), Err(BencodeError::Key));
        assert_eq!(decode(b"e"), Err(BencodeError::Unexpected(b'e')));
        assert_eq!(decode(b"99999999999:"), Err(BencodeError::Limit));
        assert_eq!(decode(b"123456789012345678901234567890"), Err(BencodeError::Number));
        assert_eq!(decode(&[b'l'; 100]), Err(BencodeError::Limit));
        assert_eq!(decode(b"5:hel"), Ok(None));
    }
}
