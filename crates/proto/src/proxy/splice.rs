//! Two halves of a TCP connection with a buffer between them: received in the destination's name, sent on in the
//! source's.
//!
//! The packets that came stand in the agent's custody until the next one has acknowledged their bytes. What is sent on
//! are other packets, as old as those. With the node all of it is gone.

use std::collections::BTreeMap;

use super::contract::{Action, Towards, Verdict};
use super::counters::Counters;
use crate::contract::{Cx, drop_packet};
use crate::tcp::connection::Arrival;
use crate::tcp::{self, Handshake, Receiver, Sender, TcpConfig, Timer};
use crate::units::{Dur, FlowId, SimTime};
use crate::wire::{Absorbed, DropReason, Fate, PacketId, Segment, flags};

/// For so long TCP sends something again before it gives the connection up (RFC 1122 §4.2.3.5: R2, at least 100 s).
const GIVES_UP: Dur = Dur::from_secs(100);

/// The two halves.
#[derive(Debug)]
struct Splice {
    receiver: Receiver,
    sender: Sender,
    /// TCP of the second half, and its flow: it may have to begin anew further on.
    config: TcpConfig,
    flow: FlowId,
    /// Bytes that fit between what the next one has acknowledged and what is accepted.
    room: u64,
    /// Whether the window that is advertised is the free room.
    advertises: bool,
    /// First byte beyond the window that was advertised last.
    edge: u64,
    /// When each timer of the halves fires; `SimTime::MAX` when it is off.
    due: [SimTime; 4],
    /// Packets by their first byte.
    held: BTreeMap<u64, PacketId>,
    /// Segments that earlier senders of the second half sent again.
    before: u64,
    /// When the next one last acknowledged something, or had all.
    moved: SimTime,
}

/// What the halves are made of.
#[derive(Clone, Debug)]
pub(super) struct Halves {
    /// TCP of the first half: how it acknowledges.
    pub(super) first: TcpConfig,
    /// TCP of the second half: how it sends.
    pub(super) second: TcpConfig,
    /// The flow.
    pub(super) flow: FlowId,
    /// Segments that fit.
    pub(super) buffer: u32,
    /// Whether the window that is advertised is the free room.
    pub(super) advertises: bool,
}

/// The place of a splice in an agent: there may be none.
#[derive(Debug)]
pub(super) struct Joint {
    halves: Halves,
    splice: Option<Splice>,
    counters: Counters,
}

impl Joint {
    /// A place for a splice that would be made so.
    pub(super) fn new(halves: Halves) -> Self {
        Self { halves, splice: None, counters: Counters::default() }
    }

    /// Whether there is none.
    pub(super) const fn is_empty(&self) -> bool {
        self.splice.is_none()
    }

    /// Puts one here, for a stream that begins at this byte, and opens its second half.
    pub(super) fn open(&mut self, now: SimTime, begin: u64, out: &mut Vec<Action>) {
        let splice = self.splice.insert(Splice::new(&self.halves, begin));
        splice.moved = now;
        splice.tell_sender(now, tcp::Input::Open, out);
    }

    /// Gives the splice a segment.
    pub(super) fn take(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        segment: &Segment,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let Some(splice) = &mut self.splice else { return Verdict::Pass };
        if cx.packets[id].towards == Towards::Source {
            splice.acknowledgment(cx, segment, out);
            return Verdict::Absorb;
        }
        let kept = splice.data(cx, id, segment, &mut self.counters, out);
        if kept { Verdict::Keep } else { Verdict::Absorb }
    }

    /// An ACK for the source passes: what it covers needs no care any more.
    pub(super) fn learn(&mut self, cx: &mut Cx<'_>, segment: &Segment, out: &mut Vec<Action>) {
        if let Some(splice) = &mut self.splice
            && segment.ack > splice.between().0
        {
            splice.acknowledgment(cx, segment, out);
        }
    }

