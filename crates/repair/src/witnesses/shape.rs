//! The shapes of the forms of a language: which argument is a list, and which list contains lists.
//!
//! `(defun f x ...)` and `(let (a 1) ...)` balance, but nobody means them. This is evidence against a repair that would
//! give such a form. The tables of the dialects name the heads; heads that a project defines itself are learnt from the
//! file instead ([`crate::witnesses::habits`]), or are in its configuration.

use std::sync::{Arc, OnceLock};

use lispwright_syntax::dialects::Shapes;
use lispwright_syntax::language::{Count, PartMeaning, Row, RowPart, What};
use lispwright_syntax::{Dialect, Language};
use rustc_hash::FxHashMap;

use crate::text::code::name_of;
use crate::witnesses::question::{MAP, MOST_ARGUMENTS, Question, argument, part_of, with_atom};

/// The probabilities of the shapes: some heads mean something else in other places.
const SURE: f32 = 0.985;
const NESTED: f32 = 0.9;
const EITHER: f32 = 0.4;
const PAIRED: f32 = 0.95;

/// The probabilities of the answer yes to the questions about forms that are known: those of the dialect, and those that
/// the project states.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownShapes {
    table: Option<&'static FxHashMap<(u64, u8), f32>>,
    stated: Option<Arc<FxHashMap<(u64, u8), f32>>>,
}

impl KnownShapes {
    pub(crate) fn of(language: &Language) -> Self {
        let stated: FxHashMap<(u64, u8), f32> =
            language.all_rows().flat_map(|(head, rows)| of_rows(head, rows)).collect();
        let stated = (!stated.is_empty()).then(|| Arc::new(stated));
        Self { table: Some(shapes(language.dialect())), stated }
    }

    pub(crate) fn get(&self, key: &(u64, u8)) -> Option<f32> {
        let stated = self.stated.as_ref().and_then(|stated| stated.get(key));
        stated.or_else(|| self.table?.get(key)).copied()
    }
}

/// The answers of the rows that a project states of a head.
fn of_rows(head: &str, rows: &[Row]) -> Vec<((u64, u8), f32)> {
    let head = name_of(head.as_bytes());
    let fewest = rows.iter().map(|row| row.arguments().0).min().unwrap_or(0) as u32;
    let most = rows.iter().map(|row| row.arguments().1).max_by_key(|most| most.unwrap_or(usize::MAX)).flatten();
    let mut answers = counts(head, fewest, most.and_then(|most| u32::try_from(most).ok()));
    // What one row says of an argument, another may not.
    let [row] = rows else { return answers };
    let mut say = |key: u64, question: Question, p: f32| answers.push(((key, question as u8), p));
    let before = row.before_body().map(u32::from);
    for (index, part) in (1..MOST_ARGUMENTS).zip(row.parts()) {
        let at = argument(head, index);
        match &part.what {
            _ if before.is_some_and(|before| index > before) => break,
            What::Is(PartMeaning::Bindings | PartMeaning::Parameters) => say(at, Question::IsList, SURE),
            What::Word(_) => say(at, Question::IsList, 1.0 - SURE),
            What::List(inside) => {
                say(at, Question::IsList, SURE);
                match inside.first().map(|first| &first.what) {
                    Some(What::List(binding)) => {
                        say(at, Question::ListFirst, NESTED);
                        if matches!(binding.first(), Some(RowPart { what: What::Is(PartMeaning::Name), .. })) {
                            say(argument(part_of(head), 0), Question::ListFirst, 1.0 - SURE);
                        }
                    }
                    _ => say(part_of(at), Question::Ends, SURE),
                }
            }
            What::Is(_) => {}
        }
        if part.count != Count::One {
            break;
        }
    }
    for index in before.map_or(0..0, |before| before + 1..MOST_ARGUMENTS + 1) {
        say(argument(head, index), Question::Crowded, 1.0 - SURE);
    }
    answers
}

/// The probabilities of the answer yes to the questions about a dialect's own forms.
fn shapes(dialect: Dialect) -> &'static FxHashMap<(u64, u8), f32> {
    // Each is made on first use, because a hook reads one file.
    static TABLES: [OnceLock<FxHashMap<(u64, u8), f32>>; Dialect::ALL.len()] =
        [const { OnceLock::new() }; Dialect::ALL.len()];
    TABLES[dialect as usize].get_or_init(|| {
        let pairs_of_maps = ((MAP, Question::Pairs as u8), PAIRED);
        let known = [dialect.table().shapes, &Shapes::EVERYWHERE].into_iter().flat_map(answers);
        std::iter::once(pairs_of_maps).chain(known).collect()
    })
}

