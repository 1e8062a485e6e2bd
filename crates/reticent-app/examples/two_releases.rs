//! Publishes two releases of one table to two recipients, and audits what the two releases disclose in combination.

use reticent_app::request::{AuditRequest, PublishRequest};
use reticent_app::{Context, Recipient, ReleaseName, Workspace};

const POLICY: &str = r#"
[dataset]
name = "clinic"
owner = "patient"
[columns.patient]
role = "identifier"
[columns.age]
type = "number"
[columns.ward]
[columns.illness]
role = "sensitive"
[requirement]
k = 3
confidence = 0.7
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("reticent-example-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    std::fs::write(folder.join("reticent.toml"), POLICY)?;
    let illness = ["flu", "asthma", "measles"];
    let rows = (0..60).map(|at| format!("p{at},{},{},{}\n", 20 + at, ["a", "b"][at % 2], illness[at % 3]));
    std::fs::write(folder.join("people.csv"), format!("patient,age,ward,illness\n{}", rows.collect::<String>()))?;

    let workspace = Workspace { start_ledger: true, ..Workspace::new(folder.join("reticent.toml")) };
    let context = Context::new("ana");
    let people = folder.join("people.csv").display().to_string();
    for (name, to, columns) in [("ages", "press", ["age", "illness"]), ("wards", "ministry", ["ward", "illness"])] {
        let output = folder.join(format!("{name}.csv"));
        let request = PublishRequest {
            columns: Some(columns.map(str::to_owned).to_vec()),
            ..PublishRequest::new(people.as_str(), ReleaseName::new(name)?, vec![Recipient::new(to)?], output)
        };
        let publication = workspace.publish(&request, &context)?;
        println!("{name} to {to}: {}", if publication.holds() { "published" } else { "refused" });
    }
    let audit = workspace.audit(&AuditRequest::default(), &context)?;
    println!("within the policy: {:?}", audit.holds);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
