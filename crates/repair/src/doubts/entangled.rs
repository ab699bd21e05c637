//! Signs that one form lacks a delimiter that another form has too many: then neither can be repaired by itself.

use super::Doubt;
use super::shapes::lacks_a_body;
use crate::case::Case;
use crate::text::scope::Chunk;
use crate::witnesses::habits::Habits;
use crate::witnesses::operators::is_library;

impl Case<'_> {
    /// The first doubt about all answers that the other forms of the text give.
    pub(crate) fn entangled(&self, habits: &Habits) -> Option<Doubt> {
        let (tokens, chunks) = self.cut();
        let nets = || chunks.iter().filter(|chunk| !chunk.healthy).map(|chunk| chunk.net);
        // A definition that has lost its opener is read as a row of atoms and lists.
        let bare = |chunk: &Chunk| chunk.healthy && tokens[chunk.tokens.start].definer;
        let lacking = nets().sum::<i64>() < 0;
        let bodiless = |(index, chunk): (usize, &Chunk)| {
            let beside = chunks.get(index + 1).is_some_and(|next| !next.healthy) || lacking;
            chunk.healthy
                && !chunk.wraps
                && beside
                && lacks_a_body(&tokens[chunk.tokens.clone()], self.language.dialect(), habits)
        };
        // The body of a library may begin in column 0, and then lack the closer that the library seems to lack.
        let holds_the_rest = |(index, chunk): (usize, &Chunk)| {
            let head = tokens[chunk.tokens.clone()].iter().find(|token| !token.kind.is_open());
            let follows = chunks[index + 1..].iter().any(|next| tokens[next.tokens.start].kind.is_open());
            chunk.net > 0 && follows && head.is_some_and(|head| is_library(head.head))
        };
        let wraps = || self.before.is_none() && chunks.iter().enumerate().any(holds_the_rest);
        let doubts = [
            (Doubt::Cancelling, (nets().any(|net| net > 0) && nets().any(|net| net < 0)) || wraps()),
            (Doubt::StrayMark, self.has_stray_mark(tokens)),
            (Doubt::BareDefinition, chunks.iter().any(bare)),
            (Doubt::BodilessNeighbour, chunks.iter().enumerate().any(bodiless)),
        ];
        doubts.into_iter().find(|(doubt, holds)| *holds && self.considers(*doubt)).map(|(doubt, _)| doubt)
    }
}
