//! Figures 6 and 7: classification error for (X, Y)-linkability.

use reticent::Recoding;

use crate::adult::{COMMON, RANKED_A, Records, Set};
use crate::report::{Scale, Verdict, ends, ends_text, figure, head, line, listed, mean, note};
use crate::search::{Search, error, linkability, rare};
use crate::{Failure, LEARNER, Options};

/// Numbers of ranked categorical columns of taxation in Y.
const TOPS: [usize; 4] = [1, 2, 3, 4];
const CONFIDENCES: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];

/// Why errors can differ.
const OPEN: &str = "another learner (CART instead of C4.5); the paper does not fully define X and half of an odd number; \
                    PrivLoss is the mean over the columns of Y";

/// Results for one Y.
struct Top {
    /// Error for each confidence that can be met.
    errors: Vec<f64>,
    /// Error without the columns of Y.
    removed: f64,
    /// Confidences that cannot be met.
    refused: Vec<f64>,
    /// Time of the longest search in seconds.
    longest: f64,
    /// Number of stopped searches.
    stopped: usize,
}

fn top(set: &Set, records: &Records, options: &Options, count: usize, zero_gain: bool) -> Result<Top, Failure> {
    let sensitive = &RANKED_A[..count];
    let search = Search { zero_gain, limit: options.limit };
    let setting = if zero_gain { "zero-gain steps" } else { "no zero-gain steps" };
    let removed = error(set, records, &Recoding::identity(&set.table), sensitive)?;
    let mut top = Top { errors: Vec::new(), removed, refused: Vec::new(), longest: 0.0, stopped: 0 };
    for confidence in CONFIDENCES {
        let what = format!("Top{count}, at most {:.0} % ({setting})", 100.0 * confidence);
        let Some(found) = search.joined(set, &linkability(set, sensitive, confidence)?)? else {
            println!("{what}: refused, it cannot be met even with all columns of X suppressed");
            top.refused.push(confidence);
            continue;
        };
        let error = error(set, records, &found.recoding, &[])?;
        let stopped = if found.stopped { ", stopped" } else { "" };
        println!("{what}: error {error:.2} %; {} steps, {:.3} s{stopped}", found.steps, found.seconds);
        top.errors.push(error);
        top.longest = top.longest.max(found.seconds);
        top.stopped += usize::from(found.stopped);
    }
    Ok(top)
}

/// Claims of the paper for a set.
struct Claims {
    figure: &'static str,
    ble: f64,
    rje: f64,
    /// XYE - BLE: maximum (Set A) or mean (Set B).
    loss: f64,
    /// Range of RSE - XYE.
    removal: (f64, f64),
    /// Range of RJE - XYE.
    join: (f64, f64),
    /// Time of the longest search in seconds.
    seconds: f64,
}

const SET_A: Claims = Claims {
    figure: "figure 6",
    ble: 17.5,
    rje: 22.3,
    loss: 0.7,
    removal: (-0.2, 5.6),
    join: (4.1, 4.5),
    seconds: 20.0,
};
const SET_B: Claims = Claims {
    figure: "figure 7",
    ble: 14.7,
    rje: 17.3,
    loss: 1.1,
    removal: (0.1, 1.9),
    join: (0.7, 2.6),
    seconds: 450.0,
};

/// Figure 6.
pub fn set_a(set: &Set, records: &Records, options: &Options) -> Result<(), Failure> {
    figure("Figure 6: (X, Y)-linkability, Set A");
    for column in &RANKED_A[..TOPS.len()] {
        println!("{column}: sensitive values {}", rare(set, column)?.join(", "));
    }
    run(&SET_A, set, records, options)
}

/// Figure 7.
pub fn set_b(set: &Set, records: &Records, options: &Options) -> Result<(), Failure> {
    figure("Figure 7: (X, Y)-linkability, Set B");
    run(&SET_B, set, records, options)
}

