//! Checks that everything outside an edit still reads as before.
//!
//! Text that is put into a file can change what surrounds it without touching a byte there: an unfinished comment or
//! string swallows what follows, a `#;` or `#+x` takes the next datum, a bracket closes the list around it. The
//! readings of the file before and after the edit are compared outside the edited region: the same tokens, the same
//! lists, the same data at each level around the region, and no new diagnostics.

use lispwright_syntax::{Element, ListId, Span, TokenId, TokenKind, Tree};

/// How two readings differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// Outside the region something reads differently from this byte offset of the new text on.
    Outside {
        /// In the new text.
        at: u32,
    },
    /// The region has the wrong number of data.
    Data {
        /// The number found.
        found: usize,
    },
    /// The old region had another number of data than may be removed.
    Removed {
        /// The number found, data partly in it included.
        found: usize,
    },
}

/// The expected number of data in the region, at its own level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count {
    /// In the old text.
    pub(crate) removed: usize,
    /// In the new one.
    pub(crate) data: usize,
}

/// Compares `old` and `new`, where `region` of the old text has become `new_len` bytes, and counts the data in both.
pub(crate) fn verify(old: &Tree, new: &Tree, region: Span, new_len: u32, count: Count) -> Result<(), Difference> {
    let before = Side { tree: old, region, shift: 0 };
    let shift = i64::from(new_len) - i64::from(region.len());
    let after = Side { tree: new, region: Span::new(region.start, region.start + new_len), shift };
    // Usually everything there is equal, which this test finds without a walk over the tokens.
    if !old.agrees_outside(new, region, new_len) {
        same(before.tokens(), after.tokens(), &after)?;
        same(before.lists(), after.lists(), &after)?;
    }
    let (old_levels, new_levels) = (before.levels(), after.levels());
    let marks = |side: &Side<'_>, levels: &[Option<ListId>]| -> Vec<Mark> {
        levels.iter().map(|level| side.mark_of_level(*level)).collect()
    };
    same(marks(&before, &old_levels).into_iter(), marks(&after, &new_levels).into_iter(), &after)?;
    for (&old_level, &new_level) in old_levels.iter().zip(&new_levels) {
        same(before.elements(old_level), after.elements(new_level), &after)?;
    }
    if after.diagnostics_outside().count() > before.diagnostics_outside().count() {
        let at = after.diagnostics_outside().next().map_or(after.region.start, |span| span.start);
        return Err(Difference::Outside { at });
    }
    let found = before.data_held(*old_levels.last().expect("the top level is always there"));
    if found != count.removed {
        return Err(Difference::Removed { found });
    }
    match after.data_inside(*new_levels.last().expect("the top level is always there")) {
        Some(found) if found == count.data => Ok(()),
        Some(found) => Err(Difference::Data { found }),
        None => Err(Difference::Outside { at: after.region.end }),
    }
}

/// An item outside the region: its kind, and up to three byte offsets, mapped to the old text.
type Mark = (u8, [u32; 3]);

/// One reading, and its region that is not compared.
struct Side<'t> {
    tree: &'t Tree,
    region: Span,
    /// The number of bytes by which text after the region has moved right since the old text.
    shift: i64,
}

/// The first difference between two sequences of marks.
fn same(
    mut old: impl Iterator<Item = Mark>,
    mut new: impl Iterator<Item = Mark>,
    after: &Side<'_>,
) -> Result<(), Difference> {
    loop {
        let first = match (old.next(), new.next()) {
            (None, None) => return Ok(()),
            (Some(old), Some(new)) if old == new => continue,
            (Some((_, old)), Some((_, new))) => old[0].min(new[0]),
            (Some((_, only)), None) | (None, Some((_, only))) => only[0],
        };
        let at = if first < after.region.start { first } else { after.shifted(first, 1) };
        return Err(Difference::Outside { at });
    }
}

