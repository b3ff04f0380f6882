//! The in-memory contract: closed enums that every emitter matches in full,
//! so that a new form does not compile until each of them handles it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::release::Release;

pub mod prompts;

/// The whole contract as `schema/` states it.
#[derive(Clone, Debug)]
pub struct Contract {
    pub settings: Settings,
    /// Error codes in the order of the file.
    pub errors: Vec<ErrorEntry>,
    /// Connect-time text, highest priority first.
    pub segments: Vec<Segment>,
    /// Key in `_meta` that names the segments which were left out.
    pub dropped_key: String,
    pub footers: Footers,
    pub clients: Vec<ClientLimit>,
    /// What clients refuse in a tool list.
    pub surface: Vec<SurfaceLimit>,
    pub resources: Vec<Resource>,
    pub prompts: Vec<prompts::Prompt>,
    pub routes: Vec<Route>,
    pub ledger: Ledger,
    /// Sound releases, oldest first.
    pub releases: Vec<Release>,
    /// Shared shapes by name.
    pub shapes: BTreeMap<String, Schema>,
    /// Tools by name.
    pub tools: BTreeMap<String, Tool>,
}

impl Contract {
    /// Returns the schema that a reference leads to, or the schema itself.
    pub fn resolve<'a>(&'a self, schema: &'a Schema) -> &'a Schema {
        match &schema.form {
            Form::Shape(name) => self
                .shapes
                .get(name)
                .map_or(schema, |shape| self.resolve(shape)),
            _ => schema,
        }
    }
}

/// `contract.json`.
#[derive(Clone, Debug)]
pub struct Settings {
    pub name: String,
    pub version: String,
    pub capability: String,
    pub version_header: String,
    pub id_prefixes: Vec<(String, String)>,
    pub budgets: Vec<(String, u64)>,
    pub toolsets: Vec<(String, String)>,
    /// Name of the toolset that is offered when nobody chooses.
    pub default_toolset: String,
    pub prefixes: Vec<Prefix>,
    /// Version and hash of the last release.
    pub baseline: Option<(String, String)>,
    /// Why the version moved further than the changes ask for.
    pub version_reason: Option<String>,
}

impl Settings {
    /// Returns a budget; the meta schema requires every one that is asked for.
    pub fn budget(&self, name: &str) -> usize {
        let found = self.budgets.iter().find(|(key, _)| key == name);
        found.map_or(0, |(_, value)| {
            usize::try_from(*value).unwrap_or(usize::MAX)
        })
    }
}

/// `deprecations.json`.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    pub entries: Vec<LedgerEntry>,
    /// What broke, by version.
    pub breaking: Vec<LedgerRow>,
    /// What changed without moving a shape.
    pub behaviour: Vec<LedgerRow>,
}

/// Something that will go.
#[derive(Clone, Debug)]
pub struct LedgerEntry {
    /// File below `schema/` and JSON pointer: `tools/recall.json#/deprecated`.
    pub surface: String,
    pub deprecation: Deprecation,
}

/// Something that changed.
#[derive(Clone, Debug)]
pub struct LedgerRow {
    pub version: String,
    pub change: String,
    /// What it means to a client.
    pub client: String,
}

/// A stable message prefix.
#[derive(Clone, Debug)]
pub struct Prefix {
    pub text: String,
    pub code: String,
    pub meaning: String,
    pub remedy: String,
}

/// A member of the closed error vocabulary.
#[derive(Clone, Debug)]
pub struct ErrorEntry {
    pub code: String,
    pub http_status: u16,
    pub retryable: bool,
    pub meaning: String,
    pub remedy: String,
}

/// What the last text block of an answer ends with.
#[derive(Clone, Debug)]
pub struct Footers {
    /// After a read.
    pub read: String,
    /// After anything that was stored or changed.
    pub change: String,
}

/// A piece of the connect-time text, kept or dropped as a whole.
#[derive(Clone, Debug)]
pub struct Segment {
    pub id: String,
    pub priority: u64,
    /// Left out for clients that cap instructions.
    pub uncapped_only: bool,
    pub body: SegmentBody,
}

