//! A bit for each of 256 places: what a block ack says (IEEE 802.11-2020 §9.3.1.8.5), and which MPDUs of a frame came
//! through.

/// 256 bits, none of them set at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bitmap([u64; 4]);

impl Bitmap {
    /// How many places it has.
    pub const PLACES: u16 = 256;
    /// No bit set.
    pub const NONE: Self = Self([0; 4]);
    /// All bits set.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// Whether the bit of a place is set; there is none beyond the last.
    #[must_use]
    pub fn has(&self, place: u16) -> bool {
        self.0.get(usize::from(place / 64)).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    /// Sets the bit of a place; returns whether it was set before.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn set(&mut self, place: u16) -> bool {
        let word = &mut self.0[usize::from(place / 64)];
        let before = *word >> (place % 64) & 1 == 1;
        *word |= 1 << (place % 64);
        before
    }

    /// The bit of each place becomes that of the place so many later.
    pub fn shift(&mut self, by: u16) {
        if by < 64 {
            return self.shift_within_words(by);
        }
        let (words, bits) = (usize::from(by / 64), u32::from(by % 64));
        let old = |place: usize| self.0.get(place).copied().unwrap_or(0);
        self.0 = std::array::from_fn(|place| {
            let high = old(place + words + 1).checked_shl(64 - bits).unwrap_or(0);
            old(place + words) >> bits | high
        });
    }

    /// The same by less than a word, as for a number after the other.
    #[inline]
    fn shift_within_words(&mut self, by: u16) {
        let mut above = 0;
        for word in self.0.iter_mut().rev() {
            let both = u128::from(above) << 64 | u128::from(*word);
            above = *word;
            *word = (both >> by) as u64; // the lower half
        }
    }

    /// Whether no bit is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// Its bytes, the first place in the lowest bit of the first.
    #[must_use]
    pub fn bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (eight, word) in bytes.chunks_exact_mut(8).zip(self.0) {
            eight.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_shift_over_words_and_fall_out_at_the_end() {
        let places = [0, 1, 63, 64, 65, 128, 200, 255];
        for by in [0, 1, 63, 64, 65, 127, 128, 200, 255, 256, 4000] {
            let mut map = Bitmap::default();
            for place in places {
                assert!(!map.set(place));
            }
            map.shift(by);
            for place in 0..Bitmap::PLACES {
                assert_eq!(map.has(place), places.contains(&(place + by)), "{place} after {by}");
            }
        }
        assert!(Bitmap::default().is_empty() && !Bitmap::ALL.is_empty() && !Bitmap::ALL.has(256));
        let mut map = Bitmap::default();
        map.set(9);
        assert!(map.set(9) && map.bytes()[1] == 2);
    }
}
