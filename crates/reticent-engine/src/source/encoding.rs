//! Encodings of text files: detection, and conversion to UTF-8 while reading.

use std::io::{self, ErrorKind, Read};

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Number of bytes from which an encoding is detected.
pub(crate) const SAMPLE_BYTES: u64 = 1 << 20;

/// Returns the encoding with this name.
pub(crate) fn named(name: &str) -> Option<&'static Encoding> {
    Encoding::for_label(name.trim().as_bytes())
}

/// Returns the encoding of a text that starts with these bytes.
///
/// A byte order mark decides. A text whose characters beyond ASCII are UTF-8 is UTF-8, whatever is declared: in another
/// encoding, such sequences are nonsense. Then the declared encoding decides. Otherwise the text is UTF-16 if every
/// second byte of its start is zero, UTF-8 if most characters beyond ASCII are, or else Windows-1252, which includes
/// Latin-1.
pub(crate) fn detect(start: &[u8], declared: Option<&'static Encoding>) -> &'static Encoding {
    if let Some((marked, _)) = Encoding::for_bom(start) {
        return marked;
    }
    let (valid, invalid) = beyond_ascii(start);
    if valid > 0 && invalid == 0 {
        return UTF_8;
    }
    declared.unwrap_or_else(|| match zero_bytes(&start[..start.len().min(1024)]) {
        [true, false] => UTF_16BE,
        [false, true] => UTF_16LE,
        // A single damaged character is reported with its line.
        _ if invalid == 0 || valid > invalid => UTF_8,
        _ => WINDOWS_1252,
    })
}

/// Returns the number of characters beyond ASCII, and of sequences that are not UTF-8. The sample can end within a
/// character.
fn beyond_ascii(start: &[u8]) -> (usize, usize) {
    let (mut valid, mut invalid, mut read) = (0, 0, 0);
    for chunk in start.utf8_chunks() {
        valid += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        read += chunk.valid().len() + chunk.invalid().len();
        let is_cut = read == start.len() && start.len() as u64 == SAMPLE_BYTES;
        invalid += usize::from(!chunk.invalid().is_empty() && !is_cut);
    }
    (valid, invalid)
}

/// Whether most bytes at even positions are zero, and whether most at odd positions are.
fn zero_bytes(start: &[u8]) -> [bool; 2] {
    [0, 1].map(|first| {
        let (zeros, all) = start
            .iter()
            .skip(first)
            .step_by(2)
            .fold((0, 0), |(zeros, all), byte| (zeros + usize::from(*byte == 0), all + 1));
        all > 1 && zeros * 2 > all
    })
}

/// The text does not have this encoding.
#[derive(Debug, thiserror::Error)]
#[error(
    "the text is not {0}, or the file ends within a character; declare another encoding in the policy, under [source]"
)]
pub(crate) struct NotThisEncoding(&'static str);

/// A stream in UTF-8.
pub(crate) struct Utf8Reader<R> {
    stream: R,
    decoder: Decoder,
    name: &'static str,
    /// Bytes read and not yet converted: `input[start..end]`.
    input: Vec<u8>,
    start: usize,
    end: usize,
    /// Converted bytes that the caller has not taken.
    output: Vec<u8>,
    taken: usize,
    ended: bool,
}

impl<R: Read> Utf8Reader<R> {
    /// Converts a stream without a byte order mark.
    pub(crate) fn new(stream: R, encoding: &'static Encoding) -> Self {
        Utf8Reader {
            stream,
            decoder: encoding.new_decoder_without_bom_handling(),
            name: encoding.name(),
            input: vec![0; 1 << 16],
            start: 0,
            end: 0,
            output: Vec::new(),
            taken: 0,
            ended: false,
        }
    }

    /// Reads and converts more bytes.
    fn advance(&mut self) -> io::Result<()> {
        if self.start == self.end {
            (self.start, self.end) = (0, self.stream.read(&mut self.input)?);
            self.ended = self.end == 0;
        }
        let input = &self.input[self.start..self.end];
        let room = self.decoder.max_utf8_buffer_length_without_replacement(input.len()).unwrap_or(1 << 18);
        self.output.resize(room.max(16), 0);
        let (result, read, written) =
            self.decoder.decode_to_utf8_without_replacement(input, &mut self.output, self.ended);
        self.output.truncate(written);
        self.taken = 0;
        self.start += read;
        match result {
            DecoderResult::Malformed(..) => Err(io::Error::new(ErrorKind::InvalidData, NotThisEncoding(self.name))),
            DecoderResult::InputEmpty | DecoderResult::OutputFull => Ok(()),
        }
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.output.len() {
            if self.ended {
                return Ok(0);
            }
            self.advance()?;
        }
        let count = buffer.len().min(self.output.len() - self.taken);
        buffer[..count].copy_from_slice(&self.output[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::{SAMPLE_BYTES, Utf8Reader, detect, named};

    /// A stream that returns one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.0.len().min(buffer.len()).min(1);
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn utf16(text: &str, big: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    fn decoded(bytes: &[u8], name: &str) -> std::io::Result<String> {
        let mut text = String::new();
        Utf8Reader::new(Slow(bytes), named(name).expect(name)).read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn encodings_are_detected() {
        let cases: [(&[u8], &str); 7] = [
            (b"name,age\n", "UTF-8"),
            ("Zo\u{eb}\n".as_bytes(), "UTF-8"),
            (b"Zo\xeb\n", "windows-1252"),
            (b"\xef\xbb\xbfname\n", "UTF-8"),
            (b"\xff\xfen\0a\0", "UTF-16LE"),
            (&utf16("name,age\n\u{4e2d}", true), "UTF-16BE"),
            (&utf16("name,age\n", false), "UTF-16LE"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(detect(bytes, None).name(), expected, "{bytes:?}");
        }
        assert_eq!(detect(b"Zo\xeb\n", named("latin2")).name(), "ISO-8859-2");
        // Next month's file is UTF-8, whatever the policy declares.
        assert_eq!(detect("Zo\u{eb}\n".as_bytes(), named("latin2")).name(), "UTF-8");
        // One damaged character does not change the others.
        assert_eq!(
            detect(
                "Zo\u{eb}, K\u{f6}ln\n".as_bytes().iter().chain(b"\xa0").copied().collect::<Vec<u8>>().as_slice(),
                None
            )
            .name(),
            "UTF-8"
        );
        assert_eq!(detect(b"\xef\xbb\xbfname\n", named("latin1")).name(), "UTF-8");
    }

    #[test]
    fn a_sample_can_end_within_a_character() {
        let mut sample = vec![b'a'; SAMPLE_BYTES as usize - 1];
        sample.push(0xc3);
        assert_eq!(detect(&sample, None).name(), "UTF-8");
        assert_eq!(detect(b"a\xc3", None).name(), "windows-1252");
    }

    #[test]
    fn texts_are_converted_byte_by_byte() {
        let text = "Zo\u{eb}, 5 \u{20ac}\n\u{1f600}";
        assert_eq!(decoded(&utf16(text, false), "utf-16le").ok().as_deref(), Some(text));
        assert_eq!(decoded(&utf16(text, true), "utf-16be").ok().as_deref(), Some(text));
        assert_eq!(decoded(b"Zo\xeb, 5 \x80", "windows-1252").ok().as_deref(), Some("Zo\u{eb}, 5 \u{20ac}"));
        assert_eq!(decoded(b"", "utf-16le").ok().as_deref(), Some(""));
    }

    #[test]
    fn malformed_texts_are_errors() {
        let mut cut = utf16("name", false);
        cut.pop();
        assert!(decoded(&cut, "utf-16le").is_err());
        assert!(decoded(&[0x00, 0xd8, b'a', 0], "utf-16le").is_err());
    }
}
