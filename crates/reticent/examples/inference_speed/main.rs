//! How fast inference over two bucketized releases is. See bench/README.md.
#![allow(clippy::expect_used)]

mod made;

use std::time::Instant;

use reticent::inference::{Ask, solve};

fn main() {
    let mut args = std::env::args().skip(1);
    let records: usize = args.next().map_or(7_200, |text| text.parse().expect("a number of records"));
    let shared: usize = args.next().map_or(records * 5 / 6, |text| text.parse().expect("a number of shared records"));
    let size: usize = args.next().map_or(5, |text| text.parse().expect("a size of buckets"));
    let puzzle = made::two_releases(records, shared, size, 14, 1);
    let cells: usize = puzzle.crowds.iter().map(|crowd| crowd.may.len()).sum();
    println!(
        "{records} records, {shared} shared, buckets of {size}: {} people, {cells} cells, {} counts",
        puzzle.crowds.len(),
        puzzle.counts.len()
    );
    for (name, ask) in [
        ("presolve and bounds", Ask { steps: 0, entropy: false, ..Ask::default() }),
        ("with entropy", Ask { steps: 0, ..Ask::default() }),
        ("with counting", Ask::default()),
    ] {
        let clock = Instant::now();
        let answer = solve(&puzzle, &ask).expect("solved");
        println!("{name}: {:.4} s; {:?}", clock.elapsed().as_secs_f64(), answer.work);
    }
}
