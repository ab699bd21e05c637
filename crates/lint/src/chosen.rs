//! The rules that are asked.

use std::sync::Arc;

use lispwright_index::{Document, UseIndex};
use lispwright_syntax::Tree;

use crate::dialects::call_words;
use crate::file::File;
use crate::finding::{Finding, Severity};
use crate::kondo::KondoConfig;
use crate::part::JudgedPart;
use crate::rule::Rule;
use crate::{examine, rules};

/// The rules that are asked, each with the level of what it finds.
#[derive(Clone)]
pub struct Chosen {
    rules: Vec<(&'static dyn Rule, Severity)>,
    /// The rules of which the project itself has said something.
    said: Vec<&'static str>,
    /// What it says to another program that tells the same.
    kondo: Option<Arc<KondoConfig>>,
}

impl Default for Chosen {
    /// The rules that are on unless a project says otherwise.
    fn default() -> Self {
        let rules = rules::defaults().into_iter().map(with_own_level).collect();
        Self { rules, said: Vec::new(), kondo: None }
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
        Ok(Self { rules: found.collect::<Result<_, _>>()?, said: Vec::new(), kondo: None })
    }

    /// The same rules with other levels; `None` takes a rule out, and a rule that is not among them comes to them.
    #[must_use]
    pub fn with(mut self, levels: &[(&str, Option<Severity>)]) -> Self {
        for (code, level) in levels {
            self.rules.retain(|(rule, _)| rule.about().code != *code);
            let rule = rules::with_code(code);
            self.said.extend(rule.map(|rule| rule.about().code));
            self.rules.extend(rule.zip(*level));
        }
        self.rules.sort_by_key(|(rule, _)| rule.about().code);
        self
    }

    /// The same rules where a project has a configuration of clj-kondo; what the project says of a rule itself goes before.
    #[must_use]
    pub fn with_kondo(mut self, config: Option<Arc<KondoConfig>>) -> Self {
        self.kondo = config;
        self
    }

    /// Those of the rules that need to know nothing of other files.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.rules.retain(|(rule, _)| !rule.needs_project());
        self
    }

    /// Its rules, each with its level.
    pub fn rules(&self) -> &[(&'static dyn Rule, Severity)] {
        &self.rules
    }

    /// What they find in a file of `question`, in the order of places.
    pub fn findings<'i>(&self, question: &UseIndex<'i>, document: &'i Document) -> Vec<Finding> {
        self.found(&File::new(question, document))
    }

    /// What they find in a part of it.
    pub fn findings_in<'i>(&self, question: &UseIndex<'i>, document: &'i Document, part: &JudgedPart) -> Vec<Finding> {
        self.found(&File::new(question, document).in_part(part))
    }

    /// The same in a file whose text has been read as `tree`, and whose facts have marks.
    pub fn findings_read<'i>(
        &self,
        question: &UseIndex<'i>,
        document: &'i Document,
        tree: &'i Tree,
        part: &JudgedPart,
    ) -> Vec<Finding> {
        self.found(&File::read(question, document, tree).in_part(part))
    }

    fn found(&self, file: &File<'_, '_>) -> Vec<Finding> {
        if file.document.has_at_forms() {
            return Vec::new();
        }
        let asked: Vec<&dyn Rule> = self.rules.iter().map(|(rule, _)| *rule).collect();
        let mut found = examine(file, &asked);
        for one in &mut found {
            if let Some((_, level)) = self.rules.iter().find(|(rule, _)| rule.about().code == one.rule) {
                one.severity = *level;
            }
        }
        if let Some(config) = self.kondo.as_ref().filter(|_| call_words(file.dialect()).has_kondo) {
            config.apply(file.document, &mut found, |code| self.said.contains(&code));
        }
        found
    }
}
