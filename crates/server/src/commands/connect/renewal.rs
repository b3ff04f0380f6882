//! What an entry of ours becomes that is written anew: its program and folder
//! are new, and nothing of a person's is lost.

use super::Arguments;
use super::entry::Reach;
use super::present::{Ours, Server};

/// Returns how the memory is reached, with what a person added to our words:
/// who renews an entry wants its program and folder new, and nothing lost.
pub fn as_before(reach: Reach, arguments: &Arguments, here: &[Server], ours: &Ours) -> Reach {
    let named = here.iter().find(|server| server.name == arguments.name);
    match (reach, named.and_then(|named| named.turns(ours))) {
        (Reach::Stdio { program, .. }, Some(turns)) => Reach::Stdio {
            program,
            arguments: renewed(turns, ours.data.as_deref()),
        },
        (reach, _) => reach,
    }
}

/// Returns arguments of our program with another data folder, or without one.
fn renewed(old: Vec<String>, data: Option<&str>) -> Vec<String> {
    let mut data = data.map(|data| ["--data".to_owned(), data.to_owned()]);
    let mut new = Vec::new();
    let mut old = old.into_iter();
    while let Some(word) = old.next() {
        if word == "--data" {
            old.next();
        } else if !word.starts_with("--data=") {
            new.push(word);
            continue;
        }
        new.extend(data.take().into_iter().flatten());
    }
    if let Some(data) = data {
        let after = new.iter().position(|word| word == "stdio");
        let at = after.map_or(new.len(), |at| at + 1);
        new.splice(at..at, data);
    }
    new
}
