//! Version, budgets, ids, instructions, client limits and resources.

use std::fmt::Write as _;

use crate::contract::{Address, Contract, Limit, Segment, SegmentBody, Slot, type_name};
use crate::emit::rust::constant;

/// Returns the source of `constants.rs`.
pub fn source(contract: &Contract) -> String {
    let settings = &contract.settings;
    let mut text = String::from(
        "//! Facts of the contract that are no types: version, budgets, ids, texts.\n",
    );
    let mut put = |name: &str, doc: &str, kind: &str, value: String| {
        let _ = writeln!(text, "/// {doc}\npub const {name}: {kind} = {value};");
    };
    put(
        "CONTRACT_VERSION",
        "Semantic version of the contract.",
        "&str",
        format!("{:?}", settings.version),
    );
    put(
        "CONTRACT_CAPABILITY",
        "Slot of `capabilities.experimental` that announces the version.",
        "&str",
        format!("{:?}", settings.capability),
    );
    put(
        "CONTRACT_VERSION_HEADER",
        "HTTP header that announces the version.",
        "&str",
        format!("{:?}", settings.version_header),
    );
    put(
        "SERVER_NAME",
        "Name of the server on the wire.",
        "&str",
        format!("{:?}", settings.name),
    );
    put(
        "INSTRUCTIONS_DROPPED_KEY",
        "Key in `_meta` that names the segments which were left out of the instructions.",
        "&str",
        format!("{:?}", contract.dropped_key),
    );
    let footers = [
        (
            "READ_FOOTER",
            "What a read ends with.",
            &contract.footers.read,
        ),
        (
            "CHANGE_FOOTER",
            "What a change ends with.",
            &contract.footers.change,
        ),
    ];
    for (name, doc, value) in footers {
        put(name, doc, "&str", format!("{value:?}"));
    }
    for (name, value) in &settings.budgets {
        put(
            &constant(name),
            "Budget of the contract.",
            "usize",
            value.to_string(),
        );
    }
    for (name, value) in &settings.id_prefixes {
        let doc = format!("Prefix of {} ids.", name.replace('_', " "));
        put(
            &format!("{}_ID_PREFIX", constant(name)),
            &doc,
            "&str",
            format!("{value:?}"),
        );
    }
    put(
        "DEFAULT_TOOLSET",
        "Name of the toolset that is offered when nobody chooses.",
        "&str",
        format!("{:?}", settings.default_toolset),
    );
    put(
        "TOOLSETS",
        "Every toolset by name, with what a client is told of it.",
        "&[(&str, &str)]",
        format!("&{:?}", settings.toolsets),
    );
    instructions(&mut text, &contract.segments);
    clients(&mut text, contract);
    resources(&mut text, contract);
    text
}

fn instructions(text: &mut String, segments: &[Segment]) {
    text.push_str(
        "/// What the server fills in at connect time.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Slot {",
    );
    for (name, _) in Slot::ALL {
        let _ = write!(
            text,
            "/// The {} of the caller.\n{},",
            name.replace('_', " "),
            type_name(name)
        );
    }
    text.push_str(
        "}
        /// What a segment says.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum SegmentBody {
            /// A fixed text.
            Text(&'static str),
            /// Filled in at connect time.
            Slot(Slot),
        }
        /// A piece of the connect-time text, kept or dropped as a whole.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Segment {
            /// Name of the segment in the schema and in logs.
            pub id: &'static str,
            /// Lower ones are dropped first.
            pub priority: u8,
            /// Left out for clients that cap instructions.
            pub uncapped_only: bool,
            /// What it says.
            pub body: SegmentBody,
        }
        /// The connect-time text, highest priority first.
        pub const INSTRUCTIONS: &[Segment] = &[",
    );
    for segment in segments {
        let body = match &segment.body {
            SegmentBody::Text(words) => format!("SegmentBody::Text({words:?})"),
            SegmentBody::Slot(slot) => {
                let name = crate::contract::name_of(&Slot::ALL, slot);
                format!("SegmentBody::Slot(Slot::{})", type_name(name))
            }
        };
        let _ = write!(
            text,
            "Segment {{ id: {:?}, priority: {}, uncapped_only: {}, body: {body} }},",
            segment.id, segment.priority, segment.uncapped_only
        );
    }
    text.push_str("];");
}

fn clients(text: &mut String, contract: &Contract) {
    text.push_str(
        "/// What a client limits.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Limit {
            /// Instructions longer than this many bytes are cut.
            InstructionsMaxBytes(usize),
            /// A fraction as the priority of a content block is refused.
            IntegerPriority,
            /// A link to a resource in a result is refused.
            NoResourceLinks,
        }
        /// A known limit of a client.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct ClientLimit {
            /// Names it gives itself in the handshake.
            pub client_names: &'static [&'static str],
            /// What it limits.
            pub limit: Limit,
        }
        /// Known limits of clients.
        pub const CLIENT_LIMITS: &[ClientLimit] = &[",
    );
    for entry in &contract.clients {
        let limit = match entry.limit {
            Limit::InstructionsMaxBytes => format!("Limit::InstructionsMaxBytes({})", entry.value),
            Limit::IntegerPriority => "Limit::IntegerPriority".to_owned(),
            Limit::NoResourceLinks => "Limit::NoResourceLinks".to_owned(),
        };
        let _ = write!(
            text,
            "ClientLimit {{ client_names: &{:?}, limit: {limit} }},",
            entry.client_names
        );
    }
    text.push_str("];");
}

fn resources(text: &mut String, contract: &Contract) {
    text.push_str(
        "/// A resource or a resource template.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct ResourceSpec {
            /// Its URI, or its URI template.
            pub uri: &'static str,
            /// Whether the URI is a template.
            pub is_template: bool,
            /// Programmatic name.
            pub name: &'static str,
            /// Name for a person.
            pub title: &'static str,
            /// What reading it returns.
            pub description: &'static str,
            /// MIME type of what reading it returns.
            pub mime_type: &'static str,
        }
        /// Every resource and template.
        pub const RESOURCES: &[ResourceSpec] = &[",
    );
    for resource in &contract.resources {
        let (uri, is_template) = match &resource.address {
            Address::Uri(uri) => (uri, false),
            Address::Template(uri) => (uri, true),
        };
        let _ = write!(
            text,
            "ResourceSpec {{ uri: {uri:?}, is_template: {is_template}, name: {:?}, title: {:?}, description: {:?}, mime_type: {:?} }},",
            resource.name, resource.title, resource.description, resource.mime_type
        );
    }
    text.push_str("];");
}
