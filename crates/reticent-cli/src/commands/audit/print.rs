//! Terminal output of an audit.

use reticent::audit::{
    AttackRun, Audit, Case, ColumnAudit, Disclosure, IdentifiedPeople, PairAudit, PopulationRegister,
};
use reticent_app::answer::{AuditAnswer, CoalitionAudit};

use crate::terminal::{
    BAD, GOOD, HEAD, HINT, WIDTH, bar, columns, count, people, percent, plural, range, ratio, risk_figures, shown,
    witness, wrap,
};

/// Maximum number of printed groups of one explanation.
const MAX_GROUPS: usize = 8;
/// Maximum number of printed findings of one attack.
const MAX_FINDINGS: usize = 3;

pub fn print(answer: &AuditAnswer) {
    for coalition in &answer.coalitions {
        print_coalition(coalition, answer.holds.is_some());
        println!();
    }
    match answer.holds {
        Some(true) => {
            let columns = answer.coalitions.iter().flat_map(|coalition| &coalition.audit.columns);
            let scope = if columns.map(|column| column.any_record_above).any(|any| any > 0) {
                "no record has"
            } else {
                "no person has"
            };
            let within = [
                answer.confidence.map(|_| format!("{scope} a posterior above {}", threshold(answer.confidence))),
                answer
                    .reidentification
                    .map(|bound| format!("no person has a re-identification risk above {}", ratio(bound))),
            ];
            let within: Vec<String> = within.into_iter().flatten().collect();
            let within = if within.is_empty() {
                format!("{scope} a posterior above {}", threshold(None))
            } else {
                within.join("; ")
            };
            println!("{GOOD}{}{GOOD:#}", wrap(&format!("Threshold met: {within}."), WIDTH, ""));
        }
        Some(false) => println!("{BAD}{}{BAD:#}", failed(answer)),
        None => {}
    }
    let found = |attack: &AttackRun| !attack.findings.is_empty();
    if answer.holds == Some(true) && answer.coalitions.iter().flat_map(|coalition| &coalition.attacks).any(found) {
        println!("{HINT}This does not cover the findings of the attacks above.{HINT:#}");
    }
    answer.notes.iter().for_each(|note| println!("{HINT}{}{HINT:#}", wrap(note, WIDTH, "")));
    if let Some(html) = &answer.html {
        println!("{HINT}Disclosure risk report: {html}{HINT:#}");
    }
}

/// Why the threshold is not met.
fn failed(answer: &AuditAnswer) -> String {
    let most = |figure: &dyn Fn(&Audit) -> u64| {
        answer.coalitions.iter().map(|coalition| figure(&coalition.audit)).max().unwrap_or(0)
    };
    let certain = most(&|audit| audit.columns.iter().map(|column| column.certain).max().unwrap_or(0));
    let (above, risky) = (most(&Audit::above), most(&|audit| audit.identity.above));
    let violated = |coalition: &CoalitionAudit| {
        !coalition.violations.is_empty() || coalition.audit.pairs.iter().any(|pair| pair.above > 0)
    };
    let have = |number: u64| if number == 1 { "has" } else { "have" };
    let mut reasons = Vec::new();
    if above > 0 {
        reasons.push(format!("{} {} a posterior above {}", people(above), have(above), threshold(answer.confidence)));
    }
    if let Some(bound) = answer.reidentification.filter(|_| risky > 0) {
        let above = format!("{} {} a re-identification risk above {}", people(risky), have(risky), ratio(bound));
        reasons.push(above);
    }
    if !reasons.is_empty() {
        return format!("Threshold exceeded: {}.", reasons.join("; "));
    }
    let identified = answer.coalitions.iter().flat_map(|coalition| &coalition.audit.identified).next();
    if let Some(shown) = identified {
        return format!("Disclosed: {}.", identified_text(shown));
    }
    if certain > 0 {
        return format!("Disclosed: a sensitive value is certain for {}.", people(certain));
    }
    match answer.coalitions.iter().any(violated) {
        true => "Threshold exceeded: see the violations above.".to_owned(),
        false => "Not established that the threshold is met: see above.".to_owned(),
    }
}

fn threshold(confidence: Option<f64>) -> String {
    confidence.map_or_else(|| "the threshold of the column".to_owned(), ratio)
}

