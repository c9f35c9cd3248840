//! Lengths of MPDUs that carry several packets (IEEE 802.11-2020 §9.3.2.2), and how long they may be.

use crate::units::Bytes;

/// Header and FCS of QoS data (§9.2.3), around the A-MSDU.
pub(super) const AROUND: Bytes = Bytes(30);
/// Destination, source and length before each packet.
const HEADER: Bytes = Bytes(14);
/// Longest A-MSDU of HT stations (§9.4.2.55.2).
pub(in crate::mac) const LONGEST_HT: Bytes = Bytes(7_935);
/// Longest MPDU of VHT and HE stations (§9.4.2.157.2).
pub(super) const LONGEST_MPDU: Bytes = Bytes(11_454);
/// Longest MPDU in an A-MPDU of HT (§9.7.1).
pub(super) const LONGEST_AMONG_HT: Bytes = Bytes(4_095);

/// Length of an MPDU once another packet joins it, which alone is an MPDU of length `other`; `several`: it is an A-MSDU
/// already.
pub(super) fn joined(mpdu: Bytes, several: bool, other: Bytes) -> Bytes {
    let before = mpdu - AROUND + if several { Bytes::ZERO } else { HEADER };
    AROUND + Bytes(before.get().next_multiple_of(4)) + HEADER + (other - AROUND)
}
