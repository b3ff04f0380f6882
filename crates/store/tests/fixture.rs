//! A data folder with people in it, and short ways to say what tests do.

use store::{
    Append, Caller, Error, MemoryRow, NewMemory, Provenance, Read, Role, ScopeKind, ScopeRow,
    Store, Visibility, Write,
};

/// What every row of a test is dated.
pub const AT: i64 = 1_790_000_000_000;

/// Cuts at blanks and folds case; enough for tests of this crate.
pub fn tokenise(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

pub struct World {
    pub dir: tempfile::TempDir,
    pub store: Store,
}

impl World {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("data"), tokenise).unwrap();
        Self { dir, store }
    }

    pub fn person(&self, handle: &str) -> Caller {
        self.store.get_or_create_account(handle, AT).unwrap()
    }

    /// A project of `owner`'s, whose new rows are shared, with one member.
    pub fn team_project(
        &self,
        owner: &Caller,
        slug: &str,
        member: &Caller,
        role: Role,
    ) -> ScopeRow {
        self.write(owner, |view| {
            let path = format!("proj.{}.{slug}", owner.handle());
            let scope = view.create_scope(&path, ScopeKind::Project, slug, AT)?;
            assert!(view.set_default_visibility(scope.key, Visibility::Shared)?);
            assert!(view.set_member(scope.key, member.handle(), role, AT)?);
            Ok(view.find_scope(&path)?.unwrap())
        })
    }

    pub fn read<R>(&self, caller: &Caller, f: impl FnOnce(&mut Read<'_>) -> Result<R, Error>) -> R {
        self.store.read(caller, f).unwrap()
    }

    pub fn append<R>(
        &self,
        caller: &Caller,
        f: impl FnOnce(&mut Append<'_>) -> Result<R, Error>,
    ) -> R {
        self.store.append(caller, f).unwrap()
    }

    pub fn write<R>(
        &self,
        caller: &Caller,
        f: impl FnOnce(&mut Write<'_>) -> Result<R, Error>,
    ) -> R {
        self.store.write(caller, f).unwrap()
    }

    pub fn core(&self, caller: &Caller) -> ScopeRow {
        let path = format!("user.{}.core", caller.handle());
        self.read(caller, |view| view.find_scope(&path)).unwrap()
    }

    pub fn add(&self, caller: &Caller, scope: &ScopeRow, content: &str) -> String {
        self.append(caller, |view| add(view, scope, content))
    }

    pub fn row(&self, caller: &Caller, id: &str) -> Option<MemoryRow> {
        self.read(caller, |view| view.find_memory(id))
    }

    /// The texts that a search of everything visible finds, best first.
    pub fn search(&self, caller: &Caller, words: &[&str]) -> Vec<String> {
        self.read(caller, |view| {
            let reach = view.reach_everything()?;
            let corpus = view.corpus(&reach)?;
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            let found = view.search(&reach, &corpus, &words, &[], usize::MAX)?;
            let seqs: Vec<i64> = found.hits.iter().map(|hit| hit.seq).collect();
            let contents = view.contents(&seqs)?;
            assert_eq!(contents.len(), seqs.len(), "a hit has no live row");
            Ok(seqs
                .iter()
                .map(|seq| contents.iter().find(|(of, _)| of == seq).unwrap().1.clone())
                .collect())
        })
    }
}

/// Adds a fact that was written in no thread.
pub fn add(view: &mut Append<'_>, scope: &ScopeRow, content: &str) -> Result<String, Error> {
    add_as(view, scope, scope.default_visibility, "fact", None, content)
}

pub fn add_as(
    view: &mut Append<'_>,
    scope: &ScopeRow,
    visibility: Visibility,
    kind: &str,
    thread: Option<&str>,
    content: &str,
) -> Result<String, Error> {
    let provenance = Provenance {
        thread: thread.map(str::to_owned),
        scope_source: "explicit".to_owned(),
        ..Provenance::default()
    };
    let new = NewMemory {
        scope,
        visibility,
        kind,
        content,
        tokens: None,
        text_key: content.as_bytes(),
        author_kind: "agent",
        agent: Some("test"),
        provenance: &provenance,
        created_at: AT,
        stored_at: AT,
    };
    view.add_memory(&new).map(|(_, id)| id)
}
