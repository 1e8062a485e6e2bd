//! Answers of the verbs. They serialize to the documented JSON (docs/json.md).

mod audit;
mod check;
mod compare;
mod confidential;
mod corrected;
mod demo;
mod diff;
mod doctor;
mod explain;
mod grouped;
mod history;
mod init;
mod log;
mod open;
mod proof;
mod publish;
mod purge;
mod register;
mod show;
mod taxonomy;
mod verify;

pub use audit::*;
pub use check::*;
pub use compare::*;
pub use confidential::Confidential;
pub use corrected::*;
pub use demo::*;
pub use diff::*;
pub use doctor::*;
pub use explain::*;
pub use grouped::*;
pub use history::*;
pub use init::*;
pub use log::*;
pub use open::*;
pub use proof::*;
pub use publish::*;
pub use purge::*;
pub use register::*;
pub use reticent_ledger::{
    ColumnRecord, Entry, ExportedHead, FileState, Findings, HistoryScope, MethodRecord, Origin, PosteriorBound,
    ReleaseRecord, TableRecord, WithheldRecords,
};
pub use show::*;
pub use taxonomy::*;
pub use verify::*;
