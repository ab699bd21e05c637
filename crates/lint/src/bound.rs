//! Variables that a macro around them may bind, although nothing shows it.

use lispwright_index::{Document, Hit, Mark, MarkRole, Referent, UseKind};
use lispwright_syntax::{FormKind, ListId, Span};

use crate::file::File;

/// Forms whose bodies have tags, with the first argument that is of the body. CLHS 5.3, `tagbody`.
const TAGGED: &[(&str, usize)] = &[
    ("tagbody", 1),
    ("prog", 2),
    ("prog*", 2),
    ("dolist", 2),
    ("dotimes", 2),
    ("do-symbols", 2),
    ("do-external-symbols", 2),
    ("do-all-symbols", 2),
    ("do", 3),
    ("do*", 3),
];

impl File<'_, '_> {
    /// The symbol is a tag: a macro can write the `go` to it.
    fn is_tag(&self, at: Span) -> bool {
        let place = || {
            let mut data = self.tree.data(self.list_of(at)?);
            let head = self.source(self.tree.core_span(data.next()?)).to_ascii_lowercase();
            let (_, body) = TAGGED.iter().find(|(tagged, _)| *tagged == head)?;
            Some(data.position(|datum| self.tree.core_span(datum) == at)? + 1 >= *body)
        };
        place().unwrap_or(false)
    }

    /// A macro of the project around the place, or one that it uses, may bind the variable: its definition has the name in
    /// it, or makes names. Or it stands in the parameters of a macro.
    pub(crate) fn may_be_bound(&self, at: Span) -> bool {
        let (file, question) = (self, self.question);
        let mut lists = std::iter::successors(file.list_of(at), |list| file.tree.list(*list).parent());
        let macros = |list: ListId| {
            let head = file.tree.data(list).next().filter(|head| head.list().is_none())?;
            let (Referent::Is(symbol) | Referent::Unknown(symbol)) =
                question.meaning_at(file.document, file.tree.core_span(head));
            let all = question.definitions(&symbol).into_iter().filter(|(_, one)| one.kind == FormKind::Macro);
            Some(all.collect::<Vec<_>>())
        };
        // A macro can take the name of a local function.
        let is_function =
            |mark: &Mark| mark.role == MarkRole::LocalFunction && file.source(mark.span) == file.source(at);
        let form = file.forms.around(at.start).map(|id| file.forms.get(id)).filter(|form| form.kind == FormKind::Macro);
        let is_parameter = form.is_some_and(|form| form.signature.iter().any(|signature| signature.encloses(at)));
        let is_special = |mark: &Mark| mark.role == MarkRole::Special && file.source(mark.span) == file.source(at);
        if is_parameter || self.is_tag(at) || file.facts.marks.iter().any(|mark| is_function(mark) || is_special(mark))
        {
            return true;
        }
        let (Referent::Is(symbol) | Referent::Unknown(symbol)) = question.meaning_at(file.document, at);
        let is_template =
            |hit: &Hit<'_>| matches!(hit.used.kind, UseKind::Template | UseKind::Quoted | UseKind::Binding);
        let is_in_template = question.named(&symbol.name).iter().any(is_template);
        let makes_names = |(document, one): &(&Document, &lispwright_index::Definition)| {
            let text = &document.text[document.facts.forms[one.form as usize].span.range()];
            is_in_template || ["intern", "symbol", "datum->syntax"].iter().any(|word| text.contains(word))
        };
        // The same of the macros of libraries.
        let binds = |list: ListId| {
            let head = file.tree.data(list).next().filter(|head| head.list().is_none())?;
            let (Referent::Is(head) | Referent::Unknown(head)) =
                question.meaning_at(file.document, file.tree.core_span(head));
            let is_own = question.defines(&head) || !question.definitions(&head).is_empty();
            let operator = question.library_operator(&head).filter(|_| !is_own)?;
            Some(operator.may_bind(&symbol.name))
        };
        lists.any(|list| binds(list) == Some(true) || macros(list).is_some_and(|all| all.iter().any(makes_names)))
    }

    /// It says that local variables are seen only by the code inside of them.
    pub(crate) fn has_lexical_variables(&self) -> bool {
        let first = self.text().lines().next().unwrap_or_default();
        first.contains("lexical-binding: t") || first.contains("lexical-binding:t")
    }
}
