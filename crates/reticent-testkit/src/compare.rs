//! Short calls of `compare`.

use reticent_app::answer::CompareAnswer;
use reticent_app::request::CompareRequest;
use reticent_app::{Confidence, Recipient, ReleaseName, Result};

use crate::TestFolder;
use crate::verbs::{list, recipients};

impl TestFolder {
    /// Compares possible releases, by default to the public.
    pub fn compare(&self, data: &str) -> CompareCall<'_> {
        let request = CompareRequest {
            data: self.data(data).into(),
            name: None,
            recipients: vec![Recipient::public()],
            ignore_history: false,
            policies: Vec::new(),
            algorithms: Vec::new(),
            k: Vec::new(),
            confidence: Vec::new(),
            suppression: Vec::new(),
            columns: Vec::new(),
            seed: None,
            html: None,
        };
        CompareCall { folder: self, request }
    }
}

/// A call of `compare`.
#[derive(Clone)]
#[must_use = "the call runs with `run`"]
pub struct CompareCall<'a> {
    folder: &'a TestFolder,
    request: CompareRequest,
}

impl CompareCall<'_> {
    /// Sets the name of the release.
    pub fn name(mut self, name: &str) -> Self {
        self.request.name = Some(ReleaseName::new(name).unwrap());
        self
    }

    /// Sets the recipients, such as `press,ministry`.
    pub fn to(mut self, names: &str) -> Self {
        self.request.recipients = recipients(names).unwrap();
        self
    }

    /// Checks the releases without earlier releases.
    pub fn ignore_history(mut self) -> Self {
        self.request.ignore_history = true;
        self
    }

    /// Compares these policies, such as `a.toml,b.toml`.
    pub fn policies(mut self, names: &str) -> Self {
        self.request.policies = list(names).iter().map(|name| self.folder.file(name).into()).collect();
        self
    }

    /// Compares these algorithms, such as `multidimensional-specialization,optimal-full-domain`.
    pub fn algorithms(mut self, ids: &str) -> Self {
        self.request.algorithms = list(ids);
        self
    }

    /// Compares these values of `k`.
    pub fn k(mut self, k: &[u64]) -> Self {
        self.request.k = k.to_vec();
        self
    }

    /// Compares these confidence bounds.
    pub fn confidence(mut self, bounds: &[f64]) -> Self {
        self.request.confidence = bounds.iter().map(|bound| Confidence::new(*bound).unwrap()).collect();
        self
    }

    /// Writes the comparison as an HTML page.
    pub fn html(mut self, name: &str) -> Self {
        self.request.html = Some(self.folder.file(name));
        self
    }

    /// Compares these limits of suppression.
    pub fn suppression(mut self, limits: &[f64]) -> Self {
        self.request.suppression = limits.to_vec();
        self
    }

    /// Adds a choice of columns, such as `age,sex`.
    pub fn columns(mut self, names: &str) -> Self {
        self.request.columns.push(list(names));
        self
    }

    /// Compares.
    pub fn run(&self) -> Result<CompareAnswer> {
        self.folder.workspace().compare(&self.request, self.folder.context())
    }
}
