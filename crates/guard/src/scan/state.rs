//! The state of a scan as a string that the client sends with its next call.
//!
//! `g1.` and a body in base64url: the fields of the scanner, numbers as variable-length integers, and six bytes of
//! their SHA-256. The checksum detects damage and typing errors, not malice, so every field is also checked against its
//! range: a forged state gives `BAD_INPUT` or an ordinary scan, never a panic.

use lispwright_syntax::Dialect;

use super::head::Head;
use super::position::{Fault, Open, Position};
use super::scanner::Scanner;
use super::tail::Tail;
use crate::delimiters::DelimiterType;
use crate::failure::Failure;
use crate::hash;
use crate::limits::{MAX_COMMENT_NESTING, MAX_CURSOR, MAX_DEPTH, MAX_STATE};

/// The version, at the beginning of every state.
const PREFIX: &str = "g1.";

const SUM: usize = 6;

/// The content of a state: the scan, and the document hash if the client keeps one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) scanner: Scanner,
    pub(crate) doc_hash: Option<String>,
}

fn sum(body: &[u8]) -> [u8; 32] {
    hash::digest(&[b"lispwright-guard scan state 1\n", body])
}

impl State {
    pub(crate) fn encode(&self) -> String {
        let scanner = &self.scanner;
        let mut out = Writer(Vec::new());
        out.number(dialect_number(scanner.dialect));
        let settled = scanner.tail.is_empty();
        out.flags([
            scanner.fresh,
            scanner.head.bars,
            scanner.head.header.is_some(),
            scanner.head.header == Some(true),
            settled,
            scanner.first_fault.is_some(),
            self.doc_hash.is_some(),
            scanner.head.in_mark,
        ]);
        if scanner.dialect.table().marks.is_some() {
            out.number(scanner.head.seen as u64);
            out.text(&scanner.head.recent);
        }
        out.position(scanner.end);
        if !settled {
            out.number(scanner.tail.nesting.into());
            out.text(&scanner.tail.text);
            out.position(scanner.tail_at);
        }
        out.number(scanner.faults);
        if let Some(fault) = &scanner.first_fault {
            out.number(delimiter_number(fault.found));
            out.position(fault.at);
            match &fault.open {
                None => out.number(0),
                Some(open) => {
                    out.number(1);
                    out.open(open, &mut Position::beginning(0));
                }
            }
        }
        out.number(scanner.open.len() as u64);
        let mut last = Position::beginning(0);
        for open in &scanner.open {
            out.open(open, &mut last);
        }
        if let Some(doc_hash) = &self.doc_hash {
            out.0.extend_from_slice(&hash::unspell(doc_hash));
        }
        let sum = sum(&out.0);
        out.0.extend_from_slice(&sum[..SUM]);
        format!("{PREFIX}{}", base64(&out.0))
    }

    pub(crate) fn decode(text: &str) -> Result<Self, Failure> {
        Self::try_decode(text).ok_or_else(|| {
            Failure::input(
                "`state` is not one that a scan has given out, or it was changed on the way. Send the `state` of the \
                 last scan as it was, or leave it out to begin a new scan.",
            )
        })
    }

    fn try_decode(text: &str) -> Option<Self> {
        if text.len() > MAX_STATE {
            return None;
        }
        let bytes = from_base64(text.strip_prefix(PREFIX)?)?;
        let (body, sent_sum) = bytes.split_at_checked(bytes.len().checked_sub(SUM)?)?;
        if sum(body)[..SUM] != *sent_sum {
            return None;
        }
        let mut from = Reader(body);
        let dialect = *Dialect::ALL.get(from.number(Dialect::ALL.len() as u64 - 1)? as usize)?;
        let [fresh, bars, has_header, bang, settled, has_fault, has_hash, in_mark] = from.flags()?;
        let mut head = Head { bars, in_mark, header: has_header.then_some(bang), ..Head::default() };
        if let Some(marks) = dialect.table().marks {
            head.seen = from.number(MAX_CURSOR)? as usize;
            head.recent = from.text(64)?;
            if !Head::begins_mark(&head.recent, marks) {
                return None;
            }
        }
        let end = from.position()?;
        let (tail, tail_at) = if settled {
            (Tail::default(), end)
        } else {
            let nesting = from.number(MAX_COMMENT_NESTING.into())? as u32;
            let tail = Tail { nesting, text: from.text(Tail::MAX_TEXT)? };
            let tail_at = from.position()?;
            if tail.is_empty() || tail_at.offset > end.offset || tail_at.line > end.line {
                return None;
            }
            (tail, tail_at)
        };
        let faults = from.number(MAX_CURSOR)?;
        if has_fault != (faults > 0) {
            return None;
        }
        let mut first_fault = None;
        if has_fault {
            let found = *DelimiterType::ALL.get(from.number(2)? as usize)?;
            let at = from.position()?;
            let open = match from.number(1)? {
                0 => None,
                _ => Some(from.open(&mut Position::beginning(0))?),
            };
            first_fault = Some(Fault { found, at, open });
        }
        let depth = from.number(MAX_DEPTH as u64)?;
        let mut last = Position::beginning(0);
        let open = (0..depth).map(|_| from.open(&mut last)).collect::<Option<Vec<Open>>>()?;
        // No open delimiter comes after the token that is held back.
        if last.offset > tail_at.offset || last.line > tail_at.line {
            return None;
        }
        let doc_hash = if has_hash { Some(hash::spell(&from.bytes(32)?.try_into().ok()?)) } else { None };
        if !from.0.is_empty() {
            return None;
        }
        let scanner = Scanner { dialect, fresh, head, open, first_fault, faults, tail, tail_at, end };
        Some(Self { scanner, doc_hash })
    }
}

