//! The length of the options in the header of a TCP segment.

use super::{MarkedBytes, PathOption, Segment, flags};

impl Segment {
    /// Bytes of the options that it has, with padding (RFC 2018 §3, RFC 7323 §2.2, §3.2, RFC 9768
    /// §3.2.3; ADTCP's).
    #[inline(always)]
    #[must_use]
    pub fn options(&self) -> u32 {
        let none = self.sack.are_absent()
            && self.scale == 0
            && !self.times.is_present()
            && self.path == PathOption::None;
        if none { 0 } else { self.length_of_options() }
    }

    /// The same where there is any.
    #[inline(never)]
    fn length_of_options(&self) -> u32 {
        let blocks = if self.sack.is_empty() { 0 } else { 4 + 8 * self.sack.len() as u32 };
        let scale = if self.scale > 0 && self.flags & flags::SYN != 0 { 4 } else { 0 };
        let counts = if self.sack.marked_bytes().is_some() { MarkedBytes::SIZE } else { 0 };
        blocks + counts + scale + self.times.size() + self.path.size()
    }
}
