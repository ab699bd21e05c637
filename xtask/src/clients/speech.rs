//! The model APIs, as far as a scripted model needs them: Anthropic's Messages, OpenAI's Responses and Chat
//! Completions, Google's Gemini.

use serde_json::{Value, json};

/// One call that the model makes.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) input: Value,
}

/// The API of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speech {
    Anthropic,
    OpenAi,
    /// OpenAI's older one, which others offer, too.
    Chat,
    Google,
}

impl Speech {
    /// The path is that of a turn of the conversation.
    pub(super) fn is_conversation(self, path: &str) -> bool {
        let path = path.split('?').next().unwrap_or_default();
        match self {
            Speech::Anthropic => path.ends_with("/messages"),
            Speech::OpenAi => path.ends_with("/responses"),
            Speech::Chat => path.ends_with("/chat/completions"),
            Speech::Google => path.ends_with("enerateContent"),
        }
    }

    pub(super) fn is_streamed(self, path: &str, body: &Value) -> bool {
        match self {
            Speech::Google => path.contains(":streamGenerateContent"),
            Speech::Anthropic | Speech::OpenAi | Speech::Chat => body["stream"] == true,
        }
    }

    pub(super) fn has_tools(self, body: &Value) -> bool {
        body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
    }

    /// The texts of the results that a request carries, in their order.
    pub(super) fn result_texts(self, body: &Value) -> Vec<String> {
        let mut results = Vec::new();
        match self {
            Speech::Anthropic => {
                for part in parts(&body["messages"], "content") {
                    if part["type"] == "tool_result" {
                        results.push(part["content"].to_string());
                    }
                }
            }
            Speech::OpenAi => {
                for item in body["input"].as_array().into_iter().flatten() {
                    if item["type"].as_str().is_some_and(|kind| kind.ends_with("_call_output")) {
                        results.push(item["output"].to_string());
                    }
                }
            }
            Speech::Chat => {
                for message in body["messages"].as_array().into_iter().flatten() {
                    if message["role"] == "tool" {
                        results.push(message["content"].to_string());
                    }
                }
            }
            Speech::Google => {
                for part in parts(&body["contents"], "parts") {
                    if let Some(response) = part.get("functionResponse") {
                        results.push(response["response"].to_string());
                    }
                }
            }
        }
        results
    }

    pub(super) fn results(self, body: &Value) -> usize {
        self.result_texts(body).len()
    }

    /// The conversation that a request carries, without instructions and tools.
    pub(super) fn conversation(self, body: &Value) -> &Value {
        match self {
            Speech::Anthropic | Speech::Chat => &body["messages"],
            Speech::OpenAi => &body["input"],
            Speech::Google => &body["contents"],
        }
    }

    /// The answer with the model's call number `number`.
    pub(super) fn call(self, number: usize, call: &Call, request: &Value, streamed: bool) -> String {
        let id = format!("call_{number}");
        match self {
            Speech::Anthropic => anthropic(
                &format!("msg_{number}"),
                &json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": call.tool, "input": call.input}),
                "tool_use",
                streamed,
            ),
            Speech::OpenAi => openai(&openai_call(&id, call, request), streamed),
            Speech::Chat => {
                let function = json!({"name": call.tool, "arguments": call.input.to_string()});
                let call = json!({"index": 0, "id": id, "type": "function", "function": function});
                chat(&json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls", streamed)
            }
            Speech::Google => {
                google(&json!({"functionCall": {"id": id, "name": call.tool, "args": call.input}}), streamed)
            }
        }
    }

    /// The answer with a text, which ends the model's turn.
    pub(super) fn text(self, text: &str, streamed: bool) -> String {
        match self {
            Speech::Anthropic => anthropic("msg_last", &json!({"type": "text", "text": text}), "end_turn", streamed),
            Speech::OpenAi => openai(
                &json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": text, "annotations": []}]}),
                streamed,
            ),
            Speech::Chat => chat(&json!({"role": "assistant", "content": text}), "stop", streamed),
            Speech::Google => google(&json!({"text": text}), streamed),
        }
    }
}

fn parts<'v>(messages: &'v Value, key: &str) -> Vec<&'v Value> {
    messages.as_array().into_iter().flatten().filter_map(|message| message[key].as_array()).flatten().collect()
}

fn anthropic(id: &str, block: &Value, stop: &str, streamed: bool) -> String {
    let message = json!({"id": id, "type": "message", "role": "assistant", "model": "stand-in", "content": [block],
        "stop_reason": stop, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}});
    if !streamed {
        return message.to_string();
    }
    let mut begun = message;
    (begun["content"], begun["stop_reason"]) = (json!([]), Value::Null);
    let mut opened = block.clone();
    let delta = if block["type"] == "text" {
        opened["text"] = json!("");
        json!({"type": "text_delta", "text": block["text"]})
    } else {
        opened["input"] = json!({});
        json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
    };
    events(&[
        json!({"type": "message_start", "message": begun}),
        json!({"type": "content_block_start", "index": 0, "content_block": opened}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ])
}

/// A call in the form in which the client declared the tool: free text, or an object of arguments, alone or in the
/// namespace of a server.
fn openai_call(id: &str, call: &Call, request: &Value) -> Value {
    let declared = |tool: &&Value| tool["name"] == call.tool.as_str();
    let free =
        request["tools"].as_array().into_iter().flatten().find(declared).is_some_and(|tool| tool["type"] == "custom");
    if free {
        let text = call.input["input"].as_str().unwrap_or_default();
        return json!({"type": "custom_tool_call", "id": format!("ctc_{id}"), "call_id": id, "name": call.tool, "input": text,
            "status": "completed"});
    }
    let mut item = json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": call.tool,
        "arguments": call.input.to_string(), "status": "completed"});
    if let Some((namespace, name)) = call.tool.rsplit_once("__") {
        (item["namespace"], item["name"]) = (json!(namespace), json!(name));
    }
    item
}

fn openai(item: &Value, streamed: bool) -> String {
    let usage = json!({"input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2});
    let response = json!({"id": "resp_1", "object": "response", "status": "completed", "model": "stand-in", "output": [item], "usage": usage});
    if !streamed {
        return response.to_string();
    }
    events(&[
        json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": response}),
    ])
}

fn chat(message: &Value, finished: &str, streamed: bool) -> String {
    let answer = |kind: &str, key: &str| {
        json!({"id": "chat_1", "object": kind, "created": 1, "model": "stand-in",
            "choices": [{"index": 0, key: message, "finish_reason": finished}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
    };
    if !streamed {
        return answer("chat.completion", "message").to_string();
    }
    format!("data: {}\n\ndata: [DONE]\n\n", answer("chat.completion.chunk", "delta"))
}

fn google(part: &Value, streamed: bool) -> String {
    let answer = json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}, "modelVersion": "stand-in"});
    if streamed { format!("data: {answer}\r\n\r\n") } else { answer.to_string() }
}

/// A stream of server-sent events, each named by its type.
fn events(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()))
        .collect()
}
