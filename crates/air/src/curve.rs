//! Whether bits come through: the error curve of what a frame is sent with.

use multihop_proto::phy::{Modulation, TxVector};
use multihop_proto::units::{Bytes, Decibel, Dur, SimTime};
use multihop_proto::wire::Mpdu;

use super::bit_errors::BitErrors;
use super::config::OfdmErrors;
use super::dsss;

/// The parts of a frame that can be wrong, and when they are on the air.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    curve: Curve,
    /// Where the header begins and ends.
    pub(super) header: SimTime,
    pub(super) header_end: SimTime,
    /// Where the payload begins and ends.
    pub(super) payload: SimTime,
    pub(super) payload_end: SimTime,
    /// Bits of the header and of the payload in a second.
    header_rate: f64,
    rate: f64,
    /// Bytes of the payload.
    bytes: f64,
    /// How many times 20 MHz wide it is: so much more noise it meets.
    pub(super) wide: f64,
}

/// Probability that the payload of a frame of so many bytes comes through at this ratio of signal to noise.
#[must_use]
pub fn payload_survives(tx: TxVector, size: Bytes, errors: OfdmErrors, ratio: f64) -> f64 {
    let parts = Parts::new(tx, size, SimTime::ZERO, errors);
    parts.payload_intact(ratio, parts.payload, parts.payload_end)
}

/// The least ratio of signal to the noise of 20 MHz at which a frame of this length is lost with no more than this
/// probability.
#[must_use]
pub fn least_ratio(tx: TxVector, size: Bytes, errors: OfdmErrors, loss: f64) -> Decibel {
    let (mut low, mut high) = (-20.0, 80.0);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        let enough = payload_survives(tx, size, errors, Decibel::new(middle).ratio()) >= 1.0 - loss;
        (low, high) = if enough { (low, middle) } else { (middle, high) };
    }
    Decibel::new(high + 10.0 * libm::log10(wide(tx)))
}

/// When each MPDU of a frame of this length that begins at an instant is on the air.
pub fn mpdu_spans(
    tx: TxVector,
    size: Bytes,
    begin: SimTime,
    mpdus: &[Mpdu],
) -> impl Iterator<Item = (SimTime, SimTime)> {
    let parts = Parts::new(tx, size, begin, OfdmErrors::Table);
    let mut passed = 0;
    mpdus.iter().map(move |mpdu| {
        let part = parts.mpdu(passed, mpdu.size);
        passed += mpdu.room.get();
        (part.payload, part.payload_end)
    })
}

/// How many times 20 MHz wide a frame is.
pub(super) fn wide(tx: TxVector) -> f64 {
    f64::from(tx.width().times_20_mhz())
}

/// By what the bits of a frame fall.
#[derive(Clone, Copy, Debug)]
enum Curve {
    /// DSSS: header, payload.
    Dsss(dsss::Modulation, dsss::Modulation),
    /// OFDM and later: payload, Hz of bandwidth per coded bit in a second in header and payload, model.
    Ofdm { payload: Modulation, header_spread: f64, spread: f64, errors: OfdmErrors },
}

impl Parts {
    /// Of a frame that begins at an instant.
    pub(super) fn new(tx: TxVector, size: Bytes, begin: SimTime, errors: OfdmErrors) -> Self {
        let parts = tx.sections(size);
        let header = begin + parts.preamble;
        let payload = begin + parts.before_payload();
        Self {
            curve: Curve::new(tx, errors),
            header,
            header_end: header + parts.header,
            payload,
            payload_end: payload + parts.payload,
            header_rate: parts.header_rate.as_bps() as f64,
            rate: size.bits() as f64 / parts.payload.max(Dur::from_ns(1)).as_secs_f64(),
            bytes: f64::from(size.get()),
            wide: wide(tx),
        }
    }

    /// The same of a frame that begins so much later.
    #[inline]
    pub(super) fn later(&self, by: Dur) -> Self {
        let [header, header_end, payload, payload_end] =
            [self.header, self.header_end, self.payload, self.payload_end].map(|at| at + by);
        Self { header, header_end, payload, payload_end, ..*self }
    }

    /// Errors strike all bits of its symbols, not those of the frame alone.
    pub(super) fn with_padding(self, tx: TxVector) -> Self {
        let Curve::Ofdm { .. } = self.curve else { return self };
        Self { rate: tx.rate().as_bps() as f64, ..self }
    }

    /// The part of an A-MPDU that is an MPDU of this length, which begins so many bytes after the start.
    pub(super) fn mpdu(&self, begin: u32, size: Bytes) -> Self {
        let bytes = f64::from(size.get());
        let time = |bytes: f64| Dur::from_secs_f64(bytes * 8.0 / self.rate);
        let payload = self.payload + time(f64::from(begin));
        let payload_end = (payload + time(bytes)).min(self.payload_end);
        Self { payload, payload_end, bytes, ..*self }
    }