/// The answers that the shapes give.
fn answers(known: &Shapes) -> impl Iterator<Item = ((u64, u8), f32)> + use<> {
    let rows = |text: &'static str, question: Question, p: f32| {
        text.split_whitespace().filter_map(move |row| {
            let (head, index) = row.rsplit_once(':')?;
            Some(((argument(head_of(head), index.parse().ok()?), question as u8), p))
        })
    };
    rows(known.lists, Question::IsList, SURE)
        .chain(rows(known.atoms, Question::IsList, 1.0 - SURE))
        .chain(rows(known.nested, Question::ListFirst, NESTED))
        .chain(rows(known.either, Question::ListFirst, EITHER))
        .chain(
            known
                .bodies
                .split_whitespace()
                .flat_map(|row| from_on(row, |key| (key, Question::Crowded as u8), 1.0 - SURE)),
        )
        .chain(rows(known.docstrings, Question::Docstring, 1.0))
        .chain(rows(known.pairs, Question::Pairs, SURE))
        .chain(known.counts.split_whitespace().flat_map(|row| count_rows(row, head_of)))
        .chain(known.parts.split_whitespace().flat_map(|row| count_rows(row, |head| part_of(head_of(head)))))
        .chain(binding_rows(known.name_first, 1.0 - SURE))
        .chain(binding_rows(known.list_first, NESTED))
        .chain(known.clauses.split_whitespace().flat_map(clause_rows))
        .chain(known.clause_parameters.split_whitespace().filter_map(clause_argument).flat_map(|key| {
            [(part_of(key), Question::Ends), (key, Question::IsList)].map(|(key, asked)| ((key, asked as u8), SURE))
        }))
        .chain(
            known
                .clause_names
                .split_whitespace()
                .filter_map(clause_argument)
                .map(|key| ((part_of(key), Question::Ends as u8), SURE)),
        )
}

/// The key of an argument of a clause, from `head:argument`.
fn clause_argument(row: &'static str) -> Option<u64> {
    let (head, index) = row.rsplit_once(':')?;
    Some(argument(part_of(head_of(head)), index.parse().ok()?))
}

/// The key of a head; an `@` after it stands for an atom as its first argument.
fn head_of(head: &str) -> u64 {
    match head.strip_suffix('@') {
        Some(plain) => with_atom(name_of(plain.as_bytes())),
        None => name_of(head.as_bytes()),
    }
}

/// Whether a list ends after a number of arguments, from `head:fewest:most`.
fn count_rows(row: &'static str, key: fn(&str) -> u64) -> Vec<((u64, u8), f32)> {
    let mut parts = row.split(':');
    let head = key(parts.next().unwrap_or_default());
    let mut number = || parts.next().and_then(|number| number.parse::<u32>().ok());
    let (fewest, most) = (number().unwrap_or(0), number());
    counts(head, fewest, most)
}

/// Whether a list with this key ends after a number of arguments.
fn counts(head: u64, fewest: u32, most: Option<u32>) -> Vec<((u64, u8), f32)> {
    let too_few = (0..fewest).map(|count| (count, 1.0 - SURE));
    let enough = most.filter(|most| *most < MOST_ARGUMENTS).map(|most| (most, SURE));
    too_few.chain(enough).map(|(count, p)| ((argument(head, count), Question::Ends as u8), p)).collect()
}

/// Whether the bindings of heads begin with lists.
fn binding_rows(heads: &'static str, p: f32) -> impl Iterator<Item = ((u64, u8), f32)> {
    let key = |head| argument(part_of(head_of(head)), 0);
    heads.split_whitespace().map(move |head| ((key(head), Question::ListFirst as u8), p))
}

/// Which arguments of a head are clauses, from `head:first`.
fn clause_rows(row: &'static str) -> Vec<((u64, u8), f32)> {
    from_on(row, |key| (part_of(key), Question::Ends as u8), SURE)
}

/// A row for every argument from the one that `head:first` names on.
fn from_on(row: &'static str, key: fn(u64) -> (u64, u8), p: f32) -> Vec<((u64, u8), f32)> {
    let Some((head, first)) = row.rsplit_once(':') else { return Vec::new() };
    let (head, first) = (head_of(head), first.parse().unwrap_or(MOST_ARGUMENTS));
    (first..=MOST_ARGUMENTS).map(|index| (key(argument(head, index)), p)).collect()
}
