//! Horizontal flow control (Seok, Park & Choi §III-C): a station whose queue is full answers an RTS with a flagged CTS,
//! and the sender holds its frame instead of having it lost one hop on.
//!
//! ```text
//!   sender                                          receiver
//!     ┌────────► BACK-OFF ─► RTS ────────────────►    room: CTS;   full: CTS with More Data, reserving nothing
//!     │                       │                           full, and the RTS forced: CTS
//!     │                       ├─ CTS ─► DATA, holds of this neighbour start anew
//!     │                       ├─ none ─► a failure, as ever
//!     │                       ▼ flagged CTS: no failure, no counter and no window moves
//!     └──────────────────── HOLD
//!        after one exchange, two, four, up to eight;
//!        or when the neighbour is heard sending data
//! ```
//!
//! Two full neighbours would hold for each other for ever: after 32 flagged CTS in a row the RTS is forced (More Data
//! bit), and what then finds no room is lost at the queue, for a reason of its own.
//!
//! A frame that is held goes back to its queue. `no-cts`, which the paper rejects, is silence instead of the flagged
//! CTS.

use super::Others;
use super::exchange::Exchange;
use super::job::Job;
use super::machine::Dcf;
use super::sequence::Sequence;
use crate::contract::{Backlog, Cx, Held, Hold, Outcome, Sink};
use crate::mac::config::{FlowControlConfig, FlowRule};
use crate::mac::{Action, Timer};
use crate::units::{NodeId, SimTime, counters};
use crate::wire::Frame;

/// What a station knows of its neighbours' queues.
#[derive(Clone, Debug)]
pub(super) struct FlowControl {
    config: FlowControlConfig,
    /// Flagged CTS in a row of each neighbour, and until when it is left alone.
    held_by: Vec<(NodeId, u32, SimTime)>,
    pub(super) counters: FlowCounters,
}

counters! {
    /// How often flow control acted.
    pub(super) struct FlowCounters {
        /// Flagged CTS sent.
        pub(super) flagged = "mac.cts-flagged",
        /// RTS not answered.
        pub(super) silent = "mac.cts-withheld",
        /// Own frames held.
        pub(super) held = "mac.held",
        /// RTS forced.
        pub(super) forced = "mac.rts-forced",
    }
}

impl FlowControl {
    /// The flow control of a configuration, if it is on.
    pub(super) fn new(config: &FlowControlConfig) -> Option<Box<Self>> {
        let fresh = Self { config: *config, held_by: Vec::new(), counters: FlowCounters::default() };
        (config.rule != FlowRule::Off).then(|| Box::new(fresh))
    }

    /// Flagged CTS in a row of a neighbour.
    fn holds(&self, neighbour: NodeId) -> u32 {
        self.held_by.iter().find(|&&(node, ..)| node == neighbour).map_or(0, |&(_, holds, _)| holds)
    }

    /// Answers an RTS that asks for room that is not there, if it may answer at all.
    fn refuse<O: Others, S: Sink<Action> + ?Sized>(
        &mut self,
        exchange: &mut Exchange<O>,
        now: SimTime,
        to: NodeId,
        waits: bool,
        out: &mut S,
    ) {
        if !exchange.may_answer(now) {
            return exchange.free(now, waits, out);
        }
        if self.config.rule == FlowRule::NoCts {
            self.counters.silent += 1;
            return exchange.free(now, waits, out);
        }
        self.counters.flagged += 1;
        exchange.transmit_flagged(now, to, waits, out);
    }

    /// The CTS for the RTS of a job has arrived, flagged if `more`: whether it holds the frame back. The holds of a
    /// neighbour that takes it end.
    #[cold]
    pub(super) fn is_held_back<O: Others, S: Sink<Action> + ?Sized>(
        &mut self,
        exchange: &mut Exchange<O>,
        now: SimTime,
        (job, more): (Job, bool),
        out: &mut S,
    ) -> bool {
        let holds = self.holds(job.to);
        self.held_by.retain(|&(node, ..)| node != job.to);
        if !more {
            return false;
        }
        self.counters.held += 1;
        let whole = exchange.times.with_rts(job.tx, job.airtime);
        let times = 1u64.checked_shl(holds).unwrap_or(u64::MAX).min(u64::from(self.config.longest_hold));
        let until = now + whole * times;
        self.held_by.push((job.to, holds.saturating_add(1), until));
        out.put(Action::Arm(Timer::Sequence, SimTime::MAX));
        exchange.free(now, false, out);
        out.put(Action::Hold(Hold::Neighbour(job.to, until)));
        out.put(Action::Outcome(job.packet, Outcome::Held(Held::Peer)));
        true
    }

    /// Whether the RTS is one that the neighbour must answer as usual.
    #[cold]
    pub(super) fn forces(&mut self, to: NodeId) -> bool {
        let forced = self.config.rule == FlowRule::FlaggedCts && self.holds(to) >= self.config.most_holds;
        self.counters.forced += u64::from(forced);
        forced
    }

    /// A neighbour is heard sending data: if it had no room, it has some soon.
    #[cold]
    pub(super) fn overhear_sender<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        from: NodeId,
        out: &mut S,
    ) {
        if let Some((.., until)) =
            self.held_by.iter_mut().find(|&&mut (node, _, until)| node == from && until > now)
        {
            *until = now;
            out.put(Action::Hold(Hold::Neighbour(from, now)));
            out.put(Action::Ready);
        }
    }
}

impl<O: Others> Dcf<O> {
    /// The next step of the exchange is due: if that is a CTS, and the queue is full, the RTS is refused.
    #[cold]
    #[inline(never)]
    pub(super) fn on_sequence_if_room<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        behind: &impl Backlog,
        out: &mut S,
    ) {
        let now = cx.now;
        match self.exchange.sequence() {
            Sequence::CtsDue { forced: false, to, .. } if behind.free() == 0 => {
                if let Some(flow) = &mut self.flow {
                    flow.refuse(&mut self.exchange, now, to, self.job.is_some(), out);
                }
            }
            Sequence::CtsDue { forced: true, to, duration } => {
                let waits = self.job.is_some();
                self.answering.transmit_cts(&mut self.exchange, now, (to, duration), waits, out);
                if self.exchange.sequence() == Sequence::AwaitData {
                    self.exchange.specify(Sequence::AwaitForced);
                }
            }
            _ => self.on_sequence(cx, out),
        }
    }
}

/// What a forced RTS has announced is marked: the queue may have no room for it.
#[cold]
#[inline(never)]
pub(super) fn deliver_forced<S: Sink<Action> + ?Sized>(cx: &mut Cx<'_>, frame: &Frame, out: &mut S) {
    let packet = cx.packets.receive(frame.packet);
    cx.packets[packet].forced = true;
    out.put(Action::Deliver { packet, from: frame.from });
}
