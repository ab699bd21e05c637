//! A page of hypertext as plain text.
//!
//! The pages are HTML 3.2 of one generator: a head, a line of navigation, a rule, the text, a rule, navigation again.
//! Only what such pages have is understood; of anything else the words remain.

/// A page, or the part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Its title, without the name of the work.
    pub(super) title: Option<String>,
    /// Its text: paragraphs with empty lines between them.
    pub(super) text: String,
    /// The bytes of its beginning that say how a name is used, or its first paragraph.
    pub(super) brief: usize,
}

impl Page {
    /// Reads a page, or what belongs to an anchor on it. `None` if there is no such anchor.
    pub(super) fn read(html: &str, anchor: Option<&str>) -> Option<Self> {
        let title = between(html, "<title>", "</title>").map(|title| text_of(title).replace('\n', " "));
        let title = title.map(|title| title.strip_prefix("CLHS:").unwrap_or(&title).trim().to_owned());
        let body = match anchor {
            Some(anchor) => at_anchor(html, anchor)?,
            None => body(html),
        };
        let text = text_of(body);
        let brief = match text.find("\nDescription:\n") {
            Some(end) if text.contains("Syntax:\n") => text[..end].trim_end().len(),
            _ => text.find("\n\n").unwrap_or(text.len()),
        };
        Some(Self { title: title.filter(|title| !title.is_empty() && anchor.is_none()), text, brief })
    }
}

/// The place of `what`, in small letters, in `html`, from byte `from`.
fn find(html: &str, what: &str, from: usize) -> Option<usize> {
    let (html, what) = (html.as_bytes(), what.as_bytes());
    let found = html.get(from..)?.windows(what.len()).position(|window| window.eq_ignore_ascii_case(what))?;
    Some(from + found)
}

fn between<'h>(html: &'h str, open: &str, close: &str) -> Option<&'h str> {
    let start = find(html, open, 0)? + open.len();
    html.get(start..find(html, close, start)?)
}

/// What stands between the first rule and the last.
fn body(html: &str) -> &str {
    let mut rules = Vec::new();
    let mut from = find(html, "<body", 0).unwrap_or(0);
    let whole = from;
    while let Some(at) = find(html, "<hr", from) {
        rules.push(at);
        from = at + 3;
    }
    match rules[..] {
        [first, .., last] => &html[first..last],
        [only] => &html[only..],
        [] => &html[whole..],
    }
}

/// The hypertext from an anchor to the next one that begins a paragraph.
fn at_anchor<'h>(html: &'h str, anchor: &str) -> Option<&'h str> {
    let mut from = 0;
    while let Some(at) = find(html, "<a name=", from) {
        from = at + 8;
        let rest = html.get(from..)?;
        let name = rest.split('>').next()?.trim().trim_matches('"');
        if name.eq_ignore_ascii_case(anchor) {
            let end = find(html, "<p><a name=", from).or_else(|| find(html, "<hr", from)).unwrap_or(html.len());
            return html.get(at..end);
        }
    }
    None
}

/// Elements that begin a paragraph, and those that begin a line.
const PARAGRAPHS: &[&str] = &["p", "h1", "h2", "h3", "h4", "ul", "ol", "dl", "pre", "table", "blockquote", "div", "hr"];
const LINES: &[&str] = &["br", "li", "dt", "dd", "tr"];

/// The text of hypertext.
fn text_of(html: &str) -> String {
    let mut writer = Writer::default();
    let mut rest = html;
    loop {
        let (text, tag) = rest.split_once('<').map_or((rest, None), |(text, tag)| (text, Some(tag)));
        writer.text(text);
        let Some(tag) = tag else { return writer.done() };
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
            continue;
        }
        let is_tag = tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        let Some((inside, after)) = tag.split_once('>').filter(|_| is_tag) else {
            writer.text("<");
            rest = tag;
            continue;
        };
        rest = after;
        let name =
            inside.trim_start_matches('/').split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let name = name.to_ascii_lowercase();
        let is_end = inside.starts_with('/');
        match &*name {
            "script" | "style" if !is_end => {
                let end = find(rest, &format!("</{name}"), 0).unwrap_or(rest.len());
                rest = &rest[end..];
            }
            "li" if !is_end => writer.line("- "),
            "td" | "th" if !is_end => writer.text("  "),
            _ if PARAGRAPHS.contains(&&*name) => writer.paragraph(),
            _ if LINES.contains(&&*name) => writer.line(""),
            _ => {}
        }
        if name == "pre" {
            writer.is_kept = !is_end;
        }
    }
}

/// Text in which white space has been joined.
#[derive(Default)]
struct Writer {
    text: String,
    /// White space is kept as it is.
    is_kept: bool,
    /// Line ends before the next word.
    breaks: usize,
    has_blank: bool,
    /// What the next line begins with.
    mark: &'static str,
}

impl Writer {
    fn paragraph(&mut self) {
        self.breaks = 2;
    }

    fn line(&mut self, mark: &'static str) {
        self.breaks = self.breaks.max(1);
        self.mark = mark;
    }

