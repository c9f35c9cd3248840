//! Radiotap headers (radiotap.org): what the radio knows of a frame.
//!
//! Fields: TSFT (received frames), flags (FCS present; it is correct, as the bad-FCS bit is clear), rate, channel,
//! antenna signal (received frames), TX power (sent frames).

use multihop_proto::mac::config::Preamble;
use multihop_proto::mac::dcf::rate_of;
use multihop_proto::units::SimTime;
use multihop_proto::wire::Frame;

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
    /// Centre frequency \[MHz\].
    channel: u16,
    /// \[dBm\]
    tx_power: i8,
    preamble: Preamble,
}

impl Radio {
    pub(super) fn new(config: &Scenario) -> Self {
        let preamble = config.mac.preamble();
        let short = if preamble == Preamble::Short { SHORT_PREAMBLE } else { 0 };
        Self {
            flags: FCS | short,
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
        let (_, plcp) = rate_of(self.preamble, frame.size, frame.airtime);
        let mpdu = frame.airtime.as_ns().saturating_sub(plcp.as_ns());
        header.field(TSFT, &(now.as_ns().saturating_sub(mpdu) / 1_000).to_le_bytes());
        self.common(&mut header, frame);
        header.field(SIGNAL, &[dbm(power) as u8]); // two's complement
        header.close()
    }

    fn common(&self, header: &mut Header, frame: &Frame) {
        header.field(FLAGS, &[self.flags]);
        let (rate, _) = rate_of(self.preamble, frame.size, frame.airtime);
        if let Some(rate) = units(rate) {
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

/// A rate \[bit/s\] in units of 500 kb/s, if it is some of them: what frames take in time is rounded up to nanoseconds.
fn units(rate: f64) -> Option<u8> {
    let units = (rate / 500_000.0).round();
    let whole = (rate / (units * 500_000.0) - 1.0).abs() < 1e-3;
    ((1.0..=255.0).contains(&units) && whole).then_some(units as u8)
}

/// Watts to whole dBm; saturates.
fn dbm(watts: f64) -> i8 {
    (10.0 * libm::log10(watts) + 30.0).round() as i8
}
