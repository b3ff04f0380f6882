//! Resources and resource templates as they are listed, and their errors.

use contract::constants::{RESOURCES, ResourceSpec};
use contract::{Error, ErrorCode};
use rmcp::ErrorData;
use rmcp::model::{Resource, ResourceTemplate};
use serde_json::json;

/// Returns the resources with a fixed URI.
pub fn listed() -> Vec<Resource> {
    specs(false)
        .map(|spec| {
            Resource::new(spec.uri, spec.name)
                .with_title(spec.title)
                .with_description(spec.description)
                .with_mime_type(spec.mime_type)
        })
        .collect()
}

/// Returns the templates.
pub fn templates() -> Vec<ResourceTemplate> {
    specs(true)
        .map(|spec| {
            ResourceTemplate::new(spec.uri, spec.name)
                .with_title(spec.title)
                .with_description(spec.description)
                .with_mime_type(spec.mime_type)
        })
        .collect()
}

fn specs(is_template: bool) -> impl Iterator<Item = &'static ResourceSpec> {
    RESOURCES
        .iter()
        .filter(move |spec| spec.is_template == is_template)
}

/// Returns how a failure to read a resource is told.
pub fn read_error(error: &Error, uri: &str) -> ErrorData {
    if error.code == ErrorCode::NotFound {
        return ErrorData::resource_not_found(error.message.clone(), Some(json!({ "uri": uri })));
    }
    told(error)
}

/// Returns how a failure is told outside a tool call. What the client sent is
/// at fault, or the server; the body says which.
pub fn told(error: &Error) -> ErrorData {
    match error.code {
        ErrorCode::ValidationFailed | ErrorCode::NotFound => {
            ErrorData::invalid_params(error.message.clone(), Some(error.body()))
        }
        ErrorCode::Unauthorized
        | ErrorCode::Forbidden
        | ErrorCode::Conflict
        | ErrorCode::RateLimited
        | ErrorCode::Internal => {
            ErrorData::internal_error(error.message.clone(), Some(error.body()))
        }
    }
}
