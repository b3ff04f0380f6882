//! Makes inputs out of seeds: the same number gives the same inputs.
//!
//! Knows bytes, lines and JSON, and the edges of each. It is also part of the
//! tests that drive the built program, so it must not use anything but JSON.

use serde_json::{Map, Value, json};

/// Longest input that is made, in bytes; beyond it nothing new is reached and
/// every input costs more.
const MAX_BYTES: usize = 64 * 1024;

/// Texts that are an edge for somebody, whatever they are written into.
const EDGES: &[&str] = &[
    "",
    " ",
    "\0",
    "\u{1}",
    "\u{7}\u{1b}[2J",
    "\r\n",
    "\u{85}",
    "\u{a0}",
    "\u{ad}",
    "\u{200b}",
    "\u{200c}",
    "\u{2007}",
    "\u{2028}",
    "\u{202e}",
    "\u{feff}",
    "\u{fdd0}",
    "\u{fffe}",
    "\u{fffd}",
    "\u{10ffff}",
    "\u{130}",
    "\u{131}",
    "\u{df}",
    "\u{1e9e}",
    "e\u{301}",
    "\u{301}",
    "\u{345}",
    "\u{fb03}",
    "\u{ff21}\u{ff22}",
    "\u{ff02}",
    "\u{b4}",
    "\u{3099}",
    "\u{ff76}\u{ff9e}",
    "\u{1100}\u{1161}\u{11a8}",
    "\u{915}\u{94d}\u{937}",
    "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
    "\u{1f1e9}\u{1f1ea}",
    "\u{e0041}",
    "\u{2fa1d}",
    "\u{fdfa}",
    "\\ud800",
    "\\udc00\\ud800",
    "\\u0000",
    "%00",
    "%ff",
    "%2e%2e%2f",
    "../../",
    "C:\\",
    "\\\\?\\",
    "\"",
    "'",
    "`",
    "\\",
    "*",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "--",
    ";",
    ":",
    ",",
    "NEAR(",
    " OR ",
    " AND NOT ",
    "'; DROP TABLE memory; --",
    "$(touch x)",
    "<|endoftext|>",
    "</memory>",
    "null",
    "true",
    "NaN",
    "-0",
    "1e309",
    "0.1",
    "9007199254740993",
    "-9223372036854775808",
    "18446744073709551616",
    "1970-01-01T00:00:00Z",
    "9999-12-31T23:59:60.999999999+23:59",
    "-000001-01-01",
];

/// A source of numbers that look like chance.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Returns the source that a number starts.
    pub fn new(seed: u64) -> Self {
        // Zero is the one state that the steps below never leave.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below this one, and zero below zero.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 24).unwrap_or(0) % end.max(1)
    }

    /// Returns one of these.
    pub fn choose<'a, T>(&mut self, among: &'a [T]) -> Option<&'a T> {
        among.get(self.below(among.len()))
    }
}

/// Makes one input after another.
pub struct Mutator {
    random: Random,
    seeds: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

impl Mutator {
    /// Returns the mutator of these seeds; words are put into inputs as they
    /// are.
    pub fn new(seed: u64, seeds: Vec<Vec<u8>>, words: &[&str]) -> Self {
        let mut words: Vec<Vec<u8>> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        // What the seeds are made of goes well in other places.
        for seed in &seeds {
            let pieces = seed.split(|byte| !byte.is_ascii_alphanumeric() && *byte < 0x80);
            words.extend(pieces.filter(|piece| piece.len() > 2).map(<[u8]>::to_vec));
        }
        words.sort();
        words.dedup();
        words.retain(|word| word.len() <= 64);
        Self {
            random: Random::new(seed),
            seeds,
            words,
        }
    }

    /// Returns the next input.
    pub fn next_input(&mut self) -> Vec<u8> {
        let mut input = self.seed();
        if self.random.below(3) == 0
            && let Some(changed) = self.as_json(&input)
        {
            input = changed;
            if self.random.below(2) == 0 {
                return input;
            }
        }
        for _ in 0..=self.random.below(5) {
            self.change(&mut input);
        }
        input.truncate(MAX_BYTES);
        input
    }

    fn seed(&mut self) -> Vec<u8> {
        let at = self.random.below(self.seeds.len());
        self.seeds.get(at).cloned().unwrap_or_default()
    }

    fn word(&mut self) -> Vec<u8> {
        if self.random.below(2) == 0
            && let Some(word) = self.random.choose(&self.words)
        {
            return word.clone();
        }
        let edge = self.random.choose(EDGES).copied().unwrap_or_default();
        edge.as_bytes().to_vec()
    }

