//! Time lines of the buffer: which packet waits, which is lost, and for what.

use proptest::prelude::*;

use super::{BufferRule, RouteBuffer, WhenFull};
use crate::routing::Action;
use crate::testing::{cx, instant, timeline, udp};
use crate::units::{Dur, FlowId, NodeId, SimTime};
use crate::wire::{Absorbed, DropReason, Fate, PacketStore};

/// What a line of a time line may say.
#[derive(Clone, Copy, Debug)]
enum Do {
    /// A packet for this destination; the first one is 1.
    Put(u32),
    /// A route to this destination comes up, over the neighbour of the same number.
    Route(u32),
    /// One packet for this destination is wanted.
    Take(u32),
    GiveUp(u32),
    Expire,
    Flush,
}

/// What comes of it, with packets by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Sent(u64, u32),
    Lost(u64, DropReason),
}

use Answer::*;
use Do::*;

struct Rig {
    buffer: RouteBuffer,
    packets: PacketStore,
}

impl Rig {
    fn new(rule: BufferRule) -> Self {
        Self { buffer: RouteBuffer::new(rule), packets: PacketStore::new(1) }
    }

    fn feed(&mut self, now: SimTime, what: Do) -> Vec<Answer> {
        let mut out = Vec::new();
        let mut taken = None;
        match what {
            Put(destination) => {
                let packet = udp(&mut self.packets, FlowId(0), NodeId(destination), 0, 100);
                self.buffer.put(&mut cx(now, &mut self.packets), packet, &mut out);
            }
            Route(to) => self.buffer.release(|wanted| (wanted == NodeId(to)).then_some(wanted), &mut out),
            Take(destination) => taken = self.buffer.take(NodeId(destination)),
            GiveUp(destination) => {
                let cx = &mut cx(now, &mut self.packets);
                self.buffer.give_up(cx, NodeId(destination), DropReason::NoRoute, &mut out);
            }
            Expire => self.buffer.expire(&mut cx(now, &mut self.packets), &mut out),
            Flush => self.buffer.flush(&mut cx(now, &mut self.packets), &mut out),
        }
        let mut answers = Vec::new();
        for action in out {
            match action {
                Action::Forward { packet, to, .. } => {
                    answers.push(Sent(self.packets[packet].uid, to.0));
                    self.packets.end(packet, Fate::Absorbed(Absorbed::Suppressed));
                }
                Action::Dropped(dropped) => answers.push(Lost(dropped.uid, dropped.reason)),
                other => panic!("{other:?}"),
            }
        }
        if let Some(packet) = taken {
            answers.push(Sent(self.packets[packet].uid, self.packets[packet].destination.0));
            self.packets.end(packet, Fate::Absorbed(Absorbed::Suppressed));
        }
        assert_eq!(self.packets.live(), self.buffer.len());
        answers
    }
}

const FULL: DropReason = DropReason::RouteBufferFull;

const fn rule(limit: usize, per_destination: usize, full: WhenFull) -> BufferRule {
    BufferRule { limit, per_destination, age: Dur::from_secs(30), full }
}

//  1 2    3      4      5
//  a a    b      b, but three wait      a, but three wait
#[test]
fn the_oldest_of_all_makes_room_for_one_too_many() {
    let mut rig = Rig::new(rule(3, usize::MAX, WhenFull::DropOldest));
    timeline! { rig;
        at 0 s: Put(7)   => [];
        at 1 s: Put(7)   => [];
        at 2 s: Put(8)   => [];
        at 3 s: Put(8)   => [Lost(1, FULL)];
        at 4 s: Put(7)   => [Lost(2, FULL)];
        at 5 s: Route(8) => [Sent(3, 8), Sent(4, 8)];
        at 5 s: Route(7) => [Sent(5, 7)];
    }
}

#[test]
fn the_oldest_for_the_same_destination_makes_room_where_the_limit_is_its_own() {
    let mut rig = Rig::new(rule(4, 2, WhenFull::DropOldest));
    timeline! { rig;
        at 0 s: Put(8)   => [];
        at 0 s: Put(7)   => [];
        at 0 s: Put(7)   => [];
        at 1 s: Put(7)   => [Lost(2, FULL)];
        at 1 s: Put(9)   => [];
        at 2 s: Put(9)   => [Lost(1, FULL)]; // four wait, of all destinations
    }
}

