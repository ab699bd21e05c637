//! The clauses of `loop` (CLHS 6.1): which names they bind, and which of their words are loop keywords.

use lispwright_syntax::{Data, Datum};

use crate::bind::Pattern;
use crate::facts::MarkRole;
use crate::walk::{Task, Walk};

/// Loop keywords, which are not names at the start of a clause.
const WORDS: &[&str] = &[
    "for",
    "as",
    "with",
    "and",
    "in",
    "on",
    "across",
    "from",
    "upfrom",
    "downfrom",
    "to",
    "upto",
    "downto",
    "below",
    "above",
    "by",
    "then",
    "being",
    "each",
    "the",
    "of",
    "using",
    "repeat",
    "while",
    "until",
    "always",
    "never",
    "thereis",
    "do",
    "doing",
    "collect",
    "collecting",
    "append",
    "appending",
    "nconc",
    "nconcing",
    "count",
    "counting",
    "sum",
    "summing",
    "maximize",
    "maximizing",
    "minimize",
    "minimizing",
    "into",
    "if",
    "when",
    "unless",
    "else",
    "end",
    "return",
    "named",
    "initially",
    "finally",
    "it",
    "hash-key",
    "hash-keys",
    "hash-value",
    "hash-values",
    "symbol",
    "symbols",
    "present-symbol",
    "present-symbols",
    "external-symbol",
    "external-symbols",
    "of-type",
    "fixnum",
    "float",
    "=",
];

/// Loop keywords that a form follows, which can be a symbol like a keyword.
const BEFORE_FORMS: &[&str] = &[
    "in",
    "on",
    "across",
    "from",
    "upfrom",
    "downfrom",
    "to",
    "upto",
    "downto",
    "below",
    "above",
    "by",
    "then",
    "=",
    "of",
    "repeat",
    "while",
    "until",
    "always",
    "never",
    "thereis",
    "collect",
    "collecting",
    "append",
    "appending",
    "nconc",
    "nconcing",
    "count",
    "counting",
    "sum",
    "summing",
    "maximize",
    "maximizing",
    "minimize",
    "minimizing",
    "if",
    "when",
    "unless",
    "return",
];

/// Those whose form is evaluated before the variable of its clause is bound: `for part across part`.
const INITIAL: &[&str] =
    &["in", "on", "across", "from", "upfrom", "downfrom", "to", "upto", "downto", "below", "above", "by", "of"];

impl<'t> Walk<'t> {
    /// The loop keyword that a symbol or keyword is.
    fn loop_word(&self, datum: Datum) -> Option<&'static str> {
        if datum.list().is_some() {
            return None;
        }
        let text = self.symbol(datum).or_else(|| Some(self.source(datum)).filter(|s| s.starts_with([':', '='])))?;
        let text = text.trim_start_matches(':').to_ascii_lowercase();
        WORDS.iter().find(|word| **word == text).copied()
    }

    /// What a loop gives back at its end, `(return value)`, where that is a word of the loop and no operator.
    fn loop_return(&mut self, datum: Datum) -> Option<Data<'t>> {
        let mut data = self.data(datum.list()?);
        let head = data.next()?;
        let is_word = self.symbol(head) == Some("return") && self.dialect.standard_operator("return").is_none();
        is_word.then(|| {
            self.mark_all(head, MarkRole::Word);
            data
        })
    }

    /// The data after `loop`.
    pub(crate) fn loop_clauses(&mut self, data: Data<'t>) {
        let data: Vec<Datum> = data.collect();
        let count = self.local_count();
        if data.first().is_none_or(|first| first.list().is_some()) {
            return self.next(data.into_iter().map(Task::Code).collect::<Vec<_>>());
        }
        // Every name that a clause binds is taken as bound in all clauses, except in the forms from which a clause starts:
        // those see the names of the clauses before.
        let mut tasks = Vec::new();
        let mut codes = Vec::new();
        let mut labels = Vec::new();
        let mut at = 0;
        let mut last = "";
        // The word that a form follows.
        let mut opened = None;
        // The clause with its variables begins here among the tasks.
        let mut clause = 0;
        while let Some(&datum) = data.get(at) {
            at += 1;
            let before = opened.take().filter(|_| self.loop_word(datum) != Some("it"));
            let Some(word) = self.loop_word(datum).filter(|_| before.is_none()) else {
                if last == "named" {
                    self.mark_all(datum, MarkRole::Word);
                    labels.push(Task::BindLabel(datum));
                    last = "";
                } else if before.is_some_and(|word| INITIAL.contains(&word) || (word == "=" && last == "with")) {
                    tasks.insert(clause, Task::Code(datum));
                    clause += 1;
                } else {
                    codes.push(Task::Code(datum));
                }
                continue;
            };
            self.mark_all(datum, MarkRole::Word);
            opened = Some(word).filter(|word| BEFORE_FORMS.contains(word));
            let binds = matches!(word, "for" | "as" | "with" | "into")
                || (word == "and" && matches!(last, "for" | "as" | "with"))
                || (word == "using");
            if matches!(word, "for" | "as" | "with") {
                clause = tasks.len();
            }
            match word {
                "for" | "as" | "with" => last = word,
                "named" => last = word,
                "and" if binds => {}
                "in" | "on" | "across" | "from" | "to" | "below" | "by" | "then" | "=" | "being" | "each" | "the"
                | "of" | "upto" | "downto" | "downfrom" | "upfrom" | "above" | "using" | "of-type" | "hash-key"
                | "hash-keys" | "hash-value" | "hash-values" | "symbol" | "symbols" | "present-symbol"
                | "present-symbols" | "external-symbol" | "external-symbols" | "fixnum" | "float" => {}
                _ => last = "",
            }
            if word == "of-type" {
                tasks.extend(data.get(at).copied().map(Task::Type));
                at += 1;
                continue;
            }
            if let Some(values) = data.get(at).filter(|_| word == "finally").and_then(|next| self.loop_return(*next)) {
                codes.push(Task::Codes(values));
                at += 1;
            } else if word == "using" {
                let pair = data.get(at).and_then(|pair| pair.list());
                if let Some(word) = pair.and_then(|list| self.data(list).next()) {
                    self.mark_all(word, MarkRole::Word);
                }
                let pair = pair.and_then(|list| self.data(list).nth(1));
                tasks.extend(pair.map(|name| Task::Bind(name, Pattern::Name)));
                at += 1;
            } else if let Some(&name) = data.get(at).filter(|_| binds) {
                let is_in = data.get(at + 1).is_some_and(|next| self.loop_word(*next) == Some("in"));
                tasks.push(self.bind_elements(name, data.get(at + 2).copied().filter(|_| is_in)));
                at += 1;
            }
        }
        tasks.extend(labels.into_iter().chain(codes));
        tasks.push(Task::Unbind(count));
        self.next(tasks);
    }
}
