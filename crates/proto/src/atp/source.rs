//! ATP's sender.
//!
//! ```text
//!                             a report
//!        ┌────────────────────────────────────────────────┐
//!        │                                                ▼
//!   QUICK START   every epoch: a probe                 RUNNING   a packet every 1/S; at each report with rate R
//!        ▲                                                │         R < S            S ← R
//!        └────────────────────────────────────────────────┘         R > S (1 + φ)    S ← S + (R − S)/k, at most 2 S
//!             three reports missing; a broken link (ELFN)           otherwise        S stays
//!                                                                  at each missing report    S ← S/2
//! ```
//!
//! It begins with a probe as soon as there is something to send. What was sent an epoch ago and is in no report is
//! lost: it goes before new data. There is no other timer.

use std::collections::{BTreeSet, VecDeque};

use super::config::AtpConfig;
use super::counters::Counters;
use super::wire::{Body, Header};
use crate::units::{Dur, SimTime};

/// Bounds of the rate \[packet/s\]: a path that says it takes no time is not believed, and one stays alive.
const FASTEST: f64 = 10_000.0;
const SLOWEST: f64 = 0.1;

/// What a source is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<'a> {
    /// The application gives it this many more bytes; `u64::MAX` for one that never runs dry.
    Write(u64),
    /// It stops giving data: what has not been packed yet is not sent.
    Stop,
    /// A report has come.
    Report(&'a Header),
    /// A link of the path is broken.
    Broken,
    /// Its timer fires.
    Timer,
}

/// What a source asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Send a packet with this header and so much payload.
    Send(Header, u32),
    /// All of a finite transfer has been acknowledged.
    Completed,
}

/// What it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has nothing to send yet.
    Closed,
    /// It asks for the rate of the path.
    QuickStart,
    /// It sends.
    Running,
}

/// How a source stands, for series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Packets that it sends in a second; 0 while it does not.
    pub sending: f64,
    /// Rate of the last report \[packet/s\]; none before.
    pub reported: Option<f64>,
    /// Packets acknowledged in order.
    pub below: u64,
    /// Packets that have been sent.
    pub next: u64,
}

/// A packet that is not acknowledged in order.
#[derive(Clone, Copy, Debug)]
struct Sent {
    len: u32,
    at: SimTime,
    arrived: bool,
}

/// The sender of one flow.
#[derive(Clone, Debug)]
pub struct Source {
    config: AtpConfig,
    /// Payload of a full packet \[B\].
    segment: u32,
    state: State,
    /// Bytes that the application has given, and that have been put into packets.
    written: u64,
    packed: u64,
    /// Number of the first packet of `outstanding`, and the bytes in those before \[B\].
    below: u64,
    acknowledged: u64,
    outstanding: VecDeque<Sent>,
    /// What is to be sent again.
    lost: BTreeSet<u64>,
    /// S \[packet/s\].
    rate: f64,
    reported: Option<f64>,
    /// When the last packet went, and when the next goes; `SimTime::MAX`: there is none.
    last_sent: Option<SimTime>,
    next_send: SimTime,
    /// When the next report, or the answer to a probe, is missing; `SimTime::MAX`: none is due.
    report_due: SimTime,
    missing: u32,
    completed: bool,
    counters: Counters,
}

impl Source {
    /// A source that has nothing to send.
    #[must_use]
    pub fn new(config: AtpConfig, segment: u32) -> Self {
        Self {
            config,
            segment,
            state: State::Closed,
            written: 0,
            packed: 0,
            below: 0,
            acknowledged: 0,
            outstanding: VecDeque::new(),
            lost: BTreeSet::new(),
            rate: 0.0,
            reported: None,
            last_sent: None,
            next_send: SimTime::MAX,
            report_due: SimTime::MAX,
            missing: 0,
            completed: false,
            counters: Counters::default(),
        }
    }

    /// When its timer shall fire.
    #[must_use]
    pub fn deadline(&self) -> SimTime {
        self.next_send.min(self.report_due)
    }

    /// What it has counted.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// What it does.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// How it stands.
    #[must_use]
    pub fn rate(&self) -> Rate {
        Rate {
            sending: if self.state == State::Running { self.rate } else { 0.0 },
            reported: self.reported,
            below: self.below,
            next: self.next(),
        }
    }

    /// Bytes acknowledged in order.
    #[must_use]
    pub const fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// Number of the next new packet.
    fn next(&self) -> u64 {
        self.below + self.outstanding.len() as u64
    }

    /// Takes one input.
    pub fn handle(&mut self, now: SimTime, input: Input<'_>, out: &mut Vec<Action>) {
        match input {
            Input::Write(bytes) => {
                self.written = self.written.saturating_add(bytes);
                self.completed = false;
                if self.state == State::Closed {
                    self.quick_start(now, out);
                }
            }
            Input::Stop => self.written = self.packed,
            Input::Report(header) => self.on_report(now, header, out),
            Input::Broken => {
                if self.state == State::Running {
                    self.quick_start(now, out);
                }
            }
            Input::Timer => self.on_timer(now, out),
        }
        self.schedule(now);
    }

