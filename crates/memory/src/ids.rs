//! Reads ids as clients send them: with blanks around, in any case.

use contract::constants::{ENTITY_ID_PREFIX, MEMORY_ID_PREFIX};

/// Characters of an id behind its prefix.
const ULID_LENGTH: usize = 26;

/// What an id names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Id {
    Memory(String),
    Entity(String),
}

/// Returns an id as it is stored.
pub(crate) fn normalise(id: &str) -> String {
    id.trim().to_ascii_lowercase()
}

/// Returns what an id names, if its form is one of those.
pub(crate) fn parse(id: &str) -> Option<Id> {
    let id = normalise(id);
    let is_ulid = |rest: &str| {
        rest.len() == ULID_LENGTH && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    if id.strip_prefix(MEMORY_ID_PREFIX).is_some_and(is_ulid) {
        return Some(Id::Memory(id));
    }
    if id.strip_prefix(ENTITY_ID_PREFIX).is_some_and(is_ulid) {
        return Some(Id::Entity(id));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_in_any_case_and_with_blanks() {
        let id = "mem_01k0000000000000000000000a";
        assert_eq!(
            parse(" MEM_01K0000000000000000000000A\n"),
            Some(Id::Memory(id.to_owned()))
        );
        assert_eq!(parse("mem_01k"), None);
        assert_eq!(
            parse("ent_01k0000000000000000000000a"),
            Some(Id::Entity("ent_01k0000000000000000000000a".to_owned()))
        );
        assert_eq!(parse("dsp_01k0000000000000000000000a"), None);
    }
}
