//! What a review found in releases that are judged together, each as a steward would meet it.

use crate::support::Desk;

/// Eight diagnoses of five people each; a, b and c are the bits of their number. Any two columns leave two diagnoses, all
/// three one.
fn bits() -> Desk {
    let desk = Desk::new();
    let row = |at: usize| format!("a{},b{},c{},d{}\n", at % 2, at / 2 % 2, at / 4 % 2, at % 8);
    desk.write("people.csv", "a,b,c,diagnosis\n".to_owned() + &(0..40).map(row).collect::<String>());
    let policy = "[columns.a]\n[columns.b]\n[columns.c]\n[columns.diagnosis]\nrole = \"sensitive\"\n\
                  [requirement]\nk = 5\nconfidence = 0.6\n[release]\nseed = 1\n";
    desk.write("reticent.toml", policy);
    desk
}

#[test]
fn releases_about_others_do_not_empty_the_join() {
    let desk = bits();
    for (name, columns) in [("r1", "a,diagnosis"), ("r2", "b,diagnosis")] {
        desk.run(&format!("publish people.csv --name {name} --columns {columns} -o {name}.csv")).exits(0);
    }
    let animals = |year: usize| {
        let row = |at: usize| format!("x{},mange{}\n", at % 2, at % (3 + year));
        "breed,diagnosis\n".to_owned() + &(0..40).map(row).collect::<String>()
    };
    for year in 0..3 {
        desk.write("vets.csv", animals(year));
        desk.run(&format!(
            "register vets.csv --name vets{year} --to public --date 202{year}-01-01 --sensitive diagnosis"
        ))
        .exits(0);
    }
    desk.run("publish people.csv --name r3 --columns c,diagnosis -o r3.csv")
        .exits(0)
        .says("holds with 1 r1, 2 r2: 6 statements")
        .says("nobody in this table can be in all of these");
    let text = desk.read("r3.csv");
    assert!(!text.contains("c0") && !text.contains("c1"), "all three bits are out:\n{text}");
}

/// A number is what it says, however it is spelled, in columns of any role.
#[test]
fn numbers_of_registered_releases_are_numbers() {
    let desk = Desk::new();
    desk.write("people.csv", "city,salary\nA,100\nA,100\nA,200\nB,300\nB,400\nB,300\n");
    desk.write(
        "reticent.toml",
        "[columns.city]\n[columns.salary]\ntype = \"number\"\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.7\n[release]\nseed = 1\n",
    );
    // Every salary of A is 100 to somebody who reads, and two values to somebody who spells.
    desk.write("old.csv", "city,salary\nA,100\nA,100.0\nA,100.00\nB,300\nB,400\nB,200\n");
    desk.run("register old.csv --name old --to public --date 2020-01-01").exits(0);
    desk.run("publish people.csv --name new -o new.csv")
        .exits(1)
        .says("release 1 old by itself already gives this away")
        .says("confidence 1.0000");
}

/// Two texts that stand for no value are one.
#[test]
fn missing_values_are_one_value() {
    let desk = Desk::new();
    desk.write("people.csv", "city,diagnosis\nA,flu\nA,cold\nB,flu\nB,cold\n");
    desk.write(
        "reticent.toml",
        "[dataset]\nmissing-values = [\"NA\", \"-\"]\n[columns.city]\n[columns.diagnosis]\nrole = \"sensitive\"\n\
         [requirement]\nconfidence = 0.5\n[release]\nseed = 1\n",
    );
    desk.write("old.csv", "city,diagnosis\nA,NA\nA,-\nB,flu\nB,cold\n");
    desk.run("register old.csv --name old --to public --date 2020-01-01").exits(0);
    desk.run("publish people.csv --name new --columns city -o new.csv").exits(1).says("confidence 1.0000");
}

/// The number of a group is no attribute of a person.
#[test]
fn releases_that_mark_groups_are_not_joined() {
    let desk = bits();
    desk.write("old.csv", "group,a,diagnosis\n1,a0,d0\n1,a0,d2\n2,a1,d1\n2,a1,d3\n");
    desk.run("register old.csv --name old --to public --date 2020-01-01 --groups group --sensitive diagnosis").exits(0);
    let call = "publish people.csv --name new --columns b,diagnosis -o new.csv";
    desk.run(call).exits(1).says("could not check").says("does not show its records one by one");
    desk.run(&format!("{call} --alone")).exits(0);
}