    fn on_timer(&mut self, now: SimTime, out: &mut Vec<Action>) {
        if self.report_due <= now {
            match self.state {
                State::Closed => {}
                State::QuickStart => self.probe(now, out),
                State::Running => self.miss(now, out),
            }
        }
        if self.state == State::Running && self.next_send <= now {
            self.send(now, out);
        }
    }

    /// It begins, or begins anew, with a probe.
    fn quick_start(&mut self, now: SimTime, out: &mut Vec<Action>) {
        self.state = State::QuickStart;
        self.counters.quick_starts += 1;
        self.probe(now, out);
    }

    fn probe(&mut self, now: SimTime, out: &mut Vec<Action>) {
        self.counters.probes += 1;
        self.counters.sent += 1;
        self.report_due = now + self.config.epoch;
        // As long as a full packet: what the path takes for a shorter one says little of the rate of those that follow.
        out.push(Action::Send(Header { body: Body::Probe, delay: 0, idle: false }, self.segment));
    }

    /// A report has not come.
    fn miss(&mut self, now: SimTime, out: &mut Vec<Action>) {
        self.missing += 1;
        self.counters.missing += 1;
        self.rate = (self.rate / 2.0).max(SLOWEST);
        self.report_due = now + self.gap() + self.config.patience;
        if self.missing >= self.config.most_missing {
            self.quick_start(now, out);
        }
    }

    fn on_report(&mut self, now: SimTime, header: &Header, out: &mut Vec<Action>) {
        let Body::Report { below, ref blocks } = header.body else { return };
        if below > self.next() || blocks.last().is_some_and(|&(_, end)| end > self.next()) {
            return; // acknowledges what was never sent
        }
        self.counters.reports += 1;
        self.missing = 0;
        self.settle(now, below, blocks);
        self.adapt((1e6 / f64::from(header.delay.max(1))).clamp(SLOWEST, FASTEST));
        self.report_due =
            if self.outstanding.is_empty() { SimTime::MAX } else { now + self.gap() + self.config.patience };
        if self.written == self.packed && self.outstanding.is_empty() && self.packed > 0 && !self.completed {
            self.completed = true;
            out.push(Action::Completed);
        }
    }

    /// What a report says has come, and what it should have said and did not.
    fn settle(&mut self, now: SimTime, below: u64, blocks: &[(u64, u64)]) {
        while self.below < below {
            self.acknowledged += self.outstanding.pop_front().map_or(0, |sent| u64::from(sent.len));
            self.below += 1;
        }
        for &(start, end) in blocks {
            let (from, to) = (start.max(self.below) - self.below, end.max(self.below) - self.below);
            // Places in what is outstanding: it ends where the last block does, or later.
            self.outstanding.range_mut(from as usize..to as usize).for_each(|sent| sent.arrived = true);
        }
        let overdue = |sent: &Sent| !sent.arrived && now >= sent.at + self.config.epoch;
        self.lost =
            (self.below..).zip(&self.outstanding).filter(|(_, sent)| overdue(sent)).map(|(n, _)| n).collect();
    }

    /// The path can take so many packets in a second.
    fn adapt(&mut self, reported: f64) {
        self.reported = Some(reported);
        let before = self.rate;
        if self.state == State::QuickStart {
            self.state = State::Running;
            self.rate = reported;
        } else if reported < self.rate {
            self.rate = reported;
            self.counters.decreases += 1;
        } else if reported > self.rate * (1.0 + self.config.margin) {
            self.rate += ((reported - before) / self.config.step).min(before);
            self.counters.increases += 1;
        }
    }

    /// The next packet goes: what is lost before what is new.
    fn send(&mut self, now: SimTime, out: &mut Vec<Action>) {
        let (number, len) = if let Some(number) = self.lost.pop_first() {
            let sent = &mut self.outstanding[(number - self.below) as usize]; // it is outstanding
            sent.at = now;
            self.counters.retransmissions += 1;
            (number, sent.len)
        } else if self.has_new() {
            let number = self.next();
            let left = self.written - self.packed;
            let len = u32::try_from(left).map_or(self.segment, |left| left.min(self.segment));
            self.packed += u64::from(len);
            self.outstanding.push_back(Sent { len, at: now, arrived: false });
            (number, len)
        } else {
            return;
        };
        self.counters.sent += 1;
        self.last_sent = Some(now);
        if self.report_due == SimTime::MAX {
            self.report_due = now + self.config.patience;
        }
        out.push(Action::Send(Header { body: Body::Data(number), delay: 0, idle: false }, len));
    }

    fn has_new(&self) -> bool {
        self.packed < self.written && self.outstanding.len() < self.config.most_outstanding as usize
    }

    /// Time between two packets, 1/S. There is nothing to report before the next of them.
    fn gap(&self) -> Dur {
        Dur::from_ns((1e9 / self.rate) as u64) // `as` saturates
    }

    /// When the next packet goes.
    fn schedule(&mut self, now: SimTime) {
        self.next_send = if self.state == State::Running && (!self.lost.is_empty() || self.has_new()) {
            self.last_sent.map_or(now, |last| (last + self.gap()).max(now))
        } else {
            SimTime::MAX
        };
    }
}
