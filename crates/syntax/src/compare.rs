//! Compares the trees of a text before and after a part of it was replaced.

use crate::span::Span;
use crate::token::TokenId;
use crate::tree::{List, Tree};

/// The tokens of a tree before and after the part that was replaced.
#[derive(Clone, Copy)]
struct Cut {
    /// How many tokens end at the start of the part or before it.
    front: TokenId,
    /// The first token that begins at the end of the part or after it.
    back: TokenId,
}

impl Cut {
    fn of(tree: &Tree, part: Span) -> Self {
        let count = tree.kinds.len();
        Self {
            front: tree.starts[1..].partition_point(|&end| end <= part.start) as TokenId,
            back: tree.starts[..count].partition_point(|&start| start < part.end) as TokenId,
        }
    }
}

impl Tree {
    /// Outside of `part`, which has become `new_len` bytes of the text of `new`, both trees have the same tokens at the
    /// same places, and the same lists. The lists around these are not compared.
    ///
    /// White space counts, too: if a change only extends the white space at the border of `part`, the trees differ.
    pub fn agrees_outside(&self, new: &Self, part: Span, new_len: u32) -> bool {
        let (old_cut, new_cut) = (Cut::of(self, part), Cut::of(new, Span::new(part.start, part.start + new_len)));
        let front = old_cut.front as usize;
        let (old_back, new_back) = (old_cut.back as usize, new_cut.back as usize);
        let shift = new_len.wrapping_sub(part.len());
        front == new_cut.front as usize
            && front <= old_back.min(new_back)
            && self.kinds[..front] == new.kinds[..front]
            && self.starts[..=front] == new.starts[..=front]
            && self.kinds[old_back..] == new.kinds[new_back..]
            && self.starts[old_back..]
                .iter()
                .zip(&new.starts[new_back..])
                .all(|(old, new)| old.wrapping_add(shift) == *new)
            && self.same_lists(new, old_cut, new_cut)
    }

    /// The lists that begin outside of the cuts end outside of them, at the same tokens.
    fn same_lists(&self, new: &Self, old_cut: Cut, new_cut: Cut) -> bool {
        let moved = |token: TokenId| match token {
            token if token < old_cut.front => Some(token),
            token if token >= old_cut.back => Some(token - old_cut.back + new_cut.back),
            _ => None,
        };
        let outside = |token: TokenId| token < new_cut.front || token >= new_cut.back;
        let same = |(old, new): (&List, &List)| {
            let closes_alike = match (old.close(), new.close()) {
                (None, None) => true,
                (Some(old), Some(new)) => moved(old) == Some(new).filter(|new| outside(*new)),
                _ => false,
            };
            moved(old.open()) == Some(new.open()) && closes_alike
        };
        let (before, after) = (self.first_list_from(old_cut.front), self.first_list_from(old_cut.back));
        let (new_before, new_after) = (new.first_list_from(new_cut.front), new.first_list_from(new_cut.back));
        let front = (&self.lists[..before as usize], &new.lists[..new_before as usize]);
        let back = (&self.lists[after as usize..], &new.lists[new_after as usize..]);
        [front, back].into_iter().all(|(old, new)| old.len() == new.len() && old.iter().zip(new).all(same))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, Span, read};

    /// Replaces the part between `«` and `»` by `content`.
    fn agrees(marked: &str, content: &str) -> bool {
        let start = marked.find('«').expect("a start mark");
        let end = marked.find('»').expect("an end mark") - '«'.len_utf8();
        let old = marked.replace(['«', '»'], "");
        let new = format!("{}{content}{}", &old[..start], &old[end..]);
        let part = Span::new(start as u32, end as u32);
        read(&old, Dialect::CommonLisp).agrees_outside(&read(&new, Dialect::CommonLisp), part, content.len() as u32)
    }

    #[test]
    fn text_outside_of_the_part_reads_the_same() {
        assert!(agrees("(a (b)) «(c d)» (e)", "(c (d) \"x\" e)"));
        assert!(agrees("(a «(b)» c) (d (e))", "x"));
        assert!(agrees("«(a)» (b)", "(c) (d)"));
        assert!(agrees("(a) «(b)»", "x"));
        assert!(agrees("«»", "(a)"));
    }

    #[test]
    fn text_that_reads_otherwise_is_found() {
        assert!(!agrees("(x «(b)» (c))", "(b))"));
        assert!(!agrees("(x «(b)» y) (c)", ") (b"));
        assert!(!agrees("(a) «(b)» (c)", "\""));
        assert!(!agrees("(a) «(b)»\n(c)", "; b\n"));
        assert!(!agrees("(a)«(b)»c", "d"));
    }
}
