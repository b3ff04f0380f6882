//! Strings: patterns, lengths and, where they are enforced, formats.

use super::goal::State;
use super::json::Json;
use super::product::{Text, Wanted};
use super::search::{Outcome, Search};
use super::stock;

/// Texts of the formats that handlers enforce, and some of none.
const SAMPLES: [&str; 8] = [
    "2000-01-01T00:00:00Z",
    "2000-01-01",
    "00:00:00Z",
    "00000000-0000-4000-8000-000000000000",
    "a@example.org",
    "https://example.org/",
    "a",
    "127.0.0.1",
];

impl Search {
    /// Looks for a string.
    pub fn text(&mut self, state: &State) -> Outcome {
        let texts = &state.texts;
        let excluded: Vec<&str> = state.excluded.iter().filter_map(Json::as_str).collect();
        let (steps, max_steps) = (&mut self.steps, self.max_steps);
        let mut spend = |n: u64| {
            *steps = steps.saturating_add(n);
            *steps <= max_steps
        };
        // A pattern that is no automaton is left to the validator.
        let mut unclear = None;
        let mut patterns = Vec::new();
        for (pattern, wanted) in &texts.patterns {
            match self.arena.nfa(*pattern) {
                Ok(nfa) => patterns.push((nfa, *wanted)),
                Err(why) => unclear = Some(why.to_owned()),
            }
        }
        let wanted = Wanted {
            patterns,
            min: texts.min,
            max: texts.max,
            excluded,
        };
        let found = match wanted.find(&mut spend) {
            Text::Found(text) => text,
            Text::None => return Outcome::Empty,
            Text::Unknown(why) => return Outcome::Unknown(why),
        };
        if let Some(why) = unclear {
            return Outcome::Unknown(why);
        }
        if texts.formats.is_empty() {
            return Outcome::Witness(Json::String(found));
        }
        let candidates = SAMPLES.iter().map(|sample| (*sample).to_owned());
        for text in [found].into_iter().chain(candidates) {
            let mut formats = texts.formats.iter();
            if formats.all(|(name, wanted)| stock::has_format(name, &text) == Some(*wanted))
                && wanted.accepts(&text)
            {
                return Outcome::Witness(Json::String(text));
            }
        }
        Outcome::Unknown("a format leaves open which strings there are".to_owned())
    }
}
