//! Composes the connect-time text from whole segments under the client's cap.

use contract::constants::{INSTRUCTIONS, SegmentBody, Slot, TOOLSETS};

/// What the server fills in.
pub struct Facts<'a> {
    /// Standing rules of the caller, pinned first; nothing when they could not
    /// be read in time.
    pub rules: Option<&'a [String]>,
    /// Scope path of the project that the session works in.
    pub attached_project: Option<&'a str>,
    /// The session was started for a project that is not looked up yet.
    pub awaits_project: bool,
    /// Name of the toolset that is offered.
    pub toolset: &'a str,
}

/// The text and what had to be left out of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Composed {
    /// Whole segments, highest priority first.
    pub text: String,
    /// Ids of the segments that did not fit or could not be read in time.
    pub dropped: Vec<&'static str>,
}

/// Returns the text for a client with this cap.
///
/// Segments come in order of priority, and one that would not fit is left out
/// as a whole: half a rule is worse than none.
pub fn compose(facts: &Facts<'_>, cap: Option<usize>) -> Composed {
    let mut composed = Composed {
        text: String::new(),
        dropped: Vec::new(),
    };
    for segment in INSTRUCTIONS {
        if segment.uncapped_only && cap.is_some() {
            continue;
        }
        let body = match segment.body {
            SegmentBody::Text(text) => Some(text.to_owned()),
            SegmentBody::Slot(slot) if is_unread(slot, facts) => {
                composed.dropped.push(segment.id);
                continue;
            }
            SegmentBody::Slot(slot) => fill(slot, facts),
        };
        let Some(body) = body else {
            continue;
        };
        let separator = if composed.text.is_empty() { "" } else { "\n\n" };
        let length = composed.text.len() + separator.len() + body.len();
        if cap.is_some_and(|cap| length > cap) {
            composed.dropped.push(segment.id);
            continue;
        }
        composed.text.push_str(separator);
        composed.text.push_str(&body);
    }
    composed
}

/// Whether there may be something to fill in that nobody knows yet.
fn is_unread(slot: Slot, facts: &Facts<'_>) -> bool {
    match slot {
        Slot::Rules => facts.rules.is_none(),
        Slot::AttachedProject => facts.awaits_project,
        Slot::Toolset => false,
    }
}

fn fill(slot: Slot, facts: &Facts<'_>) -> Option<String> {
    match slot {
        Slot::Rules => facts
            .rules
            .filter(|rules| !rules.is_empty())
            .map(|rules| format!("Standing rules:\n- {}", rules.join("\n- "))),
        Slot::AttachedProject => facts.attached_project.map(|scope| {
            format!("This session works in {scope}; writes without a target go there.")
        }),
        Slot::Toolset => TOOLSETS
            .iter()
            .find(|(name, _)| *name == facts.toolset)
            .map(|(_, words)| (*words).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(rules: &[String]) -> Facts<'_> {
        Facts {
            rules: Some(rules),
            attached_project: Some("proj.me.shop"),
            awaits_project: false,
            toolset: "core",
        }
    }

    /// Returns every segment as it reads when nothing is left out.
    fn segments(facts: &Facts<'_>, is_capped: bool) -> Vec<(&'static str, String)> {
        INSTRUCTIONS
            .iter()
            .filter(|segment| !(is_capped && segment.uncapped_only))
            .filter_map(|segment| {
                let body = match segment.body {
                    SegmentBody::Text(text) => Some(text.to_owned()),
                    SegmentBody::Slot(slot) => fill(slot, facts),
                };
                Some((segment.id, body?))
            })
            .collect()
    }

    #[test]
    fn whole_segments_are_kept_or_dropped_under_any_cap() {
        for n_rules in [0, 1, 12, 500] {
            let rules: Vec<String> = (0..n_rules)
                .map(|index| format!("Rule number {index}: always say why."))
                .collect();
            let facts = facts(&rules);
            for cap in (0..3000).step_by(7).map(Some).chain([None]) {
                let composed = compose(&facts, cap);
                assert!(cap.is_none_or(|cap| composed.text.len() <= cap));
                let all = segments(&facts, cap.is_some());
                let kept: Vec<&str> = all
                    .iter()
                    .filter(|(id, _)| !composed.dropped.contains(id))
                    .map(|(_, body)| body.as_str())
                    .collect();
                assert_eq!(composed.text, kept.join("\n\n"), "{n_rules} rules, {cap:?}");
                assert!(
                    composed
                        .dropped
                        .iter()
                        .all(|id| all.iter().any(|(known, _)| known == id))
                );
            }
        }
    }

    #[test]
    fn the_shortest_known_cap_drops_rules_only_when_they_are_many() {
        for (n_rules, dropped) in [(0, false), (1, false), (12, false), (500, true)] {
            let rules: Vec<String> = (0..n_rules)
                .map(|index| format!("Rule number {index}: always say why."))
                .collect();
            let composed = compose(&facts(&rules), Some(2048));
            assert_eq!(
                composed.dropped,
                if dropped { vec!["rules"] } else { vec![] }
            );
            let shown = composed.text.matches("Rule number").count();
            assert_eq!(shown, if dropped { 0 } else { n_rules });
        }
    }

    #[test]
    fn what_was_not_read_in_time_counts_as_dropped() {
        let unread = Facts {
            rules: None,
            attached_project: None,
            awaits_project: true,
            toolset: "core",
        };
        assert_eq!(compose(&unread, None).dropped, ["attached", "rules"]);
        // A capped client never gets the note on the project.
        assert_eq!(compose(&unread, Some(2048)).dropped, ["rules"]);
    }

    #[test]
    fn an_uncapped_client_gets_everything() {
        let rules: Vec<String> = (0..500).map(|index| format!("Rule {index}.")).collect();
        let composed = compose(&facts(&rules), None);
        assert_eq!(composed.dropped, Vec::<&str>::new());
        assert!(composed.text.contains("Rule 499."));
        assert!(composed.text.contains("proj.me.shop"));
    }
}
