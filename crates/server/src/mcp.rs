//! The MCP handler: both protocol eras, one door. It names no tool.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use contract::constants::{CONTRACT_CAPABILITY, INSTRUCTIONS_DROPPED_KEY, SERVER_NAME};
use memory::{Call, ClientInfo, Session};
use rmcp::ErrorData;
use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, DiscoverResult, ErrorCode as RpcCode,
    ExperimentalCapabilities, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    Implementation, InitializeRequestParams, InitializeResult, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, PromptMessage, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceContents, Role, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use crate::crowd::Crowd;
use crate::door::Door;
use crate::http::RequestId;
use crate::instructions::{Composed, Facts, compose};
use crate::limits::Limits;
use crate::{answer, http, logs};

mod completion;
mod prompts;
mod resources;

pub use prompts::fenced;

/// How long a list or a discovery may be reused: a day's work, and an upgrade
/// is seen the same hour.
const FRESH_MS: u64 = 10 * 60 * 1000;

/// Serves one connection on stdio, or one request over HTTP.
#[derive(Clone)]
pub struct Handler {
    shared: Arc<Shared>,
    /// Only a connection of the `initialize` era has a session.
    session: Option<Arc<Session>>,
}

/// What all handlers of a process share.
pub struct Shared {
    door: Arc<Door>,
    tools: Vec<Tool>,
    toolset: String,
    config: ServerConfig,
}

impl Shared {
    /// Returns what handlers need, made once.
    pub fn new(door: Arc<Door>, toolset: &str, contract: &str) -> anyhow::Result<Self> {
        let tools: Vec<Tool> = serde_json::from_str(door.served())?;
        let mut announced = JsonObject::new();
        announced.insert("version".to_owned(), json!(contract));
        let experimental =
            ExperimentalCapabilities::from([(CONTRACT_CAPABILITY.to_owned(), announced)]);
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .enable_experimental_with(experimental)
            .build();
        let config = ServerConfig::new(capabilities).with_server_info(
            Implementation::new(SERVER_NAME, env!("CARGO_PKG_VERSION")).with_title("zero-memory"),
        );
        Ok(Self {
            door,
            tools,
            toolset: toolset.to_owned(),
            config,
        })
    }

    fn instructions(&self, client_name: Option<&str>, session: Option<&Session>) -> Composed {
        let attached = session.and_then(Session::attached_project);
        let rules = self.door.memory().rules_if_open();
        let facts = Facts {
            rules: rules.as_deref(),
            attached_project: attached.as_deref(),
            awaits_project: session.is_some_and(|session| session.pending_hint().is_some()),
            toolset: &self.toolset,
        };
        let cap = Limits::of(client_name).instructions_max_bytes;
        let composed = compose(&facts, cap);
        if !composed.dropped.is_empty() {
            // On stdio it is so at every start.
            tracing::info!(
                target: "zero_memory",
                dropped = composed.dropped.join(","),
                cap,
                is_open = rules.is_some(),
                "instructions go without what the client would cut or what is not read yet"
            );
        }
        composed
    }
}

/// Records in a result what had to be left out of its instructions.
fn note_dropped(meta: &mut Option<MetaObject>, dropped: &[&str]) {
    if !dropped.is_empty() {
        let meta = meta.get_or_insert_default();
        meta.insert(INSTRUCTIONS_DROPPED_KEY.to_owned(), json!(dropped));
    }
}

impl Handler {
    /// Returns a handler; `session` is for connections that have one.
    pub fn new(shared: Arc<Shared>, session: Option<Arc<Session>>) -> Self {
        Self { shared, session }
    }

    fn call_of(&self, context: &RequestContext<RoleServer>) -> Call {
        let modern = is_modern(context);
        Call {
            // A server may not infer anything from an earlier request of the
            // 2026 era, so such a call has no session.
            session: self.session.clone().filter(|_| !modern),
            client: client_of(context, modern),
            request_id: request_id_of(context),
            stop: self.shared.door.crowd().stop(),
            ..Call::default()
        }
    }

    fn crowd(&self) -> &Arc<Crowd> {
        self.shared.door.crowd()
    }

