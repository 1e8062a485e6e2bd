//! Words in column names that indicate the content of a column.

/// Words in a column name that indicate an identifier.
pub(crate) const IDENTIFIER_WORDS: &[&str] = &[
    "account",
    "address",
    "card",
    "email",
    "fax",
    "firstname",
    "forename",
    "iban",
    "id",
    "identifier",
    "insurance",
    "ip",
    "lastname",
    "licence",
    "license",
    "login",
    "mail",
    "mobile",
    "mrn",
    "name",
    "passport",
    "phone",
    "plate",
    "ssn",
    "street",
    "surname",
    "telephone",
    "url",
    "user",
    "username",
    "uuid",
];

/// Words in a column name that indicate the person of a record.
pub(crate) const PERSON_WORDS: &[&str] =
    &["citizen", "client", "customer", "employee", "id", "mrn", "patient", "person", "pupil", "ssn", "student"];

/// Words in a column name that indicate a sensitive attribute.
pub(crate) const SENSITIVE_WORDS: &[&str] = &[
    "condition",
    "conviction",
    "credit",
    "crime",
    "debt",
    "diagnosis",
    "disability",
    "disease",
    "drug",
    "dx",
    "ethnicity",
    "grade",
    "hiv",
    "icd",
    "illness",
    "income",
    "medication",
    "orientation",
    "party",
    "religion",
    "salary",
    "score",
    "symptom",
    "treatment",
    "union",
    "wage",
];

/// Stems of such words in other languages.
pub(crate) const SENSITIVE_STEMS: &[&str] = &[
    "befund",
    "diagn",
    "einkommen",
    "enferm",
    "erkrank",
    "gehalt",
    "gesundheit",
    "ingreso",
    "krank",
    "lohn",
    "malad",
    "malatt",
    "medik",
    "sal\u{e1}r",
    "salair",
    "salar",
    "stipend",
    "symptom",
    "therap",
];

/// Whether the column name indicates identifiers or sensitive values. Messages never contain values of such a column, whatever its
/// role.
pub(crate) fn has_private_name(name: &str) -> bool {
    let words = split_words(name);
    let named = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let begins = |known: &&str| words.iter().any(|word| word.starts_with(known));
    named(PERSON_WORDS) || named(IDENTIFIER_WORDS) || named(SENSITIVE_WORDS) || SENSITIVE_STEMS.iter().any(begins)
}

/// Splits a name into lower-case words: `patientID`, `patient_id` and `Patient Id` give `patient` and `id`.
pub(crate) fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (character.is_uppercase() && after_lower) {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        after_lower = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}
