//! The fields of a request, found under any of their spellings and checked one by one.

use lispwright_syntax::Dialect;
use serde_json::{Map, Value};

use crate::delimiters::DelimiterType;
use crate::failure::{Code, Failure};
use crate::hash;
use crate::limits::{MAX_CURSOR, MAX_DEPTH, MAX_OPS};
use crate::steps::{Op, Step};

/// A request, or an object inside one.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'r> {
    sent: &'r Map<String, Value>,
}

impl<'r> Fields<'r> {
    pub(crate) fn new(sent: &'r Map<String, Value>) -> Self {
        Self { sent }
    }

    /// A field by its own name, otherwise by another spelling of it. `null` counts as absent.
    pub(crate) fn get(&self, name: &str) -> Option<&'r Value> {
        let exact = self.sent.get(name);
        let found = exact.or_else(|| self.sent.iter().find(|(key, _)| is_spelling(key, name)).map(|(_, value)| value));
        found.filter(|value| !value.is_null())
    }

    /// A string.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'r str>, Failure> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(Failure::input(format!("`{name}` must be a string, not {}.", kind(other)))),
        }
    }

    /// A word from a list, without the colon that EDN puts before it.
    pub(crate) fn word(&self, name: &str) -> Result<Option<&'r str>, Failure> {
        Ok(self.text(name)?.map(|word| word.strip_prefix(':').unwrap_or(word)))
    }

    /// A position in the document, in code points.
    pub(crate) fn cursor(&self, name: &str) -> Result<Option<u64>, Failure> {
        self.cursor_called(name, name)
    }

    /// The position in the field `name`, which a message calls `called`.
    pub(crate) fn cursor_called(&self, name: &str, called: &str) -> Result<Option<u64>, Failure> {
        self.get(name).map(|value| place(called, value)).transpose()
    }

    /// The dialect whose reader finds the delimiters of a text.
    pub(crate) fn dialect(&self) -> Result<Option<Dialect>, Failure> {
        let Some(name) = self.word("dialect")? else { return Ok(None) };
        match Dialect::from_name(name) {
            Some(dialect) => Ok(Some(dialect)),
            None => {
                let known: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
                Err(Failure::input(format!(
                    "There is no dialect \"{}\". Send one of {}.",
                    shortened(name),
                    known.join(", ")
                )))
            }
        }
    }

    pub(crate) fn hash(&self, name: &str) -> Result<Option<String>, Failure> {
        self.text(name)?.map(|sent| hash::parse(name, sent)).transpose()
    }

    /// The stack, which every operation but two requires.
    pub(crate) fn stack(&self) -> Result<Vec<DelimiterType>, Failure> {
        self.optional_stack()?.ok_or_else(|| {
            Failure::input("`stack` is missing. Send the open delimiters, outermost first; [] when nothing is open.")
        })
    }

    pub(crate) fn optional_stack(&self) -> Result<Option<Vec<DelimiterType>>, Failure> {
        let Some(value) = self.get("stack") else { return Ok(None) };
        let Value::Array(elements) = value else {
            return Err(Failure::input(format!(
                "`stack` must be an array of delimiter types, outermost first, not {}.",
                kind(value)
            )));
        };
        if elements.len() > MAX_DEPTH {
            return Err(Failure::input(format!(
                "`stack` holds {} delimiters; at most {MAX_DEPTH} may be open.",
                elements.len()
            )));
        }
        let types = elements.iter().enumerate().map(|(index, element)| delimiter(&format!("stack[{index}]"), element));
        types.collect::<Result<_, _>>().map(Some)
    }

    /// The stack for an error: unchanged where it can be shown at all.
    pub(crate) fn stack_as_sent(&self) -> Vec<Value> {
        const LONGEST: usize = 64;
        match (self.optional_stack(), self.get("stack")) {
            (Ok(Some(stack)), _) => stack.into_iter().map(|delimiter| delimiter.name().into()).collect(),
            (Err(_), Some(Value::Array(elements))) if elements.len() <= MAX_DEPTH => {
                let is_short = |value: &Value| match value {
                    Value::String(text) => text.len() <= LONGEST,
                    Value::Array(_) | Value::Object(_) => false,
                    _ => true,
                };
                if elements.iter().all(is_short) { elements.clone() } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    pub(crate) fn delimiter(&self, name: &str) -> Result<Option<DelimiterType>, Failure> {
        self.get(name).map(|value| delimiter(name, value)).transpose()
    }

    /// An array of at most [`MAX_OPS`] elements.
    pub(crate) fn list(&self, name: &str) -> Result<Option<&'r [Value]>, Failure> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Array(elements)) if elements.len() > MAX_OPS => Err(Failure::input(format!(
                "`{name}` holds {} elements; at most {MAX_OPS} fit one request. Send the rest in a second one, with \
                 the stack that the first one gives.",
                elements.len()
            ))),
            Some(Value::Array(elements)) => Ok(Some(elements)),
            Some(other) => Err(Failure::input(format!("`{name}` must be an array, not {}.", kind(other)))),
        }
    }

    /// An object inside the request.
    pub(crate) fn object(&self, name: &str) -> Result<Option<Fields<'r>>, Failure> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(Fields::new(fields))),
            Some(other) => Err(Failure::input(format!("`{name}` must be an object, not {}.", kind(other)))),
        }
    }

    /// One element of `ops`: `{op, type}`.
    pub(crate) fn step(&self) -> Result<Step, Failure> {
        let op = match self.word("op")? {
            Some("push" | "pushDelimiter") => Op::Push,
            Some("pop" | "popDelimiter") => Op::Pop,
            Some(other) => {
                return Err(Failure::input(format!("`op` must be push or pop, not \"{}\".", shortened(other))));
            }
            None => return Err(Failure::input("`op` is missing. Send push or pop.")),
        };
        self.cursor("cursor")?;
        let delimiter = self.delimiter("type")?.ok_or_else(|| missing_type("type"))?;
        Ok(Step { op, delimiter })
    }
}

