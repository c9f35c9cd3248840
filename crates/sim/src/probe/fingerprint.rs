//! The fingerprint of a run: a hash over every transmission's time, type, ends and length, and over every packet
//! that leaves on a wire. Two runs with equal fingerprints sent the same at the same instants.

use multihop_proto::units::{Bytes, NodeId, SimTime};
use multihop_proto::wire::Frame;

/// A running 64-bit hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Fingerprint {
    /// The hash of nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self(0x6d75_6c74_6968_6f70)
    }

    /// Takes in a transmission that starts now.
    #[inline]
    pub fn transmission(&mut self, now: SimTime, frame: &Frame) {
        let ends = u64::from(frame.from.0) << 32 | u64::from(frame.to.0);
        let shape = (frame.kind as u64) << 32 | u64::from(frame.size.get());
        self.mix(now.as_ns());
        self.mix(ends);
        self.mix(shape);
    }

    /// Takes in a packet whose last bit leaves on a wire now.
    pub fn wire(&mut self, now: SimTime, from: NodeId, to: NodeId, size: Bytes) {
        const WIRE: u64 = 0xff; // no frame type
        self.mix(now.as_ns());
        self.mix(u64::from(from.0) << 32 | u64::from(to.0));
        self.mix(WIRE << 32 | u64::from(size.get()));
    }

    /// The hash so far.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0
    }

    #[inline]
    const fn mix(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(MULTIPLIER);
        self.0 = mixed ^ (mixed >> 29);
    }
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}
