//! The records of a dump: one struct per sort of row. In JSON, what is absent
//! is left out, and a field that is not known is an error: dropping it in
//! silence would lose what somebody kept.

use serde::{Deserialize, Serialize};

/// One row. In JSON its `type` says of which sort.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Record {
    /// Somebody.
    Account(AccountRecord),
    /// What was erased for ever.
    Erasure(ErasureRecord),
    /// Where memories live.
    Scope(ScopeRecord),
    /// Who else is in a scope.
    Member(MemberRecord),
    /// What a hint leads to.
    Binding(BindingRecord),
    /// A named thing.
    Entity(EntityRecord),
    /// A memory.
    Memory(Box<MemoryRecord>),
    /// A step in the life of a memory.
    History(HistoryRecord),
    /// A link between two memories.
    Link(LinkRecord),
    /// What a memory is anchored to.
    Anchor(AnchorRecord),
    /// A relation between two entities.
    Edge(EdgeRecord),
    /// A standing rule.
    Rule(RuleRecord),
    /// A doubt about memories.
    Dispute(DisputeRecord),
}

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountRecord {
    /// Its id.
    pub id: String,
    /// Stands in the paths of its scopes.
    pub handle: String,
    /// Milliseconds since the epoch, as every time here.
    pub created_at: i64,
    /// When it was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased_at: Option<i64>,
}

/// An entry of the ledger of erasures. Nothing of what was erased is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasureRecord {
    /// Whether it was a memory or an account.
    pub what: String,
    /// Its id.
    pub id: String,
    /// When.
    pub at: i64,
    /// Id of the account that asked for it.
    pub by: String,
}

/// A scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeRecord {
    /// Its name.
    pub path: String,
    /// What sort it is.
    pub kind: String,
    /// Id of the account that made it.
    pub owner: String,
    /// What a new memory in it becomes.
    pub default_visibility: String,
    /// When it was made.
    pub created_at: i64,
    /// Normalised names by which it may be called.
    pub names: Vec<String>,
}

/// A membership.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberRecord {
    /// Path of the scope.
    pub scope: String,
    /// Id of the account.
    pub account: String,
    /// What the account may do there.
    pub role: String,
    /// Since when.
    pub added_at: i64,
}

/// A hint and where it leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BindingRecord {
    /// Id of the account whose hint it is.
    pub owner: String,
    /// What sort of hint.
    pub kind: String,
    /// The hint, normalised.
    pub key: String,
    /// Path of the scope.
    pub scope: String,
    /// Since when.
    pub bound_at: i64,
}

/// A named thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityRecord {
    /// Its id.
    pub id: String,
    /// Path of its scope.
    pub scope: String,
    /// Its name.
    pub name: String,
    /// The normalised name.
    pub name_key: String,
    /// When it was named first.
    pub created_at: i64,
    /// Id of the account that named it.
    pub created_by: String,
}

/// A memory, live or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRecord {
    /// Its id.
    pub id: String,
    /// Path of its scope.
    pub scope: String,
    /// Id of the account that owns it.
    pub owner: String,
    /// Who reads it.
    pub visibility: String,
    /// What sort of statement it is.
    pub kind: String,
    /// When it was first written down.
    pub created_at: i64,
    /// Who wrote it: a person, an agent, an import.
    pub author_kind: String,
    /// Name of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// How its scope was chosen.
    pub scope_source: String,
    /// Thread it was written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Client program and version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Program it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_tool: Option<String>,
    /// Where that program kept it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_path: Option<String>,
    /// Hash of the raw item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_hash: Option<String>,
    /// The phrase it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verbatim: Option<String>,
    /// When it left default reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<i64>,
    /// Id of the account that retired it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_by: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_reason: Option<String>,
    /// Id of its successor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// When the open loop ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<i64>,
    /// Id of the account that closed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<String>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// What the program that it came from said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginRecord>,
    /// The text.
    pub content: String,
}

/// What another program said of a memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OriginRecord {
    /// First byte of the raw item in its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte: Option<i64>,
    /// The byte after its last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_byte: Option<i64>,
    /// When it was last changed there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<i64>,
    /// When it ends there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// What names the item there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Who wrote it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// A JSON object with whatever else stood there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// A step in the life of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryRecord {
    /// Id of the memory.
    pub memory: String,
    /// What happened.
    pub event: String,
    /// When.
    pub at: i64,
    /// Id of the account that did it.
    pub by: String,
    /// Id of the other memory in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// Path of the scope that it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Path of the scope that it came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A link between two memories.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkRecord {
    /// Id of the memory that it leads from.
    pub src: String,
    /// Id of the memory that it leads to.
    pub dst: String,
    /// What it says.
    pub link: String,
    /// When it was made.
    pub created_at: i64,
    /// Id of the account that made it.
    pub created_by: String,
}

/// What a memory is anchored to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnchorRecord {
    /// Id of the memory.
    pub memory: String,
    /// Id of the entity.
    pub entity: String,
    /// When it was anchored.
    pub created_at: i64,
    /// Id of the account that did it.
    pub created_by: String,
}

/// A relation between two entities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeRecord {
    /// Its id.
    pub id: String,
    /// Id of the entity that it starts from.
    pub src: String,
    /// Id of the entity that it points to.
    pub dst: String,
    /// What it says.
    pub relation: String,
    /// When it was made.
    pub created_at: i64,
    /// Id of the account that made it.
    pub created_by: String,
}

/// A standing rule, in force or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleRecord {
    /// Its id.
    pub id: String,
    /// Id of the account that made it.
    pub owner: String,
    /// Path of the scope that it holds in.
    pub scope: String,
    /// Whether it holds for the members of the scope.
    pub visibility: String,
    /// `personal` or `project`.
    pub layer: String,
    /// Whether it comes first.
    pub pinned: bool,
    /// Id of the memory that it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// When it was made.
    pub created_at: i64,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<i64>,
    /// Id of the rule that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
    /// The rule.
    pub text: String,
}

/// A doubt about memories.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisputeRecord {
    /// Its id.
    pub id: String,
    /// Why it was raised.
    pub cause: String,
    /// Id of the memory that is challenged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Whether it waits for a decision.
    pub status: String,
    /// When it was raised.
    pub created_at: i64,
    /// Id of the account that raised it.
    pub created_by: String,
    /// When it was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<i64>,
    /// Id of the account that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_by: Option<String>,
    /// What was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// Why it was raised, in words.
    pub reason: String,
    /// What was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The memories that it is about.
    pub sides: Vec<SideRecord>,
}

/// One memory of a dispute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideRecord {
    /// Id of the memory.
    pub memory: String,
    /// Whether the decision took it out of default reads.
    pub retired: bool,
}
