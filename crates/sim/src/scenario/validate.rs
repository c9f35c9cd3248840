//! Values that the types allow and physics, protocols or sense forbid.

use super::tree::{Origin, Source};
use super::{LinksConfig, MeasureConfig, Scenario, ScenarioError, TopologyConfig, names};
use crate::air::config::{AirConfig, Propagation};
use crate::kernel::EventQueue;
use multihop_proto::mac::config::{DcfConfig, MacConfig};
use multihop_proto::queue::config::{LimitRule, QueueConfig};
use multihop_proto::routing::config::{DsdvConfig, RoutingConfig};
use multihop_proto::tcp::config::TcpConfig;
use multihop_proto::units::{Bitrate, Bytes, Dur, Metres, Power};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

/// More nodes than the engine's event keys serve.
const MOST_NODES: u64 = 10_001;
/// 115 days; keeps every sum of times far from overflow.
const LONGEST: Dur = Dur::from_secs(10_000_000);
/// Samples of one series; more would fill the memory.
const MOST_SAMPLES: u64 = 10_000_000;
/// Side of the largest area, and the largest coordinate.
const FARTHEST: Metres = Metres::new(1e6);
/// Nearest neighbours; closer, the far-field formulas mean nothing.
const NEAREST: Metres = Metres::new(0.01);
/// Largest counts of packets, segments and the like.
const MOST: u32 = 1_000_000;

/// Builds errors that know where the value stands.
pub(super) struct Check<'a> {
    places: &'a BTreeMap<String, Origin>,
    file: Origin,
}

impl<'a> Check<'a> {
    pub(super) fn new(places: &'a BTreeMap<String, Origin>, file: &Arc<Source>) -> Self {
        Self { places, file: Origin::whole(file) }
    }