/// What was released twice is held once.
#[test]
fn the_same_release_twice_teaches_nothing_new() {
    let desk = bits();
    desk.run("publish people.csv --name r1 --columns a,diagnosis -o r1.csv").exits(0);
    let alone =
        desk.run("publish people.csv --name r2 --columns b,diagnosis -o r2.csv --dry-run --json").exits(0).json();
    for copy in 0..3 {
        desk.run(&format!("register r1.csv --name copy{copy} --to public --date 2020-01-01 --sensitive diagnosis"))
            .exits(0);
    }
    let again =
        desk.run("publish people.csv --name r2 --columns b,diagnosis -o r2.csv --dry-run --json").exits(0).json();
    assert_eq!(again["together"].as_array().unwrap().len(), 1);
    assert_eq!(again["columns"], alone["columns"]);
}

/// A column that changes from month to month would make nobody match.
#[test]
fn columns_that_vary_do_not_join() {
    let desk = bits();
    let month = |visits: usize| {
        let row = |at: usize| format!("a{},b{},{visits},d{}\n", at % 2, at / 2 % 2, at % 4);
        "a,b,visits,diagnosis\n".to_owned() + &(0..40).map(row).collect::<String>()
    };
    let policy = |history: &str| {
        format!(
            "[columns.a]\n[columns.b]\n[columns.visits]\nrole = \"other\"\n[columns.diagnosis]\nrole = \"sensitive\"\n\
             [requirement]\nk = 2\nconfidence = 0.6\n{history}\n[release]\nseed = 1\n"
        )
    };
    desk.write("reticent.toml", policy(""));
    desk.write("people.csv", month(1));
    desk.run("publish people.csv --name january --columns a,visits,diagnosis -o january.csv").exits(0);
    desk.write("people.csv", month(2));
    let call = "publish people.csv --name february --columns b,visits,diagnosis -o february.csv --dry-run";
    desk.run(call).exits(0).says("most records match none of 1 january").says("b0 | b1");
    desk.write("reticent.toml", policy("[history]\nvaries = [\"visits\"]"));
    let judged = desk.run(call).exits(0);
    assert!(!judged.out.contains("b0 | b1"), "a and b leave one diagnosis:\n{}", judged.out);
}

/// Releases about half of the people do not hide what others give away about the other half: those are judged without them.
#[test]
fn releases_about_some_do_not_hide_the_others() {
    let desk = bits();
    for (name, columns) in [("r1", "a,diagnosis"), ("r2", "b,diagnosis")] {
        desk.run(&format!("publish people.csv --name {name} --columns {columns} -o {name}.csv")).exits(0);
    }
    for ward in 0..3 {
        // The first four diagnoses only, which are those of c0.
        let row = |at: usize| format!("z{},d{}\n", at / 4 % (2 + ward), at % 4);
        desk.write("ward.csv", "ward,diagnosis\n".to_owned() + &(0..160).map(row).collect::<String>());
        desk.run(&format!(
            "register ward.csv --name ward{ward} --to public --date 202{ward}-01-01 --sensitive diagnosis"
        ))
        .exits(0);
    }
    let call = "publish people.csv --name r3 --columns c,diagnosis -o r3.csv --dry-run --confidence 1 --json";
    let answer = desk.run(call).exits(0).json();
    let sets: Vec<Vec<u64>> = answer["together"]
        .as_array()
        .unwrap()
        .iter()
        .map(|set| set["with"].as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect())
        .collect();
    assert!(sets.contains(&vec![1, 2]) && sets.contains(&vec![1, 2, 3, 4, 5]), "{sets:?}");
}

/// A policy that bounds how well a disease is told to somebody who knows ages and jobs, where jobs are published as they are.
const JOBS: &str = "[columns.age]\ntype = \"number\"\n[columns.job]\nrole = \"other\"\n[columns.disease]\nrole = \"sensitive\"\n\
                    [[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"age\", \"job\"]\ny = [\"disease\"]\nh = 0.5\n[release]\nseed = 1\n";

fn register(desk: &Desk, name: &str, text: &str, more: &str) {
    desk.write(&format!("{name}.csv"), text);
    desk.run(&format!("register {name}.csv --name {name} --to public --date 2020-01-01 {more}")).exits(0);
}

