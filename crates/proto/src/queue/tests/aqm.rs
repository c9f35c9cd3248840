//! The seam of active queue management, by one that says what it is told to, and hears everything.

use std::sync::{Arc, Mutex};

use super::rig::{Answer::*, Do::*, Rig};
use crate::queue::{
    AnyAqm, Aqm, AqmKind, Arriving, Input, Leaving, LinkRedConfig, OnGiveUp, QueueConfig, RedConfig, Served,
    Service, Verdict,
};
use crate::testing::{timeline, us};
use crate::units::{Dur, SimTime};
use crate::wire::DropReason::{EarlyDrop, QueueFull};
use crate::wire::{Payload, flags};

/// What it heard: the kind of call, and two numbers of it.
type Heard = Arc<Mutex<Vec<(&'static str, u64, u64)>>>;

#[derive(Debug, Default)]
struct Toy {
    heard: Heard,
    /// Notifies of packets that find so many waiting.
    at: u32,
    /// Drops heads that have waited for longer.
    longest: Option<Dur>,
    every: Option<Dur>,
    next: Option<SimTime>,
}

impl Toy {
    fn note(&self, call: &'static str, one: u64, two: u64) {
        self.heard.lock().expect("one thread").push((call, one, two));
    }
}

impl Aqm for Toy {
    fn arriving(&mut self, now: SimTime, packet: &Arriving) -> Verdict {
        self.note("arriving", u64::from(packet.waiting), packet.bytes);
        if let Some(idle) = packet.idle {
            self.note("idle", idle.as_ns() / 1000, 0);
        }
        self.next = self.next.or_else(|| self.every.map(|every| now + every));
        if packet.waiting >= self.at { Verdict::Notify } else { Verdict::Pass }
    }

    fn leaving(&mut self, _now: SimTime, packet: &Leaving) -> Verdict {
        if self.longest.is_some_and(|longest| packet.waited > longest) {
            Verdict::Drop
        } else {
            Verdict::Pass
        }
    }

    fn served(&mut self, _now: SimTime, packet: &Served) {
        self.note("served", u64::from(packet.attempts), u64::from(packet.delivered));
    }

    fn restart(&mut self, now: SimTime) {
        self.note("restart", now.as_ns() / 1000, 0);
    }

    fn timer(&mut self, now: SimTime) {
        self.note("timer", now.as_ns() / 1000, 0);
        self.next = self.every.map(|every| now + every);
    }

    fn deadline(&self) -> SimTime {
        self.next.unwrap_or(SimTime::MAX)
    }
}

fn rig(config: QueueConfig, toy: Toy) -> (Rig, Heard) {
    let heard = Arc::clone(&toy.heard);
    let mut rig = Rig::new(config);
    rig.queue.set_aqm(AnyAqm::Custom(Box::new(toy)));
    (rig, heard)
}

fn calls(heard: &Heard, call: &str) -> Vec<(u64, u64)> {
    heard.lock().expect("one thread").iter().filter(|it| it.0 == call).map(|it| (it.1, it.2)).collect()
}

#[test]
fn an_arrival_is_marked_if_it_can_be_and_dropped_otherwise() {
    for service in [Service::Fifo, Service::Drr] {
        let (mut rig, heard) =
            rig(QueueConfig { service, ..QueueConfig::default() }, Toy { at: 1, ..Toy::default() });
        timeline! { rig;
            at 0 us: PutData(flags::ECT) => [];
            at 0 us: PutData(flags::ECT) => []; // marked
            at 0 us: PutData(0)          => [Dropped(3, EarlyDrop)];
            at 0 us: PutRouting          => []; // goes ahead of everything, and is not asked about
            at 1 us: Serve               => [Offered(4)];
        }
        let marked: Vec<bool> = rig
            .packets
            .iter()
            .filter_map(|packet| match packet.payload {
                Payload::Tcp(segment) => Some(segment.flags & flags::CE != 0),
                _ => None,
            })
            .collect();
        assert_eq!(marked, [false, true]);
        let counters = rig.queue.counters(us(2));
        assert_eq!((counters.marked, counters.early_drops), (1, 1));
        assert_eq!(calls(&heard, "arriving"), [(0, 0), (1, 100), (2, 200)]);
    }
}

#[test]
fn a_head_can_be_dropped_before_it_is_offered_and_is_judged_once() {
    let longest = Some(Dur::from_us(5));
    let (mut rig, _) =
        rig(QueueConfig { limit: 3, ..QueueConfig::default() }, Toy { at: 9, longest, ..Toy::default() });
    timeline! { rig;
        at 0 us:  Put(1, 100) => [];
        at 0 us:  Put(1, 100) => [];
        at 4 us:  Put(1, 100) => [];
        at 4 us:  Put(1, 100) => [Dropped(4, QueueFull)];
        at 9 us:  Serve       => [Dropped(1, EarlyDrop), Space, Dropped(2, EarlyDrop), Offered(3)];
        at 10 us: Delivered   => [];
        at 10 us: Serve       => [];
    }
    assert_eq!(rig.queue.counters(us(2)).early_drops, 2);
}

// Nothing is here from 6 us on, whether packets stay until they are through or not. At 5 nothing waits, but one is
// served.
#[test]
fn it_hears_how_often_packets_were_tried_and_how_long_nothing_was_here() {
    for on_give_up in [OnGiveUp::Drop, OnGiveUp::Keep] {
        let config = QueueConfig { on_give_up, ..QueueConfig::default() };
        let (mut rig, heard) = rig(config, Toy { at: 9, ..Toy::default() });
        rig.feed(us(0), Put(1, 100));
        rig.feed(us(0), Put(1, 100));
        rig.feed(us(1), Serve);
        rig.feed(us(4), Delivered);
        rig.feed(us(4), Serve);
        rig.feed(us(6), Delivered);
        rig.feed(us(20), Put(1, 100));
        rig.feed(us(21), Serve);
        rig.feed(us(22), GaveUp);
        assert_eq!(calls(&heard, "idle"), [(0, 0), (14, 0)], "{on_give_up:?}");
        assert_eq!(calls(&heard, "served"), [(1, 1), (1, 1), (7, 0)]);
    }
}

// An arrival that is dropped ends an idle time as one that stays does: the next hears of the rest. Of a routing message
// it does not hear, but of the idle time that it ended.
#[test]
fn of_an_idle_time_it_hears_once() {
    let (mut rig, heard) = rig(QueueConfig::default(), Toy { at: 0, ..Toy::default() });
    timeline! { rig;
        at 5 us: PutData(0)    => [Dropped(1, EarlyDrop)];
        at 9 us: PutData(0)    => [Dropped(2, EarlyDrop)];
        at 10 us: PutRouting   => [];
        at 11 us: Serve        => [Offered(3)];
        at 12 us: PutData(0)   => [Dropped(4, EarlyDrop)];
        at 13 us: Delivered    => [];
        at 20 us: PutData(0)   => [Dropped(5, EarlyDrop)];
    }
    assert_eq!(calls(&heard, "idle"), [(5, 0), (4, 0), (1, 0), (7, 0)]);
}

// A class that is full: it has heard of the packet all the same.
#[test]
fn it_hears_of_what_finds_no_room() {
    let classes = QueueConfig { service: Service::Drr, class_limit: Some(1), ..QueueConfig::default() };
    let (mut rig, heard) = rig(classes, Toy { at: 9, ..Toy::default() });
    timeline! { rig;
        at 1 us: Put(1, 100) => [];
        at 1 us: Put(1, 100) => [Dropped(2, QueueFull)];
    }
    assert_eq!(calls(&heard, "arriving"), [(0, 0), (1, 100)]);
}

#[test]
fn it_is_woken_when_it_asks_and_not_before() {
    let every = Some(Dur::from_us(10));
    let (mut rig, heard) = rig(QueueConfig::default(), Toy { at: 9, every, ..Toy::default() });
    assert_eq!(rig.feed(us(0), Put(1, 100)), [Wake]);
    assert_eq!(rig.queue.wake_at(), us(10));
    assert_eq!(rig.handle(us(9), Input::Timer), []);
    assert_eq!(rig.handle(us(10), Input::Timer), [Wake]);
    assert_eq!((rig.queue.wake_at(), calls(&heard, "timer")), (us(20), vec![(10, 0)]));
}

#[test]
fn what_has_been_measured_is_forgotten_when_the_node_goes_down() {
    let (mut toy, heard) = rig(QueueConfig::default(), Toy { at: 9, ..Toy::default() });
    toy.feed(us(3), Flush);
    assert_eq!(calls(&heard, "restart"), [(3, 0)]);
    for aqm in [AqmKind::Red, AqmKind::LinkRed] {
        let red = RedConfig { weight: 1.0, ..RedConfig::default() };
        let link_red = LinkRedConfig { weight: 1.0, ..LinkRedConfig::default() };
        let mut rig = Rig::new(QueueConfig { aqm, red, link_red, ..QueueConfig::default() });
        let known = |rig: &Rig| match rig.queue.managed.aqm() {
            AnyAqm::Red(red) => red.average(),
            AnyAqm::LinkRed(link_red) => link_red.probability(),
            other => panic!("{other:?}"),
        };
        rig.feed(us(0), Put(1, 100));
        rig.feed(us(0), Put(1, 100));
        rig.feed(us(1), Serve);
        rig.feed(us(2), GaveUp);
        assert!(known(&rig) > 0.0, "{aqm:?}");
        rig.feed(us(3), Flush);
        assert_eq!(known(&rig), 0.0, "{aqm:?}");
    }
}
