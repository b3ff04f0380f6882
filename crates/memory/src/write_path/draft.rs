//! A new memory whose texts were admitted and cut.

use contract::types::{Kind, RememberInput};

use super::similar::COMPARED_CHARACTERS;
use super::words::Words;
use crate::error::Error;
use crate::{digest, guard, ids, text};

/// A new memory whose texts were admitted.
pub(super) struct Draft {
    pub(super) content: String,
    pub(super) verbatim: Option<String>,
    pub(super) kind: Kind,
    pub(super) entities: Vec<Name>,
    pub(super) links: Vec<(String, String)>,
    /// What two equal texts have in common.
    pub(super) text_key: [u8; 32],
    /// The words that it is indexed under.
    pub(super) tokens: String,
    /// The beginning, by which it is compared with others: its terms as they
    /// are asked for, and all its words.
    pub(super) terms: Vec<String>,
    pub(super) words: Words,
}

/// An entity by its name and by what names are compared by.
pub(super) struct Name {
    pub(super) name: String,
    pub(super) key: String,
}

impl Draft {
    /// Passes every text through the guard.
    pub(super) fn admit(input: &RememberInput) -> Result<Self, Error> {
        let mut entities: Vec<Name> = Vec::new();
        for name in input.entities.iter().flatten() {
            let name = guard::admit_name("entities", name)?;
            let key = name_key(&name);
            if !entities.iter().any(|known| known.key == key) {
                entities.push(Name { name, key });
            }
        }
        let mut links: Vec<(String, String)> = Vec::new();
        for link in input.links.iter().flatten() {
            let kind = guard::admit("links.type", &link.type_)?;
            if kind == "superseded_by" {
                return Err(Error::Argument {
                    pointer: "/links".to_owned(),
                    rule: "type",
                    message:
                        "superseded_by is made by the successor: remember that one with type supersedes"
                            .to_owned(),
                });
            }
            let link = (kind.to_owned(), ids::normalise(&link.target));
            if !links.contains(&link) {
                links.push(link);
            }
        }
        let content = guard::admit("content", &input.content)?;
        let verbatim = guard::admit_optional("verbatim", input.verbatim.as_deref())?;
        let compared: String = content.chars().take(COMPARED_CHARACTERS).collect();
        let tokens = text::index_tokens(content);
        let words = if compared.len() == content.len() {
            Words::of(&tokens)
        } else {
            Words::of(&text::index_tokens(&compared))
        };
        Ok(Self {
            content: content.to_owned(),
            verbatim: verbatim.map(str::to_owned),
            kind: input.kind.unwrap_or(Kind::Fact),
            entities,
            links,
            text_key: digest::sha256(&[&text::key(content)]),
            tokens: tokens.join(" "),
            terms: text::query_terms(&compared),
            words,
        })
    }
}

/// Returns what names of entities are compared by.
pub(crate) fn name_key(name: &str) -> String {
    let folded = text::fold(name);
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}
