//! Radiotap headers (radiotap.org): what the radio knows of a frame.
//!
//! Fields: TSFT (received frames), flags (FCS present; it is correct, as the bad-FCS bit is clear), rate, channel,
//! antenna signal (received frames), TX power (sent frames); of frames with an MCS no rate, but MCS (HT), VHT or HE.
//! The MPDUs of an A-MPDU have its number in the field A-MPDU status.

use multihop_proto::phy::{Generation, GuardInterval, McsVector, Preamble, TxVector};
use multihop_proto::units::{Bitrate, SimTime};
use multihop_proto::wire::Frame;

use crate::air::AirConfig;

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
const MCS: u32 = 1 << 19;
const A_MPDU: u32 = 1 << 20;
const VHT: u32 = 1 << 21;
const HE: u32 = 1 << 23;
/// Channel flags: CCK and DSSS, OFDM, and the band.
const CCK: u16 = 0x0020;
const OFDM: u16 = 0x0040;
const GHZ2: u16 = 0x0080;
const GHZ5: u16 = 0x0100;

/// What all headers of a radio share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Radio {
    /// Frequency of its channel \[MHz\].
    channel: u16,
    /// \[dBm\]
    tx_power: i8,
}

impl Radio {
    /// A radio on the channel of this frequency \[MHz\], or else on that of the air.
    pub(super) fn new(air: &AirConfig, tuned: Option<u16>) -> Self {
        let untuned = (air.frequency.get() / 1e6).round() as u16; // saturates
        Self { channel: tuned.unwrap_or(untuned), tx_power: dbm(air.tx_power.get()) }
    }

    /// The header of a frame that its sender captures as it begins, at `now`; `several`: it is an A-MPDU.
    pub(super) fn sent(&self, frame: &Frame, now: SimTime, several: bool) -> Vec<u8> {
        let mut header = Header::default();
        self.common(&mut header, frame);
        header.field(TX_POWER, &[self.tx_power as u8]); // two's complement
        modulation(&mut header, frame.tx, several.then(|| aggregate(now)));
        header.close()
    }

    /// The header of a frame that ends at `now` and was received at `power` \[W\].
    pub(super) fn received(&self, frame: &Frame, now: SimTime, power: f64, several: bool) -> Vec<u8> {
        let mut header = Header::default();
        // The time stamp belongs to the first bit of the MPDU.
        let mpdu = frame.airtime.as_ns().saturating_sub(frame.tx.before_payload().as_ns());
        header.field(TSFT, &(now.as_ns().saturating_sub(mpdu) / 1_000).to_le_bytes());
        self.common(&mut header, frame);
        header.field(SIGNAL, &[dbm(power) as u8]); // two's complement
        modulation(&mut header, frame.tx, several.then(|| aggregate(now)));
        header.close()
    }

    fn common(&self, header: &mut Header, frame: &Frame) {
        let short = matches!(frame.tx, TxVector::Dsss(dsss) if dsss.preamble == Preamble::Short);
        header.field(FLAGS, &[FCS | if short { SHORT_PREAMBLE } else { 0 }]);
        let has_mcs = matches!(frame.tx, TxVector::Mcs(_));
        if let Some(rate) = units(frame.tx.rate()).filter(|_| !has_mcs) {
            header.field(RATE, &[rate]);
        }
        header.align(2);
        header.field(
            CHANNEL,
            &[self.channel.to_le_bytes(), channel_flags(frame.tx, self.channel).to_le_bytes()].concat(),
        );
    }
}

/// What a frame is sent with, and the band in which this frequency \[MHz\] lies, if it has a flag.
fn channel_flags(tx: TxVector, channel: u16) -> u16 {
    let format = match tx {
        TxVector::Dsss(_) => CCK,
        TxVector::Ofdm(_) | TxVector::Mcs(_) => OFDM,
    };
    format
        | match channel {
            2_400..2_500 => GHZ2,
            4_900..5_925 => GHZ5,
            _ => 0,
        }
}

/// The number of an A-MPDU in a capture: the microsecond in which it was captured, of 32 bits.
const fn aggregate(now: SimTime) -> u32 {
    (now.as_ns() / 1_000) as u32
}

