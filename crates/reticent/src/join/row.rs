//! Sets of codes: few of them as a list, many as bits.

/// Some of the codes of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Row {
    /// Ascending.
    Few(Box<[u32]>),
    /// One bit a code.
    Many(Box<[u64]>),
}

impl Row {
    /// These codes, ascending, of so many.
    pub(crate) fn of(codes: &[u32], len: usize) -> Row {
        if codes.len() * 32 < len {
            return Row::Few(codes.into());
        }
        let mut bits = vec![0u64; len.div_ceil(64)];
        codes.iter().for_each(|code| bits[*code as usize / 64] |= 1 << (code % 64));
        Row::Many(bits.into())
    }

    /// Every code of so many.
    pub(crate) fn all(len: usize) -> Row {
        Row::Many(vec![u64::MAX; len.div_ceil(64)].into())
    }

    /// Whether a code is one of them.
    #[inline]
    pub(crate) fn has(&self, code: u32) -> bool {
        match self {
            Row::Few(codes) => codes.binary_search(&code).is_ok(),
            Row::Many(bits) => bits[code as usize / 64] >> (code % 64) & 1 == 1,
        }
    }

    /// The codes below `len`, ascending.
    pub(crate) fn codes(&self, len: usize) -> Vec<u32> {
        match self {
            Row::Few(codes) => codes.to_vec(),
            Row::Many(_) => (0..len as u32).filter(|code| self.has(*code)).collect(),
        }
    }

    /// Without the codes for which `gone` says so.
    pub(crate) fn without(&self, gone: &[bool]) -> Row {
        let kept: Vec<u32> = self.codes(gone.len()).into_iter().filter(|code| !gone[*code as usize]).collect();
        Row::of(&kept, gone.len())
    }
}
