//! Times and lengths of the exchange, derived from the configuration once.
//!
//! IEEE 802.11-2020 §15.3 (DSSS PHY: PLCP preamble and header 192 µs long, 96 µs short), §9.3.1 (control frame
//! lengths), §10.3.2.3 (interframe spaces).

use super::access::AccessRules;
use super::answers::{self, Answer, Answers};
use super::protection::Guard;
use crate::mac::config::{DcfConfig, EifsRule, Preamble, ResponseTimeout, Standard};
use crate::phy::TxVector;
use crate::units::{Bitrate, Bytes, Dur, NodeId};

/// RTS length, §9.3.1.2.
pub(super) const RTS: Bytes = Bytes(20);
/// CTS length, §9.3.1.3.
pub(super) const CTS: Bytes = Bytes(14);
/// Ack length, §9.3.1.4.
pub(super) const ACK: Bytes = Bytes(14);
/// CF-End length, §9.3.1.5.
pub(super) const END: Bytes = Bytes(20);
/// Derived constants of one station.
#[derive(Clone, Debug)]
pub struct Times {
    config: DcfConfig,
    plcp: Dur,
    /// What unicast data frames are sent with.
    data: TxVector,
    /// Data frames that are sent otherwise: to a neighbour, or (`NodeId::BROADCAST`) to all others.
    others: Vec<(NodeId, TxVector)>,
    /// Neighbours of an older amendment, and what the MAC adds to a packet for them.
    older: Vec<(NodeId, Bytes)>,
    /// What RTS, CTS and broadcasts are sent with.
    pub basic: TxVector,
    /// Airtime of an RTS.
    pub rts: Dur,
    /// Airtime of a CTS.
    pub cts: Dur,
    /// From the start of an RTS until its sender misses the CTS.
    pub await_cts: Dur,
    /// From the start of a CTS until its sender misses the data, the time that these take apart.
    pub await_data: Dur,
    /// SIFS and the CTS: by how much the duration field of a CTS is shorter than that of its RTS.
    pub until_cts_ends: Dur,
    answers: Answers,
}

impl Times {
    /// Derives the times from `config`.
    #[must_use]
    pub fn new(config: &DcfConfig) -> Self {
        let (data, basic) = (config.data_vector(), config.basic_vector());
        let (rts, cts) = (basic.airtime(RTS), basic.airtime(CTS));
        Self {
            rts,
            cts,
            await_cts: rts + answers::timeout(config, basic, cts),
            await_data: cts + config.timeout_slack,
            until_cts_ends: config.sifs + cts,
            answers: Answers::new(config),
            plcp: config.response_to(data).before_payload(),
            data,
            others: Vec::new(),
            older: Vec::new(),
            basic,
            config: config.clone(),
        }
    }

    /// What they were derived from.
    #[inline(always)]
    pub(super) const fn config(&self) -> &DcfConfig {
        &self.config
    }

    /// DIFS = SIFS + 2 slots, §10.3.2.3.5; of QoS stations AIFS, §10.3.2.3.6.
    #[must_use]
    pub fn difs(&self) -> Dur {
        self.config.sifs + self.config.slot * u64::from(self.config.aifsn)
    }

    /// EIFS = SIFS + Ack at the lowest rate of the PHY, 1 Mb/s of DSSS or 6 Mb/s of OFDM, + DIFS, §10.3.2.3.7. A model
    /// that knows one rate has its Ack at that.
    #[must_use]
    pub fn eifs(&self) -> Dur {
        let lowest = match self.config.preamble {
            // Beside stations of 802.11b as theirs.
            preamble if self.config.speaks_dsss() => TxVector::dsss(Bitrate::from_mbps(1), preamble),
            _ if self.config.standard != Standard::B => self.config.vector_at(Bitrate::from_mbps(6)),
            Preamble::Long | Preamble::Short => self.config.vector_at(Bitrate::from_mbps(1)),
            Preamble::DataRate => self.basic,
        };
        self.config.sifs + lowest.airtime(ACK) + self.difs()
    }

