//! Something about owners, ascending by owner: added to release by release in one pass each.

use super::Pseudonym;

/// What is known of owners, each once.
#[derive(Clone, PartialEq)]
pub struct ByOwner<T> {
    who: Vec<Pseudonym>,
    known: Vec<T>,
}

impl<T> Default for ByOwner<T> {
    fn default() -> Self {
        ByOwner { who: Vec::new(), known: Vec::new() }
    }
}

impl<T: Copy> ByOwner<T> {
    /// Adds what is known of owners who ascend. Of who is there already, `both` makes one of what was known and what is added.
    pub fn add(&mut self, added: impl IntoIterator<Item = (Pseudonym, T)>, mut both: impl FnMut(T, T) -> T) {
        let ByOwner { who, known } = std::mem::take(self);
        self.who.reserve(who.len());
        self.known.reserve(who.len());
        let mut at = 0;
        for (owner, one) in added {
            let from = at;
            at += who[from..].iter().take_while(|before| **before < owner).count();
            self.who.extend_from_slice(&who[from..at]);
            self.known.extend_from_slice(&known[from..at]);
            if self.who.last() == Some(&owner) {
                // Several about one owner, one after the other.
                if let Some(last) = self.known.last_mut() {
                    *last = both(*last, one);
                }
                continue;
            }
            let there = who.get(at) == Some(&owner);
            self.who.push(owner);
            self.known.push(if there { both(known[at], one) } else { one });
            at += usize::from(there);
        }
        self.who.extend_from_slice(&who[at..]);
        self.known.extend_from_slice(&known[at..]);
    }

    /// What is known of an owner.
    pub fn get(&self, who: Pseudonym) -> Option<T> {
        self.who.binary_search(&who).ok().map(|at| self.known[at])
    }

    /// What is known of each of these, who ascend.
    pub(crate) fn of_each(&self, who: impl IntoIterator<Item = Pseudonym>) -> Vec<Option<T>> {
        let mut at = 0;
        let known = |owner: Pseudonym| {
            at += self.who[at..].iter().take_while(|before| **before < owner).count();
            (self.who.get(at) == Some(&owner)).then(|| self.known[at])
        };
        who.into_iter().map(known).collect()
    }

    /// What is known, owner by owner.
    pub fn values(&self) -> &[T] {
        &self.known
    }

    /// How many owners.
    pub fn len(&self) -> usize {
        self.who.len()
    }

    /// True when nothing is known of anybody.
    pub fn is_empty(&self) -> bool {
        self.who.is_empty()
    }
}

/// In any order; of several about one owner, the last.
impl<T: Copy> FromIterator<(Pseudonym, T)> for ByOwner<T> {
    fn from_iter<I: IntoIterator<Item = (Pseudonym, T)>>(all: I) -> Self {
        let mut all: Vec<(Pseudonym, T)> = all.into_iter().collect();
        all.sort_by_key(|(who, _)| *who);
        let mut of = ByOwner::default();
        of.add(all, |_, last| last);
        of
    }
}

/// How many there are, and nothing of who they are.
impl<T> std::fmt::Debug for ByOwner<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ByOwner({})", self.who.len())
    }
}
