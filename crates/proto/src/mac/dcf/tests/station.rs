//! One station under test, and the frames that it meets.

use crate::contract::{Backlog, Head, Offer, Outcome};
use crate::mac::config::{
    BackoffDraw, EifsRule, ImmediateAccess, ResponseTimeout, RetryCount, WindowAfterGiveUp,
};
use crate::mac::dcf::Dcf;
use crate::mac::{Action, DcfConfig, Input, Mac, Sensed, Timer};
use crate::phy::{Preamble, TxVector};
use crate::testing::{cx, udp};
use crate::units::{Bitrate, Bytes, Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use crate::wire::{BatchId, Frame, FrameKind, PacketId, PacketStore, UserPriority};

pub(super) use Action::{Arm, Deliver, Transmit};
pub(super) use Timer::{Access, Sequence};

/// The station under test.
pub(super) const ME: NodeId = NodeId(1);
/// The station that it talks to.
pub(super) const PEER: NodeId = NodeId(2);
/// Two more in the neighbourhood.
pub(super) const OTHER: NodeId = NodeId(3);
pub(super) const FOURTH: NodeId = NodeId(4);

/// Airtime of a data frame of 1520 network-layer bytes under [`ns2`]: 192 us + 1554 bytes at 2 Mb/s.
pub(super) const DATA: Dur = Dur::from_us(6408);

/// The rules of ns-2, RTS/CTS on.
pub(super) fn ns2() -> DcfConfig {
    DcfConfig {
        rts_threshold: Bytes(0),
        data_overhead: Bytes(34),
        eifs: EifsRule::Ns2,
        backoff_draw: BackoffDraw::Exclusive,
        cts_needs_idle: true,
        data_needs_idle: true,
        respond_while_waiting: false,
        nav_reset: false,
        cca_time: Dur::ZERO,
        capture_nav: true,
        timeout_slack: Dur::from_us(4),
        immediate_access: ImmediateAccess::Never,
        ..DcfConfig::default()
    }
}

/// The rules of the standard, RTS/CTS on; the same data overhead as [`ns2`], so that airtimes are equal.
pub(super) fn standard() -> DcfConfig {
    DcfConfig { rts_threshold: Bytes(0), data_overhead: Bytes(34), ..DcfConfig::default() }
}

/// The rules of ns-3, RTS/CTS on, with the data overhead of [`ns2`].
pub(super) fn ns3() -> DcfConfig {
    DcfConfig {
        ack_rate: Some(Bitrate::from_mbps(2)),
        immediate_access: ImmediateAccess::IfIdle,
        retry_count: RetryCount::PerFrame,
        window_after_give_up: WindowAfterGiveUp::Keep,
        response_timeout: ResponseTimeout::Start,
        long_retry_limit: 7,
        ..standard()
    }
}

/// A station and the store of its packets.
pub(super) struct Station {
    pub(super) dcf: Dcf,
    pub(super) packets: PacketStore,
    /// What waits behind it.
    pub(super) behind: Behind,
}

/// A queue that can take so many packets more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Behind(pub(super) u32);

impl Backlog for Behind {
    fn length(&self) -> u32 {
        0
    }

    fn free(&self) -> u32 {
        self.0
    }

    fn each_head(&self, _tell: &mut dyn FnMut(Head)) {}
}

impl Station {
    pub(super) fn new(config: DcfConfig) -> Self {
        let rng = Rng::stream(1, 1, Entity::Node("0"), Purpose::Backoff);
        Self { dcf: Dcf::new(config, ME, rng), packets: PacketStore::new(1), behind: Behind(50) }
    }

    pub(super) fn feed<'a>(&mut self, now: SimTime, stimulus: impl Into<Stimulus<'a>>) -> Vec<Action> {
        let mut out = Vec::new();
        match stimulus.into() {
            Stimulus::Input(input) => {
                self.dcf.handle(&mut cx(now, &mut self.packets), input, &self.behind, &mut out)
            }
            Stimulus::Sensed(sensed) => out.extend(self.dcf.sense(now, sensed).map(|at| Arm(Access, at))),
        }
        out
    }

    /// A packet in the store.
    pub(super) fn packet(&mut self) -> PacketId {
        udp(&mut self.packets, FlowId(0), PEER, 0, 1500)
    }

    /// An offer of 1520 network-layer bytes to the peer.
    pub(super) fn offer(&mut self) -> Offer {
        let packet = self.packet();
        offer_of(packet)
    }

    /// Runs the station by itself until the frame in service has come to an end. `answered` says whether the
    /// peer answers a frame. Returns the outcome and the instants and frames of all transmissions.
    pub(super) fn serve(
        &mut self,
        start: SimTime,
        offer: Offer,
        mut answered: impl FnMut(&Frame) -> bool,
    ) -> (Outcome, Vec<(SimTime, Frame)>) {
        let mut wakes: Vec<(SimTime, Timer)> = Vec::new();
        let mut answer: Option<(SimTime, Frame)> = None;
        let mut sent = Vec::new();
        let mut actions = self.feed(start, Input::Send(offer));
        let mut now = start;
        loop {
            for action in std::mem::take(&mut actions) {
                match action {
                    Arm(timer, at) => {
                        wakes.retain(|&(_, other)| other != timer);
                        wakes.push((at, timer));
                    }
                    Transmit(frame) => {
                        sent.push((now, frame));
                        if answered(&frame) {
                            let (reply, length) = match frame.kind {
                                FrameKind::Rts => (cts(PEER, ME, 0), self.dcf.exchange.times.cts),
                                _ => (ack(PEER, ME), self.dcf.exchange.times.answer(frame.tx).ack),
                            };
                            answer =
                                Some((now + frame.airtime + self.dcf.exchange.config().sifs + length, reply));
                        }
                    }
                    Action::Outcome(_, outcome) => return (outcome, sent),
                    Deliver { .. }
                    | Action::Hold(_)
                    | Action::Ready
                    | Action::Doze(_)
                    | Action::Dropped(_) => {}
                }
            }
            wakes.sort_unstable_by_key(|&(at, timer)| (at, timer == Access));
            let next = wakes.first().copied();
            if let Some((at, frame)) = answer
                && next.is_none_or(|(wake, _)| at <= wake)
            {
                (now, answer) = (at, None);
                actions = self.feed(now, Input::Receive(&frame));
            } else if let Some((at, timer)) = next {
                now = at;
                wakes.remove(0);
                actions = self.feed(now, Input::Timer(timer));
            } else {
                panic!("nothing armed at {now} with a frame in service");
            }
        }
    }
}

