//! The parts of the page about one coalition, in the order in which somebody asks.

use super::charts::{self, Series};
use super::view::{Closely, Count, Found, NESTED, Part, Said, Told, USUAL_THRESHOLD, View};
use super::words::{escape, percent};
use super::{cases, sure};

/// Everything about one coalition.
pub fn part(view: &View, part: &Part, at: usize) -> String {
    let Some(found) = &part.found else {
        return format!(
            "<section class=\"part\" id=\"part-{at}\">\n<h2>{}</h2>\n{}</section>\n",
            escape(&part.name),
            holdings(part)
        );
    };
    let mut text = format!("<section class=\"part\" id=\"part-{at}\">\n<h2>{}</h2>\n", escape(&part.name));
    text += &section("Key figures", &(tiles(view, part, found) + &by_column(found)));
    text += &holdings(part);
    text += &section("Risk over the releases", &over(view, found));
    text += &section("How sure things can be told", &before_and_after(view, found));
    if let Some(closely) = &found.closely {
        text += &section("The worst cases, and why", &worst(closely));
    }
    text += &section("Attacks that were tried", &attacks(part));
    text += &section("In the words of regulators", &regulators(view, found));
    text += &section("How sure these figures are", &sure::figures(found, part.open.is_empty()));
    if !found.columns.is_empty() {
        text += &section("Worlds", &sure::worlds(found));
    }
    text += &section("What was assumed, and what was not considered", &sure::assumed(found));
    text += &section("How it was computed", &sure::computed(found, part.open.is_empty()));
    if let Some(each) = found.closely.as_ref().and_then(|closely| closely.each) {
        text += &format!(
            "<details class=\"block\"><summary>Everybody, one by one</summary>\n{}</details>\n",
            cases::everybody(each)
        );
    }
    text + "</section>\n"
}

fn section(title: &str, body: &str) -> String {
    if body.is_empty() {
        String::new()
    } else {
        format!("<section class=\"block\">\n<h3>{title}</h3>\n{body}</section>\n")
    }
}

fn tile(label: &str, value: &str, note: &str, class: &str) -> String {
    let size = if value.chars().count() > 8 { " long" } else { "" };
    format!(
        "<div class=\"tile{class}\"><dt>{label}</dt><dd class=\"figure{size}\">{value}</dd><dd class=\"note\">{note}</dd></div>\n"
    )
}

fn tiles(view: &View, part: &Part, found: &Found) -> String {
    let mut tiles = String::new();
    let releases = match found.releases {
        1 => "in one release".to_owned(),
        many => format!("in {many} releases"),
    };
    tiles += &tile("People", &escape(&found.people.text), &releases, "");
    if let Some(told) = found.columns.first() {
        tiles += &about(view, part, told, found.columns.len() > 1);
    }
    if !found.pairs.is_empty() {
        // They are about whoever is in a group of each, and nobody knows how many are.
        let note = match found.pairs.iter().any(|two| two.certain) {
            true => "tell somebody’s value for certain, whom the other figures may not count",
            false => "tell more of somebody than is allowed, whom the other figures may not count",
        };
        let mut pairs: Vec<[u64; 2]> = found.pairs.iter().map(|two| two.releases).collect();
        pairs.sort_unstable();
        pairs.dedup();
        tiles += &tile("Pairs of releases", &pairs.len().to_string(), note, " loud");
    }
    if !found.columns.is_empty() {
        let note = match found.worlds.text.as_str() {
            "1" => "only one way to give people the published values fits everything",
            "not counted" => "not everybody is followed from release to release",
            _ => "ways to give people the published values that fit everything",
        };
        tiles += &tile("Worlds", &found.worlds.html, note, "");
    }
    let worst = found.columns.first();
    if let Some((told, (certain, above))) = worst.and_then(|told| Some((told, told.change.as_ref()?))) {
        let which = which(told, found.columns.len() > 1);
        let note = match told.allowed {
            Some(confidence) => format!("people certain; above {}: {}{which}", percent(confidence), escape(above)),
            None => format!("people certain{which}"),
        };
        let label = if view.public { "Before the last release" } else { "Since the release before" };
        tiles += &tile(label, &escape(certain), &note, "");
    }
    format!("<dl class=\"tiles\">\n{tiles}</dl>\n")
}

/// What a figure is where not everything could be judged.
const JUDGED: &str = "as far as could be judged";

/// Which column it is, where there are several.
fn which(told: &Told, several: bool) -> String {
    if several { format!("; <q>{}</q>", escape(told.name)) } else { String::new() }
}

