//! The new list of parameters that a request asks for, compared with the present one.

use std::collections::BTreeMap;

use lispwright_index::{
    Parameter, ParameterItem as Item, ParameterList, ParameterReader as Lists, ParameterRole as Role, symbol_name,
};
use lispwright_syntax::{Dialect, Language, Span, TokenKind, read};

use super::refusal::SignatureRefusal;

/// A parameter of the present list.
#[derive(Clone, Debug)]
pub(crate) struct Old {
    pub(crate) role: Role,
    pub(crate) name: Option<String>,
    /// Its source.
    pub(crate) text: String,
    pub(crate) keyword: Option<String>,
    /// Which of its role it is, from 0.
    pub(crate) nth: usize,
}

/// A parameter of the new list.
#[derive(Clone, Debug)]
pub(crate) struct New {
    pub(crate) role: Role,
    /// The number of the present parameter that it is.
    pub(crate) from: Option<usize>,
    pub(crate) name: Option<String>,
    /// Its name as it is written.
    pub(crate) written: String,
    /// Its source in the request.
    pub(crate) text: String,
    /// The request says more than its name, so its source comes instead of the present one.
    pub(crate) is_given: bool,
    pub(crate) keyword: Option<String>,
    /// What calls pass that do not pass it now.
    pub(crate) value: Option<String>,
}

/// An item of the new list.
#[derive(Clone, Debug)]
pub(crate) enum NewItem {
    Word(Option<Role>, String),
    Parameter(usize),
}

/// The change of a list of parameters.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) old: Vec<Old>,
    pub(crate) new: Vec<New>,
    pub(crate) items: Vec<NewItem>,
    /// The list has other keywords than its own.
    pub(crate) has_open_keys: bool,
    /// The lists of the function are several; this one is for calls with so many arguments.
    pub(crate) arity: Option<Arity>,
}

/// Which calls mean one of several lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arity {
    pub(crate) required: usize,
    pub(crate) is_variadic: bool,
    /// The numbers of arguments of the other lists.
    pub(crate) others: Vec<usize>,
    /// There are other lists.
    pub(crate) is_one_of_several: bool,
    /// The others change like it.
    pub(crate) is_all: bool,
}

impl Arity {
    /// The list is the one that is meant.
    pub(crate) fn has(&self, list: &ParameterList) -> bool {
        let is_variadic = list.count(Role::Rest) > 0;
        !self.is_one_of_several || (list.count(Role::Required) == self.required && is_variadic == self.is_variadic)
    }

    /// A call with so many arguments means the list.
    pub(crate) fn is_meant(&self, arguments: usize) -> bool {
        match self.is_variadic {
            true => arguments >= self.required && !self.others.contains(&arguments),
            false => arguments == self.required || !self.is_one_of_several,
        }
    }
}

impl Plan {
    /// The number of the present parameter in a list that has the same parameters, perhaps under other names: `None` if
    /// the list does not have it.
    pub(crate) fn in_list(&self, old: usize, list: &ParameterList) -> Option<usize> {
        let one = &self.old[old];
        match one.role {
            Role::Key => {
                list.parameters.iter().position(|other| other.role == Role::Key && other.keyword == one.keyword)
            }
            Role::Aux | Role::Hidden => {
                list.parameters.iter().position(|other| other.role == one.role && other.name == one.name)
            }
            role => list.nth(role, one.nth),
        }
    }

    /// The list has as many parameters of each role that counts.
    pub(crate) fn fits(&self, list: &ParameterList) -> bool {
        let count = |role| self.old.iter().filter(|one| one.role == role).count();
        [Role::Required, Role::Optional].into_iter().all(|role| list.count(role) == count(role))
    }

    /// The new parameter that a present one becomes.
    pub(crate) fn becomes(&self, old: usize) -> Option<&New> {
        self.new.iter().find(|new| new.from == Some(old))
    }

    /// Names that change: the present one, and the new one as it is written.
    pub(crate) fn renamed(&self, old: usize) -> Option<&New> {
        self.becomes(old)
            .filter(|new| new.name.is_some() && self.old[old].name.is_some() && new.name != self.old[old].name)
    }

