//! ADTCP's receiver. With each segment it measures, over a sliding interval:
//!
//! ```text
//!   IDD   how much longer than the gap of sending the gap of arrival is, from one segment to the next
//!   STT   segments that came in the interval
//!   POR   share of them that one sent later has overtaken
//!   PLR   share of those expected that are missing
//!
//!   nothing came in the interval before       DISCONNECTED
//!   IDD high and STT low                      CONGESTION
//!   POR high                                  ROUTE CHANGE
//!   PLR high                                  CHANNEL ERROR
//!   otherwise                                 NORMAL
//! ```
//!
//! The first of these lines that is true counts. High and low: [`Samples`].

use crate::keys;
use std::collections::VecDeque;

use super::samples::{Level, Samples};
use crate::contract::{Cx, End, NodeState, ReceiverView};
use crate::shim::contract::{Action, Input, Shim, Verdict};
use crate::units::range::LONGEST;
use crate::units::{Dur, SimTime, counters};
use crate::wire::{PathOption, PathState, Segment, microseconds};

keys! {
    /// ADTCP's receiver.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct AdtcpConfig {
        /// Over which time it counts what came.
        pub interval: Dur = Dur::from_ms(500) => within(Dur::from_ms(1), LONGEST),
        /// Most samples of each measure that a new one is compared with; it says nothing before there are ten.
        pub samples: u32 = 50 => within(10, 10_000),
        /// Share of the samples at either end that are high or low.
        pub share: f64 = 0.3 => within(0.0, 0.5),
    }
}

/// The receiver of one flow.
#[derive(Clone, Debug)]
pub struct AdtcpReceiver {
    interval: Dur,
    /// The segment before: when it came, and when it was sent \[µs modulo 2^32\].
    before: Option<(SimTime, u32)>,
    /// When the one that was sent last was sent.
    latest: u32,
    /// What came in the interval, and whether it had been overtaken.
    come: VecDeque<(SimTime, bool)>,
    idd: Samples,
    stt: Samples,
    por: Samples,
    plr: Samples,
    state: PathState,
    counters: SignCounters,
}

counters! {
    /// Segments that were taken for a sign of something.
    pub struct SignCounters {
        /// Of congestion.
        pub congestion = "adtcp.congestion",
        /// Of a route change.
        pub route_change = "adtcp.route-change",
        /// Of channel errors.
        pub channel_error = "adtcp.channel-error",
        /// Of disconnection.
        pub disconnected = "adtcp.disconnected",
    }
}

impl AdtcpReceiver {
    /// A receiver that nothing has come to.
    #[must_use]
    pub fn new(config: AdtcpConfig) -> Self {
        let samples = || Samples::new(config.samples, config.share);
        Self {
            interval: config.interval,
            before: None,
            latest: 0,
            come: VecDeque::new(),
            idd: samples(),
            stt: samples(),
            por: samples(),
            plr: samples(),
            state: PathState::Normal,
            counters: SignCounters::default(),
        }
    }
}

impl Shim for AdtcpReceiver {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        _out: &mut Vec<Action>,
    ) -> Verdict {
        let End::Receiver(view) = end else { return Verdict::Pass };
        match input {
            Input::Arriving { segment, created } if segment.path == PathOption::Sent && segment.len > 0 => {
                self.state = self.classify(cx.now, microseconds(created), missing(view, segment));
                *match self.state {
                    PathState::Normal => return Verdict::Pass,
                    PathState::Congestion => &mut self.counters.congestion,
                    PathState::RouteChange => &mut self.counters.route_change,
                    PathState::ChannelError => &mut self.counters.channel_error,
                    PathState::Disconnected => &mut self.counters.disconnected,
                } += 1;
                Verdict::Pass
            }
            Input::Leaving(segment) => {
                let sack = if segment.times.is_present() { segment.sack.first(2) } else { segment.sack };
                Verdict::Replace(Segment { path: PathOption::State(self.state), sack, ..*segment })
            }
            _ => Verdict::Pass,
        }
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}

impl AdtcpReceiver {
    /// A segment that was sent then has come; so many before it are missing.
    fn classify(&mut self, now: SimTime, sent: u32, missing: f64) -> PathState {
        while self.come.front().is_some_and(|&(at, _)| at + self.interval < now) {
            self.come.pop_front();
        }
        let silent = self.before.is_some() && self.come.is_empty();
        let overtaken = self.before.is_some() && sent.wrapping_sub(self.latest).cast_signed() < 0;
        let idd = self.before.filter(|_| !overtaken).map(|(at, before)| {
            let gaps = (now - at, sent.wrapping_sub(before).cast_signed());
            self.idd.add(gaps.0.as_ns() as f64 / 1e3 - f64::from(gaps.1))
        });
        if !overtaken {
            self.latest = sent;
        }
        self.before = Some((now, sent));
        self.come.push_back((now, overtaken));
        let came = self.come.len() as f64;
        let late = self.come.iter().filter(|&&(_, late)| late).count() as f64;
        let stt = self.stt.add(came);
        let por = self.por.add(late / came);
        let plr = self.plr.add(missing / (missing + came));
        if silent {
            PathState::Disconnected
        } else if idd == Some(Level::High) && stt == Level::Low {
            PathState::Congestion
        } else if por == Level::High {
            PathState::RouteChange
        } else if plr == Level::High {
            PathState::ChannelError
        } else {
            PathState::Normal
        }
    }
}

/// How many segments are missing below the highest byte that has come, the present segment included.
fn missing(view: &ReceiverView<'_>, segment: &Segment) -> f64 {
    let mut held = view.waiting.clone();
    held.insert(segment.seq, segment.seq.saturating_add(u64::from(segment.len)));
    let (mut from, mut bytes) = (view.expected, 0);
    for (start, end) in held.iter() {
        bytes += start.saturating_sub(from);
        from = from.max(end);
    }
    bytes as f64 / f64::from(segment.len)
}
