//! Flow queueing: classes take turns by bytes, and a class that has had nothing to send goes first.
//!
//! RFC 8290 §4: a class with credit sends; each packet takes its length of the credit. Without credit the class gets
//! one quantum and goes behind the others. A class that begins to wait stands in the list of new classes, which is
//! served before the list of old ones. When a new class falls empty it goes behind the old ones once, so that it cannot
//! keep them from their turn by falling empty again and again.

use std::collections::VecDeque;

use super::classes::ClassTable;
use super::turns::Turns;
use crate::units::{Bytes, NodeId};

/// In which list a class stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Nowhere,
    New,
    Old,
}

/// What is known of a class.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    place: Place,
    /// Bytes that it may send before its turn ends.
    credit: i64,
}

/// The lists of new and old classes.
#[derive(Clone, Debug)]
pub struct FlowQueues {
    quantum: Bytes,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    shares: Vec<Share>,
    turns: u64,
}

impl FlowQueues {
    /// A service that gives each class `quantum` bytes a turn.
    #[must_use]
    pub const fn new(quantum: Bytes) -> Self {
        Self { quantum, new: VecDeque::new(), old: VecDeque::new(), shares: Vec::new(), turns: 0 }
    }

    fn quantum(&self) -> i64 {
        i64::from(self.quantum.0)
    }

    /// Takes a class out of its list.
    fn leave(&mut self, class: usize) {
        let list = match std::mem::take(&mut self.shares[class].place) {
            Place::Nowhere => return,
            Place::New => &mut self.new,
            Place::Old => &mut self.old,
        };
        if list.front() == Some(&class) {
            list.pop_front(); // its turn ends
        } else if let Some(position) = list.iter().position(|&other| other == class) {
            list.remove(position);
        }
    }

    /// The class whose turn it is after those that have no credit, or nothing to send.
    #[inline(never)]
    fn end_turns(&mut self, classes: &ClassTable) -> Option<usize> {
        loop {
            let class = *self.new.front().or_else(|| self.old.front())?;
            let Share { place, credit } = self.shares[class];
            if credit <= 0 {
                self.shares[class].credit += self.quantum();
                self.age(class);
            } else if classes.class_len(class) > 0 {
                return Some(class);
            } else if place == Place::New {
                self.age(class);
            } else {
                self.leave(class);
            }
        }
    }

    /// A class goes behind all old ones. The only one that waits is there already if it is old.
    fn age(&mut self, class: usize) {
        if self.new.is_empty() && self.old.len() == 1 && self.shares[class].place == Place::Old {
            return;
        }
        self.leave(class);
        self.turns += u64::from(!self.new.is_empty() || !self.old.is_empty());
        self.shares[class].place = Place::Old;
        self.old.push_back(class);
    }
}

impl Turns for FlowQueues {
    fn activate(&mut self, class: usize, _to: NodeId) {
        if self.shares.len() <= class {
            self.shares.resize(class + 1, Share::default());
        }
        if self.shares[class].place == Place::Nowhere {
            self.shares[class] = Share { place: Place::New, credit: self.quantum() };
            self.new.push_back(class);
        }
    }

    #[inline(always)]
    fn next(&mut self, classes: &ClassTable) -> Option<usize> {
        let class = *self.new.front().or_else(|| self.old.front())?;
        let goes_on = self.shares[class].credit > 0 && classes.class_len(class) > 0;
        if goes_on { Some(class) } else { self.end_turns(classes) }
    }

    fn partner(&mut self, classes: &ClassTable, taken: &dyn Fn(usize) -> bool) -> Option<usize> {
        let free = |class: &usize| classes.class_len(*class) > 0 && !taken(*class);
        let class = self.new.iter().chain(&self.old).copied().find(free)?;
        while self.shares[class].credit <= 0 {
            self.shares[class].credit += self.quantum();
        }
        Some(class)
    }

    #[inline]
    fn charge(&mut self, class: usize, size: Bytes, _emptied: bool) {
        self.shares[class].credit -= i64::from(size.0); // an empty class leaves its list at its next turn
    }

    fn refund(&mut self, class: usize, size: Bytes) {
        self.shares[class].credit += i64::from(size.0);
        self.age(class);
    }

    fn rotate(&mut self, class: usize) {
        self.age(class);
    }

    fn retire(&mut self, _class: usize) {} // an empty class leaves its list at its next turn

    fn clear(&mut self) {
        self.new.clear();
        self.old.clear();
        self.shares.fill(Share::default());
    }

    fn turns(&self) -> u64 {
        self.turns
    }
}