/// What a line of a time line may say.
pub(super) enum Stimulus<'a> {
    Input(Input<'a>),
    Sensed(Sensed),
}

impl<'a> From<Input<'a>> for Stimulus<'a> {
    fn from(input: Input<'a>) -> Self {
        Self::Input(input)
    }
}

impl From<Sensed> for Stimulus<'_> {
    fn from(sensed: Sensed) -> Self {
        Self::Sensed(sensed)
    }
}

/// An offer of a packet to the peer, 1520 network-layer bytes.
pub(super) const fn offer_of(packet: PacketId) -> Offer {
    Offer { packet, to: PEER, size: Bytes(1520), second: None, kept: false }
}

fn control(kind: FrameKind, from: NodeId, to: NodeId, size: u32, duration_us: u64, airtime_us: u64) -> Frame {
    Frame {
        kind,
        retry: false,
        more: false,
        sequence: 0,
        from,
        to,
        packet: PacketId::NONE,
        second: None,
        batch: BatchId::NONE,
        priority: UserPriority::BEST_EFFORT,
        size: Bytes(size),
        duration: Dur::from_us(duration_us),
        tx: TxVector::dsss(Bitrate::from_mbps(if kind == FrameKind::Data { 2 } else { 1 }), Preamble::Long),
        airtime: Dur::from_us(airtime_us),
    }
}

pub(super) fn rts(from: NodeId, to: NodeId, duration_us: u64) -> Frame {
    control(FrameKind::Rts, from, to, 20, duration_us, 352)
}

pub(super) fn cts(from: NodeId, to: NodeId, duration_us: u64) -> Frame {
    control(FrameKind::Cts, from, to, 14, duration_us, 304)
}

pub(super) fn ack(from: NodeId, to: NodeId) -> Frame {
    control(FrameKind::Ack, from, to, 14, 0, 304)
}

/// A data frame of 1554 bytes; 314 us (SIFS + Ack) follow it.
pub(super) fn data(from: NodeId, to: NodeId, sequence: u16, packet: PacketId) -> Frame {
    Frame { sequence, packet, ..control(FrameKind::Data, from, to, 1554, 314, 6408) }
}
