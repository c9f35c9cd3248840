//! One flow's application: bulk, file, constant bit rate, or on/off.

use multihop_proto::node::App;
use multihop_proto::units::{Dur, Rng, SimTime};

use super::config::{FlowKind, Transport};
use super::flow::Flow;

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
pub struct Application {
    kind: FlowKind,
    /// Whether a transport takes bytes, and not packets.
    stream: bool,
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

impl Application {
    /// The application of `flow`; `rng` draws its random times.
    #[must_use]
    pub fn new(flow: &Flow, default_packet: u32, rng: Rng) -> Self {
        let config = &flow.config;
        let packet = config.packet.map_or(default_packet, |packet| packet.get());
        let interval =
            config.rate.map_or(Dur::ZERO, |rate| rate.airtime(multihop_proto::units::Bytes(packet)));
        Self {
            kind: config.kind,
            stream: flow.transport != Transport::Udp,
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
        let open = (self.stream && !self.opened).then_some(App::Open);
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
        if self.stream { App::Write(self.packet as u64) } else { App::Datagram(self.packet) }
    }

    /// The next packet: when another interval of busy time has passed, in this burst or in later ones. So the mean
    /// rate is the share of busy time of the full rate, also where a burst is shorter than the interval.
    fn next_of_burst(&mut self, now: SimTime) -> SimTime {
        let (mut from, mut wait) = (now, self.interval);
        while from + wait > self.burst_end && from < self.stop {
            wait -= self.burst_end.saturating_since(from);
            from = self.burst_end + self.exponential(self.mean_off);
            self.burst_end = from + self.exponential(self.mean_on);
        }
        from + wait
    }

    fn exponential(&mut self, mean: Dur) -> Dur {
        mean.mul_f64(-libm::log(1.0 - self.rng.f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;
    use crate::scenario::{Layer, Sources};
    use multihop_proto::units::{Entity, Purpose};

    /// Packets in 10 000 s of a flow that would send ten a second if it were always on.
    fn packets(on: &str, off: &str) -> f64 {
        let text = format!(
            "run.duration = \"10000 s\"\ntopology = {{ kind = \"chain\", hops = 1 }}\n\
             flow = [{{ kind = \"on-off\", from = \"0\", to = \"1\", rate = \"8 kbps\", packet = \"100 B\", \
             on = \"{on}\", off = \"{off}\" }}]\n"
        );
        let scenario = Layer { name: "bursts.toml".into(), text };
        let scenario =
            resolve(&Sources { scenario, techniques: Vec::new(), sets: Vec::new() }).expect("valid");
        let rng = Rng::stream(1, 1, Entity::Flow("1"), Purpose::Traffic);
        let mut source = Application::new(&scenario.flows[0], 100, rng);
        let (mut now, mut sent) = (source.start(), 0);
        while now < scenario.flows[0].stop {
            now = source.step(now).next;
            sent += 1;
        }
        f64::from(sent)
    }

    #[test]
    fn the_mean_rate_is_the_share_of_busy_time_of_the_full_rate() {
        for (on, off, share) in [("10 ms", "90 ms", 0.1), ("1 s", "9 s", 0.1), ("50 ms", "50 ms", 0.5)] {
            let sent = packets(on, off) / (10.0 * 10_000.0);
            assert!((sent / share - 1.0).abs() < 0.1, "{on} {off}: {sent}");
        }
    }
}