/// The failure of a missing delimiter type.
pub(crate) fn missing_type(place: &str) -> Failure {
    Failure::new(Code::InvalidType, format!("`{place}` is missing. Send paren, bracket or brace."))
}

/// A delimiter type as sent.
pub(crate) fn delimiter(place: &str, value: &Value) -> Result<DelimiterType, Failure> {
    let given = match value {
        Value::String(name) => match DelimiterType::from_name(name) {
            Some(delimiter) => return Ok(delimiter),
            None => format!("\"{}\"", shortened(name)),
        },
        other => kind(other).to_owned(),
    };
    Err(Failure::new(Code::InvalidType, format!("`{place}` must be paren, bracket or brace, not {given}.")))
}

fn place(name: &str, value: &Value) -> Result<u64, Failure> {
    // JSON readers that know only doubles write `3.0` for an integer.
    let whole = value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0 && *number <= MAX_CURSOR as f64);
    let found = value.as_u64().or_else(|| whole.map(|number| number as u64));
    found.filter(|&cursor| cursor <= MAX_CURSOR).ok_or_else(|| {
        let given = if value.is_number() { value.to_string() } else { kind(value).to_owned() };
        Failure::cursor(format!(
            "`{name}` must be a whole number of code points from 0 to {MAX_CURSOR}, counted from the start of the \
             document, not {given}."
        ))
    })
}

/// `key` is another spelling of the field `name`: `:doc-slice`, `doc_slice`, `docSlice?`.
fn is_spelling(key: &str, name: &str) -> bool {
    let bare = key.strip_prefix(':').unwrap_or(key);
    let bare = bare.strip_suffix('?').unwrap_or(bare);
    let letters = bare.bytes().filter(|byte| !matches!(byte, b'-' | b'_')).map(|byte| byte.to_ascii_lowercase());
    letters.eq(name.bytes().map(|byte| byte.to_ascii_lowercase()))
}

/// The kind of a JSON value, for a message.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The first characters of a sent text, for a message.
pub(crate) fn shortened(text: &str) -> String {
    const WIDTH: usize = 40;
    let mut shown: String = text.chars().take(WIDTH).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
