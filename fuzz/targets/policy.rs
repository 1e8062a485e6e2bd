//! Policies: any text is parsed or rejected, and a parsed policy can be used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reticent::policy::Policy;
use reticent::requirement::Requirement;

fuzz_target!(|text: &str| {
    let Ok(policy) = Policy::parse(text) else { return };
    let names: Vec<String> = policy.columns.iter().map(|column| column.name.clone()).collect();
    policy.check_columns(&names).expect("a policy matches its own columns");
    let mut read = |_: &str| Ok("a;*\nb;*\n".to_owned());
    let Ok(schema) = policy.schema(&mut read) else { return };
    let _ = Requirement::build(&policy.model_specs(&schema), &schema);
});
