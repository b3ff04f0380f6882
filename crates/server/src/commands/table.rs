//! Lays rows out for a person at a terminal of any width. What is stored
//! cannot move the cursor, and text of any script keeps its column.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns between two cells.
const GAP: usize = 2;

/// Columns that the last cell needs to stand beside the others; in fewer it
/// goes below them.
const LEAST: usize = 24;

/// Columns when nobody says how many there are.
const USUAL: usize = 80;

/// Rows under heads. The last column takes the room that is left.
pub struct Table {
    heads: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// Lines of the last cell at most; nothing where it stays whole on one.
    lines: Option<usize>,
}

impl Table {
    /// Returns an empty table whose last column shows so many lines of a cell
    /// at most.
    pub fn new(heads: &[&'static str], lines: usize) -> Self {
        Self {
            heads: heads.to_vec(),
            rows: Vec::new(),
            lines: Some(lines),
        }
    }

    /// Returns an empty table whose last column is never cut, for what is
    /// copied as a whole, such as a path.
    pub fn whole(heads: &[&'static str]) -> Self {
        Self {
            heads: heads.to_vec(),
            rows: Vec::new(),
            lines: None,
        }
    }

    /// Adds a row; every cell is made harmless here.
    pub fn add(&mut self, cells: &[&str]) {
        self.rows
            .push(cells.iter().map(|cell| harmless(cell)).collect());
    }

    /// Returns the lines for a terminal of this many columns.
    pub fn render(&self, columns: usize) -> String {
        let n_fixed = self.heads.len().saturating_sub(1);
        let widths: Vec<usize> = (0..n_fixed)
            .map(|column| {
                let head = self.heads.get(column).map_or(0, |head| head.width());
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| cell.width()).fold(head, usize::max)
            })
            .collect();
        let taken: usize = widths.iter().map(|width| width + GAP).sum();
        let left = columns.saturating_sub(taken);
        let mut lines = Vec::new();
        let widest = self.rows.iter().filter_map(|row| row.last());
        let widest = widest.map(|cell| cell.width()).max().unwrap_or_default();
        let fits = left >= LEAST && (self.lines.is_some() || widest <= left);
        if fits || n_fixed == 0 {
            lines.push(beside(&self.heads, &widths, ""));
            for row in &self.rows {
                let text = row.last().map(String::as_str).unwrap_or_default();
                for (index, piece) in self.cut(text, left).iter().enumerate() {
                    let cells: Vec<&str> = if index == 0 {
                        row.iter().map(String::as_str).collect()
                    } else {
                        vec![""; row.len()]
                    };
                    lines.push(beside(&cells, &widths, piece));
                }
            }
        } else if taken <= columns + GAP {
            let heads: Vec<&str> = self.heads.iter().take(n_fixed).copied().collect();
            lines.push(beside(&heads, &widths, ""));
            for row in &self.rows {
                let fixed: Vec<&str> = row.iter().take(n_fixed).map(String::as_str).collect();
                lines.push(beside(&fixed, &widths, ""));
                lines.extend(self.below(row, columns));
            }
        } else {
            for row in &self.rows {
                let cells = self.heads.iter().zip(row).take(n_fixed);
                for (head, cell) in cells.filter(|(_, cell)| !cell.is_empty()) {
                    let together = format!("{head}: {cell}");
                    if together.width() <= columns {
                        lines.push(together);
                    } else {
                        // Never cut: it is copied as a whole, such as an id.
                        lines.extend([format!("{head}:"), cell.clone()]);
                    }
                }
                lines.extend(self.below(row, columns));
            }
        }
        lines.join("\n")
    }

    /// Returns the last cell of a row as lines of their own.
    fn below(&self, row: &[String], columns: usize) -> Vec<String> {
        let text = row.last().map(String::as_str).unwrap_or_default();
        let room = columns.saturating_sub(GAP).max(1);
        let indented = |piece: &String| format!("{:GAP$}{piece}", "").trim_end().to_owned();
        self.cut(text, room).iter().map(indented).collect()
    }

    /// Returns the lines of the last cell, and a mark where some were left out.
    fn cut(&self, text: &str, width: usize) -> Vec<String> {
        let Some(most) = self.lines else {
            return vec![text.to_owned()];
        };
        let mut lines = wrapped(text, width);
        if lines.len() > most {
            lines.truncate(most);
            if let Some(last) = lines.last_mut() {
                while last.width() + 1 > width && last.pop().is_some() {}
                last.push('…');
            }
        }
        lines
    }
}

/// Returns a line of cells; the last one is replaced by `text` if that says
/// something.
fn beside(cells: &[&str], widths: &[usize], text: &str) -> String {
    let mut line = String::new();
    for (index, cell) in cells.iter().enumerate() {
        match widths.get(index) {
            Some(width) => {
                line.push_str(cell);
                let pad = width.saturating_sub(cell.width()) + GAP;
                line.extend(std::iter::repeat_n(' ', pad));
            }
            None if text.is_empty() => line.push_str(cell),
            None => line.push_str(text),
        }
    }
    line.trim_end().to_owned()
}

/// Returns text in lines of at most so many columns, cut at spaces where there
/// are any.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
            let with_space = usize::from(!line.is_empty());
            if line.width() + with_space + word.width() <= width {
                if with_space == 1 {
                    line.push(' ');
                }
                line.push_str(word);
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            for letter in word.chars() {
                if line.width() + letter.width().unwrap_or(0) > width {
                    lines.push(std::mem::take(&mut line));
                }
                line.push(letter);
            }
        }
        lines.push(line);
    }
    lines
}