    async fn run(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let Some(tool) = self.shared.door.find(&request.name) else {
            let message = self.shared.door.unknown_tool(&request.name);
            let refusal = || Err(ErrorData::invalid_params(message, None));
            return briefly(context, "tools/call", refusal);
        };
        let call = self.call_of(context);
        let limits = Limits::of(call.client.as_ref().map(|client| client.name.as_str()));
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let door = Arc::clone(&self.shared.door);
        let gone = context.ct.cancelled();
        let outcome = logs::observed(self.crowd(), call, tool, gone, move |call| {
            door.call(call, tool, arguments)
        })
        .await;
        let mut result = match outcome {
            Ok(payload) => answer::success(tool, payload, limits),
            Err(error) => answer::failure(&error),
        };
        result.meta = self.identity(context);
        Ok(result)
    }

    /// Returns the `_meta` by which a 2026 result says who answered.
    fn identity(&self, context: &RequestContext<RoleServer>) -> Option<MetaObject> {
        is_modern(context).then(|| {
            let mut meta = MetaObject::default();
            let info = serde_json::to_value(&self.shared.config.server_info).unwrap_or_default();
            meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), info);
            meta
        })
    }
}

/// Returns the program behind a call. A 2025 client over HTTP names itself at
/// `initialize` only, and no session remembers it: there its user agent counts.
fn client_of(context: &RequestContext<RoleServer>, modern: bool) -> Option<ClientInfo> {
    match context.extensions.get::<axum::http::request::Parts>() {
        Some(parts) if !modern => http::client_of(&parts.headers),
        _ => context
            .client_info()
            .map(|info| ClientInfo::named(&info.name, &info.version)),
    }
}

/// Returns the id that the HTTP response carries, or a new one on stdio.
fn request_id_of(context: &RequestContext<RoleServer>) -> String {
    context
        .extensions
        .get::<axum::http::request::Parts>()
        .and_then(|parts| parts.extensions.get::<RequestId>())
        .map_or_else(logs::request_id, RequestId::observed)
}

