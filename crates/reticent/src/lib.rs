//! Anonymization of microdata for repeated publication.
//!
//! A single anonymous release can be safe, while several releases of the same people disclose their sensitive values when an
//! attacker joins them. This crate generalizes a table until it satisfies privacy models, alone and joined with every earlier
//! release. It also computes each person's posterior given the whole release history.
//!
//! The crate is pure computation: it reads no files, prints nothing, and uses no clock. Random numbers come from a seed of the
//! caller. The other crates of the workspace add the rest:
//!
//! | crate | content |
//! |---|---|
//! | `reticent-app` | the operations that interfaces call: `check`, `publish`, `audit`, ... |
//! | `reticent-engine` | counts and writes rows of CSV and Parquet files |
//! | `reticent-ledger` | records releases in a signed ledger |
//! | `reticent-inference` | solves the constraint problem behind the audit |
//!
//! # Example
//!
//! Publish the ages and illnesses of four patients with 2-anonymity:
//!
//! ```
//! use reticent::algorithms::{Control, Purpose, RecodingTask, Suppression, ValueForm, run};
//! use reticent::{Arguments, Counts, History, Policy, Requirement, Table};
//!
//! // The policy declares the role of every column, and the requirement.
//! let policy = Policy::parse(
//!     "[columns.age]\ntype = \"number\"\n[columns.illness]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
//! )?;
//! let schema = policy.schema(&mut |_| Err("no taxonomy files".to_owned()))?;
//! let requirement = Requirement::build(&policy.model_specs(&schema), &schema)?;
//!
//! let rows = [["34", "flu"], ["36", "asthma"], ["51", "flu"], ["58", "gout"]];
//! let table = Table::build(&Counts::from_rows(["age", "illness"], &rows), &schema)?;
//!
//! let history = History::default(); // no earlier releases
//! let task = RecodingTask::new(&table, &history, &requirement);
//! let outcome = run("top-down-specialization", &task, Arguments::default(), &Control::QUIET)?;
//!
//! // Every published age is shared by at least two patients.
//! let release = outcome.recoding.apply(&table)?;
//! assert!(release.contingency.project(&[0]).weights.iter().all(|records| *records >= 2));
//! # Ok::<(), reticent::Error>(())
//! ```
//!
//! # From a table to a release
//!
//! 1. [`Counts`] and a [`Schema`] give a [`Table`] with typed columns and taxonomies. A [`Policy`] provides the schema.
//! 2. A [`Requirement`] states the privacy models ([`models`]), also for joins ([`join`]) with the releases of a [`History`].
//! 3. An algorithm ([`algorithms`]) searches for a [`Recoding`] that satisfies the requirement. For a table that is published
//!    repeatedly, a method of [`republication`] forms groups instead.
//! 4. [`verify`] checks the written file against the definitions of the models, without code of the algorithms.
//! 5. [`mod@audit`] computes what an attacker can infer from all releases, and [`attacks`] runs attacks of the literature.
//!
//! [`recognise`] parses a published table, including one made elsewhere, as a [`Release`]. [`catalogue`] lists all models,
//! operations, metrics, algorithms, republication methods and attacks with their parameters and papers.
//!
//! # Guarantees
//!
//! - Counts are integers and thresholds are exact ratios ([`Ratio`]). No comparison rounds in favour of a release.
//! - A check that cannot be completed is an [`Error`], never a pass.
//! - Error texts contain no identifiers and no sensitive values. Every error has a stable code ([`Error::code`]).

#![cfg_attr(not(test), warn(unreachable_pub))]

pub mod algorithms;
pub mod attacks;
pub mod audit;
pub mod catalogue;
mod column_names;
mod contract;
mod data;
pub mod distributions;
pub mod error;
pub mod join;
mod kind;
pub mod metrics;
mod model_spec;
pub mod models;
mod names;
pub mod operations;
pub mod policy;
mod ratio;
pub mod reachability;
pub mod registry;
mod release;
mod remedies;
pub mod republication;
pub mod requirement;
pub mod risk;
mod scalar;
pub mod statement;
pub mod text;
pub mod verify;
mod witness;

pub use data::interval::Interval;
pub use data::links::{Links, NO_OWNER, Pseudonym};
pub use data::schema::{Attribute, Missing, Role, Schema, TreeSource, Unit};
pub use data::table::{Column, Counts, MissingNote, Table};
pub use data::taxonomy::{Taxonomy, Type};
pub use data::workload::{Condition, CountQuery, SelectedValues, Workload};
pub use data::{contingency, taxonomy, text_format};
pub use error::{Error, Result};
pub use join::lossy::{InconsistentRules, LossyJoin};
pub use names::{Confidence, Day, EntryReason, Recipient, ReleaseName};
pub use policy::Policy;
pub use ratio::Ratio;
pub use registry::{Argument, Arguments, Entry, Kind};
pub use release::history::{ErasedRelease, History, Presentation, RecordedRelease};
pub use release::recipients::{NonColluding, PUBLIC};
pub use release::recoding::{Recoded, Recoding, RecodingRule};
pub use release::{PublishedColumn, Release};
pub use release::{classes, recognise};
pub use remedies::{RefusedRelease, Remedies, Remedy, SeriesStart};
pub use requirement::{ModelSpec, Requirement};
