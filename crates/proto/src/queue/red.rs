//! Random early detection.
//!
//! Source: Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM Transactions on
//! Networking 1(4), 1993, sections 4 and 7 and figure 2; "gentle": Floyd, "Recommendation on using the gentle variant
//! of RED", 2000. Where ns-2's `queue/red.cc` departs from the paper there is a key.

use super::aqm::{Aqm, Arriving, Verdict};
use crate::keys;
use crate::units::range::{MOST, must};
use crate::units::{Bytes, Dur, Rng, SimTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// Random early detection (Floyd & Jacobson 1993). Defaults are the paper's.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RedConfig {
        /// Average length from which packets are marked or dropped \[packets\] (section 6: 5).
        pub min_threshold: f64 = 5.0 => within(0.0, f64::from(MOST)),
        /// Average length from which all are \[packets\] (section 6: 15).
        pub max_threshold: f64 = 15.0,
        /// Weight of the present length in the average, at each arrival (section 6: 0.002).
        pub weight: f64 = 0.002,
        /// Probability at the maximum threshold, before it is spread over the packets in between (max_p; section 8:
        /// 1/50 to 1/10).
        pub max_p: f64 = 0.1 => probability,
        /// Between the maximum threshold and twice that, the probability grows from `max-p` to 1 instead of being 1 at
        /// once (Floyd 2000).
        pub gentle: bool = false,
        /// What the length counts; with `bytes`, long packets are also marked more often, by their length (section 4).
        pub unit: RedUnit = RedUnit::Packets,
        /// Length that counts as one packet, for `unit = "bytes"`.
        pub mean_packet: Bytes = Bytes(500) => within(Bytes(1), Bytes(1_000_000_000)),
        /// With `unit = "bytes"`, what has gone by since the last one that was marked or dropped is counted in whole
        /// mean packets of bytes, and a packet's length scales its probability after it has been spread over them,
        /// unless it is 1 (ns-2); without, packets are counted and the length scales it before (section 4).
        pub count_bytes: bool = false,
        /// While nothing waits the average falls as if packets had been served one by one (section 4); without, it
        /// stays, as on ns-2's mobile nodes, whose queue knows of no link.
        pub idle_decay: bool = true,
        /// How long one of these packets takes, for `idle-decay`.
        pub packet_time: Dur = Dur::from_ms(2) => span,
        /// No two packets are marked or dropped closer together than the probability says: 1/p packets go in between
        /// first (ns-2's `wait_`; the paper spreads evenly over 1 to 1/p, section 5).
        pub wait: bool = false,
        /// Packets that must wait before one is marked or dropped, whatever the average says (the paper: 0; ns-2: 2).
        pub least_waiting: u32 = 0 => within(0, MOST),
        /// Largest probability at which packets of an ECN-capable transport are marked: beyond, they are dropped like
        /// others (RFC 3168 section 7; ns-2's `mark_p_`: 0.1). It is that of the average length alone, before a
        /// packet's own length scales it. 1: always marked; 0: never.
        pub mark_limit: f64 = 1.0 => probability,
    }
    also(its) {
        let most = f64::from(MOST);
        let rule = format_args!(
            "lie above `queue.red.min-threshold`, {}, and be at most {MOST}",
            its.min_threshold
        );
        let above = its.max_threshold > its.min_threshold && its.max_threshold <= most;
        must(above, "max-threshold", its.max_threshold, rule)?;
        let rule = "lie above 0 and be at most 1";
        must(its.weight > 0.0 && its.weight <= 1.0, "weight", its.weight, rule)
    }
}

/// What the length of the queue counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RedUnit {
    /// Packets.
    Packets,
    /// Bytes, `mean-packet` to a packet.
    Bytes,
}

/// Random early detection.
#[derive(Clone, Debug)]
pub struct Red {
    config: RedConfig,
    draws: Rng,
    /// Average length \[packets\].
    average: f64,
    /// What has arrived since the last one that was marked or dropped; none while the average is low.
    since: Option<Since>,
}

/// Packets, this one included, and their bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Since {
    packets: u32,
    bytes: u64,
}

