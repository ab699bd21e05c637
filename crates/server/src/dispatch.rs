//! From an MCP request to a tool and back: the list, the call, the handshake.
//!
//! Only this module, [`crate::envelope`], and the transports know the SDK's types. A call always comes
//! back: wrong arguments, cancellation and panics are results with `isError`, which a model can read and act on; only
//! an unknown tool is a protocol error.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use futures::FutureExt;
use lispwright_tools::arguments::AnswerWish;
use lispwright_tools::{Arrival, Arrivals, CallContext, Event, Observer, Premises, Refusal, Reply, Tool, ToolSet};
use lispwright_words::{Guide, Rendering, render_as, render_recast};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, MetaObject, PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
    ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{Peer, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::beside::Beside;
use crate::host::{Handler, Host, Visitor};
use crate::names::Names;
use crate::prompts;
use crate::reference::reference;
use crate::resources;
use crate::rest::Rest;
use crate::roots::ClientRoots;
use crate::surface::{Manner, UNLISTED};
use crate::unlisted::leave_out;
use crate::withheld::WithheldBy;
use crate::{Options, Results};

/// The time for which a client may cache the tool list and the discovery answer, which never change.
const FRESH_MS: u64 = 300_000;

/// Who may share such a cached answer: clients with other tokens may have other tools.
const SHARED_BY: CacheScope = CacheScope::Private;

/// The state that all connections with the same rights share.
#[derive(Debug)]
pub(crate) struct Dispatch {
    tools: Vec<Tool>,
    /// The number of listed tools, which come first.
    offered: usize,
    /// The list, after the first request for it.
    listed: OnceLock<Vec<rmcp::model::Tool>>,
    names: Names,
    withheld: Vec<WithheldBy>,
    withheld_names: Names,
    results: Results,
    manner: Manner,
    instructions: String,
    premises: Option<Premises>,
    observer: Option<Arc<dyn Observer>>,
    guides: Vec<Guide>,
    /// The capabilities that every connection declares.
    offers: Arc<ServerCapabilities>,
    rest: Arc<Rest>,
}

impl Dispatch {
    pub(crate) fn new(options: Options, rest: Arc<Rest>) -> Self {
        let offered = options.tools.len();
        let guides = prompts::offered(&options.tools);
        let tools: Vec<Tool> = options.tools.into_iter().chain(options.unlisted).collect();
        let names = Names::new(&tools, &options.aliases);
        let (absent, withheld): (Vec<Tool>, _) = options.withheld.into_iter().map(|one| (one.tool, one.why)).unzip();
        let withheld_names = Names::new(&absent, &options.aliases);
        let mut offers = ServerCapabilities::builder().enable_tools().build();
        offers.prompts = (!guides.is_empty()).then(Default::default);
        offers.resources = options.premises.is_some().then(Default::default);
        Self {
            tools,
            offered,
            listed: OnceLock::new(),
            names,
            withheld,
            withheld_names,
            results: options.results,
            manner: options.manner,
            instructions: options.instructions,
            premises: options.premises,
            observer: options.observer,
            guides,
            offers: Arc::new(offers),
            rest,
        }
    }

    fn undeclared(&self, method: &str) -> ErrorData {
        let shown: String = method.chars().take(80).collect();
        let mut offered = vec!["tools/list", "tools/call"];
        if !self.guides.is_empty() {
            offered.extend(["prompts/list", "prompts/get"]);
        }
        if self.premises.is_some() {
            offered.extend(["resources/list", "resources/templates/list", "resources/read"]);
        }
        let message = format!("Method not found: `{shown}`. This server offers {}.", offered.join(", "));
        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
    }

    /// The `tools` of `tools/list`, as sent.
    pub(crate) fn listed(&self) -> &[rmcp::model::Tool] {
        let listed = |tool| listing(tool, published_input(tool), self.is_structured(tool));
        self.listed.get_or_init(|| self.tools[..self.offered].iter().map(listed).collect())
    }

    /// The same with every argument that the tools take.
    fn whole_list(&self) -> Value {
        let listed = |tool| listing(tool, known_input(tool), self.is_structured(tool));
        let all: Vec<rmcp::model::Tool> = self.tools[..self.offered].iter().map(listed).collect();
        serde_json::to_value(all).expect("tool listings are plain data")
    }

    async fn call(&self, params: CallToolRequestParams, context: RunningCall) -> Result<CallToolResult, ErrorData> {
        let given = params.arguments.unwrap_or_default();
        let observed = self.observer.as_ref().map(|observer| (observer, SystemTime::now(), given.clone()));
        let (caller, client) = (context.caller.clone(), context.client.clone());
        let Some((index, given)) = self.names.resolve(&params.name, given) else {
            return Err(self.unknown_tool(&params.name));
        };
        let tool = &self.tools[index];
        let checked = match tool.set {
            // The guard's protocol has codes of its own for wrong arguments, and ignores unknown ones.
            ToolSet::Guard => Ok((given, AnswerWish::default())),
            _ => AnswerWish::of(tool, given),
        };
        let began = Instant::now();
        let answer = self.manner.answer(tool.name);
        let mut asked = Map::new();
        let mut wish = AnswerWish::default();
        let reply = match checked {
            Ok((ready, wished)) => {
                wish = wished;
                if answer.recast.is_some() {
                    asked = ready.clone();
                }
                context.run(tool, ready).await
            }
            Err(refusal) => Err(refusal),
        };
        let rendering = match answer.recast {
            Some(recast) => render_recast(reply, self.manner.skin, wish, &asked, recast),
            None => render_as(reply, self.manner.skin, wish),
        };
        if let Some((observer, began, arguments)) = &observed {
            let (tool, received) = (tool.name, rendering.text.len());
            let client = client.as_deref();
            observer.observe(caller.as_deref(), &Event::Called { tool, client, arguments, received, began: *began });
        }
        tracing::debug!(tool = tool.name, is_error = rendering.is_error, took = ?began.elapsed(), "answered a call");
        self.rest.after_call();
        Ok(result(rendering, self.is_structured(tool) || self.manner.fields_beside))
    }

    /// Whether the fields of a tool's answers are sent as structured content.
    fn is_structured(&self, tool: &Tool) -> bool {
        self.results == Results::Structured || tool.set == ToolSet::Guard || self.manner.answer(tool.name).data
    }

    fn unknown_tool(&self, name: &str) -> ErrorData {
        let shown: String = name.chars().take(80).collect();
        if let Some((index, _)) = self.withheld_names.resolve(name, Map::new()) {
            return ErrorData::invalid_params(format!("Unknown tool `{shown}` here: {}", self.withheld[index]), None);
        }
        let near = self.names.suggest(name);
        let next = match near.as_slice() {
            [] => {
                let all: Vec<&str> = self.tools[..self.offered].iter().map(|tool| tool.name).collect();
                format!("The tools are: {}.", all.join(", "))
            }
            near => format!("Nearest: {}. tools/list gives all of them.", near.join(", ")),
        };
        ErrorData::invalid_params(format!("Unknown tool `{shown}`. {next}"), None)
    }
}

/// The entry of a tool in `tools/list`.
fn listing(tool: &Tool, input: Map<String, Value>, structured: bool) -> rmcp::model::Tool {
    let annotations = ToolAnnotations::new()
        .read_only(tool.annotations.read_only)
        .destructive(tool.annotations.destructive)
        .idempotent(tool.annotations.idempotent)
        .open_world(tool.annotations.open_world);
    let mut listed =
        rmcp::model::Tool::new(tool.name, tool.description, input).with_title(tool.title).with_annotations(annotations);
    listed.meta = crate::hints::meta(tool.name);
    if structured && !tool.output_schema.is_empty() {
        listed.with_raw_output_schema(Arc::new(published_output(&tool.output_schema)))
    } else {
        listed
    }
}

/// The schema of the arguments without facts that do not help a model: that a count is not negative, that an omitted
/// option is off. It does not forbid further arguments: a client that checks would refuse other spellings, which are
/// accepted here, and misspelled ones, which are answered with the right name. The guard's schemas are those of its
/// protocol.
fn published_input(tool: &Tool) -> Map<String, Value> {
    let mut schema = known_input(tool);
    leave_out(tool.name, &mut schema);
    schema
}

/// The same with the arguments that are not listed.
fn known_input(tool: &Tool) -> Map<String, Value> {
    let mut schema = Map::clone(&tool.input_schema);
    if tool.set == ToolSet::Guard {
        return schema;
    }
    schema.shift_remove("additionalProperties");
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|_, property| property.get(UNLISTED).is_none());
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            without_the_obvious(property);
            let Some(Value::Object(element)) = property.get_mut("items") else { continue };
            element.shift_remove("additionalProperties");
            if let Some(Value::Object(inner)) = element.get_mut("properties") {
                inner.values_mut().filter_map(Value::as_object_mut).for_each(without_the_obvious);
            }
        }
    }
    schema
}

