//! The policy: any text is read or refused, and what is read can be used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reticent::policy::Policy;
use reticent::requirement::Requirement;

fuzz_target!(|text: &str| {
    let Ok(policy) = Policy::parse(text) else { return };
    let names: Vec<String> = policy.columns.iter().map(|column| column.name.clone()).collect();
    policy.fit(&names).expect("a policy fits the columns it names");
    let mut read = |_: &str| Ok("a;*\nb;*\n".to_owned());
    let Ok(schema) = policy.schema(&mut read) else { return };
    let _ = Requirement::build(&policy.wordings(&schema), &schema);
});