    /// By what the bits of the header fall.
    pub(super) fn header_errors(&self) -> BitErrors {
        match self.curve {
            Curve::Dsss(header, _) => BitErrors::Dsss(header, self.header_rate),
            Curve::Ofdm { header_spread: spread, errors, .. } => {
                BitErrors::Ofdm { of: Modulation::HEADER, spread, bytes: 0.0, errors }
            }
        }
    }

    /// By what those of the payload fall.
    pub(super) fn payload_errors(&self) -> BitErrors {
        self.errors_of(self.bytes)
    }

    /// By what those of a part of the payload with so many bytes fall.
    pub(super) fn errors_of(&self, bytes: f64) -> BitErrors {
        match self.curve {
            Curve::Dsss(_, payload) => BitErrors::Dsss(payload, self.rate),
            Curve::Ofdm { payload: of, spread, errors, .. } => {
                let bytes = if errors.minds_length() { bytes } else { 0.0 };
                BitErrors::Ofdm { of, spread, bytes, errors }
            }
        }
    }

    /// How many bytes of the payload are on the air until `time`.
    pub(super) fn bytes_until(&self, time: SimTime) -> f64 {
        self.payload_bits(self.payload, time.max(self.payload)) / 8.0
    }

    /// Bytes of the whole payload.
    pub(super) const fn bytes(&self) -> f64 {
        self.bytes
    }

    /// Bits of the header in a stretch of it.
    pub(super) fn header_bits(&self, since: SimTime, until: SimTime) -> f64 {
        (until - since).as_secs_f64() * self.header_rate
    }

    /// Bits of the payload in a stretch of it.
    pub(super) fn payload_bits(&self, since: SimTime, until: SimTime) -> f64 {
        (until - since).as_secs_f64() * self.rate
    }

    /// Probability that a stretch of the header comes through at this ratio of signal to noise and interference.
    pub(super) fn header_intact(&self, ratio: f64, since: SimTime, until: SimTime) -> f64 {
        self.header_errors().intact(ratio, self.header_bits(since, until))
    }

    /// Probability that a stretch of the payload comes through.
    pub(super) fn payload_intact(&self, ratio: f64, since: SimTime, until: SimTime) -> f64 {
        self.payload_errors().intact(ratio, self.payload_bits(since, until))
    }
}

