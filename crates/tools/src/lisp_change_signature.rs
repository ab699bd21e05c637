//! `lisp_change_signature`: gives a function of the project other parameters, and all calls of it other arguments.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use lispwright_index::Refreshed;
use lispwright_project::Trial;
use lispwright_refactor::{
    LookReason, OpenReason, SignatureChange, SignatureRefusal, SignatureRequest, Spot, change_signature,
};
use lispwright_syntax::head;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code_live::{named, plain_name, within};
use crate::event::Event;
use crate::indexed::{indexed_with, left_out};
use crate::lisp_read_file::{MOST, yes};
use crate::news::{Rewritten, news};
use crate::problems::Problem;
use crate::refusal::Refusal;
use crate::several::{FileDiff, NewFile, shown, write};
use crate::tool::CallContext;
use crate::verify::{Verification, Verify, Wish, settled};
use crate::workshop::Workshop;

/// Arguments of `lisp_change_signature`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LispChangeSignature {
    /// Name: foo, pkg:foo
    pub symbol: String,
    /// The whole new list: (a &key b). A bare name keeps its default and type, one that is missing goes. Default: only rename
    #[serde(default)]
    pub parameters: Option<String>,
    /// Old name to new name
    #[serde(default)]
    pub rename: BTreeMap<String, String>,
    /// What calls pass for a new parameter; without it calls pass no optional or keyword one
    #[serde(default)]
    pub values: BTreeMap<String, String>,
    /// Of several lists that with so many required parameters
    #[serde(default)]
    pub arity: Option<usize>,
    /// Its package, module or namespace
    #[serde(default)]
    pub package: Option<String>,
    /// File or directory of its definition
    #[serde(default)]
    pub path: Option<String>,
    /// Write although places cannot be followed; they stay
    #[serde(default)]
    pub skip_refused: bool,
    /// Default true: show the diffs, write nothing
    #[serde(default = "yes")]
    pub dry_run: bool,
    /// Taken back if it fails
    #[serde(default)]
    pub verify: Verify,
    /// What verify loads or tests; default: the systems or files that are changed
    #[serde(default)]
    pub system: Option<String>,
    /// The session gets the new code
    #[serde(default)]
    pub load: bool,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
}

/// The effect of a change of parameters, or of its dry run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SignatureAnswer {
    /// The function.
    pub symbol: String,
    /// Its parameters before.
    pub old_parameters: String,
    /// Its parameters now, or as they would be.
    pub new_parameters: String,
    /// Nothing was written.
    pub dry_run: bool,
    /// The number of calls that change.
    pub calls: usize,
    /// The number of files with such calls.
    pub files_of_calls: usize,
    /// The number of definitions that change, without methods.
    pub definitions: usize,
    /// The number of methods and implementations that change.
    pub methods: usize,
    /// The files that change, or would change.
    pub files: Vec<FileDiff>,
    /// Places that cannot be followed, and stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<SignaturePlace>,
    /// Places that somebody should look at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub look_at: Vec<SignaturePlace>,
    /// Calls whose arguments are evaluated in another order: `path:line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reordered: Vec<String>,
    /// Calls that lose an argument that does something: `path:line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// Symbols in data of the name, which are no functions: `path:line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// The verification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification: Option<Box<Verification>>,
    /// Problems that were not there before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_problems: Vec<Problem>,
    /// Files that were not looked at.
    #[serde(skip)]
    pub left_out: Vec<String>,
}

/// A place that stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SignaturePlace {
    /// The file, as calls name it.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The line itself.
    pub text: String,
    /// Why it stays.
    pub why: String,
}

/// Changes parameters, or shows what a change would do.
pub async fn lisp_change_signature(
    workshop: &Workshop,
    args: LispChangeSignature,
    context: &CallContext,
) -> Result<SignatureAnswer, Refusal> {
    let began = SystemTime::now();
    context.turn().await;
    let is_here = within(workshop, args.path.as_deref())?;
    let symbol = named(args.symbol)?;
    let wish = Wish {
        verify: args.verify,
        system: args.system,
        load: args.load,
        session: args.session,
        runtime: args.runtime,
    };
    let (home, dry_run, skips) = (workshop.clone(), args.dry_run, args.skip_refused);
    let (parameters, rename, values, arity) = (args.parameters, args.rename, args.values, args.arity);
    let package = args.package;
    let planned = indexed_with(workshop, context, move |index, refreshed, language_of| {
        let is_here = |path: &Path| is_here(&path.to_string_lossy());
        let request = SignatureRequest {
            symbol: plain_name(&symbol),
            package: package.as_deref(),
            parameters: parameters.as_deref(),
            rename: &rename,
            values: &values,
            arity,
            is_here: &is_here,
            language_of,
        };
        let refused = |refusal| {
            let root = home.roots.primary().to_owned();
            Refusal::Signature { symbol: symbol.clone(), refusal: Box::new(refusal), root }
        };
        let planned = change_signature(index, &request).map_err(refused)?;
        if !dry_run && !skips && !planned.open.is_empty() {
            return Err(refused(SignatureRefusal::Open(planned.open)));
        }
        let answer = answer(&home, &symbol, &planned, refreshed, dry_run);
        let files: Vec<NewFile> = planned.files.into_iter().map(NewFile::from).collect();
        let trial: Option<Trial> = (!dry_run).then(|| write(&home, &files)).transpose()?;
        Ok::<_, Refusal>((answer, trial, files.iter().map(Rewritten::from).collect()))
    })
    .await?;
    let (mut answer, trial, rewritten) = planned?;
    if let Some(trial) = trial {
        answer.verification = settled(workshop, trial, &mut answer.files, &wish, context).await?;
    }
    let home = workshop.clone();
    answer.new_problems = context.on_files(move || Ok(news(&home, rewritten))).await?;
    workshop.shown.of(&mut answer.files, answer.dry_run);
    if !answer.dry_run {
        context.observe(&Event::FilesChanged { began, what: "signature", answer: &answer.clone().into() });
    }
    Ok(answer)
}

