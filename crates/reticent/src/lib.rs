//! Reticent publishes data about people more than once without letting the releases add up to a leak.
//!
//! This crate is the mathematics: it reads no file, prints nothing and looks at no clock. `reticent-app` has the verbs (`publish`,
//! `audit`, ...) that interfaces call; `reticent-engine` counts and writes rows; `reticent-ledger` records releases.
//!
//! Four patients, published so that everybody shares their age with another one:
//!
//! ```
//! use reticent::algorithms::{Control, Purpose, Suppression, Task, run};
//! use reticent::{Arguments, Counts, History, Policy, Requirement, Table};
//!
//! let policy = Policy::parse(
//!     "[columns.age]\ntype = \"number\"\n[columns.illness]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
//! )?;
//! let schema = policy.schema(&mut |_| Err("no taxonomy".to_owned()))?;
//! let rows = [["34", "flu"], ["36", "asthma"], ["51", "flu"], ["58", "gout"]];
//! let table = Table::build(&Counts::from_rows(["age", "illness"], &rows), &schema)?;
//!
//! let requirement = Requirement::build(&policy.wordings(&schema), &schema)?;
//! let history = History::default(); // nothing was released before
//! let task = Task {
//!     table: &table,
//!     history: &history,
//!     requirement: &requirement,
//!     purpose: &Purpose::General,
//!     suppression: Suppression::NONE,
//! };
//! let outcome = run("top-down-specialization", &task, Arguments::default(), &Control::QUIET)?;
//!
//! let release = outcome.recoding.apply(&table)?;
//! assert!(release.combos.project(&[0]).weights.iter().all(|records| *records >= 2));
//! # Ok::<(), reticent::Error>(())
//! ```
//!
//! Data flows from [`Counts`] through a [`Schema`] to a [`Table`]; an algorithm ([`algorithms`]) answers with a [`Recoding`] that
//! satisfies the [`Requirement`] together with the [`History`]; [`verify`] judges what was written, and [`mod@audit`] computes what all
//! releases disclose. [`recognise`] reads published texts back as a [`Release`]. Models, operations, metrics, algorithms, methods and
//! attacks are lists; [`catalogue`] has all of them.

#![cfg_attr(not(test), warn(unreachable_pub))]

pub mod algorithms;
pub mod attacks;
pub mod audit;
pub mod catalogue;
pub mod classes;
mod column_names;
pub mod combos;
mod contract;
pub mod error;
mod history;
mod interval;
mod join;
pub mod joined;
mod kind;
mod links;
mod matching;
pub mod methods;
pub mod metrics;
pub mod models;
mod names;
pub mod operations;
pub mod policy;
mod recipients;
mod recoding;
pub mod recognise;
pub mod registry;
mod release;
mod relief;
pub mod requirement;
pub mod risk;
mod scalar;
mod schema;
mod share;
pub mod statement;
mod table;
pub mod taxonomy;
pub mod text;
pub mod verify;
mod witness;
mod wording;

pub use error::{Error, Result};
pub use history::{Disguise, Held, History, Lost};
pub use interval::Interval;
pub use join::{Inconsistent, Join};
pub use links::{Links, NOBODY, Pseudonym};
pub use names::{Confidence, Day, PurgeReason, Recipient, ReleaseName};
pub use policy::Policy;
pub use recipients::{PUBLIC, Separate};
pub use recoding::{Recoded, Recoding, Rule};
pub use registry::{Argument, Arguments, Entry, Kind};
pub use release::{PublishedColumn, Release};
pub use relief::{Refused, Relief};
pub use requirement::{Requirement, Wording};
pub use schema::{Attribute, Missing, Role, Schema, Tree};
pub use share::Share;
pub use table::{Column, Counts, MissingNote, Table};
pub use taxonomy::{Taxonomy, Type};
