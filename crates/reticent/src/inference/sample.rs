//! Sampling worlds where they cannot be counted.

use super::pieces::Piece;

/// A probability estimated from samples.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Sampled {
    /// The estimate.
    pub share: f64,
    /// Its standard error, as far as the samples show it.
    pub error: f64,
}

impl Sampled {
    pub(super) fn scaled(self, by: f64) -> Sampled {
        Sampled { share: self.share * by, error: self.error * by }
    }
}

/// What was sampled of one piece.
#[derive(Debug, Clone)]
pub(super) struct Samples {
    shares: Vec<Vec<Sampled>>,
}

impl Samples {
    pub(super) fn share(&self, crowd: usize, cell: usize) -> Sampled {
        self.shares[crowd][cell]
    }
}

pub(super) fn sample(_piece: &Piece, _samples: u32, _seed: u64) -> Option<Samples> {
    None
}
