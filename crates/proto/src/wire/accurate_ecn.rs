//! The option of accurate ECN (RFC 9768 §3.2.3): counters of bytes.
//!
//! ```text
//!   AccECN0    172 | length 8 | bytes with ECT(0), 24 bits | bytes with CE, 24 bits
//! ```
//!
//! Bytes with ECT(1) have never come where no sender sends any, and so stand in no option (§3.2.3.3).

use super::malformed::Malformed;

/// Kind of the option that begins with the bytes of ECT(0) (§7).
const ACC_ECN0: u8 = 172;
/// Its length with two counters (§3.2.3, table 5).
const LENGTH: u8 = 8;

/// Counters of bytes, each modulo 2^24.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MarkedBytes {
    /// Bytes that came with ECT(0), and one more.
    pub ect0: u32,
    /// Bytes that came with CE.
    pub ce: u32,
}

impl MarkedBytes {
    /// Bytes of the option; padding is not needed.
    pub const SIZE: u32 = LENGTH as u32;
    /// The least significant bits that the option has room for.
    pub const BITS: u32 = 0x00ff_ffff;

    /// The very bytes.
    #[must_use]
    pub const fn emit(self) -> [u8; LENGTH as usize] {
        let [_, a, b, c] = self.ect0.to_be_bytes();
        let [_, x, y, z] = self.ce.to_be_bytes();
        [ACC_ECN0, LENGTH, a, b, c, x, y, z]
    }

    /// Reads what [`Self::emit`] writes.
    ///
    /// # Errors
    /// Bytes that are another option.
    pub const fn parse(bytes: [u8; LENGTH as usize]) -> Result<Self, Malformed> {
        let [ACC_ECN0, LENGTH, a, b, c, x, y, z] = bytes else {
            return Err(Malformed("no option with two counters of accurate ECN"));
        };
        Ok(Self { ect0: u32::from_be_bytes([0, a, b, c]), ce: u32::from_be_bytes([0, x, y, z]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_option_is_that_of_figure_4() {
        let counts = MarkedBytes { ect0: 0x01_0203, ce: 0xa0_b0c0 };
        assert_eq!(counts.emit(), [172, 8, 1, 2, 3, 0xa0, 0xb0, 0xc0]);
        assert!(MarkedBytes::parse([174, 8, 1, 2, 3, 4, 5, 6]).is_err(), "the other order");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes: [u8; 8], known: bool) {
            let mut bytes = bytes;
            if known {
                bytes[..2].copy_from_slice(&[ACC_ECN0, LENGTH]);
            }
            match MarkedBytes::parse(bytes) {
                Ok(counts) => prop_assert_eq!(counts.emit(), bytes),
                Err(_) => prop_assert!(bytes[..2] != [ACC_ECN0, LENGTH]),
            }
        }
    }
}
