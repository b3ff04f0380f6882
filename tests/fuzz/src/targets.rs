//! The targets, one file each.

mod backups;
mod calls;
mod cursors;
mod dumps;
mod files;
mod hints;
mod ids;
mod imports;
mod moments;
mod queries;
mod secrets;

/// A function over bytes that panics when a promise is broken.
#[derive(Clone, Copy)]
pub struct Target {
    /// Name of the target and of the folder of its seeds.
    pub name: &'static str,
    /// What it reads.
    pub about: &'static str,
    /// Reads one input.
    pub run: fn(&[u8]),
    /// What is put into inputs as it is.
    pub words: &'static [&'static str],
    /// Inputs of the short run, which every test run makes: some seconds.
    pub n_short: usize,
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target {
        name: "backups",
        about: "backups and ledgers of erasures that are restored",
        run: backups::run,
        words: files::WORDS,
        n_short: 60,
    },
    Target {
        name: "calls",
        about: "tool calls that their schema allows, one a line, on a fresh store",
        run: calls::run,
        words: calls::WORDS,
        n_short: 150,
    },
    Target {
        name: "cursors",
        about: "cursors of a page",
        run: cursors::run,
        words: &["31", "2e"],
        n_short: 20_000,
    },
    Target {
        name: "dumps",
        about: "lines of a dump, taken in and given out again",
        run: dumps::run,
        words: dumps::WORDS,
        n_short: 60,
    },
    Target {
        name: "files",
        about: "a memory file that was damaged, cut or made by somebody else",
        run: files::run,
        words: files::WORDS,
        n_short: 60,
    },
    Target {
        name: "hints",
        about: "project hints: git remotes, folders, names",
        run: hints::run,
        words: hints::WORDS,
        n_short: 10_000,
    },
    Target {
        name: "ids",
        about: "ids of memories and entities",
        run: ids::run,
        words: &["mem_", "ent_", "MEM_"],
        n_short: 20_000,
    },
    Target {
        name: "imports",
        about: "files of every format that is imported; the first line is the name",
        run: imports::run,
        words: imports::WORDS,
        n_short: 60,
    },
    Target {
        name: "moments",
        about: "dates and times",
        run: moments::run,
        words: &["T", "Z", "+23:59", "-00:00", ".", ":60"],
        n_short: 20_000,
    },
    Target {
        name: "queries",
        about: "queries, the text that is searched, and excerpts of it",
        run: queries::run,
        words: queries::WORDS,
        n_short: 2_000,
    },
    Target {
        name: "secrets",
        about: "texts that may hold a credential",
        run: secrets::run,
        words: secrets::WORDS,
        n_short: 1_000,
    },
];

/// Returns the target of a name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
