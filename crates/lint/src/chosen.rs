//! The rules that are asked.

use lispwright_index::{Document, UseIndex};

use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::{lint, rules};

/// The rules that are asked, each with the level of what it finds.
#[derive(Clone)]
pub struct Chosen {
    rules: Vec<(&'static dyn Rule, Severity)>,
}

impl Default for Chosen {
    /// The rules that are on unless a project says otherwise.
    fn default() -> Self {
        Self { rules: rules::defaults().into_iter().map(with_own_level).collect() }
    }
}

fn with_own_level(rule: &'static dyn Rule) -> (&'static dyn Rule, Severity) {
    (rule, rule.about().severity)
}

impl Chosen {
    /// The rules with these codes, whether or not they are on.
    ///
    /// Errors: the first code that no rule has.
    pub fn only(codes: &[String]) -> Result<Self, &str> {
        let found = codes.iter().map(|code| rules::with_code(code).map(with_own_level).ok_or(code.as_str()));
        Ok(Self { rules: found.collect::<Result<_, _>>()? })
    }

    /// The same rules with other levels; `None` takes a rule out, and a rule that is not among them comes to them.
    #[must_use]
    pub fn with(mut self, levels: &[(&str, Option<Severity>)]) -> Self {
        for (code, level) in levels {
            self.rules.retain(|(rule, _)| rule.about().code != *code);
            self.rules.extend(rules::with_code(code).zip(*level));
        }
        self.rules.sort_by_key(|(rule, _)| rule.about().code);
        self
    }

    /// Its rules, each with its level.
    pub fn rules(&self) -> &[(&'static dyn Rule, Severity)] {
        &self.rules
    }

    /// What they find in a file of `question`, in the order of places.
    pub fn findings<'i>(&self, question: &UseIndex<'i>, document: &'i Document) -> Vec<Finding> {
        let asked: Vec<&dyn Rule> = self.rules.iter().map(|(rule, _)| *rule).collect();
        let mut found = lint(question, document, &asked);
        for one in &mut found {
            if let Some((_, level)) = self.rules.iter().find(|(rule, _)| rule.about().code == one.rule) {
                one.severity = *level;
            }
        }
        found
    }
}
