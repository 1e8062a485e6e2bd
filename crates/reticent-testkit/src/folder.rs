//! A temporary folder with files, and the workspace and context for calls of the verbs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reticent_app::{Clock, Context, Event, Limits, POLICY, Workspace};
use reticent_ledger::{Derivation, Holder, Identity, KeyFile, Ledger, Session};

/// Temporary folder of one test. Clones share the folder; the `with_*` methods return a clone with other settings.
///
/// The policy is `reticent.toml` and the ledger is `ledger`. A missing ledger is created.
#[derive(Clone)]
pub struct TestFolder {
    temporary: Arc<tempfile::TempDir>,
    workspace: Workspace,
    context: Context,
    warnings: Arc<Mutex<Vec<String>>>,
    /// Texts of all events.
    events: Arc<Mutex<String>>,
}

impl Default for TestFolder {
    fn default() -> TestFolder {
        TestFolder::new()
    }
}

impl TestFolder {
    /// Creates an empty folder.
    pub fn new() -> TestFolder {
        let temporary = Arc::new(tempfile::tempdir().unwrap());
        let workspace = Workspace { start_ledger: true, ..Workspace::new(temporary.path().join(POLICY)) };
        let (warnings, events) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(String::new())));
        let (seen, all) = (warnings.clone(), events.clone());
        let context = Context::new("tester").with_events(Arc::new(move |event| {
            all.lock().unwrap_or_else(PoisonError::into_inner).push_str(&format!("{event:?}\n"));
            if let Event::Warning { text, .. } = event {
                seen.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
            }
        }));
        TestFolder { temporary, workspace, context, warnings, events }
    }

    /// Creates a folder with a policy.
    pub fn from_policy(policy: &str) -> TestFolder {
        let folder = TestFolder::new();
        folder.write(POLICY, policy);
        folder
    }

    /// Writes a fixed key and creates a ledger with a fixed id, so that pseudonyms and the order of people are the
    /// same in every run.
    pub fn create_fixed_ledger(&self) {
        self.write("reticent.key", format!("reticent-key-1 {}\n", "5a".repeat(32)));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(self.file("reticent.key"), std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        let identity = Identity { id: "5a".repeat(16), derivation: Derivation::HkdfSha256 };
        let key = KeyFile::read(&self.file("reticent.key"), None).unwrap().unwrap().ledger_key(&identity);
        let holder = Holder {
            steward: "tester".to_owned(),
            process: std::process::id(),
            since: String::new(),
            doing: "starting a ledger".to_owned(),
        };
        let session = Session::new(holder, Duration::from_secs(60)).with_key(Some(key));
        Ledger::create(&self.file("ledger"), &identity, &session).unwrap();
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Returns the path of a file in the folder. An absolute path stays unchanged.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a file and creates its missing parent folders.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.file(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Copies a folder recursively. Fixtures are opened only as copies, because opening a ledger writes to its
    /// folder.
    pub fn copy_from(&self, source: &Path) {
        let mut open = vec![source.to_owned()];
        while let Some(directory) = open.pop() {
            for path in std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()) {
                match path.is_dir() {
                    true => open.push(path),
                    false => {
                        let name = path.strip_prefix(source).unwrap().display().to_string();
                        self.write(&name, std::fs::read(&path).unwrap());
                    }
                }
            }
        }
    }

    /// Reads a text file.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap()
    }

    /// Replaces a text that occurs in a file.
    #[track_caller]
    pub fn replace(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{from:?} is not in {name}");
        self.write(name, text.replace(from, to));
    }

    /// Returns true if a file or folder exists.
    pub fn exists(&self, name: &str) -> bool {
        self.file(name).exists()
    }

    /// Returns the sorted names of all files and folders in the folder.
    pub fn files(&self) -> Vec<String> {
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = std::fs::read_dir(self.path()).unwrap().map(name).collect();
        names.sort();
        names
    }

    /// Returns the cells of a CSV file, row by row, without the header.
    pub fn rows(&self, name: &str) -> Vec<Vec<String>> {
        let mut reader = csv::Reader::from_path(self.file(name)).unwrap();
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
    }

    /// Returns the workspace of the calls.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Returns the context of the calls.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the warnings among the events so far.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns all events so far: stages of the work and warnings.
    pub fn events(&self) -> String {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns a clone that uses this policy.
    #[must_use]
    pub fn with_policy(&self, name: &str) -> TestFolder {
        let policy = self.file(name);
        self.with_workspace(|workspace| workspace.policy = policy.into())
    }

    /// Returns a clone without a policy.
    #[must_use]
    pub fn without_policy(&self) -> TestFolder {
        // The relative path refers to the folder of the tested crate, which has no policy.
        assert!(!Path::new(POLICY).exists());
        let (ledger, key) = (self.file("ledger"), self.file("reticent.key"));
        self.with_workspace(|workspace| {
            workspace.policy = POLICY.into();
            workspace.ledger = Some(ledger);
            workspace.key = Some(key);
        })
    }

    /// Returns a clone that uses this ledger.
    #[must_use]
    pub fn with_ledger(&self, name: &str) -> TestFolder {
        let ledger = self.file(name);
        self.with_workspace(|workspace| workspace.ledger = Some(ledger))
    }

    /// Returns a clone that uses this key.
    #[must_use]
    pub fn with_key(&self, name: &str) -> TestFolder {
        let key = self.file(name);
        self.with_workspace(|workspace| workspace.key = Some(key))
    }

    /// Returns a clone that does not create a missing ledger.
    #[must_use]
    pub fn without_new_ledger(&self) -> TestFolder {
        self.with_workspace(|workspace| workspace.start_ledger = false)
    }

    /// Returns a clone that waits at most this long for another writer of the ledger.
    #[must_use]
    pub fn with_wait(&self, wait: Duration) -> TestFolder {
        self.with_workspace(|workspace| workspace.wait = wait)
    }

    /// Returns a clone with a changed workspace.
    #[must_use]
    pub fn with_workspace(&self, change: impl FnOnce(&mut Workspace)) -> TestFolder {
        let mut folder = self.clone();
        change(&mut folder.workspace);
        folder
    }

    /// Returns a clone that uses this number of threads.
    #[must_use]
    pub fn with_threads(&self, threads: usize) -> TestFolder {
        self.with_limits(Limits { threads: Some(threads), ..Limits::default() })
    }

    /// Returns a clone with this memory limit for counting, in bytes.
    #[must_use]
    pub fn with_memory(&self, memory: u64) -> TestFolder {
        self.with_limits(Limits { memory, ..Limits::default() })
    }

    fn with_limits(&self, limits: Limits) -> TestFolder {
        self.with_context(self.context.clone().with_limits(limits).unwrap())
    }

    /// Returns a clone that uses this clock.
    #[must_use]
    pub fn with_clock(&self, clock: Clock) -> TestFolder {
        self.with_context(self.context.clone().with_clock(clock))
    }

    /// Returns a clone that uses this context.
    #[must_use]
    pub fn with_context(&self, context: Context) -> TestFolder {
        TestFolder { context, ..self.clone() }
    }
}