/// What a segment says.
#[derive(Clone, Debug)]
pub enum SegmentBody {
    Text(String),
    /// Filled in by the server at connect time.
    Slot(Slot),
}

/// What the server can fill in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Rules,
    AttachedProject,
    Toolset,
}

impl Slot {
    /// Every slot with its name in the schema.
    pub const ALL: [(&'static str, Self); 3] = [
        ("rules", Self::Rules),
        ("attached_project", Self::AttachedProject),
        ("toolset", Self::Toolset),
    ];
}

/// A known limit of a client.
#[derive(Clone, Debug)]
pub struct ClientLimit {
    pub client: String,
    pub client_names: Vec<String>,
    pub limit: Limit,
    pub value: u64,
    pub effect: String,
    pub source: String,
    pub date: String,
}

/// What a client limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    InstructionsMaxBytes,
    IntegerPriority,
    NoResourceLinks,
}

impl Limit {
    /// Every limit with its name in the schema.
    pub const ALL: [(&'static str, Self); 3] = [
        ("instructions_max_bytes", Self::InstructionsMaxBytes),
        ("integer_priority", Self::IntegerPriority),
        ("no_resource_links", Self::NoResourceLinks),
    ];
}

/// A limit that a tool list has to keep, whoever reads it.
#[derive(Clone, Debug)]
pub struct SurfaceLimit {
    /// Id of the rule that finds what exceeds it.
    pub rule: String,
    pub client: String,
    /// The number, if the limit is one.
    pub value: Option<u64>,
    pub effect: String,
    pub source: String,
    pub date: String,
}

/// A resource or a resource template.
#[derive(Clone, Debug)]
pub struct Resource {
    pub address: Address,
    pub name: String,
    pub title: String,
    pub description: String,
    pub mime_type: String,
    /// Name of the shape that reading it returns.
    pub shape: String,
}

/// Where a resource is.
#[derive(Clone, Debug)]
pub enum Address {
    Uri(String),
    Template(String),
}

/// A route of plain HTTP.
#[derive(Clone, Debug)]
pub struct Route {
    pub name: String,
    pub method: Method,
    /// `{tool}` in it stands for the name of any tool.
    pub path: String,
    pub title: String,
    pub description: String,
    pub auth: Auth,
    pub request: Option<Body>,
    pub response: Body,
    /// Besides those of the tool.
    pub errors: Vec<ToolError>,
}

/// How a route is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

impl Method {
    /// Every method with its name in HTTP.
    pub const ALL: [(&'static str, Self); 2] = [("GET", Self::Get), ("POST", Self::Post)];
}

/// Who may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    None,
    Bearer,
}

impl Auth {
    /// Every sort with its name in the schema.
    pub const ALL: [(&'static str, Self); 2] = [("none", Self::None), ("bearer", Self::Bearer)];
}

/// What a request or an answer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// The input or the output of the tool in the path.
    OfTool,
    /// A shared shape, by name.
    Shape(String),
}

/// One tool.
#[derive(Clone, Debug)]
pub struct Tool {
    pub name: String,
    pub title: String,
    pub description: String,
    pub toolset: Toolset,
    pub since: String,
    pub access: Access,
    pub annotations: Annotations,
    pub input: Schema,
    pub output: Schema,
    pub errors: Vec<ToolError>,
    pub examples: Vec<Example>,
    pub deprecated: Option<Deprecation>,
}

/// Which set a tool is offered in; `full` holds `core`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Toolset {
    Core,
    Full,
}

impl Toolset {
    /// Every toolset with its name in the schema.
    pub const ALL: [(&'static str, Self); 2] = [("core", Self::Core), ("full", Self::Full)];
}

/// What a handler may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Append,
    Write,
}

impl Access {
    /// Every access with its name in the schema.
    pub const ALL: [(&'static str, Self); 3] = [
        ("read", Self::Read),
        ("append", Self::Append),
        ("write", Self::Write),
    ];
}

/// MCP tool annotations; an absent hint is a finding, not a default.
#[derive(Clone, Debug)]
pub struct Annotations {
    pub title: Option<String>,
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

/// An error that a tool may answer with.
#[derive(Clone, Debug)]
pub struct ToolError {
    pub code: String,
    pub prefix: Option<String>,
    pub when: String,
}

/// A call with its answer; a test vector in every language.
#[derive(Clone, Debug)]
pub struct Example {
    pub name: String,
    /// What no call can bring about, such as a store that is held.
    pub scene: Option<String>,
    pub given: Vec<Step>,
    pub input: Value,
    pub verdict: Verdict,
}

impl Example {
    /// Whether the call succeeds.
    pub fn is_valid(&self) -> bool {
        matches!(self.verdict, Verdict::Answer { .. })
    }
}

/// A call that has to be made before an example.
#[derive(Clone, Debug)]
pub struct Step {
    pub tool: String,
    pub input: Value,
    /// Name → JSON pointer into the answer, for later `${name}`.
    pub keep: Vec<(String, String)>,
}

/// How an example ends.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// A sample answer, and what any live answer must hold by pointer.
    Answer {
        output: Value,
        expect: Vec<(String, Value)>,
    },
    Refusal {
        code: String,
        prefix: Option<String>,
        refused_by: RefusedBy,
    },
}

/// Who refuses an invalid example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedBy {
    Schema,
    Handler,
}

/// A schema of the dialect.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    pub description: Option<String>,
    pub nullable: bool,
    pub default: Option<Value>,
    pub deprecated: Option<Deprecation>,
    pub form: Form,
}

/// Announces that something will go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// Version that announced it.
    pub since: String,
    /// What to use instead.
    pub replacement: String,
    /// Version that may remove it, always a later major.
    pub removal: String,
    pub reason: String,
}

impl Deprecation {
    /// Returns what a person is told.
    pub fn note(&self) -> String {
        format!(
            "use {}; gone in {}: {}",
            self.replacement,
            self.removal,
            self.reason.trim_end_matches('.')
        )
    }
}

/// The forms of the dialect; nothing else exists.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    Object {
        properties: Vec<Property>,
        closed: bool,
    },
    Array {
        items: Box<Schema>,
        min_items: Option<u64>,
        max_items: Option<u64>,
        unique: bool,
    },
    String {
        min_length: Option<u64>,
        max_length: Option<u64>,
        /// Bound in bytes of UTF-8, enforced by the door beside the schema.
        max_bytes: Option<u64>,
        pattern: Option<String>,
        format: Option<Format>,
    },
    Enum {
        members: Vec<String>,
        /// A minor version may add members.
        open: bool,
    },
    Integer {
        minimum: Option<i64>,
        maximum: Option<i64>,
    },
    Number {
        minimum: Option<f64>,
        maximum: Option<f64>,
    },
    Boolean,
    /// A shared shape, by name.
    Shape(String),
    /// A union told apart by a one-member enum in the named property.
    Tagged {
        tag: String,
        variants: Vec<Schema>,
    },
}

