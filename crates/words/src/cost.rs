//! What a session of a client has cost: the calls of a transcript, summed up for each tool and each named client.
//!
//! A transcript has a line for each call of a tool, with the bytes of its arguments and of its answer. [`call_line`] writes
//! it, and [`Cost`] reads it again; all other lines of the file are passed over.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use lispwright_tools::image_text::one_line;
use serde_json::{Map, Value, json};

use crate::bounded::tokens_of;
use crate::rendering::counted;

/// Calls that are shown because they cost most.
const DEAREST: usize = 5;

/// Arguments that say what a call was about, the first of them that there is.
const ABOUT: &[&str] = &["name", "symbol", "pattern", "shape", "system", "action", "code"];

/// The line of a transcript about a call: its tool, the bytes of its arguments and its answer, its time in milliseconds,
/// the name of the client's token if it has one, and what it was about.
pub(crate) fn call_line(
    tool: &str,
    client: Option<&str>,
    arguments: &Map<String, Value>,
    received: usize,
    milliseconds: f64,
) -> String {
    let sent = Value::Object(arguments.clone()).to_string().len();
    let given = |name: &str| arguments.get(name).and_then(Value::as_str).map(|text| one_line(text, 60));
    let what = ABOUT.iter().find_map(|name| given(name));
    let about: Vec<String> = given("path").into_iter().chain(what).collect();
    let about = if about.is_empty() { String::new() } else { format!("; {}", about.join(" ")) };
    let client = client.map(|name| format!(", [{name}]")).unwrap_or_default();
    format!(";;; {tool}: {sent} bytes sent, {received} received, {milliseconds:.1} ms{client}{about}\n")
}

/// The cost of some calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    calls: usize,
    /// Bytes of arguments.
    sent: usize,
    /// Bytes of answers.
    received: usize,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PricedCall {
    tool: String,
    /// The name of the client's token, if it has one.
    client: Option<String>,
    sent: usize,
    received: usize,
    about: String,
}

impl PricedCall {
    /// The call of a line of a transcript, if the line is about one.
    fn read(line: &str) -> Option<Self> {
        let (tool, rest) = line.trim_end().strip_prefix(";;; ")?.split_once(": ")?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let (sent, rest) = rest.split_once(" bytes sent, ")?;
        let (received, rest) = rest.split_once(" received, ")?;
        let (_, rest) = rest.split_once(" ms")?;
        let named = rest.strip_prefix(", [").and_then(|rest| rest.split_once(']'));
        let (client, about) = named.map_or((None, rest), |(client, about)| (Some(client.to_owned()), about));
        let about = about.strip_prefix("; ").unwrap_or_default();
        (!tool.is_empty() && tool.chars().all(is_name)).then_some(Self {
            tool: tool.to_owned(),
            client,
            sent: sent.parse().ok()?,
            received: received.parse().ok()?,
            about: about.to_owned(),
        })
    }

    fn total(&self) -> usize {
        self.sent + self.received
    }
}

/// The cost of the calls of a transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    tools: BTreeMap<String, Sum>,
    /// Those with named tokens, and all others.
    clients: BTreeMap<Option<String>, Sum>,
    /// The dearest calls, dearest first.
    dearest: Vec<PricedCall>,
}

impl Cost {
    /// Adds a line of a transcript.
    pub fn add(&mut self, line: &str) {
        let Some(call) = PricedCall::read(line) else { return };
        let by_tool = self.tools.entry(call.tool.clone()).or_default();
        for sum in [by_tool, self.clients.entry(call.client.clone()).or_default()] {
            sum.calls += 1;
            sum.sent += call.sent;
            sum.received += call.received;
        }
        let place = self.dearest.partition_point(|other| other.total() >= call.total());
        if place < DEAREST {
            self.dearest.insert(place, call);
            self.dearest.truncate(DEAREST);
        }
    }

