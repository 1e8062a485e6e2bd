//! Where the ledger is: a file in its place, or a modified ledger, is never taken for a missing one.

use reticent_app::error::Class;
use reticent_testkit::{Outcome, TestFolder};

/// What cannot be read is not what is missing.
#[test]
fn a_ledger_is_a_folder() {
    for (folder, place) in
        [(TestFolder::clinic_with_owner(3), "ledger"), (TestFolder::clinic_with_owner(3).with_ledger("book"), "book")]
    {
        folder.write(place, "something else\n");
        let errors = [
            folder.publish("people.csv", "one").run().fails_with("ledger-is-file"),
            folder.log().fails_with("ledger-is-file"),
            folder.audit().run().fails_with("ledger-is-file"),
            folder.verify().fails_with("ledger-is-file"),
        ];
        for error in errors {
            assert_eq!(error.data()["path"], folder.file(place).display().to_string());
        }
        assert_eq!(folder.read(place), "something else\n");
    }
}

/// Nothing is judged with a ledger that was modified.
#[test]
fn nothing_is_published_with_a_modified_ledger() {
    let folder = TestFolder::clinic_with_owner(3);
    folder.publish("people.csv", "one").to("press").run().passes();
    std::fs::remove_file(folder.file("ledger/seal.json")).unwrap();
    let error = folder.publish("people.csv", "two").to("press").run();
    let error = error.fails_as(Class::Modified, "ledger-inconsistent");
    assert!(error.to_string().contains("seal"), "{error}");
    assert!(!folder.exists("two.csv"));
}
