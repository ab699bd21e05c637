//! The arguments of a call after the change, from those before it.

use super::refusal::OpenReason;
use super::wanted::{New, Plan};
use lispwright_index::ParameterRole as Role;

/// An argument of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Argument {
    /// The keyword that it is, in canonical spelling.
    pub(crate) keyword: Option<String>,
    /// A condition of the reader decides whether it is there.
    pub(crate) is_conditional: bool,
}

/// An argument of the new call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// The argument of this number.
    Old(usize),
    /// New source.
    New(String),
}

/// The arguments of a call after the change; `has_tail`: there are further ones that are not written there.
/// `keys_anywhere`: keywords can stand before other arguments.
///
/// Errors: why it cannot be told.
pub(crate) fn follow(
    plan: &Plan,
    arguments: &[Argument],
    has_tail: bool,
    keys_anywhere: bool,
) -> Result<Vec<Piece>, OpenReason> {
    if arguments.iter().any(|one| one.is_conditional) {
        return Err(OpenReason::Condition);
    }
    // Keywords among them are no arguments by their place.
    if has_tail && keys_anywhere && arguments.iter().any(|one| one.keyword.is_some()) {
        return Err(OpenReason::Tail);
    }
    if has_tail { before_tail(plan, arguments) } else { Passed::of(plan, arguments, keys_anywhere)?.pieces() }
}

fn is_positional(role: Role) -> bool {
    matches!(role, Role::Required | Role::Optional)
}

fn is_passed(role: Role) -> bool {
    !matches!(role, Role::Aux | Role::Hidden)
}

/// The value that calls pass for a new parameter.
fn value_of(new: &New) -> Result<String, OpenReason> {
    new.value.clone().ok_or_else(|| OpenReason::Absent(new.written.clone()))
}

/// The arguments before others that are not known: these have to keep their order.
fn before_tail(plan: &Plan, arguments: &[Argument]) -> Result<Vec<Piece>, OpenReason> {
    let numbers = |wanted: &dyn Fn(Role) -> bool| -> Vec<usize> {
        (0..plan.old.len()).filter(|at| wanted(plan.old[*at].role)).collect()
    };
    let positional = numbers(&is_positional);
    let known = &positional[..arguments.len().min(positional.len())];
    let after: Vec<usize> = numbers(&is_passed).into_iter().filter(|at| !known.contains(at)).collect();
    let mut pieces = Vec::new();
    let mut after_new = Vec::new();
    for new in plan.new.iter().filter(|new| is_passed(new.role)) {
        match new.from {
            Some(at) => match known.iter().position(|known| *known == at) {
                Some(_) if !after_new.is_empty() || !is_positional(new.role) => return Err(OpenReason::Tail),
                Some(number) => pieces.push(Piece::Old(number)),
                None if new.role != plan.old[at].role || new.keyword != plan.old[at].keyword => {
                    return Err(OpenReason::Tail);
                }
                None => after_new.push(at),
            },
            None => match (new.role, &new.value) {
                (Role::Required, _) if after_new.is_empty() => pieces.push(Piece::New(value_of(new)?)),
                (Role::Optional, Some(value)) if after_new.is_empty() => pieces.push(Piece::New(value.clone())),
                (Role::Required, _) | (_, Some(_)) => return Err(OpenReason::Tail),
                // The arguments that are not known would come to it.
                (Role::Optional, None) if after.iter().any(|at| !is_positional(plan.old[*at].role)) => {
                    return Err(OpenReason::Tail);
                }
                _ => {}
            },
        }
    }
    if after_new != after {
        return Err(OpenReason::Tail);
    }
    pieces.extend((known.len()..arguments.len()).map(Piece::Old));
    Ok(pieces)
}

/// What a call passes, by parameter.
struct Passed<'p> {
    plan: &'p Plan,
    keys_anywhere: bool,
    /// The argument of each present parameter.
    values: Vec<Option<usize>>,
    /// Keywords with their values, in the order of the call: the parameter, and the numbers of the keyword and the value.
    keys: Vec<(Option<usize>, usize, usize)>,
    /// Further arguments.
    rest: Vec<usize>,
    arguments: usize,
}

impl<'p> Passed<'p> {
    fn of(plan: &'p Plan, arguments: &[Argument], keys_anywhere: bool) -> Result<Self, OpenReason> {
        let mut passed = Passed {
            plan,
            keys_anywhere,
            values: vec![None; plan.old.len()],
            keys: Vec::new(),
            rest: Vec::new(),
            arguments: arguments.len(),
        };
        let has = |role| plan.old.iter().any(|one| one.role == role);
        let mut plain: Vec<usize> = Vec::new();
        let mut at = 0;
        while at < arguments.len() {
            match &arguments[at].keyword {
                Some(keyword) if keys_anywhere => {
                    if at + 1 >= arguments.len() {
                        return Err(OpenReason::Keys);
                    }
                    passed.keys.push((passed.key(keyword), at, at + 1));
                    at += 2;
                }
                _ => {
                    plain.push(at);
                    at += 1;
                }
            }
        }
        let positional: Vec<usize> = (0..plan.old.len()).filter(|at| is_positional(plan.old[*at].role)).collect();
        let required = plan.old.iter().filter(|one| one.role == Role::Required).count();
        if plain.len() < required {
            return Err(OpenReason::Few);
        }
        for (&old, &argument) in positional.iter().zip(&plain) {
            passed.values[old] = Some(argument);
        }
        let further = plain.get(positional.len()..).unwrap_or_default();
        let takes_keys = !keys_anywhere && (has(Role::Key) || plan.has_open_keys);
        if takes_keys {
            for pair in further.chunks(2) {
                let keyword = pair.first().and_then(|at| arguments[*at].keyword.as_ref());
                match (pair, keyword) {
                    (&[key, value], Some(keyword)) => passed.keys.push((passed.key(keyword), key, value)),
                    _ if passed.keeps_keys() => {
                        passed.keys.clear();
                        passed.rest = further.to_vec();
                        break;
                    }
                    _ => return Err(OpenReason::Keys),
                }
            }
        } else if has(Role::Rest) {
            passed.rest = further.to_vec();
        } else if !further.is_empty() {
            return Err(OpenReason::Many);
        }
        Ok(passed)
    }

