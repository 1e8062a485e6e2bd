//! One file a command.

pub mod amend;
pub mod audit;
pub mod catalogue;
pub mod check;
pub mod compare;
pub mod completions;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod erase;
pub mod explain;
pub mod export_head;
pub mod history;
pub mod init;
pub mod log;
pub mod man;
pub mod proof;
pub mod publish;
pub mod purge;
pub mod register;
pub mod schema;
pub mod show;
pub mod taxonomy;
pub mod verify;
pub mod withdraw;
pub mod witness;
