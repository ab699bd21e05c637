//! The protocol on the socket to a Swank or Slynk server.
//!
//! A message is six hexadecimal digits, the number of bytes that follow, and that many bytes of UTF-8: a list whose
//! first element is its kind. Only some of a server's messages are of interest; the others are not read, since they may
//! be large (`:indentation-update`) and contain data that our wire does not have.

use crate::remote::connection::Decode;
use crate::wire::{self, Value};

/// A message from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// A call has ended: with a value, or with the reason why it was aborted.
    Return {
        /// The number of the call.
        id: i64,
        /// Its result.
        result: Result<Value, String>,
    },
    /// A thread has entered the debugger and waits for calls.
    Debug(Debug),
    /// An evaluation has begun; an interrupt would reach it now.
    Begins,
    /// Output, possibly to the error output.
    Print { text: String, is_error: bool },
    /// A thread asks for an acknowledgement.
    Ping(Value, Value),
    /// A thread wants a line of standard input.
    ReadString(Value, Value),
    /// A thread asks the user, or requests something from the editor.
    Ask {
        thread: Value,
        tag: Value,
        /// The question is for the editor.
        is_editor: bool,
    },
    /// The server could not read a message, for this reason.
    ReaderError(String),
    /// A call was made to a thread that does not exist.
    NoThread(i64),
    /// Something else.
    Other,
}

/// A thread in the debugger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Debug {
    /// The thread's number.
    pub(crate) thread: i64,
    /// The report of the condition.
    pub(crate) message: String,
    /// The condition's type.
    pub(crate) type_name: String,
    /// Restarts as (name, description).
    pub(crate) restarts: Vec<(String, String)>,
    /// The numbers of the calls that wait for the thread; `None` when the server does not send them.
    calls: Option<Vec<i64>>,
}

impl Debug {
    /// Whether the call `id` may have led there.
    pub(crate) fn may_be_of(&self, id: i64) -> bool {
        self.calls.as_ref().is_none_or(|calls| calls.contains(&id))
    }
}

/// Decodes bytes into messages.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    buffer: Vec<u8>,
}

impl Decode for Decoder {
    type Message = Message;

    const PROTOCOL: &'static str = "Swank";

    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    fn next(&mut self) -> Result<Option<Message>, String> {
        // A wrong header is detected before six bytes have come, so that nobody waits for the rest.
        if let Some(wrong) = self.buffer.iter().take(wire::HEADER).find(|byte| !byte.is_ascii_hexdigit()) {
            return Err(format!("a message does not start with its length but with {:?}", char::from(*wrong)));
        }
        let Some(header) = self.buffer.first_chunk() else { return Ok(None) };
        let end = wire::HEADER + wire::payload_length(header).map_err(|error| error.to_string())?;
        if self.buffer.len() < end {
            return Ok(None);
        }
        let message = Message::read(&self.buffer[wire::HEADER..end]);
        self.buffer.drain(..end);
        Ok(Some(message))
    }
}

impl Message {
    /// Reads a payload. An unknown one is [`Message::Other`].
    fn read(payload: &[u8]) -> Self {
        let head: Vec<u8> = payload.iter().skip(1).take_while(|byte| !byte.is_ascii_whitespace()).copied().collect();
        let head = head.to_ascii_lowercase();
        let known: [&[u8]; 10] = [
            b":return",
            b":debug",
            b":write-string",
            b":ping",
            b":read-string",
            b":read-from-minibuffer",
            b":y-or-n-p",
            b":eval",
            b":reader-error",
            b":invalid-rpc",
        ];
        if !payload.starts_with(b"(") || !known.contains(&head.as_slice()) {
            return Self::Other;
        }
        let Ok(Value::List(items)) = Value::decode(payload) else { return Self::Other };
        Self::of(&head, &items[1..]).unwrap_or(Self::Other)
    }

    fn of(head: &[u8], arguments: &[Value]) -> Option<Self> {
        let text = |index: usize| arguments.get(index).and_then(Value::as_text).unwrap_or_default().to_owned();
        let pair = || Some((arguments.first()?.clone(), arguments.get(1)?.clone()));
        Some(match head {
            b":return" => {
                let [Value::List(result), Value::Integer(id)] = arguments else { return None };
                let [kind, value] = result.as_slice() else { return None };
                let result = match kind.as_keyword()? {
                    kind if kind.eq_ignore_ascii_case("ok") => Ok(value.clone()),
                    _ => Err(value.as_text().unwrap_or_default().to_owned()),
                };
                Self::Return { id: *id, result }
            }
            b":debug" => {
                let [Value::Integer(thread), _, condition, restarts, ..] = arguments else { return None };
                let (message, type_name) = condition.text_pair();
                let type_name = type_name.trim().trim_start_matches("[Condition of type ").trim_end_matches(']');
                Self::Debug(Debug {
                    thread: *thread,
                    message,
                    type_name: type_name.to_owned(),
                    restarts: restarts.as_list()?.iter().map(Value::text_pair).collect(),
                    calls: arguments
                        .get(5)
                        .and_then(Value::as_list)
                        .map(|calls| calls.iter().filter_map(Value::as_integer).collect()),
                })
            }
            b":write-string" => match arguments.get(1).and_then(Value::as_keyword) {
                Some(BEGINS) => Self::Begins,
                target => Self::Print { text: text(0), is_error: target == Some(ERRORS) },
            },
            b":ping" => pair().map(|(thread, tag)| Self::Ping(thread, tag))?,
            b":read-string" => pair().map(|(thread, tag)| Self::ReadString(thread, tag))?,
            b":eval" => pair().map(|(thread, tag)| Self::Ask { thread, tag, is_editor: true })?,
            b":read-from-minibuffer" | b":y-or-n-p" => {
                pair().map(|(thread, tag)| Self::Ask { thread, tag, is_editor: false })?
            }
            b":reader-error" => Self::ReaderError(text(1)),
            b":invalid-rpc" => Self::NoThread(arguments.first()?.as_integer()?),
            _ => return None,
        })
    }
}

