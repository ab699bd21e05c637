//! Tools and a prompt that ask the client something: by a request of the server in the handshake revisions, by a result
//! that asks for input in revision 2026-07-28.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, CreateMessageRequestParams, ElicitRequest,
    ElicitRequestParams, ErrorData, GetPromptResponse, GetPromptResult, InputRequests, InputRequiredResult,
    InputResponses, ServerRequest,
};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};

use super::{Connection, data, of};

/// The tools.
pub(super) const TOOLS: &[&str] = &[
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
];

/// The prompt.
pub(super) const PROMPT: &str = "test_input_required_result_prompt";

pub(super) fn knows(tool: &str) -> bool {
    TOOLS.contains(&tool)
}

/// The prompt, or the request for what it needs.
pub(super) fn prompt(responses: Option<&InputResponses>) -> GetPromptResponse {
    match text_of(responses, "user_context") {
        Some(context) => {
            let content = json!({ "type": "text", "text": format!("Prompt with context: {context}") });
            of::<GetPromptResult>(
                json!({ "resultType": "complete", "messages": [{ "role": "user", "content": content }] }),
            )
            .into()
        }
        None => requires(&[("user_context", name_question("What context should the prompt use?"))], None).into(),
    }
}

fn name_question(message: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    json!({ "method": "elicitation/create", "params": { "message": message, "requestedSchema": schema } })
}

fn sampling_question(text: &str) -> Value {
    let content = json!({ "type": "text", "text": text });
    let messages = json!([{ "role": "user", "content": content }]);
    json!({ "method": "sampling/createMessage", "params": { "messages": messages, "maxTokens": 100 } })
}

fn roots_question() -> Value {
    json!({ "method": "roots/list" })
}

/// A result that asks for input.
fn requires(questions: &[(&str, Value)], state: Option<String>) -> InputRequiredResult {
    let requests: Map<String, Value> =
        questions.iter().map(|(key, question)| ((*key).to_owned(), question.clone())).collect();
    InputRequiredResult::new(Some(of::<InputRequests>(Value::Object(requests))), state)
}

/// The answer under a key as text, if it is an object.
fn text_of(responses: Option<&InputResponses>, key: &str) -> Option<String> {
    responses?.get(key)?.as_object().map(|answer| Value::Object(answer.clone()).to_string())
}

