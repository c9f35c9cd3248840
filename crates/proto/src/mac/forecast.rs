//! What the configuration of a MAC says of its frames before anything runs.

use super::aggregate::{Limits, Load};
use super::config::{BackoffDraw, DcfConfig, LADDER, MacConfig, RateControlKind, Standard};
use super::dcf::Times;
use crate::phy::TxVector;
use crate::units::range::{Checked, must};
use crate::units::{Bitrate, Bytes, Dur};

impl MacConfig {
    /// Rate of unicast data frames; the highest of them where the rate is chosen frame by frame.
    #[must_use]
    pub fn data_rate(&self) -> Bitrate {
        let Self::Dcf(dcf) = self;
        dcf.data_vector().rate()
    }

    /// Which amendment's frames stations send.
    #[must_use]
    pub const fn standard(&self) -> Standard {
        let Self::Dcf(dcf) = self;
        dcf.standard
    }

    /// What unicast data frames are sent with at their fastest.
    #[must_use]
    pub fn data_vector(&self) -> TxVector {
        let Self::Dcf(dcf) = self;
        dcf.data_vector()
    }

    /// What the slowest unicast data frames are sent with.
    #[must_use]
    pub fn slowest_vector(&self) -> TxVector {
        let Self::Dcf(dcf) = self;
        if self.chooses_rates() { dcf.vector_at(LADDER[0]) } else { dcf.data_vector() }
    }

    /// All that unicast data frames could be sent with in their format, the slowest first.
    #[must_use]
    pub fn modes(&self) -> Vec<TxVector> {
        let Self::Dcf(dcf) = self;
        dcf.modes()
    }

    /// Rate of control and broadcast frames.
    #[must_use]
    pub const fn basic_rate(&self) -> Bitrate {
        let Self::Dcf(dcf) = self;
        dcf.basic_rate
    }

    /// Whether rate control chooses the rate of each data frame.
    #[must_use]
    pub const fn chooses_rates(&self) -> bool {
        let Self::Dcf(dcf) = self;
        !matches!(dcf.rate_control, RateControlKind::Fixed)
    }

    /// What would have to be set for a key of the section to mean something, if it does not now.
    #[must_use]
    pub fn unmet(&self, key: &str) -> Option<&'static str> {
        let Self::Dcf(dcf) = self;
        let (used, needed) = match key.split('.').next() {
            Some("arf") => (dcf.rate_control == RateControlKind::Arf, "mac.rate-control = \"arf\""),
            Some("snr") => (dcf.rate_control == RateControlKind::Snr, "mac.rate-control = \"snr\""),
            _ => return dcf.unmet_of_standard(key),
        };
        (!used).then_some(needed)
    }

    /// Length of a data frame that carries this network-layer packet.
    #[must_use]
    pub fn mpdu(&self, packet: Bytes) -> Bytes {
        let Self::Dcf(dcf) = self;
        packet + dcf.data_overhead
    }

    /// How long a station has the medium to send a packet over one hop, back-off apart; where frames are aggregated, its share
    /// of the longest frame that there can be.
    #[must_use]
    pub fn exchange(&self, packet: Bytes) -> Dur {
        let Self::Dcf(dcf) = self;
        exchange(dcf, packet)
    }

    /// The mean back-off between two exchanges of a station whose frames are all acknowledged, or the share of it that a packet
    /// of this length has \[s\].
    #[must_use]
    pub fn mean_backoff(&self, packet: Bytes) -> f64 {
        let Self::Dcf(dcf) = self;
        backoff(dcf) / longest(dcf, packet).count as f64
    }

    /// Whether stations wait long enough for a response where signals travel for so long.
    ///
    /// # Errors
    /// Of the key `propagation-delay`, if they do not.
    pub fn check_delay(&self, delay: Dur) -> Checked {
        let Self::Dcf(dcf) = self;
        // A response travels back: the station that waits for it must wait as long as both ways take.
        let key = "propagation-delay";
        let rule = format_args!("be shorter than `mac.sifs`, {}", dcf.sifs);
        must(delay < dcf.sifs, key, delay, rule)?;
        let rule = format_args!("be at most half of `mac.timeout-slack`, {}", dcf.timeout_slack);
        must(delay * 2 <= dcf.timeout_slack, key, delay, rule)
    }
}

