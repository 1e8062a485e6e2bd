//! The choice between algorithms and thresholds: `publish` takes the least loss, and `compare` shows what dominates what.

use reticent::metrics::PURPOSE_LOSS;
use reticent_app::answer::{Choice, ChoiceState, Publication, RecodedAnswer};
use reticent_testkit::{Answer, CLINIC, Outcome, TestFolder, clinic_policy, clinic_policy_with_owner};

const ALGORITHMS: [&str; 4] =
    ["local-recoding", "top-down-specialization", "multidimensional-specialization", "mondrian"];

fn recoded(publication: Publication) -> RecodedAnswer {
    match publication {
        Publication::Recoded(answer) => *answer,
        Publication::Grouped(_) => panic!("a release by an algorithm"),
    }
}

/// The loss of each algorithm, when it is named.
fn losses_when_named(folder: &TestFolder) -> Vec<(&'static str, f64)> {
    let loss = |id: &&'static str| {
        let answer = recoded(folder.publish("people.csv", "rehearsal").algorithm(id).rehearse().passes());
        assert_eq!((answer.tried.len(), answer.algorithm.as_str()), (1, *id));
        (*id, answer.metric(PURPOSE_LOSS).unwrap())
    };
    ALGORITHMS.iter().map(loss).collect()
}

#[test]
fn the_release_with_the_least_loss_is_published_and_recorded() {
    for k in [2, 3, 5] {
        let folder = TestFolder::clinic(&clinic_policy(k));
        let named = losses_when_named(&folder);
        let answer = recoded(folder.publish("people.csv", "one").run().passes());
        let tried: Vec<(&str, Option<f64>)> =
            answer.tried.iter().map(|tried| (tried.algorithm.as_str(), tried.loss)).collect();
        assert_eq!(tried, named.iter().map(|(id, loss)| (*id, Some(*loss))).collect::<Vec<_>>());
        let least = named.iter().map(|(_, loss)| *loss).fold(f64::INFINITY, f64::min);
        assert_eq!(answer.metric(PURPOSE_LOSS), Some(least));
        assert_eq!(answer.algorithm, named.iter().find(|(_, loss)| *loss == least).unwrap().0);
        let made = folder.show("one").passes().json()["recorded"]["content"]["made"].clone();
        assert_eq!(made["tried"][0]["algorithm"], "local-recoding");
        assert_eq!((made["tried"].as_array().unwrap().len(), made["max_tries"].as_u64()), (4, Some(4)));
    }
}

#[test]
fn the_policy_limits_how_many_algorithms_are_tried() {
    let folder = TestFolder::clinic(&(clinic_policy(3) + "tries = 1\n"));
    let answer = recoded(folder.publish("people.csv", "one").run().passes());
    assert_eq!((answer.tried.len(), answer.max_tries, answer.algorithm.as_str()), (1, 1, "local-recoding"));
    let folder = TestFolder::clinic(&(clinic_policy(3) + "tries = 1\nalgorithm = \"mondrian\"\n"));
    folder.publish("people.csv", "one").rehearse().fails_with("policy-invalid");
}

/// Four of 104 people are far from the others: without suppression the column is suppressed for all.
fn with_outliers() -> TestFolder {
    let folder = TestFolder::from_policy(
        "[dataset]\nname = \"d\"\n[columns.place]\ntaxonomy = \"place.csv\"\n[requirement]\nk = 5\n[release]\nseed = 1\n\
         algorithm = \"top-down-specialization\"\n",
    );
    folder.write("place.csv", "a;north;*\nb;north;*\nc;south;*\nd;south;*\ne;east;*\n");
    let people = ["a"; 50].into_iter().chain(["c"; 50]).chain(["e"; 4]);
    folder.write("people.csv", "place\n".to_owned() + &people.collect::<Vec<_>>().join("\n") + "\n");
    folder
}

#[test]
fn a_fully_suppressed_column_is_named_with_the_best_alternative() {
    let folder = with_outliers();
    let answer = recoded(folder.publish("people.csv", "one").run().passes());
    assert_eq!(answer.fully_suppressed, ["place"]);
    let alternative = answer.alternative.as_ref().expect("suppression of 4 of 104 records keeps the places");
    assert!(alternative.fully_suppressed.is_empty() && alternative.loss < answer.metric(PURPOSE_LOSS).unwrap());
    // What it promises is what publishing it gives.
    let call =
        folder.publish("people.csv", "two").algorithm(&alternative.algorithm).with_suppression(alternative.suppression);
    let two = recoded(call.rehearse().passes());
    assert_eq!(two.metric(PURPOSE_LOSS), Some(alternative.loss));
    assert_eq!((two.classes, two.suppressed), (alternative.classes, alternative.suppressed));
    assert!(two.fully_suppressed.is_empty() && two.alternative.is_none());
}

