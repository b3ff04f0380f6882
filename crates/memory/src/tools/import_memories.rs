//! `import_memories`: stores what another tool kept, each item on its own.

use contract::Prefix;
use contract::types::{
    ImportMemoriesInput, ImportMemoriesInputItemsItem as Item, ImportMemoriesInputTarget as Target,
    ImportMemoriesOutput, ImportMemoriesOutputFailedItem as Failed,
    ImportMemoriesOutputFailedItemError as Why, ImportMemoriesOutputImportedItem as Imported,
    ImportMemoriesOutputSkippedItem as Skipped, Kind, ScopeSource,
};
use store::{Append, Metric, NewMemory, Provenance, ScopeRow};

use crate::clock::{self, DAY_MS};
use crate::error::Error;
use crate::threads::{Selectors, stand_for_write};
use crate::{Call, Keeper, digest, guard, hints, scopes, text, usage, wire, write_path};

/// Characters of why an item failed: 200 of them fit into one answer, and
/// every reason fits into them.
const MESSAGE: usize = 132;

pub(crate) fn import_memories(
    memory: &Keeper,
    call: &Call,
    view: &mut Append<'_>,
    input: ImportMemoriesInput,
) -> Result<ImportMemoriesOutput, contract::Error> {
    Ok(import(memory, call, view, &input)?)
}

/// An item that may be stored.
struct Draft<'a> {
    kind: Kind,
    content: &'a str,
    created_at: i64,
    provenance: Provenance,
}

fn import(
    memory: &Keeper,
    call: &Call,
    view: &mut Append<'_>,
    input: &ImportMemoriesInput,
) -> Result<ImportMemoriesOutput, Error> {
    let now = memory.now();
    let (scope, source) = target(memory, call, view, input)?;
    let mut output = ImportMemoriesOutput {
        scope: scope.path.clone(),
        imported: Vec::new(),
        skipped: Vec::new(),
        failed: Vec::new(),
    };
    let mut n_loops = 0;
    for (index, item) in (0..).zip(&input.items) {
        let draft = match admit(call, &scope, source, item, now) {
            Ok(draft) => draft,
            Err(error) => {
                output.failed.push(Failed { index, error: why(error) });
                continue;
            }
        };
        let text_key = digest::sha256(&[&text::key(draft.content)]);
        let source_hash = draft.provenance.source_hash.as_deref();
        if let Some(row) = view.find_imported(scope.key, source_hash, &text_key)? {
            let same_source = source_hash.is_some() && row.provenance.source_hash.as_deref() == source_hash;
            let why = match (row.is_live() && row.closed_at.is_none(), same_source) {
                (false, _) => "retired",
                (true, true) => "same_source",
                (true, false) => "same_text",
            };
            output.skipped.push(Skipped { index, memory_id: row.id, why: why.to_owned() });
            continue;
        }
        let (seq, memory_id) = view.add_memory(&NewMemory {
            scope: &scope,
            visibility: scope.default_visibility,
            kind: &draft.kind.to_string(),
            content: draft.content,
            tokens: None,
            text_key: &text_key,
            author_kind: "import",
            agent: call.client.as_ref().map(|client| client.name.as_str()),
            provenance: &draft.provenance,
            created_at: draft.created_at,
            stored_at: now,
        })?;
        write_path::anchor_to_known(view, seq, &scope, draft.content, now)?;
        n_loops += usage::loops(draft.kind).1;
        output.imported.push(Imported { index, memory_id });
    }
    let n_imported = i64::try_from(output.imported.len()).unwrap_or(i64::MAX);
    let counts = vec![(Metric::Imported, n_imported), (Metric::LoopsOpened, n_loops)];
    usage::count_write(memory, view, counts)?;
    Ok(output)
}

/// Returns why one item was refused. The others may be stored, and all that
/// is said of a credential is where and what it is.
fn why(error: Error) -> Why {
    let error = match error {
        Error::Secret { field, format, .. } => contract::Error::prefixed(
            Prefix::SecretContentRejected,
            format!("{field} holds what looks like a credential ({format}). Say where it is kept instead."),
        ),
        error => error.into(),
    };
    Why {
        code: error.code.as_str().to_owned(),
        message: wire::beginning(&error.message, MESSAGE),
    }
}

/// Returns where all items go.
fn target(
    memory: &Keeper,
    call: &Call,
    view: &mut Append<'_>,
    input: &ImportMemoriesInput,
) -> Result<(ScopeRow, ScopeSource), Error> {
    let own = match input.target {
        Target::Personal => Some(scopes::personal(view)?),
        Target::Core => Some(scopes::core(view)?),
        Target::Project => None,
    };
    if let Some(scope) = own {
        if input.project_hint.is_some() {
            return Err(Error::Argument {
                pointer: "/project_hint".to_owned(),
                rule: "project_hint",
                message: "it goes with target project only; leave it out, or change target".to_owned(),
            });
        }
        return Ok((scope, ScopeSource::Explicit));
    }
    if let Some(hint) = &input.project_hint {
        guard::name("project_hint", &hints::kept(hint))?;
    }
    let selectors = Selectors { hint: input.project_hint.as_deref(), ..Selectors::default() };
    let stand = stand_for_write(memory, call, view, selectors, true)?;
    let (Some(scope), Some(source)) = (stand.project, stand.source) else {
        return Err(Error::NoTarget { way: "or target \"personal\" or \"core\"" });
    };
    if !scope.role.may_write() {
        return Err(Error::ScopeReadOnly(scope.path));
    }
    Ok((scope, source))
}

/// Passes one item through everything that can refuse it.
fn admit<'a>(
    call: &Call,
    scope: &ScopeRow,
    source: ScopeSource,
    item: &'a Item,
    now: i64,
) -> Result<Draft<'a>, Error> {
    let text = |field: &str, text: Option<&str>| -> Result<Option<String>, Error> {
        Ok(guard::admit_optional(field, text)?.map(str::to_owned))
    };
    let kind = item.kind.unwrap_or(Kind::Fact);
    if let Some((scope, admits)) = scopes::misfit(scope.kind, kind) {
        let way = "target project for it";
        return Err(Error::KindMisfit { kind: kind.to_string(), scope, admits, way });
    }
    let created_at = match &item.created_at {
        None => now,
        Some(moment) => clock::parse("/created_at", moment)?,
    };
    // Clocks of two machines differ, and some write local time as if it were
    // UTC; beyond that a moment is a mistake.
    if created_at > now.saturating_add(DAY_MS) {
        return Err(Error::Argument {
            pointer: "/created_at".to_owned(),
            rule: "created_at",
            message: "it lies in the future".to_owned(),
        });
    }
    Ok(Draft {
        kind,
        content: guard::admit("content", &item.content)?,
        created_at: created_at.min(now),
        provenance: Provenance {
            verbatim: text("verbatim", item.verbatim.as_deref())?,
            thread: None,
            client: call.program(),
            source_tool: text("source_tool", item.source_tool.as_deref())?,
            source_path: text("source_path", item.source_path.as_deref())?,
            source_hash: item.source_hash.as_deref().map(str::to_ascii_lowercase),
            scope_source: source.to_string(),
        },
    })
}