/// Two releases with the same bytes are not one where a demand names the second: lawyers would be told to have the flu.
#[test]
fn a_release_that_is_named_is_not_another_one() {
    let desk = Desk::new();
    desk.write("people.csv", "zip,job,disease\n1,lawyer,flu\n1,lawyer,flu\n2,artist,cold\n2,artist,cold\n");
    desk.write(
        "reticent.toml",
        "[columns.zip]\n[columns.job]\nrole = \"other\"\n[columns.disease]\nrole = \"sensitive\"\n[requirement]\nk = 2\n\
         [[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"job\"]\ny = [\"second.disease\"]\nh = 0.5\n[release]\nseed = 1\n",
    );
    for name in ["first", "second"] {
        desk.run(&format!("publish people.csv --columns zip,disease --name {name} -o {name}.csv")).exits(0);
    }
    desk.run("publish people.csv --columns zip,job --name new -o new.csv").exits(0);
    let text = desk.read("new.csv");
    assert!(!text.contains("1,") && !text.contains("2,"), "{text}");
}

/// The same file registered with a column that is said to be known, and then to be sensitive: what is demanded of the second counts.
#[test]
fn a_release_in_other_roles_is_another_one() {
    let desk = Desk::new();
    desk.write("people.csv", "zip,job,disease\n1,lawyer,flu\n1,lawyer,flu\n2,artist,cold\n2,artist,cold\n");
    desk.write(
        "reticent.toml",
        "[columns.zip]\n[columns.job]\n[columns.disease]\nrole = \"sensitive\"\n[requirement]\nk = 2\nconfidence = 0.5\naudit = \"off\"\n\
         [release]\nseed = 1\n",
    );
    let old = "zip,disease\n1,flu\n1,flu\n2,cold\n2,cold\n";
    register(&desk, "wrong", old, "--quasi-identifier zip,disease");
    register(&desk, "right", old, "--quasi-identifier zip --sensitive disease");
    desk.run("publish people.csv --columns zip,job --name new -o new.csv").exits(1);
}

/// A label with stars in the middle stands for what is below it, and for what it can hide a part of.
#[test]
fn stars_hide_letters_wherever_they_stand() {
    let people = "zip,age,job,disease\n12345-6789,30,lawyer,flu\n12399-0001,30,lawyer,flu\n99945-1234,30,artist,cold\n99911-1111,30,artist,cold\n";
    let old = "zip,age,disease\n123**-****,30,flu\n123**-****,30,flu\n999**-****,30,cold\n999**-****,30,cold\n";
    let tree = "12345-6789;123**-****;1****-****;*\n12399-0001;123**-****;1****-****;*\n\
                99945-1234;999**-****;9****-****;*\n99911-1111;999**-****;9****-****;*\n";
    for taxonomy in ["taxonomy = \"zip.csv\"\n", ""] {
        let desk = Desk::new();
        desk.write("people.csv", people);
        desk.write("zip.csv", tree);
        desk.write("reticent.toml", format!("[columns.zip]\n{taxonomy}{JOBS}"));
        register(&desk, "old", old, "--quasi-identifier zip,age --sensitive disease");
        desk.run("publish people.csv --columns zip,job --name new -o new.csv").exits(0);
        let text = desk.read("new.csv");
        assert!(text.lines().skip(1).all(|line| line.starts_with("*,")), "{taxonomy}{text}");
    }
}

/// Two releases that contradict each other empty the join of all five, and not what two others tell together.
#[test]
fn releases_that_contradict_each_other_do_not_empty_the_join() {
    let desk = Desk::new();
    desk.write(
        "people.csv",
        "zip,region,age,sex,job,disease\n1,north,30,m,lawyer,flu\n1,north,30,f,lawyer,flu\n2,south,30,m,artist,cold\n2,south,30,f,artist,cold\n",
    );
    desk.write("reticent.toml", format!("[columns.zip]\n[columns.region]\n[columns.sex]\n{JOBS}"));
    register(&desk, "a", "zip,age,disease\n1,30,flu\n1,30,flu\n2,30,cold\n2,30,cold\n", "--quasi-identifier zip,age");
    register(&desk, "b", "zip,region\n1,north\n1,north\n2,south\n2,south\n", "--quasi-identifier zip,region");
    register(&desk, "c", "region\nnorth\nsouth\nnorth\nsouth\n", "--quasi-identifier region");
    register(&desk, "d", "region,sex\nnorth,m\nsouth,m\n", "--quasi-identifier region,sex");
    register(&desk, "e", "region,sex\nnorth,f\nsouth,f\n", "--quasi-identifier region,sex");
    desk.run("publish people.csv --columns region,job --name new -o new.csv").exits(0);
    let text = desk.read("new.csv");
    assert!(!text.contains("north") && !text.contains("south"), "{text}");
}

