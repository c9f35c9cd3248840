//! Lengths of MPDUs that carry several packets (IEEE 802.11-2020 §9.3.2.2), and how long they may be.

use crate::units::Bytes;

/// Header and FCS of QoS data (§9.2.3), around the A-MSDU.
pub(super) const AROUND: Bytes = Bytes(30);
/// Destination, source and length before each packet.
const HEADER: Bytes = Bytes(14);
/// Longest A-MSDU of HT stations (§9.4.2.55.2).
pub(in crate::mac) const LONGEST_HT: Bytes = Bytes(7_935);
/// A-MSDU of two IP packets without payload: each has a header of 20 and LLC/SNAP of 8 bytes.
pub(in crate::mac) const SHORTEST: Bytes = Bytes(44 + 42);
/// Longest MPDU of VHT and HE stations (§9.4.2.157.2).
pub(super) const LONGEST_MPDU: Bytes = Bytes(11_454);
/// Longest MPDU in an A-MPDU of HT (§9.7.1).
pub(super) const LONGEST_AMONG_HT: Bytes = Bytes(4_095);

/// Longest A-MSDUs that stations announce, of HT (§9.4.2.55.2), and of VHT and HE: by their MPDUs of 3895, 7991 and
/// 11454 bytes (§9.4.2.157.2).
pub(in crate::mac) const ANNOUNCED_HT: [Bytes; 2] = [Bytes(3_839), LONGEST_HT];
/// See there.
pub(in crate::mac) const ANNOUNCED: [Bytes; 3] =
    [Bytes(3_895 - AROUND.get()), Bytes(7_991 - AROUND.get()), Bytes(LONGEST_MPDU.get() - AROUND.get())];

/// Length of an MPDU once another packet joins it, which alone is an MPDU of length `other`; `several`: it is an A-MSDU
/// already.
pub(super) fn joined(mpdu: Bytes, several: bool, other: Bytes) -> Bytes {
    let before = mpdu - AROUND + if several { Bytes::ZERO } else { HEADER };
    AROUND + Bytes(before.get().next_multiple_of(4)) + HEADER + (other - AROUND)
}
