//! The path of a new memory: guard, target, kind, duplicate, rows, neighbours.
//!
//! Everything that can refuse a call comes before the first row of the memory
//! is written; and all of it is one transaction, so a refusal leaves nothing.
//!
//! While it runs every other write waits. So what needs no certainty is found
//! out before, beside the writes of others ([`foresee`]), and only what changed
//! since is looked at again. A call that was not foreseen does it all at once.

mod draft;
mod similar;
mod words;

use contract::types::{Anchor, Kind, RememberInput, RememberOutput, ScopeSource};
use store::{Append, MemoryRow, Metric, NewMemory, Provenance, Read, ScopeRow};

use crate::error::Error;
use crate::guard;
use crate::hints;
use crate::scopes::{self, Named};
use crate::threads::{self, Selectors, Stand};
use crate::{Call, Keeper, Memory, text, usage, wire};

use draft::Draft;
pub(crate) use draft::name_key;
use similar::Look;
pub(crate) use words::RecentWords;

/// Bytes beyond which a text is probably several statements.
const LONG_BYTES: usize = 2_000;

/// Entities that a text is anchored to by the words in it.
const FOUND_ANCHORS: usize = 16;
/// Characters of a text in which known names are looked for. The search takes
/// their number times that of the names, while every other write waits.
const SEARCHED_CHARACTERS: usize = 8_000;
/// Anchors that an answer lists: as many as two calls can name.
const SHOWN_ANCHORS: usize = 32;

const SUPERSEDES: &str = "supersedes";

/// What a call found out before it got a view that writes.
pub(crate) struct Foreseen {
    draft: Draft,
    /// Nothing where it is not known yet which scope it goes to.
    look: Option<Look>,
}

/// Where a memory goes.
struct Target {
    scope: ScopeRow,
    source: ScopeSource,
    routed: bool,
    note: Option<String>,
}

/// A link to make, with its far end.
struct Link {
    kind: String,
    target: MemoryRow,
}

/// Finds out beside the writes of others what a call will need. Nothing comes
/// of one that will be refused: it is told so in its turn.
pub(crate) fn foresee(memory: &Memory, call: &Call, input: &RememberInput) -> Option<Foreseen> {
    let draft = Draft::admit(input).ok()?;
    let look = memory.look_ahead(call, |view| {
        match likely_scope(memory, call, view, input)? {
            Some(scope) => Look::take(memory, view, &scope, &draft).map(Some),
            None => Ok(None),
        }
    });
    Some(Foreseen {
        draft,
        look: look.ok().flatten(),
    })
}

/// Returns where the memory will go, as far as can be seen without a change.
fn likely_scope(
    memory: &Keeper,
    call: &Call,
    view: &Read<'_>,
    input: &RememberInput,
) -> Result<Option<ScopeRow>, Error> {
    if let Some(scope) = &input.scope {
        return Ok(match scopes::named(view, scope)? {
            Named::One(scope) => Some(scope),
            Named::Everything | Named::Unknown(_) => None,
        });
    }
    threads::likely_project(memory, call, view, selectors(input))
}

fn selectors(input: &RememberInput) -> Selectors<'_> {
    Selectors {
        hint: input.project_hint.as_deref(),
        thread: input.thread.as_deref(),
        conversation: None,
    }
}

