//! The field of accurate ECN in a TCP header: three flags are a number (RFC 9768 §3.2.2).

use super::{Segment, flags};

impl Segment {
    /// The flags AE, CWR and ECE as one number: a counter of marks where accurate ECN is agreed on and the SYN flag is
    /// clear.
    #[must_use]
    pub const fn ace(&self) -> u8 {
        (self.ae as u8) << 2
            | ((self.flags & flags::CWR != 0) as u8) << 1
            | (self.flags & flags::ECE != 0) as u8
    }

    /// The same segment with these three flags: the low bits of the number.
    #[must_use]
    pub const fn with_ace(self, ace: u8) -> Self {
        let cwr = if ace & 2 != 0 { flags::CWR } else { 0 };
        let ece = if ace & 1 != 0 { flags::ECE } else { 0 };
        Self { ae: ace & 4 != 0, flags: self.flags & !(flags::CWR | flags::ECE) | cwr | ece, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_flags_are_a_number() {
        let segment = Segment { flags: flags::ACK | flags::ECT | flags::CWR, ..Segment::default() };
        for ace in 0..8 {
            let said = segment.with_ace(ace);
            assert_eq!(said.ace(), ace);
            assert_eq!(said.flags & !(flags::ECE | flags::CWR), flags::ACK | flags::ECT);
        }
        let (five, six) = (segment.with_ace(5), segment.with_ace(6));
        assert_eq!((five.ae, five.flags & (flags::CWR | flags::ECE)), (true, flags::ECE));
        assert_eq!((six.ae, six.flags & (flags::CWR | flags::ECE)), (true, flags::CWR));
    }
}