fn print_coalition(coalition: &CoalitionAudit, judged: bool) {
    let audit = &coalition.audit;
    let releases: Vec<String> = audit.releases.iter().map(|(number, name)| format!("{number} {name}")).collect();
    let releases = if releases.is_empty() { "no stored release".to_owned() } else { releases.join(", ") };
    let who = coalition.members.join(", ");
    let line = wrap(&format!("{who} can hold {releases}"), WIDTH, "");
    // Styles are added after wrapping.
    println!("{}", line.replacen(&who, &format!("{HEAD}{who}{HEAD:#}"), 1));
    for register in &audit.populations {
        println!("{}", wrap(&population(register), WIDTH, "  "));
    }
    let pairs = audit.pairs.iter().filter(|pair| pair.above > 0).map(|pair| {
        let [one, other] = pair.releases;
        format!("releases {one} and {other} together: the posterior exceeds the threshold for a person with known classes in both")
    });
    for breach in pairs.chain(coalition.violations.iter().map(|breach| breach.text.clone())) {
        println!("{BAD}{}{BAD:#}", wrap(&format!("{}.", sentence(&breach)), WIDTH, "  "));
    }
    for shown in &audit.identified {
        println!("{BAD}{}{BAD:#}", wrap(&format!("Disclosed: {}.", identified_text(shown)), WIDTH, "  "));
    }
    for why in &coalition.not_established {
        println!("{BAD}{}{BAD:#}", wrap(&format!("Not established: {why}."), WIDTH, "  "));
    }
    let judged_all = coalition.not_established.is_empty();
    println!("{}", wrap(&verdict(audit, judged_all, &coalition.violations), WIDTH, "  "));
    println!();
    for column in &audit.columns {
        print_column(column, &audit.pairs, judged_all);
    }
    if let Some(worlds) = worlds(audit) {
        println!("  {HINT}{worlds}{HINT:#}\n");
    }
    audit.pairs.iter().for_each(print_pair);
    identity(audit);
    if coalition.timeline.len() > 1 {
        print_timeline(coalition, judged);
    }
    if !audit.worst.is_empty() {
        println!("  {HEAD}Worst cases{HEAD:#}");
        audit.worst.iter().for_each(print_case);
    }
    coalition.attacks.iter().for_each(print_attack);
    assumptions(audit);
}

/// Population register, and how many people of the releases it lists.
fn population(register: &PopulationRegister) -> String {
    let PopulationRegister { number, name, records, listed_people } = register;
    let listed = listed_people.map(|listed| format!(", lists {} of the releases", people(listed))).unwrap_or_default();
    format!("Population register {number} {name}: {}{listed}", plural(*records, "record"))
}

/// Release that shows identifiers, and for how many people.
fn identified_text(shown: &IdentifiedPeople) -> String {
    format!(
        "release {} {} identifies {} by {}",
        shown.release,
        shown.name,
        people(shown.people),
        shown.columns.join(", ")
    )
}

/// The verdict, as one sentence.
fn verdict(audit: &Audit, judged_all: bool, violations: &[Disclosure]) -> String {
    if audit.columns.is_empty() && audit.pairs.is_empty() {
        return format!("The releases contain none of the audited sensitive attributes ({}).", people(audit.people));
    }
    let certain = audit.columns.iter().filter(|column| column.certain > 0);
    let certain = certain.map(|column| format!("{} is certain for {}", column.name, people(column.certain)));
    let pairs = audit.pairs.iter().filter(|pair| pair.is_certain()).map(|pair| {
        let ([one, other], column) = (pair.releases, pair.column.as_deref().unwrap_or_default());
        format!("{column} is certain for a person with known classes in releases {one} and {other}")
    });
    let certain: Vec<String> = certain.chain(pairs).collect();
    let together = match (judged_all, audit.releases.len()) {
        (false, _) => "Incomplete audit: ",
        (true, 1) => "",
        (true, many) if audit.unlinked.len() >= many => "From each release alone: ",
        (true, _) => "Given all releases: ",
    };
    let twice = match audit.unlinked.len() {
        0 => "",
        _ if audit.releases.len() == 1 => "",
        all if all >= audit.releases.len() => ", counted once per release",
        _ => ", counted once per release without owner links",
    };
    let otherwise = if violations.iter().any(|violation| violation.certain) { "for other attackers, " } else { "" };
    let open = audit.columns.iter().map(|column| column.may_be_certain - column.certain).max().unwrap_or(0);
    let text = match (certain.len(), open) {
        (0, 0) => format!("{together}{otherwise}no value is certain ({}{twice}).", people(audit.people)),
        (0, open) => format!(
            "{together}{otherwise}no value is proved certain ({}{twice}); for {} certainty is not ruled out.",
            people(audit.people),
            people(open)
        ),
        _ => format!("{together}{} (of {}{twice}).", certain.join("; "), people(audit.people)),
    };
    sentence(&text)
}

