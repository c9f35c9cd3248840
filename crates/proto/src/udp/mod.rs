//! UDP (RFC 768): a source that numbers its datagrams and a sink that knows which have come.

pub mod config;

pub use config::*;

use crate::wire::{RangeSet, UdpDatagram};

/// Numbers the datagrams of a flow.
#[derive(Clone, Debug, Default)]
pub struct Source {
    next: u64,
}

impl Source {
    /// The next datagram, of `len` payload bytes.
    pub const fn next(&mut self, len: u32) -> UdpDatagram {
        let number = self.next;
        self.next += 1;
        UdpDatagram { number, len }
    }

    /// Datagrams made so far.
    #[must_use]
    pub const fn sent(&self) -> u64 {
        self.next
    }
}

/// Knows which datagrams have arrived.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    arrived: RangeSet,
}

impl Sink {
    /// Takes a datagram; returns whether it is the first copy.
    pub fn take(&mut self, datagram: &UdpDatagram) -> bool {
        self.arrived.insert(datagram.number, datagram.number.saturating_add(1))
    }

    /// Whether the datagram has arrived.
    #[must_use]
    pub fn has(&self, number: u64) -> bool {
        self.arrived.contains(number)
    }
}
