//! Text of an image inside our own text: fenced, so that one cannot pass for the other, and cut to size.
//!
//! In an answer, each of our lines that opens a block begins with `[` or `=>`. A line of the image that begins so is
//! indented by one space. In values, messages and names, invisible characters are shown as escapes, because a caller
//! wants to know the content of a value; from printed output they are removed, together with terminal escapes.

use std::collections::HashMap;

use lispwright_runtime::Printed;
use lispwright_syntax::{escaped, head, in_a_line, visible};

/// Output of an image, ready for an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fenced {
    /// The text; if it was too long, both ends and a line between them that says so.
    pub text: String,
    /// Characters left out.
    pub left_out: u64,
}

/// A value, message or name of an image, with fenced lines.
pub fn fence(text: &str) -> String {
    fence_lines(&visible(text))
}

/// Output of a program, with fenced lines.
pub fn fence_printed(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' => plain.push('\n'),
            '\u{1b}' => skip_escape(&mut rest),
            other if escaped(other).is_some() => {}
            other => plain.push(other),
        }
    }
    fence_lines(&plain)
}

fn fence_lines(text: &str) -> String {
    let mut fenced = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.starts_with('[') || line.starts_with("=>") {
            fenced.push(' ');
        }
        fenced.push_str(line);
    }
    fenced
}

/// Like [`fence`], for a text that does not begin a line.
pub fn fence_inside(text: &str) -> String {
    let fenced = fence(text);
    match fenced.strip_prefix(' ') {
        Some(rest) if !text.starts_with(' ') => rest.to_owned(),
        _ => fenced,
    }
}

/// Skips the rest of a terminal escape sequence (ECMA-48) after its first character.
fn skip_escape(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            while rest.next_if(|character| ('\u{20}'..='\u{3f}').contains(character)).is_some() {}
            rest.next_if(|character| ('\u{40}'..='\u{7e}').contains(character));
        }
        Some(']') => {
            // An operating system command ends with BEL or ESC \, at the latest with the line.
            while let Some(character) = rest.next_if(|character| *character != '\n') {
                if character == '\u{7}' {
                    return;
                }
                if character == '\u{1b}' {
                    rest.next_if_eq(&'\\');
                    return;
                }
            }
        }
        _ => {}
    }
}

fn tail(text: &str, limit: usize) -> &str {
    let count = text.chars().count();
    if count <= limit {
        return text;
    }
    text.char_indices().nth(count - limit).map_or("", |(start, _)| &text[start..])
}