impl Red {
    /// A queue that has been empty for ever.
    #[must_use]
    pub const fn new(config: RedConfig, draws: Rng) -> Self {
        Self { config, draws, average: 0.0, since: None }
    }

    /// Another one of the same configuration, with draws of its own.
    #[must_use]
    pub fn sibling(&mut self) -> Self {
        Self::new(self.config.clone(), self.draws.split())
    }
}

impl Aqm for Red {
    fn arriving(&mut self, _now: SimTime, packet: &Arriving) -> Verdict {
        self.update(packet);
        let Some(base) = self.base(packet) else {
            self.since = None;
            return Verdict::Pass;
        };
        let since = self.since.map_or_else(Since::default, |since| Since {
            packets: since.packets.saturating_add(1),
            bytes: since.bytes.saturating_add(packet.size.0.into()),
        });
        self.since = Some(since);
        if base < 1.0 && self.draws.f64() >= self.probability(base, since, packet.size) {
            return Verdict::Pass;
        }
        self.lost_one();
        if base <= self.config.mark_limit { Verdict::Notify } else { Verdict::Drop }
    }

    fn overflowed(&mut self) {
        self.lost_one();
    }

    fn restart(&mut self, _now: SimTime) {
        (self.average, self.since) = (0.0, None);
    }
}

impl Red {
    /// A packet was marked, or lost for whatever reason: the next one is due after as many as the probability says.
    const fn lost_one(&mut self) {
        self.since = Some(Since { packets: 0, bytes: 0 });
    }

    /// Average length \[packets\].
    #[must_use]
    pub const fn average(&self) -> f64 {
        self.average
    }

    /// The average moves at each arrival; the arriving packet itself does not count.
    fn update(&mut self, packet: &Arriving) {
        let weight = self.config.weight;
        if let Some(idle) = packet.idle.filter(|_| self.config.idle_decay) {
            let packets = idle.as_secs_f64() / self.config.packet_time.as_secs_f64();
            self.average *= libm::pow(1.0 - weight, packets);
            return;
        }
        let length = match self.config.unit {
            RedUnit::Packets => f64::from(packet.waiting),
            RedUnit::Bytes => packet.bytes as f64 / f64::from(self.config.mean_packet.0),
        };
        self.average += weight * (length - self.average);
    }

    /// The probability that the average length calls for; none while it is low.
    fn base(&self, packet: &Arriving) -> Option<f64> {
        let RedConfig { min_threshold: min, max_threshold: max, max_p, gentle, .. } = self.config;
        if self.average < min || packet.waiting < self.config.least_waiting {
            return None;
        }
        Some(if self.average < max {
            max_p * (self.average - min) / (max - min)
        } else if gentle && self.average < 2.0 * max {
            max_p + (1.0 - max_p) * (self.average - max) / max
        } else {
            1.0
        })
    }

    /// That for a packet of this size: scaled by its length, and spread over those that have gone by.
    fn probability(&self, base: f64, since: Since, size: Bytes) -> f64 {
        let mean = f64::from(self.config.mean_packet.0);
        let scaled = |probability: f64| (probability * f64::from(size.0) / mean).min(1.0);
        match (self.config.unit, self.config.count_bytes) {
            (RedUnit::Packets, _) => self.spread(base, f64::from(since.packets)),
            (RedUnit::Bytes, false) => self.spread(scaled(base), f64::from(since.packets)),
            (RedUnit::Bytes, true) => {
                let whole = since.bytes / u64::from(self.config.mean_packet.0);
                let spread = self.spread(base, whole as f64);
                if spread < 1.0 { scaled(spread) } else { 1.0 }
            }
        }
    }

    /// The probability (p_a) after `since` packets that were let through at `base` (p_b) each.
    fn spread(&self, base: f64, since: f64) -> f64 {
        let passed = since * base;
        let (due, room) = if self.config.wait { (passed >= 1.0, 2.0 - passed) } else { (true, 1.0 - passed) };
        match (due, room > base) {
            (false, _) => 0.0,
            (true, true) => base / room,
            (true, false) => 1.0,
        }
    }
}
