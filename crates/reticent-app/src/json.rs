//! Verbs by name, with requests and answers in JSON: for interfaces in other languages.

use std::path::PathBuf;
use std::sync::Arc;

use reticent::Recipient;
use reticent::policy::PolicyDraft;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::Publication;
use crate::context::Context;
use crate::error::{Error, Problem, Result};
use crate::request::{
    AuditRequest, CheckRequest, CompareRequest, Data, InitRequest, PublishRequest, RegisterRequest,
    TaxonomyUpdateRequest,
};
use crate::{PolicySource, Workspace, fragment};

/// Answer of a verb that was called by its name.
#[derive(Clone)]
pub struct Answered {
    /// The answer, as documented.
    pub json: Value,
    /// Whether every requirement holds; `None` if the verb gives no verdict.
    pub holds: Option<bool>,
    /// The answer as an HTML fragment, for verbs that have one: the public variant if the argument is true.
    pub html: Option<Arc<dyn Fn(bool) -> String + Send + Sync>>,
}

/// Rows and policies of a call that JSON cannot contain.
#[derive(Debug, Default)]
pub struct Attached {
    /// Rows, in place of the field `data`.
    pub data: Option<Data>,
    /// Policies to compare.
    pub policies: Vec<PolicySource>,
}

/// Names of the verbs of [`call`].
pub const VERBS: &[&str] = &[
    "amend",
    "audit",
    "authenticate",
    "check",
    "columns",
    "compare",
    "diff",
    "doctor",
    "erase",
    "export-head",
    "history",
    "init",
    "log",
    "open",
    "prove",
    "publish",
    "purge",
    "record-witness",
    "register",
    "rehearse",
    "show",
    "update-taxonomies",
    "verify",
    "withdraw",
];

/// Calls a verb by its name. `request` has the fields of the request of the verb.
///
/// # Errors
///
/// Returns the error of the verb, or an error if there is no such verb or if a field of the request is invalid.
pub fn call(
    workspace: &Workspace,
    verb: &str,
    request: Value,
    attached: Attached,
    context: &Context,
) -> Result<Answered> {
    let data = attached.data;
    match verb {
        "amend" => plain(&workspace.amend(&read(request)?, context)?),
        "audit" => {
            let answer = Arc::new(workspace.audit(&read::<AuditRequest>(request)?, context)?);
            let (json, holds) = (to_json(&*answer)?, answer.holds);
            Ok(Answered { json, holds, html: Some(Arc::new(move |public| fragment::audit(&answer, public))) })
        }
        "authenticate" => plain(&workspace.authenticate(context)?),
        "check" => {
            let mut request: CheckRequest = read(request)?;
            set(&mut request.data, data);
            let answer = Arc::new(workspace.check(&request, context)?);
            let (json, holds) = (to_json(&*answer)?, Some(answer.holds()));
            Ok(Answered { json, holds, html: Some(Arc::new(move |public| fragment::check(&answer, public))) })
        }
        "columns" => {
            let ColumnTypes { types_of } = read(request)?;
            plain(&workspace.columns(&data.unwrap_or_default(), &types_of, context)?)
        }
        "compare" => {
            let mut request: CompareRequest = read(request)?;
            set(&mut request.data, data);
            request.policies = attached.policies;
            let answer = workspace.compare(&request, context)?;
            let (json, holds) = (to_json(&answer)?, Some(answer.choices.iter().any(|choice| choice.result.is_some())));
            let page = answer.page;
            Ok(Answered { json, holds, html: Some(Arc::new(move |public| fragment::comparison(&page, public))) })
        }
        "diff" => {
            let Pair { from, to } = read(request)?;
            plain(&workspace.diff(&from, &to, context)?)
        }
        "doctor" => plain(&workspace.doctor(context)?),
        "erase" => plain(&workspace.erase(&read(request)?, context)?),
        "export-head" => plain(&workspace.export_head(&read(request)?, context)?),
        "history" => {
            let Recipients { recipients } = read(request)?;
            plain(&workspace.history(&recipients, context)?)
        }
        "init" => {
            let mut request: InitRequest = read(request)?;
            set(&mut request.data, data);
            let answer = workspace.init(&request, context)?;
            with(plain(&answer)?, "draft", draft_json(&answer.draft))
        }
        "open" => plain(&workspace.open(context)?),
        "log" => plain(&workspace.log(context)?),
        "prove" => {
            let Proof { release, proof } = read(request)?;
            plain(&workspace.prove(&release, &proof, context)?)
        }
        "publish" | "rehearse" => {
            let mut request: PublishRequest = read(request)?;
            set(&mut request.data, data);
            match verb {
                "publish" => publication(&Arc::new(workspace.publish(&request, context)?)),
                _ => publication(&Arc::new(workspace.rehearse(&request, context)?)),
            }
        }
        "purge" => plain(&workspace.purge(&read(request)?, context)?),
        "record-witness" => {
            let Witnessed { head, witness } = read(request)?;
            plain(&workspace.record_witness(&head, &witness, context)?)
        }
        "register" => {
            let mut request: RegisterRequest = read(request)?;
            set(&mut request.data, data);
            plain(&workspace.register(&request, context)?)
        }
        "show" => {
            let Shown { release } = read(request)?;
            plain(&workspace.show(&release, context)?)
        }
        "update-taxonomies" => {
            let mut request: TaxonomyUpdateRequest = read(request)?;
            set(&mut request.data, data);
            let answer = workspace.update_taxonomies(&request, context)?;
            let files: serde_json::Map<String, Value> =
                answer.texts.iter().map(|(path, text)| (path.clone(), text.clone().into())).collect();
            with(plain(&answer)?, "files", files.into())
        }
        "verify" => {
            let answer = workspace.verify(&read(request)?, context)?;
            Ok(Answered { json: to_json(&answer)?, holds: Some(answer.intact), html: None })
        }
        "withdraw" => plain(&workspace.withdraw(&read(request)?, context)?),
        _ => {
            let hint = reticent::error::did_you_mean(verb, VERBS.iter().copied()).unwrap_or_default();
            Err(Problem::RequestInvalid { why: format!("there is no verb `{verb}`; {hint}") }.into())
        }
    }
}

