//! Documents that differ in words alone, told without compiling them.

use super::json::Json;
use super::scope::{MAPS, SCHEMAS};

/// Words that mean nothing; no other keyword's value is passed over, for a
/// reference may lead into it.
const WORDS: [&str; 3] = ["$comment", "description", "title"];

/// Says whether two schemas are equal but for their words.
pub fn alike(a: &Json, b: &Json) -> bool {
    let (Json::Object(a), Json::Object(b)) = (a, b) else {
        return a == b;
    };
    let said = |(key, value): &(&String, &Json)| {
        !(WORDS.contains(&key.as_str()) && matches!(value, Json::String(_)))
    };
    let mut others = b.iter().filter(said);
    let all = a.iter().filter(said).all(|(key, value)| {
        others.next().is_some_and(|(other_key, other)| {
            key == other_key && alike_under(key.as_str(), value, other)
        })
    });
    all && others.next().is_none()
}

fn alike_under(key: &str, a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Object(a), Json::Object(b)) if MAPS.contains(&key) => {
            let mut pairs = a.iter().zip(b);
            a.len() == b.len() && pairs.all(|((key, a), (other, b))| key == other && alike(a, b))
        }
        (Json::Array(a), Json::Array(b)) if SCHEMAS.contains(&key) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        }
        _ if SCHEMAS.contains(&key) => alike(a, b),
        _ => a == b,
    }
}
