//! Which MPDUs of a frame come through: each is judged over its own bytes, by one draw.
//!
//! A draw seldom lies so near the probability that it matters at which nanosecond an MPDU begins and ends. So there are
//! bounds first, which are the same for all MPDUs of one length in one stretch; the probability itself is worked out
//! where a draw lies between them.

use multihop_proto::units::{Bytes, Dur, Rng, SimTime};
use multihop_proto::wire::{Bitmap, Mpdu};

use super::stretches::{Stretch, intact};
use crate::bit_errors::Known;
use crate::curve::Parts;

/// What is left of the chance of an error below which it is none: no draw is spent on it.
const SURE: f64 = 1.0 - 1e-12;
/// Logarithm of a probability above which it is more than [`SURE`], however it is rounded.
const SURELY: f64 = -1e-13;
/// Above this, bounds lie nearer to each other than numbers are precise.
const NEARLY: f64 = 1.0 - 1e-8;
/// By less than this an instant is off that is rounded to nanoseconds, and the end of what begins then.
const ROUNDED: Dur = Dur::from_ns(3);

/// Between which numbers a probability lies.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    least: f64,
    most: f64,
}

impl Bounds {
    /// It is this.
    const fn exactly(probability: f64) -> Self {
        Self { least: probability, most: probability }
    }
}

/// The MPDUs of a frame, as they are judged in their order.
pub(super) struct Judgement<'a> {
    parts: &'a Parts,
    threshold: Option<f64>,
    errors: &'a mut Known,
    stretches: &'a [Stretch],
    /// Those that have not begun.
    ahead: std::slice::Iter<'a, Stretch>,
    /// The present one: its ratio, and from which byte to which an MPDU lies in it for sure.
    ratio: f64,
    bytes: (f64, f64),
    /// What is known of MPDUs of one length in it.
    known: Option<(Bytes, Option<Bounds>)>,
    /// Those of one length that follow each other: where the first begins, and the probability that it is intact, if
    /// that was worked out. Under one ratio all of them are like it.
    alike: (Bytes, u32, Option<f64>),
}

impl<'a> Judgement<'a> {
    /// Of a frame that met these stretches. Without an error curve the ratio has to stay above `threshold`.
    pub(super) fn new(
        stretches: &'a [Stretch],
        parts: &'a Parts,
        threshold: Option<f64>,
        errors: &'a mut Known,
    ) -> Self {
        Self {
            parts,
            threshold,
            errors,
            stretches,
            ahead: stretches.iter(),
            ratio: 0.0,
            bytes: (0.0, 0.0),
            known: None,
            alike: (Bytes::ZERO, 0, None),
        }
    }

    /// Which MPDUs survive.
    pub(super) fn each(mut self, mpdus: &[Mpdu], rng: &mut Rng) -> Bitmap {
        let mut map = Bitmap::NONE;
        for (place, (begin, size)) in (0..).zip(places(mpdus)) {
            if self.survives(begin, size, rng) {
                map.set(place);
            }
        }
        map
    }

    fn survives(&mut self, begin: u32, size: Bytes, rng: &mut Rng) -> bool {
        let Bounds { least, most } = self.bounds(begin, size);
        if most > NEARLY {
            return least >= 1.0 || survives(rng, self.exactly(begin, size));
        }
        let draw = rng.f64();
        draw < least || draw < most && draw < self.exactly(begin, size)
    }

    /// All or none: whether any of them survives.
    pub(super) fn any(mut self, mpdus: &[Mpdu], rng: &mut Rng) -> Bitmap {
        // The probability that none does.
        let mut none = Bounds::exactly(1.0);
        for (begin, size) in places(mpdus) {
            let Bounds { least, most } = self.bounds(begin, size);
            if least >= 1.0 {
                return Bitmap::ALL; // one that is sure to come through is enough
            }
            none = Bounds { least: none.least * (1.0 - most), most: none.most * (1.0 - least) };
        }
        let survives = if none.least < 1.0 - NEARLY {
            survives(rng, 1.0 - self.none(mpdus))
        } else {
            let draw = rng.f64();
            draw < 1.0 - none.most || draw < 1.0 - none.least && draw < 1.0 - self.none(mpdus)
        };
        if survives { Bitmap::ALL } else { Bitmap::NONE }
    }

