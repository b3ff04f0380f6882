//! Scopes by name and by hint: which one is meant, and which kinds it takes.

use contract::types::Kind;
use store::{Append, HintKind, Read, ScopeKind, ScopeRow};

use crate::digest;
use crate::error::Error;
use crate::hints::{self, Hint};

/// Digits that tell two projects of one name apart at first; more are taken
/// when these are taken too.
const CODE_DIGITS: usize = 4;
const CODE_DIGITS_MOST: usize = 16;

/// Characters of a hint that a message repeats.
const HINT_SHOWN: usize = 80;

/// Longest scope path that is made.
const PATH_LONGEST: usize = 256;

/// A scope argument as a word or a path.
pub(crate) enum Named {
    /// `*`: everything visible.
    Everything,
    /// One scope.
    One(ScopeRow),
    /// A path that no scope has, or none that the caller may see.
    Unknown(String),
}

/// Reads a scope argument.
pub(crate) fn named(view: &Read<'_>, scope: &str) -> Result<Named, Error> {
    let scope = scope.trim();
    let found = match scope {
        "*" => return Ok(Named::Everything),
        "personal" => Some(personal(view)?),
        "core" => Some(core(view)?),
        path => view.find_scope(path)?,
    };
    Ok(found.map_or_else(|| Named::Unknown(scope.to_owned()), Named::One))
}

/// Returns the caller's own root.
pub(crate) fn personal(view: &Read<'_>) -> Result<ScopeRow, Error> {
    own(view, &format!("user.{}", view.caller().handle()))
}

/// Returns what the caller knows in every project.
pub(crate) fn core(view: &Read<'_>) -> Result<ScopeRow, Error> {
    own(view, &format!("user.{}.core", view.caller().handle()))
}

fn own(view: &Read<'_>, path: &str) -> Result<ScopeRow, Error> {
    view.find_scope(path)?
        .ok_or_else(|| Error::Misfit("an account lacks a scope of its own".to_owned()))
}

/// Returns the slug of a path that a write may make a project at: a
/// well-formed one of the caller's own.
fn own_slug<'p>(view: &Read<'_>, path: &'p str) -> Option<&'p str> {
    let prefix = format!("proj.{}.", view.caller().handle());
    let is_label = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    path.strip_prefix(&prefix)
        .filter(|slug| !slug.is_empty() && slug.chars().all(is_label) && path.len() <= PATH_LONGEST)
}

/// Returns whether a write may make a project at a path.
pub(crate) fn may_create(view: &Read<'_>, path: &str) -> bool {
    own_slug(view, path).is_some()
}

/// Makes the project at a path, if a write may.
pub(crate) fn create_named(
    view: &mut Append<'_>,
    path: &str,
    at: i64,
) -> Result<Option<ScopeRow>, Error> {
    let Some(slug) = own_slug(view, path) else {
        return Ok(None);
    };
    let name = hints::name_key(slug);
    Ok(Some(view.create_scope(
        path,
        ScopeKind::Project,
        &name,
        at,
    )?))
}

/// What a hint leads to.
pub(crate) enum Lead {
    /// A project that it was bound to, or that it names.
    To(ScopeRow),
    /// A project that it fits and is not bound to yet.
    Fits(ScopeRow, Binding),
    /// Nothing yet; a write makes a project.
    New(NewProject),
    /// Nothing, or several projects.
    Nowhere(Vec<String>),
}

/// A hint as it is bound.
pub(crate) struct Binding {
    kind: HintKind,
    key: String,
}

/// A project that a hint asks for.
pub(crate) struct NewProject {
    binding: Binding,
    slug: Option<String>,
    name: String,
}

/// Finds what a hint leads to; changes nothing.
pub(crate) fn lead(view: &Read<'_>, hint: &str) -> Result<Lead, Error> {
    if let Some(scope) = view.find_scope(hint.trim())?
        && matches!(scope.kind, ScopeKind::Project | ScopeKind::Team)
    {
        return Ok(Lead::To(scope));
    }
    match hints::parse(hint) {
        Hint::Remote { key, last } => {
            if let Some(scope) = view.bound_scope(HintKind::Git, &key)? {
                return Ok(Lead::To(scope));
            }
            let binding = Binding {
                kind: HintKind::Git,
                key,
            };
            let mut free = Vec::new();
            for scope in view.scopes_named(&hints::name_key(&last))? {
                if is_own(view, &scope) && !view.has_binding(scope.key, HintKind::Git)? {
                    free.push(scope);
                }
            }
            Ok(match <[ScopeRow; 1]>::try_from(free) {
                Ok([scope]) => Lead::Fits(scope, binding),
                Err(_) => Lead::New(NewProject::of(binding, &last)),
            })
        }
        Hint::Path { key, last } => {
            if let Some(scope) = view.bound_scope(HintKind::Path, &key)? {
                return Ok(Lead::To(scope));
            }
            let binding = Binding {
                kind: HintKind::Path,
                key,
            };
            let found = view.scopes_named(&hints::name_key(&last))?;
            Ok(match <[ScopeRow; 1]>::try_from(found) {
                Ok([scope]) => Lead::Fits(scope, binding),
                Err(none) if none.is_empty() => Lead::New(NewProject::of(binding, &last)),
                Err(several) => Lead::Nowhere(paths(several)),
            })
        }
        Hint::Name { key } if key.is_empty() => Ok(Lead::Nowhere(Vec::new())),
        Hint::Name { key } => {
            let found = view.scopes_named(&key)?;
            Ok(match <[ScopeRow; 1]>::try_from(found) {
                Ok([scope]) => Lead::To(scope),
                Err(several) => Lead::Nowhere(paths(several)),
            })
        }
    }
}

