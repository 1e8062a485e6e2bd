//! Words in the names of columns that suggest what the columns contain.

/// Words in a column's name that speak of a person's identity.
pub(crate) const IDENTITY: &[&str] = &[
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

/// Words in a column's name that speak of the person a row is about.
pub(crate) const PEOPLE: &[&str] =
    &["citizen", "client", "customer", "employee", "id", "mrn", "patient", "person", "pupil", "ssn", "student"];

/// Words in a column's name that speak of what people keep to themselves.
pub(crate) const PRIVATE: &[&str] = &[
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

/// How such words begin in other languages.
pub(crate) const PRIVATE_STEMS: &[&str] = &[
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

/// Whether the values of a column never appear in a message, whatever its role: its name says that they identify people, or
/// that they are sensitive.
pub(crate) fn is_called_private(name: &str) -> bool {
    let words = words_of(name);
    let named = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let begins = |known: &&str| words.iter().any(|word| word.starts_with(known));
    named(PEOPLE) || named(IDENTITY) || named(PRIVATE) || PRIVATE_STEMS.iter().any(begins)
}

/// The words of a name: `patientID`, `patient_id` and `Patient Id` are patient and id.
pub(crate) fn words_of(name: &str) -> Vec<String> {
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
