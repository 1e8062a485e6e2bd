//! The Merkle tree over the entries, as in RFC 6962 (Certificate Transparency).
//!
//! A leaf is SHA-256(0x00 ‖ document), an inner node is SHA-256(0x01 ‖ left ‖ right). A tree of n leaves splits at
//! the largest power of two below n. The root commits to every document and its position. An inclusion proof shows
//! that a document is in a tree. A consistency proof shows that a tree extends a smaller one. Both have about log2(n)
//! hashes and are checked without the ledger.

use crate::hash::Hash;

/// Returns the hash of a document as a leaf.
pub fn leaf(document: &[u8]) -> Hash {
    Hash::digest_parts(&[&[0], document])
}

fn node(left: Hash, right: Hash) -> Hash {
    Hash::digest_parts(&[&[1], left.bytes(), right.bytes()])
}

/// Roots of the complete subtrees of a growing tree, largest first. They suffice to append a leaf and to compute the
/// root.
#[derive(Debug, Clone, Default)]
pub struct Frontier {
    size: u64,
    subtrees: Vec<Hash>,
}

impl Frontier {
    /// Appends a leaf.
    pub fn push(&mut self, leaf: Hash) {
        let mut subtree = leaf;
        // Every trailing one bit of the size is a complete subtree as large as the new one.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.subtrees.pop() {
                subtree = node(left, subtree);
            }
        }
        self.subtrees.push(subtree);
        self.size += 1;
    }

    /// Returns the root. The root of an empty tree is the hash of the empty string.
    pub fn root(&self) -> Hash {
        let joined = self.subtrees.iter().rev().copied().reduce(|right, left| node(left, right));
        joined.unwrap_or_else(|| Hash::digest(b""))
    }
}

/// Returns the root of the tree with these leaves.
pub fn root(leaves: &[Hash]) -> Hash {
    let mut frontier = Frontier::default();
    leaves.iter().for_each(|leaf| frontier.push(*leaf));
    frontier.root()
}

/// Returns the largest power of two below `size`, which is at least 2.
fn split(size: u64) -> u64 {
    1 << (u64::BITS - 1 - (size - 1).leading_zeros())
}

/// Returns the inclusion proof of the leaf at an index, from the leaf upwards.
pub fn inclusion(leaves: &[Hash], index: u64) -> Vec<Hash> {
    let size = leaves.len() as u64;
    if size < 2 || index >= size {
        return Vec::new();
    }
    let (left, right) = leaves.split_at(split(size) as usize);
    let (inside, at, sibling) =
        if index < split(size) { (left, index, right) } else { (right, index - split(size), left) };
    let mut path = inclusion(inside, at);
    path.push(root(sibling));
    path
}

/// Returns the consistency proof between the tree of the first `old` leaves and the tree of all leaves.
pub fn consistency(leaves: &[Hash], old: u64) -> Vec<Hash> {
    if old == 0 || old >= leaves.len() as u64 {
        return Vec::new();
    }
    sub_proof(leaves, old, true)
}

/// Returns a part of a consistency proof. `whole` is true if the verifier knows the root of the first `old` leaves.
fn sub_proof(leaves: &[Hash], old: u64, whole: bool) -> Vec<Hash> {
    let size = leaves.len() as u64;
    if old == size {
        return if whole { Vec::new() } else { vec![root(leaves)] };
    }
    let (left, right) = leaves.split_at(split(size) as usize);
    let (mut path, sibling) = match old <= split(size) {
        true => (sub_proof(left, old, whole), right),
        false => (sub_proof(right, old - split(size), false), left),
    };
    path.push(root(sibling));
    path
}

/// Returns true if the proof shows that the leaf has this index in the tree with this size and root.
pub fn is_included(leaf: Hash, index: u64, size: u64, path: &[Hash], root: Hash) -> bool {
    fn climb(leaf: Hash, index: u64, size: u64, path: &[Hash]) -> Option<Hash> {
        let Some((sibling, below)) = path.split_last() else { return (size == 1).then_some(leaf) };
        if size < 2 {
            return None;
        }
        let half = split(size);
        match index < half {
            true => Some(node(climb(leaf, index, half, below)?, *sibling)),
            false => Some(node(*sibling, climb(leaf, index - half, size - half, below)?)),
        }
    }
    index < size && climb(leaf, index, size, path) == Some(root)
}

