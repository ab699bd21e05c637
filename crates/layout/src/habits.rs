//! Where the lines of a project begin, counted.
//!
//! A place is a name for a column: that of the first argument, two right of the opener, below the line before. A line
//! fits every place that has its column, and each place is counted by itself: how often it was there to be chosen, and
//! how often a line was in it. So no observation has to be explained by one place alone. The counts are kept for
//! situations of growing detail, the last of which knows the head; each is the expectation of the next, so that a
//! single example of a head already says something and many of them everything.

use rustc_hash::FxHashMap;

/// The number of places.
pub(crate) const PLACES: usize = 29;
/// The number of situations of a line, from the general one to the particular one.
pub(crate) const LEVELS: usize = 7;

/// No such place.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// A name for a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Place {
    /// What the rule of the dialect says.
    Rule,
    /// Below the last datum of the list that begins a line.
    Sibling,
    /// Below the last one that was in another column.
    OtherSibling,
    /// Below the first one.
    FirstSibling,
    /// Below the last one that is the same kind of datum.
    LikeSibling,
    /// Below the second datum on the line of the last one.
    AfterSibling,
    /// Below the last datum that begins a line and is an atom.
    AtomSibling,
    /// Below the first argument, on the line of the opener.
    Argument,
    /// Below the second one there.
    SecondArgument,
    /// Below the last datum there.
    LastArgument,
    /// Below the last keyword.
    Keyword,
    /// Below the datum after it, on its line.
    AfterKeyword,
    /// Below the first datum of the list.
    First,
    /// In the column of the opener.
    Zero,
    One,
    Two,
    Three,
    Four,
    Five,
    Six,
    /// One and two columns right of the first argument.
    ArgumentOne,
    ArgumentTwo,
    /// Right and left of the last datum that begins a line.
    SiblingOne,
    SiblingTwo,
    SiblingFour,
    SiblingBack,
    /// Below the comment before.
    Comment,
    /// Column 0.
    Margin,
    /// Two columns right of the beginning of the line of the opener.
    LineTwo,
}

/// The order in which places are asked for.
const ORDER: [Place; PLACES] = [
    Place::Rule,
    Place::Sibling,
    Place::Comment,
    Place::LikeSibling,
    Place::Argument,
    Place::First,
    Place::Two,
    Place::OtherSibling,
    Place::FirstSibling,
    Place::AtomSibling,
    Place::AfterSibling,
    Place::AfterKeyword,
    Place::Keyword,
    Place::Four,
    Place::One,
    Place::Zero,
    Place::Margin,
    Place::SecondArgument,
    Place::LastArgument,
    Place::SiblingTwo,
    Place::SiblingBack,
    Place::ArgumentTwo,
    Place::ArgumentOne,
    Place::SiblingOne,
    Place::SiblingFour,
    Place::Three,
    Place::Five,
    Place::Six,
    Place::LineTwo,
];

/// How strongly a situation is believed against the counts of the next, in observations.
const WEIGHT: [f32; LEVELS] = [10.0, 6.0, 4.0, 4.0, 3.0, 2.0, 2.0];

/// How many times likelier another column has to be for a line to be moved: what its author did is kept in doubt.
const PATIENCE: f32 = 4.0;

/// Counts for one situation: how often a place was asked for, and how often a line was in it.
#[derive(Clone, Copy, Debug)]
struct Counts {
    asked: [f32; PLACES],
    chosen: [f32; PLACES],
}

const NONE: Counts = Counts { asked: [0.0; PLACES], chosen: [0.0; PLACES] };

/// The habits of some files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Habits {
    counts: FxHashMap<u64, Counts>,
}

/// A line to lay out: the columns of its places, and the keys of its situations.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) columns: [u32; PLACES],
    pub(crate) situations: [u64; LEVELS],
    /// The column that the mode of the dialect in Emacs gives.
    pub(crate) by_mode: u32,
    /// The share of lines that are in a place, before anything is seen.
    pub(crate) prior: [f32; PLACES],
}

impl Question {
    /// The column that the mode of the dialect gives.
    pub(crate) fn by_rule(&self) -> u32 {
        self.by_mode
    }

    /// The places in the order in which they are asked for, each column once.
    fn places(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let column = |place: &Place| self.columns[*place as usize];
        ORDER.iter().enumerate().filter_map(move |(at, place)| {
            let own = column(place);
            let is_first = || ORDER[..at].iter().all(|earlier| column(earlier) != own);
            (own != NOWHERE && is_first()).then_some((*place as usize, own))
        })
    }
}

impl Habits {
    /// A line was in `column`. It counts `weight` times.
    pub(crate) fn see(&mut self, question: &Question, column: u32, weight: f32) {
        let places: Vec<(usize, u32)> = question.places().collect();
        let Some(chosen) = places.iter().position(|(_, own)| *own == column) else { return };
        for key in question.situations {
            let counts = self.counts.entry(key).or_insert(NONE);
            for (place, _) in &places[..=chosen] {
                counts.asked[*place] += weight;
            }
            counts.chosen[places[chosen].0] += weight;
        }
    }

    /// The column in which such a line most often is; `None` if no place is there. With `own`, the line itself is among
    /// those that were seen, in that column: what others show decides, and only clearly.
    pub(crate) fn answer(&self, question: &Question, own: Option<u32>) -> Option<u32> {
        let known = question.situations.map(|key| self.counts.get(&key));
        let (mut left, mut best) = (1.0, None);
        let has_own = own.is_some_and(|own| question.columns.contains(&own));
        let mut is_asked = has_own;
        let mut own_chance = None;
        for (place, column) in question.places() {
            let is_own = has_own && own == Some(column);
            let (asked, chosen) = (f32::from(is_asked), f32::from(is_own));
            let mut share = question.prior[place];
            for (counts, weight) in known.iter().zip(WEIGHT) {
                if let Some(counts) = counts {
                    share = (counts.chosen[place] - chosen + weight * share) / (counts.asked[place] - asked + weight);
                }
            }
            is_asked &= !is_own;
            let chance: f32 = left * share;
            if is_own {
                own_chance = Some(chance);
            }
            if best.is_none_or(|(_, most)| chance > most) {
                best = Some((column, chance));
            }
            left *= 1.0 - share;
            let is_own_known = !has_own || own_chance.is_some();
            if is_own_known && best.is_some_and(|(_, most)| most >= left) {
                break;
            }
        }
        let stays = |most: f32| own_chance.is_some_and(|chance| chance * PATIENCE >= most);
        best.map(|(column, most)| own.filter(|_| stays(most)).unwrap_or(column))
    }
}
