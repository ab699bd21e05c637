//! Learning the habits of a file from its sound forms and from its earlier text.
//!
//! Everything is learnt from the forms nearest to the fault. They show how the file is laid out in general, but perhaps
//! not what it does with one operator. So the symbols of the broken form that are too rare there are searched farther
//! away, and only the forms that contain one are read.

use lispwright_syntax::Language;
use memchr::memmem::Finder;
use rustc_hash::FxHashMap;

use crate::text::code::{LITERAL, Token, spelling, tokens};
use crate::text::scope::{Chunk, chunks};
use crate::witnesses::habits::Habits;
use crate::witnesses::nesting::{Nesting, ROOT};

/// The number of tokens of the nearest forms from which everything is learnt.
const NEAR: usize = 6_000;
/// The number of tokens of farther forms from which rare symbols are learnt.
const FAR: usize = 8_000;
/// Those are searched in this many tokens of the text, and in this many bytes around it.
const MOST_TOKENS: usize = 60_000;
const MOST_BYTES: usize = 400_000;
/// A symbol that was seen this often is known.
const ENOUGH: f32 = 24.0;
/// The number of symbols that are searched, at most, heads first.
const MOST_WANTED: usize = 48;

/// What has been learnt, and what is still unknown.
#[derive(Clone)]
pub(crate) struct Learnt {
    pub(crate) habits: Habits,
    /// The number of tokens read.
    learnt: usize,
    /// The number of tokens after which nothing more is read.
    most: usize,
    /// The bytes of the context in which rare symbols were searched.
    looked: usize,
    wanted: Wanted,
}

/// The habits of the healthy forms of `text` without the one at `around`, nearest to it first, and of the sound texts
/// in `context`, in that order.
pub(crate) fn learn<'a>(
    text: &str,
    (tokens, chunks): (&[Token], &[Chunk]),
    around: usize,
    context: impl IntoIterator<Item = &'a str>,
    language: &Language,
) -> Learnt {
    let known = Habits::knowing(language);
    let mut lesson = Lesson::after(known.clone(), &known);
    let beside = (1..=chunks.len()).flat_map(|distance| [around.checked_sub(distance), around.checked_add(distance)]);
    let beside = beside.flatten().filter_map(|index| chunks.get(index));
    let mut own = beside.filter(|chunk| chunk.healthy).map(|chunk| &tokens[chunk.tokens.clone()]);
    let mut context = context.into_iter();
    while lesson.learnt <= NEAR
        && let Some(form) = own.next()
    {
        lesson.learn(form);
    }
    while lesson.learnt <= NEAR
        && let Some(text) = context.next()
    {
        lesson.learn_text(text, language, |_| true);
    }
    let most = lesson.learnt + FAR;
    let asked = chunks.iter().enumerate().filter(|(index, chunk)| *index == around || !chunk.healthy);
    let mut wanted = Wanted::of(text, asked.map(|(_, chunk)| &tokens[chunk.tokens.clone()]), &lesson.habits);
    let mut looked = 0;
    for form in own {
        if wanted.is_empty() || looked > MOST_TOKENS || lesson.learnt > most {
            break;
        }
        looked += form.len();
        if wanted.is_in(form) {
            lesson.learn(form);
            wanted.forget_known(&lesson.habits);
        }
    }
    looked = 0;
    for text in context {
        if wanted.is_empty() || looked > MOST_BYTES || lesson.learnt > most {
            break;
        }
        looked += text.len();
        if wanted.occurs_in(text) {
            lesson.learn_text(text, language, |form| wanted.is_in(form));
            wanted.forget_known(&lesson.habits);
        }
    }
    Learnt { learnt: lesson.learnt, habits: lesson.habits, most, looked, wanted }
}

