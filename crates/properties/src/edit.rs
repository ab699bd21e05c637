//! An edit by form changes one form, and all others read as before.

use lispwright_edit::{Edit, Edited, FormOperation, FormPatch, Source, Target, check, edit, locate, patch};
use lispwright_syntax::{Dialect, flaws, read};

use crate::input::Input;

/// The operations, by the operation byte; any other byte is a patch.
const OPERATIONS: [FormOperation; 5] = [
    FormOperation::Replace,
    FormOperation::InsertBefore,
    FormOperation::InsertAfter,
    FormOperation::Append,
    FormOperation::Delete,
];

/// A dialect, an operation, the number of a form, then the text, the content, and for a patch the old text.
pub fn holds(data: &[u8]) {
    let mut input = Input(data);
    let (dialect, operation, pick) = (input.dialect(), usize::from(input.byte()), usize::from(input.byte()));
    let (old, content, sought) = (input.text(), input.text(), input.text());
    let old = old.trim_start_matches('\u{feff}');
    let source = Source::read(old, dialect);
    diagnosed(&source);
    let target = address(&source, pick);
    let repair = pick % 4 < 2;
    let edited = match (OPERATIONS.get(operation % 6), target) {
        (Some(FormOperation::Append), _) => {
            let operation = FormOperation::Append;
            edit(&source, &Edit { operation, target: Target::default(), content: Some(&content), digest: None, repair })
        }
        (Some(&operation), Some(target)) => {
            edit(&source, &Edit { operation, target, content: Some(&content), digest: None, repair })
        }
        (None, Some(target)) => patch(
            &source,
            &FormPatch {
                target,
                old_text: &sought,
                new_text: &content,
                replace_all: pick % 2 == 0,
                digest: None,
                repair,
            },
        ),
        (_, None) => return,
    };
    match edited {
        Ok(edited) => same_elsewhere(&source, dialect, &edited, operation % 6),
        Err(refusal) => assert!(!refusal.code().is_empty()),
    }
}

/// Likely fixes have the present text of their lines.
fn diagnosed(source: &Source<'_>) {
    let report = check(source.text, source.dialect());
    let is_sound = source.tree.is_balanced() && flaws(&source.tree, source.text).is_empty();
    assert_eq!(report.diagnosis.is_none(), is_sound);
    let fixes = report.diagnosis.iter().flat_map(|diagnosis| &diagnosis.fixes);
    for change in fixes.flat_map(|fix| &fix.lines) {
        let line = source.text.split('\n').nth(change.line as usize - 1).map(|line| line.trim_end_matches('\r'));
        assert_eq!(line, change.before.split('\n').next().map(|first| first.trim_end_matches('\r')));
        assert_ne!(change.before, change.after);
    }
}

/// The address of a form of the text.
fn address<'s>(source: &'s Source<'_>, pick: usize) -> Option<Target<'s>> {
    let (id, form) = source.forms.iter().nth(pick % source.forms.len().max(1))?;
    let line = Some(source.lines.line(form.outer.start));
    (1..=4)
        .map(|index| Target { name: form.name.as_deref(), form_type: None, index: Some(index), line })
        .find(|target| locate(source, target) == Ok(id))
}

fn same_elsewhere(source: &Source<'_>, dialect: Dialect, edited: &Edited, operation: usize) {
    let (old, new) = (data(source.text, dialect), data(&edited.text, dialect));
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - before;
    let after = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let appended = OPERATIONS.get(operation) == Some(&FormOperation::Append);
    assert!(old.len() - before - after <= usize::from(!appended), "{old:?} became {new:?}");
    let faults = read(&edited.text, dialect).diagnostics().len();
    assert!(faults <= source.tree.diagnostics().len(), "{:?} has more faults than before", edited.text);
    assert_eq!(edited.changed, edited.text != source.text);
    assert_eq!(edited.delta, edited.text.chars().count() as i64 - source.text.chars().count() as i64);
    assert_eq!(edited.changed, !edited.diff.is_empty());
    if let Some((first, last)) = edited.lines {
        assert!(1 <= first && first <= last && last as usize <= edited.text.split('\n').count());
    }
}

/// The source of each datum at top level.
fn data(text: &str, dialect: Dialect) -> Vec<String> {
    let tree = read(text, dialect);
    tree.top_level().map(|datum| text[tree.datum_span(datum).range()].to_owned()).collect()
}