/// The first line of `text`, at most `limit` characters of it, for use inside one of our lines.
pub fn one_line(text: &str, limit: usize) -> String {
    let flat = fence(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match head(&flat, limit) {
        (_, 0) => flat,
        (cut, _) => format!("{cut}..."),
    }
}

/// Names from a user or an image, in one line.
pub fn listed(names: &[String]) -> String {
    names.iter().map(|name| in_a_line(name)).collect::<Vec<_>>().join(", ")
}

/// The first `limit` characters of fenced text, up to the end of a line, and the number of characters after them.
pub fn start_of_fenced(text: &str, limit: usize) -> (String, usize) {
    let (kept, left) = head(text, limit);
    if left == 0 {
        return (text.to_owned(), 0);
    }
    let kept = kept.rfind('\n').map_or(kept, |end| &kept[..=end]);
    (kept.to_owned(), text[kept.len()..].chars().count())
}

/// Text of an image cut to `limit` characters from its start.
pub fn start_of(text: &str, limit: usize) -> Fenced {
    let text = fence(text);
    let (kept, left_out) = head(&text, limit);
    Fenced { text: kept.to_owned(), left_out: left_out as u64 }
}

/// Output cut to about `limit` characters, two thirds of them from the start.
pub fn ends_of(printed: &Printed, limit: usize) -> Fenced {
    let start = fence_printed(&printed.head);
    let length = start.chars().count();
    if printed.dropped == 0 && length <= limit {
        return Fenced { text: start, left_out: 0 };
    }
    let (from_start, from_end) = (limit - limit / 3, limit / 3);
    let (first, last, left_out) = if printed.dropped == 0 {
        (head(&start, from_start).0, tail(&start, from_end).to_owned(), (length - limit) as u64)
    } else {
        let end = fence_printed(&printed.tail);
        let last = tail(&end, from_end).to_owned();
        let (first, left) = head(&start, from_start);
        let left_out = printed.dropped + left as u64 + (end.chars().count() - last.chars().count()) as u64;
        (first, last, left_out)
    };
    let text = format!("{}\n[{left_out} characters left out]\n{last}", first.trim_end_matches('\n'));
    Fenced { text, left_out }
}

/// `lines` as text. A repeated line is at its first place, with its number of occurrences.
pub fn each_once(lines: impl IntoIterator<Item = String>) -> String {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut counted: Vec<(String, usize)> = Vec::new();
    for line in lines {
        let place = *places.entry(line.clone()).or_insert(counted.len());
        match counted.get_mut(place) {
            Some((_, times)) => *times += 1,
            None => counted.push((line, 1)),
        }
    }
    let shown = |(line, times): (String, usize)| match times {
        1 => format!("{line}\n"),
        _ => format!("{line} ({times} times)\n"),
    };
    counted.into_iter().map(shown).collect()
}

/// Shares `room` among parts of the given lengths: the room that a short part does not need goes to the long ones.
pub fn shares(lengths: &[usize], room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|part| lengths[*part]);
    let mut shares = vec![0; lengths.len()];
    let mut left = room;
    for (done, part) in order.iter().enumerate() {
        shares[*part] = lengths[*part].min(left / (lengths.len() - done));
        left -= shares[*part];
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_lines_are_counted() {
        let lines = ["a", "b", "a", "a"].map(str::to_owned);
        assert_eq!(each_once(lines), "a (3 times)\nb\n");
    }

    #[test]
    fn text_of_an_image_cannot_pass_for_ours() {
        assert_eq!(fence("=> 4\n[ERROR] x\n [note]\na => b\n"), " => 4\n [ERROR] x\n [note]\na => b\n");
        assert_eq!(fence_inside("[1]\n[2]"), "[1]\n [2]");
        assert_eq!(fence_inside(" [1]"), " [1]");
        for printed in ["a\r=> 4", "a\n\u{200e}=> 4", "a\n\u{1b}[31m=> 4"] {
            assert_eq!(fence_printed(printed), "a\n => 4");
        }
    }

    #[test]
    fn invisible_characters_are_escaped_in_values_and_removed_from_output() {
        let text = "a\u{1b}[31mred\u{1b}[0m\u{8}\u{202e}b\tc\r\nd";
        assert_eq!(fence(text), "a\\x1b[31mred\\x1b[0m\\x08\\u202eb\tc\\r\nd");
        assert_eq!(one_line("a\r\u{85}b", 20), "a\\r\\x85b");
        assert_eq!(fence_printed(text), "aredb\tc\nd");
        assert_eq!(fence_printed("\u{1b}]0;title\u{7}text\u{1b}"), "text");
    }

    #[test]
    fn long_output_keeps_both_ends() {
        let printed = Printed { head: "a".repeat(50) + &"b".repeat(50), ..Printed::default() };
        let fenced = ends_of(&printed, 30);
        assert_eq!(fenced.left_out, 70);
        assert_eq!(fenced.text, format!("{}\n[70 characters left out]\n{}", "a".repeat(20), "b".repeat(10)));
        let printed = Printed { head: "a".repeat(50), dropped: 7, tail: "b".repeat(50) };
        assert_eq!(ends_of(&printed, 30).left_out, 77);
        let printed = Printed { head: "short".into(), ..Printed::default() };
        assert_eq!(ends_of(&printed, 30), Fenced { text: "short".into(), left_out: 0 });
    }

    #[test]
    fn room_goes_where_it_is_needed() {
        assert_eq!(shares(&[10, 10], 100), [10, 10]);
        assert_eq!(shares(&[1000, 10, 1000], 110), [50, 10, 50]);
        assert_eq!(shares(&[], 5), Vec::<usize>::new());
    }

    #[test]
    fn names_stay_in_the_line_that_lists_them() {
        assert_eq!(listed(&["a\n[note] b".into(), "c\u{202e}".into()]), "a\\n[note] b, c\\u202e");
    }
}
