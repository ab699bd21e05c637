//! Code split into forms, so that each is sent by itself: a change of the namespace takes effect for the next form,
//! each form has a value, and an error belongs to one of them.

use lispwright_syntax::{DiagnosticKind, Dialect, LineIndex, Span, TokenKind, read};

/// Code that was read.
pub(crate) struct Code<'a> {
    text: &'a str,
    lines: LineIndex,
    /// The forms up to the first fault.
    pub(crate) forms: Vec<Span>,
    /// The fault that ends the forms, if there is one.
    pub(crate) fault: Option<Fault>,
    /// The first place where the reader would evaluate something.
    pub(crate) read_eval: Option<u32>,
}

/// A fault that ends the code before its end.
pub(crate) struct Fault {
    /// The start of the incomplete form.
    pub(crate) form: u32,
    /// The place of the fault.
    pub(crate) at: u32,
    /// The code ends inside the form.
    pub(crate) unclosed: bool,
    /// The fault in words.
    pub(crate) message: String,
}

impl<'a> Code<'a> {
    /// Reads `text` as Clojure.
    pub(crate) fn read(text: &'a str) -> Self {
        let tree = read(text, Dialect::Clojure);
        let mut forms: Vec<Span> = tree.top_level().map(|datum| tree.datum_span(datum)).collect();
        let fault = tree.diagnostics().first().map(|first| {
            let form =
                forms.iter().find(|form| form.end > first.span.start).map_or(first.span.start, |form| form.start);
            let unclosed = matches!(first.kind, DiagnosticKind::Unclosed(_) | DiagnosticKind::UnclosedString);
            Fault { form: form.min(first.span.start), at: first.span.start, unclosed, message: first.kind.to_string() }
        });
        if let Some(fault) = &fault {
            forms.retain(|form| form.end <= fault.form);
        }
        let read_eval = tree
            .tokens()
            .find(|(kind, span)| *kind == TokenKind::Prefix && text[span.range()].starts_with("#="))
            .map(|(_, span)| span.start);
        Self { text, lines: LineIndex::new(text.as_bytes()), forms, fault, read_eval }
    }

    /// Ends the code where the reader would evaluate something.
    pub(crate) fn forbid_read_eval(&mut self) {
        let Some(at) = self.read_eval else { return };
        if self.fault.as_ref().is_some_and(|fault| fault.form <= at) {
            return;
        }
        let form = self.forms.iter().find(|form| form.end > at).map_or(at, |form| form.start);
        self.forms.retain(|before| before.end <= form);
        let message = "safe_read forbids evaluation by the reader (#=)".to_owned();
        self.fault = Some(Fault { form, at, unclosed: false, message });
    }

    /// Line and column of a byte, from 1.
    pub(crate) fn position(&self, offset: u32) -> (u32, u32) {
        let at = self.lines.line_column(self.text.as_bytes(), offset);
        (at.line, at.column)
    }

    /// The text of a form.
    pub(crate) fn slice(&self, form: Span) -> &'a str {
        &self.text[form.range()]
    }

    /// The text from `start`, at most 300 characters of it.
    pub(crate) fn excerpt(&self, start: u32, end: u32) -> String {
        self.text[start as usize..end as usize].chars().take(300).collect()
    }

    /// The end of the text.
    pub(crate) fn end(&self) -> u32 {
        self.text.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        let code = Code::read(text);
        code.forms.iter().map(|form| code.slice(*form)).collect()
    }

    #[test]
    fn forms_keep_their_prefixes_but_no_blanks_or_comments() {
        assert_eq!(
            split("; one\n(def ^:private a 1), #_(no) 'b\n#?(:clj c) ^{:m 1} [d] #(inc %)"),
            ["(def ^:private a 1)", "'b", "#?(:clj c)", "^{:m 1} [d]", "#(inc %)"]
        );
        assert!(split(" ; nothing\n#_x").is_empty());
    }

    #[test]
    fn the_first_fault_ends_the_forms() {
        let code = Code::read("(a)\n(b [c)\n(d)");
        assert_eq!(code.forms.len(), 1);
        let fault = code.fault.as_ref().expect("it does not balance");
        assert_eq!((code.position(fault.form).0, fault.unclosed), (2, false));
        let code = Code::read("(a)\n(b\n(c)");
        assert_eq!(code.forms.len(), 1);
        assert!(code.fault.is_some_and(|fault| fault.unclosed));
        let code = Code::read("a)\n(b)");
        assert_eq!((code.forms.len(), code.fault.is_some()), (1, true));
    }

    #[test]
    fn only_real_evaluation_by_the_reader_is_found() {
        assert!(Code::read("[1 #=(+ 1 2)]").read_eval.is_some());
        assert!(Code::read("\"#=(+ 1 2)\" ; #=(+ 1 2)").read_eval.is_none());
    }
}
