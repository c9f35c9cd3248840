//! The ratio of signal to noise and interference over the payload of an A-MPDU, in stretches in which it does not
//! change.

use multihop_proto::units::SimTime;

use crate::bit_errors::Known;
use crate::curve::Parts;

#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) since: SimTime,
    pub(super) until: SimTime,
    pub(super) ratio: f64,
}

/// The stretches of the frame that is being received.
#[derive(Clone, Debug, Default)]
pub(super) struct Stretches(Vec<Stretch>);

impl Stretches {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The ratio was this for a while.
    pub(super) fn push(&mut self, since: SimTime, until: SimTime, ratio: f64) {
        match self.0.last_mut() {
            Some(last) if last.ratio == ratio && last.until == since => last.until = until,
            _ => self.0.push(Stretch { since, until, ratio }),
        }
    }

    /// All of them, the first first.
    pub(super) fn all(&self) -> &[Stretch] {
        &self.0
    }
}

/// The probability that a part of the frame is intact: by the error curve, or without it whether the ratio stays above
/// `threshold`.
pub(super) fn intact(stretches: &[Stretch], part: &Parts, threshold: Option<f64>, errors: &mut Known) -> f64 {
    let first = stretches.partition_point(|it| it.until <= part.payload);
    let those = stretches[first..].iter().take_while(|it| it.since < part.payload_end);
    let overlaps = those.map(|it| (it.since.max(part.payload), it.until.min(part.payload_end), it.ratio));
    let judged =
        overlaps.filter(|&(since, until, _)| since < until).map(|(since, until, ratio)| match threshold {
            Some(threshold) => f64::from(u8::from(ratio >= threshold)),
            None => errors.intact(part.payload_errors(), ratio, part.payload_bits(since, until)),
        });
    judged.product()
}
