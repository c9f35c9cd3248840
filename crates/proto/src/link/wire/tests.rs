//! Time lines of one end of a wire.

use super::{Action, Input, Wire, WireConfig};
use crate::queue::{Queue, QueueConfig};
use crate::testing::{cx, timeline, udp};
use crate::units::{Bitrate, Bytes, Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use crate::wire::{DropReason, PacketId, PacketStore};

#[derive(Clone, Copy)]
enum Do {
    /// A packet of 125 bytes for the other end: 1 ms at 1 Mb/s.
    Put,
    /// A packet has left the other end.
    Comes,
    Timer,
    Cut(bool),
    Power(bool),
}

#[derive(Debug, PartialEq)]
enum Answer {
    Sent(u64),
    Delivered(u64),
    Dropped(u64, DropReason),
    Space,
}

struct Rig {
    wire: Wire,
    packets: PacketStore,
}

impl Rig {
    fn new(limit: u32, loss: f64) -> Self {
        let config = WireConfig {
            rate: Bitrate::from_mbps(1),
            delay: Dur::from_ms(2),
            overhead: Bytes(0),
            loss,
            late: 0.0,
            late_by: Dur::from_ms(5),
        };
        let queue = Queue::new(WireConfig::queue(&QueueConfig::default(), Some(limit)));
        let draws = Rng::stream(1, 1, Entity::Link("1", "0"), Purpose::FrameError);
        Self { wire: Wire::new(NodeId(1), config, queue, draws), packets: PacketStore::new(2) }
    }

    fn put(&mut self) -> PacketId {
        udp(&mut self.packets, FlowId(0), NodeId(1), 0, 125)
    }

    fn feed(&mut self, now: SimTime, what: Do) -> Vec<Answer> {
        let input = match what {
            Do::Put => Input::Packet(self.put()),
            Do::Comes => Input::Coming(self.put()),
            Do::Timer => {
                assert!(self.wire.wake_at() <= now, "wakes at {}", self.wire.wake_at());
                Input::Timer
            }
            Do::Cut(cut) => Input::Cut(cut),
            Do::Power(up) => Input::Power(up),
        };
        let mut actions = Vec::new();
        self.wire.handle(&mut cx(now, &mut self.packets), input, &mut actions);
        actions.into_iter().map(|action| self.answer(action)).collect()
    }

    fn answer(&mut self, action: Action) -> Answer {
        match action {
            Action::Sent(packet) => {
                let number = self.packets[packet].uid;
                self.packets.let_go(packet);
                Answer::Sent(number)
            }
            Action::Deliver(packet) => Answer::Delivered(self.packets[packet].uid),
            Action::Dropped(dropped) => Answer::Dropped(dropped.uid, dropped.reason),
            Action::Space => Answer::Space,
        }
    }
}

use Answer::{Delivered, Dropped, Sent, Space};

#[test]
fn packets_leave_one_after_the_other() {
    let mut wire = Rig::new(3, 0.0);
    timeline! { wire;
        at 0 us:    Do::Put   => [];
        at 100 us:  Do::Put   => [];
        at 200 us:  Do::Put   => [];
        at 300 us:  Do::Put   => [Dropped(4, DropReason::QueueFull)];
        at 1000 us: Do::Timer => [Sent(1), Space];
        at 2000 us: Do::Timer => [Sent(2)];
        at 3000 us: Do::Timer => [Sent(3)];
    }
    assert_eq!((wire.wire.wake_at(), wire.packets.live()), (SimTime::MAX, 0));
}

/// Both directions at the same time; each packet arrives when the delay is over, in order.
#[test]
fn packets_arrive_after_the_delay() {
    let mut wire = Rig::new(3, 0.0);
    timeline! { wire;
        at 0 us:    Do::Put   => [];
        at 500 us:  Do::Comes => [];
        at 900 us:  Do::Comes => [];
        at 1000 us: Do::Timer => [Sent(1)];
        at 2500 us: Do::Timer => [Delivered(2)];
        at 2900 us: Do::Timer => [Delivered(3)];
    }
}

#[test]
fn what_arrives_while_the_wire_is_cut_or_the_node_is_down_is_lost() {
    let mut wire = Rig::new(3, 0.0);
    timeline! { wire;
        at 0 us:    Do::Comes      => [];
        at 1000 us: Do::Cut(true)  => [];
        at 1500 us: Do::Comes      => [];
        at 2000 us: Do::Timer      => [Dropped(1, DropReason::WireCut)];
        at 3000 us: Do::Cut(false) => [];
        at 3500 us: Do::Timer      => [Delivered(2)];
        at 4000 us: Do::Put        => [];
        at 4100 us: Do::Comes      => [];
        at 4200 us: Do::Power(false) => [Dropped(3, DropReason::NodeDown)];
        at 6100 us: Do::Timer      => [Dropped(4, DropReason::NodeDown)];
        at 7000 us: Do::Power(true) => [];
        at 7000 us: Do::Put        => [];
        at 8000 us: Do::Timer      => [Sent(5)];
    }
}

#[test]
fn chance_takes_the_share_that_is_said() {
    let mut wire = Rig::new(3, 0.25);
    let lost = (0..4_000_u64).filter(|n| {
        wire.feed(SimTime::from_ms(n * 10), Do::Comes);
        let answers = wire.feed(SimTime::from_ms(n * 10 + 2), Do::Timer);
        matches!(answers[..], [Dropped(_, DropReason::WireLoss)])
    });
    assert!((900..1100).contains(&lost.count()));
}

/// A packet that is held back arrives behind those that overtake it, and no earlier than its own time.
#[test]
fn a_late_packet_is_overtaken() {
    let mut wire = Rig::new(3, 0.0);
    wire.wire.config.late = 1.0;
    assert_eq!(wire.feed(SimTime::ZERO, Do::Comes), []);
    wire.wire.config.late = 0.0;
    timeline! { wire;
        at 1000 us: Do::Comes => [];
        at 3000 us: Do::Timer => [Delivered(2)];
        at 4900 us: Do::Comes => [];
        at 5000 us: Do::Comes => [];
        at 6900 us: Do::Timer => [Delivered(3)];
        at 7000 us: Do::Timer => [Delivered(1), Delivered(4)];
    }
}

/// The next packets with data are lost, and no others.
#[test]
fn an_event_takes_the_packets_that_come_next() {
    let mut wire = Rig::new(3, 0.0);
    wire.wire.lose_next(2);
    timeline! { wire;
        at 0 us:    Do::Comes => [];
        at 100 us:  Do::Comes => [];
        at 200 us:  Do::Comes => [];
        at 2000 us: Do::Timer => [Dropped(1, DropReason::WireLoss)];
        at 2100 us: Do::Timer => [Dropped(2, DropReason::WireLoss)];
        at 2200 us: Do::Timer => [Delivered(3)];
    }
}
