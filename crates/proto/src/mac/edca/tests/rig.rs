//! One station, what waits for it in each category, and the neighbours that answer it.

use std::collections::VecDeque;

use crate::contract::{Offer, Outcome, Supply};
use crate::mac::config::{AggregationConfig, CategoryConfig, DcfConfig, EdcaConfig, Standard};
use crate::mac::edca::Edca;
use crate::mac::{Action, Input, Mac, Sensed, Timer};
use crate::phy::TxVector;
use crate::testing::{cx, udp};
use crate::units::{Bitrate, Bytes, Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use crate::wire::{Bitmap, Category, Frame, FrameKind, PacketId, PacketStore, UserPriority};

pub(super) const ME: NodeId = NodeId(1);
pub(super) const PEER: NodeId = NodeId(2);
pub(super) const SIFS: Dur = Dur::from_us(16);
pub(super) const SLOT: Dur = Dur::from_us(9);

pub(super) fn us(us: u64) -> SimTime {
    SimTime::from_us(us)
}

/// A user priority of each category.
pub(super) const fn priority(category: Category) -> UserPriority {
    UserPriority::new(match category {
        Category::Background => 1,
        Category::BestEffort => 0,
        Category::Video => 5,
        Category::Voice => 6,
    })
}

/// Stations of 802.11n whose back-offs have no slots, so that only AIFS tells them apart.
pub(super) fn config() -> DcfConfig {
    let one = CategoryConfig { cw_min: Some(0), cw_max: Some(0), ..CategoryConfig::default() };
    DcfConfig {
        standard: Standard::N,
        aggregation: AggregationConfig { on: true, ..AggregationConfig::default() },
        edca: EdcaConfig {
            on: true,
            background: one,
            best_effort: one,
            video: one,
            voice: one,
            ..EdcaConfig::default()
        },
        basic_rate: Bitrate::from_mbps(6),
        ack_rate: Some(Bitrate::from_mbps(24)),
        slot: SLOT,
        sifs: SIFS,
        cca_time: Dur::ZERO,
        timeout_slack: SLOT,
        data_overhead: Bytes(38),
        ..DcfConfig::default()
    }
}

/// A frame of the station, and when it began.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) at: SimTime,
    pub(super) frame: Frame,
    /// Sequence numbers and first packets of its MPDUs.
    pub(super) mpdus: Vec<(u16, PacketId)>,
    /// All packets in it.
    pub(super) packets: Vec<PacketId>,
}

impl Sent {
    pub(super) fn ends(&self) -> SimTime {
        self.at + self.frame.airtime
    }

    pub(super) fn category(&self) -> Category {
        self.frame.priority.category()
    }
}

/// The station.
pub(super) struct Rig {
    pub(super) edca: Edca,
    pub(super) packets: PacketStore,
    waiting: VecDeque<(PacketId, NodeId)>,
    timers: Vec<(SimTime, Timer)>,
    answers: VecDeque<(SimTime, Frame)>,
    pub(super) sent: Vec<Sent>,
    pub(super) ended: Vec<(PacketId, Outcome)>,
    now: SimTime,
}

impl Rig {
    pub(super) fn new(config: &DcfConfig) -> Self {
        let rng = Rng::stream(1, 1, Entity::Node("0"), Purpose::Backoff);
        Self {
            edca: Edca::new(config, ME, rng),
            packets: PacketStore::new(1),
            waiting: VecDeque::new(),
            timers: Vec::new(),
            answers: VecDeque::new(),
            sent: Vec::new(),
            ended: Vec::new(),
            now: SimTime::ZERO,
        }
    }

    /// The medium carries a signal.
    pub(super) fn busy(&mut self, from: SimTime, until: SimTime) {
        self.now = from;
        let moved = self.edca.sense(from, Sensed::Carrier(until));
        self.arm(moved.map(|at| (at, Timer::Access)));
    }

    /// A frame ends that was received whole.
    pub(super) fn hears(&mut self, at: SimTime, frame: &Frame) {
        self.now = at;
        self.feed(Input::Receive(frame));
    }

    /// A packet of 1500 bytes comes, with this priority.
    pub(super) fn comes(&mut self, at: SimTime, to: NodeId, priority: UserPriority) -> PacketId {
        self.comes_long(at, to, priority, 1500)
    }

    /// One of so many bytes.
    pub(super) fn comes_long(
        &mut self,
        at: SimTime,
        to: NodeId,
        priority: UserPriority,
        size: u32,
    ) -> PacketId {
        self.now = at;
        let packet = udp(&mut self.packets, FlowId(0), to, 0, size);
        self.packets[packet].priority = priority;
        self.packets[packet].enqueued = at;
        self.waiting.push_back((packet, to));
        self.serve();
        packet
    }

    /// When the access timer stands.
    pub(super) fn access_at(&self) -> Option<SimTime> {
        self.timers.iter().find(|(_, timer)| *timer == Timer::Access).map(|&(at, _)| at)
    }

