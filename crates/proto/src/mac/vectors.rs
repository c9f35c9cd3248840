//! What the frames of a configuration are sent with.

use super::config::{DSSS_RATES, DcfConfig};
use super::rate::{MinstrelHtVersion, RateControlKind};
use super::standard::Standard;
use crate::phy::{Dsss, DsssRate, GuardInterval, McsVector, Ofdm, OfdmRate, Preamble, TxVector, Width};
use crate::units::Bitrate;

impl DcfConfig {
    /// Unicast data frames; the fastest of them where the rate is chosen frame by frame.
    #[must_use]
    pub fn data_vector(&self) -> TxVector {
        self.mcs_vector().map_or_else(|| self.vector_at(self.data_rate), TxVector::Mcs)
    }

    /// RTS, CTS and broadcast frames.
    #[must_use]
    pub fn basic_vector(&self) -> TxVector {
        if self.speaks_dsss() {
            return TxVector::dsss(self.basic_rate, self.preamble);
        }
        self.control_at(self.basic_rate)
    }

    /// Frames other than data at this rate.
    fn control_at(&self, rate: Bitrate) -> TxVector {
        match self.vector_at(rate) {
            TxVector::Dsss(dsss) if dsss.preamble == Preamble::DataRate => {
                TxVector::Dsss(Dsss { plcp_rate: DsssRate::of(self.data_rate), ..dsss })
            }
            vector => vector,
        }
    }

    /// Data frames without an MCS at this rate; where OFDM does not have it, at the next lower one that it has.
    #[must_use]
    pub fn vector_at(&self, rate: Bitrate) -> TxVector {
        if self.standard == Standard::B {
            return TxVector::dsss(rate, self.preamble);
        }
        let has = OfdmRate::ALL.into_iter().rev().find(|it| it.bitrate() <= rate);
        self.ofdm(has.unwrap_or(OfdmRate::Mbps6))
    }

    fn ofdm(&self, rate: OfdmRate) -> TxVector {
        let width = self.mcs_vector().map_or_else(Default::default, |vector| vector.width);
        TxVector::Ofdm(Ofdm { rate, width, band: self.frequency_band() })
    }

    /// The ACK of a data frame: at the highest basic rate that is not above the frame's, of OFDM not above its non-HT
    /// reference rate (IEEE 802.11-2020 §10.6.6.5.2).
    #[must_use]
    pub fn response_to(&self, data: TxVector) -> TxVector {
        let most = self.ack_rate.unwrap_or(self.basic_rate);
        let reference = match data {
            TxVector::Dsss(_) if self.speaks_dsss() => return self.basic_vector(),
            TxVector::Dsss(_) if self.ack_rate.is_none() => return self.control_at(self.basic_rate),
            TxVector::Dsss(dsss) => return self.control_at(most.min(dsss.rate.get())),
            TxVector::Ofdm(ofdm) => ofdm.rate,
            TxVector::Mcs(mcs) => OfdmRate::reference(mcs.modulation()),
        };
        let basic = |rate: &OfdmRate| *rate <= reference && rate.bitrate() <= most;
        self.ofdm(OfdmRate::MANDATORY.into_iter().rev().find(basic).unwrap_or(OfdmRate::Mbps6))
    }

    /// What rate control chooses among, the slowest first: all rates of DSSS or OFDM up to `data-rate`, or all MCS up
    /// to `mcs` over up to `streams` streams, as [`Self::shapes`] has them.
    #[must_use]
    pub fn ladder(&self) -> Vec<TxVector> {
        if let Some(most) = self.mcs_vector() {
            let all = (1..=most.streams).flat_map(|streams| (0..=most.mcs).map(move |mcs| (streams, mcs)));
            let shapes = self.shapes(most);
            let vectors =
                all.flat_map(|(streams, mcs)| shapes.iter().map(move |it| McsVector { mcs, streams, ..*it }));
            let mut ladder: Vec<McsVector> = vectors.filter(|vector| vector.check().is_ok()).collect();
            ladder.sort_by_key(McsVector::rate);
            return ladder.into_iter().map(TxVector::Mcs).collect();
        }
        let rates: Vec<Bitrate> = match self.standard {
            Standard::B => DSSS_RATES.to_vec(),
            _ => OfdmRate::ALL.map(OfdmRate::bitrate).to_vec(),
        };
        rates.into_iter().filter(|&rate| rate <= self.data_rate).map(|rate| self.vector_at(rate)).collect()
    }

    /// Widths and guard intervals among which rate control chooses: those that are set; with ns-3.44's Minstrel-HT the
    /// narrower ones besides, and beside a guard interval of 0.4 us that of 0.8 us.
    fn shapes(&self, most: McsVector) -> Vec<McsVector> {
        if self.rate_control != RateControlKind::MinstrelHt
            || self.minstrel_ht.version != MinstrelHtVersion::Ns3
        {
            return vec![most];
        }
        let long = (most.guard == GuardInterval::Ns400).then_some(GuardInterval::Ns800);
        let widths = Width::ALL.into_iter().filter(|&width| width <= most.width);
        widths
            .flat_map(|width| {
                long.into_iter().chain([most.guard]).map(move |guard| McsVector { width, guard, ..most })
            })
            .collect()
    }

    /// All that unicast data frames could be sent with in this format, the slowest first.
    #[must_use]
    pub fn modes(&self) -> Vec<TxVector> {
        let Some(vector) = self.mcs_vector() else {
            let rates: Vec<Bitrate> = match self.standard {
                Standard::B => DSSS_RATES.to_vec(),
                _ => OfdmRate::ALL.map(OfdmRate::bitrate).to_vec(),
            };
            return rates.into_iter().map(|rate| self.vector_at(rate)).collect();
        };
        let all = (0..12).map(|mcs| McsVector { mcs, ..vector });
        all.filter(|vector| vector.check().is_ok()).map(TxVector::Mcs).collect()
    }
}
