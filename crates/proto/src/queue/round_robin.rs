//! Whose turn it is: first come first served, or deficit round robin.
//!
//! Deficit round robin: Shreedhar and Varghese, SIGCOMM 1995, section 3. A class on its turn may send as many
//! bytes as its deficit counter holds; the counter grows by one quantum a turn and is lost when the class
//! falls empty. With one class both services are the same.

use std::collections::VecDeque;

use super::classes::ClassTable;
use super::turns::Turns;
use crate::units::{Bytes, NodeId};

/// The order of service over the backlogged classes.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    quantum: Bytes,
    /// Backlogged classes, the one on turn first.
    active: VecDeque<usize>,
    deficit: Vec<u64>,
    /// Whether the first of `active` has had its quantum for this turn.
    open: bool,
    /// Turns that ended with another class waiting.
    turns: u64,
}

impl RoundRobin {
    /// A service that gives each class `quantum` bytes a turn.
    #[must_use]
    pub const fn new(quantum: Bytes) -> Self {
        Self { quantum, active: VecDeque::new(), deficit: Vec::new(), open: false, turns: 0 }
    }
}

impl Turns for RoundRobin {
    fn activate(&mut self, class: usize, _to: NodeId) {
        if self.deficit.len() <= class {
            self.deficit.resize(class + 1, 0);
        }
        self.active.push_back(class);
    }

    #[inline]
    fn next(&mut self, classes: &ClassTable) -> Option<usize> {
        if let [only] = *self.active.make_contiguous() {
            // Alone in the round: turns follow each other until the deficit suffices.
            let size = u64::from(classes.head(only)?.size.0);
            while self.deficit[only] < size {
                self.deficit[only] += u64::from(self.quantum.0);
            }
            self.open = true;
            return Some(only);
        }
        loop {
            let class = *self.active.front()?;
            let size = u64::from(classes.head(class)?.size.0);
            // A turn opens with what the class lacks; a failed turn has left its quantum unspent.
            if !self.open && self.deficit[class] < size {
                self.deficit[class] += u64::from(self.quantum.0);
            }
            self.open = true;
            if size <= self.deficit[class] {
                return Some(class);
            }
            self.rotate(class);
        }
    }

    #[inline]
    fn charge(&mut self, class: usize, size: Bytes, emptied: bool) {
        self.deficit[class] = self.deficit[class].saturating_sub(u64::from(size.0));
        if emptied {
            self.retire(class);
        }
    }

    fn retire(&mut self, class: usize) {
        if let Some(position) = self.active.iter().position(|&active| active == class) {
            self.active.remove(position);
            self.deficit[class] = 0;
            if position == 0 {
                self.turns += u64::from(self.open && !self.active.is_empty());
                self.open = false;
            }
        }
    }

    fn partner(&mut self, classes: &ClassTable, taken: &dyn Fn(usize) -> bool) -> Option<usize> {
        let class = self.active.iter().copied().find(|&class| !taken(class))?;
        let size = u64::from(classes.head(class)?.size.0);
        while self.deficit[class] < size {
            self.deficit[class] += u64::from(self.quantum.0);
        }
        Some(class)
    }

    fn rotate(&mut self, class: usize) {
        self.turns += u64::from(self.active.len() > 1);
        if let Some(position) = self.active.iter().position(|&active| active == class) {
            self.active.remove(position);
            self.active.push_back(class);
            self.open &= position > 0;
        }
    }

    fn refund(&mut self, class: usize, size: Bytes) {
        if self.active.contains(&class) {
            self.rotate(class);
        } else {
            self.active.push_back(class);
        }
        self.deficit[class] += u64::from(size.0);
    }

    fn clear(&mut self) {
        self.active.clear();
        self.deficit.fill(0);
        self.open = false;
    }

    fn turns(&self) -> u64 {
        self.turns
    }
}