    /// How long a NAV set by an RTS waits for a signal: 2 SIFS + CTS + the PHY's start delay + 2 slots, §10.3.2.4.
    #[must_use]
    pub fn nav_timeout(&self) -> Dur {
        self.config.sifs * 2 + self.cts + self.plcp + self.config.slot * 2
    }

    /// How a data frame that is sent with `data` is answered.
    #[inline(always)]
    #[must_use]
    pub fn answer(&self, data: TxVector) -> &Answer {
        self.answers.to(&self.config, data)
    }

    /// For how long an answer is waited for, if it is so much longer than an ACK.
    pub(super) fn timeout(&self, answer: &Answer, beyond_ack: Dur) -> Dur {
        match self.config.response_timeout {
            ResponseTimeout::End => answer.timeout + beyond_ack,
            ResponseTimeout::Start => answer.timeout,
        }
    }

    /// A whole exchange of RTS, CTS, a data frame of such an airtime, and ACK.
    pub(super) fn with_rts(&self, data: TxVector, airtime: Dur) -> Dur {
        self.rts + self.answer(data).around_data + airtime
    }

    /// SIFS and the shortest ACK that a data frame can have.
    #[inline(always)]
    pub(super) const fn after_fastest(&self) -> Dur {
        self.answers.after_fastest
    }

    /// From the moment at which the medium is won until a data frame begins, if this goes before it.
    pub(in crate::mac) fn until_data(&self, guard: Guard) -> Dur {
        match guard {
            Guard::None => Dur::ZERO,
            Guard::Cts => self.cts + self.config.sifs,
            Guard::Rts => self.rts + self.cts + self.config.sifs * 2,
        }
    }

    /// From the last answer of a transmit opportunity until a CF-End has given back what is left of it.
    pub(in crate::mac) fn until_given_back(&self) -> Dur {
        self.config.sifs + self.basic.airtime(END)
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

    /// The same of a frame to this neighbour.
    #[must_use]
    pub fn mpdu_to(&self, size: Bytes, to: NodeId) -> Bytes {
        let older = self.older.iter().find(|&&(node, _)| node == to);
        older.map_or_else(|| self.mpdu(size), |&(_, overhead)| size + overhead)
    }

    /// A neighbour is of an older amendment: how frames are sent to it.
    pub fn set_older(&mut self, node: NodeId, towards: &DcfConfig) {
        self.set_vector(Some(node), towards.data_vector());
        self.older.push((node, towards.data_overhead));
    }

    /// What a data frame to this neighbour is sent with; a broadcast goes at the basic rate.
    #[inline]
    #[must_use]
    pub fn vector(&self, to: NodeId) -> TxVector {
        if to == NodeId::BROADCAST {
            return self.basic;
        }
        if self.others.is_empty() { self.data } else { self.other(to) }
    }

    #[cold]
    #[inline(never)]
    fn other(&self, to: NodeId) -> TxVector {
        let of = |node| self.others.iter().find(|&&(other, _)| other == node).map(|&(_, vector)| vector);
        of(to).or_else(|| of(NodeId::BROADCAST)).unwrap_or(self.data)
    }

    /// What all unicast data frames are sent with, if it is the same for all neighbours and always was.
    pub(super) fn only_vector(&self) -> Option<TxVector> {
        self.others.is_empty().then_some(self.data)
    }

    /// From now on data to a neighbour, or to all, are sent with this. RTS, CTS, ACK and broadcasts keep theirs.
    pub fn set_vector(&mut self, to: Option<NodeId>, vector: TxVector) {
        match to {
            Some(node) => self.others.retain(|&(other, _)| other != node),
            None => self.others.retain(|&(other, _)| self.older.iter().any(|&(older, _)| older == other)),
        }
        self.others.push((to.unwrap_or(NodeId::BROADCAST), vector));
    }

    /// From now on data to a neighbour, or to all, are sent at this rate.
    pub(super) fn set_rate(&mut self, to: Option<NodeId>, rate: Bitrate) {
        self.set_vector(to, self.config.vector_at(rate));
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
            begun_slots: self.config.standard.generation().is_some(),
            cca: self.config.cca_time,
        }
    }
}
