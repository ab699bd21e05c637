//! The Common Lisp HyperSpec: a symbol, a section, a format directive, a reader macro, a word of `loop` or a term of the
//! glossary to its page.
//!
//! The names of the pages are known without a copy (`symbols.txt`, a line for each page; [`sections`]), so that there
//! is always an address; the text is that of a copy on this machine, whose licence forbids that it comes with us.

mod page;
mod sections;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use lispwright_syntax::nearest;

use self::page::Page;
use self::sections::{Section, section};
use crate::packed;
use crate::shelves::{Copy, Shelves};
use crate::{Article, Look, MOST_NEAREST, bare};

/// Where everybody finds the pages.
const ADDRESS: &str = "https://www.lispworks.com/documentation/HyperSpec/Body/";

/// The symbols of the package COMMON-LISP with the names of their pages, without `.htm`.
static PAGES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let lines = include_str!("hyperspec/symbols.txt").lines().filter_map(|line| line.split_once(' '));
    lines.flat_map(|(page, symbols)| symbols.split(' ').map(move |symbol| (symbol, page))).collect()
});

/// Something that a page is about.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Subject {
    /// Its name as the standard spells it.
    name: String,
    /// What it is, as far as its page is not needed to tell.
    title: Option<String>,
    /// The name of the page, without `.htm`.
    page: String,
    /// The place on it.
    anchor: Option<String>,
    is_section: bool,
}

impl Subject {
    fn on(page: &str, name: &str, title: &str) -> Self {
        let title = Some(title.to_owned()).filter(|title| !title.is_empty());
        Self { name: name.to_owned(), title, page: page.to_owned(), anchor: None, is_section: false }
    }

    /// In a section of the standard.
    fn within(numbers: &[usize], name: &str, title: &str) -> Option<Self> {
        let Section { page, .. } = section(numbers)?;
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        Some(Self::on(&page, name, &format!("{title} in section {}", numbers.join("."))))
    }

    fn entry(self, shelves: &Shelves) -> Article {
        let anchor = self.anchor.as_ref().map(|anchor| format!("#{anchor}")).unwrap_or_default();
        let entry = Article {
            name: self.name,
            title: self.title,
            url: Some(format!("{ADDRESS}{}.htm{anchor}", self.page)),
            is_section: self.is_section,
            ..Article::default()
        };
        let Some((path, html)) = copy(shelves, &self.page) else { return entry };
        let Some(Page { title, text, brief }) = Page::read(&html, self.anchor.as_deref()) else {
            return Article { path: Some(path), ..entry };
        };
        Article { title: title.or(entry.title), path: Some(path), text: Some(text), brief, ..entry }
    }
}

/// The entries for a query.
pub(crate) fn look(query: &str, shelves: &Shelves) -> Look {
    let subjects = subjects(query, shelves);
    let is_missing = !shelves.hyperspec.iter().any(|copy| bodies(copy).any(|body| body.is_dir()));
    let nearest = match subjects.is_empty() {
        true => nearest(&plain(query), PAGES.keys().copied(), MOST_NEAREST),
        false => Vec::new(),
    };
    Look { entries: subjects.into_iter().map(|subject| subject.entry(shelves)).collect(), nearest, is_missing }
}

/// A symbol as the table spells it.
fn plain(query: &str) -> String {
    let name = bare(query);
    let inner = name.strip_prefix("(setf ").and_then(|rest| rest.strip_suffix(')')).unwrap_or(name);
    let lower = inner.trim().to_lowercase();
    let package = ["common-lisp:", "cl:"].iter().find_map(|package| lower.strip_prefix(package));
    package.map_or(&*lower, |symbol| symbol.trim_start_matches(':')).to_owned()
}

