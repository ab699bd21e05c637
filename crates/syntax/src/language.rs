//! A dialect with the additional definers and reader macros of one project.
//!
//! A project can change Common Lisp's readtable. Guessing the changes would sometimes fail, so the project declares
//! them in `lispwright.toml`, from which the tools make an [`Extension`]. Definers are also found in the project's
//! macros: [`Definers`].

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memmem;

use crate::at_exp::{as_lists, has_at_forms};
use crate::definer::{self, FormKind, Shape};
use crate::definers::Definer;
pub use crate::definers::Definers;
use crate::dialects::{Dialect, Opener};
use crate::heads::Head;
use crate::name::canonical_head;
use crate::read::MAX_LEN;
pub use crate::readtable::DispatchShape;
use crate::readtable::{Readtable, Readtables, Start, Within, bracket, named};
pub use crate::stated::{Count, PartMeaning, Row, RowError, RowPart, What};
use crate::stated::{Stated, StatedForms};

/// The declared additions of a project to a dialect.
#[derive(Clone, Debug)]
pub struct Extension {
    dialect: Dialect,
    /// `None` if the readtable is that of the dialect.
    readtable: Option<Readtable>,
    definers: Definers,
    forms: StatedForms,
}

/// The reason why an addition was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtensionError {
    /// Only an ASCII character that is neither a letter, a digit nor white space can follow `#`.
    NotADispatchCharacter(char),
    /// Brackets are given as `[]` or `{}`.
    NotBrackets(String),
    /// The known head to imitate is not in the dialect's table.
    UnknownDefiner(String),
    /// What is stated of a head is no row.
    Row {
        /// The head.
        head: String,
        /// The reason.
        error: RowError,
    },
}

impl std::fmt::Display for ExtensionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotADispatchCharacter(c) => {
                write!(f, "`{c}` cannot be a dispatch character: use one ASCII character that is not a digit or blank")
            }
            Self::NotBrackets(text) => write!(f, "`{text}` is not a pair of brackets: use \"[]\" or \"{{}}\""),
            Self::UnknownDefiner(head) => {
                write!(f, "`{head}` is not a definer of this dialect: name a known one, such as defun or define")
            }
            Self::Row { head, error } => write!(f, "the form of `{head}`: {error}"),
        }
    }
}

impl std::error::Error for ExtensionError {}

impl Extension {
    /// The dialect without additions.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, readtable: None, definers: Definers::default(), forms: StatedForms::new() }
    }

    fn readtable(&mut self) -> &mut Readtable {
        self.readtable.get_or_insert_with(|| self.dialect.table().readtable.clone())
    }

    /// Forms with `head` define in the same way as those with `like`.
    pub fn add_definer(&mut self, head: &str, like: &str) -> Result<(), ExtensionError> {
        let canonical = |head| canonical_head(self.dialect, head).into_owned();
        let (head, like) = (canonical(head), canonical(like));
        let Some((kind, shape)) = definer::known_definer(self.dialect, &like) else {
            return Err(ExtensionError::UnknownDefiner(like));
        };
        self.definers.add(head, Definer { kind, shape, like: Some(like), stated: true });
        Ok(())
    }

    /// Forms with `head` are those that one of the `rows` says. A single row can be a known head, whose forms they are
    /// then like.
    pub fn add_form(&mut self, head: &str, rows: &[String]) -> Result<(), ExtensionError> {
        let canonical = |head| canonical_head(self.dialect, head).into_owned();
        let head = canonical(head);
        if let [like] = rows
            && let like = canonical(like.trim())
            && self.dialect.head(&like).is_known()
        {
            if let Some((kind, shape)) = definer::known_definer(self.dialect, &like) {
                self.definers.add(head.clone(), Definer { kind, shape, like: Some(like.clone()), stated: true });
            }
            self.forms.insert(head, Stated::Like(like));
            return Ok(());
        }
        let rows: Result<Vec<Row>, RowError> = match rows {
            [] => Err(RowError::Empty),
            rows => rows.iter().map(|row| Row::parse(row)).collect(),
        };
        let rows = rows.map_err(|error| ExtensionError::Row { head: head.clone(), error })?;
        if let Some(definer) = rows.iter().find_map(Row::definer) {
            self.definers.add(head.clone(), definer);
        }
        self.forms.insert(head, Stated::Rows(rows.into()));
        Ok(())
    }

    /// `#` followed by `character` begins a token of this shape.
    pub fn add_dispatch(&mut self, character: char, shape: DispatchShape) -> Result<(), ExtensionError> {
        let fits = character.is_ascii() && !character.is_ascii_digit() && !character.is_ascii_whitespace();
        if !fits {
            return Err(ExtensionError::NotADispatchCharacter(character));
        }
        self.readtable().extra[character as usize] = Some(shape);
        Ok(())
    }

    /// Makes `[]` or `{}`, constituents in the dialect, brackets of lists.
    pub fn add_brackets(&mut self, pair: &str) -> Result<(), ExtensionError> {
        if !matches!(pair, "[]" | "{}") {
            return Err(ExtensionError::NotBrackets(pair.to_owned()));
        }
        let readtable = self.readtable();
        for byte in pair.bytes() {
            readtable.start[byte as usize] = Start::Bracket(bracket(byte));
            readtable.within[byte as usize] = Within::Terminator;
        }
        Ok(())
    }
}

