//! Prints docs/errors.md, which is generated from the table of error codes.

fn main() {
    print!("{}", reticent_app::error::markdown());
}