impl Connection {
    pub(super) async fn ask(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let given = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (responses, state) = (request.input_responses.as_ref(), request.request_state.as_deref());
        let once = |key: &str, question: Value| match text_of(responses, key) {
            Some(answer) => data::text(&format!("Answered: {answer}")).into(),
            None => requires(&[(key, question)], None).into(),
        };
        let all = || {
            [
                ("user_name", name_question("What is your name?")),
                ("greeting", sampling_question("Write a greeting.")),
                ("client_roots", roots_question()),
            ]
        };
        Ok(match &*request.name {
            "test_sampling" => {
                let params = sampling_question(&given("prompt"))["params"].take();
                let result = context.peer.create_message(of::<CreateMessageRequestParams>(params)).await;
                let result = result.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                data::text(&format!("LLM response: {}", json!(result.message.content))).into()
            }
            "test_elicitation" => {
                let properties = json!({
                    "username": { "type": "string", "description": "User's response" },
                    "email": { "type": "string", "description": "User's email address" }
                });
                self.elicit(context, &given("message"), properties, &["username", "email"]).await?
            }
            "test_elicitation_sep1034_defaults" => {
                let properties = json!({
                    "name": { "type": "string", "default": "John Doe" },
                    "age": { "type": "integer", "default": 30 },
                    "score": { "type": "number", "default": 95.5 },
                    "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
                    "verified": { "type": "boolean", "default": true }
                });
                self.elicit(context, "Defaults", properties, &[]).await?
            }
            "test_elicitation_sep1330_enums" => {
                let titled = |titles: [&str; 3]| {
                    let choice =
                        |number: usize| json!({ "const": format!("value{}", number + 1), "title": titles[number] });
                    json!([choice(0), choice(1), choice(2)])
                };
                let options = json!(["option1", "option2", "option3"]);
                let properties = json!({
                    "untitledSingle": { "type": "string", "enum": options },
                    "titledSingle": {
                        "type": "string", "oneOf": titled(["First Option", "Second Option", "Third Option"])
                    },
                    "legacyEnum": {
                        "type": "string", "enum": ["opt1", "opt2", "opt3"],
                        "enumNames": ["Option One", "Option Two", "Option Three"]
                    },
                    "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
                    "titledMulti": {
                        "type": "array", "items": { "anyOf": titled(["First Choice", "Second Choice", "Third Choice"]) }
                    }
                });
                self.elicit(context, "Choices", properties, &[]).await?
            }
            "test_missing_capability" => {
                if context.client_capabilities().is_none_or(|client| client.sampling.is_none()) {
                    let needed: ClientCapabilities = of(json!({ "sampling": {} }));
                    return Err(ErrorData::missing_required_client_capability(needed));
                }
                data::text("The client can sample").into()
            }
            "test_streaming_elicitation" | "test_input_required_result_elicitation" => {
                once("user_name", name_question("What is your name?"))
            }
            "test_input_required_result_sampling" => {
                once("capital_question", sampling_question("What is the capital of France?"))
            }
            "test_input_required_result_list_roots" => once("client_roots", roots_question()),
            "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => match state {
                None => requires(&[("confirm", name_question("Please confirm"))], Some(self.seal(1)?)).into(),
                Some(state) => {
                    self.unseal(state)?;
                    data::text("state-ok").into()
                }
            },
            "test_input_required_result_multiple_inputs" => {
                if let Some(state) = state {
                    self.unseal(state)?;
                }
                match all().iter().all(|(key, _)| text_of(responses, key).is_some()) {
                    true => data::text("All inputs received").into(),
                    false => requires(&all(), Some(self.seal(1)?)).into(),
                }
            }
            "test_input_required_result_multi_round" => {
                let round = state.map(|state| self.unseal(state)).transpose()?.unwrap_or(0);
                match round {
                    0 => requires(&[("step1", name_question("Step 1: your name?"))], Some(self.seal(1)?)).into(),
                    1 => requires(&[("step2", name_question("Step 2: your colour?"))], Some(self.seal(2)?)).into(),
                    _ => data::text("All rounds are done").into(),
                }
            }
            "test_input_required_result_capabilities" => {
                let client = context.client_capabilities().unwrap_or_default();
                let has = [client.elicitation.is_some(), client.sampling.is_some(), client.roots.is_some()];
                let possible: Vec<(&str, Value)> =
                    all().into_iter().zip(has).filter(|(_, has)| *has).map(|(question, _)| question).collect();
                match responses.is_some() || possible.is_empty() {
                    true => data::text("done").into(),
                    false => requires(&possible, None).into(),
                }
            }
            other => return Err(ErrorData::invalid_params(format!("no tool {other}"), None)),
        })
    }

    /// Asks the client's user for the properties of an object.
    async fn elicit(
        &self,
        context: &RequestContext<RoleServer>,
        message: &str,
        properties: Value,
        required: &[&str],
    ) -> Result<CallToolResponse, ErrorData> {
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        let params = of::<ElicitRequestParams>(json!({ "message": message, "requestedSchema": schema }));
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
        let result = context.peer.send_request(request).await;
        let result = json!(result.map_err(|error| ErrorData::internal_error(error.to_string(), None))?);
        let (action, content) = (result["action"].as_str().unwrap_or_default(), &result["content"]);
        Ok(data::text(&format!("Elicitation completed: action={action}, content={content}")).into())
    }

    /// The number of a round, sealed for the way over the client.
    fn seal(&self, round: u64) -> Result<String, ErrorData> {
        self.fixture.states.seal_json(&round).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    fn unseal(&self, state: &str) -> Result<u64, ErrorData> {
        let unsealed = self.fixture.states.open_json(state);
        unsealed.map_err(|_| ErrorData::invalid_params("requestState is not what this server has sent", None))
    }
}
