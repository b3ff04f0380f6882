//! Reads the patterns of ECMA-262 as far as they describe regular sets;
//! look-around, back references and word boundaries are refused by name.

/// Ranges of code points, in order and apart.
pub type Class = Vec<(u32, u32)>;

/// Deepest nesting of groups.
const MAX_DEPTH: usize = 100;
/// Largest count in a quantifier; beyond, no automaton would be built anyway.
const MAX_COUNT: u32 = 100_000;
/// Every code point that a string can hold.
pub const ALL: [(u32, u32); 2] = [(0, 0xD7FF), (0xE000, 0x10_FFFF)];

/// A pattern.
#[derive(Clone, Debug)]
pub enum Tree {
    /// The empty text.
    Empty,
    /// One character of a class.
    Class(Class),
    /// One after the other.
    Cat(Vec<Tree>),
    /// One of several.
    Alt(Vec<Tree>),
    /// A number of times.
    Repeat(Box<Tree>, u32, Option<u32>),
    /// `^`.
    Start,
    /// `$`.
    End,
}

/// Reads a pattern; an error says what is not understood.
pub fn parse(source: &str) -> Result<Tree, String> {
    let mut parser = Parser {
        chars: source.chars().collect(),
        at: 0,
        depth: 0,
    };
    let tree = parser.alternatives()?;
    match parser.peek() {
        None => Ok(tree),
        Some(_) => Err("a pattern has an unmatched parenthesis".to_owned()),
    }
}

/// Sorts and joins ranges.
fn normal(mut class: Class) -> Class {
    class.sort_unstable();
    let mut joined: Class = Vec::new();
    for (low, high) in class {
        match joined.last_mut() {
            Some((_, end)) if low <= end.saturating_add(1) => *end = high.max(*end),
            _ => joined.push((low, high)),
        }
    }
    joined
}

