//! The figures of a whole run.

use super::figure::Figure;
use super::figure::Place::Compare;
use super::figure::Read::Count;

/// What the network did.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunSpan {
    /// Events of the whole run.
    pub events: u64,
    /// Transmissions begun in the measured time.
    pub frames: u64,
    /// Transmissions begun in the whole run.
    pub frames_whole_run: u64,
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
];