fn subjects(query: &str, shelves: &Shelves) -> Vec<Subject> {
    if let Some(section) = numbered(query) {
        return section.into_iter().collect();
    }
    let lower = query.to_lowercase();
    if let Some(word) = lower.strip_prefix("loop").map(|rest| rest.trim_start_matches([':', ' ']))
        && let Some((_, numbers)) = LOOP.iter().find(|(words, _)| words.split(' ').any(|known| known == word))
    {
        return Subject::within(numbers, word, "word of loop").into_iter().collect();
    }
    if let Some(term) = lower.strip_prefix("glossary").map(|rest| rest.trim_start_matches([':', ' '])) {
        return glossary(term).into_iter().collect();
    }
    let directive = lower.strip_prefix("format ").unwrap_or(&lower);
    if let Some(found) = directive.strip_prefix('~').and_then(directives) {
        return found;
    }
    let mut found = Vec::new();
    let reads = READER.split(' ').filter_map(|row| row.split_once("=>"));
    if let Some((_, page)) = reads.into_iter().find(|(characters, _)| *characters == lower) {
        found.push(Subject::on(page, query, "reader macro"));
    }
    let symbol = plain(query);
    if let Some(page) = PAGES.get(&*symbol) {
        found.push(Subject::on(page, &symbol, ""));
    }
    // A term counts only where its text can be shown: whether there is one is written nowhere else.
    if found.is_empty()
        && let Some(term) = glossary(&lower)
        && let Some((_, html)) = copy(shelves, &term.page)
        && Page::read(&html, term.anchor.as_deref()).is_some()
    {
        found.push(term);
    }
    found
}

/// The section that a query names by its number: `22.3.1`, `section 22.3`, `chapter 22`. Inside, `None` if the standard
/// has no such section.
fn numbered(query: &str) -> Option<Option<Subject>> {
    let lower = query.to_lowercase();
    let number = lower.trim_start_matches("clhs").trim_start();
    let number = number.trim_start_matches("section").trim_start_matches("chapter").trim_start_matches('§').trim();
    let number = number.trim_end_matches('.');
    let numbers: Vec<usize> = number.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    Some(section(&numbers).map(|Section { page, title }| Subject {
        is_section: true,
        ..Subject::on(&page, number, &title.map(|title| format!("Section {number} {title}")).unwrap_or_default())
    }))
}

/// A term of the glossary: its page goes by its first letter, its place by its words.
fn glossary(term: &str) -> Option<Subject> {
    let first = term.chars().next()?;
    let page = if first.is_ascii_lowercase() { first } else { '9' };
    let anchor = term.split_whitespace().collect::<Vec<_>>().join("_");
    Some(Subject { anchor: Some(anchor), ..Subject::on(&format!("26_glo_{page}"), term, "glossary") })
}