#[test]
fn thresholds_of_a_publication_are_not_weaker_than_the_policy_and_are_recorded() {
    let policy = clinic_policy(3).replace("k = 3", "k = 3 # of the board\nconfidence = 0.7");
    let folder = TestFolder::clinic(&policy);
    folder.publish("people.csv", "one").with_k(2).run().fails_with("weaker-than-policy");
    folder.publish("people.csv", "one").with_confidence(0.8).run().fails_with("weaker-than-policy");
    assert_eq!(folder.files(), ["people.csv", "reticent.toml"]);
    folder.publish("people.csv", "one").with_k(2).rehearse().passes();
    let answer = recoded(folder.publish("people.csv", "one").with_k(4).run().passes());
    assert!(answer.risk.smallest_class >= 4);
    assert_eq!(folder.read("reticent.toml"), policy);
    let recorded = std::fs::read_dir(folder.file("ledger/bodies")).unwrap().map(|entry| entry.unwrap().path());
    let texts: Vec<String> = recorded.filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    assert!(texts.iter().any(|text| text.contains("k = 4 # of the board")), "{texts:?}");
}

fn figures(choice: &Choice) -> Option<[f64; 3]> {
    choice.result.as_ref().map(|result| result.figures())
}

/// States of choices by their definition, naively, for a policy with k = 3, confidence 0.7 and no suppression.
fn assert_states(choices: &[Choice]) {
    let is_within = |choice: &Choice| {
        choice.k.is_none_or(|k| k >= 3)
            && choice.confidence.is_none_or(|share| share <= 0.7)
            && choice.suppression.is_none_or(|share| share == 0.0)
    };
    for (at, choice) in choices.iter().enumerate() {
        let Some(own) = figures(choice) else {
            assert_eq!(choice.state, ChoiceState::Refused);
            continue;
        };
        assert_eq!(choice.state == ChoiceState::Outside, !is_within(choice), "{choice:?}");
        if !is_within(choice) {
            continue;
        }
        let mut beaten = false;
        for (other_at, other) in choices.iter().enumerate().filter(|(_, other)| is_within(other)) {
            let Some(other) = figures(other) else { continue };
            let no_worse = (0..3).all(|figure| other[figure] <= own[figure]);
            let better = (0..3).any(|figure| other[figure] < own[figure]);
            beaten |= no_worse && (better || other_at < at);
        }
        assert_eq!(choice.state == ChoiceState::Dominated, beaten, "{choice:?}");
    }
}

#[test]
fn compare_varies_the_settings_of_the_policy() {
    let policy = clinic_policy(3).replace("k = 3", "k = 3\nconfidence = 0.7");
    let folder = TestFolder::clinic(&policy);
    let answer = folder.compare("people.csv").html("comparison.html").run().passes();
    assert_states(&answer.choices);
    let settings = |of: fn(&Choice) -> bool| answer.choices.iter().filter(|choice| of(choice)).count();
    assert_eq!(settings(|choice| choice.algorithm.is_none() && choice.k.is_none()), 1);
    assert!(settings(|choice| choice.k == Some(5)) == 1 && settings(|choice| choice.suppression == Some(0.05)) == 1);
    assert!(settings(|choice| choice.confidence == Some(0.6)) == 1);
    let recommended: Vec<&Choice> =
        answer.choices.iter().filter(|choice| choice.state == ChoiceState::Recommended).collect();
    let [recommended] = recommended[..] else { panic!("one choice is recommended") };
    // A weaker threshold is shown, and not recommended.
    assert!(recommended.k.is_none_or(|k| k >= 3) && recommended.confidence.is_none_or(|share| share <= 0.7));
    let within =
        |choice: &&Choice| choice.k.is_none_or(|k| k >= 3) && choice.confidence.is_none_or(|share| share <= 0.7);
    let least = answer.choices.iter().filter(within).filter_map(figures).map(|[_, _, loss]| loss).fold(1.0, f64::min);
    assert_eq!(figures(recommended).unwrap()[2], least);
    assert!(recommended.command.as_ref().unwrap().starts_with("reticent publish "));
    let page = folder.read("comparison.html");
    assert!(page.contains("recommended") && page.contains("</svg>") && !page.contains("<script"));
    assert!(
        CLINIC.lines().skip(1).all(|line| !page.contains(line.split(',').next().unwrap())),
        "no name is on the page"
    );
    assert_eq!(folder.files(), ["comparison.html", "people.csv", "reticent.toml"]);
    folder.compare("people.csv").html("comparison.html").run().fails_with("output-exists");
}

