//! Any inputs to a station in any order.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use multihop_proto::contract::{Backlog, Cx, Head, Offer};
use multihop_proto::mac::config::{
    BackoffDraw, EifsRule, FlowControlConfig, FlowRule, ImmediateAccess, ResponseTimeout, RetryCount,
    RoundsConfig, WindowAfterGiveUp,
};
use multihop_proto::mac::dcf::Dcf;
use multihop_proto::mac::{Action, DcfConfig, Input, Mac, Sensed, Timer};
use multihop_proto::phy::{Preamble, TxVector};
use multihop_proto::units::{Bitrate, Bytes, Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use multihop_proto::wire::{
    BatchId, Fate, Frame, FrameKind, LinkHeader, Packet, PacketId, PacketStore, Payload, Towards,
    UdpDatagram, UserPriority,
};

const ME: NodeId = NodeId(1);

#[derive(Arbitrary, Debug)]
enum Step {
    Carrier(u16),
    Undecodable(u16),
    Captured(u16),
    Receive { kind: u8, from: u8, to: u8, sequence: u16, duration: u16, retry: bool, more: bool },
    Send { to: u8, size: u16 },
    Room(bool),
    Access,
    Power(bool),
}

#[derive(Arbitrary, Debug)]
struct Case {
    rules: u8,
    rts: bool,
    post_backoff: bool,
    flow_control: u8,
    nav_doze: bool,
    extra_rounds: bool,
    steps: Vec<(u16, Step)>,
}

fn config(case: &Case) -> DcfConfig {
    let standard = DcfConfig {
        rts_threshold: Bytes(if case.rts { 0 } else { 65_535 }),
        post_backoff: case.post_backoff,
        nav_doze: case.nav_doze,
        rounds: RoundsConfig { extra: u32::from(case.extra_rounds), ..RoundsConfig::default() },
        flow_control: FlowControlConfig {
            rule: [FlowRule::Off, FlowRule::FlaggedCts, FlowRule::NoCts][usize::from(case.flow_control % 3)],
            most_holds: 3,
            ..FlowControlConfig::default()
        },
        ..DcfConfig::default()
    };
    match case.rules % 4 {
        0 => return standard,
        1 => return ns3(standard),
        _ => {}
    }
    DcfConfig {
        eifs: EifsRule::Ns2,
        backoff_draw: BackoffDraw::Exclusive,
        cts_needs_idle: true,
        data_needs_idle: true,
        respond_while_waiting: false,
        nav_reset: false,
        cca_time: Dur::ZERO,
        capture_nav: true,
        immediate_access: if case.rules % 4 == 2 { ImmediateAccess::Never } else { ImmediateAccess::Defer },
        early_reset: case.rules % 4 == 3,
        ..standard
    }
}

fn ns3(standard: DcfConfig) -> DcfConfig {
    DcfConfig {
        ack_rate: Some(standard.data_rate),
        immediate_access: ImmediateAccess::IfIdle,
        retry_count: RetryCount::PerFrame,
        window_after_give_up: WindowAfterGiveUp::Keep,
        response_timeout: ResponseTimeout::Start,
        ..standard
    }
}

fn packet(packets: &mut PacketStore) -> PacketId {
    packets.create(Packet {
        uid: 0,
        flow: FlowId(0),
        source: NodeId(0),
        maker: NodeId(0),
        destination: NodeId(2),
        towards: Towards::Destination,
        size: Bytes(1000),
        ttl: 64,
        forced: false,
        header: None,
        payload: Payload::Udp(UdpDatagram { number: 0, len: 972 }),
        created: SimTime::ZERO,
        enqueued: SimTime::ZERO,
        priority: UserPriority::BEST_EFFORT,
        link: LinkHeader::default(),
    })
}

const fn address(number: u8) -> NodeId {
    match number % 5 {
        4 => NodeId::BROADCAST,
        node => NodeId(node as u32),
    }
}

/// A station, its queue and the two timers that it has asked for.
struct Station {
    dcf: Dcf,
    packets: PacketStore,
    room: Room,
    access: SimTime,
    sequence: SimTime,
    dozing: bool,
    ended: u32,
}

/// Whether the queue behind it has room.
struct Room(bool);

impl Backlog for Room {
    fn length(&self) -> u32 {
        u32::from(!self.0)
    }

    fn free(&self) -> u32 {
        u32::from(self.0)
    }

    fn each_head(&self, _tell: &mut dyn FnMut(Head)) {}
}

impl Station {
    /// Fires what is due until an instant, each timer at its own.
    fn advance(&mut self, until: SimTime) {
        // An answer may be due at once, but not again and again.
        for _ in 0..10_000 {
            let now = self.access.min(self.sequence);
            if now > until {
                return;
            }
            if self.sequence == now {
                self.sequence = SimTime::MAX;
                self.feed(now, Input::Timer(Timer::Sequence));
            } else {
                self.access = SimTime::MAX;
                self.feed(now, Input::Timer(Timer::Access));
            }
        }
        panic!("timers without end");
    }

    fn feed(&mut self, now: SimTime, input: Input<'_>) {
        let mut out = Vec::new();
        let mut cx = Cx { now, packets: &mut self.packets };
        self.dcf.handle(&mut cx, input, &self.room, &mut out);
        let mut sent = 0;
        for action in out {
            match action {
                Action::Transmit(frame) => {
                    sent += 1;
                    assert_eq!(frame.from, ME);
                    assert!(!self.dozing, "a radio that dozes sends nothing");
                }
                Action::Arm(timer, at) => {
                    assert!(at >= now, "armed in the past");
                    let slot = if timer == Timer::Access { &mut self.access } else { &mut self.sequence };
                    *slot = at;
                }
                Action::Deliver { packet, .. } => self.packets.end(packet, Fate::Delivered),
                Action::Outcome(..) => self.ended += 1,
                Action::Doze(doze) => self.dozing = doze,
                Action::Dropped(_) | Action::Hold(_) | Action::Ready => {}
            }
        }
        assert!(sent <= 1, "one transmission at a time");
    }

    fn sense(&mut self, now: SimTime, sensed: Sensed) {
        if self.dozing {
            return;
        }
        if let Some(at) = self.dcf.sense(now, sensed) {
            assert!(at > now);
            self.access = at;
        }
    }
}

fuzz_target!(|case: Case| {
    let rng = Rng::stream(1, 1, Entity::Node("1"), Purpose::Backoff);
    let mut packets = PacketStore::new(1);
    let theirs = packet(&mut packets);
    let mut station = Station {
        dcf: Dcf::new(config(&case), ME, rng),
        packets,
        room: Room(true),
        access: SimTime::MAX,
        sequence: SimTime::MAX,
        dozing: false,
        ended: 0,
    };
    let mut now = SimTime::ZERO;
    let mut offered = 0u32;
    for (gap, step) in case.steps {
        now += Dur::from_us(u64::from(gap));
        station.advance(now);
        let later = |length: u16| now + Dur::from_us(u64::from(length));
        match step {
            Step::Carrier(length) => station.sense(now, Sensed::Carrier(later(length))),
            Step::Undecodable(length) => station.sense(now, Sensed::Undecodable(later(length))),
            Step::Captured(length) => station.sense(now, Sensed::Captured(later(length))),
            Step::Receive { .. } if station.dozing => {}
            Step::Receive { kind, from, to, sequence, duration, retry, more } => {
                let kinds = [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack];
                let frame = Frame {
                    more,
                    kind: kinds[usize::from(kind % 4)],
                    retry,
                    sequence: sequence & 0xfff,
                    from: NodeId(u32::from(from % 4)),
                    to: address(to),
                    packet: theirs,
                    second: None,
                    batch: BatchId::NONE,
                    priority: UserPriority::BEST_EFFORT,
                    size: Bytes(1036),
                    duration: Dur::from_us(u64::from(duration)),
                    airtime: Dur::from_us(4336),
                    tx: TxVector::dsss(Bitrate::from_mbps(2), Preamble::Long),
                };
                station.feed(now, Input::Receive(&frame));
            }
            Step::Send { to, size } if station.dcf.wants_frame() => {
                offered += 1;
                let packet = packet(&mut station.packets);
                let size = Bytes(u32::from(size));
                station.feed(
                    now,
                    Input::Send(Offer { packet, to: address(to), size, second: None, kept: false }),
                );
            }
            Step::Send { .. } => {}
            Step::Room(room) => station.room = Room(room),
            // The access timer may fire early: the station checks its own deadline.
            Step::Access => station.feed(now, Input::Timer(Timer::Access)),
            Step::Power(up) => {
                // The network wakes a radio whose node goes down or comes back.
                station.dozing = false;
                station.feed(now, Input::Power(up));
            }
        }
    }
    assert!(offered - station.ended <= 1, "{offered} offered, {} ended", station.ended);
    assert_eq!(station.packets.ledger().inside(), Some(station.packets.live() as u64));
});
