//! Names in a live image: their meanings and the references to them, as agents report them.

use crate::nearest::nearest_by;
use crate::wire::Value;

/// The meanings of a name in an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The name as it is written where nothing is imported.
    pub name: String,
    /// Its home package, module or namespace.
    pub home: Option<String>,
    /// Its home exports it; `None` where the runtime has no exports.
    pub exported: Option<bool>,
    /// All its meanings, at least one: a function, its methods, a variable, a class.
    pub meanings: Vec<NameMeaning>,
}

/// One of the meanings of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameMeaning {
    /// In the runtime's words: `function`, `macro`, `generic function`, `method`, `special variable`, `class`, ...
    pub kind: String,
    /// The name of its definition, such as `area :around (circle)`.
    pub name: String,
    /// The parameters in parentheses; alternatives are on lines of their own.
    pub arglist: Option<String>,
    /// The documentation string.
    pub documentation: Option<String>,
    /// The file of the definition, absolute.
    pub file: Option<String>,
    /// The line in it, from 1, when it was loaded.
    pub line: Option<u32>,
    /// Further facts, as (name, text).
    pub facts: Vec<(String, String)>,
}

/// The exports of a package, module or namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageExports {
    /// Its name.
    pub name: String,
    /// Its file, absolute, where the runtime knows it.
    pub file: Option<String>,
    /// The exports that were asked for, by name: one for each meaning. The documentation is cut at 200 characters, and
    /// the facts only say where a name comes from that is exported from elsewhere.
    pub exports: Vec<NameMeaning>,
    /// The number of exported names.
    pub total: u64,
}

/// The references to a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// The name as it is written where nothing is imported.
    pub name: String,
    /// Its home package, module or namespace.
    pub home: Option<String>,
    /// References, by file and line; at most 2,000.
    pub references: Vec<Reference>,
    /// Their number.
    pub total: u64,
    /// The number of further references in the implementation itself.
    pub implementation: u64,
    /// Loaded files whose references the image has not recorded, absolute.
    pub not_noted: Vec<String>,
}

/// A reference to a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// `call`, `macroexpansion`, `reference`, `assignment`, `binding` or `specialization`.
    pub kind: String,
    /// The definition that contains it.
    pub name: String,
    /// Its file, absolute.
    pub file: Option<String>,
    /// The line on which that definition begins, from 1, when it was loaded.
    pub line: Option<u32>,
    /// Line and column of the reference itself, from 1, when it was loaded, if the runtime knows them.
    pub at: Option<(u32, u32)>,
    /// The number of the list in that definition that contains the reference, from 0, by the order of opening
    /// delimiters.
    pub form_number: Option<u32>,
}

impl Description {
    pub(crate) fn read(answer: &Value) -> Self {
        Self {
            name: answer.get_text("NAME").unwrap_or_default().to_owned(),
            home: answer.get_text("HOME").map(str::to_owned),
            exported: answer.get("EXPORTED").map(Value::is_true),
            meanings: answer.get_list("MEANINGS").iter().map(NameMeaning::read).collect(),
        }
    }
}

impl NameMeaning {
    fn read(value: &Value) -> Self {
        let text = |name| value.get_text(name).map(str::to_owned);
        Self {
            kind: text("TYPE").unwrap_or_default(),
            name: text("NAME").unwrap_or_default(),
            arglist: text("ARGLIST"),
            documentation: text("DOCUMENTATION"),
            file: text("FILE"),
            line: number(value, "LINE"),
            facts: value.get_list("FACTS").iter().map(Value::text_pair).collect(),
        }
    }
}

impl ImageExports {
    pub(crate) fn read(answer: &Value) -> Self {
        Self {
            name: answer.get_text("NAME").unwrap_or_default().to_owned(),
            file: answer.get_text("FILE").map(str::to_owned),
            exports: answer.get_list("EXPORTS").iter().map(NameMeaning::read).collect(),
            total: answer.get_integer("TOTAL").and_then(|count| u64::try_from(count).ok()).unwrap_or(0),
        }
    }
}

impl References {
    pub(crate) fn read(answer: &Value) -> Self {
        let count = |name| answer.get_integer(name).and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
        Self {
            name: answer.get_text("NAME").unwrap_or_default().to_owned(),
            home: answer.get_text("HOME").map(str::to_owned),
            references: answer.get_list("REFERENCES").iter().map(Reference::read).collect(),
            total: count("TOTAL"),
            implementation: count("IMPLEMENTATION"),
            not_noted: answer.get_list("NOT-NOTED").iter().filter_map(Value::as_text).map(str::to_owned).collect(),
        }
    }
}

impl Reference {
    fn read(value: &Value) -> Self {
        let text = |name| value.get_text(name).map(str::to_owned);
        Self {
            kind: text("KIND").unwrap_or_default(),
            name: text("NAME").unwrap_or_default(),
            file: text("FILE"),
            line: number(value, "LINE"),
            at: number(value, "AT-LINE").zip(number(value, "AT-COLUMN")),
            form_number: number(value, "FORM-NUMBER"),
        }
    }
}

fn number(value: &Value, name: &str) -> Option<u32> {
    value.get_integer(name).and_then(|number| u32::try_from(number).ok())
}

/// Suggestions for `name`, which has no meaning: the same name in other packages, else similar names.
pub(crate) fn candidates(name: &str, answer: &Value) -> Vec<String> {
    let elsewhere: Vec<String> =
        answer.get_list("ELSEWHERE").iter().filter_map(Value::as_text).take(10).map(str::to_owned).collect();
    if !elsewhere.is_empty() {
        return elsewhere;
    }
    nearest_by(bare(name), answer.get_list("NAMES"), bare)
}

/// A name without the package, namespace or quote in front of it.
fn bare(name: &str) -> &str {
    if let Some(inside) = name.strip_prefix("(@") {
        return inside.trim_end_matches(')').rsplit(' ').next().unwrap_or(name);
    }
    let name = name.trim_start_matches(['#', '\'']);
    let end = name.rfind([':', '/']).filter(|end| end + 1 < name.len() && *end > 0);
    end.map_or(name, |end| &name[end + 1..])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_nearest_names_are_found_in_other_packages_too() {
        let answer = Value::decode(br#"(:NAMES ("AREF" "FARM:AREA" "FARM::COW" "/"))"#).unwrap();
        assert_eq!(candidates("farm:aera", &answer), ["FARM:AREA"]);
        let answer = Value::decode(br#"(:ELSEWHERE ("A::F" "B::F") :NAMES ("G"))"#).unwrap();
        assert_eq!(candidates("f", &answer), ["A::F", "B::F"]);
        let answer = Value::decode(br#"(:NAMES ("car" "(@@ (my app) balance)"))"#).unwrap();
        assert_eq!(candidates("balanec", &answer), ["(@@ (my app) balance)"]);
        assert_eq!((bare("user/"), bare("/"), bare("a.b/c"), bare("#'f")), ("user/", "/", "c", "f"));
    }
}
