//! Reads a project hint: a git remote, a folder path, or a name.
//!
//! Pure text: nothing here looks at the disk, the network or the store.

use crate::text::{self, fold};

/// Longest slug, so that `proj.<owner>.<slug>` stays well under the bound of a
/// scope path.
const MAX_SLUG_CHARS: usize = 64;

/// Forges whose remotes people write without a scheme.
const FORGES: &[&str] = &[
    "github.com",
    "gitlab.com",
    "bitbucket.org",
    "codeberg.org",
    "git.sr.ht",
    "dev.azure.com",
    "gitee.com",
];

/// Schemes under which a git remote is reached.
const REMOTE_SCHEMES: &[&str] = &[
    "https",
    "http",
    "ssh",
    "git",
    "git+ssh",
    "git+https",
    "git+http",
    "svn+ssh",
];

/// What a project hint says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hint {
    /// A git remote: `key` is host and path in lower case, without user, port
    /// or `.git`; `last` its last segment.
    Remote { key: String, last: String },
    /// A folder: `last` is its last segment as given, `key` the same folded.
    Path { key: String, last: String },
    /// Anything else. `key` is as `name_key` gives it, and empty when the hint
    /// names nothing at all, such as `/` or `..`.
    Name { key: String },
}

/// Returns what of a hint may be kept or shown: one line, without the user and
/// the password of a remote.
pub(crate) fn kept(hint: &str) -> String {
    let hint = text::one_line(hint);
    let (scheme, rest) = match hint.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), hint.as_str()),
    };
    // What is a path holds no password, and `@` is a letter like any other.
    let is_path = scheme.eq_ignore_ascii_case("file://") || (scheme.is_empty() && is_rooted(rest));
    match user_end(rest, !scheme.is_empty()) {
        Some(end) if !is_path => format!("{scheme}{}", rest.get(end..).unwrap_or_default()),
        _ => hint,
    }
}

/// Returns the byte after the `@` that ends user and password, if they are
/// there. A password may hold a slash or an `@`, as no address should: then it
/// ends where a host can stand.
fn user_end(rest: &str, has_scheme: bool) -> Option<usize> {
    let first = rest.split('/').next().unwrap_or_default();
    let last = rest.rfind('@').map(|at| at + 1)?;
    let is_beyond = last > first.len();
    if has_scheme {
        let end = first.rfind('@').map(|at| at + 1);
        let host = first.get(end.unwrap_or_default()..).unwrap_or_default();
        let holds_slash = is_beyond && first.contains(':') && !is_host(host);
        return if holds_slash { Some(last) } else { end };
    }
    // Without a scheme the user of `git@host:path` says nothing secret, and
    // `work:acme/@scope/x` is a place.
    let user = rest.get(..last - 1).unwrap_or_default();
    if !user.contains(':') || user.contains(char::is_whitespace) {
        return None;
    }
    let host = rest.get(last..).unwrap_or_default();
    let is_place = first.contains(['.', '@']) || user.ends_with('/') || !host.contains(['/', ':']);
    (!is_beyond || !is_place).then_some(last)
}

/// Returns whether this is a host as it stands in an address, with its port:
/// one of several labels, or one that is known.
fn is_host(host: &str) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !name.contains('[') || name.ends_with(']') => (name, port),
        _ => (host, "0"),
    };
    let is_name = name.contains('.') || name.starts_with('[') || name == "localhost";
    is_name && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a hint.
pub(crate) fn parse(hint: &str) -> Hint {
    let hint = &kept(hint);
    if let Some((scheme, rest)) = hint.split_once("://") {
        let scheme = scheme.to_ascii_lowercase();
        if scheme == "file" {
            return path(&text::one_line(&decoded(rest)));
        }
        if REMOTE_SCHEMES.contains(&scheme.as_str()) {
            let (authority, remote_path) = rest.split_once('/').unwrap_or((rest, ""));
            return remote(authority, remote_path).unwrap_or_else(|| name(hint));
        }
        return name(hint);
    }
    if is_rooted(hint) {
        return path(hint);
    }
    if let Some((authority, remote_path)) = scp_form(hint) {
        return remote(authority, remote_path).unwrap_or_else(|| name(hint));
    }
    if let Some((host, remote_path)) = hint.split_once('/') {
        if FORGES.contains(&host.to_ascii_lowercase().as_str())
            && remote_path.trim_matches('/').contains('/')
        {
            return remote(host, remote_path).unwrap_or_else(|| name(hint));
        }
        return path(hint);
    }
    if hint.contains('\\') || hint == "." || hint == ".." {
        return path(hint);
    }
    name(hint)
}

