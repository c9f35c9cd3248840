//! Configuration of medium access. Defaults are the DSSS PHY of IEEE 802.11-2020, clauses 10 and 15.

pub use super::aggregate::{AfterMissed, AggregationConfig, GivesUp};
pub use super::edca::{CategoryConfig, DscpMap, EdcaConfig, Protection};
pub use super::extensions::{FlowControlConfig, FlowRule, PacingConfig, RoundWindow, RoundsConfig};
pub use super::rate::config::{
    ArfConfig, DSSS_RATES, MinstrelConfig, MinstrelHtConfig, RateControlKind, SnrConfig,
};
pub use super::standard::{FrameProtection, Standard};
pub use crate::phy::{Band, DurationRule, GuardInterval, Preamble, Width};

use crate::keys;
use crate::units::range::{Checked, Wrong, must, rate, within};
use crate::units::{Bitrate, Bytes, Dur};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which medium access runs on every node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MacConfig {
    /// The distributed coordination function of IEEE 802.11.
    Dcf(DcfConfig),
}

impl Default for MacConfig {
    fn default() -> Self {
        Self::Dcf(DcfConfig::default())
    }
}

impl MacConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        let Self::Dcf(dcf) = self;
        dcf.check()
    }

    /// The same with this width, MCS and number of streams, where they are named.
    #[must_use]
    pub fn with_modes(&self, width: Option<Width>, mcs: Option<u8>, streams: Option<u8>) -> Self {
        let Self::Dcf(dcf) = self;
        Self::Dcf(DcfConfig {
            width: width.unwrap_or(dcf.width),
            mcs: mcs.unwrap_or(dcf.mcs),
            streams: streams.unwrap_or(dcf.streams),
            ..dcf.clone()
        })
    }
}

