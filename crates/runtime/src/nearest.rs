//! Suggestions for a name that does not exist.

use crate::wire::Value;

/// At most three of `candidates` that are similar to `name`, nearest first.
pub(crate) fn nearest(name: &str, candidates: &[Value]) -> Vec<String> {
    nearest_by(name, candidates, |candidate| candidate)
}

/// Like [`nearest`], but compares the part of each candidate that `compared` returns.
pub(crate) fn nearest_by(name: &str, candidates: &[Value], compared: fn(&str) -> &str) -> Vec<String> {
    let wanted = name.to_uppercase();
    let length = wanted.chars().count();
    let allowed = if length == 1 { 0 } else { (length / 3).max(1) };
    let mut near: Vec<(usize, &str)> = candidates
        .iter()
        .filter_map(Value::as_text)
        .map(|candidate| (distance(&wanted, &compared(candidate).to_uppercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(3).map(|(_, candidate)| candidate.to_owned()).collect()
}

/// Levenshtein's distance in characters, where a swap of neighbours counts as one mistake.
fn distance(left: &str, right: &str) -> usize {
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
    fn nearest_names_come_first_and_far_ones_not_at_all() {
        let names: Vec<Value> = ["ALEXANDRIA", "ALEXANDRIA-2", "SB-EXT", "UIOP"].map(Value::text).into();
        assert_eq!(nearest("alexandira", &names), ["ALEXANDRIA", "ALEXANDRIA-2"]);
        assert!(nearest("nothing-like-it", &names).is_empty());
        assert_eq!((distance("AREA", "AERA"), distance("", "ab"), distance("abc", "ca")), (1, 2, 3));
    }
}
