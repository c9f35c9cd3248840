//! Radios that doze, and when they did last.

use multihop_proto::mac::Sensed;
use multihop_proto::units::{NodeId, SimTime};
use multihop_proto::wire::Frame;

use super::Network;
use super::world::Transmission;

/// The latest doze of a radio.
#[derive(Clone, Copy, Debug, Default)]
struct Doze {
    /// When the node's last transmission before it ended.
    sent_until: SimTime,
    /// When the doze before it ended.
    before: SimTime,
    began: SimTime,
    /// When it ended; for ever while it lasts.
    ended: SimTime,
}

/// The latest doze of each radio.
pub(super) struct Dozes {
    last: Vec<Doze>,
}

impl Dozes {
    /// No radio has dozed yet.
    pub(super) fn none(stations: usize) -> Self {
        Self { last: vec![Doze::default(); stations] }
    }

    /// Whether a radio is asleep.
    pub(super) fn is_asleep(&self, station: NodeId) -> bool {
        self.last[station.index()].ended == SimTime::MAX
    }

    /// A radio falls asleep; its last transmission has ended then.
    pub(super) fn begin(&mut self, station: NodeId, now: SimTime, sent_until: SimTime) {
        let last = &mut self.last[station.index()];
        *last = Doze { sent_until, before: last.ended, began: now, ended: SimTime::MAX };
    }

    /// It wakes.
    pub(super) fn end(&mut self, station: NodeId, now: SimTime) {
        self.last[station.index()].ended = now;
    }

    /// Whether a radio slept at any time between the two. A doze that begins now does not count, as it may begin before
    /// or after what else happens now.
    pub(super) fn meet(&self, station: NodeId, since: SimTime, now: SimTime) -> bool {
        let Doze { before, began, ended, .. } = self.last[station.index()];
        before > since || began < now && ended > since
    }

    /// When the latest transmission of a station ended, if its radio sent or dozed `until` then: dozing is no
    /// transmission.
    pub(super) fn sent_until(&self, station: NodeId, until: SimTime) -> SimTime {
        let Doze { sent_until, ended, .. } = self.last[station.index()];
        if until == ended { sent_until } else { until }
    }
}

impl Network {
    /// A radio falls asleep, or wakes.
    pub(super) fn doze(&mut self, node: NodeId, doze: bool) {
        let now = self.world.now;
        if doze == self.dozes.is_asleep(node) {
            return;
        }
        self.meter.doze(node, now, doze);
        if doze {
            self.dozes.begin(node, now, self.radios.sent_until(node));
            return self.radios.fall_asleep(node, now);
        }
        self.dozes.end(node, now);
        let busy_until = self.radios.wake(node, now);
        if busy_until > now {
            self.sense(node, Sensed::Undecodable(busy_until));
        }
    }

    /// Ends what a node sleeps before it goes down or comes back.
    pub(super) fn end_doze(&mut self, node: NodeId) {
        self.doze(node, false);
        let on_air = &mut self.world.on_air[node.index()];
        if matches!(on_air, Transmission::Dozing) {
            *on_air = Transmission::None;
        }
    }

    /// What a dozing radio was given to send has passed, unheard.
    #[cold]
    pub(super) fn end_mute(&mut self, frame: &Frame) {
        let asleep = self.dozes.is_asleep(frame.from);
        let on_air = &mut self.world.on_air[frame.from.index()];
        *on_air = if asleep { Transmission::Dozing } else { Transmission::None };
        self.packets.release(frame);
        if !self.world.behind.is_empty() {
            self.world.follow_up(frame.from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RADIO: NodeId = NodeId(0);

    fn at(us: u64) -> SimTime {
        SimTime::from_ns(us * 1000)
    }

    /// Dozes from 10 to 20 and from 30 on: a frame meets them if any of its time lies in one of them.
    #[test]
    fn a_frame_meets_the_doze_that_overlaps_it() {
        let mut dozes = Dozes::none(1);
        assert!(!dozes.meet(RADIO, at(0), at(5)));
        dozes.begin(RADIO, at(10), at(4));
        assert!(dozes.is_asleep(RADIO));
        assert!(!dozes.meet(RADIO, at(5), at(10)), "it begins as the frame ends");
        assert!(dozes.meet(RADIO, at(5), at(11)));
        dozes.end(RADIO, at(20));
        assert!(!dozes.is_asleep(RADIO));
        assert_eq!([19, 20].map(|since| dozes.meet(RADIO, at(since), at(25))), [true, false]);
        dozes.begin(RADIO, at(30), at(22));
        assert_eq!(
            [19, 20].map(|since| dozes.meet(RADIO, at(since), at(30))),
            [true, false],
            "the one before"
        );
    }

    /// A radio that is deaf until its doze ends has not sent until then.
    #[test]
    fn dozing_is_no_transmission() {
        let mut dozes = Dozes::none(1);
        dozes.begin(RADIO, at(10), at(4));
        assert_eq!(dozes.sent_until(RADIO, SimTime::MAX), at(4));
        dozes.end(RADIO, at(20));
        assert_eq!([20, 27].map(|until| dozes.sent_until(RADIO, at(until))), [at(4), at(27)]);
    }
}