/// Takes the bounds and defaults out of a property that a model expects.
fn without_the_obvious(property: &mut Map<String, Value>) {
    let obvious =
        [("minimum", 0.into()), ("minimum", 1.into()), ("minItems", 1.into()), ("default", Value::from(false))];
    for (key, obvious) in obvious {
        if property.get(key) == Some(&obvious) {
            property.shift_remove(key);
        }
    }
}

/// An output schema that matches every result, errors included: the tool's fields and those of an error, none of them
/// required.
fn published_output(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    for (name, kind) in [("code", "string"), ("message", "string"), ("retryable", "boolean")] {
        properties.entry(name).or_insert_with(|| json!({ "type": kind }));
    }
    let mut published = Map::new();
    published.insert("type".into(), "object".into());
    published.insert("properties".into(), Value::Object(properties));
    published
}

fn result(rendering: Rendering, structured: bool) -> CallToolResult {
    let Rendering { text, mut fields, is_error } = rendering;
    let structured = structured.then(|| {
        // Some clients show a model only these fields.
        if is_error && !fields.contains_key("message") && !fields.contains_key("error") {
            fields.insert("message".into(), text.clone().into());
        }
        Value::Object(fields)
    });
    let content = vec![ContentBlock::text(text)];
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = structured;
    result
}

