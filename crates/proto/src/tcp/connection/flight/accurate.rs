//! Accurate ECN at the sender (RFC 9768): it follows the counters of the receiver, and tells congestion control how
//! much was marked. What the receiver counts is in `connection/echo.rs`; the reaction once for each window of data in
//! [`super::ecn`].

use super::super::echo::{FIRST_BYTES, FIRST_PACKETS};
use crate::wire::{MarkedBytes, Segment, is_before};

/// What the sender says of the packets that it receives. None is ever marked: ACKs are not ECN-capable.
pub(super) const HEARS_NO_MARKS: u8 = FIRST_PACKETS as u8;

/// What is known of the receiver's counters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    /// Packets that came with CE (`s.cep`).
    packets: u32,
    /// Bytes that came with CE (`s.ceb`), modulo 2^24.
    bytes: u32,
    /// First unacknowledged byte, and bytes that are known to have arrived.
    una: u64,
    arrived: u64,
    /// Latest time at which an ACK was sent, by the receiver's clock.
    time: u32,
    options: Options,
    /// Whether an ACK of data has come.
    tested: bool,
}

/// Whether the receiver's counters of bytes come through (§3.2.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Options {
    /// None has come yet.
    Absent,
    Come,
    /// They came zeroed, and mean nothing.
    Zeroed,
}

/// What an ACK says of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// Others have said it before, or later ones have.
    Nothing,
    /// Of so many bytes that have newly arrived, these are marked.
    Counts { arrived: u64, packets: u32, bytes: u64 },
    /// The counters do not come through as they were sent: `heeded` if marks still mean something (§3.2.2.3, §3.2.2.4).
    Mangled { heeded: bool },
}

impl Counts {
    /// Accurate ECN is agreed on; `answer`: with this SYN-ACK, if there was a handshake.
    pub(super) fn new(answer: Option<&Segment>) -> Self {
        let mut counts = Self {
            packets: FIRST_PACKETS,
            bytes: FIRST_BYTES.ce,
            una: 0,
            arrived: 0,
            time: 0,
            options: Options::Absent,
            tested: false,
        };
        if let Some(said) = answer.and_then(|answer| answer.sack.marked_bytes()) {
            counts.meet(said);
        }
        counts
    }

    /// The first option: its counter of ECT(0) begins with one, so that zero is a mistake (§3.2.3.2.4).
    const fn meet(&mut self, said: MarkedBytes) {
        self.options = if said.ect0 == 0 { Options::Zeroed } else { Options::Come };
    }

    /// An ACK has come; `arrived`: bytes that are known to have arrived by now.
    pub(super) fn hear(&mut self, ack: &Segment, arrived: u64, segment: u64) -> Told {
        let newly = arrived.saturating_sub(self.arrived);
        let newer = ack.times.is_present() && (self.time == 0 || is_before(self.time, ack.times.value()));
        if newly == 0 && !newer && ack.ack <= self.una {
            return Told::Nothing; // superseded, appendix A.1
        }
        self.una = self.una.max(ack.ack);
        self.arrived += newly;
        if newer {
            self.time = ack.times.value();
        }
        if !std::mem::replace(&mut self.tested, true) && ack.ace() == 0 {
            return Told::Mangled { heeded: false };
        }
        let covered = u32::try_from(newly.div_ceil(segment)).unwrap_or(u32::MAX);
        let least = u32::from(ack.ace()).wrapping_sub(self.packets) & 7;
        let most = safest(least, covered);
        let Some(bytes) = self.hear_bytes(ack) else {
            self.packets = self.packets.wrapping_add(most);
            let bytes = if self.options == Options::Come { 0 } else { u64::from(most) * segment };
            return Told::Counts { arrived: newly, packets: most, bytes: bytes.min(newly) };
        };
        let packets = reconciled(least, most, bytes, segment);
        self.packets = self.packets.wrapping_add(packets);
        if bytes > 0 && packets == 0 {
            return Told::Mangled { heeded: true }; // §3.2.3.2.5
        }
        Told::Counts { arrived: newly, packets, bytes }
    }

    /// The bytes that the option says were marked since the last one, if it comes through.
    fn hear_bytes(&mut self, ack: &Segment) -> Option<u64> {
        let said = ack.sack.marked_bytes()?;
        if self.options == Options::Absent {
            self.meet(said);
        }
        if self.options == Options::Zeroed {
            return None;
        }
        let bytes = said.ce.wrapping_sub(self.bytes) & MarkedBytes::BITS;
        self.bytes = said.ce;
        Some(u64::from(bytes))
    }
}

/// The most packets that may be marked among `covered` that an ACK tells of, if the counter says `least` modulo 8
/// (appendix A.2.1). A counter that says more than was covered is right (§3.2.2.5.2).
const fn safest(least: u32, covered: u32) -> u32 {
    if least > covered { least } else { covered - (covered - least) % 8 }
}

/// The bytes marked tell whether the counter of packets has gone round (appendix A.2.2): if `most` were so small, it
/// has not.
const fn reconciled(least: u32, most: u32, bytes: u64, segment: u64) -> u32 {
    let round = most > least;
    let few = bytes <= segment * least as u64 && 2 * bytes < segment * most as u64;
    if round && few { least } else { most }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9768 appendix A.2.1.
    #[test]
    fn a_counter_may_have_gone_round() {
        for (least, covered, most) in
            [(0, 0, 0), (2, 2, 2), (0, 7, 0), (0, 8, 8), (1, 8, 1), (1, 9, 9), (3, 20, 19), (5, 2, 5)]
        {
            assert_eq!(safest(least, covered), most, "{least} of {covered}");
        }
    }

    /// Appendix A.2.2: 16 segments, and the counter is where it was.
    #[test]
    fn the_bytes_tell_whether_it_has() {
        assert_eq!(reconciled(0, 16, 0, 1000), 0);
        assert_eq!(reconciled(0, 16, 8000, 1000), 16, "no mark is half a segment");
        assert_eq!(reconciled(0, 16, 16_000, 1000), 16);
        assert_eq!(reconciled(2, 10, 2000, 1000), 2);
        assert_eq!(reconciled(2, 2, 300, 1000), 2, "short ones");
    }
}
