//! Where a call stands: the project that it pins, its thread, its session.

use std::sync::Arc;

use contract::types::{ScopeSource, Session as SessionAnswer};
use store::{Append, Caller, Read, ScopeKey, ScopeRow};

use crate::call::{Call, Session};
use crate::clock::{HOUR_MS, MINUTE_MS};
use crate::error::Error;
use crate::open::Bookkeeping;
use crate::scopes::{self, Followed, Lead};
use crate::{Keeper, ids};

/// How long a thread lives after its last use.
const LIFE_MS: i64 = 24 * HOUR_MS;

/// How old the note of the last use may get, so that not every call writes.
const TOUCH_MS: i64 = 10 * MINUTE_MS;

/// What a call says about where it stands.
#[derive(Clone, Copy, Default)]
pub(crate) struct Selectors<'a> {
    pub(crate) hint: Option<&'a str>,
    pub(crate) thread: Option<&'a str>,
    pub(crate) conversation: Option<&'a str>,
}

/// Where a call stands.
pub(crate) struct Stand {
    /// The project that it pins.
    pub(crate) project: Option<ScopeRow>,
    /// What pinned it.
    pub(crate) source: Option<ScopeSource>,
    /// Something to tell about the project.
    pub(crate) note: Option<String>,
    attached: Option<String>,
    thread: Option<String>,
}

impl Stand {
    /// Returns what the answer says about it.
    pub(crate) fn answer(&self) -> SessionAnswer {
        SessionAnswer {
            attached_project: self.attached.clone(),
            thread: self.thread.clone(),
        }
    }

    /// Returns the thread that what is written belongs to.
    pub(crate) fn thread(&self) -> Option<&str> {
        self.thread.as_deref()
    }
}

/// A live thread and the project that it leads to.
struct Live {
    token: String,
    scope: ScopeRow,
    used_at: i64,
}

/// What is known before a hint is followed.
struct Known {
    echoed: Option<Live>,
    named: Option<Live>,
    attached: Option<ScopeRow>,
}

/// Returns where a read stands. Makes no project; a hint that leads nowhere
/// counts as absent.
pub(crate) fn stand_for_read(
    memory: &Keeper,
    call: &Call,
    view: &Read<'_>,
    selectors: Selectors<'_>,
) -> Result<Stand, Error> {
    let store = memory.bookkeeping()?;
    let now = memory.now();
    let known = known(&store, call, view, selectors, now)?;
    let hinted = found(view, selectors.hint)?;
    let started = match pending_hint(call, hinted.is_some(), &known) {
        Some(hint) => found(view, Some(&hint))?,
        None => None,
    };
    let desk = Desk::new(&store, view.caller(), now);
    let heard = Heard {
        known,
        hinted,
        started,
        note: None,
    };
    let (mut stand, effects) = desk.weigh(call, selectors.conversation, heard);
    for effect in effects {
        // Another call of the conversation may have made its thread already;
        // then that one counts.
        if let Some(token) = effect.apply() {
            stand.thread = Some(token);
        }
    }
    Ok(stand)
}

/// Returns where a write stands. Follows its hint only when `makes` says so:
/// otherwise the hint makes and binds nothing, and may lead nowhere.
pub(crate) fn stand_for_write(
    memory: &Keeper,
    call: &Call,
    view: &mut Append<'_>,
    selectors: Selectors<'_>,
    makes: bool,
) -> Result<Stand, Error> {
    let store = memory.bookkeeping()?;
    let now = memory.now();
    let known = known(&store, call, view, selectors, now)?;
    let mut note = None;
    let mut follow = |view: &mut Append<'_>, hint: &str| {
        if !makes {
            return found(view, Some(hint));
        }
        let Followed { scope, note: said } = scopes::follow(view, hint, now)?;
        note = said;
        Ok(Some(scope))
    };
    let hinted = match selectors.hint {
        Some(hint) => follow(view, hint)?,
        None => None,
    };
    let started = match pending_hint(call, hinted.is_some(), &known) {
        Some(hint) => follow(view, &hint)?,
        None => None,
    };
    let desk = Desk::new(&store, view.caller(), now);
    let heard = Heard {
        known,
        hinted,
        started,
        note,
    };
    let (stand, effects) = desk.weigh(call, selectors.conversation, heard);
    for effect in effects {
        view.after_commit(move || {
            effect.apply();
        });
    }
    Ok(stand)
}