/// Stores one memory.
pub(crate) fn remember(
    memory: &Keeper,
    call: &Call,
    view: &mut Append<'_>,
    input: &RememberInput,
) -> Result<RememberOutput, Error> {
    let now = memory.now();
    let (draft, look) = match memory.take_foreseen() {
        Some(foreseen) => (foreseen.draft, foreseen.look),
        None => (Draft::admit(input)?, None),
    };
    let (target, stand) = target(memory, call, view, input, draft.kind)?;
    let links = far_ends(view, &draft)?;
    let same = view
        .find_same_text(target.scope.key, &draft.text_key)?
        .filter(|row| {
            !links
                .iter()
                .any(|link| link.kind == SUPERSEDES && link.target.id == row.id)
        });
    judge(&links, same.as_ref())?;
    let look = match look.filter(|look| look.is_of(&target.scope)) {
        Some(look) => look.catch_up(memory, view, &target.scope, &draft)?,
        None => Look::take(memory, view, &target.scope, &draft)?,
    };
    let gone = |id: &str| {
        same.as_ref().is_some_and(|row| row.id == id)
            || links
                .iter()
                .any(|link| link.kind == SUPERSEDES && link.target.id == id)
    };
    let similar = look.answer(view, gone, now)?;

    let (seq, memory_id) = match &same {
        Some(row) => (row.seq, row.id.clone()),
        None => {
            let provenance = Provenance {
                verbatim: draft.verbatim.clone(),
                thread: stand.thread().map(str::to_owned),
                client: call.program(),
                scope_source: target.source.to_string(),
                ..Provenance::default()
            };
            let added = view.add_memory(&NewMemory {
                scope: &target.scope,
                visibility: target.scope.default_visibility,
                kind: &draft.kind.to_string(),
                content: &draft.content,
                tokens: Some(&draft.tokens),
                text_key: &draft.text_key,
                author_kind: if call.client.is_some() {
                    "agent"
                } else {
                    "human"
                },
                agent: call.client.as_ref().map(|client| client.name.as_str()),
                provenance: &provenance,
                created_at: now,
                stored_at: now,
            })?;
            memory.recent_words().note(added.0, draft.words.clone());
            added
        }
    };
    let ended = ended_rule(view, &links)?;
    let superseded = tie(view, seq, &memory_id, &links, now)?;
    anchor(view, seq, &target.scope, &draft, same.is_none(), now)?;
    let counts = match &same {
        Some(_) => vec![(Metric::AlreadyKnew, 1)],
        None => vec![(Metric::Remembered, 1), usage::loops(draft.kind)],
    };
    usage::count_write(memory, view, counts)?;
    let anchors = view.anchors_of(&[seq])?;
    let anchors: Vec<Anchor> = anchors
        .iter()
        .take(SHOWN_ANCHORS)
        .map(wire::anchor)
        .collect();
    Ok(RememberOutput {
        anchor_hint: (draft.kind == Kind::Decision && anchors.is_empty()).then(|| {
            "This decision is anchored to nothing. Name what it is about in entities (a service, a file, a tool, a person), so that it is found with it.".to_owned()
        }),
        length_directive: (draft.content.len() > LONG_BYTES).then(|| {
            format!("This text has {} bytes and may hold several statements. One statement per memory is found and corrected more easily.", draft.content.len())
        }),
        memory_id,
        routed_to_project: target.routed.then(|| target.scope.path.clone()),
        scope: target.scope.path,
        deduplicated: same.is_some(),
        superseded,
        similar_existing: similar,
        anchors,
        hint: ended.map_or(target.note, |rule| {
            Some(format!("The standing rule \"{}\" rested on what this supersedes and holds no longer. promote_rule this memory if the person wants it to.", wire::short(&rule)))
        }),
        session: Some(stand.answer()),
    })
}

/// Decides where the memory goes.
fn target(
    memory: &Keeper,
    call: &Call,
    view: &mut Append<'_>,
    input: &RememberInput,
    kind: Kind,
) -> Result<(Target, Stand), Error> {
    let named = match &input.scope {
        Some(scope) => Some(scopes::named(view, guard::visible("scope", scope)?)?),
        None => None,
    };
    let misfit = match &named {
        Some(Named::One(scope)) => scopes::misfit(scope.kind, kind),
        Some(Named::Everything | Named::Unknown(_)) | None => None,
    };
    if matches!(named, Some(Named::Everything)) {
        return Err(Error::Argument {
            pointer: "/scope".to_owned(),
            rule: "scope",
            message: "* is for reading; a memory goes to one scope".to_owned(),
        });
    }
    if let Some(hint) = &input.project_hint {
        // Of a remote, only what is kept is judged: a password in a URL is
        // dropped, not stored.
        guard::name("project_hint", &hints::kept(hint))?;
    }
    if let Some(Named::Unknown(path)) = &named {
        guard::name("scope", path)?;
    }
    let makes = named.is_none() || misfit.is_some();
    let mut stand = threads::stand_for_write(memory, call, view, selectors(input), makes)?;
    let mut target = match (named, misfit) {
        (Some(Named::One(scope)), None) => Target {
            scope,
            source: ScopeSource::Explicit,
            routed: false,
            note: None,
        },
        (Some(Named::Unknown(path)), _) => match scopes::create_named(view, &path, memory.now())? {
            Some(scope) => Target {
                note: Some(format!("Created project {}.", scope.path)),
                scope,
                source: ScopeSource::Explicit,
                routed: false,
            },
            None => return Err(Error::ScopeHidden(path)),
        },
        (Some(Named::One(_)), Some((scope, admits))) => match stand.project.clone() {
            Some(project) => Target {
                scope: project,
                source: ScopeSource::Routed,
                routed: true,
                note: None,
            },
            None => {
                return Err(Error::KindMisfit {
                    kind: kind.to_string(),
                    scope,
                    admits,
                    way: "project_hint too, so that it can go to the project",
                });
            }
        },
        (Some(Named::Everything) | None, _) => match (stand.project.clone(), stand.source) {
            (Some(scope), Some(source)) => Target {
                scope,
                source,
                routed: false,
                note: None,
            },
            _ => {
                return Err(Error::NoTarget {
                    way: "a thread from an earlier answer, or scope \"personal\" (about the person), \"core\" (true in every project) or a full path",
                });
            }
        },
    };
    if !target.scope.role.may_write() {
        return Err(Error::ScopeReadOnly(target.scope.path));
    }
    if target.note.is_none() {
        target.note = stand.note.take();
    }
    Ok((target, stand))
}