    /// The word before the new parameters of a role.
    pub(crate) fn word(&self, role: Role) -> Option<String> {
        self.items.iter().find_map(|item| match item {
            NewItem::Word(of, text) if *of == Some(role) => Some(text.clone()),
            _ => None,
        })
    }

    /// Parameters get other names, and nothing else changes.
    pub(crate) fn only_renames(&self) -> bool {
        let in_order = |(at, new): (usize, &New)| new.from == Some(at) && new.role == self.old[at].role;
        self.new.len() == self.old.len() && self.new.iter().enumerate().all(in_order)
    }

    /// No parameter changes its place, its role or its keyword, and no call passes another argument.
    pub(crate) fn keeps_calls(&self) -> bool {
        let is_passed = |role| !matches!(role, Role::Aux | Role::Hidden);
        let old = self.old.iter().enumerate().filter(|(_, one)| is_passed(one.role) && one.role != Role::Key);
        let mut old: Vec<usize> = old.map(|(at, _)| at).collect();
        old.reverse();
        for new in self.new.iter().filter(|new| is_passed(new.role)) {
            match (new.from, new.role) {
                (Some(at), Role::Key) => {
                    if self.old[at].role != Role::Key || self.old[at].keyword != new.keyword {
                        return false;
                    }
                }
                (Some(at), role) => {
                    let was = self.old[at].role;
                    let is_kept = role == was || (role, was) == (Role::Optional, Role::Required);
                    if old.pop() != Some(at) || !is_kept {
                        return false;
                    }
                }
                (None, Role::Required) => return false,
                (None, _) if new.value.is_some() => return false,
                (None, Role::Optional) if !old.is_empty() => return false,
                (None, _) => {}
            }
        }
        let is_dropped = |at: usize| self.becomes(at).is_none() && is_passed(self.old[at].role);
        old.is_empty() && !(0..self.old.len()).any(is_dropped)
    }
}

/// What a request asks for.
pub(crate) struct Wanted<'a> {
    pub(crate) parameters: Option<&'a str>,
    pub(crate) rename: &'a BTreeMap<String, String>,
    pub(crate) values: &'a BTreeMap<String, String>,
    pub(crate) language: &'a Language,
    pub(crate) is_method: bool,
    /// Of several lists, those that have a parameter change.
    pub(crate) is_all: bool,
}

/// The present parameters of a list in `text`.
pub(crate) fn present(list: &ParameterList, text: &str) -> Vec<Old> {
    let parameters = list.parameters.iter().enumerate();
    let old = parameters.map(|(at, one)| Old {
        role: one.role,
        name: one.name.clone(),
        text: text[one.span.range()].to_owned(),
        keyword: one.keyword.clone(),
        nth: list.parameters[..at].iter().filter(|other| other.role == one.role).count(),
    });
    old.collect()
}

/// The parameters `given`; several without brackets around them get those of the `present` list.
fn bracketed(given: &str, present: &str) -> String {
    let bracket = |one: Option<char>| one.filter(|one| "()[]".contains(*one));
    match (bracket(given.chars().next()), bracket(present.chars().next()), bracket(present.chars().last())) {
        (None, Some(open), Some(close)) if given.contains(char::is_whitespace) => format!("{open}{given}{close}"),
        _ => given.to_owned(),
    }
}

