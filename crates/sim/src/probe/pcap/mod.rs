//! Packet capture: one pcapng file per node, as a monitor-mode interface of that node would write it.
//!
//! Sources: pcapng (draft-ietf-opsawg-pcapng), radiotap.org, IEEE 802.11-2020 clause 9, RFC 1042, RFC 791, RFC 9293,
//! RFC 2018, RFC 768. The frames are those of the standards, also where a profile counts other lengths on the air.

mod budget;
mod capture;
mod channel;
mod datagram;
mod encode;
mod frame;
mod frn;
mod on_air;
mod radiotap;
#[cfg(test)]
mod tests;
mod waiting;
mod writer;

pub use capture::Capture;
pub use encode::encode;
