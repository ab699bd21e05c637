//! Reads the request id from a line that is not JSON, or is too long to keep.
//!
//! A caller whose request cannot be parsed waits until its time-out unless the refusal carries its id. [`Salvage`]
//! reads bytes as they pass, keeps a few hundred of them at most, and records the members of the outermost object that
//! distinguish a request from a response.

use rmcp::model::RequestId;
use serde_json::Value;

use crate::request_id::request_id;

/// Longest member value kept, in bytes. An id beyond it is treated as unreadable.
const LONGEST_VALUE: usize = 512;
/// Longest member name kept, in bytes; every name of interest is shorter.
const LONGEST_NAME: usize = 16;

/// The position of the scan among the members of the outermost object.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum ScanPosition {
    /// Before the first brace.
    #[default]
    Outside,
    /// At the place of a member name.
    Name,
    /// After a colon.
    Value,
    /// After the object's end, or in a line that is no object.
    Done,
}

/// A scan of one line, fed in pieces of any size.
#[derive(Debug, Default)]
pub(crate) struct Salvage {
    place: ScanPosition,
    depth: usize,
    in_string: bool,
    escaped: bool,
    name: Vec<u8>,
    value: Vec<u8>,
    id: Option<RequestId>,
    numbered: bool,
    method: bool,
    answer: bool,
}

impl Salvage {
    /// Reads on. The end of a line needs no mark.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.place == ScanPosition::Done {
                return;
            }
            self.step(byte);
        }
    }

    /// The id, if it was read completely and JSON-RPC allows it.
    pub(crate) fn id(&self) -> Option<RequestId> {
        self.id.clone()
    }

    /// The object has `result` or `error` and no `method`: it is a response and is not answered.
    pub(crate) fn is_response(&self) -> bool {
        self.answer && !self.method
    }

    /// The object ended, with a `method` and without an `id`: nothing waits for an answer.
    pub(crate) fn is_notification(&self) -> bool {
        self.place == ScanPosition::Done && self.method && !self.numbered
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                if self.depth == 1 && self.place == ScanPosition::Name {
                    self.name.clear();
                }
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                if self.place == ScanPosition::Outside {
                    self.place = if byte == b'{' { ScanPosition::Name } else { ScanPosition::Done };
                }
                self.depth += 1;
                self.keep(byte);
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.finish_member();
                    self.place = ScanPosition::Done;
                } else {
                    self.keep(byte);
                }
            }
            b':' if self.depth == 1 && self.place == ScanPosition::Name => {
                self.place = ScanPosition::Value;
                self.value.clear();
                match self.name.as_slice() {
                    b"\"id\"" => self.numbered = true,
                    b"\"method\"" => self.method = true,
                    b"\"result\"" | b"\"error\"" => self.answer = true,
                    _ => {}
                }
            }
            b',' if self.depth == 1 => {
                self.finish_member();
                self.place = ScanPosition::Name;
            }
            _ if byte.is_ascii_whitespace() => {}
            _ if self.place == ScanPosition::Outside => {
                self.place = if byte >= 0x80 { ScanPosition::Outside } else { ScanPosition::Done }
            }
            _ => self.keep(byte),
        }
    }

    /// Keeps a byte of the current member: of its name, or of its value if that is a scalar.
    fn keep(&mut self, byte: u8) {
        if self.depth != 1 {
            return;
        }
        match self.place {
            ScanPosition::Name if self.name.len() < LONGEST_NAME => self.name.push(byte),
            ScanPosition::Value if self.value.len() <= LONGEST_VALUE => self.value.push(byte),
            _ => {}
        }
    }

    fn finish_member(&mut self) {
        if self.place == ScanPosition::Value && self.name == b"\"id\"" && self.value.len() <= LONGEST_VALUE {
            self.id = serde_json::from_slice::<Value>(&self.value).ok().as_ref().and_then(request_id);
        }
        self.name.clear();
        self.value.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(line: &str) -> Salvage {
        let mut whole = Salvage::default();
        whole.push(line.as_bytes());
        let mut piecewise = Salvage::default();
        line.as_bytes().iter().for_each(|byte| piecewise.push(&[*byte]));
        assert_eq!(whole.id(), piecewise.id(), "{line}");
        whole
    }

    fn id(line: &str) -> Option<String> {
        scan(line).id().map(|id| id.into_json_value().to_string())
    }

    #[test]
    fn the_outermost_id_is_found_anywhere() {
        assert_eq!(id(r#"{"id":1,"method":"#).as_deref(), Some("1"));
        assert_eq!(
            id(r#"{"method":"x","params":{"id":2,"a":[{"id":3}]},"id":"me\"},"}"#).as_deref(),
            Some(r#""me\"},""#)
        );
        assert_eq!(id("  { \"id\" : 12 , \"x\" : tru").as_deref(), Some("12"));
        assert_eq!(id("\u{feff}{\"id\":1}").as_deref(), Some("1"));
    }

    #[test]
    fn what_is_not_an_id_is_none() {
        for line in [
            "",
            "nonsense {\"id\":1}",
            "[{\"id\":1}]",
            r#"{"id":1"#,
            r#"{"id":null,"#,
            r#"{"id":1.5,"#,
            r#"{"id":[1],"#,
            r#"{"id":{"id":1},"#,
            r#"{"x":"id":1,"#,
            r#"{"params":{"id":1"#,
        ] {
            assert_eq!(id(line), None, "{line}");
        }
        assert_eq!(id(&format!(r#"{{"id":"{}","#, "x".repeat(2000))), None);
    }

    #[test]
    fn responses_and_notifications_are_told_apart() {
        assert!(scan(r#"{"id":1,"result":{"a":"#).is_response());
        assert!(!scan(r#"{"id":1,"method":"x","params":{"result":"#).is_response());
        assert!(scan(r#"{"method":"x","params":{}}"#).is_notification());
        assert!(!scan(r#"{"method":"x","params":{"#).is_notification());
        assert!(!scan(r#"{"method":"x","id":3}"#).is_notification());
        assert!(!scan(r#"{"method":"x","id":1e400}"#).is_notification());
    }
}
