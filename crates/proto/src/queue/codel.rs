//! Controlled delay (RFC 8289): packets are dropped at the head while each has waited for longer than a target, at
//! first one, then more and more often.
//!
//! ```text
//!   every head above the target for one interval     drop, then the next after interval / √1
//!   still above                                      drop, then the next after interval / √2, / √3, …
//!   one head below the target, or little waits       no more drops
//!   above again within 16 intervals                  it begins with the rate of drops that it had reached
//! ```

use super::aqm::{Aqm, Leaving, Verdict};
use crate::keys;
use crate::units::range::must;
use crate::units::{Bytes, Dur, SimTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// Controlled delay (RFC 8289). Defaults are the RFC's, for wired links.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct CoDelConfig {
        /// Waiting time that is accepted (§4.4: 5 ms; Linux on Wi-Fi: 20 ms). It must exceed the time that one packet
        /// takes on the link.
        pub target: Dur = Dur::from_ms(5) => within(Dur::from_us(1), Dur::from_secs(1000)),
        /// Packets are dropped once the target has been exceeded for this long. It is about the largest round-trip time
        /// (§4.3: 100 ms).
        pub interval: Dur = Dur::from_ms(100) => within(Dur::from_us(1), Dur::from_secs(1000)),
        /// No packet is dropped while so many bytes or fewer wait behind it (§5.4: the largest packet).
        pub least_bytes: Bytes = Bytes(1500) => within(Bytes(0), Bytes(1_000_000_000)),
        /// Packets of an ECN-capable transport are marked in place of being dropped.
        pub ecn: bool = true,
        /// How the square root of the number of drops is taken.
        pub root: Root = Root::Exact,
    }
    also(its) {
        let rule = format_args!("be at most `queue.codel.interval`, {}", its.interval);
        must(its.target <= its.interval, "target", its.target, rule)
    }
}

/// How 1 / √n is found, by which the gap between drops shrinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Root {
    /// Exactly.
    Exact,
    /// By one step of Newton's method for each drop, from the value before (Linux, ns-3). The second gap is 50 ms in
    /// place of 71, the third 56 in place of 58; then it is within 3 %.
    Newton,
}

/// What follows for the next head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// None is dropped, unless packets have waited too long for an interval.
    Passing,
    /// Dropping has begun with the packet before: this one passes.
    Entered,
    /// One is dropped when the time for it has come.
    Dropping,
    /// The packet before was dropped: this one says whether dropping goes on.
    Dropped,
}

/// CoDel of one queue.
#[derive(Clone, Debug)]
pub struct CoDel {
    config: CoDelConfig,
    /// When packets will have waited too long for an interval; none while they do not.
    above_until: Option<SimTime>,
    /// When the next packet is dropped.
    drop_next: SimTime,
    /// Packets dropped since dropping began.
    count: u32,
    /// `count` when dropping began last.
    first_count: u32,
    /// What Newton's method has for 1 / √count.
    share: f64,
    state: State,
}

impl CoDel {
    /// One that has seen nothing.
    #[must_use]
    pub const fn new(config: CoDelConfig) -> Self {
        Self {
            config,
            above_until: None,
            drop_next: SimTime::ZERO,
            count: 0,
            first_count: 0,
            share: 1.0,
            state: State::Passing,
        }
    }

    /// Packets dropped or marked since dropping began.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The configuration.
    #[must_use]
    pub const fn config(&self) -> CoDelConfig {
        self.config
    }

    /// Whether a packet has not waited too long, or little waits behind it.
    #[inline(always)]
    fn is_early(&self, packet: &Leaving) -> bool {
        packet.waited < self.config.target || packet.left <= u64::from(self.config.least_bytes.0)
    }

    /// Whether packets have waited too long for an interval (`dodequeue` of §5.6).
    fn is_above(&mut self, now: SimTime, packet: &Leaving) -> bool {
        if self.is_early(packet) {
            self.above_until = None;
            return false;
        }
        now >= *self.above_until.get_or_insert(now + self.config.interval)
    }

    /// When the next packet is dropped after one that was dropped then (`control_law` of §5.6).
    fn after(&self, dropped: SimTime) -> SimTime {
        let interval = self.config.interval.as_ns() as f64;
        let gap = match self.config.root {
            Root::Exact => interval / libm::sqrt(f64::from(self.count)),
            Root::Newton => interval * self.share,
        };
        dropped + Dur::from_ns(gap as u64)
    }

    /// One step of Newton's method from 1 / √n of the count before to that of this one.
    fn step(&mut self) {
        self.share *= f64::from(self.count).mul_add(-self.share * self.share, 3.0) / 2.0;
    }

    /// Dropping begins, with this packet.
    fn enter(&mut self, now: SimTime, packet: &Leaving) -> Verdict {
        let again = self.count.saturating_sub(self.first_count);
        let recent = now.saturating_since(self.drop_next) < self.config.interval * 16;
        if again > 1 && recent {
            self.count = again;
            self.step();
        } else {
            self.count = 1;
            self.share = 1.0;
        }
        self.first_count = self.count;
        self.drop_next = self.after(now);
        self.choose(packet, State::Entered)
    }

    /// A packet is marked, or dropped; after that the state is another one.
    fn choose(&mut self, packet: &Leaving, dropped: State) -> Verdict {
        let marks = self.config.ecn && packet.ecn;
        self.state = if marks { State::Dropping } else { dropped };
        if marks { Verdict::Notify } else { Verdict::Drop }
    }

    /// What becomes of a head while packets wait too long, or have done so before it.
    #[inline(never)]
    fn judge(&mut self, now: SimTime, packet: &Leaving) -> Verdict {
        let above = self.is_above(now, packet);
        match (self.state, above) {
            (State::Passing, true) => return self.enter(now, packet),
            (State::Entered, _) => {
                self.state = State::Dropping;
                return Verdict::Pass;
            }
            (_, false) => {
                self.state = State::Passing;
                return Verdict::Pass;
            }
            (State::Dropped, true) => {
                self.state = State::Dropping;
                self.drop_next = self.after(self.drop_next);
            }
            (State::Dropping, true) => {}
        }
        if now < self.drop_next {
            return Verdict::Pass;
        }
        self.count += 1;
        self.step();
        let verdict = self.choose(packet, State::Dropped);
        if verdict == Verdict::Notify {
            self.drop_next = self.after(self.drop_next);
        }
        verdict
    }
}

impl Aqm for CoDel {
    fn minds_heads_alone(&self) -> bool {
        true
    }

    #[inline(always)]
    fn leaving(&mut self, now: SimTime, packet: &Leaving) -> Verdict {
        if self.state == State::Passing && self.is_early(packet) {
            self.above_until = None;
            return Verdict::Pass;
        }
        self.judge(now, packet)
    }

    fn emptied(&mut self, _now: SimTime) {
        self.above_until = None;
        self.state = match self.state {
            State::Dropped => State::Passing,
            State::Entered => State::Dropping,
            other => other,
        };
    }

    fn restart(&mut self, _now: SimTime) {
        *self = Self::new(self.config);
    }
}