/// The caller in words: the name of its token, if it has one, before what the client says of itself.
fn caller(token: Option<&str>, client: Option<&Implementation>) -> Option<Arc<str>> {
    let stated = client.map(|client| format!("{} {}", client.name, client.version)).unwrap_or_default();
    let stated: String = stated.chars().take(100).collect();
    let token = token.map(|name| format!("[{name}]"));
    let words: Vec<&str> = token.as_deref().into_iter().chain(client.map(|_| stated.trim())).collect();
    (!words.is_empty()).then(|| words.join(" ").trim().into())
}

/// A running call: its cancellation and the destination of its progress.
struct RunningCall {
    withdrawn: CancellationToken,
    closing: CancellationToken,
    progress: Option<(ProgressToken, Peer<RoleServer>)>,
    /// Name and version of the client, as it states them, after the name of its token.
    caller: Option<Arc<str>>,
    /// The name of the client's token.
    client: Option<Arc<str>>,
    /// The time when it came.
    arrival: Arrival,
}

impl RunningCall {
    /// Runs a tool to its end, also through cancellation and panics.
    async fn run(self, tool: &Tool, given: Map<String, Value>) -> Reply {
        let cancel = CancellationToken::new();
        let (sender, notes) = mpsc::channel::<(f64, String)>(16);
        let report = move |seconds: f64, words: &str| {
            // A client that reads slowly misses some progress; the tool is not slowed.
            let _ = sender.try_send((seconds, words.to_owned()));
        };
        let context = CallContext {
            caller: self.caller.clone(),
            cancel: cancel.clone(),
            progress: self.progress.is_some().then(|| Arc::new(report) as Arc<dyn Fn(f64, &str) + Send + Sync>),
            arrival: Some(Arc::new(if tool.annotations.read_only { self.arrival.reading() } else { self.arrival })),
            ..CallContext::default()
        };
        let run = tool.run.clone();
        let working = AssertUnwindSafe(async move { run(given, context).await }).catch_unwind();
        let finished = CancellationToken::new();
        let working = async {
            let done = working.await;
            finished.cancel();
            done
        };
        let stopping = async {
            tokio::select! {
                () = self.withdrawn.cancelled() => cancel.cancel(),
                () = self.closing.cancelled() => cancel.cancel(),
                () = finished.cancelled() => {}
            }
        };
        let reporting = async {
            if let Some((token, peer)) = &self.progress {
                pass_progress(notes, token, peer, &finished, &cancel).await;
            }
        };
        let (done, (), ()) = futures::join!(working, stopping, reporting);
        done.unwrap_or_else(|panic| Err(internal_error(tool.name, panic.as_ref())))
    }
}

