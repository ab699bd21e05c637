//! The distance between two spellings.

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
