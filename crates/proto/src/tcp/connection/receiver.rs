//! The receiving end: RFC 9293 §3.10.7 (in-order delivery), RFC 5681 §4.2 (when to acknowledge),
//! RFC 1122 §4.2.3.2 (delayed ACK), RFC 2018 §4 (SACK blocks).

use super::echo::Echo;
use super::reported::Reported;
use super::{Action, Timer};
use crate::contract::{Arrival, Control, ReceiverView, Sink};
use crate::tcp::acks::{AckPolicy, AnyAckPolicy, Heard, InOrder, When};
use crate::tcp::config::LARGEST_UNSCALED;
use crate::tcp::config::{Loss, TcpConfig};
use crate::tcp::right_sizing::{Arrived, RightSizing};
use crate::tcp::stamps::Stamps;
use crate::tcp::wheel;
use crate::units::{Dur, SimTime};
use crate::wire::{PathOption, RangeSet, Segment, flags};

/// One TCP receiver.
#[derive(Debug)]
pub struct Receiver {
    echo: Echo,
    acks: AnyAckPolicy,
    /// Largest window, and what grows up to it.
    window: u32,
    sizing: Option<Box<RightSizing>>,
    /// The window is a multiple of two to this power.
    scale: u8,
    stamps: Stamps,
    /// Next byte expected.
    nxt: u64,
    /// What has arrived beyond `nxt`.
    waiting: RangeSet,
    reported: Reported,
    /// Segments not acknowledged yet.
    pending: u32,
    /// Tick of the delayed ACK's timer.
    tick: Dur,
    /// A shim has it send no ACKs.
    frozen: bool,
    /// Window that a shim has it advertise.
    told_window: Option<u32>,
}

impl Receiver {
    /// A receiver that expects byte 0.
    #[must_use]
    pub fn new(config: &TcpConfig) -> Self {
        Self {
            echo: Echo::new(config),
            acks: AnyAckPolicy::new(config),
            window: config.max_window.saturating_mul(config.segment.0),
            sizing: config.receiver.autotune.then(|| Box::new(RightSizing::new(config))),
            scale: config.scale(),
            stamps: Stamps::new(config.timestamps),
            nxt: 0,
            waiting: RangeSet::default(),
            reported: Reported::new(config.loss == Loss::Sack, config.dsack),
            pending: 0,
            tick: config.timer_tick,
            frozen: false,
            told_window: None,
        }
    }

    /// Takes a segment.
    #[inline(always)]
    pub fn on_segment<S: Sink<Action>>(&mut self, now: SimTime, segment: &Segment, out: &mut S) -> Arrival {
        if segment.flags & (flags::SYN | flags::ACK) != flags::ACK {
            return self.on_first(now, segment, out);
        }
        if self.stamps.is_on()
            && let Some(arrival) = self.read_times(now, segment, out)
        {
            return arrival;
        }
        if segment.len == 0 {
            return self.on_empty(now, segment, out);
        }
        let start = segment.seq;
        let end = start.saturating_add(u64::from(segment.len));
        if end > self.edge() {
            return self.on_overlong(now, segment, out);
        }
        let presses = self.echo.heeds(segment.flags) && self.note_marks(segment, end);
        let in_order = start <= self.nxt && end > self.nxt;
        let filled_gap = !self.waiting.is_empty();
        let before = self.nxt;
        self.reported.arrives(start, end, self.nxt, &self.waiting);
        let new = self.take(start, end);
        self.pending += 1;
        let widened = self.sizing.is_some() && self.size(now, segment, new);
        if !new {
            self.acks.hear(Heard::Repeated { window: self.room() });
        }
        match if in_order && !filled_gap && !presses { self.when(now, segment, widened) } else { When::Now } {
            When::Within(delay) => {
                if self.pending == 1 && !self.frozen {
                    let fires = wheel::fires(self.tick, now, now + delay);
                    out.put(Action::Arm(Timer::DelayedAck, fires));
                }
            }
            When::Now => self.acknowledge(now, flags::ACK, out),
        }
        if new { Arrival::New { readable: self.nxt - before } } else { Arrival::Duplicate }
    }

