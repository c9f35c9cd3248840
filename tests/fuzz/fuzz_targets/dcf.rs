//! Any inputs to a station in any order.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use multihop_proto::mac::config::{
    BackoffDraw, EifsRule, ImmediateAccess, ResponseTimeout, RetryCount, WindowAfterGiveUp,
};
use multihop_proto::mac::dcf::Dcf;
use multihop_proto::mac::{Action, DcfConfig, Input, Sensed, Timer};
use multihop_proto::port::{Cx, Offer};
use multihop_proto::units::{Bytes, Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use multihop_proto::wire::{
    Fate, Frame, FrameKind, Packet, PacketId, PacketStore, Payload, Towards, UdpDatagram,
};

const ME: NodeId = NodeId(1);

#[derive(Arbitrary, Debug)]
enum Step {
    Carrier(u16),
    Undecodable(u16),
    Captured(u16),
    Receive { kind: u8, from: u8, to: u8, sequence: u16, duration: u16, retry: bool },
    Send { to: u8, size: u16 },
    Access,
    Sequence,
    Power(bool),
}

#[derive(Arbitrary, Debug)]
struct Case {
    rules: u8,
    rts: bool,
    post_backoff: bool,
    steps: Vec<(u16, Step)>,
}

fn config(case: &Case) -> DcfConfig {
    let standard = DcfConfig {
        rts_threshold: Bytes(if case.rts { 0 } else { 65_535 }),
        post_backoff: case.post_backoff,
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
        destination: NodeId(2),
        towards: Towards::Destination,
        size: Bytes(1000),
        ttl: 64,
        mac_sequence: 0,
        header: None,
        payload: Payload::Udp(UdpDatagram { number: 0, len: 972 }),
        created: SimTime::ZERO,
        enqueued: SimTime::ZERO,
        head_of_line: SimTime::ZERO,
    })
}

const fn address(number: u8) -> NodeId {
    match number % 5 {
        4 => NodeId::BROADCAST,
        node => NodeId(node as u32),
    }
}

fuzz_target!(|case: Case| {
    let rng = Rng::stream(1, 1, Entity::Node("1"), Purpose::Backoff);
    let mut dcf = Dcf::new(config(&case), ME, rng);
    let mut packets = PacketStore::new(1);
    let theirs = packet(&mut packets);
    let mut now = SimTime::ZERO;
    let (mut offered, mut ended) = (0u32, 0u32);
    for (gap, step) in case.steps {
        now += Dur::from_us(u64::from(gap));
        let later = |length: u16| now + Dur::from_us(u64::from(length));
        let frame;
        let input = match step {
            Step::Carrier(length) => {
                assert!(dcf.sense(now, Sensed::Carrier(later(length))).is_none_or(|at| at > now));
                continue;
            }
            Step::Undecodable(length) => {
                assert!(dcf.sense(now, Sensed::Undecodable(later(length))).is_none_or(|at| at > now));
                continue;
            }
            Step::Captured(length) => {
                assert!(dcf.sense(now, Sensed::Captured(later(length))).is_none_or(|at| at > now));
                continue;
            }
            Step::Receive { kind, from, to, sequence, duration, retry } => {
                let kinds = [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack];
                frame = Frame {
                    more: false,
                    kind: kinds[usize::from(kind % 4)],
                    retry,
                    sequence: sequence & 0xfff,
                    from: NodeId(u32::from(from % 4)),
                    to: address(to),
                    packet: theirs,
                    second: None,
                    size: Bytes(1036),
                    duration: Dur::from_us(u64::from(duration)),
                    airtime: Dur::from_us(4336),
                };
                Input::Receive(&frame)
            }
            Step::Send { to, size } if dcf.wants_frame() => {
                offered += 1;
                let packet = packet(&mut packets);
                let size = Bytes(u32::from(size));
                Input::Send(Offer { packet, to: address(to), size, second: None, kept: false })
            }
            Step::Send { .. } => continue,
            Step::Access => Input::Timer(Timer::Access),
            Step::Sequence => Input::Timer(Timer::Sequence),
            Step::Power(up) => Input::Power(up),
        };
        let mut out = Vec::new();
        let mut cx = Cx { now, packets: &mut packets };
        dcf.handle(&mut cx, input, &(), &mut out);
        let mut sent = 0;
        for action in out {
            match action {
                Action::Transmit(frame) => {
                    sent += 1;
                    assert_eq!(frame.from, ME);
                }
                Action::Arm(_, at) => assert!(at >= now, "armed in the past"),
                Action::Deliver { packet, .. } => packets.end(packet, Fate::Delivered),
                Action::Outcome(..) => ended += 1,
                Action::Hold(_) | Action::Ready | Action::Doze(_) => {}
            }
        }
        assert!(sent <= 1, "one transmission at a time");
    }
    assert!(offered - ended <= 1, "{offered} offered, {ended} ended");
    assert_eq!(packets.ledger().inside(), Some(packets.live() as u64));
});
