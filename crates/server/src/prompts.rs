//! The prompts of a server: the [`Guide`]s whose tools it offers, under their own names.
//!
//! A prompt is chosen by a person, who may add the task. A guide whose tools are not all listed, or are listed under
//! the names of a surface, would speak of what is not there, so it is not offered.

use lispwright_tools::Tool;
use lispwright_tools::arguments::nearest;
use lispwright_words::Guide;
use rmcp::model::{ErrorData, GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};

/// The name of the only argument.
const TASK: &str = "task";

/// The guides for these listed tools.
pub(crate) fn offered(tools: &[Tool]) -> Vec<Guide> {
    let is_listed = |name: &&str| tools.iter().any(|tool| tool.name == *name);
    Guide::ALL.into_iter().filter(|guide| guide.needs.iter().all(&is_listed)).collect()
}

/// The `prompts` of `prompts/list`.
pub(crate) fn listed(guides: &[Guide]) -> Vec<Prompt> {
    let listing = |guide: &Guide| {
        let task = PromptArgument::new(TASK).with_description("What is to be done").with_required(false);
        Prompt::new(guide.name, Some(guide.description), Some(vec![task])).with_title(guide.title)
    };
    guides.iter().map(listing).collect()
}

/// The answer to `prompts/get`.
pub(crate) fn get(guides: &[Guide], params: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let guide = guides.iter().find(|guide| guide.name == params.name).ok_or_else(|| unknown(guides, &params.name))?;
    let mut text = guide.text();
    for (name, value) in params.arguments.iter().flatten() {
        match (name.as_str(), value.as_str().map(str::trim)) {
            (TASK, Some("")) => {}
            (TASK, Some(task)) => text.push_str(&format!("\n## The task\n\n{task}\n")),
            (TASK, None) => return Err(ErrorData::invalid_params("`task` must be a string.", None)),
            _ => {
                let name: String = name.chars().take(80).collect();
                let why = format!("The prompt {} has no argument `{name}`; it takes `task`.", guide.name);
                return Err(ErrorData::invalid_params(why, None));
            }
        }
    }
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(guide.description))
}

fn unknown(guides: &[Guide], name: &str) -> ErrorData {
    let shown: String = name.chars().take(80).collect();
    let known = || guides.iter().map(|guide| guide.name);
    let next = match nearest(&shown, known()) {
        Some(near) => format!("Nearest: {near}. prompts/list gives all of them."),
        None => format!("The prompts are: {}.", known().collect::<Vec<_>>().join(", ")),
    };
    ErrorData::invalid_params(format!("Unknown prompt `{shown}`. {next}"), None)
}