/// Returns what both classes hold.
fn intersection(one: &[(u32, u32)], other: &[(u32, u32)]) -> Class {
    let pairs = one
        .iter()
        .flat_map(|a| other.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
    pairs.filter(|(low, high)| low <= high).collect()
}

fn negated(class: &[(u32, u32)]) -> Class {
    let mut rest = Vec::new();
    let mut from = 0;
    for (low, high) in class {
        if *low > from {
            rest.push((from, low - 1));
        }
        from = high + 1;
    }
    if from <= 0x10_FFFF {
        rest.push((from, 0x10_FFFF));
    }
    intersection(&rest, &ALL)
}

fn one(c: char) -> Class {
    vec![(c.into(), c.into())]
}

fn digits() -> Class {
    vec![(0x30, 0x39)]
}

fn words() -> Class {
    vec![(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]
}

fn spaces() -> Class {
    normal(vec![
        (0x09, 0x0D),
        (0x20, 0x20),
        (0xA0, 0xA0),
        (0x1680, 0x1680),
        (0x2000, 0x200A),
        (0x2028, 0x2029),
        (0x202F, 0x202F),
        (0x205F, 0x205F),
        (0x3000, 0x3000),
        (0xFEFF, 0xFEFF),
    ])
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += 1;
        c
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self
            .chars
            .get(self.at..)
            .is_some_and(|rest| text.chars().eq(rest.iter().take(text.len()).copied()));
        if found {
            self.at += text.len();
        }
        found
    }

    fn alternatives(&mut self) -> Result<Tree, String> {
        let mut branches = vec![self.sequence()?];
        while self.eat("|") {
            branches.push(self.sequence()?);
        }
        Ok(match branches.len() {
            1 => branches.pop().unwrap_or(Tree::Empty),
            _ => Tree::Alt(branches),
        })
    }

    fn sequence(&mut self) -> Result<Tree, String> {
        let mut parts = Vec::new();
        while let Some(c) = self.peek() {
            if c == '|' || c == ')' {
                break;
            }
            let atom = self.atom()?;
            parts.push(self.quantified(atom)?);
        }
        Ok(Tree::Cat(parts))
    }

    fn atom(&mut self) -> Result<Tree, String> {
        Ok(match self.next() {
            Some('^') => Tree::Start,
            Some('$') => Tree::End,
            Some('.') => Tree::Class(negated(&[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)])),
            Some('(') => self.group()?,
            Some('[') => Tree::Class(self.class()?),
            Some('\\') => match self.peek() {
                Some('b' | 'B') => return Err("a pattern has a word boundary".to_owned()),
                Some('1'..='9' | 'k') => return Err("a pattern has a back reference".to_owned()),
                _ => Tree::Class(self.escape()?),
            },
            Some('*' | '+' | '?') => return Err("a pattern repeats nothing".to_owned()),
            Some(c) => Tree::Class(one(c)),
            None => Tree::Empty,
        })
    }

    fn group(&mut self) -> Result<Tree, String> {
        if self.eat("?:") {
        } else if ["?=", "?!", "?<=", "?<!"].iter().any(|look| self.eat(look)) {
            return Err("a pattern has look-around".to_owned());
        } else if self.eat("?<") {
            while self.next().is_some_and(|c| c != '>') {}
        } else if self.eat("?") {
            return Err("a pattern has a group of an unknown kind".to_owned());
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("a pattern nests too deep".to_owned());
        }
        let tree = self.alternatives()?;
        self.depth -= 1;
        if !self.eat(")") {
            return Err("a pattern has an unmatched parenthesis".to_owned());
        }
        Ok(tree)
    }

    fn quantified(&mut self, atom: Tree) -> Result<Tree, String> {
        let start = self.at;
        let (low, high) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.at += 1;
                match self.counts() {
                    Some(counts) => counts,
                    // A brace that counts nothing stands for itself.
                    None => {
                        self.at = start;
                        return Ok(atom);
                    }
                }
            }
            _ => return Ok(atom),
        };
        if self.at == start {
            self.at += 1;
        }
        // Greedy or lazy: the same texts match.
        self.eat("?");
        if low > MAX_COUNT || high.is_some_and(|high| high > MAX_COUNT || high < low) {
            return Err("a pattern counts too far".to_owned());
        }
        let again = matches!(self.peek(), Some('*' | '+' | '?'));
        if again || matches!(atom, Tree::Start | Tree::End) {
            return Err("a pattern repeats what cannot be repeated".to_owned());
        }
        Ok(Tree::Repeat(Box::new(atom), low, high))
    }

    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let low = self.number()?;
        let high = if self.eat(",") {
            if self.peek() == Some('}') {
                None
            } else {
                Some(self.number()?)
            }
        } else {
            Some(low)
        };
        self.eat("}").then_some((low, high))
    }

    fn number(&mut self) -> Option<u32> {
        let mut value: Option<u32> = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.at += 1;
            let so_far = value.unwrap_or(0);
            value = Some(so_far.saturating_mul(10).saturating_add(digit));
        }
        value
    }

    fn class(&mut self) -> Result<Class, String> {
        let negative = self.eat("^");
        let mut class = Vec::new();
        loop {
            let low = match self.next() {
                None => return Err("a pattern has an open bracket".to_owned()),
                Some(']') => break,
                Some('\\') => self.escape_in_class()?,
                Some(c) => one(c),
            };
            let is_range = self.peek() == Some('-')
                && self.chars.get(self.at + 1).is_some_and(|next| *next != ']');
            if !is_range {
                class.extend(low);
                continue;
            }
            self.at += 1;
            let high = match self.next() {
                Some('\\') => self.escape_in_class()?,
                Some(c) => one(c),
                None => return Err("a pattern has an open bracket".to_owned()),
            };
            match (low.as_slice(), high.as_slice()) {
                ([(from, a)], [(to, b)]) if from == a && to == b && from <= to => {
                    class.extend(intersection(&[(*from, *to)], &ALL));
                }
                _ => return Err("a pattern has an unordered range".to_owned()),
            }
        }
        let class = normal(class);
        Ok(if negative { negated(&class) } else { class })
    }

    fn escape_in_class(&mut self) -> Result<Class, String> {
        if self.eat("b") {
            return Ok(vec![(8, 8)]);
        }
        self.escape()
    }

    /// Reads what follows a backslash.
    fn escape(&mut self) -> Result<Class, String> {
        let bad = || "a pattern has a malformed escape".to_owned();
        let code = |code: u32| vec![(code, code)];
        Ok(match self.next().ok_or_else(bad)? {
            'd' => digits(),
            'D' => negated(&digits()),
            'w' => words(),
            'W' => negated(&words()),
            's' => spaces(),
            'S' => negated(&spaces()),
            't' => code(0x09),
            'n' => code(0x0A),
            'v' => code(0x0B),
            'f' => code(0x0C),
            'r' => code(0x0D),
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => code(0),
            'c' => match self.next() {
                Some(c) if c.is_ascii_alphabetic() => code(u32::from(c) % 32),
                _ => return Err(bad()),
            },
            'x' => code(self.hex(2).ok_or_else(bad)?),
            'u' => {
                let first = if self.eat("{") {
                    let mut value: u32 = 0;
                    while let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) {
                        self.at += 1;
                        value = value.saturating_mul(16).saturating_add(digit);
                    }
                    if !self.eat("}") || value > 0x10_FFFF {
                        return Err(bad());
                    }
                    value
                } else {
                    self.hex(4).ok_or_else(bad)?
                };
                if !(0xD800..0xE000).contains(&first) {
                    return Ok(code(first));
                }
                // Two halves make one code point; one alone is in no string.
                match (self.eat("\\u"), first) {
                    (true, ..0xDC00) => {
                        let low = self.hex(4).filter(|low| (0xDC00..0xE000).contains(low));
                        let low = low.ok_or_else(bad)?;
                        code(0x1_0000 + ((first - 0xD800) << 10) + (low - 0xDC00))
                    }
                    _ => return Err("a pattern has half a code point".to_owned()),
                }
            }
            kind @ ('p' | 'P') => {
                let mut name = String::new();
                if !self.eat("{") {
                    return Err(bad());
                }
                while let Some(c) = self.next().filter(|c| *c != '}') {
                    name.push(c);
                }
                property(&format!("\\{kind}{{{name}}}"))?
            }
            c if c.is_ascii_alphanumeric() => return Err("a pattern has an unknown escape".into()),
            c => one(c),
        })
    }

    fn hex(&mut self, n_digits: usize) -> Option<u32> {
        let digits = self.chars.get(self.at..self.at + n_digits)?;
        let text: String = digits.iter().collect();
        self.at += n_digits;
        text.bytes()
            .all(|byte| byte.is_ascii_hexdigit())
            .then_some(())?;
        u32::from_str_radix(&text, 16).ok()
    }
}

/// Looks a Unicode property up.
fn property(escape: &str) -> Result<Class, String> {
    let unknown = || "a pattern names an unknown property".to_owned();
    let hir = regex_syntax::parse(escape).map_err(|_| unknown())?;
    match hir.kind() {
        regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => {
            let ranges = class.iter();
            Ok(ranges
                .map(|range| (range.start().into(), range.end().into()))
                .collect())
        }
        _ => Err(unknown()),
    }
}