/// The destination by which the agent marks error output.
const ERRORS: &str = "lispwright-error";

/// The destination by which it marks the beginning of an evaluation.
const BEGINS: &str = "lispwright-begins";

/// A message to the server, framed.
pub(crate) fn frame(payload: &str) -> Vec<u8> {
    let mut frame = format!("{:06x}", payload.len()).into_bytes();
    frame.extend_from_slice(payload.as_bytes());
    frame
}

/// A string as Lisp reads it.
pub(crate) fn literal(text: &str) -> String {
    Value::text(text).encode()
}

/// The value after the keyword `name` in a list of keywords and values, in either case.
pub(crate) fn field<'a>(list: &'a Value, name: &str) -> Option<&'a Value> {
    let pairs = list.as_list()?.chunks_exact(2);
    pairs
        .into_iter()
        .find(|pair| pair[0].as_keyword().is_some_and(|key| key.eq_ignore_ascii_case(name)))
        .map(|pair| &pair[1])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn messages(bytes: &[u8], size: usize) -> Vec<Message> {
        let mut decoder = Decoder::default();
        let mut found = Vec::new();
        for piece in bytes.chunks(size) {
            decoder.buffer().extend_from_slice(piece);
            while let Some(message) = decoder.next().unwrap() {
                found.push(message);
            }
        }
        found
    }

    #[test]
    fn messages_are_complete_for_pieces_of_any_size() {
        let bytes = [
            frame("(:return (:ok \"λ\") 7)"),
            frame("(:RETURN (:ABORT \"NIL\") 8)"),
            frame("(:write-string \"e\" :lispwright-error)"),
            frame("(:write-string \"\" :lispwright-begins)"),
            frame("(:new-package \"A\" \"B\")"),
        ]
        .concat();
        for size in 1..bytes.len() {
            let expected = [
                Message::Return { id: 7, result: Ok(Value::text("λ")) },
                Message::Return { id: 8, result: Err("NIL".to_owned()) },
                Message::Print { text: "e".to_owned(), is_error: true },
                Message::Begins,
                Message::Other,
            ];
            assert_eq!(messages(&bytes, size), expected, "in pieces of {size}");
        }
    }

    #[test]
    fn a_thread_in_the_debugger_reports_its_condition() {
        let bytes = frame(
            "(:debug 3 1 (\"no\" \"   [Condition of type FOO]\" nil) ((\"USE\" \"Use.\") (\"*ABORT\" \"Up.\")) ((0 \"(F)\")) (4))",
        );
        let found = messages(&bytes, 1000);
        let [Message::Debug(debug)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((debug.thread, debug.type_name.as_str(), debug.message.as_str()), (3, "FOO", "no"));
        assert_eq!(debug.restarts[0], ("USE".to_owned(), "Use.".to_owned()));
    }

    #[test]
    fn unknown_messages_are_ignored_and_bytes_that_are_no_frame_are_an_error() {
        for payload in [
            "",
            "(",
            "x",
            "(:return)",
            "(:return 1 2)",
            "(:return (:ok 1) x)",
            "(:debug)",
            "(:ping)",
            "(:a . b)",
            "(:eval #<x>)",
        ] {
            assert_eq!(messages(&frame(payload), 4), [Message::Other], "{payload}");
        }
        for garbage in ["HTTP/1.1", "d2:", "-", "00000\u{0}"] {
            let mut decoder = Decoder::default();
            decoder.buffer().extend_from_slice(garbage.as_bytes());
            assert!(decoder.next().is_err(), "{garbage}");
        }
    }

    #[test]
    fn fields_are_found_in_either_case() {
        let list = Value::decode(b"(:pid 7 :VERSION \"2.27\")").unwrap();
        assert_eq!(field(&list, "PID").and_then(Value::as_integer), Some(7));
        assert_eq!(field(&list, "version").and_then(Value::as_text), Some("2.27"));
        assert_eq!(field(&list, "style"), None);
    }
}