    /// The probability that none of them is intact.
    #[cold]
    fn none(&mut self, mpdus: &[Mpdu]) -> f64 {
        let mut none = 1.0;
        self.alike = (Bytes::ZERO, 0, None);
        for (begin, size) in places(mpdus) {
            none *= 1.0 - self.exactly(begin, size);
            if none <= 0.0 {
                break;
            }
        }
        none
    }

    /// The probability that an MPDU of this length, which begins so many bytes after the start, is intact.
    fn exactly(&mut self, begin: u32, size: Bytes) -> f64 {
        self.meet(begin, size);
        if self.stretches.len() > 1 {
            return self.work_out(begin, size);
        }
        let (_, first, known) = self.alike;
        let intact = known.unwrap_or_else(|| self.work_out(first, size));
        self.alike.2 = Some(intact);
        intact
    }

    #[inline(never)]
    fn work_out(&mut self, begin: u32, size: Bytes) -> f64 {
        let intact = intact(self.stretches, &self.parts.mpdu(begin, size), self.threshold, self.errors);
        if intact > SURE { 1.0 } else { intact }
    }

    /// An MPDU of this length comes next.
    fn meet(&mut self, begin: u32, size: Bytes) {
        if self.alike.0 != size {
            self.alike = (size, begin, None);
        }
    }

    /// The bounds of that probability.
    fn bounds(&mut self, begin: u32, size: Bytes) -> Bounds {
        self.meet(begin, size);
        let (first, end) = (f64::from(begin), f64::from(begin) + f64::from(size.get()));
        while first >= self.bytes.1 && self.enter() {}
        if first < self.bytes.0 || end > self.bytes.1 {
            return Bounds::exactly(self.exactly(begin, size));
        }
        let bounds = match self.known {
            Some((of, bounds)) if of == size => bounds,
            _ => self.within(size),
        };
        self.known = Some((size, bounds));
        bounds.unwrap_or_else(|| Bounds::exactly(self.exactly(begin, size)))
    }

    /// The next stretch begins, if there is one.
    fn enter(&mut self) -> bool {
        let Some(&Stretch { since, until, ratio }) = self.ahead.next() else { return false };
        let parts = self.parts;
        let first = if since <= parts.payload { 0.0 } else { parts.bytes_until(since + ROUNDED) };
        let last =
            if until >= parts.payload_end { parts.bytes() } else { parts.bytes_until(until - ROUNDED) };
        (self.ratio, self.bytes, self.known) = (ratio, (first, last), None);
        true
    }

    /// The bounds for an MPDU of this length within the present stretch; none if it is too short for that.
    fn within(&mut self, size: Bytes) -> Option<Bounds> {
        if let Some(threshold) = self.threshold {
            return Some(Bounds::exactly(f64::from(u8::from(self.ratio >= threshold))));
        }
        let bytes = f64::from(size.get());
        let exponent = self.errors.exponent(self.parts.errors_of(bytes), self.ratio);
        let rounded = self.parts.payload_bits(SimTime::ZERO, SimTime::ZERO + ROUNDED);
        let (fewest, most) = (bytes * 8.0 - rounded, bytes * 8.0 + rounded);
        if exponent * most > SURELY {
            return Some(Bounds::exactly(1.0));
        }
        let bounds = Bounds { least: libm::exp(exponent * most), most: libm::exp(exponent * fewest) };
        (fewest > 0.0).then_some(bounds)
    }
}

/// Where MPDUs begin, and how long they are.
fn places(mpdus: &[Mpdu]) -> impl Iterator<Item = (u32, Bytes)> {
    let mut next = 0;
    mpdus.iter().map(move |mpdu| {
        let begin = next;
        next += mpdu.room.get();
        (begin, mpdu.size)
    })
}

