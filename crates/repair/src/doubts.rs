//! The reasons to refuse the likeliest answer.
//!
//! [`crate::proposals::search`] says how much likelier one answer is than the next; that is only as reliable as the
//! columns and the answers that it compared. A doubt is a reason of another kind: a line in a column that nothing
//! explains, a removed delimiter whose counterpart may have been lost, a text that stops. One doubt is enough to
//! refuse.
//!
//! To add a doubt, add an entry to the list below and a folder of examples to `fixtures/doubts`. `cargo xtask bench
//! repair` measures how many wrong repairs each doubt prevents.

mod beside;
mod entangled;
mod forbidden;
mod lead;
mod mended;
mod opened;
mod parameters;
mod shapes;
mod slips;
mod stops;
mod wraps;

use std::cell::OnceCell;

use crate::case::Case;
use crate::outcome::Reason;
use crate::proposals::Answer;
use crate::proposals::search::Reading;
use crate::text::code::Token;
use crate::text::edit::TextEdit;
use crate::witnesses::guard::{Guard, is_inside};
use crate::witnesses::habits::Habits;

pub(crate) use beside::seams;
pub(crate) use lead::{CLEAR_MARGIN, MARGIN, lead};
pub(crate) use mended::Mended;
pub(crate) use shapes::Sight;

