//! The ends of a Split TCP connection (Kopparty, Krishnamurthy, Faloutsos & Tripathi, GLOBECOM 2002). The local ACK of
//! the first proxy moves TCP's window; within a second window, from end to end, the source keeps what the destination
//! has not acknowledged itself.
//!
//! ```text
//!            nothing acknowledged from end to end for a timeout of
//!            what the first proxy has: half of the window, the
//!            first segment again
//!          ┌─────────────────────────────────────────────────┐
//!          │                                                 ▼
//!    ┌── NORMAL                                            REPAIR ──┐ end-to-end ACK below that: the next ones
//!    └────►▲                                                 │ ▲────┘ again, one more each time
//!          └─────────────────────────────────────────────────┘
//!   end-to-end ACK:         end-to-end ACK of all that
//!   the window opens        the proxy had before
//! ```

use super::contract::{Action, Input, Shim, Verdict};
use super::counters::Counters;
use crate::contract::{Cx, End, NodeState, TcpView};
use crate::keys;
use crate::units::range;
use crate::units::{Dur, SimTime};
use crate::wire::{Segment, flags};

keys! {
    /// Both ends of Split TCP.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct SplitEndsConfig {
        /// The destination acknowledges from end to end every so many segments.
        pub ack_every: u32 = 10 => within(1, 1000),
        /// Longest delay of such an ACK. The paper says only that they are rare; so is the number.
        pub ack_delay: Dur = Dur::from_ms(500) => within(Dur::from_ms(1), Dur::from_secs(60)),
        /// Largest window from end to end, in segments; it begins with two such ACKs' worth.
        pub window: u32 = 100 => within(1, range::MOST),
    }
}

impl SplitEndsConfig {
    /// Least window from end to end: two ACKs' worth, so that one is always on its way.
    pub(super) fn least_window(&self) -> f64 {
        f64::from(self.ack_every.saturating_mul(2).min(self.window))
    }
}

/// Least timeout from end to end, and the first (RFC 6298 §2).
const LEAST: Dur = Dur::from_secs(1);
const FIRST: Dur = Dur::from_secs(3);
/// Largest timeout.
const MOST: Dur = Dur::from_secs(60);

/// Either end of one flow.
#[derive(Debug)]
pub enum SplitTcp {
    /// Keeps what is not acknowledged from end to end.
    Source(Source),
    /// Acknowledges from end to end.
    Destination(Destination),
}

/// The source's end.
#[derive(Debug)]
pub struct Source {
    config: SplitEndsConfig,
    /// First byte that the destination has not acknowledged itself, and first that was never sent.
    una: u64,
    sent: u64,
    /// The window from end to end and its slow-start threshold, in segments.
    window: f64,
    ssthresh: f64,
    /// While it repairs: what the first proxy had when it began, how far it has come, and segments at a time.
    repair: Option<Repair>,
    rtt: Rtt,
    due: SimTime,
    counters: Counters,
}

#[derive(Clone, Copy, Debug)]
struct Repair {
    until: u64,
    next: u64,
    segments: u64,
}

/// Round trips from end to end (RFC 6298 §2).
#[derive(Clone, Copy, Debug)]
struct Rtt {
    timed: Option<(u64, SimTime)>,
    /// Mean and variation \[ns\].
    smoothed: Option<(u64, u64)>,
    doublings: u32,
}

impl Rtt {
    fn timeout(&self) -> Dur {
        let base =
            self.smoothed.map_or(FIRST, |(mean, variation)| Dur::from_ns(mean + 4 * variation).max(LEAST));
        (base * (1 << self.doublings.min(6))).min(MOST)
    }

    fn sample(&mut self, passed: Dur) {
        let sample = passed.as_ns();
        self.smoothed = Some(match self.smoothed {
            None => (sample, sample / 2),
            Some((mean, variation)) => ((7 * mean + sample) / 8, (3 * variation + mean.abs_diff(sample)) / 4),
        });
    }
}

