//! The verbs of Reticent as functions: what every interface (command line, Python, web) calls.
//!
//! A [`Workspace`] says where the policy and the ledger are. Its methods take a request and a [`Context`], and return an answer
//! that serializes to the documented JSON, or an [`Error`] with a stable code. Every safety rule lives here or below: no
//! interface can leave one out. There is no process-wide state; calls can run at the same time.
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

pub mod answer;
mod audit;
mod catalogue;
mod check;
mod compare;
mod context;
mod dataset;
mod demo;
mod demo_data;
mod diff;
pub mod error;
mod export_head;
mod history;
mod init;
mod ledger_access;
mod log;
mod proof;
mod publish;
mod purge;
mod register;
pub mod request;
mod schema;
mod show;
mod verify;
mod witness;
mod workspace;

pub use catalogue::{catalogue, method, reference};
pub use context::{Cancel, Context, Event, Events, Limits};
pub use demo::{DEMO_DATA, DEMO_RELEASE, demo};
pub use error::{Error, Result};
pub use proof::check_proof;
pub use reticent::error::Hint;
pub use reticent::{Confidence, Day, PurgeReason, Recipient, ReleaseName};
pub use reticent_engine::is_guarded;
pub use reticent_ledger::Clock;
pub use schema::schema;
pub use witness::witness;
pub use workspace::{POLICY, Workspace};
