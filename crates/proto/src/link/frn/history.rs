//! What became of a node's last transmissions: its transmitting history (Yuki 2004, table 6), and the load that it
//! tells of.

use std::collections::VecDeque;

use crate::units::NodeId;

/// One transmission of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The packet's number.
    pub uid: u64,
    /// To which node.
    pub to: NodeId,
    /// In which slot its end was known.
    pub slot: u64,
    /// Whether its echo came.
    pub ok: bool,
}

/// The last transmissions of a node, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    records: VecDeque<Record>,
    size: usize,
    age: u64,
}

impl History {
    /// An empty history of at most `size` transmissions, none older than `age` slots.
    #[must_use]
    pub const fn new(size: usize, age: u64) -> Self {
        Self { records: VecDeque::new(), size, age }
    }

    /// Adds a transmission.
    pub fn add(&mut self, record: Record) {
        if self.records.len() == self.size {
            self.records.pop_front();
        }
        self.records.push_back(record);
    }

    /// The records that count in a slot.
    pub fn records(&self, slot: u64) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(move |record| record.slot + self.age >= slot)
    }

    /// How many of the transmissions failed, and of how many.
    #[must_use]
    pub fn failures(&self, slot: u64) -> (u32, u32) {
        count(self.records(slot))
    }

    /// The same of those to one neighbour.
    #[must_use]
    pub fn failures_to(&self, neighbour: NodeId, slot: u64) -> (u32, u32) {
        count(self.records(slot).filter(|record| record.to == neighbour))
    }
}

fn count<'a>(records: impl Iterator<Item = &'a Record>) -> (u32, u32) {
    records.fold((0, 0), |(failed, all), record| (failed + u32::from(!record.ok), all + 1))
}
