//! Code that an image has evaluated, read for what it says of the image.

use lispwright_index::Facts;
use lispwright_runtime::{Ending, EvalReport};
use lispwright_syntax::{Dialect, Span, Tree, read};

/// Code of which an image has evaluated the first forms.
pub(crate) struct Evaluated<'c> {
    pub(crate) code: &'c str,
    pub(crate) facts: Facts,
    tree: Tree,
    /// The number of forms that were evaluated to their ends.
    count: usize,
}

impl<'c> Evaluated<'c> {
    /// The code of a call, with its report.
    pub(crate) fn of(code: &'c str, report: &EvalReport) -> Self {
        let count = match &report.ending {
            Ending::Values(_) => usize::MAX,
            Ending::Error { place, .. } | Ending::Stopped { place, .. } => place.index.saturating_sub(1) as usize,
            _ => 0,
        };
        Self::new(code, report.runtime.dialect, count)
    }

    /// Code of which the first `count` forms were evaluated.
    pub(crate) fn new(code: &'c str, dialect: Dialect, count: usize) -> Self {
        let tree = read(code, dialect);
        Self { code, facts: Facts::of(&tree, code), tree, count }
    }

    /// The forms that were evaluated to their ends.
    pub(crate) fn forms(&self) -> impl Iterator<Item = Span> + '_ {
        self.tree.top_level().take(self.count).map(|datum| self.tree.datum_span(datum))
    }

    /// The byte at which the first form begins that was not, if there is one.
    pub(crate) fn end(&self) -> u32 {
        self.tree.top_level().nth(self.count).map_or(u32::MAX, |datum| self.tree.datum_span(datum).start)
    }
}
