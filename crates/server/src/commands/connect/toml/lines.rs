//! The line ends of a TOML document: the editor forgets them.

use toml_edit::DocumentMut;

/// Returns the text of a document, with the line ends of the old one: the
/// editor forgets them. Every old line keeps its own, and new ones end as most
/// do.
pub fn written(document: &DocumentMut, old: &str) -> String {
    const WINDOWS: &str = "\r\n";
    let mut text = document.to_string();
    // A last line that is theirs needs no end that it did not have.
    let last = |text: &str| text.lines().next_back().map(str::to_owned);
    if !old.ends_with('\n') && last(old) == last(&text) {
        text.truncate(text.trim_end_matches('\n').len());
    }
    let n_windows = old.matches(WINDOWS).count();
    if n_windows == 0 {
        return text;
    }
    let bare = |line: &str| line.trim_end_matches(['\r', '\n']).to_owned();
    let usual = n_windows * 2 > old.matches('\n').count();
    let olds: Vec<(String, bool)> = old
        .split_inclusive('\n')
        .map(|line| {
            let is_windows = line.ends_with(WINDOWS) || (!line.ends_with('\n') && usual);
            (bare(line), is_windows)
        })
        .collect();
    let news: Vec<&str> = text.split_inclusive('\n').collect();
    let n_after = olds
        .iter()
        .rev()
        .zip(news.iter().rev())
        .take_while(|((old, _), new)| *old == bare(new))
        .count();
    // The lines at the end stand for themselves; those before are found in
    // their order.
    let n_before = news.len() - n_after;
    let n_sought = olds.len() - n_after;
    let mut next = 0;
    let mut written = String::with_capacity(text.len() + n_windows);
    for (index, line) in news.iter().enumerate() {
        let found = if index >= n_before {
            olds.get(index - n_before + n_sought)
        } else {
            let sought = olds.iter().enumerate().take(n_sought).skip(next);
            let found = sought.into_iter().find(|(_, (old, _))| *old == bare(line));
            next = found.map_or(next, |(at, _)| at + 1);
            found.map(|(_, old)| old)
        };
        written.push_str(&bare(line));
        if line.ends_with('\n') {
            let is_windows = found.map_or(usual, |(_, is_windows)| *is_windows);
            written.push_str(if is_windows { WINDOWS } else { "\n" });
        }
    }
    written
}