/// Looks the far ends of all links up.
fn far_ends(view: &Read<'_>, draft: &Draft) -> Result<Vec<Link>, Error> {
    let mut links = Vec::new();
    for (kind, id) in &draft.links {
        let Some(target) = view.find_memory(id)? else {
            return Err(Error::Hidden {
                what: "memory",
                id: id.clone(),
            });
        };
        links.push(Link {
            kind: kind.clone(),
            target,
        });
    }
    Ok(links)
}

/// Refuses links that cannot be made. `same` is the memory that stands for
/// this text already, if there is one: what it superseded before is done.
fn judge(links: &[Link], same: Option<&MemoryRow>) -> Result<(), Error> {
    for link in links {
        if same.is_some_and(|row| row.id == link.target.id) {
            return Err(Error::Argument {
                pointer: "/links".to_owned(),
                rule: "target",
                message: format!(
                    "{} holds this very text and cannot be linked to itself",
                    link.target.id
                ),
            });
        }
        if link.kind == SUPERSEDES
            && !is_done(link, same.map(|row| row.id.as_str()))
            && !link.target.may_retire()
        {
            return Err(Error::NotYours(link.target.id.clone()));
        }
        if !link.target.is_live() && !is_done(link, same.map(|row| row.id.as_str())) {
            return Err(Error::Retired(link.target.id.clone()));
        }
    }
    Ok(())
}

/// Returns whether the memory with this id superseded the far end before: the
/// call was sent twice.
fn is_done(link: &Link, id: Option<&str>) -> bool {
    id.is_some() && link.target.superseded_by.as_deref() == id
}

/// Returns the caller's standing rule that the call ends: it rests on a memory
/// that is superseded.
fn ended_rule(view: &Read<'_>, links: &[Link]) -> Result<Option<String>, Error> {
    for link in links {
        if link.kind == SUPERSEDES
            && link.target.is_live()
            && let Some(rule) = view.rule_of(link.target.seq)?
        {
            return Ok(Some(rule));
        }
    }
    Ok(None)
}

/// Makes the links; returns the ids of what the memory supersedes.
fn tie(
    view: &mut Append<'_>,
    seq: i64,
    id: &str,
    links: &[Link],
    now: i64,
) -> Result<Vec<String>, Error> {
    let mut superseded = Vec::new();
    for link in links {
        if link.kind == SUPERSEDES {
            if !is_done(link, Some(id)) {
                view.supersede(&link.target, seq, now)?;
            }
            superseded.push(link.target.id.clone());
        } else if link.target.is_live() {
            view.add_link(seq, link.target.seq, &link.kind, now)?;
        }
    }
    Ok(superseded)
}

/// Anchors the memory to the entities named, or else, while it is new, to
/// known ones whose names stand in the text.
fn anchor(
    view: &mut Append<'_>,
    seq: i64,
    scope: &ScopeRow,
    draft: &Draft,
    is_new: bool,
    now: i64,
) -> Result<(), Error> {
    for named in &draft.entities {
        let entity = view.get_or_add_entity(scope.key, &named.name, &named.key, now)?;
        view.add_anchor(seq, entity.key, now)?;
    }
    if !draft.entities.is_empty() || !is_new {
        return Ok(());
    }
    anchor_to_known(view, seq, scope, &draft.content, now)
}

/// Anchors a memory to known entities whose names stand in its text.
pub(crate) fn anchor_to_known(
    view: &mut Append<'_>,
    seq: i64,
    scope: &ScopeRow,
    content: &str,
    now: i64,
) -> Result<(), Error> {
    // Names are looked for where a text says what it is about.
    let beginning: String = content.chars().take(SEARCHED_CHARACTERS).collect();
    let text = name_key(&beginning);
    let known = view.entities_within(scope.key, &text)?;
    let standing = known
        .iter()
        .filter(|entity| text::contains_word(&text, &entity.name_key))
        .take(FOUND_ANCHORS);
    for entity in standing {
        view.add_anchor(seq, entity.key, now)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
