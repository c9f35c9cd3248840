//! Series at fixed intervals, and the probes that ask for them and for readings.

use multihop_proto::contract::Stations;
use multihop_proto::endpoint::{AnyTransport, Transport};
use multihop_proto::tcp::PathView;
use multihop_proto::units::{Bitrate, Dur, NodeId, SimTime};

use super::Network;
use super::readings::{Reading, Readings};
use super::stations::Nodes;
use crate::probe::{Recorder, Rows, SenderState};

/// The probes, in the order in which they act at one instant.
pub(super) const SAMPLE: usize = 0;
/// The measured time begins.
pub(super) const BEGINNING: usize = 1;
/// The measured time ends.
pub(super) const END: usize = 2;

/// Series in the making.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    interval: Dur,
    /// time, rate | flow, packets that arrived for the first time
    pub(super) goodput: Rows<2, 2>,
    /// time, cwnd, ssthresh, srtt, rto | flow, una, nxt, the receiver's window
    pub(super) tcp: Rows<5, 4>,
    /// time, sending rate, delivery rate, least round trip | flow, phase
    pub(super) path: Rows<4, 2>,
    /// Bytes of each flow that its sender knew to have arrived at the sample before.
    arrived: Vec<Option<u64>>,
    /// time, rate, reported rate | flow, acknowledged, sent
    pub(super) rate: Rows<3, 3>,
    /// time | node, length
    pub(super) queue: Rows<1, 2>,
    /// time | node, channel, length; where nodes have several radios
    pub(super) radios: Rows<1, 3>,
    /// The channel of each station, where nodes have several radios.
    channels: Vec<u16>,
    /// What was counted in the measured time.
    pub(super) readings: Readings,
}

impl Sampler {
    /// A sampler with this interval (zero = no series) of these stations.
    #[must_use]
    pub(super) fn new(interval: Dur, stations: &Stations) -> Self {
        let all = (0..stations.count() as u32).map(NodeId); // node counts are 32-bit
        let several = stations.are_several();
        Self {
            interval,
            radios: Rows::default(),
            channels: if several { all.map(|it| stations.channel(it)).collect() } else { Vec::new() },
            goodput: Rows::default(),
            tcp: Rows::default(),
            path: Rows::default(),
            arrived: Vec::new(),
            rate: Rows::default(),
            queue: Rows::default(),
            readings: Readings::default(),
        }
    }

    /// Whether there are series.
    #[must_use]
    pub(super) const fn is_on(&self) -> bool {
        self.interval.as_ns() > 0
    }

    /// The first sample.
    #[must_use]
    pub(super) fn first(&self) -> SimTime {
        SimTime::ZERO + self.interval
    }
    /// Adds a row to each series, and returns when the next is due.
    fn sample(&mut self, at: SimTime, nodes: &Nodes, recorder: &mut Recorder) -> SimTime {
        let now = at.as_secs_f64();
        for (probe, index) in recorder.flows.iter_mut().zip(0..) {
            let bits = std::mem::take(&mut probe.since_sample) as f64 * 8.0;
            let arrived = std::mem::take(&mut probe.arrived_since_sample) as i64;
            self.goodput.push([now, bits / self.interval.as_secs_f64()], [index, arrived]);
        }
        self.sample_senders(now, nodes, recorder.flows.len());
        for (node, index) in nodes.iter().zip(0..) {
            self.queue.push([now], [index, node.links().queued() as i64]);
        }
        for (station, &channel) in (0..).map(NodeId).zip(&self.channels) {
            let (node, length) = (nodes.node_of(station), nodes.interface_of(station).link().held());
            self.radios.push([now], [i64::from(node.0), i64::from(channel), length as i64]);
        }
        at + self.interval
    }

