//! Times and lengths of the exchange, derived from the configuration once.
//!
//! IEEE 802.11-2020 §15.3 (DSSS PHY: PLCP preamble and header 192 µs long, 96 µs short), §9.3.1 (control frame
//! lengths), §10.3.2.3 (interframe spaces).

use super::access::AccessRules;
use crate::mac::config::{DcfConfig, EifsRule, LADDER, Preamble, RateControlKind, ResponseTimeout};
use crate::units::{Bitrate, Bytes, Dur, NodeId};

/// RTS length, §9.3.1.2.
pub(super) const RTS: Bytes = Bytes(20);
/// CTS length, §9.3.1.3.
pub(super) const CTS: Bytes = Bytes(14);
/// Ack length, §9.3.1.4.
pub(super) const ACK: Bytes = Bytes(14);
/// The long DSSS PLCP preamble and header as bytes, which error models may cover.
pub const PLCP: Bytes = Bytes(24);

/// Rate of a frame of `size` bytes that takes so long \[bit/s\], and how much of that is preamble and PLCP header. The
/// frame says it: no second figure can contradict it.
#[must_use]
pub fn rate_of(preamble: Preamble, size: Bytes, airtime: Dur) -> (f64, Dur) {
    let plcp = match preamble {
        Preamble::Long => Dur::from_us(192),
        Preamble::Short => Dur::from_us(96),
        Preamble::DataRate => {
            let share = f64::from(PLCP.0) / f64::from(PLCP.0.saturating_add(size.0));
            Dur::from_ns((airtime.as_ns() as f64 * share) as u64) // shorter than the frame
        }
    };
    (size.bits() as f64 / airtime.saturating_sub(plcp).as_secs_f64(), plcp)
}

/// Derived constants of one station.
#[derive(Clone, Debug)]
pub struct Times {
    config: DcfConfig,
    plcp: Dur,
    /// Data rates other than the configured one: of what goes to a neighbour, or (`NodeId::BROADCAST`) to all others.
    rates: Vec<(NodeId, Bitrate)>,
    /// Airtime of an RTS.
    pub rts: Dur,
    /// Airtime of a CTS.
    pub cts: Dur,
    /// Airtime of an Ack.
    pub ack: Dur,
    /// From the start of an RTS until its sender misses the CTS.
    pub await_cts: Dur,
    /// How long a station waits for an Ack after the end of its data frame.
    pub ack_timeout: Dur,
    /// From the start of a CTS until its sender misses the data, the time that these take apart.
    pub await_data: Dur,
    /// SIFS and the Ack: what the duration field of data counts.
    pub after_data: Dur,
    /// SIFS and the CTS: by how much the duration field of a CTS is shorter than that of its RTS.
    pub until_cts_ends: Dur,
    /// What the duration field of an RTS counts beside the data frame: three SIFS, CTS, Ack.
    pub around_data: Dur,
}

impl Times {
    /// Derives the times from `config`.
    #[must_use]
    pub fn new(config: &DcfConfig) -> Self {
        let plcp = match config.preamble {
            Preamble::Long => Dur::from_us(192),
            Preamble::Short => Dur::from_us(96),
            Preamble::DataRate => config.data_rate.airtime(PLCP),
        };
        let control = |length| plcp + config.basic_rate.airtime(length);
        // An ACK is not faster than its frame: where the rate is chosen frame by frame, than the slowest.
        let slowest = match config.rate_control {
            RateControlKind::Fixed => config.data_rate,
            RateControlKind::Arf | RateControlKind::Snr => LADDER[0].max(config.basic_rate),
        };
        let ack_rate = config.ack_rate.map_or(config.basic_rate, |rate| rate.min(slowest));
        let (cts, ack) = (control(CTS), plcp + ack_rate.airtime(ACK));
        let timeout = |response| match config.response_timeout {
            ResponseTimeout::End => config.sifs + response + config.timeout_slack,
            ResponseTimeout::Start => config.sifs + config.slot + plcp,
        };
        let rts = control(RTS);
        Self {
            rts,
            cts,
            ack,
            await_cts: rts + timeout(cts),
            ack_timeout: timeout(ack),
            await_data: cts + config.timeout_slack,
            after_data: config.sifs + ack,
            until_cts_ends: config.sifs + cts,
            around_data: config.sifs * 3 + cts + ack,
            plcp,
            rates: Vec::new(),
            config: config.clone(),
        }
    }