/// Capitalizes the first letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn print_column(column: &ColumnAudit, pairs: &[PairAudit], judged_all: bool) {
    println!("  {HEAD}{}{HEAD:#} ({})", column.name, plural(column.values as u64, "value"));
    let highest = &column.highest;
    let range = if highest.lower == highest.upper {
        let exact = if judged_all { "exact" } else { "incomplete" };
        format!("{} ({exact})", ratio(highest.upper.value()))
    } else {
        format!("about {} (bounds {})", ratio(highest.estimate), range(highest.lower.value(), highest.upper.value()))
    };
    let of_column = pairs.iter().filter(|pair| pair.column.as_deref() == Some(column.name.as_str()));
    let worst = of_column.max_by_key(|pair| pair.highest.upper).filter(|pair| pair.highest.upper > highest.upper);
    let range = match worst {
        Some(PairAudit { releases: [one, other], highest, .. }) => {
            let two = ratio(highest.upper.value());
            format!("{range}; releases {one} and {other} together: up to {two}")
        }
        None => range,
    };
    let mut rows = vec![
        vec!["    maximum posterior".to_owned(), range],
        vec!["    certain".to_owned(), proved_or_possible(column.certain, column.may_be_certain, column.people)],
    ];
    if let Some(confidence) = column.threshold {
        rows.push(vec![
            format!("    above {}", ratio(confidence)),
            proved_or_possible(column.above, column.may_be_above, column.people),
        ]);
        if column.any_record_above > 0 {
            let any = format!("{} for at least one of several records", out_of(column.any_record_above, column.people));
            rows.push(vec![String::new(), any]);
        }
    }
    let about = match (column.bounds_only, column.estimated) {
        (0, 0) => "",
        (0, _) => "about ",
        _ => "at most about ",
    };
    let guess = format!("{about}{} (baseline {})", ratio(column.accuracy), ratio(column.baseline));
    rows.push(vec!["    attacker accuracy".to_owned(), guess]);
    if judged_all {
        rows.push(vec!["    exact posterior".to_owned(), out_of(column.exact, column.people)]);
    }
    columns(&rows).iter().for_each(|line| println!("{line}"));
    let by = [(column.estimated, "by an estimate"), (column.bounds_only, "by its upper bound")];
    let by: Vec<String> =
        by.iter().filter(|(people, _)| *people > 0).map(|(people, how)| format!("{} {how}", count(*people))).collect();
    match by.is_empty() {
        true => println!("    people by maximum posterior:"),
        false => println!("    people by maximum posterior ({}):", by.join(", ")),
    }
    let most = column.histogram.iter().copied().max().unwrap_or(1).max(1);
    for (at, people) in column.histogram.iter().enumerate().filter(|(_, people)| **people > 0) {
        let label = match at {
            10 => "certain".to_owned(),
            at => format!("{:>2} to {} %", at * 10, at * 10 + 10),
        };
        println!("      {label:<12} {} {}", bar(*people as f64 / most as f64), count(*people));
    }
    println!();
}

/// Number of people for whom a statement is proved, and for whom it is not ruled out.
fn proved_or_possible(proved: u64, may: u64, whole: u64) -> String {
    let more = if may > proved { format!(", possibly {} more", count(may - proved)) } else { String::new() };
    format!("{}{more}", out_of(proved, whole))
}

fn out_of(part: u64, whole: u64) -> String {
    format!("{} of {} ({})", count(part), people(whole), percent(part, whole))
}