/// Returns `[a-z0-9_]+` for a name, or nothing when no letter or digit of it
/// survives.
pub(crate) fn slug(text: &str) -> Option<String> {
    let mut slug = String::new();
    for c in fold(text).chars() {
        if slug.len() >= MAX_SLUG_CHARS {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
    }
    let slug = slug.trim_end_matches('_');
    (!slug.is_empty()).then(|| slug.to_owned())
}

/// Returns the form in which names are compared: case, white space, `-` and
/// `_` make no difference.
pub(crate) fn name_key(text: &str) -> String {
    fold(text)
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_'))
        .collect()
}

fn name(hint: &str) -> Hint {
    Hint::Name {
        key: name_key(hint),
    }
}

/// Returns whether a hint starts as only a path does: `/`, `~`, `./`, `\\`,
/// `C:\`.
fn is_rooted(hint: &str) -> bool {
    let mut chars = hint.chars();
    let first = chars.next();
    let (second, third) = (chars.next(), chars.next());
    match first {
        Some('/' | '\\') => true,
        Some('~') => matches!(second, None | Some('/' | '\\')),
        Some('.') => {
            let dots = hint.trim_start_matches('.');
            hint.len() - dots.len() <= 2 && dots.starts_with(['/', '\\'])
        }
        Some(c) if c.is_ascii_alphabetic() => {
            second == Some(':') && matches!(third, None | Some('/' | '\\'))
        }
        _ => false,
    }
}

/// Splits `user@host:path`, and `host:path` where the path is one.
fn scp_form(hint: &str) -> Option<(&str, &str)> {
    // A bracketed address has colons of its own.
    let (authority, rest) = match hint.find("]:") {
        Some(end) if hint.contains('[') => (hint.get(..=end)?, hint.get(end + 2..)?),
        _ => hint.split_once(':')?,
    };
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let is_host = !host.is_empty()
        && host
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | ':'));
    let is_path =
        !rest.is_empty() && !rest.contains('\\') && !rest.chars().any(char::is_whitespace);
    let is_meant = !user.is_empty()
        || rest.trim_matches('/').contains('/')
        || (host.contains('.') && !rest.starts_with(|c: char| c.is_ascii_digit()));
    (is_host && is_path && is_meant && !authority.contains(['/', '\\']))
        .then_some((authority, rest))
}

fn remote(authority: &str, path: &str) -> Option<Hint> {
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let host = host.trim_end_matches('.').to_lowercase();
    if host.is_empty() || host.chars().any(char::is_whitespace) {
        return None;
    }
    let path = path
        .split(['?', '#'])
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let mut segments = segments(&path);
    if let Some(last) = segments.pop() {
        let bare = without_git(last);
        if !bare.is_empty() {
            segments.push(bare);
        }
    }
    let last = segments
        .last()
        .map_or(host.as_str(), |last| last)
        .to_owned();
    let mut key = host;
    for segment in segments {
        key.push('/');
        key.push_str(segment);
    }
    Some(Hint::Remote { key, last })
}

fn path(hint: &str) -> Hint {
    let slashed = hint.replace('\\', "/");
    let mut segments = segments(&slashed);
    // A drive, a home folder and a share's host are no projects.
    if segments
        .first()
        .is_some_and(|first| *first == "~" || is_drive(first))
    {
        segments.remove(0);
    }
    let last = segments
        .last()
        .map(|last| without_git(last).trim())
        .unwrap_or_default();
    let key = fold(last);
    if name_key(&key).is_empty() {
        return Hint::Name { key: String::new() };
    }
    Hint::Path {
        key,
        last: last.to_owned(),
    }
}

fn is_drive(segment: &str) -> bool {
    let mut chars = segment.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.next() == Some(':')
        && chars.next().is_none()
}

/// Returns the segments that name something; `..` takes the one before away.
fn segments(path: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for segment in path.split('/') {
        match segment.trim() {
            ".." => {
                out.pop();
            }
            segment if segment.trim_matches('.').is_empty() => {}
            segment => out.push(segment),
        }
    }
    out
}

fn without_git(segment: &str) -> &str {
    let end = segment.len().saturating_sub(".git".len());
    match segment.get(end..) {
        Some(suffix) if suffix.eq_ignore_ascii_case(".git") => {
            segment.get(..end).unwrap_or(segment)
        }
        _ => segment,
    }
}

