//! What the official conformance suite wants to find on a server: tools,
//! resources and prompts of its own, laid around the real handler. Only debug
//! builds hold them, behind `serve --conformance-fixtures`.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    CompleteRequestParams, CompleteResult, ContentBlock, CustomRequest, CustomResult,
    DiscoverResult, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    InitializeRequestParams, InitializeResult, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, Prompt, PromptArgument, PromptMessage, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference, Resource,
    ResourceContents, ResourceTemplate, Role, SamplingCapability, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};

use crate::mcp::Handler;

/// A PNG of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// A WAV without a sample.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const TEMPLATE: &str = "test://template/{id}/data";

/// The real handler, and what the suite calls beside it.
pub struct Fixtures(pub Handler);

/// Returns the schema of the tool whose schema has to arrive unchanged.
fn full_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

fn tools() -> Vec<Tool> {
    let nothing = json!({ "type": "object", "additionalProperties": false });
    let header = json!({
        "type": "object",
        "properties": {
            "region": { "type": "string", "description": "A region.", "x-mcp-header": "Region" },
        },
    });
    let schemas = [
        ("test_simple_text", nothing.clone()),
        ("test_image_content", nothing.clone()),
        ("test_audio_content", nothing.clone()),
        ("test_embedded_resource", nothing.clone()),
        ("test_multiple_content_types", nothing.clone()),
        ("test_error_handling", nothing.clone()),
        ("test_tool_with_progress", nothing.clone()),
        ("test_missing_capability", nothing.clone()),
        ("test_streaming_elicitation", nothing.clone()),
        ("test_logging_tool", nothing),
        ("test_custom_header", header),
        ("json_schema_2020_12_tool", full_schema()),
    ];
    schemas
        .into_iter()
        .map(|(name, schema)| {
            let schema = Arc::new(rmcp::model::object(schema));
            Tool::new(name, "For the conformance suite.", schema)
        })
        .collect()
}

async fn call(
    name: &str,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResult, ErrorData>> {
    let text = |text: &str| vec![ContentBlock::text(text)];
    let resource = |uri: &str, content: &str| {
        ContentBlock::resource(ResourceContents::text(content, uri).with_mime_type("text/plain"))
    };
    let content = match name {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => vec![ContentBlock::image(PNG, "image/png")],
        "test_audio_content" => vec![ContentBlock::audio(WAV, "audio/wav")],
        "test_embedded_resource" => vec![resource(
            "test://embedded-resource",
            "This is an embedded resource content.",
        )],
        "test_multiple_content_types" => vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PNG, "image/png"),
            resource("test://mixed-content-resource", "{\"test\":\"data\"}"),
        ],
        "test_error_handling" => {
            let content = text("This tool intentionally returns an error for testing");
            return Some(Ok(CallToolResult::error(content)));
        }
        "test_tool_with_progress" => {
            report_progress(context).await;
            text("Done.")
        }
        "test_missing_capability" => {
            let declared = context.client_capabilities();
            if declared.is_none_or(|declared| declared.sampling.is_none()) {
                let mut wanted = ClientCapabilities::default();
                wanted.sampling = Some(SamplingCapability::default());
                return Some(Err(ErrorData::missing_required_client_capability(wanted)));
            }
            text("The capability is there.")
        }
        "test_streaming_elicitation"
        | "test_logging_tool"
        | "test_custom_header"
        | "json_schema_2020_12_tool" => text("Done."),
        _ => return None,
    };
    Some(Ok(CallToolResult::success(content)))
}

async fn report_progress(context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else {
        return;
    };
    for progress in [0.0, 50.0, 100.0] {
        let param = ProgressNotificationParam::new(token.clone(), progress).with_total(100.0);
        // A client that has gone cannot be told anything.
        let _ = context.peer.notify_progress(param).await;
    }
}

fn read(uri: &str) -> Option<ResourceContents> {
    let id = uri
        .strip_prefix("test://template/")
        .and_then(|rest| rest.strip_suffix("/data"));
    match (uri, id) {
        ("test://static-text", _) => Some(ResourceContents::text(
            "This is the content of the static text resource.",
            uri,
        )),
        ("test://static-binary", _) => {
            Some(ResourceContents::blob(PNG, uri).with_mime_type("image/png"))
        }
        (_, Some(id)) => {
            let content = json!({ "id": id, "templateTest": true }).to_string();
            Some(ResourceContents::text(content, uri).with_mime_type("application/json"))
        }
        _ => None,
    }
}

fn prompts() -> Vec<Prompt> {
    let prompt = |name: &str, arguments: &[&str]| {
        let arguments: Vec<PromptArgument> = arguments
            .iter()
            .map(|name| PromptArgument::new(*name).with_required(true))
            .collect();
        Prompt::new(name, Some("For the conformance suite."), Some(arguments))
    };
    vec![
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
    ]
}

fn get_prompt(name: &str, arguments: &JsonObject) -> Option<GetPromptResult> {
    let argument = |name: &str| {
        let value = arguments.get(name).and_then(Value::as_str);
        value.unwrap_or_default().to_owned()
    };
    let text = |text: String| PromptMessage::new_text(Role::User, text);
    let messages = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.".to_owned())],
        "test_prompt_with_arguments" => vec![text(format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            argument("arg1"),
            argument("arg2")
        ))],
        "test_prompt_with_embedded_resource" => {
            let content = ResourceContents::text(
                "Embedded resource content for testing.",
                argument("resourceUri"),
            );
            vec![
                PromptMessage::new(Role::User, ContentBlock::resource(content)),
                text("Please process the embedded resource above.".to_owned()),
            ]
        }
        "test_prompt_with_image" => vec![
            PromptMessage::new(Role::User, ContentBlock::image(PNG, "image/png")),
            text("Please analyze the image above.".to_owned()),
        ],
        _ => return None,
    };
    Some(GetPromptResult::new(messages))
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.0.initialize(request, context).await
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        self.0.discover(context).await
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.0.supported_protocol_versions()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut result = self.0.list_tools(request, context).await?;
        result.tools.extend(tools());
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let fixture = tools().into_iter().find(|tool| tool.name == name);
        fixture.or_else(|| self.0.get_tool(name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match call(&request.name, &context).await {
            Some(result) => result.map(Into::into),
            None => self.0.call_tool(request, context).await,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut result = self.0.list_resources(request, context).await?;
        for uri in ["test://static-text", "test://static-binary"] {
            result.resources.push(Resource::new(uri, uri));
        }
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut result = self.0.list_resource_templates(request, context).await?;
        let template = ResourceTemplate::new(TEMPLATE, "test_template");
        result.resource_templates.push(template);
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match read(&request.uri) {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            None => self.0.read_resource(request, context).await,
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut result = self.0.list_prompts(request, context).await?;
        result.prompts.extend(prompts());
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.clone().unwrap_or_default();
        match get_prompt(&request.name, &arguments) {
            Some(result) => Ok(result.into()),
            None => self.0.get_prompt(request, context).await,
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        match &request.r#ref {
            Reference::Prompt(prompt) if prompt.name.starts_with("test_") => {
                Ok(CompleteResult::default())
            }
            _ => self.0.complete(request, context).await,
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.0.on_custom_request(request, context).await
    }
}
