//! Signals: what a node on a path tells an end or a relay of a TCP flow, in a packet that is routed and lost like any
//! other. On the wire they are ICMP (RFC 792): eight bytes, then the IPv4 header and the first eight bytes of the
//! segment concerned, so that its flow and sequence number can be told.
//!
//! Host unreachable is the standard's own; the others have RFC 4727's first type for experiments, a code each, and
//! what they say beyond the segment in the word that RFC 792 leaves unused. A new kind is a variant of [`SignalKind`]
//! and its lines in this file.

use super::address;
use super::malformed::Malformed;
use crate::units::{Bytes, FlowId, NodeId};

/// ICMP: header, quoted IPv4 header, quoted eight bytes.
const LENGTH: usize = 8 + QUOTE;
const IPV4: usize = 20;
const QUOTE: usize = IPV4 + 8;
/// Type and code of host unreachable (RFC 792), and the type of the others (RFC 4727 §4).
const UNREACHABLE: (u8, u8) = (3, 1);
const EXPERIMENT: u8 = 253;
/// Protocol number of TCP, and what a quoted header says where the segment's own value is not known.
const TCP: u8 = 6;
const QUOTED_LENGTH: u16 = 40;

/// What a signal says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignalKind {
    /// The destination of the segment cannot be reached (RFC 792: host unreachable).
    Unreachable,
    /// Explicit link failure notification: the segment was lost with a link (Holland and Vaidya, `MobiCom` 1999).
    LinkFailure,
    /// TCP-F's route failure notification.
    RouteFailure {
        /// Where there is no route to.
        failed: NodeId,
    },
    /// TCP-F's route re-establishment notification.
    RouteRestored,
    /// TCP-BuS's explicit route disconnection notification: the segment is the next at the pivoting node.
    Disconnected,
    /// TCP-BuS's explicit route successful notification.
    Reconnected {
        /// Length of the route from the pivoting node.
        hops: u32,
    },
    /// Explicit bad state notification: the wireless link is being retried (Bakshi et al., ICDCS 1997).
    BadState,
    /// ENIC's notice of a random loss: the segment was lost on the air, and its route is alive.
    SegmentLost,
}

impl SignalKind {
    /// One of each, in the order of the codes.
    pub const ALL: [Self; 8] = [
        Self::Unreachable,
        Self::LinkFailure,
        Self::RouteFailure { failed: NodeId(0) },
        Self::RouteRestored,
        Self::Disconnected,
        Self::Reconnected { hops: 0 },
        Self::BadState,
        Self::SegmentLost,
    ];

    /// The abbreviation of its authors.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::LinkFailure => "elfn",
            Self::RouteFailure { .. } => "rfn",
            Self::RouteRestored => "rrn",
            Self::Disconnected => "erdn",
            Self::Reconnected { .. } => "ersn",
            Self::BadState => "ebsn",
            Self::SegmentLost => "loss",
        }
    }

    /// ICMP type and code.
    #[must_use]
    pub const fn icmp(self) -> (u8, u8) {
        match self {
            Self::Unreachable => UNREACHABLE,
            Self::LinkFailure => (EXPERIMENT, 1),
            Self::RouteFailure { .. } => (EXPERIMENT, 2),
            Self::RouteRestored => (EXPERIMENT, 3),
            Self::Disconnected => (EXPERIMENT, 4),
            Self::Reconnected { .. } => (EXPERIMENT, 5),
            Self::BadState => (EXPERIMENT, 6),
            Self::SegmentLost => (EXPERIMENT, 7),
        }
    }

    const fn word(self) -> [u8; 4] {
        match self {
            Self::RouteFailure { failed } => address::ipv4(failed),
            Self::Reconnected { hops } => hops.to_be_bytes(),
            _ => [0; 4],
        }
    }

    fn read(icmp: (u8, u8), word: [u8; 4]) -> Result<Self, Malformed> {
        let kind =
            Self::ALL.into_iter().find(|kind| kind.icmp() == icmp).ok_or(Malformed("no such signal"))?;
        Ok(match kind {
            Self::RouteFailure { .. } => Self::RouteFailure {
                failed: address::node(word).ok_or(Malformed("no node has this address"))?,
            },
            Self::Reconnected { .. } => Self::Reconnected { hops: u32::from_be_bytes(word) },
            plain if word == [0; 4] => plain,
            _ => return Err(Malformed("says more than its kind knows")),
        })
    }
}

/// A signal about a segment of a TCP flow; the flow itself is that of the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signal {
    /// What it says.
    pub kind: SignalKind,
    /// Source of the segment concerned.
    pub source: NodeId,
    /// Its destination.
    pub destination: NodeId,
    /// Its sequence number: the offset of its first byte. Only the low 32 bits travel.
    pub sequence: u64,
}

impl Signal {
    /// Length of every signal, with its IPv4 header.
    #[must_use]
    pub const fn size() -> Bytes {
        Bytes((IPV4 + LENGTH) as u32)
    }