    /// Does what is due, and asks for the timer.
    pub(super) fn attend(&mut self, now: SimTime, out: &mut Vec<Action>) {
        if let Some(splice) = &mut self.splice {
            splice.on_timer(now, out);
            out.push(Action::Arm(splice.next()));
        }
    }

    /// The packets in custody.
    pub(super) fn packets(&self) -> Vec<PacketId> {
        self.splice.iter().flat_map(|splice| splice.held.values().copied()).collect()
    }

    /// Whether the next one has acknowledged nothing for as long as TCP would try.
    pub(super) fn is_stranded(&self, now: SimTime) -> bool {
        self.splice.as_ref().is_some_and(|splice| now.saturating_since(splice.moved) >= GIVES_UP)
    }

    /// The node goes down.
    pub(super) fn flush(&mut self) -> Vec<PacketId> {
        let packets = self.packets();
        if let Some(splice) = self.splice.take() {
            self.counters.lost_bytes += splice.receiver.expected() - splice.sender.view().una;
            self.counters.retransmissions += splice.retransmissions();
        }
        packets
    }

    pub(super) fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        let now = self.splice.as_ref().map_or(0, Splice::retransmissions);
        let retransmissions = self.counters.retransmissions + now;
        Counters { retransmissions, ..self.counters }.each(tell);
    }
}

impl Splice {
    /// Both halves, closed, for a stream that begins at this byte.
    fn new(halves: &Halves, begin: u64) -> Self {
        let Halves { first, second, flow, buffer, advertises } = halves;
        let mut receiver = Receiver::new(&TcpConfig { max_window: *buffer, ..first.clone() });
        receiver.skip_to(begin);
        let room = u64::from(*buffer) * u64::from(first.segment.0);
        let mut splice = Self {
            receiver,
            sender: Sender::new(second.clone(), *flow),
            config: second.clone(),
            flow: *flow,
            room,
            advertises: *advertises,
            edge: begin + room,
            due: [SimTime::MAX; 4],
            held: BTreeMap::new(),
            before: 0,
            moved: SimTime::ZERO,
        };
        splice.sender.begin_at(begin);
        splice
    }

    /// First byte that the next one has not acknowledged, and first byte that has not come.
    fn between(&self) -> (u64, u64) {
        (self.sender.view().una, self.receiver.expected())
    }

    /// Segments that the second half has sent again.
    const fn retransmissions(&self) -> u64 {
        self.before + self.sender.counters().retransmissions
    }

    /// Takes a segment that runs with the data into custody or to its end; returns whether it is in custody now. One
    /// that does not fit is lost, and nothing is said.
    fn data(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        segment: &Segment,
        counters: &mut Counters,
        out: &mut Vec<Action>,
    ) -> bool {
        let end = segment.seq.saturating_add(u64::from(segment.len));
        if segment.len > 0 && end > self.between().0.saturating_add(self.room) {
            out.push(Action::Dropped(drop_packet(cx, id, DropReason::ProxyOverflow)));
            return true;
        }
        let mut told = Vec::new();
        let arrival = self.receiver.on_segment(cx.now, segment, &mut told);
        self.pass_on(told, Towards::Source, out);
        let Arrival::New { readable } = arrival else { return false };
        counters.acknowledged += 1;
        if self.held.is_empty() {
            self.moved = cx.now;
        }
        if let Some(old) = self.held.insert(segment.seq, id) {
            cx.packets.end(old, Fate::Absorbed(Absorbed::Proxy));
        }
        self.tell_sender(cx.now, tcp::Input::Write(readable), out);
        true
    }