/// Plans the change of the list `list` of `text`.
pub(crate) fn plan(list: &ParameterList, text: &str, wanted: &Wanted<'_>) -> Result<Plan, SignatureRefusal> {
    let dialect: Dialect = wanted.language.dialect();
    let bad = |why: String| SignatureRefusal::BadParameters { why };
    let canonical = |name: &str| symbol_name(dialect, name);
    let old = present(list, text);
    let mut renames: BTreeMap<String, (String, bool)> = BTreeMap::new();
    for (from, to) in wanted.rename {
        let (from, to) = (from.trim(), to.trim());
        if old.iter().all(|one| one.name.as_deref() != Some(&*canonical(from))) {
            if wanted.is_all {
                continue;
            }
            return Err(SignatureRefusal::NoParameter { name: from.to_owned(), known: names(&old) });
        }
        if !lispwright_index::is_name(dialect, to) {
            return Err(bad(format!("{to} is no name")));
        }
        renames.insert(canonical(from), (to.to_owned(), false));
    }
    let given = match wanted.parameters {
        Some(given) => bracketed(given.trim(), &text[list.span.range()]),
        None => renamed_list(list, text, &renames),
    };
    let tree = read(&given, wanted.language.clone());
    let lists = Lists { tree: &tree, text: &given, dialect };
    let wrong = |span: Span| bad(format!("`{}` is no list of parameters", given.get(span.range()).unwrap_or(&given)));
    let new_list = lists.read_all(wanted.is_method).map_err(wrong)?;
    let mut new = Vec::new();
    let mut taken: Vec<usize> = Vec::new();
    for one in &new_list.parameters {
        let source = given[one.span.range()].to_owned();
        let renamed_from = one.name.as_ref().and_then(|name| {
            renames.iter_mut().find(|(_, (to, _))| canonical(to) == *name).map(|(from, (_, is_used))| {
                *is_used = true;
                from.clone()
            })
        });
        let wanted_name = renamed_from.as_ref().or(one.name.as_ref());
        let is_it = |at: &usize| match (wanted_name, &old[*at].name) {
            (Some(name), Some(other)) => name == other,
            // Parameters that are taken apart are the same if they are written so, or in their order.
            (None, None) => true,
            _ => false,
        };
        let free = || (0..old.len()).filter(|at| !taken.contains(at));
        let from = match one.name {
            Some(_) => free().find(|at| is_it(at)),
            None => free().find(|at| old[*at].name.is_none() && old[*at].text == source).or_else(|| free().find(is_it)),
        };
        if let Some(before) = from.map(|at| &old[at]).filter(|before| one.name.is_none() && before.name.is_none())
            && is_taken_apart_otherwise(wanted.language, &before.text, &source)
        {
            let why = format!("`{}` takes apart what calls pass, which is not followed into `{source}`", before.text);
            return Err(bad(format!("{why}. Change this list and its calls by hand")));
        }
        if let (Some(name), None) = (&one.name, from)
            && new.iter().any(|other: &New| other.name.as_ref() == Some(name))
        {
            return Err(bad(format!("`{source}` is there twice")));
        }
        taken.extend(from);
        let written = one.name_span.map_or_else(String::new, |span| given[span.range()].to_owned());
        // A list that says what the present one says keeps it, with the names that change in it.
        let is_same = from.is_some_and(|at| {
            let before = &list.parameters[at];
            renamed_text(text, before, &written).replace(char::is_whitespace, "")
                == source.replace(char::is_whitespace, "")
        });
        let value = wanted.values.iter().find(|(name, _)| one.name.as_deref() == Some(&*canonical(name.trim())));
        let value = value.map(|(_, value)| value.trim().to_owned());
        // A name alone keeps what the present parameter has besides, if it can.
        let keyword = match from.map(|at| &old[at]) {
            Some(before) if one.is_bare && before.role == Role::Key && one.role == Role::Key => {
                let is_own = before.name.is_some()
                    && before.keyword.as_deref().map(fold)
                        == before.name.as_deref().map(|_| fold(&keyword_of(dialect, before)));
                if is_own { one.keyword.clone() } else { before.keyword.clone() }
            }
            _ => one.keyword.clone(),
        };
        new.push(New {
            role: one.role,
            from,
            name: one.name.clone(),
            written,
            text: source,
            is_given: !one.is_bare && !is_same,
            keyword,
            value,
        });
    }
    // In a list that names what it takes by position alone, a bare name keeps its default value and so its role.
    for one in new.iter_mut().filter(|one| !one.is_given && one.role == Role::Required) {
        if let Some(before) = one.from.map(|at| &old[at])
            && lispwright_index::parameter_notation(dialect).lists_are_optional
            && before.role == Role::Optional
        {
            one.role = Role::Optional;
        }
    }
    for (from, (to, is_used)) in &renames {
        if !is_used {
            return Err(bad(format!("`{}` is to become {to}, which is not in the new list", from.to_lowercase())));
        }
    }
    for (name, value) in wanted.values {
        if new.iter().all(|one| one.name.as_deref() != Some(&*canonical(name.trim()))) {
            return Err(SignatureRefusal::NoParameter {
                name: name.clone(),
                known: new.iter().filter(|one| !one.written.is_empty()).map(|one| one.written.clone()).collect(),
            });
        }
        let tree = read(value.trim(), wanted.language.clone());
        if !tree.is_balanced() || tree.top_level().count() != 1 {
            return Err(bad(format!("the value of {name} is not one form: `{value}`")));
        }
    }
    let items = new_list.items.iter().map(|(span, item)| match item {
        Item::Word(role) => NewItem::Word(*role, given[span.range()].to_owned()),
        Item::Parameter(at) => NewItem::Parameter(*at),
    });
    let has_open_keys = list.word(None).is_some();
    Ok(Plan { old, items: items.collect(), new, has_open_keys, arity: None })
}

