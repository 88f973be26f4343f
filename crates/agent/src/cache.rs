//! Solved subgames, kept for later decisions of the same hand.

use std::sync::{Arc, Mutex};

use crate::search::Searched;

/// What a solved subgame depends on, as numbers.
pub(crate) type Key = Vec<u64>;

/// The last used subgames, up to a number of bytes.
#[derive(Debug)]
pub(crate) struct Cache<T = Searched> {
    limit: u64,
    /// The last used last.
    kept: Mutex<Vec<(Key, Arc<T>, u64)>>,
}

impl<T> Cache<T> {
    pub(crate) fn new(limit: u64) -> Cache<T> {
        Cache { limit, kept: Mutex::new(Vec::new()) }
    }

    /// A subgame that was solved before.
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<T>> {
        let mut kept = self.kept.lock().expect("no thread panics with the lock");
        let place = kept.iter().rposition(|(known, ..)| known == key)?;
        let entry = kept.remove(place);
        let found = entry.1.clone();
        kept.push(entry);
        Some(found)
    }

    /// Keeps a subgame, and forgets the longest unused ones if they take too much memory.
    pub(crate) fn insert(&self, key: Key, solved: Arc<T>, bytes: u64) {
        let mut kept = self.kept.lock().expect("no thread panics with the lock");
        kept.retain(|(known, ..)| *known != key);
        kept.push((key, solved, bytes));
        let mut total: u64 = kept.iter().map(|(.., bytes)| bytes).sum();
        while total > self.limit && kept.len() > 1 {
            total -= kept.remove(0).2;
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        self.kept.lock().expect("no thread panics with the lock").clear();
    }
}
