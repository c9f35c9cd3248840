//! One flow's application: bulk, file, constant bit rate, or on/off.

use multihop_proto::node::App;
use multihop_proto::units::{Dur, Rng, SimTime};

use super::config::{FlowKind, Transport};
use crate::scenario::Flow;

/// What the application does now, and when it acts again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its acts, in order.
    pub acts: [Option<App>; 2],
    /// Its next act; `SimTime::MAX` for none.
    pub next: SimTime,
}

/// The application of one flow.
#[derive(Clone, Debug)]
pub struct Source {
    kind: FlowKind,
    tcp: bool,
    start: SimTime,
    stop: SimTime,
    /// Bytes of a file.
    size: u64,
    /// Payload of a datagram, or of one write.
    packet: u32,
    interval: Dur,
    mean_on: Dur,
    mean_off: Dur,
    burst_end: SimTime,
    rng: Rng,
    opened: bool,
}

impl Source {
    /// The application of `flow`; `rng` draws its random times.
    #[must_use]
    pub fn new(flow: &Flow, default_packet: u32, rng: Rng) -> Self {
        let config = &flow.config;
        let packet = config.packet.map_or(default_packet, |packet| packet.get());
        let interval =
            config.rate.map_or(Dur::ZERO, |rate| rate.airtime(multihop_proto::units::Bytes(packet)));
        Self {
            kind: config.kind,
            tcp: flow.transport == Transport::Tcp,
            start: flow.start,
            stop: flow.stop,
            size: config.size.map_or(u64::MAX, |size| u64::from(size.get())),
            packet,
            interval,
            mean_on: config.on.unwrap_or_default(),
            mean_off: config.off.unwrap_or_default(),
            burst_end: SimTime::MAX,
            rng,
            opened: false,
        }
    }

    /// When the application acts first.
    #[must_use]
    pub const fn start(&self) -> SimTime {
        self.start
    }

    /// The application acts.
    pub fn step(&mut self, now: SimTime) -> Step {
        if now >= self.stop {
            return Step { acts: [Some(App::Stop), None], next: SimTime::MAX };
        }
        let open = (self.tcp && !self.opened).then_some(App::Open);
        let first = !std::mem::replace(&mut self.opened, true);
        let (act, next) = match self.kind {
            FlowKind::Bulk => (App::Write(u64::MAX), self.stop),
            FlowKind::File => (App::Write(self.size), self.stop),
            FlowKind::Cbr => (self.write(), now + self.interval),
            FlowKind::OnOff => {
                if first {
                    self.burst_end = now + self.exponential(self.mean_on);
                }
                (self.write(), self.next_of_burst(now))
            }
        };
        Step { acts: [open, Some(act)], next: next.min(self.stop) }
    }

    const fn write(&self) -> App {
        if self.tcp { App::Write(self.packet as u64) } else { App::Datagram(self.packet) }
    }

    /// The next packet of this burst, or the first of the next one.
    fn next_of_burst(&mut self, now: SimTime) -> SimTime {
        let next = now + self.interval;
        if next <= self.burst_end {
            return next;
        }
        let begin = self.burst_end + self.exponential(self.mean_off);
        self.burst_end = begin + self.exponential(self.mean_on);
        begin.max(next)
    }

    fn exponential(&mut self, mean: Dur) -> Dur {
        mean.mul_f64(-libm::log(1.0 - self.rng.f64()))
    }
}
