//! Classes of characters that no set of a grammar distinguishes.

use std::collections::HashMap;

use super::notation::Set;

/// Index of a class.
pub(crate) type Class = u16;

/// Every character belongs to one class, and a set of the grammar has all of a class or none.
pub(crate) struct Classes {
    /// The first characters of runs of one class each, ascending, from the first character of all.
    starts: Vec<char>,
    runs: Vec<Class>,
    /// For each class, which sets contain it.
    members: Vec<Vec<bool>>,
}

impl Classes {
    pub(crate) fn of(sets: &[Set]) -> Self {
        let mut starts: Vec<char> = sets.iter().flat_map(Set::changes).chain(['\0']).collect();
        starts.sort_unstable();
        starts.dedup();
        let mut classes: HashMap<Vec<bool>, Class> = HashMap::new();
        let mut runs = Vec::new();
        for &start in &starts {
            let new = Class::try_from(classes.len()).unwrap();
            runs.push(*classes.entry(sets.iter().map(|set| set.has(start)).collect()).or_insert(new));
        }
        let mut members = vec![Vec::new(); classes.len()];
        for (has, class) in classes {
            members[usize::from(class)] = has;
        }
        Self { starts, runs, members }
    }

    pub(crate) fn of_char(&self, c: char) -> Class {
        self.runs[self.starts.partition_point(|&start| start <= c) - 1]
    }

    /// The set with this index has the characters of `class`.
    pub(crate) fn meet(&self, class: Class, set: usize) -> bool {
        self.members[usize::from(class)][set]
    }
}