fn answer(
    workshop: &Workshop,
    symbol: &str,
    planned: &SignatureChange,
    refreshed: &Refreshed,
    dry_run: bool,
) -> SignatureAnswer {
    let file = |file: &lispwright_refactor::RemadeFile| FileDiff {
        path: shown(workshop, &file.path),
        changes: file.count(),
        diff: head(&file.diff, MOST).0.to_owned(),
        ..FileDiff::default()
    };
    let place = |spot: &Spot, why: String| SignaturePlace {
        path: shown(workshop, &spot.path),
        line: spot.line,
        column: spot.column,
        text: head(&spot.text, 120).0.to_owned(),
        why,
    };
    let lines = |spots: &[Spot]| {
        let mut lines: Vec<String> =
            spots.iter().map(|spot| format!("{}:{}", shown(workshop, &spot.path), spot.line)).collect();
        lines.dedup();
        lines
    };
    SignatureAnswer {
        symbol: plain_name(symbol).to_owned(),
        old_parameters: planned.old_list.clone(),
        new_parameters: planned.new_list.clone(),
        dry_run,
        calls: planned.calls,
        files_of_calls: planned.files_of_calls,
        definitions: planned.definitions,
        methods: planned.methods,
        files: planned.files.iter().map(file).collect(),
        open: planned.open.iter().map(|one| place(&one.spot, open_reason(&one.why))).collect(),
        look_at: planned.look_at.iter().map(|(spot, why)| place(spot, look_reason(why))).collect(),
        reordered: lines(&planned.reordered),
        dropped: lines(&planned.dropped),
        symbols: lines(&planned.symbols),
        verification: None,
        new_problems: Vec::new(),
        left_out: left_out(&refreshed.left_out, workshop.roots.primary()),
    }
}

/// Why a place is not changed, in a few words.
pub fn open_reason(why: &OpenReason) -> String {
    match why {
        OpenReason::Value => "passed as a value".to_owned(),
        OpenReason::Data => "in data".to_owned(),
        OpenReason::Few => "passes fewer arguments than it needs".to_owned(),
        OpenReason::Many => "passes more arguments than it takes".to_owned(),
        OpenReason::Tail => "further arguments are not written here".to_owned(),
        OpenReason::Keys => "a keyword is computed".to_owned(),
        OpenReason::Rest => "passes further arguments".to_owned(),
        OpenReason::Absent(name) => format!("does not pass {name}; values can say what"),
        OpenReason::Gap(name) => format!("passes something after {name}, which it does not pass; values can say what"),
        OpenReason::Threaded => "the value of the step before would come to another place".to_owned(),
        OpenReason::Condition => "a reader conditional among the arguments".to_owned(),
        OpenReason::Assigned => "assigned or bound".to_owned(),
        OpenReason::Definition => "a definition with other parameters, or not understood".to_owned(),
        OpenReason::Dispatch(name) => format!("the method is chosen by {name}"),
        OpenReason::Parameter(name) => format!("may mean the parameter {name}"),
        OpenReason::Captured(name) => format!("the macro makes code with the name {name}"),
        OpenReason::AtForm => "written with @-forms: edit it by hand".to_owned(),
        OpenReason::Possible(reason) => format!("may be a use: {}", reason.name()),
    }
}

/// Why somebody should look at a place, in a few words.
fn look_reason(why: &LookReason) -> String {
    match why {
        LookReason::Declares => "declares or repeats the parameters".to_owned(),
        LookReason::Documentation(name) => format!("documentation of {name}"),
        LookReason::Interactive => "says how a command gets its arguments".to_owned(),
        LookReason::Arglists => "repeats the parameters".to_owned(),
        LookReason::Writer => "the writer has parameters of its own".to_owned(),
        LookReason::Unknown => "a form about it that is not understood".to_owned(),
        LookReason::Chooser => "chooses the method from the arguments".to_owned(),
    }
}
