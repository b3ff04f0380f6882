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
    fn the_store_makes_ids_with_the_prefixes_of_the_contract() {
        use contract::constants::{
            DISPUTE_ID_PREFIX, EDGE_ID_PREFIX, RULE_ID_PREFIX, THREAD_ID_PREFIX, USER_ID_PREFIX,
        };
        let made_and_promised = [
            (store::ids::MEMORY, MEMORY_ID_PREFIX),
            (store::ids::ENTITY, ENTITY_ID_PREFIX),
            (store::ids::EDGE, EDGE_ID_PREFIX),
            (store::ids::USER, USER_ID_PREFIX),
            (store::ids::THREAD, THREAD_ID_PREFIX),
            (store::ids::DISPUTE, DISPUTE_ID_PREFIX),
            (store::ids::RULE, RULE_ID_PREFIX),
        ];
        for (made, promised) in made_and_promised {
            assert_eq!(made, promised);
        }
        let distinct: std::collections::BTreeSet<_> =
            made_and_promised.iter().map(|(made, _)| made).collect();
        assert_eq!(distinct.len(), made_and_promised.len());
    }

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