/// Whether something is ruled out for all of whom it is not proved. In public, counts that look the same may differ.
fn no_more(view: &View, proved: &Count, may: &Count) -> bool {
    proved == may && (!view.public || may.is_zero())
}

/// People of whom something is proved, and of how many it is not ruled out, where these may be more.
fn proved(view: &View, proved: &Count, may: &Count, people: &Count) -> String {
    match no_more(view, proved, may) {
        true => escape(&proved.of(people)),
        false => format!("{}; not ruled out for {}", escape(&proved.of(people)), escape(&may.text)),
    }
}

/// The tiles about the worst column, which is named in each where there are several.
fn about(view: &View, part: &Part, told: &Told, several: bool) -> String {
    let column = format!("<q>{}</q>", escape(told.name));
    let loud = |count: &Count| if count.is_zero() { "" } else { " loud" };
    let now = &told.now;
    let of = match now.people.text.as_str() {
        "some" => column.clone(),
        people => format!("of {} people; {column}", escape(people)),
    };
    let which = which(told, several);
    let of = match no_more(view, &now.certain, &now.may_be_certain) {
        true => of,
        false => format!("{of}; not ruled out: {}", escape(&now.may_be_certain.text)),
    };
    let mut tiles = tile("Certain", &escape(&now.certain.text), &of, loud(&now.certain));
    if let Some(confidence) = told.allowed {
        let open = if part.open.is_empty() { "" } else { "; not everything could be judged" };
        let note = match no_more(view, &now.above, &now.may_be_above) {
            true if part.open.is_empty() => "proved; nobody else is in doubt".to_owned(),
            true => format!("proved{open}"),
            false => format!("proved; not ruled out: {}{open}", escape(&now.may_be_above.text)),
        };
        let note = match told.any_above.is_zero() {
            true => note,
            false => {
                format!("{note}; of one record. That any of several shows a value: {}", escape(&told.any_above.text))
            }
        };
        let label = format!("Above the {} allowed", percent(confidence));
        tiles += &tile(&label, &escape(&now.above.text), &format!("{note}{which}"), loud(&now.above));
    }
    let by_two = told.by_two.as_ref().map_or(String::new(), |by_two| format!("; {}", escape(by_two)));
    tiles
        + &tile(
            "Highest probability",
            &escape(&told.highest.text),
            &format!(
                "{}{}{by_two}{which}",
                escape(if part.open.is_empty() { &told.highest.bounds } else { JUDGED }),
                if told.any_above.is_zero() { "" } else { "; that any of several records shows a value" }
            ),
            if told.highest.certain { " loud" } else { "" },
        )
}

/// Where there are several sensitive columns: the figures of each.
fn by_column(found: &Found) -> String {
    if found.columns.len() < 2 {
        return String::new();
    }
    let judged = found.columns.iter().any(|told| told.allowed.is_some());
    let heads: &[&str] = match judged {
        true => &["people", "certain", "allowed", "above that", "not ruled out", "highest"],
        false => &["people", "certain", "highest"],
    };
    let mut rows = String::new();
    for told in &found.columns {
        let allowed = told.allowed.map_or_else(|| "–".to_owned(), percent);
        let mut cells = vec![&told.now.people.text, &told.now.certain.text];
        if judged {
            cells.extend([&allowed, &told.now.above.text, &told.now.may_be_above.text]);
        }
        cells.push(&told.highest.text);
        rows += &row(told.name, heads, &cells);
    }
    table("Every sensitive column", "column", heads, &rows)
}

fn row(head: &str, heads: &[&str], cells: &[&String]) -> String {
    let cell = |(head, cell): (&&str, &&String)| {
        format!("<td class=\"number\" data-head=\"{}\">{}</td>", escape(head), escape(cell))
    };
    let cells: String = heads.iter().zip(cells).map(cell).collect();
    format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(head))
}

fn table(caption: &str, first: &str, heads: &[&str], rows: &str) -> String {
    let heads: String =
        heads.iter().map(|head| format!("<th scope=\"col\" class=\"number\">{}</th>", escape(head))).collect();
    format!(
        "<div class=\"scroll\"><table>\n<caption>{caption}</caption>\n<thead><tr><th scope=\"col\">{first}</th>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
    )
}

/// The same numbers for those who do not see the picture, or want them.
fn numbers(table: String) -> String {
    format!("<details class=\"numbers\"><summary>The numbers</summary>\n{table}</details>\n")
}

