//! The copies of a packet: whether one that is lost was the last.

/// Marks a packet when one of its copies has arrived.
const ARRIVED: u32 = 1 << 31;

/// By the number of the packet: how many copies of it nodes have, and whether one has arrived.
#[derive(Clone, Debug)]
pub(super) struct Kin(Vec<u32>);

impl Kin {
    /// No packet has been made yet: they are numbered from 1.
    pub(super) fn new() -> Self {
        Self(vec![0])
    }

    /// The next packet has been made.
    #[inline]
    pub(super) fn make(&mut self) {
        self.0.push(1);
    }

    /// There is one more copy of a packet.
    #[inline]
    pub(super) fn come(&mut self, uid: u64) {
        self.0[uid as usize] += 1;
    }

    /// There is one less, for it has arrived, or for another reason. Returns whether one had arrived before.
    #[inline]
    pub(super) fn go(&mut self, uid: u64, arrived: bool) -> bool {
        let of = &mut self.0[uid as usize];
        let before = *of;
        *of = (before - 1) | (u32::from(arrived) << 31);
        before & ARRIVED != 0
    }

    /// Whether nodes have one copy only, and none has arrived.
    pub(super) fn alone(&self, uid: u64) -> bool {
        self.0[uid as usize] == 1
    }

    /// Whether a copy has arrived, or nodes have others than one.
    pub(super) fn others(&self, uid: u64) -> bool {
        self.0[uid as usize] > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_lives_in_its_copies_and_has_arrived_with_the_first() {
        let mut kin = Kin::new();
        kin.make();
        assert!(!kin.others(1) && kin.alone(1));
        kin.come(1);
        assert!(kin.others(1) && !kin.alone(1));
        kin.go(1, false);
        assert!(!kin.others(1) && kin.alone(1), "the last one");
        kin.come(1);
        assert!(!kin.go(1, true));
        assert!(kin.others(1) && !kin.alone(1), "one has arrived");
        kin.come(1);
        assert!(kin.go(1, true), "and another");
        assert!(kin.go(1, false), "the last is gone");
    }
}
