//! Running the command in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a run of the command answered.
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Asserts the exit status, showing everything when it differs.
    #[track_caller]
    pub fn exits(self, status: i32) -> Ran {
        assert_eq!(self.status, status, "\n--- out\n{}\n--- err\n{}", self.out, self.err);
        self
    }

    /// Asserts that a text was printed, on either stream. Spaces count as one.
    #[track_caller]
    pub fn says(self, text: &str) -> Ran {
        let all = format!("{}\n{}", self.out, self.err);
        assert!(
            folded(&all).contains(&folded(text)),
            "expected {text:?} in\n--- out\n{}\n--- err\n{}",
            self.out,
            self.err
        );
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.out, self.err))
    }
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A folder with files, in which the command is run.
pub struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    /// The two bucketized releases of figure 1 of the paper on inference analysis, registered as `march` and `april`.
    pub fn figure_1(&self) {
        const ILL: [&str; 15] = [
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
        let march: &[&[usize]] = &[&[1, 2, 3, 4], &[5, 6, 7], &[8, 9, 10], &[11, 12, 13]];
        let april: &[&[usize]] = &[&[1, 2, 14], &[3, 4, 15], &[5, 8, 11], &[6, 9, 12]];
        self.write(
            "reticent.toml",
            "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.group]\nrole = \"other\"\n\
             [columns.disease]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.6\n",
        );
        for (name, date, groups) in [("march", "2026-03-01", march), ("april", "2026-04-01", april)] {
            let mut text = "pid,group,disease\n".to_owned();
            for (group, people) in groups.iter().enumerate() {
                for person in *people {
                    text += &format!("p{person},{},{}\n", group + 1, ILL[person - 1]);
                }
            }
            self.write(&format!("{name}.csv"), text);
            self.run(&format!("register {name}.csv --name {name} --to public --date {date} --groups group")).exits(0);
        }
    }

    /// The survey's example 5.1, registered as `r`: that generalizing was needed tells that both engineers have HIV.
    pub fn engineers() -> Desk {
        let desk = Desk::new();
        desk.write("job.txt", "Any\n  Professional\n    Engineer\n    Lawyer\n  Artist\n    Dancer\n    Writer\n");
        desk.write(
            "reticent.toml",
            "[columns.job]\ntaxonomy = \"job.txt\"\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.6\n",
        );
        let rows = |what: &str, count: usize| format!("{what}\n").repeat(count);
        desk.write("r.csv", format!("job,ill\n{}{}", rows("Professional,HIV", 2), rows("Professional,Flu", 5)));
        desk.run("register r.csv --name r --to public --date 2026-01-01").exits(0);
        desk.write("people.csv", format!("job\n{}{}", rows("Engineer", 2), rows("Lawyer", 5)));
        desk
    }

    /// Six people, of two of whom a bit is hidden.
    pub fn downcoded() -> Desk {
        let desk = Desk::new();
        desk.write("bit.txt", "*\n  0\n  1\n");
        desk.write("reticent.toml", "[columns.a]\ntaxonomy = \"bit.txt\"\n[columns.b]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n");
        desk.write("r.csv", "a,b,ill\n*,x,HIV\n*,x,Flu\n0,y,HIV\n0,y,Flu\n1,y,HIV\n1,y,Flu\n");
        desk.run("register r.csv --name r --to public --date 2026-01-01").exits(0);
        desk.write("people.csv", "a,b\n0,x\n1,x\n0,y\n0,y\n1,y\n1,y\n");
        desk
    }

    pub fn new() -> Desk {
        Desk { folder: tempfile::tempdir().unwrap() }
    }

    /// A desk with the clinic's table and a policy for it.
    pub fn clinic(policy: &str) -> Desk {
        let desk = Desk::new();
        desk.write("people.csv", CLINIC);
        desk.write("reticent.toml", policy);
        desk
    }

    /// The same where people are followed by their names.
    pub fn followed_clinic(k: u32) -> Desk {
        Desk::clinic(&clinic_policy(k).replace("name = \"clinic\"", "name = \"clinic\"\nowner = \"name\""))
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.file(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap()
    }

    /// Everything in the folder, by name.
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub fn run(&self, call: &str) -> Ran {
        self.run_with(&call.split_whitespace().collect::<Vec<_>>())
    }

    pub fn run_with(&self, words: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reticent"));
        let Output { status, stdout, stderr } = command
            .args(words)
            .current_dir(self.path())
            .env("NO_COLOR", "1")
            .env("RETICENT_NEW_LEDGER", "true")
            .env_remove("CLICOLOR_FORCE")
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { status: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr) }
    }
}

/// Twelve people; every one alone with age, sex and city.
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

/// A policy for the clinic; `k` people share their values.
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