/// Returns the project that a call will pin, as far as can be seen without
/// following its hint.
pub(crate) fn likely_project(
    memory: &Keeper,
    call: &Call,
    view: &Read<'_>,
    selectors: Selectors<'_>,
) -> Result<Option<ScopeRow>, Error> {
    let hinted = found(view, selectors.hint)?;
    if hinted.is_some() {
        return Ok(hinted);
    }
    let store = memory.bookkeeping()?;
    let known = known(&store, call, view, selectors, memory.now())?;
    let started = match pending_hint(call, false, &known) {
        Some(hint) => found(view, Some(&hint))?,
        None => None,
    };
    let threaded = known.echoed.or(known.named).map(|live| live.scope);
    Ok(threaded.or(known.attached).or(started))
}

fn known(
    store: &Bookkeeping,
    call: &Call,
    view: &Read<'_>,
    selectors: Selectors<'_>,
    now: i64,
) -> Result<Known, Error> {
    let caller = view.caller();
    let live = |row: Option<store::ThreadRow>| -> Result<Option<Live>, Error> {
        let Some(row) = row else {
            return Ok(None);
        };
        Ok(view.find_scope_by_key(row.scope)?.map(|scope| Live {
            token: row.token,
            scope,
            used_at: row.used_at,
        }))
    };
    let not_before = now - LIFE_MS;
    let echoed = match selectors.thread.map(ids::normalise) {
        Some(token) => live(quiet(store.find_thread(caller, &token, not_before)))?,
        None => None,
    };
    let named = match selectors.conversation.map(str::trim) {
        Some(name) => live(quiet(store.find_thread_of(caller, name, not_before)))?,
        None => None,
    };
    let attached = match call.session.as_deref().and_then(Session::attached) {
        Some(key) => view.find_scope_by_key(key)?,
        None => None,
    };
    Ok(Known {
        echoed,
        named,
        attached,
    })
}

/// Returns the hint that the session was started with, when this call has to
/// look it up: nothing else pins a project.
fn pending_hint(call: &Call, hinted: bool, known: &Known) -> Option<String> {
    let pinned = hinted || known.echoed.is_some() || known.named.is_some();
    call.session
        .as_deref()
        .and_then(Session::pending_hint)
        .filter(|_| !pinned)
}

/// Returns the project that a hint leads to as things are.
fn found(view: &Read<'_>, hint: Option<&str>) -> Result<Option<ScopeRow>, Error> {
    let Some(hint) = hint else {
        return Ok(None);
    };
    Ok(match scopes::lead(view, hint)? {
        Lead::To(scope) | Lead::Fits(scope, _) => Some(scope),
        Lead::New(_) | Lead::Nowhere(_) => None,
    })
}

/// Bookkeeping that fails is no reason to fail a call.
fn quiet<T>(outcome: Result<Option<T>, store::Error>) -> Option<T> {
    outcome.unwrap_or_else(|error| {
        tracing::warn!(error = %error, "the bookkeeping could not be read");
        None
    })
}

/// Everything that can say where a call stands.
struct Heard {
    known: Known,
    /// The project of the call's hint.
    hinted: Option<ScopeRow>,
    /// The project that the session was started with, if it was looked up.
    started: Option<ScopeRow>,
    note: Option<String>,
}

/// What it takes to keep threads for one call.
#[derive(Clone)]
struct Desk {
    store: Bookkeeping,
    caller: Caller,
    now: i64,
}

/// Something to write down about a call: at once on a read, after the commit
/// on a write.
enum Effect {
    Attach(Arc<Session>, ScopeRow),
    Keep(Arc<Session>, ScopeKey, String),
    Touch(Desk, String, ScopeKey),
    Mint(Desk, String, ScopeKey, Option<String>),
}

impl Desk {
    fn new(store: &Bookkeeping, caller: &Caller, now: i64) -> Self {
        Self {
            store: store.clone(),
            caller: caller.clone(),
            now,
        }
    }