    /// An error at the value with this path, or at what holds it if it was never written.
    pub(super) fn error(
        &self,
        path: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ScenarioError {
        let mut at = path;
        let origin = loop {
            match (self.places.get(at), at.rfind('.')) {
                (Some(origin), _) => break origin,
                (None, Some(dot)) => at = &at[..dot],
                (None, None) => break &self.file,
            }
        };
        ScenarioError::at(origin, message).key(path).help(help)
    }

    /// The value must lie within `least..=most`.
    pub(super) fn within<T: PartialOrd + Display>(&self, path: &str, value: T, least: T, most: T) -> Outcome {
        if value >= least && value <= most {
            return Ok(());
        }
        Err(self.error(
            path,
            format!("`{path}` is {value}"),
            format!("it must lie between {least} and {most}"),
        ))
    }

    pub(super) fn must(&self, met: bool, path: &str, value: impl Display, rule: impl Display) -> Outcome {
        if met {
            return Ok(());
        }
        Err(self.error(path, format!("`{path}` is {value}"), format!("it must {rule}")))
    }

    pub(super) fn probability(&self, path: &str, value: f64) -> Outcome {
        self.must((0.0..=1.0).contains(&value), path, value, "be a probability, between 0 and 1")
    }

    pub(super) fn span(&self, path: &str, value: Dur) -> Outcome {
        self.within(path, value, Dur::from_ns(1), LONGEST)
    }

    pub(super) fn rate(&self, path: &str, value: Bitrate) -> Outcome {
        self.within(path, value, Bitrate::from_bps(1), Bitrate::from_mbps(1_000_000))
    }

    pub(super) fn length(&self, path: &str, value: Metres) -> Outcome {
        self.within(path, value, NEAREST, FARTHEST)
    }

    /// Coordinates below the path given, which ends with a dot.
    fn place(&self, path: &str, x: Metres, y: Metres) -> Outcome {
        [("x", x), ("y", y)].into_iter().try_for_each(|(key, value)| {
            self.within(&format!("{path}{key}"), value, FARTHEST * -1.0, FARTHEST)
        })
    }

    fn power(&self, path: &str, value: Power) -> Outcome {
        self.within(path, value, Power::new(1e-30), Power::new(1e6))
    }
}

type Outcome = Result<(), ScenarioError>;

/// Checks every section but the flows, which need the nodes.
pub(super) fn scenario(config: &Scenario, check: &Check<'_>) -> Outcome {
    let duration = config.run.duration;
    check.span("run.duration", duration)?;
    check.within("run.seed", config.run.seed, 0, i64::MAX.unsigned_abs())?;
    check.within("run.salt", config.run.salt, 0, i64::MAX.unsigned_abs())?;
    names::scenario(config, check)?;
    measure(&config.measure, duration, check)?;
    topology(&config.topology, check)?;
    air(&config.air, check)?;
    let MacConfig::Dcf(dcf) = &config.mac;
    mac(dcf, check)?;
    delay(config.air.propagation_delay, dcf, check)?;
    queue(&config.queue, check)?;
    routing(&config.routing, check)?;
    tcp(&config.tcp, check)?;
    check.within("udp.packet", config.udp.packet, Bytes(1), Bytes(65_507))
}

/// The run must end while the event queue can still tell instants from never.
pub(super) fn length(duration: Dur, nodes: usize, flows: usize, check: &Check<'_>) -> Outcome {
    let longest = Dur::from_secs(EventQueue::horizon(nodes, flows).as_ns() / 1_000_000_000);
    let rule = format_args!("be at most {longest} with {nodes} nodes");
    check.must(duration <= longest, "run.duration", duration, rule)
}

fn measure(config: &MeasureConfig, duration: Dur, check: &Check<'_>) -> Outcome {
    let until = config.until.unwrap_or(duration);
    check.must(
        until <= duration,
        "measure.until",
        until,
        format_args!("not lie after the run's end, {duration}"),
    )?;
    check.must(
        config.warm_up < until,
        "measure.warm-up",
        config.warm_up,
        format_args!("be shorter than the run's measured end, {until}"),
    )?;
    if config.sample > Dur::ZERO {
        let samples = duration.whole(config.sample);
        let rule = format_args!("leave no more than {MOST_SAMPLES} samples, not {samples}");
        check.must(samples <= MOST_SAMPLES, "measure.sample", config.sample, rule)?;
    }
    check.within("measure.rows", config.rows, 0, MOST)?;
    for (index, window) in config.window.iter().enumerate() {
        let path = |key| format!("measure.window.{index}.{key}");
        check.must(
            window.from < window.to,
            &path("from"),
            window.from,
            format_args!("lie before its end, {}", window.to),
        )?;
        check.must(
            window.to <= duration,
            &path("to"),
            window.to,
            format_args!("not lie after the run's end, {duration}"),
        )?;
    }
    Ok(())
}

fn topology(config: &TopologyConfig, check: &Check<'_>) -> Outcome {
    match config {
        TopologyConfig::Chain(it) => {
            check.within("topology.hops", it.hops, 1, 10_000)?;
            check.length("topology.spacing", it.spacing)
        }
        TopologyConfig::Cross(it) => {
            check.within("topology.hops", it.hops, 2, 5_000)?;
            check.must(
                it.hops.is_multiple_of(2),
                "topology.hops",
                it.hops,
                "be even, so that the chains share their middle",
            )?;
            check.length("topology.spacing", it.spacing)
        }
        TopologyConfig::Grid(it) => {
            check.within("topology.columns", it.columns, 1, 10_000)?;
            check.within("topology.rows", it.rows, 1, 10_000)?;
            count("topology.rows", u64::from(it.columns) * u64::from(it.rows), check)?;
            check.length("topology.spacing", it.spacing)
        }
        TopologyConfig::Star(it) => {
            check.within("topology.leaves", it.leaves, 1, 10_000)?;
            check.length("topology.radius", it.radius)
        }
        TopologyConfig::Random(it) => {
            check.within("topology.nodes", it.nodes, 2, 10_000)?;
            check.within("topology.seed", it.seed, 0, i64::MAX.unsigned_abs())?;
            check.length("topology.width", it.width)?;
            // A strip without height is a line of nodes, which is legitimate.
            check.within("topology.height", it.height, Metres::new(0.0), FARTHEST)
        }
        TopologyConfig::Explicit(it) => {
            count("topology.node", it.node.len() as u64, check)?;
            for (index, node) in it.node.iter().enumerate() {
                let path = |key| format!("topology.node.{index}.{key}");
                let mut last = Dur::ZERO;
                check.place(&path(""), node.x, node.y)?;
                for (step, it) in node.waypoint.iter().enumerate() {
                    let path = |key| format!("topology.node.{index}.waypoint.{step}.{key}");
                    check.place(&path(""), it.x, it.y)?;
                    let rule = format_args!("lie after the one before, {last}");
                    check.must(it.at > last, &path("at"), it.at, rule)?;
                    last = it.at;
                }
            }
            Ok(())
        }
        TopologyConfig::Links(it) => linked(it, check),
    }
}

fn linked(config: &LinksConfig, check: &Check<'_>) -> Outcome {
    let mut names: Vec<&str> = config.link.iter().flat_map(|it| [&*it.from, &*it.to]).collect();
    names.sort_unstable();
    names.dedup();
    count("topology.link", names.len() as u64, check)?;
    let mut seen = std::collections::HashMap::new();
    for (index, link) in config.link.iter().enumerate() {
        let path = |key| format!("topology.link.{index}.{key}");
        check.must(link.from != link.to, &path("to"), &link.to, "be another node than `from`")?;
        check.probability(&path("loss"), link.loss)?;
        let back = (!link.one_way).then_some((&link.to, &link.from));
        for direction in std::iter::once((&link.from, &link.to)).chain(back) {
            if let Some(other) = seen.insert(direction, index + 1) {
                let message = format!(
                    "links {other} and {} both lead from `{}` to `{}`",
                    index + 1,
                    direction.0,
                    direction.1
                );
                return Err(check.error(
                    &path("from"),
                    message,
                    "name each direction once; a link counts for both unless `one-way = true`",
                ));
            }
        }
    }
    Ok(())
}

fn count(path: &str, nodes: u64, check: &Check<'_>) -> Outcome {
    if (2..=MOST_NODES).contains(&nodes) {
        return Ok(());
    }
    let help = format!("between 2 and {MOST_NODES} can be simulated");
    Err(check.error(
        path,
        format!("the topology has {nodes} node{}", if nodes == 1 { "" } else { "s" }),
        help,
    ))
}

fn air(config: &AirConfig, check: &Check<'_>) -> Outcome {
    check.must(config.frequency.get() >= 1e3, "air.frequency", config.frequency, "be at least 1 kHz")?;
    check.must(config.frequency.get() <= 1e12, "air.frequency", config.frequency, "be at most 1000 GHz")?;
    check.power("air.tx-power", config.tx_power)?;
    check.power("air.receive-threshold", config.receive_threshold)?;
    check.power("air.sense-threshold", config.sense_threshold)?;
    check.within("air.noise", config.noise, Power::new(0.0), Power::new(1.0))?;
    check.within("air.antenna-height", config.antenna_height, NEAREST, Metres::new(1e4))?;
    check.length("air.range", config.range)?;
    check.length("air.sense-range", config.sense_range)?;
    check.length("air.interference-range", config.interference_range)?;
    if config.propagation == Propagation::Disk {
        let rule = format_args!("not be shorter than `air.range`, {}", config.range);
        check.must(config.sense_range >= config.range, "air.sense-range", config.sense_range, rule)?;
        check.must(
            config.interference_range >= config.range,
            "air.interference-range",
            config.interference_range,
            rule,
        )?;
    } else {
        let rule = format_args!("not be above `air.receive-threshold`, {}", config.receive_threshold);
        let met = config.sense_threshold <= config.receive_threshold;
        check.must(met, "air.sense-threshold", config.sense_threshold, rule)?;
        let rule = format_args!("be above `air.receive-threshold`, {}", config.receive_threshold);
        check.must(config.tx_power > config.receive_threshold, "air.tx-power", config.tx_power, rule)?;
    }
    for (path, value) in [("air.capture", config.capture), ("air.sinr-threshold", config.sinr_threshold)] {
        check.must((-100.0..=100.0).contains(&value.get()), path, value, "lie between -100 dB and 100 dB")?;
    }
    check.within("air.lock-time", config.lock_time, Dur::ZERO, Dur::from_us(72))?;
    if let Some(floor) = config.interference_floor {
        check.power("air.interference-floor", floor)?;
        let rule = format_args!("not be above `air.sense-threshold`, {}", config.sense_threshold);
        check.must(floor <= config.sense_threshold, "air.interference-floor", floor, rule)?;
    }
    check.probability("air.bit-error-rate", config.bit_error_rate)?;
    check.probability("air.packet-error-rate", config.packet_error_rate)
}

/// A response travels back: the station that waits for it must wait as long as both ways take.
fn delay(delay: Dur, mac: &DcfConfig, check: &Check<'_>) -> Outcome {
    let path = "air.propagation-delay";
    let rule = format_args!("be shorter than `mac.sifs`, {}", mac.sifs);
    check.must(delay < mac.sifs, path, delay, rule)?;
    let rule = format_args!("be at most half of `mac.timeout-slack`, {}", mac.timeout_slack);
    check.must(delay * 2 <= mac.timeout_slack, path, delay, rule)
}

fn mac(config: &DcfConfig, check: &Check<'_>) -> Outcome {
    check.rate("mac.data-rate", config.data_rate)?;
    check.rate("mac.basic-rate", config.basic_rate)?;
    if let Some(rate) = config.ack_rate {
        check.rate("mac.ack-rate", rate)?;
    }
    check.within("mac.slot", config.slot, Dur::from_ns(1), Dur::from_secs(1))?;
    check.within("mac.sifs", config.sifs, Dur::from_ns(1), Dur::from_secs(1))?;
    check.within("mac.cw-min", config.cw_min, 1, 1 << 20)?;
    let rule = format_args!("lie between `mac.cw-min`, {}, and 1048576", config.cw_min);
    check.must((config.cw_min..=1 << 20).contains(&config.cw_max), "mac.cw-max", config.cw_max, rule)?;
    check.within("mac.short-retry-limit", config.short_retry_limit, 1, 255)?;
    check.within("mac.long-retry-limit", config.long_retry_limit, 1, 255)?;
    check.within("mac.data-overhead", config.data_overhead, Bytes(0), Bytes(10_000))?;
    check.within("mac.cca-time", config.cca_time, Dur::ZERO, config.slot)?;
    check.within("mac.timeout-slack", config.timeout_slack, Dur::ZERO, Dur::from_secs(1))
}

fn queue(config: &QueueConfig, check: &Check<'_>) -> Outcome {
    let least = if config.limit_rule == LimitRule::Below { 2 } else { 1 }; // or no packet would ever be taken
    check.within("queue.limit", config.limit, least, MOST)?;
    check.within("queue.quantum", config.quantum, Bytes(1), Bytes(1_000_000_000))?;
    config.keep_limit.map_or(Ok(()), |limit| check.within("queue.keep-limit", limit, 1, MOST))
}

fn routing(config: &RoutingConfig, check: &Check<'_>) -> Outcome {
    let DsdvConfig { period, jitter_low, jitter_high, settling_weight, .. } = config.dsdv;
    check.within("routing.header", config.header, Bytes(0), Bytes(10_000))?;
    check.within("routing.dsdv.period", period, Dur::from_ms(1), LONGEST)?;
    check.within("routing.dsdv.jitter-low", jitter_low, 0.01, 10.0)?;
    let rule = format_args!("lie between `routing.dsdv.jitter-low`, {jitter_low}, and 10");
    check.must((jitter_low..=10.0).contains(&jitter_high), "routing.dsdv.jitter-high", jitter_high, rule)?;
    check.within("routing.dsdv.settling", config.dsdv.settling, Dur::ZERO, LONGEST)?;
    check.probability("routing.dsdv.settling-weight", settling_weight)?;
    check.within("routing.dsdv.allowed-loss", config.dsdv.allowed_loss, 1, MOST)?;
    check.within("routing.dsdv.triggered-gap", config.dsdv.triggered_gap, Dur::ZERO, LONGEST)?;
    check.within("routing.dsdv.broadcast-jitter", config.dsdv.broadcast_jitter, Dur::ZERO, LONGEST)?;
    check.within("routing.dsdv.buffer", config.dsdv.buffer, 0, MOST)?;
    check.within("routing.dsdv.startup-jitter", config.dsdv.startup_jitter, Dur::ZERO, LONGEST)
}

fn tcp(config: &TcpConfig, check: &Check<'_>) -> Outcome {
    check.within("tcp.segment", config.segment, Bytes(1), Bytes(65_495))?;
    check.within("tcp.data-header", config.data_header, Bytes(0), Bytes(40))?;
    check.within("tcp.max-window", config.max_window, 1, MOST)?;
    check.within("tcp.initial-window", config.initial_window, 1, MOST)?;
    check.within("tcp.tick", config.tick, Dur::from_ns(1), Dur::from_secs(10))?;
    check.span("tcp.min-rto", config.min_rto)?;
    check.span("tcp.max-rto", config.max_rto)?;
    let rule = format_args!("not be below `tcp.min-rto`, {}", config.min_rto);
    check.must(config.max_rto >= config.min_rto, "tcp.max-rto", config.max_rto, rule)?;
    let rule = format_args!("lie between 1 ns and `tcp.max-rto`, {}", config.max_rto);
    let met = config.initial_rto > Dur::ZERO && config.initial_rto <= config.max_rto;
    check.must(met, "tcp.initial-rto", config.initial_rto, rule)?;
    check.within("tcp.ack-every", config.ack_every, 1, 1000)?;
    let least = if config.ack_every > 1 { Dur::from_ns(1) } else { Dur::ZERO };
    check.within("tcp.ack-delay", config.ack_delay, least, Dur::from_secs(60))
}