    /// The tools, dearest first, and the sum of all.
    fn rows(&self) -> (Vec<(&str, Sum)>, Sum) {
        let mut rows: Vec<(&str, Sum)> = self.tools.iter().map(|(tool, sum)| (tool.as_str(), *sum)).collect();
        rows.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.sent + sum.received));
        let all = rows.iter().fold(Sum::default(), |all, (_, sum)| Sum {
            calls: all.calls + sum.calls,
            sent: all.sent + sum.sent,
            received: all.received + sum.received,
        });
        (rows, all)
    }

    /// The cost as a table, and the dearest calls.
    #[must_use]
    pub fn text(&self) -> String {
        let (rows, all) = self.rows();
        if rows.is_empty() {
            return "No call of a tool is in it. A server writes them with --transcript FILE.".to_owned();
        }
        let width = rows.iter().map(|(tool, _)| tool.len()).max().unwrap_or_default().max("all".len());
        let mut text = format!(
            "{:width$}  {:>6} {:>11} {:>15} {:>15}\n",
            "", "calls", "tokens sent", "tokens received", "each answer"
        );
        for (tool, sum) in rows.iter().copied().chain([("all", all)]) {
            let _ = writeln!(
                text,
                "{tool:width$}  {:>6} {:>11} {:>15} {:>15}",
                sum.calls,
                tokens_of(sum.sent),
                tokens_of(sum.received),
                tokens_of(sum.received / sum.calls.max(1))
            );
        }
        let _ = write!(
            text,
            "{}: {} bytes sent, {} received. A token is taken for three bytes.\nThe dearest:",
            counted(all.calls, "call"),
            all.sent,
            all.received
        );
        for call in &self.dearest {
            let (sent, received) = (tokens_of(call.sent), tokens_of(call.received));
            let _ = write!(text, "\n  {sent} + {received}  {} {}", call.tool, call.about);
        }
        if self.clients.keys().any(Option::is_some) {
            text.push_str("\nBy the tokens of the clients:");
            for (client, sum) in &self.clients {
                let client = client.as_deref().unwrap_or("without a name");
                let (sent, received) = (tokens_of(sum.sent), tokens_of(sum.received));
                let _ = write!(text, "\n  {sent} + {received}  {client}, {}", counted(sum.calls, "call"));
            }
        }
        text
    }

    /// The same as a document.
    #[must_use]
    pub fn document(&self) -> Value {
        let (rows, all) = self.rows();
        let sum = |sum: Sum| {
            json!({
                "calls": sum.calls,
                "bytes_sent": sum.sent,
                "bytes_received": sum.received,
                "tokens_sent": tokens_of(sum.sent),
                "tokens_received": tokens_of(sum.received),
            })
        };
        let tools: Vec<Value> = rows
            .into_iter()
            .map(|(tool, one)| {
                let mut row = sum(one);
                row["tool"] = tool.into();
                row
            })
            .collect();
        let dearest: Vec<Value> = self
            .dearest
            .iter()
            .map(|call| {
                json!({"tool": call.tool, "about": call.about, "bytes_sent": call.sent, "bytes_received": call.received})
            })
            .collect();
        let clients: Vec<Value> = self
            .clients
            .iter()
            .map(|(client, one)| {
                let mut row = sum(*one);
                row["client"] = client.clone().into();
                row
            })
            .collect();
        json!({"tools": tools, "clients": clients, "all": sum(all), "dearest": dearest})
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let arguments = |value: Value| value.as_object().cloned().unwrap();
        let mut cost = Cost::default();
        for (tool, client, given, received) in [
            ("lisp_read_form", Some("ci"), json!({"path": "a.lisp", "name": "f"}), 400),
            (
                "lisp_read_form",
                None,
                json!({"path": "b: 1 bytes sent, 2 received, 3 ms, [x].lisp", "name": "g\nh"}),
                40,
            ),
            ("repl_eval", Some("dev"), json!({"code": "(f 1)"}), 4),
            ("repl-eval", Some("ci"), json!({}), 3),
        ] {
            cost.add(&call_line(tool, client, &arguments(given), received, 1.25));
        }
        for other in ["(f 1)", ";;; completed, 3.1 ms", ";;; 2026-11-27T00:00:00.000Z  ada 1  main (sbcl)", "; => 2"] {
            cost.add(other);
        }
        let document = cost.document();
        assert_eq!((&document["all"]["calls"], &document["all"]["bytes_received"]), (&json!(4), &json!(447)));
        assert_eq!(
            (&document["tools"][0]["tool"], &document["tools"][0]["calls"]),
            (&json!("lisp_read_form"), &json!(2))
        );
        assert_eq!(document["tools"][0]["tokens_received"], 147);
        assert_eq!(
            (&document["dearest"][0]["about"], &document["dearest"][3]["tool"]),
            (&json!("a.lisp f"), &json!("repl-eval"))
        );
        assert!(document["dearest"][1]["about"].as_str().unwrap().ends_with(" g h"), "{document}");
        let clients = document["clients"].as_array().unwrap().iter();
        let clients: Vec<_> = clients.map(|row| (row["client"].as_str(), row["calls"].as_u64().unwrap())).collect();
        assert_eq!(clients, [(None, 1), (Some("ci"), 2), (Some("dev"), 1)]);
        let text = cost.text();
        assert!(text.contains("By the tokens of the clients:\n") && text.contains("  ci, 2 calls"), "{text}");
        assert!(
            text.contains("\nall ") && text.contains("\nThe dearest:\n  10 + 134  lisp_read_form a.lisp f\n"),
            "{text}"
        );
    }

    #[test]
    fn a_file_without_calls_says_what_writes_them() {
        let mut cost = Cost::default();
        cost.add("(defun f ())");
        assert!(cost.text().contains("--transcript FILE"));
    }
}
