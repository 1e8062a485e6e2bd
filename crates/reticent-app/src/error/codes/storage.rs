//! Codes of the engine and of the ledger.

use super::{ErrorCode, entry};

pub(super) const ENGINE: &[ErrorCode] = &[
    entry(
        "io-failed",
        "A data file could not be read or written.",
        "Check the path, the permissions and the free disk space.",
    ),
    entry("file-not-found", "No file matches the path or pattern.", "Check the path."),
    entry("file-malformed", "A file cannot be parsed as a table.", "Correct the file at the given line."),
    entry("column-unknown", "The data has no column with this name.", "Check the column name."),
    entry(
        "too-many-values",
        "A column has too many distinct values.",
        "Round the values, or do not publish the column.",
    ),
    entry(
        "memory-exceeded",
        "Counting needs more memory than the limit.",
        "Use fewer columns or coarser values, or raise the memory limit.",
    ),
    entry("owner-missing", "Some rows have no owner.", "Complete these rows, or remove them."),
    entry(
        "too-many-owners",
        "The data has more owners than can be numbered.",
        "Split the table, and publish the parts.",
    ),
    entry(
        "too-many-rows",
        "The data has more rows than can be linked to owners.",
        "Split the table, and publish the parts.",
    ),
    entry(
        "rows-differ",
        "The number of rows read back differs from the number of rows written. Nothing was published.",
        "Check the disk, and try again.",
    ),
    entry(
        "data-changed",
        "The data changed while it was read, or before the release was recorded. Nothing was published.",
        "Try again when no other process writes to it.",
    ),
    entry(
        "driver-missing",
        "The ADBC driver of the database was not found, or cannot be loaded.",
        "Install the driver, and name its library in the environment variable of the message; see docs/engines.md.",
    ),
    entry(
        "database-unreachable",
        "The database does not answer, or refuses the connection.",
        "Check the address, the user, the credentials of the driver, and that the server runs.",
    ),
    entry(
        "database-connection-lost",
        "The database ended the connection. Nothing was published.",
        "Check that the server runs, and try again.",
    ),
    entry(
        "database-access-denied",
        "The user of the database may not do this.",
        "Ask the administrator of the database for the right, or use another user.",
    ),
    entry(
        "database-table-unknown",
        "A table, a column or a file does not exist, or the user cannot see it.",
        "Correct `table` or `query` under [source], or the schema of the output.",
    ),
    entry("database-table-exists", "The database has a table with this name already.", "Choose another name."),
    entry(
        "database-query-invalid",
        "The database does not accept the query.",
        "Run the query in a client of the database to see its message.",
    ),
    entry(
        "database-resources-exhausted",
        "The database has not enough disk, memory or other resources. Nothing was published.",
        "Free resources, or ask the administrator of the database.",
    ),
    entry(
        "database-timeout",
        "The database gave no answer in time. Nothing was published.",
        "Check the state of the database, or raise `timeout`.",
    ),
    entry(
        "database-types-mixed",
        "The values of a column have several types, which the database would convert.",
        "Convert them in a query.",
    ),
    entry(
        "database-failed",
        "The database failed. Its message is not shown, because it can contain values of the data.",
        "See the log of the database.",
    ),
];

pub(super) const LEDGER: &[ErrorCode] = &[
    entry(
        "ledger-unauthenticated",
        "A key exists, but the ledger is unsigned: it was never signed, or it was replaced.",
        "If the ledger has an older format, verify it and authenticate it. Otherwise restore the signed ledger.",
    ),
    entry(
        "ledger-key-missing",
        "The ledger is signed, and its key file is missing.",
        "Restore the key file. If it is lost, see docs/ledger.md.",
    ),
    entry(
        "ledger-entry-unknown",
        "An entry has a kind or a requirement that this version does not support.",
        "Use the version of Reticent that wrote the entry, or a newer one.",
    ),
    entry(
        "ledger-permission-denied",
        "The operating system denies access to a file of the ledger.",
        "Ask the owner of the file for permission, or run the command as its owner.",
    ),
    entry(
        "proof-invalid",
        "The file is not a proof, or the proof is invalid.",
        "Request a new proof. Keep the invalid one as evidence.",
    ),
    entry(
        "head-refused",
        "The witness did not countersign the head. The head is unsigned, or does not provably extend the previous one.",
        "Request a proof since your previous head. If the steward cannot provide one, entries were rewritten.",
    ),
    entry(
        "ledger-not-found",
        "The folder contains no ledger.",
        "Check the path, or create a ledger with the first release.",
    ),
    entry(
        "ledger-inconsistent",
        "The ledger is damaged or was modified.",
        "Verify the ledger, and restore a backup before you publish again.",
    ),
    entry("ledger-format-newer", "A newer version of Reticent wrote the ledger.", "Use that version or a newer one."),
    entry("ledger-locked", "Another process is writing to the ledger.", "Wait, and try again."),
    entry("history-changed", "Another release was recorded at the same time.", "Try again."),
    entry("release-name-taken", "Another release has this name.", "Choose another name."),
    entry("release-not-found", "The ledger has no release with this number or name.", "List the releases."),
    entry("release-erased", "The contents of the release were erased. Only its entry remains.", "Use another release."),
    entry(
        "ledger-not-shared",
        "The ledger could not be given to the group that the policy declares.",
        "Become a member of the group, or let the owner of the ledger publish once.",
    ),
    entry(
        "erased-files-remain",
        "An erasure is recorded, but old files could not be removed.",
        "Remove the obstacle. The next command that writes to the ledger removes the files.",
    ),
    entry(
        "release-withdrawn",
        "The release was withdrawn: nobody is assumed to hold it.",
        "If a recipient holds it after all, amend its recipients. Then it counts again.",
    ),
    entry(
        "release-in-use",
        "A later release continues the republication series of this release, or counts its people.",
        "Withdraw the later release first. If it was handed out, keep both.",
    ),
    entry(
        "withdrawn-file-exists",
        "The file of the release to be withdrawn exists.",
        "Delete the file and every copy of it. If a recipient has one, keep the release.",
    ),
    entry(
        "withdrawn-file-unchecked",
        "It could not be checked whether the file of the release to be withdrawn is gone.",
        "Make its folder readable, or state that every copy was destroyed. The ledger records that it was not checked.",
    ),
    entry(
        "amendment-unfit",
        "The amendment changes nothing, or does not fit the release.",
        "Correct the amendment as the message describes.",
    ),
    entry(
        "owner-not-found",
        "No release with stored owner links has records of this owner.",
        "Check how the data writes the owner: 7, 7.0 and 007 are different owners.",
    ),
    entry(
        "key-unusable",
        "The key file cannot be used.",
        "Correct the file as the message describes, for example its permissions.",
    ),
    entry(
        "release-file-unnamed",
        "The release is recorded, but its file could not be renamed to the output path.",
        "Remove the obstacle. The next command that writes to the ledger renames the file.",
    ),
    entry("head-invalid", "The text is not an exported head.", "Use a file that was written by a head export."),
    entry(
        "release-unfit",
        "The parts of the release are inconsistent.",
        "Check that the data did not change, and try again.",
    ),
    entry(
        "ledger-io-failed",
        "A file of the ledger could not be read or written.",
        "Check the permissions and the free disk space.",
    ),
    entry(
        "catalogue-failed",
        "The database of the ledger could not be read or written.",
        "Check the permissions and the free disk space.",
    ),
];