/// Returns whether a write that follows a hint makes a project.
pub(crate) fn makes_project(view: &Read<'_>, hint: &str) -> Result<bool, Error> {
    Ok(matches!(lead(view, hint)?, Lead::New(_)))
}

/// A project that a hint led a write to, and what there is to say about it.
pub(crate) struct Followed {
    pub(crate) scope: ScopeRow,
    pub(crate) note: Option<String>,
}

/// Follows a hint on a write: binds it, and makes the project if need be.
pub(crate) fn follow(view: &mut Append<'_>, hint: &str, at: i64) -> Result<Followed, Error> {
    match lead(view, hint)? {
        Lead::To(scope) => Ok(Followed { scope, note: None }),
        Lead::Fits(scope, binding) => {
            view.bind_hint(binding.kind, &binding.key, scope.key, at)?;
            let note = format!("The project_hint leads to {} from now on.", scope.path);
            Ok(Followed {
                scope,
                note: Some(note),
            })
        }
        Lead::New(project) => project.create(view, at),
        Lead::Nowhere(candidates) => Err(unresolvable(hint, candidates)),
    }
}

/// The refusal of a hint that leads nowhere.
fn unresolvable(hint: &str, candidates: Vec<String>) -> Error {
    Error::HintUnresolvable {
        hint: hints::kept(hint).chars().take(HINT_SHOWN).collect(),
        candidates,
    }
}

fn is_own(view: &Read<'_>, scope: &ScopeRow) -> bool {
    scope
        .path
        .strip_prefix("proj.")
        .and_then(|rest| rest.split('.').next())
        == Some(view.caller().handle())
}

fn paths(scopes: Vec<ScopeRow>) -> Vec<String> {
    scopes.into_iter().map(|scope| scope.path).collect()
}

impl NewProject {
    fn of(binding: Binding, last: &str) -> Self {
        Self {
            binding,
            slug: hints::slug(last),
            name: hints::name_key(last),
        }
    }

    fn create(self, view: &mut Append<'_>, at: i64) -> Result<Followed, Error> {
        let prefix = format!("proj.{}.", view.caller().handle());
        let (path, taken) = self.free_path(view, &prefix)?;
        let slug = path.strip_prefix(&prefix).unwrap_or_default();
        let name = hints::name_key(slug);
        let scope = view.create_scope(&path, ScopeKind::Project, &name, at)?;
        view.name_scope(scope.key, &self.name)?;
        view.bind_hint(self.binding.kind, &self.binding.key, scope.key, at)?;
        let mut note = format!("Created project {path} from the project_hint.");
        if let Some(taken) = taken {
            note.push_str(&format!(" {taken} is another project of that name."));
        }
        Ok(Followed {
            scope,
            note: Some(note),
        })
    }

    /// Returns a path that nothing has, and the one that was taken.
    fn free_path(&self, view: &Read<'_>, prefix: &str) -> Result<(String, Option<String>), Error> {
        let mut taken = None;
        if let Some(slug) = &self.slug {
            let path = format!("{prefix}{slug}");
            if view.find_scope(&path)?.is_none() {
                return Ok((path, None));
            }
            taken = Some(path);
        }
        let stem = self.slug.as_deref().unwrap_or("project");
        for n_digits in CODE_DIGITS..=CODE_DIGITS_MOST {
            let code = digest::short_code(&self.binding.key, n_digits);
            let path = format!("{prefix}{stem}_{code}");
            if view.find_scope(&path)?.is_none() {
                return Ok((path, taken));
            }
        }
        Err(Error::Misfit("no free path for a project".to_owned()))
    }
}

/// Returns what a scope is called and which kinds it takes, if it does not
/// take this one.
pub(crate) fn misfit(scope: ScopeKind, kind: Kind) -> Option<(&'static str, &'static str)> {
    let portable = matches!(kind, Kind::Fact | Kind::Reference | Kind::Gotcha);
    match scope {
        ScopeKind::Core if !portable => Some(("core", "fact, reference and gotcha")),
        ScopeKind::Personal if !portable && kind != Kind::Preference => {
            Some(("personal", "fact, reference, gotcha and preference"))
        }
        ScopeKind::Core | ScopeKind::Personal | ScopeKind::Project | ScopeKind::Team => None,
    }
}
