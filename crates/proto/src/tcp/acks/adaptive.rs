//! ACKs as Linux times them (`tcp_event_data_recv`, `tcp_incr_quickack`, `tcp_send_delayed_ack`): one by one while the
//! sender needs them most, then for every so many segments. The delay follows the time between segments.

use super::contract::{AckPolicy, Heard, InOrder, When};
use super::every::Every;
use crate::contract::ReceiverView;
use crate::tcp::config::TcpConfig;
use crate::units::{Dur, SimTime};
use crate::wire::RangeSet;

/// Longest delay of an ACK (Linux `TCP_DELACK_MAX`).
const LONGEST: Dur = Dur::from_ms(200);
/// Segments acknowledged one by one after a mark.
const AFTER_MARK: u32 = 2;

/// The rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adaptive {
    /// What else holds; its delay is the least one.
    then: Every,
    /// Most segments that are acknowledged one by one.
    most: u32,
    /// Bytes of a full segment.
    segment: u32,
    /// Least variation of round trips in a retransmission timeout: after a longer silence the sender begins anew.
    silence: Dur,
    /// ACKs that go at once still.
    left: u32,
    /// What the delay is to be; none before the first segment.
    delay: Option<Dur>,
    /// The round trip of the handshake, which no delay is above unless it is shorter than the least one.
    handshake: Option<Dur>,
    /// When the SYN was answered, or the last segment came in order.
    last: SimTime,
}

impl Adaptive {
    /// The rule at the start of a connection.
    #[must_use]
    pub const fn new(config: &TcpConfig, then: Every) -> Self {
        Self {
            then,
            most: config.quick_acks,
            segment: config.segment.0,
            silence: config.min_rto,
            left: 0,
            delay: None,
            handshake: None,
            last: SimTime::ZERO,
        }
    }

    /// Segments are acknowledged one by one for a while: half a window of them, at least two, at most so many.
    fn hurry(&mut self, most: u32, window: u32) {
        let half = window / (2 * self.segment.max(1));
        self.left = self.left.max(half.max(2).min(most));
    }

    /// The delay follows twice the time between segments.
    fn follow(&mut self, now: SimTime, window: u32) {
        let passed = now.saturating_since(self.last);
        let Some(delay) = self.delay else {
            if self.last > SimTime::ZERO {
                self.handshake = Some(passed);
            }
            self.hurry(self.most, window);
            self.delay = Some(self.then.delay);
            return;
        };
        if passed <= self.then.delay / 2 {
            self.delay = Some(delay / 2 + self.then.delay / 2);
        } else if passed < delay {
            self.delay = Some(delay / 2 + passed);
        } else if passed > self.timeout() {
            self.hurry(self.most, window);
        }
    }

    /// The retransmission timeout after the handshake alone (RFC 6298 §2.2).
    fn timeout(&self) -> Dur {
        let rtt = self.handshake.unwrap_or(Dur::ZERO);
        rtt + self.silence.max(rtt * 2)
    }

    /// How long an ACK may wait now.
    fn wait(&self) -> Dur {
        let least = self.then.delay;
        let most = self.handshake.map_or(LONGEST, |rtt| rtt.min(LONGEST)).max(least);
        self.delay.map_or(least, |delay| delay.min(most))
    }
}

impl AckPolicy for Adaptive {
    fn when<'a>(&mut self, segment: &InOrder, receiver: &dyn Fn() -> ReceiverView<'a>) -> When {
        self.follow(segment.now, receiver().window);
        self.last = segment.now;
        self.left |= u32::from(segment.widened);
        if self.left > 0 || segment.pending >= self.then.segments {
            return When::Now;
        }
        When::Within(self.wait())
    }

    fn hear(&mut self, what: Heard) {
        match what {
            Heard::Opened(now) => self.last = now,
            Heard::Repeated { window } => {
                self.hurry(self.most, window);
                self.delay = self.delay.map(|_| self.then.delay);
            }
            Heard::Marked { window } => self.hurry(AFTER_MARK.min(self.most), window),
            Heard::Acknowledged => {
                if self.left == 1 {
                    self.delay = self.delay.map(|_| self.then.delay);
                }
                self.left = self.left.saturating_sub(1);
            }
            Heard::Late => self.delay = self.delay.map(|delay| (delay * 2).min(LONGEST)),
        }
    }

    fn window(&self, most: u32, waiting: &RangeSet) -> u32 {
        self.then.window(most, waiting)
    }
}