#[test]
fn compare_takes_lists_of_settings() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    let answer = folder.compare("people.csv").k(&[2, 4]).suppression(&[0.0, 0.2]).run().passes();
    let settings: Vec<(Option<u64>, Option<f64>)> =
        answer.choices.iter().map(|choice| (choice.k, choice.suppression)).collect();
    assert_eq!(settings, [(Some(2), Some(0.0)), (Some(2), Some(0.2)), (Some(4), Some(0.0)), (Some(4), Some(0.2))]);
    assert_states(&answer.choices);
    let recommended = answer.choices.iter().find(|choice| choice.state == ChoiceState::Recommended).unwrap();
    assert_eq!(recommended.k, Some(4), "2 is weaker than the policy");
    assert!(recommended.command.as_ref().unwrap().contains("--k 4 --suppression 0"));
}

/// A weaker choice with the same figures does not take the recommendation from one within the policy.
#[test]
fn a_weaker_choice_dominates_nothing() {
    let folder = TestFolder::from_policy("[columns.place]\n[requirement]\nk = 5\n[release]\nseed = 1\n");
    folder.write("people.csv", "place\n".to_owned() + &"a\nb\n".repeat(25));
    let answer = folder.compare("people.csv").k(&[3, 5]).run().passes();
    let states: Vec<ChoiceState> = answer.choices.iter().map(|choice| choice.state).collect();
    assert_eq!(states, [ChoiceState::Outside, ChoiceState::Recommended]);
}

/// Risks of choices are those given all releases: alone, every class has three people.
#[test]
fn compare_shows_the_risk_given_the_history() {
    let folder = TestFolder::clinic(&clinic_policy_with_owner(3));
    let alone = folder.compare("people.csv").k(&[3]).run().passes();
    folder.publish("people.csv", "one").run().passes();
    let others: Vec<&str> = CLINIC.lines().filter(|line| !line.starts_with("Leo,")).collect();
    folder.write("others.csv", others.join("\n") + "\n");
    let answer = folder.compare("others.csv").k(&[3]).run().passes();
    let result =
        |answer: &reticent_app::answer::CompareAnswer| answer.choices[0].result.as_ref().unwrap().reidentification;
    let rehearsed = recoded(folder.publish("others.csv", "two").with_k(3).rehearse().passes());
    let highest = rehearsed.audited.unwrap().identity.unwrap().prosecutor.upper.value();
    assert_eq!(result(&answer), highest);
    assert!(result(&answer) > result(&alone) + 0.1, "{} and {}", result(&answer), result(&alone));
}

/// `check` says which sensitive columns no requirement limits, with the least bound that can be met.
#[test]
fn check_names_sensitive_columns_without_a_bound() {
    let warning = |policy: &str| {
        let folder = TestFolder::clinic(policy);
        let data = folder.check("people.csv").unwrap().data.unwrap();
        data.warnings.into_iter().find(|warning| warning.starts_with("no requirement limits"))
    };
    let unbounded = warning(&clinic_policy(3)).expect("only k is required");
    // Five of twelve people have flu.
    assert!(unbounded.contains("about illness") && unbounded.contains("a share of 41.7 %"), "{unbounded}");
    assert_eq!(warning(&clinic_policy(3).replace("k = 3", "confidence = 0.5")), None);
}

/// The printed command starts a ledger if there is none, and takes a free name.
#[test]
fn the_command_of_a_comparison_runs() {
    let folder = TestFolder::clinic(&clinic_policy(3)).without_new_ledger();
    let command = |folder: &TestFolder| {
        let answer = folder.compare("people.csv").k(&[3]).run().passes();
        answer.choices[0].command.clone().unwrap()
    };
    assert!(command(&folder).contains("--name next ") && command(&folder).ends_with(" --new-ledger"));
    let folder = TestFolder::clinic(&clinic_policy(3));
    folder.publish("people.csv", "next").to("press").run().passes();
    assert!(command(&folder).contains("--name next-2 ") && !command(&folder).contains("--new-ledger"));
}
