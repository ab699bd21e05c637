//! The distance between two spellings.

use std::collections::HashSet;

/// The `most` names that are spelled most like `wanted`, nearest first; letter case does not count. At most every third
/// character differs.
pub fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>, most: usize) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let length = wanted.chars().count();
    let limit = length / 3 + 1;
    // Most names differ in length by more than that, and need no closer look.
    let is_near = |name: &&str| name.chars().count().abs_diff(length) <= limit;
    let names: HashSet<&str> = names.into_iter().filter(is_near).collect();
    let mut near: Vec<(usize, &str)> =
        names.into_iter().map(|name| (edit_distance(&wanted, &name.to_lowercase()), name)).collect();
    near.retain(|(distance, _)| *distance <= limit);
    near.sort_unstable();
    near.into_iter().take(most).map(|(_, name)| name.to_owned()).collect()
}

/// The Levenshtein distance in characters, where a swap of two neighbours counts as one mistake.
pub fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    let mut above = row.clone();
    let mut before = None;
    for (line, from) in left.chars().enumerate() {
        let older = std::mem::replace(&mut above, row.clone());
        row[0] = line + 1;
        for (column, to) in right.iter().enumerate() {
            let replaced = above[column] + usize::from(from != *to);
            row[column + 1] = replaced.min(above[column + 1] + 1).min(row[column] + 1);
            if column > 0 && before == Some(*to) && right[column - 1] == from {
                row[column + 1] = row[column + 1].min(older[column - 1] + 1);
            }
        }
        before = Some(from);
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first_and_far_ones_not_at_all() {
        let names = ["carr", "CDR", "car", "caar", "rac", "handler-case", "carr"];
        assert_eq!(nearest("Car", names, 3), ["car", "CDR", "caar"]);
        assert_eq!(nearest("quite-another", names, 3), Vec::<String>::new());
    }
}