/// Returns true if the proof shows that the tree `new` extends the tree `old`. A tree is a pair of size and root.
pub fn is_extension(old: (u64, Hash), new: (u64, Hash), path: &[Hash]) -> bool {
    /// Returns the roots of the old and the new tree, restricted to this subtree.
    fn climb(old: u64, size: u64, whole: Option<Hash>, path: &[Hash]) -> Option<(Hash, Hash)> {
        if old == size {
            return match (whole, path) {
                (Some(known), []) => Some((known, known)),
                (None, [given]) => Some((*given, *given)),
                _ => None,
            };
        }
        let (sibling, below) = path.split_last()?;
        let half = split(size);
        if old <= half {
            let (before, after) = climb(old, half, whole, below)?;
            return Some((before, node(after, *sibling)));
        }
        let (before, after) = climb(old - half, size - half, None, below)?;
        Some((node(*sibling, before), node(*sibling, after)))
    }
    if old.0 == 0 || old.0 >= new.0 {
        return path.is_empty() && (old.0 == 0 && old.1 == Hash::digest(b"") || old == new);
    }
    climb(old.0, new.0, Some(old.1), path) == Some((old.1, new.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test data of the reference implementation of RFC 6962, and its published roots for 1 to 8 leaves.
    const LEAVES: [&[u8]; 8] = [
        b"",
        b"\x00",
        b"\x10",
        b"\x20\x21",
        b"\x30\x31",
        b"\x40\x41\x42\x43",
        b"\x50\x51\x52\x53\x54\x55\x56\x57",
        b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
    ];
    const ROOTS: [&str; 8] = [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];

    fn leaves() -> Vec<Hash> {
        LEAVES.iter().map(|document| leaf(document)).collect()
    }

    /// Computes the root by the definition of the RFC.
    fn defined(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => Hash::digest(b""),
            [one] => *one,
            more => {
                let mut half = 1;
                while half * 2 < more.len() {
                    half *= 2;
                }
                node(defined(&more[..half]), defined(&more[half..]))
            }
        }
    }

    #[test]
    fn roots_are_those_of_the_reference_implementation() {
        for (size, expected) in (1..).zip(ROOTS) {
            assert_eq!(root(&leaves()[..size]).to_string(), expected, "{size} leaves");
        }
        assert_eq!(root(&[]), Hash::digest(b""));
    }

    #[test]
    fn every_leaf_of_every_tree_has_a_proof_and_no_other_passes() {
        let all: Vec<Hash> = (0..40u8).map(|at| leaf(&[at])).collect();
        for size in 1..=all.len() {
            let tree = &all[..size];
            let (size, top) = (size as u64, defined(tree));
            assert_eq!(root(tree), top);
            for index in 0..size {
                let path = inclusion(tree, index);
                assert!(is_included(tree[index as usize], index, size, &path, top));
                assert!(!is_included(leaf(b"another"), index, size, &path, top));
                assert!(!is_included(tree[index as usize], (index + 1) % size, size, &path, top) || size == 1);
                assert!(!is_included(tree[index as usize], index, size, &path, leaf(b"another")));
                let mut longer = path.clone();
                longer.push(top);
                assert!(!is_included(tree[index as usize], index, size, &longer, top));
                assert!(path.is_empty() || !is_included(tree[index as usize], index, size, &path[1..], top));
            }
        }
    }

    #[test]
    fn a_tree_proves_that_it_extends_every_smaller_one_and_no_other() {
        let all: Vec<Hash> = (0..40u8).map(|at| leaf(&[at])).collect();
        for size in 1..=all.len() {
            let new = (size as u64, defined(&all[..size]));
            for old in 0..=size {
                let before = (old as u64, defined(&all[..old]));
                let path = consistency(&all[..size], old as u64);
                assert!(is_extension(before, new, &path), "{old} to {size}");
                let mut rewritten = all[..size].to_vec();
                rewritten[old.saturating_sub(1)] = leaf(b"another");
                let forged = (size as u64, defined(&rewritten));
                let path = consistency(&rewritten, old as u64);
                assert!(old == 0 || !is_extension(before, forged, &path), "{old} to {size}, rewritten");
            }
            assert!(!is_extension((size as u64 + 1, new.1), new, &[]), "a tree does not shrink");
        }
    }
}