    /// What the senders of so many flows are at.
    fn sample_senders(&mut self, now: f64, nodes: &Nodes, flows: usize) {
        let mut senders = vec![None; flows];
        for endpoint in nodes.iter().flat_map(|node| node.hosts().all()) {
            if let (Some(view), Some(sender)) = (endpoint.kind.view(), senders.get_mut(endpoint.flow.index()))
            {
                let path = match &endpoint.kind {
                    AnyTransport::TcpSender(end) => Some(end.sender.path_view()),
                    _ => None,
                };
                *sender = Some((view, path));
            }
        }
        self.arrived.resize(flows, Some(0));
        for (sender, index) in senders.into_iter().zip(0..) {
            let Some((view, path)) = sender else { continue };
            if let Some(path) = path {
                self.sample_path(now, index, &path);
            }
            let srtt = view.srtt.map_or(f64::NAN, |srtt| srtt.as_secs_f64());
            let row = [now, view.cwnd, view.ssthresh, srtt, view.rto.as_secs_f64()];
            self.tcp.push(row, [index, view.una as i64, view.nxt as i64, view.peer_window as i64]);
        }
        for endpoint in nodes.iter().flat_map(|node| node.hosts().all()) {
            let AnyTransport::AtpSource(end) = &endpoint.kind else { continue };
            let rate = end.source.rate();
            let row = [now, rate.sending, rate.reported.unwrap_or(f64::NAN)];
            let flow = i64::from(endpoint.flow.0);
            self.rate.push(row, [flow, rate.below as i64, rate.next as i64]);
        }
    }

    /// What the sender of a flow knows of the path. A window rule that goes by a rate of delivery says which; of others
    /// it is what its ACKs have told of since the sample before.
    fn sample_path(&mut self, now: f64, flow: i64, path: &PathView) {
        let bps = |rate: Option<Bitrate>| rate.map(|rate| rate.as_bps() as f64);
        let before = self.arrived[flow as usize].replace(path.arrived);
        // An end that goes on for another does not know of what arrived before.
        let newly = before.and_then(|before| path.arrived.checked_sub(before));
        let told = newly.map(|bytes| bytes as f64 * 8.0 / self.interval.as_secs_f64());
        let rates = [bps(path.send_rate), bps(path.delivery_rate).or(told)];
        let [sent, delivered] = rates.map(|rate| rate.unwrap_or(f64::NAN));
        let rtt = path.min_rtt.map_or(f64::NAN, |rtt| rtt.as_secs_f64());
        self.path.push([now, sent, delivered, rtt], [flow, i64::from(path.phase)]);
    }
}

/// What the senders of so many flows have counted, and how many packets of each flow reached either of its ends after a
/// later one. All endpoints are visited once, so that it takes as long as there are flows.
fn sender_states(nodes: &Nodes, flows: usize) -> Vec<SenderState> {
    let mut states = vec![SenderState::default(); flows];
    for endpoint in nodes.iter().flat_map(|node| node.hosts().all()) {
        let Some(state) = states.get_mut(endpoint.flow.index()) else { continue }; // of no flow
        state.reordered += endpoint.order.reordered;
        match endpoint.kind.counters() {
            Some(counted) => (state.tcp, state.rtt) = counted,
            None => state.tcp.sent += endpoint.kind.sent(),
        }
    }
    states
}

impl Network {
    /// A probe is due: a sample, or an end of the measured time.
    pub(super) fn run_probe(&mut self, probe: usize) {
        let Self { world, nodes, sampler, .. } = self;
        let (now, recorder) = (world.now, &mut world.recorder);
        if probe == SAMPLE {
            let next = sampler.sample(now, nodes, recorder);
            return world.timers.arm_probe(SAMPLE, next);
        }
        let states = sender_states(nodes, recorder.flows.len());
        let begins = probe == BEGINNING;
        for (flow, state) in recorder.flows.iter_mut().zip(states) {
            *(if begins { &mut flow.before } else { &mut flow.after }) = state;
        }
        let reading = Reading::of(self);
        let Readings { before, after } = &mut self.sampler.readings;
        *(if begins { before } else { after }) = reading;
    }
}