impl Curve {
    fn new(tx: TxVector, errors: OfdmErrors) -> Self {
        let (payload, streams) = match tx {
            TxVector::Dsss(dsss) => {
                let header = tx.sections(Bytes::ZERO).header_rate;
                return Self::Dsss(dsss::Modulation::of(header), dsss::Modulation::of(dsss.rate.get()));
            }
            TxVector::Ofdm(ofdm) => (ofdm.rate.modulation(), 1.0),
            TxVector::Mcs(mcs) => (mcs.modulation(), f64::from(mcs.streams)),
        };
        let spread =
            |width: f64, rate: f64, code: (u32, u32)| width * f64::from(code.0) / (rate * f64::from(code.1));
        let hertz = f64::from(tx.width().mhz()) * 1e6;
        // A frame of OFDM that is copied into each 20 MHz has the rate of one copy.
        let (own, rate) = match tx {
            TxVector::Mcs(_) => (hertz, tx.rate().as_bps() as f64 / streams),
            _ => (20e6, tx.rate().as_bps() as f64),
        };
        Self::Ofdm {
            payload,
            header_spread: spread(20e6, 6e6, (1, 2)),
            spread: spread(own, rate, payload.code.fraction()),
            errors,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multihop_proto::phy::{
        Band, DurationRule, Generation, GuardInterval, McsVector, Ofdm, OfdmRate, Preamble, Width,
    };
    use multihop_proto::units::Bitrate;

    fn mcs(mcs: u8) -> TxVector {
        let (width, guard, band) = (Width::Mhz20, GuardInterval::Ns800, Band::Ghz5);
        let durations = DurationRule::Standard;
        TxVector::Mcs(McsVector {
            generation: Generation::He,
            mcs,
            streams: 1,
            width,
            guard,
            band,
            durations,
        })
    }

    /// The ratio at which a tenth of all frames of 1458 bytes is lost \[dB\].
    fn tenth_lost(tx: TxVector, errors: OfdmErrors) -> f64 {
        let lost =
            |decibels: f64| 1.0 - payload_survives(tx, Bytes(1458), errors, libm::exp10(decibels / 10.0));
        let hundredths = (-1_000..5_000).map(|hundredth| f64::from(hundredth) / 100.0);
        hundredths.into_iter().find(|&decibels| lost(decibels) <= 0.1).expect("it falls")
    }

    /// Thresholds that other implementations of the same models have, for each MCS.
    #[test]
    fn thresholds_are_those_of_the_models() {
        let table = [0.9, 4.0, 6.4, 9.7, 12.8, 17.1, 18.4, 19.6, 23.7, 25.2];
        let ldpc = [-0.6, 2.4, 4.9, 7.9, 10.9, 15.1, 16.5, 18.0, 21.7, 23.5, 26.8, 28.9];
        let nist = [4.0, 7.0, 9.9, 13.5, 16.6, 21.4, 22.6, 23.8, 28.5, 29.7, 34.3, 35.6];
        let all: [(_, &[f64]); 3] =
            [(OfdmErrors::Table, &table), (OfdmErrors::TableLdpc, &ldpc), (OfdmErrors::Nist, &nist)];
        for (errors, thresholds) in all {
            for (index, &there) in thresholds.iter().enumerate() {
                let here = tenth_lost(mcs(index as u8), errors);
                assert!((here - there).abs() < 0.1, "{errors:?}, MCS {index}: {here}");
            }
        }
    }

    #[test]
    fn yans_counts_energy_per_coded_bit() {
        let TxVector::Mcs(he) = mcs(0) else { unreachable!("it has an MCS") };
        let ht = McsVector { generation: Generation::Ht, ..he };
        let yans = [4.1, 7.0, 10.5, 13.6, 18.1, 19.6, 21.3];
        for (mcs, there) in (1..8).zip(yans) {
            let here = tenth_lost(TxVector::Mcs(McsVector { mcs, ..ht }), OfdmErrors::Yans);
            assert!((here - there).abs() < 0.1, "MCS {mcs}: {here}");
        }
        for (rate, there) in [(OfdmRate::Mbps6, 0.7), (OfdmRate::Mbps9, 3.0)] {
            let ofdm = |width| TxVector::Ofdm(Ofdm { rate, width, band: Band::Ghz5 });
            let here = tenth_lost(ofdm(Width::Mhz20), OfdmErrors::Yans);
            assert!((here - there).abs() < 0.1, "{rate:?}: {here}");
            let copied = tenth_lost(ofdm(Width::Mhz80), OfdmErrors::Yans);
            assert!((copied - here).abs() < 1e-9, "as many bits in each copy: {copied}");
        }
    }

    /// A block ack request has 24 bytes in three symbols of 96 bits. No FCS covers the other 96 bits.
    #[test]
    fn padding_counts_if_asked_for() {
        let tx = TxVector::Ofdm(Ofdm { rate: OfdmRate::Mbps24, width: Width::Mhz20, band: Band::Ghz5 });
        let parts = Parts::new(tx, Bytes(24), SimTime::ZERO, OfdmErrors::Nist);
        let intact = |of: Parts| of.payload_intact(libm::exp10(1.2), of.payload, of.payload_end);
        let (frame, symbols) = (intact(parts), intact(parts.with_padding(tx)));
        assert!((0.5..0.9).contains(&frame), "{frame}");
        assert!((symbols / libm::pow(frame, 288.0 / 192.0) - 1.0).abs() < 1e-9, "{symbols}");
        let dsss = TxVector::dsss(Bitrate::from_mbps(2), Preamble::Long);
        let parts = Parts::new(dsss, Bytes(24), SimTime::ZERO, OfdmErrors::Nist);
        assert_eq!(intact(parts), intact(parts.with_padding(dsss)));
    }

    /// A stretch of a frame has its share of the errors, and an empty one none.
    #[test]
    fn stretches_multiply() {
        for errors in [OfdmErrors::Table, OfdmErrors::TableLdpc, OfdmErrors::Nist, OfdmErrors::Yans] {
            let ratio = libm::exp10(0.1 * tenth_lost(mcs(4), errors));
            let parts = Parts::new(mcs(4), Bytes(1458), SimTime::ZERO, errors);
            let (begin, end) = (parts.payload, parts.payload_end);
            let middle = begin + Dur::from_us(100);
            let whole = parts.payload_intact(ratio, begin, end);
            let halves =
                parts.payload_intact(ratio, begin, middle) * parts.payload_intact(ratio, middle, end);
            assert!((whole / halves - 1.0).abs() < 1e-9, "{errors:?}: {whole} {halves}");
            assert_eq!(parts.payload_intact(0.0, begin, begin), 1.0);
            assert_eq!(parts.payload_intact(0.0, begin, end), 0.0);
        }
    }

    #[test]
    fn wide_frames_meet_more_noise() {
        let (TxVector::Mcs(narrow), at) = (mcs(0), SimTime::ZERO) else { unreachable!("it has an MCS") };
        let wide = |width| {
            Parts::new(TxVector::Mcs(McsVector { width, ..narrow }), Bytes(100), at, OfdmErrors::Nist).wide
        };
        assert_eq!(Width::ALL.map(wide), [1.0, 2.0, 4.0, 8.0]);
    }
}
