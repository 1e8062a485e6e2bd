//! Screens for snapshots: what a call prints, with days, times, hashes and paths replaced.

use crate::support::{RunCommand, TestFolder};

/// With a fixed key and a fixed ledger, so that pseudonyms and the order of people are the same in every run.
pub fn with_key(folder: TestFolder) -> TestFolder {
    folder.create_fixed_ledger();
    folder
}

/// What a call prints on both streams, and its exit status.
pub fn screen(folder: &TestFolder, call: &str) -> String {
    let words: Vec<&str> = call.split_whitespace().collect();
    let output = folder.command(&words).env("RETICENT_STEWARD", "tester").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    let err = if err.is_empty() { String::new() } else { format!("[standard error]\n{err}") };
    let path = folder.path().canonicalize().unwrap().display().to_string();
    let shown = format!("$ reticent {call}\n{out}{err}[exit status {}]", output.status.code().unwrap());
    let steward = format!("by {} (tester)", reticent_app::system_user());
    redacted(&shown.replace(&path, "[folder]").replace(&steward, "by [user] (tester)"))
}

/// Replaces what differs from run to run by something of the same width.
fn redacted(text: &str) -> String {
    let lines = text.lines().map(|line| match line {
        _ if line.starts_with("seconds: ") => "seconds: [times]".to_owned(),
        _ if line.trim_start().starts_with("public key ") => "  public key [key]".to_owned(),
        _ if line.ends_with(" seconds.") => "[time] seconds.".to_owned(),
        _ => words_redacted(line),
    });
    lines.collect::<Vec<_>>().join("\n").replace(concat!("reticent ", env!("CARGO_PKG_VERSION")), "reticent [version]")
}

/// Replaces days, times and long hexadecimal numbers.
fn words_redacted(line: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == ':';
    let mut shown = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(is_part) {
        let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |length| start + length);
        shown += &rest[..start];
        shown += &word_redacted(&rest[start..end]);
        rest = &rest[end..];
    }
    shown + rest
}

fn word_redacted(word: &str) -> String {
    let like = |pattern: &str, word: &str| {
        let fits = |(form, c): (char, char)| if form == '0' { c.is_ascii_digit() } else { form == c };
        word.len() == pattern.len() && pattern.chars().zip(word.chars()).all(fits)
    };
    let bare = word.trim_end_matches(':');
    match bare {
        // A day that the test names is not today.
        "2020-01-01" => word.to_owned(),
        _ if like("0000-00-00", bare) => word.replace(bare, "YYYY-MM-DD"),
        _ if like("0000-00-00T00:00:00Z", bare) => word.replace(bare, "YYYY-MM-DDThh:mm:ssZ"),
        _ if bare.len() >= 12 && bare.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            word.replace(bare, &"x".repeat(bare.len()))
        }
        _ => word.to_owned(),
    }
}
