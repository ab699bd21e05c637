//! What code asks of the host of its language: classes, and what they have.

use lispwright_index::{Use, UseKind};
use lispwright_syntax::Span;

use crate::dialects::call_words;
use crate::file::File;

/// The name is one that a class has, without its package.
pub(crate) fn is_class(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase()) && name.chars().all(|one| one.is_ascii_alphanumeric())
}

impl File<'_, '_> {
    /// Code calls methods and constructors of a host; vectors, maps and sets are evaluated.
    pub(crate) fn is_hosted(&self) -> bool {
        call_words(self.dialect()).is_hosted
    }

    /// The head calls the host, as that of `(.method x)`, `(Class. x)` or `(Class/method x)`.
    pub(crate) fn is_of_host(&self, head: Span) -> bool {
        let text = self.source(head);
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        self.is_hosted()
            && text.len() > 2
            && (text.starts_with('.')
                || text.ends_with('.')
                || text.split_once('/').is_some_and(|(class, _)| is_class(&last(class))))
    }

    /// The use names a class, and is no variable: `(Name. …)`, `Name/member`, `^Name x`.
    pub(crate) fn names_class(&self, used: &Use) -> bool {
        let span = used.span();
        let (written, text) = (self.source(span), self.text());
        let (before, after) = (&text[..span.start as usize], &text[span.end as usize..]);
        self.is_hosted()
            && matches!(used.kind, UseKind::Call | UseKind::Value)
            && !used.hidden
            && is_class(written.split('/').next().unwrap_or_default())
            && (written.contains('/') || after.starts_with('.') || before.ends_with('^'))
    }
}
