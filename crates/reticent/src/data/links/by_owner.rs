//! Sorted map from owners to values, extended by one merge pass per release.

use super::Pseudonym;

/// Map from owners to values, sorted by owner.
#[derive(Clone, PartialEq)]
pub struct ByOwner<T> {
    owners: Vec<Pseudonym>,
    values: Vec<T>,
}

impl<T> Default for ByOwner<T> {
    fn default() -> Self {
        ByOwner { owners: Vec::new(), values: Vec::new() }
    }
}

impl<T: Copy> ByOwner<T> {
    /// Adds values of owners in ascending order. `merge` combines the values of an owner that is already present.
    pub fn add(&mut self, added: impl IntoIterator<Item = (Pseudonym, T)>, mut merge: impl FnMut(T, T) -> T) {
        let ByOwner { owners, values } = std::mem::take(self);
        self.owners.reserve(owners.len());
        self.values.reserve(owners.len());
        let mut at = 0;
        for (owner, value) in added {
            let from = at;
            at += owners[from..].iter().take_while(|before| **before < owner).count();
            self.owners.extend_from_slice(&owners[from..at]);
            self.values.extend_from_slice(&values[from..at]);
            if self.owners.last() == Some(&owner) {
                // A further value of the same owner.
                if let Some(last) = self.values.last_mut() {
                    *last = merge(*last, value);
                }
                continue;
            }
            let there = owners.get(at) == Some(&owner);
            self.owners.push(owner);
            self.values.push(if there { merge(values[at], value) } else { value });
            at += usize::from(there);
        }
        self.owners.extend_from_slice(&owners[at..]);
        self.values.extend_from_slice(&values[at..]);
    }

    /// Value of an owner.
    pub fn get(&self, owner: Pseudonym) -> Option<T> {
        self.owners.binary_search(&owner).ok().map(|at| self.values[at])
    }

    /// Values of the given owners, which must be in ascending order.
    pub(crate) fn get_sorted(&self, owners: impl IntoIterator<Item = Pseudonym>) -> Vec<Option<T>> {
        let mut at = 0;
        let value = |owner: Pseudonym| {
            at += self.owners[at..].iter().take_while(|before| **before < owner).count();
            (self.owners.get(at) == Some(&owner)).then(|| self.values[at])
        };
        owners.into_iter().map(value).collect()
    }

    /// Values in ascending order of their owners.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Number of owners.
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Returns true if the map has no owners.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }
}

/// Accepts pairs in any order. The last value of an owner wins.
impl<T: Copy> FromIterator<(Pseudonym, T)> for ByOwner<T> {
    fn from_iter<I: IntoIterator<Item = (Pseudonym, T)>>(all: I) -> Self {
        let mut all: Vec<(Pseudonym, T)> = all.into_iter().collect();
        all.sort_by_key(|(owner, _)| *owner);
        let mut map = ByOwner::default();
        map.add(all, |_, last| last);
        map
    }
}

/// Prints the number of owners only.
impl<T> std::fmt::Debug for ByOwner<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ByOwner({})", self.owners.len())
    }
}
