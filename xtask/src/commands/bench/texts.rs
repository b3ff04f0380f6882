//! What is stored and asked in the measurements: dialogue turns of the LoCoMo
//! data set when it is present, else made-up notes with the word frequencies
//! of natural language.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// Texts to store and queries to ask.
pub struct Texts {
    /// Where they come from, for the report.
    pub source: &'static str,
    turns: Vec<String>,
    queries: Vec<String>,
}

impl Texts {
    /// Reads the data set, or makes notes up when it is absent.
    pub fn load(data: &Path) -> Result<Self> {
        let path = data.join("locomo10.json");
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                Self::locomo(&serde_json::from_str(&text).context("the data set is no JSON")?)
            }
            Err(_) => Ok(Self::made_up()),
        }
    }

    fn locomo(samples: &Value) -> Result<Self> {
        let mut turns = Vec::new();
        let mut queries = Vec::new();
        for sample in samples.as_array().context("the data set is a list")? {
            let sessions = sample.get("conversation").and_then(Value::as_object);
            for session in sessions
                .into_iter()
                .flatten()
                .filter_map(|(_, value)| value.as_array())
            {
                for turn in session {
                    let text =
                        |key: &str| turn.get(key).and_then(Value::as_str).unwrap_or_default();
                    turns.push(format!("{}: {}", text("speaker"), text("text")));
                }
            }
            let questions = sample.get("qa").and_then(Value::as_array);
            for question in questions.into_iter().flatten() {
                if let Some(text) = question.get("question").and_then(Value::as_str) {
                    queries.push(text.to_owned());
                }
            }
        }
        Ok(Self {
            source: "LoCoMo turns and questions",
            turns,
            queries,
        })
    }

    fn made_up() -> Self {
        let mut dice = Dice(42);
        let mut sentence = |n_words: usize| {
            (0..n_words)
                .map(|_| word(dice.zipf()))
                .collect::<Vec<_>>()
                .join(" ")
        };
        Self {
            source: "made-up notes (Zipf, 20,000 words; the LoCoMo file is absent)",
            turns: (0..6_000).map(|_| sentence(25)).collect(),
            queries: (0..500).map(|_| sentence(8)).collect(),
        }
    }

    /// Returns the text of memory number `index`; no two are alike.
    pub fn text(&self, index: usize) -> String {
        let turn = self.turns.get(index % self.turns.len().max(1));
        let turn = turn.map(String::as_str).unwrap_or_default();
        format!("{turn} (note {index})")
    }

    /// Returns query number `index`, from the beginning again after the last.
    pub fn query(&self, index: usize) -> &str {
        // A stride without common factors spreads the conversations.
        let place = index * 7 % self.queries.len().max(1);
        self.queries
            .get(place)
            .map(String::as_str)
            .unwrap_or_default()
    }
}

/// A word of the made-up language, the same for the same rank.
fn word(rank: usize) -> String {
    const ONSETS: [&str; 16] = [
        "b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "st", "tr",
    ];
    const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];
    let mut text = String::new();
    let mut rest = rank + 80;
    while rest > 0 {
        text.push_str(ONSETS.get(rest % 16).copied().unwrap_or_default());
        rest /= 16;
        text.push_str(VOWELS.get(rest % 5).copied().unwrap_or_default());
        rest /= 5;
    }
    text
}

/// A small generator, so that every run measures the same texts.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a rank below 20,000 with the frequencies of Zipf's law.
    fn zipf(&mut self) -> usize {
        #[expect(clippy::cast_precision_loss, reason = "53 bits are enough for a draw")]
        let uniform = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        // The inverse of the continuous law with exponent 1.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the power lies between 1 and 20,000"
        )]
        let rank = 20_000_f64.powf(uniform) as usize;
        rank
    }
}