/// Sends progress until the call is finished or cancelled: the tool's reports, and a sign of life for every second
/// without one. A message that was begun is sent whole; nothing is sent afterwards.
async fn pass_progress(
    mut notes: mpsc::Receiver<(f64, String)>,
    token: &ProgressToken,
    peer: &Peer<RoleServer>,
    finished: &CancellationToken,
    cancel: &CancellationToken,
) {
    /// Progress must increase; two notes within one millisecond still differ.
    const STEP: f64 = 0.001;
    /// Some clients give up on calls that are silent for long.
    const SILENCE: Duration = Duration::from_secs(1);
    let begun = Instant::now();
    let mut last = -STEP;
    let mut words = "running".to_owned();
    let mut reports = true;
    loop {
        let seconds = tokio::select! {
            biased;
            () = finished.cancelled() => return,
            () = cancel.cancelled() => return,
            note = notes.recv(), if reports => match note {
                Some((seconds, said)) => {
                    words = said;
                    seconds
                }
                None => {
                    reports = false;
                    continue;
                }
            },
            () = tokio::time::sleep(SILENCE) => begun.elapsed().as_secs_f64(),
        };
        last = if seconds.is_finite() { seconds.max(last + STEP) } else { last + STEP };
        let param = ProgressNotificationParam::new(token.clone(), last).with_message(words.clone());
        if peer.notify_progress(param).await.is_err() {
            return;
        }
    }
}

fn internal_error(tool: &str, panic: &(dyn std::any::Any + Send)) -> Refusal {
    let what = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    tracing::error!(tool, panic = %what, "a tool panicked");
    Refusal::Broke { tool: tool.to_owned(), what }
}

/// One connection's view of the server, as the SDK calls it.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) dispatch: Arc<Dispatch>,
    /// Cancelled when running calls have to stop because the connection ends.
    pub(crate) closing: CancellationToken,
    visitor: Visitor,
    /// The roots of the client.
    roots: ClientRoots,
    /// In the order of the lines: requests are started one after another as they come.
    arrivals: Arrivals,
}

impl Session {
    pub(crate) fn new(dispatch: Arc<Dispatch>, closing: CancellationToken, visitor: Visitor) -> Self {
        Self { dispatch, closing, visitor, roots: ClientRoots::default(), arrivals: Arrivals::default() }
    }
}

/// What a server serves to each kind of visitor.
pub(crate) struct Desks {
    /// All tools of the server.
    whole: Arc<Dispatch>,
    /// Those that write nothing and run no code.
    reading: Arc<Dispatch>,
}

