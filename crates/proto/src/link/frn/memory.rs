//! Which packets a link has had: the last ones, to know one that comes again.

/// So many are remembered.
const REMEMBERED: usize = 64;
/// Places by the last bits of a packet's number: where nothing is noted, nothing is to be looked for.
const PLACES: usize = 256;

/// The numbers of the last packets.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// In a ring; 0, which is no packet's number, where none has come yet.
    last: [u64; REMEMBERED],
    oldest: usize,
    /// How many of them have these last bits.
    noted: [u8; PLACES],
}

impl Memory {
    /// Nothing is remembered.
    pub(super) const fn new() -> Self {
        Self { last: [0; REMEMBERED], oldest: 0, noted: [0; PLACES] }
    }

    /// Remembers a packet, and forgets the oldest.
    pub(super) fn note(&mut self, uid: u64) {
        let forgotten = std::mem::replace(&mut self.last[self.oldest % REMEMBERED], uid);
        self.oldest = (self.oldest + 1) % REMEMBERED;
        if forgotten != 0 {
            self.noted[place(forgotten)] -= 1;
        }
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

    #[test]
    fn numbers_with_the_same_last_bits_may_come_as_often_as_they_like() {
        let mut memory = Memory::new();
        (1..1000).for_each(|count| memory.note(count * PLACES as u64));
        assert!(memory.has(999 * 256) && memory.has(936 * 256) && !memory.has(935 * 256));
        memory.note(1);
        assert!(!memory.has(936 * 256));
    }
}