    /// DIFS = SIFS + 2 slots, §10.3.2.3.5.
    #[must_use]
    pub fn difs(&self) -> Dur {
        self.config.sifs + self.config.slot * 2
    }

    /// EIFS = SIFS + Ack at the lowest rate of the PHY, 1 Mb/s, + DIFS, §10.3.2.3.7. A model that knows one rate has
    /// its Ack at that.
    #[must_use]
    pub fn eifs(&self) -> Dur {
        let lowest = match self.config.preamble {
            Preamble::Long | Preamble::Short => Bitrate::from_mbps(1),
            Preamble::DataRate => self.config.basic_rate,
        };
        self.config.sifs + self.plcp + lowest.airtime(ACK) + self.difs()
    }

    /// How long a NAV set by an RTS waits for a signal: 2 SIFS + CTS + the PHY's start delay + 2 slots, §10.3.2.4.
    #[must_use]
    pub fn nav_timeout(&self) -> Dur {
        self.config.sifs * 2 + self.cts + self.plcp + self.config.slot * 2
    }

    /// PLCP preamble and header.
    #[must_use]
    pub const fn plcp(&self) -> Dur {
        self.plcp
    }

    /// Length of a data frame that carries `size` network-layer bytes, header and FCS included.
    #[inline]
    #[must_use]
    pub fn mpdu(&self, size: Bytes) -> Bytes {
        size + self.config.data_overhead
    }

    /// Airtime of a data frame of `mpdu` bytes; broadcasts go at the basic rate.
    #[inline]
    #[must_use]
    pub fn data(&self, mpdu: Bytes, to: NodeId) -> Dur {
        let rate = if to == NodeId::BROADCAST { self.config.basic_rate } else { self.config.data_rate };
        if !self.rates.is_empty() {
            return self.data_otherwise(mpdu, to, rate);
        }
        self.plcp + rate.airtime(mpdu)
    }

    #[cold]
    #[inline(never)]
    fn data_otherwise(&self, mpdu: Bytes, to: NodeId, configured: Bitrate) -> Dur {
        let of = |node| self.rates.iter().find(|&&(other, _)| other == node).map(|&(_, rate)| rate);
        let rate = if to == NodeId::BROADCAST { None } else { of(to).or_else(|| of(NodeId::BROADCAST)) };
        self.at_rate(mpdu, rate.unwrap_or(configured))
    }

    /// Airtime of a data frame of `mpdu` bytes at this rate.
    #[must_use]
    pub fn at_rate(&self, mpdu: Bytes, rate: Bitrate) -> Dur {
        let plcp = if self.config.preamble == Preamble::DataRate { rate.airtime(PLCP) } else { self.plcp };
        plcp + rate.airtime(mpdu)
    }

    /// From now on data go to a neighbour, or to all, at this rate. RTS, CTS, ACK and broadcasts keep theirs.
    pub fn set_rate(&mut self, to: Option<NodeId>, rate: Bitrate) {
        match to {
            Some(node) => self.rates.retain(|&(other, _)| other != node),
            None => self.rates.clear(),
        }
        self.rates.push((to.unwrap_or(NodeId::BROADCAST), rate));
    }

    /// What channel access needs.
    #[must_use]
    pub fn access_rules(&self) -> AccessRules {
        AccessRules {
            slot: self.config.slot,
            difs: self.difs(),
            hold: match self.config.eifs {
                EifsRule::Ns2 => self.eifs(),
                EifsRule::Standard => self.eifs() - self.difs(),
                EifsRule::None => Dur::ZERO,
            },
            eifs_rule: self.config.eifs,
            cca: self.config.cca_time,
        }
    }
}