/// Answers from what the program itself knows, with a line in the log.
fn briefly<T>(
    context: &RequestContext<RoleServer>,
    method: &'static str,
    body: impl FnOnce() -> Result<T, ErrorData>,
) -> Result<T, ErrorData> {
    let (request_id, started) = (request_id_of(context), Instant::now());
    let answer = body();
    let outcome = match &answer {
        Ok(_) => "ok",
        Err(error) if error.code == RpcCode::INVALID_PARAMS => "invalid_params",
        Err(error) if error.code == RpcCode::METHOD_NOT_FOUND => "method_not_found",
        Err(_) => "refused",
    };
    logs::answered(&request_id, method, started, outcome);
    answer
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    let cursor = request.and_then(|request| request.cursor);
    if cursor.is_some_and(|cursor| !cursor.is_empty()) {
        let message = "unknown cursor: this list has one page";
        return Err(ErrorData::invalid_params(message, None));
    }
    Ok(())
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.shared.config.clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        briefly(&context, "initialize", || {
            let mut result = self.negotiate_initialize(&request)?;
            let name = request.client_info.name.clone();
            context.peer.set_peer_info(request);
            let composed = self
                .shared
                .instructions(Some(&name), self.session.as_deref());
            note_dropped(&mut result.meta, &composed.dropped);
            result.instructions = Some(composed.text);
            Ok(result)
        })
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        briefly(&context, "server/discover", || {
            let name = context.client_info().map(|info| info.name);
            let composed = self.shared.instructions(name.as_deref(), None);
            let mut info = self.get_info().with_instructions(composed.text);
            note_dropped(&mut info.meta, &composed.dropped);
            let versions = self.supported_protocol_versions().into_owned();
            // What had to be left out may be there the next time.
            let fresh_ms = if composed.dropped.is_empty() {
                FRESH_MS
            } else {
                0
            };
            Ok(DiscoverResult::from_server_info(versions, info)
                .with_ttl_ms(fresh_ms)
                // The text may hold the caller's rules.
                .with_cache_scope(CacheScope::Private))
        })
    }

    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        briefly(&context, "ping", || Ok(()))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        briefly(&context, "tools/list", || {
            only_page(request)?;
            Ok(ListToolsResult::with_all_items(self.shared.tools.clone())
                .with_ttl_ms(FRESH_MS)
                .with_cache_scope(CacheScope::Public))
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared
            .tools
            .iter()
            .find(|tool| tool.name == name)
            .cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.run(request, &context).await.map(Into::into)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        briefly(&context, "resources/list", || {
            only_page(request)?;
            Ok(ListResourcesResult::with_all_items(resources::listed())
                .with_ttl_ms(FRESH_MS)
                .with_cache_scope(CacheScope::Public))
        })
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        briefly(&context, "resources/templates/list", || {
            only_page(request)?;
            Ok(
                ListResourceTemplatesResult::with_all_items(resources::templates())
                    .with_ttl_ms(FRESH_MS)
                    .with_cache_scope(CacheScope::Public),
            )
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let call = self.call_of(&context);
        let gone = context.ct.cancelled();
        let door = Arc::clone(&self.shared.door);
        let uri = request.uri.clone();
        let outcome =
            logs::observed_method(self.crowd(), call, "resources/read", gone, move |call| {
                door.memory().read_resource(call, &uri)
            })
            .await;
        let payload = outcome.map_err(|error| resources::read_error(&error, &request.uri))?;
        let contents = ResourceContents::text(payload.to_string(), request.uri)
            .with_mime_type("application/json");
        Ok(ReadResourceResult::new(vec![contents])
            .with_ttl_ms(0)
            .with_cache_scope(CacheScope::Private)
            .into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        briefly(&context, "prompts/list", || {
            only_page(request)?;
            Ok(ListPromptsResult::with_all_items(prompts::listed())
                .with_ttl_ms(FRESH_MS)
                .with_cache_scope(CacheScope::Public))
        })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let memory = self.shared.door.memory();
        let given = prompts::find(&request.name).and_then(|spec| {
            let values = prompts::values(spec, request.arguments, memory)?;
            Ok((spec, values))
        });
        let (spec, values) = match given {
            Ok(given) => given,
            Err(error) => return briefly(&context, "prompts/get", || Err(error)),
        };
        let shared = Arc::clone(&self.shared);
        let call = self.call_of(&context);
        let gone = context.ct.cancelled();
        let text = logs::observed_method(self.crowd(), call, "prompts/get", gone, move |call| {
            prompts::composed(&shared.door, call, spec, &values, &shared.toolset)
        })
        .await
        .map_err(|error| resources::told(&error))?;
        let message = PromptMessage::new_text(Role::User, text);
        let mut result = GetPromptResult::new(vec![message]).with_description(spec.description);
        result.meta = self.identity(&context);
        Ok(result.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let source = match completion::source_of(&request.r#ref, &request.argument) {
            Ok(source) => source,
            Err(error) => return briefly(&context, "completion/complete", || Err(error)),
        };
        let door = Arc::clone(&self.shared.door);
        let call = self.call_of(&context);
        let gone = context.ct.cancelled();
        let info = logs::observed_method(
            self.crowd(),
            call,
            "completion/complete",
            gone,
            move |call| completion::suggested(&door, call, source, &request.argument.value),
        )
        .await
        .map_err(|error| resources::told(&error))?;
        let mut result = CompleteResult::new(info);
        result.meta = self.identity(&context);
        Ok(result)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // rmcp hands a known method with misshapen parameters over as a custom
        // one; its answer "method not found" would be untrue.
        let removed = is_modern(&context) && REMOVED_METHODS.contains(&request.method.as_str());
        let offered = OFFERED_METHODS
            .into_iter()
            .find(|method| *method == request.method && !removed);
        // An unknown method is the caller's text and is not told.
        briefly(&context, offered.unwrap_or("-"), || {
            Err(match offered {
                Some(method) => {
                    let message = format!("the parameters of {method} have the wrong shape");
                    ErrorData::invalid_params(message, None)
                }
                None => ErrorData::new(RpcCode::METHOD_NOT_FOUND, request.method, None),
            })
        })
    }
}

/// Methods of the protocol that this server answers.
const OFFERED_METHODS: [&str; 12] = [
    "initialize",
    "ping",
    "server/discover",
    "subscriptions/listen",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

/// Methods among them that the 2026 era no longer has.
const REMOVED_METHODS: [&str; 2] = ["initialize", "ping"];
