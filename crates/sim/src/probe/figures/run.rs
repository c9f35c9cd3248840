//! The figures of a whole run.

use super::figure::Aggregate::Mean;
use super::figure::Better::{Less, More};
use super::figure::Figure;
use super::figure::Place::Compare;
use super::figure::Read::{Count, Perhaps, Real};
use multihop_proto::phy::MODES;
use multihop_proto::units::SimTime;

use crate::air::{EnergyConfig, StateTimes};

/// What the network did.
#[derive(Clone, Debug, Default)]
pub struct RunSpan {
    /// Events of the whole run.
    pub events: u64,
    /// Transmissions begun in the measured time.
    pub frames: u64,
    /// Transmissions begun in the whole run.
    pub frames_whole_run: u64,
    /// What radios draw, if that is known.
    pub energy: Option<EnergyConfig>,
    /// What all of them did in the measured time.
    pub radio: StateTimes,
    /// When the first battery was found empty.
    pub spent_at: Option<SimTime>,
    /// Bits of payload that reached their sinks in the measured time.
    pub delivered_bits: u64,
    /// The part of the measured time in which a flow had begun, and had neither stopped nor completed \[s\].
    pub in_use_s: f64,
    /// Data packets sent in the measured time, those of them that arrived in it, and all that arrived in it.
    pub packets: Packets,
    /// Messages of routing in the measured time, and their bytes; none if it sent none in the whole run.
    pub routing: Option<(u64, u64)>,
    /// Data frames in each of [`MODES`] in the measured time, where rates of DSSS are chosen.
    pub by_mode: Option<[u64; MODES.len()]>,
}

/// Data packets of all flows in the measured time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packets {
    /// Sent, retransmissions included.
    pub sent: u64,
    /// Sent and arrived, each once.
    pub in_time: u64,
    /// Arrived, each once.
    pub arrived: u64,
}

type Run = Figure<RunSpan>;

/// Figures of one run.
pub const RUN: &[Figure<RunSpan>] = &[
    Run::new("events", "events", Count(|it| it.events), "Events processed in the whole run."),
    Run::new(
        "goodput_bps",
        "goodput",
        Real(|it| if it.in_use_s > 0.0 { it.delivered_bits as f64 / it.in_use_s } else { 0.0 }),
        "Payload of all flows delivered in order for the first time within the measured time, over the part of it in which a flow \
         had begun, and had neither stopped nor completed [bit/s].",
    )
    .shown("kbit/s", 1e3)
    .better(More),
    Run::new(
        "delivery_ratio",
        "delivery ratio",
        Perhaps(|it| (it.packets.sent > 0).then(|| it.packets.in_time as f64 / it.packets.sent as f64)),
        "Data packets of all flows that were sent and arrived in the measured time (each once), over those sent in it, \
         retransmissions included; null if none was sent.",
    )
    .shown("%", 1e-2)
    .together(Mean)
    .better(More),
    Run::new(
        "routing_packets_per_delivery",
        "routing packets per data packet",
        Perhaps(|it| it.per_delivery(it.routing?.0)),
        "Messages of the routing protocol that nodes sent or passed on, each hop once, over the data packets that arrived: the \
         normalised routing load (Broch et al., MobiCom 1998; Perkins et al., 2001); null if none arrived, or routing sent none in \
         the whole run.",
    )
    .together(Mean)
    .better(Less)
    .places(&[Compare(17)]),
    Run::new(
        "routing_bytes_per_delivery",
        "routing bytes per data packet",
        Perhaps(|it| it.per_delivery(it.routing?.1)),
        "The bytes of these messages from IP's header on, over the data packets that arrived. Routing headers in data packets are \
         not among them [B].",
    )
    .shown("B", 1.0)
    .together(Mean)
    .better(Less),
    Run::new("frames", "MAC frames", Count(|it| it.frames), "Frames sent on the air in the measured time.")
        .places(&[Compare(7)]),
    Run::new(
        "frames_whole_run",
        "MAC frames, warm-up included",
        Count(|it| it.frames_whole_run),
        "Frames sent on the air in the whole run, warm-up included.",
    ),
    Run::new(
        "energy_j",
        "energy",
        Perhaps(RunSpan::joules),
        "Energy that all radios drew in the measured time [J], by `[energy]`; without that section, of ORiNOCO cards, which \
         draw as much idle as receiving.",
    )
    .places(&[Compare(11)])
    .shown("J", 1.0)
    .better(Less),
    Run::new(
        "energy_per_bit_j",
        "energy per bit",
        Perhaps(|it| it.joules().filter(|_| it.delivered_bits > 0).map(|j| j / it.delivered_bits as f64)),
        "The same for each bit of payload that reached its sink [J]; null if none did.",
    )
    .places(&[Compare(12)])
    .shown("J/Mbit", 1e-6)
    .together(Mean)
    .better(Less),
    Run::new(
        "first_battery_spent_s",
        "first battery spent",
        Perhaps(|it| it.spent_at.map(|at| at.as_secs_f64())),
        "When the first battery was empty [s]; null if none was (`energy.battery`).",
    )
    .shown("s", 1.0),
    Run::new(
        "data_frames_at_1_mbps",
        "data frames at 1 Mb/s",
        Perhaps(|it| it.in_mode(0)),
        "Data frames that all nodes sent to one node at 1 Mb/s, whose fate is known; null where the rate is fixed, and where none \
         went at a rate of 802.11b.",
    )
    .places(&[Compare(13)]),
    Run::new(
        "data_frames_at_2_mbps",
        "data frames at 2 Mb/s",
        Perhaps(|it| it.in_mode(1)),
        "The same at 2 Mb/s.",
    )
    .places(&[Compare(14)]),
    Run::new(
        "data_frames_at_5_5_mbps",
        "data frames at 5.5 Mb/s",
        Perhaps(|it| it.in_mode(2)),
        "The same at 5.5 Mb/s.",
    )
    .places(&[Compare(15)]),
    Run::new(
        "data_frames_at_11_mbps",
        "data frames at 11 Mb/s",
        Perhaps(|it| it.in_mode(3)),
        "The same at 11 Mb/s.",
    )
    .places(&[Compare(16)]),
];

impl RunSpan {
    /// Frames in the mode with this place among [`MODES`].
    fn in_mode(&self, mode: usize) -> Option<f64> {
        self.by_mode.map(|counts| counts[mode] as f64)
    }

    fn per_delivery(&self, n: u64) -> Option<f64> {
        (self.packets.arrived > 0).then(|| n as f64 / self.packets.arrived as f64)
    }

    fn joules(&self) -> Option<f64> {
        self.energy.as_ref().map(|energy| self.radio.joules(energy))
    }
}