/// Draws whether what is intact with this probability is so.
pub(super) fn survives(rng: &mut Rng, intact: f64) -> bool {
    intact >= 1.0 || rng.f64() < intact
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::OfdmErrors;
    use multihop_proto::phy::{Band, DurationRule, Generation, GuardInterval, McsVector, TxVector, Width};
    use multihop_proto::units::{Entity, Purpose};
    use multihop_proto::wire::PacketId;

    /// Each MPDU by itself, without bounds.
    fn plainly(
        stretches: &[Stretch],
        parts: &Parts,
        threshold: Option<f64>,
        mpdus: &[Mpdu],
        errors: &mut Known,
    ) -> Vec<f64> {
        let mut known = None;
        let judged = places(mpdus).map(|(begin, size)| {
            let found = match known {
                Some((of, found)) if stretches.len() == 1 && of == size => found,
                _ => intact(stretches, &parts.mpdu(begin, size), threshold, errors),
            };
            known = Some((size, found));
            if found > SURE { 1.0 } else { found }
        });
        judged.collect()
    }

    fn frame(rng: &mut Rng) -> (TxVector, Vec<Mpdu>) {
        let (width, guard, band) = (Width::Mhz20, GuardInterval::Ns800, Band::Ghz5);
        let (generation, durations) = (Generation::Ht, DurationRule::Standard);
        let tx =
            McsVector { generation, mcs: (rng.f64() * 8.0) as u8, streams: 1, width, guard, band, durations };
        let sizes = [Bytes(1_538), Bytes(76), Bytes(1_538), Bytes(2)];
        let mpdus = (0..1 + (rng.f64() * 40.0) as u16).map(|number| {
            let size = sizes[(rng.f64() * rng.f64() * 4.0) as usize];
            let room = Bytes((size.get() + 4).next_multiple_of(4));
            Mpdu { packet: PacketId::NONE, number, retry: false, size, room }
        });
        (TxVector::Mcs(tx), mpdus.collect())
    }

    /// Many frames that meet anything: the same survive as without bounds, and the same draws are spent.
    #[test]
    fn bounds_change_nothing() {
        let mut rng = Rng::stream(1, 1, Entity::Node("0"), Purpose::Reception);
        let (mut errors, mut met) = (Known::default(), [0_u32; 3]);
        for _ in 0..20_000 {
            let (tx, mpdus) = frame(&mut rng);
            let size = Bytes(mpdus.iter().map(|it| it.room.get()).sum());
            let parts = Parts::new(tx, size, SimTime::from_us(777), OfdmErrors::Nist);
            let parts = if rng.f64() < 0.2 { parts.with_padding(tx) } else { parts };
            let (mut stretches, mut since) = (Vec::new(), parts.payload);
            let whole = (parts.payload_end - parts.payload).as_ns() as f64;
            while since < parts.payload_end {
                let until =
                    (since + Dur::from_ns(1 + (whole * rng.f64() * 1.5) as u64)).min(parts.payload_end);
                stretches.push(Stretch { since, until, ratio: libm::exp10(4.0 * rng.f64() - 0.5) });
                since = until;
            }
            let threshold = (rng.f64() < 0.1).then_some(100.0);
            let judged = plainly(&stretches, &parts, threshold, &mpdus, &mut errors);
            let mut draws = rng.clone();
            let each = Judgement::new(&stretches, &parts, threshold, &mut errors).each(&mpdus, &mut rng);
            for (place, &intact) in (0..).zip(&judged) {
                let there = survives(&mut draws, intact);
                assert_eq!(each.has(place), there);
                met[usize::from(there)] += 1;
            }
            let mut draws_of_any = rng.clone();
            assert_eq!(draws.f64(), rng.clone().f64(), "as many draws");
            let any = Judgement::new(&stretches, &parts, threshold, &mut errors).any(&mpdus, &mut rng);
            let none = judged.iter().fold(1.0, |none, intact| none * (1.0 - intact));
            assert_eq!(!any.is_empty(), survives(&mut draws_of_any, 1.0 - none));
            assert_eq!(draws_of_any.f64(), rng.clone().f64(), "as many draws");
            met[2] += u32::from(any.is_empty());
        }
        assert!(met.iter().all(|&times| times > 1_000), "all of it happens: {met:?}");
    }
}
