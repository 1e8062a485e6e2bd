//! Small workspaces.

use std::path::{Path, PathBuf};

use reticent_app::request::PublishRequest;
use reticent_app::{Context, Recipient, ReleaseName, Workspace};

/// A policy for [`people`].
pub const POLICY: &str = "[dataset]\nname = \"clinic\"\nowner = \"patient\"\n[columns.patient]\nrole = \"identifier\"\n\
    [columns.age]\ntype = \"number\"\n[columns.ward]\n[columns.illness]\nrole = \"sensitive\"\n\
    [requirement]\nk = 3\nconfidence = 0.7\n[release]\nseed = 1\n";

/// So many patients, one record each.
pub fn people(rows: usize) -> String {
    let illness = ["flu", "asthma", "measles"];
    let row = |at: usize| format!("p{at},{},{},{}\n", 20 + at % 60, ["a", "b", "c"][at % 3], illness[at * 7 % 3]);
    format!("patient,age,ward,illness\n{}", (0..rows).map(row).collect::<String>())
}

/// A folder with a policy and data.
pub struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    pub fn new(rows: usize) -> Desk {
        let desk = Desk { folder: tempfile::tempdir().unwrap() };
        desk.write("reticent.toml", POLICY);
        desk.write("people.csv", &people(rows));
        desk
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.file(name), text).unwrap();
    }

    pub fn workspace(&self) -> Workspace {
        Workspace { start_ledger: true, ..Workspace::new(self.file("reticent.toml")) }
    }

    /// A request to publish the data.
    pub fn request(&self, name: &str, to: &str) -> PublishRequest {
        let data = self.file("people.csv").display().to_string();
        let output = self.file(&format!("{name}.csv"));
        PublishRequest::new(&data, ReleaseName::new(name).unwrap(), vec![Recipient::new(to).unwrap()], output)
    }
}

pub fn context() -> Context {
    Context::new("tester")
}
