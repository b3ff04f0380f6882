//! The address of a server and the token that it wants: where both come from,
//! and where the token must not go.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use super::clients::{Client, Format};
use super::files::Settings;
use super::{Arguments, USUAL_URL, entry, json, toml};
use crate::commands::address as addresses;
use crate::say;

/// What stands before a token in a header.
const BEARER: &str = "Bearer ";

/// Path of MCP at a server.
pub const PATH: &str = "/mcp";

/// Returns the address that a client calls. A server says its address without
/// the path of MCP; that is added. No token crosses a network in the clear.
pub fn address(url: &str) -> Result<String> {
    let uri = addresses::parsed(url)
        .filter(|uri| matches!(uri.scheme_str(), Some("http" | "https")))
        .with_context(|| format!("{url} is no address: write it like {USUAL_URL}"))?;
    if uri.scheme_str() == Some("http") && !addresses::is_local(&uri) {
        bail!(
            "{url} is not on this machine, and http would carry the token through a network in the clear: use https, or forward a port of this machine to that server and name the port"
        );
    }
    if uri.path() == "/" && uri.query().is_none() {
        return Ok(format!("{}{PATH}", url.trim_end_matches('/')));
    }
    Ok(url.to_owned())
}

/// Returns the token of the server: the one in the environment, or else that
/// of the data folder.
pub fn known_token(arguments: &Arguments, url: &str) -> Result<String> {
    if let Ok(token) = std::env::var(entry::TOKEN)
        && !token.trim().is_empty()
    {
        return fit(token.trim(), entry::TOKEN);
    }
    if !addresses::parsed(url).is_some_and(|uri| addresses::is_local(&uri)) {
        bail!(
            "{url} is a server elsewhere, and the token of this machine's is not for it: set {} to the token of that one, or pass --token-in env",
            entry::TOKEN
        );
    }
    let path = place(arguments)?;
    let token = crate::local::read_text(&path).with_context(|| {
        format!(
            "no token: set {}, or start zero-memory serve once, which makes {}",
            entry::TOKEN,
            path.display()
        )
    })?;
    fit(token.trim(), &path.display().to_string())
}

/// Refuses a token that no header can carry: a client would be refused by
/// itself, or by the server, and say nothing of the reason.
fn fit(token: &str, place: &str) -> Result<String> {
    if !addresses::is_token(token) {
        bail!("what stands in {place} {}", addresses::NO_TOKEN);
    }
    Ok(token.to_owned())
}

/// Returns where a server keeps its token.
fn place(arguments: &Arguments) -> Result<PathBuf> {
    let folder = crate::local::data_folder(arguments.place.data.clone())?;
    Ok(folder.join("token"))
}

/// Says where the token comes from when it does not stand in the settings.
pub fn told_token(title: &str, arguments: &Arguments) {
    say(&format!(
        "set {} where {title} is started, to the token of the server: zero-memory serve keeps it in {}",
        entry::TOKEN,
        told_place(arguments)
    ));
}

/// Says what stands for the token where it is not known that a variable may.
pub fn told_placeholder(of_variables: &str, arguments: &Arguments) {
    say(&format!(
        "put the token of the server in the place of TOKEN, {of_variables}: zero-memory serve keeps it in {}",
        told_place(arguments)
    ));
}

/// Says where a server keeps its token, as far as that is known here.
fn told_place(arguments: &Arguments) -> String {
    let place = place(arguments);
    place.map_or("its data folder".to_owned(), |path| {
        path.display().to_string()
    })
}

/// Returns the words in settings that hold a token of an entry, each with what
/// a copy has in its place.
pub fn old_tokens(client: &Client, settings: &Settings, name: &str) -> Vec<(String, String)> {
    let Some((text, http)) = settings.text.as_deref().zip(client.http.as_ref()) else {
        return Vec::new();
    };
    let fields = |keys: &[&str]| {
        let fields = match client.format {
            Format::Json => json::object(text, keys),
            Format::Toml => toml::object(text, keys),
        };
        fields.unwrap_or_default()
    };
    let headers = fields(&[client.servers, name, http.headers]).into_iter();
    let headers = headers.filter(|(header, _)| entry::is_of_token(header));
    let keys = fields(&[client.servers, name]).into_iter();
    let keys = keys.filter(|(key, _)| *key == entry::BEARER_TOKEN);
    let words = headers.chain(keys).filter_map(|(_, word)| {
        let word = word.as_str()?.to_owned();
        let scheme = word
            .split_at_checked(BEARER.len())
            .map_or("", |(scheme, _)| scheme);
        let has_scheme = scheme.eq_ignore_ascii_case(BEARER);
        let (scheme, token) = word.split_at(if has_scheme { BEARER.len() } else { 0 });
        let is_token = !token.trim().is_empty() && !token.trim().starts_with('$');
        is_token.then(|| (word.clone(), format!("{scheme}TOKEN")))
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_to_mcp_and_keeps_the_token_off_the_network() {
        for (url, called) in [
            ("http://127.0.0.1:8787", "http://127.0.0.1:8787/mcp"),
            ("http://localhost:1/", "http://localhost:1/mcp"),
            ("http://[::1]:1/mcp", "http://[::1]:1/mcp"),
            ("https://example.com", "https://example.com/mcp"),
            ("https://example.com/memory", "https://example.com/memory"),
        ] {
            assert_eq!(address(url).unwrap(), called);
        }
        for (url, told) in [
            ("http://example.com/mcp", "in the clear"),
            ("http://192.0.2.1:8787/mcp", "in the clear"),
            ("http://127.0.0.1.example.com", "in the clear"),
            ("HTTP://example.com/mcp", "in the clear"),
            ("http://127.0.0.1@example.com/mcp", "in the clear"),
            ("127.0.0.1:8787", "is no address"),
            ("ftp://127.0.0.1/", "is no address"),
            ("http://127.0.0.1:99999/mcp", "is no address"),
            ("http://[::1]:99999", "is no address"),
            ("", "is no address"),
        ] {
            let error = address(url).unwrap_err();
            assert!(error.to_string().contains(told), "{url}: {error}");
        }
    }
}