/// Declares the doubts in the order in which they are tested: what each sees and why that speaks against the answer,
/// its name, the reason that the refusal gives, and the test.
macro_rules! doubts {
    ($($(#[doc = $about:literal])+ $doubt:ident, $name:literal, $reason:ident, $holds:expr;)+) => {
        /// Why a likely answer is refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Doubt { $($(#[doc = $about])+ $doubt,)+ }

        impl Doubt {
            /// Every doubt.
            pub const ALL: &[Self] = &[$(Self::$doubt),+];

            /// Its name in reports, which is that of its folder in `fixtures/doubts`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$doubt => $name,)+ }
            }

            /// What it sees, and why that speaks against an answer.
            pub fn about(self) -> &'static str {
                match self { $(Self::$doubt => concat!($($about),+).trim_ascii_start(),)+ }
            }

            pub(crate) fn reason(self) -> Reason {
                match self { $(Self::$doubt => Reason::$reason,)+ }
            }

            /// It is about half an edit: that the layout is certain does not answer it.
            pub(crate) fn is_about_the_edit(self) -> bool {
                let half = matches!(self, Self::Wrap | Self::TakenIn);
                half || matches!(self, Self::OutsideEdit | Self::LateEnd | Self::DeeperLine)
            }

            /// What it sees is also seen where a list was put around the forms that follow.
            pub(crate) fn may_hide_a_wrap(self) -> bool {
                matches!(self, Self::Wrap | Self::Flush | Self::LoneHead | Self::OutsideEdit)
            }

            /// An answer that leaves it seems unfinished: others are offered before it.
            fn is_of_an_unfinished_form(self) -> bool {
                matches!(self, Self::Wrap | Self::LateEnd)
            }

            fn holds(self, it: &Considered<'_>) -> bool {
                let holds: fn(&Considered<'_>) -> bool = match self { $(Self::$doubt => $holds,)+ };
                holds(it)
            }
        }
    };
}

/// For a doubt that is not about one answer to one form; its test is in another file.
const ELSEWHERE: fn(&Considered<'_>) -> bool = |_| false;

doubts! {
    /// The text stops where more should follow: closing the open lists would hide that the rest is missing.
    StopsShort, "stops-short", CutShort, |it| it.stops_short();
    /// One form has a closer too many and another one too few: neither can be repaired by itself.
    Cancelling, "cancelling", Entangled, ELSEWHERE;
    /// A block comment ends without a beginning, or a single atom is commented out: a slip, or an unfinished edit.
    StrayMark, "stray-mark", Entangled, ELSEWHERE;
    /// A definition has lost its opener: another form lacks the closer that ends it.
    BareDefinition, "bare-definition", Entangled, ELSEWHERE;
    /// A form beside the broken one lacks the body that it takes: it was closed too early, with the closer that is
    /// missing here.
    BodilessNeighbour, "bodiless-neighbour", Entangled, ELSEWHERE;
    /// Strings touch words or run over the start of a definition: a quote is lost, and the rest of the text is
    /// unreliable.
    InsideOut, "inside-out", OpenText, ELSEWHERE;
    /// A closer of another dialect or script ends a symbol, but a proper one in its place leaves an unusual form.
    ForeignCloser, "foreign-closer", Ambiguous, ELSEWHERE;
    /// Restoring the earlier text would change a literal, or code that the edit did not write.
    Forbidden, "forbidden", Ambiguous, ELSEWHERE;
    /// Only delimiters were changed, and putting back some of them would suffice: nothing shows which changes were
    /// meant.
    OnPurpose, "on-purpose", Ambiguous, ELSEWHERE;
    /// The columns contradict the earlier text, and not clearly enough to outvote it.
    EarlierDisagrees, "earlier-disagrees", Ambiguous, ELSEWHERE;
    /// The change comments out a datum: the comment mark may be the slip.
    NewComment, "new-comment", Ambiguous, ELSEWHERE;

    /// The lines of the form are flush left, so its columns say nothing.
    Flush, "flush", Ambiguous, |it| it.form.flush;
    /// The form is only an opener and a head: it has lost its body, not just its closer.
    LoneHead, "lone-head", Ambiguous, |it| it.form.own.len() == 2 && it.form.own[0].kind.is_open();
    /// The change would reach beyond the text that the edit wrote.
    OutsideEdit, "outside-edit", Ambiguous, |it| it.case.leaves_the_edit(it.edits());
    /// A bracket looks like a character literal that lost its backslash.
    BareCharacter, "bare-character", Ambiguous, |it| it.bares_a_character();
    /// A closer that begins a line would be removed: its author meant to end a list of many lines there.
    LoneCloser, "lone-closer", Ambiguous, |it| it.takes_a_lone_closer();
    /// A closer right after a prefix would be removed, so that the prefix belongs to what follows: `')` may be what is
    /// left of `'()`.
    BarePrefix, "bare-prefix", Ambiguous, |it| it.bares_a_prefix();
    /// A closer would be added right before a comment that touches the code before it: a lost quote or a comment mark
    /// may have turned that code into a comment.
    TouchedComment, "touched-comment", Ambiguous, |it| it.closes_before_code();
    /// Lines that begin with keywords continue alike, `#:use-module (…)`, and one of them would not any more.
    BrokenRow, "broken-row", Ambiguous, |it| it.case.breaks_a_row(it.form.own, it.edits());
    /// A closer would be added after a list that touches the list before it, `(f a)(g b`: the first may be the one that
    /// lacks it.
    Seam, "seam", Ambiguous, |it| !it.form.known && it.case.closes_behind_a_seam(it.form.own, it.edits());
    /// A datum of the form is commented out: the comment mark may be a slip as well.
    CommentedOut, "commented-out", Ambiguous, |it| it.comments_out();

    /// A symbol that is never called would be called: `(t …)`, `(else …)`.
    CalledConstant, "called-constant", Ambiguous, |it| it.has_shape(Doubt::CalledConstant);
    /// A line would be indented deeper than the list above it, as if it belonged to that list.
    DeeperLine, "deeper-line", Ambiguous, |it| it.has_shape(Doubt::DeeperLine);
    /// A line that loses a closer would hold two forms of a body, two values of a keyword, or a binding without its list:
    /// one of them has lost its opener.
    TwoOnALine, "two-on-a-line", Ambiguous, |it| it.has_shape(Doubt::TwoOnALine);
    /// A closer is removed, and the form quotes a keyword or has a template that is only a word: the list that was quoted
    /// has lost its opener.
    QuotedWord, "quoted-word", Ambiguous, |it| it.has_shape(Doubt::QuotedWord);
    /// A dot would be followed by two data or by none, which is not pair notation.
    DottedPair, "dotted-pair", Ambiguous, |it| it.has_shape(Doubt::DottedPair);
    /// A body would contain prose: a quote is lost.
    Prose, "prose", Ambiguous, |it| it.has_shape(Doubt::Prose);
    /// The closer fits its opener, but the form takes other brackets there, `(let [(a 1)] …)`: the opener is wrong.
    WrongOpener, "wrong-opener", Ambiguous, |it| it.has_shape(Doubt::WrongOpener);
    /// A list would contain nothing but a call, `(let (((a (f x)))) …)`: its opener was written twice.
    DoubledOpener, "doubled-opener", Ambiguous, |it| it.has_shape(Doubt::DoubledOpener);
    /// A list that the answer closes would have no body, but its head takes one.
    NoBody, "no-body", Ambiguous, |it| it.has_shape(Doubt::NoBody);
    /// A list that the answer changes would have fewer or more arguments than its head takes.
    Arity, "arity", Ambiguous, |it| it.has_shape(Doubt::Arity);
    /// A list of parameters would have something else in it: `((gate gate stream))`.
    Parameters, "parameters", Ambiguous, |it| it.mended().has_odd_parameters(it.case.language);
    /// A list would end on its line, before lines in its column, though its head seldom ends so: it may have been put
    /// around them.
    Wrap, "wrap", Ambiguous, |it| (it.is_among_others() && it.has_shape(Doubt::Wrap)) || it.hangs_over_a_form();
    /// An indented line would be outside all lists: the form that it belongs to was closed before it.
    FallenOut, "fallen-out", Ambiguous, |it| it.has_shape(Doubt::FallenOut);
    /// A symbol that is nearly always called would be an argument: the extra closer had lost its opener.
    PassedOperator, "passed-operator", Ambiguous, |it| it.passes_an_operator();
    /// A list would end at the end of its line, though lists with its head end after fewer arguments elsewhere: its
    /// closer may have been lost in the middle of the line.
    LateEnd, "late-end", Ambiguous, |it| it.has_shape(Doubt::LateEnd);
    /// A line that was outside a list would be taken into it, in a column in which its arguments seldom begin.
    TakenIn, "taken-in", Ambiguous, |it| it.is_among_others() && it.mended().takes_in_an_odd_line(it.form.known, it.form.habits);
    /// A comment begins with code that opens a list: the closer that is too many may have belonged to that list.
    CommentedOpener, "commented-opener", Ambiguous, |it| it.comments_out_an_opener();
    /// A line near the change would be so unlikely that there must be another fault.
    BrokenLine, "broken-line", Ambiguous, |it| it.mended().is_broken_near(&it.lines);
    /// Many lines of the form are in columns that nothing explains, so its columns are no evidence.
    Ragged, "ragged", Ambiguous, |it| !it.is_clear() && it.mended().is_ragged();
    /// A line near the change would be odd, and the answer is not far ahead.
    OddLine, "odd-line", Ambiguous, |it| !it.is_clear() && it.mended().is_odd_near(&it.lines, it.knows_no_layout());

    /// The answer removes a delimiter, and another answer, not far behind, adds its counterpart on the same line: only
    /// the words of the line show which is right.
    Rival, "rival", Ambiguous, |it| it.has_rival();
    /// Another answer undoes two more faults and explains the lines so much better that it is nearly as likely.
    Fuller, "fuller", Ambiguous, |it| it.has_fuller_rival();
    /// Other answers are about as likely.
    CloseCall, "close-call", Ambiguous, |it| it.is_close();
}

/// A set of doubts.
#[derive(Clone, Copy, Default)]
pub(crate) struct Doubts(u64);

impl FromIterator<Doubt> for Doubts {
    fn from_iter<I: IntoIterator<Item = Doubt>>(doubts: I) -> Self {
        Self(doubts.into_iter().fold(0, |all, doubt| all | 1 << doubt as u32))
    }
}

impl Doubts {
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn contains(self, doubt: Doubt) -> bool {
        self.0 >> doubt as u32 & 1 == 1
    }

    /// Adds a doubt if `holds`.
    pub(crate) fn add(&mut self, doubt: Doubt, holds: bool) {
        self.0 |= u64::from(holds) << doubt as u32;
    }

    /// Some of them are about a form that seems unfinished.
    pub(crate) fn are_of_an_unfinished_form(self) -> bool {
        Doubt::ALL.iter().any(|doubt| doubt.is_of_an_unfinished_form() && self.contains(*doubt))
    }

    pub(crate) fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}

/// A broken form and its place in the text.
#[derive(Clone, Copy)]
pub(crate) struct Broken<'a> {
    pub(crate) own: &'a [Token],
    pub(crate) habits: &'a Habits,
    /// Its columns are no evidence.
    pub(crate) flush: bool,
    /// Nothing follows it in the text.
    pub(crate) ends_text: bool,
    /// The text ends with the same words as the earlier text.
    pub(crate) ends_alike: bool,
    /// It is not the only form of the text.
    pub(crate) among_others: bool,
    /// By how much the lead of its first answer has to be larger than usual.
    pub(crate) several: f32,
    /// The earlier text has some of its words.
    pub(crate) known: bool,
}

/// The likeliest answer to a broken form, before it is taken.
struct Considered<'c> {
    case: &'c Case<'c>,
    form: &'c Broken<'c>,
    best: &'c Answer,
    others: &'c [Answer],
    /// The reading that became the answer.
    reading: &'c Reading,
    /// How much likelier it is than all others together, as a natural logarithm.
    lead: f32,
    /// It only restores delimiters of the earlier text.
    restores: bool,
    /// The lines that it changes, counted from 0 at the first line of the form.
    lines: Vec<u32>,
    mended: OnceCell<Mended>,
    shapes: OnceCell<Doubts>,
}

