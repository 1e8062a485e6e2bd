//! `demo`: the whole story on generated data.

use std::path::Path;

use reticent::risk::{Risk, risk};
use reticent::{Recipient, Release, ReleaseName, Role};

use crate::Workspace;
use crate::answer::DemoAnswer;
use crate::context::Context;
use crate::dataset::{load, prepare};
use crate::demo_data::Hospital;
use crate::error::{Error, Result};
use crate::publish::publish_recoding;
use crate::request::PublishRequest;

/// The data of the demo, in its folder.
pub const DEMO_DATA: &str = "stays.csv";
/// The release of the demo, in its folder.
pub const DEMO_RELEASE: &str = "research.csv";

/// Generates a hospital with so many stays in an empty folder, and publishes it there.
///
/// # Errors
///
/// If the folder cannot be written to.
pub fn demo(folder: &Path, rows: u32, seed: u64, context: &Context) -> Result<DemoAnswer> {
    context.run(|| {
        write_hospital(folder, &Hospital::generate(rows, seed))?;
        let before = raw_risk(folder, context)?;
        let workspace = Workspace {
            ledger: Some(folder.join("ledger")),
            key: Some(folder.join("reticent.key")),
            start_ledger: true,
            ..Workspace::new(folder.join("reticent.toml"))
        };
        let data = folder.join(DEMO_DATA).display().to_string();
        let (name, to) = (ReleaseName::new("research")?, Recipient::new("research")?);
        let request = PublishRequest::new(&data, name, vec![to], folder.join(DEMO_RELEASE));
        let release = publish_recoding(&workspace, &request, context)?;
        Ok(DemoAnswer { before, release })
    })
}

fn write_hospital(folder: &Path, hospital: &Hospital) -> Result<()> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(Error::file("write", path))
    };
    let taxonomies = folder.join("taxonomies");
    std::fs::create_dir(&taxonomies).map_err(Error::file("create the folder", &taxonomies))?;
    write("stays.csv", &hospital.stays)?;
    write("reticent.toml", &hospital.policy)?;
    hospital.taxonomies.iter().try_for_each(|(name, text)| write(name, text))
}

fn raw_risk(folder: &Path, context: &Context) -> Result<Risk> {
    let loaded = load(&folder.join("reticent.toml"))?;
    let prepared =
        prepare(&loaded, &[folder.join(DEMO_DATA).display().to_string()], None, ("demo", &[]), None, context)?;
    let release = Release::raw(&prepared.table)?;
    let on = prepared.schema.with_role(Role::QuasiIdentifier);
    Ok(risk(&release, &prepared.schema, &on, loaded.policy.short.k.unwrap_or(2))?)
}
