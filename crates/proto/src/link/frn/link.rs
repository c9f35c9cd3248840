//! The Flexible Radio Network as a link.

use super::counters::Counters;
use super::entry::{Entry, Phase};
use super::machine::Frn;
use crate::contract::{Cx, NextHops, Sink};
use crate::link::{Action, Input, PacketLink};
use crate::mac::{self, Sensed, Timer};
use crate::queue;
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::PacketId;

impl PacketLink for Frn {
    #[inline(always)]
    fn handle<N: NextHops, S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: Input<'_>,
        next_hops: &N,
        mut out: S,
    ) {
        let out = &mut out;
        match input {
            Input::Packet { packet, to, size } => self.take_in(cx, (packet, to, size), out),
            Input::Receive(frame) => self.hear(cx, frame, out),
            Input::Timer(Timer::Sequence) => self.begin_slot(cx, next_hops, out),
            Input::Timer(Timer::Access) => self.access(cx, next_hops, out),
            Input::Timer(Timer::Release) => {} // it asks for none
            Input::Power(false) => self.power_off(cx, out),
            Input::Power(true) => {}
        }
    }

    #[inline]
    fn sense(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime> {
        let (Sensed::Carrier(until) | Sensed::Captured(until) | Sensed::Undecodable(until)) = sensed else {
            return None;
        };
        let from = self.busy_until.max(now);
        if until > from {
            self.heard = now;
            self.busy_until = until;
            self.busy_ns += (until - from).as_ns();
            if self.sending_until > now {
                self.hear_less(from);
            }
        } else if until > now {
            self.heard = now;
        }
        None
    }

    fn packets(&self) -> Vec<PacketId> {
        self.entries.iter().map(|entry| entry.packet).collect()
    }

    fn length(&self) -> u32 {
        self.entries.len() as u32 // `limit` has 32 bits
    }

    fn free(&self) -> u32 {
        self.config.limit.saturating_sub(self.length())
    }

    fn withdraw(&mut self, cx: &mut Cx<'_>, neighbour: NodeId) -> (Vec<PacketId>, bool) {
        self.look_again();
        let held = self.entries.len();
        let waits = |entry: &Entry| entry.to == neighbour && entry.state.phase != Phase::Waiting;
        let packets = self.entries.extract_if(.., |entry| waits(entry)).map(|entry| entry.packet).collect();
        (self.entries.len()..held).rev().for_each(|left| self.held.went(cx.now, left));
        self.draws_no_more(cx.now);
        (packets, self.has_room_again())
    }

    /// A frame with two packets is one, an echo is an ACK that another node sends.
    fn mac_counters(&self) -> Option<mac::Counters> {
        let Counters { frames, broadcasts, acks, missed, unawaited, given_up, .. } = self.counters;
        Some(mac::Counters {
            data: frames - broadcasts,
            ack: acks,
            broadcast: broadcasts,
            data_bits: (self.bytes - acks * u64::from(self.config.overhead.get())) * 8,
            ack_failures: missed + unawaited,
            given_up_data: given_up,
            airtime: self.airtime,
            ..mac::Counters::default()
        })
    }

    fn queue_counters(&self, now: SimTime) -> queue::Counters {
        self.held.counters(now, self.entries.len())
    }

    fn busy_time(&self, now: SimTime) -> Dur {
        Dur::from_ns(self.busy_ns) - self.busy_until.saturating_since(self.sending_until.max(now))
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}