impl Side<'_> {
    fn is_outside(&self, span: Span) -> bool {
        span.end <= self.region.start || span.start >= self.region.end
    }

    fn shifted(&self, offset: u32, sign: i64) -> u32 {
        u32::try_from(i64::from(offset) + sign * self.shift).unwrap_or(0)
    }

    /// The place in the old text of a span outside the region; `None` when the span touches the region.
    fn in_old(&self, span: Span) -> Option<Span> {
        if span.end <= self.region.start {
            return Some(span);
        }
        (span.start >= self.region.end).then(|| Span::new(self.shifted(span.start, -1), self.shifted(span.end, -1)))
    }

    /// Every token outside the region except white space.
    fn tokens(&self) -> impl Iterator<Item = Mark> + '_ {
        self.tree.tokens().filter(|(kind, _)| *kind != TokenKind::Blank).filter_map(|(kind, span)| {
            let span = self.in_old(span)?;
            Some((kind as u8, [span.start, span.end, 0]))
        })
    }

    /// Every list that begins outside the region, with the place of its closer.
    fn lists(&self) -> impl Iterator<Item = Mark> + '_ {
        self.tree.lists().iter().filter_map(|list| {
            let open = self.in_old(self.tree.token_span(list.open()))?;
            Some(match list.close().map(|close| self.in_old(self.tree.token_span(close))) {
                None => (0, [open.start, 0, 0]),
                Some(Some(close)) => (1, [open.start, close.start, 0]),
                // Closed inside the region, which differs from the mark of every other list.
                Some(None) => (2, [open.start, 0, 0]),
            })
        })
    }

    /// The lists around the region, outermost first; `None` is the top level.
    fn levels(&self) -> Vec<Option<ListId>> {
        let mut levels = Vec::new();
        let first_inside = self.tree.lists().partition_point(|list| self.start_of(list.open()) < self.region.start);
        let mut candidate = (first_inside as ListId).checked_sub(1);
        while let Some(id) = candidate {
            let list = self.tree.list(id);
            let end = list.close().map_or_else(|| self.end_of_content(id), |close| self.start_of(close));
            let holds = if list.close().is_some() { end >= self.region.end } else { end > self.region.start };
            if holds {
                levels.push(Some(id));
            }
            candidate = list.parent();
        }
        levels.push(None);
        levels.reverse();
        levels
    }

    fn start_of(&self, token: TokenId) -> u32 {
        self.tree.token_span(token).start
    }

    /// The end of the content of an unclosed list.
    fn end_of_content(&self, list: ListId) -> u32 {
        self.tree.list_span(list).end
    }

    fn mark_of_level(&self, level: Option<ListId>) -> Mark {
        (0, [level.map_or(0, |id| self.start_of(self.tree.list(id).open())), 0, 0])
    }

    /// The data, discarded data and stray closers of a level that do not touch the region.
    fn elements(&self, level: Option<ListId>) -> impl Iterator<Item = Mark> + '_ {
        self.elements_with_spans(level).filter_map(|(tag, core, span)| {
            let old = self.in_old(span)?;
            Some((tag, [old.start, old.start + (core - span.start), old.end]))
        })
    }

    /// Kind, start of the core, and span of each element of a level.
    fn elements_with_spans(&self, level: Option<ListId>) -> impl Iterator<Item = (u8, u32, Span)> + '_ {
        let elements = match level {
            Some(list) => self.tree.elements(list),
            None => self.tree.top_elements(),
        };
        elements.filter_map(|element| match element {
            Element::Trivia(_) => None,
            Element::Datum(datum) => Some((0, self.start_of(datum.core), self.tree.datum_span(datum))),
            Element::Discarded(datum) => Some((1, self.start_of(datum.core), self.tree.datum_span(datum))),
            Element::Stray(token) => Some((2, self.start_of(token), self.tree.token_span(token))),
        })
    }

    /// The number of data in the region at its own level; `None` if one is only partly inside, or a closer has no
    /// opener.
    fn data_inside(&self, level: Option<ListId>) -> Option<usize> {
        let mut data = 0;
        for (tag, _, span) in self.elements_with_spans(level).filter(|(_, _, span)| !self.is_outside(*span)) {
            if !self.region.encloses(span) || tag == 2 {
                return None;
            }
            data += usize::from(tag == 0);
        }
        Some(data)
    }

    /// The number of data in the region at its own level, wholly or in part. It may also have stray closers and
    /// discarded data.
    fn data_held(&self, level: Option<ListId>) -> usize {
        self.elements_with_spans(level).filter(|(tag, _, span)| *tag == 0 && !self.is_outside(*span)).count()
    }

    fn diagnostics_outside(&self) -> impl Iterator<Item = Span> + '_ {
        self.tree.diagnostics().iter().map(|diagnostic| diagnostic.span).filter(|span| self.is_outside(*span))
    }
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::{Dialect, read};

    use super::*;

    /// Replaces the part between `«` and `»` by `content` and compares the readings.
    #[track_caller]
    fn check(dialect: Dialect, marked: &str, content: &str, data: usize, expected: Result<(), &str>) {
        check_counts(dialect, marked, content, Count { removed: 1, data }, expected);
    }

    #[track_caller]
    fn check_counts(dialect: Dialect, marked: &str, content: &str, count: Count, expected: Result<(), &str>) {
        let start = marked.find('«').expect("a start mark");
        let end = marked.find('»').expect("an end mark") - '«'.len_utf8();
        let old = marked.replace(['«', '»'], "");
        let new = format!("{}{content}{}", &old[..start], &old[end..]);
        let region = Span::new(start as u32, end as u32);
        let (old, new_tree) = (read(&old, dialect), read(&new, dialect));
        let found = verify(&old, &new_tree, region, content.len() as u32, count);
        match (found, expected) {
            (Ok(()), Ok(())) => {}
            (Err(Difference::Outside { at }), Err(rest)) => {
                assert!(new[at as usize..].starts_with(rest), "{at} in {new}")
            }
            (Err(Difference::Data { found }), Err(count)) => assert_eq!(found.to_string(), count),
            (Err(Difference::Removed { found }), Err(count)) => assert_eq!(format!("-{found}"), count),
            (found, expected) => panic!("{found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn a_form_for_a_form() {
        let cl = Dialect::CommonLisp;
        check(cl, "(a) «(b)» (c)", "(b (longer))", 1, Ok(()));
        check(cl, "(a) «(b)» (c)", "", 0, Ok(()));
        check(cl, "(p (q «(b)» r) s)", "(x) ; y\n", 1, Ok(()));
        check(cl, "(p\n  «(b)»)\n(c)", "(x) (y)", 2, Ok(()));
        check(cl, "(p\n  «(b)»)\n(c)", "(x) (y)", 1, Err("2"));
    }

    #[test]
    fn data_removed_with_the_region_are_counted() {
        let cl = Dialect::CommonLisp;
        let removed = |removed, data| Count { removed, data };
        check_counts(cl, "(a) «(b) x» (c)", "(b)", removed(1, 1), Err("-2"));
        check_counts(cl, "(a) «(b)\n\n(d)»\n (c)", "", removed(1, 0), Err("-2"));
        check_counts(cl, "(p (q «(b) r») s)", "(x)", removed(1, 1), Err("-2"));
        check_counts(cl, "(a) «; x\n»(c)", "", removed(1, 0), Err("-0"));
        check_counts(cl, "(a) «; x\n»(c)", "(b)", removed(0, 1), Ok(()));
        check_counts(cl, "(a) «#| x |# (b) ; y\n»(c)", "", removed(1, 0), Ok(()));
        check_counts(Dialect::Clojure, "(a #?(«:clj (b) »:cljs (c)))", "", removed(2, 0), Ok(()));
    }

    #[test]
    fn changes_outside_the_region_are_found() {
        let cl = Dialect::CommonLisp;
        check(cl, "(a) «(b)» (c)", "(b) ;", 1, Err("(c)"));
        check(cl, "(a) «(b)» (c)", "(b) #+x", 1, Err("(c)"));
        check(cl, "(a) «(b)» (c)", "(b) #|", 1, Err("(c)"));
        check(cl, "(a) «(b)» (c)", "(b) \"", 1, Err("(c)"));
        check(cl, "(a) «(b)»(c)", "b'", 1, Err("(c)"));
        check(cl, "(a) «(b)»c", "b", 1, Err("c"));
        check(cl, "(a «(b)» c)", "b) (", 1, Err("(a"));
        check(Dialect::Clojure, "(a «(b)» c)", "b #_", 1, Err("c"));
    }

    #[test]
    fn a_broken_file_may_stay_as_broken_as_it_was() {
        let cl = Dialect::CommonLisp;
        check(cl, "(a (b\n\n«(c)»\n\n(d))))\n", "(x y)", 1, Ok(()));
        check(cl, "(a)\n\n«(b (c»\n\n(d)\n", "(b (c))", 1, Ok(()));
        check(cl, "(a)\n\n«(b))»\n\n(d)\n", "(b)", 1, Ok(()));
    }
}
