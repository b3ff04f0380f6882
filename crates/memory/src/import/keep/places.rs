//! Where things go: what the caller said, what the source says, and what is
//! refused because neither does.

use std::collections::BTreeSet;

use store::{Append, ScopeRow};

use super::{Keeping, Not};
use crate::error::Error;
use crate::import::detect::Format;
use crate::import::item::{Belongs, Item, Parsed, Reject};
use crate::import::{Into, Options, Report, STRICT, Trouble};
use crate::{scopes, secrets, text, wire};

/// Users of a source that a report names.
const N_USERS: usize = 8;

/// Scopes that items can go to.
pub(super) struct Targets {
    pub(super) personal: ScopeRow,
    pub(super) core: ScopeRow,
    pub(super) project: Option<ScopeRow>,
}

/// Says that a source is that of several people, where nothing tells them
/// apart.
pub(super) fn told_of_users(parsed: &[(Format, Parsed)], options: &Options, report: &mut Report) {
    let users: BTreeSet<&str> = parsed
        .iter()
        .flat_map(|(_, parsed)| &parsed.items)
        .filter_map(|item| item.user.as_deref())
        .collect();
    if users.len() < 2 || !options.map.is_empty() {
        return;
    }
    let shown: Vec<String> = users
        .iter()
        .filter(|user| secrets::find(user).is_none())
        .take(N_USERS)
        .map(|user| wire::beginning(&text::one_line(user), 64))
        .collect();
    report.notes.push(format!(
        "the source is that of {} users ({}{}), and nothing tells their memories apart here; --map says whose go where",
        users.len(),
        shown.join(", "),
        if shown.len() < users.len() { ", …" } else { "" }
    ));
}

impl Keeping<'_> {
    /// Refuses to begin what would end half done: a run that is strict and
    /// rejects something, or one that does not know where things go.
    pub(super) fn ask_first(
        &self,
        parsed: &[(Format, Parsed)],
        report: &mut Report,
    ) -> Result<(), Trouble> {
        let items = || parsed.iter().flat_map(|(_, parsed)| &parsed.items);
        let homeless = items().filter(|item| self.has_no_place(item)).count();
        let n_graph: usize = parsed
            .iter()
            .map(|(_, parsed)| parsed.things.len() + parsed.relations.len())
            .sum();
        let is_lost = items().next().is_none()
            && n_graph > 0
            && self.options.into.is_none()
            && self.hint.is_none();
        if homeless > 0 || is_lost {
            let what = if homeless > 0 {
                format!("{homeless} of these memories")
            } else {
                format!("these {n_graph} names and relations")
            };
            return Err(Trouble::Said(format!(
                "nothing says where {what} belong: pass --project HINT (a git remote URL or a folder path), or --into personal or --into core. Nothing was stored"
            )));
        }
        if self.options.strict {
            for item in items() {
                if let Err(Not::Rejected(why)) = self.admit(item) {
                    report.reject(Reject::at(&item.path, item.line, why));
                }
            }
            if report.n_rejected > 0 {
                report.written = false;
                return Err(Trouble::Said(STRICT.to_owned()));
            }
        }
        Ok(())
    }

    pub(super) fn has_no_place(&self, item: &Item) -> bool {
        let mapped = item
            .user
            .as_ref()
            .is_some_and(|user| self.options.map.contains_key(user));
        let needs_project = match item.belongs {
            Belongs::Person => false,
            Belongs::Project | Belongs::Unsaid => true,
        };
        // What was exported from here may be there, or its scope.
        let is_ours = item.own_id.is_some();
        !mapped && !is_ours && self.options.into.is_none() && needs_project && self.hint.is_none()
    }

    pub(super) fn targets(&self, view: &mut Append<'_>) -> Result<Targets, Error> {
        let project = match self.hint {
            None => None,
            Some(hint) => {
                let scope = match scopes::named(view, hint)? {
                    scopes::Named::One(scope) => scope,
                    scopes::Named::Everything | scopes::Named::Unknown(_) => {
                        match scopes::create_named(view, hint, self.now)? {
                            Some(scope) => scope,
                            None => scopes::follow(view, hint, self.now)?.scope,
                        }
                    }
                };
                if !scope.role.may_write() {
                    return Err(Error::ScopeReadOnly(scope.path));
                }
                Some(scope)
            }
        };
        Ok(Targets {
            personal: scopes::personal(view)?,
            core: scopes::core(view)?,
            project,
        })
    }

    /// Returns the scope that a place of the map names, if it may be written
    /// to.
    pub(super) fn mapped(
        &self,
        view: &mut Append<'_>,
        targets: &Targets,
        place: &str,
    ) -> Result<Option<ScopeRow>, Error> {
        if place == "me" {
            return Ok(Some(targets.personal.clone()));
        }
        match scopes::named(view, place)? {
            scopes::Named::One(scope) => Ok(scope.role.may_write().then_some(scope)),
            scopes::Named::Unknown(path) => Ok(scopes::create_named(view, &path, self.now)?),
            scopes::Named::Everything => Ok(None),
        }
    }

    /// Returns the scope of an item.
    pub(super) fn scope(
        &self,
        view: &mut Append<'_>,
        targets: &Targets,
        item: &Item,
    ) -> Result<Result<ScopeRow, Not>, Error> {
        let project = || {
            targets.project.clone().ok_or(Not::Rejected(
                "nothing says where it belongs: pass --project HINT, or --into personal or core"
                    .to_owned(),
            ))
        };
        if let Some(user) = &item.user
            && let Some(place) = self.options.map.get(user)
        {
            return match place.as_str() {
                "skip" => Ok(Err(Not::Skipped("of a user that the map leaves out"))),
                "project" => Ok(project()),
                place => Ok(match self.mapped(view, targets, place)? {
                    Some(scope) => Ok(scope),
                    None => Err(Not::Rejected(
                        "the map leads to a scope that you may not write to".to_owned(),
                    )),
                }),
            };
        }
        if item.user.is_some() && !self.options.map.is_empty() {
            return Ok(Err(Not::Rejected(
                "the map does not say where this user's memories go".to_owned(),
            )));
        }
        if self.options.into.is_none()
            && let Some(path) = &item.scope
            && let Some(scope) = view
                .find_scope(path)?
                .filter(|scope| scope.role.may_write())
        {
            return Ok(Ok(scope));
        }
        Ok(match self.options.into {
            Some(Into::Core) => Ok(targets.core.clone()),
            Some(Into::Personal) => Ok(targets.personal.clone()),
            Some(Into::Project) => project(),
            None => match item.belongs {
                Belongs::Person => Ok(targets.personal.clone()),
                Belongs::Project | Belongs::Unsaid => project(),
            },
        })
    }
}
