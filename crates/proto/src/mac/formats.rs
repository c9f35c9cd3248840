//! What a configuration's standard says of its frames: band, MCS, rates that there are, keys that mean something.

use super::aggregate::{ANNOUNCED, ANNOUNCED_HT, LONGEST_HT, SHORTEST};
use super::config::{AggregationConfig, DcfConfig, SlotCount};
use super::standard::Standard;
use crate::phy::{Band, DsssRate, McsVector, OfdmRate, Preamble};
use crate::units::range::{Checked, Wrong, must};
use crate::units::{Bitrate, Bytes};

const OFDM_RATES: &str = "be 6, 9, 12, 18, 24, 36, 48 or 54 Mb/s with `mac.standard` from 802.11a on";
const BASIC_RATES: &str = "be 6, 9, 12, 18, 24, 36, 48 or 54 Mb/s with `mac.standard` from 802.11a on, or at 2.4 GHz a rate of DSSS";

impl DcfConfig {
    /// The band of all frames.
    #[must_use]
    pub const fn frequency_band(&self) -> Band {
        match self.standard {
            Standard::A | Standard::Ac => Band::Ghz5,
            Standard::B | Standard::G => Band::Ghz2,
            Standard::N | Standard::Ax => self.band,
        }
    }

    /// What data frames with an MCS are sent with, if they have one.
    #[must_use]
    pub const fn mcs_vector(&self) -> Option<McsVector> {
        let Some(generation) = self.standard.generation() else { return None };
        Some(McsVector {
            generation,
            mcs: self.mcs,
            streams: self.streams,
            width: self.width,
            guard: self.guard_interval,
            band: self.frequency_band(),
            durations: self.durations,
        })
    }

    /// Whether the standard has such frames.
    pub(super) fn check_standard(&self) -> Checked {
        if self.standard == Standard::B {
            return must(self.data_rate <= DsssRate::MAX, "data-rate", self.data_rate, "be at most 4 Gb/s");
        }
        let has = |rate: Bitrate| OfdmRate::of(rate).is_some();
        let dsss = self.speaks_dsss() && self.frequency_band() == Band::Ghz2;
        must(has(self.basic_rate) || dsss, "basic-rate", self.basic_rate, BASIC_RATES)?;
        if let Some(rate) = self.ack_rate {
            must(has(rate), "ack-rate", rate, OFDM_RATES)?;
        }
        match self.mcs_vector() {
            None => must(has(self.data_rate), "data-rate", self.data_rate, OFDM_RATES),
            Some(vector) => vector.check().or_else(|(key, rule)| must(false, key, self.said(key), rule)),
        }
    }

    /// Whether what protects frames goes together with the rest.
    pub(super) fn check_protection(&self) -> Checked {
        let dsss = self.speaks_dsss();
        let words = "\"data-rate\", the header of a model from before 802.11b";
        must(!dsss || self.preamble != Preamble::DataRate, "preamble", words, "be `long` or `short`")
    }

    /// Whether an RTS goes before a frame of several MPDUs this long: a threshold of 65535 bytes or more turns RTS off
    /// (dot11RTSThreshold), also for frames that are longer.
    #[must_use]
    pub fn reserves(&self, psdu: Bytes) -> bool {
        psdu > self.rts_threshold && self.rts_threshold < Bytes(65_535)
    }

    /// Whether aggregation goes together with the rest: it is of frames with an MCS, and what acts on the one frame of
    /// an exchange does not act on several.
    pub(super) fn check_aggregation(&self) -> Checked {
        let AggregationConfig { on, amsdu_length, .. } = self.aggregation;
        if !self.aggregation.takes_packets() {
            return Ok(());
        }
        let key = if on { "on" } else { "amsdu-length" };
        let off = format!("set {}", self.one_frame_a_turn());
        let refused =
            |message: &str, help: &str| Err(Wrong::says(format!("aggregation.{key}"), message, help));
        if self.standard.generation().is_none() {
            return refused(
                "only frames of 802.11n and later are aggregated",
                &format!("{off}; or mac.standard = \"802.11n\""),
            );
        }
        if let Some(what) = self.acts_on_one_frame() {
            return refused(&format!("{what} acts on one frame an exchange"), &off);
        }
        let longest = if self.standard == Standard::N { LONGEST_HT } else { amsdu_length };
        let rule = format_args!("be at most {longest} with 802.11n");
        must(amsdu_length <= longest, "aggregation.amsdu-length", amsdu_length, rule)?;
        let holds = amsdu_length == Bytes::ZERO || amsdu_length >= SHORTEST;
        let rule = format_args!("be 0 B, or {SHORTEST} or more: shorter ones hold no two packets");
        must(holds, "aggregation.amsdu-length", amsdu_length, rule)
    }