fn worlds(audit: &Audit) -> Option<String> {
    let ln = audit.ln_worlds.filter(|_| !audit.columns.is_empty())?;
    Some(match &audit.worlds {
        Some(worlds) if worlds == "1" => "possible worlds: 1".to_owned(),
        Some(worlds) if worlds.len() <= 9 => {
            let worlds = worlds.parse().map_or_else(|_| worlds.clone(), count);
            format!("possible worlds: {worlds}")
        }
        _ => format!("possible worlds: about 10^{:.0}", ln / std::f64::consts::LN_10),
    })
}

fn print_pair(pair: &PairAudit) {
    let [one, other] = pair.releases;
    let text = match (&pair.not_judged, &pair.column) {
        (Some(why), _) => format!("releases {one} and {other} together: {why}"),
        (None, column) => {
            let most = match pair.highest.lower == pair.highest.upper {
                true => ratio(pair.highest.upper.value()),
                false => range(pair.highest.lower.value(), pair.highest.upper.value()),
            };
            format!(
                "releases {one} and {other} together, for a person with known classes in both: maximum posterior of {} {most} ({})",
                column.as_deref().unwrap_or_default(),
                witness(&pair.worst)
            )
        }
    };
    println!("{}", wrap(&text, WIDTH, "  "));
    println!();
}

fn identity(audit: &Audit) {
    let identity = &audit.identity;
    println!("  {HEAD}Re-identification risk{HEAD:#}");
    let singled_out = proved_or_possible(identity.singled_out, identity.may_be_singled_out, identity.people);
    let mut rows = vec![vec!["    singling out".to_owned(), format!("a record certainly belongs to {singled_out}")]];
    if identity.with_several_records > 0 {
        let linkable = proved_or_possible(identity.linkable, identity.may_be_linkable, identity.with_several_records);
        rows.push(vec!["    linkability".to_owned(), format!("two records certainly belong together for {linkable}")]);
    }
    let [highest, average] = risk_figures(identity);
    rows.push(vec!["    prosecutor risk".to_owned(), format!("highest {highest}")]);
    if let Some(threshold) = identity.threshold {
        let above = proved_or_possible(identity.above, identity.may_be_above, identity.people);
        rows.push(vec![format!("    above {}", ratio(threshold)), above]);
    }
    rows.push(vec!["    journalist risk".to_owned(), "at most the prosecutor risk".to_owned()]);
    rows.push(vec!["    marketer risk".to_owned(), format!("average {average}")]);
    columns(&rows).iter().for_each(|line| println!("{line}"));
    if !audit.unresolved.is_empty() {
        let text = "These figures do not cover the combination of releases whose record owners are unknown.";
        println!("{}", wrap(text, WIDTH, "    "));
    }
    println!();
}

fn print_timeline(coalition: &CoalitionAudit, allowed: bool) {
    let names: Vec<&str> = coalition.audit.columns.iter().map(|column| column.name.as_str()).collect();
    for name in &names {
        let of = if names.len() > 1 { format!(": {name}") } else { String::new() };
        println!("  {HEAD}Timeline{of}{HEAD:#}");
        let mut rows = vec![vec!["    after".to_owned(), "people".to_owned(), "certain".to_owned()]];
        if allowed {
            rows[0].push("above".to_owned());
        }
        rows[0].extend(["max posterior".to_owned(), "accuracy".to_owned(), "max risk".to_owned()]);
        for point in &coalition.timeline {
            let Some(column) = point.columns.iter().find(|column| column.name == *name) else { continue };
            let mut row =
                vec![format!("    {} {}", point.release, point.name), count(point.people), count(column.certain)];
            if allowed {
                row.push(if column.may_be_above > column.above {
                    format!("{} to {}", count(column.above), count(column.may_be_above))
                } else {
                    count(column.above)
                });
            }
            let [highest, accuracy] = [ratio(column.highest), ratio(column.accuracy)];
            let marked = |figure: String| if column.estimated { format!("about {figure}") } else { figure };
            let risk = point.prosecutor;
            let risk = match risk.is_exact() {
                true => ratio(risk.upper.value()),
                false => format!("up to {}", ratio(risk.upper.value())),
            };
            row.extend([marked(highest), marked(accuracy), risk]);
            rows.push(row);
        }
        columns(&rows).iter().for_each(|line| println!("{line}"));
        println!();
    }
}