fn holdings(part: &Part) -> String {
    if part.lines.is_empty() {
        return String::new();
    }
    let mut rows = String::new();
    for line in &part.lines {
        rows += &format!(
            "<tr><th scope=\"row\">{} {}</th><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td></tr>\n",
            line.number,
            escape(line.name),
            escape(line.date),
            escape(&line.recipients),
            escape(&line.columns),
            escape(&line.records.text)
        );
    }
    section(
        "What is held",
        &format!(
            "<div class=\"scroll\"><table class=\"holdings\">\n<thead><tr><th scope=\"col\">release</th><th scope=\"col\">date</th><th scope=\"col\">recipients</th>\
             <th scope=\"col\">columns</th><th scope=\"col\" class=\"number\">records</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
        ),
    )
}

/// Each column's part; the first stands open, the others are there to open.
fn each_column(found: &Found, draw: impl Fn(&Told) -> String) -> String {
    let mut text = String::new();
    for (at, told) in found.columns.iter().enumerate() {
        let name = format!("<q>{}</q>", escape(told.name));
        text += &match at {
            0 if found.columns.len() == 1 => draw(told),
            0 => format!("<p class=\"of\">{name}</p>\n{}", draw(told)),
            _ => format!("<details><summary>{name}</summary>\n{}</details>\n", draw(told)),
        };
    }
    text
}

fn over(view: &View, found: &Found) -> String {
    if found.releases < 2 {
        return "<p>There is one release: nothing to compare it with yet.</p>\n".to_owned();
    }
    each_column(found, |told| over_of(view, told))
}

fn over_of(view: &View, told: &Told) -> String {
    let releases: Vec<&str> = told.over.iter().map(|(release, _)| *release).collect();
    let series = |name: String, class, pick: fn(&Said) -> &Count| Series {
        name,
        class,
        counts: told.over.iter().map(|(_, said)| pick(said)).collect(),
    };
    let mut lines = vec![series("certain".to_owned(), "certain", |said| &said.certain)];
    if let Some(confidence) = told.allowed {
        let above = series(format!("above {}", percent(confidence)), "above", |said| &said.above);
        let may = series(format!("not ruled out above {}", percent(confidence)), "may", |said| &said.may_be_above);
        let open = above.counts != may.counts;
        lines.push(above);
        lines.extend(open.then_some(may));
    } else if told.over.iter().any(|(_, said)| said.certain != said.may_be_certain) {
        lines.push(series("not ruled out".to_owned(), "may", |said| &said.may_be_certain));
    }
    let title = format!("People of whom {} is told, after each release", told.name);
    let heads: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    let mut rows = String::new();
    for (at, release) in releases.iter().enumerate() {
        let cells: Vec<&String> = lines.iter().map(|line| &line.counts[at].text).collect();
        rows += &row(release, &heads, &cells);
    }
    let table = table(&escape(&title), "after release", &heads, &rows);
    lines.reverse();
    // Of very few people a picture would say more than its words.
    if told.now.people.text == "some" {
        return table;
    }
    format!(
        "<p class=\"lead\">How many people are given away by everything published up to each release.</p>\n<figure>\n{}</figure>\n{}",
        charts::over_releases(&title, &releases, &lines, !view.public),
        numbers(table)
    )
}

fn before_and_after(view: &View, found: &Found) -> String {
    each_column(found, |told| if view.public { nested(told) } else { parts(told) })
}

fn parts(told: &Told) -> String {
    let last = told.over.last().map_or("the last release", |(release, _)| *release);
    let title = match told.before {
        Some(_) => format!("People by how sure the likeliest {} is, before and after {last}", told.name),
        None => format!("People by how sure the likeliest {} is", told.name),
    };
    let key = match told.before {
        Some(_) => format!(
            "<p class=\"series\"><span><i class=\"swatch before\"></i>before {last}</span> <span><i class=\"swatch\"></i>after {last}</span> <span><i class=\"swatch sure\"></i>after, and certain</span></p>\n",
            last = escape(last)
        ),
        None => String::new(),
    };
    let bounded = bounded(told);
    let heads: &[&str] = if told.before.is_some() { &["people before", "people after"] } else { &["people"] };
    let mut rows = String::new();
    for (at, count) in told.now.bars.iter().enumerate() {
        let before = told.before.as_ref().and_then(|before| before.bars.get(at));
        let cells: Vec<&String> = before.into_iter().chain([count]).map(|count| &count.text).collect();
        let name = if at == 10 { "certain".to_owned() } else { format!("{} to below {} %", at * 10, at * 10 + 10) };
        rows += &row(&name, heads, &cells);
    }
    format!(
        "<p class=\"lead\">Everybody counts once, by the value that is likeliest for them. Far to the right means: as good as told.{bounded}</p>\n{key}<figure>\n{}</figure>\n{}",
        charts::histogram(
            &title,
            told.before.as_ref().map(|before| before.bars.as_slice()),
            &told.now.bars,
            told.allowed
        ),
        numbers(table(&escape(&title), "how sure", heads, &rows))
    )
}

