//! Suggestions for a name that does not exist.

use lispwright_syntax::edit_distance;

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
        .map(|candidate| (edit_distance(&wanted, &compared(candidate).to_uppercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(3).map(|(_, candidate)| candidate.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names_come_first_and_far_ones_not_at_all() {
        let names: Vec<Value> = ["ALEXANDRIA", "ALEXANDRIA-2", "SB-EXT", "UIOP"].map(Value::text).into();
        assert_eq!(nearest("alexandira", &names), ["ALEXANDRIA", "ALEXANDRIA-2"]);
        assert!(nearest("nothing-like-it", &names).is_empty());
        assert_eq!((edit_distance("AREA", "AERA"), edit_distance("", "ab"), edit_distance("abc", "ca")), (1, 2, 3));
    }
}
