//! People by the size of their equivalence class.

use crate::data::contingency::Weight;
use crate::error::Result;
use crate::release::Release;
use crate::release::classes::{Measured, for_each, people_in};

/// Number of equivalence classes of similar size, and of the people in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct ClassSizeBin {
    /// Smallest class size.
    pub from: u64,
    /// Largest class size; `None` if unbounded.
    pub to: Option<u64>,
    /// Number of equivalence classes.
    pub classes: u64,
    /// Number of people in these classes. A person in several classes of this size counts once.
    pub people: u64,
}

/// Smallest class size of each bin.
const STARTS: [u64; 8] = [1, 2, 3, 5, 10, 20, 50, 100];

/// Counts people by the size of their equivalence class on the columns `on`.
///
/// Returns all bins, also empty ones: 1, 2, 3 to 4, 5 to 9, 10 to 19, 20 to 49, 50 to 99, and 100 or more.
///
/// # Errors
///
/// Returns an error if the release has no such column.
pub fn class_sizes(release: &Release, on: &[String]) -> Result<Vec<ClassSizeBin>> {
    let by = release.positions(on)?;
    let contingency = &release.contingency;
    let measured = Measured::new(contingency, &[]);
    let bin_of = |size: Weight| STARTS.partition_point(|start| *start <= size).saturating_sub(1);
    let mut counts = [(0, 0); STARTS.len()];
    for_each(contingency, &by, &measured, |_, class| {
        let (classes, people) = &mut counts[bin_of(class.size)];
        *classes += 1;
        *people += class.size;
    });
    if contingency.owners.is_some() {
        for (bin, (_, people)) in counts.iter_mut().enumerate().filter(|(_, (classes, _))| *classes > 0) {
            *people = people_in(contingency, &by, &measured, |_, class| bin_of(class.size) == bin);
        }
    }
    let bin = |(at, (classes, people))| {
        let next: Option<&u64> = STARTS.get(at + 1);
        ClassSizeBin { from: STARTS[at], to: next.map(|next| next - 1), classes, people }
    };
    Ok(counts.into_iter().enumerate().map(bin).collect())
}
