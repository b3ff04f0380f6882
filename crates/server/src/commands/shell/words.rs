//! What the arguments of the tools are called on the command line: refusals
//! and notes name them as the contract does.

/// Arguments that a command sets, and where a person types each.
const ARGUMENTS: [(&str, &str); 17] = [
    ("content", "TEXT"),
    ("cursor", "--cursor"),
    ("entities", "--about"),
    ("kind", "--kind"),
    ("kinds", "--kind"),
    ("k", "--limit"),
    ("links", "--supersedes"),
    ("max_tokens", "--max-tokens"),
    ("memory_id", "ID"),
    ("project_hint", "--project"),
    ("query", "QUERY"),
    ("reason", "--reason"),
    ("resolution", "--resolution"),
    ("scope", "--scope"),
    ("scopes", "--scope"),
    ("topic", "TOPIC"),
    ("verbatim", "--verbatim"),
];

/// What is said to an agent, and what to a person at a terminal.
const PHRASES: [(&str, &str); 6] = [
    ("from the project_hint.", "for this project."),
    ("The project_hint leads to", "What is stored here goes to"),
    (
        "Name what it is about in entities (",
        "Name what it is about with --about (",
    ),
    (
        "restore_memory opens it again",
        "your agent can open it again with restore_memory",
    ),
    (
        "promote_rule this memory if the person wants it to",
        "If it should be a rule, have your agent call promote_rule on this memory",
    ),
    ("project_hint", "--project"),
];

/// Returns what a person typed for the argument at this JSON pointer.
pub fn argument(pointer: &str) -> Option<&'static str> {
    let name = pointer.strip_prefix('/')?.split('/').next()?;
    ARGUMENTS
        .iter()
        .find(|(argument, _)| *argument == name)
        .map(|(_, word)| *word)
}

/// Returns a sentence of the contract in the words of the command line.
pub fn reworded(text: &str) -> String {
    let mut text = text.to_owned();
    for (said, word) in PHRASES {
        text = text.replace(said, word);
    }
    text
}

#[cfg(test)]
mod tests {
    use contract::served::TOOLS_LIST_FULL;
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_argument_that_a_command_sets_has_a_word() {
        // A shell has no session, and its own forms of what is left.
        const UNSET: [&str; 4] = ["thread", "conversation_id", "briefing", "include_graph"];
        const TOOLS: [&str; 7] = [
            "remember",
            "recall",
            "build_context",
            "forget",
            "close_loop",
            "history",
            "list_scopes",
        ];
        let served: Value = serde_json::from_str(TOOLS_LIST_FULL).unwrap();
        let mut n_found = 0;
        for tool in served.as_array().unwrap() {
            if !TOOLS.contains(&tool["name"].as_str().unwrap()) {
                continue;
            }
            n_found += 1;
            for name in tool["inputSchema"]["properties"]
                .as_object()
                .unwrap()
                .keys()
            {
                let has_word = argument(&format!("/{name}")).is_some();
                assert_ne!(has_word, UNSET.contains(&name.as_str()), "{name}");
            }
        }
        assert_eq!(n_found, TOOLS.len());
    }
}
