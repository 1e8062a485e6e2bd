//! Sets of codes: small sets as a list, large sets as a bitmap.

/// A set of codes of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CodeSet {
    /// Ascending list of codes.
    Few(Box<[u32]>),
    /// Bitmap with one bit per code.
    Many(Box<[u64]>),
}

impl CodeSet {
    /// Set of `codes` (ascending), of a column with `len` codes.
    pub(crate) fn new(codes: &[u32], len: usize) -> CodeSet {
        if codes.len() * 32 < len {
            return CodeSet::Few(codes.into());
        }
        let mut bits = vec![0u64; len.div_ceil(64)];
        codes.iter().for_each(|code| bits[*code as usize / 64] |= 1 << (code % 64));
        CodeSet::Many(bits.into())
    }

    /// Set of all codes of a column with `len` codes.
    pub(crate) fn all(len: usize) -> CodeSet {
        CodeSet::Many(vec![u64::MAX; len.div_ceil(64)].into())
    }

    /// Returns true if the set contains a code.
    #[inline]
    pub(crate) fn contains(&self, code: u32) -> bool {
        match self {
            CodeSet::Few(codes) => codes.binary_search(&code).is_ok(),
            CodeSet::Many(bits) => bits[code as usize / 64] >> (code % 64) & 1 == 1,
        }
    }

    /// Codes of the set below `len`, ascending.
    pub(crate) fn codes(&self, len: usize) -> Vec<u32> {
        match self {
            CodeSet::Few(codes) => codes.to_vec(),
            CodeSet::Many(_) => (0..len as u32).filter(|code| self.contains(*code)).collect(),
        }
    }

    /// Removes the codes marked in `removed`.
    pub(crate) fn without(&self, removed: &[bool]) -> CodeSet {
        let kept: Vec<u32> = self.codes(removed.len()).into_iter().filter(|code| !removed[*code as usize]).collect();
        CodeSet::new(&kept, removed.len())
    }
}