    /// Packets that the station has not taken yet.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn counter(&self, of: &str) -> u64 {
        let mut found = 0;
        self.edca.each_counter(&mut |name, value| found += if name == of { value } else { 0 });
        found
    }

    fn arm(&mut self, timer: Option<(SimTime, Timer)>) {
        if let Some((at, timer)) = timer {
            self.timers.retain(|&(_, other)| other != timer);
            if at < SimTime::MAX {
                self.timers.push((at, timer));
            }
        }
    }

    fn feed(&mut self, input: Input<'_>) {
        let mut out: Vec<Action> = Vec::new();
        self.edca.handle(&mut cx(self.now, &mut self.packets), input, &NoBacklog, &mut out);
        for action in out {
            match action {
                Action::Arm(timer, at) => self.arm(Some((at, timer))),
                Action::Outcome(packet, outcome) => self.ended.push((packet, outcome)),
                Action::Transmit(frame) => {
                    let of_batch: Vec<_> =
                        self.packets.mpdus(frame.batch).iter().map(|it| (it.number, it.packet)).collect();
                    let one = vec![(frame.sequence, frame.packet)];
                    let mpdus = if of_batch.is_empty() { one } else { of_batch };
                    let packed = |(place, &(_, first)): (u16, &(u16, PacketId))| {
                        std::iter::once(first).chain(self.packets.packed(frame.batch, place))
                    };
                    let packets = (0..).zip(&mpdus).flat_map(packed).collect();
                    self.sent.push(Sent { at: self.now, frame, mpdus, packets });
                }
                _ => {}
            }
        }
    }

    /// The MAC gets what it asks for.
    fn serve(&mut self) {
        while self.edca.wants_frame() {
            let may = |&(packet, to): &(PacketId, NodeId)| {
                let of = self.packets[packet].priority;
                match self.edca.supply_for(of.category()) {
                    Some(Supply::NextFor(neighbour, priority)) => neighbour == to && priority == of,
                    other => other.is_some(),
                }
            };
            let Some(place) = self.waiting.iter().position(may) else { return };
            let Some((packet, to)) = self.waiting.remove(place) else { return };
            let size = self.packets[packet].size;
            self.feed(Input::Send(Offer { packet, to, size, second: None, kept: false }));
        }
    }

    /// Time passes; `answered` says which frames are answered.
    pub(super) fn run(&mut self, until: SimTime, mut answered: impl FnMut(&Sent) -> bool) {
        let mut seen = self.sent.len();
        loop {
            while let Some(sent) = self.sent.get(seen).cloned() {
                seen += 1;
                if sent.frame.kind.asks() && sent.frame.to != NodeId::BROADCAST && answered(&sent) {
                    let answer = self.answer(&sent);
                    self.answers.push_back((sent.ends() + SIFS + answer.airtime, answer));
                }
            }
            let timer = self.timers.iter().map(|&(at, _)| at).min().unwrap_or(SimTime::MAX);
            let answer = self.answers.front().map_or(SimTime::MAX, |&(at, _)| at);
            let next = timer.min(answer);
            if next > until {
                self.now = until;
                return;
            }
            self.now = next;
            if answer == next {
                let Some((_, frame)) = self.answers.pop_front() else { return };
                self.feed(Input::Receive(&frame));
            } else if let Some(place) = self.timers.iter().position(|&(at, _)| at == next) {
                let (_, timer) = self.timers.remove(place);
                self.feed(Input::Timer(timer));
            }
            self.serve();
        }
    }

    /// What the neighbour says.
    fn answer(&mut self, sent: &Sent) -> Frame {
        let frame = &sent.frame;
        let several = sent.mpdus.len() > 1 || frame.kind == FrameKind::BlockAckRequest;
        let kind = match frame.kind {
            FrameKind::Rts => FrameKind::Cts,
            _ if several => FrameKind::BlockAck,
            _ => FrameKind::Ack,
        };
        let size = if several { Bytes(32) } else { Bytes(14) };
        let tx: TxVector = DcfConfig { standard: Standard::A, ..config() }.vector_at(Bitrate::from_mbps(24));
        let mut map = Bitmap::NONE;
        (0..sent.mpdus.len() as u16).for_each(|place| {
            map.set(place);
        });
        let batch = self.packets.block_ack(map);
        Frame {
            kind,
            from: frame.to,
            to: ME,
            size,
            tx,
            airtime: tx.airtime(size),
            batch,
            duration: Dur::ZERO,
            ..*frame
        }
    }
}

struct NoBacklog;

impl crate::contract::Backlog for NoBacklog {
    fn length(&self) -> u32 {
        0
    }

    fn free(&self) -> u32 {
        50
    }

    fn each_head(&self, _tell: &mut dyn FnMut(crate::contract::Head)) {}
}