/// A dialect, with or without the additions of a project, as which a text is read. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Language {
    dialect: Dialect,
    readtable: Option<Arc<Readtable>>,
    definers: Option<Arc<Definers>>,
    /// What the project states of heads.
    forms: Option<Arc<StatedForms>>,
    /// The readtable that a mark in a text has selected, for reading parts of the text after the mark.
    selected: Option<&'static Readtable>,
    /// Texts have `@`-forms, which are read as the lists that they stand for.
    at_forms: bool,
}

impl Language {
    /// The language of a file with `@`-forms, by its path and text, read for what its code means: each command is a list
    /// over the bytes of the command, and prose is a string. `None` for other files; forms of such a file are not edited.
    pub fn of_at_forms(path: &str, text: &str) -> Option<Self> {
        let dialect = Dialect::in_any_notation(path, text).filter(|_| has_at_forms(text))?;
        Some(Self::from(dialect).with_at_forms())
    }

    /// The same language, in which texts have `@`-forms.
    #[must_use]
    pub fn with_at_forms(self) -> Self {
        Self { at_forms: true, ..self }
    }

    /// Texts have `@`-forms.
    pub const fn has_at_forms(&self) -> bool {
        self.at_forms
    }

    /// What is read of a text.
    pub(crate) fn code<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let text = &text[..text.len().min(MAX_LEN)];
        let lists = self.at_forms.then(|| as_lists(std::str::from_utf8(text).ok()?)).flatten();
        lists.map_or(Cow::Borrowed(text), |lists| Cow::Owned(lists.into_bytes()))
    }

    /// The dialect.
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The project has declared characters that the dialect does not have.
    pub const fn has_own_characters(&self) -> bool {
        self.readtable.is_some()
    }

    /// The same language with further definers, from macros of the project.
    #[must_use]
    pub fn with(self, definers: &Definers) -> Self {
        if definers.is_empty() {
            return self;
        }
        let mut known = self.definers.unwrap_or_default();
        Arc::make_mut(&mut known).extend(definers);
        Self { definers: Some(known), ..self }
    }

    /// The same language where forms with the first head of a pair are like those with the second, as another tool of
    /// the project says; what is known of a head otherwise counts more.
    #[must_use]
    pub fn with_alike<'h>(mut self, pairs: impl IntoIterator<Item = (&'h str, &'h str)>) -> Self {
        let mut extension = Extension::new(self.dialect);
        for (head, like) in pairs {
            let canonical = canonical_head(self.dialect, head);
            if !self.is_stated(&canonical) && !self.is_settled(&canonical) && !self.dialect.head(&canonical).is_known()
            {
                // A head that is like no known one says nothing.
                let _ = extension.add_form(head, &[like.to_owned()]);
            }
        }
        if extension.forms.is_empty() {
            return self;
        }
        Arc::make_mut(self.forms.get_or_insert_default()).extend(extension.forms);
        self.with(&extension.definers)
    }

    /// The project's definer for `head`, canonical.
    fn own(&self, head: &str) -> Option<&Definer> {
        self.definers.as_ref()?.get(head)
    }

    /// Kind and shape of a form with this head, canonical.
    pub(crate) fn definer(&self, head: &str) -> Option<(FormKind, Shape)> {
        let own = self.own(head).map(|own| (own.kind, own.shape));
        own.or_else(|| definer::definer(self.dialect, head))
    }

    /// The same without guessing.
    pub(crate) fn known_definer(&self, head: &str) -> Option<(FormKind, Shape)> {
        let own = self.own(head).map(|own| (own.kind, own.shape));
        own.or_else(|| definer::known_definer(self.dialect, head))
    }

    /// The definer `head` is not a guess.
    pub(crate) fn is_known(&self, head: &str) -> bool {
        self.known_definer(head).is_some()
    }

    /// The definer `head` is in the configuration of the project or in the table of the dialect.
    pub(crate) fn is_settled(&self, head: &str) -> bool {
        self.own(head).is_some_and(|own| own.stated) || definer::known_definer(self.dialect, head).is_some()
    }

    /// What forms with this head, canonical, are known to define.
    pub fn kind_of(&self, head: &str) -> Option<FormKind> {
        self.known_definer(head).map(|(kind, _)| kind).filter(|kind| kind.defines())
    }

    /// Forms with this head, canonical, are known or guessed to define something.
    pub fn is_definer(&self, head: &str) -> bool {
        self.definer(head).is_some_and(|(kind, _)| kind.defines())
    }

    /// The same, where what comes after the head can be the name: the title of a test is a string, and a list in its
    /// place is code.
    pub fn names_what_it_defines(&self, head: &str) -> bool {
        self.definer(head).is_some_and(|(kind, shape)| kind.defines() && !matches!(shape, Shape::Titled(_)))
    }

    /// Forms with this head, canonical, are known or guessed to declare a package.
    pub fn declares_package(&self, head: &str) -> bool {
        self.definer(head).is_some_and(|(kind, _)| kind == FormKind::Package)
    }

    /// Forms with this head, canonical, define something, add to a definition, or say how a file is read.
    pub fn states(&self, head: &str) -> bool {
        self.definer(head).is_some_and(|(kind, _)| kind != FormKind::Expression)
    }

    /// Forms with this head, canonical, only wrap others, which may be definitions.
    pub fn wraps(&self, head: &str) -> bool {
        definer::wrapper(self.dialect, head).is_some()
    }

    /// The known head, as the tables spell it, whose forms have the same parts as those with `head`, a definer of the
    /// project or a head of which that is stated.
    pub fn known_head(&self, head: &str) -> Option<&str> {
        if self.definers.is_none() && self.forms.is_none() {
            return None;
        }
        let head = canonical_head(self.dialect, head);
        match self.stated(&head) {
            Some(stated) => stated.like(),
            None => self.own(&head)?.like.as_deref(),
        }
    }

    /// The form of a head, canonical, by the tables of the dialect and what the project states.
    pub fn head(&self, head: &str) -> Head {
        match self.stated(head) {
            Some(Stated::Like(like)) => self.dialect.head(like),
            Some(Stated::Rows(_)) => Head::default(),
            None => self.dialect.head(head),
        }
    }

    fn stated(&self, head: &str) -> Option<&Stated> {
        self.forms.as_ref()?.get(head)
    }

    /// The rows that are stated of a head, canonical: the first that a use fits is its form.
    pub fn rows(&self, head: &str) -> Option<&Arc<[Row]>> {
        self.stated(head)?.rows()
    }

    /// All rows that are stated, with their heads, canonical.
    pub fn all_rows(&self) -> impl Iterator<Item = (&str, &[Row])> {
        let all = self.forms.iter().flat_map(|forms| forms.iter());
        all.filter_map(|(head, stated)| Some((head.as_str(), &**stated.rows()?)))
    }

    /// The known head whose forms those of a head, both canonical, are stated to be like.
    pub fn stated_like(&self, head: &str) -> Option<&str> {
        self.stated(head)?.like()
    }

    /// Something is stated of a head, canonical.
    pub fn is_stated(&self, head: &str) -> bool {
        self.stated(head).is_some()
    }

    /// The opener kind of a head whose forms are usually at top level. `head` is spelled without a package.
    #[inline]
    pub fn opener(&self, head: &[u8]) -> Option<Opener> {
        let openers = &self.dialect.table().openers;
        openers.find(head).or_else(|| {
            self.definers.as_ref()?;
            let own = self.own(&canonical_head(self.dialect, std::str::from_utf8(head).ok()?))?;
            own.like.as_ref().map_or(Some(Opener::Definition), |like| openers.find(like.as_bytes()))
        })
    }

    /// The text after an opener begins with the head of a definition.
    pub fn begins_definition(&self, text: &[u8]) -> bool {
        let end = || text.iter().position(|byte| byte.is_ascii_whitespace() || b"()[]{}\"".contains(byte));
        self.dialect.table().openers.begin(text)
            || (self.definers.is_some() && self.opener(&text[..end().unwrap_or(text.len())]).is_some())
    }

    /// The offset of the first line end in `text` after which a definition begins in column 0.
    pub fn definition_line(&self, text: &[u8]) -> Option<usize> {
        memmem::find_iter(text, b"\n(").find(|&at| self.begins_definition(&text[at + 2..]))
    }

    /// The language of the part of a text after its mark.
    pub(crate) fn after_mark(&self) -> Self {
        Self { selected: self.dialect.table().marks.map(|marks| marks.after), ..self.clone() }
    }

    /// The language of `text`, with the implementation that it names.
    pub(crate) fn of(&self, text: &[u8]) -> Self {
        if self.readtable.is_some() || self.selected.is_some() {
            return self.clone();
        }
        let variant = named(self.dialect.table().variants, text);
        Self { selected: variant.map(|variant| variant.readtable), ..self.clone() }
    }

    /// The language in which `#` and `character` begin a token of this shape, besides those of `text`.
    pub(crate) fn with_dispatch(&self, character: u8, shape: DispatchShape, text: &[u8]) -> Self {
        let tables = self.readtables(text);
        let mut readtable = if tables.from == usize::MAX { tables.first } else { tables.then }.clone();
        if let Some(extra) = readtable.extra.get_mut(usize::from(character)) {
            *extra = Some(shape);
        }
        Self { readtable: Some(Arc::new(readtable)), ..self.clone() }
    }

    /// The project has declared characters of its own.
    pub(crate) fn is_extended(&self) -> bool {
        self.readtable.is_some()
    }

    /// The readtables for `text`.
    pub(crate) fn readtables(&self, text: &[u8]) -> Readtables<'_> {
        if self.readtable.is_none() && self.selected.is_none() {
            let variant = named(self.dialect.table().variants, text);
            if let Some(variant) = variant {
                return Readtables::one(variant.readtable);
            }
        }
        self.own_readtables(text)
    }

    /// [`Self::readtables`] in the language [of](Self::of) `text`.
    pub(crate) fn own_readtables(&self, text: &[u8]) -> Readtables<'_> {
        let table = self.dialect.table();
        self.chosen().unwrap_or_else(|| Readtables::of(table.readtable, table.marks, text))
    }

    /// The readtables for a text of this language with a mark that ends at byte `mark`; `u32::MAX` without one.
    pub(crate) fn readtables_with(&self, mark: u32) -> Readtables<'_> {
        let table = self.dialect.table();
        self.chosen().unwrap_or_else(|| match table.marks {
            Some(marks) if mark != u32::MAX => {
                Readtables { first: table.readtable, then: marks.after, from: mark as usize }
            }
            _ => Readtables::one(table.readtable),
        })
    }

    /// The readtable that the project or the text has chosen.
    fn chosen(&self) -> Option<Readtables<'_>> {
        self.readtable.as_deref().or(self.selected).map(Readtables::one)
    }
}

