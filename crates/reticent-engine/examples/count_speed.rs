//! Benchmark of counting, writing and reading back.
//!
//! Run it with `cargo run --release -p reticent-engine --example count_speed [ROWS] [SKEW]`.
//! With a skew of 1, nearly every row has its own combination. A higher skew makes more rows equal.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use reticent_engine::{
    Compression, CountColumn, CountRequest, Embedded, Engine, Format, Generator, Options, Sink, read_back, write_rows,
};

const COLUMNS: [(&str, u64); 8] = [
    ("sex", 2),
    ("region", 17),
    ("age", 90),
    ("education", 16),
    ("occupation", 14),
    ("marital", 7),
    ("income", 2),
    ("diagnosis", 40),
];

fn main() -> Result<(), Box<dyn Error>> {
    let rows: u64 = std::env::args().nth(1).map_or(Ok(10_000_000), |text| text.parse())?;
    let folder = std::env::temp_dir().join(format!("reticent-count-speed-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    let skew: u32 = std::env::args().nth(2).map_or(Ok(4), |text| text.parse())?;
    let result = measure(rows, skew, &folder);
    std::fs::remove_dir_all(&folder)?;
    result
}

fn measure(rows: u64, skew: u32, folder: &Path) -> Result<(), Box<dyn Error>> {
    let data = folder.join("data.csv");
    let bytes = timed("generate", 0, || generate(&data, rows, skew))?;
    timed("copy", bytes, || Ok(std::fs::copy(&data, folder.join("copy.csv"))?))?;
    let engine = Embedded::open_file(&data, Options::default())?;
    let columns = engine.columns().iter().map(|name| CountColumn { name: name.clone(), bins: None }).collect();
    let counts = timed("count", bytes, || Ok(engine.count(&CountRequest { columns, ..CountRequest::default() })?))?;
    println!("{} combinations of {} rows", counts.contingency.len(), counts.contingency.rows());
    timed("profile", bytes, || Ok(engine.values(None)?))?;
    for (name, format) in [
        ("out.csv", Format::Csv(Compression::None)),
        ("out.csv.gz", Format::Csv(Compression::Gzip)),
        ("out.csv.zst", Format::Csv(Compression::Zstd)),
        ("out.parquet", Format::Parquet),
    ] {
        let sink = Sink { path: folder.join(name), format, seed: 7 };
        timed(&format!("write {name}"), bytes, || Ok(write_rows(&counts, &sink, &Options::default())?))?;
        let back = timed(&format!("read back {name}"), bytes, || Ok(read_back(&sink.path, &Options::default())?))?;
        println!("same: {}", back == counts);
    }
    Ok(())
}

fn timed<T>(what: &str, bytes: u64, work: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<T, Box<dyn Error>> {
    let start = Instant::now();
    let result = work()?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{what:24} {seconds:7.2} s {:8.0} MB/s", bytes as f64 / 1e6 / seconds);
    Ok(result)
}

fn generate(path: &Path, rows: u64, skew: u32) -> Result<u64, Box<dyn Error>> {
    let mut file = BufWriter::new(File::create(path)?);
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    writeln!(file, "{}", names.join(","))?;
    let texts: Vec<Vec<String>> = COLUMNS
        .iter()
        .map(|(name, count)| {
            let text = |at| {
                if *name == "age" {
                    format!("{at}")
                } else {
                    format!("{}-{at}", &name[..3 + at as usize % (name.len() - 2)])
                }
            };
            (0..*count).map(text).collect()
        })
        .collect();
    let mut generator = Generator::new(1);
    for _ in 0..rows {
        for (at, texts) in texts.iter().enumerate() {
            // The minimum of several draws, because values are not uniformly distributed in real data.
            let draw = (0..skew).map(|_| generator.below(texts.len() as u64)).min().unwrap_or(0);
            file.write_all(texts[draw as usize].as_bytes())?;
            file.write_all(if at + 1 == COLUMNS.len() { b"\n" } else { b"," })?;
        }
    }
    file.into_inner()?.sync_all()?;
    Ok(std::fs::metadata(path)?.len())
}
