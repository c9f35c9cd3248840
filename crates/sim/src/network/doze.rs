//! Radios that doze, and what radios do with their energy.

use multihop_proto::mac::Sensed;
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::Frame;

use super::Network;
use super::world::{Transmission, World};

/// The latest doze of a radio.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Doze {
    /// When the node's last transmission before it ended.
    pub(super) sent_until: SimTime,
    /// When the doze before it ended.
    before: SimTime,
    began: SimTime,
    /// When it ended; for ever while it lasts.
    pub(super) ended: SimTime,
}

impl Doze {
    /// Whether the radio slept at any time between the two. A doze that begins now does not count, as it may begin
    /// before or after what else happens now.
    pub(super) fn meets(&self, since: SimTime, now: SimTime) -> bool {
        self.before > since || self.began < now && self.ended > since
    }
}

impl Network {
    /// A radio falls asleep, or wakes.
    pub(super) fn doze(&mut self, node: NodeId, doze: bool) {
        let now = self.world.now;
        let asleep = self.dozes[node.index()].ended == SimTime::MAX;
        if doze == asleep {
            return;
        }
        self.meter.doze(node, now, doze);
        let nap = &mut self.dozes[node.index()];
        if doze {
            let sent_until = self.radios.sent_until(node);
            *nap = Doze { sent_until, before: nap.ended, began: now, ended: SimTime::MAX };
            return self.radios.fall_asleep(node, now);
        }
        nap.ended = now;
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

    /// When the latest transmission of a node left it whole, or will; dozing is none.
    pub(super) fn sent_until(&self, node: NodeId) -> SimTime {
        let until = self.radios.sent_until(node);
        let nap = self.dozes[node.index()];
        if until == nap.ended { nap.sent_until } else { until }
    }

    /// What a dozing radio was given to send has passed, unheard.
    #[cold]
    pub(super) fn end_mute(&mut self, frame: &Frame) {
        let asleep = self.dozes[frame.from.index()].ended == SimTime::MAX;
        let on_air = &mut self.world.on_air[frame.from.index()];
        *on_air = if asleep { Transmission::Dozing } else { Transmission::None };
        self.packets.release(frame);
        if !self.world.behind.is_empty() {
            self.world.follow_up(frame.from);
        }
    }

    /// Meters the transmissions that leave and arrive at this instant.
    pub(super) fn meter_transmissions(&mut self) {
        if !self.meter.meters_frames() {
            return;
        }
        let (meter, now) = (&mut self.meter, self.world.now);
        for frame in &self.world.leaving {
            meter.sends(frame.from, now, now + frame.airtime);
        }
        let World { starting, on_air, delay, .. } = &self.world;
        let beginning = starting.iter().filter_map(|from| on_air[from.index()].beginning());
        if *delay == Dur::ZERO {
            // The node that begins to send does so before it hears what begins with it.
            beginning.clone().for_each(|frame| meter.sends(frame.from, now, now + frame.airtime));
        }
        // Of what begins together a radio pays first for what is meant for it, whichever is listed first.
        let simultaneous = beginning.clone().nth(1).is_some();
        for wanted in if simultaneous { &[Some(true), Some(false)][..] } else { &[None] } {
            for frame in beginning.clone() {
                for link in self.links.begin(frame.from, now).iter().filter(|link| link.sensed) {
                    let addressed = frame.to == NodeId::BROADCAST
                        || frame.to == link.to
                        || frame.second.is_some_and(|part| part.to == link.to);
                    let mine = addressed && link.decodable;
                    if wanted.is_none_or(|wanted| wanted == mine) {
                        meter.hears(link.to, now, now + frame.airtime, mine);
                    }
                }
            }
        }
    }
}