    fn text(&mut self, text: &str) {
        let text = with_entities(text);
        if self.is_kept {
            if !text.is_empty() {
                self.separate();
                self.text.push_str(&text.replace("\r\n", "\n"));
            }
            return;
        }
        for (number, word) in text.split([' ', '\n', '\r', '\t']).enumerate() {
            self.has_blank |= number > 0;
            if !word.is_empty() {
                self.separate();
                self.text.push_str(word);
            }
        }
    }

    /// Writes what separates the next word from the text before it.
    fn separate(&mut self) {
        if self.breaks > 0 {
            let end = self.text.trim_end_matches([' ', '\n']).len();
            self.text.truncate(end);
            let breaks = if self.text.is_empty() { 0 } else { self.breaks };
            self.text.extend(std::iter::repeat_n('\n', breaks));
            self.text.push_str(self.mark);
        } else if self.has_blank && !self.text.is_empty() && !self.is_kept && !self.text.ends_with('\n') {
            self.text.push(' ');
        }
        (self.breaks, self.has_blank, self.mark) = (0, false, "");
    }

    fn done(self) -> String {
        self.text.trim().to_owned()
    }
}

/// The entities that such pages have (HTML 3.2, ISO Latin 1), and those of symbols.
const ENTITIES: &[(&str, char)] = &[
    ("lt", '<'),
    ("gt", '>'),
    ("amp", '&'),
    ("quot", '"'),
    ("nbsp", '\u{a0}'),
    ("copy", '©'),
    ("reg", '®'),
    ("sect", '§'),
    ("times", '×'),
    ("divide", '÷'),
    ("plusmn", '±'),
    ("middot", '·'),
    ("eacute", 'é'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("auml", 'ä'),
    ("szlig", 'ß'),
    ("pi", 'π'),
    ("le", '≤'),
    ("ge", '≥'),
    ("ne", '≠'),
    ("larr", '←'),
    ("rarr", '→'),
    ("mdash", '—'),
    ("ndash", '–'),
    ("hellip", '…'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
];

/// The longest entity, in bytes.
const LONGEST_ENTITY: usize = 10;

/// The text with its entities decoded; what is no entity stays.
fn with_entities(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        let end = after.bytes().take(LONGEST_ENTITY).position(|byte| !byte.is_ascii_alphanumeric() && byte != b'#');
        let name = &after[..end.unwrap_or(after.len().min(LONGEST_ENTITY)).min(after.len())];
        let character = match name.strip_prefix('#') {
            Some(number) => {
                let hexadecimal = number.strip_prefix(['x', 'X']);
                let code = hexadecimal.map_or_else(|| number.parse(), |digits| u32::from_str_radix(digits, 16));
                code.ok().and_then(char::from_u32)
            }
            None => ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, character)| *character),
        };
        match character {
            Some(character) => {
                decoded.push(if character == '\u{a0}' { ' ' } else { character });
                rest = &after[name.len()..];
                rest = rest.strip_prefix(';').unwrap_or(rest);
            }
            None => {
                decoded.push('&');
                rest = after;
            }
        }
    }
    decoded + rest
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn words_remain_and_paragraphs_are_apart() {
        for (html, text) in [
            ("a  b\n c", "a b c"),
            ("<p>one<p>two<br>three", "one\n\ntwo\nthree"),
            ("<b>f</b> <i>x</i> =&gt; y, <i>z</i>.", "f x => y, z."),
            ("<ul><li>one<li> two</ul>end", "- one\n- two\n\nend"),
            ("code:<pre>\n (a\n   b)  ; c &lt; d\n</pre>text", "code:\n\n\n (a\n   b)  ; c < d\n\ntext"),
            ("a<!-- <p> -->b<script>x<y</script>c", "abc"),
            ("1 < 2 & 3 &amp 4 &#233;&#xE9;&bogus; &", "1 < 2 & 3 & 4 éé&bogus; &"),
            ("open <a href=\"x", "open <a href=\"x"),
            ("<", "<"),
            ("", ""),
        ] {
            assert_eq!(text_of(html), text, "{html}");
        }
    }

    #[test]
    fn navigation_and_footers_are_left_out() {
        let html = "<HTML><HEAD><TITLE>CLHS: Section\n 2.2</TITLE></HEAD><BODY><A HREF=x><IMG ALT=\"[Up]\"></A><HR>\
                    <H2>2.2 Things</H2>Text.<P>More.<HR>[Up]<br>Copyright</BODY></HTML>";
        let page = Page::read(html, None).unwrap();
        assert_eq!(page.title.as_deref(), Some("Section 2.2"));
        assert_eq!(page.text, "2.2 Things\n\nText.\n\nMore.");
        assert_eq!(Page::read("no rule", None).unwrap().text, "no rule");
        assert_eq!(Page::read("a<hr>b", None).unwrap().text, "b");
    }

    #[test]
    fn no_bytes_break_the_reading() {
        let html = "<HR><p><A NAME=\"é\"></A><pre>&#x110000; &#xé; &é;</pre><!-- ü <script><style>ß</style";
        for start in (0..html.len()).filter(|at| html.is_char_boundary(*at)) {
            for end in (start..=html.len()).filter(|at| html.is_char_boundary(*at)) {
                Page::read(&html[start..end], None);
                Page::read(&html[start..end], Some("é"));
            }
        }
    }
}