    /// An acknowledgment of the next one: frees what it covers, and tells the source of new room.
    fn acknowledgment(&mut self, cx: &mut Cx<'_>, segment: &Segment, out: &mut Vec<Action>) {
        if segment.flags & flags::ACK != 0 && segment.ack > self.sender.view().max_sent {
            self.go_on_from(cx.now, segment.ack, out);
        }
        let before = self.between().0;
        self.tell_sender(cx.now, tcp::Input::Segment(*segment), out);
        let una = self.between().0;
        if una > before {
            self.moved = cx.now;
        }
        while let Some(first) = self.held.first_entry() {
            let packet = *first.get();
            let payload = u64::from(cx.packets[packet].payload.length());
            if first.key() + payload > una {
                break;
            }
            first.remove();
            cx.packets.end(packet, Fate::Absorbed(Absorbed::Proxy));
        }
        let segment = u64::from(self.config.segment.0);
        let (expected, edge) = (self.receiver.expected(), una + self.room);
        // Held back, or so nearly that a delayed ACK would be waited for.
        if self.advertises && self.edge < expected + 2 * segment && edge >= self.edge + segment {
            let mut told = Vec::new();
            self.receiver.control(cx.now, crate::contract::Control::Acknowledge, &mut told);
            self.pass_on(told, Towards::Source, out);
        }
    }

    /// The next one has bytes that this half has never sent: it begins anew behind them.
    fn go_on_from(&mut self, now: SimTime, seq: u64, out: &mut Vec<Action>) {
        self.receiver.skip_to(seq);
        self.before = self.retransmissions();
        self.sender = Sender::new(TcpConfig { handshake: Handshake::None, ..self.config.clone() }, self.flow);
        self.sender.begin_at(seq);
        self.due[Timer::Retransmit as usize] = SimTime::MAX;
        self.due[Timer::LossDetector as usize] = SimTime::MAX;
        self.due[Timer::Pace as usize] = SimTime::MAX;
        self.tell_sender(now, tcp::Input::Open, out);
        self.tell_sender(now, tcp::Input::Write(self.receiver.expected() - seq), out);
    }

    /// Whatever is due.
    fn on_timer(&mut self, now: SimTime, out: &mut Vec<Action>) {
        for timer in [Timer::Retransmit, Timer::LossDetector, Timer::Pace] {
            if self.is_due(timer, now) {
                self.tell_sender(now, tcp::Input::Timer(timer), out);
            }
        }
        if self.is_due(Timer::DelayedAck, now) {
            let mut told = Vec::new();
            self.receiver.on_timer(now, &mut told);
            self.pass_on(told, Towards::Source, out);
        }
    }

    /// When something is due next.
    fn next(&self) -> SimTime {
        self.due.into_iter().min().unwrap_or(SimTime::MAX)
    }

    fn is_due(&mut self, timer: Timer, now: SimTime) -> bool {
        let due = &mut self.due[timer as usize];
        let fires = *due <= now;
        if fires {
            *due = SimTime::MAX;
        }
        fires
    }

    fn tell_sender(&mut self, now: SimTime, input: tcp::Input, out: &mut Vec<Action>) {
        let mut told = Vec::new();
        self.sender.handle(now, input, &mut told);
        self.pass_on(told, Towards::Destination, out);
    }

    fn pass_on(&mut self, told: Vec<tcp::Action>, towards: Towards, out: &mut Vec<Action>) {
        for action in told {
            match action {
                tcp::Action::Arm(timer, at) => self.due[timer as usize] = at,
                tcp::Action::Send(segment) if towards == Towards::Source => {
                    let window = if self.advertises { self.free() } else { segment.window };
                    self.edge = segment.ack + u64::from(window);
                    out.push(Action::Send(towards, Segment { window, ..segment }));
                }
                tcp::Action::Send(segment) => out.push(match self.holder(&segment) {
                    Some(packet) => Action::Resend(packet, segment),
                    None => Action::Send(towards, segment),
                }),
                tcp::Action::Event(_) => {}
            }
        }
    }

    /// The packet in custody that brought the first byte of a segment.
    fn holder(&self, segment: &Segment) -> Option<PacketId> {
        let before = self.held.range(..=segment.seq).next_back().filter(|_| segment.len > 0);
        before.map(|(_, &packet)| packet)
    }

    /// Bytes that could still come.
    fn free(&self) -> u32 {
        let (una, expected) = self.between();
        u32::try_from(self.room.saturating_sub(expected - una)).unwrap_or(u32::MAX)
    }
}
