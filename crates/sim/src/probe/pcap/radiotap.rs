//! Radiotap headers (radiotap.org): what the radio knows of a frame.
//!
//! Fields: TSFT (received frames), flags (FCS present; it is correct, as the bad-FCS bit is clear), rate, channel,
//! antenna signal (received frames), TX power (sent frames).

use multihop_proto::mac::MacConfig;
use multihop_proto::mac::config::Preamble;
use multihop_proto::mac::dcf::PLCP;
use multihop_proto::units::{Bitrate, Dur, NodeId, SimTime};
use multihop_proto::wire::{Frame, FrameKind};

use crate::scenario::Scenario;

/// Bits of the present word.
const TSFT: u32 = 1 << 0;
const FLAGS: u32 = 1 << 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const SIGNAL: u32 = 1 << 5;
const TX_POWER: u32 = 1 << 10;
/// Bits of the flags field.
const SHORT_PREAMBLE: u8 = 0x02;
const FCS: u8 = 0x10;
/// Channel flag: CCK and DSSS.
const CCK: u16 = 0x0020;

/// What all headers of a network share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Radio {
    flags: u8,
    /// Rates in units of 500 kb/s, if they fit.
    data_rate: Option<u8>,
    basic_rate: Option<u8>,
    /// Centre frequency \[MHz\].
    channel: u16,
    /// \[dBm\]
    tx_power: i8,
    preamble: Dur,
}

impl Radio {
    pub(super) fn new(config: &Scenario) -> Self {
        let MacConfig::Dcf(dcf) = &config.mac;
        let (short, preamble) = match dcf.preamble {
            Preamble::Long => (0, Dur::from_us(192)),
            Preamble::Short => (SHORT_PREAMBLE, Dur::from_us(96)),
            Preamble::DataRate => (0, dcf.data_rate.airtime(PLCP)),
        };
        Self {
            flags: FCS | short,
            data_rate: rate(dcf.data_rate),
            basic_rate: rate(dcf.basic_rate),
            channel: (config.air.frequency.get() / 1e6).round() as u16, // saturates
            tx_power: dbm(config.air.tx_power.get()),
            preamble,
        }
    }

    /// The header of a frame that its sender captures.
    pub(super) fn sent(&self, frame: &Frame) -> Vec<u8> {
        let mut header = Header::default();
        self.common(&mut header, frame);
        header.field(TX_POWER, &[self.tx_power as u8]); // two's complement
        header.close()
    }

    /// The header of a frame that ends at `now` and was received at `power` \[W\].
    pub(super) fn received(&self, frame: &Frame, now: SimTime, power: f64) -> Vec<u8> {
        let mut header = Header::default();
        // The time stamp belongs to the first bit of the MPDU.
        let mpdu = frame.airtime.as_ns().saturating_sub(self.preamble.as_ns());
        header.field(TSFT, &(now.as_ns().saturating_sub(mpdu) / 1_000).to_le_bytes());
        self.common(&mut header, frame);
        header.field(SIGNAL, &[dbm(power) as u8]); // two's complement
        header.close()
    }

    fn common(&self, header: &mut Header, frame: &Frame) {
        header.field(FLAGS, &[self.flags]);
        let fast = frame.kind == FrameKind::Data && frame.to != NodeId::BROADCAST;
        if let Some(rate) = if fast { self.data_rate } else { self.basic_rate } {
            header.field(RATE, &[rate]);
        }
        header.align(2);
        header.field(CHANNEL, &[self.channel.to_le_bytes(), CCK.to_le_bytes()].concat());
    }
}

/// A header in the making: version, padding, length, present word, then the fields in the order of their bits, each
/// aligned to its natural boundary.
struct Header {
    bytes: Vec<u8>,
    present: u32,
}

impl Default for Header {
    fn default() -> Self {
        let mut bytes = Vec::with_capacity(24);
        bytes.extend_from_slice(&[0; 8]);
        Self { bytes, present: 0 }
    }
}

impl Header {
    fn field(&mut self, bit: u32, value: &[u8]) {
        self.present |= bit;
        self.bytes.extend_from_slice(value);
    }

    fn align(&mut self, to: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(to), 0);
    }

    fn close(mut self) -> Vec<u8> {
        let length = self.bytes.len() as u16; // at most a few tens
        self.bytes[2..4].copy_from_slice(&length.to_le_bytes());
        self.bytes[4..8].copy_from_slice(&self.present.to_le_bytes());
        self.bytes
    }
}

fn rate(rate: Bitrate) -> Option<u8> {
    let units = rate.as_bps() / 500_000;
    u8::try_from(units).ok().filter(|_| units > 0 && rate.as_bps().is_multiple_of(500_000))
}

/// Watts to whole dBm; saturates.
fn dbm(watts: f64) -> i8 {
    (10.0 * libm::log10(watts) + 30.0).round() as i8
}
