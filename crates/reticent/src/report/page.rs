//! The page: its head, the verdicts, a part for each coalition, and its foot.

use super::sections::part;
use super::verdict::{allowed, card};
use super::view::View;
use super::words::{either, escape, percent};
use crate::text::grouped;

/// How the page looks.
const STYLE: &str = include_str!("style.css");

/// What stands on every page that is not for everybody.
pub const INTERNAL: &str = "Internal: contains what the releases give away about people";

/// The whole text.
pub fn page(view: &View) -> String {
    let title = escape(view.title);
    let (mark, margin) = match view.public {
        true => (String::new(), String::new()),
        false => (
            format!(
                "<p class=\"internal\">{INTERNAL}</p>\n<div class=\"watermark\" aria-hidden=\"true\"><span>{INTERNAL}</span></div>\n"
            ),
            format!("@page {{ @bottom-left {{ content: \"{INTERNAL}\"; }} }}\n"),
        ),
    };
    let verdicts: String = view.parts.iter().enumerate().map(|(at, part)| card(part, at + 1)).collect();
    let parts: String = view.parts.iter().enumerate().map(|(at, one)| part(view, one, at + 1)).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"robots\" content=\"noindex\">\n<title>{title}</title>\n<style>\n{STYLE}{margin}</style>\n</head>\n<body>\n{mark}<main>\n\
         <header>\n<p class=\"kicker\">What the releases give away together</p>\n<h1>{title}</h1>\n{}</header>\n\
         <section class=\"verdicts\" aria-label=\"Verdict\">\n<h2 class=\"unseen\">Verdict</h2>\n{verdicts}</section>\n{parts}{}</main>\n</body>\n</html>\n",
        facts(view),
        foot(view),
    )
}

fn facts(view: &View) -> String {
    let mut facts = vec![("Data", escape(view.dataset)), ("Made", escape(view.made))];
    let promise = promise(view);
    if !promise.is_empty() {
        facts.push(("Allowed", promise));
    }
    facts.push(("By", format!("Reticent {}", escape(view.version))));
    let facts: String =
        facts.iter().map(|(what, value)| format!("<div><dt>{what}</dt><dd>{value}</dd></div>\n")).collect();
    format!("<dl class=\"facts\">\n{facts}</dl>\n")
}

/// What may be told at most.
fn promise(view: &View) -> String {
    let columns = view.parts.iter().filter_map(|part| part.found.as_ref()).flat_map(|found| &found.columns);
    let allowed = allowed(columns);
    let told = |(names, most): &(Vec<String>, Option<f64>)| {
        most.map(|most| format!("nobody’s {} with more than {} confidence", either(names), percent(most)))
    };
    allowed.iter().filter_map(told).collect::<Vec<String>>().join("; ")
}

fn foot(view: &View) -> String {
    let hidden = match view.least {
        Some(least) => {
            let least = grouped(least);
            format!(
                "<p>Counts of people below {least} are shown as “fewer than {least}”, and other counts as what they are at least, so that no two of them differ by a small number that could be told; “some” may be fewer than {least} or more; “all but fewer than {least}” are nearly all; and what is “not shown” would tell a small count. A picture draws these at a height that means no more than the words. Where people are counted, “0” is nobody of whom it was proved.</p>\n"
            )
        }
        None => String::new(),
    };
    format!(
        "<footer>\n{hidden}<p>This report says how much can be told about people from the releases it lists, by those it describes. It does not say that nothing else can be told.</p>\n</footer>\n"
    )
}
