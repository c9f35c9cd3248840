//! ATP's receiver: takes what comes, and says at the end of each epoch in which something came what is missing and how
//! slow the path is. It answers a probe at once.

use std::collections::BTreeMap;

use super::config::AtpConfig;
use super::meter::settle;
use super::wire::{Body, Header, MOST_BLOCKS};
use crate::contract::Arrival;
use crate::units::{Dur, SimTime};
use crate::wire::RangeSet;

/// Numbers beyond what has come in order that are taken.
const MOST_AHEAD: u64 = 1 << 16;

/// The receiver of one flow.
#[derive(Clone, Debug)]
pub struct Sink {
    config: AtpConfig,
    /// Packets below this number have come.
    below: u64,
    /// What has come beyond, and the payload of each \[B\].
    waiting: RangeSet,
    lengths: BTreeMap<u64, u32>,
    /// Average delay of the path \[µs\]; none before the first packet.
    delay: Option<f64>,
    /// End of the present epoch; `SimTime::MAX` while nothing comes.
    epoch_end: SimTime,
    /// Whether anything came in it.
    heard: bool,
    /// Reports sent.
    reports: u64,
}

impl Sink {
    /// A receiver that nothing has come to.
    #[must_use]
    pub fn new(config: AtpConfig) -> Self {
        Self {
            config,
            below: 0,
            waiting: RangeSet::default(),
            lengths: BTreeMap::new(),
            delay: None,
            epoch_end: SimTime::MAX,
            heard: false,
            reports: 0,
        }
    }

    /// When its timer shall fire.
    #[must_use]
    pub const fn deadline(&self) -> SimTime {
        self.epoch_end
    }

    /// Whether the packet has come.
    #[must_use]
    pub fn has(&self, number: u64) -> bool {
        number < self.below || self.waiting.contains(number)
    }

    /// Reports sent so far.
    #[must_use]
    pub const fn reports(&self) -> u64 {
        self.reports
    }

    /// Takes a packet with so much payload, which its last hop took so long to bring; what it was, and whether a report
    /// ([`Self::report`]) is due at once.
    pub fn receive(&mut self, now: SimTime, header: &Header, len: u32, hop: Dur) -> (Arrival, bool) {
        let (arrival, probe) = match header.body {
            Body::Report { .. } => return (Arrival::Unacceptable, false),
            Body::Probe => (Arrival::Control, true),
            Body::Data(number) if number >= self.below + MOST_AHEAD || len == 0 => {
                return (Arrival::Unacceptable, false);
            }
            Body::Data(number) => (self.take(number, len), false),
        };
        let delay = f64::from(settle(header, Some(hop), self.config.idle_factor));
        // A probe asks anew: the path may be another one.
        let memory = if probe { 0.0 } else { self.config.memory };
        self.delay = Some(self.delay.map_or(delay, |known| memory * known + (1.0 - memory) * delay));
        self.heard = true;
        if self.epoch_end == SimTime::MAX {
            self.epoch_end = now + self.config.epoch;
        }
        (arrival, probe)
    }

    fn take(&mut self, number: u64, len: u32) -> Arrival {
        if number < self.below || !self.waiting.insert(number, number + 1) {
            return Arrival::Duplicate;
        }
        self.lengths.insert(number, len);
        if let Some(end) = self.waiting.take_front(self.below) {
            self.below = end;
        }
        let later = self.lengths.split_off(&self.below);
        let come = std::mem::replace(&mut self.lengths, later);
        Arrival::New { readable: come.values().map(|&len| u64::from(len)).sum() }
    }

    /// The timer has fired: the report that is due, if something came in the epoch.
    pub fn on_timer(&mut self, now: SimTime) -> Option<Header> {
        if self.epoch_end > now {
            return None;
        }
        let heard = std::mem::take(&mut self.heard);
        self.epoch_end = if heard { now + self.config.epoch } else { SimTime::MAX };
        heard.then(|| self.report())
    }

    /// What has come so far.
    pub fn report(&mut self) -> Header {
        self.reports += 1;
        let blocks = self.waiting.iter().take(MOST_BLOCKS).collect();
        let delay = self.delay.unwrap_or(0.0) as u32; // `as` saturates
        Header { body: Body::Report { below: self.below, blocks }, delay, idle: false }
    }
}