/// Resolves the percent signs of a file URL.
fn decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = path
            .get(at + 1..at + 3)
            .filter(|_| byte == b'%')
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(code.unwrap_or(byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod checks {
    use super::*;

    fn remote_hint(key: &str, last: &str) -> Hint {
        Hint::Remote {
            key: key.to_owned(),
            last: last.to_owned(),
        }
    }

    fn path_hint(key: &str, last: &str) -> Hint {
        Hint::Path {
            key: key.to_owned(),
            last: last.to_owned(),
        }
    }

    fn name_hint(key: &str) -> Hint {
        Hint::Name {
            key: key.to_owned(),
        }
    }

    #[test]
    fn every_spelling_of_a_remote_is_the_same_remote() {
        for hint in [
            "https://example.com/Acme/Shop.git",
            "https://example.com/acme/shop",
            "https://example.com/acme/shop///",
            "https://example.com:8443/acme/shop.git/",
            "https://jane:secret@example.com/acme/shop.git",
            "https://tok@example.com/acme//shop?tab=readme#top",
            "HTTP://EXAMPLE.COM./acme/./shop",
            "ssh://git@example.com:2222/acme/shop.git",
            "git+ssh://git@example.com/acme/x/../shop.GIT",
            "git://example.com/acme/shop",
            "git@example.com:acme/shop.git",
            "git@example.com:/acme/shop/",
            "example.com:acme/shop.git",
            " git@Example.com:Acme/Shop ",
        ] {
            assert_eq!(
                parse(hint),
                remote_hint("example.com/acme/shop", "shop"),
                "{hint}"
            );
        }
    }

    #[test]
    fn nothing_of_a_password_is_kept_whatever_it_holds() {
        for hint in [
            "https://me:q7/z9@host/x",
            "https://me:q7/z9@host:8443/x",
            "https://me:p@q7/z9@host/x",
            "https://me:q7/s/z9/@host/x",
            "https://jane.doe:q7/z9@host/x",
            "https://jane@corp.example:q7/z9@host/x",
            "ssh://me:q7z9#?@host/x",
            "HTTPS://me:q7z9@host/x",
            "me:q7/z9@host/x",
            "me:q7z9@host/x",
            "me:q7z9@host:x",
            "https://me:q7\nz9@host/x",
            "s3://me:q7z9@host/x",
        ] {
            for kept in [kept(hint), format!("{:?}", parse(hint))] {
                assert!(
                    !kept.contains("q7") && !kept.contains("z9") && kept.contains('x'),
                    "{hint}: {kept}"
                );
            }
        }
        for hint in [
            "https://example.com/acme/@scope/shop",
            "https://example.com:8443/acme/shop@2",
            "/home/me:pa/ss@host/x",
            "file:///home/me:pa/ss@host/x",
            "work:acme/@scope/shop",
            "work.example:acme/shop@2/x",
            "the shop: ask @jane",
            r"C:\x@y",
        ] {
            assert_eq!(kept(hint), hint);
        }
    }

    #[test]
    fn a_hint_is_one_line() {
        assert_eq!(
            parse("https://example.com/acme/\nshop\u{7}\u{202e}"),
            remote_hint("example.com/acme/shop", "shop")
        );
        assert_eq!(parse("/srv/a\r\nb"), path_hint("a b", "a b"));
        assert_eq!(kept("a\u{85}\tb\u{2028}c"), "a b c");
    }

    #[test]
    fn other_remotes_keep_what_tells_them_apart() {
        let table = [
            (
                "github.com/acme/shop",
                remote_hint("github.com/acme/shop", "shop"),
            ),
            ("work:acme/shop.git", remote_hint("work/acme/shop", "shop")),
            ("git@work:shop", remote_hint("work/shop", "shop")),
            (
                "ssh://git@[::1]:22/srv/shop.git",
                remote_hint("::1/srv/shop", "shop"),
            ),
            (
                "git@[fe80::1]:srv/shop.git",
                remote_hint("fe80::1/srv/shop", "shop"),
            ),
            (
                "https://dev.azure.com/org/proj/_git/api",
                remote_hint("dev.azure.com/org/proj/_git/api", "api"),
            ),
            (
                "https://example.com",
                remote_hint("example.com", "example.com"),
            ),
            (
                "https://example.com/.git",
                remote_hint("example.com", "example.com"),
            ),
            (
                "https://example.com/../..",
                remote_hint("example.com", "example.com"),
            ),
            (
                "https://例え.jp/チーム/店.git",
                remote_hint("例え.jp/チーム/店", "店"),
            ),
        ];
        for (hint, expected) in table {
            assert_eq!(parse(hint), expected, "{hint}");
        }
        assert_ne!(
            parse("https://a.example/x/api"),
            parse("https://b.example/x/api")
        );
    }

    #[test]
    fn a_path_is_its_last_segment() {
        let table = [
            ("/home/jane/code/Shop", path_hint("shop", "Shop")),
            ("/home/jane/code/shop/", path_hint("shop", "shop")),
            ("/srv/git/shop.git", path_hint("shop", "shop")),
            ("~/code/shop", path_hint("shop", "shop")),
            ("./shop", path_hint("shop", "shop")),
            ("../shop/.", path_hint("shop", "shop")),
            ("/a/shop/x/..", path_hint("shop", "shop")),
            ("acme/shop", path_hint("shop", "shop")),
            (r"C:\Users\José\Shop", path_hint("shop", "Shop")),
            (r"c:/srv/shop\", path_hint("shop", "shop")),
            (r"\\server\share", path_hint("share", "share")),
            (r"\\wsl$\Ubuntu\home\jane\shop", path_hint("shop", "shop")),
            ("/mnt/c/Users/jane/shop", path_hint("shop", "shop")),
            (r"work\shop", path_hint("shop", "shop")),
            (
                "file:///home/jane/shop%20front",
                path_hint("shop front", "shop front"),
            ),
            ("file:///C:/srv/shop", path_hint("shop", "shop")),
            ("/home/jane/Café", path_hint("cafe", "Café")),
            ("/home/jane/日本", path_hint("日本", "日本")),
            ("/x/$(touch x)", path_hint("$(touch x)", "$(touch x)")),
            ("/a/b c ", path_hint("b c", "b c")),
        ];
        for (hint, expected) in table {
            assert_eq!(parse(hint), expected, "{hint}");
        }
    }

    #[test]
    fn anything_else_is_a_name() {
        let table = [
            ("Shop", "shop"),
            ("zero-memory", "zeromemory"),
            ("Zero_Memory ", "zeromemory"),
            ("zero memory", "zeromemory"),
            ("svc:7", "svc:7"),
            ("localhost:8787", "localhost:8787"),
            ("api: the new one", "api:thenewone"),
            ("node.js", "node.js"),
            ("$(touch x)", "$(touchx)"),
            ("s3://bucket/key", "s3://bucket/key"),
            ("https://", "https://"),
            ("https:///x", "https:///x"),
            ("~jane", "~jane"),
            ("日本", "日本"),
        ];
        for (hint, key) in table {
            assert_eq!(parse(hint), name_hint(key), "{hint}");
        }
    }

    #[test]
    fn a_hint_that_names_nothing_has_an_empty_key() {
        for hint in [
            "", "   ", "/", "//", "/..", "..", ".", "./", "../..", "~", "~/", "C:", r"C:\",
            "/.../", "///.git", "-_-", "/ _ /", "file:///",
        ] {
            assert_eq!(parse(hint), name_hint(""), "{hint:?}");
        }
    }

    #[test]
    fn hostile_hints_are_only_text() {
        let long = "x".repeat(1024);
        assert_eq!(parse(&long), name_hint(&long));
        assert_eq!(parse(&format!("/{long}")), path_hint(&long, &long));
        assert_eq!(slug(&long).map(|slug| slug.len()), Some(64));
        for hint in [
            "/".repeat(1024),
            "../".repeat(341),
            ":".repeat(1024),
            "@".repeat(1024),
            "[".repeat(1024),
            "]:".repeat(512),
            "%".repeat(1024),
            "file://%ff%".to_owned(),
            "git@:".to_owned(),
            "\u{0}/\u{0}".to_owned(),
            "git@host:\u{202e}x".to_owned(),
        ] {
            parse(&hint);
            name_key(&hint);
            slug(&hint);
        }
    }

    #[test]
    fn slugs_are_labels() {
        let table = [
            ("Shop", Some("shop")),
            ("zero-memory", Some("zero_memory")),
            ("  My  Shop! ", Some("my_shop")),
            ("Café Straße", Some("cafe_strasse")),
            ("node.js", Some("node_js")),
            ("__init__", Some("init")),
            ("$(touch x)", Some("touch_x")),
            ("ＡＰＩ２", Some("api2")),
            ("日本 api", Some("api")),
            ("日本", None),
            ("...", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(slug(text).as_deref(), expected, "{text}");
        }
    }
}
