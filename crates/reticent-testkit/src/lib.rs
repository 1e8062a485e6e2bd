//! Test helpers: a temporary folder for each test, example data, short calls of the verbs, and assertions on their
//! results.
//!
//! ```
//! use reticent_testkit::{Outcome, TestFolder, clinic_policy};
//!
//! let folder = TestFolder::clinic(&clinic_policy(3));
//! let answer = folder.publish("people.csv", "spring").to("press").run().passes();
//! let error = folder.publish("people.csv", "spring").to("press").run().fails_with("output-exists");
//! assert!(error.data()["path"].as_str().unwrap().ends_with("spring.csv"));
//! ```
//!
//! Every path is in the folder of the test. No call changes the current directory or an environment variable, so
//! tests can run in parallel in one process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test helpers fail by panicking")]

mod compare;
mod data;
mod folder;
mod monthly;
mod outcome;
mod verbs;
pub mod workbooks;

pub use compare::CompareCall;
pub use data::{CLINIC, PATIENTS_POLICY, clinic_policy, clinic_policy_with_owner, patients};
pub use folder::TestFolder;
pub use monthly::{ILLNESSES, MONTHLY_COLUMNS, method_policy, month, patient, present_in};
pub use outcome::{Answer, Outcome, refusal};
pub use verbs::{AuditCall, PublishCall, RegisterCall};
