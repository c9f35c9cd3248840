//! Configuration of aggregation.

use super::lengths::{AROUND, LONGEST_MPDU};
use crate::keys;
use crate::units::{Bytes, Dur};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// A-MPDUs with immediate block ack (IEEE 802.11-2020 §9.7, §10.12, §10.25), and A-MSDUs (§9.3.2.2, §10.11).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AggregationConfig {
        /// Whether unicast frames to a neighbour are aggregated. `mac.standard` from 802.11n on brings `true`.
        pub on: bool = false,
        /// The block ack window: the most MPDUs under way to a neighbour. 64 in 802.11n and ac, 256 in 802.11ax.
        pub window: u16 = 64 => within(1, 256),
        /// Longest A-MPDU (§10.12.2): 65535 B in 802.11n, up to 1048575 B in 802.11ac and 6500631 B in 802.11ax.
        pub max_length: Bytes = Bytes(65_535) => within(Bytes(1), Bytes(6_500_631)),
        /// Longest time that a frame may take (aPPDUMaxTime: 5.484 ms). A single MPDU may be longer.
        pub max_time: Dur = Dur::from_us(5_484) => within(Dur::from_us(1), Dur::from_ms(100)),
        /// Least time between the starts of two MPDUs of a frame, which the receiver asks for (§10.12.3: 0 to 16 us).
        pub spacing: Dur = Dur::ZERO => within(Dur::ZERO, Dur::from_us(16)),
        /// Longest A-MSDU: several packets in one MPDU, of one neighbour and category. `"0 B"`: each MPDU has one
        /// packet. HT stations take 3839 or 7935 B, in an A-MPDU at most 4065 B; VHT and HE stations an MPDU of 3895,
        /// 7991 or 11454 B, 30 B longer than its A-MSDU. Also without A-MPDUs.
        pub amsdu_length: Bytes = Bytes::ZERO => within(Bytes::ZERO, LONGEST_MPDU - AROUND),
        /// What ends the attempts for an MPDU.
        pub gives_up: GivesUp = GivesUp::Retries,
        /// With `gives-up = "retries"`: so often an MPDU is sent again. A frame that its RTS could not announce counts
        /// too.
        pub retries: u32 = 10 => within(0, 1_000_000),
        /// With `gives-up = "lifetime"`: how long after it was queued an MPDU is sent again.
        pub lifetime: Dur = Dur::from_ms(500) => within(Dur::from_us(1), Dur::from_secs(3_600)),
        /// What follows when the block ack of a frame does not come.
        pub after_missed: AfterMissed = AfterMissed::Retry,
        /// Whether an RTS goes before a block ack request that is longer than `rts-threshold`, too. In the standard
        /// one goes before frames of data alone (`dot11RTSThreshold`). As in ns-3.44 the RTS reserves what the request
        /// would take at the rate of data.
        pub announces_requests: bool = false,
        /// How long the reordering buffer waits for a missing MPDU before it passes up what came after it. `"0 s"`:
        /// until a block ack request comes, as the standard has it.
        pub release_timer: Dur = Dur::from_ms(100) => within(Dur::ZERO, Dur::from_secs(60)),
    }
}

impl AggregationConfig {
    /// What would have to be set for a key of the MAC to mean something, if it does not now.
    pub(in crate::mac) fn unmet(&self, key: &str) -> Option<&'static str> {
        let (used, needed) = match key.strip_prefix("aggregation.")? {
            "window" | "max-length" | "spacing" | "gives-up" | "retries" | "lifetime" | "after-missed"
            | "announces-requests" | "release-timer"
                if !self.on =>
            {
                (false, "mac.aggregation.on = true")
            }
            "retries" => (self.gives_up == GivesUp::Retries, "mac.aggregation.gives-up = \"retries\""),
            "lifetime" => (self.gives_up == GivesUp::Lifetime, "mac.aggregation.gives-up = \"lifetime\""),
            _ => return None,
        };
        (!used).then_some(needed)
    }

    /// Whether stations take packets out of the queue before they send them, as several go in a frame.
    #[must_use]
    pub const fn takes_packets(&self) -> bool {
        self.on || self.amsdu_length.get() > 0
    }

    /// Length of a block ack: its map has 64 or 256 bits (§9.3.1.8.5).
    #[must_use]
    pub const fn block_ack(&self) -> Bytes {
        if self.window > 64 { Bytes(56) } else { Bytes(32) }
    }
}

/// What ends the attempts for an MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GivesUp {
    /// Its retries, as in Linux.
    Retries,
    /// Its lifetime, as in the standard (§10.23.2.12.1).
    Lifetime,
    /// Nothing.
    Never,
}

/// What follows when the block ack of a frame does not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AfterMissed {
    /// Its MPDUs are sent again, as in Linux.
    Retry,
    /// A block ack request asks for it, and what is missing is sent again: ns-3.
    Request,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_means_nothing_where_another_one_leaves_it_out() {
        use GivesUp::{Lifetime, Never, Retries};
        let of = |on, gives_up, key: &str| {
            AggregationConfig { on, gives_up, ..AggregationConfig::default() }
                .unmet(&format!("aggregation.{key}"))
        };
        let unused = |key: &'static str| {
            [Retries, Lifetime, Never].map(move |gives_up| of(true, gives_up, key).is_some())
        };
        assert_eq!(unused("lifetime"), [true, false, true]);
        assert_eq!(unused("retries"), [false, true, true]);
        assert_eq!(unused("window"), [false; 3]);
        assert_eq!(of(false, Lifetime, "lifetime"), Some("mac.aggregation.on = true"));
        assert_eq!(of(false, Retries, "amsdu-length"), None, "A-MSDUs go without A-MPDUs");
    }

    /// IEEE 802.11-2020 §9.3.1.8.5: header of 16, control of 2, start of 2, map of 8 or 32, FCS of 4 bytes.
    #[test]
    fn a_block_ack_is_as_long_as_its_map() {
        let of = |window| AggregationConfig { window, ..AggregationConfig::default() }.block_ack();
        assert_eq!([1, 64, 65, 256].map(of), [32, 32, 56, 56].map(Bytes));
    }
}
