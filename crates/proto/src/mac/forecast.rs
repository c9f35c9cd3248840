//! What the configuration of a MAC says of its frames before anything runs.

use super::aggregate::{Limits, Load};
use super::config::{
    AggregationConfig, BackoffDraw, DSSS_RATES, DcfConfig, MacConfig, Protection, RateControlKind, Standard,
};
use super::dcf::{Guard, Times};
use super::edca::{EdcaConfig, Parameters};
use super::rate::{AnyRateRule, LeastRatio, MinstrelHtVersion, RateRule};
use crate::phy::TxVector;
use crate::units::range::{Checked, must};
use crate::units::{Bitrate, Bytes, Dur, Entity, NodeId, Power, Purpose, Rng, SimTime};
use crate::wire::{Category, Dscp};

impl MacConfig {
    /// Rate of unicast data frames; the highest of them where the rate is chosen frame by frame.
    #[must_use]
    pub fn data_rate(&self) -> Bitrate {
        let Self::Dcf(dcf) = self;
        dcf.data_vector().rate()
    }

    /// The key of a value that its standard does not allow, and what is wrong with it.
    #[must_use]
    pub fn beyond_standard(&self) -> Option<(&'static str, String)> {
        let Self::Dcf(dcf) = self;
        dcf.beyond_standard()
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
        match dcf.rate_control {
            RateControlKind::Fixed => dcf.data_vector(),
            _ if dcf.standard == Standard::B => dcf.vector_at(DSSS_RATES[0]),
            _ => dcf.ladder()[0],
        }
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
            Some("minstrel") => {
                (dcf.rate_control == RateControlKind::Minstrel, "mac.rate-control = \"minstrel\"")
            }
            Some("edca") if key != "edca.on" => (dcf.edca.on, "mac.edca.on = true"),
            Some("aggregation") => return dcf.aggregation.unmet(key),
            Some("aifsn" | "cw-min" | "cw-max") => {
                (!dcf.edca.on, "mac.edca.on = false: with it each category has its own")
            }
            Some("minstrel-ht") if dcf.rate_control != RateControlKind::MinstrelHt => {
                (false, "mac.rate-control = \"minstrel-ht\"")
            }
            Some("minstrel-ht") => {
                let used =
                    key != "minstrel-ht.sample" || dcf.minstrel_ht.version == MinstrelHtVersion::Linux2021;
                (used, "mac.minstrel-ht.version = \"linux-2021\"")
            }
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

    /// How stations have access categories, if they have.
    #[must_use]
    pub fn edca(&self) -> Option<&EdcaConfig> {
        let Self::Dcf(dcf) = self;
        dcf.edca.on.then_some(&dcf.edca)
    }

    /// Whether stations take packets out of the queue before they send them: several go in a frame, or there are
    /// categories.
    #[must_use]
    pub const fn takes_packets(&self) -> bool {
        let Self::Dcf(dcf) = self;
        dcf.aggregation.takes_packets() || dcf.edca.on
    }

    /// The access category of a packet with this codepoint.
    #[must_use]
    pub fn category(&self, dscp: Dscp) -> Category {
        self.edca().map_or(Category::BestEffort, |edca| edca.map.priority(dscp).category())
    }

    /// How long a station has the medium to send a packet so over one hop, back-off apart; where frames are aggregated,
    /// or follow each other in a transmit opportunity, its share of the longest time that there can be.
    #[must_use]
    pub fn exchange(&self, tx: TxVector, packet: Bytes, category: Category) -> Dur {
        let Self::Dcf(dcf) = self;
        let Held { time, packets } = held(dcf, tx, packet, category);
        Dur::from_ns(time.as_ns() / packets)
    }

    /// The mean back-off between two exchanges of a station whose frames are all acknowledged, or the share of it that
    /// a packet of this length has which is sent so \[s\].
    #[must_use]
    pub fn mean_backoff(&self, tx: TxVector, packet: Bytes, category: Category) -> f64 {
        let Self::Dcf(dcf) = self;
        backoff(dcf, category) / held(dcf, tx, packet, category).packets as f64
    }

    /// All among which rate control chooses, the slowest first; the only one where it is fixed.
    #[must_use]
    pub fn ladder(&self) -> Vec<TxVector> {
        let Self::Dcf(dcf) = self;
        if self.chooses_rates() { dcf.ladder() } else { vec![dcf.data_vector()] }
    }

    /// What data frames are sent with to a neighbour that is heard at this power \[W\] over this noise, if rate control
    /// goes by that.
    #[must_use]
    pub fn chosen_at(&self, power: f64, noise: Power, least: &LeastRatio<'_>) -> Option<TxVector> {
        let Self::Dcf(dcf) = self;
        let ladder = dcf.ladder();
        let draws = || Rng::stream(0, 0, Entity::Whole, Purpose::Backoff); // what minds power draws nothing
        let mut rule = AnyRateRule::new(dcf, &ladder, draws).filter(RateRule::minds_power)?;
        rule.set_noise(noise);
        rule.set_least(least);
        rule.heard(NodeId(0), power);
        ladder.get(rule.choose(SimTime::ZERO, NodeId(0)).rung).copied()
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

/// What a station does with the medium between two back-offs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    /// How long it has it, DIFS included.
    time: Dur,
    packets: u64,
}

/// What access is like: slots of AIFS, smallest window, whether frames are aggregated, longest transmit opportunity.
fn parameters(dcf: &DcfConfig, category: Category) -> Parameters {
    if !dcf.edca.on {
        let DcfConfig { aifsn, cw_min, cw_max, aggregation, .. } = *dcf;
        return Parameters { aifsn, cw_min, cw_max, txop: Dur::ZERO, aggregate: aggregation.on };
    }
    let its = dcf.edca.parameters(category);
    Parameters { aggregate: its.aggregate && dcf.aggregation.on, ..its }
}

/// DIFS, RTS and CTS if the first frame is long enough, data, ACK (IEEE 802.11-2020 §10.3); more frames SIFS apart
/// while they fit into the transmit opportunity (§10.23.2.9), as many as make a packet take least. Where all of it was
/// reserved, a CF-End gives back what is left (§10.23.2.10).
fn held(dcf: &DcfConfig, tx: TxVector, packet: Bytes, category: Category) -> Held {
    let (times, its) = (Times::new(dcf), parameters(dcf, category));
    let limits = limits(dcf, category);
    let to_data = times.answer(tx);
    let block_ack = to_data.tx.airtime(dcf.aggregation.block_ack());
    let answer = |count| dcf.sifs + if count > 1 { block_ack } else { to_data.ack };
    let frame = |used: Dur| {
        let left = its.txop.saturating_sub(used + dcf.sifs + block_ack);
        let most = if its.txop == Dur::ZERO { Dur::MAX } else { left };
        limits.fullest(tx, most, its.aggregate, packet + dcf.data_overhead)
    };
    let exchange = |load: Load| tx.airtime(load.psdu) + answer(load.count);
    let (mut load, mut inside) = frame(Dur::ZERO);
    let guard = Guard::of(dcf).before(tx);
    let first = if dcf.reserves(load.psdu) { Guard::Rts } else { guard };
    let mut used = times.until_data(first);
    if first != Guard::None {
        (load, inside) = frame(used);
    }
    // Where the first frame reserves all of the opportunity, nothing goes before those that follow.
    let whole = dcf.edca.protection == Protection::Multiple;
    let next = dcf.sifs + if whole { Dur::ZERO } else { times.until_data(guard) };
    let given_back = |used: Dur| {
        let end = times.until_given_back();
        if whole && used + end <= its.txop { end } else { Dur::ZERO }
    };
    let (difs, between) = (dcf.sifs + dcf.slot * u64::from(its.aifsn), backoff(dcf, category));
    let each = |held: &Held| (held.time.as_secs_f64() + between) / held.packets as f64;
    let (mut packets, mut best) = (0, None::<Held>);
    loop {
        used += exchange(load);
        packets += inside as u64;
        let held = Held { time: difs + used + given_back(used), packets };
        let least = best.filter(|best| each(best) <= each(&held)).unwrap_or(held);
        (load, inside) = frame(used + next);
        if used + next + exchange(load) > its.txop {
            return least;
        }
        best = Some(least);
        used += next;
    }
}

/// What limits the frames of a category.
fn limits(dcf: &DcfConfig, category: Category) -> Limits {
    let packs = !dcf.edca.on || dcf.edca.parameters(category).aggregate;
    let amsdu_length = if packs { dcf.aggregation.amsdu_length } else { Bytes::ZERO };
    Limits::new(&AggregationConfig { amsdu_length, ..dcf.aggregation })
}

/// With the smallest window \[s\].
fn backoff(dcf: &DcfConfig, category: Category) -> f64 {
    let least = parameters(dcf, category).cw_min;
    let drawn = match dcf.backoff_draw {
        BackoffDraw::Inclusive => least,
        BackoffDraw::Exclusive => least.saturating_sub(1),
    };
    f64::from(drawn) / 2.0 * dcf.slot.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::config::CategoryConfig;
    use crate::units::Decibel;
    use Category::{BestEffort, Voice};

    fn exchange(dcf: &DcfConfig) -> Dur {
        MacConfig::Dcf(dcf.clone()).exchange(dcf.data_vector(), Bytes(1500), BestEffort)
    }

    #[test]
    fn an_exchange_is_the_sum_of_its_frames_and_gaps() {
        let dcf =
            DcfConfig { rts_threshold: Bytes(0), data_rate: Bitrate::from_mbps(2), ..DcfConfig::default() };
        // DIFS 50, RTS 352, CTS 304, data 192 + 8 * 1536 / 2, ACK 304, three SIFS
        assert_eq!(exchange(&dcf), Dur::from_us(50 + 352 + 304 + 192 + 6144 + 304 + 30));
        let bare = DcfConfig { rts_threshold: Bytes(65_535), ..dcf.clone() };
        assert_eq!(exchange(&bare), Dur::from_us(50 + 192 + 6144 + 304 + 10));
        // 31 slots of 20 us at most
        assert!((backoff(&dcf, BestEffort) * 1e6 - 310.0).abs() < 1e-6, "{}", backoff(&dcf, BestEffort));
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
        assert_eq!(exchange(&dcf), Dur::from_ns((43 + 36 + 4 * 1331 + 16 + 32) * 1000 / 28));
        // With categories one frame takes up to 2.528 ms: 12 MPDUs. Of voice seven MPDUs follow each other in 2.08 ms.
        let dcf = DcfConfig { edca: EdcaConfig { on: true, ..EdcaConfig::default() }, ..dcf };
        let bound = Dur::from_us(43 + 36 + 4 * 571 + 16 + 32);
        assert_eq!(held(&dcf, dcf.data_vector(), Bytes(1500), BestEffort), Held { time: bound, packets: 12 });
        let single = 36 + 4 * 48 + 16 + 28;
        let voice = Held { time: Dur::from_us(34 + 7 * single + 6 * 16), packets: 7 };
        assert_eq!(held(&dcf, dcf.data_vector(), Bytes(1500), Voice), voice);
        // Where all of it is reserved, 132 us are left: a CF-End of 52 us gives them back.
        let reserving = EdcaConfig { protection: Protection::Multiple, ..dcf.edca };
        let dcf = DcfConfig { edca: reserving, ..dcf };
        let voice = Held { time: voice.time + Dur::from_us(16 + 52), ..voice };
        assert_eq!(held(&dcf, dcf.data_vector(), Bytes(1500), Voice), voice);
        let dcf = DcfConfig { edca: EdcaConfig::default(), ..dcf };
        let tx = dcf.data_vector();
        let mac = MacConfig::Dcf(dcf);
        assert!((mac.mean_backoff(tx, Bytes(1500), BestEffort) * 1e6 - 67.5 / 28.0).abs() < 1e-9);
        // At 6.5 Mb/s two MPDUs take 3.8 ms, and three more than the longest frame may. Their block ack goes at 6 Mb/s.
        let slow = mac.modes()[0];
        assert_eq!(
            mac.exchange(slow, Bytes(1500), BestEffort),
            Dur::from_ns((43 + 36 + 4 * 951 + 16 + 68) * 1000 / 2)
        );
    }

    /// 64 MPDUs of 140 bytes take 1220 us, and so 2 ms do not hold two such frames. With what fits into a second one, a
    /// packet takes longer than in the first alone.
    #[test]
    fn as_many_frames_count_as_make_a_packet_take_least() {
        let video = |txop| {
            let video = CategoryConfig { txop: Some(Dur::from_us(txop)), ..CategoryConfig::default() };
            let edca = EdcaConfig { on: true, video, ..EdcaConfig::default() };
            let aggregation = AggregationConfig { on: true, ..AggregationConfig::default() };
            let (slot, sifs, data_overhead) = (Dur::from_us(9), Dur::from_us(16), Bytes(40));
            let (basic_rate, ack_rate) = (Bitrate::from_mbps(6), Some(Bitrate::from_mbps(24)));
            let standard = Standard::N;
            let dcf = DcfConfig {
                standard,
                edca,
                aggregation,
                slot,
                sifs,
                basic_rate,
                ack_rate,
                data_overhead,
                ..DcfConfig::default()
            };
            held(&dcf, dcf.data_vector(), Bytes(100), Category::Video)
        };
        let frame = 36 + 4 * 284 + 16 + 32;
        let one = Held { time: Dur::from_us(34 + frame), packets: 64 };
        assert_eq!([0, 1_300, 2_000].map(video), [one; 3]);
        assert_eq!(video(2 * frame + 16), Held { time: Dur::from_us(34 + 2 * frame + 16), packets: 128 });
    }

    #[test]
    fn what_goes_by_power_says_beforehand_what_it_will_choose() {
        let mac = |rate_control| {
            MacConfig::Dcf(DcfConfig { rate_control, standard: Standard::N, ..DcfConfig::default() })
        };
        // Each mode needs three decibels more than the one below.
        let least = |tx: TxVector, _: Bytes, _: f64| {
            let rung = mac(RateControlKind::Ideal).ladder().iter().position(|it| *it == tx);
            Decibel::new(3.0 * rung.unwrap_or(0) as f64)
        };
        let chosen = |rate_control, decibels: f64| {
            let power = 1e-12 * libm::exp10(decibels / 10.0);
            let chosen = mac(rate_control).chosen_at(power, Power::new(1e-12), &least);
            chosen.map(|tx| mac(rate_control).ladder().iter().position(|it| *it == tx))
        };
        assert_eq!(chosen(RateControlKind::Ideal, 13.0), Some(Some(4)));
        assert_eq!(chosen(RateControlKind::Snr, 13.0), Some(Some(4)), "half a decibel is to spare");
        assert_eq!(chosen(RateControlKind::Snr, 12.3), Some(Some(3)));
        assert_eq!(chosen(RateControlKind::Ideal, -3.0), Some(Some(0)));
        assert_eq!(chosen(RateControlKind::MinstrelHt, 13.0), None);
        assert_eq!(mac(RateControlKind::Fixed).ladder(), vec![mac(RateControlKind::Fixed).data_vector()]);
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
        assert_eq!(arf.unmet("minstrel-ht.sample"), Some("mac.rate-control = \"minstrel-ht\""));
    }

    #[test]
    fn the_older_minstrel_ht_has_no_time_between_probes() {
        let mut dcf = DcfConfig { rate_control: RateControlKind::MinstrelHt, ..DcfConfig::default() };
        assert_eq!(MacConfig::Dcf(dcf.clone()).unmet("minstrel-ht.sample"), None);
        dcf.minstrel_ht.version = MinstrelHtVersion::Ns3;
        let older = MacConfig::Dcf(dcf);
        assert_eq!(older.unmet("minstrel-ht.sample"), Some("mac.minstrel-ht.version = \"linux-2021\""));
        assert_eq!(older.unmet("minstrel-ht.update"), None);
    }
}
