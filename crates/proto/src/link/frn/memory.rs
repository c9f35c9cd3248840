//! Which packets a link has had: the last ones, to know one that comes again.

/// So many are remembered.
const REMEMBERED: usize = 64;
/// Places by the last bits of a packet's number: of numbers that are given one after the other each has its own.
const PLACES: usize = 128;

/// The numbers of the last packets.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// In a ring; 0, which is no packet's number, where none has come yet.
    last: [u64; REMEMBERED],
    /// How many have come, and the ring's length.
    count: u64,
    /// The last number with these last bits, and how many had come before.
    places: [(u64, u64); PLACES],
}

impl Memory {
    /// Nothing is remembered.
    pub(super) const fn new() -> Self {
        Self { last: [0; REMEMBERED], count: REMEMBERED as u64, places: [(0, 0); PLACES] }
    }

    /// Remembers a packet, and forgets the oldest.
    pub(super) const fn note(&mut self, uid: u64) {
        self.last[self.count as usize % REMEMBERED] = uid;
        self.places[place(uid)] = (uid, self.count);
        self.count += 1;
    }

    /// Whether a packet is remembered.
    pub(super) fn has(&self, uid: u64) -> bool {
        let (last, before) = self.places[place(uid)];
        let any = self.count - before <= REMEMBERED as u64;
        any && (last == uid || self.has_under_another(uid))
    }

    /// Whether it is remembered although another one with the same last bits came later.
    #[cold]
    fn has_under_another(&self, uid: u64) -> bool {
        self.last.contains(&uid)
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
        assert!(memory.has(999 * 128) && memory.has(936 * 128) && !memory.has(935 * 128));
        memory.note(1);
        assert!(!memory.has(936 * 128));
    }
}