/// Whether the year 1985 is the second of July is not for a program to guess.
#[test]
fn numbers_and_dates_are_not_compared() {
    let desk = Desk::new();
    desk.write("people.csv", "born,job,disease\n1985-07-02,lawyer,flu\n1985-01-03,lawyer,flu\n1990-05-05,artist,cold\n1990-07-07,artist,cold\n");
    let policy = |values: &str| {
        format!(
            "[columns.born]\ntype = \"{values}\"\n{}",
            JOBS.replace("[\"age\", \"job\"]", "[\"job\"]").replace("[columns.age]\ntype = \"number\"\n", "")
        )
    };
    desk.write("reticent.toml", policy("number"));
    register(
        &desk,
        "old",
        "born,disease\n1985,flu\n1985,flu\n1990,cold\n1990,cold\n",
        "--quasi-identifier born --sensitive disease",
    );
    desk.write("reticent.toml", policy("date"));
    desk.run("publish people.csv --columns born,job --name new -o new.csv")
        .exits(1)
        .says("`born` holds numbers in one of");
    let varies = policy("date").replace("[[requirement.models]]", "[requirement]\nk = 2\n[[requirement.models]]");
    desk.write("reticent.toml", varies + "[history]\nvaries = [\"born\"]\n");
    desk.run("publish people.csv --columns born,job --name new -o new.csv").exits(0);
}

/// People are counted, and not inferred.
#[test]
fn linkability_of_people_is_refused() {
    let desk = Desk::new();
    desk.write("people.csv", "zip,job,disease\n1,lawyer,flu\n1,lawyer,flu\n1,lawyer,flu\n");
    desk.write(
        "reticent.toml",
        "[columns.zip]\n[columns.job]\n[columns.disease]\nrole = \"sensitive\"\n\
         [[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"job\"]\ny = [\"first.people\"]\nh = 0.5\n[release]\nseed = 1\n",
    );
    register(&desk, "first", "zip,disease\n1,flu\n1,flu\n1,flu\n", "--quasi-identifier zip --sensitive disease");
    desk.run("publish people.csv --columns zip,job --name new -o new.csv").exits(2).says("xy-anonymity");
}

/// What stars hide in the data itself may be one thing for one release and another for the next: all together is then nobody's.
#[test]
fn stars_in_the_data_hide_contradictions() {
    let desk = Desk::new();
    desk.write("people.csv", "zip,age,q,job,disease\n12**,30,1,lawyer,flu\n12**,30,1,lawyer,flu\n5555,50,1,clerk,flu\n5555,50,1,clerk,cold\n");
    desk.write(
        "reticent.toml",
        "[columns.zip]\n[columns.age]\n[columns.q]\n[columns.job]\nrole = \"other\"\n[columns.disease]\nrole = \"sensitive\"\n\
         [requirement]\nk = 2\naudit = \"off\"\n[[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"job\"]\ny = [\"disease\"]\nh = 0.5\n\
         [release]\nseed = 1\n",
    );
    register(&desk, "a", "zip,age\n12**,30\n12**,30\n5555,50\n5555,50\n", "--quasi-identifier zip,age");
    register(
        &desk,
        "b",
        "age,disease\n30,flu\n30,flu\n50,flu\n50,cold\n",
        "--quasi-identifier age --sensitive disease",
    );
    register(&desk, "c", "zip\n1234\n1234\n5555\n5555\n", "--quasi-identifier zip");
    register(&desk, "d", "zip\n1256\n1256\n5555\n5555\n", "--quasi-identifier zip");
    register(&desk, "e", "zip,q\n12**,1\n12**,1\n5555,1\n5555,1\n", "--quasi-identifier zip,q");
    let ran = desk.run("publish people.csv --columns zip,job --name new -o new.csv");
    assert!(ran.status == 1 || !desk.read("new.csv").contains("12**,lawyer"), "{}", ran.out);
}