/// The field of the frame's MCS, if it has one, and the status of an A-MPDU with this number.
fn modulation(header: &mut Header, tx: TxVector, aggregate: Option<u32>) {
    let TxVector::Mcs(McsVector { generation, mcs, streams, width, guard, .. }) = tx else { return };
    let short = guard == GuardInterval::Ns400;
    let status = |header: &mut Header| {
        if let Some(number) = aggregate {
            header.align(4);
            // Nothing is said of its last subframe or of delimiters.
            header.field(A_MPDU, &[number.to_le_bytes(), [0; 4]].concat());
        }
    };
    match generation {
        Generation::Ht => {
            // Known is all. Mixed format, convolutional code, no space-time code and no extension streams are zeros.
            let flags = width as u8 | if short { 0x04 } else { 0 };
            header.field(MCS, &[0x7f, flags, mcs + 8 * (streams - 1)]);
            status(header);
        }
        Generation::Vht => {
            status(header);
            header.align(2);
            let bandwidth = [0, 1, 4, 11][width as usize];
            // Known: no space-time code, guard interval, bandwidth. One user.
            let flags = if short { 0x04 } else { 0 };
            header.field(VHT, &[0x45, 0, flags, bandwidth, mcs << 4 | streams, 0, 0, 0, 0, 0, 0, 0]);
        }
        Generation::He => {
            status(header);
            header.align(2);
            let (interval, training) = match guard {
                GuardInterval::Ns400 | GuardInterval::Ns800 => (0, 2),
                GuardInterval::Ns1600 => (1, 2),
                GuardInterval::Ns3200 => (2, 3),
            };
            // Known: MCS, code, bandwidth; guard interval. Format: one user.
            let data: [u16; 6] = [
                0x40a0,
                0x0002,
                u16::from(mcs) << 8,
                0,
                width as u16 | interval << 4 | training << 6,
                u16::from(streams),
            ];
            header.field(HE, &data.map(u16::to_le_bytes).concat());
        }
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

/// A rate in units of 500 kb/s, if it is some of them.
fn units(rate: Bitrate) -> Option<u8> {
    let bps = rate.as_bps();
    bps.is_multiple_of(500_000).then(|| u8::try_from(bps / 500_000).ok()).flatten().filter(|&units| units > 0)
}

/// Watts to whole dBm; saturates.
fn dbm(watts: f64) -> i8 {
    (10.0 * libm::log10(watts) + 30.0).round() as i8
}

#[cfg(test)]
mod tests {
    use super::*;
    use multihop_proto::phy::{Band, DurationRule, Ofdm, OfdmRate, Width};

    fn field(
        generation: Generation,
        width: Width,
        guard: GuardInterval,
        aggregate: Option<u32>,
    ) -> (u32, Vec<u8>) {
        let (band, durations) = (Band::Ghz5, DurationRule::Standard);
        let mut header = Header::default();
        let vector = McsVector { generation, mcs: 7, streams: 2, width, guard, band, durations };
        modulation(&mut header, TxVector::Mcs(vector), aggregate);
        (header.present, header.bytes[8..].to_vec())
    }

    #[test]
    fn each_generation_has_its_field() {
        let ht = field(Generation::Ht, Width::Mhz40, GuardInterval::Ns400, None);
        assert_eq!(ht, (MCS, vec![0x7f, 0x05, 15]));
        let vht = field(Generation::Vht, Width::Mhz80, GuardInterval::Ns800, None);
        assert_eq!(vht, (VHT, vec![0x45, 0, 0, 4, 0x72, 0, 0, 0, 0, 0, 0, 0]));
        let he = field(Generation::He, Width::Mhz20, GuardInterval::Ns3200, None);
        assert_eq!(he, (HE, vec![0xa0, 0x40, 2, 0, 0, 7, 0, 0, 0xe0, 0, 2, 0]));
        let mut none = Header::default();
        modulation(&mut none, TxVector::dsss(Bitrate::from_mbps(1), Preamble::Long), Some(1));
        assert_eq!(none.present, 0);
    }

    /// Frequency and flags of the field of a channel.
    fn channel(tx: TxVector, tuned: Option<u16>, air: &str) -> (u16, u16) {
        let frequency = air.parse().expect("a frequency");
        let radio = Radio::new(&AirConfig { frequency, ..AirConfig::default() }, tuned);
        (radio.channel, channel_flags(tx, radio.channel))
    }

    #[test]
    fn a_channel_has_its_frequency_and_the_flags_of_its_band() {
        let ofdm = |band| TxVector::Ofdm(Ofdm { rate: OfdmRate::Mbps6, width: Width::Mhz20, band });
        let dsss = TxVector::dsss(Bitrate::from_mbps(1), Preamble::Long);
        assert_eq!(channel(ofdm(Band::Ghz5), Some(5_745), "914 MHz"), (5_745, 0x0140));
        assert_eq!(channel(ofdm(Band::Ghz2), Some(2_437), "5.18 GHz"), (2_437, 0x00c0));
        assert_eq!(channel(dsss, Some(2_484), "914 MHz"), (2_484, 0x00a0));
    }

    /// Whatever band the rules of the frame are of, the flags are those of the frequency.
    #[test]
    fn without_a_number_the_air_has_the_frequency() {
        let ofdm = TxVector::Ofdm(Ofdm { rate: OfdmRate::Mbps6, width: Width::Mhz20, band: Band::Ghz2 });
        assert_eq!(channel(ofdm, None, "5.18 GHz"), (5180, 0x0140));
        assert_eq!(channel(ofdm, None, "2.412 GHz"), (2412, 0x00c0));
        assert_eq!(channel(ofdm, None, "914 MHz"), (914, 0x0040), "radiotap has no flag for it");
    }

    /// The field lies between those of HT and VHT, at a multiple of four bytes.
    #[test]
    fn mpdus_of_an_aggregate_have_its_number() {
        let (present, ht) = field(Generation::Ht, Width::Mhz20, GuardInterval::Ns800, Some(0x0102_0304));
        assert_eq!((present, ht), (MCS | A_MPDU, vec![0x7f, 0, 7 + 8, 0, 4, 3, 2, 1, 0, 0, 0, 0]));
        let (present, vht) = field(Generation::Vht, Width::Mhz80, GuardInterval::Ns800, Some(5));
        assert_eq!((present, &vht[..9]), (VHT | A_MPDU, &[5, 0, 0, 0, 0, 0, 0, 0, 0x45][..]));
    }
}