/// A property of an object, in source order.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    pub name: String,
    pub required: bool,
    /// Its place among the required ones: a frozen contract keeps the order of
    /// lists, and not that of keys.
    pub rank: usize,
    pub schema: Schema,
}

/// String formats of the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    DateTime,
    Date,
    Uuid,
}

impl Format {
    /// Every format with its name in JSON Schema.
    pub const ALL: [(&'static str, Self); 3] = [
        ("date-time", Self::DateTime),
        ("date", Self::Date),
        ("uuid", Self::Uuid),
    ];
}

/// Returns the name of a value in one of the `ALL` tables.
pub fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table
        .iter()
        .find(|(_, member)| member == value)
        .map_or("", |(name, _)| name)
}

/// Returns the value of a name in one of the `ALL` tables.
pub fn find_named<T: Copy>(table: &[(&'static str, T)], name: &str) -> Option<T> {
    table
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| *value)
}

/// Returns the Rust type name of a schema name: `open_loop` → `OpenLoop`.
pub fn type_name(name: &str) -> String {
    name.split(['_', '-'])
        .map(|part| {
            let mut letters = part.chars();
            letters.next().map_or_else(String::new, |first| {
                first.to_ascii_uppercase().to_string() + letters.as_str()
            })
        })
        .collect()
}
