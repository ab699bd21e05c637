//! Learns how all macros of some files treat their arguments.
//!
//! The templates of a macro use other macros, so what is learned of these tells more of it. A macro is learned again only
//! when more is known of those that it uses.

use std::sync::Arc;

use lispwright_syntax::{Dialect, Span, Tree};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::each::each;
use crate::index::Document;
use crate::macros::{Macros, Named, is_any};
use crate::treatment::Treatment;

/// How often macros are learned at most: the length of a chain of macros, each of which is written with the next.
const LEARNINGS: usize = 32;

/// The macros of a project, some of which are learned.
pub(crate) struct Lessons<'i> {
    /// All macros of the dialects of the new files.
    macros: FxHashMap<Dialect, Macros<'i>>,
    /// Those of other files, which are known.
    known: FxHashMap<Dialect, Vec<Named<'i>>>,
    /// Those of the new files.
    pupils: Vec<Pupil<'i>>,
}

/// A macro that is learned.
struct Pupil<'i> {
    /// The number of its file, and its number in the file.
    file: usize,
    at: usize,
    named: Option<Named<'i>>,
    treatment: Arc<Treatment>,
    /// The places in its definition that name macros of the project.
    asked: Vec<Span>,
}

impl<'i> Lessons<'i> {
    /// Learns the macros of `fresh` files; those of `others` are known.
    pub(crate) fn of(others: &[&'i Document], fresh: &'i [(Document, Tree)]) -> Self {
        let all: Vec<&'i Document> = others.iter().copied().chain(fresh.iter().map(|(document, _)| document)).collect();
        let mut lessons = Self { macros: FxHashMap::default(), known: FxHashMap::default(), pupils: Vec::new() };
        for (file, (document, _)) in fresh.iter().enumerate() {
            let dialect = document.dialect;
            let macros = lessons.macros.entry(dialect).or_insert_with(|| {
                let macros = Macros::of(dialect, &all);
                let own = others.iter().filter(|one| one.dialect == dialect);
                lessons.known.insert(dialect, own.flat_map(|one| macros.named(one)).flatten().collect());
                macros
            });
            let pupil = |(at, named)| Pupil { file, at, named, treatment: Arc::default(), asked: Vec::new() };
            lessons.pupils.extend(macros.named(document).into_iter().enumerate().map(pupil));
        }
        lessons.tell(fresh);
        lessons.learn(fresh);
        lessons
    }

    /// The macros of a dialect, as far as they are learned.
    pub(crate) fn macros(&self, dialect: Dialect) -> Option<&Macros<'i>> {
        self.macros.get(&dialect)
    }

    /// What is learned of the macros of each file, in their order.
    pub(crate) fn learned(self, files: usize) -> Vec<Vec<Arc<Treatment>>> {
        let mut learned: Vec<Vec<Arc<Treatment>>> = (0..files).map(|_| Vec::new()).collect();
        for pupil in self.pupils {
            learned[pupil.file].push(pupil.treatment);
        }
        learned
    }

    fn learn(&mut self, fresh: &'i [(Document, Tree)]) {
        let mut waiting: Vec<usize> = (0..self.pupils.len()).collect();
        for _ in 0..LEARNINGS {
            let of_files: Vec<&[usize]> =
                waiting.chunk_by(|one, other| self.pupils[*one].file == self.pupils[*other].file).collect();
            let learned = each(&of_files, |pupils| {
                let (document, tree) = &fresh[self.pupils[pupils[0]].file];
                let numbers = pupils.iter().map(|pupil| self.pupils[*pupil].at);
                document.facts.learned(tree, &document.text, numbers, self.macros(document.dialect))
            });
            let mut changed: FxHashSet<(Dialect, &'i str)> = FxHashSet::default();
            for (number, (treatment, asked)) in waiting.iter().zip(learned.into_iter().flatten()) {
                let pupil = &mut self.pupils[*number];
                pupil.asked = asked;
                if *pupil.treatment != treatment {
                    pupil.treatment = Arc::new(treatment);
                    changed.extend(pupil.named.as_ref().map(|named| (fresh[pupil.file].0.dialect, named.name)));
                }
            }
            if changed.is_empty() {
                return;
            }
            self.tell(fresh);
            let uses_changed = |pupil: &Pupil<'_>| {
                let document = &fresh[pupil.file].0;
                let is_changed = |name: &str| changed.contains(&(document.dialect, name));
                pupil.asked.iter().any(|place| is_any(document.dialect, &document.text[place.range()], is_changed))
            };
            waiting = (0..self.pupils.len()).filter(|number| uses_changed(&self.pupils[*number])).collect();
        }
    }

    /// Makes known what is learned.
    fn tell(&mut self, fresh: &'i [(Document, Tree)]) {
        for (dialect, macros) in &mut self.macros {
            let own = self.pupils.iter_mut().filter(|pupil| fresh[pupil.file].0.dialect == *dialect);
            let own = own.filter_map(|pupil| {
                let named = pupil.named.as_mut()?;
                named.treatment.clone_from(&pupil.treatment);
                Some(&*named)
            });
            macros.take(self.known.get(dialect).into_iter().flatten().chain(own));
        }
    }
}