impl Desks {
    pub(crate) fn new(options: Options) -> Self {
        let rest: Arc<Rest> = Arc::default();
        let reading = Arc::new(Dispatch::new(options.for_readers(), rest.clone()));
        Self { whole: Arc::new(Dispatch::new(options, rest)), reading }
    }
}

impl Host for Desks {
    fn handler(&self, closing: CancellationToken, visitor: Visitor) -> Handler {
        let dispatch = if visitor.read_only { &self.reading } else { &self.whole };
        let (beside, keeps) = (dispatch.manner.fields_beside, dispatch.results == Results::Structured);
        let session = Session::new(dispatch.clone(), closing, visitor);
        if beside { Box::new(Beside { session, keeps }) } else { Box::new(session) }
    }

    fn offers(&self) -> Arc<ServerCapabilities> {
        self.whole.offers.clone()
    }

    fn tools(&self) -> Value {
        serde_json::to_value(self.whole.listed()).expect("tool listings are plain data")
    }

    fn documented(&self) -> Value {
        self.whole.whole_list()
    }
}

fn server_info() -> Implementation {
    Implementation::new("lispwright", env!("CARGO_PKG_VERSION")).with_title("Lispwright")
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

/// The server's identity, which revision 2026-07-28 expects on results because there is no handshake to carry it.
fn stamp(context: &RequestContext<RoleServer>) -> Option<MetaObject> {
    static STAMP: LazyLock<MetaObject> = LazyLock::new(|| {
        let mut meta = MetaObject::new();
        meta.insert("io.modelcontextprotocol/serverInfo".into(), json!(server_info()));
        meta
    });
    is_modern(context).then(|| STAMP.clone())
}

/// Refuses a cursor, which no list here gives out.
fn one_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|params| params.cursor) {
        None => Ok(()),
        Some(_) => {
            let why = "Invalid cursor: the list is one page; ask for it without a cursor";
            Err(ErrorData::invalid_params(why, None))
        }
    }
}

/// The version in the answer to `initialize`: the client's own if it is one of the handshake versions; otherwise the
/// newest that is not newer than the client's, because some clients reject a server that answers with a newer one.
pub(crate) fn negotiate(asked: &str) -> ProtocolVersion {
    let handshake = || ProtocolVersion::KNOWN_VERSIONS.iter().filter(|version| version.has_initialize());
    let is_date = asked.len() == 10
        && asked.bytes().enumerate().all(|(i, c)| if i == 4 || i == 7 { c == b'-' } else { c.is_ascii_digit() });
    if is_date && let Some(version) = handshake().rev().find(|version| version.as_str() <= asked) {
        return version.clone();
    }
    if is_date { ProtocolVersion::V_2024_11_05 } else { ProtocolVersion::LATEST_WITH_INITIALIZE }
}

