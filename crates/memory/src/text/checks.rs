//! Tables for the normal forms, the tokens, the terms and the excerpts.

use super::tokens::TOKEN_CHARS;
use super::*;

#[test]
fn keys_are_equal_for_the_same_text_only() {
    let same = [
        ("caf\u{e9}", "cafe\u{301}"),
        ("  a b\n", "a b"),
        ("a\r\nb", "a\nb"),
    ];
    for (left, right) in same {
        assert_eq!(key(left), key(right));
    }
    let different = [
        ("export PATH", "EXPORT path"),
        ("a  b", "a b"),
        ("\u{ff21}", "A"),
        ("caf\u{e9}", "cafe"),
        ("run 41", "run 42"),
    ];
    for (left, right) in different {
        assert_ne!(key(left), key(right));
    }
}

#[test]
fn folding_follows_the_scripts() {
    let table = [
        ("Stra\u{df}e", "strasse"),
        ("STRASSE", "strasse"),
        ("STRA\u{1e9e}E", "strasse"),
        ("caf\u{e9}", "cafe"),
        ("cafe\u{301}", "cafe"),
        ("\u{130}stanbul", "istanbul"),
        ("ISPARTA \u{131}sparta", "isparta isparta"),
        ("\u{39f}\u{394}\u{39f}\u{3a3}", "οδοσ"),
        ("\u{3bf}\u{3b4}\u{3cc}\u{3c2}", "οδοσ"),
        ("\u{401}лка", "елка"),
        ("\u{ff21}\u{ff22}\u{ff43}１２", "abc12"),
        ("\u{fb01}le", "file"),
        ("が", "が"),
        ("か\u{3099}", "が"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("שָׁלוֹם", "שָׁלוֹם"),
        ("हिन्दी", "हिन्दी"),
        ("co\u{ad}operate\u{200d}", "cooperate"),
        ("한글", "한글"),
    ];
    for (text, expected) in table {
        let expected: String = expected.nfkc().collect();
        assert_eq!(fold(text), expected, "{text}");
        assert_eq!(fold(&fold(text)), expected, "folding {text} twice");
    }
}

#[test]
fn texts_are_cut_into_the_words_people_look_for() {
    let table: &[(&str, &[&str])] = &[
        ("foo_bar", &["foo_bar", "foo", "bar"]),
        ("fooBar", &["foobar", "foo", "bar"]),
        ("HTTPServer", &["httpserver", "http", "server"]),
        ("getURL", &["geturl", "get", "url"]),
        ("mp3Player", &["mp3player", "mp3", "player"]),
        ("2FA on K8s", &["2fa", "on", "k8s"]),
        ("C++", &["c++", "c"]),
        ("C#.", &["c#", "c"]),
        (".NET", &[".net", "net"]),
        ("node.js.", &["node.js", "node", "js"]),
        ("--no-verify", &["--no-verify", "no-verify", "no", "verify"]),
        ("-x", &["-x", "x"]),
        (
            "src/main.rs:",
            &["src/main.rs", "src", "main.rs", "main", "rs"],
        ),
        (
            r"C:\src\main.rs",
            &[
                "c:/src/main.rs",
                "c",
                "src/main.rs",
                "src",
                "main.rs",
                "main",
                "rs",
            ],
        ),
        (
            "~/.config/zm.toml",
            &[
                ".config/zm.toml",
                "config/zm.toml",
                "config",
                "zm.toml",
                "zm",
                "toml",
            ],
        ),
        ("svc:7", &["svc:7", "svc", "7"]),
        ("20.04", &["20.04", "20", "04"]),
        (
            "error[E0502]: ERR_CONN",
            &["error", "e0502", "err_conn", "err", "conn"],
        ),
        (
            "don't don\u{2019}t",
            &["dont", "don", "t", "dont", "don", "t"],
        ),
        ("the shop's", &["the", "shop", "s"]),
        ("\u{2018}quoted\u{2019} 'too'", &["quoted", "too"]),
        (
            "multi-agent multi\u{2011}agent",
            &[
                "multi-agent",
                "multi",
                "agent",
                "multi-agent",
                "multi",
                "agent",
            ],
        ),
        ("a/b", &["a/b", "a", "b"]),
        ("GB/s", &["gb/s", "gb", "s"]),
        (
            "AT&T $HOME #12 @scope/pkg",
            &[
                "at&t",
                "at",
                "t",
                "$home",
                "home",
                "#12",
                "12",
                "@scope/pkg",
                "scope/pkg",
                "scope",
                "pkg",
            ],
        ),
        (
            "jane.doe@example.com",
            &[
                "jane.doe@example.com",
                "jane.doe",
                "jane",
                "doe",
                "example.com",
                "example",
                "com",
            ],
        ),
        (
            "https://example.com/a?q=1",
            &[
                "https://example.com/a",
                "https",
                "example.com/a",
                "example.com",
                "example",
                "com",
                "a",
                "q",
                "1",
            ],
        ),
        ("std::fs::read()", &["std::fs::read", "std", "fs", "read"]),
        ("a=>b", &["a", "b"]),
        ("a => b", &["a", "＝＞", "b"]),
        ("(x", &["x"]),
        (
            "重跑gen-itgc后",
            &["重", "重跑", "跑", "gen-itgc", "gen", "itgc", "后"],
        ),
        ("猫", &["猫"]),
        ("データ", &["デ", "デー", "ー", "ータ", "タ"]),
        ("ﾃﾞｰﾀ", &["デ", "デー", "ー", "ータ", "タ"]),
        ("한글을", &["한", "한글", "글", "글을", "을"]),
        ("\u{1112}\u{1161}\u{11ab}글", &["한", "한글", "글"]),
        ("ที่นี่", &["ที่", "ที่นี่", "นี่"]),
        ("שלום עולם", &["שלום", "עולם"]),
        ("مرحبا، يا عالم", &["مرحبا", "يا", "عالم"]),
        ("ship it 🚀👍🏽!", &["ship", "it", "🚀", "👍"]),
        ("👨\u{200d}👩\u{200d}👧", &["👨", "👩", "👧"]),
        ("a → b", &["a", "→", "b"]),
        ("caf\u{e9} Stra\u{df}e", &["cafe", "strasse"]),
        ("zero\u{200b}width co\u{ad}op", &["zero", "width", "coop"]),
        (
            "\"quoted\" “typed” «guillemets»",
            &["quoted", "typed", "guillemets"],
        ),
        ("x\u{b4}y \u{a8}", &["x", "\u{301}", "y", "\u{308}"]),
        ("", &[]),
        (" \t\u{0}\u{200b}", &[]),
    ];
    for (text, expected) in table {
        let expected: Vec<String> = expected.iter().map(|token| token.nfc().collect()).collect();
        assert_eq!(index_tokens(text), expected, "{text}");
    }
}

#[test]
fn tokens_survive_the_index_tokeniser() {
    let every_ascii: String = (0..=127_u8).map(char::from).collect();
    let hostile = format!(
        "{every_ascii} a{every_ascii}b \u{a8}\u{b4}\u{2033} 🄐 ⑴ \u{fdfa} ㈱ ㌔ ½ {}",
        "x\"y'z\u{0}".repeat(20)
    );
    for token in index_tokens(&hostile)
        .into_iter()
        .chain(query_terms(&hostile))
    {
        assert!(!token.is_empty());
        let survives =
            |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || TOKEN_CHARS.contains(c);
        assert!(
            token.chars().all(|c| survives(c) && !c.is_whitespace()),
            "{token:?}"
        );
    }
}

#[test]
fn long_words_are_cut_the_same_on_both_sides() {
    let word = "ab".repeat(5000);
    assert_eq!(index_tokens(&word), query_terms(&word));
    assert_eq!(index_tokens(&word)[0].len(), 96);
}

#[test]
fn queries_become_terms() {
    let many: String = (0..200).map(|n| format!("word{n} ")).collect();
    assert_eq!(query_terms(&many).len(), 64);
    let table: &[(&str, &[&str])] = &[
        (
            "What did we decide about the payment retries?",
            &["decide", "payment", "retries"],
        ),
        ("the the THE", &["the"]),
        ("to be or not to be", &["to", "be", "or", "not"]),
        ("don't", &["dont", "don"]),
        ("retry retry Retry", &["retry"]),
        ("C++", &["c++"]),
        ("a/b", &["a/b"]),
        ("-x", &["-x"]),
        ("c", &["c"]),
        ("--no-verify", &["--no-verify", "no-verify", "verify"]),
        ("foo_bar", &["foo_bar", "foo", "bar"]),
        ("重跑gen-itgc后", &["重跑", "gen-itgc", "gen", "itgc", "后"]),
        ("猫", &["猫"]),
        ("NEAR(a OR b*", &["near", "b"]),
        ("\"NEAR(* OR -", &["near"]),
        ("a OR", &["a", "or"]),
        ("\"", &["＂"]),
        ("(*", &["（＊"]),
        ("^", &["＾"]),
        ("=>", &["＝＞"]),
        ("🚀", &["🚀"]),
        ("。", &["。"]),
        ("  \u{200b} ", &[]),
    ];
    for (query, expected) in table {
        assert_eq!(query_terms(query), *expected, "{query}");
    }
    assert_eq!(query_terms(&"(\"*".repeat(1400)).len(), 1);
}

#[test]
fn every_visible_query_has_a_term() {
    for c in (1..0x1_1000).filter_map(char::from_u32) {
        let text = c.to_string();
        assert!(
            !has_visible(&text) || !query_terms(&text).is_empty(),
            "{c:?}"
        );
    }
}

#[test]
fn invisible_text_is_recognised() {
    for text in [
        "",
        " ",
        "\t\n",
        "\u{200b}",
        "\u{0}\u{7}",
        "\u{feff}\u{2060}\u{ad}",
        "\u{3000}\u{2007}",
        "\u{e0041}",
        "\u{2800}\u{3164}",
    ] {
        assert!(!has_visible(text), "{text:?}");
    }
    for text in ["a", ".", "\u{200b}é", "猫", "🚀", "\""] {
        assert!(has_visible(text), "{text:?}");
    }
}

#[test]
fn words_are_found_whole() {
    let table = [
        ("the gen-itgc job", "gen-itgc", true),
        ("the gen-itgc job", "gen", true),
        ("the general job", "gen", false),
        ("foo_bar", "foo", false),
        ("postgresql and postgres", "postgres", true),
        ("postgresql", "postgres", false),
        ("重跑gen-itgc后", "gen-itgc", true),
        ("黒猫が来た", "猫", true),
        ("결제서비스를 고쳤다", "결제서비스", true),
        ("uses c++ now", "c++", true),
        ("uses c+++", "c++", true),
        ("say cafe", "cafe", true),
        ("שָׁלוֹם", "ש", false),
        ("anything", "", false),
        ("", "x", false),
    ];
    for (haystack, needle, expected) in table {
        assert_eq!(
            contains_word(haystack, needle),
            expected,
            "{needle} in {haystack}"
        );
    }
}

fn terms(query: &str) -> Vec<String> {
    query_terms(query)
}

#[test]
fn excerpts_show_the_densest_match() {
    let filler = "Nothing of note happened on that day in the office. ".repeat(40);
    let text = format!(
        "{filler}The payment came late. {filler}The payment provider drops calls, so checkout retries twice. {filler}"
    );
    let cut = excerpt(&text, &terms("payment retry provider"), 120);
    assert!(
        cut.contains("payment provider drops calls, so checkout retries"),
        "{cut}"
    );
    assert!(cut.starts_with('…') && cut.ends_with('…'), "{cut}");
    assert!(cut.chars().count() <= 120);

    let head = excerpt(&text, &terms("zebra"), 60);
    assert!(
        head.starts_with("Nothing of note") && head.ends_with('…'),
        "{head}"
    );
    let tail = excerpt(&format!("{filler}Zebra."), &terms("zebra"), 60);
    assert!(tail.starts_with('…') && tail.ends_with("Zebra."), "{tail}");
    assert_eq!(excerpt("short text", &terms("text"), 60), "short text");

    let dense = format!(
        "{}重跑gen-itgc后检查{}",
        "今天天气很好。".repeat(60),
        "明天再说。".repeat(60)
    );
    assert!(excerpt(&dense, &terms("检查 gen-itgc"), 40).contains("gen-itgc后检查"));
}

#[test]
fn excerpts_cut_between_characters_at_any_length() {
    let text = "aé\u{301}漢\u{200c}字🚀\u{2007}👍🏽 שָׁלוֹם word\u{301} ".repeat(12);
    for query in ["word", "漢字", "zebra", "שָׁלוֹם"] {
        for max in 0..text.chars().count() + 2 {
            let cut = excerpt(&text, &terms(query), max);
            assert!(cut.chars().count() <= max.max(1), "{max}: {cut}");
            let first = cut.trim_start_matches('…').chars().next();
            assert!(
                first.is_none_or(|c| class_of(c) != Class::Mark),
                "{max}: {cut:?}"
            );
        }
    }
}
