//! What is known of a client's limits, by the name it gives itself.

use contract::constants::{CLIENT_LIMITS, Limit};

/// How an answer must look for a client to take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of instructions that it reads, if it caps them.
    pub instructions_max_bytes: Option<usize>,
    /// Whether a priority may be a fraction.
    pub fractions: bool,
    /// Whether a result may hold links to resources.
    pub links: bool,
}

impl Limits {
    /// A client of which no limit is known.
    pub const NONE: Self = Self {
        instructions_max_bytes: None,
        fractions: true,
        links: true,
    };

    /// Returns the limits of the client with this name.
    pub fn of(client_name: Option<&str>) -> Self {
        let mut limits = Self::NONE;
        let Some(name) = client_name.map(str::to_ascii_lowercase) else {
            return limits;
        };
        for entry in CLIENT_LIMITS {
            if !entry.client_names.contains(&name.as_str()) {
                continue;
            }
            match entry.limit {
                Limit::InstructionsMaxBytes(bytes) => limits.instructions_max_bytes = Some(bytes),
                Limit::IntegerPriority => limits.fractions = false,
                Limit::NoResourceLinks => limits.links = false,
            }
        }
        limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_found_by_the_name_in_the_handshake() {
        let capped = Limits {
            instructions_max_bytes: Some(2048),
            ..Limits::NONE
        };
        assert_eq!(Limits::of(Some("claude-code")), capped);
        assert_eq!(Limits::of(Some("Claude-Code")), capped);
        assert_eq!(Limits::of(Some("inspector")), Limits::NONE);
        assert_eq!(Limits::of(None), Limits::NONE);
    }

    #[test]
    fn a_client_with_several_limits_gets_all_of_them() {
        let limits = Limits::of(Some("codex-mcp-client"));
        assert!(!limits.fractions && !limits.links);
    }
}
