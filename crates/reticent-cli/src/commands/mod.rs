//! One file a command.

pub mod catalogue;
pub mod check;
pub mod demo;
pub mod init;
pub mod publish;
pub mod schema;