    fn key(&self, keyword: &str) -> Option<usize> {
        let is_it = |known: &Option<String>| known.as_ref().is_some_and(|known| known.eq_ignore_ascii_case(keyword));
        self.plan.old.iter().position(|one| one.role == Role::Key && is_it(&one.keyword))
    }

    /// The change is about no keyword.
    fn keeps_keys(&self) -> bool {
        let plan = self.plan;
        let keys = |at: &usize| plan.old[*at].role == Role::Key;
        let is_kept = |at: usize| {
            plan.becomes(at).is_some_and(|new| new.role == Role::Key && new.keyword == plan.old[at].keyword)
        };
        let is_added =
            |new: &New| new.role == Role::Key && (new.from.is_some_and(|at| !keys(&at)) || new.value.is_some());
        (0..plan.old.len()).filter(keys).all(is_kept) && !plan.new.iter().any(is_added)
    }

    fn pieces(&self) -> Result<Vec<Piece>, OpenReason> {
        let plan = self.plan;
        let mut positional: Vec<Piece> = Vec::new();
        // An optional parameter that is not passed: nothing may come after it.
        let mut gap: Option<&New> = None;
        for new in plan.new.iter().filter(|new| is_positional(new.role)) {
            let passed = match new.from {
                Some(at) if plan.old[at].role == Role::Key => {
                    self.keys.iter().find(|(key, ..)| *key == Some(at)).map(|(_, _, value)| *value)
                }
                Some(at) if plan.old[at].role == Role::Rest && self.rest.is_empty() => None,
                Some(at) if plan.old[at].role == Role::Rest => return Err(OpenReason::Rest),
                Some(at) => self.values[at],
                None => None,
            };
            let piece = match (passed, &new.value, new.role) {
                (Some(argument), ..) => Piece::Old(argument),
                (None, Some(value), _) => Piece::New(value.clone()),
                (None, None, Role::Required) => return Err(OpenReason::Absent(new.written.clone())),
                (None, None, _) => {
                    gap = gap.or(Some(new));
                    continue;
                }
            };
            if let Some(new) = gap {
                return Err(OpenReason::Gap(new.written.clone()));
            }
            positional.push(piece);
        }
        let mut keys: Vec<Piece> = Vec::new();
        let mut kept: Vec<(usize, [Piece; 2])> = Vec::new();
        for &(old, key, value) in &self.keys {
            let new = match old {
                Some(at) => match plan.becomes(at) {
                    Some(new) if new.role == Role::Key => Some(new),
                    _ => continue,
                },
                None => None,
            };
            let is_renamed = new.zip(old).is_some_and(|(new, at)| new.keyword != plan.old[at].keyword);
            let word = match new.and_then(|new| new.keyword.clone()).filter(|_| is_renamed) {
                Some(keyword) => Piece::New(keyword),
                None => Piece::Old(key),
            };
            kept.push((key, [word, Piece::Old(value)]));
        }
        for new in plan.new.iter().filter(|new| new.role == Role::Key) {
            let word = new.keyword.clone().unwrap_or_default();
            let was_key = new.from.is_some_and(|at| plan.old[at].role == Role::Key);
            let passed = new.from.filter(|_| !was_key).and_then(|at| self.values[at]);
            let is_passed = self.keys.iter().any(|(old, ..)| old.is_some() && *old == new.from);
            match (passed, &new.value) {
                (Some(argument), _) => keys.extend([Piece::New(word), Piece::Old(argument)]),
                (None, Some(value)) if !is_passed => keys.extend([Piece::New(word), Piece::New(value.clone())]),
                _ => {}
            }
        }
        let takes_rest = plan.new.iter().any(|new| new.role == Role::Rest && new.from.is_some());
        let has_keys = plan.new.iter().any(|new| new.role == Role::Key) || plan.has_open_keys;
        if !self.rest.is_empty() && !takes_rest && !has_keys {
            return Err(OpenReason::Rest);
        }
        let passes_keys = !self.keys_anywhere && (!kept.is_empty() || !keys.is_empty());
        let has_more = !self.rest.is_empty() || passes_keys;
        if let Some(new) = gap.filter(|_| has_more) {
            return Err(OpenReason::Gap(new.written.clone()));
        }
        if !self.keys_anywhere {
            positional.extend(kept.into_iter().flat_map(|(_, pair)| pair));
            positional.extend(keys);
            positional.extend(self.rest.iter().copied().map(Piece::Old));
            return Ok(positional);
        }
        positional.extend(self.rest.iter().copied().map(Piece::Old));
        Ok(self.among(positional, &kept, keys))
    }

    /// Keywords stay where they are among the other arguments.
    fn among(&self, plain: Vec<Piece>, kept: &[(usize, [Piece; 2])], keys: Vec<Piece>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut plain = plain.into_iter();
        let is_key = |at: usize| self.keys.iter().any(|(_, key, value)| *key == at || *value == at);
        for at in 0..self.arguments {
            if let Some((_, pair)) = kept.iter().find(|(key, _)| *key == at) {
                pieces.extend(pair.iter().cloned());
            } else if !is_key(at) {
                pieces.extend(plain.next());
            }
        }
        pieces.extend(plain);
        pieces.extend(keys);
        pieces
    }
}
