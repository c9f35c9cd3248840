//! Which packets a link has had: the last ones, to know one that comes again.

use std::collections::VecDeque;

/// So many are remembered.
const REMEMBERED: usize = 64;
/// Places by the last bits of a packet's number: where nothing is noted, nothing is to be looked for.
const PLACES: usize = 256;

/// The numbers of the last packets.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    last: VecDeque<u64>,
    /// How many of them have these last bits.
    noted: [u8; PLACES],
}

impl Memory {
    /// Nothing is remembered.
    pub(super) const fn new() -> Self {
        Self { last: VecDeque::new(), noted: [0; PLACES] }
    }

    /// Remembers a packet, and forgets the oldest.
    pub(super) fn note(&mut self, uid: u64) {
        if self.last.len() == REMEMBERED
            && let Some(oldest) = self.last.pop_front()
        {
            self.noted[place(oldest)] -= 1;
        }
        self.last.push_back(uid);
        self.noted[place(uid)] += 1;
    }

    /// Whether a packet is remembered.
    pub(super) fn has(&self, uid: u64) -> bool {
        self.noted[place(uid)] > 0 && self.last.contains(&uid)
    }
}

const fn place(uid: u64) -> usize {
    uid as usize % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_64_are_remembered_however_often_they_came() {
        let mut memory = Memory::new();
        for uid in [7, 7 + 256, 7] {
            memory.note(uid);
        }
        assert!(memory.has(7) && memory.has(7 + 256) && !memory.has(7 + 512) && !memory.has(8));
        (1000..1062).for_each(|uid| memory.note(uid));
        assert!(memory.has(7) && memory.has(7 + 256) && memory.has(1000), "the first of them is forgotten");
        memory.note(1062);
        assert!(memory.has(7) && !memory.has(7 + 256));
        (1063..1126).for_each(|uid| memory.note(uid));
        assert!(!memory.has(7) && !memory.has(1061) && memory.has(1062) && memory.has(1125));
    }
}
