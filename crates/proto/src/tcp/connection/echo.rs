//! Explicit congestion notification at the receiver: one echo until the sender answers (RFC 3168 §6.1.3), or counters
//! of all marks (RFC 9768 §3.2). What the sender makes of it is in [`super::ecn`] and [`super::accurate`].

use crate::tcp::config::{EcnMode, Handshake, TcpConfig};
use crate::wire::{MarkedBytes, Segment, flags};

/// First value of the counter of marked packets (RFC 9768 §3.2.1).
pub(super) const FIRST_PACKETS: u32 = 5;
/// First values of the counters of bytes.
pub(super) const FIRST_BYTES: MarkedBytes = MarkedBytes { ect0: 1, ce: 0 };
/// Marks since the last ACK that bring another, where data are not acknowledged (§3.2.2.5.1).
const MARKS_OF_AN_ACK: u32 = 2;
/// Room that other options may take beside that of accurate ECN, so that two blocks of SACK have theirs (§3.2.3.3).
const ROOM_FOR_OTHERS: u32 = 40 - MarkedBytes::SIZE - (4 + 2 * 8);

/// What a receiver says of marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Echo {
    /// What it would use, and what both ends have agreed on.
    offered: EcnMode,
    mode: EcnMode,
    /// Whether a SYN has come that settles it.
    settled: bool,
    /// Flags of a segment that say anything of marks.
    heeded: u8,
    /// [`flags::ECE`] from a mark until the sender says that it has reduced its window (RFC 3168 §6.1.3).
    flags: u8,
    counts: Counts,
}

/// Counters of accurate ECN (RFC 9768 §3.2).
#[derive(Clone, Copy, Debug)]
struct Counts {
    /// Packets that came with CE.
    packets: u32,
    bytes: MarkedBytes,
    /// Packets that came with CE since the last ACK.
    recent: u32,
    /// Whether the last packet had it.
    marked: bool,
    /// Whether the counters of bytes have moved since the last ACK.
    moved: bool,
    /// How the last SYN came, as its answer tells it.
    syn: u8,
}

impl Echo {
    /// Without a handshake both ends have agreed: they have the same configuration.
    pub(super) fn new(config: &TcpConfig) -> Self {
        let mut echo = Self {
            offered: config.ecn,
            mode: EcnMode::Off,
            settled: false,
            heeded: 0,
            flags: 0,
            counts: Counts {
                packets: FIRST_PACKETS,
                bytes: FIRST_BYTES,
                recent: 0,
                marked: false,
                moved: false,
                syn: 0,
            },
        };
        if config.handshake == Handshake::None {
            echo.agree(config.ecn);
        }
        echo
    }

    const fn agree(&mut self, mode: EcnMode) {
        self.mode = mode;
        self.heeded = match mode {
            EcnMode::Off => 0,
            EcnMode::Classic => flags::CE | flags::CWR,
            EcnMode::Accurate => flags::ACK, // each says something, if only that it is not marked
        };
    }

    /// Whether a segment with these flags says anything of marks.
    #[inline(always)]
    pub(super) const fn heeds(&self, said: u8) -> bool {
        said & self.heeded != 0
    }

    /// A SYN offers something (RFC 3168 §6.1.1; RFC 9768 §3.1.1, table 2). Returns the flag by which it is answered
    /// that RFC 3168 has. With accurate ECN the first SYN settles it (§3.1.5), and the answer to a later one has no
    /// option (§3.2.3.2.2).
    pub(super) fn hear_offer(&mut self, syn: &Segment) -> u8 {
        let again = std::mem::replace(&mut self.settled, true);
        if !(again && self.mode == EcnMode::Accurate) {
            self.agree(match (self.offered, syn.ace()) {
                (EcnMode::Off, _) | (EcnMode::Accurate, 0) => EcnMode::Off,
                (EcnMode::Accurate, 3) => EcnMode::Classic,
                (EcnMode::Accurate, _) => EcnMode::Accurate, // §3.1.3
                (EcnMode::Classic, said) if said & 3 == 3 => EcnMode::Classic,
                (EcnMode::Classic, _) => EcnMode::Off,
            });
        }
        self.counts.moved = !again;
        self.counts.syn = seen(syn.flags);
        if self.mode == EcnMode::Classic { flags::ECE } else { 0 }
    }

    /// A segment in the window, of `len` bytes, has come. What was here already says nothing (RFC 3168 §6.1.5). Returns
    /// whether it is to be acknowledged at once (RFC 9768 §3.2.2.5.1).
    pub(super) fn hear(&mut self, said: u8, len: u32) -> bool {
        if self.mode == EcnMode::Classic {
            if said & flags::CWR != 0 {
                self.flags = 0;
            }
            if said & flags::CE != 0 {
                self.flags = flags::ECE;
            }
            return false;
        }
        let marked = said & flags::CE != 0;
        let counts = &mut self.counts;
        if said & flags::ECT != 0 {
            let counter = if marked { &mut counts.bytes.ce } else { &mut counts.bytes.ect0 };
            *counter = counter.wrapping_add(len) & MarkedBytes::BITS;
            counts.moved = true;
        }
        let first = marked && !counts.marked;
        counts.marked = marked;
        if marked {
            counts.packets = counts.packets.wrapping_add(1);
            counts.recent += 1;
        }
        first || counts.recent >= MARKS_OF_AN_ACK
    }

    /// An ACK as it leaves: with the echo of RFC 3168, or with the counters.
    #[inline(always)]
    pub(super) fn stamp(&mut self, ack: Segment) -> Segment {
        if self.mode == EcnMode::Accurate {
            return self.count_in(ack);
        }
        Segment { flags: ack.flags | self.flags, ..ack }
    }

    /// The counters, those of bytes if they have moved and there is room (RFC 9768 §3.2.2.2, §3.2.3.3).
    #[inline(never)]
    fn count_in(&mut self, ack: Segment) -> Segment {
        let counts = &mut self.counts;
        counts.recent = 0;
        let fits = ack.times.size() + ack.path.size() <= ROOM_FOR_OTHERS;
        let told = std::mem::take(&mut counts.moved) && fits;
        let sack = if told { ack.sack.beside(counts.bytes) } else { ack.sack };
        let said = if ack.flags & flags::SYN == 0 { counts.packets as u8 } else { counts.syn }; // the last bits
        Segment { sack, ..ack }.with_ace(said)
    }
}

/// The flags AE, CWR and ECE that tell how the ECN field of IP came (RFC 9768, table 2).
const fn seen(said: u8) -> u8 {
    if said & flags::CE != 0 {
        6
    } else if said & flags::ECT != 0 {
        4
    } else {
        2
    }
}
