//! The Markdown that we export, one memory a file.

use serde_json::Value;

use super::item::{Item, Lines, Parsed, Reject, text};
use super::{OWN_KEY, SourceFile, front_matter, times};
use crate::wire;

/// Returns whether we wrote a file.
pub fn is_ours(bytes: &[u8]) -> bool {
    let (text, _) = text(bytes);
    front_matter::split(&text).is_some_and(|parts| {
        let fields = front_matter::fields(parts.block);
        front_matter::word(&fields, OWN_KEY).is_some() && fields.contains_key("scope")
    })
}

/// Returns the memories of a folder that we exported.
pub fn parse(files: &[SourceFile]) -> Parsed {
    let mut parsed = Parsed::default();
    for file in files {
        let (text, mark) = text(&file.bytes);
        let Some(parts) = front_matter::split(&text) else {
            parsed.skip("a file that is not ours");
            continue;
        };
        let fields = front_matter::fields(parts.block);
        let Some(id) = front_matter::word(&fields, OWN_KEY) else {
            parsed.skip("a file that is not ours");
            continue;
        };
        if front_matter::word(&fields, "retired_at").is_some()
            || front_matter::word(&fields, "closed_at").is_some()
        {
            parsed.skip("retired or closed where it was exported");
            continue;
        }
        let line = Lines::of(text.as_bytes()).line(parts.body_start);
        let kind = match front_matter::word(&fields, "kind").map(|kind| wire::kind(&kind)) {
            None => None,
            Some(Ok(kind)) => Some(kind),
            Some(Err(_)) => {
                parsed.reject(Reject::at(
                    &file.path,
                    1,
                    "its kind is none that memories have",
                ));
                continue;
            }
        };
        let bytes = super::item::place(&text, mark, parts.body_start, text.len());
        let mut item = Item::new(&file.path, line, bytes, parts.body.trim().as_bytes());
        item.content = parts.body.trim().to_owned();
        item.name = Some(format!("zero-memory:{id}"));
        item.called = vec![id.clone()];
        item.own_id = Some(id);
        item.kind = kind;
        item.scope = front_matter::word(&fields, "scope");
        item.belongs = match &item.scope {
            Some(scope) if scope.starts_with("user.") => super::item::Belongs::Person,
            _ => super::item::Belongs::Project,
        };
        let made = front_matter::word(&fields, "created_at");
        item.created_at = made.and_then(|text| times::moment(&text));
        item.author = front_matter::word(&fields, "agent");
        item.about = front_matter::list(&fields, "entities");
        if let Some(Value::Array(links)) = fields.get("links") {
            for link in links.iter().map(front_matter::plain) {
                if let Some((relation, target)) = link.split_once(' ') {
                    item.links.push((relation.to_owned(), target.to_owned()));
                }
            }
        }
        parsed.add(item);
    }
    parsed
}