    /// The ICMP message about a segment of `flow` that ran from the flow's sender (`forward`) or back.
    #[must_use]
    pub fn emit(&self, flow: FlowId, forward: bool) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        (bytes[0], bytes[1]) = self.kind.icmp();
        bytes[4..8].copy_from_slice(&self.kind.word());
        let ip = &mut bytes[8..8 + IPV4];
        ip[0] = 0x45; // version 4, five words
        ip[2..4].copy_from_slice(&QUOTED_LENGTH.to_be_bytes());
        (ip[8], ip[9]) = (64, TCP);
        ip[12..16].copy_from_slice(&address::ipv4(self.source));
        ip[16..20].copy_from_slice(&address::ipv4(self.destination));
        let sum = checksum(ip);
        ip[10..12].copy_from_slice(&sum.to_be_bytes());
        let (from, to) = address::ports(flow, forward);
        let number = address::sequence_number(address::initial_sequence(flow, forward), self.sequence);
        let tcp = &mut bytes[8 + IPV4..];
        tcp[..2].copy_from_slice(&from.to_be_bytes());
        tcp[2..4].copy_from_slice(&to.to_be_bytes());
        tcp[4..].copy_from_slice(&number.to_be_bytes());
        let sum = checksum(&bytes);
        bytes[2..4].copy_from_slice(&sum.to_be_bytes());
        bytes
    }

    /// The signal in an ICMP message about a segment of `flow`.
    ///
    /// # Errors
    /// If it is no such message, or is about another flow.
    pub fn parse(bytes: &[u8], flow: FlowId) -> Result<Self, Malformed> {
        let bytes: &[u8; LENGTH] = bytes.try_into().map_err(|_| Malformed("a signal has 36 bytes"))?;
        let (ip, tcp) = bytes[8..].split_at(IPV4);
        if checksum(bytes) != 0 || checksum(ip) != 0 {
            return Err(Malformed("checksum"));
        }
        if (ip[0], ip[9]) != (0x45, TCP) {
            return Err(Malformed("quotes no TCP segment"));
        }
        let word = |at: &[u8]| [at[0], at[1], at[2], at[3]];
        let node = |at: &[u8]| address::node(word(at)).ok_or(Malformed("no node has this address"));
        let ports = (u16::from_be_bytes([tcp[0], tcp[1]]), u16::from_be_bytes([tcp[2], tcp[3]]));
        let forward = ports == address::ports(flow, true);
        if !forward && ports != address::ports(flow, false) {
            return Err(Malformed("ports of another flow"));
        }
        let first = address::sequence_number(address::initial_sequence(flow, forward), 0);
        Ok(Self {
            kind: SignalKind::read((bytes[0], bytes[1]), word(&bytes[4..]))?,
            source: node(&ip[12..])?,
            destination: node(&ip[16..])?,
            sequence: u64::from(u32::from_be_bytes(word(&tcp[4..])).wrapping_sub(first)),
        })
    }
}

/// The Internet checksum (RFC 1071) of an even number of bytes; 0 if they hold a right one.
fn checksum(bytes: &[u8]) -> u16 {
    let (words, _) = bytes.as_chunks::<2>();
    let sum: u32 = words.iter().map(|&word| u32::from(u16::from_be_bytes(word))).sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    !((sum & 0xffff) + (sum >> 16)) as u16 // 16 bits after the second fold
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ABOUT: Signal =
        Signal { kind: SignalKind::Unreachable, source: NodeId(0), destination: NodeId(2), sequence: 1460 };

    #[test]
    fn host_unreachable_is_that_of_the_standard() {
        let bytes = ABOUT.emit(FlowId(0), true);
        assert_eq!((bytes[0], bytes[1], &bytes[4..8]), (3, 1, &[0; 4][..]));
        assert_eq!(bytes[8 + 12..8 + 20], [10, 0, 0, 1, 10, 0, 0, 3]);
        assert_eq!(Signal::size(), Bytes(56));
    }

    #[test]
    fn what_is_no_signal_is_refused() {
        let bytes = ABOUT.emit(FlowId(0), true);
        assert!(Signal::parse(&bytes, FlowId(1)).is_err(), "another flow");
        assert!(Signal::parse(&bytes[..35], FlowId(0)).is_err(), "cut");
        for place in 0..LENGTH {
            let mut broken = bytes;
            broken[place] ^= 0x10;
            assert!(Signal::parse(&broken, FlowId(0)).is_err(), "byte {place}");
        }
    }

    #[test]
    fn every_kind_has_a_code_and_a_name_of_its_own() {
        for (place, kind) in SignalKind::ALL.iter().enumerate() {
            for other in &SignalKind::ALL[..place] {
                assert!(kind.icmp() != other.icmp() && kind.label() != other.label(), "{kind:?} {other:?}");
            }
        }
    }

    fn any_kind() -> impl Strategy<Value = SignalKind> {
        (prop::sample::select(&SignalKind::ALL[..]), any::<u32>()).prop_map(|(kind, number)| match kind {
            SignalKind::RouteFailure { .. } => SignalKind::RouteFailure { failed: NodeId(number % 1000) },
            SignalKind::Reconnected { .. } => SignalKind::Reconnected { hops: number },
            plain => plain,
        })
    }

    proptest! {
        #[test]
        fn what_is_emitted_is_parsed(
            kind in any_kind(),
            (source, destination) in (0u32..1000, 0u32..1000),
            sequence in any::<u64>(),
            flow in any::<u32>(),
            forward in any::<bool>(),
        ) {
            let (source, destination) = (NodeId(source), NodeId(destination));
            let signal = Signal { kind, source, destination, sequence };
            let told = Signal { sequence: sequence & 0xffff_ffff, ..signal };
            prop_assert_eq!(Signal::parse(&signal.emit(FlowId(flow), forward), FlowId(flow)), Ok(told));
        }

        #[test]
        fn any_bytes_are_a_signal_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..50)) {
            prop_assert!(Signal::parse(&bytes, FlowId(0)).is_err() || bytes.len() == LENGTH);
        }
    }
}
