//! What a read covers.

use store::{Reach, Read, ScopeKey, ScopeKind};

use crate::error::Error;
use crate::scopes::{self, Named};

/// What a read covers when nothing pins a project and no scopes are named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unpinned {
    /// Everything visible.
    Everything,
    /// The caller's own two scopes.
    Own,
}

/// What a read covers.
pub(crate) struct Coverage {
    pub(crate) reach: Reach,
    /// The scopes, unless it is everything.
    pub(crate) scopes: Option<Vec<ScopeKey>>,
    /// Path of the project that is read.
    pub(crate) project: Option<String>,
}

/// Returns what a read covers: the scopes it names, else the project it pins
/// and the caller's own scopes.
pub(crate) fn coverage(
    view: &Read<'_>,
    scopes: Option<&[String]>,
    pinned: Option<&store::ScopeRow>,
    unpinned: Unpinned,
) -> Result<Coverage, Error> {
    let Some(named) = scopes.filter(|scopes| !scopes.is_empty()) else {
        let project = pinned.map(|scope| scope.path.clone());
        if pinned.is_none() && unpinned == Unpinned::Everything {
            return everything(view, project);
        }
        let mut keys = vec![scopes::personal(view)?.key, scopes::core(view)?.key];
        keys.extend(pinned.map(|scope| scope.key));
        return some(view, keys, project);
    };
    let mut rows = Vec::new();
    let mut all = false;
    for scope in named {
        match scopes::named(view, scope)? {
            Named::Everything => all = true,
            Named::One(row) => rows.push(row),
            Named::Unknown(path) => return Err(Error::ScopeHidden(path)),
        }
    }
    if all {
        return everything(view, pinned.map(|scope| scope.path.clone()));
    }
    let mut projects = rows
        .iter()
        .filter(|row| matches!(row.kind, ScopeKind::Project | ScopeKind::Team));
    let project = match pinned {
        Some(pinned) => projects.find(|row| row.key == pinned.key),
        None => projects.next(),
    };
    let project = project.map(|row| row.path.clone());
    some(view, rows.into_iter().map(|row| row.key).collect(), project)
}

fn some(view: &Read<'_>, keys: Vec<ScopeKey>, project: Option<String>) -> Result<Coverage, Error> {
    Ok(Coverage {
        reach: view.reach(&keys)?,
        scopes: Some(keys),
        project,
    })
}

fn everything(view: &Read<'_>, project: Option<String>) -> Result<Coverage, Error> {
    Ok(Coverage {
        reach: view.reach_everything()?,
        scopes: None,
        project,
    })
}