/// DIFS, RTS and CTS if the packet is long enough, data, ACK (IEEE 802.11-2020 §10.3).
fn exchange(dcf: &DcfConfig, packet: Bytes) -> Dur {
    let times = Times::new(dcf);
    let Load { count, psdu } = longest(dcf, packet);
    let reserved = if dcf.reserves(psdu) { times.rts + times.cts + dcf.sifs * 2 } else { Dur::ZERO };
    let answer = if count > 1 { times.response.airtime(dcf.aggregation.block_ack()) } else { times.ack };
    let whole = times.difs() + reserved + dcf.data_vector().airtime(psdu) + dcf.sifs + answer;
    Dur::from_ns(whole.as_ns() / count as u64)
}

/// The longest frame of packets of this length.
fn longest(dcf: &DcfConfig, packet: Bytes) -> Load {
    let mpdu = packet + dcf.data_overhead;
    if !dcf.aggregation.on {
        return Load { count: 1, psdu: mpdu };
    }
    let waiting = std::iter::repeat_n(mpdu, usize::from(dcf.aggregation.window));
    Limits::new(&dcf.aggregation).load(dcf.data_vector(), waiting)
}

/// With the smallest window \[s\].
fn backoff(dcf: &DcfConfig) -> f64 {
    let drawn = match dcf.backoff_draw {
        BackoffDraw::Inclusive => dcf.cw_min,
        BackoffDraw::Exclusive => dcf.cw_min.saturating_sub(1),
    };
    f64::from(drawn) / 2.0 * dcf.slot.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::aggregate::AggregationConfig;

    #[test]
    fn an_exchange_is_the_sum_of_its_frames_and_gaps() {
        let dcf =
            DcfConfig { rts_threshold: Bytes(0), data_rate: Bitrate::from_mbps(2), ..DcfConfig::default() };
        // DIFS 50, RTS 352, CTS 304, data 192 + 8 * 1536 / 2, ACK 304, three SIFS
        assert_eq!(exchange(&dcf, Bytes(1500)), Dur::from_us(50 + 352 + 304 + 192 + 6144 + 304 + 30));
        let bare = DcfConfig { rts_threshold: Bytes(65_535), ..dcf.clone() };
        assert_eq!(exchange(&bare, Bytes(1500)), Dur::from_us(50 + 192 + 6144 + 304 + 10));
        // 31 slots of 20 us at most
        assert!((backoff(&dcf) * 1e6 - 310.0).abs() < 1e-6, "{}", backoff(&dcf));
    }

    #[test]
    fn a_packet_has_its_share_of_the_longest_aggregate() {
        let aggregation = AggregationConfig { on: true, ..AggregationConfig::default() };
        let (basic_rate, ack_rate) = (Bitrate::from_mbps(6), Some(Bitrate::from_mbps(24)));
        let (slot, sifs) = (Dur::from_us(9), Dur::from_us(16));
        let standard = Standard::N;
        let dcf = DcfConfig {
            standard,
            aggregation,
            basic_rate,
            ack_rate,
            slot,
            sifs,
            data_overhead: Bytes(38),
            cw_min: 15,
            aifsn: 3,
            ..DcfConfig::default()
        };
        // AIFS 43, 28 MPDUs of 1544 bytes, the last of 1542, in 1332 symbols of 260 bits; block ack of 24 Mb/s.
        assert_eq!(exchange(&dcf, Bytes(1500)), Dur::from_ns((43 + 36 + 4 * 1331 + 16 + 32) * 1000 / 28));
        assert!((MacConfig::Dcf(dcf).mean_backoff(Bytes(1500)) * 1e6 - 67.5 / 28.0).abs() < 1e-9);
    }

    #[test]
    fn rates_are_those_that_are_chosen() {
        let mac = |rate_control| {
            let data_rate = Bitrate::from_mbps(11);
            MacConfig::Dcf(DcfConfig { data_rate, rate_control, ..DcfConfig::default() })
        };
        let fixed = mac(RateControlKind::Fixed);
        assert_eq!(
            (fixed.data_rate(), fixed.slowest_vector()),
            (Bitrate::from_mbps(11), fixed.data_vector())
        );
        assert_eq!(fixed.unmet("arf.timer"), Some("mac.rate-control = \"arf\""));
        let arf = mac(RateControlKind::Arf);
        assert!(arf.chooses_rates() && arf.slowest_vector().rate() == Bitrate::from_mbps(1));
        assert_eq!((arf.unmet("arf.timer"), arf.unmet("slot")), (None, None));
        assert_eq!(arf.unmet("snr.margin"), Some("mac.rate-control = \"snr\""));
    }
}
