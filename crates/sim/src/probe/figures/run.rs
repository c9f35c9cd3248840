//! The figures of a whole run.

use super::figure::Better::Less;
use super::figure::Figure;
use super::figure::Place::Compare;
use super::figure::Read::{Count, Perhaps};
use super::figure::Together::Mean;
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
    /// Data frames at each rate of the ladder in the measured time, where rates are chosen.
    pub by_rate: Option<[u64; 4]>,
}

type Run = Figure<RunSpan>;

/// Figures of one run.
pub const RUN: &[Figure<RunSpan>] = &[
    Run::new("events", "events", Count(|it| it.events), "Events processed in the whole run."),
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
        Perhaps(|it| it.at_rate(0)),
        "Data frames that all nodes sent to one node at 1 Mb/s, whose fate is known; null where the rate is fixed.",
    )
    .places(&[Compare(13)]),
    Run::new(
        "data_frames_at_2_mbps",
        "data frames at 2 Mb/s",
        Perhaps(|it| it.at_rate(1)),
        "The same at 2 Mb/s.",
    )
    .places(&[Compare(14)]),
    Run::new(
        "data_frames_at_5_5_mbps",
        "data frames at 5.5 Mb/s",
        Perhaps(|it| it.at_rate(2)),
        "The same at 5.5 Mb/s.",
    )
    .places(&[Compare(15)]),
    Run::new(
        "data_frames_at_11_mbps",
        "data frames at 11 Mb/s",
        Perhaps(|it| it.at_rate(3)),
        "The same at 11 Mb/s.",
    )
    .places(&[Compare(16)]),
];

impl RunSpan {
    /// Frames at the rate with this place in the ladder.
    fn at_rate(&self, rung: usize) -> Option<f64> {
        self.by_rate.map(|counts| counts[rung] as f64)
    }

    fn joules(&self) -> Option<f64> {
        self.energy.as_ref().map(|energy| self.radio.joules(energy))
    }
}
