//! Where a policy is from: a file, or text in memory.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::POLICY;
use crate::error::{Error, Problem, READ_POLICY, Result};

/// Name of a policy in memory, in errors and answers.
const IN_MEMORY: &str = "policy";

/// Where a policy is from.
#[derive(Debug, Clone)]
pub enum PolicySource {
    /// A file. Its taxonomies are next to it.
    File(PathBuf),
    /// Text in memory.
    Text(PolicyText),
    /// No policy: for calls that need only the ledger.
    Absent,
}

/// A policy in memory, with the files that it names.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PolicyText {
    /// Text of the policy, as in a file.
    pub toml: String,
    /// Text of the taxonomy and query files, by the path in the policy.
    pub files: BTreeMap<String, String>,
    /// Folder that paths in the policy refer to, such as that of the ledger and of other files.
    pub folder: PathBuf,
}

/// Does not print the taxonomies, which contain values of the data.
impl fmt::Debug for PolicyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PolicyText({} files, {})", self.files.len(), self.folder.display())
    }
}

/// Returns the path of a policy file for the start of an error text; nothing for a policy in memory.
pub(crate) fn place(path: &Path) -> String {
    if path.as_os_str() == IN_MEMORY { String::new() } else { format!("{}: ", path.display()) }
}

impl PolicyText {
    /// Reads a policy and the files that it names.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read, or if the policy is invalid.
    pub fn read(path: &Path) -> Result<PolicyText> {
        let source = PolicySource::from(path);
        let loaded = crate::dataset::load(&source)?;
        Ok(PolicyText { toml: loaded.text, files: loaded.files, folder: source.folder() })
    }

    /// Returns an error if the policy or a file that it names is invalid.
    ///
    /// # Errors
    ///
    /// Returns the first error of the policy.
    pub fn check(&self) -> Result<()> {
        crate::dataset::load(&PolicySource::Text(self.clone())).map(drop)
    }
}

impl PolicySource {
    /// Returns the path of the file, or the name of a policy in memory.
    pub fn name(&self) -> PathBuf {
        self.file().map_or_else(|| PathBuf::from(IN_MEMORY), Path::to_path_buf)
    }

    /// Returns the path of the file; `None` for a policy in memory.
    pub fn file(&self) -> Option<&Path> {
        if let PolicySource::File(path) = self { Some(path) } else { None }
    }

    /// Returns the path of the file, or an error for a policy in memory, which cannot be written.
    pub(crate) fn require_file(&self) -> Result<&Path> {
        self.file().ok_or_else(|| Problem::PolicyInMemory.into())
    }

    /// Returns the folder that paths in the policy refer to.
    pub(crate) fn folder(&self) -> PathBuf {
        match self {
            PolicySource::File(path) => path.parent().map(Path::to_path_buf).unwrap_or_default(),
            PolicySource::Text(text) => text.folder.clone(),
            PolicySource::Absent => PathBuf::new(),
        }
    }

    /// Returns whether the policy exists.
    pub(crate) fn exists(&self) -> bool {
        match self {
            PolicySource::File(path) => path.exists(),
            PolicySource::Text(_) => true,
            PolicySource::Absent => false,
        }
    }

    /// Returns an error if the policy does not exist, unless its path is the default path.
    pub(crate) fn check(&self) -> Result<()> {
        match self.file() {
            Some(path) if path.as_os_str() != POLICY && !path.exists() => {
                Err(Problem::PolicyMissing { path: path.to_owned() }.into())
            }
            _ => Ok(()),
        }
    }

    /// Reads the text of the policy.
    pub(crate) fn read(&self) -> io::Result<String> {
        match self {
            PolicySource::File(path) => std::fs::read_to_string(path),
            PolicySource::Text(text) => Ok(text.toml.clone()),
            PolicySource::Absent => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Reads the text of the policy. Returns an error of the verb.
    pub(crate) fn require(&self) -> Result<String> {
        self.read().map_err(Error::file(READ_POLICY, self.name()))
    }

    /// Reads a file that the policy names.
    pub(crate) fn read_named(&self, name: &str) -> io::Result<String> {
        let in_memory = match self {
            PolicySource::Text(text) => text.files.get(name),
            PolicySource::File(_) | PolicySource::Absent => None,
        };
        in_memory.map_or_else(|| std::fs::read_to_string(self.folder().join(name)), |text| Ok(text.clone()))
    }
}

impl From<PathBuf> for PolicySource {
    fn from(path: PathBuf) -> PolicySource {
        PolicySource::File(path)
    }
}

impl From<&Path> for PolicySource {
    fn from(path: &Path) -> PolicySource {
        PolicySource::File(path.to_owned())
    }
}

impl From<&PathBuf> for PolicySource {
    fn from(path: &PathBuf) -> PolicySource {
        PolicySource::File(path.clone())
    }
}

impl From<&str> for PolicySource {
    fn from(path: &str) -> PolicySource {
        PolicySource::File(path.into())
    }
}

impl From<PolicyText> for PolicySource {
    fn from(text: PolicyText) -> PolicySource {
        PolicySource::Text(text)
    }
}
