//! Configuration of ATP. What the paper says is said with each key.

use crate::keys;
use crate::units::Dur;
use crate::units::range::{LONGEST, must};

keys! {
    /// ATP of every host and relay.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct AtpConfig {
        /// Whether it carries the flows that would run over TCP; their payload is `tcp.segment` then, and nothing else
        /// of `[tcp]` and `[shim]` acts.
        pub replaces_tcp: bool = false,
        /// Time between two reports of a receiver; longer than a round trip (the paper's epoch, 1 s).
        pub epoch: Dur = Dur::from_secs(1) => within(Dur::from_ms(1), LONGEST),
        /// Time without a report that is a missing one; so long again, and it is the next.
        pub patience: Dur = Dur::from_ms(1500) => within(Dur::from_ms(1), LONGEST),
        /// Missing reports in a row after which the sender begins anew with a probe.
        pub most_missing: u32 = 3 => within(1, 1000),
        /// Weight of what is known already in the averages of relays and receivers.
        pub memory: f64 = 0.75,
        /// How much longer than a lone packet takes one takes among others of its flow: neighbours send in turn (η).
        pub idle_factor: f64 = 3.0 => within(1.0, 100.0),
        /// Time without a packet after which a node is idle.
        pub idle_after: Dur = Dur::from_secs(1) => within(Dur::from_ms(1), LONGEST),
        /// Share by which the reported rate must lie above the present one for the sender to go up (φ).
        pub margin: f64 = 0.1 => within(0.0, 10.0),
        /// Part of the difference by which it goes up: one in so many (k).
        pub step: f64 = 5.0 => within(1.0, 1000.0),
        /// Most packets that are sent and not acknowledged.
        pub most_outstanding: u32 = 512 => within(1, 10_000),
    }
    also(its) {
        let rule = format_args!("lie above `atp.epoch`, {}", its.epoch);
        must(its.patience > its.epoch, "patience", its.patience, rule)?;
        must(
            its.memory >= 0.0 && its.memory < 1.0,
            "memory",
            its.memory,
            "be at least 0 and lie below 1",
        )
    }
}