/// The destination's end.
#[derive(Debug)]
pub struct Destination {
    config: SplitEndsConfig,
    /// Segments since its last ACK from end to end.
    unreported: u32,
    /// A segment with a mark is answered at once.
    asked: bool,
}

impl SplitTcp {
    /// Source and destination.
    #[must_use]
    pub fn ends(config: SplitEndsConfig) -> (Self, Self) {
        let source = Source {
            config,
            una: 0,
            sent: 0,
            window: config.least_window(),
            ssthresh: f64::from(config.window),
            repair: None,
            rtt: Rtt { timed: None, smoothed: None, doublings: 0 },
            due: SimTime::MAX,
            counters: Counters::default(),
        };
        let destination = Destination { config, unreported: 0, asked: false };
        (Self::Source(source), Self::Destination(destination))
    }
}

impl Shim for SplitTcp {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        match (self, end) {
            (Self::Source(source), End::Sender(tcp)) => source.handle(cx.now, input, tcp, out),
            (Self::Destination(destination), End::Receiver(_)) => destination.handle(cx.now, input, end, out),
            _ => Verdict::Pass,
        }
    }

    fn unacknowledged(&self) -> Option<u64> {
        match self {
            Self::Source(source) => Some(source.una),
            Self::Destination(_) => None,
        }
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        let counters = match self {
            Self::Source(source) => source.counters,
            Self::Destination(_) => Counters::default(),
        };
        counters.each(tell);
    }
}

impl Source {
    fn handle(
        &mut self,
        now: SimTime,
        input: Input<'_>,
        tcp: &TcpView<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        match input {
            // A probe of a window that no node but this end has closed.
            Input::Leaving(segment) if segment.len == 1 && tcp.peer_window == 0 => Verdict::Swallow,
            Input::Leaving(segment) if segment.len > 0 => {
                let end = segment.seq + u64::from(segment.len);
                if end > self.sent {
                    self.sent = end;
                    self.rtt.timed.get_or_insert((end, now));
                }
                if self.due == SimTime::MAX {
                    self.arm(now, out);
                }
                Verdict::Pass
            }
            Input::Arriving { segment, .. } if segment.flags & flags::END_TO_END != 0 => {
                self.on_end_to_end(now, segment.ack, tcp, out);
                let plain =
                    self.within(Segment { flags: segment.flags & !flags::END_TO_END, ..*segment }, tcp);
                // An older one than the first proxy's says nothing to TCP but how much more may go.
                if segment.ack > tcp.una
                    || u64::from(plain.window) > tcp.peer_window && segment.ack == tcp.una
                {
                    return Verdict::Replace(plain);
                }
                if segment.ack < tcp.una {
                    self.tell_window(segment, tcp, now, out);
                }
                Verdict::Swallow
            }
            Input::Arriving { segment, .. } => Verdict::Replace(self.within(*segment, tcp)),
            Input::Timer if self.due <= now => {
                self.due = SimTime::MAX;
                if self.una < self.sent {
                    self.time_out(now, tcp, out);
                }
                Verdict::Pass
            }
            _ => Verdict::Pass,
        }
    }

    /// The segment with no more window than there is from end to end, and no less than what is outstanding: that is
    /// lost or not, whatever the window has become.
    fn within(&self, segment: Segment, tcp: &TcpView<'_>) -> Segment {
        let edge = self.una + self.window as u64 * u64::from(tcp.segment); // whole segments
        let edge = edge.max(tcp.max_sent);
        let room = u32::try_from(edge.saturating_sub(segment.ack)).unwrap_or(u32::MAX);
        Segment { window: segment.window.min(room), ..segment }
    }