/// A masked text stands for numbers too, wherever its stars are; and one of stars only for anything.
#[test]
fn masks_stand_for_numbers() {
    let policy = |values: &str| {
        format!(
            "[columns.zip]\ntype = \"{values}\"\n[columns.job]\nrole = \"other\"\n[columns.disease]\nrole = \"sensitive\"\n\
             [[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"job\"]\ny = [\"disease\"]\nh = 0.5\n[release]\nseed = 1\n"
        )
    };
    let artists = "50001,artist,flu\n50002,artist,cold\n50003,artist,flu\n50004,artist,cold\n";
    for mask in ["12**5", "**3*5", "*****"] {
        let desk = Desk::new();
        desk.write("people.csv", format!("zip,job,disease\n12345,lawyer,flu\n12385,lawyer,flu\n{artists}"));
        desk.write("reticent.toml", policy("text"));
        let old = format!("zip,disease\n{mask},flu\n{mask},flu\n50001,flu\n50002,cold\n50003,flu\n50004,cold\n");
        register(&desk, "old", &old, "--quasi-identifier zip --sensitive disease");
        desk.write("reticent.toml", policy("number"));
        let ran = desk.run("publish people.csv --columns zip,job --name new -o new.csv");
        let told =
            ran.status == 0 && desk.read("new.csv").lines().any(|row| row.contains("lawyer") && !row.starts_with('*'));
        assert!(!told, "{mask}: {}", desk.read("new.csv"));
    }
}

/// A copy of a release counts once, so that four are still few enough to judge every subset of them.
#[test]
fn a_copy_changes_nothing() {
    let desk = Desk::new();
    desk.write("people.csv", "zip,age,p,q,t,job,disease\n1,1,0,1,1,lawyer,cold\n2,2,1,0,1,lawyer,flu\n");
    desk.write(
        "reticent.toml",
        "[columns.zip]\n[columns.age]\n[columns.p]\n[columns.q]\n[columns.t]\n[columns.job]\nrole = \"other\"\n\
         [columns.disease]\nrole = \"sensitive\"\n[requirement]\nk = 2\naudit = \"off\"\n\
         [[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"job\"]\ny = [\"disease\"]\nh = 0.5\n[release]\nseed = 1\n",
    );
    let twice = |head: &str, rows: &[&str]| {
        head.to_owned() + "\n" + &rows.iter().map(|row| format!("{row}\n{row}\n")).collect::<String>()
    };
    register(&desk, "r1", &twice("zip,p", &["1,0"]), "--quasi-identifier zip,p");
    register(&desk, "r2", &twice("age,q", &["2,0"]), "--quasi-identifier age,q");
    register(&desk, "r3", &twice("p,q,t", &["0,0,0", "0,1,1", "1,0,1", "1,1,0"]), "--quasi-identifier p,q,t");
    register(&desk, "r4", &twice("t,disease", &["0,flu", "1,cold"]), "--quasi-identifier t --sensitive disease");
    let call = "publish people.csv --columns zip,age,job --name new -o new.csv";
    desk.run(call).exits(1).says("confidence 1.0000");
    desk.run("register r1.csv --name copy --to public --date 2020-01-01 --quasi-identifier zip,p").exits(0);
    desk.run(call).exits(1).says("confidence 1.0000");
}

/// Three that contradict each other, beside four that do not: three largest sets, however many subsets there are.
#[test]
fn three_that_contradict_each_other_are_not_many_sets() {
    let desk = Desk::new();
    desk.write("people.csv", "c,u,v,w,s\n1,0,0,0,x\n1,0,0,0,y\n");
    desk.write(
        "reticent.toml",
        "[columns.c]\n[columns.u]\n[columns.v]\n[columns.w]\n[columns.s]\nrole = \"sensitive\"\n\
         [requirement]\nconfidence = 1.0\naudit = \"off\"\n[release]\nseed = 1\n",
    );
    for times in 1..=4 {
        let text = "c,u\n".to_owned() + &"1,0\n1,1\n".repeat(times);
        register(&desk, &format!("r{times}"), &text, "--quasi-identifier c,u");
    }
    register(&desk, "r5", "c,u,v\n1,0,0\n1,1,1\n", "--quasi-identifier c,u,v");
    register(&desk, "r6", "c,v,w\n1,0,0\n1,1,1\n", "--quasi-identifier c,v,w");
    register(&desk, "r7", "c,w,u\n1,0,1\n1,1,0\n", "--quasi-identifier c,w,u");
    let answer = desk.run("publish people.csv --columns c,s --name new -o new.csv --json").exits(0).json();
    let sets = answer["together"].as_array().unwrap();
    let largest = sets.iter().filter(|set| set["with"].as_array().unwrap().len() == 6).count();
    assert_eq!((largest, sets.len()), (3, 10), "{answer:#}");
}