keys! {
    /// The distributed coordination function, IEEE 802.11-2020 §10.3.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DcfConfig {
        /// Which amendment's frames stations send. It also brings slot, SIFS, window, rates and other values of its
        /// own, as defaults of the layer that says it: each can be set beside it or later.
        pub standard: Standard = Standard::B,
        /// With `standard = "802.11n"` or `"802.11ax"`: the frequency band.
        pub band: Band = Band::Ghz5,
        /// With `standard = "802.11n"`, `"802.11ac"` or `"802.11ax"`: modulation and coding scheme of unicast data
        /// frames, that of each stream.
        pub mcs: u8 = 7,
        /// With these standards: spatial streams.
        pub streams: u8 = 1,
        /// With these standards: width of the channel.
        pub width: Width = Width::Mhz20,
        /// With these standards: guard interval of data frames.
        pub guard_interval: GuardInterval = GuardInterval::Ns800,
        /// With these standards: how long frames take, as the standard or as ns-3 has it.
        pub durations: DurationRule = DurationRule::Standard,
        /// Rate of unicast data frames; with `rate-control`, the highest of them.
        pub data_rate: Bitrate = Bitrate::from_mbps(2) => rate,
        /// Rate of RTS, CTS, ACK and broadcast frames. At 2.4 GHz it may be one of DSSS also among stations of 802.11g
        /// and later, which then answer frames of OFDM by OFDM.
        pub basic_rate: Bitrate = Bitrate::from_mbps(1) => rate,
        /// Highest rate of the basic rate set: an ACK goes at it, or at the rate of the data frame if that is lower
        /// (§10.6.6.5.2). Without it, at `basic-rate`. EIFS counts an ACK at 1 Mb/s in any case.
        pub ack_rate: Option<Bitrate> = None,
        /// PLCP preamble and header of DSSS: `long` takes 192 us, `short` 96 us (§15.2.3, §16.2.2.3). `data-rate` is 24
        /// bytes at the data rate, as in ns-2 before March 2002.
        pub preamble: Preamble = Preamble::Long,
        /// Slot time (§15.3.3: 20 us).
        pub slot: Dur = Dur::from_us(20) => within(Dur::from_ns(1), Dur::from_secs(1)),
        /// Short interframe space (§15.3.3: 10 us); DIFS is this plus `aifsn` slots.
        pub sifs: Dur = Dur::from_us(10) => within(Dur::from_ns(1), Dur::from_secs(1)),
        /// Slots of DIFS after SIFS: two (§10.3.2.3.5). `mac.standard` from 802.11n on brings 3, the AIFSN of best
        /// effort among QoS stations (§10.3.2.3.6).
        pub aifsn: u32 = 2 => within(1, 15),
        /// Smallest contention window (§15.3.3: 31).
        pub cw_min: u32 = 31 => within(1, 1 << 20),
        /// Largest contention window (§15.3.3: 1023).
        pub cw_max: u32 = 1023,
        /// Attempts, in all, for a frame not longer than the RTS threshold, and for an RTS (§10.3.4.4: 7).
        pub short_retry_limit: u32 = 7 => within(1, 255),
        /// Attempts, in all, for a frame longer than the RTS threshold (§10.3.4.4: 4).
        pub long_retry_limit: u32 = 4 => within(1, 255),
        /// Frames longer than this are preceded by RTS/CTS; `"0 B"`: all of them. Of an A-MPDU all bytes count. `"65535
        /// B"` or more: none.
        // dot11RTSThreshold: longer than any MPDU, so that RTS/CTS is off unless asked for.
        pub rts_threshold: Bytes = Bytes(65_535),
        /// What goes before unicast frames of OFDM and later, so that stations of 802.11b nearby keep silent
        /// (§10.27.2). A frame above the RTS threshold has its RTS.
        pub protection: FrameProtection = FrameProtection::Auto,
        /// Bytes that the MAC adds to a network-layer packet: header 24, FCS 4, LLC/SNAP 8 (§9.3.2.1, RFC 1042).
        pub data_overhead: Bytes = Bytes(36) => within(Bytes(0), Bytes(10_000)),
        /// What the retry limits count (§10.3.4.4).
        pub retry_count: RetryCount = RetryCount::Separate,
        /// What becomes of the window when a frame is given up (§10.3.3: it falls back).
        pub window_after_give_up: WindowAfterGiveUp = WindowAfterGiveUp::Reset,
        /// How the longer wait after an undecodable frame acts (§10.3.2.3.7).
        pub eifs: EifsRule = EifsRule::Standard,
        /// Range of the back-off draw (§10.3.3: 0 to CW, both included).
        pub backoff_draw: BackoffDraw = BackoffDraw::Inclusive,
        /// An RTS is answered only while the own medium is idle by physical *and* virtual carrier sense.
        /// §10.3.2.9 asks for an idle NAV alone (`false`); ns-2 for both (`true`).
        pub cts_needs_idle: bool = false,
        /// An RTS that comes during a reservation is answered if its sender has asked in vain during the same one.
        /// ns-3 (`true`) takes that sender for the holder of the transmit opportunity, whose RTS a QoS station answers
        /// whatever the NAV says (§10.23.2.4). Stations of 802.11b, a and g are none.
        pub cts_if_asked_again: bool = false,
        /// After the CTS the data frame is sent only if the medium is still idle; otherwise the attempt has failed.
        /// §10.3.2.9 sends it unconditionally (`false`); ns-2 checks (`true`).
        pub data_needs_idle: bool = false,
        /// A station that waits for a CTS, for the data after its own CTS, or for an ACK still answers an RTS that it
        /// receives meanwhile. §10.3.2.11 takes any other frame as the failure of the exchange, after which it is free
        /// to answer (`true`); ns-2 ignores the RTS (`false`).
        pub respond_while_waiting: bool = true,
        /// A NAV set by an RTS is dropped when nothing is heard within 2 SIFS + CTS + PHY start delay + 2 slots
        /// (§10.3.2.4); ns-2 never drops it.
        pub nav_reset: bool = true,
        /// Time to sense a carrier (§15.4.4.5, aCCATime: 15 us). A back-off that expires this soon after another
        /// station has started still fires.
        pub cca_time: Dur = Dur::from_us(15),
        /// How the slots are counted that had passed when another station interrupts a back-off (§10.3.4.3: all).
        pub slot_count: SlotCount = SlotCount::Exact,
        /// A frame that is ignored because a much stronger one is being received sets the NAV to its end + EIFS, as in
        /// ns-2. A real receiver does not notice it.
        pub capture_nav: bool = false,
        /// A back-off follows every transmission, whether or not another frame waits (§10.3.4.3).
        pub post_backoff: bool = true,
        /// For what a station waits that expects a CTS or an ACK (§10.3.2.9, §10.3.2.11).
        pub response_timeout: ResponseTimeout = ResponseTimeout::End,
        /// With `response-timeout = "end"`: how much longer than SIFS + response a station waits for a CTS or ACK
        /// (§10.3.2.9, §10.3.2.11: one slot and the PHY's start delay before the response must have begun; here: one
        /// slot. ns-2: 4 us).
        pub timeout_slack: Dur = Dur::from_us(20) => within(Dur::ZERO, Dur::from_secs(1)),
        /// When a frame goes out without a back-off because it finds the medium idle. §10.3.4.2 has `after-difs`; ns-2
        /// always draws (`never`).
        pub immediate_access: ImmediateAccess = ImmediateAccess::AfterDifs,
        /// A CTS, and a data frame that follows an own CTS, put the station's short retry counter *and* its window
        /// back. §10.3.3 has the CTS reset the counter alone (`false`); ns-2 before February 2003 had this rule
        /// (`true`).
        pub early_reset: bool = false,
        /// Further rounds of retries before a frame is given up.
        pub rounds: RoundsConfig = RoundsConfig::default() => inside,
        /// Waiting for the next hop to get a frame out of the way.
        pub pacing: PacingConfig = PacingConfig::default() => inside,
        /// What a station does whose queue is full, and what its neighbours do.
        pub flow_control: FlowControlConfig = FlowControlConfig::default() => inside,
        /// Whether a station that overhears an RTS or a CTS dozes until the medium is no longer reserved: what waking
        /// costs is said by `energy.wake-up`. Asleep it cannot drop a NAV whose exchange does not take place.
        pub nav_doze: bool = false,
        /// Several frames in one, with a block ack.
        pub aggregation: AggregationConfig = AggregationConfig::default() => inside,
        /// Four access categories in each station.
        pub edca: EdcaConfig = EdcaConfig::default() => inside,
        /// How the rate of unicast data frames is chosen: with 802.11b among 1, 2, 5.5 and 11 Mb/s, up to `data-rate`;
        /// with 802.11a and g among the rates of OFDM, up to `data-rate`; from 802.11n on among all MCS up to `mcs`
        /// over up to `streams` streams.
        pub rate_control: RateControlKind = RateControlKind::Fixed,
        /// Parameters of `rate-control = "arf"`.
        pub arf: ArfConfig = ArfConfig::default(),
        /// Parameters of `rate-control = "snr"`.
        pub snr: SnrConfig = SnrConfig::default(),
        /// Parameters of `rate-control = "minstrel"`.
        pub minstrel: MinstrelConfig = MinstrelConfig::default() => inside,
        /// Parameters of `rate-control = "minstrel-ht"`.
        pub minstrel_ht: MinstrelHtConfig = MinstrelHtConfig::default() => inside,
    }
    also(its) {
        if let Some(most) = its.ack_rate {
            rate("ack-rate", most)?;
        }
        let rule = format_args!("lie between `mac.cw-min`, {}, and 1048576", its.cw_min);
        must((its.cw_min..=1 << 20).contains(&its.cw_max), "cw-max", its.cw_max, rule)?;
        within("cca-time", its.cca_time, Dur::ZERO, its.slot)?;
        its.check_standard()?;
        its.check_protection()?;
        its.check_rate_control()?;
        its.check_aggregation()?;
        its.check_edca()?;
        if its.pacing.on && !its.post_backoff {
            let message = "a station that paces prolongs the back-off after a frame, and there is none";
            return Err(Wrong::says("pacing.on", message, "set mac.post-backoff = true"));
        }
        Ok(())
    }
}

