//! An audit on the screen.

use reticent::audit::{Attacked, Audit, Case, Column, Disclosure, Pair};
use reticent_app::answer::{AuditAnswer, CoalitionAudit};

use crate::terminal::{
    BAD, GOOD, HEAD, HINT, WIDTH, bar, columns, count, people, percent, plural, shown, witness, wrap,
};

/// Groups of one reason that are shown,
const GROUPS: usize = 8;
/// and findings of one attack.
const FINDINGS: usize = 3;

pub fn print(answer: &AuditAnswer) {
    for coalition in &answer.coalitions {
        print_coalition(coalition, answer.holds.is_some());
        println!();
    }
    match answer.holds {
        Some(true) => {
            let columns = answer.coalitions.iter().flat_map(|coalition| &coalition.audit.columns);
            let whose =
                if columns.map(|column| column.any_above).any(|any| any > 0) { "No record's" } else { "Nobody's" };
            println!("{GOOD}{whose} value is told with more confidence than {}.{GOOD:#}", allowed(answer.confidence));
        }
        Some(false) => println!("{BAD}More is told than the policy allows, or may be.{BAD:#}"),
        None => {}
    }
    let found = |attack: &Attacked| !attack.findings.is_empty();
    if answer.holds == Some(true) && answer.coalitions.iter().flat_map(|coalition| &coalition.attacks).any(found) {
        println!("{HINT}What attacks found is not part of that: it is told above, for each of them.{HINT:#}");
    }
    answer.notes.iter().for_each(|note| println!("{HINT}{}{HINT:#}", wrap(note, WIDTH, "")));
    if let Some(html) = &answer.html {
        println!("{HINT}the report is in {html}{HINT:#}");
    }
}

fn allowed(confidence: Option<f64>) -> String {
    confidence.map_or_else(|| "is promised of its column".to_owned(), share)
}

/// A probability. Only what is certain is 100 %, and only what is impossible 0 %.
fn share(value: f64) -> String {
    match value {
        value if value > 0.0 && value < 0.001 => "under 0.1 %".to_owned(),
        value if value < 1.0 && value > 0.999 => "over 99.9 %".to_owned(),
        value => format!("{:.1} %", value * 100.0),
    }
}

/// What something is at least and at most, never rounded to a narrower range.
fn range(lower: f64, upper: f64) -> String {
    let low = (lower * 1000.0 + 1e-6).floor() / 1000.0;
    let high = ((upper * 1000.0 - 1e-6).ceil() / 1000.0).min(1.0);
    let low = if low == 0.0 { share(lower) } else { share(low) };
    format!("{low} to {}", share(high))
}

fn print_coalition(coalition: &CoalitionAudit, judged: bool) {
    let audit = &coalition.audit;
    let releases: Vec<String> = audit.releases.iter().map(|(number, name)| format!("{number} {name}")).collect();
    let releases = if releases.is_empty() { "nothing that is left".to_owned() } else { releases.join(", ") };
    let who = coalition.members.join(", ");
    let line = wrap(&format!("{who} can hold {releases}"), WIDTH, "");
    // The style is no part of what is wrapped.
    println!("{}", line.replacen(&who, &format!("{HEAD}{who}{HEAD:#}"), 1));
    let pairs = audit.pairs.iter().filter(|pair| pair.above > 0).map(|pair| {
        let [one, other] = pair.releases;
        format!("releases {one} and {other} together tell more than is allowed of somebody who is known to be in a group of each")
    });
    for breach in pairs.chain(coalition.breaches.iter().map(|breach| breach.words.clone())) {
        println!("{BAD}{}{BAD:#}", wrap(&format!("{}.", sentence(&breach)), WIDTH, "  "));
    }
    for why in &coalition.open {
        println!("{BAD}{}{BAD:#}", wrap(&format!("Not established: {why}."), WIDTH, "  "));
    }
    let judged_all = coalition.open.is_empty();
    println!("{}", wrap(&verdict(audit, judged_all, &coalition.breaches), WIDTH, "  "));
    println!();
    for column in &audit.columns {
        print_column(column, &audit.pairs, judged_all);
    }
    if let Some(worlds) = worlds(audit) {
        println!("  {HINT}{worlds}{HINT:#}\n");
    }
    audit.pairs.iter().for_each(print_pair);
    identity(audit);
    if coalition.over_time.len() > 1 {
        over_time(coalition, judged);
    }
    if !audit.worst.is_empty() {
        println!("  {HEAD}The worst cases, and why{HEAD:#}");
        audit.worst.iter().for_each(print_case);
    }
    coalition.attacks.iter().for_each(print_attack);
    assumptions(audit);
}