fn print_case(case: &Case) {
    let who = case.pseudonyms.first().map(|name| format!(" ({}...)", &name[..8])).unwrap_or_default();
    let level = if case.posterior.lower == case.posterior.upper {
        ratio(case.posterior.upper.value())
    } else {
        let range = range(case.posterior.lower.value(), case.posterior.upper.value());
        case.posterior.figure().map_or_else(|| range.clone(), |about| format!("about {} ({range})", ratio(about)))
    };
    println!("    {}{who}: {} = {}, posterior {level}", people(case.people), case.column, shown(&case.value));
    let Some(explanation) = &case.explanation else { return };
    for group in explanation.groups.iter().take(MAX_GROUPS) {
        let values: Vec<String> = group
            .values
            .iter()
            .map(
                |(value, records)| {
                    if *records == 1 { shown(value).to_owned() } else { format!("{} ({records})", shown(value)) }
                },
            )
            .collect();
        let text = format!(
            "{} ({}), {} ({}): {}",
            group.name,
            group.date,
            if group.contains_person { people(group.people) } else { others(group.people) },
            witness(&group.group),
            values.join(", ")
        );
        println!("{HINT}{}{HINT:#}", wrap(&text, WIDTH, "      "));
    }
    if explanation.groups.len() > MAX_GROUPS {
        let more = count((explanation.groups.len() - MAX_GROUPS) as u64);
        println!("      {HINT}and {more} more groups (see --json){HINT:#}");
    }
    println!("{HINT}{}{HINT:#}", wrap(&explanation.text, WIDTH, "      "));
}

/// Number of other people in a group.
fn others(number: u64) -> String {
    if number == 1 { "1 other person".to_owned() } else { format!("{} other people", count(number)) }
}

fn print_attack(attack: &AttackRun) {
    match &attack.not_run {
        Some(why) => println!("{HINT}{}{HINT:#}", wrap(&format!("{}: not run: {why}", attack.title), WIDTH, "  ")),
        None if attack.findings.is_empty() => match &attack.not_checked {
            None => println!("  {}: {GOOD}no findings{GOOD:#}", attack.title),
            Some(why) => {
                let text = format!("{}: no findings, but incomplete: {why}", attack.title);
                println!("{}", wrap(&text, WIDTH, "  "));
            }
        },
        None => {
            println!(
                "  {}: {BAD}{} {}{BAD:#}",
                attack.title,
                count(attack.findings.len() as u64),
                if attack.findings.len() == 1 { "finding" } else { "findings" }
            );
            for finding in attack.findings.iter().take(MAX_FINDINGS) {
                println!("{}", wrap(&finding.text, WIDTH, "    "));
            }
            if attack.findings.len() > MAX_FINDINGS {
                let more = count((attack.findings.len() - MAX_FINDINGS) as u64);
                println!("    {HINT}and {more} more (see --json){HINT:#}");
            }
            if let Some(why) = &attack.not_checked {
                let text = format!("incomplete, there may be more: {why}");
                println!("{BAD}{}{BAD:#}", wrap(&text, WIDTH, "    "));
            }
        }
    }
}

fn assumptions(audit: &Audit) {
    println!("  {HINT}Assumptions:{HINT:#}");
    audit.assumptions.iter().for_each(|text| println!("{HINT}{}{HINT:#}", wrap(text, WIDTH, "    ")));
    println!("  {HINT}Not covered:{HINT:#}");
    audit.not_considered.iter().for_each(|text| println!("{HINT}{}{HINT:#}", wrap(text, WIDTH, "    ")));
    let stats = &audit.stats;
    if stats.components_not_counted > 0 && audit.columns.iter().any(|column| column.exact < column.people) {
        let text = format!(
            "Possible worlds of {} could not be counted: their posteriors are known by bounds and estimates. Estimates can be too low. A \
             higher --effort may help.",
            people(stats.people_not_counted)
        );
        println!("{HINT}{}{HINT:#}", wrap(&text, WIDTH, "  "));
    }
    if stats.people_not_sampled > 0 {
        let text = format!(
            "Sampling: no figure for {}, because the chains did not converge there (split R-hat above 1.05, fewer than 100 effective samples, \
             or a value that no chain changed). More --samples may help.",
            people(stats.people_not_sampled)
        );
        println!("{HINT}{}{HINT:#}", wrap(&text, WIDTH, "  "));
    }
    if stats.not_converged > 0 {
        println!("  {HINT}Maximum entropy did not converge for all people: these have no estimate.{HINT:#}");
    }
}