impl DcfConfig {
    /// What is set that acts on the one frame of an exchange, with its key.
    pub(super) fn acts_on_one_frame(&self) -> Option<&'static str> {
        let set = [
            (self.pacing.on, "adaptive pacing (`mac.pacing.on`)"),
            (self.rounds.extra > 0, "rounds of retries (`mac.rounds.extra`)"),
            (self.flow_control.rule != FlowRule::Off, "horizontal flow control (`mac.flow-control.rule`)"),
        ];
        set.into_iter().find(|(on, _)| *on).map(|(_, what)| what)
    }

    fn check_rate_control(&self) -> Checked {
        self.arf.check().map_err(|wrong| wrong.inside("arf"))?;
        self.snr.check().map_err(|wrong| wrong.inside("snr"))?;
        if self.rate_control == RateControlKind::Minstrel && self.standard.generation().is_some() {
            let message = "Minstrel is for stations of 802.11a, b and g";
            return Err(Wrong::says("rate-control", message, "set mac.rate-control = \"minstrel-ht\""));
        }
        if self.standard != Standard::B {
            return Ok(());
        }
        if self.rate_control == RateControlKind::MinstrelHt {
            let message = "Minstrel-HT is not for stations of 802.11b";
            return Err(Wrong::says(
                "rate-control",
                message,
                "set mac.standard = \"802.11n\", or another from 802.11a on",
            ));
        }
        let met = self.rate_control == RateControlKind::Fixed || DSSS_RATES.contains(&self.data_rate);
        must(
            met,
            "data-rate",
            self.data_rate,
            "be 1, 2, 5.5 or 11 Mb/s with `mac.rate-control`, which chooses among them",
        )
    }
}