/// The directives of `format` for what stands behind a tilde: parameters and modifiers, and the character. `~<` has two
/// meanings.
fn directives(behind: &str) -> Option<Vec<Subject>> {
    let mut characters = behind.chars().rev();
    let character = characters.next()?;
    let modifiers = "0123456789,+-v#'@:";
    // The character behind a quote may be any.
    if !behind.contains('\'') && !characters.all(|c| modifiers.contains(c)) {
        return None;
    }
    let mut found = Vec::new();
    for (group, row) in FORMAT.iter().enumerate() {
        for (place, _) in row.chars().enumerate().filter(|(_, known)| *known == character) {
            let numbers = [22, 3, group + 1, place + 1];
            found.extend(Subject::within(&numbers, &format!("~{character}"), "directive of format"));
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The directives of `format` in the order of their sections: 22.3.1.1 is `~c` (CLHS 22.3).
const FORMAT: &[&str] = &["c%&|~", "rdbox", "feg$", "asw", "_<i/", "t<>", "*[]{}?", "()p", ";^\n"];

/// The words of `loop` with the sections that say what they do (CLHS 6.1).
const LOOP: &[(&str, &[usize])] = &[
    ("for as", &[6, 1, 2, 1]),
    ("from downfrom upfrom to downto upto below above by", &[6, 1, 2, 1, 1]),
    ("in", &[6, 1, 2, 1, 2]),
    ("on", &[6, 1, 2, 1, 3]),
    ("= then", &[6, 1, 2, 1, 4]),
    ("across", &[6, 1, 2, 1, 5]),
    ("being each the hash-key hash-keys hash-value hash-values using", &[6, 1, 2, 1, 6]),
    ("symbol symbols present-symbol present-symbols external-symbol external-symbols", &[6, 1, 2, 1, 7]),
    ("with and", &[6, 1, 2, 2]),
    ("into", &[6, 1, 3]),
    ("collect collecting", &[6, 1, 3, 1]),
    ("append appending nconc nconcing", &[6, 1, 3, 2]),
    ("count counting", &[6, 1, 3, 3]),
    ("maximize maximizing minimize minimizing", &[6, 1, 3, 4]),
    ("sum summing", &[6, 1, 3, 5]),
    ("while until repeat always never thereis", &[6, 1, 4]),
    ("do doing return", &[6, 1, 5]),
    ("if when unless else end it", &[6, 1, 6]),
    ("named", &[6, 1, 7, 1]),
    ("initially finally", &[6, 1, 7, 2]),
    ("of-type", &[6, 1, 1, 7]),
];

/// Reader macros with their pages (CLHS 2.4).
const READER: &str = "#=>02_dh ##=>02_dhp #'=>02_dhb #(=>02_dhc #*=>02_dhd #:=>02_dhe #.=>02_dhf #==>02_dho #+=>02_dhq \
                      #-=>02_dhr #<=>02_dht #a=>02_dhl #b=>02_dhg #c=>02_dhk #o=>02_dhh #p=>02_dhn #r=>02_dhj #s=>02_dhm \
                      #x=>02_dhi #\\=>02_dha #|=>02_dhs \"=>02_de '=>02_dc `=>02_df ,=>02_dg ,@=>02_dg (=>02_da )=>02_db \
                      ;=>02_dd";

/// The page in the first copy that has it.
fn copy(shelves: &Shelves, page: &str) -> Option<(PathBuf, String)> {
    let file = format!("{page}.htm");
    let found = |copy: &Copy| {
        bodies(copy).find_map(|body| {
            let path = body.join(&file);
            Some((path.clone(), packed::text(&path, copy.links).ok()?))
        })
    };
    shelves.hyperspec.iter().find_map(found)
}

/// The directories of pages that a copy may have.
fn bodies(copy: &Copy) -> impl Iterator<Item = PathBuf> {
    ["Body", "HyperSpec/Body"].iter().map(|name| copy.directory.join(name))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stderr)]

    use std::collections::HashSet;
    use std::fs;
    use std::process::Command;

    use lispwright_project::Links;

    use super::*;

    fn urls(query: &str) -> Vec<String> {
        let entries = look(query, &Shelves::default()).entries;
        entries.iter().map(|entry| entry.url.clone().unwrap().strip_prefix(ADDRESS).unwrap().to_owned()).collect()
    }

    #[test]
    fn symbols_sections_directives_and_reader_macros_have_their_pages() {
        for (queries, pages) in [
            ("car|CAR|cl:car|COMMON-LISP::car|#'car|'car|(setf car)", "f_car_c.htm"),
            ("*", "a_st.htm"),
            ("1+", "f_1pl_1_.htm"),
            ("handler-case", "m_hand_1.htm"),
            ("&key", "03_da.htm"),
            ("22|chapter 22", "22_.htm"),
            ("22.3|section 22.3|CLHS 22.3|22.3.|§22.3", "22_c.htm"),
            ("22.3.1", "22_ca.htm"),
            ("3.4.11", "03_dk.htm"),
            ("2.4.8.20", "02_dht.htm"),
            ("14.2", "c_conses.htm"),
            ("~a|~A|~10,2A|~:@a|format ~a", "22_cda.htm"),
            ("~<", "22_ceb.htm 22_cfb.htm"),
            ("~~", "22_cae.htm"),
            ("~'x,3d", "22_cbb.htm"),
            ("#'", "02_dhb.htm"),
            ("#=", "02_dho.htm"),
            ("'", "02_dc.htm"),
            ("loop", "m_loop.htm"),
            ("loop for|loop :for|loop:for", "06_aba.htm"),
            ("loop collect", "06_aca.htm"),
            ("glossary: fresh", "26_glo_f.htm#fresh"),
            ("glossary 1-dimensional array", "26_glo_9.htm#1-dimensional_array"),
            ("no-such-name|27.1|22.9|0.1|3.0|alexandria:car|fresh|~!", ""),
        ] {
            for query in queries.split('|') {
                assert_eq!(urls(query).join(" "), pages, "{query}");
            }
        }
    }

    #[test]
    fn names_that_are_nearly_right_are_offered() {
        let look = look("handler-cas", &Shelves::default());
        assert_eq!((look.entries.len(), look.nearest[0].as_str(), look.is_missing), (0, "handler-case", true));
    }

    /// The symbols that SBCL says the package has.
    #[test]
    fn every_symbol_of_the_language_has_a_page() {
        let all = "(do-external-symbols (s :cl) (write-line (string-downcase s)))";
        let options = ["--noinform", "--no-sysinit", "--no-userinit", "--non-interactive", "--eval", all];
        let output = Command::new("sbcl").args(options).output().expect("the tests need SBCL");
        let symbols = String::from_utf8(output.stdout).unwrap();
        let symbols: HashSet<&str> = symbols.lines().collect();
        assert_eq!(symbols.len(), 978);
        assert_eq!(PAGES.keys().copied().collect::<HashSet<_>>(), symbols);
    }

    /// The table that SLIME has, where it is installed.
    #[test]
    fn pages_are_those_of_slime() {
        let files = ["/usr/share/emacs/site-lisp/elpa-src", "/usr/share/common-lisp/source"];
        let found = files
            .iter()
            .flat_map(|all| crate::shelves::newest(std::path::Path::new(all), |name| name.contains("slime")));
        let Some(text) = found.filter_map(|one| fs::read_to_string(one.join("lib/hyperspec.el")).ok()).next() else {
            eprintln!("SLIME's table is not installed: nothing is compared");
            return;
        };
        let mut compared = 0;
        for line in text.lines().map(|line| line.trim().trim_start_matches('\'')) {
            let parts: Vec<&str> = line.split('"').collect();
            if let [open, name, " ", page, _] = parts[..]
                && open.trim_start_matches('(').is_empty()
                && let Some(ours) = PAGES.get(name)
                && page.ends_with(".htm")
            {
                assert_eq!(format!("{ours}.htm"), page, "{name}");
                compared += 1;
            }
        }
        assert!(compared >= 978, "{compared}");
    }

    #[test]
    fn a_copy_gives_the_text() {
        let temp = tempfile::tempdir().unwrap();
        let body = temp.path().join("HyperSpec/Body");
        fs::create_dir_all(&body).unwrap();
        let page = "<html><head><title>CLHS: Function CAR</title></head><body><hr>\
                    <b>Syntax:</b><p><b>car</b> <i>x</i><p><b>Description:</b><p>First &amp; best.<hr>end</body></html>";
        fs::write(body.join("f_car_c.htm"), page).unwrap();
        fs::write(
            body.join("26_glo_f.htm"),
            "<hr><p><a name=\"fresh\"></a><b>fresh</b> adj. new.<p><a name=\"x\"></a>x<hr>",
        )
        .unwrap();
        let copy = Copy { directory: temp.path().to_owned(), links: Links::Refused };
        let shelves = Shelves { hyperspec: vec![copy], ..Shelves::default() };
        let found = look("car", &shelves);
        let [entry] = &found.entries[..] else { panic!("{found:?}") };
        assert!(!found.is_missing);
        assert_eq!(entry.title.as_deref(), Some("Function CAR"));
        assert_eq!(entry.path, Some(body.join("f_car_c.htm")));
        let text = entry.text.as_deref().unwrap();
        assert_eq!(text, "Syntax:\n\ncar x\n\nDescription:\n\nFirst & best.");
        assert_eq!(&text[..entry.brief], "Syntax:\n\ncar x");
        // A term is found without its being called one.
        assert_eq!(look("fresh", &shelves).entries[0].text.as_deref(), Some("fresh adj. new."));
        assert!(look("freshly", &shelves).entries.is_empty());
        // A page that this copy lacks has its address.
        assert_eq!(look("cons", &shelves).entries[0].text, None);
        // A link is no copy, where none is to be followed.
        std::os::unix::fs::symlink(body.join("f_car_c.htm"), body.join("f_cons.htm")).unwrap();
        assert_eq!(look("cons", &shelves).entries[0].text, None);
    }
}
