//! Example data, policies, and folders with registered releases that several tests use.

use crate::{Outcome, TestFolder};

/// Twelve people. All are sample unique on age, sex and city.
pub const CLINIC: &str = "\
name,age,sex,city,illness
Ada,34,F,Paris,asthma
Ben,36,M,Paris,flu
Cleo,31,F,Lyon,flu
Dan,38,M,Lyon,asthma
Eva,33,F,Paris,diabetes
Finn,35,M,Lyon,flu
Gus,52,M,Oslo,diabetes
Hana,57,F,Oslo,flu
Ida,55,F,Bergen,asthma
Jon,51,M,Bergen,flu
Kim,58,F,Oslo,asthma
Leo,54,M,Oslo,diabetes
";

/// Returns a k-anonymity policy for [`CLINIC`].
pub fn clinic_policy(k: u32) -> String {
    format!(
        r#"[dataset]
name = "clinic"

[columns.name]
role = "identifier"

[columns.age]
type = "number"

[columns.sex]

[columns.city]

[columns.illness]
role = "sensitive"

[requirement]
k = {k}

[release]
seed = 1
"#
    )
}

/// Returns a k-anonymity policy for [`CLINIC`] with the name as the owner column.
pub fn clinic_policy_with_owner(k: u32) -> String {
    clinic_policy(k).replace("name = \"clinic\"", "name = \"clinic\"\nowner = \"name\"")
}

/// A policy for [`patients`].
pub const PATIENTS_POLICY: &str = "[dataset]\nname = \"clinic\"\nowner = \"patient\"\n[columns.patient]\nrole = \"identifier\"\n\
    [columns.age]\ntype = \"number\"\n[columns.ward]\n[columns.illness]\nrole = \"sensitive\"\n\
    [requirement]\nk = 3\nconfidence = 0.7\n[release]\nseed = 1\n";

/// Returns a table of `rows` patients with one record each.
pub fn patients(rows: usize) -> String {
    let illness = ["flu", "asthma", "measles"];
    let row = |at: usize| format!("p{at},{},{},{}\n", 20 + at % 60, ["a", "b", "c"][at % 3], illness[at * 7 % 3]);
    format!("patient,age,ward,illness\n{}", (0..rows).map(row).collect::<String>())
}

/// Illness of each person in figure 1 of the paper on inference analysis.
const FIGURE_1: [&str; 15] = [
    "Flu",
    "Pneumonia",
    "Diabetes",
    "Flu",
    "Flu",
    "Pneumonia",
    "Diabetes",
    "HIV",
    "Flu",
    "Lung cancer",
    "Pneumonia",
    "HIV",
    "Diabetes",
    "Diabetes",
    "Pneumonia",
];

impl TestFolder {
    /// Creates a folder with [`CLINIC`] as `people.csv` and a policy.
    pub fn clinic(policy: &str) -> TestFolder {
        let folder = TestFolder::from_policy(policy);
        folder.write("people.csv", CLINIC);
        folder
    }

    /// Creates a folder with [`CLINIC`] as `people.csv` and with the name as the owner column.
    pub fn clinic_with_owner(k: u32) -> TestFolder {
        TestFolder::clinic(&clinic_policy_with_owner(k))
    }

    /// Creates a folder with [`patients`] as `people.csv` and their policy.
    pub fn patients(rows: usize) -> TestFolder {
        let folder = TestFolder::from_policy(PATIENTS_POLICY);
        folder.write("people.csv", patients(rows));
        folder
    }

    /// Registers the two bucketized releases of figure 1 of the paper on inference analysis as `march` and `april`.
    pub fn figure_1() -> TestFolder {
        let march: &[&[usize]] = &[&[1, 2, 3, 4], &[5, 6, 7], &[8, 9, 10], &[11, 12, 13]];
        let april: &[&[usize]] = &[&[1, 2, 14], &[3, 4, 15], &[5, 8, 11], &[6, 9, 12]];
        let folder = TestFolder::from_policy(
            "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.group]\nrole = \"other\"\n\
             [columns.disease]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.6\n",
        );
        for (name, date, groups) in [("march", "2026-03-01", march), ("april", "2026-04-01", april)] {
            let mut text = "pid,group,disease\n".to_owned();
            for (group, people) in groups.iter().enumerate() {
                for person in *people {
                    text += &format!("p{person},{},{}\n", group + 1, FIGURE_1[person - 1]);
                }
            }
            let file = format!("{name}.csv");
            folder.write(&file, text);
            folder.register(&file, name).date(date).group_column("group").run().passes();
        }
        folder
    }

    /// Registers example 5.1 of the survey as `r`. The generalization was necessary, which discloses that both
    /// engineers have HIV.
    pub fn engineers() -> TestFolder {
        let folder = TestFolder::from_policy(
            "[columns.job]\ntaxonomy = \"job.txt\"\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.6\n",
        );
        folder.write("job.txt", "Any\n  Professional\n    Engineer\n    Lawyer\n  Artist\n    Dancer\n    Writer\n");
        let rows = |what: &str, count: usize| format!("{what}\n").repeat(count);
        folder.write("r.csv", format!("job,ill\n{}{}", rows("Professional,HIV", 2), rows("Professional,Flu", 5)));
        folder.register("r.csv", "r").run().passes();
        folder.write("people.csv", format!("job\n{}{}", rows("Engineer", 2), rows("Lawyer", 5)));
        folder
    }

    /// Registers six people as `r`. A bit of two people is suppressed, which discloses that their bits differ
    /// (downcoding).
    pub fn downcoded() -> TestFolder {
        let folder = TestFolder::from_policy(
            "[columns.a]\ntaxonomy = \"bit.txt\"\n[columns.b]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
        );
        folder.write("bit.txt", "*\n  0\n  1\n");
        folder.write("r.csv", "a,b,ill\n*,x,HIV\n*,x,Flu\n0,y,HIV\n0,y,Flu\n1,y,HIV\n1,y,Flu\n");
        folder.register("r.csv", "r").run().passes();
        folder.write("people.csv", "a,b\n0,x\n1,x\n0,y\n0,y\n1,y\n1,y\n");
        folder
    }
}