#[test]
fn the_one_that_comes_is_lost_where_the_others_have_the_right() {
    let mut rig = Rig::new(rule(2, usize::MAX, WhenFull::DropArriving));
    timeline! { rig;
        at 0 s: Put(7)   => [];
        at 0 s: Put(8)   => [];
        at 1 s: Put(7)   => [Lost(3, FULL)];
        at 2 s: Route(7) => [Sent(1, 7)];
    }
}

#[test]
fn a_buffer_without_room_takes_nothing() {
    for full in [WhenFull::DropOldest, WhenFull::DropArriving] {
        let mut rig = Rig::new(rule(0, 5, full));
        timeline! { rig; at 0 s: Put(7) => [Lost(1, FULL)]; }
        let mut rig = Rig::new(rule(5, 0, full));
        timeline! { rig; at 0 s: Put(7) => [Lost(1, FULL)]; }
    }
}

//  0    10   20   30          40          50
//  1    2    3    1 is old    2 is old
#[test]
fn packets_age_one_by_one() {
    let mut rig = Rig::new(rule(64, 64, WhenFull::DropOldest));
    assert_eq!(rig.buffer.next_expiry(), SimTime::MAX);
    timeline! { rig;
        at 0 s:  Put(7)    => [];
        at 10 s: Put(8)    => [];
        at 20 s: Put(7)    => [];
        at 29 s: Expire    => [];
        at 30 s: Expire    => [Lost(1, DropReason::RouteTimeout)];
    }
    assert_eq!(rig.buffer.next_expiry(), instant("40 s"));
    timeline! { rig;
        at 60 s: Expire    => [Lost(2, DropReason::RouteTimeout), Lost(3, DropReason::RouteTimeout)];
    }
    assert!(rig.buffer.is_empty());
}

#[test]
fn without_an_age_packets_wait_for_ever() {
    let mut rig = Rig::new(BufferRule { age: Dur::MAX, ..rule(64, 64, WhenFull::DropOldest) });
    timeline! { rig;
        at 0 s:        Put(7) => [];
        at 9000000 s:  Expire => [];
    }
    assert_eq!((rig.buffer.next_expiry(), rig.buffer.waits_for(NodeId(7))), (SimTime::MAX, true));
}

#[test]
fn packets_can_be_sent_one_by_one_or_given_up_together() {
    let mut rig = Rig::new(rule(64, 64, WhenFull::DropOldest));
    timeline! { rig;
        at 0 s: Put(7)    => [];
        at 0 s: Put(8)    => [];
        at 0 s: Put(7)    => [];
        at 0 s: Put(7)    => [];
        at 1 s: Take(7)   => [Sent(1, 7)];
        at 1 s: Take(9)   => [];
        at 2 s: GiveUp(7) => [Lost(3, DropReason::NoRoute), Lost(4, DropReason::NoRoute)];
        at 3 s: Flush     => [Lost(2, DropReason::NodeDown)];
    }
}

fn step() -> impl Strategy<Value = Do> {
    prop_oneof![
        6 => (0u32..4).prop_map(Put),
        1 => (0u32..4).prop_map(Route),
        2 => (0u32..4).prop_map(Take),
        1 => (0u32..4).prop_map(GiveUp),
        2 => Just(Expire),
        1 => Just(Flush),
    ]
}

proptest! {
    /// No limit is ever exceeded, nothing is older than allowed after a look, order within a destination stays, and
    /// every packet is somewhere.
    #[test]
    fn any_steps(
        limit in 0usize..6,
        per_destination in 0usize..4,
        oldest in any::<bool>(),
        steps in prop::collection::vec((0u64..20, step()), 0..100),
    ) {
        let full = if oldest { WhenFull::DropOldest } else { WhenFull::DropArriving };
        let mut rig = Rig::new(rule(limit, per_destination, full));
        let mut now = SimTime::ZERO;
        let mut sent = [0u64; 4];
        for (gap, step) in steps {
            now += Dur::from_secs(gap);
            for answer in rig.feed(now, step) {
                if let Sent(uid, to) = answer {
                    prop_assert!(sent[to as usize] < uid, "in order");
                    sent[to as usize] = uid;
                }
            }
            prop_assert!(rig.buffer.len() <= limit);
            for destination in 0..4 {
                let same = |packet: &crate::wire::PacketId| rig.packets[*packet].destination == NodeId(destination);
                prop_assert!(rig.buffer.packets().filter(same).count() <= per_destination);
            }
            if matches!(step, Expire) {
                prop_assert!(rig.buffer.next_expiry() > now);
            }
        }
    }
}
