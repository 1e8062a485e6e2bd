//! The application layer of Reticent: one function per verb, for every interface (command line, Python, web).
//!
//! A [`Workspace`] names the policy, the ledger and its key. Each method of it is a verb:
//!
//! - It takes a request ([`request`]) and a [`Context`] (cancellation, progress events, clock, limits).
//! - It returns an answer ([`answer`]), which serializes to the documented JSON.
//! - If it fails, it returns an [`Error`] with a stable code ([`error::CODES`]).
//!
//! Every safety rule is enforced in this crate or in a crate below it, so no interface can bypass one. The crate keeps no
//! process-wide state: several calls can run at the same time.
//!
//! # Example
//!
//! Publish the table `people.csv` under the name `spring` to one recipient:
//!
//! ```no_run
//! use reticent_app::request::PublishRequest;
//! use reticent_app::{Context, Recipient, ReleaseName, Workspace};
//!
//! # fn main() -> reticent_app::Result<()> {
//! let workspace = Workspace::new("reticent.toml");
//! let context = Context::new("ana");
//! let (name, press) = (ReleaseName::new("spring")?, Recipient::new("Press")?);
//! let request = PublishRequest::new("people.csv", name, vec![press], "spring.csv");
//! let publication = workspace.publish(&request, &context)?;
//! assert!(publication.holds());
//! # Ok(())
//! # }
//! ```

mod amend;
pub mod answer;
mod audit;
mod catalogue;
mod check;
mod compare;
mod context;
mod corrections;
mod data_sets;
mod dataset;
mod demo;
mod diff;
mod doctor;
mod erase;
pub mod error;
mod explain;
mod export_head;
mod fragment;
mod history;
mod init;
mod json;
mod ledger_access;
mod log;
mod measure;
mod open;
mod page_file;
mod policy_source;
mod proof;
mod publish;
mod purge;
mod reading;
mod register;
mod release_file;
pub mod request;
mod schema;
mod show;
mod taxonomy;
mod verify;
mod withdraw;
mod witness;
mod workspace;

pub use catalogue::{catalogue, method, reference};
pub use context::{Cancel, Context, Event, Events, Limits};
pub use demo::{DEMO_REPORT, demo};
pub use error::{Error, Result};
pub use explain::explain;
pub use fragment::table;
pub use json::{Answered, Attached, VERBS, call, error_json, publication, read};
pub use measure::measure;
pub use policy_source::{PolicySource, PolicyText};
pub use proof::check_proof;
pub use publish::PlannedRelease;
pub use release_file::{digest, read_batches};
pub use reticent::error::Hint;
pub use reticent::{Confidence, Day, EntryReason, Recipient, ReleaseName, Role};
pub use reticent_engine::is_catching_panics;
pub use reticent_ledger::Clock;
pub use reticent_ledger::environment::system_user;
pub use schema::schema;
pub use witness::witness;
pub use workspace::{POLICY, Workspace};
