//! Snapshots of whole pages of a worked example, internal and public.

use reticent_report::{Report, html};

use crate::fixture::figure_1;

/// Adds a line break between tags, so that differences are easy to read.
fn readable(page: &str) -> String {
    page.replace("><", ">\n<")
}

#[test]
fn internal() {
    insta::assert_snapshot!(readable(&html(&figure_1())));
}

#[test]
fn public() {
    insta::assert_snapshot!(readable(&html(&Report { public: true, ..figure_1() })));
}
