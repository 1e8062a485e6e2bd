//! `demo`: two monthly releases that are safe alone and not together, and the same months published safely.
//!
//! The data is that of `examples/monthly-hospital`.

use std::path::Path;

use reticent::{Recipient, ReleaseName, Remedy};

use crate::Workspace;
use crate::answer::{DemoAnswer, DemoRefusal, DemoSeries, Publication};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::publish::publish_recoding;
use crate::request::{AuditRequest, PublishRequest};

/// File name of the disclosure risk report about the releases that are safe alone.
pub const DEMO_REPORT: &str = "report.html";

/// The files of the demo: name in its folder, and text.
const FILES: &[(&str, &str)] = &[
    ("january.csv", include_str!("../../../examples/monthly-hospital/january.csv")),
    ("february.csv", include_str!("../../../examples/monthly-hospital/february.csv")),
    ("taxonomies/town.csv", include_str!("../../../examples/monthly-hospital/taxonomies/town.csv")),
    ("alone.toml", include_str!("../../../examples/monthly-hospital/alone.toml")),
    ("reticent.toml", include_str!("../../../examples/monthly-hospital/reticent.toml")),
    ("table.toml", TABLE_POLICY),
];

/// The policy of the tables for single recipients.
const TABLE_POLICY: &str = r#"[dataset]
name = "hospital"
owner = "patient"

[columns.patient]
role = "identifier"

[columns.age]
type = "number"

[columns.sex]

[columns.town]
taxonomy = "taxonomies/town.csv"

[columns.diagnosis]
role = "sensitive"

[requirement]
k = 3                          # at least 3 patients in every equivalence class
confidence = 0.5               # posterior of a diagnosis at most 50 %

[release]
algorithm = "top-down-specialization"
back-off = 0                   # refuse, instead of publishing less detail
seed = 7

[ledger]
path = "table-ledger"
"#;

/// Writes the data to an empty folder and publishes there.
///
/// # Errors
///
/// Returns an error if the folder cannot be written to.
pub fn demo(folder: &Path, context: &Context) -> Result<DemoAnswer> {
    context.run(|| {
        write_files(folder)?;
        Ok(DemoAnswer {
            separate: series(folder, "alone.toml", "alone-", true, context)?,
            protected: series(folder, "reticent.toml", "", false, context)?,
            other: refusal(folder, context)?,
        })
    })
}

fn write_files(folder: &Path) -> Result<()> {
    let taxonomies = folder.join("taxonomies");
    std::fs::create_dir(&taxonomies).map_err(Error::file("create the folder", &taxonomies))?;
    FILES.iter().try_for_each(|(name, text)| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(Error::file("write", path))
    })
}

/// The workspace of a policy in the folder. Its ledger is created.
fn workspace(folder: &Path, policy: &str) -> Workspace {
    Workspace { start_ledger: true, ..Workspace::new(folder.join(policy)) }
}

/// Publishes January and February, and audits both together.
fn series(folder: &Path, policy: &str, prefix: &str, ignore_history: bool, context: &Context) -> Result<DemoSeries> {
    let workspace = workspace(folder, policy);
    let publish = |month: &str, ignore_history: bool| -> Result<Publication> {
        let request = request(folder, month, month, "public", &format!("{prefix}{month}"))?;
        workspace.publish(&PublishRequest { ignore_history, ..request }, context)
    };
    let releases = vec![publish("january", false)?, publish("february", ignore_history)?];
    let report = folder.join(format!("{prefix}{DEMO_REPORT}"));
    let audit = workspace.audit(&AuditRequest { html: Some(report), worst: 30, ..AuditRequest::default() }, context)?;
    Ok(DemoSeries { releases, audit })
}

/// Publishes a table for researchers, then tries one for an insurer, which is refused.
fn refusal(folder: &Path, context: &Context) -> Result<Option<DemoRefusal>> {
    let workspace = workspace(folder, "table.toml");
    let columns = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>());
    let earlier = PublishRequest {
        columns: columns(&["sex", "town", "diagnosis"]),
        ..request(folder, "january", "research", "research", "research.csv")?
    };
    let earlier = publish_recoding(&workspace, &earlier, context)?;
    let insurer = PublishRequest {
        columns: columns(&["age", "diagnosis"]),
        ..request(folder, "january", "insurer", "insurer", "insurer.csv")?
    };
    let Err(error) = workspace.publish(&insurer, context) else { return Ok(None) };
    let Error::Refused { remedies, .. } = &error else { return Err(error) };
    let passes = |remedy: &&Remedy| match remedy {
        Remedy::Columns(without) => {
            let kept = insurer.columns.iter().flatten().filter(|name| !without.contains(name));
            let publish = PublishRequest { columns: Some(kept.cloned().collect()), ..insurer.clone() };
            workspace.rehearse(&publish, context).is_ok_and(|answer| answer.holds())
        }
        _ => false,
    };
    let checked_remedy = remedies.remedies.iter().find(passes).map(ToString::to_string);
    Ok(Some(DemoRefusal {
        earlier,
        code: error.code(),
        error: error.to_string(),
        data: error.data(),
        remedies: (**remedies).clone(),
        checked_remedy,
    }))
}

fn request(folder: &Path, data: &str, name: &str, recipient: &str, output: &str) -> Result<PublishRequest> {
    let data = folder.join(format!("{data}.csv")).display().to_string();
    let (name, recipient) = (ReleaseName::new(name)?, Recipient::new(recipient)?);
    Ok(PublishRequest::new(data.as_str(), name, vec![recipient], folder.join(output)))
}
