//! Statistics of the verdicts of hooks: one JSON line for each file of each call, and a report of such lines.
//!
//! A line has no source text and no path, only the ending of the file's name.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use lispwright_syntax::DiagnosticKind;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::clients::HookClient;
use crate::event::Moment;
use crate::judge::ChangeVerdict;
use crate::respond::Judged;

/// The verdict of a call that was not judged in time.
const OVERDUE: &str = "overdue";

/// The record of a judgement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The time, in seconds since 1970-01-01 (UTC).
    pub time: u64,
    /// The client's name.
    pub client: String,
    /// `before` or `after` the call.
    pub moment: String,
    /// The client's name of the tool.
    pub tool: String,
    /// The dialect of the file.
    pub dialect: String,
    /// The text after the last dot of the file's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
    /// `pass`, `renested`, `unexpected`, `noted`, `repaired`, `denied`, or `overdue` if there was no time to judge; then
    /// nothing is known of the edit.
    pub verdict: String,
    /// The first mistake: `unclosed`, `extra-close`, `mismatch`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The number of mistakes.
    #[serde(default)]
    pub faults: usize,
    /// Characters that the repair added.
    #[serde(default)]
    pub added: usize,
    /// Characters that the repair removed.
    #[serde(default)]
    pub removed: usize,
    /// The time to judge the whole call, in microseconds.
    pub micros: u64,
}

impl Record {
    /// The record of a judgement.
    pub fn of(client: &HookClient, judged: &Judged, time: u64, micros: u64) -> Self {
        let diagnosis = judged.verdict.diagnosis();
        let edits = match &judged.verdict {
            ChangeVerdict::Repaired(done) => done.edits.as_slice(),
            _ => &[],
        };
        Self {
            time,
            client: client.name.to_owned(),
            moment: match judged.moment {
                Moment::Before => "before",
                Moment::After => "after",
            }
            .to_owned(),
            tool: judged.tool.clone(),
            dialect: judged.dialect.name().to_owned(),
            extension: judged.extension.clone(),
            verdict: judged.verdict.name().to_owned(),
            fault: diagnosis.map(|found| DiagnosticKind::code(found.kind).to_owned()),
            faults: diagnosis.map_or(0, |found| found.count),
            added: edits.iter().map(|edit| edit.inserted.chars().count()).sum(),
            removed: edits.iter().map(|edit| edit.removed.chars().count()).sum(),
            micros,
        }
    }

    /// The record of a call that was not judged in time.
    pub fn overdue(client: &HookClient, time: u64, micros: u64) -> Self {
        Self {
            time,
            client: client.name.to_owned(),
            moment: String::new(),
            tool: String::new(),
            dialect: String::new(),
            extension: None,
            verdict: OVERDUE.to_owned(),
            fault: None,
            faults: 0,
            added: 0,
            removed: 0,
            micros,
        }
    }

    /// The record as one line, line feed included.
    pub fn line(&self) -> String {
        let mut line = serde_json::to_string(self).expect("strings and numbers are always JSON");
        line.push('\n');
        line
    }
}

/// The number of each verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Counts {
    judged: usize,
    repaired: usize,
    denied: usize,
    noted: usize,
    renested: usize,
}

impl Counts {
    fn add(&mut self, verdict: &str) {
        self.judged += 1;
        match verdict {
            "repaired" => self.repaired += 1,
            "denied" => self.denied += 1,
            "noted" => self.noted += 1,
            "renested" => self.renested += 1,
            _ => {}
        }
    }

    const fn broken(&self) -> usize {
        self.repaired + self.denied + self.noted
    }

    fn share(&self) -> f64 {
        if self.judged == 0 { 0.0 } else { self.broken() as f64 * 100.0 / self.judged as f64 }
    }

    fn row(&self, out: &mut String, name: &str) {
        let Self { judged, repaired, denied, noted, renested } = self;
        let (broken, share) = (self.broken(), self.share());
        let _ = write!(out, "{name:<16}{judged:>8}{broken:>8} {share:>5.1} %{repaired:>10}{denied:>8}{noted:>8}");
        let _ = writeln!(out, "{renested:>10}");
    }

    fn document(&self) -> Value {
        json!({
            "judged": self.judged, "broken": self.broken(), "broken_percent": (self.share() * 10.0).round() / 10.0,
            "repaired": self.repaired, "denied": self.denied, "noted": self.noted,
            "renested": self.renested,
        })
    }
}

/// The sums of many records. Only edits that were judged before the call count as edits.
#[derive(Clone, Debug, Default)]
pub struct Report {
    period: Option<(u64, u64)>,
    before: Counts,
    after: Counts,
    dialects: BTreeMap<String, Counts>,
    clients: BTreeMap<String, Counts>,
    faults: BTreeMap<String, usize>,
    micros: Vec<u64>,
    overdue: usize,
    unreadable: usize,
}

impl Report {
    /// Counts a line, also one that is not a record.
    pub fn add(&mut self, line: &str) {
        let Ok(record) = serde_json::from_str::<Record>(line) else {
            self.unreadable += usize::from(!line.trim().is_empty());
            return;
        };
        let (from, to) = self.period.unwrap_or((record.time, record.time));
        self.period = Some((from.min(record.time), to.max(record.time)));
        if record.verdict == OVERDUE {
            self.overdue += 1;
            return;
        }
        self.micros.push(record.micros);
        if record.moment == "after" {
            self.after.add(&record.verdict);
            return;
        }
        self.before.add(&record.verdict);
        self.dialects.entry(record.dialect).or_default().add(&record.verdict);
        self.clients.entry(record.client).or_default().add(&record.verdict);
        if let Some(fault) = record.fault {
            *self.faults.entry(fault).or_default() += 1;
        }
    }

