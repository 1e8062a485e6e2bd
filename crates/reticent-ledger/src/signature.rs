//! Ed25519 keys and signed notes, in the formats of transparency logs.
//!
//! A signed note is a text, an empty line and one line for each signature (<https://c2sp.org/signed-note>). Heads of
//! the ledger are signed notes (<https://c2sp.org/tlog-checkpoint>), and so are countersigned heads
//! (<https://c2sp.org/tlog-cosignature>). Every tool that supports these formats can verify and countersign the heads
//! of Reticent.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use crate::hash::{Hash, decode, encode};

/// Start of a signature line: an em dash and a space.
const DASH: &str = "\u{2014} ";

/// Content that a key signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Algorithm {
    /// Text of a note.
    Ed25519,
    /// Text of a note and a time: the countersignature of a witness.
    Cosignature,
}

impl Algorithm {
    /// Returns the number of the algorithm in these formats.
    fn number(self) -> u8 {
        match self {
            Algorithm::Ed25519 => 1,
            Algorithm::Cosignature => 4,
        }
    }
}

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verifier {
    name: String,
    algorithm: Algorithm,
    key: VerifyingKey,
}

/// Writes the key as `name+id+key`.
impl fmt::Display for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}+{}", self.name, encode(&self.id()), BASE64_STANDARD.encode(self.encoded()))
    }
}

impl Verifier {
    /// Parses a public key; returns none if the text is not one.
    pub fn parse(text: &str) -> Option<Verifier> {
        let mut parts = text.trim().splitn(3, '+');
        let (name, id, key) = (parts.next()?, parts.next()?, BASE64_STANDARD.decode(parts.next()?).ok()?);
        let (number, key) = key.split_first()?;
        let algorithm =
            [Algorithm::Ed25519, Algorithm::Cosignature].into_iter().find(|known| known.number() == *number)?;
        let key = VerifyingKey::from_bytes(key.try_into().ok()?).ok()?;
        let verifier = Verifier { name: name.to_owned(), algorithm, key };
        let mut given = [0; 4];
        decode(id, &mut given)?;
        (is_name(name) && given == verifier.id()).then_some(verifier)
    }

    /// Returns the name of the key.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if it is the key of a witness.
    pub(crate) fn is_witness(&self) -> bool {
        self.algorithm == Algorithm::Cosignature
    }

    /// Returns the number of the algorithm, followed by the key.
    fn encoded(&self) -> Vec<u8> {
        let mut bytes = vec![self.algorithm.number()];
        bytes.extend(self.key.as_bytes());
        bytes
    }

    /// Returns the short id of the key, which is part of every signature line.
    fn id(&self) -> [u8; 4] {
        let hash = Hash::digest_parts(&[self.name.as_bytes(), b"\n", &self.encoded()]);
        let [a, b, c, d, ..] = *hash.bytes();
        [a, b, c, d]
    }

    /// Returns true if this key signed the text.
    pub(crate) fn accepts(&self, text: &str, signature: &str) -> bool {
        let bytes = BASE64_STANDARD.decode(signature).ok().and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
        bytes.is_some_and(|bytes| self.accepts_bytes(text.as_bytes(), &bytes))
    }

    fn accepts_bytes(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        // Strict verification: a signature is valid for one key and one message only.
        self.key.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }
}

/// Returns true if the name is not empty and has no spaces and no plus signs.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || letter.is_control() || letter == '+')
}

/// A private key. Its bytes are overwritten on drop.
#[derive(Clone)]
pub(crate) struct Signer {
    name: String,
    algorithm: Algorithm,
    key: SigningKey,
}

impl Signer {
    pub(crate) fn new(name: String, algorithm: Algorithm, seed: &[u8; 32]) -> Signer {
        Signer { name, algorithm, key: SigningKey::from_bytes(seed) }
    }

    /// Returns the public key.
    pub(crate) fn verifier(&self) -> Verifier {
        Verifier { name: self.name.clone(), algorithm: self.algorithm, key: self.key.verifying_key() }
    }

    /// Signs a text.
    pub(crate) fn sign(&self, text: &str) -> String {
        BASE64_STANDARD.encode(self.key.sign(text.as_bytes()).to_bytes())
    }

    /// Returns the signature line of a note. A countersignature contains the time.
    fn signature_line(&self, text: &str, seconds: u64) -> String {
        let mut bytes = self.verifier().id().to_vec();
        match self.algorithm {
            Algorithm::Ed25519 => bytes.extend(self.key.sign(text.as_bytes()).to_bytes()),
            Algorithm::Cosignature => {
                bytes.extend(seconds.to_be_bytes());
                bytes.extend(self.key.sign(cosignature_text(text, seconds).as_bytes()).to_bytes());
            }
        }
        format!("{DASH}{} {}\n", self.name, BASE64_STANDARD.encode(bytes))
    }
}

/// Returns the text that a witness signs.
fn cosignature_text(text: &str, seconds: u64) -> String {
    format!("cosignature/v1\ntime {seconds}\n{text}")
}

