//! Sets of characters, and their form in both notations: `[a-z]`, `[^;\n]`.

use std::fmt::Write;

/// A set of Unicode scalar values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chars {
    /// Inclusive, ascending, neither touching nor overlapping.
    ranges: Vec<(char, char)>,
}

impl Chars {
    /// Every character that `accepts`.
    pub(crate) fn filter(accepts: impl Fn(char) -> bool) -> Self {
        let mut ranges: Vec<(char, char)> = Vec::new();
        let mut open = false;
        for c in '\0'..=char::MAX {
            match (accepts(c), open, ranges.last_mut()) {
                (true, true, Some(last)) => last.1 = c,
                (true, ..) => ranges.push((c, c)),
                (false, ..) => {}
            }
            open = ranges.last().is_some_and(|last| last.1 == c);
        }
        Self { ranges }
    }

    /// Every character.
    pub(crate) fn all() -> Self {
        Self { ranges: vec![('\0', char::MAX)] }
    }

    /// The characters of `list`.
    pub(crate) fn of(list: &str) -> Self {
        let mut chars: Vec<char> = list.chars().collect();
        chars.sort_unstable();
        let mut set = Self { ranges: Vec::new() };
        for c in chars {
            match set.ranges.last_mut() {
                Some(last) if after(last.1).is_none_or(|next| c <= next) => last.1 = last.1.max(c),
                _ => set.ranges.push((c, c)),
            }
        }
        set
    }

    /// Every character but those of `list`.
    pub(crate) fn except(list: &str) -> Self {
        Self::all().without(list)
    }

    /// The ASCII digits.
    pub(crate) fn digits() -> Self {
        Self { ranges: vec![('0', '9')] }
    }

    /// The hexadecimal digits.
    pub(crate) fn hex_digits() -> Self {
        Self { ranges: vec![('0', '9'), ('A', 'F'), ('a', 'f')] }
    }

    /// These characters without those of `list`.
    pub(crate) fn without(&self, list: &str) -> Self {
        let holes = Self::of(list);
        let mut ranges = Vec::new();
        for &(first, last) in &self.ranges {
            let mut from = Some(first);
            for &(hole_first, hole_last) in &holes.ranges {
                let Some(start) = from.filter(|&start| hole_last >= start && hole_first <= last) else { continue };
                if let Some(end) = before(hole_first).filter(|&end| end >= start) {
                    ranges.push((start, end));
                }
                from = after(hole_last);
            }
            if let Some(start) = from.filter(|&start| start <= last) {
                ranges.push((start, last));
            }
        }
        Self { ranges }
    }

    /// These characters and `c`.
    pub(crate) fn with(mut self, c: char) -> Self {
        self.ranges.push((c, c));
        self.ranges.sort_unstable();
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// A character is in both sets.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.ranges.iter().any(|a| other.ranges.iter().any(|b| a.0 <= b.1 && b.0 <= a.1))
    }

    /// The set as a bracketed class. A set that includes the last character is written by its complement.
    pub(crate) fn class(&self) -> String {
        let negated = self.has_last();
        let mut class = String::from(if negated { "[^" } else { "[" });
        if negated {
            let mut next = Some('\0');
            for &(first, last) in &self.ranges {
                if let (Some(from), Some(to)) = (next, before(first))
                    && from <= to
                {
                    push_range(&mut class, from, to);
                }
                next = after(last);
            }
        } else {
            for &(first, last) in &self.ranges {
                push_range(&mut class, first, last);
            }
        }
        class.push(']');
        class
    }

    /// The set contains the last character of Unicode: it is written by its complement.
    pub(crate) fn has_last(&self) -> bool {
        self.ranges.last().is_some_and(|last| last.1 == char::MAX)
    }

    /// The set contains every character.
    pub(crate) fn is_all(&self) -> bool {
        self.ranges == [('\0', char::MAX)]
    }
}

fn push_range(class: &mut String, first: char, last: char) {
    push_member(class, first);
    if after(first) == Some(last) {
        push_member(class, last);
    } else if first != last {
        class.push('-');
        push_member(class, last);
    }
}

/// llama.cpp allows a backslash before no other character.
fn push_member(class: &mut String, c: char) {
    match c {
        '^' => class.push_str("\\x5E"),
        '-' => class.push_str("\\x2D"),
        _ => push_escaped(class, c, "\\[]"),
    }
}

/// A character as both notations read it: those in `special` with a backslash, the others as themselves if they are
/// visible.
pub(crate) fn push_escaped(text: &mut String, c: char, special: &str) {
    let written = match c {
        '\n' => text.write_str("\\n"),
        '\r' => text.write_str("\\r"),
        '\t' => text.write_str("\\t"),
        _ if special.contains(c) => write!(text, "\\{c}"),
        ' '..='~' => write!(text, "{c}"),
        '\0'..='\u{ff}' => write!(text, "\\x{:02X}", u32::from(c)),
        '\u{100}'..='\u{ffff}' => write!(text, "\\u{:04X}", u32::from(c)),
        _ => write!(text, "\\U{:08X}", u32::from(c)),
    };
    written.expect("a string takes everything");
}

fn after(c: char) -> Option<char> {
    (c..=char::MAX).nth(1)
}

fn before(c: char) -> Option<char> {
    ('\0'..c).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_written_by_their_shorter_side() {
        assert_eq!(Chars::of("cab").class(), "[a-c]");
        assert_eq!(Chars::of("ab]-").class(), r"[\x2D\]ab]");
        assert_eq!(Chars::except("\n;").class(), r"[^\n;]");
        assert_eq!(Chars::filter(|c| c != '\u{2028}' && c > ' ').class(), r"[^\x00- \u2028]");
        assert_eq!(Chars::digits().without("05").class(), "[1-46-9]");
    }

    #[test]
    fn sets_meet_where_they_share_a_character() {
        assert!(Chars::of("abc").meets(&Chars::of("cd")));
        assert!(!Chars::of("ab").meets(&Chars::except("ab")));
        assert!(Chars::all().without("x").without("x").meets(&Chars::of("y")));
        assert!(Chars::of("a").without("a").is_empty());
    }
}
