//! How data frames are answered: the rate of their ACKs and block acks, and for how long their sender waits for these
//! (IEEE 802.11-2020 §10.6.6.5).

use super::times::{ACK, CTS};
use crate::mac::config::{DcfConfig, RateControlKind, ResponseTimeout};
use crate::phy::TxVector;
use crate::units::Dur;

/// How data frames of some rates are answered.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// What ACKs and block acks are sent with.
    pub tx: TxVector,
    /// Airtime of an ACK.
    pub ack: Dur,
    /// Airtime of a block ack.
    pub block_ack: Dur,
    /// How long a station waits for an ACK after the end of its data frame.
    pub timeout: Dur,
    /// SIFS and the ACK: what the duration field of data counts.
    pub after_data: Dur,
    /// What the duration field of an RTS counts beside the data frame: three SIFS, CTS, ACK.
    pub around_data: Dur,
}

impl Answer {
    fn new(config: &DcfConfig, tx: TxVector) -> Self {
        let (ack, cts) = (tx.airtime(ACK), config.basic_vector().airtime(CTS));
        Self {
            tx,
            ack,
            block_ack: tx.airtime(config.aggregation.block_ack()),
            timeout: timeout(config, tx, ack),
            after_data: config.sifs + ack,
            around_data: config.sifs * 3 + cts + ack,
        }
    }

    /// By how much the answer is longer than an ACK, if it is a block ack.
    #[must_use]
    pub fn beyond_ack(&self, block_ack: bool) -> Dur {
        if block_ack { self.block_ack - self.ack } else { Dur::ZERO }
    }
}

/// How long a station waits for an answer, of this airtime, after the end of its own frame.
pub(super) fn timeout(config: &DcfConfig, answer: TxVector, airtime: Dur) -> Dur {
    match config.response_timeout {
        ResponseTimeout::End => config.sifs + airtime + config.timeout_slack,
        ResponseTimeout::Start => config.sifs + config.slot + answer.before_payload(),
    }
}

/// The answers to all data frames of a format.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    /// What data frames are sent with by the configuration, and the answer to them.
    data: TxVector,
    usual: Answer,
    /// Those at other rates.
    others: Vec<Answer>,
    /// SIFS and the shortest ACK that the station's data frames can have.
    pub after_fastest: Dur,
}

impl Answers {
    pub(super) fn new(config: &DcfConfig) -> Self {
        let data = config.data_vector();
        let usual = Answer::new(config, config.response_to(data));
        let mut others = Vec::<Answer>::new();
        let basic = config.speaks_dsss().then(|| config.basic_vector());
        for mode in config.modes().into_iter().chain(basic) {
            let tx = config.response_to(mode);
            if tx != usual.tx && others.iter().all(|it| it.tx != tx) {
                others.push(Answer::new(config, tx));
            }
        }
        let chosen = !matches!(config.rate_control, RateControlKind::Fixed);
        let after_data = others.iter().filter(|_| chosen).map(|it| it.after_data);
        let after_fastest = after_data.fold(usual.after_data, Dur::min);
        Self { data, usual, others, after_fastest }
    }

    /// How a data frame that is sent with `data` is answered.
    #[inline(always)]
    pub(super) fn to(&self, config: &DcfConfig, data: TxVector) -> &Answer {
        if self.others.is_empty() || data == self.data { &self.usual } else { self.find(config, data) }
    }

    #[inline(never)]
    fn find(&self, config: &DcfConfig, data: TxVector) -> &Answer {
        let tx = config.response_to(data);
        self.others.iter().find(|it| it.tx == tx).unwrap_or(&self.usual)
    }
}