    /// TCP hears of more room from end to end when it waits for that.
    fn tell_window(&self, segment: &Segment, tcp: &TcpView<'_>, now: SimTime, out: &mut Vec<Action>) {
        let update =
            Segment { ack: tcp.una, flags: flags::ACK, window: segment.window, ..Segment::default() };
        let update = self.within(update, tcp);
        if u64::from(update.window) > tcp.peer_window {
            out.push(Action::Deliver { segment: update, created: now });
        }
    }

    fn on_end_to_end(&mut self, now: SimTime, ack: u64, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        if ack <= self.una || ack > self.sent {
            return;
        }
        if let Some((_, since)) = self.rtt.timed.take_if(|(seq, _)| *seq <= ack) {
            self.rtt.sample(now.saturating_since(since));
            self.rtt.doublings = 0;
        }
        let segments = (ack - self.una) as f64 / f64::from(tcp.segment);
        self.una = ack;
        if self.repair.is_some_and(|repair| ack >= repair.until) {
            (self.repair, self.rtt.doublings) = (None, 0);
        }
        if let Some(repair) = &mut self.repair {
            repair.segments += 1;
            self.go_on_repairing(tcp, out);
        } else if self.window < self.ssthresh {
            self.window += segments;
        } else {
            self.window += segments / self.window;
        }
        self.window = self.window.min(f64::from(self.config.window));
        self.arm(now, out);
    }

    fn time_out(&mut self, now: SimTime, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        if self.una >= tcp.una {
            return self.arm(now, out); // what the first proxy does not have TCP itself sends again
        }
        self.ssthresh = (self.window / 2.0).max(self.config.least_window());
        self.window = self.ssthresh;
        self.rtt.timed = None;
        self.rtt.doublings += 1;
        self.repair = Some(Repair { until: tcp.una, next: self.una, segments: 1 });
        self.go_on_repairing(tcp, out);
        self.arm(now, out);
    }

    /// Sends again what the repair's own window lets go.
    fn go_on_repairing(&mut self, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        let Some(repair) = &mut self.repair else { return };
        repair.next = repair.next.max(self.una);
        let edge = (self.una + repair.segments * u64::from(tcp.segment)).min(repair.until);
        while repair.next < edge {
            let len = u32::try_from(edge - repair.next).map_or(tcp.segment, |left| left.min(tcp.segment));
            let flags = flags::ACK | flags::END_TO_END;
            let segment = Segment { seq: repair.next, len, flags, ..Segment::default() };
            out.push(Action::Send(segment));
            self.counters.retransmissions += 1;
            repair.next += u64::from(len);
        }
    }

    fn arm(&mut self, now: SimTime, out: &mut Vec<Action>) {
        self.due = if self.una < self.sent { now + self.rtt.timeout() } else { SimTime::MAX };
        out.push(Action::Arm(self.due));
    }
}

impl Destination {
    fn handle(&mut self, now: SimTime, input: Input<'_>, end: &End<'_>, out: &mut Vec<Action>) -> Verdict {
        match input {
            Input::Arriving { segment, .. } if segment.len > 0 => {
                if self.unreported == 0 {
                    out.push(Action::Arm(now + self.config.ack_delay));
                }
                self.unreported += 1;
                self.asked |= segment.flags & flags::END_TO_END != 0;
            }
            Input::Leaving(ack) if self.asked || self.unreported >= self.config.ack_every => {
                self.report(*ack, out);
            }
            Input::Timer if self.unreported > 0 => {
                if let End::Receiver(tcp) = end {
                    let ack = Segment { ack: tcp.expected, window: tcp.window, ..Segment::default() };
                    self.report(Segment { flags: flags::ACK, ..ack }, out);
                }
            }
            _ => {}
        }
        Verdict::Pass
    }

    fn report(&mut self, ack: Segment, out: &mut Vec<Action>) {
        (self.unreported, self.asked) = (0, false);
        out.push(Action::Send(Segment { flags: ack.flags | flags::END_TO_END, ..ack }));
        out.push(Action::Arm(SimTime::MAX));
    }
}
