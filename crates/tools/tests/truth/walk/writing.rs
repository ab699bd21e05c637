//! A generated project in the words of a language.

use std::path::Path;

use super::project::{Fault, Item, Kind, Module, Project};
use crate::stories::Verdict;

/// The name of a test, its expression, and the value that it expects.
pub(crate) type Test = (String, String, i64);

/// Paths and texts.
pub(crate) type Files = Vec<(String, String)>;

/// A language for walks.
pub(crate) struct Writing {
    /// The name of the walk and of its session.
    pub(crate) name: &'static str,
    pub(crate) runtime: &'static str,
    /// The file or system with the tests.
    pub(crate) tests: &'static str,
    /// The file of a module.
    pub(crate) path: fn(&str) -> String,
    /// A module: its name, the modules that it imports, with their definitions, its own, and its body.
    pub(crate) module: fn(&Module, &[&Module], &str) -> String,
    /// A definition with a body.
    pub(crate) define: fn(&Item, &str) -> String,
    /// The field `a` of a new record of that name, made of 1 and 2.
    pub(crate) field: fn(&str) -> String,
    /// A form that signals an error.
    pub(crate) raise: &'static str,
    /// The files around the modules: the tests, each the name of a test, its expression and its value, and what else a project has.
    pub(crate) around: fn(&Project, &[Test]) -> Files,
    /// Runs the tests in a fresh process.
    pub(crate) fresh: fn(&Path) -> Verdict,
}

impl Writing {
    /// The files of the project.
    pub(crate) fn files(&self, project: &Project) -> Files {
        let mut files: Files = project
            .modules
            .iter()
            .filter(|module| module.fault != Some(Fault::Gone))
            .map(|module| ((self.path)(&module.name), self.file(project, module)))
            .collect();
        let used = |name: &str| self.used(name, project.item(name));
        let tests: Vec<Test> =
            project.tests.iter().map(|(name, value)| (format!("test-{name}"), used(name), *value)).collect();
        files.extend((self.around)(project, &tests));
        files
    }

    /// A use of a definition. Without one, the name is one of a function.
    fn used(&self, name: &str, item: Option<&Item>) -> String {
        match item.map(|item| item.kind) {
            Some(Kind::Constant | Kind::Variable) => name.to_owned(),
            Some(Kind::Record) => (self.field)(name),
            Some(Kind::Generic) => format!("({name} 7)"),
            _ => format!("({name})"),
        }
    }

    fn file(&self, project: &Project, module: &Module) -> String {
        let mut body: String = (0..module.remarks).map(|number| format!(";; Remark {number}.\n")).collect();
        for item in &module.items {
            let uses = item.uses.iter().map(|name| self.used(name, project.item(name)));
            let sum = std::iter::once(item.constant.to_string()).chain(uses).collect::<Vec<_>>().join(" ");
            body.push_str(&(self.define)(item, &format!("(+ {sum})")));
            body.push('\n');
        }
        match module.fault {
            Some(Fault::Raises) => body.push_str(self.raise),
            Some(Fault::Unbalanced) => body.push_str("(list 1"),
            Some(Fault::Gone) | None => {}
        }
        body.push('\n');
        let imports: Vec<&Module> = module.imports.iter().map(|&number| &project.modules[number]).collect();
        (self.module)(module, &imports, &body)
    }
}
