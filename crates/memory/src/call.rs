//! Who calls, with what, and what a connection remembers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use store::{ScopeKey, Stop};

use crate::guard;

/// Characters that are kept of the name of a program.
const NAME_CHARACTERS: usize = 128;
/// Characters that are kept of its version.
const VERSION_CHARACTERS: usize = 64;

/// What a handler knows of a call besides its arguments.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// State of the connection, where the protocol allows for some.
    pub session: Option<Arc<Session>>,
    /// The program on the other end, as it named itself.
    pub client: Option<ClientInfo>,
    /// Names this call in the log.
    pub request_id: String,
    /// Ends it before it is done.
    pub stop: Stop,
    /// Scopes that it looked into or wrote to, for the log.
    pub n_scopes: Arc<AtomicUsize>,
}

impl Call {
    pub(crate) fn note_scopes(&self, view: &store::Read<'_>) {
        self.n_scopes.fetch_max(view.n_scopes(), Ordering::SeqCst);
    }

    /// Returns the program on the other end and its version, as it is kept.
    pub(crate) fn program(&self) -> Option<String> {
        let client = self.client.as_ref()?;
        Some(
            format!("{} {}", client.name, client.version)
                .trim()
                .to_owned(),
        )
    }
}

/// The program on the other end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl ClientInfo {
    /// Returns what is kept of how a program names itself: enough to know it
    /// by, in one line.
    pub fn named(name: &str, version: &str) -> Self {
        let kept = |text: &str, n_characters: usize| -> String {
            let letters = text.chars().filter(|letter| !letter.is_control());
            let kept: String = letters.take(n_characters).collect();
            guard::shown(kept.trim())
        };
        Self {
            name: kept(name, NAME_CHARACTERS),
            version: kept(version, VERSION_CHARACTERS),
        }
    }
}

/// What one connection remembers: the project that it works in.
///
/// It attaches once, to the project it was started with, or else to the first
/// one that a call pins. Later calls may pin another project for themselves;
/// that never moves the session.
#[derive(Debug, Default)]
pub struct Session {
    /// The project it was started with, if any: a hint.
    project: Option<String>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    attached: Option<(ScopeKey, String)>,
    threads: HashMap<ScopeKey, String>,
}

impl Session {
    /// Returns a session that works in the project of a hint, or in the first
    /// one that a call pins.
    pub fn new(project: Option<String>) -> Self {
        Self {
            project: project.filter(|hint| !hint.trim().is_empty()),
            state: Mutex::default(),
        }
    }

    /// Returns the scope path of the project that it works in, once one is
    /// known.
    pub fn attached_project(&self) -> Option<String> {
        self.state().attached.as_ref().map(|(_, path)| path.clone())
    }

    pub(crate) fn attached(&self) -> Option<ScopeKey> {
        self.state().attached.as_ref().map(|(key, _)| *key)
    }

    /// Returns the hint it was started with, until it has attached.
    pub fn pending_hint(&self) -> Option<String> {
        let unattached = self.state().attached.is_none();
        self.project.clone().filter(|_| unattached)
    }

    /// Returns whether a project that a call pins becomes the session's.
    pub(crate) fn attaches_to_first(&self) -> bool {
        self.project.is_none() && self.state().attached.is_none()
    }

    /// Attaches, unless it has.
    pub(crate) fn attach(&self, key: ScopeKey, path: &str) {
        let mut state = self.state();
        if state.attached.is_none() {
            state.attached = Some((key, path.to_owned()));
        }
    }

    /// Returns the thread in which it works in a project.
    pub(crate) fn thread(&self, key: ScopeKey) -> Option<String> {
        self.state().threads.get(&key).cloned()
    }

    pub(crate) fn keep_thread(&self, key: ScopeKey, token: &str) {
        self.state().threads.insert(key, token.to_owned());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
