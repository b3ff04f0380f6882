//! `promote_rule`: makes a standing rule of a memory.

use contract::tools::PROMOTE_RULE_PINNED_DEFAULT;
use contract::types::{PromoteRuleInput, PromoteRuleOutput, RuleLayer};
use store::{Append, MemoryRow, NewRule, ScopeKind, ScopeRow, Visibility};

use crate::error::Error;
use crate::scopes::{self, Named};
use crate::{Call, Keeper, guard, owned};

/// Bytes of a rule: it is read at the start of every session.
const RULE_BYTES: usize = 2_000;

pub(crate) fn promote_rule(
    memory: &Keeper,
    _call: &Call,
    view: &mut Append<'_>,
    input: PromoteRuleInput,
) -> Result<PromoteRuleOutput, contract::Error> {
    Ok(promote(memory, view, &input)?)
}

fn promote(
    memory: &Keeper,
    view: &mut Append<'_>,
    input: &PromoteRuleInput,
) -> Result<PromoteRuleOutput, Error> {
    let row = owned::get_served(view, &input.memory_id)?;
    let text = guard::admit("rule_text", input.rule_text.as_ref().unwrap_or(&row.content))?;
    if text.len() > RULE_BYTES {
        return Err(Error::Argument {
            pointer: "/rule_text".to_owned(),
            rule: "x-max-bytes",
            message: format!(
                "the memory has {} bytes and a rule at most {RULE_BYTES}; pass rule_text",
                text.len()
            ),
        });
    }
    let scope = scope(view, input.scope.as_deref(), &row)?;
    let visibility = visibility(&scope, &row);
    let pinned = input.pinned.unwrap_or(PROMOTE_RULE_PINNED_DEFAULT);
    let promoted = view.promote(&NewRule {
        scope: &scope,
        visibility,
        text,
        pinned,
        memory: Some(row.seq),
        at: memory.now(),
    })?;
    let (layer, delivery_note) = match (scope.kind.has_members(), visibility) {
        (false, _) => (
            RuleLayer::Personal,
            "Holds everywhere for you alone. Agents get it with every briefing of build_context, the next one of running sessions included; when they connect, only where the server has the memory open already. zm://rules lists it.".to_owned(),
        ),
        (true, Visibility::Shared) => (
            RuleLayer::Project,
            format!("Holds in {} for you and its members. Agents get it with every briefing of build_context there, not when they connect. zm://rules lists it.", scope.path),
        ),
        (true, Visibility::Private) => (
            RuleLayer::Project,
            format!("Holds in {} for you alone. Agents get it with every briefing of build_context there, not when they connect. zm://rules lists it.", scope.path),
        ),
    };
    Ok(PromoteRuleOutput {
        memory_id: row.id,
        rule_text: text.to_owned(),
        layer,
        scope: scope.path,
        promoted,
        delivery_note,
    })
}

/// Returns the scope that the rule holds in: the one that is named, else the
/// one of the memory. What a person knows everywhere is a rule everywhere.
fn scope(
    view: &Append<'_>,
    named: Option<&str>,
    row: &MemoryRow,
) -> Result<ScopeRow, Error> {
    let found = match named {
        Some(scope) => match scopes::named(view, guard::visible("scope", scope)?)? {
            Named::Everything => {
                return Err(Error::Argument {
                    pointer: "/scope".to_owned(),
                    rule: "scope",
                    message: "* is for reading; \"personal\" makes a rule that holds everywhere"
                        .to_owned(),
                });
            }
            Named::Unknown(path) => return Err(Error::ScopeHidden(path)),
            Named::One(scope) => scope,
        },
        None => view
            .find_scope_by_key(row.scope)?
            .ok_or_else(|| Error::ScopeHidden(row.scope_path.clone()))?,
    };
    if !found.role.may_write() {
        return Err(Error::ScopeReadOnly(found.path));
    }
    match found.kind {
        ScopeKind::Personal | ScopeKind::Core => scopes::personal(view),
        ScopeKind::Project | ScopeKind::Team => Ok(found),
    }
}

/// Returns who the rule holds for: the members where new memories are shared,
/// or where its memory is.
fn visibility(scope: &ScopeRow, row: &MemoryRow) -> Visibility {
    if scope.key == row.scope && row.visibility == Visibility::Shared {
        Visibility::Shared
    } else {
        scope.default_visibility
    }
}