    /// Changes one place of an input.
    fn change(&mut self, input: &mut Vec<u8>) {
        let at = self.random.below(input.len() + 1);
        let length = 1 + self.random.below(8);
        let end = (at + length).min(input.len());
        match self.random.below(12) {
            0 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte = u8::try_from(self.random.below(256)).unwrap_or(0);
                }
            }
            1 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << self.random.below(8);
                }
            }
            2 => drop(input.drain(at..end)),
            3 => input.truncate(at),
            4 | 5 => {
                let word = self.word();
                drop(input.splice(at..at, word));
            }
            6 => {
                let word = self.word();
                drop(input.splice(at..end, word));
            }
            7 => {
                // The same piece again and again.
                let piece: Vec<u8> = input.get(at..end).unwrap_or_default().to_vec();
                let times = 1 << self.random.below(9);
                drop(input.splice(at..at, piece.repeat(times)));
            }
            8 => {
                // The end of another seed.
                let other = self.seed();
                let from = self.random.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(other.get(from..).unwrap_or_default());
            }
            9 => self.change_number(input),
            10 => self.move_line(input),
            _ => {
                let c = char::from_u32(u32::try_from(self.random.below(0x11_0000)).unwrap_or(0));
                let mut bytes = [0; 4];
                let text = c.unwrap_or('\u{fffd}').encode_utf8(&mut bytes);
                drop(input.splice(at..at, text.bytes()));
            }
        }
    }

    /// Puts another number where there is one.
    fn change_number(&mut self, input: &mut Vec<u8>) {
        let starts: Vec<usize> = (0..input.len())
            .filter(|at| input.get(*at).is_some_and(u8::is_ascii_digit))
            .collect();
        let Some(start) = self.random.choose(&starts).copied() else {
            return;
        };
        let length = input
            .iter()
            .skip(start)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let number: i128 = match self.random.below(8) {
            0 => 0,
            1 => -1,
            2 => i128::from(u32::MAX),
            3 => i128::from(i64::MAX),
            4 => i128::from(i64::MIN),
            5 => i128::from(u64::MAX) + 1,
            6 => 1 << self.random.below(70),
            _ => i128::try_from(self.random.below(1000)).unwrap_or(0),
        };
        drop(input.splice(start..start + length, number.to_string().into_bytes()));
    }

    /// Takes a line out and puts it, or twice, or none of it, elsewhere.
    fn move_line(&mut self, input: &mut Vec<u8>) {
        let mut lines: Vec<Vec<u8>> = input
            .split(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        let from = self.random.below(lines.len());
        let line = lines.remove(from);
        for _ in 0..self.random.below(3) {
            let to = self.random.below(lines.len() + 1);
            lines.insert(to, line.clone());
        }
        *input = lines.join(&b'\n');
    }

    /// Changes a document, or one document of several lines, in one of its
    /// values or keys; `None` when it is none.
    fn as_json(&mut self, input: &[u8]) -> Option<Vec<u8>> {
        if let Ok(mut value) = serde_json::from_slice::<Value>(input) {
            self.change_value(&mut value);
            return Some(self.written(&value));
        }
        let mut lines: Vec<Vec<u8>> = input
            .split(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        let at = self.random.below(lines.len());
        let line = lines.get_mut(at)?;
        let mut value: Value = serde_json::from_slice(line).ok()?;
        self.change_value(&mut value);
        *line = self.written(&value);
        Some(lines.join(&b'\n'))
    }

    /// Writes a document; sometimes with a key twice, which no value can hold.
    fn written(&mut self, value: &Value) -> Vec<u8> {
        let text = value.to_string();
        if let Value::Object(fields) = value
            && self.random.below(8) == 0
        {
            let names: Vec<&String> = fields.keys().collect();
            if let Some(name) = self.random.choose(&names) {
                let again = self.odd_value(2);
                let head = text.trim_end_matches('}');
                return format!("{head},{}:{again}}}", json!(name)).into_bytes();
            }
        }
        text.into_bytes()
    }

    /// Changes a value in one place at some depth.
    pub fn change_value(&mut self, value: &mut Value) {
        let goes_in = self.random.below(5) > 0;
        match value {
            Value::Object(fields) if goes_in && !fields.is_empty() => {
                let at = self.random.below(fields.len());
                let Some(name) = fields.keys().nth(at).cloned() else {
                    return;
                };
                match self.random.below(8) {
                    0 => drop(fields.shift_remove(&name)),
                    1 => {
                        // A key of another name, with what the first one had.
                        let inner = fields.get(&name).cloned().unwrap_or_default();
                        let other = String::from_utf8_lossy(&self.word()).into_owned();
                        fields.insert(other, inner);
                    }
                    _ => {
                        if let Some(inner) = fields.get_mut(&name) {
                            self.change_value(inner);
                        }
                    }
                }
            }
            Value::Array(items) if goes_in && !items.is_empty() => {
                let at = self.random.below(items.len());
                match self.random.below(6) {
                    0 => drop(items.remove(at)),
                    1 => {
                        let item = items.get(at).cloned().unwrap_or_default();
                        let times = 1 << self.random.below(8);
                        items.extend(std::iter::repeat_n(item, times));
                    }
                    _ => {
                        if let Some(item) = items.get_mut(at) {
                            self.change_value(item);
                        }
                    }
                }
            }
            Value::String(text) if goes_in => {
                let mut bytes = std::mem::take(text).into_bytes();
                self.change(&mut bytes);
                *text = String::from_utf8_lossy(&bytes).into_owned();
            }
            other => *other = self.odd_value(3),
        }
    }

    /// Returns a value of any type.
    pub fn odd_value(&mut self, depth: usize) -> Value {
        match self.random.below(if depth == 0 { 8 } else { 11 }) {
            0 => Value::Null,
            1 => json!(self.random.below(2) == 0),
            2 => json!(self.random.choose(&[0, -1, 1, i64::MAX, i64::MIN])),
            3 => json!(self.random.choose(&[0.5, -0.0, 1e300, 1e-300, 2.0])),
            4 => json!(u64::MAX),
            5 => json!("x".repeat(1 << self.random.below(15))),
            6 | 7 => json!(String::from_utf8_lossy(&self.word())),
            8 => {
                let n_items = self.random.below(4);
                (0..n_items).map(|_| self.odd_value(depth - 1)).collect()
            }
            9 => {
                let n_fields = self.random.below(4);
                let fields: Map<String, Value> = (0..n_fields)
                    .map(|_| {
                        let name = String::from_utf8_lossy(&self.word()).into_owned();
                        (name, self.odd_value(depth - 1))
                    })
                    .collect();
                Value::Object(fields)
            }
            _ => {
                let levels = self.random.choose(&[3, 60, 126]).copied().unwrap_or(3);
                (0..levels).fold(json!(1), |inner, _| json!([inner]))
            }
        }
    }
}
