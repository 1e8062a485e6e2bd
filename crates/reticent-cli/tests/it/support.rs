//! Running the command in a folder of its own.

use std::process::{Command, Output};

pub use reticent_testkit::{CLINIC, TestFolder, clinic_policy};
use serde_json::Value;

/// What a run of the command answered.
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Asserts the exit status, showing everything when it differs.
    #[track_caller]
    pub fn exits(self, status: i32) -> Ran {
        assert_eq!(self.status, status, "\n--- out\n{}\n--- err\n{}", self.out, self.err);
        self
    }

    /// Asserts that a text was printed, on either stream. Spaces count as one.
    #[track_caller]
    pub fn says(self, text: &str) -> Ran {
        let all = format!("{}\n{}", self.out, self.err);
        assert!(
            folded(&all).contains(&folded(text)),
            "expected {text:?} in\n--- out\n{}\n--- err\n{}",
            self.out,
            self.err
        );
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.out, self.err))
    }
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs the command in a folder.
pub trait RunCommand {
    /// The command with these words, in the folder, without colours; it starts a missing ledger.
    fn command(&self, words: &[&str]) -> Command;

    /// Runs the command with the words of this call.
    fn run(&self, call: &str) -> Ran {
        self.run_with(&call.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs the command with these words.
    fn run_with(&self, words: &[&str]) -> Ran {
        let Output { status, stdout, stderr } = self.command(words).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { status: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr) }
    }
}

impl RunCommand for TestFolder {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reticent"));
        command.args(words).current_dir(self.path());
        command.env("NO_COLOR", "1").env("RETICENT_NEW_LEDGER", "true").env_remove("CLICOLOR_FORCE");
        command
    }
}

/// A call that answers with this status: nothing on standard error, and with `--json` one JSON object on standard output.
#[track_caller]
pub fn answers(folder: &TestFolder, call: &str, status: i32) -> Value {
    let text = folder.run(call).exits(status);
    assert!(text.err.is_empty() && !text.out.trim().is_empty(), "{call}\n{}", text.err);
    let json = folder.run(&format!("{call} --json")).exits(status);
    assert!(json.err.is_empty(), "{call}\n{}", json.err);
    json.json()
}

/// A call that fails with `--json`: nothing on standard output, and on standard error one JSON object with this status and code.
#[track_caller]
pub fn fails(folder: &TestFolder, call: &str, status: i32, code: &str) -> Value {
    let ran = folder.run(&format!("{call} --json")).exits(status);
    assert!(ran.out.is_empty(), "{}", ran.out);
    let error: Value = serde_json::from_str(&ran.err).unwrap_or_else(|error| panic!("{error}\n{}", ran.err));
    assert_eq!((error["status"].as_i64(), error["code"].as_str()), (Some(status.into()), Some(code)), "{error:#}");
    error
}