    /// A SYN opens the connection. Anything else without the ACK bit is dropped, and answered only if it lies outside
    /// of the window (RFC 9293 §3.10.7.4, first and fifth).
    #[cold]
    #[inline(never)]
    fn on_first<S: Sink<Action>>(&mut self, now: SimTime, segment: &Segment, out: &mut S) -> Arrival {
        if segment.flags & flags::SYN != 0 {
            self.acks.hear(Heard::Opened(now));
            self.stamps.hear(segment);
            let answer = self.echo.hear_offer(segment);
            self.acknowledge(now, flags::SYN | flags::ACK | answer, out);
            return Arrival::Control;
        }
        if !self.is_acceptable(segment) {
            self.acknowledge(now, flags::ACK, out);
        }
        if segment.len == 0 { Arrival::Control } else { Arrival::Unacceptable }
    }

    /// A segment of an earlier time than what was heard last is dropped and answered (PAWS, RFC 7323 §5.3 R1). What
    /// came twice is told.
    #[cold]
    #[inline(never)]
    fn read_times<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        segment: &Segment,
        out: &mut S,
    ) -> Option<Arrival> {
        if !self.stamps.is_old(segment) {
            self.stamps.hear(segment);
            return None;
        }
        let end = segment.seq.saturating_add(u64::from(segment.len));
        self.reported.arrives(segment.seq, end, self.nxt, &self.waiting);
        self.acknowledge(now, flags::ACK, out);
        Some(match segment.len {
            0 => Arrival::Control,
            _ if end <= self.nxt => Arrival::Duplicate,
            _ => Arrival::Unacceptable,
        })
    }

    /// A segment without data. One that is not acceptable, as a probe, is answered.
    #[inline(never)]
    fn on_empty<S: Sink<Action>>(&mut self, now: SimTime, segment: &Segment, out: &mut S) -> Arrival {
        if !self.is_acceptable(segment) {
            self.acknowledge(now, flags::ACK, out);
        }
        Arrival::Control
    }

    /// A segment that reaches beyond the window: what lies within is taken (RFC 9293 §3.10.7.4). If nothing does, it is
    /// dropped and answered.
    #[cold]
    #[inline(never)]
    fn on_overlong<S: Sink<Action>>(&mut self, now: SimTime, segment: &Segment, out: &mut S) -> Arrival {
        let within = self.edge().saturating_sub(segment.seq);
        match u32::try_from(within) {
            Ok(len) if len > 0 && self.is_acceptable(segment) => {
                self.on_segment(now, &Segment { len, ..*segment }, out)
            }
            _ => {
                self.acknowledge(now, flags::ACK, out);
                Arrival::Unacceptable
            }
        }
    }

    /// Whether the first or the last byte lies in the window: the table of RFC 9293 §3.10.7.4.
    fn is_acceptable(&self, segment: &Segment) -> bool {
        let window = self.nxt..self.edge();
        let last = segment.seq.saturating_add(u64::from(segment.len.saturating_sub(1)));
        segment.len == 0 && segment.seq == self.nxt
            || window.contains(&segment.seq)
            || segment.len > 0 && window.contains(&last)
    }

    /// A segment says something of marks; what was here already says nothing (RFC 3168 §6.1.5). Returns whether it is
    /// to be acknowledged at once.
    #[cold]
    #[inline(never)]
    fn note_marks(&mut self, segment: &Segment, end: u64) -> bool {
        if end <= self.nxt {
            return false;
        }
        if segment.flags & flags::CE != 0 {
            self.acks.hear(Heard::Marked { window: self.room() });
        }
        self.echo.hear(segment.flags, segment.len)
    }

    /// Takes everything below this byte of the stream as received: an end that goes on for another never sees it.
    pub fn skip_to(&mut self, seq: u64) {
        self.take(self.nxt, seq);
    }

    /// Acknowledges in another way than is configured.
    pub fn set_acks(&mut self, acks: Box<dyn AckPolicy>) {
        self.acks = AnyAckPolicy::Custom(acks);
    }

    fn when(&mut self, now: SimTime, segment: &Segment, widened: bool) -> When {
        let segment = InOrder { now, seq: segment.seq, len: segment.len, pending: self.pending, widened };
        let Self { acks, nxt, waiting, pending, frozen, window, sizing, .. } = self;
        acks.when(&segment, &|| ReceiverView {
            expected: *nxt,
            waiting,
            pending: *pending,
            window: sizing.as_ref().map_or(*window, |sizing| sizing.window()),
            frozen: *frozen,
        })
    }

    /// A segment makes the window grow, if it is `new`; returns whether it has.
    #[cold]
    #[inline(never)]
    fn size(&mut self, now: SimTime, segment: &Segment, new: bool) -> bool {
        let top = self.waiting.iter().next_back().map_or(self.nxt, |(_, end)| end);
        let seen =
            Arrived { now, len: segment.len, expected: self.nxt, top, echo: segment.times.elapsed(now) };
        self.sizing.as_mut().is_some_and(|sizing| new && sizing.arrive(&seen))
    }

    /// Largest window that may be advertised now.
    #[inline]
    fn room(&self) -> u32 {
        self.sizing.as_ref().map_or(self.window, |sizing| sizing.window())
    }

    /// The delayed-ACK timer fires.
    pub fn on_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.pending > 0 {
            self.acks.hear(Heard::Late);
            self.acknowledge(now, flags::ACK, out);
        }
    }

    /// Obeys a shim.
    pub fn control<S: Sink<Action>>(&mut self, now: SimTime, control: Control, out: &mut S) {
        match control {
            Control::Freeze => {
                self.frozen = true;
                out.put(Action::Arm(Timer::DelayedAck, SimTime::MAX));
            }
            Control::Thaw if self.frozen => {
                self.frozen = false;
                self.acknowledge(now, flags::ACK, out);
            }
            Control::Acknowledge => self.send(now, flags::ACK, out),
            Control::SetWindow { bytes } => self.told_window = bytes,
            _ => {} // a sender's
        }
    }

    /// State for shims.
    #[must_use]
    pub fn view(&self) -> ReceiverView<'_> {
        ReceiverView {
            expected: self.nxt,
            waiting: &self.waiting,
            pending: self.pending,
            window: self.advertised(),
            frozen: self.frozen,
        }
    }

    /// Tells every counter by its public name.
    pub fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.acks.each_counter(tell);
    }

    /// Next byte expected.
    #[must_use]
    pub const fn expected(&self) -> u64 {
        self.nxt
    }

    /// Whether the byte has arrived.
    #[must_use]
    pub fn has(&self, seq: u64) -> bool {
        seq < self.nxt || self.waiting.contains(seq)
    }

    /// Window that the next ACK advertises.
    fn advertised(&self) -> u32 {
        let most = self.room();
        let window = self.acks.window(most, &self.waiting).min(most);
        self.told_window.map_or(window, |told| told.min(window))
    }

    /// What a segment with these flags says of the window: a multiple of the scale, and in a SYN what a header can say
    /// without one (RFC 7323 §2.2, §2.3).
    fn window_of(&self, said: u8) -> u32 {
        let window = self.advertised();
        match self.scale {
            0 => window,
            _ if said & flags::SYN != 0 => window.min(LARGEST_UNSCALED),
            scale => (window >> scale).min(LARGEST_UNSCALED) << scale,
        }
    }

    /// First byte beyond the buffer, which is there whatever is advertised.
    const fn edge(&self) -> u64 {
        self.nxt.saturating_add(self.window as u64)
    }

    fn acknowledge<S: Sink<Action>>(&mut self, now: SimTime, flags: u8, out: &mut S) {
        if !self.frozen {
            self.send(now, flags, out);
        }
    }

    fn send<S: Sink<Action>>(&mut self, now: SimTime, flags: u8, out: &mut S) {
        if self.pending > 0 {
            if self.acks.may_wait() {
                out.put(Action::Arm(Timer::DelayedAck, SimTime::MAX));
            }
            self.acks.hear(Heard::Acknowledged);
        }
        self.pending = 0;
        let sack = self.reported.blocks(&self.waiting);
        self.stamps.acknowledge(self.nxt);
        let ack = Segment {
            seq: 0,
            ack: self.nxt,
            len: 0,
            flags,
            window: self.window_of(flags),
            sack,
            times: self.stamps.stamp(now),
            scale: self.scale,
            path: PathOption::None,
            ae: false,
        };
        out.put(Action::Send(self.echo.stamp(ack)));
    }

    /// Takes in `[start, end)`; returns whether any byte of it is new.
    fn take(&mut self, start: u64, end: u64) -> bool {
        if end <= self.nxt {
            return false;
        }
        if start > self.nxt {
            let new = self.waiting.insert(start, end);
            self.reported.note(start, &self.waiting);
            return new;
        }
        self.nxt = end;
        while let Some(end) = self.waiting.take_front(self.nxt) {
            self.nxt = self.nxt.max(end);
        }
        self.reported.forget_below(self.nxt);
        true
    }
}
