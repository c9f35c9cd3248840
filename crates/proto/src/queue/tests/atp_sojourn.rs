//! How long packets are here.

use super::rig::{Do::*, Rig};
use crate::queue::{OnGiveUp, QueueConfig, Sojourn};
use crate::units::{Dur, SimTime};

const fn us(n: u64) -> SimTime {
    SimTime::from_us(n)
}

fn measured(config: QueueConfig) -> Rig {
    let mut rig = Rig::new(config);
    rig.queue.measure(Sojourn::new(0.75, Dur::from_us(1000)));
    rig
}

//  0          1            4                6            14           1014
//  | 1, 2     | 1 to MAC   | 1 through: 4   | 2 to MAC   | 2 given up: 14, and 3/4 of 4 makes 6.5
#[test]
fn from_arrival_to_the_end_of_service_whatever_its_end() {
    for on_give_up in [OnGiveUp::Drop, OnGiveUp::Keep] {
        let mut rig = measured(QueueConfig { on_give_up, ..QueueConfig::default() });
        assert_eq!(rig.queue.sojourn(us(0)), None, "nothing is known");
        rig.feed(us(0), Put(1, 100));
        rig.feed(us(0), Put(1, 100));
        rig.feed(us(1), Serve);
        rig.feed(us(4), Delivered);
        assert_eq!(rig.queue.sojourn(us(4)), Some(4.0), "the first says it alone");
        rig.feed(us(6), Serve);
        rig.feed(us(14), GaveUp);
        assert_eq!(rig.queue.sojourn(us(1013)), Some(6.5));
        assert_eq!(rig.queue.sojourn(us(1014)), None, "idle");
        rig.feed(us(2000), Put(1, 100));
        rig.feed(us(2000), Serve);
        rig.feed(us(2008), Delivered);
        let since = if on_give_up == OnGiveUp::Keep { 2008.0 } else { 8.0 };
        assert_eq!(rig.queue.sojourn(us(2008)), Some(since), "what was before says nothing");
    }
}

#[test]
fn one_that_is_held_goes_on_waiting_and_routing_messages_count_too() {
    let mut rig = measured(QueueConfig { routing_priority: true, ..QueueConfig::default() });
    rig.feed(us(0), Put(1, 100));
    rig.feed(us(1), Serve);
    rig.feed(us(2), Held);
    assert_eq!(rig.queue.sojourn(us(2)), None);
    rig.feed(us(3), PutRouting);
    rig.feed(us(3), Serve);
    rig.feed(us(5), Delivered);
    assert_eq!(rig.queue.sojourn(us(5)), Some(2.0));
}

#[test]
fn nobody_who_does_not_ask_has_it_measured() {
    let mut rig = Rig::new(QueueConfig::default());
    rig.feed(us(0), Put(1, 100));
    rig.feed(us(0), Serve);
    rig.feed(us(4), Delivered);
    assert_eq!(rig.queue.sojourn(us(4)), None);
}
