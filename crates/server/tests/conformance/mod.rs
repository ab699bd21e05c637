//! What MCP's conformance suite calls: tools, prompts and resources with fixed names, behind the transports and the
//! dispatcher of the product.
//!
//! The suite knows each by its name and its behaviour. Tools that answer with text are [`Tool`]s of the product's own
//! dispatcher ([`plain`]); content of other kinds, prompts and resources are data ([`data`]); what asks the client
//! something is in [`asking`]. Built with the feature `conformance` only.
#![expect(deprecated, reason = "the suite also speaks the revisions that have log levels and sampling")]

mod asking;
mod data;
mod plain;

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, DiscoverResult, ErrorData,
    GetPromptRequestParams, GetPromptResponse, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel, LoggingMessageNotificationParam,
    PaginatedRequestParams, PromptListChangedNotification, ReadResourceRequestParams, ReadResourceResponse,
    RequestStateCodec, ServerCapabilities, ServerConfig, ServerNotification, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, ToolListChangedNotification, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext, SubscriptionSink};
use rmcp::{RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::dispatch::{Dispatch, Session};
use crate::host::{Handler, Host, Visitor};
use crate::{Options, Server};

/// The server that the suite is run against.
pub fn server() -> Server {
    let host = Fixture {
        dispatch: Arc::new(Dispatch::new(Options::new(plain::tools()), Arc::default())),
        listeners: Arc::default(),
        // Nothing depends on the secret; it only has to be the same for each round.
        states: RequestStateCodec::new_unchecked(*b"the conformance suite knows this secret"),
    };
    Server { host: Arc::new(host) }
}

/// The state that all connections share.
#[derive(Clone)]
struct Fixture {
    dispatch: Arc<Dispatch>,
    /// The clients that want to hear of changes.
    listeners: Arc<Mutex<Vec<Arc<SubscriptionSink>>>>,
    states: RequestStateCodec,
}

impl Host for Fixture {
    fn handler(&self, closing: CancellationToken, visitor: Visitor) -> Handler {
        let session = Session::new(self.dispatch.clone(), closing, visitor);
        Box::new(Connection { fixture: self.clone(), session, level: Arc::default() })
    }

    fn offers(&self) -> Arc<ServerCapabilities> {
        Arc::new(capabilities())
    }

    fn tools(&self) -> Value {
        Value::Null
    }
}

/// One connection.
#[derive(Clone)]
struct Connection {
    fixture: Fixture,
    session: Session,
    /// The level that a client of the handshake revisions has set.
    level: Arc<Mutex<Option<LoggingLevel>>>,
}

/// A value of the protocol from its JSON.
fn of<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("the fixture's own data are right")
}

fn capabilities() -> ServerCapabilities {
    of(json!({
        "tools": { "listChanged": true }, "prompts": { "listChanged": true },
        "resources": { "listChanged": true, "subscribe": true }, "completions": {}, "logging": {}
    }))
}

impl Connection {
    /// Sends a log message, if the client has asked for them.
    async fn log(&self, context: &RequestContext<RoleServer>, text: &str) {
        let is_modern = context.meta.protocol_version().is_some();
        let set = *self.level.lock().unwrap_or_else(PoisonError::into_inner);
        if is_modern && context.meta.log_level().is_none() || !is_modern && set.is_none() {
            return;
        }
        let message: LoggingMessageNotificationParam =
            of(json!({ "level": "info", "logger": "fixture", "data": text }));
        // A client that has gone is not told.
        let _ = context.peer.notify_logging_message(message).await;
    }

    /// Tells every client that listens for it that a list has changed.
    async fn change(&self, what: Change) {
        let listeners = self.fixture.listeners.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for sink in listeners {
            let _ = sink.send(what.notification()).await;
        }
    }
}

/// A list that a tool of the fixture changes.
#[derive(Clone, Copy)]
enum Change {
    Tools,
    Prompts,
}

impl Change {
    fn notification(self) -> ServerNotification {
        match self {
            Self::Tools => ServerNotification::ToolListChangedNotification(ToolListChangedNotification::default()),
            Self::Prompts => {
                ServerNotification::PromptListChangedNotification(PromptListChangedNotification::default())
            }
        }
    }
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.session.get_info();
        info.capabilities = capabilities();
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.session.initialize(request, context).await?;
        let version = result.protocol_version.clone();
        Ok(self.get_info().with_protocol_version(version))
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut result = self.session.discover(context).await?;
        result.capabilities = capabilities();
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut result = self.session.list_tools(request, context).await?;
        result.tools.extend(data::tools());
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(result) = data::result(&request.name) {
            return Ok(of::<rmcp::model::CallToolResult>(result).into());
        }
        let done = || Ok(data::text("done").into());
        match &*request.name {
            "test_tool_with_logging" | "test_logging_tool" => {
                for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                    self.log(&context, text).await;
                    tokio::time::sleep(plain::PAUSE).await;
                }
                done()
            }
            "test_trigger_tool_change" => {
                self.change(Change::Tools).await;
                done()
            }
            "test_trigger_prompt_change" => {
                self.change(Change::Prompts).await;
                done()
            }
            name if asking::knows(name) => self.ask(request, &context).await,
            _ => self.session.call_tool(request, context).await,
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(of(data::prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name == asking::PROMPT {
            return Ok(asking::prompt(request.input_responses.as_ref()));
        }
        let arguments = request.arguments.unwrap_or_default();
        match data::prompt(&request.name, &arguments) {
            Some(prompt) => Ok(of::<rmcp::model::GetPromptResult>(prompt).into()),
            None => Err(ErrorData::invalid_params(format!("no prompt {}", request.name), None)),
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values: Vec<&str> =
            ["paris", "park", "party"].into_iter().filter(|word| word.starts_with(&request.argument.value)).collect();
        Ok(of(
            json!({ "resultType": "complete", "completion": { "total": values.len(), "values": values, "hasMore": false } }),
        ))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(of(data::resources()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(of(data::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match data::resource(&request.uri) {
            Some(contents) => Ok(of::<rmcp::model::ReadResourceResult>(contents).into()),
            None => Err(ErrorData::resource_not_found("no such resource", Some(json!({ "uri": request.uri })))),
        }
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(request.level);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let sink = Arc::new(context.sink().clone());
        let listeners = || self.fixture.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners().push(sink.clone());
        context.cancelled().await;
        listeners().retain(|other| !Arc::ptr_eq(other, &sink));
        Ok(())
    }
}