/// One sentence.
fn verdict(audit: &Audit, judged_all: bool, breaches: &[Disclosure]) -> String {
    if audit.columns.is_empty() && audit.pairs.is_empty() {
        return format!(
            "No sensitive column that was asked about is shown, so nothing is inferred about {}.",
            people(audit.people)
        );
    }
    let certain = audit.columns.iter().filter(|column| column.certain > 0);
    let certain = certain.map(|column| format!("the {} of {} is certain", column.name, people(column.certain)));
    let pairs = audit.pairs.iter().filter(|pair| pair.is_certain()).map(|pair| {
        let ([one, other], column) = (pair.releases, pair.column.as_deref().unwrap_or_default());
        format!(
            "the {column} of somebody who is known to be in a group of each of releases {one} and {other} is certain"
        )
    });
    let certain: Vec<String> = certain.chain(pairs).collect();
    let together = match (judged_all, audit.releases.len()) {
        (false, _) => "As far as could be judged, ",
        (true, 1) => "",
        (true, many) if audit.unlinked.len() >= many => "From each by itself, ",
        (true, _) => "Put together, ",
    };
    let twice = match audit.unlinked.len() {
        0 => "",
        _ if audit.releases.len() == 1 => "",
        all if all >= audit.releases.len() => ", who are counted in each release",
        _ => ", who are counted in each release of which it is not known whose the records are",
    };
    let otherwise = if breaches.iter().any(|breach| breach.certain) { "to others " } else { "" };
    let open = audit.columns.iter().map(|column| column.may_be_certain - column.certain).max().unwrap_or(0);
    let text = match (certain.len(), open) {
        (0, 0) => format!("{together}{otherwise}nobody's value is certain, of {}{twice}.", people(audit.people)),
        (0, open) => format!(
            "{together}{otherwise}nobody's value is proved to be certain, of {}{twice}; of {} it is not ruled out.",
            people(audit.people),
            count(open)
        ),
        _ => format!("{together}{}, of {}{twice}.", certain.join("; "), people(audit.people)),
    };
    sentence(&text)
}