fn dialect_number(dialect: Dialect) -> u64 {
    Dialect::ALL.iter().position(|&known| known == dialect).unwrap_or(0) as u64
}

fn delimiter_number(delimiter: DelimiterType) -> u64 {
    DelimiterType::ALL.iter().position(|&known| known == delimiter).unwrap_or(0) as u64
}

struct Writer(Vec<u8>);

impl Writer {
    /// Seven bits a byte, lowest first; the eighth means that more follow.
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn flags(&mut self, flags: [bool; 8]) {
        let bits = flags.iter().enumerate().map(|(bit, &flag)| u8::from(flag) << bit);
        self.0.push(bits.sum());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn position(&mut self, position: Position) {
        self.number(position.offset);
        self.number(position.line);
        self.number(position.column);
    }

    /// A delimiter, with its position as the distance from the one before.
    fn open(&mut self, open: &Open, last: &mut Position) {
        let delimiter = delimiter_number(open.delimiter);
        let Some(at) = open.at else { return self.number(delimiter) };
        self.number((at.offset - last.offset) << 3 | 4 | delimiter);
        self.number(at.line - last.line);
        self.number(at.column);
        *last = at;
    }
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self, most: u64) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..63).step_by(7) {
            let byte = *self.bytes(1)?.first()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return (number <= most).then_some(number);
            }
        }
        None
    }

    fn flags(&mut self) -> Option<[bool; 8]> {
        let bits = *self.bytes(1)?.first()?;
        Some(std::array::from_fn(|bit| bits >> bit & 1 == 1))
    }

    fn text(&mut self, most: usize) -> Option<String> {
        let len = self.number(most as u64)? as usize;
        String::from_utf8(self.bytes(len)?.to_vec()).ok()
    }

    fn position(&mut self) -> Option<Position> {
        let offset = self.number(2 * MAX_CURSOR)?;
        let line = self.number(2 * MAX_CURSOR)?;
        let column = self.number(2 * MAX_CURSOR)?;
        (line > 0 && column > 0).then_some(Position { offset, line, column })
    }

    fn open(&mut self, last: &mut Position) -> Option<Open> {
        let packed = self.number(u64::MAX >> 1)?;
        let delimiter = *DelimiterType::ALL.get((packed & 3) as usize)?;
        if packed & 4 == 0 {
            return (packed < 4).then_some(Open { delimiter, at: None });
        }
        let offset = last.offset.checked_add(packed >> 3)?;
        let line = last.line.checked_add(self.number(2 * MAX_CURSOR)?)?;
        let column = self.number(2 * MAX_CURSOR)?;
        if column == 0 || offset > 2 * MAX_CURSOR || line > 2 * MAX_CURSOR {
            return None;
        }
        *last = Position { offset, line, column };
        Some(Open { delimiter, at: Some(*last) })
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// RFC 4648 section 5, without padding.
fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().enumerate().fold(0u32, |group, (index, &byte)| group | u32::from(byte) << (16 - 8 * index));
        for index in 0..=chunk.len() {
            text.push(ALPHABET[(group >> (18 - 6 * index)) as usize & 63] as char);
        }
    }
    text
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for chunk in text.as_bytes().chunks(4) {
        if chunk.len() == 1 {
            return None;
        }
        let mut group = 0u32;
        for (index, digit) in chunk.iter().enumerate() {
            let value = ALPHABET.iter().position(|known| known == digit)?;
            group |= (value as u32) << (18 - 6 * index);
        }
        bytes.extend(&group.to_be_bytes()[1..chunk.len()]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn base64_goes_both_ways() {
        for len in 0..40u8 {
            let bytes: Vec<u8> = (0..len).map(|byte| byte.wrapping_mul(97)).collect();
            assert_eq!(from_base64(&base64(&bytes)).unwrap(), bytes);
        }
        assert_eq!(base64(b"light w"), "bGlnaHQgdw");
        assert_eq!(from_base64("bGlnaHQ*"), None);
    }

    #[test]
    fn made_up_bodies_with_a_right_sum_are_read_or_refused() {
        // A linear congruential generator: the same bytes on every run.
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 56) as u8
        };
        let mut accepted = 0;
        for round in 0..20_000usize {
            let (dialect, text) = [
                (Dialect::CommonLisp, "(a\n (b ] #|c #| d"),
                (Dialect::Scheme, "#!/bin/x\n(a [b #<<EOF\nx"),
                (Dialect::EmacsLisp, "[(x #@99 ("),
                (Dialect::Clojure, "{:a (f) ] \"x\\"),
            ][round % 4];
            let mut scanner = Scanner::new(dialect, &[], 0);
            scanner.feed(text, &mut |_| {}).unwrap();
            let state = State { scanner, doc_hash: None }.encode();
            let mut body = from_base64(&state[PREFIX.len()..]).unwrap();
            body.truncate(body.len() - SUM);
            for _ in 0..1 + round % 3 {
                let index = usize::from(next()) % body.len();
                body[index] = if next() < 128 { next() % 8 } else { next() };
            }
            let sum = sum(&body);
            body.extend_from_slice(&sum[..SUM]);
            let Ok(state) = State::decode(&format!("{PREFIX}{}", base64(&body))) else { continue };
            accepted += 1;
            let mut scanner = state.scanner.clone();
            let _ = scanner.feed("a) b] \"c\" |# #| }#\n(d", &mut |_| {});
            let _ = (scanner.closers(), scanner.inside());
            let again = State { scanner, doc_hash: state.doc_hash };
            assert_eq!(State::decode(&again.encode()).map(|state| state.encode()), Ok(again.encode()));
        }
        assert!(accepted > 1_000, "{accepted}");
    }
}
