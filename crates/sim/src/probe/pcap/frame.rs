//! MPDUs of IEEE 802.11-2020: RTS (§9.3.1.2), CTS (§9.3.1.3), Ack (§9.3.1.4), CF-End (§9.3.1.5), data (§9.3.2.1) with
//! the LLC/SNAP header of RFC 1042 and the frame check sequence (§9.2.4.8).
//!
//! Deviation: the parts of a combined frame, which the standard does not know, become a data frame each.

use multihop_proto::phy::TxVector;
use multihop_proto::units::{Bytes, Dur, NodeId};
use multihop_proto::wire::address::mac;
use multihop_proto::wire::{Bitmap, Carried, Frame, FrameKind};

use super::datagram::{Datagrams, ether_type};

/// First byte of the frame control field: protocol version 0, type and subtype (§9.2.4.1).
const RTS: u8 = 0xb4;
const CTS: u8 = 0xc4;
const ACK: u8 = 0xd4;
const BLOCK_ACK_REQUEST: u8 = 0x84;
const BLOCK_ACK: u8 = 0x94;
const CF_END: u8 = 0xe4;
/// BAR or BA control: compressed, normal ack policy; the TID stands in its highest four bits (§9.3.1.7, §9.3.1.8).
const COMPRESSED: u16 = 0x0004;
/// The fragment number of a block ack says that its map has 256 bits (§9.3.1.8.5).
const BITS_256: u16 = 0x0004;
const DATA: u8 = 0x08;
const QOS_DATA: u8 = 0x88;
/// Second byte: the retry bit. Stations of an independent BSS set neither To DS nor From DS.
const RETRY: u8 = 0x08;
/// The More Data bit.
const MORE: u8 = 0x20;
/// Bit of QoS control: the frame carries an A-MSDU (§9.2.4.5).
const A_MSDU: u8 = 0x80;
/// LLC and SNAP headers but for the EtherType (RFC 1042).
const SNAP: [u8; 6] = [0xaa, 0xaa, 0x03, 0, 0, 0];
/// The network's BSSID: locally administered, in the manner of an independent BSS (§9.4.2.9).
const BSSID: [u8; 6] = [0x02, 0x6d, 0x68, 0x6f, 0x70, 0x73];
/// Largest value of the Duration/ID field as a duration (§9.2.4.2).
const LONGEST_US: u64 = 32_767;

/// A control frame, FCS included.
pub(super) fn control(frame: &Frame, map: Bitmap) -> Vec<u8> {
    let mut out = Vec::with_capacity(56);
    let kind = match frame.kind {
        FrameKind::Cts => CTS,
        FrameKind::Ack => ACK,
        FrameKind::BlockAck => BLOCK_ACK,
        FrameKind::BlockAckRequest => BLOCK_ACK_REQUEST,
        FrameKind::CfEnd => CF_END,
        FrameKind::Rts | FrameKind::Data => RTS,
    };
    begin(&mut out, kind, frame, frame.to);
    if matches!(kind, RTS | BLOCK_ACK | BLOCK_ACK_REQUEST | CF_END) {
        out.extend_from_slice(&mac(frame.from));
    }
    let first = frame.sequence << 4;
    let control = COMPRESSED | u16::from(frame.priority.number()) << 12;
    match kind {
        BLOCK_ACK_REQUEST => out.extend([control, first].map(u16::to_le_bytes).concat()),
        BLOCK_ACK => {
            let (bytes, fragment) = if frame.size > Bytes(32) { (32, BITS_256) } else { (8, 0) };
            out.extend([control, first | fragment].map(u16::to_le_bytes).concat());
            out.extend_from_slice(&map.bytes()[..bytes]);
        }
        _ => {}
    }
    seal(out)
}

/// A data frame to `to` that carries a packet, FCS included.
pub(super) fn data(datagrams: &Datagrams, frame: &Frame, to: NodeId, carried: &Carried<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity((carried.packet.size.0 as usize).min(65_535) + 64);
    header(&mut out, frame, to, 0);
    payload(&mut out, datagrams, carried);
    seal(out)
}

/// A data frame with an A-MSDU (§9.3.2.2), FCS included.
pub(super) fn a_msdu(datagrams: &Datagrams, frame: &Frame, inside: &[Carried<'_>]) -> Vec<u8> {
    let mut out = Vec::with_capacity((frame.size.0 as usize).min(65_535) + 64);
    header(&mut out, frame, frame.to, A_MSDU);
    let begin = out.len();
    for carried in inside {
        out.resize(begin + (out.len() - begin).next_multiple_of(4), 0);
        let mut msdu = Vec::new();
        payload(&mut msdu, datagrams, carried);
        out.extend_from_slice(&mac(frame.to));
        out.extend_from_slice(&mac(frame.from));
        out.extend_from_slice(&(msdu.len() as u16).to_be_bytes()); // at most 11 424 bytes in all
        out.extend(msdu);
    }
    seal(out)
}

/// The header of a data frame; `flags` of QoS control.
fn header(out: &mut Vec<u8>, frame: &Frame, to: NodeId, flags: u8) {
    // Frames with an MCS are QoS data: TID, normal ACK (§9.2.4.5).
    let qos = matches!(frame.tx, TxVector::Mcs(_));
    begin(out, if qos { QOS_DATA } else { DATA }, frame, to);
    out.extend_from_slice(&mac(frame.from));
    out.extend_from_slice(&BSSID);
    out.extend_from_slice(&(frame.sequence << 4).to_le_bytes());
    if qos {
        out.extend_from_slice(&[frame.priority.number() | flags, 0]);
    }
}

/// A packet behind its LLC and SNAP headers.
fn payload(out: &mut Vec<u8>, datagrams: &Datagrams, carried: &Carried<'_>) {
    if let Some(ether_type) = ether_type(carried) {
        out.extend_from_slice(&SNAP);
        out.extend_from_slice(&ether_type.to_be_bytes());
    }
    datagrams.append(out, carried);
}

/// Frame control, duration and receiver address.
fn begin(out: &mut Vec<u8>, kind: u8, frame: &Frame, to: NodeId) {
    out.extend_from_slice(&[kind, if frame.retry { RETRY } else { 0 } | if frame.more { MORE } else { 0 }]);
    out.extend_from_slice(&duration(frame.duration).to_le_bytes());
    out.extend_from_slice(&mac(to));
}

/// §9.2.5.1: a fraction of a microsecond is rounded up.
fn duration(duration: Dur) -> u16 {
    duration.as_ns().div_ceil(1_000).min(LONGEST_US) as u16
}

/// Appends the FCS.
pub(super) fn seal(mut mpdu: Vec<u8>) -> Vec<u8> {
    let fcs = crc32fast::hash(&mpdu);
    mpdu.extend_from_slice(&fcs.to_le_bytes());
    mpdu
}