/// Returns text that a terminal only shows: what would move its cursor, change
/// its colours or turn the direction of reading stands there as its number.
/// Line breaks stay.
pub fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => shown.push('\n'),
            '\t' => shown.push(' '),
            letter if letter.is_control() || turns(letter) => {
                shown.extend(letter.escape_unicode());
            }
            letter => shown.push(letter),
        }
    }
    shown
}

/// Returns JSON, or lines of it, of the same meaning that a terminal only
/// shows.
pub fn harmless_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for letter in json.chars() {
        // Between its texts JSON has no such letter but line breaks.
        if letter != '\n' && (letter.is_control() || turns(letter)) {
            let mut units = [0; 2];
            for unit in letter.encode_utf16(&mut units) {
                shown.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Whether a letter is invisible and changes how others are shown.
fn turns(letter: char) -> bool {
    matches!(letter,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}'
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns how many columns the terminal has.
pub fn columns() -> usize {
    let asked = std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.parse().ok())
        .filter(|columns| *columns > 0);
    asked
        .or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)))
        .unwrap_or(USUAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["ID", "KIND", "TEXT"], 2);
        table.add(&[
            "mem_1",
            "fact",
            "The roof is red and the door is blue today.",
        ]);
        table.add(&[
            "mem_22",
            "決定",
            "屋根は赤で、扉は青です。毎年塗り直します。",
        ]);
        table.add(&["mem_3", "note", "a\u{1b}[31mb\u{202e}c"]);
        table
    }

    #[test]
    fn columns_line_up_in_every_script() {
        assert_eq!(
            table().render(40),
            "ID      KIND  TEXT\n\
             mem_1   fact  The roof is red and the\n\
             \u{20}             door is blue today.\n\
             mem_22  決定  屋根は赤で、扉は青です。毎\n\
             \u{20}             年塗り直します。\n\
             mem_3   note  a\\u{1b}[31mb\\u{202e}c"
        );
    }

    #[test]
    fn in_few_columns_the_text_goes_below() {
        assert_eq!(
            table().render(24),
            "ID      KIND\n\
             mem_1   fact\n\
             \u{20} The roof is red and\n\
             \u{20} the door is blue…\n\
             mem_22  決定\n\
             \u{20} 屋根は赤で、扉は青です\n\
             \u{20} 。毎年塗り直します。\n\
             mem_3   note\n\
             \u{20} a\\u{1b}[31mb\\u{202e}c"
        );
    }

    #[test]
    fn where_columns_do_not_fit_every_cell_says_what_it_is() {
        assert_eq!(
            table().render(11),
            "ID: mem_1\n\
             KIND: fact\n\
             \u{20} The roof\n\
             \u{20} is red…\n\
             ID: mem_22\n\
             KIND: 決定\n\
             \u{20} 屋根は赤\n\
             \u{20} で、扉は…\n\
             ID: mem_3\n\
             KIND: note\n\
             \u{20} a\\u{1b}[3\n\
             \u{20} 1mb\\u{20…"
        );
        assert!(table().render(9).contains("\nID:\nmem_22\nKIND:\n決定\n"));
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for columns in 8..120 {
            for line in table().render(columns).lines() {
                assert!(line.width() <= columns, "{columns}: {line}");
            }
        }
    }

    #[test]
    fn what_turns_the_direction_of_reading_is_known() {
        // Unicode: the property Bidi_Control, the separators of lines, the mark
        // of byte order, and tags.
        let known = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\
            \u{2066}\u{2067}\u{2068}\u{2069}\u{2028}\u{2029}\u{feff}\u{e0001}\u{e0061}\u{e007f}";
        for letter in known.chars() {
            assert!(
                !harmless(&letter.to_string()).contains(letter),
                "{letter:?}"
            );
        }
        for letter in "aé屋😀\u{200b}\u{200d}".chars() {
            assert_eq!(harmless(&letter.to_string()), letter.to_string());
        }
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown_as_its_number() {
        for letter in (0..=0x10_ffff).filter_map(char::from_u32) {
            let shown = harmless(&letter.to_string());
            let kept = shown.chars().any(|shown| shown == letter);
            let obeyed = (letter.is_control() && letter != '\n') || turns(letter);
            assert_eq!(kept, !obeyed, "{}", letter.escape_unicode());
            let json = serde_json::to_string(&letter).unwrap();
            let shown = harmless_json(&json);
            let kept = shown.chars().any(|shown| shown == letter);
            assert!(!(kept && obeyed), "{}", letter.escape_unicode());
            let read: char = serde_json::from_str(&shown).unwrap();
            assert_eq!(read, letter);
        }
    }
}