impl Considered<'_> {
    fn edits(&self) -> &[TextEdit] {
        &self.best.edits
    }

    /// The form after the answer.
    fn mended(&self) -> &Mended {
        self.mended.get_or_init(|| self.case.mended(self.form.own, self.edits(), self.form.habits))
    }

    /// The answer leaves the form with the unusual shape that `doubt` is about.
    fn has_shape(&self, doubt: Doubt) -> bool {
        let sight = if self.form.known { Sight::Known } else { Sight::All };
        let dialect = self.case.language.dialect();
        self.shapes.get_or_init(|| self.mended().shapes(sight, dialect, self.form.habits)).contains(doubt)
    }

    /// The form is an old one, of which only some lines are new, perhaps: it is not written alone.
    fn is_among_others(&self) -> bool {
        self.form.known || self.form.among_others
    }

    /// Neither an earlier text nor other lines show how lines are indented here.
    fn knows_no_layout(&self) -> bool {
        !self.form.known && self.form.habits.lines == 0
    }
}

impl Case<'_> {
    /// The first doubt about the first of `answers`, which is the `reading` as edits.
    pub(crate) fn doubt(
        &self,
        form: &Broken<'_>,
        guard: &Guard,
        reading: &Reading,
        answers: &[Answer],
    ) -> Option<Doubt> {
        let (best, others) = answers.split_first()?;
        let lines = best.edits.iter().map(|edit| self.lines().line(edit.at) - 1 - form.own[0].line).collect();
        let (mended, shapes) = (OnceCell::new(), OnceCell::new());
        let lead = lead(answers);
        let restores = reading.actions.iter().all(|action| guard.restores(*action));
        let it = Considered { case: self, form, best, others, reading, lead, restores, lines, mended, shapes };
        // What the columns and the words say against an answer, the earlier text outweighs.
        let trusted = |doubt: &Doubt| {
            use Doubt::{BrokenLine, CloseCall, FallenOut, NoBody, OutsideEdit, StopsShort};
            restores && !matches!(doubt, StopsShort | OutsideEdit | CloseCall | FallenOut | BrokenLine | NoBody)
        };
        Doubt::ALL.iter().copied().find(|doubt| self.considers(*doubt) && !trusted(doubt) && doubt.holds(&it))
    }

    /// The doubt is not ignored.
    pub(crate) fn considers(&self, doubt: Doubt) -> bool {
        !self.without.contains(doubt)
    }

    /// The edits reach beyond the bytes that may be changed.
    pub(crate) fn leaves_the_edit(&self, edits: &[TextEdit]) -> bool {
        let free = self.free.as_ref().filter(|_| self.strict);
        free.is_some_and(|free| !edits.iter().all(|edit| is_inside(edit, free)))
    }
}