    /// The given percentile of the times, in microseconds.
    fn percentile(&self, percent: usize) -> u64 {
        let mut sorted = self.micros.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1) - 1;
        sorted.get(rank).copied().unwrap_or(0)
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let Some((from, to)) = self.period else {
            return format!("No edits judged so far.{}\n", self.unreadable_in_words());
        };
        let mut out = format!("Edits of Lisp files from {} to {} (UTC)\n\n", date(from), date(to));
        let _ = writeln!(
            out,
            "{:<16}{:>8}{:>16}{:>10}{:>8}{:>8}{:>10}",
            "", "judged", "broken", "repaired", "denied", "noted", "renested"
        );
        self.before.row(&mut out, "all");
        for (name, counts) in self.dialects.iter().chain(&self.clients) {
            counts.row(&mut out, name);
        }
        if !self.faults.is_empty() {
            let mut faults: Vec<_> = self.faults.iter().collect();
            faults.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            let faults: Vec<String> = faults.iter().map(|(name, count)| format!("{name} {count}")).collect();
            let _ = writeln!(out, "\nFaults: {}", faults.join(", "));
        }
        if self.after.judged > 0 {
            let _ = writeln!(
                out,
                "After edits: {} looked at, {} newly broken",
                counted(self.after.judged, "file"),
                self.after.broken()
            );
        }
        if self.overdue > 0 {
            let _ = writeln!(out, "Not judged in time: {}, which went on unchanged", counted(self.overdue, "call"));
        }
        let milliseconds = |percent| self.percentile(percent) as f64 / 1000.0;
        let _ = writeln!(
            out,
            "Time: p50 {:.1} ms, p95 {:.1} ms{}",
            milliseconds(50),
            milliseconds(95),
            self.unreadable_in_words()
        );
        out
    }

    fn unreadable_in_words(&self) -> String {
        match self.unreadable {
            0 => String::new(),
            count => format!("\nNot statistics: {}", counted(count, "line")),
        }
    }

    /// The report as JSON.
    pub fn document(&self) -> Value {
        let table = |counts: &BTreeMap<String, Counts>| -> Value {
            counts
                .iter()
                .map(|(name, counts)| (name.clone(), counts.document()))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        json!({
            "from": self.period.map(|(from, _)| date(from)), "to": self.period.map(|(_, to)| date(to)),
            "edits": self.before.document(), "dialects": table(&self.dialects), "clients": table(&self.clients),
            "faults": self.faults, "after": {"judged": self.after.judged, "broken": self.after.broken()},
            "overdue": self.overdue,
            "micros": {"p50": self.percentile(50), "p95": self.percentile(95)}, "unreadable_lines": self.unreadable,
        })
    }
}

/// `1 file`, `2 files`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The day of a time in seconds since 1970, in the Gregorian calendar.
fn date(seconds: u64) -> String {
    // Years are counted from March, so that the leap day is the last of its year.
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day_of_month:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_795_302_480, "2026-11-21"),
            (4_107_542_399, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(date(seconds), day);
        }
    }

    fn line(moment: &str, verdict: &str, fault: Option<&str>, micros: u64) -> String {
        json!({
            "time": 1_795_302_480, "client": "codex", "moment": moment, "tool": "apply_patch", "dialect": "scheme",
            "verdict": verdict, "fault": fault, "micros": micros,
        })
        .to_string()
    }

    #[test]
    fn records_are_counted() {
        let mut report = Report::default();
        for at in 1..=18 {
            report.add(&line("before", "pass", None, at * 1000));
        }
        report.add(&line("before", "repaired", Some("unclosed"), 19_000));
        report.add(&line("before", "denied", Some("unclosed"), 20_000));
        report.add(&line("after", "noted", Some("mismatch"), 1));
        report.add(&Record::overdue(HookClient::CODEX, 1_795_302_480, 2_000_000).line());
        report.add("not a record");
        report.add("");
        let document = report.document();
        assert_eq!(document["edits"]["judged"], 20);
        assert_eq!(document["edits"]["broken_percent"], 10.0);
        assert_eq!(document["dialects"]["scheme"]["denied"], 1);
        assert_eq!(document["faults"], json!({"unclosed": 2}));
        assert_eq!(document["after"], json!({"judged": 1, "broken": 1}));
        assert_eq!(document["micros"], json!({"p50": 10_000, "p95": 19_000}));
        assert_eq!(document["unreadable_lines"], 1);
        assert_eq!(document["overdue"], 1);
        let text = report.text();
        assert!(
            text.contains("scheme                20       2  10.0 %         1       1       0         0\n"),
            "{text}"
        );
        assert!(text.contains("Not judged in time: 1 call, which went on unchanged\n"), "{text}");
        assert!(text.contains("Time: p50 10.0 ms, p95 19.0 ms\nNot statistics: 1 line\n"), "{text}");
    }

    #[test]
    fn a_report_may_be_empty() {
        assert_eq!(Report::default().text(), "No edits judged so far.\n");
        assert_eq!(Report::default().document()["micros"]["p95"], 0);
    }
}
