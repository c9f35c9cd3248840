//! What can happen to stations on one medium.

use proptest::prelude::*;

pub(super) const STATIONS: usize = 3;

/// What happens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A station gets a packet of so many bytes for another one, or for all (its own number).
    Packet(usize, usize, u32),
    /// Time passes, in microseconds.
    Wait(u64),
    /// A station misses so many of the next frames.
    Deaf(usize, u32),
    /// The access timer fires early.
    Early(usize),
    /// A station gives back what waits for another one.
    Withdraw(usize, usize),
    /// A station goes down, or comes back.
    Power(usize),
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let station = || 0..STATIONS;
    prop_oneof![
        6 => (station(), station(), 40u32..1500).prop_map(|(at, to, size)| Step::Packet(at, to, size)),
        8 => prop_oneof![0u64..3_000, 3_000u64..60_000].prop_map(Step::Wait),
        2 => (station(), 1u32..9).prop_map(|(at, frames)| Step::Deaf(at, frames)),
        1 => station().prop_map(Step::Early),
        1 => (station(), station()).prop_map(|(at, to)| Step::Withdraw(at, to)),
        1 => station().prop_map(Step::Power),
    ]
}