impl Learnt {
    /// The habits after `text`, one more sound text of the context; `None` if nothing is to be learnt from it.
    pub(crate) fn and(&self, text: &str, language: &Language) -> Option<Habits> {
        let all = self.learnt <= NEAR;
        let done = self.wanted.is_empty() || self.looked > MOST_BYTES || self.learnt > self.most;
        if !all && (done || !self.wanted.occurs_in(text)) {
            return None;
        }
        let known = Habits::knowing(language);
        let mut lesson = Lesson::after(self.habits.clone(), &known);
        lesson.learn_text(text, language, |form| all || self.wanted.is_in(form));
        Some(lesson.habits)
    }
}

/// The state of learning.
struct Lesson<'h> {
    nesting: Nesting<'h>,
    habits: Habits,
    /// The number of tokens read so far.
    learnt: usize,
}

impl<'h> Lesson<'h> {
    /// Goes on after `habits`, with what is `known` of the dialect.
    fn after(habits: Habits, known: &'h Habits) -> Self {
        let mut nesting = Nesting::new(known, 0);
        nesting.remember();
        Self { nesting, habits, learnt: 0 }
    }

    /// Learns from the healthy forms of `text` that are `wanted`.
    fn learn_text(&mut self, text: &str, language: &Language, wanted: impl Fn(&[Token]) -> bool) {
        let tokens = tokens(text, language);
        for chunk in chunks(&tokens).iter().filter(|chunk| chunk.healthy) {
            let form = &tokens[chunk.tokens.clone()];
            if wanted(form) {
                self.learn(form);
            }
        }
    }

    /// Learns from a healthy form.
    fn learn(&mut self, form: &[Token]) {
        self.learnt += form.len();
        let (nesting, habits) = (&mut self.nesting, &mut self.habits);
        nesting.start_over();
        let mut top = ROOT;
        for (index, token) in form.iter().enumerate() {
            match token.kind {
                kind if kind.is_prefix() => {}
                kind if kind.is_close() => top = nesting.learn_close(top, habits),
                kind => {
                    nesting.learn(top, token, habits);
                    if kind.is_open()
                        && let Some(delimiter) = token.delimiter()
                    {
                        top = nesting.open(top, delimiter, token, index as u32, 0);
                    }
                }
            }
        }
    }
}

/// Symbols that have not been seen often enough, by their [`Token::name`].
#[derive(Clone)]
struct Wanted(FxHashMap<u64, Finder<'static>>);

impl Wanted {
    /// The rare symbols of `forms`, which are tokens of `text`.
    fn of<'a>(text: &str, forms: impl Iterator<Item = &'a [Token]> + Clone, habits: &Habits) -> Self {
        let mut wanted = Self(FxHashMap::default());
        for heads in [true, false] {
            for form in forms.clone() {
                for (index, token) in form.iter().enumerate().filter(|(_, token)| token.name != LITERAL) {
                    let is_head = index > 0 && form[index - 1].kind.is_open();
                    if wanted.0.len() < MOST_WANTED && is_head == heads && habits.seen(token.name) < ENOUGH {
                        let symbol = spelling(&text[token.start as usize..token.end as usize]);
                        wanted.0.entry(token.name).or_insert_with(|| Finder::new(symbol).into_owned());
                    }
                }
            }
        }
        wanted
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn forget_known(&mut self, habits: &Habits) {
        self.0.retain(|name, _| habits.seen(*name) < ENOUGH);
    }

    /// One of them is among the tokens.
    fn is_in(&self, form: &[Token]) -> bool {
        form.iter().any(|token| token.name != LITERAL && self.0.contains_key(&token.name))
    }

    /// The text contains one of them, perhaps only in a comment or string.
    fn occurs_in(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let goes_on =
            |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"-*+?!_".contains(byte));
        self.0.values().any(|finder| {
            finder.find_iter(bytes).any(|at| {
                let before = at.checked_sub(1).and_then(|before| bytes.get(before));
                !goes_on(before) && !goes_on(bytes.get(at + finder.needle().len()))
            })
        })
    }
}