/// Runs the searches with zero-gain steps, and without them for comparison.
fn run(claims: &Claims, set: &Set, records: &Records, options: &Options) -> Result<(), Failure> {
    let all = |zero_gain: bool| -> Result<Vec<Top>, Failure> {
        TOPS.iter().map(|count| top(set, records, options, *count, zero_gain)).collect()
    };
    let (tops, other) = (all(true)?, all(false)?);
    head();
    compare(claims, set, records, &tops)?;
    let xye: Vec<f64> = other.iter().map(|top| mean(&top.errors)).collect();
    note(&format!("{}: XYE without zero-gain steps, %", claims.figure), &listed(&xye, 2));
    Ok(())
}

fn compare(claims: &Claims, set: &Set, records: &Records, tops: &[Top]) -> Result<(), Failure> {
    let scale = Scale { digits: 1, near: 0.3, why: LEARNER };
    let raw = Recoding::identity(&set.table);
    let ble = error(set, records, &raw, &[])?;
    let rje = error(set, records, &raw, &COMMON)?;
    let name = |what: &str| format!("{}: {what}", claims.figure);
    line(&name("BLE"), &format!("{} %", claims.ble), &format!("{ble:.2} %"), scale.number(claims.ble, ble));
    line(&name("RJE"), &format!("{} %", claims.rje), &format!("{rje:.2} %"), scale.number(claims.rje, rje));
    let xye: Vec<f64> = tops.iter().map(|top| mean(&top.errors)).collect();
    note(&name("XYE, Top1 to Top4, %"), &listed(&xye, 2));
    note(&name("RSE, Top1 to Top4, %"), &listed(&tops.iter().map(|top| top.removed).collect::<Vec<_>>(), 2));
    let scale = Scale { why: OPEN, ..scale };
    let loss: Vec<f64> = xye.iter().map(|error| error - ble).collect();
    if claims.figure == "figure 6" {
        let verdict = scale.at_most(claims.loss, ends(&loss).1);
        line(&name("XYE - BLE, points"), &format!("at most {}", claims.loss), &ends_text(&loss, 2), verdict);
    } else {
        let verdict = scale.number(claims.loss, mean(&loss));
        line(&name("XYE - BLE, points, mean"), &claims.loss.to_string(), &format!("{:.2}", mean(&loss)), verdict);
    }
    let benefit: Vec<f64> = tops.iter().zip(&xye).map(|(top, error)| top.removed - error).collect();
    let ends_of = |(low, high): (f64, f64)| format!("{low} to {high}");
    let verdict = scale.range(claims.removal, &benefit);
    line(&name("RSE - XYE, points"), &ends_of(claims.removal), &ends_text(&benefit, 2), verdict);
    let join: Vec<f64> = xye.iter().map(|error| rje - error).collect();
    let verdict = scale.range(claims.join, &join);
    line(&name("RJE - XYE, points"), &ends_of(claims.join), &ends_text(&join, 2), verdict);
    if claims.figure == "figure 7" {
        let below = benefit.iter().chain(&join).filter(|benefit| **benefit > 0.0).count();
        let all = benefit.len() + join.len();
        let verdict = Verdict::from_claim(below == all, "not below RSE everywhere");
        line(&name("XYE below RSE and below RJE"), "consistently", &format!("{below} of {all} times"), verdict);
    }
    let refused: Vec<String> = tops
        .iter()
        .zip(TOPS)
        .filter(|(top, _)| !top.refused.is_empty())
        .map(|(top, count)| {
            let confidences: Vec<String> = top.refused.iter().map(|of| format!("{:.0} %", 100.0 * of)).collect();
            format!("Top{count} at {}", confidences.join(" and "))
        })
        .collect();
    let why = "violated even with all columns of X suppressed; excluded from the means above";
    let verdict = Verdict::from_claim(refused.is_empty(), why);
    let text = if refused.is_empty() { "all".to_owned() } else { format!("all but {}", refused.join(", ")) };
    line(&name("requirements that can be met"), "all", &text, verdict);
    let longest = ends(&tops.iter().map(|top| top.longest).collect::<Vec<_>>()).1;
    let stopped: usize = tops.iter().map(|top| top.stopped).sum();
    let why = if stopped > 0 { format!("{stopped} searches were stopped") } else { "slower".to_owned() };
    let verdict = Verdict::from_claim(longest < claims.seconds && stopped == 0, &why);
    let what = name("longest search, s");
    line(&what, &format!("< {}, with disk", claims.seconds), &format!("{longest:.3}"), verdict);
    Ok(())
}
