//! The ratio of signal to noise and interference over the payload of an A-MPDU, in stretches in which it does not
//! change: each MPDU is judged over its own bytes.

use multihop_proto::units::SimTime;
use multihop_proto::wire::Mpdu;

use crate::bit_errors::Known;
use crate::curve::Parts;

/// What is left of the chance of an error below which it is none: no draw is spent on it.
const SURE: f64 = 1.0 - 1e-12;

#[derive(Clone, Copy, Debug)]
struct Stretch {
    since: SimTime,
    until: SimTime,
    ratio: f64,
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

    /// For each MPDU of the frame with which probability it is intact: by the error curve, or without it whether the
    /// ratio stays above `threshold`.
    pub(super) fn each_intact<'a>(
        &'a self,
        parts: &'a Parts,
        threshold: Option<f64>,
        mpdus: &'a [Mpdu],
        payloads: &'a mut Known,
    ) -> impl Iterator<Item = (u16, f64)> + 'a {
        let (mut next, mut known) = (0, None);
        (0..).zip(mpdus).map(move |(place, mpdu)| {
            let begin = next;
            next += mpdu.room.get();
            // Under one ratio those of one length are alike.
            let intact = match known {
                Some((size, intact)) if self.0.len() == 1 && size == mpdu.size => intact,
                _ => self.intact(&parts.mpdu(begin, mpdu.size), threshold, payloads),
            };
            known = Some((mpdu.size, intact));
            (place, if intact > SURE { 1.0 } else { intact })
        })
    }

    fn intact(&self, part: &Parts, threshold: Option<f64>, payloads: &mut Known) -> f64 {
        let overlaps =
            self.0.iter().map(|it| (it.since.max(part.payload), it.until.min(part.payload_end), it.ratio));
        let judged =
            overlaps.filter(|&(since, until, _)| since < until).map(
                |(since, until, ratio)| match threshold {
                    Some(threshold) => f64::from(u8::from(ratio >= threshold)),
                    None => payloads.intact(part.payload_errors(), ratio, part.payload_bits(since, until)),
                },
            );
        judged.product()
    }
}