/// Returns the answer of a planned or published release.
///
/// # Errors
///
/// Returns an error if the answer cannot be written as JSON.
pub fn publication(answer: &Arc<Publication>) -> Result<Answered> {
    let answer = answer.clone();
    let (json, holds) = (to_json(&*answer)?, Some(answer.holds()));
    Ok(Answered { json, holds, html: Some(Arc::new(move |public| fragment::publication(&answer, public))) })
}

/// Reads a request from JSON.
///
/// # Errors
///
/// Returns an error that names an invalid field.
pub fn read<T: DeserializeOwned>(request: Value) -> Result<T> {
    serde_json::from_value(request).map_err(|error| Problem::RequestInvalid { why: error.to_string() }.into())
}

/// Returns an error as JSON: code, text, data, hints, class, and the remedies of a refusal.
pub fn error_json(error: &Error) -> Value {
    let mut answer = json!({
        "code": error.code(),
        "error": error.to_string(),
        "data": error.data(),
        "hints": error.hints(),
        "class": error.class(),
    });
    if let Error::Refused { remedies, .. } = error {
        let texts: Vec<String> = remedies.remedies.iter().map(ToString::to_string).collect();
        answer["refusal"] = json!(remedies);
        answer["remedies"] = json!(texts);
    }
    answer
}

/// Request with a release, by number or name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    release: String,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct ColumnTypes {
    types_of: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proof {
    release: String,
    proof: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    from: String,
    to: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recipients {
    recipients: Vec<Recipient>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Witnessed {
    head: PathBuf,
    witness: String,
}

fn set(rows: &mut Data, attached: Option<Data>) {
    if let Some(attached) = attached {
        *rows = attached;
    }
}

fn to_json(answer: &impl Serialize) -> Result<Value> {
    serde_json::to_value(answer).map_err(|error| Problem::NoJson { why: error.to_string() }.into())
}

fn plain(answer: &impl Serialize) -> Result<Answered> {
    Ok(Answered { json: to_json(answer)?, holds: None, html: None })
}

fn with(mut answered: Answered, field: &str, value: Value) -> Result<Answered> {
    answered.json[field] = value;
    Ok(answered)
}

fn draft_json(draft: &PolicyDraft) -> Value {
    let files: serde_json::Map<String, Value> =
        draft.taxonomies.iter().map(|(path, text)| (path.clone(), text.clone().into())).collect();
    json!({ "toml": draft.toml, "files": files })
}