/// A text with signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    /// Text; every line ends with a line feed.
    pub text: String,
    /// Name of the key and signature bytes, which start with the id of the key.
    signatures: Vec<(String, Vec<u8>)>,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures
            .iter()
            .try_for_each(|(name, bytes)| writeln!(f, "{DASH}{name} {}", BASE64_STANDARD.encode(bytes)))
    }
}

impl Note {
    /// Creates a note without signatures.
    pub(crate) fn new(text: String) -> Note {
        Note { text, signatures: Vec::new() }
    }

    /// Parses a note; returns none if the text is not one.
    pub(crate) fn parse(note: &str) -> Option<Note> {
        let cut = note.rfind("\n\n")?;
        let (text, lines) = (&note[..=cut], &note[cut + 2..]);
        let signature = |line: &str| {
            let (name, bytes) = line.strip_prefix(DASH)?.split_once(' ')?;
            let bytes = BASE64_STANDARD.decode(bytes).ok().filter(|bytes| bytes.len() > 4)?;
            is_name(name).then(|| (name.to_owned(), bytes))
        };
        let signatures = lines.lines().map(signature).collect::<Option<Vec<_>>>()?;
        (lines.is_empty() || lines.ends_with('\n')).then(|| Note { text: text.to_owned(), signatures })
    }

    /// Adds a signature. It replaces an earlier signature of the same key.
    pub(crate) fn sign(&mut self, signer: &Signer, seconds: u64) {
        let line = signer.signature_line(&self.text, seconds);
        let bytes = line.trim_end().rsplit(' ').next().and_then(|bytes| BASE64_STANDARD.decode(bytes).ok());
        let id = signer.verifier().id();
        self.signatures.retain(|(name, bytes)| *name != signer.name || !bytes.starts_with(&id));
        self.signatures.extend(bytes.map(|bytes| (signer.name.clone(), bytes)));
    }

    /// Returns true if there is a signature.
    pub(crate) fn is_signed(&self) -> bool {
        !self.signatures.is_empty()
    }

    /// Returns the names of the keys that signed.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.signatures.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the time of a valid signature in seconds since 1970-01-01T00:00:00Z; 0 if the algorithm has no time.
    /// Returns none if the key did not sign this text.
    pub(crate) fn signed_by(&self, verifier: &Verifier) -> Option<u64> {
        let id = verifier.id();
        let of_key = |(name, bytes): &&(String, Vec<u8>)| *name == verifier.name && bytes.starts_with(&id);
        self.signatures.iter().filter(of_key).find_map(|(_, bytes)| match verifier.algorithm {
            Algorithm::Ed25519 => {
                let signature = <&[u8; 64]>::try_from(&bytes[4..]).ok()?;
                verifier.accepts_bytes(self.text.as_bytes(), signature).then_some(0)
            }
            Algorithm::Cosignature => {
                let (time, signature) = bytes[4..].split_first_chunk::<8>()?;
                let seconds = u64::from_be_bytes(*time);
                let message = cosignature_text(&self.text, seconds);
                verifier.accepts_bytes(message.as_bytes(), signature.try_into().ok()?).then_some(seconds)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Key of the example in the documentation of Go's `golang.org/x/mod/sumdb/note`.
    const PETER: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const SIGNED: &str = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n\
                          \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

    #[test]
    fn a_note_of_another_implementation_is_read_and_checked() {
        let verifier = Verifier::parse(PETER).unwrap();
        assert_eq!(verifier.to_string(), PETER);
        let note = Note::parse(SIGNED).unwrap();
        assert_eq!(note.to_string(), SIGNED);
        assert_eq!(note.signed_by(&verifier), Some(0));
        let changed = Note::parse(&SIGNED.replace("answer", "end")).unwrap();
        assert_eq!(changed.signed_by(&verifier), None);
    }

    /// Key pair and signature of test 2 in RFC 8032, section 7.1.
    #[test]
    fn signatures_are_those_of_rfc_8032() {
        let mut seed = [0; 32];
        decode("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", &mut seed).unwrap();
        let signer = Signer::new("test".to_owned(), Algorithm::Ed25519, &seed);
        let key = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
        assert_eq!(encode(signer.verifier().key.as_bytes()), key);
        let signature = BASE64_STANDARD.decode(signer.sign("r")).unwrap();
        let expected = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
                        085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
        assert_eq!(encode(&signature), expected);
        assert!(signer.verifier().accepts("r", &signer.sign("r")));
        assert!(!signer.verifier().accepts("s", &signer.sign("r")));
    }

    #[test]
    fn a_countersignature_has_a_time_and_is_valid_for_its_text_only() {
        let witness = Signer::new("auditor".to_owned(), Algorithm::Cosignature, &[7; 32]);
        let mut note = Note::new("a\n1\nb\n".to_owned());
        note.sign(&witness, 5);
        note.sign(&witness, 6);
        let read = Note::parse(&note.to_string()).unwrap();
        assert_eq!(read, note);
        assert_eq!(read.signed_by(&witness.verifier()), Some(6));
        assert_eq!(read.names().count(), 1, "the same key signs once");
        assert_eq!(Verifier::parse(&witness.verifier().to_string()), Some(witness.verifier()));
        let other = Signer::new("auditor".to_owned(), Algorithm::Cosignature, &[8; 32]);
        assert_eq!(read.signed_by(&other.verifier()), None);
    }
}