/// When a frame goes out without a back-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImmediateAccess {
    /// Never: a back-off precedes every frame.
    Never,
    /// At once, if the medium has been idle for DIFS when it arrives.
    AfterDifs,
    /// As soon as the medium has been idle for DIFS, if it is idle when the frame arrives, be it in the SIFS before an
    /// own response; a medium that turns busy meanwhile changes nothing. ns-3.
    IfIdle,
    /// DIFS after it arrived, if the medium is idle then and now. If it has turned busy meanwhile, the window doubles
    /// and a back-off is drawn from it. ns-2 until June 2002.
    Defer,
}

/// How EIFS acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EifsRule {
    /// Replaces DIFS after an undecodable frame; a correct frame cancels it.
    Standard,
    /// A NAV of SIFS + ACK + DIFS after every undecodable frame; DIFS follows it and nothing cancels it.
    Ns2,
    /// There is none: DIFS follows every frame, as analytical models assume (Bianchi, JSAC 2000).
    None,
}

/// Range from which back-off slots are drawn, uniformly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackoffDraw {
    /// 0 to CW, as the standard says.
    Inclusive,
    /// 0 to CW - 1, as ns-2 does.
    Exclusive,
}

/// How the slots of an interrupted back-off are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SlotCount {
    /// Each slot that has passed.
    Exact,
    /// In seconds as real numbers, which are divided by the slot and cut off, as in ns-2. If the station that was heard
    /// last interrupts, it does so at the very end of a slot: in half of the cases that slot does not count. Needs
    /// `air.reception = "ns2"`.
    Seconds,
}

/// What the retry limits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RetryCount {
    /// RTS (and short frames) and long frames apart; a CTS starts the count of RTS afresh (§10.3.4.4).
    Separate,
    /// All failed attempts of a frame together, RTS and data, against the limit for its length; a CTS changes nothing.
    /// ns-3.
    PerFrame,
}

/// What becomes of the contention window when a frame is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowAfterGiveUp {
    /// It falls back to `cw-min`.
    Reset,
    /// It doubles once more and stays; it falls back at an ACK, or at the failure after `short-retry-limit` of them.
    /// ns-3.
    Keep,
}

/// For what a station waits that expects a CTS or an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResponseTimeout {
    /// Its end: SIFS, the response and `timeout-slack`.
    End,
    /// Its start: SIFS, a slot and the PLCP; if a frame is being received by then whose header has come, the end of
    /// that (PHY-RXSTART, §10.3.2.11).
    Start,
}