impl From<Dialect> for Language {
    fn from(dialect: Dialect) -> Self {
        Self { dialect, readtable: None, definers: None, forms: None, selected: None, at_forms: false }
    }
}

impl From<&Language> for Language {
    fn from(language: &Language) -> Self {
        language.clone()
    }
}

impl From<Extension> for Language {
    fn from(extension: Extension) -> Self {
        let Extension { dialect, readtable, definers, forms } = extension;
        let forms = (!forms.is_empty()).then(|| Arc::new(forms));
        Self { readtable: readtable.map(Arc::new), forms, ..Self::from(dialect).with(&definers) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Forms, read};

    fn extended(change: impl FnOnce(&mut Extension) -> Result<(), ExtensionError>) -> Language {
        let mut extension = Extension::new(Dialect::CommonLisp);
        change(&mut extension).expect("the addition is valid");
        Language::from(extension)
    }

    #[test]
    fn a_dispatch_character_of_the_project_hides_delimiters() {
        let text = "(f #/a(b\\/c/ x)";
        assert!(!read(text, Dialect::CommonLisp).is_balanced());
        assert!(read(text, extended(|e| e.add_dispatch('/', DispatchShape::Delimited))).is_balanced());
        assert!(read("(f #[a(b] x)", extended(|e| e.add_dispatch('[', DispatchShape::Delimited))).is_balanced());
    }

    #[test]
    fn brackets_of_the_project_are_matched() {
        let text = "(f [a b) c]";
        assert!(read(text, Dialect::CommonLisp).is_balanced());
        let tree = read(text, extended(|e| e.add_brackets("[]")));
        assert_eq!(tree.diagnostics()[0].kind.code(), "mismatch");
    }

    #[test]
    fn a_definer_of_the_project_has_parameters() {
        let text = "(my:route index (request) \"Shows it.\" (show request))";
        let tree = read(text, extended(|e| e.add_definer("route", "defun")));
        let forms = Forms::new(&tree, text);
        let form = forms.get(0);
        assert_eq!(form.name.as_deref(), Some("index"));
        assert_eq!(&text[form.signature[0].range()], "(request)");
        assert!(form.docstring.is_some());
    }

    #[test]
    fn a_part_is_read_by_the_mark_of_the_whole_text() {
        let whole = read("(define-library (a) (begin (define |x y| 1)))", Dialect::Scheme);
        assert_eq!(read("|x (y|", whole.language_at(20)).diagnostics().len(), 0);
        for language in [whole.language(), &whole.language_at(0), &Dialect::Scheme.into()] {
            assert_eq!(read("|x (y|", language).diagnostics().len(), 1);
        }
    }

    #[test]
    fn invalid_additions_are_refused() {
        let mut extension = Extension::new(Dialect::CommonLisp);
        assert!(extension.add_dispatch('é', DispatchShape::Prefix).is_err());
        assert!(extension.add_dispatch('7', DispatchShape::Prefix).is_err());
        assert!(extension.add_brackets("()").is_err());
        assert!(extension.add_definer("route", "nonsense").is_err());
    }
}
