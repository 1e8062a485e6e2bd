//! Releases that do not show their records one by one, and attackers who know how a release was made, from the files on.

use crate::support::Desk;

const POLICY: &str = "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.group]\nrole = \"other\"\n\
                      [columns.fake]\nrole = \"other\"\n[columns.disease]\nrole = \"sensitive\"\n\
                      [columns.pay]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.5\n";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("reticent.toml", POLICY);
    desk
}

/// Alice leaves, and with her the last bronchitis: a record that is nobody's keeps Bob's secret.
#[test]
fn counterfeits_are_registered_and_hide_an_absence() {
    let desk = desk();
    desk.write("first.csv", "pid,group,disease\nbob,1,dyspepsia\nalice,1,bronchitis\n");
    desk.run("register first.csv --name first --to public --date 2026-01-01 --groups group").exits(0);
    desk.write("second.csv", "pid,group,disease,fake\nbob,1,dyspepsia,1\n,1,bronchitis,1\n");
    let call = "register second.csv --name second --to public --date 2026-02-01 --groups group";
    desk.run(call).exits(2).says("no owner");
    desk.write("wrong.csv", "pid,group,disease,fake\nbob,1,dyspepsia,2\n,1,bronchitis,2\n");
    let wrong = call.replace("second.csv", "wrong.csv");
    desk.run(&format!("{wrong} --counterfeits fake")).exits(2).says("counterfeits are the records without an owner");
    desk.run(&format!("{call} --counterfeits fake")).exits(0).says("counterfeits are counted by fake");
    let answer = desk.run("audit --json").exits(0).json();
    let column = &answer["coalitions"][0]["audit"]["columns"][0];
    assert_eq!(
        (&column["people"], &column["certain"], &column["highest"]["upper"]),
        (&2.into(), &0.into(), &0.5.into())
    );
    desk.run("show second").exits(0).says("counterfeits are counted by fake");
}

/// Two columns shown apart tell nothing of each other, until a marginal table is published.
#[test]
fn a_marginal_table_is_registered_for_the_people_of_a_release() {
    let desk = desk();
    // In each group one has HIV and one is rich; only the marginal tells that these are the same person, in both.
    desk.write("lists.csv", "pid,group,disease,pay\na,1,HIV,rich\nb,1,Flu,poor\nc,2,HIV,rich\nd,2,Flu,poor\n");
    let call = "register lists.csv --name lists --to public --date 2026-01-01 --groups group --apart";
    desk.run(call).exits(0).says("each sensitive column is shown by itself");
    let worlds = |desk: &Desk| desk.run("audit --json").exits(0).json()["coalitions"][0]["audit"]["worlds"].clone();
    assert_eq!(worlds(&desk), "16");
    desk.write("marginal.csv", "disease,pay\nHIV,rich\nFlu,poor\nHIV,rich\nFlu,poor\n");
    let call = "register marginal.csv --name marginal --to public --date 2026-01-02 --of";
    desk.run(&format!("{call} lost")).exits(2).says("no release `lost`");
    desk.run(&format!("{call} lists")).exits(0).says("counts the values of the people of release 1");
    assert_eq!(worlds(&desk), "4");
    // What somebody pays now tells what they have.
    desk.write("knows.txt", "\"a\" has pay = rich\n");
    let answer = desk.run("audit --knows knows.txt --json");
    assert_eq!(answer.json()["coalitions"][0]["audit"]["columns"][0]["certain"], 2, "{}", answer.out);
}

/// The order of the rows is read from the files, as long as these are what was registered.
#[test]
fn rows_in_the_same_order_are_matched() {
    let desk = Desk::new();
    desk.write(
        "reticent.toml",
        "[columns.race]\n[columns.zip]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
    );
    desk.write("one.csv", "race,zip,ill\n*,1,a\n*,2,b\n*,1,c\n*,2,d\n");
    desk.write("two.csv", "race,zip,ill\nAsian,*,a\nAsian,*,b\nBlack,*,c\nBlack,*,d\n");
    for name in ["one", "two"] {
        desk.run(&format!("register {name}.csv --name {name} --to public --date 2026-01-01")).exits(0);
    }
    let attack = |desk: &Desk| {
        let answer = desk.run("audit --attack unsorted-matching --json").json();
        answer["coalitions"][0]["attacks"][0].clone()
    };
    let found = attack(&desk);
    assert_eq!((&found["not_run"], &found["findings"][0]["records"]), (&serde_json::Value::Null, &4.into()), "{found}");
    desk.write("two.csv", "race,zip,ill\nAsian,*,b\nAsian,*,a\nBlack,*,c\nBlack,*,d\n");
    let found = attack(&desk);
    assert!(found["not_run"].as_str().is_some_and(|why| why.contains("order")), "{found}");
}

#[test]
fn who_knows_the_algorithm_undoes_its_steps() {
    let desk = Desk::engineers();
    desk.run("audit --confidence 0.8").exits(0);
    desk.run("audit --confidence 0.8 --adversary algorithm").exits(2).says("--population");
    let call = "audit --confidence 0.6 --adversary algorithm --population people.csv --json";
    let answer = desk.run(call).exits(1).json();
    let attack = &answer["coalitions"][0]["attacks"][0];
    assert_eq!((&attack["id"], &attack["findings"][0]["people"]), (&"minimality".into(), &2.into()), "{attack}");
    // Flu is bounded too, and breaks its bound whoever has it: that the two engineers have HIV follows only if it was not.
    let finding = &attack["findings"][0];
    assert_eq!((&finding["certain"], &finding["confidence"]["kind"]), (&false.into(), &"estimate".into()), "{finding}");
    assert_eq!(answer["coalitions"][0]["breaches"], serde_json::json!([]));
    let told = desk.run(call.trim_end_matches(" --json")).exits(1);
    told.says("Not established: what somebody who knows the algorithm can tell could not be looked at in full")
        .says("if the bound on this value was the need");
    let alone = "audit --confidence 0.6 --attack minimality --with values=HIV=0.6 --population people.csv --json";
    let alone = desk.run(alone).json()["coalitions"][0]["attacks"][0]["findings"][0].clone();
    assert_eq!((&alone["certain"], &alone["people"]), (&true.into(), &2.into()), "{alone}");
    // Had the two hidden cells been alike, they would have been shown: that is for certain.
    let desk = Desk::downcoded();
    let call = "audit --confidence 0.9 --adversary algorithm --population people.csv";
    let answer = desk.run(&format!("{call} --json")).exits(1).json();
    assert_eq!(answer["coalitions"][0]["breaches"][0]["certain"], true, "{answer}");
    let told = desk.run(call).exits(1);
    told.says("Somebody who knows the algorithm can tell for certain").says("to others nobody's value is certain");
    desk.run(&format!("{call} --html report.html")).exits(1);
    assert!(desk.read("report.html").contains("Given away"));
    let not = answer["coalitions"][0]["audit"]["not_considered"].to_string();
    assert!(!not.contains("minimality"), "{not}");
}