/// With a capital letter at the beginning.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn print_column(column: &Column, pairs: &[Pair], judged_all: bool) {
    println!("  {HEAD}{}{HEAD:#} ({})", column.name, plural(column.values as u64, "value"));
    let highest = &column.highest;
    let range = if highest.lower == highest.upper {
        let exact = if judged_all { "exact" } else { "as far as could be judged" };
        format!("{} ({exact})", share(highest.upper.value()))
    } else {
        format!("about {}; certainly {}", share(highest.best), range(highest.lower.value(), highest.upper.value()))
    };
    let of_column = pairs.iter().filter(|pair| pair.column.as_deref() == Some(column.name.as_str()));
    let worst = of_column.max_by_key(|pair| pair.highest.upper).filter(|pair| pair.highest.upper > highest.upper);
    let range = match worst {
        Some(Pair { releases: [one, other], highest, .. }) => {
            let two = share(highest.upper.value());
            format!("{range}; by releases {one} and {other} together up to {two}")
        }
        None => range,
    };
    let mut rows = vec![
        vec!["    most told about anybody".to_owned(), range],
        vec!["    certain".to_owned(), perhaps(column.certain, column.may_be_certain, column.people)],
    ];
    if let Some(confidence) = column.allowed {
        rows.push(vec![
            format!("    above {}", share(confidence)),
            perhaps(column.above, column.may_be_above, column.people),
        ]);
        if column.any_above > 0 {
            let any = format!(
                "{} may be: that any of their records shows a given value",
                of(column.any_above, column.people)
            );
            rows.push(vec![String::new(), any]);
        }
    }
    let at_most = if column.bounded > 0 { "at most " } else { "" };
    let guess =
        format!("{at_most}{} right (knowing only what is common: {})", share(column.average), share(column.prior));
    rows.push(vec!["    guessing everybody's likeliest".to_owned(), guess]);
    if judged_all {
        rows.push(vec!["    known exactly".to_owned(), of(column.exact, column.people)]);
    }
    columns(&rows).iter().for_each(|line| println!("{line}"));
    match column.bounded {
        0 => println!("    people by the most that is told about them:"),
        some => {
            println!("    people by the most that is told about them, {} of them by the most that may be:", count(some))
        }
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

/// People of whom something is proved, and those of whom it is not ruled out.
fn perhaps(proved: u64, may: u64, whole: u64) -> String {
    let more = if may > proved { format!(", and perhaps {}", people(may - proved)) } else { String::new() };
    format!("{}{more}", of(proved, whole))
}

fn of(part: u64, whole: u64) -> String {
    format!("{} of {} ({})", count(part), people(whole), percent(part, whole))
}

fn worlds(audit: &Audit) -> Option<String> {
    let ln = audit.ln_worlds.filter(|_| !audit.columns.is_empty())?;
    Some(match &audit.worlds {
        Some(worlds) if worlds == "1" => {
            "only one assignment of values to people fits everything that was published".to_owned()
        }
        Some(worlds) if worlds.len() <= 9 => {
            let worlds = worlds.parse().map_or_else(|_| worlds.clone(), count);
            format!("{worlds} assignments of values to people fit everything that was published")
        }
        _ => format!(
            "about 10^{:.0} assignments of values to people fit everything that was published",
            ln / std::f64::consts::LN_10
        ),
    })
}

fn print_pair(pair: &Pair) {
    let [one, other] = pair.releases;
    let text = match (&pair.not_judged, &pair.column) {
        (Some(why), _) => format!("releases {one} and {other} together: {why}"),
        (None, column) => {
            let most = match pair.highest.lower == pair.highest.upper {
                true => share(pair.highest.upper.value()),
                false => range(pair.highest.lower.value(), pair.highest.upper.value()),
            };
            format!(
                "releases {one} and {other} together, of whoever is known to be in a group of each: {} is told with {most} at most ({})",
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
    println!("  {HEAD}Whose records can be found{HEAD:#}");
    let mut rows = vec![vec![
        "    singling out".to_owned(),
        format!("{} whose row in a release is like nobody else's there", of(identity.singled_out, audit.people)),
    ]];
    if identity.in_several > 0 {
        let linkable =
            format!("{} in several releases of whom that is so in two", of(identity.linkable, identity.in_several));
        rows.push(vec!["    linkability".to_owned(), linkable]);
    }
    let risk = |highest: f64, average: f64| format!("at most {}, on average {}", share(highest), share(average));
    rows.push(vec!["    prosecutor risk".to_owned(), risk(identity.prosecutor_highest, identity.prosecutor_average)]);
    rows.push(vec!["    journalist risk".to_owned(), "no more than that, not knowing who is in a release".to_owned()]);
    rows.push(vec!["    marketer risk".to_owned(), share(identity.prosecutor_average)]);
    columns(&rows).iter().for_each(|line| println!("{line}"));
    println!();
}

fn over_time(coalition: &CoalitionAudit, allowed: bool) {
    let names: Vec<&str> = coalition.audit.columns.iter().map(|column| column.name.as_str()).collect();
    for name in &names {
        let of = if names.len() > 1 { format!(": {name}") } else { String::new() };
        println!("  {HEAD}Release by release{of}{HEAD:#}");
        let mut rows = vec![vec!["    after".to_owned(), "people".to_owned(), "certain".to_owned()]];
        if allowed {
            rows[0].push("above".to_owned());
        }
        rows[0].extend(["most told".to_owned(), "likeliest right".to_owned()]);
        for moment in &coalition.over_time {
            let Some(told) = moment.columns.iter().find(|told| told.name == *name) else { continue };
            let mut row =
                vec![format!("    {} {}", moment.release, moment.name), count(moment.people), count(told.certain)];
            if allowed {
                row.push(if told.may_be_above > told.above {
                    format!("{} to {}", count(told.above), count(told.may_be_above))
                } else {
                    count(told.above)
                });
            }
            row.extend([share(told.highest), share(told.average)]);
            rows.push(row);
        }
        columns(&rows).iter().for_each(|line| println!("{line}"));
        println!();
    }
}

fn print_case(case: &Case) {
    let who = case.pseudonyms.first().map(|name| format!(" ({}...)", &name[..8])).unwrap_or_default();
    let level = if case.chance.lower == case.chance.upper {
        share(case.chance.upper.value())
    } else {
        let range = range(case.chance.lower.value(), case.chance.upper.value());
        case.chance.figure().map_or_else(|| range.clone(), |about| format!("about {} ({range})", share(about)))
    };
    println!("    {}{who}: {} is {} with {level}", people(case.people), case.column, shown(&case.value));
    let Some(because) = &case.because else { return };
    for group in because.groups.iter().take(GROUPS) {
        let shows: Vec<String> = group
            .shows
            .iter()
            .map(
                |(value, records)| {
                    if *records == 1 { shown(value).to_owned() } else { format!("{} ({records})", shown(value)) }
                },
            )
            .collect();
        let text = format!(
            "on {} {} showed for {} ({}): {}",
            group.date,
            group.name,
            if group.theirs { people(group.people) } else { others(group.people) },
            witness(&group.group),
            shows.join(", ")
        );
        println!("{HINT}{}{HINT:#}", wrap(&text, WIDTH, "      "));
    }
    if because.groups.len() > GROUPS {
        let more = count((because.groups.len() - GROUPS) as u64);
        println!("      {HINT}and {more} more groups, which --json lists{HINT:#}");
    }
    println!("{HINT}{}{HINT:#}", wrap(&because.words, WIDTH, "      "));
}

/// People who are not those of whom something is told.
fn others(number: u64) -> String {
    if number == 1 { "1 other".to_owned() } else { format!("{} others", count(number)) }
}

fn print_attack(attack: &Attacked) {
    match &attack.not_run {
        Some(why) => println!("{HINT}{}{HINT:#}", wrap(&format!("{}: not run: {why}", attack.title), WIDTH, "  ")),
        None if attack.findings.is_empty() => match &attack.not_checked {
            None => println!("  {}: {GOOD}finds nothing{GOOD:#}", attack.title),
            Some(why) => {
                let text = format!("{}: finds nothing, but not everything could be looked at: {why}", attack.title);
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
            for finding in attack.findings.iter().take(FINDINGS) {
                println!("{}", wrap(&finding.words, WIDTH, "    "));
            }
            if attack.findings.len() > FINDINGS {
                let more = count((attack.findings.len() - FINDINGS) as u64);
                println!("    {HINT}and {more} more, which --json lists{HINT:#}");
            }
            if let Some(why) = &attack.not_checked {
                let text = format!("there may be more, since not everything could be looked at: {why}");
                println!("{BAD}{}{BAD:#}", wrap(&text, WIDTH, "    "));
            }
        }
    }
}

fn assumptions(audit: &Audit) {
    println!("  {HINT}Taken for granted:{HINT:#}");
    audit.assumed.iter().for_each(|text| println!("{HINT}{}{HINT:#}", wrap(text, WIDTH, "    ")));
    println!("  {HINT}Not considered:{HINT:#}");
    audit.not_considered.iter().for_each(|text| println!("{HINT}{}{HINT:#}", wrap(text, WIDTH, "    ")));
    let work = &audit.work;
    if work.not_counted > 0 && audit.columns.iter().any(|column| column.exact < column.people) {
        let text = format!(
            "the worlds of {} who depend on each other were too many to count: for them there are bounds and an estimate, \
             which can be below the truth; --effort counts longer",
            people(work.people_not_counted)
        );
        println!("{HINT}{}{HINT:#}", wrap(&text, WIDTH, "  "));
    }
    if work.not_converged > 0 {
        println!("  {HINT}maximum entropy did not converge everywhere: where it did not, there is no estimate{HINT:#}");
    }
}