/// A parameter that takes its argument apart does it in another way: the new list has other places than the old one, or
/// a name of it at another place.
fn is_taken_apart_otherwise(language: &Language, old: &str, new: &str) -> bool {
    // What takes apart by keys has no places.
    if old.starts_with('{') && new.starts_with('{') {
        return false;
    }
    let [old, new] = [old, new].map(|text| {
        let tree = read(text, language.clone());
        let tokens = tree.tokens().filter(|(kind, _)| !kind.is_trivia());
        tokens.map(|(kind, span)| (kind, symbol_name(language.dialect(), &text[span.range()]))).collect::<Vec<_>>()
    });
    let is_moved = |(at, (kind, name)): (usize, &(TokenKind, String))| {
        *kind == TokenKind::Atom && new[at].1 != *name && new.iter().any(|(_, other)| other == name)
    };
    old.len() != new.len()
        || old.iter().zip(&new).any(|((kind, _), (other, _))| kind != other)
        || old.iter().enumerate().any(is_moved)
}

fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// The keyword that the name of a parameter makes.
fn keyword_of(dialect: Dialect, one: &Old) -> String {
    format!("{}{}", lispwright_index::parameter_notation(dialect).keyword, one.name.as_deref().unwrap_or_default())
}

fn names(old: &[Old]) -> Vec<String> {
    old.iter().filter(|one| one.name.is_some()).map(|one| one.text.clone()).collect()
}

/// The source of a parameter under another name.
fn renamed_text(text: &str, one: &Parameter, to: &str) -> String {
    let source = &text[one.span.range()];
    match one.name_span {
        Some(name) => {
            let (before, after) = (name.start - one.span.start, name.end - one.span.start);
            format!("{}{to}{}", &source[..before as usize], &source[after as usize..])
        }
        None => source.to_owned(),
    }
}

/// The present list with other names.
fn renamed_list(list: &ParameterList, text: &str, renames: &BTreeMap<String, (String, bool)>) -> String {
    let mut new = String::from(if text[list.span.range()].starts_with('[') { "[" } else { "(" });
    for (at, (span, item)) in list.items.iter().enumerate() {
        if at > 0 {
            new.push(' ');
        }
        let Item::Parameter(number) = item else {
            new.push_str(&text[span.range()]);
            continue;
        };
        let one = &list.parameters[*number];
        let renamed = one.name.as_ref().and_then(|name| renames.get(name));
        match renamed {
            Some((to, _)) => new.push_str(&renamed_text(text, one, to)),
            None => new.push_str(&text[span.range()]),
        }
    }
    let is_symbol = !text[list.span.range()].starts_with(['(', '[']) && !list.items.is_empty();
    new.push_str(if new.starts_with('[') { "]" } else { ")" });
    if is_symbol { new.trim_matches(['(', ')']).to_owned() } else { new }
}