    /// What must be set so that each exchange has one frame, and each station sends one frame at a time.
    fn one_frame_a_turn(&self) -> String {
        let AggregationConfig { on, amsdu_length, .. } = self.aggregation;
        let all = [
            (on, "mac.aggregation.on = false"),
            (amsdu_length > Bytes::ZERO, "mac.aggregation.amsdu-length = \"0 B\""),
            (self.edca.on, "mac.edca.on = false"),
        ];
        let set: Vec<_> = all.into_iter().filter_map(|(on, words)| on.then_some(words)).collect();
        set.join(" and ")
    }

    /// A limit of A-MPDUs that the standard does not allow, by its key, and what it has.
    pub(super) fn beyond_standard(&self) -> Option<(&'static str, String)> {
        let AggregationConfig { on, window, max_length, amsdu_length, .. } = self.aggregation;
        let (announced, lengths): (&[Bytes], _) = match self.standard {
            Standard::N => (&ANNOUNCED_HT, "3839 or 7935 B"),
            _ => (&ANNOUNCED, "3865, 7961 or 11424 B"),
        };
        let name = self.standard.name();
        if amsdu_length > Bytes::ZERO && !announced.contains(&amsdu_length) {
            let what = format!("{} B: stations of {name} take A-MSDUs of {lengths}", amsdu_length.get());
            return Some(("aggregation.amsdu-length", what));
        }
        let most = 64;
        let longest = match self.standard {
            Standard::N => 65_535,
            Standard::Ac => 1_048_575,
            _ => return None,
        };
        match (on && window > most, on && max_length > Bytes(longest)) {
            (true, _) => {
                Some(("aggregation.window", format!("{window}: block acks of {name} have {most} bits")))
            }
            (_, true) => {
                let what = format!("{} B: A-MPDUs of {name} have at most {longest} B", max_length.get());
                Some(("aggregation.max-length", what))
            }
            _ => None,
        }
    }

    /// Whether stations can have access categories, if they are to.
    pub(super) fn check_edca(&self) -> Checked {
        if !self.edca.on {
            return Ok(());
        }
        let refused = |message: &str, help: &str| Err(Wrong::says("edca.on", message, help));
        if self.standard.generation().is_none() {
            return refused(
                "only stations of 802.11n and later have access categories here",
                "set mac.edca.on = false; or mac.standard = \"802.11n\"",
            );
        }
        if self.slot_count == SlotCount::Seconds {
            return refused(
                "ns-2, whose count of slots this is, has no access categories",
                "set mac.slot-count = \"exact\"",
            );
        }
        match self.acts_on_one_frame() {
            Some(what) => {
                let off = format!("set {}", self.one_frame_a_turn());
                refused(&format!("{what} acts on the one frame of a station"), &off)
            }
            None => Ok(()),
        }
    }

    /// The value of a key that says what data frames are sent with.
    fn said(&self, key: &str) -> String {
        match key {
            "streams" => self.streams.to_string(),
            "width" => format!("{} MHz", self.width.mhz()),
            "guard-interval" => format!("{} us", self.guard_interval.ns() as f64 / 1e3),
            "band" => "2.4 GHz".to_owned(),
            _ => self.mcs.to_string(),
        }
    }

    /// What would have to be set for a key to mean something under this standard, if it does not now.
    pub(super) fn unmet_of_standard(&self, key: &str) -> Option<&'static str> {
        let mcs = self.standard.generation().is_some();
        let (used, needed) = match key {
            "mcs" | "streams" | "width" | "guard-interval" | "durations" => {
                (mcs, "mac.standard = \"802.11n\", \"802.11ac\" or \"802.11ax\"")
            }
            "band" => {
                let both = matches!(self.standard, Standard::N | Standard::Ax);
                (both, "mac.standard = \"802.11n\" or \"802.11ax\", which have both bands")
            }
            "preamble" => {
                let used = self.standard == Standard::B || self.speaks_dsss();
                (used, "mac.standard = \"802.11b\", or a `mac.basic-rate` of DSSS")
            }
            "protection" => (self.standard != Standard::B, "mac.standard from 802.11a on"),
            "data-rate" => {
                (!mcs, "mac.standard = \"802.11b\", \"802.11a\" or \"802.11g\": later ones have `mcs`")
            }
            _ => return None,
        };
        (!used).then_some(needed)
    }
}