/// That some stand where the most that may be told puts them.
fn bounded(told: &Told) -> String {
    match told.bounded.is_zero() {
        true => String::new(),
        false => format!(
            " Of {} only bounds are known: they count by the most that may be told.",
            escape(&told.bounded.of(&told.now.people))
        ),
    }
}

/// In public: how many are told at least so surely. Each count holds the next, so that none is a part of a whole.
fn nested(told: &Told) -> String {
    let most = told.now.people.drawn.max(1);
    let bar = |count: &Count, class: &str| {
        if told.now.people.text == "some" {
            return escape(&count.text);
        }
        let wide = (count.drawn * 100 / most).clamp(u64::from(!count.is_zero()), 100);
        format!(
            "<span class=\"track\"><span class=\"fill {class}\" style=\"width:{wide}%\"></span></span> {}",
            escape(&count.text)
        )
    };
    let mut rows = String::new();
    for (at, (tenths, count)) in NESTED.iter().zip(&told.now.bars).enumerate() {
        let name = if *tenths == 10 { "certain".to_owned() } else { format!("at least {}0\u{a0}%", tenths) };
        let before = told.before.as_ref().and_then(|before| before.bars.get(at));
        let before =
            before.map_or(String::new(), |count| format!("<td data-head=\"before\">{}</td>", bar(count, "before")));
        let class = if *tenths == 10 { "sure" } else { "after" };
        rows += &format!(
            "<tr><th scope=\"row\">{name}</th>{before}<td data-head=\"after\">{}</td></tr>\n",
            bar(count, class)
        );
    }
    let heads = match (&told.before, told.over.last()) {
        (Some(_), Some((last, _))) => {
            let last = escape(last);
            format!("<th scope=\"col\">people before {last}</th><th scope=\"col\">people after {last}</th>")
        }
        _ => "<th scope=\"col\">people</th>".to_owned(),
    };
    format!(
        "<p class=\"lead\">People by how sure the likeliest value is. Each line includes those below it.</p>\n\
         <div class=\"scroll\"><table class=\"nested\">\n<thead><tr><th scope=\"col\">how sure</th>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn worst(closely: &Closely) -> String {
    match closely.worst {
        [] => "<p>There is no case to show.</p>\n".to_owned(),
        worst => format!(
            "<p class=\"lead\">Those about whom most is told, and a small set of groups that already tells it by itself.</p>\n{}",
            cases::cases(worst)
        ),
    }
}

fn attacks(part: &Part) -> String {
    let mut items = String::new();
    for (title, words, certain) in &part.attacks {
        // What was found is said in words, where it may be; only then there is no need for a mark.
        let mark = match (*certain, words) {
            (Some(true), _) => "<b class=\"tag sure\">certain</b>",
            (Some(false), None) => "<b class=\"tag\">something, not certain</b>",
            (None, None) => "<b class=\"tag\">nothing</b>",
            (_, Some(_)) => "",
        };
        let words = words.map_or(String::new(), |words| format!("<br>{}", escape(words)));
        items += &format!("<li>{mark} <strong>{}</strong>{words}</li>\n", escape(title));
    }
    if items.is_empty() { String::new() } else { format!("<ul class=\"attacks\">\n{items}</ul>\n") }
}

fn regulators(view: &View, found: &Found) -> String {
    let risks = &found.identity;
    let of = |count: &Count| escape(&count.of(&found.people));
    let mut rows = vec![
        ("Singling out", "people whose row in some release is like nobody else’s there", of(&risks.singled_out)),
        (
            "Linkability",
            "people in several releases whose rows are like nobody else’s in two of them, and can be put together",
            match (risks.in_several.is_zero(), found.releases, found.unlinked.is_empty()) {
                (false, ..) => escape(&risks.linkable.of(&risks.in_several)),
                (true, 0 | 1, _) => "there is one release".to_owned(),
                (true, _, true) => "nobody is in several releases".to_owned(),
                (true, _, false) => "not known, as it is not known whose the rows are".to_owned(),
            },
        ),
    ];
    let mut inferred: Vec<(String, String)> = Vec::new();
    for told in &found.columns {
        let column = escape(told.name);
        let people = &told.now.people;
        inferred.push((
            format!("people whose <q>{column}</q> is certain"),
            proved(view, &told.now.certain, &told.now.may_be_certain, people),
        ));
        if let Some(confidence) = told.allowed {
            inferred.push((
                format!("people whose <q>{column}</q> can be told with more than {} confidence", percent(confidence)),
                proved(view, &told.now.above, &told.now.may_be_above, people),
            ));
        }
        for two in found.pairs.iter().filter(|two| two.column == told.name) {
            let [one, other] = two.releases;
            inferred.push((
                format!(
                    "whether releases {one} and {other} tell <q>{column}</q> of somebody who is in a group of each"
                ),
                if two.certain { "for certain".to_owned() } else { "with more confidence than is allowed".to_owned() },
            ));
        }
        inferred.push((
            format!(
                "how often the likeliest <q>{column}</q> is right; in brackets, if one only knew how common values are"
            ),
            match told.average.as_str() {
                "not shown" => "not shown".to_owned(),
                _ => format!("{} ({})", escape(&told.average), escape(&told.prior)),
            },
        ));
    }
    let lines = inferred.len();
    for (at, (what, value)) in inferred.iter().enumerate() {
        rows.push((if at == 0 { "Inference" } else { "" }, what, value.clone()));
    }
    let head = |word: &str| match word {
        "" => String::new(),
        "Inference" => format!("<th scope=\"rowgroup\" rowspan=\"{lines}\">{word}</th>"),
        word => format!("<th scope=\"row\">{word}</th>"),
    };
    let body: String = rows
        .iter()
        .map(|(word, what, value)| format!("<tr>{}<td>{what}</td><td class=\"number\">{value}</td></tr>\n", head(word)))
        .collect();
    format!(
        "<div class=\"scroll\"><table class=\"regulators\">\n<caption>The three risks of the European data protection authorities (Opinion 05/2014)</caption>\n\
         <thead><tr><th scope=\"col\">risk</th><th scope=\"col\">what was counted</th><th scope=\"col\" class=\"number\">found</th></tr></thead>\n<tbody>\n{body}</tbody></table></div>\n{}",
        finding(view, found)
    )
}

/// The risk that somebody's record is found, for three kinds of attackers.
fn finding(view: &View, found: &Found) -> String {
    let cell = |head: &str, (text, above): &(String, bool)| match above {
        true => format!(
            "<td class=\"number\" data-head=\"{head}\"><strong>{}</strong> <span class=\"tag sure\">above {USUAL_THRESHOLD}</span></td>",
            escape(text)
        ),
        false => format!("<td class=\"number\" data-head=\"{head}\">{}</td>", escape(text)),
    };
    let [highest, average] = &found.identity.prosecutor;
    let note = match view.least {
        None => format!(
            "<p class=\"quiet\">{USUAL_THRESHOLD} ({}) is the greatest risk usually accepted for clinical data that everybody may see (European Medicines Agency, policy 0070; Health Canada).</p>\n",
            percent(USUAL_THRESHOLD)
        ),
        Some(least) => format!(
            "<p class=\"quiet\">Averages are shown in steps of ten percent, for {} people or more.</p>\n",
            crate::text::grouped(least.saturating_mul(100))
        ),
    };
    format!(
        "<div class=\"scroll\"><table class=\"regulators\">\n<caption>The risk that somebody’s row is found among those like it</caption>\n\
         <thead><tr><th scope=\"col\">who looks</th><th scope=\"col\">what they know</th><th scope=\"col\" class=\"number\">highest</th><th scope=\"col\" class=\"number\">average</th></tr></thead>\n<tbody>\n\
         <tr><th scope=\"row\">Prosecutor</th><td>looks for one person, and knows that they are in the release that helps most</td>{}{}</tr>\n\
         <tr><th scope=\"row\">Journalist</th><td>looks for one person, and does not know whether they are in a release</td><td class=\"number\" colspan=\"2\">no more than that</td></tr>\n\
         <tr><th scope=\"row\">Marketer</th><td>wants as many people as possible, and takes what fails</td><td class=\"number\" data-head=\"highest\">–</td>{}</tr>\n\
         </tbody></table></div>\n{note}",
        cell("highest", highest),
        cell("average", average),
        cell("average", average),
    )
}
