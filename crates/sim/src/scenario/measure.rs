//! How long a run is and what is measured of it: `[run]`, `[measure]`.

use multihop_proto::keys;
use multihop_proto::units::Dur;
use multihop_proto::units::range::{Checked, MOST, must};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Samples of one series; more would fill the memory.
const MOST_SAMPLES: u64 = 10_000_000;

/// Seeds are whole numbers of TOML.
const MOST_SEED: u64 = i64::MAX.unsigned_abs();

keys! {
    /// Length and seed of a run.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RunConfig {
        /// Simulated time.
        pub duration: Dur = Dur::from_secs(100) => span,
        /// Seed of all random streams; every run of a series has its own number besides.
        pub seed: u64 = 1 => within(0, MOST_SEED),
        /// Changes the draws inside the network (back-off, frame errors) and nothing else. Two salts are two samples
        /// of one scenario: what the technique `placebo` changes.
        pub salt: u64 = 0 => within(0, MOST_SEED),
    }
}

impl RunConfig {
    /// Seed of the streams inside the network: back-off and frame errors. Equal to `seed` without salt.
    #[must_use]
    pub const fn inner_seed(&self) -> u64 {
        self.seed ^ self.salt.rotate_left(32)
    }
}

keys! {
    /// What is measured.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct MeasureConfig {
        /// Time at the start that does not count.
        pub warm_up: Dur = Dur::ZERO,
        /// Time at which measuring ends; by default the end of the run.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub until: Option<Dur> = None,
        /// Interval of the recorded series; `"0 s"`: none, and no record of the nodes that interfered.
        pub sample: Dur = Dur::from_secs(1),
        /// Lost packets and loss events that the series keep one by one, each; of more, every 2nd, 4th, 8th … is kept.
        /// All are counted, whatever this says.
        pub rows: u32 = 100_000 => within(0, MOST),
        /// Events of each TCP sender that the series `events` keeps one by one, from its beginning on: segments sent
        /// and sent again, ACKs, duplicate ACKs, blocks of SACK, timeouts, each with the window after it. 0: none.
        pub events: u32 = 0 => within(0, MOST),
        /// Further spans of time to report, besides the whole.
        pub window: Vec<WindowConfig> = Vec::new(),
    }
}

/// A span of time to report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WindowConfig {
    /// Name in tables; by default its limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its beginning.
    pub from: Dur,
    /// Its end.
    pub to: Dur,
}

impl MeasureConfig {
    /// Whether every value can be used in a run of this duration.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn fits(&self, duration: Dur) -> Checked {
        self.check()?;
        let until = self.until.unwrap_or(duration);
        must(until <= duration, "until", until, format_args!("not lie after the run's end, {duration}"))?;
        must(
            self.warm_up < until,
            "warm-up",
            self.warm_up,
            format_args!("be shorter than the run's measured end, {until}"),
        )?;
        if self.sample > Dur::ZERO {
            let samples = duration.whole(self.sample);
            let rule = format_args!("leave no more than {MOST_SAMPLES} samples, not {samples}");
            must(samples <= MOST_SAMPLES, "sample", self.sample, rule)?;
        }
        for (index, window) in self.window.iter().enumerate() {
            let path = |key| format!("window.{index}.{key}");
            must(
                window.from < window.to,
                &path("from"),
                window.from,
                format_args!("lie before its end, {}", window.to),
            )?;
            must(
                window.to <= duration,
                &path("to"),
                window.to,
                format_args!("not lie after the run's end, {duration}"),
            )?;
        }
        Ok(())
    }
}
