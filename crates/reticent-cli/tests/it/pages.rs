//! Pages that are run: their files are written, their commands run, and their output lines looked for.

use crate::support::{Ran, RunCommand, TestFolder};

/// Runs a page from top to bottom; answers with how many commands were run and lines compared.
pub fn run_page(folder: &TestFolder, page: &str) -> (usize, usize) {
    let mut last: Option<Ran> = None;
    let (mut commands, mut lines_checked) = (0, 0);
    for (head, body) in blocks(page) {
        match head.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["sh", file] if file.starts_with("file=") => folder.write(&file["file=".len()..], body),
            ["sh", file] if file.starts_with("replace=") => {
                let name = &file["replace=".len()..];
                let (from, to) = body.trim_end().split_once('\n').unwrap();
                let text = folder.read(name);
                assert!(text.contains(from), "{from} is not in {name}");
                folder.write(name, text.replace(from, to));
            }
            ["sh", file] if file.starts_with("delete=") => {
                let name = &file["delete=".len()..];
                assert_eq!(body.trim(), format!("rm {name}"));
                std::fs::remove_file(folder.file(name)).unwrap();
            }
            ["sh", "run", rest @ ..] => {
                let status = rest.first().map_or(0, |word| word.strip_prefix("status=").unwrap().parse().unwrap());
                let call = body.trim().strip_prefix("reticent ").expect("a command starts with reticent");
                last = Some(folder.run(call).exits(status));
                commands += 1;
            }
            ["text", "prints"] => {
                for line in body.lines() {
                    last = Some(last.take().expect("output after a command").says(line));
                    lines_checked += 1;
                }
            }
            // Shown from a file that is there: it must be in it.
            ["toml"] => {
                assert!(folder.read("reticent.toml").contains(&body), "reticent.toml has another text:\n{body}")
            }
            other => panic!("the page has a block that is not run: {other:?}"),
        }
    }
    (commands, lines_checked)
}

/// Fenced blocks: the words after the fence, and what stands inside.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(head)) => open = Some((head.to_owned(), String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some((_, body)), None) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}
