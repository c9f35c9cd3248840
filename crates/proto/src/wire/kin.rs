//! The copies of a packet: whether one that is lost was the last.

/// Marks a packet of which a copy has arrived.
const ARRIVED: u8 = 0x80;

/// By the number of the packet: how many copies of it nodes have, and whether one has arrived.
#[derive(Clone, Debug, Default)]
pub(super) struct Kin(Vec<u8>);

impl Kin {
    /// There is one more copy of a packet.
    pub(super) fn come(&mut self, uid: u64) {
        let place = uid as usize; // packets are numbered from 1, without gaps
        if self.0.len() <= place {
            self.0.resize(place + 1, 0);
        }
        if self.0[place] & !ARRIVED < !ARRIVED {
            self.0[place] += 1;
        }
    }

    /// There is one less, for it has arrived, or for another reason. Returns whether one had arrived before.
    pub(super) fn go(&mut self, uid: u64, arrived: bool) -> bool {
        let of = &mut self.0[uid as usize];
        let before = *of & ARRIVED != 0;
        if *of & !ARRIVED > 0 {
            *of -= 1;
        }
        *of |= if arrived { ARRIVED } else { 0 };
        before
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
        let mut kin = Kin::default();
        kin.come(2);
        assert!(!kin.others(2));
        kin.come(2);
        assert!(kin.others(2));
        kin.go(2, false);
        assert!(!kin.others(2) && kin.alone(2), "the last one");
        kin.come(2);
        assert!(!kin.go(2, true));
        assert!(kin.others(2), "one has arrived");
        assert!(kin.go(2, true), "and another");
        (0..1000).for_each(|_| kin.come(1));
        (0..1000).for_each(|_| assert!(!kin.go(1, false)));
        assert!(!kin.others(1), "too many to count");
    }
}