/// The refusal of a version that has no handshake here, for a surface that refuses instead of offering another.
fn unsupported_version(asked: &str) -> ErrorData {
    let known: Vec<&str> = ProtocolVersion::KNOWN_VERSIONS
        .iter()
        .filter(|version| version.has_initialize())
        .map(ProtocolVersion::as_str)
        .collect();
    let shown: String = asked.chars().take(80).collect();
    let message = format!("Unsupported protocol version `{shown}`. Supported: {}.", known.join(", "));
    ErrorData::invalid_params(message, Some(json!({ "supportedVersions": known, "requested": shown })))
}

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::clone(&self.dispatch.offers))
            .with_server_info(server_info())
            .with_instructions(self.dispatch.instructions.clone())
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let asked = request.protocol_version.as_str();
        let version = negotiate(asked);
        if self.dispatch.manner.refuses_versions && !asked.is_empty() && version.as_str() != asked {
            return Err(unsupported_version(asked));
        }
        request.protocol_version = version.clone();
        context.peer.set_peer_info(request);
        Ok(self.get_info().with_protocol_version(version))
    }

    async fn discover(&self, _context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = ProtocolVersion::KNOWN_VERSIONS.to_vec();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(FRESH_MS)
            .with_cache_scope(SHARED_BY))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        one_page(request)?;
        let mut result = ListToolsResult::with_all_items(self.dispatch.listed().to_vec());
        if is_modern(&context) {
            result = result.with_ttl_ms(FRESH_MS).with_cache_scope(SHARED_BY);
            result.meta = stamp(&context);
        }
        Ok(result)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        one_page(request)?;
        let mut result = ListPromptsResult::with_all_items(prompts::listed(&self.dispatch.guides));
        if is_modern(&context) {
            result = result.with_ttl_ms(FRESH_MS).with_cache_scope(SHARED_BY);
            result.meta = stamp(&context);
        }
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let mut result = prompts::get(&self.dispatch.guides, &request)?;
        result.meta = stamp(&context);
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        one_page(request)?;
        let mut result = ListResourcesResult::with_all_items(resources::listed());
        if is_modern(&context) {
            result = result.with_ttl_ms(FRESH_MS).with_cache_scope(SHARED_BY);
            result.meta = stamp(&context);
        }
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        one_page(request)?;
        let mut result = ListResourceTemplatesResult::with_all_items(resources::templates());
        if is_modern(&context) {
            result = result.with_ttl_ms(FRESH_MS).with_cache_scope(SHARED_BY);
            result.meta = stamp(&context);
        }
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(premises) = self.dispatch.premises.clone() else {
            return Err(self.dispatch.undeclared("resources/read"));
        };
        let (uri, dispatch) = (request.uri.clone(), self.dispatch.clone());
        let reading = move || resources::read(&uri, || reference(&dispatch.whole_list()), &premises);
        let read = tokio::task::spawn_blocking(reading).await;
        let read = read.unwrap_or_else(|_| Err("The resource could not be read: a fault of the server.".to_owned()));
        let contents = read.map_err(|why| {
            let data = Some(json!({ "uri": request.uri }));
            match is_modern(&context) {
                true => ErrorData::invalid_params(why, data),
                false => ErrorData::resource_not_found(why, data),
            }
        })?;
        let mut result = ReadResourceResult::new(vec![contents]);
        if is_modern(&context) {
            // A file may change at any time.
            result = result.with_ttl_ms(0).with_cache_scope(CacheScope::Private);
            result.meta = stamp(&context);
        }
        Ok(result.into())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let meta = stamp(&context);
        let arrival = self.arrivals.arrive();
        // Whoever may only read does not choose where others work.
        if let Some(premises) = self.dispatch.premises.as_ref().filter(|_| !self.visitor.read_only) {
            self.roots.settle(premises, &context).await;
        }
        let call = RunningCall {
            withdrawn: context.ct.clone(),
            closing: self.closing.clone(),
            arrival,
            progress: context.meta.get_progress_token().map(|token| (token, context.peer.clone())),
            caller: caller(self.visitor.name.as_deref(), context.client_info().as_ref()),
            client: self.visitor.name.clone(),
        };
        let result = self.dispatch.call(request, call).await?;
        Ok(result.with_meta(meta).into())
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.roots.forget().await;
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(self.dispatch.undeclared(&request.method))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_clients_own_or_not_newer() {
        for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
            assert_eq!(negotiate(version).as_str(), version);
        }
        assert_eq!(negotiate("2026-07-28").as_str(), "2025-11-25");
        assert_eq!(negotiate("2099-01-01").as_str(), "2025-11-25");
        assert_eq!(negotiate("2025-07-01").as_str(), "2025-06-18");
        assert_eq!(negotiate("2020-01-01").as_str(), "2024-11-05");
        assert_eq!(negotiate("").as_str(), "2025-11-25");
        assert_eq!(negotiate("1.0").as_str(), "2025-11-25");
        assert_eq!(negotiate("λλλλλ").as_str(), "2025-11-25");
    }
}