    /// Returns where a call stands, and what has yet to be written down.
    fn weigh(&self, call: &Call, conversation: Option<&str>, heard: Heard) -> (Stand, Vec<Effect>) {
        let Heard {
            known,
            hinted,
            started,
            note,
        } = heard;
        let session = call.session.as_ref();
        let threaded = known.echoed.as_ref().or(known.named.as_ref());
        let threaded = threaded.map(|live| live.scope.clone());
        let (project, source) = if let Some(scope) = hinted {
            (Some(scope), Some(ScopeSource::Hint))
        } else if let Some(scope) = threaded {
            (Some(scope), Some(ScopeSource::Thread))
        } else if let Some(scope) = known.attached.clone().or_else(|| started.clone()) {
            (Some(scope), Some(ScopeSource::Session))
        } else {
            (None, None)
        };
        let mut effects = Vec::new();
        let mut attached = known.attached.map(|scope| scope.path);
        if let Some(session) = session
            && attached.is_none()
        {
            let becomes = if session.attaches_to_first() {
                project.clone()
            } else {
                started
            };
            if let Some(scope) = becomes {
                attached = Some(scope.path.clone());
                effects.push(Effect::Attach(Arc::clone(session), scope));
            }
        }
        let threads = (known.echoed, known.named);
        let thread = self.thread(
            session,
            conversation,
            threads,
            project.as_ref(),
            &mut effects,
        );
        let attached = attached.or_else(|| project.as_ref().map(|scope| scope.path.clone()));
        (
            Stand {
                project,
                source,
                note,
                attached,
                thread,
            },
            effects,
        )
    }

    /// Returns the token of the thread that a call belongs to.
    fn thread(
        &self,
        session: Option<&Arc<Session>>,
        conversation: Option<&str>,
        (echoed, named): (Option<Live>, Option<Live>),
        project: Option<&ScopeRow>,
        effects: &mut Vec<Effect>,
    ) -> Option<String> {
        // An echoed token keeps its project, whatever the hint says.
        if let Some(live) = echoed {
            self.touch(&live, live.scope.key, effects);
            return Some(live.token);
        }
        let project = project?;
        // A named conversation may move on to another project.
        if let Some(live) = named {
            self.touch(&live, project.key, effects);
            return Some(live.token);
        }
        let conversation = conversation.map(|name| name.trim().to_owned());
        let kept = session
            .filter(|_| conversation.is_none())
            .and_then(|session| session.thread(project.key))
            .and_then(|token| {
                quiet(
                    self.store
                        .find_thread(&self.caller, &token, self.now - LIFE_MS),
                )
            });
        if let Some(row) = kept {
            if self.now - row.used_at > TOUCH_MS {
                effects.push(Effect::Touch(self.clone(), row.token.clone(), row.scope));
            }
            return Some(row.token);
        }
        let token = self.store.fresh_thread_token(self.now);
        effects.push(Effect::Mint(
            self.clone(),
            token.clone(),
            project.key,
            conversation.clone(),
        ));
        if let Some(session) = session
            && conversation.is_none()
        {
            effects.push(Effect::Keep(
                Arc::clone(session),
                project.key,
                token.clone(),
            ));
        }
        Some(token)
    }

    fn touch(&self, live: &Live, scope: ScopeKey, effects: &mut Vec<Effect>) {
        if live.scope.key != scope || self.now - live.used_at > TOUCH_MS {
            effects.push(Effect::Touch(self.clone(), live.token.clone(), scope));
        }
    }
}

impl Effect {
    /// Writes it down; returns the token of a thread that was made.
    fn apply(self) -> Option<String> {
        let outcome = match &self {
            Self::Attach(session, scope) => {
                session.attach(scope.key, &scope.path);
                Ok(None)
            }
            Self::Keep(session, key, token) => {
                session.keep_thread(*key, token);
                Ok(None)
            }
            Self::Touch(desk, token, scope) => desk
                .store
                .touch_thread(&desk.caller, token, *scope, desk.now)
                .map(|()| None),
            Self::Mint(desk, token, scope, conversation) => desk
                .store
                .mint_thread(
                    &desk.caller,
                    token,
                    *scope,
                    conversation.as_deref(),
                    desk.now,
                    desk.now - LIFE_MS,
                )
                .map(|row| Some(row.token)),
        };
        outcome.unwrap_or_else(|error| {
            tracing::warn!(error = %error, "the bookkeeping could not be written");
            None
        })
    }
}
