//! What a reader of motion has passed over, as it means nothing here: counted, and said in one line.

use std::collections::BTreeMap;

/// So many things are named, the rest is counted.
const MOST: usize = 8;

/// What was passed over, and how often.
#[derive(Clone, Debug, Default)]
pub(super) struct Passed(BTreeMap<String, u64>);

impl Passed {
    /// Something is passed over.
    pub(super) fn note(&mut self, what: &str) {
        match self.0.get_mut(what) {
            Some(count) => *count += 1,
            None => drop(self.0.insert(what.to_owned(), 1)),
        }
    }

    /// All of it in a sentence; none if it is nothing.
    pub(super) fn words(&self, file: &str) -> Option<String> {
        let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
        let said = self.0.iter().map(|(what, &count)| format!("{what} ({})", times(count)));
        let mut all: Vec<String> = said.take(MOST).collect();
        if self.0.len() > MOST {
            all.push(format!("{} more", self.0.len() - MOST));
        }
        (!all.is_empty())
            .then(|| format!("{file}: passed over, as it means nothing here: {}", all.join(", ")))
    }
}
